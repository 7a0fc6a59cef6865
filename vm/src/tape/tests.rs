//! The operations of plans, and runs of families of lines, line by line.

mod random;

use std::sync::atomic::AtomicBool;

use star_ir::Query;
use star_value::BitVector;

use super::plan::{Location, PlannedOp};
use super::record::Reduction;
use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::Settings;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::pool::Pool;
use crate::kernels::{Kernels, Level};
use random::{Recording, record};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % limit as u64) as usize
    }

    fn bits(&mut self, len: usize) -> Vec<bool> {
        let rarity = 1 + self.below(40);
        (0..len).map(|_| self.below(rarity) == 0).collect()
    }
}

fn with_parallelism(settings: Settings, level: Level, test: impl FnOnce(&Parallelism<'_>)) {
    let never = AtomicBool::new(false);
    let budget = MemoryBudget::new(&never, &never, u64::MAX);
    let kernels = Kernels::at(level).unwrap();
    test(&Parallelism::new(kernels, settings, budget.flags(), Pool::of(settings.threads)));
}

fn settings() -> [Settings; 3] {
    let tiny = Settings::tiny();
    let strips = Settings { block_limbs: 4, piece_limbs: 40, parallel_limbs: 9, ..tiny };
    [tiny, strips, Settings { threads: Some(1), ..Settings::default() }]
}

/// Records a search below a number as in the library and returns the number of operations of its
/// plan, and of those with two results.
fn search(digits: &[bool], needs_mask: bool) -> (usize, usize) {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..digits.len() + 2).map(|_| tape.port()).collect();
    let mut found = tape.constant(false);
    let mut mask = tape.load(ports[0]);
    for (port, digit) in ports[2..].iter().zip(digits) {
        let column = tape.load(*port);
        if *digit {
            let less = tape.lut(0b0100, &[mask, column]);
            found = tape.lut(OR, &[found, less]);
            mask = tape.lut(AND, &[mask, column]);
        } else {
            mask = tape.lut(0b0100, &[mask, column]);
        }
    }
    tape.store(ports[1], found);
    if needs_mask {
        tape.query(Query::Count, mask);
    }
    let plan = Plan::new(&tape);
    (plan.ops.len() - plan.reductions.len(), plan.n_cascades())
}

#[test]
fn a_search_processes_four_columns_at_a_time() {
    // Two initial slices, and eight times four columns.
    assert_eq!(search(&[true; 32], true), (2 + 8, 8));
    assert_eq!(search(&[true, true], true), (2 + 1, 1));
    let mixed: Vec<bool> = (0..32).map(|idx| idx % 3 > 0).collect();
    let (n_ops, n_cascades) = search(&mixed, false);
    assert!(n_cascades >= 6 && n_ops <= n_cascades + 5, "{n_ops} {n_cascades}");
    assert_eq!(search(&[true], true).1, 0, "one step is no cascade");
}

#[test]
fn a_search_begins_with_the_rows_of_a_conjunction() {
    // Rows below one number and above another: the second search looks at the rows of the first.
    let plan = |is_needed: bool| {
        let mut tape = Tape::default();
        let mut search = |found_where: u8| {
            let (mut found, mut mask) = (tape.constant(false), tape.constant(true));
            for _ in 0..9 {
                let column = tape.port();
                let column = tape.load(column);
                let more = tape.lut(found_where, &[mask, column]);
                found = tape.lut(OR, &[found, more]);
                mask = tape.lut(0b1100 ^ found_where, &[mask, column]);
            }
            found
        };
        let [below, above] = [search(0b0100), search(AND)];
        let both = tape.lut(AND, &[above, below]);
        let to = tape.port();
        tape.store(to, both);
        if is_needed {
            tape.query(Query::Count, above);
            tape.query(Query::Count, below);
        }
        Plan::new(&tape).n_narrowed
    };
    assert_eq!((plan(false), plan(true)), (1, 0));
}

/// Records the addition of columns as in the library, and returns the number of operations of its
/// plan and the columns that they add.
fn sums(n_columns: usize, is_borrow: bool, needs_carry: bool) -> (usize, usize) {
    let mut tape = Tape::default();
    let mask = tape.port();
    let mask = tape.load(mask);
    let mut carry = tape.constant(false);
    for _ in 0..n_columns {
        let [a, b, to] = [(); 3].map(|()| tape.port());
        let [a, b] = [a, b].map(|port| tape.load(port));
        let different = tape.lut(XOR, &[a, b]);
        let sum = tape.lut(XOR, &[different, carry]);
        let sum = tape.lut(AND, &[mask, sum]);
        tape.store(to, sum);
        // a and b, or b and not a; of the carry where both differ, or where they are equal.
        let made = tape.lut(if is_borrow { 0b0010 } else { AND }, &[a, b]);
        let kept = tape.lut(if is_borrow { 0b0100 } else { AND }, &[carry, different]);
        carry = tape.lut(OR, &[made, kept]);
    }
    if needs_carry {
        tape.query(Query::Any, carry);
    }
    let plan = Plan::new(&tape);
    (plan.ops.len() - plan.reductions.len(), plan.n_added())
}

