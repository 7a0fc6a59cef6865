//! Reading pictures: PNG, Netpbm, JPEG, TIFF.

use star_base::Code;
use star_io::Format::{Jpeg, Pbm, Pgm, Png, Ppm, Tiff};
use star_io::{Data, Decimal, Format, Numbers, ReadOptions, Shape, read};

use crate::binary::{jpeg, png, tiff, tiff_strips, zlib};
use crate::support::{BUDGET, check_wording, fields, load, refuses};

/// The grid of a file that must be valid and give no warning.
fn grid(format: Format, bytes: &[u8]) -> Numbers {
    let loaded = load(format, bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.warnings, Vec::<String>::new());
    let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
    assert!(matches!(numbers.shape, Shape::Grid { .. }));
    numbers
}

fn size(numbers: &Numbers) -> (usize, usize) {
    match numbers.shape {
        Shape::Grid { height, width } => (height, width),
        Shape::List(len) => panic!("a list of {len}"),
    }
}

fn error(format: Format, bytes: &[u8]) -> (Code, String) {
    let error = load(format, bytes).expect_err("a file that is refused");
    check_wording(&error);
    (error.code, error.message)
}

#[test]
fn png_gray_keeps_its_depth() {
    let numbers = grid(Png, &png((3, 2), 0, 1, &[], &[&[0b1010_0000], &[0b0110_0000]]));
    assert_eq!(size(&numbers), (2, 3));
    assert_eq!(fields(&numbers), [("gray", Some(1), &[1, 0, 1, 0, 1, 1][..])]);
    let numbers = grid(Png, &png((3, 1), 0, 2, &[], &[&[0b1101_1000]]));
    assert_eq!(fields(&numbers), [("gray", Some(2), &[3, 1, 2][..])]);
    let numbers = grid(Png, &png((3, 1), 0, 4, &[], &[&[0xf0, 0x70]]));
    assert_eq!(fields(&numbers), [("gray", Some(4), &[15, 0, 7][..])]);
    let numbers = grid(Png, &png((2, 1), 0, 8, &[], &[&[255, 3]]));
    assert_eq!(fields(&numbers), [("gray", Some(8), &[255, 3][..])]);
    let numbers = grid(Png, &png((2, 1), 0, 16, &[], &[&[1, 2, 255, 255]]));
    assert_eq!(fields(&numbers), [("gray", Some(16), &[258, 65535][..])]);
}

#[test]
fn png_colours_become_fields() {
    let numbers = grid(Png, &png((2, 1), 2, 8, &[], &[&[1, 2, 3, 4, 5, 6]]));
    let expected: [(&str, Option<usize>, &[i64]); 3] =
        [("red", Some(8), &[1, 4]), ("green", Some(8), &[2, 5]), ("blue", Some(8), &[3, 6])];
    assert_eq!(fields(&numbers), expected);
    let numbers = grid(Png, &png((1, 1), 6, 16, &[], &[&[0, 1, 0, 2, 0, 3, 1, 0]]));
    let values: Vec<_> = numbers.fields.iter().map(|f| (&f.name[..], f.values[0])).collect();
    assert_eq!(values, [("red", 1), ("green", 2), ("blue", 3), ("alpha", 256)]);
    let numbers = grid(Png, &png((1, 1), 4, 8, &[], &[&[9, 200]]));
    assert_eq!(fields(&numbers), [("gray", Some(8), &[9][..]), ("alpha", Some(8), &[200][..])]);
}

