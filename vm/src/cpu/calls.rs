//! Calls: transfer of arguments into a routine and of results out of it.
//!
//! A variable passed by reference moves into the callee with its size and size property, and moves
//! back at the end; until then it has no other name. A slice, word or table passed by value to a
//! routine that only reads it moves, too. Any other table passed by value is shared.

use std::sync::Arc;

use star_ir::{Extent, LimitKind, NamedSize, RoutineId, SizeOperand, TrapKind, Ty, VarId};
use star_value::OutOfMemory;

use super::class::{Bitwise, Class};
use super::code::{CallArg, RoutineCode};
use super::interpreter::Interpreter;
use super::operand::{Number, Passing, Pc, RegRef, Size};
use super::registers::{
    Base, CowTable, Frame, MOST_KEPT_BYTES, MOST_OF_GONE, MOST_SUMMARISED_BYTES_OF_GONE,
};
use super::table::Table;
use super::table::form::bytes_of;
use super::value::{Value, ValueData};
use crate::checks::GuardContext;
use crate::interrupt::{Exec, Stop, internal_error};

impl<'p> Interpreter<'p, '_, '_> {
    fn code_of(&self, id: RoutineId) -> Exec<&'p RoutineCode> {
        let routine = self.code.routines.get(id.0 as usize).map(Arc::as_ref);
        routine.ok_or_else(|| internal_error(format!("there is no routine number {}", id.0)))
    }

    /// Creates the first frame. If that fails, nothing is moved out of `values`.
    pub(super) fn enter(&mut self, entry: RoutineId, values: &mut [Value]) -> Exec<()> {
        let routine = self.code_of(entry)?;
        if routine.params.len() != values.len() {
            let (wanted, given) = (routine.params.len(), values.len());
            return Err(internal_error(format!("{given} arguments for {wanted} parameters")));
        }
        for value in &mut *values {
            if let ValueData::Table(table) = &mut value.data
                && table.is_half_transposed()
            {
                self.end_transpose(table)?;
            }
        }
        for ((place, passing), value) in routine.params.iter().zip(&*values) {
            self.budget.commit(value.data.n_bytes());
            match &value.data {
                ValueData::Table(table) => self.copies.count(table, 0),
                ValueData::Handle(handle) => handle.count_copies(&mut self.copies),
                ValueData::Nothing
                | ValueData::Int(_)
                | ValueData::Bool(_)
                | ValueData::Text(_)
                | ValueData::Slice(_)
                | ValueData::Word(_) => {}
            }
            let fits = match &value.data {
                ValueData::Nothing => *passing == Passing::Ref,
                data => suits(*place, data),
            };
            if !fits {
                return Err(internal_error("an argument of another kind than its parameter"));
            }
        }
        self.budget.reserve(0)?;
        let base = self.grow(routine.size);
        self.base = base;
        self.prepare(routine);
        for ((place, passing), value) in routine.params.iter().zip(&*values) {
            if *passing == Passing::Copied {
                let copy = self.copy_value(&value.data)?;
                self.put_value(*place, copy);
                self.set_elsewhere(*place, value.elsewhere);
            }
        }
        for value in &*values {
            if let ValueData::Handle(handle) = &value.data {
                self.watch_state(handle);
            }
        }
        // Nothing fails from here on: everything that moves in will move out again.
        self.frames.push(Frame {
            routine: entry.0 as usize,
            base,
            back: 0,
            call: None,
            n_foralls: 0,
            is_outermost: true,
        });
        for ((place, passing), value) in routine.params.iter().zip(values) {
            if passing.moves() {
                let Value { data, size, fixed, elsewhere } = std::mem::take(value);
                self.put_value(*place, data);
                self.set_size(*place, size, fixed);
                self.set_elsewhere(*place, elsewhere);
            }
        }
        Ok(())
    }

    /// Completes the current iteration of a table that an interrupt stopped in an earlier run.
    #[cold]
    fn end_transpose(&self, shared: &mut Arc<Table>) -> Exec<()> {
        if Arc::get_mut(shared).is_none() {
            let refused = OutOfMemory { n_bytes: u128::from(shared.n_bytes()) };
            let copy = shared.try_clone(None, &self.parallelism)?;
            *shared = Arc::new(copy.ok_or_else(|| self.out_of_memory(refused))?);
        }
        let table = Arc::get_mut(shared).ok_or_else(|| internal_error("a copy that is shared"))?;
        table.end_transpose(&self.parallelism)
    }

    /// Copies an argument; a table is shared.
    fn copy_value(&mut self, data: &ValueData) -> Exec<ValueData> {
        let (ValueData::Slice(bits) | ValueData::Word(bits)) = data else {
            return Ok(data.clone());
        };
        self.budget.reserve(bytes_of(bits.len()))?;
        let copy = self.second_bits(bits)?;
        self.budget.commit(bytes_of(bits.len()));
        Ok(if matches!(data, ValueData::Word(_)) {
            ValueData::Word(copy)
        } else {
            ValueData::Slice(copy)
        })
    }

    /// Sets constants, and the sizes of variables with a declared size.
    fn prepare(&mut self, routine: &RoutineCode) {
        for (reg, value) in &routine.constants {
            self.numbers[self.base.numbers + *reg as usize] = *value;
        }
        for place in &routine.sized {
            self.set_size(*place, None, true);
        }
    }

    fn set_size(&mut self, place: RegRef, size: Option<usize>, fixed: bool) {
        match place {
            RegRef::Slice(reg) | RegRef::Word(reg) => {
                let slot = self.bits_slot_mut(reg);
                slot.size = size;
                slot.fixed = fixed;
            }
            RegRef::Table(reg) => self.table_slot_mut(reg).fixed = fixed,
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {}
        }
    }

    /// Begins call `number` of the current routine, whose next instruction is `back`.
    pub(super) fn call(&mut self, number: u32, back: Pc) -> Exec<()> {
        self.budget.poll()?;
        self.count_steps(1)?;
        let limit = self.control.limits.depth;
        // The entry does not count as a call.
        if self.frames.len() as u64 > limit {
            return Err(Stop::Limit(LimitKind::Depth { limit }));
        }
        let caller = self.routine()?;
        let call = &caller.calls[number as usize];
        let callee = self.code_of(call.callee)?;
        let loc = self.loc();
        let outer = self.base;
        let base = self.grow(callee.size);
        self.base = base;
        self.prepare(callee);
        self.base = outer;
        self.paths.lent_arguments += call.n_lent;
        let copied = self.copy_arguments(&call.args, base);
        if copied.is_err() {
            self.recorder.leave(base);
            self.shrink(base);
        }
        copied?;
        for (arg, param) in &call.args {
            match arg {
                CallArg::Move(place) => self.move_value(outer, *place, base, *param, false),
                CallArg::Ref(place) => self.move_value(outer, *place, base, *param, true),
                CallArg::Number(_) | CallArg::Text(_) | CallArg::Copy(_) => {}
            }
        }
        self.frames.push(Frame {
            routine: call.callee.0 as usize,
            base,
            back,
            call: Some((number, loc)),
            n_foralls: self.foralls.len(),
            is_outermost: !call.in_loop && self.frames.last().is_some_and(|of| of.is_outermost),
        });
        self.base = base;
        Ok(())
    }

    /// All copies are made before anything moves.
    fn copy_arguments(&mut self, args: &[(CallArg, RegRef)], base: Base) -> Exec<()> {
        let outer = self.base;
        for (arg, param) in args {
            match (arg, param) {
                (CallArg::Number(number), RegRef::Int(reg) | RegRef::Bool(reg)) => {
                    let value = self.number(*number);
                    self.numbers[base.numbers + *reg as usize] = value;
                    self.numbers_set[base.numbers + *reg as usize] = true;
                }
                (CallArg::Text(text), RegRef::Text(reg)) => {
                    self.texts[base.texts + *reg as usize] = Some(text.clone());
                }
                (CallArg::Copy(RegRef::Text(from)), RegRef::Text(reg)) => {
                    let text = self.texts[outer.texts + *from as usize].clone();
                    self.texts[base.texts + *reg as usize] = text;
                }
                (CallArg::Copy(RegRef::Table(from)), RegRef::Table(reg)) => {
                    let from = self.table_slot_mut(*from);
                    let (table, elsewhere) = (from.table.share(), from.elsewhere);
                    let slot = &mut self.tables[base.tables + *reg as usize];
                    (slot.table, slot.elsewhere) = (table, elsewhere);
                }
                (CallArg::Copy(RegRef::Handle(from)), RegRef::Handle(reg)) => {
                    let handle = self.handle_slot(*from).clone();
                    self.handles[base.handles + *reg as usize] = handle;
                }
                (
                    CallArg::Copy(RegRef::Slice(from) | RegRef::Word(from)),
                    RegRef::Slice(reg) | RegRef::Word(reg),
                ) => {
                    // The register of the callee, counted from the base of the caller.
                    let param = reg + (base.bits - outer.bits) as u32;
                    self.bits_slot_mut(param).elsewhere = self.bits_slot(*from).elsewhere;
                    if !self.is_pending(*from) {
                        self.copy_bits(param, *from)?;
                    } else if !self.record(Class::Bitwise(Bitwise::copy(param, *from)))? {
                        return Err(internal_error(
                            "a copy of a pending value that is not recorded",
                        ));
                    }
                }
                (CallArg::Move(_) | CallArg::Ref(_), _) => {}
                (CallArg::Number(_) | CallArg::Text(_) | CallArg::Copy(_), _) => {
                    return Err(internal_error("arguments of other kinds than the parameters"));
                }
            }
        }
        Ok(())
    }

    /// Moves a variable from one frame to another; with its size and size property if `whole`.
    fn move_value(&mut self, from: Base, place: RegRef, to: Base, param: RegRef, whole: bool) {
        if self.recorder.is_open() {
            self.move_port(from, place, to, param);
        }
        if let (RegRef::Table(place), RegRef::Table(param)) = (place, param) {
            let slot = &mut self.tables[from.tables + place as usize];
            let (table, fixed) = (std::mem::take(&mut slot.table), slot.fixed);
            let elsewhere = slot.elsewhere;
            let slot = &mut self.tables[to.tables + param as usize];
            (slot.table, slot.elsewhere) = (table, elsewhere);
            if whole {
                slot.fixed = fixed;
            }
            return;
        }
        if let (Some(place), Some(param)) = (place.bits(), param.bits()) {
            let slot = &mut self.bits[from.bits + place as usize];
            let (size, fixed, elsewhere) = (slot.size.take(), slot.fixed, slot.elsewhere);
            // The knowledge moves with the limbs; an unset variable has none.
            let limbs = std::mem::take(&mut slot.is_set)
                .then(|| (std::mem::take(&mut slot.bits), std::mem::take(&mut slot.known)));
            let slot = &mut self.bits[to.bits + param as usize];
            slot.elsewhere = elsewhere;
            if let Some((bits, known)) = limbs {
                (slot.bits, slot.known, slot.is_set) = (bits, known, true);
            }
            if whole {
                (slot.size, slot.fixed) = (size, fixed);
            }
            return;
        }
        let back = self.base;
        self.base = from;
        let data = self.take_value(place);
        self.base = to;
        self.put_value(param, data);
        self.base = back;
    }

    /// Moves the recorded state of a variable with it.
    #[cold]
    fn move_port(&mut self, from: Base, place: RegRef, to: Base, param: RegRef) {
        if let (Some(place), Some(param)) = (place.bits(), param.bits()) {
            self.recorder.move_slice(from.bits + place as usize, to.bits + param as usize);
        } else if let (Some(place), Some(param)) = (place.table(), param.table()) {
            self.recorder.move_table(from.tables + place as usize, to.tables + param as usize);
        }
    }

    /// Ends a call and returns the next instruction of the caller.
    pub(super) fn leave(&mut self) -> Exec<Pc> {
        let (Some(frame), Some(caller)) = (self.frames.pop(), self.frames.last().copied()) else {
            return Err(internal_error("no routine to leave"));
        };
        let Some((number, _)) = frame.call else {
            return Err(internal_error("a routine without a caller"));
        };
        self.pc = frame.back as usize - 1;
        let call = &self.code.routines[caller.routine].calls[number as usize];
        self.give_back(frame, caller);
        if self.recorder.is_open() {
            self.recorder.leave(frame.base);
        }
        let callee = &self.code.routines[frame.routine];
        self.base = frame.base;
        let elsewhere = callee.result.map_or(0, |place| self.elsewhere(place));
        let result = callee.result.map(|place| self.take_value(place));
        self.base = caller.base;
        if let Some(ValueData::Slice(bits) | ValueData::Word(bits)) = &result {
            self.budget.release(bytes_of(bits.len()));
        }
        self.release_all(frame.base);
        for (var, place, ty) in &call.extents {
            if let Some(trap) = self.other_size(*var, *place, *ty)? {
                return Err(Stop::Trap(trap));
            }
        }
        if let Some(dst) = call.dst {
            let result = result.filter(|data| !matches!(data, ValueData::Nothing));
            let result = result.ok_or_else(|| internal_error("a call without a value"))?;
            self.store_result(dst, result);
            self.set_elsewhere(dst, elsewhere);
        } else if let Some(ValueData::Table(table)) = result {
            self.release(CowTable::Shared(table));
        }
        Ok(frame.back)
    }

    /// Stores the value of a function in a variable.
    fn store_result(&mut self, dst: RegRef, result: ValueData) {
        match (result, dst.bits(), dst.table()) {
            (ValueData::Slice(bits) | ValueData::Word(bits), Some(reg), _) => {
                self.put_new_bits(reg, bits)
            }
            (ValueData::Table(table), _, Some(reg)) => self.put_table(reg, CowTable::Shared(table)),
            (result, _, _) => self.put_value(dst, result),
        }
    }

    /// Moves everything passed by reference back.
    fn give_back(&mut self, frame: Frame, caller: Frame) {
        let Some((number, _)) = frame.call else { return };
        let call = &self.code.routines[caller.routine].calls[number as usize];
        for (arg, param) in &call.args {
            if let CallArg::Ref(place) = arg {
                self.move_value(frame.base, *param, caller.base, *place, true);
            }
        }
    }

    /// Releases the registers from `base` on and their values.
    fn release_all(&mut self, base: Base) {
        for (at, slot) in self.bits[..self.n_bits].iter_mut().enumerate().skip(base.bits) {
            self.budget.release(slot.n_bytes());
            slot.is_set = false;
            let Some(n_bytes) = slot.long_bytes() else { continue };
            let kept = self.long_bytes_of_gone + n_bytes;
            let may_keep = at < MOST_OF_GONE
                && slot.known.summary().is_some()
                && n_bytes <= MOST_KEPT_BYTES
                && kept <= MOST_SUMMARISED_BYTES_OF_GONE
                && self.budget.may_keep(kept);
            if may_keep {
                self.long_bytes_of_gone = kept;
            } else {
                slot.known.forget();
                self.budget.recycle_bits(std::mem::take(&mut slot.bits));
            }
        }
        for at in base.tables..self.tables.len() {
            let table = std::mem::take(&mut self.tables[at].table);
            self.release(table);
        }
        for at in base.handles..self.handles.len() {
            let handle = self.handles[at].take();
            self.release_handle(handle);
        }
        self.shrink(base);
    }

    fn shrink(&mut self, base: Base) {
        self.numbers.truncate(base.numbers);
        self.numbers_set.truncate(base.numbers);
        self.n_bits = base.bits;
        self.bits.truncate(base.bits.max(MOST_OF_GONE));
        self.tables.truncate(base.tables);
        self.texts.truncate(base.texts);
        self.handles.truncate(base.handles);
    }

    /// Checks a parameter without a declared size, which may return with a size other than the
    /// extents of the variable.
    fn other_size(&self, var: VarId, place: RegRef, ty: Ty) -> Exec<Option<TrapKind>> {
        let pairs = match ty {
            Ty::Slice(extent) | Ty::Word(extent) => {
                let reg = place.bits();
                let length = |reg| (SizeOperand::Length(var), Size::Length(reg), extent);
                [reg.map(length), None]
            }
            Ty::Table(rows, columns) => {
                let reg = place.table();
                let n_rows = |reg| (SizeOperand::Rows(var), Size::Rows(reg), rows);
                let n_columns = |reg| (SizeOperand::Columns(var), Size::Columns(reg), columns);
                [reg.map(n_rows), reg.map(n_columns)]
            }
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [None, None],
        };
        for (measure, size, extent) in pairs.into_iter().flatten() {
            let (Some(n), Some(wanted)) = (self.size(size), self.extent(extent)?) else {
                continue;
            };
            if n != wanted {
                return Ok(Some(TrapKind::Size {
                    left: (NamedSize::of(&measure, self.names()?), n),
                    right: (NamedSize::Number, wanted),
                }));
            }
        }
        Ok(None)
    }

    /// Returns the size that an extent declares, if any.
    fn extent(&self, extent: Extent) -> Exec<Option<u64>> {
        Ok(match extent {
            Extent::Const(size) => Some(size),
            Extent::Var(var) => {
                let place = self.routine()?.places.get(var.0 as usize).copied();
                let reg = place.and_then(RegRef::number);
                let reg = reg.filter(|reg| self.numbers_set[self.base.numbers + *reg as usize]);
                reg.and_then(|reg| u64::try_from(self.number(Number(reg))).ok())
            }
            Extent::Dynamic => None,
        })
    }

    /// Ends the run: everything moved into a routine moves back, finally into `values`.
    pub(super) fn leave_all(&mut self, values: &mut [Value]) {
        while let Some(frame) = self.frames.pop() {
            if let Some(caller) = self.frames.last().copied() {
                self.give_back(frame, caller);
                continue;
            }
            self.base = frame.base;
            let params = &self.code.routines[frame.routine].params;
            for ((place, passing), value) in params.iter().zip(&mut *values) {
                if passing.moves() {
                    let data = self.take_value(*place);
                    let elsewhere = self.elsewhere(*place);
                    let (size, fixed) = match *place {
                        RegRef::Slice(reg) | RegRef::Word(reg) => {
                            let slot = self.bits_slot(reg);
                            (slot.size, slot.fixed)
                        }
                        RegRef::Table(reg) => (None, self.table_slot(reg).fixed),
                        RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {
                            (None, false)
                        }
                    };
                    *value = Value { data, size, fixed, elsewhere };
                }
            }
        }
    }
}

/// Does the value have the kind of the register?
fn suits(place: RegRef, data: &ValueData) -> bool {
    matches!(
        (place, data),
        (RegRef::Int(_), ValueData::Int(_))
            | (RegRef::Bool(_), ValueData::Bool(_))
            | (RegRef::Slice(_), ValueData::Slice(_))
            | (RegRef::Word(_), ValueData::Word(_))
            | (RegRef::Table(_), ValueData::Table(_))
            | (RegRef::Text(_), ValueData::Text(_))
            | (RegRef::Handle(_), ValueData::Handle(_))
    )
}
