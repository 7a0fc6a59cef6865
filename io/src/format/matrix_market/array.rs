//! The entries of a Matrix Market file in the format `array`: all values, column by column, one a
//! line; of a symmetric matrix only the lower triangle with the diagonal.

use super::Entries;
use super::header::{Field, Header};
use super::values::Values;
use crate::error::Fault;
use crate::format::{ARC_BYTES, too_few, too_many};
use crate::graph::Arc;
use crate::growing::Growing;
use crate::scan::Scanner;

/// Reads all values and keeps the nonzero ones.
pub(super) fn read<'r>(
    scanner: &mut Scanner<'r, '_>,
    header: &Header,
) -> Result<Entries<'r>, Fault> {
    let (n_rows, n_cols) = (u64::from(header.n_rows), u64::from(header.n_cols));
    // Both numbers are below 2^32, so their product fits in 64 bits.
    let n_values = match header.symmetric {
        true => n_rows * (n_rows + 1) / 2,
        false => n_rows * n_cols,
    };
    let mut arcs = Growing::new(scanner.source().budget(), ARC_BYTES);
    let mut values = Values::new(scanner, header.n_rows == header.n_cols);
    let mut n_found = 0;
    let (mut row, mut col) = (0, 0);
    while let Some(first) = scanner.next_entry()? {
        if first == b'%' {
            scanner.skip_line()?;
            continue;
        }
        if n_found == n_values {
            return Err(too_many(scanner, n_values));
        }
        let (is_there, weight) = match header.field {
            Field::Integer => values.read_whole(scanner)?,
            Field::Pattern | Field::Real => values.read_real(scanner)?,
        };
        scanner.end_line()?;
        n_found += 1;
        if is_there {
            let (tail, head) = (row, col);
            let arc = Arc { tail, head, weight };
            arcs.push(arc).map_err(|e| scanner.out_of_memory(&e))?;
        }
        row += 1;
        if row == header.n_rows {
            col += 1;
            row = if header.symmetric { col } else { 0 };
        }
    }
    if n_found < n_values {
        return Err(too_few(scanner, n_found, n_values));
    }
    let arcs = arcs.into_vec();
    Ok(Entries { arcs, values })
}
