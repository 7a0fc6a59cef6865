//! An intrinsic with parameters of every kind, and functions.

use star_base::intrinsics::{Intrinsic, Kind, Param, Precondition, Signature, SizeExpr};
use star_intrinsics::LineOrder;
use star_value::{BitVector, Value};
use star_vm::cpu::{IntrinsicCall, IntrinsicResult, NotTaken, Target};

use super::{MockIntrinsics, table};

const MODULE: &str = "procedure EVERY(n: integer; b: boolean; s: string; X: slice; w: word; T: table;
  var m: integer; var c: boolean; var Y: slice; var v: word; var U: table; var Z: slice; var P: table);
var i: integer;
begin
  m:=n+1; c:=not b; Y:=not X; v:=not w; U:=T; Z:=not Z;
  for i:=1 to size(P) do COL(i,P):=not COL(i,P);
end;

function TWICE(n: integer): integer;
begin TWICE:=2*n; end;
";

const EVERY: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-every",
    module: "toy",
    routines: &["EVERY"],
    params: &[
        Param::value("n", Kind::Int),
        Param::value("b", Kind::Bool),
        Param::value("s", Kind::Str),
        Param::value("X", Kind::Slice),
        Param::value("w", Kind::Word),
        Param::value("T", Kind::Table),
        Param::made("m", Kind::Int),
        Param::made("c", Kind::Bool),
        Param::made("Y", Kind::Slice),
        Param::made("v", Kind::Word),
        Param::made("U", Kind::Table),
        Param::changed("Z", Kind::Slice),
        Param::changed("P", Kind::Table),
    ],
    result: None,
    preconditions: &[Precondition::AtMost(SizeExpr::value(0), SizeExpr::Number(i64::MAX - 1))],
    declines: Some("s is `body`"),
    summary: "does a bit of everything",
});

/// A product beyond 64 bits has no value.
const TWICE: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-twice",
    module: "toy",
    routines: &["TWICE"],
    params: &[Param::value("n", Kind::Int)],
    result: Some(Kind::Int),
    preconditions: &[Precondition::Within(
        SizeExpr::Number(i64::MIN),
        SizeExpr::Product(&[SizeExpr::Number(2), SizeExpr::value(0)]),
        SizeExpr::Number(i64::MAX),
    )],
    declines: None,
    summary: "adds",
});

fn every(call: &mut IntrinsicCall) -> IntrinsicResult {
    if call.text(2)? == "body" {
        return Err(NotTaken::declined());
    }
    let (n, b) = (call.int(0)?, call.truth(1)?);
    let mut complements = Vec::new();
    for (from, to) in [(3, 8), (4, 9)] {
        let len = call.bits(from)?.len();
        let mut bits = call.reserve_bits(to, len)?;
        complement(bits.limbs_mut(), call.bits(from)?.limbs(), len);
        complements.push((to, bits));
    }
    let [n_rows, n_cols] = call.table_size(5)?;
    call.transpose(5, LineOrder::Rows)?;
    let mut by_rows = call.reserve_table(10, n_rows, n_cols, LineOrder::Rows)?;
    by_rows.storage_mut().copy_from_slice(call.lines(5, LineOrder::Rows)?.storage());
    call.own(12, Some(LineOrder::Rows))?;
    // All memory is allocated: now it writes.
    call.change_lines(12, |rows, lines, call| {
        assert_eq!(lines, LineOrder::Rows);
        let n_cols = rows.n_rows();
        for row in 0..rows.n_cols() {
            let before = rows.column_limbs(row).to_vec();
            complement(rows.column_limbs_mut(row), &before, n_cols);
        }
        // While a table is changed the other parameters can be read.
        let len = call.bits(11)?.len();
        call.change_bits(11, |limbs, call| {
            let before = limbs.to_vec();
            complement(limbs, &before, len);
            call.put_int(6, n + 1)
        })?;
        call.put_truth(7, !b)
    })?;
    for (to, bits) in complements {
        call.put_bits(to, bits)?;
    }
    call.put_table(10, by_rows, LineOrder::Rows)
}

/// `to = not from`, of which `len` bits are significant.
fn complement(to: &mut [u64], from: &[u64], len: usize) {
    for (idx, (to, from)) in to.iter_mut().zip(from).enumerate() {
        let n_bits = (len - 64 * idx).min(64);
        *to = !from & (u64::MAX >> (64 - n_bits));
    }
}

fn twice(call: &mut IntrinsicCall) -> IntrinsicResult {
    let twice = call.int(0)? + call.int(0)?;
    call.put_int(Target::Value, twice)
}

const CALLER: &str = "import \"star:toy\";
    procedure TRY(n: integer; b: boolean; s: string; X: slice; w: word; T: table;
      var m: integer; var c: boolean; var Y: slice; var v: word; var U: table; var Z: slice; var P,Q: table);
    begin P:=Q; EVERY(n,b,s,X,w,T,m,c,Y,v,U,Z,P); end;";

/// Builds the arguments of the caller for n rows and k columns.
fn args(number: i64, text: &str, n: usize, k: usize) -> Vec<Value> {
    let bits =
        |len: usize| BitVector::from_bools(&(0..len).map(|i| i % 3 == 0).collect::<Vec<_>>());
    vec![
        Value::Int(number),
        Value::Bool(k.is_multiple_of(2)),
        Value::Str(text.to_owned()),
        Value::Slice(bits(n)),
        Value::Word(bits(k)),
        Value::from(table(n, k)),
        Value::Unset,
        Value::Unset,
        // It keeps its size.
        if k == 5 { Value::Slice(bits(7)) } else { Value::Unset },
        Value::Unset,
        if n == 64 { Value::from(table(n, k + 1)) } else { Value::Unset },
        if n == 65 { Value::Unset } else { Value::Slice(bits(k)) },
        Value::Unset,
        Value::from(table(k, n)),
    ]
}

#[test]
fn parameters_of_every_kind_are_passed_and_returned() {
    let mocks = MockIntrinsics::with(MODULE, &[(EVERY, every), (TWICE, twice)], CALLER);
    let mut n_taken = 0;
    for (n, k) in [(1, 1), (3, 70), (64, 3), (65, 2), (128, 64), (130, 129), (70, 5)] {
        let is_taken = mocks.agree(&args(n as i64, "s", n, k));
        // A slice or table with another fixed size, and a changed one that is not set.
        assert_eq!(is_taken, u64::from(k != 5 && n != 64 && n != 65), "{n} x {k}");
        n_taken += is_taken;
        assert_eq!(mocks.agree(&args(n as i64, "body", n, k)), 0);
        assert_eq!(mocks.agree(&args(i64::MAX, "s", n, k)), 0);
    }
    assert_eq!(n_taken, 4);
}

#[test]
fn a_function_returns_the_value_of_its_intrinsic() {
    let caller = "import \"star:toy\";
        procedure TRY(n: integer; var m: integer); begin m:=TWICE(n)+1; end;";
    let mocks = MockIntrinsics::with(MODULE, &[(EVERY, every), (TWICE, twice)], caller);
    for (n, n_taken) in [(21, 1), (-3, 1), (i64::MIN / 2, 1), (i64::MAX, 0), (i64::MIN, 0)] {
        assert_eq!(mocks.agree(&[Value::Int(n), Value::Unset]), n_taken, "{n}");
    }
}
