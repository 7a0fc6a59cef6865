//! Tile kernels with tiles of several heights.

use star_base::{BitTable, BitVector};
use star_ir::{
    IntOp, LogicOp, Mode, Op, Relation, SizeOperand, StmtKind, TileReduction, TileReductionOp, Ty,
    VarId,
};
use std::num::NonZeroUsize;

use super::super::TileHeight;
use super::*;

fn heights() -> [TileHeight; 4] {
    let rows = |height| TileHeight::Rows(NonZeroUsize::new(height).unwrap());
    [TileHeight::Whole, rows(1), rows(3), rows(64)]
}

/// `MATCH` as a kernel: T, X and v by value; Z, and SOME, FND and NUMB of it, by reference. The
/// kernel also builds a table F of two columns, `not Z` and a slice of ones, and leaves the last i.
fn match_kernel() -> Program {
    let mut draft = Draft::new("main");
    let t = draft.param("T", TABLE, Mode::Value);
    let x = draft.param("X", SLICE, Mode::Value);
    let w = draft.param("v", WORD, Mode::Value);
    let z = draft.param("Z", SLICE, Mode::Ref);
    let f = draft.param("F", TABLE, Mode::Ref);
    let some = draft.param("some", Ty::Bool, Mode::Ref);
    let first = draft.param("first", Ty::Int, Mode::Ref);
    let count = draft.param("count", Ty::Int, Mode::Ref);
    let last = draft.param("last", Ty::Int, Mode::Ref);
    let all = draft.param("all", Ty::Bool, Mode::Ref);
    let rows = draft.var("rows", Ty::Int);
    let k = draft.var("k", Ty::Int);
    let y = draft.var("Y", SLICE);
    let o = draft.var("O", SLICE);
    let b = draft.var("b", Ty::Int);
    let is_one = draft.var("is_one", Ty::Bool);
    let put = |index, value| st(StmtKind::PutColumn { table: f, index: n(index), value });
    let reduce = |dst, op, of| TileReduction { dst, op, of };
    let body = vec![
        set(z, Op::Copy(v(x))),
        for_up(
            0,
            last,
            n(1),
            v(k),
            vec![
                st(StmtKind::Check(star_ir::Check::Size(
                    SizeOperand::Rows(t),
                    SizeOperand::Length(z),
                ))),
                st(StmtKind::Cost { units: 3, times: None }),
                set(y, Op::Column(t, v(last))),
                set(b, Op::Component(w, v(last))),
                set(is_one, Op::Compare(Relation::Eq, v(b), n(1))),
                st(StmtKind::If {
                    test: v(is_one),
                    then: vec![],
                    otherwise: vec![set(y, Op::BitsNot(y))],
                }),
                set(z, Op::BitsLogic(LogicOp::And, z, y)),
            ],
        ),
        set(o, Op::Fill(v(rows), true)),
        set(f, Op::NewTable(v(rows), n(2))),
        set(y, Op::BitsNot(z)),
        put(1, y),
        put(2, o),
        set(count, Op::Length(z)),
    ];
    program(vec![draft.body(vec![
        set(rows, Op::Rows(t)),
        set(k, Op::Columns(t)),
        st(StmtKind::Tile {
            rows: v(rows),
            privates: vec![y, o],
            body,
            reductions: vec![
                reduce(some, TileReductionOp::Some, z),
                reduce(first, TileReductionOp::First, z),
                reduce(all, TileReductionOp::All, o),
            ],
        }),
        st(StmtKind::Check(star_ir::Check::Size(
            SizeOperand::Length(y),
            SizeOperand::Value(n(0)), // a private slice is unset afterwards
        ))),
        set(count, Op::Int(IntOp::Add, v(count), n(1000))),
    ])])
}

