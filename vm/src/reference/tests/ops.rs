//! Every operation against an alternative definition, at the boundary sizes.

use proptest::prelude::*;
use star_ir::{Direction, IntOp, LogicOp, Query, Relation, Sense};
use std::cmp::Ordering;

use super::super::value::Table;
use super::super::{bits, tables, words};
use super::{EDGES, budget, noise};

/// Returns random bits of every boundary size, and the extremes.
fn samples() -> Vec<Vec<bool>> {
    let mut samples = Vec::new();
    for len in EDGES {
        samples.push(vec![false; len]);
        samples.push(vec![true; len]);
        samples.push(noise(len, 1));
        let mut last = vec![false; len];
        if let Some(bit) = last.last_mut() {
            *bit = true;
        }
        samples.push(last);
    }
    samples
}

/// Returns the indices of the ones, from 1.
fn ones(x: &[bool]) -> Vec<i64> {
    (1..).zip(x).filter(|(_, bit)| **bit).map(|(i, _)| i).collect()
}

fn from_ones(len: usize, ones: impl IntoIterator<Item = i64>) -> Vec<bool> {
    let mut x = vec![false; len];
    for i in ones {
        if i >= 1 && i <= len as i64 {
            x[i as usize - 1] = true;
        }
    }
    x
}

/// Converts a word to base-2³² digits, the least significant first.
fn digits(w: &[bool]) -> Vec<u64> {
    let reversed: Vec<bool> = w.iter().rev().copied().collect();
    let digit = |bits: &[bool]| (0..).zip(bits).map(|(i, &bit)| u64::from(bit) << i).sum();
    reversed.chunks(32).map(digit).collect()
}

fn from_digits(len: usize, digits: &[u64]) -> Vec<bool> {
    let mut w: Vec<bool> = (0..len).map(|i| digits[i / 32] >> (i % 32) & 1 == 1).collect();
    w.reverse();
    w
}

#[test]
fn queries_agree_with_the_list_of_ones() {
    for x in samples() {
        let ones = ones(&x);
        assert_eq!(bits::query(Query::First, &x), ones.first().copied().unwrap_or(0));
        assert_eq!(bits::query(Query::Count, &x), ones.len() as i64);
        assert_eq!(bits::query(Query::Any, &x), i64::from(!ones.is_empty()));
        assert_eq!(bits::query(Query::None, &x), i64::from(ones.is_empty()));
        assert_eq!(bits::query(Query::All, &x), i64::from(ones.len() == x.len()));
        let first = from_ones(x.len(), ones.first().copied());
        assert_eq!(bits::keep_first(&mut budget(), &x).unwrap(), first);
        for i in [1, x.len() / 2, x.len()] {
            let expected = (1..=x.len()).contains(&i).then(|| ones.contains(&(i as i64)));
            assert_eq!(bits::component(&x, i as i64).ok(), expected);
        }
    }
}

#[test]
fn step_visits_the_ones_in_order_and_then_returns_zero() {
    for x in samples() {
        let mut rest = x.clone();
        let mut taken = Vec::new();
        loop {
            match bits::step(&mut rest) {
                0 => break,
                i => taken.push(i),
            }
        }
        assert_eq!(taken, ones(&x));
        assert_eq!(bits::query(Query::None, &rest), 1);
    }
}

#[test]
fn logic_agrees_with_sets_of_ones() {
    for len in EDGES {
        let (x, y) = (noise(len, 2), noise(len, 3));
        let (xs, ys) = (ones(&x), ones(&y));
        let all = 1..=len as i64;
        let logic = |op| bits::logic(&mut budget(), op, &x, &y).unwrap();
        let both = all.clone().filter(|i| xs.contains(i) && ys.contains(i));
        assert_eq!(logic(LogicOp::And), from_ones(len, both));
        let either = xs.iter().chain(&ys).copied();
        assert_eq!(logic(LogicOp::Or), from_ones(len, either));
        let one = all.clone().filter(|i| xs.contains(i) ^ ys.contains(i));
        assert_eq!(logic(LogicOp::Xor), from_ones(len, one));
        let not = all.filter(|i| !xs.contains(i));
        assert_eq!(bits::not(&mut budget(), &x).unwrap(), from_ones(len, not));
        assert_eq!(bits::equal(&x, &y).unwrap(), xs == ys);
        assert!(bits::equal(&x, &x).unwrap());
        assert_eq!(bits::convert(&mut budget(), &x).unwrap(), x);
        assert_eq!(bits::fill(&mut budget(), len, true).unwrap(), vec![true; len]);
    }
}

