//! What may be chosen about a device.

use crate::device_trait::Wide;

/// Which adapter, and sizes that must not matter; `None` is what suits the adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSettings {
    /// Part of the adapter's name, in any case.
    pub adapter: Option<String>,
    /// Threads of the workgroup.
    pub threads: Option<u32>,
    /// Turns of loops in a dispatch.
    pub budget: Option<u32>,
    /// Words that the heap has at first.
    pub words: Option<u32>,
    /// Words of a buffer of memory, at most; memory beyond is in others.
    pub bank_words: Option<u32>,
    /// Bits of a table from which on loops over its lines run as kernels over a grid.
    pub least_bits: Option<u64>,
    /// Bytes that the threads of a workgroup of a kernel may share.
    pub shared_bytes: Option<u32>,
    /// Words that the objects of a frame may get before they ask.
    pub ahead_words: Option<u32>,
    /// Words that lines may take until the host prints them.
    pub journal_words: Option<u32>,
    /// What is for another kernel to make.
    pub wide: Option<Wide>,
    /// How programs run.
    pub mode: Mode,
}

/// How programs run on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Intrinsics and loops that can be as kernels over a grid, everything else on the control unit.
    #[default]
    Auto,
    /// Everything on the control unit.
    Resident,
    /// As [`Mode::Auto`]; a program of which nothing can run as kernels over a grid is refused.
    Lifted,
}

impl DeviceSettings {
    /// Everything as small as can be.
    pub fn tiny() -> Self {
        let (threads, budget, words) = (Some(4), Some(200), Some(64));
        let (least_bits, ahead_words, journal_words) = (Some(1), Some(0), Some(12));
        let wide = Some(Wide::TINY);
        let sizes = DeviceSettings { threads, budget, words, ..DeviceSettings::default() };
        DeviceSettings { least_bits, ahead_words, journal_words, wide, ..sizes }
    }

    /// Likewise, with memory of up to 512 KiB in up to 16 buffers.
    pub fn tiny_banks() -> Self {
        let (bank_words, words) = (Some(1 << 13), Some(3 << 13));
        DeviceSettings { bank_words, words, ..DeviceSettings::tiny() }
    }
}
