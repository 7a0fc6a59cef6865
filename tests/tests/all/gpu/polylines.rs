//! Polylines on an adapter: results equal those of the reference and of the CPU backend.

use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::Argument;
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run};
use crate::polyline::{SCRIPT, arguments};

/// An image of noise, of some steps from dark to light, or of one grey, where all scores are equal.
#[derive(Clone, Copy, Debug)]
enum Picture {
    Noise,
    Steps,
    Plain,
}

fn image(random: &mut Random, [width, height]: [usize; 2], picture: Picture) -> Vec<u64> {
    let step = 1 + random.below(30);
    let pixels = (0..width * height).map(|at| match picture {
        Picture::Noise => random.below(256) as u64,
        Picture::Steps => ((at % width * step + at / width * 7) % 256) as u64,
        Picture::Plain => 7,
    });
    pixels.collect()
}

/// Ends of this number of segments, as far from each other as the image allows: those of some
/// leave guides partly outside.
fn segments(random: &mut Random, [width, height]: [usize; 2], n: usize) -> Vec<[u64; 4]> {
    let mut all = Vec::new();
    while all.len() < n {
        let mut end = || [1 + random.below(width) as u64, 1 + random.below(height) as u64];
        let ([ax, ay], [bx, by]) = (end(), end());
        if (ax, ay) != (bx, by) {
            all.push([ax, ay, bx, by]);
        }
    }
    all
}

#[test]
fn polylines_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(21);
    // Smoothings, nodes, points, width, and angle. The first ones admit no polyline: no point of an
    // even number is on the segment.
    use Picture::{Noise, Plain, Steps};
    let cases = [
        (Noise, [2, 1], 1, [0, 4, 2, 3, 0]),
        (Steps, [9, 4], 2, [0, 3, 4, 5, 0]),
        (Noise, [9, 7], 3, [0, 3, 3, 2, 0]),
        (Plain, [8, 8], 3, [1, 5, 5, 4, 0]),
        (Noise, [7, 12], 1, [2, 6, 3, 9, 20]),
        (Plain, [12, 7], 3, [0, 5, 6, 9, 45]),
        (Steps, [6, 6], 2, [3, 4, 7, 30, 90]),
        (Noise, [11, 10], 1, [0, 7, 4, 6, 130]),
        (Plain, [10, 11], 3, [0, 4, 6, 8, 180]),
        (Noise, [3, 9], 1, [1, 3, 9, 20, 180]),
    ];
    for (picture, size, n, numbers) in cases {
        let pixels = image(&mut random, size, picture);
        let ends = segments(&mut random, size, n);
        let found = agree(&program, &compiled, &arguments(size[0], &pixels, &ends, numbers));
        for found in &found[1..] {
            assert_eq!(found.stats.intrinsics, 1, "{size:?} {:?}", found.stats);
            assert!(found.stats.counters.grid_kernels > 5, "{:?}", found.stats);
        }
    }
}

/// No request, and guides completely outside the image.
#[test]
fn missing_requests_and_points_are_answers() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let pixels = image(&mut Random::new(22), [5, 2], Picture::Noise);
    // Two points at the ends of a guide of 40 pixels.
    let far = [[1, 1, 5, 1], [5, 2, 1, 2]];
    for (ends, numbers) in [(&[][..], [0, 4, 5, 9, 45]), (&far, [0, 4, 2, 40, 180])] {
        let found = agree(&program, &compiled, &arguments(5, &pixels, ends, numbers));
        for found in &found[1..] {
            assert_eq!(found.stats.intrinsics, 1, "{:?}", found.stats);
        }
    }
}

/// Several blocks of rows, workgroups and groups of requests; windows of one row to all.
#[test]
fn polylines_of_many_points_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(23);
    let pictures = [Picture::Noise, Picture::Noise, Picture::Plain, Picture::Steps];
    for round in 0..24 {
        let size = [40 + random.below(60), 40 + random.below(60)];
        let (n, limit) = (1 + random.below(4), [0, 5, 12, 30, 45, 100, 180][round % 7]);
        let [n_nodes, n_points] = [4 + random.below(5), 33 + random.below(60)].map(|n| n as i64);
        let across = 5 + random.below(90) as i64;
        let pixels = image(&mut random, size, pictures[round % 4]);
        let ends = segments(&mut random, size, n);
        let numbers = [round as i64 % 3, n_nodes, n_points, across, limit];
        // The smallest sizes need thousands of dispatches.
        let machines = &compiled[..if round % 8 == 1 { 3 } else { 2 }];
        let found = agree(&program, machines, &arguments(size[0], &pixels, &ends, numbers));
        for found in &found {
            assert_eq!(found.stats.intrinsics, 1, "{size:?} {:?}", found.stats);
            assert!(found.stats.counters.grid_kernels >= 9, "{:?}", found.stats);
        }
    }
}

/// The greatest lengths of links: sums over their pixels have more than 32 bits.
#[test]
fn long_links_have_the_scores_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let size = [4200, 300];
    let pixels = image(&mut Random::new(24), size, Picture::Noise);
    for ends in [[1, 150, 4200, 151], [4000, 300, 20, 1]] {
        let numbers = [0, 4, 5, 299, 170];
        let found = agree(&program, &compiled, &arguments(size[0], &pixels, &[ends], numbers));
        assert_eq!(found[0].stats.intrinsics, 1, "{:?}", found[0].stats);
    }
}

#[test]
fn invalid_requests_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu-tiny"]) else { return };
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines[1..]);
    let pixels = [7; 20];
    for (width, ends, n_points) in
        [(5, [0, 1, 5, 4], 3), (5, [2, 2, 2, 2], 3), (5, [1, 1, 5, 4], 1), (3, [1, 1, 3, 3], 3)]
    {
        let args = arguments(width, &pixels, &[ends], [0, 4, n_points, 4, 180]);
        let found = compiled[0].run(program.entry("TRY"), &args, Limits { steps: None, ..LIMITS });
        assert!(matches!(found.outcome, Outcome::Trap(_)), "{:?}", found.outcome);
        assert_eq!(found.stats.intrinsics, 0);
        assert_eq!(found.stats.counters.declined(Declined::Guard), 1, "{:?}", found.stats);
    }
}

/// Memory for the image but not for the links.
#[test]
fn refused_memory_is_reported_and_leaves_a_usable_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let run = |n_points: i64| {
        let args = arguments(5, &[7; 20], &[[1, 1, 5, 4]], [0, 4, n_points, 400, 45]);
        let limits = Limits { memory: Some(1 << 20), steps: Some(1 << 16), ..LIMITS };
        compiled[0].run(program.entry("TRY"), &args, limits)
    };
    let refused = run(4000);
    assert!(matches!(refused.outcome, Outcome::Limit { .. }), "{:?}", refused.outcome);
    assert_eq!(refused.stats.counters.declined(Declined::Memory), 1, "{:?}", refused.stats);
    let done = run(40);
    assert_eq!(done.outcome, Outcome::Done);
    assert_eq!(done.stats.intrinsics, 1, "{:?}", done.stats);
}

#[test]
fn many_smoothings_are_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let args = |n: i64| arguments(5, &[7; 20], &[[1, 1, 5, 4]], [n, 4, 3, 4, 45]);
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &args(1), LIMITS).outcome, Outcome::Done);
    let args = args(u32::MAX.into());
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert!(stats.counters.grid_kernels > 256, "{stats:?}");
}
