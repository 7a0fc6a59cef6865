//! The speed of plain reading, of as many bytes as an operation touches.

use star_report::measure::read_speed;

/// Bytes that are read at most: beyond the caches more of them are not read faster or slower.
const MOST_BYTES: usize = 1 << 29;

/// What an operation touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Three slices.
    Slices,
    /// 33 slices.
    Table,
}

impl Amount {
    /// All of them.
    pub(super) const ALL: [Amount; 2] = [Amount::Slices, Amount::Table];

    /// The one that is nearer to so many limbs for each limb of a slice.
    pub(super) fn of(limbs: f64) -> Amount {
        if limbs > 8.0 { Amount::Table } else { Amount::Slices }
    }

    /// Slices.
    fn n_slices(self) -> usize {
        match self {
            Amount::Slices => 3,
            Amount::Table => 33,
        }
    }
}

/// Speeds of reading in GB/s, measured before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) amount: Amount,
    pub(super) threads: usize,
    pub(super) before: f64,
    pub(super) after: f64,
}

impl Reading {
    /// The mean of both.
    pub(super) fn mean(&self) -> f64 {
        f64::midpoint(self.before, self.after)
    }

    /// The bytes that were read, in words.
    pub(super) fn bytes(&self, n_bits: usize) -> String {
        let n_bytes = n_bytes(self.amount, n_bits) as f64;
        if n_bytes < 1e6 {
            format!("{:.1} kB", n_bytes / 1e3)
        } else {
            format!("{:.1} MB", n_bytes / 1e6)
        }
    }
}

fn n_bytes(amount: Amount, n_bits: usize) -> usize {
    (n_bits / 8 * amount.n_slices()).min(MOST_BYTES)
}

/// Memory to read.
pub(super) struct Buffer(Vec<u64>);

impl Buffer {
    /// Memory that was written to, for slices of so many bits and shorter ones.
    pub(super) fn new(max_bits: usize) -> Self {
        let n_limbs = n_bytes(Amount::Table, max_bits).div_ceil(8);
        Buffer((0..n_limbs as u64).collect())
    }

    /// GB/s of an amount on so many threads, for slices of so many bits.
    pub(super) fn speed(&self, amount: Amount, threads: usize, n_bits: usize) -> f64 {
        let n_limbs = n_bytes(amount, n_bits).div_ceil(8).min(self.0.len());
        let speed = read_speed(&self.0[..n_limbs], threads, &|| false);
        speed.map_or(f64::NAN, |speed| speed.gb_per_s)
    }
}
