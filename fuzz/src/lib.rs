//! Bodies of the fuzz targets, shared by libFuzzer and plain tests.
//!
//! * [`parse`], [`format`], [`check`], [`run`], [`read`]: one target each, a function over bytes
//!   that panics if a property does not hold.
//! * [`seeds`]: the initial corpus of fuzzing, and the input of the tests.
//! * [`replay`]: a target over files, without a fuzzer.

pub mod check;
pub mod format;
pub mod parse;
pub mod read;
pub mod replay;
pub mod run;
pub mod seeds;

#[cfg(fuzzing)]
pub use libfuzzer_sys;

/// Counts allocated bytes, so that a target can check memory use.
#[global_allocator]
pub static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its program.
    pub name: &'static str,
    /// Its body. Panics if a property does not hold.
    pub body: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "parse", body: parse::parse },
    Target { name: "format", body: format::format },
    Target { name: "check", body: check::check },
    Target { name: "run", body: run::run },
    Target { name: "read", body: read::read },
];

/// The `main` of a target: libFuzzer's if compiled with `--cfg fuzzing`, otherwise one that runs
/// the body over the files of the command line.
#[macro_export]
macro_rules! target {
    ($body:path) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $body(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            $crate::replay::replay($body)
        }
    };
}
