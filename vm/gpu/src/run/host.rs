//! Requests of a program to the host.

use super::stopped::View;
use super::{DeviceRun, End};
use crate::compile::SiteKind;
use crate::heap::Block;
use crate::program::internal;
use crate::value::{ObjectKind, place};
use star_ir::{LimitKind, PrintItem, RoutineId, TrapKind, VarId};
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, state};
use star_value::Value as HostValue;
use star_value::display::{self, Shown};
use star_vm::HostError;
use star_vm::interrupt::Stop;
use std::sync::Arc;

impl DeviceRun<'_, '_> {
    /// Serves the request of a program to the host.
    pub(super) fn serve(&mut self) -> Result<(), End> {
        let (id, inst) = self.stopped_at()?;
        let site = self.site(id, &inst)?.ok_or_else(|| internal("not a request to the host"))?;
        let mut vars = Vec::new();
        let operand = |vars: &mut Vec<VarId>, operand: &star_ir::Operand| {
            if let star_ir::Operand::Var(var) = operand {
                vars.push(*var);
            }
        };
        match &site.kind {
            SiteKind::Print(items) => {
                items.iter().for_each(|item| operand(&mut vars, item.operand()));
            }
            SiteKind::Read { dst: _, file, layout } => {
                operand(&mut vars, file);
                layout.iter().for_each(|layout| operand(&mut vars, layout));
            }
            SiteKind::Write { src, file } => {
                operand(&mut vars, file);
                vars.push(*src);
            }
            SiteKind::Exchange { word, op: _ } => vars.push(*word),
            SiteKind::Lifted(lifted, cells) => {
                let (lifted, cells) = (Arc::clone(lifted), *cells);
                return self.lifted((&lifted, cells), (id, &inst), &site);
            }
            SiteKind::Fused(fused, cells) => {
                let (fused, cells) = (Arc::clone(fused), *cells);
                return self.fused((&fused, cells), (id, &inst), &site);
            }
            SiteKind::Extreme(extreme) => return self.extreme(*extreme, (id, &inst), &site),
            SiteKind::Copied(x, y) => return self.copied((*x, *y), (id, &inst)),
            SiteKind::Intrinsic(intrinsic) => {
                return self.intrinsic(*intrinsic, (id, &inst), &site);
            }
            SiteKind::Check(_)
            | SiteKind::Returned(_)
            | SiteKind::Call { .. }
            | SiteKind::Count => {}
        }
        let scene = self.scene((id, inst.loc), (&site, View::Inside), &vars)?;
        match &site.kind {
            SiteKind::Print(items) => {
                let value = |item: &PrintItem| self.printed(item, scene.operand(item.operand()));
                let values: Vec<_> = items.iter().map(value).collect();
                self.print(&values)?;
                // The next instruction would have put the line into the journal.
                self.go_on(id, &inst)?;
            }
            SiteKind::Read { dst, file, layout } => {
                let file = scene.text_of(file)?;
                let layout = layout.as_ref().map(|layout| scene.text_of(layout)).transpose()?;
                let max_bytes = Some(self.limit.saturating_sub(self.alive));
                let ty = self.plan.program.routine(id).var(*dst).ty;
                let host = &mut self.control.host;
                let value =
                    host.read(&file, layout.as_deref(), ty, max_bytes).map_err(file_trap)?;
                self.take_read(id, *dst, &value)?;
            }
            SiteKind::Write { src, file } => {
                let file = scene.text_of(file)?;
                let value = scene.seen.get(src).and_then(|seen| seen.value.bits());
                let value = value.ok_or_else(|| internal("the value cannot be written"))?;
                self.control.host.write(&file, value).map_err(file_trap)?;
            }
            SiteKind::Exchange { word, op } => {
                let own = scene.seen.get(word).map(|seen| &seen.value);
                let Some(HostValue::Word(own)) = own else {
                    return Err(internal("an exchange of no word").into());
                };
                let combined = self.control.host.exchange(*op, own);
                let combined = combined.map_err(|lost| Stop::Lost(lost.why))?;
                self.take_read(id, *word, &HostValue::Word(combined))?;
            }
            SiteKind::Lifted(..)
            | SiteKind::Fused(..)
            | SiteKind::Extreme(_)
            | SiteKind::Copied(..)
            | SiteKind::Intrinsic(_)
            | SiteKind::Check(_)
            | SiteKind::Returned(_)
            | SiteKind::Call { .. }
            | SiteKind::Count => {
                return Err(internal("not a request to the host").into());
            }
        }
        Ok(())
    }

    /// Returns the value that `print` shows: the name of a vertex, if it has one.
    pub(super) fn printed(&self, item: &PrintItem, value: HostValue) -> HostValue {
        match (item, value) {
            (PrintItem::Name(_), HostValue::Int(row)) => {
                self.control.host.name(row).map_or(HostValue::Int(row), HostValue::Str)
            }
            (PrintItem::Name(_) | PrintItem::Value(_), value) => value,
        }
    }

    /// Prints a line.
    pub(super) fn print(&mut self, values: &[HostValue]) -> Result<(), Stop> {
        let shown: Vec<_> = values.iter().map(Shown::from).collect();
        let line = display::print_line(&shown);
        let output = self.control.stats.output_bytes.saturating_add(line.len() as u64);
        if let Some(limit) = self.control.limits.output.filter(|&limit| output > limit) {
            return Err(Stop::Limit(LimitKind::Output { limit }));
        }
        self.control.host.print(&line).map_err(file_trap)?;
        self.control.stats.output_bytes = output;
        Ok(())
    }

    /// Stores a read value in a variable; a table does not grow then.
    pub(super) fn take_read(
        &mut self,
        id: RoutineId,
        dst: VarId,
        value: &HostValue,
    ) -> Result<(), End> {
        let code = self.plan.routine(id)?;
        let object = code.object_of[dst.0 as usize].ok_or_else(|| {
            internal(
                "cannot read a file into a \
                number",
            )
        })?;
        let frame = self.get(state::FRAME);
        let pointer = self.words(frame + FRAME_HEAD + object.0, 1)?[0];
        let words = self.words(pointer, DESC_WORDS)?;
        let n_words = match value {
            HostValue::Slice(bits) | HostValue::Word(bits) => bits.limbs().len() as u64 * 2,
            HostValue::Table(table) => table.view().dense_bytes() / 4,
            HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => {
                return Err(internal("the file contains no value").into());
            }
        };
        self.reserve(n_words)?;
        let (sizes, block) = place(self.heap, value)?;
        self.alive += u64::from(block.words) * 4;
        if block.words > 0 {
            self.blocks.insert(block.at, block);
        }
        self.release(Block {
            at: words[descriptor::AT as usize],
            words: words[descriptor::CAPACITY as usize],
        });
        self.saw(sizes);
        let keeps = words[descriptor::FLAGS as usize] & flag::FIXED;
        let fixed = if sizes.kind == ObjectKind::Table { flag::FIXED } else { keeps };
        let new =
            [block.at, block.words, flag::SET | fixed, sizes.rows, sizes.columns, sizes.stride()];
        self.heap.unit.write(pointer, &new)?;
        Ok(())
    }
}

fn file_trap(error: HostError) -> Stop {
    let HostError { code, message } = error;
    Stop::Trap(TrapKind::File { code, message })
}
