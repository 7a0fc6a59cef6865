//! Every file format in `star run`, with a small example of each.

use std::io::{Cursor, Write};

use crate::support::{Folder, PATH, WARSHALL};

/// Prints a table row by row.
const SHOW: &str = "procedure P(T: table); begin print(T) end;";

const TWO: &str = "procedure P(S,T: table); begin print(S) end;";

/// Copies a table from one file to another.
const COPY: &str = "procedure COPY(var T: table); var i: integer; begin i := rows(T) end;";

#[test]
fn metis_files_are_graphs() {
    let folder = Folder::new(&[("p.star", SHOW), ("g.graph", "3 2 1\n2 7\n1 7 3 5\n2 5\n")]);
    folder.star(&["run", "p.star", "T=g.graph"]).prints("010\n101\n010\n");
    let ran = folder.star(&["run", "p.star", "T=weight:g.graph", "h=3"]);
    ran.fails(5, &["error[E0508]", "h = 3"]);
    folder.star(&["run", "p.star", "T=weight:g.graph", "h=4"]).prints("0111\n0101\n");
    let bad = Folder::new(&[("p.star", SHOW), ("g.graph", "3 3\n2\n1 3\n2\n")]);
    bad.star(&["run", "p.star", "T=g.graph"]).fails(5, &["error[E0505]", "g.graph:1:3"]);
}

#[test]
fn shared_offsets_are_those_of_all_fields() {
    let program = "procedure P(T: table; v: word; var X: slice(T)); begin CLR(X) end;";
    let folder = Folder::new(&[("p.star", program), ("a.csv", "x,y\n-3,1\n2,-7\n")]);
    let run = ["run", "p.star", "T=field:x:a.csv", "v=code:x=2:a.csv"];
    let note = |more: &[&str]| folder.star(&[&run[..], more].concat()).stderr;
    let ran = note(&[]);
    assert!(ran.contains("field `x` is stored with offset -3 (its minimum)"), "{ran}");
    let ran = note(&["codes=shared"]);
    let shared = "with offset -7 (the minimum of the fields that share codes)";
    assert!(ran.contains(shared), "{ran}");
}

#[test]
fn coordinates_are_stored_with_their_minimum_as_offset() {
    let text = "p aux sp co 3\nv 1 -2 5\nv 3 1 6\nv 2 0 4\n";
    let folder = Folder::new(&[("p.star", SHOW), ("g.co", text)]);
    let ran = folder.star(&["run", "p.star", "T=g.co"]);
    ran.prints("00101\n10100\n11110\n");
    assert!(ran.stderr.contains("field `x` is stored with offset -2 (its minimum)"), "{ran:?}");
    assert!(ran.stderr.contains("`x` in columns 1 to 2, `y` in columns 3 to 5"), "{ran:?}");
    folder.star(&["run", "p.star", "T=field:y:g.co"]).prints("101\n100\n110\n");
    folder.star(&["run", "p.star", "T=field:2:g.co", "widths=4"]).prints("0101\n0100\n0110\n");
    folder.star(&["run", "p.star", "T=field:z:g.co"]).fails(5, &["E0507", "`x`, `y`"]);
    folder.star(&["run", "p.star", "T=arcs:g.co"]).fails(5, &["E0507", "`records`"]);
}

#[test]
fn csv_files_have_a_width_for_each_column() {
    let folder = Folder::new(&[("p.star", SHOW), ("t.csv", "speed:3,load\n5,1\n0,2\n")]);
    folder.star(&["run", "p.star", "T=t.csv"]).prints("10101\n00010\n");
    folder.star(&["run", "p.star", "T=t.csv", "widths=4,3"]).prints("0101001\n0000010\n");
    let ran = folder.star(&["run", "p.star", "T=t.csv", "widths=2,2"]);
    ran.fails(5, &["error[E0508]", "5 in field `speed`"]);
    let ran = folder.star(&["run", "p.star", "T=t.csv", "widths=a"]);
    ran.fails(2, &["error[E0605]", "widths=8,4"]);
    folder.write("bad.csv", b"a,b\n1,2\n3,x\n");
    folder.star(&["run", "p.star", "T=bad.csv"]).fails(5, &["bad.csv:3:3", "`x`"]);
}

