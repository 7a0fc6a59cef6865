//! Bodies of the fuzz targets, so that libFuzzer and plain tests run the same ones.
//!
//! * [`parse`], [`format`], [`check`], [`run`], [`read`]: one target each, a function over bytes that panics if a
//!   property does not hold.
//! * [`seeds`]: what fuzzing starts from, and what the tests run.
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

/// Counts the bytes that are taken, so that a target can say how many were.
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

/// The `main` of a target: libFuzzer's where the compiler is told `--cfg fuzzing`, otherwise one that
/// runs the body over the files of the command line.
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
