//! Moves of bits: shifts, rotation, parts.

use star_value::bits::zero_tail;

use super::n_limbs;

/// Returns 64 bits from `bit` on, zeros beyond the end.
#[inline(always)]
pub(super) fn read(src: &[u64], bit: usize) -> u64 {
    let (idx, shift) = (bit / 64, bit % 64);
    let low = src.get(idx).map_or(0, |limb| limb >> shift);
    if shift == 0 { low } else { low | src.get(idx + 1).map_or(0, |limb| limb << (64 - shift)) }
}

/// Sets `dst` to the bits of `src` from `bit` on, zeros beyond the end.
#[inline(always)]
fn funnel(dst: &mut [u64], src: &[u64], bit: usize) {
    let shift = bit % 64;
    let src = src.get(bit / 64..).unwrap_or_default();
    if shift == 0 {
        let n = dst.len().min(src.len());
        dst[..n].copy_from_slice(&src[..n]);
        dst[n..].fill(0);
        return;
    }
    let n = dst.len().min(src.len().saturating_sub(1));
    let (whole, rest) = dst.split_at_mut(n);
    for ((d, &low), &high) in whole.iter_mut().zip(src).zip(src.get(1..).unwrap_or_default()) {
        *d = low >> shift | high << (64 - shift);
    }
    if let Some((next, beyond)) = rest.split_first_mut() {
        *next = src.get(n).map_or(0, |limb| limb >> shift);
        beyond.fill(0);
    }
}

/// Sets `dst` to `src` shifted by `shift` below 64 bits towards the end, dropping the last bits.
/// Bits `keep` enter the first limb.
#[inline(always)]
fn lift(dst: &mut [u64], src: &[u64], shift: usize, keep: u64) {
    let n = dst.len();
    let (Some((next, rest)), Some(&limb)) = (dst.split_first_mut(), src.first()) else { return };
    *next = limb << shift | keep;
    if shift == 0 {
        rest.copy_from_slice(&src[1..n]);
        return;
    }
    for ((d, &low), &high) in rest.iter_mut().zip(&src[..n]).zip(&src[1..n]) {
        *d = high << shift | low >> (64 - shift);
    }
}

#[inline(always)]
pub(super) fn shift_up(dst: &mut [u64], a: &[u64], len: usize, by: usize) {
    funnel(&mut dst[..n_limbs(len)], &a[..n_limbs(len)], by.min(n_limbs(len) * 64));
}

#[inline(always)]
pub(super) fn shift_down(dst: &mut [u64], a: &[u64], len: usize, by: usize) {
    let dst = &mut dst[..n_limbs(len)];
    if by >= len {
        dst.fill(0);
        return;
    }
    let (zeros, rest) = dst.split_at_mut(by / 64);
    zeros.fill(0);
    lift(rest, a, by % 64, 0);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn rotate(dst: &mut [u64], a: &[u64], len: usize, by: usize) {
    if len == 0 {
        return;
    }
    let (dst, a) = (&mut dst[..n_limbs(len)], &a[..n_limbs(len)]);
    let by = by % len;
    // The last `by` bits come first; then zeros, as beyond the length, up to the end of a limb.
    let border = by / 64;
    funnel(&mut dst[..=border], a, len - by);
    let keep = if by.is_multiple_of(64) { 0 } else { dst[border] };
    lift(&mut dst[border..], a, by % 64, keep);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn mirror(dst: &mut [u64], a: &[u64], len: usize) {
    let n = n_limbs(len);
    let (dst, a) = (&mut dst[..], &a[..n]);
    let shift = n * 64 - len;
    if shift == 0 {
        for (d, &limb) in dst.iter_mut().zip(a.iter().rev()) {
            *d = limb.reverse_bits();
        }
        return;
    }
    let low = a.iter().rev().skip(1);
    for ((d, &high), &low) in dst.iter_mut().zip(a.iter().rev()).zip(low) {
        *d = (high << shift | low >> (64 - shift)).reverse_bits();
    }
    if let Some(last) = dst.get_mut(n - 1) {
        *last = (a[0] << shift).reverse_bits();
    }
}

/// Moves bit i of the lower half to bit 2i.
#[inline(always)]
fn spread(x: u64) -> u64 {
    let x = x & 0xffff_ffff;
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

#[inline(always)]
fn interleave(x: u64, y: u64) -> [u64; 2] {
    [spread(x) | spread(y) << 1, spread(x >> 32) | spread(y >> 32) << 1]
}

/// Returns limb `idx` of the shuffle of two halves of `half` bits.
#[inline(always)]
fn shuffled(a: &[u64], half: usize, idx: usize) -> u64 {
    let at = 32 * idx;
    let n = half.saturating_sub(at).min(32);
    let x = read(a, at) & !(!0 << n);
    spread(x) | spread(read(a, half + at)) << 1
}

#[inline(always)]
pub(super) fn shuffle(dst: &mut [u64], a: &[u64], len: usize, start: usize) {
    debug_assert!(len.is_multiple_of(2), "a shuffle of {len} bits");
    let (half, a) = (len / 2, &a[..n_limbs(len)]);
    let (head, dst) = dst.split_at_mut((start % 2).min(dst.len()));
    for d in head {
        *d = shuffled(a, half, start);
    }
    // Pairs of limbs that use whole limbs of the first half.
    let from = start.div_ceil(2);
    let n_pairs = (half / 64).saturating_sub(from).min(dst.len() / 2);
    let (pairs, tail) = dst.split_at_mut(2 * n_pairs);
    let (pairs, _) = pairs.as_chunks_mut::<2>();
    let first = a.get(from..).unwrap_or_default();
    let second = a.get(half / 64 + from..).unwrap_or_default();
    let shift = half % 64;
    if shift == 0 {
        for ((pair, &x), &y) in pairs.iter_mut().zip(first).zip(second) {
            *pair = interleave(x, y);
        }
    } else {
        let next = second.get(1..).unwrap_or_default();
        for (((pair, &x), &low), &high) in pairs.iter_mut().zip(first).zip(second).zip(next) {
            *pair = interleave(x, low >> shift | high << (64 - shift));
        }
    }
    for (idx, d) in tail.iter_mut().enumerate() {
        *d = shuffled(a, half, 2 * (from + n_pairs) + idx);
    }
}

#[inline(always)]
pub(super) fn copy_bits(dst: &mut [u64], dst_bit: usize, src: &[u64], src_bit: usize, n: usize) {
    if n == 0 {
        return;
    }
    let end = dst_bit + n - 1;
    let (first, last, shift) = (dst_bit / 64, end / 64, dst_bit % 64);
    let head = !0 << shift;
    let tail = !0 >> (63 - end % 64);
    let bits = read(src, src_bit) << shift;
    if first == last {
        dst[first] = dst[first] & !(head & tail) | bits & head & tail;
        return;
    }
    dst[first] = dst[first] & !head | bits;
    let next = src_bit + 64 - shift;
    funnel(&mut dst[first + 1..last], src, next);
    let bits = read(src, next + 64 * (last - first - 1));
    dst[last] = dst[last] & !tail | bits & tail;
}
