//! `forall` over the rows, columns or components.

use star_ir::{
    Block, Check, ForallRange, IntOp, Op, Operand, Part, PartKind, Query, Reduction, ReductionOp,
    Simple, SizeOperand, StmtKind, Ty, VarId,
};

use super::{Maker, SLICE, WORD, int, set, st};

/// The lines of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

/// The body under construction.
struct Lines {
    line: Line,
    index: VarId,
    target: VarId,
    /// Lines private to each iteration, and which of them are set.
    privates: Vec<VarId>,
    held: Vec<VarId>,
    /// Lines shared by all iterations.
    shared: Vec<VarId>,
}

impl Maker {
    pub(super) fn forall(&mut self, body: &mut Block) {
        match self.random.below(8) {
            0 => self.components(body),
            1..5 => self.lines(body, Line::Column),
            _ => self.lines(body, Line::Row),
        }
    }

    fn lines(&mut self, body: &mut Block, line: Line) {
        self.count(if line == Line::Row { "forall over rows" } else { "forall over columns" });
        let target = self.tables[self.random.below(2)];
        let (n_lines, ty) = match line {
            Line::Row => (self.n_rows, WORD),
            Line::Column => (self.n_cols, SLICE),
        };
        if line == Line::Row {
            self.iteration(body);
        }
        let index = self.local("line", Ty::Int);
        let mut privates: Vec<VarId> = ["p", "q"].map(|name| self.local(name, ty)).to_vec();
        let shared = if line == Line::Row { self.words.clone() } else { self.slices.clone() };
        let mut lines =
            Lines { line, index, target, privates: privates.clone(), held: Vec::new(), shared };
        let range = self.range(body, n_lines, line);
        let mut inner = Block::new();
        self.load(&mut lines, &mut inner);
        for _ in 0..self.random.below(5) {
            self.line_operation(&mut lines, &mut inner);
        }
        if self.random.chance(4) {
            // From the first iteration on, from one in the middle, or at the last.
            self.count("a guard that fails in an iteration");
            let last = [0, n_lines / 2, n_lines.saturating_sub(1)][self.random.below(3)];
            let limit = SizeOperand::Value(int(last));
            inner.push(st(StmtKind::Simple(Simple::Check(Check::Index(
                Operand::Var(index),
                limit,
            )))));
        }
        self.store(&lines, &mut inner);
        if self.random.chance(20) {
            // What was stored is loaded again.
            self.load(&mut lines, &mut inner);
            self.line_operation(&mut lines, &mut inner);
            self.store(&lines, &mut inner);
        }
        let mut reductions = Vec::new();
        if self.random.chance(10) {
            self.count("reduction");
            let (reduction, private) = self.reduce(&lines, &mut inner);
            reductions.push(reduction);
            privates.extend(private);
        }
        self.cost(&mut inner);
        let kind = if line == Line::Row { PartKind::Row } else { PartKind::Column };
        let writes = vec![Part { var: target, kind }];
        let label = self.label();
        body.push(st(StmtKind::Forall {
            label,
            var: index,
            range,
            writes,
            privates,
            reductions,
            body: inner,
        }));
    }

    /// Reads every row of the tables once, so that they are transposed.
    fn iteration(&mut self, body: &mut Block) {
        if self.random.chance(30) {
            return;
        }
        let (row, to) = (self.local("row", Ty::Int), self.local("line", WORD));
        let tables = self.tables.clone();
        let read = tables.iter().map(|table| set(to, Op::Row(*table, Operand::Var(row))));
        let inner = read.collect();
        let (label, to) = (self.label(), Operand::Var(self.rows));
        body.push(st(StmtKind::For {
            label,
            var: row,
            from: int(1),
            to,
            down: false,
            body: inner,
        }));
    }

    /// Chooses all lines, some, none, those that are marked, or one too many.
    fn range(&mut self, body: &mut Block, n_lines: usize, line: Line) -> ForallRange {
        let between = |from: usize, to: usize| ForallRange::Range(int(from), int(to));
        match self.random.below(20) {
            0 => {
                self.count("a range beyond the table");
                between(self.random.below(2), n_lines + self.random.below(2))
            }
            1 => between(n_lines + 1, n_lines),
            2..5 => {
                let from = 1 + self.random.below(n_lines.max(1));
                between(from, (from + self.random.below(n_lines + 1)).min(n_lines))
            }
            5..9 => {
                // A copy: no iteration writes the set over which the loop runs.
                let marked = if line == Line::Row { self.slices[1] } else { self.words[1] };
                let ty = if line == Line::Row { SLICE } else { WORD };
                let over = self.local("over", ty);
                body.push(set(over, Op::Copy(Operand::Var(marked))));
                ForallRange::Ones(over)
            }
            _ if line == Line::Row => ForallRange::Range(int(1), Operand::Var(self.rows)),
            _ => between(1, n_lines),
        }
    }

