//! The loops over the bits of a column expression, and the operations on their slices.

use std::ops::Range;

use star_ir::{
    Block, Check, Extent, IntOp, LogicOp, Op, Operand, Relation, Simple, SizeOperand, StmtKind, Ty,
    VarId,
};

use super::super::Lowerer;
use super::{Bit, FieldBits, Node, Plan};

impl Lowerer<'_> {
    /// Emits the loops over the bits of these nodes, up to number `top`. `visit` gets the bits of
    /// the numbers that the nodes leave. The fields, also the one that is stored to, and the limit
    /// bound the first loop.
    pub(super) fn fold(
        &mut self,
        plan: &Plan,
        nodes: Range<usize>,
        (into, limit): (Option<&FieldBits>, Option<Operand>),
        top: Operand,
        mut visit: impl FnMut(&mut Self, &[VarId], &Bit<'_>),
    ) {
        let mut n_inner = limit;
        for node in &plan.nodes[nodes.clone()] {
            let bound = match node {
                Node::Field(field) => &field.width,
                Node::Saturated { limit, .. } => limit,
                Node::Slice { .. }
                | Node::Word { .. }
                | Node::Sum { .. }
                | Node::Difference { .. }
                | Node::Select { .. }
                | Node::Distance { .. } => continue,
            };
            n_inner = Some(match n_inner {
                Some(least) => self.lesser_int(least, bound.clone()),
                None => bound.clone(),
            });
        }
        let fields = || {
            plan.nodes[nodes.clone()].iter().filter_map(|node| match node {
                Node::Field(field) => Some(field),
                _ => None,
            })
        };
        for node in &plan.nodes[nodes.clone()] {
            match node {
                Node::Slice { rows, rest } => self.assign(*rest, Op::Copy(Operand::Var(*rows))),
                Node::Sum { carry }
                | Node::Difference { borrow: carry }
                | Node::Distance { borrow: carry, .. }
                | Node::Saturated { carry, .. } => self.clear(plan, *carry),
                Node::Field(_) | Node::Word { .. } | Node::Select { .. } => {}
            }
        }
        let mut from = Operand::Int(1);
        if let (Some(of), Some(n_inner)) = (into.or_else(|| fields().next()), n_inner) {
            self.inner_loop(plan, nodes.clone(), of, &n_inner, &mut visit);
            from = self.int_op(IntOp::Add, n_inner, Operand::Int(1));
        }
        let var = self.temp(Ty::Int);
        let label = self.label();
        let (body, ()) = self.nested(|this| {
            let bit = Bit::Outer(Operand::Var(var));
            this.iteration(plan, nodes, &bit, &[], &mut visit);
        });
        self.emit(StmtKind::For { label, var, from, to: top, down: false, body });
    }

    /// Emits the loop over the columns that all fields have, which are those of `of`.
    fn inner_loop(
        &mut self,
        plan: &Plan,
        nodes: Range<usize>,
        of: &FieldBits,
        n_inner: &Operand,
        visit: &mut impl FnMut(&mut Self, &[VarId], &Bit<'_>),
    ) {
        let mut offsets: Vec<Operand> = Vec::new();
        let mut words: Vec<(usize, VarId)> = Vec::new();
        for at in nodes.clone() {
            let mut offset = Operand::Int(0);
            match &plan.nodes[at] {
                Node::Field(field) if field.end != of.end => {
                    offset = self.int_op(IntOp::Sub, field.end.clone(), of.end.clone());
                }
                Node::Word { word, length, is_signed } => {
                    words.push((at, self.aligned(*word, length, *is_signed, &of.end)));
                }
                _ => {}
            }
            offsets.push(offset);
        }
        let from = of.end.clone();
        let before = self.int_op(IntOp::Sub, from.clone(), n_inner.clone());
        let to = self.int_op(IntOp::Add, before, Operand::Int(1));
        let var = self.temp(Ty::Int);
        let label = self.label();
        let (body, ()) = self.nested(|this| {
            let bit = Bit::Inner { index: Operand::Var(var), words: &words };
            this.iteration(plan, nodes, &bit, &offsets, visit);
        });
        self.emit(StmtKind::For { label, var, from, to, down: true, body });
    }

    /// Emits the body of a loop.
    fn iteration(
        &mut self,
        plan: &Plan,
        nodes: Range<usize>,
        bit: &Bit<'_>,
        offsets: &[Operand],
        visit: &mut impl FnMut(&mut Self, &[VarId], &Bit<'_>),
    ) {
        let mut numbers: Vec<VarId> = Vec::new();
        for at in nodes.clone() {
            let operands = numbers.len().saturating_sub(2);
            let number = match &plan.nodes[at] {
                Node::Field(field) => {
                    let offset = offsets.get(at - nodes.start);
                    self.bit_of_field(plan, field, bit, offset)
                }
                Node::Slice { rows: _, rest } => {
                    let number = self.slice_temp(plan);
                    self.assign(number, Op::Copy(Operand::Var(*rest)));
                    self.clear(plan, *rest);
                    number
                }
                Node::Word { word, length, is_signed } => {
                    self.bit_of_word(plan, at, (*word, length, *is_signed), bit)
                }
                Node::Sum { carry } => self.add(plan, &numbers[operands..], *carry).0,
                Node::Difference { borrow } => self.subtract(plan, &numbers[operands..], *borrow),
                Node::Select { less, is_min } => {
                    let (first, second) = (numbers[operands], numbers[operands + 1]);
                    let (then, otherwise) = if *is_min { (first, second) } else { (second, first) };
                    self.selected(plan, *less, then, otherwise)
                }
                Node::Distance { less, borrow } => {
                    let (first, second) = (numbers[operands], numbers[operands + 1]);
                    // Both are exchanged where they differ.
                    let differ = self.logic(plan, LogicOp::Xor, first, second);
                    let moved = self.logic(plan, LogicOp::And, differ, *less);
                    let [greater, lesser] =
                        [first, second].map(|one| self.logic(plan, LogicOp::Xor, one, moved));
                    self.subtract(plan, &[greater, lesser], *borrow)
                }
                Node::Saturated { carry, over, under, limit } => {
                    let (sum, _) = self.add(plan, &numbers[operands..], *carry);
                    self.at_limits(plan, sum, (*over, *under, limit), bit)
                }
            };
            let n_operands = plan.nodes[at].n_operands();
            numbers.truncate(numbers.len() - n_operands);
            numbers.push(number);
        }
        visit(self, &numbers, bit);
    }

    /// Returns the bit of a saturated sum: that of the greatest or least number in the rows over or
    /// under it.
    fn at_limits(
        &mut self,
        plan: &Plan,
        sum: VarId,
        (over, under, limit): (VarId, Option<VarId>, &Operand),
        bit: &Bit<'_>,
    ) -> VarId {
        let (ones, zeros) = (Some(over), under);
        let one = |this: &mut Self, ones: Option<VarId>, zeros: Option<VarId>| {
            let mut number = sum;
            if let Some(ones) = ones {
                number = this.logic(plan, LogicOp::Or, number, ones);
            }
            if let Some(zeros) = zeros {
                let others = this.inverted(plan, zeros);
                number = this.logic(plan, LogicOp::And, number, others);
            }
            number
        };
        let Bit::Outer(at) = bit else { return one(self, ones, zeros) };
        let number = self.slice_temp(plan);
        self.either(
            (Relation::Le, at, limit),
            |this| {
                let inside = one(this, ones, zeros);
                this.assign(number, Op::Copy(Operand::Var(inside)));
            },
            |this| {
                let outside = one(this, zeros, ones);
                this.assign(number, Op::Copy(Operand::Var(outside)));
            },
        );
        number
    }

    // ---- bits of operands ----

    fn bit_of_field(
        &mut self,
        plan: &Plan,
        field: &FieldBits,
        bit: &Bit<'_>,
        offset: Option<&Operand>,
    ) -> VarId {
        match bit {
            Bit::Inner { index, .. } => {
                let index = match offset {
                    None | Some(Operand::Int(0)) => index.clone(),
                    Some(offset) => self.int_op(IntOp::Add, index.clone(), offset.clone()),
                };
                self.column_of_table(plan, field.table, index)
            }
            Bit::Outer(at) => {
                let number = self.slice_temp(plan);
                let load = |this: &mut Self, index: Operand| {
                    let columns = SizeOperand::Columns(field.table);
                    this.check(Check::Index(index.clone(), columns));
                    this.count(1);
                    this.assign(number, Op::Column(field.table, index));
                };
                self.either(
                    (Relation::Le, at, &field.width),
                    |this| {
                        let index = this.place_of_bit(field, at);
                        load(this, index);
                    },
                    |this| match field.sign {
                        None => this.clear(plan, number),
                        Some(sign) => this.assign(number, Op::Copy(Operand::Var(sign))),
                    },
                );
                number
            }
        }
    }

    /// Returns the signs of a field; those of a field without columns are zero.
    pub(super) fn signs(&mut self, plan: &Plan, field: &FieldBits) -> VarId {
        let sign = self.slice_temp(plan);
        self.either(
            (Relation::Gt, &field.width, &Operand::Int(0)),
            |this| {
                let index = this.place_of_bit(field, &field.width);
                let column = this.column_of_table(plan, field.table, index);
                this.assign(sign, Op::Copy(Operand::Var(column)));
            },
            |this| this.clear(plan, sign),
        );
        sign
    }

    /// Returns the column of a bit of a field, which has it.
    pub(super) fn place_of_bit(&mut self, field: &FieldBits, at: &Operand) -> Operand {
        let before = self.int_op(IntOp::Sub, field.end.clone(), at.clone());
        self.int_op(IntOp::Add, before, Operand::Int(1))
    }

    fn bit_of_word(
        &mut self,
        plan: &Plan,
        node: usize,
        (word, length, is_signed): (VarId, &Operand, bool),
        bit: &Bit<'_>,
    ) -> VarId {
        let one = self.temp(Ty::Int);
        let load = |this: &mut Self, word: VarId, index: Operand| {
            this.check(Check::Index(index.clone(), SizeOperand::Length(word)));
            this.count(1);
            this.assign(one, Op::Component(word, index));
        };
        match bit {
            Bit::Inner { index, words, .. } => {
                let aligned = words.iter().find(|(at, _)| *at == node);
                load(self, aligned.map_or(word, |(_, aligned)| *aligned), index.clone());
            }
            Bit::Outer(at) => self.either(
                (Relation::Le, at, length),
                |this| {
                    let before = this.int_op(IntOp::Sub, length.clone(), at.clone());
                    let index = this.int_op(IntOp::Add, before, Operand::Int(1));
                    load(this, word, index);
                },
                |this| match is_signed {
                    true => load(this, word, Operand::Int(1)),
                    false => this.assign(one, Op::Copy(Operand::Int(0))),
                },
            ),
        }
        let number = self.slice_temp(plan);
        let fill = |bit: bool| {
            move |this: &mut Self| {
                this.count(1);
                this.assign(number, Op::Fill(plan.n_rows.clone(), bit));
            }
        };
        let test = (Relation::Eq, &Operand::Var(one), &Operand::Int(1));
        self.either(test, fill(true), fill(false));
        number
    }

    /// Returns a word of `end` components with the same last components: signed ones are extended
    /// by their sign.
    fn aligned(&mut self, word: VarId, length: &Operand, is_signed: bool, end: &Operand) -> VarId {
        let aligned = self.temp(Ty::Word(Extent::Dynamic));
        self.check(Check::NotNegative(end.clone()));
        self.check(Check::Size(SizeOperand::Length(word), SizeOperand::Value(length.clone())));
        let fill = |bit: bool| {
            let end = end.clone();
            move |this: &mut Self| {
                this.count(1);
                this.assign(aligned, Op::Fill(end, bit));
            }
        };
        self.either(
            (Relation::Gt, length, end),
            |this| {
                let base = this.int_op(IntOp::Sub, length.clone(), end.clone());
                let (width, limit) = (end.clone(), SizeOperand::Length(word));
                this.check(Check::Range { base: base.clone(), width: width.clone(), limit });
                this.count(1);
                this.assign(aligned, Op::Trim { word, base, width });
            },
            |this| {
                match is_signed {
                    true => {
                        let first = Operand::Int(1);
                        this.check(Check::Index(first.clone(), SizeOperand::Length(word)));
                        this.count(1);
                        let sign = this.store_temp(Ty::Int, Op::Component(word, first));
                        let test = (Relation::Eq, &sign, &Operand::Int(1));
                        this.either(test, fill(true), fill(false));
                    }
                    false => fill(false)(this),
                }
                let base = this.int_op(IntOp::Sub, end.clone(), length.clone());
                let (width, limit) = (length.clone(), SizeOperand::Length(aligned));
                this.check(Check::Range { base: base.clone(), width, limit });
                this.count(1);
                this.emit(Simple::Replace { word: aligned, base, value: word });
            },
        );
        aligned
    }

    // ---- operations ----

    pub(super) fn slice_temp(&mut self, plan: &Plan) -> VarId {
        self.temp(Ty::Slice(plan.extent))
    }

    pub(super) fn clear(&mut self, plan: &Plan, slice: VarId) {
        self.count(1);
        self.assign(slice, Op::Fill(plan.n_rows.clone(), false));
    }

    pub(super) fn logic(&mut self, plan: &Plan, op: LogicOp, left: VarId, right: VarId) -> VarId {
        let result = self.slice_temp(plan);
        self.count(1);
        self.assign(result, Op::BitsLogic(op, left, right));
        result
    }

    pub(super) fn inverted(&mut self, plan: &Plan, of: VarId) -> VarId {
        let result = self.slice_temp(plan);
        self.count(1);
        self.assign(result, Op::BitsNot(of));
        result
    }

    /// Returns the second slice where the mask is one, and the third elsewhere.
    pub(super) fn selected(
        &mut self,
        plan: &Plan,
        mask: VarId,
        then: VarId,
        otherwise: VarId,
    ) -> VarId {
        let differ = self.logic(plan, LogicOp::Xor, then, otherwise);
        let moved = self.logic(plan, LogicOp::And, differ, mask);
        self.logic(plan, LogicOp::Xor, otherwise, moved)
    }

    /// Returns the bits of a sum, and those in which exactly one operand is one.
    pub(super) fn add(&mut self, plan: &Plan, numbers: &[VarId], carry: VarId) -> (VarId, VarId) {
        let (left, right) = (numbers[0], numbers[1]);
        let differ = self.logic(plan, LogicOp::Xor, left, right);
        let sum = self.logic(plan, LogicOp::Xor, differ, carry);
        let both = self.logic(plan, LogicOp::And, left, right);
        let carried = self.logic(plan, LogicOp::And, differ, carry);
        self.count(1);
        self.assign(carry, Op::BitsLogic(LogicOp::Or, both, carried));
        (sum, differ)
    }

    pub(super) fn subtract(&mut self, plan: &Plan, numbers: &[VarId], borrow: VarId) -> VarId {
        let (left, right) = (numbers[0], numbers[1]);
        let differ = self.logic(plan, LogicOp::Xor, left, right);
        let difference = self.logic(plan, LogicOp::Xor, differ, borrow);
        // Where both are equal the borrow stays, otherwise it is the second one.
        let borrowed = self.selected(plan, differ, right, borrow);
        self.assign(borrow, Op::Copy(Operand::Var(borrowed)));
        difference
    }

    pub(super) fn column_of_table(&mut self, plan: &Plan, table: VarId, index: Operand) -> VarId {
        let column = self.slice_temp(plan);
        self.check(Check::Index(index.clone(), SizeOperand::Columns(table)));
        self.count(1);
        self.assign(column, Op::Column(table, index));
        column
    }

    pub(super) fn put_column(&mut self, table: VarId, index: Operand, value: VarId) {
        self.check(Check::Index(index.clone(), SizeOperand::Columns(table)));
        self.check(Check::Size(SizeOperand::Rows(table), SizeOperand::Length(value)));
        self.count(1);
        self.emit(Simple::PutColumn { table, index, value });
    }

    pub(super) fn greater(&mut self, left: Operand, right: Operand) -> Operand {
        self.chosen(Relation::Lt, left, right)
    }

    fn lesser_int(&mut self, left: Operand, right: Operand) -> Operand {
        self.chosen(Relation::Gt, left, right)
    }

    /// Returns the second integer if the relation holds, and the first otherwise.
    fn chosen(&mut self, relation: Relation, left: Operand, right: Operand) -> Operand {
        if left == right {
            return left;
        }
        if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
            return if relation.holds(a.cmp(&b)) { right } else { left };
        }
        let chosen = self.temp(Ty::Int);
        self.assign(chosen, Op::Copy(left.clone()));
        self.when(relation, &left, &right, |this| this.assign(chosen, Op::Copy(right.clone())));
        Operand::Var(chosen)
    }

    pub(super) fn when(
        &mut self,
        relation: Relation,
        left: &Operand,
        right: &Operand,
        then: impl FnOnce(&mut Self),
    ) {
        self.either((relation, left, right), then, |_| {});
    }

    /// Emits a branch.
    pub(super) fn either(
        &mut self,
        (relation, left, right): (Relation, &Operand, &Operand),
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
            return if relation.holds(a.cmp(&b)) { then(self) } else { otherwise(self) };
        }
        let test = self.store_temp(Ty::Bool, Op::Compare(relation, left.clone(), right.clone()));
        let (then, ()) = self.nested(then);
        let (otherwise, ()): (Block, ()) = self.nested(otherwise);
        self.emit(StmtKind::If { test, then, otherwise });
    }
}
