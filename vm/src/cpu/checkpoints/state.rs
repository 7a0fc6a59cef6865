//! The state of a run: what is written, and how it is read again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use star_base::Code;
use star_intrinsics::Ended;
use star_ir::RoutineId;
use star_value::{BitsRef, Table as HostTable, TableRef, Value as HostValue};

use super::Fault;
use super::head::{HeadReader, HeadWriter, damaged, slice};
use crate::backend::HostError;
use crate::cpu::inst::Inst;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::registers::{BitsSlot, CowTable, Frame};
use crate::cpu::table::Table;
use crate::cpu::table::form::bytes_of;
use crate::cpu::value::Value;
use crate::cpu::value::handle::{Form, Handle, Tables};
use crate::interrupt::internal_error;

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredForm {
    Columns,
    /// Its rows are the columns of the stored table.
    Rows,
    Sparse,
}

impl StoredForm {
    const ALL: [StoredForm; 3] = [StoredForm::Columns, StoredForm::Rows, StoredForm::Sparse];

    fn of(table: &Table) -> Self {
        if table.is_sparse() {
            return StoredForm::Sparse;
        }
        let is_whole = !table.is_view() && !table.is_half_transposed();
        let (_, by_columns) = table.home();
        if is_whole && !by_columns { StoredForm::Rows } else { StoredForm::Columns }
    }
}

/// Objects that several registers may share, each once.
struct Distinct<T>(Vec<Arc<T>>);

impl<T> Distinct<T> {
    /// Returns the number of the object.
    fn number(&mut self, object: Arc<T>) -> usize {
        let known = self.0.iter().position(|known| Arc::ptr_eq(known, &object));
        known.unwrap_or_else(|| {
            self.0.push(object);
            self.0.len() - 1
        })
    }
}