#[test]
fn moves_agree_with_moved_ones() {
    for x in samples() {
        let (len, ones) = (x.len(), ones(&x));
        let length = len as i64;
        for by in [0, 1, 31, 32, 63, 64, 65, length, length + 1, i64::MAX] {
            let up = ones.iter().filter_map(|i| i.checked_sub(by));
            let down = ones.iter().filter_map(|i| i.checked_add(by));
            let shift = |direction| bits::shift(&mut budget(), &x, direction, by).unwrap();
            assert_eq!(shift(Direction::Up), from_ones(len, up));
            assert_eq!(shift(Direction::Down), from_ones(len, down));
            for by in [by, -by] {
                let turned = ones.iter().map(|i| {
                    let place = i128::from(i - 1) + i128::from(by);
                    place.rem_euclid(len as i128) as i64 + 1
                });
                let rotated = bits::rotate(&mut budget(), &x, by).unwrap();
                assert_eq!(rotated, from_ones(len, turned), "{len} by {by}");
            }
        }
        let mirrored = from_ones(len, ones.iter().map(|i| length + 1 - i));
        assert_eq!(bits::mirror(&mut budget(), &x).unwrap(), mirrored);
        let shuffled = bits::shuffle(&mut budget(), &x);
        if len % 2 == 1 {
            assert!(shuffled.is_err());
        } else {
            let (left, right) = x.split_at(len / 2);
            let woven: Vec<bool> = left.iter().zip(right).flat_map(|(a, b)| [*a, *b]).collect();
            assert_eq!(shuffled.unwrap(), woven);
        }
    }
}

#[test]
fn mask_marks_exactly_its_range() {
    for len in EDGES {
        let length = len as i64;
        for (from, to) in [(1, length), (1, 0), (length + 1, length), (2, length), (1, 1)] {
            let mask = bits::mask(&mut budget(), len, from, to);
            if from > 0 && to >= from - 1 && to <= length {
                assert_eq!(mask.unwrap(), from_ones(len, from..=to), "{from}..{to} of {len}");
            } else {
                assert!(mask.is_err());
            }
        }
    }
    assert!(bits::mask(&mut budget(), 5, i64::MIN, i64::MAX).is_err());
    assert!(bits::mask(&mut budget(), 5, i64::MIN + 1, i64::MAX).is_err());
}

#[test]
fn put_trim_and_replace_access_their_part_only() {
    for len in EDGES.into_iter().filter(|&len| len > 0) {
        let w = noise(len, 4);
        for i in [1, len / 2 + 1, len] {
            let mut changed = w.clone();
            bits::put(&mut changed, i as i64, i64::from(!w[i - 1])).unwrap();
            let differences: Vec<usize> =
                (1..=len).filter(|&j| w[j - 1] != changed[j - 1]).collect();
            assert_eq!(differences, [i]);
        }
        for base in [0, 1, len / 3, len - 1, len] {
            for width in [0, 1, 32, 64, len - base] {
                let part = words::trim(&mut budget(), &w, base as i64, width as i64);
                let expected: Option<Vec<bool>> = (base + width <= len)
                    .then(|| w.iter().skip(base).take(width).copied().collect());
                assert_eq!(part.ok(), expected);
                if base + width <= len {
                    let new = noise(width, 5);
                    let mut changed = w.clone();
                    words::replace(&mut changed, base as i64, &new).unwrap();
                    let expected = [&w[..base], &new, &w[base + width..]].concat();
                    assert_eq!(changed, expected);
                }
            }
        }
    }
}

#[test]
fn word_arithmetic_agrees_with_base_2_32_digits() {
    for len in EDGES {
        for (v, w) in [
            (noise(len, 6), noise(len, 7)),
            (vec![true; len], vec![true; len]),
            (vec![false; len], vec![true; len]),
            (noise(len, 8), noise(len, 8)),
        ] {
            let (x, y) = (digits(&v), digits(&w));
            let (mut carry, mut borrow) = (0, 0);
            let (mut sum, mut difference) = (Vec::new(), Vec::new());
            for (a, b) in x.iter().zip(&y) {
                let total = a + b + carry;
                carry = total >> 32;
                sum.push(total & 0xFFFF_FFFF);
                let rest = (1 << 32) + a - b - borrow;
                borrow = 1 - (rest >> 32);
                difference.push(rest & 0xFFFF_FFFF);
            }
            if len % 32 != 0 {
                carry = sum.last().map_or(0, |digit| digit >> (len % 32));
            }
            assert_eq!(words::add(&mut budget(), &v, &w).unwrap(), from_digits(len, &sum));
            assert_eq!(words::sub(&mut budget(), &v, &w).unwrap(), from_digits(len, &difference));
            assert_eq!(words::add_carries(&v, &w).unwrap(), carry != 0);
            assert_eq!(words::sub_borrows(&v, &w).unwrap(), borrow != 0);
            let ordering = x.iter().rev().cmp(y.iter().rev());
            assert_eq!(words::compare(&v, &w).unwrap(), ordering);
        }
    }
}

