//! Polling of the flags inside every long operation: with all sizes tiny on the CPU backend, the
//! shortest operation is a long one. The flag is set from the beginning, and no other part of these
//! programs polls it: arguments move in, and there are no loops and no calls.

use star_ir::{
    Check, Direction, IntOp, LogicOp, Mode, Op, Query, Simple, SizeOperand, StmtKind, Ty,
};

use super::*;

fn tiny() -> Cpu {
    Cpu::with(cpu::Settings::tiny(), Kernels::detect())
}

/// The variables of a program: slices X, Y, words v, w, a table T, integers i.
struct Vars {
    x: VarId,
    y: VarId,
    v: VarId,
    w: VarId,
    t: VarId,
    i: VarId,
}

/// Returns the outcomes of a program of these statements, interrupted and not.
fn ends(body: impl Fn(&Vars) -> Block, arguments: [HostValue; 6]) -> [Outcome; 2] {
    let mut draft = Draft::new("P");
    let vars = Vars {
        x: draft.param("X", SLICE, Mode::Ref),
        y: draft.param("Y", SLICE, Mode::Ref),
        v: draft.param("v", WORD, Mode::Ref),
        w: draft.param("w", WORD, Mode::Ref),
        t: draft.param("T", TABLE, Mode::Ref),
        i: draft.param("i", Ty::Int, Mode::Ref),
    };
    let program = program(vec![draft.body(body(&vars))]);
    [true, false].map(|flag| {
        let mut trial = Trial::new();
        trial.interrupt = AtomicBool::new(flag);
        trial.run_on(&tiny(), &program, arguments.to_vec(), &mut TestHost::default()).0
    })
}

fn arguments(n_rows: usize, n_cols: usize) -> [HostValue; 6] {
    let bits = |len, seed| BitVector::from_bools(&noise(len, seed));
    // Only the last bits determine whether their sum carries.
    let complement: Vec<bool> = noise(n_cols, 3).iter().map(|bit| !bit).collect();
    let columns: Vec<BitVector> = (0..n_cols as u64).map(|idx| bits(n_rows, idx + 9)).collect();
    [
        HostValue::Slice(bits(n_rows, 1)),
        HostValue::Slice(bits(n_rows, 2)),
        HostValue::Word(bits(n_cols, 3)),
        HostValue::Word(BitVector::from_bools(&complement)),
        HostValue::from(BitTable::from_columns(n_rows, &columns)),
        HostValue::Int(1),
    ]
}

#[test]
fn every_long_operation_polls_the_flag() {
    type Body = fn(&Vars) -> Stmt;
    let operations: &[(&str, Body)] = &[
        ("not", |o| set(o.x, Op::BitsNot(o.y))),
        ("logic", |o| set(o.x, Op::BitsLogic(LogicOp::Xor, o.x, o.y))),
        ("fill", |o| set(o.x, Op::Fill(n(640), true))),
        ("count", |o| set(o.i, Op::Query(Query::Count, o.x))),
        ("mirror", |o| set(o.x, Op::Mirror(o.y))),
        ("shuffle", |o| set(o.x, Op::Shuffle(o.y))),
        ("shift", |o| set(o.x, Op::Shift(o.y, Direction::Up, n(3)))),
        ("rotate", |o| set(o.x, Op::Rotate(o.y, n(3)))),
        ("trim", |o| set(o.w, Op::Trim { word: o.v, base: n(1), width: n(600) })),
        ("add", |o| set(o.w, Op::WordAdd(o.v, o.w))),
        ("subtract", |o| set(o.w, Op::WordSub(o.v, o.w))),
        ("a number as a word", |o| set(o.w, Op::IntToWord { value: n(5), width: n(640) })),
        ("replace", |o| {
            st(StmtKind::Simple(Simple::Replace { word: o.v, base: n(0), value: o.w }))
        }),
        ("does a sum carry", |o| {
            st(StmtKind::Simple(Simple::Check(Check::NoCarry(IntOp::Add, o.v, o.w))))
        }),
        ("load a row", |o| set(o.v, Op::Row(o.t, n(1)))),
        ("load a column", |o| set(o.x, Op::Column(o.t, n(1)))),
        ("store a row", |o| {
            st(StmtKind::Simple(Simple::PutRow { table: o.t, index: n(1), value: o.v }))
        }),
        ("store a column", |o| {
            st(StmtKind::Simple(Simple::PutColumn { table: o.t, index: n(1), value: o.x }))
        }),
        ("print a table", |o| st(StmtKind::Simple(Simple::Print(vec![v(o.t).into()])))),
        ("print a slice", |o| st(StmtKind::Simple(Simple::Print(vec![v(o.x).into()])))),
    ];
    let interrupted = LimitKind::Interrupted;
    for (what, operation) in operations {
        let [stopped, whole] = ends(|vars| vec![operation(vars)], arguments(640, 640));
        let is_stopped = matches!(&stopped, Outcome::Limit { kind, .. } if *kind == interrupted);
        assert!(is_stopped, "{what}: {stopped:?}");
        assert_eq!(whole, Outcome::Done, "{what}");
    }
}

