//! Random tables, heights and images.

use star_io::generate::{Blocks, Country, NoisyCurve, RandomTable, Terrain};
use star_io::{Numbers, Shape};
use star_value::BitTable;

use super::{CURVE, near, options};

#[test]
fn numbers_of_a_field_are_uniform() {
    let table = RandomTable { n_rows: 64_000, widths: vec![3, 1, 2], density: None };
    let table = table.generate(&mut options(1)).unwrap();
    assert_eq!((table.n_rows(), table.n_cols()), (64_000, 6));
    let mut counts = [[0.0; 8]; 2];
    for row in 0..64_000 {
        let bit = |col| usize::from(table.get(row, col));
        counts[0][bit(0) * 4 + bit(1) * 2 + bit(2)] += 1.0;
        // Adjacent bits of different fields are also independent.
        counts[1][bit(2) * 4 + bit(3) * 2 + bit(4)] += 1.0;
    }
    for count in counts.into_iter().flatten() {
        near(count, 8000.0, 7000.0f64.sqrt());
    }
}

#[test]
fn tables_have_the_requested_density() {
    for n_rows in [0, 1, 63, 64, 65, 5000] {
        for density in [0.0, 0.01, 0.5, 0.7, 1.0] {
            let table = RandomTable { n_rows, widths: vec![20, 20], density: Some(density) };
            let table = table.generate(&mut options(2)).unwrap();
            let n = (n_rows * 40) as f64;
            near(table.count_ones() as f64, n * density, (n * density * (1.0 - density)).sqrt());
            // There are no bits beyond the rows.
            let n_counted = (0..40).map(|col| table.column(col).iter().filter(|bit| *bit).count());
            assert_eq!(n_counted.sum::<usize>() as u64, table.count_ones());
        }
    }
}

fn values(numbers: &Numbers) -> &[i64] {
    assert_eq!(numbers.fields.len(), 1);
    assert_eq!(numbers.fields[0].values.len(), numbers.shape.n_records());
    &numbers.fields[0].values
}

#[test]
fn heights_fill_the_range_of_their_bits() {
    for size_log2 in 0..=7 {
        for bits in [1, 8, 32] {
            let terrain = Terrain { size_log2, roughness: 0.5, bits };
            let numbers = terrain.generate(&mut options(3)).unwrap();
            let side = (1 << size_log2) + 1;
            assert_eq!(numbers.shape, Shape::Grid { height: side, width: side });
            assert_eq!(numbers.fields[0].bits, Some(bits as usize));
            let heights = values(&numbers);
            let range = (heights.iter().min(), heights.iter().max());
            assert_eq!(range, (Some(&0), Some(&((1 << bits) - 1))));
        }
    }
}

#[test]
fn rough_terrain_has_greater_steps() {
    let mean_step = |roughness: f64| {
        let terrain = Terrain { size_log2: 8, roughness, bits: 16 };
        let numbers = terrain.generate(&mut options(4)).unwrap();
        let steps = values(&numbers)
            .chunks(257)
            .flat_map(|row| row.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
        steps.sum::<i64>() as f64 / (257.0 * 256.0)
    };
    let steps = [0.0, 0.25, 0.5, 0.75, 1.0].map(mean_step);
    assert!(steps.is_sorted_by(|a, b| a * 1.5 < *b), "{steps:?}");
    // Soft hills: neighbours in a row of 257 differ by a few thousandths of the range; rock: by a
    // large part.
    assert!(steps[0] < 65_536.0 * 0.02 && steps[4] > 65_536.0 * 0.05, "{steps:?}");
}

/// The first and last row of the ones of a column, which must be contiguous.
fn run(mask: &BitTable, col: usize) -> (usize, usize) {
    let rows: Vec<usize> = (0..mask.n_rows()).filter(|&row| mask.get(row, col)).collect();
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
        panic!("the curve is not in column {col}")
    };
    assert_eq!(rows.len(), last - first + 1, "a gap in column {col}");
    (first, last)
}

#[test]
fn curve_runs_from_border_to_border_without_gaps() {
    for thickness in [1, 2, 5, 30, 90] {
        for bends in [1, 3, 12] {
            for seed in 0..5 {
                let curve = NoisyCurve { thickness, bends, ..CURVE };
                let made = curve.generate(&mut options(seed)).unwrap();
                let mask = &made.mask;
                assert_eq!((mask.n_rows(), mask.n_cols()), (90, 200));
                let runs: Vec<(usize, usize)> = (0..200).map(|col| run(mask, col)).collect();
                let touch = |a: (usize, usize), b: (usize, usize)| a.0 <= b.1 + 1 && b.0 <= a.1 + 1;
                assert!(runs.windows(2).all(|pair| touch(pair[0], pair[1])));
                let thinnest = runs.iter().map(|(first, last)| last - first + 1).min();
                assert!(thinnest >= Some((thickness as usize).saturating_sub(1).max(1)));
            }
        }
    }
}

