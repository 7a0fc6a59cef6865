//! The serial kernels of the CPU backend at every level that this machine runs: nanoseconds a call,
//! and bytes read and written per nanosecond (GB/s), next to the speed of reading alone.

use std::hint::black_box;
use std::time::Instant;

use star_ir::{LogicOp, Sense};
use star_vm::kernels::{Columns, Kernels, Level};

use crate::say::say;

/// Seconds that a sample takes at least.
const SAMPLE: f64 = 0.0005;

/// Samples of which the fastest counts: others share the machine.
const N_SAMPLES: usize = 9;

/// Nanoseconds of one call.
fn time(mut work: impl FnMut()) -> f64 {
    let mut sample = |n: u64| {
        let start = Instant::now();
        for _ in 0..n {
            work();
        }
        start.elapsed().as_secs_f64()
    };
    let mut n = 1;
    while sample(n) < SAMPLE && n < 1 << 30 {
        n *= 2;
    }
    let best = (0..N_SAMPLES).map(|_| sample(n)).fold(f64::INFINITY, f64::min);
    best / n as f64 * 1e9
}

/// The truth table of `and`.
const AND: u8 = 0b1000;

/// A line: the kernel's name, and time and speed at each level.
struct Report<'a> {
    levels: &'a [Kernels],
    only: &'a str,
    n_bits: usize,
}

impl Report<'_> {
    fn line(&self, name: &str, n_bytes: usize, mut work: impl FnMut(&Kernels)) {
        if !name.contains(self.only) {
            return;
        }
        let mut line = format!("{name:22} {:>10}", self.n_bits);
        for kernels in self.levels {
            let ns = time(|| work(kernels));
            line += &format!(" {ns:12.1} {:7.1}", n_bytes as f64 / ns);
        }
        say!("{line}");
    }
}

/// Limbs that look random.
fn noise(n: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..n).map(|_| next()).collect()
}

