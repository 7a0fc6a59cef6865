//! Options of long runs: checkpoints, and their continuation.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use star_base::{Code, Diagnostic};
use star_os::checkpoint::CheckpointFolder;
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_os::size_args::parse_time;

use super::{RunArgs, RunFormat};

/// Options of long runs.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Long runs")]
pub(crate) struct LongRunArgs {
    /// Save the state of the run in a folder, at iterations of the outermost loops
    ///
    /// Each checkpoint replaces the last one in the folder, which must exist. Backends `cpu` and
    /// `ranks`.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,

    /// Save it again after this time: `30s`, `10m`, `1h`; `0s` saves it in each iteration
    #[arg(
        long,
        value_name = "TIME",
        default_value = "10m",
        value_parser = parse_time,
        requires = "checkpoint"
    )]
    every: Duration,

    /// Continue a run from the checkpoint in a folder
    ///
    /// The program, its arguments, the number of ranks and the options that change how the program
    /// is compiled must be the same.
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

impl LongRunArgs {
    /// Tests whether the run can be saved or is continued.
    pub(super) fn is_used(&self) -> bool {
        self.checkpoint.is_some() || self.resume.is_some()
    }

    /// Tests whether checkpoints are written.
    pub(super) fn writes(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Returns the folders of checkpoints, if the run has any.
    ///
    /// # Errors
    /// E0608 if other options exclude them; those of [`CheckpointFolder::new`].
    pub(super) fn open(
        &self,
        args: &RunArgs,
        flags: &Flags,
        reporter: &Reporter,
    ) -> Result<Option<CheckpointFolder>, Diagnostic> {
        let LongRunArgs { checkpoint, every, resume } = self;
        if !self.is_used() {
            return Ok(None);
        }
        let option = if checkpoint.is_some() { "--checkpoint" } else { "--resume" };
        let backend = args.options.backend.as_str();
        if !["cpu", "ranks"].contains(&backend) {
            let message = format!("`{option}` is not available with the backend `{backend}`");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            return Err(diagnostic.help(format!("omit `--backend {backend}`")));
        }
        let excluded = [
            ("--profile", args.options.profile.is_some()),
            ("--format json", args.format == RunFormat::Json),
        ];
        if let Some((other, _)) = excluded.iter().find(|(_, is_given)| *is_given) {
            let message = format!("`{option}` cannot be combined with `{other}`");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            return Err(diagnostic.help(format!("omit `{other}`")));
        }
        let to = checkpoint.as_deref().map(|folder| (folder, *every));
        CheckpointFolder::new(to, resume.as_deref(), flags, reporter).map(Some)
    }
}
