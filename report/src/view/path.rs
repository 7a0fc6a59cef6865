//! A path over a grid: a line through the centres of cells, with its start and its goal.

use super::labels::{Label, Labels};
use super::{Drawing, Mark, NUMBER, Palette, Place, Rgb, Scale};

/// Minimum width of the line.
const LEAST_WIDTH: f64 = 2.0;
/// Width of the border of the line, which separates it from the cells.
const BORDER: f64 = 1.5;

/// Tests whether a cell is inside a grid: x counts columns and y rows from the top, both from 1.
#[must_use]
pub fn is_on_grid((height, width): (usize, usize), (x, y): (i64, i64)) -> bool {
    let inside = |at: i64, n: usize| at >= 1 && usize::try_from(at).is_ok_and(|at| at <= n);
    inside(x, width) && inside(y, height)
}

/// Adds a path to the drawing of a grid of this height and width. Its cells are [on the
/// grid](is_on_grid); the first one is the start, the last one the goal.
pub fn add_path(
    drawing: &mut Drawing,
    (height, width): (usize, usize),
    cells: &[(i64, i64)],
    palette: &Palette,
) {
    let Scale { across, down } = Scale::of(height, width);
    let Palette { ink, paper, marked, .. } = *palette;
    let corner = drawing.marks.iter().find_map(|mark| match mark {
        Mark::Picture { at, .. } => Some(*at),
        Mark::Line { .. } | Mark::Disk { .. } | Mark::Triangle { .. } | Mark::Number { .. } => None,
    });
    let Some((left, top)) = corner else { return };
    let centre = |&(x, y): &(i64, i64)| -> Place {
        (left + (x as f64 - 0.5) * across.side(), top + (y as f64 - 0.5) * down.side())
    };
    let side = across.side().min(down.side());
    let places: Vec<Place> = cells.iter().map(centre).collect();
    let line = (side * 0.25).max(LEAST_WIDTH);
    for (width, colour) in [(line + 2.0 * BORDER, paper), (line, marked)] {
        let steps =
            places.windows(2).map(|step| Mark::Line { from: step[0], to: step[1], width, colour });
        drawing.marks.extend(steps);
    }
    let radius = (side * 0.4).max(NUMBER * 0.4);
    let steps = places.windows(2).map(|step| (step[0], step[1])).collect();
    let mut labels = Labels::new(steps, drawing.width, drawing.height);
    let goal = places.get(1..).and_then(<[_]>::last);
    let ends = [(places.first(), paper, "start"), (goal, marked, "goal")];
    for &at in ends.iter().filter_map(|(at, ..)| *at) {
        labels.add_disk(at, radius + BORDER);
    }
    let mut end = |at: Place, inner: Rgb, text: &str| {
        for (radius, colour) in [(radius + BORDER, paper), (radius, marked), (radius * 0.5, inner)]
        {
            drawing.marks.push(Mark::Disk { at, radius, colour });
        }
        let (place, anchor) =
            labels.place(&Label { at, radius: radius + BORDER, text, size: NUMBER });
        // The text is readable on dark and on light cells.
        let label = |at: Place, colour: Rgb| Mark::Number {
            at,
            anchor,
            size: NUMBER,
            text: text.to_owned(),
            colour,
        };
        for (dx, dy) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            drawing.marks.push(label((place.0 + dx, place.1 + dy), paper));
        }
        drawing.marks.push(label(place, ink));
    };
    for (at, inner, text) in ends {
        if let Some(&at) = at {
            end(at, inner, text);
        }
    }
    let n_steps = cells.len().saturating_sub(1);
    drawing.about += &format!(", with a path of {}", star_base::text::count(n_steps, "step"));
}

#[cfg(test)]
mod tests {
    use super::super::grid;
    use super::*;

    const LIGHT: &Palette = &Palette::LIGHT;
    const INK: Rgb = Palette::LIGHT.ink;
    const MARKED: Rgb = Palette::LIGHT.marked;

    #[test]
    fn paths_lead_through_the_centres_of_cells() {
        let mut drawing = grid(&[1; 40 * 24], None, 40, "map", LIGHT);
        let (size, cells) = ((24, 40), [(1, 1), (2, 1), (3, 2)]);
        assert!(cells.iter().all(|cell| is_on_grid(size, *cell)));
        let n_before = drawing.marks.len();
        add_path(&mut drawing, size, &cells, LIGHT);
        assert!(drawing.about.ends_with(", with a path of 2 steps"), "{}", drawing.about);
        // A cell has 18 units; the picture begins at (54,40).
        let lines: Vec<(Place, Place)> = drawing.marks[n_before..]
            .iter()
            .filter_map(|mark| match mark {
                Mark::Line { from, to, colour: MARKED, .. } => Some((*from, *to)),
                _ => None,
            })
            .collect();
        assert_eq!(lines, [((63.0, 49.0), (81.0, 49.0)), ((81.0, 49.0), (99.0, 67.0))]);
        let texts = drawing.marks[n_before..].iter().filter_map(|mark| match mark {
            Mark::Number { text, colour: INK, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["start", "goal"]);
    }

    #[test]
    fn cells_outside_are_found_and_short_paths_have_no_goal() {
        for (cell, inside) in [
            ((1, 1), true),
            ((4, 3), true),
            ((0, 1), false),
            ((5, 1), false),
            ((1, 4), false),
            ((-1, 2), false),
            ((i64::MAX, 1), false),
        ] {
            assert_eq!(is_on_grid((3, 4), cell), inside, "{cell:?}");
        }
        let mut drawing = grid(&[1; 12], None, 4, "map", LIGHT);
        add_path(&mut drawing, (3, 4), &[(2, 2)], LIGHT);
        let is_goal = |mark: &Mark| matches!(mark, Mark::Number { text, .. } if text == "goal");
        assert!(!drawing.marks.iter().any(is_goal));
        add_path(&mut drawing, (3, 4), &[], LIGHT);
    }
}
