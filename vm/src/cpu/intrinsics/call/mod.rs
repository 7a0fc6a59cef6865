//! The interface of an intrinsic to the run: arguments, memory and results.
//!
//! Note [Reservations]. An intrinsic reserves all its memory before its first write; if memory is
//! refused, the Star body runs. It reserves working memory in bytes ([`IntrinsicCall::reserve`]),
//! and the memory of a result by its kind (`reserve_bits`, `reserve_table`, `own`, `own_state`).
//! Values stored in variables use up the reservation; the rest is released at the end. Storing a
//! result without a reservation, reserving after a write, and declining after a write are faults of
//! the intrinsic; each ends the run with an internal error.
//!
//! This module contains the call itself, integers, truth values, texts, slices and words; `tables`
//! and `state` contain the rest.

mod peers;
mod state;
mod tables;

use std::rc::Rc;

use star_intrinsics::{Ended, Environment};
use star_ir::LimitKind;
use star_value::BitVector;

use super::CpuIntrinsic;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Passing, Reg, RegRef};
use crate::cpu::table::form::bytes_of;
use crate::interrupt::{Exec, Stop, internal_error};

pub(super) use peers::{Ranks, together};
pub use state::HandlePart;

/// Result of an intrinsic: it has done either everything that its routine does, or nothing.
pub type IntrinsicResult<T = ()> = Result<T, NotTaken>;

/// The intrinsic has not replaced its routine.
#[derive(Debug)]
pub struct NotTaken(Reason);

#[derive(Debug)]
enum Reason {
    /// It has changed nothing: the Star body runs instead.
    Declined,
    /// The user or the deadline ends the run.
    Interrupted,
    /// The run ends.
    Stop(Stop),
}

impl NotTaken {
    /// Leaves these arguments to the Star body.
    pub fn declined() -> Self {
        NotTaken(Reason::Declined)
    }
}

impl From<Ended> for NotTaken {
    fn from(ended: Ended) -> Self {
        NotTaken(match ended {
            Ended::Interrupted => Reason::Interrupted,
            Ended::OutOfMemory => Reason::Declined,
            Ended::Internal(why) => Reason::Stop(internal_error(why)),
        })
    }
}

impl From<Stop> for NotTaken {
    fn from(stop: Stop) -> Self {
        NotTaken(match stop {
            Stop::Limit(LimitKind::Memory { .. }) => Reason::Declined,
            Stop::Limit(_)
            | Stop::Trap(_)
            | Stop::Unsupported(_)
            | Stop::Lost(_)
            | Stop::Internal(_) => Reason::Stop(stop),
        })
    }
}

/// Destination of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A `var` parameter, zero-based.
    Param(usize),
    /// The function's value.
    Value,
}

impl From<usize> for Target {
    fn from(param: usize) -> Self {
        Target::Param(param)
    }
}

/// A running intrinsic. Parameters count from 0.
pub struct IntrinsicCall<'a, 'p, 'c, 'h> {
    interpreter: &'a mut Interpreter<'p, 'c, 'h>,
    module: &'static str,
    /// Reserved bytes that are still unused.
    reserved: u64,
    has_written: bool,
    /// The exchanges with other ranks.
    counts: Rc<peers::Counts>,
}

/// Runs an intrinsic whose preconditions hold; returns false if the Star body must run.
pub(super) fn run(
    interpreter: &mut Interpreter<'_, '_, '_>,
    candidate: CpuIntrinsic,
) -> Exec<bool> {
    let module = candidate.intrinsic.signature().module;
    let counts = Rc::default();
    let mut call = IntrinsicCall { interpreter, module, reserved: 0, has_written: false, counts };
    let result = (candidate.run)(&mut call);
    let IntrinsicCall { interpreter, reserved, has_written, counts, .. } = call;
    interpreter.budget.release(reserved);
    interpreter.paths.exchanges += counts.exchanges.get();
    interpreter.paths.exchanged_bytes += 8 * counts.limbs.get();
    if let Some(lost) = counts.lost.take() {
        return Err(Stop::Lost(lost.why));
    }
    match result {
        Ok(()) => Ok(true),
        Err(NotTaken(Reason::Declined)) if has_written => Err(internal_error(format!(
            "the intrinsic `{}` declines after a write",
            candidate.intrinsic
        ))),
        Err(NotTaken(Reason::Declined)) => Ok(false),
        Err(NotTaken(Reason::Interrupted)) => Err(interpreter.interrupted()),
        Err(NotTaken(Reason::Stop(stop))) => Err(stop),
    }
}