#[test]
fn every_height_gives_the_same_match() {
    for n_rows in EDGES {
        let columns: Vec<BitVector> =
            (0..4).map(|j| BitVector::from_bools(&noise(n_rows, j + 1))).collect();
        let t = BitTable::from_columns(n_rows, &columns);
        let x = BitVector::from_bools(&noise(n_rows, 77));
        let wanted: BitVector = BitVector::parse("1011").unwrap();
        let matched: Vec<bool> = (0..n_rows).map(|i| x.get(i) && t.row(i) == wanted).collect();
        let z = BitVector::from_bools(&matched);
        let not_z: Vec<bool> = matched.iter().map(|bit| !bit).collect();
        let f = [BitVector::from_bools(&not_z), BitVector::from_bools(&vec![true; n_rows])];
        let first = matched.iter().position(|&bit| bit).map_or(0, |idx| idx + 1);
        for height in heights() {
            let mut trial = Trial::new();
            trial.settings.tile = height;
            let mut values = vec![
                HostValue::Table(t.clone()),
                HostValue::Slice(x.clone()),
                HostValue::Word(wanted.clone()),
            ];
            values.extend(vec![HostValue::Unset; 7]);
            values[3] = slice("010101"); // of another size: the kernel sets it anew
            let (outcome, after) = trial.run(&match_kernel(), values);
            assert_eq!(outcome, Outcome::Done, "{height:?}");
            assert_eq!(after[3], HostValue::Slice(z.clone()));
            let table = BitTable::from_columns(n_rows, &f);
            assert_eq!(after[4], HostValue::Table(table));
            assert_eq!(after[5], HostValue::Bool(z.count_ones() > 0));
            assert_eq!(after[6], HostValue::Int(first as i64));
            assert_eq!(after[7], HostValue::Int(n_rows as i64 + 1000));
            assert_eq!(after[8], HostValue::Int(4));
            assert_eq!(after[9], HostValue::Bool(true));
            assert_eq!((trial.stats.operations, trial.stats.steps), (12, 16));
        }
    }
}

/// A kernel over six rows with X by reference and a word w.
fn kernel(body: impl FnOnce([VarId; 3]) -> Block) -> Program {
    let mut draft = Draft::new("main");
    let x = draft.param("X", SLICE, Mode::Ref);
    let i = draft.param("i", Ty::Int, Mode::Ref);
    let w = draft.param("w", WORD, Mode::Ref);
    let body = body([x, i, w]);
    program(vec![draft.body(vec![st(StmtKind::Tile {
        rows: n(6),
        privates: vec![],
        body,
        reductions: vec![],
    })])])
}

fn kernel_values() -> Vec<HostValue> {
    vec![slice("011011"), HostValue::Int(3), word("101010")]
}

#[test]
fn scalars_and_words_end_as_after_one_run_of_the_body() {
    let program = kernel(|[x, i, w]| {
        vec![
            increment(i),
            set(x, Op::BitsNot(x)),
            st(StmtKind::Put { bits: w, index: v(i), bit: n(1) }),
        ]
    });
    for height in heights() {
        let mut trial = Trial::new();
        trial.settings.tile = height;
        let (outcome, after) = trial.run(&program, kernel_values());
        assert_eq!(outcome, Outcome::Done);
        assert_eq!(after, [slice("100100"), HostValue::Int(4), word("101110")]);
    }
}

#[test]
fn work_on_words_is_the_same_in_every_tile() {
    let program = kernel(|[x, i, w]| {
        vec![
            st(StmtKind::Step { dst: i, bits: w }), // w = 001010
            set(w, Op::WordAdd(w, w)),              // w = 010100
            set(w, Op::Shift(w, star_ir::Direction::Up, n(1))), // w = 101000
            st(StmtKind::Foreach {
                label: LabelId(0),
                var: i,
                over: w,
                body: vec![set(x, Op::BitsNot(x))],
            }),
        ]
    });
    for height in heights() {
        let mut trial = Trial::new();
        trial.settings.tile = height;
        let (outcome, after) = trial.run(&program, kernel_values());
        assert_eq!(outcome, Outcome::Done);
        assert_eq!(after, [slice("011011"), HostValue::Int(3), word("101000")]);
    }
}

