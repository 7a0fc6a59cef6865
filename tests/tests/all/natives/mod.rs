//! Natives against the Star bodies that they are the twins of: for every entry of the catalogue, called and
//! as the entry, random arguments for which the preconditions hold, and such for which just one fails.

mod closure;
mod toys;

use std::fmt::Write as _;

use star_base::natives::{Kind, Native, Param, ParamMode, Signature, SizeTerm};
use star_base::{BitTable, BitVector};
use star_tests::backends::{Mode, WITH_NATIVES, backends};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_vm::HostValue;

/// Sizes around the borders of limbs and lines.
const SIZES: [usize; 14] = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 96, 127, 129];

/// Calls with random arguments, for each routine.
const CALLS: usize = 400;

#[test]
fn every_native_does_what_its_star_body_does() {
    for &native in Native::ALL {
        for routine in native.signature().routines {
            compare(native, routine);
        }
    }
}

/// A routine that is called: its native, and its name.
type Called = (Native, &'static str);

/// The routine, after one that makes the handle that it reads.
fn calls_of(native: Native, routine: &'static str) -> Vec<Called> {
    let module = native.signature().module;
    let is_handle =
        |param: &&Param, mode: ParamMode| param.kind == Kind::Handle && param.mode == mode;
    let params = native.signature().params;
    let mut calls = vec![(native, routine)];
    if params.iter().any(|param| is_handle(&param, ParamMode::Value)) {
        let maker = Native::ALL.iter().find(|maker| {
            let Signature { module: of, params, .. } = maker.signature();
            *of == module && params.iter().any(|param| is_handle(&param, ParamMode::Made))
        });
        let maker = *maker.expect("something makes the handle");
        calls.insert(0, (maker, maker.signature().routines[0]));
    }
    calls
}

fn compare(native: Native, routine: &'static str) {
    let calls = calls_of(native, routine);
    let signature = native.signature();
    let program = Program::new(&caller(&calls));
    let mut entries = vec![program.entry("TRY")];
    if signature.params.iter().all(|param| param.kind != Kind::Handle) {
        entries.push(program.lowered.program.find(routine).expect("it is called"));
    }
    let compiled = program.compile_on(&backends());
    let (first, others) = compiled.split_first().expect("a backend");
    let mut random = Random::new(2016);
    let mut n_held = 0;
    let mut n_failed = vec![0; signature.preconditions.len()];
    for _ in 0..CALLS {
        let given = arguments(&calls, &mut random);
        let all = |(of, _): &Called| given.suit(of.signature());
        let n_taken = calls.iter().take_while(|&call| all(call)).count();
        n_held += usize::from(n_taken == calls.len());
        if n_taken + 1 >= calls.len() {
            let value = |term| given.value(signature, term);
            let failed = (0..signature.preconditions.len())
                .filter(|&idx| !signature.preconditions[idx].holds(value))
                .collect::<Vec<usize>>();
            if let [only] = failed[..] {
                n_failed[only] += 1;
            }
        }
        let args: Vec<HostValue> = given.0.iter().map(|(_, value)| value.clone()).collect();
        for &entry in &entries {
            let expected = first.run(entry, &args, LIMITS);
            for other in others {
                let found = other.run(entry, &args, LIMITS);
                let context = || format!("{routine} on `{}`, {args:?}", other.name);
                if let Some(difference) = difference(&program, &expected, &found, Mode::AsLowered) {
                    panic!("{}: {difference}", context());
                }
                let has = WITH_NATIVES.contains(&other.name);
                let n_taken = if has { n_taken as u64 } else { 0 };
                assert_eq!(found.stats.natives, n_taken, "{}", context());
            }
        }
    }
    assert!(n_held * 40 >= CALLS, "{routine} was taken {n_held} times only");
    for (need, n_failed) in signature.preconditions.iter().zip(n_failed) {
        assert!(n_failed > 0, "{routine}: `{}` never failed alone", signature.word(*need));
    }
}

/// The keyword of a kind.
fn keyword(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "integer",
        Kind::Bool => "boolean",
        Kind::Text => "string",
        Kind::Slice => "slice",
        Kind::Word => "word",
        Kind::Table => "table",
        Kind::Handle => "handle",
    }
}

