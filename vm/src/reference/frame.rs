//! An active routine: its variables and the state of its constructs.

use star_ir::{
    Arg, Extent, HandlePart, IntOp, LocId, Location, NamedSize, Names, Operand, Routine, RoutineId,
    SizeOperand, TrapKind, Ty, VarId,
};
use std::sync::Arc;

use super::control::Region;
use super::value::{Data, Handle, Table, Value};
use super::words;
use crate::budget::MemoryBudget;
use crate::checks::GuardContext;
use crate::interrupt::{Exec, internal_error};

/// An active routine.
pub(super) struct Frame<'p> {
    pub(super) id: RoutineId,
    pub(super) routine: &'p Routine,
    /// The location of the most recent guard or returned call.
    pub(super) place: Option<&'p Location>,
    /// The variables; a `VarId` is an index.
    pub(super) slots: Vec<Value>,
    /// Active constructs, the innermost last; none when the routine is at its end.
    pub(super) regions: Vec<Region<'p>>,
    /// The pending call of the caller; `None` for the entry.
    pub(super) call: Option<PendingCall<'p>>,
}

/// A call that has not returned.
#[derive(Clone, Copy)]
pub(super) struct PendingCall<'p> {
    pub(super) loc: LocId,
    pub(super) args: &'p [Arg],
    pub(super) dst: Option<VarId>,
}

/// Returns the innermost frame.
pub(super) fn top<'f, 'p>(frames: &'f mut [Frame<'p>]) -> Exec<&'f mut Frame<'p>> {
    frames.last_mut().ok_or_else(|| internal_error("no routine is active"))
}

