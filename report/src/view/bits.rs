//! A table of bits as a picture: ones are dark. A pixel for many bits is darker the more of them
//! are ones, and a single one is visible.

use star_value::BitsRef;

use super::{Drawing, INK, PAPER, Picture, Scale, between, framed};

/// Minimum darkness of a pixel with a one.
const LEAST: f64 = 0.3;

/// Draws a table, a slice as a column, or a word as a row.
#[must_use]
pub fn bits(value: BitsRef<'_>) -> Drawing {
    let (rows, columns) = value.shape();
    let Scale { block, cell } = Scale::of(rows, columns);
    let (height, width) = (rows.div_ceil(block), columns.div_ceil(block));
    let mut ones = vec![0_u32; height * width];
    let _ = value.try_for_ones(|row, column| -> Result<(), ()> {
        ones[row / block * width + column / block] += 1;
        Ok(())
    });
    let pixels = ones.iter().enumerate().map(|(at, &n_ones)| {
        let side = |index: usize, all: usize| (all - index * block).min(block);
        let n_bits = side(at / width, rows) * side(at % width, columns);
        let share = f64::from(n_ones) / n_bits as f64;
        let darkness = if n_ones == 0 { 0.0 } else { LEAST + (1.0 - LEAST) * share };
        between(PAPER, INK, darkness)
    });
    let picture = Picture { width, height, pixels: pixels.collect() };
    framed(rows, columns, picture, cell, value.describe())
}

#[cfg(test)]
mod tests {
    use star_value::BitTable;

    use super::super::Mark;
    use super::*;

    fn picture(drawing: &Drawing) -> (&Picture, f64) {
        match &drawing.marks[0] {
            Mark::Picture { picture, cell, .. } => (picture, *cell),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn small_tables_have_a_square_for_each_bit() {
        let table = BitTable::parse(&["010", "110"]).unwrap();
        let drawing = bits(BitsRef::from(&table));
        let (picture, cell) = picture(&drawing);
        assert_eq!((picture.height, picture.width, cell), (2, 3, 32.0));
        let dark: Vec<bool> = picture.pixels.iter().map(|pixel| *pixel == INK).collect();
        assert_eq!(dark, [false, true, false, true, true, false]);
        assert_eq!(drawing.about, "a table of 2 × 3");
    }

    #[test]
    fn single_ones_are_visible() {
        let mut table = BitTable::zeros(5000, 3000).unwrap();
        table.put(4999, 2999, true);
        let drawing = bits(BitsRef::from(&table));
        let (picture, cell) = picture(&drawing);
        assert_eq!((picture.height, picture.width, cell), (1000, 600, 1.0));
        let seen: Vec<usize> =
            (0..picture.pixels.len()).filter(|&at| picture.pixels[at] != PAPER).collect();
        assert_eq!(seen, [picture.pixels.len() - 1]);
    }
}