#[test]
fn sums_process_four_columns_at_a_time() {
    for is_borrow in [false, true] {
        // The first column has no carry, and the last one leaves none: both have two operations.
        assert_eq!(sums(34, is_borrow, false), (2 + 8 + 2, 32), "{is_borrow}");
        assert_eq!(sums(33, is_borrow, true), (2 + 8, 32), "{is_borrow}");
        assert_eq!(sums(2, is_borrow, true), (2 + 1, 1), "{is_borrow}");
    }
}

#[test]
fn values_with_other_uses_are_not_hidden_in_a_search() {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..8).map(|_| tape.port()).collect();
    let loads: Vec<ValueId> = ports.iter().map(|port| tape.load(*port)).collect();
    let (mut less, mut greater, mut mask) = (loads[0], loads[1], loads[2]);
    for column in &loads[3..] {
        let both = tape.lut(AND, &[mask, *column]);
        greater = tape.lut(OR, &[greater, both]);
        let neither = tape.lut(0b0100, &[mask, *column]);
        less = tape.lut(OR, &[less, neither]);
        mask = tape.lut(0b0100, &[mask, *column]);
    }
    tape.store(ports[0], less);
    tape.store(ports[1], greater);
    // Both need every mask.
    assert_eq!(Plan::new(&tape).n_cascades(), 0);
}

#[test]
fn equal_values_have_one_number() {
    let mut random = Random(2);
    for _ in 0..50 {
        let Recording { values, .. } = record(&mut random, 200, 60);
        for (idx, (value, bits)) in values.iter().enumerate() {
            for (other, same) in &values[..idx] {
                assert!(value != other || bits == same);
            }
        }
    }
    let mut tape = Tape::default();
    let [a, b] = [(); 2].map(|()| tape.port()).map(|port| tape.load(port));
    let not_b = tape.lut(0b01, &[b]);
    let twice = tape.lut(0b01, &[not_b]);
    assert_eq!(twice, b);
    assert_eq!(tape.lut(0b1000, &[a, not_b]), tape.lut(0b0010, &[b, a]));
    assert_eq!(tape.lut(0b0110, &[a, a]), tape.constant(false));
}

/// Returns the numbers of operations, buffers and copies of a plan.
fn sizes(tape: &Tape) -> (usize, usize, usize) {
    let plan = Plan::new(tape);
    (plan.ops.len(), plan.n_buffers, plan.copies.len())
}

const AND: u8 = 0b1000;
const OR: u8 = 0b1110;
const XOR: u8 = 0b0110;

#[test]
fn a_full_adder_is_one_operation_in_place() {
    let mut tape = Tape::default();
    let ports: [PortId; 4] = [(); 4].map(|()| tape.port());
    let [a, b, c, _] = ports.map(|port| tape.load(port));
    let half = tape.lut(XOR, &[a, b]);
    let sum = tape.lut(XOR, &[half, c]);
    let both = tape.lut(AND, &[a, b]);
    let carried = tape.lut(AND, &[half, c]);
    let carry = tape.lut(OR, &[both, carried]);
    tape.store(ports[3], sum);
    tape.store(ports[2], carry);
    // The carry-out is computed in place of the carry-in.
    assert_eq!(sizes(&tape), (1, 0, 0));
}

#[test]
fn a_chain_reads_four_operands_at_a_time_and_needs_no_buffer() {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..9).map(|_| tape.port()).collect();
    let loads: Vec<ValueId> = ports.iter().map(|port| tape.load(*port)).collect();
    let mut all = loads[0];
    for (idx, load) in loads[1..].iter().enumerate() {
        let with = if idx % 2 == 0 { *load } else { tape.lut(0b01, &[*load]) };
        all = tape.lut(AND, &[all, with]);
    }
    tape.store(ports[0], all);
    let plan = Plan::new(&tape);
    assert_eq!((plan.ops.len(), plan.n_buffers, plan.copies.len()), (2, 1, 0), "{plan:?}");
    tape.query(Query::Count, all);
    let plan = Plan::new(&tape);
    assert_eq!(plan.reductions, [Reduction::Count]);
    let port = Some(Location::Port(ports[0]));
    let counts = |op: &PlannedOp| match op {
        PlannedOp::Reduce { nth: 0, of } => of.as_copy() == port,
        _ => false,
    };
    assert_eq!(plan.ops.iter().filter(|op| counts(op)).count(), 1, "{plan:?}");
}

