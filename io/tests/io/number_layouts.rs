//! Layouts of numbers, and interruption of layouts.

use proptest::prelude::*;
use star_base::Code;
use star_io::{
    Arc, Field, FileError, Graph, Layout, LayoutOptions, NumberLayout, Numbers, NumbersLaidOut,
    Shape, Widths, lay_out_numbers, lay_out_with,
};
use star_value::{BitTable, Table};

use crate::support::{BUDGET, check_wording};

fn field(name: &str, bits: Option<usize>, values: &[i64]) -> Field {
    Field::new(name, bits, values.to_vec())
}

fn list(fields: Vec<Field>) -> Numbers {
    Numbers { shape: Shape::List(fields[0].values.len()), fields }
}

fn laid_out(
    layout: &str,
    numbers: &Numbers,
    widths: Option<&[usize]>,
) -> Result<NumbersLaidOut, FileError> {
    let layout = match layout {
        "" => NumberLayout::Natural,
        name => NumberLayout::parse(name).expect("a layout"),
    };
    lay_out_numbers(&layout, numbers, widths, &mut LayoutOptions::new("f", BUDGET))
}

fn rows(layout: &str, numbers: &Numbers, widths: Option<&[usize]>) -> Vec<String> {
    let table = laid_out(layout, numbers, widths).expect("numbers that suit").table;
    (0..table.n_rows()).map(|row| table.row(row).to_string()).collect()
}

#[test]
fn records_have_their_fields_side_by_side() {
    let numbers = list(vec![field("a", None, &[5, 0, 2]), field("b", Some(4), &[1, 9, 0])]);
    assert_eq!(rows("", &numbers, None), ["1010001", "0001001", "0100000"]);
    assert_eq!(rows("records", &numbers, Some(&[3, 5])), ["10100001", "00001001", "01000000"]);
    assert_eq!(rows("field:b", &numbers, None), ["0001", "1001", "0000"]);
    assert_eq!(rows("field:2", &numbers, Some(&[5])), ["00001", "01001", "00000"]);
    let laid_out = laid_out("", &numbers, None).unwrap();
    assert_eq!(laid_out.fields, [("a".to_owned(), 3), ("b".to_owned(), 4)]);
    assert!(laid_out.notes.is_empty());
}

#[test]
fn grids_of_bits_keep_their_rows() {
    let shape = Shape::Grid { height: 2, width: 3 };
    let mask = Numbers { shape, fields: vec![field("passable", Some(1), &[0, 1, 1, 1, 0, 0])] };
    assert_eq!(rows("", &mask, None), ["011", "100"]);
    assert_eq!(rows("grid", &mask, None), ["011", "100"]);
    assert_eq!(rows("records", &mask, None), ["0", "1", "1", "1", "0", "0"]);
    let two = Numbers { shape, fields: vec![mask.fields[0].clone(), field("x", None, &[3; 6])] };
    assert_eq!(rows("", &two, None)[..2], ["011", "111"]);
    assert_eq!(rows("grid", &two, None), ["011111111", "111011011"]);
    assert_eq!(rows("field:passable", &two, None), ["011", "100"]);
    assert_eq!(rows("field:x", &two, None), ["11"; 6]);
}

#[test]
fn negative_numbers_are_stored_with_offset() {
    let numbers = list(vec![field("x", None, &[-5, 2, 0]), field("y", None, &[1, 2, 3])]);
    let found = laid_out("", &numbers, None).unwrap();
    assert_eq!(found.table, BitTable::parse(&["00001", "11110", "10111"]).unwrap().into());
    assert_eq!(found.notes, ["field `x` is stored with offset -5 (its minimum)"]);
    let extreme = list(vec![field("x", None, &[i64::MIN, i64::MAX])]);
    assert_eq!(rows("", &extreme, None), ["0".repeat(64), "1".repeat(64)]);
}

