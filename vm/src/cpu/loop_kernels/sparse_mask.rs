//! Turns on few limbs, and turns that narrow a slice by several columns at once: see Note [Few
//! limbs].

use std::collections::BTreeSet;

use star_base::SparseLines;

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::summary::{Blocks, each};
use super::places::{BLOCK, Places};
use super::{LoopKernel, MOST_PORTS, Port, Scratch, Source, Taken};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::{BlockOp, BlockPlace, BlockTurn, NARROWED_AT_ONCE};
use crate::tape::{BlockProgram, COPY, Given, Lane, N_SLOTS, Narrowing, PortId, SlotOp, Tape};

/// Turns on a block that are run at once.
const TURNS: usize = 32;

/// Where a mask is: in at most one in so many limbs of a slice.
const SHARE: usize = 8;

/// How a kernel runs on some limbs alone.
#[derive(Clone, Debug)]
pub(super) struct Few {
    /// What each way does with a block.
    ways: Vec<BlockTurn>,
    columns: Vec<ColumnPort>,
    mask: Option<Mask>,
}

/// A column that turns work on.
#[derive(Clone, Copy, Debug)]
struct ColumnPort {
    port: usize,
    /// Does a turn have to find what it holds?
    is_loaded: bool,
    is_stored: bool,
}

/// A slice outside of which the turns change nothing or store zeros.
#[derive(Clone, Debug)]
struct Mask {
    reg: Reg,
    /// The columns that get zeros there, for each way.
    cleared: Vec<Vec<PortId>>,
}

/// Which limbs are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskedIterations {
    All,
    /// Those that the mask has ones in.
    Masked,
}

/// Tables behind the ports that are sparse.
#[derive(Default)]
pub(super) struct SparsePorts<'m> {
    /// Those that are read only.
    pub(super) read: [Option<&'m SparseLines>; MOST_PORTS],
    /// The one that is written.
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

/// How each way narrows one slice.
#[derive(Clone, Debug)]
pub(super) struct Narrowings {
    slice: PortId,
    ways: Vec<Narrowing>,
}

impl Few {
    /// `live` are the slices that are needed behind the loop. The tapes get all ports.
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
        let ways = programs.iter().map(|program| block_turn(program, &columns)).collect();
        Some(Few { ways, columns, mask })
    }

    /// The slice whose limbs it works on.
    pub(super) fn mask(&self) -> Option<Reg> {
        self.mask.as_ref().map(|mask| mask.reg)
    }

    /// Does it work on the limbs of a mask?
    pub(super) fn is_masked(&self) -> bool {
        self.mask.is_some()
    }

    /// Does a column stay as it is but on these limbs?
    pub(super) fn keeps_rest_of(&self, port: usize, masked: MaskedIterations) -> bool {
        let port = PortId(port as u32);
        let keeps = |mask: &Mask| mask.cleared.iter().all(|ports| !ports.contains(&port));
        masked == MaskedIterations::Masked && self.mask.as_ref().is_some_and(keeps)
    }

    /// Does a column get nothing but what it gets on these limbs, and zeros elsewhere?
    pub(super) fn makes_all_of(&self, port: usize, masked: MaskedIterations) -> bool {
        let is_cleared =
            |mask: &Mask| mask.cleared.iter().all(|ports| ports.contains(&PortId(port as u32)));
        masked == MaskedIterations::All || self.mask.as_ref().is_some_and(is_cleared)
    }
}

/// The columns that ways load or store. Where only some ways store one, it is loaded for the
/// others, since what it holds is stored then.
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

/// The number of the first block of a column: those of its turns lie behind the slots, one behind
/// another.
fn first_block(column: usize) -> usize {
    N_SLOTS + column * TURNS
}