impl Interpreter<'_, '_, '_> {
    /// Writes the state of this rank as checkpoint `number`.
    pub(super) fn write_state(&mut self, number: u64) -> Result<(), Fault> {
        let mut head = HeadWriter::default();
        head.size(self.pc);
        head.size(self.frames.len());
        for frame in &self.frames {
            head.size(frame.routine);
            head.size(frame.back as usize);
        }
        let counts = [self.operations, self.steps, self.intrinsics_taken, self.budget.peak()];
        let counts = counts.into_iter().chain(self.own_counts());
        counts.chain([self.control.stats.output_bytes]).for_each(|count| head.number(count));
        for (number, is_set) in self.numbers.iter().zip(&self.numbers_set) {
            head.number(*number as u64);
            head.size(usize::from(*is_set));
        }
        for slot in &self.bits[..self.n_bits] {
            head.size(usize::from(slot.is_set));
            head.size(usize::from(slot.fixed));
            head.option(slot.size);
            head.size(slot.elsewhere);
        }
        for text in &self.texts {
            head.size(usize::from(text.is_some()));
            head.text(text.as_deref().unwrap_or(""));
        }
        let mut tables = Distinct(Vec::new());
        for slot in &mut self.tables {
            let table = slot.table.share().into_shared();
            head.option(table.map(|table| tables.number(table)));
            head.size(usize::from(slot.fixed));
            head.size(slot.elsewhere);
        }
        self.write_handles(&mut head, &mut tables)?;
        head.size(tables.0.len());
        tables.0.iter().for_each(|table| head.size(StoredForm::of(table) as usize));

        let head = head.into_slice()?;
        let store = self.control.host.checkpoints();
        let store = store.ok_or_else(|| internal_error("a run without checkpoints"))?;
        store.begin(number)?;
        store.put(BitsRef::Slice(&head))?;
        for slot in self.bits[..self.n_bits].iter().filter(|slot| slot.is_set) {
            store.put(BitsRef::Slice(&slot.bits))?;
        }
        for table in &tables.0 {
            match StoredForm::of(table) {
                StoredForm::Sparse => {
                    let sparse = table.copy_of_sparse().ok_or_else(|| no_memory(table))?;
                    store.put((&sparse).into())?;
                }
                StoredForm::Columns if table.is_view() || table.is_half_transposed() => {
                    let columns = table.to_host(&self.parallelism)?;
                    store.put((&columns.ok_or_else(|| no_memory(table))?).into())?;
                }
                StoredForm::Columns | StoredForm::Rows => {
                    store.put(BitsRef::Table(TableRef::Columns(table.home().0)))?;
                }
            }
        }
        Ok(store.end()?)
    }

    /// Writes the handles, and collects their tables.
    fn write_handles(
        &self,
        head: &mut HeadWriter,
        tables: &mut Distinct<Table>,
    ) -> Result<(), Fault> {
        let mut handles = Distinct(Vec::new());
        for handle in &self.handles {
            head.option(handle.clone().map(|handle| handles.number(handle)));
        }
        head.size(handles.0.len());
        for handle in handles.0 {
            head.text(&handle.module);
            let of_state = handle.tables_of_state(&self.parallelism).map_err(ended)?;
            let parts = of_state.unwrap_or_else(|| handle.tables());
            head.size(parts.len());
            for (name, table) in parts {
                head.text(&name);
                head.size(tables.number(table));
            }
        }
        Ok(())
    }

    /// Reads the state of this rank. Parameters that move into the entry are taken from it; their
    /// values outside of the run are dropped.
    pub(super) fn read_state(
        &mut self,
        entry: RoutineId,
        values: &mut [Value],
    ) -> Result<(), Fault> {
        let mut head = HeadReader::new(self.store()?.take()?)?;
        let pc = head.size()?;
        self.read_frames(&mut head, entry)?;
        let routine = self.routine()?;
        if !matches!(routine.insts.get(pc), Some(Inst::SafePoint { .. })) {
            return Err(damaged("the current statement").into());
        }
        self.pc = pc;
        let mut counts = [0; 7];
        for count in &mut counts {
            *count = head.number()?;
        }
        let [operations, steps, intrinsics, peak, own_operations, own_steps, output] = counts;
        (self.operations, self.steps, self.intrinsics_taken) = (operations, steps, intrinsics);
        self.set_own_counts([own_operations, own_steps]);
        self.control.stats.output_bytes = output;
        for (number, is_set) in self.numbers.iter_mut().zip(&mut self.numbers_set) {
            *number = head.number()? as i64;
            *is_set = head.number()? != 0;
        }
        let mut set = Vec::new();
        for (at, slot) in self.bits[..self.n_bits].iter_mut().enumerate() {
            if head.number()? != 0 {
                set.push(at);
            }
            let (fixed, size, elsewhere) = (head.number()? != 0, head.option()?, head.size()?);
            *slot = BitsSlot { fixed, size, elsewhere, ..BitsSlot::default() };
        }
        for text in &mut self.texts {
            let is_set = head.number()? != 0;
            let read = head.text()?;
            *text = is_set.then(|| read.into());
        }
        let mut of_slots = Vec::with_capacity(self.tables.len());
        for slot in &mut self.tables {
            of_slots.push(head.option()?);
            (slot.fixed, slot.elsewhere) = (head.number()? != 0, head.size()?);
        }
        let (of_handles, handles) = read_handles(&mut head, self.handles.len())?;
        let forms = read_forms(&mut head)?;

        let entry = &self.code.routines[entry.0 as usize];
        for ((_, passing), value) in entry.params.iter().zip(values) {
            if passing.moves() {
                drop(std::mem::take(value));
            }
        }
        for at in set {
            let bits = slice(self.store()?.take()?)?;
            self.budget.reserve(bytes_of(bits.len()))?;
            self.budget.commit(bytes_of(bits.len()));
            self.bits[at].put(bits);
        }
        let mut tables = Vec::with_capacity(forms.len());
        for form in forms {
            let table = table_of(self.store()?.take()?, form)?;
            self.budget.reserve(table.n_bytes())?;
            self.budget.commit(table.n_bytes());
            self.copies.count(&table, 0);
            tables.push(Arc::new(table));
        }
        let table = |number: usize| tables.get(number).cloned().ok_or_else(|| damaged("a table"));
        for (slot, number) in self.tables.iter_mut().zip(of_slots) {
            slot.table = match number {
                Some(number) => CowTable::Shared(table(number)?),
                None => CowTable::None,
            };
        }
        let mut made = Vec::with_capacity(handles.len());
        for StoredHandle { module, parts } in handles {
            let mut of_handle = Tables::new();
            for (name, number) in parts {
                of_handle.insert(name.into(), table(number)?);
            }
            let form = Mutex::new(Form::Tables(of_handle));
            made.push(Arc::new(Handle { module: module.into(), form }));
        }
        for (slot, number) in self.handles.iter_mut().zip(of_handles) {
            let made = number.map(|number| made.get(number).ok_or_else(|| damaged("a handle")));
            *slot = made.transpose()?.cloned();
        }
        self.budget.note_peak(peak);
        Ok(())
    }

    /// Reads the active routines and creates their registers.
    fn read_frames(&mut self, head: &mut HeadReader, entry: RoutineId) -> Result<(), Fault> {
        let n_frames = head.count()?;
        if n_frames == 0 {
            return Err(damaged("the routines").into());
        }
        for _ in 0..n_frames {
            let (routine, back) = (head.size()?, head.size()?);
            let call = match self.frames.last() {
                None => None,
                Some(frame) => {
                    let caller = &self.code.routines[frame.routine];
                    let at = back.checked_sub(1).ok_or_else(|| damaged("a caller"))?;
                    let Some(Inst::Call(number)) = caller.insts.get(at) else {
                        return Err(damaged("a caller").into());
                    };
                    let callee = caller.calls[*number as usize].callee.0 as usize;
                    Some((*number, caller.locs[at])).filter(|_| callee == routine)
                }
            };
            let is_entry = self.frames.is_empty() && routine == entry.0 as usize;
            if call.is_none() && !is_entry {
                return Err(damaged("a routine").into());
            }
            let base = self.grow(self.code.routines[routine].size);
            self.base = base;
            let back = back as u32;
            self.frames.push(Frame { routine, base, back, call, n_foralls: 0, is_outermost: true });
        }
        Ok(())
    }
}

