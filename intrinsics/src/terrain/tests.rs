//! Tests of meshes against the definition, by vertices and edges alone, independent of the mesher.

use std::collections::HashMap;

use super::{GridSize, Mesh, MeshError, Point};
use crate::cbt::tests::{one, some};
use crate::cbt::{Heap, Tree};
use crate::environment::Environment;
use star_base::Random;

/// Hills, a cliff and noise.
fn hills(width: usize, height: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut samples = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let (fx, fy) = (x as f64 / 9.0, y as f64 / 7.0);
            let hill = 400.0 + 200.0 * (fx.sin() + fy.cos()) + f64::from(x > width / 2) * 90.0;
            samples.push(hill as u32 + random.below(5) as u32);
        }
    }
    samples
}

/// Checks the invariants of every mesh: inner edges belong to two triangles, the others are on the
/// border, the area is that of the grid, and no sample is missed by more than its tolerance.
fn check(
    triangles: &[[Point; 3]],
    [width, height]: [usize; 2],
    samples: &[u32],
    tolerated: &dyn Fn(Point) -> f64,
) {
    let mut edges: HashMap<[Point; 2], i32> = HashMap::new();
    let mut area = 0;
    let mut is_covered = vec![false; width * height];
    for &[a, b, c] in triangles {
        let [u, v] = [[b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]];
        let double = i64::from(u[0]) * i64::from(v[1]) - i64::from(u[1]) * i64::from(v[0]);
        assert!(double > 0, "a triangle that is turned over");
        area += double;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // Both directions of an inner edge, each once.
            assert_eq!(edges.insert([from, to], 1), None, "an edge of two triangles on one side");
        }
        let z = |[x, y]: Point| f64::from(samples[y as usize * width + x as usize]);
        let bounds = |axis: usize| {
            let all = [a[axis], b[axis], c[axis]];
            all.into_iter().min().unwrap()..=all.into_iter().max().unwrap()
        };
        for y in bounds(1) {
            for x in bounds(0) {
                // The point as a + s·u + t·v.
                let [dx, dy] = [i64::from(x - a[0]), i64::from(y - a[1])];
                let s = dx * i64::from(v[1]) - dy * i64::from(v[0]);
                let t = dy * i64::from(u[0]) - dx * i64::from(u[1]);
                if s < 0 || t < 0 || s + t > double {
                    continue;
                }
                is_covered[y as usize * width + x as usize] = true;
                let (s, t) = (s as f64 / double as f64, t as f64 / double as f64);
                let plane = z(a) + s * (z(b) - z(a)) + t * (z(c) - z(a));
                let error = (plane - z([x, y])).abs();
                assert!(error <= tolerated([x, y]) + 1e-6, "({x}, {y}): {error}");
            }
        }
    }
    assert_eq!(area, 2 * (width as i64 - 1) * (height as i64 - 1), "twice the area");
    assert!(is_covered.iter().all(|&covered| covered));
    let far = [width as i32 - 1, height as i32 - 1];
    for &[from, to] in edges.keys() {
        let is_border = (0..2)
            .any(|axis| from[axis] == to[axis] && (from[axis] == 0 || from[axis] == far[axis]));
        let has_other_side = edges.contains_key(&[to, from]);
        assert_ne!(is_border, has_other_side, "{from:?} to {to:?}");
    }
}

/// A mesh of 10-bit heights, with a tolerance and the distance from which it grows.
fn mesh_of(
    size: [usize; 2],
    samples: &[u32],
    bound: [u32; 2],
    environment: &dyn Environment,
) -> Mesh {
    let samples = samples.to_vec();
    Mesh::new(GridSize::new(size).unwrap(), samples, 10, bound, environment).unwrap()
}

fn settle(mesh: &mut Mesh, viewpoint: Point, environment: &dyn Environment) -> [usize; 2] {
    let mut all = [0; 2];
    loop {
        let [splits, merges] = mesh.step(viewpoint, environment).unwrap();
        if [splits, merges] == [0; 2] {
            return all;
        }
        all = [all[0] + splits, all[1] + merges];
    }
}

