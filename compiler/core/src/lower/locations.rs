//! Locations of emitted statements: the position in the source, with the variables that the text
//! there names.

use star_base::Span;
use star_ir::{LocId, Location, NamedVar, VarId};

use super::Lowerer;
use crate::hir::{self, LocalId};
use crate::statements::head;

impl Lowerer<'_> {
    pub(super) fn location(
        &mut self,
        span: Span,
        named: &[(VarId, LocalId)],
        at_call: bool,
    ) -> LocId {
        if let Some(&loc) = self.known_locs.get(&(span, at_call)) {
            return loc;
        }
        // Programs have many locations, most of them with at most one operand.
        let mut operands: Vec<NamedVar> = Vec::with_capacity(named.len());
        for &(var, local) in named {
            let name = self.r.local(local).name.clone();
            if !operands.iter().any(|operand| operand.name == name) {
                operands.push(NamedVar { var, name });
            }
        }
        operands.shrink_to_fit();
        let loc = LocId(self.locations.len() as u32);
        self.locations.push(Location { span, inlined: Vec::new(), operands, at_call });
        self.known_locs.insert((span, at_call), loc);
        loc
    }

    pub(super) fn expr_loc(&mut self, expr: &hir::Expr) -> LocId {
        if let Some(&loc) = self.known_locs.get(&(expr.span, false)) {
            return loc;
        }
        let mut places = Vec::new();
        crate::visit::uses_of_expr(expr, &mut |place| places.push(*place));
        self.location_of(expr.span, &places)
    }

    pub(super) fn stmt_loc(&mut self, stmt: &hir::Stmt) -> LocId {
        let mut places = Vec::new();
        crate::visit::uses_of_stmt(stmt, &mut |place| places.push(*place));
        // The assigned variable is unrelated to why the value is missing.
        if let hir::StmtKind::Assign(hir::Target::Var(target), _) = &stmt.kind {
            places.retain(|place| place.site != target.site);
        }
        self.location_of(head(stmt).span, &places)
    }

    pub(super) fn location_of(&mut self, span: Span, places: &[hir::VarUse]) -> LocId {
        let r = self.r;
        let shown = places.iter().filter(|place| !r.local(place.local).is_hidden());
        let named: Vec<(VarId, LocalId)> =
            shown.map(|&place| (self.place_var(place), place.local)).collect();
        self.location(span, &named, false)
    }
}