impl<'h> IntrinsicCall<'_, '_, '_, 'h> {
    /// Returns polls, threads and kernels for the algorithm.
    pub fn environment(&self) -> impl Environment + use<'h> {
        self.interpreter.parallelism.clone()
    }

    /// Returns the number of bytes that can be reserved.
    pub fn available(&self) -> u64 {
        self.interpreter.budget.available()
    }

    /// Returns the maximum number of bytes of an explicit closure of components.
    pub fn most_closed_bytes(&self) -> u64 {
        self.interpreter.parallelism.settings.most_closed_bytes
    }

    /// Reserves further memory.
    ///
    /// # Errors
    /// If memory is refused: the Star body runs.
    pub fn reserve(&mut self, n_bytes: u64) -> IntrinsicResult {
        if self.has_written {
            return Err(internal_error("an intrinsic reserves memory after a write").into());
        }
        if self.interpreter.budget.available() < n_bytes {
            return Err(NotTaken::declined());
        }
        self.interpreter.budget.commit(n_bytes);
        self.reserved = self.reserved.saturating_add(n_bytes);
        Ok(())
    }

    /// Reserves optional memory; false if it is refused.
    ///
    /// # Errors
    /// If the intrinsic has already written.
    pub fn reserve_if_free(&mut self, n_bytes: u64) -> IntrinsicResult<bool> {
        if self.interpreter.budget.available() < n_bytes {
            return Ok(false);
        }
        self.reserve(n_bytes).map(|()| true)
    }

    /// Releases reserved bytes for a value, which then counts them.
    fn spend(&mut self, n_bytes: u64) -> Exec<()> {
        let left = self.reserved.checked_sub(n_bytes);
        self.reserved =
            left.ok_or_else(|| internal_error("an intrinsic writes more than it has reserved"))?;
        self.interpreter.budget.release(n_bytes);
        Ok(())
    }

    fn place(&self, target: Target) -> Exec<RegRef> {
        let routine = self.interpreter.routine()?;
        let place = match target {
            Target::Param(idx) => routine.params.get(idx).map(|(place, _)| *place),
            Target::Value => routine.result,
        };
        place.ok_or_else(|| internal_error(format!("an intrinsic without {target:?}")))
    }

    /// Returns the register of a result. Value parameters are lent by the caller and must not
    /// change.
    fn result_place(&self, target: Target) -> Exec<RegRef> {
        if let Target::Param(idx) = target
            && let Some((_, Passing::Copied | Passing::Lent)) =
                self.interpreter.routine()?.params.get(idx)
        {
            return Err(internal_error(format!(
                "an intrinsic writes {target:?}, which is passed by value"
            )));
        }
        self.place(target)
    }

    fn other_kind(target: Target) -> Stop {
        internal_error(format!("an intrinsic whose {target:?} is of another kind"))
    }

    /// Returns the value of an integer parameter.
    ///
    /// # Errors
    /// If the parameter is not an integer.
    pub fn int(&self, idx: usize) -> IntrinsicResult<i64> {
        let target = Target::Param(idx);
        match self.place(target)? {
            RegRef::Int(reg) => Ok(self.interpreter.number(Number(reg))),
            RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => Err(Self::other_kind(target).into()),
        }
    }

    /// Returns the value of an integer parameter as a size.
    ///
    /// # Errors
    /// If the parameter is not an integer; the Star body runs if it is negative.
    pub fn size(&self, idx: usize) -> IntrinsicResult<usize> {
        usize::try_from(self.int(idx)?).map_err(|_| NotTaken::declined())
    }

    /// Returns the value of an integer parameter, which counts from 1, as a zero-based index.
    ///
    /// # Errors
    /// If the parameter is not an integer; the Star body runs if it is not positive.
    pub fn index(&self, idx: usize) -> IntrinsicResult<usize> {
        self.size(idx)?.checked_sub(1).ok_or_else(NotTaken::declined)
    }

    /// Returns the value of a boolean parameter.
    ///
    /// # Errors
    /// If the parameter is not a boolean.
    pub fn truth(&self, idx: usize) -> IntrinsicResult<bool> {
        let target = Target::Param(idx);
        match self.place(target)? {
            RegRef::Bool(reg) => Ok(self.interpreter.number(Number(reg)) != 0),
            RegRef::Int(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => Err(Self::other_kind(target).into()),
        }
    }

    /// Returns the value of a string parameter.
    ///
    /// # Errors
    /// If the parameter is not a string.
    pub fn text(&self, idx: usize) -> IntrinsicResult<&str> {
        let target = Target::Param(idx);
        let reg = self.place(target)?.text().ok_or_else(|| Self::other_kind(target))?;
        let text = &self.interpreter.texts[self.interpreter.base.texts + reg as usize];
        Ok(text.as_deref().ok_or_else(|| internal_error("a text that was never set"))?)
    }

    /// Returns the bits of a slice or word.
    ///
    /// # Errors
    /// If the parameter is neither.
    pub fn bits(&self, idx: usize) -> IntrinsicResult<&BitVector> {
        let target = Target::Param(idx);
        let reg = self.place(target)?.bits().ok_or_else(|| Self::other_kind(target))?;
        Ok(self.interpreter.bits(reg))
    }

    fn bits_result(&self, target: Target) -> Exec<Reg> {
        self.result_place(target)?.bits().ok_or_else(|| Self::other_kind(target))
    }

    /// Stores an integer.
    ///
    /// # Errors
    /// If the target is not an integer.
    pub fn put_int(&mut self, target: impl Into<Target>, value: i64) -> IntrinsicResult {
        let target = target.into();
        match self.result_place(target)? {
            RegRef::Int(reg) => self.put_number(reg, value),
            RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => return Err(Self::other_kind(target).into()),
        }
        Ok(())
    }

    /// Stores a boolean.
    ///
    /// # Errors
    /// If the target is not a boolean.
    pub fn put_truth(&mut self, target: impl Into<Target>, value: bool) -> IntrinsicResult {
        let target = target.into();
        match self.result_place(target)? {
            RegRef::Bool(reg) => self.put_number(reg, i64::from(value)),
            RegRef::Int(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => return Err(Self::other_kind(target).into()),
        }
        Ok(())
    }

    fn put_number(&mut self, reg: Reg, value: i64) {
        self.has_written = true;
        self.interpreter.set(reg, value);
    }

    /// Reserves zeros for [`IntrinsicCall::put_bits`]: a slice or word of `len` components.
    ///
    /// # Errors
    /// If the target is neither. The Star body runs if there is no memory, or if the target has
    /// another fixed size.
    pub fn reserve_bits(
        &mut self,
        target: impl Into<Target>,
        len: usize,
    ) -> IntrinsicResult<BitVector> {
        self.reserve_some(target.into(), len, 0)
    }

    /// Does the same for a slice with as many components as a table has rows, of which the table,
    /// and so the slice, may be the part of this rank.
    ///
    /// # Errors
    /// As above, and if the parameter `table` is not a table.
    pub fn reserve_part(
        &mut self,
        target: impl Into<Target>,
        table: usize,
    ) -> IntrinsicResult<BitVector> {
        let (n_rows, elsewhere) = self.rows_here_and_elsewhere(table)?;
        self.reserve_some(target.into(), n_rows, elsewhere)
    }

    fn reserve_some(
        &mut self,
        target: Target,
        len: usize,
        elsewhere: usize,
    ) -> IntrinsicResult<BitVector> {
        let slot = self.interpreter.bits_slot(self.bits_result(target)?);
        let length = if slot.is_set { Some(slot.bits.len() + slot.elsewhere) } else { slot.size };
        // A slice that was never set may still lack its size.
        if slot.fixed && length.is_some_and(|length| length != len + elsewhere) {
            return Err(NotTaken::declined());
        }
        self.reserve(bytes_of(len))?;
        BitVector::try_zeros(len).map_err(|_| NotTaken::declined())
    }

    /// Stores reserved bits in a slice or word.
    ///
    /// # Errors
    /// If the target is neither.
    pub fn put_bits(&mut self, target: impl Into<Target>, bits: BitVector) -> IntrinsicResult {
        self.put_some(target.into(), bits, 0)
    }

    /// Stores bits that [`IntrinsicCall::reserve_part`] reserved with the same table.
    ///
    /// # Errors
    /// If the target is not a slice, or the parameter `table` not a table.
    pub fn put_part(
        &mut self,
        target: impl Into<Target>,
        bits: BitVector,
        table: usize,
    ) -> IntrinsicResult {
        let (_, elsewhere) = self.rows_here_and_elsewhere(table)?;
        self.put_some(target.into(), bits, elsewhere)
    }

    fn put_some(&mut self, target: Target, bits: BitVector, elsewhere: usize) -> IntrinsicResult {
        let reg = self.bits_result(target)?;
        self.spend(bytes_of(bits.len()))?;
        self.has_written = true;
        self.interpreter.put_new_bits(reg, bits);
        self.interpreter.bits_slot_mut(reg).elsewhere = elsewhere;
        Ok(())
    }

    /// Changes a slice or word in place: `change` gets its limbs. Bits past its end stay zero.
    /// Meanwhile the parameter is empty.
    ///
    /// # Errors
    /// Those of `change`; if the parameter is neither a slice nor a word.
    pub fn change_bits<R>(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut [u64], &mut Self) -> IntrinsicResult<R>,
    ) -> IntrinsicResult<R> {
        let reg = self.bits_result(Target::Param(idx))?;
        let lent = self.interpreter.bits_slot_mut(reg).take();
        let mut lent = lent.ok_or_else(|| internal_error("bits that were never set"))?;
        self.has_written = true;
        let done = change(lent.limbs_mut(), self);
        self.interpreter.bits_slot_mut(reg).put(lent);
        done
    }
}
