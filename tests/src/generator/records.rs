//! Tables of records: their types and variables, assignments to rows and fields, selected rows, and
//! loops over distinct numbers.
//!
//! Fields of unsigned numbers and of single columns are also variables of the scope, `E.w`, so that
//! all other statements and expressions use them as tables and slices. The expressions over columns
//! are in `columns`.

use super::columns::{From, Numbers};
use super::ints::literal;
use super::scope::{Known, Var, VarIdx};
use super::source::{Expr, ExprType, Part, Stmt, expr, stmt};
use super::{Gen, sizes};

/// The constructs with records, of which the report contains the share of programs.
pub const CONSTRUCTS: [&str; 32] = [
    "record parameter",
    "record variable",
    "field as a value",
    "field as a `var` argument",
    "field of a row",
    "row",
    "column expression",
    "store",
    "masked store",
    "masked slice",
    "relation",
    "where",
    "nested where",
    "elsewhere with a condition",
    "elsewhere",
    "values",
    "selection of no row",
    "count",
    "sum",
    "min",
    "max",
    "argmin",
    "argmax",
    "kmin",
    "kmax",
    "orrows",
    "androws",
    "xorrows",
    "high or low",
    "forall",
    "forall with a condition",
    "forall that keeps a line",
];

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Uint,
    Int,
    Bits,
    Bit,
}

/// A field, or an element of one that is an array.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its name, with the index of the element.
    pub(super) name: String,
    pub(super) kind: FieldKind,
    pub(super) width: usize,
}

/// A record type with arguments.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) args: Vec<usize>,
    fields: Vec<Field>,
    pub(super) n_columns: usize,
}

/// A table of records in the scope.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) name: String,
    /// The variable of the whole table.
    pub(super) table: VarIdx,
    pub(super) rows: usize,
    pub(super) shape: usize,
}

impl Gen {
    /// Records that the program contains this one of [`CONSTRUCTS`].
    pub(super) fn construct(&mut self, construct: &'static str) {
        *self.counts.records.entry(construct).or_default() += 1;
    }

    /// Records the use of a variable, if it is a field.
    pub(super) fn note_field(&mut self, var: VarIdx, construct: &'static str) {
        if self.var(var).is_field() {
            self.construct(construct);
        }
    }

    // ---- types and variables ----

    /// Chooses a record type with arguments; perhaps a new one.
    pub(super) fn shape(&mut self) -> usize {
        if !self.shapes.is_empty() && self.random.chance(70) {
            return self.random.below(self.shapes.len());
        }
        let name = self.name("R");
        let args: Vec<usize> = match self.random.below(4) {
            0 => Vec::new(),
            1 => vec![sizes::size(&mut self.random, 65)],
            _ => (0..2).map(|_| 1 + self.random.below(6)).collect(),
        };
        let names = ["end", "w", "a", "type", "to", "b"];
        let mut fields = Vec::new();
        let mut items: Vec<String> = Vec::new();
        let mut add = |this: &mut Self, kind: FieldKind, width: String, n: usize, size: usize| {
            let name = names[items.len() % names.len()];
            let keyword = match kind {
                FieldKind::Uint => "uint",
                FieldKind::Int => "int",
                FieldKind::Bits => "bits",
                FieldKind::Bit => "bit",
            };
            let one = match kind {
                FieldKind::Bit => keyword.to_owned(),
                FieldKind::Uint | FieldKind::Int | FieldKind::Bits => format!("{keyword}({width})"),
            };
            if n == 1 {
                items.push(format!("{name}: {one}"));
                fields.push(Field { name: name.to_owned(), kind, width: size });
            } else {
                items.push(format!("{name}: array[1..{n}] of {one}"));
                let element = 1 + this.random.below(n);
                for k in [element, 1 + element % n] {
                    fields.push(Field { name: format!("{name}[{k}]"), kind, width: size });
                }
            }
            n * size
        };
        let mut n_columns = 0;
        for nth in 0..2 + self.random.below(3) {
            let kind = match (nth, self.random.below(8)) {
                (0, _) | (_, 0..=2) => FieldKind::Uint,
                (_, 3 | 4) => FieldKind::Int,
                (_, 5) => FieldKind::Bits,
                _ => FieldKind::Bit,
            };
            let (mut width, mut size) = match (self.random.below(5), args.as_slice()) {
                (0 | 1, [a, ..]) => ("x1".to_owned(), *a),
                (2 | 3, [_, b]) => ("x2".to_owned(), *b),
                (4, [a, b]) if self.random.chance(40) => ("2*x1+x2".to_owned(), 2 * a + b),
                _ => {
                    let size = 1 + self.random.below(5);
                    (size.to_string(), size)
                }
            };
            if kind == FieldKind::Int && size == 0 {
                (width, size) = ("4".to_owned(), 4);
            }
            if kind == FieldKind::Bit {
                size = 1;
            }
            let n = if self.random.chance(15) { 2 } else { 1 };
            n_columns += add(self, kind, width, n, size);
        }
        let params: Vec<String> = (1..=args.len()).map(|nth| format!("x{nth}")).collect();
        let params = match params.is_empty() {
            true => String::new(),
            false => format!("({})", params.join(",")),
        };
        self.consts.push(format!("type {name}{params} = record {} end;", items.join("; ")));
        self.shapes.push(Shape { name, args, fields, n_columns });
        self.shapes.len() - 1
    }

