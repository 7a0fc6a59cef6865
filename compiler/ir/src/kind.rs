//! Expected kinds of operands.

use crate::program::Ty;

/// The expected kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandKind {
    Any,
    Int,
    Bool,
    Str,
    Slice,
    Word,
    Bits,
    Table,
    Stored,
    Shown,
    Logic,
    Handle,
}

impl OperandKind {
    pub(crate) fn takes(self, ty: Ty) -> bool {
        if self == OperandKind::Any {
            return true;
        }
        match ty {
            Ty::Int => matches!(self, OperandKind::Int | OperandKind::Shown),
            Ty::Bool => matches!(self, OperandKind::Bool | OperandKind::Shown | OperandKind::Logic),
            Ty::Str => matches!(self, OperandKind::Str | OperandKind::Shown),
            Ty::Slice(_) => matches!(
                self,
                OperandKind::Slice
                    | OperandKind::Bits
                    | OperandKind::Stored
                    | OperandKind::Shown
                    | OperandKind::Logic
            ),
            Ty::Word(_) => {
                matches!(
                    self,
                    OperandKind::Word
                        | OperandKind::Bits
                        | OperandKind::Stored
                        | OperandKind::Shown
                        | OperandKind::Logic
                )
            }
            Ty::Table(..) => {
                matches!(self, OperandKind::Table | OperandKind::Stored | OperandKind::Shown)
            }
            Ty::Handle => matches!(self, OperandKind::Handle),
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            OperandKind::Any => "a value",
            OperandKind::Int => "an integer",
            OperandKind::Bool => "a truth value",
            OperandKind::Str => "a text",
            OperandKind::Slice => "a slice",
            OperandKind::Word => "a word",
            OperandKind::Bits => "a slice or word",
            OperandKind::Table => "a table",
            OperandKind::Stored => "a table, slice or word",
            OperandKind::Shown => "a printable value",
            OperandKind::Logic => "a truth value, slice or word",
            OperandKind::Handle => "a handle",
        }
    }
}

pub(crate) fn type_text(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "an integer",
        Ty::Bool => "a truth value",
        Ty::Str => "a text",
        Ty::Slice(_) => "a slice",
        Ty::Word(_) => "a word",
        Ty::Table(..) => "a table",
        Ty::Handle => "a handle",
    }
}
