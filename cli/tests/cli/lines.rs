//! `examples/trace_line.star`: lines in images, as text, tables, drawings and pictures.

use std::fs;
use std::path::{Path, PathBuf};

use star_io::{Data, Format, Numbers, ReadOptions, Shape};

use crate::support::{Folder, Ran, star_in};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A photograph in the shared folder.
#[expect(clippy::print_stdout, reason = "says which photographs were not there")]
fn shared(file: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data/images").join(file);
    if !path.exists() {
        println!("skipped: no {file}");
    }
    path.exists().then_some(path)
}

/// Traces a line, with `options` after the program and the image.
fn trace(image: &Path, options: &[&str]) -> Ran {
    let image = format!("image={}", image.display());
    let start = ["run", "examples/trace_line.star", image.as_str()];
    star_in(&root(), &[&start[..], options].concat())
}

/// Returns the score and the nodes printed after it.
fn score_and_nodes(ran: &Ran) -> (u32, Vec<[i64; 2]>) {
    assert_eq!(ran.code, 0, "{ran:#?}");
    let mut lines = ran.stdout.lines();
    let score = lines.next().unwrap().strip_prefix("score ").unwrap().parse().unwrap();
    let node = |line: &str| {
        let (x, y) = line.split_once(',')?;
        Some([x.parse().ok()?, y.parse().ok()?])
    };
    (score, lines.map_while(node).collect())
}

fn picture(path: &Path) -> Numbers {
    let bytes = fs::read(path).unwrap();
    let mut options = ReadOptions::new("picture", 1 << 30);
    let loaded = star_io::read(Format::Png, &mut &bytes[..], &mut options).unwrap();
    match loaded.data {
        Data::Numbers(numbers) => numbers,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_are_written_as_picture_table_and_drawing() {
    let folder = Folder::new(&[]);
    let out = |name: &str, file: &str| format!("{name}:{}", folder.path(file).display());
    let [overlay, table, drawing] = [
        out("Overlay=planes red=8 green=8 blue=8", "line.png"),
        out("Nodes=records x=16 y=16", "line.csv"),
        out("Nodes=records x=16 y=16", "line.svg"),
    ];
    let ends = ["ax=2", "ay=40", "bx=158", "by=80", "p=9", "d=33", "width=40", "theta=20"];
    let outs = ["--out", &overlay, "--out", &table, "--out", &drawing];
    let curve = root().join("examples/data/curve.png");
    let (_, nodes) = score_and_nodes(&trace(&curve, &[&ends[..], &outs].concat()));
    assert_eq!((nodes.len(), nodes[0], nodes[8]), (9, [2, 40], [158, 80]));
    let text = |blank: &str| {
        let places = nodes.iter().map(|[x, y]| format!("{x},{y}"));
        places.collect::<Vec<String>>().join(blank)
    };
    let table = fs::read_to_string(folder.path("line.csv")).unwrap();
    assert_eq!(table, format!("x,y\n{}\n", text("\n")));
    let drawing = fs::read_to_string(folder.path("line.svg")).unwrap();
    assert!(drawing.contains(&format!("points=\"{}\"", text(" "))), "{drawing}");
    let (line, image) = (picture(&folder.path("line.png")), picture(&curve));
    assert_eq!((line.shape, line.fields.len()), (Shape::Grid { height: 96, width: 160 }, 3));
    let pixel = |at: usize| [0, 1, 2].map(|colour: usize| line.fields[colour].values[at]);
    let is_red = |at: usize| pixel(at) == [255, 0, 0];
    for [x, y] in nodes {
        assert!(is_red((y - 1) as usize * 160 + x as usize - 1), "({x},{y})");
    }
    let n_red = (0..96 * 160).filter(|&at| is_red(at)).count();
    assert!((156..700).contains(&n_red), "{n_red} pixels are red");
    for (at, &gray) in image.fields[0].values.iter().enumerate() {
        assert!(is_red(at) || pixel(at) == [gray; 3], "pixel {at}");
    }
}

#[test]
fn guides_outside_the_image_are_named() {
    let ends = ["ax=2", "ay=12", "bx=158", "by=12", "p=4", "d=11", "width=40", "theta=90"];
    let ran = trace(&root().join("examples/data/curve.png"), &ends);
    assert!(ran.stdout.contains("\nguide 1: 3 of 11 points lie outside the image\n"), "{ran:#?}");
}

#[test]
fn traces_a_retinal_vessel() {
    let Some(image) = shared("retina.jpg") else { return };
    let ends = ["ax=485", "ay=318", "bx=960", "by=432", "p=9", "d=41", "width=80", "theta=25"];
    let nodes = [
        [485, 318],
        [543, 336],
        [605, 343],
        [666, 347],
        [723, 377],
        [776, 414],
        [835, 427],
        [899, 426],
        [960, 432],
    ];
    assert_eq!(score_and_nodes(&trace(&image, &ends)), (29_848_959, nodes.to_vec()));
}

#[test]
fn traces_a_crack_close_to_the_manual_label() {
    let (image, label) = (shared("uav75_DSC00550.jpg"), shared("uav75_DSC00550_label.png"));
    let (Some(image), Some(label)) = (image, label) else { return };
    let ends = ["ax=92", "ay=317", "bx=287", "by=243", "p=9", "d=31", "width=30", "theta=15"];
    let (_, nodes) = score_and_nodes(&trace(&image, &ends));
    // 255 is the crack in every colour.
    let label = picture(&label);
    let cracks: Vec<[f64; 2]> = (0..512 * 512)
        .filter(|&at| label.fields[..3].iter().all(|field| field.values[at] == 255))
        .map(|at| [(at % 512 + 1) as f64, (at / 512 + 1) as f64])
        .collect();
    let mut distances = Vec::new();
    for two in nodes.windows(2) {
        let n = (two[1][0] - two[0][0]).abs().max((two[1][1] - two[0][1]).abs());
        for t in 0..n {
            let at = [0, 1].map(|axis| {
                let [from, to] = [two[0][axis] as f64, two[1][axis] as f64];
                from + (to - from) * t as f64 / n as f64
            });
            let away = |crack: &[f64; 2]| (crack[0] - at[0]).hypot(crack[1] - at[1]);
            distances.push(cracks.iter().map(away).fold(f64::INFINITY, f64::min));
        }
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    assert!(mean < 1.5, "{mean} pixels on average");
}
