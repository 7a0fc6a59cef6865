//! Long lines on the control unit, and loops over all lines of a table: made by one workgroup and
//! by a kernel over a grid.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use star::pipeline::{Machine, on};
use star_gpu::{DeviceSettings, Gpu, Mode, Wide};
use star_value::{Argument, BitTable, BitVector, Value};

use super::{Bench, SEED, int, lowered, milliseconds, once};
use crate::results::Figure;
use crate::say::say;

/// Iterations of a loop.
const ITERATIONS: usize = 200;

/// A loop that ends when the last one has been moved out, beside loops of an operation each.
const LOOPS: &str = "
procedure WHILE_SOME(X,M,Y: slice; k: integer; var Z: slice; var n: integer);
begin n:=0; Z:=Y; while SOME(X) do begin X:=SHIFT(X,DOWN,1) and M; Z:=Z or (X and not M); n:=n+1 end end;
procedure SHIFTS(X,M,Y: slice; k: integer; var Z: slice; var n: integer);
var i: integer;
begin for i:=1 to k do Z:=SHIFT(Y,DOWN,i); n:=NUMB(Z) end;
procedure MIRRORS(X,M,Y: slice; k: integer; var Z: slice; var n: integer);
var i: integer;
begin Z:=Y; for i:=1 to k do begin Z:=MIRROR(Z) end; n:=NUMB(Z) end;
procedure SHUFFLES(X,M,Y: slice; k: integer; var Z: slice; var n: integer);
var i: integer;
begin Z:=Y; for i:=1 to k do begin Z:=SHUFFLE(Z) end; n:=NUMB(Z) end;
procedure COUNTS(X,M,Y: slice; k: integer; var Z: slice; var n: integer);
var i: integer;
begin n:=0; Z:=Y; for i:=1 to k do begin n:=n+NUMB(Z); Z(i):=0 end end;";