#[test]
fn maps_are_tables_of_passable_cells() {
    let map = "type octile\nheight 2\nwidth 3\nmap\n.@.\nT..\n";
    let slice = "procedure Q(X: slice); begin print(X) end;";
    let folder = Folder::new(&[("p.star", SHOW), ("q.star", slice), ("a.map", map)]);
    folder.star(&["run", "p.star", "T=a.map"]).prints("101\n011\n");
    folder.star(&["run", "p.star", "T=records:a.map"]).prints("1\n0\n1\n0\n1\n1\n");
    folder.star(&["run", "q.star", "X=a.map"]).prints("101011\n");
}

#[test]
fn scenarios_have_scaled_lengths() {
    let text = "version 1\n0\ta.map\t3\t2\t0\t0\t2\t1\t2.41421356\n";
    let folder = Folder::new(&[("p.star", SHOW), ("a.map.scen", text)]);
    let ran = folder.star(&["run", "p.star", "T=field:length:a.map.scen"]);
    ran.prints("100101101110\n");
    assert!(ran.stderr.contains("note: a.map.scen: the lengths are in thousandths"), "{ran:?}");
    let ran = folder.star(&["run", "p.star", "T=field:length:a.map.scen", "scale=10"]);
    ran.prints("11000\n");
    assert!(!ran.stderr.contains("scale"), "{ran:?}");
    folder.star(&["run", "p.star", "T=a.map.scen", "scale=-1"]).fails(2, &["error[E0605]"]);
}

#[test]
fn integer_or_scaled_real_matrices_are_weights() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let folder = Folder::new(&[("p.star", SHOW)]);
    folder.write("whole.mtx", format!("{head}2 2 2\n1 2 3.0\n2 1 50e-1\n").as_bytes());
    folder.write("parts.mtx", format!("{head}2 2 2\n1 2 0.25\n2 1 1.5\n").as_bytes());
    folder.star(&["run", "p.star", "T=weight:whole.mtx", "h=3"]).prints("011\n101\n");
    let ran = folder.star(&["run", "p.star", "T=weight:parts.mtx", "h=3"]);
    ran.fails(5, &["error[E0502]: parts.mtx:3:5: `0.25` is not a whole number", "`scale=100`"]);
    let ran = folder.star(&["run", "p.star", "T=parts.mtx"]);
    ran.prints("01\n10\n");
    assert!(ran.stderr.contains("warning: parts.mtx: the real values are read as a pattern"));
    let ran = folder.star(&["run", "p.star", "T=weight:parts.mtx", "h=3", "scale=4"]);
    ran.prints("001\n110\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn weights_in_every_text_format_can_be_scaled() {
    let folder = Folder::new(&[
        ("p.star", SHOW),
        ("real.txt", "1 2 0.5\n2 1 1\n"),
        ("real.gr", "p sp 2 2\na 1 2 0.5\na 2 1 1\n"),
        ("real.csv", "0.5\n1\n"),
        ("real.graph", "2 1 1\n2 0.5\n1 0.5\n"),
    ]);
    for (given, width) in
        [("T=weight:real.txt", "h=4"), ("T=weight:real.gr", "h=4"), ("T=real.csv", "widths=4")]
    {
        let ran = folder.star(&["run", "p.star", given, width, "scale=10"]);
        ran.prints("0101\n1010\n");
        let ran = folder.star(&["run", "p.star", given, width]);
        ran.fails(5, &["error[E0502]", "`0.5` is not a whole number", "`scale=100`"]);
    }
    folder.star(&["run", "p.star", "T=weight:real.graph", "h=4", "scale=10"]).prints("0101\n");
    let ran = folder.star(&["run", "p.star", "T=weight:real.txt", "h=4", "scale=0.9"]);
    ran.prints("0000\n0001\n");
    assert!(ran.stderr.contains("warning: real.txt: 1 of 2 values became 0"), "{ran:?}");
}

#[test]
fn rejects_pictures_with_text_extensions_by_first_bytes() {
    let folder = Folder::new(&[("p.star", SHOW)]);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    for name in ["t.csv", "t.gr", "t.pgm", "t.mtx"] {
        folder.write(name, png);
        let table = format!("T={name}");
        let ran = folder.star(&["run", "p.star", &table]);
        let told = format!("error[E0502]: {name}: the file begins like PNG, not like ");
        ran.fails(5, &[&told, "its name must end in `.png`"]);
    }
    folder.write("t.csv", b"PAR1,ARROW1\n1,0\n");
    folder.star(&["run", "p.star", "T=t.csv"]).prints("10\n");
}

