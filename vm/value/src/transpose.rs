//! Transpose of blocks of 64 × 64 bits.

/// 64 × 64 bits.
pub type Block = [u64; 64];

/// The bits whose index has a zero at bit `1 << step`.
const MASKS: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// Exchanges the upper bits of `low` with the lower bits of `high`, in groups of `1 << step` bits.
#[inline(always)]
fn exchange(low: u64, high: u64, step: usize) -> (u64, u64) {
    let swapped = (low >> (1 << step) ^ high) & MASKS[step];
    (low ^ swapped << (1 << step), high ^ swapped)
}

/// Performs three steps, `top` the highest of them, on limbs whose indices differ in these bits.
#[inline(always)]
pub fn three_steps([a, b, c, d, e, f, g, h]: [u64; 8], top: usize) -> [u64; 8] {
    let (a, e) = exchange(a, e, top);
    let (b, f) = exchange(b, f, top);
    let (c, g) = exchange(c, g, top);
    let (d, h) = exchange(d, h, top);
    let (a, c) = exchange(a, c, top - 1);
    let (b, d) = exchange(b, d, top - 1);
    let (e, g) = exchange(e, g, top - 1);
    let (f, h) = exchange(f, h, top - 1);
    let (a, b) = exchange(a, b, top - 2);
    let (c, d) = exchange(c, d, top - 2);
    let (e, f) = exchange(e, f, top - 2);
    let (g, h) = exchange(g, h, top - 2);
    [a, b, c, d, e, f, g, h]
}

/// Transposes a block: bit i of limb k becomes bit k of limb i.
#[inline(always)]
pub fn transpose_block(block: &mut Block) {
    for idx in 0..8 {
        let limbs = std::array::from_fn(|k| block[idx + 8 * k]);
        for (k, limb) in three_steps(limbs, 5).into_iter().enumerate() {
            block[idx + 8 * k] = limb;
        }
    }
    for limbs in block.as_chunks_mut::<8>().0 {
        *limbs = three_steps(*limbs, 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use star_base::Random;

    #[test]
    fn bits_change_places_with_their_limbs() {
        let mut random = Random::new(64);
        let block: Block = std::array::from_fn(|_| random.next_u64());
        let mut transposed = block;
        transpose_block(&mut transposed);
        for (k, limb) in block.into_iter().enumerate() {
            for (i, other) in transposed.into_iter().enumerate() {
                assert_eq!(limb >> i & 1, other >> k & 1, "bit {i} of limb {k}");
            }
        }
    }
}
