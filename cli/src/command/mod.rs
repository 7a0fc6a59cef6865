//! The subcommands, one file each.

pub(crate) mod bench;
pub(crate) mod benchcmp;
pub(crate) mod benchpage;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod dev;
pub(crate) mod doc;
pub(crate) mod doctor;
pub(crate) mod explain;
mod figures;
pub(crate) mod fmt;
pub(crate) mod generate;
pub(crate) mod graph;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod moving;
pub(crate) mod new;
pub(crate) mod repl;
pub(crate) mod run;
pub(crate) mod test;
pub(crate) mod view;

use star_base::Severity;
use star_compiler::{Compilation, SourceLoader};
use star_os::report::Reporter;

use crate::text;

/// Maximum number of errors shown for a file, and of warnings.
const MAX_SHOWN: usize = 200;

/// The compiler messages to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lints {
    /// Errors and warnings.
    Shown,
    /// Errors only.
    Hidden,
}

/// Numbers of errors and warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Errors.
    pub(crate) errors: usize,
    /// Warnings.
    pub(crate) warnings: usize,
}

impl Tally {
    /// Formats `2 errors, 1 warning`; `None` if both are zero.
    pub(crate) fn summary(self) -> Option<String> {
        let Tally { errors, warnings } = self;
        let parts = [(errors, "error"), (warnings, "warning")];
        let parts = parts.iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|&(n, noun)| text::count(n, noun)).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Compiles a file found by this loader and shows its diagnostics.
fn compile(
    loader: &mut dyn SourceLoader,
    file: &str,
    lints: Lints,
    reporter: &Reporter,
) -> (Compilation, Tally) {
    let compilation = star::pipeline::check(file, loader);
    let mut tally = Tally::default();
    let mut n_left_out = 0;
    for diagnostic in &compilation.diagnostics {
        let n_alike = match diagnostic.severity() {
            Severity::Error => &mut tally.errors,
            Severity::Warning if lints == Lints::Hidden => continue,
            Severity::Warning => &mut tally.warnings,
            Severity::Note => {
                reporter.diagnostic(&compilation.sources, diagnostic);
                continue;
            }
        };
        *n_alike += 1;
        if *n_alike <= MAX_SHOWN {
            reporter.diagnostic(&compilation.sources, diagnostic);
        } else {
            n_left_out += 1;
        }
    }
    if n_left_out > 0 {
        let messages = text::count(n_left_out, "message");
        reporter.note(&format!("{file}: {messages} omitted"));
    }
    (compilation, tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_counts_errors_and_warnings() {
        let summary = |errors, warnings| Tally { errors, warnings }.summary();
        assert_eq!(summary(2, 1).as_deref(), Some("2 errors, 1 warning"));
        assert_eq!(summary(0, 2).as_deref(), Some("2 warnings"));
        assert_eq!(summary(0, 0), None);
    }
}
