//! The records of one of several readers of a Parquet file, which decodes the row groups that
//! contain them.
//!
//! The description at the end of the file says how many records each row group has. A reader skips
//! the records of others in the row groups at the ends of its part.
//!
//! Note [Kinds]. In the reader of the whole file, the first cell of a field determines its kind. So
//! it does in the first part; if a field has only nulls there, the file is not divided. In all
//! other parts the type of the field determines its kind: a cell of another kind is an error in
//! both. The first part differs because its leading nulls count as one in the remarks about scales.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use crc32fast::Hasher;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};
use star_base::Code;

use super::gather::{Fields, damaged, guarded};
use super::pages;
use super::parquet::{FORMAT, MAGIC, fault};
use crate::error::{Fault, FileError};
use crate::format::list::{List, ListPart};
use crate::options::ReadOptions;
use crate::part::ReadAt;
use crate::registry::Format;
use crate::scaling::Scaling;
use crate::source::{CHUNK, Source};
use crate::text;

/// The length of the description and the magic at the end of a file.
const TAIL_BYTES: u64 = 8;

/// Reads one of the parts of a file of `n_bytes` bytes; `part` has its index and their number.
///
/// # Errors
/// If the row groups of the part, or the description of the file, cannot be read without the
/// others: they are damaged, a page would need too much memory, a cell has not the kind of its
/// field, or a field of the first part has only nulls.
pub(crate) fn read_part(
    at: ReadAt<'_>,
    n_bytes: u64,
    part: (usize, usize),
    options: &mut ReadOptions<'_>,
) -> Result<ListPart, FileError> {
    let scaling = options.scale.map(Scaling::new);
    // All bytes come from ranges.
    let mut nothing: &[u8] = &[];
    let (list, file, range) = {
        let mut source = Source::open(&mut nothing, options, scaling.as_ref())?;
        guarded(&mut source, FORMAT, |source| {
            let mut file = File { at, n_bytes, n_read: 0, checksum: Hasher::new() };
            let description = file.description(source)?;
            let of_description = u64::from(file.checksum.clone().finalize());
            file.n_read = 0;
            let list = file.records(source, &description, part)?;
            let range = (file.n_read, u64::from(file.checksum.finalize()));
            Ok((list, (n_bytes, of_description), range))
        })?
    };
    Ok(ListPart { list, format: Format::Parquet, scaling, file, range })
}

/// A file of which some ranges are read.
struct File<'a> {
    at: ReadAt<'a>,
    n_bytes: u64,
    /// The number of bytes that were read, and their checksum.
    n_read: u64,
    checksum: Hasher,
}

