//! What an intrinsic leaves: slices and tables, parts of handles, numbers. It reserves memory for
//! all objects before it stores the first one.

use super::{Call, internal_error};
use crate::compile::{passed_cells, results_of};
use crate::heap::Block;
use crate::intrinsics::{Executor, IntrinsicResult, NotTaken};
use crate::value::{ObjectKind, Sizes};
use star_ir::VarId;
use star_shaders::layout::{FRAME_HEAD, descriptor, flag, state};
use star_vm::Declined;

/// An object that no variable holds yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserved {
    pub(crate) sizes: Sizes,
    block: Block,
}

impl Reserved {
    /// Returns the address of its first word.
    pub(crate) fn at(&self) -> u32 {
        self.block.at
    }
}

impl Call<'_, '_, '_> {
    /// Reserves zeros for a slice or table that a parameter will hold. The body runs if the
    /// parameter has another fixed size.
    pub(crate) fn reserve(
        &mut self,
        param: usize,
        kind: ObjectKind,
        [rows, columns]: [u64; 2],
    ) -> Result<Reserved, NotTaken> {
        let reserved = self.reserve_object(kind, [rows, columns])?;
        let pointer = self.pointer(param, 0)?;
        let held = self.run.held(pointer)?;
        let sizes = Sizes { kind, rows: held.rows, columns: held.columns };
        let fits = match kind {
            ObjectKind::Table => held.is_set && sizes == reserved.sizes,
            ObjectKind::Slice | ObjectKind::Word => {
                // A slice that was never set may still lack its size.
                !(held.is_set || held.is_sized) || sizes.rows == reserved.sizes.rows
            }
        };
        match fits || !held.is_fixed {
            true => Ok(reserved),
            false => Err(NotTaken::Declined(Declined::Guard)),
        }
    }

    /// Reserves zeros for a part of a handle: rows and columns.
    pub(crate) fn reserve_part(&mut self, sizes: [u64; 2]) -> Result<Reserved, NotTaken> {
        self.reserve_object(ObjectKind::Table, sizes)
    }

    fn reserve_object(&mut self, kind: ObjectKind, sizes: [u64; 2]) -> Result<Reserved, NotTaken> {
        let too_large = |_| NotTaken::Declined(Declined::Range);
        let [rows, columns] = sizes.map(usize::try_from);
        let sizes = Sizes::new(kind, rows.map_err(too_large)?, columns.map_err(too_large)?);
        let sizes = sizes.map_err(|_| NotTaken::Declined(Declined::Range))?;
        Ok(Reserved { sizes, block: self.extra(sizes.words())? })
    }

    /// Stores a reserved object in a parameter.
    pub(crate) fn put(&mut self, param: usize, reserved: Reserved) -> IntrinsicResult {
        let pointer = self.pointer(param, 0)?;
        self.put_at(pointer, reserved)
    }

    /// Stores a reserved table in a part of a handle.
    pub(crate) fn put_part(
        &mut self,
        param: usize,
        name: &str,
        reserved: Reserved,
    ) -> IntrinsicResult {
        let pointer = self.part_pointer(param, name)?;
        self.put_at(pointer, reserved)
    }

    /// Unsets a part of a handle, whose memory stays.
    pub(crate) fn unset_part(&mut self, param: usize, name: &str) -> IntrinsicResult {
        let pointer = self.part_pointer(param, name)?;
        Ok(self.run.heap.unit.write(pointer + descriptor::FLAGS, &[0])?)
    }

    /// Sets a part again that was unset.
    pub(crate) fn set_part(&mut self, param: usize, name: &str) -> IntrinsicResult {
        let pointer = self.part_pointer(param, name)?;
        Ok(self.run.heap.unit.write(pointer + descriptor::FLAGS, &[flag::SET])?)
    }

    /// Unsets the parts of other modules in a handle.
    pub(crate) fn unset_other_modules(&mut self, param: usize) -> IntrinsicResult {
        let module = self.intrinsic.signature().module;
        for (idx, part) in self.run.plan.parts.iter().enumerate() {
            if *part.module != *module {
                let pointer = self.pointer(param, idx as u32)?;
                self.run.heap.unit.write(pointer + descriptor::FLAGS, &[0])?;
            }
        }
        Ok(())
    }

    /// Stores a number in a `var` parameter.
    pub(crate) fn put_number(&mut self, param: usize, number: i64) -> IntrinsicResult {
        let var = self.run.plan.program.routine(self.routine).params.get(param).map(|it| it.var);
        self.put_result(var, number)
    }

    /// Stores the value of the function.
    pub(crate) fn put_value(&mut self, number: i64) -> IntrinsicResult {
        let var = self.run.plan.program.routine(self.routine).result;
        self.put_result(var, number)
    }

    fn put_result(&mut self, var: Option<VarId>, number: i64) -> IntrinsicResult {
        let plan = self.run.plan;
        let routine = plan.program.routine(self.routine);
        let idx = results_of(routine).iter().position(|known| Some(*known) == var);
        let idx = idx.ok_or_else(|| internal_error("a result"))?;
        let cell = plan.routine(self.routine)?.cell(passed_cells(routine) + 2 * idx as u32);
        let words = [number as u32, (number >> 32) as u32, 1, 0];
        Ok(self.run.heap.unit.write(self.run.get(state::FRAME) + cell, &words)?)
    }

    fn part_pointer(&mut self, param: usize, name: &str) -> Result<u32, NotTaken> {
        let idx = self.part_idx(name).ok_or_else(|| internal_error("a part of a handle"))?;
        self.pointer(param, idx as u32)
    }

    /// Returns the address of the descriptor of a parameter, or of a part of it.
    fn pointer(&mut self, param: usize, part: u32) -> Result<u32, NotTaken> {
        let plan = self.run.plan;
        let param = plan.program.routine(self.routine).params.get(param);
        let var = param.ok_or_else(|| internal_error("a parameter"))?.var;
        let object = plan.routine(self.routine)?.object_of[var.0 as usize];
        let object = object.ok_or_else(|| internal_error("an object"))?.0 + part;
        Ok(self.run.words(self.run.get(state::FRAME) + FRAME_HEAD + object, 1)?[0])
    }

    fn put_at(&mut self, pointer: u32, Reserved { sizes, block }: Reserved) -> IntrinsicResult {
        let run = &mut *self.run;
        let held = run.held(pointer)?;
        run.release(Block { at: held.at, words: held.capacity });
        self.extra.retain(|known| *known != block);
        run.alive += u64::from(block.words) * 4;
        if block.words > 0 {
            run.blocks.insert(block.at, block);
        }
        run.saw(sizes);
        let flags = flag::SET | if held.is_fixed { flag::FIXED } else { 0 };
        let Sizes { kind: _, rows, columns } = sizes;
        let words = [block.at, block.words, flags, rows, columns, sizes.stride()];
        Ok(run.heap.unit.write(pointer, &words)?)
    }
}