#[test]
fn integers_and_words_convert_up_to_63_bits() {
    for width in EDGES {
        for value in [0, 1, 5, 1 << 31, i64::MAX >> 1, i64::MAX] {
            let fits =
                u128::from(value as u64) < 1u128.checked_shl(width as u32).unwrap_or(1 << 127);
            let fits = fits || width >= 127;
            let word = words::from_int(&mut budget(), value, width as i64);
            assert_eq!(word.is_ok(), fits, "{value} in {width}");
            if let Ok(word) = word {
                let padded = format!("{:0>width$}", format!("{value:b}"));
                let expected: Vec<bool> = padded.chars().map(|digit| digit == '1').collect();
                assert_eq!(word[..], expected[expected.len() - width..]);
                assert_eq!(words::to_int(&word).unwrap(), value);
            }
        }
        assert!(words::from_int(&mut budget(), -1, width as i64).is_err());
        let too_big = width >= 64;
        assert_eq!(words::to_int(&vec![true; width]).is_err(), too_big);
    }
}

/// Builds a table from its rows.
fn from_rows(n_cols: usize, rows: &[Vec<bool>]) -> Table {
    Table {
        rows: rows.len(),
        columns: (0..n_cols).map(|j| rows.iter().map(|row| row[j]).collect()).collect(),
    }
}

#[test]
fn table_operations_agree_with_a_list_of_rows() {
    for n_rows in EDGES {
        for n_cols in [0, 1, 5, 64, 65] {
            let mut rows: Vec<Vec<bool>> = (0..n_rows).map(|i| noise(n_cols, i as u64)).collect();
            let mut table = from_rows(n_cols, &rows);
            for i in [0, 1, n_rows, n_rows + 1] {
                let row = tables::row(&mut budget(), &table, i as i64).ok();
                assert_eq!(row.as_ref(), i.checked_sub(1).and_then(|i| rows.get(i)));
            }
            for j in [0, 1, n_cols, n_cols + 1] {
                let column = tables::column(&mut budget(), &table, j as i64).ok();
                let expected: Option<Vec<bool>> =
                    (j >= 1 && j <= n_cols).then(|| rows.iter().map(|row| row[j - 1]).collect());
                assert_eq!(column, expected);
            }
            let (base, width) = (n_cols / 3, n_cols / 2);
            let field = tables::field(&mut budget(), &table, base as i64, width as i64).unwrap();
            let parts: Vec<Vec<bool>> =
                rows.iter().map(|row| row[base..base + width].to_vec()).collect();
            assert_eq!(field, from_rows(width, &parts));

            let zeros = tables::zeros(&mut budget(), n_rows, width).unwrap();
            assert_eq!(zeros, from_rows(width, &vec![vec![false; width]; n_rows]));
            tables::put_field(&budget(), &mut table, base as i64, &zeros).unwrap();
            rows.iter_mut().for_each(|row| row[base..base + width].fill(false));
            if n_rows > 0 && n_cols > 0 {
                let new_row = noise(n_cols, 99);
                tables::put_row(&mut table, n_rows as i64, &new_row).unwrap();
                rows[n_rows - 1] = new_row;
                tables::put_bit(&mut table, 1, n_cols as i64, 1).unwrap();
                rows[0][n_cols - 1] = true;
                tables::put_column(&mut table, 1, &vec![true; n_rows]).unwrap();
                rows.iter_mut().for_each(|row| row[0] = true);
                assert!(tables::get(&table, 1, n_cols as i64).unwrap());
            }
            tables::ensure_columns(&mut budget(), &mut table, n_cols + 2).unwrap();
            tables::ensure_columns(&mut budget(), &mut table, 1).unwrap();
            rows.iter_mut().for_each(|row| row.extend([false, false]));
            assert_eq!(table, from_rows(n_cols + 2, &rows));
        }
    }
}