impl<'p> Frame<'p> {
    /// Returns the name of a variable, for messages.
    pub(super) fn name(&self, var: VarId) -> &'p str {
        let var = self.routine.vars.get(var.0 as usize);
        var.map_or("?", |var| var.name.as_str())
    }

    /// Returns the type of a variable.
    pub(super) fn ty(&self, var: VarId) -> Exec<Ty> {
        let found = self.routine.vars.get(var.0 as usize);
        found.map(|var| var.ty).ok_or_else(|| no_variable(var))
    }

    pub(super) fn slot(&self, var: VarId) -> Exec<&Value> {
        self.slots.get(var.0 as usize).ok_or_else(|| no_variable(var))
    }

    pub(super) fn slot_mut(&mut self, var: VarId) -> Exec<&mut Value> {
        self.slots.get_mut(var.0 as usize).ok_or_else(|| no_variable(var))
    }

    /// Returns the value of a variable.
    pub(super) fn data(&self, var: VarId) -> Exec<&Data> {
        let data = self.slot(var)?.data.as_ref();
        data.ok_or_else(|| internal_error(format!("`{}` is read before it is set", self.name(var))))
    }

    pub(super) fn int(&self, operand: &Operand) -> Exec<i64> {
        match operand {
            Operand::Int(number) => Ok(*number),
            Operand::Var(var) => {
                let number = self.data(*var)?.as_int();
                number.ok_or_else(|| self.wrong_kind(*var, "an integer"))
            }
            Operand::Bool(_) | Operand::Str(_) => {
                Err(internal_error("a constant that is not an integer"))
            }
        }
    }

    pub(super) fn boolean(&self, operand: &Operand) -> Exec<bool> {
        match operand {
            Operand::Bool(truth) => Ok(*truth),
            Operand::Var(var) => {
                let truth = self.data(*var)?.as_bool();
                truth.ok_or_else(|| self.wrong_kind(*var, "a truth value"))
            }
            Operand::Int(_) | Operand::Str(_) => {
                Err(internal_error("a constant that is not a truth value"))
            }
        }
    }

    pub(super) fn text(&self, operand: &Operand) -> Exec<Arc<str>> {
        match operand {
            Operand::Str(text) => Ok(text.clone()),
            Operand::Var(var) => {
                let text = self.data(*var)?.as_text();
                text.cloned().ok_or_else(|| self.wrong_kind(*var, "a text"))
            }
            Operand::Int(_) | Operand::Bool(_) => Err(internal_error(
                "a constant that is not a \
                text",
            )),
        }
    }

    /// Returns the components of a slice or word.
    pub(super) fn bits(&self, var: VarId) -> Exec<&[bool]> {
        let bits = self.data(var)?.as_bits();
        bits.ok_or_else(|| self.wrong_kind(var, "a slice or word"))
    }

    pub(super) fn table(&self, var: VarId) -> Exec<&Table> {
        self.data(var)?.as_table().ok_or_else(|| self.wrong_kind(var, "a table"))
    }

    pub(super) fn handle(&self, var: VarId) -> Exec<&Handle> {
        self.data(var)?.as_handle().ok_or_else(|| self.wrong_kind(var, "a handle"))
    }

    /// Returns a size; `None` if the measured variable has no known size.
    pub(super) fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>> {
        match measure {
            SizeOperand::Value(operand) => {
                let number = self.int(operand)?;
                u64::try_from(number)
                    .map(Some)
                    .map_err(|_| internal_error(format!("a size of {number}")))
            }
            SizeOperand::Length(var) => {
                let set = self.if_set(*var, |frame| Ok(frame.bits(*var)?.len()))?;
                Ok(set.or(self.slot(*var)?.size.map(|size| size as u64)))
            }
            SizeOperand::Rows(var) => self.if_set(*var, |frame| Ok(frame.table(*var)?.rows)),
            SizeOperand::Columns(var) => {
                self.if_set(*var, |frame| Ok(frame.table(*var)?.columns.len()))
            }
        }
    }

    /// Returns a known size.
    pub(super) fn size(&self, measure: &SizeOperand) -> Exec<usize> {
        let size = self.measure(measure)?;
        let size = size.ok_or_else(|| internal_error("an unknown size"))?;
        usize::try_from(size).map_err(|_| internal_error(format!("a size of {size}")))
    }

    fn if_set(&self, var: VarId, size: impl FnOnce(&Self) -> Exec<usize>) -> Exec<Option<u64>> {
        match self.slot(var)?.data {
            Some(_) => Ok(Some(size(self)? as u64)),
            None => Ok(None),
        }
    }

    /// Stores a value in the variable.
    pub(super) fn store(
        &mut self,
        budget: &mut MemoryBudget<'_>,
        var: VarId,
        data: Data,
    ) -> Exec<()> {
        self.accepts(var, &data)?;
        self.put(budget, var, data)
    }

    /// Stores an argument in its parameter. Its sizes may differ from its extents: the header
    /// checks them first.
    pub(super) fn store_argument(
        &mut self,
        budget: &mut MemoryBudget<'_>,
        var: VarId,
        data: Data,
    ) -> Exec<()> {
        self.is_of_kind(var, &data)?;
        self.put(budget, var, data)
    }

    fn put(&mut self, budget: &mut MemoryBudget<'_>, var: VarId, data: Data) -> Exec<()> {
        let slot = self.slot_mut(var)?;
        budget.release(slot.bytes());
        budget.commit(data.bytes());
        slot.data = Some(data);
        Ok(())
    }

    /// Adds rows to a table without columns. It may have fewer columns than its extents say: a
    /// header adds them next, and checks them.
    pub(super) fn table_without_columns(
        &mut self,
        budget: &mut MemoryBudget<'_>,
        var: VarId,
        rows: usize,
    ) -> Exec<()> {
        if !matches!(self.ty(var)?, Ty::Table(..)) {
            return Err(self.wrong_kind(var, "a table"));
        }
        let data = Data::Table(Table { rows, columns: Vec::new() });
        budget.commit(data.bytes());
        self.slot_mut(var)?.data = Some(data);
        Ok(())
    }

    /// Unsets the variable and forgets its size.
    pub(super) fn unset(&mut self, budget: &mut MemoryBudget<'_>, var: VarId) -> Exec<()> {
        let slot = self.slot_mut(var)?;
        budget.release(slot.bytes());
        slot.data = None;
        slot.size = None;
        Ok(())
    }

    /// Checks that the value has the variable's kind and size.
    pub(super) fn accepts(&self, var: VarId, data: &Data) -> Exec<()> {
        self.is_of_kind(var, data)?;
        if self.other_size(var, data).is_some() {
            let name = self.name(var);
            return Err(internal_error(format!(
                "cannot store a value of another size in `{name}`"
            )));
        }
        Ok(())
    }

    /// Checks that the value has the variable's kind.
    pub(super) fn is_of_kind(&self, var: VarId, data: &Data) -> Exec<()> {
        if self.ty(var)?.same_kind(data.ty()) {
            Ok(())
        } else {
            Err(self.wrong_kind(var, "the stored value"))
        }
    }

    /// Returns the sizes of the value and of the variable's extents where they differ.
    pub(super) fn other_size(&self, var: VarId, data: &Data) -> Option<TrapKind> {
        match data {
            Data::Slice(bits) | Data::Word(bits) => self.other_length(var, bits.len()),
            Data::Table(table) => {
                let Ty::Table(rows, columns) = self.ty(var).ok()? else { return None };
                let other_rows = self.differs(SizeOperand::Rows(var), rows, table.rows);
                other_rows.or_else(|| {
                    self.differs(SizeOperand::Columns(var), columns, table.columns.len())
                })
            }
            Data::Int(_) | Data::Bool(_) | Data::Str(_) | Data::Handle(_) => None,
        }
    }

    /// Returns the number of components and the extent of the slice or word where they differ.
    pub(super) fn other_length(&self, var: VarId, n: usize) -> Option<TrapKind> {
        match self.ty(var).ok()? {
            Ty::Slice(extent) | Ty::Word(extent) => {
                self.differs(SizeOperand::Length(var), extent, n)
            }
            Ty::Int | Ty::Bool | Ty::Str | Ty::Table(..) | Ty::Handle => None,
        }
    }

    fn differs(&self, measure: SizeOperand, extent: Extent, n: usize) -> Option<TrapKind> {
        let wanted = match extent {
            Extent::Const(size) => size,
            Extent::Var(size) => {
                u64::try_from(self.slot(size).ok()?.data.as_ref()?.as_int()?).ok()?
            }
            Extent::Dynamic => return None,
        };
        let names = Names { routine: self.routine, place: self.place };
        (wanted != n as u64).then_some(TrapKind::Size {
            left: (NamedSize::of(&measure, names), n as u64),
            right: (NamedSize::Number, wanted),
        })
    }

    /// Changes a table in place; the other variables may be read meanwhile.
    pub(super) fn change_table(
        &mut self,
        var: VarId,
        change: impl FnOnce(&mut Table, &Self) -> Exec<()>,
    ) -> Exec<()> {
        self.table(var)?;
        let mut data = self.slot_mut(var)?.data.take();
        let changed = match data.as_mut().and_then(Data::as_table_mut) {
            Some(table) => change(table, self),
            None => Err(internal_error("a missing table")),
        };
        self.slot_mut(var)?.data = data;
        changed
    }

    /// Changes a slice or word in place; the other variables may be read meanwhile.
    pub(super) fn change_bits(
        &mut self,
        var: VarId,
        change: impl FnOnce(&mut [bool], &Self) -> Exec<()>,
    ) -> Exec<()> {
        self.bits(var)?;
        let mut data = self.slot_mut(var)?.data.take();
        let changed = match data.as_mut().and_then(Data::as_bits_mut) {
            Some(bits) => change(bits, self),
            None => Err(internal_error("missing bits")),
        };
        self.slot_mut(var)?.data = data;
        changed
    }

    fn wrong_kind(&self, var: VarId, wanted: &str) -> crate::interrupt::Stop {
        internal_error(format!("`{}` is not {wanted}", self.name(var)))
    }
}