/// A program that does nothing but make the calls; handles are its own.
fn caller(calls: &[Called]) -> String {
    let (mut header, mut body) = (Vec::new(), String::new());
    for (native, routine) in calls {
        let Signature { params, result, .. } = native.signature();
        for Param { name, kind, mode } in params.iter().filter(|param| param.kind != Kind::Handle) {
            let var = if mode.is_by_ref() { "var " } else { "" };
            header.push(format!("{var}{name}: {}", keyword(*kind)));
        }
        let names: Vec<&str> = params.iter().map(|param| param.name).collect();
        let call = format!("{routine}({})", names.join(","));
        match result {
            Some(kind) => {
                header.push(format!("var R: {}", keyword(*kind)));
                let _ = write!(body, "R:={call}; "); // a String takes any text
            }
            None => body += &format!("{call}; "),
        }
    }
    let module = calls[0].0.signature().module;
    let header = header.join("; ");
    format!("import \"star:{module}\"; procedure TRY({header}); var H: handle; begin {body}end;")
}

/// The arguments of the caller, with the names of its parameters.
struct Arguments(Vec<(&'static str, HostValue)>);

impl Arguments {
    /// Would the native of this signature be taken?
    fn suit(&self, signature: &Signature) -> bool {
        let fits = |param: &Param| match (param.mode, self.named(param.name)) {
            (ParamMode::Value, _) | (_, None) => true,
            (ParamMode::Changed, Some(value)) => *value != HostValue::Unset,
            // A slice that is given keeps its size.
            (ParamMode::Made, Some(HostValue::Slice(bits))) => Some(bits.len()) == self.n_rows("H"),
            (ParamMode::Made, Some(_)) => true,
        };
        signature.params.iter().all(fits) && signature.holds(|term| self.value(signature, term))
    }

    fn named(&self, name: &str) -> Option<&HostValue> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }

    /// Rows and columns of a table, or of the graph that a handle is made of.
    fn n_rows(&self, name: &str) -> Option<usize> {
        self.table(name).map(BitTable::n_rows)
    }

    fn table(&self, name: &str) -> Option<&BitTable> {
        match self.named(if name == "H" { "G" } else { name }) {
            Some(HostValue::Table(table)) => Some(table),
            Some(_) | None => None,
        }
    }

    fn value(&self, signature: &Signature, term: SizeTerm) -> Option<i64> {
        let name = |idx: usize| signature.params[idx].name;
        match term {
            SizeTerm::Value(idx) => match self.named(name(idx)) {
                Some(HostValue::Int(number)) => Some(*number),
                Some(_) | None => None,
            },
            SizeTerm::Length(idx) => match self.named(name(idx)) {
                Some(HostValue::Slice(bits)) => Some(bits.len() as i64),
                Some(_) | None => None,
            },
            SizeTerm::Rows(idx) | SizeTerm::PartRows(idx, _) => {
                self.n_rows(name(idx)).map(|n| n as i64)
            }
            SizeTerm::Columns(idx) | SizeTerm::PartColumns(idx, _) => {
                self.table(name(idx)).map(|table| table.n_cols() as i64)
            }
        }
    }
}

/// Arguments whose sizes and numbers lie near each other, so that preconditions hold often, and fail by little.
fn arguments(calls: &[Called], random: &mut Random) -> Arguments {
    let size = SIZES[random.below(SIZES.len())];
    let near = |random: &mut Random| size + [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 70][random.below(11)];
    let mut given = Vec::new();
    for (native, _) in calls {
        let Signature { params, result, .. } = native.signature();
        for Param { name, kind, mode } in *params {
            let value = match kind {
                Kind::Handle => continue,
                Kind::Text => HostValue::Str("text".to_owned()),
                Kind::Word => {
                    let len = near(random);
                    HostValue::Word(BitVector::from_bools(&random.bits(len, 50)))
                }
                Kind::Bool => HostValue::Bool(random.chance(50)),
                Kind::Int => HostValue::Int(match random.below(8) {
                    0 => 0,
                    1 => -1,
                    2 | 3 => random.below(size + 2) as i64,
                    _ => size as i64 + [0, 0, 0, 1, 1, -1][random.below(6)],
                }),
                Kind::Slice if random.chance(70) => HostValue::Unset,
                Kind::Slice => {
                    let len = near(random);
                    HostValue::Slice(BitVector::from_bools(&random.bits(len, 50)))
                }
                Kind::Table if *mode != ParamMode::Value && random.chance(5) => HostValue::Unset,
                Kind::Table => {
                    let (n_rows, n_cols) = (near(random), near(random));
                    HostValue::Table(table(n_rows, n_cols, random))
                }
            };
            given.push((*name, value));
        }
        if result.is_some() {
            given.push(("R", HostValue::Unset));
        }
    }
    Arguments(given)
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
