//! Prediction of kernels over a grid, without a device.

use std::sync::Arc;

use star_base::Intrinsic;
use star_ir::{Program, RoutineId};
use star_vm::BackendError;

use crate::backend::parts_of;
use crate::compile::{Choices, SiteKind};
use crate::grid::LEAST_BITS;
use crate::program::Code;

/// The parts reachable from an entry that may run as kernels over a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// Intrinsics.
    pub intrinsics: Vec<Intrinsic>,
    /// Number of loops that run as kernels of several iterations each, in routines without an
    /// intrinsic.
    pub loops: usize,
}

/// Predicts which parts reachable from the entry of an optimised program may run as kernels over a
/// grid.
///
/// # Errors
/// [`BackendError::Unsupported`] with the feature for which the device has no code.
pub fn forecast(program: Program, entry: RoutineId) -> Result<Forecast, BackendError> {
    let mut parts = Vec::new();
    parts_of(&program, &mut parts);
    let choices =
        Choices { counts_steps: false, intrinsics: true, lifts: Some(LEAST_BITS), profiles: false };
    let plan = Code::new(program, Arc::from(parts), choices).link(entry)?;
    let mut forecast = Forecast::default();
    for (idx, linked) in plan.routines.iter().enumerate() {
        let Some(linked) = linked else { continue };
        let intrinsic = plan.program.routine(RoutineId(idx as u32)).intrinsic;
        for site in &linked.code.sites {
            match &site.kind {
                SiteKind::Intrinsic(intrinsic) => forecast.intrinsics.push(*intrinsic),
                SiteKind::Lifted(lifted, _) if intrinsic.is_none() && lifted.pivots.is_some() => {
                    forecast.loops += 1;
                }
                _ => {}
            }
        }
    }
    Ok(forecast)
}
