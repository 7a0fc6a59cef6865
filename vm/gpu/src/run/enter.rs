//! Arguments into the frame of the entry, and what `var` parameters hold back to the caller.

use super::{Active, Argument, End, Run, Slot};
use crate::code::Reg;
use crate::compile::{SiteKind, changes, is_number};
use crate::heap::Block;
use crate::program::internal;
use crate::value::{Kind, Sizes};
use star_ir::{LimitKind, Mode, Ty, VarId};
use star_shaders::layout::{DESC_WORDS, STAGING, descriptor, flag, routine, state};
use star_vm::stop::Stop;
use star_vm::{BackendError, HostValue};
use std::sync::Arc;

impl Run<'_, '_> {
    /// Takes the arguments, and makes the frame of the entry.
    pub(super) fn begin(&mut self, slots: &mut [Slot]) -> Result<(), End> {
        let (plan, entry) = (self.plan, self.plan.entry);
        let sir = plan.program.routine(entry);
        let code = plan.routine(entry)?;
        if sir.params.len() != slots.len() {
            let (wanted, given) = (sir.params.len(), slots.len());
            return Err(internal(format!("{given} arguments for {wanted} parameters")).into());
        }
        for (param, slot) in sir.params.iter().zip(&*slots) {
            let ty = sir.var(param.var).ty;
            let fits = match &slot.argument {
                Argument::Nothing => param.mode == Mode::Ref,
                Argument::Number(_) => matches!(ty, Ty::Int | Ty::Bool),
                Argument::Text(_) => ty == Ty::Str,
                Argument::Object(sizes, _) => Kind::of(ty) == Some(sizes.kind),
            };
            if !fits {
                let name = &sir.var(param.var).name;
                return Err(internal(format!("an argument that does not suit `{name}`")).into());
            }
        }
        let records = self.furnish(plan.routines.len() as u64 * u64::from(routine::WORDS))?;
        let literals = self.furnish(plan.constants.limbs.len() as u64)?;
        self.heap.unit.write(literals.at, &plan.constants.limbs)?;
        let at = self.new_frame(entry)?;
        let mut words = code.new_frame(entry, at);
        let mut staged = STAGING;
        for (param, slot) in sir.params.iter().zip(&mut *slots) {
            if is_number(sir.var(param.var).ty) {
                let number = match &slot.argument {
                    Argument::Number(number) => Some(*number),
                    Argument::Text(text) => {
                        self.texts.push(Arc::clone(text));
                        Some(self.texts.len() as i64 - 1)
                    }
                    Argument::Nothing | Argument::Object(..) => None,
                };
                let needed = if param.mode == Mode::Ref { 2 } else { 1 };
                if staged + needed > star_shaders::layout::REGISTERS {
                    let what = "an entry with so many numbers among its parameters".to_owned();
                    return Err(BackendError::Unsupported { what }.into());
                }
                self.set_register(Reg(staged), number.unwrap_or(0));
                if param.mode == Mode::Ref {
                    self.set_register(Reg(staged + 1), i64::from(number.is_some()));
                }
                staged += needed;
                continue;
            }
            let Some(object) = code.object_of[param.var.0 as usize] else {
                return Err(internal("a parameter that is neither number nor object").into());
            };
            let own = code.descriptor(object.0) as usize;
            let fixed = match param.mode {
                Mode::Ref if slot.fixed => flag::FIXED,
                Mode::Ref => 0,
                Mode::Value => code.objects[object.0 as usize],
            };
            let place = |word: u32| own + word as usize;
            words[place(descriptor::FLAGS)] = fixed;
            match std::mem::replace(&mut slot.argument, Argument::Nothing) {
                Argument::Object(sizes, block) => {
                    let bytes = u64::from(block.words) * 4;
                    self.alive += bytes;
                    self.control.stats.peak_bytes = self.alive;
                    self.saw(sizes);
                    let mut used = block;
                    match param.mode {
                        Mode::Ref => drop(self.blocks.insert(block.at, block)),
                        Mode::Value => {
                            if changes(sir, param.var) && block.words > 0 {
                                self.reserve(u64::from(block.words))?;
                                used = self.heap.take(u64::from(block.words))?;
                                self.blocks.insert(used.at, used);
                                self.heap.unit.copy(block.at, used.at, block.words)?;
                                self.alive += bytes;
                            }
                            slot.argument = Argument::Object(sizes, block);
                        }
                    }
                    words[place(descriptor::AT)] = used.at;
                    words[place(descriptor::CAPACITY)] = used.words;
                    words[place(descriptor::FLAGS)] |= flag::SET;
                    words[place(descriptor::ROWS)] = sizes.rows;
                    words[place(descriptor::COLUMNS)] = sizes.columns;
                    words[place(descriptor::STRIDE)] = sizes.stride();
                }
                Argument::Nothing | Argument::Number(_) | Argument::Text(_) => {
                    if let Some(size) = slot.size {
                        words[place(descriptor::FLAGS)] |= flag::SIZED;
                        words[place(descriptor::ROWS)] = size;
                        words[place(descriptor::COLUMNS)] = 1;
                    }
                }
            }
        }
        self.heap.unit.write(at, &words)?;
        let record = records.at + entry.0 * routine::WORDS;
        self.heap.unit.write(record, &[at, at])?;
        if self.heap.loaded != plan.number {
            self.heap.unit.load_code(&plan.words)?;
            self.heap.loaded = plan.number;
        }
        let linked = plan.routines[entry.0 as usize].as_ref();
        self.put(state::PC, linked.map_or(0, |linked| linked.base));
        self.put(state::FRAME, at);
        self.put(state::ROUTINES, records.at);
        self.put(state::LITERALS, literals.at);
        let steps = self.control.limits.steps.unwrap_or(u64::MAX);
        self.put_wide(state::STEP_LIMIT, steps);
        let depth = u32::try_from(self.control.limits.depth).unwrap_or(u32::MAX);
        self.put(state::DEPTH_LIMIT, depth);
        if self.alive > self.limit {
            let (limit, wanted) = (self.limit, self.alive);
            return Err(Stop::Limit(LimitKind::Memory { limit, wanted }).into());
        }
        Ok(())
    }

