//! Round trips of pictures.

use proptest::prelude::*;
use star_base::Code;
use star_io::Format::{Jpeg, Pbm, Pgm, Png, Ppm, Tiff};
use star_io::{Data, Field, Format, Graph, Numbers, OutputRef, Shape, write};
use star_value::{BitTable, BitVector, BitsRef};

use crate::support::{check_wording, fields, load};

fn back(format: Format, value: OutputRef<'_>) -> Numbers {
    let mut bytes = Vec::new();
    write(format, value, &mut bytes).expect("a picture");
    assert_eq!(Format::detect(&bytes), Some(format));
    match load(format, &bytes).expect("a picture in order").data {
        Data::Numbers(numbers) => numbers,
        other => panic!("{other:?} instead of numbers"),
    }
}

fn field(name: &str, bits: Option<usize>, values: &[i64]) -> Field {
    Field::new(name, bits, values.to_vec())
}

#[test]
fn tables_are_written_as_pictures_row_by_row() {
    let table = BitTable::parse(&["101", "011"]).unwrap();
    let bits: &[i64] = &[1, 0, 1, 0, 1, 1];
    for (format, name) in [(Png, "gray"), (Pgm, "gray"), (Pbm, "black")] {
        let numbers = back(format, OutputRef::Bits(BitsRef::from(&table)));
        assert_eq!(numbers.shape, Shape::Grid { height: 2, width: 3 });
        assert_eq!(fields(&numbers), [(name, Some(1), bits)]);
        let slice = BitVector::parse("0110").unwrap();
        let shape = back(format, OutputRef::Bits(BitsRef::Slice(&slice))).shape;
        assert_eq!(shape, Shape::Grid { height: 4, width: 1 });
        let shape = back(format, OutputRef::Bits(BitsRef::Word(&slice))).shape;
        assert_eq!(shape, Shape::Grid { height: 1, width: 4 });
    }
    let mut bytes = Vec::new();
    write(Pbm, OutputRef::Bits(BitsRef::from(&table)), &mut bytes).unwrap();
    assert_eq!(bytes, b"P4\n3 2\n\xa0\x60");
    bytes.clear();
    write(Pgm, OutputRef::Bits(BitsRef::from(&table)), &mut bytes).unwrap();
    assert_eq!(bytes, b"P5\n3 2\n1\n\x01\0\x01\0\x01\x01");
}

/// The header of compressed data says with how much effort they were made.
#[test]
fn large_pictures_are_compressed_with_less_effort() {
    for (height, is_fast) in [(511, false), (512, true)] {
        let values: Vec<i64> = (0..height * 512).map(|cell| cell as i64 * 7 / 64 % 256).collect();
        let shape = Shape::Grid { height, width: 512 };
        let numbers = Numbers { shape, fields: vec![field("gray", Some(8), &values)] };
        let mut bytes = Vec::new();
        write(Png, OutputRef::Numbers(&numbers), &mut bytes).unwrap();
        let start = bytes.windows(4).position(|four| four == b"IDAT").unwrap() + 4;
        assert_eq!(bytes[start + 1] >> 6 == 0, is_fast, "{height} rows");
        assert_eq!(back(Png, OutputRef::Numbers(&numbers)).fields[0].values, values);
    }
}

