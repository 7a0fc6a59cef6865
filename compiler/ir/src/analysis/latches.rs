//! Integers whose value is always the size of one variable.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Effect;
use super::requirements;
use crate::check::SizeOperand;
use crate::program::{Ty, Var, VarId};
use crate::stmt::{Simple, SizeOp, Stmt, StmtKind};
use crate::visit;

/// The `latch`es of a routine.
pub(crate) struct Latches {
    /// For each integer the size that it may receive; `None` if it is written otherwise or receives
    /// several sizes.
    sources: BTreeMap<VarId, Option<SizeOperand>>,
    /// The size that an integer is assigned.
    assigned: BTreeMap<VarId, SizeOperand>,
    /// Variables that may become unset.
    lost: BTreeSet<VarId>,
}

impl Latches {
    pub(crate) fn of(body: &[Stmt], vars: &[Var]) -> Self {
        let mut latches =
            Latches { sources: BTreeMap::new(), assigned: BTreeMap::new(), lost: BTreeSet::new() };
        visit::walk(body, &mut |stmt| {
            let latched = if let StmtKind::Simple(Simple::Size(SizeOp::Latch { dst: _, size })) =
                &stmt.kind
            {
                Some(size)
            } else {
                None
            };
            if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind {
                let sizes =
                    requirements::sizes(*dst, Ty::Int, op).into_iter().map(|(_, size)| size);
                let size = sizes.into_iter().find(|size| visit::measured(size).is_some());
                latches.assigned.extend(size.map(|size| (*dst, size)));
            }
            visit::accesses(&stmt.kind, &mut |var, access| {
                let Some(effect) = Effect::of(access, &vars[var.0 as usize]) else { return };
                if effect.unset {
                    latches.lost.insert(var);
                }
                latches
                    .sources
                    .entry(var)
                    .and_modify(|source| {
                        if source.as_ref() != latched {
                            *source = None;
                        }
                    })
                    .or_insert_with(|| latched.cloned());
            });
        });
        latches
    }

    /// Returns whether the extent only ever receives this size, of a variable that does not lose
    /// it. Then the extent is unset for as long as the variable has no size.
    pub(crate) fn follows(&self, extent: VarId, own: &SizeOperand) -> bool {
        let kept = visit::measured(own).is_some_and(|var| !self.lost.contains(&var));
        kept && self.sources.get(&extent).is_some_and(|source| source.as_ref() == Some(own))
    }

    /// Returns whether the integer only ever receives this size, by a `latch` or by an assignment.
    pub(crate) fn measures(&self, extent: VarId, own: &SizeOperand) -> bool {
        self.sources.get(&extent).is_some_and(|source| source.as_ref() == Some(own))
            || self.assigned.get(&extent) == Some(own)
    }
}
