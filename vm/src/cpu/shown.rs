//! Values for display: in a trap, and for `print`.

use star_ir::LocId;
use star_value::BitVector;
use star_value::display::{self, Shown, ShownBits, ShownTable};

use super::interpreter::Interpreter;
use super::operand::{Reg, RegRef};
use super::table::Table;
use crate::interrupt::Exec;

/// A variable for display.
pub(super) enum Seen<'m> {
    Ready(Shown<'m>),
    Bits(Counted<'m, BitVector>),
    Table(Counted<'m, Table>),
}

/// A value and the number of its ones; counting may be interrupted by the flags.
pub(super) struct Counted<'m, T> {
    value: &'m T,
    n_ones: u64,
}

impl Seen<'_> {
    pub(super) fn shown(&self) -> Shown<'_> {
        match self {
            Seen::Ready(shown) => *shown,
            Seen::Bits(bits) => Shown::Bits(bits),
            Seen::Table(table) => Shown::Table(table),
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Returns the source variables at a location of the innermost routine, with their values.
    pub(super) fn values_at(&self, loc: LocId) -> Exec<Vec<(String, String)>> {
        let location = self.code.program.locations.get(loc);
        let Some((location, Ok(routine))) = location.map(|location| (location, self.routine()))
        else {
            return Ok(Vec::new());
        };
        let mut values = Vec::new();
        for named in &location.operands {
            if let Some(place) = routine.places.get(named.var.0 as usize)
                && let Some(seen) = self.seen(*place)?
            {
                values.push((named.name.clone(), display::short(seen.shown())));
            }
        }
        Ok(values)
    }

    /// Returns a variable for display; `None` for a handle.
    pub(super) fn seen(&self, place: RegRef) -> Exec<Option<Seen<'_>>> {
        let number = |reg: Reg| {
            let at = self.base.numbers + reg as usize;
            self.numbers_set[at].then(|| self.numbers[at])
        };
        let seen = match place {
            RegRef::Int(reg) => number(reg).map(|number| Seen::Ready(Shown::Int(number))),
            RegRef::Bool(reg) => number(reg).map(|number| Seen::Ready(Shown::Bool(number != 0))),
            RegRef::Slice(reg) | RegRef::Word(reg) => {
                let slot = self.bits_slot(reg);
                if slot.is_set {
                    let n_ones = self.parallelism.count(slot.bits.limbs())?;
                    Some(Seen::Bits(Counted { value: &slot.bits, n_ones }))
                } else {
                    None
                }
            }
            RegRef::Table(reg) => match self.table_slot(reg).table.get() {
                Some(table) => {
                    let n_ones = table.n_ones(&self.parallelism)?;
                    Some(Seen::Table(Counted { value: table, n_ones }))
                }
                None => None,
            },
            RegRef::Text(reg) => {
                let text = self.texts[self.base.texts + reg as usize].as_deref();
                text.map(|text| Seen::Ready(Shown::Str(text)))
            }
            RegRef::Handle(_) => return Ok(None),
        };
        Ok(Some(seen.unwrap_or(Seen::Ready(Shown::Unset))))
    }
}

impl ShownBits for Counted<'_, BitVector> {
    fn n_bits(&self) -> usize {
        self.value.len()
    }
    fn bit(&self, idx: usize) -> bool {
        self.value.get(idx)
    }
    fn n_ones(&self) -> u64 {
        self.n_ones
    }
}

impl ShownTable for Counted<'_, Table> {
    fn n_rows(&self) -> usize {
        self.value.n_rows()
    }
    fn n_cols(&self) -> usize {
        self.value.n_cols()
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.value.bit(row_idx, col_idx)
    }
    fn n_ones(&self) -> u64 {
        self.n_ones
    }
}
