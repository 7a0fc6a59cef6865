//! Star's own format.

use proptest::prelude::*;
use star_base::Code::{self, BadFormat, DoesNotFit, HeaderLies, Truncated};
use star_io::Format::Stb;
use star_io::{Data, FileError, OutputRef, ReadOptions, read, write};
use star_value::{BitTable, BitVector, BitsRef, SparseLines, SparseTable};

use crate::support::{BUDGET, check_wording, load};

fn written(value: OutputRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Stb, value, &mut bytes).expect("memory takes everything");
    bytes
}

/// A file with this header, these limbs and a valid checksum.
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
fn bytes_match_the_documentation() {
    let table = BitTable::parse(&["10", "01", "01"]).unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::from(&table))), file(1, 1, 3, 2, &[0b001, 0b110]));
    let bits = BitVector::parse("011").unwrap();
    assert_eq!(written(OutputRef::Bits(BitsRef::Slice(&bits))), file(1, 2, 3, 1, &[0b110]));
    assert_eq!(written(OutputRef::Bits(BitsRef::Word(&bits))), file(1, 3, 3, 1, &[0b110]));
}

#[test]
fn long_tables_cross_chunks() {
    let mut table = BitTable::zeros(64 * 40_000 + 1, 2).unwrap();
    table.put(64 * 40_000, 1, true);
    table.put(12_345, 0, true);
    let bytes = written(OutputRef::Bits(BitsRef::from(&table)));
    let loaded = read(Stb, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET)).unwrap();
    assert_eq!(loaded.data, Data::Table(table.into()));
}