#[test]
fn functions_of_two_values_are_reduced_without_a_buffer() {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..33).map(|_| tape.port()).collect();
    let mask = tape.load(ports[0]);
    for port in &ports[1..] {
        let column = tape.load(*port);
        let rows = tape.lut(AND, &[mask, column]);
        tape.query(Query::Count, rows);
    }
    tape.query(Query::Count, mask);
    let plan = Plan::new(&tape);
    assert_eq!((plan.ops.len(), plan.n_buffers, plan.reductions.len()), (33, 0, 33));
    // What has another use, or is one for zeros, is computed first; both share a buffer.
    let [a, b] = [1, 2].map(|idx| tape.load(ports[idx]));
    for table in [0b1001, 0b0111] {
        let equal = tape.lut(table, &[a, b]);
        tape.query(Query::Count, equal);
    }
    let plan = Plan::new(&tape);
    assert_eq!((plan.ops.len(), plan.n_buffers, plan.reductions.len()), (33 + 4, 1, 35));
}

/// Records the conjunction of this number of ports, in the first one.
fn conjunction(n_ports: usize) -> Tape {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..n_ports).map(|_| tape.port()).collect();
    let loads: Vec<ValueId> = ports.iter().map(|port| tape.load(*port)).collect();
    let all = loads[1..].iter().fold(loads[0], |all, load| tape.lut(AND, &[all, *load]));
    tape.store(ports[0], all);
    tape
}

#[test]
fn a_chain_may_begin_or_end_with_a_function_of_two() {
    assert_eq!(sizes(&conjunction(4)), (1, 1, 1), "one operation on four, and a copy");
    assert_eq!(sizes(&conjunction(6)), (2, 1, 0), "five, and one more in place");
    assert_eq!(sizes(&conjunction(8)), (2, 1, 0));
}

#[test]
fn a_buffer_is_reused_when_its_value_is_dead() {
    assert_eq!(sizes(&conjunction(33)), (8, 2, 0));
}

#[test]
fn a_port_used_only_by_a_reduction_is_read() {
    let mut tape = Tape::default();
    let [asked, unused] = [(); 2].map(|()| tape.port());
    let value = tape.load(asked);
    tape.load(unused);
    tape.query(Query::Count, value);
    let reads: Vec<bool> = Plan::new(&tape).ports.iter().map(|port| port.is_read).collect();
    assert_eq!(reads, [true, false]);
}

#[test]
fn ports_are_exchanged_and_dead_values_are_not_computed() {
    let mut tape = Tape::default();
    let [p, q] = [(); 2].map(|()| tape.port());
    let [a, b] = [tape.load(p), tape.load(q)];
    tape.lut(AND, &[a, b]);
    tape.store(p, b);
    tape.store(q, a);
    let plan = Plan::new(&tape);
    assert_eq!((plan.ops.len(), plan.copies.len()), (2, 2), "{plan:?}");
    tape.store(p, a);
    tape.store(q, b);
    assert_eq!(sizes(&tape), (0, 0, 0));
    assert!(tape.has_effect() && tape.is_loaded(p));
    tape.drop_store(p);
    tape.drop_store(q);
    assert!(!tape.has_effect());
}

#[test]
fn a_value_used_often_is_computed_once() {
    let mut tape = Tape::default();
    let ports: Vec<PortId> = (0..12).map(|_| tape.port()).collect();
    let loads: Vec<ValueId> = ports.iter().map(|port| tape.load(*port)).collect();
    let often = tape.lut(AND, &[loads[0], loads[1]]);
    for idx in 2..12 {
        let value = tape.lut(XOR, &[often, loads[idx]]);
        tape.store(ports[idx], value);
    }
    assert_eq!(sizes(&tape), (11, 1, 0));
}

/// The new content of the lines of a family: a function of the line itself, another one and a
/// shared one.
type Body = (fn(&mut Tape, [ValueId; 3]) -> ValueId, fn(bool, bool, bool) -> bool);

const BODIES: [Body; 5] = [
    (|tape, [x, y, _]| tape.lut(XOR, &[x, y]), |x, y, _| x != y),
    (|tape, [x, _, z]| tape.lut(0b0100, &[x, z]), |x, _, z| x && !z),
    (|tape, [x, _, z]| tape.lut(0b0001, &[x, z]), |x, _, z| !(x || z)),
    (|tape, [x, _, _]| tape.lut(0b01, &[x]), |x, _, _| !x),
    (
        |tape, [x, y, z]| {
            let mixed = tape.lut(XOR, &[x, y]);
            tape.lut(0b0100, &[mixed, z])
        },
        |x, y, z| x != y && !z,
    ),
];

