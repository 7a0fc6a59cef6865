//! From SIR to register code: one pass over the statements, jumps patched as blocks end.

use star_ir::{
    Arg, Block, Check, ForallRange, LabelId, LocId, Measure, Op, Operand, Program, Routine,
    RoutineId, SizeOp, Stmt, StmtKind, Ty, VarId, visit,
};
use std::collections::{HashMap, HashSet};

use super::code::{
    Ask, Call, CallArg, Code, FileUse, Forall, FrameSize, Inst, Number, Pc, Place, Range, Reg,
    RoutineCode, Size, Summary, Test,
};
use super::{block, fuse};

/// Compiles a verified program.
pub(super) fn compile(program: Program) -> Code {
    let routines = program.routines.iter().enumerate();
    let routines = routines
        .map(|(idx, routine)| Compiler::new(&program, RoutineId(idx as u32), routine).routine())
        .collect();
    Code { program, routines }
}

/// A construct around the statement at hand.
struct Around {
    label: LabelId,
    /// Where `continue` goes; `None` for a block.
    next: Option<Pc>,
    /// Jumps to its end.
    breaks: Vec<usize>,
}

struct Compiler<'p> {
    program: &'p Program,
    routine: &'p Routine,
    code: RoutineCode,
    around: Vec<Around>,
    exits: Vec<usize>,
    /// Bits registers of what the compiler made and touches twice, to set it and to look at it.
    temporaries: HashSet<Reg>,
    /// The registers of constants.
    constants: HashMap<i64, Reg>,
    /// Instructions before this one may be jumped to, so that they stay as they are.
    settled: usize,
    loc: LocId,
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, id: RoutineId, routine: &'p Routine) -> Self {
        let mut size = FrameSize::default();
        let places: Vec<Place> = routine.vars.iter().map(|var| place(&mut size, var.ty)).collect();
        let mut touches = HashMap::new();
        visit::walk(&routine.body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, _| *touches.entry(var).or_insert(0) += 1);
        });
        let is_temporary = |idx: usize| {
            let var = VarId(idx as u32);
            routine.vars[idx].source.is_none()
                && touches.get(&var) == Some(&2)
                && routine.result != Some(var)
                && routine.params.iter().all(|param| param.var != var)
        };
        let temporaries = places.iter().enumerate().filter_map(|(idx, place)| match place {
            Place::Slice(reg) | Place::Word(reg) if is_temporary(idx) => Some(*reg),
            _ => None,
        });
        let temporaries = temporaries.collect();
        let sized = routine.vars.iter().zip(&places);
        let sized = sized.filter(|(var, _)| var.sized).map(|(_, place)| *place).collect();
        let of = |var: VarId| places.get(var.0 as usize).copied().unwrap_or(Place::Handle(0));
        let code = RoutineCode {
            id,
            insts: Vec::new(),
            locs: Vec::new(),
            size,
            sized,
            params: routine.params.iter().map(|param| (of(param.var), param.mode)).collect(),
            result: routine.result.map(of),
            checks: Vec::new(),
            constants: Vec::new(),
            calls: Vec::new(),
            literals: Vec::new(),
            prints: Vec::new(),
            files: Vec::new(),
            foralls: Vec::new(),
            summary: Summary::default(),
            places,
        };
        let loc = routine.loc;
        Compiler {
            program,
            routine,
            code,
            around: Vec::new(),
            exits: Vec::new(),
            temporaries,
            constants: HashMap::new(),
            settled: 0,
            loc,
        }
    }

    fn routine(mut self) -> RoutineCode {
        if let Some(native) = self.routine.native {
            self.emit(Inst::Native(native));
        }
        self.block(&self.routine.body);
        let end = self.here();
        for at in std::mem::take(&mut self.exits) {
            self.patch(at, end);
        }
        self.loc = self.routine.loc;
        self.emit(Inst::Return);
        self.code
    }

    /// Appends an instruction; its number.
    fn emit(&mut self, inst: Inst) -> usize {
        self.code.insts.push(inst);
        self.code.locs.push(self.loc);
        if inst.jumps() {
            // Its number is remembered, so that nothing before it may go.
            self.settled = self.code.insts.len();
        }
        self.code.insts.len() - 1
    }

    /// The place of the next instruction, to which something jumps.
    fn here(&mut self) -> Pc {
        self.settled = self.code.insts.len();
        self.settled as Pc
    }

    /// Makes instruction `at` jump to `to`.
    fn patch(&mut self, at: usize, to: Pc) {
        match &mut self.code.insts[at] {
            Inst::Jump(target)
            | Inst::Unless { to: target, .. }
            | Inst::ForNext { exit: target, .. }
            | Inst::WhileTest { exit: target, .. }
            | Inst::ForeachNext { exit: target, .. }
            | Inst::ForallNext { exit: target, .. } => *target = to,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn place(&self, var: VarId) -> Place {
        self.code.places[var.0 as usize]
    }

    /// The register of a variable, of whatever kind: the verifier has seen to the kinds.
    fn reg(&self, var: VarId) -> Reg {
        match self.place(var) {
            Place::Int(reg)
            | Place::Bool(reg)
            | Place::Slice(reg)
            | Place::Word(reg)
            | Place::Table(reg)
            | Place::Text(reg)
            | Place::Handle(reg) => reg,
        }
    }

    fn number(&mut self, operand: &Operand) -> Number {
        match operand {
            Operand::Var(var) => Number(self.reg(*var)),
            Operand::Int(number) => self.constant(*number),
            Operand::Bool(truth) => self.constant(i64::from(*truth)),
            Operand::Str(_) => self.constant(0),
        }
    }

    fn constant(&mut self, value: i64) -> Number {
        if let Some(reg) = self.constants.get(&value) {
            return Number(*reg);
        }
        let reg = self.state(1);
        self.constants.insert(value, reg);
        self.code.constants.push((reg, value));
        Number(reg)
    }

    fn size(&mut self, measure: &Measure) -> Size {
        match measure {
            Measure::Length(var) => Size::Length(self.reg(*var)),
            Measure::Rows(var) => Size::Rows(self.reg(*var)),
            Measure::Columns(var) => Size::Columns(self.reg(*var)),
            Measure::Value(operand) => Size::Value(self.number(operand)),
        }
    }

    /// `count` numbers of the routine that no variable has.
    fn state(&mut self, count: u32) -> Reg {
        let first = self.code.size.numbers;
        self.code.size.numbers += count;
        first
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Assign(dst, op) => self.assign(*dst, op),
            StmtKind::Step { dst, bits } => {
                self.emit(Inst::Step { dst: self.reg(*dst), bits: self.reg(*bits) });
            }
            StmtKind::Put { bits, index, bit } => {
                let (index, bit) = (self.number(index), self.number(bit));
                self.emit(Inst::Put { bits: self.reg(*bits), index, bit });
            }
            StmtKind::Replace { word, base, value } => {
                let base = self.number(base);
                self.emit(Inst::Replace { word: self.reg(*word), base, value: self.reg(*value) });
            }
            StmtKind::PutColumn { table, index, value } => {
                let (table, index) = (self.reg(*table), self.number(index));
                self.emit(Inst::PutColumn { table, index, value: self.reg(*value) });
            }
            StmtKind::PutRow { table, index, value } => {
                let (table, index) = (self.reg(*table), self.number(index));
                self.emit(Inst::PutRow { table, index, value: self.reg(*value) });
            }
            StmtKind::PutBit { table, row, column, bit } => {
                let (row, column) = (self.number(row), self.number(column));
                let bit = self.number(bit);
                self.emit(Inst::PutBit { table: self.reg(*table), row, column, bit });
            }
            StmtKind::PutField { table, base, value } => {
                let (table, base) = (self.reg(*table), self.number(base));
                self.emit(Inst::PutField { table, base, value: self.reg(*value) });
            }
            StmtKind::Size(op) => self.size_op(op),
            StmtKind::Check(check) => self.check(check),
            StmtKind::Cost { units, times } => {
                self.cost(*units, times.as_ref());
            }
            StmtKind::Call { callee, args, dst } => self.call(*callee, args, *dst),
            StmtKind::Print(items) => {
                self.code.prints.push(items.clone());
                self.emit(Inst::Print(self.code.prints.len() as u32 - 1));
            }
            StmtKind::Read { dst, file, layout } => {
                let file = self.file(*dst, file, layout.as_ref());
                self.emit(Inst::Read(file));
            }
            StmtKind::Write { src, file } => {
                let file = self.file(*src, file, None);
                self.emit(Inst::Write(file));
            }
            StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Tile { .. }
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => self.control(&stmt.kind, stmt.loc),
        }
    }

    fn control(&mut self, kind: &StmtKind, loc: LocId) {
        match kind {
            StmtKind::For { label, var, from, to, down, body } => {
                self.code.summary.loops += 1;
                let state = self.state(3);
                let (from, to) = (self.number(from), self.number(to));
                self.emit(Inst::ForBegin { state, from, to });
                let var = self.reg(*var);
                let next = Inst::ForNext { state, var, down: *down, exit: 0 };
                self.turns(*label, loc, next, body);
            }
            StmtKind::While { label, head, test, body } => {
                self.code.summary.loops += 1;
                let next = self.here();
                self.around.push(Around { label: *label, next: Some(next), breaks: Vec::new() });
                self.block(head);
                self.loc = loc;
                let test = self.number(test);
                let test = self.emit(Inst::WhileTest { test, exit: 0 });
                self.rest(next, test, body);
            }
            StmtKind::Foreach { label, var, over, body } => {
                self.code.summary.loops += 1;
                let state = self.state(1);
                let zero = self.constant(0);
                self.emit(Inst::Set { dst: state, value: zero });
                let (var, over) = (self.reg(*var), self.reg(*over));
                let next = Inst::ForeachNext { state, var, over, exit: 0 };
                self.turns(*label, loc, next, body);
            }
            StmtKind::Forall { label, var, range, privates, reductions, body, writes } => {
                self.code.summary.foralls += 1;
                let block = match reductions[..] {
                    [] => block::compile(self, *var, range, writes, privates, body),
                    [..] => None,
                };
                self.code.summary.blocks += usize::from(block.is_some());
                let range = match range {
                    ForallRange::Range(from, to) => {
                        Range::Numbers(self.number(from), self.number(to))
                    }
                    ForallRange::Ones(over) => Range::Ones(self.reg(*over)),
                };
                let reductions = reductions.iter().map(|r| (self.place(r.var), r.op)).collect();
                let forall = Forall {
                    var: self.reg(*var),
                    range,
                    privates: privates.iter().map(|var| self.place(*var)).collect(),
                    reductions,
                    block,
                };
                self.code.foralls.push(forall);
                let forall = self.code.foralls.len() as u32 - 1;
                self.emit(Inst::ForallBegin(forall));
                self.turns(*label, loc, Inst::ForallNext { forall, exit: 0 }, body);
            }
            // One tile of all rows: nothing in the body is worked on twice.
            StmtKind::Tile { rows: _, privates, body, reductions } => {
                self.code.summary.tiles += 1;
                for private in privates {
                    self.emit(Inst::Unset(self.place(*private)));
                }
                self.block(body);
                self.loc = loc;
                for reduction in reductions {
                    let (dst, of) = (self.reg(reduction.dst), self.reg(reduction.of));
                    self.emit(Inst::Ask { ask: reduction.op.into(), dst, of });
                }
                for private in privates {
                    self.emit(Inst::Unset(self.place(*private)));
                }
            }
            StmtKind::If { test, then, otherwise } => {
                let test = self.number(test);
                let test = self.emit(Inst::Unless { test, to: 0 });
                self.block(then);
                if otherwise.is_empty() {
                    let end = self.here();
                    self.patch(test, end);
                } else {
                    self.loc = loc;
                    let over = self.emit(Inst::Jump(0));
                    let begin = self.here();
                    self.patch(test, begin);
                    self.block(otherwise);
                    let end = self.here();
                    self.patch(over, end);
                }
            }
            StmtKind::Block { label, body } => {
                self.around.push(Around { label: *label, next: None, breaks: Vec::new() });
                self.block(body);
                self.end_construct();
            }
            StmtKind::Break(label) => {
                let at = self.emit(Inst::Jump(0));
                if let Some(around) = self.around.iter_mut().rfind(|a| a.label == *label) {
                    around.breaks.push(at);
                }
            }
            StmtKind::Continue(label) => {
                let around = self.around.iter().rfind(|a| a.label == *label);
                let next = around.and_then(|around| around.next).unwrap_or(0);
                self.emit(Inst::Jump(next));
            }
            StmtKind::Exit => {
                let at = self.emit(Inst::Jump(0));
                self.exits.push(at);
            }
            other => unreachable!("{other:?} is no construct"),
        }
    }

    /// A loop that begins each turn with the instruction `next`.
    fn turns(&mut self, label: LabelId, loc: LocId, next: Inst, body: &Block) {
        let begin = self.here();
        self.loc = loc;
        let at = self.emit(next);
        self.inside(label, begin, at, body);
    }

    /// The body of a loop, which `test` leaves.
    fn inside(&mut self, label: LabelId, next: Pc, test: usize, body: &Block) {
        self.around.push(Around { label, next: Some(next), breaks: Vec::new() });
        self.rest(next, test, body);
    }

    /// The rest of a loop that was begun: its body, until `test` leaves it.
    fn rest(&mut self, next: Pc, test: usize, body: &Block) {
        let loc = self.loc;
        self.block(body);
        self.loc = loc;
        self.emit(Inst::Jump(next));
        if let Some(around) = self.around.last_mut() {
            around.breaks.push(test);
        }
        self.end_construct();
    }

    fn end_construct(&mut self) {
        let end = self.here();
        let breaks = self.around.pop().map(|around| around.breaks).unwrap_or_default();
        for at in breaks {
            self.patch(at, end);
        }
    }

    fn cost(&mut self, units: u64, times: Option<&Measure>) {
        let inst = match (u32::try_from(units), times) {
            (Ok(units), None) => Inst::Cost { units },
            (_, times) => {
                let times = match times {
                    Some(times) => self.size(times),
                    None => Size::Value(self.constant(1)),
                };
                Inst::CostTimes { units: self.constant(units as i64), times }
            }
        };
        self.emit(inst);
    }

    fn file(&mut self, var: VarId, file: &Operand, layout: Option<&Operand>) -> u32 {
        let ty = self.routine.var(var).ty;
        let var = self.place(var);
        self.code.files.push(FileUse { var, ty, file: file.clone(), layout: layout.cloned() });
        self.code.files.len() as u32 - 1
    }

    fn call(&mut self, callee: RoutineId, args: &[Arg], dst: Option<VarId>) {
        let mut size = FrameSize::default();
        let routine = self.program.routine(callee);
        let places: Vec<Place> = routine.vars.iter().map(|var| place(&mut size, var.ty)).collect();
        let mut extents = Vec::new();
        let args = routine.params.iter().zip(args).map(|(param, arg)| {
            let arg = match arg {
                Arg::Value(Operand::Str(text)) => CallArg::Text(text.clone()),
                Arg::Value(Operand::Var(var)) => match self.place(*var) {
                    Place::Int(reg) | Place::Bool(reg) => CallArg::Number(Number(reg)),
                    other => CallArg::Copy(other),
                },
                Arg::Value(constant) => CallArg::Number(self.number(constant)),
                Arg::Move(var) => CallArg::Move(self.place(*var)),
                Arg::Ref(var) => {
                    extents.push((*var, self.place(*var), self.routine.var(*var).ty));
                    CallArg::Ref(self.place(*var))
                }
            };
            (arg, places[param.var.0 as usize])
        });
        let args = args.collect();
        let dst = dst.map(|dst| self.place(dst));
        self.code.calls.push(Call { callee, args, dst, extents });
        self.emit(Inst::Call(self.code.calls.len() as u32 - 1));
    }

    fn size_op(&mut self, op: &SizeOp) {
        let inst = match op {
            SizeOp::Latch { dst, size } => {
                Inst::Latch { dst: self.reg(*dst), size: self.size(size) }
            }
            SizeOp::SetRows { table, rows } => {
                Inst::SetRows { table: self.reg(*table), rows: self.size(rows) }
            }
            SizeOp::EnsureColumns { table, columns } => {
                Inst::EnsureColumns { table: self.reg(*table), columns: self.size(columns) }
            }
            SizeOp::Init { table, rows, columns } => {
                let (rows, columns) = (self.number(rows), self.number(columns));
                Inst::Init { table: self.reg(*table), rows, columns }
            }
            SizeOp::Adapt { bits, size } => {
                Inst::Adapt { bits: self.reg(*bits), size: self.number(size) }
            }
            SizeOp::Fix { bits, size } => {
                Inst::Fix { bits: self.reg(*bits), size: self.number(size) }
            }
        };
        self.emit(inst);
    }

    fn check(&mut self, check: &Check) {
        let is_set = |var: VarId| match self.place(var) {
            Place::Int(reg) | Place::Bool(reg) => Test::NumberSet(reg),
            Place::Slice(reg) | Place::Word(reg) => Test::BitsSet(reg),
            Place::Table(reg) | Place::Handle(reg) => Test::TableSet(reg),
            Place::Text(reg) => Test::TextSet(reg),
        };
        let test = match check {
            Check::Set(var) | Check::Result(var) => is_set(*var),
            Check::Sized(var) => match self.place(*var) {
                Place::Slice(reg) | Place::Word(reg) => Test::BitsSized(reg),
                _ => is_set(*var),
            },
            Check::Index(index, limit) => Test::Index(self.number(index), self.size(limit)),
            Check::NewColumn(table, index) => Test::NewColumn(self.reg(*table), self.number(index)),
            Check::Size(left, right) => Test::Size(self.size(left), self.size(right)),
            Check::Range { base, width, limit } => Test::Range {
                base: self.number(base),
                width: self.number(width),
                limit: self.size(limit),
            },
            Check::Int(op, left, right) => Test::Int(*op, self.number(left), self.number(right)),
            Check::Bit(number) => Test::Bit(self.number(number)),
            Check::NotNegative(number) => Test::NotNegative(self.number(number)),
            Check::Fits { value, width } => {
                Test::Fits { value: self.number(value), width: self.number(width) }
            }
            Check::FitsInt(word) => Test::FitsInt(self.reg(*word)),
            Check::Even(bits) => Test::Even(self.reg(*bits)),
            Check::NoCarry(op, left, right) => {
                Test::NoCarry(*op, self.reg(*left), self.reg(*right))
            }
            Check::Assert(condition, _) => Test::Holds(self.number(condition)),
        };
        if fuse::is_known(&self.code.insts[self.settled..], test) {
            return;
        }
        self.code.checks.push(check.clone());
        let check = self.code.checks.len() as u32 - 1;
        self.emit(Inst::Guard { test, check });
    }

    fn assign(&mut self, var: VarId, op: &Op) {
        let dst = self.reg(var);
        let inst = match op {
            Op::Copy(operand) => match (self.place(var), operand) {
                (Place::Slice(_) | Place::Word(_), Operand::Var(src)) => {
                    Inst::CopyBits { dst, src: self.reg(*src) }
                }
                (Place::Table(_), Operand::Var(src)) => match self.place(*src) {
                    Place::Handle(handle) => Inst::Open { dst, handle },
                    _ => Inst::CopyTable { dst, src: self.reg(*src) },
                },
                (Place::Handle(_), Operand::Var(src)) => {
                    Inst::CopyTable { dst, src: self.reg(*src) }
                }
                (Place::Text(_), Operand::Var(src)) => Inst::CopyText { dst, src: self.reg(*src) },
                (Place::Text(_), constant) => {
                    self.code.prints.push(vec![constant.clone()]);
                    Inst::SetText { dst, text: self.code.prints.len() as u32 - 1 }
                }
                (_, operand) => Inst::Set { dst, value: self.number(operand) },
            },
            Op::Int(op, left, right) => {
                Inst::Int { op: *op, dst, left: self.number(left), right: self.number(right) }
            }
            Op::Compare(relation, left, right) => Inst::Compare {
                relation: *relation,
                dst,
                left: self.number(left),
                right: self.number(right),
            },
            Op::Not(of) => Inst::Not { dst, of: self.number(of) },
            Op::Logic(op, left, right) => {
                Inst::Logic { op: *op, dst, left: self.number(left), right: self.number(right) }
            }
            Op::Fill(len, bit) => Inst::Fill { dst, len: self.number(len), bit: *bit },
            Op::Literal(bits) => {
                self.code.literals.push(bits.clone());
                Inst::Literal { dst, literal: self.code.literals.len() as u32 - 1 }
            }
            Op::BitsNot(x) => Inst::NotBits { dst, src: self.reg(*x) },
            Op::BitsLogic(op, x, y) => {
                Inst::LogicBits { op: *op, dst, left: self.reg(*x), right: self.reg(*y) }
            }
            Op::BitsEqual(x, y) => Inst::EqualBits { dst, left: self.reg(*x), right: self.reg(*y) },
            Op::Component(x, index) => {
                Inst::Component { dst, bits: self.reg(*x), index: self.number(index) }
            }
            Op::First(x) => Inst::Ask { ask: Ask::First, dst, of: self.reg(*x) },
            Op::Count(x) => Inst::Ask { ask: Ask::Count, dst, of: self.reg(*x) },
            Op::Some(x) => Inst::Ask { ask: Ask::Some, dst, of: self.reg(*x) },
            Op::All(x) => Inst::Ask { ask: Ask::All, dst, of: self.reg(*x) },
            Op::None(x) => Inst::Ask { ask: Ask::None, dst, of: self.reg(*x) },
            Op::Convert(x) => Inst::CopyBits { dst, src: self.reg(*x) },
            Op::KeepFirst(x) => Inst::KeepFirst { dst, src: self.reg(*x) },
            Op::Mask { size, from, to } => Inst::Mask {
                dst,
                size: self.number(size),
                from: self.number(from),
                to: self.number(to),
            },
            Op::Shift(x, direction, by) => {
                Inst::Shift { dst, src: self.reg(*x), direction: *direction, by: self.number(by) }
            }
            Op::Rotate(x, by) => Inst::Rotate { dst, src: self.reg(*x), by: self.number(by) },
            Op::Mirror(x) => Inst::Mirror { dst, src: self.reg(*x) },
            Op::Shuffle(x) => Inst::Shuffle { dst, src: self.reg(*x) },
            Op::Length(x) => Inst::Measure { dst, size: Size::Length(self.reg(*x)) },
            Op::Trim { word, base, width } => Inst::Trim {
                dst,
                word: self.reg(*word),
                base: self.number(base),
                width: self.number(width),
            },
            Op::WordCompare(relation, v, w) => Inst::CompareWords {
                relation: *relation,
                dst,
                left: self.reg(*v),
                right: self.reg(*w),
            },
            Op::WordAdd(v, w) => Inst::AddWords { dst, left: self.reg(*v), right: self.reg(*w) },
            Op::WordSub(v, w) => Inst::SubWords { dst, left: self.reg(*v), right: self.reg(*w) },
            Op::WordToInt(w) => Inst::WordToInt { dst, word: self.reg(*w) },
            Op::IntToWord { value, width } => {
                Inst::IntToWord { dst, value: self.number(value), width: self.number(width) }
            }
            Op::Column(table, index) => {
                Inst::Column { dst, table: self.reg(*table), index: self.number(index) }
            }
            Op::Row(table, index) => {
                Inst::Row { dst, table: self.reg(*table), index: self.number(index) }
            }
            Op::Bit(table, row, column) => Inst::TableBit {
                dst,
                table: self.reg(*table),
                row: self.number(row),
                column: self.number(column),
            },
            Op::Field { table, base, width } => Inst::Field {
                dst,
                table: self.reg(*table),
                base: self.number(base),
                width: self.number(width),
            },
            Op::Rows(table) => Inst::Measure { dst, size: Size::Rows(self.reg(*table)) },
            Op::Columns(table) => Inst::Measure { dst, size: Size::Columns(self.reg(*table)) },
            Op::NewTable(rows, columns) => {
                Inst::NewTable { dst, rows: self.number(rows), columns: self.number(columns) }
            }
            Op::Extreme { table, mask, sense } => {
                Inst::Extreme { dst, table: self.reg(*table), mask: self.reg(*mask), sense: *sense }
            }
        };
        self.fused(inst);
    }

    /// Emits an instruction, together with the one that made its operand where nobody else looks at
    /// that.
    fn fused(&mut self, inst: Inst) {
        let temporary = |reg: Reg| self.temporaries.contains(&reg);
        let run = &self.code.insts[self.settled..];
        match fuse::fuse(run, inst, temporary) {
            Some((at, fused)) => {
                self.code.insts.remove(self.settled + at);
                self.code.locs.remove(self.settled + at);
                self.code.summary.fused += 1;
                self.emit(fused);
            }
            None => {
                self.emit(inst);
            }
        }
    }
}

impl block::Names for Compiler<'_> {
    fn reg(&self, var: VarId) -> Reg {
        self.reg(var)
    }

    fn is_bits(&self, var: VarId) -> bool {
        matches!(self.place(var), Place::Slice(_) | Place::Word(_))
    }

    fn is_table(&self, var: VarId) -> bool {
        matches!(self.place(var), Place::Table(_))
    }

    fn size(&mut self, measure: &Measure) -> Size {
        self.size(measure)
    }
}

/// The next register for a variable of this type.
fn place(size: &mut FrameSize, ty: Ty) -> Place {
    let next = |count: &mut u32| {
        *count += 1;
        *count - 1
    };
    match ty {
        Ty::Int => Place::Int(next(&mut size.numbers)),
        Ty::Bool => Place::Bool(next(&mut size.numbers)),
        Ty::Str => Place::Text(next(&mut size.texts)),
        Ty::Slice(_) => Place::Slice(next(&mut size.bits)),
        Ty::Word(_) => Place::Word(next(&mut size.bits)),
        Ty::Table(..) => Place::Table(next(&mut size.tables)),
        Ty::Handle => Place::Handle(next(&mut size.tables)),
    }
}
