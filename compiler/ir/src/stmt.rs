//! Statements: stores, sizes, calls, input and output, and structured control flow.

use crate::check::{Check, SizeOperand};
use crate::kernel::Kernel;
use crate::op::{LogicOp, Op, Operand};
use crate::program::{HandlePart, LabelId, LocId, RoutineId, VarId};

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its action.
    pub kind: StmtKind,
    /// Its location.
    pub loc: LocId,
}

/// The action of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// A statement that contains no others and is followed by the next one.
    Simple(Simple),
    /// Counts `var` from `from` to `to`, both evaluated once, by 1 or, if `down`, by −1. Afterwards
    /// `var` holds its last value; without an iteration it is unchanged. The body does not assign
    /// it.
    For {
        /// Names the loop.
        label: LabelId,
        /// Integer variable.
        var: VarId,
        /// First value.
        from: Operand,
        /// Last value.
        to: Operand,
        /// By −1 instead of 1.
        down: bool,
        /// The body.
        body: Block,
    },
    /// Runs `head`, then, if `test` holds, `body`, and repeats. `break` leaves, `continue`
    /// continues with `head`. A `repeat` loop has its test inside the body and `true` here.
    While {
        /// Names the loop.
        label: LabelId,
        /// Evaluates the condition.
        head: Block,
        /// The condition.
        test: Operand,
        /// The body.
        body: Block,
    },
    /// Visits the ones of `over` from the first to the last; the body does not write `over`.
    /// Afterwards `var` holds the last index visited; without an iteration it is unchanged.
    Foreach {
        /// Names the loop.
        label: LabelId,
        /// Integer variable.
        var: VarId,
        /// Slice or word.
        over: VarId,
        /// The body.
        body: Block,
    },
    /// Iterations that may run in any order or in parallel. Each reads only parts that no other
    /// iteration writes, and writes only its private variables, the parts of `writes` that belong
    /// to its index, and reductions.
    Forall {
        /// Names the loop, for `continue`; there is no `break`.
        label: LabelId,
        /// Integer variable, private.
        var: VarId,
        /// Its values.
        range: ForallRange,
        /// The variables that the iterations write: only the part with the index `var`.
        writes: Vec<Part>,
        /// Variables that are separate for each iteration and unset at its start.
        privates: Vec<VarId>,
        /// Variables into which all iterations are combined.
        reductions: Vec<Reduction>,
        /// The body.
        body: Block,
    },
    /// A loop whose iterations are known as data flow, and the loop as its fallback.
    Kernel(Box<Kernel>),
    /// A conditional.
    If {
        /// A boolean.
        test: Operand,
        /// If it holds.
        then: Block,
        /// If not.
        otherwise: Block,
    },
    /// A block that `break` can leave.
    Block {
        /// Names the block.
        label: LabelId,
        /// The statements.
        body: Block,
    },
    /// Leaves the named block or loop.
    Break(LabelId),
    /// Continues with the next iteration of the named loop.
    Continue(LabelId),
    /// Leaves the routine.
    Exit,
}

