//! CONDENSE, REACHES and REACHABLE, with a [`Reach`] in the handle.

use star_intrinsics::{Components, InterruptPoller, Keeping, Reach};

use super::{IntrinsicCall, IntrinsicResult, NotTaken, Target};

/// `CONDENSE(n,G,H)`
pub(super) fn condense(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n, _] = call.table_size(1)?;
    // Vertices are numbered in 31 bits, and one number is reserved.
    if n > Components::MOST_SPARSE {
        return Err(NotTaken::declined());
    }
    if call.sparse(1)?.is_some() {
        return condense_sparse(call, n);
    }
    call.reserve(Reach::most_bytes(n))?;
    let (home, lines) = call.home(1)?;
    let reach = Reach::new(home, n, lines, &call.environment())?;
    call.put_state(2, reach)
}

/// `CONDENSE(n,G,H)` of a sparse graph: the number of components decides how much memory it needs.
fn condense_sparse(call: &mut IntrinsicCall, n: usize) -> IntrinsicResult {
    let reach = sparse_reach(call, n)?;
    match call.reserve_if_free(Reach::closure_bytes(n))? {
        true => call.put_state(2, reach),
        false => call.put_state_alone(2, reach),
    }
}

/// Computes reachability in the sparse graph of parameter 1: the closure of its components if that
/// is small, otherwise the arcs between them.
pub(super) fn sparse_reach(call: &mut IntrinsicCall, n: usize) -> IntrinsicResult<Reach> {
    call.reserve(Components::sparse_bytes(n))?;
    let (graph, lines) = call.sparse(1)?.ok_or_else(NotTaken::declined)?;
    let environment = call.environment();
    let components = Components::find_sparse(graph, n, &mut InterruptPoller::new(&environment))?;
    let closed = Reach::bytes_of(Keeping::Closed, graph, &components);
    let (keeping, n_bytes) = match closed <= call.most_closed_bytes() {
        true => (Keeping::Closed, closed),
        false => (Keeping::Searched, Reach::bytes_of(Keeping::Searched, graph, &components)),
    };
    call.reserve(n_bytes)?;
    let (graph, _) = call.sparse(1)?.ok_or_else(NotTaken::declined)?;
    Ok(Reach::of_sparse(keeping, graph, components, lines, &environment)?)
}

/// `REACHES(H,i,j)`
pub(super) fn reaches(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (from, to) = (call.index(1)?, call.index(2)?);
    let reach = call.state::<Reach>(0)?;
    call.reserve(reach.question_bytes())?;
    let environment = call.environment();
    let found = reach.reaches(from, to, &mut InterruptPoller::new(&environment))?;
    call.put_truth(Target::Value, found)
}

/// `REACHABLE(H,i,X)`
pub(super) fn reachable(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (from, reach) = (call.index(1)?, call.state::<Reach>(0)?);
    call.reserve(reach.question_bytes())?;
    // Created in addition to the slice, which keeps its value if the run ends meanwhile.
    let mut found = call.reserve_bits(2, reach.n_vertices())?;
    let environment = call.environment();
    reach.reachable(from, found.limbs_mut(), &mut InterruptPoller::new(&environment))?;
    call.put_bits(2, found)
}
