//! NumPy arrays and archives of them.

use proptest::prelude::*;
use star_base::Code;
use star_io::Format::{Npy, Npz};
use star_io::{
    Data, Decimal, Field, Meaning, Numbers, OutputRef, ReadOptions, Shape, Texts, not_kept, read,
    write,
};
use star_value::{BitTable, BitVector, BitsRef};

use crate::binary::{header, npy, zip};
use crate::support::{BUDGET, check_wording, fields, load};

const SHAPE: Shape = Shape::Grid { height: 2, width: 3 };

fn numbers(bytes: &[u8]) -> Numbers {
    let format = if bytes.starts_with(b"PK") { Npz } else { Npy };
    let loaded = load(format, bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.warnings, Vec::<String>::new());
    match loaded.data {
        Data::Numbers(numbers) => numbers,
        other => panic!("{other:?} instead of numbers"),
    }
}

fn error(bytes: &[u8]) -> (Code, String) {
    let format = if bytes.starts_with(b"PK") { Npz } else { Npy };
    let error = load(format, bytes).expect_err("a file that is refused");
    check_wording(&error);
    (error.code, error.message)
}

#[test]
fn every_type_and_order_is_read() {
    let values = [0i64, 1, 2, 3, 100, 127];
    for (descr, is_big, n_bytes, bits) in [
        ("'|u1'", false, 1, Some(8)),
        ("'|i1'", false, 1, None),
        ("'<u2'", false, 2, Some(16)),
        ("'>u2'", true, 2, Some(16)),
        ("'<i2'", false, 2, None),
        ("'>i4'", true, 4, None),
        ("'<u4'", false, 4, Some(32)),
        ("'>u8'", true, 8, Some(63)),
        ("\"<i8\"", false, 8, None),
    ] {
        let bytes = |value: &i64| match is_big {
            true => value.to_be_bytes()[8 - n_bytes..].to_vec(),
            false => value.to_le_bytes()[..n_bytes].to_vec(),
        };
        let data: Vec<u8> = values.iter().flat_map(bytes).collect();
        for version in 1..=3 {
            let file = npy(version, &header(descr, "False", "(2, 3)"), &data);
            let numbers = numbers(&file);
            assert_eq!(numbers.shape, SHAPE);
            assert_eq!(fields(&numbers), [("value", bits, &values[..])], "{descr}");
        }
        let by_columns: Vec<u8> =
            [0, 3, 1, 4, 2, 5].iter().flat_map(|&i| bytes(&values[i])).collect();
        let file = npy(1, &header(descr, "True", "(2, 3)"), &by_columns);
        assert_eq!(numbers(&file).fields[0].values, values, "{descr}");
    }
    let data = (-3i16..0).flat_map(i16::to_le_bytes).collect::<Vec<_>>();
    let list = numbers(&npy(1, &header("'<i2'", "False", "(3L,)"), &data));
    assert_eq!((list.shape, &list.fields[0].values[..]), (Shape::List(3), &[-3, -2, -1][..]));
    let truth = numbers(&npy(1, &header("'|b1'", "False", "(2,)"), &[1, 0]));
    assert_eq!(fields(&truth), [("value", Some(1), &[1, 0][..])]);
    let one = numbers(&npy(1, &header("'<f8'", "False", "()"), &5f64.to_le_bytes()));
    assert_eq!((one.shape, &one.fields[0].values[..]), (Shape::List(1), &[5][..]));
    let none = numbers(&npy(1, &header("'<f8'", "False", "(0, 7)"), &[]));
    assert_eq!(none.shape, Shape::Grid { height: 0, width: 7 });
}

#[test]
fn records_become_fields() {
    let descr = "[('a', '<i2'), ('', '|V3'), (('title', 'b'), '>u4')]";
    let data = [&[0xff, 0xff, 9, 9, 9, 0, 0, 1, 0][..], &[2, 0, 9, 9, 9, 0, 0, 0, 3]].concat();
    let numbers = numbers(&npy(1, &header(descr, "False", "(2,)"), &data));
    assert_eq!(numbers.shape, Shape::List(2));
    assert_eq!(fields(&numbers), [("a", None, &[-1, 2][..]), ("b", Some(32), &[256, 3][..])]);
}

