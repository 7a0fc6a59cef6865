//! Flush of a tape.

use star_value::{BitTable, BitVector};

use star_ir::Query;

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::registers::CowTable;
use super::super::table::form::Line;
use super::{Port, Recorder};
use crate::interrupt::{Exec, internal_error};
use crate::tape::{Answer, Lane, Plan, PortId, Strips};

/// The outputs of a tape, moved out of their registers.
#[derive(Default)]
struct Taken {
    slices: Vec<(usize, usize, BitVector)>,
    tables: Vec<(usize, CowTable)>,
    /// The tables in used memory, by their numbers in `tables`, and their zeros.
    in_used: Vec<(usize, BitTable)>,
    /// Cache lines that the run did not read.
    n_unread: u64,
}

impl Interpreter<'_, '_, '_> {
    /// Executes the recorded operations, if any. Only a flag stops this; the outputs are then in an
    /// intermediate state.
    pub(in crate::cpu) fn flush(&mut self) -> Exec<()> {
        self.flush_for_answers().map(drop)
    }

    /// Does the same and returns the results of the tape's reductions.
    pub(in crate::cpu) fn flush_for_answers(&mut self) -> Exec<Vec<Answer>> {
        if !self.recorder.is_open() {
            return Ok(Vec::new());
        }
        let mut recorder = std::mem::take(&mut self.recorder);
        let done = if recorder.tape.has_effect() {
            let (plan, is_known) = recorder.plans.of(&recorder.tape);
            self.paths.plans_known += u64::from(is_known);
            self.paths.cascades += plan.n_cascades() as u64;
            self.paths.searches_narrowed += plan.n_narrowed as u64;
            self.paths.columns_added += plan.n_added() as u64;
            self.run_plan(&recorder, &plan)
        } else {
            Ok(Vec::new())
        };
        if !recorder.deferred.is_empty() {
            self.paths.tapes_flushed += 1;
            self.paths.ops_recorded += recorder.deferred.len() as u64;
        }
        recorder.clear();
        self.recorder = recorder;
        done
    }

    fn run_plan(&mut self, recorder: &Recorder, plan: &Plan) -> Exec<Vec<Answer>> {
        let mut taken = Taken::default();
        for (idx, port) in recorder.ports.iter().enumerate() {
            if !plan.ports[idx].is_written {
                continue;
            }
            match *port {
                Port::Slice(at) => {
                    let bits = std::mem::take(&mut self.bits[at].bits);
                    taken.slices.push((idx, at, bits));
                }
                Port::Column(at, _) => {
                    if taken.tables.iter().all(|(known, _)| *known != at) {
                        let mut table = std::mem::take(&mut self.tables[at].table);
                        let zeros = self.move_to_used(recorder, at, &mut table);
                        taken.in_used.extend(zeros.map(|zeros| (taken.tables.len(), zeros)));
                        taken.tables.push((at, table));
                    }
                }
                Port::Gone => return Err(internal_error("a tape that writes a released register")),
            }
        }
        let done = self.run_lanes(recorder, plan, &mut taken);
        self.paths.lines_unread += taken.n_unread;
        for (nth, zeros) in taken.in_used {
            if let (Err(_), Some(table)) = (&done, taken.tables[nth].1.get_mut()) {
                table.move_back(zeros);
            }
        }
        for (_, at, bits) in taken.slices {
            self.bits[at].bits = bits;
        }
        for (at, table) in taken.tables {
            self.tables[at].table = table;
        }
        done
    }

    /// Moves a table to used memory, if there is any, nothing was written to the table yet, and the
    /// tape overwrites all its columns. Returns its zeros then.
    fn move_to_used(
        &mut self,
        recorder: &Recorder,
        at: usize,
        table: &mut CowTable,
    ) -> Option<BitTable> {
        let table = table.get_mut().filter(|table| table.is_unwritten())?;
        let is_overwritten =
            |port: PortId| recorder.tape.stored(port).is_some() && !recorder.tape.is_loaded(port);
        let columns = recorder.columns.iter();
        let n_cols = columns.filter(|((of, _), port)| *of == at && is_overwritten(**port)).count();
        if n_cols < table.n_cols() {
            return None;
        }
        Some(table.move_to(self.used_memory(table.n_limbs())?))
    }

    fn run_lanes(&self, recorder: &Recorder, plan: &Plan, taken: &mut Taken) -> Exec<Vec<Answer>> {
        let mut lanes: Vec<Lane<'_>> = plan.ports.iter().map(|_| Lane::default()).collect();
        for (idx, port) in recorder.ports.iter().enumerate() {
            if !plan.ports[idx].is_read || plan.ports[idx].is_written {
                continue;
            }
            let limbs = match *port {
                Port::Slice(at) => self.bits[at].bits.limbs(),
                Port::Column(at, _) if taken.tables.iter().any(|(known, _)| *known == at) => {
                    continue;
                }
                Port::Column(at, col_idx) => self
                    .column_limbs(at, col_idx)
                    .ok_or_else(|| internal_error("no table by columns"))?,
                Port::Gone => return Err(internal_error("a tape that reads a released register")),
            };
            lanes[idx] = Lane::Read { limbs, stride: 0 };
        }
        for (idx, _, bits) in &mut taken.slices {
            lanes[*idx] = Lane::Written { limbs: bits.limbs_mut(), stride: 0 };
        }
        for (at, table) in &mut taken.tables {
            let table =
                table.get_mut().ok_or_else(|| internal_error("a table that is still shared"))?;
            let ports = recorder.columns.iter().filter(|((of, _), port)| {
                let used = plan.ports[port.0 as usize];
                of == at && (used.is_read || used.is_written)
            });
            let mut columns: Vec<(usize, PortId)> =
                ports.map(|((_, col_idx), port)| (*col_idx, *port)).collect();
            columns.sort_unstable_by_key(|(col_idx, _)| *col_idx);
            if !table.is_home(Line::Column) {
                return Err(internal_error("a table by rows as the target of a recorded store"));
            }
            column_lanes(table.lines_mut(Line::Column), &columns, &mut lanes);
        }
        let strips = Strips::new(&self.parallelism, plan, recorder.n_rows);
        let answers = strips.line(lanes);
        taken.n_unread = strips.n_unread();
        answers
    }

    /// Returns a column, zero-based, of the table in a register, if its columns are contiguous.
    pub(super) fn column_limbs(&self, at: usize, col_idx: usize) -> Option<&[u64]> {
        let table = self.tables[at].table.get()?;
        let columns = table.columns()?;
        Some(&columns.storage[col_idx * columns.stride..][..table.n_rows().div_ceil(64)])
    }

    /// Stores the answer to a query that a flush has computed from slices.
    pub(super) fn answer(&mut self, dst: Reg, query: Query, of: &[Reg], answer: Answer) {
        if let (Answer::First(first), [of]) = (answer, of) {
            let n_zeros = first.unwrap_or(self.bits(*of).len()) / 64;
            self.known_zeros(*of, n_zeros);
        }
        self.set(dst, answer.to(query));
    }
}

/// Appends the lanes of several columns of a table, in the order of their indices.
fn column_lanes<'t>(form: &'t mut BitTable, columns: &[(usize, PortId)], lanes: &mut [Lane<'t>]) {
    let (stride, mut next) = (form.stride(), 0);
    let mut rest = form.storage_mut();
    for (col_idx, port) in columns {
        let (_, behind) = rest.split_at_mut((col_idx - next) * stride);
        let (limbs, behind) = behind.split_at_mut(stride.min(behind.len()));
        lanes[port.0 as usize] = Lane::Written { limbs, stride: 0 };
        rest = behind;
        next = col_idx + 1;
    }
}
