//! The register code: what SIR becomes on this backend.
//!
//! A routine is a list of instructions with jumps. Its variables live in three files of registers, by
//! kind: numbers (integers and truth values, 0 and 1), bits (slices and words), tables; texts have a
//! fourth one. Loops keep their own state in numbers that no variable has.

use std::sync::Arc;

use super::block::BlockCode;

use star_base::{BitVector, Native};
use star_ir::{
    Check, Direction, IntOp, LocId, LogicOp, Mode, Operand, Program, ReductionOp, Relation,
    RoutineId, Sense, TileReductionOp, Ty, VarId,
};

/// Number of a register in its file, counted from the first one of the routine.
pub(super) type Reg = u32;

/// Number of an instruction in its routine.
pub(super) type Pc = u32;

/// A compiled program.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) program: Program,
    pub(super) routines: Vec<RoutineCode>,
}

/// A compiled routine.
#[derive(Debug)]
pub(super) struct RoutineCode {
    pub(super) id: RoutineId,
    pub(super) insts: Vec<Inst>,
    /// The place of every instruction.
    pub(super) locs: Vec<LocId>,
    /// Where each variable lives.
    pub(super) places: Vec<Place>,
    /// How many registers of each kind it has.
    pub(super) size: FrameSize,
    /// Bits registers of variables that keep their size; tables that do not grow.
    pub(super) sized: Vec<Place>,
    pub(super) params: Vec<(Place, Mode)>,
    pub(super) result: Option<Place>,
    /// The checks of SIR that its guards stand for: the words of a trap are found with them.
    pub(super) checks: Vec<Check>,
    /// Registers of constants, and what they hold.
    pub(super) constants: Vec<(Reg, i64)>,
    pub(super) calls: Vec<Call>,
    pub(super) literals: Vec<BitVector>,
    pub(super) prints: Vec<Vec<Operand>>,
    pub(super) files: Vec<FileUse>,
    pub(super) foralls: Vec<Forall>,
    /// Loops and tile kernels, for people.
    pub(super) summary: Summary,
}

/// How many registers of each kind a routine has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameSize {
    pub(super) numbers: u32,
    pub(super) bits: u32,
    pub(super) tables: u32,
    pub(super) texts: u32,
}

/// What a routine consists of, for `explain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) loops: usize,
    pub(super) foralls: usize,
    pub(super) tiles: usize,
    pub(super) fused: usize,
    pub(super) blocks: usize,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Int(Reg),
    Bool(Reg),
    Slice(Reg),
    Word(Reg),
    Table(Reg),
    Text(Reg),
    /// Among the tables.
    Handle(Reg),
}

/// A number: what its register holds. Constants have registers too, which are filled when the routine
/// begins, so that no instruction asks whether an operand is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(pub(super) Reg);

/// A size that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Value(Number),
    Length(Reg),
    Rows(Reg),
    Columns(Reg),
}

/// What a guard tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    NumberSet(Reg),
    BitsSet(Reg),
    TableSet(Reg),
    TextSet(Reg),
    BitsSized(Reg),
    Index(Number, Size),
    NewColumn(Reg, Number),
    Size(Size, Size),
    Range { base: Number, width: Number, limit: Size },
    Int(IntOp, Number, Number),
    Bit(Number),
    NotNegative(Number),
    Fits { value: Number, width: Number },
    FitsInt(Reg),
    Even(Reg),
    NoCarry(IntOp, Reg, Reg),
    Holds(Number),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: RoutineId,
    /// Argument and parameter.
    pub(super) args: Vec<(CallArg, Place)>,
    pub(super) dst: Option<Place>,
    /// Variables passed by reference whose extents say a size: looked at afterwards.
    pub(super) extents: Vec<(VarId, Place, Ty)>,
}

/// An argument.
#[derive(Clone, Debug)]
pub(super) enum CallArg {
    Number(Number),
    Text(Arc<str>),
    Copy(Place),
    Move(Place),
    Ref(Place),
}

/// A file that is read or written.
#[derive(Clone, Debug)]
pub(super) struct FileUse {
    pub(super) var: Place,
    pub(super) ty: Ty,
    pub(super) file: Operand,
    pub(super) layout: Option<Operand>,
}

/// A `forall`.
#[derive(Clone, Debug)]
pub(super) struct Forall {
    pub(super) var: Reg,
    pub(super) range: Range,
    pub(super) privates: Vec<Place>,
    pub(super) reductions: Vec<(Place, ReductionOp)>,
    /// The body for blocks of lines, if it is one.
    pub(super) block: Option<BlockCode>,
}

/// Where the iterations of a `forall` come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Numbers(Number, Number),
    Ones(Reg),
}

/// What is asked about bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Some,
    All,
    None,
    First,
    Count,
}

impl From<TileReductionOp> for Ask {
    fn from(op: TileReductionOp) -> Ask {
        match op {
            TileReductionOp::Some => Ask::Some,
            TileReductionOp::All => Ask::All,
            TileReductionOp::None => Ask::None,
            TileReductionOp::First => Ask::First,
            TileReductionOp::Count => Ask::Count,
        }
    }
}

