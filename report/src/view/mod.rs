//! Pictures of data: bits, numbers in a grid, graphs. A [`Drawing`] is a list of marks on a sheet;
//! [`mod@svg`] converts it to text and [`raster()`] to pixels.
//!
//! This module reads and writes no files, and SVG is its only picture format; callers provide
//! others.

mod bits;
mod grid;
mod labels;
mod layout;
mod loops;
mod network;
mod path;
mod raster;
mod svg;

pub use bits::bits;
pub use grid::{colours, grid, points};
pub use network::{MAX_ARCS, MAX_VERTICES, Network, network};
pub use path::{add_path, is_on_grid};
pub use raster::{raster, raster_size};
pub use svg::{base64, svg};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colours of a drawing, apart from those of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The foreground.
    pub ink: Rgb,
    /// The background.
    pub paper: Rgb,
    /// Less important lines.
    pub faint: Rgb,
    /// Marked elements.
    pub marked: Rgb,
}

impl Palette {
    /// Dark on white.
    pub const LIGHT: Palette = Palette {
        ink: [29, 33, 38],
        paper: [255, 255, 255],
        faint: [176, 184, 192],
        marked: [200, 50, 30],
    };
    /// Light on black, for dark pages and terminals.
    pub const DARK: Palette = Palette {
        ink: [226, 230, 235],
        paper: [24, 26, 30],
        faint: [92, 100, 110],
        marked: [255, 138, 84],
    };
}

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
    /// The colour of the sheet.
    pub paper: Rgb,
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
    /// A picture.
    Picture {
        /// Its upper left corner.
        at: Place,
        /// The width and the height of a pixel.
        cell: (f64, f64),
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

/// The length of the shorter side from which cells are squares.
const LEAST_SIDE: usize = 24;

/// Mapping of cells to pixels in one direction: the number of cells for a pixel, and its length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    block: usize,
    cell: f64,
}

impl Axis {
    fn of(n: usize, wanted: usize) -> Axis {
        let block = n.max(1).div_ceil(MAX_CELLS);
        let cell = (wanted / n.max(1).div_ceil(block)).clamp(1, 32);
        Axis { block, cell: cell as f64 }
    }

    /// The length of a cell.
    fn side(self) -> f64 {
        self.cell / self.block as f64
    }
}

/// Mapping of cells to pixels. Cells are squares, unless one side would be so short that it could
/// not be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    across: Axis,
    down: Axis,
}

impl Scale {
    fn of(height: usize, width: usize) -> Scale {
        let both = Axis::of(height.max(width), WANTED);
        let axis = |n: usize| match n.div_ceil(both.block) as f64 * both.cell {
            side if side < LEAST_SIDE as f64 => Axis::of(n, 2 * LEAST_SIDE),
            _ => both,
        };
        Scale { across: axis(width), down: axis(height) }
    }

    /// Returns the rows and columns of pixels.
    fn n_pixels(self, height: usize, width: usize) -> (usize, usize) {
        (height.div_ceil(self.down.block), width.div_ceil(self.across.block))
    }

    /// Says how many cells a pixel stands for, if several.
    fn describe(self) -> String {
        match (self.down.block, self.across.block) {
            (1, 1) => String::new(),
            (rows, columns) => format!(", {rows} × {columns} in a pixel"),
        }
    }
}

/// Returns a sheet for a picture of `rows` rows and `columns` columns, with their first and last
/// numbers.
fn framed(
    (rows, columns): (usize, usize),
    picture: Picture,
    scale: Scale,
    about: String,
    palette: &Palette,
) -> Drawing {
    let cell = (scale.across.cell, scale.down.cell);
    let (width, height) = (picture.width as f64 * cell.0, picture.height as f64 * cell.1);
    // The number of the last row may be long.
    let n_digits = rows.to_string().len() as f64;
    let (left, top) = (MARGIN.max(n_digits * NUMBER * 0.66) + NUMBER, MARGIN);
    let (right, bottom) = (left + width, top + height);
    let number = |at: Place, anchor: Anchor, number: usize| Mark::Number {
        at,
        anchor,
        size: NUMBER,
        text: number.to_string(),
        colour: palette.ink,
    };
    let edge = |from: Place, to: Place| Mark::Line { from, to, width: 1.0, colour: palette.faint };
    let half = (cell.0.min(NUMBER) / 2.0, cell.1.min(NUMBER) / 2.0);
    let mut marks = vec![
        Mark::Picture { at: (left, top), cell, picture },
        edge((left, top), (right, top)),
        edge((right, top), (right, bottom)),
        edge((right, bottom), (left, bottom)),
        edge((left, bottom), (left, top)),
        number((left + half.0, top - NUMBER), Anchor::Middle, 1),
        number((left - NUMBER / 2.0, top + half.1), Anchor::End, 1),
    ];
    if columns > 1 {
        marks.push(number((right - half.0, top - NUMBER), Anchor::Middle, columns));
    }
    if rows > 1 {
        marks.push(number((left - NUMBER / 2.0, bottom - half.1), Anchor::End, rows));
    }
    let about = about + &scale.describe();
    let (width, height) = (right + MARGIN, bottom + MARGIN);
    Drawing { width, height, marks, paper: palette.paper, about }
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
