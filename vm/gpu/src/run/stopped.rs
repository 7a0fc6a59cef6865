//! A run that has stopped: the active routines, their variables, the trap.

use super::{Active, DeviceRun, failed};
use crate::code::{Inst, Reg};
use crate::compile::{Home, Number, Site, SiteKind};
use crate::program::internal;
use crate::stopped_frame::{Seen, StoppedFrame};
use crate::value::{ObjectKind, Sizes, download_object};
use star_ir::{Frame, LocId, RoutineId, Trap, TrapKind, Ty, VarId, visit};
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, frame, state};
use star_value::Value as HostValue;
use star_value::display::{self, Shown};
use star_vm::interrupt::Stop;
use star_vm::{BackendError, Outcome, checks};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The point of view on variables that a parallel statement replaces temporarily.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Inside the body.
    Inside,
    /// After the statement is stopped.
    Outside,
}

impl DeviceRun<'_, '_> {
    /// Returns the active routines, the entry first.
    pub(super) fn active(&mut self) -> Result<Vec<Active>, BackendError> {
        let mut active = Vec::new();
        let mut at = self.get(state::FRAME);
        while at != 0 {
            let head = self.words(at, FRAME_HEAD.min(8))?;
            let routine = RoutineId(head[frame::ROUTINE as usize]);
            active.push(Active { at, routine, back: head[frame::RETURN as usize] });
            at = head[frame::CALLER as usize];
        }
        active.reverse();
        Ok(active)
    }

    pub(super) fn site(&self, id: RoutineId, inst: &Inst) -> Result<Option<Site>, BackendError> {
        let sites = &self.plan.routine(id)?.sites;
        Ok(inst.site.and_then(|site| sites.get(site as usize)).cloned())
    }

    /// Returns the number in a slot of an active routine; `waits` marks a routine that has called
    /// another.
    pub(super) fn number(
        &mut self,
        number: Number,
        active: &Active,
        waits: bool,
    ) -> Result<Option<i64>, BackendError> {
        let code = self.plan.routine(active.routine)?;
        let mut at = |home: Home| {
            let place = match home {
                Home::Register(reg) if !waits => return Ok(self.register(Reg(reg))),
                Home::Register(reg) => active.at + frame::REGISTERS + 2 * reg,
                Home::Cell(cell) => active.at + code.cell(cell),
            };
            let words = self.words(place, 2)?;
            Ok::<i64, BackendError>((u64::from(words[0]) | u64::from(words[1]) << 32) as i64)
        };
        if let Some(flag) = number.flag
            && at(flag)? == 0
        {
            return Ok(None);
        }
        at(number.at).map(Some)
    }

    /// Returns the visible variables of the innermost routine.
    pub(super) fn scene(
        &mut self,
        (id, loc): (RoutineId, LocId),
        (site, view): (&Site, View),
        vars: &[VarId],
    ) -> Result<StoppedFrame, BackendError> {
        let plan = self.plan;
        let (sir, code) = (plan.program.routine(id), plan.routine(id)?);
        let here = Active { at: self.get(state::FRAME), routine: id, back: 0 };
        let mut scene = StoppedFrame {
            program: Arc::clone(&plan.program),
            routine: id,
            loc,
            seen: BTreeMap::new(),
        };
        for &var in vars {
            let ty = sir.var(var).ty;
            let seen = match code.object_of[var.0 as usize] {
                None => {
                    let number = site.numbers.iter().find(|(known, _)| *known == var);
                    let number = match number {
                        Some((_, number)) => self.number(*number, &here, false)?,
                        None => None,
                    };
                    let value = self.host_number(ty, number)?;
                    Seen { value, size: None, fixed: false, parts: Vec::new() }
                }
                Some(object) if ty == Ty::Handle => {
                    let mut parts = Vec::new();
                    for (idx, part) in plan.parts.iter().enumerate() {
                        let place = here.at + FRAME_HEAD + object.0 + idx as u32;
                        let pointer = self.words(place, 1)?[0];
                        let flags = self.words(pointer + descriptor::FLAGS, 1)?[0];
                        parts.extend((flags & flag::SET != 0).then(|| part.clone()));
                    }
                    Seen { value: HostValue::Unset, size: None, fixed: false, parts }
                }
                Some(object) => {
                    let own = site.objects.get(&var).filter(|_| view == View::Inside);
                    let object = own.copied().unwrap_or(object);
                    let pointer = self.words(here.at + FRAME_HEAD + object.0, 1)?[0];
                    self.seen(ty, pointer)?
                }
            };
            scene.seen.insert(var, seen);
        }
        Ok(scene)
    }

