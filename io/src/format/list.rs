//! The records of a list: those of a whole file, or the part of one of several readers, with what
//! the readers tell each other.

use crc32fast::Hasher;
use star_base::text::MAX_LISTED;

use super::csv::column::Column;
use crate::budget::Budget;
use crate::data::{Data, LoadedFile};
use crate::error::{Fault, FileError};
use crate::growing::OutOfBudget;
use crate::meaning::{Meaning, Texts};
use crate::numbers::{Field, FieldSummary, Numbers, Shape};
use crate::part::{JoinedPart, Reader, put, put_option, put_text, put_uses};
use crate::registry::Format;
use crate::scaling::{Scaling, ScalingUses};
use crate::text;

/// The records of a file, and what its remarks depend on.
pub(super) struct List {
    pub(super) columns: Vec<Column>,
    pub(super) n_records: usize,
    /// The form of the lines; `None` for typed columns.
    pub(super) form: Option<CsvForm>,
    pub(super) warnings: Vec<String>,
    pub(super) sorted: bool,
    pub(super) file: String,
    pub(super) budget: Budget,
}

/// The form of the lines of a CSV file.
pub(super) struct CsvForm {
    pub(super) separator: u8,
    pub(super) may_be_header: bool,
}

/// The note that the first line may be a header.
pub(super) const AS_RECORD: &str =
    "the first line is read as a record; `header=yes` reads it as names";

impl List {
    /// Returns the warnings and the notes about the file.
    pub(super) fn remarks(&self) -> (Vec<String>, Vec<String>) {
        let List { columns, n_records, form, warnings, .. } = self;
        let mut warnings = warnings.clone();
        warnings.extend(columns.iter().filter_map(|column| {
            Some(format!("field {}: {}", text::quote(column.name().as_bytes()), column.warning()?))
        }));
        let Some(CsvForm { separator, may_be_header }) = form else {
            return (warnings, Vec::new());
        };
        let mut notes = leading_zeros(columns).into_iter().collect::<Vec<String>>();
        let separator = match separator {
            b';' => Some("fields are separated by semicolons"),
            b'\t' => Some("fields are separated by tabs"),
            _ => None,
        };
        notes.extend(separator.map(str::to_owned));
        if *may_be_header && *n_records > 1 {
            notes.push(AS_RECORD.to_owned());
        }
        (warnings, notes)
    }

    /// Returns the fields with their numbers.
    pub(super) fn into_fields(self) -> Result<Vec<Field>, Fault> {
        let List { columns, sorted, file, budget, .. } = self;
        let field = |column: Column| {
            column.finish(sorted).map_err(|OutOfBudget(n_bytes)| {
                crate::source::out_of_memory(&file, n_bytes, budget.max_bytes())
            })
        };
        columns.into_iter().map(field).collect()
    }
}

/// A note about numbers with leading zeros, which are often codes.
fn leading_zeros(columns: &[Column]) -> Option<String> {
    let zeros = columns.iter().filter_map(|column| Some((column.name(), column.leading_zero()?)));
    let zeros: Vec<(&str, &str)> = zeros.collect();
    let &(name, cell) = zeros.first()?;
    let names = zeros.iter().map(|(name, _)| star_base::text::one_line(name).to_string());
    let names: Vec<String> = names.take(MAX_LISTED).collect();
    let more = if zeros.len() > MAX_LISTED { ",…" } else { "" };
    Some(format!(
        "{} in field {} is read as a number; `texts={}{more}` keeps leading zeros",
        text::quote(cell.as_bytes()),
        text::quote(name.as_bytes()),
        names.join(","),
    ))
}

/// The records of a list that one of several readers has read.
pub struct ListPart {
    pub(super) list: List,
    pub(super) format: Format,
    pub(super) scaling: Option<Scaling>,
    /// The length of the file and the checksum of what determines its form, such as the first
    /// lines: equal in all parts.
    pub(super) file: (u64, u64),
    /// The number of bytes that only this part needs, and their checksum.
    pub(super) range: (u64, u64),
}

/// What a part tells the others about one of its fields.
struct ColumnSummary {
    kind: String,
    numbers: FieldSummary,
    nodata: Option<i64>,
    leading_zero: Option<String>,
    uses: ScalingUses,
    texts: Vec<String>,
}

/// What a part tells the others.
struct PartSummary {
    file: (u64, u64),
    range: (u64, u64),
    n_records: u64,
    uses: ScalingUses,
    columns: Vec<ColumnSummary>,
}

