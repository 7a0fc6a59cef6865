//! Intrinsics: library routines that this backend implements as kernels over a grid, one file for
//! each topic.
//!
//! A routine with an intrinsic of [`TABLE`] begins with a stop for the host, which checks the
//! arguments in place. If every argument is set and the preconditions of the catalogue hold, the
//! intrinsic does everything on the device and the run continues at the end of the routine;
//! otherwise the body runs. An intrinsic reserves all its memory before it changes anything; if
//! that is refused, the body runs, too. A `var` parameter holds an intermediate state only if the
//! user or the deadline ends the run.

mod arcs;
mod cbt;
mod closure;
mod min_plus;
mod moving;
mod polyline;
mod terrain;
mod wave;
mod weighed;
mod work;

use star_base::Intrinsic;
use star_base::intrinsics::catalogue;
use star_base::intrinsics::catalogue::closure::CLOSURE;
use star_base::intrinsics::catalogue::paths::MIN_PLUS;
use star_vm::Declined;

use crate::run::Call;

pub use moving::{Movers, MoversError};
pub(crate) use work::Executor;

/// An intrinsic of this backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuIntrinsic {
    /// Its entry in the catalogue.
    pub(crate) intrinsic: Intrinsic,
    /// Its implementation.
    pub(crate) run: fn(&mut Call<'_, '_, '_>) -> IntrinsicResult,
}

/// The result of a call.
pub(crate) type IntrinsicResult = Result<(), NotTaken>;

/// Why an intrinsic did not complete.
#[derive(Debug)]
pub(crate) enum NotTaken {
    /// Nothing was changed; the body runs.
    Declined(Declined),
    /// The run ends.
    Ended(crate::run::End),
}

impl<E: Into<crate::run::End>> From<E> for NotTaken {
    fn from(end: E) -> Self {
        NotTaken::Ended(end.into())
    }
}

/// The intrinsics of this backend. A catalogue entry that is missing here runs its Star body.
pub(crate) const TABLE: &[GpuIntrinsic] = &[
    GpuIntrinsic { intrinsic: CLOSURE, run: closure::closure },
    GpuIntrinsic { intrinsic: MIN_PLUS, run: min_plus::min_plus },
    GpuIntrinsic { intrinsic: catalogue::arcs::BFS, run: arcs::bfs },
    GpuIntrinsic { intrinsic: catalogue::arcs::SSSP, run: arcs::sssp },
    GpuIntrinsic { intrinsic: catalogue::arcs::SSSP_TREE, run: arcs::sssp_tree },
    GpuIntrinsic { intrinsic: catalogue::arcs::COMPONENTS, run: arcs::components },
    GpuIntrinsic { intrinsic: catalogue::mst::KRUSKAL, run: arcs::kruskal },
    GpuIntrinsic { intrinsic: catalogue::cbt::INIT, run: cbt::init },
    GpuIntrinsic { intrinsic: catalogue::cbt::OF, run: cbt::of },
    GpuIntrinsic { intrinsic: catalogue::cbt::FIELD, run: cbt::field },
    GpuIntrinsic { intrinsic: catalogue::cbt::SPLIT, run: cbt::split },
    GpuIntrinsic { intrinsic: catalogue::cbt::MERGE, run: cbt::merge },
    GpuIntrinsic { intrinsic: catalogue::cbt::SPLIT_RAW, run: cbt::split_raw },
    GpuIntrinsic { intrinsic: catalogue::cbt::MERGE_RAW, run: cbt::merge_raw },
    GpuIntrinsic { intrinsic: catalogue::cbt::CHANGE, run: cbt::change },
    GpuIntrinsic { intrinsic: catalogue::cbt::REDUCE, run: cbt::reduce },
    GpuIntrinsic { intrinsic: catalogue::cbt::COUNT, run: cbt::count },
    GpuIntrinsic { intrinsic: catalogue::cbt::LEAF, run: cbt::leaf },
    GpuIntrinsic { intrinsic: catalogue::cbt::LEAVES, run: cbt::leaves },
    GpuIntrinsic { intrinsic: catalogue::cbt::HEAP, run: cbt::heap },
    GpuIntrinsic { intrinsic: catalogue::cbt::OF_HEAP, run: cbt::of_heap },
    GpuIntrinsic { intrinsic: catalogue::moving::INIT, run: moving::init },
    GpuIntrinsic { intrinsic: catalogue::moving::PUT, run: moving::put },
    GpuIntrinsic { intrinsic: catalogue::moving::DROP, run: moving::drop_object },
    GpuIntrinsic { intrinsic: catalogue::moving::MOVES, run: moving::moves },
    GpuIntrinsic { intrinsic: catalogue::moving::RANGES, run: moving::ranges },
    GpuIntrinsic { intrinsic: catalogue::moving::NEAREST, run: moving::nearest },
    GpuIntrinsic { intrinsic: catalogue::moving::TABLES, run: moving::tables },
    GpuIntrinsic { intrinsic: catalogue::polyline::POLYLINES, run: polyline::polylines },
    GpuIntrinsic { intrinsic: catalogue::terrain::INIT, run: terrain::init },
    GpuIntrinsic { intrinsic: catalogue::terrain::STEP, run: terrain::step },
    GpuIntrinsic { intrinsic: catalogue::terrain::MESH, run: terrain::mesh },
    GpuIntrinsic { intrinsic: catalogue::terrain::PICTURE, run: terrain::picture },
    GpuIntrinsic { intrinsic: catalogue::wave::WAVE, run: wave::wave },
    GpuIntrinsic { intrinsic: catalogue::wave::WAVE8, run: wave::wave8 },
    GpuIntrinsic { intrinsic: catalogue::wave::TRACE, run: wave::trace },
    GpuIntrinsic { intrinsic: catalogue::wave::TRACE8, run: wave::trace8 },
    GpuIntrinsic { intrinsic: catalogue::wave::PLANES, run: wave::planes },
    GpuIntrinsic { intrinsic: catalogue::wave::WEIGHED_WAVE, run: weighed::weighed_wave },
    GpuIntrinsic { intrinsic: catalogue::wave::WEIGHED_WAVE8, run: weighed::weighed_wave8 },
];

/// Returns the implementation of an intrinsic.
pub(crate) fn find(intrinsic: Intrinsic) -> Option<GpuIntrinsic> {
    TABLE.iter().copied().find(|known| known.intrinsic == intrinsic)
}
