//! Long lines on the control unit: a turn of loops that move rows, made by one workgroup and by a kernel over a grid.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use star_base::BitVector;
use star_gpu::{DeviceSettings, Gpu, Mode};
use star_harness::Machine;
use star_harness::machine::on;
use star_vm::{Argument, HostValue};

use super::{Bench, SEED, int, lowered, milliseconds, once};
use crate::say::say;

/// Turns of a loop.
const TURNS: usize = 200;

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

impl Bench {
    /// A turn of each loop over slices of `n` rows.
    pub(super) fn lines(&self, n: usize) -> Result<(), String> {
        if n < 2 * TURNS || n % 2 == 1 {
            return Err(format!("an even number of rows beyond {}", 2 * TURNS));
        }
        let mut random = BitVector::zeros(n);
        let mut generator = star_base::Random::new(SEED);
        random.limbs_mut().fill_with(|| generator.next_u64());
        star_base::bits::zero_tail(random.limbs_mut(), n);
        let mut last = BitVector::zeros(n);
        last.put(n - TURNS, true);
        let mut all = BitVector::zeros(n);
        all.limbs_mut().fill(u64::MAX);
        star_base::bits::zero_tail(all.limbs_mut(), n);
        let args = [
            HostValue::Slice(last),
            HostValue::Slice(all),
            HostValue::Slice(random),
            int(TURNS),
            HostValue::Unset,
            int(0),
        ];
        let settings =
            |wide_limbs, mode| DeviceSettings { wide_limbs, mode, ..DeviceSettings::default() };
        let ways = [
            ("one workgroup", settings(Some(u32::MAX), Mode::Resident)),
            ("over a grid", settings(Some(1), Mode::Resident)),
            ("as usual", settings(None, Mode::Auto)),
        ];
        for name in ["WHILE_SOME", "SHIFTS", "MIRRORS", "SHUFFLES", "COUNTS"] {
            for (about, settings) in &ways {
                let machine = on("gpu", Gpu::open(settings)?);
                self.turns_of(&machine, &format!("{name}, {n} rows, {about}"), name, &args)?;
            }
        }
        Ok(())
    }

    fn turns_of(
        &self,
        machine: &Machine,
        about: &str,
        name: &str,
        args: &[HostValue],
    ) -> Result<(), String> {
        let entry = lowered(LOOPS).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(machine, LOOPS, &[])?;
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
            true => self.on_cpu((LOOPS, name, &[]), args, &found)?,
            false => f64::NAN,
        };
        samples.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (run, stats) = samples[samples.len() / 2];
        let each = |time: f64| time * 1e3 / TURNS as f64;
        let paths = stats.paths;
        let device = (paths.unit_nanoseconds + paths.grid_nanoseconds) as f64 / 1e6;
        say!(
            "{about}: {:.2} µs a turn (least {:.2}), {:.2} of the card; {} wide lines, {} waits, {} kernels over a grid; cpu {:.2}",
            each(run),
            each(samples[0].0),
            each(device),
            paths.wide_lines,
            paths.unit_dispatches,
            paths.grid_kernels,
            each(cpu),
        );
        Ok(())
    }
}