impl ListPart {
    /// Returns what the other parts must know of this one.
    pub fn summary(&self) -> Vec<u8> {
        let ListPart { list, format: _, scaling, file, range } = self;
        let mut bytes = Vec::new();
        for number in [file.0, file.1, range.0, range.1, list.n_records as u64] {
            put(&mut bytes, number);
        }
        let uses = scaling.as_ref().map_or(ScalingUses::default(), Scaling::uses);
        put_uses(&mut bytes, uses);
        put(&mut bytes, list.columns.len() as u64);
        for column in &list.columns {
            let numbers = column.numbers();
            put_text(&mut bytes, &kind(column.meaning()));
            put(&mut bytes, numbers.n_values as u64);
            put(&mut bytes, numbers.n_missing as u64);
            let (least, greatest) = numbers.range.unzip();
            for number in [least, greatest, column.nodata()] {
                put_option(&mut bytes, number.map(|number| number.to_string()));
            }
            put_option(&mut bytes, column.leading_zero());
            put_uses(&mut bytes, column.uses());
            let texts = match column.meaning() {
                Meaning::Texts(texts) => texts.as_slice(),
                _ => &[],
            };
            put(&mut bytes, texts.len() as u64);
            texts.iter().for_each(|text| put_text(&mut bytes, text));
        }
        bytes
    }

    /// Adds what the part `rank` must know of all parts, from their summaries in order; `None` if
    /// they are not of one file, or if the kinds of a field differ.
    ///
    /// # Errors
    /// [`Code::DoesNotFit`] if the texts of all parts exceed the budget.
    pub fn join(self, rank: usize, summaries: &[Vec<u8>]) -> Result<Option<JoinedPart>, FileError> {
        let ListPart { mut list, format, scaling, file, range } = self;
        let parts: Option<Vec<PartSummary>> =
            summaries.iter().map(|bytes| PartSummary::read(Reader(bytes))).collect();
        let kinds: Vec<String> = list.columns.iter().map(|it| kind(it.meaning())).collect();
        let is_like = |part: &PartSummary| {
            part.file == file && part.columns.iter().map(|it| &it.kind).eq(&kinds)
        };
        let Some(parts) = parts.filter(|parts| parts.iter().all(is_like)) else { return Ok(None) };
        let mut starts = vec![0];
        let (mut uses, mut checksum) = (ScalingUses::default(), Hasher::new());
        for part in &parts {
            starts.push(starts[starts.len() - 1] + part.n_records as usize);
            uses = uses.and(part.uses);
            checksum.update(&[part.range.0, part.range.1].map(u64::to_le_bytes).concat());
        }
        if let Some(scaling) = &scaling {
            scaling.set_uses(uses);
        }
        list.n_records = starts[parts.len()];
        for (idx, column) in list.columns.iter_mut().enumerate() {
            let all = parts.iter().map(|part| &part.columns[idx]);
            column.set_leading_zero(all.clone().find_map(|it| it.leading_zero.clone()));
            column.set_uses(all.fold(ScalingUses::default(), |uses, it| uses.and(it.uses)));
        }
        let (mut warnings, mut notes) = list.remarks();
        if let Some(scaling) = &scaling {
            warnings.extend(scaling.warning());
            notes.extend(scaling.note());
        }
        let (sorted, budget) = (std::mem::replace(&mut list.sorted, false), list.budget.clone());
        let n_own = starts[rank + 1] - starts[rank];
        let name = list.file.clone();
        let mut fields = list.into_fields()?;
        let mut text_bytes = 0;
        for (idx, field) in fields.iter_mut().enumerate() {
            let all = parts.iter().map(|part| &part.columns[idx]);
            field.nodata = all.clone().find_map(|it| it.nodata);
            let others = all.clone().enumerate().filter(|(of, _)| *of != rank);
            let others = others.map(|(_, it)| it.numbers);
            field.elsewhere = Some(others.fold(FieldSummary::default(), FieldSummary::and));
            if let Meaning::Texts(texts) = &mut field.meaning {
                // Each part has its texts in the order of their first appearance in it.
                let mut joined = Texts::default();
                all.flat_map(|it| &it.texts).for_each(|text| _ = joined.add(text));
                if sorted {
                    joined.sort();
                }
                let codes: Vec<i64> = std::iter::once("")
                    .chain(texts.all())
                    .map(|text| joined.code(text).unwrap_or(0))
                    .collect();
                for code in &mut field.values {
                    *code = usize::try_from(*code).map_or(0, |own| codes[own]);
                }
                // Codes of other parts are not those of the file; every text is in one of them.
                let last = joined.as_slice().len() as i64;
                if let Some(FieldSummary { range: Some(range), .. }) = &mut field.elsewhere {
                    *range = (range.0.min(1), last);
                }
                *texts = joined;
                text_bytes += u128::from(field.meaning.n_bytes());
            }
        }
        let n_bytes = text_bytes + n_own as u128 * fields.len() as u128 * 8;
        if !budget.allows(n_bytes) {
            return Err(*crate::source::out_of_memory(&name, n_bytes, budget.max_bytes()));
        }
        let scale = scaling.as_ref().and_then(Scaling::used);
        let loaded = LoadedFile {
            data: Data::Numbers(Numbers { shape: Shape::List(n_own), fields }),
            format,
            n_bytes: budget.most(),
            warnings,
            notes,
            assumes_arcs: false,
            scale,
            columns: None,
            transform: None,
        };
        let checksum = u64::from(checksum.finalize());
        Ok(Some(JoinedPart { loaded, starts, n_bytes: range.0, checksum }))
    }
}

