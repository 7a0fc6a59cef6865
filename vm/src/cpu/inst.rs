//! The instructions of the register code.
//!
//! Those of inner loops stand for themselves; the others are grouped by what they work on, each group
//! with its interpreter: [`BitsInst`] in `bits`, [`TableInst`] in `tables`, [`SizeInst`] in `sizes`.

use star_ir::{Direction, IntOp, LogicOp, Relation, Sense, TileReductionOp};

use super::operand::{Number, Pc, Reg, RegRef, Size, Test};

/// An instruction. Indices count from 1, as in SIR; registers from 0.
///
/// Its tag is a byte of its own. If it were kept among the tags of what is inside, as it would be otherwise,
/// finding it made the smallest operations 1 to 5 ns slower (NUMB of 10,000 bits 18.7 ns, now 13.8).
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Inst {
    /// `dst` takes a number.
    Set {
        dst: Reg,
        value: Number,
    },
    Int {
        op: IntOp,
        dst: Reg,
        left: Number,
        right: Number,
    },
    Compare {
        relation: Relation,
        dst: Reg,
        left: Number,
        right: Number,
    },
    Not {
        dst: Reg,
        of: Number,
    },
    Logic {
        op: LogicOp,
        dst: Reg,
        left: Number,
        right: Number,
    },
    SizeOperand {
        dst: Reg,
        size: Size,
    },
    /// A text is copied; a constant one is number `literal` of the routine's prints.
    SetText {
        dst: Reg,
        text: u32,
    },
    CopyText {
        dst: Reg,
        src: Reg,
    },

    Literal {
        dst: Reg,
        literal: u32,
    },
    /// A function of the components of two slices or words; see Note [Truth tables] in `crate::tape::lut`.
    Lut2 {
        table: u8,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// The same for three.
    Lut3 {
        table: u8,
        dst: Reg,
        of: [Reg; 3],
    },
    Ask {
        ask: Ask,
        dst: Reg,
        of: Reg,
    },
    Step {
        dst: Reg,
        bits: Reg,
    },
    Column {
        dst: Reg,
        table: Reg,
        index: Number,
    },
    Row {
        dst: Reg,
        table: Reg,
        index: Number,
    },
    PutColumn {
        table: Reg,
        index: Number,
        value: Reg,
    },
    PutRow {
        table: Reg,
        index: Number,
        value: Reg,
    },
    Bits(BitsInst),
    Table(TableInst),
    Size(SizeInst),

    /// A guard, and the number of its check in the routine.
    Guard {
        test: Test,
        check: u32,
    },
    /// Counts elementary operations.
    Cost {
        units: u32,
    },
    /// The units are a constant, all 64 bits of it.
    CostTimes {
        units: Number,
        times: Size,
    },

    Jump(Pc),
    /// Goes on if the number is not 0, otherwise jumps.
    Unless {
        test: Number,
        to: Pc,
    },
    /// State of a `for` in the registers from `state` on: next value, last value, whether there is a next. The
    /// kernel with this number, if there is one, may run all turns.
    ForBegin {
        state: Reg,
        from: Number,
        to: Number,
        kernel: Option<u32>,
    },
    ForNext {
        state: Reg,
        var: Reg,
        down: bool,
        exit: Pc,
    },
    WhileTest {
        test: Number,
        exit: Pc,
    },
    /// State of a `foreach` in register `state`: components looked at.
    ForeachNext {
        state: Reg,
        var: Reg,
        over: Reg,
        exit: Pc,
    },
    ForallBegin(u32),
    ForallNext {
        forall: u32,
        exit: Pc,
    },
    TileBegin(u32),
    TileEnd(u32),
    /// The variable holds nothing any more.
    Unset(RegRef),
    Call(u32),
    Return,
    /// At the beginning of a routine: does all that it does and returns, or goes on (`intrinsics`).
    Intrinsic,
    Print(u32),
    Read(u32),
    Write(u32),
}

/// An instruction on slices and words.
#[derive(Clone, Copy, Debug)]
pub(super) enum BitsInst {
    Copy {
        dst: Reg,
        src: Reg,
    },
    Fill {
        dst: Reg,
        len: Number,
        bit: bool,
    },
    Not {
        dst: Reg,
        src: Reg,
    },
    KeepFirst {
        dst: Reg,
        src: Reg,
    },
    Mask {
        dst: Reg,
        size: Number,
        from: Number,
        to: Number,
    },
    Shift {
        dst: Reg,
        src: Reg,
        direction: Direction,
        by: Number,
    },
    Rotate {
        dst: Reg,
        src: Reg,
        by: Number,
    },
    Mirror {
        dst: Reg,
        src: Reg,
    },
    Shuffle {
        dst: Reg,
        src: Reg,
    },
    Trim {
        dst: Reg,
        word: Reg,
        base: Number,
        width: Number,
    },
    AddWords {
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    SubWords {
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    IntToWord {
        dst: Reg,
        value: Number,
        width: Number,
    },

    Equal {
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    CompareWords {
        relation: Relation,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    Component {
        dst: Reg,
        bits: Reg,
        index: Number,
    },
    /// Searches a function of two operands that is zero for zeros, which is not made.
    SearchLut {
        search: Search,
        table: u8,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// Counts the ones of such a function.
    CountLut {
        table: u8,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    WordToInt {
        dst: Reg,
        word: Reg,
    },

    Put {
        bits: Reg,
        index: Number,
        bit: Number,
    },
    Replace {
        word: Reg,
        base: Number,
        value: Reg,
    },
}

/// An instruction on tables.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableInst {
    Copy {
        dst: Reg,
        src: Reg,
    },
    Bit {
        dst: Reg,
        table: Reg,
        row: Number,
        column: Number,
    },
    Field {
        dst: Reg,
        table: Reg,
        base: Number,
        width: Number,
        /// May it be a view? See Note [Views].
        may_view: bool,
    },
    New {
        dst: Reg,
        rows: Number,
        columns: Number,
    },
    Extreme {
        dst: Reg,
        table: Reg,
        mask: Reg,
        sense: Sense,
        /// Does nobody look at more than the place of the first one?
        first: bool,
    },
    /// A table takes one that a handle holds; its name is a number.
    Part {
        dst: Reg,
        handle: Reg,
        part: u32,
    },
    CopyHandle {
        dst: Reg,
        src: Reg,
    },
    /// A handle takes a table.
    PutPart {
        handle: Reg,
        part: u32,
        value: Reg,
    },
    PutBit {
        table: Reg,
        row: Number,
        column: Number,
        bit: Number,
    },
    PutField {
        table: Reg,
        base: Number,
        value: Reg,
    },
}

/// An instruction that finds out or gives a size; see [`star_ir::SizeOp`].
#[derive(Clone, Copy, Debug)]
pub(super) enum SizeInst {
    Latch { dst: Reg, size: Size },
    SetRows { table: Reg, rows: Size },
    EnsureColumns { table: Reg, columns: Size },
    Init { table: Reg, rows: Number, columns: Number },
    Adapt { bits: Reg, size: Number },
    Fix { bits: Reg, size: Number },
}

impl Inst {
    /// Can something else than the next instruction follow?
    pub(super) fn jumps(mut self) -> bool {
        matches!(self, Inst::Return | Inst::Intrinsic) || self.target_mut().is_some()
    }

    /// Where it may jump to, once that is known.
    pub(super) fn target_mut(&mut self) -> Option<&mut Pc> {
        match self {
            Inst::Jump(target)
            | Inst::Unless { to: target, .. }
            | Inst::ForNext { exit: target, .. }
            | Inst::WhileTest { exit: target, .. }
            | Inst::ForeachNext { exit: target, .. }
            | Inst::ForallNext { exit: target, .. } => Some(target),
            Inst::Set { .. }
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Not { .. }
            | Inst::Logic { .. }
            | Inst::SizeOperand { .. }
            | Inst::SetText { .. }
            | Inst::CopyText { .. }
            | Inst::Literal { .. }
            | Inst::Lut2 { .. }
            | Inst::Lut3 { .. }
            | Inst::Ask { .. }
            | Inst::Step { .. }
            | Inst::Column { .. }
            | Inst::Row { .. }
            | Inst::PutColumn { .. }
            | Inst::PutRow { .. }
            | Inst::Bits(_)
            | Inst::Table(_)
            | Inst::Size(_)
            | Inst::Guard { .. }
            | Inst::Cost { .. }
            | Inst::CostTimes { .. }
            | Inst::ForBegin { .. }
            | Inst::ForallBegin(_)
            | Inst::TileBegin(_)
            | Inst::TileEnd(_)
            | Inst::Unset(_)
            | Inst::Call(_)
            | Inst::Return
            | Inst::Intrinsic
            | Inst::Print(_)
            | Inst::Read(_)
            | Inst::Write(_) => None,
        }
    }
}

/// What is asked about bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// What the place of the first one answers.
    Search(Search),
    /// Are all of them one?
    All,
    /// How many are one?
    Count,
}

/// What the place of the first one answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Is there one?
    Some,
    /// Is there none?
    None,
    /// Its index, 0 if there is none.
    First,
}

impl Search {
    /// The answer, for the place of the first one, from 0.
    #[inline]
    pub(super) fn answer(self, first: Option<usize>) -> i64 {
        match self {
            Search::Some => i64::from(first.is_some()),
            Search::None => i64::from(first.is_none()),
            Search::First => first.map_or(0, |idx| idx as i64 + 1),
        }
    }
}

impl From<TileReductionOp> for Ask {
    fn from(op: TileReductionOp) -> Ask {
        match op {
            TileReductionOp::Some => Ask::Search(Search::Some),
            TileReductionOp::All => Ask::All,
            TileReductionOp::None => Ask::Search(Search::None),
            TileReductionOp::First => Ask::Search(Search::First),
            TileReductionOp::Count => Ask::Count,
        }
    }
}
