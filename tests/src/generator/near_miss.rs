//! Deliberate errors: a check that fails where it is reached.

use star_base::Builtin;

use super::Gen;
use super::records::Field;
use super::scope::Known;
use super::source::{Expr, ExprType, Part, Routine, Stmt, expr, stmt};

/// The kinds of near-misses.
pub const KINDS: [&str; 28] = [
    "assertion",
    "carry",
    "component",
    "deep recursion",
    "dependent iterations",
    "division by zero",
    "does not fit",
    "does not fit an integer",
    "endless",
    "growth of a fixed table",
    "index 0",
    "index beyond",
    "iterations that trap",
    "least of no row",
    "missing file",
    "negative size",
    "no result",
    "no size",
    "number beyond its field",
    "odd shuffle",
    "other sizes for the library",
    "overflow",
    "range",
    "row beyond the records",
    "row of no table",
    "size off by one",
    "stored beyond its field",
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
            "dependent iterations" => match self.random.below(3) {
                // The first component is read before the loop.
                0 | 1 => stmt!(format!("forall {i} in 1..length({x}) do {x}({i}):={x}(1)")),
                _ => stmt!(format!("forall {i} in {x} do {x}(1):={x}({i})")),
            },
            "iterations that trap" => match self.random.below(2) {
                0 => stmt!(format!("forall {i} in 1..length({x}) do {x}({i}):={i}-1")),
                _ => {
                    let (name, field) = self.records_of(size);
                    let store = format!("{name}[{i}].{field}:=high({name}.{field})+{i}");
                    stmt!(format!("forall {i} in {x} where {i}>1 do {store}"))
                }
            },
            "least of no row" => {
                let (name, field) = self.records_of(size);
                stmt!(format!("{i}:=min({name}.{field} where {name}.{field}<-9)"))
            }
            "number beyond its field" => {
                let (name, field) = self.records_of(size);
                stmt!(format!("{name}[length({x})].{field}:=high({name}.{field})+1"))
            }
            "row beyond the records" => {
                let (name, field) = self.records_of(size);
                stmt!(format!("{i}:={name}[rows({name})+1].{field}"))
            }
            "stored beyond its field" => {
                let (name, field) = self.records_of(size);
                before.push(stmt!(format!("{name}.{field}:=high({name}.{field})")));
                let store = format!("{name}.{field}:={name}.{field}+1");
                match self.random.below(2) {
                    0 => stmt!(store),
                    _ => stmt!(format!("where {x} do {store} end")),
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

    /// Declares a table of records with this number of rows; returns its name and a field.
    fn records_of(&mut self, rows: usize) -> (String, String) {
        let shape = self.shape();
        let idx = self.declare_records(rows, shape);
        let field = self.number_field(shape, Field::fits_integers);
        (self.routine.records[idx].name.clone(), field.name)
    }

    fn helper(&mut self, header: String, body: Stmt) {
        self.helpers.push(Routine { header, vars: Vec::new(), body: vec![body], end: ';' });
    }
}
