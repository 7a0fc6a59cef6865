//! The chapters of the book in `docs/src`, executed: files, commands, sessions and what they print.
//!
//! A block whose info string has a second word with a dot is a file (`star closure.star`); `sh`
//! holds commands, `output` what these print, `repl` a session (`repl new` begins another one).
//! `STAR_BLESS=1 cargo test -p star-cli --test cli book::` rewrites `output` and `repl` blocks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A chapter as alternating prose and blocks.
struct Block {
    /// The line with the opening fence and everything before it.
    before: String,
    /// The info string after the fence.
    info: String,
    /// The lines of the block, each with its line end.
    body: String,
}

/// Blocks of a page, and the text after the last one.
fn blocks(page: &str) -> (Vec<Block>, String) {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut open: Option<Block> = None;
    for line in page.split_inclusive('\n') {
        let fence = line.trim_end().strip_prefix("```");
        match (open.take(), fence) {
            (None, Some(info)) => {
                before.push_str(line);
                let before = std::mem::take(&mut before);
                open = Some(Block { before, info: info.trim().to_owned(), body: String::new() });
            }
            (None, None) => before.push_str(line),
            (Some(block), Some("")) => {
                before.push_str(line);
                found.push(block);
            }
            (Some(mut block), _) => {
                block.body.push_str(line);
                open = Some(block);
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    (found, before)
}

/// The name of the file that a block is, if it is one.
fn file_name(info: &str) -> Option<&str> {
    info.split_once(' ').map(|(_, name)| name).filter(|name| name.contains('.'))
}

/// A folder with the repository's examples and the files of these blocks.
fn folder_of(blocks: &[Block]) -> Folder {
    fn copy(folder: &Folder, from: &Path, to: &str) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{to}/{}", entry.file_name().into_string().unwrap());
            if entry.path().is_dir() {
                copy(folder, &entry.path(), &name);
            } else {
                folder.write(&name, &fs::read(entry.path()).unwrap());
            }
        }
    }
    let folder = Folder::new(&[]);
    copy(&folder, &root().join("examples"), "examples");
    for block in blocks {
        if let Some(name) = file_name(&block.info) {
            folder.write(name, block.body.as_bytes());
        }
    }
    folder
}

/// What the commands of a block print.
fn run_commands(folder: &Folder, commands: &str) -> String {
    let mut printed = String::new();
    for line in commands.lines().filter(|line| !line.trim().is_empty()) {
        let (command, code) = match line.split_once("  # exits with ") {
            Some((command, code)) => (command, code.trim().parse().unwrap()),
            None => (line, 0),
        };
        let command = command.strip_prefix("star ").map_or_else(
            || command.replace("| star ", "| $STAR "),
            |rest| format!("$STAR {}", rest.replace("| star ", "| $STAR ")),
        );
        let ran = folder.shell(&command);
        assert_eq!(ran.code, code, "{line}: {ran:#?}");
        printed += &ran.stdout;
        printed += &ran.stderr;
    }
    printed
}

/// Answers to the entries of a session. A command between two entries marks where an answer ends.
fn run_session(folder: &Folder, blocks: &[&Block]) -> Vec<String> {
    let mut input = String::new();
    for line in blocks.iter().flat_map(|block| block.body.lines()) {
        if let Some(entry) = line.strip_prefix("star> ") {
            input += &format!(":time off\n{entry}\n");
        } else if let Some(more) = line.strip_prefix("....> ") {
            input += &format!("{more}\n");
        }
    }
    folder.write("session.input", input.as_bytes());
    let shown = folder.shell("\"$STAR\" repl < session.input 2>&1").stdout;
    shown.split("time off\n").skip(1).map(|answer| answer.trim_end().to_owned()).collect()
}

/// The body of a `repl` block with these answers.
fn with_answers(body: &str, answers: &mut impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut answer = String::new();
    for line in body.lines() {
        if line.starts_with("star> ") {
            if !answer.is_empty() {
                text += &format!("{}\n", std::mem::take(&mut answer));
            }
            answer = answers.next().expect("an answer for each entry");
            text += &format!("{line}\n");
        } else if line.starts_with("....> ") {
            text += &format!("{line}\n");
        }
    }
    if !answer.is_empty() {
        text += &format!("{answer}\n");
    }
    text
}

/// Runs a chapter; yields the number of blocks that were executed.
fn check(path: &Path) -> usize {
    let page = fs::read_to_string(path).unwrap();
    let (mut blocks, rest) = blocks(&page);
    let folder = folder_of(&blocks);
    let mut sessions: Vec<Vec<usize>> = Vec::new();
    let mut printed: Option<String> = None;
    let mut n_run = 0;
    for (idx, block) in blocks.iter_mut().enumerate() {
        match block.info.as_str() {
            "sh" => {
                let more = run_commands(&folder, &block.body);
                printed.get_or_insert_default().push_str(&more);
                n_run += 1;
            }
            "output" => {
                let text = printed.take().expect("commands precede their output");
                block.body = format!("{}\n", text.trim_end());
            }
            "repl new" => sessions.push(vec![idx]),
            "repl" if sessions.is_empty() => sessions.push(vec![idx]),
            "repl" => sessions.last_mut().expect("it is not empty").push(idx),
            _ => {}
        }
    }
    for session in &sessions {
        let its: Vec<&Block> = session.iter().map(|idx| &blocks[*idx]).collect();
        let mut answers = run_session(&folder, &its).into_iter();
        for &idx in session {
            blocks[idx].body = with_answers(&blocks[idx].body, &mut answers);
            n_run += 1;
        }
        assert_eq!(answers.next(), None, "{}", path.display());
    }
    let found: String =
        blocks.iter().flat_map(|block| [block.before.as_str(), block.body.as_str()]).collect();
    let found = found + &rest;
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        fs::write(path, &found).unwrap();
    } else {
        let name = path.file_name().unwrap_or_default().display();
        assert!(
            found == page,
            "{name} shows other output than the program:\n{}",
            first_difference(&page, &found)
        );
    }
    n_run
}

