//! Random tapes, planned and run with settings that cross every border, against the same operations on
//! `Vec<bool>` in the order in which they were recorded.

use std::sync::atomic::AtomicBool;

use star_base::BitVector;

use super::plan::Location;
use super::*;
use crate::budget::MemoryBudget;
use crate::cpu::Settings;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::pool::Pool;
use crate::kernels::{Kernels, Level};

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

/// A tape, and what each value of it is for these ports.
struct Recording {
    tape: Tape,
    ports: Vec<Vec<bool>>,
    values: Vec<(ValueId, Vec<bool>)>,
    stores: Vec<Option<Vec<bool>>>,
    answers: Vec<Answer>,
}

fn record(random: &mut Random, n_bits: usize, n_ops: usize) -> Recording {
    let n_ports = 1 + random.below(6);
    let ports: Vec<Vec<bool>> = (0..n_ports).map(|_| random.bits(n_bits)).collect();
    let mut tape = Tape::default();
    let ids: Vec<PortId> = ports.iter().map(|_| tape.port()).collect();
    let mut values = vec![(tape.constant(false), vec![false; n_bits])];
    let mut stores: Vec<Option<Vec<bool>>> = vec![None; n_ports];
    let mut answers = Vec::new();
    for _ in 0..n_ops {
        let port = random.below(n_ports);
        let (value, bits) = values[random.below(values.len())].clone();
        match random.below(12) {
            0..3 => {
                let now = stores[port].clone().unwrap_or_else(|| ports[port].clone());
                values.push((tape.load(ids[port]), now));
            }
            3 => {
                tape.store(ids[port], value);
                stores[port] = Some(bits);
            }
            4 if random.below(4) == 0 => {
                tape.drop_store(ids[port]);
                stores[port] = None;
            }
            5 if random.below(2) == 0 => {
                let bit = random.below(2) == 1;
                values.push((tape.constant(bit), vec![bit; n_bits]));
            }
            6 => {
                let first = bits.iter().position(|bit| *bit);
                let count = bits.iter().filter(|bit| **bit).count() as u64;
                let (reduction, answer) = match random.below(3) {
                    0 => (Reduction::First, Answer::First(first)),
                    1 => (Reduction::Count, Answer::Count(count)),
                    _ => (Reduction::All, Answer::All(count == n_bits as u64)),
                };
                tape.reduce(reduction, value);
                answers.push(answer);
            }
            _ => {
                let arity = 1 + random.below(3);
                // Mostly of late values, so that there are long chains.
                let pick = |random: &mut Random| {
                    let from =
                        if random.below(3) == 0 { 0 } else { values.len().saturating_sub(4) };
                    values[from + random.below(values.len() - from)].clone()
                };
                let of: Vec<(ValueId, Vec<bool>)> = (0..arity).map(|_| pick(random)).collect();
                // Conjunctions as often as all others together, so that there are chains.
                let table = match random.below(2) {
                    0 => 1 << random.below(1 << arity),
                    _ => random.below(1 << (1 << arity)) as u8,
                };
                let inputs: Vec<ValueId> = of.iter().map(|(value, _)| *value).collect();
                let at =
                    |i: usize| of.iter().fold(0, |idx, (_, bits)| idx << 1 | u8::from(bits[i]));
                let bits = (0..n_bits).map(|i| table >> at(i) & 1 == 1).collect();
                values.push((tape.lut(table, &inputs), bits));
            }
        }
    }
    Recording { tape, ports, values, stores, answers }
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

/// Runs a plan over one line.
fn run(recording: &Recording, plan: &Plan, n_bits: usize, parallelism: &Parallelism<'_>) {
    let mut memory: Vec<BitVector> =
        recording.ports.iter().map(|bits| BitVector::from_bools(bits)).collect();
    let lanes = memory.iter_mut().zip(&plan.ports).map(|(bits, port)| match port.is_written {
        true => Lane::Written { limbs: bits.limbs_mut(), stride: 0 },
        false => Lane::Read { limbs: bits.limbs(), stride: 0 },
    });
    let lanes = lanes.collect();
    let answers = Strips { parallelism, plan, n_bits }.line(lanes).unwrap();
    assert_eq!(answers, recording.answers, "{plan:?}");
    for ((bits, before), stored) in memory.iter().zip(&recording.ports).zip(&recording.stores) {
        let wanted = BitVector::from_bools(stored.as_ref().unwrap_or(before));
        assert_eq!(*bits, wanted, "{plan:?}");
    }
}

#[test]
fn random_tapes_give_what_their_operations_do() {
    let mut random = Random(1);
    for round in 0..600 {
        let n_bits = [1, 63, 64, 65, 130, 700, 2900][round % 7];
        let n_ops = 1 + random.below(40);
        let recording = record(&mut random, n_bits, n_ops);
        let plan = Plan::new(&recording.tape);
        let level = Level::supported()[round % Level::supported().len()];
        with_parallelism(settings()[round / 7 % 3], level, |parallelism| {
            run(&recording, &plan, n_bits, parallelism);
        });
    }
}

/// A tape of searches: a mask that gets less and what it finds, now and then with something else in between.
fn record_searches(random: &mut Random, n_bits: usize, n_steps: usize) -> Recording {
    let mut tape = Tape::default();
    let ports: Vec<Vec<bool>> = (0..12).map(|_| random.bits(n_bits)).collect();
    let ids: Vec<PortId> = ports.iter().map(|_| tape.port()).collect();
    let mut values: Vec<(ValueId, Vec<bool>)> =
        ids.iter().zip(&ports).map(|(id, bits)| (tape.load(*id), bits.clone())).collect();
    let mut apply = |table: u8, of: &[&(ValueId, Vec<bool>)]| {
        let inputs: Vec<ValueId> = of.iter().map(|(value, _)| *value).collect();
        let at = |i: usize| of.iter().fold(0, |idx, (_, bits)| idx << 1 | u8::from(bits[i]));
        let bits = (0..n_bits).map(|i| table >> at(i) & 1 == 1).collect();
        (tape.lut(table, &inputs), bits)
    };
    let (mut mask, mut found) = (values[0].clone(), values[1].clone());
    // Each slice may be held as its complement.
    let (and, or) = ([AND, 0b0001], [0b1110, 0b0111]);
    let [by_mask, by_found] = [random.below(2), random.below(2)];
    let active = |table: u8, is_complemented: usize| match is_complemented {
        0 => table,
        // The first input, complemented.
        _ => (table & 3) << 2 | table >> 2,
    };
    for _ in 0..n_steps {
        let [x, y] = [(); 2].map(|()| values[random.below(values.len())].clone());
        let input = match random.below(3) {
            0 => apply([0b0110, 0b1001, 0b0010][random.below(3)], &[&x, &y]),
            1 => apply(0b01, &[&x]),
            _ => x.clone(),
        };
        if random.below(4) > 0 {
            let given = match random.below(4) {
                0 => apply(active(AND, by_mask), &[&mask, &input]),
                1 => apply(active(0b0100, by_mask), &[&mask, &input]),
                2 => apply(active(AND, by_mask), &[&mask, &y]),
                _ => apply(active(0b1100, by_mask), &[&mask, &input]),
            };
            let table = if by_found == 0 { OR } else { 0b0100 };
            found = apply(table, &[&found, &given]);
        }
        if random.below(5) > 0 {
            let table = [0b1000, 0b0100][random.below(2)];
            let table = if by_mask == 0 { table } else { [or[0], 0b1101][random.below(2)] };
            mask = apply(table, &[&mask, &input]);
        }
        match random.below(20) {
            0 => values.push(mask.clone()),
            1 => values.push(found.clone()),
            2 => mask = apply(and[0], &[&mask, &values[random.below(12)].clone()]),
            3 => found = values[random.below(12)].clone(),
            _ => {}
        }
    }
    let mut stores = vec![None; ports.len()];
    let mut put = |to: usize, (value, bits): &(ValueId, Vec<bool>)| {
        tape.store(ids[to], *value);
        stores[to] = Some(bits.clone());
    };
    put(1, &found);
    if random.below(2) == 0 {
        put(random.below(12), &mask);
    }
    let count = found.1.iter().filter(|bit| **bit).count() as u64;
    tape.reduce(Reduction::Count, found.0);
    Recording { tape, ports, values, stores, answers: vec![Answer::Count(count)] }
}

#[test]
fn random_searches_give_what_their_operations_do() {
    let mut random = Random(4);
    let mut n_cascades = 0;
    for round in 0..1500 {
        let n_bits = [1, 63, 64, 65, 130, 700, 2900][round % 7];
        let n_steps = 1 + random.below(24);
        let recording = record_searches(&mut random, n_bits, n_steps);
        let plan = Plan::new(&recording.tape);
        n_cascades += plan.n_cascades();
        let level = Level::supported()[round % Level::supported().len()];
        with_parallelism(settings()[round / 7 % 3], level, |parallelism| {
            run(&recording, &plan, n_bits, parallelism);
        });
    }
    assert!(n_cascades > 1500, "{n_cascades}");
}

/// A search below a number as the library has it: how many operations a plan of it has, and how many with two results.
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
        tape.reduce(Reduction::Count, mask);
    }
    let plan = Plan::new(&tape);
    (plan.ops.len(), plan.n_cascades())
}

