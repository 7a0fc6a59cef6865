//! Impossible states in programs without errors: an internal error with its position.
//!
//! Lowering continues with a placeholder, so that its steps need no `Result`; the resulting program
//! is rejected ([`crate::lower`]).

use star_base::{Code, Diagnostic, Span};
use star_ir::{Op, Operand, SizeOperand};

use super::Lowerer;
use super::bits::Rvalue;
use super::sizes::Exts;

/// A bug in the toolchain at a position in the source.
pub(crate) fn internal_fault(span: Span, what: &str) -> Diagnostic {
    Diagnostic::at(Code::Internal, span, format!("internal error: {what}"))
        .help("this is a bug in the toolchain, not in the program: please report it")
}

impl Lowerer<'_> {
    /// Reports an internal error at the current location.
    pub(super) fn fault(&mut self, what: &str) {
        let span = self.locations[self.loc.0 as usize].span;
        self.diagnostics.push(internal_fault(span, what));
    }

    /// Reports an internal error where a scalar is expected.
    pub(super) fn fault_scalar(&mut self, what: &str) -> Operand {
        self.fault(what);
        Operand::Int(0)
    }

    /// Reports an internal error where a slice, word or table is expected.
    pub(super) fn fault_bits(&mut self, what: &str, exts: Exts) -> Rvalue {
        self.fault(what);
        let nothing = Operand::Int(0);
        Rvalue { op: Op::Fill(nothing.clone(), false), size: SizeOperand::Value(nothing), exts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::{Arg, Expr, ExprKind, Program, Routine, RoutineId, Stmt, StmtKind, TyKind};
    use crate::lower::{LowerOptions, lower};
    use star_base::FileId;
    use star_ir::IntOp;
    use star_syntax::ast::RoutineKind;

    const SPAN: Span = Span { file: FileId(3), start: 7, end: 9 };

    fn expr(kind: ExprKind, ty: TyKind) -> Expr {
        Expr { kind, ty, span: SPAN, effects: false }
    }

    fn routine(body: Vec<StmtKind>) -> Routine {
        let body = body.into_iter().map(|kind| Stmt { kind, span: SPAN }).collect();
        Routine {
            name: "R".to_owned(),
            kind: RoutineKind::Procedure,
            params: Vec::new(),
            locals: Vec::new(),
            result: None,
            body,
            name_span: SPAN,
            header: SPAN,
            library: false,
            machine_op: None,
            intrinsic: None,
            texts: Vec::new(),
            n_sites: 0,
        }
    }

    /// Returns the internal errors for a routine with these statements, which occur in no checked
    /// program.
    fn faults(body: Vec<StmtKind>) -> Vec<Diagnostic> {
        let program =
            Program { routines: vec![routine(body), routine(Vec::new())], types: Vec::new() };
        let mut found = Vec::new();
        lower(&program, &[RoutineId(0)], &LowerOptions::default(), &mut found);
        found
    }

    #[track_caller]
    fn is_fault(body: Vec<StmtKind>, what: &str) {
        let found = faults(body);
        let [fault] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((fault.code, fault.span()), (Code::Internal, Some(SPAN)));
        assert_eq!(fault.message, format!("internal error: {what}"));
    }

    #[test]
    fn impossible_hir_gives_internal_errors_with_positions() {
        let int = |value| expr(ExprKind::Int(value), TyKind::Int);
        let theta = || expr(ExprKind::Theta, TyKind::Slice);
        is_fault(vec![StmtKind::Break], "`break` outside a loop");
        is_fault(vec![StmtKind::Continue], "`continue` outside a loop");
        is_fault(vec![StmtKind::Print(vec![theta()])], "`Θ` without a size");
        let scalar = expr(ExprKind::Theta, TyKind::Int);
        is_fault(vec![StmtKind::Print(vec![scalar])], "expected a scalar");
        let bits = expr(ExprKind::Int(1), TyKind::Slice);
        is_fault(vec![StmtKind::Print(vec![bits])], "expected a slice, word or table");
        let call = StmtKind::Call(RoutineId(1), vec![Arg::Value(int(1))]);
        is_fault(vec![call], "wrong number of arguments in a call");
        let links = vec![
            (crate::hir::ChainOp::Int(IntOp::Add), int(1)),
            (crate::hir::ChainOp::Bool(star_ir::LogicOp::And), int(1)),
        ];
        let chain = expr(ExprKind::Chain(Box::new(int(2)), links), TyKind::Int);
        is_fault(vec![StmtKind::Print(vec![chain])], "a chain with operators of several types");
        let builtin =
            expr(ExprKind::Builtin(star_base::Builtin::Rotate, vec![theta()]), TyKind::Word);
        is_fault(vec![StmtKind::Print(vec![builtin])], "wrong arguments of a built-in");
        assert_eq!(faults(vec![StmtKind::Print(vec![int(1)])]), []);
    }
}