impl File<'_> {
    /// Reads the description at the end of the file.
    fn description(&mut self, source: &mut Source<'_, '_>) -> Result<ArrowReaderMetadata, Fault> {
        let cut_off = |source: &Source| damaged(source, FORMAT, &"the file is cut off");
        let first = self.range(source, 0..self.n_bytes.min(MAGIC.len() as u64), u64::MAX)?;
        if first != MAGIC[..] {
            return Err(damaged(source, FORMAT, &"the file does not begin like it"));
        }
        let start = self.n_bytes.checked_sub(TAIL_BYTES).ok_or_else(|| cut_off(source))?;
        let mut tail = self.range(source, start..self.n_bytes, u64::MAX)?;
        let start = start.checked_sub(tail.get_u32_le().into()).ok_or_else(|| cut_off(source))?;
        let max_bytes = source.max_bytes();
        let end = (start, self.range(source, start..self.n_bytes, max_bytes)?);
        let end = Ranges { n_bytes: self.n_bytes, ranges: vec![end].into() };
        let found = ArrowReaderMetadata::load(&end, ArrowReaderOptions::default());
        found.map_err(|error| damaged(source, FORMAT, &error))
    }

    /// Reads the records of a part.
    fn records<'r, 'o: 'r>(
        &mut self,
        source: &mut Source<'r, 'o>,
        description: &ArrowReaderMetadata,
        (rank, n_parts): (usize, usize),
    ) -> Result<List, Fault> {
        let groups = description.metadata();
        let n_records = n_records(groups);
        let n_records =
            n_records.ok_or_else(|| damaged(source, FORMAT, &"a row group lacks records"))?;
        let bound = |rank: usize| (n_records as u128 * rank as u128 / n_parts as u128) as usize;
        let own = own_groups(groups, &(bound(rank)..bound(rank + 1)));
        let packed = own.iter().map(|(group, _)| packed_bytes(groups, *group)).max();
        let packed = packed.unwrap_or(0);
        let schema = description.schema();
        let mut fields = Fields::new(source, packed, schema)?;
        // See Note [Kinds].
        let determines_kinds = bound(rank) == 0 && bound(rank + 1) > 0;
        if !determines_kinds {
            fields.declare(source, schema)?;
        }
        for (group, rows) in own {
            let bytes = self.group(source, groups, group, packed)?;
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, description.clone());
            let builder = builder.with_row_groups(vec![group]);
            let builder = builder.with_offset(rows.start).with_limit(rows.len());
            let batches = builder.build().map_err(|error| damaged(source, FORMAT, &error))?;
            let mut n_found = 0;
            for batch in batches {
                let batch = batch.map_err(|error| damaged(source, FORMAT, &error))?;
                n_found += batch.num_rows();
                fields.add(source, &batch)?;
            }
            if n_found != rows.len() {
                return Err(damaged(source, FORMAT, &"a row group lacks records"));
            }
        }
        match fields.unknown().filter(|_| determines_kinds) {
            None => fields.finish(source),
            Some(name) => {
                let name = text::quote(name.as_bytes());
                let message = format!("field {name} is empty in the first part");
                Err(source.fault(Code::BadFormat, message))
            }
        }
    }

    /// Reads and checks the bytes of a row group, for which `packed` bytes of the budget are in
    /// use.
    fn group(
        &mut self,
        source: &mut Source<'_, '_>,
        groups: &ParquetMetaData,
        group: usize,
        packed: u64,
    ) -> Result<Ranges, Fault> {
        let group = groups.row_group(group);
        let max_bytes = source.budget().rest(packed).max_bytes();
        let mut ranges = Vec::new();
        for column in group.columns() {
            let range = pages::byte_range(column).map(|it| it.start as u64..it.end as u64);
            let range = range.filter(|range| range.end <= self.n_bytes);
            let range =
                range.ok_or_else(|| damaged(source, FORMAT, &"a column begins after its end"))?;
            let start = range.start;
            let bytes = self.range(source, range, source.max_bytes())?;
            let n_values = pages::check_column(&bytes, column, max_bytes);
            let n_values = n_values.map_err(|refused| fault(source, refused, packed))?;
            if usize::try_from(group.num_rows()) != Ok(n_values) {
                return Err(damaged(source, FORMAT, &"a row group lacks records"));
            }
            ranges.push((start, bytes));
        }
        Ok(Ranges { n_bytes: self.n_bytes, ranges: ranges.into() })
    }

    /// Reads a range of bytes, at most `max_bytes`.
    fn range(
        &mut self,
        source: &mut Source<'_, '_>,
        range: Range<u64>,
        max_bytes: u64,
    ) -> Result<Bytes, Fault> {
        let n_bytes = range.end - range.start;
        let len = usize::try_from(n_bytes).ok().filter(|_| n_bytes <= max_bytes);
        let mut bytes = Vec::new();
        let len = len.filter(|len| bytes.try_reserve_exact(*len).is_ok());
        let len = len.ok_or_else(|| source.out_of_memory(n_bytes.into()))?;
        while bytes.len() < len {
            let (done, n_now) = (bytes.len(), CHUNK.min(len - bytes.len()));
            bytes.resize(done + n_now, 0);
            let read = (self.at)(range.start + done as u64, &mut bytes[done..]);
            read.map_err(|error| source.failed(&error))?;
            source.add_read(n_now as u64);
            source.go_on()?;
        }
        self.checksum.update(&bytes);
        self.n_read += n_bytes;
        Ok(bytes.into())
    }
}

