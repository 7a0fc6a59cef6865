//! Numbers in a grid as a picture: heights, distances, times of a wave. Each number has a colour,
//! explained by a scale next to the picture.

use super::{Anchor, Drawing, MARGIN, Mark, NUMBER, Palette, Picture, Rgb, Scale, WANTED};
use super::{between, framed};

/// The colours of the scale, from the minimum to the maximum, at equal distances; each is lighter
/// than the preceding one, so that the order is visible without colours, too.
const SCALE: [Rgb; 5] =
    [[24, 28, 84], [32, 92, 140], [40, 150, 130], [150, 196, 84], [250, 232, 110]];
/// The width of the scale, and the gap before it.
const BAR: f64 = 18.0;

/// Draws a grid with one number for each cell, row by row from the top, `width` in each row. A cell
/// with the number `nodata` is empty and has the colour of the paper.
#[must_use]
pub fn grid(
    values: &[i64],
    nodata: Option<i64>,
    width: usize,
    name: &str,
    palette: &Palette,
) -> Drawing {
    let height = values.len() / width.max(1);
    let is_there = |value: &i64| Some(*value) != nodata;
    let (least, most) = bounds(values.iter().copied().filter(is_there));
    let scale = Scale::of(height, width);
    let (n_rows, n_columns) = scale.n_pixels(height, width);
    let cells_of = |at: usize, block: usize, n: usize| at * block..(at * block + block).min(n);
    let colour_of = |row: usize, column: usize| {
        let rows = cells_of(row, scale.down.block, height);
        let columns = cells_of(column, scale.across.block, width);
        let cells = rows.flat_map(|row| columns.clone().map(move |column| row * width + column));
        // The mean: sums of 64-bit numbers need more bits.
        let (n_cells, sum) = cells
            .map(|at| values[at])
            .filter(is_there)
            .fold((0_u64, 0_i128), |(n, sum), value| (n + 1, sum + i128::from(value)));
        match n_cells {
            0 => palette.paper,
            _ => colour(share(sum as f64 / n_cells as f64, least, most)),
        }
    };
    let places = (0..n_rows).flat_map(|row| (0..n_columns).map(move |column| (row, column)));
    let pixels = places.map(|(row, column)| colour_of(row, column)).collect();
    let picture = Picture { width: n_columns, height: n_rows, pixels };
    let about = format!("`{name}` of {height} × {width}, from {least} to {most}");
    let mut drawing = framed((height, width), picture, scale, about, palette);
    add_scale(&mut drawing, least, most, palette);
    drawing
}

/// Draws a picture with a colour for each cell, given by red, green and blue from 0 to `most`.
#[must_use]
pub fn colours(channels: [&[i64]; 3], width: usize, most: i64, palette: &Palette) -> Drawing {
    let height = channels[0].len() / width.max(1);
    let scale = Scale::of(height, width);
    let (n_rows, n_columns) = scale.n_pixels(height, width);
    let level = |value: i64| (share(value as f64, 0, most) * 255.0).round() as u8;
    let places = (0..n_rows).flat_map(|row| (0..n_columns).map(move |column| (row, column)));
    let pixels = places.map(|(row, column)| {
        let at = row * scale.down.block * width + column * scale.across.block;
        channels.map(|channel| level(channel[at]))
    });
    let picture = Picture { width: n_columns, height: n_rows, pixels: pixels.collect() };
    let about = format!("a picture of {height} × {width}");
    framed((height, width), picture, scale, about, palette)
}

/// Draws points with integer coordinates, x to the right and y upwards.
#[must_use]
pub fn points(x: &[i64], y: &[i64], palette: &Palette) -> Drawing {
    let places = super::layout::fitted(x, y, WANTED as f64);
    let radius = if places.at.len() > 2000 { 1.0 } else { 2.5 };
    let marks = places.at.iter().map(|&at| Mark::Disk { at, radius, colour: palette.ink });
    let (marks, about) = (marks.collect(), format!("{} places", places.at.len()));
    let (width, height) = (places.width, places.height);
    Drawing { width, height, marks, paper: palette.paper, about }
}

/// Returns the minimum and the maximum; 0 and 0 if empty.
fn bounds(values: impl Iterator<Item = i64>) -> (i64, i64) {
    let widened = |bounds: Option<(i64, i64)>, value: i64| match bounds {
        Some((least, most)) => Some((least.min(value), most.max(value))),
        None => Some((value, value)),
    };
    values.fold(None, widened).unwrap_or((0, 0))
}

