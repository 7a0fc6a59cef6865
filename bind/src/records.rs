//! Rows of bits as the records that they stand for, under the names of their fields.
//!
//! A table that comes out of a program has no names. One that is as wide as the records of a list that was read, and of one list
//! only, is shown as records of that list, which the text says.

use std::fmt::Write;

use star_base::{BitTable, BitVector};
use star_io::{Field, Meaning, Numbers, Shape};
use star_vm::HostValue;

use crate::data::RowFields;
use crate::rows::like;

/// Records that are shown at each end of a longer table.
const ENDS: usize = 8;
/// Characters of a text that are shown.
const MAX_CHARS: usize = 24;
/// Bytes that the texts of a list may take.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// Lists that are known at once.
const MAX_LISTS: usize = 64;
/// Characters of a line; fields that do not fit are left out.
const LINE: usize = 100;

/// How the records of a list lie in the rows of a table.
#[derive(Clone, Debug)]
pub struct RecordList {
    /// What it is called: a parameter, or a file.
    pub name: String,
    /// The fields side by side in a row, without their numbers.
    fields: Vec<Field>,
    /// Bits of each.
    widths: Vec<usize>,
}

impl RecordList {
    /// The list of this name, if `value` is a table with a row for each record of `numbers`, whose `chosen` fields lie side by side
    /// there. What is only shown is not worth much memory: there is none of very many texts.
    pub(crate) fn of(
        name: &str,
        numbers: &Numbers,
        value: &HostValue,
        chosen: &RowFields,
    ) -> Option<Self> {
        let fields = numbers.fields.get(chosen.fields.clone())?;
        let n_bytes: u64 = fields.iter().map(|field| field.meaning.n_bytes()).sum();
        let is_table = matches!((value, numbers.shape), (HostValue::Table(_), Shape::List(_)));
        (is_table && n_bytes <= MAX_TEXT_BYTES && fields.len() == chosen.widths.len())
            .then(|| RecordList::new(name, fields, &chosen.widths))
    }

    fn new(name: &str, fields: &[Field], widths: &[usize]) -> Self {
        // Of the numbers only the least one matters, which is taken off them in a table.
        let fields = fields
            .iter()
            .map(|field| Field { values: vec![field.offset()], ..field.without_values() });
        RecordList { name: name.to_owned(), fields: fields.collect(), widths: widths.to_vec() }
    }

    /// The same under another name.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        RecordList { name: name.to_owned(), ..self }
    }

    /// Adds it to others, in place of one that is like it. The oldest of many is forgotten.
    pub fn join(self, lists: &mut Vec<RecordList>) {
        lists.retain(|other| !other.is_like(&self));
        if lists.len() == MAX_LISTS {
            lists.remove(0);
        }
        lists.push(self);
    }

    /// The only one of these lists with records of so many bits; `None` if its rows say no more than their bits.
    pub fn of_width(lists: &[RecordList], n_columns: usize) -> Option<&RecordList> {
        let is_one_bit = |list: &RecordList| list.widths == [1];
        let mut suiting =
            lists.iter().filter(|list| list.widths.iter().sum::<usize>() == n_columns);
        let list = suiting.next().filter(|list| n_columns > 0 && !is_one_bit(list))?;
        suiting.all(|other| other.is_like(list)).then_some(list)
    }

    /// Have their fields the same names, widths and meanings?
    fn is_like(&self, other: &RecordList) -> bool {
        self.widths == other.widths && self.fields == other.fields
    }

    /// The records of a table as lines: the names of the fields, then a line for each record, some left out between the first
    /// and the last of many. `column` gives a column, counted from 0. `None` if one cannot be read, or a field is wider than a
    /// number.
    pub fn lines(
        &self,
        n_rows: usize,
        column: &dyn Fn(usize) -> Option<BitVector>,
    ) -> Option<String> {
        let is_elided = n_rows > 2 * ENDS;
        let shown: Vec<usize> = match is_elided {
            true => (0..ENDS).chain(n_rows - ENDS..n_rows).collect(),
            false => (0..n_rows).collect(),
        };
        let n_columns = self.widths.iter().sum();
        let mut table = BitTable::zeros(shown.len(), n_columns).ok()?;
        for col_idx in 0..n_columns {
            let bits = column(col_idx).filter(|bits| bits.len() == n_rows)?;
            for (row_idx, &row) in shown.iter().enumerate() {
                table.put(row_idx, col_idx, bits.get(row));
            }
        }
        let numbers = like(&table, &self.fields, &self.widths, &self.name).ok()?;
        let mut lines = vec![String::new(); shown.len() + 1];
        let mut n_left_out = 0;
        for field in &numbers.fields {
            let is_text = !matches!(field.meaning, Meaning::Number | Meaning::Scaled(_));
            let texts = field.values.iter().map(|&number| match field.nodata {
                Some(nodata) if number == nodata => String::new(),
                Some(_) | None => short(&field.meaning.text(number)),
            });
            let cells: Vec<String> = std::iter::once(short(&field.name)).chain(texts).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            let used = lines.first().map_or(0, |line| line.chars().count());
            if n_left_out > 0 || used > 0 && used + width + 2 > LINE {
                n_left_out += 1;
                continue;
            }
            for (line, cell) in lines.iter_mut().zip(&cells) {
                let gap = if used > 0 { "  " } else { "" };
                // Writing to a text does not fail.
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

/// A text on one line, its end left out if it is long.
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

    /// The records of a CSV file, and its rows.
    fn list(csv: &str, widths: &[usize]) -> RecordList {
        let read =
            star_io::read(Format::Csv, &mut csv.as_bytes(), &mut ReadOptions::new("f", 1 << 20));
        let star_io::Data::Numbers(numbers) = read.unwrap().data else { panic!("no numbers") };
        RecordList::new("R", &numbers.fields, widths)
    }

    /// The columns of a table with these rows.
    fn columns(rows: &[&str]) -> impl Fn(usize) -> Option<BitVector> {
        let rows: Vec<BitVector> = rows.iter().map(|row| BitVector::parse(row).unwrap()).collect();
        move |col| {
            Some(BitVector::from_bools(&rows.iter().map(|row| row.get(col)).collect::<Vec<_>>()))
        }
    }

    const PEOPLE: &str = "name,age\nAda,36\nGrace,85\n";

    #[test]
    fn rows_stand_under_the_names_of_their_fields() {
        let people = list(PEOPLE, &[2, 7]);
        let lines = people.lines(3, &columns(&["010100100", "101010101", "001111111"])).unwrap();
        assert_eq!(lines, "name   age\nAda     36\nGrace   85\n       127\n");
        assert_eq!(people.lines(0, &columns(&[])).unwrap(), "name  age\n");
        assert_eq!(people.lines(1, &columns(&[])), None);
        // The least number is taken off in a table.
        let cold = list("degrees\n-5\n7\n", &[4]);
        assert_eq!(
            cold.lines(2, &columns(&["0000", "1100"])).unwrap(),
            "degrees\n     -5\n      7\n"
        );
    }

    #[test]
    fn long_tables_are_elided_and_so_are_long_lines() {
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
    fn the_width_says_which_list_if_it_is_one_only() {
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
