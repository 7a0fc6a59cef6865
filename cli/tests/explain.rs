//! The explanations of codes have a fixed structure; their examples produce exactly their code, and
//! the corrected versions produce none.
//!
//! An explanation is `# TITLE`, one to three paragraphs, and the sections `## Example` and `##
//! Fixed`, which contain only fenced blocks:
//!
//! * `star NAME.star` and `text NAME` are files;
//! * `sh`, the last one, contains the lines to run in a folder with these files. All but the last
//!   line are preparation.
//!
//! `Fixed` inherits the files of the example unless it replaces them, and its lines unless it has
//! some.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "what a test cannot set up is its failure")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Component, Path};
use std::process::{Command, Stdio};
use std::thread;

use star_base::{Code, Severity};

/// Codes without an example, and the reason.
const WITHOUT_EXAMPLE: &[(Code, &str)] = &[
    (Code::Internal, "known internal errors are fixed"),
    (Code::Interrupted, "it takes a hand at the keyboard"),
    (Code::DeviceLost, "a device cannot be lost at will"),
    (Code::ThreadLimit, "it needs a limit of the system"),
];

/// Maximum length of a line of text; code may be longer.
const MAX_WIDTH: usize = 100;
/// Time limit of an example in seconds.
const PATIENCE: &str = "20";

#[test]
fn every_explanation_shows_its_code_and_the_fix() {
    let n_workers = thread::available_parallelism().map_or(4, usize::from);
    let mut failures: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers)
            .map(|first| scope.spawn(move || failures_of(first, n_workers)))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    failures.sort();
    let n = failures.len();
    assert!(failures.is_empty(), "{n} explanations fail:\n\n{}", failures.join("\n\n"));
}

fn failures_of(first: usize, step: usize) -> Vec<String> {
    let codes = Code::ALL.iter().skip(first).step_by(step);
    let fails = |&code: &Code| Some(format!("{code}: {}", examine(code).err()?));
    codes.filter_map(fails).collect()
}

fn examine(code: Code) -> Result<(), String> {
    let explanation = Explanation::parse(code.explanation())?;
    if explanation.title != code.title() {
        return Err(format!("the title is not `{}`", code.title()));
    }
    let reason = WITHOUT_EXAMPLE.iter().find(|(other, _)| *other == code);
    match (explanation.example, reason) {
        (None, Some((_, reason))) if explanation.text.contains(reason) => Ok(()),
        (None, Some((_, reason))) => Err(format!("it does not say that {reason}")),
        (None, None) => Err("there is no example".to_owned()),
        (Some(_), Some(_)) => Err("it has an example, and the test says none".to_owned()),
        (Some((example, fixed)), None) => {
            let wanted = BTreeSet::from([code.as_str().to_owned()]);
            let stops = code.severity() == Severity::Error;
            example.shows(&wanted, stops).map_err(|why| format!("example: {why}"))?;
            fixed.shows(&BTreeSet::new(), false).map_err(|why| format!("fixed: {why}"))
        }
    }
}

/// The parts of an explanation.
#[derive(Debug, PartialEq, Eq)]
struct Explanation<'a> {
    title: &'a str,
    text: String,
    /// The example and its corrected version.
    example: Option<(Scene<'a>, Scene<'a>)>,
}

/// Files, and commands to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Scene<'a> {
    files: BTreeMap<&'a str, String>,
    /// Shell lines for preparation.
    preparation: Vec<&'a str>,
    /// The line to check.
    line: &'a str,
}

impl<'a> Explanation<'a> {
    fn parse(markdown: &'a str) -> Result<Self, String> {
        let mut lines = markdown.lines();
        let title = lines.next().and_then(|line| line.strip_prefix("# "));
        let title = title.ok_or("the first line is no title")?;
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "## Example").collect();
        let text = text.join("\n");
        check_text(&text)?;
        let blocks: Vec<&str> = lines.collect();
        if blocks.is_empty() {
            return Ok(Explanation { title, text, example: None });
        }
        let mut sections = blocks.split(|line| *line == "## Fixed");
        let (Some(example), Some(fixed), None) =
            (sections.next(), sections.next(), sections.next())
        else {
            return Err("there is not one section `## Fixed`".to_owned());
        };
        let example = Scene::parse(Scene::default(), example)?;
        let unfixed = Scene { preparation: Vec::new(), line: "", ..example.clone() };
        let mut fixed = Scene::parse(unfixed, fixed)?;
        if example.line.is_empty() {
            return Err("the example has no block `sh`".to_owned());
        }
        if fixed.line.is_empty() {
            fixed.preparation.clone_from(&example.preparation);
            fixed.line = example.line;
        }
        if fixed == example {
            return Err("nothing is fixed".to_owned());
        }
        Ok(Explanation { title, text, example: Some((example, fixed)) })
    }
}

