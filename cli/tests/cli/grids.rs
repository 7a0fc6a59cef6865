//! The examples for grids with invalid input: every error has its code and position, and no files
//! remain.

use std::fs;
use std::path::Path;

use crate::support::Folder;

/// A NumPy header followed by data.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

fn heights(values: &[f64], shape: &str) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", shape, &data)
}

/// A folder with the examples and some files.
fn folder() -> Folder {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let text = |name: &str| fs::read_to_string(examples.join(name)).unwrap();
    let map = |rows: &str| format!("type octile\nheight 3\nwidth 3\nmap\n{rows}");
    let files = [
        ("route.star", text("route.star")),
        ("terrain.star", text("terrain.star")),
        ("m.map", map("..@\n.@.\n@..\n")),
        ("short.map", map("..@\n.@.\n")),
        ("one.map", "type octile\nheight 1\nwidth 1\nmap\n.\n".to_owned()),
    ];
    let folder = Folder::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    folder.write("nan.npy", &heights(&[1.0, f64::NAN, 2.0, 3.0], "(2, 2)"));
    folder.write("one.npy", &heights(&[7.0], "(1, 1)"));
    folder.write("good.npy", &heights(&[1.0, 2.0, 2.0, 3.0], "(2, 2)"));
    folder.write("short.npy", &heights(&[1.0, 2.0, 2.0], "(2, 2)"));
    let png = fs::read(examples.join("data/hills.png")).unwrap();
    folder.write("short.png", &png[..png.len() / 2]);
    // More samples than fit in memory, declared by a header alone.
    folder.write("vast.npy", &heights(&[1.0], "(4000000000, 4000000000)"));
    folder
}

#[test]
fn routes_reject_invalid_input() {
    let folder = folder();
    let ends = "x0=1 y0=1 xf=3 yf=3";
    let heights = "--proc HEIGHTS threshold=2 x0=1 y0=1 xf=2 yf=2";
    for (arguments, parts) in [
        ("map=m.map x0=3 y0=1 xf=1 yf=1", &["T0111", "the start is a wall", "route.star:"][..]),
        ("map=m.map x0=1 y0=1 xf=2 yf=2", &["T0111", "the goal is a wall", "route.star:"]),
        ("map=m.map x0=0 y0=1 xf=1 yf=1", &["T0111", "the start lies outside the map"]),
        ("map=m.map x0=1 y0=4 xf=1 yf=1", &["T0111", "the start lies outside the map"]),
        ("map=m.map x0=1 y0=1 xf=4 yf=1", &["T0111", "the goal lies outside the map"]),
        ("map=m.map x0=1 y0=1 xf=1 yf=-1", &["T0111", "the goal lies outside the map"]),
        (&format!("map=short.map {ends}"), &["T0115", "E0503", "short.map"]),
        (&format!("map=none.map {ends}"), &["T0115", "none.map"]),
        (&format!("{heights} map=nan.npy"), &["T0115", "E0504", "nan.npy", "row 1, column 2"]),
        (&format!("{heights} map=short.npy"), &["T0115", "E0503", "short.npy"]),
        (&format!("{heights} map=short.png"), &["T0115", "short.png"]),
        (&format!("{heights} map=vast.npy"), &["T0115", "vast.npy"]),
        (&format!("{heights} map=one.npy"), &["T0111", "the goal lies outside the map"]),
        (
            "--proc WEIGHTS map=m.map x0=1 y0=1 xf=2 yf=2",
            &["T0111", "the goal is a wall", "route.star:"],
        ),
    ] {
        let mut command = vec!["run", "route.star"];
        command.extend(arguments.split_whitespace());
        let before = folder.names();
        let ran = folder.star(&command);
        ran.fails(3, parts);
        assert_eq!(ran.stdout, "", "{arguments}");
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

#[test]
fn missing_paths_and_single_cells_are_valid_answers() {
    let folder = folder();
    let run = |arguments: &str| {
        let mut command = vec!["run", "route.star"];
        command.extend(arguments.split_whitespace());
        folder.star(&command)
    };
    run("map=m.map x0=1 y0=1 xf=3 yf=3").prints("no path found\n");
    assert_eq!(fs::read_to_string(folder.path("route.csv")).unwrap(), "x,y\n");
    run("--proc WEIGHTS map=m.map x0=1 y0=1 xf=3 yf=3").prints("no path found\n");
    run("map=one.map x0=1 y0=1 xf=1 yf=1").prints("length 0\n");
    assert_eq!(fs::read_to_string(folder.path("route.csv")).unwrap(), "x,y\n1,1\n");
    run("--proc WEIGHTS map=one.npy x0=1 y0=1 xf=1 yf=1").prints("length 0\ncost 0.000\n");
    run("--proc HEIGHTS map=good.npy threshold=2 x0=1 y0=1 xf=2 yf=2").prints("length 2\n");
}

#[test]
fn terrains_reject_invalid_input() {
    let folder = folder();
    for (heights, w, code, parts) in [
        ("nan.npy", 2, 5, &["E0504", "nan.npy", "row 1, column 2"][..]),
        ("short.npy", 2, 5, &["E0503", "short.npy"]),
        ("short.png", 2, 5, &["short.png"]),
        ("vast.npy", 2, 5, &["vast.npy"]),
        ("one.npy", 1, 3, &["T0111", "2 to 16385 samples in a row"]),
    ] {
        let line = format!(
            "run terrain.star Z=records:{heights} w={w} eps=1 near=1 step=1 frames=1 zoom=1 picture=p.png"
        );
        let command: Vec<&str> = line.split(' ').collect();
        let ran = folder.star(&command);
        ran.fails(code, parts);
        assert_eq!(ran.stdout, "", "{heights}");
    }
}
