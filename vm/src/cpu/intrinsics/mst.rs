//! KRUSKAL and PRIM, on an [`EdgeList`].

use star_intrinsics::{EdgeList, InterruptPoller, LineOrder, are_below, read_numbers};

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `KRUSKAL(left,right,weight,S,T)`
pub(super) fn kruskal(call: &mut IntrinsicCall) -> IntrinsicResult {
    let edges = edges(call)?;
    let mut tree = call.reserve_bits(4, call.table_size(0)?[0])?;
    let environment = call.environment();
    let among = call.bits(3)?.limbs();
    edges.kruskal(among, tree.limbs_mut(), &mut InterruptPoller::new(&environment))?;
    call.put_bits(4, tree)
}

/// `PRIM(left,right,weight,S,v,T)`
pub(super) fn prim(call: &mut IntrinsicCall) -> IntrinsicResult {
    let edges = edges(call)?;
    let mut tree = call.reserve_bits(5, call.table_size(0)?[0])?;
    let environment = call.environment();
    let (among, code) = (call.bits(3)?.limbs(), call.bits(4)?);
    let code = (0..code.len()).fold(0, |number, at| number << 1 | u32::from(code.get(at)));
    if let Some(start) = edges.vertex(code) {
        edges.prim(among, start, tree.limbs_mut(), &mut InterruptPoller::new(&environment))?;
    }
    call.put_bits(5, tree)
}

/// Reads the edge list from the first three parameters.
fn edges(call: &mut IntrinsicCall) -> IntrinsicResult<EdgeList> {
    let [m, code_width] = call.table_size(0)?;
    let [_, weight_width] = call.table_size(2)?;
    if m > EdgeList::MOST_EDGES {
        return Err(NotTaken::declined());
    }
    for table in 0..3 {
        call.transpose(table, LineOrder::Columns)?;
    }
    call.reserve(EdgeList::n_bytes(m))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let weight = call.lines(2, LineOrder::Columns)?;
    if !are_below(weight, 32, call.bits(3)?.limbs(), &environment)? {
        return Err(NotTaken::declined());
    }
    let mut numbers = |table, width: usize| -> IntrinsicResult<Vec<u32>> {
        let lines = call.lines(table, LineOrder::Columns)?;
        let low = width.min(32);
        Ok(read_numbers(lines, width - low, low, &mut poller)?)
    };
    let (left, right) = (numbers(0, code_width)?, numbers(1, code_width)?);
    Ok(EdgeList::new(left, right, numbers(2, weight_width)?, code_width)?)
}
