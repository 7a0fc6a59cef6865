//! A point of the plane, in integer units (source 004: centimetres).

/// A point of the plane, in integer units (source 004: centimetres).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Point {
    /// The greatest coordinate; its negative is the smallest. Squares of distances stay below 2⁶³.
    pub const GREATEST: i32 = (1 << 30) - 1;

    /// Creates a point, unless a coordinate is out of range.
    pub fn new(x: i64, y: i64) -> Option<Point> {
        let one = |c: i64| i32::try_from(c).ok().filter(|c| c.unsigned_abs() <= 1 << 30);
        let (x, y) = (one(x)?, one(y)?);
        (x.abs() <= Point::GREATEST && y.abs() <= Point::GREATEST).then_some(Point { x, y })
    }

    /// The first coordinate.
    pub fn x(self) -> i32 {
        self.x
    }

    /// The second coordinate.
    pub fn y(self) -> i32 {
        self.y
    }

    /// The square of the distance.
    pub fn distance_squared(self, other: Point) -> u64 {
        let one = |a: i32, b: i32| u64::from(a.abs_diff(b)).pow(2);
        one(self.x, other.x) + one(self.y, other.y)
    }
}

/// All points with coordinates from those of one corner to those of the other, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    low: Point,
    high: Point,
}

impl Rect {
    /// All points.
    pub const EVERYWHERE: Rect = Rect {
        low: Point { x: -Point::GREATEST, y: -Point::GREATEST },
        high: Point { x: Point::GREATEST, y: Point::GREATEST },
    };

    /// The rectangle between two corners, in any order.
    pub fn new(one: Point, other: Point) -> Rect {
        Rect {
            low: Point { x: one.x.min(other.x), y: one.y.min(other.y) },
            high: Point { x: one.x.max(other.x), y: one.y.max(other.y) },
        }
    }

    /// The points whose coordinates each differ by at most `distance`.
    pub fn around(centre: Point, distance: u32) -> Rect {
        let reach = i64::from(distance);
        let clamp =
            |c: i64| c.clamp(-i64::from(Point::GREATEST), i64::from(Point::GREATEST)) as i32;
        let (x, y) = (i64::from(centre.x), i64::from(centre.y));
        Rect {
            low: Point { x: clamp(x - reach), y: clamp(y - reach) },
            high: Point { x: clamp(x + reach), y: clamp(y + reach) },
        }
    }

    /// The smallest rectangle that contains all the points, or `None` without points.
    pub fn bounding(points: impl IntoIterator<Item = Point>) -> Option<Rect> {
        points.into_iter().map(|point| Rect { low: point, high: point }).reduce(|all, one| Rect {
            low: Point { x: all.low.x.min(one.low.x), y: all.low.y.min(one.low.y) },
            high: Point { x: all.high.x.max(one.high.x), y: all.high.y.max(one.high.y) },
        })
    }

    /// The corner with the smallest coordinates.
    pub fn low(self) -> Point {
        self.low
    }

    /// The corner with the greatest coordinates.
    pub fn high(self) -> Point {
        self.high
    }

    /// Returns whether the point is in the rectangle or on its border.
    #[inline]
    pub fn holds(self, point: Point) -> bool {
        // One comparison per axis: a coordinate below the low one wraps to a large number. No
        // branch, since hits are unpredictable.
        let x =
            point.x.wrapping_sub(self.low.x) as u32 <= self.high.x.wrapping_sub(self.low.x) as u32;
        let y =
            point.y.wrapping_sub(self.low.y) as u32 <= self.high.y.wrapping_sub(self.low.y) as u32;
        x & y
    }
}
