//! Natives: library routines that this backend does by kernels over a grid, one file for each theme.
//!
//! A routine with a native of [`TABLE`] begins with a stop for the host, which looks at the arguments where they are. If every
//! argument is set and the preconditions of the catalogue hold, the native does everything on the device and the run
//! goes on at the end of the routine; otherwise its body runs. A native reserves all its memory before it changes anything, and if
//! that is refused the body runs, too. Only when the user or the clock ends the run does a `var` parameter
//! hold something in between.

mod closure;
mod min_plus;

use star_base::Native;
use star_base::natives::catalogue::closure::CLOSURE;
use star_base::natives::catalogue::paths::MIN_PLUS;

use crate::run::Call;

/// A native of this backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NativeTwin {
    /// Its entry in the catalogue.
    pub(crate) native: Native,
    /// What it does.
    pub(crate) run: fn(&mut Call<'_, '_, '_>) -> NativeResult,
}

/// What becomes of a call.
pub(crate) type NativeResult = Result<(), NotTaken>;

/// Why a native did not do all.
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

/// The natives of this backend. An entry of the catalogue that is not here runs its Star body.
pub(crate) const TABLE: &[NativeTwin] = &[
    NativeTwin { native: CLOSURE, run: closure::closure },
    NativeTwin { native: MIN_PLUS, run: min_plus::min_plus },
];

/// What this backend does for a native.
pub(crate) fn twin(native: Native) -> Option<NativeTwin> {
    TABLE.iter().copied().find(|twin| twin.native == native)
}