#[test]
fn a_search_takes_four_columns_at_a_time() {
    // Two slices that are begun, and eight times four columns.
    assert_eq!(search(&[true; 32], true), (2 + 8, 8));
    assert_eq!(search(&[true, true], true), (2 + 1, 1));
    let mixed: Vec<bool> = (0..32).map(|idx| idx % 3 > 0).collect();
    let (n_ops, n_cascades) = search(&mixed, false);
    assert!(n_cascades >= 6 && n_ops <= n_cascades + 5, "{n_ops} {n_cascades}");
    assert_eq!(search(&[true], true).1, 0, "one step is no cascade");
}

#[test]
fn what_somebody_else_needs_is_not_hidden_in_a_search() {
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

/// The operations of a plan, its buffers and its copies.
fn sizes(tape: &Tape) -> (usize, usize, usize) {
    let plan = Plan::new(tape);
    (plan.ops.len(), plan.n_buffers, plan.copies.len())
}

const AND: u8 = 0b1000;
const OR: u8 = 0b1110;
const XOR: u8 = 0b0110;

#[test]
fn a_full_adder_is_two_operations() {
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
    // The carry is made where the one that comes in lies, but for the buffer that three operands need.
    assert_eq!(sizes(&tape), (2, 1, 1));
}

#[test]
fn a_chain_takes_four_operands_at_a_time_and_no_buffer_beside_its_port() {
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
    tape.reduce(Reduction::Count, all);
    let plan = Plan::new(&tape);
    assert_eq!(plan.reductions, [(Reduction::Count, Location::Port(ports[0]))]);
}

/// The conjunction of so many ports, in the first one.
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
fn a_buffer_is_used_again_when_nobody_needs_what_it_holds() {
    assert_eq!(sizes(&conjunction(33)), (8, 2, 0));
}

#[test]
fn a_port_that_is_only_asked_about_is_read() {
    let mut tape = Tape::default();
    let [asked, unused] = [(); 2].map(|()| tape.port());
    let value = tape.load(asked);
    tape.load(unused);
    tape.reduce(Reduction::Count, value);
    let reads: Vec<bool> = Plan::new(&tape).ports.iter().map(|port| port.is_read).collect();
    assert_eq!(reads, [true, false]);
}

#[test]
fn ports_are_exchanged_and_what_nobody_stores_is_not_made() {
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
fn a_value_used_often_is_made_once() {
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

/// What the lines of a family become: a function of the line itself, another one and one that all share.
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
                // Only what the plan uses has to be there.
                let lanes = vec![
                    Lane::Written { limbs: &mut memory, stride },
                    Lane::Read { limbs: &others, stride },
                    Lane::Read { limbs: common.whole_lines(), stride: 0 },
                ];
                let limb = (n_bits - 1) / 64;
                let mut echoed = vec![7; n_lines];
                let echo = Echo { port: ports[0], limb, limbs: &mut echoed };
                with_parallelism(settings, Level::detect(), |parallelism| {
                    let strips = Strips { parallelism, plan: &plan, n_bits };
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

/// Handing work to threads takes longer than a few kilobytes do.
#[test]
fn short_work_stays_on_its_thread() {
    let mut tape = Tape::default();
    let [p, q] = [(); 2].map(|()| tape.port());
    let value = tape.load(p);
    tape.store(q, value);
    let plan = Plan::new(&tape);
    // No other test asks for so many.
    let settings = Settings { threads: Some(5), ..Settings::default() };
    with_parallelism(settings, Level::Baseline, |parallelism| {
        for (n_lines, is_long) in [(24, false), (2 * settings.parallel_limbs / 80, true)] {
            let (from, mut to) = (vec![5; 80 * n_lines], vec![0; 80 * n_lines]);
            let indices: Vec<usize> = (0..n_lines).collect();
            let lanes = vec![
                Lane::Read { limbs: &from, stride: 80 },
                Lane::Written { limbs: &mut to, stride: 80 },
            ];
            let strips = Strips { parallelism, plan: &plan, n_bits: 80 * 64 };
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
        let strips = Strips { parallelism, plan: &plan, n_bits: 64 };
        let lane = || Lane::Read { limbs: &[7], stride: 0 };
        assert!(strips.line(vec![lane(), lane()]).is_err(), "a store to what is only read");
        assert!(strips.line(vec![lane()]).is_err());
        assert!(strips.lines(vec![lane(), lane()], None, &[0]).is_err(), "likewise");
    });
}
