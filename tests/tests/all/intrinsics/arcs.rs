//! The intrinsics of the module `arcs`: random lists of arcs that they accept, and calls that they
//! leave to the Star bodies.

use star_base::intrinsics::catalogue::{arcs, mst};
use star_base::intrinsics::{Intrinsic, Signature};
use star_tests::backends::backends;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};

use super::subject::{caller, same_everywhere, table_of};

/// The intrinsics with their routines.
const ALL: [(Intrinsic, &str); 6] = [
    (arcs::BFS, "BFS"),
    (arcs::SSSP, "SSSP"),
    (arcs::SSSP_TREE, "SSSP_TREE"),
    (arcs::COMPONENTS, "COMPONENTS"),
    (arcs::STRONG, "STRONG"),
    (arcs::TOPOLOGICAL, "TOPOLOGICAL"),
];

/// The intrinsics on codes.
const CODES: [(Intrinsic, &str); 2] =
    [(arcs::COUNT_CODES, "COUNT_CODES"), (arcs::GATHER, "GATHER")];

/// A list of arcs, and the other arguments.
struct Call {
    n: usize,
    start: i64,
    h: usize,
    both: bool,
    left: BitTable,
    right: BitTable,
    weight: BitTable,
    among: Vec<bool>,
}

impl Call {
    /// Generates few or many arcs, with loops, parallel arcs, equal weights and weights of zero.
    /// Rows that are no arcs hold arbitrary bits.
    fn random(n: usize, m: usize, h: usize, random: &mut Random) -> Call {
        let percent = [100, 100, 80, 5][random.below(4)];
        let among = random.bits(m, percent);
        let b = n.ilog2() as usize + 1 + random.below(2);
        let is_acyclic = random.chance(40);
        let width = h.min(1 + random.below(h.min(14)));
        // Sums mostly stay below 2^(h-1).
        let most = [1, 2, ((1_u64 << (h - 1)) / n as u64).max(1)][random.below(3)];
        let most = most.min(1 << width.min(h - 1));
        let mut rows: Vec<[u64; 3]> = Vec::new();
        for is_arc in &among {
            let mut ends = [1 + random.below(n) as u64, 1 + random.below(n) as u64];
            if is_acyclic {
                ends.sort_by_key(|end| end.wrapping_mul(37) % n as u64);
            }
            let weight = random.below(1 << 20) as u64 % most;
            rows.push(if *is_arc { [ends[0], ends[1], weight] } else { [0, !0, !0] });
        }
        if random.chance(30) {
            rows.sort_unstable();
        }
        let table = |place: usize, width: usize| {
            table_of(m, width, |row, col| rows[row][place] >> (width - 1 - col) & 1 == 1)
        };
        // The rows that are arcs have weights below `most`, even after sorting.
        let among = rows.iter().map(|row| row[0] != 0).collect();
        Call {
            n,
            start: 1 + random.below(n) as i64,
            h,
            both: random.chance(50),
            left: table(0, b),
            right: table(1, b),
            weight: table(2, width),
            among,
        }
    }

    /// The arguments of a routine, by the names of its parameters.
    fn arguments(&self, signature: &Signature) -> Vec<Value> {
        let argument = |name: &str| match name {
            "s" => Value::Int(self.start),
            "n" => Value::Int(self.n as i64),
            "h" => Value::Int(self.h as i64),
            "both" => Value::Bool(self.both),
            "left" => Value::from(self.left.clone()),
            "right" => Value::from(self.right.clone()),
            "weight" => Value::from(self.weight.clone()),
            "w" => Value::Int(self.h as i64),
            "T" if signature.name == arcs::GATHER.signature().name => {
                Value::from(table_of(self.n, 1 + self.h * 2, |row, col| {
                    (row * row + col * 7) % 3 == 1
                }))
            }
            "Code" => Value::from(self.left.clone()),
            "S" | "X" => Value::Slice(BitVector::from_bools(&self.among)),
            _ => Value::Unset,
        };
        signature.params.iter().map(|param| argument(param.name)).collect()
    }
}

