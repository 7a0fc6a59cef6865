//! WARSHALL and its variants, in place, on the form that the table is at home in.

use star_natives::{Closing, InterruptPoller};

use super::{NativeCall, NativeResult, NotTaken};

/// `WARSHALL(n,P)`
pub(super) fn closure(call: &mut NativeCall) -> NativeResult {
    let n = call.size(0)?;
    if n == 0 {
        return Ok(());
    }
    // Vertices are numbered in 32 bits.
    if u32::try_from(n).is_err() {
        return Err(NotTaken::declined());
    }
    let [n_rows, n_cols] = call.table_size(1)?;
    call.reserve(Closing::n_bytes(n, n_rows.max(n_cols).div_ceil(64)))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let (lines, _) = call.home(1)?;
    let mut closing = Closing::find(lines, n, &mut poller)?;
    // A table that others have too is copied, but only if anything changes in it.
    if !closing.next(lines, &mut poller)? {
        return Ok(());
    }
    call.own(1, None)?;
    call.change_lines(1, |lines, _, _| Ok(closing.close(lines, &mut poller)?))
}
