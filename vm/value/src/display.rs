//! Values as text: for `print`, for results on the terminal, and for the values that a trap shows.
//!
//! The text is the same on every backend. A backend shows a value through [`ShownBits`] and
//! [`ShownTable`], so that only the bits that appear in the text are read one by one, and the whole
//! value is never converted to text.

use std::fmt::Write;

use star_base::text::visible;

use crate::bits::{BitTable, BitVector};
use crate::table::Table;
use crate::value::Value;

/// Slices and words of more bits are elided in the middle; so are the rows of a table.
pub const MAX_BITS: usize = 64;
/// Tables of more rows are elided in the middle.
pub const MAX_ROWS: usize = 16;
/// Strings of more characters are elided at the end where a trap shows them.
const MAX_CHARS: usize = 40;

/// A value to be shown.
#[derive(Clone, Copy)]
pub enum Shown<'a> {
    /// A variable that was never set, or a table without rows.
    Unset,
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(&'a str),
    /// A slice or a word.
    Bits(&'a dyn ShownBits),
    /// A table.
    Table(&'a dyn ShownTable),
}

/// The properties of a slice or word that its text needs. Indices are from 0 and below `n_bits`.
pub trait ShownBits {
    /// Returns the number of bits.
    fn n_bits(&self) -> usize;
    /// Returns bit `idx`.
    fn bit(&self, idx: usize) -> bool;
    /// Returns the number of ones.
    fn n_ones(&self) -> u64;
}

/// The properties of a table that its text needs. Indices are from 0 and below the sizes.
pub trait ShownTable {
    /// Returns the number of rows.
    fn n_rows(&self) -> usize;
    /// Returns the number of columns.
    fn n_cols(&self) -> usize;
    /// Returns bit `col_idx` of row `row_idx`.
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool;
    /// Returns the number of ones.
    fn n_ones(&self) -> u64;
}

impl ShownBits for BitVector {
    fn n_bits(&self) -> usize {
        self.len()
    }
    fn bit(&self, idx: usize) -> bool {
        self.get(idx)
    }
    fn n_ones(&self) -> u64 {
        self.count_ones()
    }
}

impl ShownBits for Vec<bool> {
    fn n_bits(&self) -> usize {
        self.len()
    }
    fn bit(&self, idx: usize) -> bool {
        self[idx]
    }
    fn n_ones(&self) -> u64 {
        self.iter().filter(|&&bit| bit).count() as u64
    }
}

impl ShownTable for BitTable {
    fn n_rows(&self) -> usize {
        self.n_rows()
    }
    fn n_cols(&self) -> usize {
        self.n_cols()
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.get(row_idx, col_idx)
    }
    fn n_ones(&self) -> u64 {
        self.count_ones()
    }
}

impl ShownTable for Table {
    fn n_rows(&self) -> usize {
        Table::n_rows(self)
    }
    fn n_cols(&self) -> usize {
        Table::n_cols(self)
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.get(row_idx, col_idx)
    }
    fn n_ones(&self) -> u64 {
        self.count_ones()
    }
}

/// The bits of a table that its text shows, and the number of its ones, gathered from parts of the
/// table.
#[derive(Clone, Debug)]
pub struct Excerpt {
    shape: (usize, usize),
    /// The shown rows and columns, in ascending order.
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Their bits, row by row.
    bits: Vec<bool>,
    n_ones: u64,
}

impl Excerpt {
    /// Creates the excerpt of zeros, with these numbers of rows and columns.
    pub fn new(shape: (usize, usize)) -> Self {
        Excerpt::with_columns(shape, shown_places(shape.1, MAX_BITS).flatten().collect())
    }

    /// Creates the same excerpt with all columns, for a table whose rows are shown as records.
    pub fn of_records(shape: (usize, usize)) -> Self {
        Excerpt::with_columns(shape, (0..shape.1).collect())
    }

    fn with_columns(shape: (usize, usize), columns: Vec<usize>) -> Self {
        let rows: Vec<usize> = shown_places(shape.0, MAX_ROWS).flatten().collect();
        let bits = vec![false; rows.len() * columns.len()];
        Excerpt { shape, rows, columns, bits, n_ones: 0 }
    }

    /// Adds columns, the first of which has index `start`. Each column is added once.
    pub fn add(&mut self, start: usize, part: &BitTable) {
        self.add_rows(0, start, part);
    }

    /// Adds rows of columns, the first of which have the indices `first` and `start`. Each bit is
    /// added once.
    pub fn add_rows(&mut self, first: usize, start: usize, part: &BitTable) {
        self.n_ones += part.count_ones();
        for (row, of_row) in self.rows.iter().zip(self.bits.chunks_mut(self.columns.len().max(1))) {
            for (bit, column) in of_row.iter_mut().zip(&self.columns) {
                let row = row.checked_sub(first).filter(|row| *row < part.n_rows());
                let column = column.checked_sub(start).filter(|column| *column < part.n_cols());
                *bit |= row.zip(column).is_some_and(|(row, column)| part.get(row, column));
            }
        }
    }

    /// Returns the number of ones, and the shown bits, for [`Excerpt::join`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let bits = self.bits.iter().map(|bit| u8::from(*bit));
        self.n_ones.to_le_bytes().into_iter().chain(bits).collect()
    }

    /// Creates the excerpt of a table from the bytes of those of all its parts, one of which is
    /// this; `None` if they are not of tables with the same numbers of rows and columns.
    pub fn join(&self, parts: &[Vec<u8>]) -> Option<Self> {
        let mut all = Excerpt::with_columns(self.shape, self.columns.clone());
        for part in parts {
            let (n_ones, bits) = part.split_first_chunk()?;
            all.n_ones += u64::from_le_bytes(*n_ones);
            if bits.len() != all.bits.len() {
                return None;
            }
            all.bits.iter_mut().zip(bits).for_each(|(all, bit)| *all |= *bit == 1);
        }
        Some(all)
    }
}

impl ShownTable for Excerpt {
    fn n_rows(&self) -> usize {
        self.shape.0
    }
    fn n_cols(&self) -> usize {
        self.shape.1
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        let row = self.rows.binary_search(&row_idx);
        let column = self.columns.binary_search(&col_idx);
        row.and_then(|row| Ok(self.bits[row * self.columns.len() + column?])) == Ok(true)
    }
    fn n_ones(&self) -> u64 {
        self.n_ones
    }
}

impl<'a> From<&'a Value> for Shown<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Unset => Shown::Unset,
            Value::Int(number) => Shown::Int(*number),
            Value::Bool(truth) => Shown::Bool(*truth),
            Value::Str(text) => Shown::Str(text),
            Value::Slice(bits) | Value::Word(bits) => Shown::Bits(bits),
            Value::Table(table) => Shown::Table(table),
        }
    }
}

