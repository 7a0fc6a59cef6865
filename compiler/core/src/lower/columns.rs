//! Expressions over columns: loops over the bits of numbers, from the least significant one on.
//!
//! Note [Bits of numbers]. Numbers are in two's complement, with enough bits for the exact result:
//! those of the widest operand, a sign, and the logarithm of the number of operands. One loop goes
//! over the columns that all fields have; it carries slices and becomes a kernel in order. A second
//! one goes over the other bits, of which a narrower field has only its sign. `min`, `max`,
//! `absdiff` and `+|` select by the relation of their operands, which depends on all bits: loops of
//! the same form find it before. There are no tables of intermediate results.

mod loops;

use std::ops::Range;

use star_ir::{
    Check, Extent, IntOp, LogicOp, Op, Operand, Query, Relation, SizeOperand, Ty, VarId,
};

use super::Lowerer;
use super::bits::Rvalue;
use super::fields::Columns;
use super::poly::{Poly, Single};
use super::sizes::{Ext, Exts};
use crate::hir::{Column, ColumnOp, ColumnStep, Expr, ExprKind, NumberField, TyKind, VarUse};

/// The columns of a field.
#[derive(Clone)]
struct FieldBits {
    table: VarId,
    /// The column of bit 1, the least significant one.
    end: Operand,
    width: Operand,
    is_signed: bool,
    /// The signs, if it is signed: the loops may store to the field.
    sign: Option<VarId>,
}

/// A step, ready for the loops.
enum Node {
    Field(FieldBits),
    /// 1 in these rows; `rest` becomes empty after bit 1.
    Slice {
        rows: VarId,
        rest: VarId,
    },
    Word {
        word: VarId,
        length: Operand,
        is_signed: bool,
    },
    Sum {
        carry: VarId,
    },
    Difference {
        borrow: VarId,
    },
    /// The lesser or the greater one of two numbers: `less` are the rows in which the first one is
    /// less.
    Select {
        less: VarId,
        is_min: bool,
    },
    Distance {
        less: VarId,
        borrow: VarId,
    },
    Saturated {
        carry: VarId,
        over: VarId,
        under: Option<VarId>,
        /// The number of bits of the greatest number.
        limit: Operand,
    },
}

impl Node {
    fn n_operands(&self) -> usize {
        match self {
            Node::Field(_) | Node::Slice { .. } | Node::Word { .. } => 0,
            Node::Sum { .. }
            | Node::Difference { .. }
            | Node::Select { .. }
            | Node::Distance { .. }
            | Node::Saturated { .. } => 2,
        }
    }
}

/// A column expression, ready for the loops.
struct Plan {
    nodes: Vec<Node>,
    n_rows: Operand,
    /// The size of its slices.
    extent: Extent,
}

impl Plan {
    /// Returns the nodes of the number whose last node this is.
    fn whole(&self, last: usize) -> Range<usize> {
        let (mut missing, mut first) = (1, last);
        loop {
            missing += self.nodes[first].n_operands();
            missing -= 1;
            if missing == 0 {
                return first..last + 1;
            }
            first -= 1;
        }
    }

    /// Returns the nodes of the last two numbers.
    fn pair(&self) -> Range<usize> {
        let second = self.whole(self.nodes.len() - 1);
        self.whole(second.start - 1).start..second.end
    }
}

/// The bit of an iteration.
enum Bit<'b> {
    /// The one in this column of the first field, or of the one that is stored to. All fields have
    /// it.
    Inner { index: Operand, words: &'b [(usize, VarId)] },
    /// The one with this number, from 1.
    Outer(Operand),
}

/// The rows found by a pass over the sums of two numbers, or over numbers that are stored.
struct Beyond {
    /// The rows with a one beyond the limit.
    ones: VarId,
    /// The rows with a zero beyond the limit.
    zeros: VarId,
    sign: VarId,
}

