//! Natives against the Star bodies that they are the twins of: for every entry of the catalogue, called and
//! as the entry, random arguments for which the preconditions hold, and such for which just one fails.

use std::fmt::Write as _;

use star_base::natives::{Kind, Native, Need, Param, Signature, Term, Way};
use star_base::{BitTable, BitVector};
use star_tests::backends::{WITH_NATIVES, backends};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_vm::{HostValue, Limits};

/// Sizes around the borders of limbs and lines.
const SIZES: [usize; 14] = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 96, 127, 129];

/// Calls with random arguments, for each routine.
const CALLS: usize = 300;

#[test]
fn every_native_does_what_its_star_body_does() {
    for &native in Native::ALL {
        for routine in native.signature().routines {
            compare(native, routine);
        }
    }
}

fn compare(native: Native, routine: &str) {
    let signature = native.signature();
    let program = Program::new(&caller(signature, routine));
    let callee = program.lowered.program.find(routine).expect("the caller needs it");
    let compiled = program.compile_on(&backends());
    let (first, others) = compiled.split_first().expect("a backend");
    let mut random = Random::new(2016);
    let mut n_held = 0;
    let mut n_failed = vec![0; signature.needs.len()];
    for _ in 0..CALLS {
        let args = arguments(signature, &mut random);
        let value = |term| value_of(term, &args);
        let is_set = |(param, arg): (&Param, &HostValue)| match param.way {
            Way::Value => true,
            Way::Changed => *arg != HostValue::Unset,
        };
        let holds = signature.holds(value) && signature.params.iter().zip(&args).all(is_set);
        n_held += usize::from(holds);
        let failed: Vec<usize> =
            (0..signature.needs.len()).filter(|&idx| !signature.needs[idx].holds(value)).collect();
        if let [only] = failed[..] {
            n_failed[only] += 1;
        }
        for entry in [program.entry("TRY"), callee] {
            let expected = first.run(entry, &args, LIMITS);
            for other in others {
                let found = other.run(entry, &args, LIMITS);
                let context = || format!("{routine} on `{}`, {args:?}", other.name());
                if let Some(difference) = difference(&program, &expected, &found) {
                    panic!("{}: {difference}", context());
                }
                let taken = u64::from(holds && WITH_NATIVES.contains(&other.name()));
                assert_eq!(found.stats.natives, taken, "{}", context());
            }
        }
    }
    assert!(n_held * 5 >= CALLS, "{routine} was taken {n_held} times only");
    for (need, n_failed) in signature.needs.iter().zip(n_failed) {
        assert!(n_failed > 0, "{routine}: `{}` never failed alone", signature.word(*need));
    }
}

/// A program that does nothing but call the routine.
fn caller(signature: &Signature, routine: &str) -> String {
    let (mut header, mut names) = (String::new(), String::new());
    for (idx, param) in signature.params.iter().enumerate() {
        let (var, separator) = (if param.way.is_by_ref() { "var " } else { "" }, idx > 0);
        let kind = match param.kind {
            Kind::Int => "integer",
            Kind::Table => "table",
        };
        let comma = if separator { "," } else { "" };
        let semicolon = if separator { "; " } else { "" };
        let _ = write!(header, "{semicolon}{var}{}: {kind}", param.name); // a String takes any text
        names += comma;
        names += param.name;
    }
    let module = signature.module;
    format!("import \"star:{module}\"; procedure TRY({header}); begin {routine}({names}); end;")
}

/// Arguments whose sizes and numbers lie near each other, so that preconditions hold often, and fail by little.
fn arguments(signature: &Signature, random: &mut Random) -> Vec<HostValue> {
    let size = SIZES[random.below(SIZES.len())];
    let args = signature.params.iter().map(|param| match param.kind {
        Kind::Int => {
            let near = size as i64 + [0, 0, 0, 0, 1, -1][random.below(6)];
            HostValue::Int([near, near, near, near, 0, -1][random.below(6)])
        }
        Kind::Table if param.way != Way::Value && random.below(20) == 0 => HostValue::Unset,
        Kind::Table => {
            let mut near = || size + [0, 0, 0, 1, 2, 70][random.below(6)];
            let (n_rows, n_cols) = (near(), near());
            HostValue::Table(table(n_rows, n_cols, random))
        }
    });
    args.collect()
}

/// A table with few or many ones, on both sides of the diagonal or on one.
fn table(n_rows: usize, n_cols: usize, random: &mut Random) -> BitTable {
    let one_in = [1, 2, 8, 1 + n_rows / 2, 1 + n_rows, 1 + 4 * n_rows][random.below(6)];
    let keeps = [|_, _| true, |row, col| row < col, |row, col| row > col, |row, col| row != col];
    let keeps: fn(usize, usize) -> bool = keeps[random.below(keeps.len())];
    let columns: Vec<BitVector> = (0..n_cols)
        .map(|col| {
            let bits = (0..n_rows).map(|row| keeps(row, col) && random.below(one_in) == 0);
            BitVector::from_bools(&bits.collect::<Vec<bool>>())
        })
        .collect();
    BitTable::from_columns(n_rows, &columns)
}

fn value_of(term: Term, args: &[HostValue]) -> Option<i64> {
    let table = |idx: usize| match &args[idx] {
        HostValue::Table(table) => Some(table),
        _ => None,
    };
    match term {
        Term::Number(number) => Some(number),
        Term::Value(idx) => match args[idx] {
            HostValue::Int(number) => Some(number),
            _ => None,
        },
        Term::Rows(idx) => table(idx).map(|table| table.n_rows() as i64),
        Term::Columns(idx) => table(idx).map(|table| table.n_cols() as i64),
    }
}

#[test]
fn a_routine_of_the_same_name_is_no_twin() {
    let text = "import \"star:closure\";
        procedure WARSHALL(n: integer; var P: table); begin P(1,1):=n; end;
        procedure TRY(var P: table); begin WARSHALL(1,P); end;";
    let program = Program::new(text);
    let natives = program.lowered.program.routines.iter().filter_map(|routine| routine.native);
    assert_eq!(natives.count(), 0);
}

#[test]
fn without_room_for_a_native_the_star_body_runs() {
    let signature = Native::Closure.signature();
    let program = Program::new(&caller(signature, "WARSHALL"));
    let mut random = Random::new(1);
    let args = [HostValue::Int(64), HostValue::Table(table(64, 64, &mut random))];
    let entry = program.entry("TRY");
    // The table, and a few lines.
    let tight = Limits { memory: Some(64 * 8 + 100), ..LIMITS };
    let mut machines = backends();
    machines.retain(|machine| WITH_NATIVES.contains(&machine.name()));
    for compiled in program.compile_on(&machines) {
        let [wide, tight] = [LIMITS, tight].map(|limits| compiled.run(entry, &args, limits));
        assert_eq!((wide.stats.natives, tight.stats.natives), (1, 0), "{}", compiled.name());
        assert_eq!(difference(&program, &wide, &tight), None);
        assert!(wide.stats.operations < tight.stats.operations);
    }
}