fn corners(mesh: &Mesh, environment: &dyn Environment) -> Vec<[Point; 3]> {
    mesh.triangles(environment).unwrap().iter().map(|triangle| triangle.corners).collect()
}

#[test]
fn meshes_respect_the_bound_everywhere() {
    let environment = some(2);
    for (width, height) in [(2, 2), (3, 3), (2, 9), (17, 17), (33, 20), (40, 65), (70, 51)] {
        let samples = hills(width, height, 1);
        let mut counts = Vec::new();
        for tolerance in [0, 1, 7, 40, 100_000] {
            let size = [width, height];
            let mut mesh = mesh_of(size, &samples, [tolerance, 0], &environment);
            settle(&mut mesh, [0, 0], &environment);
            let triangles = corners(&mesh, &environment);
            check(&triangles, size, &samples, &|_| f64::from(tolerance));
            counts.push(triangles.len());
        }
        assert!(counts.is_sorted_by(|more, fewer| more >= fewer), "{counts:?}");
        assert!(counts[0] <= 2 * (width - 1) * (height - 1));
        // As coarse as possible: two triangles.
        if width == height && (width - 1).is_power_of_two() {
            assert_eq!(counts[4], 2);
        }
    }
}

#[test]
fn meshes_follow_a_viewpoint_and_stay_conforming() {
    let environment = some(3);
    let size @ [width, height] = [65, 50];
    let samples = hills(width, height, 2);
    let (tolerance, near) = (3, 6);
    let mut mesh = mesh_of(size, &samples, [tolerance, near], &environment);
    let mut n_changed = [0; 2];
    for frame in 0..60 {
        let viewpoint = [frame * 66 / 60, 10 + frame / 2];
        loop {
            let [splits, merges] = mesh.step(viewpoint, &environment).unwrap();
            check(&corners(&mesh, &environment), size, &samples, &|_| f64::INFINITY);
            if [splits, merges] == [0; 2] {
                break;
            }
            n_changed = [n_changed[0] + splits, n_changed[1] + merges];
        }
        let tolerated = |[x, y]: Point| {
            let distance = f64::from(x - viewpoint[0]).hypot(f64::from(y - viewpoint[1]));
            f64::from(tolerance) * (distance / f64::from(near)).max(1.0)
        };
        let triangles = corners(&mesh, &environment);
        check(&triangles, size, &samples, &tolerated);
        // It equals the mesh that is built from scratch.
        let mut anew = mesh_of(size, &samples, [tolerance, near], &environment);
        settle(&mut anew, viewpoint, &environment);
        assert!(anew.tree().bits() == mesh.tree().bits(), "frame {frame}");
    }
    assert!(n_changed[0] > 500 && n_changed[1] > 300, "{n_changed:?}");
}

#[test]
fn threads_build_the_same_mesh() {
    let samples = hills(100, 120, 3);
    let heaps = [one(), &some(4)].map(|environment| {
        let mut mesh = mesh_of([100, 120], &samples, [2, 20], environment);
        let mut heaps = Vec::new();
        for viewpoint in [[0, 0], [50, 60], [200, -70]] {
            settle(&mut mesh, viewpoint, environment);
            let mut heap = Heap::zeros(mesh.tree().depth()).unwrap();
            heap.pack(mesh.tree(), environment).unwrap();
            heaps.push(heap.limbs().to_vec());
        }
        heaps
    });
    assert!(heaps[0] == heaps[1]);
}

#[test]
fn rejects_grids_with_fewer_than_two_samples() {
    let most = GridSize::MAX_SIDE + 1;
    for (width, height) in [(0, 0), (1, 1), (1, 5), (5, 1), (0, 7), (2, most + 1)] {
        assert_eq!(GridSize::new([width, height]), Err(MeshError::Size { width, height }));
    }
    assert!(GridSize::new([2, usize::MAX]).is_err());
    let largest = GridSize::new([most, most]).unwrap();
    assert_eq!(largest.depth().levels(), 29);
    assert!(Tree::most_bytes(largest.depth()) < Mesh::most_bytes(largest, 8));
}
