//! The heap: allocation of a unit's memory. It holds all values, those of a run and those that
//! outlive it.

use std::collections::BTreeMap;
use std::ops::Range;

use star_value::OutOfMemory;
use star_vm::BackendError;

use crate::device_trait::ControlUnit;

/// Alignment of every block in words: 64 bytes.
pub(crate) const ALIGN: u32 = 16;

/// The beginning of the memory is for small data that the host reads (`device/window.rs`): large
/// blocks come after it.
const FOR_SMALL: u32 = 1 << 13;
const LARGE: u32 = 1 << 12;

/// The share of the first bank that values leave to data that must be there.
const NEAR_SHARE: u32 = 64;

/// The purpose of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// Frames, records, constants.
    Near,
    Value,
}

/// Allocated words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) at: u32,
    pub(crate) words: u32,
}

/// The memory of a unit, and its free parts.
pub(crate) struct Heap {
    pub(crate) unit: Box<dyn ControlUnit>,
    /// Free words by start address; adjacent ranges are joined.
    free: BTreeMap<u32, u32>,
    /// Number of allocated words.
    used: u64,
    /// The number of loaded programs, so that code is loaded again only if another one ran.
    pub(crate) loaded: u64,
}

impl Heap {
    pub(crate) fn new(unit: Box<dyn ControlUnit>) -> Self {
        let mut free = BTreeMap::new();
        if unit.words() > ALIGN {
            // Address 0 is never allocated.
            free.insert(ALIGN, unit.words() - ALIGN);
        }
        Heap { unit, free, used: 0, loaded: 0 }
    }

    /// Returns the number of allocated bytes.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.used * 4
    }

    /// Allocates zeros for a value.
    ///
    /// # Errors
    /// If the device has no more memory, or is lost.
    pub(crate) fn take(&mut self, words: u64) -> Result<Block, BackendError> {
        self.taken(words, For::Value)
    }

    /// Allocates zeros in the first bank, for data with which the control unit addresses values.
    ///
    /// # Errors
    /// As for [`Heap::take`].
    pub(crate) fn take_near(&mut self, words: u64) -> Result<Block, BackendError> {
        self.taken(words, For::Near)
    }

    fn taken(&mut self, words: u64, why: For) -> Result<Block, BackendError> {
        let refused = OutOfMemory { n_bytes: u128::from(words) * 4 };
        if words == 0 {
            return Ok(Block::default());
        }
        let wanted = words.next_multiple_of(u64::from(ALIGN));
        let wanted = u32::try_from(wanted).map_err(|_| refused)?;
        let mut found = self.fitting(wanted, why);
        if found.is_none() {
            let words = self.enough(wanted, why).ok_or(refused)?;
            let before = self.unit.words().max(ALIGN);
            self.unit.grow(words)?;
            self.join(before, self.unit.words() - before);
            found = self.fitting(wanted, why);
        }
        let at = found.ok_or(refused)?;
        if let Some((&start, &has)) = self.free.range(..=at).next_back() {
            self.free.remove(&start);
            let (before, behind) = (at - start, start + has - at - wanted);
            if before > 0 {
                self.free.insert(start, before);
            }
            if behind > 0 {
                self.free.insert(at + wanted, behind);
            }
        }
        self.used += u64::from(wanted);
        self.unit.clear(at, wanted)?;
        Ok(Block { at, words: wanted })
    }

    /// Returns the ranges in which a block of this size may be, in order of preference.
    fn places(&self, words: u32, why: For) -> [Range<u32>; 3] {
        let (bank, most) = (self.unit.bank_words(), self.unit.max_words());
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        let is_divided = all > bank;
        let first = if words >= LARGE { FOR_SMALL } else { 0 };
        match why {
            For::Near => [0..bank.min(all), 0..0, 0..0],
            For::Value if is_divided => {
                let kept = bank - (bank / NEAR_SHARE).max(FOR_SMALL).min(bank / 2);
                [bank..all, first.min(kept)..kept, 0..kept]
            }
            For::Value => [first.min(all)..all, 0..all, 0..0],
        }
    }

    /// Returns the new size of the memory in which this number of words fits: doubled up to a bank,
    /// beyond that in steps of a quarter bank.
    fn enough(&self, words: u32, why: For) -> Option<u32> {
        let (has, bank) = (self.unit.words(), self.unit.bank_words());
        // Free words at the end are part of the required ones.
        let last = self.free.last_key_value().filter(|(at, free)| **at + **free == has);
        let begin = last.map_or(has.max(ALIGN), |(at, _)| *at);
        // Of ranges with the same end, the first one is preferred.
        let mut ends: Vec<(u32, u32)> = Vec::new();
        for place in self.places(words, why) {
            let end = begin.max(place.start).checked_add(words);
            let end = end.filter(|end| *end > has && *end <= place.end);
            if let Some(end) = end
                && ends.iter().all(|(_, last)| *last != place.end)
            {
                ends.push((end, place.end));
            }
        }
        let (least, most) = ends.into_iter().min()?;
        let roomy = match least <= bank {
            true => least.max(has.saturating_mul(2)).min(bank),
            false => least.checked_next_multiple_of(bank / 4).unwrap_or(u32::MAX),
        };
        Some(roomy.min(most.max(least)))
    }

    /// Frees words.
    pub(crate) fn give(&mut self, block: Block) {
        if block.words > 0 {
            self.used -= u64::from(block.words);
            self.join(block.at, block.words);
        }
    }

    fn fitting(&self, words: u32, why: For) -> Option<u32> {
        self.places(words, why).into_iter().find_map(|place| {
            self.free.iter().find_map(|(at, has)| {
                let at_least = (*at).max(place.start);
                let end = (*at + *has).min(place.end);
                (at_least.checked_add(words)? <= end).then_some(at_least)
            })
        })
    }

    fn join(&mut self, mut at: u32, mut words: u32) {
        if let Some((&before, &has)) = self.free.range(..at).next_back()
            && before + has == at
        {
            self.free.remove(&before);
            (at, words) = (before, words + has);
        }
        if let Some(has) = self.free.remove(&(at + words)) {
            words += has;
        }
        self.free.insert(at, words);
    }
}

#[cfg(test)]
mod tests {
    use super::{FOR_SMALL, Heap};
    use crate::emulator::{Emulator, EmulatorSettings};

    #[test]
    fn the_first_large_block_leaves_the_beginning_to_small_ones() {
        let emulator = Emulator::new(EmulatorSettings { words: 64, ..EmulatorSettings::USUAL });
        let mut heap = Heap::new(Box::new(emulator));
        let large = heap.take(1 << 16).expect("memory");
        let small = heap.take_near(200).expect("memory");
        assert_eq!(large.at, FOR_SMALL);
        assert!(small.at + small.words <= FOR_SMALL);
    }
}
