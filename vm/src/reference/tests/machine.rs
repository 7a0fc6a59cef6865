//! The backend trait: values in and out, stores to parts, sizes, files, plans.

use star_ir::{
    Arg, Block, Check, Extent, Mode, Op, Program, RoutineId, Simple, SizeOp, SizeOperand, StmtKind,
    TrapKind, Ty, VarId,
};
use star_value::{BitTable, BitVector};

use super::super::MAX_BYTES;
use super::*;

#[test]
fn values_round_trip() {
    let backend = Reference::new();
    for len in EDGES {
        let bits = BitVector::from_bools(&noise(len, 1));
        let columns = [bits.clone(), BitVector::zeros(len)];
        let tall = BitTable::from_columns(len, &columns);
        let extent = |n: usize| Extent::Const(n as u64);
        for (value, ty) in [
            (HostValue::Unset, None),
            (HostValue::Int(-3), Some(Ty::Int)),
            (HostValue::Bool(true), Some(Ty::Bool)),
            (HostValue::Str("я".to_owned()), Some(Ty::Str)),
            (HostValue::Slice(bits.clone()), Some(Ty::Slice(extent(len)))),
            (HostValue::Word(bits.clone()), Some(Ty::Word(extent(len)))),
            (HostValue::from(tall.clone()), Some(Ty::Table(extent(len), extent(2)))),
        ] {
            let loaded = backend.load(value.clone(), true).unwrap();
            assert_eq!(backend.ty(&loaded), ty.map(TypeInfo::from));
            assert_eq!(backend.store(&loaded, Part::Whole, &AtomicBool::default()), Ok(value));
        }
        let loaded = backend.load(HostValue::from(tall), false).unwrap();
        let first = BitTable::from_columns(len, &columns[..1]);
        let columns =
            |columns| backend.store(&loaded, Part::Columns(columns), &AtomicBool::default());
        assert_eq!(columns(0..1), Ok(first.into()));
        assert!(matches!(columns(1..3), Err(BackendError::Internal(_))));
    }
    let loaded = backend.load(HostValue::Int(1), false).unwrap();
    let columns = backend.store(&loaded, Part::Columns(0..0), &AtomicBool::default());
    assert!(matches!(columns, Err(BackendError::Internal(_))));
}

#[test]
fn the_plan_explains_itself() {
    let backend = Reference::new();
    let program = program(vec![Draft::new("main").body(vec![])]);
    let explanation = backend.explain(&planned(&backend, &program, CompileOptions::default()));
    let first = &explanation.items[0];
    assert_eq!((first.subject, first.routine, first.loc), (Subject::Program, None, None));
    assert_eq!(first.became, Became::Form("SIR as given, 1 routine, entry `main`".to_owned()));
}

#[test]
fn mismatched_arguments_are_an_internal_error_and_stay() {
    let mut draft = Draft::new("main");
    draft.param("x", SLICE, Mode::Ref);
    draft.param("i", Ty::Int, Mode::Value);
    let program = program(vec![draft.body(vec![])]);
    for values in [
        vec![slice("01")],
        vec![word("01"), HostValue::Int(1)],
        vec![slice("01"), HostValue::Unset],
    ] {
        let (outcome, after) = Trial::new().run(&program, values.clone());
        assert!(matches!(outcome, Outcome::Internal(_)));
        assert_eq!(after, values);
    }
}

#[test]
fn invalid_programs_are_an_internal_error() {
    let nothing = star_ir::Program::default();
    let i = Draft::new("main").var("i", Ty::Int);
    let astray = [
        vec![st(StmtKind::Break(LabelId(7)))],
        vec![st(StmtKind::Continue(LabelId(7)))],
        vec![set(i, Op::Copy(text("x")))],
    ];
    let cpu = Cpu::new();
    for options in [CompileOptions::default(), CompileOptions::AS_LOWERED] {
        let code = cpu.compile(nothing.clone(), &options, None).unwrap().code;
        assert!(matches!(cpu.plan(&code, ENTRY, &[]), Err(BackendError::Internal(_))));
        let mut faults = astray.iter().map(|body| {
            let mut draft = Draft::new("main");
            draft.var("i", Ty::Int);
            cpu.compile(program(vec![draft.body(body.clone())]), &options, None).map(|_| ())
        });
        let said = |fault| match fault {
            Err(BackendError::Internal(what)) => what,
            other => panic!("{other:?}"),
        };
        for what in
            ["a `break` outside of a construct", "a `continue` outside of a loop", "a text where"]
        {
            let fault = said(faults.next().unwrap());
            assert!(fault.starts_with(what) && fault.ends_with("(`main`, location !0)"), "{fault}");
        }
    }
    let reference = Reference::new();
    let code = reference.compile(nothing, &CompileOptions::default(), None).unwrap().code;
    assert!(matches!(reference.plan(&code, ENTRY, &[]), Err(BackendError::Internal(_))));
}

