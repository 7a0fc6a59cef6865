//! Parts of sparse tables: the form in which a table is gathered, and sparse lines as limbs.
//!
//! A part of a sparse table is sparse, in the layout of the whole table. Each rank may make its
//! part dense, as a table of one process; so the ranks agree on a form before they gather a table.

use star_value::sparse::WrongParts;
use star_value::{OutOfMemory, SparseLines};

use crate::cpu::table::Table;
use crate::cpu::table::form::{Line, bytes_of};
use crate::exchange::{Exchange, Partition, Place};
use crate::interrupt::{Exec, internal_error};

use super::lost;

/// The form in which the parts of a table are gathered.
pub(super) enum GatheredForm {
    /// By columns.
    Dense,
    /// With these lines; the numbers of limbs of the parts.
    Sparse(Line, Vec<usize>),
}

/// The flags of a part in the word that each rank gives; the number of limbs is above them.
const BY_ROWS: u64 = 1;
const BY_COLUMNS: u64 = 2;
const N_FLAGS: u32 = 2;

impl GatheredForm {
    /// Returns the form that all parts have, in one gathering of a word from each rank. A sparse
    /// part of zeros has both kinds of lines.
    pub(super) fn agree(exchange: &dyn Exchange, place: Place, table: &Table) -> Exec<Self> {
        let flags = |lines: &SparseLines| match table.lies_along(Line::Row) {
            _ if is_zero(lines) => BY_ROWS | BY_COLUMNS,
            true => BY_ROWS,
            false => BY_COLUMNS,
        };
        let lines = table.sparse_lines();
        let word = lines.map_or(0, |lines| (lines.n_limbs() as u64) << N_FLAGS | flags(lines));
        let words = exchange.gather(place, &[word], &vec![1; exchange.n_ranks()]).map_err(lost)?;
        let lens = || words.iter().map(|word| (word >> N_FLAGS) as usize).collect();
        Ok(match words.iter().fold(!0, |common, word| common & word) {
            common if common & BY_ROWS != 0 => GatheredForm::Sparse(Line::Row, lens()),
            common if common & BY_COLUMNS != 0 => GatheredForm::Sparse(Line::Column, lens()),
            _ => GatheredForm::Dense,
        })
    }

    /// Returns the bytes of a whole table of this size.
    pub(super) fn n_bytes(&self, n_rows: usize, n_cols: usize) -> u64 {
        match self {
            GatheredForm::Dense => bytes_of(n_rows).saturating_mul(n_cols as u64),
            GatheredForm::Sparse(line, lens) => {
                let n_lines = if *line == Line::Row { n_rows } else { n_cols };
                SparseLines::bytes_for(n_lines, lens.iter().sum())
            }
        }
    }
}

/// Gathers a sparse table of `n` rows, whose parts have these numbers of limbs.
pub(super) fn gather_sparse(
    (exchange, partition): (&dyn Exchange, &Partition),
    place: Place,
    (table, n): (&Table, usize),
    (line, n_limbs): (Line, &[usize]),
) -> Exec<Result<Table, OutOfMemory>> {
    let shape = |n_rows: usize| match line {
        Line::Row => (table.n_cols(), n_rows),
        Line::Column => (n_rows, table.n_cols()),
    };
    let n_rows = |rank: usize| partition.range(n, rank).len();
    let lens: Vec<usize> = n_limbs
        .iter()
        .enumerate()
        .map(|(rank, n_limbs)| encoded_len(shape(n_rows(rank)).1, *n_limbs))
        .collect();
    let given = match table.sparse_lines() {
        Some(lines) if table.lies_along(line) => encode(lines),
        // Zeros with other lines.
        _ => vec![0; lens[partition.rank()]],
    };
    let all = exchange.gather(place, &given, &lens).map_err(lost)?;
    drop(given);
    let (mut rest, mut parts) = (&all[..], Vec::with_capacity(lens.len()));
    for (rank, len) in lens.into_iter().enumerate() {
        let (part, others) = rest.split_at(len);
        rest = others;
        match decode(part, shape(n_rows(rank)))? {
            Ok(lines) => parts.push(lines),
            Err(refused) => return Ok(Err(refused)),
        }
    }
    drop(all);
    let whole = match line {
        Line::Row => SparseLines::append_all(&parts),
        Line::Column => SparseLines::join(&parts),
    };
    Ok(whole.map(|whole| Table::of_sparse(whole, line)))
}

