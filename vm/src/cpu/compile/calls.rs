//! Calls: transfer of each argument to its parameter.

use star_ir::{Arg, Operand, Param, RoutineId, VarId};

use super::super::code::{Call, CallArg, FrameSize};
use super::super::inst::Inst;
use super::super::operand::{Number, RegRef};
use super::{Compiler, place};

impl Compiler<'_> {
    #[inline(never)] // Statements nest deeply; see `forall_loop`.
    pub(super) fn call(&mut self, callee: RoutineId, args: &[Arg], dst: Option<VarId>) {
        let mut size = FrameSize::default();
        let routine = self.program.routine(callee);
        let places: Vec<RegRef> = routine.vars.iter().map(|var| place(&mut size, var.ty)).collect();
        let mut extents = Vec::new();
        // An argument that the callee only reads need not be copied: it moves there and back.
        let unchanged = &self.uses[callee.0 as usize].unchanged;
        let is_lent = |param: &Param, var: VarId| {
            let value = Arg::Value(Operand::Var(var));
            unchanged.contains(&param.var)
                && args.iter().filter(|other| **other == value).count() == 1
        };
        let mut n_lent = 0;
        let args: Vec<(CallArg, RegRef)> = routine
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| {
                let arg = match arg {
                    Arg::Value(Operand::Str(text)) => CallArg::Text(text.clone()),
                    Arg::Value(Operand::Var(var)) => match self.place(*var).number() {
                        Some(reg) => CallArg::Number(Number(reg)),
                        None => match self.place(*var) {
                            place @ (RegRef::Slice(_) | RegRef::Word(_) | RegRef::Table(_))
                                if is_lent(param, *var) =>
                            {
                                n_lent += 1;
                                CallArg::Ref(place)
                            }
                            place => CallArg::Copy(place),
                        },
                    },
                    Arg::Value(constant) => CallArg::Number(self.number(constant)),
                    Arg::Move(var) => CallArg::Move(self.place(*var)),
                    Arg::Ref(var) => {
                        extents.push((*var, self.place(*var), self.routine.var(*var).ty));
                        CallArg::Ref(self.place(*var))
                    }
                };
                (arg, places[param.var.0 as usize])
            })
            .collect();
        let dst = dst.map(|dst| self.place(dst));
        let in_loop = self.contexts.iter().any(|context| context.next.is_some());
        self.code.calls.push(Call { callee, args, n_lent, in_loop, dst, extents });
        self.emit(Inst::Call(self.code.calls.len() as u32 - 1));
    }
}
