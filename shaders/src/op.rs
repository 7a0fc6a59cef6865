//! Operations of the register code.

/// An enum of which every member has a number, a name, and a constant in the shaders.
macro_rules! numbered {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $member:ident = $number:literal $text:literal $constant:literal,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum $name { $($(#[$doc])* $member = $number,)* }

        impl $name {
            /// All members.
            pub const ALL: &'static [$name] = &[$($name::$member,)*];

            /// The member with this number.
            pub fn of_number(number: u32) -> Option<$name> {
                Self::ALL.iter().copied().find(|member| *member as u32 == number)
            }

            /// Its name in text.
            pub fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* }
            }

            /// Its name in the shaders.
            pub fn constant(self) -> &'static str {
                match self { $($name::$member => $constant,)* }
            }
        }
    };
}

numbered! {
    /// An operation. d, a, b, c are registers; b is the immediate where it is absent. x, y, z are objects: slices, words,
    /// tables. Those below 64 touch registers only and run in the inner loop of the control unit.
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
    /// d := is a = b?
    Eq = 8 "eq" "OP_EQ",
    /// d := is a ≠ b?
    Ne = 9 "ne" "OP_NE",
    /// d := is a < b?
    Lt = 10 "lt" "OP_LT",
    /// d := is a ≤ b?
    Le = 11 "le" "OP_LE",
    /// d := is a > b?
    Gt = 12 "gt" "OP_GT",
    /// d := is a ≥ b?
    Ge = 13 "ge" "OP_GE",
    /// d := the lesser one.
    Min = 14 "min" "OP_MIN",
    /// d := the greater one.
    Max = 15 "max" "OP_MAX",
    /// d := a without its lowest b bits, a not negative.
    Shr = 16 "shr" "OP_SHR",
    /// d := does a + b overflow?
    AddOverflows = 17 "add-overflows" "OP_ADD_OVERFLOWS",
    /// d := does a − b overflow?
    SubOverflows = 18 "sub-overflows" "OP_SUB_OVERFLOWS",
    /// d := does a · b overflow?
    MulOverflows = 19 "mul-overflows" "OP_MUL_OVERFLOWS",
    /// Goes on at the target.
    Jump = 20 "jump" "OP_JUMP",
    /// Goes on at the target if a is 0.
    JumpZero = 21 "jump-zero" "OP_JUMP_ZERO",
    /// Goes on at the target if a is not 0.
    JumpNonzero = 22 "jump-nonzero" "OP_JUMP_NONZERO",
    /// Counts as many elementary operations and steps as the immediate says.
    Cost = 23 "cost" "OP_COST",
    /// Likewise immediate · a, nothing if a is negative.
    CostTimes = 24 "cost-times" "OP_COST_TIMES",
    /// Counts a step.
    Turn = 25 "turn" "OP_TURN",
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
    /// Limb by limb: a generator makes limbs of y and z, which go to x and into a reduction.
    Line = 66 "line" "OP_LINE",
    /// d := component c of y, or of column b of it.
    BitGet = 67 "bit-get" "OP_BIT_GET",
    /// Component b of x, or of column a of it, becomes c.
    BitPut = 68 "bit-put" "OP_BIT_PUT",
    /// Row a of x becomes y.
    RowPut = 69 "row-put" "OP_ROW_PUT",
    /// x := y + z; d := does it need a further bit?
    WordAdd = 70 "word-add" "OP_WORD_ADD",
    /// x := y − z; d := is it negative?
    WordSub = 71 "word-sub" "OP_WORD_SUB",
    /// d := the last 63 components of y as a number.
    WordToInt = 72 "word-to-int" "OP_WORD_TO_INT",
    /// d := a measure of y; which one is the immediate.
    Size = 73 "size" "OP_SIZE",
    /// x is set and has as many rows and columns as y.
    ShapeLike = 74 "shape-like" "OP_SHAPE_LIKE",
    /// x is set and has a rows and b columns; b is 1 if absent.
    Shape = 75 "shape" "OP_SHAPE",
    /// x has a columns; those that it had stay.
    Columns = 76 "columns" "OP_COLUMNS",
    /// x is unset.
    Unset = 77 "unset" "OP_UNSET",
    /// The size of x, which is unset, is a.
    Fix = 78 "fix" "OP_FIX",
    /// d := a cell of the frame.
    Fill = 79 "fill" "OP_FILL",
    /// A cell of the frame becomes a.
    Spill = 80 "spill" "OP_SPILL",
    /// Finds the frame for a call of the routine that the immediate says, and unsets its variables.
    Prepare = 81 "prepare" "OP_PREPARE",
    /// Variable x of the routine that is about to be called is variable y.
    Lend = 82 "lend" "OP_LEND",
    /// Variable x of the routine that is about to be called takes the value of y, which loses it.
    Give = 83 "give" "OP_GIVE",
    /// Calls.
    Call = 84 "call" "OP_CALL",
    /// Returns, or ends the run.
    Return = 85 "return" "OP_RETURN",
    /// Variable x takes the value of variable y of the routine that has just returned.
    Take = 86 "take" "OP_TAKE",
    /// A cell of the frame that a call is prepared in becomes a.
    Pass = 87 "pass" "OP_PASS",
    /// d := a cell of the frame that was returned from.
    Fetch = 88 "fetch" "OP_FETCH",
    /// Counter number immediate of the profile counts one more.
    Tally = 89 "tally" "OP_TALLY",
    /// The records that number immediate leads to are charged with operations, a times if a is there.
    Charge = 90 "charge" "OP_CHARGE",
    /// A line calls, or a routine is called: what is charged from now on belongs to the total of record number immediate.
    Open = 91 "open" "OP_OPEN",
    /// The call is over.
    Close = 92 "close" "OP_CLOSE",
    /// A line that is printed begins in the journal (Note \[Journal\]); it ends at the target. Stops for the host if there is no journal.
    Print = 93 "print" "OP_PRINT",
    /// The journal takes the number a, if b is not 0, or y.
    Show = 94 "show" "OP_SHOW",
    /// A `forall` over the lines of a table at once (Note \[Lines\] in star-gpu): for a rows and b columns, a function of limbs of x, v
    /// and y, of z, and of bits of w by its truth table goes to the columns of x; or a function of limbs of v and y, z and w joins a slice or
    /// word x, or its ones are counted into d. With c, those of x or of y are a field, behind so many columns.
    Lines = 95 "lines" "OP_LINES",
}

