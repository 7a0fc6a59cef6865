//! Density picture of the objects: brightness is logarithmic in their number; the outlines of
//! queries are drawn on top. The second coordinate points up.

use star_intrinsics::moving::{Point, Query, Rect};
use star_io::{Field, Numbers, Shape};

/// Length of the longer side in pixels.
const SIDE: u32 = 900;
/// Maximum number of queries drawn: more would hide the objects.
const MOST_QUERIES: usize = 500;
/// Colours from no object to the maximum per pixel.
const COLOURS: [[u8; 3]; 5] =
    [[8, 8, 16], [40, 40, 130], [190, 50, 90], [250, 170, 50], [255, 255, 220]];
/// The colour of queries.
const OUTLINE: [u8; 3] = [80, 240, 200];

/// Conversion from coordinates to pixels.
struct Canvas {
    area: Rect,
    width: usize,
    height: usize,
    /// Units per pixel.
    unit: u64,
}

impl Canvas {
    fn new(area: Rect) -> Canvas {
        let (low, high) = (area.low(), area.high());
        let (w, h) = (high.x().abs_diff(low.x()), high.y().abs_diff(low.y()));
        let unit = u64::from(w.max(h) / SIDE) + 1;
        let side = |length: u32| (u64::from(length) / unit) as usize + 1;
        Canvas { area, width: side(w), height: side(h), unit }
    }

    /// Returns the column and row of a point; a point outside is clamped.
    fn pixel(&self, at: Point) -> (usize, usize) {
        let low = self.area.low();
        let along = |c: i32, low: i32, n: usize| {
            let from_low = (i64::from(c) - i64::from(low)).max(0) as u64;
            ((from_low / self.unit) as usize).min(n - 1)
        };
        let row = self.height - 1 - along(at.y(), low.y(), self.height);
        (along(at.x(), low.x(), self.width), row)
    }
}

/// Draws the picture.
pub(super) fn draw(area: Option<Rect>, objects: &[Point], queries: &[Query]) -> Numbers {
    let canvas = Canvas::new(extent(area, objects));
    let mut counts = vec![0u32; canvas.width * canvas.height];
    for &at in objects {
        let (column, row) = canvas.pixel(at);
        counts[row * canvas.width + column] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut pixels: Vec<[u8; 3]> = counts.iter().map(|&count| colour(count, most)).collect();
    for query in queries.iter().take(MOST_QUERIES) {
        let (left, bottom) = canvas.pixel(query.range.low());
        let (right, top) = canvas.pixel(query.range.high());
        for column in left..=right {
            pixels[top * canvas.width + column] = OUTLINE;
            pixels[bottom * canvas.width + column] = OUTLINE;
        }
        for row in top..=bottom {
            pixels[row * canvas.width + left] = OUTLINE;
            pixels[row * canvas.width + right] = OUTLINE;
        }
    }
    let fields = ["red", "green", "blue"].iter().enumerate().map(|(idx, name)| {
        Field::new(*name, Some(8), pixels.iter().map(|pixel| pixel[idx].into()).collect())
    });
    let shape = Shape::Grid { height: canvas.height, width: canvas.width };
    Numbers { shape, fields: fields.collect() }
}

/// Returns the smallest rectangle that contains the area and all objects.
fn extent(area: Option<Rect>, objects: &[Point]) -> Rect {
    let corners = area.into_iter().flat_map(|area| [area.low(), area.high()]);
    let origin = Rect::new(Point::default(), Point::default());
    Rect::bounding(corners.chain(objects.iter().copied())).unwrap_or(origin)
}

/// Returns the colour of `count` objects if the maximum per pixel is `most`.
fn colour(count: u32, most: u32) -> [u8; 3] {
    let level = f64::from(count).ln_1p() / f64::from(most.max(1)).ln_1p();
    let place = level * (COLOURS.len() - 1) as f64;
    let idx = (place as usize).min(COLOURS.len() - 2);
    let share = place - idx as f64;
    let mix = |channel: usize| {
        let [one, other] = [idx, idx + 1].map(|idx| f64::from(COLOURS[idx][channel]));
        (one + (other - one) * share).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_coordinate_points_up() {
        let corner = |x, y| Point::new(x, y).unwrap();
        let canvas = Canvas::new(Rect::new(corner(0, 0), corner(1799, 899)));
        assert_eq!((canvas.width, canvas.height, canvas.unit), (900, 450, 2));
        assert_eq!(canvas.pixel(corner(0, 0)), (0, 449));
        assert_eq!(canvas.pixel(corner(1799, 899)), (899, 0));
        assert_eq!(canvas.pixel(corner(-5, 10_000)), (0, 0));
    }

    #[test]
    fn more_objects_are_brighter() {
        let sums: Vec<u32> = [0, 1, 5, 40, 100]
            .map(|count| colour(count, 100).iter().map(|&c| u32::from(c)).sum())
            .to_vec();
        assert!(sums.is_sorted_by(|one, next| one < next), "{sums:?}");
        assert_eq!((colour(0, 0), colour(100, 100)), (COLOURS[0], COLOURS[4]));
    }
}