#[test]
fn bad_files_are_rejected() {
    let good = file(1, 1, 65, 1, &[7, 1]);
    let mut flipped = good.clone();
    flipped[33] ^= 1;
    let cases: &[(&[u8], Code, &str)] = &[
        (b"", Truncated, "in its header"),
        (b"STAR", Truncated, "in its header"),
        (b"PK\x03\x04", BadFormat, "expected `STARTBL` at the start"),
        (&[b'x'; 100], BadFormat, "`xxxxxxxx`"),
        (&good[..31], Truncated, "in its header"),
        (&good[..40], Truncated, "after 1 of 2 limbs"),
        (&good[..47], Truncated, "after 1 of 2 limbs"),
        (&good[..50], Truncated, "in its checksum"),
        (&[&good[..], b"x"].concat(), HeaderLies, "after the checksum"),
        (&flipped, BadFormat, "the checksum"),
        (&file(3, 1, 1, 1, &[0]), BadFormat, "version 3"),
        (&file(2, 1, 1, 1, &[0]), BadFormat, "unknown kind of value 1"),
        (&file(1, 4, 1, 1, &[0]), BadFormat, "unknown kind of value 4"),
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
    // The error must not blame the budget: more memory would not help.
    assert_eq!(hinted(&file(1, 1, 1 << 40, 1 << 40, &[])).code, Truncated);
}

#[test]
fn tables_without_rows_keep_their_columns() {
    for (n_rows, n_cols) in [(0, 0), (0, 5), (5, 0), (0, usize::MAX)] {
        let table = BitTable::zeros(n_rows, n_cols).unwrap();
        let bytes = written(OutputRef::Bits(BitsRef::from(&table)));
        assert_eq!(load(Stb, &bytes).unwrap().data, Data::Table(table.into()));
    }
}

/// A file of a sparse table: for each line the number of its limbs and the bit for ones; places;
/// limbs.
fn sparse_file(kind: u32, size: [u64; 2], lines: &[u32], places: &[u32], limbs: &[u64]) -> Vec<u8> {
    let mut bytes = b"STARTBL\0".to_vec();
    bytes.extend([2, kind].iter().flat_map(|number: &u32| number.to_le_bytes()));
    let sizes = [size[0], size[1], limbs.len() as u64];
    bytes.extend(sizes.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(lines.iter().chain(places).flat_map(|number| number.to_le_bytes()));
    bytes.extend(limbs.iter().flat_map(|limb| limb.to_le_bytes()));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

const ON_ONES: u32 = 1 << 31;

/// 130 × 3: one bit, nothing, all but one.
fn few() -> SparseTable {
    let mut lines = SparseLines::zeros(130, 3, 0).expect("memory");
    lines.put(0, 129, true).expect("memory");
    lines.set(2, true, [(1, !1), (2, 3)].into_iter()).expect("memory");
    SparseTable { lines, by_rows: false }
}

#[test]
fn sparse_bytes_match_the_documentation() {
    let table = few();
    let lines = [1, 0, 1 | ON_ONES];
    let expected = sparse_file(4, [130, 3], &lines, &[2, 1], &[2, !1]);
    assert_eq!(written(OutputRef::Bits(BitsRef::from(&table))), expected);
    let table = SparseTable { by_rows: true, ..table };
    let expected = sparse_file(5, [3, 130], &lines, &[2, 1], &[2, !1]);
    assert_eq!(written(OutputRef::Bits(BitsRef::from(&table))), expected);
}

#[test]
fn truncated_or_changed_sparse_file_is_rejected() {
    let good = written(OutputRef::Bits(BitsRef::from(&few())));
    assert_eq!(load(Stb, &good).unwrap().data, Data::Table(few().into()));
    for n_bytes in 0..good.len() {
        let error = load(Stb, &good[..n_bytes]).unwrap_err();
        assert_eq!(error.code, Truncated, "{n_bytes} bytes: {error}");
        check_wording(&error);
    }
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let error = load(Stb, &bytes).unwrap_err();
            check_wording(&error);
            hinted(&bytes);
        }
    }
}

#[test]
fn impossible_sparse_tables_are_rejected() {
    let size = [130, 3];
    let cases: &[(Vec<u8>, Code, &str)] = &[
        (sparse_file(3, size, &[0; 3], &[], &[]), BadFormat, "unknown kind of value 3"),
        (sparse_file(6, size, &[0; 3], &[], &[]), BadFormat, "unknown kind of value 6"),
        (sparse_file(4, size, &[1, 0, 0], &[3], &[1]), BadFormat, "column 1"),
        (sparse_file(4, size, &[1, 0, 0], &[2], &[4]), BadFormat, "column 1"),
        (sparse_file(4, size, &[1, 0, 0], &[0], &[0]), BadFormat, "column 1"),
        (sparse_file(4, size, &[0, 1 | ON_ONES, 0], &[0], &[!0]), BadFormat, "column 2"),
        (sparse_file(4, size, &[0, 1 | ON_ONES, 0], &[2], &[3]), BadFormat, "column 2"),
        (sparse_file(5, [3, 130], &[0, 0, 2], &[1, 1], &[1, 1]), BadFormat, "row 3"),
        (sparse_file(4, size, &[0, 0, 2], &[1, 0], &[1, 1]), BadFormat, "column 3"),
        (sparse_file(4, size, &[2, 0, 0], &[1], &[1]), BadFormat, "column 1"),
        (sparse_file(4, size, &[!0, 0, 0], &[1], &[1]), BadFormat, "column 1"),
        (sparse_file(4, size, &[0; 3], &[1], &[1]), BadFormat, "1 limbs, but its lines have fewer"),
        (sparse_file(4, [1 << 40, 1 << 40], &[], &[], &[]), DoesNotFit, "budget"),
        (sparse_file(4, [u64::MAX; 2], &[], &[], &[]), DoesNotFit, "budget"),
        (sparse_file(4, [1, 1 << 20], &[0], &[], &[]), Truncated, "after 2 of 1048576 lines"),
    ];
    for (bytes, code, part) in cases {
        let error = load(Stb, bytes).unwrap_err();
        assert_eq!((error.code, error.line), (*code, None), "{error}");
        assert!(error.message.contains(part), "{error}");
        check_wording(&error);
    }
    let without_bits = sparse_file(4, [u64::MAX >> 30, 0], &[], &[], &[]);
    assert_eq!(load(Stb, &without_bits).is_ok(), (u64::MAX >> 30).div_ceil(64) < 1 << 31);
}

/// Tables with columns of mostly zeros or mostly ones.
fn uneven() -> impl Strategy<Value = BitTable> {
    let bit = (any::<bool>(), prop::collection::vec(0..200usize, 0..4));
    (1usize..200, prop::collection::vec(bit, 0..70)).prop_map(|(n_rows, columns)| {
        let columns = columns.iter().map(|(ground, others)| {
            let bits: Vec<bool> = (0..n_rows).map(|row| others.contains(&row) != *ground).collect();
            BitVector::from_bools(&bits)
        });
        BitTable::from_columns(n_rows, &columns.collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn sparse_tables_round_trip_in_sparse_form(dense in uneven(), by_rows in any::<bool>()) {
        let lines = SparseLines::of_columns(&dense).unwrap();
        let sparse = SparseTable { lines, by_rows };
        let same = sparse.to_dense().unwrap();
        let bit = |row: usize, col: usize| if by_rows { dense.get(col, row) } else { dense.get(row, col) };
        for row in 0..same.n_rows() {
            for col in 0..same.n_cols() {
                prop_assert_eq!(same.get(row, col), bit(row, col));
                prop_assert_eq!(sparse.get(row, col), bit(row, col));
            }
        }
        let bytes = written(OutputRef::Bits(BitsRef::from(&sparse)));
        prop_assert_eq!(load(Stb, &bytes).unwrap().data, Data::Table(sparse.clone().into()));
        // Every other format writes the same as for the dense table, or rejects both.
        for format in star_io::Format::ALL.iter().filter(|format| **format != Stb) {
            let through = |bits| {
                let mut bytes = Vec::new();
                write(*format, OutputRef::Bits(bits), &mut bytes).ok()?;
                read(*format, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET)).ok().map(|found| {
                    match found.data {
                        Data::Graph(mut graph) => {
                            graph.arcs.sort_by_key(|arc| (arc.tail, arc.head));
                            Data::Graph(graph)
                        }
                        other => other,
                    }
                })
            };
            prop_assert_eq!(through(BitsRef::from(&sparse)), through(BitsRef::from(&same)));
        }
    }
}
