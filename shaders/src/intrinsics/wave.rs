//! Lee's wave on a grid: labels of all cells, a path, and the rows of a picture.
//!
//! Every kernel receives the width of the grid, the number of its first workgroup, the workgroups
//! in the first dimension, and the height; then what its function states. Addresses are those of
//! words.
//!
//! Note [Maps]. A map has a bit for each cell, in words of 32 adjacent cells of a row, column by
//! column of words: threads with adjacent rows access adjacent words. A margin of zeros, one word
//! wide and [`Tiles::waves`] rows high, surrounds the cells. The *gap* is the number of words of a
//! column.
//!
//! Note [Windows]. The grid is divided into tiles of [`COLUMNS`] columns and [`Tiles::rows`] rows.
//! A *window* is [`Tiles::waves`] = W waves: window k gives cells the labels kW to kW + W − 1. In a
//! window each workgroup runs all waves on the *region* of a tile, which is the tile with a word to
//! both sides and W rows above and below, without access to other workgroups.
//!
//! *Labels are exact.* The region begins with the cells visited before the window, which are exact.
//! Cells outside the region are unknown; that affects cells at its edge in the first wave, and one
//! cell further inside in each wave, so after W waves all cells of the tile are still exact. Only
//! the tile is written, to another map, because neighbours still read the old one.
//!
//! *Tiles that a window does not process are exact, too.* A cell with label kW + s has a
//! predecessor with label kW − 1 at most W steps away. The tile of that predecessor changed in
//! window k − 1, and finds there that the predecessor belongs to the front within W cells of this
//! tile; so it appends this tile to the queue of window k. The two maps of visited cells alternate:
//! a tile that is not in the queue is equal in both. Therefore a tile that changed is appended once
//! more.
//!
//! *Bits.* Labels are computed as bit planes in registers: plane b collects the fronts of waves s
//! with bit b of s set. The upper bits are those of k. They are added to the columns of the table
//! of labels, which begins as zeros: each cell gets its label once, so additions join bits.
//!
//! Note [Paths]. The neighbour of a cell on the path is the first one over an open transition whose
//! label is one less. [`walk`] compares labels modulo 4, and the highest bits. That finds no
//! neighbour too early or too late if each cell of the path has its exact label, which [`path`]
//! checks; otherwise the Star text runs.

use std::fmt::Write;

use super::numbers::GIVEN;
use crate::{Limb, Shader};

/// Columns of a tile: two words.
pub const COLUMNS: u32 = 64;
/// Words of the results of all kernels. The first ones are the lengths of three queues, or label,
/// whether it is all ones, cell and place on the path.
pub const NOTES: u32 = 5;
/// The number of cells of a path so far, after the first, among the notes.
pub const DONE: u32 = 3;
/// The note that is 1 if a transition leads over the border, or if labels do not belong to the
/// grid.
pub const WRONG: u32 = 4;

/// Sizes of tiles and workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Rows of a tile, at least the waves of a window.
    pub rows: u32,
    /// Waves of a window: a power of two up to 32.
    pub waves: u32,
    /// Threads of the kernels over maps and tables.
    pub threads: u32,
    /// Rows of a region of [`walk`].
    pub region_rows: u32,
    /// Threads of [`path`], a multiple of 32.
    pub path: u32,
}

/// The diagonal steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonals {
    /// None.
    None = 0,
    /// Those whose four transitions of a square are open.
    Squares = 1,
    /// Any, in separate slices.
    Any = 2,
}

impl Tiles {
    /// The usual sizes.
    pub const USUAL: Tiles =
        Tiles { rows: 64, waves: 32, threads: 128, region_rows: 128, path: 64 };
    /// The smallest sizes.
    pub const SMALL: Tiles = Tiles { rows: 4, waves: 4, threads: 4, region_rows: 8, path: 32 };

    /// Returns the bytes of shared memory that suffice for all kernels.
    pub const fn shared_bytes(self) -> u32 {
        let (window, walk) =
            (2 * (self.threads_of_window() + 2) + 1, 6 * (self.region_rows + 2) + 1);
        16 * if window > walk { window } else { walk }
    }

