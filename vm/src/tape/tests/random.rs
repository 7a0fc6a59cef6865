//! Random tapes, planned and run with settings that cross every boundary, against the same
//! operations on `Vec<bool>` in the recorded order.

use star_ir::Query;
use star_value::BitVector;

use super::super::*;
use super::{AND, OR, Random, XOR, settings, with_parallelism};
use crate::cpu::parallelism::Parallelism;
use crate::kernels::Level;

/// A tape, and the expected content of each of its values for these ports.
pub(super) struct Recording {
    tape: Tape,
    ports: Vec<Vec<bool>>,
    pub(super) values: Vec<(ValueId, Vec<bool>)>,
    stores: Vec<Option<Vec<bool>>>,
    answers: Vec<Answer>,
}

pub(super) fn record(random: &mut Random, n_bits: usize, n_ops: usize) -> Recording {
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
                let (query, answer) = match random.below(3) {
                    0 => (Query::First, Answer::First(first)),
                    1 => (Query::Count, Answer::Count(count)),
                    _ => (Query::All, Answer::All(count == n_bits as u64)),
                };
                tape.query(query, value);
                answers.push(answer);
            }
            _ => {
                let arity = 1 + random.below(3);
                // Mostly late values, so that there are long chains.
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

/// Runs a plan over one line.
fn run(recording: &Recording, plan: &Plan, n_bits: usize, parallelism: &Parallelism<'_>) {
    let mut memory: Vec<BitVector> =
        recording.ports.iter().map(|bits| BitVector::from_bools(bits)).collect();
    let lanes = memory.iter_mut().zip(&plan.ports).map(|(bits, port)| match port.is_written {
        true => Lane::Written { limbs: bits.limbs_mut(), stride: 0 },
        false => Lane::Read { limbs: bits.limbs(), stride: 0 },
    });
    let lanes = lanes.collect();
    let answers = Strips::new(parallelism, plan, n_bits).line(lanes).unwrap();
    assert_eq!(answers, recording.answers, "{plan:?}");
    for ((bits, before), stored) in memory.iter().zip(&recording.ports).zip(&recording.stores) {
        let wanted = BitVector::from_bools(stored.as_ref().unwrap_or(before));
        assert_eq!(*bits, wanted, "{plan:?}");
    }
}

#[test]
fn random_tapes_agree_with_their_operations() {
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

/// Records a tape of searches: a narrowing mask and the rows found, occasionally with another
/// operation in between.
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
    // Each slice may be stored as its complement.
    let (and, or) = ([AND, 0b0001], [0b1110, 0b0111]);
    let [by_mask, by_found] = [random.below(2), random.below(2)];
    // The rows of earlier searches, which are combined with those of the last one.
    let mut earlier = Vec::new();
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
            4 => {
                earlier.push(found);
                mask = values[random.below(12)].clone();
                found = values[random.below(12)].clone();
            }
            _ => {}
        }
    }
    for rows in earlier {
        found = apply([AND, 0b0100, 0b0010, OR, 0b1101, 0b0110][random.below(6)], &[&found, &rows]);
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
    tape.query(Query::Count, found.0);
    Recording { tape, ports, values, stores, answers: vec![Answer::Count(count)] }
}

#[test]
fn random_searches_agree_with_their_operations() {
    let mut random = Random(4);
    let (mut n_cascades, mut n_narrowed) = (0, 0);
    for round in 0..1500 {
        let n_bits = [1, 63, 64, 65, 130, 700, 2900][round % 7];
        let n_steps = 1 + random.below(24);
        let recording = record_searches(&mut random, n_bits, n_steps);
        let plan = Plan::new(&recording.tape);
        n_cascades += plan.n_cascades();
        n_narrowed += plan.n_narrowed;
        let level = Level::supported()[round % Level::supported().len()];
        with_parallelism(settings()[round / 7 % 3], level, |parallelism| {
            run(&recording, &plan, n_bits, parallelism);
        });
    }
    assert!(n_cascades > 1500 && n_narrowed > 100, "{n_cascades} {n_narrowed}");
}

