//! Exchange between threads of one process, for tests.
//!
//! It checks that all ranks are at the same place of the program, and delays ranks at random, so
//! that a result that depended on their order would differ from run to run.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use star_base::Random;

use super::{Exchange, Lost, Place, Reduce};

/// A rank that is a thread.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    shared: Arc<Shared>,
    delays: Mutex<Random>,
}

/// The state that all ranks share.
#[derive(Debug)]
struct Shared {
    n_ranks: usize,
    meeting: Mutex<Meeting>,
    changed: Condvar,
}

/// The current exchange.
#[derive(Debug, Default)]
struct Meeting {
    /// Number of exchanges that are complete.
    n_complete: u64,
    place: Option<Place>,
    given: Vec<Option<Vec<u64>>>,
    n_given: usize,
    /// The parts of the last complete exchange, by rank.
    last: Arc<Vec<Vec<u64>>>,
    lost: Option<Lost>,
}

impl Threads {
    /// Creates the ranks of a run; their delays depend on the seed.
    pub fn new(n_ranks: usize, seed: u64) -> Vec<Threads> {
        let n_ranks = n_ranks.max(1);
        let meeting = Meeting { given: vec![None; n_ranks], ..Meeting::default() };
        let shared =
            Arc::new(Shared { n_ranks, meeting: Mutex::new(meeting), changed: Condvar::new() });
        let rank = |rank: usize| Threads {
            rank,
            shared: Arc::clone(&shared),
            delays: Mutex::new(Random::new(seed ^ (rank as u64) << 32)),
        };
        (0..n_ranks).map(rank).collect()
    }

    fn meeting(&self) -> MutexGuard<'_, Meeting> {
        // A rank that panicked has left the state complete.
        self.shared.meeting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn delay(&self) {
        let mut delays = self.delays.lock().unwrap_or_else(PoisonError::into_inner);
        if delays.below(EXCHANGES_PER_DELAY) == 0 {
            std::thread::yield_now();
        }
    }

    /// Gives a part and returns those of all ranks.
    fn share(&self, place: Place, part: &[u64]) -> Result<Arc<Vec<Vec<u64>>>, Lost> {
        self.delay();
        let mut meeting = self.meeting();
        if let Some(lost) = &meeting.lost {
            return Err(lost.clone());
        }
        if let Some(other) = meeting.place.filter(|other| *other != place) {
            let why = format!("rank {} is at {place:?}, another one at {other:?}", self.rank);
            let lost = Lost { why };
            meeting.lost = Some(lost.clone());
            self.shared.changed.notify_all();
            return Err(lost);
        }
        meeting.place = Some(place);
        meeting.given[self.rank] = Some(part.to_vec());
        meeting.n_given += 1;
        let number = meeting.n_complete;
        if meeting.n_given == self.shared.n_ranks {
            let parts = meeting.given.iter_mut().map(|part| part.take().unwrap_or_default());
            meeting.last = Arc::new(parts.collect());
            (meeting.n_given, meeting.place) = (0, None);
            meeting.n_complete += 1;
            self.shared.changed.notify_all();
        }
        while meeting.n_complete == number {
            if let Some(lost) = &meeting.lost {
                return Err(lost.clone());
            }
            let waited = self.shared.changed.wait(meeting);
            meeting = waited.unwrap_or_else(PoisonError::into_inner);
        }
        // The next exchange completes only after this rank has given its part of it.
        Ok(Arc::clone(&meeting.last))
    }
}

