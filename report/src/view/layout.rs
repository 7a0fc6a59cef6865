//! Layout of the vertices of a graph: at coordinates, or with neighbours near each other.

use super::{MARGIN, Place};

/// Positions on a sheet.
pub(super) struct Places {
    /// One for each vertex.
    pub(super) at: Vec<Place>,
    /// The width of the sheet.
    pub(super) width: f64,
    /// Its height.
    pub(super) height: f64,
}

/// Scales coordinates, x to the right and y upwards, so that the longer side is `wanted`.
pub(super) fn fitted(x: &[i64], y: &[i64], wanted: f64) -> Places {
    let at = x.iter().zip(y).map(|(&x, &y)| (x as f64, -(y as f64))).collect();
    fit(at, wanted)
}

fn fit(mut at: Vec<Place>, wanted: f64) -> Places {
    let bound = |of: fn(&Place) -> f64, pick: fn(f64, f64) -> f64| {
        at.iter().map(of).reduce(pick).unwrap_or(0.0)
    };
    let (left, right) = (bound(|at| at.0, f64::min), bound(|at| at.0, f64::max));
    let (top, bottom) = (bound(|at| at.1, f64::min), bound(|at| at.1, f64::max));
    let longest = (right - left).max(bottom - top);
    let scale = if longest > 0.0 { wanted / longest } else { 1.0 };
    for place in &mut at {
        *place = (MARGIN + (place.0 - left) * scale, MARGIN + (place.1 - top) * scale);
    }
    let width = (right - left) * scale + 2.0 * MARGIN;
    Places { at, width, height: (bottom - top) * scale + 2.0 * MARGIN }
}

/// Iterations of the force-directed layout.
const ITERATIONS: usize = 300;

/// Computes positions for the vertices of a graph without coordinates: neighbours attract and all
/// others repel each other, starting on a circle in the order of their numbers (Fruchterman and
/// Reingold, 1991). The layout is deterministic.
pub(super) fn sprung(n_vertices: usize, arcs: &[(usize, usize)], wanted: f64) -> Places {
    let angle = |vertex: usize| vertex as f64 * std::f64::consts::TAU / n_vertices.max(1) as f64;
    let mut at: Vec<Place> = (0..n_vertices)
        .map(|vertex| (libm::sin(angle(vertex)), -libm::cos(angle(vertex))))
        .collect();
    let ideal = 1.8 / (n_vertices.max(1) as f64).sqrt();
    for iteration in 0..ITERATIONS {
        let farthest = 0.2 * (1.0 - iteration as f64 / ITERATIONS as f64);
        let mut pushed = vec![(0.0, 0.0); n_vertices];
        let mut push = |vertex: usize, by: Place| {
            pushed[vertex].0 += by.0;
            pushed[vertex].1 += by.1;
        };
        for one in 0..n_vertices {
            for other in 0..one {
                let (dx, dy, distance) = towards(at[other], at[one]);
                let force = ideal * ideal / distance;
                push(one, (dx * force, dy * force));
                push(other, (-dx * force, -dy * force));
            }
            // Unconnected components would drift apart indefinitely.
            let (dx, dy, distance) = towards(at[one], (0.0, 0.0));
            push(one, (dx * distance * 0.15, dy * distance * 0.15));
        }
        for &(one, other) in arcs.iter().filter(|(one, other)| one != other) {
            let (dx, dy, distance) = towards(at[one], at[other]);
            let force = distance * distance / ideal;
            push(one, (dx * force, dy * force));
            push(other, (-dx * force, -dy * force));
        }
        for (place, (dx, dy)) in at.iter_mut().zip(pushed) {
            let length = (dx * dx + dy * dy).sqrt();
            let step = if length > 0.0 { length.min(farthest) / length } else { 0.0 };
            *place = (place.0 + dx * step, place.1 + dy * step);
        }
    }
    let mut places = fit(at, wanted);
    spread(&mut places.at, ROOM * wanted);
    fit(places.at, wanted)
}

/// Minimum distance between vertices, as a share of the longer side.
const ROOM: f64 = 0.045;

/// Moves vertices of dense clusters apart, until all have this distance; ends after a number of
/// iterations where there is no room.
fn spread(at: &mut [Place], least: f64) {
    for _ in 0..ITERATIONS {
        let mut is_done = true;
        for one in 0..at.len() {
            for other in 0..one {
                let (dx, dy, distance) = towards(at[other], at[one]);
                if distance < least {
                    is_done = false;
                    let half = (least - distance) / 2.0 + 1e-3;
                    at[one] = (at[one].0 + dx * half, at[one].1 + dy * half);
                    at[other] = (at[other].0 - dx * half, at[other].1 - dy * half);
                }
            }
        }
        if is_done {
            return;
        }
    }
}

/// Returns the direction from one position to another, and their distance, which is never 0.
fn towards(from: Place, to: Place) -> (f64, f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let distance = (dx * dx + dy * dy).sqrt().max(1e-6);
    (dx / distance, dy / distance, distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_everything_is_on_the_sheet() {
        let places = fitted(&[0, 100, 50], &[0, 0, 40], 200.0);
        let tops: Vec<f64> = places.at.iter().map(|at| at.1).collect();
        assert!(tops[2] < tops[0] && tops[0] == tops[1]);
        assert_eq!((places.width, places.height), (200.0 + 2.0 * MARGIN, 80.0 + 2.0 * MARGIN));
        let alone = fitted(&[5], &[5], 200.0);
        assert_eq!(alone.at, [(MARGIN, MARGIN)]);
    }

    #[test]
    fn neighbours_are_nearer_than_other_vertices() {
        // Two triangles connected by one arc.
        let arcs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
        let places = sprung(6, &arcs, 400.0);
        let distance = |one: usize, other: usize| towards(places.at[one], places.at[other]).2;
        assert!(distance(0, 1) < distance(0, 4) && distance(3, 5) < distance(1, 5));
        let inside = |&(x, y): &Place| x >= MARGIN && y >= MARGIN && x <= places.width;
        assert!(places.at.iter().all(inside));
        assert_eq!(sprung(0, &[], 400.0).at.len(), 0);
    }

    #[test]
    fn dense_clusters_have_room_for_their_disks() {
        // Ten vertices with all arcs among them, and a long tail.
        let arcs: Vec<(usize, usize)> = (0..10)
            .flat_map(|one| (0..one).map(move |other| (one, other)))
            .chain((10..20).map(|vertex| (vertex - 1, vertex)))
            .collect();
        let places = sprung(20, &arcs, 720.0);
        let distances = (0..20).flat_map(|one| (0..one).map(move |other| (one, other)));
        let least = distances
            .map(|(one, other)| towards(places.at[one], places.at[other]).2)
            .fold(f64::INFINITY, f64::min);
        assert!(least > 22.0, "{least}");
    }
}
