//! CSV of integers, texts, dates and times.

use star_base::Code;
use star_base::Code::{BadFormat, DoesNotFit, OutOfRange, Truncated};
use star_io::Format::Csv;
use star_io::{
    Data, Decimal, Field, FieldRules, FileError, Meaning, Numbers, OutputRef, ReadOptions, Shape,
    read, write,
};
use star_value::{BitTable, BitVector, BitsRef};

use crate::support::{fields, load, numbers, refuses};

#[test]
fn header_names_fields_and_widths() {
    let plain = numbers(Csv, "speed:8,weight\n1,2\n255,9223372036854775807\n");
    let (found, warnings) = &plain;
    assert_eq!(found.shape, Shape::List(2));
    let expected = [("speed", Some(8), &[1, 255][..]), ("weight", None, &[2, i64::MAX][..])];
    assert_eq!(fields(found), expected);
    assert!(warnings.is_empty());
    for text in [
        "speed:8,weight\r\n1,2\r\n255,9223372036854775807",
        " speed:8 , weight \n\n 1 , 2 \n\n255,9223372036854775807\n\n",
        "\u{feff}\"speed:8\",weight:\n\"1\",2\n255,9223372036854775807\n",
    ] {
        assert_eq!(numbers(Csv, text), plain, "{text:?}");
    }
}

#[test]
fn fields_without_a_header_are_numbered() {
    let (found, _) = numbers(Csv, "3,4\n5,6\n7,8");
    assert_eq!(fields(&found), [("1", None, &[3, 5, 7][..]), ("2", None, &[4, 6, 8][..])]);
    let (found, _) = numbers(Csv, "a:b,c:4\n");
    assert_eq!(found.shape, Shape::List(0));
    assert_eq!(fields(&found), [("a:b", None, &[][..]), ("c", Some(4), &[][..])]);
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    refuses(
        Csv,
        &[
            (b"", Truncated, 1, 1, "empty"),
            (b"\n\n", Truncated, 1, 1, "empty"),
            (b"a,b\n1,2\n3,x\n", BadFormat, 3, 3, "`x` is not a whole number"),
            (b"a,b\n1,2\n3,\n", BadFormat, 3, 3, "an empty field is not a whole number"),
            (b"a,b\n1,\n3,4\n", BadFormat, 2, 3, "an empty field is not a whole number"),
            (b"a,b\n1,3rd\n", BadFormat, 2, 3, "`3rd` is not a whole number"),
            (b"a,b\n1,2\n12,--3\n", BadFormat, 3, 4, "`--3` is not a whole number"),
            (b"a,b\n1,-9223372036854775809\n", OutOfRange, 2, 3, "exceeds 63 bits"),
            (b"a\n1e400\n", OutOfRange, 2, 1, "`1e400` exceeds 63 bits"),
            (b"a\n9.5e18\n", OutOfRange, 2, 1, "`9.5e18` exceeds 63 bits"),
            (b"a;b\n1;2\n1;x\n", BadFormat, 3, 3, "`x`"),
            (b"a\tb\n1\t 2\n\"1\"\t\tx\n", BadFormat, 3, 1, "3 fields in a line"),
            (b"a\tb\n1\t2\n\"1\"\t x\n", BadFormat, 3, 6, "`x`"),
            (b"d\n2024-02-29\n2023-02-29\n", BadFormat, 3, 1, "is not a date"),
            (b"d\n2024-02-29\n5\n", BadFormat, 3, 1, "`5` is not a date"),
            (b"n\nAnn\n\xff\n", BadFormat, 3, 1, "is not UTF-8"),
            (b"a,b\n1,2.5\n", BadFormat, 2, 3, "`2.5`"),
            (b"a\n9223372036854775808\n", OutOfRange, 2, 1, "exceeds 63 bits"),
            (b"a,b\n1,2\n3\n", BadFormat, 3, 1, "1 field in a line, expected 2"),
            (b"a,b:5000\n", OutOfRange, 1, 3, "wider than 4096 bits"),
            (b"a\r\n1\r\nx\r\n", BadFormat, 3, 1, "`x`"),
            (b"a,b\n\"1\"2,3\n", BadFormat, 2, 4, "after the closing quote"),
            (b"a,b\n\n1, \"x\"  y\n", BadFormat, 3, 9, "after the closing quote"),
            (b"a,b\n\"1\n\",\"x\"\"\" \"y\"\n", BadFormat, 3, 9, "after the closing quote"),
            (b"\"a\":8,b\n1,2\n", BadFormat, 1, 4, "after the closing quote"),
            (b"a,b\nx,2\n1,y\n\"1\"2,3\n", BadFormat, 3, 3, "`y`"),
            (b"12:00,13:00\n1,2\n", BadFormat, 2, 1, "`1` is not a time"),
            (b"time,12:00\nx,2\n", BadFormat, 2, 3, "`2` is not a time"),
            (b"\r\na,b\r\n\r\n1,2\r\n1\r\n", BadFormat, 5, 1, "1 field in a line"),
            (b"a\n\n\n1\n\nx\n", BadFormat, 2, 1, "an empty field is not a whole number"),
            (b"a,b\n\n\n1,2\n\nx,3\n", BadFormat, 6, 1, "`x`"),
            (b"a\n1\n \r\n2\n", BadFormat, 3, 1, "an empty field is not a whole number"),
            (b"\n\n1\n", BadFormat, 1, 1, "an empty field is not a whole number"),
            (b"a , b \n1,2\n 1 ,  x\n", BadFormat, 3, 7, "`x`"),
            (b"a,b\n1,1\n\"1\", x\n", BadFormat, 3, 6, "`x`"),
            (b"a,b,c\n1,1,1\n 1 ,\"2\n\",\"x\"\"\"\n", BadFormat, 4, 3, "`x\"`"),
        ],
    );
}

