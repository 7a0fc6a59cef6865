//! Every elementary operation (§4 of the language reference) on every backend against its
//! definition, implemented again here over `Vec<bool>`; values and numbers of elementary
//! operations.

mod bits;
mod costs;
mod library;
mod tables;
mod words;

use star_compiler::LowerOptions;
use star_tests::case::ending;
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Value};
use star_vm::Outcome;

/// The seed of all random bits in these tests.
const SEED: u64 = 2016;

/// Sizes at the limits of limbs, tiles and workgroups.
const SIZES: [usize; 14] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513];

/// A compiled text.
struct Machine {
    program: Program,
}

impl Machine {
    fn new(text: &str) -> Self {
        Machine::with(text, &LowerOptions::default())
    }

    fn with(text: &str, options: &LowerOptions) -> Self {
        Machine { program: Program::with(text, options) }
    }

    /// Returns the arguments after a call that ends well, and its elementary operations.
    fn call(&self, routine: &str, args: &[Value]) -> (Vec<Value>, u64) {
        let run = self.program.run(routine, args.to_vec());
        let end = ending(&self.program, &run);
        assert_eq!(run.outcome, Outcome::Done, "{routine}({args:?}): {end}");
        (run.values, run.stats.operations)
    }

    /// Returns the last argument after a call that ends well and costs `cost`.
    fn last(&self, routine: &str, args: &[Value], cost: u64) -> Value {
        let (mut values, operations) = self.call(routine, args);
        assert_eq!(operations, cost, "cost of {routine}");
        values.pop().expect("an argument")
    }

    /// Returns the code of the trap that ends a call, and the arguments at that time.
    fn trap(&self, routine: &str, args: &[Value]) -> (String, Vec<Value>) {
        let run = self.program.run(routine, args.to_vec());
        match &run.outcome {
            Outcome::Trap(trap) => (trap.kind.code().to_string(), run.values),
            other => panic!("{routine}({args:?}) ends with {other:?}"),
        }
    }
}

/// Slice or word: most operations work on both.
#[derive(Clone, Copy, Debug)]
enum Of {
    Slices,
    Words,
}

const BOTH: [Of; 2] = [Of::Slices, Of::Words];

impl Of {
    /// Returns the text with `bits` replaced by the type.
    fn text(self, text: &str) -> String {
        text.replace(
            "bits",
            match self {
                Of::Slices => "slice",
                Of::Words => "word",
            },
        )
    }

    fn value(self, bits: &[bool]) -> Value {
        match self {
            Of::Slices => slice(bits),
            Of::Words => word(bits),
        }
    }
}

fn slice(bits: &[bool]) -> Value {
    Value::Slice(BitVector::from_bools(bits))
}

fn word(bits: &[bool]) -> Value {
    Value::Word(BitVector::from_bools(bits))
}

fn int(value: usize) -> Value {
    Value::Int(value as i64)
}

fn boolean(value: bool) -> Value {
    Value::Bool(value)
}

/// A table as its rows.
type Rows = Vec<Vec<bool>>;

/// Builds a table of `n_cols` columns from its rows.
fn host_table(rows: &Rows, n_cols: usize) -> BitTable {
    let mut table = BitTable::zeros(rows.len(), n_cols).expect("small");
    for (row_idx, row) in rows.iter().enumerate() {
        for (col_idx, &bit) in row.iter().enumerate() {
            table.put(row_idx, col_idx, bit);
        }
    }
    table
}

fn table(rows: &Rows, n_cols: usize) -> Value {
    Value::from(host_table(rows, n_cols))
}

/// Returns the index of the first one, 0 if there is none.
fn first(bits: &[bool]) -> usize {
    bits.iter().position(|&bit| bit).map_or(0, |idx| idx + 1)
}

fn count(bits: &[bool]) -> usize {
    bits.iter().filter(|&&bit| bit).count()
}

/// Returns random bits, all zeros, all ones, only the first and only the last one.
fn samples(random: &mut star_tests::case::Random, len: usize) -> Vec<Vec<bool>> {
    let mut samples = vec![vec![false; len], vec![true; len]];
    if len > 0 {
        samples.extend([0, len - 1].map(|one| (0..len).map(|idx| idx == one).collect()));
        samples.extend([2, 50, 90].map(|percent| random.bits(len, percent)));
    }
    samples
}