#[test]
fn noise_has_the_expected_mean_and_deviation() {
    let curve = NoisyCurve { height: 300, width: 300, line: 150, ground: 100, noise: 12, ..CURVE };
    let made = curve.generate(&mut options(7)).unwrap();
    let pixels = values(&made.image);
    for (on_curve, gray) in [(true, 150.0), (false, 100.0)] {
        let all = pixels.iter().enumerate();
        let of_part = all.filter(|(idx, _)| made.mask.get(idx / 300, idx % 300) == on_curve);
        let of_part: Vec<f64> = of_part.map(|(_, &pixel)| pixel as f64).collect();
        let n = of_part.len() as f64;
        let mean = of_part.iter().sum::<f64>() / n;
        near(mean, gray, 12.0 / n.sqrt());
        let variance = of_part.iter().map(|pixel| (pixel - mean).powi(2)).sum::<f64>() / n;
        near(variance, 144.0 + 1.0 / 12.0, 144.0 * (2.0 / n).sqrt());
    }
    let still = NoisyCurve { noise: 0, ..curve }.generate(&mut options(7)).unwrap();
    assert_eq!(still.mask, made.mask);
    for (idx, &pixel) in values(&still.image).iter().enumerate() {
        assert_eq!(pixel, if made.mask.get(idx / 300, idx % 300) { 150 } else { 100 });
    }
    let loud = NoisyCurve { noise: 255, ..curve }.generate(&mut options(7)).unwrap();
    assert!(values(&loud.image).iter().all(|pixel| (0..=255).contains(pixel)));
}

/// Pairs of neighbours of a grid: the first to the left of the second, or above it.
fn neighbours(height: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..height * width).flat_map(move |cell| {
        let right = ((cell + 1) % width != 0).then_some((cell, cell + 1));
        let down = (cell + width < height * width).then_some((cell, cell + width));
        [right, down].into_iter().flatten()
    })
}

#[test]
fn transitions_are_blocked_by_probability_and_at_the_border() {
    for impassable in [0.0, 0.3, 1.0] {
        let blocks = Blocks { height: 90, width: 110, impassable };
        let made = blocks.generate(&mut options(2)).unwrap();
        let [right, down] = &made.open.fields[..] else { panic!("{:?}", made.open.shape) };
        assert_eq!((right.name.as_str(), down.name.as_str()), ("right", "down"));
        let is_open = |(a, b): (usize, usize)| match b - a {
            1 => right.values[a] == 1,
            _ => down.values[a] == 1,
        };
        let n_all = neighbours(90, 110).count() as f64;
        let n_open = neighbours(90, 110).filter(|&pair| is_open(pair)).count();
        let n_ones = [right, down].map(|field| field.values.iter().sum::<i64>() as usize);
        assert_eq!(n_ones[0] + n_ones[1], n_open, "none leads over the border");
        assert_eq!(made.n_blocked, n_all as u64 - n_open as u64);
        let sigma = (n_all * impassable * (1.0 - impassable)).sqrt();
        assert!((made.n_blocked as f64 - n_all * impassable).abs() <= 5.0 * sigma);
    }
}

#[test]
fn country_threshold_blocks_the_closest_possible_share() {
    for (height, width, bits) in [(1, 1, 8), (1, 40, 8), (33, 33, 3), (50, 70, 16), (64, 20, 32)] {
        for impassable in [0.0, 0.1, 0.425, 0.6, 1.0] {
            let country = Country { height, width, impassable, roughness: 0.7, bits };
            let made = country.generate(&mut options(6)).unwrap();
            let heights = &made.heights.fields[0].values;
            let (height, width) = (height as usize, width as usize);
            assert_eq!(made.heights.shape, Shape::Grid { height, width });
            let differences: Vec<u64> =
                neighbours(height, width).map(|(a, b)| heights[a].abs_diff(heights[b])).collect();
            let blocked = |threshold| differences.iter().filter(|&&d| d >= threshold).count();
            assert_eq!(made.n_blocked, blocked(made.threshold) as u64);
            let wanted = (impassable * differences.len() as f64).round() as u64;
            let miss = |threshold| (blocked(threshold) as u64).abs_diff(wanted);
            let all = differences.iter().flat_map(|&difference| [difference, difference + 1]);
            let least = all.map(miss).min().unwrap_or(0);
            assert_eq!(miss(made.threshold), least, "{height} x {width}, {bits} bits");
        }
    }
}
