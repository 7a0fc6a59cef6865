//! Dense tables by ranges of columns.

use std::cell::Cell;

use proptest::prelude::*;
use star_base::Code::{self, CannotWrite, HeaderLies, Interrupted, Truncated};
use star_io::Format::Stb;
use star_io::{
    Data, FileError, OutputRef, Packing, ReadOptions, dense_table, read, read_columns, write,
    write_columns,
};
use star_value::{BitTable, BitVector, BitsRef};

use crate::support::{BUDGET, check_wording};

/// Sizes of tables at the boundaries of limbs and chunks.
const SIZES: [(usize, usize); 8] =
    [(0, 0), (0, 5), (5, 0), (1, 1), (1, 200), (65, 3), (64, 7), (64 * 40_000 + 1, 3)];

/// Returns a table with scattered ones.
fn table(n_rows: usize, n_cols: usize) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_cols).expect("memory");
    for col in 0..n_cols {
        let rows = (0..n_rows).filter(|row| (row * 31 + col * 17) % 11 < 4);
        rows.for_each(|row| table.put(row, col, true));
    }
    table
}

fn written(table: &BitTable) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Stb, OutputRef::Bits(BitsRef::from(table)), &mut bytes).expect("memory takes everything");
    bytes
}

fn options(size_hint: Option<u64>) -> ReadOptions<'static> {
    let mut options = ReadOptions::new("t.stb", BUDGET);
    options.size_hint = size_hint;
    options
}

/// Reads a table by parts, and joins them.
fn joined(
    bytes: &[u8],
    size_hint: Option<u64>,
    at_once: usize,
) -> Result<(BitTable, usize), FileError> {
    let (mut columns, mut n_rows, mut n_parts) = (Vec::<BitVector>::new(), 0, 0);
    let mut each = |start, part: BitTable| {
        assert_eq!(start, columns.len());
        columns.extend((0..part.n_cols()).map(|col| part.column(col)));
        (n_rows, n_parts) = (part.n_rows(), n_parts + 1);
        true
    };
    read_columns(&mut &bytes[..], &mut options(size_hint), at_once, &mut each)?;
    Ok((BitTable::from_columns(n_rows, &columns), n_parts))
}

/// Writes a table by parts.
fn written_by_parts(table: &BitTable, at_once: usize, packing: Packing) -> Vec<u8> {
    let (mut bytes, mut start) = (Vec::new(), 0);
    let mut next = || {
        let columns = start..table.n_cols().min(start + at_once);
        start = columns.end;
        let columns: Vec<BitVector> = columns.map(|col| table.column(col)).collect();
        Ok(BitTable::from_columns(table.n_rows(), &columns))
    };
    let shape = (table.n_rows(), table.n_cols());
    let done = write_columns(packing, shape, &mut next, &mut bytes, &mut || true);
    done.expect("memory takes everything");
    bytes
}

#[test]
fn parts_are_the_whole_table() {
    for (n_rows, n_cols) in SIZES {
        let table = table(n_rows, n_cols);
        let bytes = written(&table);
        for at_once in [1, 2, 3, 64, usize::MAX] {
            for size_hint in [None, Some(bytes.len() as u64)] {
                let (found, n_parts) = joined(&bytes, size_hint, at_once).expect("a good file");
                assert!(found == table, "{n_rows} × {n_cols}, {at_once} at once");
                let n_parts_wanted = if n_rows == 0 { 1 } else { n_cols.div_ceil(at_once).max(1) };
                assert_eq!(n_parts, n_parts_wanted);
            }
            assert!(written_by_parts(&table, at_once.min(1000), Packing::Plain) == bytes);
        }
        let packed = written_by_parts(&table, 2, Packing::Gzip);
        let unpacked = read(Stb, &mut &packed[..], &mut options(None)).expect("a good file");
        assert_eq!(unpacked.data, Data::Table(table.into()));
    }
}

/// Asserts that a file is rejected by parts as it is as a whole, and returns the error.
fn rejected(bytes: &[u8], size_hint: Option<u64>) -> FileError {
    let whole = read(Stb, &mut &bytes[..], &mut options(size_hint)).expect_err("a bad file");
    for at_once in [1, 2, usize::MAX] {
        assert_eq!(joined(bytes, size_hint, at_once).expect_err("a bad file"), whole);
    }
    check_wording(&whole);
    whole
}

#[test]
fn bad_files_have_the_errors_of_whole_ones() {
    let good = written(&table(70, 3));
    for n_bytes in 0..good.len() {
        let short = &good[..n_bytes];
        assert_eq!(rejected(short, None).code, Truncated, "{n_bytes}");
        assert_eq!(rejected(short, Some(n_bytes as u64)).code, Truncated, "{n_bytes}");
        // The file became shorter while it was read.
        assert_eq!(rejected(short, Some(good.len() as u64)).code, Truncated, "{n_bytes}");
    }
    let long = [&good[..], b"x"].concat();
    // It became longer.
    for size_hint in [None, Some(long.len() as u64), Some(good.len() as u64)] {
        assert_eq!(rejected(&long, size_hint).code, HeaderLies);
    }
    for at in 0..good.len() {
        let mut changed = good.clone();
        changed[at] ^= 0x40;
        rejected(&changed, Some(good.len() as u64));
    }
    // More columns than there are.
    let mut more = good.clone();
    more[24] += 1;
    assert_eq!(rejected(&more, Some(more.len() as u64)).code, Truncated);
    assert_eq!(rejected(&more, None).code, Truncated);
}