#[test]
fn the_line_of_a_fault_is_shown() {
    for (text, line, column) in [
        ("a,b\n1,2\n3, x \n4,5\n", "3, x", 4),
        ("a,b\n \"1\"2, \"3\"\n4,5\n", " \"1\"2, \"3\"", 5),
        ("a,b\n1,2\n3,\"4\n", "3,\"4", 3),
    ] {
        let error = load(Csv, text.as_bytes()).unwrap_err();
        assert_eq!(error.excerpt.as_deref(), Some(&(line.to_owned(), column)), "{text:?}");
    }
    let error = load(Csv, b"a\n\"x\"y\n").unwrap_err();
    let help = "quotes enclose a whole field, and a quote in it is written twice: \
        `\"a \"\"b\"\" c\"`";
    assert_eq!(error.help, [help]);
}

#[test]
fn times_are_no_names_with_a_width() {
    for (text, expected) in [
        ("12:00,5\n13:00,6\n", [43_200, 46_800]),
        ("2024-05-01,5\n2024-05-02,6\n", [19_844, 19_845]),
        ("1970-01-01T12:30,5\n1970-01-02T00:00,6\n", [45_000, 86_400]),
    ] {
        let (found, _) = numbers(Csv, text);
        assert_eq!(
            fields(&found),
            [("1", None, &expected[..]), ("2", None, &[5, 6][..])],
            "{text}"
        );
    }
    // With `header=yes` the first line has names, and a name may have a width.
    let mut options = ReadOptions::new("f", 1 << 20);
    options.fields = FieldRules { header: Some(true), ..FieldRules::default() };
    let text = "12:00,12:030,12:5\n1,2,3\n";
    let Data::Numbers(found) = read(Csv, &mut text.as_bytes(), &mut options).unwrap().data else {
        panic!("no numbers")
    };
    let names: Vec<(&str, Option<usize>)> =
        found.fields.iter().map(|field| (field.name.as_str(), field.bits)).collect();
    assert_eq!(names, [("12:00", None), ("12", Some(30)), ("12", Some(5))]);
    // Written names are read as they are.
    let mut written = Vec::new();
    write(Csv, OutputRef::Numbers(&found), &mut written).unwrap();
    assert_eq!(String::from_utf8(written.clone()).unwrap(), "12:00:,12:030,12:5\n1,2,3\n");
    let again = load(Csv, &written).unwrap();
    assert_eq!(again.data, Data::Numbers(found));
}

