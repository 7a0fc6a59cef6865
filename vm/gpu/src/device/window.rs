//! The beginning of the heap on the host: what small programs keep in it is read and written without a word to the device.
//!
//! A dispatch takes along what was written, and brings the window back with the state, so that a stop of the control unit is
//! one wait, however many descriptors and frames the host looks at.

use std::ops::Range;

use star_vm::BackendError;

use super::Device;

/// Words of the window.
pub(super) const WORDS: u32 = 1 << 13;

/// See the head of the file.
pub(super) struct Window {
    /// Words from the begin of the heap to where somebody has had some.
    words: Vec<u32>,
    most: usize,
    /// Are the words those of the device, but for what was written?
    is_valid: bool,
    /// What the device has not got yet.
    written: Range<usize>,
}

impl Window {
    /// Of a heap of so many zeros.
    pub(super) fn new(words: u32) -> Self {
        let most = words.min(WORDS) as usize;
        Window { words: Vec::with_capacity(most), most, is_valid: true, written: 0..0 }
    }

    /// Words that a dispatch brings back.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// These words, if all of them lie in the window.
    fn inside(&self, at: u32, words: usize) -> Option<Range<usize>> {
        let range = at as usize..at as usize + words;
        (range.end <= self.words.len()).then_some(range)
    }

    /// Reads words; false if the device has to be asked.
    pub(super) fn read(&self, at: u32, into: &mut [u32]) -> bool {
        match self.inside(at, into.len()) {
            Some(range) if self.is_valid => {
                into.copy_from_slice(&self.words[range]);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Words of the window that are about to be written; `None` if the device has to be.
    pub(super) fn write(&mut self, at: u32, words: usize) -> Option<&mut [u32]> {
        self.cover(at, words);
        let range = self.inside(at, words).filter(|_| self.is_valid)?;
        self.written = match self.written.is_empty() {
            true => range.clone(),
            false => self.written.start.min(range.start)..self.written.end.max(range.end),
        };
        Some(&mut self.words[range])
    }

    /// These words belong to somebody. Nobody had what is covered first, so that it is zero.
    pub(super) fn cover(&mut self, at: u32, words: usize) {
        let end = (at as usize + words).min(self.most);
        if end > self.words.len() {
            self.words.resize(end, 0);
        }
    }

    /// Copies words; false if the device has to.
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

    /// What the device has to get before it does anything, and where.
    pub(super) fn take_written(&mut self) -> Option<(u32, &[u32])> {
        let range = std::mem::take(&mut self.written);
        (!range.is_empty()).then(|| (range.start as u32, &self.words[range]))
    }

    /// Do words from here on lie in it?
    pub(super) fn reaches(&self, at: u32) -> bool {
        (at as usize) < self.most
    }

    /// The device has changed words that may lie in the window.
    pub(super) fn forget(&mut self) {
        self.is_valid = false;
    }

    /// The words that the device has.
    pub(super) fn refresh(&mut self, words: &[u32]) {
        self.words.copy_from_slice(words);
        self.is_valid = true;
    }
}

impl Device {
    /// The device gets what was written.
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

    /// Reads words, if they lie in the window. Of a lost device nothing is known.
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

    /// Writes what lies in the window; how many words that were.
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
    fn what_was_written_is_read_and_goes_to_the_device_once() {
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
    fn what_is_beyond_it_or_was_changed_is_the_devices() {
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
    fn what_was_given_out_meanwhile_comes_back_with_the_rest() {
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