#[test]
fn png_palette_gives_colours_by_default() {
    let palette: (&[u8; 4], &[u8]) = (b"PLTE", &[10, 20, 30, 40, 50, 60, 70, 80, 90]);
    let indices = |bytes: &[u8]| {
        let options = ReadOptions::new("f", BUDGET);
        let mut options = ReadOptions { palette_indices: true, ..options };
        let loaded = read(Png, &mut &bytes[..], &mut options).unwrap();
        let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
        numbers
    };
    let two = png((3, 1), 3, 8, &[palette], &[&[1, 0, 1]]);
    assert_eq!(grid(Png, &two).fields[0].values, [40, 10, 40]);
    assert_eq!(fields(&indices(&two)), [("index", Some(1), &[1, 0, 1][..])]);
    let three = png((3, 1), 3, 8, &[palette], &[&[1, 2, 0]]);
    assert_eq!(fields(&indices(&three)), [("index", Some(8), &[1, 2, 0][..])]);
    let (code, message) = error(Png, &png((1, 1), 3, 8, &[], &[&[0]]));
    assert!(message.contains("PLTE"), "{code:?} {message}");
    let colors = png((3, 1), 3, 2, &[palette], &[&[0b1000_0100]]);
    let expected: [(&str, Option<usize>, &[i64]); 3] = [
        ("red", Some(8), &[70, 10, 40]),
        ("green", Some(8), &[80, 20, 50]),
        ("blue", Some(8), &[90, 30, 60]),
    ];
    assert_eq!(fields(&grid(Png, &colors)), expected);
    let alpha: (&[u8; 4], &[u8]) = (b"tRNS", &[7]);
    let numbers = grid(Png, &png((2, 1), 3, 8, &[palette, alpha], &[&[2, 0]]));
    assert_eq!(numbers.fields[3].values, [255, 7]);
    let beyond = png((1, 1), 3, 8, &[palette], &[&[3]]);
    assert!(error(Png, &beyond).1.contains("a pixel has colour 3, which is not in the palette"));
}

