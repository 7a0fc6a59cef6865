//! Star's own format.

use star_base::Code::{self, BadFormat, DoesNotFit, HeaderLies, Truncated};
use star_base::{BitTable, BitVector, BitsRef};
use star_io::Format::Stb;
use star_io::{Data, FileError, OutputRef, ReadOptions, read, write};

use crate::support::{BUDGET, check_wording, load};

fn written(value: OutputRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Stb, value, &mut bytes).expect("memory takes everything");
    bytes
}

/// A file of this header and these limbs with a right checksum.
fn file(version: u32, kind: u32, n_rows: u64, n_cols: u64, limbs: &[u64]) -> Vec<u8> {
    let mut bytes = b"STARTBL\0".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(n_rows.to_le_bytes());
    bytes.extend(n_cols.to_le_bytes());
    bytes.extend(limbs.iter().flat_map(|limb| limb.to_le_bytes()));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn hinted(bytes: &[u8]) -> FileError {
    let mut options = ReadOptions::new("t.stb", BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    read(Stb, &mut &bytes[..], &mut options).expect_err("a bad file")
}

#[test]
fn bytes_are_as_documented() {
    let table = BitTable::parse(&["10", "01", "01"]).unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Table(&table))), file(1, 1, 3, 2, &[0b001, 0b110]));
    let bits = BitVector::parse("011").unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Slice(&bits))), file(1, 2, 3, 1, &[0b110]));
    assert_eq!(written(OutputRef::Bits(BitsRef::Word(&bits))), file(1, 3, 3, 1, &[0b110]));
}

#[test]
fn long_tables_cross_chunks() {
    let mut table = BitTable::zeros(64 * 40_000 + 1, 2).unwrap();
    table.put(64 * 40_000, 1, true);
    table.put(12_345, 0, true);
    let bytes = written(OutputRef::Bits(BitsRef::Table(&table)));
    let loaded = read(Stb, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET)).unwrap();
    assert_eq!(loaded.data, Data::Table(table));
}

#[test]
fn bad_files_are_refused() {
    let good = file(1, 1, 65, 1, &[7, 1]);
    let mut flipped = good.clone();
    flipped[33] ^= 1;
    let cases: &[(&[u8], Code, &str)] = &[
        (b"", Truncated, "in its header"),
        (b"STAR", Truncated, "in its header"),
        (b"PK\x03\x04", BadFormat, "begins with"),
        (&[b'x'; 100], BadFormat, "`xxxxxxxx`"),
        (&good[..31], Truncated, "in its header"),
        (&good[..40], Truncated, "after 1 of 2 limbs"),
        (&good[..47], Truncated, "after 1 of 2 limbs"),
        (&good[..50], Truncated, "in its checksum"),
        (&[&good[..], b"x"].concat(), HeaderLies, "after the checksum"),
        (&flipped, BadFormat, "the checksum"),
        (&file(2, 1, 1, 1, &[0]), BadFormat, "version 2"),
        (&file(1, 4, 1, 1, &[0]), BadFormat, "kind 4"),
        (&file(1, 2, 1, 2, &[0, 0]), BadFormat, "2 columns"),
        (&file(1, 1, 63, 1, &[1 << 63]), BadFormat, "beyond the last row"),
        (&file(1, 3, 1, 1, &[2]), BadFormat, "beyond the last row"),
        (&file(1, 1, 1 << 40, 1 << 40, &[]), DoesNotFit, "budget"),
        (&file(1, 1, u64::MAX, u64::MAX, &[]), DoesNotFit, "budget"),
        (&file(1, 1, 1 << 30, 1, &[]), Truncated, "after 0 of"),
    ];
    for (bytes, code, part) in cases {
        let error = load(Stb, bytes).unwrap_err();
        assert_eq!((error.code, error.line), (*code, None), "{error}");
        assert!(error.message.contains(part), "{error}");
        check_wording(&error);
    }
}

#[test]
fn size_hint_is_checked_before_the_limbs() {
    let short = hinted(&file(1, 1, 1 << 30, 1, &[]));
    assert_eq!(short.code, Truncated);
    assert!(short.message.contains("134217764 bytes"), "{short}");
    assert_eq!(hinted(&file(1, 1, 1, 1, &[0, 0])).code, HeaderLies);
    // No budget is to blame: more memory would not help.
    assert_eq!(hinted(&file(1, 1, 1 << 40, 1 << 40, &[])).code, Truncated);
}

#[test]
fn tables_without_rows_keep_their_columns() {
    for (n_rows, n_cols) in [(0, 0), (0, 5), (5, 0), (0, usize::MAX)] {
        let table = BitTable::zeros(n_rows, n_cols).unwrap();
        let bytes = written(OutputRef::Bits(BitsRef::Table(&table)));
        assert_eq!(load(Stb, &bytes).unwrap().data, Data::Table(table));
    }
}
