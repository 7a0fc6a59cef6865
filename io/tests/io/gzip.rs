//! Packed files.

use star_base::Code;
use star_io::{
    Data, FileError, Format, LoadedFile, OutputRef, Packing, ReadOptions, read, write, write_packed,
};
use star_value::{BitTable, BitsRef};

use crate::support::{BUDGET, check_wording, load};

fn sample(format: Format, packing: Packing) -> Vec<u8> {
    let table = BitTable::parse(&["0110", "1001", "1000", "0100"]).expect("bits");
    let mut bytes = Vec::new();
    write_packed(format, packing, OutputRef::Bits(BitsRef::from(&table)), &mut bytes, &mut || true)
        .expect("it holds tables");
    bytes
}

#[test]
fn every_format_can_be_packed() {
    for &format in Format::ALL {
        let table = BitTable::parse(&["01", "10"]).unwrap();
        if write(format, OutputRef::Bits(BitsRef::from(&table)), &mut Vec::new()).is_err() {
            continue;
        }
        let packed = sample(format, Packing::Gzip);
        assert!(packed.starts_with(b"\x1f\x8b"));
        let plain = sample(format, Packing::Plain);
        assert_eq!(load(format, &packed), load(format, &plain), "{format:?}");
        let expected = Format::detect(&plain);
        assert_eq!(Format::detect(&packed), expected, "{format:?}");
        assert_eq!(Format::detect(&packed[..packed.len() - 9]), expected, "{format:?}");
    }
}

#[test]
fn members_follow_one_another() {
    let (a, b) = (b"p sp 3 2\na 1 2".as_slice(), b" 7\na 2 3 9\n".as_slice());
    let mut packed = Vec::new();
    for part in [a, b""] {
        packed.extend(pack(part));
    }
    packed.extend(pack(b));
    let Ok(LoadedFile { data: Data::Graph(graph), .. }) = load(Format::Dimacs, &packed) else {
        panic!("no graph")
    };
    assert_eq!(crate::support::arcs(&graph), [(0, 1, 7), (1, 2, 9)]);
}

/// One member of these bytes, stored without compression.
fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    let len = bytes.len() as u16;
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    packed.extend(len.to_le_bytes());
    packed.extend((!len).to_le_bytes());
    packed.extend(bytes);
    packed.extend((!crc).to_le_bytes());
    packed.extend(u32::from(len).to_le_bytes());
    packed
}

fn fails(bytes: &[u8]) -> FileError {
    let error = load(Format::Dimacs, bytes).expect_err("a bad file");
    check_wording(&error);
    error
}

#[test]
fn truncated_files_are_reported() {
    let packed = sample(Format::Dimacs, Packing::Gzip);
    for end in 2..packed.len() {
        let error = fails(&packed[..end]);
        assert_eq!(error.code, Code::Truncated, "{end}: {error}");
        assert!(error.message.contains("packed"), "{end}: {error}");
    }
}

#[test]
fn damaged_files_are_reported() {
    let whole = sample(Format::Dimacs, Packing::Gzip);
    let mut damaged = whole.clone();
    let crc = damaged.len() - 8;
    damaged[crc] ^= 1;
    let error = fails(&damaged);
    assert_eq!(error.code, Code::BadFormat, "{error}");
    assert!(error.message.contains("damaged"), "{error}");
    // A damaged file gives an error or the same graph.
    for idx in 2..whole.len() {
        let mut damaged = whole.clone();
        damaged[idx] ^= 0x10;
        let found = read(Format::Dimacs, &mut &damaged[..], &mut ReadOptions::new("f", BUDGET));
        match found {
            Ok(loaded) => assert_eq!(Ok(loaded), load(Format::Dimacs, &whole)),
            Err(error) => check_wording(&error),
        }
    }
}

#[test]
fn trailing_bytes_are_rejected_unless_zero() {
    let whole = sample(Format::Dimacs, Packing::Gzip);
    let expected = load(Format::Dimacs, &whole);
    for n_zeros in [1, 16, 100_000] {
        let padded = [&whole[..], &vec![0; n_zeros]].concat();
        assert_eq!(load(Format::Dimacs, &padded), expected, "{n_zeros}");
    }
    let apart = [&pack(b"p sp 3 1\n")[..], &[0; 7], &pack(b"a 1 2 5\n"), &[0; 9]].concat();
    let Ok(LoadedFile { data: Data::Graph(graph), .. }) = load(Format::Dimacs, &apart) else {
        panic!("no graph")
    };
    assert_eq!(crate::support::arcs(&graph), [(0, 1, 5)]);
    for behind in [&b"junk"[..], b"\n", b"\0\0\x1fjunk", b"\x8b"] {
        let error = fails(&[&whole[..], behind].concat());
        assert_eq!(error.code, Code::HeaderLies, "{behind:?}: {error}");
        assert_eq!(error.message, "bytes after the packed data");
    }
    for cut in [&b"\x1f"[..], b"\x1f\x8b\x08", b"\0\x1f\x8b"] {
        let error = fails(&[&whole[..], cut].concat());
        assert_eq!(error.code, Code::Truncated, "{cut:?}: {error}");
    }
}

#[test]
fn decompression_bomb_is_limited_by_the_budget() {
    let text = format!("p sp 2 9000000\n{}", "a 1 2 1\n".repeat(1_000_000));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < text.len() / 100);
    let mut options = ReadOptions::new("f", 1 << 20);
    options.size_hint = Some(packed.len() as u64);
    let error = read(Format::Dimacs, &mut &packed[..], &mut options).unwrap_err();
    assert_eq!(error.code, Code::DoesNotFit, "{error}");
}

#[test]
fn progress_counts_packed_bytes() {
    let packed = sample(Format::Dimacs, Packing::Gzip);
    let mut last = 0;
    let mut progress = |n| {
        last = n;
        true
    };
    let mut options =
        ReadOptions { progress: Some(&mut progress), ..ReadOptions::new("f", BUDGET) };
    read(Format::Dimacs, &mut &packed[..], &mut options).unwrap();
    assert_eq!(last, packed.len() as u64);
}

#[test]
fn name_determines_packing() {
    assert_eq!(Packing::of_path("a/road.gr.gz"), (Packing::Gzip, "a/road.gr"));
    assert_eq!(Packing::of_path("ROAD.GR.GZ"), (Packing::Gzip, "ROAD.GR"));
    assert_eq!(Packing::of_path("road.gr"), (Packing::Plain, "road.gr"));
}
