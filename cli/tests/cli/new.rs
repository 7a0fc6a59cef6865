//! `star new`: the created folder, and every suggested command.

use std::process::Stdio;
use std::time::Duration;

use crate::support::{Folder, kill, star_in};

#[test]
fn all_suggested_commands_of_all_templates_succeed() {
    for (template, data, runs, benchmark, views) in [
        ("", "flights.txt", "from 1: 5 of 6\n", "reach in sparse graphs", "flights.svg: a graph"),
        ("table", "trips.csv", "row 4: 48 minutes\nrow 6: 48 minutes\n", "longest trips", ""),
        ("grid", "maze.map", "16 steps\n", "routes on large grids", "maze.svg: `passable`"),
        ("benchmark", "numbers.csv", "by columns 47, by rows 47\n", "(BY_ROWS)", ""),
    ] {
        let folder = Folder::new(&[]);
        let mut words = vec!["new", "net-work_1"];
        if !template.is_empty() {
            words.extend(["--template", template]);
        }
        let made = folder.star(&words);
        assert_eq!((made.code, made.stderr.as_str()), (0, ""), "{made:?}");
        let files = format!("net-work_1/net-work_1.star\nnet-work_1/data/{data}\n");
        assert!(made.stdout.starts_with(&files), "{made:?}");
        let inside = folder.path("net-work_1");
        let readme = std::fs::read_to_string(inside.join("README.md")).unwrap();
        let commands = made.stdout.lines().filter_map(|line| line.strip_prefix("  star "));
        let mut done = Vec::new();
        for line in commands {
            let (command, _) = line.split_once("  ").unwrap();
            assert!(readme.contains(&format!("star {command}\n")), "{command} in {readme}");
            let mut words: Vec<&str> = command.split(' ').collect();
            done.push(words[0].to_owned());
            if words[0] == "bench" {
                words.push("--quick");
            }
            let ran = star_in(&inside, &words);
            assert_eq!(ran.code, 0, "{command}: {ran:?}");
            let shown = ran.stdout + &ran.stderr;
            let part = match words[0] {
                "run" => runs,
                "test" => "all passed",
                "bench" => benchmark,
                "view" => views,
                "check" => "for",
                other => panic!("{other} is not looked at"),
            };
            assert!(shown.contains(part), "{command}: {shown}");
        }
        let mut expected = vec!["run", "test", "bench", "view", "check"];
        expected.retain(|command| match *command {
            "view" => !views.is_empty(),
            "check" => template != "grid",
            _ => true,
        });
        assert_eq!(done, expected, "{template}");
        let file = "net-work_1.star";
        for words in [&["fmt", "--check", file][..], &["doc", "--test", file], &["check", file]] {
            let ran = star_in(&inside, words);
            assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
            assert!(!ran.stderr.contains("warning"), "{ran:?}");
        }
    }
}

#[test]
fn existing_folders_are_kept_and_names_are_plain() {
    let folder = Folder::new(&[("mine", "text"), ("there/x", "")]);
    for name in ["mine", "there"] {
        folder
            .star(&["new", name])
            .fails(5, &["error[E0509]", &format!("{name}: it already exists")]);
    }
    for name in ["", "1st", "a b", "..", "ж", "x.star"] {
        folder.star(&["new", name]).fails(2, &["is not a valid program name"]);
    }
    folder
        .star(&["new", "free", "--template", "tree"])
        .fails(2, &["graph, table, grid, benchmark"]);
    assert_eq!(folder.names(), ["mine", "there"]);
    assert_eq!(folder.star(&["new", "sub/deep"]).code, 0);
}

#[test]
fn signals_leave_no_incomplete_folder() {
    for delay in 0..40 {
        let folder = Folder::new(&[]);
        let mut child = folder.command(&["new", "net"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(200 * delay));
        let signal = if delay % 2 == 0 { "-INT" } else { "-TERM" };
        kill(&child, signal);
        child.wait().unwrap();
        let names = |name: &str| {
            let entries = std::fs::read_dir(folder.path(name)).into_iter().flatten();
            entries.count()
        };
        let found = (names("net"), names("net/data"));
        assert!([(0, 0), (3, 1)].contains(&found), "{found:?} after {delay} steps");
        assert_eq!(folder.names().len(), found.1);
    }
}

/// Files and folders below a folder.
fn count(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| 1 + count(&entry.path())).sum()
}

#[test]
fn two_signals_leave_no_incomplete_folder() {
    let doc = |format| ["doc", "--format", format, "--out", "made/pages"];
    for command in [&["new", "made"][..], &doc("html"), &doc("md")] {
        let whole = Folder::new(&[]);
        let start = std::time::Instant::now();
        assert_eq!(whole.star(command).code, 0);
        let (took, n_files) = (start.elapsed(), count(&whole.path("made")));
        for step in 0..24 {
            let folder = Folder::new(&[]);
            let mut child = folder.command(command).stdout(Stdio::null()).spawn().unwrap();
            // Most attempts hit the end, where files are written.
            let wait = if step < 8 { took * step / 8 } else { took * (step + 16) / 40 };
            std::thread::sleep(wait);
            let id = child.id();
            folder.shell(&format!("kill -INT {id}; kill -TERM {id}; kill -INT {id}"));
            child.wait().unwrap();
            let found = count(&folder.path("made"));
            assert!([0, n_files].contains(&found), "{command:?} left {found} files at {wait:?}");
            assert_eq!(folder.names().len(), usize::from(found > 0), "{command:?} at {wait:?}");
            if command[0] == "new" && found == 0 {
                assert_eq!(folder.star(command).code, 0);
            }
        }
    }
}