    /// Returns the rows of the region of a tile.
    pub const fn threads_of_window(self) -> u32 {
        self.rows + 2 * self.waves
    }
}

/// Returns the kernel that makes the maps of a grid. Given: gap, words of a map, tiles across,
/// tiles down; the slices Right, Down, Fall, Rise; the slice of goals, the first map of
/// transitions, the first of two maps of visited cells, notes; marks of tiles, the first queue, the
/// [`Diagonals`]. A workgroup has [`Tiles::threads`] words.
pub fn maps(tiles: Tiles) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/wave/maps.wgsl");
    kernel(Limb::Joined, tiles, &[QUEUE, text])
}

/// Returns the kernel of a window. The number of the first workgroup is that of the window, and the
/// next parameter is the number of workgroups. Given: gap, words of a map, tiles across, tiles
/// down; the maps Right, Down, Fall, Rise; the map of visited cells, that of the next window,
/// notes, marks; the queue, that of the next window, address and stride of the labels; their
/// columns. Any number of workgroups.
pub fn window(tiles: Tiles, diagonals: bool) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/wave/window.wgsl");
    let step = include_str!("../../wgsl/intrinsics/wave/step.wgsl");
    let (waves, threads) = (tiles.waves, tiles.threads_of_window());
    let at_once = waves.min(8);
    let (low_bits, bits_at_once) = (waves.ilog2(), at_once.ilog2());
    let mut texts = [const { String::new() }; 4];
    let [begin, steps, add, put] = &mut texts;
    let line = |to: &mut String, text: String| {
        writeln!(to, "{text}").expect("writing to a string does not fail");
    };
    for bit in 0..low_bits {
        line(begin, format!("var bits{bit} = vec4<u32>(0u);"));
        line(put, format!("put_bits({bit}u, cell, bits{bit}.yz);"));
    }
    for bit in bits_at_once..low_bits {
        let mask = 1 << (bit - bits_at_once);
        line(add, format!("if ((part & {mask}u) != 0u) {{ bits{bit} |= fresh; }}"));
    }
    for wave in 0..at_once {
        let step = match wave {
            0 => step.replace("IS_LATER", "is_later"),
            _ => step.replace(" & IS_LATER", ""),
        };
        let slot = wave % 2 * (threads + 2);
        line(steps, step.replace("SLOT", &format!("{slot}u")));
        for bit in (0..bits_at_once).filter(|bit| wave >> bit & 1 == 1) {
            line(steps, format!("bits{bit} |= front;"));
        }
    }
    let names = ["BEGIN_BITS\n", "STEPS\n", "ADD_BITS\n", "PUT_BITS\n"];
    let filled = names
        .iter()
        .zip(&texts)
        .fold(text.to_owned(), |text, (name, with)| text.replace(name, with));
    let sizes = format!("const AT_ONCE = {at_once}u;\nconst LOW_BITS = {low_bits}u;\n");
    kernel(Limb::Joined, tiles, &[&sizes, QUEUE, &keep(&filled, diagonals)])
}

/// Returns the kernel that writes the labels of cells without a path. Given: address and stride of
/// the labels, their columns, the number of the last columns that are not zeros; the slice of
/// goals, whether there is a greatest label, this label. A workgroup has [`Tiles::threads`] words
/// of a column.
pub fn finish(tiles: Tiles) -> Shader {
    kernel(Limb::Word, tiles, &[include_str!("../../wgsl/intrinsics/wave/finish.wgsl")])
}

/// Returns the kernel that reads a label, and makes its cell the first one of a path. Given:
/// address and stride of the labels, their columns, notes; the cell, from 0. One workgroup.
pub fn label(tiles: Tiles) -> Shader {
    kernel(Limb::Word, tiles, &[include_str!("../../wgsl/intrinsics/wave/label.wgsl")])
}

/// Returns the kernel that finds transitions over the right or the lower border. Given: three
/// unused words, notes; the slices Right, Down, Fall, Rise; two unused words, the [`Diagonals`]. A
/// workgroup has [`Tiles::threads`] rows, and words of the last row.
pub fn border(tiles: Tiles) -> Shader {
    kernel(Limb::Joined, tiles, &[include_str!("../../wgsl/intrinsics/wave/border.wgsl")])
}

