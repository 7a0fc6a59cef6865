//! Control flow and calls.

use star_ir::{
    Arg, IntOp, LogicOp, Mode, Op, Query, Relation, RoutineId, Simple, StmtKind, Ty, VarId,
};
use star_value::BitVector;

use super::*;

/// Builds a routine over one integer `var` parameter.
fn over_int(body: impl FnOnce(&mut Draft, VarId) -> Block) -> Program {
    let mut draft = Draft::new("main");
    let s = draft.param("s", Ty::Int, Mode::Ref);
    let body = body(&mut draft, s);
    program(vec![draft.body(body)])
}

fn result(program: &Program, s: i64) -> i64 {
    match run(program, vec![HostValue::Int(s)])[..] {
        [HostValue::Int(s)] => s,
        ref other => panic!("{other:?}"),
    }
}

fn add(s: VarId, value: Operand) -> Stmt {
    set(s, Op::Int(IntOp::Add, v(s), value))
}

fn when(
    draft: &mut Draft,
    relation: Relation,
    left: Operand,
    right: Operand,
    then: Block,
) -> Block {
    let test = draft.var("test", Ty::Bool);
    vec![
        set(test, Op::Compare(relation, left, right)),
        st(StmtKind::If { test: v(test), then, otherwise: vec![] }),
    ]
}

#[test]
fn for_evaluates_its_bounds_once_and_keeps_the_last_value() {
    let counted = |from: i64, to: i64, down: bool| {
        let program = over_int(|draft, s| {
            let i = draft.var("i", Ty::Int);
            vec![
                set(i, Op::Copy(n(-77))),
                st(StmtKind::For {
                    label: LabelId(0),
                    var: i,
                    from: n(from),
                    to: n(to),
                    down,
                    body: vec![increment(s)],
                }),
                set(s, Op::Int(IntOp::Mul, v(s), n(1000))),
                add(s, v(i)),
            ]
        });
        result(&program, 0)
    };
    assert_eq!(counted(1, 5, false), 5005);
    assert_eq!(counted(5, 1, false), -77);
    assert_eq!(counted(5, 1, true), 5001);
    assert_eq!(counted(1, 5, true), -77);
    assert_eq!(counted(3, 3, false), 1003);
    let bound = over_int(|draft, s| {
        let i = draft.var("i", Ty::Int);
        vec![for_up(0, i, n(1), v(s), vec![increment(s)])]
    });
    assert_eq!(result(&bound, 3), 6);
}

#[test]
fn for_ends_at_the_ends_of_the_integers() {
    for (from, to, down) in [(i64::MAX - 2, i64::MAX, false), (i64::MIN + 2, i64::MIN, true)] {
        let program = over_int(|draft, s| {
            let var = draft.var("i", Ty::Int);
            vec![st(StmtKind::For {
                label: LabelId(0),
                var,
                from: n(from),
                to: n(to),
                down,
                body: vec![increment(s)],
            })]
        });
        assert_eq!(result(&program, 0), 3);
    }
}

#[test]
fn while_runs_its_head_before_every_test() {
    let program = over_int(|draft, s| {
        let heads = draft.var("heads", Ty::Int);
        let test = draft.var("t", Ty::Bool);
        vec![
            set(heads, Op::Copy(n(0))),
            st(StmtKind::While {
                label: LabelId(0),
                head: vec![increment(heads), set(test, Op::Compare(Relation::Lt, v(s), n(5)))],
                test: v(test),
                body: vec![increment(s), st(StmtKind::Continue(LabelId(0))), increment(s)],
            }),
            set(s, Op::Copy(v(heads))),
        ]
    });
    assert_eq!(result(&program, 0), 6);
    assert_eq!(result(&program, 9), 1);
}

