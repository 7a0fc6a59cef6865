//! Measurement: number of runs, statistics of samples, and comparison of two sets of samples.
//!
//! * [`median`]: the median of samples and an interval that covers it;
//! * [`sampler`]: a stopping rule for samples;
//! * [`clock`]: the resolution of the clock, and the repetitions of a short run;
//! * [`compare`]: significance and ratio of the difference between two sets of samples;
//! * [`bandwidth`]: the read bandwidth of memory.
//!
//! This module is independent of what is measured.

pub mod bandwidth;
pub mod clock;
pub mod compare;
pub mod growth;
pub mod median;
pub mod sampler;

pub use bandwidth::{Bandwidth, read_speed};
pub use clock::{repetitions, resolution};
pub use compare::{Change, Comparison, compare};
pub use growth::{Growth, Law};
pub use median::{CONFIDENCE, Median};
pub use sampler::{Budget, Sampler, Stop};
