//! Sparse tables, in version 2 of the format.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `STARTBL` and a zero byte |
//! | 4 | version, 2 |
//! | 4 | kind: 4 sparse by columns, 5 sparse by rows |
//! | 8 | rows |
//! | 8 | columns |
//! | 8 | limbs |
//! | 4 each | lines: number of limbs unlike the ground; the highest bit is set for ones |
//! | 4 each | limbs: index of the limb in its line, from 0, ascending within a line |
//! | 8 each | limbs |
//! | 4 | CRC-32 of everything before it |
//!
//! A line is a column or a row. Its limbs are those of a dense column; none of them equals the
//! ground of its line.

use std::io::{self, Write};

use crc32fast::Hasher;
use star_base::Code;
use star_value::sparse::WrongParts;
use star_value::{SparseLines, SparseTable};

use super::{CRC_BYTES, HEADER_BYTES, Head, Summed, check_end, check_size, number, wrong_kind};
use crate::error::Fault;
use crate::source::{CHUNK, Source};

/// The version of sparse tables.
pub(super) const VERSION: u32 = 2;

const BY_COLUMNS: u32 = 4;
const BY_ROWS: u32 = 5;
/// The bit of a line whose ground is ones.
const ON_ONES: u32 = 1 << 31;
/// Bytes of the number of limbs.
const COUNT_BYTES: usize = 8;

/// Reads everything after the first bytes, whose checksum is `crc`.
pub(super) fn read(source: &mut Source, mut crc: Hasher, head: Head) -> Result<SparseTable, Fault> {
    let by_rows = match head.kind {
        BY_COLUMNS => false,
        BY_ROWS => true,
        other => {
            let known = "in version 2, 4 is a table that is sparse by columns, 5 by rows";
            return Err(wrong_kind(source, other, known));
        }
    };
    let mut bytes = [0; COUNT_BYTES];
    if source.fill(&mut bytes)? < COUNT_BYTES {
        return Err(source.fault(Code::Truncated, "the file ends in its header"));
    }
    crc.update(&bytes);
    let n_limbs = number(&bytes);
    let (n_lines, len) =
        if by_rows { (head.n_rows, head.n_cols) } else { (head.n_cols, head.n_rows) };
    let n_bytes = [(HEADER_BYTES + COUNT_BYTES + CRC_BYTES) as u128]
        .into_iter()
        .chain([(n_lines, 4), (n_limbs, 12)].map(|(n, each)| u128::from(n) * each))
        .sum();
    check_size(source, n_bytes)?;
    // The lists, and temporarily the lines in a second form.
    let wanted = u128::from(n_lines) * 20 + u128::from(n_limbs) * 12;
    // A growing list needs twice the memory.
    let wanted = if source.size_hint().is_some() { wanted } else { 2 * wanted };
    let out_of_memory = || source.out_of_memory(wanted);
    if !source.budget().allows(wanted) {
        return Err(out_of_memory());
    }
    let len = usize::try_from(len).map_err(|_| out_of_memory())?;
    let lines = read_list(source, &mut crc, n_lines, "lines", u32::from_le_bytes)?;
    let places = read_list(source, &mut crc, n_limbs, "places", u32::from_le_bytes)?;
    let limbs = read_list(source, &mut crc, n_limbs, "limbs", u64::from_le_bytes)?;
    check_end(source, crc)?;
    let of_lines = lines.iter().map(|line| (line & ON_ONES != 0, line & !ON_ONES));
    let lines = SparseLines::from_parts(len, of_lines, places, limbs).map_err(|wrong| {
        let message = match wrong {
            WrongParts::OutOfMemory(_) => return source.out_of_memory(wanted),
            WrongParts::Line(idx) => {
                let line = if by_rows { "row" } else { "column" };
                format!(
                    "the limbs of {line} {} are out of order, incomplete, beyond its end, or \
                        equal to its ground",
                    idx + 1
                )
            }
            WrongParts::TooLong => format!("{n_limbs} limbs, but its lines have fewer"),
        };
        source.fault(Code::BadFormat, message)
    })?;
    Ok(SparseTable { lines, by_rows })
}

/// Reads `len` numbers of `N` bytes. A list whose length is confirmed by that of the file is
/// allocated at once; any other grows as data arrives.
fn read_list<T, const N: usize>(
    source: &mut Source,
    crc: &mut Hasher,
    len: u64,
    what: &str,
    parse: fn([u8; N]) -> T,
) -> Result<Vec<T>, Fault> {
    let n_bytes = u128::from(len) * N as u128;
    let mut list = Vec::new();
    let sure = if source.size_hint().is_some() { len } else { 0 };
    let reserved = usize::try_from(sure).is_ok_and(|sure| list.try_reserve_exact(sure).is_ok());
    if !reserved {
        return Err(source.out_of_memory(n_bytes));
    }
    let mut buffer = vec![0; CHUNK];
    let mut n_left = len;
    while n_left > 0 {
        let n_now = n_left.min((CHUNK / N) as u64);
        let bytes = &mut buffer[..n_now as usize * N];
        let n_bytes_now = source.fill(bytes)?;
        if n_bytes_now < bytes.len() {
            let n_read = len - n_left + (n_bytes_now / N) as u64;
            let message = format!("the file ends after {n_read} of {len} {what}");
            return Err(source.fault(Code::Truncated, message));
        }
        crc.update(bytes);
        if list.try_reserve(n_now as usize).is_err() {
            return Err(source.out_of_memory(n_bytes));
        }
        let (whole, _) = bytes.as_chunks::<N>(); // there is no remainder
        list.extend(whole.iter().map(|bytes| parse(*bytes)));
        n_left -= n_now;
    }
    Ok(list)
}

/// Writes a sparse table.
pub(super) fn write(table: &SparseTable, out: &mut dyn Write) -> io::Result<()> {
    let SparseTable { lines, by_rows } = table;
    let kind = if *by_rows { BY_ROWS } else { BY_COLUMNS };
    let mut sheet = Summed::begin(out, VERSION, kind, table.n_rows(), table.n_cols());
    sheet.put(&(lines.n_limbs() as u64).to_le_bytes())?;
    let all = || (0..lines.n_lines()).map(|idx| lines.line(idx));
    for line in all() {
        let ground = if line.ground { ON_ONES } else { 0 };
        sheet.put(&(line.places.len() as u32 | ground).to_le_bytes())?;
    }
    for place in all().flat_map(|line| line.places) {
        sheet.put(&place.to_le_bytes())?;
    }
    for limb in all().flat_map(|line| line.limbs) {
        sheet.put(&limb.to_le_bytes())?;
    }
    sheet.end()
}
