//! A drawing as pixels. Everything is drawn at twice the size, and four pixels are averaged to one,
//! so that edges are smooth.

use super::{Anchor, Drawing, Mark, PAPER, Picture, Place, Rgb, glyphs};

/// The factor of enlargement.
const FINE: usize = 2;

/// Returns the pixels of a drawing, one for each of its units.
#[must_use]
pub fn raster(drawing: &Drawing) -> Picture {
    let (width, height) = (drawing.width.ceil() as usize, drawing.height.ceil() as usize);
    let fine = FINE as f64;
    let (columns, rows) = (width * FINE, height * FINE);
    let mut canvas = Canvas { columns, rows, pixels: vec![PAPER; columns * rows] };
    for mark in &drawing.marks {
        match mark {
            Mark::Line { from, to, width, colour } => {
                canvas.line(scaled(*from), scaled(*to), width * fine, *colour);
            }
            Mark::Disk { at, radius, colour } => canvas.disk(scaled(*at), radius * fine, *colour),
            Mark::Number { at, anchor, size, text, colour } => {
                canvas.number(scaled(*at), *anchor, size * fine, text, *colour);
            }
            Mark::Picture { at, cell, picture } => {
                canvas.picture(scaled(*at), cell * fine, picture)
            }
        }
    }
    let mean = |row: usize, column: usize| {
        let mut sums = [0_u32; 3];
        for dy in 0..FINE {
            for dx in 0..FINE {
                let pixel = canvas.pixels[(row * FINE + dy) * columns + column * FINE + dx];
                sums.iter_mut().zip(pixel).for_each(|(sum, level)| *sum += u32::from(level));
            }
        }
        sums.map(|sum| (sum / (FINE * FINE) as u32) as u8)
    };
    let places = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
    Picture { width, height, pixels: places.map(|(row, column)| mean(row, column)).collect() }
}

fn scaled((x, y): Place) -> Place {
    (x * FINE as f64, y * FINE as f64)
}

struct Canvas {
    columns: usize,
    rows: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    /// Fills the pixels from one position to another, which is excluded.
    fn rectangle(&mut self, (left, top): Place, (right, bottom): Place, colour: Rgb) {
        let bound = |at: f64, end: usize| (at.round().max(0.0) as usize).min(end);
        let columns = bound(left, self.columns)..bound(right, self.columns);
        for row in bound(top, self.rows)..bound(bottom, self.rows) {
            self.pixels[row * self.columns..][columns.clone()].fill(colour);
        }
    }

    fn disk(&mut self, (x, y): Place, radius: f64, colour: Rgb) {
        let first = (y - radius).floor() as i64;
        for row in first..=(y + radius).ceil() as i64 {
            let away = row as f64 + 0.5 - y;
            let half = radius * radius - away * away;
            if half > 0.0 {
                let half = half.sqrt();
                self.rectangle((x - half, row as f64), (x + half, row as f64 + 1.0), colour);
            }
        }
    }

    fn line(&mut self, from: Place, to: Place, width: f64, colour: Rgb) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt();
        let n_steps = (length * 2.0).ceil().max(1.0) as usize;
        let half = width / 2.0;
        for step in 0..=n_steps {
            let share = step as f64 / n_steps as f64;
            let (x, y) = (from.0 + dx * share, from.1 + dy * share);
            self.rectangle((x - half, y - half), (x + half, y + half), colour);
        }
    }

    fn number(&mut self, (x, y): Place, anchor: Anchor, size: f64, text: &str, colour: Rgb) {
        let dot = (size / glyphs::HEIGHT as f64).max(1.0);
        let step = (glyphs::WIDTH + 1) as f64 * dot;
        let width = text.chars().count() as f64 * step - dot;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let top = y - glyphs::HEIGHT as f64 * dot / 2.0;
        for (idx, character) in text.chars().enumerate() {
            for (row, column) in glyphs::dots(character) {
                let x = left + idx as f64 * step + column as f64 * dot;
                let y = top + row as f64 * dot;
                self.rectangle((x, y), (x + dot, y + dot), colour);
            }
        }
    }

    fn picture(&mut self, (left, top): Place, cell: f64, picture: &Picture) {
        for (idx, pixel) in picture.pixels.iter().enumerate() {
            let (row, column) = (idx / picture.width, idx % picture.width);
            let (x, y) = (left + column as f64 * cell, top + row as f64 * cell);
            self.rectangle((x, y), (x + cell, y + cell), *pixel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{INK, MARKED};
    use super::*;

    fn drawn(marks: Vec<Mark>) -> Picture {
        raster(&Drawing { width: 20.0, height: 10.0, marks, about: String::new() })
    }

    #[test]
    fn marks_are_drawn_at_their_positions() {
        let line = Mark::Line { from: (2.0, 5.0), to: (18.0, 5.0), width: 2.0, colour: INK };
        let disk = Mark::Disk { at: (10.0, 5.0), radius: 3.0, colour: MARKED };
        let picture = drawn(vec![line, disk]);
        assert_eq!((picture.width, picture.height, picture.pixels.len()), (20, 10, 200));
        let at = |x: usize, y: usize| picture.pixels[y * 20 + x];
        assert_eq!((at(4, 5), at(10, 5), at(10, 3)), (INK, MARKED, MARKED));
        assert_eq!((at(0, 0), at(10, 9), at(19, 5)), (PAPER, PAPER, PAPER));
    }

    #[test]
    fn marks_are_clipped_to_the_sheet() {
        let line = Mark::Line { from: (-50.0, -50.0), to: (50.0, 50.0), width: 3.0, colour: INK };
        let disk = Mark::Disk { at: (30.0, 30.0), radius: 5.0, colour: INK };
        let number = Mark::Number {
            at: (0.0, 0.0),
            anchor: Anchor::End,
            size: 9.0,
            text: "12".to_owned(),
            colour: INK,
        };
        assert!(drawn(vec![line, disk, number]).pixels.contains(&INK));
    }

    #[test]
    fn cells_are_squares_and_numbers_have_their_dots() {
        let picture = Picture { width: 2, height: 1, pixels: vec![INK, MARKED] };
        let cells = drawn(vec![Mark::Picture { at: (1.0, 1.0), cell: 4.0, picture }]);
        let count = |picture: &Picture, colour| {
            picture.pixels.iter().filter(|pixel| **pixel == colour).count()
        };
        assert_eq!((count(&cells, INK), count(&cells, MARKED)), (16, 16));
        let number = |text: &str| Mark::Number {
            // Each dot is a whole pixel at this size.
            at: (10.0, 5.5),
            anchor: Anchor::Start,
            size: 7.0,
            text: text.to_owned(),
            colour: INK,
        };
        let dots = super::glyphs::dots('7').count();
        assert_eq!(count(&drawn(vec![number("7")]), INK), dots);
    }
}