fn no_variable(var: VarId) -> crate::interrupt::Stop {
    internal_error(format!("unknown variable number {}", var.0))
}

impl GuardContext for Frame<'_> {
    fn names(&self) -> Exec<Names<'_>> {
        Ok(Names { routine: self.routine, place: self.place })
    }

    fn int(&self, operand: &Operand) -> Exec<i64> {
        self.int(operand)
    }

    fn boolean(&self, operand: &Operand) -> Exec<bool> {
        self.boolean(operand)
    }

    fn text(&self, operand: &Operand) -> Exec<Arc<str>> {
        self.text(operand)
    }

    fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>> {
        self.measure(measure)
    }

    fn is_table(&self, var: VarId) -> Exec<bool> {
        Ok(matches!(self.ty(var)?, Ty::Table(..)))
    }

    fn is_set(&self, var: VarId) -> Exec<bool> {
        Ok(self.slot(var)?.data.is_some())
    }

    fn is_sized(&self, var: VarId) -> Exec<bool> {
        let slot = self.slot(var)?;
        Ok(slot.data.is_some() || slot.size.is_some())
    }

    fn is_fixed(&self, var: VarId) -> Exec<bool> {
        Ok(self.slot(var)?.fixed)
    }

    fn has_part(&self, handle: VarId, part: &HandlePart) -> Exec<bool> {
        match self.slot(handle)?.data {
            Some(_) => Ok(self.handle(handle)?.part(part).is_some()),
            None => Ok(false),
        }
    }

    fn length(&self, bits: VarId) -> Exec<u64> {
        Ok(self.bits(bits)?.len() as u64)
    }

    fn fits_int(&self, word: VarId) -> Exec<bool> {
        Ok(words::fits_int(self.bits(word)?))
    }

    fn carries(&self, op: IntOp, left: VarId, right: VarId) -> Exec<bool> {
        let (v, w) = (self.bits(left)?, self.bits(right)?);
        match op {
            IntOp::Add => words::add_carries(v, w),
            IntOp::Sub => words::sub_borrows(v, w),
            IntOp::Mul | IntOp::Div | IntOp::Mod => {
                Err(internal_error("a carry of another operation"))
            }
        }
    }
}
