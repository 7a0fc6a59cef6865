//! Narrowing a slice by several columns at once.

use super::lut::Sums;

/// Number of columns by which a slice is narrowed at once.
pub const NARROWED_AT_ONCE: usize = 8;

/// Functions of one bit, which is passed as both operands of [`narrow`].
const SAME: u8 = 0b1000;
const NOT: u8 = 0b0001;
/// Whether both bits are the same.
const EQUAL: u8 = 0b1001;

#[inline(always)]
pub(super) fn narrow(
    slice: &mut [u64],
    of: [[&[u64]; 2]; NARROWED_AT_ONCE],
    tables: [u8; NARROWED_AT_ONCE],
) {
    let n = slice.len();
    let of = of.map(|pair| pair.map(|operand| &operand[..n]));
    // In MATCH each column must be ones, or zeros: two loops over the columns suffice then, and
    // each column costs only one instruction.
    let are_single = of.iter().all(|[x, y]| std::ptr::eq(*x, *y));
    if are_single && tables.iter().all(|table| matches!(table & 0b1001, SAME | NOT)) {
        // The columns that must be ones, then those that must be zeros.
        let (mut sorted, mut n_ones) = ([of[0][0]; NARROWED_AT_ONCE], 0);
        for ([x, _], _) in of.iter().zip(tables).filter(|(_, table)| table & 0b1001 == SAME) {
            sorted[n_ones] = x;
            n_ones += 1;
        }
        let zeros = of.iter().zip(tables).filter(|(_, table)| table & 0b1001 == NOT);
        for (to, ([x, _], _)) in sorted[n_ones..].iter_mut().zip(zeros) {
            *to = x;
        }
        match n_ones {
            0 => by::<0>(slice, sorted),
            1 => by::<1>(slice, sorted),
            2 => by::<2>(slice, sorted),
            3 => by::<3>(slice, sorted),
            4 => by::<4>(slice, sorted),
            5 => by::<5>(slice, sorted),
            6 => by::<6>(slice, sorted),
            7 => by::<7>(slice, sorted),
            _ => by::<8>(slice, sorted),
        }
        return;
    }
    if tables == [EQUAL; NARROWED_AT_ONCE] {
        for idx in 0..n {
            let mut differ = 0;
            for [x, y] in &of {
                differ |= x[idx] ^ y[idx];
            }
            slice[idx] &= !differ;
        }
        return;
    }
    let keep = tables.map(Sums::of);
    for idx in 0..n {
        let mut ones = slice[idx];
        for at in 0..NARROWED_AT_ONCE {
            ones &= keep[at].two(of[at][0][idx], of[at][1][idx]);
        }
        slice[idx] = ones;
    }
}

/// The first N must be ones, the others zeros.
#[inline(always)]
fn by<const N: usize>(slice: &mut [u64], of: [&[u64]; NARROWED_AT_ONCE]) {
    let n = slice.len();
    let of = of.map(|operand| &operand[..n]);
    for idx in 0..n {
        let (mut ones, mut zeros) = (slice[idx], 0);
        for operand in &of[..N] {
            ones &= operand[idx];
        }
        for operand in &of[N..] {
            zeros |= operand[idx];
        }
        slice[idx] = ones & !zeros;
    }
}
