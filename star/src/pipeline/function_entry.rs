//! Functions as entries: backends return only `var` parameters, so a wrapper routine returns the
//! value of the function as one.

use star_ir::{
    Arg, Extent, Mode, Param, Program, Routine, RoutineId, Simple, Stmt, StmtKind, Ty, Var, VarId,
};

/// Adds a routine with the parameters of the function `entry` and, last, its value as a `var`
/// parameter. Returns `None` if `entry` is not a function.
pub(super) fn with_result(program: &mut Program, entry: RoutineId) -> Option<RoutineId> {
    let function = program.routine(entry);
    let result = function.var(function.result?);
    let copy = |var: &Var, name: String| Var {
        name,
        ty: without_sizes(var.ty),
        source: None,
        sized: false,
    };
    let mut vars = Vec::new();
    let mut params = Vec::new();
    let mut args = Vec::new();
    for (idx, param) in (0u32..).zip(&function.params) {
        let var = VarId(idx);
        let original = function.var(param.var);
        vars.push(copy(original, original.name.clone()));
        params.push(Param { var, mode: param.mode, set_at_end: false });
        args.push(match param.mode {
            Mode::Value => Arg::Move(var),
            Mode::Ref => Arg::Ref(var),
        });
    }
    let value = VarId(u32::try_from(vars.len()).ok()?);
    vars.push(copy(result, format!("{}.value", result.name)));
    params.push(Param { var: value, mode: Mode::Ref, set_at_end: false });
    let routine = Routine {
        name: function.name.clone(),
        params,
        result: None,
        vars,
        body: vec![Stmt {
            kind: StmtKind::Simple(Simple::Call { callee: entry, args, dst: Some(value) }),
            loc: function.loc,
        }],
        loc: function.loc,
        intrinsic: None,
    };
    let id = RoutineId(u32::try_from(program.routines.len()).ok()?);
    program.push(routine);
    Some(id)
}

fn without_sizes(ty: Ty) -> Ty {
    match ty {
        Ty::Int => Ty::Int,
        Ty::Bool => Ty::Bool,
        Ty::Str => Ty::Str,
        Ty::Slice(_) => Ty::Slice(Extent::Dynamic),
        Ty::Word(_) => Ty::Word(Extent::Dynamic),
        Ty::Table(..) => Ty::Table(Extent::Dynamic, Extent::Dynamic),
        Ty::Handle => Ty::Handle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_wrappers_verify() {
        let text = "routine 0 \"F\" (value %n: int, ref %T: table[?, ?]) -> %F !0 {\n  var %F: int\n  %F = copy 1 !0\n}\nlocations {\n  !0 = 0:0..9\n}\n";
        let mut program = star_ir::parse(text).unwrap();
        let id = with_result(&mut program, RoutineId(0)).unwrap();
        star_ir::verify(&program).unwrap();
        assert_eq!(program.routine(id).params.len(), 3);
        assert_eq!(with_result(&mut program, id), None);
    }
}
