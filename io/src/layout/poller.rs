//! Polling for interruption during layout.

use star_base::Code;

use super::LayoutOptions;
use crate::error::FileError;

/// Steps between two polls. A step sets a bit anywhere in a large table: at most two microseconds,
/// the time in which the system provides a new page, so that polls come at least every 20 ms.
const STEPS: usize = 1 << 13;

/// Counts steps.
pub(super) struct InterruptPoller<'a> {
    rest: usize,
    go_on: Option<&'a mut dyn FnMut() -> bool>,
    file: &'a str,
}

impl<'a> InterruptPoller<'a> {
    /// Creates a poller for the sink of the options.
    pub(super) fn new<'b: 'a>(options: &'a mut LayoutOptions<'b>) -> Self {
        let LayoutOptions { file, max_bytes: _, by_rows: _, go_on } = options;
        let go_on = go_on.as_mut().map(|go_on| &mut **go_on as &mut dyn FnMut() -> bool);
        InterruptPoller { rest: STEPS, go_on, file }
    }

    /// Counts `n` completed or upcoming steps.
    #[inline]
    pub(super) fn step(&mut self, n: usize) -> Result<(), FileError> {
        match self.rest.checked_sub(n) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => self.ask(),
        }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), FileError> {
        self.rest = STEPS;
        match self.go_on.as_mut().is_none_or(|go_on| go_on()) {
            true => Ok(()),
            false => Err(FileError::new(Code::Interrupted, self.file, "interrupted")),
        }
    }
}