/// Returns the name of a meaning without its texts.
fn kind(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Scaled(scale) => format!("{} times {scale}", meaning.describe()),
        Meaning::Number
        | Meaning::Texts(_)
        | Meaning::Date
        | Meaning::Clock
        | Meaning::DateTime => meaning.describe().to_owned(),
    }
}

impl PartSummary {
    fn read(mut from: Reader<'_>) -> Option<PartSummary> {
        let file = (from.number()?, from.number()?);
        let range = (from.number()?, from.number()?);
        let (n_records, uses, n_columns) = (from.number()?, from.uses()?, from.number()?);
        let columns: Option<Vec<ColumnSummary>> =
            (0..n_columns).map(|_| ColumnSummary::read(&mut from)).collect();
        Some(PartSummary { file, range, n_records, uses, columns: columns? })
    }
}

impl ColumnSummary {
    fn read(from: &mut Reader<'_>) -> Option<ColumnSummary> {
        let kind = from.text()?;
        let (n_values, n_missing) = (from.number()? as usize, from.number()? as usize);
        let range = from.parsed()?.zip(from.parsed()?);
        let nodata = from.parsed()?;
        let (leading_zero, uses, n_texts) = (from.option()?, from.uses()?, from.number()?);
        let texts: Option<Vec<String>> = (0..n_texts).map(|_| from.text()).collect();
        let numbers = FieldSummary { n_values, n_missing, range };
        Some(ColumnSummary { kind, numbers, nodata, leading_zero, uses, texts: texts? })
    }
}

impl std::fmt::Debug for ListPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ListPart { list: _, format, scaling: _, file, range } = self;
        let mut shown = f.debug_struct("ListPart");
        shown.field("format", format).field("file", file).field("range", range);
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::format) fn numbers(loaded: &LoadedFile) -> &Numbers {
        match &loaded.data {
            Data::Numbers(numbers) => numbers,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that the parts together are the whole file, with its remarks.
    pub(in crate::format) fn assert_parts_are_whole(
        whole: &LoadedFile,
        parts: &[JoinedPart],
        file: &str,
    ) {
        let fields = &numbers(whole).fields;
        for part in parts {
            assert_eq!(
                (&part.loaded.warnings, &part.loaded.notes),
                (&whole.warnings, &whole.notes)
            );
            assert_eq!((part.loaded.scale, part.loaded.format), (whole.scale, whole.format));
            assert_eq!((&part.starts, part.checksum), (&parts[0].starts, parts[0].checksum));
            for (own, field) in numbers(&part.loaded).fields.iter().zip(fields) {
                assert_eq!(
                    (&own.name, own.bits, &own.meaning),
                    (&field.name, field.bits, &field.meaning)
                );
                assert_eq!((own.nodata, own.offset()), (field.nodata, field.offset()));
                assert_eq!(own.least_bits(), field.least_bits(), "{file}");
                assert_eq!(
                    (own.n_values(), own.n_missing()),
                    (field.values.len(), field.n_missing())
                );
                assert_eq!(own.range(), field.range());
            }
        }
        for (idx, Field { values, .. }) in fields.iter().enumerate() {
            let found = parts.iter().flat_map(|part| &numbers(&part.loaded).fields[idx].values);
            assert!(found.eq(values), "field {idx} in {} parts of {file}", parts.len());
        }
    }
}
