use star_ir::LogicOp;

use super::*;

const OPS: [LogicOp; 3] = [LogicOp::And, LogicOp::Or, LogicOp::Xor];

fn model(op: LogicOp, x: bool, y: bool) -> bool {
    match op {
        LogicOp::And => x && y,
        LogicOp::Or => x || y,
        LogicOp::Xor => x != y,
    }
}

fn model2(op: LogicOp, a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&x, &y)| model(op, x, y)).collect()
}

#[test]
fn logic_in_place() {
    everywhere(|len, rarity, random| {
        let (a, b) = (random_bits(random, len, rarity), random_bits(random, len, 1));
        for op in OPS {
            let expected = pack(&model2(op, &a, &b));
            for kernels in kernels() {
                let mut dst = pack(&a);
                kernels.logic_assign(op, &mut dst, &pack(&b));
                assert_eq!(dst, expected, "{op:?} {kernels:?}");
            }
        }
    });
}

/// Returns the bits that a truth table yields for the operands.
fn looked_up<const N: usize>(table: u8, operands: [&[bool]; N]) -> Vec<bool> {
    let value = |at: usize| operands.iter().fold(0, |idx, bits| idx << 1 | u8::from(bits[at]));
    (0..operands[0].len()).map(|at| table >> value(at) & 1 == 1).collect()
}

#[test]
fn every_function_of_one_and_two_bits() {
    at_all_lengths(|len, rarity, random| {
        let (a, b) = (random_bits(random, len, rarity), random_bits(random, len, 1));
        for table in 0..16 {
            let bits = looked_up(table, [&a, &b]);
            let ones = bits.iter().filter(|bit| **bit).count() as u64;
            for kernels in kernels() {
                let mut dst = dirty(len);
                kernels.lut2(table, &mut dst, &pack(&a), &pack(&b), len);
                assert_eq!(dst, pack(&bits), "{table:04b} {kernels:?}");
                let mut dst = pack(&a);
                kernels.lut2_assign(table, &mut dst, &pack(&b), len);
                assert_eq!(dst, pack(&bits), "{table:04b} {kernels:?}");
                if table & 1 == 0 {
                    assert_eq!(kernels.count_lut2(table, &pack(&a), &pack(&b)), ones);
                    let first = bits.iter().position(|bit| *bit);
                    assert_eq!(kernels.first_lut2(table, &pack(&a), &pack(&b)), first);
                }
                let mut dst = dirty(len);
                kernels.lut1(table, &mut dst, &pack(&a), len);
                assert_eq!(dst, pack(&looked_up(table & 3, [&a])), "{table:04b} {kernels:?}");
            }
        }
    });
}

#[test]
fn every_function_of_three_bits() {
    at_all_lengths(|len, rarity, random| {
        let [a, b, c] = [rarity, 1, 1].map(|rarity| random_bits(random, len, rarity));
        for table in 0..=255 {
            let bits = pack(&looked_up(table, [&a, &b, &c]));
            for kernels in kernels() {
                let mut dst = dirty(len);
                kernels.lut3(table, &mut dst, &pack(&a), &pack(&b), &pack(&c), len);
                assert_eq!(dst, bits, "{table:08b} {kernels:?}");
            }
        }
    });
}

#[test]
fn not_fill_and_mask() {
    everywhere(|len, rarity, random| {
        let a = random_bits(random, len, rarity);
        let inverted: Vec<bool> = a.iter().map(|bit| !bit).collect();
        let (x, y) = (random.below(len + 1), random.below(len + 1));
        let ones = x.min(y)..x.max(y);
        let marked: Vec<bool> = (0..len).map(|i| ones.contains(&i)).collect();
        for kernels in kernels() {
            let mut dst = dirty(len);
            kernels.not(&mut dst, &pack(&a), len);
            assert_eq!(dst, pack(&inverted), "{kernels:?}");
            for bit in [false, true] {
                let mut dst = dirty(len);
                kernels.fill(&mut dst, bit, len);
                assert_eq!(dst, pack(&vec![bit; len]), "{kernels:?}");
            }
            let mut dst = dirty(len);
            kernels.mask(&mut dst, len, ones.clone());
            assert_eq!(dst, pack(&marked), "{kernels:?}");
            kernels.mask(&mut dst, len, 0..len);
            assert_eq!(dst, pack(&vec![true; len]), "{kernels:?}");
        }
    });
}

/// Returns the number of groups without a one, after the given complement.
fn n_closed_of<'l>(groups: impl Iterator<Item = &'l [u64]>, is_complemented: bool) -> u64 {
    let zero = if is_complemented { u64::MAX } else { 0 };
    groups.filter(|group| group.iter().all(|limb| *limb == zero)).count() as u64
}

#[test]
fn every_conjunction_of_five_operands() {
    at_all_lengths(|len, rarity, random| {
        let operands = [rarity, 1, 1, 1, 1].map(|rarity| random_bits(random, len, rarity));
        for flags in 0..64_u8 {
            let flag = |at: usize| flags >> at & 1 == 1;
            let one = |bit: usize| {
                let mut operands = operands.iter().enumerate();
                operands.all(|(at, bits)| bits[bit] != flag(at)) != flag(5)
            };
            let bits = pack(&(0..len).map(one).collect::<Vec<bool>>());
            let packed = operands.each_ref().map(|bits| pack(bits));
            for kernels in kernels() {
                for guard in [None, Some(0), Some(usize::from(flags) % 5)] {
                    let of = packed.each_ref().map(|limbs| &limbs[..]);
                    let mut dst = dirty(len);
                    let n_closed = kernels.chain(flags, guard, &mut dst, of, len);
                    let groups = guard.map(|at| n_closed_of(of[at].chunks_exact(8), flag(at)));
                    assert_eq!(n_closed, groups.unwrap_or(0), "{flags:06b} {guard:?}");
                    assert_eq!(dst, bits, "{flags:06b} {guard:?} {kernels:?}");
                }
            }
        }
    });
}

