//! `forall` in three orders, and the conflicts that the detector finds.

use star_ir::{
    Arg, ForallRange, IntOp, LogicOp, Mode, Op, Part, PartKind, Reduction, ReductionOp, RoutineId,
    Simple, StmtKind, Ty, VarId,
};

use super::super::ForallOrder;
use super::*;

const ORDERS: [ForallOrder; 4] = [
    ForallOrder::Forward,
    ForallOrder::Backward,
    ForallOrder::Shuffled(1),
    ForallOrder::Shuffled(42),
];

/// Runs in every order and checks that all results are the same.
fn in_all_orders(program: &Program, values: &[HostValue]) -> (Outcome, Vec<HostValue>) {
    let mut runs = ORDERS.map(|order| {
        let mut trial = Trial::new();
        trial.settings.order = order;
        trial.run(program, values.to_vec())
    });
    assert!(runs.iter().all(|run| run == &runs[0]), "{runs:?}");
    std::mem::replace(&mut runs[0], (Outcome::Done, Vec::new()))
}

/// Checks that every order ends with an internal error with this message.
fn meets(program: &Program, values: &[HostValue], said: &str) {
    for order in ORDERS {
        let mut trial = Trial::new();
        trial.settings.order = order;
        match trial.run(program, values.to_vec()).0 {
            Outcome::Internal(message) => assert!(message.contains(said), "{message}"),
            other => panic!("{other:?}"),
        }
    }
}

struct ForallParts {
    var: VarId,
    range: ForallRange,
    writes: Vec<(VarId, PartKind)>,
    privates: Vec<VarId>,
    reductions: Vec<(VarId, ReductionOp)>,
    body: Block,
}

fn forall(parts: ForallParts) -> Stmt {
    let part = |(var, kind)| Part { var, kind };
    let reduction = |(var, op)| Reduction { var, op };
    st(StmtKind::Forall {
        label: LabelId(0),
        var: parts.var,
        range: parts.range,
        writes: parts.writes.into_iter().map(part).collect(),
        privates: parts.privates,
        reductions: parts.reductions.into_iter().map(reduction).collect(),
        body: parts.body,
    })
}

/// One step of Warshall's algorithm: for all i with P(k, i) = 1 at once, COL(i, P) := COL(i, P) or
/// COL(k, P) (star.md, section 6). If it `reads_neighbour`, it uses COL(i + 1, P) instead.
fn warshall_step(reads_neighbour: bool) -> Program {
    let mut draft = Draft::new("main");
    let p = draft.param("P", TABLE, Mode::Ref);
    let k = draft.param("k", Ty::Int, Mode::Value);
    let w = draft.var("w", WORD);
    let x = draft.var("X", SLICE);
    let y = draft.var("Y", SLICE);
    let i = draft.var("i", Ty::Int);
    let j = draft.var("j", Ty::Int);
    let from = if reads_neighbour { Op::Int(IntOp::Add, v(i), n(1)) } else { Op::Copy(v(i)) };
    let range = if reads_neighbour { ForallRange::Range(n(1), n(5)) } else { ForallRange::Ones(w) };
    program(vec![draft.body(vec![
        set(w, Op::Row(p, v(k))),
        set(x, Op::Column(p, v(k))),
        forall(ForallParts {
            var: i,
            range,
            writes: vec![(p, PartKind::Column)],
            privates: vec![y, j],
            reductions: vec![],
            body: vec![
                set(j, from),
                set(y, Op::Column(p, v(j))),
                set(y, Op::BitsLogic(LogicOp::Or, y, x)),
                st(StmtKind::Simple(Simple::PutColumn { table: p, index: v(i), value: y })),
            ],
        }),
    ])])
}

#[test]
fn figure_5_does_not_change_when_its_step_is_repeated() {
    let rows = ["001000", "101000", "111001", "111000", "001000", "000110"];
    let values = [table(&rows), HostValue::Int(2)];
    let (outcome, after) = in_all_orders(&warshall_step(false), &values);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(after, values);
    // The next step, k = 3: column 3 is 111110, row 3 is 111001.
    let values = [table(&rows), HostValue::Int(3)];
    let (_, after) = in_all_orders(&warshall_step(false), &values);
    let expected = ["111001", "111001", "111001", "111001", "111001", "000110"];
    assert_eq!(after[0], table(&expected));
}

#[test]
fn a_column_that_another_iteration_writes_is_a_conflict() {
    let values = [table(&["010000"; 6]), HostValue::Int(2)];
    meets(&warshall_step(true), &values, "of a `forall` conflict in column");
    meets(&warshall_step(true), &values, "of `P`");
}

