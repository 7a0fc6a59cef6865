//! Kinds of values that operands are asked for.

use crate::program::Ty;

/// What is asked of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    Rowed,
    Logic,
    Handle,
}

impl Kind {
    pub(crate) fn takes(self, ty: Ty) -> bool {
        if self == Kind::Any {
            return true;
        }
        match ty {
            Ty::Int => matches!(self, Kind::Int | Kind::Shown),
            Ty::Bool => matches!(self, Kind::Bool | Kind::Shown | Kind::Logic),
            Ty::Str => matches!(self, Kind::Str | Kind::Shown),
            Ty::Slice(_) => matches!(
                self,
                Kind::Slice | Kind::Bits | Kind::Stored | Kind::Shown | Kind::Rowed | Kind::Logic
            ),
            Ty::Word(_) => {
                matches!(self, Kind::Word | Kind::Bits | Kind::Stored | Kind::Shown | Kind::Logic)
            }
            Ty::Table(..) => {
                matches!(self, Kind::Table | Kind::Stored | Kind::Shown | Kind::Rowed)
            }
            Ty::Handle => matches!(self, Kind::Handle),
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Kind::Any => "a value",
            Kind::Int => "an integer",
            Kind::Bool => "a truth value",
            Kind::Str => "a text",
            Kind::Slice => "a slice",
            Kind::Word => "a word",
            Kind::Bits => "a slice or word",
            Kind::Table => "a table",
            Kind::Stored => "a table, slice or word",
            Kind::Shown => "a value that can be shown",
            Kind::Rowed => "a slice or table",
            Kind::Logic => "a truth value, slice or word",
            Kind::Handle => "a handle",
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
