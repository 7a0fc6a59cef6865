//! AMONG, by [`WordSet`].

use star_intrinsics::{LineOrder, WordSet};
use star_value::BitVector;

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `AMONG(T,X,F,Z)`
pub(super) fn among(call: &mut IntrinsicCall) -> IntrinsicResult {
    if call.peers(2)?.is_some() {
        return Err(NotTaken::declined());
    }
    let prepared = prepare(call);
    let (mut marks, set) = call.agreed(0, prepared)?;
    let environment = call.environment();
    let (rows, among) = (call.lines(0, LineOrder::Columns)?, call.bits(1)?.limbs());
    set.mark(rows, among, marks.limbs_mut(), &environment)?;
    call.put_part(3, marks, 0)
}

fn prepare(call: &mut IntrinsicCall) -> IntrinsicResult<(BitVector, WordSet)> {
    let [m, _] = call.table_size(2)?;
    call.transpose(0, LineOrder::Columns)?;
    call.transpose(2, LineOrder::Columns)?;
    let marks = call.reserve_part(3, 0)?;
    call.reserve(WordSet::n_bytes(m))?;
    let set = WordSet::of_rows(call.lines(2, LineOrder::Columns)?, &call.environment())?;
    Ok((marks, set))
}