#[test]
fn what_crosses_rows_is_an_internal_error_and_leaves_values_whole() {
    let crossing: [fn([VarId; 3]) -> Block; 5] = [
        |[_, _, w]| vec![st(StmtKind::Size(star_ir::SizeOp::Fix { bits: w, size: n(6) }))],
        |[x, i, _]| vec![set(i, Op::First(x))],
        |[x, _, _]| vec![set(x, Op::Mirror(x))],
        |[x, i, _]| vec![st(StmtKind::Step { dst: i, bits: x })],
        |_| vec![st(StmtKind::Exit)],
    ];
    for body in crossing {
        for height in heights() {
            let mut trial = Trial::new();
            trial.settings.tile = height;
            let (outcome, after) = trial.run(&kernel(body), kernel_values());
            assert!(matches!(outcome, Outcome::Internal(_)), "{outcome:?}");
            assert_eq!(after[0], slice("011011"));
        }
    }
}

#[test]
fn a_trap_inside_a_kernel_leaves_slices_and_tables_as_before() {
    let mut draft = Draft::new("main");
    let x = draft.param("X", SLICE, Mode::Ref);
    let t = draft.param("T", TABLE, Mode::Ref);
    let private = draft.param("Y", SLICE, Mode::Ref);
    let new = draft.param("Z", SLICE, Mode::Ref);
    let i = draft.param("i", Ty::Int, Mode::Ref);
    let w = draft.param("w", WORD, Mode::Ref);
    let last = draft.param("n", Ty::Int, Mode::Value);
    let body = vec![
        set(private, Op::BitsNot(x)),
        set(x, Op::Copy(v(private))),
        set(new, Op::Copy(v(private))),
        st(StmtKind::PutColumn { table: t, index: n(1), value: x }),
        increment(i),
        st(StmtKind::Put { bits: w, index: n(1), bit: n(0) }),
        at(1, StmtKind::Check(star_ir::Check::Index(v(last), SizeOperand::Columns(t)))),
        st(StmtKind::PutColumn { table: t, index: v(last), value: x }),
    ];
    let tile = StmtKind::Tile { rows: n(6), privates: vec![private], body, reductions: Vec::new() };
    let mut program = program(vec![draft.body(vec![st(tile)])]);
    program.locations.get_mut(LocId(1)).unwrap().operands =
        vec![named(x, "X"), named(private, "Y"), named(i, "i")];
    let before = |last| {
        vec![
            slice("011011"),
            table(&["01", "10", "11", "00", "01", "10"]),
            slice("10"),
            HostValue::Unset,
            HostValue::Int(3),
            word("11"),
            HostValue::Int(last),
        ]
    };
    for height in heights() {
        let mut trial = Trial::new();
        trial.settings.tile = height;
        let (outcome, after) = trial.run(&program, before(3));
        let Outcome::Trap(trap) = outcome else { panic!("{outcome:?}") };
        let shown = trap.values.iter().map(|(name, value)| format!("{name}={value}"));
        assert_eq!(shown.collect::<Vec<_>>(), ["X=011011", "Y=10", "i=4"]);
        // Numbers and words are as they were at the guard.
        let [x, t, y, z, ..] = &before(3)[..] else { unreachable!() };
        assert_eq!(after[..4], [x.clone(), t.clone(), y.clone(), z.clone()]);
        assert_eq!(after[4..6], [HostValue::Int(4), word("01")]);
        let (outcome, after) = trial.run(&program, before(2));
        assert_eq!(outcome, Outcome::Done);
        assert_eq!(
            after[..3],
            [slice("100100"), table(&["11", "00", "00", "11", "00", "00"]), HostValue::Unset]
        );
    }
}

#[test]
fn a_limit_inside_a_kernel_leaves_its_slices_as_before() {
    let program = kernel(|[x, _, _]| {
        vec![set(x, Op::BitsNot(x)), st(StmtKind::Cost { units: 9, times: None })]
    });
    let mut trial = Trial::new();
    trial.settings.tile = heights()[2];
    trial.limits.steps = Some(8);
    let (outcome, after) = trial.run(&program, kernel_values());
    assert!(matches!(outcome, Outcome::Limit { .. }));
    assert_eq!(after, kernel_values());
}
