//! CSV of unsigned integers.

use star_base::Code::{BadFormat, DoesNotFit, OutOfRange, Truncated};
use star_base::{BitTable, BitVector, BitsRef, Code};
use star_io::Format::Csv;
use star_io::{Field, Numbers, OutputRef, ReadOptions, Shape, read, write};

use crate::support::{fields, load, numbers, refuses};

#[test]
fn a_header_names_fields_and_widths() {
    let plain = numbers(Csv, "speed:8,weight\n1,2\n255,9223372036854775807\n");
    let (found, warnings) = &plain;
    assert_eq!(found.shape, Shape::List(2));
    let expected = [("speed", Some(8), &[1, 255][..]), ("weight", None, &[2, i64::MAX][..])];
    assert_eq!(fields(found), expected);
    assert!(warnings.is_empty());
    for text in [
        "speed:8,weight\r\n1,2\r\n255,9223372036854775807",
        " speed:8 , weight \n\n 1 , 2 \n\n255,9223372036854775807\n\n",
        "\u{feff}\"speed:8\",weight:\n\"1\",02\n255,9223372036854775807\n",
    ] {
        assert_eq!(numbers(Csv, text), plain, "{text:?}");
    }
}

#[test]
fn without_a_header_fields_have_numbers() {
    let (found, _) = numbers(Csv, "3,4\n5,6\n7,8");
    assert_eq!(fields(&found), [("1", None, &[3, 5, 7][..]), ("2", None, &[4, 6, 8][..])]);
    let (found, _) = numbers(Csv, "a:b,c:4\n");
    assert_eq!(found.shape, Shape::List(0));
    assert_eq!(fields(&found), [("a:b", None, &[][..]), ("c", Some(4), &[][..])]);
}

#[test]
fn bad_inputs_are_refused_at_their_place() {
    refuses(
        Csv,
        &[
            (b"", Truncated, 1, 1, "empty"),
            (b"\n\n", Truncated, 1, 1, "empty"),
            (b"a,b\n1,x\n", BadFormat, 2, 3, "`x` is not a whole number"),
            (b"a,b\n1,\n", BadFormat, 2, 3, "an empty field is not a whole number"),
            (b"a,b\n1,2\n12,-3\n", OutOfRange, 3, 4, "negative"),
            (b"a,b\n1,2.5\n", BadFormat, 2, 3, "`2.5`"),
            (b"a\n9223372036854775808\n", OutOfRange, 2, 1, "beyond 63 bits"),
            (b"a,b\n1,2\n3\n", BadFormat, 3, 1, "1 field in a line, 2 before"),
            (b"a,b:5000\n", OutOfRange, 1, 3, "beyond 4096 bits"),
            (b"a\r\n1\r\nx\r\n", BadFormat, 3, 1, "`x`"),
            (b"\r\na,b\r\n\r\n1,2\r\n1\r\n", BadFormat, 5, 1, "1 field in a line"),
            (b"a\n\n\n1\n\nx\n", BadFormat, 6, 1, "`x`"),
            (b"a,b\n\"1\", x\n", BadFormat, 2, 6, "`x`"),
            (b"a,b,c\n 1 ,\"2\n\",\"x\"\"\"\n", BadFormat, 3, 3, "`x\"`"),
        ],
    );
}

#[test]
fn a_first_line_with_a_number_in_it_is_no_header() {
    refuses(
        Csv,
        &[
            (b"1.5,3\n4,2\n", BadFormat, 1, 1, "`1.5` is not a whole number"),
            (b"-1,3\n4,2\n", OutOfRange, 1, 1, "`-1` is negative"),
            (b"4,0.5\n1,2\n", BadFormat, 1, 3, "`0.5` is not a whole number"),
            (b"+1,2\n", BadFormat, 1, 1, "`+1`"),
            (b".5,a\n", BadFormat, 1, 1, "`.5`"),
            (b"1,\n", BadFormat, 1, 3, "an empty field"),
            (b"a,\n1,2\n", BadFormat, 1, 1, "`a`"),
            (b"a,3\n1,2\n", BadFormat, 1, 1, "`a`"),
            (b"7,b\n1,2\n", BadFormat, 1, 3, "`b`"),
            (b"1e3\n", BadFormat, 1, 1, "`1e3`"),
            (b"1;2\n3;4\n", BadFormat, 1, 1, "`1;2`"),
            (b"1 2\n", BadFormat, 1, 1, "`1 2`"),
            (b"\n2024-01-01,5\n", BadFormat, 2, 1, "`2024-01-01`"),
            (b"\"a\nb\",c\n1,2\n", BadFormat, 1, 1, "is not a whole number"),
        ],
    );
    let help = |text: &str| load(Csv, text.as_bytes()).unwrap_err().help;
    assert_eq!(help("a\n0.05\n"), ["`scale=1000` multiplies every number by 1000 and rounds it"]);
    assert_eq!(help("1e3\n"), ["with `scale=1` whole numbers may be written like this one"]);
    assert_eq!(help("1;2\n"), ["commas separate the fields of a CSV file"]);
    let (found, _) = numbers(Csv, "2nd:,.5:4,:\n1,2,3\n");
    let expected = [("2nd", None, &[1][..]), (".5", Some(4), &[2][..]), ("", None, &[3][..])];
    assert_eq!(fields(&found), expected);
}

