//! How fast files of every format are read: files of some ten megabytes made here, and real ones
//! that are named on the command line. The bytes lie in memory, so that no disk is measured.

use std::io::Write as _;

use star_io::generate::{GenerateOptions, Labels, Parts, Repeats, Rmat, Road};
use star_io::{
    Data, Field, Format, LoadedFile, Numbers, OutputRef, ReadOptions, Shape, read, write,
};
use star_value::{BitTable, BitsRef};

use crate::front_end::report;

/// Rows and columns.
const SIDE: usize = 3162;

/// Reads made files of each format, and the given ones.
pub(crate) fn run(files: &[String]) -> Result<(), String> {
    graphs()?;
    let list = Numbers { shape: Shape::List(SIDE * SIDE), ..numbers(&[8, 12, 16]) };
    let coordinates = Numbers {
        shape: Shape::List(SIDE * SIDE),
        fields: ["x", "y"]
            .iter()
            .map(|name| Field { name: (*name).to_owned(), ..numbers(&[24]).fields.remove(0) })
            .collect(),
    };
    let bits = table();
    for (what, format, value) in [
        ("CSV, three columns", Format::Csv, OutputRef::Numbers(&list)),
        ("DIMACS coordinates", Format::Coordinates, OutputRef::Numbers(&coordinates)),
        ("MovingAI map", Format::Map, OutputRef::Bits(BitsRef::from(&bits))),
        ("Star table", Format::Stb, OutputRef::Bits(BitsRef::from(&bits))),
    ] {
        let mut bytes = Vec::new();
        write(format, value, &mut bytes).map_err(|error| error.to_string())?;
        measure(what, format, &bytes)?;
    }
    pictures(files)
}

/// Graphs as text: four million arcs of a scale-free one, and a road network with weights.
fn graphs() -> Result<(), String> {
    let options = || GenerateOptions::new(1, 1 << 32);
    let rmat = Rmat {
        n_vertices: 1 << 20,
        n_arcs: 4_000_000,
        corners: [0.57, 0.19, 0.19],
        repeats: Repeats::Kept,
        labels: Labels::default(),
        max_weight: None,
    };
    let rmat = rmat.generate(&mut options()).map_err(|error| error.to_string())?;
    let road = Road {
        height: 1000,
        width: 1000,
        missing: 0.1,
        diagonals: 0.1,
        parts: Parts::All,
        max_weight: Some(10_000),
    };
    let road = road.generate(&mut options()).map_err(|error| error.to_string())?.graph;
    for (what, format, graph) in [
        ("edge list", Format::EdgeList, &rmat),
        ("edge list with weights", Format::EdgeList, &road),
        ("DIMACS", Format::Dimacs, &road),
        ("Matrix Market", Format::MatrixMarket, &rmat),
        ("METIS", Format::Metis, &road),
    ] {
        let mut bytes = Vec::new();
        write(format, OutputRef::Graph(graph), &mut bytes).map_err(|error| error.to_string())?;
        measure(what, format, &bytes)?;
    }
    Ok(())
}

fn pictures(files: &[String]) -> Result<(), String> {
    let gray = numbers(&[8]);
    let deep = numbers(&[16]);
    let colors = numbers(&[8, 8, 8]);
    let bits = table();
    for (what, format, value) in [
        ("PNG, gray of 8 bits", Format::Png, OutputRef::Numbers(&gray)),
        ("PNG, gray of 16 bits", Format::Png, OutputRef::Numbers(&deep)),
        ("PNG, colours", Format::Png, OutputRef::Numbers(&colors)),
        ("PNG, bits", Format::Png, OutputRef::Bits(BitsRef::from(&bits))),
        ("PGM of 8 bits", Format::Pgm, OutputRef::Numbers(&gray)),
        ("PGM of 16 bits", Format::Pgm, OutputRef::Numbers(&deep)),
        ("PPM", Format::Ppm, OutputRef::Numbers(&colors)),
        ("PBM", Format::Pbm, OutputRef::Bits(BitsRef::from(&bits))),
        ("NumPy, u1", Format::Npy, OutputRef::Numbers(&gray)),
        ("NumPy, u2", Format::Npy, OutputRef::Numbers(&deep)),
        ("NumPy archive, u2", Format::Npz, OutputRef::Numbers(&deep)),
    ] {
        let mut bytes = Vec::new();
        write(format, value, &mut bytes).map_err(|error| error.to_string())?;
        measure(what, format, &bytes)?;
    }
    measure("NumPy, f8", Format::Npy, &float_array())?;
    measure("NumPy, i2, by columns", Format::Npy, &array("<i2", "True", 2))?;
    measure("PGM, plain", Format::Pgm, &plain_gray(&gray))?;
    measure("TIFF, 16 bits", Format::Tiff, &tiff())?;
    for file in files {
        let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let format = Format::of_file(file, &bytes).map_err(|error| error.to_string())?;
        measure(file, format, &bytes)?;
    }
    Ok(())
}