#[test]
fn packed_files_are_read_and_written() {
    let folder = Folder::new(&[("p.star", SHOW), ("copy.star", COPY), ("g.gr", PATH)]);
    assert_eq!(folder.shell("gzip -k g.gr && cp g.gr.gz plain.gr").code, 0);
    folder.star(&["run", "p.star", "T=g.gr.gz"]).prints("010\n001\n000\n");
    folder.star(&["run", "p.star", "T=plain.gr"]).prints("010\n001\n000\n");
    let ran = folder.star(&["run", "copy.star", "T=g.gr", "--out", "T=out.mtx.gz"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let unpacked = folder.shell("gzip -dc out.mtx.gz");
    let expected = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
    unpacked.prints(expected);
    assert_eq!(folder.shell("head -c 30 g.gr.gz > cut.gr.gz").code, 0);
    folder.star(&["run", "p.star", "T=cut.gr.gz"]).fails(5, &["error[E0503]", "packed"]);
}

#[test]
fn results_can_use_every_suitable_format() {
    let folder = Folder::new(&[("copy.star", COPY), ("p.star", SHOW)]);
    folder.write("t.csv", b"x:3\n2\n5\n2\n");
    for file in ["a.mtx", "a.txt", "a.gr", "a.graph", "a.map", "a.csv", "a.stb", "a.csv.gz"] {
        let out = format!("T={file}");
        let ran = folder.star(&["run", "copy.star", "T=t.csv", "--out", &out]);
        assert_eq!(ran.code, 0, "{file}: {ran:?}");
        let back = folder.star(&["run", "p.star", &out]);
        back.prints("010\n101\n010\n");
    }
    for file in ["a.co", "a.scen"] {
        let out = format!("T={file}");
        let ran = folder.star(&["run", "copy.star", "T=t.csv", "--out", &out]);
        ran.fails(5, &["error[E0507]", "cannot be written"]);
    }
}

/// An archive of byte arrays.
fn archive(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, values) in arrays {
        archive
            .start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default())
            .unwrap();
        let len = values.len();
        let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({len},), }}");
        archive.write_all(b"\x93NUMPY\x01\x00\x76\x00").unwrap();
        archive.write_all(format!("{header:117}\n").as_bytes()).unwrap();
        archive.write_all(values).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn array_names_follow_the_archive_name() {
    let reads = "program Q; var T: table; begin read(T, \"two.npz#b\"); print(T) end.";
    let named = "procedure R(f: string); var T: table; begin read(T, f); print(T) end;";
    let files = [("in/p.star", SHOW), ("in/q.star", reads), ("in/r.star", named)];
    let folder = Folder::new(&files);
    let two = archive(&[("a", &[1, 2]), ("b", &[0, 255])]);
    folder.write("in/two.npz", &two);
    folder.write("out/two.npz", &two);
    let run = |arguments: &[&str]| folder.star(&[&["run"], arguments].concat());
    run(&["in/p.star", "T=in/two.npz"]).fails(5, &["several arrays", "in/two.npz#a"]);
    run(&["in/p.star", "T=in/two.npz#b", "widths=8"]).prints("00000000\n11111111\n");
    run(&["in/p.star", "T=field:a:in/two.npz#a", "widths=2"]).prints("01\n10\n");
    run(&["in/p.star", "T=in/two.npz#c"]).fails(5, &["no array `c`", "`a`, `b`"]);
    run(&["in/p.star", "T=in/none.npz#c"]).fails(5, &["error[E0501]: in/none.npz: cannot open"]);
    // Programs have the same access.
    run(&["in/q.star", "widths=2"]).fails(3, &["E0508"]);
    run(&["in/q.star", "widths=8"]).prints("00000000\n11111111\n");
    run(&["in/r.star", "f=out/two.npz#a", "widths=2"]).prints("01\n10\n");
    let outside = "program S; var T: table; begin read(T, \"../out/two.npz#b\") end.";
    folder.write("in/s.star", outside.as_bytes());
    run(&["in/s.star"]).fails(3, &["E0510", "--allow-read"]);
    // A file with that name takes precedence.
    folder.write("in/two.npz#b", b"\x93NUMPY");
    run(&["in/p.star", "T=in/two.npz#b"]).fails(5, &["in/two.npz#b"]);
    folder.write("t#1.csv", b"x\n1\n");
    run(&["in/p.star", "T=t#1.csv"]).prints("1\n");
    run(&["in/p.star", "T=t#1.csv#x"]).fails(5, &["only a NumPy archive"]);
}

