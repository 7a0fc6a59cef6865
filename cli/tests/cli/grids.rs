//! The examples for grids with invalid input: every error has its code and position, and no files
//! remain.

use std::fs;
use std::path::Path;

use crate::support::{Folder, Ran};

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

/// Runs the example `route.star`.
fn route(folder: &Folder, arguments: &str) -> Ran {
    let mut command = vec!["run", "route.star"];
    command.extend(arguments.split_whitespace());
    folder.star(&command)
}

#[test]
fn routes_do_not_cross_missing_cells() {
    let folder = folder();
    // 1 1 -9999 above 1 -9999 1: with the marker, the second row is cut off.
    let cells = [1.0, 1.0, -9999.0, 1.0, -9999.0, 1.0];
    folder.write("h.npy", &heights(&cells, "(2, 3)"));
    for procedure in ["HEIGHTS threshold=5", "WEIGHTS"] {
        let run = |ends: &str| {
            let line = format!("--proc {procedure} map=h.npy nodata=-9999 {ends}");
            route(&folder, &line)
        };
        run("x0=2 y0=1 xf=3 yf=2").prints("no path found\n");
        run("x0=2 y0=1 xf=3 yf=2 moore=true").prints("no path found\n");
        let way = run("x0=2 y0=1 xf=1 yf=2");
        assert!(way.stdout.starts_with("length 2\n"), "{way:?}");
        // A diagonal next to missing cells needs `squeeze`.
        let way = run("x0=2 y0=1 xf=3 yf=2 squeeze=yes");
        assert!(way.stdout.starts_with("length 1\n"), "{way:?}");
        run("x0=3 y0=1 xf=1 yf=1").fails(3, &["T0111", "the start is a wall"]);
    }
    // Heights near the marker are others.
    folder.write("near.npy", &heights(&[3.0, -9999.0, 2.0, 3.0], "(1, 4)"));
    let near = "--proc HEIGHTS threshold=9 map=near.npy nodata=-9999 x0=1 y0=1 xf=3 yf=1";
    route(&folder, near).prints("no path found\n");
}

#[test]
fn weighted_routes_refuse_negative_weights() {
    let folder = folder();
    // A cell of -1 in the way.
    folder.write("w.npy", &heights(&[1.0, -1.0, 1.0, 1.0, 1.0, 1.0], "(2, 3)"));
    let line = "--proc WEIGHTS map=w.npy x0=1 y0=1 xf=3 yf=1";
    let parts = ["T0115", "E0504", "-1 in field", "row 1, column 2 of the grid", "`nodata=-1`"];
    route(&folder, line).fails(3, &parts);
    // As the marker of closed cells, it is a wall.
    route(&folder, &format!("{line} nodata=-1")).prints("length 4\ncost 4.000\n");
    folder.write("all.npy", &heights(&[-3.0, -3.0], "(1, 2)"));
    let line = "--proc WEIGHTS map=all.npy x0=1 y0=1 xf=2 yf=1";
    route(&folder, line).fails(3, &["E0504", "row 1, column 1 of the grid"]);
}

#[test]
fn squeeze_allows_diagonal_steps_between_walls() {
    let folder = folder();
    let map = "type octile\nheight 5\nwidth 7\nmap\n@@@@@@@\n@@@@@@@\n@@.@.@@\n@@@.@@@\n@@@@@@@\n";
    folder.write("pass.map", map.as_bytes());
    let ends = "map=pass.map x0=3 y0=3 xf=5 yf=3";
    for more in ["", "moore=true", "squeeze=no moore=yes"] {
        route(&folder, &format!("{ends} {more}")).prints("no path found\n");
    }
    route(&folder, &format!("{ends} squeeze=yes")).prints("length 2\n");
    assert_eq!(fs::read_to_string(folder.path("route.csv")).unwrap(), "x,y\n3,3\n4,4\n5,3\n");
    let weighed = format!("--proc WEIGHTS {ends} squeeze=yes");
    route(&folder, &weighed).prints("length 2\ncost 2.828\n");
    // Heights: both cells of the diagonal count, and not those between them.
    folder.write("h.npy", &heights(&[1.0, 90.0, 90.0, 2.0], "(2, 2)"));
    let line = "--proc HEIGHTS threshold=2 map=h.npy x0=1 y0=1 xf=2 yf=2";
    route(&folder, &format!("{line} moore=true")).prints("no path found\n");
    route(&folder, &format!("{line} squeeze=yes")).prints("length 1\n");
    let line = "--proc HEIGHTS threshold=2 map=h.npy x0=2 y0=1 xf=1 yf=2";
    route(&folder, &format!("{line} squeeze=yes")).prints("length 1\n");
}

#[test]
fn heights_below_zero_keep_their_values_in_obj_files() {
    let folder = folder();
    let cells = [-5.0, -5.0, -5.0, -5.0, 7.0, -5.0, -5.0, -5.0, -5.0];
    folder.write("n.npy", &heights(&cells, "(3, 3)"));
    folder.write("p.npy", &heights(&cells.map(|height| height + 6.0), "(3, 3)"));
    let obj = |file: &str| {
        let line = format!(
            "run terrain.star Z=records:{file} w=3 eps=0 near=0 step=1 frames=1 zoom=1 obj=true \
                picture=rgb:t.png"
        );
        let ran = folder.star(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{ran:?}");
        let corners = ran.stdout.lines().filter(|line| line.starts_with("v "));
        corners.map(str::to_owned).collect::<Vec<_>>()
    };
    let below = obj("n.npy");
    assert!(below.contains(&"v 0 2 -5".to_owned()), "{below:?}");
    assert!(below.contains(&"v 1 1 7".to_owned()), "{below:?}");
    let above = obj("p.npy");
    assert!(above.contains(&"v 0 2 1".to_owned()), "{above:?}");
    assert!(above.contains(&"v 1 1 13".to_owned()), "{above:?}");
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
