//! Calls: how arguments get into a routine, and results out of it.
//!
//! Objects are lent or given through the frame of the routine that is called; numbers go through
//! registers that a return leaves as they are, and through cells of that frame if they are many. A
//! value argument that the routine does not change is lent, too.

use star_ir::{Arg, Extent, Mode, Operand, Routine, RoutineId, SizeOperand, Ty, VarId};
use star_shaders::Op;
use star_shaders::layout::measure;

use super::builder::Builder;
use super::{
    Counter, Home, SiteKind, Unsupported, changes, is_number, numbers_of, objects_at, objects_of,
    staged,
};
use crate::code::{Object, Reg};

/// How an object gets to its parameter.
enum Passed {
    /// By value or by reference.
    Lent(Object, Mode),
    Given(Object),
}

impl Builder<'_> {
    pub(super) fn call(
        &mut self,
        callee: RoutineId,
        args: &[Arg],
        dst: Option<VarId>,
    ) -> Result<(), Unsupported> {
        let routine = self.source.program.routine(callee);
        self.callees.push(callee);
        let loc = self.loc;
        self.count(Op::Iteration, None, 0);
        let mut passed = Vec::new();
        for (param, arg) in routine.params.iter().zip(args) {
            if !is_number(routine.var(param.var).ty) {
                self.pass(routine, param.var, arg, args, &mut passed)?;
            }
        }
        // Too many calls end the run here.
        let site = self.site(SiteKind::Count);
        let observed = self.looked_at(site);
        self.emit(Op::Prepare, |it| {
            (it.imm, it.site, it.observed) = (i64::from(callee.0), Some(site), observed);
        });
        for (x, passed) in passed {
            match passed {
                Passed::Lent(object, mode) => self.emit(Op::Lend, |it| {
                    (it.x, it.y, it.imm) = (Some(x), Some(object), i64::from(mode == Mode::Ref));
                }),
                Passed::Given(object) => {
                    self.emit(Op::Give, |it| (it.x, it.y) = (Some(x), Some(object)));
                }
            }
        }
        let mut place = 0;
        let mut lent = Vec::new();
        for (at, param, mode) in numbers_of(routine) {
            match (&args[at], mode) {
                (Arg::Value(operand), _) => {
                    let from = self.value(operand);
                    self.stage(place, from);
                }
                (Arg::Move(var), _) => self.stage(place, self.number(*var).0),
                (Arg::Ref(var), _) => {
                    lent.push((param, *var));
                    self.stage(place, self.number(*var).0);
                    self.stage(place + 1, self.number(*var).1);
                }
            }
            place += if mode == Mode::Ref { 2 } else { 1 };
        }
        for arg in args {
            if let Arg::Move(var) = arg
                && is_number(self.routine.var(*var).ty)
            {
                self.load(self.number(*var).1, 0);
            }
        }
        let (line, routine_of) = (Counter::Line(loc), Counter::Routine(callee));
        self.profile(Op::Open, line, None);
        self.profile(Op::Open, routine_of, None);
        let site = self.site(SiteKind::Call { lent: lent.clone() });
        let observed = self.looked_at(site);
        self.emit(Op::Call, |it| {
            (it.imm, it.target) = (i64::from(callee.0), callee.0);
            (it.site, it.observed) = (Some(site), observed);
        });
        self.loc = loc;
        self.profile(Op::Close, routine_of, None);
        self.profile(Op::Close, line, None);
        let mut place = 0;
        for (_, var) in lent {
            let (value, flag) = self.number(var);
            self.fetch(value, place);
            self.fetch(flag, place + 1);
            place += 2;
        }
        // The result is taken before anything else is called, and shows only if no size is wrong.
        let taken = dst.and_then(|dst| self.take(routine, dst, place).map(|taken| (dst, taken)));
        for arg in args {
            if let Arg::Ref(var) = arg {
                self.check_returned(*var);
            }
        }
        if let Some((dst, taken)) = taken {
            match taken {
                Taken::Number(reg) => self.assign(dst, reg),
                Taken::Objects(objects) => {
                    let is_handle = self.routine.var(dst).ty == Ty::Handle;
                    for (x, object) in self.objects_of(dst).into_iter().zip(objects) {
                        match is_handle {
                            true => self.copy_if_set(x, object, Builder::copy_table),
                            false => self.copy(dst, x, object),
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// How the objects of an argument get to those of its parameter.
    fn pass(
        &mut self,
        callee: &Routine,
        param: VarId,
        arg: &Arg,
        args: &[Arg],
        passed: &mut Vec<(Object, Passed)>,
    ) -> Result<(), Unsupported> {
        let to = objects_in(callee, param, self.source.parts.len());
        match arg {
            Arg::Value(Operand::Var(var)) => {
                let copies = changes(callee, param) || is_elsewhere(*var, args);
                let is_handle = self.routine.var(*var).ty == Ty::Handle;
                for (to, object) in to.zip(self.objects_of(*var)) {
                    if !copies {
                        passed.push((to, Passed::Lent(object, Mode::Value)));
                        continue;
                    }
                    let own = self.temporary();
                    match is_handle {
                        true => self.copy_if_set(own, object, Builder::copy_table),
                        false => self.copy(*var, own, object),
                    }
                    passed.push((to, Passed::Given(own)));
                }
            }
            Arg::Value(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_)) => {
                return Err(Unsupported("a number in the place of an object".to_owned()));
            }
            Arg::Move(var) => {
                let objects = self.objects_of(*var).into_iter().map(Passed::Given);
                passed.extend(to.zip(objects));
            }
            Arg::Ref(var) => {
                let lent = |object| Passed::Lent(object, Mode::Ref);
                passed.extend(to.zip(self.objects_of(*var).into_iter().map(lent)));
            }
        }
        Ok(())
    }

    /// A number goes into a call.
    fn stage(&mut self, place: u32, from: Reg) {
        match staged(place) {
            Home::Register(to) => {
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(Reg(to)), Some(from)));
            }
            Home::Cell(cell) => {
                self.emit(Op::Pass, |it| (it.a, it.imm) = (Some(from), i64::from(cell)));
            }
        }
    }

    /// d := a number that comes out of a call.
    fn fetch(&mut self, d: Reg, place: u32) {
        match staged(place) {
            Home::Register(from) => {
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(d), Some(Reg(from))));
            }
            Home::Cell(cell) => {
                self.emit(Op::Fetch, |it| (it.d, it.imm) = (Some(d), i64::from(cell)));
            }
        }
    }

    /// The value of a function that has just returned.
    fn take(&mut self, callee: &Routine, dst: VarId, place: u32) -> Option<Taken> {
        let result = callee.result?;
        if is_number(self.routine.var(dst).ty) {
            let reg = self.fresh();
            self.fetch(reg, place);
            return Some(Taken::Number(reg));
        }
        let taken = objects_in(callee, result, self.source.parts.len()).map(|y| {
            let x = self.temporary();
            self.emit(Op::Take, |it| (it.x, it.y) = (Some(x), Some(y)));
            x
        });
        Some(Taken::Objects(taken.collect()))
    }

    /// A parameter without a size of its own may bring back another one.
    fn check_returned(&mut self, var: VarId) {
        let extents = match self.routine.var(var).ty {
            Ty::Slice(n) | Ty::Word(n) => [
                (SizeOperand::Length(var), n),
                (SizeOperand::Value(Operand::Int(0)), Extent::Dynamic),
            ],
            Ty::Table(rows, columns) => {
                [(SizeOperand::Rows(var), rows), (SizeOperand::Columns(var), columns)]
            }
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => return,
        };
        for (measured, extent) in extents {
            let skips = self.label();
            let wanted = match extent {
                Extent::Dynamic => continue,
                Extent::Const(n) => {
                    let reg = self.fresh();
                    self.load(reg, i64::try_from(n).unwrap_or(i64::MAX));
                    reg
                }
                Extent::Var(size) => {
                    let (value, flag) = self.number(size);
                    self.jump_if(Op::JumpZero, flag, skips);
                    value
                }
            };
            let known = self.size(self.object(var), measure::KNOWN);
            self.jump_if(Op::JumpZero, known, skips);
            let n = self.measure(&measured);
            let same = self.alu(Op::Eq, n, wanted);
            if let Extent::Var(size) = extent
                && !self.observed.contains(&size)
            {
                self.observed.push(size);
            }
            self.trap(Op::TrapZero, same, SiteKind::Returned(var));
            self.here(skips);
        }
    }
}

/// What a function gave.
enum Taken {
    Number(Reg),
    Objects(Vec<Object>),
}

/// The objects of a variable of a routine.
fn objects_in(
    routine: &Routine,
    var: VarId,
    n_parts: usize,
) -> impl Iterator<Item = Object> + use<> {
    let (object_of, _) = objects_of(routine, n_parts);
    objects_at(routine, &object_of, n_parts, var).into_iter()
}

/// Is the variable lent or given by another argument?
fn is_elsewhere(var: VarId, args: &[Arg]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Ref(other) | Arg::Move(other) if *other == var))
}
