//! Initial corpus of fuzzing: the examples, the library, the programs and data files of the tests,
//! small files of every format (those without a writer here are in `seeds/TARGET/`), and inputs of
//! fixed failures (`regressions/TARGET/`).

use std::fs;
use std::path::{Path, PathBuf};

use star_io::{Field, Format, Numbers, OutputRef, Packing, Shape, write, write_packed};
use star_value::{BitTable, BitVector, BitsRef, SparseLines, SparseTable};

/// A seed: a name, and its bytes.
pub type Seed = (String, Vec<u8>);

/// Returns the seeds of a target.
///
/// # Panics
/// If the files of the repository cannot be read.
pub fn seeds(target: &str) -> Vec<Seed> {
    let mut seeds = kept("regressions", target);
    seeds.extend(kept("seeds", target));
    seeds.extend(if target == "read" { data_files() } else { programs() });
    seeds
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the files below a folder, sorted by name; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry of a folder").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a folder here: programs verbatim, data files with the extension of their
/// format.
fn kept(folder: &str, target: &str) -> Vec<Seed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
    let found = files(&folder).into_iter().filter(|path| !name(path).starts_with('.'));
    found
        .filter_map(|path| match target {
            "read" => Some((name(&path), as_read(Format::of_path(&name(&path))?, &bytes(&path)))),
            _ => Some((name(&path), bytes(&path))),
        })
        .collect()
}

/// Returns the sources: examples, library, and those of the tests.
fn programs() -> Vec<Seed> {
    let library = star_stdlib::BASIC.iter().chain(star_stdlib::MODULES);
    let library = library.map(|(name, text)| (format!("{}.star", name.replace('/', "-")), text));
    let mut seeds: Vec<Seed> =
        library.map(|(name, text)| (name, text.as_bytes().to_vec())).collect();
    for folder in ["examples", "tests/golden", "tests/programs", "docs"] {
        for path in files(&root().join(folder)) {
            let path_name = path.to_string_lossy().replace(['/', '\\'], "-");
            let short: String = path_name.chars().rev().take(60).collect();
            let short: String = short.chars().rev().collect();
            match extension(&path) {
                "star" => seeds.push((short, bytes(&path))),
                "md" => seeds.extend(listings(&short, &bytes(&path))),
                _ => {}
            }
        }
    }
    for path in files(&root().join("compiler/base/explain")) {
        seeds.extend(listings(&name(&path), &bytes(&path)));
    }
    for path in files(&root().join("tests/tests")) {
        seeds.extend(texts(&name(&path), &bytes(&path)));
    }
    seeds
}

/// Returns the programs in the code fences of a page.
fn listings(page: &str, bytes: &[u8]) -> Vec<Seed> {
    let text = String::from_utf8_lossy(bytes);
    let blocks = text.split("```").skip(1).step_by(2);
    let listings = blocks.filter_map(|block| block.strip_prefix("star\n"));
    let named = listings.enumerate();
    named.map(|(idx, text)| (format!("{page}-{idx}.star"), text.as_bytes().to_vec())).collect()
}

/// Returns the programs in the string literals of a Rust file, as far as they can be recognised.
fn texts(file: &str, bytes: &[u8]) -> Vec<Seed> {
    let text = String::from_utf8_lossy(bytes);
    let literals = text.split('"').skip(1).step_by(2);
    let unescaped = literals.map(|literal| {
        let lines = literal.replace("\\n", "\n").replace("\\t", "\t");
        lines.split("\\\n").map(str::trim_start).collect::<String>().replace('\\', "")
    });
    let starts = ["program ", "procedure ", "function ", "const ", "import "];
    let programs = unescaped.filter(|text| starts.iter().any(|start| text.contains(start)));
    let named = programs.enumerate();
    named.map(|(idx, text)| (format!("{file}-{idx}.star"), text.into_bytes())).collect()
}