/// An instruction. Indices count from 1, as in SIR; registers from 0.
#[derive(Clone, Copy, Debug)]
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
    /// A text is copied; a constant one is number `literal` of the routine's prints.
    SetText {
        dst: Reg,
        text: u32,
    },
    CopyText {
        dst: Reg,
        src: Reg,
    },

    CopyBits {
        dst: Reg,
        src: Reg,
    },
    Fill {
        dst: Reg,
        len: Number,
        bit: bool,
    },
    Literal {
        dst: Reg,
        literal: u32,
    },
    NotBits {
        dst: Reg,
        src: Reg,
    },
    LogicBits {
        op: LogicOp,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    /// `(a inner b) outer c`, in one loop.
    LogicLogic {
        inner: LogicOp,
        outer: LogicOp,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// A function of two bits, by its truth table; see Note [Truth tables] in `fuse`.
    Logic2 {
        table: u8,
        dst: Reg,
        left: Reg,
        right: Reg,
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

    EqualBits {
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    Component {
        dst: Reg,
        bits: Reg,
        index: Number,
    },
    Ask {
        ask: Ask,
        dst: Reg,
        of: Reg,
    },
    /// The same about `left op right`, which is not made.
    AskLogic {
        ask: Ask,
        op: LogicOp,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    Measure {
        dst: Reg,
        size: Size,
    },
    CompareWords {
        relation: Relation,
        dst: Reg,
        left: Reg,
        right: Reg,
    },
    WordToInt {
        dst: Reg,
        word: Reg,
    },

    /// A table takes what the library keeps in a handle.
    Open {
        dst: Reg,
        handle: Reg,
    },
    CopyTable {
        dst: Reg,
        src: Reg,
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
    TableBit {
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
    },
    NewTable {
        dst: Reg,
        rows: Number,
        columns: Number,
    },
    Extreme {
        dst: Reg,
        table: Reg,
        mask: Reg,
        sense: Sense,
    },

    Step {
        dst: Reg,
        bits: Reg,
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

    Latch {
        dst: Reg,
        size: Size,
    },
    SetRows {
        table: Reg,
        rows: Size,
    },
    EnsureColumns {
        table: Reg,
        columns: Size,
    },
    Init {
        table: Reg,
        rows: Number,
        columns: Number,
    },
    Adapt {
        bits: Reg,
        size: Number,
    },
    Fix {
        bits: Reg,
        size: Number,
    },

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
    /// State of a `for` in the registers from `state` on: next value, last value, whether there is a next.
    ForBegin {
        state: Reg,
        from: Number,
        to: Number,
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
    /// The variable holds nothing any more.
    Unset(Place),
    Call(u32),
    Return,
    /// At the beginning of a routine: does all that it does and returns, or goes on (`natives`).
    Native(Native),
    Print(u32),
    Read(u32),
    Write(u32),
}

/// What an instruction does to the bits registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    Nothing,
    Bits(Reg),
    /// Perhaps any of them.
    Anything,
}

impl Inst {
    /// Can something else than the next instruction follow?
    pub(super) fn jumps(self) -> bool {
        matches!(
            self,
            Inst::Jump(_)
                | Inst::Unless { .. }
                | Inst::ForNext { .. }
                | Inst::WhileTest { .. }
                | Inst::ForeachNext { .. }
                | Inst::ForallNext { .. }
                | Inst::Native(_)
                | Inst::Return
        )
    }

    /// Which bits registers change.
    pub(super) fn writes(self) -> Writes {
        match self {
            Inst::CopyBits { dst, .. }
            | Inst::Fill { dst, .. }
            | Inst::Literal { dst, .. }
            | Inst::NotBits { dst, .. }
            | Inst::LogicBits { dst, .. }
            | Inst::LogicLogic { dst, .. }
            | Inst::Logic2 { dst, .. }
            | Inst::KeepFirst { dst, .. }
            | Inst::Mask { dst, .. }
            | Inst::Shift { dst, .. }
            | Inst::Rotate { dst, .. }
            | Inst::Mirror { dst, .. }
            | Inst::Shuffle { dst, .. }
            | Inst::Trim { dst, .. }
            | Inst::AddWords { dst, .. }
            | Inst::SubWords { dst, .. }
            | Inst::IntToWord { dst, .. }
            | Inst::Column { dst, .. }
            | Inst::Row { dst, .. }
            | Inst::Extreme { dst, .. } => Writes::Bits(dst),
            Inst::Step { bits, .. }
            | Inst::Put { bits, .. }
            | Inst::Replace { word: bits, .. }
            | Inst::Adapt { bits, .. }
            | Inst::Fix { bits, .. } => Writes::Bits(bits),
            Inst::Set { .. }
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Not { .. }
            | Inst::Logic { .. }
            | Inst::SetText { .. }
            | Inst::CopyText { .. }
            | Inst::EqualBits { .. }
            | Inst::Component { .. }
            | Inst::Ask { .. }
            | Inst::AskLogic { .. }
            | Inst::Measure { .. }
            | Inst::CompareWords { .. }
            | Inst::WordToInt { .. }
            | Inst::Open { .. }
            | Inst::CopyTable { .. }
            | Inst::TableBit { .. }
            | Inst::Field { .. }
            | Inst::NewTable { .. }
            | Inst::PutColumn { .. }
            | Inst::PutRow { .. }
            | Inst::PutBit { .. }
            | Inst::PutField { .. }
            | Inst::Latch { .. }
            | Inst::SetRows { .. }
            | Inst::EnsureColumns { .. }
            | Inst::Init { .. }
            | Inst::Guard { .. }
            | Inst::Cost { .. }
            | Inst::CostTimes { .. }
            | Inst::Print(_)
            | Inst::Write(_) => Writes::Nothing,
            Inst::Jump(_)
            | Inst::Unless { .. }
            | Inst::ForBegin { .. }
            | Inst::ForNext { .. }
            | Inst::WhileTest { .. }
            | Inst::ForeachNext { .. }
            | Inst::ForallBegin(_)
            | Inst::ForallNext { .. }
            | Inst::Unset(_)
            | Inst::Call(_)
            | Inst::Return
            | Inst::Native(_)
            | Inst::Read(_) => Writes::Anything,
        }
    }
}
