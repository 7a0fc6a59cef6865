//! Tables compared with bits in a `Vec<Vec<bool>>`.

use std::sync::atomic::AtomicBool;

use star_base::Random;

use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::pool::Pool;
use crate::cpu::transpose::{Transposition, spare_bytes};
use crate::kernels::Kernels;

/// No memory at all.
const NONE: TransposeRoom = TransposeRoom { copy: false, spare: 0, change: false };

#[test]
fn transposed_tables_have_their_rows_as_columns() {
    let mut table = Table::new(BitTable::parse(&["011", "100"]).unwrap());
    table.transpose();
    assert_eq!((table.n_rows(), table.n_cols()), (3, 2));
    let rows: Vec<[bool; 2]> = (0..3).map(|row| [0, 1].map(|col| table.bit(row, col))).collect();
    assert_eq!(rows, [[false, true], [true, false], [true, false]]);
    assert!(table.has(Line::Row) && !table.has(Line::Column));
}

/// Reads consecutive lines against the layout while lines along it, single bits and whole forms
/// change.
#[test]
fn windows_agree_with_the_form() {
    let never = std::sync::atomic::AtomicBool::new(false);
    let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
    for settings in [crate::cpu::Settings::default(), crate::cpu::Settings::tiny()] {
        let settings = crate::cpu::Settings { eager_transposes: false, ..settings };
        let pool = crate::cpu::pool::Pool::of(settings.threads);
        let kernels = crate::kernels::Kernels::detect();
        let parallelism = Parallelism::new(kernels, settings, budget.flags(), pool);
        let (n_lines, len) = (150, 130);
        let mut table = Table::of_rows(BitTable::zeros(len, n_lines).unwrap());
        let mut model = vec![vec![false; len]; n_lines];
        let mut state = 1_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        let mut windows = 0;
        for step in 0..2000 {
            let at = (step / 3) % len;
            let mut dst = vec![!0; n_lines.div_ceil(64)];
            table
                .read_own(Line::Column, at, &mut dst, &parallelism, |bytes| TransposeRoom {
                    copy: bytes < 2000,
                    ..NONE
                })
                .unwrap_or_else(|_| panic!("no flag is set"));
            for (idx, line) in model.iter().enumerate() {
                assert_eq!(dst[idx / 64] >> (idx % 64) & 1 == 1, line[at], "{step}, {idx}");
            }
            windows += u64::from(table.extra_bytes() == 8 * n_lines as u64);
            let (idx, bit) = (below(n_lines), below(2) == 1);
            match below(20) {
                0 => table.home_mut().put(at, idx, bit),
                1..8 => table.put(idx, at, bit),
                _ => {
                    model[idx].iter_mut().for_each(|bit| *bit = below(2) == 1);
                    let line = star_value::BitVector::from_bools(&model[idx]);
                    table
                        .write(Line::Row, idx, line.limbs(), &parallelism, NONE)
                        .unwrap_or_else(|_| panic!("no flag is set"));
                    continue;
                }
            }
            model[idx][at] = bit;
        }
        assert!(windows > 1000, "{windows}");
    }
}

#[test]
fn tables_transpose_in_place_with_memory_for_a_panel() {
    let never = std::sync::atomic::AtomicBool::new(false);
    let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
    let settings = crate::cpu::Settings::default();
    let pool = crate::cpu::pool::Pool::of(settings.threads);
    let parallelism =
        Parallelism::new(crate::kernels::Kernels::detect(), settings, budget.flags(), pool);
    let rows = ["011", "100", "110"];
    let mut square = Table::new(BitTable::parse(&rows).unwrap());
    for line in [Line::Row, Line::Row, Line::Column, Line::Row] {
        assert!(matches!(square.transpose_in_place(line, 0, &parallelism), Ok(true)));
        assert!(square.is_home(line) && square.bit(0, 1) && square.bit(1, 0) && !square.bit(0, 0));
    }
    let mut wide = Table::new(BitTable::parse(&rows[..2]).unwrap());
    let spare = spare_bytes(&wide.home);
    assert!(matches!(wide.transpose_in_place(Line::Row, spare - 1, &parallelism), Ok(false)));
    assert!(matches!(wide.transpose_in_place(Line::Column, 0, &parallelism), Ok(true)));
    assert!(matches!(wide.transpose_in_place(Line::Row, spare, &parallelism), Ok(true)));
    assert!(wide.is_home(Line::Row) && !wide.has(Line::Column));
    assert_eq!((wide.n_rows(), wide.n_cols(), wide.bit(0, 2)), (2, 3, true));
    assert!(matches!(wide.home_along(Line::Column, &parallelism), Ok(Some(_))));
    assert!(wide.is_home(Line::Column) && wide.bit(0, 2));
}

