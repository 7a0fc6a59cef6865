//! Exit codes of commands.

use std::process::ExitCode;

use star_base::Code;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: success.
    Success,
    /// 1: a program that does not compile or cannot be read, or a failed test.
    Compile,
    /// 2: another mistake in the command line, or one that does not match the program (`E06…`).
    Usage,
    /// 3: a trap.
    Trap,
    /// 4: an exceeded limit, also while a file is read (E0511).
    Limit,
    /// 5: a data file or the output (`E05…` apart from E0511): it cannot be read or written, or its
    /// contents, extension, layout or form do not fit.
    Data,
    /// 6: a benchmark slower than `--fail-above` allows.
    Slower,
    /// 70: an internal error of the toolchain.
    Internal,
    /// 130: interrupted; the shell's number for SIGINT.
    Interrupted,
    /// 141: the reader closed standard output; the shell's number for SIGPIPE. No message. A named
    /// pipe is a file that cannot be written.
    Pipe,
}

/// The section on exit codes in `--help`.
pub const EXIT_HELP: &str = "\
Exit codes:
  0    success
  1    the program does not compile or cannot be read
  2    the command line does not parse or does not match the program
  3    the program trapped
  4    a limit was exceeded: time, memory, steps, output or nesting
  5    a file or the output: it cannot be read or written, or its contents,
       extension, layout or form do not fit
  6    `star benchcmp --fail-above`: a benchmark became slower or now fails
  70   internal error of the toolchain
  130  interrupted by Ctrl-C, SIGTERM or SIGHUP
  141  the reader closed standard output, as in `star run … | head -1`\n";

impl Exit {
    /// Returns the exit code.
    pub fn number(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Compile => 1,
            Exit::Usage => 2,
            Exit::Trap => 3,
            Exit::Limit => 4,
            Exit::Data => 5,
            Exit::Slower => 6,
            Exit::Internal => 70,
            Exit::Interrupted => 130,
            Exit::Pipe => 141,
        }
    }

    /// Returns the outcome for a message with this code.
    pub fn of(code: Code) -> Exit {
        let text = code.as_str();
        match text.split_at_checked(3).map_or(text, |(family, _)| family) {
            "E05" if code == Code::DoesNotFit => Exit::Limit,
            "E05" => Exit::Data,
            "E06" => Exit::Usage,
            "T01" => Exit::Trap,
            "L01" if code == Code::Interrupted => Exit::Interrupted,
            "L01" => Exit::Limit,
            "W01" | "N01" => Exit::Success,
            "I00" => Exit::Internal,
            _ => Exit::Compile,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_family_has_an_exit_code() {
        let numbers = [
            (Code::UnexpectedToken, 1),
            (Code::SizeMismatch, 1),
            (Code::BadFormat, 5),
            (Code::DoesNotFit, 4),
            (Code::Usage, 2),
            (Code::IndexTrap, 3),
            (Code::StepLimit, 4),
            (Code::Interrupted, 130),
            (Code::CaseVariants, 0),
            (Code::Internal, 70),
        ];
        for (code, number) in numbers {
            assert_eq!(Exit::of(code).number(), number, "{code}");
        }
    }

    #[test]
    fn help_lists_every_exit_code() {
        for exit in [
            Exit::Success,
            Exit::Compile,
            Exit::Usage,
            Exit::Trap,
            Exit::Limit,
            Exit::Data,
            Exit::Slower,
            Exit::Internal,
            Exit::Interrupted,
            Exit::Pipe,
        ] {
            let start = format!("\n  {:<5}", exit.number());
            assert!(EXIT_HELP.contains(&start), "{exit:?}");
        }
    }
}
