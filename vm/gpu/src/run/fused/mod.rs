//! A sequence of operations on slices that may run as a kernel: the host evaluates its scalars,
//! allocates memory, and starts the kernel.

mod walk;

use std::collections::HashMap;

use star_ir::{RoutineId, Ty, VarId};
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, state};
use star_vm::{BackendError, Declined};

use super::{Active, DeviceRun, End};
use crate::code::Inst;
use crate::compile::Site;
use crate::fuse::{FIRST_GIVEN, Fused, Given as Word, IN_GIVEN, THREADS};
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::heap::Block;
use crate::program::internal;
use crate::value::{ObjectKind, Sizes};
pub(super) use walk::ObjectState;
use walk::Walk;

/// Memory for a slice that outgrows its present memory.
pub(super) struct Grown {
    pub(super) pointer: u32,
    pub(super) old: Block,
    pub(super) new: Block,
}

/// Memory that a kernel needs.
struct Room {
    grown: Vec<Grown>,
    /// Additional memory for parameters that do not fit elsewhere, for the results of workgroups,
    /// and for the joined results.
    beside: Block,
    /// Words of the additional parameters.
    spilled: u32,
}

impl<'r> DeviceRun<'r, '_> {
    /// Runs the whole sequence, if it can run as a kernel.
    pub(super) fn fused(
        &mut self,
        (fused, cells): (&Fused, u32),
        (id, inst): (RoutineId, &Inst),
        site: &Site,
    ) -> Result<(), End> {
        let mut walk = self.walk_of(fused, id, site)?;
        let done = match walk.run(fused) {
            // No branch with work on slices is executed.
            Ok(()) if walk.rows.is_none() => Ok(Vec::new()),
            Ok(()) => self.fused_launches(fused, &walk)?,
            Err(reason) => Err(reason),
        };
        let found = match done {
            Ok(found) => found,
            Err(reason) => {
                self.control.stats.counters.decline(reason);
                return Ok(());
            }
        };
        self.set_sizes(fused, &walk)?;
        let number = |var: &VarId| {
            let query = fused.queries.iter().zip(&found).rev().find(|(query, _)| query.dst == *var);
            match query {
                Some((query, found)) => Some(query.answer(*found)),
                None => walk.known(*var),
            }
        };
        let results: Vec<_> = fused.results.iter().map(number).collect();
        self.put_results((id, cells), &results)?;
        let operations = self.get_wide(state::OPERATIONS).saturating_add(walk.operations);
        self.put_wide(state::OPERATIONS, operations);
        let steps = walk.operations.saturating_add(walk.iterations);
        self.put_wide(state::STEPS, self.get_wide(state::STEPS).saturating_add(steps));
        self.control.stats.operations = operations;
        self.control.stats.counters.grid_runs += u64::from(walk.rows.is_some());
        self.go_on(id, inst)
    }

    /// Stores the numbers that the code after the stop takes from cells, from this one on.
    pub(super) fn put_results(
        &mut self,
        (id, cells): (RoutineId, u32),
        results: &[Option<i64>],
    ) -> Result<(), BackendError> {
        let words = results.iter().flat_map(|number| {
            let value = number.unwrap_or(0);
            [value as u32, (value >> 32) as u32, u32::from(number.is_some()), 0]
        });
        let words: Vec<u32> = words.collect();
        if !words.is_empty() {
            let at = self.get(state::FRAME) + self.plan.routine(id)?.cell(cells);
            self.heap.unit.write(at, &words)?;
        }
        Ok(())
    }

    /// Returns the state at the beginning of the sequence.
    fn walk_of(&mut self, fused: &Fused, id: RoutineId, site: &Site) -> Result<Walk<'r>, End> {
        let plan = self.plan;
        let sir = plan.program.routine(id);
        let here = Active { at: self.get(state::FRAME), routine: id, back: 0 };
        let mut numbers = HashMap::new();
        for (var, number) in &site.numbers {
            if let Some(number) = self.number(*number, &here, false)? {
                numbers.insert(*var, number);
            }
        }
        let (mut objects, mut words) = (HashMap::new(), HashMap::new());
        for &var in &fused.objects {
            let held = self.held_by(id, site, var)?;
            if matches!(sir.var(var).ty, Ty::Word(_)) && held.is_set && held.rows > 0 {
                words.insert(var, self.words(held.at, held.rows.div_ceil(32))?);
            }
            objects.insert(var, held);
        }
        Ok(Walk::new((&plan.program, id), &fused.needed, numbers, objects, words))
    }

    /// Returns the state of an object of the routine that has stopped.
    pub(super) fn held_by(
        &mut self,
        id: RoutineId,
        site: &Site,
        var: VarId,
    ) -> Result<ObjectState, BackendError> {
        let own = site.objects.get(&var).copied();
        let object = own.or(self.plan.routine(id)?.object_of[var.0 as usize]);
        let object = object.ok_or_else(|| internal("a number instead of an object"))?;
        let pointer = self.words(self.get(state::FRAME) + FRAME_HEAD + object.0, 1)?[0];
        self.held(pointer)
    }

    pub(super) fn held(&mut self, pointer: u32) -> Result<ObjectState, BackendError> {
        let words = self.words(pointer, DESC_WORDS)?;
        let has = |word: u32| words[word as usize];
        let is = |flag: u32| has(descriptor::FLAGS) & flag != 0;
        Ok(ObjectState {
            pointer,
            at: has(descriptor::AT),
            capacity: has(descriptor::CAPACITY),
            stride: has(descriptor::STRIDE),
            rows: has(descriptor::ROWS),
            columns: has(descriptor::COLUMNS),
            is_set: is(flag::SET),
            is_sized: is(flag::SIZED),
            is_fixed: is(flag::FIXED),
            is_written: false,
            is_changed: false,
        })
    }

    /// Allocates memory, starts the kernel, and returns its results about slices.
    fn fused_launches(
        &mut self,
        fused: &Fused,
        walk: &Walk<'_>,
    ) -> Result<Result<Vec<u32>, Declined>, End> {
        let rows = walk.rows.unwrap_or(0);
        let is_wide = |held: &ObjectState| held.columns <= 1 || held.stride.is_multiple_of(4);
        let is_wide = walk.objects.values().all(is_wide);
        let width = if is_wide { 4 } else { 2 };
        let limbs = rows.div_ceil(32 * width);
        let n_groups = limbs.div_ceil(THREADS);
        let per = (fused.queries.len() as u32).div_ceil(width);
        let Some(grid) = self.heap.unit.grid() else { return Err(internal("no grid").into()) };
        let at_once = grid.limbs_at_once() / u64::from(width) / walk.work.max(1);
        let room = match self.room(fused, walk, (width, n_groups * per + per))? {
            Ok(room) => room,
            Err(reason) => return Ok(Err(reason)),
        };
        let at = |room: &Room| (room.beside.at + room.spilled) / width;
        let first = self.kernels([fused.text(is_wide)])?;
        let gather = fused.gather().map(|text| self.kernels([text])).transpose()?;
        let words = self.given_words(fused, walk, (&room, width));
        let (kernel, gather, words) = match (first, gather, words) {
            (Some([kernel]), None, Some(words)) => (kernel, None, words),
            (Some([kernel]), Some(Some([gather])), Some(words)) => (kernel, Some(gather), words),
            (_, _, words) => {
                self.heap.give(room.beside);
                room.grown.into_iter().for_each(|grown| self.heap.give(grown.new));
                let refused = words.map_or(Declined::Range, |_| Declined::Body);
                return Ok(Err(refused));
            }
        };
        let (inside, beyond) = words.split_at(words.len().min(IN_GIVEN));
        if !beyond.is_empty() {
            self.heap.unit.write(room.beside.at, beyond)?;
        }
        let mut given: Given = [0; 32];
        given[4..7].copy_from_slice(&[rows, at(&room), room.beside.at]);
        given[FIRST_GIVEN..FIRST_GIVEN + inside.len()].copy_from_slice(inside);
        // The user may end the run between two of them.
        let step = u32::try_from(at_once / u64::from(THREADS)).unwrap_or(u32::MAX).max(1);
        let step = step.min(MAX_GROUPS);
        let mut launches = Vec::new();
        for group in (0..n_groups).step_by(step as usize) {
            let n = step.min(n_groups - group);
            given[..3].copy_from_slice(&[group * THREADS, limbs, n]);
            launches.push(Launch { kernel, groups: [n, 1], given });
        }
        if let Some(kernel) = gather {
            let mut given: Given = [0; 32];
            let words = at(&room) * width;
            given[..4].copy_from_slice(&[
                words,
                per * width,
                n_groups,
                words + n_groups * per * width,
            ]);
            launches.push(Launch { kernel, groups: [n_groups.div_ceil(THREADS), 1], given });
        }
        let (found_at, n_found) =
            ((at(&room) + n_groups * per) * width, fused.queries.len() as u32);
        self.own(room.grown.iter());
        let each = u64::from(limbs.min(step * THREADS)) * u64::from(width) * walk.work;
        let found = self.launch_and_read(&launches, each, (found_at, n_found));
        self.heap.give(room.beside);
        let found = found?;
        self.replace(room.grown)?;
        Ok(Ok(found))
    }

    /// Allocates memory of these sizes in words, all of it or none.
    pub(super) fn take_beside(
        &mut self,
        wanted: &[u64],
    ) -> Result<Result<Vec<Block>, Declined>, End> {
        let words = wanted.iter().fold(0_u64, |sum, words| sum.saturating_add(*words));
        let bytes = self.alive.saturating_add(words.saturating_mul(4));
        if bytes > self.limit {
            return Ok(Err(Declined::Memory));
        }
        let mut taken = Vec::new();
        for &words in wanted {
            match self.heap.take(words) {
                Ok(block) => taken.push(block),
                Err(BackendError::OutOfMemory(_)) => {
                    taken.into_iter().for_each(|block| self.heap.give(block));
                    return Ok(Err(Declined::Memory));
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.control.stats.peak_bytes = self.control.stats.peak_bytes.max(bytes);
        Ok(Ok(taken))
    }

    /// Transfers the memory to objects of the run.
    pub(super) fn own<'g>(&mut self, grown: impl Iterator<Item = &'g Grown>) {
        for Grown { new, .. } in grown {
            self.alive += u64::from(new.words) * 4;
            self.blocks.insert(new.at, *new);
        }
    }

    /// Replaces the memory of the objects by the new memory.
    pub(super) fn replace(&mut self, grown: impl IntoIterator<Item = Grown>) -> Result<(), End> {
        for Grown { pointer, old, new } in grown {
            self.release(old);
            self.heap.unit.write(pointer + descriptor::AT, &[new.at, new.words])?;
        }
        Ok(())
    }

    /// Allocates memory for slices that outgrow theirs, for the kernel's parameters, and for this
    /// number of result limbs, of this number of words each.
    fn room(
        &mut self,
        fused: &Fused,
        walk: &Walk<'_>,
        (width, left): (u32, u32),
    ) -> Result<Result<Room, Declined>, End> {
        let stride =
            Sizes { kind: ObjectKind::Slice, rows: walk.rows.unwrap_or(0), columns: 1 }.stride();
        let grows = |held: &ObjectState| held.is_set && held.is_written && held.capacity < stride;
        let slices = fused.slices.iter().filter_map(|slice| walk.objects.get(slice));
        let growing: Vec<&ObjectState> = slices.filter(|held| grows(held)).collect();
        let spilled = (fused.given.len().saturating_sub(IN_GIVEN) as u32).next_multiple_of(4);
        let beside = u64::from(spilled) + u64::from(left) * u64::from(width);
        let wanted: Vec<u64> = growing.iter().map(|_| u64::from(stride)).chain([beside]).collect();
        let mut taken = match self.take_beside(&wanted)? {
            Ok(taken) => taken,
            Err(reason) => return Ok(Err(reason)),
        };
        let beside = taken.pop().unwrap_or_default();
        let grown = growing.iter().zip(taken).map(|(held, new)| {
            let old = Block { at: held.at, words: held.capacity };
            Grown { pointer: held.pointer, old, new }
        });
        Ok(Ok(Room { grown: grown.collect(), beside, spilled }))
    }

    /// Returns the kernel's parameters; `None` if a number has more than 32 bits.
    fn given_words(
        &self,
        fused: &Fused,
        walk: &Walk<'_>,
        (room, width): (&Room, u32),
    ) -> Option<Vec<u32>> {
        let first = |var: &VarId| walk.begins(*var);
        let word = |word: &Word| {
            Some(match word {
                Word::In(slice) => match first(slice) {
                    Some(held) if held.is_set => held.at / width,
                    Some(_) | None => 0,
                },
                Word::Out(slice) => match walk.objects.get(slice) {
                    Some(held) if held.is_set && held.is_written => {
                        let grown = room.grown.iter().find(|it| it.pointer == held.pointer);
                        grown.map_or(held.at, |grown| grown.new.at) / width
                    }
                    Some(_) | None => 0,
                },
                Word::Table(table) => walk.objects.get(table).map_or(0, |held| held.at / width),
                Word::Stride(table) => {
                    walk.objects.get(table).map_or(0, |held| held.stride / width)
                }
                Word::Word(word) => walk.objects.get(word).map_or(0, |held| held.at),
                Word::Number(number) => match walk.began_with(*number) {
                    Some(number) => i32::try_from(number).ok()? as u32,
                    None => 0,
                },
                // Unreached code does not use it.
                Word::Size(number, size) => {
                    let known = walk.sizes.get(&(*number, size.clone()));
                    known.map_or(0, |number| *number as u32)
                }
            })
        };
        fused.given.iter().map(word).collect()
    }

    /// Sets the sizes of the slices that are needed after the sequence.
    fn set_sizes(&mut self, fused: &Fused, walk: &Walk<'_>) -> Result<(), End> {
        for held in fused.slices.iter().filter_map(|slice| walk.objects.get(slice)) {
            self.set_size(held)?;
        }
        Ok(())
    }

    /// Updates the descriptor of a slice.
    pub(super) fn set_size(&mut self, held: &ObjectState) -> Result<(), End> {
        if !held.is_changed {
            return Ok(());
        }
        let is = |holds: bool, flag: u32| if holds { flag } else { 0 };
        let sized = is(held.is_sized && !held.is_set, flag::SIZED);
        let flags = is(held.is_set, flag::SET) | sized | is(held.is_fixed, flag::FIXED);
        let sizes = Sizes { kind: ObjectKind::Slice, rows: held.rows, columns: 1 };
        let words = [flags, held.rows, 1, sizes.stride()];
        self.heap.unit.write(held.pointer + descriptor::FLAGS, &words)?;
        if held.is_set {
            self.saw(sizes);
        }
        Ok(())
    }
}
