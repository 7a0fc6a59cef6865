//! A table of bits as a picture: ones are dark. A pixel for many bits is darker the more of them
//! are ones, and a single one is visible.

use star_value::BitsRef;

use super::{Drawing, Palette, Picture, Scale, between, framed};

/// Minimum darkness of a pixel with a one.
const LEAST: f64 = 0.3;

/// Draws a table, a slice as a column, or a word as a row.
#[must_use]
pub fn bits(value: BitsRef<'_>, palette: &Palette) -> Drawing {
    let (rows, columns) = value.shape();
    let scale = Scale::of(rows, columns);
    let (height, width) = scale.n_pixels(rows, columns);
    let mut ones = vec![0_u32; height * width];
    let _ = value.try_for_ones(|row, column| -> Result<(), ()> {
        ones[row / scale.down.block * width + column / scale.across.block] += 1;
        Ok(())
    });
    let pixels = ones.iter().enumerate().map(|(at, &n_ones)| {
        let side = |index: usize, all: usize, block: usize| (all - index * block).min(block);
        let n_bits = side(at / width, rows, scale.down.block)
            * side(at % width, columns, scale.across.block);
        let share = f64::from(n_ones) / n_bits as f64;
        let darkness = if n_ones == 0 { 0.0 } else { LEAST + (1.0 - LEAST) * share };
        between(palette.paper, palette.ink, darkness)
    });
    let picture = Picture { width, height, pixels: pixels.collect() };
    framed((rows, columns), picture, scale, value.describe(), palette)
}

#[cfg(test)]
mod tests {
    use star_value::BitTable;

    use super::super::Mark;
    use super::*;

    const INK: [u8; 3] = Palette::LIGHT.ink;
    const PAPER: [u8; 3] = Palette::LIGHT.paper;

    fn picture(drawing: &Drawing) -> (&Picture, (f64, f64)) {
        match &drawing.marks[0] {
            Mark::Picture { picture, cell, .. } => (picture, *cell),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn small_tables_have_a_square_for_each_bit() {
        let table = BitTable::parse(&["010", "110"]).unwrap();
        let drawing = bits(BitsRef::from(&table), &Palette::LIGHT);
        let (picture, cell) = picture(&drawing);
        assert_eq!((picture.height, picture.width, cell), (2, 3, (32.0, 32.0)));
        let dark: Vec<bool> = picture.pixels.iter().map(|pixel| *pixel == INK).collect();
        assert_eq!(dark, [false, true, false, true, true, false]);
        assert_eq!(drawing.about, "a table of 2 × 3");
    }

    #[test]
    fn single_ones_are_visible() {
        let mut table = BitTable::zeros(5000, 3000).unwrap();
        table.put(4999, 2999, true);
        let drawing = bits(BitsRef::from(&table), &Palette::LIGHT);
        let (picture, cell) = picture(&drawing);
        assert_eq!((picture.height, picture.width, cell), (1000, 600, (1.0, 1.0)));
        let seen: Vec<usize> =
            (0..picture.pixels.len()).filter(|&at| picture.pixels[at] != PAPER).collect();
        assert_eq!(seen, [picture.pixels.len() - 1]);
    }

    #[test]
    fn narrow_tables_are_visible_and_their_columns_apart() {
        let mut table = BitTable::zeros(1_000_000, 3).unwrap();
        for row in 0..1_000_000 {
            table.put(row, 1, true);
        }
        let drawing = bits(BitsRef::from(&table), &Palette::DARK);
        let (picture, cell) = picture(&drawing);
        assert_eq!((picture.height, picture.width, cell), (1024, 3, (16.0, 1.0)));
        let Palette { ink, paper, .. } = Palette::DARK;
        assert_eq!(picture.pixels[..3], [paper, ink, paper]);
        assert_eq!(drawing.about, "a table of 1000000 × 3, 977 × 1 in a pixel");
        assert_eq!(drawing.paper, paper);
    }
}
