//! Memory of a device: buffers of equal size, each small enough for one binding (Note \[Banks\] in
//! star-shaders).

use star_shaders::Banks;
use star_shaders::memory::MOST_BANKS;
use star_vm::BackendError;

use super::{Opened, STORED};

/// Binary logarithm of the minimum number of words of a bank.
const LEAST_LOG: u32 = 8;

/// Division of the memory of an adapter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    /// The binary logarithm of the words of a bank.
    pub(super) log_words: u32,
    /// Number of banks that a kernel can bind.
    pub(super) most: u32,
}

impl Division {
    /// Returns the division for an adapter, with at most `most_words` words in a bank.
    pub(super) fn new(limits: &wgpu::Limits, most_words: Option<u32>) -> Self {
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let words = (bytes / 4).min(most_words.map_or(u64::MAX, u64::from));
        let log_words = words.max(1).ilog2().clamp(LEAST_LOG, 30);
        // Code and state of the control unit need bindings, too.
        let bound = limits.max_storage_buffers_per_shader_stage.saturating_sub(2);
        let counts = MOST_BANKS.min(bound).max(1);
        Division { log_words, most: 1 << counts.ilog2() }
    }

    /// Returns the maximum number of words of memory: the last address is unused.
    pub(super) fn most_words(self) -> u64 {
        (u64::from(self.most) << self.log_words).min(u64::from(u32::MAX - 63))
    }

    /// Returns the words of a bank.
    pub(super) fn words(self) -> u32 {
        1 << self.log_words
    }

    /// Yields these words, bank by bank, in spans of at most `most`.
    pub(super) fn spans(self, at: u32, words: u32, most: u32) -> impl Iterator<Item = Span> {
        let of_bank = self.words();
        let (mut at, mut left) = (at, words);
        std::iter::from_fn(move || {
            let inside = at % of_bank;
            let words = left.min(of_bank - inside).min(most);
            let span = Span { bank: (at / of_bank) as usize, start: u64::from(inside) * 4, words };
            (at, left) = (at.wrapping_add(words), left - words);
            (words > 0).then_some(span)
        })
    }
}

/// The banks of a memory; all but the last one are full.
pub(super) struct Memory {
    pub(super) division: Division,
    pub(super) banks: Vec<wgpu::Buffer>,
    pub(super) words: u32,
}

/// Consecutive words of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) bank: usize,
    /// Byte offset in the bank.
    pub(super) start: u64,
    pub(super) words: u32,
}

impl Memory {
    /// Creates memory of this number of zeros.
    pub(super) fn new(opened: &Opened, words: u32) -> Result<Self, BackendError> {
        let first = words.min(opened.division.words());
        let bank = opened.buffer(u64::from(first) * 4, STORED)?;
        let mut memory = Memory { division: opened.division, banks: vec![bank], words: first };
        memory.grow(opened, words)?;
        Ok(memory)
    }

    /// Returns the banks as a kernel sees them: missing banks are replaced by the first one, and
    /// are never accessed.
    pub(super) fn seen(&self) -> Banks {
        let count = (self.banks.len() as u32).next_power_of_two();
        Banks { count, log_words: self.division.log_words }
    }

    /// Yields the buffer of each binding of [`Memory::seen`].
    pub(super) fn bound(&self) -> impl Iterator<Item = (u32, &wgpu::Buffer)> {
        let buffer = |bank: u32| self.banks.get(bank as usize).unwrap_or(&self.banks[0]);
        (0..self.seen().count).map(move |bank| (Banks::binding(bank), buffer(bank)))
    }

    /// Enlarges the memory, with zeros after the existing words.
    pub(super) fn grow(&mut self, opened: &Opened, words: u32) -> Result<(), BackendError> {
        let of_bank = self.division.words();
        let mut banks = self.banks.clone();
        for bank in banks.len() - 1..words.div_ceil(of_bank) as usize {
            let has = (words - bank as u32 * of_bank).min(of_bank);
            let larger = opened.buffer(u64::from(has) * 4, STORED)?;
            let Some(before) = banks.get_mut(bank) else {
                banks.push(larger);
                continue;
            };
            if before.size() >= larger.size() {
                continue;
            }
            let mut encoder = opened.encoder();
            encoder.copy_buffer_to_buffer(before, 0, &larger, 0, before.size());
            opened.queue.submit([encoder.finish()]);
            *before = larger;
        }
        (self.banks, self.words) = (banks, words);
        Ok(())
    }
}
