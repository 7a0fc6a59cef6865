//! Translation from SIR to register code: one pass over the statements; jumps are patched as blocks
//! end.
//!
//! This module contains routines, variables and statements; loops and branches are in `control`,
//! operations, guards and sizes in `operations`.

mod calls;
mod columns;
mod control;
mod counts;
mod in_order;
mod kernels;
mod operations;
mod peephole;
mod views;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use star_base::Intrinsic;
use star_ir::analysis::liveness::Liveness;
use star_ir::{
    Block, ForallRange, HandlePart, LabelId, LocId, Mode, Operand, Param, Program, Reduction,
    Routine, RoutineId, Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId, visit,
};

use super::code::{Code, FileUse, Forall, FrameSize, RoutineCode, Summary};
use super::inst::{BitsInst, Inst, TableInst};
use super::lines::Kernel;
use super::loop_kernels::LoopKernel;
use super::operand::{Number, Passing, Pc, Range, Reg, RegRef, Size};
use crate::backend::{BackendError, CompileOptions};

/// Compiles a verified program. Routines shared with a program compiled earlier with the same
/// options keep their code (Note \[Shared routines\] in star-ir).
///
/// # Errors
/// [`BackendError::Internal`] with the location, if the program violates a rule that the verifier
/// enforces.
pub(super) fn compile(
    program: Program,
    options: CompileOptions,
    intrinsics: &[Intrinsic],
    earlier: Option<&Code>,
) -> Result<Code, BackendError> {
    let earlier = earlier.filter(|earlier| earlier.options == options);
    let ids = || (0..).map(RoutineId).zip(&program.routines);
    let kept: Vec<Option<&Arc<RoutineCode>>> = ids()
        .map(|(id, _)| {
            let earlier = earlier.filter(|earlier| program.shares(&earlier.program, id))?;
            earlier.routines.get(id.0 as usize)
        })
        .collect();
    let uses = kept.iter().zip(&program.routines).map(|(kept, routine)| match kept {
        Some(code) => code.param_use.clone(),
        None => ParamUse::new(routine),
    });
    let mut uses: Vec<ParamUse> = uses.collect();
    let is_kept: Vec<bool> = kept.iter().map(Option::is_some).collect();
    views::find_by_columns(&program, &mut uses, &is_kept);
    let compiled = |id: RoutineId, routine: &Arc<Routine>| {
        let intrinsic =
            intrinsics.iter().position(|intrinsic| Some(*intrinsic) == routine.intrinsic);
        let intrinsic = intrinsic.filter(|_| options.intrinsics);
        Compiler::new(&program, options, &uses, id, routine, intrinsic).routine().map(Arc::new)
    };
    let routines = ids().zip(&kept).map(|((id, routine), kept)| match kept {
        Some(code) => Ok(Arc::clone(code)),
        None => compiled(id, routine),
    });
    let routines = routines.collect::<Result<_, _>>()?;
    let n_kept = kept.iter().flatten().count();
    Ok(Code { program, routines, options, n_kept })
}

/// The parameters by value that a routine and its intrinsic only read.
#[derive(Clone, Debug, Default)]
pub(super) struct ParamUse {
    /// All of them.
    pub(super) unchanged: HashSet<VarId>,
    /// Tables of which only columns and sizes are read; see [`views::find_by_columns`].
    pub(super) by_columns: HashSet<VarId>,
}

impl ParamUse {
    /// Finds what the routine does not write.
    fn new(routine: &Routine) -> Self {
        let values = routine.params.iter().filter(|param| param.mode == Mode::Value);
        let mut unchanged: HashSet<VarId> = values.map(|param| param.var).collect();
        visit::walk(&routine.body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access.writes() {
                    unchanged.remove(&var);
                }
            });
        });
        let is_table = |var: &&VarId| matches!(routine.var(**var).ty, Ty::Table(..));
        // An intrinsic reads all of its arguments.
        let by_columns = match routine.intrinsic {
            Some(_) => HashSet::new(),
            None => unchanged.iter().filter(is_table).copied().collect(),
        };
        ParamUse { unchanged, by_columns }
    }
}

/// A construct around the current statement.
struct LoopContext {
    label: LabelId,
    /// Target of `continue`; `None` for a block.
    next: Option<Pc>,
    /// Jumps to the end of the construct.
    breaks: Vec<usize>,
}

/// The forms of a kernel.
#[derive(Default)]
struct Planned {
    lines: Option<Kernel>,
    in_order: Option<Box<LoopKernel>>,
}

