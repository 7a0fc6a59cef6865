//! Guards, and the text of traps.

use star_ir::{
    Arg, Check, Frame, IntOp, LocId, Mode, NamedSize, Op, RoutineId, Simple, SizeOperand, StmtKind,
    Trap, TrapKind, Ty, VarId,
};
use star_value::BitVector;

use super::*;

/// Variables of every kind, as parameters by reference: 0 int, 1 bool, 2 slice `0110`, 3 word of 64
/// ones, 4 table 3 × 2, then unset: 5 slice, 6 table, 7 int.
fn check(check: Check, fixed: bool) -> Option<TrapKind> {
    let mut draft = Draft::new("main");
    for (name, ty) in [
        ("i", Ty::Int),
        ("b", Ty::Bool),
        ("X", SLICE),
        ("w", WORD),
        ("T", TABLE),
        ("Y", SLICE),
        ("F", TABLE),
        ("j", Ty::Int),
    ] {
        draft.param(name, ty, Mode::Ref);
    }
    let program = program(vec![draft.body(vec![st(StmtKind::Simple(Simple::Check(check)))])]);
    let values = vec![
        HostValue::Int(7),
        HostValue::Bool(false),
        slice("0110"),
        word(&"1".repeat(64)),
        table(&["00", "01", "10"]),
        HostValue::Unset,
        HostValue::Unset,
        HostValue::Unset,
    ];
    let mut trial = Trial::new();
    trial.fixed = fixed;
    match trial.run(&program, values.clone()) {
        (Outcome::Done, after) => {
            assert_eq!(after, values);
            None
        }
        (Outcome::Trap(trap), _) => Some(trap.kind),
        (other, _) => panic!("{other:?}"),
    }
}

/// Returns the name of a variable of [`check`].
fn name(var: VarId) -> Option<String> {
    Some(["i", "b", "X", "w", "T", "Y", "F", "j"][var.0 as usize].to_owned())
}

fn size(of: &SizeOperand) -> NamedSize {
    match of {
        SizeOperand::Length(var) => NamedSize::Length(name(*var)),
        SizeOperand::Rows(var) => NamedSize::Rows(name(*var)),
        SizeOperand::Columns(var) => NamedSize::Columns(name(*var)),
        SizeOperand::Value(_) => NamedSize::Number,
    }
}

const I: VarId = VarId(0);
const B: VarId = VarId(1);
const X: VarId = VarId(2);
const W: VarId = VarId(3);
const T: VarId = VarId(4);
const Y: VarId = VarId(5);
const F: VarId = VarId(6);
const J: VarId = VarId(7);

#[test]
fn set_and_result_check_for_a_value() {
    for var in [I, B, X, W, T] {
        assert_eq!(check(Check::Set(var), false), None);
        assert_eq!(check(Check::Result(var), false), None);
    }
    assert_eq!(check(Check::Set(Y), false), Some(TrapKind::Unset(name(Y))));
    assert_eq!(check(Check::Set(J), false), Some(TrapKind::Unset(name(J))));
    assert_eq!(check(Check::Set(F), false), Some(TrapKind::NoSize(name(F))));
    assert_eq!(check(Check::Result(J), false), Some(TrapKind::NoResult));
}

#[test]
fn sized_checks_for_a_known_size() {
    for var in [X, W, T] {
        assert_eq!(check(Check::Sized(var), false), None);
    }
    for var in [Y, F] {
        assert_eq!(check(Check::Sized(var), false), Some(TrapKind::NoSize(name(var))));
    }
}

#[test]
fn negative_sizes_in_guards_are_traps() {
    let index = |index, limit| {
        let of = SizeOperand::Value(n(limit));
        let trap = TrapKind::Index { index, high: 0, of: size(&of) };
        assert_eq!(trap.code(), Code::RangeTrap, "the end of a part");
        assert_eq!(check(Check::Index(n(index), of), false), Some(trap));
    };
    index(1, -1);
    index(-5, i64::MIN);
    let range = |base, width| {
        let limit = SizeOperand::Value(n(-1));
        check(Check::Range { base: n(base), width: n(width), limit }, false)
    };
    let (high, of) = (0, NamedSize::Number);
    assert_eq!(range(0, 0), None);
    assert_eq!(range(0, 1), Some(TrapKind::Range { from: 1, to: 1, high, of }));
    let negative = TrapKind::Negative { value: -2, name: None };
    for of in [
        SizeOperand::Length(X),
        SizeOperand::Length(Y),
        SizeOperand::Rows(T),
        SizeOperand::Value(n(-2)),
    ] {
        let size = SizeOperand::Value(n(-2));
        let trap = Some(negative.clone());
        assert_eq!(check(Check::Size(of.clone(), size.clone()), false), trap);
        assert_eq!(check(Check::Size(size, of), false), trap);
    }
}

