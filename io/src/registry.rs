//! The formats: one line each, and the two doors to them.
//!
//! A new format is a line of `formats!`, a line of [`Format::detect`], and a file in `format/`.

use std::io::{BufWriter, Read, Write};

use star_base::Code;

use crate::data::{LoadedFile, OutputRef};
use crate::error::{Fault, FileError};
use crate::format::{self, ReadResult, ReaderNotes};
use crate::options::ReadOptions;
use crate::packing::{GZIP_MAGIC, Packing, gzip, unpacked_head};
use crate::scaling::Scaling;
use crate::sink::{InterruptibleSink, Sink};
use crate::source::Source;

/// Bytes of a packed file that are enough to recognise its format.
const HEAD_BYTES: u64 = 4096;

/// How a format is read and written.
struct FormatSpec {
    name: &'static str,
    extensions: &'static [&'static str],
    read: fn(Source<'_, '_>) -> Result<ReadResult, Fault>,
    write: fn(OutputRef<'_>, &mut dyn Sink) -> Result<(), Fault>,
}

macro_rules! formats {
    ($($format:ident $name:literal $extensions:tt $($module:ident)::+)*) => {
        /// A file format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $(#[doc = concat!($name, ".")] $format,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$format),*];

            fn entry(self) -> FormatSpec {
                match self {
                    $(Format::$format => FormatSpec {
                        name: $name,
                        extensions: &$extensions,
                        read: format::$($module)::+::read,
                        write: |value, sink| format::$($module)::+::write(value, sink),
                    },)*
                }
            }
        }
    };
}

formats! {
    MatrixMarket "Matrix Market" ["mtx"] matrix_market
    EdgeList "edge list" ["txt", "el", "edges", "snap", "tsv"] edge_list
    Dimacs "DIMACS" ["gr"] dimacs
    Metis "METIS" ["graph", "metis"] metis
    Coordinates "DIMACS coordinates" ["co"] coordinates
    Csv "CSV" ["csv"] csv
    Map "MovingAI map" ["map"] moving_ai::map
    Scenarios "MovingAI scenarios" ["scen"] moving_ai::scenarios
    Stb "Star table" ["stb"] stb
    Png "PNG" ["png"] png
    Jpeg "JPEG" ["jpg", "jpeg"] jpeg
    Tiff "TIFF" ["tif", "tiff"] tiff
    Pbm "PBM" ["pbm"] pnm::pbm
    Pgm "PGM" ["pgm", "pnm"] pnm::pgm
    Ppm "PPM" ["ppm"] pnm::ppm
    Svg "SVG" ["svg"] svg
    Npy "NumPy" ["npy"] npy
    Npz "NumPy archive" ["npz"] npz
    Parquet "Parquet" ["parquet"] columnar::parquet
    Arrow "Arrow" ["arrow", "feather"] columnar::arrow
    Updates "update stream" ["updates"] updates
}

