//! Numbers and sizes in an iteration, and the statements that set sizes.

use star_ir::analysis::polynomial::Polynomial;
use star_ir::analysis::result_sizes;
use star_ir::{Extent, IntOp, Op, Operand, SizeOp, SizeOperand, Ty, VarId};

use super::super::state::State;
use super::{Growth, Iteration};

impl Iteration<'_> {
    /// Returns the number that an operation yields.
    pub(super) fn result(&mut self, op: &Op, state: &State) -> Option<Polynomial> {
        if let Op::Int(op, left, right) = op {
            let (left, right) = (self.value(left, state)?, self.value(right, state)?);
            match op {
                IntOp::Add => left.plus(1, &right),
                IntOp::Sub => left.plus(-1, &right),
                IntOp::Mul => left.times(&right),
                IntOp::Div | IntOp::Mod => None,
            }
        } else if let Op::Copy(of) = op {
            self.value(of, state)
        } else if let Op::Length(of) = op {
            self.size(&SizeOperand::Length(*of), state)
        } else if let Op::Rows(of) = op {
            self.size(&SizeOperand::Rows(*of), state)
        } else if let Op::Columns(of) = op {
            self.size(&SizeOperand::Columns(*of), state)
        } else {
            None
        }
    }

    /// Returns the sizes of `dst` after it is set to the result of the operation.
    pub(super) fn sizes_of(
        &mut self,
        dst: VarId,
        op: &Op,
        state: &State,
    ) -> [Option<Polynomial>; 2] {
        let mut sizes = [None, None];
        for (size, of) in result_sizes(dst, self.routine.var(dst).ty, op) {
            let extent = match size {
                SizeOperand::Value(_) => continue,
                SizeOperand::Length(_) | SizeOperand::Rows(_) => 0,
                SizeOperand::Columns(_) => 1,
            };
            if sizes[extent].is_none() {
                sizes[extent] = self.size(&of, state);
            }
        }
        sizes
    }

    /// Returns an integer as a polynomial, if it is known.
    pub(super) fn value(&mut self, of: &Operand, state: &State) -> Option<Polynomial> {
        match of {
            Operand::Int(number) => Some(Polynomial::number((*number).into())),
            Operand::Var(var) if self.routine.var(*var).ty != Ty::Int => None,
            Operand::Var(var) if *var == self.var || self.privates.contains(var) => {
                state.values.get(var).cloned()
            }
            Operand::Var(_) => Some(self.polynomials.outer(&SizeOperand::Value(of.clone()))),
            Operand::Bool(_) | Operand::Str(_) => None,
        }
    }

    /// Returns a size, if it is known: from the type, from an assignment, or as a loop-invariant
    /// one.
    pub(super) fn size(&mut self, of: &SizeOperand, state: &State) -> Option<Polynomial> {
        let (var, extent) = match of {
            SizeOperand::Value(of) => return self.value(of, state),
            SizeOperand::Length(var) | SizeOperand::Rows(var) => (*var, 0),
            SizeOperand::Columns(var) => (*var, 1),
        };
        let own = match self.routine.var(var).ty.extents()[extent] {
            Extent::Const(number) => Some(Polynomial::number(number.into())),
            Extent::Var(number) => self.value(&Operand::Var(number), state),
            Extent::Dynamic => None,
        };
        if own.is_some() {
            return own;
        }
        match self.privates.contains(&var) {
            true => state.size(of).cloned(),
            false => Some(self.polynomials.outer(of)),
        }
    }

    /// Analyses a statement that sets or removes a size.
    pub(super) fn size_op(&mut self, op: &SizeOp, state: &mut State) -> Result<(), String> {
        let (var, size) = match op {
            SizeOp::Unset(var) => {
                state.kill(*var);
                return Ok(());
            }
            SizeOp::EnsureColumns { table, columns } if self.stored.contains(table) => {
                return self.grow(*table, columns, state);
            }
            SizeOp::EnsureColumns { table, columns: _ } => {
                if let Some([_, columns]) = state.sizes.get_mut(table) {
                    *columns = None;
                }
                return match state.assigned.contains(table) {
                    true => Ok(()),
                    false => Err(format!("{} is needed in the next iteration", self.name(*table))),
                };
            }
            SizeOp::Latch { dst, size } => {
                let value = self.size(size, state);
                if state.unset.contains(dst) {
                    self.is_assigned(*dst, state);
                    state.values.extend(value.map(|value| (*dst, value)));
                }
                (*dst, None)
            }
            SizeOp::SetRows { table, rows } => {
                let rows = self.size(rows, state);
                if state.unset.contains(table) {
                    self.is_assigned(*table, state);
                    state.sizes.insert(*table, [rows, Some(Polynomial::number(0))]);
                }
                (*table, None)
            }
            SizeOp::Init { table, rows, columns } => {
                let sizes = [self.value(rows, state), self.value(columns, state)];
                if state.unset.contains(table) {
                    self.is_assigned(*table, state);
                    state.sizes.insert(*table, sizes);
                }
                (*table, None)
            }
            SizeOp::Adapt { bits, size } => (*bits, Some(size)),
            SizeOp::Fix { bits, size } => {
                if state.unset.contains(bits) {
                    let size = self.value(size, state);
                    state.forget(*bits);
                    state.sizes.insert(*bits, [size, None]);
                    return Ok(());
                }
                (*bits, Some(size))
            }
        };
        let is_kept = match size {
            _ if state.unset.contains(&var) => true,
            None => state.assigned.contains(&var),
            Some(size) => {
                let own = self.size(&SizeOperand::Length(var), state);
                let is_same = own.is_some() && own == self.value(size, state);
                is_same && self.has_size(var, state)
            }
        };
        match is_kept {
            true => Ok(()),
            false => Err(format!("its body may set the size of {}", self.name(var))),
        }
    }

    /// Records that the iteration ensures columns of an outer table.
    fn grow(&mut self, table: VarId, columns: &SizeOperand, state: &State) -> Result<(), String> {
        let Some(wanted) = self.size(columns, state) else {
            return Err(format!("its body may set the size of {}", self.name(table)));
        };
        let is_rising = wanted.split(self.index).is_some_and(|(step, _)| {
            step != Polynomial::default() && step.terms().all(|(_, factor)| factor > 0)
        });
        let is_first = self.grows.iter().all(|growth| growth.table != table);
        let is_straight = self.depth == 0 && self.is_range && !self.is_left;
        if is_straight && is_first && is_rising && !self.counted.contains(&table) {
            self.grows.push(Growth { table, columns: wanted });
            return Ok(());
        }
        let room = self.polynomials.outer(&SizeOperand::Columns(table)).plus(-1, &wanted);
        let loops = self.polynomials.loops();
        match room.is_some_and(|room| self.polynomials.require(&room, &loops)) {
            true => Ok(()),
            false => Err(format!("its body may set the size of {}", self.name(table))),
        }
    }
}
