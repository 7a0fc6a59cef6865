use star_ir::Sense;

use super::tables::Table;
use super::*;

#[test]
fn extremes_of_blocks_and_the_rows_that_hold_them() {
    let mut random = Random::new(10);
    for (n_rows, n_cols, block) in
        [(0, 5, 1), (1, 1, 1), (64, 0, 1), (65, 3, 1), (200, 12, 2), (1500, 7, 5), (5000, 65, 64)]
    {
        for rarity in [0, 1, 4, 12] {
            let mask = random_bits(&mut random, n_rows, rarity);
            let table = Table::random(&mut random, n_rows, n_cols, 1);
            let word = |row: usize| table.bits.iter().map(|column| column[row]).collect::<Vec<_>>();
            let n_limbs = n_rows.div_ceil(64);
            for sense in [Sense::Min, Sense::Max] {
                for start in (0..n_limbs).step_by(block) {
                    let limbs = start..(start + block).min(n_limbs);
                    let rows = limbs.start * 64..n_rows.min(limbs.end * 64);
                    let marked = rows.clone().filter(|&row| mask[row]).map(word);
                    let extreme = match sense {
                        Sense::Min => marked.min(),
                        Sense::Max => marked.max(),
                    };
                    for kernels in kernels() {
                        let mut scratch = vec![DIRT; 2 * limbs.len()];
                        let mut out = dirty(n_cols);
                        let found = kernels.block_extreme(
                            table.columns(),
                            limbs.clone(),
                            &pack(&mask),
                            sense,
                            &mut scratch,
                            &mut out,
                        );
                        assert_eq!(found, extreme.is_some(), "{kernels:?}");
                        if limbs.len() <= NUMBERED_LIMBS && n_cols <= NUMBERED_COLUMNS {
                            let better = sense == Sense::Max;
                            let digit =
                                |number: u64, bit: &bool| number << 1 | u64::from(*bit != better);
                            let number = extreme.as_ref().map(|word| word.iter().fold(0, digit));
                            let found = kernels.block_number(
                                table.columns(),
                                limbs.clone(),
                                &pack(&mask),
                                sense,
                            );
                            assert_eq!(found, number.unwrap_or(u64::MAX), "{sense:?} {kernels:?}");
                        }
                        let expected = extreme.clone().unwrap_or(vec![false; n_cols]);
                        assert_eq!(out, pack(&expected), "{sense:?} {kernels:?}");
                        let holders: Vec<bool> =
                            rows.clone().map(|row| mask[row] && word(row) == expected).collect();
                        let mut out = vec![DIRT; limbs.len()];
                        let matched = kernels.block_match(
                            table.columns(),
                            limbs.clone(),
                            &pack(&mask),
                            &pack(&expected),
                            &mut out,
                        );
                        assert_eq!(out, pack(&holders), "{sense:?} {kernels:?}");
                        assert_eq!(matched, holders.contains(&true));
                    }
                }
            }
            for sense in [Sense::Min, Sense::Max] {
                let marked = (0..n_rows).filter(|&row| mask[row]).map(word);
                let extreme = match sense {
                    Sense::Min => marked.min(),
                    Sense::Max => marked.max(),
                };
                let holds = |row| mask[row] && Some(word(row)) == extreme;
                let holders: Vec<bool> = (0..n_rows).map(holds).collect();
                for kernels in kernels() {
                    let (mut spare, mut out) = (dirty(n_rows), dirty(n_rows));
                    kernels.extreme(table.columns(), &pack(&mask), sense, &mut spare, &mut out);
                    assert_eq!(out, pack(&holders), "{sense:?} {kernels:?}");
                }
            }
        }
    }
}
