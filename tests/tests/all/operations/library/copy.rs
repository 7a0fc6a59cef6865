//! Copies, with and without machine operations.

use star_compiler::LowerOptions;
use star_tests::case::Random;
use star_value::Value;

use super::{
    Data, Machine, Rows, SEED, SIZES, all_data, count, int, machines, slice, table, value,
    with_unset, word,
};

const TEXT: &str = "
procedure clear(k: integer; var F: table); begin CLEAR(k,F) end;
procedure tcopy(T: table; var F: table); begin TCOPY(T,F) end;
procedure tcopy1(T: table; j,h: integer; var F: table); begin TCOPY1(T,j,h,F) end;
procedure tcopy2(T: table; j,h: integer; var F: table); begin TCOPY2(T,j,h,F) end;
procedure wcopy(v: word; X: slice; var F: table); begin WCOPY(v,X,F) end;
procedure wmerge(v: word; X: slice; var F: table); begin WMERGE(v,X,F) end;
procedure tmerge(T: table; X: slice; var F: table); begin TMERGE(T,X,F) end;
procedure compress(T: table; X: slice; var F: table); begin COMPRESS(T,X,F) end;
";

#[test]
fn copies_clear_or_keep_the_other_rows() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let Data { k, t, f, x, v, .. } = &data;
        let h = *k;
        let (tv, fv, xv, vv) = (table(t, h), table(f, h), slice(x), word(v));
        let (k, ones) = (h as u64, count(v) as u64);

        let args = with_unset(vec![vv.clone(), xv.clone()], 1);
        let expected = data.numbers(h, |_| value(v));
        assert_eq!(machine.last("wcopy", &args, 3 * k - ones), expected);
        let args = [vv, xv.clone(), fv.clone()];
        let expected = data.rows_of(h, |_| value(v), |i| f[i].clone());
        assert_eq!(machine.last("wmerge", &args, 5 * k - ones), expected);
        let args = [tv.clone(), xv, fv.clone()];
        let expected = data.rows_of(h, |i| value(&t[i]), |i| f[i].clone());
        assert_eq!(machine.last("tmerge", &args, 7 * k), expected);
        let copied = machine.last("tcopy", &with_unset(vec![tv.clone()], 1), 2 * k);
        assert_eq!(copied, tv);
        let cleared: Rows =
            t.iter().map(|row| (0..h).map(|j| j >= h / 2 && row[j]).collect()).collect();
        let args = [int(h / 2), tv];
        assert_eq!(machine.last("clear", &args, 1 + k / 2), table(&cleared, h));
    }
}

#[test]
fn the_marked_rows_move_to_the_top_in_order() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let Data { n, k, t, f, .. } = &data;
        let mut expected: Rows = data.marked().map(|i| t[i].clone()).collect();
        let cost = 2 + k + 4 * expected.len();
        expected.resize(*n, vec![false; *k]);
        // The old contents of F do not matter.
        let mut args = data.one();
        args.push(table(f, *k));
        assert_eq!(machine.last("compress", &args, cost as u64), table(&expected, *k));
    }
}

#[test]
fn fields_are_copied_with_and_without_machine_operations() {
    let machines = machines(TEXT);
    let mut random = Random::new(SEED);
    for n in SIZES {
        for h in [0, 1, 3, 8, 33] {
            for fields in [1, 2, 4] {
                let j = 1 + random.below(fields);
                let width = h * fields;
                let field = (j - 1) * h..j * h;
                let wide: Rows = (0..n).map(|_| random.bits(width, 50)).collect();
                let narrow: Rows = (0..n).map(|_| random.bits(h, 50)).collect();
                let taken: Rows = wide.iter().map(|row| row[field.clone()].to_vec()).collect();
                let mut put = wide.clone();
                for (row, part) in put.iter_mut().zip(&narrow) {
                    row[field.clone()].copy_from_slice(part);
                }
                for machine in &machines {
                    let args = [table(&wide, width), int(j), int(h), Value::Unset];
                    let cost = 2 * h as u64;
                    assert_eq!(machine.last("tcopy1", &args, cost), table(&taken, h));
                    let args = [table(&narrow, h), int(j), int(h), table(&wide, width)];
                    assert_eq!(machine.last("tcopy2", &args, cost), table(&put, width));
                }
            }
        }
    }
}

#[test]
fn tcopy2_grows_an_unsized_table_in_both_variants() {
    let text = "
        procedure grow(T: table; j,h: integer; var F: table);
        var A: table;
        begin TCOPY2(T,j,h,A); F:=A; end;";
    for machine_ops in [true, false] {
        let machine = Machine::with(text, &LowerOptions { machine_ops, ..LowerOptions::default() });
        let narrow = vec![vec![true, false], vec![true, true], vec![false, true]];
        let args = [table(&narrow, 2), int(3), int(2), Value::Unset];
        let grown: Rows = narrow.iter().map(|row| [&[false; 4], &row[..]].concat()).collect();
        assert_eq!(machine.last("grow", &args, 4), table(&grown, 6));
    }
}
