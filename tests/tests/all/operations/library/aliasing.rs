//! Results that are operands: a value argument that is also passed by `var` is read as it was
//! before the call.

use star_tests::case::Random;
use star_value::Value;

use super::{Data, Machine, Rows, SEED, machines, slice, table, with_unset, word};

/// Calls with a table for a result, written `_`, that is as large as T and F.
const INTO_TABLES: [&str; 23] = [
    "ADDV(T,F,X,_)",
    "SUBTV(T,F,X,_)",
    "ADDC(T,X,v,_)",
    "SUBTC(T,X,v,_)",
    "ADDVO(T,F,X,_,S)",
    "SUBTVO(T,F,X,_,S)",
    "ADDCO(T,X,v,_,S)",
    "SUBTCO(T,X,v,_,S)",
    "ADDVS(T,F,X,_)",
    "SUBTVS(T,F,X,_)",
    "ADDCS(T,X,v,_)",
    "SUBTCS(T,X,v,_)",
    "DIVV(T,F,X,_,O)",
    "DIVV(T,F,X,O,_)",
    "DIVC(T,X,v,_,O)",
    "DIVC(T,X,v,O,_)",
    "COMPRESS(T,X,_)",
    "ORDER(T,F,X,_)",
    "RANK(T,X,8,_)",
    "HIST(T,X,33,8,_)",
    "SUMGROUPS(T,F,X and (not COL(1,F)),33,8,_)",
    "TCOPY(T,_)",
    "TCOPY1(T,1,8,_)",
];

/// Calls with a slice for a result, written `_`.
const INTO_SLICES: [&str; 22] = [
    "MATCH(T,X,v,_)",
    "AMONG(T,X,F,_)",
    "LESS(T,X,v,_)",
    "GREAT(T,X,v,_)",
    "GEL(T,X,v,_,S,O)",
    "GEL(T,X,v,S,_,O)",
    "GEL(T,X,v,S,O,_)",
    "MIN(T,X,_)",
    "MAX(T,X,_)",
    "HIT(T,F,X,_)",
    "SETMIN(T,F,X,_)",
    "SETMAX(T,F,X,_)",
    "NEARLESS(T,X,v,_)",
    "NEARGREAT(T,X,v,_)",
    "NEAREST(T,X,v,_)",
    "SLESS(T,X,v,_)",
    "SGREAT(T,X,v,_)",
    "SMIN(T,X,_)",
    "SMAX(T,X,_)",
    "SSETMIN(T,F,X,_)",
    "SSETMAX(T,F,X,_)",
    "KTHMIN(T,X,3,_)",
];

/// Writes three routines for each call: with a separate result, which becomes the last parameter,
/// and with T or F, or with X, in its place.
fn routines() -> String {
    let mut text = String::new();
    let tables = INTO_TABLES.iter().enumerate().map(|(idx, call)| (format!("t{idx}"), call));
    for (name, call) in tables {
        for (routine, result) in [("plain", "R"), ("first", "T"), ("second", "F")] {
            text.push_str(&format!(
                "procedure {routine}_{name}(var T,F: table; X: slice; v: word; var R: table);
                 var S: slice; O: table; begin {} end;\n",
                call.replace('_', result)
            ));
        }
    }
    let slices = INTO_SLICES.iter().enumerate().map(|(idx, call)| (format!("s{idx}"), call));
    for (name, call) in slices {
        for (routine, result) in [("plain", "R"), ("control", "X")] {
            text.push_str(&format!(
                "procedure {routine}_{name}(T,F: table; var X: slice; v: word; var R: slice);
                 var S,O: slice; begin {} end;\n",
                call.replace('_', result)
            ));
        }
    }
    text
}

fn some_data() -> Vec<Data> {
    let mut random = Random::new(SEED);
    (0..6).map(|_| Data::new(&mut random, 33, 8)).collect()
}

fn args(data: &Data) -> Vec<Value> {
    let tables = [&data.t, &data.f].map(|rows| table(rows, data.k));
    with_unset([tables.to_vec(), vec![slice(&data.x), word(&data.v)]].concat(), 1)
}

#[test]
fn results_may_be_operands() {
    for machine in machines(&routines()) {
        for data in some_data() {
            for (idx, call) in INTO_TABLES.iter().enumerate() {
                let (plain, cost) = machine.call(&format!("plain_t{idx}"), &args(&data));
                let (first, cost_first) = machine.call(&format!("first_t{idx}"), &args(&data));
                assert_eq!((&first[0], cost_first), (&plain[4], cost), "{call} into T");
                let (second, cost_second) = machine.call(&format!("second_t{idx}"), &args(&data));
                assert_eq!((&second[1], cost_second), (&plain[4], cost), "{call} into F");
            }
            for (idx, call) in INTO_SLICES.iter().enumerate() {
                let (plain, cost) = machine.call(&format!("plain_s{idx}"), &args(&data));
                let (control, own) = machine.call(&format!("control_s{idx}"), &args(&data));
                assert_eq!((&control[2], own), (&plain[4], cost), "{call} into X");
            }
        }
    }
}

#[test]
fn a_product_into_its_operand_requires_a_growing_table() {
    let machine = Machine::new(
        "procedure fixed(var U: table; X: slice; v: word); begin MULTC(U,X,v,U) end;
         procedure grows(T: table; X: slice; v: word; var R: table);
         var U: table;
         begin TCOPY(T,U); MULTC(U,X,v,U); R:=U end;",
    );
    let t: Rows = vec![vec![true, true], vec![false, true]];
    let product: Rows =
        [[true, false, false, true], [false, false, true, true]].map(|row| row.to_vec()).to_vec();
    let args = [table(&t, 2), slice(&[true, true]), word(&[true, true])];
    // A table from outside does not grow, and is unchanged.
    let (code, values) = machine.trap("fixed", &args);
    assert_eq!((code.as_str(), &values[0]), ("T0102", &table(&t, 2)));
    let args = with_unset(args.to_vec(), 1);
    assert_eq!(machine.call("grows", &args).0[3], table(&product, 4));
}
