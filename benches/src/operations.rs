//! One operation of each kind, as a program carries it out.

use std::hint::black_box;
use std::time::Instant;

use star_base::{BitTable, BitVector};
use star_vm::{Cpu, HostValue};

use crate::closure::Random;
use crate::program::Compiled;

/// An operation: its name, its statement in a loop of `times` turns, limbs it reads and writes for each
/// limb of a slice.
const OPERATIONS: &[(&str, &str, f64)] = &[
    ("nothing", "", 0.0),
    ("Z := X and Y", "Z := X and Y", 3.0),
    ("Z := X and Y or W", "Z := X and Y or W", 4.0),
    ("Z := not X", "Z := not X", 2.0),
    ("Z := X", "Z := X", 2.0),
    ("X := X or Y", "Z := Z or Y", 3.0),
    ("CLR(Z)", "CLR(Z)", 1.0),
    ("SET(Z)", "SET(Z)", 1.0),
    ("NUMB(X)", "k := NUMB(X)", 1.0),
    ("NUMB(X and Y)", "k := NUMB(X and Y)", 2.0),
    ("X = X", "b := X = V", 2.0),
    ("STEP", "X(1) := 1; k := STEP(X)", 0.0),
    ("X(i)", "k := X(7)", 0.0),
    ("SHIFT", "Z := SHIFT(X,down,77)", 2.0),
    ("MIRROR", "Z := MIRROR(X)", 2.0),
    ("COL(3,T)", "Z := COL(3,T)", 2.0),
    ("ROW(3,T), 32 columns", "w := ROW(3,T)", 0.0),
    ("MATCH, 32 columns", "MATCH(T,X,w,Z)", 33.0),
    ("MIN, 32 columns", "MIN(T,X,Z)", 65.0),
];

/// Times every operation on 10³, 10⁴ … bits up to `max_bits`.
pub(crate) fn run(max_bits: usize) {
    let backend = Cpu::new();
    println!(
        "{} kernels, {} threads; ns for one operation, GB/s of what it reads and writes at least, share \
         of plain reading",
        backend.kernels().level().name(),
        backend.threads(),
    );
    let mut n_bits = 1000;
    while n_bits <= max_bits {
        let read = plain_read(n_bits);
        println!("\n{n_bits} bits: plain reading on one thread {read:.1} GB/s");
        let values = Values::new(n_bits);
        let nothing = time(&backend, "", &values);
        for (name, statement, limbs) in OPERATIONS {
            if uses_table(statement) && values.table.is_none() {
                continue;
            }
            let ns = (time(&backend, statement, &values) - nothing).max(0.1);
            let bytes = limbs * n_bits as f64 / 8.0;
            if *limbs > 0.0 {
                let speed = bytes / ns;
                println!("{name:24} {ns:12.1} ns {speed:8.1} GB/s {:6.2}", speed / read);
            } else {
                println!("{name:24} {ns:12.1} ns");
            }
        }
        n_bits *= 10;
    }
}

/// What the operations work on.
struct Values {
    n_bits: usize,
    /// X, Y, W, zeros, zeros and a one at the end, X again, zeros.
    slices: [BitVector; 7],
    /// 32 columns; none beyond 10⁸ bits, where two of it would take 8 GB.
    table: Option<BitTable>,
    /// One column.
    narrow: BitTable,
}

impl Values {
    fn new(n_bits: usize) -> Self {
        let mut random = Random(1);
        let mut slice = || {
            let mut bits = BitVector::zeros(n_bits);
            bits.limbs_mut().fill_with(|| random.next());
            star_base::bits::zero_tail(bits.limbs_mut(), n_bits);
            bits
        };
        let (x, y, w) = (slice(), slice(), slice());
        let table = (n_bits <= 100_000_000).then(|| {
            let mut table = BitTable::zeros(n_bits, 32).expect("a table");
            for col_idx in 0..32 {
                table.column_limbs_mut(col_idx).copy_from_slice(slice().limbs());
            }
            table
        });
        let zeros = BitVector::zeros(n_bits);
        let mut last = zeros.clone();
        last.put(n_bits - 1, true);
        let narrow = BitTable::zeros(n_bits, 1).expect("a column");
        Values { n_bits, slices: [x.clone(), y, w, zeros.clone(), last, x, zeros], table, narrow }
    }
}

fn uses_table(statement: &str) -> bool {
    statement.contains("T)") || statement.contains("(T")
}

/// Nanoseconds of one turn of a loop with this statement: the median of five, of three for long slices.
fn time(backend: &Cpu, statement: &str, values: &Values) -> f64 {
    // Everything by reference, so that nothing is copied.
    let text = format!(
        "procedure BENCH(times: integer; var T: table; var X,Y,W,O,L,V,Z: slice(T));\n\
         var k,t: integer; b: boolean; w: word(T);\n\
         begin w := ROW(1,T); for t:=1 to times do begin {statement} end; end;"
    );
    let compiled = Compiled::new(backend.clone(), &text);
    let table = match &values.table {
        Some(table) if uses_table(statement) => table,
        Some(_) | None => &values.narrow,
    };
    let work = values.n_bits * table.n_cols();
    let times = (200_000_000 / work.max(20_000)).clamp(3, 10_000) as i64;
    let n_rounds = if values.n_bits < 100_000_000 { 5 } else { 3 };
    let mut found = Vec::new();
    let mut args = vec![HostValue::Int(times), HostValue::Table(table.clone())];
    args.extend(values.slices.iter().map(|bits| HostValue::Slice(bits.clone())));
    for _ in 0..n_rounds {
        let (time, after) = compiled.run("BENCH", args);
        args = black_box(after);
        found.push(time);
    }
    crate::program::median(&mut found).as_nanos() as f64 / times as f64
}

/// GB/s of adding up limbs on one thread.
fn plain_read(n_bits: usize) -> f64 {
    let limbs: Vec<u64> = (0..n_bits as u64 / 64).collect();
    let times = (200_000_000 / n_bits).clamp(3, 100_000);
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..times {
            let sum = black_box(&limbs).iter().fold(0u64, |sum, limb| sum.wrapping_add(*limb));
            black_box(sum);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / times as f64);
    }
    limbs.len() as f64 * 8.0 / best
}