#[test]
fn lists_of_arcs_agree_or_fall_back_to_the_star_body() {
    let mut random = Random::new(46);
    for (intrinsic, routine) in ALL.into_iter().chain(CODES) {
        let program = Program::new(&caller(intrinsic, routine));
        let machines = program.compile_on(&backends());
        let any_takes = machines.iter().any(|machine| machine.takes(intrinsic));
        let (mut n_taken, mut n_left) = (0, 0);
        for round in 0..40 {
            let n = [1, 2, 3, 9, 17, 33][random.below(6)];
            let m = [0, 1, 5, 20, 64, 70, 130][random.below(7)];
            let h = [2, 9, 20, 34, 62][random.below(5)];
            let call = Call::random(n, m, h, &mut random);
            let context = format!("{routine}, round {round}: n = {n}, m = {m}, h = {h}");
            let args = call.arguments(intrinsic.signature());
            match same_everywhere((&program, &machines), (intrinsic, routine), &args, &context) {
                0 => n_left += 1,
                taken => {
                    assert_eq!(taken, 1, "{context}");
                    n_taken += 1;
                }
            }
        }
        assert_eq!(n_taken > 20, any_takes, "{routine}: {n_taken} taken, {n_left} left");
    }
}

/// A local slice with a declared size has none before it is set.
#[test]
fn slices_of_a_declared_size_take_results() {
    let text = "import \"star:arcs\";
procedure count(left,right: table(m,b); weight: table(m); S: slice(m); var k: integer);
var T: slice(m); Dist,Pred: table;
begin
  MST(left,right,weight,S,T); k:=NUMB(T);
  PICK(left,right,weight,S,k)
end;
procedure PICK(left,right: table(m,b); weight: table(m); S: slice(m); var k: integer);
var T: slice(m); Dist,Pred: table;
begin
  SSSP_TREE(1,7,20,true,left,right,weight,S,Dist,Pred,T); k:=100*k+NUMB(T)
end;";
    let program = Program::new(text);
    let call = Call::random(7, 70, 20, &mut Random::new(48));
    let mut args = call.arguments(arcs::SSSP.signature());
    args.drain(..4);
    args.truncate(4);
    args.push(Value::Unset);
    let machines = program.compile_on(&backends());
    let expected = machines[0].run(program.entry("count"), &args, LIMITS);
    for machine in &machines[1..] {
        let found = machine.run(program.entry("count"), &args, LIMITS);
        assert_eq!(found.values, expected.values, "{}", machine.name);
        let taken = [mst::KRUSKAL, arcs::SSSP_TREE].map(|one| u64::from(machine.takes(one)));
        assert_eq!(found.stats.intrinsics, taken[0] + taken[1], "{}", machine.name);
    }
}

/// The weights of a file have as many columns as sums of them need.
#[test]
fn trees_of_weights_in_many_columns_decline_large_ones_only() {
    for (intrinsic, routine) in [(mst::KRUSKAL, "KRUSKAL"), (mst::PRIM, "PRIM")] {
        let program = Program::new(&caller(intrinsic, routine));
        let machines = program.compile_on(&backends());
        let any_takes = machines.iter().any(|machine| machine.takes(intrinsic));
        let mut call = Call::random(7, 70, 20, &mut Random::new(50));
        call.among = (0..70).map(|row| row % 5 != 0).collect();
        call.left = table_of(70, 6, |row, col| (row % 7 + 1) >> (5 - col) & 1 == 1);
        call.right = table_of(70, 6, |row, col| (row % 6 + 2) >> (5 - col) & 1 == 1);
        // One row has the bit 2^32, an edge or none; all have different low bits.
        for (row, expected) in [(5, u64::from(any_takes)), (6, 0)] {
            call.weight = table_of(70, 40, |at, col| {
                if col == 7 { at == row } else { col > 7 && (at * at % 53) >> (39 - col) & 1 == 1 }
            });
            let mut args = call.arguments(intrinsic.signature());
            if routine == "PRIM" {
                args[4] = Value::Word(BitVector::from_bools(&[0, 0, 0, 0, 1, 1].map(|b| b == 1)));
            }
            let context = format!("{routine}: row {row}");
            let taken =
                same_everywhere((&program, &machines), (intrinsic, routine), &args, &context);
            assert_eq!(taken, expected, "{context}");
        }
    }
}

