//! The intrinsic of DIJKSTRA: graphs that it accepts, in every form, and calls that it leaves to
//! the Star body.

use star_base::intrinsics::catalogue::paths::DIJKSTRA;
use star_tests::backends::{Compiled, Mode, backends};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};
use star_vm::Limits;

use super::subject::{self, caller, table_of};

/// A graph, and the other arguments of DIJKSTRA.
struct Call {
    n: usize,
    start: i64,
    h: i64,
    inf: Vec<bool>,
    graph: BitTable,
    weights: BitTable,
    code: BitTable,
}

impl Call {
    /// Generates few or many arcs, weights below `2^(h-1)` of which many are equal, arbitrary bits
    /// where there is no arc, codes in some order.
    fn random(n: usize, h: usize, random: &mut Random) -> Call {
        let percent = [5, 20, 60, 100][random.below(4)];
        let arcs: Vec<bool> = (0..n * n).map(|_| random.chance(percent)).collect();
        // Sums mostly stay below 2^(h-1) as well.
        let most = match random.below(5) {
            0 => 1_u64 << (h - 1).min(62),
            1 => 1,
            _ => ((1_u64 << (h - 1)) / n as u64).max(1),
        };
        let mut numbers: Vec<u64> = Vec::new();
        for is_arc in &arcs {
            let weight = (random.below(1 << 20) as u64 * 1_000_003) % most;
            numbers.push(if *is_arc { weight } else { [weight, !0][random.below(2)] });
        }
        let b = n.ilog2() as usize + 1;
        let first = random.below(n);
        let code = |row: usize| (row + first) % n + 1;
        Call {
            n,
            start: 1 + random.below(n) as i64,
            h: h as i64,
            inf: vec![true; h],
            graph: table_of(n, n, |from, to| arcs[from * n + to]),
            // Field k of row i: from k to i.
            weights: table_of(n, n * h, |to, col| {
                numbers[col / h * n + to] >> (h - 1 - col % h) & 1 == 1
            }),
            code: table_of(n, b, |row, col| code(row) >> (b - 1 - col) & 1 == 1),
        }
    }

    fn arguments(&self) -> Vec<Value> {
        vec![
            Value::Int(self.start),
            Value::Int(self.h),
            Value::Word(BitVector::from_bools(&self.inf)),
            Value::from(self.graph.clone()),
            Value::from(self.weights.clone()),
            Value::from(self.code.clone()),
            Value::Unset,
            Value::Unset,
        ]
    }

    fn length(&self, from: usize, to: usize) -> u64 {
        let h = self.h as usize;
        (0..h).fold(0, |length, bit| length * 2 + u64::from(self.weights.get(to, from * h + bit)))
    }

    /// Returns whether nothing traps and the intrinsic accepts the call, by repeated search for the
    /// nearest vertex.
    fn is_taken(&self) -> bool {
        let (n, h) = (self.n, self.h as usize);
        let has_code = |row: usize| (0..self.code.n_cols()).any(|col| self.code.get(row, col));
        if !self.inf.iter().all(|bit| *bit) || !(0..n).all(has_code) {
            return false;
        }
        let mut left: Vec<usize> = (0..n).collect();
        let mut lengths = vec![u64::MAX; n];
        lengths[self.start as usize - 1] = 0;
        while let Some(&next) = left.iter().min_by_key(|vertex| (lengths[**vertex], **vertex)) {
            left.retain(|vertex| *vertex != next);
            let length = lengths[next];
            if length == u64::MAX {
                break;
            }
            for &to in left.iter().filter(|to| self.graph.get(next, **to)) {
                let arc = self.length(next, to);
                if (length | arc) >> (h - 1) != 0 {
                    return false;
                }
                lengths[to] = lengths[to].min(length + arc);
            }
        }
        true
    }
}

/// Builds the program with DIJKSTRA as the entry and called.
fn program() -> Program {
    Program::new(&caller(DIJKSTRA, "DIJKSTRA"))
}

/// See [`subject::same_everywhere`].
fn same_everywhere(program: &Program, machines: &[Compiled], args: &[Value], context: &str) -> u64 {
    subject::same_everywhere((program, machines), (DIJKSTRA, "DIJKSTRA"), args, context)
}

