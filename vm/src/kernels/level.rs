//! The instruction sets for which kernels are compiled.

use super::Kernels;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The features of every machine of the target.
    Baseline,
    /// x86-64 with AVX2, POPCNT, LZCNT, BMI1 and BMI2.
    Avx2,
    /// x86-64 with the features of [`Level::Avx2`], AVX-512 F, BW, VL, DQ, VPOPCNTDQ and BITALG,
    /// and the other features of Ice Lake: older processors slow down when they use AVX-512.
    Avx512,
}

impl Level {
    /// All levels in ascending order.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Returns the highest level that this machine can run.
    pub fn detect() -> Level {
        Kernels::detect().level()
    }

    /// Returns the levels that this machine can run in ascending order.
    pub fn supported() -> Vec<Level> {
        Level::ALL.into_iter().filter(|&level| Kernels::at(level).is_some()).collect()
    }

    /// Returns the name for display.
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}