/// Calls each routine with one argument at a time replaced; all run the Star body, which traps or
/// handles them. Returns the number of calls of each.
fn run_the_star_body<const N: usize>(
    routines: [(Intrinsic, &'static str); N],
    replaced: &[(&str, Value)],
    seed: u64,
) -> [usize; N] {
    let mut random = Random::new(seed);
    routines.map(|(intrinsic, routine)| {
        let program = Program::new(&caller(intrinsic, routine));
        let machines = program.compile_on(&backends());
        let signature = intrinsic.signature();
        let mut n_calls = 0;
        for (name, value) in replaced {
            let Some(at) = signature.params.iter().position(|param| param.name == *name) else {
                continue;
            };
            let mut call = Call::random(7, 20, 20, &mut random);
            call.left = table_of(20, 6, |row, col| (row % 7 + 1) >> (5 - col) & 1 == 1);
            call.right = table_of(20, 6, |row, col| (row % 5 + 2) >> (5 - col) & 1 == 1);
            call.among = vec![true; 20];
            let mut args = call.arguments(signature);
            let context = format!("{routine}: {name} = {value:?}");
            args[at] = value.clone();
            let taken =
                same_everywhere((&program, &machines), (intrinsic, routine), &args, &context);
            assert_eq!(taken, 0, "{context}");
            n_calls += 1;
        }
        n_calls
    })
}

fn ones(len: usize) -> Value {
    Value::Slice(BitVector::from_bools(&vec![true; len]))
}

/// Arguments that violate one condition alone.
#[test]
fn other_lists_use_the_star_body() {
    let table = |rows, columns| Value::from(table_of(rows, columns, |_, col| col == 5));
    let replaced = [
        ("s", Value::Int(0)),
        ("s", Value::Int(8)),
        ("n", Value::Int(-1)),
        ("n", Value::Int(64)),
        ("h", Value::Int(0)),
        ("h", Value::Int(63)),
        ("left", table(19, 6)),
        ("left", table(20, 7)),
        ("right", table(21, 6)),
        ("weight", table(19, 6)),
        ("weight", table(20, 21)),
        ("S", ones(19)),
        // An arc ends at no vertex, or has a long weight.
        ("left", table_of_code(0)),
        ("right", table_of_code(8)),
        ("weight", Value::from(table_of(20, 20, |row, col| row == 7 && col == 0))),
    ];
    let n_calls = run_the_star_body(ALL, &replaced, 47);
    for ((intrinsic, routine), n_violated) in ALL.into_iter().zip(n_calls) {
        let n_conditions = intrinsic.signature().preconditions.len();
        assert!(n_violated + 1 >= n_conditions, "{routine}: {n_violated} of {n_conditions}");
    }
}

/// Numbers that are not codes, and sizes that do not fit.
#[test]
fn other_codes_use_the_star_body() {
    let replaced = [
        ("n", Value::Int(-1)),
        ("w", Value::Int(0)),
        ("w", Value::Int(63)),
        // Three rows and more have the same code.
        ("w", Value::Int(1)),
        ("T", Value::from(table_of(6, 9, |_, _| true))),
        ("T", Value::from(table_of(0, 9, |_, _| true))),
        ("Code", Value::from(table_of(20, 33, |_, col| col == 32))),
        ("Code", Value::from(table_of(19, 6, |_, col| col == 5))),
        ("Code", table_of_code(0)),
        ("Code", table_of_code(8)),
        ("S", ones(19)),
        ("X", ones(21)),
    ];
    assert_eq!(run_the_star_body(CODES, &replaced, 49), [9, 7]);
}

/// Codes of which one is this number.
fn table_of_code(code: usize) -> Value {
    Value::from(table_of(20, 6, |row, col| (if row == 7 { code } else { 3 }) >> (5 - col) & 1 == 1))
}
