//! Deliberate errors: a check that fails where it is reached.

use star_base::Builtin;

use super::Gen;
use super::scope::Known;
use super::source::{Expr, ExprType, Part, Routine, Stmt, expr, stmt};

/// The kinds of near-misses.
pub const KINDS: [&str; 22] = [
    "assertion",
    "carry",
    "component",
    "deep recursion",
    "division by zero",
    "does not fit",
    "does not fit an integer",
    "endless",
    "growth of a fixed table",
    "index 0",
    "index beyond",
    "missing file",
    "negative size",
    "no result",
    "no size",
    "odd shuffle",
    "other sizes for the library",
    "overflow",
    "range",
    "row of no table",
    "size off by one",
    "unset variable",
];

impl Gen {
    /// Generates a statement that fails if it is reached.
    pub(super) fn near_miss(&mut self, all: &mut Vec<Stmt>) {
        let kind = KINDS[self.random.below(KINDS.len())];
        *self.counts.near_misses.entry(kind).or_default() += 1;
        let wrong = self.wrong(kind);
        if self.random.chance(40) {
            let condition = self.boolean(1);
            all.push(stmt!("if ", condition, " then ", Part::Body(wrong)));
        } else {
            all.extend(wrong);
        }
    }

    fn wrong(&mut self, kind: &str) -> Vec<Stmt> {
        let size = self.usual_size(ExprType::Slice);
        let x = self.some_bits(ExprType::Slice, size);
        let columns = self.usual_size(ExprType::Word);
        let w = self.some_bits(ExprType::Word, columns);
        let number = self.declare(ExprType::Int, None, (0, 1));
        let i = self.var(number).name.clone();
        let mut before = vec![stmt!(&x.0, ":=", x.1), stmt!(&w.0, ":=", w.1)];
        let (x, w) = (x.0, w.0);
        let last = match kind {
            "assertion" => stmt!("assert(length(", &x, ")<0, \"on purpose\")"),
            "carry" => {
                self.options.checked = true;
                let subt = self.random.chance(50);
                before.push(if subt { stmt!("CLR(", &w, ")") } else { stmt!("SET(", &w, ")") });
                let name = if subt { "SUBT" } else { "ADD" };
                stmt!(&w, format!(":={name}("), &w, ",WORD(1,length(", &w, ")))")
            }
            "component" => stmt!(&x, "(1):=2+length(", &x, ")"),
            "deep recursion" => {
                let name = self.name("Deep");
                self.helper(
                    format!("procedure {name}(d: integer; X: slice);"),
                    stmt!(format!("if d>0 then {name}(d-1,not X)")),
                );
                stmt!(name, "(300,", &x, ")")
            }
            "division by zero" => {
                let op = [" div ", " mod "][self.random.below(2)];
                stmt!(&i, ":=1", op, "(length(", &x, ")-length(", &x, "))")
            }
            "does not fit" => {
                let width = self.random.below(6);
                stmt!(&w, format!(":=WORD({}+NUMB(", 1 << width), &x, format!("),{width})"))
            }
            "does not fit an integer" => {
                let long = self.declare(ExprType::Word, None, (0, 0));
                let long = self.var(long).name.clone();
                before.push(stmt!(&long, ":=WORD(1,64+length(", &w, "))"));
                before.push(stmt!(&long, "(1):=1"));
                stmt!(&i, ":=INT(", long, ")")
            }
            "endless" => stmt!("while length(", &x, ")>=0 do ", &i, ":=1"),
            "growth of a fixed table" => {
                let table = self.table_like(size, columns);
                let known = self.var(table).known;
                let copy = self.declare(ExprType::Table, Some(known), (0, 0));
                let name = self.var(copy).name.clone();
                stmt!("COL(size(", &name, ")+1,", &name, "):=", &x)
            }
            "index 0" => stmt!(&i, ":=", &x, "(length(", &x, ")-length(", &x, "))"),
            "index beyond" => {
                let table = self.table_like(size, columns);
                let name = self.var(table).name.clone();
                match self.random.below(4) {
                    0 => stmt!(&x, "(length(", &x, ")+1):=1"),
                    1 => stmt!(&x, ":=COL(size(", &name, ")+1,", &name, ")"),
                    2 => stmt!(&w, ":=ROW(rows(", &name, ")+1,", &name, ")"),
                    _ => stmt!(&i, ":=", &name, "(1,size(", &name, ")+1)"),
                }
            }
            "missing file" => stmt!("read(", &x, ",\"nowhere\")"),
            "negative size" => match self.random.below(2) {
                0 => stmt!(&x, ":=SHIFT(", &x, ",up,-1-length(", &x, "))"),
                _ => stmt!(&w, ":=WORD(0,-1-length(", &x, "))"),
            },
            "no result" => {
                let name = self.name("f");
                self.helper(
                    format!("function {name}(X: slice): integer;"),
                    stmt!(format!("if length(X)<0 then {name}:=1")),
                );
                stmt!(&i, ":=", name, "(", &x, ")")
            }
            "no size" => {
                let table = self.declare(ExprType::Table, None, (0, 0));
                let name = self.var(table).name.clone();
                stmt!(&i, ":=rows(", name, ")")
            }
            "odd shuffle" => {
                stmt!(&x, ":=SHUFFLE(CONVERT(WORD(0,2*length(", &x, ")+1)))")
            }
            "other sizes for the library" => {
                let table = self.table_like(size, columns);
                let name = self.var(table).name.clone();
                let longer = expr!(ExprType::Word; "WORD(0,size(", &name, ")+1)");
                stmt!("MATCH(", name, ",", &x, ",", longer, ",", &x, ")")
            }
            "overflow" => match self.random.below(3) {
                0 => stmt!(&i, ":=9223372036854775807-length(", &x, ")+length(", &x, ")+1"),
                1 => stmt!(&i, ":=(4611686018427387904+length(", &x, "))*2"),
                _ => stmt!(&i, ":=-9223372036854775807-2-length(", &x, ")"),
            },
            "range" => match self.random.below(3) {
                0 => stmt!(&x, ":=MASK(", &x, ",1,length(", &x, ")+1)"),
                1 => stmt!(&w, ":=TRIM(length(", &w, ")+1,length(", &w, "),", &w, ")"),
                _ => stmt!("REP(0,length(", &w, ")-1,", &w, ",", &w, ")"),
            },
            "row of no table" => {
                let table = self.declare(ExprType::Table, Some(Known::Table(0, columns)), (0, 0));
                let name = self.var(table).name.clone();
                stmt!(&w, ":=ROW(1,", name, ")")
            }
            "size off by one" => {
                stmt!(&x, ":=", &x, " or CONVERT(WORD(0,length(", &x, ")+1))")
            }
            _ => {
                // Set on only one path.
                let unset = self.declare(ExprType::Slice, None, (0, 0));
                let name = self.var(unset).name.clone();
                before.push(stmt!("if length(", &x, ")<0 then ", &name, ":=", &x));
                let read = self.builtin(Builtin::Numb, ExprType::Int, vec![self.read(unset)]);
                stmt!(&i, ":=", read)
            }
        };
        before.push(last);
        before
    }

    /// Creates a variable and a value for it. Other statements do not use it: its contents are not
    /// known.
    fn some_bits(&mut self, kind: ExprType, size: usize) -> (String, Expr) {
        let value = self.bits(kind, size, 1);
        let idx = self.declare(kind, None, (0, 0));
        self.var_mut(idx).locked = true;
        (self.var(idx).name.clone(), value)
    }

    fn helper(&mut self, header: String, body: Stmt) {
        self.helpers.push(Routine { header, vars: Vec::new(), body: vec![body], end: ';' });
    }
}
