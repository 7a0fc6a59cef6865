//! Operations of the register code.

/// Defines an enum of which every member has a number, a name, and a constant in the shaders.
macro_rules! numbered {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $member:ident = $number:literal $text:literal $constant:literal,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum $name { $($(#[$doc])* $member = $number,)* }

        impl $name {
            /// All members.
            pub const ALL: &'static [$name] = &[$($name::$member,)*];

            /// Returns the member with this number.
            pub fn of_number(number: u32) -> Option<$name> {
                Self::ALL.iter().copied().find(|member| *member as u32 == number)
            }

            /// Returns its name in text.
            pub fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* }
            }

            /// Returns its name in the shaders.
            pub fn constant(self) -> &'static str {
                match self { $($name::$member => $constant,)* }
            }
        }
    };
}

numbered! {
    /// An operation. d, a, b, c are registers; b is the immediate if it is missing. x, y, z are
    /// objects: slices, words, tables. Operations below 64 use only registers and run in the inner
    /// loop of the control unit.
    Op:
    /// d := immediate.
    Load = 0 "load" "OP_LOAD",
    /// d := a.
    Move = 1 "move" "OP_MOVE",
    /// d := a + b, modulo 2⁶⁴.
    Add = 2 "add" "OP_ADD",
    /// d := a − b, modulo 2⁶⁴.
    Sub = 3 "sub" "OP_SUB",
    /// d := a · b, modulo 2⁶⁴.
    Mul = 4 "mul" "OP_MUL",
    /// d := a and b, bit by bit.
    And = 5 "and" "OP_AND",
    /// d := a or b.
    Or = 6 "or" "OP_OR",
    /// d := a xor b.
    Xor = 7 "xor" "OP_XOR",
    /// d := whether a = b.
    Eq = 8 "eq" "OP_EQ",
    /// d := whether a ≠ b.
    Ne = 9 "ne" "OP_NE",
    /// d := whether a < b.
    Lt = 10 "lt" "OP_LT",
    /// d := whether a ≤ b.
    Le = 11 "le" "OP_LE",
    /// d := whether a > b.
    Gt = 12 "gt" "OP_GT",
    /// d := whether a ≥ b.
    Ge = 13 "ge" "OP_GE",
    /// d := the lesser one.
    Min = 14 "min" "OP_MIN",
    /// d := the greater one.
    Max = 15 "max" "OP_MAX",
    /// d := a without its lowest b bits, a not negative.
    Shr = 16 "shr" "OP_SHR",
    /// d := whether a + b overflows.
    AddOverflows = 17 "add-overflows" "OP_ADD_OVERFLOWS",
    /// d := whether a − b overflows.
    SubOverflows = 18 "sub-overflows" "OP_SUB_OVERFLOWS",
    /// d := whether a · b overflows.
    MulOverflows = 19 "mul-overflows" "OP_MUL_OVERFLOWS",
    /// Continues at the target.
    Jump = 20 "jump" "OP_JUMP",
    /// Continues at the target if a is 0.
    JumpZero = 21 "jump-zero" "OP_JUMP_ZERO",
    /// Continues at the target if a is not 0.
    JumpNonzero = 22 "jump-nonzero" "OP_JUMP_NONZERO",
    /// Counts the immediate as elementary operations and steps.
    Cost = 23 "cost" "OP_COST",
    /// Counts immediate · a in the same way, nothing if a is negative.
    CostTimes = 24 "cost-times" "OP_COST_TIMES",
    /// Counts a step.
    Iteration = 25 "iteration" "OP_ITERATION",
    /// Stops with a trap if a is 0.
    TrapZero = 26 "trap-zero" "OP_TRAP_ZERO",
    /// Stops with a trap if a is not 0.
    TrapNonzero = 27 "trap-nonzero" "OP_TRAP_NONZERO",
    /// Stops for the host.
    Host = 28 "host" "OP_HOST",

    /// d := a div b, both defined.
    Div = 64 "div" "OP_DIV",
    /// d := a mod b, both defined.
    Mod = 65 "mod" "OP_MOD",
    /// Limb by limb: a generator computes limbs of y and z, which are stored to x and reduced.
    Line = 66 "line" "OP_LINE",
    /// d := component c of y, or of column b of it.
    BitGet = 67 "bit-get" "OP_BIT_GET",
    /// Component b of x, or of column a of it, becomes c.
    BitPut = 68 "bit-put" "OP_BIT_PUT",
    /// Row a of x becomes y.
    RowPut = 69 "row-put" "OP_ROW_PUT",
    /// x := y + z; d := whether a further bit is needed.
    WordAdd = 70 "word-add" "OP_WORD_ADD",
    /// x := y − z; d := whether it is negative.
    WordSub = 71 "word-sub" "OP_WORD_SUB",
    /// d := the last 63 components of y as a number.
    WordToInt = 72 "word-to-int" "OP_WORD_TO_INT",
    /// d := a property of y, selected by the immediate.
    Size = 73 "size" "OP_SIZE",
    /// x is set and has the same number of rows and columns as y.
    ShapeLike = 74 "shape-like" "OP_SHAPE_LIKE",
    /// x is set and has a rows and b columns; b is 1 if missing.
    Shape = 75 "shape" "OP_SHAPE",
    /// x has a columns; its existing columns remain.
    Columns = 76 "columns" "OP_COLUMNS",
    /// x is unset.
    Unset = 77 "unset" "OP_UNSET",
    /// The size of x, which is unset, becomes a.
    Fix = 78 "fix" "OP_FIX",
    /// d := a cell of the frame.
    Fill = 79 "fill" "OP_FILL",
    /// A cell of the frame becomes a.
    Spill = 80 "spill" "OP_SPILL",
    /// Finds the frame for a call of the routine in the immediate, and unsets its variables.
    Prepare = 81 "prepare" "OP_PREPARE",
    /// Variable x of the routine to be called becomes variable y.
    Lend = 82 "lend" "OP_LEND",
    /// Variable x of the routine to be called receives the value of y, which loses it.
    Give = 83 "give" "OP_GIVE",
    /// Calls.
    Call = 84 "call" "OP_CALL",
    /// Returns, or ends the run.
    Return = 85 "return" "OP_RETURN",
    /// Variable x receives the value of variable y of the routine that has just returned.
    Take = 86 "take" "OP_TAKE",
    /// A cell of the frame of the call in preparation becomes a.
    Pass = 87 "pass" "OP_PASS",
    /// d := a cell of the frame of the last return.
    Fetch = 88 "fetch" "OP_FETCH",
    /// Increments the counter of the profile in the immediate.
    Tally = 89 "tally" "OP_TALLY",
    /// Charges operations to the records of the counter in the immediate, a times if a is present.
    Charge = 90 "charge" "OP_CHARGE",
    /// Begins a call from a line or of a routine: costs charged from now on are part of the total
    /// of the record in the immediate.
    Open = 91 "open" "OP_OPEN",
    /// Ends the call.
    Close = 92 "close" "OP_CLOSE",
    /// Begins a printed line in the journal (Note \[Journal\]); it ends at the target. Stops for
    /// the host if there is no journal.
    Print = 93 "print" "OP_PRINT",
    /// Writes the number a to the journal, if b is not 0, or y.
    Show = 94 "show" "OP_SHOW",
    /// A `forall` over the lines of a table at once (Note \[Lines\] in star-gpu): for a rows and b
    /// columns, a function of limbs of x, v and y, of z, and of bits of w by its truth table is
    /// stored to the columns of x; or a function of limbs of v and y, z and w is joined to a slice
    /// or word x, or its ones are counted into d. With c, the columns of x or of y are a field,
    /// after that number of columns.
    Lines = 95 "lines" "OP_LINES",
}

