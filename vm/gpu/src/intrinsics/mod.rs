//! Intrinsics: library routines that this backend does by kernels over a grid, one file for each theme.
//!
//! A routine with an intrinsic of [`TABLE`] begins with a stop for the host, which looks at the arguments where they are. If every
//! argument is set and the preconditions of the catalogue hold, the intrinsic does everything on the device and the run
//! goes on at the end of the routine; otherwise its body runs. An intrinsic reserves all its memory before it changes anything, and if
//! that is refused the body runs, too. Only when the user or the clock ends the run does a `var` parameter
//! hold something in between.

mod closure;
mod min_plus;

use star_base::Intrinsic;
use star_base::intrinsics::catalogue::closure::CLOSURE;
use star_base::intrinsics::catalogue::paths::MIN_PLUS;

use crate::run::Call;

/// An intrinsic of this backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuIntrinsic {
    /// Its entry in the catalogue.
    pub(crate) intrinsic: Intrinsic,
    /// What it does.
    pub(crate) run: fn(&mut Call<'_, '_, '_>) -> IntrinsicResult,
}

/// What becomes of a call.
pub(crate) type IntrinsicResult = Result<(), NotTaken>;

/// Why an intrinsic did not do all.
#[derive(Debug)]
pub(crate) enum NotTaken {
    /// Nothing has happened; the body runs.
    Declined,
    /// The run ends.
    Ended(crate::run::End),
}

impl<E: Into<crate::run::End>> From<E> for NotTaken {
    fn from(end: E) -> Self {
        NotTaken::Ended(end.into())
    }
}

/// The intrinsics of this backend. An entry of the catalogue that is not here runs its Star body.
pub(crate) const TABLE: &[GpuIntrinsic] = &[
    GpuIntrinsic { intrinsic: CLOSURE, run: closure::closure },
    GpuIntrinsic { intrinsic: MIN_PLUS, run: min_plus::min_plus },
];

/// What this backend does for an intrinsic.
pub(crate) fn find(intrinsic: Intrinsic) -> Option<GpuIntrinsic> {
    TABLE.iter().copied().find(|known| known.intrinsic == intrinsic)
}
