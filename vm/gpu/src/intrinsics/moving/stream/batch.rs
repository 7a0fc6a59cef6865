//! A batch of a stream in memory of the device: its results, its updates, its queries.

use std::collections::HashMap;

use star_intrinsics::moving::{AnswerForm, AnswerHash, Query, Update};
use star_shaders::intrinsics::moving::{
    FIRST_REMOVAL, GONE, NOTES, RECORD_WORDS, SUM_WORDS, UPDATE_WORDS,
};

use super::super::super::NotTaken;
use super::super::TOO_LARGE;
use crate::grid::Words;
use crate::heap::Block;

/// The sums of answers, to each of which some workgroups add.
pub(super) const SUMS: u32 = 32;
/// Words of the results: notes, sums, the counter of records and its mark.
pub(super) const RESULTS: u32 = NOTES + SUMS * SUM_WORDS + 16;
/// Records for which there is room at first, and which return with the results.
const OF_A_QUERY: u64 = 16;
const AT_LEAST: u64 = 1 << 10;
/// Updates that are written at once.
const AT_ONCE: usize = 512;

/// A batch.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) block: Block,
    /// Records of answers, if they are requested as pairs.
    pub(super) records: Block,
    pub(super) n_updates: u32,
    /// Removals that follow another one of their object in the batch.
    pub(super) n_unknown: u64,
    /// The numbers of the queries.
    pub(super) numbers: Vec<u32>,
    pub(super) form: AnswerForm,
    /// The phase of its queries; that of its updates is the next one.
    pub(super) phase: u32,
    /// The submissions that process it.
    pub(super) n_begun: u32,
}

impl Batch {
    pub(super) fn new() -> Batch {
        Batch {
            block: Block::default(),
            records: Block::default(),
            n_updates: 0,
            n_unknown: 0,
            numbers: Vec::new(),
            form: AnswerForm::Hash,
            phase: 0,
            n_begun: 0,
        }
    }

    pub(super) fn n_queries(&self) -> u32 {
        self.numbers.len() as u32
    }

    pub(super) fn notes(&self) -> u32 {
        self.block.at
    }

    pub(super) fn sums(&self) -> u32 {
        self.block.at + NOTES
    }

    /// The address of the counter of records.
    pub(super) fn counter(&self) -> u32 {
        self.sums() + SUMS * SUM_WORDS
    }

    pub(super) fn updates(&self) -> u32 {
        self.block.at + RESULTS
    }

    /// The addresses of the coordinates of corners.
    pub(super) fn corners(&self) -> [u32; 4] {
        let first = self.updates() + UPDATE_WORDS * self.n_updates;
        [0, 1, 2, 3].map(|idx| first + idx * self.n_queries())
    }

    /// The address of the numbers of queries.
    pub(super) fn numbers_at(&self) -> u32 {
        self.updates() + UPDATE_WORDS * self.n_updates + 4 * self.n_queries()
    }

    /// Records that return with the results.
    pub(super) fn n_returned(&self) -> u32 {
        match (self.form, self.numbers.is_empty()) {
            (AnswerForm::Pairs, false) => {
                let expected = OF_A_QUERY * u64::from(self.n_queries()) + AT_LEAST;
                expected.min(u64::from(u32::MAX / RECORD_WORDS)) as u32
            }
            (AnswerForm::Pairs, true) | (AnswerForm::Hash, _) => 0,
        }
    }

    /// Records that there is room for.
    pub(super) fn room(&self) -> u32 {
        self.records.words / RECORD_WORDS
    }
}

/// The number of words of a batch in memory.
pub(super) fn words(n_updates: usize, n_queries: usize) -> Result<u32, NotTaken> {
    let of_updates = (UPDATE_WORDS as usize).checked_mul(n_updates);
    let all = of_updates.and_then(|words| words.checked_add(n_queries.checked_mul(5)?));
    let all = all.and_then(|words| u32::try_from(words).ok()?.checked_add(RESULTS));
    all.ok_or(TOO_LARGE)
}

/// What follows from the updates of a batch before they are written.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Ids are less.
    pub(super) n_ids: u32,
    /// The set of removals of objects that no earlier update concerns; empty without removals.
    first_removals: Vec<u32>,
    pub(super) n_unknown: u64,
}

impl Plan {
    pub(super) fn of(updates: &[Update]) -> Result<Plan, NotTaken> {
        let (mut greatest, mut removes) = (0, false);
        for update in updates {
            greatest = update.id.max(greatest);
            removes |= update.to.is_none();
        }
        // An object has four words.
        if greatest >= FIRST_REMOVAL - 1 {
            return Err(TOO_LARGE);
        }
        let n_ids = if updates.is_empty() { 0 } else { greatest + 1 };
        let mut plan = Plan { n_ids, ..Plan::default() };
        if removes {
            plan.first_removals = vec![0; updates.len().div_ceil(32)];
            let mut is_gone = HashMap::with_capacity(updates.len());
            for (idx, update) in updates.iter().enumerate() {
                let removes = update.to.is_none();
                match is_gone.insert(update.id, removes) {
                    None => plan.first_removals[idx / 32] |= u32::from(removes) << (idx % 32),
                    Some(before) => plan.n_unknown += u64::from(before && removes),
                }
            }
        }
        Ok(plan)
    }

    /// Writes updates as kernels read them.
    pub(super) fn write(&self, updates: &[Update], to: &mut Words<'_>) {
        let mut words = [0; UPDATE_WORDS as usize * AT_ONCE];
        for (some, first) in updates.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
            let each = words.chunks_exact_mut(UPDATE_WORDS as usize);
            for (update, to) in some.iter().zip(each) {
                let at = update.to.unwrap_or_default();
                let gone = if update.to.is_none() { GONE } else { 0 };
                to.copy_from_slice(&[update.id | gone, at.x() as u32, at.y() as u32]);
            }
            if !self.first_removals.is_empty() {
                for idx in 0..some.len() {
                    let bit = self.first_removals[(first + idx) / 32] >> (idx % 32) & 1;
                    words[UPDATE_WORDS as usize * idx] |= bit * FIRST_REMOVAL;
                }
            }
            to(&words[..UPDATE_WORDS as usize * some.len()]);
        }
    }
}

/// Writes the corners of queries and their numbers.
pub(super) fn write_queries(queries: &[Query], to: &mut Words<'_>) {
    let of: [fn(&Query) -> u32; 5] = [
        |query| query.range.low().x() as u32,
        |query| query.range.low().y() as u32,
        |query| query.range.high().x() as u32,
        |query| query.range.high().y() as u32,
        |query| query.number,
    ];
    let mut words = [0; AT_ONCE];
    for of in of {
        for some in queries.chunks(AT_ONCE) {
            some.iter().zip(&mut words).for_each(|(query, word)| *word = of(query));
            to(&words[..some.len()]);
        }
    }
}

/// Returns the number and the hash of answers, given their sums.
pub(super) fn total(sums: &[u32]) -> AnswerHash {
    let wide = |low: u32, high: u32| u64::from(high) << u32::BITS | u64::from(low);
    let mut total = AnswerHash::default();
    for sum in sums.chunks_exact(SUM_WORDS as usize) {
        if let [low, high, n, n_high] = *sum {
            total.hash = total.hash.wrapping_add(wide(low, high));
            total.hits += wide(n, n_high);
        }
    }
    total
}