/// Returns the relative position of a number between the minimum and the maximum.
fn share(value: f64, least: i64, most: i64) -> f64 {
    let width = most as f64 - least as f64;
    if width > 0.0 { (value - least as f64) / width } else { 0.0 }
}

fn colour(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (at as usize).min(SCALE.len() - 2);
    between(SCALE[below], SCALE[below + 1], at - below as f64)
}

/// Adds the scale on the right, with the maximum on top.
fn add_scale(drawing: &mut Drawing, least: i64, most: i64, palette: &Palette) {
    let (left, top) = (drawing.width - MARGIN + BAR, MARGIN);
    let steps = 64;
    let height = (drawing.height - 2.0 * MARGIN).max(96.0);
    let pixels = (0..steps).map(|step| colour(1.0 - step as f64 / (steps - 1) as f64));
    let pixels: Vec<Rgb> = pixels.collect();
    // A strip of squares is narrow; three of them next to each other form a bar.
    let cell = height / steps as f64;
    let n_columns = (BAR / cell).ceil().max(1.0) as usize;
    let wide = pixels.iter().flat_map(|pixel| vec![*pixel; n_columns]).collect();
    let picture = Picture { width: n_columns, height: steps, pixels: wide };
    let right = left + n_columns as f64 * cell;
    drawing.marks.push(Mark::Picture { at: (left, top), cell: (cell, cell), picture });
    let number = |text: i64, y: f64| Mark::Number {
        at: (right + NUMBER / 2.0, y),
        anchor: Anchor::Start,
        size: NUMBER,
        text: text.to_string(),
        colour: palette.ink,
    };
    drawing.marks.push(number(most, top + NUMBER / 2.0));
    drawing.marks.push(number(least, top + height - NUMBER / 2.0));
    let n_digits = most.to_string().len().max(least.to_string().len());
    drawing.width = right + NUMBER * (n_digits as f64 * 0.75 + 1.0) + MARGIN / 2.0;
    drawing.height = drawing.height.max(top + height + MARGIN);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_maximum_have_the_end_colours() {
        let drawing = grid(&[3, -4, 0, 10, 2, 2], None, 3, "z", &Palette::LIGHT);
        assert_eq!(drawing.about, "`z` of 2 × 3, from -4 to 10");
        let Mark::Picture { picture, .. } = &drawing.marks[0] else { panic!("{drawing:?}") };
        assert_eq!((picture.pixels[1], picture.pixels[3]), (SCALE[0], SCALE[4]));
        let texts = drawing.marks.iter().filter_map(|mark| match mark {
            Mark::Number { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["1", "1", "3", "2", "10", "-4"]);
    }

    #[test]
    fn empty_cells_are_paper_and_ignored_by_the_scale() {
        let drawing = grid(&[3, -9, 5, -9], Some(-9), 2, "z", &Palette::LIGHT);
        assert_eq!(drawing.about, "`z` of 2 × 2, from 3 to 5");
        let Mark::Picture { picture, .. } = &drawing.marks[0] else { panic!("{drawing:?}") };
        let paper = Palette::LIGHT.paper;
        assert_eq!(picture.pixels, [SCALE[0], paper, SCALE[4], paper]);
        assert!(grid(&[-9], Some(-9), 1, "z", &Palette::LIGHT).about.ends_with("from 0 to 0"));
    }

    #[test]
    fn draws_64_bit_numbers_and_constant_grids() {
        let drawing = grid(&[i64::MIN, i64::MAX], None, 2, "z", &Palette::LIGHT);
        let Mark::Picture { picture, .. } = &drawing.marks[0] else { panic!("{drawing:?}") };
        assert_eq!(picture.pixels, [SCALE[0], SCALE[4]]);
        assert!(grid(&[7], None, 1, "z", &Palette::LIGHT).about.ends_with("from 7 to 7"));
    }

    #[test]
    fn the_scale_becomes_lighter_monotonically() {
        let light = |rgb: Rgb| {
            let [red, green, blue] = rgb.map(f64::from);
            0.299 * red + 0.587 * green + 0.114 * blue
        };
        let shades: Vec<f64> = (0..=100).map(|at| light(colour(f64::from(at) / 100.0))).collect();
        assert!(shades.windows(2).all(|pair| pair[0] < pair[1] + 0.5), "{shades:?}");
    }

    #[test]
    fn cells_have_the_given_colours() {
        let drawing = colours([&[255, 0], &[0, 0], &[0, 255]], 2, 255, &Palette::LIGHT);
        let Mark::Picture { picture, .. } = &drawing.marks[0] else { panic!("{drawing:?}") };
        assert_eq!(picture.pixels, [[255, 0, 0], [0, 0, 255]]);
    }
}
