//! The library procedures on random tables against direct computation, with their costs as their
//! headers state them; MIN, MAX, TCOPY1 and TCOPY2 also as calls of their Star bodies.

use star_compiler::LowerOptions;
use star_tests::case::Random;
use star_vm::HostValue;

use super::{Machine, Rows, SEED, SIZES, count, int, slice, table, word};

const TEXT: &str = "
procedure match(T: table; X: slice; v: word; var Z: slice); begin MATCH(T,X,v,Z) end;
procedure min(T: table; X: slice; var Z: slice); begin MIN(T,X,Z) end;
procedure max(T: table; X: slice; var Z: slice); begin MAX(T,X,Z) end;
procedure less(T: table; X: slice; v: word; var Z: slice); begin LESS(T,X,v,Z) end;
procedure great(T: table; X: slice; v: word; var Z: slice); begin GREAT(T,X,v,Z) end;
procedure gel(T: table; X: slice; v: word; var G,E,L: slice); begin GEL(T,X,v,G,E,L) end;
procedure hit(T,F: table; X: slice; var Z: slice); begin HIT(T,F,X,Z) end;
procedure setmin(T,F: table; X: slice; var Z: slice); begin SETMIN(T,F,X,Z) end;
procedure setmax(T,F: table; X: slice; var Z: slice); begin SETMAX(T,F,X,Z) end;
procedure addv(T,F: table; X: slice; var R: table); begin ADDV(T,F,X,R) end;
procedure subtv(T,F: table; X: slice; var R: table); begin SUBTV(T,F,X,R) end;
procedure addc(T: table; X: slice; v: word; var R: table); begin ADDC(T,X,v,R) end;
procedure subtc(T: table; X: slice; v: word; var R: table); begin SUBTC(T,X,v,R) end;
procedure multv(T,F: table; X: slice; var R: table); begin MULTV(T,F,X,R) end;
procedure multc(T: table; X: slice; v: word; var R: table); begin MULTC(T,X,v,R) end;
procedure sumrows(T: table; X: slice; var s: integer); begin s:=SUMROWS(T,X) end;
procedure clear(k: integer; var F: table); begin CLEAR(k,F) end;
procedure tcopy(T: table; var F: table); begin TCOPY(T,F) end;
procedure tcopy1(T: table; j,h: integer; var F: table); begin TCOPY1(T,j,h,F) end;
procedure tcopy2(T: table; j,h: integer; var F: table); begin TCOPY2(T,j,h,F) end;
procedure wcopy(v: word; X: slice; var F: table); begin WCOPY(v,X,F) end;
procedure wmerge(v: word; X: slice; var F: table); begin WMERGE(v,X,F) end;
procedure tmerge(T: table; X: slice; var F: table); begin TMERGE(T,X,F) end;
";

/// Random tables of one size, and what goes with them.
struct Data {
    n: usize,
    k: usize,
    t: Rows,
    f: Rows,
    x: Vec<bool>,
    v: Vec<bool>,
}

fn value(bits: &[bool]) -> u64 {
    bits.iter().fold(0, |sum, &bit| 2 * sum + u64::from(bit))
}

fn number(value: u64, width: usize) -> Vec<bool> {
    (0..width).rev().map(|place| value >> place & 1 == 1).collect()
}

impl Data {
    fn new(random: &mut Random, n: usize, k: usize) -> Self {
        let rows = |random: &mut Random| -> Rows { (0..n).map(|_| random.bits(k, 50)).collect() };
        let (t, mut f) = (rows(random), rows(random));
        // Equal and nearly equal rows are common where numbers are compared.
        for (mine, theirs) in f.iter_mut().zip(&t) {
            if random.chance(40) {
                mine.clone_from(theirs);
            }
        }
        let percent = [0, 30, 70, 100][random.below(4)];
        let x = random.bits(n, percent);
        let v = if n > 0 && random.chance(60) {
            t[random.below(n)].clone()
        } else {
            random.bits(k, 50)
        };
        Data { n, k, t, f, x, v }
    }

    /// The rows of `X` for which `marks` holds.
    fn rows_that(&self, marks: impl Fn(usize) -> bool) -> HostValue {
        slice(&(0..self.n).map(|i| self.x[i] && marks(i)).collect::<Vec<_>>())
    }

    /// The rows of `X` as numbers of `width` bits; the others as `otherwise` says.
    fn rows_of(
        &self,
        width: usize,
        value: impl Fn(usize) -> u64,
        otherwise: impl Fn(usize) -> Vec<bool>,
    ) -> HostValue {
        let rows = (0..self.n)
            .map(|i| if self.x[i] { number(value(i), width) } else { otherwise(i) })
            .collect();
        table(&rows, width)
    }
}

