//! Sums of columns with a carry: see Note [Adders] in `crate::tape::adder`.

/// Maximum number of columns that are added at once.
pub const ADDED_AT_ONCE: usize = 4;

/// Limbs of a group, which is a cache line.
const GROUP: usize = 8;

/// A sum under the mask, and the carry; `flip` is all ones for a borrow.
#[inline(always)]
fn one(x: u64, y: u64, carry: u64, mask: u64, flip: u64) -> (u64, u64) {
    let sum = (x ^ y ^ carry) & mask;
    let x = x ^ flip;
    (sum, x & y | x & carry | y & carry)
}

#[inline(always)]
pub(super) fn add_columns(
    n_columns: usize,
    is_borrow: bool,
    carry: &mut [u64],
    mask: Option<&[u64]>,
    of: [[&[u64]; 2]; ADDED_AT_ONCE],
    to: &mut [&mut [u64]; ADDED_AT_ONCE],
) {
    let flip = if is_borrow { !0 } else { 0 };
    match n_columns {
        1 => columns::<1>(flip, carry, mask, of, to),
        2 => columns::<2>(flip, carry, mask, of, to),
        3 => columns::<3>(flip, carry, mask, of, to),
        _ => columns::<ADDED_AT_ONCE>(flip, carry, mask, of, to),
    }
}

#[inline(always)]
fn columns<const N: usize>(
    flip: u64,
    carry: &mut [u64],
    mask: Option<&[u64]>,
    of: [[&[u64]; 2]; ADDED_AT_ONCE],
    to: &mut [&mut [u64]; ADDED_AT_ONCE],
) {
    let n = carry.len();
    let of: [[&[u64]; 2]; N] = std::array::from_fn(|at| of[at].map(|of| &of[..n]));
    let whole = of.map(|pair| pair.map(|of| of.as_chunks::<GROUP>().0));
    let masks = mask.map(|mask| mask[..n].as_chunks::<GROUP>());
    let (carries, rest) = carry.as_chunks_mut::<GROUP>();
    let n_groups = carries.len();
    let mut sums = to.iter_mut().map(|to| &mut to[..]);
    let mut sums: [(&mut [[u64; GROUP]], &mut [u64]); N] = std::array::from_fn(|_| {
        let to = sums.next().unwrap_or_default();
        to[..n].as_chunks_mut::<GROUP>()
    });
    let whole = whole.map(|pair| pair.map(|of| &of[..n_groups]));
    for (group, carry) in carries.iter_mut().enumerate() {
        let mask = masks.map_or([!0; GROUP], |(masks, _)| masks[group]);
        let mut carried = *carry;
        for (pair, (sums, _)) in whole.iter().zip(&mut sums) {
            // See Note [Vector loops] in `lut`.
            let (x, y) = (pair[0][group], pair[1][group]);
            let mut made = [0; GROUP];
            for idx in 0..GROUP {
                (made[idx], carried[idx]) = one(x[idx], y[idx], carried[idx], mask[idx], flip);
            }
            sums[group] = made;
        }
        *carry = carried;
    }
    let first = n_groups * GROUP;
    for (idx, carry) in rest.iter_mut().enumerate() {
        let mask = masks.map_or(!0, |(_, mask)| mask[idx]);
        for (pair, (_, sums)) in of.iter().zip(&mut sums) {
            let [x, y] = pair.map(|of| of[first + idx]);
            (sums[idx], *carry) = one(x, y, *carry, mask, flip);
        }
    }
}