/// Returns the number of records; `None` if a column of a row group has another number of values.
fn n_records(groups: &ParquetMetaData) -> Option<usize> {
    let mut n_records = 0_usize;
    for group in groups.row_groups() {
        let is_full = group.columns().iter().all(|it| it.num_values() == group.num_rows());
        let n_rows = usize::try_from(group.num_rows()).ok().filter(|_| is_full)?;
        n_records = n_records.checked_add(n_rows)?;
    }
    Some(n_records)
}

/// Returns the row groups that overlap with a range of records, and which of the records of each
/// are in the range.
fn own_groups(groups: &ParquetMetaData, records: &Range<usize>) -> Vec<(usize, Range<usize>)> {
    let (mut own, mut first) = (Vec::new(), 0);
    for (group, of) in groups.row_groups().iter().enumerate() {
        let end = first + usize::try_from(of.num_rows()).unwrap_or(0);
        let (from, to) = (records.start.max(first), records.end.min(end));
        if from < to {
            own.push((group, from - first..to - first));
        }
        first = end;
    }
    own
}

/// Returns the number of bytes of a row group in its file.
fn packed_bytes(groups: &ParquetMetaData, group: usize) -> u64 {
    let columns = groups.row_group(group).columns().iter();
    columns.filter_map(pages::byte_range).map(|it| it.len() as u64).fold(0, u64::saturating_add)
}

/// Some ranges of the bytes of a file.
#[derive(Clone)]
struct Ranges {
    n_bytes: u64,
    /// The ranges with the places of their first bytes.
    ranges: Arc<[(u64, Bytes)]>,
}

impl Ranges {
    /// Returns the bytes of a range from a place.
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let rest = |(first, bytes): &(u64, Bytes)| {
            let skipped = usize::try_from(start.checked_sub(*first)?).ok()?;
            (skipped < bytes.len()).then(|| bytes.slice(skipped..))
        };
        let outside = || ParquetError::EOF("a page is outside of its column".to_owned());
        self.ranges.iter().find_map(rest).ok_or_else(outside)
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        self.n_bytes
    }
}

impl ChunkReader for Ranges {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.from(start)?;
        let outside = || ParquetError::EOF("a page is longer than its column".to_owned());
        (length <= bytes.len()).then(|| bytes.slice(..length)).ok_or_else(outside)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::io::Read;

    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, NullArray, RecordBatch,
        StringArray, TimestampSecondArray, UInt64Array,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use star_base::Random;

    use super::*;
    use crate::format::list::tests::{assert_parts_are_whole, numbers};
    use crate::options::FieldRules;
    use crate::part::JoinedPart;
    use crate::registry::read;

