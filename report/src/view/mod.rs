//! Pictures of data: bits, numbers in a grid, graphs. A [`Drawing`] is a list of marks on a sheet; [`mod@svg`] makes text of
//! it and [`raster()`] pixels.
//!
//! Nothing here reads or writes a file, and no format of pictures is known but SVG: who asks brings the rest.

mod bits;
mod digits;
mod grid;
mod layout;
mod network;
mod raster;
mod svg;

pub use bits::bits;
pub use grid::{colours, grid, points};
pub use network::{MAX_ARCS, MAX_VERTICES, Network, network};
pub use raster::raster;
pub use svg::svg;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Ink, and what stands behind it.
const INK: Rgb = [29, 33, 38];
const PAPER: Rgb = [255, 255, 255];
/// Lines that should not be looked at first.
const FAINT: Rgb = [176, 184, 192];
/// What is to be seen first.
const MARKED: Rgb = [200, 50, 30];

/// Pixels that a picture in a drawing has at most, in each direction.
const MAX_CELLS: usize = 1024;
/// The length that a small picture is enlarged to, if cells can be whole pixels.
const WANTED: usize = 720;
/// Between the edge of the sheet and what is drawn.
const MARGIN: f64 = 40.0;
/// The height of numbers.
const NUMBER: f64 = 14.0;

/// What is drawn, from the upper left corner, in pixels. Later marks lie above earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What is on it.
    pub marks: Vec<Mark>,
    /// What it shows, in a few words: `a table of 12 × 12`.
    pub about: String,
}

/// Something on a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A straight line.
    Line {
        /// One end.
        from: Place,
        /// The other one.
        to: Place,
        /// How thick it is.
        width: f64,
        /// Its colour.
        colour: Rgb,
    },
    /// A disk.
    Disk {
        /// Its centre.
        at: Place,
        /// Its radius.
        radius: f64,
        /// Its colour.
        colour: Rgb,
    },
    /// A number, centred up and down.
    Number {
        /// Where it begins, has its middle, or ends.
        at: Place,
        /// Which of these.
        anchor: Anchor,
        /// Its height.
        size: f64,
        /// Digits, perhaps with a sign.
        text: String,
        /// Its colour.
        colour: Rgb,
    },
    /// A picture, each pixel of which is a square.
    Picture {
        /// Its upper left corner.
        at: Place,
        /// The side of the square.
        cell: f64,
        /// Its pixels.
        picture: Picture,
    },
}

/// To the right, and down.
pub type Place = (f64, f64);

/// Which end of a text lies at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The first one.
    Start,
    /// Neither.
    Middle,
    /// The last one.
    End,
}

/// Pixels, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width * height` colours.
    pub pixels: Vec<Rgb>,
}

/// How cells become pixels: so many cells in each direction are one, and a pixel has this side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    block: usize,
    cell: f64,
}

impl Scale {
    fn of(height: usize, width: usize) -> Scale {
        let longest = height.max(width).max(1);
        let block = longest.div_ceil(MAX_CELLS);
        let n_pixels = longest.div_ceil(block);
        let cell = (WANTED / n_pixels).clamp(1, 32);
        Scale { block, cell: cell as f64 }
    }
}

/// A sheet for a picture of so many rows and columns, which are numbered at their ends.
fn framed(rows: usize, columns: usize, picture: Picture, cell: f64, about: String) -> Drawing {
    let (width, height) = (picture.width as f64 * cell, picture.height as f64 * cell);
    let (left, top) = (MARGIN + NUMBER, MARGIN);
    let (right, bottom) = (left + width, top + height);
    let number = |at: Place, anchor: Anchor, number: usize| Mark::Number {
        at,
        anchor,
        size: NUMBER,
        text: number.to_string(),
        colour: INK,
    };
    let edge = |from: Place, to: Place| Mark::Line { from, to, width: 1.0, colour: FAINT };
    let half = cell.min(NUMBER) / 2.0;
    let mut marks = vec![
        Mark::Picture { at: (left, top), cell, picture },
        edge((left, top), (right, top)),
        edge((right, top), (right, bottom)),
        edge((right, bottom), (left, bottom)),
        edge((left, bottom), (left, top)),
        number((left + half, top - NUMBER), Anchor::Middle, 1),
        number((left - NUMBER / 2.0, top + half), Anchor::End, 1),
    ];
    if columns > 1 {
        marks.push(number((right - half, top - NUMBER), Anchor::Middle, columns));
    }
    if rows > 1 {
        marks.push(number((left - NUMBER / 2.0, bottom - half), Anchor::End, rows));
    }
    Drawing { width: right + MARGIN, height: bottom + MARGIN, marks, about }
}

/// A colour between two, `share` of the way.
fn between(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    let mut mixed = from;
    for (channel, (from, to)) in mixed.iter_mut().zip(from.into_iter().zip(to)) {
        *channel = (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8;
    }
    mixed
}
