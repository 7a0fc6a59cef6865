//! Spellings shared by the printer and the parser.

use crate::op::{Direction, IntOp, LogicOp, Query, Relation, Sense};
use crate::program::Mode;
use crate::stmt::ReductionOp;

/// An enumeration whose values are single words in the text form.
pub(crate) trait Mnemonic: Copy + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// The spelling.
    fn text(self) -> &'static str;

    /// Returns the value with this spelling.
    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.text() == text)
    }
}

macro_rules! mnemonics {
    ($($ty:ident { $($value:ident $text:literal)* })*) => {
        $(impl Mnemonic for $ty {
            const ALL: &'static [Self] = &[$($ty::$value),*];

            fn text(self) -> &'static str {
                match self { $($ty::$value => $text,)* }
            }
        })*
    };
}

mnemonics! {
    IntOp { Add "add" Sub "sub" Mul "mul" Div "div" Mod "mod" }
    Relation { Eq "eq" Ne "ne" Lt "lt" Le "le" Gt "gt" Ge "ge" }
    LogicOp { And "and" Or "or" Xor "xor" }
    Direction { Up "up" Down "down" }
    Sense { Min "min" Max "max" }
    Mode { Value "value" Ref "ref" }
    Query { Any "any" None "none" All "all" First "first" Count "count" }
    ReductionOp { Or "or" And "and" Xor "xor" Min "min" Max "max" Add "add" }
}

/// Returns whether `name` can be written without quotes.
pub(crate) fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_bare_char)
}

/// Returns whether `c` may occur in a name without quotes.
pub(crate) fn is_bare_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}
