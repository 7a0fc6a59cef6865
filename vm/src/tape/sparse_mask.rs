//! A tape restricted to a sparse mask: its effect outside of the mask, and its operations on blocks
//! of limbs that need not be adjacent.
//!
//! Note [Outside]. Where a mask is zero, a tape often changes nothing: the value stored there is
//! zero, or the previous content of the port. That is determined limb by limb, since a tape has no
//! operation across limbs: the mask is replaced by zero, and the functions fold. So a caller may
//! run the tape only on the limbs in which the mask has a one. The same holds where it is one: rows
//! that WMERGE sets to a word get the same bit there.

use super::cover::cover;
use super::lut::Lut;
use super::record::{Node, PortId, Tape, ValueId};

/// The value that a port receives where the mask is zero, or where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Its previous content.
    Kept,
    Zeros,
    Ones,
    Other,
}

/// A value where the mask is zero.
#[derive(Clone, Copy)]
enum Folded {
    Bit(bool),
    /// The loaded content of a port.
    Loaded(ValueId),
    Other,
}

/// Operations on blocks of limbs. The slots with the numbers of the ports hold their previous
/// content.
#[derive(Clone, Debug)]
pub(crate) struct BlockProgram {
    pub(crate) ops: Vec<SlotOp>,
    /// Ports that are loaded.
    pub(crate) loads: Vec<PortId>,
    /// Ports that are stored to, and the slots of the stored values.
    pub(crate) stores: Vec<(PortId, u8)>,
}

/// A function of at most three slots.
#[derive(Clone, Debug)]
pub(crate) struct SlotOp {
    /// Its truth table.
    pub(crate) table: u8,
    pub(crate) of: Vec<u8>,
    /// A slot that no other function writes, and no port has.
    pub(crate) to: u8,
}

/// Number of slots of a program: those of the ports, and those of values.
pub(crate) const N_SLOTS: usize = 64;

/// The truth table of its only input.
pub(crate) const COPY: u8 = 0b10;

/// A tape that only narrows one slice: `slice = slice and f(x, y)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrowing {
    /// f, as bit `2x + y`.
    pub(crate) table: u8,
    pub(crate) of: [PortId; 2],
}

impl Tape {
    pub(crate) fn n_ports(&self) -> usize {
        self.ports.len()
    }

    /// Returns the value that each port receives where the port `mask` holds this bit; see Note
    /// [Outside].
    pub(crate) fn given(&self, mask: PortId, bit: bool) -> Vec<Given> {
        let mut folded: Vec<Folded> = Vec::with_capacity(self.nodes.len());
        for (idx, node) in self.nodes.iter().enumerate() {
            folded.push(match node {
                Node::Load(port) if *port == mask => Folded::Bit(bit),
                Node::Load(_) => Folded::Loaded(ValueId(idx as u32)),
                Node::Lut(lut) => fold(lut, &folded),
            });
        }
        let given = self.ports.iter().map(|port| {
            let Some(stored) = port.stored else { return Given::Kept };
            match folded[stored.0 as usize] {
                Folded::Bit(false) => Given::Zeros,
                Folded::Bit(true) => Given::Ones,
                Folded::Loaded(value) if port.loaded == Some(value) => Given::Kept,
                Folded::Loaded(_) | Folded::Other => Given::Other,
            }
        });
        given.collect()
    }

    /// Returns the functions on which stored values depend, in topological order.
    fn functions(&self) -> Vec<(ValueId, Lut<ValueId>)> {
        let roots = self.ports.iter().filter_map(|port| port.stored);
        cover(&self.nodes, roots, std::iter::empty())
    }

    /// Returns the tape as operations on blocks, if there are few.
    pub(crate) fn block_program(&self) -> Option<BlockProgram> {
        (self.ports.len() <= N_SLOTS).then_some(())?;
        let mut slots: Vec<Option<u8>> = vec![None; self.nodes.len()];
        let mut loads = Vec::new();
        for (idx, port) in self.ports.iter().enumerate() {
            if let Some(value) = port.loaded {
                slots[value.0 as usize] = Some(u8::try_from(idx).ok()?);
                loads.push(PortId(idx as u32));
            }
        }
        let (mut ops, mut next) = (Vec::new(), self.ports.len());
        let mut slot = || {
            next += 1;
            (next <= N_SLOTS).then_some(next as u8 - 1)
        };
        for (value, lut) in self.functions() {
            let to = slot()?;
            let of = lut.inputs().iter().map(|input| slots[input.0 as usize]);
            ops.push(SlotOp { table: lut.table(), of: of.collect::<Option<_>>()?, to });
            slots[value.0 as usize] = Some(to);
        }
        let mut stores = Vec::new();
        for (idx, port) in self.ports.iter().enumerate() {
            let Some(value) = port.stored else { continue };
            let mut from = slots[value.0 as usize]?;
            if let Node::Load(_) = self.nodes[value.0 as usize] {
                // The port from which it was loaded may be overwritten.
                let to = slot()?;
                ops.push(SlotOp { table: COPY, of: vec![from], to });
                from = to;
            }
            stores.push((PortId(idx as u32), from));
        }
        Some(BlockProgram { ops, loads, stores })
    }