#[test]
fn unsigned_records_refuse_negative_numbers_with_their_place() {
    let positive = list(vec![field("x", None, &[5, 2]), field("y", None, &[0, 1])]);
    assert_eq!(rows("unsigned", &positive, None), ["1010", "0101"]);
    let negative = list(vec![field("x", None, &[5, 2]), field("y", None, &[0, -1])]);
    let error = laid_out("unsigned", &negative, None).unwrap_err();
    assert_eq!(error.code, Code::OutOfRange);
    assert_eq!(error.message, "-1 in field `y` is negative");
    assert_eq!(error.notes[0], "it is in record 2");
    check_wording(&error);
    let shape = Shape::Grid { height: 2, width: 2 };
    let grid = Numbers { shape, fields: vec![field("x", None, &[1, 2, -3, -4])] };
    let error = laid_out("unsigned", &grid, None).unwrap_err();
    assert_eq!(error.notes[0], "it is in row 2, column 1 of the grid");
    // The marker of missing numbers is not a number.
    let marked = Field { nodata: Some(-1), ..field("x", None, &[5, -1]) };
    assert_eq!(rows("unsigned", &list(vec![marked]), None), ["101", "111"]);
}

#[test]
fn present_marks_the_records_without_missing_numbers() {
    let marked = |nodata, values| Field { nodata: Some(nodata), ..field("x", None, values) };
    let two = list(vec![marked(-9, &[7, -9, 3, -9]), marked(3, &[3, 1, 0, 3])]);
    assert_eq!(rows("present", &two, None), ["0", "0", "1", "0"]);
    let shape = Shape::Grid { height: 2, width: 2 };
    let grid = Numbers { shape, fields: vec![marked(0, &[1, 0, 1, 1])] };
    assert_eq!(rows("present", &grid, None), ["1", "0", "1", "1"]);
    let all = list(vec![field("x", None, &[1, 1])]);
    assert_eq!(rows("present", &all, None), ["1", "1"]);
    let found = laid_out("present", &two, None).unwrap();
    assert!(found.notes.is_empty() && found.fields.is_empty() && found.chosen.is_empty());
}

#[test]
fn zeros_fit_in_any_width() {
    let numbers = list(vec![field("x", Some(0), &[0, 0]), field("y", None, &[0, 0])]);
    assert_eq!(rows("", &numbers, None), ["0", "0"]);
    let none = Numbers { shape: Shape::List(0), fields: vec![field("x", Some(70), &[])] };
    let table = laid_out("", &none, None).unwrap().table;
    assert_eq!((table.n_rows(), table.n_cols()), (0, 70));
    assert_eq!(rows("", &list(vec![field("x", Some(70), &[3])]), None), [format!("{:070b}", 3)]);
    // A missing number differs from 0.
    let marked = Field { nodata: Some(-9), ..field("x", None, &[0, -9]) };
    let error = laid_out("", &list(vec![marked]), Some(&[0])).unwrap_err();
    assert_eq!((error.code, error.help[0].as_str()), (Code::WidthTooSmall, "it needs 1"));
}

#[test]
fn unsuitable_requests_are_rejected() {
    let numbers = list(vec![field("a", Some(3), &[7, 8]), field("b", None, &[0, 1])]);
    let ragged = Numbers { shape: Shape::List(3), ..numbers.clone() };
    let long = list(vec![field("a", None, &vec![1; 1 << 20])]);
    type Case<'a> = (&'a str, &'a Numbers, Option<&'a [usize]>, Code, &'a str);
    let cases: [Case<'_>; 7] = [
        ("", &numbers, None, Code::WidthTooSmall, "8 in field `a` does not fit in 3 bits"),
        ("field:c", &numbers, None, Code::NoSuchLayout, "`c`"),
        ("field:3", &numbers, None, Code::NoSuchLayout, "`3`"),
        ("grid", &numbers, Some(&[4, 1]), Code::NoSuchLayout, "this is a list"),
        ("", &numbers, Some(&[4]), Code::NoSuchLayout, "1 width for 2 fields"),
        ("", &ragged, None, Code::OutOfRange, "2 numbers for 3 records"),
        ("", &numbers, Some(&[4, 5000]), Code::DoesNotFit, "5000 bits"),
    ];
    for (layout, numbers, widths, code, part) in cases {
        let error = laid_out(layout, numbers, widths).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(part), "{error}");
        check_wording(&error);
    }
    let notes = |numbers: &Numbers| laid_out("", numbers, None).unwrap_err().notes;
    let several = list(vec![field("a", Some(3), &[7, 9, 8, 9])]);
    assert_eq!(notes(&several), ["it is in record 2"]);
    let grid = Numbers { shape: Shape::Grid { height: 2, width: 2 }, ..several };
    assert_eq!(notes(&grid), ["it is in row 1, column 2 of the grid"]);
    let mut options = LayoutOptions::new("f", 1000);
    let error = lay_out_numbers(&NumberLayout::Natural, &long, None, &mut options).unwrap_err();
    assert_eq!(error.code, Code::DoesNotFit);
}

