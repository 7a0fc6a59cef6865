//! Words as numbers.

use std::cmp::Ordering;

use super::code::{Number, Reg, Size};
use super::machine::Machine;
use crate::scalars;
use crate::stop::{Step, broken};

impl Machine<'_, '_, '_> {
    pub(super) fn add_words(&mut self, dst: Reg, left: Reg, right: Reg, adds: bool) -> Step<()> {
        let len = self.same_length(left, right)?;
        self.make(dst, len, dst == left || dst == right, |machine, to| {
            let kernels = machine.spread.kernels;
            let (v, w) = (machine.bits(left).limbs(), machine.bits(right).limbs());
            if adds {
                kernels.add(to, v, w, len)
            } else {
                kernels.sub(to, v, w, len)
            };
            Ok(())
        })
    }

    pub(super) fn int_to_word(&mut self, dst: Reg, value: Number, width: Number) -> Step<()> {
        let len = self.known_size(Size::Value(width))?;
        let value = self.number(value);
        if !scalars::fits(value, len) {
            return Err(broken(format!("{value} in {len} bits")));
        }
        self.make(dst, len, false, |machine, to| {
            let kernels = machine.spread.kernels;
            kernels.from_int(to, value, len);
            Ok(())
        })
    }

    /// How bits stand to each other; without `with_order`, only whether they are equal.
    pub(super) fn order(&mut self, left: Reg, right: Reg, with_order: bool) -> Step<Ordering> {
        self.same_length(left, right)?;
        let (v, w) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.spread.kernels;
        let found = self.spread.find(v.len(), |range| {
            let (v, w) = (&v[range.clone()], &w[range]);
            let ordering = match with_order {
                true => kernels.compare(v, w),
                false if kernels.equal(v, w) => Ordering::Equal,
                false => Ordering::Less,
            };
            ordering.is_ne().then_some(ordering)
        })?;
        Ok(found.unwrap_or(Ordering::Equal))
    }
}
