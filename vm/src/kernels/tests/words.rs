use super::*;

#[test]
fn comparison_agrees_with_the_bits() {
    everywhere(|len, rarity, random| {
        let v = random_bits(random, len, rarity);
        let mut w = v.clone();
        for _ in 0..3 {
            for kernels in kernels() {
                assert_eq!(kernels.compare(&pack(&v), &pack(&w)), v.cmp(&w), "{kernels:?}");
                assert_eq!(kernels.compare(&pack(&w), &pack(&v)), w.cmp(&v), "{kernels:?}");
            }
            if len > 0 {
                w[random.below(len)] ^= true;
            }
        }
    });
}

/// Returns sum and carry, or difference and borrow, computed digit by digit.
fn ripple(v: &[bool], w: &[bool], borrow: bool) -> (Vec<bool>, bool) {
    let mut digits = vec![false; v.len()];
    let mut carry = false;
    for i in (0..v.len()).rev() {
        digits[i] = v[i] ^ w[i] ^ carry;
        let x = v[i] != borrow;
        carry = (x && w[i]) || (carry && (x || w[i]));
    }
    (digits, carry)
}

#[test]
fn sums_and_differences() {
    everywhere(|len, rarity, random| {
        let dense: Vec<bool> = random_bits(random, len, rarity).iter().map(|bit| !bit).collect();
        for (v, w) in [
            (random_bits(random, len, 1), random_bits(random, len, rarity)),
            (dense, random_bits(random, len, rarity)),
        ] {
            let (sum, carry) = ripple(&v, &w, false);
            let (difference, borrow) = ripple(&v, &w, true);
            assert_eq!(borrow, v < w);
            for kernels in kernels() {
                let mut dst = dirty(len);
                assert_eq!(
                    kernels.add(&mut dst, &pack(&v), &pack(&w), len, false),
                    carry,
                    "{kernels:?}"
                );
                assert_eq!(dst, pack(&sum), "{len} {kernels:?}");
                // In two parts, the end first.
                let at = random.below(dst.len() + 1);
                let (v_limbs, w_limbs) = (pack(&v), pack(&w));
                let mut part = dirty(len);
                let (begin, end) = part.split_at_mut(at);
                let n_end = len.saturating_sub(64 * at);
                let carried = kernels.add(end, &v_limbs[at..], &w_limbs[at..], n_end, false);
                kernels.add(begin, &v_limbs, &w_limbs, len - n_end, carried);
                assert_eq!(part, dst, "{at} limbs of {len} bits {kernels:?}");
                let mut dst = dirty(len);
                assert_eq!(
                    kernels.sub(&mut dst, &pack(&v), &pack(&w), len, false),
                    borrow,
                    "{kernels:?}"
                );
                assert_eq!(dst, pack(&difference), "{len} {kernels:?}");
                let (begin, end) = part.split_at_mut(at);
                let borrowed = kernels.sub(end, &v_limbs[at..], &w_limbs[at..], n_end, false);
                kernels.sub(begin, &v_limbs, &w_limbs, len - n_end, borrowed);
                assert_eq!(part, dst, "{at} limbs of {len} bits {kernels:?}");
            }
        }
    });
}

#[test]
fn numbers_and_words() {
    let mut random = Random::new(3);
    for len in LENGTHS.into_iter().chain(60..70) {
        for digits in [0, 1, 2, 31, 32, 62, 63, 64, 65, 66] {
            let mut w = vec![false; len];
            let start = len.saturating_sub(digits);
            for (i, bit) in w.iter_mut().enumerate().skip(start) {
                *bit = i == start || random.next_u64() & 1 == 1;
            }
            let value = if len - start > 63 {
                None
            } else {
                Some(w[start..].iter().fold(0, |sum, &bit| sum << 1 | i64::from(bit)))
            };
            for kernels in kernels() {
                assert_eq!(kernels.to_int(&pack(&w), len), value, "{digits} of {len} {kernels:?}");
                if let Some(value) = value {
                    let mut dst = dirty(len);
                    kernels.from_int(&mut dst, value, len);
                    assert_eq!(dst, pack(&w), "{value} in {len} {kernels:?}");
                }
            }
        }
    }
}
