//! The intrinsic of BELLMAN_FORD: graphs that it accepts, with and without negative cycles, and
//! calls that it leaves to the Star body.

use star_base::intrinsics::catalogue::paths::BELLMAN_FORD;
use star_tests::backends::{Compiled, backends};
use star_tests::case::Random;
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Value};

use super::subject::{self, caller, table_of};

/// A graph, and the other arguments of BELLMAN_FORD.
struct Call {
    n: usize,
    start: i64,
    h: i64,
    inf: Vec<bool>,
    zero: Vec<bool>,
    graph: BitTable,
    weights: BitTable,
    code: BitTable,
}

/// The expected end of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Paths,
    NegativeCycle,
    /// A check fails, so that the intrinsic leaves the call to the Star body.
    Trap,
}

impl Call {
    /// Generates weights with mostly, or rarely, negative cycles, arbitrary bits where there is no
    /// arc, codes in some order, or some of them equal.
    fn random(n: usize, h: usize, random: &mut Random) -> Call {
        let percent = [5, 20, 60][random.below(3)];
        let arcs: Vec<bool> = (0..n * n).map(|_| random.chance(percent)).collect();
        let most = (1 << (h - 2).min(20)) / [1, 4, 4 * n][random.below(3)];
        let potentials: Vec<i64> = (0..n).map(|_| random.below(most / 2 + 1) as i64).collect();
        let falls = [0, 0, 1][random.below(3)];
        let mut numbers: Vec<i64> = Vec::new();
        for (at, is_arc) in arcs.iter().enumerate() {
            let slack = random.below(most / 2 + 1) as i64 - falls;
            let weight = potentials[at % n] - potentials[at / n] + slack;
            numbers.push(if *is_arc { weight } else { [weight, i64::MAX][random.below(2)] });
        }
        let b = n.ilog2() as usize + 1;
        let (first, n_codes) = (random.below(n), [n, n, n.div_ceil(2)][random.below(3)]);
        let code = |row: usize| (row + first) % n_codes + 1;
        Call {
            n,
            start: 1 + random.below(n) as i64,
            h: h as i64,
            inf: vec![true; h],
            zero: (0..h).map(|at| at == 0).collect(),
            graph: table_of(n, n, |from, to| arcs[from * n + to]),
            // Field k of row i: from k to i.
            weights: table_of(n, n * h, |to, col| {
                numbers[col / h * n + to] >> (h - 1 - col % h) & 1 == 1
            }),
            code: table_of(n, b, |row, col| code(row) >> (b - 1 - col) & 1 == 1),
        }
    }

    fn arguments(&self) -> Vec<Value> {
        let word = |bits: &[bool]| Value::Word(BitVector::from_bools(bits));
        vec![
            Value::Int(self.start),
            Value::Int(self.n as i64),
            Value::Int(self.h),
            word(&self.inf),
            word(&self.zero),
            Value::from(self.graph.clone()),
            Value::from(self.weights.clone()),
            Value::from(self.code.clone()),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ]
    }

    /// Returns the bits of a row from the given position on, as a number.
    fn number(table: &BitTable, row: usize, from: usize, n_bits: usize) -> u64 {
        let bit = |at: usize| u64::from(table.get(row, from + at));
        (0..n_bits).fold(0, |number, at| number * 2 + bit(at))
    }

    /// Computes the end as the text does, vertex by vertex.
    fn ends(&self) -> Ends {
        let (n, h) = (self.n, self.h as usize);
        let codes: Vec<u64> =
            (0..n).map(|row| Call::number(&self.code, row, 0, self.code.n_cols())).collect();
        let is_biased = self.zero.iter().enumerate().all(|(at, bit)| *bit == (at == 0));
        if !self.inf.iter().all(|bit| *bit) || !is_biased || codes.contains(&0) {
            return Ends::Trap;
        }
        let differ = |number: u64| (number >> (h - 1) ^ number >> (h - 2)) & 1 == 1;
        let greatest = (1_u64 << h) - 1;
        let (mut lengths, mut before) = (vec![greatest; n], vec![None; n]);
        lengths[self.start as usize - 1] = 1 << (h - 1);
        let mut front = vec![self.start as usize - 1];
        let (mut pass, mut look) = (0, 1);
        while !front.is_empty() && pass < n {
            pass += 1;
            let mut next = vec![false; n];
            for &from in &front {
                let length = lengths[from];
                let heads = || (0..n).filter(|to| self.graph.get(from, *to));
                let arc = |to: usize| Call::number(&self.weights, to, from * h, h);
                if !differ(length) || heads().any(|to| differ(arc(to))) {
                    return Ends::Trap;
                }
                for to in heads() {
                    let sum = (length + arc(to)) & greatest;
                    if sum < lengths[to] {
                        (lengths[to], before[to], next[to]) = (sum, Some(from), true);
                    }
                }
            }
            front = (0..n).filter(|vertex| next[*vertex]).collect();
            if pass == look {
                look *= 2;
                let first = |of: usize| codes.iter().position(|code| *code == codes[of]);
                let is_round = |vertex: usize| {
                    let mut at = Some(vertex);
                    (0..=n).for_each(|_| at = at.and_then(|at| before[at]).and_then(first));
                    at.is_some()
                };
                if (0..n).any(is_round) {
                    break;
                }
            }
        }
        if front.is_empty() { Ends::Paths } else { Ends::NegativeCycle }
    }
}