numbered! {
    /// Where limb number k of a line comes from.
    Generator:
    /// A function of limb k of y and of z by its truth table.
    Logic = 0 "logic" "GEN_LOGIC",
    /// Components 32k + 1 + b … of y, zeros beyond it.
    Funnel = 1 "funnel" "GEN_FUNNEL",
    /// y turned down by b places, 0 ≤ b < length.
    Rotate = 2 "rotate" "GEN_ROTATE",
    /// y reversed.
    Mirror = 3 "mirror" "GEN_MIRROR",
    /// The halves of y shuffled.
    Shuffle = 4 "shuffle" "GEN_SHUFFLE",
    /// Ones from b to c.
    Mask = 5 "mask" "GEN_MASK",
    /// The number b, its last digit last.
    Number = 6 "number" "GEN_NUMBER",
    /// Row b of y.
    Row = 7 "row" "GEN_ROW",
    /// The constant that lies at the immediate.
    Literal = 8 "literal" "GEN_LITERAL",
    /// x with y in the places behind b.
    Replace = 9 "replace" "GEN_REPLACE",
}

numbered! {
    /// What is found out about the limbs of a line.
    Reduce:
    /// Nothing.
    Nothing = 0 "-" "RED_NOTHING",
    /// The index of the first one behind c, 0 if there is none.
    First = 1 "first" "RED_FIRST",
    /// The number of ones.
    Count = 2 "count" "RED_COUNT",
    /// Is there a one?
    Some = 3 "some" "RED_SOME",
    /// Is there none?
    None = 4 "none" "RED_NONE",
}

numbered! {
    /// Where limbs go that are made for a table.
    Join:
    /// To the columns of x.
    Store = 0 "store" "JOIN_STORE",
    /// Into x, by or.
    Or = 1 "or" "JOIN_OR",
    /// By and: the ones of what is made become zeros there.
    Clear = 2 "clear" "JOIN_CLEAR",
    /// By exclusive or.
    Xor = 3 "xor" "JOIN_XOR",
    /// Nowhere: d is how many ones they have.
    Count = 4 "count" "JOIN_COUNT",
}

numbered! {
    /// What follows from the result of a scalar instruction, as from the operation of the same name.
    Then:
    /// Goes on at the target.
    Jump = 1 "jump" "THEN_JUMP",
    /// Goes on at the target if the result is 0.
    JumpZero = 2 "jump-zero" "THEN_JUMP_ZERO",
    /// Goes on at the target if it is not 0.
    JumpNonzero = 3 "jump-nonzero" "THEN_JUMP_NONZERO",
    /// Stops with a trap if it is 0.
    TrapZero = 4 "trap-zero" "THEN_TRAP_ZERO",
    /// Stops with a trap if it is not 0.
    TrapNonzero = 5 "trap-nonzero" "THEN_TRAP_NONZERO",
}

impl Op {
    /// Does it run in the inner loop of the control unit?
    pub fn is_scalar(self) -> bool {
        (self as u32) < 64
    }
}