    fn load(&mut self, lines: &mut Lines, body: &mut Block) {
        let to = self.one_of(&lines.privates);
        // Only the iteration's line of the written table may be read.
        let tables = self.tables.clone();
        let table = if self.random.chance(50) { lines.target } else { self.one_of(&tables) };
        let index = Operand::Var(lines.index);
        body.push(set(
            to,
            match lines.line {
                Line::Row => Op::Row(table, index),
                Line::Column => Op::Column(table, index),
            },
        ));
        lines.held.push(to);
    }

    fn any_line(&mut self, lines: &Lines) -> VarId {
        if lines.held.is_empty() || self.random.chance(30) {
            self.one_of(&lines.shared)
        } else {
            self.one_of(&lines.held)
        }
    }

    fn line_operation(&mut self, lines: &mut Lines, body: &mut Block) {
        if self.random.chance(25) {
            return self.load(lines, body);
        }
        let (one, other) = (self.any_line(lines), self.any_line(lines));
        let op = match self.random.below(6) {
            0 => Op::Copy(Operand::Var(one)),
            1 => Op::BitsNot(one),
            _ => Op::BitsLogic(self.logic(), one, other),
        };
        let to = self.one_of(&lines.privates);
        body.push(set(to, op));
        lines.held.push(to);
    }

    fn store(&mut self, lines: &Lines, body: &mut Block) {
        let value = self.any_line(lines);
        let (table, index) = (lines.target, Operand::Var(lines.index));
        body.push(st(match lines.line {
            Line::Row => StmtKind::Simple(Simple::PutRow { table, index, value }),
            Line::Column => StmtKind::Simple(Simple::PutColumn { table, index, value }),
        }));
    }

    /// Generates a sum of counts, a least index, or a disjunction.
    fn reduce(&mut self, lines: &Lines, body: &mut Block) -> (Reduction, Option<VarId>) {
        let dst = self.numbers[0];
        let of = self.any_line(lines);
        match self.random.below(3) {
            0 => {
                let count = self.local("count", Ty::Int);
                body.push(set(count, Op::Query(Query::Count, of)));
                let sum = Op::Int(IntOp::Add, Operand::Var(dst), Operand::Var(count));
                body.push(set(dst, sum));
                (Reduction { var: dst, op: ReductionOp::Add }, Some(count))
            }
            1 => {
                body.push(set(dst, Op::Copy(Operand::Var(lines.index))));
                let op = self.one_of(&[ReductionOp::Min, ReductionOp::Max]);
                (Reduction { var: dst, op }, None)
            }
            _ => {
                let some = self.local("some", Ty::Bool);
                body.push(set(some, Op::Query(Query::Any, of)));
                let truth = self.truth;
                let or = Op::Logic(star_ir::LogicOp::Or, Operand::Var(truth), Operand::Var(some));
                body.push(set(truth, or));
                (Reduction { var: truth, op: ReductionOp::Or }, Some(some))
            }
        }
    }

    /// Generates `Z(i) := 1 - X(i)` for the components of a slice, or a constant.
    fn components(&mut self, body: &mut Block) {
        self.count("forall over components");
        let (bits, from) = (self.slices[2], self.slices[0]);
        let (index, bit) = (self.local("at", Ty::Int), self.local("bit", Ty::Int));
        let own = Operand::Var(index);
        let mut inner = vec![set(bit, Op::Component(from, own.clone()))];
        if self.random.chance(50) {
            inner.push(set(bit, Op::Int(IntOp::Sub, int(1), Operand::Var(bit))));
        }
        inner.push(st(StmtKind::Simple(Simple::Put { bits, index: own, bit: Operand::Var(bit) })));
        self.cost(&mut inner);
        let range = ForallRange::Range(int(1), Operand::Var(self.rows));
        let label = self.label();
        body.push(st(StmtKind::Forall {
            label,
            var: index,
            range,
            writes: vec![Part { var: bits, kind: PartKind::Component }],
            privates: vec![bit],
            reductions: Vec::new(),
            body: inner,
        }));
    }
}