#[test]
fn foreach_visits_the_ones_in_order() {
    let program = over_int(|draft, s| {
        let x = draft.var("X", SLICE);
        let i = draft.var("i", Ty::Int);
        vec![
            set(x, Op::Literal(BitVector::parse("0110010").unwrap())),
            st(StmtKind::Foreach {
                label: LabelId(0),
                var: i,
                over: x,
                body: vec![set(s, Op::Int(IntOp::Mul, v(s), n(10))), add(s, v(i))],
            }),
            add(s, v(i)),
        ]
    });
    assert_eq!(result(&program, 0), 236 + 6);
}

#[test]
fn jumps_leave_the_constructs_they_name() {
    let program = over_int(|draft, s| {
        let (i, j) = (draft.var("i", Ty::Int), draft.var("j", Ty::Int));
        let skip = when(draft, Relation::Eq, v(j), n(2), vec![st(StmtKind::Continue(LabelId(0)))]);
        let leave = when(draft, Relation::Eq, v(i), n(4), vec![st(StmtKind::Break(LabelId(9)))]);
        let inner = [vec![increment(s)], skip].concat();
        let outer = [leave, vec![for_up(1, j, n(1), n(5), inner)]].concat();
        vec![
            st(StmtKind::Block {
                label: LabelId(9),
                body: vec![for_up(0, i, n(1), n(100), outer), add(s, n(1000))],
            }),
            st(StmtKind::Exit),
            add(s, n(5000)),
        ]
    });
    assert_eq!(result(&program, 0), 6);
}

#[test]
fn a_jump_to_nowhere_is_an_internal_error() {
    for kind in [StmtKind::Break(LabelId(7)), StmtKind::Continue(LabelId(7))] {
        let program = over_int(|_, _| vec![st(kind.clone())]);
        let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(1)]);
        assert!(matches!(outcome, Outcome::Internal(_)));
    }
    let program = over_int(|_, _| {
        vec![st(StmtKind::Block {
            label: LabelId(7),
            body: vec![st(StmtKind::Continue(LabelId(7)))],
        })]
    });
    let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(1)]);
    assert!(matches!(outcome, Outcome::Internal(_)));
}

#[test]
fn reading_unset_or_mismatched_variables_is_an_internal_error() {
    let program = over_int(|draft, s| {
        let i = draft.var("i", Ty::Int);
        vec![set(s, Op::Copy(v(i)))]
    });
    let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(1)]);
    assert_eq!(outcome, Outcome::Internal("`i` is read before it is set".to_owned()));
    let program = over_int(|_, s| vec![set(s, Op::Query(Query::Count, s))]);
    let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(1)]);
    assert!(matches!(outcome, Outcome::Internal(_)));
    let program = over_int(|_, _| vec![set(VarId(9), Op::Query(Query::Count, VarId(8)))]);
    let (outcome, _) = Trial::new().run(&program, vec![HostValue::Int(1)]);
    assert!(matches!(outcome, Outcome::Internal(_)));
}

#[test]
fn arguments_are_passed_by_value_by_reference_and_moved() {
    // F := F xor v, and the callee overwrites its copies.
    let mut callee = Draft::new("callee");
    let a = callee.param("a", SLICE, Mode::Value);
    let b = callee.param("b", SLICE, Mode::Ref);
    let c = callee.param("c", SLICE, Mode::Value);
    let r = callee.result("r", Ty::Int);
    let callee = callee.body(vec![
        set(b, Op::BitsLogic(LogicOp::Xor, a, c)),
        set(a, Op::Fill(n(9), true)),
        set(r, Op::Query(Query::Count, b)),
        st(StmtKind::Exit),
    ]);
    let mut main = Draft::new("main");
    let f = main.param("F", SLICE, Mode::Ref);
    let k = main.param("k", Ty::Int, Mode::Ref);
    let y = main.param("Y", SLICE, Mode::Ref);
    let main = main.body(vec![st(StmtKind::Simple(Simple::Call {
        callee: RoutineId(1),
        args: vec![Arg::Value(v(f)), Arg::Ref(f), Arg::Move(y)],
        dst: Some(k),
    }))]);
    let values = vec![slice("1100"), HostValue::Unset, slice("1010")];
    let after = run(&program(vec![main.clone(), callee.clone()]), values.clone());
    assert_eq!(after, [slice("0110"), HostValue::Int(2), HostValue::Unset]);

    let mut twice = main;
    twice.body = vec![st(StmtKind::Simple(Simple::Call {
        callee: RoutineId(1),
        args: vec![Arg::Value(v(f)), Arg::Ref(f), Arg::Move(f)],
        dst: Some(k),
    }))];
    let (outcome, after) = Trial::new().run(&program(vec![twice, callee]), values.clone());
    assert!(matches!(outcome, Outcome::Internal(_)));
    assert_eq!(after, values);
}

