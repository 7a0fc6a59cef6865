//! The sets of instructions that kernels are compiled for.

use super::Kernels;

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every machine of the target has.
    Baseline,
    /// x86-64 with AVX2, POPCNT, LZCNT, BMI1 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL, DQ, VPOPCNTDQ and BITALG besides, and what else Ice Lake brought:
    /// older processors slow down when they use it.
    Avx512,
}

impl Level {
    /// All levels, the smallest first.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// The greatest level that this machine can run.
    pub fn detect() -> Level {
        Kernels::detect().level()
    }

    /// The levels that this machine can run, the smallest first.
    pub fn supported() -> Vec<Level> {
        Level::ALL.into_iter().filter(|&level| Kernels::at(level).is_some()).collect()
    }

    /// As it is shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}
