//! Module `terrain`: its Star texts and its intrinsics produce the same meshes and images, and
//! invalid calls are rejected.

use std::collections::BTreeSet;

use star_io::{Data, Decimal, Format, ReadOptions, Shape};
use star_tests::backends::{have_intrinsics, on};
use star_tests::case::{Random, traps};
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Table, Value};
use star_vm::{Limits, Outcome};

use crate::cbt::same_everywhere;

/// Three viewpoints, one far away.
const SCRIPT: &str = "import \"star:terrain\";
procedure TRY(w: integer; Z: table; eps,near,s: integer; var sum: integer; var T,P,A: table);
var H: handle; i,a,b: integer;
begin
  TERRAIN_INIT(w,Z,eps,near,H);
  TERRAIN_MESH(H,A);
  sum:=0;
  for i:=0 to 2 do
  begin
    repeat
      TERRAIN_STEP(i*w,2*i*i,H,a,b);
      sum:=3*sum+7*a+11*b;
    until a+b=0;
  end;
  TERRAIN_STEP(1,1,H,a,b);
  TERRAIN_MESH(H,T);
  TERRAIN_PICTURE(H,s,3,P);
end;";

#[test]
fn star_texts_and_intrinsics_build_the_same_mesh() {
    let program = Program::new(SCRIPT);
    let mut random = Random::new(14);
    let mut n_taken = 0;
    for (width, height) in [(2, 2), (3, 5), (5, 3), (9, 9), (12, 7)] {
        for [tolerance, near, scale] in [[0, 0, 1], [2, 1, 2], [1, 3, 3], [200, 0, 1]] {
            let columns: Vec<BitVector> =
                (0..7).map(|_| BitVector::from_bools(&random.bits(width * height, 20))).collect();
            let unset = Value::Unset;
            let args = [
                Value::Int(width as i64),
                Value::from(BitTable::from_columns(width * height, &columns)),
                Value::Int(tolerance),
                Value::Int(near),
                Value::Int(scale),
                unset.clone(),
                unset.clone(),
                unset.clone(),
                unset,
            ];
            same_everywhere(&program, &args, &mut n_taken);
        }
    }
    assert!(n_taken > 20 * 8 || !have_intrinsics(), "{n_taken}");
}

#[test]
fn invalid_terrains_trap_at_the_offending_call() {
    for (n, calls, message) in [
        (1, "TERRAIN_INIT(1,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(0,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(-3,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(9223372036854775807,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(4,Z,0,0,H)", "2 to 16385 rows of samples"),
        (5, "TERRAIN_INIT(2,Z,0,0,H)", "the samples are no rows of w"),
        (4, "TERRAIN_INIT(2,Z,-1,0,H)", "eps is from 0"),
        (4, "TERRAIN_INIT(2,Z,0,-1,H)", "near is from 0"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_STEP(4194305,0,H,a,b)", "a viewpoint is from"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_PICTURE(H,0,1,P)", "1 to 64 pixels"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_PICTURE(H,1,0,P)", "1 to 65536 units"),
    ] {
        let text = format!(
            "import \"star:terrain\"; program P;
            var H: handle; Z: table({n},3); P: table; a,b: integer;
            begin Z(1,1):=1; {calls}; end."
        );
        let trap = traps(&text);
        assert!(trap.starts_with("T0111"), "{calls}: {trap}");
        assert!(trap.contains(message), "{calls}: {trap}");
        assert!(trap.contains(" 3:"), "{calls}: {trap}");
    }
}

/// Frames of a viewpoint that moves along the diagonal; the triangles of the last one, and all
/// changes.
const FRAMES: &str = "import \"star:terrain\";
procedure TRY(w: integer; Z: table; eps,near,frames: integer; var splits,merges: integer; var T: table);
var H: handle; f,a,b,x,y: integer;
begin
  TERRAIN_INIT(w,Z,eps,near,H);
  splits:=0; merges:=0;
  for f:=1 to frames do
  begin
    x:=f*w div 60; y:=f*(rows(Z) div w) div 60;
    repeat
      TERRAIN_STEP(x,y,H,a,b);
      splits:=splits+a; merges:=merges+b;
    until a+b=0;
  end;
  TERRAIN_MESH(H,T);
end;";

/// Loads the heights of an elevation model of the shared folder, in whole units, and the samples of
/// a row.
#[expect(clippy::print_stdout, reason = "says which models were not there")]
fn model(file: &str, array: &str) -> Option<(Vec<i64>, usize)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/data/terrain")
        .join(file);
    let Ok(mut input) = std::fs::File::open(&path) else {
        println!("skipped: no {file}");
        return None;
    };
    let mut options = ReadOptions::new(file, 1 << 30);
    options.part = Some(array);
    options.scale = Some(Decimal::from(1));
    let loaded = star_io::read(Format::Npz, &mut input, &mut options).expect("heights");
    let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
    let Shape::Grid { width, .. } = numbers.shape else { panic!("no grid") };
    let least = numbers.fields[0].values.iter().min().copied().expect("samples");
    Some((numbers.fields[0].values.iter().map(|z| z - least).collect(), width))
}