/// Loops over lines, as often as `k` says: each is an instruction or two.
const OVER_LINES: &str = "
procedure SUMS(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer;
begin n:=0; Z:=Y; for t:=1 to k do for i:=1 to rows(P) do n:=n+NUMB(ROW(i,P)) end;
procedure SUMS_OF_TWO(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer;
begin n:=0; Z:=Y; for t:=1 to k do for i:=1 to size(P) do n:=n+NUMB(COL(i,P) and COL(i,Q)) end;
procedure ASK(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer;
begin n:=0; Z:=Y; for t:=1 to k do for i:=1 to size(P) do if SOME(COL(i,P) and Y) then Z(i):=1 end;
procedure JOIN_OF_TWO(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer;
begin n:=0; Z:=Y; for t:=1 to k do for i:=1 to size(P) do Z:=Z or (COL(i,P) and COL(i,Q)) end;
procedure JOIN_ROWS(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer; w: word(P);
begin
  n:=0; Z:=Y; CLR(w);
  for t:=1 to k do begin for i:=1 to rows(P) do w:=w xor ROW(i,P); n:=n+NUMB(w) end
end;
procedure CHANGE(P,Q: table; Y: slice(P); k: integer; var Z: slice(P); var n: integer);
var i,t: integer;
begin
  for t:=1 to k do for i:=1 to size(P) do COL(i,P):=COL(i,P) xor COL(i,Q);
  n:=0; Z:=COL(1,P)
end;";

impl Bench {
    /// Each loop over the lines of tables of `n` rows and columns, half of their bits ones.
    pub(super) fn over_lines(&self, n: usize) -> Result<Vec<Figure>, String> {
        let mut generator = star_base::Random::new(SEED);
        let mut random = || {
            let mut bits = BitVector::zeros(n);
            bits.limbs_mut().fill_with(|| generator.next_u64());
            star_value::bits::zero_tail(bits.limbs_mut(), n);
            bits
        };
        let mut table = || {
            let columns: Vec<BitVector> = (0..n).map(|_| random()).collect();
            Value::from(BitTable::from_columns(n, &columns))
        };
        let (p, q) = (table(), table());
        let args = [p, q, Value::Slice(random()), int(ITERATIONS), Value::Unset, int(0)];
        let settings =
            |wide| DeviceSettings { wide, mode: Mode::Resident, ..DeviceSettings::default() };
        let items = |items| settings(Some(Wide { items, ..Wide::CARD }));
        let ways = [
            ("one workgroup where it can be listed", items(u32::MAX)),
            ("over a grid", items(0)),
            ("as usual", settings(None)),
        ];
        for name in ["SUMS", "SUMS_OF_TWO", "ASK", "JOIN_OF_TWO", "JOIN_ROWS", "CHANGE"] {
            for (about, settings) in &ways {
                let machine = on("gpu", Gpu::open(settings)?);
                let about = format!("{name}, {n} × {n}, {about}");
                self.iterations_of(&machine, &about, (OVER_LINES, name), &args)?;
            }
        }
        Ok(Vec::new())
    }

    /// An iteration of each loop over slices of `n` rows.
    pub(super) fn lines(&self, n: usize) -> Result<Vec<Figure>, String> {
        if n < 2 * ITERATIONS || n % 2 == 1 {
            return Err(format!("an even number of rows beyond {}", 2 * ITERATIONS));
        }
        let mut random = BitVector::zeros(n);
        let mut generator = star_base::Random::new(SEED);
        random.limbs_mut().fill_with(|| generator.next_u64());
        star_value::bits::zero_tail(random.limbs_mut(), n);
        let mut last = BitVector::zeros(n);
        last.put(n - ITERATIONS, true);
        let mut all = BitVector::zeros(n);
        all.limbs_mut().fill(u64::MAX);
        star_value::bits::zero_tail(all.limbs_mut(), n);
        let args = [
            Value::Slice(last),
            Value::Slice(all),
            Value::Slice(random),
            int(ITERATIONS),
            Value::Unset,
            int(0),
        ];
        let settings = |wide, mode| DeviceSettings { wide, mode, ..DeviceSettings::default() };
        let from = |limbs| Some(Wide { limbs, ..Wide::CARD });
        let ways = [
            ("one workgroup", settings(from(u32::MAX), Mode::Resident)),
            ("over a grid", settings(from(1), Mode::Resident)),
            ("as usual", settings(None, Mode::Auto)),
        ];
        for name in ["WHILE_SOME", "SHIFTS", "MIRRORS", "SHUFFLES", "COUNTS"] {
            for (about, settings) in &ways {
                let machine = on("gpu", Gpu::open(settings)?);
                self.iterations_of(
                    &machine,
                    &format!("{name}, {n} rows, {about}"),
                    (LOOPS, name),
                    &args,
                )?;
            }
        }
        Ok(Vec::new())
    }

    fn iterations_of(
        &self,
        machine: &Machine,
        about: &str,
        (text, name): (&str, &str),
        args: &[Value],
    ) -> Result<(), String> {
        let entry = lowered(text).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(machine, text, &[])?;
        let mut samples = Vec::new();
        let mut found = Vec::new();
        for round in 0..=self.runs {
            let given = args.iter().map(Argument::of).collect();
            let mut loaded = compiled.load(entry, given).map_err(|error| error.to_string())?;
            self.keep_busy()?;
            let begun = Instant::now();
            let stats = once(&mut loaded)?;
            let run = milliseconds(begun);
            if round > 0 || self.runs == 0 {
                samples.push((run, stats));
            }
            if self.compares {
                let values = loaded.values(&AtomicBool::new(false));
                found = values.map_err(|error| error.to_string())?;
            }
        }
        let cpu = match self.compares {
            true => self.on_cpu((text, name, &[]), args, &found)?,
            false => f64::NAN,
        };
        samples.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (run, stats) = samples[samples.len() / 2];
        let each = |time: f64| time * 1e3 / ITERATIONS as f64;
        let paths = stats.counters;
        let device = (paths.unit_nanoseconds + paths.grid_nanoseconds) as f64 / 1e6;
        say!(
            "{about}: {:.2} µs an iteration (least {:.2}), {:.2} of the card; {} wide lines in {} kernels, {} waits, {} kernels over a grid; cpu {:.2}",
            each(run),
            each(samples[0].0),
            each(device),
            paths.wide_lines,
            paths.wide_kernels,
            paths.unit_dispatches,
            paths.grid_kernels,
            each(cpu),
        );
        Ok(())
    }
}
