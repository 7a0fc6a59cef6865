//! `star gen`.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Folder, Ran, kill, written_aside};

/// Every kind with a file for it.
const KINDS: [&str; 12] = [
    "gnp -n 50 -p 0.1 -o f.gr",
    "gnm -n 50 -m 100 --undirected --max-weight 9 -o f.mtx",
    "dag -n 50 -p 0.1 --shuffle -o f.txt",
    "dag -n 50 -m 60 -o f.stb",
    "rmat --scale 6 --edge-factor 4 -o f.el",
    "road --rows 6 --columns 7 --diagonals 0.5 --connected -o f.gr",
    "table --rows 70 --widths 8,3 -o f.stb",
    "terrain --size 3 --bits 12 -o f.stb",
    "blocks --rows 20 --columns 30 --impassable 0.4 -o f.npz",
    "country --rows 20 --columns 30 --impassable 0.4 -o f.npy",
    "curve --rows 20 --columns 30 -o f.stb --mask m.mtx",
    "updates -n 20 -k 50 --max-weight 9 --whole-vertices 1 -o f.updates",
];

fn generate(folder: &Folder, line: &str) -> Ran {
    folder.shell(&format!("$STAR gen {line}"))
}

#[test]
fn files_depend_on_the_seed_only() {
    for line in KINDS {
        let folder = Folder::new(&[]);
        let name = line.split(' ').find(|word| word.starts_with("f.")).unwrap();
        let mut bytes = Vec::new();
        for seed in [1, 1, 2] {
            let ran = generate(&folder, &format!("{line} --seed {seed}"));
            ran.prints("");
            let file = std::fs::read(folder.path(name)).unwrap();
            let mask = std::fs::read(folder.path("m.mtx")).map_or(0, |mask| mask.len());
            let told = format!("{} bytes in ", file.len() + mask);
            assert!(ran.stderr.starts_with(&format!("{name}: ")), "{ran:?}");
            assert!(ran.stderr.contains(&told), "{told}: {ran:?}");
            assert!(ran.stderr.ends_with(&format!(" s, seed {seed}\n")), "{ran:?}");
            bytes.push(file);
        }
        assert!(bytes[0] == bytes[1] && bytes[0] != bytes[2], "{line}");
        let quiet = generate(&folder, &format!("{line} --quiet"));
        assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
        assert_eq!(std::fs::read(folder.path(name)).unwrap(), bytes[0], "seed 1 is the default");
    }
}

#[test]
fn programs_read_generated_files() {
    let text = "procedure P(T: table); begin print(rows(T), \" \", size(T)) end;";
    let folder = Folder::new(&[("p.star", text)]);
    let cases = [
        ("gnm -n 50 -m 100", "gr", "50 50\n"),
        ("gnm -n 50 -m 100 --undirected", "mtx", "50 50\n"),
        ("gnp -n 50 -p 0.5", "stb", "50 50\n"),
        ("table --rows 70 --widths 8,3", "stb", "70 11\n"),
        ("table --rows 70 --widths 8,3", "mtx", "70 11\n"),
        ("terrain --size 3 --bits 12", "stb", "81 12\n"),
        ("blocks --rows 5 --columns 7 --impassable 0.4", "stb", "35 2\n"),
        ("country --rows 5 --columns 7 --impassable 0.4", "stb", "35 16\n"),
    ];
    for (line, extension, printed) in cases {
        generate(&folder, &format!("{line} -o f.{extension}")).prints("");
        let ran = folder.star(&["run", "p.star", &format!("T=f.{extension}")]);
        ran.prints(printed);
    }
    // An undirected graph contains each edge in both directions, in the requested number.
    let edges = "procedure E(m: integer; T: table); begin print(m, \" \", rows(T)) end;";
    folder.write("e.star", edges.as_bytes());
    generate(&folder, "gnm -n 50 -m 100 --undirected --max-weight 5 -o f.mtx").prints("");
    folder.star(&["run", "e.star", "--graph", "f.mtx", "T=arcs:f.mtx"]).prints("100 100\n");
}