#[test]
fn columns_without_rows_are_one_part() {
    let bytes = written(&BitTable::zeros(0, usize::MAX).unwrap());
    let mut parts = Vec::new();
    let mut each = |start, part: BitTable| {
        parts.push((start, part.n_cols()));
        true
    };
    read_columns(&mut &bytes[..], &mut options(None), 1, &mut each).unwrap();
    assert_eq!(parts, [(0, usize::MAX)]);
}

#[test]
fn only_dense_tables_are_read_by_columns() {
    let bits = BitVector::parse("0110").unwrap();
    let mut slice = Vec::new();
    write(Stb, OutputRef::Bits(BitsRef::Slice(&bits)), &mut slice).unwrap();
    let error = joined(&slice, None, 1).expect_err("a slice");
    assert_eq!(error.code, Code::BadFormat);
    check_wording(&error);
    assert_eq!(dense_table(Stb, &slice, slice.len() as u64), None);
}

#[test]
fn the_size_of_a_dense_table_is_known_from_its_header_and_length() {
    for (n_rows, n_cols) in SIZES {
        let bytes = written(&table(n_rows, n_cols));
        let n_bytes = bytes.len() as u64;
        assert_eq!(dense_table(Stb, &bytes[..32], n_bytes), Some((n_rows, n_cols)));
        assert_eq!(dense_table(star_io::Format::Npy, &bytes, n_bytes), None);
        assert_eq!(dense_table(Stb, &bytes[..31], n_bytes), None);
        assert_eq!(dense_table(Stb, &bytes, n_bytes - 1), None);
        assert_eq!(dense_table(Stb, &bytes, n_bytes + 8), None);
        for at in [0, 8, 12] {
            let mut other = bytes.clone();
            other[at] ^= 7;
            assert_eq!(dense_table(Stb, &other, n_bytes), None);
        }
        let mut huge = bytes.clone();
        huge[16..32].fill(0xff);
        assert_eq!(dense_table(Stb, &huge, n_bytes), None);
    }
}

#[test]
fn a_sink_may_end_the_reading() {
    let bytes = written(&table(10, 5));
    let seen = Cell::new(0);
    let mut each = |_, _| {
        seen.set(seen.get() + 1);
        seen.get() < 2
    };
    let error = read_columns(&mut &bytes[..], &mut options(None), 1, &mut each);
    assert_eq!((error.unwrap_err().code, seen.get()), (Interrupted, 2));
}

#[test]
fn wrong_parts_and_failed_ones_end_the_writing() {
    let failed = || Err(FileError::new(Code::DeviceLost, "t.stb", "lost"));
    let wide = || Ok(table(10, 4));
    let tall = || Ok(table(11, 1));
    let empty = || Ok(table(10, 0));
    type Next<'a> = &'a dyn Fn() -> Result<BitTable, FileError>;
    let nexts: [(Next<'_>, Code); 4] = [
        (&failed, Code::DeviceLost),
        (&wide, CannotWrite),
        (&tall, CannotWrite),
        (&empty, CannotWrite),
    ];
    for (next, code) in nexts {
        let mut n_parts = 0;
        let mut next = || {
            n_parts += 1;
            if n_parts == 1 { Ok(table(10, 2)) } else { next() }
        };
        let (mut bytes, plain) = (Vec::new(), Packing::Plain);
        let done = write_columns(plain, (10, 5), &mut next, &mut bytes, &mut || true);
        assert_eq!(done.unwrap_err().code, code);
        assert!(n_parts == 2 && bytes.len() < written(&table(10, 5)).len());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_rejected_or_read_alike(
        n_rows in 1_usize..150,
        n_cols in 0_usize..9,
        at_once in 1_usize..10,
        change in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut bytes = written(&table(n_rows, n_cols));
        let mut of_kind = false;
        if let Some((at, xor)) = change {
            let at = at.index(bytes.len());
            bytes[at] ^= xor;
            of_kind = (8..16).contains(&at);
        }
        // With the length, a file has one fault: a wrong size, or wrong bits.
        let size_hint = Some(bytes.len() as u64);
        let whole = read(Stb, &mut &bytes[..], &mut options(size_hint));
        match (joined(&bytes, size_hint, at_once), whole) {
            (Ok((table, _)), Ok(whole)) => prop_assert_eq!(Data::Table(table.into()), whole.data),
            // It may have become another kind, which ends with a wrong checksum as a whole.
            (Err(error), Err(whole)) => prop_assert!(of_kind || error == whole),
            (found, whole) => prop_assert!(false, "{found:?}, {whole:?}"),
        }
    }
}
