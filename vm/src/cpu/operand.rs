//! Operands of instructions: registers, numbers, sizes, and the tests of guards.

use star_ir::IntOp;

/// Number of a register in its file, counted from the first one of the routine.
pub(super) type Reg = u32;

/// Number of an instruction in its routine.
pub(super) type Pc = u32;

/// The register of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegRef {
    Int(Reg),
    Bool(Reg),
    Slice(Reg),
    Word(Reg),
    Table(Reg),
    Text(Reg),
    Handle(Reg),
}

impl RegRef {
    /// Returns its register if it is a number.
    pub(super) fn number(self) -> Option<Reg> {
        match self {
            RegRef::Int(reg) | RegRef::Bool(reg) => Some(reg),
            RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => None,
        }
    }

    /// Returns its register if it holds bits.
    pub(super) fn bits(self) -> Option<Reg> {
        match self {
            RegRef::Slice(reg) | RegRef::Word(reg) => Some(reg),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => None,
        }
    }

    /// Returns its register if it is a table.
    pub(super) fn table(self) -> Option<Reg> {
        match self {
            RegRef::Table(reg) => Some(reg),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => None,
        }
    }

    /// Returns its register if it is a handle.
    pub(super) fn handle(self) -> Option<Reg> {
        match self {
            RegRef::Handle(reg) => Some(reg),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_) => None,
        }
    }

    /// Returns its register if it is a text.
    pub(super) fn text(self) -> Option<Reg> {
        match self {
            RegRef::Text(reg) => Some(reg),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Handle(_) => None,
        }
    }
}

/// A number in a register. Constants have registers, too, which are set at the beginning of the
/// routine, so that instructions need not distinguish constant operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(pub(super) Reg);

/// A size that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Value(Number),
    Length(Reg),
    Rows(Reg),
    Columns(Reg),
}

/// The test of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    NumberSet(Reg),
    BitsSet(Reg),
    TableSet(Reg),
    TextSet(Reg),
    HandleSet(Reg),
    /// The handle holds the part with this number.
    HandlePart(Reg, u32),
    BitsSized(Reg),
    Index(Number, Size),
    NewColumn(Reg, Number),
    Size(Size, Size),
    Range {
        base: Number,
        width: Number,
        limit: Size,
    },
    Int(IntOp, Number, Number),
    Bit(Number),
    NotNegative(Number),
    Fits {
        value: Number,
        width: Number,
    },
    FitsRow {
        row: Number,
        width: Number,
    },
    FitsInt(Reg),
    Even(Reg),
    NoCarry(IntOp, Reg, Reg),
    Holds(Number),
}

/// Source of the iterations of a `forall`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Numbers(Number, Number),
    Ones(Reg),
}

/// Transfer of a value to a parameter of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// The routine has a private copy.
    Copied,
    /// It moves there and back, though it is passed by value: the routine only reads it.
    Lent,
    /// By reference.
    Ref,
}

impl Passing {
    /// Does the value move there and back?
    pub(super) fn moves(self) -> bool {
        match self {
            Passing::Lent | Passing::Ref => true,
            Passing::Copied => false,
        }
    }
}