#[test]
fn fractions_need_a_scale() {
    for (descr, data) in [
        ("'<f4'", [1.0f32, -0.25].map(f32::to_le_bytes).concat()),
        ("'>f8'", [1.0f64, -0.25].map(f64::to_be_bytes).concat()),
        ("'<f2'", [0x3c00u16, 0xb400].map(u16::to_le_bytes).concat()),
    ] {
        let file = npy(1, &header(descr, "False", "(1, 2)"), &data);
        let error = load(Npy, &file).unwrap_err();
        assert_eq!(error.code, Code::OutOfRange);
        assert_eq!(error.to_string(), "f: `-0.25` is not a whole number in row 1, column 2");
        assert!(error.help[0].contains("`scale=100`"));
        let mut options = ReadOptions::new("f", BUDGET);
        options.scale = Decimal::parse_positive("10");
        let loaded = read(Npy, &mut &file[..], &mut options).unwrap();
        let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
        assert_eq!(numbers.fields[0].values, [10, -3]);
    }
    let nan = npy(1, &header("'<f8'", "False", "(1,)"), &f64::NAN.to_le_bytes());
    assert!(error(&nan).1.contains("`NaN` is not a whole number at index 1"));
    let mut options = ReadOptions { nan_is_missing: true, ..ReadOptions::new("f", BUDGET) };
    let values = [5f32, f32::NAN, -2.0].map(f32::to_le_bytes).concat();
    let some = npy(1, &header("'<f4'", "False", "(3,)"), &values);
    let Data::Numbers(some) = read(Npy, &mut &some[..], &mut options).unwrap().data else {
        panic!("no numbers")
    };
    let missing = some.fields[0].nodata.unwrap();
    assert_eq!(some.fields[0].values, [5, missing, -2]);
    assert_eq!(some.fields[0].offset(), -2);
    let none = npy(1, &header("'<f8'", "False", "(1,)"), &5f64.to_le_bytes());
    let Data::Numbers(none) = read(Npy, &mut &none[..], &mut options).unwrap().data else {
        panic!("no numbers")
    };
    assert_eq!(none.fields[0].nodata, None);
    let large = npy(1, &header("'<u8'", "False", "(1,)"), &[255; 8]);
    assert!(error(&large).1.contains("exceeds 63 bits"));
    let large = npy(1, &header("'<f8'", "False", "(1,)"), &1e19f64.to_le_bytes());
    assert!(error(&large).1.contains("`1e19` exceeds 63 bits at index 1"));
    let mut options = ReadOptions::new("f", BUDGET);
    options.scale = Decimal::parse_positive("0.5");
    let whole = npy(1, &header("'|u1'", "False", "(2,)"), &[7, 0]);
    let loaded = read(Npy, &mut &whole[..], &mut options).unwrap();
    let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
    assert_eq!(fields(&numbers), [("value", None, &[4, 0][..])]);
}

#[test]
fn meaningless_headers_are_rejected() {
    let good = header("'|u1'", "False", "(2,)");
    for (text, part) in [
        ("{'descr': '|u1'}".to_owned(), "does not describe an array"),
        (header("'|O'", "False", "(2,)"), "the type `|O`"),
        (header("'<c8'", "False", "(2,)"), "the type `<c8`"),
        (header("'<M8[ns]'", "False", "(2,)"), "neither an integer nor a floating-point"),
        (header("'<f16'", "False", "(2,)"), "`<f16`, an unsupported floating-point type"),
        (header("[('a', '>f12')]", "False", "(2,)"), "an unsupported floating-point type"),
        (header("[]", "False", "(2,)"), "items of unknown type"),
        (header("[('a', '<i2', (2,))]", "False", "(2,)"), "an array or a record"),
        (header("[('', '|V4')]", "False", "(2,)"), "without numbers"),
        (header("'|u1'", "0", "(2,)"), "does not describe an array"),
        (header("'|u1'", "False", "(-2,)"), "does not describe an array"),
        (header("'|u1'", "False", "(1, 2, 1)"), "an array with 3 dimensions"),
        (good.replace("descr", "dexcr"), "does not describe an array"),
        ("\u{0}\u{7f}".to_owned(), "does not describe an array"),
    ] {
        let (code, message) = error(&npy(1, &text, &[1, 2]));
        assert_eq!(code, Code::BadFormat, "{text}");
        assert!(message.contains(part), "{text}: {message}");
    }
    assert!(error(&npy(4, &good, &[1, 2])).1.contains("version 4"));
    assert_eq!(error(&npy(1, &good, &[1, 2, 3])).0, Code::HeaderLies);
    assert_eq!(error(&npy(1, &good, &[1])).0, Code::Truncated);
    assert_eq!(error(b"\x93NUMPX\x01\0").0, Code::BadFormat);
    assert_eq!(error(b"\x93NUMPY\x02\0\xff\xff\xff\xff").0, Code::BadFormat);
}

