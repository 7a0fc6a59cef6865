//! Encoding of output files: the format according to the name, compressed or not, if it can
//! represent the value.

use std::io::{self, Write};

use star_base::{Code, text};
use star_io::{Decimal, EdgeStyle, FileError, Format, OutputRef, Packing, Transform};
use star_value::{BitTable, BitVector, BitsRef, Value};

use crate::param::Kind;

/// The message for values that no format can represent.
const ONLY_BITS: &str = "only tables, slices and words can be written to files";

/// An encoding: a format, compressed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// The name of the output in messages.
    pub name: String,
    /// The format.
    pub format: Format,
    packing: Packing,
    style: WriteStyle,
    /// The scale that the weights of arcs in CSV files are divided by.
    scale: Option<Decimal>,
}

/// How values are written, for formats that have a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteStyle {
    /// The treatment of formulas in CSV files.
    pub formulas: Formulas,
    /// The coordinates of pixels in GeoJSON files.
    pub transform: Option<Transform>,
}

/// The treatment of texts and names in CSV files that a spreadsheet would evaluate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// Written unchanged.
    #[default]
    Kept,
    /// Written with a quote before them.
    Quoted,
}

impl Encoding {
    /// Returns the encoding for the extension of `path`, with the name `name` in messages. `holds`
    /// refuses the formats that cannot represent the value to be written.
    ///
    /// # Errors
    /// E0506 if the extension is unknown, E0507 if the format is refused.
    pub fn new(
        path: &str,
        name: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let refusal = match Format::of_path(path) {
            Some(format) => match holds(format) {
                Ok(()) => {
                    let (packing, _) = Packing::of_path(path);
                    let (name, style) = (name.to_owned(), WriteStyle::default());
                    return Ok(Encoding { name, format, packing, style, scale: None });
                }
                Err(refusal) => refusal.in_file(name),
            },
            None => {
                let message = "cannot determine the output format from the name";
                FileError::new(Code::UnknownFormat, name, message)
            }
        };
        let formats = Format::ALL.iter().filter(|format| holds(**format).is_ok());
        let extensions = formats.flat_map(|format| format.extensions());
        let known = text::quoted_list(extensions.map(|extension| format!(".{extension}")));
        if known.is_empty() {
            return Err(refusal);
        }
        Err(refusal.help(format!("supported extensions: {known}, optionally followed by `.gz`")))
    }

    /// The same encoding in this style.
    #[must_use]
    pub fn with(self, style: WriteStyle) -> Self {
        Encoding { style, ..self }
    }

    /// The same encoding; the weights of arcs in CSV files are divided by this scale.
    #[must_use]
    pub fn scaled(self, scale: Option<Decimal>) -> Self {
        Encoding { scale, ..self }
    }