    pub(super) fn host_number(
        &self,
        ty: Ty,
        number: Option<i64>,
    ) -> Result<HostValue, BackendError> {
        Ok(match (ty, number) {
            (_, None) => HostValue::Unset,
            (Ty::Int, Some(number)) => HostValue::Int(number),
            (Ty::Bool, Some(number)) => HostValue::Bool(number != 0),
            (Ty::Str, Some(number)) => {
                let text = usize::try_from(number).ok().and_then(|number| self.texts.get(number));
                let text = text.ok_or_else(|| internal(format!("unknown text {number}")))?;
                HostValue::Str(text.to_string())
            }
            (Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) | Ty::Handle, Some(_)) => {
                return Err(internal("an object instead of a number"));
            }
        })
    }

    pub(super) fn seen(&mut self, ty: Ty, pointer: u32) -> Result<Seen, BackendError> {
        let words = self.words(pointer, DESC_WORDS)?;
        let has = |word: u32| words[word as usize];
        let flags = has(descriptor::FLAGS);
        let kind = ObjectKind::of(ty).ok_or_else(|| internal("a number instead of an object"))?;
        let sizes = Sizes { kind, rows: has(descriptor::ROWS), columns: has(descriptor::COLUMNS) };
        let size = (flags & flag::SIZED != 0).then_some(u64::from(sizes.rows));
        let value = if flags & flag::SET != 0 {
            download_object(self.heap, has(descriptor::AT), sizes)?
        } else {
            HostValue::Unset
        };
        Ok(Seen { value, size, fixed: flags & flag::FIXED != 0, parts: Vec::new() })
    }

    /// Returns the trap with which the last dispatch ended.
    pub(super) fn trapped(&mut self) -> Result<Stop, BackendError> {
        let (id, inst) = self.stopped_at()?;
        let site = self.site(id, &inst)?.ok_or_else(|| internal("a trap without a guard"))?;
        let mut vars = Vec::new();
        match &site.kind {
            SiteKind::Check(check) => visit::check_accesses(check, &mut |var, _| vars.push(var)),
            SiteKind::Returned(var) => {
                vars.push(*var);
                for extent in self.plan.program.routine(id).var(*var).ty.extents() {
                    if let star_ir::Extent::Var(size) = extent {
                        vars.push(size);
                    }
                }
            }
            SiteKind::Call { .. }
            | SiteKind::Print(_)
            | SiteKind::Read { .. }
            | SiteKind::Write { .. }
            | SiteKind::Exchange { .. }
            | SiteKind::Lifted(..)
            | SiteKind::Fused(..)
            | SiteKind::Extreme(_)
            | SiteKind::Copied(..)
            | SiteKind::Intrinsic(_)
            | SiteKind::Count => return Err(internal("a trap without a guard")),
        }
        let scene = self.scene((id, inst.loc), (&site, View::Inside), &vars)?;
        let found = match &site.kind {
            SiteKind::Returned(var) => Ok(scene.other_size(*var)),
            SiteKind::Check(check) => checks::check(&scene, check),
            _ => Ok(None),
        };
        Ok(match found {
            Ok(Some(kind)) => Stop::Trap(kind),
            Ok(None) => Stop::Internal(format!(
                "the host finds no failure of a guard that failed on the \
                    device: {:?}",
                site.kind
            )),
            Err(stop) => stop,
        })
    }

    /// Returns the outcome of a run that stopped.
    pub(super) fn stopped(&mut self, stop: Stop) -> Outcome {
        let loc =
            self.stopped_at().map_or(self.plan.program.routine(self.plan.entry).loc, |it| it.1.loc);
        match stop {
            Stop::Trap(kind) => match self.trap(kind) {
                Ok(trap) => Outcome::Trap(Box::new(trap)),
                Err(error) => failed(error),
            },
            Stop::Limit(kind) => Outcome::Limit { kind, loc },
            Stop::Unsupported(what) => Outcome::Unsupported { what },
            Stop::Lost(why) => Outcome::DeviceLost { why },
            Stop::Internal(what) => Outcome::Internal(what),
        }
    }

    pub(super) fn trap(&mut self, kind: TrapKind) -> Result<Trap, BackendError> {
        let (id, inst) = self.stopped_at()?;
        let site = self.site(id, &inst)?.ok_or_else(|| internal("a trap without a guard"))?;
        let plan = self.plan;
        let operands = plan.program.locations.get(inst.loc).map(|location| &location.operands);
        let named: Vec<_> = operands.into_iter().flatten().collect();
        let is_shown = |var: VarId| plan.program.routine(id).var(var).ty != Ty::Handle;
        let vars = named.iter().map(|named| named.var).filter(|var| is_shown(*var));
        let vars: Vec<VarId> = vars.collect();
        let scene = self.scene((id, inst.loc), (&site, View::Outside), &vars)?;
        let values = named.iter().filter_map(|named| {
            let seen = scene.seen.get(&named.var)?;
            Some((named.name.clone(), display::short(Shown::from(&seen.value))))
        });
        let values = values.collect();
        let mut frames = Vec::new();
        for (idx, active) in self.active()?.into_iter().enumerate() {
            let call = self.plan.inst(active.back.wrapping_sub(1)).map(|(_, inst)| inst.loc);
            let call = if idx == 0 { None } else { call };
            frames.push(Frame { routine: active.routine, call });
        }
        Ok(Trap { kind, loc: inst.loc, frames, values })
    }
}
