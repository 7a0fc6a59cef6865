//! Memory of objects, frames.
//!
//! Objects keep what they took until somebody else needs it, so that a routine that is called again asks for nothing.

use super::{End, Run};
use crate::code::Reg;
use crate::heap::Block;
use crate::program::internal;
use crate::value::{Kind, MAX_BITS, Sizes};
use star_ir::{LimitKind, RoutineId};
use star_shaders::Op;
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, frame, routine, state};
use star_vm::BackendError;
use star_vm::stop::Stop;

impl Run<'_, '_> {
    /// Memory for what is no value.
    pub(super) fn furnish(&mut self, words: u64) -> Result<Block, BackendError> {
        let block = self.heap.take_near(words)?;
        self.furniture.push(block);
        Ok(block)
    }

    pub(super) fn new_frame(&mut self, id: RoutineId) -> Result<u32, BackendError> {
        let words = self.plan.routine(id)?.frame_words();
        let at = self.furnish(u64::from(words))?.at;
        self.frames.push((at, id));
        Ok(at)
    }

    /// May so many more words be taken?
    pub(super) fn reserve(&mut self, words: u64) -> Result<(), End> {
        let wanted = self.alive.saturating_add(words.saturating_mul(4));
        if wanted > self.limit {
            self.reclaim()?;
        }
        let wanted = self.alive.saturating_add(words.saturating_mul(4));
        if wanted > self.limit {
            let limit = self.limit;
            return Err(Stop::Limit(LimitKind::Memory { limit, wanted }).into());
        }
        self.control.stats.peak_bytes = self.control.stats.peak_bytes.max(wanted);
        Ok(())
    }

    /// Takes back the memory of objects that hold nothing: those of routines that are not active, and those that are
    /// unset.
    pub(super) fn reclaim(&mut self) -> Result<(), BackendError> {
        let active: Vec<u32> = self.active()?.iter().map(|active| active.at).collect();
        for (at, id) in self.frames.clone() {
            let code = self.plan.routine(id)?;
            let (first, n) = (code.descriptor(0), code.objects.len() as u32);
            let mut words = self.words(at + first, n * DESC_WORDS)?;
            for object in words.chunks_mut(DESC_WORDS as usize) {
                let is_used = object[descriptor::FLAGS as usize] & flag::SET != 0;
                if active.contains(&at) && is_used {
                    continue;
                }
                if let Some(block) = self.blocks.remove(&object[descriptor::AT as usize])
                    && object[descriptor::CAPACITY as usize] > 0
                {
                    self.alive -= u64::from(block.words) * 4;
                    self.heap.give(block);
                }
                object[descriptor::AT as usize] = 0;
                object[descriptor::CAPACITY as usize] = 0;
            }
            self.heap.unit.write(at + first, &words)?;
        }
        Ok(())
    }

    /// An object needs more memory.
    pub(super) fn enlarge(&mut self) -> Result<(), End> {
        let (_, inst) = self.stopped_at()?;
        let at = self.get(state::PAYLOAD);
        let words = self.words(at, DESC_WORDS)?;
        let has = |word: u32| words[word as usize];
        let number = |reg: Option<Reg>, other: i64| reg.map_or(other, |reg| self.register(reg));
        let (rows, columns) = match inst.op {
            Op::Shape => (number(inst.a, 0), number(inst.b, 1)),
            Op::Columns => (i64::from(has(descriptor::ROWS)), number(inst.a, 0)),
            Op::ShapeLike => {
                let object = inst.y.map_or(0, |y| y.0);
                let frame = self.get(state::FRAME);
                let pointer = self.words(frame + FRAME_HEAD + object, 1)?[0];
                let like = self.words(pointer, DESC_WORDS)?;
                let size = |word: u32| i64::from(like[word as usize]);
                (size(descriptor::ROWS), size(descriptor::COLUMNS))
            }
            _ => return Err(internal("memory for what has no size").into()),
        };
        let size = |n: i64| u64::try_from(n).map_err(|_| internal(format!("a size of {n}")));
        let (rows, columns) = (size(rows)?, size(columns)?);
        let wanted = (rows.div_ceil(64) * 2).saturating_mul(columns);
        // Nothing so large fits anywhere.
        let addressable = rows <= u64::from(MAX_BITS) && columns <= u64::from(u32::MAX);
        if !addressable {
            let wanted = self.alive.saturating_add(wanted.saturating_mul(4).max(1));
            let limit = self.limit;
            return Err(
                Stop::Limit(LimitKind::Memory { limit, wanted: wanted.max(limit + 1) }).into()
            );
        }
        let old = Block { at: has(descriptor::AT), words: has(descriptor::CAPACITY) };
        let keeps = inst.op == Op::Columns;
        if !keeps {
            self.release(old);
            self.heap.unit.write(at + descriptor::AT, &[0, 0])?;
        }
        let mut words = wanted;
        if keeps {
            words = wanted.max(2 * u64::from(old.words));
            if self.alive.saturating_add(words * 4) > self.limit {
                words = wanted;
            }
        }
        self.reserve(words)?;
        let block = match self.heap.take(words) {
            Ok(block) => block,
            Err(BackendError::OutOfMemory(_)) => {
                let limit = self.heap.n_bytes().min(self.limit);
                let wanted = self.alive.saturating_add(words * 4);
                return Err(Stop::Limit(LimitKind::Memory { limit, wanted }).into());
            }
            Err(error) => return Err(error.into()),
        };
        self.alive += u64::from(block.words) * 4;
        self.blocks.insert(block.at, block);
        if keeps {
            let used = has(descriptor::STRIDE) * has(descriptor::COLUMNS);
            if used > 0 {
                self.heap.unit.copy(old.at, block.at, used)?;
            }
            self.release(old);
        }
        self.heap.unit.write(at + descriptor::AT, &[block.at, block.words])?;
        let (rows, columns) = (rows as u32, columns as u32);
        self.saw(Sizes { kind: Kind::Table, rows, columns });
        Ok(())
    }

    /// An object gives its memory back.
    pub(super) fn release(&mut self, block: Block) {
        if block.words > 0
            && let Some(block) = self.blocks.remove(&block.at)
        {
            self.alive -= u64::from(block.words) * 4;
            self.heap.give(block);
        }
    }

    /// A routine is active more often than ever before.
    pub(super) fn add_frames(&mut self) -> Result<(), End> {
        let (_, inst) = self.stopped_at()?;
        let id = RoutineId(u32::try_from(inst.imm).map_err(|_| internal("no such routine"))?);
        let mut before = self.get(state::PAYLOAD);
        let has = self.frames.iter().filter(|(_, routine)| *routine == id).count();
        for _ in 0..has.clamp(1, 256) {
            let at = self.new_frame(id)?;
            let words = self.plan.routine(id)?.new_frame(id, at);
            self.heap.unit.write(at, &words)?;
            let link = match before {
                0 => self.get(state::ROUTINES) + id.0 * routine::WORDS + routine::FIRST,
                before => before + frame::NEXT,
            };
            self.heap.unit.write(link, &[at])?;
            before = at;
        }
        Ok(())
    }
}