#[test]
fn index_holds_from_one_to_the_limit() {
    let limits = [
        (SizeOperand::Length(X), 4),
        (SizeOperand::Rows(T), 3),
        (SizeOperand::Columns(T), 2),
        (SizeOperand::Value(v(I)), 7),
        (SizeOperand::Columns(F), 0),
    ];
    for (of, high) in limits {
        for index in [i64::MIN, -1, 0, 1, high, high + 1, i64::MAX] {
            let expected = (!(1..=high).contains(&index)).then(|| TrapKind::Index {
                index,
                high: high as u64,
                of: size(&of),
            });
            assert_eq!(check(Check::Index(n(index), of.clone()), false), expected);
        }
    }
}

#[test]
fn new_column_holds_up_to_the_columns_of_a_fixed_table() {
    for index in [0, 1, 2, 3, i64::MAX] {
        let trap = |high| TrapKind::Index { index, high, of: size(&SizeOperand::Columns(T)) };
        let fixed = (!(1..=2).contains(&index)).then(|| trap(2));
        assert_eq!(check(Check::NewColumn(T, n(index)), true), fixed);
        let grows = (index < 1).then(|| trap(i64::MAX as u64));
        assert_eq!(check(Check::NewColumn(T, n(index)), false), grows);
    }
}

#[test]
fn size_accepts_unset_variables() {
    let (left, right) = (SizeOperand::Length(X), SizeOperand::Rows(T));
    let trap = TrapKind::Size { left: (size(&left), 4), right: (size(&right), 3) };
    assert_eq!(check(Check::Size(left.clone(), right.clone()), false), Some(trap));
    assert_eq!(check(Check::Size(left.clone(), SizeOperand::Value(n(4))), false), None);
    for never in [SizeOperand::Length(Y), SizeOperand::Rows(F), SizeOperand::Columns(F)] {
        assert_eq!(check(Check::Size(left.clone(), never.clone()), false), None);
        assert_eq!(check(Check::Size(never, right.clone()), false), None);
    }
}

#[test]
fn range_must_be_inside_or_empty() {
    for (base, width, holds) in [
        (0, 4, true),
        (4, 0, true),
        (2, 2, true),
        (5, 0, false),
        (2, 3, false),
        (-1, 2, false),
        (2, -1, false),
        (i64::MAX, i64::MAX, false),
        (i64::MIN, i64::MIN, false),
    ] {
        let of = SizeOperand::Length(X);
        let trap = TrapKind::Range {
            from: base.saturating_add(1),
            to: base.saturating_add(width),
            high: 4,
            of: size(&of),
        };
        let range = Check::Range { base: n(base), width: n(width), limit: of };
        assert_eq!(check(range, false), (!holds).then_some(trap), "{base} {width}");
    }
}

#[test]
fn numbers_are_guarded() {
    let int = |op, left, right| check(Check::Int(op, n(left), n(right)), false);
    let overflow = |op, left, right| Some(TrapKind::Overflow { op, left, right });
    let (min, max) = (i64::MIN, i64::MAX);
    assert_eq!(int(IntOp::Add, max, 0), None);
    assert_eq!(int(IntOp::Add, max, 1), overflow(IntOp::Add, max, 1));
    assert_eq!(int(IntOp::Sub, min, 1), overflow(IntOp::Sub, min, 1));
    assert_eq!(int(IntOp::Mul, min, -1), overflow(IntOp::Mul, min, -1));
    assert_eq!(int(IntOp::Div, min, -1), overflow(IntOp::Div, min, -1));
    assert_eq!(int(IntOp::Mod, min, -1), None);
    for op in [IntOp::Div, IntOp::Mod] {
        assert_eq!(int(op, 5, 0), Some(TrapKind::Division { op, left: 5 }));
    }
    for bit in [-1, 0, 1, 2] {
        let expected = (!(0..=1).contains(&bit)).then_some(TrapKind::Bit(bit));
        assert_eq!(check(Check::Bit(n(bit)), false), expected);
    }
    assert_eq!(check(Check::NotNegative(v(I)), false), None);
    let negative = |value| Some(TrapKind::Negative { value, name: None });
    assert_eq!(check(Check::NotNegative(n(-1)), false), negative(-1));
    let fits = |value, width| {
        let (value, width) = (n(value), n(width));
        check(Check::Fits { value, width }, false)
    };
    assert_eq!(fits(7, 3), None);
    assert_eq!(fits(0, 0), None);
    assert_eq!(fits(max, 63), None);
    assert_eq!(fits(max, max), None);
    assert_eq!(fits(8, 3), Some(TrapKind::Fit { value: 8, width: 3 }));
    assert_eq!(fits(-1, 64), Some(TrapKind::Fit { value: -1, width: 64 }));
    assert_eq!(fits(1, -2), negative(-2));
    let row = |row| check(Check::FitsRow { row: n(row), width: n(4) }, false);
    assert_eq!(row(0), None);
    assert_eq!(row(3), Some(TrapKind::FitRow { row: 3, width: 4 }));
}

