//! What an index has done, in numbers.

/// What became of updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updates {
    /// All that came.
    pub updates: u64,
    /// Made void by a later one of the same id in the batch.
    pub superseded: u64,
    /// Objects that stayed in their cell.
    pub in_place: u64,
    /// Objects that changed their cell: a deletion and an insertion.
    pub split: u64,
    /// New objects.
    pub inserted: u64,
    /// Objects taken away.
    pub removed: u64,
    /// Removals of objects that were not there.
    pub unknown_removals: u64,
}

impl Updates {
    /// Adds what another part has done.
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

/// What answering took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answering {
    /// Range queries.
    pub queries: u64,
    /// Cells that a query of a batch touches, each counted once a batch.
    pub candidate_cells: u64,
    /// Entries of the query-confirmation table: pairs of a candidate cell and a query that touches it.
    pub confirmations: u64,
    /// Those of them where the query covers the cell fully, so that no object is tested.
    pub covered: u64,
    /// Entries of the candidate-set map: objects in candidate cells, each read once for all queries of a batch.
    pub candidates: u64,
    /// Objects found.
    pub hits: u64,
}

impl Answering {
    /// Adds what another part has done.
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

/// How an index lies in memory, and what it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Objects.
    pub objects: u64,
    /// Cells, each with its first bucket.
    pub cells: u64,
    /// Groups of cells that have one owner while a batch is worked in.
    pub regions: u64,
    /// Buckets behind the first ones of their cells.
    pub further_buckets: u64,
    /// Bytes of both indexes, the id index and the cells.
    pub n_bytes: u64,
    /// How often cells were chosen anew because objects had become many more, or had gathered elsewhere.
    pub choices: u64,
    /// Batches of updates.
    pub batches: u64,
    /// What became of updates.
    pub updates: Updates,
    /// What answering took.
    pub answering: Answering,
}