proptest! {
    #[test]
    fn every_number_is_in_its_row(values in prop::collection::vec(any::<i64>(), 1..200)) {
        let numbers = list(vec![field("x", None, &values)]);
        let found = laid_out("", &numbers, None).unwrap();
        let offset = i128::from(values.iter().copied().min().unwrap_or(0).min(0));
        for (row, &value) in values.iter().enumerate() {
            let bits = found.table.row(row).to_string();
            let number = i128::from_str_radix(&bits, 2).unwrap() + offset;
            prop_assert_eq!(number, i128::from(value));
        }
    }
}

#[test]
fn every_layout_can_be_interrupted() {
    let n = 200;
    let arcs: Vec<Arc> =
        (0..200_000).map(|i| Arc { tail: i / n % n, head: i % n, weight: 9 }).collect();
    let graph = Graph { n_vertices: n as usize, arcs, weighted: true, ..Graph::default() };
    for &layout in Layout::ALL {
        let mut n_asked = 0;
        let mut go_on = || {
            n_asked += 1;
            false
        };
        let mut options = LayoutOptions::new("f", BUDGET);
        options.go_on = Some(&mut go_on);
        let found = lay_out_with(layout, &graph, Widths { h: 12, b: 9 }, &mut options);
        match found {
            Err(error) => {
                assert_eq!((error.code, n_asked), (Code::Interrupted, 1), "{layout:?}");
            }
            // A small layout finishes before the first poll.
            Ok(_) => {
                let small = [Layout::Code, Layout::CodeDouble, Layout::Edges];
                assert!(small.contains(&layout), "{layout:?}");
            }
        }
    }
    let numbers = list(vec![field("x", None, &vec![-1; 1 << 20])]);
    let mut options = LayoutOptions::new("f", BUDGET);
    let mut go_on = || false;
    options.go_on = Some(&mut go_on);
    let found = lay_out_numbers(&NumberLayout::Records, &numbers, None, &mut options);
    assert_eq!(found.unwrap_err().code, Code::Interrupted);
}

