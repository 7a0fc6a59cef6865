//! The variables of a routine that has stopped, as guards and the host read them.

use std::collections::BTreeMap;
use std::sync::Arc;

use star_ir::{
    Extent, HandlePart, IntOp, LocId, NamedSize, Names, Operand, Program, RoutineId, SizeOperand,
    TrapKind, Ty, VarId,
};
use star_value::{BitVector, Value as HostValue};
use star_vm::checks::GuardContext;
use star_vm::interrupt::{Exec, internal_error};

/// A variable.
pub(crate) struct Seen {
    pub(crate) value: HostValue,
    /// The number of components of a slice or word that was never set, if it is known.
    pub(crate) size: Option<u64>,
    pub(crate) fixed: bool,
    /// The parts of a handle.
    pub(crate) parts: Vec<HandlePart>,
}

/// Variables of a routine.
pub(crate) struct StoppedFrame {
    pub(crate) program: Arc<Program>,
    pub(crate) routine: RoutineId,
    /// The location at which it has stopped.
    pub(crate) loc: LocId,
    pub(crate) seen: BTreeMap<VarId, Seen>,
}

impl StoppedFrame {
    fn of(&self, var: VarId) -> Exec<&Seen> {
        self.seen
            .get(&var)
            .ok_or_else(|| internal_error(format!("variable {} was not examined", var.0)))
    }

    /// Returns the value of an operand.
    pub(crate) fn operand(&self, operand: &Operand) -> HostValue {
        match operand {
            Operand::Var(var) => {
                self.seen.get(var).map_or(HostValue::Unset, |seen| seen.value.clone())
            }
            Operand::Int(number) => HostValue::Int(*number),
            Operand::Bool(truth) => HostValue::Bool(*truth),
            Operand::Str(text) => HostValue::Str(text.to_string()),
        }
    }

    /// Returns the text of an operand.
    pub(crate) fn text_of(&self, operand: &Operand) -> Exec<String> {
        match self.operand(operand) {
            HostValue::Str(text) => Ok(text),
            HostValue::Unset
            | HostValue::Int(_)
            | HostValue::Bool(_)
            | HostValue::Slice(_)
            | HostValue::Word(_)
            | HostValue::Table(_) => Err(internal_error("not a text")),
        }
    }

    fn all_names(&self) -> Names<'_> {
        let routine = self.program.routine(self.routine);
        Names { routine, place: self.program.locations.get(self.loc) }
    }

    fn bits(&self, var: VarId) -> Exec<&BitVector> {
        match &self.of(var)?.value {
            HostValue::Slice(bits) | HostValue::Word(bits) => Ok(bits),
            HostValue::Unset
            | HostValue::Int(_)
            | HostValue::Bool(_)
            | HostValue::Str(_)
            | HostValue::Table(_) => Err(internal_error("not a slice or word")),
        }
    }

    /// Returns the sizes of a variable returned by a call where they differ from its extents.
    pub(crate) fn other_size(&self, var: VarId) -> Option<TrapKind> {
        let routine = self.program.routine(self.routine);
        let ty = routine.var(var).ty;
        let measures: &[SizeOperand] = match ty {
            Ty::Slice(_) | Ty::Word(_) => &[SizeOperand::Length(var)],
            Ty::Table(..) => &[SizeOperand::Rows(var), SizeOperand::Columns(var)],
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => &[],
        };
        measures.iter().zip(ty.extents()).find_map(|(measure, extent)| {
            let n = self.measure(measure).ok()??;
            let wanted = match extent {
                Extent::Const(size) => size,
                Extent::Var(size) => u64::try_from(self.int(&Operand::Var(size)).ok()?).ok()?,
                Extent::Dynamic => return None,
            };
            (wanted != n).then(|| TrapKind::Size {
                left: (NamedSize::of(measure, self.all_names()), n),
                right: (NamedSize::Number, wanted),
            })
        })
    }
}

