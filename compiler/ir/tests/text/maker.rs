//! Generation of programs from bytes.

use star_base::{FileId, Intrinsic, Span};
use star_ir::kernel::{Effect, Line, Value, ValueId};
use star_ir::*;
use star_value::BitVector;

/// Generates parts of arbitrary, not necessarily meaningful, programs from bytes.
pub(crate) struct Maker<'a> {
    pub(crate) bytes: std::slice::Iter<'a, u8>,
}

pub(crate) const N_OPS: usize = 37;
pub(crate) const N_CHECKS: usize = 17;
pub(crate) const N_STMTS: usize = 29;

impl Maker<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }
    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }
    pub(crate) fn var(&mut self) -> VarId {
        VarId(self.below(7) as u32)
    }
    pub(crate) fn label(&mut self) -> LabelId {
        LabelId(self.byte().into())
    }
    pub(crate) fn loc(&mut self) -> LocId {
        LocId(self.byte().into())
    }
    pub(crate) fn text(&mut self) -> String {
        let texts =
            ["X", "w.2", "1", "a b", "", "\"\\\n\t\u{7}", "Θ", "кол", "x-y", "%", "}", "; no"];
        texts[self.below(texts.len())].into()
    }
    pub(crate) fn operand(&mut self) -> Operand {
        match self.below(5) {
            0 | 1 => Operand::Var(self.var()),
            2 => Operand::Int([i64::MIN, -1, 0, 7, i64::MAX][self.below(5)]),
            3 => Operand::Bool(self.flag()),
            _ => Operand::Str(self.text().into()),
        }
    }
    fn print_item(&mut self) -> PrintItem {
        match self.flag() {
            true => PrintItem::Name(self.operand()),
            false => PrintItem::Value(self.operand()),
        }
    }
    pub(crate) fn measure(&mut self) -> SizeOperand {
        match self.below(4) {
            0 => SizeOperand::Length(self.var()),
            1 => SizeOperand::Rows(self.var()),
            2 => SizeOperand::Columns(self.var()),
            _ => SizeOperand::Value(self.operand()),
        }
    }
    pub(crate) fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| each(self)).collect()
    }
    pub(crate) fn int_op(&mut self) -> IntOp {
        use IntOp::*;
        [Add, Sub, Mul, Div, Mod][self.below(5)]
    }
    pub(crate) fn logic(&mut self) -> LogicOp {
        [LogicOp::And, LogicOp::Or, LogicOp::Xor][self.below(3)]
    }
    pub(crate) fn relation(&mut self) -> Relation {
        use Relation::*;
        [Eq, Ne, Lt, Le, Gt, Ge][self.below(6)]
    }
    pub(crate) fn op(&mut self, which: usize) -> Op {
        match which {
            0 => Op::Copy(self.operand()),
            1 => Op::Int(self.int_op(), self.operand(), self.operand()),
            2 => Op::Compare(self.relation(), self.operand(), self.operand()),
            3 => Op::Not(self.operand()),
            4 => Op::Logic(self.logic(), self.operand(), self.operand()),
            5 => Op::Fill(self.operand(), self.flag()),
            6 => {
                let bits = self.list(Self::flag);
                Op::Literal(BitVector::from_bools(&bits))
            }
            7 => Op::BitsNot(self.var()),
            8 => Op::BitsLogic(self.logic(), self.var(), self.var()),
            9 => Op::BitsEqual(self.var(), self.var()),
            10 => Op::Component(self.var(), self.operand()),
            11 => Op::Query(Query::First, self.var()),
            12 => Op::Query(Query::Count, self.var()),
            13 => Op::Query(Query::Any, self.var()),
            14 => Op::Query(Query::All, self.var()),
            15 => Op::Query(Query::None, self.var()),
            16 => Op::Convert(self.var()),
            17 => Op::KeepFirst(self.var()),
            18 => Op::Mask { size: self.operand(), from: self.operand(), to: self.operand() },
            19 => {
                let direction = [Direction::Up, Direction::Down][self.below(2)];
                Op::Shift(self.var(), direction, self.operand())
            }
            20 => Op::Rotate(self.var(), self.operand()),
            21 => Op::Mirror(self.var()),
            22 => Op::Shuffle(self.var()),
            23 => Op::Length(self.var()),
            24 => Op::Trim { word: self.var(), base: self.operand(), width: self.operand() },
            25 => Op::WordCompare(self.relation(), self.var(), self.var()),
            26 => Op::WordAdd(self.var(), self.var()),
            27 => Op::WordSub(self.var(), self.var()),
            28 => Op::WordToInt(self.var()),
            29 => Op::IntToWord { value: self.operand(), width: self.operand() },
            30 => Op::Column(self.var(), self.operand()),
            31 => Op::Row(self.var(), self.operand()),
            32 => Op::Bit(self.var(), self.operand(), self.operand()),
            33 => Op::Field { table: self.var(), base: self.operand(), width: self.operand() },
            34 if self.flag() => Op::Rows(self.var()),
            34 => Op::Columns(self.var()),
            35 => Op::HandlePart(self.var(), self.handle_part()),
            _ if self.flag() => Op::NewTable(self.operand(), self.operand()),
            _ => Op::Extreme {
                table: self.var(),
                mask: self.var(),
                sense: [Sense::Min, Sense::Max][self.below(2)],
            },
        }
    }
    pub(crate) fn check(&mut self, which: usize) -> Check {
        match which {
            0 => Check::Set(self.var()),
            1 => Check::Result(self.var()),
            2 => Check::Index(self.operand(), self.measure()),
            3 => Check::NewColumn(self.var(), self.operand()),
            4 => Check::Size(self.measure(), self.measure()),
            5 => {
                Check::Range { base: self.operand(), width: self.operand(), limit: self.measure() }
            }
            6 => Check::Int(self.int_op(), self.operand(), self.operand()),
            7 => Check::Bit(self.operand()),
            8 => Check::NotNegative(self.operand()),
            9 => Check::Fits { value: self.operand(), width: self.operand() },
            10 => Check::FitsInt(self.var()),
            11 => Check::Even(self.var()),
            12 => Check::NoCarry(self.int_op(), self.var(), self.var()),
            13 => Check::Sized(self.var()),
            14 => Check::HandlePart(self.var(), self.handle_part()),
            15 => Check::FitsRow { row: self.operand(), width: self.operand() },
            _ => Check::Assert(self.operand(), self.operand()),
        }
    }
    pub(crate) fn handle_part(&mut self) -> HandlePart {
        HandlePart { module: self.text().into(), name: self.text().into() }
    }
    pub(crate) fn arg(&mut self) -> Arg {
        match self.below(3) {
            0 => Arg::Value(self.operand()),
            1 => Arg::Move(self.var()),
            _ => Arg::Ref(self.var()),
        }
    }
    pub(crate) fn size_op(&mut self) -> SizeOp {
        match self.below(7) {
            0 => SizeOp::Latch { dst: self.var(), size: self.measure() },
            1 => SizeOp::SetRows { table: self.var(), rows: self.measure() },
            2 => SizeOp::EnsureColumns { table: self.var(), columns: self.measure() },
            3 => SizeOp::Init { table: self.var(), rows: self.operand(), columns: self.operand() },
            4 => SizeOp::Adapt { bits: self.var(), size: self.operand() },
            5 => SizeOp::Unset(self.var()),
            _ => SizeOp::Fix { bits: self.var(), size: self.operand() },
        }
    }
    pub(crate) fn block(&mut self, depth: usize) -> Block {
        if depth == 0 {
            return Block::new();
        }
        self.list(|maker| {
            let which = maker.below(N_STMTS);
            maker.stmt(which, depth)
        })
    }
    pub(crate) fn part(&mut self) -> Part {
        let kind = match self.below(4) {
            0 => PartKind::Column,
            1 => PartKind::Row,
            2 => PartKind::Component,
            _ => PartKind::Field { base: self.operand(), width: self.operand() },
        };
        Part { var: self.var(), kind }
    }
    pub(crate) fn reduction(&mut self) -> Reduction {
        use ReductionOp::*;
        Reduction { op: [Or, And, Xor, Min, Max, Add][self.below(6)], var: self.var() }
    }
    pub(crate) fn stmt(&mut self, which: usize, depth: usize) -> Stmt {
        let depth = depth - 1;
        let kind = match which {
            0..=2 => {
                let op = self.below(N_OPS);
                StmtKind::Simple(Simple::Assign(self.var(), self.op(op)))
            }
            3 => StmtKind::Simple(Simple::Step { dst: self.var(), bits: self.var() }),
            4 => StmtKind::Simple(Simple::Put {
                bits: self.var(),
                index: self.operand(),
                bit: self.operand(),
            }),
            5 => StmtKind::Simple(Simple::Replace {
                word: self.var(),
                base: self.operand(),
                value: self.var(),
            }),
            6 => StmtKind::Simple(Simple::PutColumn {
                table: self.var(),
                index: self.operand(),
                value: self.var(),
            }),
            7 => StmtKind::Simple(Simple::PutRow {
                table: self.var(),
                index: self.operand(),
                value: self.var(),
            }),
            8 => StmtKind::Simple(Simple::PutBit {
                table: self.var(),
                row: self.operand(),
                column: self.operand(),
                bit: self.operand(),
            }),
            9 => StmtKind::Simple(Simple::PutField {
                table: self.var(),
                base: self.operand(),
                value: self.var(),
            }),
            10 => StmtKind::Simple(Simple::Size(self.size_op())),
            11 | 12 => {
                let check = self.below(N_CHECKS);
                StmtKind::Simple(Simple::Check(self.check(check)))
            }
            13 => StmtKind::Simple(Simple::Cost {
                units: [0, 3, u64::MAX][self.below(3)],
                times: self.flag().then(|| self.measure()),
            }),
            14 => StmtKind::Simple(Simple::Call {
                callee: RoutineId(self.below(5) as u32),
                args: self.list(Self::arg),
                dst: self.flag().then(|| self.var()),
            }),
            15 => StmtKind::Simple(Simple::Print(self.list(Self::print_item))),
            16 => StmtKind::Simple(Simple::Read {
                dst: self.var(),
                file: self.operand(),
                layout: self.flag().then(|| self.operand()),
            }),
            17 if self.flag() => {
                let Reduction { op, var } = self.reduction();
                StmtKind::Simple(Simple::Exchange { word: var, op })
            }
            17 if self.flag() => StmtKind::Simple(Simple::ExchangeRow {
                word: self.var(),
                table: self.var(),
                index: self.operand(),
                before: self.operand(),
            }),
            17 => StmtKind::Simple(Simple::Write { src: self.var(), file: self.operand() }),
            18 => StmtKind::For {
                label: self.label(),
                var: self.var(),
                from: self.operand(),
                to: self.operand(),
                down: self.flag(),
                body: self.block(depth),
            },
            19 => StmtKind::While {
                label: self.label(),
                head: self.block(depth),
                test: self.operand(),
                body: self.block(depth),
            },
            20 => StmtKind::Foreach {
                label: self.label(),
                var: self.var(),
                over: self.var(),
                body: self.block(depth),
            },
            21 => StmtKind::Forall {
                label: self.label(),
                var: self.var(),
                range: if self.flag() {
                    ForallRange::Range(self.operand(), self.operand())
                } else {
                    ForallRange::Ones(self.var())
                },
                writes: self.list(Self::part),
                privates: self.list(Self::var),
                reductions: self.list(Self::reduction),
                body: self.block(depth),
            },
            22 => StmtKind::If {
                test: self.operand(),
                then: self.block(depth),
                otherwise: self.block(depth),
            },
            23 => StmtKind::Block { label: self.label(), body: self.block(depth) },
            24 => StmtKind::Break(self.label()),
            25 => StmtKind::Continue(self.label()),
            26 => StmtKind::Simple(Simple::PutHandlePart {
                handle: self.var(),
                part: self.handle_part(),
                value: self.var(),
            }),
            27 => StmtKind::Kernel(Box::new(Kernel {
                line: [Line::Row, Line::Column][self.below(2)],
                table: self.var(),
                values: self.list(Self::value),
                effects: self.list(Self::effect),
                guards: self.list(|maker| {
                    let check = maker.below(N_CHECKS);
                    maker.check(check)
                }),
                cost: [0, 3, u64::MAX][self.below(3)],
                fallback: self.block(depth),
            })),
            _ => StmtKind::Exit,
        };
        Stmt { kind, loc: self.loc() }
    }
    fn value_id(&mut self) -> ValueId {
        ValueId(self.byte().into())
    }
    fn value(&mut self) -> Value {
        match self.below(13) {
            0 => Value::Line(self.var(), self.when()),
            1 => Value::Whole(self.var()),
            2 => Value::Fill(self.flag()),
            3 => Value::Not(self.value_id()),
            4 => Value::Logic(self.logic(), self.value_id(), self.value_id()),
            5 => {
                use Query::*;
                Value::Query([Any, None, All, First, Count][self.below(5)], self.value_id())
            }
            6 => Value::Index,
            7 => Value::Scalar(self.operand()),
            8 => Value::Component(self.var()),
            9 => Value::Carried(self.var()),
            10 => Value::Select(self.value_id(), self.value_id(), self.value_id()),
            11 => Value::Int(self.int_op(), self.value_id(), self.value_id()),
            _ => Value::Compare(self.relation(), self.value_id(), self.value_id()),
        }
    }
    fn effect(&mut self) -> Effect {
        match self.below(5) {
            0 => {
                let (table, value, index) = (self.var(), self.value_id(), self.when());
                Effect::Store { table, index, value }
            }
            1 => {
                let Reduction { op, var: into } = self.reduction();
                let (value, when) = (self.value_id(), self.when());
                Effect::Reduce { into, op, value, when }
            }
            2 => {
                let (into, value, is_result) = (self.var(), self.value_id(), self.flag());
                Effect::Carry { into, value, is_result }
            }
            3 => Effect::Put { bits: self.var(), value: self.value_id(), when: self.when() },
            _ => Effect::Cost { units: [0, 3, u64::MAX][self.below(3)], when: self.value_id() },
        }
    }
    fn when(&mut self) -> Option<ValueId> {
        self.flag().then(|| self.value_id())
    }
    pub(crate) fn extent(&mut self) -> Extent {
        match self.below(3) {
            0 => Extent::Dynamic,
            1 => Extent::Const([0, 64, u64::MAX][self.below(3)]),
            _ => Extent::Var(self.var()),
        }
    }
    pub(crate) fn variable(&mut self) -> Var {
        let ty = match self.below(7) {
            0 => Ty::Int,
            1 => Ty::Bool,
            2 => Ty::Str,
            3 => Ty::Slice(self.extent()),
            4 => Ty::Word(self.extent()),
            5 => Ty::Table(self.extent(), self.extent()),
            _ => Ty::Handle,
        };
        Var { name: self.text(), ty, source: self.flag().then(|| self.text()), sized: self.flag() }
    }
    pub(crate) fn routine(&mut self) -> Routine {
        let orderly = self.flag();
        let mut params = self.list(|maker| Param {
            set_at_end: false,
            var: maker.var(),
            mode: [Mode::Value, Mode::Ref][maker.below(2)],
        });
        if orderly {
            for (id, param) in (0..).zip(&mut params) {
                param.var = VarId(id);
            }
        }
        Routine {
            name: self.text(),
            params,
            result: self.flag().then(|| self.var()),
            vars: (0..self.below(8)).map(|_| self.variable()).collect(),
            body: self.block(4),
            loc: self.loc(),
            intrinsic: self.flag().then(|| Intrinsic::ALL[self.below(Intrinsic::ALL.len())]),
        }
    }
    pub(crate) fn span(&mut self) -> Span {
        let file = FileId(self.byte().into());
        Span::new(file, self.byte().into(), [0, 5, u32::MAX][self.below(3)])
    }
    pub(crate) fn location(&mut self) -> Location {
        Location {
            span: self.span(),
            inlined: self.list(|maker| InlinedCall {
                routine: RoutineId(maker.byte().into()),
                call: maker.loc(),
            }),
            operands: self.list(|maker| NamedVar { var: maker.var(), name: maker.text() }),
            at_call: self.flag(),
        }
    }
    pub(crate) fn program(&mut self) -> Program {
        let routines = self.list(Self::routine);
        Program::new(routines, self.list(Self::location))
    }
}