#[test]
fn the_growth_property_moves_with_the_variable() {
    let grow = |table| {
        st(StmtKind::Simple(Simple::Size(star_ir::SizeOp::EnsureColumns {
            table,
            columns: star_ir::SizeOperand::Value(n(2)),
        })))
    };
    let mut callee = Draft::new("callee");
    let t = callee.param("T", TABLE, Mode::Ref);
    let callee = callee.body(vec![grow(t)]);
    let mut main = Draft::new("main");
    let a = main.sized("A", TABLE);
    let b = main.var("B", TABLE);
    let columns = main.param("c", Ty::Int, Mode::Ref);
    let more = main.var("m", Ty::Int);
    let call = |var| {
        st(StmtKind::Simple(Simple::Call {
            callee: RoutineId(1),
            args: vec![Arg::Ref(var)],
            dst: None,
        }))
    };
    let main = main.body(vec![
        set(a, Op::NewTable(n(3), n(1))),
        set(b, Op::NewTable(n(3), n(1))),
        call(a),
        call(b),
        set(columns, Op::Columns(a)),
        set(more, Op::Columns(b)),
        set(columns, Op::Int(IntOp::Mul, v(columns), n(10))),
        add(columns, v(more)),
    ]);
    let after = run(&program(vec![main, callee]), vec![HostValue::Unset]);
    assert_eq!(after, [HostValue::Int(12)]);
}

#[test]
fn recursion_gives_every_call_its_own_variables() {
    // f(n) = n · f(n − 1)
    let mut f = Draft::new("f");
    let k = f.param("n", Ty::Int, Mode::Value);
    let r = f.result("r", Ty::Int);
    let less = f.var("less", Ty::Int);
    let is_small = f.var("is_small", Ty::Bool);
    let f = f.body(vec![
        set(is_small, Op::Compare(Relation::Le, v(k), n(1))),
        st(StmtKind::If {
            test: v(is_small),
            then: vec![set(r, Op::Copy(n(1))), st(StmtKind::Exit)],
            otherwise: vec![],
        }),
        set(less, Op::Int(IntOp::Sub, v(k), n(1))),
        st(StmtKind::Simple(Simple::Call {
            callee: RoutineId(1),
            args: vec![Arg::Value(v(less))],
            dst: Some(r),
        })),
        set(r, Op::Int(IntOp::Mul, v(r), v(k))),
    ]);
    let mut main = Draft::new("main");
    let s = main.param("s", Ty::Int, Mode::Ref);
    let main = main.body(vec![st(StmtKind::Simple(Simple::Call {
        callee: RoutineId(1),
        args: vec![Arg::Value(v(s))],
        dst: Some(s),
    }))]);
    assert_eq!(result(&program(vec![main, f]), 20), 2_432_902_008_176_640_000);
}

#[test]
fn deep_nesting_needs_no_stack() {
    let program = over_int(|_, s| {
        (0..1000).fold(vec![increment(s)], |body, label| {
            vec![st(StmtKind::Block { label: LabelId(label), body })]
        })
    });
    assert_eq!(result(&program, 0), 1);
}
