//! Operations that yield a value and change nothing. None of them traps: see Note [Guards].

use std::cmp::Ordering;

use star_value::BitVector;
use std::sync::Arc;

use crate::program::{HandlePart, VarId};

/// A scalar operand: a variable or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value of a variable (of any type where the operation permits it, otherwise a scalar).
    Var(VarId),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(Arc<str>),
}

impl Operand {
    /// Returns its value if it is an integer constant.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Operand::Int(number) => Some(*number),
            Operand::Var(_) | Operand::Bool(_) | Operand::Str(_) => None,
        }
    }
}

/// Arithmetic on integers. Guards: `check_int` of the same operation and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, truncated towards zero.
    Div,
    /// Remainder of the truncated quotient; it has the sign of the dividend.
    Mod,
}

impl IntOp {
    /// Returns the result: `Div` truncates towards zero, `left = Div · right + Mod`. `None` where
    /// the mathematical result is not a 64-bit number or not defined: a zero divisor, −2⁶³ `Div`
    /// −1. (−2⁶³ `Mod` −1 is 0.)
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            IntOp::Add => left.checked_add(right),
            IntOp::Sub => left.checked_sub(right),
            IntOp::Mul => left.checked_mul(right),
            IntOp::Div => left.checked_div(right),
            IntOp::Mod if right == -1 => Some(0),
            IntOp::Mod => left.checked_rem(right),
        }
    }
}

/// Comparison of integers, or of words of equal size as unsigned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Relation {
    /// Returns whether the relation holds for two values with this ordering.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Relation::Eq => ordering.is_eq(),
            Relation::Ne => ordering.is_ne(),
            Relation::Lt => ordering.is_lt(),
            Relation::Le => ordering.is_le(),
            Relation::Gt => ordering.is_gt(),
            Relation::Ge => ordering.is_ge(),
        }
    }
}

/// Logic on booleans or, bit by bit, on slices or words of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// Both.
    And,
    /// At least one.
    Or,
    /// Exactly one.
    Xor,
}

impl LogicOp {
    /// Applies the operation to two booleans.
    pub fn apply(self, left: bool, right: bool) -> bool {
        match self {
            LogicOp::And => left && right,
            LogicOp::Or => left || right,
            LogicOp::Xor => left != right,
        }
    }
}

/// Direction of a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards component 1 (to the left in a word).
    Up,
    /// Towards the last component (to the right in a word).
    Down,
}

/// The kind of extreme value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// The least number.
    Min,
    /// The greatest number.
    Max,
}

/// A query about the bits of a slice or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// SOME: is a bit 1?
    Any,
    /// ZERO: is no bit 1?
    None,
    /// ONE: are all bits 1? True for size 0.
    All,
    /// FND: the index of the first 1, or 0.
    First,
    /// NUMB: the number of ones.
    Count,
}

impl Query {
    /// Returns whether the answer is a boolean; otherwise it is an integer.
    pub fn is_test(self) -> bool {
        matches!(self, Query::Any | Query::None | Query::All)
    }
}

