//! The catalogue of built-ins: the elementary operations of the STAR-machine and the predeclared
//! routines.
//!
//! The compiler resolves names with it; it is also the source of `star doc` and completion, and the
//! folder `builtins/` contains longer descriptions. An expression built-in is checked by its
//! [`Form`]; the other ones are checked by the compiler's `check`, and all of them are translated
//! by `lower`.

/// The form of a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A value computed from values: its operands and its result.
    Value(&'static [Operand], ResultKind),
    /// A value with special rules, and the number of its arguments.
    Special(Special, usize),
    /// A statement, and the minimum and maximum number of its arguments.
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
    /// A slice or word, the same as the first operand.
    Same,
}

/// The values that work on a variable, accept a word such as `up`, or change the kind of their
/// operand.
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
    Name,
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

/// `{operands -> result}` is a value, `[special count]` a special value, `(statement least most)` a
/// statement.
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

            /// Returns the name as published.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $spelling,)* }
            }

            /// Returns the syntax, with names for the arguments.
            pub fn usage(self) -> &'static str {
                match self { $(Builtin::$name => $usage,)* }
            }

            /// Returns its form, with its operands.
            pub fn form(self) -> Form {
                match self { $(Builtin::$name => form!($form),)* }
            }

            /// Returns the number of elementary operations that it counts.
            pub fn cost(self) -> u64 {
                match self { $(Builtin::$name => $cost,)* }
            }

            /// Returns a description in one line.
            pub fn summary(self) -> &'static str {
                match self { $(Builtin::$name => $summary,)* }
            }

            /// Returns the description beyond summary and cost.
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
    Set "SET" "SET(Y)" (Set 1 1) 1 "sets all components of Y to one"
    Clr "CLR" "CLR(Y)" (Clr 1 1) 1 "sets all components of Y to zero"
    Fnd "FND" "FND(Y)" {Bits -> Int} 1 "index of the first one of Y, or 0 if there is none"
    Step "STEP" "STEP(Y)" [Step 1] 1 "returns what FND returns and clears that component"
    Numb "NUMB" "NUMB(Y)" {Bits -> Int} 1 "number of ones of Y"
    Convert "CONVERT" "CONVERT(Y)" [Convert 1] 1 "the same bits as a word if Y is a slice, as a slice if Y is a word"
    Frst "FRST" "FRST(Y)" {Bits -> Same} 1 "only the first one of Y; as a statement, in place"
    Some "SOME" "SOME(Y)" {Bits -> Bool} 1 "true if any component of Y is one"
    One "ONE" "ONE(Y)" {Bits -> Bool} 1 "true if all components of Y are one"
    Zero "ZERO" "ZERO(Y)" {Bits -> Bool} 1 "true if no component of Y is one"
    Mask "MASK" "MASK(Y,i,j)" {Bits Int Int -> Same} 1 "the same number of components as Y, with \
        ones exactly in i..j"
    Shift "SHIFT" "SHIFT(Y,up,k)" [Shift 3] 1 "Y shifted up or down by k places, filled with zeros"
    Rotate "ROTATE" "ROTATE(Y,k)" {Bits Int -> Same} 1 "Y rotated by k places, down for k > 0"
    Mirror "MIRROR" "MIRROR(Y)" {Bits -> Same} 1 "Y reversed"
    Shuffle "SHUFFLE" "SHUFFLE(Y)" {Bits -> Same} 1 "perfect shuffle of the two halves of Y"
    Length "length" "length(Y)" {Bits -> Int} 0 "number of components of Y"
    Trim "TRIM" "TRIM(i,j,w)" {Int Int Word -> Word} 1 "components i..j of the word w"
    Rep "REP" "REP(i,j,v,w)" (Rep 4 4) 1 "sets components i..j of the word w to those of v"
    Eq "EQ" "EQ(v,w)" {Word Word -> Bool} 1 "true if the words are equal"
    NotEq "NOTEQ" "NOTEQ(v,w)" {Word Word -> Bool} 1 "true if the words are different"
    Less "LESS" "LESS(v,w)" {Word Word -> Bool} 1 "true if the word v is less than w, as unsigned \
        numbers"
    LessEq "LESSEQ" "LESSEQ(v,w)" {Word Word -> Bool} 1 "true if the word v is at most w, as \
        unsigned numbers"
    Great "GREAT" "GREAT(v,w)" {Word Word -> Bool} 1 "true if the word v is greater than w, as \
        unsigned numbers"
    GreatEq "GREATEQ" "GREATEQ(v,w)" {Word Word -> Bool} 1 "true if the word v is at least w, as \
        unsigned numbers"
    Add "ADD" "ADD(v,w)" {Word Word -> Word} 1 "sum of two words of h bits, modulo 2^h"
    Subt "SUBT" "SUBT(v,w)" {Word Word -> Word} 1 "difference of two words of h bits, modulo 2^h"
    Int "INT" "INT(w)" {Word -> Int} 0 "the word w as an integer"
    Word "WORD" "WORD(i,h)" {Int Int -> Word} 0 "the integer i as a word of h components"
    Col "COL" "COL(i,T)" [Col 2] 1 "column i of the table T, readable and assignable"
    Row "ROW" "ROW(i,T)" [Row 2] 1 "row i of the table T, readable and assignable"
    Size "size" "size(T)" [Size 1] 0 "number of columns of the table T"
    Rows "rows" "rows(T)" [Rows 1] 0 "number of rows of the table T"
    Name "name" "name(i)" [Name 1] 0 "name of vertex i of the graph, as an argument of print"
    Print "print" "print(a,…)" (Print 0 usize::MAX) 0 "prints the values in one line"
    Read "read" "read(T,\"file\",\"layout\")" (Read 2 3) 0 "sets T to the contents of a file"
    Write "write" "write(T,\"file\")" (Write 2 2) 0 "writes the value of T to the file"
    Assert "assert" "assert(b,\"message\")" (Assert 1 2) 0 "ends the program with the message unless b holds"
    Exit "exit" "exit" (Exit 0 0) 0 "leaves the routine"
    Break "break" "break" (Break 0 0) 0 "leaves the innermost loop"
    Continue "continue" "continue" (Continue 0 0) 0 "continues with the next iteration of the \
        innermost loop"
}

