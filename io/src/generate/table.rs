//! Random tables: rows of numbers side by side, as in relations and signals.

use star_value::BitTable;
use star_value::bits::zero_tail;

use super::pacer::Pacer;
use super::random::{Chance, Purpose, Random};
use super::{GenerateOptions, bad, check_probability, check_range};
use crate::error::{Fault, FileError};

/// The parameters of a random table.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomTable {
    /// Number of rows, from 0.
    pub n_rows: u64,
    /// Widths of the fields, from left to right, each from 1. A field of width w holds uniform
    /// numbers below 2^w.
    pub widths: Vec<u64>,
    /// Probability that a bit is one, from 0 to 1. `None` means 0.5, the only value with which all
    /// numbers of a field are equally likely.
    pub density: Option<f64>,
}

impl RandomTable {
    /// Generates the table. The running time is proportional to the number of bits.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the table exceeds the budget,
    /// [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<BitTable, FileError> {
        let n_cols = self.check()?;
        let mut pacer = Pacer::new(options);
        // The padding between columns is at most an eighth, or 8 limbs for short columns.
        let column_bytes = u128::from(self.n_rows.div_ceil(64)) * 8;
        let n_bytes = (column_bytes + column_bytes / 8) * u128::from(n_cols);
        pacer.check_budget(n_bytes)?;
        let out_of_memory = || pacer.out_of_memory(n_bytes);
        let n_rows = usize::try_from(self.n_rows).map_err(|_| out_of_memory())?;
        let n_cols = usize::try_from(n_cols).map_err(|_| out_of_memory())?;
        let mut table = BitTable::zeros(n_rows, n_cols).map_err(|_| out_of_memory())?;
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let density = self.density.map(Chance::of);
        for col_idx in 0..n_cols {
            pacer.step()?;
            let column = table.column_limbs_mut(col_idx);
            for limb in &mut *column {
                *limb = match density {
                    None => random.bits64(),
                    Some(chance) => chance.limb(&mut random),
                };
                pacer.step()?;
            }
            zero_tail(column, n_rows);
        }
        Ok(table)
    }

    /// Checks the parameters and returns the number of columns.
    fn check(&self) -> Result<u64, Fault> {
        if let Some(density) = self.density {
            check_probability("density", density)?;
        }
        check_range("rows", self.n_rows, 0, u64::from(u32::MAX))?;
        let mut n_cols = 0u64;
        for &width in &self.widths {
            check_range("widths", width, 1, u64::from(u32::MAX))?;
            n_cols = n_cols.saturating_add(width);
        }
        match n_cols {
            0 => Err(bad("widths", "an empty list", "at least one width")),
            1..=0xffff_ffff => Ok(n_cols),
            0x1_0000_0000.. => Err(bad("widths", n_cols, "at most 4294967295 in total")),
        }
    }
}