#[test]
fn a_dash_is_standard_input_in_the_format_before_it() {
    let folder = Folder::new(&[("p.star", SHOW), ("g.gr", PATH), ("two.star", TWO)]);
    for name in ["-", "gr:-", "adjacency:gr:-", "/dev/stdin"] {
        let argument = format!("T={name}");
        folder.star_with_input(&["run", "p.star", &argument], PATH).prints("010\n001\n000\n");
    }
    folder.shell("$STAR run p.star T=gr:- < g.gr").prints("010\n001\n000\n");
    folder.shell("gzip -c g.gr | $STAR run p.star T=gr:-").prints("010\n001\n000\n");
    let ran = folder.star_with_input(&["run", "p.star", "T=xyz:-"], PATH);
    ran.fails(5, &["unknown layout `xyz`"]);
    let ran = folder.star_with_input(&["run", "two.star", "S=-", "T=gr:-"], PATH);
    ran.fails(5, &["error[E0501]: gr:-: standard input can be read only once"]);
}

#[test]
fn programs_read_with_settings() {
    let folder = Folder::new(&[
        ("p.star", "program P(l: string); var T: table; begin read(T,\"v.csv\",l); print(T) end."),
        ("s.csv", "d\n1.5\n0.25\n"),
        ("v.csv", "d,when\n1.5,x\n0.25,y\n"),
    ]);
    for (layout, table) in [
        ("records scale=100", "1001011001\n0001100110\n"),
        ("scale=100", "1001011001\n0001100110\n"),
        ("field:d scale=100", "10010110\n00011001\n"),
        ("field:when scale=100 order=sorted", "01\n10\n"),
        ("field:d scale=d:4", "110\n001\n"),
    ] {
        folder.star(&["run", "p.star", &format!("l={layout}")]).prints(table);
    }
    // The settings of the command line apply, too, and those of the program replace them.
    folder.star(&["run", "p.star", "l=field:d", "scale=4"]).prints("110\n001\n");
    folder.star(&["run", "p.star", "l=field:d scale=4", "scale=100"]).prints("110\n001\n");
    let run = |layout: &str| folder.star(&["run", "p.star", &format!("l={layout}")]);
    run("records").fails(3, &["E0502", "`scale=100` multiplies"]);
    run("records scale=no").fails(3, &["E0605", "`no` is not a valid value"]);
    run("scael=100").fails(3, &["E0507"]);
    let session = "read(T,\"s.csv\",\"records scale=4\")\nT\n";
    let ran = folder.star_with_input(&["repl"], session);
    assert!(ran.stdout.ends_with("\n 1.5\n0.25\n"), "{ran:?}");
}

#[test]
fn programs_write_no_forms_of_results() {
    let folder = Folder::new(&[
        ("p.star", "program P(R: table; f: string); begin write(R,f) end."),
        ("g.gr", PATH),
    ]);
    for form in ["like R", "rows of R", "vertices", "distances"] {
        let ran = folder.star(&[
            "run",
            "p.star",
            "R=g.gr",
            &format!("f={form}:s.csv"),
            "--allow-write",
            ".",
        ]);
        ran.fails(3, &["E0507", &format!("form `{form}` is only for `--out`"), "x=16 y=16:s.csv"]);
    }
    assert_eq!(folder.names(), ["g.gr", "p.star"]);
}

