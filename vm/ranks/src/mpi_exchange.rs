//! Exchange between the processes of an MPI job.
//!
//! A failed call ends the job, as MPI does by default. So an exchange returns an error only for
//! sizes that MPI cannot count.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use star_vm::exchange::{Exchange, Lost, Place, Reduce};

/// Has this rank ended without the others?
static ENDED_ALONE: AtomicBool = AtomicBool::new(false);

/// Returns whether a run has ended on this rank without the others.
pub(crate) fn has_ended_alone() -> bool {
    ENDED_ALONE.load(Ordering::Relaxed)
}

/// A rank that is a process.
pub(crate) struct Mpi(SimpleCommunicator);

impl Mpi {
    /// Returns the rank of this process among all of the job. MPI must be initialised.
    pub(crate) fn world() -> Self {
        Mpi(SimpleCommunicator::world())
    }

    /// Tests the operations on numbers whose results are known, since implementations of MPI have
    /// computed the minimum of some types with the wrong sign.
    pub(crate) fn self_test(&self) -> Result<(), Lost> {
        let place = Place { loc: 0, what: "self-test" };
        let (rank, n_ranks) = (self.rank() as i64, self.n_ranks() as i64);
        let expected = [
            (Reduce::Min, 0),
            (Reduce::Max, n_ranks - 1),
            (Reduce::Sum, n_ranks * (n_ranks - 1) / 2),
        ];
        for (op, expected) in expected {
            // The second number is neutral.
            let other = if op == Reduce::Min { i64::MAX } else { 0 };
            let mut numbers = [rank, other];
            self.reduce(place, op, &mut numbers)?;
            if numbers != [expected, other] {
                let why = format!("{op:?} of MPI returned {numbers:?}, not {expected}");
                return Err(Lost { why });
            }
        }
        Ok(())
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.0.rank().unsigned_abs() as usize
    }

    fn n_ranks(&self) -> usize {
        self.0.size().unsigned_abs() as usize
    }

    fn ranks_of_host(&self) -> usize {
        crate::ranks_of_host().unwrap_or(self.n_ranks())
    }

    fn reduce(&self, _place: Place, op: Reduce, numbers: &mut [i64]) -> Result<(), Lost> {
        let given = numbers.to_vec();
        let operation = match op {
            Reduce::Min => SystemOperation::min(),
            Reduce::Max => SystemOperation::max(),
            Reduce::Sum => SystemOperation::sum(),
            Reduce::Or => SystemOperation::bitwise_or(),
            Reduce::And => SystemOperation::bitwise_and(),
        };
        self.0.all_reduce_into(&given[..], numbers, operation);
        Ok(())
    }

    fn broadcast(&self, _place: Place, owner: usize, limbs: &mut [u64]) -> Result<(), Lost> {
        self.0.process_at_rank(count(owner)?).broadcast_into(limbs);
        Ok(())
    }

    fn gather(&self, _place: Place, part: &[u64], lens: &[usize]) -> Result<Vec<u64>, Lost> {
        let (counts, starts, n_limbs) = layout(lens.iter().copied())?;
        let mut all = vec![0; n_limbs];
        let mut parts = PartitionMut::new(&mut all[..], counts, &starts[..]);
        self.0.all_gather_varcount_into(part, &mut parts);
        Ok(all)
    }

    fn trade(&self, _place: Place, parts: &[Vec<u64>], lens: &[usize]) -> Result<Vec<u64>, Lost> {
        let (counts, starts, _) = layout(parts.iter().map(Vec::len))?;
        let given = parts.concat();
        let given = mpi::datatype::Partition::new(&given[..], counts, &starts[..]);
        let (counts, starts, n_limbs) = layout(lens.iter().copied())?;
        let mut all = vec![0; n_limbs];
        let mut taken = PartitionMut::new(&mut all[..], counts, &starts[..]);
        self.0.all_to_all_varcount_into(&given, &mut taken);
        Ok(all)
    }

    fn abandon(&self) {
        // The process shows its message and then ends the job: see `main`.
        ENDED_ALONE.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.n_ranks())
    }
}

/// Returns the lengths of parts that follow each other, their starts, and the length of all.
fn layout(lens: impl Iterator<Item = usize>) -> Result<(Vec<i32>, Vec<i32>, usize), Lost> {
    let (mut counts, mut starts, mut end) = (Vec::new(), Vec::new(), 0);
    for len in lens {
        counts.push(count(len)?);
        starts.push(count(end)?);
        end += len;
    }
    Ok((counts, starts, end))
}

/// Returns a count as MPI counts.
fn count(n: usize) -> Result<i32, Lost> {
    i32::try_from(n).map_err(|_| Lost { why: format!("MPI cannot count {n} limbs") })
}
