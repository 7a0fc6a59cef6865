//! The instructions of the register code.
//!
//! Those of inner loops are separate variants; the others are grouped by the kind of their
//! operands, each group with its interpreter: [`BitsInst`] in `bits`, [`TableInst`] in `tables`,
//! [`SizeInst`] in `sizes`.

use star_ir::{Direction, IntOp, LogicOp, Query, Relation, Sense};

use super::operand::{Number, Pc, Reg, RegRef, Size, Test};

/// An instruction. Indices count from 1, as in SIR; registers from 0.
///
/// Its tag is a separate byte. If it shared the niche of the inner tags, as by default, decoding it
/// would cost the smallest operations 1 to 5 ns.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Inst {
    /// Stores a number in `dst`.
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
    /// Copies a text; a constant is number `literal` of the texts printed by the routine.
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
    /// A function of the components of two slices or words; see Note [Truth tables] in
    /// `crate::tape::lut`.
    Lut2 {
        table: u8,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// A function of the components of three slices or words.
    Lut3 {
        table: u8,
        dst: Reg,
        of: [Reg; 3],
    },
    Query {
        query: Query,
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

    /// A guard, with the number of its check in the routine.
    Guard {
        test: Test,
        check: u32,
    },
    /// Counts elementary operations.
    Cost {
        units: u32,
    },
    /// Counts elementary operations, with all 64 bits of a constant as the units.
    CostTimes {
        units: Number,
        times: Size,
    },

    /// An iteration of an outermost loop begins; see `checkpoints`. It is not common if some ranks
    /// may run the loop as a kernel.
    SafePoint {
        common: bool,
    },
    Jump(Pc),
    /// Continues if the number is not 0, otherwise jumps.
    Unless {
        test: Number,
        to: Pc,
    },
    /// State of a `for` in the registers from `state` on: next value, last value, and whether there
    /// is a next value. The kernel with this number, if any, may run all iterations.
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
    /// State of a `foreach` in register `state`: the number of components visited.
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
    /// Unsets the variable.
    Unset(RegRef),
    Call(u32),
    Return,
    /// At the beginning of a routine: replaces the whole routine and returns, or continues with its
    /// body (`intrinsics`).
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
    /// A query, other than whether all are ones, about a function of two operands that maps zeros
    /// to zero, without storing it.
    QueryLut {
        query: Query,
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
        /// May the result be a view? See Note [Views].
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
        /// Is only the index of the first one used?
        first: bool,
    },
    /// Reads a table from a handle; its name is a number.
    Part {
        dst: Reg,
        handle: Reg,
        part: u32,
    },
    CopyHandle {
        dst: Reg,
        src: Reg,
    },
    /// Stores a table in a handle.
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
    /// The count of the ones of a column with this number in the routine; `column` is a slice that
    /// may hold the column, and is also the mask if there is none.
    CountColumn {
        count: u32,
        table: Reg,
        column: Reg,
        mask: Reg,
    },
}

/// An instruction that computes or assigns a size; see [`star_ir::SizeOp`].
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
    /// Can an instruction other than the next one follow?
    pub(super) fn jumps(mut self) -> bool {
        matches!(self, Inst::Return | Inst::Intrinsic) || self.target_mut().is_some()
    }

    /// Returns the jump target, if any, to be patched once it is known.
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
            | Inst::Query { .. }
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
            | Inst::SafePoint { .. }
            | Inst::ForBegin { .. }
            | Inst::ForallBegin(_)
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
