//! `updates`: UPDATE, INSERTIONS, SUITS and PRESENT, and the agreement of the codes with the
//! reader.

use star_compiler::LowerOptions;
use star_io::{Update, updates};
use star_value::{BitTable, Value};
use star_vm::Outcome;

use super::module::{Module, text};
use super::random::{Rng, each_seed};
use super::values::{bits_at, int, number_bits, put_field, vertex, zeros};

/// Returns any operation, with vertices below 2^b and weights below 2^h.
fn random_update(rng: &mut Rng, b: usize, h: usize) -> Update {
    let vertex = |rng: &mut Rng| 1 + rng.below((1 << b) - 1) as u32;
    let weight = |rng: &mut Rng| rng.between(0, (1 << h) - 1);
    let (first, second) = (vertex(rng), vertex(rng));
    match rng.below(9) {
        0 => Update::Nothing,
        1 => Update::InsertArc { tail: first, head: second, weight: weight(rng) },
        2 => Update::DeleteArc { tail: first, head: second },
        3 => Update::SetWeight { tail: first, head: second, weight: weight(rng) },
        4 => Update::InsertVertex(first),
        5 => Update::DeleteVertex(first),
        6 => Update::AskPair(first, second),
        7 => Update::AskVertex(first),
        _ => Update::AskAll,
    }
}

fn table(stream: &[Update], b: usize, h: usize) -> BitTable {
    let mut table = zeros(stream.len(), 4 + 2 * b + h);
    for (row, update) in stream.iter().enumerate() {
        let [code, first, second, weight] = update.record().map(|number| number as u64);
        let whole = ((code << b | first) << b | second) << h | weight;
        put_field(&mut table, row, 0, 4 + 2 * b + h, whole);
    }
    table
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let (b, h) = (1 + rng.below(9), 1 + rng.below(12));
    let stream: Vec<Update> = (0..1 + rng.below(70)).map(|_| random_update(rng, b, h)).collect();
    let stream_table = || Value::from(table(&stream, b, h));
    for (row, update) in stream.iter().enumerate().take(12) {
        let mut args = vec![vertex(row), int(b), stream_table()];
        args.extend([const { Value::Unset }; 4]);
        let results = module.call("UPDATE", args);
        let [code, first, second, weight] = update.record();
        assert_eq!([3, 4, 5].map(|idx| results.int(idx)), [code, first, second], "{update:?}");
        assert_eq!(results.values[6], Value::Word(number_bits(weight as u64, h)), "{update:?}");
        assert_eq!(results.operations, 5);
    }
    let args = vec![Value::Bool(true), int(1), Value::Str("why".to_owned())];
    assert_eq!(module.call("SUITS", args).operations, 0);
    for (first, second, operations) in [(0, 0, 0), (1, 0, 1), (3, 1, 2)] {
        let alive = Value::Slice(bits_at(3, [0, 2]));
        let args = vec![alive, int(1), int(first), int(second)];
        assert_eq!(module.call("PRESENT", args).operations, operations);
    }
}

#[test]
fn lines_are_decoded_as_they_were_read() {
    let module = Module::new("updates");
    each_seed(40, |rng| play(&module, rng));
}

#[test]
fn insertions_are_counted() {
    let count = "procedure Count(U: table; var n: integer); begin n:=INSERTIONS(U) end;";
    let module = Module::compile(&format!("{}{count}", text("updates")), &LowerOptions::default());
    each_seed(20, |rng| {
        let stream: Vec<Update> = (0..rng.below(70)).map(|_| random_update(rng, 3, 4)).collect();
        let n = stream.iter().filter(|update| matches!(update, Update::InsertArc { .. })).count();
        let results = module.call("Count", vec![Value::from(table(&stream, 3, 4)), int(0)]);
        assert_eq!(results.int(1), n as i64, "{stream:?}");
        assert_eq!(results.operations, 25);
    });
}

#[test]
fn codes_match_those_of_the_reader() {
    let codes = [
        ("OP_NOTHING", Update::Nothing),
        ("OP_INSERT", Update::InsertArc { tail: 1, head: 1, weight: 0 }),
        ("OP_DELETE", Update::DeleteArc { tail: 1, head: 1 }),
        ("OP_WEIGHT", Update::SetWeight { tail: 1, head: 1, weight: 0 }),
        ("OP_INSERT_VERTEX", Update::InsertVertex(1)),
        ("OP_DELETE_VERTEX", Update::DeleteVertex(1)),
        ("OP_ASK_PAIR", Update::AskPair(1, 1)),
        ("OP_ASK_VERTEX", Update::AskVertex(1)),
        ("OP_ASK", Update::AskAll),
    ];
    for (name, update) in codes {
        let call = format!("procedure Code(var n: integer); begin n:={name} end;");
        let text = format!("{}{call}", text("updates"));
        let module = Module::compile(&text, &LowerOptions::default());
        assert_eq!(module.call("Code", vec![int(0)]).int(0), update.record()[0], "{name}");
    }
    assert_eq!(updates::OPERATION_BITS, 4);
}

#[test]
fn an_invalid_stream_ends_the_program() {
    let module = Module::new("updates");
    let cases = [("100101011111", 2, "no operation"), ("00010101111", 4, "no update stream")];
    for (row, b, why) in cases {
        let table = Value::from(star_tests::table(&[row]));
        let mut args = vec![vertex(0), int(b), table];
        args.extend([const { Value::Unset }; 4]);
        let message = module.refusal("UPDATE", args);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn an_unsuitable_line_is_printed() {
    let program = star_tests::run::Program::new(text("updates"));
    let args = vec![Value::Bool(false), int(7), Value::Str("no such arc".to_owned())];
    let run = program.run("SUITS", args);
    assert!(matches!(run.outcome, Outcome::Trap(_)), "{:?}", run.outcome);
    assert_eq!(run.printed, "line 7 of the updates: no such arc\n");
}
