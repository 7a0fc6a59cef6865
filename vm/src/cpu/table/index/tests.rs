use std::sync::atomic::{AtomicBool, Ordering};

use star_base::Random;
use star_value::BitTable;

use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::Settings;
use crate::cpu::pool::Pool;
use crate::cpu::table::TransposeRoom;
use crate::kernels::Kernels;

/// Returns the rows of a table as words.
fn words_of(table: &Table) -> Vec<u64> {
    let n_cols = table.n_cols();
    let word = |row| (0..n_cols).fold(0, |word, col| word | u64::from(table.bit(row, col)) << col);
    (0..table.n_rows()).map(word).collect()
}

/// Returns the limbs in which rows hold a word.
fn limbs_of(words: &[u64], word: u64) -> Vec<u64> {
    let holds = |limb: &u64| words.iter().skip(*limb as usize * 64).take(64).any(|is| *is == word);
    (0..words.len().div_ceil(64) as u64).filter(holds).collect()
}

fn random_table(n_rows: usize, n_cols: usize, random: &mut Random) -> Table {
    let mut bits = BitTable::zeros(n_rows, n_cols).unwrap();
    for row in 0..n_rows {
        let word = random.below(2 * n_rows);
        (0..n_cols.min(63)).for_each(|col| bits.put(row, col, word >> col & 1 == 1));
    }
    Table::new(bits)
}