#[test]
fn masks_show_the_curve_in_the_image() {
    let folder = Folder::new(&[]);
    let line = "curve --rows 20 --columns 30 --noise 0 --line 255 --ground 0 -o i.stb --mask m.stb";
    generate(&folder, line).prints("");
    let text = "procedure P(I, M: table);
                var X, Y: slice; i, n: integer;
                begin X := COL(1, I);
                  n := 0;
                  for i := 1 to size(M) do begin Y := COL(i, M); n := n + NUMB(Y) end;
                  print(NUMB(X) = n, \" \", n > 30) end;";
    folder.write("p.star", text.as_bytes());
    folder.star(&["run", "p.star", "I=i.stb", "M=m.stb"]).prints("true true\n");
}

#[test]
fn invalid_parameters_are_reported_and_nothing_is_written() {
    let folder = Folder::new(&[]);
    let cases: [(&str, i32, &[&str]); 24] = [
        ("gnp -n 10 -p 1.5 -o f.gr", 2, &["error[E0605]: `probability` is 1.5", "from 0 to 1"]),
        ("gnm -n 10 -m 91 -o f.gr", 2, &["error[E0605]: `arcs` is 91", "at most 90"]),
        ("gnm -n 10 -m 9 --max-weight -3 -o f.gr", 2, &["error[E0605]: `max-weight` is -3"]),
        ("dag -n 10 -o f.gr", 2, &["error[E0608]", "--probability <P>|--arcs <M>"]),
        ("rmat -o f.gr", 2, &["error[E0608]", "--vertices <N>|--scale <S>"]),
        ("rmat --scale 32 -o f.gr", 2, &["error[E0608]", "`--scale <S>`: it must be from 0 to 31"]),
        ("gnp -n 10 -p 0.1", 2, &["error[E0608]"]),
        ("gnm -n 10 -m -1 -o f.gr", 2, &["`-1` for `--arcs <M>`: it must not be negative"]),
        ("gnm -n 10 -m 1 --seed -1 -o f.gr", 2, &["`--seed <N>`: it must not be negative"]),
        ("table --rows -1 --widths 1 -o f.stb", 2, &["`--rows <N>`: it must not be negative"]),
        (
            "rmat --scale 4 --edge-factor -1 -o f.gr",
            2,
            &["`--edge-factor <N>`: it must not be negative"],
        ),
        ("gnp -n 10 -p 1/2 -o f.gr", 2, &["`--probability <P>`: expected a number like `0.25`"]),
        ("curve --rows 9 --columns 9 --noise 1e9 -o f.pgm", 2, &["from 0 to 255"]),
        ("curve --rows 9 --columns 9 --line 256 -o f.pgm", 2, &["it must be from 0 to 255"]),
        ("terrain --size -1 -o f.pgm", 2, &["`--size <K>`: it must not be negative"]),
        ("rmat -n 10 -a 0.9 -b 0.9 -o f.gr", 2, &["error[E0605]: `a + b + c`"]),
        ("gnp -n 10 -p 0.1 -o f.xyz", 5, &["error[E0506]: f.xyz"]),
        ("gnp -n 10 -p 0.1 -o no/f.gr", 5, &["error[E0509]: no/f.gr"]),
        ("terrain --size 25 -o f.gr", 5, &["error[E0507]: f.gr"]),
        ("gnp -n 100000 -p 1 -o f.gr --max-memory 1M", 4, &["error[E0511]", "`--max-memory`"]),
        ("updates -k 5 -o f.updates", 2, &["error[E0608]", "--vertices"]),
        ("updates -n 5 -k 5 --graph g.gr -o f.updates", 2, &["error[E0608]"]),
        ("updates --graph g.gr -k 5 -o f.updates", 5, &["error[E0501]: g.gr: cannot open"]),
        ("updates -n 5 -k 5 -o f.gr", 5, &["error[E0507]: f.gr"]),
    ];
    for (line, code, parts) in cases {
        generate(&folder, line).fails(code, parts);
    }
    let twice = "curve --rows 9 --columns 9 -o f.stb --mask ./f.stb";
    generate(&folder, twice).fails(5, &["error[E0509]"]);
    // The image can be written but the mask cannot, so neither is.
    let half = "curve --rows 9 --columns 9 -o f.stb --mask f.gr";
    generate(&folder, half).fails(5, &["error[E0507]: f.gr"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn tables_have_a_number_per_field_if_widths_are_stored() {
    let text = "procedure P(T: table); begin print(T) end;";
    let folder = Folder::new(&[("p.star", text)]);
    for (widths, header) in
        [("16,16,1", "f1:16,f2:16,f3:1"), ("63", "f1:63"), ("40,40", "f1:40,f2:40")]
    {
        let table = format!("table --rows 10 --widths {widths}");
        generate(&folder, &format!("{table} -o t.csv")).prints("");
        let csv = std::fs::read_to_string(folder.path("t.csv")).unwrap();
        assert_eq!((csv.lines().next(), csv.lines().count()), (Some(header), 11));
        // The same bits as without fields.
        generate(&folder, &format!("{table} -o t.stb")).prints("");
        let bits = folder.star(&["run", "p.star", "T=t.stb"]).stdout;
        folder.star(&["run", "p.star", "T=t.csv"]).prints(&bits);
    }
    let refused = generate(&folder, "table --rows 10 --widths 3,64 -o u.csv");
    refused
        .fails(5, &["error[E0507]: u.csv: a field of 64 bits cannot be written as CSV", "`.stb`"]);
    generate(&folder, "table --rows 10 --widths 3,64 -o u.npy").prints("");
}

#[test]
fn rejections_state_the_requested_sizes_if_any() {
    let folder = Folder::new(&[]);
    let cases = [
        (
            "table --rows 10 --widths 16,16,1 -o t.gr",
            "a table of 10 × 33 cannot be written as DIMACS",
        ),
        ("terrain --size 3 -o h.tif", "a grid of heights cannot be written as TIFF"),
        ("terrain --size 3 -o h.pbm", "a grid of heights cannot be written as PBM"),
        ("terrain --size 3 -o h.map", "a grid of heights cannot be written as MovingAI map"),
        ("terrain --size 3 --bits 17 -o h.png", "a grid of heights cannot be written as PNG"),
        (
            "curve --rows 20 --columns 30 -o c.mtx",
            "a gray image cannot be written as Matrix Market",
        ),
        ("updates -n 9 -k 20 -o u.txt", "an update stream cannot be written as edge list"),
        ("updates -n 9 -k 20 -o u.png", "an update stream cannot be written as PNG"),
        ("gnp -n 4000000000 -p 0 -o a.graph", "a directed graph cannot be written as METIS"),
    ];
    for (line, message) in cases {
        let ran = generate(&folder, line);
        ran.fails(5, &["error[E0507]", message, "help: supported extensions: `."]);
    }
    assert_eq!(folder.names(), [""; 0]);
    generate(&folder, "gnp -n 9 -p 0.5 --undirected -o a.graph").prints("");
}

#[test]
fn generated_data_can_be_written_to_stdout() {
    let folder = Folder::new(&[]);
    let ran = generate(&folder, "gnm -n 9 -m 7 --seed 3 -o gr:-");
    assert!(ran.stderr.starts_with("gr:-: 9 vertices, 7 arcs, "), "{ran:?}");
    generate(&folder, "gnm -n 9 -m 7 --seed 3 -o f.gr").prints("");
    assert_eq!(ran.stdout, std::fs::read_to_string(folder.path("f.gr")).unwrap());
    // A reader that closes the pipe is not reported as an error.
    let ran = generate(&folder, "gnm -n 9000 -m 700000 -o gr:- | head -n 1; exit ${PIPESTATUS[0]}");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("p sp 9000 700000\n", ""));
    generate(&folder, "gnm -n 9 -m 7 -o /dev/stdout").fails(5, &["error[E0506]", "`gr:-`"]);
}

#[test]
fn graphs_without_vertices_round_trip() {
    let text = "procedure P(n: integer); begin print(n) end;";
    let folder = Folder::new(&[("p.star", text)]);
    let kinds = [
        "gnp -n 0 -p 0.5 --undirected",
        "gnm -n 0 -m 0 --undirected --shuffle",
        "gnm -n 0 -m 0 --undirected --max-weight 5",
    ];
    for kind in kinds {
        for extension in ["gr", "mtx", "graph", "txt"] {
            generate(&folder, &format!("{kind} -o f.{extension}")).prints("");
            let file = format!("f.{extension}");
            folder.star(&["run", "p.star", "--graph", &file]).prints("0\n");
        }
    }
    for kind in ["dag -n 0 -m 0", "dag -n 0 -p 1", "rmat -n 0"] {
        generate(&folder, &format!("{kind} -o f.gr")).prints("");
        folder.star(&["run", "p.star", "--graph", "f.gr"]).prints("0\n");
    }
}

#[test]
fn summary_counts_drawn_and_remaining_arcs() {
    let folder = Folder::new(&[]);
    let ran = generate(&folder, "rmat --scale 4 --edge-factor 1000 -o f.gr");
    assert!(ran.stderr.starts_with("f.gr: 16 vertices, 2"), "{ran:?}");
    assert!(ran.stderr.contains(" arcs, 16000 drawn, "), "{ran:?}");
}

#[test]
fn summary_is_json_if_messages_are() {
    let folder = Folder::new(&[]);
    let ran = generate(&folder, "gnm -n 9 -m 7 -o f.gr --seed 3 --error-format json");
    let object: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    let made = &object["generated"];
    assert_eq!((made["vertices"].as_u64(), made["arcs"].as_u64()), (Some(9), Some(7)));
    assert_eq!((made["seed"].as_u64(), made["file"].as_str()), (Some(3), Some("f.gr")));
    let n_bytes = std::fs::metadata(folder.path("f.gr")).unwrap().len();
    assert_eq!(made["bytes"].as_u64(), Some(n_bytes));
}

/// Interrupts `star gen` as soon as `begun` returns true; no files remain.
#[cfg(unix)]
fn interrupted(line: &str, begun: impl Fn(&Folder, &Child, Duration) -> bool) {
    let folder = Folder::new(&[]);
    let arguments: Vec<&str> = std::iter::once("gen").chain(line.split(' ')).collect();
    let mut command = folder.command(&arguments);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !begun(&folder, &child, start.elapsed()) {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::sleep(Duration::from_millis(2));
    }
    let start = Instant::now();
    kill(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    ran.fails(130, &["error[L0106]", "interrupted"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn interrupting_generation_leaves_no_file() {
    // Many thick discs, which would take minutes.
    let line = "curve --rows 1024 --columns 9000 --bends 9000 --thickness 900 -o f.stb";
    interrupted(line, |_, _, elapsed| elapsed > Duration::from_millis(500));
}

#[cfg(unix)]
#[test]
fn interrupting_writing_leaves_no_file() {
    let line = "gnm -n 100000 -m 4000000 --max-weight 1000000 -o f.gr";
    interrupted(line, |folder, child, _| written_aside(folder, child));
}

#[test]
fn unknown_kinds_and_sides_get_a_suggestion() {
    let folder = Folder::new(&[]);
    let unknown = generate(&folder, "foo -o x.stb");
    unknown.fails(2, &["unknown kind of data `foo`", "the kinds are `gnp`", "`moving`"]);
    assert!(!unknown.stderr.contains("did you mean"), "{unknown:?}");
    generate(&folder, "image").fails(2, &["did you mean `star gen curve`?"]);
    generate(&folder, "terain").fails(2, &["did you mean `star gen terrain`?"]);
    let help = "the side has 2^K + 1 cells; `--size 6` gives 65";
    generate(&folder, "terrain --size 64 -o x.stb").fails(2, &[help]);
}