#[test]
fn stores_to_parts_change_the_argument_passed_by_reference() {
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Ref);
    let x = draft.param("X", SLICE, Mode::Ref);
    let w = draft.param("w", WORD, Mode::Ref);
    let i = draft.param("i", Ty::Int, Mode::Ref);
    let f = draft.var("F", TABLE);
    let u = draft.var("u", WORD);
    let program = program(vec![draft.body(vec![
        st(StmtKind::Simple(Simple::Step { dst: i, bits: x })), // i = 2, X = 001
        st(StmtKind::Simple(Simple::Put { bits: w, index: n(4), bit: n(1) })), // w = 0001
        st(StmtKind::Simple(Simple::PutRow { table: t, index: v(i), value: w })),
        st(StmtKind::Simple(Simple::PutColumn { table: t, index: n(1), value: x })),
        set(f, Op::Field { table: t, base: n(0), width: n(2) }),
        st(StmtKind::Simple(Simple::PutField { table: t, base: n(2), value: f })),
        st(StmtKind::Simple(Simple::PutField { table: t, base: n(0), value: t })),
        st(StmtKind::Simple(Simple::PutBit { table: t, row: n(1), column: n(1), bit: n(1) })),
        set(u, Op::Literal(BitVector::parse("11").unwrap())),
        st(StmtKind::Simple(Simple::Replace { word: w, base: n(1), value: u })),
    ])]);
    let values =
        vec![table(&["0000", "0000", "0100"]), slice("011"), word("0000"), HostValue::Unset];
    let expected =
        vec![table(&["1000", "0000", "1111"]), slice("001"), word("0111"), HostValue::Int(2)];
    assert_eq!(run(&program, values), expected);
}

/// `COL(3, T) := 10` on a table without rows.
fn growing() -> Program {
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Ref);
    let x = draft.param("X", SLICE, Mode::Value);
    program(vec![draft.body(vec![
        st(StmtKind::Simple(Simple::Size(SizeOp::SetRows {
            table: t,
            rows: SizeOperand::Length(x),
        }))),
        st(StmtKind::Simple(Simple::Check(star_ir::Check::NewColumn(t, n(3))))),
        st(StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns {
            table: t,
            columns: SizeOperand::Value(n(3)),
        }))),
        st(StmtKind::Simple(Simple::PutColumn { table: t, index: n(3), value: x })),
    ])])
}

#[test]
fn a_table_grows_unless_it_is_fixed() {
    let after = run(&growing(), vec![HostValue::Unset, slice("10")]);
    assert_eq!(after, [table(&["001", "000"]), slice("10")]);
    let after = run(&growing(), vec![table(&["1", "1"]), slice("10")]);
    assert_eq!(after[0], table(&["101", "100"]));
    let mut trial = Trial::new();
    trial.fixed = true;
    let (outcome, after) = trial.run(&growing(), vec![table(&["1", "1"]), slice("10")]);
    let Outcome::Trap(trap) = outcome else { panic!("{outcome:?}") };
    let high = 1;
    let of = star_ir::NamedSize::Columns(Some("T".to_owned()));
    assert_eq!(trap.kind, star_ir::TrapKind::Index { index: 3, high, of });
    assert_eq!(after[0], table(&["1", "1"]));
}

#[test]
fn size_operations_act_once() {
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Ref);
    let x = draft.param("X", SLICE, Mode::Ref);
    let k = draft.param("k", Ty::Int, Mode::Ref);
    let init = |rows, columns| {
        st(StmtKind::Simple(Simple::Size(SizeOp::Init {
            table: t,
            rows: n(rows),
            columns: n(columns),
        })))
    };
    let latch = |size| st(StmtKind::Simple(Simple::Size(SizeOp::Latch { dst: k, size })));
    let adapt = |size| {
        let size = n(size);
        st(StmtKind::Simple(Simple::Size(SizeOp::Adapt { bits: x, size })))
    };
    let program = program(vec![draft.body(vec![
        init(2, 3),
        init(7, 7),
        latch(SizeOperand::Columns(t)),
        latch(SizeOperand::Rows(t)),
        adapt(3),
    ])]);
    let unset = || HostValue::Unset;
    let zeros = table(&["000", "000"]);
    let after = run(&program, vec![unset(), slice("010"), unset()]);
    assert_eq!(after, [zeros.clone(), slice("010"), HostValue::Int(3)]);
    let after = run(&program, vec![unset(), slice("01"), unset()]);
    assert_eq!(after, [zeros, unset(), HostValue::Int(3)]);
    let mut trial = Trial::new();
    trial.fixed = true;
    let (_, after) = trial.run(&program, vec![unset(), slice("01"), unset()]);
    assert_eq!(after[1], slice("01"), "a sized slice keeps its size");
}