struct Compiler<'p> {
    program: &'p Program,
    options: CompileOptions,
    /// For each routine.
    uses: &'p [ParamUse],
    routine: &'p Routine,
    code: RoutineCode,
    contexts: Vec<LoopContext>,
    exits: Vec<usize>,
    /// Bits registers of compiler temporaries that are accessed twice, once to set and once to
    /// read, apart from statements that unset them.
    temporaries: HashSet<Reg>,
    /// Variables that may become views.
    views: HashSet<VarId>,
    /// The registers of constants.
    constants: HashMap<i64, Reg>,
    /// Instructions before this one may be jump targets, so they must not change.
    settled: usize,
    loc: LocId,
    /// Forms of the kernel whose fallback is the next statement.
    planned: Planned,
    /// The number of the current statement, and of the next one.
    at: usize,
    next_at: usize,
    /// Computed on first use.
    liveness: Option<Liveness>,
    /// The first violation of a rule, if any.
    fault: Option<String>,
}

impl<'p> Compiler<'p> {
    fn new(
        program: &'p Program,
        options: CompileOptions,
        uses: &'p [ParamUse],
        id: RoutineId,
        routine: &'p Routine,
        intrinsic: Option<usize>,
    ) -> Self {
        let mut size = FrameSize::default();
        let places: Vec<RegRef> = routine.vars.iter().map(|var| place(&mut size, var.ty)).collect();
        let mut touches = HashMap::new();
        visit::walk(&routine.body, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::Simple(Simple::Size(SizeOp::Unset(_)))) {
                return;
            }
            visit::accesses(&stmt.kind, &mut |var, _| *touches.entry(var).or_insert(0) += 1);
        });
        let is_temporary = |idx: usize| {
            let var = VarId(idx as u32);
            routine.vars[idx].source.is_none()
                && touches.get(&var) == Some(&2)
                && routine.result != Some(var)
                && routine.params.iter().all(|param| param.var != var)
        };
        let temporaries = places.iter().enumerate().filter(|(idx, _)| is_temporary(*idx));
        let temporaries = temporaries.filter_map(|(_, place)| place.bits()).collect();
        let sized = routine.vars.iter().zip(&places);
        let sized = sized.filter(|(var, _)| var.sized).map(|(_, place)| *place).collect();
        let of = |var: VarId| places[var.0 as usize];
        let passing = |param: &Param| match (param.mode, of(param.var)) {
            (Mode::Ref, _) => Passing::Ref,
            (Mode::Value, RegRef::Table(_))
                if uses[id.0 as usize].unchanged.contains(&param.var) =>
            {
                Passing::Lent
            }
            (Mode::Value, _) => Passing::Copied,
        };
        let params = routine.params.iter().map(|param| (of(param.var), passing(param))).collect();
        let bits = places.iter().filter(|place| place.bits().is_some());
        let slices = bits.map(|place| matches!(place, RegRef::Slice(_))).collect();
        let code = RoutineCode {
            id,
            slices,
            insts: Vec::new(),
            locs: Vec::new(),
            covered: Vec::new(),
            size,
            sized,
            params,
            intrinsic,
            result: routine.result.map(of),
            checks: Vec::new(),
            constants: Vec::new(),
            calls: Vec::new(),
            literals: Vec::new(),
            prints: Vec::new(),
            files: Vec::new(),
            parts: Vec::new(),
            foralls: Vec::new(),
            counts: Vec::new(),
            loops: Vec::new(),
            summary: Summary::default(),
            decisions: Vec::new(),
            param_use: uses[id.0 as usize].clone(),
            places,
        };
        let loc = routine.loc;
        Compiler {
            uses,
            program,
            options,
            routine,
            code,
            contexts: Vec::new(),
            exits: Vec::new(),
            temporaries,
            views: views::views(program, routine, uses),
            constants: HashMap::new(),
            settled: 0,
            loc,
            at: 0,
            next_at: 0,
            liveness: None,
            planned: Planned::default(),
            fault: None,
        }
    }

    fn routine(mut self) -> Result<RoutineCode, BackendError> {
        if self.code.intrinsic.is_some() {
            self.emit(Inst::Intrinsic);
        }
        self.block(&self.routine.body);
        let end = self.here();
        for at in std::mem::take(&mut self.exits) {
            self.patch(at, end);
        }
        self.loc = self.routine.loc;
        self.emit(Inst::Return);
        match self.fault {
            None => Ok(self.code),
            Some(fault) => Err(BackendError::Internal(fault)),
        }
    }

    /// Records that the current statement violates a rule that the verifier enforces; the first
    /// fault is reported.
    ///
    /// Out of line: statements are compiled recursively, and its frame would be part of each of
    /// theirs.
    #[cold]
    #[inline(never)]
    fn internal_error(&mut self, what: &str) {
        let (name, loc) = (&self.routine.name, self.loc.0);
        self.fault.get_or_insert_with(|| format!("{what} (`{name}`, location !{loc})"));
    }

    /// Appends an instruction and returns its number.
    fn emit(&mut self, inst: Inst) -> usize {
        self.code.insts.push(inst);
        self.code.locs.push(self.loc);
        if inst.jumps() {
            // Its number is used later, so nothing before it may be removed.
            self.settled = self.code.insts.len();
        }
        self.code.insts.len() - 1
    }

    /// Returns the position of the next instruction and marks it as a jump target.
    fn here(&mut self) -> Pc {
        self.settled = self.code.insts.len();
        self.settled as Pc
    }

    /// Makes instruction `at` jump to `to`.
    fn patch(&mut self, at: usize, to: Pc) {
        match self.code.insts[at].target_mut() {
            Some(target) => *target = to,
            None => self.internal_error("a jump without a target"),
        }
    }

    fn place(&self, var: VarId) -> RegRef {
        self.code.places[var.0 as usize]
    }

    /// Returns the register of a variable of any kind; the verifier has checked the kinds.
    fn reg(&self, var: VarId) -> Reg {
        match self.place(var) {
            RegRef::Int(reg)
            | RegRef::Bool(reg)
            | RegRef::Slice(reg)
            | RegRef::Word(reg)
            | RegRef::Table(reg)
            | RegRef::Text(reg)
            | RegRef::Handle(reg) => reg,
        }
    }

    /// Returns the number of a table's name in a handle.
    fn part(&mut self, part: &HandlePart) -> u32 {
        let parts = &mut self.code.parts;
        let at = parts.iter().position(|known| known == part).unwrap_or_else(|| {
            parts.push(part.clone());
            parts.len() - 1
        });
        at as u32
    }

    fn number(&mut self, operand: &Operand) -> Number {
        match operand {
            Operand::Var(var) => Number(self.reg(*var)),
            Operand::Int(number) => self.constant(*number),
            Operand::Bool(truth) => self.constant(i64::from(*truth)),
            Operand::Str(_) => {
                self.internal_error("a text where a number is read");
                self.constant(0)
            }
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

    fn size(&mut self, measure: &SizeOperand) -> Size {
        match measure {
            SizeOperand::Length(var) => Size::Length(self.reg(*var)),
            SizeOperand::Rows(var) => Size::Rows(self.reg(*var)),
            SizeOperand::Columns(var) => Size::Columns(self.reg(*var)),
            SizeOperand::Value(operand) => Size::Value(self.number(operand)),
        }
    }

    /// Reserves `count` number registers of the routine that belong to no variable.
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
        self.at = self.next_at;
        self.next_at += 1;
        match &stmt.kind {
            StmtKind::Simple(simple) => self.simple(simple),
            StmtKind::For { label, var, from, to, down, body } => {
                self.for_loop(*label, *var, from, to, *down, body);
            }
            StmtKind::While { label, head, test, body } => {
                self.while_loop(*label, head, test, body);
            }
            StmtKind::Foreach { label, var, over, body } => {
                self.foreach_loop(*label, *var, *over, (&[], body));
            }
            StmtKind::Forall { label, var, range, privates, body, .. }
                if self.options.optimise && in_order::runs_in_order(&stmt.kind) =>
            {
                self.forall_iterations(*label, *var, range, privates, body);
            }
            StmtKind::Forall { label, var, range, privates, reductions, body, writes: _ } => {
                let forall = self.forall(*var, range, privates, reductions);
                self.forall_loop(*label, forall, body);
            }
            StmtKind::Kernel(kernel) => {
                if self.options.optimise {
                    let lines = self.line_kernel(kernel);
                    let in_order = match lines {
                        Some(Kernel::Lines(_)) | None => self.loop_kernel(kernel).map(Box::new),
                        Some(Kernel::Reduction(_) | Kernel::Queries(_)) => None,
                    };
                    self.planned = Planned { lines, in_order };
                }
                self.block(&kernel.fallback);
            }
            StmtKind::If { test, then, otherwise } => self.branch(test, then, otherwise),
            StmtKind::Block { label, body } => {
                self.contexts.push(LoopContext { label: *label, next: None, breaks: Vec::new() });
                self.block(body);
                self.end_construct();
            }
            StmtKind::Break(label) => {
                let at = self.emit(Inst::Jump(0));
                match self.contexts.iter_mut().rfind(|a| a.label == *label) {
                    Some(context) => context.breaks.push(at),
                    None => self.internal_error("a `break` outside of a construct"),
                }
            }
            StmtKind::Continue(label) => {
                let context = self.contexts.iter().rfind(|a| a.label == *label);
                match context.and_then(|context| context.next) {
                    Some(next) => {
                        self.emit(Inst::Jump(next));
                    }
                    None => self.internal_error("a `continue` outside of a loop"),
                }
            }
            StmtKind::Exit => {
                let at = self.emit(Inst::Jump(0));
                self.exits.push(at);
            }
        }
    }

    fn simple(&mut self, simple: &Simple) {
        match simple {
            Simple::Assign(dst, op) => self.assign(*dst, op),
            Simple::Step { dst, bits } => {
                self.emit(Inst::Step { dst: self.reg(*dst), bits: self.reg(*bits) });
            }
            Simple::Put { bits, index, bit } => {
                let (index, bit) = (self.number(index), self.number(bit));
                self.emit(Inst::Bits(BitsInst::Put { bits: self.reg(*bits), index, bit }));
            }
            Simple::Replace { word, base, value } => {
                let base = self.number(base);
                self.emit(Inst::Bits(BitsInst::Replace {
                    word: self.reg(*word),
                    base,
                    value: self.reg(*value),
                }));
            }
            Simple::PutColumn { table, index, value } => {
                let (table, index) = (self.reg(*table), self.number(index));
                self.emit(Inst::PutColumn { table, index, value: self.reg(*value) });
            }
            Simple::PutRow { table, index, value } => {
                let (table, index) = (self.reg(*table), self.number(index));
                self.emit(Inst::PutRow { table, index, value: self.reg(*value) });
            }
            Simple::PutBit { table, row, column, bit } => {
                let (row, column) = (self.number(row), self.number(column));
                let bit = self.number(bit);
                self.emit(Inst::Table(TableInst::PutBit {
                    table: self.reg(*table),
                    row,
                    column,
                    bit,
                }));
            }
            Simple::PutField { table, base, value } => {
                let (table, base) = (self.reg(*table), self.number(base));
                self.emit(Inst::Table(TableInst::PutField {
                    table,
                    base,
                    value: self.reg(*value),
                }));
            }
            Simple::PutHandlePart { handle, part, value } => {
                let (handle, part) = (self.reg(*handle), self.part(part));
                let value = self.reg(*value);
                self.emit(Inst::Table(TableInst::PutPart { handle, part, value }));
            }
            Simple::Size(op) => self.size_op(op),
            Simple::Check(check) => self.check(check),
            Simple::Cost { units, times } => {
                self.cost(*units, times.as_ref());
            }
            Simple::Call { callee, args, dst } => self.call(*callee, args, *dst),
            Simple::Print(items) => {
                self.code.prints.push(items.clone());
                self.emit(Inst::Print(self.code.prints.len() as u32 - 1));
            }
            Simple::Read { dst, file, layout } => {
                let file = self.file(*dst, file, layout.as_ref());
                self.emit(Inst::Read(file));
            }
            Simple::Write { src, file } => {
                let file = self.file(*src, file, None);
                self.emit(Inst::Write(file));
            }
            Simple::Exchange { .. } | Simple::ExchangeRow { .. } => {
                self.internal_error("ranks of this backend run programs that are not distributed");
            }
        }
    }

    #[inline(never)] // Statements nest deeply; see `forall_loop`.
    fn forall(
        &mut self,
        var: VarId,
        range: &ForallRange,
        privates: &[VarId],
        reductions: &[Reduction],
    ) -> Forall {
        let range = match range {
            ForallRange::Range(from, to) => Range::Numbers(self.number(from), self.number(to)),
            ForallRange::Ones(over) => Range::Ones(self.reg(*over)),
        };
        let reductions = reductions.iter().map(|r| (self.place(r.var), r.op)).collect();
        let privates = privates.iter().map(|var| self.place(*var)).collect();
        Forall { var: self.reg(var), range, privates, reductions, kernel: None }
    }

    fn file(&mut self, var: VarId, file: &Operand, layout: Option<&Operand>) -> u32 {
        let ty = self.routine.var(var).ty;
        let var = self.place(var);
        self.code.files.push(FileUse { var, ty, file: file.clone(), layout: layout.cloned() });
        self.code.files.len() as u32 - 1
    }
}

/// Returns the next register for a variable of this type.
fn place(size: &mut FrameSize, ty: Ty) -> RegRef {
    let next = |count: &mut u32| {
        *count += 1;
        *count - 1
    };
    match ty {
        Ty::Int => RegRef::Int(next(&mut size.numbers)),
        Ty::Bool => RegRef::Bool(next(&mut size.numbers)),
        Ty::Str => RegRef::Text(next(&mut size.texts)),
        Ty::Slice(_) => RegRef::Slice(next(&mut size.bits)),
        Ty::Word(_) => RegRef::Word(next(&mut size.bits)),
        Ty::Table(..) => RegRef::Table(next(&mut size.tables)),
        Ty::Handle => RegRef::Handle(next(&mut size.handles)),
    }
}