#[test]
fn extreme_marks_the_rows_that_sort_first_or_last() {
    for n_rows in EDGES {
        for n_cols in [0, 1, 3, 65] {
            let rows: Vec<Vec<bool>> = (0..n_rows).map(|i| noise(n_cols, i as u64 / 3)).collect();
            let table = from_rows(n_cols, &rows);
            for mask in [noise(n_rows, 9), vec![true; n_rows], vec![false; n_rows]] {
                let mut marked: Vec<&Vec<bool>> =
                    (0..n_rows).filter(|&i| mask[i]).map(|i| &rows[i]).collect();
                marked.sort();
                for (sense, best) in [(Sense::Min, marked.first()), (Sense::Max, marked.last())] {
                    let expected: Vec<bool> =
                        (0..n_rows).map(|i| mask[i] && best == Some(&&rows[i])).collect();
                    let found = tables::extreme(&mut budget(), &table, &mask, sense).unwrap();
                    assert_eq!(found, expected);
                }
            }
        }
    }
}

#[test]
fn broken_guards_are_reported_without_panic() {
    let x = [true, false];
    for index in [i64::MIN, -1, 0, 3, i64::MAX] {
        assert!(bits::component(&x, index).is_err());
        assert!(bits::put(&mut x.clone(), index, 1).is_err());
    }
    assert!(bits::put(&mut x.clone(), 1, 2).is_err());
    assert!(bits::logic(&mut budget(), LogicOp::And, &x, &[true]).is_err());
    assert!(bits::shift(&mut budget(), &x, Direction::Up, -1).is_err());
    assert!(words::trim(&mut budget(), &x, i64::MAX, i64::MAX).is_err());
    assert!(words::trim(&mut budget(), &x, 0, -1).is_err());
    assert!(words::add(&mut budget(), &x, &[true]).is_err());
    assert!(words::from_int(&mut budget(), 4, 2).is_err());
    let table = from_rows(2, &[x.to_vec()]);
    assert!(tables::field(&mut budget(), &table, 1, 2).is_err());
    assert!(tables::put_row(&mut table.clone(), 2, &x).is_err());
    assert!(tables::put_column(&mut table.clone(), 1, &x).is_err());
    assert!(tables::extreme(&mut budget(), &table, &x, Sense::Min).is_err());
}

proptest! {
    #[test]
    fn integers_agree_with_128_bits(left: i64, right: i64, small in -3i64..3) {
        for right in [right, small, i64::MIN, i64::MAX] {
            for left in [left, i64::MIN] {
                let (x, y) = (i128::from(left), i128::from(right));
                let check = |op: IntOp, wide: Option<i128>| {
                    let expected = wide.and_then(|wide| i64::try_from(wide).ok());
                    prop_assert_eq!(op.apply(left, right), expected);
                    Ok(())
                };
                check(IntOp::Add, Some(x + y))?;
                check(IntOp::Sub, Some(x - y))?;
                check(IntOp::Mul, Some(x * y))?;
                check(IntOp::Div, x.checked_div(y))?;
                check(IntOp::Mod, x.checked_rem(y))?;
            }
        }
    }

    #[test]
    fn small_words_agree_with_128_bits(len in 0usize..=127, x: u128, y: u128) {
        let modulus = 1u128 << len;
        let (x, y) = (x % modulus, y % modulus);
        let word = |n: u128| (0..len).rev().map(|i| n >> i & 1 == 1).collect::<Vec<bool>>();
        let (v, w) = (word(x), word(y));
        prop_assert_eq!(words::add(&mut budget(), &v, &w).unwrap(), word((x + y) % modulus));
        let difference = (x + modulus - y) % modulus;
        prop_assert_eq!(words::sub(&mut budget(), &v, &w).unwrap(), word(difference));
        prop_assert_eq!(words::compare(&v, &w).unwrap(), x.cmp(&y));
        prop_assert_eq!(words::add_carries(&v, &w).unwrap(), x + y >= modulus);
        prop_assert_eq!(words::sub_borrows(&v, &w).unwrap(), x < y);
        let int = i64::try_from(x).ok();
        prop_assert_eq!(words::to_int(&v).ok(), int);
    }
}

#[test]
fn relations_and_logic_have_their_truth_tables() {
    for (relation, less, equal, greater) in [
        (Relation::Eq, false, true, false),
        (Relation::Ne, true, false, true),
        (Relation::Lt, true, false, false),
        (Relation::Le, true, true, false),
        (Relation::Gt, false, false, true),
        (Relation::Ge, false, true, true),
    ] {
        assert_eq!(relation.holds(Ordering::Less), less);
        assert_eq!(relation.holds(Ordering::Equal), equal);
        assert_eq!(relation.holds(Ordering::Greater), greater);
    }
    for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(LogicOp::And.apply(x, y), x & y);
        assert_eq!(LogicOp::Or.apply(x, y), x | y);
        assert_eq!(LogicOp::Xor.apply(x, y), x ^ y);
    }
}