#[test]
fn a_single_row_is_scattered_in_pieces() {
    // By default a table is transposed only after many accesses, so the first one scatters.
    let mut settings = cpu::Settings::tiny();
    settings.eager_transposes = false;
    let cpu = Cpu::with(settings, Kernels::detect());
    let mut draft = Draft::new("P");
    let table = draft.param("T", TABLE, Mode::Ref);
    let value = draft.param("v", WORD, Mode::Ref);
    let put = st(StmtKind::Simple(Simple::PutRow { table, index: n(3), value }));
    let program = program(vec![draft.body(vec![put])]);
    let [_, _, word, _, before, _] = arguments(1000, 640);
    for flag in [true, false] {
        let mut trial = Trial::new();
        trial.interrupt = AtomicBool::new(flag);
        let values = vec![before.clone(), word.clone()];
        let (outcome, after) = trial.run_on(&cpu, &program, values, &mut TestHost::default());
        if flag {
            assert!(matches!(outcome, Outcome::Limit { .. }), "{outcome:?}");
            continue;
        }
        assert_eq!(outcome, Outcome::Done);
        let (HostValue::Table(after), HostValue::Table(before)) = (&after[0], &before) else {
            panic!("{after:?}")
        };
        assert_eq!(HostValue::Word(after.row(2)), word);
        assert_eq!((after.row(1), after.row(3)), (before.row(1), before.row(3)));
    }
}

#[test]
fn unloading_a_table_by_rows_polls_the_flag() {
    let cpu = tiny();
    let mut draft = Draft::new("P");
    let table = draft.param("T", TABLE, Mode::Ref);
    let value = draft.param("v", WORD, Mode::Ref);
    let put = st(StmtKind::Simple(Simple::PutRow { table, index: n(3), value }));
    let program = program(vec![draft.body(vec![
        st(StmtKind::Simple(Simple::Check(Check::Size(
            SizeOperand::Length(value),
            SizeOperand::Columns(table),
        )))),
        put,
    ])]);
    let [_, _, word, _, before, _] = arguments(130, 70);
    let plan = planned(&cpu, &program, CompileOptions::default());
    let never = AtomicBool::new(false);
    let taken = |interrupt: &AtomicBool| {
        let mut values = [&before, &word].map(|it| cpu.load(it.clone(), true).unwrap()).to_vec();
        let mut control = Control {
            interrupt: &never,
            deadline: &never,
            limits: Limits { steps: None, memory: None, output: None, depth: 9 },
            host: &mut TestHost::default(),
            profile: None,
            stats: Stats::default(),
        };
        assert_eq!(cpu.run(&plan, &mut values, &mut control), Outcome::Done);
        let copied = cpu.store(&values[0], Part::Whole, interrupt);
        (copied, cpu.unload(values.remove(0), Wanted::Columns, interrupt))
    };
    let stopped = Err(BackendError::Interrupted);
    assert_eq!(taken(&AtomicBool::new(true)), (stopped.clone(), stopped));
    let (copied, taken) = taken(&never);
    assert!(copied.is_ok());
    assert_eq!(copied, taken);
}
