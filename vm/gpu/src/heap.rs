//! The heap: who has which words of a unit's memory. All values lie in it, those of a run and those that outlive it.

use std::collections::BTreeMap;

use star_base::limbs::OutOfMemory;
use star_vm::BackendError;

use crate::unit::Unit;

/// Every block begins at a multiple of so many words: 64 bytes.
const ALIGN: u32 = 16;

/// The beginning of the memory is for small things, which the host looks at (`device/window.rs`): large blocks lie behind it.
const FOR_SMALL: u32 = 1 << 13;
const LARGE: u32 = 1 << 12;

/// Words that somebody has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) at: u32,
    pub(crate) words: u32,
}

/// The memory of a unit, and what of it is free.
pub(crate) struct Heap {
    pub(crate) unit: Box<dyn Unit>,
    /// Free words by where they begin; neighbours are joined.
    free: BTreeMap<u32, u32>,
    /// Words that somebody has.
    used: u64,
    /// Counts programs, so that code is loaded again only if another one ran.
    pub(crate) loaded: u64,
}

impl Heap {
    pub(crate) fn new(unit: Box<dyn Unit>) -> Self {
        let mut free = BTreeMap::new();
        if unit.words() > ALIGN {
            // Address 0 is nobody's.
            free.insert(ALIGN, unit.words() - ALIGN);
        }
        Heap { unit, free, used: 0, loaded: 0 }
    }

    /// Bytes that somebody has.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.used * 4
    }

    /// Zeros.
    ///
    /// # Errors
    /// If the device has no more memory, or is gone.
    pub(crate) fn take(&mut self, words: u64) -> Result<Block, BackendError> {
        let refused = OutOfMemory { n_bytes: u128::from(words) * 4 };
        if words == 0 {
            return Ok(Block::default());
        }
        let wanted = words.next_multiple_of(u64::from(ALIGN));
        let wanted = u32::try_from(wanted).map_err(|_| refused)?;
        let mut found = self.fitting(wanted);
        if found.is_none() {
            let least = u64::from(self.unit.words()) + u64::from(wanted) + u64::from(ALIGN);
            let most = self.unit.max_words();
            let spaced = least + u64::from(FOR_SMALL);
            let is_first = wanted >= LARGE && self.unit.words() < FOR_SMALL && spaced <= most;
            let least = if is_first { spaced } else { least };
            let words = least.max(u64::from(self.unit.words()) * 2).min(most);
            if words < least {
                return Err(refused.into());
            }
            let before = self.unit.words();
            self.unit.grow(u32::try_from(words).map_err(|_| refused)?)?;
            self.join(before.max(ALIGN), self.unit.words() - before.max(ALIGN));
            found = self.fitting(wanted);
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

    /// Gives words back.
    pub(crate) fn give(&mut self, block: Block) {
        if block.words > 0 {
            self.used -= u64::from(block.words);
            self.join(block.at, block.words);
        }
    }

    fn fitting(&self, words: u32) -> Option<u32> {
        let behind = |at: u32| if words >= LARGE { at.max(FOR_SMALL) } else { at };
        let mut free = self.free.iter();
        let far = free.find(|(at, has)| **at + **has >= behind(**at).saturating_add(words));
        let far = far.map(|(at, _)| behind(*at));
        far.or_else(|| self.free.iter().find(|(_, has)| **has >= words).map(|(at, _)| *at))
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
