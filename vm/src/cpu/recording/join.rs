//! Decides which instructions are recorded, which are independent of the tape, and which require a
//! flush.

use star_ir::Query;

use super::super::bits::index_in;
use super::super::class::{Bitwise, Class, Effects};
use super::super::code::RoutineCode;
use super::super::inst::Inst;
use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::probe::Probe;
use super::super::table::Table;
use super::super::table::form::{Line, bytes_of};
use super::Deferred;
use crate::interrupt::Exec;
use crate::tape::{Answer, ValueId};

impl Interpreter<'_, '_, '_> {
    /// Records an instruction whose operands have `len` components, if that is long enough. Returns
    /// false if it must be executed instead.
    #[inline]
    pub(in crate::cpu) fn record_long(&mut self, inst: Inst, len: usize) -> Exec<bool> {
        if len / 64 < self.parallelism.settings.record_limbs {
            return Ok(false);
        }
        self.record(inst.class())
    }

    /// Records an instruction while other operations are recorded. If this is impossible, returns
    /// false: the instruction must be executed, and the tape was flushed if the instruction could
    /// observe a difference.
    pub(in crate::cpu) fn join<P: Probe>(
        &mut self,
        inst: Inst,
        routine: &RoutineCode,
        probe: &mut P,
    ) -> Exec<bool> {
        let class = inst.class();
        if self.is_full() && class.may_be_recorded() {
            // It begins the next tape, if it is long.
            self.flush_for(probe)?;
            return Ok(false);
        }
        if self.record(class)? {
            return Ok(true);
        }
        if let Inst::Return = inst {
            self.drop_locals(routine);
            if self.may_return(routine) {
                return Ok(false);
            }
        } else if let Inst::Call(number) = inst
            && self.may_call(&routine.calls[number as usize])
        {
            return Ok(false);
        } else if let Inst::Size(inst) = inst
            && self.leaves_bits(inst)
        {
            return Ok(false);
        } else if let Inst::Unset(place) = inst {
            self.drop_pending(place);
        }
        if let Class::Query { dst, query: Query::Count, of } = class
            && let Some(n_ones) = self.count_of_copies(&of)?
        {
            self.paths.copies_counted += 1;
            self.set(dst, n_ones as i64);
            return Ok(true);
        }
        let answered = match class {
            Class::Query { query, of, .. } => self.record_query(query, &of),
            _ => false,
        };
        if answered || !self.is_apart(&class) {
            let answers = self.flush_for(probe)?;
            if let (Class::Query { dst, query, of }, [answer]) = (class, &answers[..]) {
                self.answer(dst, query, of.of(), *answer);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Executes the recorded operations before the current instruction.
    pub(in crate::cpu) fn flush_for<P: Probe>(&mut self, probe: &mut P) -> Exec<Vec<Answer>> {
        probe.flush(&self.recorder.deferred);
        let answers = self.flush_for_answers()?;
        probe.flushed();
        Ok(answers)
    }

    /// Has the tape reached its maximum length?
    fn is_full(&self) -> bool {
        self.recorder.deferred.len() >= self.parallelism.settings.record_ops
    }

    /// Records an instruction if tapes support it and this tape has room.
    pub(in crate::cpu) fn record(&mut self, class: Class) -> Exec<bool> {
        match class {
            Class::Bitwise(op) => self.record_bitwise(&op),
            Class::Fill { dst, len, bit } => {
                let Ok(n_rows) = usize::try_from(self.number(len)) else { return Ok(false) };
                self.record_fill(dst, n_rows, bit)
            }
            Class::Load { dst, table, line: Line::Column, index } => {
                let columns = self.table_slot(table).table.get();
                let columns = columns.filter(|table| table.columns().is_some());
                let Some(columns) = columns else { return Ok(false) };
                let (n_rows, n_cols) = (columns.n_rows(), columns.n_cols());
                let col_idx = index_in(self.number(index), n_cols)?;
                if !self.takes(n_rows) {
                    return Ok(false);
                }
                self.claim(dst, n_rows)?;
                let port = self.recorder.column(self.shared_from(table), col_idx, false);
                let value = self.recorder.tape.load(port);
                self.assign(dst, value, n_rows);
                Ok(true)
            }
            Class::Store { table, line: Line::Column, index, value } => {
                let n_rows = self.bits(value).len();
                let of = self.table(table)?;
                let col_idx = index_in(self.number(index), of.n_cols())?;
                let takes_limbs = match of.is_sparse_by_columns() {
                    true => !self.is_pending(value),
                    false => self.may_begin_sparse(table, value),
                };
                if takes_limbs {
                    return Ok(false);
                }
                if of.n_rows() != n_rows || !self.takes(n_rows) || !self.may_store(table)? {
                    return Ok(false);
                }
                let value = self.loaded(value);
                let port = self.recorder.column(self.table_at(table), col_idx, true);
                self.recorder.tape.store(port, value);
                self.deferred(n_rows);
                Ok(true)
            }
            Class::Load { line: Line::Row, .. }
            | Class::Store { line: Line::Row, .. }
            | Class::Query { .. }
            | Class::Guard(_)
            | Class::Cost
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => Ok(false),
        }
    }

    /// Records that all components have one value.
    pub(in crate::cpu) fn record_fill(&mut self, dst: Reg, n_rows: usize, bit: bool) -> Exec<bool> {
        if !self.takes(n_rows) {
            return Ok(false);
        }
        self.claim(dst, n_rows)?;
        let value = self.recorder.tape.constant(bit);
        self.assign(dst, value, n_rows);
        Ok(true)
    }

    fn record_bitwise(&mut self, op: &Bitwise) -> Exec<bool> {
        let [first, rest @ ..] = op.of() else { return Ok(false) };
        let n_rows = self.bits(*first).len();
        for other in rest {
            self.same_length(*first, *other)?;
        }
        if !self.takes(n_rows) {
            return Ok(false);
        }
        self.claim(op.dst, n_rows)?;
        let value = self.value_of(op);
        self.assign(op.dst, value, n_rows);
        Ok(true)
    }

    /// Returns the value of a function of slices.
    fn value_of(&mut self, op: &Bitwise) -> ValueId {
        let mut inputs = [ValueId::default(); 3];
        for (input, reg) in inputs.iter_mut().zip(op.of()) {
            *input = self.loaded(*reg);
        }
        self.recorder.tape.lut(op.table, &inputs[..op.of().len()])
    }

    /// Returns the value of a slice: a constant if known, which is never so for a pending slice.
    fn loaded(&mut self, reg: Reg) -> ValueId {
        match self.bits_slot(reg).known.constant() {
            Some(bit) => self.recorder.tape.constant(bit),
            None => self.recorder.value(self.bits_at(reg)),
        }
    }

    /// Defers a query about slices to the flush of the tape, if one of them is pending.
    pub(in crate::cpu) fn record_query(&mut self, query: Query, of: &Bitwise) -> bool {
        let is_pending = of.of().iter().any(|reg| self.is_pending(*reg));
        let fits = |reg: &Reg| self.bits(*reg).len() == self.recorder.n_rows;
        if !is_pending || !of.of().iter().all(fits) {
            return false;
        }
        let value = self.value_of(of);
        self.recorder.tape.query(query, value);
        true
    }

    /// Does this match the length of the slices on the tape, if any?
    fn takes(&self, n_rows: usize) -> bool {
        self.recorder.deferred.is_empty() || self.recorder.n_rows == n_rows
    }

    /// Assigns a value to a slice that was claimed before.
    fn assign(&mut self, dst: Reg, value: ValueId, n_rows: usize) {
        let port = self.recorder.slice(self.bits_at(dst));
        self.recorder.tape.store(port, value);
        self.deferred(n_rows);
    }

    /// Records the current instruction as deferred.
    fn deferred(&mut self, n_rows: usize) {
        self.recorder.n_rows = n_rows;
        let routine = self.frames.last().map_or(0, |frame| frame.routine);
        self.recorder.deferred.push(Deferred { routine, pc: self.pc });
        self.recorder.is_open = true;
    }

    /// Gives the result of a recorded operation its length and memory now.
    pub(in crate::cpu) fn claim(&mut self, dst: Reg, len: usize) -> Exec<()> {
        self.budget.reserve(bytes_of(len))?;
        let at = self.base.bits + dst as usize;
        let before = self.bits[at].n_bytes();
        let mut bits = std::mem::take(&mut self.bits[at].bits);
        let lengthened = self.lengthen(&mut bits, len);
        self.bits[at].bits = bits;
        lengthened?;
        let slot = &mut self.bits[at];
        slot.is_set = true;
        slot.known.forget();
        self.budget.exchange(before, bytes_of(len));
        Ok(())
    }

    /// Makes a table uniquely owned and stored by columns before a store to it is recorded; false
    /// if this does not pay. Earlier records may refer to a form that this removes.
    fn may_store(&mut self, table: Reg) -> Exec<bool> {
        let keeps_form = self.owns(table) && self.table(table)?.is_home(Line::Column);
        if !keeps_form && self.touches_table(table) {
            return Ok(false);
        }
        self.own_lines(table, Line::Column, Table::all_changes)
    }

    /// May the instruction be executed before the recorded ones? It must neither read pending
    /// values, nor change inputs or pending values.
    pub(in crate::cpu) fn is_apart(&self, class: &Class) -> bool {
        let keeps = |reg: &Reg| !self.recorder.touches(self.bits_at(*reg));
        let knows = |reg: &Reg| !self.is_pending(*reg);
        match class {
            Class::Cost | Class::Scalar => true,
            Class::Guard(test) => test.looks_at().iter().flatten().all(knows),
            Class::Bitwise(op) => keeps(&op.dst) && op.of().iter().all(knows),
            Class::Fill { dst, .. } => keeps(dst),
            Class::Load { dst, table, .. } => keeps(dst) && !self.stores_to(*table),
            Class::Store { table, value, .. } => knows(value) && !self.touches_table(*table),
            Class::Query { of, .. } => of.of().iter().all(knows),
            Class::Other(Effects { reads, writes, reads_table, writes_table }) => {
                reads.iter().flatten().all(knows)
                    && writes.iter().all(keeps)
                    && reads_table.is_none_or(|table| !self.stores_to(table))
                    && writes_table.is_none_or(|table| !self.touches_table(table))
            }
            Class::Control => false,
        }
    }

    /// Is the value of a slice pending?
    pub(in crate::cpu) fn is_pending(&self, reg: Reg) -> bool {
        self.recorder.is_pending(self.bits_at(reg))
    }

    /// Are columns of a table pending?
    pub(super) fn stores_to(&self, table: Reg) -> bool {
        self.recorder.stores_to(self.table_at(table))
    }

    /// Are columns of the register's uniquely owned table loaded or stored?
    fn touches_table(&self, table: Reg) -> bool {
        self.recorder.touches_table(self.table_at(table))
    }

    /// Returns the number of rows of a table, for a comparison with the limit for recording.
    #[inline]
    pub(in crate::cpu) fn rows_of(&self, table: Reg) -> usize {
        self.table_slot(table).table.get().map_or(0, Table::n_rows)
    }
}