#[test]
fn tables_grow_in_any_steps() {
    let never = std::sync::atomic::AtomicBool::new(false);
    let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
    let settings = crate::cpu::Settings { poll_limbs: 16, ..Default::default() };
    let pool = crate::cpu::pool::Pool::of(settings.threads);
    let parallelism =
        Parallelism::new(crate::kernels::Kernels::detect(), settings, budget.flags(), pool);
    let mut table = Table::new(BitTable::parse(&["01"; 70]).unwrap());
    for n_cols in [2, 3, 40, 41, 60, 60, 7] {
        let n_cols_after = table.n_cols().max(n_cols);
        assert!(matches!(table.grow(n_cols, &parallelism), Ok(true)));
        assert_eq!((table.n_cols(), table.bit(69, 1)), (n_cols_after, true));
        assert!(matches!(table.n_ones(&parallelism), Ok(70)));
    }
    // A table without rows may have many columns at no cost.
    let mut table = Table::new(BitTable::zeros(0, 0).unwrap());
    for n_cols in [1 << 62, (1 << 62) + (1 << 61)] {
        assert!(matches!(table.grow(n_cols, &parallelism), Ok(true)));
        assert_eq!(table.n_cols(), n_cols);
    }
    assert!(matches!(table.grow(7, &parallelism), Ok(true)));
    assert_eq!(table.n_cols(), (1 << 62) + (1 << 61));
}

/// Reads and writes lines of both kinds with no memory for a copy, or none at all.
#[test]
fn tables_without_memory_for_a_copy_change_their_home() {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    for (n_rows, n_cols, spare, changes) in [
        (130, 130, 0, true),
        (1, 1, 0, true),
        (513, 513, 0, true),
        (130, 67, 1 << 20, true),
        (130, 67, 0, false),
    ] {
        for eager_transposes in [true, false] {
            let settings = crate::cpu::Settings { eager_transposes, ..Default::default() };
            let pool = Pool::of(settings.threads);
            let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
            let room = TransposeRoom { copy: false, spare, change: true };
            let mut table = Table::new(BitTable::zeros(n_rows, n_cols).unwrap());
            let mut model = vec![vec![false; n_cols]; n_rows];
            let mut random = Random::new(12);
            for step in 0..400 {
                // Rows for a while, then columns.
                let line = if step / 100 % 2 == 0 { Line::Row } else { Line::Column };
                let (n_lines, len) = match line {
                    Line::Row => (n_rows, n_cols),
                    Line::Column => (n_cols, n_rows),
                };
                let idx = random.below(n_lines);
                let at = |k: usize| if line == Line::Row { (idx, k) } else { (k, idx) };
                if random.below(3) == 0 {
                    let bits: Vec<bool> = (0..len).map(|_| random.below(2) == 1).collect();
                    for (k, &bit) in bits.iter().enumerate() {
                        model[at(k).0][at(k).1] = bit;
                    }
                    let bits = star_value::BitVector::from_bools(&bits);
                    assert!(table.write(line, idx, bits.limbs(), &parallelism, room).is_ok());
                } else {
                    let mut limbs = vec![!0; len.div_ceil(64)];
                    assert!(table.read_own(line, idx, &mut limbs, &parallelism, |_| room).is_ok());
                    for k in 0..len {
                        let bit = limbs[k / 64] >> (k % 64) & 1 == 1;
                        assert_eq!(bit, model[at(k).0][at(k).1], "{step}: {line:?} {idx}, {k}");
                    }
                }
                assert_eq!(table.extra_bytes(), 0);
            }
            // A phase of a hundred accesses causes one or two transposes, but not an increasing
            // number.
            let n = table.n_changes();
            assert!(if changes { n >= 1 && (eager_transposes || n <= 6) } else { n == 0 }, "{n}");
        }
    }
}

/// A flag interrupts a transpose; the table is read in this state, copied, and completed later.
#[test]
fn interrupted_transposes_leave_valid_tables() {
    let (never, always) = (AtomicBool::new(false), AtomicBool::new(true));
    let [free, stopped] = [&never, &always].map(|flag| MemoryBudget::new(flag, &never, u64::MAX));
    let (settings, pool) = (crate::cpu::Settings::default(), Pool::of(Some(1)));
    let [on, stopping] = [&free, &stopped]
        .map(|budget| Parallelism::new(Kernels::detect(), settings, budget.flags(), pool));
    let mut random = Random::new(3);
    for (n_rows, n_cols) in [(1100, 1100), (1100, 600)] {
        let mut columns = BitTable::zeros(n_rows, n_cols).unwrap();
        (0..n_rows * 9).for_each(|_| columns.put(random.below(n_rows), random.below(n_cols), true));
        for (line, n_moves) in
            [Line::Row, Line::Column].into_iter().flat_map(|line| (0..32).map(move |n| (line, n)))
        {
            let mut table = Table::new(columns.clone());
            if line == Line::Column {
                assert!(matches!(table.transpose_in_place(Line::Row, u64::MAX, &on), Ok(true)));
            }
            let transposition =
                Transposition::stopped_after(std::mem::take(&mut table.home), n_moves, &on);
            table.half_transposed = Some(Box::new(transposition));
            assert!(table.transpose_in_place(line, 0, &stopping).is_err());
            assert!(table.is_half_transposed());
            let some = table.some_columns(500..530, &on);
            assert!(some.is_ok_and(|some| {
                let same = |idx| some.column_limbs(idx) == columns.column_limbs(500 + idx);
                (0..30).all(same)
            }));
            let copy = table.try_clone(None, &on).ok().flatten();
            for mut table in [Some(table), copy].into_iter().flatten() {
                assert!(table.to_host(&on).is_ok_and(|host| host.as_ref() == Some(&columns)));
                assert!(table.end_transpose(&on).is_ok() && !table.is_half_transposed());
                assert!(table.is_home(line));
                assert!(table.to_host(&on).is_ok_and(|host| host.as_ref() == Some(&columns)));
            }
        }
    }
}
