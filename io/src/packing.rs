//! Files compressed with gzip: detection by magic and by name, and the streams in both directions.
//! Every format can be compressed, transparently for readers and writers.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;

/// The first bytes of a gzip file.
pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// None.
    Plain,
    /// gzip.
    Gzip,
}

impl Packing {
    /// The compression given by a file name, in any letter case, and the name without its
    /// extension.
    pub fn of_path(path: &str) -> (Packing, &str) {
        let path = path.strip_suffix(":-").unwrap_or(path); // a standard stream
        match path.rsplit_once('.') {
            Some((inner, extension)) if extension.eq_ignore_ascii_case("gz") => {
                (Packing::Gzip, inner)
            }
            Some(_) | None => (Packing::Plain, path),
        }
    }
}

/// The unpacked bytes of a gzip file with one or several members. Zeros after a member, as tapes
/// and block devices leave them, are skipped; anything else that does not begin a member is an
/// error that holds [`BytesBehind`].
pub(crate) struct Gunzip<R: Read> {
    /// The current member; `None` after the last one.
    member: Option<GzDecoder<Packed<R>>>,
    n_read: Rc<Cell<u64>>,
}

/// Packed bytes: the already examined first bytes of a member, and the rest.
type Packed<R> = Chain<Cursor<Vec<u8>>, BufReader<Counted<R>>>;

impl<R: Read> Gunzip<R> {
    /// Creates a reader at the start of the packed data.
    pub(crate) fn new(packed: R) -> Self {
        let n_read = Rc::new(Cell::new(0));
        let counted = Counted { inner: packed, n_read: Rc::clone(&n_read) };
        let packed = BufReader::with_capacity(1 << 16, counted);
        let member = GzDecoder::new(Cursor::new(Vec::new()).chain(packed));
        Gunzip { member: Some(member), n_read }
    }

    /// Number of packed bytes read so far.
    pub(crate) fn n_read(&self) -> u64 {
        self.n_read.get()
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = self.member.as_mut() {
            match member.read(buffer)? {
                0 if !buffer.is_empty() => {}
                n_bytes => return Ok(n_bytes),
            }
            if let Some(ended) = self.member.take() {
                let (_, packed) = ended.into_inner().into_inner();
                self.member = next_member(packed)?;
            }
        }
        Ok(0)
    }
}

/// Opens the next member after skipping zeros.
fn next_member<R: Read>(
    mut packed: BufReader<Counted<R>>,
) -> io::Result<Option<GzDecoder<Packed<R>>>> {
    let mut first = Vec::new();
    loop {
        let bytes = match packed.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let n_zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        if n_zeros == 0 {
            break;
        }
        packed.consume(n_zeros);
    }
    packed.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut first)?;
    if first.is_empty() {
        return Ok(None);
    }
    if !GZIP_MAGIC.starts_with(&first) {
        return Err(io::Error::new(ErrorKind::InvalidData, BytesBehind));
    }
    Ok(Some(GzDecoder::new(Cursor::new(first).chain(packed))))
}

/// The error for trailing bytes after the packed data.
#[derive(Debug)]
pub(crate) struct BytesBehind;

impl fmt::Display for BytesBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes after the packed data")
    }
}

impl std::error::Error for BytesBehind {}

/// A reader that counts its bytes.
struct Counted<R> {
    inner: R,
    n_read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.inner.read(buffer)?;
        self.n_read.set(self.n_read.get().saturating_add(n_bytes as u64));
        Ok(n_bytes)
    }
}

/// Unpacks the first bytes of a gzip file, as many as `first_bytes` contain.
pub(crate) fn unpacked_head(first_bytes: &[u8], limit: u64) -> Vec<u8> {
    let mut head = Vec::new();
    // The input is only the start of the file: an error at its end is ignored.
    let _ = MultiGzDecoder::new(first_bytes).take(limit).read_to_end(&mut head);
    head
}

/// Returns a writer that compresses to `output`.
pub(crate) fn gzip<W: Write>(output: W) -> GzEncoder<W> {
    GzEncoder::new(output, Compression::default())
}
