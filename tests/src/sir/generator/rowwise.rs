//! Sequences of row-by-row operations, with loops over columns and branches, and a query at the
//! end.

use star_ir::{
    Block, Check, Op, Operand, Query, Relation, Simple, SizeOperand, StmtKind, Ty, VarId,
};

use super::{Maker, SLICE, int, set, st};

/// A body in the making.
struct Kernel {
    privates: Vec<VarId>,
    /// Slices that hold something.
    held: Vec<VarId>,
}

impl Maker {
    pub(super) fn rowwise(&mut self, body: &mut Block) {
        self.count("rowwise");
        let privates = ["p", "q"].map(|name| self.local(name, SLICE)).to_vec();
        let mut kernel = Kernel { privates: privates.clone(), held: self.slices.clone() };
        let mut inner = Block::new();
        self.kernel_operations(&mut kernel, &mut inner, 4);
        if self.random.chance(30) {
            self.kernel_operations(&mut kernel, &mut inner, 2);
        }
        if self.random.chance(30) {
            self.control(&mut kernel, &mut inner);
            self.kernel_operations(&mut kernel, &mut inner, 2);
        }
        if self.random.chance(3) {
            self.count("a guard that fails in a kernel");
            let check = Check::Index(int(self.n_cols + 1), SizeOperand::Columns(self.tables[0]));
            inner.push(st(StmtKind::Simple(Simple::Check(check))));
        }
        body.append(&mut inner);
        if self.random.chance(40) {
            let of = self.one_of(&kernel.held);
            let (dst, op) = match self.random.below(5) {
                0 => (self.truth, Op::Query(Query::Any, of)),
                1 => (self.truth, Op::Query(Query::All, of)),
                2 => (self.truth, Op::Query(Query::None, of)),
                3 => (self.numbers[1], Op::Query(Query::First, of)),
                _ => (self.numbers[1], Op::Query(Query::Count, of)),
            };
            body.push(set(dst, op));
        }
    }

    fn kernel_operations(&mut self, kernel: &mut Kernel, body: &mut Block, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            self.kernel_operation(kernel, body);
        }
        if self.random.chance(60) {
            let (table, index) = (self.tables[self.random.below(2)], self.column());
            let value = self.one_of(&kernel.held);
            body.push(st(StmtKind::Simple(Simple::PutColumn { table, index, value })));
        }
        self.cost(body);
    }

    fn kernel_operation(&mut self, kernel: &mut Kernel, body: &mut Block) {
        let (one, other) = (self.one_of(&kernel.held), self.one_of(&kernel.held));
        let op = match self.random.below(8) {
            0 => Op::Copy(Operand::Var(one)),
            1 => Op::BitsNot(one),
            2 => Op::Fill(Operand::Var(self.rows), self.random.chance(50)),
            3 | 4 => {
                let tables = self.tables.clone();
                Op::Column(self.one_of(&tables), self.column())
            }
            _ => Op::BitsLogic(self.logic(), one, other),
        };
        let to = if self.random.chance(50) {
            self.one_of(&kernel.privates)
        } else {
            self.slices[self.random.below(3)]
        };
        body.push(set(to, op));
        kernel.held.push(to);
    }

    /// A loop over columns, or a branch on a component of a word; what they make is held by no
    /// slice that was unset before.
    fn control(&mut self, kernel: &mut Kernel, body: &mut Block) {
        let held = kernel.held.clone();
        let bit = self.local("bit", Ty::Int);
        let is_one = self.local("is_one", Ty::Bool);
        let word = self.words[self.random.below(2)];
        let mut branch = |maker: &mut Maker, index: Operand, body: &mut Block| {
            body.push(set(bit, Op::Component(word, index)));
            body.push(set(is_one, Op::Compare(Relation::Eq, Operand::Var(bit), int(1))));
            let mut branches = [Block::new(), Block::new()];
            for branch in &mut branches {
                maker.kernel_operations(kernel, branch, 2);
                kernel.held.clone_from(&held);
            }
            let [then, otherwise] = branches;
            body.push(st(StmtKind::If { test: Operand::Var(is_one), then, otherwise }));
        };
        if self.random.chance(50) {
            self.count("a branch in a kernel");
            let index = int(1 + self.random.below(self.n_cols));
            branch(self, index, body);
            return;
        }
        self.count("a loop in a kernel");
        let iteration = self.local("iteration", Ty::Int);
        let iterations = self.n_cols.min(3);
        let mut inner = Block::new();
        if self.random.chance(50) {
            branch(self, Operand::Var(iteration), &mut inner);
        } else {
            self.kernel_operations(kernel, &mut inner, 3);
            kernel.held.clone_from(&held);
        }
        let down = self.random.chance(30);
        let (from, to) = if down { (int(iterations), int(1)) } else { (int(1), int(iterations)) };
        let label = self.label();
        body.push(st(StmtKind::For { label, var: iteration, from, to, down, body: inner }));
    }
}