#[test]
fn programs_and_sessions_write_the_same_names() {
    let folder = Folder::new(&[
        ("p.star", "program P(R: table; f: string); begin write(R,f) end."),
        ("g.gr", PATH),
    ]);
    for (name, code, parts) in [
        ("csv:-", "E0509", "only the command line can select standard output"),
        ("records x=2 y=1:csv:-", "E0509", "only the command line can select standard output"),
        ("foo:x.mtx", "E0507", "unknown form `foo`"),
        ("vertices:x.csv", "E0507", "form `vertices` is only for `--out`"),
    ] {
        let ran = folder.star(&["run", "p.star", "R=g.gr", &format!("f={name}")]);
        ran.fails(3, &[code, parts]);
        let session = format!("read(T,\"g.gr\",\"adjacency\")\n:dump T \"{name}\"\n");
        folder.star_with_input(&["repl"], &session).fails(5, &[code, parts]);
    }
    assert_eq!(folder.names(), ["g.gr", "p.star"]);
    let name = "records x=2 y=1:x.csv";
    folder.star(&["run", "p.star", "R=g.gr", &format!("f={name}")]).prints("");
    let written = std::fs::read(folder.path("x.csv")).unwrap();
    let session = format!("read(T,\"g.gr\",\"adjacency\")\n:dump T \"{name}\"\n");
    let ran = folder.star_with_input(&["repl"], &session);
    assert_eq!((ran.code, std::fs::read(folder.path("x.csv")).unwrap()), (0, written), "{ran:?}");
}

#[test]
fn notes_about_a_file_are_printed_once() {
    let folder = Folder::new(&[
        ("p.star", "procedure P(A,B: table); begin print(rows(A)) end;"),
        ("v.csv", "d,e\n1,2\n"),
    ]);
    let ran = folder.star(&["run", "p.star", "A=records:v.csv", "B=records:v.csv"]);
    ran.prints("1\n");
    assert_eq!(ran.stderr.matches("`d` in column").count(), 1, "{ran:?}");
}

#[test]
fn programs_read_numbers_with_layouts() {
    let text = "program P; var T: table; begin read(T, \"t.csv\", \"field:b\"); print(T) end.";
    let folder = Folder::new(&[("p.star", text), ("t.csv", "a,b\n1,2\n3,3\n")]);
    folder.star(&["run", "p.star"]).prints("10\n11\n");
    folder.star(&["run", "p.star", "widths=3"]).prints("010\n011\n");
    folder.star(&["run", "p.star", "h=3"]).fails(2, &["error[E0603]", "no layout uses that width"]);
}

/// Every option that writes one file, before its name; suitable extensions, and others.
const OUTPUTS: [(&str, &[&str], &[&str]); 17] = [
    ("run w.star --graph g.gr --out P=", &["mtx", "csv.gz", "PNG"], &["html", "svg.x"]),
    ("run w.star --graph g.gr --view P=", &["svg", "PNG"], &["html", "csv"]),
    ("run w.star --graph g.gr --profile=", &["html", "JSON"], &["svg", "csv"]),
    ("run write.star P=g.gr --allow-write . f=", &["mtx", "CSV"], &["html"]),
    ("view g.gr --out ", &["svg", "PNG"], &["html", "csv"]),
    ("gen gnm -n 5 -m 3 -o ", &["gr", "CSV"], &["html"]),
    ("gen moving -n 5 --updates 9 --queries q1.csv -o ", &["csv", "MOVING"], &["html", "gr"]),
    ("gen moving -n 5 --updates 9 -o u1.csv --queries ", &["csv", "MOVING"], &["html", "gr"]),
    ("gen curve --rows 20 --columns 20 -o c.png --mask ", &["png", "STB"], &["html"]),
    ("moving u.csv q.csv -q -o ", &["csv", "CSV"], &["txt", "json"]),
    ("moving u.csv q.csv -q --hash --picture ", &["png", "PPM"], &["csv", "svg"]),
    ("bench b.star --quick --out ", &["json", "JSON", "html", "csv"], &["png", "txt"]),
    ("bench b.star --quick --page ", &["html", "HTM"], &["json", "svg"]),
    ("benchpage m.json -o ", &["html", "HTM", "csv", "json"], &["svg", "png"]),
    ("doc w.star --out ", &["txt", "TXT"], &["md", "html"]),
    ("doc w.star --format md --out ", &["md", "MD"], &["txt", "html"]),
    ("doc TRIM --out ", &["txt"], &["md"]),
];

