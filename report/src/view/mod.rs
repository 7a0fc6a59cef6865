//! Pictures of data: bits, numbers in a grid, graphs. A [`Drawing`] is a list of marks on a sheet;
//! [`mod@svg`] converts it to text and [`raster()`] to pixels.
//!
//! This module reads and writes no files, and SVG is its only picture format; callers provide
//! others.

mod bits;
mod grid;
mod layout;
mod network;
mod path;
mod raster;
mod svg;

pub use bits::bits;
pub use grid::{colours, grid, points};
pub use network::{MAX_ARCS, MAX_VERTICES, Network, network};
pub use path::{add_path, is_on_grid};
pub use raster::{raster, raster_size};
pub use svg::svg;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Colours of the foreground and the background.
const INK: Rgb = [29, 33, 38];
const PAPER: Rgb = [255, 255, 255];
/// Colour of less important lines.
const FAINT: Rgb = [176, 184, 192];
/// Colour of marked elements.
const MARKED: Rgb = [200, 50, 30];

/// Maximum number of pixels of a picture in a drawing, in each direction.
const MAX_CELLS: usize = 1024;
/// The length to which a small picture is enlarged, if cells can be whole pixels.
const WANTED: usize = 720;
/// Distance between the edge of the sheet and the contents.
const MARGIN: f64 = 40.0;
/// The height of numbers.
const NUMBER: f64 = 14.0;

/// A drawing; its origin is the upper left corner, its unit the pixel. Later marks cover earlier
/// ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Its marks.
    pub marks: Vec<Mark>,
    /// A short description: `a table of 12 × 12`.
    pub about: String,
}

/// A mark on a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A straight line.
    Line {
        /// One end.
        from: Place,
        /// The other end.
        to: Place,
        /// Its width.
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
    /// A filled triangle.
    Triangle {
        /// Its corners.
        corners: [Place; 3],
        /// Its colour.
        colour: Rgb,
    },
    /// A number or a short text, centred vertically.
    Number {
        /// The position of its start, middle or end.
        at: Place,
        /// Which of these.
        anchor: Anchor,
        /// Its height.
        size: f64,
        /// A number, or a short text.
        text: String,
        /// Its colour.
        colour: Rgb,
    },
    /// A picture with square pixels.
    Picture {
        /// Its upper left corner.
        at: Place,
        /// The side of a pixel.
        cell: f64,
        /// Its pixels.
        picture: Picture,
    },
}

/// To the right, and down.
pub type Place = (f64, f64);

/// The part of a text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The start.
    Start,
    /// The middle.
    Middle,
    /// The end.
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

/// Mapping of cells to pixels: the number of cells for a pixel in each direction, and the side of a
/// pixel.
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

/// Returns a sheet for a picture of `rows` rows and `columns` columns, with their first and last
/// numbers.
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

/// Interpolates between two colours at `share` of the way.
fn between(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    let mut mixed = from;
    for (channel, (from, to)) in mixed.iter_mut().zip(from.into_iter().zip(to)) {
        *channel = (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8;
    }
    mixed
}