#[test]
fn first_line_with_a_number_is_not_a_header() {
    refuses(
        Csv,
        &[
            (b"1.5,3\n4,2\n", BadFormat, 1, 1, "`1.5` is not a whole number"),
            (b"4,0.5\n1,2\n", BadFormat, 1, 3, "`0.5` is not a whole number"),
            (b"+1,2\n", BadFormat, 1, 1, "`+1`"),
            (b".5,a\n", BadFormat, 1, 1, "`.5`"),
            (b"3rd,a\n", BadFormat, 1, 1, "`3rd`"),
            (b"1,\n2,3\n", BadFormat, 1, 3, "an empty field"),
            (b"1e3\n", BadFormat, 1, 1, "`1e3`"),
            (b"1 2\n", BadFormat, 1, 1, "`1 2`"),
            (b"a,b,\n1,2,\n", BadFormat, 1, 5, "the last name of the header is empty"),
            (b"sep=;\na;b\n1;2\n", BadFormat, 1, 1, "the separator for Excel"),
            (b"SEP=,\r\na,b\r\n1,2\r\n", BadFormat, 1, 1, "the separator for Excel"),
            (b"\"sep=|\"\na,b\n1,2\n", BadFormat, 1, 1, "the separator for Excel"),
        ],
    );
    let help = |text: &str| load(Csv, text.as_bytes()).unwrap_err().help;
    for (text, expected) in [
        ("a,b,\n1,2,\n", "delete the comma at the end of every line"),
        ("a;b;\n1;2;\n", "delete the semicolon at the end of every line"),
        ("a\tb\t\n1\t2\n", "delete the tab at the end of the line"),
        ("a,b,\n", "delete the comma at the end of the line"),
        ("a,b,\n1,2,3\n", "write a name after the last comma"),
    ] {
        assert_eq!(help(text), [expected, "`header=no` reads the line as a record"], "{text:?}");
    }
    assert_eq!(help("sep=\t\na\tb\n"), ["delete the first line"]);
    assert_eq!(help("a\n0.05\n"), ["`scale=1000` multiplies every number by 1000 and rounds it"]);
    assert_eq!(help("a\n1e400\n"), <[String; 0]>::default());
    assert_eq!(help("1e3\n"), ["with `scale=1` whole numbers may be written like this one"]);
    let (found, _) = numbers(Csv, "2nd:,.5:4,:\n1,2,3\n");
    let expected = [("2nd", None, &[1][..]), (".5", Some(4), &[2][..]), ("", None, &[3][..])];
    assert_eq!(fields(&found), expected);
}

#[test]
fn unclosed_quote_is_reported() {
    refuses(
        Csv,
        &[
            (b"\"1\n2\n3\n", Truncated, 1, 1, "ends within a quote"),
            (b"a,b\n1,2\n3,\"2", Truncated, 3, 3, "ends within a quote"),
            (b"a,b\n1,2\n3,\"2\n4,5\n", Truncated, 3, 3, "ends within a quote"),
            (b"a,b\n\"1,2\n", Truncated, 2, 1, "ends within a quote"),
            (b"a\n1\n\"2\"\"", Truncated, 3, 1, "ends within a quote"),
            // The internal end mark must not be reported to users.
            (b"a\n\0\n1\n", BadFormat, 2, 1, "contains a zero byte"),
            (b"a\n1\n\0", BadFormat, 3, 1, "contains a zero byte"),
            (b"c,a\0b\n1,2\n", BadFormat, 1, 3, "contains a zero byte"),
            (b"a,b\n1,2\0\n3,4\n", BadFormat, 2, 3, "contains a zero byte"),
            (b"a,b\n\"1\n\0\",2\n", BadFormat, 2, 1, "contains a zero byte"),
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
fn interruption_is_reported() {
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
fn bits_are_written_as_one_number_per_row() {
    let table = BitTable::parse(&["011", "100"]).unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::from(&table))), "bits:3\n3\n4\n");
    let bits = BitVector::parse("101").unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Slice(&bits))), "bits:1\n1\n0\n1\n");
    assert_eq!(written(OutputRef::Bits(BitsRef::Word(&bits))), "bits:3\n5\n");
}