/// Checks for one to three paragraphs, separated by single blank lines, without headings and
/// blocks.
fn check_text(text: &str) -> Result<(), String> {
    let wide = text.lines().find(|line| line.chars().count() > MAX_WIDTH);
    if let Some(line) = wide {
        return Err(format!("a line is too long: {line}"));
    }
    if text.lines().any(|line| line.starts_with('#') || line.starts_with("```")) {
        return Err("a heading or block among the text".to_owned());
    }
    let text = text.strip_prefix('\n').ok_or("no blank line after the title")?;
    let paragraphs: Vec<&str> = text.trim_end_matches('\n').split("\n\n").collect();
    match paragraphs.len() {
        1..=3 if paragraphs.iter().all(|text| text.trim() == *text && !text.is_empty()) => Ok(()),
        n => Err(format!("{n} paragraphs, or too many empty lines between them")),
    }
}

impl<'a> Scene<'a> {
    /// Parses the blocks of a section; files may be inherited from `start`.
    fn parse(start: Scene<'a>, section: &[&'a str]) -> Result<Self, String> {
        let mut scene = start;
        let mut lines = section.iter().copied();
        let mut seen = BTreeSet::new();
        while let Some(line) = lines.next() {
            if line.is_empty() {
                continue;
            }
            let info = line.strip_prefix("```").ok_or(format!("outside of blocks: {line}"))?;
            let n_left = lines.len();
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if body.len() == n_left {
                return Err(format!("the block `{info}` is not closed"));
            }
            if !seen.insert(info) {
                return Err(format!("two blocks `{info}`"));
            }
            if seen.contains("sh") && info != "sh" {
                return Err("the block `sh` is not the last one".to_owned());
            }
            match info.split_once(' ') {
                None if info == "sh" => {
                    let (last, preparation) = body.split_last().ok_or("an empty block `sh`")?;
                    if !last.starts_with("star ") {
                        return Err(format!("the last line does not run `star`: {last}"));
                    }
                    (scene.line, scene.preparation) = (last, preparation.to_vec());
                }
                Some((kind, name)) if kind == "text" || is_program(kind, name) => {
                    let stays = |part| matches!(part, Component::Normal(_));
                    if !Path::new(name).components().all(stays) {
                        return Err(format!("`{name}` leads out of the folder"));
                    }
                    scene.files.insert(name, body.join("\n") + "\n");
                }
                Some(_) | None => return Err(format!("an unknown kind of block: `{info}`")),
            }
        }
        match seen.is_empty() {
            true => Err("a section without blocks".to_owned()),
            false => Ok(scene),
        }
    }

    /// Runs the lines and compares the codes of the last one.
    fn shows(&self, wanted: &BTreeSet<String>, stops: bool) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in &self.files {
            let path = folder.path().join("work").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(folder.path().join("work")).unwrap();
        let before = shell(folder.path(), &self.preparation.join("\n"));
        if before.code != 0 || !before.stderr.is_empty() {
            return Err(format!("the preparation fails: {before:#?}"));
        }
        let ran = shell(folder.path(), self.line);
        if codes_of(&ran.stderr) != *wanted {
            return Err(format!("`{}` shows other codes: {ran:#?}", self.line));
        }
        match ran.code {
            0 if !stops => Ok(()),
            1..=5 if stops => Ok(()),
            _ => Err(format!("`{}` ends in another way: {ran:#?}", self.line)),
        }
    }
}

fn is_program(kind: &str, name: &str) -> bool {
    kind == "star" && name.ends_with(".star")
}

/// Returns the codes of messages: `E0301` for a line that begins with `error[E0301]`.
fn codes_of(stderr: &str) -> BTreeSet<String> {
    let heads = stderr.lines().filter_map(|line| {
        let rest =
            ["error[", "warning[", "note["].into_iter().find_map(|head| line.strip_prefix(head))?;
        Some(rest.split_once(']')?.0.to_owned())
    });
    heads.collect()
}

/// The outcome of a shell run.
#[derive(Debug)]
#[allow(dead_code, reason = "all of it is shown when a test fails")]
struct Ran {
    code: i32,
    stderr: String,
}

/// Runs lines in the folder `work`, with `star` in the path, up to the first failure.
fn shell(folder: &Path, lines: &str) -> Ran {
    let star = Path::new(env!("CARGO_BIN_EXE_star"));
    let others = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{others}", star.parent().unwrap().display());
    let log = folder.join("stderr");
    // `timeout` also ends the child processes of the shell.
    let status = Command::new("timeout")
        .args([PATIENCE, "sh", "-e", "-c", lines])
        .current_dir(folder.join("work"))
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log).unwrap())
        .status()
        .unwrap();
    let stderr = fs::read(&log).unwrap();
    Ran { code: status.code().unwrap_or(-1), stderr: String::from_utf8_lossy(&stderr).into_owned() }
}