    /// Returns how the tape narrows the slice `mask`, if that is its only effect.
    pub(crate) fn narrowing(&self, mask: PortId) -> Option<Narrowing> {
        let is_stored = |idx: usize| self.ports[idx].stored.is_some();
        let is_alone = (0..self.ports.len()).all(|idx| is_stored(idx) == (idx == mask.0 as usize));
        let loaded = self.ports[mask.0 as usize].loaded?;
        let functions = self.functions();
        let [(value, lut)] = functions[..] else { return None };
        let is_whole = is_alone && self.ports[mask.0 as usize].stored == Some(value);
        let zero = lut.with(loaded, &Lut::constant(false))?;
        (is_whole && zero == Lut::constant(false)).then_some(())?;
        let one = lut.with(loaded, &Lut::constant(true))?;
        let port = |value: &ValueId| match self.nodes[value.0 as usize] {
            Node::Load(port) => Some(port),
            Node::Lut(_) => None,
        };
        match one.inputs() {
            [x] => {
                let (x, bit) = (port(x)?, |at: u8| one.table() >> at & 1);
                Some(Narrowing { table: bit(0) | bit(1) << 3, of: [x, x] })
            }
            [x, y] => Some(Narrowing { table: one.table(), of: [port(x)?, port(y)?] }),
            [..] => None,
        }
    }
}

/// Folds a function of folded values.
fn fold(lut: &Lut<ValueId>, folded: &[Folded]) -> Folded {
    let (mut made, mut is_known) = (*lut, true);
    for input in lut.inputs() {
        let by = match folded[input.0 as usize] {
            Folded::Bit(bit) => Lut::constant(bit),
            Folded::Loaded(value) => Lut::copy(value),
            Folded::Other => continue,
        };
        match made.with(*input, &by) {
            Some(with) => made = with,
            None => is_known = false,
        }
    }
    let is_loaded = |value: ValueId| matches!(folded[value.0 as usize], Folded::Loaded(_));
    match (made.inputs(), made.as_copy()) {
        _ if !is_known => Folded::Other,
        ([], _) => Folded::Bit(made.table() & 1 == 1),
        (_, Some(value)) if is_loaded(value) => Folded::Loaded(value),
        (_, _) => Folded::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AND: u8 = 0b1000;
    const XOR: u8 = 0b0110;
    const OR: u8 = 0b1110;
    const AND_NOT: u8 = 0b0100;

    #[test]
    fn stored_values_outside_and_inside_the_mask_are_known() {
        let mut tape = Tape::default();
        let [x, kept, cleared, other, swapped] = std::array::from_fn(|_| tape.port());
        let [mask, a, b, c] = [x, kept, cleared, other].map(|port| tape.load(port));
        let merged = {
            let (new, old) = (tape.lut(AND, &[c, mask]), tape.lut(AND_NOT, &[a, mask]));
            tape.lut(OR, &[new, old])
        };
        tape.store(kept, merged);
        let masked = tape.lut(AND, &[b, mask]);
        tape.store(cleared, masked);
        let flipped = tape.lut(XOR, &[c, a]);
        tape.store(other, flipped);
        tape.store(swapped, a);
        use Given::{Kept, Other, Zeros};
        assert_eq!(tape.given(x, false), [Kept, Kept, Zeros, Other, Other]);
        // Within the mask, one port receives the content of another.
        assert_eq!(tape.given(x, true), [Kept, Other, Kept, Other, Other]);
        // Ports are read from and written to different slots.
        let program = tape.block_program().unwrap();
        assert!(program.stores.iter().all(|(_, slot)| usize::from(*slot) >= 5));
        assert_eq!(program.loads.len(), 4);
    }

    #[test]
    fn merged_rows_receive_a_known_bit_within_the_mask() {
        use Given::{Kept, Ones, Zeros};
        for (table, inside) in [(OR, Ones), (AND_NOT, Zeros)] {
            let mut tape = Tape::default();
            let (mask, column) = (tape.port(), tape.port());
            let of = [tape.load(column), tape.load(mask)];
            let made = tape.lut(table, &of);
            tape.store(column, made);
            assert_eq!(tape.given(mask, false), [Kept, Kept]);
            assert_eq!(tape.given(mask, true), [Kept, inside]);
        }
    }

    #[test]
    fn narrowings_are_recognised_with_their_function() {
        for (table, wanted) in [(AND, Some(0b1000)), (AND_NOT, Some(0b0001)), (OR, None)] {
            let mut tape = Tape::default();
            let (slice, column) = (tape.port(), tape.port());
            let of = [tape.load(slice), tape.load(column)];
            let made = tape.lut(table, &of);
            tape.store(slice, made);
            assert_eq!(tape.narrowing(slice).map(|narrowing| narrowing.table), wanted);
        }
        let mut tape = Tape::default();
        let (slice, left, right) = (tape.port(), tape.port(), tape.port());
        let of = [tape.load(left), tape.load(right)];
        let differ = tape.lut(XOR, &of);
        let before = tape.load(slice);
        let made = tape.lut(AND_NOT, &[before, differ]);
        tape.store(slice, made);
        assert_eq!(tape.narrowing(slice).map(|narrowing| narrowing.table), Some(0b1001));
        tape.store(left, differ);
        assert!(tape.narrowing(slice).is_none(), "it stores something else");
    }
}
