use super::*;

#[test]
fn shifts_and_rotations() {
    everywhere(|len, rarity, random| {
        let a = random_bits(random, len, rarity);
        let limbs = pack(&a);
        let distances = [0, 1, 63, 64, 65, len / 2, len.saturating_sub(1), len, len + 1, len + 200];
        for by in distances.into_iter().chain([random.below(len + 1)]) {
            let up: Vec<bool> = (0..len).map(|i| a.get(i + by).is_some_and(|&bit| bit)).collect();
            let down: Vec<bool> =
                (0..len).map(|i| i.checked_sub(by).is_some_and(|from| a[from])).collect();
            let mut rotated = vec![false; len];
            for (i, &bit) in a.iter().enumerate() {
                rotated[(i + by) % len] = bit;
            }
            for kernels in kernels() {
                let mut dst = dirty(len);
                kernels.shift_up(&mut dst, &limbs, len, by);
                assert_eq!(dst, pack(&up), "up by {by} of {len} {kernels:?}");
                let mut dst = dirty(len);
                kernels.shift_down(&mut dst, &limbs, len, by);
                assert_eq!(dst, pack(&down), "down by {by} of {len} {kernels:?}");
                let mut dst = dirty(len);
                kernels.rotate(&mut dst, &limbs, len, by);
                assert_eq!(dst, pack(&rotated), "rotated by {by} of {len} {kernels:?}");
            }
        }
        for kernels in kernels() {
            let mut dst = dirty(len);
            kernels.shift_up(&mut dst, &limbs, len, usize::MAX);
            assert_eq!(dst, pack(&vec![false; len]));
            let mut dst = dirty(len);
            kernels.shift_down(&mut dst, &limbs, len, usize::MAX);
            assert_eq!(dst, pack(&vec![false; len]));
        }
    });
}

#[test]
fn mirror_and_shuffle() {
    everywhere(|len, rarity, random| {
        let a = random_bits(random, len, rarity);
        let mirrored: Vec<bool> = a.iter().rev().copied().collect();
        let even = &a[..len & !1];
        let half = even.len() / 2;
        let shuffled: Vec<bool> =
            (0..even.len()).map(|i| even[if i % 2 == 0 { i / 2 } else { half + i / 2 }]).collect();
        for kernels in kernels() {
            let mut dst = dirty(len);
            kernels.mirror(&mut dst, &pack(&a), len);
            assert_eq!(dst, pack(&mirrored), "{len} {kernels:?}");
            let first = random.below(dst.len() + 1);
            let mut part = dirty(64 * first);
            kernels.mirror(&mut part, &pack(&a), len);
            assert_eq!(part, dst[..first], "{first} limbs of {len} bits {kernels:?}");
            let mut dst = dirty(even.len());
            kernels.shuffle(&mut dst, &pack(even), even.len(), 0);
            assert_eq!(dst, pack(&shuffled), "{len} {kernels:?}");
            let start = random.below(dst.len() + 1);
            let end = start + random.below(dst.len() - start + 1);
            let mut part = dirty(64 * (end - start));
            kernels.shuffle(&mut part, &pack(even), even.len(), start);
            assert_eq!(part, dst[start..end], "limbs {start}..{end} of {len} bits {kernels:?}");
        }
    });
}

#[test]
fn copy_bits_leaves_other_bits_unchanged() {
    everywhere(|len, rarity, random| {
        let src = random_bits(random, len, rarity);
        let other_len = random.below(700) + 1;
        let before = random_bits(random, other_len, 1);
        for _ in 0..8 {
            let (src_bit, dst_bit) = (random.below(len + 1), random.below(other_len + 1));
            let longest = (len - src_bit).min(other_len - dst_bit);
            for n in [0, longest, random.below(longest + 1), longest.min(64), longest.min(3)] {
                let mut after = before.clone();
                after[dst_bit..dst_bit + n].copy_from_slice(&src[src_bit..src_bit + n]);
                for kernels in kernels() {
                    let mut dst = pack(&before);
                    kernels.copy_bits(&mut dst, dst_bit, &pack(&src), src_bit, n);
                    assert_eq!(dst, pack(&after), "{n} from {src_bit} to {dst_bit} {kernels:?}");
                }
            }
        }
    });
}