fn load(format: Format, bytes: &[u8]) -> Result<LoadedFile, String> {
    let mut options = ReadOptions::new("", 1 << 32);
    options.size_hint = Some(bytes.len() as u64);
    read(format, &mut &bytes[..], &mut options).map_err(|error| error.to_string())
}

fn measure(what: &str, format: Format, bytes: &[u8]) -> Result<(), String> {
    let n = n_pixels(&load(format, bytes)?);
    let megabytes = bytes.len() as f64 / 1e6;
    let pixels = match n {
        0 => String::new(),
        n => format!(", {:.2} numbers a byte", n as f64 / bytes.len() as f64),
    };
    let what = format!("{what} ({megabytes:.1} MB{pixels})");
    report(&what, bytes.len(), || load(format, bytes).map_or(0, |loaded| n_pixels(&loaded)));
    Ok(())
}

fn n_pixels(loaded: &LoadedFile) -> usize {
    match &loaded.data {
        Data::Numbers(numbers) => numbers.shape.n_records(),
        Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_) => 0,
    }
}

/// A slope with noise, as pictures and heights have it.
fn sample(idx: usize, bits: usize) -> i64 {
    let (row, col) = (idx / SIDE, idx % SIDE);
    let noise = (idx as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
    let slope = (row + 2 * col) << bits >> 14;
    (slope as i64 + noise as i64) & ((1 << bits) - 1)
}

fn numbers(depths: &[usize]) -> Numbers {
    let fields = depths.iter().enumerate().map(|(idx, &bits)| {
        let samples = (0..SIDE * SIDE).map(|at| sample(at + idx, bits));
        Field::new(format!("band{idx}"), Some(bits), samples.collect())
    });
    Numbers { shape: Shape::Grid { height: SIDE, width: SIDE }, fields: fields.collect() }
}

fn table() -> BitTable {
    let mut table = BitTable::zeros(SIDE, SIDE).expect("a table of 1.3 MB");
    for row in 0..SIDE {
        for col in 0..SIDE {
            table.put(row, col, sample(row * SIDE + col, 8) > 128);
        }
    }
    table
}

fn array(descr: &str, order: &str, n_bytes: usize) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    let text =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({SIDE}, {SIDE}), }}\n");
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    for idx in 0..SIDE * SIDE {
        bytes.extend(&sample(idx, 12).to_le_bytes()[..n_bytes]);
    }
    bytes
}

fn float_array() -> Vec<u8> {
    let mut bytes = array("<f8", "False", 0);
    bytes.extend((0..SIDE * SIDE).flat_map(|idx| (sample(idx, 12) as f64).to_le_bytes()));
    bytes
}

fn plain_gray(numbers: &Numbers) -> Vec<u8> {
    let mut bytes = format!("P2\n{SIDE} {SIDE}\n255\n").into_bytes();
    for (idx, value) in numbers.fields[0].values.iter().enumerate() {
        let end = if idx % 16 == 15 { '\n' } else { ' ' };
        let _ = write!(bytes, "{value}{end}"); // a list of bytes takes any text
    }
    bytes
}

/// Where the strip of the TIFF file begins: behind its start and seven tags.
const STRIP_AT: u32 = 8 + 2 + 7 * 12 + 4;

/// One strip, not compressed.
fn tiff() -> Vec<u8> {
    let n_bytes = (SIDE * SIDE * 2) as u32;
    let side = SIDE as u32;
    let tags = [
        (256, side),
        (257, side),
        (258, 16),
        (262, 1),
        (273, STRIP_AT),
        (278, side),
        (279, n_bytes),
    ];
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    bytes.extend((tags.len() as u16).to_le_bytes());
    for (tag, value) in tags {
        bytes.extend((tag as u16).to_le_bytes());
        bytes.extend([4, 0, 1, 0, 0, 0]);
        bytes.extend(u32::to_le_bytes(value));
    }
    bytes.extend([0; 4]); // no further picture
    assert_eq!(bytes.len(), STRIP_AT as usize);
    bytes.extend((0..SIDE * SIDE).flat_map(|idx| (sample(idx, 12) as u16).to_le_bytes()));
    bytes
}