#[test]
fn unsupported_pictures_are_rejected() {
    let grid = |fields: Vec<Field>| Numbers { shape: Shape::Grid { height: 1, width: 2 }, fields };
    let one = grid(vec![field("a", None, &[0, 1])]);
    let three = grid(vec![field("a", None, &[0, 2]); 3]);
    let five = grid(vec![field("a", None, &[0, 1]); 5]);
    let negative = grid(vec![field("a", None, &[-1, 1])]);
    let large = grid(vec![field("a", None, &[0, 65536])]);
    let list = Numbers { shape: Shape::List(2), fields: one.fields.clone() };
    let empty = BitTable::zeros(0, 3).unwrap();
    let graph = Graph::default();
    for (format, value, part) in [
        (Png, OutputRef::Numbers(&five), "cannot be written as PNG"),
        (Png, OutputRef::Numbers(&negative), "`-1` of `a` cannot be written as PNG"),
        (Pgm, OutputRef::Numbers(&large), "`65536` of `a` cannot be written as PGM"),
        (Pgm, OutputRef::Numbers(&list), "a list of 2 records"),
        (Pgm, OutputRef::Numbers(&three), "with 3 fields cannot be written as PGM"),
        (Pbm, OutputRef::Numbers(&three), "cannot be written as PBM"),
        (Ppm, OutputRef::Numbers(&one), "cannot be written as PPM"),
        (Png, OutputRef::Bits(BitsRef::from(&empty)), "a table of 0 × 3 cannot be written as PNG"),
        (Png, OutputRef::Graph(&graph), "a graph"),
        (Jpeg, OutputRef::Numbers(&one), "cannot be written as JPEG"),
        (Tiff, OutputRef::Numbers(&one), "cannot be written as TIFF"),
    ] {
        let mut bytes = Vec::new();
        let error = write(format, value, &mut bytes).unwrap_err();
        assert_eq!((error.code, bytes.len()), (Code::NoSuchLayout, 0), "{error}");
        assert!(error.message.contains(part), "{error}");
        check_wording(&error);
    }
}

/// A picture with `n_fields` whose samples need at most `bits`.
fn any_picture(n_fields: usize) -> impl Strategy<Value = Numbers> {
    let depth = prop::sample::select(vec![1usize, 2, 3, 4, 7, 8, 9, 12, 16]);
    (1..20usize, 1..80usize, depth).prop_flat_map(move |(height, width, bits)| {
        let values = prop::collection::vec(0..1i64 << bits, height * width);
        prop::collection::vec(values, n_fields).prop_map(move |fields| Numbers {
            shape: Shape::Grid { height, width },
            fields: fields.iter().map(|values| field("x", Some(bits), values)).collect(),
        })
    })
}

fn check_back(format: Format, expected: &Numbers) -> Result<(), TestCaseError> {
    let found = back(format, OutputRef::Numbers(expected));
    prop_assert_eq!(found.shape, expected.shape);
    prop_assert_eq!(found.fields.len(), expected.fields.len());
    for (found, expected) in found.fields.iter().zip(&expected.fields) {
        prop_assert_eq!(&found.values, &expected.values);
        prop_assert!(found.bits >= expected.bits);
    }
    Ok(())
}

proptest! {
    #[test]
    fn pictures_round_trip(
        pictures in (any_picture(1), any_picture(2), any_picture(3), any_picture(4)),
    ) {
        let (gray, with_alpha, colors, colors_with_alpha) = pictures;
        check_back(Png, &gray)?;
        check_back(Pgm, &gray)?;
        check_back(Png, &with_alpha)?;
        check_back(Png, &colors)?;
        check_back(Ppm, &colors)?;
        check_back(Png, &colors_with_alpha)?;
    }

    #[test]
    fn tables_round_trip_as_pictures(
        n_rows in 1..150usize,
        columns in prop::collection::vec(any::<u64>(), 1..20),
    ) {
        let mut table = BitTable::zeros(n_rows, columns.len()).unwrap();
        for (col, bits) in columns.iter().enumerate() {
            for row in 0..n_rows {
                table.put(row, col, bits.rotate_left(row as u32 * 7) & 1 == 1);
            }
        }
        for format in [Png, Pgm, Pbm] {
            let found = back(format, OutputRef::Bits(BitsRef::from(&table)));
            let n_cols = columns.len();
            prop_assert_eq!(found.shape, Shape::Grid { height: n_rows, width: n_cols });
            for (idx, &value) in found.fields[0].values.iter().enumerate() {
                prop_assert_eq!(value == 1, table.get(idx / n_cols, idx % n_cols));
            }
        }
    }
}