#[test]
fn written_headers_are_read_as_headers() {
    let field = |name: &str, bits| Field::new(name, bits, vec![0, 7]);
    for fields in [
        vec![field("1", None), field("2", None)],
        vec![field("1", Some(9)), field("a,b", None), field("c\"d", Some(3))],
        vec![field("a:5", None)],
        vec![field("a:5", Some(5))],
        vec![field("", None), field("x", None), field("-y", None), field(".5", Some(3))],
        vec![field("a\nb", None), field("3", None)],
        vec![field("a;b", None), field("c\td", None), field("e\"f", None)],
    ] {
        let data = Numbers { shape: Shape::List(2), fields };
        assert_eq!(numbers(Csv, &written(OutputRef::Numbers(&data))).0, data);
    }
}

#[test]
fn overwide_values_are_not_written() {
    let wide = BitTable::zeros(2, 64).unwrap();
    let error = write(Csv, OutputRef::Bits(BitsRef::from(&wide)), &mut Vec::new()).unwrap_err();
    assert_eq!(error.code, Code::NoSuchLayout);
    crate::support::check_wording(&error);
}

fn with(rules: FieldRules<'_>, text: &str) -> Result<Numbers, FileError> {
    let mut options = ReadOptions { fields: rules, ..ReadOptions::new("f", 1 << 20) };
    match read(Csv, &mut text.as_bytes(), &mut options)?.data {
        Data::Numbers(numbers) => Ok(numbers),
        other => panic!("{other:?}"),
    }
}

const PEOPLE: &str = "name,city,born,wakes,temperature,zip:text\n\
    Ann,Paris,1990-05-01,07:30,-3,01234\n\
    Bob,,1969-12-31,06:00:05,12,80331\n\
    \"Eve, of X\",Paris,2001-01-01,23:59,0,01234\n";

#[test]
fn texts_dates_and_times_round_trip() {
    let (people, notes) = numbers(Csv, PEOPLE);
    assert!(notes.is_empty());
    let values: Vec<&[i64]> = people.fields.iter().map(|field| &field.values[..]).collect();
    let expected: [&[i64]; 6] = [
        &[1, 2, 3],
        &[1, 0, 1],
        &[7425, -1, 11_323],
        &[27_000, 21_605, 86_340],
        &[-3, 12, 0],
        &[1, 2, 1],
    ];
    assert_eq!(values, expected);
    let Meaning::Texts(names) = &people.fields[0].meaning else { panic!("texts") };
    assert_eq!(names.as_slice(), ["Ann", "Bob", "Eve, of X"]);
    let again = written(OutputRef::Numbers(&people));
    assert_eq!(again, PEOPLE.replace(":30,", ":30:00,").replace(":59,", ":59:00,"));
    assert_eq!(numbers(Csv, &again).0, people);
    let german = "preis;ort\n1,50;Ulm\n-0,25;\n";
    let mut options =
        ReadOptions { scale: Decimal::parse_positive("100"), ..ReadOptions::new("f", 9999) };
    let loaded = read(Csv, &mut german.as_bytes(), &mut options).unwrap();
    assert_eq!(loaded.notes, ["fields are separated by semicolons"]);
    let Data::Numbers(prices) = &loaded.data else { panic!("numbers") };
    assert_eq!([&prices.fields[0].values[..], &prices.fields[1].values], [[150, -25], [1, 0]]);
    assert_eq!(written(loaded.data.as_output()), "preis,ort\n1.5,Ulm\n-0.25,\n");
}

#[test]
fn numbers_that_are_not_read_again_are_noted() {
    let texts = star_io::Texts::of(["a", "2"].map(str::to_owned));
    let note = |meaning: Meaning, values: &[i64]| {
        let field = Field { meaning, ..Field::new("f", None, values.to_vec()) };
        let numbers = Numbers { shape: Shape::List(values.len()), fields: vec![field] };
        star_io::not_kept(Csv, OutputRef::Numbers(&numbers))
    };
    let codes = |n: &str| Some(format!("field `f` has {n} of no text, written as numbers"));
    assert_eq!(note(Meaning::Texts(texts.clone()), &[0, 1, 2]), None);
    assert_eq!(note(Meaning::Texts(texts), &[5, 1, 6]), codes("2 numbers that are codes"));
    assert_eq!(note(Meaning::Clock, &[0, 86_399]), None);
    let clock = "field `f` has 1 number that is not a time like `12:30` or `12:30:00`";
    assert_eq!(note(Meaning::Clock, &[0, 86_400]).as_deref(), Some(clock));
    assert!(note(Meaning::Date, &[4_000_000]).is_some() && note(Meaning::Date, &[0]).is_none());
    assert_eq!(note(Meaning::Number, &[i64::MIN]), None);
}

