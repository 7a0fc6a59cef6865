//! Missing numbers: empty cells, nulls and NaN, read with `nodata=nan` and written again.

use star_base::Code;
use star_io::{Data, Field, Format, Meaning, Numbers, OutputRef, ReadOptions, Shape, read, write};

use crate::support::BUDGET;

fn load(format: Format, bytes: &[u8]) -> Result<Numbers, star_io::FileError> {
    let mut options = ReadOptions::new("f", BUDGET);
    options.nan_is_missing = true;
    match read(format, &mut &bytes[..], &mut options)?.data {
        Data::Numbers(numbers) => Ok(numbers),
        other => panic!("{other:?} instead of numbers"),
    }
}

/// Two fields, one of which lacks its second number.
fn with_a_gap() -> Numbers {
    let gap = Field { nodata: Some(i64::MIN), ..Field::new("x", None, vec![-5, i64::MIN, 7]) };
    Numbers { shape: Shape::List(3), fields: vec![gap, Field::new("y", None, vec![1, 2, 3])] }
}

fn written(format: Format, numbers: &Numbers) -> Result<Vec<u8>, star_io::FileError> {
    let mut bytes = Vec::new();
    write(format, OutputRef::Numbers(numbers), &mut bytes)?;
    Ok(bytes)
}

#[test]
fn empty_cells_and_nan_are_missing_in_csv() {
    let numbers = load(Format::Csv, b"x,y,name\n,1,NaN\n-5,2,\nnan,3,Ada\n").unwrap();
    assert_eq!(numbers.fields[0].values, [i64::MIN, -5, i64::MIN]);
    assert_eq!(numbers.fields[0].nodata, Some(i64::MIN));
    assert_eq!((numbers.fields[0].offset(), numbers.fields[1].nodata), (-5, None));
    // A text may be `NaN`, and an empty one has the code 0.
    assert_eq!((&numbers.fields[2].values[..], numbers.fields[2].nodata), (&[1, 0, 2][..], None));
    let mut options = ReadOptions::new("f", BUDGET);
    let refused = read(Format::Csv, &mut &b"x\n1\nnan\n"[..], &mut options).unwrap_err();
    assert_eq!(refused.code, Code::BadFormat);
    assert_eq!(refused.help[0], "`nodata=nan` says that it is a missing number");
}

#[test]
fn fields_of_only_empty_cells_follow_the_options() {
    let numbers = load(Format::Csv, b"x,y\n,1\nnan,2\n").unwrap();
    assert_eq!(numbers.fields[0].meaning, Meaning::Number);
    assert_eq!(numbers.fields[0].values, [i64::MIN; 2]);
    assert_eq!(numbers.fields[0].nodata, Some(i64::MIN));
    // A declared text stays one.
    let numbers = load(Format::Csv, b"x:text,y\n,1\n,2\n").unwrap();
    assert_eq!((&numbers.fields[0].values[..], numbers.fields[0].nodata), (&[0, 0][..], None));
    let with = |empty: &str| {
        let mut options = ReadOptions::new("f", BUDGET);
        options.fields.empty = Some(empty);
        read(Format::Csv, &mut &b"x,y\n,1\n,2\n"[..], &mut options).map(|read| match read.data {
            Data::Numbers(numbers) => numbers.fields[0].clone(),
            other => panic!("{other:?} instead of numbers"),
        })
    };
    assert_eq!(
        (with("7").unwrap().meaning, with("7").unwrap().values),
        (Meaning::Number, vec![7; 2])
    );
    assert_eq!(with("1970-01-03").unwrap().meaning, Meaning::Date);
    assert_eq!(with("99999999999999999999").unwrap_err().code, Code::BadFormat);
}

#[test]
fn missing_numbers_are_kept_on_the_way_out() {
    let numbers = with_a_gap();
    let csv = written(Format::Csv, &numbers).unwrap();
    assert_eq!(String::from_utf8(csv.clone()).unwrap(), "x,y\n-5,1\n,2\n7,3\n");
    assert_eq!(load(Format::Csv, &csv).unwrap(), numbers);
    let npy = written(Format::Npy, &numbers).unwrap();
    let found = load(Format::Npy, &npy).unwrap();
    assert_eq!(found.fields[0].values, numbers.fields[0].values);
    assert_eq!(found.fields[0].nodata, Some(i64::MIN));
    assert_eq!(found.fields[1].values, [1, 2, 3]);
}

#[test]
fn numbers_that_are_not_exact_next_to_nan_are_refused() {
    let mut numbers = with_a_gap();
    numbers.fields[0].values[0] = (1 << 53) + 1;
    let refused = written(Format::Npy, &numbers).unwrap_err();
    assert_eq!(refused.code, Code::NoSuchLayout);
    assert!(refused.notes.iter().any(|note| note.contains("`x`")), "{refused:?}");
}

#[cfg(feature = "arrow")]
mod columnar {
    use star_io::{Arc, Graph, Texts};
    use star_value::{BitVector, BitsRef};

    use super::*;

    #[test]
    fn columns_are_read_back_with_nulls_texts_dates_and_times() {
        let mut numbers = with_a_gap();
        let texts = Texts::of(["Lund", "Oslo"].map(str::to_owned));
        for (name, meaning, values) in [
            ("city", Meaning::Texts(texts), vec![1, 2, 0]),
            ("since", Meaning::Date, vec![-1, 0, 19_844]),
            ("at", Meaning::Clock, vec![0, 45_000, 86_399]),
            ("seen", Meaning::DateTime, vec![-1, 0, 1_714_566_600]),
        ] {
            numbers.fields.push(Field { meaning, ..Field::new(name, None, values) });
        }
        for format in [Format::Parquet, Format::Arrow] {
            let bytes = written(format, &numbers).unwrap();
            assert_eq!(load(format, &bytes).unwrap(), numbers, "{format:?}");
        }
        numbers.fields[3].values[0] = 1 << 40;
        let refused = written(Format::Parquet, &numbers).unwrap_err();
        assert!(refused.notes.iter().any(|note| note.contains("`since`")), "{refused:?}");
    }

    #[test]
    fn bits_and_arcs_are_columns() {
        let slice = BitVector::parse("0110").unwrap();
        let mut bytes = Vec::new();
        write(Format::Parquet, OutputRef::Bits(BitsRef::Slice(&slice)), &mut bytes).unwrap();
        let found = load(Format::Parquet, &bytes).unwrap();
        assert_eq!(
            (found.fields[0].name.as_str(), &found.fields[0].values[..]),
            ("bits", &[0, 1, 1, 0][..])
        );
        let arcs = vec![Arc { tail: 1, head: 0, weight: 5 }];
        let graph = Graph { n_vertices: 2, arcs, weighted: true, ..Graph::default() };
        bytes.clear();
        write(Format::Arrow, OutputRef::Graph(&graph), &mut bytes).unwrap();
        let found = load(Format::Arrow, &bytes).unwrap();
        let values: Vec<&[i64]> = found.fields.iter().map(|field| &field.values[..]).collect();
        assert_eq!(values, [&[2][..], &[1], &[5]]);
    }
}