#[test]
fn paths_agree_or_fall_back_to_the_star_body() {
    let program = program();
    let machines = program.compile_on(&backends());
    let any_takes = machines.iter().any(|machine| machine.takes(DIJKSTRA));
    let mut random = Random::new(1959);
    let (mut n_taken, mut n_left) = (0, 0);
    for round in 0..120 {
        let n = [1, 2, 3, 5, 9, 17, 40][random.below(7)];
        let h = [1, 2, 5, 9, 20, 33, 40][random.below(7)];
        let mut call = Call::random(n, h, &mut random);
        match random.below(12) {
            0 => call.inf[random.below(h)] = false,
            1 => {
                let row = random.below(n);
                (0..call.code.n_cols()).for_each(|col| call.code.put(row, col, false));
            }
            _ => {}
        }
        let expected = call.is_taken();
        let context = format!("round {round}, n = {n}, h = {h}");
        let intrinsics = same_everywhere(&program, &machines, &call.arguments(), &context);
        assert_eq!(intrinsics, u64::from(any_takes && expected), "{context}");
        *(if expected { &mut n_taken } else { &mut n_left }) += 1;
    }
    assert!(n_taken >= 40 && n_left >= 15, "{n_taken} taken, {n_left} left");
}

/// For each precondition, arguments that violate it alone: the Star body traps, or handles them.
#[test]
fn calls_violating_a_precondition_use_the_star_body() {
    let program = program();
    let machines = program.compile_on(&backends());
    let mut random = Random::new(1960);
    let table =
        |n_rows, n_cols| Value::from(table_of(n_rows, n_cols, |row, col| (row + col) % 3 > 0));
    for (parameter, value) in [
        (0, Value::Int(0)),
        (0, Value::Int(8)),
        (0, Value::Int(-1)),
        (1, Value::Int(0)),
        (1, Value::Int(5)),
        (2, Value::Word(BitVector::from_bools(&[true; 5]))),
        (3, table(7, 8)),
        (3, table(8, 7)),
        (4, table(8, 42)),
        (4, table(7, 43)),
        (5, table(6, 3)),
        (5, Value::from(table_of(9, 4, |_, _| true))),
        (5, Value::from(table_of(7, 0, |_, _| true))),
    ] {
        let mut args = Call::random(7, 6, &mut random).arguments();
        let context = format!("parameter {parameter}: {value:?}");
        args[parameter] = value;
        assert_eq!(same_everywhere(&program, &machines, &args, &context), 0, "{context}");
    }
    // More bits than the intrinsic supports, and exactly as many.
    for (h, intrinsics) in [(63, 0), (62, 1)] {
        let mut call = Call::random(6, 9, &mut random);
        call.h = h;
        call.inf = vec![true; h as usize];
        call.weights =
            table_of(6, 6 * h as usize, |row, col| col % h as usize > 50 && row % 2 == 0);
        let any_takes = machines.iter().any(|machine| machine.takes(DIJKSTRA));
        let context = format!("{h} bits");
        let found = same_everywhere(&program, &machines, &call.arguments(), &context);
        assert_eq!(found, if any_takes { intrinsics } else { 0 }, "{context}");
    }
}

#[test]
fn without_memory_for_a_heap_the_star_body_runs() {
    let program = program();
    let entry = program.entry("TRY");
    let mut machines = program.compile_on(&backends());
    machines.retain(|machine| machine.takes(DIJKSTRA));
    let mut random = Random::new(1961);
    let mut call = Call::random(150, 20, &mut random);
    while !call.is_taken() {
        call = Call::random(150, 20, &mut random);
    }
    let args = call.arguments();
    let wide = Limits { steps: None, ..LIMITS };
    let [graph, weights, code] = [&call.graph, &call.weights, &call.code].map(BitTable::n_bytes);
    // The tables, and some slices and copies of fields, but less than the 48 bytes for each vertex.
    let tight = Limits { memory: Some(graph + weights + code + 150 * 44), ..wide };
    for machine in &machines {
        let [wide, tight] = [wide, tight].map(|limits| machine.run(entry, &args, limits));
        assert_eq!((wide.stats.intrinsics, tight.stats.intrinsics), (1, 0), "{}", machine.name);
        assert_eq!(difference(&program, &tight, &wide, Mode::AsLowered), None, "{}", machine.name);
    }
}
