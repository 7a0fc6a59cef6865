//! Sums and differences that overflow.

use star_value::Value;

use super::{Data, Machine, all_data, count, slice, value, with_unset};

const TEXT: &str = "
procedure addvo(T,F: table; X: slice; var R: table; var Z: slice); begin ADDVO(T,F,X,R,Z) end;
procedure subtvo(T,F: table; X: slice; var R: table; var Z: slice); begin SUBTVO(T,F,X,R,Z) end;
procedure addco(T: table; X: slice; v: word; var R: table; var Z: slice);
begin ADDCO(T,X,v,R,Z) end;
procedure subtco(T: table; X: slice; v: word; var R: table; var Z: slice);
begin SUBTCO(T,X,v,R,Z) end;
procedure addvs(T,F: table; X: slice; var R: table); begin ADDVS(T,F,X,R) end;
procedure subtvs(T,F: table; X: slice; var R: table); begin SUBTVS(T,F,X,R) end;
procedure addcs(T: table; X: slice; v: word; var R: table); begin ADDCS(T,X,v,R) end;
procedure subtcs(T: table; X: slice; v: word; var R: table); begin SUBTCS(T,X,v,R) end;
";

#[test]
fn overflow_is_marked_or_saturates() {
    let machine = Machine::new(TEXT);
    let mut n_overflows = [0; 4];
    for data in all_data().into_iter().filter(|data| data.k > 0) {
        let Data { k, t, f, v, .. } = &data;
        let (h, modulus) = (*k, 1_u128 << k);
        let (k, ones) = (h as u64, count(v) as u64);
        let of_table: Vec<u128> = f.iter().map(|row| value(row)).collect();
        let of_word = vec![value(v); data.n];

        // The letter of the operand, the operand, and the costs: plus and minus, marked and
        // saturated.
        let kinds = [
            ("v", of_table, [10 + 9 * k, 10 + 11 * k, 10 + 12 * k, 11 + 14 * k]),
            ("c", of_word, [7 + 6 * k, 7 + 7 * k, 7 + 9 * k, 8 + 10 * k].map(|cost| cost + ones)),
        ];
        for (kind, (letter, operand, costs)) in kinds.into_iter().enumerate() {
            let args = if letter == "v" { data.by_table() } else { data.by_word() };
            let call = |name: &str, form: &str, n_results: usize| {
                machine.call(&format!("{name}{letter}{form}"), &with_unset(args.clone(), n_results))
            };
            let overflows = |i: usize| value(&t[i]) + operand[i] >= modulus;
            let borrows = |i: usize| value(&t[i]) < operand[i];
            n_overflows[2 * kind] += data.marked().filter(|&i| overflows(i)).count();
            n_overflows[2 * kind + 1] += data.marked().filter(|&i| borrows(i)).count();

            let sum = data.numbers(h, |i| value(&t[i]) + operand[i]);
            let (values, cost) = call("add", "o", 2);
            let expected = [sum, data.rows_that(overflows)];
            assert_eq!((&values[3..], cost), (&expected[..], costs[0]));
            let difference = data.numbers(h, |i| modulus + value(&t[i]) - operand[i]);
            let (values, cost) = call("subt", "o", 2);
            let expected = [difference, data.rows_that(borrows)];
            assert_eq!((&values[3..], cost), (&expected[..], costs[1]));

            let sum = data.numbers(h, |i| (value(&t[i]) + operand[i]).min(modulus - 1));
            let (values, cost) = call("add", "s", 1);
            assert_eq!((&values[3], cost), (&sum, costs[2]));
            let difference = data.numbers(h, |i| value(&t[i]).saturating_sub(operand[i]));
            let (values, cost) = call("subt", "s", 1);
            assert_eq!((&values[3], cost), (&difference, costs[3]));
        }
    }
    assert!(n_overflows.into_iter().all(|n| n > 100), "{n_overflows:?}");
}

#[test]
fn rows_without_columns_never_overflow() {
    let machine = Machine::new(TEXT);
    for data in all_data().into_iter().filter(|data| data.k == 0) {
        let none: Value = slice(&vec![false; data.n]);
        for name in ["addvo", "subtvo", "addco", "subtco"] {
            let args = if name.contains('v') { data.by_table() } else { data.by_word() };
            assert_eq!(machine.last(name, &with_unset(args, 2), 2), none);
        }
        for (name, cost) in [("addvs", 2), ("subtvs", 3), ("addcs", 2), ("subtcs", 3)] {
            let args = if name.contains('v') { data.by_table() } else { data.by_word() };
            assert_eq!(machine.call(name, &with_unset(args, 1)).1, cost, "{name}");
        }
    }
}