#[test]
fn utf16_is_rejected_with_advice() {
    let little: Vec<u8> = "km\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "km\n1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = |mark: &[u8], text: &[u8]| [mark, text].concat();
    let texts = [marked(b"\xff\xfe", &little), marked(b"\xfe\xff", &big), little, big];
    for format in [Csv, star_io::Format::EdgeList] {
        for text in &texts {
            let error = load(format, text).unwrap_err();
            assert_eq!((error.code, error.line), (BadFormat, Some(1)), "{error}");
            assert_eq!(error.help, ["save the file as UTF-8"], "{format:?}");
        }
    }
    let marked = load(Csv, b"\xef\xbb\xbfkm\n1\n").unwrap();
    let Data::Numbers(marked) = marked.data else { panic!("numbers") };
    assert_eq!(marked.fields[0].name, "km");
}

#[test]
fn user_declares_texts_their_order_and_empty_cells() {
    let text = "a,b\n3,x\n,w\n12,x\n";
    let rules = FieldRules { empty: Some("-1"), sorted: true, ..FieldRules::default() };
    let numbers = with(rules, text).unwrap();
    assert_eq!(fields(&numbers), [("a", None, &[3, -1, 12][..]), ("b", None, &[2, 1, 2][..])]);
    let names = ["a".to_owned()];
    let rules = FieldRules { texts: &names, ..FieldRules::default() };
    assert_eq!(with(rules, text).unwrap().fields[0].values, [1, 0, 2]);
    let rules = FieldRules { empty: Some("none"), ..FieldRules::default() };
    let error = with(rules, "a,b\n,1\n3,2\n").unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(1)));
    assert_eq!(with(rules, "a,b\n,1\n,2\n").unwrap().fields[0].values, [0, 0]);
}

#[test]
fn fields_have_separate_scales() {
    let scales = [("p".to_owned(), Decimal::whole(100))];
    let rules = FieldRules { scales: &scales, ..FieldRules::default() };
    let numbers = with(rules, "n,p\n7,2.40\n8,-1\n").unwrap();
    assert_eq!(fields(&numbers), [("n", None, &[7, 8][..]), ("p", None, &[240, -100][..])]);
    assert_eq!(written(OutputRef::Numbers(&numbers)), "n,p\n7,2.4\n8,-1\n");
    let mut options = ReadOptions { fields: rules, ..ReadOptions::new("f", 9999) };
    let loaded = read(Csv, &mut &b"n\n7\n"[..], &mut options).unwrap();
    assert!(loaded.warnings.is_empty(), "another file may have the field: {loaded:?}");
    let mut options = ReadOptions { fields: rules, ..ReadOptions::new("f", 9999) };
    let loaded = read(Csv, &mut &b"p\n0.001\n"[..], &mut options).unwrap();
    assert!(loaded.warnings[0].starts_with("field `p`: 1 of 1 value became 0"), "{loaded:?}");
}

#[test]
fn memory_of_texts_is_bounded() {
    let text: String = (0..1000).map(|n| format!("t{n}\n")).collect();
    let of_budget = |max_bytes| {
        let mut options = ReadOptions::new("f", max_bytes);
        read(Csv, &mut text.as_bytes(), &mut options).map(|loaded| loaded.n_bytes)
    };
    let n_bytes = of_budget(1 << 20).unwrap();
    assert!(n_bytes > 1000 * 128, "{n_bytes}");
    assert_eq!(of_budget(n_bytes).unwrap(), n_bytes);
    assert_eq!(of_budget(n_bytes - 1).unwrap_err().code, DoesNotFit);
}

/// The texts of a field.
fn texts(numbers: &Numbers, idx: usize) -> Vec<String> {
    let field = &numbers.fields[idx];
    field.values.iter().map(|&number| field.meaning.text(number).into_owned()).collect()
}

