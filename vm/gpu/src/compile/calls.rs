//! Calls: how arguments get into a routine, and results out of it.
//!
//! Objects are lent or given through the frame of the routine that is called; numbers go through registers that a return
//! leaves as they are. A value argument that the routine does not change is lent, too.

use star_ir::{Arg, Extent, Mode, Operand, RoutineId, SizeOperand, Ty, VarId};
use star_shaders::Op;
use star_shaders::layout::{REGISTERS, STAGING, measure};

use super::builder::{Builder, flag_of, value_of};
use super::{SiteKind, Unsupported, changes, is_number, numbers_of};
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
        let routine = self.program.routine(callee);
        self.callees.push(callee);
        let loc = self.loc;
        self.count(Op::Turn, None, 0);
        let mut passed = Vec::new();
        for (param, arg) in routine.params.iter().zip(args) {
            if is_number(routine.var(param.var).ty) {
                continue;
            }
            passed.push(match arg {
                Arg::Value(Operand::Var(var)) => {
                    let object = self.object(*var);
                    if changes(routine, param.var) || is_elsewhere(*var, args) {
                        let own = self.temporary();
                        if self.is_table(*var) {
                            self.copy_table(own, object);
                        } else {
                            self.copy_bits(own, object);
                        }
                        Passed::Given(own)
                    } else {
                        Passed::Lent(object, Mode::Value)
                    }
                }
                Arg::Value(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_)) => {
                    return Err(Unsupported("a number in the place of an object".to_owned()));
                }
                Arg::Move(var) => Passed::Given(self.object(*var)),
                Arg::Ref(var) => Passed::Lent(self.object(*var), Mode::Ref),
            });
        }
        // Too many calls end the run here.
        let site = self.site(SiteKind::Count);
        let observed = self.looked_at(site);
        self.emit(Op::Prepare, |it| {
            (it.imm, it.site, it.observed) = (i64::from(callee.0), Some(site), observed);
        });
        // The routine's objects are those of its variables, in their order.
        let objects = routine.params.iter().filter(|param| !is_number(routine.var(param.var).ty));
        for (param, passed) in objects.zip(passed) {
            let before = routine.vars[..param.var.0 as usize].iter();
            let x = Object(before.filter(|var| !is_number(var.ty)).count() as u32);
            match passed {
                Passed::Lent(object, mode) => self.emit(Op::Lend, |it| {
                    (it.x, it.y, it.imm) = (Some(x), Some(object), i64::from(mode == Mode::Ref));
                }),
                Passed::Given(object) => {
                    self.emit(Op::Give, |it| (it.x, it.y) = (Some(x), Some(object)));
                }
            }
        }
        let mut staged = STAGING;
        let mut lent = Vec::new();
        for (at, param, mode) in numbers_of(routine) {
            if staged + 2 > REGISTERS {
                let most = REGISTERS - STAGING;
                return Err(Unsupported(format!(
                    "a call that takes {most} registers for its numbers"
                )));
            }
            match (&args[at], mode) {
                (Arg::Value(operand), _) => {
                    let from = self.value(operand);
                    self.stage(staged, from);
                }
                (Arg::Move(var), _) => self.stage(staged, value_of(*var)),
                (Arg::Ref(var), _) => {
                    lent.push((param, *var));
                    self.stage(staged, value_of(*var));
                    self.stage(staged + 1, flag_of(*var));
                }
            }
            staged += if mode == Mode::Ref { 2 } else { 1 };
        }
        if dst.is_some_and(|dst| is_number(self.routine.var(dst).ty))
            && 2 * lent.len() as u32 + STAGING >= REGISTERS
        {
            return Err(Unsupported("a function with so many `var` numbers".to_owned()));
        }
        for arg in args {
            if let Arg::Move(var) = arg
                && is_number(self.routine.var(*var).ty)
            {
                self.load(flag_of(*var), 0);
            }
        }
        let site = self.site(SiteKind::Call { lent: lent.clone() });
        let observed = self.looked_at(site);
        self.emit(Op::Call, |it| {
            (it.imm, it.target) = (i64::from(callee.0), callee.0);
            (it.site, it.observed) = (Some(site), observed);
        });
        self.loc = loc;
        let mut staged = STAGING;
        for (_, var) in lent {
            self.emit(Op::Move, |it| (it.d, it.a) = (Some(value_of(var)), Some(Reg(staged))));
            self.emit(Op::Move, |it| (it.d, it.a) = (Some(flag_of(var)), Some(Reg(staged + 1))));
            staged += 2;
        }
        // The result is taken before anything else is called, and shows only if no size is wrong.
        let taken = dst.and_then(|dst| self.take(routine, dst, staged).map(|taken| (dst, taken)));
        for arg in args {
            if let Arg::Ref(var) = arg {
                self.check_returned(*var);
            }
        }
        if let Some((dst, taken)) = taken {
            match taken {
                Taken::Number(reg) => self.assign(dst, reg),
                Taken::Object(object) => {
                    let x = self.object(dst);
                    if self.is_table(dst) {
                        self.copy_table(x, object);
                    } else {
                        self.copy_bits(x, object);
                    }
                }
            }
        }
        Ok(())
    }

    fn stage(&mut self, to: u32, from: Reg) {
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(Reg(to)), Some(from)));
    }

    /// The value of a function that has just returned.
    fn take(&mut self, callee: &star_ir::Routine, dst: VarId, staged: u32) -> Option<Taken> {
        let result = callee.result?;
        if is_number(self.routine.var(dst).ty) {
            let reg = self.fresh();
            self.emit(Op::Move, |it| (it.d, it.a) = (Some(reg), Some(Reg(staged))));
            return Some(Taken::Number(reg));
        }
        let before = callee.vars[..result.0 as usize].iter();
        let y = Object(before.filter(|var| !is_number(var.ty)).count() as u32);
        let x = self.temporary();
        self.emit(Op::Take, |it| (it.x, it.y) = (Some(x), Some(y)));
        Some(Taken::Object(x))
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
                    self.jump_if(Op::JumpZero, flag_of(size), skips);
                    value_of(size)
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
    Object(Object),
}

/// Is the variable lent or given by another argument?
fn is_elsewhere(var: VarId, args: &[Arg]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Ref(other) | Arg::Move(other) if *other == var))
}
