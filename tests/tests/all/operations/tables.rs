//! Columns, rows and bits of tables.

use star_tests::case::Random;
use star_value::Value;

use super::{Machine, Rows, SEED, SIZES, int, slice, table, word};

const TEXT: &str = "
procedure get_col(i: integer; T: table; var X: slice); begin X:=COL(i,T) end;
procedure get_row(i: integer; T: table; var w: word); begin w:=ROW(i,T) end;
procedure put_col(i: integer; X: slice; var T: table); begin COL(i,T):=X end;
procedure put_row(i: integer; w: word; var T: table); begin ROW(i,T):=w end;
procedure get_bit(i,j: integer; T: table; var c: integer); begin c:=T(i,j) end;
procedure put_bit(i,j,c: integer; var T: table); begin T(i,j):=c end;
procedure n_cols(T: table; var n: integer); begin n:=size(T) end;
procedure n_rows(T: table; var n: integer); begin n:=rows(T) end;
procedure move_col(i,j: integer; var T: table); begin COL(i,T):=COL(j,T) end;
procedure move_row(i,j: integer; var T: table); begin ROW(i,T):=ROW(j,T) end;
procedure copies(var T: table; var X: slice; var w: word);
begin
  X:=COL(1,T); w:=ROW(1,T);
  COL(1,T):=not X; ROW(1,T):=not ROW(1,T);
  X(1):=1; w(1):=1;
end;
";

/// Returns tables of each number of rows with a few columns and the other way round.
fn all_tables() -> Vec<(Rows, usize)> {
    let mut random = Random::new(SEED);
    let mut tables = Vec::new();
    for size in SIZES {
        for other in [0, 1, 5] {
            for (n_rows, n_cols) in [(size, other), (other, size)] {
                tables.push(((0..n_rows).map(|_| random.bits(n_cols, 50)).collect(), n_cols));
            }
        }
    }
    tables.push(((0..65).map(|_| random.bits(65, 50)).collect(), 65));
    tables
}

fn column(rows: &Rows, j: usize) -> Vec<bool> {
    rows.iter().map(|row| row[j - 1]).collect()
}

#[test]
fn columns_are_read_and_written() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for (rows, n_cols) in all_tables() {
        let n = rows.len();
        assert_eq!(machine.last("n_cols", &[table(&rows, n_cols), Value::Unset], 0), int(n_cols));
        let places = if n_cols == 0 { vec![] } else { vec![1, n_cols, 1 + random.below(n_cols)] };
        for &j in &places {
            let args = [int(j), table(&rows, n_cols), Value::Unset];
            assert_eq!(machine.last("get_col", &args, 1), slice(&column(&rows, j)));
            let x = random.bits(n, 50);
            let written: Rows = rows
                .iter()
                .zip(&x)
                .map(|(row, &bit)| {
                    let mut row = row.clone();
                    row[j - 1] = bit;
                    row
                })
                .collect();
            let args = [int(j), slice(&x), table(&rows, n_cols)];
            assert_eq!(machine.last("put_col", &args, 1), table(&written, n_cols));
            let longer = [int(j), slice(&vec![true; n + 1]), table(&rows, n_cols)];
            assert_eq!(machine.trap("put_col", &longer).0, "T0102");
            let moved: Rows = rows
                .iter()
                .map(|row| {
                    let mut row = row.clone();
                    row[j - 1] = row[n_cols - 1];
                    row
                })
                .collect();
            let args = [int(j), int(n_cols), table(&rows, n_cols)];
            assert_eq!(machine.last("move_col", &args, 2), table(&moved, n_cols));
        }
        // These tables are passed from outside and do not grow.
        for j in [0, -1, n_cols as i64 + 1, i64::MAX] {
            let args = [Value::Int(j), table(&rows, n_cols), Value::Unset];
            assert_eq!(machine.trap("get_col", &args).0, "T0101");
            let args = [Value::Int(j), slice(&vec![true; n]), table(&rows, n_cols)];
            let (code, values) = machine.trap("put_col", &args);
            assert_eq!((code.as_str(), &values[2]), ("T0101", &table(&rows, n_cols)));
        }
    }
}

