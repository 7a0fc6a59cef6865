//! The catalogue of built-ins: the elementary operations of the STAR-machine and the predeclared
//! routines.
//!
//! The compiler resolves names through it; `star doc` and completion are made from it, the folder
//! `builtins/` has what one line does not say. A value of values is checked by its [`Form`]; what the others
//! accept is in the compiler's `check`, and what all of them do in `lower`.

/// What a built-in is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A value of values: its operands, and its result.
    Value(&'static [Operand], ResultKind),
    /// A value with rules of its own, and the number of its arguments.
    Special(Special, usize),
    /// A statement, and the least and greatest number of its arguments.
    Statement(Statement, usize, usize),
}

/// An operand of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// An integer.
    Int,
    /// A word.
    Word,
    /// A slice or word.
    Bits,
}

/// The result of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// An integer.
    Int,
    /// A boolean.
    Bool,
    /// A word.
    Word,
    /// A slice or word, as the first operand is.
    Same,
}

/// The values that work on a variable, take a word such as `up`, or change the kind of their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the built-ins of these names")]
pub enum Special {
    Step,
    Convert,
    Shift,
    Col,
    Row,
    Size,
    Rows,
}

/// The statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the built-ins of these names")]
pub enum Statement {
    Set,
    Clr,
    Rep,
    Print,
    Read,
    Write,
    Assert,
    Exit,
    Break,
    Continue,
}

/// `{operands -> result}` is a value, `[special count]` a special value, `(statement least most)` a statement.
macro_rules! form {
    ({$($operand:ident)* -> $result:ident}) => {
        Form::Value(&[$(Operand::$operand),*], ResultKind::$result)
    };
    ([$special:ident $count:literal]) => {
        Form::Special(Special::$special, $count)
    };
    (($statement:ident $least:literal $most:expr)) => {
        Form::Statement(Statement::$statement, $least, $most)
    };
}

macro_rules! builtins {
    ($($name:ident $spelling:literal $usage:literal $form:tt $cost:literal $summary:literal)*) => {
        /// The built-ins.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Builtin {
            $(#[doc = concat!("`", $usage, "`: ", $summary, ".")] $name,)*
        }

        impl Builtin {
            /// All built-ins, in the order of the language reference.
            pub const ALL: &'static [Builtin] = &[$(Builtin::$name),*];

            /// The name as published.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $spelling,)* }
            }

            /// How it is written, with names for the arguments.
            pub fn usage(self) -> &'static str {
                match self { $(Builtin::$name => $usage,)* }
            }

            /// What it is, and what it takes.
            pub fn form(self) -> Form {
                match self { $(Builtin::$name => form!($form),)* }
            }

            /// Elementary operations that it counts.
            pub fn cost(self) -> u64 {
                match self { $(Builtin::$name => $cost,)* }
            }

            /// What it does, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(Builtin::$name => $summary,)* }
            }

            /// What is to be said beyond summary and cost.
            fn details(self) -> &'static str {
                match self {
                    $(Builtin::$name => {
                        include_str!(concat!("builtins/", $spelling, ".txt"))
                    })*
                }
            }
        }
    };
}