/// Builds a `forall` over 1 ..= 4 with parameters T (4 × 4), X (slice of 4) and s.
fn shared(
    writes: impl FnOnce(VarId, VarId) -> Vec<(VarId, PartKind)>,
    body: impl FnOnce(&mut Draft, [VarId; 4]) -> Block,
) -> Program {
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Ref);
    let x = draft.param("X", SLICE, Mode::Ref);
    let s = draft.param("s", Ty::Int, Mode::Ref);
    let i = draft.var("i", Ty::Int);
    let before = draft.routine.vars.len();
    let body = body(&mut draft, [t, x, s, i]);
    let privates = (before..draft.routine.vars.len()).map(|idx| VarId(idx as u32));
    let parts = ForallParts {
        var: i,
        range: ForallRange::Range(n(1), n(4)),
        writes: writes(t, x),
        privates: privates.collect(),
        reductions: vec![],
        body,
    };
    program(vec![draft.body(vec![forall(parts)])])
}

fn square() -> Vec<HostValue> {
    let rows = ["1000", "0100", "0010", "1111"];
    vec![table(&rows), slice("0110"), HostValue::Int(5)]
}

#[test]
fn own_rows_fields_and_components_may_be_written() {
    let own_row = shared(
        |t, x| vec![(t, PartKind::Row), (x, PartKind::Component)],
        |draft, [t, x, _, i]| {
            let w = draft.var("w", WORD);
            let b = draft.var("b", Ty::Int);
            vec![
                set(w, Op::Row(t, v(i))),
                set(w, Op::BitsNot(w)),
                st(StmtKind::Simple(Simple::PutRow { table: t, index: v(i), value: w })),
                set(b, Op::Component(x, v(i))),
                set(b, Op::Int(IntOp::Sub, n(1), v(b))),
                st(StmtKind::Simple(Simple::Put { bits: x, index: v(i), bit: v(b) })),
            ]
        },
    );
    let (outcome, after) = in_all_orders(&own_row, &square());
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(after[0], table(&["0111", "1011", "1101", "0000"]));
    assert_eq!(after[1], slice("1001"));

    // Fields of two columns: iterations 1 and 2 have them, 3 would be outside.
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Ref);
    let (i, base) = (draft.var("i", Ty::Int), draft.var("base", Ty::Int));
    let f = draft.var("F", TABLE);
    let own_field = program(vec![draft.body(vec![forall(ForallParts {
        var: i,
        range: ForallRange::Range(n(1), n(2)),
        writes: vec![(t, PartKind::Field { base: n(0), width: n(2) })],
        privates: vec![f, base],
        reductions: vec![],
        body: vec![
            set(base, Op::Int(IntOp::Sub, v(i), n(1))),
            set(base, Op::Int(IntOp::Mul, v(base), n(2))),
            set(f, Op::NewTable(n(4), n(2))),
            st(StmtKind::Simple(Simple::PutField { table: t, base: v(base), value: f })),
        ],
    })])]);
    let (outcome, after) = in_all_orders(&own_field, &square()[..1]);
    assert_eq!((outcome, after), (Outcome::Done, vec![table(&["0000"; 4])]));
}

#[test]
fn writes_outside_all_own_parts_are_reported() {
    let scalar = shared(|_, _| vec![], |_, [_, _, s, i]| vec![set(s, Op::Copy(v(i)))]);
    meets(&scalar, &square(), "writes all of `s`, outside of its part");
    let undeclared = shared(
        |_, _| vec![],
        |_, [_, x, _, i]| {
            vec![st(StmtKind::Simple(Simple::Put { bits: x, index: v(i), bit: n(1) }))]
        },
    );
    meets(&undeclared, &square(), "of `X`, outside of its part");
    let others = shared(
        |_, x| vec![(x, PartKind::Component)],
        |_, [_, x, _, _]| {
            vec![st(StmtKind::Simple(Simple::Put { bits: x, index: n(2), bit: n(1) }))]
        },
    );
    meets(&others, &square(), "writes component 2 of `X`");
    let whole = shared(
        |_, x| vec![(x, PartKind::Component)],
        |_, [_, x, _, _]| vec![set(x, Op::BitsNot(x))],
    );
    meets(&whole, &square(), "writes all of `X`");
}

#[test]
fn own_rows_and_own_columns_mixed_are_a_conflict() {
    let mixed = shared(
        |t, _| vec![(t, PartKind::Column)],
        |draft, [t, x, _, i]| {
            let w = draft.var("w", WORD);
            vec![
                set(w, Op::Row(t, v(i))),
                st(StmtKind::Simple(Simple::PutColumn { table: t, index: v(i), value: x })),
            ]
        },
    );
    meets(&mixed, &square(), "of a `forall` conflict in");
    meets(&mixed, &square(), "of `T`");
    let print = shared(|_, _| vec![], |_, _| vec![st(StmtKind::Simple(Simple::Print(vec![])))]);
    meets(&print, &square(), "`print` inside a `forall`");
}