#[test]
fn extensions_determine_the_format_of_every_output() {
    let folder = Folder::new(&[
        ("w.star", WARSHALL),
        ("write.star", "program W(P: table; f: string); begin write(P,f) end.\n"),
        ("b.star", "/* @bench of it */\nprogram B; begin print(1) end.\n"),
        ("m.json", "{\"schema\": 1, \"rows\": []}"),
        ("g.gr", PATH),
        ("u.csv", "t,id,x,y\n1,1,2,3\n"),
        ("q.csv", "t,qid,x1,y1,x2,y2\n2,1,0,0,9,9\n"),
    ]);
    for (command, suitable, others) in OUTPUTS {
        for extension in suitable {
            let name = format!("out.{extension}");
            let ran = folder.shell(&format!("$STAR {command}{name}"));
            assert_eq!(ran.code, 0, "{command}{name}: {ran:?}");
            assert!(folder.path(&name).is_file(), "{command}{name}");
            std::fs::remove_file(folder.path(&name)).unwrap();
        }
        let others = others.iter().map(|extension| format!("out.{extension}"));
        for name in others.chain(["out.foo".to_owned(), "out".to_owned(), ".none".to_owned()]) {
            let ran = folder.shell(&format!("$STAR {command}{name}"));
            assert!([2, 3, 5].contains(&ran.code), "{command}{name}: {ran:?}");
            assert!(ran.stderr.contains("error["), "{command}{name}: {ran:?}");
            assert!(!folder.path(&name).exists(), "{command}{name}");
        }
    }
    let session = "X := '01'\n:save out.foo\n:save out\n:save out.STAR\n";
    let ran = folder.star_with_input(&["repl"], session);
    assert_eq!(ran.stderr.matches("error[E0506]").count(), 2, "{ran:?}");
    assert!(folder.path("out.STAR").is_file() && !folder.path("out").exists());
    // Devices have no extension.
    for command in ["benchpage m.json -o", "doc w.star --out", "moving u.csv q.csv -q -o"] {
        assert_eq!(folder.shell(&format!("$STAR {command} /dev/null")).code, 0, "{command}");
    }
}

/// Returns an array of records in NumPy's format.
fn records(fields: &str, n: usize, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({n},), }}");
    let mut array = b"\x93NUMPY\x01\x00\xf6\x00".to_vec();
    array.extend(format!("{header:245}\n").as_bytes());
    array.extend(bytes);
    array
}

#[test]
fn records_of_arrays_keep_names_and_widths() {
    let same = "procedure S(R: table; var T: table(R); var X: slice(R)); begin T:=R; SET(X) end;";
    let folder = Folder::new(&[("s.star", same)]);
    let fields = "('age', '|u1'), ('a,\"b', '<u2'), ('d:3', '|u1'), ('low', '<i2'), ('', '|b1')";
    let rows = [1, 7, 0, 2, 0xfb, 0xff, 1, 2, 9, 0, 3, 7, 0, 0];
    let array = records(fields, 2, &rows);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("r.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(&array).unwrap();
    folder.write("r.npz", &archive.finish().unwrap().into_inner());
    let bits = |input: &str, settings: &[&str]| {
        let input = format!("R=records:{input}");
        let words = [&["run", "s.star", &input], settings, &["--out", "T=t.stb"]].concat();
        assert_eq!(folder.star(&words).code, 0, "{input}");
        std::fs::read(folder.path("t.stb")).unwrap()
    };
    let plain = "age:8,\"a,\"\"b:16\",d:3:8,low,:1\n1,7,2,-5,1\n2,9,3,7,0\n";
    let wide = "age:9,\"a,\"\"b:10\",d:3:4,low,:1\n1,7,2,-5,1\n2,9,3,7,0\n";
    for (settings, text) in [(&[][..], plain), (&["widths=9,10,4,4,1"], wide)] {
        let outs = ["--out", "T=like R:t.csv", "--out", "X=rows of R:x.csv"];
        let ran =
            folder.star(&[&["run", "s.star", "R=records:r.npz"], settings, &outs[..]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let expected = bits("r.npz", settings);
        for file in ["t.csv", "x.csv"] {
            assert_eq!(std::fs::read_to_string(folder.path(file)).unwrap(), text, "{file}");
            assert_eq!(bits(file, &[]), expected, "{file} {settings:?}");
        }
    }
    let out = ["run", "s.star", "R=records:r.npz", "--out", "X=rows of R:again.npz"];
    assert_eq!(folder.star(&out).code, 0);
    assert_eq!(bits("again.npz", &[]), bits("r.npz", &[]));
}
