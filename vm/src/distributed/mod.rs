//! Programs that several processes run, each on its rows, on a backend that knows no ranks: a
//! graphics card for each.
//!
//! Note [Distributed programs]. Every rank runs the same translation of the program. A slice or
//! table there holds the rows of this rank, which [`Partition::range`] assigns; words, numbers and
//! truth values are the same on all ranks. The number of rows on all ranks is an integer next to
//! each slice and table (`X.all`), which sizes, guards and the positions of rows use. What works
//! row by row is unchanged. What combines rows becomes an operation on the own rows and an exchange
//! of a word ([`Simple::Exchange`](star_ir::Simple::Exchange)), for which the backend asks its host
//! like for a line that is printed: a query exchanges its answer, a row comes from its owner.
//! Operations that move components gather the slice as a word.
//!
//! Kernels over columns run on the own rows. Kernels over rows do, if they store rows or combine
//! them by operations in any order. Iterations that need more run in order on all ranks.
//!
//! Elementary operations that a rank counts for its rows alone are summed in `own`, and added after
//! the run.

mod backend;
mod emit;
mod kernels;
mod operations;
mod routine;
mod trap_names;

use std::collections::BTreeSet;
use std::sync::Arc;

use star_ir::{LocId, Mode, Program, Routine, RoutineId, Simple, StmtKind, visit};

use crate::backend::BackendError;
use crate::exchange::Partition;

pub use backend::{Code, OnRank, Plan, Value};

use emit::Rewriter;
use trap_names::TrapNames;

/// The share of a rank in all rows.
#[derive(Clone, Copy, Debug)]
struct Share {
    rank: i64,
    n_ranks: i64,
    block_rows: i64,
}

/// A parameter of a distributed routine after those of the source.
#[derive(Clone, Copy, Debug)]
enum Extra {
    /// The number of rows on all ranks of an argument.
    Size {
        /// The index of its parameter.
        param: usize,
        /// The mode of both.
        mode: Mode,
    },
    /// The number of rows on all ranks of the result.
    Result,
    /// Operations that this rank alone has counted.
    Own,
}

/// Returns the error for a program that the verifier should have rejected.
fn internal(what: &str) -> BackendError {
    BackendError::Internal(what.to_owned())
}

/// A distributed program. Routines have the same numbers.
#[derive(Clone, Debug)]
struct DistributedProgram {
    program: Program,
    /// For each routine its additional parameters, or why it has no translation.
    routines: Vec<Result<Vec<Extra>, BackendError>>,
    trap_names: Arc<TrapNames>,
}

/// Translates a program for a rank.
fn distribute(source: &Program, partition: &Partition) -> DistributedProgram {
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let share = Share {
        rank: number(partition.rank()),
        n_ranks: number(partition.n_ranks()),
        block_rows: number(partition.block_rows()),
    };
    let mut program = Program { routines: Vec::new(), locations: source.locations.clone() };
    let mut routines = Vec::new();
    let mut trap_names = TrapNames::default();
    for routine in &source.routines {
        match Rewriter::new(source, routine, share).routine() {
            Ok(made) => {
                // A trap shows no values of which this rank has a part.
                for loc in locations_of(&made.routine) {
                    if let Some(location) = program.locations.get_mut(loc) {
                        location.operands.retain(|named| !made.divided.contains(&named.var));
                    }
                }
                trap_names.add(made.trap_names);
                program.push(made.routine);
                routines.push(Ok(made.extras));
            }
            Err(refused) => {
                program.push(Routine {
                    body: Vec::new(),
                    params: Vec::new(),
                    result: None,
                    intrinsic: None,
                    ..(**routine).clone()
                });
                routines.push(Err(refused));
            }
        }
    }
    DistributedProgram { program, routines, trap_names: Arc::new(trap_names) }
}

/// Returns the locations of the statements of a routine.
fn locations_of(routine: &Routine) -> BTreeSet<LocId> {
    let mut locations = BTreeSet::new();
    visit::walk(&routine.body, &mut |stmt| {
        locations.insert(stmt.loc);
    });
    locations
}

impl DistributedProgram {
    /// Returns why a routine cannot run, if it or one that it calls has no translation.
    fn refused(&self, entry: RoutineId) -> Option<&BackendError> {
        let mut seen = BTreeSet::from([entry]);
        let mut waiting = vec![entry];
        while let Some(id) = waiting.pop() {
            if let Err(refused) = &self.routines[id.0 as usize] {
                return Some(refused);
            }
            visit::walk(&self.program.routine(id).body, &mut |stmt| {
                if let StmtKind::Simple(Simple::Call { callee, .. }) = &stmt.kind
                    && seen.insert(*callee)
                {
                    waiting.push(*callee);
                }
            });
        }
        None
    }
}