/// Returns the rows of a sparse table that this rank owns; `None` if the table is dense.
pub(super) fn sparse_part(
    partition: &Partition,
    table: &Table,
) -> Option<Result<Table, OutOfMemory>> {
    let lines = table.sparse_lines()?;
    let own = partition.range(table.n_rows(), partition.rank());
    let (line, part) = match table.lies_along(Line::Row) {
        true => {
            let mut part = SparseLines::default();
            (Line::Row, part.copy_from(lines, own).map(|()| part))
        }
        false => (Line::Column, lines.cut(own)),
    };
    Some(part.map(|part| Table::of_sparse(part, line)))
}

fn is_zero(lines: &SparseLines) -> bool {
    lines.n_limbs() == 0 && lines.common_ground() == Some(false)
}

/// The number of limbs of encoded lines.
pub(super) fn encoded_len(n_lines: usize, n_limbs: usize) -> usize {
    n_lines + n_limbs.div_ceil(2) + n_limbs
}

/// The ground in the word of a line, above its number of limbs.
const GROUND: u64 = 1 << 63;

/// Returns lines as limbs: the number of limbs of each and its ground, all positions in pairs, all
/// limbs.
pub(super) fn encode(lines: &SparseLines) -> Vec<u64> {
    let mut limbs = Vec::with_capacity(encoded_len(lines.n_lines(), lines.n_limbs()));
    let each = || (0..lines.n_lines()).map(|idx| lines.line(idx));
    limbs.extend(each().map(|line| {
        let ground = if line.ground { GROUND } else { 0 };
        line.limbs.len() as u64 | ground
    }));
    let mut places = each().flat_map(|line| line.places.iter().copied());
    while let Some(first) = places.next() {
        limbs.push(u64::from(first) | u64::from(places.next().unwrap_or(0)) << 32);
    }
    each().for_each(|line| limbs.extend_from_slice(line.limbs));
    limbs
}

/// Returns `n_lines` encoded lines of `len` bits.
pub(super) fn decode(
    limbs: &[u64],
    (len, n_lines): (usize, usize),
) -> Exec<Result<SparseLines, OutOfMemory>> {
    let wrong = || internal_error("a part of a sparse table that another rank gave");
    let (of_lines, rest) = limbs.split_at_checked(n_lines).ok_or_else(wrong)?;
    let of_lines = of_lines.iter().map(|line| (line & GROUND != 0, (line & !GROUND) as u32));
    let n_limbs: usize = of_lines.clone().map(|(_, n_limbs)| n_limbs as usize).sum();
    let (pairs, limbs) = rest.split_at_checked(n_limbs.div_ceil(2)).ok_or_else(wrong)?;
    let mut places = Vec::new();
    let mut pool = Vec::new();
    if places.try_reserve_exact(n_limbs + 1).is_err() || pool.try_reserve_exact(n_limbs).is_err() {
        return Ok(Err(OutOfMemory { n_bytes: 12 * n_limbs as u128 }));
    }
    places.extend(pairs.iter().flat_map(|pair| [*pair as u32, (pair >> 32) as u32]));
    places.truncate(n_limbs);
    pool.extend_from_slice(limbs);
    match SparseLines::from_parts(len, of_lines, places, pool) {
        Ok(lines) => Ok(Ok(lines)),
        Err(WrongParts::OutOfMemory(refused)) => Ok(Err(refused)),
        Err(WrongParts::Line(_) | WrongParts::TooLong) => Err(wrong()),
    }
}