#[test]
fn steps_of_a_cascade_with_every_function_of_one_and_two_bits() {
    at_all_lengths(|len, rarity, random| {
        let inputs = [(); 8].map(|()| random_bits(random, len, rarity));
        let (mask, found) = (random_bits(random, len, rarity), random_bits(random, len, rarity));
        for round in 0..40_usize {
            let tables: [u8; 4] = std::array::from_fn(|_| random.below(256) as u8);
            let flags = round as u8 & 3;
            let flag = |at: u8| flags >> at & 1 == 1;
            let is_single = round & 4 == 0;
            let of = |step: usize| [2 * step, if is_single { 2 * step } else { 2 * step + 1 }];
            let bit = |at: usize| {
                let (mut open, mut ones) = (mask[at] != flag(0), found[at] != flag(1));
                for (step, table) in tables.iter().enumerate() {
                    let idx = of(step).iter().fold(0, |idx, x| idx << 1 | u8::from(inputs[*x][at]));
                    ones |= open && table >> (idx + 4) & 1 == 1;
                    open &= table >> idx & 1 == 1;
                }
                (open != flag(0), ones != flag(1))
            };
            let (open, ones): (Vec<bool>, Vec<bool>) = (0..len).map(bit).unzip();
            let packed = inputs.each_ref().map(|bits| pack(bits));
            for kernels in kernels() {
                let (mut to_mask, mut to_found) = (pack(&mask), pack(&found));
                let of = std::array::from_fn(|step| of(step).map(|x| &packed[x][..]));
                let n_closed = kernels.cascade(flags, &mut to_mask, &mut to_found, of, tables, len);
                assert_eq!(n_closed, n_closed_of(pack(&mask).chunks_exact(8), flag(0)), "{flags}");
                assert_eq!(
                    (to_mask, to_found),
                    (pack(&open), pack(&ones)),
                    "{tables:?} {kernels:?}"
                );
            }
        }
    });
}

#[test]
fn a_slice_is_narrowed_by_every_function_of_one_and_two_bits() {
    at_all_lengths(|len, rarity, random| {
        let inputs = [(); 2 * NARROWED_AT_ONCE].map(|()| random_bits(random, len, rarity));
        let slice = random_bits(random, len, 0);
        for round in 0..20_usize {
            let tables = std::array::from_fn(|_| match round {
                // Columns of ones and of zeros; equal columns.
                0..8 => [0b1110, 0b0111][random.below(2)],
                8..10 => 0b1001,
                _ => random.below(16) as u8 | 0b0110,
            });
            let is_single = round & 1 == 0;
            let of = |step: usize| [2 * step, if is_single { 2 * step } else { 2 * step + 1 }];
            let bit = |at: usize| {
                slice[at]
                    && tables.iter().enumerate().all(|(step, table)| {
                        let idx =
                            of(step).iter().fold(0, |idx, x| idx << 1 | u8::from(inputs[*x][at]));
                        table >> idx & 1 == 1
                    })
            };
            let bits: Vec<bool> = (0..len).map(bit).collect();
            let packed = inputs.each_ref().map(|bits| pack(bits));
            for kernels in kernels() {
                let mut narrowed = pack(&slice);
                let of = std::array::from_fn(|step| of(step).map(|x| &packed[x][..]));
                kernels.narrow(&mut narrowed, of, tables);
                assert_eq!(narrowed, pack(&bits), "{tables:?} {kernels:?}");
            }
        }
    });
}

#[test]
fn functions_of_blocks_in_slots() {
    let mut random = Random::new(3);
    for table in 0..=255_u8 {
        for n in 0..=3_usize {
            let before = [(); 9].map(|()| [(); 8].map(|()| random.next_u64()));
            // The result may overlap an operand. Blocks 3 to 5 and 6 to 8 are those of three
            // iterations.
            let to = if table & 1 == 0 { 6 } else { 3 };
            let of = [BlockPlace::fixed(2), BlockPlace::of_iterations(3), BlockPlace::fixed(1)];
            let ways = [vec![BlockOp::new(table, &of[..n], BlockPlace::of_iterations(to))]];
            let wanted = |iteration: usize, limb: usize| {
                (0..64).fold(0, |made, bit| {
                    let of = [2, 3 + iteration, 1];
                    let digit = |block: usize| before[block][limb] >> bit & 1;
                    let idx = of[..n].iter().fold(0, |idx, block| idx << 1 | digit(*block));
                    made | u64::from(table >> idx & 1) << bit
                })
            };
            for (kernels, n_limbs) in kernels().flat_map(|k| [(k, 3), (k, 5)]) {
                let mut blocks = before;
                kernels.iterations(&ways, &[(0, 0), (7, 0), (1, 0)], &mut blocks, n_limbs);
                for iteration in 0..3 {
                    let made = &blocks[usize::from(to) + iteration][..n_limbs];
                    let wanted: Vec<u64> =
                        (0..n_limbs).map(|limb| wanted(iteration, limb)).collect();
                    assert_eq!(made, wanted, "{table:08b} of {n} {kernels:?}");
                }
            }
        }
    }
}