    /// The options of a case.
    #[derive(Clone, Copy, Default)]
    struct Rules<'a> {
        fields: FieldRules<'a>,
        scale: Option<&'a str>,
        nan_is_missing: bool,
        max_bytes: Option<u64>,
    }

    impl<'a> Rules<'a> {
        fn options(self) -> ReadOptions<'a> {
            let max_bytes = self.max_bytes.unwrap_or(u64::MAX);
            let mut options = ReadOptions::new("t.parquet", max_bytes);
            options.fields = self.fields;
            options.scale = self.scale.and_then(crate::Decimal::parse);
            options.nan_is_missing = self.nan_is_missing;
            options
        }
    }

    /// Writes columns in row groups of this many records, with pages of at most 32 records.
    fn file_of(columns: Vec<(&str, ArrayRef)>, group: usize) -> Vec<u8> {
        file_in(columns, group, WriterVersion::PARQUET_1_0)
    }

    fn file_in(columns: Vec<(&str, ArrayRef)>, group: usize, version: WriterVersion) -> Vec<u8> {
        let columns = columns.into_iter().map(|(name, column)| (name, column, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns);
        let batch = batch.expect("columns of one length");
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(group))
            .set_data_page_row_count_limit(32)
            .set_write_batch_size(16)
            .set_writer_version(version)
            .set_compression(parquet::basic::Compression::SNAPPY);
        let mut bytes = Vec::new();
        let schema = batch.schema();
        let writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build()));
        let mut writer = writer.expect("a schema");
        writer.write(&batch).expect("memory");
        writer.close().expect("memory");
        bytes
    }

    /// Columns of all kinds.
    fn columns(n_records: usize) -> Vec<(&'static str, ArrayRef)> {
        let mut random = Random::new(n_records as u64);
        let mut below = |n: usize| (0..n_records).map(|_| random.below(n) as i64).collect();
        let (a, b, c, d): (Vec<i64>, Vec<i64>, Vec<i64>, Vec<i64>) =
            (below(2000), below(9), below(30), below(90_000));
        let texts = b.iter().enumerate().map(|(at, b)| match b {
            0 => None,
            1 => Some(String::new()),
            _ => Some(format!("Ålesund {}", at / 30)),
        });
        let texts: Vec<Option<String>> = texts.collect();
        let numbers: Int64Array = a.iter().map(|a| a - 900).collect();
        let dates: Date32Array = c.iter().map(|c| Some(19_000 + *c as i32)).collect();
        let moments: TimestampSecondArray = d.iter().map(|d| Some(1_700_000_000 + d)).collect();
        let flags: BooleanArray = b.iter().map(|b| Some(*b > 4)).collect();
        vec![
            ("a", Arc::new(numbers)),
            ("b", Arc::new(StringArray::from(texts))),
            ("c", Arc::new(dates)),
            ("d", Arc::new(moments)),
            ("e", Arc::new(flags)),
        ]
    }

    /// Reads a part, and notes the ranges of bytes.
    fn part_of(
        file: &[u8],
        part: (usize, usize),
        rules: Rules<'_>,
        ranges: &RefCell<Vec<Range<u64>>>,
    ) -> Result<ListPart, FileError> {
        let at = |offset: u64, bytes: &mut [u8]| {
            ranges.borrow_mut().push(offset..offset + bytes.len() as u64);
            let from = file.get(offset as usize..).unwrap_or_default();
            (&from[..]).read_exact(bytes)
        };
        read_part(&at, file.len() as u64, part, &mut rules.options())
    }

    /// Reads all parts and joins them; the first error if there is one.
    fn parts_of(
        file: &[u8],
        n_parts: usize,
        rules: Rules<'_>,
    ) -> Result<Vec<JoinedPart>, FileError> {
        let ranges = RefCell::default();
        let parts = (0..n_parts).map(|rank| part_of(file, (rank, n_parts), rules, &ranges));
        let parts: Vec<ListPart> = parts.collect::<Result<_, _>>()?;
        let summaries: Vec<Vec<u8>> = parts.iter().map(ListPart::summary).collect();
        let joined = parts.into_iter().enumerate();
        joined.map(|(rank, part)| Ok(part.join(rank, &summaries)?.expect("one file"))).collect()
    }

    /// Checks that the parts together are the whole file, with its remarks.
    fn check(file: &[u8], n_parts: usize, rules: Rules<'_>) -> Vec<JoinedPart> {
        let whole = read(Format::Parquet, &mut &file[..], &mut rules.options()).expect("a list");
        let parts = parts_of(file, n_parts, rules).unwrap_or_else(|why| panic!("{why:?}"));
        assert_parts_are_whole(&whole, &parts, "a Parquet file");
        parts
    }

    fn whole_error(file: &[u8], rules: Rules<'_>) -> FileError {
        read(Format::Parquet, &mut &file[..], &mut rules.options()).expect_err("an error")
    }

    #[test]
    fn parts_are_the_whole_file() {
        for (n_records, group) in [(1, 7), (2, 1), (61, 7), (200, 60), (200, 200), (333, 100)] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let mut columns = columns(n_records);
                if version == WriterVersion::PARQUET_2_0 {
                    // Its pages of texts may have an encoding that is not read.
                    columns.remove(1);
                }
                // The first part must show the kind of each field.
                let file = file_in(columns, group, version);
                for n_parts in [1, 2, 3, 7] {
                    check(&file, n_parts, Rules::default());
                    let sorted = FieldRules { sorted: true, ..FieldRules::default() };
                    check(&file, n_parts, Rules { fields: sorted, ..Rules::default() });
                    let texts = ["a".to_owned()];
                    let texts = FieldRules { texts: &texts, ..FieldRules::default() };
                    check(&file, n_parts, Rules { fields: texts, ..Rules::default() });
                }
            }
        }
    }

    #[test]
    fn parts_of_files_without_records_have_none() {
        let file = file_of(columns(0), 10);
        for part in parts_of(&file, 3, Rules::default()).expect("parts") {
            assert_eq!((part.starts, part.n_bytes), (vec![0; 4], 0));
        }
    }

    #[test]
    fn a_part_reads_only_its_row_groups() {
        let (n_records, group, n_parts) = (1000, 150, 4);
        let file = file_of(columns(n_records), group);
        let groups = SerializedFileReader::new(Bytes::from(file.clone())).expect("a file");
        let groups = groups.metadata().row_groups();
        assert_eq!(groups.len(), 7);
        for (rank, expected) in
            [vec![0, 1], vec![1, 2, 3], vec![3, 4], vec![5, 6]].iter().enumerate()
        {
            let ranges = RefCell::default();
            let part = part_of(&file, (rank, n_parts), Rules::default(), &ranges).expect("a part");
            assert_eq!(part.list.n_records, n_records / n_parts);
            let places = groups.iter().enumerate().flat_map(|(group, of)| {
                let columns = of.columns().iter().filter_map(pages::byte_range);
                columns.map(move |column| (group, column))
            });
            let places: Vec<(usize, Range<usize>)> = places.collect();
            let read = ranges.borrow();
            let touched = places.iter().filter(|(_, column)| {
                let (start, end) = (column.start as u64, column.end as u64);
                read.iter().any(|range| range.start < end && start < range.end)
            });
            let touched: BTreeSet<usize> = touched.map(|(group, _)| *group).collect();
            assert_eq!(touched, expected.iter().copied().collect(), "rank {rank}");
            let n_bytes: usize = places
                .iter()
                .filter(|(group, _)| touched.contains(group))
                .map(|(_, column)| column.len())
                .sum();
            assert_eq!(part.range.0, n_bytes as u64);
        }
    }

    #[test]
    fn records_of_others_in_a_row_group_are_skipped() {
        // The first record of the last part has the only text of its page.
        let file = file_of(columns(90), 90);
        let ranges = RefCell::default();
        let part = part_of(&file, (2, 3), Rules::default(), &ranges).expect("a part");
        let texts = match part.list.columns[1].meaning() {
            crate::meaning::Meaning::Texts(texts) => texts.as_slice().to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!(texts, ["Ålesund 2"]);
    }

    #[test]
    fn nulls_and_settings_are_those_of_the_whole_file() {
        let n_records = 300;
        let gaps: Int64Array = (0..n_records).map(|at| (at % 7 != 3).then_some(at - 9)).collect();
        let small = (0..n_records).map(|at| if at % 5 == 0 { 0.0004 } else { 0.25 * at as f64 });
        let small: Float64Array = small.map(Some).collect();
        // The first cells are nulls.
        let late: Int64Array =
            (0..n_records).map(|at| (at > 4 && at % 9 != 0).then_some(at)).collect();
        let file = file_of(
            vec![("gaps", Arc::new(gaps)), ("small", Arc::new(small)), ("late", Arc::new(late))],
            40,
        );
        for n_parts in [2, 3, 7] {
            let scale = Some("10");
            let parts =
                check(&file, n_parts, Rules { scale, nan_is_missing: true, ..Rules::default() });
            assert!(parts[0].loaded.warnings[0].contains("became 0"));
            assert!(numbers(&parts[0].loaded).fields[0].n_missing() > 40);
            let empty = FieldRules { empty: Some("007"), ..FieldRules::default() };
            check(&file, n_parts, Rules { fields: empty, scale, ..Rules::default() });
            let scales = [("small".to_owned(), crate::Decimal::parse("100").expect("a number"))];
            let fields =
                FieldRules { empty: Some("0.5"), scales: &scales, ..FieldRules::default() };
            check(&file, n_parts, Rules { fields, scale, ..Rules::default() });
            // Without these settings, a null is an error, also where the others find it.
            let refused = parts_of(&file, n_parts, Rules { scale, ..Rules::default() });
            assert!(
                refused.expect_err("a null").message.contains("an empty field is not a number")
            );
            whole_error(&file, Rules { scale, ..Rules::default() });
        }
    }

    #[test]
    fn refused_parts_name_the_reason() {
        let refused =
            |file: &[u8], rules: Rules<'_>| parts_of(file, 3, rules).expect_err("no parts").message;
        let late: Int64Array = (0..300).map(|at| (at > 150).then_some(at)).collect();
        let file = file_of(vec![("n", Arc::new(late))], 40);
        let rules = Rules { nan_is_missing: true, ..Rules::default() };
        check(&file, 1, rules);
        assert_eq!(refused(&file, rules), "field `n` is empty in the first part");
        let file = file_of(vec![("n", Arc::new(NullArray::new(90)))], 40);
        assert_eq!(refused(&file, Rules::default()), "field `n` is empty in the first part");
        // Only the last part has a number of more than 63 bits.
        let wide: UInt64Array = (0..300).map(|at| if at == 290 { u64::MAX } else { at }).collect();
        let file = file_of(vec![("n", Arc::new(wide))], 40);
        let why = refused(&file, Rules::default());
        assert!(why.contains("`18446744073709551615` is not a whole number"), "{why}");
        assert!(whole_error(&file, Rules::default()).message.starts_with("record 291, "));
        let file = file_of(columns(600), 100);
        let small = Rules { max_bytes: Some(3000), ..Rules::default() };
        assert!(refused(&file, small).contains("memory"));
    }

    #[test]
    fn damaged_files_have_no_parts_or_those_of_the_whole() {
        let good = file_of(columns(120), 50);
        let mut random = Random::new(1);
        let (mut n_refused, mut n_read) = (0, 0);
        for _ in 0..400 {
            let mut file = good.clone();
            match random.below(4) {
                0 => file.truncate(random.below(good.len())),
                _ => file[random.below(good.len())] ^= 1 << random.below(8),
            }
            let whole = read(
                Format::Parquet,
                &mut &file[..],
                &mut Rules { max_bytes: Some(1 << 20), ..Rules::default() }.options(),
            );
            let rules = Rules { max_bytes: Some(1 << 20), ..Rules::default() };
            match (whole, parts_of(&file, 3, rules)) {
                (Ok(whole), Ok(parts)) => {
                    assert_parts_are_whole(&whole, &parts, "a damaged file");
                    n_read += 1;
                }
                (Err(why), Ok(_)) => panic!("only the parts are read: {why}"),
                (_, Err(_)) => n_refused += 1,
            }
        }
        assert!(n_refused > 100 && n_read > 10, "{n_refused} refused, {n_read} read");
    }
}
