//! Natives: library routines that this backend does in its own way, one file for each theme.
//!
//! [`TABLE`] says which native does what. The code of a routine with a native of the table begins with one instruction,
//! [`Inst::Native`](super::inst::Inst), which runs when the routine was entered, by a call or as the entry, and its
//! arguments are in its registers; without natives there is no such instruction. If every argument is set and the
//! preconditions of the catalogue hold, the native sets the `var` parameters and the routine returns; otherwise its body
//! runs. So a native has no trap. It reserves all its memory before it changes anything, and if that is refused the body
//! runs, too ([`NativeCall`] sees to both). Only when the user or the clock ends the run does a `var` parameter hold
//! something in between.

mod call;
mod cbt;
mod closure;
mod moving;
mod mst;
mod paths;
mod polyline;
mod reach;
mod terrain;
mod wave;

use star_base::Native;
use star_base::natives::catalogue;
use star_base::natives::catalogue::closure::{CLOSURE, CONDENSE, REACHABLE, REACHES};
use star_base::natives::catalogue::wave::{WAVE, WEIGHED_WAVE};
use star_base::natives::{ParamMode, SizeTerm};
use star_ir::LogicOp;
use star_natives::{Ended, Environment};

use super::interpreter::Interpreter;
use super::operand::{Number, Passing, Reg, RegRef, Size};
use super::parallelism::Parallelism;
use crate::stop::{Run, Stop, broken};

pub use call::{HandlePart, NativeCall, NativeResult, NotTaken, Target};

/// What a native does: everything that its routine does, or nothing.
pub type NativeFn = fn(&mut NativeCall<'_, '_, '_, '_>) -> NativeResult;

/// A native of this backend.
#[derive(Clone, Copy, Debug)]
pub struct NativeTwin {
    /// Its entry in the catalogue.
    pub native: Native,
    /// What it does.
    pub run: NativeFn,
    /// The parameters that it reads as they lie where they are sparse tables on such a ground. All other sparse tables are made dense for it.
    pub sparse: &'static [(usize, SparseGround)],
}

/// The ground of sparse tables that a native reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseGround {
    /// All lines are zeros but for what is listed.
    Zeros,
    /// Each line has one of its own.
    Any,
}

impl NativeTwin {
    /// The ground that a sparse table has where the native reads it as it lies; `None` if it does not read that parameter so.
    pub(super) fn ground(&self, param: usize) -> Option<SparseGround> {
        self.sparse.iter().find(|(idx, _)| *idx == param).map(|(_, ground)| *ground)
    }
}

/// One that works on dense tables.
const fn twin(native: Native, run: NativeFn) -> NativeTwin {
    NativeTwin { native, run, sparse: &[] }
}

/// The natives of this backend. An entry of the catalogue that is not here runs its Star body.
pub(super) const TABLE: &[NativeTwin] = &[
    NativeTwin { sparse: &[(1, SparseGround::Zeros)], ..twin(CLOSURE, closure::closure) },
    NativeTwin { sparse: &[(1, SparseGround::Zeros)], ..twin(CONDENSE, reach::condense) },
    twin(REACHES, reach::reaches),
    twin(REACHABLE, reach::reachable),
    twin(catalogue::paths::MIN_PLUS, paths::min_plus),
    NativeTwin {
        sparse: &[(3, SparseGround::Any), (4, SparseGround::Any)],
        ..twin(catalogue::paths::DIJKSTRA, paths::dijkstra)
    },
    NativeTwin {
        sparse: &[(5, SparseGround::Any), (6, SparseGround::Any)],
        ..twin(catalogue::paths::BELLMAN_FORD, paths::bellman_ford)
    },
    twin(catalogue::mst::KRUSKAL, mst::kruskal),
    twin(catalogue::mst::PRIM, mst::prim),
    twin(catalogue::cbt::INIT, cbt::init),
    twin(catalogue::cbt::OF, cbt::of),
    twin(catalogue::cbt::FIELD, cbt::field),
    twin(catalogue::cbt::SPLIT, cbt::split),
    twin(catalogue::cbt::MERGE, cbt::merge),
    twin(catalogue::cbt::SPLIT_RAW, cbt::split_raw),
    twin(catalogue::cbt::MERGE_RAW, cbt::merge_raw),
    twin(catalogue::cbt::CHANGE, cbt::change),
    twin(catalogue::cbt::REDUCE, cbt::reduce),
    twin(catalogue::cbt::COUNT, cbt::count),
    twin(catalogue::cbt::LEAF, cbt::leaf),
    twin(catalogue::cbt::LEAVES, cbt::leaves),
    twin(catalogue::cbt::HEAP, cbt::heap),
    twin(catalogue::cbt::OF_HEAP, cbt::of_heap),
    twin(catalogue::terrain::INIT, terrain::init),
    twin(catalogue::terrain::STEP, terrain::step),
    twin(catalogue::terrain::MESH, terrain::mesh),
    twin(catalogue::terrain::PICTURE, terrain::picture),
    twin(WAVE, wave::wave),
    twin(WEIGHED_WAVE, wave::weighed_wave),
    twin(catalogue::polyline::POLYLINES, polyline::polylines),
    twin(catalogue::moving::INIT, moving::init),
    twin(catalogue::moving::PUT, moving::put),
    twin(catalogue::moving::DROP, moving::drop_object),
    twin(catalogue::moving::MOVES, moving::moves),
    twin(catalogue::moving::RANGES, moving::ranges),
    twin(catalogue::moving::NEAREST, moving::nearest),
    twin(catalogue::moving::TABLES, moving::tables),
];

