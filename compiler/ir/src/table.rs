//! The table of operations and guards: their spelling, their operands, the kind of their result.
//!
//! The text form (`print`, `parse`), [`crate::visit`], the mapping of names and the kinds required
//! by the verifier all use it. A row has the form
//!
//! ```text
//! "word" + mnemonic field => Variant { field: name Role, … } -> Gives;
//! ```
//!
//! with fields in the order of the text. A field of a tuple variant is named by its number.

use star_value::BitVector;

use crate::check::{Check, SizeOperand};
use crate::kind::OperandKind;
use crate::mnemonic::Mnemonic;
use crate::op::{Direction, IntOp, LogicOp, Op, Operand, Query, Relation, Sense};
use crate::parse::{Parsed, Parser};
use crate::program::{HandlePart, VarId};
use crate::rewrite::map::{Mapper, size_operand};

/// An operand as described in the table.
#[derive(Clone, Copy)]
pub(crate) enum Field<'a> {
    /// A variable whose value is read.
    Read(VarId, OperandKind),
    /// A variable whose value is read, of the same kind as the first variable.
    Alike(VarId),
    /// A variable of which only the size is read, or whether it is set.
    Measured(VarId, OperandKind),
    /// A scalar.
    Scalar(&'a Operand, OperandKind),
    /// A size.
    Size(&'a SizeOperand),
    /// A boolean that is part of the operation.
    Flag(bool),
    /// Constant bits.
    Constant(&'a BitVector),
    /// The name of a table in a handle.
    Part(&'a HandlePart),
    /// A mnemonic as a separate word.
    Word(&'static str),
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// This kind.
    Is(OperandKind),
    /// An integer that is not negative.
    Natural,
    /// The integer 0 or 1.
    Bit,
    /// The kind of the first variable.
    Alike,
    /// A word of a slice, a slice of a word.
    OtherBits,
    /// The kind of the copied value.
    Copied,
}

/// The content of a field and its conversion to and from text.
trait Role<T> {
    fn show<'a>(self, value: &'a T, f: &mut impl FnMut(Field<'a>));
    /// Parses the field; `started` says whether a comma must precede it.
    fn read(self, parser: &mut Parser<'_>, started: &mut bool) -> Parsed<T>;
    /// Maps the names in the field; by default there are none.
    fn map(self, _: &mut T, _: &mut impl Mapper)
    where
        Self: Sized,
    {
    }
}

/// `,` between fields.
fn separate(parser: &mut Parser<'_>, started: &mut bool) -> Parsed<()> {
    if std::mem::replace(started, true) { parser.comma() } else { Ok(()) }
}

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $(($arg:ty))? => $ty:ty:
       |$this:ident, $value:ident| $show:expr, |$parser:ident| $read:expr
       $(, |$mapped:ident, $mapper:ident| $map:expr)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            struct $role $(($arg))?;

            impl Role<$ty> for $role {
                fn show<'a>(self, $value: &'a $ty, f: &mut impl FnMut(Field<'a>)) {
                    let $this = self;
                    f($show)
                }

                fn read(self, $parser: &mut Parser<'_>, started: &mut bool) -> Parsed<$ty> {
                    separate($parser, started)?;
                    $read
                }

                $(fn map(self, $mapped: &mut $ty, $mapper: &mut impl Mapper) {
                    $map
                })?
            }
        )*
    };
}

roles! {
    /// [`Field::Read`].
    Read(OperandKind) => VarId:
        |this, value| Field::Read(*value, this.0), |parser| parser.var(), |value, m| m.read(value);
    /// [`Field::Alike`].
    Alike => VarId:
        |_this, value| Field::Alike(*value), |parser| parser.var(), |value, m| m.read(value);
    /// [`Field::Measured`].
    Measured(OperandKind) => VarId:
        |this, value| Field::Measured(*value, this.0), |parser| parser.var(),
        |value, m| m.size(value);
    /// [`Field::Scalar`].
    Scalar(OperandKind) => Operand:
        |this, value| Field::Scalar(value, this.0), |parser| parser.operand(),
        |value, m| m.operand(value);
    /// [`Field::Size`].
    Size => SizeOperand:
        |_this, value| Field::Size(value), |parser| parser.measure(),
        |value, m| size_operand(value, m);
    /// [`Field::Flag`].
    Flag => bool: |_this, value| Field::Flag(*value), |parser| parser.flag();
    /// [`Field::Part`].
    Part => HandlePart: |_this, value| Field::Part(value), |parser| parser.part_name();
    /// [`Field::Constant`].
    Constant => BitVector: |_this, value| Field::Constant(value), |parser| parser.constant();
}

/// [`Field::Word`] with its description in messages.
#[derive(Clone, Copy)]
struct Word(&'static str);

impl<M: Mnemonic> Role<M> for Word {
    fn show<'a>(self, value: &'a M, f: &mut impl FnMut(Field<'a>)) {
        f(Field::Word(value.text()));
    }

    fn read(self, parser: &mut Parser<'_>, _started: &mut bool) -> Parsed<M> {
        parser.mnemonic(self.0)
    }
}

/// The mnemonic part of a word; empty if a row has none.
macro_rules! suffix {
    (text) => {
        ""
    };
    (text $name:ident) => {
        $name.text()
    };
    (find $rest:ident) => {
        $rest.is_empty().then_some(())
    };
    (find $rest:ident $Mnemonic:ident) => {
        $Mnemonic::from_text($rest)
    };
}

macro_rules! rows {
    ($ty:ident $($word:literal $(+ $mfield:tt : $mname:ident $Mnemonic:ident)? => $variant:ident {
        $($field:tt : $name:ident $role:expr),*
    };)*) => {
        impl $ty {
            /// Returns the word of the text form, in two pieces.
            pub(crate) fn word(&self) -> [&'static str; 2] {
                match self {
                    $($ty::$variant { $($mfield: $mname,)? .. } => {
                        [$word, suffix!(text $($mname)?)]
                    })*
                }
            }

            /// Calls `f` for every operand, in the order of the text.
            pub(crate) fn fields<'a>(&'a self, f: &mut impl FnMut(Field<'a>)) {
                match self {
                    $($ty::$variant { $($mfield: _,)? $($field: $name),* } => {
                        $($role.show($name, f);)*
                    })*
                }
            }

            /// Maps every operand; an operation or guard only reads and measures.
            pub fn map(&mut self, mapper: &mut impl Mapper) {
                match self {
                    $($ty::$variant { $($mfield: _,)? $($field: $name),* } => {
                        $($role.map($name, mapper);)*
                    })*
                }
            }

            /// Parses the operands after `word`; `None` if there is no such word.
            #[inline(never)]
            pub(crate) fn read(word: &str, parser: &mut Parser<'_>) -> Parsed<Option<Self>> {
                $(
                    if let Some(rest) = word.strip_prefix($word)
                        && let Some(_suffix) = suffix!(find rest $($Mnemonic)?)
                    {
                        $(let $mname = _suffix;)?
                        let mut started = false;
                        $(let $name = $role.read(parser, &mut started)?;)*
                        return Ok(Some($ty::$variant { $($mfield: $mname,)? $($field: $name),* }));
                    }
                )*
                Ok(None)
            }
        }
    };
}

macro_rules! operations {
    ($($word:literal $(+ $mfield:tt : $mname:ident $Mnemonic:ident)? => $variant:ident {
        $($field:tt : $name:ident $role:expr),*
    } -> $gives:expr;)*) => {
        rows! {
            Op $($word $(+ $mfield: $mname $Mnemonic)? => $variant { $($field: $name $role),* };)*
        }

        impl Op {
            /// Returns the kind of the result.
            pub(crate) fn gives(&self) -> Gives {
                match self {
                    $(Op::$variant { $($mfield: $mname,)? .. } => {
                        $(let _ = $mname;)?
                        $gives
                    })*
                }
            }
        }
    };
}

const ANY: Scalar = Scalar(OperandKind::Any);
const INT: Scalar = Scalar(OperandKind::Int);
const BOOL: Scalar = Scalar(OperandKind::Bool);
const TEXT: Scalar = Scalar(OperandKind::Str);
const BITS: Read = Read(OperandKind::Bits);
const WORD: Read = Read(OperandKind::Word);
const SLICE: Read = Read(OperandKind::Slice);
const TABLE: Read = Read(OperandKind::Table);
const HANDLE: Read = Read(OperandKind::Handle);

use Gives::{Alike as LikeFirst, Bit, Copied, Is, Natural, OtherBits};

/// Returns the kind of the answer to a query.
fn answer(query: Query) -> Gives {
    if query.is_test() { Is(OperandKind::Bool) } else { Natural }
}

operations! {
    "copy" => Copy { 0: value ANY } -> Copied;
    "" + 0: op IntOp => Int { 1: left INT, 2: right INT } -> Is(OperandKind::Int);
    "" + 0: op Relation => Compare { 1: left INT, 2: right INT } -> Is(OperandKind::Bool);
    "not" => Not { 0: value BOOL } -> Is(OperandKind::Bool);
    "" + 0: op LogicOp => Logic { 1: left BOOL, 2: right BOOL } -> Is(OperandKind::Bool);
    "fill" => Fill { 0: size INT, 1: ones Flag } -> Is(OperandKind::Bits);
    "literal" => Literal { 0: bits Constant } -> Is(OperandKind::Bits);
    "bits_not" => BitsNot { 0: bits BITS } -> LikeFirst;
    "bits_" + 0: op LogicOp => BitsLogic { 1: left BITS, 2: right Alike } -> LikeFirst;
    "bits_equal" => BitsEqual { 0: left BITS, 1: right Alike } -> Is(OperandKind::Bool);
    "component" => Component { 0: bits BITS, 1: index INT } -> Bit;
    "" + 0: query Query => Query { 1: bits BITS } -> answer(*query);
    "convert" => Convert { 0: bits BITS } -> OtherBits;
    "keep_first" => KeepFirst { 0: bits BITS } -> LikeFirst;
    "mask" => Mask { size: size INT, from: from INT, to: to INT } -> Is(OperandKind::Bits);
    "shift_" + 1: direction Direction => Shift { 0: bits BITS, 2: by INT } -> LikeFirst;
    "rotate" => Rotate { 0: bits BITS, 1: by INT } -> LikeFirst;
    "mirror" => Mirror { 0: bits BITS } -> LikeFirst;
    "shuffle" => Shuffle { 0: bits BITS } -> LikeFirst;
    "length" => Length { 0: bits Measured(OperandKind::Bits) } -> Natural;
    "trim" => Trim { word: word WORD, base: base INT, width: width INT } -> Is(OperandKind::Word);
    "word_" + 0: op Relation => WordCompare { 1: left WORD, 2: right WORD } -> Is(OperandKind::Bool);
    "word_add" => WordAdd { 0: left WORD, 1: right WORD } -> Is(OperandKind::Word);
    "word_sub" => WordSub { 0: left WORD, 1: right WORD } -> Is(OperandKind::Word);
    "word_to_int" => WordToInt { 0: word WORD } -> Natural;
    "int_to_word" => IntToWord { value: value INT, width: width INT } -> Is(OperandKind::Word);
    "column" => Column { 0: table TABLE, 1: index INT } -> Is(OperandKind::Slice);
    "row" => Row { 0: table TABLE, 1: index INT } -> Is(OperandKind::Word);
    "bit" => Bit { 0: table TABLE, 1: row INT, 2: column INT } -> Bit;
    "field" => Field { table: table TABLE, base: base INT, width: width INT } -> Is(OperandKind::Table);
    "rows" => Rows { 0: table TABLE } -> Natural;
    "columns" => Columns { 0: table Measured(OperandKind::Table) } -> Natural;
    "new_table" => NewTable { 0: rows INT, 1: columns INT } -> Is(OperandKind::Table);
    "handle_part" => HandlePart { 0: handle HANDLE, 1: part Part } -> Is(OperandKind::Table);
    "extreme_" + sense: sense Sense => Extreme { table: table TABLE, mask: mask SLICE } -> Is(OperandKind::Slice);
}

rows! { Check
    "set" => Set { 0: var Measured(OperandKind::Any) };
    "sized" => Sized { 0: var Measured(OperandKind::Stored) };
    "handle_part" => HandlePart { 0: handle Measured(OperandKind::Handle), 1: part Part };
    "result" => Result { 0: var Measured(OperandKind::Any) };
    "index" => Index { 0: index INT, 1: limit Size };
    "new_column" => NewColumn { 0: table Measured(OperandKind::Table), 1: index INT };
    "size" => Size { 0: left Size, 1: right Size };
    "range" => Range { base: base INT, width: width INT, limit: limit Size };
    "" + 0: op IntOp => Int { 1: left INT, 2: right INT };
    "bit" => Bit { 0: value INT };
    "not_negative" => NotNegative { 0: value INT };
    "fits" => Fits { value: value INT, width: width INT };
    "fits_row" => FitsRow { row: row INT, width: width INT };
    "fits_int" => FitsInt { 0: word WORD };
    "even" => Even { 0: bits BITS };
    "no_carry" => NoCarry { 0: op Word("`add` or `sub`"), 1: left WORD, 2: right WORD };
    "assert" => Assert { 0: test BOOL, 1: message TEXT };
}