/// Builds the program with BELLMAN_FORD as the entry and called.
fn program() -> Program {
    Program::new(&caller(BELLMAN_FORD, "BELLMAN_FORD"))
}

/// See [`subject::same_everywhere`].
fn same_everywhere(program: &Program, machines: &[Compiled], args: &[Value], context: &str) -> u64 {
    let called = (BELLMAN_FORD, "BELLMAN_FORD");
    subject::same_everywhere((program, machines), called, args, context)
}

#[test]
fn paths_and_cycles_agree_or_fall_back_to_the_star_body() {
    let program = program();
    let machines = program.compile_on(&backends());
    let any_takes = machines.iter().any(|machine| machine.takes(BELLMAN_FORD));
    let mut random = Random::new(1958);
    let (mut n_paths, mut n_cycles, mut n_left) = (0, 0, 0);
    for round in 0..120 {
        let n = [1, 2, 3, 5, 9, 17, 40][random.below(7)];
        let h = [2, 5, 9, 20, 33, 40][random.below(6)];
        let mut call = Call::random(n, h, &mut random);
        match random.below(14) {
            0 => call.inf[random.below(h)] = false,
            1 => call.zero[random.below(h)] ^= true,
            2 => {
                let row = random.below(n);
                (0..call.code.n_cols()).for_each(|col| call.code.put(row, col, false));
            }
            _ => {}
        }
        let expected = call.ends();
        let context = format!("round {round}, n = {n}, h = {h}");
        let intrinsics = same_everywhere(&program, &machines, &call.arguments(), &context);
        let is_taken = any_takes && expected != Ends::Trap;
        assert_eq!(intrinsics, u64::from(is_taken), "{context}");
        *(match expected {
            Ends::Paths => &mut n_paths,
            Ends::NegativeCycle => &mut n_cycles,
            Ends::Trap => &mut n_left,
        }) += 1;
    }
    assert!(n_paths >= 25 && n_cycles >= 10 && n_left >= 20, "{n_paths}, {n_cycles}, {n_left}");
}

/// For each precondition, arguments that violate it alone: the Star body traps, or handles them.
#[test]
fn calls_violating_a_precondition_use_the_star_body() {
    let program = program();
    let machines = program.compile_on(&backends());
    let mut random = Random::new(1959);
    let table =
        |n_rows, n_cols| Value::from(table_of(n_rows, n_cols, |row, col| (row + col) % 3 > 0));
    let word = |n| Value::Word(BitVector::from_bools(&vec![true; n]));
    for (parameter, value) in [
        (0, Value::Int(0)),
        (0, Value::Int(8)),
        (1, Value::Int(6)),
        (2, Value::Int(0)),
        (2, Value::Int(1)),
        (2, Value::Int(5)),
        (3, word(5)),
        (4, word(7)),
        (5, table(7, 8)),
        (5, table(8, 7)),
        (6, table(8, 42)),
        (6, table(7, 43)),
        (7, table(6, 3)),
        (7, Value::from(table_of(7, 0, |_, _| true))),
        (7, Value::from(table_of(7, 33, |row, col| row == col || col == 32))),
    ] {
        let mut args = Call::random(7, 6, &mut random).arguments();
        let context = format!("parameter {parameter}: {value:?}");
        args[parameter] = value;
        assert_eq!(same_everywhere(&program, &machines, &args, &context), 0, "{context}");
    }
}
