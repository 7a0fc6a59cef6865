//! The records in a range of lines, read without the others.
//!
//! Several readers, each with its range, read every byte of a file once. All of them also read the
//! first lines, which determine the separator, the names and the kinds of the fields: they are the
//! start of every range, and their records are dropped again. See Note [Cuts] in `part.rs`.

use std::io::{self, Cursor, Read};

use star_base::Code;

use super::read_list;
use crate::error::FileError;
use crate::format::list::ListPart;
use crate::options::ReadOptions;
use crate::part::{RangeReader, ReadAt, cut_after, range_of};
use crate::registry::Format;
use crate::scaling::Scaling;
use crate::source::Source;
use crate::text;

/// The lengths of the first lines of a file that are tried, one after another, until they determine
/// the kinds of all fields.
const START_BYTES: [u64; 9] =
    [1, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 18];

/// Reads the part `rank` of `n_parts` parts of a CSV file of `n_bytes` bytes.
///
/// # Errors
/// If the lines of the part, or the first ones of the file, cannot be read without the others: they
/// are not correct, a field with a line break is at an end of the part, or the first lines do not
/// determine the kinds of all fields. The place in the error is not that in the file. The reader of
/// the whole file says which of them it is.
pub(crate) fn read_part(
    at: ReadAt<'_>,
    n_bytes: u64,
    (rank, n_parts): (usize, usize),
    options: &mut ReadOptions<'_>,
) -> Result<ListPart, FileError> {
    let refused = |why: String| FileError::new(Code::BadFormat, options.file, why);
    let cannot_read = |error: io::Error| {
        let message = format!("cannot read: {}", star_base::text::reason(&error));
        FileError::new(Code::CannotOpen, options.file, message)
    };
    let (first_cut, range) = range_of(at, n_bytes, (rank, n_parts)).map_err(cannot_read)?;
    let mut start = Err(refused("the first lines are no records".to_owned()));
    for from in START_BYTES {
        let end = cut_after(at, from, n_bytes).map_err(cannot_read)?;
        if end > first_cut {
            break;
        }
        let mut bytes = vec![0; end as usize];
        at(0, &mut bytes).map_err(cannot_read)?;
        start = records_of_start(&bytes, options).map(|n_records| (bytes, n_records));
        if start.is_ok() {
            break;
        }
    }
    let (start, n_records) = start?;
    let file = (n_bytes, u64::from(crc32fast::hash(&start)));
    let (first, n_skipped) = if rank == 0 { (Vec::new(), 0) } else { (start, n_records) };
    let n_range = range.end - range.start;
    let mut own = RangeReader::new(at, &range);
    let mut input = Cursor::new(first).chain(&mut own);
    let scaling = options.scale.map(Scaling::new);
    let list = read_list(Source::open(&mut input, options, scaling.as_ref())?, n_skipped)?;
    let range = (n_range, own.checksum());
    Ok(ListPart { list, format: Format::Csv, scaling, file, range })
}

/// Reads the first lines of a file, and returns the number of their records.
fn records_of_start(bytes: &[u8], options: &ReadOptions<'_>) -> Result<usize, FileError> {
    let mut of_start = ReadOptions::new(options.file, options.max_bytes);
    of_start.fields = options.fields;
    of_start.nan_is_missing = options.nan_is_missing;
    of_start.scale = options.scale;
    let scaling = options.scale.map(Scaling::new);
    let mut input = bytes;
    let list = read_list(Source::open(&mut input, &mut of_start, scaling.as_ref())?, 0)?;
    match list.columns.iter().find(|column| !column.is_known()) {
        _ if list.n_records == 0 => {
            Err(FileError::new(Code::BadFormat, options.file, "the first line is no record"))
        }
        None => Ok(list.n_records),
        Some(column) => {
            let name = text::quote(column.name().as_bytes());
            let message = format!("the first lines do not determine the kind of field {name}");
            Err(FileError::new(Code::BadFormat, options.file, message))
        }
    }
}

