//! The catalogue of diagnostics: one code per kind of message.
//!
//! The prefix is the kind: `E01` text, `E02` names, `E03` types, `E04` sizes, `E05` data files,
//! `E06` the command line, `E07` documentation, `T01` traps, `L01` limits, `W01` lints, `N01`
//! program transformations, `I00` faults of the toolchain itself. A code is never reused. The
//! explanation of a code, with an example that a test runs, is `explain/CODE.md`.

use std::fmt;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No fault: requested information.
    Note,
    /// A potential fault: a lint.
    Warning,
    /// The request cannot be carried out.
    Error,
}

macro_rules! codes {
    ($($code:ident $name:ident $title:literal)*) => {
        /// The kinds of messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!("`", stringify!($code), "`: ", $title, ".")] $name,)*
        }

        impl Code {
            /// All codes, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// Returns the code as printed: `E0101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => stringify!($code),)* }
            }

            /// Returns a short description of the fault.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// Returns the explanation, in Markdown, with an example.
            pub fn explanation(self) -> &'static str {
                match self {
                    $(Code::$name => include_str!(concat!("explain/", stringify!($code), ".md")),)*
                }
            }
        }
    };
}

codes! {
    E0101 UnexpectedCharacter "a character that is not part of Star"
    E0102 Unterminated "an unterminated comment, string or bit constant"
    E0103 BadBits "a bit constant with a character other than 0 and 1"
    E0104 NumberTooLarge "a number that does not fit 64 bits"
    E0105 UnexpectedToken "an unexpected token"
    E0106 SemicolonBeforeElse "a semicolon before `else`"
    E0107 LineNumbers "line numbers before every line"
    E0108 NestedTooDeeply "nested too deeply"
    E0109 GotoUnsupported "`goto` and labels"
    E0110 NotUtf8 "a source file that is not UTF-8 text"
    E0111 SourceUnreadable "a source file that cannot be read"
    E0112 SourceTooLarge "a source file that is too large"
    E0113 ReservedWord "a word reserved for an extension"

    E0201 UnknownName "a name that is not declared"
    E0202 UnknownRoutine "a routine that is not declared"
    E0203 DuplicateName "a name declared twice"
    E0204 ImportNotFound "an import that cannot be read"
    E0205 NameFromTwoImports "a name that two imports declare"
    E0206 AmbiguousCase "a routine name that matches several when case is ignored"
    E0207 NotAVariable "a routine where a variable is meant, or the other way round"
    E0208 SecondProgram "a second `program`"
    E0209 NotConstant "a constant whose value is not constant"
    E0210 BadRecordType "an invalid record type"

    E0301 TypeMismatch "a value of the wrong type"
    E0302 ArgumentCount "the wrong number of arguments"
    E0303 VarNeedsVariable "a `var` argument that is not a variable"
    E0304 AliasedVar "two `var` arguments that are the same variable"
    E0305 ReadOnly "an assignment to a read-only value"
    E0306 NotAssignable "a left side that is not assignable"
    E0307 ComponentAsCondition "a component of a slice or word used as a condition"
    E0308 FunctionResult "a function without a scalar result type"
    E0309 OutsideLoop "`break` or `continue` outside a loop"
    E0310 ProcedureAsValue "a procedure used as a value"
    E0311 UnknownBitsType "a bit constant of unknown type or size"
    E0312 HyphenatedFunction "a function whose name has a hyphen"
    E0313 NoSuchOrder "an order comparison of words, slices or tables"
    E0314 OpaqueHandle "a handle used other than as an argument"
    E0315 NoSuchField "a field or row that does not exist"
    E0316 RecordArguments "wrong arguments of a record type"
    E0317 NotParallel "a `forall` whose iterations depend on each other"
    E0318 BadFilter "a filter that does not belong to a reduction"
    E0319 NotInWhere "a statement that applies to more than the rows of a `where`"

    E0401 SizeMismatch "sizes that cannot be equal"
    E0402 UnknownSize "a declared size that is never given a value"
    E0403 TableWithoutRows "a row or bit written into a table without rows"

    E0501 CannotOpen "a data file that cannot be opened or read"
    E0502 BadFormat "a data file with invalid contents"
    E0503 Truncated "a truncated data file"
    E0504 OutOfRange "a number in a data file outside its range"
    E0505 HeaderLies "a header that contradicts the rest of the file"
    E0506 UnknownFormat "an unknown file format"
    E0507 NoSuchLayout "an unknown or unsuitable layout"
    E0508 WidthTooSmall "a width that is too small for a value"
    E0509 CannotWrite "a file that cannot be written"
    E0510 NotAllowed "a file that the program is not permitted to access"
    E0511 DoesNotFit "data that does not fit in memory"
    E0512 OtherRun "a checkpoint of another run"

    E0601 NothingToRun "a file without a routine to run"
    E0602 WhichRoutine "several routines and no `--proc`"
    E0603 NoSuchParameter "a name that is not a parameter"
    E0604 MissingArgument "a parameter without a value"
    E0605 BadArgument "an invalid value for a parameter"
    E0606 NotAResult "an `--out` that does not name a result"
    E0607 NoBackend "a backend that is not available"
    E0608 Usage "a command line that does not parse"
    E0609 NoHeaders "no test or benchmark where one is required"
    E0610 NoPass "an unknown pass"
    E0611 PeerFails "a program of `--peer` that fails or prints no time"

    E0701 BadDocComment "an invalid documentation comment"
    E0702 ExampleFails "a failing example in a documentation comment"
    E0703 BadHeader "an invalid header of a test or benchmark"
    E0704 TestFails "a test that fails"

    T0101 IndexTrap "an index outside its range"
    T0102 SizeTrap "sizes that differ"
    T0103 UnsetTrap "a variable that was never set"
    T0104 OverflowTrap "an integer overflow"
    T0105 DivisionTrap "a division by zero"
    T0106 RangeTrap "a range that is not inside its word or slice"
    T0107 BitTrap "a component given something other than 0 and 1"
    T0108 FitTrap "a number that does not fit"
    T0109 OddTrap "a shuffle of an odd number of components"
    T0110 CarryTrap "an overflow of `ADD` or `SUBT` under `--checked`"
    T0111 AssertTrap "an assertion that does not hold"
    T0112 NoResultTrap "a function that ends without a value"
    T0113 NegativeTrap "a negative size or count"
    T0114 NoSizeTrap "a value of unknown size"
    T0115 FileTrap "a `read` or `write` that failed"

    L0101 StepLimit "the limit on steps"
    L0102 MemoryLimit "the limit on memory"
    L0103 TimeLimit "the limit on time"
    L0104 OutputLimit "the limit on output"
    L0105 DepthLimit "the limit on call depth"
    L0106 Interrupted "an interrupted run"
    L0107 DeviceLost "a device that was lost"
    L0108 ThreadLimit "a limit of the system on threads"

    W0101 EqualsAssigns "`=` or `: =` as an assignment"
    W0102 CaseVariants "two names that differ only in case"
    W0103 NeverSet "a variable that is never set"
    W0104 LoopNeverSteps "a loop whose body never changes its condition"
    W0105 HidesLibrary "a routine that hides a library routine"
    W0106 ForgottenVar "a result parameter without `var`"
    W0107 EmptyBody "a `;` directly after `then`, `else` or `do`"
    W0108 UnusedVariable "a variable that is never read"
    W0109 UnusedParameter "a parameter that is never used"
    W0110 UnusedRoutine "a routine that is never called"
    W0111 UnusedImport "an import that is never used"
    W0112 UnusedValue "an assigned value that is never read"
    W0113 UnusedSize "a size name that occurs only once"
    W0114 SameForAll "a comparison that holds for no row, or for every row"

    N0101 Plan "the transformation of a loop"

    I0001 Internal "a fault of the toolchain"
}

impl Code {
    /// Returns the code with this spelling, in any letter case.
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// Returns whether messages with this code are about something that the program does not use.
    pub fn is_about_unused(self) -> bool {
        matches!(
            self,
            Code::UnusedVariable
                | Code::UnusedParameter
                | Code::UnusedRoutine
                | Code::UnusedImport
                | Code::UnusedValue
                | Code::UnusedSize
        )
    }

    /// Returns the severity: lints are warnings, plans are notes, everything else is an error.
    pub fn severity(self) -> Severity {
        match self.as_str().as_bytes() {
            [b'W', ..] => Severity::Warning,
            [b'N', ..] => Severity::Note,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_parse_back() {
        for &code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), Some(code));
            assert_eq!(Code::parse(&code.as_str().to_lowercase()), Some(code));
        }
        assert_eq!(Code::parse("E9999"), None);
    }
}
