//! Memory of objects and frames.
//!
//! Objects keep their memory until it is needed elsewhere, so that a repeated call of a routine
//! makes no requests. The first frame of a routine comes with some memory for each of its objects:
//! a request ends the dispatch, which on a graphics card costs as much as hundreds of instructions.

use super::{DeviceRun, End};
use crate::code::Reg;
use crate::heap::{self, Block};
use crate::program::internal;
use crate::value::{MAX_BITS, ObjectKind, Sizes};
use star_ir::{LimitKind, RoutineId};
use star_shaders::Op;
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, frame, routine, state};
use star_vm::BackendError;
use star_vm::interrupt::Stop;

/// Maximum number of routines that get their first frames when a run begins.
const MOST_AHEAD: usize = 64;
/// Memory allocated ahead is at most the remaining limit divided by this.
const LEFT_SHARE: u64 = 16;

impl DeviceRun<'_, '_> {
    /// Allocates memory that does not hold a value.
    pub(super) fn furnish(&mut self, words: u64) -> Result<Block, BackendError> {
        let block = self.heap.take_near(words)?;
        self.furniture.push(block);
        Ok(block)
    }

    /// Allocates a further frame of a routine, and returns the words that the host must write
    /// there.
    pub(super) fn new_frame(&mut self, id: RoutineId) -> Result<(u32, Vec<u32>), BackendError> {
        let code = self.plan.routine(id)?;
        let at = self.furnish(u64::from(code.frame_words()))?.at;
        self.frames.push((at, id));
        Ok((at, code.new_frame(id, at)))
    }

    /// Allocates the first frames of all routines except the entry, unless there are many: frames
    /// are then requested on demand.
    pub(super) fn first_frames(&mut self) -> Result<(), BackendError> {
        let plan = self.plan;
        let entry = plan.entry.0 as usize;
        let linked = plan.routines.iter().enumerate().filter(|(_, linked)| linked.is_some());
        let others: Vec<u32> =
            linked.filter(|(id, _)| *id != entry).map(|(id, _)| id as u32).collect();
        if self.heap.unit.ahead_words() == 0 || others.len() > MOST_AHEAD {
            return Ok(());
        }
        others.into_iter().try_for_each(|id| self.first_frame(RoutineId(id)))
    }

    fn first_frame(&mut self, id: RoutineId) -> Result<(), BackendError> {
        let (at, mut words) = self.new_frame(id)?;
        self.give_ahead(id, &mut words)?;
        self.heap.unit.write(at, &words)?;
        let record = self.get(state::ROUTINES) + id.0 * routine::WORDS;
        self.heap.unit.write(record + routine::FIRST, &[at])
    }

    /// Allocates memory of the longest line so far for each object of a new frame that has none, if
    /// that is little.
    pub(super) fn give_ahead(
        &mut self,
        id: RoutineId,
        frame: &mut [u32],
    ) -> Result<(), BackendError> {
        let code = self.plan.routine(id)?;
        let (n, most) = (code.objects.len() as u32, self.heap.unit.ahead_words());
        let line = self.longest.next_multiple_of(heap::ALIGN);
        let sizes = [line, heap::ALIGN];
        let Some(each) = sizes.into_iter().find(|words| words.saturating_mul(n) <= most) else {
            return Ok(());
        };
        // A limit applies only to what programs request.
        let bytes = u64::from(each) * u64::from(n) * 4;
        if bytes > self.limit.saturating_sub(self.alive) / LEFT_SHARE {
            return Ok(());
        }
        for object in 0..n {
            let own = code.descriptor(object) as usize;
            if frame[own + descriptor::CAPACITY as usize] > 0 {
                continue;
            }
            let block = match self.heap.take(u64::from(each)) {
                Ok(block) => block,
                Err(BackendError::OutOfMemory(_)) => return Ok(()),
                Err(error) => return Err(error),
            };
            self.alive += u64::from(block.words) * 4;
            self.blocks.insert(block.at, block);
            frame[own + descriptor::AT as usize] = block.at;
            frame[own + descriptor::CAPACITY as usize] = block.words;
        }
        self.longest = self.longest.max(each);
        self.widest = self.widest.max(each / 2);
        let peak = &mut self.control.stats.peak_bytes;
        *peak = self.alive.max(*peak);
        Ok(())
    }

    /// Checks that this number of additional words may be used.
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

    /// Frees the memory of objects without a value: those of inactive routines, and those that are
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

    /// Enlarges the memory of an object.
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
            _ => return Err(internal("memory for an object without a size").into()),
        };
        let size = |n: i64| u64::try_from(n).map_err(|_| internal(format!("a size of {n}")));
        let (rows, columns) = (size(rows)?, size(columns)?);
        let wanted = (rows.div_ceil(64) * 2).saturating_mul(columns);
        // Larger objects fit nowhere.
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
        self.saw(Sizes { kind: ObjectKind::Table, rows, columns });
        Ok(())
    }

    /// Frees the memory of an object.
    pub(super) fn release(&mut self, block: Block) {
        if block.words > 0
            && let Some(block) = self.blocks.remove(&block.at)
        {
            self.alive -= u64::from(block.words) * 4;
            self.heap.give(block);
        }
    }

    /// Adds a frame when a routine is active more often than ever before.
    pub(super) fn add_frames(&mut self) -> Result<(), End> {
        let (_, inst) = self.stopped_at()?;
        let id = RoutineId(u32::try_from(inst.imm).map_err(|_| internal("unknown routine"))?);
        let mut before = self.get(state::PAYLOAD);
        if before == 0 {
            return Ok(self.first_frame(id)?);
        }
        let has = self.frames.iter().filter(|(_, routine)| *routine == id).count();
        for _ in 0..has.clamp(1, 256) {
            let (at, words) = self.new_frame(id)?;
            self.heap.unit.write(at, &words)?;
            self.heap.unit.write(before + frame::NEXT, &[at])?;
            before = at;
        }
        Ok(())
    }
}
