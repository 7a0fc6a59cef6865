//! What the host has to know of instructions that it may stop at.

use star_ir::{Operand, VarId};

use super::builder::{Builder, flag_of, value_of};
use super::{Extreme, Home, Number, Site, SiteKind, is_number, objects_at};
use crate::code::{Object, Reg};

impl Builder<'_> {
    /// The number of the site, with all that the statement may be asked for.
    pub(super) fn site(&mut self, kind: SiteKind) -> u32 {
        let numbers = self.observed.iter().filter(|var| is_number(self.routine.var(**var).ty));
        let at = |reg: Reg| Home::Register(reg.0);
        let number =
            |var: &VarId| (*var, Number { at: at(value_of(*var)), flag: Some(at(flag_of(*var))) });
        let numbers = numbers.map(number).collect();
        let objects = self.other_objects.clone();
        let objects_seen = self.objects_seen(&kind);
        self.sites.push(Site { kind, numbers, objects, objects_seen });
        self.sites.len() as u32 - 1
    }

    /// The objects that the host may look at at such a site, or change.
    fn objects_seen(&self, kind: &SiteKind) -> Vec<Object> {
        let mut vars = self.observed.clone();
        match kind {
            SiteKind::Lifted(lifted, _) => {
                vars.extend(lifted.objects.iter().chain([&lifted.target]));
            }
            SiteKind::Fused(fused, _) => vars.extend(&fused.objects),
            SiteKind::Extreme(Extreme { dst, table, mask, sense: _ }) => {
                vars.extend([dst, table, mask]);
            }
            SiteKind::Copied(x, y) => return vec![*x, *y],
            SiteKind::Print(items) => {
                vars.extend(items.iter().filter_map(|item| match item.operand() {
                    Operand::Var(var) => Some(var),
                    Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => None,
                }));
            }
            SiteKind::Read { dst: var, .. }
            | SiteKind::Write { src: var, .. }
            | SiteKind::Exchange { word: var, .. } => vars.push(*var),
            // A guard and a call show what they observe; an intrinsic works on parameters and the
            // result.
            SiteKind::Check(_)
            | SiteKind::Returned(_)
            | SiteKind::Call { .. }
            | SiteKind::Intrinsic(_)
            | SiteKind::Count => {}
        }
        let mut seen: Vec<Object> = vars
            .into_iter()
            .flat_map(|var| {
                let own = objects_at(self.routine, &self.object_of, self.source.parts.len(), var);
                own.into_iter().chain(self.other_objects.get(&var).copied())
            })
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// The registers that a site looks at.
    pub(super) fn looked_at(&self, site: u32) -> Vec<Reg> {
        let numbers = &self.sites[site as usize].numbers;
        numbers.iter().flat_map(|(var, _)| [value_of(*var), flag_of(*var)]).collect()
    }
}