    /// Writes data until `stop` reports a reason to stop; returns the number of bytes. `progress`
    /// receives the current number.
    ///
    /// # Errors
    /// If the format cannot represent the data, the system refuses, or `stop` ends it.
    pub fn write(
        &self,
        value: OutputRef<'_>,
        output: &mut dyn Write,
        stop: &dyn Fn() -> Option<Code>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64, FileError> {
        let WriteStyle { formulas, transform } = self.style;
        let quoted = match (value, formulas, self.format) {
            (OutputRef::Numbers(numbers), Formulas::Quoted, Format::Csv) => {
                Some(numbers.quoting_formulas())
            }
            (OutputRef::Numbers(_) | OutputRef::Bits(_) | OutputRef::Graph(_), _, _) => None,
        };
        let value = quoted.as_ref().map_or(value, OutputRef::Numbers);
        let quotes_formulas = formulas == Formulas::Quoted;
        self.watched(output, stop, progress, |output, go_on| match value {
            OutputRef::Numbers(_)
                if self.format == Format::GeoJson
                    && let Some(transform) = transform =>
            {
                star_io::write_places(value, transform, self.packing, output, go_on)
            }
            OutputRef::Graph(graph)
                if self.format == Format::Csv && (self.scale.is_some() || quotes_formulas) =>
            {
                let style = EdgeStyle { scale: self.scale, quotes_formulas };
                star_io::write_edges(graph, style, self.packing, output, go_on)
            }
            OutputRef::Graph(_) | OutputRef::Numbers(_) | OutputRef::Bits(_) => {
                star_io::write_packed(self.format, self.packing, value, output, go_on)
            }
        })
    }

    /// Returns whether the format takes a table by ranges of columns.
    pub fn takes_columns(&self) -> bool {
        self.format == Format::Stb
    }

    /// Returns whether several processes can write a table to its file, each some rows.
    pub fn takes_rows(&self) -> bool {
        self.takes_columns() && self.packing == Packing::Plain
    }

    /// Writes a table, the next columns of which `next` returns until there are all, as
    /// [`Encoding::write`] does.
    ///
    /// # Errors
    /// Those of [`Encoding::write`], and the first error of `next`.
    pub fn write_columns(
        &self,
        shape: (usize, usize),
        next: &mut dyn FnMut() -> Result<BitTable, FileError>,
        output: &mut dyn Write,
        stop: &dyn Fn() -> Option<Code>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64, FileError> {
        self.watched(output, stop, progress, |output, go_on| {
            star_io::write_columns(self.packing, shape, next, output, go_on)
        })
    }

    fn watched(
        &self,
        output: &mut dyn Write,
        stop: &dyn Fn() -> Option<Code>,
        progress: &mut dyn FnMut(u64),
        write: impl FnOnce(&mut dyn Write, &mut dyn FnMut() -> bool) -> Result<(), FileError>,
    ) -> Result<u64, FileError> {
        let mut watched = Watched { output, stop, progress, n_bytes: 0 };
        match write(&mut watched, &mut || stop().is_none()) {
            Ok(()) => Ok(watched.n_bytes),
            Err(error) => Err(match stop() {
                Some(Code::TimeLimit) => {
                    FileError::new(Code::TimeLimit, &self.name, "time limit reached while writing")
                }
                Some(code) => FileError::new(code, &self.name, "interrupted while writing"),
                None => error.in_file(&self.name),
            }),
        }
    }
}

/// Refuses a format that cannot represent slices, words or tables. An n × n table is also a graph.
///
/// # Errors
/// E0507 with the data that the format can represent; E0509 for a kind that no format can
/// represent.
pub fn holds(kind: Kind, format: Format) -> Result<(), FileError> {
    let (bits, square) = (BitVector::zeros(1), BitTable::zeros(1, 1).unwrap_or_default());
    let example = match kind {
        Kind::Slice => OutputRef::Bits(BitsRef::Slice(&bits)),
        Kind::Word => OutputRef::Bits(BitsRef::Word(&bits)),
        Kind::Table => OutputRef::Bits(BitsRef::from(&square)),
        Kind::Int | Kind::Bool | Kind::Str | Kind::Handle => {
            return Err(FileError::new(Code::CannotWrite, "", ONLY_BITS));
        }
    };
    star_io::write(format, example, &mut io::sink()).map_err(|refusal| {
        // The notes mention the size of the example, which is not the user's.
        let FileError { notes, .. } = refusal;
        FileError { notes, ..cannot_hold(&kind.with_article(), format) }
    })
}

/// Returns the error that a format cannot represent something. It names no file.
pub fn cannot_hold(what: &str, format: Format) -> FileError {
    let message = format!("{what} cannot be written as {}", format.name());
    FileError::new(Code::NoSuchLayout, "", message)
}

/// Returns the value for a writer; `name` is the file in messages.
///
/// # Errors
/// E0509 if it cannot be written.
pub fn writable<'v>(value: &'v Value, name: &str) -> Result<OutputRef<'v>, FileError> {
    let message = match value.bits() {
        Some(bits) => return Ok(OutputRef::Bits(bits)),
        None if *value == Value::Unset => "nothing to write: the variable was never set",
        None => ONLY_BITS,
    };
    Err(FileError::new(Code::CannotWrite, name, message))
}

/// An output that counts its bytes, reports progress, and stops accepting data once it is stopped.
struct Watched<'a> {
    output: &'a mut dyn Write,
    stop: &'a dyn Fn() -> Option<Code>,
    progress: &'a mut dyn FnMut(u64),
    n_bytes: u64,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.stop)().is_some() {
            // `ErrorKind::Interrupted` would cause a retry.
            return Err(io::Error::other("interrupted"));
        }
        // A long piece would delay the stop.
        let n_written = self.output.write(&bytes[..bytes.len().min(1 << 20)])?;
        self.n_bytes += n_written as u64;
        (self.progress)(self.n_bytes);
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_format_lists_the_supported_ones() {
        let help = |kind: Kind| {
            let error = Encoding::new("x", "x", &|format| holds(kind, format));
            error.unwrap_err().help.join(" ")
        };
        let (table, slice) = (help(Kind::Table), help(Kind::Slice));
        for can in ["`.mtx`", "`.gr`", "`.graph`", "`.stb`", "`.txt`"] {
            assert!(table.contains(can), "{can}: {table}");
        }
        for cannot in ["`.jpg`", "`.co`", "`.tiff`", "`.scen`", "`.ppm`", "`.updates`"] {
            assert!(!table.contains(cannot) && !slice.contains(cannot), "{table} {slice}");
        }
        assert!(slice.contains("`.stb`") && !slice.contains("`.gr`"), "{slice}");
    }

    #[test]
    fn unsupported_formats_are_refused_in_advance() {
        let refused = |kind: Kind, name: &str| {
            Encoding::new(name, name, &|format| holds(kind, format)).unwrap_err()
        };
        for name in ["q.jpg", "q.tif", "q.tiff", "q.scen", "q.co", "q.updates.gz", "q.ppm"] {
            for kind in [Kind::Table, Kind::Slice, Kind::Word] {
                let error = refused(kind, name);
                assert_eq!(error.code, Code::NoSuchLayout, "{name}");
                assert!(error.to_string().starts_with(&format!("{name}: a ")), "{error}");
                assert!(!error.message.contains('×') && error.help[0].contains("`.stb`"));
            }
        }
        assert!(refused(Kind::Slice, "q.gr").to_string().starts_with("q.gr: a slice cannot be"));
    }
}
