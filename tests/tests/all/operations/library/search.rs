//! Searches of unsigned numbers.

use super::{Data, Machine, Rows, all_data, count, machines, table, value, with_unset};

const TEXT: &str = "
procedure match(T: table; X: slice; v: word; var Z: slice); begin MATCH(T,X,v,Z) end;
procedure min(T: table; X: slice; var Z: slice); begin MIN(T,X,Z) end;
procedure max(T: table; X: slice; var Z: slice); begin MAX(T,X,Z) end;
procedure less(T: table; X: slice; v: word; var Z: slice); begin LESS(T,X,v,Z) end;
procedure great(T: table; X: slice; v: word; var Z: slice); begin GREAT(T,X,v,Z) end;
procedure gel(T: table; X: slice; v: word; var G,E,L: slice); begin GEL(T,X,v,G,E,L) end;
procedure among(T,S: table; X: slice; var Z: slice); begin AMONG(T,X,S,Z) end;
procedure hit(T,F: table; X: slice; var Z: slice); begin HIT(T,F,X,Z) end;
procedure setmin(T,F: table; X: slice; var Z: slice); begin SETMIN(T,F,X,Z) end;
procedure setmax(T,F: table; X: slice; var Z: slice); begin SETMAX(T,F,X,Z) end;
procedure nearless(T: table; X: slice; v: word; var Z: slice); begin NEARLESS(T,X,v,Z) end;
procedure neargreat(T: table; X: slice; v: word; var Z: slice); begin NEARGREAT(T,X,v,Z) end;
procedure nearest(T: table; X: slice; v: word; var Z: slice); begin NEAREST(T,X,v,Z) end;
";

#[test]
fn comparisons_mark_the_rows_that_satisfy_them() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let Data { k, t, f, v, .. } = &data;
        let (k, ones) = (*k as u64, count(v) as u64);

        let args = with_unset(data.by_word(), 1);
        let by_word =
            |order: fn(&u128, &u128) -> bool| data.rows_that(|i| order(&value(&t[i]), &value(v)));
        assert_eq!(machine.last("match", &args, 4 * k - ones), by_word(u128::eq));
        assert_eq!(machine.last("less", &args, 1 + 4 * k + 2 * ones), by_word(u128::lt));
        assert_eq!(machine.last("great", &args, 1 + 6 * k - 3 * ones), by_word(u128::gt));
        let (values, cost) = machine.call("gel", &with_unset(data.by_word(), 3));
        let expected = [by_word(u128::gt), by_word(u128::eq), by_word(u128::lt)];
        assert_eq!((&values[3..], cost), (&expected[..], 2 + 6 * k));

        let args = with_unset(data.by_table(), 1);
        let by_row = |order: fn(&u128, &u128) -> bool| {
            data.rows_that(|i| order(&value(&t[i]), &value(&f[i])))
        };
        assert_eq!(machine.last("hit", &args, 5 * k), by_row(u128::eq));
        assert_eq!(machine.last("setmin", &args, 1 + 8 * k), by_row(u128::lt));
        assert_eq!(machine.last("setmax", &args, 1 + 8 * k), by_row(u128::gt));
    }
}

#[test]
fn rows_of_a_set_are_among_the_rows_of_its_table() {
    let machines = machines(TEXT);
    for data in all_data() {
        let Data { k, t, f, .. } = &data;
        // The rows of F and every second one of T, and then no row at all.
        let some: Rows = f.iter().chain(t.iter().step_by(2)).cloned().collect();
        for set in [some, Rows::new()] {
            let mut args = with_unset(data.one(), 1);
            args.insert(1, table(&set, *k));
            let expected = data.rows_that(|i| set.contains(&t[i]));
            let costs = set.iter().map(|word| 2 + 4 * *k as u64 - count(word) as u64);
            let cost = 1 + costs.sum::<u64>();
            for machine in &machines {
                assert_eq!(machine.last("among", &args, cost), expected);
            }
        }
    }
}

#[test]
fn extremes_are_all_rows_with_the_value_in_both_variants() {
    let machines = machines(TEXT);
    for data in all_data() {
        let Data { k, t, .. } = &data;
        let marked = || data.marked().map(|i| value(&t[i]));
        let (least, greatest) = (marked().min(), marked().max());
        let args = with_unset(data.one(), 1);
        let k = *k as u64;
        for machine in &machines {
            let expected = data.rows_that(|i| Some(value(&t[i])) == least);
            assert_eq!(machine.last("min", &args, 4 * k), expected);
            let expected = data.rows_that(|i| Some(value(&t[i])) == greatest);
            assert_eq!(machine.last("max", &args, 3 * k), expected);
        }
    }
}

#[test]
fn the_nearest_rows_are_all_with_the_least_difference() {
    let machine = Machine::new(TEXT);
    let mut seen = [false; 4];
    for data in all_data() {
        let Data { k, t, v, .. } = &data;
        let (k, ones, v) = (*k as u64, count(v) as u64, value(v));
        let args = with_unset(data.by_word(), 1);

        let below = data.marked().map(|i| value(&t[i])).filter(|&row| row < v).max();
        let marks = data.rows_that(|i| Some(value(&t[i])) == below);
        assert_eq!(machine.last("nearless", &args, 1 + 7 * k + 2 * ones), marks);
        let above = data.marked().map(|i| value(&t[i])).filter(|&row| row > v).min();
        let marks = data.rows_that(|i| Some(value(&t[i])) == above);
        assert_eq!(machine.last("neargreat", &args, 1 + 10 * k - 3 * ones), marks);

        let least = data.marked().map(|i| value(&t[i]).abs_diff(v)).min();
        let (case, cost) = match (least, below, above) {
            (Some(0), ..) => (0, 3 + 6 * k),
            (_, Some(below), Some(above)) if v - below == above - v => (1, 12 + 13 * k),
            (_, Some(_), Some(_)) => (2, 13 + 13 * k),
            (_, _, None) | (_, None, _) => (3, 6 + 13 * k),
        };
        seen[case] = true;
        let marks = data.rows_that(|i| Some(value(&t[i]).abs_diff(v)) == least);
        assert_eq!(machine.last("nearest", &args, cost), marks);
    }
    assert_eq!(seen, [true; 4], "some case of the cost is not tested");
}