#[test]
fn huge_arrays_in_tiny_files_allocate_no_memory() {
    for shape in ["(1000000000000,)", "(4294967296, 4294967296)", "(99999999999, 99999999999)"] {
        for order in ["False", "True"] {
            let file = npy(1, &header("'<i8'", order, shape), &[0; 64]);
            assert_eq!(error(&file).0, Code::DoesNotFit);
            let parts = zip(&[("a.npy", &file)]);
            let error_of_part = load(Npz, &parts).unwrap_err();
            assert_eq!((error_of_part.code, &error_of_part.file[..]), (Code::Truncated, "f#a"));
            let mut options = ReadOptions::new("f", BUDGET);
            options.size_hint = Some(file.len() as u64);
            let known = read(Npy, &mut &file[..], &mut options).unwrap_err();
            assert_eq!(known.code, Code::Truncated, "{known}");
            for (format, bytes) in [(Npy, &file), (Npz, &parts)] {
                for size_hint in [None, Some(bytes.len() as u64)] {
                    let mut options = ReadOptions::new("f", u64::MAX);
                    options.size_hint = size_hint;
                    let error = read(format, &mut &bytes[..], &mut options).unwrap_err();
                    assert!(matches!(error.code, Code::Truncated | Code::DoesNotFit), "{error}");
                }
            }
        }
    }
}

#[test]
fn archives_give_the_selected_array() {
    let one = npy(1, &header("'<f8'", "False", "()"), &0.1f64.to_le_bytes());
    let axis = npy(1, &header("'|u1'", "False", "(2,)"), &[1, 2]);
    let grid = npy(1, &header("'|u1'", "False", "(2, 2)"), &[1, 2, 3, 4]);
    let objects = npy(1, &header("'|O'", "False", "(2, 2)"), b"pickle");
    let parts: [(&str, &[u8]); 5] = [
        ("dx.npy", &one),
        ("x.npy", &axis),
        ("readme.txt", b"not an array"),
        ("height.npy", &grid),
        ("names.npy", &objects),
    ];
    let alone = [parts[0], parts[2], parts[3], parts[4]];
    assert_eq!(fields(&numbers(&zip(&alone))), [("height", Some(8), &[1, 2, 3, 4][..])]);
    // The user may want an axis as well as its grid.
    let refused = load(Npz, &zip(&parts)).unwrap_err();
    assert_eq!(refused.notes, ["it has `dx` (a number), `x` (2), `height` (2 × 2)"]);
    assert_eq!(refused.help, ["append the name to the file: `f#height`"]);
    assert_eq!(fields(&numbers(&zip(&parts[..3]))), [("x", Some(8), &[1, 2][..])]);
    assert!(error(&zip(&parts[..1])).1.contains("`0.1` is not a whole number"));

    let whole = zip(&[("a.npy", &grid)]);
    for n_bytes in [30, whole.len() - 1] {
        let (code, message) = error(&whole[..n_bytes]);
        assert_eq!(code, Code::BadFormat);
        assert!(
            message.ends_with("the archive: it is damaged, or its end is missing"),
            "{message}"
        );
    }

    let several = zip(&[("x.npy", &axis), ("a.npy", &grid), ("b.npy", &grid)]);
    let refused = load(Npz, &several).unwrap_err();
    check_wording(&refused);
    assert_eq!(
        (refused.code, &refused.message[..]),
        (Code::CannotOpen, "the archive has several arrays; select one by name")
    );
    assert_eq!(refused.notes, ["it has `x` (2), `a` (2 × 2), `b` (2 × 2)"]);
    assert_eq!(refused.help, ["append the name to the file: `f#a`"]);
    let mut options = ReadOptions::new("f", BUDGET);
    options.part = Some("b");
    let loaded = read(Npz, &mut &several[..], &mut options).unwrap();
    let Data::Numbers(named) = loaded.data else { panic!("no numbers") };
    assert_eq!(named.fields[0].name, "b");
    options.part = Some("c");
    let refused = read(Npz, &mut &several[..], &mut options).unwrap_err();
    assert_eq!((refused.code, &refused.notes[0][..]), (Code::CannotOpen, "it has `x`, `a`, `b`"));
    let refused = read(Npy, &mut &grid[..], &mut options).unwrap_err();
    assert_eq!(
        (refused.code, &refused.message[..]),
        (Code::CannotOpen, "the file has no part `c`")
    );

    assert!(error(&zip(&parts[2..3])).1.contains("the archive has no arrays"));
    assert!(error(b"PK\x03\x05").1.contains("does not begin like an archive"));
    let mut damaged = zip(&[("a.npy", &grid)]);
    let at = damaged.windows(4).position(|four| four == [1, 2, 3, 4]).unwrap();
    damaged[at] = 9;
    assert_eq!(error(&damaged).0, Code::BadFormat);
}

