//! Sequences of operations on slices, tables and words: what is recorded, and what ends a
//! recording.

use star_ir::{Block, Direction, IntOp, Op, Operand, Query, Relation, Sense, Simple, StmtKind};

use super::{Maker, int, set, st};

impl Maker {
    /// Generates a sequence of operations on slices, with others in between.
    pub(super) fn operations(&mut self, body: &mut Block) {
        self.count("operations");
        for _ in 0..3 + self.random.below(8) {
            match self.random.below(10) {
                0..6 => self.combine(body),
                6..8 => self.look(body),
                _ => self.change(body),
            }
        }
        self.cost(body);
    }

    /// Assigns a slice an expression of slices or a column.
    fn combine(&mut self, body: &mut Block) {
        let slices = self.slices.clone();
        let dst = self.one_of(&slices[..3]);
        let (one, other) = (self.one_of(&slices), self.one_of(&slices));
        let op = match self.random.below(9) {
            0 => Op::Copy(Operand::Var(one)),
            1 => Op::BitsNot(one),
            2 => Op::Fill(Operand::Var(self.rows), self.random.chance(50)),
            3..5 => {
                let tables = self.tables.clone();
                Op::Column(self.one_of(&tables), self.column())
            }
            _ => Op::BitsLogic(self.logic(), one, other),
        };
        body.push(set(dst, op));
    }

    /// Generates a number or a slice from a query of others.
    fn look(&mut self, body: &mut Block) {
        let (slices, numbers) = (self.slices.clone(), self.numbers.clone());
        let (of, dst) = (self.one_of(&slices), self.one_of(&numbers));
        let tables = self.tables.clone();
        let table = self.one_of(&tables);
        let to = self.one_of(&slices[..3]);
        let stmt = match self.random.below(12) {
            0 => set(dst, Op::Query(Query::Count, of)),
            1 => set(dst, Op::Query(Query::First, of)),
            2 => set(self.truth, Op::Query(Query::Any, of)),
            3 => set(self.truth, Op::BitsEqual(of, to)),
            4 => set(to, Op::KeepFirst(of)),
            5 => {
                let direction = self.one_of(&[Direction::Up, Direction::Down]);
                set(to, Op::Shift(of, direction, int(self.random.below(70))))
            }
            6 => set(to, Op::Rotate(of, int(self.random.below(70)))),
            7 => set(to, Op::Mirror(of)),
            8 => {
                let sense = self.one_of(&[Sense::Min, Sense::Max]);
                set(to, Op::Extreme { table, mask: of, sense })
            }
            9 if self.n_rows > 0 => {
                let row = int(1 + self.random.below(self.n_rows));
                set(self.words[0], Op::Row(table, row))
            }
            10 => st(StmtKind::Simple(Simple::Print(vec![Operand::Var(of).into()]))),
            _ => set(self.truth, Op::Query(Query::All, of)),
        };
        body.push(stmt);
    }

    /// Generates a change in place, or a branch or loop that depends on a slice.
    fn change(&mut self, body: &mut Block) {
        let (slices, numbers) = (self.slices.clone(), self.numbers.clone());
        let bits = self.one_of(&slices[..3]);
        let (of, dst) = (self.one_of(&slices), self.one_of(&numbers));
        let table = self.tables[self.random.below(2)];
        match self.random.below(8) {
            0 => body.push(st(StmtKind::Simple(Simple::Step { dst, bits }))),
            1 if self.n_rows > 0 => {
                let index = int(1 + self.random.below(self.n_rows));
                let bit = int(self.random.below(2));
                body.push(st(StmtKind::Simple(Simple::Put { bits, index, bit })));
            }
            2 | 3 => {
                let index = self.column();
                body.push(st(StmtKind::Simple(Simple::PutColumn { table, index, value: of })));
            }
            4 if self.n_rows > 0 => {
                let index = int(1 + self.random.below(self.n_rows));
                let value = self.words[self.random.below(2)];
                body.push(st(StmtKind::Simple(Simple::PutRow { table, index, value })));
            }
            5 => {
                let other = self.tables[self.random.below(3)];
                body.push(set(table, Op::Copy(Operand::Var(other))));
            }
            6 => {
                body.push(set(self.truth, Op::Query(Query::Any, of)));
                let mut branches = [Block::new(), Block::new()];
                branches.iter_mut().for_each(|branch| self.combine(branch));
                let [then, otherwise] = branches;
                let test = Operand::Var(self.truth);
                body.push(st(StmtKind::If { test, then, otherwise }));
            }
            _ => {
                // The first ones of a slice, at most three of them.
                let (label, seen) = (self.label(), self.local("seen", star_ir::Ty::Int));
                let (over, var) =
                    (self.local("over", super::SLICE), self.local("one", star_ir::Ty::Int));
                body.push(set(over, Op::Copy(Operand::Var(of))));
                body.push(set(seen, Op::Copy(int(0))));
                let mut inner = Block::new();
                self.combine(&mut inner);
                let add = Op::Int(IntOp::Add, Operand::Var(seen), int(1));
                inner.push(set(seen, add));
                inner.push(set(self.truth, Op::Compare(Relation::Ge, Operand::Var(seen), int(3))));
                let then = vec![st(StmtKind::Break(label))];
                let test = Operand::Var(self.truth);
                inner.push(st(StmtKind::If { test, then, otherwise: Block::new() }));
                body.push(st(StmtKind::Foreach { label, var, over, body: inner }));
            }
        }
    }
}