/// A handle in a state: the module, and its tables by names and numbers.
struct StoredHandle {
    module: String,
    parts: BTreeMap<String, usize>,
}

/// Reads the number of the handle of each register, and the handles.
fn read_handles(
    head: &mut HeadReader,
    n_registers: usize,
) -> Result<(Vec<Option<usize>>, Vec<StoredHandle>), HostError> {
    let registers = (0..n_registers).map(|_| head.option()).collect::<Result<_, _>>()?;
    let mut handles = Vec::new();
    for _ in 0..head.count()? {
        let module = head.text()?;
        let mut parts = BTreeMap::new();
        for _ in 0..head.count()? {
            parts.insert(head.text()?, head.size()?);
        }
        handles.push(StoredHandle { module, parts });
    }
    Ok((registers, handles))
}

/// Reads the forms of the tables.
fn read_forms(head: &mut HeadReader) -> Result<Vec<StoredForm>, HostError> {
    let n_tables = head.count()?;
    let form = |number: usize| StoredForm::ALL.get(number).copied();
    (0..n_tables).map(|_| form(head.size()?).ok_or_else(|| damaged("a form"))).collect()
}

fn table_of(value: HostValue, form: StoredForm) -> Result<Table, HostError> {
    match (value, form) {
        (HostValue::Table(HostTable::Columns(lines)), StoredForm::Rows) => {
            Ok(Table::of_rows(lines))
        }
        (HostValue::Table(table), StoredForm::Columns | StoredForm::Sparse) => {
            Ok(Table::of_host(table))
        }
        _ => Err(damaged("the kind of a table")),
    }
}

fn no_memory(table: &Table) -> HostError {
    let n_bytes = table.n_bytes();
    let message = format!("no memory to write a table of {n_bytes} bytes");
    HostError { code: Code::DoesNotFit, message }
}

fn ended(ended: Ended) -> Fault {
    match ended {
        Ended::Interrupted => HostError {
            code: Code::Interrupted,
            message: "interrupted while the state was written".to_owned(),
        }
        .into(),
        Ended::OutOfMemory => HostError {
            code: Code::DoesNotFit,
            message: "no memory to write the state of an intrinsic".to_owned(),
        }
        .into(),
        Ended::Internal(why) => internal_error(why).into(),
    }
}
