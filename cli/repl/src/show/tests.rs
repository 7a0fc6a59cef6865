//! Snapshot tests of pictures.

use star_value::{BitTable, BitVector, Table};

use super::request::{Fields, NamedValue, resolve};
use super::*;
use std::cell::RefCell;
use std::ops::Range;

fn figure_5() -> Table {
    Table::parse(&["001000", "101000", "111001", "111000", "001000", "000110"]).unwrap()
}

fn bits(text: &str) -> BitVector {
    BitVector::parse(text).unwrap()
}

fn screen(width: usize, rows: usize) -> Screen {
    Screen { width, rows, style: Style::Plain }
}

/// Parses a request in which `h` is 3.
fn parse_plain(text: &str) -> Result<request::Request, Fault> {
    parse(text, &|name| match name {
        "h" => Ok(3),
        _ => Err(Fault { message: format!("unknown variable `{name}`"), help: None }),
    })
}

fn shown(text: &str, values: &[NamedValue<'_>], screen: Screen) -> String {
    let request = parse_plain(text).unwrap();
    resolve(&request, values, screen).unwrap().join("\n")
}

#[test]
fn tables_have_numbered_rows_and_columns() {
    let expected = "\
P: table(6, 6)
    1    6
 1  001000
 2  101000
 3  111001
 4  111000
 5  001000
 6  000110";
    assert_eq!(table(Some("P"), &figure_5(), Screen::default()), expected);
}

#[test]
fn slices_are_next_to_their_table_and_mark_rows() {
    let (p, x) = (figure_5(), bits("001100"));
    let value = Value::Slice(x.clone());
    let expected = "\
X: slice(6), 2 ones, next to P: table(6, 6)
    1    6  X
 1  001000  0
 2  101000  0
>3  111001  1
>4  111000  1
 5  001000  0
 6  000110  0";
    assert_eq!(super::value(Some("X"), &value, Some(("P", &p)), Screen::default()), expected);
    let coloured = Screen { style: Style::Coloured, ..Screen::default() };
    let text = super::value(Some("X"), &value, Some(("P", &p)), coloured);
    let marked = "\n\x1b[1;36m 3  111001  1\x1b[0m\n\x1b[1;36m 4  111000  1\x1b[0m\n 5";
    assert!(text.contains(marked), "{text:?}");
    let other = Table::zeros(5, 2).unwrap();
    let alone = super::value(Some("X"), &value, Some(("T", &other)), Screen::default());
    assert_eq!(alone, "X: slice(6), 2 ones\n    X\n 1  0\n 2  0\n>3  1\n>4  1\n 5  0\n 6  0");
}

#[test]
fn slices_words_and_fields_surround_a_table() {
    let (p, x, busy, v) = (figure_5(), bits("001100"), bits("100001"), bits("111111"));
    let values = [
        NamedValue::Table(&p),
        NamedValue::Slice(&x),
        NamedValue::Slice(&busy),
        NamedValue::Word(&v),
    ];
    let expected = "       1    6  X  Busy  1..3  4..6
    1  001000  0  1        1     0
    2  101000  0  0        5     0
>   3  111001  1  0        7     1
>   4  111000  1  0        7     0
    5  001000  0  0        1     0
    6  000110  0  1        0     6
 mask  111111";
    let text = shown("P X Busy mask fields 3", &values, Screen::default());
    assert_eq!(text, expected, "\n{text}");
    let text = shown("P X Busy v fields 2..6 rows 3..4 columns 2..4", &values, Screen::default());
    let expected =
        "    2 4  X  Busy  2..6\n>3  110  1  0       25\n>4  110  1  0       24\n v  111";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn wide_and_tall_tables_show_their_ends() {
    let mut wide = BitTable::zeros(3, 100).unwrap();
    wide.put(2, 99, true);
    let text = table(None, &Table::from(wide), screen(36, 20));
    let expected = "\
table(3, 100)
    1       10       86 90       100
 1  0000000000000000…000000000000000
 2  0000000000000000…000000000000000
 3  0000000000000000…000000000000001";
    assert_eq!(text, expected, "\n{text}");
    let tall = Table::zeros(1000, 2).unwrap();
    let text = table(Some("T"), &tall, screen(80, 5));
    let expected = "\
T: table(1000, 2)
       1
    1  00
    2  00
    …
  999  00
 1000  00";
    assert_eq!(text, expected, "\n{text}");
}

/// A table that records which columns are read.
struct Counted(RefCell<Vec<Range<usize>>>);

impl Grid for Counted {
    fn n_rows(&self) -> usize {
        1_000_000
    }
    fn n_cols(&self) -> usize {
        1_000_000
    }
    fn columns(&self, columns: Range<usize>) -> Option<BitTable> {
        self.0.borrow_mut().push(columns.clone());
        BitTable::zeros(1_000_000, columns.len()).ok()
    }
}

#[test]
fn large_tables_are_read_only_where_shown() {
    let table = Counted(RefCell::default());
    let mut marks = BitVector::zeros(1_000_000);
    marks.put(499_999, true);
    let text = shown(
        "T X fields 1..4",
        &[NamedValue::Table(&table), NamedValue::Slice(&marks)],
        screen(40, 10),
    );
    assert!(text.contains("\n> 500000  0"), "{text}");
    assert_eq!(text.lines().count(), 1 + 7, "{text}");
    let read = table.0.take();
    assert_eq!(read, [0..10, 999_990..1_000_000, 0..4]);
}

#[test]
fn empty_values_are_readable() {
    let no_rows = Table::zeros(0, 5).unwrap();
    let no_columns = Table::zeros(5, 0).unwrap();
    let text = |value: &Value| super::value(None, value, None, Screen::default());
    assert_eq!(table(Some("T"), &no_rows, Screen::default()), "T: table(0, 5), no rows");
    assert_eq!(table(None, &no_columns, Screen::default()), "table(5, 0), no columns");
    assert_eq!(text(&Value::Unset), "unset");
    assert_eq!(text(&Value::Slice(bits(""))), "slice(0), 0 ones");
    assert_eq!(text(&Value::Word(bits(""))), "word(0), 0 ones");
    assert_eq!(text(&Value::from(Table::parse(&["1"]).unwrap())), "table(1, 1)\n    1\n 1  1");
}

#[test]
fn scalars_and_words_fit_on_a_line() {
    let text = |value: Value| super::value(None, &value, None, Screen::default());
    assert_eq!(text(Value::Int(-7)), "-7");
    assert_eq!(text(Value::Bool(true)), "true");
    assert_eq!(text(Value::Str("a\"b\n".to_owned())), r#""a\"b\n""#);
    assert_eq!(text(Value::Word(bits("1011"))), "1011   word(4), 3 ones");
    let expected = "word(12), 1 one\n1       10\n000000000001";
    assert_eq!(text(Value::Word(bits("000000000001"))), expected);
}

#[test]
fn omitted_parts_are_reported() {
    let (p, x) = (figure_5(), bits("001100"));
    let mut values = vec![NamedValue::Table(&p)];
    values.resize_with(8, || NamedValue::Slice(&x));
    let text = shown("P A B C D E F G fields 1", &values, screen(30, 20));
    assert!(text.starts_with("    1    6  A  B  C  D  E  1\n"), "{text}");
    assert!(text.ends_with("\n(no room for 2 slices and 5 fields more)"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
}

#[test]
fn changed_bits_are_visible_without_colours() {
    let p = figure_5();
    let change = |row_idx: usize, col_idx: usize| match (row_idx, col_idx) {
        (2, 1) | (2, 3) => Change::Flipped,
        _ => Change::Same,
    };
    let picture = Picture {
        table: Some(&p),
        rows: picture::Rows::These(&[2, 4]),
        change: Some(&change),
        ..Picture::default()
    };
    let lines = draw(&picture, Screen::default());
    assert_eq!(lines, ["    1    6", " 3  1+1-01", " …", " 5  001000"]);
}

#[test]
fn parses_or_rejects_requests() {
    let request = parse_plain("T X, Y fields 1..4, 7 rows 2..3 columns 9").unwrap();
    assert_eq!(request.names, ["T", "X", "Y"]);
    assert_eq!(request.fields, Some(Fields::Ranges(vec![1..=4, 7..=7])));
    assert_eq!((request.rows, request.columns), (Some(2..=3), Some(9..=9)));
    assert_eq!(parse_plain("T fields 8").unwrap().fields, Some(Fields::Width(8)));
    let message = |text: &str| parse_plain(text).unwrap_err().message;
    assert_eq!(message(""), "expected a variable name");
    assert_eq!(message("T rows"), "expected numbers after `rows`");
    assert_eq!(
        message("T rows 4..3"),
        "expected a range such as `1..4` after `rows`, found `4..3`"
    );
    assert_eq!(message("T fields 0"), "fields must have at least one column");
    assert_eq!(message("T+1"), "`T+1` is not a variable name");

    let (p, x, w) = (figure_5(), bits("00110"), bits("1"));
    let refuse = |text: &str, values: &[NamedValue<'_>]| {
        resolve(&parse_plain(text).unwrap(), values, Screen::default()).unwrap_err().message
    };
    let (table, slice) = (|| NamedValue::Table(&p), || NamedValue::Slice(&x));
    assert_eq!(refuse("P Q", &[table(), table()]), "`P` and `Q` are tables: show one at a time");
    assert_eq!(refuse("P X", &[table(), slice()]), "`P` has 6 rows, `X` has 5 components");
    assert_eq!(
        refuse("P v", &[table(), NamedValue::Word(&w)]),
        "`P` has 6 columns, `v` has 1 components"
    );
    assert_eq!(refuse("P rows 7", &[table()]), "row 7 does not exist: the last one is 6");
    assert_eq!(refuse("P fields 4", &[table()]), "6 columns cannot be divided into 4-bit fields");
    assert_eq!(
        refuse("X fields 4", &[slice()]),
        "fields are columns of a table, but no table is named"
    );
}
