//! Sparse tables and summaries compared with lists of truth values, by random steps that are shrunk
//! on failure.

use std::sync::atomic::AtomicBool;

use proptest::collection::vec;
use proptest::prelude::*;
use star_value::{BitTable, BitVector, SparseLines};

use super::Table;
use crate::budget::MemoryBudget;
use crate::cpu::Settings;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::pool::Pool;
use crate::cpu::summary::{Blocks, Known};
use crate::cpu::table::form::Line;
use crate::kernels::Kernels;

/// A step on a table. Indices are taken modulo its sizes.
#[derive(Clone, Debug)]
enum Step {
    /// A line along the layout becomes sparse, almost full, or random.
    Line { idx: usize, ground: bool, rarity: u32, seed: u64 },
    /// A bit is written.
    Bit { row: usize, col: usize, bit: bool },
    /// It grows by this number of columns.
    Grow(usize),
    /// Work continues on a copy; the original must stay unchanged.
    Copy,
    /// Work continues on a field, a range of its columns.
    Field { start: usize, len: usize },
    /// It becomes dense, and sparse again with the same lines.
    Forms,
    /// A line of either kind is read.
    Read { line: Line, idx: usize, may_transpose: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let place = 0..1_000_usize;
    prop_oneof![
        4 => (place.clone(), any::<bool>(), 0..9_u32, any::<u64>())
            .prop_map(|(idx, ground, rarity, seed)| Step::Line { idx, ground, rarity, seed }),
        8 => (place.clone(), place.clone(), any::<bool>())
            .prop_map(|(row, col, bit)| Step::Bit { row, col, bit }),
        1 => (0..70_usize).prop_map(Step::Grow),
        1 => Just(Step::Copy),
        1 => (place.clone(), place.clone()).prop_map(|(start, len)| Step::Field { start, len }),
        1 => Just(Step::Forms),
        4 => (any::<bool>(), place, any::<bool>()).prop_map(|(row, idx, may_transpose)| {
            Step::Read { line: if row { Line::Row } else { Line::Column }, idx, may_transpose }
        }),
    ]
}

/// Returns random bits that differ from the ground with a probability of about 2^-rarity.
fn drawn(len: usize, ground: bool, rarity: u32, seed: u64) -> Vec<bool> {
    let mut random = star_base::Random::new(seed);
    (0..len).map(|_| (random.below(1 << rarity) == 0) != ground).collect()
}

/// Asserts that every query of a table agrees with its rows.
fn assert_is(table: &Table, rows: &[Vec<bool>], parallelism: &Parallelism<'_>) {
    let n_cols = rows[0].len();
    assert_eq!((table.n_rows(), table.n_cols()), (rows.len(), n_cols));
    for (row, bits) in rows.iter().enumerate() {
        (0..n_cols).for_each(|col| assert_eq!(table.bit(row, col), bits[col], "{row}, {col}"));
    }
    let n_ones = rows.iter().flatten().filter(|bit| **bit).count() as u64;
    assert_eq!(table.n_ones(parallelism).ok(), Some(n_ones));
    let texts: Vec<String> = rows
        .iter()
        .map(|bits| bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let host = table.to_host(parallelism).ok().flatten();
    assert!(host == BitTable::parse(&texts), "converted for the host");
    let kept = table.sparse_lines().expect("it is sparse");
    let n_limbs = (0..kept.n_lines()).map(|idx| kept.line(idx).places.len()).sum::<usize>();
    assert_eq!(kept.n_limbs(), n_limbs);
    assert!(SparseLines::bytes_for(kept.n_lines(), n_limbs) <= table.n_bytes());
}

/// Applies a step to a table and its model, and returns both.
fn take(
    step: &Step,
    mut table: Table,
    rows: &mut [Vec<bool>],
    parallelism: &Parallelism<'_>,
) -> Table {
    let (n_rows, n_cols, by_rows) = (rows.len(), rows[0].len(), table.by_rows);
    match *step {
        Step::Line { idx, ground, rarity, seed } => {
            let (n_lines, len) = if by_rows { (n_rows, n_cols) } else { (n_cols, n_rows) };
            let (idx, bits) = (idx % n_lines, drawn(len, ground, rarity, seed));
            for (at, bit) in bits.iter().enumerate() {
                let (row, col) = if by_rows { (idx, at) } else { (at, idx) };
                rows[row][col] = *bit;
            }
            let bits = BitVector::from_bools(&bits);
            let lines = table.sparse_mut().expect("it is sparse");
            let wanted = lines.bytes_to_set(idx, bits.limbs().len());
            let before = lines.n_bytes();
            lines.set(idx, ground, (0..).zip(bits.limbs().iter().copied())).expect("memory");
            assert!(lines.n_bytes() <= before.max(before / 2 + wanted) + wanted);
        }
        Step::Bit { row, col, bit } => {
            let (row, col) = (row % n_rows, col % n_cols);
            rows[row][col] = bit;
            let (idx, at) = if by_rows { (row, col) } else { (col, row) };
            table.sparse_mut().expect("it is sparse").put(idx, at, bit).expect("memory");
        }
        Step::Grow(more) => {
            rows.iter_mut().for_each(|row| row.resize(n_cols + more, false));
            table.grow_sparse(n_cols + more).expect("memory");
        }
        Step::Copy => {
            let mut copy = table.try_clone(None, parallelism).ok().flatten().expect("memory");
            let lines = table.sparse_mut().expect("it is sparse");
            // The original of the copy is overwritten completely.
            for idx in 0..lines.n_lines() {
                lines.set(idx, true, std::iter::empty()).expect("memory");
            }
            assert_is(&copy, rows, parallelism);
            std::mem::swap(&mut table, &mut copy);
        }
        Step::Field { start, len } => {
            let start = start % n_cols;
            let columns = start..start + 1 + len % (n_cols - start);
            let zeros = SparseLines::zeros(n_rows, 1, 0).expect("memory");
            let mut field = Table::of_sparse(zeros, Line::Column);
            let lines = table.sparse_lines().expect("it is sparse");
            match by_rows {
                // Only columns of this layout are copied directly.
                true => assert!(table.copy_sparse_columns(&SparseLines::default(), 0..0).is_none()),
                false => {
                    let copied = field.copy_sparse_columns(lines, columns.clone());
                    assert!(copied.is_some_and(|copied| copied.is_ok()));
                    rows.iter_mut().for_each(|row| *row = row[columns.clone()].to_vec());
                    table = field;
                }
            }
        }
        Step::Forms => {
            assert!(matches!(table.make_dense(parallelism), Ok(true)));
            assert!(!table.is_sparse() && table.by_rows == by_rows);
            (0..n_rows).for_each(|row| assert_eq!(table.bit(row, 0), rows[row][0]));
            table.make_sparse().expect("memory");
        }
        Step::Read { line, idx, may_transpose } => {
            let (n_lines, len) = match line {
                Line::Row => (n_rows, n_cols),
                Line::Column => (n_cols, n_rows),
            };
            let mut limbs = vec![!0; len.div_ceil(64)];
            let idx = idx % n_lines;
            assert!(table.read(line, idx, &mut limbs, parallelism, may_transpose).is_ok());
            let bits: Vec<bool> = (0..len)
                .map(|at| if line == Line::Row { rows[idx][at] } else { rows[at][idx] })
                .collect();
            assert_eq!(limbs, BitVector::from_bools(&bits).limbs(), "{line:?} {idx}");
        }
    }
    table
}

#[test]
fn sparse_tables_equal_their_bits() {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    let sizes = (1..150_usize, 1..150_usize, any::<bool>());
    let config = ProptestConfig::with_cases(96);
    proptest!(config, |((n_rows, n_cols, by_rows) in sizes, steps in vec(step(), 1..60), tiny: bool)| {
        let settings = if tiny { Settings::sparse() } else { Settings::default() };
        let pool = Pool::of(Some(1));
        let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
        let (len, n_lines) = if by_rows { (n_cols, n_rows) } else { (n_rows, n_cols) };
        let lines = SparseLines::zeros(len, n_lines, 0).expect("memory");
        let line = if by_rows { Line::Row } else { Line::Column };
        let mut table = Table::of_sparse(lines, line);
        let mut rows = vec![vec![false; n_cols]; n_rows];
        for step in &steps {
            table = take(step, table, &mut rows, &parallelism);
        }
        assert_is(&table, &rows, &parallelism);
    });
}

/// A change of a slice with a summary.
#[derive(Clone, Debug)]
enum Change {
    Constant(bool),
    Bit {
        at: usize,
        bit: bool,
    },
    /// Limbs are overwritten, and the summary is updated with their positions.
    Limbs {
        first: usize,
        n: usize,
        limb: u64,
    },
    /// The first limbs, up to the first nonzero one, are recorded as zero.
    Begin(usize),
    /// The nonzero limbs are listed.
    List,
    Forget,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => any::<bool>().prop_map(Change::Constant),
        8 => (0..5_000_usize, any::<bool>()).prop_map(|(at, bit)| Change::Bit { at, bit }),
        3 => (0..80_usize, 0..9_usize, any::<u64>())
            .prop_map(|(first, n, limb)| Change::Limbs { first, n, limb }),
        2 => (0..80_usize).prop_map(Change::Begin),
        2 => Just(Change::List),
        1 => Just(Change::Forget),
    ]
}

/// Returns the nonzero limbs with their positions.
fn nonzero(limbs: &[u64]) -> Vec<(u32, u64)> {
    (0..).zip(limbs.iter().copied()).filter(|(_, limb)| *limb != 0).collect()
}

#[test]
fn summaries_cover_the_contents_of_blocks() {
    let changes = vec(change(), 1..80);
    proptest!(|(len in 1..5_000_usize, block in 1..9_usize, changes in changes)| {
        let settings = Settings { summary_limbs: 0, summary_block: block, ..Settings::default() };
        let settings = Settings { all_sparse: true, ..settings };
        let blocks = Blocks::of(len, &settings).expect("every slice has a summary");
        let (mut limbs, mut known) = (vec![0_u64; len.div_ceil(64)], Known::default());
        known.set_constant(blocks, false);
        let tail = |limbs: &mut Vec<u64>| star_value::bits::zero_tail(limbs, len);
        for change in changes {
            match change {
                Change::Constant(bit) => {
                    limbs.fill(if bit { !0 } else { 0 });
                    known.set_constant(blocks, bit);
                }
                Change::Bit { at, bit } => {
                    let (at, mask) = (at % len, 1 << (at % len % 64));
                    let limb = &mut limbs[at / 64];
                    *limb = if bit { *limb | mask } else { *limb & !mask };
                    known.put(at, bit, &settings);
                }
                Change::Limbs { first, n, limb } => {
                    let first = first % limbs.len();
                    let end = (first + n).min(limbs.len());
                    limbs[first..end].fill(limb);
                    let changed: Vec<u64> = (first as u64..end as u64).collect();
                    known.may_hold(&changed, &settings);
                }
                Change::Begin(n) => {
                    let n_zeros = limbs.iter().take_while(|limb| **limb == 0).count();
                    // The known zeros at the beginning only grow in this way.
                    known.begins_with_zeros(n.min(n_zeros).max(known.zeros), &settings);
                }
                Change::List => known.list(nonzero(&limbs).iter(), blocks, &settings),
                Change::Forget => known.forget(),
            }
            tail(&mut limbs);
            if let Some(listed) = known.listed() {
                prop_assert!(nonzero(&limbs).iter().map(|(place, _)| place).eq(listed));
            }
            prop_assert!(limbs[..known.zeros].iter().all(|limb| *limb == 0));
            let Some(summary) = known.summary() else { continue };
            let has = |of: &[u64], at: usize| of[at / 64] >> (at % 64) & 1 == 1;
            for at in 0..limbs.len().div_ceil(block) {
                let range = blocks.range(at);
                let n_ones: u32 = limbs[range].iter().map(|limb| limb.count_ones()).sum();
                prop_assert!(n_ones == 0 || has(&summary.ones, at), "ones in block {at}");
                let is_full = n_ones as usize == blocks.n_bits(at);
                prop_assert!(is_full || has(&summary.zeros, at), "zeros in block {at}");
            }
            let whole = known.constant().map(|bit| if bit { len as u32 } else { 0 });
            let n_ones: u32 = limbs.iter().map(|limb| limb.count_ones()).sum();
            prop_assert!(whole.is_none_or(|whole| whole == n_ones));
        }
    });
}
