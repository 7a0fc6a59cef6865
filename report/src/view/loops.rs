//! Arcs from a vertex to itself, as circles at its disk.

use super::Place;

/// The corners of a circle.
const CORNERS: usize = 24;

/// A loop at a vertex.
pub(super) struct Loop {
    /// The places along it, outside the disk of its vertex.
    pub(super) places: Vec<Place>,
    /// The end farthest from the vertex, for its weight.
    pub(super) top: Place,
    /// The direction of that end.
    pub(super) towards: Place,
}

/// Returns the `nth` loop of a vertex, which points into this direction, a vector of length 1.
pub(super) fn ring(at: Place, radius: f64, towards: Place, nth: usize) -> Loop {
    let own = radius.clamp(4.0, 8.0) + 3.0 * (nth.min(2) as f64);
    let centre = along(at, towards, radius + own * 0.6);
    let start = libm::atan2(-towards.1, -towards.0);
    let corner = |idx: usize| {
        let angle = start + idx as f64 * std::f64::consts::TAU / CORNERS as f64;
        (centre.0 + own * libm::cos(angle), centre.1 + own * libm::sin(angle))
    };
    let is_outside = |place: &Place| {
        let (dx, dy) = (place.0 - at.0, place.1 - at.1);
        (dx * dx + dy * dy).sqrt() > radius + 1.0
    };
    let places = (0..=CORNERS).map(corner).filter(is_outside).collect();
    Loop { places, top: along(at, towards, radius + own * 1.6), towards }
}

/// Returns the place at a distance in a direction.
pub(super) fn along(at: Place, (dx, dy): Place, distance: f64) -> Place {
    (at.0 + dx * distance, at.1 + dy * distance)
}

/// Returns the direction in which a vertex has the most room: away from its neighbours, upwards if
/// it has none.
pub(super) fn free_direction(at: Place, neighbours: &[Place]) -> Place {
    let sum = neighbours.iter().fold((0.0, 0.0), |sum, other| {
        let (dx, dy) = (at.0 - other.0, at.1 - other.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-6);
        (sum.0 + dx / length, sum.1 + dy / length)
    });
    let length = (sum.0 * sum.0 + sum.1 * sum.1).sqrt();
    match length > 1e-3 {
        true => (sum.0 / length, sum.1 / length),
        false => (0.0, -1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_outside_of_their_disk_and_away_from_neighbours() {
        let at = (100.0, 100.0);
        let towards = free_direction(at, &[(100.0, 200.0), (90.0, 190.0)]);
        assert!(towards.1 < -0.9, "{towards:?}");
        for nth in 0..3 {
            let ring = ring(at, 10.0, towards, nth);
            assert!(ring.places.len() > CORNERS / 2);
            for place in &ring.places {
                let (dx, dy) = (place.0 - at.0, place.1 - at.1);
                assert!((dx * dx + dy * dy).sqrt() > 11.0);
                assert!(place.1 < 105.0, "{place:?}");
            }
            assert!(ring.top.1 < 85.0);
        }
        assert_eq!(free_direction(at, &[]), (0.0, -1.0));
    }
}
