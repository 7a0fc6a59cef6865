//! The routines of module `moving`. The objects are the tables of the handle; an index of them is a
//! part next to the tables ([`INDEX`]), which is computed where it is missing, changed with the
//! tables, and discarded after as many moves as there were objects.

use star_base::intrinsics::catalogue::moving::PARTS;
use star_shaders::intrinsics::moving::{self as shaders, Source};
use star_vm::Declined;

use self::index::{Index, Layout, Tables};
use self::records::{Records, Room};
use super::work::{Batch, Executor, Units, read_numbers, write_numbers};
use super::{IntrinsicResult, NotTaken};
use crate::derived::INDEX;
use crate::run::{Call, Placed};
use crate::value::ObjectKind;

mod index;
mod records;
mod stream;

pub use stream::{Movers, MoversError};

/// Threads of a workgroup, usually and at least: those with a thread for an object, and those for a
/// query.
const THREADS: [u32; 2] = [256, 4];
const QUERY_THREADS: [u32; 2] = [64, 4];
/// The greatest number of bits of a coordinate.
const MOST_BITS: u32 = 30;
/// Workgroups for all queries of a batch.
const QUERY_GROUPS: u32 = 1 << 12;
/// Workgroups for a query at most.
const MOST_PARTS: u32 = 64;
/// Limbs whose processing takes as long as a query.
const LIMBS_OF_A_QUERY: u64 = 1 << 10;
/// The handle holds no objects, or an argument is invalid: the body reports it.
const INVALID: NotTaken = NotTaken::Declined(Declined::Guard);
const TOO_LARGE: NotTaken = NotTaken::Declined(Declined::Range);

/// Threads of a workgroup, and of one for a query.
#[derive(Clone, Copy, Debug)]
struct Groups {
    threads: u32,
    query_threads: u32,
}

/// The objects of a handle.
#[derive(Clone, Copy, Debug)]
struct Objects {
    /// The number of the parameter.
    param: usize,
    n: u32,
    tables: Tables,
    groups: Groups,
}

/// Updates of a batch in lists: objects from 1, coordinates; the set of removals.
#[derive(Clone, Copy, Debug)]
struct Moves {
    n: u32,
    lists: [u32; 3],
    gone: u32,
}

/// `MOVING_INIT(n,k,H)`
pub(super) fn init(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (n, bits) = (call.size(0)?, call.size(1)?);
    let sizes = [[n, bits], [n, bits], [n, 1]];
    let mut parts = Vec::new();
    for sizes in sizes {
        parts.push(call.reserve_part(sizes.map(u64::from))?);
    }
    call.unset_other_modules(2)?;
    for (name, part) in PARTS.into_iter().zip(parts) {
        call.put_part(2, name, part)?;
    }
    call.unset_part(2, INDEX.name)
}

/// `MOVING_PUT(i,v,w,H)`
pub(super) fn put(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 3)?;
    let mut at = [0; 2];
    for (param, at) in [1, 2].into_iter().zip(&mut at) {
        let word = call.object(param)?;
        let [bits] = call.words(word.at)?;
        // The first bit is the most significant one.
        *at = bits.reverse_bits() >> (u32::BITS - word.sizes.rows);
    }
    let moves = Moves::one(call, call.size(0)?, at, false)?;
    objects.take(call, moves)
}

/// `MOVING_DROP(i,H)`
pub(super) fn drop_object(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 1)?;
    let moves = Moves::one(call, call.size(0)?, [0; 2], true)?;
    objects.take(call, moves)
}

/// `MOVING_MOVES(I,U,V,G,H)`
pub(super) fn moves(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 4)?;
    let tables = [call.object(0)?, call.object(1)?, call.object(2)?];
    let n = tables[0].sizes.rows;
    if n == 0 {
        return Ok(());
    }
    let lists = lists(call, objects.groups.threads, tables)?;
    let moves = Moves { n, lists, gone: call.object(3)?.at };
    objects.take(call, moves)
}

/// `MOVING_RANGES(A,B,C,D,H,Q,J)`
pub(super) fn ranges(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 4)?;
    let tables = [call.object(0)?, call.object(1)?, call.object(2)?, call.object(3)?];
    let n = tables[0].sizes.rows;
    if n == 0 {
        return objects.put_pairs(call, [5, 6], n, None);
    }
    let corners = lists(call, objects.groups.threads, tables)?;
    let index = objects.index(call)?;
    let records = in_ranges(call, objects.groups, &index, n, corners)?;
    let records = records.sorted(call, objects.groups.threads)?;
    objects.put_pairs(call, [5, 6], n, Some((records, None)))
}

