//! Searches of numbers in two's complement.

use super::{Data, Machine, all_data, count, signed, with_unset};

const TEXT: &str = "
procedure sless(T: table; X: slice; v: word; var Z: slice); begin SLESS(T,X,v,Z) end;
procedure sgreat(T: table; X: slice; v: word; var Z: slice); begin SGREAT(T,X,v,Z) end;
procedure sgel(T: table; X: slice; v: word; var G,E,L: slice); begin SGEL(T,X,v,G,E,L) end;
procedure smin(T: table; X: slice; var Z: slice); begin SMIN(T,X,Z) end;
procedure smax(T: table; X: slice; var Z: slice); begin SMAX(T,X,Z) end;
procedure ssetmin(T,F: table; X: slice; var Z: slice); begin SSETMIN(T,F,X,Z) end;
procedure ssetmax(T,F: table; X: slice; var Z: slice); begin SSETMAX(T,F,X,Z) end;
";

#[test]
fn signed_searches_use_twos_complement() {
    let machine = Machine::new(TEXT);
    for data in all_data() {
        let Data { k, t, f, v, .. } = &data;
        let (k, ones) = (*k as u64, count(v) as u64);
        let sign = u64::from(v.first() == Some(&true));
        // Without columns they cost the same as the unsigned procedures.
        let cost = |without: u64, with: u64| if k == 0 { without } else { with };

        let args = with_unset(data.by_word(), 1);
        let by_word =
            |order: fn(&i128, &i128) -> bool| data.rows_that(|i| order(&signed(&t[i]), &signed(v)));
        let less = machine.last("sless", &args, cost(1, 5 + 4 * k + 2 * ones + sign));
        assert_eq!(less, by_word(i128::lt));
        let great = machine.last("sgreat", &args, cost(1, 5 + 6 * k - 3 * ones + sign));
        assert_eq!(great, by_word(i128::gt));
        let (values, operations) = machine.call("sgel", &with_unset(data.by_word(), 3));
        let expected = [by_word(i128::gt), by_word(i128::eq), by_word(i128::lt)];
        assert_eq!((&values[3..], operations), (&expected[..], cost(2, 7 + 6 * k + sign)));

        let args = with_unset(data.one(), 1);
        let marked = || data.marked().map(|i| signed(&t[i]));
        let (least, greatest) = (marked().min(), marked().max());
        let expected = data.rows_that(|i| Some(signed(&t[i])) == least);
        assert_eq!(machine.last("smin", &args, cost(0, 3 + 4 * k)), expected);
        let expected = data.rows_that(|i| Some(signed(&t[i])) == greatest);
        assert_eq!(machine.last("smax", &args, cost(0, 4 + 3 * k)), expected);

        let args = with_unset(data.by_table(), 1);
        let by_row = |order: fn(&i128, &i128) -> bool| {
            data.rows_that(|i| order(&signed(&t[i]), &signed(&f[i])))
        };
        assert_eq!(machine.last("ssetmin", &args, cost(1, 6 + 8 * k)), by_row(i128::lt));
        assert_eq!(machine.last("ssetmax", &args, cost(1, 6 + 8 * k)), by_row(i128::gt));
    }
}