#[test]
fn every_row_with_a_word_is_in_a_listed_limb() {
    let (never, flag) = (AtomicBool::new(false), AtomicBool::new(false));
    let budget = MemoryBudget::new(&flag, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let room = TransposeRoom { copy: false, spare: 0, change: false };
    let mut random = Random::new(11);
    for (n_rows, n_cols) in [(1, 1), (65, 3), (700, 12), (5000, 13), (5000, 63)] {
        let mut table = random_table(n_rows, n_cols, &mut random);
        let (mut n_found, mut n_short) = (0, 0);
        for step in 0..600 {
            let (row, col) = (random.below(n_rows), random.below(n_cols));
            let words = words_of(&table);
            let word = words[random.below(n_rows)];
            match random.below(100) {
                0 => table.put(row, col, random.below(2) == 1),
                1..10 => {
                    table.write(Line::Row, row, &[word], &parallelism, room).ok().unwrap();
                }
                10 => {
                    table.limbs_change();
                    let limbs = table.limbs_mut(&[(row / 64) as u64], Becomes::Anything);
                    limbs.put(row, col, true);
                }
                11 => table.home_mut().put(row, col, false),
                12 => {
                    table.rows_change();
                    let home = table.rows_mut(None, word);
                    for row in 0..n_rows.min(640) {
                        (0..n_cols).for_each(|col| home.put(row, col, word >> col & 1 == 1));
                    }
                }
                13..40 => {
                    // All rows with one word get another one, as in KRUSKAL.
                    let other = words[random.below(n_rows)];
                    let limbs = limbs_of(&words, other);
                    let home = if random.below(2) == 0 {
                        table.limbs_change();
                        table.limbs_mut(&limbs, Becomes::Word(word))
                    } else {
                        table.rows_change();
                        table.rows_mut(Some(&limbs), word)
                    };
                    for (row, _) in words.iter().enumerate().filter(|(_, is)| **is == other) {
                        (0..n_cols).for_each(|col| home.put(row, col, word >> col & 1 == 1));
                    }
                }
                _ => {
                    let word = if random.below(9) == 0 { word ^ 1 } else { word };
                    let mut limbs = Vec::new();
                    if !table.wants_index(0) {
                        continue;
                    }
                    let found = table.find_rows(word, &mut limbs, &parallelism, |_| true);
                    if !found.ok().unwrap() {
                        continue;
                    }
                    let wanted = limbs_of(&words, word);
                    assert!(limbs.is_sorted_by(|a, b| a < b), "{step}: {limbs:?}");
                    assert!(wanted.iter().all(|limb| limbs.contains(limb)), "{step}: {limbs:?}");
                    n_found += 1;
                    n_short += usize::from(limbs.len() <= 2 * wanted.len() + FEW);
                }
            }
        }
        assert!(n_found > 60, "{n_rows} x {n_cols}: {n_found}");
        assert!(n_short * 10 > n_found * 9, "{n_rows} x {n_cols}: {n_short} of {n_found}");
    }
}

#[test]
fn an_index_is_built_when_it_pays_and_memory_suffices() {
    let (never, flag) = (AtomicBool::new(false), AtomicBool::new(false));
    let budget = MemoryBudget::new(&flag, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let mut table = random_table(9000, 10, &mut Random::new(3));
    let mut limbs = Vec::new();
    let mut find = |table: &mut Table, has_room| match table.wants_index(100) {
        true => table.find_rows(5, &mut limbs, &parallelism, |_| has_room).ok(),
        false => Some(false),
    };
    // It pays from the eleventh time on.
    let mut asked_until_found =
        |table: &mut Table| (1..100).find(|_| find(table, true) == Some(true));
    assert_eq!(asked_until_found(&mut table), Some(11));
    assert!(table.has_index());
    assert!(table.extra_bytes() <= InvertedIndex::bytes_of(9000, 10));
    // If discarded before it has paid, it is created later the next time.
    for times in [2, 4] {
        table.all_changes();
        assert_eq!(table.extra_bytes(), 0);
        assert_eq!(asked_until_found(&mut table), Some(times * 10 + 1));
    }
    // The same applies if there was no memory.
    table.all_changes();
    assert!((1..=81).all(|_| find(&mut table, false) == Some(false)));
    assert_eq!((1..200).find(|_| find(&mut table, true) == Some(true)), Some(162));
    // A flag ends the search before there is an index.
    table.all_changes();
    flag.store(true, Ordering::Relaxed);
    assert!((0..1000).any(|_| find(&mut table, true).is_none()));
    assert!(!table.has_index());
}

#[test]
fn partially_written_rows_are_found() {
    let (never, flag) = (AtomicBool::new(false), AtomicBool::new(false));
    let budget = MemoryBudget::new(&flag, &never, u64::MAX);
    let settings = Settings::default();
    let pool = Pool::of(settings.threads);
    let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
    let (n_rows, n_cols) = (9000, 14);
    let mut table = random_table(n_rows, n_cols, &mut Random::new(5));
    let find = |table: &mut Table, word: u64| {
        let mut limbs = Vec::new();
        let found = (0..100).any(|_| {
            table.wants_index(100)
                && table.find_rows(word, &mut limbs, &parallelism, |_| true).ok() == Some(true)
        });
        assert!(found, "{word}: no index");
        limbs
    };
    let words = words_of(&table);
    find(&mut table, words[17]);
    // All rows with one word should get another one, column by column; the write is interrupted
    // after half of the columns.
    let old = words[4321];
    let new = !old & 0x3fff;
    let limbs = limbs_of(&words, old);
    table.rows_change();
    let home = table.rows_mut(Some(&limbs), new);
    for (row, _) in words.iter().enumerate().filter(|(_, is)| **is == old) {
        (0..n_cols / 2).for_each(|col| home.put(row, col, new >> col & 1 == 1));
    }
    assert!(table.has_index());
    table.stops_halfway();
    assert!(!table.has_index());
    assert_eq!(table.extra_bytes(), 0);
    // These rows now hold neither word.
    let mixed = new & 0x7f | old & !0x7f;
    let wanted = limbs_of(&words_of(&table), mixed);
    assert!(limbs.iter().all(|limb| wanted.contains(limb)));
    let found = find(&mut table, mixed);
    assert!(wanted.iter().all(|limb| found.contains(limb)), "{found:?} of {wanted:?}");
}
