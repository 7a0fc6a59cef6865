//! Transfer of arguments to the frame of the entry, and of `var` parameters back to the caller.

use super::{Active, Argument, DeviceRun, End, Slot};
use crate::code::Reg;
use crate::compile::{Home, SiteKind, changes, is_number, staged};
use crate::heap::Block;
use crate::program::internal;
use crate::value::{ObjectKind, Sizes};
use star_ir::{LimitKind, Mode, Param, Routine, Ty, VarId};
use star_shaders::layout::{DESC_WORDS, descriptor, flag, routine, state};
use star_value::Value as HostValue;
use star_vm::BackendError;
use star_vm::interrupt::Stop;
use std::sync::Arc;

impl DeviceRun<'_, '_> {
    /// Loads the arguments, and creates the frame of the entry.
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
                Argument::Object(sizes, _) => ObjectKind::of(ty) == Some(sizes.kind),
                Argument::Handle(parts) => {
                    let is_known = |part| plan.parts.contains(part);
                    ty == Ty::Handle && parts.iter().all(|(part, _, _)| is_known(part))
                }
            };
            if !fits {
                let name = &sir.var(param.var).name;
                return Err(internal(format!("an argument that does not match `{name}`")).into());
            }
        }
        let records = self.furnish(plan.routines.len() as u64 * u64::from(routine::WORDS))?;
        let literals = self.furnish(plan.constants.limbs.len() as u64)?;
        self.heap.unit.write(literals.at, &plan.constants.limbs)?;
        let (at, mut words) = self.new_frame(entry)?;
        let mut place = 0;
        for (param, slot) in sir.params.iter().zip(&mut *slots) {
            if is_number(sir.var(param.var).ty) {
                let number = match &slot.argument {
                    Argument::Number(number) => Some(*number),
                    Argument::Text(text) => {
                        self.texts.push(Arc::clone(text));
                        Some(self.texts.len() as i64 - 1)
                    }
                    Argument::Nothing | Argument::Object(..) | Argument::Handle(_) => None,
                };
                let mut given = vec![number.unwrap_or(0)];
                if param.mode == Mode::Ref {
                    given.push(i64::from(number.is_some()));
                }
                for number in given {
                    match staged(place) {
                        Home::Register(reg) => self.set_register(Reg(reg), number),
                        Home::Cell(cell) => {
                            let cell = code.cell(cell) as usize;
                            words[cell] = number as u32;
                            words[cell + 1] = (number as u64 >> 32) as u32;
                        }
                    }
                    place += 1;
                }
                continue;
            }
            let Some(object) = code.object_of[param.var.0 as usize] else {
                return Err(internal("a parameter that is neither number nor object").into());
            };
            let own = code.descriptor(object.0) as usize;
            match std::mem::replace(&mut slot.argument, Argument::Nothing) {
                Argument::Object(sizes, block) => {
                    words[own + descriptor::FLAGS as usize] =
                        flags_of(param.mode, slot.fixed, code.objects[object.0 as usize]);
                    let own = &mut words[own..own + DESC_WORDS as usize];
                    let kept = self.let_in(sir, param, (sizes, block), own)?;
                    if let Some(block) = kept {
                        slot.argument = Argument::Object(sizes, block);
                    }
                }
                Argument::Handle(parts) => {
                    let mut kept = Vec::new();
                    for (part, sizes, block) in parts {
                        let Some(at) = plan.parts.iter().position(|known| *known == part) else {
                            return Err(internal("a handle with an unknown part").into());
                        };
                        let own = code.descriptor(object.0 + at as u32) as usize;
                        let own = &mut words[own..own + DESC_WORDS as usize];
                        let block = self.let_in(sir, param, (sizes, block), own)?;
                        kept.extend(block.map(|block| (part, sizes, block)));
                    }
                    if param.mode == Mode::Value {
                        slot.argument = Argument::Handle(kept);
                    }
                }
                Argument::Nothing | Argument::Number(_) | Argument::Text(_) => {
                    if sir.var(param.var).ty == Ty::Handle {
                        continue;
                    }
                    let own = &mut words[own..own + DESC_WORDS as usize];
                    own[descriptor::FLAGS as usize] =
                        flags_of(param.mode, slot.fixed, code.objects[object.0 as usize]);
                    if let Some(size) = slot.size {
                        own[descriptor::FLAGS as usize] |= flag::SIZED;
                        own[descriptor::ROWS as usize] = size;
                        own[descriptor::COLUMNS as usize] = 1;
                    }
                }
            }
        }
        self.give_ahead(entry, &mut words)?;
        self.heap.unit.write(at, &words)?;
        let record = records.at + entry.0 * routine::WORDS;
        self.heap.unit.write(record, &[at, at])?;
        self.put(state::ROUTINES, records.at);
        self.first_frames()?;
        if self.heap.loaded != plan.number {
            self.heap.unit.load_code(&plan.words)?;
            self.heap.loaded = plan.number;
        }
        let linked = plan.routines[entry.0 as usize].as_ref();
        self.put(state::PC, linked.map_or(0, |linked| linked.base));
        self.put(state::FRAME, at);
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

    /// Passes an object of the caller to the entry, with this descriptor; the caller still keeps a
    /// block that it owns.
    fn let_in(
        &mut self,
        sir: &Routine,
        param: &Param,
        (sizes, block): (Sizes, Block),
        own: &mut [u32],
    ) -> Result<Option<Block>, End> {
        let bytes = u64::from(block.words) * 4;
        self.alive += bytes;
        self.control.stats.peak_bytes = self.alive;
        self.saw(sizes);
        let mut used = block;
        let kept = match param.mode {
            Mode::Ref => {
                self.blocks.insert(block.at, block);
                None
            }
            Mode::Value => {
                if changes(sir, param.var) && block.words > 0 {
                    self.reserve(u64::from(block.words))?;
                    used = self.heap.take(u64::from(block.words))?;
                    self.blocks.insert(used.at, used);
                    self.heap.unit.copy(block.at, used.at, block.words)?;
                    self.alive += bytes;
                }
                Some(block)
            }
        };
        own[descriptor::AT as usize] = used.at;
        own[descriptor::CAPACITY as usize] = used.words;
        own[descriptor::FLAGS as usize] |= flag::SET;
        own[descriptor::ROWS as usize] = sizes.rows;
        own[descriptor::COLUMNS as usize] = sizes.columns;
        own[descriptor::STRIDE as usize] = sizes.stride();
        Ok(kept)
    }

    /// Returns the final values of `var` parameters to the caller.
    pub(super) fn leave(&mut self, slots: &mut [Slot], done: bool) -> Result<(), BackendError> {
        let (plan, entry) = (self.plan, self.plan.entry);
        let sir = plan.program.routine(entry);
        let code = plan.routine(entry)?;
        let Some(&(at, _)) = self.frames.first() else { return Ok(()) };
        let active = if done { Vec::new() } else { self.active()? };
        let mut place = 0;
        for (param, slot) in sir.params.iter().zip(slots) {
            if param.mode == Mode::Value {
                continue;
            }
            let ty = sir.var(param.var).ty;
            let Some(object) = code.object_of[param.var.0 as usize] else {
                let number = if done {
                    let value = self.came_out(at, place)?;
                    let is_set = self.came_out(at, place + 1)?;
                    place += 2;
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
            slot.argument = Argument::Nothing;
            if ty == Ty::Handle {
                let mut held = Vec::new();
                for (idx, part) in plan.parts.iter().enumerate() {
                    let own = at + code.descriptor(object.0 + idx as u32);
                    let words = self.words(own, DESC_WORDS)?;
                    let found = self.let_out(ObjectKind::Table, &words);
                    held.extend(found.map(|(sizes, block)| (part.clone(), sizes, block)));
                }
                if !held.is_empty() {
                    slot.argument = Argument::Handle(held);
                }
                continue;
            }
            let words = self.words(at + code.descriptor(object.0), DESC_WORDS)?;
            let has = |word: u32| words[word as usize];
            let flags = has(descriptor::FLAGS);
            slot.fixed = flags & flag::FIXED != 0;
            slot.size = (flags & flag::SIZED != 0).then_some(has(descriptor::ROWS));
            let kind =
                ObjectKind::of(ty).ok_or_else(|| internal("a number instead of an object"))?;
            if let Some((sizes, block)) = self.let_out(kind, &words) {
                slot.argument = Argument::Object(sizes, block);
            }
        }
        Ok(())
    }

    /// Returns the value of an object to the caller, if it is set.
    fn let_out(&mut self, kind: ObjectKind, words: &[u32]) -> Option<(Sizes, Block)> {
        let has = |word: u32| words[word as usize];
        if has(descriptor::FLAGS) & flag::SET == 0 {
            return None;
        }
        let sizes = Sizes { kind, rows: has(descriptor::ROWS), columns: has(descriptor::COLUMNS) };
        let block = match has(descriptor::CAPACITY) {
            0 => Block::default(),
            _ => self.blocks.remove(&has(descriptor::AT)).unwrap_or_default(),
        };
        Some((sizes, block))
    }

    /// Returns a number that the entry, whose frame is at `at`, gave back.
    fn came_out(&mut self, at: u32, place: u32) -> Result<i64, BackendError> {
        match staged(place) {
            Home::Register(reg) => Ok(self.register(Reg(reg))),
            Home::Cell(cell) => {
                let code = self.plan.routine(self.plan.entry)?;
                let words = self.words(at + code.cell(cell), 2)?;
                Ok((u64::from(words[0]) | u64::from(words[1]) << 32) as i64)
            }
        }
    }

    /// Returns the number of a variable of the entry, in whichever routine it is now.
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

/// Returns the initial flags of an object of the entry.
fn flags_of(mode: Mode, is_fixed: bool, own: u32) -> u32 {
    match mode {
        Mode::Ref if is_fixed => flag::FIXED,
        Mode::Ref => 0,
        Mode::Value => own,
    }
}