    /// What `var` parameters hold at the end goes back to the caller.
    pub(super) fn leave(&mut self, slots: &mut [Slot], done: bool) -> Result<(), BackendError> {
        let (plan, entry) = (self.plan, self.plan.entry);
        let sir = plan.program.routine(entry);
        let code = plan.routine(entry)?;
        let Some(&(at, _)) = self.frames.first() else { return Ok(()) };
        let active = if done { Vec::new() } else { self.active()? };
        let mut staged = STAGING;
        for (param, slot) in sir.params.iter().zip(slots) {
            if param.mode == Mode::Value {
                continue;
            }
            let ty = sir.var(param.var).ty;
            let Some(object) = code.object_of[param.var.0 as usize] else {
                let number = if done {
                    let (value, is_set) =
                        (self.register(Reg(staged)), self.register(Reg(staged + 1)));
                    staged += 2;
                    (is_set != 0).then_some(value)
                } else {
                    self.followed(&active, param.var)?
                };
                slot.argument = match self.host_number(ty, number)? {
                    HostValue::Int(number) => Argument::Number(number),
                    HostValue::Bool(truth) => Argument::Number(i64::from(truth)),
                    HostValue::Str(text) => Argument::Text(text.into()),
                    HostValue::Unset
                    | HostValue::Slice(_)
                    | HostValue::Word(_)
                    | HostValue::Table(_) => Argument::Nothing,
                };
                continue;
            };
            let words = self.words(at + code.descriptor(object.0), DESC_WORDS)?;
            let has = |word: u32| words[word as usize];
            let flags = has(descriptor::FLAGS);
            slot.fixed = flags & flag::FIXED != 0;
            slot.size = (flags & flag::SIZED != 0).then_some(has(descriptor::ROWS));
            slot.argument = Argument::Nothing;
            if flags & flag::SET != 0 {
                let kind =
                    Kind::of(ty).ok_or_else(|| internal("a number in the place of an object"))?;
                let sizes =
                    Sizes { kind, rows: has(descriptor::ROWS), columns: has(descriptor::COLUMNS) };
                let block = match has(descriptor::CAPACITY) {
                    0 => Block::default(),
                    _ => self.blocks.remove(&has(descriptor::AT)).unwrap_or_default(),
                };
                slot.argument = Argument::Object(sizes, block);
            }
        }
        Ok(())
    }

    /// The number of a variable of the entry, in whichever routine it is now.
    pub(super) fn followed(
        &mut self,
        active: &[Active],
        var: VarId,
    ) -> Result<Option<i64>, BackendError> {
        let mut var = var;
        for (idx, here) in active.iter().enumerate() {
            let inner = active.get(idx + 1);
            let found = match inner {
                Some(inner) => {
                    self.plan.inst(inner.back.wrapping_sub(1)).map(|(id, inst)| (id, inst.clone()))
                }
                None => self.stopped_at().ok(),
            };
            let Some((id, inst)) = found else { return Ok(None) };
            let Some(site) = self.site(id, &inst)? else { return Ok(None) };
            if let (Some(_), SiteKind::Call { lent }) = (inner, &site.kind)
                && let Some((param, _)) = lent.iter().find(|(_, lent)| *lent == var)
            {
                var = *param;
                continue;
            }
            return match site.numbers.iter().find(|(known, _)| *known == var) {
                Some((_, number)) => self.number(*number, here, inner.is_some()),
                None => Ok(None),
            };
        }
        Ok(None)
    }
}