impl Format {
    /// The name as shown to people.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The extensions of its files, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().extensions
    }

    /// Do the fields of a list keep their widths in it? What is read back has as many columns then.
    pub fn keeps_widths(self) -> bool {
        match self {
            Format::Csv => true,
            // Types of NumPy have 8, 16, 32 or 64 bits, and the fields of a stream are always the same.
            Format::Npy | Format::Npz | Format::Updates => false,
            Format::Parquet | Format::Arrow => false,
            Format::MatrixMarket | Format::EdgeList | Format::Dimacs | Format::Metis => false,
            Format::Coordinates | Format::Map | Format::Scenarios | Format::Stb => false,
            Format::Png | Format::Jpeg | Format::Tiff => false,
            Format::Pbm | Format::Pgm | Format::Ppm | Format::Svg => false,
        }
    }

    /// The format that the extension of a file name says, in any letter case; that of `road.gr.gz` is
    /// the one before `.gz`.
    pub fn of_path(path: &str) -> Option<Format> {
        let (_, path) = Packing::of_path(path);
        let file_name = path.rsplit(['/', '\\']).next()?;
        let (_, extension) = file_name.rsplit_once('.')?;
        Format::ALL.iter().copied().find(|format| {
            let mut extensions = format.extensions().iter();
            extensions.any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    /// The format that the first bytes of a file look like; a few hundred are enough, more may be
    /// needed behind a long comment.
    pub fn detect(first_bytes: &[u8]) -> Option<Format> {
        if first_bytes.starts_with(&GZIP_MAGIC) {
            let head = unpacked_head(first_bytes, HEAD_BYTES);
            return Format::detect_plain(&head);
        }
        Format::detect_plain(first_bytes)
    }

    fn detect_plain(first_bytes: &[u8]) -> Option<Format> {
        let bytes = first_bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first_bytes);
        if bytes.starts_with(&format::stb::MAGIC) {
            return Some(Format::Stb);
        }
        if let Some(format) = Format::detect_binary(bytes) {
            return Some(format);
        }
        let banner = b"%%MatrixMarket";
        if bytes.get(..banner.len()).is_some_and(|b| b.eq_ignore_ascii_case(banner)) {
            return Some(Format::MatrixMarket);
        }
        if format::updates::is_start(bytes) {
            return Some(Format::Updates);
        }
        let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.filter(|line| !line.is_empty());
        let mut dimacs =
            lines.clone().filter(|line| !matches!(line, [b'c'] | [b'c', b' ' | b'\t', ..]));
        if dimacs.next().is_some_and(|line| line.starts_with(b"p aux")) {
            return Some(Format::Coordinates);
        }
        match lines.next()? {
            [b't', b'y', b'p', b'e', b' ' | b'\t', ..] => Some(Format::Map),
            [b'v', b'e', b'r', b's', b'i', b'o', b'n', b' ' | b'\t', ..] => Some(Format::Scenarios),
            [b'c'] | [b'c', b' ' | b'\t', ..] | [b'p', b' ' | b'\t', ..] => Some(Format::Dimacs),
            [b'#' | b'%' | b'0'..=b'9', ..] => Some(Format::EdgeList),
            [b'"' | b'A'..=b'Z' | b'a'..=b'z', rest @ ..] if rest.contains(&b',') => {
                Some(Format::Csv)
            }
            _ => None,
        }
    }

    fn detect_binary(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(&format::png::MAGIC) {
            return Some(Format::Png);
        }
        if bytes.starts_with(&format::jpeg::MAGIC) {
            return Some(Format::Jpeg);
        }
        if format::tiff::MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
            return Some(Format::Tiff);
        }
        if bytes.starts_with(&format::npy::MAGIC) {
            return Some(Format::Npy);
        }
        if bytes.starts_with(&format::npz::MAGIC) {
            return Some(Format::Npz);
        }
        if bytes.starts_with(&format::columnar::parquet::MAGIC) {
            return Some(Format::Parquet);
        }
        if bytes.starts_with(&format::columnar::arrow::MAGIC) {
            return Some(Format::Arrow);
        }
        match bytes {
            _ if !format::pnm::is_start(bytes) => None,
            [_, b'1' | b'4', ..] => Some(Format::Pbm),
            [_, b'2' | b'5', ..] => Some(Format::Pgm),
            _ => Some(Format::Ppm),
        }
    }

    /// Does it begin with bytes that no text begins with? The letters of Parquet and Arrow may be the name of a field.
    fn begins_as_no_text(self) -> bool {
        match self {
            Format::Stb | Format::Png | Format::Jpeg | Format::Tiff | Format::Npy | Format::Npz => {
                true
            }
            Format::MatrixMarket | Format::EdgeList | Format::Dimacs | Format::Metis => false,
            Format::Coordinates | Format::Csv | Format::Map | Format::Scenarios => false,
            Format::Pbm | Format::Pgm | Format::Ppm | Format::Svg | Format::Updates => false,
            Format::Parquet | Format::Arrow => false,
        }
    }

    /// The format of a file by its name, or else by its first bytes. An update stream is one whatever
    /// its name is: no other format begins like it.
    ///
    /// # Errors
    /// [`Code::UnknownFormat`] if neither says; [`Code::BadFormat`] if the name says a text, and the first bytes are
    /// those of a format that no text begins with.
    pub fn of_file(path: &str, first_bytes: &[u8]) -> Result<Format, FileError> {
        let (named, detected) = (Format::of_path(path), Format::detect(first_bytes));
        if let (Some(named), Some(found)) = (named, detected)
            && !named.begins_as_no_text()
            && found.begins_as_no_text()
        {
            let message =
                format!("the file begins as {} does, and not as {}", found.name(), named.name());
            let error = FileError::new(Code::BadFormat, path, message);
            let extension = found.extensions().first().copied().unwrap_or_default();
            return Err(error.help(format!("if it is one, its name has to end in `.{extension}`")));
        }
        let format = match detected {
            Some(Format::Updates) => Some(Format::Updates),
            detected => named.or(detected),
        };
        format.ok_or_else(|| {
            let known = Format::ALL.iter().flat_map(|format| {
                let extensions = format.extensions().iter();
                extensions.map(|extension| format!("`.{extension}`"))
            });
            let known: Vec<String> = known.collect();
            let message = "neither the name nor the first bytes tell the format of the file";
            FileError::new(Code::UnknownFormat, path, message)
                .help(format!("the known extensions are {}", known.join(", ")))
        })
    }
}

