//! Lines that a dispatch has left to be printed (Note \[Journal\] in star-shaders).
//!
//! The journal has room only for lines that are certain to be within the limit of output; when no
//! more of these fit, the host prints each line immediately, so that a run ends at the line that
//! exceeds the limit. Only the failure to print a line is detected late: the trap names the line,
//! but not the calls that led to it, and variables have the values that the program has assigned
//! meanwhile.

use star_ir::{Frame, Operand, RoutineId, Trap, Ty};
use star_shaders::layout::{state, status};
use star_value::Value as HostValue;
use star_vm::BackendError;
use star_vm::interrupt::Stop;

use super::{DeviceRun, End};
use crate::compile::SiteKind;
use crate::program::internal;
use crate::value::{ObjectKind, Sizes, object_of_words};

/// Maximum number of printed bytes of a word of the journal: 32 components, each on a separate
/// line, and sizes.
const SHOWN_BYTES: u64 = 160;

impl DeviceRun<'_, '_> {
    /// Returns the words of the journal that the next dispatch may write.
    pub(super) fn journal_room(&self) -> u32 {
        let Some(line_bytes) = self.plan.line_bytes else { return 0 };
        let words = self.heap.unit.journal_words();
        let Some(limit) = self.control.limits.output else { return words };
        let text = self.texts.iter().map(|text| text.len() as u64).max().unwrap_or(0);
        let left = limit.saturating_sub(self.control.stats.output_bytes);
        let fits = left / (SHOWN_BYTES + text + line_bytes);
        words.min(u32::try_from(fits).unwrap_or(u32::MAX))
    }

    /// Prints the journal of the last dispatch. An incomplete line is restarted, or printed
    /// directly if it is the first.
    pub(super) fn print_journal(&mut self) -> Result<(), End> {
        let words = self.heap.unit.journal().to_vec();
        let mut journal = Journal { words: &words, at: 0 };
        while journal.at < words.len() {
            let start = journal.at;
            let pc = words[start];
            let Some((id, values)) = self.line(&mut journal)? else {
                self.put(state::PC, if start > 0 { pc } else { pc + 1 });
                let status = if start > 0 { status::RUNNING } else { status::HOST };
                self.put(state::STATUS, status);
                return Ok(());
            };
            self.print(&values).map_err(|stop| self.left_behind(id, pc, stop))?;
        }
        if self.get(state::STATUS) == status::JOURNAL {
            self.put(state::STATUS, status::RUNNING);
        }
        Ok(())
    }

    /// Returns the next line, and the routine that printed it; `None` if it is incomplete.
    fn line(
        &self,
        journal: &mut Journal<'_>,
    ) -> Result<Option<(RoutineId, Vec<HostValue>)>, BackendError> {
        let no_line = || internal("invalid line in the journal");
        let pc = journal.word().ok_or_else(no_line)?;
        let (id, inst) = self.plan.inst(pc).ok_or_else(no_line)?;
        let site = self.site(id, inst)?.ok_or_else(no_line)?;
        let SiteKind::Print(items) = &site.kind else { return Err(no_line()) };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let value = match item.operand() {
                Operand::Var(var) => {
                    let ty = self.plan.program.routine(id).var(*var).ty;
                    match self.shown(ty, journal)? {
                        Some(value) => value,
                        None => return Ok(None),
                    }
                }
                Operand::Int(number) => HostValue::Int(*number),
                Operand::Bool(truth) => HostValue::Bool(*truth),
                Operand::Str(text) => HostValue::Str(text.to_string()),
            };
            values.push(self.printed(item, value));
        }
        Ok(Some((id, values)))
    }

    /// Returns the value of a variable in the journal; `None` if it is missing.
    fn shown(&self, ty: Ty, journal: &mut Journal<'_>) -> Result<Option<HostValue>, BackendError> {
        let Some(first) = journal.words(2) else { return Ok(None) };
        let Some(kind) = ObjectKind::of(ty) else {
            let number = u64::from(first[0]) | u64::from(first[1]) << 32;
            return self.host_number(ty, Some(number as i64)).map(Some);
        };
        let sizes = Sizes { kind, rows: first[0], columns: first[1] };
        let Some(words) = journal.words(sizes.words() as usize) else { return Ok(None) };
        object_of_words(sizes, words).map(Some)
    }

    /// Returns the trap of a line that the program has passed meanwhile.
    fn left_behind(&self, id: RoutineId, pc: u32, stop: Stop) -> End {
        let (Stop::Trap(kind), Some((_, inst))) = (&stop, self.plan.inst(pc)) else {
            return stop.into();
        };
        let frame = |routine| Frame { routine, call: None };
        let mut frames = vec![frame(self.plan.entry)];
        if id != self.plan.entry {
            frames.push(frame(id));
        }
        End::Behind(Box::new(Trap {
            kind: kind.clone(),
            loc: inst.loc,
            frames,
            values: Vec::new(),
        }))
    }
}

/// The words written by a dispatch, and the read position.
struct Journal<'w> {
    words: &'w [u32],
    at: usize,
}

impl<'w> Journal<'w> {
    fn words(&mut self, n: usize) -> Option<&'w [u32]> {
        let words = self.words.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(words)
    }

    fn word(&mut self) -> Option<u32> {
        self.words(1).map(|words| words[0])
    }
}
