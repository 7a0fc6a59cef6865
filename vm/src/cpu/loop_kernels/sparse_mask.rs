//! Iterations on few limbs, and iterations that narrow a slice by several columns at once: see Note
//! [Few limbs].

use std::collections::BTreeSet;

use star_value::SparseLines;

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::summary::{Blocks, each};
use super::gather::{BLOCK, BlockLimbs};
use super::{LoopKernel, MOST_PORTS, Port, Scratch, Source, Taken};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::{BlockIteration, BlockOp, BlockPlace, NARROWED_AT_ONCE};
use crate::tape::{BlockProgram, COPY, Given, Lane, N_SLOTS, Narrowing, PortId, SlotOp, Tape};

/// The number of iterations on a block that run at once.
const ITERATIONS_AT_ONCE: usize = 32;

/// A mask is sparse if it has ones in at most one of this number of limbs.
const SHARE: usize = 8;

/// A kernel on some limbs only.
#[derive(Clone, Debug)]
pub(super) struct Few {
    /// The operations of each way on a block.
    ways: Vec<BlockIteration>,
    columns: Vec<ColumnPort>,
    mask: Option<Mask>,
}

/// A column that iterations access.
#[derive(Clone, Copy, Debug)]
struct ColumnPort {
    port: usize,
    /// Whether its old contents must be loaded.
    is_loaded: bool,
    is_stored: bool,
}

/// A slice outside of which the iterations change nothing or store zeros.
#[derive(Clone, Debug)]
struct Mask {
    reg: Reg,
    /// The columns that get zeros there, for each way.
    cleared: Vec<Vec<PortId>>,
}

/// The limbs that are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskedIterations {
    All,
    /// Those in which the mask has ones.
    Masked,
}

/// The sparse tables of the ports.
#[derive(Default)]
pub(super) struct SparsePorts<'m> {
    /// Tables that are only read.
    pub(super) read: [Option<&'m SparseLines>; MOST_PORTS],
    /// The table that is written.
    pub(super) written: Option<(usize, &'m mut SparseLines)>,
}

impl SparsePorts<'_> {
    fn of(&self, port: usize) -> Option<&SparseLines> {
        match &self.written {
            Some((of, lines)) if *of == port => Some(lines),
            Some(_) | None => self.read[port],
        }
    }
}

/// The narrowing of one slice, for each way.
#[derive(Clone, Debug)]
pub(super) struct Narrowings {
    slice: PortId,
    ways: Vec<Narrowing>,
}

impl Few {
    /// `live` are the slices that are needed after the loop. The tapes get all ports.
    pub(super) fn of(ports: &[Port], tapes: &mut [Tape], live: &BTreeSet<Reg>) -> Option<Few> {
        for tape in &mut *tapes {
            while tape.n_ports() < ports.len() {
                tape.port();
            }
        }
        let programs = tapes.iter().map(Tape::block_program).collect::<Option<Vec<_>>>()?;
        let mut masks = ports.iter().enumerate();
        let mask = masks.find_map(|(idx, port)| match port.source {
            Source::Slice(reg) if !port.is_new => {
                let cleared = tapes
                    .iter()
                    .map(|tape| cleared(ports, tape, PortId(idx as u32), live))
                    .collect::<Option<Vec<_>>>()?;
                Some(Mask { reg, cleared })
            }
            Source::Slice(_) | Source::Column(..) => None,
        });
        let columns = columns_of(ports, &programs);
        let ways = programs.iter().map(|program| block_iteration(program, &columns)).collect();
        Some(Few { ways, columns, mask })
    }

    /// Returns the slice whose limbs it works on.
    pub(super) fn mask(&self) -> Option<Reg> {
        self.mask.as_ref().map(|mask| mask.reg)
    }

    /// Tests whether it works on the limbs of a mask.
    pub(super) fn is_masked(&self) -> bool {
        self.mask.is_some()
    }

    /// Tests whether a column changes on these limbs only.
    pub(super) fn keeps_rest_of(&self, port: usize, masked: MaskedIterations) -> bool {
        let port = PortId(port as u32);
        let keeps = |mask: &Mask| mask.cleared.iter().all(|ports| !ports.contains(&port));
        masked == MaskedIterations::Masked && self.mask.as_ref().is_some_and(keeps)
    }

