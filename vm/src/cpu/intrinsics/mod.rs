//! Intrinsics: library routines with a built-in implementation on this backend, one file for each
//! theme.
//!
//! [`TABLE`] maps catalogue entries to implementations. The code of a routine with an intrinsic in
//! the table begins with one instruction, [`Inst::Intrinsic`](super::inst::Inst), which runs after
//! the routine was entered, by a call or as the entry, with its arguments in its registers; without
//! intrinsics there is no such instruction. If every argument is set and the preconditions of the
//! catalogue hold, the intrinsic sets the `var` parameters and the routine returns; otherwise its
//! body runs. So an intrinsic never traps. It reserves all its memory before it changes anything,
//! and if memory is refused, the body runs instead ([`IntrinsicCall`] enforces both). A `var`
//! parameter can hold an intermediate value only if the user or the deadline ends the run.

mod adjacency;
mod arcs;
mod call;
mod cbt;
mod closure;
mod moving;
mod mst;
mod order;
mod paths;
mod polyline;
mod reach;
mod search;
mod shared_arcs;
mod terrain;
mod wave;

use star_base::Intrinsic;
use star_base::intrinsics::catalogue;
use star_base::intrinsics::catalogue::closure::{CLOSURE, CONDENSE, REACHABLE, REACHES};
use star_base::intrinsics::catalogue::wave::{WAVE, WEIGHED_WAVE};
use star_base::intrinsics::{ParamMode, SizeTerm};
use star_intrinsics::{Ended, Environment};
use star_ir::LogicOp;

use super::interpreter::Interpreter;
use super::operand::{Number, Passing, Reg, RegRef, Size};
use super::parallelism::Parallelism;
use crate::interrupt::{Exec, Stop, internal_error};

pub use call::{HandlePart, IntrinsicCall, IntrinsicResult, NotTaken, Target};

/// An implementation, which does either everything that its routine does, or nothing.
pub type IntrinsicFn = fn(&mut IntrinsicCall<'_, '_, '_, '_>) -> IntrinsicResult;

/// An intrinsic of this backend.
#[derive(Clone, Copy, Debug)]
pub struct CpuIntrinsic {
    /// Its entry in the catalogue.
    pub intrinsic: Intrinsic,
    /// The implementation.
    pub run: IntrinsicFn,
    /// The parameters that it reads directly if they are sparse tables on this ground. All other
    /// sparse tables are made dense first.
    pub sparse: &'static [(usize, SparseGround)],
    /// Does it run on the parts of several ranks, and exchange what it finds? Otherwise its
    /// arguments are gathered. See Note [Intrinsics on ranks] in `ranks/intrinsics.rs`.
    pub works_on_parts: bool,
}

/// The ground of sparse tables that an intrinsic reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseGround {
    /// All lines are zeros except for the listed limbs.
    Zeros,
    /// Each line has a separate ground.
    Any,
}

impl CpuIntrinsic {
    /// Returns the ground required for reading a sparse table directly; `None` if the intrinsic
    /// does not read that parameter in sparse form.
    pub(super) fn ground(&self, param: usize) -> Option<SparseGround> {
        self.sparse.iter().find(|(idx, _)| *idx == param).map(|(_, ground)| *ground)
    }
}

/// Returns an intrinsic that works on dense tables.
const fn entry(intrinsic: Intrinsic, run: IntrinsicFn) -> CpuIntrinsic {
    CpuIntrinsic { intrinsic, run, sparse: &[], works_on_parts: false }
}

/// Returns an intrinsic that works on dense tables and on their parts.
const fn on_parts(intrinsic: Intrinsic, run: IntrinsicFn) -> CpuIntrinsic {
    CpuIntrinsic { works_on_parts: true, ..entry(intrinsic, run) }
}