numbered! {
    /// The source of limb number k of a line.
    Generator:
    /// A function of limb k of y and of z by its truth table.
    Logic = 0 "logic" "GEN_LOGIC",
    /// Components 32k + 1 + b … of y, zeros beyond it.
    Funnel = 1 "funnel" "GEN_FUNNEL",
    /// y rotated down by b positions, 0 ≤ b < length.
    Rotate = 2 "rotate" "GEN_ROTATE",
    /// y reversed.
    Mirror = 3 "mirror" "GEN_MIRROR",
    /// The halves of y shuffled.
    Shuffle = 4 "shuffle" "GEN_SHUFFLE",
    /// Ones from b to c.
    Mask = 5 "mask" "GEN_MASK",
    /// The number b, its least significant digit last.
    Number = 6 "number" "GEN_NUMBER",
    /// Row b of y.
    Row = 7 "row" "GEN_ROW",
    /// The constant at the address in the immediate.
    Literal = 8 "literal" "GEN_LITERAL",
    /// x with its positions after b replaced by y.
    Replace = 9 "replace" "GEN_REPLACE",
}

numbered! {
    /// The reduction of the limbs of a line.
    Reduce:
    /// Nothing.
    Nothing = 0 "-" "RED_NOTHING",
    /// The index of the first one after c, 0 if there is none.
    First = 1 "first" "RED_FIRST",
    /// The number of ones.
    Count = 2 "count" "RED_COUNT",
    /// Whether there is a one.
    Some = 3 "some" "RED_SOME",
    /// Whether there is none.
    None = 4 "none" "RED_NONE",
}

numbered! {
    /// The destination of the limbs computed for a table.
    Join:
    /// To the columns of x.
    Store = 0 "store" "JOIN_STORE",
    /// Into x, by or.
    Or = 1 "or" "JOIN_OR",
    /// By and: the ones of the limbs clear bits there.
    Clear = 2 "clear" "JOIN_CLEAR",
    /// By exclusive or.
    Xor = 3 "xor" "JOIN_XOR",
    /// None: d is the number of their ones.
    Count = 4 "count" "JOIN_COUNT",
}

numbered! {
    /// The continuation after the result of a scalar instruction, as of the operation of the same
    /// name.
    Then:
    /// Continues at the target.
    Jump = 1 "jump" "THEN_JUMP",
    /// Continues at the target if the result is 0.
    JumpZero = 2 "jump-zero" "THEN_JUMP_ZERO",
    /// Continues at the target if it is not 0.
    JumpNonzero = 3 "jump-nonzero" "THEN_JUMP_NONZERO",
    /// Stops with a trap if it is 0.
    TrapZero = 4 "trap-zero" "THEN_TRAP_ZERO",
    /// Stops with a trap if it is not 0.
    TrapNonzero = 5 "trap-nonzero" "THEN_TRAP_NONZERO",
}

impl Op {
    /// Returns whether it runs in the inner loop of the control unit.
    pub fn is_scalar(self) -> bool {
        (self as u32) < 64
    }
}