/// About 400 pairs of tables: small ones and ones at the borders of limbs.
fn all_data() -> Vec<Data> {
    let mut random = Random::new(SEED);
    let mut all = Vec::new();
    for n in [0, 1, 2, 3, 5, 8, 13, 63, 64, 65] {
        for k in [0, 1, 2, 3, 4, 5, 7] {
            for _ in 0..3 {
                all.push(Data::new(&mut random, n, k));
            }
        }
    }
    // Every border of rows; and words as wide as their products and sums can be computed here.
    for n in SIZES {
        all.push(Data::new(&mut random, n, 4));
    }
    for n in [1, 33, 65] {
        all.extend([15, 16, 31].map(|k| Data::new(&mut random, n, k)));
    }
    for (n, k) in [(31, 6), (32, 6), (33, 6), (127, 4), (128, 4), (129, 4), (512, 2), (513, 2)] {
        all.push(Data::new(&mut random, n, k));
    }
    all
}

fn machines() -> [Machine; 2] {
    [true, false].map(|machine_ops| {
        Machine::with(TEXT, &LowerOptions { machine_ops, ..LowerOptions::default() })
    })
}

#[test]
fn searches_mark_the_rows_they_say() {
    let [machine, _] = machines();
    for data in all_data() {
        let Data { n, k, t, f, x, v } = &data;
        let (tv, xv, vv) = (table(t, *k), slice(x), word(v));
        let (k, ones) = (*k as u64, count(v) as u64);
        let none = HostValue::Unset;

        let args = [tv.clone(), xv.clone(), vv.clone(), none.clone()];
        let by_word =
            |order: fn(&u64, &u64) -> bool| data.rows_that(|i| order(&value(&t[i]), &value(v)));
        assert_eq!(machine.last("match", &args, 4 * k - ones), by_word(u64::eq));
        assert_eq!(machine.last("less", &args, 1 + 4 * k + 2 * ones), by_word(u64::lt));
        assert_eq!(machine.last("great", &args, 1 + 6 * k - 3 * ones), by_word(u64::gt));
        let args = [tv.clone(), xv.clone(), vv.clone(), none.clone(), none.clone(), none.clone()];
        let (values, cost) = machine.call("gel", &args);
        let expected = [by_word(u64::gt), by_word(u64::eq), by_word(u64::lt)];
        assert_eq!((&values[3..], cost), (&expected[..], 2 + 6 * k));

        let args = [tv.clone(), table(f, data.k), xv.clone(), none.clone()];
        let by_row =
            |order: fn(&u64, &u64) -> bool| data.rows_that(|i| order(&value(&t[i]), &value(&f[i])));
        assert_eq!(machine.last("hit", &args, 5 * k), by_row(u64::eq));
        assert_eq!(machine.last("setmin", &args, 1 + 8 * k), by_row(u64::lt));
        assert_eq!(machine.last("setmax", &args, 1 + 8 * k), by_row(u64::gt));

        let marked = || (0..*n).filter(|&i| x[i]).map(|i| value(&t[i]));
        let args = [tv, xv, none];
        let sum = HostValue::Int(marked().sum::<u64>() as i64);
        assert_eq!(machine.last("sumrows", &args, 3 * k), sum);
    }
}