/// The intrinsics of this backend. Catalogue entries that are missing here run their Star bodies.
pub(super) const TABLE: &[CpuIntrinsic] = &[
    CpuIntrinsic { sparse: &[(1, SparseGround::Zeros)], ..entry(CLOSURE, closure::closure) },
    CpuIntrinsic { sparse: &[(1, SparseGround::Zeros)], ..entry(CONDENSE, reach::condense) },
    entry(REACHES, reach::reaches),
    entry(REACHABLE, reach::reachable),
    entry(catalogue::paths::MIN_PLUS, paths::min_plus),
    CpuIntrinsic {
        sparse: &[(3, SparseGround::Any), (4, SparseGround::Any)],
        ..entry(catalogue::paths::DIJKSTRA, paths::dijkstra)
    },
    CpuIntrinsic {
        sparse: &[(5, SparseGround::Any), (6, SparseGround::Any)],
        ..entry(catalogue::paths::BELLMAN_FORD, paths::bellman_ford)
    },
    entry(catalogue::mst::KRUSKAL, mst::kruskal),
    entry(catalogue::mst::PRIM, mst::prim),
    on_parts(catalogue::arcs::BFS, arcs::bfs),
    on_parts(catalogue::arcs::SSSP, arcs::sssp),
    entry(catalogue::arcs::SSSP_TREE, arcs::sssp_tree),
    on_parts(catalogue::arcs::COMPONENTS, arcs::components),
    entry(catalogue::arcs::STRONG, arcs::strong),
    entry(catalogue::arcs::TOPOLOGICAL, arcs::topological),
    entry(catalogue::arcs::COUNT_CODES, arcs::count_codes),
    entry(catalogue::arcs::GATHER, arcs::gather),
    CpuIntrinsic {
        sparse: &[(0, SparseGround::Zeros)],
        ..entry(catalogue::adjacency::TRANSPOSE, adjacency::transpose)
    },
    CpuIntrinsic {
        sparse: &[(0, SparseGround::Zeros)],
        ..entry(catalogue::adjacency::SYMMETRISE, adjacency::symmetrise)
    },
    entry(catalogue::order::RANK, order::rank),
    entry(catalogue::order::ORDER, order::order),
    entry(catalogue::order::HIST, order::hist),
    entry(catalogue::order::SUM_GROUPS, order::sum_groups),
    on_parts(catalogue::search::AMONG, search::among),
    entry(catalogue::cbt::INIT, cbt::init),
    entry(catalogue::cbt::OF, cbt::of),
    entry(catalogue::cbt::FIELD, cbt::field),
    entry(catalogue::cbt::SPLIT, cbt::split),
    entry(catalogue::cbt::MERGE, cbt::merge),
    entry(catalogue::cbt::SPLIT_RAW, cbt::split_raw),
    entry(catalogue::cbt::MERGE_RAW, cbt::merge_raw),
    entry(catalogue::cbt::CHANGE, cbt::change),
    entry(catalogue::cbt::REDUCE, cbt::reduce),
    entry(catalogue::cbt::COUNT, cbt::count),
    entry(catalogue::cbt::LEAF, cbt::leaf),
    entry(catalogue::cbt::LEAVES, cbt::leaves),
    entry(catalogue::cbt::HEAP, cbt::heap),
    entry(catalogue::cbt::OF_HEAP, cbt::of_heap),
    entry(catalogue::terrain::INIT, terrain::init),
    entry(catalogue::terrain::STEP, terrain::step),
    entry(catalogue::terrain::MESH, terrain::mesh),
    entry(catalogue::terrain::PICTURE, terrain::picture),
    entry(WAVE, wave::wave),
    entry(catalogue::wave::PLANES, wave::planes),
    entry(WEIGHED_WAVE, wave::weighed_wave),
    entry(catalogue::polyline::POLYLINES, polyline::polylines),
    entry(catalogue::moving::INIT, moving::init),
    entry(catalogue::moving::PUT, moving::put),
    entry(catalogue::moving::DROP, moving::drop_object),
    entry(catalogue::moving::MOVES, moving::moves),
    entry(catalogue::moving::RANGES, moving::ranges),
    entry(catalogue::moving::NEAREST, moving::nearest),
    entry(catalogue::moving::TABLES, moving::tables),
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
    /// Replaces the routine that was just entered; false if its body must run.
    pub(super) fn intrinsic(&mut self, candidate: CpuIntrinsic) -> Exec<bool> {
        if !self.intrinsic_may(candidate.intrinsic)? {
            return Ok(false);
        }
        self.budget.poll()?;
        if !self.all_dense(candidate)? {
            return Ok(false);
        }
        let taken = call::run(self, candidate)?;
        if taken {
            self.count_intrinsic();
        }
        Ok(taken)
    }

    /// Makes the sparse arguments dense that the intrinsic does not read directly; false if there
    /// is no memory for that.
    pub(super) fn all_dense(&mut self, candidate: CpuIntrinsic) -> Exec<bool> {
        for (idx, (place, _)) in self.routine()?.params.iter().enumerate() {
            let Some(reg) = place.table().filter(|reg| self.is_sparse(*reg)) else { continue };
            let lines = self.table(reg)?.sparse_lines();
            let readable = lines.filter(|lines| match candidate.ground(idx) {
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

    /// Returns the stop that interrupted an algorithm.
    pub(super) fn interrupted(&self) -> Stop {
        match self.parallelism.poll() {
            Err(stop) => stop,
            Ok(()) => internal_error("an intrinsic that was interrupted without a cause"),
        }
    }

    /// Are the arguments set, and do the preconditions hold?
    pub(super) fn intrinsic_may(&self, intrinsic: Intrinsic) -> Exec<bool> {
        let params = &self.routine()?.params;
        let signature = intrinsic.signature();
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
