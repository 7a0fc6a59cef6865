//! Options of a device.

use crate::device_trait::Wide;

/// The adapter, and sizes that must not affect results; `None` means the adapter's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSettings {
    /// Part of the adapter's name, case-insensitive.
    pub adapter: Option<String>,
    /// The number of the adapter among equally good ones, from 0; beyond the last one, it counts
    /// from the first again.
    pub number: usize,
    /// Threads of the workgroup.
    pub threads: Option<u32>,
    /// Loop iterations of a dispatch.
    pub budget: Option<u32>,
    /// Initial words of the heap.
    pub words: Option<u32>,
    /// Maximum words of a memory buffer; larger memory uses several.
    pub bank_words: Option<u32>,
    /// Bits of a table from which on loops over its lines run as kernels over a grid.
    pub least_bits: Option<u64>,
    /// Shared memory of a workgroup of a kernel in bytes.
    pub shared_bytes: Option<u32>,
    /// Maximum workgroups of a dispatch of an intrinsic in one dimension.
    pub max_groups: Option<u32>,
    /// Whether workgroups of intrinsics have the smallest sizes.
    pub small_groups: bool,
    /// Words that are allocated to the objects of a frame ahead of requests.
    pub ahead_words: Option<u32>,
    /// Words of the journal for lines until the host prints them.
    pub journal_words: Option<u32>,
    /// Bytes of columns that enter and leave at once.
    pub part_bytes: Option<u64>,
    /// Limits beyond which another kernel does the work.
    pub wide: Option<Wide>,
    /// Execution mode of programs.
    pub mode: Mode,
}

/// Execution mode of programs on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Intrinsics and loops that can run as kernels over a grid, everything else on the control
    /// unit.
    #[default]
    Auto,
    /// Everything on the control unit.
    Resident,
    /// As [`Mode::Auto`], but programs without kernels over a grid are rejected.
    Lifted,
}

impl DeviceSettings {
    /// Returns the smallest possible sizes.
    pub fn tiny() -> Self {
        let (threads, budget, words) = (Some(4), Some(200), Some(64));
        let (least_bits, ahead_words, journal_words) = (Some(1), Some(0), Some(12));
        let (wide, part_bytes) = (Some(Wide::TINY), Some(1 << 8));
        let sizes = DeviceSettings { threads, budget, words, ..DeviceSettings::default() };
        let (max_groups, small_groups) = (Some(3), true);
        let groups = DeviceSettings { max_groups, small_groups, ..sizes };
        DeviceSettings { least_bits, ahead_words, journal_words, part_bytes, wide, ..groups }
    }

    /// Returns the same, with memory of up to 512 KiB in up to 16 buffers.
    pub fn tiny_banks() -> Self {
        let (bank_words, words) = (Some(1 << 13), Some(3 << 13));
        DeviceSettings { bank_words, words, ..DeviceSettings::tiny() }
    }
}
