//! Statements: stores, sizes, calls, input and output, and structured control flow.

use crate::check::{Check, SizeOperand};
use crate::op::{Op, Operand};
use crate::program::{HandlePart, LabelId, LocId, RoutineId, VarId};

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub loc: LocId,
}

/// What a statement does. Components, rows and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// The variable takes the value of the operation.
    Assign(VarId, Op),
    /// STEP: `dst` takes the index of the first one of `bits`, which is cleared; 0 if there is none.
    Step {
        /// Integer variable.
        dst: VarId,
        /// Slice or word.
        bits: VarId,
    },
    /// A component takes a new value. Guards: the index; `bit` is 0 or 1.
    Put {
        /// Slice or word.
        bits: VarId,
        /// Which component.
        index: Operand,
        /// The integer 0 or 1.
        bit: Operand,
    },
    /// REP: the components from `base + 1` on take those of `value`. Guard: `range`.
    Replace {
        /// The word that changes.
        word: VarId,
        /// Number of components to the left of the part.
        base: Operand,
        /// The word put in.
        value: VarId,
    },
    /// A column takes a slice. Guards: the table has that column; as many rows as components.
    PutColumn {
        /// The table.
        table: VarId,
        /// Which column.
        index: Operand,
        /// The slice.
        value: VarId,
    },
    /// A row takes a word. Guards: the table has that row; as many columns as components.
    PutRow {
        /// The table.
        table: VarId,
        /// Which row.
        index: Operand,
        /// The word.
        value: VarId,
    },
    /// A bit takes a new value. Guards: both indices; `bit` is 0 or 1.
    PutBit {
        /// The table.
        table: VarId,
        /// Which row.
        row: Operand,
        /// Which column.
        column: Operand,
        /// The integer 0 or 1.
        bit: Operand,
    },
    /// The columns from `base + 1` on take those of the table `value` (TCOPY2). Guards: `range`; equal
    /// numbers of rows.
    PutField {
        /// The table that changes.
        table: VarId,
        /// Number of columns to the left of the field.
        base: Operand,
        /// The table put in.
        value: VarId,
    },
    /// The handle holds the table under this name; what else it held of the same module it keeps, and
    /// gives up what it held of another one. It need not have been set.
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
    /// measures something of no known size).
    Cost {
        /// Elementary operations.
        units: u64,
        /// How often.
        times: Option<SizeOperand>,
    },
    /// A call. Arguments match the parameters in number, kind and mode. A variable passed by reference
    /// that comes back with another size than its extents say is a trap `Size` at the call: a callee
    /// whose header declares no size cannot know which one its caller has to keep. One that may be unset
    /// when it is passed by reference has `Dynamic` extents, unless it is sized or a parameter.
    Call {
        /// The routine.
        callee: RoutineId,
        /// The arguments, already evaluated.
        args: Vec<Arg>,
        /// Takes a function's value.
        dst: Option<VarId>,
    },
    /// `print`: the values, one after another, then a line break.
    Print(Vec<Operand>),
    /// `read`: `dst` takes the contents of a file, as a new value. Trap: `File`.
    Read {
        /// Table, slice or word.
        dst: VarId,
        /// File name.
        file: Operand,
        /// Name of a layout.
        layout: Option<Operand>,
    },
    /// `write`: the file takes the value. Trap: `File`.
    Write {
        /// Table, slice or word.
        src: VarId,
        /// File name.
        file: Operand,
    },

    /// Counts `var` from `from` to `to`, both evaluated once, by 1 or, if `down`, by −1. Afterwards `var`
    /// holds its last value; without a turn it is as before. The body does not assign it.
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
    /// Runs `head`, then, if `test` holds, `body`, and again. `break` leaves, `continue` goes on with
    /// `head`. A `repeat` loop has its test inside the body and `true` here.
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
    /// Visits the ones of `over` from the first to the last; the body does not write `over`. Afterwards
    /// `var` holds the last index visited; without a turn it is as before.
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
    /// Iterations that may run in any order or at once. Each reads the parts that no other writes, and
    /// writes only its private variables, the parts of `writes` that belong to its own index, and
    /// reductions.
    Forall {
        /// Names the loop, for `continue`; there is no `break`.
        label: LabelId,
        /// Integer variable, private.
        var: VarId,
        /// Its values.
        range: ForallRange,
        /// What the iterations write: only the part with the index `var`.
        writes: Vec<Part>,
        /// Variables of which each iteration has its own, unset at its start.
        privates: Vec<VarId>,
        /// Variables into which all iterations are combined.
        reductions: Vec<Reduction>,
        /// The body.
        body: Block,
    },
    /// A run of operations that work row by row, under uniform control: it may be done for one tile of
    /// rows after another. All slices and tables in it have `rows` rows; it reads and writes whole
    /// columns, fields and slices, never single rows or components; work on words and scalars is the same
    /// for every row ([`crate::rows`]). The reductions look at the slices
    /// as the whole body leaves them.
    Tile {
        /// Number of rows.
        rows: Operand,
        /// Slices and tables that live inside only.
        privates: Vec<VarId>,
        /// The body.
        body: Block,
        /// What is found out at the end.
        reductions: Vec<TileReduction>,
    },
    /// A choice.
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
    /// Goes on with the next turn of the named loop.
    Continue(LabelId),
    /// Leaves the routine.
    Exit,
}