/// Prints the figures of the kernels whose name contains `only`, up to `max_bits`.
pub(crate) fn run(max_bits: usize, only: &str) {
    let levels: Vec<Kernels> = Level::supported().into_iter().filter_map(Kernels::at).collect();
    let mut head = format!("{:22} {:>10}", "", "bits");
    for kernels in &levels {
        head += &format!(" {:>9} ns {:>7}", kernels.level().name(), "GB/s");
    }
    say!("{head}");
    let sizes = [64, 256, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    for n_bits in sizes.into_iter().filter(|&n_bits| n_bits <= max_bits) {
        let report = Report { levels: &levels, only, n_bits };
        whole(&report);
        tables(&report);
    }
}

fn whole(report: &Report<'_>) {
    let len = report.n_bits;
    let n = len.div_ceil(64);
    let bytes = 8 * n;
    let mut a = noise(n, 1);
    let (mut b, mut c) = (noise(n, 2), noise(n, 3));
    for limbs in [&mut a, &mut b, &mut c] {
        star_value::bits::zero_tail(limbs, len);
    }
    // Written once: memory that never was is one page of zeros again and again.
    let mut zeros = noise(n, 1);
    black_box(&mut zeros).fill(0);
    let mut ones = vec![!0; n];
    star_value::bits::zero_tail(&mut ones, len);
    let copy = a.clone();
    let mut dst = vec![0; n];
    report.line("read (sum)", bytes, |_| {
        black_box(black_box(&a).iter().fold(0, |sum: u64, limb| sum.wrapping_add(*limb)));
    });
    report.line("copy (memcpy)", 2 * bytes, |_| black_box(&mut dst).copy_from_slice(black_box(&a)));
    report
        .line("logic_assign", 3 * bytes, |k| k.logic_assign(LogicOp::Xor, black_box(&mut dst), &b));
    report.line("lut2", 3 * bytes, |k| k.lut2(AND, black_box(&mut dst), &a, &b, len));
    report.line("lut2_assign", 3 * bytes, |k| k.lut2_assign(4, black_box(&mut dst), &b, len));
    report.line("lut3, majority", 4 * bytes, |k| {
        k.lut3(0b1110_1000, black_box(&mut dst), &a, &b, &c, len);
    });
    report.line("not", 2 * bytes, |k| k.not(black_box(&mut dst), &a, len));
    report.line("fill", bytes, |k| k.fill(black_box(&mut dst), true, len));
    report.line("mask", bytes, |k| k.mask(black_box(&mut dst), len, len / 4..len / 2));
    report.line("count", bytes, |k| {
        black_box(k.count(black_box(&a)));
    });
    report.line("all (ones)", bytes, |k| {
        black_box(k.all(black_box(&ones), len));
    });
    report.line("first (zeros)", bytes, |k| {
        black_box(k.first_from(black_box(&zeros), 0));
    });
    report.line("equal", 2 * bytes, |k| {
        black_box(k.equal(black_box(&a), &copy));
    });
    report.line("compare", 2 * bytes, |k| {
        black_box(k.compare(black_box(&a), &copy));
    });
    report.line("count_lut2", 2 * bytes, |k| {
        black_box(k.count_lut2(AND, black_box(&a), &b));
    });
    report.line("first_lut2 (no)", 2 * bytes, |k| {
        black_box(k.first_lut2(AND, black_box(&a), &zeros));
    });
    report.line("shift_up 5", 2 * bytes, |k| k.shift_up(black_box(&mut dst), &a, len, 5));
    report.line("shift_down 5", 2 * bytes, |k| k.shift_down(black_box(&mut dst), &a, len, 5));
    report.line("rotate 1/3", 2 * bytes, |k| k.rotate(black_box(&mut dst), &a, len, len / 3));
    report.line("mirror", 2 * bytes, |k| k.mirror(black_box(&mut dst), &a, len));
    report.line("shuffle", 2 * bytes, |k| k.shuffle(black_box(&mut dst), &a, len, 0));
    report.line("copy_bits 3 to 5", 2 * bytes, |k| {
        k.copy_bits(black_box(&mut dst), 5, &a, 3, len.saturating_sub(8));
    });
    if len <= 1_000_000 {
        report.line("add", 3 * bytes, |k| {
            black_box(k.add(black_box(&mut dst), &a, &b, len, false));
        });
    }
    report.line("to_int", bytes, |k| {
        black_box(k.to_int(black_box(&zeros), len));
    });
}

/// Tables of about the same number of bits: square ones, and 32 columns.
fn tables(report: &Report<'_>) {
    let side = (report.n_bits as f64).sqrt() as usize;
    let n = side.div_ceil(64);
    let stride = if n.is_multiple_of(64) { n + 8 } else { n };
    let storage = noise(stride * side, 4);
    let columns = Columns { storage: &storage, stride, n_cols: side };
    let mut dst = vec![0; stride * side];
    let mut row = vec![0; n];
    report.line("transpose (square)", 16 * n * side, |k| {
        k.transpose_limbs(black_box(columns), side, 0..n, &mut dst, stride);
    });
    report.line("gather_row (square)", 8 * side, |k| {
        k.gather_row(black_box(columns), side / 2, &mut row);
    });
    report.line("scatter_row (square)", 16 * side, |k| {
        k.scatter_row(black_box(&mut dst), stride, side, side / 2, &row);
    });

    let n = (report.n_bits / 32).div_ceil(64).max(1);
    let storage = noise(n * 32, 6);
    let columns = Columns { storage: &storage, stride: n, n_cols: 32 };
    let mask = vec![!0; n];
    let (mut scratch, mut word, mut out) = (vec![0; 1024], [0], vec![0; 512]);
    report.line("extreme (32 columns)", 8 * n * 32, |k| {
        for start in (0..n).step_by(512) {
            let limbs = start..(start + 512).min(n);
            let columns = black_box(columns);
            k.block_extreme(columns, limbs, &mask, Sense::Min, &mut scratch, &mut word);
        }
    });
    report.line("match (32 columns)", 8 * n * 32, |k| {
        for start in (0..n).step_by(512) {
            let limbs = start..(start + 512).min(n);
            black_box(k.block_match(black_box(columns), limbs, &mask, &word, &mut out));
        }
    });
}
