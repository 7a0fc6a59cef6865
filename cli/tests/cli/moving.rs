//! `star moving` and `star gen moving`.

use std::collections::BTreeMap;

use crate::support::{Folder, Ran};

const UPDATES: &str = "t,id,x,y\n1,1,10,10\n1,2,20,20\n2,1,500,500\n";

fn moving(folder: &Folder, line: &str) -> Ran {
    folder.shell(&format!("$STAR moving {line}"))
}

/// Returns the lines after the first one as numbers.
fn rows(text: &str) -> Vec<Vec<i64>> {
    let row = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect();
    text.lines().skip(1).map(row).collect()
}

/// Computes the answers to a stream of queries by the definition.
fn brute(updates: &str, queries: &str) -> Vec<Vec<i64>> {
    let (updates, queries) = (rows(updates), rows(queries));
    let mut times: Vec<i64> = updates.iter().chain(&queries).map(|row| row[0]).collect();
    times.sort_unstable();
    times.dedup();
    let (mut at, mut answers) = (BTreeMap::new(), Vec::new());
    for time in times {
        for query in queries.iter().filter(|query| query[0] == time) {
            let [x1, y1, x2, y2] = [2, 3, 4, 5].map(|idx| query[idx]);
            for (&id, &(x, y)) in &at {
                if x1 <= x && x <= x2 && y1 <= y && y <= y2 {
                    answers.push(vec![time, query[1], id]);
                }
            }
        }
        for update in updates.iter().filter(|update| update[0] == time) {
            at.insert(update[1], (update[2], update[3]));
        }
    }
    answers.sort();
    answers
}