/// An operation. "Bits" is a slice or a word; components, rows and columns count from 1. The type
/// of the destination variable determines whether a result is a slice or a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The value itself; a copy of bits, a table or a handle.
    Copy(Operand),
    /// Integer arithmetic.
    Int(IntOp, Operand, Operand),
    /// Comparison of integers; yields a boolean.
    Compare(Relation, Operand, Operand),
    /// Negation of a boolean.
    Not(Operand),
    /// Logic on booleans, both operands evaluated.
    Logic(LogicOp, Operand, Operand),

    /// Bits of the given size, all zero or all one. Guard: the size is not negative.
    Fill(Operand, bool),
    /// Constant bits.
    Literal(BitVector),
    /// Every component negated.
    BitsNot(VarId),
    /// Logic component by component. Guard: equal sizes.
    BitsLogic(LogicOp, VarId, VarId),
    /// Equality of all components. Guard: equal sizes.
    BitsEqual(VarId, VarId),
    /// The integer 0 or 1: component `index`. Guard: the index is in 1 ..= length.
    Component(VarId, Operand),
    /// SOME, ZERO, ONE, FND or NUMB.
    Query(Query, VarId),
    /// CONVERT: the same bits as the other kind, slice or word.
    Convert(VarId),
    /// FRST as an expression: only the first one.
    KeepFirst(VarId),
    /// MASK: `size` components, with ones exactly in `from ..= to`. Guard: `range` of the same.
    Mask {
        /// Number of components.
        size: Operand,
        /// First one.
        from: Operand,
        /// Last one.
        to: Operand,
    },
    /// SHIFT: shifted by `by` places, filled with zeros. Guard: `by` is not negative.
    Shift(VarId, Direction, Operand),
    /// ROTATE: cyclic, down for a positive number, up for a negative one.
    Rotate(VarId, Operand),
    /// MIRROR: reversed.
    Mirror(VarId),
    /// SHUFFLE: perfect shuffle of the two halves: component 2i−1 is the i-th of the first half,
    /// component 2i the i-th of the second. Guard: an even size.
    Shuffle(VarId),
    /// Number of components, as an integer. Guard: `sized`.
    Length(VarId),

    /// TRIM: components `base + 1 ..= base + width` of a word. Guard: `range`.
    Trim {
        /// The word.
        word: VarId,
        /// Number of components to the left of the part.
        base: Operand,
        /// Number of components of the part.
        width: Operand,
    },
    /// Comparison of words as unsigned numbers. Guard: equal sizes.
    WordCompare(Relation, VarId, VarId),
    /// ADD: sum of words modulo 2 to their size. Guard: equal sizes.
    WordAdd(VarId, VarId),
    /// SUBT: difference of words modulo 2 to their size. Guard: equal sizes.
    WordSub(VarId, VarId),
    /// INT: a word as an unsigned number. Guard: `fits_int`.
    WordToInt(VarId),
    /// WORD: an integer as a word of `width` components. Guard: `fits`.
    IntToWord {
        /// The number.
        value: Operand,
        /// Number of components.
        width: Operand,
    },

    /// COL: a copy of a column, as a slice. Guard: the index is in 1 ..= columns.
    Column(VarId, Operand),
    /// ROW: a copy of a row, as a word. Guard: the index is in 1 ..= rows.
    Row(VarId, Operand),
    /// Bit (row, column) as the integer 0 or 1. Guards: both indices.
    Bit(VarId, Operand, Operand),
    /// Columns `base + 1 ..= base + width` as a table (TCOPY1). Guard: `range`.
    Field {
        /// The table.
        table: VarId,
        /// Number of columns to the left of the field.
        base: Operand,
        /// Number of columns of the field.
        width: Operand,
    },
    /// Number of rows, as an integer. Guard: the table has rows.
    Rows(VarId),
    /// Number of columns, as an integer.
    Columns(VarId),
    /// A table of zeros. Guards: sizes not negative.
    NewTable(Operand, Operand),
    /// MIN, MAX: the marked rows that contain the least or greatest number; none if no row is
    /// marked. Guard: the number of table rows equals the number of slice components.
    Extreme {
        /// The table of numbers.
        table: VarId,
        /// The rows to search.
        mask: VarId,
        /// Least or greatest.
        sense: Sense,
    },
    /// The table that a handle contains under this name. Guard: `handle_part`.
    HandlePart(VarId, HandlePart),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_integer_modulo_minus_one_is_zero() {
        assert_eq!(IntOp::Mod.apply(i64::MIN, -1), Some(0));
        assert_eq!(IntOp::Div.apply(i64::MIN, -1), None);
        assert_eq!(IntOp::Mod.apply(-7, 2), Some(-1));
        for op in [IntOp::Div, IntOp::Mod] {
            assert_eq!(op.apply(1, 0), None);
        }
    }
}
