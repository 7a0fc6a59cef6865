//! The target `run`: whole programs, on the reference and on the CPU backend.

use std::cell::LazyCell;

use star_compiler::hir::TyKind;
use star_compiler::{EntryParam, LowerOptions};
use star_ir::LimitKind;
use star_tests::backends::{Machine, Mode, on};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Value};
use star_vm::kernels::Kernels;
use star_vm::{Cpu, Limits, Outcome, Reference};

use crate::check::compilation;

/// Small enough that an input takes milliseconds: the reference works bit by bit.
const LIMITS: Limits =
    Limits { steps: Some(3000), memory: Some(1 << 12), output: Some(1 << 12), depth: 20 };

/// Sources longer than this are left to the target `check`.
const MAX_BYTES: usize = 1 << 16;

/// Maximum number of routines run for a file.
const MAX_ENTRIES: usize = 6;

thread_local! {
    static MACHINES: LazyCell<[Machine; 2]> = const { LazyCell::new(machines) };
}

/// Returns the reference, and the CPU backend with minimal sizes.
fn machines() -> [Machine; 2] {
    let settings = star_vm::cpu::Settings { threads: Some(1), ..star_vm::cpu::Settings::tiny() };
    let cpu = Cpu::with(settings, Kernels::detect());
    [on("reference", Reference::new()), on("cpu", cpu)]
}

/// Compiles the bytes as a source file and runs its first routines with arguments derived from the
/// bytes. Both backends give the same outcome, arguments, output, files and counts, and neither
/// reports an internal error.
pub fn run(bytes: &[u8]) {
    if bytes.len() > MAX_BYTES {
        return;
    }
    let compilation = compilation(bytes);
    if compilation.has_errors() {
        return;
    }
    let mut random =
        Random::new(bytes.iter().fold(0, |sum, &byte| sum * 31 % 65_521 + u64::from(byte)));
    let options = LowerOptions {
        checked: random.chance(50),
        machine_ops: random.chance(50),
        ..LowerOptions::default()
    };
    let lowered = star_compiler::lower(&compilation, &options);
    let lowered = lowered.unwrap_or_else(|error| panic!("{}", error.message));
    let program = Program::of(compilation, lowered);
    MACHINES.with(|machines| run_on(&program, machines, &mut random));
}

fn run_on(program: &Program, machines: &[Machine; 2], random: &mut Random) {
    let [reference, cpu] = &machines.each_ref().map(|machine| {
        machine.compile(program.lowered.program.clone()).expect("both run every program")
    });
    // Handles can only be created by a program.
    let takes_handle = |param: &EntryParam| param.kind == TyKind::Handle && !param.by_ref;
    let entries = program.compilation.entries();
    let entries = entries.iter().filter(|entry| !entry.params.iter().any(takes_handle));
    for entry in entries.take(MAX_ENTRIES) {
        let args: Vec<Value> = entry.params.iter().map(|param| argument(param, random)).collect();
        let id = program.entry(&entry.name);
        let expected = reference.run(id, &args, LIMITS);
        let found = cpu.run(id, &args, LIMITS);
        for run in [&expected, &found] {
            assert!(!matches!(run.outcome, Outcome::Internal(_)), "{:?}", run.outcome);
        }
        if is_memory_limit(&expected.outcome) || is_memory_limit(&found.outcome) {
            // Each backend counts bytes differently.
            continue;
        }
        if let Some(difference) = difference(program, &expected, &found, Mode::AsLowered) {
            panic!("`{}` with {args:?}: {difference}", entry.name);
        }
    }
}

fn is_memory_limit(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. })
}

/// Returns a small argument for a parameter; results are often unset.
fn argument(param: &EntryParam, random: &mut Random) -> Value {
    if param.by_ref && random.chance(50) {
        return Value::Unset;
    }
    let len = |random: &mut Random| match random.below(4) {
        0 => random.below(3),
        1 => 5,
        2 => 64,
        _ => random.below(140),
    };
    match param.kind {
        TyKind::Int => Value::Int(random.below(9) as i64 - 1),
        TyKind::Bool => Value::Bool(random.chance(50)),
        TyKind::Str => Value::Str(if random.chance(50) { "memory:a" } else { "b" }.to_owned()),
        TyKind::Slice => Value::Slice(bits(len(random), random)),
        TyKind::Word => Value::Word(bits(random.below(12), random)),
        TyKind::Table => {
            let (n_rows, n_cols) = (len(random), random.below(12));
            let mut table = BitTable::zeros(n_rows, n_cols).expect("a small table");
            for row in 0..n_rows {
                for col in 0..n_cols {
                    table.put(row, col, random.chance(30));
                }
            }
            Value::from(table)
        }
        TyKind::Handle => Value::Unset,
        TyKind::Error => unreachable!("a program without errors"),
    }
}

fn bits(len: usize, random: &mut Random) -> BitVector {
    BitVector::from_bools(&random.bits(len, 30))
}