impl Environment for Parallelism<'_> {
    fn poll_limbs(&self) -> usize {
        self.settings.poll_limbs
    }

    fn poll(&self) -> Result<(), Ended> {
        Parallelism::poll(self).map_err(|_| Ended::Interrupted)
    }

    fn fill(
        &self,
        to: &mut [u64],
        piece: &(dyn Fn(usize, &mut [u64]) + Sync),
    ) -> Result<(), Ended> {
        Parallelism::fill(self, to, 1, piece).map_err(|_| Ended::Interrupted)
    }

    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        let or = |start: usize, part: &mut [u64]| {
            self.kernels.logic_assign(LogicOp::Or, part, &line[start..start + part.len()]);
        };
        Parallelism::fill(self, to, 1, or).map_err(|_| Ended::Interrupted)
    }

    fn threads(&self) -> usize {
        self.n_threads()
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
        match Parallelism::install(self, work) {
            true => Ok(()),
            false => Err(Ended::OutOfMemory),
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Does what the routine that was just entered does; false if its body has to.
    pub(super) fn native(&mut self, twin: NativeTwin) -> Run<bool> {
        if !self.native_may(twin.native)? {
            return Ok(false);
        }
        self.budget.poll()?;
        if !self.all_dense(twin)? {
            return Ok(false);
        }
        let taken = call::run(self, twin)?;
        if taken {
            self.count_native();
        }
        Ok(taken)
    }

    /// Makes the sparse tables among the arguments dense that the native does not take as they are; false if there is no memory for that.
    fn all_dense(&mut self, twin: NativeTwin) -> Run<bool> {
        for (idx, (place, _)) in self.routine()?.params.iter().enumerate() {
            let Some(reg) = place.table().filter(|reg| self.is_sparse(*reg)) else { continue };
            let lines = self.table(reg)?.sparse_lines();
            let readable = lines.filter(|lines| match twin.ground(idx) {
                Some(SparseGround::Zeros) => lines.common_ground() == Some(false),
                Some(SparseGround::Any) => true,
                None => false,
            });
            if let Some(lines) = readable {
                self.paths.sparse_lines += lines.n_lines() as u64;
                continue;
            }
            if self.table(reg)?.dense_bytes() > self.budget.available() {
                return Ok(false);
            }
            self.make_dense(reg)?;
        }
        Ok(true)
    }

    /// The stop at which an algorithm was interrupted.
    pub(super) fn interrupted(&self) -> Stop {
        match self.parallelism.poll() {
            Err(stop) => stop,
            Ok(()) => broken("a native that was interrupted by nobody"),
        }
    }

    /// Are the arguments set, and do the preconditions hold?
    fn native_may(&self, native: Native) -> Run<bool> {
        let params = &self.routine()?.params;
        let signature = native.signature();
        let is_set = |((place, _), mode): (&(RegRef, Passing), ParamMode)| match mode {
            // Value arguments are set.
            ParamMode::Value | ParamMode::Made => true,
            ParamMode::Changed => self.holds_value(*place),
        };
        let place = |idx: usize| params.get(idx).map(|(place, _)| *place);
        let table_size = |idx: usize, size: fn(Reg) -> Size| {
            let size = self.size(size(place(idx)?.table()?))?;
            i64::try_from(size).ok()
        };
        let part_size = |idx: usize, name: &str, dim: usize| {
            let reg = place(idx)?.handle()?;
            let [rows, columns] =
                self.handle_slot(reg).as_ref()?.size_of(signature.module, name)?;
            i64::try_from(if dim == 0 { rows } else { columns }).ok()
        };
        let value = |term: SizeTerm| match term {
            SizeTerm::Value(idx) => Some(self.number(Number(place(idx)?.number()?))),
            SizeTerm::Length(idx) => {
                i64::try_from(self.size(Size::Length(place(idx)?.bits()?))?).ok()
            }
            SizeTerm::Rows(idx) => table_size(idx, Size::Rows),
            SizeTerm::Columns(idx) => table_size(idx, Size::Columns),
            SizeTerm::PartRows(idx, name) => part_size(idx, name, 0),
            SizeTerm::PartColumns(idx, name) => part_size(idx, name, 1),
        };
        let modes = signature.params.iter().map(|param| param.mode);
        Ok(params.iter().zip(modes).all(is_set) && signature.holds(value))
    }
}

#[cfg(test)]
mod tests;
