//! Waves with weights on a grid: the cost of the cheapest path from every cell.
//!
//! Every kernel receives the width of the grid, the number of its first workgroup, the workgroups
//! in the first dimension, and the height; then what its function states. Addresses are those of
//! words.
//!
//! Note [Tiles and buckets]. The costs are found by delta-stepping (Meyer, Sanders 2003) over tiles
//! of [`Tiles::side`] cells squared. A *bucket* is the costs with the same upper bits. Each tile
//! has the least bucket in which a cell of it, or next to it, has a cost from which the wave has
//! not continued into the tile: the tile is *due* at that bucket. A window processes all tiles that
//! are due at the least bucket of all. A workgroup loads a tile and the cells around it, and
//! relaxes its cells from neighbours with costs up to this bucket until nothing changes, or for
//! [`Tiles::rounds`] rounds, after which the tile is due again. Where it has lowered a cost at the
//! edge of the tile, it makes the neighbour due.
//!
//! *Costs are exact.* Only the workgroup of a tile stores its costs, and they only decrease. A cost
//! next to the tile that another workgroup lowers at the same time is read before or after that:
//! both are costs of a path, and in the second case the tile becomes due again. When no tile is
//! due, no neighbour would lower any cost.
//!
//! *Two lists.* A window reads and clears one list of buckets, and writes the other one, so no mark
//! is lost. Buckets are stored as complements: 0 is no bucket, and the greatest is the least one.
//!
//! Note [Parts]. A cost has 32 bits, a price up to 63. Costs count from [`FIRST`] at the base of
//! the present *part*, a number of buckets so small that no sum overflows. At the end of a part,
//! the costs in it are final: their prices are stored and they become 0, and the others are
//! reduced.

use crate::{Limb, Shader};

use super::numbers::GIVEN;
use super::wave::{Diagonals, GRID, keep};

/// The cost of a goal.
pub const FIRST: u32 = 1;
/// The cost of a cell that was not reached.
pub const UNREACHED: u32 = u32::MAX;
/// The greatest weight, which shares a word with the open steps of a cell.
pub const MAX_WEIGHT: u32 = (1 << 24) - 1;

/// Words of the results of all kernels.
pub const NOTES: u32 = 8;
/// The complements of the least buckets of three windows.
pub const LEAST: u32 = 0;
/// 1 if a transition leads over the border, or a weight is 0.
pub const WRONG: u32 = 3;
/// The greatest weight.
pub const HEAVIEST: u32 = 4;
/// A sum of mean numbers of bits of weights, over workgroups; the next word is their number.
pub const BITS: u32 = 5;
/// The number of tiles processed by all windows, modulo 2³².
pub const PROCESSED: u32 = 7;

/// Sizes of tiles and workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Cells of a side.
    pub side: u32,
    /// Threads of a window.
    pub threads: u32,
    /// Relaxations of all cells of a tile in a window.
    pub rounds: u32,
    /// The maximum number of buckets of a part.
    pub buckets: u32,
}

impl Tiles {
    /// The usual sizes.
    pub const USUAL: Tiles = Tiles { side: 32, threads: 256, rounds: 64, buckets: u32::MAX };
    /// The smallest sizes.
    pub const SMALL: Tiles = Tiles { side: 4, threads: 4, rounds: 3, buckets: 3 };

    /// Returns the bytes of shared memory that suffice for all kernels.
    pub const fn shared_bytes(self) -> u32 {
        4 * (2 * (self.side + 2) * (self.side + 2) + self.threads + 13)
    }

    /// Returns a bound on the loop iterations of a thread for a tile of a window.
    pub const fn iterations(self) -> u32 {
        let cells = (self.side * self.side).div_ceil(self.threads);
        let framed = ((self.side + 2) * (self.side + 2)).div_ceil(self.threads);
        self.rounds * (cells + 1) + 2 * framed + 32
    }
}

/// Returns the kernel that makes the cells of a grid. Given: the slices Right, Down, Fall, Rise;
/// the slice of goals, address and stride of the weights, their columns; the costs, the cells,
/// notes, the [`Diagonals`]; the first list of buckets, tiles across. A workgroup has
/// [`Tiles::threads`] cells.
pub fn begin(tiles: Tiles) -> Shader {
    kernel(Limb::Joined, tiles, include_str!("../../wgsl/intrinsics/weighed/begin.wgsl"))
}

/// Returns the kernel of a window. The number of the first workgroup is that of the window, and the
/// next parameter is the number of workgroups. Given: the costs, the cells, notes, an unused word;
/// the list of buckets, that of the next window, tiles across, all tiles; the cost of a straight
/// step and that of a diagonal one, the number of bits of costs in a bucket, the buckets of the
/// part. Any number of workgroups.
pub fn window(tiles: Tiles, diagonals: bool) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/weighed/window.wgsl");
    kernel(Limb::Joined, tiles, &keep(text, diagonals))
}

/// Returns the kernel that stores prices. Given: the costs, address and stride of the prices, their
/// columns; the two words of the price of cost 0, the end of the costs that are final, whether
/// cells that were not reached have no path. A workgroup has [`Tiles::threads`] words of 32 cells.
pub fn prices(tiles: Tiles) -> Shader {
    kernel(Limb::Word, tiles, include_str!("../../wgsl/intrinsics/weighed/prices.wgsl"))
}

/// Returns the kernel that begins the next part. Given: the costs, the end of this part, its
/// buckets, the address of the least bucket; the list of buckets, all tiles. A workgroup has
/// [`Tiles::threads`] cells.
pub fn rebase(tiles: Tiles) -> Shader {
    kernel(Limb::Word, tiles, include_str!("../../wgsl/intrinsics/weighed/rebase.wgsl"))
}

/// Returns all kernels with their names.
pub fn all(tiles: Tiles) -> [(&'static str, Shader); 5] {
    [
        ("begin", begin(tiles)),
        ("window", window(tiles, false)),
        ("window-diagonal", window(tiles, true)),
        ("prices", prices(tiles)),
        ("rebase", rebase(tiles)),
    ]
}

fn kernel(limb: Limb, tiles: Tiles, text: &str) -> Shader {
    let Tiles { side, threads, rounds, buckets: _ } = tiles;
    let constants = [
        ("SIDE", side),
        ("THREADS", threads),
        ("ROUNDS", rounds),
        ("NONE", Diagonals::None as u32),
        ("ANY", Diagonals::Any as u32),
        ("FIRST", FIRST),
        ("UNREACHED", UNREACHED),
        ("DUE_FIRST", !0),
        ("LEAST", LEAST),
        ("WRONG", WRONG),
        ("HEAVIEST", HEAVIEST),
        ("BITS", BITS),
        ("PARTS", BITS + 1),
        ("PROCESSED", PROCESSED),
    ];
    let constants = constants.map(|(name, value)| format!("const {name} = {value}u;\n")).concat();
    Shader { limb, body: [&constants, GIVEN, GRID, text].concat() }
}