impl Lowerer<'_> {
    // ---- uses of column expressions ----

    /// Lowers `E.w := numbers`. A number that does not fit traps after all were stored.
    pub(super) fn put_numbers(&mut self, target: &NumberField, value: &Expr) {
        let NumberField { field, is_signed, mask } = target;
        let ExprKind::Numbers(column) = &value.kind else {
            return self.fault("numbers that are no column expression");
        };
        if let ([ColumnStep::Operand { value, is_signed: from_signed, .. }], None) =
            (&column.steps[..], mask)
            && let ExprKind::Field(other) = &value.kind
            && is_signed == from_signed
            && let width = Poly::of(&field.width).minus(&Poly::of(&other.width))
            && let Some(Single::Const(0)) = width.single()
        {
            return self.put_field(field, value);
        }
        let columns = self.columns(field);
        self.check_columns(&columns, SizeOperand::Columns(columns.table));
        let Columns { table, base, width } = columns;
        let end = self.last_column(base, &width);
        let is_signed = *is_signed;
        let into = FieldBits { table, end, width: width.clone(), is_signed, sign: None };
        let plan = self.plan(column, field.table, Some(&into));
        let mask = mask.map(|mask| {
            self.check_set(mask);
            let mask = self.place_var(mask);
            let n_rows = SizeOperand::Value(plan.n_rows.clone());
            self.check(Check::Size(SizeOperand::Length(mask), n_rows));
            mask
        });
        let beyond = self.store_numbers(&plan, &into, mask, is_signed);
        let mut bad = self.slice_temp(&plan);
        self.assign(bad, Op::Copy(Operand::Var(beyond.ones)));
        if is_signed {
            // A field without columns has no sign: its numbers are zero.
            self.when(Relation::Gt, &width, &Operand::Int(0), |this| {
                this.count(1);
                this.assign(bad, Op::BitsLogic(LogicOp::And, bad, beyond.zeros));
            });
        }
        if let Some(mask) = mask {
            bad = self.logic(&plan, LogicOp::And, bad, mask);
        }
        self.count(1);
        let row = self.store_temp(Ty::Int, Op::Query(Query::First, bad));
        self.check(Check::FitsRow { row, width });
    }

    /// Lowers the numbers of a column expression to a table, with as many columns as they need.
    pub(super) fn numbers(&mut self, column: &Column, exts: Exts) -> Rvalue {
        let Some(of) = first_table(column) else {
            self.fault("numbers without a field");
            let op = Op::NewTable(Operand::Int(0), Operand::Int(0));
            return Rvalue { op, size: SizeOperand::Value(Operand::Int(0)), exts };
        };
        let plan = self.plan(column, of, None);
        let width = self.n_bits(&plan, 0..plan.nodes.len());
        self.check(Check::NotNegative(plan.n_rows.clone()));
        self.check(Check::NotNegative(width.clone()));
        let table = self.temp(Ty::Table(plan.extent, Extent::Dynamic));
        self.assign(table, Op::NewTable(plan.n_rows.clone(), width.clone()));
        let into = FieldBits { table, end: width.clone(), width, is_signed: true, sign: None };
        self.store_numbers(&plan, &into, None, true);
        if column.offset {
            let first = Operand::Int(1);
            let sign = self.column_of_table(&plan, table, first.clone());
            let sign = self.inverted(&plan, sign);
            self.put_column(table, first, sign);
        }
        let size = SizeOperand::Rows(table);
        Rvalue { op: Op::Copy(Operand::Var(table)), size, exts }
    }

    /// Lowers a relation of two numbers of each row to a slice.
    pub(super) fn column_relation(
        &mut self,
        relation: Relation,
        column: &Column,
        exts: Exts,
    ) -> Rvalue {
        let Some(of) = first_table(column) else {
            return self.fault_bits("a relation without a field", exts);
        };
        let plan = self.plan(column, of, None);
        let nodes = plan.pair();
        let (rows, negated) = match relation {
            Relation::Eq => (self.differing(&plan, nodes), true),
            Relation::Ne => (self.differing(&plan, nodes), false),
            Relation::Lt => (self.lesser(&plan, nodes, false), false),
            Relation::Ge => (self.lesser(&plan, nodes, false), true),
            Relation::Gt => (self.lesser(&plan, nodes, true), false),
            Relation::Le => (self.lesser(&plan, nodes, true), true),
        };
        self.count(u64::from(negated));
        let op = if negated { Op::BitsNot(rows) } else { Op::Copy(Operand::Var(rows)) };
        Rvalue { op, size: SizeOperand::Length(rows), exts }
    }

    /// Returns the rows of a column expression, which has a field.
    pub(super) fn column_rows(&self, column: &Column) -> Ext {
        first_table(column).map_or(Ext::Dynamic, |table| self.rows_of_records(table))
    }

    /// A table of records is declared with its rows.
    fn rows_of_records(&self, table: VarUse) -> Ext {
        match self.declared_key(table.local, 0) {
            Some(key) => Ext::Known(key),
            None => self.place_exts(table).0,
        }
    }

    // ---- preparation ----

    /// Evaluates the operands of a column expression, and the relations that it selects by. `into`
    /// are the columns that are assigned.
    fn plan(&mut self, column: &Column, rows_of: VarUse, into: Option<&FieldBits>) -> Plan {
        let last_effect = column.operands().filter(|operand| operand.effects).count();
        let mut n_effects = 0;
        let mut nodes: Vec<Node> = Vec::with_capacity(column.steps.len());
        let mut sizes: Vec<(Ext, SizeOperand)> = Vec::new();
        for step in &column.steps {
            let ColumnStep::Operand { value, is_signed, is_target } = step else { continue };
            n_effects += usize::from(value.effects);
            if value.ty != TyKind::Word {
                self.must_fit(rows_of.local, 0, value);
            }
            let is_kept = n_effects < last_effect;
            let own = into.filter(|_| *is_target);
            let node = match (&value.kind, value.ty) {
                (ExprKind::Field(field), _) => {
                    if let Some(own) = own {
                        nodes.push(Node::Field(own.clone()));
                        continue;
                    }
                    let columns = self.columns(field);
                    self.check_columns(&columns, SizeOperand::Columns(columns.table));
                    let Columns { table, base, width } = columns;
                    let is_signed = *is_signed;
                    if is_kept || into.is_some_and(|into| into.table == table) {
                        // The loop stores to the table.
                        let view = self.temp(Ty::Table(Extent::Dynamic, Extent::Dynamic));
                        self.assign(view, Op::Field { table, base, width: width.clone() });
                        sizes.push((Ext::Dynamic, SizeOperand::Rows(view)));
                        let end = width.clone();
                        Node::Field(FieldBits { table: view, end, width, is_signed, sign: None })
                    } else {
                        let rows = self.rows_of_records(field.table);
                        sizes.push((rows, SizeOperand::Rows(table)));
                        let end = self.last_column(base, &width);
                        Node::Field(FieldBits { table, end, width, is_signed, sign: None })
                    }
                }
                (_, TyKind::Slice) => {
                    let rows = self.bits(value, None);
                    let rows = self.keep_bits(rows, value, is_kept);
                    sizes.push((self.exts_of(value).0, SizeOperand::Length(rows)));
                    Node::Slice { rows, rest: rows }
                }
                _ => {
                    let word = self.bits(value, None);
                    let word = self.keep_bits(word, value, is_kept);
                    let length = self.measured(SizeOperand::Length(word));
                    Node::Word { word, length, is_signed: *is_signed }
                }
            };
            nodes.push(node);
        }
        let rows = self.rows_of_records(rows_of);
        let extent = self.settled(rows);
        let n_rows = match rows {
            Ext::Known(key) => self.size(key),
            Ext::Unknown | Ext::Dynamic => {
                let table = self.place_var(rows_of);
                self.measured(SizeOperand::Rows(table))
            }
        };
        for (ext, size) in sizes {
            if !ext.same(rows) {
                self.check(Check::Size(size, SizeOperand::Value(n_rows.clone())));
            }
        }
        let mut operands = nodes.into_iter();
        let mut plan = Plan { nodes: Vec::new(), n_rows, extent };
        for step in &column.steps {
            let node = match step {
                ColumnStep::Operand { .. } => match operands.next() {
                    Some(Node::Slice { rows, rest: _ }) => {
                        Node::Slice { rows, rest: self.slice_temp(&plan) }
                    }
                    Some(Node::Field(field)) if field.is_signed => {
                        let sign = Some(self.signs(&plan, &field));
                        Node::Field(FieldBits { sign, ..field })
                    }
                    Some(node) => node,
                    None => {
                        self.fault("a column expression without an operand");
                        continue;
                    }
                },
                ColumnStep::Apply(op) => self.applied(&plan, *op),
            };
            plan.nodes.push(node);
        }
        plan
    }

    fn last_column(&mut self, base: Operand, width: &Operand) -> Operand {
        match base {
            Operand::Int(0) => width.clone(),
            base => self.int_op(IntOp::Add, base, width.clone()),
        }
    }

    /// Returns the node of an operation on the last two numbers.
    fn applied(&mut self, plan: &Plan, op: ColumnOp) -> Node {
        let carry = self.slice_temp(plan);
        match op {
            ColumnOp::Add => Node::Sum { carry },
            ColumnOp::Sub => Node::Difference { borrow: carry },
            ColumnOp::Min | ColumnOp::Max => {
                let less = self.lesser(plan, plan.pair(), false);
                Node::Select { less, is_min: op == ColumnOp::Min }
            }
            ColumnOp::AbsDiff => {
                let less = self.lesser(plan, plan.pair(), false);
                Node::Distance { less, borrow: carry }
            }
            ColumnOp::Saturate { is_signed } => self.saturated(plan, carry, is_signed),
        }
    }

    fn saturated(&mut self, plan: &Plan, carry: VarId, is_signed: bool) -> Node {
        let nodes = plan.pair();
        let mut width: Option<Operand> = None;
        for node in &plan.nodes[nodes.clone()] {
            if let Node::Field(field) = node {
                width = Some(match width {
                    Some(width) => self.greater(width, field.width.clone()),
                    None => field.width.clone(),
                });
            }
        }
        let mut limit = width.unwrap_or(Operand::Int(0));
        if is_signed {
            limit = self.int_op(IntOp::Sub, limit, Operand::Int(1));
            limit = self.greater(limit, Operand::Int(0));
        }
        let beyond = self.beyond(plan);
        let top = self.n_bits(plan, nodes.clone());
        self.clear(plan, carry);
        let inner = limit.clone();
        self.fold(plan, nodes, (None, Some(inner)), top, |this, numbers, bit| {
            let (sum, _) = this.add(plan, numbers, carry);
            if let Bit::Outer(number) = bit {
                this.note_beyond(plan, &beyond, sum, number, &limit);
            }
        });
        let positive = self.inverted(plan, beyond.sign);
        let over = self.logic(plan, LogicOp::And, beyond.ones, positive);
        let under = is_signed.then(|| self.logic(plan, LogicOp::And, beyond.zeros, beyond.sign));
        Node::Saturated { carry, over, under, limit }
    }

    /// Returns the rows in which the first of two numbers is less than the second, or the second
    /// less than the first.
    fn lesser(&mut self, plan: &Plan, nodes: Range<usize>, swapped: bool) -> VarId {
        let (less, borrow) = (self.slice_temp(plan), self.slice_temp(plan));
        self.clear(plan, less);
        self.clear(plan, borrow);
        let top = self.n_bits(plan, nodes.clone());
        self.fold(plan, nodes, (None, None), top, |this, numbers, bit| {
            let mut numbers = [numbers[0], numbers[1]];
            if swapped {
                numbers.reverse();
            }
            let difference = this.subtract(plan, &numbers, borrow);
            if let Bit::Outer(_) = bit {
                // The last one is the sign.
                this.assign(less, Op::Copy(Operand::Var(difference)));
            }
        });
        less
    }

    /// Returns the rows in which two numbers are different.
    fn differing(&mut self, plan: &Plan, nodes: Range<usize>) -> VarId {
        let found = self.slice_temp(plan);
        self.clear(plan, found);
        let top = self.n_bits(plan, nodes.clone());
        self.fold(plan, nodes, (None, None), top, |this, numbers, _| {
            let differ = this.logic(plan, LogicOp::Xor, numbers[0], numbers[1]);
            this.count(1);
            this.assign(found, Op::BitsLogic(LogicOp::Or, found, differ));
        });
        found
    }

    /// Stores the numbers to a field, or in the rows of a mask; returns what is beyond the field.
    fn store_numbers(
        &mut self,
        plan: &Plan,
        into: &FieldBits,
        mask: Option<VarId>,
        is_signed: bool,
    ) -> Beyond {
        let mut limit = into.width.clone();
        if is_signed {
            limit = self.int_op(IntOp::Sub, limit, Operand::Int(1));
            limit = self.greater(limit, Operand::Int(0));
        }
        let beyond = self.beyond(plan);
        let nodes = 0..plan.nodes.len();
        let top = self.n_bits(plan, nodes.clone());
        let least = match is_signed {
            true => into.width.clone(),
            false => self.int_op(IntOp::Add, into.width.clone(), Operand::Int(1)),
        };
        let top = self.greater(top, least);
        let inner = limit.clone();
        self.fold(plan, nodes, (Some(into), Some(inner)), top, |this, numbers, bit| {
            let number = numbers[0];
            let store = |this: &mut Self, index: Operand| {
                let number = match mask {
                    Some(mask) => {
                        let old = this.column_of_table(plan, into.table, index.clone());
                        this.selected(plan, mask, number, old)
                    }
                    None => number,
                };
                this.put_column(into.table, index, number);
            };
            match bit {
                Bit::Inner { index, .. } => store(this, index.clone()),
                Bit::Outer(at) => {
                    this.when(Relation::Le, at, &into.width, |this| {
                        let index = this.place_of_bit(into, at);
                        store(this, index);
                    });
                    this.note_beyond(plan, &beyond, number, at, &limit);
                }
            }
        });
        beyond
    }

    fn beyond(&mut self, plan: &Plan) -> Beyond {
        let [ones, zeros, sign] = [(); 3].map(|()| {
            let slice = self.slice_temp(plan);
            self.clear(plan, slice);
            slice
        });
        Beyond { ones, zeros, sign }
    }

    /// Notes the bit of a number, if it is beyond the limit.
    fn note_beyond(
        &mut self,
        plan: &Plan,
        beyond: &Beyond,
        number: VarId,
        at: &Operand,
        limit: &Operand,
    ) {
        self.when(Relation::Gt, at, limit, |this| {
            this.count(2);
            this.assign(beyond.ones, Op::BitsLogic(LogicOp::Or, beyond.ones, number));
            let zeros = this.inverted(plan, number);
            this.assign(beyond.zeros, Op::BitsLogic(LogicOp::Or, beyond.zeros, zeros));
        });
        self.assign(beyond.sign, Op::Copy(Operand::Var(number)));
    }

    /// Returns the number of bits that the exact value of these nodes needs.
    fn n_bits(&mut self, plan: &Plan, nodes: Range<usize>) -> Operand {
        let (mut greatest, mut n_operands) = (Operand::Int(1), 0_usize);
        for node in &plan.nodes[nodes] {
            let (width, is_signed) = match node {
                Node::Field(field) => (field.width.clone(), field.is_signed),
                Node::Slice { .. } => (Operand::Int(1), false),
                Node::Word { length, is_signed, .. } => (length.clone(), *is_signed),
                Node::Sum { .. }
                | Node::Difference { .. }
                | Node::Select { .. }
                | Node::Distance { .. }
                | Node::Saturated { .. } => continue,
            };
            n_operands += 1;
            let width = match is_signed {
                true => width,
                false => self.int_op(IntOp::Add, width, Operand::Int(1)),
            };
            greatest = self.greater(greatest, width);
        }
        let more = n_operands.next_power_of_two().trailing_zeros();
        self.int_op(IntOp::Add, greatest, Operand::Int(i64::from(more)))
    }
}

/// Returns the table of the first field.
fn first_table(column: &Column) -> Option<VarUse> {
    column.operands().find_map(|operand| match &operand.kind {
        ExprKind::Field(field) => Some(field.table),
        _ => None,
    })
}