#[test]
fn a_quote_that_is_not_closed_is_told() {
    refuses(
        Csv,
        &[
            (b"\"1\n2\n3\n", Truncated, 1, 1, "ends in a quote"),
            (b"a,b\n1,2\n3,\"2", Truncated, 3, 3, "ends in a quote"),
            (b"a,b\n1,2\n3,\"2\n4,5\n", Truncated, 3, 3, "ends in a quote"),
            (b"a,b\n\"1,2\n", Truncated, 2, 1, "ends in a quote"),
            (b"a\n1\n\"2\"\"", Truncated, 3, 1, "ends in a quote"),
            // The mark behind the last line is no secret of ours.
            (b"a\n\0\n1\n", BadFormat, 2, 1, "is not a whole number"),
            (b"a\n1\n\0", BadFormat, 3, 1, "is not a whole number"),
            (b"a,b\n1,2\0\n3,4\n", BadFormat, 2, 3, "is not a whole number"),
            (b"a,b\n\"1\n\0\",2\n", BadFormat, 2, 1, "is not a whole number"),
        ],
    );
    let (found, _) = numbers(Csv, "a\n1\n\"2\"");
    assert_eq!(fields(&found), [("a", None, &[1, 2][..])]);
}

#[test]
fn memory_is_bounded() {
    let mut options = ReadOptions::new("f", 1000);
    let text = "7\n".repeat(1000);
    let error = read(Csv, &mut text.as_bytes(), &mut options).unwrap_err();
    assert_eq!(error.code, DoesNotFit);
    let wide = "1,".repeat(100_000);
    let error = read(Csv, &mut wide.as_bytes(), &mut options).unwrap_err();
    assert_eq!(error.code, DoesNotFit);
    let open = format!("a\n\"{}", "1\n".repeat(12 << 20));
    let mut options = ReadOptions::new("f", 1 << 30);
    let error = read(Csv, &mut open.as_bytes(), &mut options).unwrap_err();
    assert_eq!((error.code, error.line, error.column), (BadFormat, Some(2), Some(1)));
    assert!(error.message.contains("longer than 16.0 MiB"), "{error}");
}

#[test]
fn interruption_is_told_as_such() {
    let mut stop = |_| false;
    let mut options = ReadOptions { progress: Some(&mut stop), ..ReadOptions::new("f", 1000) };
    let error = read(Csv, &mut &b"1\n"[..], &mut options).unwrap_err();
    assert_eq!(error.code, Code::Interrupted);
}

fn written(value: OutputRef<'_>) -> String {
    let mut bytes = Vec::new();
    write(Csv, value, &mut bytes).expect("CSV holds it");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn bits_are_one_number_a_row() {
    let table = BitTable::parse(&["011", "100"]).unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Table(&table))), "bits:3\n3\n4\n");
    let bits = BitVector::parse("101").unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Slice(&bits))), "bits:1\n1\n0\n1\n");
    assert_eq!(written(OutputRef::Bits(BitsRef::Word(&bits))), "bits:3\n5\n");
}

#[test]
fn headers_are_written_so_that_they_are_read_as_such() {
    let field = |name: &str, bits| Field { name: name.to_owned(), bits, values: vec![0, 7] };
    for fields in [
        vec![field("1", None), field("2", None)],
        vec![field("1", Some(9)), field("a,b", None), field("c\"d", Some(3))],
        vec![field("a:5", None)],
        vec![field("a:5", Some(5))],
        vec![field("", None), field("x", None), field("-y", None), field(".5", Some(3))],
        vec![field("a\nb", None), field("3", None)],
    ] {
        let data = Numbers { shape: Shape::List(2), fields };
        assert_eq!(numbers(Csv, &written(OutputRef::Numbers(&data))).0, data);
    }
}

#[test]
fn what_is_no_unsigned_integer_is_not_written() {
    let field = Field { name: "x".to_owned(), bits: None, values: vec![3, -1] };
    let negative = Numbers { shape: Shape::List(2), fields: vec![field] };
    let wide = BitTable::zeros(2, 64).unwrap();
    for value in [OutputRef::Numbers(&negative), OutputRef::Bits(BitsRef::Table(&wide))] {
        let error = write(Csv, value, &mut Vec::new()).unwrap_err();
        assert_eq!(error.code, Code::NoSuchLayout);
        crate::support::check_wording(&error);
    }
}
