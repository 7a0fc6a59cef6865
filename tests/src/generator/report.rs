//! Statistics of the generated programs: what they contained and how they ended.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use star_base::Builtin;
use star_vm::Outcome;

/// The frequency of each construct in a text.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Built-ins.
    pub builtins: BTreeMap<Builtin, u64>,
    /// Kinds of statements.
    pub statements: BTreeMap<&'static str, u64>,
    /// Procedures of the library.
    pub library: BTreeMap<&'static str, u64>,
    /// Constructs with records.
    pub records: BTreeMap<&'static str, u64>,
    /// Deliberate errors.
    pub near_misses: BTreeMap<&'static str, u64>,
}

/// Statistics of many programs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of programs that were run.
    pub n_programs: u64,
    /// Number that ended well.
    pub n_well: u64,
    /// Number that trapped or reached a limit, by code.
    pub ended: BTreeMap<String, u64>,
    /// Number rejected by the compiler because of their near-miss, so that they did not run.
    pub n_refused: u64,
    /// Number of lines of all texts.
    pub n_lines: u64,
    /// Number of elementary operations of all runs.
    pub operations: u64,
    /// Number of steps of all runs.
    pub steps: u64,
    /// The contents of the programs that ended well.
    pub counts: Counts,
    /// Number of the programs that ended well with each construct of records.
    pub with_records: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        fn sum<K: Copy + Ord>(all: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
            for (&key, count) in more {
                *all.entry(key).or_default() += count;
            }
        }
        let Counts { builtins, statements, library, records, near_misses } = other;
        sum(&mut self.builtins, builtins);
        sum(&mut self.statements, statements);
        sum(&mut self.library, library);
        sum(&mut self.records, records);
        sum(&mut self.near_misses, near_misses);
    }
}

impl Report {
    /// Records a run of a text.
    pub fn note(&mut self, text: &str, counts: &Counts, run: &crate::run::RunResult) {
        self.n_programs += 1;
        self.n_lines += text.lines().count() as u64;
        self.operations += run.stats.operations;
        self.steps += run.stats.steps;
        let code = match &run.outcome {
            Outcome::Done => {
                self.n_well += 1;
                self.counts.add(counts);
                for construct in counts.records.keys() {
                    *self.with_records.entry(construct).or_default() += 1;
                }
                return;
            }
            Outcome::Trap(trap) => trap.kind.code().to_string(),
            Outcome::Limit { kind, .. } => kind.code().to_string(),
            Outcome::Unsupported { .. } => "not supported".to_owned(),
            Outcome::DeviceLost { .. } => "device lost".to_owned(),
            Outcome::Internal(_) => "internal".to_owned(),
        };
        *self.ended.entry(code).or_default() += 1;
        // Deliberate errors are of interest in failing runs too.
        let near_misses = counts.near_misses.clone();
        self.counts.add(&Counts { near_misses, ..Counts::default() });
    }

    /// Adds the statistics of other programs.
    pub fn add(&mut self, other: &Report) {
        let Report {
            n_programs,
            n_well,
            ended,
            n_refused,
            n_lines,
            operations,
            steps,
            counts,
            with_records,
        } = other;
        self.n_programs += n_programs;
        self.n_well += n_well;
        for (code, count) in ended {
            *self.ended.entry(code.clone()).or_default() += count;
        }
        self.n_refused += n_refused;
        self.n_lines += n_lines;
        self.operations += operations;
        self.steps += steps;
        self.counts.add(counts);
        for (construct, count) in with_records {
            *self.with_records.entry(construct).or_default() += count;
        }
    }

    /// Returns the percentage of the programs that ended well which contain a construct of records.
    pub fn share(&self, construct: &str) -> f64 {
        let count = self.with_records.get(construct).copied().unwrap_or(0);
        100.0 * count as f64 / self.n_well.max(1) as f64
    }

    /// Returns the percentage of programs that ended well.
    pub fn well(&self) -> f64 {
        100.0 * self.n_well as f64 / self.n_programs.max(1) as f64
    }

    /// Returns the percentage of programs that trapped.
    pub fn trapped(&self) -> f64 {
        let traps = self.ended.iter().filter(|(code, _)| code.starts_with('T'));
        100.0 * traps.map(|(_, count)| *count).sum::<u64>() as f64 / self.n_programs.max(1) as f64
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let n = self.n_programs.max(1);
        writeln!(
            f,
            "{} programs: {:.1} % ended well, {:.1} % trapped; {} more refused by the compiler",
            self.n_programs,
            self.well(),
            self.trapped(),
            self.n_refused
        )?;
        writeln!(
            f,
            "on average {} lines, {} elementary operations, {} steps",
            self.n_lines / n,
            self.operations / n,
            self.steps / n
        )?;
        fn list<K: Display>(
            f: &mut Formatter<'_>,
            what: &str,
            items: impl Iterator<Item = (K, u64)>,
        ) -> fmt::Result {
            let items: Vec<String> = items.map(|(key, count)| format!("{key} {count}")).collect();
            writeln!(f, "{what}: {}", items.join(", "))
        }
        let Counts { builtins, statements, library, records: _, near_misses } = &self.counts;
        list(f, "ends", self.ended.iter().map(|(key, &count)| (key, count)))?;
        list(f, "near-misses", near_misses.iter().map(|(key, &count)| (key, count)))?;
        list(f, "statements", statements.iter().map(|(key, &count)| (key, count)))?;
        let shares = super::CONSTRUCTS.iter().map(|one| (one, format!("{:.1} %", self.share(one))));
        let shares: Vec<String> = shares.map(|(one, share)| format!("{one} {share}")).collect();
        writeln!(f, "share of programs with records: {}", shares.join(", "))?;
        list(f, "built-ins", builtins.iter().map(|(key, &count)| (key.name(), count)))?;
        list(f, "library", library.iter().map(|(key, &count)| (key, count)))
    }
}
