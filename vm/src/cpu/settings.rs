//! Choices of how the backend works.

/// Choices of how work is spread; they change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads; `None` for as many as there are cores.
    pub threads: Option<usize>,
    /// Limbs of an operand from which on an operation is spread over threads.
    pub parallel_limbs: usize,
    /// Limbs of an operand that one thread works on at a time.
    pub piece_limbs: usize,
    /// Limbs of an operand between two looks at the flags.
    pub poll_limbs: usize,
    /// Limbs of a column in a block of several columns that are worked on together.
    pub block_limbs: usize,
    /// Limbs that a loop kernel takes at most where it works on some limbs alone: the whole of a slice as short as that, or
    /// as many of a longer one as a mask has ones in. 0 for never.
    pub few_limbs: usize,
    /// Limbs of a slice from which on operations on it are recorded.
    pub record_limbs: usize,
    /// Operations that are recorded before they are executed at most.
    pub record_ops: usize,
    /// Turn a table as soon as it is accessed against its form.
    pub eager_turns: bool,
    /// Bytes from which on a square table that is given up turns in its own memory, which takes one thread, and not
    /// into other.
    pub in_place_bytes: u64,
    /// Bytes of second forms of tables that are made under every limit.
    pub copy_bytes: u64,
    /// The part of the limit on memory that second forms take at most: one in so many.
    pub copy_share: u64,
    /// Bytes of a field from which on it is a view where it may be one; see Note [Views].
    pub view_bytes: u64,
    /// Limbs of a slice or word from which on its blocks have a summary.
    pub summary_limbs: usize,
    /// Limbs of a mask from which on MIN and MAX keep what they find in blocks of rows; see Note [Kept extremes].
    pub kept_limbs: usize,
    /// Limbs of a slice from which on MATCH may look at an index of the rows; see Note [Inverted index].
    pub indexed_limbs: usize,
    /// Columns that MATCH looks at in a table before it gets such an index.
    pub index_after: usize,
    /// Limbs of such a block of a summary, 1 to 8.
    pub summary_block: usize,
    /// Bytes of the closure of the components of a sparse graph that is made: of more components only the arcs are kept, and questions search.
    pub most_closed_bytes: u64,
    /// Every table that is given or made is sparse and stays so, and every operation that can goes by blocks.
    pub all_sparse: bool,
    /// Forms of tables change by chance between instructions, from this seed.
    pub random_forms: Option<u64>,
}

impl Default for Settings {
    /// 1 MiB for threads, summaries from 16 KiB on, of blocks of 64 bytes, pieces of 128 KiB, looks every 16 MiB, blocks of 4 KiB, recording from 32 KiB on.
    fn default() -> Self {
        Settings {
            threads: None,
            parallel_limbs: 1 << 17,
            piece_limbs: 1 << 14,
            poll_limbs: 1 << 21,
            block_limbs: 512,
            few_limbs: 16,
            record_limbs: 1 << 12,
            record_ops: 512,
            eager_turns: false,
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
    /// Every size as small as it can be, so that short data crosses every border; three threads.
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
            eager_turns: true,
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

    /// Every slice with a summary of blocks of 64 bits, every table sparse, and nothing recorded that could go by blocks.
    pub fn sparse() -> Self {
        Settings { all_sparse: true, record_limbs: usize::MAX, ..Settings::tiny() }
    }

    /// The sizes of people, summaries for every slice, and forms that change by chance.
    pub fn random_forms() -> Self {
        let random_forms = Some(0x0057_a25e);
        let threads = Some(2);
        Settings { random_forms, threads, summary_limbs: 0, view_bytes: 0, ..Settings::default() }
    }
}
