//! `for` over columns that carries slices from one column to the next, as kernels in order do.

use star_ir::{Block, IntOp, Op, Operand, Query, Relation, Simple, StmtKind, Ty, VarId};

use super::{Maker, SLICE, int, set, st};

/// A body under construction.
struct Columns {
    index: Operand,
    /// The index of a neighbouring column.
    other: Operand,
    /// The only table that is stored to.
    target: VarId,
    /// Slices that are loaded anew in each iteration.
    privates: [VarId; 2],
    /// Slices that hold something.
    held: Vec<VarId>,
    /// Slices that may be set.
    carried: Vec<VarId>,
}

impl Maker {
    pub(super) fn columns(&mut self, body: &mut Block) {
        self.count("for over columns");
        let (index, other) = (self.local("column", Ty::Int), self.local("other", Ty::Int));
        let privates = ["p", "q"].map(|name| self.local(name, SLICE));
        let kept = self.local("kept", SLICE);
        let from = self.one_of(&self.slices.clone());
        body.push(set(kept, Op::Copy(Operand::Var(from))));
        let target = self.tables[self.random.below(2)];
        let mut carried = self.slices[..3].to_vec();
        carried.push(kept);
        let mut held = self.slices.clone();
        held.push(kept);
        let (index_of, other_of) = (Operand::Var(index), Operand::Var(other));
        let mut columns =
            Columns { index: index_of, other: other_of, target, privates, held, carried };
        let mut inner = Block::new();
        // Both ends of the range have a neighbour, or only in a table that is one column wider.
        let (op, mut low, mut high) = match self.random.below(3) {
            0 => (IntOp::Add, 1, self.n_cols - 1),
            1 => (IntOp::Sub, 2, self.n_cols),
            _ => (IntOp::Add, 1, self.n_cols),
        };
        let has_other = high + 1 - low < self.n_cols;
        if has_other {
            inner.push(set(other, Op::Int(op, Operand::Var(index), int(1))));
            if self.random.chance(4) {
                self.count("a neighbour that is not there");
                (low, high) = (1, self.n_cols);
            }
        } else {
            columns.other = Operand::Var(index);
        }
        if self.random.chance(20) {
            high = low + self.random.below(3);
            high = high.min(self.n_cols);
        }
        for private in columns.privates {
            self.load_column(&columns, private, &mut inner);
            columns.held.push(private);
        }
        for _ in 0..1 + self.random.below(4) {
            self.column_operation(&columns, &mut inner);
        }
        if self.random.chance(60) {
            self.column_branch(&columns, &mut inner);
        }
        if self.random.chance(40) {
            self.store_column(&columns, &mut inner);
        }
        if self.random.chance(30) {
            self.column_operation(&columns, &mut inner);
        }
        self.cost(&mut inner);
        let (label, down) = (self.label(), self.random.chance(30));
        let (from, to) = if down { (int(high), int(low)) } else { (int(low), int(high)) };
        body.push(st(StmtKind::For { label, var: index, from, to, down, body: inner }));
        if self.random.chance(40) {
            let of = self.one_of(&columns.carried);
            body.push(set(self.numbers[1], Op::Query(Query::Count, of)));
        }
    }

    fn load_column(&mut self, columns: &Columns, to: VarId, body: &mut Block) {
        let index = if self.random.chance(25) { &columns.other } else { &columns.index };
        // A table that is stored to has one column in an iteration.
        let tables = self.tables.clone();
        let table = self.one_of(&tables);
        let index = if table == columns.target { &columns.index } else { index };
        body.push(set(to, Op::Column(table, index.clone())));
    }

    /// Sets a slice to logic of others.
    fn column_operation(&mut self, columns: &Columns, body: &mut Block) {
        let (one, other) = (self.one_of(&columns.held), self.one_of(&columns.held));
        let op = match self.random.below(8) {
            0 => Op::Copy(Operand::Var(one)),
            1 => Op::BitsNot(one),
            2 => Op::Fill(Operand::Var(self.rows), self.random.chance(50)),
            _ => Op::BitsLogic(self.logic(), one, other),
        };
        let to = if self.random.chance(30) {
            self.one_of(&columns.privates)
        } else {
            self.one_of(&columns.carried)
        };
        body.push(set(to, op));
    }

    fn store_column(&mut self, columns: &Columns, body: &mut Block) {
        let (table, index) = (columns.target, columns.index.clone());
        let value = self.one_of(&columns.held);
        body.push(st(StmtKind::Simple(Simple::PutColumn { table, index, value })));
    }

    /// A branch on the component of a word, or on the index.
    fn column_branch(&mut self, columns: &Columns, body: &mut Block) {
        self.count("a branch over columns");
        let is_taken = self.local("is_taken", Ty::Bool);
        if self.random.chance(70) {
            let bit = self.local("bit", Ty::Int);
            let word = self.words[self.random.below(2)];
            body.push(set(bit, Op::Component(word, columns.index.clone())));
            let test = Op::Compare(Relation::Eq, Operand::Var(bit), int(1));
            body.push(set(is_taken, test));
        } else {
            let relation = self.one_of(&[Relation::Eq, Relation::Lt, Relation::Ge]);
            let limit = int(1 + self.random.below(self.n_cols));
            body.push(set(is_taken, Op::Compare(relation, columns.index.clone(), limit)));
        }
        let mut branches = [Block::new(), Block::new()];
        for branch in &mut branches {
            for _ in 0..self.random.below(3) {
                self.column_operation(columns, branch);
            }
            if self.random.chance(20) {
                self.store_column(columns, branch);
            }
        }
        let [then, otherwise] = branches;
        body.push(st(StmtKind::If { test: Operand::Var(is_taken), then, otherwise }));
    }
}
