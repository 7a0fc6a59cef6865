//! Parquet and Arrow files written by pyarrow (`tests/columnar/make.py`).

use star_base::Code;
use star_io::{Format, ReadOptions, read};

use crate::support::BUDGET;

/// The bytes of a file and its format.
fn file(name: &str) -> (Format, Vec<u8>) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/columnar");
    let bytes = std::fs::read(folder.join(name)).expect("the file is there");
    let format = Format::of_path(name).expect("a known extension");
    assert_eq!(Format::detect(&bytes), Some(format), "{name}");
    (format, bytes)
}

#[cfg(not(feature = "arrow"))]
#[test]
fn without_the_feature_the_message_names_it() {
    for name in ["people-snappy.parquet", "people.arrow", "people.feather"] {
        let (format, bytes) = file(name);
        let refused =
            read(format, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET)).unwrap_err();
        assert_eq!(refused.code, Code::UnknownFormat);
        assert!(refused.help.iter().any(|help| help.contains("--features arrow")), "{refused:?}");
    }
}

#[cfg(feature = "arrow")]
mod with_the_feature {
    use star_io::{Data, Field, FieldRules, FileError, LoadedFile, Meaning, Numbers, Shape};

    use super::*;

    fn try_load(
        name: &str,
        change: impl Fn(&mut ReadOptions<'_>),
    ) -> Result<LoadedFile, FileError> {
        let (format, bytes) = file(name);
        let mut options = ReadOptions::new("f", BUDGET);
        change(&mut options);
        read(format, &mut &bytes[..], &mut options)
    }

    fn load(name: &str, change: impl Fn(&mut ReadOptions<'_>)) -> Numbers {
        let loaded = try_load(name, change).unwrap_or_else(|error| panic!("{name}: {error}"));
        match loaded.data {
            Data::Numbers(numbers) => numbers,
            other => panic!("{other:?} instead of numbers"),
        }
    }

    fn halves(options: &mut ReadOptions<'_>) {
        options.fields.scales = &[];
        options.scale = star_io::Decimal::parse("100");
    }

    const FILES: [&str; 7] = [
        "people-snappy.parquet",
        "people-gzip.parquet",
        "people-lz4.parquet",
        "people-none.parquet",
        "groups.parquet",
        "people.feather",
        "people.arrow",
    ];

    #[test]
    fn columns_match_the_same_csv_cells() {
        let csv = "name,city,age,balance,member,since,seen,height\n\
            Ada,Lund,36,-5,1,2024-05-01,2024-05-01T12:30:00,1.5\n\
            Grace,Oslo,85,0,0,2024-05-02,2024-05-01T12:30:01,1.75\n\
            Ada,Oslo,17,7,1,2024-05-01,2024-05-01T12:30:02,2\n\
            ,Lund,4,1099511627776,1,2024-05-01,2024-05-01T12:30:03,0.25\n";
        let mut options = ReadOptions::new("f", BUDGET);
        halves(&mut options);
        let wanted = read(Format::Csv, &mut csv.as_bytes(), &mut options).unwrap().data;
        for name in FILES {
            assert_eq!(Data::Numbers(load(name, halves)), wanted, "{name}");
        }
        let Data::Numbers(wanted) = wanted else { panic!("no numbers") };
        assert_eq!(wanted.fields[0].values, [1, 2, 1, 0]);
        assert_eq!(wanted.fields[7].values, [150, 175, 200, 25]);
    }

    #[test]
    fn field_rules_apply() {
        let numbers = load("groups.parquet", |options| {
            halves(options);
            options.fields = FieldRules { sorted: true, ..FieldRules::default() };
        });
        let Meaning::Texts(texts) = &numbers.fields[1].meaning else { panic!("no texts") };
        assert_eq!(texts.as_slice(), ["Lund", "Oslo"]);
        let filled = load("gap.parquet", |options| options.fields.empty = Some("9"));
        assert_eq!(filled.fields[0].values, [1, 9, 3]);
        assert_eq!(load("empty.parquet", |_| {}).shape, Shape::List(0));
    }

    #[test]
    fn non_numbers_are_rejected_with_their_place() {
        let refused = |name: &str| try_load(name, |_| {}).unwrap_err();
        let whole = refused("people.arrow");
        assert_eq!(
            (whole.code, &whole.message[..]),
            (Code::BadFormat, "record 1, field `height`: `1.5` is not a whole number")
        );
        assert!(whole.help.iter().any(|help| help.contains("scale=")), "{whole:?}");
        let gap = refused("gap.parquet");
        assert_eq!(gap.message, "record 2, field `n`: an empty field is not a whole number");
        assert!(refused("lists.parquet").message.contains("field `n` holds List"));
        let packed = refused("people-packed.feather");
        assert_eq!(packed.help, ["write it without compression, or as Parquet"], "{packed}");
    }

    #[test]
    fn nan_is_refused_or_missing() {
        for name in ["nan.parquet", "nan.feather"] {
            let refused = try_load(name, |_| {}).unwrap_err();
            assert_eq!(refused.message, "record 1, field `x`: `NaN` is not a whole number");
            assert_eq!(refused.help, ["`nodata=nan` says that it is a missing number"]);
            let numbers = load(name, |options| options.nan_is_missing = true);
            let wanted =
                Field { nodata: Some(i64::MIN), ..Field::new("x", None, vec![i64::MIN, 2, -3]) };
            assert_eq!(numbers.fields, [wanted]);
            let scaled = load(name, |options| {
                halves(options);
                options.nan_is_missing = true;
            });
            assert_eq!(scaled.fields[0].values, [i64::MIN, 200, -300]);
            assert!(matches!(scaled.fields[0].meaning, Meaning::Scaled(_)));
        }
        let refused = try_load("infinity.parquet", |options| options.nan_is_missing = true);
        let message = "record 1, field `x`: `inf` is not a whole number";
        assert_eq!(refused.unwrap_err().message, message);
    }

    #[test]
    fn oversized_files_are_rejected() {
        for name in FILES {
            let (format, bytes) = file(name);
            let mut options = ReadOptions::new("f", bytes.len() as u64 + 100);
            halves(&mut options);
            let refused = read(format, &mut &bytes[..], &mut options).unwrap_err();
            assert_eq!(refused.code, Code::DoesNotFit, "{name}");
        }
    }
}
