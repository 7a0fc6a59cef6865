//! FLOYD, by [`min_plus_closure`].

use star_natives::min_plus::{NONE, min_plus_closure};
use star_natives::{InterruptPoller, Lines, read_numbers, write_numbers};

use super::{NativeCall, NativeResult, NotTaken};

/// `FLOYD(n,h,inf,D)`
pub(super) fn min_plus(call: &mut NativeCall) -> NativeResult {
    let (n, h) = (call.size(0)?, call.size(1)?);
    if n == 0 {
        return Ok(());
    }
    if !(1..=32).contains(&h) || call.bits(2)?.count_ones() != h as u64 {
        return Err(NotTaken::declined());
    }
    call.turn(3, Lines::Columns)?;
    // The lengths, a block of lines, and a field.
    let n_lines = (n as u64).saturating_add(65);
    call.reserve((n as u64).saturating_mul(n_lines).saturating_mul(4))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let mut lengths: Vec<u32> = Vec::new();
    lengths.try_reserve_exact(n * n).map_err(|_| NotTaken::declined())?;
    let inf = u32::MAX >> (32 - h);
    let (mut greatest, mut is_open) = (0, false);
    // A field for each vertex: the lengths to it.
    for to in 0..n {
        let field = read_numbers(call.lines(3, Lines::Columns)?, to * h, h, &mut poller)?;
        is_open |= field[to] == inf;
        for length in field {
            lengths.push(if length == inf { NONE } else { length });
            greatest = if length == inf { greatest } else { greatest.max(length) };
        }
    }
    // A path has so many arcs at most; a cycle has one more, and counts where there was no way from a vertex to itself.
    let n_arcs = if is_open { n } else { (n - 1).max(1) };
    if u128::from(greatest) * n_arcs as u128 >= u128::from(NONE).min(1 << (h - 1)) {
        return Err(NotTaken::declined());
    }
    call.own(3, Some(Lines::Columns))?;
    min_plus_closure(&mut lengths, n, &environment)?;
    call.change_lines(3, |lines, _, _| {
        for (to, field) in lengths.chunks_mut(n).enumerate() {
            for length in &mut *field {
                *length = if *length == NONE { inf } else { *length };
            }
            write_numbers(lines, to * h, h, field, &mut poller)?;
        }
        Ok(())
    })
}
