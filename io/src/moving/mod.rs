//! Streams of moving objects: positions of objects, and queries of rectangles, in batches by time.
//!
//! ```text
//! t,id,x,y               object 7 is at (120, 450) from batch 3 on:   3,7,120,450
//!                        and is gone from batch 5 on:                 5,7,,
//! t,qid,x1,y1,x2,y2      query 1 of batch 4, borders included:        4,1,0,0,500,500
//! ```
//!
//! The line with the names of the fields is optional. All numbers are integers; timestamps must not
//! decrease. The binary form is for streams of millions: `STARMOVU` or `STARMOVQ`, then batches:
//! time (8 bytes), number of records (4 bytes), records of 12 or 20 bytes, all little-endian. A
//! removed object has −2³¹ for both coordinates.
//!
//! A reader returns all records before a fault, and then the fault.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io::{self, Write};

pub use read::{MovingReader, NumberLimit};
pub use write::{MovingForm, MovingWriter};

use crate::error::Fault;
use crate::scan::Scanner;

/// The maximum coordinate; its negative is the minimum.
pub const MAX_COORDINATE: i32 = (1 << 30) - 1;
/// The value of both coordinates of a removed object.
const GONE: i32 = i32::MIN;

/// An object and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The object.
    pub id: u32,
    /// Its coordinates; `None` if it is removed.
    pub at: Option<[i32; 2]>,
}

/// A query for the objects in a rectangle, borders included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of the query.
    pub number: u32,
    /// The minimum coordinates. If one exceeds that of `high`, the rectangle is empty.
    pub low: [i32; 2],
    /// The maximum coordinates.
    pub high: [i32; 2],
}

/// A record of a stream.
pub trait Record: Copy + sealed::Sealed {
    /// The first bytes of the binary form.
    const MAGIC: [u8; 8];
    /// The names of the fields of the text form.
    const HEADER: &'static str;
    /// The noun for a record.
    const NOUN: &'static str;
    /// The noun for its number.
    const NUMBER: &'static str;
    /// Size of a record of the binary form in bytes.
    const N_BYTES: usize;

    /// Its number.
    fn number(&self) -> u32;

    #[doc(hidden)]
    fn decode(bytes: &[u8]) -> Self;

    #[doc(hidden)]
    fn encode(&self, bytes: &mut Vec<u8>);

    /// Returns whether all coordinates are in range; needed only for the binary form.
    #[doc(hidden)]
    fn in_range(&self) -> bool;

    #[doc(hidden)]
    fn print(&self, time: i64, out: &mut dyn Write) -> io::Result<()>;
}

pub(crate) mod sealed {
    use super::{Fault, Scanner};

    /// Only this crate implements the trait.
    pub trait Sealed: Sized {
        /// Reads everything after the number of a record, up to the end of its line.
        #[allow(private_interfaces, reason = "the trait is sealed: it is called only here")]
        fn parse(number: u32, scanner: &mut Scanner<'_, '_>) -> Result<Self, Fault>;

        /// Returns what is wrong with a record of coordinates in range.
        fn fault(&self) -> Option<String> {
            None
        }
    }
}

fn coordinate(bytes: &[u8], idx: usize) -> i32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[4 * idx..4 * idx + 4]);
    i32::from_le_bytes(four)
}

fn is_coordinate(c: i32) -> bool {
    (-MAX_COORDINATE..=MAX_COORDINATE).contains(&c)
}

impl Record for Position {
    const MAGIC: [u8; 8] = *b"STARMOVU";
    const HEADER: &'static str = "t,id,x,y";
    const NOUN: &'static str = "updates";
    const NUMBER: &'static str = "id";
    const N_BYTES: usize = 12;

    fn number(&self) -> u32 {
        self.id
    }

    fn decode(bytes: &[u8]) -> Self {
        let at = [coordinate(bytes, 1), coordinate(bytes, 2)];
        Position { id: coordinate(bytes, 0) as u32, at: (at != [GONE; 2]).then_some(at) }
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        let [x, y] = self.at.unwrap_or([GONE; 2]);
        bytes.extend_from_slice(&self.id.to_le_bytes());
        bytes.extend_from_slice(&x.to_le_bytes());
        bytes.extend_from_slice(&y.to_le_bytes());
    }

    fn in_range(&self) -> bool {
        self.at.is_none_or(|at| at.into_iter().all(is_coordinate))
    }

    fn print(&self, time: i64, out: &mut dyn Write) -> io::Result<()> {
        match self.at {
            Some([x, y]) => writeln!(out, "{time},{},{x},{y}", self.id),
            None => writeln!(out, "{time},{},,", self.id),
        }
    }
}

impl Record for Window {
    const MAGIC: [u8; 8] = *b"STARMOVQ";
    const HEADER: &'static str = "t,qid,x1,y1,x2,y2";
    const NOUN: &'static str = "queries";
    const NUMBER: &'static str = "qid";
    const N_BYTES: usize = 20;

    fn number(&self) -> u32 {
        self.number
    }

    fn decode(bytes: &[u8]) -> Self {
        let [low, high] = [1, 3].map(|idx| [coordinate(bytes, idx), coordinate(bytes, idx + 1)]);
        Window { number: coordinate(bytes, 0) as u32, low, high }
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.number.to_le_bytes());
        let corners = self.low.into_iter().chain(self.high);
        corners.for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
    }

    fn in_range(&self) -> bool {
        self.low.into_iter().chain(self.high).all(is_coordinate)
    }

    fn print(&self, time: i64, out: &mut dyn Write) -> io::Result<()> {
        let Window { number, low: [x1, y1], high: [x2, y2] } = self;
        writeln!(out, "{time},{number},{x1},{y1},{x2},{y2}")
    }
}
