//! Truncated or modified binary files give an error or other numbers, never a panic and never more
//! memory than allowed.

use std::sync::LazyLock;

use proptest::prelude::*;
use star_base::Code;
use star_io::{
    Data, Field, Format, LoadedFile, Numbers, OutputRef, ReadOptions, Shape, read, write,
};

use crate::binary::{header, jpeg, npy, png, tiff, tiff_strips, zip, zlib};
use crate::support::check_wording;

/// A small budget, to keep the tests fast.
const SMALL: u64 = 1 << 20;

/// Valid files of all kinds.
static FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let bits: (u16, &[u16]) = (258, &[8, 8, 8, 8]);
    let size: [(u16, &[u16]); 2] = [(256, &[3]), (257, &[2])];
    let bands = [&size[..], &[bits, (262, &[2]), (277, &[4])]].concat();
    let one = [&size[..], &[(258, &[8]), (262, &[3]), (278, &[1])]].concat();
    let deflated = [&size[..], &[(258, &[16]), (262, &[1]), (259, &[8]), (317, &[2])]].concat();
    let real = [&size[..], &[(258, &[32]), (262, &[1]), (339, &[3]), (317, &[3])]].concat();
    let packed = [&size[..], &[(258, &[1]), (262, &[0]), (259, &[32773])]].concat();
    let tiles: &[(u16, &[u16])] =
        &[(258, &[8]), (262, &[1]), (322, &[2]), (323, &[2]), (324, &[110, 114]), (325, &[4, 4])];
    let tiles = [&size[..], tiles].concat();
    let palette: (&[u8; 4], &[u8]) = (b"PLTE", &[9; 12]);
    let grid = npy(1, &header("'<i2'", "True", "(2, 3)"), &[1; 12]);
    let records = npy(2, &header("[('a', '<f4'), ('b', '|b1')]", "False", "(2,)"), &[0; 10]);
    let numbers = Numbers {
        shape: Shape::Grid { height: 20, width: 20 },
        fields: vec![Field::new("a", None, (0..400).collect())],
    };
    let mut archive = Vec::new();
    write(Format::Npz, OutputRef::Numbers(&numbers), &mut archive).expect("an archive");
    let mut picture = Vec::new();
    write(Format::Png, OutputRef::Numbers(&numbers), &mut picture).expect("a picture");
    vec![
        (Format::Png, png((5, 2), 0, 1, &[], &[&[0x50], &[0xa0]])),
        (Format::Png, png((2, 1), 3, 4, &[palette, (b"tRNS", &[3])], &[&[0x23]])),
        (Format::Png, png((1, 1), 6, 16, &[], &[&[7; 8]])),
        (Format::Png, picture),
        (Format::Jpeg, jpeg((9, 9), 1)),
        (Format::Jpeg, jpeg((8, 8), 3)),
        (Format::Tiff, tiff(true, &bands, &[8; 24])),
        (Format::Tiff, tiff_strips(false, &one, &[&[0, 1, 1], &[1, 0, 1]])),
        (Format::Tiff, tiff(true, &deflated, &zlib(&[1; 12]))),
        (Format::Tiff, tiff(false, &real, &[0; 24])),
        (Format::Tiff, tiff(true, &packed, &[1, 0xa0, 0x60])),
        (Format::Tiff, tiff(true, &tiles, &[1, 2, 0, 0, 3, 0, 0, 0])),
        (Format::Pbm, b"P1\n3 2\n1 0 1\n0 1 1".to_vec()),
        (Format::Pbm, b"P4\n3 2\n\xa0\x60".to_vec()),
        (Format::Pgm, b"P2\n3 1\n# c\n300 7 300 9".to_vec()),
        (Format::Ppm, b"P6\n1 2\n255\n123456".to_vec()),
        (Format::Npy, grid.clone()),
        (Format::Npy, records),
        (Format::Npz, zip(&[("x.npy", &[]), ("a.npy", &grid)])),
        (Format::Npz, archive),
    ]
});

/// Reads under a small budget and checks that the result fits in it.
fn try_read(format: Format, bytes: &[u8]) -> Result<LoadedFile, Code> {
    let mut options = ReadOptions::new("f", SMALL);
    options.size_hint = Some(bytes.len() as u64);
    let result = read(format, &mut &bytes[..], &mut options);
    match result {
        Ok(loaded) => {
            let Data::Numbers(numbers) = &loaded.data else { panic!("no numbers") };
            let n_records = numbers.shape.n_records();
            assert!(numbers.fields.iter().all(|field| field.values.len() == n_records));
            assert!((n_records * numbers.fields.len() * 8) as u64 <= SMALL);
            Ok(loaded)
        }
        Err(error) => {
            check_wording(&error);
            Err(error.code)
        }
    }
}

#[test]
fn files_are_valid_before_they_are_damaged() {
    for (idx, (format, bytes)) in FILES.iter().enumerate() {
        assert!(try_read(*format, bytes).is_ok(), "file {idx}, {format:?}");
        assert_eq!(Format::detect(bytes), Some(*format), "file {idx}");
    }
}

#[test]
fn truncated_files_are_rejected() {
    for (idx, (format, bytes)) in FILES.iter().enumerate() {
        for len in 0..bytes.len() {
            let result = try_read(*format, &bytes[..len]);
            assert!(result.is_err(), "file {idx}, {format:?}, {len} of {}", bytes.len());
        }
    }
}

#[test]
fn changed_bits_never_panic() {
    for (format, bytes) in FILES.iter() {
        let mut bytes = bytes.clone();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let _ = try_read(*format, &bytes);
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

#[test]
fn changed_png_pixels_and_archive_parts_are_detected() {
    for (format, bytes) in FILES.iter() {
        let found = try_read(*format, bytes).expect("in order");
        let at = match format {
            Format::Png => bytes.windows(4).position(|four| four == b"IDAT").map(|at| at + 4),
            Format::Npz => bytes.windows(6).rposition(|six| six == b"\x93NUMPY").map(|at| at + 20),
            _ => None,
        };
        if let Some(at) = at {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert_ne!(try_read(*format, &damaged), Ok(found), "{format:?}");
        }
    }
}

/// Real files, such as the retinal photograph, are too long to test every length; a sample is used.
#[test]
fn damaged_real_files_never_panic() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    for file in [
        "images/uav75_DSC00617.jpg",
        "images/uav75_DSC00617_label.png",
        "images/m_4709963_se_14_1_20160816.tif",
        "terrain/topobathy.npz",
    ] {
        let path = folder.join(file);
        // Missing files are reported by other tests.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let format = Format::of_path(file).expect("a known extension");
        let attempt = |bytes: &[u8]| {
            let mut options = ReadOptions::new("f", 1 << 27);
            read(format, &mut &bytes[..], &mut options)
        };
        for part in 0..12 {
            let len = bytes.len() * part / 12;
            assert!(attempt(&bytes[..len]).is_err(), "{file} up to {len}");
        }
        let mut damaged = bytes.clone();
        for round in 0..12u64 {
            let at = (round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize % bytes.len();
            damaged[at] ^= 0xff;
            let _ = attempt(&damaged);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn edited_files_never_panic(
        idx in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (format, bytes) = idx.get(&FILES);
        let mut bytes = bytes.clone();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = try_read(*format, &bytes);
    }

    #[test]
    fn bytes_after_a_magic_never_panic(
        idx in any::<prop::sample::Index>(),
        n_kept in 0..40usize,
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let (format, bytes) = idx.get(&FILES);
        let bytes = [&bytes[..n_kept.min(bytes.len())], &rest].concat();
        let _ = try_read(*format, &bytes);
    }
}
