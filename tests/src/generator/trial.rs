//! Execution of a generated program on the backends, with a description of any failure.

use star_vm::{Limits, Outcome};

use super::Generated;
use super::shrink::shrink;
use super::source::Source;
use crate::backends::Machine;
use crate::case::ending;
use crate::differ::{InBothModes, Same, same};
use crate::run::{Program, RunResult};

/// Limits that only endless programs reach.
pub const LIMITS: Limits =
    Limits { steps: Some(1_000_000), memory: Some(1 << 26), output: Some(1 << 22), depth: 200 };

/// The number of texts that shrinking tries.
const MOST_TRIED: usize = 3000;

/// The result of trying a text.
#[derive(Debug)]
pub enum Verdict {
    /// It ran with the same result on every backend.
    Same(Box<RunResult>),
    /// The compiler rejected it; its messages.
    Refused(String),
    /// The compiler or the reference failed, or backends differ; a description.
    Wrong(String),
}

impl Generated {
    /// Compiles and runs another text with the program's arguments, options and passes.
    pub fn try_text(&self, source: &Source, machines: &[Machine]) -> (Verdict, Option<Program>) {
        let compilation = crate::check(&source.to_string());
        if compilation.has_errors() {
            return (Verdict::Refused(crate::messages(&compilation).join("\n")), None);
        }
        let lowered = match star_compiler::lower(&compilation, &self.options) {
            Ok(lowered) => lowered,
            Err(error) => return (Verdict::Wrong(error.message.clone()), None),
        };
        let program = Program::of(compilation, lowered);
        if !program.compilation.entries().iter().any(|known| known.name == self.entry) {
            return (Verdict::Refused("no entry".to_owned()), None);
        }
        let compiled = InBothModes::with_passes(&program.lowered.program, machines, &self.passes);
        let verdict = match same(&program, &compiled, &self.entry, &self.args, LIMITS) {
            Same::Yes(agreement) => match &agreement.run.outcome {
                Outcome::Internal(why) => Verdict::Wrong(format!("internal: {why}")),
                Outcome::Unsupported { what } => Verdict::Wrong(format!("not supported: {what}")),
                Outcome::DeviceLost { why } => Verdict::Wrong(format!("device lost: {why}")),
                Outcome::Done | Outcome::Trap(_) | Outcome::Limit { .. } => {
                    Verdict::Same(Box::new(agreement.run))
                }
            },
            Same::No(difference) => Verdict::Wrong(difference),
        };
        (verdict, Some(program))
    }

    /// Compiles and runs the program; `None` if the compiler rejects a deliberate error.
    ///
    /// # Errors
    /// A description, if backends differ, or if the program does not end well although it contains
    /// no deliberate error.
    pub fn tried(&self, machines: &[Machine]) -> Result<Option<RunResult>, String> {
        let (verdict, program) = self.try_text(&self.source, machines);
        match (self.complaint(&verdict, program.as_ref()), verdict) {
            (Some(why), _) => Err(why),
            (None, Verdict::Same(run)) => Ok(Some(*run)),
            (None, Verdict::Refused(_) | Verdict::Wrong(_)) => Ok(None),
        }
    }

    /// Returns the program, and a smaller text with a failure of the same kind as `why`.
    pub fn shrunk(&self, why: &str, machines: &[Machine]) -> String {
        let kind = |why: &str| why.split([' ', ':']).next().unwrap_or_default().to_owned();
        let Generated { source, args, options, .. } = self;
        let smallest = shrink(source, MOST_TRIED, |source| {
            let (verdict, program) = self.try_text(source, machines);
            let complaint = self.complaint(&verdict, program.as_ref());
            complaint.is_some_and(|other| kind(&other) == kind(why))
        });
        format!("{source}\nsmaller:\n{smallest}\n{args:?} with {options:?}")
    }

    fn complaint(&self, verdict: &Verdict, program: Option<&Program>) -> Option<String> {
        match verdict {
            Verdict::Wrong(why) => Some(format!("wrong: {why}")),
            Verdict::Refused(messages) if self.ends_well() => Some(format!("refused: {messages}")),
            Verdict::Refused(_) => None,
            Verdict::Same(run) if self.ends_well() && run.outcome != Outcome::Done => {
                program.map(|program| ending(program, run))
            }
            Verdict::Same(_) => None,
        }
    }
}
