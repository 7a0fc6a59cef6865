//! What the command line of `peers` says.

use std::path::PathBuf;
use std::time::Duration;

use super::foreign::Tools;
use super::input::Folders;
use super::plan::{Family, Sizes};

/// How the command is called.
pub(super) const USAGE: &str = "\
usage: star-benches peers rust|python|c|all [OPTIONS]

  --job TEXT      only jobs whose name contains it (several: any of them)
  --full          the sizes of the goals; otherwise a few minutes for everything
  --n N,N,…       these sizes instead
  --threads N     threads of ours and of every peer that has some (1)
  --seed N        where random numbers begin (2016)
  --time S        seconds for each contestant of a contest (0.5)
  --limit S       seconds that an answer of a process may take (120)
  --data DIR      where inputs are written and programs compiled (target/peers)
  --shared DIR    the folder that holds `graphs/` with real graphs
  --out FILE      the file of benchmarks to write, for `star benchpage`
  --python PATH   the interpreter of Python (python3)
  --venv DIR      a virtual environment, made with all packages if it is not there
  --gapbs DIR     a checkout of the GAP Benchmark Suite
  --lemon DIR     the folder that holds `lemon/`, if it is not one of the system
  --cxx PATH      the compiler of C++ (c++)
  --list          what is compared with what, without measuring";

/// The command line, read.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) families: Vec<Family>,
    /// Parts of names of jobs; none: all.
    pub(super) jobs: Vec<String>,
    pub(super) sizes: Sizes,
    pub(super) threads: usize,
    /// For each contestant of a contest.
    pub(super) time: Duration,
    /// For each answer of a process.
    pub(super) limit: Duration,
    pub(super) folders: Folders,
    pub(super) out: Option<PathBuf>,
    pub(super) tools: Tools,
    pub(super) list: bool,
}

impl Options {
    /// Reads the arguments behind `peers`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut arguments = arguments.iter();
        let families = match arguments.next().map(String::as_str) {
            Some("all") => Family::ALL.to_vec(),
            Some(name) => match Family::ALL.iter().find(|family| family.name() == name) {
                Some(family) => vec![*family],
                None => return Err(format!("there are no peers `{name}`")),
            },
            None => return Err("which peers?".to_owned()),
        };
        let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/peers"));
        let mut options = Options {
            families,
            jobs: Vec::new(),
            sizes: Sizes::Quick,
            threads: 1,
            time: Duration::from_millis(500),
            limit: Duration::from_secs(120),
            folders: Folders { data, shared: None, seed: 2016 },
            out: None,
            tools: Tools::default(),
            list: false,
        };
        while let Some(option) = arguments.next() {
            match option.as_str() {
                "--full" => options.sizes = Sizes::Full,
                "--list" => options.list = true,
                _ => {
                    let value = arguments.next();
                    let value = value.ok_or_else(|| format!("`{option}` needs a value"))?;
                    options.set(option, value)?;
                }
            }
        }
        options.tools.build = options.folders.data.join("build");
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("`{option}` cannot be `{value}`");
        let path = || PathBuf::from(value);
        let seconds = || {
            let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
            seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).ok_or_else(wrong)
        };
        match option {
            "--job" => self.jobs.push(value.to_owned()),
            "--n" => {
                let size =
                    |text: &str| text.trim().parse().ok().filter(|n| (1..1 << 31).contains(n));
                let sizes = value.split(',').map(size).collect::<Option<Vec<u64>>>();
                self.sizes = Sizes::PeerArgs(sizes.ok_or_else(wrong)?);
            }
            "--threads" => {
                let threads = value.parse().ok().filter(|threads| (1..=4096).contains(threads));
                self.threads = threads.ok_or_else(wrong)?;
            }
            "--seed" => self.folders.seed = value.parse().map_err(|_| wrong())?,
            "--time" => self.time = seconds()?,
            "--limit" => self.limit = seconds()?,
            "--data" => self.folders.data = path(),
            "--shared" => self.folders.shared = Some(path()),
            "--out" => self.out = Some(path()),
            "--python" => self.tools.python = Some(path()),
            "--venv" => self.tools.venv = Some(path()),
            "--gapbs" => self.tools.gapbs = Some(path()),
            "--lemon" => self.tools.lemon = Some(path()),
            "--cxx" => self.tools.cxx = Some(path()),
            _ => return Err(format!("there is no option `{option}`")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn options_are_read() {
        let options = parse("all --n 100,200 --time 0.25 --job floyd --out x.json").unwrap();
        assert_eq!(options.families, Family::ALL);
        assert_eq!(options.sizes, Sizes::PeerArgs(vec![100, 200]));
        assert_eq!(options.time, Duration::from_millis(250));
        assert_eq!((options.jobs, options.threads), (vec!["floyd".to_owned()], 1));
        assert_eq!(parse("rust --full").unwrap().sizes, Sizes::Full);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |line: &str| parse(line).unwrap_err();
        assert_eq!(wrong(""), "which peers?");
        assert_eq!(wrong("java"), "there are no peers `java`");
        assert_eq!(wrong("rust --n 5,x"), "`--n` cannot be `5,x`");
        assert_eq!(wrong("rust --time -1"), "`--time` cannot be `-1`");
        assert_eq!(wrong("rust --threads 0"), "`--threads` cannot be `0`");
        assert_eq!(wrong("rust --out"), "`--out` needs a value");
        assert_eq!(wrong("rust --what 1"), "there is no option `--what`");
    }
}
