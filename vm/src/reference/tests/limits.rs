//! Every limit, reached and just not reached.

use star_ir::{
    Arg, IntOp, LimitKind, LocId, Mode, Op, Relation, RoutineId, Simple, SizeOp, SizeOperand,
    StmtKind, Ty,
};
use std::sync::atomic::Ordering;

use super::super::MAX_BYTES;
use super::*;

fn limited(trial: &mut Trial, program: &Program, values: Vec<HostValue>) -> Option<LimitKind> {
    match trial.run(program, values).0 {
        Outcome::Done => None,
        Outcome::Limit { kind, .. } => Some(kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn steps_count_operations_iterations_and_calls() {
    let mut draft = Draft::new("main");
    let i = draft.var("i", Ty::Int);
    let x = draft.var("X", SLICE);
    let cost = |units, times| st(StmtKind::Simple(Simple::Cost { units, times }));
    let call = st(StmtKind::Simple(Simple::Call { callee: RoutineId(1), args: vec![], dst: None }));
    let main = draft.body(vec![
        for_up(0, i, n(1), n(5), vec![cost(2, None)]), // 10 operations, 5 iterations
        cost(3, Some(SizeOperand::Value(n(4)))),
        cost(3, Some(SizeOperand::Value(n(-4)))),
        cost(7, Some(SizeOperand::Length(x))),
        call,
    ]);
    let program = program(vec![main, Draft::new("leaf").body(vec![])]);
    let mut trial = Trial::new();
    trial.limits.steps = Some(28);
    assert_eq!(limited(&mut trial, &program, vec![]), None);
    assert_eq!((trial.stats.operations, trial.stats.steps), (22, 28));
    trial.limits.steps = Some(27);
    let kind = limited(&mut trial, &program, vec![]);
    assert_eq!(kind, Some(LimitKind::Steps { limit: 27 }));
}

#[test]
fn steps_saturate() {
    let mut draft = Draft::new("main");
    let i = draft.var("i", Ty::Int);
    let cost = st(StmtKind::Simple(Simple::Cost {
        units: u64::MAX,
        times: Some(SizeOperand::Value(n(i64::MAX))),
    }));
    let program = program(vec![draft.body(vec![for_up(0, i, n(1), n(3), vec![cost])])]);
    let mut trial = Trial::new();
    assert_eq!(limited(&mut trial, &program, vec![]), None);
    assert_eq!(trial.stats.steps, u64::MAX);
}

#[test]
fn an_endless_loop_ends_at_each_limit() {
    let endless = program(vec![Draft::new("main").body(vec![at(
        6,
        StmtKind::While {
            label: LabelId(0),
            head: vec![],
            test: Operand::Bool(true),
            body: vec![],
        },
    )])]);
    let mut trial = Trial::new();
    trial.limits.steps = Some(1000);
    let (outcome, _) = trial.run(&endless, vec![]);
    let kind = LimitKind::Steps { limit: 1000 };
    let loc = LocId(6);
    assert_eq!(outcome, Outcome::Limit { kind, loc });
    trial.limits.steps = None;
    trial.deadline.store(true, Ordering::Relaxed);
    assert_eq!(limited(&mut trial, &endless, vec![]), Some(LimitKind::Time));
    trial.interrupt.store(true, Ordering::Relaxed);
    assert_eq!(limited(&mut trial, &endless, vec![]), Some(LimitKind::Interrupted));
}

#[test]
fn interrupts_end_straight_code_and_single_operations() {
    let mut draft = Draft::new("main");
    let s = draft.param("s", Ty::Int, Mode::Ref);
    let straight = program(vec![draft.body(vec![increment(s); 2500])]);
    let mut trial = Trial::new();
    trial.interrupt.store(true, Ordering::Relaxed);
    let (outcome, after) = trial.run(&straight, vec![HostValue::Int(0)]);
    assert!(matches!(outcome, Outcome::Limit { kind: LimitKind::Interrupted, .. }));
    assert_eq!(after, [HostValue::Int(999)]);

    let mut draft = Draft::new("main");
    let t = draft.var("T", TABLE);
    let wide = program(vec![draft.body(vec![set(t, Op::NewTable(n(1), n(5)))])]);
    assert_eq!(limited(&mut trial, &wide, vec![]), Some(LimitKind::Interrupted));
}

#[test]
fn memory_is_counted_in_limbs() {
    // X: 65 bits = 16 bytes; its negation as well; T: 65 × 3 = 48 bytes.
    let mut draft = Draft::new("main");
    let (x, t) = (draft.var("X", SLICE), draft.var("T", TABLE));
    let program = program(vec![draft.body(vec![
        set(x, Op::Fill(n(65), true)),
        set(x, Op::BitsNot(x)),
        set(t, Op::NewTable(n(65), n(2))),
        st(StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns {
            table: t,
            columns: SizeOperand::Value(n(3)),
        }))),
    ])]);
    let mut trial = Trial::new();
    trial.limits.memory = Some(64);
    assert_eq!(limited(&mut trial, &program, vec![]), None);
    assert_eq!(trial.stats.peak_bytes, 64);
    let memory = |limit, wanted| Some(LimitKind::Memory { limit, wanted });
    for (limit, wanted) in [(63, 64), (47, 48), (31, 32), (15, 16)] {
        trial.limits.memory = Some(limit);
        assert_eq!(limited(&mut trial, &program, vec![]), memory(limit, wanted));
    }
}

#[test]
fn impossible_amounts_of_memory_are_a_limit_too() {
    let mut draft = Draft::new("main");
    let (x, t) = (draft.var("X", SLICE), draft.var("T", TABLE));
    let w = draft.var("w", WORD);
    let huge = || n(1_000_000_000_000_000_000);
    let int_to_word = Op::IntToWord { value: n(1), width: huge() };
    let grow = vec![
        set(t, Op::NewTable(n(0), n(0))),
        st(StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns {
            table: t,
            columns: SizeOperand::Value(n(i64::MAX)),
        }))),
    ];
    for body in [
        vec![set(x, Op::Fill(huge(), false))],
        vec![set(w, int_to_word)],
        vec![set(t, Op::NewTable(huge(), huge()))],
        vec![set(t, Op::NewTable(n(0), huge()))],
        vec![set(t, Op::NewTable(n(1), n(1 << 40)))],
        grow,
    ] {
        let mut draft = Draft::new("main");
        draft.var("X", SLICE);
        draft.var("T", TABLE);
        draft.var("w", WORD);
        let program = program(vec![draft.body(body)]);
        match limited(&mut Trial::new(), &program, vec![]) {
            Some(LimitKind::Memory { limit, wanted }) => {
                assert_eq!(limit, MAX_BYTES);
                assert!(wanted > limit);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn memory_is_released() {
    let mut leaf = Draft::new("leaf");
    let y = leaf.param("Y", SLICE, Mode::Value);
    let z = leaf.var("Z", SLICE);
    let leaf = leaf.body(vec![set(z, Op::BitsNot(y))]);
    let mut main = Draft::new("main");
    let x = main.param("X", SLICE, Mode::Ref);
    let i = main.var("i", Ty::Int);
    let call = st(StmtKind::Simple(Simple::Call {
        callee: RoutineId(1),
        args: vec![Arg::Value(v(x))],
        dst: None,
    }));
    let main = main.body(vec![for_up(0, i, n(1), n(50), vec![call])]);
    let program = program(vec![main, leaf]);
    let mut trial = Trial::new();
    trial.limits.memory = Some(24);
    assert_eq!(limited(&mut trial, &program, vec![slice("01")]), None);
    assert_eq!(trial.stats.peak_bytes, 24);
    trial.limits.memory = Some(7);
    let kind = limited(&mut trial, &program, vec![slice("01")]);
    let (limit, wanted) = (7, 8);
    assert_eq!(kind, Some(LimitKind::Memory { limit, wanted }));
}

#[test]
fn output_beyond_the_limit_is_not_printed() {
    let line = st(StmtKind::Simple(Simple::Print(vec![text("abc").into()])));
    let program = program(vec![Draft::new("main").body(vec![line.clone(), line])]);
    let mut trial = Trial::new();
    trial.limits.output = Some(8);
    assert_eq!(limited(&mut trial, &program, vec![]), None);
    trial.host.printed.clear();
    trial.limits.output = Some(7);
    let kind = limited(&mut trial, &program, vec![]);
    assert_eq!(kind, Some(LimitKind::Output { limit: 7 }));
    assert_eq!(trial.host.printed, ["abc\n"]);
    assert_eq!(trial.stats.output_bytes, 4);
}

#[test]
fn calls_nest_ten_thousand_deep_and_no_deeper() {
    // down(n): if n > 0 then down(n − 1), inside a few constructs
    let mut down = Draft::new("down");
    let k = down.param("n", Ty::Int, Mode::Ref);
    let more = down.var("more", Ty::Bool);
    let i = down.var("i", Ty::Int);
    let call =
        st(StmtKind::Simple(Simple::Call { callee: ENTRY, args: vec![Arg::Ref(k)], dst: None }));
    let down = down.body(vec![
        set(more, Op::Compare(Relation::Gt, v(k), n(0))),
        st(StmtKind::If {
            test: v(more),
            then: vec![
                set(k, Op::Int(IntOp::Sub, v(k), n(1))),
                for_up(0, i, n(1), n(1), vec![call]),
            ],
            otherwise: vec![],
        }),
    ]);
    let program = program(vec![down]);
    let mut trial = Trial::new();
    let (outcome, after) = trial.run(&program, vec![HostValue::Int(10_000)]);
    assert_eq!((outcome, after), (Outcome::Done, vec![HostValue::Int(0)]));
    let (outcome, after) = trial.run(&program, vec![HostValue::Int(10_001)]);
    let kind = LimitKind::Depth { limit: 10_000 };
    assert!(matches!(outcome, Outcome::Limit { kind: found, .. } if found == kind));
    assert_eq!(after, [HostValue::Int(0)], "the variable comes back");
    trial.limits.depth = 0;
    assert_eq!(limited(&mut trial, &program, vec![HostValue::Int(0)]), None);
    let kind = limited(&mut trial, &program, vec![HostValue::Int(1)]);
    assert_eq!(kind, Some(LimitKind::Depth { limit: 0 }));
}
