//! Answers to queries as records (Note \[Records\] in star-shaders).

use star_shaders::intrinsics::moving::{self as shaders, RECORD_WORDS};
use star_vm::Declined;

use super::super::work::{Batch, Executor, Units};
use super::super::{IntrinsicResult, NotTaken};

/// Records of a query that there is room for at first.
const OF_A_QUERY: u64 = 16;
const AT_LEAST: u64 = 1 << 10;
/// Limbs whose processing takes as long as a step of sorting.
const LIMBS_OF_A_RECORD: u64 = 128;

/// Records in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Records {
    at: u32,
    pub(super) n: u32,
}

/// How many records there is room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room(u64);

impl Room {
    /// Room for some answers to each of `n` queries.
    pub(super) fn for_queries(n: u32) -> Room {
        Room(OF_A_QUERY * u64::from(n) + AT_LEAST)
    }

    /// Collects records by kernels that receive records, room, counter and a zero; again if
    /// the room was not enough.
    pub(super) fn fill(
        self,
        on: &mut dyn Executor,
        mut run: impl FnMut(&mut dyn Executor, &[u32; 4]) -> IntrinsicResult,
    ) -> Result<Records, NotTaken> {
        let counter = on.notes(2)?;
        let mut room = self.0;
        loop {
            let at = on.extra(u64::from(RECORD_WORDS) * room)?.at;
            on.write(counter, &[0; 2])?;
            let n_room = u32::try_from(room).map_err(|_| NotTaken::Declined(Declined::Range))?;
            run(on, &[at, n_room, counter, 0])?;
            let [n, is_too_large] = on.words(counter)?;
            if is_too_large != 0 {
                return Err(NotTaken::Declined(Declined::Range));
            }
            if n <= n_room {
                return Ok(Records { at, n });
            }
            room = n.into();
        }
    }
}

impl Records {
    /// Returns the records in order.
    pub(super) fn sorted(self, on: &mut dyn Executor, threads: u32) -> Result<Records, NotTaken> {
        let Records { at, n } = self;
        if n < 2 {
            return Ok(self);
        }
        let other = on.extra(u64::from(RECORD_WORDS) * u64::from(n))?.at;
        let units = Units { head: [0; 2], threads, n: n.into(), limbs: LIMBS_OF_A_RECORD };
        let mut batch = Batch::default();
        batch.add(on, units, &shaders::sort(threads), &[at, n, other])?;
        let (mut from, mut to, mut run) = (other, at, u64::from(threads));
        let merge = shaders::merge(threads);
        while run < n.into() {
            batch.add(on, units, &merge, &[from, n, to, run as u32])?;
            (from, to, run) = (to, from, 2 * run);
        }
        batch.run(on)?;
        Ok(Records { at: from, n })
    }

    /// Lists the numbers of questions and the objects of sorted records, or of the first ones of
    /// each question.
    pub(super) fn list(
        self,
        on: &mut dyn Executor,
        threads: u32,
        n_each: Option<u32>,
        [numbers, objects]: [u32; 2],
    ) -> IntrinsicResult {
        let Records { at, n } = self;
        let units = Units { head: [0; 2], threads, n: n.into(), limbs: LIMBS_OF_A_RECORD };
        match n_each {
            None => units.run(on, &shaders::split(threads), &[at, n, numbers, objects]),
            Some(n_each) => {
                let given = [at, n, numbers, objects, n_each];
                units.run(on, &shaders::take(threads), &given)
            }
        }
    }
}