#[test]
fn words_and_conditions_are_guarded() {
    assert_eq!(check(Check::FitsInt(W), false), Some(TrapKind::FitInt(name(W))));
    assert_eq!(check(Check::FitsInt(X), false), None);
    assert_eq!(check(Check::Even(X), false), None);
    let carry = |op| check(Check::NoCarry(op, W, W), false);
    assert_eq!(carry(IntOp::Add), Some(TrapKind::Carry { op: IntOp::Add }));
    assert_eq!(carry(IntOp::Sub), None);
    assert_eq!(
        check(Check::Assert(v(B), text("must be")), false),
        Some(TrapKind::Assert("must be".to_owned()))
    );
    assert_eq!(check(Check::Assert(Operand::Bool(true), text("")), false), None);
}

#[test]
fn a_trap_names_frames_calls_and_values() {
    let mut callee = Draft::new("callee");
    let y = callee.param("Y", SLICE, Mode::Ref);
    let i = callee.param("i", Ty::Int, Mode::Value);
    let z = callee.var("Z", SLICE);
    let handle = callee.var("H", Ty::Handle);
    let callee = callee.body(vec![
        set(y, Op::BitsNot(y)),
        at(2, StmtKind::Simple(Simple::Check(Check::Index(v(i), SizeOperand::Length(y))))),
    ]);
    let call = |callee, arg, var| {
        StmtKind::Simple(Simple::Call {
            callee: RoutineId(callee),
            args: vec![Arg::Ref(var), arg],
            dst: None,
        })
    };
    let mut middle = Draft::new("middle");
    let x = middle.param("X", SLICE, Mode::Ref);
    let k = middle.param("k", Ty::Int, Mode::Value);
    let middle = middle.body(vec![at(4, call(2, Arg::Value(v(k)), x))]);
    let mut main = Draft::new("main");
    let m = main.param("M", SLICE, Mode::Ref);
    let main = main.body(vec![at(3, call(1, Arg::Value(n(7)), m))]);
    let mut program = program(vec![main, middle, callee]);
    program.locations.get_mut(LocId(2)).unwrap().operands =
        vec![named(i, "i"), named(y, "Y"), named(z, "Z"), named(handle, "H")];
    let (outcome, after) = Trial::new().run(&program, vec![slice("0110")]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = Trap {
        kind: TrapKind::Index { index: 7, high: 4, of: NamedSize::Length(Some("Y".to_owned())) },
        loc: LocId(2),
        frames: vec![
            Frame { routine: RoutineId(0), call: None },
            Frame { routine: RoutineId(1), call: Some(LocId(3)) },
            Frame { routine: RoutineId(2), call: Some(LocId(4)) },
        ],
        values: vec![pair("i", "7"), pair("Y", "1001"), pair("Z", "unset")],
    };
    assert_eq!(outcome, Outcome::Trap(Box::new(expected)));
    assert_eq!(after, [slice("1001")], "the remaining state");
}

#[test]
fn requests_refused_by_the_host_are_traps() {
    let mut draft = Draft::new("main");
    let t = draft.var("T", TABLE);
    let read = program(vec![draft.body(vec![at(
        5,
        StmtKind::Simple(Simple::Read { dst: t, file: text("none"), layout: None }),
    )])]);
    let (outcome, _) = Trial::new().run(&read, vec![]);
    let Outcome::Trap(trap) = outcome else { panic!("{outcome:?}") };
    assert_eq!(trap.loc, LocId(5));
    assert!(matches!(&trap.kind, TrapKind::File { message, .. } if message == "no file `none`"));

    let print =
        program(vec![Draft::new("main").body(vec![st(StmtKind::Simple(Simple::Print(vec![])))])]);
    let mut trial = Trial::new();
    trial.host.deaf = true;
    let (outcome, _) = trial.run(&print, vec![]);
    assert!(matches!(outcome, Outcome::Trap(trap) if matches!(trap.kind, TrapKind::File { .. })));
    assert_eq!(trial.stats.output_bytes, 0);
}

#[test]
fn shuffle_rejects_an_odd_number_of_components() {
    let mut draft = Draft::new("main");
    let x = draft.var("X", SLICE);
    let program = program(vec![draft.body(vec![
        set(x, Op::Literal(BitVector::parse("011").unwrap())),
        st(StmtKind::Simple(Simple::Check(Check::Even(x)))),
    ])]);
    let (outcome, _) = Trial::new().run(&program, vec![]);
    assert!(matches!(outcome, Outcome::Trap(trap) if trap.kind == TrapKind::Odd(3)));
}
