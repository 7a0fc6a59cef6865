//! Files packed with gzip: what the magic says, what a name says, and the streams both ways. Every
//! format can be packed; readers and writers do not notice.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;

/// The first bytes of a gzip file.
pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// How the bytes of a file are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// With gzip.
    Gzip,
}

impl Packing {
    /// The packing that a file name says, in any letter case, and the name without it.
    pub fn of_path(path: &str) -> (Packing, &str) {
        match path.rsplit_once('.') {
            Some((inner, extension)) if extension.eq_ignore_ascii_case("gz") => {
                (Packing::Gzip, inner)
            }
            Some(_) | None => (Packing::Plain, path),
        }
    }
}

/// The unpacked bytes of a gzip file of one or several members. Zeros behind one, as tapes and block
/// devices leave them, are passed over; anything else that begins no member is an error, which holds
/// [`BytesBehind`].
pub(crate) struct Gunzip<R: Read> {
    /// The member being read; none behind the last one.
    member: Option<GzDecoder<Packed<R>>>,
    n_read: Rc<Cell<u64>>,
}

/// Packed bytes: the first ones of a member, which were looked at already, and the rest.
type Packed<R> = Chain<Cursor<Vec<u8>>, BufReader<Counted<R>>>;

impl<R: Read> Gunzip<R> {
    /// Nothing has been read yet.
    pub(crate) fn new(packed: R) -> Self {
        let n_read = Rc::new(Cell::new(0));
        let counted = Counted { inner: packed, n_read: Rc::clone(&n_read) };
        let packed = BufReader::with_capacity(1 << 16, counted);
        let member = GzDecoder::new(Cursor::new(Vec::new()).chain(packed));
        Gunzip { member: Some(member), n_read }
    }

    /// Packed bytes read so far.
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

/// The member that begins behind the end of another one, and behind zeros.
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

/// The error that something stands behind the packed data.
#[derive(Debug)]
pub(crate) struct BytesBehind;

impl fmt::Display for BytesBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes behind the packed data")
    }
}

impl std::error::Error for BytesBehind {}

/// Counts the bytes that go through.
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

/// As much as the first bytes of a gzip file hold of the first bytes inside.
pub(crate) fn unpacked_head(first_bytes: &[u8], limit: u64) -> Vec<u8> {
    let mut head = Vec::new();
    // The end of what is there is not the end of the file: what came before it counts.
    let _ = MultiGzDecoder::new(first_bytes).take(limit).read_to_end(&mut head);
    head
}

/// Packs what is written to it.
pub(crate) fn gzip<W: Write>(output: W) -> GzEncoder<W> {
    GzEncoder::new(output, Compression::default())
}