#[test]
fn absent_text_has_no_code_among_sorted_ones() {
    let rules = star_io::FieldRules { sorted: true, ..star_io::FieldRules::default() };
    let read = |text: &str| {
        let mut options =
            star_io::ReadOptions { fields: rules, ..star_io::ReadOptions::new("f", BUDGET) };
        let loaded = star_io::read(star_io::Format::Csv, &mut text.as_bytes(), &mut options);
        match loaded.unwrap().data {
            star_io::Data::Numbers(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    };
    let numbers = read("t\nUlm\nBonn\nRom\n");
    let code = |text: &str| laid_out(&format!("code:t={text}"), &numbers, None);
    assert_eq!(code("Rom").unwrap().table, BitTable::parse(&["010"]).unwrap().into());
    for (absent, note) in [
        ("Paris", "it would follow `Bonn` and precede `Rom`, and the codes are consecutive"),
        ("Aachen", "it would precede the first text, `Bonn`"),
        ("ulm", "it would follow the last text, `Ulm`"),
    ] {
        let error = code(absent).unwrap_err();
        assert_eq!((error.code, error.notes[1].as_str()), (Code::OutOfRange, note));
        check_wording(&error);
    }
    let help = code("Paris").unwrap_err().help;
    let expected = "the texts less than `Paris` are those less than `Rom`, and the greater ones \
        are those greater than `Bonn`";
    assert_eq!(help, [expected]);
    // The empty text has a code, and a list without records has no order.
    assert!(code("").is_ok());
    assert!(laid_out("code:t=x", &read("t:text\n"), None).is_ok());
}

#[test]
fn codes_of_values_are_rows_in_ascending_order() {
    let text = "city,price\nUlm,3\nBonn,-2\nBerg,9\n,0\nUlm,3\n";
    let numbers = crate::support::numbers(star_io::Format::Csv, text).0;
    let codes = |text: &str| laid_out(&format!("codes:{text}"), &numbers, None);
    let rows = |text: &str| codes(text).unwrap().table;
    let table = |rows: &[&str]| BitTable::parse(rows).unwrap().into();
    assert_eq!(rows("city=Berg|Ulm|Berg|Ulm*"), table(&["001", "011"]));
    assert_eq!(rows("city=B*"), table(&["010", "011"]));
    // Every text; the empty one alone is 0.
    assert_eq!(rows("city=*"), table(&["001", "010", "011"]));
    assert_eq!(rows("city=|Bonn"), table(&["000", "010"]));
    assert_eq!(rows("price=9|-2"), table(&["0000", "1011"]));
    let found = codes("city=Rom|Bon|X*").unwrap();
    assert_eq!((found.table.n_rows(), found.table.n_cols()), (0, 3));
    let notes = [
        "no record has the text `Rom` in field `city`",
        "no record has the text `Bon` in field `city`; did you mean `Bonn`?",
        "no text of field `city` begins with `X`",
    ];
    assert_eq!(found.notes, notes);
    let error = codes("price=3*").unwrap_err();
    assert_eq!(error.code, Code::OutOfRange);
    check_wording(&error);
    let error = codes("price=99").unwrap_err();
    assert_eq!(error.code, Code::WidthTooSmall);
    assert!(NumberLayout::parse("codes:=x").is_none() && NumberLayout::parse("codes:x").is_none());
}

#[test]
fn code_of_a_value_matches_the_layout_of_its_field() {
    let text = "city,born,t:6\nUlm,1990-05-01,-3\n,1990-05-04,12\nRom,1990-05-02,0\n";
    let numbers = crate::support::numbers(star_io::Format::Csv, text).0;
    let code = |value: &str, widths: Option<&[usize]>| {
        let code = laid_out(&format!("code:{value}"), &numbers, widths)?;
        Ok::<_, FileError>(code.table.row(0).to_string())
    };
    let codes = ["city=Ulm", "city=Rom", "city=", "city=Oslo", "born=1990-05-03", "t=-3", "3=5"];
    let found = codes.map(|layout| code(layout, None).unwrap());
    let born = format!("{:013b}", 7427);
    assert_eq!(found, ["01", "10", "00", "11", &born, "000000", "001000"]);
    assert_eq!(code("city=Oslo", Some(&[70])).unwrap(), "1".repeat(70));
    assert_eq!(code("city=Rom", Some(&[70])).unwrap(), format!("{}10", "0".repeat(68)));
    for (layout, widths, expected) in [
        ("t=-4", None, Code::WidthTooSmall),
        ("t=61", None, Code::WidthTooSmall),
        ("t=1.5", None, Code::OutOfRange),
        ("born=May", None, Code::OutOfRange),
        ("town=Ulm", None, Code::NoSuchLayout),
        ("city=Ulm", Some(&[1][..]), Code::WidthTooSmall),
    ] {
        let error = code(layout, widths).unwrap_err();
        assert_eq!(error.code, expected, "{layout}: {error}");
        check_wording(&error);
    }
    let error = code("t=61", None).unwrap_err();
    assert_eq!(error.notes, ["its 6 bits hold -3 to 60"]);
    assert_eq!(code("t=5", Some(&[2, 13, 7])).unwrap(), "0001000");
    let laid_out = laid_out("records", &numbers, None).unwrap();
    assert_eq!(laid_out.table.row(1).to_string(), format!("00{:013b}001111", 7428));
    let notes = [
        "field `city` contains texts, from `Ulm` as 1 to `Rom` as 2",
        "field `born` is a date, in days since 1970-01-01",
        "field `t` is stored with offset -3 (its minimum)",
    ];
    assert_eq!(laid_out.notes, notes);
}

#[test]
fn missing_numbers_are_all_ones_and_need_no_width() {
    let mut heights = list(vec![field("height", None, &[-32768, -5, 7, -32768, 10])]);
    let wide = laid_out("", &heights, None).unwrap();
    assert_eq!(wide.fields[0].1, 16);
    heights.fields[0].nodata = Some(-32768);
    let laid = laid_out("", &heights, None).unwrap();
    // From −5 to 10 there are 16 numbers: the marker needs the fifth bit.
    assert_eq!(laid.fields[0].1, 5);
    let ones = "11111";
    assert_eq!(rows("", &heights, None), [ones, "00000", "01100", ones, "01111"]);
    let told = "2 of 5 numbers of field `height` are missing, stored as all ones";
    assert!(laid.notes.iter().any(|note| note == told), "{:?}", laid.notes);
    assert_eq!(rows("code:height=-32768", &heights, None), [ones]);
    // The code of a missing number is that of no other: 26 is stored as 31.
    for (value, needed) in [(26, "6 bits"), (27, "6 bits"), (-6, "")] {
        let error = laid_out(&format!("code:height={value}"), &heights, None).unwrap_err();
        assert_eq!(
            (error.code, &*error.notes[0]),
            (Code::WidthTooSmall, "its 5 bits hold -5 to 25")
        );
        assert!(error.help.concat().contains(needed), "{error:?}");
        check_wording(&error);
    }
    assert_eq!(rows("code:height=25", &heights, None), ["11110"]);
    let refused = laid_out("", &heights, Some(&[4])).unwrap_err();
    assert_eq!(refused.code, Code::WidthTooSmall);
    assert!(refused.message.contains("10 in field `height`"), "{refused}");
    check_wording(&refused);
    // The file has 8 bits for its numbers, and all values are used.
    let mut bytes = list(vec![field("gray", Some(8), &[0, 255, 3])]);
    bytes.fields[0].nodata = Some(0);
    assert_eq!(rows("", &bytes, None), ["111111111", "011111111", "000000011"]);
    // All numbers missing, and no numbers.
    let mut all = list(vec![field("h", None, &[-1, -1])]);
    all.fields[0].nodata = Some(-1);
    assert_eq!(rows("", &all, None), ["1", "1"]);
    all.fields[0].nodata = Some(3);
    assert_eq!(rows("", &all, None), ["0", "0"]);
}

#[test]
fn grid_by_rows_is_the_transposed_grid_by_columns() {
    for width in [170, 171, 700] {
        let shape = Shape::Grid { height: 3, width };
        let values: Vec<i64> = (0..3 * width as i64).map(|at| at * at % 13 - 6).collect();
        let mut numbers = Numbers { shape, fields: vec![field("a", Some(5), &values)] };
        numbers.fields.push(field("b", Some(1), &vec![1; values.len()]));
        numbers.fields[0].nodata = Some(-2);
        let columns = laid_out("grid", &numbers, None).unwrap();
        let mut options = LayoutOptions { by_rows: true, ..LayoutOptions::new("f", BUDGET) };
        let rows = lay_out_numbers(&NumberLayout::Grid, &numbers, None, &mut options).unwrap();
        assert!(matches!(rows.table, Table::Rows(_)) && columns.table.columns().is_some());
        assert_eq!(rows.table.into_columns().as_ref(), Ok(columns.table.columns().unwrap()));
    }
    let narrow = list(vec![field("a", None, &[1, 2, 3])]);
    let mut options = LayoutOptions { by_rows: true, ..LayoutOptions::new("f", BUDGET) };
    let laid = lay_out_numbers(&NumberLayout::Records, &narrow, None, &mut options).unwrap();
    assert!(laid.table.columns().is_some(), "mostly gaps");
}

#[test]
fn columns_without_rows_need_no_time() {
    // A loop over this number of columns would take minutes.
    let shape = Shape::Grid { height: 0, width: 4_000_000_000 };
    let numbers = Numbers { shape, fields: vec![field("x", None, &[])] };
    for layout in ["", "grid"] {
        let table = laid_out(layout, &numbers, None).unwrap().table;
        assert_eq!((table.n_rows(), table.n_cols()), (0, 4_000_000_000), "{layout}");
    }
}
