//! What an intrinsic sees of the run: its arguments, memory, and where its results go.
//!
//! Note [Reservations]. An intrinsic reserves all its memory before its first write; a refusal means that the Star body
//! runs. Memory of its own it reserves by the byte ([`IntrinsicCall::reserve`]), that of a result with its kind
//! (`reserve_bits`, `reserve_table`, `own`, `own_state`). What it then puts into a variable comes out of what it has
//! reserved; the rest is given back when it ends. Putting a result without having reserved it, reserving after a write,
//! and declining after one are faults of the intrinsic, which end the run as such.
//!
//! Here are the call itself, integers, truth values, texts, slices and words; `tables` and `state` have the others.

mod state;
mod tables;

use star_base::BitVector;
use star_intrinsics::{Ended, Environment};
use star_ir::LimitKind;

use super::CpuIntrinsic;
use crate::cpu::form::bytes_of;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Passing, Reg, RegRef};
use crate::interrupt::{Exec, Stop, internal_error};

pub use state::HandlePart;

/// What becomes of an intrinsic: all that its routine does, or nothing.
pub type IntrinsicResult<T = ()> = Result<T, NotTaken>;

/// The intrinsic has not done what its routine does.
#[derive(Debug)]
pub struct NotTaken(Reason);

#[derive(Debug)]
enum Reason {
    /// It has done nothing: the Star body runs instead.
    Declined,
    /// The user or the clock wants the end of the run.
    Interrupted,
    /// The run ends.
    Stop(Stop),
}

impl NotTaken {
    /// The intrinsic leaves these arguments to the Star body.
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
            Stop::Limit(_) | Stop::Trap(_) | Stop::Internal(_) => Reason::Stop(stop),
        })
    }
}

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A `var` parameter, from 0.
    Param(usize),
    /// The function's value.
    Value,
}

impl From<usize> for Target {
    fn from(param: usize) -> Self {
        Target::Param(param)
    }
}

/// An intrinsic that is running. Parameters count from 0.
pub struct IntrinsicCall<'a, 'p, 'c, 'h> {
    interpreter: &'a mut Interpreter<'p, 'c, 'h>,
    module: &'static str,
    /// Bytes that it has reserved and not used.
    reserved: u64,
    has_written: bool,
}

/// Runs an intrinsic whose preconditions hold; false if the Star body has to run.
pub(super) fn run(
    interpreter: &mut Interpreter<'_, '_, '_>,
    candidate: CpuIntrinsic,
) -> Exec<bool> {
    let module = candidate.intrinsic.signature().module;
    let mut call = IntrinsicCall { interpreter, module, reserved: 0, has_written: false };
    let result = (candidate.run)(&mut call);
    let IntrinsicCall { interpreter, reserved, has_written, .. } = call;
    interpreter.budget.release(reserved);
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
    /// Polls, threads and kernels for the algorithm.
    pub fn environment(&self) -> impl Environment + use<'h> {
        self.interpreter.parallelism.clone()
    }

    /// Bytes that may be reserved.
    pub fn available(&self) -> u64 {
        self.interpreter.budget.available()
    }

    /// Bytes of a closure of components that is made.
    pub fn most_closed_bytes(&self) -> u64 {
        self.interpreter.parallelism.settings.most_closed_bytes
    }

    /// Reserves memory, beside what is reserved already.
    ///
    /// # Errors
    /// If there is not so much: the Star body runs.
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

    /// Reserves memory that it can do without; false if there is not so much.
    ///
    /// # Errors
    /// If it has written.
    pub fn reserve_if_free(&mut self, n_bytes: u64) -> IntrinsicResult<bool> {
        if self.interpreter.budget.available() < n_bytes {
            return Ok(false);
        }
        self.reserve(n_bytes).map(|()| true)
    }

    /// Bytes that are reserved become free for a value, which counts them itself.
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

    /// Where a result goes: value parameters are lent by the caller and stay as they are.
    fn result_place(&self, target: Target) -> Exec<RegRef> {
        if let Target::Param(idx) = target
            && let Some((_, Passing::Copied | Passing::Lent)) =
                self.interpreter.routine()?.params.get(idx)
        {
            return Err(internal_error(format!(
                "an intrinsic writes {target:?}, which is a value"
            )));
        }
        self.place(target)
    }

    fn other_kind(target: Target) -> Stop {
        internal_error(format!("an intrinsic whose {target:?} is of another kind"))
    }

    /// The value of an integer parameter.
    ///
    /// # Errors
    /// If it is none.
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

    /// The value of an integer parameter as a size.
    ///
    /// # Errors
    /// If it is none; the Star body runs if it is negative.
    pub fn size(&self, idx: usize) -> IntrinsicResult<usize> {
        usize::try_from(self.int(idx)?).map_err(|_| NotTaken::declined())
    }

    /// The value of an integer parameter, which counts from 1, as an index from 0.
    ///
    /// # Errors
    /// If it is none; the Star body runs if it is not positive.
    pub fn index(&self, idx: usize) -> IntrinsicResult<usize> {
        self.size(idx)?.checked_sub(1).ok_or_else(NotTaken::declined)
    }

    /// The value of a boolean parameter.
    ///
    /// # Errors
    /// If it is none.
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

    /// The value of a string parameter.
    ///
    /// # Errors
    /// If it is none.
    pub fn text(&self, idx: usize) -> IntrinsicResult<&str> {
        let target = Target::Param(idx);
        let reg = self.place(target)?.text().ok_or_else(|| Self::other_kind(target))?;
        let text = &self.interpreter.texts[self.interpreter.base.texts + reg as usize];
        Ok(text.as_deref().ok_or_else(|| internal_error("a text that was never set"))?)
    }

    /// The bits of a slice or word.
    ///
    /// # Errors
    /// If the parameter is none.
    pub fn bits(&self, idx: usize) -> IntrinsicResult<&BitVector> {
        let target = Target::Param(idx);
        let reg = self.place(target)?.bits().ok_or_else(|| Self::other_kind(target))?;
        Ok(self.interpreter.bits(reg))
    }

    fn bits_result(&self, target: Target) -> Exec<Reg> {
        self.result_place(target)?.bits().ok_or_else(|| Self::other_kind(target))
    }

    /// An integer takes a value.
    ///
    /// # Errors
    /// If the target is none.
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

    /// A boolean takes a value.
    ///
    /// # Errors
    /// If the target is none.
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
    /// If the target is none. The Star body runs if there is no memory, or if the target keeps another size.
    pub fn reserve_bits(
        &mut self,
        target: impl Into<Target>,
        len: usize,
    ) -> IntrinsicResult<BitVector> {
        let slot = self.interpreter.bits_slot(self.bits_result(target.into())?);
        let length = if slot.is_set { Some(slot.bits.len()) } else { slot.size };
        if slot.fixed && length != Some(len) {
            return Err(NotTaken::declined());
        }
        self.reserve(bytes_of(len))?;
        BitVector::try_zeros(len).map_err(|_| NotTaken::declined())
    }

    /// A slice or word takes bits that were reserved for it.
    ///
    /// # Errors
    /// If the target is none.
    pub fn put_bits(&mut self, target: impl Into<Target>, bits: BitVector) -> IntrinsicResult {
        let reg = self.bits_result(target.into())?;
        self.spend(bytes_of(bits.len()))?;
        self.has_written = true;
        self.interpreter.put_new_bits(reg, bits);
        Ok(())
    }

    /// Changes a slice or word in place: `change` gets its limbs. Bits past its end stay zero. Meanwhile the parameter
    /// holds nothing.
    ///
    /// # Errors
    /// Those of `change`; if the parameter is none.
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