fn written(format: star_io::Format, value: OutputRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(format, value, &mut bytes).expect("a value that the format holds");
    bytes
}

#[test]
fn arrays_are_written_like_numpy() {
    let table = BitTable::parse(&["011", "100"]).unwrap();
    let bytes = written(Npy, OutputRef::Bits(BitsRef::from(&table)));
    let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3, ), }";
    assert_eq!(bytes[..10], *b"\x93NUMPY\x01\x00\x76\x00");
    assert_eq!(bytes[10..10 + header.len()], *header.as_bytes());
    assert_eq!((bytes.len(), &bytes[127..]), (134, &b"\n\x00\x01\x01\x01\x00\x00"[..]));
    let slice = BitVector::parse("0110").unwrap();
    for value in [OutputRef::Bits(BitsRef::Slice(&slice)), OutputRef::Bits(BitsRef::Word(&slice))] {
        let list = numbers(&written(Npy, value));
        assert_eq!(list.shape, Shape::List(4));
        assert_eq!(fields(&list), [("value", Some(1), &[0, 1, 1, 0][..])]);
    }
    for (values, bits, descr) in [
        ([0, 1], Some(1), "'|b1'"),
        ([0, 1], None, "'|u1'"),
        ([0, 256], None, "'<u2'"),
        ([0, 5], Some(11), "'<u2'"),
        ([-128, 127], None, "'|i1'"),
        ([-129, 0], None, "'<i2'"),
        ([-1, 1 << 31], None, "'<i8'"),
        ([0, 1 << 31], None, "'<u4'"),
        ([i64::MIN, i64::MAX], Some(64), "'<i8'"),
        ([0, 1], Some(4096), "'|u1'"),
    ] {
        let field = Field::new("v", bits, values.to_vec());
        let numbers = Numbers { shape: Shape::List(2), fields: vec![field] };
        let bytes = written(Npy, OutputRef::Numbers(&numbers));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains(descr), "{values:?}: {text:?}");
    }
}

