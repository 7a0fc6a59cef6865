//! Commands of adapters in other languages: an interpreter of Python with the packages, and
//! programs that are compiled here from an adapter of ours and the sources of a peer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::failure::Failure;
use super::job::Job;

/// The folder of the adapters.
const ADAPTERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// Where things are that are not ours.
#[derive(Clone, Debug, Default)]
pub(super) struct Tools {
    /// The interpreter of Python; `python3` if nothing is said.
    pub(super) python: Option<PathBuf>,
    /// A virtual environment, made with all packages if it is not there.
    pub(super) venv: Option<PathBuf>,
    /// A checkout of the GAP Benchmark Suite.
    pub(super) gapbs: Option<PathBuf>,
    /// A folder that holds `lemon/`; those of the system if nothing is said.
    pub(super) lemon: Option<PathBuf>,
    /// The compiler of C++; `c++` if nothing is said.
    pub(super) cxx: Option<PathBuf>,
    /// Where programs are compiled.
    pub(super) build: PathBuf,
}

/// Makes commands, and compiles each program once.
#[derive(Debug)]
pub(super) struct Foreign {
    tools: Tools,
    python: Option<Result<PathBuf, Failure>>,
    programs: BTreeMap<&'static str, Result<PathBuf, Failure>>,
}

impl Foreign {
    pub(super) fn new(tools: Tools) -> Self {
        Foreign { tools, python: None, programs: BTreeMap::new() }
    }

    /// The adapter of packages of Python, without arguments.
    pub(super) fn python(&mut self, job: Job) -> Result<Command, Failure> {
        let tools = &self.tools;
        let python = self.python.get_or_insert_with(|| interpreter(tools)).clone()?;
        let script = match job {
            Job::Closure
            | Job::Floyd
            | Job::Paths
            | Job::Levels
            | Job::ArcPaths
            | Job::ArcLevels
            | Job::Components
            | Job::Kruskal
            | Job::Prim
            | Job::Branching => "graphs.py",
            Job::Match
            | Job::Less
            | Job::Least
            | Job::Add
            | Job::Sum
            | Job::Three
            | Job::Select
            | Job::Rank
            | Job::Median
            | Job::Hist
            | Job::Groups
            | Job::Join
            | Job::Among => "columns.py",
            Job::Wave => "grids.py",
        };
        let mut command = Command::new(python);
        // No compiled files beside the sources.
        command.arg("-B").arg(Path::new(ADAPTERS).join(script));
        Ok(command)
    }

    /// A compiled adapter, without arguments.
    pub(super) fn compiled(&mut self, peer: &str, job: Job) -> Result<Command, Failure> {
        let program = match (peer, job) {
            ("gapbs", Job::Levels | Job::ArcLevels) => "gapbs-levels",
            ("gapbs", Job::Components) => "gapbs-components",
            ("gapbs", _) => "gapbs-paths",
            _ => "lemon",
        };
        let tools = &self.tools;
        let built = self.programs.entry(program).or_insert_with(|| compile(program, tools));
        Ok(Command::new(built.clone()?))
    }
}

/// The interpreter; a virtual environment is made if it is wanted. What was installed is written
/// into it at the end, so that one that was cut off is not taken for a whole one.
fn interpreter(tools: &Tools) -> Result<PathBuf, Failure> {
    let base = tools.python.clone().unwrap_or_else(|| PathBuf::from("python3"));
    let Some(venv) = &tools.venv else { return Ok(base) };
    let python = venv.join("bin").join("python");
    let requirements = Path::new(ADAPTERS).join("requirements.txt");
    let installed = venv.join("star-peers.txt");
    let cannot = |error: std::io::Error| Failure::peer(format!("{}: {error}", venv.display()));
    let wanted = fs::read(&requirements).map_err(cannot)?;
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        eprintln!("installing the packages of {} in {}", requirements.display(), venv.display());
        if !python.exists() {
            finish(Command::new(base).args(["-m", "venv"]).arg(venv))?;
        }
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements);
        finish(&mut install)?;
        fs::write(installed, wanted).map_err(cannot)?;
    }
    Ok(python)
}