builtins! {
    Set "SET" "SET(Y)" (Set 1 1) 1 "all components of Y become one"
    Clr "CLR" "CLR(Y)" (Clr 1 1) 1 "all components of Y become zero"
    Fnd "FND" "FND(Y)" {Bits -> Int} 1 "index of the first one of Y, 0 if there is none"
    Step "STEP" "STEP(Y)" [Step 1] 1 "as FND, and clears that one"
    Numb "NUMB" "NUMB(Y)" {Bits -> Int} 1 "number of ones of Y"
    Convert "CONVERT" "CONVERT(Y)" [Convert 1] 1 "the same bits as a word if Y is a slice, as a slice if Y is a word"
    Frst "FRST" "FRST(Y)" {Bits -> Same} 1 "the first one of Y only; as a statement, in place"
    Some "SOME" "SOME(Y)" {Bits -> Bool} 1 "is there a one in Y"
    One "ONE" "ONE(Y)" {Bits -> Bool} 1 "are all components of Y one"
    Zero "ZERO" "ZERO(Y)" {Bits -> Bool} 1 "is no component of Y one"
    Mask "MASK" "MASK(Y,i,j)" {Bits Int Int -> Same} 1 "as many components as Y, ones exactly in i..j"
    Shift "SHIFT" "SHIFT(Y,up,k)" [Shift 3] 1 "Y moved up or down by k places, zeros come in"
    Rotate "ROTATE" "ROTATE(Y,k)" {Bits Int -> Same} 1 "Y moved cyclically, down for k > 0"
    Mirror "MIRROR" "MIRROR(Y)" {Bits -> Same} 1 "Y reversed"
    Shuffle "SHUFFLE" "SHUFFLE(Y)" {Bits -> Same} 1 "perfect shuffle of the two halves of Y"
    Length "length" "length(Y)" {Bits -> Int} 0 "number of components of Y"
    Trim "TRIM" "TRIM(i,j,w)" {Int Int Word -> Word} 1 "components i..j of the word w"
    Rep "REP" "REP(i,j,v,w)" (Rep 4 4) 1 "components i..j of the word w become those of v"
    Eq "EQ" "EQ(v,w)" {Word Word -> Bool} 1 "are the words equal"
    NotEq "NOTEQ" "NOTEQ(v,w)" {Word Word -> Bool} 1 "are the words different"
    Less "LESS" "LESS(v,w)" {Word Word -> Bool} 1 "is the word v less than w, as unsigned numbers"
    LessEq "LESSEQ" "LESSEQ(v,w)" {Word Word -> Bool} 1 "is the word v at most w, as unsigned numbers"
    Great "GREAT" "GREAT(v,w)" {Word Word -> Bool} 1 "is the word v greater than w, as unsigned numbers"
    GreatEq "GREATEQ" "GREATEQ(v,w)" {Word Word -> Bool} 1 "is the word v at least w, as unsigned numbers"
    Add "ADD" "ADD(v,w)" {Word Word -> Word} 1 "sum of two words, modulo 2 to their size"
    Subt "SUBT" "SUBT(v,w)" {Word Word -> Word} 1 "difference of two words, modulo 2 to their size"
    Int "INT" "INT(w)" {Word -> Int} 0 "the word w as an integer"
    Word "WORD" "WORD(i,h)" {Int Int -> Word} 0 "the integer i as a word of h components"
    Col "COL" "COL(i,T)" [Col 2] 1 "column i of the table T, to read and to assign"
    Row "ROW" "ROW(i,T)" [Row 2] 1 "row i of the table T, to read and to assign"
    Size "size" "size(T)" [Size 1] 0 "number of columns of the table T"
    Rows "rows" "rows(T)" [Rows 1] 0 "number of rows of the table T"
    Print "print" "print(a,…)" (Print 0 usize::MAX) 0 "prints the values in one line"
    Read "read" "read(T,\"file\",\"layout\")" (Read 2 3) 0 "T takes the contents of a file"
    Write "write" "write(T,\"file\")" (Write 2 2) 0 "the file takes the value of T"
    Assert "assert" "assert(b,\"message\")" (Assert 1 2) 0 "ends the program with the message unless b holds"
    Exit "exit" "exit" (Exit 0 0) 0 "leaves the routine"
    Break "break" "break" (Break 0 0) 0 "leaves the innermost loop"
    Continue "continue" "continue" (Continue 0 0) 0 "goes on with the next turn of the innermost loop"
}

/// What the built-ins have in common, in the form of a documentation comment.
pub const OVERVIEW: &str = include_str!("builtins/overview.txt");

impl Builtin {
    /// The documentation, in the form of a documentation comment without its signs: what it does,
    /// arguments, cost, pitfalls, source, example.
    pub fn documentation(self) -> String {
        let details = self.details();
        let labels = ["Pitfalls:", "Source:"].iter().filter_map(|label| details.find(label));
        let (arguments, labelled) = details.split_at(labels.min().unwrap_or(details.len()));
        let mut summary = self.summary().chars();
        let first = summary.next().map(|first| first.to_uppercase().to_string());
        let end = if self.summary().starts_with("is ") || self.summary().starts_with("are ") {
            '?'
        } else {
            '.'
        };
        format!(
            "{}{}{end}\n\n{arguments}Cost: {}.\n{labelled}",
            first.unwrap_or_default(),
            summary.as_str(),
            self.cost()
        )
    }

    /// The built-in of this name, in any letter case.
    pub fn find(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().copied().find(|builtin| builtin.name().eq_ignore_ascii_case(name))
    }

    /// Number of arguments: least and greatest.
    pub fn arity(self) -> (usize, usize) {
        match self.form() {
            Form::Value(operands, _) => (operands.len(), operands.len()),
            Form::Special(_, count) => (count, count),
            Form::Statement(_, least, most) => (least, most),
        }
    }

    /// Can it stand alone as a statement? STEP and FRST can, and have values, too.
    pub fn is_statement(self) -> bool {
        match self.form() {
            Form::Statement(..) | Form::Special(Special::Step, _) => true,
            Form::Value(..) => self == Builtin::Frst,
            Form::Special(..) => false,
        }
    }

    /// Has it a value? FRST is a statement, too.
    pub fn is_value(self) -> bool {
        match self.form() {
            Form::Value(..) | Form::Special(..) => true,
            Form::Statement(..) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_whatever_their_case() {
        for &builtin in Builtin::ALL {
            assert_eq!(Builtin::find(&builtin.name().to_lowercase()), Some(builtin));
        }
    }

    #[test]
    fn the_documentation_says_cost_and_source() {
        let text = Builtin::Fnd.documentation();
        assert!(
            text.starts_with("Index of the first one of Y, 0 if there is none.\n\nY: "),
            "{text}"
        );
        for &builtin in Builtin::ALL {
            let text = builtin.documentation();
            let cost = format!("\nCost: {}.\n", builtin.cost());
            assert!(text.contains(&cost) && text.contains("\nSource: "), "{text}");
        }
    }
}
