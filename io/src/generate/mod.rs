//! Generators of graphs, tables, heights and images: the inputs of tests, examples and
//! measurements.
//!
//! * [`uniform`]: random graphs in which all arcs are equally likely, including acyclic ones.
//! * [`rmat`]: graphs with few vertices of high degree and many of low degree.
//! * [`road`]: road-like grids. [`table`]: tables of bits. [`terrain`]: heights. [`curve`]: images.
//! * [`blocks`] and [`country`]: maps for shortest paths on grids.
//! * [`updates`]: changes of a graph and queries. * [`moving`]: moving objects and queries.
//! * [`spec`]: all of them with their options, from a command line or from text.
//!
//! A generator is a pure function of its parameters and a seed. The random numbers are those of
//! ChaCha8 (D. J. Bernstein's stream cipher with 8 rounds). Everything derived from them uses
//! integers or `f64` operations that give the same bits everywhere (`+ − × ÷ √`, and `log`, `log1p`
//! and `exp2` of the crate libm), so that a seed yields the same data on every machine and in every
//! version.
//!
//! ```
//! use star_io::generate::{Density, GenerateOptions, GraphKind, Labels, UniformGraph};
//!
//! let parameters = UniformGraph {
//!     n_vertices: 1000,
//!     density: Density::Arcs(5000),
//!     kind: GraphKind::Directed,
//!     labels: Labels::InOrder,
//!     max_weight: Some(100),
//! };
//! let max_bytes = 1 << 20;
//! let graph = parameters.generate(&mut GenerateOptions::new(7, max_bytes))?;
//! assert_eq!((graph.n_vertices, graph.n_edges()), (1000, 5000));
//! # Ok::<(), star_io::FileError>(())
//! ```

pub mod blocks;
pub mod country;
pub mod curve;
pub mod moving;
mod numbering;
mod pacer;
mod pairs;
mod random;
pub mod rmat;
pub mod road;
mod sample;
pub mod spec;
pub mod table;
pub mod terrain;
pub mod uniform;
pub mod updates;

use std::fmt;

use star_base::Code;

use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::graph::Arc;

pub use blocks::{BlockedGrid, Blocks};
pub use country::{Country, CountryGrid};
pub use curve::{CurveImage, NoisyCurve};
pub use moving::{Hubs, MovingObjects, MovingSteps};
pub use numbering::Labels;
pub use rmat::{Repeats, Rmat};
pub use road::{Parts, Road, RoadNetwork};
pub use table::RandomTable;
pub use terrain::Terrain;
pub use uniform::{Density, GraphKind, UniformGraph};
pub use updates::{Shares, UpdateStream};

/// Options of a generator besides its parameters.
pub struct GenerateOptions<'a> {
    /// The seed of the random numbers: the same seed gives the same data.
    pub seed: u64,
    /// Memory budget for generation, including the data.
    budget: Budget,
    /// Receives the number of completed steps every few milliseconds (arcs, records or pixels,
    /// possibly in several passes); `false` stops the generator with [`Code::Interrupted`].
    pub progress: Option<&'a mut dyn FnMut(u64) -> bool>,
}

impl GenerateOptions<'_> {
    /// Creates options without progress; generation may use `max_bytes` of memory, including the
    /// data.
    pub fn new(seed: u64, max_bytes: u64) -> Self {
        GenerateOptions { seed, budget: Budget::from(max_bytes), progress: None }
    }

    /// The peak use of the budget so far; a budget of this size is enough to generate the same data
    /// again.
    pub fn n_bytes(&self) -> u64 {
        self.budget.most()
    }
}

impl fmt::Debug for GenerateOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GenerateOptions { seed, budget, progress } = self;
        f.debug_struct("GenerateOptions")
            .field("seed", seed)
            .field("max_bytes", &budget.max_bytes())
            .field("progress", &progress.is_some())
            .finish()
    }
}

/// Bytes of an arc in a graph.
const ARC_BYTES: u128 = size_of::<Arc>() as u128;

/// The error for an invalid parameter value.
fn bad(parameter: &str, value: impl fmt::Display, wanted: &str) -> Fault {
    let message = format!("`{parameter}` is {value}, but must be {wanted}");
    Box::new(FileError::new(Code::BadArgument, "", message))
}

/// Rejects a number outside a range.
fn check_range(parameter: &str, value: u64, least: u64, most: u64) -> Result<(), Fault> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(bad(parameter, value, &format!("from {least} to {most}"))),
    }
}

/// Rejects values that are not probabilities.
fn check_probability(parameter: &str, value: f64) -> Result<(), Fault> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(bad(parameter, value, "from 0 to 1")),
    }
}

/// Rejects more vertices than an arc can refer to.
fn check_vertices(n_vertices: u64) -> Result<(), Fault> {
    check_range("vertices", n_vertices, 0, u64::from(u32::MAX))
}

/// Rejects a maximum weight below 1.
fn check_max_weight(max_weight: Option<i64>) -> Result<(), Fault> {
    match max_weight {
        Some(most) if most < 1 => Err(bad("max-weight", most, "1 or more")),
        Some(_) | None => Ok(()),
    }
}
