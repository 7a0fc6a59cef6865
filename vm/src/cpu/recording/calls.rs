//! Recording across calls and returns.
//!
//! Note [Calls on tape]. A slice that moves into a routine, or back, keeps its port. A table that
//! is passed by value belongs to the caller until the callee writes it, so its columns are loaded
//! by the caller's name: two routines that read one column load it once, and no flush is needed
//! when the register of the callee is released. When a routine returns, pending values of its local
//! registers are discarded. A flush is needed first for: a table that would be shared while it is
//! stored to, a load from a register that is released, and a result.

use super::super::code::{Call, CallArg, RoutineCode};
use super::super::interpreter::Interpreter;
use super::super::operand::{Reg, RegRef};
use super::super::registers::Base;
use super::{Port, Recorder};
use crate::tape::PortId;

impl<'p> Interpreter<'p, '_, '_> {
    /// Returns the register, among those of all frames, that identifies a table: the one of the
    /// caller that shares it, as long as it does.
    pub(super) fn shared_from(&self, table: Reg) -> usize {
        let (mut reg, mut at) = (table, self.table_at(table));
        for pair in self.frames.windows(2).rev() {
            let [caller, frame] = pair else { break };
            let call = frame.call.map(|(number, _)| number as usize);
            let call = call.and_then(|number| self.code.routines[caller.routine].calls.get(number));
            let Some(from) = call.and_then(|call| copied_from(call, reg)) else { break };
            let outer = caller.base.tables + from as usize;
            if !self.tables[at].table.is_same(&self.tables[outer].table) {
                break;
            }
            (reg, at) = (from, outer);
        }
        at
    }

    /// May a call begin while operations are recorded?
    pub(super) fn may_call(&self, call: &Call) -> bool {
        call.args.iter().all(|(arg, _)| match arg {
            CallArg::Copy(RegRef::Table(reg)) => !self.stores_to(*reg),
            CallArg::Copy(
                RegRef::Slice(_)
                | RegRef::Word(_)
                | RegRef::Int(_)
                | RegRef::Bool(_)
                | RegRef::Text(_)
                | RegRef::Handle(_),
            )
            | CallArg::Number(_)
            | CallArg::Text(_)
            | CallArg::Move(_)
            | CallArg::Ref(_) => true,
        })
    }

    /// Discards pending values of registers that do not outlive the routine.
    pub(super) fn drop_locals(&mut self, routine: &RoutineCode) {
        let (base, call) = (self.base, self.call_of_frame());
        self.recorder.keep(|port| {
            let is_result = routine.result.is_some_and(|place| is_behind(port, base, place));
            !is_own(port, base) || is_result || moves_out(routine, call, base, port)
        });
    }

    /// May the routine return while operations are recorded? Call [`Interpreter::drop_locals`]
    /// first.
    pub(super) fn may_return(&self, routine: &RoutineCode) -> bool {
        let ([.., caller, _], Some(call)) = (&self.frames[..], self.call_of_frame()) else {
            return false;
        };
        let is_at = |place: RegRef, base: Base| {
            let bits = place.bits().map(|reg| base.bits + reg as usize);
            let table = place.table().map(|reg| base.tables + reg as usize);
            bits.is_some_and(|at| self.recorder.touches(at))
                || table.is_some_and(|at| self.recorder.touches_table(at))
        };
        let base = self.base;
        let goes_while_loaded = |(port, idx)| {
            is_own(port, base)
                && self.recorder.tape.is_loaded(PortId(idx))
                && !moves_out(routine, Some(call), base, port)
        };
        !routine.result.is_some_and(|place| is_at(place, base))
            && !call.dst.is_some_and(|place| is_at(place, caller.base))
            && !self.recorder.ports.iter().copied().zip(0..).any(goes_while_loaded)
    }

    /// Discards the pending value of a variable that is unset next.
    pub(super) fn drop_pending(&mut self, place: RegRef) {
        let of = match place {
            RegRef::Slice(reg) => Gone::Slice(self.bits_at(reg)),
            RegRef::Table(reg) => Gone::Table(self.table_at(reg)),
            RegRef::Word(_)
            | RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => return,
        };
        self.recorder.drop_pending(of);
    }

    /// Returns the call of the innermost frame; `None` for the entry.
    fn call_of_frame(&self) -> Option<&'p Call> {
        let [.., caller, frame] = &self.frames[..] else { return None };
        let (number, _) = frame.call?;
        self.code.routines[caller.routine].calls.get(number as usize)
    }
}