#[test]
fn rows_are_read_and_written() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for (rows, n_cols) in all_tables() {
        let n = rows.len();
        assert_eq!(machine.last("n_rows", &[table(&rows, n_cols), Value::Unset], 0), int(n));
        let places = if n == 0 { vec![] } else { vec![1, n, 1 + random.below(n)] };
        for &i in &places {
            let args = [int(i), table(&rows, n_cols), Value::Unset];
            assert_eq!(machine.last("get_row", &args, 1), word(&rows[i - 1]));
            let w = random.bits(n_cols, 50);
            let mut written = rows.clone();
            written[i - 1].clone_from(&w);
            let args = [int(i), word(&w), table(&rows, n_cols)];
            assert_eq!(machine.last("put_row", &args, 1), table(&written, n_cols));
            let longer = [int(i), word(&vec![true; n_cols + 1]), table(&rows, n_cols)];
            assert_eq!(machine.trap("put_row", &longer).0, "T0102");
            let mut moved = rows.clone();
            moved[i - 1] = rows[n - 1].clone();
            let args = [int(i), int(n), table(&rows, n_cols)];
            assert_eq!(machine.last("move_row", &args, 2), table(&moved, n_cols));
        }
        for i in [0, -1, n as i64 + 1, i64::MAX] {
            let args = [Value::Int(i), table(&rows, n_cols), Value::Unset];
            assert_eq!(machine.trap("get_row", &args).0, "T0101");
            let args = [Value::Int(i), word(&vec![true; n_cols]), table(&rows, n_cols)];
            let (code, values) = machine.trap("put_row", &args);
            assert_eq!((code.as_str(), &values[2]), ("T0101", &table(&rows, n_cols)));
        }
    }
}

#[test]
fn bits_are_read_and_written() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for (rows, n_cols) in all_tables() {
        let n = rows.len();
        if n > 0 && n_cols > 0 {
            for _ in 0..3 {
                let (i, j) = (1 + random.below(n), 1 + random.below(n_cols));
                let args = [int(i), int(j), table(&rows, n_cols), Value::Unset];
                let bit = usize::from(rows[i - 1][j - 1]);
                assert_eq!(machine.last("get_bit", &args, 1), int(bit));
                let mut written = rows.clone();
                written[i - 1][j - 1] = bit == 0;
                let args = [int(i), int(j), int(1 - bit), table(&rows, n_cols)];
                assert_eq!(machine.last("put_bit", &args, 1), table(&written, n_cols));
                let two = [int(i), int(j), int(2), table(&rows, n_cols)];
                assert_eq!(machine.trap("put_bit", &two).0, "T0107");
            }
        }
        for (i, j) in [(0, 1), (1, 0), (n + 1, 1), (1, n_cols + 1)] {
            let args = [int(i), int(j), table(&rows, n_cols), Value::Unset];
            assert_eq!(machine.trap("get_bit", &args).0, "T0101", "{i},{j} of {n} x {n_cols}");
            let args = [int(i), int(j), int(1), table(&rows, n_cols)];
            assert_eq!(machine.trap("put_bit", &args).0, "T0101");
        }
    }
}

#[test]
fn columns_and_rows_are_copies() {
    let machine = Machine::new(TEXT);
    let rows = vec![vec![false, true], vec![true, true]];
    let args = [table(&rows, 2), Value::Unset, Value::Unset];
    let (values, cost) = machine.call("copies", &args);
    // COL ROW COL:= not ROW:= not ROW, and two components.
    assert_eq!(cost, 9);
    assert_eq!(values[0], table(&vec![vec![false, false], vec![false, true]], 2));
    assert_eq!(values[1], slice(&[true, true]));
    assert_eq!(values[2], word(&[true, true]));
}
