//! Sums, differences, products and quotients.

use star_tests::case::Random;
use star_value::Value;

use super::{Data, Machine, SEED, all_data, count, table, value, with_unset, word};

const TEXT: &str = "
procedure addv(T,F: table; X: slice; var R: table); begin ADDV(T,F,X,R) end;
procedure subtv(T,F: table; X: slice; var R: table); begin SUBTV(T,F,X,R) end;
procedure addc(T: table; X: slice; v: word; var R: table); begin ADDC(T,X,v,R) end;
procedure subtc(T: table; X: slice; v: word; var R: table); begin SUBTC(T,X,v,R) end;
procedure multv(T,F: table; X: slice; var R: table); begin MULTV(T,F,X,R) end;
procedure multc(T: table; X: slice; v: word; var R: table); begin MULTC(T,X,v,R) end;
procedure divv(T,F: table; X: slice; var Q,R: table); begin DIVV(T,F,X,Q,R) end;
procedure divc(T: table; X: slice; v: word; var Q,R: table); begin DIVC(T,X,v,Q,R) end;
procedure sumrows(T: table; X: slice; var s: integer); begin s:=SUMROWS(T,X) end;
";

#[test]
fn sums_and_differences_are_correct_and_zero_if_unmarked() {
    let machine = Machine::new(TEXT);
    // Without columns there is nothing to write, and a result bound from outside stays unset.
    for data in all_data().into_iter().filter(|data| data.k > 0) {
        let Data { k, t, f, v, .. } = &data;
        let (h, modulus) = (*k, 1_u128 << k);
        let (k, ones) = (h as u64, count(v) as u64);

        let args = with_unset(data.by_table(), 1);
        let sum = data.numbers(h, |i| value(&t[i]) + value(&f[i]));
        assert_eq!(machine.last("addv", &args, 1 + 9 * k), sum);
        let difference = data.numbers(h, |i| modulus + value(&t[i]) - value(&f[i]));
        assert_eq!(machine.last("subtv", &args, 1 + 11 * k), difference);

        let args = with_unset(data.by_word(), 1);
        let sum = data.numbers(h, |i| value(&t[i]) + value(v));
        assert_eq!(machine.last("addc", &args, 1 + 6 * k + ones), sum);
        let difference = data.numbers(h, |i| modulus + value(&t[i]) - value(v));
        assert_eq!(machine.last("subtc", &args, 1 + 7 * k + ones), difference);
    }
}

#[test]
fn the_sum_of_the_marked_rows_is_an_integer() {
    let machine = Machine::new(TEXT);
    // The sums of wider rows may not fit in an integer.
    for data in all_data().into_iter().filter(|data| data.k < 50) {
        let sum = data.marked().map(|i| value(&data.t[i])).sum::<u128>();
        let args = with_unset(data.one(), 1);
        let sum = Value::Int(i64::try_from(sum).expect("small"));
        assert_eq!(machine.last("sumrows", &args, 3 * data.k as u64), sum);
    }
    let args = with_unset(vec![table(&vec![vec![true; 64]], 64), super::slice(&[true])], 1);
    assert_eq!(machine.trap("sumrows", &args).0, "T0104");
}

/// Returns products and quotients with a second operand of another width than the first; that
/// width, and the operands as tables.
fn of_two_widths() -> Vec<(Data, usize, super::Rows)> {
    let mut random = Random::new(SEED);
    let mut all = Vec::new();
    let narrow = [(1, 1), (1, 4), (4, 1), (3, 5), (5, 3), (6, 6), (8, 2), (7, 7)];
    for n in [0, 1, 2, 13, 64, 65] {
        for widths in narrow {
            all.extend((0..3).map(|_| (n, widths)));
        }
    }
    for widths in [(64, 1), (1, 64), (63, 64), (64, 63), (64, 64), (65, 20), (33, 90)] {
        all.extend([(3, widths), (3, widths), (33, widths)]);
    }
    all.extend([511, 513].map(|n| (n, (4, 3))));
    all.into_iter()
        .map(|(n, (p, q))| {
            let mut data = Data::new(&mut random, n, p);
            let mut f: super::Rows = (0..n).map(|_| random.bits(q, 50)).collect();
            f.iter_mut().filter(|_| random.chance(15)).for_each(|row| row.fill(false));
            data.v = match random.below(6) {
                0 => vec![false; q],
                1 => vec![true; q],
                _ => random.bits(q, 60),
            };
            (data, q, f)
        })
        .collect()
}

#[test]
fn products_have_the_combined_width_of_both_operands() {
    let machine = Machine::new(TEXT);
    for (data, q, f) in of_two_widths() {
        let Data { k, t, x, v, .. } = &data;
        let (p, width) = (*k as u64, k + q);
        let cost = 1 + 5 * p + q as u64 + 9 * p * q as u64;

        let args = with_unset(vec![table(t, *k), table(&f, q), super::slice(x)], 1);
        let product = data.numbers(width, |i| value(&t[i]) * value(&f[i]));
        assert_eq!(machine.last("multv", &args, cost), product);

        let args = with_unset(data.by_word(), 1);
        let product = data.numbers(width, |i| value(&t[i]) * value(v));
        assert_eq!(machine.last("multc", &args, cost + 3 * q as u64 - count(v) as u64), product);
    }
}

/// Returns quotient and remainder as the header of DIVV defines them.
fn divided(t: &[bool], f: &[bool]) -> (u128, u128) {
    let (t, f) = (value(t), value(f));
    (t.checked_div(f).unwrap_or(u128::MAX), t.checked_rem(f).unwrap_or(t))
}

#[test]
fn division_is_correct_and_as_documented_for_zero_divisors() {
    let machine = Machine::new(TEXT);
    let mut n_zeros = 0;
    for (data, q, f) in of_two_widths() {
        let Data { k, t, x, v, .. } = &data;
        let p = *k as u64;
        let cost = 9 * p + 3 * q as u64 + 13 * p * q as u64;
        n_zeros += data.marked().filter(|&i| value(&f[i]) == 0).count();

        let args = with_unset(vec![table(t, *k), table(&f, q), super::slice(x)], 2);
        let (values, operations) = machine.call("divv", &args);
        let quotient = data.numbers(*k, |i| divided(&t[i], &f[i]).0);
        let rest = data.numbers(q, |i| divided(&t[i], &f[i]).1);
        assert_eq!((&values[3..], operations), (&[quotient, rest][..], cost));

        let args = with_unset(vec![table(t, *k), super::slice(x), word(v)], 2);
        let (values, operations) = machine.call("divc", &args);
        let quotient = data.numbers(*k, |i| divided(&t[i], v).0);
        let rest = data.numbers(q, |i| divided(&t[i], v).1);
        let cost = cost + 3 * q as u64 - count(v) as u64;
        assert_eq!((&values[3..], operations), (&[quotient, rest][..], cost));
    }
    assert!(n_zeros > 100, "{n_zeros} divisions by zero are tested");
}
