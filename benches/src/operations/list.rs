//! The operations.

use super::plain::Streams;
use OperationGroup::{Alone, Library, Long, One};

/// An operation.
pub(super) struct Operation {
    /// What a line calls it.
    pub(super) name: &'static str,
    /// The statements in a loop. Names are those of `values::HEAD`.
    pub(super) statement: &'static str,
    /// Limbs that it reads and writes at least, for each limb of a slice; 0 if it does not touch
    /// all of one.
    pub(super) limbs: f64,
    pub(super) kind: OperationGroup,
    /// Lines that it reads and writes, if a plain loop is measured beside it.
    pub(super) streams: Option<Streams>,
}

/// How it is measured, and on how many threads it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationGroup {
    /// On threads if a slice is long.
    Long,
    /// On one thread, however long.
    Alone,
    /// On one bit or row.
    One,
    /// A library procedure, on threads if all that it touches is long.
    Library,
}

const fn operation(
    name: &'static str,
    statement: &'static str,
    limbs: f64,
    kind: OperationGroup,
) -> Operation {
    Operation { name, statement, limbs, kind, streams: None }
}

/// A library procedure with the lines that it reads, the control slice too, and those that it
/// writes.
const fn procedure(
    name: &'static str,
    statement: &'static str,
    limbs: f64,
    read: usize,
    written: usize,
) -> Operation {
    let streams = Some(Streams { read, written });
    Operation { name, statement, limbs, kind: Library, streams }
}

/// All of them, one of each kind.
///
/// Where a search is asked the same again, the slice is written to before: where its first one lies
/// would be known otherwise. Of library procedures, the control slice and the columns that they
/// read count, and the columns that they write.
pub(super) const OPERATIONS: &[Operation] = &[
    operation("Z := X", "Z := X", 2.0, Long),
    operation("Z := not X", "Z := not X", 2.0, Long),
    operation("Z := X and Y", "Z := X and Y", 3.0, Long),
    operation("Z := X and Y or W", "Z := X and Y or W", 4.0, Long),
    operation("X := X or Y", "Z := Z or Y", 3.0, Long),
    operation("CLR(Z)", "CLR(Z)", 1.0, Long),
    operation("SET(Z)", "SET(Z)", 1.0, Long),
    operation("MASK(X,2,n-1)", "Z := MASK(X,2,n-1)", 1.0, Long),
    operation("SHIFT(X,down,77)", "Z := SHIFT(X,down,77)", 2.0, Long),
    operation("ROTATE(X,77)", "Z := ROTATE(X,77)", 2.0, Long),
    operation("MIRROR(X)", "Z := MIRROR(X)", 2.0, Long),
    operation("SHUFFLE(X)", "Z := SHUFFLE(X)", 2.0, Long),
    operation("CONVERT(X)", "S := CONVERT(X)", 2.0, Long),
    operation("NUMB(X)", "k := NUMB(X)", 1.0, Long),
    operation("NUMB(X and Y)", "k := NUMB(X and Y)", 2.0, Long),
    operation("FND, of the last", "L(1) := 0; k := FND(L)", 1.0, Long),
    operation("SOME, of none", "O(1) := 0; b := SOME(O)", 1.0, Long),
    operation("SOME(X and O)", "b := SOME(X and O)", 2.0, Long),
    operation("STEP, of the first", "O(1) := 1; k := STEP(O)", 0.0, One),
    operation("FRST(L), the last", "Z := FRST(L)", 2.0, Long),
    operation("X = V, equal", "b := X = V", 2.0, Long),
    operation("k := X(7)", "k := X(7)", 0.0, One),
    operation("X(7) := 1", "X(7) := 1", 0.0, One),
    operation("ADD(P,Q)", "S := ADD(P,Q)", 3.0, Alone),
    operation("SUBT(P,Q)", "S := SUBT(P,Q)", 3.0, Alone),
    operation("EQ(P,Q), equal", "b := EQ(P,Q)", 2.0, Long),
    operation("LESS(P,Q), equal", "b := LESS(P,Q)", 2.0, Long),
    operation("TRIM(2,n-1,P)", "part := TRIM(2,n-1,P)", 2.0, Long),
    operation("REP, half of a word", "REP(2,length(U)+1,U,S)", 1.0, Long),
    operation("Z := COL(3,T)", "Z := COL(3,T)", 2.0, Long),
    operation("COL(3,T) := X", "COL(3,T) := X", 2.0, Long),
    operation("w := ROW(3,T)", "w := ROW(3,T)", 0.0, One),
    operation("ROW(3,T) := w", "ROW(3,T) := w", 0.0, One),
    operation("k := T(5,7)", "k := T(5,7)", 0.0, One),
    operation("T(5,7) := 1", "T(5,7) := 1", 0.0, One),
    procedure("MATCH, 32 columns", "MATCH(T,X,w,Z)", 33.0, 33, 1),
    procedure("LESS, 32 columns", "LESS(T,X,w,Z)", 33.0, 33, 1),
    procedure("MIN, 32 columns", "MIN(T,X,Z)", 33.0, 33, 1),
    procedure("MAX, 32 columns", "MAX(T,X,Z)", 33.0, 33, 1),
    procedure("HIT, 2 × 8 columns", "HIT(F,G,X,Z)", 17.0, 17, 1),
    procedure("SETMIN, 2 × 8 columns", "SETMIN(F,G,X,Z)", 17.0, 17, 1),
    procedure("ADDV, 3 × 8 columns", "ADDV(F,G,X,R)", 25.0, 17, 8),
    procedure("ADDC, 2 × 8 columns", "ADDC(F,X,v,R)", 17.0, 9, 8),
    procedure("TCOPY1, 8 of 32 columns", "TCOPY1(T,1,8,R)", 16.0, 8, 8),
    procedure("TCOPY2, 8 of 32 columns", "TCOPY2(F,1,8,T)", 16.0, 8, 8),
];

impl Operation {
    /// Returns the body of the loop; after a library procedure it reads a bit of the last argument,
    /// which is the result.
    pub(super) fn iteration(&self) -> String {
        let statement = self.statement;
        let result = statement.trim_end_matches(')').rsplit(',').next().unwrap_or_default();
        match (self.kind, result) {
            (Long | Alone | One, _) => statement.to_owned(),
            (Library, "Z") => format!("{statement}; k := Z(1)"),
            (Library, table) => format!("{statement}; k := {table}(1,1)"),
        }
    }

    /// Does it want the table of 32 columns?
    pub(super) fn wants_wide(&self) -> bool {
        names(self.statement).any(|name| name == "T")
    }

    /// Does it want the tables of 8 columns?
    pub(super) fn wants_narrow(&self) -> bool {
        names(self.statement).any(|name| ["F", "G", "R"].contains(&name))
    }
}

/// The names in a statement.
fn names(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !c.is_alphanumeric()).filter(|name| !name.is_empty())
}
