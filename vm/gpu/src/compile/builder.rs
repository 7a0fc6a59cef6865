//! Instructions over any number of registers, and labels.
//!
//! Registers below [`REGISTERS`] are those of the device; the others are made one of them later.

use std::collections::{BTreeMap, HashMap};

use star_ir::{LabelId, LocId, Mode, Operand, Routine, RoutineId, Stmt, Ty, VarId, visit};
use star_shaders::layout::REGISTERS;
use star_shaders::{Generator, Op, Reduce};
use star_value::BitVector;

use super::{
    Constants, Counter, Home, Site, SiteKind, Source, Unsupported, is_number, numbers_of,
    objects_at, objects_of, passed_cells, results_of, staged,
};
use crate::code::{Inst, LineKind, Object, Reg};
use crate::fuse::Fused;
use crate::lift::Lifted;

/// A place that jumps lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(super) u32);

/// A routine that is being compiled.
pub(crate) struct Builder<'p> {
    pub(super) source: Source<'p>,
    pub(super) routine: &'p Routine,
    constants: &'p mut Constants,
    pub(super) insts: Vec<Inst>,
    /// For each label the instruction that it is in front of.
    pub(super) labels: Vec<usize>,
    pub(super) n_regs: u32,
    /// For each object the flags that it begins with.
    pub(super) objects: Vec<u32>,
    pub(super) object_of: Vec<Option<Object>>,
    /// Objects that stand for slices and tables while an iteration has its own.
    pub(super) other_objects: BTreeMap<VarId, Object>,
    /// Likewise for numbers: value, and whether it is set.
    pub(super) other_numbers: BTreeMap<VarId, (Reg, Reg)>,
    pub(super) sites: Vec<Site>,
    pub(super) callees: Vec<RoutineId>,
    pub(super) counters: Vec<Counter>,
    /// Of the loops and blocks around: their names, where `continue` and where `break` lead.
    pub(super) around: Vec<(LabelId, Option<Label>, Label)>,
    pub(super) end: Label,
    /// The place of the statement that is being compiled.
    pub(super) loc: LocId,
    /// What the statement may be asked for.
    pub(super) observed: Vec<VarId>,
    temporaries: Vec<Object>,
    pub(super) taken: usize,
    /// Loops that may run as kernels, by where they stand, until they are compiled.
    pub(super) lifted: HashMap<*const Stmt, Lifted>,
    /// Runs of operations on slices that may be kernels, by the statements that they begin with,
    /// likewise.
    pub(super) fused: HashMap<*const Stmt, Fused>,
    /// Cells for what the host finds out, behind those for calls.
    pub(super) result_cells: u32,
}

/// Functions of two limbs: bit 2p + q is the value for p and q.
pub(super) mod table {
    /// p.
    pub(in crate::compile) const FIRST: u32 = 0b1100;
    /// Not p.
    pub(in crate::compile) const NOT: u32 = 0b0011;
    pub(in crate::compile) const AND: u32 = 0b1000;
    pub(in crate::compile) const OR: u32 = 0b1110;
    pub(in crate::compile) const XOR: u32 = 0b0110;
    /// p without q.
    pub(in crate::compile) const AND_NOT: u32 = 0b0100;
    pub(in crate::compile) const ZERO: u32 = 0b0000;
    pub(in crate::compile) const ONE: u32 = 0b1111;
}

/// A line of an object: itself, or a column of a table.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) object: Object,
    pub(super) column: Option<Reg>,
}

impl From<Object> for Line {
    fn from(object: Object) -> Self {
        Line { object, column: None }
    }
}

impl<'p> Builder<'p> {
    pub(super) fn new(source: Source<'p>, id: RoutineId, constants: &'p mut Constants) -> Self {
        let routine = source.program.routine(id);
        let (object_of, objects) = objects_of(routine, source.parts.len());
        let n_regs = REGISTERS + 2 * routine.vars.len() as u32;
        Builder {
            source,
            routine,
            constants,
            insts: Vec::new(),
            labels: vec![0],
            n_regs,
            objects,
            object_of,
            other_objects: BTreeMap::new(),
            other_numbers: BTreeMap::new(),
            sites: Vec::new(),
            callees: Vec::new(),
            counters: Vec::new(),
            around: Vec::new(),
            end: Label(0),
            loc: routine.loc,
            observed: Vec::new(),
            temporaries: Vec::new(),
            taken: 0,
            lifted: HashMap::new(),
            fused: HashMap::new(),
            result_cells: 0,
        }
    }

