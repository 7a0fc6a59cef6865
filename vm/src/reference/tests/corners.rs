//! Programs that lowering does not produce, and that every backend must run identically.

use star_ir::{
    ForallRange, LabelId, LogicOp, Mode, Op, Operand, Query, Reduction, ReductionOp, Simple,
    StmtKind, Ty,
};

use super::*;

#[test]
fn a_run_that_cannot_begin_keeps_its_arguments() {
    let mut draft = Draft::new("main");
    draft.param("x", SLICE, Mode::Value);
    draft.param("T", TABLE, Mode::Ref);
    let program = program(vec![draft.body(Vec::new())]);
    let values = || vec![slice("0101"), table(&["01", "10"])];
    let mut trial = Trial::new();
    trial.limits.memory = Some(28);
    let mut host = TestHost::default();
    for (outcome, after) in [
        trial.run_on(&Reference::new(), &program, values(), &mut host),
        trial.run_on(&Cpu::new(), &program, values(), &mut host),
    ] {
        assert!(matches!(outcome, Outcome::Limit { .. }), "{outcome:?}");
        assert_eq!(after, values());
    }
}

#[test]
fn a_loop_can_be_left_and_continued_in_its_head() {
    for leaves in [true, false] {
        let mut draft = Draft::new("main");
        let iterations = draft.param("i", Ty::Int, Mode::Ref);
        let first = draft.var("b", Ty::Bool);
        let jump =
            if leaves { StmtKind::Break(LabelId(0)) } else { StmtKind::Continue(LabelId(0)) };
        let head = vec![
            increment(iterations),
            st(StmtKind::If {
                test: v(first),
                then: vec![set(first, Op::Copy(Operand::Bool(false))), st(jump)],
                otherwise: Vec::new(),
            }),
        ];
        let body = vec![
            set(iterations, Op::Copy(n(0))),
            set(first, Op::Copy(Operand::Bool(true))),
            st(StmtKind::While { label: LabelId(0), head, test: v(first), body: Vec::new() }),
        ];
        let program = program(vec![draft.body(body)]);
        let after = run(&program, vec![HostValue::Int(1)]);
        assert_eq!(after, [HostValue::Int(if leaves { 1 } else { 2 })]);
    }
}

#[test]
fn forall_visits_the_initial_ones_of_its_slice() {
    for is_private in [true, false] {
        let mut draft = Draft::new("main");
        let sum = draft.param("s", Ty::Int, Mode::Ref);
        let over = draft.var("x", SLICE);
        let index = draft.var("i", Ty::Int);
        let mut body = vec![set(sum, Op::Int(star_ir::IntOp::Add, v(sum), n(1)))];
        let mut reductions = vec![Reduction { var: sum, op: ReductionOp::Add }];
        if is_private {
            body.push(set(over, Op::Fill(n(8), true)));
        } else {
            reductions.push(Reduction { var: over, op: ReductionOp::Or });
        }
        let forall = StmtKind::Forall {
            label: LabelId(0),
            var: index,
            range: ForallRange::Ones(over),
            writes: Vec::new(),
            privates: if is_private { vec![over] } else { Vec::new() },
            reductions,
            body,
        };
        let body = vec![
            set(sum, Op::Copy(n(0))),
            set(over, Op::Literal(BitVector::parse("10100000").unwrap())),
            st(forall),
        ];
        let after = run(&program(vec![draft.body(body)]), vec![HostValue::Int(0)]);
        assert_eq!(after, [HostValue::Int(2)]);
    }
}

#[test]
fn unused_tables_are_released() {
    let mut function = Draft::new("f");
    let result = function.result("T", TABLE);
    let function = function.body(vec![set(result, Op::NewTable(n(64), n(100)))]);
    let mut draft = Draft::new("main");
    let iteration = draft.var("j", Ty::Int);
    let call = StmtKind::Simple(Simple::Call { callee: RoutineId(1), args: Vec::new(), dst: None });
    let main = draft.body(vec![for_up(0, iteration, n(1), n(10), vec![st(call)])]);
    let _ = run(&program(vec![main, function]), Vec::new());
}

#[test]
fn results_without_source_names_are_created() {
    let mut draft = Draft::new("main");
    let a = draft.param("a", SLICE, Mode::Value);
    let r = draft.param("r", SLICE, Mode::Ref);
    let k = draft.param("k", Ty::Int, Mode::Ref);
    let body = vec![set(r, Op::BitsLogic(LogicOp::Or, a, a)), set(k, Op::Query(Query::Count, r))];
    let mut routine = draft.body(body);
    routine.vars[r.0 as usize].source = None;
    let values = vec![slice("0101"), HostValue::Unset, HostValue::Int(0)];
    let after = run(&program(vec![routine]), values);
    assert_eq!(after[1..], [slice("0101"), HostValue::Int(2)]);
}

#[test]
fn lines_without_bits_cost_nothing() {
    let mut draft = Draft::new("main");
    let (t, w) = (draft.param("T", TABLE, Mode::Ref), draft.var("w", WORD));
    let body = vec![
        set(t, Op::NewTable(n(1 << 62), n(0))),
        set(w, Op::Fill(n(0), false)),
        st(StmtKind::Simple(Simple::PutRow { table: t, index: n(1), value: w })),
        set(w, Op::Row(t, n(1))),
    ];
    let _ = run(&program(vec![draft.body(body)]), vec![HostValue::Unset]);
}