#[test]
fn quotes_may_follow_blanks() {
    let (found, _) = numbers(Csv, "a,b\n1, \"x\"\n2, y\n");
    assert_eq!(texts(&found, 1), ["x", "y"]);
    let (found, _) = numbers(Csv, "\"foo\",\"bar\"\n  \"p\", \t\"Surname, Firstname\" \n");
    assert_eq!(
        (texts(&found, 0), texts(&found, 1)),
        (vec!["p".to_owned()], vec!["Surname, Firstname".to_owned()])
    );
    // The blanks count in the places of errors.
    refuses(Csv, &[(b"a,b,c\nx, \"y\", 1\nx, \"y\", 1x\n", BadFormat, 3, 9, "`1x`")]);
}

#[test]
fn blanks_in_quotes_belong_to_texts() {
    let text = "t,v\n\" x \",1\n  y z  , 2 \n\"\t\",\" 3 \"\n\"\n\",4\n";
    let (found, _) = numbers(Csv, text);
    assert_eq!(texts(&found, 0), [" x ", "y z", "\t", "\n"]);
    assert_eq!(found.fields[1].values, [1, 2, 3, 4]);
    let again = written(OutputRef::Numbers(&found));
    assert_eq!(again, "t,v\n\" x \",1\ny z,2\n\"\t\",3\n\"\n\",4\n");
    assert_eq!(numbers(Csv, &again).0, found);
    // A code is that of the exact text.
    let Meaning::Texts(codes) = &found.fields[0].meaning else { panic!("texts") };
    assert_eq!((codes.code(" x "), codes.code("x")), (Some(1), None));
}

#[test]
fn blank_texts_are_not_empty_ones() {
    for text in ["t,v\n\" \",1\nx,2\n", "t,v\nx,1\n\" \",2\n", "t,v\n,1\n\"  \",2\n\" \",3\n"] {
        let (found, _) = numbers(Csv, text);
        let cells = text.lines().skip(1).map(|line| line.split(',').next().unwrap());
        let cells: Vec<String> = cells.map(|cell| cell.replace('"', "")).collect();
        assert_eq!(texts(&found, 0), cells);
        assert_eq!(written(OutputRef::Numbers(&found)), text);
    }
    let rules = FieldRules { empty: Some("7"), ..FieldRules::default() };
    assert_eq!(with(rules, "n,m\n\" \",1\n,2\n5,3\n").unwrap().fields[0].values, [7, 7, 5]);
    // A text like a number after blank ones, also in quotes, is declared.
    for first in ["", " ", "\t "] {
        let texts = star_io::Texts::of([first, "5", " 6"].map(str::to_owned));
        let values = [first, "5", " 6"].map(|text| texts.code(text).unwrap()).to_vec();
        let field = Field { meaning: Meaning::Texts(texts), ..Field::new("t", None, values) };
        let found = Numbers { shape: Shape::List(3), fields: vec![field] };
        let again = written(OutputRef::Numbers(&found));
        assert!(again.starts_with("t:text\n"), "{again}");
        assert_eq!(self::texts(&numbers(Csv, &again).0, 0), self::texts(&found, 0));
    }
}

#[test]
fn lines_that_may_be_headers_and_lost_zeros_are_noted() {
    let header = "the first line is read as a record; `header=yes` reads it as names";
    let notes = |text: &str| numbers(Csv, text).1;
    assert_eq!(notes("country,2019,2020\nDE,5,6\n"), [header]);
    for clear in ["country,y2019\nDE,5\n", "2019,2020\n5,6\n", "DE,5\n", "a,b\nc,d\n"] {
        assert_eq!(notes(clear), [""; 0], "{clear}");
    }
    let zeros = "`01234` in field `zip` is read as a number; `texts=zip,tel` keeps leading zeros";
    assert_eq!(notes("zip,n,tel\n99,0,030\n01234,10,5\n00001,0,1\n"), [zeros]);
    assert_eq!(notes("zip,day,s:text\n0,2024-01-01,01\n-5,2024-01-01,02\n"), [""; 0]);
}

