//! The intrinsic of FLOYD: lengths that it accepts, lengths that it leaves to the Star body, and
//! distances from an independent algorithm.

use star_base::intrinsics::catalogue::paths::MIN_PLUS;
use star_tests::backends::{Compiled, Mode, backends};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};
use star_vm::{Limits, Outcome};

use super::subject::caller;

/// Lengths, by the start of the path; `None` where there is no arc.
type Lengths = Vec<Vec<Option<u64>>>;

/// Generates arcs with the given percentage, of lengths up to `greatest`; a vertex has length 0 to
/// itself, or none if `open`.
fn random_lengths(
    n: usize,
    percent: usize,
    greatest: u64,
    open: bool,
    random: &mut Random,
) -> Lengths {
    let length = |from: usize, to: usize, random: &mut Random| match from == to {
        true => (!open || random.chance(50)).then_some(0),
        false => random.chance(percent).then(|| random.below(greatest as usize + 1) as u64),
    };
    (0..n).map(|from| (0..n).map(|to| length(from, to, random)).collect()).collect()
}

/// Builds numbers of `h` bits in fields, all ones for none.
fn table_of(lengths: &Lengths, h: usize) -> BitTable {
    let n = lengths.len();
    let mut table = BitTable::zeros(n, n * h).expect("small");
    for (from, row) in lengths.iter().enumerate() {
        for (to, length) in row.iter().enumerate() {
            let number = length.unwrap_or(u64::MAX);
            (0..h).for_each(|bit| table.put(from, to * h + bit, number >> (h - 1 - bit) & 1 == 1));
        }
    }
    table
}

/// Runs Floyd's algorithm over integers.
fn closed(mut lengths: Lengths) -> Lengths {
    for k in 0..lengths.len() {
        let pivot = lengths[k].clone();
        for row in &mut lengths {
            let Some(first) = row[k] else { continue };
            for (length, second) in row.iter_mut().zip(&pivot) {
                if let Some(second) = second
                    && length.is_none_or(|length| first + second < length)
                {
                    *length = Some(first + second);
                }
            }
        }
    }
    lengths
}

fn arguments(lengths: &Lengths, h: usize, inf: Vec<bool>) -> Vec<Value> {
    vec![
        Value::Int(lengths.len() as i64),
        Value::Int(h as i64),
        Value::Word(BitVector::from_bools(&inf)),
        Value::from(table_of(lengths, h)),
    ]
}

/// Builds the program with FLOYD as the entry and called.
fn program() -> Program {
    Program::new(&caller(MIN_PLUS, "FLOYD"))
}

fn takes(machine: &Compiled) -> bool {
    machine.takes(MIN_PLUS)
}

#[test]
fn distances_agree_or_fall_back_to_the_star_body() {
    let program = program();
    let entries = [program.entry("TRY"), program.lowered.program.find("FLOYD").expect("called")];
    let machines = program.compile_on(&backends());
    let mut random = Random::new(1962);
    let (mut n_taken, mut n_left) = (0, 0);
    for round in 0..60 {
        let n: usize = [0, 1, 2, 3, 5, 8, 9][random.below(7)];
        let h = [1, 2, 4, 5, 7, 9][random.below(6)];
        let open = random.chance(30);
        let arcs = if open { n } else { n.saturating_sub(1).max(1) } as u64;
        // The greatest length that is certainly accepted, and one above it.
        let most = ((1_u64 << (h - 1)) - 1) / arcs.max(1);
        let greatest = if random.chance(30) { most + 1 } else { most };
        let mut lengths =
            random_lengths(n, [20, 60, 100][random.below(3)], greatest, open, &mut random);
        if n > 1 && random.chance(80) {
            lengths[0][n - 1] = Some(greatest);
        }
        let mut inf = vec![true; h];
        inf[0] = !random.chance(5);
        let expects_intrinsic = {
            let all = lengths.iter().flatten();
            // All ones do not represent a length.
            let top = all.flatten().copied().filter(|&it| it != (1 << h) - 1).max().unwrap_or(0);
            let ones = (1 << h) - 1;
            let is_open = (0..n).any(|v| lengths[v][v].is_none_or(|length| length == ones));
            let arcs = if is_open { n } else { n.saturating_sub(1).max(1) } as u64;
            n == 0 || inf[0] && top * arcs < 1 << (h - 1)
        };
        let args = arguments(&lengths, h, inf);
        for entry in entries {
            let expected = machines[0].run(entry, &args, LIMITS);
            for machine in &machines[1..] {
                let found = machine.run(entry, &args, LIMITS);
                let context = format!("{}, round {round}, n={n}, h={h}, {lengths:?}", machine.name);
                let difference = difference(&program, &expected, &found, Mode::AsLowered);
                assert_eq!(difference, None, "{context}");
                let intrinsics = u64::from(takes(machine) && expects_intrinsic);
                assert_eq!(found.stats.intrinsics, intrinsics, "{context}");
            }
        }
        *(if expects_intrinsic { &mut n_taken } else { &mut n_left }) += 1;
    }
    assert!(n_taken >= 20 && n_left >= 8, "{n_taken} taken, {n_left} left");
}

#[test]
fn distances_are_correct_at_every_limit() {
    let program = program();
    let entry = program.entry("TRY");
    let mut machines = program.compile_on(&backends());
    machines.retain(takes);
    let mut random = Random::new(1963);
    let limits = Limits { steps: None, ..LIMITS };
    for n in [1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 190, 257] {
        for (percent, h) in [(3, 32), (60, 20), (100, 31)] {
            let most = ((1_u64 << (h - 1).min(30)) - 1) / (n as u64 - 1).max(1);
            let lengths = random_lengths(n, percent, most.min(40_000_000), false, &mut random);
            let expected = Value::from(table_of(&closed(lengths.clone()), h));
            for machine in &machines {
                let found = machine.run(entry, &arguments(&lengths, h, vec![true; h]), limits);
                let context = format!("{}, n={n}, {percent} %, h={h}", machine.name);
                assert_eq!(
                    (found.outcome, found.stats.intrinsics),
                    (Outcome::Done, 1),
                    "{context}"
                );
                assert!(found.values[3] == expected, "{context}");
            }
        }
    }
}

#[test]
fn without_memory_for_integers_the_star_body_runs() {
    let program = program();
    let entry = program.entry("TRY");
    let mut machines = program.compile_on(&backends());
    machines.retain(takes);
    let lengths = random_lengths(20, 30, 10, false, &mut Random::new(1964));
    let args = arguments(&lengths, 9, vec![true; 9]);
    for machine in &machines {
        let wide = machine.run(entry, &args, LIMITS);
        let tight = machine.run(entry, &args, Limits { memory: Some(20 * 9 * 8 + 1400), ..LIMITS });
        assert_eq!((wide.stats.intrinsics, tight.stats.intrinsics), (1, 0), "{}", machine.name);
        assert_eq!(difference(&program, &tight, &wide, Mode::AsLowered), None);
    }
}