/// `MOVING_NEAREST(V,W,m,H,Q,J)`
pub(super) fn nearest(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 3)?;
    let tables = [call.object(0)?, call.object(1)?];
    let (n, wanted) = (tables[0].sizes.rows, call.int(2)?);
    if n == 0 || wanted == 0 {
        return objects.put_pairs(call, [4, 5], n, None);
    }
    let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
    let [xs, ys] = lists(call, objects.groups.threads, tables)?;
    let index = objects.index(call)?;
    let n_each = wanted.min(index.count(call)?);
    if n_each == 0 {
        return objects.put_pairs(call, [4, 5], n, None);
    }
    let (radii, marks) = (call.extra(n.into())?.at, call.extra(n.into())?.at);
    let tail = [xs, ys, radii, marks, n, n_each, 0, 0];
    let given = [&index.words()[..], &[0; 4], &tail].concat();
    let Groups { threads, query_threads } = objects.groups;
    index.over(n).run(call, &shaders::begin(threads), &given)?;
    let units = objects.groups.for_queries(&index, n.into());
    let shader = shaders::widen(query_threads);
    loop {
        index.clear_notes(call)?;
        units.run(call, &shader, &given)?;
        if index.notes(call)?[shaders::WRONG as usize] == 0 {
            break;
        }
    }
    let shader = shaders::circles(query_threads);
    let records = Room::for_queries(n).fill(call, |on, of_records| {
        units.run(on, &shader, &[&index.words()[..], of_records, &tail].concat())
    })?;
    let records = records.sorted(call, threads)?;
    objects.put_pairs(call, [4, 5], n, Some((records, Some(n_each))))
}

/// `MOVING_TABLES(H,X,Y,P)`
pub(super) fn tables(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let objects = Objects::held(call, 0)?;
    let Tables { xs, ys, there } = objects.tables;
    let sizes = [xs.sizes.rows.into(), xs.sizes.columns.into()];
    let x = call.reserve(1, ObjectKind::Table, sizes)?;
    let y = call.reserve(2, ObjectKind::Table, sizes)?;
    let set = call.reserve(3, ObjectKind::Slice, [objects.n.into(), 1])?;
    for (from, to) in [(xs, x), (ys, y)] {
        for column in 0..from.sizes.columns {
            let stride = to.sizes.stride();
            call.copy(from.at + column * from.stride, to.at() + column * stride, stride)?;
        }
    }
    call.copy(there.at, set.at(), objects.n.div_ceil(u32::BITS))?;
    call.put(1, x)?;
    call.put(2, y)?;
    call.put(3, set)
}

/// Returns the rows of tables as lists of numbers.
fn lists<const N: usize>(
    call: &mut Call<'_, '_, '_>,
    threads: u32,
    tables: [Placed; N],
) -> Result<[u32; N], NotTaken> {
    let mut lists = [0; N];
    for (list, table) in lists.iter_mut().zip(&tables) {
        *list = call.extra(table.sizes.rows.into())?.at;
    }
    for (list, table) in lists.into_iter().zip(tables) {
        read_numbers(call, threads, table, list)?;
    }
    Ok(lists)
}

impl Groups {
    fn of(on: &mut dyn Executor) -> Result<Groups, NotTaken> {
        let size = usize::from(on.grid()?.has_small_groups());
        Ok(Groups { threads: THREADS[size], query_threads: QUERY_THREADS[size] })
    }

    /// A kernel with this number of workgroups for queries.
    fn for_queries(self, index: &Index, n_groups: u64) -> Units {
        let threads = self.query_threads;
        let limbs = LIMBS_OF_A_QUERY / u64::from(threads);
        Units { threads, n: n_groups * u64::from(threads), limbs, ..index.over(0) }
    }
}

/// Returns the workgroups of each of `n` queries.
fn parts_of_queries(n: u32) -> u32 {
    (QUERY_GROUPS / n).clamp(1, MOST_PARTS)
}

/// Returns the objects in `n` rectangles, given lists of the coordinates of their corners.
fn in_ranges(
    on: &mut dyn Executor,
    groups: Groups,
    index: &Index,
    n: u32,
    corners: [u32; 4],
) -> Result<Records, NotTaken> {
    let n_parts = parts_of_queries(n);
    let units = groups.for_queries(index, u64::from(n) * u64::from(n_parts));
    let shader = shaders::ranges(groups.query_threads);
    let tail = [[n, n_parts, 0, 0], corners].concat();
    Room::for_queries(n).fill(on, |on, of_records| {
        units.run(on, &shader, &[&index.words()[..], of_records, &tail].concat())
    })
}

impl Moves {
    /// A batch of one.
    fn one(
        call: &mut Call<'_, '_, '_>,
        object: u32,
        [x, y]: [u32; 2],
        is_gone: bool,
    ) -> Result<Moves, NotTaken> {
        let at = call.extra(4)?.at;
        call.write(at, &[object, x, y, is_gone.into()])?;
        Ok(Moves { n: 1, lists: [at, at + 1, at + 2], gone: at + 3 })
    }
}

