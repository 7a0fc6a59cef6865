//! Guards: the only statements, besides `call` and `host` ones, that trap.

use crate::op::{IntOp, Operand};
use crate::program::{HandlePart, VarId};

/// A size used by guards and size queries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeOperand {
    /// Number of components of a slice or word.
    Length(VarId),
    /// Number of rows of a table.
    Rows(VarId),
    /// Number of columns of a table.
    Columns(VarId),
    /// A given number.
    Value(Operand),
}

impl SizeOperand {
    /// Returns its value if it is a constant.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            SizeOperand::Value(value) => value.as_int(),
            SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => None,
        }
    }
}

/// A guard. If it does not hold, the program traps at the location of the statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// The variable was set; a table has rows. Trap: `Unset`, for a table `NoSize`.
    Set(VarId),
    /// The size of the slice or word is known: it was set, or its size was fixed; a table: it has
    /// rows. Trap: `NoSize`.
    Sized(VarId),
    /// The handle was set and contains a table under this name. Trap: `NoPart`.
    HandlePart(VarId, HandlePart),
    /// A function's result was set. Trap: `NoResult`.
    Result(VarId),
    /// `1 ≤ index ≤ limit`; a negative limit counts as 0. Trap: `Index`.
    Index(Operand, SizeOperand),
    /// A column that accepts stores: `1 ≤ index ≤ columns`, or `1 ≤ index` if the table grows.
    /// Trap: `Index`.
    NewColumn(VarId, Operand),
    /// The two sizes are equal. A measure of something of unknown size agrees with every size.
    /// Trap: `Size`, or `Negative` for a given number that is not a valid size.
    Size(SizeOperand, SizeOperand),
    /// `0 ≤ base`, `0 ≤ width` and `base + width ≤ limit`: the part `base + 1 ..= base + width` is
    /// inside; a negative limit counts as 0. Trap: `Range`.
    Range {
        /// Number of components to the left of the part.
        base: Operand,
        /// Number of components of the part.
        width: Operand,
        /// Size of the whole.
        limit: SizeOperand,
    },
    /// The operation neither overflows nor divides by zero. Trap: `Overflow` or `Division`.
    Int(IntOp, Operand, Operand),
    /// The number is 0 or 1. Trap: `Bit`.
    Bit(Operand),
    /// The number is not negative. Trap: `Negative`.
    NotNegative(Operand),
    /// The number is unsigned and fits the given number of bits. Trap: `Fit`, or `Negative` for the
    /// width.
    Fits {
        /// The number.
        value: Operand,
        /// Number of bits.
        width: Operand,
    },
    /// `row` is 0: it is the first row whose number does not fit the given number of bits, if any.
    /// Trap: `FitRow`.
    FitsRow {
        /// The row.
        row: Operand,
        /// Number of bits.
        width: Operand,
    },
    /// The word is a number below 2⁶³. Trap: `FitInt`.
    FitsInt(VarId),
    /// The number of components is even. Trap: `Odd`.
    Even(VarId),
    /// The sum (`Add`) or difference (`Sub`) of two words of equal size needs no additional bit.
    /// Trap: `Carry`. No other operation occurs.
    NoCarry(IntOp, VarId, VarId),
    /// The condition holds; otherwise the message is shown. Trap: `Assert`.
    Assert(Operand, Operand),
}