    /// The whole routine.
    pub(super) fn routine(&mut self) -> Result<(), Unsupported> {
        let numbers: Vec<_> = numbers_of(self.routine).collect();
        let mut place = 0;
        for var in (0..self.routine.vars.len()).map(|idx| VarId(idx as u32)) {
            let ty = self.routine.var(var).ty;
            let is_param = self.routine.params.iter().any(|param| param.var == var);
            if is_number(ty) && !is_param {
                self.load(flag_of(var), 0);
            }
        }
        for &(_, var, mode) in &numbers {
            self.unstage(value_of(var), place);
            match mode {
                Mode::Value => {
                    self.load(flag_of(var), 1);
                    place += 1;
                }
                Mode::Ref => {
                    self.unstage(flag_of(var), place + 1);
                    place += 2;
                }
            }
        }
        let mut taken = None;
        if let Some(intrinsic) = self.routine.intrinsic
            && self.source.choices.intrinsics
            && crate::intrinsics::find(intrinsic).is_some()
        {
            self.observed = numbers.iter().map(|(_, var, _)| *var).collect();
            let site = self.site(SiteKind::Intrinsic(intrinsic));
            let observed = self.looked_at(site);
            let results = results_of(self.routine);
            let target = if results.is_empty() { self.end } else { self.label() };
            self.emit(Op::Host, |it| {
                (it.site, it.observed, it.target) = (Some(site), observed, target.0);
            });
            taken = (!results.is_empty()).then_some((target, results));
        }
        self.block(&self.routine.body)?;
        if let Some((target, results)) = taken {
            self.jump(self.end);
            self.here(target);
            self.loc = self.routine.loc;
            self.fill(&results);
        }
        self.here(self.end);
        let mut place = 0;
        let back = numbers.iter().filter(|(_, _, mode)| *mode == Mode::Ref);
        let mut leaving = Vec::new();
        for &(_, var, _) in back {
            leaving.extend([(place, value_of(var)), (place + 1, flag_of(var))]);
            place += 2;
        }
        if let Some(result) = self.routine.result
            && is_number(self.routine.var(result).ty)
        {
            leaving.push((place, value_of(result)));
        }
        for (to, from) in leaving {
            match staged(to) {
                Home::Register(to) => {
                    self.emit(Op::Move, |it| (it.d, it.a) = (Some(Reg(to)), Some(from)));
                }
                Home::Cell(cell) => {
                    self.emit(Op::Spill, |it| (it.a, it.imm) = (Some(from), i64::from(cell)));
                }
            }
        }
        let id =
            self.source.program.routines.iter().position(|it| std::ptr::eq(&**it, self.routine));
        self.emit(Op::Return, |it| it.imm = id.map_or(-1, |id| id as i64));
        Ok(())
    }

    /// Numbers become what the host has put into the cells after those of calls.
    pub(super) fn fill(&mut self, results: &[VarId]) {
        self.result_cells = self.result_cells.max(2 * results.len() as u32);
        let mut cell = i64::from(passed_cells(self.routine));
        for var in results {
            let (value, flag) = self.number(*var);
            for reg in [value, flag] {
                self.emit(Op::Fill, |it| (it.d, it.imm) = (Some(reg), cell));
                cell += 1;
            }
        }
    }