/// Returns small files of every format.
fn data_files() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let folders = ["examples/data", "io/tests/networks"];
    for path in folders.iter().flat_map(|folder| files(&root().join(folder))) {
        if let Some(format) = Format::of_path(&name(&path)) {
            seeds.push((name(&path), as_read(format, &bytes(&path))));
        }
    }
    let square = BitTable::parse(&["010", "001", "100"]).expect("bits");
    let wide = BitTable::parse(&["0101110", "1111111"]).expect("bits");
    let lines = SparseLines::of_columns(&square).expect("memory");
    let sparse = SparseTable { lines, by_rows: true };
    let bits = BitVector::parse("0110101").expect("bits");
    let grey = numbers(Shape::Grid { height: 2, width: 3 }, &["grey"]);
    let colours = numbers(Shape::Grid { height: 2, width: 3 }, &["red", "green", "blue"]);
    let records = numbers(Shape::List(6), &["a", "b"]);
    for &format in Format::ALL {
        let values = [
            ("square", OutputRef::Bits(BitsRef::from(&square))),
            ("wide", OutputRef::Bits(BitsRef::from(&wide))),
            ("sparse", OutputRef::Bits(BitsRef::from(&sparse))),
            ("slice", OutputRef::Bits(BitsRef::Slice(&bits))),
            ("word", OutputRef::Bits(BitsRef::Word(&bits))),
            ("grey", OutputRef::Numbers(&grey)),
            ("colours", OutputRef::Numbers(&colours)),
            ("records", OutputRef::Numbers(&records)),
        ];
        let extension = format.extensions()[0];
        for (kind, value) in values {
            let mut written = Vec::new();
            if write(format, value, &mut written).is_ok() {
                seeds.push((format!("{kind}.{extension}"), as_read(format, &written)));
            }
            let mut packed = Vec::new();
            if write_packed(format, Packing::Gzip, value, &mut packed, &mut || true).is_ok() {
                seeds.push((format!("{kind}.{extension}.gz"), as_read(format, &packed)));
            }
        }
    }
    for (name, text) in TEXTS {
        if let Some(format) = Format::of_path(name) {
            seeds.push(((*name).to_owned(), as_read(format, text.as_bytes())));
        }
    }
    seeds
}

/// Returns six small numbers for each field.
fn numbers(shape: Shape, names: &[&str]) -> Numbers {
    let fields = names.iter().enumerate().map(|(idx, name)| {
        Field::new(*name, Some(8), (0..6).map(|value| value * 40 + idx as i64).collect())
    });
    Numbers { shape, fields: fields.collect() }
}

/// Encodes a file as input of the target `read`.
fn as_read(format: Format, bytes: &[u8]) -> Vec<u8> {
    let idx = Format::ALL.iter().position(|other| *other == format).expect("a format");
    [&[idx as u8], bytes].concat()
}

/// Files that no writer here produces; those of unknown formats are omitted.
const TEXTS: &[(&str, &str)] = &[
    ("crlf.gr", "c road\np sp 5 4\na 1 2 10\na 2 3 -7\r\na 5 5 0\na 1 2 3\n"),
    ("labels.snap", "# Nodes: 4 Edges: 3\n10\t20\t5\n20\t30\t-6\n18446744073709551615,10,1\n"),
    ("ours.el", "# vertices 5, arcs 3, numbered from 1\n1 2\n5 5\n1 2\n"),
    (
        "symmetric.mtx",
        "%%MatrixMarket matrix coordinate integer symmetric\n% c\n4 4 3\n2 1 5\n3 3 6\n1 4 -7\n",
    ),
    (
        "real.mtx",
        "%%MatrixMarket matrix coordinate real general\n4 5 3\n2 1 5e-3\n3 3 -.5\n1 4 0.0\n",
    ),
    ("array.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n0\n-3\n"),
    ("weighted.graph", "% c\n3 2 11\n4 2 7\n5 1 7 3 2\n6 2 2\n"),
    ("places.co", "c\np aux sp co 2\nv 1 -73530767 41085396\nv 2 -73530538 41086098\n"),
    ("records.csv", "a,\"b:3\",c\n1,2,3\n4,5,\"6\"\n"),
    ("grid.map", "type octile\nheight 2\nwidth 3\nmap\n.@T\nGSW\n"),
    ("few.scen", "version 1\n0\tgrid.map\t3\t2\t0\t0\t1\t1\t1.41421356\n"),
    ("all.updates", "%%StarUpdates 9\n+ 1 2 5\r\n- 2 1 # c\n= 1 2 6\n\n+ 9\n- 3\n? 4 4\n? 4\n?\n"),
    ("grey.pgm", "P2\n# c\n3 2\n255\n0 1 2\n3 4 255\n"),
    ("black.pbm", "P1\n3 2\n010\n111\n"),
];
