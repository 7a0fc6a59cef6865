//! Display of rows of bits as records, with the names of their fields.
//!
//! A result table of a program has no field names. If its width matches the records of exactly one
//! list that was read, it is shown as records of that list, with a note in the text.

use std::fmt::Write;

use star_io::{Field, FileError, Meaning, Numbers, Shape};
use star_value::display::{MAX_ROWS, ShownTable};
use star_value::{BitTable, BitVector, Value};

use crate::data::RowFields;
use crate::rows::{MAX_BITS, like};

/// The number of records shown at each end of a longer table.
const ENDS: usize = MAX_ROWS / 2;
/// The maximum number of characters shown of a text.
const MAX_CHARS: usize = 24;
/// The maximum number of bytes of the texts of a list.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// The maximum number of lists known at once.
const MAX_LISTS: usize = 64;
/// The maximum number of characters of a line; fields that do not fit are omitted.
const LINE: usize = 100;

/// The layout of the records of a list in the rows of a table.
#[derive(Clone, Debug)]
pub struct RecordList {
    /// Its name: a parameter or a file.
    pub name: String,
    /// The adjacent fields of a row, without their numbers.
    fields: Vec<Field>,
    /// The width of each in bits.
    widths: Vec<usize>,
    /// Whether each is in two's complement; if so, it has no offset.
    signed: Vec<bool>,
}

impl RecordList {
    /// Creates the list with this name if `value` is a table with a row for each record of
    /// `numbers`, whose `chosen` fields are adjacent there. Display alone does not justify much
    /// memory: there is no list for very many texts.
    pub(crate) fn of(
        name: &str,
        numbers: &Numbers,
        value: &Value,
        chosen: &RowFields,
    ) -> Option<Self> {
        let fields = numbers.fields.get(chosen.fields.clone())?;
        let n_bytes: u64 = fields.iter().map(|field| field.meaning.n_bytes()).sum();
        let is_table = matches!((value, numbers.shape), (Value::Table(_), Shape::List(_)));
        (is_table && n_bytes <= MAX_TEXT_BYTES && fields.len() == chosen.widths.len())
            .then(|| RecordList::new(name, fields, &chosen.widths))
    }

    fn new(name: &str, fields: &[Field], widths: &[usize]) -> Self {
        // Only the minimum of the numbers matters, which is subtracted from them in a table.
        let fields = fields
            .iter()
            .map(|field| Field { values: vec![field.offset()], ..field.without_values() });
        let (fields, signed) = (fields.collect(), vec![false; widths.len()]);
        RecordList { name: name.to_owned(), fields, widths: widths.to_vec(), signed }
    }

    /// Creates the records of a parameter, a table of records with these fields, which have no
    /// offsets; those that are `signed` are in two's complement.
    pub(crate) fn typed(
        name: &str,
        fields: &[Field],
        widths: Vec<usize>,
        signed: Vec<bool>,
    ) -> Self {
        let fields = fields.iter().map(|field| Field {
            nodata: None,
            bits: None,
            shared: None,
            ..field.without_values()
        });
        RecordList { name: name.to_owned(), fields: fields.collect(), widths, signed }
    }

    /// Creates the records of a table with these fields, each with its width and whether it is in
    /// two's complement; `None` if one is wider than a number.
    pub fn plain<'f>(
        name: &str,
        fields: impl Iterator<Item = (&'f str, usize, bool)>,
    ) -> Option<Self> {
        let mut list = RecordList::typed(name, &[], Vec::new(), Vec::new());
        for (field, width, signed) in fields {
            list.fields.push(Field::new(field, None, Vec::new()));
            list.widths.push(width);
            list.signed.push(signed);
        }
        list.widths.iter().all(|width| *width <= MAX_BITS).then_some(list)
    }

    /// Tests whether the fields have the same names, widths and signs as those of another list.
    #[must_use]
    pub fn has_fields_of(&self, other: &RecordList) -> bool {
        let names = self.fields.iter().map(|field| &field.name);
        names.eq(other.fields.iter().map(|field| &field.name))
            && self.widths == other.widths
            && self.signed == other.signed
    }

    /// Returns the rows of a table as records.
    ///
    /// # Errors
    /// E0507 if its width differs, or a field is wider than a number.
    pub(crate) fn numbers(&self, table: &BitTable, file: &str) -> Result<Numbers, FileError> {
        let mut numbers = like(table, &self.fields, &self.widths, file)?;
        let columns = numbers.fields.iter_mut().zip(&self.widths).zip(&self.signed);
        for ((field, &width), _) in columns.filter(|((_, width), signed)| **signed && **width > 0) {
            // The sign is the first bit.
            let unused = i64::BITS - width as u32;
            field.values.iter_mut().for_each(|number| *number = *number << unused >> unused);
        }
        Ok(numbers)
    }