/// X by reference, k by reference; `fix X, 3`, then the statements.
fn fixed_to_three(body: impl FnOnce([VarId; 2]) -> Block) -> Program {
    let mut draft = Draft::new("main");
    let x = draft.param("X", SLICE, Mode::Ref);
    let k = draft.param("k", Ty::Int, Mode::Ref);
    let mut stmts = vec![fix(x, 3)];
    stmts.extend(body([x, k]));
    program(vec![draft.body(stmts)])
}

fn fix(bits: VarId, size: i64) -> star_ir::Stmt {
    st(StmtKind::Simple(Simple::Size(SizeOp::Fix { bits, size: n(size) })))
}

fn adapt(bits: VarId, size: i64) -> star_ir::Stmt {
    st(StmtKind::Simple(Simple::Size(SizeOp::Adapt { bits, size: n(size) })))
}

#[test]
fn a_fixed_size_is_measured_before_the_slice_is_set() {
    let checks = |x, size| {
        let check = |check| st(StmtKind::Simple(Simple::Check(check)));
        vec![
            check(Check::Sized(x)),
            check(Check::Size(SizeOperand::Length(x), SizeOperand::Value(n(size)))),
        ]
    };
    let run_fixed = |fixed, values: [HostValue; 2], body: &dyn Fn([VarId; 2]) -> Block| {
        let mut trial = Trial::new();
        trial.fixed = fixed;
        trial.run(&fixed_to_three(body), values.into())
    };
    let unset = || HostValue::Unset;
    let measured = |[x, k]: [VarId; 2]| {
        let mut body = checks(x, 3);
        body.push(set(k, Op::Length(x)));
        body
    };
    let (outcome, after) = run_fixed(false, [unset(), unset()], &measured);
    assert_eq!((outcome, after), (Outcome::Done, vec![unset(), HostValue::Int(3)]));
    let latched = |[x, k]: [VarId; 2]| {
        vec![st(StmtKind::Simple(Simple::Size(SizeOp::Latch {
            dst: k,
            size: SizeOperand::Length(x),
        })))]
    };
    let (_, after) = run_fixed(false, [unset(), unset()], &latched);
    assert_eq!(after[1], HostValue::Int(3));
    // A set value keeps its size.
    let (_, after) =
        run_fixed(false, [slice("01"), unset()], &|[x, k]| vec![set(k, Op::Length(x))]);
    assert_eq!(after, [slice("01"), HostValue::Int(2)]);
    // Another size is forgotten by `adapt`, and set by `fix`, unless the slice is sized.
    let no_size = TrapKind::NoSize(Some("X".to_owned()));
    let adapted = |size| {
        move |[x, _]: [VarId; 2]| {
            vec![adapt(x, size), st(StmtKind::Simple(Simple::Check(Check::Sized(x))))]
        }
    };
    let trap = |outcome| match outcome {
        Outcome::Trap(trap) => trap.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(run_fixed(false, [unset(), unset()], &adapted(3)).0, Outcome::Done);
    assert_eq!(trap(run_fixed(false, [unset(), unset()], &adapted(4)).0), no_size);
    assert_eq!(trap(run_fixed(false, [unset(), unset()], &adapted(-1)).0), no_size);
    for (fixed, size) in [(false, 4), (true, 3)] {
        let again = |[x, _]: [VarId; 2]| {
            let mut body = vec![fix(x, 4)];
            body.extend(checks(x, size));
            body
        };
        assert_eq!(run_fixed(fixed, [unset(), unset()], &again).0, Outcome::Done);
    }
    let kept = |[x, _]: [VarId; 2]| {
        let mut body = vec![adapt(x, 4)];
        body.extend(checks(x, 3));
        body
    };
    assert_eq!(run_fixed(true, [unset(), unset()], &kept).0, Outcome::Done);
}

#[test]
fn known_sizes_pass_through_calls() {
    let mut callee = Draft::new("callee");
    let y = callee.param("Y", SLICE, Mode::Ref);
    let callee = |size| {
        callee.body(vec![st(StmtKind::Simple(Simple::Check(Check::Sized(y)))), fix(y, size)])
    };
    let callee = callee(5);
    let main = |extent| {
        let mut main = Draft::new("main");
        let k = main.param("k", Ty::Int, Mode::Ref);
        let x = main.var("X", Ty::Slice(extent));
        main.body(vec![
            fix(x, 3),
            at(
                4,
                StmtKind::Simple(Simple::Call {
                    callee: RoutineId(1),
                    args: vec![Arg::Ref(x)],
                    dst: None,
                }),
            ),
            set(k, Op::Length(x)),
        ])
    };
    let after = run(&program(vec![main(Extent::Dynamic), callee.clone()]), vec![HostValue::Unset]);
    assert_eq!(after, [HostValue::Int(5)]);
    let other = program(vec![main(Extent::Const(3)), callee]);
    let (outcome, _) = Trial::new().run(&other, vec![HostValue::Unset]);
    let Outcome::Trap(trap) = outcome else { panic!("{outcome:?}") };
    assert_eq!((trap.kind.code(), trap.loc), (star_base::Code::SizeTrap, star_ir::LocId(4)));
}

#[test]
fn sizes_of_a_type_are_kept() {
    let mut draft = Draft::new("main");
    let k = draft.param("k", Ty::Int, Mode::Value);
    let x = draft.param("X", Ty::Slice(Extent::Var(k)), Mode::Ref);
    let program = program(vec![draft.body(vec![set(x, Op::Fill(n(3), true))])]);
    let after = run(&program, vec![HostValue::Int(3), HostValue::Unset]);
    assert_eq!(after[1], slice("111"));
    let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(4), HostValue::Unset]);
    assert!(matches!(outcome, Outcome::Internal(_)), "{outcome:?}");
}

