//! The entries of a Matrix Market file in the format `coordinate`: one a line.

use star_base::Code;

use super::Entries;
use super::header::{Field, Header};
use super::values::Values;
use crate::error::Fault;
use crate::format::{ARC_BYTES, MIN_ENTRY_BYTES, too_few, too_many};
use crate::graph::Arc;
use crate::growing::Growing;
use crate::scan::Scanner;
use crate::sort::{AT_ONCE, sort};

/// An entry above the diagonal of a symmetric matrix, with its line. The standard does not allow
/// them.
type Above = (Arc, u64);

/// Reads exactly `n_entries` entries.
pub(super) fn read<'r>(
    scanner: &mut Scanner<'r, '_>,
    header: &Header,
    n_entries: u64,
) -> Result<Entries<'r>, Fault> {
    let (budget, size_hint) = (scanner.source().budget().clone(), scanner.source().size_hint());
    let mut arcs = Growing::new(&budget, ARC_BYTES);
    arcs.reserve(n_entries, size_hint, MIN_ENTRY_BYTES);
    let mut above: Growing<Above> = Growing::new(&budget, size_of::<Above>() as u64 + ARC_BYTES);
    let mut values = Values::new(scanner, header.n_rows == header.n_cols);
    while let Some(first) = scanner.next_entry()? {
        if first == b'%' {
            scanner.skip_line()?;
            continue;
        }
        if arcs.len() as u64 == n_entries {
            return Err(too_many(scanner, n_entries));
        }
        let line = scanner.line();
        let tail = scanner.index("the row", u64::from(header.n_rows), "rows")?;
        let head = scanner.index("the column", u64::from(header.n_cols), "columns")?;
        let weight = match header.field {
            Field::Pattern => 1,
            Field::Integer => values.read_whole(scanner)?.1,
            Field::Real => values.read_real(scanner)?.1,
        };
        scanner.end_line()?;
        let arc = Arc { tail, head, weight };
        arcs.push(arc).map_err(|e| scanner.out_of_memory(&e))?;
        if header.symmetric && tail < head {
            above.push((arc, line)).map_err(|e| scanner.out_of_memory(&e))?;
        }
    }
    if (arcs.len() as u64) < n_entries {
        return Err(too_few(scanner, arcs.len() as u64, n_entries));
    }
    let arcs = arcs.into_vec();
    refuse_mirrored(scanner, &arcs, &above.into_vec())?;
    Ok(Entries { arcs, values })
}

/// Rejects an entry stored together with its mirror image, which would be ambiguous.
fn refuse_mirrored(scanner: &mut Scanner, arcs: &[Arc], above: &[Above]) -> Result<(), Fault> {
    if above.is_empty() {
        return Ok(());
    }
    let mut below: Vec<u64> = Vec::new();
    let n_below = arcs.len() - above.len();
    let n_bytes = arcs.len() as u128 * u128::from(ARC_BYTES);
    let reserved = below.try_reserve_exact(n_below);
    reserved.map_err(|_| scanner.source().out_of_memory(n_bytes))?;
    let place = |row: u32, col: u32| u64::from(row) << u32::BITS | u64::from(col);
    for arcs in arcs.chunks(AT_ONCE) {
        let one_sided = arcs.iter().filter(|arc| arc.tail >= arc.head);
        below.extend(one_sided.map(|arc| place(arc.tail, arc.head)));
        scanner.source_mut().go_on()?;
    }
    sort(&mut below, u64::BITS, &mut || scanner.source_mut().go_on())?;
    for above in above.chunks(AT_ONCE) {
        let stored = |(arc, _): &&Above| below.binary_search(&place(arc.head, arc.tail)).is_ok();
        if let Some((arc, line)) = above.iter().find(stored) {
            let (row, col) = (arc.tail + 1, arc.head + 1);
            let message = format!(
                "the entry ({row}, {col}) and its mirror image ({col}, {row}) are both stored"
            );
            let fault = scanner.source().fault(Code::BadFormat, message).at(*line, 1);
            return Err(Box::new(fault.note("a symmetric matrix stores only one of the two")));
        }
        scanner.source_mut().go_on()?;
    }
    Ok(())
}