/// A way on blocks: a slice has that in the slot of its port, a column has one for each turn. What
/// is stored is made where it is stored, unless something behind that still looks at what the port
/// held before.
fn block_turn(program: &BlockProgram, columns: &[ColumnPort]) -> BlockTurn {
    let mut places: Vec<BlockPlace> = (0..N_SLOTS as u16).map(BlockPlace::fixed).collect();
    for (nth, column) in columns.iter().enumerate() {
        places[column.port] = BlockPlace::of_turns(first_block(nth) as u16);
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

/// The columns that get zeros where the mask is zero, if nothing else changes there that anybody
/// looks at.
fn cleared(ports: &[Port], tape: &Tape, mask: PortId, live: &BTreeSet<Reg>) -> Option<Vec<PortId>> {
    let mut cleared = Vec::new();
    for (idx, (port, outside)) in ports.iter().zip(tape.given(mask, false)).enumerate() {
        let at = PortId(idx as u32);
        match (port.source, outside) {
            (_, Given::Kept) => {}
            (Source::Column(..), Given::Zeros) => cleared.push(at),
            // What is zero stays so.
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
    /// The slice, and the port of the column whose bits are to be those of a word, if that is all:
    /// way w takes the rows that hold w.
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

    /// All turns on some limbs, then on the next ones.
    pub(super) fn masked_iterations(
        &self,
        kernel: &LoopKernel,
        (few, masked): (&Few, MaskedIterations),
        Scratch { few: limbs, turns, blocks, made, .. }: &mut Scratch,
        (lanes, sparse): (&mut [Lane<'_>], &mut SparsePorts<'_>),
        n_rows: usize,
        taken: &mut Taken,
    ) -> Exec<()> {
        let kernels = self.parallelism.kernels;
        // What they hold from before is overwritten before it is read, or belongs to limbs that are
        // not stored.
        let n_blocks = first_block(few.columns.len());
        if blocks.len() < n_blocks {
            blocks.resize(n_blocks, [0; BLOCK]);
        }
        made.clear();
        if sparse.written.is_some() {
            made.resize(turns.len() * limbs.len(), 0);
        }
        for (nth, block) in limbs.chunks(BLOCK).enumerate() {
            let places = Places::of(block, n_rows);
            for (at, port) in kernel.ports.iter().enumerate() {
                if let Source::Slice(_) = port.source {
                    places.load(&lanes[at], (0, 0), std::slice::from_mut(&mut blocks[at]));
                }
            }
            for (begin, turns) in (0..).step_by(TURNS).zip(turns.chunks(TURNS)) {
                self.parallelism.poll()?;
                let of_turns = (turns[0].0, turns[turns.len() - 1].0);
                for (nth, column) in few.columns.iter().enumerate() {
                    let blocks = &mut blocks[first_block(nth)..][..turns.len()];
                    match sparse.of(column.port) {
                        _ if !column.is_loaded => {}
                        Some(lines) => places.load_sparse(lines, turns, blocks),
                        None => places.load(&lanes[column.port], of_turns, blocks),
                    }
                }
                kernels.turns(&few.ways, turns, blocks, block.len());
                for (at, column) in few.columns.iter().enumerate() {
                    let blocks = &blocks[first_block(at)..][..turns.len()];
                    match &sparse.written {
                        _ if !column.is_stored => {}
                        Some((of, _)) if *of == column.port => {
                            for (turn, made_of) in (begin..).zip(blocks) {
                                let to = &mut made[turn * limbs.len() + nth * BLOCK..];
                                places.keep(&mut to[..block.len()], made_of);
                            }
                        }
                        Some(_) | None => places.store(&mut lanes[column.port], of_turns, blocks),
                    }
                }
            }
            for (at, port) in kernel.ports.iter().enumerate() {
                if let (Source::Slice(_), true) = (port.source, port.is_written) {
                    places.store(&mut lanes[at], (0, 0), std::slice::from_ref(&blocks[at]));
                }
            }
        }
        if let Some((_, lines)) = &mut sparse.written {
            for (turn, (column, _)) in turns.iter().enumerate() {
                let made = &made[turn * limbs.len()..][..limbs.len()];
                let made = limbs.iter().map(|at| *at as u32).zip(made.iter().copied());
                // There is room for that.
                let set = lines.set(*column, false, made);
                set.map_err(|_refused| {
                    internal_error("a sparse table without the room that it got")
                })?;
            }
        }
        if let (MaskedIterations::Masked, Some(mask)) = (masked, &few.mask) {
            let n_limbs = n_rows.div_ceil(64);
            // The others were cleared before the turns.
            let is_left = |port: &&PortId| {
                let port = port.0 as usize;
                sparse.of(port).is_none() && !few.makes_all_of(port, masked)
            };
            let are_left = mask.cleared.iter().flatten().any(|port| is_left(&port));
            for (column, way) in turns.iter().filter(|_| are_left) {
                self.parallelism.poll()?;
                for port in mask.cleared[*way].iter().filter(is_left) {
                    clear_others(&mut lanes[port.0 as usize], *column, limbs, n_limbs);
                }
            }
        }
        for (way, taken) in taken.0.iter_mut().enumerate().take(kernel.ways.len()) {
            *taken += turns.iter().filter(|(_, of)| *of == way).count() as u64;
        }
        Ok(())
    }

    /// Narrows a slice by several columns at once.
    pub(super) fn narrow(
        &self,
        narrowings: &Narrowings,
        turns: &[(usize, usize)],
        lanes: &mut [Lane<'_>; MOST_PORTS],
        taken: &mut Taken,
    ) -> Exec<()> {
        let slice = std::mem::take(&mut lanes[narrowings.slice.0 as usize]);
        let Lane::Written { limbs: slice, stride: _ } = slice else {
            return Err(internal_error("a slice that is narrowed and not written"));
        };
        let n = slice.len();
        let line = |port: PortId, column: usize| match &lanes[port.0 as usize] {
            Lane::Read { limbs, stride } => &limbs[stride * column..][..n],
            Lane::Written { limbs, stride } => &limbs[stride * column..][..n],
        };
        for turns in turns.chunks(NARROWED_AT_ONCE) {
            self.parallelism.poll()?;
            let mut of: [[&[u64]; 2]; NARROWED_AT_ONCE] = [[&[]; 2]; NARROWED_AT_ONCE];
            let mut tables = [0; NARROWED_AT_ONCE];
            for (nth, (column, way)) in turns.iter().enumerate() {
                let Narrowing { table, of: [x, y] } = narrowings.ways[*way];
                let first = line(x, *column);
                of[nth] = [first, if x == y { first } else { line(y, *column) }];
                tables[nth] = table;
                taken.0[*way] += 1;
            }
            // In place of those that are missing the first one is there again.
            let first = (of[0], tables[0]);
            of[turns.len()..].fill(first.0);
            tables[turns.len()..].fill(first.1);
            self.parallelism.kernels.narrow(slice, of, tables);
        }
        Ok(())
    }
}

/// The limbs of a column that are not in the list become zero.
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
