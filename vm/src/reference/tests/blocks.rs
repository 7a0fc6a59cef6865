//! `forall` loops over lines, which a backend may run in blocks with the same result as one after
//! another.

use star_base::BitTable;
use star_ir::{
    Check, ForallRange, LabelId, LogicOp, Mode, Op, Part, PartKind, SizeOperand, StmtKind, Ty,
};

use super::*;

/// Builds `forall i in ones X: body`, where `body` uses the variables P, Q, w, v, u, i.
fn program_of(
    kind: PartKind,
    body: impl FnOnce(&[VarId; 6]) -> Block,
    range: impl FnOnce(VarId) -> ForallRange,
) -> Program {
    let mut draft = Draft::new("P");
    let table = draft.param("P", TABLE, Mode::Ref);
    let other = draft.param("Q", TABLE, Mode::Value);
    let over = draft.param("X", SLICE, Mode::Value);
    let line = if matches!(kind, PartKind::Row) { WORD } else { SLICE };
    let with = draft.param("w", line, Mode::Value);
    let index = draft.var("i", Ty::Int);
    let (own, result) = (draft.var("v", line), draft.var("u", line));
    let forall = StmtKind::Forall {
        label: LabelId(0),
        var: index,
        range: range(over),
        writes: vec![Part { var: table, kind }],
        privates: vec![own, result],
        reductions: Vec::new(),
        body: body(&[table, other, with, own, result, index]),
    };
    program(vec![draft.body(vec![st(forall)])])
}

fn guard(check: Check) -> Stmt {
    st(StmtKind::Check(check))
}

/// P(i) := P(i) or w, with the guards of the lowering.
fn warshall(kind: PartKind) -> Program {
    let by_rows = matches!(kind, PartKind::Row);
    let body = |&[table, _, with, own, result, index]: &[VarId; 6]| {
        let limit = || if by_rows { SizeOperand::Rows(table) } else { SizeOperand::Columns(table) };
        let across = if by_rows { SizeOperand::Columns(table) } else { SizeOperand::Rows(table) };
        let load = if by_rows { Op::Row(table, v(index)) } else { Op::Column(table, v(index)) };
        let store = if by_rows {
            StmtKind::PutRow { table, index: v(index), value: result }
        } else {
            StmtKind::PutColumn { table, index: v(index), value: result }
        };
        vec![
            guard(Check::Set(table)),
            guard(Check::Index(v(index), limit())),
            set(own, load),
            guard(Check::Size(SizeOperand::Length(own), SizeOperand::Length(with))),
            set(result, Op::BitsLogic(LogicOp::Or, own, with)),
            guard(Check::Index(v(index), limit())),
            guard(Check::Size(SizeOperand::Length(result), across)),
            st(StmtKind::Cost { units: 3, times: None }),
            st(store),
        ]
    };
    program_of(kind, body, ForallRange::Ones)
}

/// P(i) := not (Q(i) xor P(i)) and w.
fn mixture(kind: PartKind) -> Program {
    let body = |&[table, other, with, own, result, index]: &[VarId; 6]| {
        vec![
            set(own, Op::Row(other, v(index))),
            set(result, Op::Row(table, v(index))),
            set(result, Op::BitsLogic(LogicOp::Xor, own, result)),
            set(own, Op::BitsNot(result)),
            set(own, Op::BitsLogic(LogicOp::And, own, with)),
            st(StmtKind::PutRow { table, index: v(index), value: own }),
        ]
    };
    program_of(kind, body, |_| ForallRange::Range(n(1), n(7)))
}

fn matrix(rows: usize, columns: usize, seed: u64) -> HostValue {
    let columns: Vec<BitVector> = (0..columns as u64)
        .map(|column| BitVector::from_bools(&noise(rows, seed + column)))
        .collect();
    HostValue::Table(BitTable::from_columns(rows, &columns))
}

#[test]
fn line_updates_in_blocks_agree_with_serial_order() {
    for kind in [PartKind::Row, PartKind::Column] {
        let by_rows = matches!(kind, PartKind::Row);
        let program = warshall(kind);
        assert!(in_blocks(&program, Subject::Forall));
        for lines in EDGES.into_iter().filter(|&lines| lines > 0) {
            for len in [1, 64, 130] {
                let (rows, columns) = if by_rows { (lines, len) } else { (len, lines) };
                let with = BitVector::from_bools(&noise(len, 5));
                let with = if by_rows { HostValue::Word(with) } else { HostValue::Slice(with) };
                let over = HostValue::Slice(BitVector::from_bools(&noise(lines, 9)));
                let values = vec![matrix(rows, columns, 1), matrix(rows, columns, 2), over, with];
                let _ = run(&program, values);
            }
        }
    }
}

#[test]
fn operations_on_lines_run_in_blocks() {
    let program = mixture(PartKind::Row);
    assert!(in_blocks(&program, Subject::Forall));
    for columns in EDGES {
        let with = HostValue::Word(BitVector::from_bools(&noise(columns, 3)));
        let over = slice("1010101");
        let _ = run(&program, vec![matrix(7, columns, 1), matrix(7, columns, 2), over, with]);
    }
}

#[test]
fn a_failing_guard_traps_at_its_iteration() {
    let program = warshall(PartKind::Row);
    // The index 5 is not a row; and a word of another size.
    for (over, with) in [("11111", "0110"), ("1111", "01100")] {
        let values = vec![matrix(4, 4, 1), matrix(4, 4, 2), slice(over), word(with)];
        let (outcome, _) = Trial::new().run(&program, values);
        assert!(matches!(outcome, Outcome::Trap(_)), "{outcome:?}");
    }
}

#[test]
fn bodies_beyond_line_operations_run_serially() {
    let body = |&[table, _, with, own, _, index]: &[VarId; 6]| {
        vec![
            set(own, Op::Row(table, v(index))),
            st(StmtKind::Replace { word: own, base: n(0), value: with }),
            st(StmtKind::PutRow { table, index: v(index), value: own }),
        ]
    };
    let program = program_of(PartKind::Row, body, ForallRange::Ones);
    assert!(!in_blocks(&program, Subject::Forall));
    let values = vec![matrix(4, 9, 1), matrix(4, 9, 2), slice("1101"), word("011")];
    let _ = run(&program, values);
}
