use super::*;

fn ones(bits: &[bool]) -> u64 {
    bits.iter().filter(|&&bit| bit).count() as u64
}

fn place(bits: &[bool]) -> Option<usize> {
    bits.iter().position(|&bit| bit)
}

#[test]
fn reductions_of_one_operand() {
    everywhere(|len, rarity, random| {
        let a = random_bits(random, len, rarity);
        let limbs = pack(&a);
        let start = random.below(len + 70);
        let from = (start..len).find(|&i| a[i]);
        for kernels in kernels() {
            assert_eq!(kernels.count(&limbs), ones(&a), "{kernels:?}");
            assert_eq!(kernels.all(&limbs, len), !a.contains(&false), "{kernels:?}");
            assert_eq!(kernels.first_from(&limbs, 0), place(&a), "{kernels:?}");
            assert_eq!(kernels.first_from(&limbs, start), from, "{start} {kernels:?}");
            let nonzero: Vec<u64> =
                (0..limbs.len() as u64).filter(|i| limbs[*i as usize] != 0).collect();
            let mut list = vec![DIRT; nonzero.len()];
            assert_eq!(kernels.list_nonzero(&limbs, &mut list), Some(nonzero.len()), "{kernels:?}");
            assert_eq!(list, nonzero, "{kernels:?}");
            if let Some((_, less)) = list.split_last_mut() {
                assert_eq!(kernels.list_nonzero(&limbs, less), None, "{kernels:?}");
            }
        }
    });
}

#[test]
fn a_single_one_is_found_at_every_position() {
    at_all_lengths(|len, _, random| {
        if len == 0 {
            return;
        }
        let at = random.below(len);
        let mut a = vec![false; len];
        a[at] = true;
        let zeros = pack(&vec![false; len]);
        let limbs = pack(&a);
        for kernels in kernels() {
            assert_eq!(kernels.first_from(&limbs, 0), Some(at));
            assert_eq!(kernels.first_from(&zeros, 0), None);
            assert!(kernels.equal(&limbs, &limbs) && !kernels.equal(&limbs, &zeros));
            let mut inverted = zeros.clone();
            kernels.not(&mut inverted, &limbs, len);
            assert!(!kernels.all(&inverted, len));
            kernels.not(&mut inverted, &zeros, len);
            assert!(kernels.all(&inverted, len));
        }
    });
}

#[test]
fn equality() {
    everywhere(|len, rarity, random| {
        let (a, b) = (random_bits(random, len, rarity), random_bits(random, len, rarity));
        for kernels in kernels() {
            assert_eq!(kernels.equal(&pack(&a), &pack(&b)), a == b, "{kernels:?}");
        }
    });
}
