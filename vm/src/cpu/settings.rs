//! Settings of the backend.

/// Settings for the distribution of work; they change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads; `None` for one for each core.
    pub threads: Option<usize>,
    /// Minimum limbs of an operand for an operation on several threads.
    pub parallel_limbs: usize,
    /// Limbs of an operand that one thread processes at a time.
    pub piece_limbs: usize,
    /// Limbs of an operand between two checks of the flags.
    pub poll_limbs: usize,
    /// Limbs of a column in a block of several columns that are processed together.
    pub block_limbs: usize,
    /// Maximum number of limbs for a loop kernel that works on some limbs only: a whole slice of
    /// this length, or the limbs of a longer one in which a mask has ones. 0 disables it.
    pub few_limbs: usize,
    /// Minimum limbs of a slice for recording.
    pub record_limbs: usize,
    /// Maximum number of recorded operations.
    pub record_ops: usize,
    /// Transpose a table at the first access against its layout.
    pub eager_transposes: bool,
    /// Minimum bytes for transposing the square table of a result in place, which uses one thread,
    /// instead of into other memory.
    pub in_place_bytes: u64,
    /// Bytes of second forms of tables that are allowed under every limit.
    pub copy_bytes: u64,
    /// Divisor of the memory limit that gives the maximum for second forms.
    pub copy_share: u64,
    /// Minimum bytes of a field that becomes a view where possible; see Note [Views].
    pub view_bytes: u64,
    /// Minimum limbs of a slice or word with a summary of its blocks.
    pub summary_limbs: usize,
    /// Minimum limbs of a mask for which MIN and MAX keep the extremes of blocks of rows; see Note
    /// [Kept extremes].
    pub kept_limbs: usize,
    /// Minimum limbs of a slice for which MATCH may use an index of the rows; see Note [Inverted
    /// index].
    pub indexed_limbs: usize,
    /// Number of columns of a table that MATCH reads before it builds an index.
    pub index_after: usize,
    /// Limbs of a summary block, 1 to 8.
    pub summary_block: usize,
    /// Maximum number of bytes for the explicit closure of the components of a sparse graph: of
    /// more components only the arcs are kept, and queries search.
    pub most_closed_bytes: u64,
    /// Makes every table argument and every new table sparse and keeps it so, and runs every
    /// possible operation by blocks.
    pub all_sparse: bool,
    /// Changes forms of tables at random between instructions, from this seed.
    pub random_forms: Option<u64>,
}

impl Default for Settings {
    /// 1 MiB for threads, summaries from 16 KiB on, blocks of 64 bytes, pieces of 128 KiB, a check
    /// of the flags every 16 MiB, blocks of 4 KiB, recording from 128 KiB on.
    fn default() -> Self {
        Settings {
            threads: None,
            parallel_limbs: 1 << 17,
            piece_limbs: 1 << 14,
            poll_limbs: 1 << 21,
            block_limbs: 512,
            few_limbs: 16,
            record_limbs: 1 << 14,
            record_ops: 512,
            eager_transposes: false,
            in_place_bytes: 1 << 28,
            copy_bytes: 1 << 16,
            copy_share: 8,
            view_bytes: 1 << 12,
            kept_limbs: 1 << 6,
            indexed_limbs: 1 << 7,
            index_after: 1 << 11,
            summary_limbs: 1 << 11,
            summary_block: 8,
            most_closed_bytes: 1 << 26,
            all_sparse: false,
            random_forms: None,
        }
    }
}

impl Settings {
    /// Returns minimal sizes, so that short data crosses every boundary; three threads.
    pub fn tiny() -> Self {
        Settings {
            threads: Some(3),
            parallel_limbs: 2,
            piece_limbs: 1,
            poll_limbs: 3,
            block_limbs: 1,
            few_limbs: 0,
            record_limbs: 4,
            record_ops: 5,
            eager_transposes: true,
            in_place_bytes: 0,
            copy_bytes: 1 << 16,
            copy_share: 8,
            view_bytes: 0,
            kept_limbs: 1,
            indexed_limbs: 1,
            index_after: 0,
            summary_limbs: 0,
            summary_block: 1,
            most_closed_bytes: 0,
            all_sparse: false,
            random_forms: None,
        }
    }

    /// Returns settings with a summary of blocks of 64 bits for every slice, sparse tables only,
    /// and no recording of operations that can run by blocks.
    pub fn sparse() -> Self {
        Settings { all_sparse: true, record_limbs: usize::MAX, ..Settings::tiny() }
    }

    /// Returns the default sizes, with summaries for every slice, and random changes of forms.
    pub fn random_forms() -> Self {
        let random_forms = Some(0x0057_a25e);
        let threads = Some(2);
        Settings { random_forms, threads, summary_limbs: 0, view_bytes: 0, ..Settings::default() }
    }
}
