//! Classification of instructions by their effects, for the recorder, the peephole optimiser and
//! the kernels over lines.

use star_ir::{Query, Sense};

use super::inst::{BitsInst, Inst, SizeInst, TableInst};
use super::operand::{Number, Reg, RegRef, Test};
use super::table::form::Line;
use crate::tape::Lut;

/// Effect of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Class {
    /// Each component of a slice or word is a function of the same component of other slices or
    /// words.
    Bitwise(Bitwise),
    /// All components are set to one value.
    Fill { dst: Reg, len: Number, bit: bool },
    /// A row or column is loaded.
    Load { dst: Reg, table: Reg, line: Line, index: Number },
    /// A row or column is stored.
    Store { table: Reg, line: Line, index: Number, value: Reg },
    /// A query about a function of slices or words. The function has no destination.
    Query { dst: Reg, query: Query, of: Bitwise },
    /// A guard.
    Guard(Test),
    /// Operations are counted.
    Cost,
    /// Numbers, texts, sizes and jumps; no component is read or written.
    Scalar,
    /// Other work on slices, words and tables.
    Other(Effects),
    /// Routines, loops, kernels and the host: instructions that change the meaning of registers or
    /// read all of them.
    Control,
}

/// A function of up to three slices or words of one length; `dst` is unused in a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitwise {
    pub(super) dst: Reg,
    pub(super) table: u8,
    of: [Reg; 3],
    n: u8,
}

impl Bitwise {
    fn new<const N: usize>(dst: Reg, table: u8, of: [Reg; N]) -> Self {
        let mut all = [0; 3];
        all[..N].copy_from_slice(&of);
        Bitwise { dst, table, of: all, n: N as u8 }
    }

    pub(super) fn copy(dst: Reg, src: Reg) -> Self {
        Bitwise::new(dst, COPY, [src])
    }

    pub(super) fn of(&self) -> &[Reg] {
        &self.of[..usize::from(self.n)]
    }

    pub(super) fn lut(&self) -> Lut<Reg> {
        Lut::new(self.table, self.of())
    }

    /// Returns the instruction that sets `dst` to this function; `None` for a constant, which has
    /// no length.
    pub(super) fn inst(dst: Reg, lut: &Lut<Reg>) -> Option<Inst> {
        Some(match (lut.inputs(), lut.table()) {
            ([], _) => return None,
            ([src], 0b10) => Inst::Bits(BitsInst::Copy { dst, src: *src }),
            ([src], _) => Inst::Bits(BitsInst::Not { dst, src: *src }),
            ([left, right], table) => Inst::Lut2 { table, dst, left: *left, right: *right },
            ([a, b, c, ..], table) => Inst::Lut3 { table, dst, of: [*a, *b, *c] },
        })
    }
}

/// Registers that other work reads and writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: [Option<Reg>; 2],
    pub(super) writes: Option<Reg>,
    pub(super) reads_table: Option<Reg>,
    pub(super) writes_table: Option<Reg>,
}

impl Effects {
    fn bits<const N: usize>(dst: Option<Reg>, reads: [Reg; N]) -> Class {
        Class::Other(Effects { reads: pair(reads), writes: dst, ..Effects::default() })
    }

    fn tables(writes: Option<Reg>, reads: Option<Reg>) -> Class {
        Class::Other(Effects { writes_table: writes, reads_table: reads, ..Effects::default() })
    }
}

fn pair<const N: usize>(regs: [Reg; N]) -> [Option<Reg>; 2] {
    let mut regs = regs.into_iter();
    [regs.next(), regs.next()]
}

const COPY: u8 = 0b10;
const NOT: u8 = 0b01;

impl Inst {
    /// Returns the effect of the instruction.
    pub(super) fn class(self) -> Class {
        match self {
            Inst::Lut2 { table, dst, left, right } => {
                Class::Bitwise(Bitwise::new(dst, table, [left, right]))
            }
            Inst::Lut3 { table, dst, of } => Class::Bitwise(Bitwise::new(dst, table, of)),
            Inst::Query { query, dst, of } => {
                Class::Query { dst, query, of: Bitwise::new(0, COPY, [of]) }
            }
            Inst::Column { dst, table, index } => {
                Class::Load { dst, table, line: Line::Column, index }
            }
            Inst::Row { dst, table, index } => Class::Load { dst, table, line: Line::Row, index },
            Inst::PutColumn { table, index, value } => {
                Class::Store { table, line: Line::Column, index, value }
            }
            Inst::PutRow { table, index, value } => {
                Class::Store { table, line: Line::Row, index, value }
            }
            Inst::Guard { test, .. } => Class::Guard(test),
            Inst::Cost { .. } | Inst::CostTimes { .. } => Class::Cost,
            Inst::Bits(inst) => inst.class(),
            Inst::Table(inst) => inst.class(),
            Inst::Size(inst) => inst.class(),
            Inst::Literal { dst, .. } => Effects::bits(Some(dst), []),
            Inst::Step { bits, .. } => Effects::bits(Some(bits), [bits]),
            Inst::ForeachNext { over, .. } => Effects::bits(None, [over]),
            Inst::Unset(RegRef::Slice(reg) | RegRef::Word(reg)) => Effects::bits(Some(reg), []),
            Inst::Unset(RegRef::Table(reg) | RegRef::Handle(reg)) => {
                Effects::tables(Some(reg), None)
            }
            Inst::Unset(RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_))
            | Inst::Set { .. }
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Not { .. }
            | Inst::Logic { .. }
            | Inst::SizeOperand { .. }
            | Inst::SetText { .. }
            | Inst::CopyText { .. }
            | Inst::SafePoint { .. }
            | Inst::Jump(_)
            | Inst::Unless { .. }
            | Inst::ForBegin { .. }
            | Inst::ForNext { .. }
            | Inst::WhileTest { .. } => Class::Scalar,
            Inst::ForallBegin(_)
            | Inst::ForallNext { .. }
            | Inst::Call(_)
            | Inst::Return
            | Inst::Intrinsic
            | Inst::Print(_)
            | Inst::Read(_)
            | Inst::Write(_) => Class::Control,
        }
    }
}