/// Records a tape of sums and differences of columns, sometimes with another operation in between,
/// and with values that other operations use, too.
fn record_sums(random: &mut Random, n_bits: usize, n_columns: usize) -> Recording {
    let mut tape = Tape::default();
    let ports: Vec<Vec<bool>> = (0..16).map(|_| random.bits(n_bits)).collect();
    let ids: Vec<PortId> = ports.iter().map(|_| tape.port()).collect();
    let mut values: Vec<(ValueId, Vec<bool>)> =
        ids.iter().zip(&ports).map(|(id, bits)| (tape.load(*id), bits.clone())).collect();
    let mut stores: Vec<Option<Vec<bool>>> = vec![None; ports.len()];
    let apply = |tape: &mut Tape, table: u8, of: &[&(ValueId, Vec<bool>)]| {
        let inputs: Vec<ValueId> = of.iter().map(|(value, _)| *value).collect();
        let at = |i: usize| of.iter().fold(0, |idx, (_, bits)| idx << 1 | u8::from(bits[i]));
        let bits = (0..n_bits).map(|i| table >> at(i) & 1 == 1).collect();
        (tape.lut(table, &inputs), bits)
    };
    let first = random.below(16);
    let (mask, mut carry) = (values[random.below(16)].clone(), values[first].clone());
    let is_masked = random.below(3) > 0;
    let is_borrow = random.below(2) == 1;
    for _ in 0..n_columns {
        let [a, b] = [(); 2].map(|()| values[random.below(values.len())].clone());
        let different = apply(&mut tape, XOR, &[&a, &b]);
        let mut sum = apply(&mut tape, XOR, &[&different, &carry]);
        if is_masked && random.below(20) > 0 {
            sum = apply(&mut tape, AND, &[&mask, &sum]);
        }
        let to = random.below(16);
        tape.store(ids[to], sum.0);
        stores[to] = Some(sum.1.clone());
        let table = if is_borrow { 0b0010 } else { AND };
        let made = apply(&mut tape, table, &[&a, &b]);
        let table = if is_borrow { 0b0100 } else { AND };
        let kept = apply(&mut tape, table, &[&carry, &different]);
        carry = apply(&mut tape, OR, &[&made, &kept]);
        match random.below(24) {
            0 => values.push(carry.clone()),
            1 => values.push(sum),
            2 => values.push(different),
            3 => carry = apply(&mut tape, 0b01, &[&carry]),
            _ => {}
        }
    }
    if random.below(2) == 0 {
        let to = if random.below(2) == 0 { first } else { random.below(16) };
        tape.store(ids[to], carry.0);
        stores[to] = Some(carry.1.clone());
    }
    let count = carry.1.iter().filter(|bit| **bit).count() as u64;
    tape.query(Query::Count, carry.0);
    Recording { tape, ports, values, stores, answers: vec![Answer::Count(count)] }
}

#[test]
fn random_sums_agree_with_their_operations() {
    let mut random = Random(5);
    let (mut n_added, mut n_in_place) = (0, 0);
    for round in 0..1500 {
        let n_bits = [1, 63, 64, 65, 130, 700, 2900][round % 7];
        let n_columns = 1 + random.below(12);
        let recording = record_sums(&mut random, n_bits, n_columns);
        let plan = Plan::new(&recording.tape);
        n_added += plan.n_added();
        n_in_place += plan.n_carries_in_ports();
        let level = Level::supported()[round % Level::supported().len()];
        with_parallelism(settings()[round / 7 % 3], level, |parallelism| {
            run(&recording, &plan, n_bits, parallelism);
        });
    }
    assert!(n_added > 4000 && n_in_place > 10, "{n_added} {n_in_place}");
}
