//! In-place transposes, compared bit by bit with the rows of the table.

use std::sync::atomic::AtomicBool;

use star_value::{BitTable, BitVector};

use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::pool::Pool;
use crate::cpu::settings::Settings;
use crate::kernels::{Kernels, Level};

/// Runs every transpose from the beginning, and interrupted before each move, read in that state,
/// and completed.
fn transposes(n_rows: usize, n_cols: usize, parallelism: &Parallelism<'_>) {
    let about = format!("{n_rows} × {n_cols}");
    let mut table = BitTable::zeros(n_rows, n_cols).unwrap();
    for (row, col) in (0..n_rows).flat_map(|row| (0..n_cols).map(move |col| (row, col))) {
        table.put(row, col, (row * 31 + col * 17 + row * col).is_multiple_of(7));
    }
    let rows: Vec<BitVector> = (0..n_rows).map(|row| table.row(row)).collect();
    let transposed = BitTable::from_columns(n_cols, &rows);
    for n in 0.. {
        let half = Transposition::stopped_after(table.clone(), n, parallelism);
        let copy = half.try_clone(parallelism).unwrap().expect("memory");
        for (is_transposed, whole) in [(false, &table), (true, &transposed)] {
            for idx in (0..whole.n_cols()).step_by(37) {
                let mut line = vec![!0; whole.column_len()];
                copy.read_line(is_transposed, idx, &mut line);
                assert_eq!(
                    line,
                    whole.column_limbs(idx),
                    "{about}, {n} moves, {is_transposed} {idx}"
                );
            }
        }
        for mut half in [half, copy] {
            half.go_on(parallelism).unwrap();
            let form = half.into_form();
            assert!(form == transposed, "{about}, {n} moves");
            // The gaps between and after the columns are clear.
            assert_eq!(form.count_ones(), transposed.count_ones(), "{about}, {n} moves");
        }
        if Transposition::stopped_after(table.clone(), n, parallelism).is_at_its_end() {
            return;
        }
    }
}

#[test]
fn in_place_transposes_match_bit_by_bit() {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    let settings = Settings::default();
    for level in Level::supported() {
        let kernels = Kernels::at(level).unwrap();
        let pool = Pool::of(Some(1));
        let parallelism = Parallelism::new(kernels, settings, budget.flags(), pool);
        for n in [0, 1, 63, 64, 65, 511, 512, 513, 1100] {
            transposes(n, n, &parallelism);
        }
        for (n_rows, n_cols) in [
            (0, 5),
            (5, 0),
            (1, 64),
            (64, 1),
            (1, 130),
            (63, 65),
            (130, 67),
            (200, 1000),
            (4100, 70),
            (70, 4100),
        ] {
            transposes(n_rows, n_cols, &parallelism);
        }
    }
}

#[test]
fn panel_transposes_use_the_predicted_memory() {
    for (n_rows, n_cols) in [(1, 64), (64, 1), (130, 67), (4100, 70), (70, 4100), (40_000, 2)] {
        let form = BitTable::zeros(n_rows, n_cols).unwrap();
        let (before, said) = (form.storage().len(), spare_bytes(&form));
        let Ok(Transposition::Panels(panels)) = Transposition::of(form) else {
            panic!("expected a transpose in panels")
        };
        let takes = (panels.n_limbs() - before) as u64 * 8;
        assert!(takes <= said, "{n_rows} × {n_cols}: {takes} bytes, {said} said");
    }
}

#[test]
fn flags_interrupt_a_transpose() {
    let flag = AtomicBool::new(true);
    let budget = MemoryBudget::new(&flag, &flag, u64::MAX);
    let pool = Pool::of(Some(1));
    let parallelism =
        Parallelism::new(Kernels::detect(), Settings::default(), budget.flags(), pool);
    for rows in [&["01", "11"][..], &["011", "110"]] {
        let mut transposition = Transposition::of(BitTable::parse(rows).unwrap()).expect("memory");
        assert!(transposition.go_on(&parallelism).is_err());
        assert!(!transposition.is_at_its_end());
    }
}