#[test]
fn png_transparent_colour_is_reported() {
    let bytes = png((1, 1), 0, 8, &[(b"tRNS", &[0, 5])], &[&[5]]);
    let loaded = load(Png, &bytes).unwrap();
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn netpbm_is_read_plain_and_binary() {
    let numbers = grid(Pbm, b"P1 # a comment\n3 2\n101\n0 1 1\n");
    assert_eq!(size(&numbers), (2, 3));
    assert_eq!(fields(&numbers), [("black", Some(1), &[1, 0, 1, 0, 1, 1][..])]);
    let numbers = grid(Pbm, b"P4\n9 1\n\xff\x80");
    assert_eq!(fields(&numbers), [("black", Some(1), &[1; 9][..])]);
    let numbers = grid(Pgm, b"P2\n#c\n2 2 # d\n1000 0 7\n1000\n1 # e");
    assert_eq!(fields(&numbers), [("gray", Some(10), &[0, 7, 1000, 1][..])]);
    let numbers = grid(Pgm, b"P5 2 1 255\n\n7"); // a sample may look like white space
    assert_eq!(fields(&numbers), [("gray", Some(8), &[10, 55][..])]);
    let numbers = grid(Pgm, b"P5 2 1 65535 \x01\x02\xff\xff");
    assert_eq!(fields(&numbers), [("gray", Some(16), &[258, 65535][..])]);
    let numbers = grid(Ppm, b"P3 1 2 255 1 2 3 4 5 6");
    assert_eq!(numbers.fields[1].values, [2, 5]);
    let numbers = grid(Ppm, b"P6 1 2 3\n\x01\x02\x03\x01\x00\x02");
    let values: Vec<_> = numbers.fields.iter().map(|f| (f.bits, &f.values[..])).collect();
    assert_eq!(values, [(Some(2), &[1, 1][..]), (Some(2), &[2, 0]), (Some(2), &[3, 2])]);
    // The first bytes determine the variant, not the name.
    assert_eq!(grid(Ppm, b"P1 1 1 1").fields.len(), 1);
}

#[test]
fn netpbm_faults_have_places() {
    refuses(
        Pgm,
        &[
            (b"P2\n2 1\n255\n1 256\n", Code::OutOfRange, 4, 3, "`256`"),
            (b"P2\n2 1\n255\n1 -1\n", Code::BadFormat, 4, 3, "is not a sample"),
            (b"P2\n2 1\n0\n1 1\n", Code::OutOfRange, 3, 1, "maximum value is 0"),
            (b"P2\n2 x\n255\n1 1\n", Code::BadFormat, 2, 3, "the height"),
            (b"P2\n2 1\n255\n1 1 1\n", Code::HeaderLies, 4, 5, "unexpected data after"),
            (
                b"P2\n2 1\n255\n123  \n",
                Code::Truncated,
                5,
                1,
                "expected a sample, found the end of the file",
            ),
            (b"P1\n2 1\n12", Code::BadFormat, 3, 2, "`2` is neither 0 nor 1"),
            (b"P5 99999999999 1 255\n", Code::OutOfRange, 1, 4, "the width"),
        ],
    );
    assert_eq!(error(Pgm, b"P5 2 1 100\n\x01\x65").0, Code::OutOfRange);
    assert_eq!(error(Pgm, b"P5 2 1 100\n\x01\x02\x03").0, Code::HeaderLies);
    assert_eq!(error(Pgm, b"P7 2 1 100\n\x01\x02").0, Code::BadFormat);
    assert_eq!(error(Pgm, b"P5 0 1 100\n").0, Code::BadFormat);
}

#[test]
fn jpeg_has_gray_or_three_colours() {
    let numbers = grid(Jpeg, &jpeg((10, 9), 1));
    assert_eq!(size(&numbers), (9, 10));
    assert_eq!(fields(&numbers), [("gray", Some(8), &[128; 90][..])]);
    let numbers = grid(Jpeg, &jpeg((8, 8), 3));
    let names: Vec<&str> = numbers.fields.iter().map(|field| &field.name[..]).collect();
    assert_eq!(names, ["red", "green", "blue"]);
    assert!(numbers.fields.iter().all(|field| field.values == [128; 64]));
}

/// Tags of a picture of `width` × `height` with one value of `bits` for each sample.
fn tags<'a>(
    width: &'a [u16],
    height: &'a [u16],
    bits: &'a [u16],
    more: &[(u16, &'a [u16])],
) -> Vec<(u16, &'a [u16])> {
    [&[(256, width), (257, height), (258, bits)], more].concat()
}

#[test]
fn tiff_bands_are_read_unchanged() {
    for is_little in [true, false] {
        let mask = tags(&[3], &[2], &[8], &[(262, &[3])]);
        let numbers = grid(Tiff, &tiff(is_little, &mask, &[1, 0, 1, 0, 0, 1]));
        assert_eq!(size(&numbers), (2, 3));
        assert_eq!(fields(&numbers), [("index", Some(1), &[1, 0, 1, 0, 0, 1][..])]);
        let numbers = grid(Tiff, &tiff(is_little, &mask, &[1, 0, 2, 0, 0, 1]));
        assert_eq!(numbers.fields[0].bits, Some(8));

        let more: &[(u16, &[u16])] = &[(262, &[2]), (277, &[4]), (338, &[2])];
        let bands = tags(&[2], &[1], &[8, 8, 8, 8], more);
        let numbers = grid(Tiff, &tiff(is_little, &bands, &[1, 2, 3, 4, 5, 6, 7, 8]));
        let expected: [(&str, Option<usize>, &[i64]); 4] = [
            ("red", Some(8), &[1, 5]),
            ("green", Some(8), &[2, 6]),
            ("blue", Some(8), &[3, 7]),
            ("band4", Some(8), &[4, 8]),
        ];
        assert_eq!(fields(&numbers), expected);
        let notes = load(Tiff, &tiff(is_little, &bands, &[1, 2, 3, 4, 5, 6, 7, 8])).unwrap().notes;
        let note = "the file marks `band4` as alpha, which programs also do with near infrared";
        assert_eq!(notes, [note]);
        // The mark is for the first of the other bands.
        let more: &[(u16, &[u16])] = &[(262, &[1]), (277, &[3]), (338, &[2, 0])];
        let bands = tags(&[1], &[1], &[8, 8, 8], more);
        let notes = load(Tiff, &tiff(is_little, &bands, &[1, 2, 3])).unwrap().notes;
        assert_eq!(notes, [note.replace("band4", "band2")]);
        let none: &[(u16, &[u16])] = &[(262, &[1]), (277, &[2]), (338, &[0])];
        let bands = tags(&[1], &[1], &[8, 8], none);
        assert!(load(Tiff, &tiff(is_little, &bands, &[1, 2])).unwrap().notes.is_empty());

        let gray = tags(&[2], &[1], &[16], &[(262, &[1])]);
        let samples: Vec<u8> = [258u16, 65535]
            .iter()
            .flat_map(|n| if is_little { n.to_le_bytes() } else { n.to_be_bytes() })
            .collect();
        let numbers = grid(Tiff, &tiff(is_little, &gray, &samples));
        assert_eq!(fields(&numbers), [("gray", Some(16), &[258, 65535][..])]);
        let signed = tags(&[2], &[1], &[16], &[(262, &[1]), (339, &[2])]);
        let numbers = grid(Tiff, &tiff(is_little, &signed, &samples));
        assert_eq!(fields(&numbers), [("gray", None, &[258, -1][..])]);
    }
}

#[test]
fn tiff_rows_of_bits_are_padded() {
    let bits = tags(&[3], &[2], &[1], &[(262, &[1])]);
    let numbers = grid(Tiff, &tiff(true, &bits, &[0b1010_0000, 0b0110_0000]));
    assert_eq!(fields(&numbers), [("gray", Some(1), &[1, 0, 1, 0, 1, 1][..])]);
    let white = tags(&[3], &[1], &[1], &[(262, &[0])]);
    let numbers = grid(Tiff, &tiff(true, &white, &[0b1010_0000]));
    assert_eq!(fields(&numbers), [("gray", Some(1), &[0, 1, 0][..])]);
}

#[test]
fn tiff_planes_and_compressed_strips_are_read() {
    let deflated = tags(&[2], &[2], &[8], &[(262, &[1]), (259, &[8]), (317, &[2])]);
    let numbers = grid(Tiff, &tiff(true, &deflated, &zlib(&[5, 1, 7, 255])));
    assert_eq!(numbers.fields[0].values, [5, 6, 7, 6]);
    let planes: &[(u16, &[u16])] = &[(262, &[1]), (277, &[2]), (284, &[2]), (278, &[1])];
    let planes = tags(&[2], &[2], &[8, 8], planes);
    let strips: [&[u8]; 4] = [&[1, 2], &[3, 4], &[5, 6], &[7, 8]];
    let numbers = grid(Tiff, &tiff_strips(true, &planes, &strips));
    let expected: [(&str, Option<usize>, &[i64]); 2] =
        [("band1", Some(8), &[1, 2, 3, 4]), ("band2", Some(8), &[5, 6, 7, 8])];
    assert_eq!(fields(&numbers), expected);
    let packed = tags(&[4], &[1], &[8], &[(262, &[1]), (259, &[32773])]);
    let numbers = grid(Tiff, &tiff(true, &packed, &[0xfe, 9, 0, 4]));
    assert_eq!(numbers.fields[0].values, [9, 9, 9, 4]);
    let tiles: &[(u16, &[u16])] =
        &[(262, &[1]), (322, &[2]), (323, &[2]), (324, &[110, 114]), (325, &[4, 4])];
    let tiles = tags(&[3], &[1], &[8], tiles);
    let numbers = grid(Tiff, &tiff(true, &tiles, &[1, 2, 0, 0, 3, 0, 0, 0]));
    assert_eq!((size(&numbers), &numbers.fields[0].values[..]), ((1, 3), &[1, 2, 3][..]));
    // The nine-bit codes clear, 1, 2, the string "1 2", end.
    let lzw = tags(&[4], &[1], &[8], &[(262, &[1]), (259, &[5])]);
    let codes = [256u64, 1, 2, 258, 257].iter().fold(0, |bits, code| bits << 9 | code) << 19;
    let numbers = grid(Tiff, &tiff(true, &lzw, &codes.to_be_bytes()));
    assert_eq!(numbers.fields[0].values, [1, 2, 1, 2]);
    let unknown = tags(&[2], &[1], &[8], &[(262, &[1]), (259, &[34925])]);
    assert!(
        error(Tiff, &tiff(true, &unknown, &[0; 40])).1.contains("unsupported compression 34925")
    );
}

#[test]
fn tiff_fractions_need_a_scale() {
    let real = tags(&[2], &[1], &[32], &[(262, &[1]), (339, &[3])]);
    let samples = |numbers: [f32; 2]| numbers.map(f32::to_le_bytes).concat();
    let whole = tiff(true, &real, &samples([-1437.0, 3.0]));
    assert_eq!(fields(&grid(Tiff, &whole)), [("gray", None, &[-1437, 3][..])]);
    let fractions = tiff(true, &real, &samples([1.0, 0.25]));
    let error = load(Tiff, &fractions).unwrap_err();
    assert_eq!(error.to_string(), "f: `0.25` is not a whole number in row 1, column 2");
    assert!(error.help[0].contains("`scale=100`"));
    let mut options = ReadOptions::new("f", BUDGET);
    options.scale = Some(Decimal::whole(100));
    let loaded = read(Tiff, &mut &fractions[..], &mut options).unwrap();
    let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
    assert_eq!(numbers.fields[0].values, [100, 25]);
    // Integer samples are also multiplied.
    let gray = tiff(true, &tags(&[1], &[1], &[8], &[(262, &[1])]), &[7]);
    let loaded = read(Tiff, &mut &gray[..], &mut options).unwrap();
    let Data::Numbers(numbers) = loaded.data else { panic!("no numbers") };
    assert_eq!(fields(&numbers), [("gray", None, &[700][..])]);
}

#[test]
fn bytes_after_a_picture_are_reported() {
    for (format, bytes) in [
        (Png, png((1, 1), 0, 8, &[], &[&[0, 7]])),
        (Jpeg, jpeg((8, 8), 1)),
        (Jpeg, jpeg((8, 8), 3)),
    ] {
        let whole = load(format, &bytes).unwrap();
        assert!(whole.warnings.is_empty(), "{whole:?}");
        // Trailing bytes may look like the end of a picture.
        for behind in [&b"\0"[..], b"junk", b"junk\xff\xd9", b"\0\0\0\0IEND\xae\x42\x60\x82"] {
            let loaded = load(format, &[&bytes[..], behind].concat()).unwrap();
            assert_eq!(loaded.data, whole.data);
            assert_eq!(loaded.warnings, ["the bytes after the picture are ignored"]);
        }
    }
}

#[test]
fn picture_faults_name_chunks() {
    let twice = png((1, 1), 0, 8, &[(b"gAMA", &[0, 0, 0, 1]), (b"PLTE", &[0; 3])], &[&[0, 7]]);
    let messages: Vec<String> = (0..twice.len())
        .filter_map(|idx| {
            let mut damaged = twice.clone();
            damaged[idx] ^= 0x20;
            load(Png, &damaged).err().map(|error| error.message)
        })
        .collect();
    assert!(messages.iter().any(|message| message.contains("`IDAT`")), "{messages:?}");
    for message in messages {
        assert!(!message.contains("ChunkType") && !message.contains("critical:"), "{message}");
    }
}

#[test]
fn short_plain_pictures_are_truncated() {
    let (code, message) = error(Pgm, b"P2\n# a comment\n9 9\n255\n1 2\n");
    assert_eq!(code, Code::Truncated);
    assert_eq!(message, "the file ends before its picture does");
    assert_eq!(grid(Pgm, b"P2 2 1 9 4 5").fields[0].values, [4, 5]);
}

#[test]
fn huge_pictures_in_tiny_files_allocate_no_memory() {
    let side = 1 << 30;
    let huge_tiff = |more: &[(u16, &[u16])]| {
        let tags =
            [&[(256, &[65535][..]), (257, &[65535]), (258, &[8]), (262, &[1])], more].concat();
        tiff(true, &tags, &[0; 16])
    };
    for (format, bytes) in [
        (Png, png((side, side), 0, 8, &[], &[&[0]])),
        (Png, png((side, side), 3, 1, &[(b"PLTE", &[0; 6])], &[&[0]])),
        (Pgm, b"P5 1000000000 1000000000 255\nabc".to_vec()),
        (Pgm, b"P2 1000000000 1000000000 255\n1 2".to_vec()),
        (Pbm, b"P1 1000000000 1000000000\n1 0".to_vec()),
        (Tiff, huge_tiff(&[])),
        (Tiff, huge_tiff(&[(259, &[8])])),
        (Tiff, huge_tiff(&[(259, &[5])])),
        (Tiff, huge_tiff(&[(259, &[32773])])),
        (Jpeg, {
            let mut bytes = jpeg((8, 8), 1);
            let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
            bytes[frame + 5..frame + 9].fill(0xff);
            bytes
        }),
    ] {
        // The error must not blame the budget: more memory would not help.
        for max_bytes in [BUDGET, u64::MAX] {
            let mut options = ReadOptions::new("f", max_bytes);
            let error = read(format, &mut &bytes[..], &mut options).unwrap_err();
            let expected = [Code::HeaderLies, Code::Truncated];
            assert!(expected.contains(&error.code), "{format:?}: {error}");
            check_wording(&error);
        }
    }
    // A tile may be larger than its picture.
    let tile: &[(u16, &[u16])] =
        &[(262, &[1]), (322, &[65520]), (323, &[65520]), (324, &[200]), (325, &[16])];
    let bytes = tiff(true, &tags(&[2], &[2], &[8], tile), &[0; 64]);
    let mut options = ReadOptions::new("f", u64::MAX);
    assert_eq!(read(Tiff, &mut &bytes[..], &mut options).unwrap_err().code, Code::HeaderLies);
}

/// The values of a tag of ASCII characters, for a file with the low byte first.
fn ascii(text: &str) -> Vec<u16> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() + 2 - bytes.len() % 2, 0);
    bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[test]
fn tiff_missing_blocks_hold_zeros_or_nodata() {
    let tiles: &[(u16, &[u16])] =
        &[(262, &[1]), (322, &[2]), (323, &[2]), (324, &[110, 0]), (325, &[4, 0])];
    let tiles = tags(&[3], &[1], &[8], tiles);
    let numbers = grid(Tiff, &tiff(true, &tiles, &[1, 2, 0, 0]));
    assert_eq!(numbers.fields[0].values, [1, 2, 0]);
    let strips = |more: &[(u16, &[u16])]| {
        let more = [more, &[(278, &[1][..])]].concat();
        tiff_strips(true, &tags(&[2], &[2], &[8], &more), &[&[1, 2], &[]])
    };
    assert_eq!(grid(Tiff, &strips(&[(262, &[1])])).fields[0].values, [1, 2, 0, 0]);
    // 0 is white.
    assert_eq!(grid(Tiff, &strips(&[(262, &[0])])).fields[0].values, [254, 253, 255, 255]);
    let nodata = ascii("9");
    let numbers = grid(Tiff, &strips(&[(262, &[1]), (42113, &nodata)]));
    assert_eq!(
        (&numbers.fields[0].values[..], numbers.fields[0].nodata),
        (&[1, 2, 9, 9][..], Some(9))
    );
    let numbers = grid(Tiff, &strips(&[(262, &[0]), (42113, &nodata)]));
    assert_eq!(numbers.fields[0].values, [254, 253, 246, 246]);
    // A block cannot lie in the header.
    let tiles: &[(u16, &[u16])] =
        &[(262, &[1]), (322, &[2]), (323, &[2]), (324, &[0]), (325, &[4])];
    let tiles = tags(&[2], &[1], &[8], tiles);
    assert!(error(Tiff, &tiff(true, &tiles, &[0; 4])).1.contains("begins at byte 0"));
}

#[test]
fn tiff_nodata_marks_missing_samples() {
    let floats = |samples: &[f32]| -> Vec<u8> {
        samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
    };
    for (text, missing, marker) in [
        ("-9999", -9999.0, -9999),
        ("nan", f32::NAN, i64::MIN),
        ("-3.4028234663852886e+38", f32::MIN, i64::MIN),
    ] {
        let nodata = ascii(text);
        let tags = tags(&[3], &[1], &[32], &[(262, &[1]), (339, &[3]), (42113, &nodata)]);
        let file = tiff(true, &tags, &floats(&[5.0, missing, 7.0]));
        let loaded = load(Tiff, &file).unwrap();
        let Data::Numbers(numbers) = loaded.data else { panic!("numbers") };
        assert_eq!(numbers.fields[0].values, [5, marker, 7], "{text}");
        assert_eq!(numbers.fields[0].nodata, Some(marker), "{text}");
        assert!(loaded.notes[0].contains("nodata"), "{:?}", loaded.notes);
    }
    let floats_only = tags(&[3], &[1], &[32], &[(262, &[1]), (339, &[3])]);
    let file = tiff(true, &floats_only, &floats(&[5.0, f32::NAN, 7.0]));
    assert!(error(Tiff, &file).1.contains("`NaN` is not a whole number"));
    let mut options = ReadOptions { nan_is_missing: true, ..ReadOptions::new("f", BUDGET) };
    let loaded = read(Tiff, &mut &file[..], &mut options).unwrap();
    let Data::Numbers(numbers) = loaded.data else { panic!("numbers") };
    assert_eq!(fields(&numbers)[0].2, [5, i64::MIN, 7]);
    assert_eq!((numbers.fields[0].nodata, loaded.notes), (Some(i64::MIN), vec![]));
    let nodata = ascii("255");
    let bytes = tags(&[3], &[1], &[8], &[(262, &[1]), (42113, &nodata)]);
    let numbers = grid(Tiff, &tiff(true, &bytes, &[255, 0, 7]));
    assert_eq!(numbers.fields[0].nodata, Some(255));
    assert_eq!(grid(Tiff, &tiff(true, &bytes, &[1, 0, 7])).fields[0].nodata, None);
    let scaled = ReadOptions { scale: Decimal::parse("10"), ..ReadOptions::new("f", BUDGET) };
    let mut scaled = scaled;
    let loaded = read(Tiff, &mut &tiff(true, &bytes, &[255, 0, 7])[..], &mut scaled).unwrap();
    let Data::Numbers(numbers) = loaded.data else { panic!("numbers") };
    assert_eq!(
        (&numbers.fields[0].values[..], numbers.fields[0].nodata),
        (&[2550, 0, 70][..], Some(2550))
    );
}

#[test]
fn tiff_strips_without_all_samples_are_refused() {
    let strips = |rows: u16, strips: &[&[u8]]| {
        let rows = [rows];
        let tags = tags(&[2], &[3], &[8], &[(262, &[1]), (278, &rows)]);
        [tiff_strips(true, &tags, strips), vec![9; 8]].concat()
    };
    // The last strip has fewer rows than the others.
    let whole = strips(2, &[&[1, 2, 3, 4], &[5, 6]]);
    assert_eq!(grid(Tiff, &whole).fields[0].values, [1, 2, 3, 4, 5, 6]);
    for (bytes, strip) in [
        (strips(2, &[&[1, 2, 3], &[5, 6]]), "strip 1 has 3 bytes, but needs 4"),
        (strips(2, &[&[1, 2, 3, 4], &[5]]), "strip 2 has 1 byte, but needs 2"),
        (strips(3, &[&[1, 2, 3, 4, 5]]), "strip 1 has 5 bytes, but needs 6"),
    ] {
        let (code, message) = error(Tiff, &bytes);
        assert_eq!(code, Code::BadFormat);
        assert!(message.ends_with(strip), "{message}");
    }
}

#[test]
fn tiff_rows_per_strip_may_exceed_the_picture() {
    for rows in [2, 3, u16::MAX] {
        let rows = [rows];
        let tags = tags(&[2], &[2], &[8], &[(262, &[1]), (278, &rows)]);
        assert_eq!(grid(Tiff, &tiff(true, &tags, &[1, 2, 3, 4])).fields[0].values, [1, 2, 3, 4]);
        assert_eq!(grid(Tiff, &tiff(false, &tags, &[1, 2, 3, 4])).fields[0].values, [1, 2, 3, 4]);
    }
}

#[test]
fn orientations_are_honoured_in_every_format() {
    for (orientation, size_then, values) in
        [(4, (2, 3), [4, 5, 6, 1, 2, 3]), (6, (3, 2), [4, 1, 5, 2, 6, 3])]
    {
        let value = [orientation];
        let picture = tags(&[3], &[2], &[8], &[(262, &[1]), (274, &value)]);
        let numbers = grid(Tiff, &tiff(true, &picture, &[1, 2, 3, 4, 5, 6]));
        assert_eq!((size(&numbers), &numbers.fields[0].values[..]), (size_then, &values[..]));
        let exif = tiff(orientation == 4, &[(274, &[orientation]), (324, &[0])], &[]);
        let rows: [&[u8]; 2] = [&[1, 2, 3], &[4, 5, 6]];
        let numbers = grid(Png, &png((3, 2), 0, 8, &[(b"eXIf", &exif)], &rows));
        assert_eq!((size(&numbers), &numbers.fields[0].values[..]), (size_then, &values[..]));
        let segment = [b"Exif\0\0", &exif[..]].concat();
        let mut bytes = jpeg((16, 8), 1);
        let len = (segment.len() as u16 + 2).to_be_bytes();
        bytes.splice(2..2, [&[0xff, 0xe1], &len[..], &segment].concat());
        let expected = if orientation == 4 { (8, 16) } else { (16, 8) };
        assert_eq!(size(&grid(Jpeg, &bytes)), expected);
    }
}

#[test]
fn tiff_tags_that_change_samples_are_refused_by_name() {
    for (tag, value, name) in [
        (266, 2, "FillOrder"),
        (274, 9, "Orientation"),
        (346, 1, "Indexed"),
        (559, 1, "StripRowCounts"),
        (32997, 2, "ImageDepth"),
        (50712, 1, "LinearizationTable"),
    ] {
        let value = [value];
        let picture = tags(&[2], &[1], &[8], &[(262, &[1]), (tag, &value)]);
        let (code, message) = error(Tiff, &tiff(true, &picture, &[1, 2]));
        assert_eq!(code, Code::BadFormat);
        assert!(message.contains(&format!("`{name}` ({tag})")), "{message}");
    }
    let inks = tags(&[1], &[1], &[8; 4], &[(262, &[5]), (277, &[4]), (332, &[2])]);
    assert!(error(Tiff, &tiff(true, &inks, &[0; 4])).1.contains("`InkSet`"));
    // The predictor of an uncompressed picture is ignored.
    let plain = tags(&[3], &[1], &[8], &[(262, &[1]), (317, &[2])]);
    assert_eq!(grid(Tiff, &tiff(true, &plain, &[1, 2, 3])).fields[0].values, [1, 2, 3]);
}