#[test]
fn families_of_lines_run_line_by_line() {
    let mut random = Random(3);
    for n_bits in [1_usize, 64, 65, 130, 513, 700] {
        for (n_lines, gap) in [(1, 3), (3, 0), (40, 8), (41, 1)] {
            let gap = if gap == 8 { n_bits.div_ceil(64).wrapping_neg() % 8 } else { gap };
            let stride = n_bits.div_ceil(64) + gap;
            let lines = |random: &mut Random| -> Vec<Vec<bool>> {
                (0..n_lines).map(|_| random.bits(n_bits)).collect()
            };
            let (xs, ys, z) = (lines(&mut random), lines(&mut random), random.bits(n_bits));
            let pack = |lines: &[Vec<bool>]| -> Vec<u64> {
                let padded = lines.iter().flat_map(|bits| {
                    let bits = BitVector::from_bools(bits);
                    let mut limbs = bits.limbs().to_vec();
                    limbs.resize(stride, 0);
                    limbs
                });
                padded.collect()
            };
            let indices: Vec<usize> = (0..n_lines).filter(|_| random.below(3) > 0).collect();
            for (settings, (record, model)) in
                settings().into_iter().flat_map(|settings| BODIES.map(|body| (settings, body)))
            {
                let mut tape = Tape::default();
                let ports = [(); 3].map(|()| tape.port());
                let loads = ports.map(|port| tape.load(port));
                let value = record(&mut tape, loads);
                tape.store(ports[0], value);
                let plan = Plan::new(&tape);
                let (mut memory, others) = (pack(&xs), pack(&ys));
                let common = BitVector::from_bools(&z);
                // Only the ports that the plan uses need memory.
                let lanes = vec![
                    Lane::Written { limbs: &mut memory, stride },
                    Lane::Read { limbs: &others, stride },
                    Lane::Read { limbs: common.whole_lines(), stride: 0 },
                ];
                let limb = random.below(n_bits.div_ceil(64));
                let mut echoed = vec![7; n_lines];
                let echo = Echo { port: ports[0], limb, limbs: &mut echoed };
                with_parallelism(settings, Level::detect(), |parallelism| {
                    let strips = Strips::new(parallelism, &plan, n_bits);
                    strips.lines(lanes, Some(echo), &indices).unwrap();
                });
                let mut wanted = xs.clone();
                for &idx in &indices {
                    for (i, bit) in wanted[idx].iter_mut().enumerate() {
                        *bit = model(*bit, ys[idx][i], z[i]);
                    }
                }
                assert_eq!(memory, pack(&wanted), "{n_bits} bits");
                for (idx, echoed) in echoed.into_iter().enumerate() {
                    let changed = indices.contains(&idx);
                    assert_eq!(echoed, if changed { memory[idx * stride + limb] } else { 7 });
                }
            }
        }
    }
}

/// Handing work to threads takes longer than processing a few kilobytes.
#[test]
fn short_work_stays_on_its_thread() {
    let mut tape = Tape::default();
    let [p, q] = [(); 2].map(|()| tape.port());
    let value = tape.load(p);
    tape.store(q, value);
    let plan = Plan::new(&tape);
    // No other test requests five threads.
    let settings = Settings { threads: Some(5), ..Settings::default() };
    with_parallelism(settings, Level::Baseline, |parallelism| {
        for (n_lines, is_long) in [(24, false), (2 * settings.parallel_limbs / 80, true)] {
            let (from, mut to) = (vec![5; 80 * n_lines], vec![0; 80 * n_lines]);
            let indices: Vec<usize> = (0..n_lines).collect();
            let lanes = vec![
                Lane::Read { limbs: &from, stride: 80 },
                Lane::Written { limbs: &mut to, stride: 80 },
            ];
            let strips = Strips::new(parallelism, &plan, 80 * 64);
            strips.lines(lanes, None, &indices).unwrap();
            assert_eq!((to, Pool::of(Some(5)).is_made()), (from, is_long), "{n_lines}");
        }
    });
}

#[test]
fn a_port_without_memory_is_a_fault() {
    let mut tape = Tape::default();
    let [p, q] = [(); 2].map(|()| tape.port());
    let value = tape.load(p);
    tape.store(q, value);
    let plan = Plan::new(&tape);
    with_parallelism(Settings::default(), Level::Baseline, |parallelism| {
        let strips = Strips::new(parallelism, &plan, 64);
        let lane = || Lane::Read { limbs: &[7], stride: 0 };
        assert!(strips.line(vec![lane(), lane()]).is_err(), "a store to what is only read");
        assert!(strips.line(vec![lane()]).is_err());
        assert!(strips.lines(vec![lane(), lane()], None, &[0]).is_err(), "likewise");
    });
}
