//! Activity counters of an index.

/// Outcomes of updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updates {
    /// All updates.
    pub updates: u64,
    /// Updates superseded by a later one of the same id in the batch.
    pub superseded: u64,
    /// Objects that stayed in their cell.
    pub in_place: u64,
    /// Objects that changed their cell: a deletion and an insertion.
    pub split: u64,
    /// New objects.
    pub inserted: u64,
    /// Removed objects.
    pub removed: u64,
    /// Removals of objects that were not present.
    pub unknown_removals: u64,
}

impl Updates {
    /// Adds the counters of another part.
    pub fn add(&mut self, other: Updates) {
        let Updates { updates, superseded, in_place, split, inserted, removed, unknown_removals } =
            other;
        self.updates += updates;
        self.superseded += superseded;
        self.in_place += in_place;
        self.split += split;
        self.inserted += inserted;
        self.removed += removed;
        self.unknown_removals += unknown_removals;
    }
}

/// Work done to answer queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answering {
    /// Range queries.
    pub queries: u64,
    /// Cells touched by a query of a batch, each counted once per batch.
    pub candidate_cells: u64,
    /// Entries of the query-confirmation table: pairs of a candidate cell and a query that touches
    /// it.
    pub confirmations: u64,
    /// Confirmations where the query covers the cell fully, so that no object is tested.
    pub covered: u64,
    /// Entries of the candidate-set map: objects in candidate cells, each read once for all queries
    /// of a batch.
    pub candidates: u64,
    /// Objects found.
    pub hits: u64,
}

impl Answering {
    /// Adds the counters of another part.
    pub fn add(&mut self, other: Answering) {
        let Answering { queries, candidate_cells, confirmations, covered, candidates, hits } =
            other;
        self.queries += queries;
        self.candidate_cells += candidate_cells;
        self.confirmations += confirmations;
        self.covered += covered;
        self.candidates += candidates;
        self.hits += hits;
    }
}

/// The memory layout and activity of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of objects.
    pub objects: u64,
    /// The number of cells, each with its first bucket.
    pub cells: u64,
    /// Groups of cells that have one owner while a batch is processed.
    pub regions: u64,
    /// Buckets after the first ones of their cells.
    pub further_buckets: u64,
    /// Bytes of both indexes, the id index and the cells.
    pub n_bytes: u64,
    /// How often new cells were chosen because the number of objects had grown or objects had
    /// gathered elsewhere.
    pub choices: u64,
    /// Batches of updates.
    pub batches: u64,
    /// Outcomes of updates.
    pub updates: Updates,
    /// Work done to answer queries.
    pub answering: Answering,
}
