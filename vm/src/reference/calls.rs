//! Calls: passing of arguments and results.
//!
//! A variable passed by reference moves into the callee with its size, its size property and its
//! tag, and back at the end; until then no other name refers to it.

use star_ir::{Arg, LimitKind, LocId, Mode, Param, RoutineId, VarId};

use super::control::Region;
use super::frame::{Frame, PendingCall, top};
use super::interpreter::Interpreter;
use super::touch::Touch;
use super::value::Value;
use crate::interrupt::{Exec, Stop, internal_error};

impl<'p> Interpreter<'p, '_, '_> {
    /// Creates the first frame. Nothing is moved out of `values` if that fails.
    pub(super) fn enter(&mut self, entry: RoutineId, values: &mut [Value]) -> Exec<()> {
        let mut frame = self.frame(entry)?;
        let params = &frame.routine.params;
        if params.len() != values.len() {
            let (wanted, given) = (params.len(), values.len());
            return Err(internal_error(format!("{given} arguments for {wanted} parameters")));
        }
        for (param, value) in params.iter().zip(&*values) {
            self.budget.commit(value.bytes());
            let ty = frame.ty(param.var)?;
            let fits = match &value.data {
                Some(data) => ty.same_kind(data.ty()),
                None => param.mode == Mode::Ref,
            };
            if !fits {
                let name = frame.name(param.var);
                return Err(internal_error(format!("an argument that does not match `{name}`")));
            }
        }
        self.loc = frame.routine.loc;
        self.budget.reserve(0)?;
        for (param, value) in params.iter().zip(&*values) {
            if let (Mode::Value, Some(data)) = (param.mode, &value.data) {
                let data = self.budget.copy(data)?;
                frame.store_argument(&mut self.budget, param.var, data)?;
            }
        }
        for (param, value) in params.iter().zip(values) {
            if param.mode == Mode::Ref {
                let tag = frame.slot(param.var)?.tag;
                *frame.slot_mut(param.var)? = std::mem::take(value);
                frame.slot_mut(param.var)?.tag = tag;
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Begins a call.
    pub(super) fn call(
        &mut self,
        callee: RoutineId,
        args: &'p [Arg],
        dst: Option<VarId>,
        loc: LocId,
    ) -> Exec<()> {
        self.budget.poll()?;
        self.count_steps(1)?;
        let limit = self.control.limits.depth;
        // The entry is not a call.
        if self.frames.len() as u64 > limit {
            return Err(Stop::Limit(LimitKind::Depth { limit }));
        }
        let mut frame = self.frame(callee)?;
        frame.call = Some(PendingCall { loc, args, dst });
        let params = &frame.routine.params;
        let modes_agree = params.iter().zip(args).all(|(param, arg)| match arg {
            Arg::Value(_) | Arg::Move(_) => param.mode == Mode::Value,
            Arg::Ref(_) => param.mode == Mode::Ref,
        });
        if params.len() != args.len() || !modes_agree || !all_different(args) {
            return Err(internal_error("arguments that do not match the parameters"));
        }
        // Nothing moves before every copy exists; a value then moves without being recounted.
        for (param, arg) in params.iter().zip(args) {
            if let Arg::Value(operand) = arg {
                let data = self.copy(operand)?;
                frame.store_argument(&mut self.budget, param.var, data)?;
            }
        }
        let caller = top(&mut self.frames)?;
        for (param, arg) in params.iter().zip(args) {
            match arg {
                Arg::Value(_) => {}
                Arg::Move(var) => {
                    frame.is_of_kind(param.var, caller.data(*var)?)?;
                    let slot = caller.slot_mut(*var)?;
                    slot.size = None;
                    let data = slot.data.take();
                    frame.slot_mut(param.var)?.data = data;
                }
                Arg::Ref(var) => {
                    if !caller.ty(*var)?.same_kind(frame.ty(param.var)?) {
                        return Err(internal_error(format!(
                            "`{}` has another type",
                            caller.name(*var)
                        )));
                    }
                }
            }
        }
        for (param, arg) in params.iter().zip(args) {
            if let Arg::Ref(var) = arg {
                *frame.slot_mut(param.var)? = std::mem::take(caller.slot_mut(*var)?);
            }
        }
        self.frames.push(frame);
        if let Some(meter) = &mut self.meter {
            meter.enter(loc, callee);
        }
        Ok(())
    }

    /// Ends a call.
    pub(super) fn leave(&mut self) -> Exec<()> {
        if let Some(meter) = &mut self.meter {
            meter.leave();
        }
        let Some(mut callee) = self.frames.pop() else {
            return Err(internal_error("no routine to leave"));
        };
        let caller = top(&mut self.frames)?;
        let Some(call) = callee.call else {
            return Err(internal_error("a routine without a caller"));
        };
        give_back(&mut callee, caller);
        for slot in &callee.slots {
            self.budget.release(slot.bytes());
        }
        self.loc = call.loc;
        caller.place = self.program.locations.get(call.loc);
        for arg in call.args {
            if let Arg::Ref(var) = arg {
                // A parameter without a declared size may return with another size.
                let slot = caller.slot(*var)?;
                let trap = match (&slot.data, slot.size) {
                    (Some(data), _) => caller.other_size(*var, data),
                    (None, Some(size)) => caller.other_length(*var, size),
                    (None, None) => None,
                };
                if let Some(trap) = trap {
                    return Err(Stop::Trap(trap));
                }
            }
        }
        if let Some(dst) = call.dst {
            let result = match callee.routine.result {
                Some(result) => callee.slot_mut(result)?.data.take(),
                None => None,
            };
            let result = result.ok_or_else(|| internal_error("a call without a value"))?;
            caller.store(&mut self.budget, dst, result)?;
            self.record(&[Touch::write(dst)])?;
        }
        Ok(())
    }

    /// Ends the run: all values that moved into routines move back, finally into `values`.
    pub(super) fn leave_all(&mut self, entry: RoutineId, values: &mut [Value]) {
        while let Some(mut callee) = self.frames.pop() {
            match self.frames.last_mut() {
                Some(caller) => give_back(&mut callee, caller),
                None => {
                    let params: &[Param] = match self.program.routines.get(entry.0 as usize) {
                        Some(routine) => &routine.params,
                        None => &[],
                    };
                    for (param, value) in params.iter().zip(&mut *values) {
                        if param.mode == Mode::Ref
                            && let Ok(slot) = callee.slot_mut(param.var)
                        {
                            *value = std::mem::take(slot);
                        }
                    }
                }
            }
        }
    }

    /// Creates a frame whose variables are unset.
    fn frame(&mut self, id: RoutineId) -> Exec<Frame<'p>> {
        let routine = (self.program.routines)
            .get(id.0 as usize)
            .ok_or_else(|| internal_error(format!("unknown routine number {}", id.0)))?;
        let first_tag = self.next_tag;
        self.next_tag += routine.vars.len() as u64;
        let slots = routine.vars.iter().zip(first_tag..).map(|(var, tag)| Value {
            data: None,
            size: None,
            fixed: var.sized,
            tag,
        });
        Ok(Frame {
            id,
            routine,
            place: None,
            slots: slots.collect(),
            regions: vec![Region::block(&routine.body)],
            call: None,
        })
    }
}

/// Returns values passed by reference to the caller.
fn give_back(callee: &mut Frame<'_>, caller: &mut Frame<'_>) {
    let args = callee.call.map_or(&[][..], |call| call.args);
    let params = &callee.routine.params;
    for (param, arg) in params.iter().zip(args) {
        if let Arg::Ref(var) = arg
            && let Some(theirs) = callee.slots.get_mut(param.var.0 as usize)
            && let Ok(ours) = caller.slot_mut(*var)
        {
            *ours = std::mem::take(theirs);
        }
    }
}

/// Returns whether no variable is moved or passed by reference twice.
fn all_different(args: &[Arg]) -> bool {
    let var = |arg: &Arg| match arg {
        Arg::Value(_) => None,
        Arg::Move(var) | Arg::Ref(var) => Some(*var),
    };
    let vars: Vec<VarId> = args.iter().filter_map(var).collect();
    (1..vars.len()).all(|idx| !vars[..idx].contains(&vars[idx]))
}