/// Common properties of the built-ins, in the form of a documentation comment.
pub const OVERVIEW: &str = include_str!("builtins/overview.txt");

impl Builtin {
    /// Returns the documentation, in the form of a documentation comment without its signs:
    /// behaviour, arguments, cost, pitfalls, source, example.
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

    /// Returns the built-in with this name, in any letter case.
    pub fn find(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().copied().find(|builtin| builtin.name().eq_ignore_ascii_case(name))
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arity(self) -> (usize, usize) {
        match self.form() {
            Form::Value(operands, _) => (operands.len(), operands.len()),
            Form::Special(_, count) => (count, count),
            Form::Statement(_, least, most) => (least, most),
        }
    }

    /// Returns whether it can be used as a statement. STEP and FRST can, and also have values.
    pub fn is_statement(self) -> bool {
        match self.form() {
            Form::Statement(..) | Form::Special(Special::Step, _) => true,
            Form::Value(..) => self == Builtin::Frst,
            Form::Special(..) => false,
        }
    }

    /// Returns whether it has a value. FRST is also a statement.
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
    fn names_are_unique_ignoring_case() {
        for &builtin in Builtin::ALL {
            assert_eq!(Builtin::find(&builtin.name().to_lowercase()), Some(builtin));
        }
    }

    #[test]
    fn the_documentation_states_cost_and_source() {
        let text = Builtin::Fnd.documentation();
        assert!(
            text.starts_with("Index of the first one of Y, or 0 if there is none.\n\nY: "),
            "{text}"
        );
        for &builtin in Builtin::ALL {
            let text = builtin.documentation();
            let cost = format!("\nCost: {}.\n", builtin.cost());
            assert!(text.contains(&cost) && text.contains("\nSource: "), "{text}");
        }
    }
}