impl Objects {
    /// Returns the objects in a parameter.
    fn held(call: &mut Call<'_, '_, '_>, param: usize) -> Result<Objects, NotTaken> {
        let part = |name: &str| call.part(param, name)?.ok_or(INVALID);
        let [xs, ys, there] = PARTS;
        let tables = Tables { xs: part(xs)?, ys: part(ys)?, there: part(there)? };
        let sizes = tables.xs.sizes;
        let is_set = tables.there.sizes.columns == 1 && tables.there.sizes.rows == sizes.rows;
        if tables.ys.sizes != sizes || !is_set || sizes.columns > MOST_BITS || sizes.rows == 0 {
            return Err(INVALID);
        }
        Ok(Objects { param, n: sizes.rows, tables, groups: Groups::of(call)? })
    }

    /// Returns the index, which is computed if it is missing.
    fn index(&self, call: &mut Call<'_, '_, '_>) -> Result<Index, NotTaken> {
        let notes = call.notes(shaders::NOTES)?;
        if let Some(part) = call.part(self.param, INDEX.name)? {
            return Index::held(call, self.groups.threads, part.at, notes);
        }
        let objects = call.extra(u64::from(shaders::OBJECT_WORDS) * u64::from(self.n))?.at;
        let bare = Index::bare(self.groups.threads, self.n, objects, notes);
        bare.fill(call, self.tables)?;
        let layout = Layout::choose(call, &bare, None)?;
        let part = call.reserve_part(layout.part_sizes())?;
        let index = Index::build(call, &layout, &bare, part.at())?;
        call.put_part(self.param, INDEX.name, part)?;
        Ok(index)
    }

    /// Applies a batch of moves.
    fn take(&self, call: &mut Call<'_, '_, '_>, moves: Moves) -> IntrinsicResult {
        let notes = call.notes(shaders::NOTES)?;
        let held = match call.part(self.param, INDEX.name)? {
            Some(part) => Some(Index::held(call, self.groups.threads, part.at, notes)?),
            None => None,
        };
        // After as many moves as there were objects, other cells are better.
        let kept = match held {
            Some(index) if index.takes(moves.n, || index.n_further_buckets(call))? => Some(index),
            Some(_) | None => None,
        };
        let bare;
        let (index, stamps) = match &kept {
            Some(index) => (index, index.stamps()),
            None => {
                bare = Index::bare(self.groups.threads, self.n, 0, notes);
                (&bare, [call.extra(self.n.into())?.at, 1])
            }
        };
        let Tables { xs, ys, there } = self.tables;
        if xs.stride != ys.stride {
            return Err(INVALID);
        }
        let of_tables = [xs.at, ys.at, xs.stride, xs.sizes.columns];
        let given = [
            &index.words()[..],
            &[moves.n],
            &moves.lists,
            &[moves.gone, stamps[0], stamps[1], there.at],
            &of_tables,
        ]
        .concat();
        let units = index.over(moves.n);
        units.run(call, &shaders::check(self.groups.threads), &given)?;
        if index.notes(call)?[shaders::WRONG as usize] != 0 {
            return Err(INVALID);
        }
        let mut batch = Batch::default();
        batch.add(call, units, &shaders::stamp(self.groups.threads, Source::Lists), &given)?;
        batch.add(call, units, &shaders::planes(self.groups.threads), &given)?;
        if kept.is_some() {
            batch.add(call, units, &shaders::change(self.groups.threads, Source::Lists), &given)?;
        }
        // The index is invalid while it is changed.
        call.unset_part(self.param, INDEX.name)?;
        batch.run(call)?;
        if let Some(index) = kept
            && index.notes(call)?[shaders::FULL as usize] == 0
        {
            index.took(call, moves.n)?;
            call.set_part(self.param, INDEX.name)?;
        }
        Ok(())
    }

    /// Stores questions and objects of sorted records, or of the first ones of each question, in
    /// two tables.
    fn put_pairs(
        &self,
        call: &mut Call<'_, '_, '_>,
        params: [usize; 2],
        n_questions: u32,
        found: Option<(Records, Option<u32>)>,
    ) -> IntrinsicResult {
        let bits = [n_questions, self.n].map(|most| (u32::BITS - most.leading_zeros()).max(1));
        let n = match found {
            None => 0,
            Some((records, None)) => records.n,
            // Their number is below that of the records.
            Some((_, Some(n_each))) => n_questions * n_each,
        };
        let mut tables = Vec::new();
        for (param, bits) in params.into_iter().zip(bits) {
            tables.push(call.reserve(param, ObjectKind::Table, [n.into(), bits.into()])?);
        }
        if let Some((records, n_each)) = found
            && n > 0
        {
            let lists = [call.extra(n.into())?.at, call.extra(n.into())?.at];
            records.list(call, self.groups.threads, n_each, lists)?;
            for ((list, bits), &table) in lists.into_iter().zip(bits).zip(&tables) {
                write_numbers(call, self.groups.threads, list, [n, 1, bits], table)?;
            }
        }
        params.into_iter().zip(tables).try_for_each(|(param, table)| call.put(param, table))
    }
}
