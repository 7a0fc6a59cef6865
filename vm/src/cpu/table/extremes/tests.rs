use std::sync::atomic::{AtomicBool, Ordering};

use star_base::Random;
use star_value::BitTable;

use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::Settings;
use crate::cpu::pool::Pool;
use crate::cpu::table::{Becomes, TransposeRoom};
use crate::kernels::Kernels;

/// Returns the rows found by the kernel that reads all of them.
fn expected(table: &Table, mask: &[u64], sense: Sense) -> Holders {
    let columns = columns_of(table.home().0);
    let (mut spare, mut out) = (vec![0; mask.len()], vec![0; mask.len()]);
    Kernels::detect().extreme(columns, mask, sense, &mut spare, &mut out);
    (0..).zip(out).filter(|(_, limb)| *limb != 0).collect()
}

#[test]
fn kept_extremes_equal_a_search_of_all_rows() {
    let (never, flag) = (AtomicBool::new(false), AtomicBool::new(false));
    let budget = MemoryBudget::new(&flag, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let room = TransposeRoom { copy: false, spare: 0, change: false };
    let mut random = Random::new(3);
    for (n_rows, n_cols) in [(1, 1), (64, 0), (65, 3), (700, 5), (5000, 63), (40_000, 9)] {
        let mut table = Table::new(BitTable::zeros(n_rows, n_cols).unwrap());
        let mut mask = vec![0; n_rows.div_ceil(64)];
        let (mut n_kept, mut sense) = (0, Sense::Min);
        for step in 0..600 {
            for _ in 0..random.below(4) {
                let (row, limb) = (random.below(n_rows), random.below(mask.len()));
                match random.below(200) {
                    0 => mask.iter_mut().for_each(|limb| *limb = random.next_u64()),
                    1 => sense = if sense == Sense::Min { Sense::Max } else { Sense::Min },
                    2 if n_cols > 0 => {
                        let column: Vec<u64> = mask.iter().map(|_| random.next_u64()).collect();
                        let at = random.below(n_cols);
                        let written = table.write(Line::Column, at, &column, &parallelism, room);
                        written.unwrap_or_else(|_| panic!("no flag is set"));
                    }
                    3..60 => mask[limb] = random.next_u64(),
                    60..120 if n_cols > 0 => {
                        table.limbs_change();
                        let home = table.limbs_mut(&[limb as u64], Becomes::Anything);
                        for col in 0..n_cols {
                            home.column_limbs_mut(col)[limb] = random.next_u64();
                        }
                    }
                    120..160 if n_cols > 0 => {
                        let word = [random.next_u64() & (!0 >> (64 - n_cols))];
                        let written = table.write(Line::Row, row, &word, &parallelism, room);
                        written.unwrap_or_else(|_| panic!("no flag is set"));
                    }
                    _ if n_cols > 0 => table.put(row, random.below(n_cols), random.below(2) == 1),
                    _ => {}
                }
            }
            // Rows past the end.
            *mask.last_mut().unwrap() &= !0 >> (63 - (n_rows - 1) % 64);
            // A flag stops one of them: no partial results may be kept.
            flag.store(step % 50 == 49, Ordering::Relaxed);
            let found = table.find_extreme(&mask, (sense, false), &parallelism, |_| step % 100 > 3);
            flag.store(false, Ordering::Relaxed);
            if let Ok(Some(holders)) = found {
                assert_eq!(holders, expected(&table, &mask, sense), "{n_rows} x {n_cols}, {step}");
                assert!(table.extra_bytes() >= Extremes::bytes_for(mask.len()));
                n_kept += 1;
            }
        }
        assert!(n_kept > 100, "{n_rows} x {n_cols}: {n_kept}");
    }
}

#[test]
fn frequent_changes_delay_the_creation_of_extremes() {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let mut table = Table::new(BitTable::zeros(6400, 4).unwrap());
    let mut n_kept = 0;
    for round in 0..2000_u64 {
        // A very different mask each time.
        let mask = vec![round + 1; 100];
        let found = table.find_extreme(&mask, (Sense::Min, false), &parallelism, |_| true);
        n_kept += u64::from(matches!(found, Ok(Some(_))));
    }
    assert!((1..30).contains(&n_kept), "{n_kept}");
}

#[test]
fn the_only_extreme_is_found_in_every_block() {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let room = TransposeRoom { copy: false, spare: 0, change: false };
    // Two whole groups of blocks, and a third that ends within a block.
    let (n_cols, block) = (3, 64 * NUMBERED_LIMBS);
    let n_rows = 2 * GROUP * block + 3 * block + 70;
    for (sense, extreme, others) in [(Sense::Min, 0, 0b111), (Sense::Max, 0b111, 0)] {
        let mut table = Table::new(BitTable::zeros(n_rows, n_cols).unwrap());
        let put = |table: &mut Table, row, word: u64| {
            let written = table.write(Line::Row, row, &[word], &parallelism, room);
            written.unwrap_or_else(|_| panic!("no flag is set"));
        };
        (0..n_rows).for_each(|row| put(&mut table, row, others));
        let mut mask = vec![u64::MAX; n_rows.div_ceil(64)];
        *mask.last_mut().unwrap() &= !0 >> (63 - (n_rows - 1) % 64);
        let ask = |table: &mut Table, first| {
            let found = table.find_extreme(&mask, (sense, first), &parallelism, |_| true);
            found.unwrap_or_else(|_| panic!("no flag is set"))
        };
        // The second search creates the extremes.
        ask(&mut table, false);
        assert!(ask(&mut table, false).is_some());
        for start in (0..n_rows).step_by(block) {
            let end = (start + block).min(n_rows);
            for row in [start, start + (end - start) / 2, end - 1] {
                put(&mut table, row, extreme);
                for first in [false, true] {
                    let holders = ask(&mut table, first);
                    let expected = vec![((row / 64) as u32, 1 << (row % 64))];
                    assert_eq!(holders, Some(expected), "{sense:?}, row {}", row + 1);
                }
                put(&mut table, row, others);
            }
        }
    }
}