    /// Makes the fields of a table known: `table` is its variable.
    pub(super) fn add_records(&mut self, table: VarIdx, rows: usize, shape: usize) {
        let name = self.var(table).name.clone();
        let var = self.var_mut(table);
        (var.locked, var.is_records) = (true, true);
        for Field { name: field, kind, width } in self.shapes[shape].fields.clone() {
            let (kind, known) = match kind {
                FieldKind::Uint => (ExprType::Table, Known::Table(rows, width)),
                FieldKind::Bit => (ExprType::Slice, Known::Bits(rows)),
                // Not every table can be assigned to these.
                FieldKind::Int | FieldKind::Bits => continue,
            };
            self.routine.scope.vars.push(Var {
                name: format!("{name}.{field}"),
                kind,
                known,
                fixed: Some(known),
                domain: (0, 0),
                constant: false,
                locked: false,
                hidden: false,
                is_records: false,
            });
        }
        self.routine.records.push(Records { name, table, rows, shape });
    }

    /// Declares a table of records, which contains zeros.
    pub(super) fn declare_records(&mut self, rows: usize, shape: usize) -> usize {
        self.construct("record variable");
        let name = self.name("E");
        let Shape { name: of, args, n_columns, .. } = self.shapes[shape].clone();
        let rows_text = self.size_text(ExprType::Slice, rows);
        let args: Vec<String> =
            args.iter().map(|arg| self.size_text(ExprType::Int, *arg)).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(",")) };
        self.routine.vars.push(format!("{name}: table({rows_text}) of {of}{args};"));
        let known = Known::Table(rows, n_columns);
        self.routine.scope.vars.push(Var {
            name,
            kind: ExprType::Table,
            known,
            fixed: Some(known),
            domain: (0, 0),
            constant: false,
            locked: true,
            hidden: false,
            is_records: false,
        });
        self.add_records(self.routine.scope.vars.len() - 1, rows, shape);
        self.routine.records.len() - 1
    }

    /// Chooses a table of records, perhaps a new one with contents.
    fn some_records(&mut self, all: &mut Vec<Stmt>) -> usize {
        let n = self.routine.records.len();
        if n > 0 && !self.random.chance(10) {
            return self.random.below(n);
        }
        let (rows, shape) = (self.sizes.row(&mut self.random), self.shape());
        let idx = self.declare_records(rows, shape);
        let Records { name, table, rows, shape } = self.routine.records[idx].clone();
        for _ in 0..self.shapes[shape].n_columns.min(5) {
            let column = literal(1 + self.random.below(self.shapes[shape].n_columns) as i64);
            let args = vec![column, self.read(table)];
            let line = self.builtin(star_base::Builtin::Col, ExprType::Slice, args);
            let value = self.typed_operand(ExprType::Slice, rows, 2);
            all.push(stmt!(line, ":=", value));
        }
        self.fill_field(&name, rows, shape, all);
        idx
    }

    /// Counts up in a field.
    fn fill_field(&mut self, name: &str, rows: usize, shape: usize, all: &mut Vec<Stmt>) {
        let field = self.number_field(shape, |_| true);
        if rows == 0 || !field.fits_integers() || !self.affords(4.0 * rows as f64) {
            return;
        }
        let first = 1 + self.random.below(rows);
        self.charge(4);
        let value = self.number_for(&field, 1);
        self.construct("field of a row");
        all.push(stmt!(format!("{name}[{first}].{}:=", field.name), value));
    }

    /// Chooses a field of numbers; the first one is one.
    pub(super) fn number_field(&mut self, shape: usize, suits: impl Fn(&Field) -> bool) -> Field {
        let fields = &self.shapes[shape].fields;
        let is_number = |field: &&Field| matches!(field.kind, FieldKind::Uint | FieldKind::Int);
        let those: Vec<&Field> =
            fields.iter().filter(is_number).filter(|field| suits(field)).collect();
        match those.len() {
            0 => fields[0].clone(),
            n => those[self.random.below(n)].clone(),
        }
    }

    /// Chooses a field of one column.
    pub(super) fn bit_field(&mut self, shape: usize) -> Option<String> {
        let fields = &self.shapes[shape].fields;
        let those: Vec<&Field> =
            fields.iter().filter(|field| field.kind == FieldKind::Bit).collect();
        match those.len() {
            0 => None,
            n => Some(those[self.random.below(n)].name.clone()),
        }
    }

    /// Generates an integer that fits the field.
    fn number_for(&mut self, field: &Field, depth: usize) -> Expr {
        let (lo, hi) = field.range();
        let least = |limit: i128| limit.clamp(-(1 << 50), 1 << 50) as i64;
        self.int_in(least(lo), least(hi), depth)
    }

    // ---- statements ----

    /// Generates a statement with a table of records.
    pub(super) fn records(&mut self, all: &mut Vec<Stmt>) {
        let of = self.some_records(all);
        let compound = self.routine.depth < 3;
        match self.random.below(if compound { 12 } else { 6 }) {
            0..=2 => {
                if let Some(stmt) = self.store(of, false) {
                    all.push(stmt);
                }
            }
            3 | 4 => self.assign_row(of, all),
            5 => self.guarded(of, all),
            6..=9 => self.where_block(of, all),
            _ => self.values(of, all),
        }
    }

    /// Generates an assignment to a field of all rows, or of the selected ones.
    fn store(&mut self, of: usize, masked: bool) -> Option<Stmt> {
        let Records { name, shape, rows, .. } = self.routine.records[of].clone();
        let fields = &self.shapes[shape].fields;
        let field = fields[self.random.below(fields.len())].clone();
        let target = format!("{name}.{}", field.name);
        if !self.affords(30.0 * field.width as f64 + 100.0) || !self.allows(2) {
            return None;
        }
        self.construct(if masked { "masked store" } else { "store" });
        self.charge(6 * field.width + 4);
        let value = match (field.kind, self.random.below(8)) {
            (FieldKind::Bits, _) => self.bits(ExprType::Word, field.width, 1),
            (FieldKind::Bit, 0..=2) => self.typed_operand(ExprType::Slice, rows, 1),
            (FieldKind::Bit, 3) => self.int_in(0, 1, 1),
            (FieldKind::Uint | FieldKind::Int, 0) => self.number_for(&field, 1),
            (FieldKind::Uint | FieldKind::Int, 1) => {
                self.construct("high or low");
                let extreme = ["high", "low"][self.random.below(2)];
                Expr::leaf(ExprType::Table, format!("{extreme}({target})"))
            }
            _ => {
                let numbers = self.numbers(of, 1, From::Anything);
                self.fitted(numbers, &field, &target)
            }
        };
        Some(stmt!(target, ":=", value))
    }

    /// Returns numbers limited to the range of a field.
    fn fitted(&mut self, numbers: Numbers, field: &Field, target: &str) -> Expr {
        let (lo, hi) = field.range();
        let (mut value, fits) =
            (numbers.expr, i128::from(i64::MIN >> 1)..=i128::from(i64::MAX >> 1));
        if numbers.lo >= lo && numbers.hi <= hi {
            return value;
        }
        let n_ends = usize::from(numbers.hi > hi) + usize::from(numbers.lo < lo);
        if !fits.contains(&lo) || !fits.contains(&hi) || !self.allows(4 * n_ends) {
            return Expr::leaf(ExprType::Table, target);
        }
        if numbers.hi > hi {
            value = expr!(ExprType::Table; "min(", value, format!(",{hi})"));
        }
        if numbers.lo < lo {
            value = expr!(ExprType::Table; "max(", literal(lo as i64), ",", value, ")");
        }
        value
    }

    /// Generates a store of numbers that may be too large for the field, to the rows where they are
    /// not.
    fn guarded(&mut self, of: usize, all: &mut Vec<Stmt>) {
        let Records { name, shape, .. } = self.routine.records[of].clone();
        let field = self.number_field(shape, Field::fits_integers);
        if !field.fits_integers() || !self.affords(600.0) || !self.allows(6) {
            return;
        }
        let Numbers { expr, .. } = self.numbers(of, 1, From::Fields);
        let (lo, hi) = field.range();
        self.construct("where");
        self.construct("masked store");
        self.charge(8 * field.width);
        let store = stmt!(format!("{name}.{}:=", field.name), expr.clone());
        let condition = expr!(
            ExprType::Slice; "(", expr.clone(), ">=", literal(lo as i64), ") and (", expr, "<=",
            literal(hi as i64), ")"
        );
        all.push(stmt!("where ", condition, " do", Part::Bare(vec![store]), "end"));
    }

    /// `E[i].w := …`, `E[i] := …`
    fn assign_row(&mut self, of: usize, all: &mut Vec<Stmt>) {
        let Records { name, rows, shape, .. } = self.routine.records[of].clone();
        if rows == 0 {
            return;
        }
        let index = self.index(rows);
        self.charge(4);
        if self.random.chance(25) {
            self.construct("row");
            let value = self.typed_operand(ExprType::Word, self.shapes[shape].n_columns, 1);
            all.push(stmt!(name, "[", index, "]:=", value));
            return;
        }
        let fields = &self.shapes[shape].fields;
        let field = fields[self.random.below(fields.len())].clone();
        // The index of an element stands after the field.
        let target = [format!("{name}["), format!("].{}:=", field.name)];
        let value = match field.kind {
            FieldKind::Bits => self.bits(ExprType::Word, field.width, 1),
            FieldKind::Uint | FieldKind::Int | FieldKind::Bit => self.number_for(&field, 2),
        };
        self.construct("field of a row");
        let [before, after] = target;
        all.push(stmt!(before, index, after, value));
    }

    /// `where c do … elsewhere … end`
    fn where_block(&mut self, of: usize, all: &mut Vec<Stmt>) {
        if !self.affords(800.0) || !self.allows(3) {
            return;
        }
        // A slice is set before it is assigned in some rows.
        let Records { name, rows, .. } = self.routine.records[of].clone();
        let slice = self.name("Y");
        self.routine.vars.push(format!("{slice}: slice({name});"));
        let value = self.typed_operand(ExprType::Slice, rows, 1);
        all.push(stmt!(&slice, ":=", value));
        let block = self.where_of(of, &slice, 0);
        all.push(block);
        self.routine.scope.vars.push(Var {
            name: slice,
            kind: ExprType::Slice,
            known: Known::Bits(rows),
            fixed: Some(Known::Bits(rows)),
            domain: (0, 0),
            constant: false,
            locked: false,
            hidden: false,
            is_records: false,
        });
    }

    fn where_of(&mut self, of: usize, slice: &str, depth: usize) -> Stmt {
        self.construct(if depth == 0 { "where" } else { "nested where" });
        let mut parts: Vec<Part> = Vec::new();
        let n_conditions = [1, 2, 2, 3][self.random.below(4)];
        for nth in 0..n_conditions {
            if nth > 0 {
                if !self.allows(1) {
                    break;
                }
                self.construct("elsewhere with a condition");
            }
            parts.push(if nth == 0 { "where " } else { "elsewhere " }.into());
            parts.push(self.condition(of).into());
            parts.push(" do".into());
            parts.push(Part::Bare(self.masked(of, slice, depth)));
        }
        if self.random.chance(80) {
            self.construct("elsewhere");
            parts.push("elsewhere".into());
            parts.push(Part::Bare(self.masked(of, slice, depth)));
        }
        parts.push("end".into());
        Stmt { parts }
    }

    /// Generates statements for selected rows.
    fn masked(&mut self, of: usize, slice: &str, depth: usize) -> Vec<Stmt> {
        let rows = self.routine.records[of].rows;
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(10) {
                0..=2 if depth < 2 && self.affords(400.0) && self.allows(1) => {
                    let inner = self.where_of(of, slice, depth + 1);
                    body.push(inner);
                }
                3 | 4 => {
                    self.construct("masked slice");
                    let value = self.typed_operand(ExprType::Slice, rows, 1);
                    body.push(stmt!(slice, ":=", value));
                }
                5 => {
                    let condition = self.boolean(1);
                    let inner = self.store(of, true).into_iter().collect();
                    body.push(stmt!("if ", condition, " then ", Part::Body(inner)));
                }
                _ => body.extend(self.store(of, true)),
            }
        }
        body
    }

    /// Generates a slice over the rows of a table, which no other declaration gives its size.
    fn condition(&mut self, of: usize) -> Expr {
        let Records { name, rows, shape, .. } = self.routine.records[of].clone();
        let slices = self.routine.scope.readable(|var| {
            var.is_bits(ExprType::Slice, rows) && var.fixed.is_none() && !var.is_field()
        });
        let of_slices = self.choose(&slices).map(|idx| self.read(idx));
        let bit = self.bit_field(shape);
        let of_bits = bit.map(|bit| Expr::leaf(ExprType::Slice, format!("{name}.{bit}")));
        match (self.random.below(6), of_bits, of_slices) {
            (0, Some(bit), _) => bit,
            (1, Some(bit), _) => expr!(ExprType::Slice; "not ", bit),
            (2, _, Some(slice)) => slice,
            (3, _, Some(slice)) => {
                let relation = self.relation(of, From::Scalars);
                expr!(ExprType::Slice; relation, " and ", slice)
            }
            _ => self.relation(of, From::Scalars),
        }
    }

    /// `foreach v in values(F where X) do …`
    fn values(&mut self, of: usize, all: &mut Vec<Stmt>) {
        let Records { name, rows, shape, .. } = self.routine.records[of].clone();
        let fields = &self.shapes[shape].fields;
        let bits: Vec<Field> =
            fields.iter().filter(|field| field.kind == FieldKind::Bits).cloned().collect();
        if !self.affords(rows.min(8) as f64 * 200.0) || !self.allows(1) {
            return;
        }
        let filter = self.filter(of, true);
        let iterations = rows.min(8);
        if !bits.is_empty() && self.random.chance(40) {
            let Field { name: field, width, .. } = bits[self.random.below(bits.len())].clone();
            let var = self.declare(ExprType::Word, None, (0, 0));
            self.construct("values");
            let body = self.loop_body(var, Known::Bits(width), iterations);
            let var = self.var(var).name.clone();
            let head = format!("foreach {var} in values({name}.{field}");
            all.push(stmt!(head, filter, ") do ", Part::Body(body)));
            return;
        }
        let numbers = self.numbers(of, 1, From::Anything);
        let Some((lo, hi)) = numbers.domain() else { return };
        self.construct("values");
        let var = self.declare(ExprType::Int, None, (lo, hi));
        let body = self.loop_body(var, Known::Scalar, iterations);
        let head = format!("foreach {} in values(", self.var(var).name);
        all.push(stmt!(head, numbers.expr, filter, ") do ", Part::Body(body)));
    }

    fn loop_body(&mut self, var: VarIdx, known: Known, iterations: usize) -> Vec<Stmt> {
        let before = self.routine.scope.clone();
        let outer = std::mem::replace(&mut self.routine.jumps, super::Jumps::All);
        let var = self.var_mut(var);
        (var.known, var.locked) = (known, true);
        let n = 1 + self.random.below(2);
        let body = self.iterated(iterations, |this| this.statements(n));
        self.routine.scope.leave(&before);
        self.routine.jumps = outer;
        body
    }
}

impl Field {
    /// Returns the least and greatest number.
    pub(super) fn range(&self) -> (i128, i128) {
        match (self.kind, self.width) {
            (FieldKind::Int, width) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            (FieldKind::Uint | FieldKind::Bits | FieldKind::Bit, width) => (0, (1 << width) - 1),
        }
    }

    /// Returns whether its numbers are integers of the language.
    pub(super) fn fits_integers(&self) -> bool {
        self.width <= 40
    }
}