#[cfg(test)]
mod tests {
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
    }

    impl<'a> Rules<'a> {
        fn options(self) -> ReadOptions<'a> {
            let mut options = ReadOptions::new("t.csv", u64::MAX);
            options.fields = self.fields;
            options.scale = self.scale.and_then(crate::Decimal::parse);
            options.nan_is_missing = self.nan_is_missing;
            options
        }
    }

    fn part_of(
        text: &str,
        rank: usize,
        n_parts: usize,
        rules: Rules<'_>,
    ) -> Result<ListPart, FileError> {
        let at = |offset: u64, bytes: &mut [u8]| {
            let from = text.as_bytes().get(offset as usize..).unwrap_or_default();
            (&from[..]).read_exact(bytes)
        };
        read_part(&at, text.len() as u64, (rank, n_parts), &mut rules.options())
    }

    /// Reads all parts and joins them; the first error if there is one.
    fn parts_of(
        text: &str,
        n_parts: usize,
        rules: Rules<'_>,
    ) -> Result<Vec<JoinedPart>, FileError> {
        let parts = (0..n_parts).map(|rank| part_of(text, rank, n_parts, rules));
        let parts: Vec<ListPart> = parts.collect::<Result<_, _>>()?;
        let summaries: Vec<Vec<u8>> = parts.iter().map(ListPart::summary).collect();
        let joined = parts.into_iter().enumerate();
        joined.map(|(rank, part)| Ok(part.join(rank, &summaries)?.expect("one file"))).collect()
    }

    /// Checks that the parts together are the whole file, with its remarks.
    fn check(text: &str, n_parts: usize, rules: Rules<'_>) -> Vec<JoinedPart> {
        let whole = read(Format::Csv, &mut text.as_bytes(), &mut rules.options()).expect("a list");
        let parts = parts_of(text, n_parts, rules).unwrap_or_else(|e| panic!("{e:?} in {text:?}"));
        assert_parts_are_whole(&whole, &parts, text);
        assert_eq!(parts.iter().map(|part| part.n_bytes).sum::<u64>(), text.len() as u64);
        parts
    }

    /// Returns records with these cells in random order.
    fn list(header: &str, end: &str, n_records: usize, cells: &[&[&str]]) -> String {
        let mut random = Random::new(n_records as u64);
        let mut text = format!("{header}{end}");
        for _ in 0..n_records {
            let record = cells.iter().map(|of| of[random.below(of.len())]);
            text += &record.collect::<Vec<_>>().join(",");
            text += end;
        }
        text
    }

    #[test]
    fn parts_are_the_whole_file() {
        let numbers: &[&str] = &["7", "-12", "0", " 93 ", "\"5\"", "007"];
        let texts: &[&str] = &["Paris", "\"a, \"\"b\"\"\"", "", "Ålesund", "5\"", " x y "];
        let moments: &[&str] = &["2024-05-01", "2023-12-31"];
        for n_records in [60, 400] {
            for end in ["\n", "\r\n"] {
                for n_parts in [1, 2, 3, 7] {
                    let text =
                        list("a,b:text,c:9,d", end, n_records, &[numbers, texts, numbers, moments]);
                    check(&text, n_parts, Rules::default());
                    let sorted = FieldRules { sorted: true, ..FieldRules::default() };
                    check(&text, n_parts, Rules { fields: sorted, ..Rules::default() });
                    let text = list("", end, n_records, &[numbers, moments]);
                    check(text.trim_start(), n_parts, Rules::default());
                    check(text.trim_end(), n_parts, Rules::default());
                }
            }
        }
    }

    #[test]
    fn settings_and_remarks_are_those_of_the_whole_file() {
        let small: &[&str] = &["1", "0.25", "0.0004", "-3"];
        let text = list("x;y", "\n", 300, &[small]).replace(',', ";").replace('\n', ";4,5\n");
        let text = text.replacen(";4,5", "", 1);
        let rules = Rules { scale: Some("10"), ..Rules::default() };
        let parts = check(&text, 3, rules);
        assert!(parts[2].loaded.warnings[0].contains("became 0"), "{:?}", parts[2].loaded.warnings);
        // Only the last part has a missing number, and only the middle one leading zeros.
        let filler = "1,2\n".repeat(200);
        let text = format!("a,b\n{filler}{filler}01,3\n{filler}{filler},4\n");
        let parts = check(&text, 3, Rules { nan_is_missing: true, ..Rules::default() });
        assert!(parts[0].loaded.notes[0].contains("keeps leading zeros"));
        assert_eq!(numbers(&parts[0].loaded).fields[0].n_missing(), 1);
        let empty = FieldRules { empty: Some("-9"), ..FieldRules::default() };
        check(&text, 3, Rules { fields: empty, ..Rules::default() });
        let scales = [("b".to_owned(), crate::Decimal::parse("0.1").expect("a number"))];
        let scaled = FieldRules { scales: &scales, ..FieldRules::default() };
        check(&text.replace(",4", "7,4"), 5, Rules { fields: scaled, ..Rules::default() });
    }

    #[test]
    fn blank_lines_of_one_field_belong_to_one_part() {
        let empty = FieldRules { empty: Some("3"), ..FieldRules::default() };
        let rules = Rules { fields: empty, ..Rules::default() };
        for n_blank in 0..40 {
            let blank = "\n \n\n".repeat(n_blank);
            let text = format!("a\n{}{blank}5\n{blank}6\n\n\n", "12\n".repeat(30));
            for n_parts in [2, 3, 7] {
                check(&text, n_parts, rules);
            }
        }
    }

    #[test]
    fn line_breaks_in_quotes_are_read_or_refused() {
        let line = "1,\"two\nlines\"\n";
        let text = format!("a,b\n{}", line.repeat(100));
        let (mut n_read, mut n_refused) = (0, 0);
        for n_parts in 2..20 {
            match parts_of(&text, n_parts, Rules::default()) {
                Ok(_) => {
                    check(&text, n_parts, Rules::default());
                    n_read += 1;
                }
                Err(_) => n_refused += 1,
            }
        }
        assert!(n_read > 0 && n_refused > 0, "{n_read} read, {n_refused} refused");
    }

    #[test]
    fn refused_parts_name_the_reason() {
        let refused = |text: &str, n_parts: usize| {
            let error = parts_of(text, n_parts, Rules::default()).expect_err("no parts");
            error.message
        };
        let late = format!("a,b\n{}1,2\n", "1,\n".repeat(200));
        assert!(refused(&late, 2).contains("the kind of field `b`"), "{}", refused(&late, 2));
        let wrong = format!("a\n{}x\n{}", "1\n".repeat(300), "1\n".repeat(300));
        assert!(refused(&wrong, 3).contains("`x` is not a whole number"));
        assert!(refused("abc,d\n1,2\n", 9).contains("the first line is no record"));
        let good = format!("a\n{}", "1\n".repeat(300));
        let one = part_of(&good, 0, 2, Rules::default()).expect("a part");
        let other = part_of(&good.replace('a', "b"), 1, 2, Rules::default()).expect("a part");
        let summaries = [one.summary(), other.summary()];
        assert!(one.join(0, &summaries).expect("memory").is_none());
    }
}
