//! Measuring: how often to run, what the samples say, and whether two sets of them differ.
//!
//! * [`median`]: the median of samples and an interval that covers it;
//! * [`sampler`]: when there are enough samples;
//! * [`clock`]: what the clock can tell apart, and how often to repeat a short run;
//! * [`compare`]: whether two sets of samples differ, and by which ratio;
//! * [`bandwidth`]: how fast memory is read.
//!
//! Nothing here knows what is measured.

pub mod bandwidth;
pub mod clock;
pub mod compare;
pub mod growth;
pub mod median;
pub mod sampler;

pub use bandwidth::{Bandwidth, read_speed};
pub use clock::{repetitions, resolution};
pub use compare::{Change, Comparison, compare};
pub use growth::exponent;
pub use median::{CONFIDENCE, Median};
pub use sampler::{Budget, Sampler, Stop};