/// Average number of exchanges of a rank for each one before which it yields.
const EXCHANGES_PER_DELAY: usize = 8;

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn n_ranks(&self) -> usize {
        self.shared.n_ranks
    }

    fn reduce(&self, place: Place, op: Reduce, numbers: &mut [i64]) -> Result<(), Lost> {
        let part: Vec<u64> = numbers.iter().map(|number| number.cast_unsigned()).collect();
        let parts = self.share(place, &part)?;
        for (idx, number) in numbers.iter_mut().enumerate() {
            let of_ranks = parts.iter().filter_map(|part| part.get(idx));
            let reduced = of_ranks.map(|limb| limb.cast_signed()).reduce(|a, b| op.apply(a, b));
            *number = reduced.unwrap_or(*number);
        }
        Ok(())
    }

    fn broadcast(&self, place: Place, owner: usize, limbs: &mut [u64]) -> Result<(), Lost> {
        let part: &[u64] = if owner == self.rank { limbs } else { &[] };
        let parts = self.share(place, part)?;
        match parts.get(owner) {
            Some(part) if part.len() == limbs.len() => limbs.copy_from_slice(part),
            Some(_) | None => return Err(Lost { why: format!("a broadcast at {place:?}") }),
        }
        Ok(())
    }

    fn gather(&self, place: Place, part: &[u64], lens: &[usize]) -> Result<Vec<u64>, Lost> {
        let parts = self.share(place, part)?;
        if !parts.iter().map(Vec::len).eq(lens.iter().copied()) {
            return Err(Lost { why: format!("parts of other lengths at {place:?}") });
        }
        Ok(parts.concat())
    }

    fn trade(&self, place: Place, parts: &[Vec<u64>], lens: &[usize]) -> Result<Vec<u64>, Lost> {
        // The lengths of the parts come first.
        let n_limbs = parts.iter().map(|part| part.len() as u64);
        let given: Vec<u64> = n_limbs.chain(parts.iter().flatten().copied()).collect();
        let mut taken = Vec::new();
        for (given, len) in self.share(place, &given)?.iter().zip(lens) {
            let (lens_there, limbs) = given.split_at(self.shared.n_ranks);
            let before: u64 = lens_there[..self.rank].iter().sum();
            if lens_there[self.rank] != *len as u64 {
                return Err(Lost { why: format!("parts of other lengths at {place:?}") });
            }
            taken.extend_from_slice(&limbs[before as usize..][..*len]);
        }
        Ok(taken)
    }

    fn abandon(&self) {
        let mut meeting = self.meeting();
        let why = format!("rank {} has ended the run", self.rank);
        meeting.lost.get_or_insert(Lost { why });
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { loc: 1, what: "test" };

    /// Runs `work` on every rank and returns the results by rank.
    fn on_ranks<T: Send>(n_ranks: usize, work: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        let ranks = Threads::new(n_ranks, 7);
        let work = &work;
        std::thread::scope(|scope| {
            let running: Vec<_> =
                ranks.iter().map(|rank| scope.spawn(move || work(rank))).collect();
            running.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_ranks_get_the_same_results() {
        for n_ranks in [1, 2, 3, 7] {
            let last = n_ranks as i64 - 1;
            let results = on_ranks(n_ranks, |rank| {
                let at = rank.rank() as i64;
                let reduce = |op| {
                    let mut numbers = [at, 5];
                    rank.reduce(PLACE, op, &mut numbers).unwrap();
                    numbers[0]
                };
                let reduced = [Reduce::Min, Reduce::Max, Reduce::Sum].map(reduce);
                let mut limbs = [rank.rank() as u64; 2];
                rank.broadcast(PLACE, n_ranks - 1, &mut limbs).unwrap();
                let lens: Vec<usize> = (0..n_ranks).collect();
                let part = vec![rank.rank() as u64; rank.rank()];
                let gathered = rank.gather(PLACE, &part, &lens).unwrap();
                // To rank t, t + 1 times 10 · rank + t.
                let parts = (0..n_ranks).map(|to| vec![(at * 10) as u64 + to as u64; to + 1]);
                let parts: Vec<Vec<u64>> = parts.collect();
                let n_limbs = rank.rank() + 1;
                let traded = rank.trade(PLACE, &parts, &vec![n_limbs; n_ranks]).unwrap();
                let given = |from: usize| vec![(from * 10 + rank.rank()) as u64; n_limbs];
                assert_eq!(traded, (0..n_ranks).flat_map(given).collect::<Vec<u64>>());
                (reduced, limbs, gathered)
            });
            let gathered = (0..n_ranks).flat_map(|rank| vec![rank as u64; rank]).collect();
            let expected = ([0, last, last * (last + 1) / 2], [last as u64; 2], gathered);
            assert!(results.iter().all(|result| *result == expected), "{n_ranks} ranks");
        }
    }

    #[test]
    fn a_rank_at_another_place_or_gone_ends_the_others() {
        let results = on_ranks(3, |rank| {
            let place = Place { loc: if rank.rank() == 1 { 2 } else { 1 }, ..PLACE };
            rank.reduce(place, Reduce::Sum, &mut [1])
        });
        assert!(results.iter().all(Result::is_err));
        let results = on_ranks(3, |rank| match rank.rank() {
            2 => {
                rank.abandon();
                Ok(())
            }
            _ => rank.reduce(PLACE, Reduce::Sum, &mut [1]),
        });
        let lost = Err(Lost { why: "rank 2 has ended the run".to_owned() });
        assert_eq!(results, [lost.clone(), lost, Ok(())]);
    }
}