impl GuardContext for StoppedFrame {
    fn names(&self) -> Exec<Names<'_>> {
        Ok(self.all_names())
    }

    fn int(&self, operand: &Operand) -> Exec<i64> {
        match self.operand(operand) {
            HostValue::Int(number) => Ok(number),
            HostValue::Unset
            | HostValue::Bool(_)
            | HostValue::Str(_)
            | HostValue::Slice(_)
            | HostValue::Word(_)
            | HostValue::Table(_) => Err(internal_error("not an integer")),
        }
    }

    fn boolean(&self, operand: &Operand) -> Exec<bool> {
        match self.operand(operand) {
            HostValue::Bool(truth) => Ok(truth),
            HostValue::Unset
            | HostValue::Int(_)
            | HostValue::Str(_)
            | HostValue::Slice(_)
            | HostValue::Word(_)
            | HostValue::Table(_) => Err(internal_error("not a truth value")),
        }
    }

    fn text(&self, operand: &Operand) -> Exec<Arc<str>> {
        self.text_of(operand).map(Into::into)
    }

    fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>> {
        Ok(match measure {
            SizeOperand::Value(operand) => {
                let number = self.int(operand)?;
                Some(
                    u64::try_from(number)
                        .map_err(|_| internal_error(format!("a size of {number}")))?,
                )
            }
            SizeOperand::Length(var) => match &self.of(*var)?.value {
                HostValue::Slice(bits) | HostValue::Word(bits) => Some(bits.len() as u64),
                HostValue::Unset
                | HostValue::Int(_)
                | HostValue::Bool(_)
                | HostValue::Str(_)
                | HostValue::Table(_) => self.of(*var)?.size,
            },
            SizeOperand::Rows(var) | SizeOperand::Columns(var) => match &self.of(*var)?.value {
                HostValue::Table(table) => Some(match measure {
                    SizeOperand::Rows(_) => table.n_rows() as u64,
                    SizeOperand::Columns(_) | SizeOperand::Length(_) | SizeOperand::Value(_) => {
                        table.n_cols() as u64
                    }
                }),
                HostValue::Unset
                | HostValue::Int(_)
                | HostValue::Bool(_)
                | HostValue::Str(_)
                | HostValue::Slice(_)
                | HostValue::Word(_) => None,
            },
        })
    }

    fn is_table(&self, var: VarId) -> Exec<bool> {
        Ok(matches!(self.program.routine(self.routine).var(var).ty, Ty::Table(..)))
    }

    fn is_set(&self, var: VarId) -> Exec<bool> {
        let seen = self.of(var)?;
        Ok(seen.value != HostValue::Unset || !seen.parts.is_empty())
    }

    fn is_sized(&self, var: VarId) -> Exec<bool> {
        Ok(self.is_set(var)? || self.of(var)?.size.is_some())
    }

    fn is_fixed(&self, var: VarId) -> Exec<bool> {
        Ok(self.of(var)?.fixed)
    }

    fn length(&self, bits: VarId) -> Exec<u64> {
        Ok(self.bits(bits)?.len() as u64)
    }

    fn fits_int(&self, word: VarId) -> Exec<bool> {
        let bits = self.bits(word)?;
        Ok((0..bits.len().saturating_sub(63)).all(|idx| !bits.get(idx)))
    }

    fn has_part(&self, handle: VarId, part: &HandlePart) -> Exec<bool> {
        Ok(self.of(handle)?.parts.contains(part))
    }

    fn carries(&self, op: IntOp, left: VarId, right: VarId) -> Exec<bool> {
        let (v, w) = (self.bits(left)?, self.bits(right)?);
        let mut carry = false;
        for idx in (0..v.len().min(w.len())).rev() {
            let (x, y) = (v.get(idx), w.get(idx));
            carry = match op {
                IntOp::Add => (x && y) || (carry && (x || y)),
                IntOp::Sub => (!x && (y || carry)) || (y && carry),
                IntOp::Mul | IntOp::Div | IntOp::Mod => {
                    return Err(internal_error("a carry of another operation"));
                }
            };
        }
        Ok(carry)
    }
}
