//! The pictures and terrains of the shared data folder. Sizes and ranges are from its description;
//! sums and counts are from an independent script that decodes the files itself, with only an
//! inflate library.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use star_io::{Data, Field, Format, Numbers, ReadOptions, Shape, read};

use crate::support::BUDGET;

/// The numbers of a file, if the folder exists.
fn load(file: &str) -> Option<Numbers> {
    let (file, part) = file.split_once('#').map_or((file, None), |(file, part)| (file, Some(part)));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = folder.join(file);
    if !path.exists() {
        skip(file);
        return None;
    }
    let format = Format::of_path(file).expect("a known extension");
    let mut options = ReadOptions::new(file, BUDGET);
    options.size_hint = fs::metadata(&path).ok().map(|metadata| metadata.len());
    options.part = part;
    let mut input = File::open(&path).expect("the file is there");
    let loaded = read(format, &mut input, &mut options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(Format::detect(&fs::read(&path).expect("the file is there")), Some(format));
    match loaded.data {
        Data::Numbers(numbers) => Some(numbers),
        other => panic!("{other:?} instead of numbers"),
    }
}

fn check_shape(
    numbers: &Numbers,
    height: usize,
    width: usize,
    names: &[&str],
    bits: Option<usize>,
) {
    assert_eq!(numbers.shape, Shape::Grid { height, width });
    let fields = numbers.fields.iter();
    assert_eq!(fields.map(|field| &field.name[..]).collect::<Vec<_>>(), names);
    for field in &numbers.fields {
        assert_eq!((field.bits, field.values.len()), (bits, height * width));
    }
}

/// Minimum, maximum and sum.
fn summary(field: &Field) -> (i64, i64, i64) {
    let values = &field.values;
    let (least, greatest) = (values.iter().min(), values.iter().max());
    (*least.expect("numbers"), *greatest.expect("numbers"), values.iter().sum())
}

#[test]
fn river_delta_mask_is_one_bit_deep() {
    let Some(numbers) = load("images/Colville_mask.tif") else { return };
    check_shape(&numbers, 1540, 1540, &["index"], Some(1));
    assert_eq!(summary(&numbers.fields[0]), (0, 1, 529_053));
}

#[test]
fn near_infrared_is_an_ordinary_band() {
    let Some(numbers) = load("images/m_4709963_se_14_1_20160816.tif") else { return };
    check_shape(&numbers, 723, 934, &["red", "green", "blue", "band4"], Some(8));
    let summaries: Vec<_> = numbers.fields.iter().map(summary).collect();
    let expected =
        [(27, 216, 61_324_928), (24, 219, 72_290_887), (36, 227, 56_495_152), (3, 245, 87_589_947)];
    assert_eq!(summaries, expected);
}

#[test]
fn labels_keep_their_numbers() {
    for (file, n_planking, n_crack) in
        [("uav75_DSC00550_label.png", 7042, 970), ("uav75_DSC00617_label.png", 5110, 1162)]
    {
        let Some(numbers) = load(&format!("images/{file}")) else { continue };
        check_shape(&numbers, 512, 512, &["red", "green", "blue", "alpha"], Some(8));
        for field in &numbers.fields {
            let mut counts = BTreeMap::new();
            for &value in &field.values {
                *counts.entry(value).or_insert(0) += 1;
            }
            let expected = match field.name.as_str() {
                "alpha" => BTreeMap::from([(255, 512 * 512)]),
                _ => {
                    let n_rest = 512 * 512 - n_planking - n_crack;
                    BTreeMap::from([(0, n_rest), (204, n_planking), (255, n_crack)])
                }
            };
            assert_eq!(counts, expected);
        }
    }
}

#[test]
fn photographs_have_their_size_and_plausible_colours() {
    for (file, side) in
        [("retina.jpg", 1411), ("uav75_DSC00550.jpg", 512), ("uav75_DSC00617.jpg", 512)]
    {
        let Some(numbers) = load(&format!("images/{file}")) else { continue };
        check_shape(&numbers, side, side, &["red", "green", "blue"], Some(8));
        let means: Vec<i64> =
            numbers.fields.iter().map(|field| summary(field).2 / (side * side) as i64).collect();
        if file == "retina.jpg" {
            assert!(means[0] > means[1] && means[1] > means[2], "an eye is red: {means:?}");
        } else {
            let near = |a: i64, b: i64| (a - b).abs() < 20;
            assert!(near(means[0], means[1]) && near(means[1], means[2]), "gray: {means:?}");
        }
    }
}

#[test]
fn terrains_have_their_heights() {
    if let Some(numbers) = load("terrain/jacksboro_fault_dem.npz") {
        check_shape(&numbers, 344, 403, &["elevation"], None);
        assert_eq!(summary(&numbers.fields[0]), (236, 1076, 73_617_913));
        assert_eq!(numbers.fields[0].values[..3], [483, 487, 491]);
    }
    if let Some(numbers) = load("terrain/topobathy.npz#topo") {
        check_shape(&numbers, 91, 120, &["topo"], None);
        assert_eq!(summary(&numbers.fields[0]), (-1437, 2205, 2_988_229));
        assert_eq!(numbers.fields[0].values[..3], [-1405, -1437, -1291]);
    }
}

#[allow(clippy::print_stderr)] // a skipped test must say so
fn skip(file: &str) {
    eprintln!("skipped: {file} is not in shared/data");
}
