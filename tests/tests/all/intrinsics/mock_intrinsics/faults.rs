//! Intrinsics that break a rule end the run as an internal error, and an intrinsic that a backend
//! lacks is reported.

use star_base::intrinsics::{Intrinsic, Kind, Param, Signature};
use star_tests::backends::Compiled;
use star_tests::run::LIMITS;
use star_value::{Argument, BitVector, Value};
use star_vm::Outcome;
use star_vm::cpu::{IntrinsicCall, IntrinsicFn, IntrinsicResult, NotTaken};

use super::MockIntrinsics;

const MODULE: &str = "procedure FILL(var X: slice; var m: integer; Z: slice);
var Y: slice;
begin Y:=not X; X:=Y xor Z; m:=1; end;
";

const FILL: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-fill",
    module: "toy",
    routines: &["FILL"],
    params: &[
        Param::changed("X", Kind::Slice),
        Param::made("m", Kind::Int),
        Param::value("Z", Kind::Slice),
    ],
    result: None,
    preconditions: &[],
    declines: None,
    summary: "breaks a rule",
});

const CALLER: &str = "import \"star:toy\";
    procedure TRY(var X: slice; var m: integer; Z: slice); begin FILL(X,m,Z); end;";

fn args() -> [Value; 3] {
    let slice = || Value::Slice(BitVector::zeros(70));
    [slice(), Value::Unset, slice()]
}

fn ends_as_a_fault(intrinsic: IntrinsicFn, message: &str) {
    let MockIntrinsics { machines: [_, _, mocks, _], entry } =
        MockIntrinsics::with(MODULE, &[(FILL, intrinsic)], CALLER);
    match mocks.run(entry, &args(), LIMITS).outcome {
        Outcome::Internal(found) => assert!(found.contains(message), "{found}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_intrinsic_that_breaks_a_rule_ends_the_run() {
    ends_as_a_fault(
        |call: &mut IntrinsicCall| {
            call.put_int(1, 1)?;
            Err(NotTaken::declined())
        },
        "the intrinsic `toy-fill` declines after a write",
    );
    ends_as_a_fault(
        |call: &mut IntrinsicCall| {
            call.put_int(1, 1)?;
            call.reserve(1)
        },
        "reserves memory after a write",
    );
    ends_as_a_fault(
        |call: &mut IntrinsicCall| call.put_bits(0, BitVector::zeros(70)),
        "writes more than it has reserved",
    );
    ends_as_a_fault(
        |call: &mut IntrinsicCall| call.change_bits(2, |_, _| Ok(())),
        "is passed by value",
    );
    ends_as_a_fault(|call: &mut IntrinsicCall| call.put_truth(1, true), "is of another kind");
    ends_as_a_fault(
        |call: &mut IntrinsicCall| call.table_size(5).map(|_| ()),
        "an intrinsic without",
    );
}

#[test]
fn a_missing_intrinsic_is_reported_and_its_star_body_runs() {
    let nothing = |_: &mut IntrinsicCall| -> IntrinsicResult { Err(NotTaken::declined()) };
    let mocks = MockIntrinsics::with(MODULE, &[(FILL, nothing)], CALLER);
    assert_eq!(mocks.agree(&args()), 0);
    let said = |machine: &Compiled| {
        let loaded = machine.load(mocks.entry, args().iter().map(Argument::of).collect());
        format!("{:?}", loaded.expect("it can run").explain())
    };
    assert!(said(&mocks.machines[1]).contains("this backend has no intrinsic `toy-fill`"));
    assert!(said(&mocks.machines[2]).contains("breaks a rule"));
}