/// Returns the kernel that continues a path. Given: address and stride of the labels, their
/// columns, notes; the slices Right, Down, Fall, Rise; the list of cells, the greatest number of
/// steps. One workgroup.
pub fn walk(tiles: Tiles, diagonals: Diagonals) -> Shader {
    // Two bits for each neighbour, one more than the step.
    let packed = |steps: [u32; 8]| steps.iter().rev().fold(0, |packed, step| packed << 2 | step);
    let right = packed([0, 1, 2, 1, 0, 2, 2, 0]);
    let down = packed([1, 0, 1, 2, 0, 0, 2, 2]);
    let constants = format!(
        "const DIAGONALS = {}u;\nconst STEPS_RIGHT = {right}u;\nconst STEPS_DOWN = {down}u;\n",
        diagonals as u32
    );
    let text = include_str!("../../wgsl/intrinsics/wave/walk.wgsl");
    kernel(Limb::Word, tiles, &[&constants, text])
}

/// Returns the kernel that writes a path. Given: address and stride of the labels, their columns,
/// notes; the list of cells, their number, the first one, the slice of marks; address and stride of
/// the table. Marks are zeros before. A workgroup has [`Tiles::path`] cells.
pub fn path(tiles: Tiles) -> Shader {
    kernel(Limb::Joined, tiles, &[include_str!("../../wgsl/intrinsics/wave/path.wgsl")])
}

/// Returns the kernel that writes the rows of a picture. Given: address and stride of the table of
/// cells, the columns of the picture, an unused word; address and stride of the picture. A
/// workgroup has [`Tiles::threads`] words, of 32 rows each.
pub fn planes(tiles: Tiles) -> Shader {
    kernel(Limb::Word, tiles, &[include_str!("../../wgsl/intrinsics/wave/planes.wgsl")])
}

/// Returns all kernels with their names.
pub fn all(tiles: Tiles) -> [(&'static str, Shader); 11] {
    [
        ("maps", maps(tiles)),
        ("window", window(tiles, false)),
        ("window-diagonal", window(tiles, true)),
        ("finish", finish(tiles)),
        ("label", label(tiles)),
        ("border", border(tiles)),
        ("walk", walk(tiles, Diagonals::None)),
        ("walk-squares", walk(tiles, Diagonals::Squares)),
        ("walk-diagonal", walk(tiles, Diagonals::Any)),
        ("path", path(tiles)),
        ("planes", planes(tiles)),
    ]
}

pub(super) const GRID: &str = include_str!("../../wgsl/intrinsics/wave/grid.wgsl");
const QUEUE: &str = include_str!("../../wgsl/intrinsics/wave/queue.wgsl");

fn kernel(limb: Limb, tiles: Tiles, parts: &[&str]) -> Shader {
    let Tiles { rows, waves, threads, region_rows, path } = tiles;
    let constants = [
        ("COLUMNS", COLUMNS),
        ("ROWS", rows),
        ("WAVES", waves),
        ("THREADS", tiles.threads_of_window()),
        ("MAP_THREADS", threads),
        ("REGION_ROWS", region_rows),
        ("PATH_THREADS", path),
        ("NONE", Diagonals::None as u32),
        ("SQUARES", Diagonals::Squares as u32),
        ("ANY", Diagonals::Any as u32),
        ("LABEL", 0),
        ("UNREACHED", 1),
        ("CELL", 2),
        ("DONE", DONE),
        ("WRONG", WRONG),
        // No window has this number.
        ("FIRST", u32::MAX),
    ];
    let constants = constants.map(|(name, value)| format!("const {name} = {value}u;\n")).concat();
    let head = [&*constants, GIVEN, GRID];
    Shader { limb, body: head.into_iter().chain(parts.iter().copied()).collect() }
}

/// Returns the text without the lines between `#ifdef DIAGONAL` and `#endif`, unless there are
/// diagonals.
pub(super) fn keep(text: &str, diagonals: bool) -> String {
    let mut keeps = true;
    let lines = text.split_inclusive('\n').filter(|line| match line.strip_prefix('#') {
        Some(mark) => {
            keeps = diagonals || !mark.starts_with("ifdef");
            false
        }
        None => keeps,
    });
    lines.collect()
}