#[test]
fn extremes_are_all_rows_that_hold_them_with_and_without_machine_operations() {
    let machines = machines();
    for data in all_data() {
        let Data { n, k, t, x, .. } = &data;
        let marked = || (0..*n).filter(|&i| x[i]).map(|i| value(&t[i]));
        let (least, greatest) = (marked().min(), marked().max());
        let args = [table(t, *k), slice(x), HostValue::Unset];
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
fn sums_and_products_are_right_in_the_marked_rows_and_zero_elsewhere() {
    let [machine, _] = machines();
    for data in all_data() {
        let Data { k, t, f, x, v, .. } = &data;
        let (h, modulus) = (*k, 1_u64 << k);
        let (tv, fv, xv, vv) = (table(t, h), table(f, h), slice(x), word(v));
        let none = HostValue::Unset;
        let (k, ones) = (h as u64, count(v) as u64);
        let zero = |_| vec![false; h];

        let args = [tv.clone(), fv, xv.clone(), none.clone()];
        // With no column there is nothing to write, and R stays without rows.
        if h > 0 {
            let sum = data.rows_of(h, |i| (value(&t[i]) + value(&f[i])) % modulus, zero);
            assert_eq!(machine.last("addv", &args, 1 + 9 * k), sum);
            let difference = |i: usize| (modulus + value(&t[i]) - value(&f[i])) % modulus;
            let difference = data.rows_of(h, difference, zero);
            assert_eq!(machine.last("subtv", &args, 1 + 11 * k), difference);
            let product = |i: usize| value(&t[i]) * value(&f[i]);
            let product = data.rows_of(2 * h, product, |_| vec![false; 2 * h]);
            assert_eq!(machine.last("multv", &args, 1 + 13 * k + 9 * k * k), product);
        }

        let args = [tv, xv, vv, none];
        if h > 0 {
            let sum = data.rows_of(h, |i| (value(&t[i]) + value(v)) % modulus, zero);
            assert_eq!(machine.last("addc", &args, 1 + 6 * k + ones), sum);
            let difference = |i: usize| (modulus + value(&t[i]) - value(v)) % modulus;
            let difference = data.rows_of(h, difference, zero);
            assert_eq!(machine.last("subtc", &args, 1 + 7 * k + ones), difference);
            let product = |i: usize| value(&t[i]) * value(v);
            let product = data.rows_of(2 * h, product, |_| vec![false; 2 * h]);
            assert_eq!(machine.last("multc", &args, 1 + 16 * k + 9 * k * k - ones), product);
        }
    }
}

#[test]
fn copies_of_words_and_tables_clear_or_keep_the_other_rows() {
    let [machine, _] = machines();
    for data in all_data() {
        let Data { k, t, f, x, v, .. } = &data;
        let h = *k;
        let (tv, fv, xv, vv) = (table(t, h), table(f, h), slice(x), word(v));
        let (k, ones) = (h as u64, count(v) as u64);

        let args = [vv.clone(), xv.clone(), HostValue::Unset];
        let expected = data.rows_of(h, |_| value(v), |_| vec![false; h]);
        assert_eq!(machine.last("wcopy", &args, 3 * k - ones), expected);
        let args = [vv, xv.clone(), fv.clone()];
        let expected = data.rows_of(h, |_| value(v), |i| f[i].clone());
        assert_eq!(machine.last("wmerge", &args, 5 * k - ones), expected);
        let args = [tv.clone(), xv, fv.clone()];
        let expected = data.rows_of(h, |i| value(&t[i]), |i| f[i].clone());
        assert_eq!(machine.last("tmerge", &args, 7 * k), expected);
        let copied = machine.last("tcopy", &[tv.clone(), HostValue::Unset], 2 * k);
        assert_eq!(copied, tv);
        let cleared: Rows =
            t.iter().map(|row| (0..h).map(|j| j >= h / 2 && row[j]).collect()).collect();
        let args = [int(h / 2), tv];
        assert_eq!(machine.last("clear", &args, 1 + k / 2), table(&cleared, h));
    }
}

#[test]
fn fields_are_copied_with_and_without_machine_operations() {
    let machines = machines();
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
                    let args = [table(&wide, width), int(j), int(h), HostValue::Unset];
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
fn a_table_without_sizes_grows_under_tcopy2_either_way() {
    let text = "
        procedure grow(T: table; j,h: integer; var F: table);
        var A: table;
        begin TCOPY2(T,j,h,A); F:=A; end;";
    for machine_ops in [true, false] {
        let machine = Machine::with(text, &LowerOptions { machine_ops, ..LowerOptions::default() });
        let narrow = vec![vec![true, false], vec![true, true], vec![false, true]];
        let args = [table(&narrow, 2), int(3), int(2), HostValue::Unset];
        let grown: Rows = narrow.iter().map(|row| [&[false; 4], &row[..]].concat()).collect();
        assert_eq!(machine.last("grow", &args, 4), table(&grown, 6));
    }
}

#[test]
fn results_may_be_operands() {
    let text = "
        procedure own(var T: table; X: slice; v: word; var U: table);
        begin SUBTC(T,X,v,T); ADDV(T,U,X,U); MULTC(U,X,v,U); TCOPY1(T,2,1,T) end;
        procedure slices(T: table; v: word; var X: slice);
        begin MATCH(T,X,v,X); LESS(T,X,v,X) end;
        procedure least(T: table; var X: slice); begin MIN(T,X,X) end;";
    for machine_ops in [true, false] {
        let machine = Machine::with(text, &LowerOptions { machine_ops, ..LowerOptions::default() });
        let t = vec![vec![true, true], vec![false, true]];
        let u = vec![vec![false, true], vec![true, true]];
        let both = [true, true];
        let args = [table(&t, 2), slice(&both), word(&[false, true]), table(&u, 2)];
        let run = machine.program.run("own", args.to_vec());
        // `U` was bound from outside and does not grow to the four columns of the product; the
        // first two were cleared before.
        assert!(matches!(&run.outcome, star_vm::Outcome::Trap(_)), "{:?}", run.outcome);
        assert_eq!(run.values[0], table(&vec![vec![true, false], vec![false, false]], 2));
        assert_eq!(run.values[3], table(&vec![vec![false, false], vec![false, false]], 2));
        let args = [table(&t, 2), word(&[true, true]), slice(&both)];
        assert_eq!(machine.call("slices", &args).0[2], slice(&[false, false]));
        let args = [table(&t, 2), slice(&both)];
        assert_eq!(machine.call("least", &args).0[1], slice(&[false, true]));
    }
}
