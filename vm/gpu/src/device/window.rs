//! A copy of the beginning of the heap on the host: the data of small programs in it is read and
//! written without access to the device.
//!
//! A dispatch sends the written words, and returns the window with the state, so that a stop of the
//! control unit needs one wait, however many descriptors and frames the host reads.

use std::ops::Range;

use star_vm::BackendError;

use super::Device;

/// Words of the window.
pub(super) const WORDS: u32 = 1 << 13;

/// The window; see the head of the file.
pub(super) struct Window {
    /// Words from the beginning of the heap to the end of all allocations so far.
    words: Vec<u32>,
    most: usize,
    /// Whether the words equal those of the device, except for pending writes.
    is_valid: bool,
    /// The pending writes.
    written: Range<usize>,
}

impl Window {
    /// Creates the window of a heap of this number of zeros.
    pub(super) fn new(words: u32) -> Self {
        let most = words.min(WORDS) as usize;
        Window { words: Vec::with_capacity(most), most, is_valid: true, written: 0..0 }
    }

    /// Returns the number of words that a dispatch returns.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the range of these words, if all of them are in the window.
    fn inside(&self, at: u32, words: usize) -> Option<Range<usize>> {
        let range = at as usize..at as usize + words;
        (range.end <= self.words.len()).then_some(range)
    }

    /// Reads words; returns false if they must be read from the device.
    pub(super) fn read(&self, at: u32, into: &mut [u32]) -> bool {
        match self.inside(at, into.len()) {
            Some(range) if self.is_valid => {
                into.copy_from_slice(&self.words[range]);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Returns the words of the window for writing; `None` if they must be written to the device.
    pub(super) fn write(&mut self, at: u32, words: usize) -> Option<&mut [u32]> {
        self.cover(at, words);
        let range = self.inside(at, words).filter(|_| self.is_valid)?;
        self.written = match self.written.is_empty() {
            true => range.clone(),
            false => self.written.start.min(range.start)..self.written.end.max(range.end),
        };
        Some(&mut self.words[range])
    }

    /// Extends the window to these allocated words. Newly covered words were never allocated, and
    /// so are zero.
    pub(super) fn cover(&mut self, at: u32, words: usize) {
        let end = (at as usize + words).min(self.most);
        if end > self.words.len() {
            self.words.resize(end, 0);
        }
    }

    /// Copies words; returns false if the device must copy them.
    pub(super) fn copy(&mut self, from: u32, to: u32, words: u32) -> bool {
        let Some(from) = self.inside(from, words as usize) else { return false };
        let copied = self.words[from].to_vec();
        match self.write(to, copied.len()) {
            Some(to) => {
                to.copy_from_slice(&copied);
                true
            }
            None => false,
        }
    }

    /// Takes the pending writes, which the device must receive first, and their address.
    pub(super) fn take_written(&mut self) -> Option<(u32, &[u32])> {
        let range = std::mem::take(&mut self.written);
        (!range.is_empty()).then(|| (range.start as u32, &self.words[range]))
    }

    /// Returns whether words from here on are in it.
    pub(super) fn reaches(&self, at: u32) -> bool {
        (at as usize) < self.most
    }

    /// Invalidates the window after the device has changed words that may be in it.
    pub(super) fn forget(&mut self) {
        self.is_valid = false;
    }

    /// Updates the window with the words of the device.
    pub(super) fn refresh(&mut self, words: &[u32]) {
        self.words.copy_from_slice(words);
        self.is_valid = true;
    }
}

impl Device {
    /// Sends the pending writes to the device.
    pub(super) fn flush(&mut self) {
        if let Some((at, words)) = self.window.take_written() {
            self.moved.sent += words.len() as u64 * 4;
            self.opened.queue.write_buffer(
                &self.memory.banks[0],
                u64::from(at) * 4,
                bytemuck::cast_slice(words),
            );
        }
    }

    /// Reads words, if they are in the window. The content of a lost device is unknown.
    pub(super) fn read_window(&mut self, at: u32, into: &mut [u32]) -> Result<bool, BackendError> {
        if self.opened.why_lost().is_some() {
            return Ok(false);
        }
        if self.window.inside(at, into.len()).is_some() && !self.window.is_valid {
            let bytes = self.window.len() as u64 * 4;
            let mut encoder = self.opened.encoder();
            encoder.copy_buffer_to_buffer(&self.memory.banks[0], 0, &self.staging, 0, bytes);
            let mut words = vec![0; self.window.len()];
            self.submit(encoder, &mut words)?;
            self.window.refresh(&words);
        }
        Ok(self.window.read(at, into))
    }

    /// Writes the words that are in the window and returns their number.
    pub(super) fn write_window(&mut self, at: u32, from: &[u32]) -> usize {
        let n = from.len().min(self.window.most.saturating_sub(at as usize));
        match self.window.write(at, n) {
            Some(words) => {
                words.copy_from_slice(&from[..n]);
                n
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn written_words_are_read_back_and_sent_once() {
        let mut window = Window::new(100);
        window.write(10, 2).expect("it lies inside").copy_from_slice(&[7, 8]);
        assert!(window.copy(10, 20, 2));
        let mut read = [0; 2];
        assert!(window.read(20, &mut read));
        assert_eq!(read, [7, 8]);
        let (at, words) = window.take_written().expect("something was written");
        assert_eq!((at, words.len(), words[0], words[11]), (10, 12, 7, 8));
        assert!(window.take_written().is_none());
    }

    #[test]
    fn words_outside_or_invalidated_are_read_from_the_device() {
        let mut window = Window::new(100);
        assert!(window.write(99, 2).is_none() && !window.read(99, &mut [0; 2]));
        assert!(!window.copy(0, 99, 2) && !window.copy(99, 0, 2));
        assert_eq!(window.len(), 100);
        window.forget();
        assert!(window.write(1, 1).is_none() && !window.read(1, &mut [0]));
        window.refresh(&[3; 100]);
        let mut read = [0];
        assert!(window.read(1, &mut read) && read == [3]);
    }

    #[test]
    fn words_allocated_meanwhile_return_with_the_window() {
        let mut window = Window::new(100);
        window.write(0, 10).expect("it lies inside").fill(1);
        window.forget();
        assert!(window.write(20, 5).is_none());
        window.cover(90, 1000);
        assert_eq!(window.len(), 100);
        window.refresh(&[2; 100]);
        assert!(window.write(30, 1).is_some());
        let mut read = [0; 2];
        assert!(window.read(20, &mut read) && read == [2, 2]);
    }
}
