//! Heights of hilly terrain: the diamond-square algorithm (Fournier, Fussell and Carpenter, 1982).
//!
//! A square gets its four corners, then its centre: the mean of the corners plus a random part;
//! then the midpoints of its sides: the mean of their neighbours plus a random part. The step is
//! repeated with squares of half the size and smaller random parts. All in integers.

use super::pacer::Pacer;
use super::random::{Purpose, Random};
use super::{GenerateOptions, check_probability, check_range};
use crate::error::{Fault, FileError};
use crate::numbers::{Field, Numbers, Shape};

/// The first random parts are between −`AMPLITUDE` and `AMPLITUDE`.
const AMPLITUDE: f64 = 1_073_741_824.0;

/// The parameters of a terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terrain {
    /// Binary logarithm of the side minus one: the side has 2^`size_log2` + 1 cells; from 0 to 31.
    pub size_log2: u32,
    /// Roughness from 0 to 1: the random parts are multiplied by 2^(roughness − 1) with every
    /// halving. 0 makes soft hills, 1 jagged rock.
    pub roughness: f64,
    /// Bits of a height, from 1 to 32. The lowest cell has height 0, the highest 2^bits − 1; if all
    /// are equal, they are 0.
    pub bits: u32,
}

impl Terrain {
    /// Generates the heights: a square grid with the single field `height`.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget (8 bytes for each cell),
    /// [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<Numbers, FileError> {
        check_range("size", u64::from(self.size_log2), 0, 31).map_err(|fault| {
            // The number given may be the side itself.
            let exponent = self.size_log2.ilog2();
            let side = (1_u64 << exponent) + 1;
            fault.help(format!("the side has 2^K + 1 cells; `--size {exponent}` gives {side}"))
        })?;
        check_probability("roughness", self.roughness)?;
        check_range("bits", u64::from(self.bits), 1, 32)?;
        let mut pacer = Pacer::new(options);
        let side = (1u64 << self.size_log2) + 1;
        pacer.check_budget(u128::from(side * side) * 8)?;
        let mut country = Country {
            cells: pacer.filled(side * side, 0)?,
            side: side as usize,
            random: Random::new(pacer.seed(), Purpose::Shape),
        };
        country.raise(self.roughness, &mut pacer)?;
        let mut heights = country.cells;
        scale(&mut heights, self.bits, &mut pacer)?;
        Ok(Numbers {
            shape: Shape::Grid { height: side as usize, width: side as usize },
            fields: vec![Field::new("height", Some(self.bits as usize), heights)],
        })
    }
}

/// Heights during generation.
struct Country {
    cells: Vec<i64>,
    side: usize,
    random: Random,
}

impl Country {
    fn raise(&mut self, roughness: f64, pacer: &mut Pacer<'_, '_>) -> Result<(), Fault> {
        let last = self.side - 1;
        let mut amplitude = AMPLITUDE;
        for cell in [0, last, last * self.side, last * self.side + last] {
            self.cells[cell] = self.random.around_zero(amplitude as i64);
        }
        let shrink = libm::exp2(roughness - 1.0);
        let mut step = last;
        while step > 1 {
            let half = step / 2;
            for row in (half..self.side).step_by(step) {
                for col in (half..self.side).step_by(step) {
                    let corners = [
                        self.at(row - half, col - half),
                        self.at(row - half, col + half),
                        self.at(row + half, col - half),
                        self.at(row + half, col + half),
                    ];
                    self.set(row, col, corners.iter().sum::<i64>() / 4, amplitude);
                    pacer.step()?;
                }
            }
            for row in (0..self.side).step_by(half) {
                let first = if row % step == 0 { half } else { 0 };
                for col in (first..self.side).step_by(step) {
                    self.side_middle(row, col, half, amplitude);
                    pacer.step()?;
                }
            }
            amplitude *= shrink;
            step = half;
        }
        Ok(())
    }

    /// Sets the midpoint of a side, which has four neighbours, or three at the border.
    fn side_middle(&mut self, row: usize, col: usize, half: usize, amplitude: f64) {
        let (mut sum, mut n_neighbours) = (0, 0);
        let mut add = |height: i64| (sum, n_neighbours) = (sum + height, n_neighbours + 1);
        if row >= half {
            add(self.at(row - half, col));
        }
        if row + half < self.side {
            add(self.at(row + half, col));
        }
        if col >= half {
            add(self.at(row, col - half));
        }
        if col + half < self.side {
            add(self.at(row, col + half));
        }
        self.set(row, col, sum / n_neighbours.max(1), amplitude);
    }

    fn at(&self, row: usize, col: usize) -> i64 {
        self.cells[row * self.side + col]
    }

    fn set(&mut self, row: usize, col: usize, mean: i64, amplitude: f64) {
        self.cells[row * self.side + col] = mean + self.random.around_zero(amplitude as i64);
    }
}

/// Scales the heights to the range of their bits.
fn scale(heights: &mut [i64], bits: u32, pacer: &mut Pacer<'_, '_>) -> Result<(), Fault> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for &height in &*heights {
        (least, most) = (least.min(height), most.max(height));
        pacer.step()?;
    }
    let range = i128::from(most) - i128::from(least);
    let greatest = (1i128 << bits) - 1;
    for height in heights {
        let above = i128::from(*height) - i128::from(least);
        *height = if range == 0 { 0 } else { (above * greatest / range) as i64 };
        pacer.step()?;
    }
    Ok(())
}