/// A simple statement: it contains no other statements and never leaves a block. Components, rows
/// and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simple {
    /// The variable is set to the value of the operation.
    Assign(VarId, Op),
    /// STEP: `dst` is set to the index of the first one of `bits`, which is cleared; 0 if there is
    /// none.
    Step {
        /// Integer variable.
        dst: VarId,
        /// Slice or word.
        bits: VarId,
    },
    /// A component is set to a new value. Guards: the index; `bit` is 0 or 1.
    Put {
        /// Slice or word.
        bits: VarId,
        /// The index of the component.
        index: Operand,
        /// The integer 0 or 1.
        bit: Operand,
    },
    /// REP: the components from `base + 1` on are set to those of `value`. Guard: `range`.
    Replace {
        /// The word that changes.
        word: VarId,
        /// Number of components to the left of the part.
        base: Operand,
        /// The inserted word.
        value: VarId,
    },
    /// A column is set to a slice. Guards: the table has that column; the number of rows equals the
    /// number of components.
    PutColumn {
        /// The table.
        table: VarId,
        /// The index of the column.
        index: Operand,
        /// The slice.
        value: VarId,
    },
    /// A row is set to a word. Guards: the table has that row; the number of columns equals the
    /// number of components.
    PutRow {
        /// The table.
        table: VarId,
        /// The index of the row.
        index: Operand,
        /// The word.
        value: VarId,
    },
    /// A bit is set to a new value. Guards: both indices; `bit` is 0 or 1.
    PutBit {
        /// The table.
        table: VarId,
        /// The index of the row.
        row: Operand,
        /// The index of the column.
        column: Operand,
        /// The integer 0 or 1.
        bit: Operand,
    },
    /// The columns from `base + 1` on are set to those of the table `value` (TCOPY2). Guards:
    /// `range`; equal numbers of rows.
    PutField {
        /// The table that changes.
        table: VarId,
        /// Number of columns to the left of the field.
        base: Operand,
        /// The inserted table.
        value: VarId,
    },
    /// The table is stored in the handle under this name; other parts of the same module are kept,
    /// parts of another module are discarded. The handle need not have been set.
    PutHandlePart {
        /// The handle.
        handle: VarId,
        /// The name.
        part: HandlePart,
        /// The table.
        value: VarId,
    },
    /// A change of size.
    Size(SizeOp),
    /// A guard.
    Check(Check),
    /// Adds `units × times` elementary operations to the count (`times` is 1 if absent, and 0 if it
    /// measures something of unknown size).
    Cost {
        /// Elementary operations.
        units: u64,
        /// The multiplier.
        times: Option<SizeOperand>,
    },
    /// A call. Arguments match the parameters in number, kind and mode. A variable passed by
    /// reference that comes back with a size other than its extents state is a trap `Size` at the
    /// call: a callee whose header declares no size cannot know the size that its caller requires.
    /// A variable that may be unset when it is passed by reference has `Dynamic` extents, unless it
    /// is sized or a parameter.
    Call {
        /// The routine.
        callee: RoutineId,
        /// The arguments, already evaluated.
        args: Vec<Arg>,
        /// The destination of a function's value.
        dst: Option<VarId>,
    },
    /// `print`: the values, one after another, then a line break.
    Print(Vec<PrintItem>),
    /// `read`: `dst` is set to the contents of a file, as a new value. Trap: `File`.
    Read {
        /// Table, slice or word.
        dst: VarId,
        /// File name.
        file: Operand,
        /// Name of a layout.
        layout: Option<Operand>,
    },
    /// `write`: the value is written to the file. Trap: `File`.
    Write {
        /// Table, slice or word.
        src: VarId,
        /// File name.
        file: Operand,
    },
    /// The word is combined with those of all processes that run the program on their rows; all of
    /// them have the same sizes, and get the result. Only in programs that star-vm has distributed
    /// (`star_vm::distributed`).
    Exchange {
        /// Word.
        word: VarId,
        /// `or` of the components, or `min`, `max` or the sum of unsigned numbers; a sum is one of
        /// 64 components.
        op: ReductionOp,
    },
    /// The word becomes a row of a table of which each process has a part: the process with the row
    /// gives it to the others. Only in programs that star-vm has distributed.
    ExchangeRow {
        /// Word.
        word: VarId,
        /// Table.
        table: VarId,
        /// Number of the row on all processes: one of them has it.
        index: Operand,
        /// Number of rows that precede those of this process.
        before: Operand,
    },
}

impl From<Simple> for StmtKind {
    fn from(simple: Simple) -> Self {
        Self::Simple(simple)
    }
}

