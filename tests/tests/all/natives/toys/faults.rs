//! Natives that break a rule end the run as an internal error, and a native that a backend has not is said.

use star_base::BitVector;
use star_base::natives::{Kind, Native, Param, Signature};
use star_tests::backends::Compiled;
use star_tests::run::LIMITS;
use star_vm::cpu::{NativeCall, NativeFn, NativeResult, NotTaken};
use star_vm::{Argument, HostValue, Outcome};

use super::Toys;

const MODULE: &str = "procedure FILL(var X: slice; var m: integer; Z: slice);
var Y: slice;
begin Y:=not X; X:=Y xor Z; m:=1; end;
";

const FILL: Native = Native::new(&Signature {
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

fn args() -> [HostValue; 3] {
    let slice = || HostValue::Slice(BitVector::zeros(70));
    [slice(), HostValue::Unset, slice()]
}

fn ends_as_a_fault(native: NativeFn, message: &str) {
    let Toys { machines: [_, _, toys, _], entry } = Toys::with(MODULE, &[(FILL, native)], CALLER);
    match toys.run(entry, &args(), LIMITS).outcome {
        Outcome::Internal(found) => assert!(found.contains(message), "{found}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_native_that_breaks_a_rule_ends_the_run() {
    ends_as_a_fault(
        |call: &mut NativeCall| {
            call.put_int(1, 1)?;
            Err(NotTaken::declined())
        },
        "the native `toy-fill` declines after a write",
    );
    ends_as_a_fault(
        |call: &mut NativeCall| {
            call.put_int(1, 1)?;
            call.reserve(1)
        },
        "reserves memory after a write",
    );
    ends_as_a_fault(
        |call: &mut NativeCall| call.put_bits(0, BitVector::zeros(70)),
        "writes more than it has reserved",
    );
    ends_as_a_fault(|call: &mut NativeCall| call.change_bits(2, |_, _| Ok(())), "is a value");
    ends_as_a_fault(|call: &mut NativeCall| call.put_truth(1, true), "is of another kind");
    ends_as_a_fault(|call: &mut NativeCall| call.table_size(5).map(|_| ()), "a native without");
}

#[test]
fn a_native_that_a_backend_has_not_runs_its_star_body_and_is_said() {
    let nothing = |_: &mut NativeCall| -> NativeResult { Err(NotTaken::declined()) };
    let toys = Toys::with(MODULE, &[(FILL, nothing)], CALLER);
    assert_eq!(toys.agree(&args()), 0);
    let said = |machine: &Compiled| {
        let loaded = machine.load(toys.entry, args().iter().map(Argument::of).collect());
        format!("{:?}", loaded.expect("it can run").explain().expect("it explains itself"))
    };
    assert!(said(&toys.machines[1]).contains("this backend has no native `toy-fill`"));
    assert!(said(&toys.machines[2]).contains("breaks a rule"));
}
