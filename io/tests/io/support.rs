//! Shared helpers: reading texts in several ways, and tables of bad inputs.

use std::io::Read;

use star_base::Code;
use star_io::{Data, FileError, Format, Graph, LoadedFile, Numbers, ReadOptions, read};

/// More memory than any test needs.
pub(crate) const BUDGET: u64 = 1 << 30;

/// A reader that returns one byte at a time.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_bytes = buffer.len().min(1);
        self.0.read(&mut buffer[..n_bytes])
    }
}

/// Reads bytes as a whole, with and without their length, and one by one; asserts equal results.
pub(crate) fn load(format: Format, bytes: &[u8]) -> Result<LoadedFile, FileError> {
    let whole = read(format, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET));
    let mut options = ReadOptions::new("f", BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    let hinted = read(format, &mut &bytes[..], &mut options);
    let mut options = ReadOptions::new("f", BUDGET);
    let dribbled = read(format, &mut Dribble(bytes), &mut options);
    assert_eq!(whole, dribbled);
    if matches!(format, Format::Stb | Format::Npy) {
        // The length may reveal an error before the bytes do.
        assert_eq!(whole.is_ok(), hinted.is_ok());
    } else {
        assert_eq!(whole, hinted);
    }
    whole
}

/// Reads a valid text, and returns its graph, warnings and notes.
pub(crate) fn graph(format: Format, text: &str) -> (Graph, Vec<String>) {
    let loaded = load(format, text.as_bytes()).expect("a text in order");
    assert_eq!(loaded.format, format);
    match loaded.data {
        Data::Graph(graph) => (graph, [loaded.warnings, loaded.notes].concat()),
        other => panic!("{other:?} instead of a graph"),
    }
}

/// Tail, head and weight of the arcs.
pub(crate) fn arcs(graph: &Graph) -> Vec<(u32, u32, i64)> {
    let arcs = graph.arcs.iter();
    arcs.map(|arc| (arc.tail, arc.head, arc.weight)).collect()
}

/// Reads a valid text, and returns its numbers, warnings and notes.
pub(crate) fn numbers(format: Format, text: &str) -> (Numbers, Vec<String>) {
    let loaded = load(format, text.as_bytes()).expect("a text in order");
    match loaded.data {
        Data::Numbers(numbers) => (numbers, [loaded.warnings, loaded.notes].concat()),
        other => panic!("{other:?} instead of numbers"),
    }
}

/// The fields of numbers: name, bits, values.
pub(crate) fn fields(numbers: &Numbers) -> Vec<(&str, Option<usize>, &[i64])> {
    let fields = numbers.fields.iter();
    fields.map(|field| (field.name.as_str(), field.bits, field.values.as_slice())).collect()
}

/// A bad input with the code, line and column of its error, and a part of the message.
pub(crate) type BadCase<'a> = (&'a [u8], Code, u64, u64, &'a str);

/// Checks that every input is rejected as described.
pub(crate) fn refuses(format: Format, cases: &[BadCase<'_>]) {
    for &(bytes, code, line, column, part) in cases {
        let shown = String::from_utf8_lossy(bytes);
        let error = load(format, bytes).expect_err(&shown);
        let found = (error.code, error.line, error.column);
        assert_eq!(found, (code, Some(line), Some(column)), "{shown:?}: {error}");
        assert!(error.message.contains(part), "{shown:?}: {error}");
        check_wording(&error);
    }
}

/// Checks the conventions for messages.
pub(crate) fn check_wording(error: &FileError) {
    let FileError { message, notes, help, .. } = error;
    for text in std::iter::once(message).chain(notes).chain(help) {
        assert!(!text.ends_with('.'), "{text}");
        assert!(!text.starts_with(|c: char| c.is_uppercase() && !"ACDJMNPT".contains(c)), "{text}");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}