    /// Returns the width of a record in bits.
    pub(crate) fn n_columns(&self) -> usize {
        self.widths.iter().sum()
    }

    /// Returns the rows of a table as records.
    ///
    /// # Errors
    /// E0507 if its width differs, or a field is wider than a number.
    pub fn records(&self, table: &BitTable) -> Result<Numbers, FileError> {
        self.numbers(table, &self.name)
    }

    /// Returns the field with this name, with its offset as its only number.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the list under another name.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        RecordList { name: name.to_owned(), ..self }
    }

    /// Adds it to other lists, in place of an equivalent one. The oldest of many is dropped.
    pub fn join(self, lists: &mut Vec<RecordList>) {
        lists.retain(|other| !other.is_like(&self));
        if lists.len() == MAX_LISTS {
            lists.remove(0);
        }
        lists.push(self);
    }

    /// Returns the list of a parameter if its records have this width, and otherwise that of
    /// [`RecordList::of_width`].
    pub fn of_param<'l>(
        lists: &'l [RecordList],
        name: &str,
        n_columns: usize,
    ) -> Option<&'l RecordList> {
        let own = lists.iter().find(|list| list.name == name);
        let own = own.filter(|list| list.n_columns() == n_columns);
        own.or_else(|| RecordList::of_width(lists, n_columns))
    }

    /// Returns the only one of these lists with records of this width; `None` if its rows contain
    /// no more information than their bits.
    pub fn of_width(lists: &[RecordList], n_columns: usize) -> Option<&RecordList> {
        let is_one_bit = |list: &RecordList| list.widths == [1];
        let mut suiting =
            lists.iter().filter(|list| list.widths.iter().sum::<usize>() == n_columns);
        let list = suiting.next().filter(|list| n_columns > 0 && !is_one_bit(list))?;
        suiting.all(|other| other.is_like(list)).then_some(list)
    }

    /// Returns whether their fields have the same names, widths and meanings.
    fn is_like(&self, other: &RecordList) -> bool {
        self.widths == other.widths && self.signed == other.signed && self.fields == other.fields
    }

    /// Returns the records of a table as lines: the names of the fields, then a line for each
    /// record, with an elision between the first and the last of many. `column` returns a column,
    /// counted from 0. `None` if one cannot be read, or a field is wider than a number.
    pub fn lines(
        &self,
        n_rows: usize,
        column: &dyn Fn(usize) -> Option<BitVector>,
    ) -> Option<String> {
        let shown = shown_rows(n_rows);
        let mut table = BitTable::zeros(shown.len(), self.n_columns()).ok()?;
        for col_idx in 0..table.n_cols() {
            let bits = column(col_idx).filter(|bits| bits.len() == n_rows)?;
            for (row_idx, &row) in shown.iter().enumerate() {
                table.put(row_idx, col_idx, bits.get(row));
            }
        }
        self.lines_of_shown(n_rows, &table)
    }

    /// Returns the same lines for a table whose shown bits are known: [`MAX_ROWS`] rows.
    pub(crate) fn lines_of(&self, table: &dyn ShownTable) -> Option<String> {
        let shown = shown_rows(table.n_rows());
        let mut bits = BitTable::zeros(shown.len(), self.n_columns()).ok()?;
        for (row_idx, &row) in shown.iter().enumerate() {
            for col_idx in 0..bits.n_cols() {
                bits.put(row_idx, col_idx, table.bit(row, col_idx));
            }
        }
        self.lines_of_shown(table.n_rows(), &bits)
    }

    /// Returns the lines for a table with this number of rows, of which `table` has those shown.
    fn lines_of_shown(&self, n_rows: usize, table: &BitTable) -> Option<String> {
        let is_elided = n_rows > 2 * ENDS;
        let numbers = self.numbers(table, &self.name).ok()?;
        let mut lines = vec![String::new(); table.n_rows() + 1];
        let mut n_left_out = 0;
        for field in &numbers.fields {
            let is_text = !matches!(field.meaning, Meaning::Number | Meaning::Scaled(_));
            let texts = field.values.iter().map(|&number| short(&field.text(number)));
            let cells: Vec<String> = std::iter::once(short(&field.name)).chain(texts).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            let used = lines.first().map_or(0, |line| line.chars().count());
            if n_left_out > 0 || used > 0 && used + width + 2 > LINE {
                n_left_out += 1;
                continue;
            }
            for (line, cell) in lines.iter_mut().zip(&cells) {
                let gap = if used > 0 { "  " } else { "" };
                // Writing to a string does not fail.
                let _ = match is_text {
                    true => write!(line, "{gap}{cell:<width$}"),
                    false => write!(line, "{gap}{cell:>width$}"),
                };
            }
        }
        let mut text = String::new();
        for (idx, line) in lines.iter().enumerate() {
            if is_elided && idx == ENDS + 1 {
                let _ = writeln!(text, "… {} more", n_rows - 2 * ENDS);
            }
            let more = if n_left_out > 0 { "  …" } else { "" };
            let _ = writeln!(text, "{}", format!("{line}{more}").trim_end());
        }
        Some(text)
    }
}