/// The first lines that differ, with the lines around them.
fn first_difference(page: &str, found: &str) -> String {
    let (page, found): (Vec<&str>, Vec<&str>) = (page.lines().collect(), found.lines().collect());
    let at = page.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let part = |lines: &[&str]| {
        lines[at.min(lines.len())..].iter().take(8).copied().collect::<Vec<_>>().join("\n")
    };
    format!("line {}, page:\n{}\n\nprogram:\n{}", at + 1, part(&page), part(&found))
}

/// The chapters that `SUMMARY.md` lists, as paths in `docs/src`.
fn chapters() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    let links = summary.lines().filter_map(|line| line.split_once("](")?.1.split_once(')'));
    links.map(|(path, _)| path.to_owned()).collect()
}

/// A chapter with executed blocks and the least number of these.
macro_rules! chapters_run {
    ($($name:ident: $path:literal $least:literal),* $(,)?) => {
        /// The chapters with executed blocks.
        const RUN: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $name() {
                let n_run = check(&root().join("docs/src").join($path));
                assert!(n_run >= $least, "{n_run} blocks were executed");
            }
        )*
    };
}

chapters_run! {
    machine_shows_what_runs: "machine.md" 1,
    tour_shows_what_runs: "tour.md" 5,
    data_shows_what_runs: "data.md" 4,
    graphs_shows_what_runs: "graphs.md" 4,
    tables_shows_what_runs: "tables.md" 5,
    records_shows_what_runs: "records.md" 5,
    others_shows_what_runs: "others.md" 5,
    grids_shows_what_runs: "grids.md" 1,
    terrain_shows_what_runs: "terrain.md" 1,
    images_shows_what_runs: "images.md" 1,
    moving_shows_what_runs: "moving.md" 1,
    sessions_shows_what_runs: "sessions.md" 5,
    editor_shows_what_runs: "editor.md" 1,
    testing_shows_what_runs: "testing.md" 3,
    figures_shows_what_runs: "figures.md" 1,
    modules_shows_what_runs: "modules.md" 2,
    fast_shows_what_runs: "fast.md" 3,
    papers_shows_what_runs: "papers.md" 3,
}

#[test]
fn every_chapter_exists_and_every_executable_one_runs() {
    let chapters = chapters();
    assert!(chapters.len() > 20, "{chapters:?}");
    // The examples of messages run in the tests of these.
    for path in chapters.iter().filter(|path| *path != "reference/messages.md") {
        let page = fs::read_to_string(root().join("docs/src").join(path));
        let page = page.unwrap_or_else(|error| panic!("{path}: {error}"));
        let (blocks, _) = blocks(&page);
        let executable = ["sh", "output", "repl", "repl new"];
        let runs = blocks.iter().any(|block| executable.contains(&block.info.as_str()));
        assert!(!runs || RUN.contains(&path.as_str()), "{path} has blocks that no test executes");
    }
    for path in RUN {
        assert!(chapters.iter().any(|chapter| chapter == path), "{path} is not in SUMMARY.md");
    }
}

/// Returns the anchors of a page: its headings, in the form that mdBook gives them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_of_the_pages_lead_to_files_and_headings() {
    let root = root();
    let mut pages: Vec<PathBuf> =
        chapters().iter().map(|chapter| root.join("docs/src").join(chapter)).collect();
    let others = ["README.md", "CONTRIBUTING.md", "examples/README.md", "editors/README.md"];
    pages.extend(others.iter().map(|page| root.join(page)));
    let mut dead = Vec::new();
    let mut n_links = 0;
    for path in pages {
        let page = fs::read_to_string(&path).unwrap();
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://") && !link.contains(' ')) {
            n_links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let text = fs::read_to_string(&target).unwrap_or_default();
            let found = target.exists()
                && (anchor.is_empty() || anchors(&text).iter().any(|known| known == anchor));
            if !found {
                dead.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(n_links > 50, "{n_links}");
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}
