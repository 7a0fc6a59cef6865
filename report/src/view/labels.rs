//! Positions of texts next to their disks, away from lines and from each other.

use super::{Anchor, Place};

/// The width of a character, as a share of the height of its text.
const ASPECT: f64 = 0.62;
/// The distance between a text and its disk.
const GAP: f64 = 2.0;

/// A rectangle: left, top, right and bottom.
type Area = [f64; 4];

/// The texts and lines of a drawing, which further texts should not cover.
pub(super) struct Labels {
    lines: Vec<(Place, Place)>,
    areas: Vec<Area>,
    /// The sheet.
    sheet: Area,
}

/// A text next to a disk.
pub(super) struct Label<'a> {
    /// The centre of the disk.
    pub(super) at: Place,
    /// Its radius.
    pub(super) radius: f64,
    /// The text.
    pub(super) text: &'a str,
    /// The height of the text.
    pub(super) size: f64,
}

impl Labels {
    /// Starts without texts, with the lines of a sheet of this width and height.
    pub(super) fn new(lines: Vec<(Place, Place)>, width: f64, height: f64) -> Self {
        Labels { lines, areas: Vec::new(), sheet: [0.0, 0.0, width, height] }
    }

    /// Adds a disk, which no text should cover.
    pub(super) fn add_disk(&mut self, (x, y): Place, radius: f64) {
        self.areas.push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Returns the position of a text: where it covers the least, below its disk if that is free.
    pub(super) fn place(&mut self, label: &Label<'_>) -> (Place, Anchor) {
        let Label { at: (x, y), radius, text, size } = *label;
        let width = text.chars().count() as f64 * size * ASPECT;
        let (away, slant) = (radius + GAP, radius * 0.7 + GAP);
        let (below, above) = (y + away + size / 2.0, y - away - size / 2.0);
        let candidates = [
            ((x, below), Anchor::Middle),
            ((x, above), Anchor::Middle),
            ((x + away, y), Anchor::Start),
            ((x - away, y), Anchor::End),
            ((x + slant, y + slant + size / 2.0), Anchor::Start),
            ((x + slant, y - slant - size / 2.0), Anchor::Start),
            ((x - slant, y + slant + size / 2.0), Anchor::End),
            ((x - slant, y - slant - size / 2.0), Anchor::End),
        ];
        let area = |(place, anchor): (Place, Anchor)| -> Area {
            let left = match anchor {
                Anchor::Start => place.0,
                Anchor::Middle => place.0 - width / 2.0,
                Anchor::End => place.0 - width,
            };
            [left, place.1 - size / 2.0, left + width, place.1 + size / 2.0]
        };
        let costs = candidates.map(|candidate| self.cost(area(candidate)));
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let chosen = costs.iter().position(|cost| *cost <= least).unwrap_or(0);
        self.areas.push(area(candidates[chosen]));
        candidates[chosen]
    }

    /// Returns a measure of what a text in this area covers.
    fn cost(&self, area: Area) -> f64 {
        let n_crossed = self.lines.iter().filter(|line| crosses(**line, area)).count();
        let covered: f64 = self.areas.iter().map(|other| overlap(area, *other)).sum();
        let size = overlap(area, area).max(1.0);
        let outside = 1.0 - overlap(area, self.sheet) / size;
        n_crossed as f64 + 20.0 * covered / size + 40.0 * outside
    }
}

/// Returns the size of the common area.
fn overlap(one: Area, other: Area) -> f64 {
    let width = one[2].min(other[2]) - one[0].max(other[0]);
    let height = one[3].min(other[3]) - one[1].max(other[1]);
    width.max(0.0) * height.max(0.0)
}

/// Tests whether a part of a line is inside an area.
fn crosses((from, to): (Place, Place), [left, top, right, bottom]: Area) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    let sides =
        [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)];
    for (step, distance) in sides {
        if step == 0.0 && distance < 0.0 {
            return false;
        }
        if step < 0.0 {
            start = start.max(distance / step);
        } else if step > 0.0 {
            end = end.min(distance / step);
        }
    }
    start <= end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_areas_that_they_enter() {
        let area = [10.0, 10.0, 20.0, 20.0];
        assert!(crosses(((0.0, 15.0), (30.0, 15.0)), area));
        assert!(crosses(((12.0, 12.0), (13.0, 13.0)), area));
        assert!(!crosses(((0.0, 5.0), (30.0, 5.0)), area));
        assert!(!crosses(((0.0, 15.0), (5.0, 15.0)), area));
        assert!(!crosses(((0.0, 19.0), (12.0, 31.0)), area));
        assert!(!crosses(((5.0, 0.0), (5.0, 30.0)), area));
    }

    #[test]
    fn texts_avoid_lines_disks_and_each_other() {
        let label = |at: Place| Label { at, radius: 5.0, text: "Rotterdam", size: 8.0 };
        let mut free = Labels::new(Vec::new(), 400.0, 400.0);
        assert_eq!(free.place(&label((200.0, 200.0))), ((200.0, 211.0), Anchor::Middle));
        // A second text at the same disk stands above it.
        assert_eq!(free.place(&label((200.0, 200.0))), ((200.0, 189.0), Anchor::Middle));
        let down = vec![((200.0, 0.0), (200.0, 400.0))];
        let mut right = Labels::new(down, 400.0, 400.0);
        assert_eq!(right.place(&label((200.0, 200.0))).1, Anchor::Start);
        // At the right edge of the sheet, it stands to the left.
        let mut at_edge = Labels::new(Vec::new(), 400.0, 400.0);
        assert_eq!(at_edge.place(&label((398.0, 200.0))).1, Anchor::End);
    }
}