    /// d := a number that came with the call.
    fn unstage(&mut self, d: Reg, place: u32) {
        match staged(place) {
            Home::Register(from) => {
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(d), Some(Reg(from))));
            }
            Home::Cell(cell) => {
                self.emit(Op::Fill, |it| (it.d, it.imm) = (Some(d), i64::from(cell)));
            }
        }
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, op: Op, fill: impl FnOnce(&mut Inst)) {
        let mut inst = Inst::new(op, self.loc);
        fill(&mut inst);
        self.insts.push(inst);
    }

    /// A register of its own.
    pub(super) fn fresh(&mut self) -> Reg {
        self.n_regs += 1;
        Reg(self.n_regs - 1)
    }

    /// A label that is nowhere yet.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(usize::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub(super) fn here(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.insts.len();
    }

    pub(super) fn jump(&mut self, label: Label) {
        self.emit(Op::Jump, |it| it.target = label.0);
    }

    /// Jumps if the register is 0, or if it is not.
    pub(super) fn jump_if(&mut self, op: Op, reg: Reg, label: Label) {
        self.emit(op, |it| (it.a, it.target) = (Some(reg), label.0));
    }

    pub(super) fn load(&mut self, d: Reg, imm: i64) {
        self.emit(Op::Load, |it| (it.d, it.imm) = (Some(d), imm));
    }

    /// d := a op b, d new.
    pub(super) fn alu(&mut self, op: Op, a: Reg, b: Reg) -> Reg {
        let d = self.fresh();
        self.emit(op, |it| (it.d, it.a, it.b) = (Some(d), Some(a), Some(b)));
        d
    }

    /// d := a op imm, d new.
    pub(super) fn alu_imm(&mut self, op: Op, a: Reg, imm: i64) -> Reg {
        let d = self.fresh();
        self.emit(op, |it| (it.d, it.a, it.imm) = (Some(d), Some(a), imm));
        d
    }

    /// The register of a number.
    pub(super) fn value(&mut self, operand: &Operand) -> Reg {
        let imm = match operand {
            Operand::Var(var) => return self.number(*var).0,
            Operand::Int(number) => *number,
            Operand::Bool(truth) => i64::from(*truth),
            Operand::Str(text) => self.constants.text(text) as i64,
        };
        let d = self.fresh();
        self.load(d, imm);
        d
    }

    /// The number becomes the value of `reg`.
    pub(super) fn assign(&mut self, var: VarId, reg: Reg) {
        let (value, flag) = self.number(var);
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(value), Some(reg)));
        self.load(flag, 1);
    }

    /// Where the value of a number is, and where it is said whether it is set.
    pub(super) fn number(&self, var: VarId) -> (Reg, Reg) {
        let usual = (value_of(var), flag_of(var));
        self.other_numbers.get(&var).copied().unwrap_or(usual)
    }

    /// The object of a slice, word or table.
    pub(super) fn object(&self, var: VarId) -> Object {
        let usual = self.object_of[var.0 as usize].unwrap_or(Object(0));
        self.other_objects.get(&var).copied().unwrap_or(usual)
    }

    /// The objects of a variable: one for each part of a handle, else its own.
    pub(super) fn objects_of(&self, var: VarId) -> Vec<Object> {
        match self.other_objects.get(&var) {
            Some(own) if self.routine.var(var).ty != Ty::Handle => vec![*own],
            _ => objects_at(self.routine, &self.object_of, self.source.parts.len(), var),
        }
    }

    /// An object that no variable has, for the rest of the routine.
    pub(super) fn hidden(&mut self) -> Object {
        self.objects.push(0);
        Object(self.objects.len() as u32 - 1)
    }

    pub(super) fn is_table(&self, var: VarId) -> bool {
        matches!(self.routine.var(var).ty, Ty::Table(..))
    }

    /// An object for what lies between, until the statement ends.
    pub(super) fn temporary(&mut self) -> Object {
        if self.taken == self.temporaries.len() {
            let object = self.hidden();
            self.temporaries.push(object);
        }
        self.taken += 1;
        self.temporaries[self.taken - 1]
    }

    /// d := a measure of an object, d new.
    pub(super) fn size(&mut self, object: Object, measure: u32) -> Reg {
        let d = self.fresh();
        self.emit(Op::Size, |it| {
            (it.d, it.y, it.imm) = (Some(d), Some(object), i64::from(measure));
        });
        d
    }

    /// x is set and has the sizes of y.
    pub(super) fn shape_like(&mut self, x: Object, y: Object) {
        if x != y {
            self.emit(Op::ShapeLike, |it| (it.x, it.y) = (Some(x), Some(y)));
        }
    }

    /// x is set and has so many components.
    pub(super) fn shape(&mut self, x: Object, rows: Reg, columns: Option<Reg>) {
        self.emit(Op::Shape, |it| (it.x, it.a, it.b) = (Some(x), Some(rows), columns));
    }

    /// x becomes a function of y and z.
    pub(super) fn logic(&mut self, table: u32, x: Line, y: Option<Line>, z: Option<Line>) {
        self.emit(Op::Line, |it| {
            (it.x, it.a) = (Some(x.object), x.column);
            (it.y, it.b) = (y.map(|y| y.object), y.and_then(|y| y.column));
            (it.z, it.c) = (z.map(|z| z.object), z.and_then(|z| z.column));
            it.line = Some(LineKind {
                table,
                generator: Generator::Logic,
                reduce: Reduce::Nothing,
                stores: true,
                clears: false,
            });
        });
    }

    /// x is what the generator makes of y and the registers b and c.
    pub(super) fn generate(
        &mut self,
        generator: Generator,
        x: Object,
        y: Option<Object>,
        (b, c): (Option<Reg>, Option<Reg>),
    ) {
        self.emit(Op::Line, |it| {
            (it.x, it.y, it.b, it.c) = (Some(x), y, b, c);
            it.line = Some(LineKind {
                table: 0,
                generator,
                reduce: Reduce::Nothing,
                stores: true,
                clears: false,
            });
        });
    }

    /// x is a constant.
    pub(super) fn literal(&mut self, x: Object, bits: &BitVector) {
        let at = self.constants.bits(bits) as i64;
        self.generate(Generator::Literal, x, None, (None, None));
        if let Some(last) = self.insts.last_mut() {
            last.imm = at;
        }
    }

    /// d := what is found in a function of y and z, d new; `behind` of the first one only.
    pub(super) fn reduce(
        &mut self,
        reduce: Reduce,
        table: u32,
        y: Object,
        z: Option<Object>,
        behind: Option<Reg>,
    ) -> Reg {
        let d = self.fresh();
        self.emit(Op::Line, |it| {
            (it.d, it.y, it.z, it.c) = (Some(d), Some(y), z, behind);
            it.line = Some(LineKind {
                table,
                generator: Generator::Logic,
                reduce,
                stores: false,
                clears: false,
            });
        });
        d
    }

    /// Stops with a trap if the register is 0, or if it is not.
    pub(super) fn trap(&mut self, op: Op, reg: Reg, kind: SiteKind) {
        let site = self.site(kind);
        let observed = self.looked_at(site);
        self.emit(op, |it| (it.a, it.site, it.observed) = (Some(reg), Some(site), observed));
    }

    /// Counts steps; a limit may end the run here.
    pub(super) fn count(&mut self, op: Op, a: Option<Reg>, imm: i64) {
        let (mut site, mut observed) = (None, Vec::new());
        if self.source.choices.counts_steps {
            let shown = std::mem::take(&mut self.observed);
            self.observed = self.lent();
            let number = self.site(SiteKind::Count);
            self.observed = shown;
            (site, observed) = (Some(number), self.looked_at(number));
        }
        self.emit(op, |it| (it.a, it.imm, it.site, it.observed) = (a, imm, site, observed));
    }

    /// An instruction of a profile, if there is one.
    pub(super) fn profile(&mut self, op: Op, counter: Counter, times: Option<Reg>) {
        if self.source.choices.profiles {
            // What begins is counted statement by statement.
            let known = match counter {
                Counter::Runs(_) => None,
                Counter::Cost(..) | Counter::Line(_) | Counter::Routine(_) => {
                    self.counters.iter().position(|known| *known == counter)
                }
            };
            let at = known.unwrap_or(self.counters.len());
            if known.is_none() {
                self.counters.push(counter);
            }
            self.emit(op, |it| (it.a, it.imm) = (times, at as i64));
        }
    }

    /// Emits the count of a test for a further iteration, for profiles.
    pub(super) fn looks_for_iteration(&mut self, counter: usize) {
        if self.source.choices.profiles {
            self.emit(Op::Tally, |it| it.imm = counter as i64);
        }
    }

    /// Creates a counter for the iterations of a loop at this location, and returns its index.
    pub(super) fn iterations(&mut self) -> usize {
        self.counters.push(Counter::Runs(self.loc));
        self.counters.len() - 1
    }

    /// The variables of the caller.
    fn lent(&self) -> Vec<VarId> {
        let params = self.routine.params.iter().filter(|param| param.mode == Mode::Ref);
        params.map(|param| param.var).collect()
    }

    /// What a statement may be asked for when it stops.
    pub(super) fn observe(&mut self, stmt: &star_ir::Stmt) {
        self.observed.clear();
        if visit::may_trap(&stmt.kind) {
            let observation = visit::Observation::new(self.source.program, self.routine);
            let mut observed = Vec::new();
            observation.accesses(stmt, &mut |var, _| observed.push(var));
            observed.sort_unstable();
            observed.dedup();
            self.observed = observed;
        }
    }
}

/// The register of a variable's value.
pub(super) fn value_of(var: VarId) -> Reg {
    Reg(REGISTERS + 2 * var.0)
}

/// The register that says whether a variable is set.
pub(super) fn flag_of(var: VarId) -> Reg {
    Reg(REGISTERS + 2 * var.0 + 1)
}