impl BitsInst {
    fn class(self) -> Class {
        match self {
            BitsInst::Copy { dst, src } => Class::Bitwise(Bitwise::new(dst, COPY, [src])),
            BitsInst::Not { dst, src } => Class::Bitwise(Bitwise::new(dst, NOT, [src])),
            BitsInst::Fill { dst, len, bit } => Class::Fill { dst, len, bit },
            BitsInst::QueryLut { query, table, dst, left, right } => {
                Class::Query { dst, query, of: Bitwise::new(0, table, [left, right]) }
            }
            BitsInst::Mask { dst, .. } | BitsInst::IntToWord { dst, .. } => {
                Effects::bits(Some(dst), [])
            }
            BitsInst::KeepFirst { dst, src }
            | BitsInst::Shift { dst, src, .. }
            | BitsInst::Rotate { dst, src, .. }
            | BitsInst::Mirror { dst, src }
            | BitsInst::Shuffle { dst, src }
            | BitsInst::Trim { dst, word: src, .. } => Effects::bits(Some(dst), [src]),
            BitsInst::AddWords { dst, left, right } | BitsInst::SubWords { dst, left, right } => {
                Effects::bits(Some(dst), [left, right])
            }
            BitsInst::Put { bits, .. } => Effects::bits(Some(bits), [bits]),
            BitsInst::Replace { word, value, .. } => Effects::bits(Some(word), [word, value]),
            BitsInst::Equal { left, right, .. } | BitsInst::CompareWords { left, right, .. } => {
                Effects::bits(None, [left, right])
            }
            BitsInst::Component { bits, .. } | BitsInst::WordToInt { word: bits, .. } => {
                Effects::bits(None, [bits])
            }
        }
    }
}

impl TableInst {
    fn class(self) -> Class {
        match self {
            TableInst::Copy { dst, src } => Effects::tables(Some(dst), Some(src)),
            TableInst::Part { dst, .. } => Effects::tables(Some(dst), None),
            TableInst::PutPart { value, .. } => Effects::tables(None, Some(value)),
            TableInst::CopyHandle { .. } => Class::Scalar,
            TableInst::Field { dst, table, .. } => Effects::tables(Some(dst), Some(table)),
            TableInst::Bit { table, .. } => Effects::tables(None, Some(table)),
            TableInst::New { dst, .. } => Effects::tables(Some(dst), None),
            TableInst::PutBit { table, .. } => Effects::tables(Some(table), None),
            TableInst::PutField { table, value, .. } => Effects::tables(Some(table), Some(value)),
            TableInst::CountColumn { count: _, table, column, mask } => Class::Other(Effects {
                reads: [Some(mask), None],
                writes: Some(column),
                reads_table: Some(table),
                writes_table: None,
            }),
            TableInst::Extreme { dst, table, mask, sense: Sense::Min | Sense::Max, first: _ } => {
                Class::Other(Effects {
                    reads: [Some(mask), None],
                    writes: Some(dst),
                    reads_table: Some(table),
                    writes_table: None,
                })
            }
        }
    }
}

impl SizeInst {
    fn class(self) -> Class {
        match self {
            // A growing table keeps its columns.
            SizeInst::Latch { .. }
            | SizeInst::SetRows { .. }
            | SizeInst::EnsureColumns { .. }
            | SizeInst::Init { .. } => Class::Scalar,
            SizeInst::Adapt { bits, .. } | SizeInst::Fix { bits, .. } => {
                Effects::bits(Some(bits), [])
            }
        }
    }
}

impl Class {
    /// May a tape record it?
    pub(super) fn may_be_recorded(&self) -> bool {
        match self {
            Class::Bitwise(_)
            | Class::Fill { .. }
            | Class::Load { line: Line::Column, .. }
            | Class::Store { line: Line::Column, .. } => true,
            Class::Load { line: Line::Row, .. }
            | Class::Store { line: Line::Row, .. }
            | Class::Query { .. }
            | Class::Guard(_)
            | Class::Cost
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => false,
        }
    }

    /// Returns the bits register that is written.
    pub(super) fn writes(&self) -> Option<Reg> {
        match self {
            Class::Bitwise(Bitwise { dst, .. })
            | Class::Fill { dst, .. }
            | Class::Load { dst, .. } => Some(*dst),
            Class::Other(effects) => effects.writes,
            Class::Store { .. }
            | Class::Query { .. }
            | Class::Guard(_)
            | Class::Cost
            | Class::Scalar
            | Class::Control => None,
        }
    }
}

impl Test {
    /// Returns the registers whose components are read.
    pub(super) fn looks_at(&self) -> [Option<Reg>; 2] {
        match *self {
            Test::FitsInt(word) => [Some(word), None],
            Test::NoCarry(_, left, right) => [Some(left), Some(right)],
            Test::NumberSet(_)
            | Test::BitsSet(_)
            | Test::TableSet(_)
            | Test::TextSet(_)
            | Test::HandleSet(_)
            | Test::HandlePart(..)
            | Test::BitsSized(_)
            | Test::Index(..)
            | Test::NewColumn(..)
            | Test::Size(..)
            | Test::Range { .. }
            | Test::Int(..)
            | Test::Bit(_)
            | Test::NotNegative(_)
            | Test::Fits { .. }
            | Test::FitsRow { .. }
            | Test::Even(_)
            | Test::Holds(_) => [None, None],
        }
    }
}
