//! The banner and the size line of a Matrix Market file.

use star_base::Code;

use crate::error::Fault;
use crate::format::vertex_count;
use crate::scan::Scanner;

/// The contents of the header.
pub(super) struct Header {
    pub(super) n_rows: u32,
    pub(super) n_cols: u32,
    pub(super) storage: Storage,
    pub(super) field: Field,
    /// Whether only one triangle is stored.
    pub(super) symmetric: bool,
}

/// The storage of entries.
#[derive(Clone, Copy)]
pub(super) enum Storage {
    /// Row, column and value of the stored entries.
    Coordinate { n_entries: u64 },
    /// All values, column by column.
    Array,
}

/// The type of the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Pattern,
    Integer,
    Real,
}

/// Reads everything before the entries.
pub(super) fn read(scanner: &mut Scanner) -> Result<Header, Fault> {
    let mut banner = Banner { scanner, word: Vec::new() };
    banner.expect_start()?;
    banner.choose("the object", &[("matrix", ())])?;
    let coordinate = banner.choose("the format", &[("coordinate", true), ("array", false)])?;
    let fields = [("pattern", Field::Pattern), ("integer", Field::Integer), ("real", Field::Real)];
    // An array without values would carry no information.
    let n_without = usize::from(!coordinate);
    let field = banner.choose("the field", &fields[n_without..])?;
    let symmetric = banner.choose("the symmetry", &[("general", false), ("symmetric", true)])?;
    banner.scanner.end_line()?;

    while let Some(b'%') = scanner.next_entry()? {
        scanner.skip_line()?;
    }
    scanner.begin_token();
    if scanner.peek()?.is_none() {
        let message = "the file ends before the size line";
        return Err(scanner.here(Code::Truncated, message));
    }
    let n_rows = vertex_count(scanner, "the number of rows")?;
    let n_cols = vertex_count(scanner, "the number of columns")?;
    if n_rows != n_cols && symmetric {
        let message = format!("a symmetric matrix of {n_rows} × {n_cols}");
        return Err(scanner.at_token(Code::BadFormat, message));
    }
    if n_rows != n_cols && field == Field::Integer {
        let message = format!("integer values in a matrix of {n_rows} × {n_cols}");
        let fault = scanner.at_token(Code::BadFormat, message);
        let why = "values are the weights of a graph, whose matrix is square";
        let fault = fault.note(why).help("use `pattern` for a table of bits");
        return Err(Box::new(fault));
    }
    let storage = match coordinate {
        true => Storage::Coordinate { n_entries: scanner.unsigned("the number of entries")? },
        false => Storage::Array,
    };
    scanner.end_line()?;
    Ok(Header { n_rows, n_cols, storage, field, symmetric })
}

/// The first line, word by word, ignoring case.
struct Banner<'s, 'r, 'o> {
    scanner: &'s mut Scanner<'r, 'o>,
    word: Vec<u8>,
}

impl Banner<'_, '_, '_> {
    fn expect_start(&mut self) -> Result<(), Fault> {
        if self.scanner.peek()?.is_none() {
            return Err(self.scanner.here(Code::Truncated, "the file is empty"));
        }
        self.scanner.take_word(&mut self.word)?;
        if self.word.eq_ignore_ascii_case(b"%%MatrixMarket") {
            return Ok(());
        }
        let fault = self
            .scanner
            .at_token(Code::BadFormat, "the first line does not begin with `%%MatrixMarket`");
        Err(Box::new(fault.help("a Matrix Market file begins with a line like `%%MatrixMarket matrix coordinate pattern general`")))
    }

    /// Reads the next word and returns its meaning among the `known` ones.
    fn choose<T: Copy>(&mut self, what: &str, known: &[(&str, T)]) -> Result<T, Fault> {
        self.scanner.take_word(&mut self.word)?;
        let found = known.iter().find(|(name, _)| self.word.eq_ignore_ascii_case(name.as_bytes()));
        if let Some(&(_, meaning)) = found {
            return Ok(meaning);
        }
        if self.word.is_empty() {
            let (code, end) = match self.scanner.peek()? {
                None => (Code::Truncated, "file"),
                Some(_) => (Code::BadFormat, "line"),
            };
            let message = format!("expected {what}, found the end of the {end}");
            return Err(self.scanner.here(code, message));
        }
        let quoted = self.scanner.quoted();
        let message = format!("{what} {quoted} is not supported");
        let fault = self.scanner.at_token(Code::BadFormat, message);
        let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        Err(Box::new(fault.note(format!("{what} is {}", names.join(" or ")))))
    }
}
