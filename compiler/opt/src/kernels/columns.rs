//! Kernels in order: a `for` over columns that carries slices from one iteration to the next.
//!
//! A branch asks only about numbers, so it is the same for all rows: both of its blocks are values,
//! and what they set is selected. A check under a condition holds in all iterations, or the
//! fallback runs. Numbers are not kept: a loop of which the index or another number is used
//! afterwards is no kernel. Slices that are used neither by a later iteration nor after the loop
//! are not kept, either.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::kernel::{Effect, Line, Value, ValueId, slopes, written};
use star_ir::{
    Block, IntOp, Kernel, Op, Operand, Routine, Simple, Stmt, StmtKind, Ty, VarId, visit,
};

use super::Maker;

/// Returns the kernel of a `for`, if it is one over columns. `is_live` tells whether a variable is
/// used after the loop.
pub(super) fn kernel(
    routine: &Routine,
    stmt: &Stmt,
    is_live: &dyn Fn(VarId) -> bool,
) -> Option<Kernel> {
    let StmtKind::For { label: _, var, from: _, to: _, down: _, body } = &stmt.kind else {
        return None;
    };
    let (mut table, own) = (None, Operand::Var(*var));
    visit::walk(body, &mut |stmt| {
        if let StmtKind::Simple(
            Simple::Assign(_, Op::Column(of, index))
            | Simple::PutColumn { table: of, index, value: _ },
        ) = &stmt.kind
            && *index == own
        {
            table.get_or_insert(*of);
        }
    });
    let lines = (Line::Column, table?);
    let mut maker = Maker { in_order: true, ..Maker::new(routine, (*var, written(body)), lines) };
    maker.block(body, None)?;
    let is_number = |var: &VarId| matches!(routine.var(*var).ty, Ty::Int | Ty::Bool);
    let mut numbers = maker.changed.iter().copied().filter(is_number).chain([*var]);
    (!numbers.any(is_live)).then_some(())?;
    maker.store_and_carry(is_live)?;
    let Maker { line, table, values, effects, guards, cost, .. } = maker;
    let fallback = vec![stmt.clone()];
    Some(Kernel { line, table, values, effects, guards, cost, fallback })
}

impl Maker<'_> {
    /// Arithmetic that is linear in the index, and does not overflow.
    pub(super) fn int(&mut self, op: IntOp, left: &Operand, right: &Operand) -> Option<ValueId> {
        let value = Value::Int(op, self.scalar(left)?, self.scalar(right)?);
        let value = self.value(value);
        slopes(&self.values)[value.0 as usize].map(|_| value)
    }

    /// A branch: of what its blocks set differently, one value is selected.
    pub(super) fn branch(
        &mut self,
        test: &Operand,
        [then, otherwise]: [&Block; 2],
        when: Option<ValueId>,
    ) -> Option<()> {
        let test = self.scalar(test)?;
        let before = (self.held.clone(), self.stored.clone());
        let taken = self.both(when, test);
        self.block(then, Some(taken))?;
        let held = std::mem::replace(&mut self.held, before.0);
        let stored = std::mem::replace(&mut self.stored, before.1);
        let not = self.value(Value::Not(test));
        let taken = self.both(when, not);
        self.block(otherwise, Some(taken))?;
        let vars: BTreeSet<VarId> = held.keys().chain(self.held.keys()).copied().collect();
        for var in vars {
            let values = [held.get(&var).copied(), self.held.get(&var).copied()];
            if values[0] == values[1] {
                continue;
            }
            if !self.is_carried(var) {
                // A number with two values has none.
                self.held.remove(&var);
                continue;
            }
            let [then, otherwise] =
                values.map(|value| value.unwrap_or_else(|| self.value(Value::Carried(var))));
            let selected = self.value(Value::Select(test, then, otherwise));
            self.held.insert(var, selected);
        }
        let columns: BTreeSet<_> = stored.keys().chain(self.stored.keys()).copied().collect();
        for (table, index) in columns {
            let values = [&stored, &self.stored].map(|of| of.get(&(table, index)).copied());
            let [then, otherwise] =
                values.map(|value| value.unwrap_or_else(|| self.value(Value::Line(table, index))));
            let value = match then == otherwise {
                // Even the column itself is stored.
                true => then,
                false => self.value(Value::Select(test, then, otherwise)),
            };
            self.stored.insert((table, index), value);
        }
        Some(())
    }

    /// Adds the effects at the end of an iteration, and removes values that are not needed.
    fn store_and_carry(&mut self, is_live: &dyn Fn(VarId) -> bool) -> Option<()> {
        let mut stored = BTreeMap::new();
        for ((table, index), value) in &self.stored {
            let (table, index, value) = (*table, *index, *value);
            stored.insert(table, index).is_none().then_some(())?;
            self.effects.push(Effect::Store { table, index, value });
        }
        let is_alone = |value: &Value| match value {
            Value::Line(table, index) => stored.get(table).is_none_or(|stored| stored == index),
            _ => true,
        };
        self.values.iter().all(is_alone).then_some(())?;
        let set = |var: &VarId| self.held.get(var).filter(|_| self.is_carried(*var)).copied();
        let mut carried: BTreeMap<VarId, ValueId> = BTreeMap::new();
        for var in self.changed.iter().filter(|var| is_live(**var)) {
            carried.extend(set(var).map(|value| (*var, value)));
        }
        // The columns and sums of all iterations exist.
        let is_condition =
            |value: &Value| matches!(value, Value::Line(_, Some(_)) | Value::Int(..));
        let mut needed: Vec<bool> = self.values.iter().map(is_condition).collect();
        loop {
            let used = self.effects.iter().flat_map(Effect::operands);
            for id in used.chain(self.required.iter().copied()).chain(carried.values().copied()) {
                needed[id.0 as usize] = true;
            }
            for (idx, value) in self.values.iter().enumerate().rev() {
                if needed[idx] {
                    value.operands().for_each(|id| needed[id.0 as usize] = true);
                }
            }
            let n_carried = carried.len();
            for (value, _) in self.values.iter().zip(&needed).filter(|(_, needed)| **needed) {
                if let Value::Carried(var) = value {
                    carried.insert(*var, set(var)?);
                }
            }
            if carried.len() == n_carried {
                break;
            }
        }
        for (into, value) in carried {
            self.effects.push(Effect::Carry { into, value, is_result: is_live(into) });
        }
        let mut next = 0;
        let numbers: Vec<ValueId> = needed
            .iter()
            .map(|needed| {
                next += u32::from(*needed);
                ValueId(next.saturating_sub(1))
            })
            .collect();
        let mut is_needed = needed.iter();
        self.values.retain(|_| is_needed.next() == Some(&true));
        let mut renumber = |id: &mut ValueId| *id = numbers[id.0 as usize];
        self.values.iter_mut().for_each(|value| value.operands_mut(&mut renumber));
        self.effects.iter_mut().for_each(|effect| effect.operands_mut(&mut renumber));
        let has_effect = |effect: &Effect| !matches!(effect, Effect::Cost { .. });
        self.effects.iter().any(has_effect).then_some(())
    }
}
