//! Parquet files of which each rank decodes the row groups that contain its records.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use star_tests::backends::Machine;
use star_tests::case::Random;
use star_tests::on_ranks::{on_ranks, passed};

/// Writes columns, in row groups of this many records.
fn write(name: &str, columns: Vec<(&str, ArrayRef)>, group: usize) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a file");
    writer.write(&batch).expect("a file");
    writer.close().expect("a file");
    path
}

/// Columns of numbers, texts, and numbers of which some may be nulls.
fn columns(n_records: usize, has_nulls: bool) -> Vec<(&'static str, ArrayRef)> {
    let mut random = Random::new(n_records as u64);
    let numbers: Int64Array = (0..n_records).map(|_| random.below(2000) as i64 - 900).collect();
    let texts = (0..n_records).map(|at| match random.below(4) {
        0 => None,
        1 => Some("the same".to_owned()),
        _ => Some(format!("Ålesund {}", at / 60)),
    });
    let texts: StringArray = texts.collect();
    let gaps: UInt64Array =
        (0..n_records as u64).map(|at| (!has_nulls || at % 7 != 3).then_some(at / 3)).collect();
    vec![("a", Arc::new(numbers)), ("b", Arc::new(texts)), ("c", Arc::new(gaps))]
}

fn arguments(path: &Path, layout: &str, more: &[&str]) -> Vec<String> {
    let first = [format!("T={layout}{}", path.display()), "w=0".to_owned()];
    first.into_iter().chain(more.iter().map(|&more| more.to_owned())).collect()
}

/// Returns the first record of each row group, and the number of bytes in it.
fn groups_of(path: &Path) -> Vec<(usize, u64)> {
    let file = SerializedFileReader::new(std::fs::File::open(path).expect("a file"));
    let mut first = 0;
    let file = file.expect("a Parquet file");
    let groups = file.metadata().row_groups().iter().map(|group| {
        let start = first;
        first += group.num_rows() as usize;
        (start, group.compressed_size() as u64)
    });
    groups.collect()
}

#[test]
fn each_rank_decodes_only_its_row_groups() {
    let (n_records, group) = (1000, 150);
    for n_ranks in [2, 3, 7] {
        let path = write(&format!("groups-{n_ranks}.parquet"), columns(n_records, false), group);
        let groups = groups_of(&path);
        assert_eq!(groups.len(), 7);
        for layout in ["records:", "", "field:b:"] {
            let arguments = arguments(&path, layout, &[]);
            let expected = passed(&Machine::reference(), &arguments).0;
            assert_eq!(expected.as_ref().expect("a list").n_rows(), n_records);
            let found = on_ranks(n_ranks, |machine| passed(machine, &arguments));
            for (rank, (table, n_read)) in found.into_iter().enumerate() {
                assert!(table == expected, "{layout} on {n_ranks} ranks");
                let own = n_records * rank / n_ranks..n_records * (rank + 1) / n_ranks;
                let own = groups.iter().filter(|(first, _)| {
                    *first < own.end && own.start < (*first + group).min(n_records)
                });
                assert_eq!(n_read, own.map(|(_, n_bytes)| n_bytes).sum::<u64>(), "rank {rank}");
            }
        }
    }
}

#[test]
fn nulls_and_settings_are_those_of_one_process() {
    let path = write("nulls.parquet", columns(400, true), 90);
    let cases: [(&[&str], bool); 5] = [
        (&["empty=7"], true),
        (&["nodata=nan"], true),
        (&["texts=a,c"], true),
        (&["codes=own", "empty=0", "scale=10"], true),
        (&[], false),
    ];
    for (more, is_read) in cases {
        let arguments = arguments(&path, "records:", more);
        let expected = passed(&Machine::reference(), &arguments).0;
        assert_eq!(expected.is_ok(), is_read, "{more:?}: {:?}", expected.err());
        for (found, n_read) in on_ranks(3, |machine| passed(machine, &arguments)) {
            assert!(found == expected, "{more:?}: {:?}", found.err());
            assert_eq!(n_read > 0, is_read, "{more:?}");
        }
    }
}

#[test]
fn short_files_and_empty_ones_are_those_of_one_process() {
    for n_records in [0, 1, 2, 3] {
        let path = write(&format!("short-{n_records}.parquet"), columns(n_records, false), 2);
        let arguments = arguments(&path, "records:", &[]);
        let expected = passed(&Machine::reference(), &arguments).0;
        for (found, _) in on_ranks(3, |machine| passed(machine, &arguments)) {
            assert_eq!(found, expected, "{n_records} records");
        }
    }
}

#[test]
fn errors_are_those_of_one_process_on_all_ranks() {
    let good = columns(300, false);
    let with = |column: ArrayRef| vec![good[0].clone(), good[1].clone(), ("c", column)];
    let wide = (0..300).map(|at| if at == 290 { u64::MAX } else { at });
    let wide = with(Arc::new(wide.collect::<UInt64Array>()));
    let null: UInt64Array = (0..300).map(|at| (at != 10).then_some(at)).collect();
    let cases = [
        // Only in the part of the last rank, of the first one, and of none.
        (wide, &[][..], "record 291, field `c`"),
        (with(Arc::new(null)), &[], "record 11, field `c`"),
        (good.clone(), &["widths=9,9,9"], "bits"),
        (good.clone(), &["widths=9,9"], "widths"),
    ];
    for (idx, (columns, more, message)) in cases.into_iter().enumerate() {
        let path = write(&format!("wrong-{idx}.parquet"), columns, 40);
        for layout in ["records:", "unsigned:"] {
            let arguments = arguments(&path, layout, more);
            let expected = passed(&Machine::reference(), &arguments).0;
            let error = expected.as_ref().expect_err("an error");
            assert!(error.contains(message) || layout == "unsigned:", "{error}");
            for (found, _) in on_ranks(3, |machine| passed(machine, &arguments)) {
                assert_eq!(found, expected, "{arguments:?}");
            }
        }
    }
    // Damaged in the row groups of one rank, and in the description.
    let path = write("damaged.parquet", good, 40);
    let bytes = std::fs::read(&path).expect("a file");
    for at in [2, bytes.len() / 2, bytes.len() - 40, bytes.len() - 6] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).expect("a file");
        let arguments = arguments(&path, "records:", &[]);
        let expected = passed(&Machine::reference(), &arguments).0;
        for (found, _) in on_ranks(3, |machine| passed(machine, &arguments)) {
            assert_eq!(found, expected, "byte {at}");
        }
    }
}

#[test]
fn files_that_are_not_divided_are_read_whole() {
    let late: Int64Array = (0..300).map(|at| (at > 200).then_some(at)).collect();
    let nothing: StringArray = vec![None::<&str>; 300].into_iter().collect();
    let none: Int64Array = vec![None; 300].into_iter().collect();
    let cases: [(ArrayRef, &[&str]); 4] = [
        (Arc::new(late.clone()), &["empty=3"]),
        (Arc::new(none), &[]),
        (Arc::new(late), &["texts=c"]),
        (Arc::new(nothing), &[]),
    ];
    for (idx, (column, more)) in cases.into_iter().enumerate() {
        let path = write(&format!("whole-{idx}.parquet"), vec![("c", column)], 40);
        let arguments = arguments(&path, "records:", more);
        let expected = passed(&Machine::reference(), &arguments).0;
        assert!(expected.is_ok(), "{expected:?}");
        for (found, n_read) in on_ranks(3, |machine| passed(machine, &arguments)) {
            assert!(found == expected, "{idx}");
            // Fields of texts need no first cell.
            assert_eq!(n_read > 0, idx >= 2, "{idx}");
        }
    }
}