fn compile(program: &str, tools: &Tools) -> Result<PathBuf, Failure> {
    let folder = &tools.build;
    let cannot = |error: std::io::Error| Failure::peer(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    let output = folder.join(program);
    let mut command = Command::new(tools.cxx.as_deref().unwrap_or_else(|| Path::new("c++")));
    command.args(["-std=c++14", "-O3", "-march=native", "-o"]).arg(&output).arg("-I").arg(ADAPTERS);
    let version = |checkout: Option<&Path>| {
        let commit = checkout.and_then(commit_of).unwrap_or_else(|| "unknown".to_owned());
        format!("-DVERSION=\"{commit}\"")
    };
    if program == "lemon" {
        if let Some(lemon) = &tools.lemon {
            command.arg("-I").arg(lemon);
        }
        // A checkout has only the template of this file; templates need nothing of it.
        let config = folder.join("config").join("lemon");
        fs::create_dir_all(&config).map_err(cannot)?;
        fs::write(config.join("config.h"), "").map_err(cannot)?;
        command.arg("-idirafter").arg(folder.join("config"));
        command.arg(version(tools.lemon.as_deref())).arg(Path::new(ADAPTERS).join("lemon.cc"));
    } else {
        let Some(gapbs) = &tools.gapbs else {
            let message = "no checkout of the GAP Benchmark Suite (github.com/sbeamer/gapbs): \
                           `--gapbs DIR` names one";
            return Err(Failure::peer(message));
        };
        command.arg("-fopenmp").arg("-I").arg(gapbs.join("src")).arg(version(Some(gapbs)));
        match program {
            "gapbs-levels" => {
                command.arg("-DLEVELS");
            }
            "gapbs-components" => {
                command.arg("-DCOMPONENTS");
            }
            _ => {}
        }
        command.arg(Path::new(ADAPTERS).join("gapbs.cc"));
    }
    match finish(&mut command) {
        Ok(()) => Ok(output),
        Err(failure) if program == "lemon" && tools.lemon.is_none() => {
            let hint = "LEMON is the package liblemon-dev of Debian, or `--lemon DIR` names the folder that \
                        holds `lemon/`";
            Err(Failure::peer(format!("{}; {hint}", failure.message)))
        }
        Err(failure) => Err(failure),
    }
}

/// The commit of a checkout, if it is one and git is there.
fn commit_of(checkout: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout).args(["rev-parse", "--short", "HEAD"]).stderr(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs it to its end.
fn finish(command: &mut Command) -> Result<(), Failure> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::peer(format!("`{shown}` cannot be run: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said
        .lines()
        .find(|line| line.contains("rror") || line.contains("ERROR"))
        .or_else(|| said.lines().last());
    let line = line.map_or("it says nothing", str::trim);
    Err(Failure::peer(format!("`{shown}` failed: {line}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(folder: &Path) -> Tools {
        Tools { build: folder.join("build"), ..Tools::default() }
    }

    #[test]
    fn a_peer_that_is_not_given_says_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut foreign = Foreign::new(tools(folder.path()));
        let failure = foreign.compiled("gapbs", Job::Paths).unwrap_err();
        assert!(failure.message.contains("`--gapbs DIR`"), "{}", failure.message);
    }

    #[test]
    fn a_compiler_that_is_not_there_is_a_failure_of_the_row() {
        let folder = tempfile::tempdir().unwrap();
        let cxx = Some(PathBuf::from("no-such-compiler"));
        let mut foreign = Foreign::new(Tools { cxx, ..tools(folder.path()) });
        let failure = foreign.compiled("lemon", Job::Branching).unwrap_err();
        assert!(
            failure.message.contains("`no-such-compiler` cannot be run"),
            "{}",
            failure.message
        );
        assert!(failure.message.contains("`--lemon DIR`"), "{}", failure.message);
    }

    #[cfg(unix)]
    #[test]
    fn an_environment_without_its_packages_is_not_taken_for_one() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("bin").join("python");
        fs::create_dir(folder.path().join("bin")).unwrap();
        let tools = Tools { venv: Some(folder.path().to_owned()), ..Tools::default() };
        let install = |text: &str| {
            fs::write(&python, text).unwrap();
            fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
            Foreign::new(tools.clone()).python(Job::Floyd).map(|_| ())
        };
        let failure = install("#!/bin/sh\necho ERROR: no network >&2; exit 1\n").unwrap_err();
        assert!(failure.message.ends_with("failed: ERROR: no network"), "{}", failure.message);
        assert_eq!(install("#!/bin/sh\nexit 0\n"), Ok(()));
        // It is there now, and nothing is installed any more.
        assert_eq!(install("#!/bin/sh\nexit 1\n"), Ok(()));
    }
}