/// A change of the size of a variable, or of whether its size is known. None traps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeOp {
    /// If the integer `dst` was never set, it is set to the measure; nothing happens if the size of
    /// the measured variable is unknown.
    Latch {
        /// Integer variable, used as an extent.
        dst: VarId,
        /// The size.
        size: SizeOperand,
    },
    /// If the table has no rows yet, it gets `rows` rows and no columns. Guards: not negative; the
    /// sizes of its type.
    SetRows {
        /// The table.
        table: VarId,
        /// Number of rows.
        rows: SizeOperand,
    },
    /// If the table grows and has fewer columns, it is extended by columns of zeros up to
    /// `columns`. Guard: it has rows.
    EnsureColumns {
        /// The table.
        table: VarId,
        /// Number of columns.
        columns: SizeOperand,
    },
    /// If the table has no sizes yet, it becomes `rows × columns` zeros. Guards: not negative; the
    /// sizes of its type.
    Init {
        /// The table.
        table: VarId,
        /// Number of rows.
        rows: Operand,
        /// Number of columns.
        columns: Operand,
    },
    /// If the slice or word has a size other than `size` and is not sized, it becomes unset and its
    /// size unknown: an unsized variable passed as `var` gets the size that the header requires.
    Adapt {
        /// Slice or word.
        bits: VarId,
        /// Number of components.
        size: Operand,
    },
    /// If the slice or word was never set, its size is known from now on: `length` measures it and
    /// `check sized` holds; a sized one keeps its size. A variable with a declared size is passed
    /// like this before it is set. Guards: not negative; the size of its type.
    Fix {
        /// Slice or word.
        bits: VarId,
        /// Number of components.
        size: Operand,
    },
    /// The variable, of any type, becomes unset and its size unknown, as at the start of a routine;
    /// its memory is released as at the end of a routine. For the variables of inlined code.
    Unset(VarId),
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// For a value parameter: a copy.
    Value(Operand),
    /// For a value parameter: the variable's value, which is moved out of it.
    Move(VarId),
    /// For a `ref` parameter.
    Ref(VarId),
}

/// The range of the iterations of a `forall`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ForallRange {
    /// `from ..= to`.
    Range(Operand, Operand),
    /// The ones of a slice or word.
    Ones(VarId),
}

/// A variable of which each iteration writes one part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The table, slice or word.
    pub var: VarId,
    /// The part that belongs to an iteration.
    pub kind: PartKind,
}

/// The part of a variable that belongs to the iteration with index i.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// Column i.
    Column,
    /// Row i.
    Row,
    /// Columns base + (i−1)·width + 1 ..= base + i·width: `width` of them.
    Field {
        /// The number of columns before the part of index 1.
        base: Operand,
        /// The number of columns of each index.
        width: Operand,
    },
    /// Component i.
    Component,
}

/// A variable into which every iteration is combined; it is not read inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The variable.
    pub var: VarId,
    /// The combining operation.
    pub op: ReductionOp,
}

/// The combining operation of a reduction: logic on booleans, slices or words, the others on
/// integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReductionOp {
    /// Disjunction.
    Or,
    /// Conjunction.
    And,
    /// Exclusive or.
    Xor,
    /// Least.
    Min,
    /// Greatest.
    Max,
    /// Sum.
    Add,
}

impl ReductionOp {
    /// Returns the operation on booleans or bits, if it is one.
    pub fn logic(self) -> Option<LogicOp> {
        match self {
            ReductionOp::Or => Some(LogicOp::Or),
            ReductionOp::And => Some(LogicOp::And),
            ReductionOp::Xor => Some(LogicOp::Xor),
            ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => None,
        }
    }
}

/// A value of `print`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PrintItem {
    /// The value itself.
    Value(Operand),
    /// The name of the vertex with this integer, or the integer if it has none.
    Name(Operand),
}

impl PrintItem {
    /// Returns its operand.
    pub fn operand(&self) -> &Operand {
        match self {
            PrintItem::Value(operand) | PrintItem::Name(operand) => operand,
        }
    }

    /// Returns its operand.
    pub fn operand_mut(&mut self) -> &mut Operand {
        match self {
            PrintItem::Value(operand) | PrintItem::Name(operand) => operand,
        }
    }
}

impl From<Operand> for PrintItem {
    fn from(operand: Operand) -> Self {
        PrintItem::Value(operand)
    }
}
