//! The catalogue of built-ins: the elementary operations of the STAR-machine and the predeclared
//! routines.
//!
//! The compiler resolves names through it; `star doc` and completion are made from it, the folder
//! `builtins/` has what one line does not say. What a built-in accepts and does is in the compiler's
//! `check` and `lower`.

macro_rules! builtins {
    ($($name:ident $spelling:literal $usage:literal $cost:literal $summary:literal)*) => {
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
    Set "SET" "SET(Y)" 1 "all components of Y become one"
    Clr "CLR" "CLR(Y)" 1 "all components of Y become zero"
    Fnd "FND" "FND(Y)" 1 "index of the first one of Y, 0 if there is none"
    Step "STEP" "STEP(Y)" 1 "as FND, and clears that one"
    Numb "NUMB" "NUMB(Y)" 1 "number of ones of Y"
    Convert "CONVERT" "CONVERT(Y)" 1 "the same bits as a word if Y is a slice, as a slice if Y is a word"
    Frst "FRST" "FRST(Y)" 1 "the first one of Y only; as a statement, in place"
    Some "SOME" "SOME(Y)" 1 "is there a one in Y"
    One "ONE" "ONE(Y)" 1 "are all components of Y one"
    Zero "ZERO" "ZERO(Y)" 1 "is no component of Y one"
    Mask "MASK" "MASK(Y,i,j)" 1 "as many components as Y, ones exactly in i..j"
    Shift "SHIFT" "SHIFT(Y,up,k)" 1 "Y moved up or down by k places, zeros come in"
    Rotate "ROTATE" "ROTATE(Y,k)" 1 "Y moved cyclically, down for k > 0"
    Mirror "MIRROR" "MIRROR(Y)" 1 "Y reversed"
    Shuffle "SHUFFLE" "SHUFFLE(Y)" 1 "perfect shuffle of the two halves of Y"
    Length "length" "length(Y)" 0 "number of components of Y"
    Trim "TRIM" "TRIM(i,j,w)" 1 "components i..j of the word w"
    Rep "REP" "REP(i,j,v,w)" 1 "components i..j of the word w become those of v"
    Eq "EQ" "EQ(v,w)" 1 "are the words equal"
    NotEq "NOTEQ" "NOTEQ(v,w)" 1 "are the words different"
    Less "LESS" "LESS(v,w)" 1 "is the word v less than w, as unsigned numbers"
    LessEq "LESSEQ" "LESSEQ(v,w)" 1 "is the word v at most w, as unsigned numbers"
    Great "GREAT" "GREAT(v,w)" 1 "is the word v greater than w, as unsigned numbers"
    GreatEq "GREATEQ" "GREATEQ(v,w)" 1 "is the word v at least w, as unsigned numbers"
    Add "ADD" "ADD(v,w)" 1 "sum of two words, modulo 2 to their size"
    Subt "SUBT" "SUBT(v,w)" 1 "difference of two words, modulo 2 to their size"
    Int "INT" "INT(w)" 0 "the word w as an integer"
    Word "WORD" "WORD(i,h)" 0 "the integer i as a word of h components"
    Col "COL" "COL(i,T)" 1 "column i of the table T, to read and to assign"
    Row "ROW" "ROW(i,T)" 1 "row i of the table T, to read and to assign"
    Size "size" "size(T)" 0 "number of columns of the table T"
    Rows "rows" "rows(T)" 0 "number of rows of the table T"
    Print "print" "print(a,…)" 0 "prints the values in one line"
    Read "read" "read(T,\"file\",\"layout\")" 0 "T takes the contents of a file"
    Write "write" "write(T,\"file\")" 0 "the file takes the value of T"
    Assert "assert" "assert(b,\"message\")" 0 "ends the program with the message unless b holds"
    Exit "exit" "exit" 0 "leaves the routine"
    Break "break" "break" 0 "leaves the innermost loop"
    Continue "continue" "continue" 0 "goes on with the next turn of the innermost loop"
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
        match self {
            Builtin::Exit | Builtin::Break | Builtin::Continue => (0, 0),
            Builtin::Set
            | Builtin::Clr
            | Builtin::Fnd
            | Builtin::Step
            | Builtin::Numb
            | Builtin::Convert
            | Builtin::Frst
            | Builtin::Some
            | Builtin::One
            | Builtin::Zero
            | Builtin::Mirror
            | Builtin::Shuffle
            | Builtin::Length
            | Builtin::Int
            | Builtin::Size
            | Builtin::Rows => (1, 1),
            Builtin::Rotate
            | Builtin::Eq
            | Builtin::NotEq
            | Builtin::Less
            | Builtin::LessEq
            | Builtin::Great
            | Builtin::GreatEq
            | Builtin::Add
            | Builtin::Subt
            | Builtin::Word
            | Builtin::Col
            | Builtin::Row
            | Builtin::Write => (2, 2),
            Builtin::Mask | Builtin::Shift | Builtin::Trim => (3, 3),
            Builtin::Rep => (4, 4),
            Builtin::Read => (2, 3),
            Builtin::Assert => (1, 2),
            Builtin::Print => (0, usize::MAX),
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