#[test]
fn accesses_of_a_callee_by_reference_are_detected() {
    let mut program = shared(
        |_, x| vec![(x, PartKind::Component)],
        |_, [_, x, _, i]| {
            vec![st(StmtKind::Simple(Simple::Call {
                callee: RoutineId(1),
                args: vec![Arg::Ref(x), Arg::Value(v(i))],
                dst: None,
            }))]
        },
    );
    let callee = |index: Operand| {
        let mut draft = Draft::new("callee");
        let y = draft.param("Y", SLICE, Mode::Ref);
        draft.param("j", Ty::Int, Mode::Value);
        let put = StmtKind::Simple(Simple::Put { bits: y, index, bit: n(1) });
        draft.body(vec![st(put)])
    };
    program.push(callee(v(VarId(1))));
    let (outcome, after) = in_all_orders(&program, &square());
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(after[1], slice("1111"));
    *program.routine_mut(RoutineId(1)) = callee(n(3));
    meets(&program, &square(), "component 3 of `X`");
}

#[test]
fn reductions_combine_in_any_order() {
    for accumulates in [true, false] {
        let mut draft = Draft::new("main");
        let sum = draft.param("sum", Ty::Int, Mode::Ref);
        let least = draft.param("least", Ty::Int, Mode::Ref);
        let greatest = draft.param("greatest", Ty::Int, Mode::Ref);
        let any = draft.param("any", SLICE, Mode::Ref);
        let t = draft.param("T", TABLE, Mode::Value);
        let (i, y) = (draft.var("i", Ty::Int), draft.var("Y", SLICE));
        let (sums, ors) = if accumulates {
            (Op::Int(IntOp::Add, v(sum), v(i)), Op::BitsLogic(LogicOp::Or, any, y))
        } else {
            (Op::Copy(v(i)), Op::Copy(v(y)))
        };
        let program = program(vec![draft.body(vec![forall(ForallParts {
            var: i,
            range: ForallRange::Range(n(1), n(3)),
            writes: vec![],
            privates: vec![y],
            reductions: vec![
                (sum, ReductionOp::Add),
                (least, ReductionOp::Min),
                (greatest, ReductionOp::Max),
                (any, ReductionOp::Or),
            ],
            body: vec![
                set(y, Op::Column(t, v(i))),
                set(sum, sums),
                set(least, Op::Copy(v(i))),
                set(greatest, Op::Copy(v(i))),
                set(any, ors),
            ],
        })])]);
        let values = [
            HostValue::Int(100),
            HostValue::Int(7),
            HostValue::Int(-7),
            slice("10000"),
            table(&["0000", "1000", "0000", "0011", "0001"]),
        ];
        let (outcome, after) = in_all_orders(&program, &values);
        assert_eq!(outcome, Outcome::Done);
        let expected = [106, 1, 3].map(HostValue::Int);
        assert_eq!(after[..3], expected);
        assert_eq!(after[3], slice("11010"));
    }
}

#[test]
fn privates_start_unset_and_a_loop_without_iterations_does_nothing() {
    let carried = shared(
        |_, _| vec![],
        |draft, [_, _, _, i]| {
            let a = draft.var("a", Ty::Int);
            let is_first = draft.var("is_first", Ty::Bool);
            vec![
                set(is_first, Op::Compare(star_ir::Relation::Gt, v(i), n(0))),
                st(StmtKind::Simple(Simple::Check(star_ir::Check::Set(a)))),
            ]
        },
    );
    let (outcome, _) = Trial::new().run(&carried, square());
    assert!(matches!(outcome, Outcome::Trap(_)));

    let mut draft = Draft::new("main");
    let s = draft.param("s", Ty::Int, Mode::Ref);
    let i = draft.var("i", Ty::Int);
    let none = program(vec![draft.body(vec![forall(ForallParts {
        var: i,
        range: ForallRange::Range(n(i64::MAX), n(i64::MIN)),
        writes: vec![],
        privates: vec![],
        reductions: vec![(s, ReductionOp::Min)],
        body: vec![set(s, Op::Copy(v(i)))],
    })])]);
    let (outcome, after) = in_all_orders(&none, &[HostValue::Int(5)]);
    assert_eq!((outcome, after), (Outcome::Done, vec![HostValue::Int(5)]));
}

#[test]
fn a_huge_range_needs_no_list() {
    let mut draft = Draft::new("main");
    let i = draft.var("i", Ty::Int);
    let program = program(vec![draft.body(vec![forall(ForallParts {
        var: i,
        range: ForallRange::Range(n(i64::MIN), n(i64::MAX)),
        writes: vec![],
        privates: vec![],
        reductions: vec![],
        body: vec![],
    })])]);
    for order in ORDERS {
        let mut trial = Trial::new();
        trial.settings.order = order;
        trial.limits.steps = Some(100);
        let (outcome, _) = trial.run(&program, vec![]);
        assert!(matches!(outcome, Outcome::Limit { .. }), "{outcome:?}");
    }
}
