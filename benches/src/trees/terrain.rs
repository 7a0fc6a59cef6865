//! A mesh of a terrain that follows a viewpoint: what it takes to make, and for each frame.

use std::time::Instant;

use star_intrinsics::terrain::{GridSize, Mesh};
use star_io::{Data, Decimal, Format, ReadOptions, Shape};

use super::{ended, median};
use crate::say::say;

/// Frames along the diagonal.
const FRAMES: i32 = 120;

/// `FILE [ARRAY [THREADS]]`: heights in any format that holds a grid.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let [file, rest @ ..] = args else { return Err("terrain takes a file of heights".to_owned()) };
    let array = rest.first().map(String::as_str).filter(|array| !array.is_empty());
    let threads = rest.get(1).map_or(Ok(1), |text| text.parse()).map_err(|_| "threads")?;
    let (size @ [width, height], samples) = heights(file, array)?;
    let environment = super::workers(threads)?;
    let grid = GridSize::new(size).map_err(|error| error.to_string())?;
    let range = samples.iter().max().copied().unwrap_or(0);
    let bits = (range.ilog2() + 1) as usize;
    say!("{width} × {height} samples, heights to {range}; {threads} threads, {FRAMES} frames");
    say!(
        "{:>6} {:>5} {:>9} {:>11} {:>9} {:>13} {:>8} {:>11}",
        "eps",
        "near",
        "init ms",
        "frame ms",
        "worst",
        "changes/frame",
        "batches",
        "triangles"
    );
    for bound @ [eps, near] in [[20, 0], [5, 0], [5, 40], [2, 40], [1, 100]] {
        let start = Instant::now();
        let mut mesh = Mesh::new(grid, samples.clone(), bits, bound, &environment)
            .map_err(|error| error.to_string())?;
        let init = start.elapsed().as_secs_f64() * 1e3;
        let (mut times, mut changes, mut batches) = (Vec::new(), 0, 0);
        for frame in 0..FRAMES {
            let along = |side: usize| (side as i32 - 1) * frame / (FRAMES - 1);
            let start = Instant::now();
            loop {
                let [splits, merges] =
                    mesh.step([along(width), along(height)], &environment).map_err(ended)?;
                batches += 1;
                changes += splits + merges;
                if splits + merges == 0 {
                    break;
                }
            }
            // The first frame comes from far away.
            if frame > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        let worst = times.iter().copied().fold(0.0, f64::max);
        let n_triangles = mesh.triangles(&environment).map_err(ended)?.len();
        let frames = f64::from(FRAMES);
        say!(
            "{eps:>6} {near:>5} {init:>9.1} {:>11.3} {worst:>9.3} {:>13.0} {:>8.1} {n_triangles:>11}",
            median(times),
            changes as f64 / frames,
            f64::from(batches) / frames
        );
    }
    Ok(())
}

/// Samples in a row, rows, and the samples less the least one.
fn heights(file: &str, array: Option<&str>) -> Result<([usize; 2], Vec<u32>), String> {
    let mut input = std::fs::File::open(file).map_err(|error| format!("{file}: {error}"))?;
    let format = Format::of_path(file).ok_or("the name does not say the format")?;
    let mut options = ReadOptions::new(file, 1 << 34);
    options.part = array;
    options.scale = Some(Decimal::from(1));
    let loaded = star_io::read(format, &mut input, &mut options).map_err(|e| e.to_string())?;
    let Data::Numbers(numbers) = loaded.data else { return Err("no grid of heights".to_owned()) };
    let (Shape::Grid { height, width }, [field, ..]) = (numbers.shape, numbers.fields.as_slice())
    else {
        return Err("no grid of heights".to_owned());
    };
    let least = field.values.iter().min().copied().unwrap_or(0);
    let sample = |&value: &i64| u32::try_from(value - least).map_err(|_| "a height of 32 bits");
    let samples = field.values.iter().map(sample).collect::<Result<Vec<u32>, _>>()?;
    Ok(([width, height], samples))
}
