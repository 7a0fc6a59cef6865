//! Statistics of generated SIR programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use star_vm::Outcome;

use super::Generated;
use crate::backends::Mode;
use crate::differ::Agreement;

/// Statistics of many programs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of programs that were run.
    pub n_programs: u64,
    /// Number that ended well.
    pub n_well: u64,
    /// Number that trapped, by code.
    pub traps: BTreeMap<String, u64>,
    /// The number of programs in which a backend took or declined each fast path.
    pub paths: BTreeMap<String, u64>,
    /// The number of programs with each kind of statement or near-miss.
    pub kinds: BTreeMap<&'static str, u64>,
}

impl Report {
    /// Adds a run to the counts.
    pub fn count(&mut self, generated: &Generated, agreement: &Agreement) {
        self.n_programs += 1;
        match &agreement.run.outcome {
            Outcome::Done => self.n_well += 1,
            Outcome::Trap(trap) => {
                *self.traps.entry(trap.kind.code().to_string()).or_default() += 1;
            }
            Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_) => {
                *self.traps.entry("no trap".to_owned()).or_default() += 1;
            }
        }
        let mut paths = BTreeMap::new();
        for taken in agreement.paths.iter().filter(|taken| taken.mode == Mode::Optimised) {
            for (name, _) in taken.counters.entries() {
                paths.insert(name, 1);
            }
        }
        for (name, once) in paths {
            *self.paths.entry(name).or_default() += once;
        }
        for kind in generated.kinds.keys() {
            *self.kinds.entry(kind).or_default() += 1;
        }
    }

    /// Returns the percentage of programs that ended well.
    pub fn well(&self) -> f64 {
        self.percent(self.n_well)
    }

    /// Returns the percentage of programs in which a backend took or declined this path.
    pub fn path(&self, name: &str) -> f64 {
        self.percent(self.paths.get(name).copied().unwrap_or(0))
    }

    fn percent(&self, n: u64) -> f64 {
        100.0 * n as f64 / self.n_programs.max(1) as f64
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs of SIR, {:.1} % ended well", self.n_programs, self.well())?;
        for (name, n) in self.traps.iter().chain(&self.paths) {
            writeln!(f, "  {name}: {:.1} %", self.percent(*n))?;
        }
        for (name, n) in &self.kinds {
            writeln!(f, "  with {name}: {:.1} %", self.percent(*n))?;
        }
        Ok(())
    }
}