fn mix64(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[test]
fn answers_match_the_definition_in_both_formats() {
    for options in ["", "--hubs 4 --deviation 50000"] {
        let folder = Folder::new(&[]);
        let sizes = "-n 2000 --updates 5000 --batch 700 --side 1000000 --query-side 60000";
        for extension in ["csv", "moving"] {
            let made = folder.shell(&format!(
                "$STAR gen moving {sizes} {options} -o u.{extension} --queries q.{extension}"
            ));
            let told = format!("u.{extension}, q.{extension}: 7000 updates, 500 queries, ");
            made.fails(0, &[told.as_str(), "seed 1\n"]);
        }
        let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
        let expected = brute(&text("u.csv"), &text("q.csv"));
        assert!(expected.len() > 1000, "{}", expected.len());
        moving(&folder, "u.csv q.csv -o a.csv").fails(0, &["7000 updates in 9 batches"]);
        assert_eq!(rows(&text("a.csv")), expected);
        let printed = moving(&folder, "u.moving q.moving --quiet");
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
        assert_eq!(printed.stdout, text("a.csv"));
        let hash = expected.iter().fold(0u64, |sum, row| {
            sum.wrapping_add(mix64(((row[1] as u64) << 32) + row[2] as u64))
        });
        let hashed = moving(&folder, "u.moving q.csv --hash --threads 1 -q");
        hashed.prints(&format!("answers {}\nhash {hash}\n", expected.len()));
    }
}

#[test]
fn queries_see_the_batches_before_their_own() {
    let queries =
        "1,1,0,0,30,30\n2,2,0,0,30,30\n3,3,0,0,30,30\n3,4,10,10,10,10\n9,7,20,20,500,500\n";
    let folder = Folder::new(&[("u.csv", UPDATES), ("q.csv", queries)]);
    let expected = "t,qid,id\n2,2,1\n2,2,2\n3,3,2\n9,7,1\n9,7,2\n";
    moving(&folder, "u.csv q.csv -q").prints(expected);
    moving(&folder, "u.csv q.csv -q --area 100,100,200,300").prints(expected);
    moving(&folder, "u.csv -q").prints("t,qid,id\n");
}

#[test]
fn objects_can_return_and_the_last_update_of_a_batch_counts() {
    let updates = "1,1,5,5\n1,1,6,6\n1,2,5,5\n1,2,,\n1,3,,\n2,1,,\n2,2,7,7\n2,3,7,7\n2,3,8,8\n";
    let queries = "2,1,0,0,9,9\n3,2,0,0,9,9\n3,3,8,8,8,8\n";
    let folder = Folder::new(&[("u.csv", updates), ("q.csv", queries)]);
    let ran = moving(&folder, "u.csv q.csv");
    assert_eq!(ran.stdout, "t,qid,id\n2,1,1\n3,2,2\n3,2,3\n3,3,3\n");
    ran.fails(0, &["3 new, 1 removed, 3 superseded, 1 removal of unknown objects"]);
}

#[test]
fn data_before_a_fault_are_used() {
    let cases = [
        ("2,2,NaN,0\n", "E0502", "u.csv:4:5: `NaN` is not a whole number"),
        ("2,8,3,3\n", "E0504", "u.csv:4:3: id 8 exceeds 7, the declared number of objects"),
        ("2,2,3", "E0503", "u.csv:4:6: expected y, found the end of the file"),
        ("0,2,3,3\n", "E0504", "u.csv:4:1: timestamps must not decrease: 0 follows 2"),
    ];
    // The last query would need all of batch 2, which is incomplete.
    let queries = "1,1,0,0,99,99\n2,2,0,0,99,99\n3,3,0,0,99,99\n";
    for (line, code, message) in cases {
        let updates = format!("1,1,1,1\n1,2,2,2\n2,1,3,3\n{line}");
        let folder = Folder::new(&[("u.csv", &updates), ("q.csv", queries)]);
        let ran = moving(&folder, "u.csv q.csv -o a.csv --objects 7");
        ran.fails(5, &[&format!("error[{code}]: {message}"), "3 updates in 2 batches"]);
        let answers = std::fs::read_to_string(folder.path("a.csv")).unwrap();
        assert_eq!(answers, "t,qid,id\n2,2,1\n2,2,2\n");
    }
    // The time of the fault is known: no update before it is missing.
    let queries = "1,1,0,0,99,99\n3,2,0,0,99,99\n5,3,0,0,99,99\n6,4,0,0,99,99\n";
    let folder = Folder::new(&[("u.csv", "0,1,5,5\n5,2,x,6\n"), ("q.csv", queries)]);
    let mut cut = b"STARMOVU".to_vec();
    for (time, record) in [(0u64, &[1, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0][..]), (5, &[2, 0, 0])] {
        cut.extend(time.to_le_bytes());
        cut.extend([1, 0, 0, 0]);
        cut.extend(record);
    }
    folder.write("cut.moving", &cut);
    for (updates, place) in [("u.csv", "u.csv:2:5"), ("cut.moving", "the batch of time 5")] {
        let ran = moving(&folder, &format!("{updates} q.csv"));
        ran.fails(5, &[place]);
        assert_eq!(ran.stdout, "t,qid,id\n1,1,1\n3,2,1\n5,3,1\n", "{updates}");
    }
    // Queries before a fault are answered, including those of its batch.
    let queries = "2,1,0,0,99,99\n2,2,0,0,99,\n";
    let folder = Folder::new(&[("u.csv", UPDATES), ("q.csv", queries)]);
    let ran = moving(&folder, "u.csv q.csv");
    ran.fails(5, &["error[E0502]: q.csv:2:12: expected y2, found the end of the line"]);
    assert_eq!(ran.stdout, "t,qid,id\n2,1,1\n2,1,2\n");
    // After a fault in the queries, nothing else is processed, whether the fault is in the current
    // batch or the next one.
    for bad in ["2,2,0,0,99,\n", "3,2,0,0,99,\n"] {
        let queries = format!("2,1,0,0,99,99\n{bad}4,3,0,0,9,9\n");
        let folder =
            Folder::new(&[("u.csv", &(UPDATES.to_owned() + "9,9,9,9\n")), ("q.csv", &queries)]);
        let ran = moving(&folder, "u.csv q.csv");
        ran.fails(5, &["error[E0502]: q.csv:2:12", "3 updates in 2 batches, 1 query"]);
        assert_eq!(ran.stdout, "t,qid,id\n2,1,1\n2,1,2\n");
    }
    let ran = moving(&folder, "u.csv u.csv");
    ran.fails(5, &["E0502", "u.csv:1:1: expected `t,qid,x1,y1,x2,y2`, found `t,id,x,y`"]);
    moving(&folder, "none.csv q.csv").fails(5, &["E0501", "none.csv"]);
    moving(&folder, "u.csv --area 1,2,3").fails(2, &["expected four integers"]);
}

#[test]
fn messages_show_whole_lines() {
    let folder = Folder::new(&[]);
    for (updates, line) in [
        ("0,x,10,20\n", "0,x,10,20"),
        ("0,1,2,300000000x\n", "0,1,2,300000000x"),
        ("t,id,x,z\n", "t,id,x,z"),
        ("0,1,2", "0,1,2"),
    ] {
        folder.write("u.csv", updates.as_bytes());
        moving(&folder, "u.csv").fails(5, &[&format!("1 │ {line}\n")]);
    }
    // A line at the end of the bytes that a pipe or a buffer holds.
    let ran =
        folder.shell("(printf '0,1,2'; sleep 0.2; printf 'x,3\\n') | $STAR moving /dev/stdin");
    ran.fails(5, &["1 │ 0,1,2x,3\n"]);
    let many = "0,1,2,3\n".repeat(32_766) + "0,1,22,3\n0,1,2222222222x,3333\n";
    folder.write("u.csv", many.as_bytes());
    moving(&folder, "u.csv").fails(5, &["32768 │ 0,1,2222222222x,3333\n"]);
}

#[test]
fn truncated_binary_streams_keep_earlier_batches() {
    let folder = Folder::new(&[]);
    let sizes = "-n 100 --updates 250 --batch 100 --side 1000 --query-side 1000";
    folder.shell(&format!("$STAR gen moving {sizes} -o u.moving --queries q.csv -q")).prints("");
    let bytes = std::fs::read(folder.path("u.moving")).unwrap();
    // Within a record of the last batch, the 41st of 50.
    folder.write("cut.moving", &bytes[..bytes.len() - 10 * 12 + 5]);
    let ran = moving(&folder, "cut.moving q.csv --picture p.png --hash");
    let message =
        "the file ends in the middle of the batch of time 3: 40 of 50 records are present";
    ran.fails(5, &["E0503", message, "340 updates in 4 batches, 25 queries"]);
    let whole = moving(&folder, "u.moving q.csv --hash -q");
    assert_eq!(ran.stdout, whole.stdout);
    let picture = std::fs::read(folder.path("p.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"), "{picture:?}");
}

#[test]
fn extensions_select_the_format_of_streams() {
    let folder = Folder::new(&[]);
    let make = |line: &str| folder.shell(&format!("$STAR gen moving -n 9 --updates 9 {line}"));
    make("-o u.txt --queries q.csv").fails(5, &["E0506", "`.moving` for binary"]);
    make("-o u.csv --queries u.csv").fails(5, &["two outputs must not share a file"]);
    make("-o no/u.csv --queries q.csv").fails(5, &["E0509"]);
    make("-o u.csv --queries q.csv --query-side 0 --side 0").fails(2, &["`side` is 0"]);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn limits_end_the_run_with_their_codes() {
    let folder = Folder::new(&[("u.csv", UPDATES), ("far.csv", "1,200000000,1,1\n")]);
    folder.shell(
        "$STAR gen moving -n 20000 --updates 200000 --batch 1000 -o g.csv --queries q.csv -q",
    );
    let help = "`--max-memory` sets the budget";
    let ran = moving(&folder, "g.csv q.csv -o a.csv --max-memory 256K");
    ran.fails(4, &["error[E0511]: ", "the budget is 256.0 KiB", help]);
    assert!(!folder.names().contains(&"a.csv".to_owned()), "no half of a file");
    // The index of ids alone would need 1.6 GB.
    moving(&folder, "far.csv --max-memory 1G").fails(4, &["E0511", "1.5 GiB of memory", help]);
    moving(&folder, "u.csv --max-memory 1M -q").prints("t,qid,id\n");
    let ran = moving(&folder, "g.csv q.csv --max-time 1ms");
    ran.fails(4, &["error[L0103]: ", "the time is up", "`--max-time` sets this limit"]);
    let ran = moving(&folder, "far.csv --objects 100");
    ran.fails(5, &["id 200000000 exceeds 100, the declared number of objects"]);
    let folder = Folder::new(&[("far.csv", "1,300000000,1,1\n")]);
    let told = "id 300000000 exceeds 268435456, the maximum without a declaration";
    moving(&folder, "far.csv").fails(5, &[told, "declare a greater number with `--objects N`"]);
}

#[test]
#[cfg(unix)]
fn closed_stdout_ends_quietly() {
    let folder = Folder::new(&[]);
    folder.shell("$STAR gen moving -n 2000 --updates 400000 --query-side 100000 --side 1000000 -o u.moving --queries q.moving -q");
    // Far more answers than a pipe and its buffers hold.
    let ran = folder.shell("( $STAR moving u.moving q.moving; echo left with $? >&2 ) | head -n 1");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("t,qid,id\n", "left with 141\n"));
}

#[test]
fn missing_streams_leave_no_files() {
    let folder = Folder::new(&[("u.csv", UPDATES)]);
    let ran = moving(&folder, "nix.csv");
    ran.fails(5, &["nix.csv"]);
    assert_eq!(ran.stdout, "");
    let ran = moving(&folder, "u.csv nix.csv");
    ran.fails(5, &["nix.csv"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn inverted_rectangles_are_refused() {
    let header = "t,qid,x1,y1,x2,y2\n";
    let folder = Folder::new(&[("u.csv", "t,id,x,y\n1,1,2,3\n")]);
    for (query, place, message) in [
        ("2,1,9,0,3,9", "q.csv:2:9", "x2 is 3, less than x1, which is 9"),
        ("2,1,0,9,9,-3", "q.csv:2:11", "y2 is -3, less than y1, which is 9"),
    ] {
        folder.write("q.csv", format!("{header}{query}\n").as_bytes());
        let ran = folder.star(&["moving", "u.csv", "q.csv"]);
        ran.fails(5, &["error[E0504]", place, message]);
    }
    folder.write("q.csv", format!("{header}2,1,2,3,2,3\n").as_bytes());
    folder.star(&["moving", "u.csv", "q.csv", "--quiet"]).prints("t,qid,id\n2,1,1\n");
    for (area, message) in [
        ("9,0,0,9", "X1 is 9, greater than X2, which is 0"),
        ("0,9,9,-1", "Y1 is 9, greater than Y2, which is -1"),
    ] {
        let ran = folder.star(&["moving", "u.csv", "q.csv", "--area", area]);
        ran.fails(2, &["--area", message]);
    }
}

#[test]
fn formats_of_pictures_are_named() {
    let folder = Folder::new(&[("u.csv", "t,id,x,y\n1,1,2,3\n")]);
    let ran = folder.star(&["moving", "u.csv", "--picture", "p.txt"]);
    ran.fails(5, &["error[E0507]", "the picture cannot be written as", "`.png`", "`.ppm`"]);
    let ran = folder.star(&["moving", "u.csv", "--picture", "p.xyz"]);
    ran.fails(5, &["error[E0506]", "`.png`"]);
    assert!(!ran.stderr.contains("gr:-"), "{ran:?}");
}

#[cfg(feature = "gpu")]
#[test]
fn a_graphics_card_gives_the_same_answers_and_pictures() {
    let folder =
        Folder::new(&[("gone.csv", "t,id,x,y\n1,1,2,3\n1,1,,\n2,1,,\n2,1,,\n2,9,,\n3,1,7,7\n")]);
    folder.shell(
        "$STAR gen moving -n 900 --updates 3000 --batch 400 --side 100000 --query-side 9000 \
         -o u.csv --queries q.csv",
    );
    let ran = moving(&folder, "u.csv q.csv -o gpu.csv --backend gpu --picture gpu.png");
    if ran.stderr.contains("`gpu` is not available") {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{ran:?}");
        return;
    }
    ran.fails(0, &["3900 updates in 9 batches", "objects in", " cells, "]);
    moving(&folder, "u.csv q.csv -o cpu.csv --picture cpu.png -q").fails(0, &[]);
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("cpu.csv").len() > 1000);
    assert!(read("gpu.csv") == read("cpu.csv") && read("gpu.png") == read("cpu.png"));
    let hashes = ["cpu", "gpu"].map(|backend| {
        let ran = moving(&folder, &format!("u.csv q.csv --hash -q --backend {backend}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    });
    assert_eq!(hashes[0], hashes[1]);
    // Of one batch and the next one, removals of objects that are not there.
    for backend in ["cpu", "gpu"] {
        moving(&folder, &format!("gone.csv --backend {backend}"))
            .fails(0, &["1 new, 0 removed, 2 superseded, 3 removals of unknown objects"]);
    }
    // Faults of a stream end it as on the CPU.
    folder.write("late.csv", b"t,id,x,y\n2,1,10,10\n1,1,5,5\n");
    folder.write("cut.csv", b"t,id,x,y\n1,1,10,10\n2,2,1");
    for stream in ["late.csv", "cut.csv"] {
        let both = ["cpu", "gpu"].map(|backend| {
            let ran = moving(&folder, &format!("{stream} q.csv -q --backend {backend}"));
            assert_ne!(ran.code, 0, "{ran:?}");
            (ran.code, ran.stdout, ran.stderr)
        });
        assert_eq!(both[0], both[1], "{stream}");
    }
}