impl Recorder {
    /// Moves a slice to another register.
    pub(in crate::cpu) fn move_slice(&mut self, from: usize, to: usize) {
        let Some(port) = self.slices.get_mut(from).and_then(Option::take) else { return };
        self.ports[port.0 as usize] = Port::Slice(to);
        self.put_slice_port(to, port);
    }

    /// Moves a table to another register.
    pub(in crate::cpu) fn move_table(&mut self, from: usize, to: usize) {
        for used in self.tables.iter_mut().filter(|used| used.table == from) {
            used.table = to;
        }
        for (idx, port) in self.ports.iter_mut().enumerate() {
            if let Port::Column(table, col_idx) = *port
                && table == from
            {
                *port = Port::Column(to, col_idx);
                self.columns.remove(&(from, col_idx));
                self.columns.insert((to, col_idx), PortId(idx as u32));
            }
        }
    }

    /// Discards the pending value of a variable that is unset next, unless its old value is still
    /// to be read.
    fn drop_pending(&mut self, of: Gone) {
        let is_of = |port: &Port| match *port {
            Port::Slice(at) => of == Gone::Slice(at),
            Port::Column(table, _) => of == Gone::Table(table),
            Port::Gone => false,
        };
        let ports: Vec<u32> = self
            .ports
            .iter()
            .zip(0..)
            .filter(|(port, _)| is_of(port))
            .map(|(_, idx)| idx)
            .collect();
        if ports.iter().any(|idx| self.tape.is_loaded(PortId(*idx))) {
            return;
        }
        for idx in ports {
            match std::mem::replace(&mut self.ports[idx as usize], Port::Gone) {
                Port::Slice(at) => self.slices[at] = None,
                Port::Column(table, col_idx) => drop(self.columns.remove(&(table, col_idx))),
                Port::Gone => {}
            }
            self.tape.drop_store(PortId(idx));
        }
        self.tables.retain(|used| of != Gone::Table(used.table));
    }

    /// Releases the registers from `base` on.
    pub(in crate::cpu) fn leave(&mut self, base: Base) {
        for (port, idx) in self.ports.iter_mut().zip(0..) {
            if !is_own(*port, base) {
                continue;
            }
            match *port {
                Port::Slice(at) => self.slices[at] = None,
                Port::Column(table, col_idx) => drop(self.columns.remove(&(table, col_idx))),
                Port::Gone => {}
            }
            self.tape.drop_store(PortId(idx));
            *port = Port::Gone;
        }
        self.tables.retain(|used| used.table < base.tables);
    }
}

/// A variable that is unset, identified by its register among those of all frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Slice(usize),
    Table(usize),
}

/// Returns the register of the caller that shares its table with a parameter passed by value.
fn copied_from(call: &Call, param: Reg) -> Option<Reg> {
    call.args.iter().find_map(|(arg, to)| match arg {
        CallArg::Copy(from) if *to == RegRef::Table(param) => from.table(),
        CallArg::Copy(_)
        | CallArg::Number(_)
        | CallArg::Text(_)
        | CallArg::Move(_)
        | CallArg::Ref(_) => None,
    })
}

/// Does the port belong to the frame that begins at these registers?
fn is_own(port: Port, base: Base) -> bool {
    match port {
        Port::Slice(at) => at >= base.bits,
        Port::Column(table, _) => table >= base.tables,
        Port::Gone => false,
    }
}

/// Does the variable of a port in the routine's frame move out of it at the return, because it was
/// passed by reference or lent?
fn moves_out(routine: &RoutineCode, call: Option<&Call>, base: Base, port: Port) -> bool {
    match call {
        Some(call) => call.args.iter().any(|(arg, param)| match arg {
            CallArg::Ref(_) => is_behind(port, base, *param),
            CallArg::Copy(_) | CallArg::Number(_) | CallArg::Text(_) | CallArg::Move(_) => false,
        }),
        None => {
            let mut refs = routine.params.iter().filter(|(_, passing)| passing.moves());
            refs.any(|(place, _)| is_behind(port, base, *place))
        }
    }
}

fn is_behind(port: Port, base: Base, place: RegRef) -> bool {
    match port {
        Port::Slice(at) => place.bits().is_some_and(|reg| base.bits + reg as usize == at),
        Port::Column(table, _) => {
            place.table().is_some_and(|reg| base.tables + reg as usize == table)
        }
        Port::Gone => false,
    }
}