#[test]
fn texts_of_numbers_are_written_as_these() {
    let list = |texts: &[&str], codes: Vec<i64>| {
        let meaning = Meaning::Texts(Texts::of(texts.iter().map(|&text| text.to_owned())));
        let shape = Shape::List(codes.len());
        Numbers { shape, fields: vec![Field { meaning, ..Field::new("v", None, codes) }] }
    };
    let minus_one = Some("field `v` has -1 in place of an empty text".to_owned());
    let (high, texts) = (["18446744073709551615"], "field `v` contains texts, from ");
    for (texts, codes, values, note) in [
        (&["20", "0"][..], vec![1, 2], Some(&[20, 0][..]), None),
        (&["20", "0"], vec![0, 2], Some(&[-1, 0]), minus_one),
        (&["02", "2"], vec![2, 1], Some(&[2, 1]), Some(format!("{texts}`02` as 1 to `2` as 2"))),
        (&["Oslo", "2"], vec![0], Some(&[0]), Some(format!("{texts}`Oslo` as 1 to `2` as 2"))),
        (&high, vec![1], None, None), // more than a reader accepts
    ] {
        let list = list(texts, codes);
        let bytes = written(Npy, OutputRef::Numbers(&list));
        if let Some(values) = values {
            assert_eq!(fields(&numbers(&bytes))[0].2, values, "{texts:?}");
        }
        assert_eq!(not_kept(Npy, OutputRef::Numbers(&list)), note);
        assert_eq!(not_kept(star_io::Format::Csv, OutputRef::Numbers(&list)), None);
    }
    let bytes = written(Npy, OutputRef::Numbers(&list(&high, vec![1])));
    assert!(bytes.ends_with(&u64::MAX.to_le_bytes()), "{bytes:?}");
}

fn any_numbers() -> impl Strategy<Value = Numbers> {
    let value = prop_oneof![0..2i64, 0..300i64, any::<i64>(), -200..200i64];
    (1..4usize, 0..5usize, 0..5usize, any::<bool>()).prop_flat_map(
        move |(n, height, width, grid)| {
            let shape = match grid {
                true => Shape::Grid { height, width },
                false => Shape::List(height * width),
            };
            let values = prop::collection::vec(value.clone(), height * width);
            let fields = prop::collection::vec(("[a-zä'\\\\ ]{1,4}", values), n);
            fields.prop_map(move |fields| {
                let fields = fields
                    .into_iter()
                    .enumerate()
                    .map(|(idx, (name, values))| Field::new(format!("{name}{idx}"), None, values));
                Numbers { shape, fields: fields.collect() }
            })
        },
    )
}

proptest! {
    #[test]
    fn numbers_round_trip(expected in any_numbers()) {
        for format in [Npy, Npz] {
            let found = numbers(&written(format, OutputRef::Numbers(&expected)));
            prop_assert_eq!(found.shape, expected.shape);
            prop_assert_eq!(found.fields.len(), expected.fields.len());
            for (found, expected) in found.fields.iter().zip(&expected.fields) {
                prop_assert_eq!(&found.values, &expected.values);
                if expected.values.iter().all(|&value| value >= 0) {
                    let bits = found.bits.expect("unsigned numbers have a depth");
                    prop_assert!(expected.values.iter().all(|&value| bits >= 63 || value < 1 << bits));
                }
            }
            let has_names = format == Npz || expected.fields.len() > 1;
            if has_names {
                let names = |numbers: &Numbers| -> Vec<String> {
                    numbers.fields.iter().map(|field| field.name.clone()).collect()
                };
                prop_assert_eq!(names(&found), names(&expected));
            }
        }
    }

    #[test]
    fn tables_round_trip(
        n_rows in 0..150usize,
        columns in prop::collection::vec(any::<u64>(), 0..5),
    ) {
        let mut table = BitTable::zeros(n_rows, columns.len()).unwrap();
        for (col, bits) in columns.iter().enumerate() {
            for row in 0..n_rows {
                table.put(row, col, bits.rotate_left(row as u32 * 7) & 1 == 1);
            }
        }
        for format in [Npy, Npz] {
            let found = numbers(&written(format, OutputRef::Bits(BitsRef::from(&table))));
            let n_cols = columns.len();
            prop_assert_eq!(found.shape, Shape::Grid { height: n_rows, width: n_cols });
            prop_assert_eq!(found.fields[0].bits, Some(1));
            for (idx, &value) in found.fields[0].values.iter().enumerate() {
                prop_assert_eq!(value == 1, table.get(idx / n_cols, idx % n_cols));
            }
        }
    }
}