/// Returns the rows that are shown of this number.
fn shown_rows(n_rows: usize) -> Vec<usize> {
    match n_rows > 2 * ENDS {
        true => (0..ENDS).chain(n_rows - ENDS..n_rows).collect(),
        false => (0..n_rows).collect(),
    }
}

/// Returns a text on one line, truncated if it is long.
fn short(text: &str) -> String {
    let line = star_base::text::one_line(text);
    match line.chars().count() > MAX_CHARS {
        true => line.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
        false => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use star_io::{Format, ReadOptions};

    use super::*;

    /// Returns the record list of a CSV file with these widths.
    fn list(csv: &str, widths: &[usize]) -> RecordList {
        let read =
            star_io::read(Format::Csv, &mut csv.as_bytes(), &mut ReadOptions::new("f", 1 << 20));
        let star_io::Data::Numbers(numbers) = read.unwrap().data else { panic!("no numbers") };
        RecordList::new("R", &numbers.fields, widths)
    }

    /// Returns the columns of a table with these rows.
    fn columns(rows: &[&str]) -> impl Fn(usize) -> Option<BitVector> {
        let rows: Vec<BitVector> = rows.iter().map(|row| BitVector::parse(row).unwrap()).collect();
        move |col| {
            Some(BitVector::from_bools(&rows.iter().map(|row| row.get(col)).collect::<Vec<_>>()))
        }
    }

    const PEOPLE: &str = "name,age\nAda,36\nGrace,85\n";

    #[test]
    fn rows_are_shown_with_field_names() {
        let people = list(PEOPLE, &[2, 7]);
        let lines = people.lines(3, &columns(&["010100100", "101010101", "001111111"])).unwrap();
        assert_eq!(lines, "name   age\nAda     36\nGrace   85\n       127\n");
        assert_eq!(people.lines(0, &columns(&[])).unwrap(), "name  age\n");
        assert_eq!(people.lines(1, &columns(&[])), None);
        // The minimum is subtracted in a table.
        let cold = list("degrees\n-5\n7\n", &[4]);
        assert_eq!(
            cold.lines(2, &columns(&["0000", "1100"])).unwrap(),
            "degrees\n     -5\n      7\n"
        );
    }

    #[test]
    fn long_tables_and_long_lines_are_elided() {
        let people = list(PEOPLE, &[2, 7]);
        let lines = people.lines(100, &columns(&["010100100"; 100])).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 1 + 2 * ENDS + 1);
        assert_eq!(lines[ENDS + 1], "… 84 more");
        let names: Vec<String> = (0..40).map(|idx| format!("field{idx}")).collect();
        let wide = format!("{}\n{}\n", names.join(","), vec!["1"; 40].join(","));
        let wide = list(&wide, &[1; 40]);
        let lines = wide
            .lines(
                1,
                &columns(&["0"; 1].map(|zero| zero.repeat(40)).each_ref().map(String::as_str)),
            )
            .unwrap();
        let mut lines = lines.lines();
        assert!(lines.all(|line| line.ends_with('…') && line.chars().count() <= LINE + 3));
    }

    #[test]
    fn an_unambiguous_width_determines_the_list() {
        let (people, pairs) = (list(PEOPLE, &[2, 7]), list("a,b\n1,2\n", &[4, 5]));
        let found =
            |lists: &[RecordList], n| RecordList::of_width(lists, n).map(|it| it.name.clone());
        let only = std::slice::from_ref(&people);
        assert_eq!(found(only, 9).as_deref(), Some("R"));
        assert_eq!(found(only, 8), None);
        assert_eq!(found(&[people.clone(), pairs], 9), None);
        assert_eq!(found(&[people.clone(), people], 9).as_deref(), Some("R"));
        assert_eq!(found(&[list("a\n1\n", &[1])], 1), None);
    }
}
