//! Pictures of a grid: the bits of its cells as rows of planes.

use star_value::BitTable;

use crate::environment::{Ended, InterruptPoller};

/// Writes the rows of a picture into the lines of `rows`, which are zeros: for each column of
/// `cells` the bits of a row of `width` cells.
///
/// # Errors
/// If the run is interrupted.
pub fn planes(
    width: usize,
    cells: &BitTable,
    rows: &mut BitTable,
    poller: &mut InterruptPoller<'_>,
) -> Result<(), Ended> {
    for y in 0..rows.n_cols() {
        let row = rows.column_limbs_mut(y);
        poller.spend(row.len())?;
        for plane in 0..cells.n_cols() {
            join(cells.column_limbs(plane), y * width, width, row, plane * width);
        }
    }
    Ok(())
}

/// Adds `len` bits from `first` on to zeros from `at` on.
fn join(from: &[u64], first: usize, len: usize, to: &mut [u64], at: usize) {
    let mut done = 0;
    while done < len {
        // A piece ends with a limb of the destination.
        let shift = (at + done) % 64;
        let n = (64 - shift).min(len - done);
        let (limb, start) = ((first + done) / 64, (first + done) % 64);
        let mut bits = from[limb] >> start;
        if start + n > 64 {
            bits |= from[limb + 1] << (64 - start);
        }
        to[(at + done) / 64] |= (bits & (u64::MAX >> (64 - n))) << shift;
        done += n;
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn joins_bits_at_any_place() {
        let from = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978];
        let bit = |limbs: &[u64], at: usize| limbs[at / 64] >> (at % 64) & 1;
        for (first, len, at) in [(0, 64, 0), (3, 100, 61), (63, 129, 7), (5, 0, 9), (127, 65, 64)] {
            let mut to = [0; 4];
            join(&from, first, len, &mut to, at);
            for place in 0..256 {
                let is_inside = (at..at + len).contains(&place);
                let expected = if is_inside { bit(&from, first + place - at) } else { 0 };
                assert_eq!(bit(&to, place), expected, "{first} {len} {at}: {place}");
            }
        }
    }
}