/// Returns the line that `print` writes: the texts one after another, without separators. A table
/// begins on a new line, and so does the text after a table. Ends with a line break.
pub fn print_line(items: &[Shown<'_>]) -> String {
    let mut line = String::new();
    let mut after_table = false;
    for &item in items {
        let is_table = matches!(item, Shown::Table(_));
        if (is_table && !line.is_empty()) || after_table {
            line.push('\n');
        }
        line.push_str(&long(item));
        after_table = is_table;
    }
    line.push('\n');
    line
}

/// Returns the text of a value, without a line break at its end.
///
/// * Integers in decimal, `true` and `false`, strings verbatim, `unset`.
/// * Slices and words as `0110`; longer than [`MAX_BITS`] as `0110…0011 (500 bits, 17 ones)` with
///   half of [`MAX_BITS`] at both ends; of no bits as `(0 bits, 0 ones)`.
/// * Tables as one line per row; a table of more than [`MAX_ROWS`] rows or [`MAX_BITS`] columns
///   shows both ends of them, and a last line `(500 × 70, 17 ones)`; a table without rows or
///   columns is that line alone.
pub fn long(value: Shown<'_>) -> String {
    match value {
        Shown::Unset => "unset".to_owned(),
        Shown::Int(number) => number.to_string(),
        Shown::Bool(truth) => truth.to_string(),
        Shown::Str(text) => text.to_owned(),
        Shown::Bits(bits) => bits_text(bits),
        Shown::Table(table) => table_text(table),
    }
}

/// Returns the text of a value on one line, as a trap shows it: like [`long`], but strings in
/// quotes, without control characters and cut after 40 characters, and tables as `500 × 70, 17
/// ones`.
pub fn short(value: Shown<'_>) -> String {
    match value {
        Shown::Str(text) => {
            let mut shown: String = text.chars().take(MAX_CHARS).map(visible).collect();
            if text.chars().nth(MAX_CHARS).is_some() {
                shown.push('…');
            }
            format!("\"{shown}\"")
        }
        Shown::Table(table) => sizes_text(table),
        Shown::Unset | Shown::Int(_) | Shown::Bool(_) | Shown::Bits(_) => long(value),
    }
}

fn bits_text(bits: &dyn ShownBits) -> String {
    let len = bits.n_bits();
    let mut text = String::new();
    push_elided(&mut text, len, |idx| bits.bit(idx));
    if len == 0 {
        text.push_str("(0 bits, 0 ones)");
    } else if len > MAX_BITS {
        append(&mut text, format_args!(" ({len} bits, {})", ones(bits.n_ones())));
    }
    text
}

fn table_text(table: &dyn ShownTable) -> String {
    let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
    if n_rows == 0 || n_cols == 0 {
        return format!("({})", sizes_text(table));
    }
    let mut lines = Vec::new();
    for row_idx in shown_places(n_rows, MAX_ROWS) {
        let mut line = String::new();
        match row_idx {
            Some(row_idx) => push_elided(&mut line, n_cols, |idx| table.bit(row_idx, idx)),
            None => line.push('…'),
        }
        lines.push(line);
    }
    if n_rows > MAX_ROWS || n_cols > MAX_BITS {
        lines.push(format!("({})", sizes_text(table)));
    }
    lines.join("\n")
}

fn sizes_text(table: &dyn ShownTable) -> String {
    format!("{} × {}, {}", table.n_rows(), table.n_cols(), ones(table.n_ones()))
}

fn ones(count: u64) -> String {
    if count == 1 { "1 one".to_owned() } else { format!("{count} ones") }
}

fn push_elided(text: &mut String, len: usize, bit: impl Fn(usize) -> bool) {
    for place in shown_places(len, MAX_BITS) {
        text.push(match place {
            None => '…',
            Some(idx) if bit(idx) => '1',
            Some(_) => '0',
        });
    }
}

/// Yields the positions that are shown of `len` ones when `max` fit; `None` stands for the omitted
/// ones.
fn shown_places(len: usize, max: usize) -> impl Iterator<Item = Option<usize>> {
    let (head, tail) = if len <= max { (len, len) } else { (max / 2, len - max / 2) };
    let gap = (len > max).then_some(None);
    (0..head).map(Some).chain(gap).chain((tail..len).map(Some))
}

fn append(text: &mut String, args: std::fmt::Arguments<'_>) {
    text.write_fmt(args).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(len: usize, ones: &[usize]) -> BitVector {
        let mut bits = BitVector::zeros(len);
        ones.iter().for_each(|&idx| bits.put(idx, true));
        bits
    }

    #[test]
    fn bits_are_elided_beyond_sixty_four() {
        assert_eq!(long(Shown::Bits(&bits(4, &[1, 2]))), "0110");
        assert_eq!(long(Shown::Bits(&bits(0, &[]))), "(0 bits, 0 ones)");
        assert_eq!(long(Shown::Bits(&bits(64, &[]))), "0".repeat(64));
        let expected = format!("1{}…{}1 (65 bits, 2 ones)", "0".repeat(31), "0".repeat(31));
        assert_eq!(long(Shown::Bits(&bits(65, &[0, 64]))), expected);
    }

    #[test]
    fn tables_are_elided_in_both_directions() {
        let small = BitTable::parse(&["01", "10"]).unwrap();
        assert_eq!(long(Shown::Table(&small)), "01\n10");
        assert_eq!(short(Shown::Table(&small)), "2 × 2, 2 ones");
        let mut tall = BitTable::zeros(17, 2).unwrap();
        tall.put(16, 1, true);
        let text = long(Shown::Table(&tall));
        assert_eq!(text.lines().count(), 18);
        assert!(text.ends_with("\n01\n(17 × 2, 1 one)"), "{text}");
        assert_eq!(text.lines().nth(8), Some("…"));
        let wide = BitTable::zeros(1, 65).unwrap();
        assert!(long(Shown::Table(&wide)).ends_with("0\n(1 × 65, 0 ones)"));
        let empty = BitTable::zeros(0, 5).unwrap();
        assert_eq!(long(Shown::Table(&empty)), "(0 × 5, 0 ones)");
    }

    #[test]
    fn an_excerpt_has_the_text_of_the_whole() {
        for (n_rows, n_cols) in [(1, 1), (16, 64), (17, 65), (200, 300), (0, 3), (3, 0)] {
            let mut table = BitTable::zeros(n_rows, n_cols).unwrap();
            let all = (0..n_rows).flat_map(|row| (0..n_cols).map(move |col| (row, col)));
            all.filter(|(row, col)| (row * 7 + col * 3) % 5 < 2)
                .for_each(|(row, col)| table.put(row, col, true));
            for at_once in [1, 7, 1000] {
                let mut excerpt = Excerpt::new((n_rows, n_cols));
                for start in (0..n_cols).step_by(at_once) {
                    let columns: Vec<BitVector> =
                        (start..n_cols.min(start + at_once)).map(|col| table.column(col)).collect();
                    excerpt.add(start, &BitTable::from_columns(n_rows, &columns));
                }
                assert_eq!(long(Shown::Table(&excerpt)), long(Shown::Table(&table)));
            }
        }
    }

    #[test]
    fn print_joins_without_separators_and_gives_tables_their_own_lines() {
        let table = BitTable::parse(&["01", "10"]).unwrap();
        let line = print_line(&[
            Shown::Str("T = "),
            Shown::Table(&table),
            Shown::Int(-3),
            Shown::Bool(true),
            Shown::Unset,
        ]);
        assert_eq!(line, "T = \n01\n10\n-3trueunset\n");
        assert_eq!(print_line(&[Shown::Table(&table)]), "01\n10\n");
        assert_eq!(print_line(&[]), "\n");
    }

    #[test]
    fn traps_show_strings_quoted_and_cut() {
        assert_eq!(short(Shown::Str("a\nb\\n")), "\"a␊b\\n\"");
        let cut = short(Shown::Str(&"x".repeat(41)));
        assert_eq!(cut, format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(short(Shown::from(&Value::Unset)), "unset");
    }
}
