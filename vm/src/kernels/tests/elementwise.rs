use star_ir::LogicOp;

use super::*;

pub(super) const OPS: [LogicOp; 3] = [LogicOp::And, LogicOp::Or, LogicOp::Xor];

pub(super) fn model(op: LogicOp, x: bool, y: bool) -> bool {
    match op {
        LogicOp::And => x && y,
        LogicOp::Or => x || y,
        LogicOp::Xor => x != y,
    }
}

pub(super) fn model2(op: LogicOp, a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&x, &y)| model(op, x, y)).collect()
}

#[test]
fn logic_of_two_operands() {
    everywhere(|len, rarity, random| {
        let (a, b) = (random.bits(len, rarity), random.bits(len, 1));
        for op in OPS {
            let expected = pack(&model2(op, &a, &b));
            for kernels in kernels() {
                let mut dst = dirty(len);
                kernels.logic(op, &mut dst, &pack(&a), &pack(&b));
                assert_eq!(dst, expected, "{op:?} {kernels:?}");
                let mut dst = pack(&a);
                kernels.logic_assign(op, &mut dst, &pack(&b));
                assert_eq!(dst, expected, "{op:?} {kernels:?}");
            }
        }
    });
}

#[test]
fn every_function_of_two_bits() {
    at_all_lengths(|len, rarity, random| {
        let (a, b) = (random.bits(len, rarity), random.bits(len, 1));
        for table in 0..16 {
            let bits: Vec<bool> = (0..len)
                .map(|i| table >> (usize::from(a[i]) << 1 | usize::from(b[i])) & 1 == 1)
                .collect();
            for kernels in kernels() {
                let mut dst = dirty(len);
                kernels.logic2(table, &mut dst, &pack(&a), &pack(&b), len);
                assert_eq!(dst, pack(&bits), "{table:04b} {kernels:?}");
                let mut dst = pack(&a);
                kernels.logic2_assign(table, &mut dst, &pack(&b), len);
                assert_eq!(dst, pack(&bits), "{table:04b} {kernels:?}");
            }
        }
    });
}

#[test]
fn two_operations_in_one_pass() {
    everywhere(|len, rarity, random| {
        let [a, b, c] = [rarity, 1, 1].map(|rarity| random.bits(len, rarity));
        for inner in OPS {
            for outer in OPS {
                let expected = pack(&model2(outer, &model2(inner, &a, &b), &c));
                for kernels in kernels() {
                    let mut dst = dirty(len);
                    kernels.logic_logic(inner, outer, &mut dst, &pack(&a), &pack(&b), &pack(&c));
                    assert_eq!(dst, expected, "{inner:?} {outer:?} {kernels:?}");
                }
            }
        }
    });
}

#[test]
fn chains_of_functions() {
    everywhere(|len, rarity, random| {
        let start = random.bits(len, rarity);
        let operands: Vec<Vec<bool>> = (0..6).map(|_| random.bits(len, 1)).collect();
        let packed: Vec<Vec<u64>> = operands.iter().map(|bits| pack(bits)).collect();
        for n_links in 0..=operands.len() {
            let tables: Vec<u8> = (0..n_links).map(|_| random.below(16) as u8).collect();
            let mut bits = start.clone();
            for (table, operand) in tables.iter().zip(&operands) {
                for (bit, b) in bits.iter_mut().zip(operand) {
                    *bit = table >> (u8::from(*bit) * 2 + u8::from(*b)) & 1 == 1;
                }
            }
            let links = tables.iter().zip(&packed).map(|(table, operand)| (*table, &operand[..]));
            let links: Vec<(u8, &[u64])> = links.collect();
            for kernels in kernels() {
                let mut dst = pack(&start);
                kernels.chain(&mut dst, &links, len);
                assert_eq!(dst, pack(&bits), "{tables:?} {kernels:?}");
            }
        }
    });
}

#[test]
fn not_fill_and_mask() {
    everywhere(|len, rarity, random| {
        let a = random.bits(len, rarity);
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