    /// Tests whether a column is set on these limbs and becomes zero elsewhere.
    pub(super) fn makes_all_of(&self, port: usize, masked: MaskedIterations) -> bool {
        let is_cleared =
            |mask: &Mask| mask.cleared.iter().all(|ports| ports.contains(&PortId(port as u32)));
        masked == MaskedIterations::All || self.mask.as_ref().is_some_and(is_cleared)
    }
}

/// Returns the columns that ways load or store. If only some ways store a column, it is loaded for
/// the others, since they store its old contents.
fn columns_of(ports: &[Port], programs: &[BlockProgram]) -> Vec<ColumnPort> {
    let mut columns = Vec::new();
    for (port, of) in ports.iter().enumerate() {
        let Source::Column(..) = of.source else { continue };
        let is = PortId(port as u32);
        let stores = |program: &BlockProgram| program.stores.iter().any(|(to, _)| *to == is);
        let is_stored = programs.iter().any(stores);
        let is_loaded = programs.iter().any(|program| program.loads.contains(&is))
            || is_stored && !programs.iter().all(stores);
        if is_loaded || is_stored {
            columns.push(ColumnPort { port, is_loaded, is_stored });
        }
    }
    columns
}

/// Returns the number of the first block of a column: the blocks of its iterations follow the
/// slots.
fn first_block(column: usize) -> usize {
    N_SLOTS + column * ITERATIONS_AT_ONCE
}

/// Returns the operations of a way on blocks: a slice has the block in the slot of its port, a
/// column has one block for each iteration. A stored value is computed in its final place, unless a
/// later operation still reads the old contents of the port.
fn block_iteration(program: &BlockProgram, columns: &[ColumnPort]) -> BlockIteration {
    let mut places: Vec<BlockPlace> = (0..N_SLOTS as u16).map(BlockPlace::fixed).collect();
    for (nth, column) in columns.iter().enumerate() {
        places[column.port] = BlockPlace::of_iterations(first_block(nth) as u16);
    }
    let (mut is_moved, mut copies) = ([false; N_SLOTS], Vec::new());
    for (PortId(port), slot) in &program.stores {
        let (port, slot) = (*port as usize, usize::from(*slot));
        let looks = |op: &SlotOp| op.of.iter().any(|of| usize::from(*of) == port);
        let made = program.ops.iter().position(|op| usize::from(op.to) == slot);
        let is_free = made.is_some_and(|made| !program.ops[made + 1..].iter().any(looks));
        if is_free && !is_moved[slot] {
            is_moved[slot] = true;
            places[slot] = places[port];
        } else {
            copies.push((slot, places[port]));
        }
    }
    let made = program.ops.iter().map(|SlotOp { table, of, to }| {
        let of: Vec<BlockPlace> = of.iter().map(|slot| places[usize::from(*slot)]).collect();
        BlockOp::new(*table, &of, places[usize::from(*to)])
    });
    let copied = copies.iter().map(|(slot, to)| BlockOp::new(COPY, &[places[*slot]], *to));
    made.chain(copied).collect()
}

/// Returns the columns that get zeros where the mask is zero, if no other change there has an
/// effect.
fn cleared(ports: &[Port], tape: &Tape, mask: PortId, live: &BTreeSet<Reg>) -> Option<Vec<PortId>> {
    let mut cleared = Vec::new();
    for (idx, (port, outside)) in ports.iter().zip(tape.given(mask, false)).enumerate() {
        let at = PortId(idx as u32);
        match (port.source, outside) {
            (_, Given::Kept) => {}
            (Source::Column(..), Given::Zeros) => cleared.push(at),
            // Zeros remain zeros.
            (Source::Slice(_), Given::Zeros) if at == mask => {}
            (Source::Slice(reg), Given::Zeros | Given::Ones | Given::Other) => {
                (at != mask && !live.contains(&reg)).then_some(())?;
            }
            (Source::Column(..), Given::Ones | Given::Other) => return None,
        }
    }
    Some(cleared)
}

impl Narrowings {
    /// Returns the slice, and the port of the column whose bits are compared with those of a word,
    /// if the ways only do that: way w keeps the rows whose bit is w.
    pub(super) fn of_word(&self) -> Option<(PortId, PortId)> {
        let [zero, one] = self.ways[..] else { return None };
        let [x, y] = zero.of;
        let is_one_column = x == y && one.of == zero.of;
        (is_one_column && (zero.table, one.table) == (0b0001, 0b1000)).then_some((self.slice, x))
    }

