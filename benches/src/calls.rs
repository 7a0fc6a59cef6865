//! The time of a call of a small procedure through the crate `star`.

use std::time::{Duration, Instant};

use star::{Args, Error, Program, Value};

use crate::program::median;
use crate::say::say;

/// Procedures over a number, a slice and a table.
const TEXT: &str = "
procedure NEXT(var n: integer); begin n := n + 1 end;
function SUM(a, b: integer): integer; begin SUM := a + b end;
procedure FLIP(var X: slice); begin X := not X end;
procedure MARK(T: table; var X: slice(T)); begin X := COL(1, T) and not COL(2, T) end;
";

/// Calls of which the mean is taken, and means of which the median is taken.
const CALLS: u32 = 10_000;
const RUNS: usize = 21;

/// Calls each procedure and prints the time of a call, with arguments and results.
pub(crate) fn run() -> Result<(), String> {
    measure().map_err(|error| error.to_string())
}

fn measure() -> Result<(), Error> {
    let program = Program::parse(TEXT)?;
    let bits = star::Bits::parse(&"01".repeat(32)).expect("bits");
    let rows: Vec<String> = (0..64).map(|row| format!("{row:064b}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let table = star::Table::parse(&rows).expect("rows");
    let calls: [(&str, Args); 4] = [
        ("NEXT", star::args![n = 1]),
        ("SUM", star::args![a = 1, b = 2]),
        ("FLIP", star::args![X = bits]),
        ("MARK", star::args![T = Value::from(table)]),
    ];
    say!("calls, microseconds, medians of {RUNS} means of {CALLS}");
    for (name, args) in calls {
        let mut run = program.run(name)?;
        run.call(args.clone())?;
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let start = Instant::now();
            for _ in 0..CALLS {
                run.call(args.clone())?;
            }
            times.push(start.elapsed() / CALLS);
        }
        let kept: Duration = median(&mut times);
        let start = Instant::now();
        for _ in 0..CALLS {
            program.call(name, args.clone())?;
        }
        let whole = start.elapsed() / CALLS;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        say!("{name}: {:.2}, by name {:.2}", micros(kept), micros(whole));
    }
    Ok(())
}