/// Reads a file to its end, packed or not. Takes time in proportion to its length, sorting aside, and memory in
/// proportion to what it holds, at most `options.max_bytes` (a table read from a Star table file
/// takes twice its size for a moment).
///
/// # Errors
/// A [`FileError`] with the place of the first thing that is wrong: [`Code::CannotOpen`] if `input`
/// fails, [`Code::BadFormat`], [`Code::Truncated`], [`Code::OutOfRange`], [`Code::HeaderLies`],
/// [`Code::DoesNotFit`], or [`Code::Interrupted`] if the progress sink said so.
pub fn read(
    format: Format,
    input: &mut dyn Read,
    options: &mut ReadOptions<'_>,
) -> Result<LoadedFile, FileError> {
    if let Some(part) = options.part
        && format != Format::Npz
    {
        let message = format!("no part `{}` in it", part.escape_debug());
        let error = FileError::new(Code::CannotOpen, options.file, message);
        return Err(error.note("only a NumPy archive, `.npz`, has parts"));
    }
    let scaling = options.scale.map(Scaling::new);
    let source = Source::open(input, options, scaling.as_ref())?;
    let budget = source.budget().clone();
    let (data, ReaderNotes { mut warnings, mut notes }) = (format.entry().read)(source)?;
    if let Some(scaling) = &scaling {
        warnings.extend(scaling.warning());
        notes.extend(scaling.note());
    }
    Ok(LoadedFile { data, format, n_bytes: budget.most(), warnings, notes })
}

/// Writes a value and flushes `output`; small pieces are gathered here.
///
/// # Errors
/// [`Code::NoSuchLayout`] if the format cannot hold such a value (nothing is written then), or
/// [`Code::CannotWrite`] if `output` fails. The errors name no file.
pub fn write(
    format: Format,
    value: OutputRef<'_>,
    output: &mut dyn Write,
) -> Result<(), FileError> {
    write_while(format, value, output, &mut || true)
}

/// Likewise, packed. `go_on` is asked now and then while nothing is written; the output stops the rest.
///
/// # Errors
/// Those of [`write()`], and [`Code::CannotWrite`] if `go_on` says no.
pub fn write_packed(
    format: Format,
    packing: Packing,
    value: OutputRef<'_>,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    match packing {
        Packing::Plain => write_while(format, value, output, go_on),
        Packing::Gzip => {
            let mut packed = gzip(output);
            write_while(format, value, &mut packed, go_on)?;
            packed.finish().map_err(|error| *format::cannot_write(&error))?;
            Ok(())
        }
    }
}

fn write_while(
    format: Format,
    value: OutputRef<'_>,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    let mut sink = InterruptibleSink { output: BufWriter::with_capacity(1 << 16, output), go_on };
    let written = (format.entry().write)(value, &mut sink);
    let written = written.and_then(|()| sink.flush().map_err(|e| format::cannot_write(&e)));
    // What is left after a failure must not be written behind the caller's back.
    let _ = sink.output.into_parts();
    Ok(written?)
}
