//! Order: ranks, sorted rows, the j-th smallest, histograms, sums of groups.

use std::collections::BTreeMap;

use star_tests::case::Random;

use super::{
    Data, Machine, Rows, SEED, Value, all_data, count, int, number, slice, table, value, with_unset,
};

const TEXT: &str = "
procedure kthmin(T: table; X: slice; j: integer; var Z: slice); begin KTHMIN(T,X,j,Z) end;
procedure rank(T: table; X: slice; h: integer; var R: table); begin RANK(T,X,h,R) end;
procedure order(T,F: table; X: slice; var R: table); begin ORDER(T,F,X,R) end;
procedure hist(T: table; X: slice; m,h: integer; var H: table); begin HIST(T,X,m,h,H) end;
procedure sums(T,F: table; X: slice; m,h: integer; var S: table); begin SUMGROUPS(T,F,X,m,h,S) end;
";

impl Data {
    /// Returns the marked rows in ascending order, equal ones from the top.
    fn in_order(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.marked().collect();
        rows.sort_by_key(|&i| value(&self.t[i]));
        rows
    }

    /// Returns the number of occurrences of each value in the marked rows.
    fn counts(&self) -> BTreeMap<u128, usize> {
        let mut counts = BTreeMap::new();
        for i in self.marked() {
            *counts.entry(value(&self.t[i])).or_default() += 1;
        }
        counts
    }
}

#[test]
fn the_jth_smallest_counts_equal_rows_and_may_be_empty() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let order = data.in_order();
        let m = order.len();
        for j in [0, 1, 2, m / 2, m, m + 1] {
            let mut args = data.one();
            args.extend([int(j), Value::Unset]);
            let found = j.checked_sub(1).and_then(|j| order.get(j)).map(|&i| &data.t[i]);
            let cost = match found {
                Some(row) => 1 + 4 * data.k + count(row),
                None if j == 0 => 1,
                None => 2,
            };
            let expected = data.rows_that(|i| Some(&data.t[i]) == found);
            assert_eq!(machine.last("kthmin", &args, cost as u64), expected);
        }
    }
    let args = [table(&vec![vec![true]], 1), slice(&[true]), Value::Int(-3), Value::Unset];
    assert_eq!(machine.last("kthmin", &args, 1), slice(&[false]));
}

#[test]
fn ranks_and_sorted_rows_keep_the_order_of_equal_rows() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let Data { n, k, f, .. } = &data;
        let (order, d) = (data.in_order(), data.counts().len());
        let m = order.len();

        // The least width that holds every rank, and one more than that.
        for h in [0, 1].map(|more| (usize::BITS - m.leading_zeros()) as usize + more) {
            let mut places = vec![vec![false; h]; *n];
            for (place, &i) in order.iter().enumerate() {
                places[i] = number(place as u128 + 1, h);
            }
            // The old contents of R do not matter.
            let mut args = data.one();
            args.extend([int(h), table(&vec![vec![true; h]; *n], h)]);
            let cost = 2 + h + 3 * m + d * (4 + 4 * k);
            assert_eq!(machine.last("rank", &args, cost as u64), table(&places, h));
        }

        let mut sorted: Rows = order.iter().map(|&i| f[i].clone()).collect();
        sorted.resize(*n, vec![false; *k]);
        let mut args = data.by_table();
        args.push(table(f, *k));
        let cost = 2 + k + 4 * m + d * (4 + 4 * k);
        assert_eq!(machine.last("order", &args, cost as u64), table(&sorted, *k));
    }
}

#[test]
fn histograms_and_sums_of_groups_have_rows_for_the_first_values() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let counts = data.counts();
        let h = (usize::BITS - data.n.leading_zeros()) as usize;
        for m in [0, 1, 5, 16] {
            let bins = (0..m).map(|value| counts.get(&value).copied().unwrap_or(0));
            let bins: Rows = bins.map(|count| number(count as u128, h)).collect();
            let sum = |group: u128| -> u128 {
                let rows = data.marked().filter(|&i| value(&data.t[i]) == group);
                rows.map(|i| value(&data.f[i])).sum()
            };
            let sums: Vec<u128> = (0..m).map(sum).collect();
            let d = counts.keys().filter(|&&value| value < m).count();
            let beyond = counts.keys().any(|&value| value >= m && value < 1 << 62);
            let columns = data.k.saturating_sub(62);
            let more = if beyond { 2 + 4 * data.k } else { 0 };
            let m = bins.len();
            let mut args = data.one();
            args.extend([int(m), int(h), table(&vec![vec![true; h]; m], h)]);
            let cost = 2 + h + 3 * columns + d * (7 + 4 * data.k) + more;
            assert_eq!(machine.last("hist", &args, cost as u64), table(&bins, h));

            let h = data.k + h;
            // No integer holds the sums of longer rows.
            if h <= 62 {
                let sums: Rows = sums.iter().map(|sum| number(*sum, h)).collect();
                let mut args = data.by_table();
                args.extend([int(m), int(h), table(&vec![vec![true; h]; m], h)]);
                let cost = 2 + h + d * (6 + 7 * data.k) + more;
                assert_eq!(machine.last("sums", &args, cost as u64), table(&sums, h));
            }
        }
    }
}

/// Numbers beyond every integer are ignored, and the others counted, in tables of more than 62
/// columns.
#[test]
fn a_histogram_of_wide_rows_counts_the_small_ones() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for k in [61, 62, 63, 64, 65, 100] {
        let wide = |random: &mut Random| match random.below(4) {
            0 => random.bits(k, 50),
            1 => number(1 << 61, k),
            _ => number(random.below(3) as u128, k),
        };
        let t: Rows = (0..33).map(|_| wide(&mut random)).collect();
        let bins: Rows = (0..3)
            .map(|bin| number(t.iter().filter(|row| value(row) == bin).count() as u128, 6))
            .collect();
        let args = with_unset(vec![table(&t, k), slice(&[true; 33]), int(3), int(6)], 1);
        assert_eq!(machine.call("hist", &args).0[4], table(&bins, 6));
    }
}

#[test]
fn counts_ranks_and_sums_that_do_not_fit_are_errors() {
    let machine = Machine::new(TEXT);
    let rows = vec![vec![true]; 4];
    let all = slice(&[true; 4]);
    let args = with_unset(vec![table(&rows, 1), all.clone(), int(2)], 1);
    assert_eq!(machine.trap("rank", &args).0, "T0108");
    let args = with_unset(vec![table(&rows, 1), all.clone(), int(2), int(2)], 1);
    assert_eq!(machine.trap("hist", &args).0, "T0108");
    let args = with_unset(vec![table(&rows, 1), table(&rows, 1), all, int(2), int(2)], 1);
    assert_eq!(machine.trap("sums", &args).0, "T0108");
}

#[test]
fn results_that_have_another_size_before_are_errors() {
    let (rows, other) = (vec![vec![true]; 4], vec![vec![false; 3]; 7]);
    for call in ["RANK(T,X,3,R)", "ORDER(T,T,X,R)", "HIST(T,X,2,3,R)", "SUMGROUPS(T,T,X,2,3,R)"] {
        let text =
            format!("procedure over(T,Q: table; X: slice; var R: table); begin R:=Q; {call} end;");
        let args = with_unset(vec![table(&rows, 1), table(&other, 3), slice(&[true; 4])], 1);
        assert_eq!(Machine::new(&text).trap("over", &args).0, "T0102", "{call}");
    }
}