#[test]
fn files_and_print_go_through_the_host() {
    let mut draft = Draft::new("main");
    let t = draft.var("T", TABLE);
    let file = text("t");
    let program = program(vec![draft.body(vec![
        st(StmtKind::Simple(Simple::Read { dst: t, file: file.clone(), layout: None })),
        st(StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns {
            table: t,
            columns: SizeOperand::Value(n(9)),
        }))),
        st(StmtKind::Simple(Simple::Write { src: t, file: text("u") })),
        st(StmtKind::Simple(Simple::Print(vec![text("T =").into(), v(t).into(), n(-1).into()]))),
    ])]);
    let mut trial = Trial::new();
    assert_eq!(trial.run(&program, vec![]).0, Outcome::Done);
    let read = table(&["01", "10", "11"]);
    assert_eq!(trial.host.written, [("u".to_owned(), read)]);
    assert_eq!(trial.host.printed, ["T =\n01\n10\n11\n-1\n"]);
    assert_eq!(trial.stats.output_bytes, 16);
    assert!(trial.stats.peak_bytes <= MAX_BYTES);
}

/// Rows 1010, 0011 … of star.md, section 6: `MATCH` column by column.
#[test]
fn figure_4_is_matched() {
    let mut draft = Draft::new("MATCH");
    let t = draft.param("T", TABLE, Mode::Value);
    let x = draft.param("X", SLICE, Mode::Value);
    let w = draft.param("v", WORD, Mode::Value);
    let z = draft.param("Z", SLICE, Mode::Ref);
    let y = draft.var("Y", SLICE);
    let i = draft.var("i", Ty::Int);
    let k = draft.var("k", Ty::Int);
    let b = draft.var("b", Ty::Int);
    let is_one = draft.var("is_one", Ty::Bool);
    let body = vec![
        set(z, Op::Copy(v(x))),
        set(k, Op::Columns(t)),
        for_up(
            0,
            i,
            n(1),
            v(k),
            vec![
                set(y, Op::Column(t, v(i))),
                set(b, Op::Component(w, v(i))),
                set(is_one, Op::Compare(star_ir::Relation::Eq, v(b), n(1))),
                st(StmtKind::If {
                    test: v(is_one),
                    then: vec![],
                    otherwise: vec![set(y, Op::BitsNot(y))],
                }),
                set(z, Op::BitsLogic(star_ir::LogicOp::And, z, y)),
            ],
        ),
    ];
    let rows = ["1010", "0011", "1011", "1011", "1011", "1010"];
    let values = vec![table(&rows), slice("101011"), word("1011"), HostValue::Unset];
    let after = run(&program(vec![draft.body(body)]), values);
    assert_eq!(after[3], slice("001010"));
}