#[test]
fn blank_lines_are_empty_fields_in_one_column() {
    let lines = |text: &str| texts(&numbers(Csv, text).0, 0);
    assert_eq!(lines("t\na\n\nb\n\n \n"), ["a", "", "b"]);
    assert_eq!(lines("\n\nt\r\na\r\n\r\n\t\r\nb"), ["a", "", "", "b"]);
    assert_eq!(lines("t,v\n\na,1\n\nb,2\n"), ["a", "b"]);
    let rules = FieldRules { empty: Some("0"), ..FieldRules::default() };
    assert_eq!(with(rules, "n\n5\n\n7\n").unwrap().fields[0].values, [5, 0, 7]);
    assert_eq!(with(rules, "\n5\n\n7\n").unwrap().fields[0].values, [0, 5, 0, 7]);
    let rules = FieldRules { header: Some(false), ..FieldRules::default() };
    assert_eq!(texts(&with(rules, "\n\na\n").unwrap(), 0), ["", "", "a"]);
    // Empty texts are written so that the last one is a record.
    let (found, _) = numbers(Csv, "t\na\n\"\"\n");
    assert_eq!(texts(&found, 0), ["a", ""]);
    assert_eq!(numbers(Csv, &written(OutputRef::Numbers(&found))).0, found);
}

#[test]
fn texts_may_have_several_lines() {
    let (found, _) = numbers(Csv, "col1\n\"cell with\nnewline\"\n");
    assert_eq!(texts(&found, 0), ["cell with\nnewline"]);
    let (found, _) = numbers(Csv, "\"col\n1\",b\n\"\r\nx\",2\n");
    assert_eq!(found.fields[0].name, "col\n1");
    assert_eq!(found.shape, Shape::List(1));
}

#[test]
fn options_declare_headers() {
    let read_with = |text: &str, header: bool| {
        let fields = FieldRules { header: Some(header), ..FieldRules::default() };
        let mut options = ReadOptions { fields, ..ReadOptions::new("f", 1 << 20) };
        match read(Csv, &mut text.as_bytes(), &mut options).unwrap().data {
            Data::Numbers(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    };
    let texts_only = read_with("ann,red\nbob,blue\n", false);
    assert_eq!(texts(&texts_only, 0), ["ann", "bob"]);
    assert_eq!(texts_only.fields[0].name, "1");
    let years = read_with("2023,2024\n5,7\n", true);
    assert_eq!(fields(&years), [("2023", None, &[5][..]), ("2024", None, &[7][..])]);
}

#[test]
fn unreadable_dates_are_refused_with_the_forms() {
    for cell in [
        "2024-5-1",
        "2024-02-30",
        "1/5/2024",
        "1.5.2024",
        "9:30",
        "24:00",
        "12:30:00.5",
        "2024-05-01T12:30:00+02:00",
        "2024-05-01 9:30",
        "12:30:60",
    ] {
        let error = load(Csv, format!("d\n{cell}\n").as_bytes()).unwrap_err();
        assert_eq!((error.line, error.column), (Some(2), Some(1)), "{cell}");
        assert!(error.message.contains("not a valid date or time"), "{cell}: {error:?}");
        assert!(error.notes[0].contains("`2024-05-01`"), "{error:?}");
        assert!(error.help[0].contains("`texts=NAME`"), "{error:?}");
    }
    let (found, _) = numbers(Csv, "d\n12:30:01.000\n");
    assert_eq!(found.fields[0].values, [45_001]);
}

#[test]
fn unknown_names_in_settings_are_noted_with_errors_of_cells() {
    let scales = [("z".to_owned(), Decimal::parse("100").unwrap())];
    let texts = ["b".to_owned(), "y".to_owned()];
    let notes = |fields: FieldRules<'_>| {
        let mut options = ReadOptions { fields, ..ReadOptions::new("f", 1 << 20) };
        let error = read(Csv, &mut &b"a,b\n1,x\n2.5,y\n"[..], &mut options).unwrap_err();
        assert_eq!(error.message, "`2.5` is not a whole number");
        error.notes
    };
    let fields = "the fields are `a`, `b`";
    let scaled = FieldRules { scales: &scales, ..FieldRules::default() };
    assert_eq!(notes(scaled), [format!("no field is called `z`, as in `scale=`; {fields}")]);
    let texts = FieldRules { texts: &texts, ..scaled };
    assert_eq!(notes(texts), [format!("no field is called `y`, as in `texts=`; {fields}")]);
    assert_eq!(notes(FieldRules { scales: &[], texts: &texts.texts[..1], ..texts }), [""; 0]);
}