/// A change of size, or of whether a variable has one. None traps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeOp {
    /// If the integer `dst` was never set, it takes the measure; nothing happens if what is measured has
    /// no known size itself.
    Latch {
        /// Integer variable, used as an extent.
        dst: VarId,
        /// The size.
        size: SizeOperand,
    },
    /// If the table has no rows yet, it gets `rows` of them, and no columns. Guards: not negative; the sizes
    /// of its type.
    SetRows {
        /// The table.
        table: VarId,
        /// Number of rows.
        rows: SizeOperand,
    },
    /// If the table grows and has fewer columns, it gets columns of zeros up to `columns`. Guard: it has
    /// rows.
    EnsureColumns {
        /// The table.
        table: VarId,
        /// Number of columns.
        columns: SizeOperand,
    },
    /// If the table has no sizes yet, it becomes `rows × columns` zeros. Guards: not negative; the sizes of
    /// its type.
    Init {
        /// The table.
        table: VarId,
        /// Number of rows.
        rows: Operand,
        /// Number of columns.
        columns: Operand,
    },
    /// If the slice or word has another size than `size` and is not sized, it becomes unset, and no size
    /// of it is known: an unsized variable passed as `var` takes the size that the header asks for.
    Adapt {
        /// Slice or word.
        bits: VarId,
        /// Number of components.
        size: Operand,
    },
    /// If the slice or word was never set, its size is known from now on: `length` measures it and
    /// `check sized` holds; one that is sized keeps the size that it has. A variable with a declared
    /// size is passed on like this before it is set. Guards: not negative; the size of its type.
    Fix {
        /// Slice or word.
        bits: VarId,
        /// Number of components.
        size: Operand,
    },
    /// The variable, of any type, is as if it had never been set, and no size of it is known: that is how a
    /// routine begins, and its memory is given up as when one ends. For the variables of inlined code.
    Unset(VarId),
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// For a value parameter: a copy.
    Value(Operand),
    /// For a value parameter: the variable's value, which it loses.
    Move(VarId),
    /// For a `ref` parameter.
    Ref(VarId),
}

/// Where the iterations of a `forall` come from.
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
    /// Which part belongs to an iteration.
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
        /// How many columns lie in front of the part of index 1.
        base: Operand,
        /// How many columns belong to each index.
        width: Operand,
    },
    /// Component i.
    Component,
}

/// A variable into which every iteration is combined; nothing reads it inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The variable.
    pub var: VarId,
    /// How.
    pub op: ReductionOp,
}

/// How a reduction combines: logic on booleans, slices or words, the others on integers.
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

/// A fact about a slice found at the end of a tile kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileReduction {
    /// Takes the result.
    pub dst: VarId,
    /// What is asked.
    pub op: TileReductionOp,
    /// The slice.
    pub of: VarId,
}

/// What a tile kernel may be asked about a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileReductionOp {
    /// SOME.
    Some,
    /// ONE.
    All,
    /// ZERO.
    None,
    /// FND.
    First,
    /// NUMB.
    Count,
}
