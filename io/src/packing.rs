//! Files packed with gzip: what the magic says, what a name says, and the streams both ways. Every
//! format can be packed; readers and writers do not notice.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
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

/// The unpacked bytes of a gzip file of one or several members.
pub(crate) struct Gunzip<R: Read> {
    decoder: MultiGzDecoder<BufReader<Counted<R>>>,
    n_read: Rc<Cell<u64>>,
}

impl<R: Read> Gunzip<R> {
    /// Nothing has been read yet.
    pub(crate) fn new(packed: R) -> Self {
        let n_read = Rc::new(Cell::new(0));
        let counted = Counted { inner: packed, n_read: Rc::clone(&n_read) };
        let decoder = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, counted));
        Gunzip { decoder, n_read }
    }

    /// Packed bytes read so far.
    pub(crate) fn n_read(&self) -> u64 {
        self.n_read.get()
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer)
    }
}

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
