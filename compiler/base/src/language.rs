//! The words of the language itself, with their documentation.
//!
//! It is the source of `star doc`; the folder `language/` contains longer descriptions. The
//! semantics of the words is defined in star-syntax and in the compiler.

/// A group of related words of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The words, separated by `/`, the most important one first.
    pub name: &'static str,
    /// The syntax.
    pub usage: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// A longer description.
    details: &'static str,
}

macro_rules! topics {
    ($list:ident: $about:literal; $($name:literal $file:literal $usage:literal $summary:literal)*) => {
        #[doc = $about]
        pub const $list: &[Topic] = &[$(Topic {
            name: $name,
            usage: $usage,
            summary: $summary,
            details: include_str!(concat!("language/", $file, ".txt")),
        },)*];
    };
}

topics! {
    TOPICS: "The words of the language, in the order of presentation.";
    "program" "program" "program NAME(parameters); var …; begin … end." "the routine that a file runs"
    "import" "import" "import \"FILE\";" "the routines and constants of another file"
    "const" "const" "const NAME=e;" "names for values that do not change"
    "type/record" "type" "type NAME(parameters) = record fields end;" "layouts of the rows of tables"
    "var" "var" "var X,Y: type; …" "variables, and parameters that a routine changes"
    "procedure/proc" "procedure" "procedure NAME(parameters); var …; begin … end;" "a routine that is a statement"
    "function" "function" "function NAME(parameters): type; var …; begin … end;" "a routine that has a value"
    "begin/end" "begin" "begin s; … end" "combines several statements into one"
    "if/then/else" "if" "if b then s else t" "a choice"
    "while/do" "while" "while b do s" "a loop that runs while a condition holds"
    "repeat/until" "repeat" "repeat s; … until b" "a loop that runs until a condition holds"
    "for/to/downto" "for" "for i:=a to b do s" "a loop that counts"
    "foreach/in" "foreach" "foreach i in Y do s" "a loop over the ones of a slice or word"
    "forall" "forall" "forall i in Y where b do s, forall i in a..b do s" "a loop with independent iterations"
    "where/elsewhere" "where" "where X do s elsewhere t end, sum(F where X)" "assignments in selected rows, and the rows that a reduction joins"
    "integer" "integer" "integer" "the type of numbers"
    "boolean/true/false" "boolean" "boolean" "the type of truth values"
    "string" "string" "string" "the type of strings"
    "slice" "slice" "slice, slice(n), slice(T)" "the type of columns of bits"
    "word" "word" "word, word(h), word(T)" "the type of rows of bits"
    "table" "table" "table, table(n,h), table(T)" "the type of tables of bits"
    "array/of" "array" "table(m) of R(k), array[1..n] of uint(k)" "tables of records, and fields with several elements"
    "handle" "handle" "handle" "the type of library objects"
    "and/or/xor/not" "and" "X and Y, X or Y, X xor Y, not X" "logic on bits and booleans"
    "+|" "saturate" "a +| b" "a sum that stops at the greatest number of a field"
    "div/mod" "div" "a div b, a mod b" "quotient and remainder"
    "Θ/∅" "theta" "Θ" "the slice or word of zeros"
}

topics! {
    REDUCTIONS: "Predeclared names that are no keywords.";
    "count/sum/min/max/argmin/argmax/kmin/kmax/orrows/androws/xorrows/high/low/values/absdiff" "reductions" "sum(F where X)" "values of many rows"
}

/// Common properties of the words, in the form of a documentation comment.
pub const OVERVIEW: &str = include_str!("language/overview.txt");

/// Returns the keywords, in the spelling of the formatter.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    TOPICS
        .iter()
        .flat_map(Topic::words)
        .filter(|word| word.bytes().all(|one| one.is_ascii_alphabetic()))
}

impl Topic {
    /// Returns the words one by one.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.name.split('/')
    }

    /// Returns the documentation, in the form of a documentation comment without its signs.
    pub fn documentation(&self) -> String {
        let mut summary = self.summary.chars();
        let first = summary.next().map(|first| first.to_uppercase().to_string());
        format!("{}{}.\n\n{}", first.unwrap_or_default(), summary.as_str(), self.details)
    }
}
