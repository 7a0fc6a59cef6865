//! Assignments and stores. Operations on whole tables are loops over their columns (`columns`).

use star_ir::{
    Direction, IntOp, LogicOp, Op as Sir, Operand, Query, Relation, Sense, Simple, SizeOperand, Ty,
    VarId,
};
use star_shaders::layout::measure;
use star_shaders::{Generator, Op, Reduce};

use super::builder::{Builder, Line, table};
use super::{Extreme, Unsupported, is_number};
use crate::code::{Object, Reg};

impl Builder<'_> {
    /// The variable takes the value of the operation.
    pub(super) fn assignment(&mut self, dst: VarId, op: &Sir) -> Result<(), Unsupported> {
        if is_number(self.routine.var(dst).ty) {
            let value = self.number_of(op)?;
            self.assign(dst, value);
            return Ok(());
        }
        if let (Ty::Handle, Sir::Copy(Operand::Var(from))) = (self.routine.var(dst).ty, op) {
            self.copy_handle(dst, *from);
            return Ok(());
        }
        let x = self.object(dst);
        match op {
            Sir::Copy(Operand::Var(from)) => self.copy(dst, x, self.object(*from)),
            Sir::Convert(from) => self.copy_bits(x, self.object(*from)),
            Sir::Fill(len, bit) => {
                let len = self.value(len);
                self.shape(x, len, None);
                self.logic(if *bit { table::ONE } else { table::ZERO }, x.into(), None, None);
            }
            Sir::Literal(bits) => {
                let len = self.fresh();
                self.load(len, bits.len() as i64);
                self.shape(x, len, None);
                self.literal(x, bits);
            }
            Sir::BitsNot(y) => {
                let y = self.object(*y);
                self.shape_like(x, y);
                self.logic(table::NOT, x.into(), Some(y.into()), None);
            }
            Sir::BitsLogic(op, y, z) => {
                let (y, z) = (self.object(*y), self.object(*z));
                self.shape_like(x, y);
                let table = match op {
                    LogicOp::And => table::AND,
                    LogicOp::Or => table::OR,
                    LogicOp::Xor => table::XOR,
                };
                self.logic(table, x.into(), Some(y.into()), Some(z.into()));
            }
            Sir::KeepFirst(y) => {
                let y = self.object(*y);
                let first = self.reduce(Reduce::First, table::FIRST, y, None, None);
                self.shape_like(x, y);
                self.generate(Generator::Mask, x, None, (Some(first), Some(first)));
            }
            Sir::Mask { size, from, to } => {
                let (size, from, to) = (self.value(size), self.value(from), self.value(to));
                self.shape(x, size, None);
                self.generate(Generator::Mask, x, None, (Some(from), Some(to)));
            }
            Sir::Shift(y, direction, by) => {
                let (y, by) = (self.object(*y), self.value(by));
                let len = self.size(y, measure::LENGTH);
                let by = self.alu(Op::Min, by, len);
                let by = match direction {
                    Direction::Up => by,
                    Direction::Down => {
                        let zero = self.fresh();
                        self.load(zero, 0);
                        self.alu(Op::Sub, zero, by)
                    }
                };
                self.apart(x, y, Generator::Funnel, Some(by));
            }
            Sir::Rotate(y, by) => {
                let (y, by) = (self.object(*y), self.value(by));
                let len = self.size(y, measure::LENGTH);
                let len = self.alu_imm(Op::Max, len, 1);
                let by = self.alu(Op::Mod, by, len);
                let by = self.alu(Op::Add, by, len);
                let by = self.alu(Op::Mod, by, len);
                self.apart(x, y, Generator::Rotate, Some(by));
            }
            Sir::Mirror(y) => self.apart(x, self.object(*y), Generator::Mirror, None),
            Sir::Shuffle(y) => self.apart(x, self.object(*y), Generator::Shuffle, None),
            Sir::Trim { word, base, width } => {
                let (y, base, width) = (self.object(*word), self.value(base), self.value(width));
                let to = if x == y { self.temporary() } else { x };
                self.shape(to, width, None);
                self.generate(Generator::Funnel, to, Some(y), (Some(base), None));
                if to != x {
                    self.copy_bits(x, to);
                }
            }
            Sir::WordAdd(y, z) => self.word_sum(Op::WordAdd, x, *y, *z),
            Sir::WordSub(y, z) => self.word_sum(Op::WordSub, x, *y, *z),
            Sir::IntToWord { value, width } => {
                let (value, width) = (self.value(value), self.value(width));
                self.shape(x, width, None);
                self.generate(Generator::Number, x, None, (Some(value), None));
            }
            Sir::Column(table, index) => {
                let (y, index) = (self.object(*table), self.value(index));
                let rows = self.size(y, measure::ROWS);
                self.shape(x, rows, None);
                let column = Line { object: y, column: Some(index) };
                self.logic(table::FIRST, x.into(), Some(column), None);
            }
            Sir::Row(table, index) => {
                let (y, index) = (self.object(*table), self.value(index));
                let columns = self.size(y, measure::COLUMNS);
                self.shape(x, columns, None);
                self.generate(Generator::Row, x, Some(y), (Some(index), None));
            }
            Sir::Field { table, base, width } => {
                let (y, base, width) = (self.object(*table), self.value(base), self.value(width));
                let to = if x == y { self.temporary() } else { x };
                let rows = self.size(y, measure::ROWS);
                self.shape(to, rows, Some(width));
                self.copy_columns((to, None), (y, Some(base)), width);
                if to != x {
                    self.copy_table(x, to);
                }
            }
            Sir::NewTable(rows, columns) => {
                let (rows, columns) = (self.value(rows), self.value(columns));
                self.shape(x, rows, Some(columns));
                self.clear_columns(x, None, columns);
            }
            Sir::Extreme { table, mask, sense } => {
                let (table, mask, sense) = (*table, *mask, *sense);
                let end = self.label();
                self.wide_extreme(Extreme { dst, table, mask, sense }, end);
                self.extreme(x, self.object(table), self.object(mask), sense);
                self.here(end);
            }
            Sir::HandlePart(handle, part) => {
                let part = self.part_of(*handle, part)?;
                self.copy_table(x, part);
            }
            Sir::Copy(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_))
            | Sir::Int(..)
            | Sir::Compare(..)
            | Sir::Not(_)
            | Sir::Logic(..)
            | Sir::BitsEqual(..)
            | Sir::Component(..)
            | Sir::Query(..)
            | Sir::Length(_)
            | Sir::WordCompare(..)
            | Sir::WordToInt(_)
            | Sir::Bit(..)
            | Sir::Rows(_)
            | Sir::Columns(_) => {
                return Err(Unsupported("a number in the place of an object".to_owned()));
            }
        }
        Ok(())
    }

    /// The register of an operation's number.
    fn number_of(&mut self, op: &Sir) -> Result<Reg, Unsupported> {
        Ok(match op {
            Sir::Copy(operand) => self.value(operand),
            Sir::Int(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let op = match op {
                    IntOp::Add => Op::Add,
                    IntOp::Sub => Op::Sub,
                    IntOp::Mul => Op::Mul,
                    IntOp::Div => Op::Div,
                    IntOp::Mod => Op::Mod,
                };
                self.alu(op, left, right)
            }
            Sir::Compare(relation, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.alu(comparison(*relation), left, right)
            }
            Sir::Not(operand) => {
                let value = self.value(operand);
                self.alu_imm(Op::Xor, value, 1)
            }
            Sir::Logic(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let op = match op {
                    LogicOp::And => Op::And,
                    LogicOp::Or => Op::Or,
                    LogicOp::Xor => Op::Xor,
                };
                self.alu(op, left, right)
            }
            Sir::BitsEqual(y, z) => {
                let z = self.object(*z);
                self.reduce(Reduce::None, table::XOR, self.object(*y), Some(z), None)
            }
            Sir::Component(y, index) => {
                let index = self.value(index);
                self.bit_get(self.object(*y), None, index)
            }
            Sir::Query(query, y) => {
                let (reduce, function) = match query {
                    Query::Any => (Reduce::Some, table::FIRST),
                    Query::None => (Reduce::None, table::FIRST),
                    Query::All => (Reduce::None, table::NOT),
                    Query::First => (Reduce::First, table::FIRST),
                    Query::Count => (Reduce::Count, table::FIRST),
                };
                self.reduce(reduce, function, self.object(*y), None, None)
            }
            Sir::Length(y) => self.size(self.object(*y), measure::LENGTH),
            Sir::Rows(y) => self.size(self.object(*y), measure::ROWS),
            Sir::Columns(y) => self.size(self.object(*y), measure::COLUMNS),
            Sir::WordCompare(relation, y, z) => {
                let (y, z) = (self.object(*y), self.object(*z));
                self.word_compare(*relation, y, z)
            }
            Sir::WordToInt(y) => {
                let (d, y) = (self.fresh(), self.object(*y));
                self.emit(Op::WordToInt, |it| (it.d, it.y) = (Some(d), Some(y)));
                d
            }
            Sir::Bit(table, row, column) => {
                let (row, column) = (self.value(row), self.value(column));
                self.bit_get(self.object(*table), Some(column), row)
            }
            _ => {
                return Err(Unsupported("an object in the place of a number".to_owned()));
            }
        })
    }

    /// A statement that changes a part of a variable.
    pub(super) fn store(&mut self, simple: &Simple) -> Result<(), Unsupported> {
        match simple {
            Simple::Step { dst, bits } => {
                let first =
                    self.reduce(Reduce::First, table::FIRST, self.object(*bits), None, None);
                if let Some(line) = self.insts.last_mut().and_then(|inst| inst.line.as_mut()) {
                    line.clears = true;
                }
                self.assign(*dst, first);
            }
            Simple::Put { bits, index, bit } => {
                let (index, bit) = (self.value(index), self.value(bit));
                self.bit_put(self.object(*bits), None, index, bit);
            }
            Simple::PutBit { table, row, column, bit } => {
                let (row, column) = (self.value(row), self.value(column));
                let bit = self.value(bit);
                self.bit_put(self.object(*table), Some(column), row, bit);
            }
            Simple::Replace { word, base, value } => {
                if word != value {
                    let base = self.value(base);
                    let (x, y) = (self.object(*word), self.object(*value));
                    self.generate(Generator::Replace, x, Some(y), (Some(base), None));
                }
            }
            Simple::PutColumn { table, index, value } => {
                let index = self.value(index);
                let x = Line { object: self.object(*table), column: Some(index) };
                let y = self.object(*value);
                self.logic(table::FIRST, x, Some(y.into()), None);
            }
            Simple::PutRow { table, index, value } => {
                let index = self.value(index);
                let (x, y) = (self.object(*table), self.object(*value));
                self.emit(Op::RowPut, |it| (it.x, it.a, it.y) = (Some(x), Some(index), Some(y)));
            }
            Simple::PutField { table, base, value } => {
                if table != value {
                    let base = self.value(base);
                    let (x, y) = (self.object(*table), self.object(*value));
                    let width = self.size(y, measure::COLUMNS);
                    self.copy_columns((x, Some(base)), (y, None), width);
                }
            }
            Simple::PutHandlePart { handle, part, value } => {
                self.put_part(*handle, part, *value)?;
            }
            Simple::Assign(..)
            | Simple::Size(_)
            | Simple::Check(_)
            | Simple::Cost { .. }
            | Simple::Call { .. }
            | Simple::Print(_)
            | Simple::Read { .. }
            | Simple::Write { .. }
            | Simple::Exchange { .. }
            | Simple::ExchangeRow { .. } => {
                return Err(Unsupported("this statement as a store".to_owned()));
            }
        }
        Ok(())
    }

    /// A size, 0 if it is not known.
    pub(super) fn measure(&mut self, size: &SizeOperand) -> Reg {
        match size {
            SizeOperand::Value(operand) => self.value(operand),
            SizeOperand::Length(var) => self.size(self.object(*var), measure::LENGTH),
            SizeOperand::Rows(var) => self.size(self.object(*var), measure::ROWS),
            SizeOperand::Columns(var) => self.size(self.object(*var), measure::COLUMNS),
        }
    }

    /// x is what a generator makes of the other components of y: never in place.
    fn apart(&mut self, x: Object, y: Object, generator: Generator, b: Option<Reg>) {
        let to = if x == y { self.temporary() } else { x };
        self.shape_like(to, y);
        self.generate(generator, to, Some(y), (b, None));
        if to != x {
            self.copy_bits(x, to);
        }
    }

    fn bit_get(&mut self, y: Object, column: Option<Reg>, index: Reg) -> Reg {
        let d = self.fresh();
        self.emit(Op::BitGet, |it| {
            (it.d, it.y, it.b, it.c) = (Some(d), Some(y), column, Some(index))
        });
        d
    }

    fn bit_put(&mut self, x: Object, column: Option<Reg>, index: Reg, bit: Reg) {
        self.emit(Op::BitPut, |it| {
            (it.x, it.a, it.b, it.c) = (Some(x), column, Some(index), Some(bit));
        });
    }

    fn word_sum(&mut self, op: Op, x: Object, y: VarId, z: VarId) {
        let (y, z) = (self.object(y), self.object(z));
        self.shape_like(x, y);
        self.emit(op, |it| (it.x, it.y, it.z) = (Some(x), Some(y), Some(z)));
    }

    /// Does the sum need a further bit, or is the difference negative?
    pub(super) fn carry(&mut self, op: Op, y: VarId, z: VarId) -> Reg {
        let (d, y, z) = (self.fresh(), self.object(y), self.object(z));
        self.emit(op, |it| (it.d, it.y, it.z) = (Some(d), Some(y), Some(z)));
        d
    }

    /// The words differ first where the greater one has a one.
    fn word_compare(&mut self, relation: Relation, y: Object, z: Object) -> Reg {
        match relation {
            Relation::Eq => return self.reduce(Reduce::None, table::XOR, y, Some(z), None),
            Relation::Ne => return self.reduce(Reduce::Some, table::XOR, y, Some(z), None),
            Relation::Lt | Relation::Le | Relation::Gt | Relation::Ge => {}
        }
        let (d, end) = (self.fresh(), self.label());
        let equal_holds = matches!(relation, Relation::Le | Relation::Ge);
        self.load(d, i64::from(equal_holds));
        let first = self.reduce(Reduce::First, table::XOR, y, Some(z), None);
        self.jump_if(Op::JumpZero, first, end);
        let greater = self.bit_get(y, None, first);
        let wants_less = matches!(relation, Relation::Lt | Relation::Le);
        let holds = self.alu_imm(Op::Xor, greater, i64::from(wants_less));
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(d), Some(holds)));
        self.here(end);
        d
    }

    /// The rows marked that hold the extreme: whenever some of those left have the better bit in a
    /// column, the others fall out.
    fn extreme(&mut self, x: Object, table: Object, mask: Object, sense: Sense) {
        let (left, best) = (self.temporary(), self.temporary());
        self.copy_bits(left, mask);
        self.shape_like(best, mask);
        let width = self.size(table, measure::COLUMNS);
        let columns = self.columns(width);
        let column = Line { object: table, column: Some(columns.at) };
        let better = match sense {
            Sense::Min => table::AND_NOT,
            Sense::Max => table::AND,
        };
        let (d, skip) = (self.fresh(), self.label());
        self.logic(better, best.into(), Some(left.into()), Some(column));
        if let Some(inst) = self.insts.last_mut() {
            inst.d = Some(d);
            if let Some(line) = &mut inst.line {
                line.reduce = Reduce::Some;
            }
        }
        self.jump_if(Op::JumpZero, d, skip);
        self.logic(table::FIRST, left.into(), Some(best.into()), None);
        self.here(skip);
        self.next_column(columns);
        self.copy_bits(x, left);
    }
}

/// The operation that compares numbers.
fn comparison(relation: Relation) -> Op {
    match relation {
        Relation::Eq => Op::Eq,
        Relation::Ne => Op::Ne,
        Relation::Lt => Op::Lt,
        Relation::Le => Op::Le,
        Relation::Gt => Op::Gt,
        Relation::Ge => Op::Ge,
    }
}