/// Asserts that every inner edge belongs to two triangles, the others are on the border, the area
/// is that of the grid, and the error at each sample is within its tolerance, computed from the
/// corners alone.
fn check(table: &Table, heights: &[i64], width: usize, tolerated: &dyn Fn(i64, i64) -> f64) {
    let bits = table.n_cols() / 3;
    let height = heights.len() / width;
    let (mut edges, mut area, mut is_covered) = (BTreeSet::new(), 0, vec![false; width * height]);
    for row in 0..table.n_rows() {
        let corners = [0, 1, 2].map(|corner| {
            let number = (0..bits).fold(0, |number, bit| {
                number << 1 | usize::from(table.get(row, corner * bits + bit))
            }) - 1;
            [(number % width) as i64, (number / width) as i64]
        });
        let [a, b, c] = corners;
        let side = |from: [i64; 2], to: [i64; 2], [x, y]: [i64; 2]| {
            (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
        };
        let double = side(a, b, c);
        assert!(double > 0, "a triangle that is turned over");
        area += double;
        for edge in [[a, b], [b, c], [c, a]] {
            assert!(edges.insert(edge), "two triangles on one side of {edge:?}");
        }
        let z = |[x, y]: [i64; 2]| heights[y as usize * width + x as usize];
        let range = |axis: usize| {
            let of = corners.map(|corner| corner[axis]);
            of.into_iter().min().unwrap_or(0)..=of.into_iter().max().unwrap_or(0)
        };
        for y in range(1) {
            for x in range(0) {
                let weights = [side(b, c, [x, y]), side(c, a, [x, y]), side(a, b, [x, y])];
                if weights.iter().any(|&weight| weight < 0) {
                    continue;
                }
                is_covered[y as usize * width + x as usize] = true;
                let plane = weights[0] * z(a) + weights[1] * z(b) + weights[2] * z(c);
                let error = (plane - double * z([x, y])).abs() as f64 / double as f64;
                assert!(error <= tolerated(x, y) + 1e-9, "({x}, {y}): {error}");
            }
        }
    }
    let far = [width as i64 - 1, height as i64 - 1];
    assert_eq!(area, 2 * far[0] * far[1], "twice the area");
    assert!(is_covered.iter().all(|&covered| covered));
    for &[from, to] in &edges {
        let is_border = (0..2)
            .any(|axis| from[axis] == to[axis] && (from[axis] == 0 || from[axis] == far[axis]));
        assert_ne!(is_border, edges.contains(&[to, from]), "{from:?} to {to:?}");
    }
}

#[test]
fn the_elevation_models_satisfy_the_bound_in_every_frame() {
    let program = Program::new(FRAMES);
    let entry = program.entry("TRY");
    let cpu = on("cpu", star_vm::Cpu::new());
    let compiled = program.compile_on(&[cpu]);
    for (file, array, eps) in
        [("jacksboro_fault_dem.npz", "elevation", 8), ("topobathy.npz", "topo", 25)]
    {
        let Some((heights, width)) = model(file, array) else { continue };
        let bits = (heights.iter().max().copied().unwrap_or(1).ilog2() + 1) as usize;
        let column = |place: usize| {
            let bit = |z: &i64| z >> (bits - 1 - place) & 1 == 1;
            BitVector::from_bools(&heights.iter().map(bit).collect::<Vec<bool>>())
        };
        let columns: Vec<BitVector> = (0..bits).map(column).collect();
        let z = BitTable::from_columns(heights.len(), &columns);
        for (near, frames) in [(0, 1), (30, 1), (30, 20), (30, 60)] {
            let unset = Value::Unset;
            let args = [
                Value::Int(width as i64),
                Value::from(z.clone()),
                Value::Int(eps),
                Value::Int(near),
                Value::Int(frames),
                unset.clone(),
                unset.clone(),
                unset,
            ];
            // A limit on steps would disable intrinsics.
            let free = Limits { steps: None, ..LIMITS };
            let run = compiled[0].run(entry, &args, free);
            assert_eq!(run.outcome, Outcome::Done, "{file}, {frames} frames");
            assert!(run.stats.intrinsics > 0);
            let [Value::Int(splits), Value::Int(merges), Value::Table(triangles)] =
                &run.values[5..]
            else {
                panic!("{:?}", &run.values[5..7]);
            };
            let height = (heights.len() / width) as i64;
            let viewpoint = [frames * width as i64 / 60, frames * height / 60];
            check(triangles, &heights, width, &|x, y| {
                let distance = ((x - viewpoint[0]) as f64).hypot((y - viewpoint[1]) as f64);
                let farther = if near == 0 { 1.0 } else { (distance / near as f64).max(1.0) };
                eps as f64 * farther
            });
            assert!(frames == 1 || (*splits > 100 && *merges > 20), "{splits}, {merges}");
        }
    }
}
