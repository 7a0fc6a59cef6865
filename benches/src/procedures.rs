//! Library procedures on long columns, compared with a plain loop over as many columns.

use star_base::Random;
use star_value::{BitTable, BitVector, Value};
use star_vm::Cpu;
use star_vm::cpu::Settings;

use crate::plain_loop::Streams;
use crate::program::{Compiled, median};
use crate::results::Figure;

/// The seed of the bits.
const SEED: u64 = 1;

/// Rounds; the median counts.
const ROUNDS: usize = 3;

/// Maximum number of iterations of the loop in a round.
const MOST_ITERATIONS: f64 = 1e6;

/// The header of the routine around a statement. All parameters are passed by reference, so that
/// nothing is copied.
const HEADER: &str = "\
procedure BENCH(times: integer; var T: table(n,j); var F,G,R: table(n,h); var X,Z: slice(n);
                var w: word(j));
var k,t: integer;
";

/// A procedure.
struct Procedure {
    name: &'static str,
    /// The statement in the loop. It is followed by a read of a bit of its result, so that nothing
    /// is pending when the next iteration begins.
    statement: &'static str,
    /// The columns that it reads, the mask included, and those that it writes.
    streams: Streams,
}

const PROCEDURES: [Procedure; 5] = [
    procedure("MATCH, 32 columns", "MATCH(T,X,w,Z); k:=Z(1)", 33, 1),
    procedure("LESS, 32 columns", "LESS(T,X,w,Z); k:=Z(1)", 33, 1),
    procedure("MIN, 32 columns", "MIN(T,X,Z); k:=Z(1)", 33, 1),
    procedure("SETMIN, 2 × 8 columns", "SETMIN(F,G,X,Z); k:=Z(1)", 17, 1),
    procedure("ADDV, 3 × 8 columns", "ADDV(F,G,X,R); k:=R(1,1)", 17, 8),
];

const fn procedure(
    name: &'static str,
    statement: &'static str,
    read: usize,
    written: usize,
) -> Procedure {
    Procedure { name, statement, streams: Streams { read, written } }
}

/// Measures a procedure on random bits alternately with the plain loop on as many threads; the
/// result is the median of three rounds.
///
/// # Errors
/// If no procedure has this name.
pub(crate) fn figure(name: &str, n_rows: usize, seconds: f64) -> Result<Figure, String> {
    let found = PROCEDURES.iter().find(|procedure| procedure.name == name);
    let Procedure { statement, streams, .. } =
        found.ok_or_else(|| format!("unknown procedure `{name}`"))?;
    let mut args = values(n_rows);
    let in_round = seconds / ROUNDS as f64;
    let nothing = time("", in_round, &mut args);
    let n_columns = streams.read + streams.written;
    let is_parallel = n_columns * n_rows / 64 >= Settings::default().parallel_limbs;
    let threads = if is_parallel { Cpu::new().threads() } else { 1 };
    let bytes = (n_columns * n_rows) as f64 / 8.0;
    let mut rounds: Vec<(f64, f64)> = (0..ROUNDS)
        .map(|_| {
            let ns = time(statement, in_round, &mut args) - nothing;
            (ns.max(0.1) / 1e9, bytes / streams.speed(n_rows, threads) / 1e9)
        })
        .collect();
    rounds.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let (ours, plain) = rounds[ROUNDS / 2];
    Ok(Figure {
        threads,
        ..Figure::new("random bits", ("rows", n_rows), ours, &[("a plain loop", plain)])
    })
}

/// Returns the nanoseconds of one iteration of a loop with this statement, which takes about
/// `seconds`. The arguments become what the loop leaves.
fn time(statement: &str, seconds: f64, args: &mut Vec<Value>) -> f64 {
    let text = format!("{HEADER}begin for t:=1 to times do begin {statement} end end;");
    let compiled = Compiled::new(Cpu::new(), &text);
    let mut round = |iterations: f64| {
        args[0] = Value::Int(iterations as i64);
        let (time, after) = compiled.run("BENCH", std::mem::take(args));
        *args = after;
        time
    };
    // The first rounds find the number of iterations, and fill the caches.
    let (mut iterations, mut one) = (1.0, round(1.0).as_secs_f64());
    while one < seconds / 100.0 && iterations < MOST_ITERATIONS {
        iterations = (iterations * 10.0).min(MOST_ITERATIONS);
        one = round(iterations).as_secs_f64();
    }
    let in_round = seconds / ROUNDS as f64;
    let iterations = (in_round * iterations / one).floor().clamp(1.0, MOST_ITERATIONS);
    let mut times: Vec<_> = (0..ROUNDS).map(|_| round(iterations)).collect();
    median(&mut times).as_nanos() as f64 / iterations
}

/// Returns the arguments of the routine.
fn values(n_rows: usize) -> Vec<Value> {
    let mut random = Random::new(SEED);
    let tables = [32, 8, 8, 8].map(|n_columns| table(&mut random, n_rows, n_columns));
    let word = Value::Word(tables[0].row(0));
    let mask = table(&mut random, n_rows, 1).column(0);
    let mut values = vec![Value::Int(0)];
    values.extend(tables.map(Value::from));
    values.extend([Value::Slice(mask), Value::Slice(BitVector::zeros(n_rows)), word]);
    values
}

fn table(random: &mut Random, n_rows: usize, n_columns: usize) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_columns).expect("enough memory");
    for idx in 0..n_columns {
        let limbs = table.column_limbs_mut(idx);
        limbs.fill_with(|| random.next_u64());
        star_value::bits::zero_tail(limbs, n_rows);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_procedure_runs_as_often_as_needed() {
        for procedure in &PROCEDURES {
            let figure = figure(procedure.name, 1000, 1e-6).unwrap();
            assert!(figure.ours > 0.0, "{}", procedure.name);
        }
        assert!(figure("MATCH", 1000, 1e-6).is_err());
    }
}