    pub(super) fn of(ports: &[Port], tapes: &[Tape]) -> Option<Narrowings> {
        let mut written = (0..ports.len()).filter(|idx| ports[*idx].is_written);
        let (Some(idx), None) = (written.next(), written.next()) else { return None };
        let slice = PortId(idx as u32);
        let ways = tapes.iter().map(|tape| tape.narrowing(slice)).collect::<Option<Vec<_>>>()?;
        let is_column = |port: &PortId| match ports[port.0 as usize].source {
            Source::Column(..) => true,
            Source::Slice(_) => false,
        };
        let columns_only = ways.iter().flat_map(|way| &way.of).all(is_column);
        (columns_only && matches!(ports[idx].source, Source::Slice(_)))
            .then_some(Narrowings { slice, ways })
    }
}

impl Interpreter<'_, '_, '_> {
    /// Lists the limbs that a kernel has to work on, if these are few.
    pub(super) fn find_few(
        &self,
        kernel: &LoopKernel,
        n_rows: usize,
        few: &mut Vec<u64>,
    ) -> Option<MaskedIterations> {
        let Few { mask, .. } = kernel.few.as_ref()?;
        let (n_limbs, most) = (n_rows.div_ceil(64), self.parallelism.settings.few_limbs);
        few.clear();
        if n_limbs <= most {
            few.extend(0..n_limbs as u64);
            return Some(MaskedIterations::All);
        }
        let most = if most == 0 { 0 } else { most.max(n_limbs / SHARE) };
        let slot = self.bits_slot(mask.as_ref()?.reg);
        let limbs = slot.bits.limbs();
        let blocks = Blocks::of(n_rows, &self.parallelism.settings);
        if let (Some(blocks), Some(summary)) = (blocks, slot.known.summary()) {
            let n_blocks: u32 = summary.ones.iter().map(|word| word.count_ones()).sum();
            if n_blocks as usize > most {
                return None;
            }
            for (idx, word) in summary.ones.iter().enumerate() {
                each(*word, |block| {
                    let some = blocks.range(idx * 64 + block).filter(|at| limbs[*at] != 0);
                    few.extend(some.map(|at| at as u64));
                });
            }
            return (few.len() <= most).then_some(MaskedIterations::Masked);
        }
        if n_limbs >= self.parallelism.settings.record_limbs {
            return None;
        }
        few.resize(most, 0);
        let n = self.parallelism.kernels.list_nonzero(limbs, few)?;
        few.truncate(n);
        Some(MaskedIterations::Masked)
    }

    /// Runs all iterations on some limbs, then on the next ones.
    pub(super) fn masked_iterations(
        &self,
        kernel: &LoopKernel,
        (few, masked): (&Few, MaskedIterations),
        Scratch { few: limbs, iterations, blocks, made, .. }: &mut Scratch,
        (lanes, sparse): (&mut [Lane<'_>], &mut SparsePorts<'_>),
        n_rows: usize,
        taken: &mut Taken,
    ) -> Exec<()> {
        let kernels = self.parallelism.kernels;
        // Old contents are overwritten before they are read, or belong to limbs that are not
        // stored.
        let n_blocks = first_block(few.columns.len());
        if blocks.len() < n_blocks {
            blocks.resize(n_blocks, [0; BLOCK]);
        }
        made.clear();
        if sparse.written.is_some() {
            made.resize(iterations.len() * limbs.len(), 0);
        }
        for (nth, block) in limbs.chunks(BLOCK).enumerate() {
            let block_limbs = BlockLimbs::of(block, n_rows);
            for (at, port) in kernel.ports.iter().enumerate() {
                if let Source::Slice(_) = port.source {
                    block_limbs.load(&lanes[at], (0, 0), std::slice::from_mut(&mut blocks[at]));
                }
            }
            for (begin, iterations) in
                (0..).step_by(ITERATIONS_AT_ONCE).zip(iterations.chunks(ITERATIONS_AT_ONCE))
            {
                self.parallelism.poll()?;
                let of_iterations = (iterations[0].0, iterations[iterations.len() - 1].0);
                for (nth, column) in few.columns.iter().enumerate() {
                    let blocks = &mut blocks[first_block(nth)..][..iterations.len()];
                    match sparse.of(column.port) {
                        _ if !column.is_loaded => {}
                        Some(lines) => block_limbs.load_sparse(lines, iterations, blocks),
                        None => block_limbs.load(&lanes[column.port], of_iterations, blocks),
                    }
                }
                kernels.iterations(&few.ways, iterations, blocks, block.len());
                for (at, column) in few.columns.iter().enumerate() {
                    let blocks = &blocks[first_block(at)..][..iterations.len()];
                    match &sparse.written {
                        _ if !column.is_stored => {}
                        Some((of, _)) if *of == column.port => {
                            for (iteration, made_of) in (begin..).zip(blocks) {
                                let to = &mut made[iteration * limbs.len() + nth * BLOCK..];
                                block_limbs.keep(&mut to[..block.len()], made_of);
                            }
                        }
                        Some(_) | None => {
                            block_limbs.store(&mut lanes[column.port], of_iterations, blocks)
                        }
                    }
                }
            }
            for (at, port) in kernel.ports.iter().enumerate() {
                if let (Source::Slice(_), true) = (port.source, port.is_written) {
                    block_limbs.store(&mut lanes[at], (0, 0), std::slice::from_ref(&blocks[at]));
                }
            }
        }
        if let Some((_, lines)) = &mut sparse.written {
            for (iteration, (column, _)) in iterations.iter().enumerate() {
                let made = &made[iteration * limbs.len()..][..limbs.len()];
                let made = limbs.iter().map(|at| *at as u32).zip(made.iter().copied());
                // The space was reserved.
                let set = lines.set(*column, false, made);
                set.map_err(|_refused| internal_error("a sparse table lacks the reserved space"))?;
            }
        }
        if let (MaskedIterations::Masked, Some(mask)) = (masked, &few.mask) {
            let n_limbs = n_rows.div_ceil(64);
            // The others were cleared before the iterations.
            let is_left = |port: &&PortId| {
                let port = port.0 as usize;
                sparse.of(port).is_none() && !few.makes_all_of(port, masked)
            };
            let are_left = mask.cleared.iter().flatten().any(|port| is_left(&port));
            for (column, way) in iterations.iter().filter(|_| are_left) {
                self.parallelism.poll()?;
                for port in mask.cleared[*way].iter().filter(is_left) {
                    clear_others(&mut lanes[port.0 as usize], *column, limbs, n_limbs);
                }
            }
        }
        for (way, taken) in taken.0.iter_mut().enumerate().take(kernel.ways.len()) {
            *taken += iterations.iter().filter(|(_, of)| *of == way).count() as u64;
        }
        Ok(())
    }

    /// Narrows a slice by several columns at once.
    pub(super) fn narrow(
        &self,
        narrowings: &Narrowings,
        iterations: &[(usize, usize)],
        lanes: &mut [Lane<'_>; MOST_PORTS],
        taken: &mut Taken,
    ) -> Exec<()> {
        let slice = std::mem::take(&mut lanes[narrowings.slice.0 as usize]);
        let Lane::Written { limbs: slice, stride: _ } = slice else {
            return Err(internal_error("a slice is narrowed but not written"));
        };
        let n = slice.len();
        let line = |port: PortId, column: usize| match &lanes[port.0 as usize] {
            Lane::Read { limbs, stride } => &limbs[stride * column..][..n],
            Lane::Written { limbs, stride } => &limbs[stride * column..][..n],
        };
        for iterations in iterations.chunks(NARROWED_AT_ONCE) {
            self.parallelism.poll()?;
            let mut of: [[&[u64]; 2]; NARROWED_AT_ONCE] = [[&[]; 2]; NARROWED_AT_ONCE];
            let mut tables = [0; NARROWED_AT_ONCE];
            for (nth, (column, way)) in iterations.iter().enumerate() {
                let Narrowing { table, of: [x, y] } = narrowings.ways[*way];
                let first = line(x, *column);
                of[nth] = [first, if x == y { first } else { line(y, *column) }];
                tables[nth] = table;
                taken.0[*way] += 1;
            }
            // The first one fills the unused entries.
            let first = (of[0], tables[0]);
            of[iterations.len()..].fill(first.0);
            tables[iterations.len()..].fill(first.1);
            self.parallelism.kernels.narrow(slice, of, tables);
        }
        Ok(())
    }
}

/// Clears the limbs of a column that are not in the list.
fn clear_others(lane: &mut Lane<'_>, column: usize, limbs: &[u64], n_limbs: usize) {
    let Lane::Written { limbs: storage, stride } = lane else { return };
    let line = &mut storage[*stride * column..][..n_limbs];
    let mut next = 0;
    for at in limbs {
        line[next..*at as usize].fill(0);
        next = *at as usize + 1;
    }
    line[next..].fill(0);
}
