//! Submissions that a device processes while the host prepares others.
//!
//! Each one has its own memory of the host for the words that are sent and returned, and its own
//! clock. This memory stays mapped and is used again, so a submission allocates nothing.

use std::collections::VecDeque;
use std::sync::mpsc;

use star_vm::BackendError;

use super::clock::{Clock, TIMES_BYTES, TIMES_WORDS};
use super::{Device, Opened};
use crate::grid::{Launch, Returned, Words};

/// The submissions of a device, in order.
#[derive(Default)]
pub(super) struct Queued {
    idle: Vec<Parts>,
    begun: VecDeque<Begun>,
}

/// Memory of the host that the device reads, and memory that it writes.
struct Parts {
    /// It is mapped while no submission uses it.
    sent: wgpu::Buffer,
    returned: wgpu::Buffer,
    clock: Option<Clock>,
}

/// A submission.
struct Begun {
    parts: Parts,
    submission: wgpu::SubmissionIndex,
    /// How many words return after the times.
    words: usize,
    is_timed: bool,
    /// Receives a result for each buffer that is mapped again.
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    n_mapped: u32,
}

/// The least size of a buffer in bytes.
const LEAST_BYTES: u64 = 1 << 12;

impl Parts {
    fn new(opened: &Opened, sent: u64, returned: u64) -> Result<Parts, BackendError> {
        let clock = Clock::new(opened)?;
        let returned = read_buffer(opened, returned)?;
        Ok(Parts { sent: write_buffer(opened, sent)?, returned, clock })
    }
}

fn roomy(bytes: u64) -> u64 {
    bytes.max(LEAST_BYTES).next_power_of_two()
}

fn read_buffer(opened: &Opened, bytes: u64) -> Result<wgpu::Buffer, BackendError> {
    opened.buffer(roomy(bytes), wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST))
}

fn write_buffer(opened: &Opened, bytes: u64) -> Result<wgpu::Buffer, BackendError> {
    let usage = wgpu::BufferUsages::MAP_WRITE.union(wgpu::BufferUsages::COPY_SRC);
    opened.mapped_buffer(roomy(bytes), usage)
}

impl Device {
    /// See [`crate::grid::Grid::begin`].
    pub(super) fn begin_queued(
        &mut self,
        (at, words): (u32, u32),
        write: &mut dyn FnMut(&mut Words<'_>),
        launches: &[Launch],
        returned: &[(u32, u32)],
    ) -> Result<(), BackendError> {
        if let Some(why) = self.opened.why_lost() {
            return Err(BackendError::DeviceLost { why });
        }
        let n_returned: u32 = returned.iter().map(|&(_, words)| words).sum();
        let (bytes, back) = (u64::from(words) * 4, TIMES_BYTES + u64::from(n_returned) * 4);
        let mut parts = match self.queued.idle.pop() {
            Some(parts) => parts,
            None => Parts::new(&self.opened, bytes, back)?,
        };
        if parts.sent.size() < bytes {
            parts.sent = write_buffer(&self.opened, bytes)?;
        }
        if parts.returned.size() < back {
            parts.returned = read_buffer(&self.opened, back)?;
        }
        self.flush();
        self.window.forget();
        let mut encoder = self.opened.encoder();
        if bytes > 0 {
            let lost =
                |error: wgpu::MapRangeError| BackendError::DeviceLost { why: error.to_string() };
            let mut view = parts.sent.get_mapped_range_mut(..bytes).map_err(lost)?;
            let mut end = 0;
            write(&mut |words| {
                let bytes: &[u8] = bytemuck::cast_slice(words);
                view.slice(end..end + bytes.len()).copy_from_slice(bytes);
                end += bytes.len();
            });
            drop(view);
            parts.sent.unmap();
            let mut from = 0;
            for span in self.memory.division.spans(at, words, u32::MAX) {
                let (bank, bytes) = (&self.memory.banks[span.bank], u64::from(span.words) * 4);
                encoder.copy_buffer_to_buffer(&parts.sent, from, bank, span.start, bytes);
                from += bytes;
            }
            self.moved.sent += bytes;
        }
        if !launches.is_empty() {
            let bindings = self.give(launches)?;
            let clock = parts.clock.as_ref();
            self.record(&mut encoder, clock, launches, 0, true, &bindings)?;
            if let Some(clock) = clock {
                clock.read(&mut encoder, &parts.returned);
            }
        }
        let mut to = TIMES_BYTES;
        for &(at, words) in returned {
            for span in self.memory.division.spans(at, words, u32::MAX) {
                let (bank, bytes) = (&self.memory.banks[span.bank], u64::from(span.words) * 4);
                encoder.copy_buffer_to_buffer(bank, span.start, &parts.returned, to, bytes);
                to += bytes;
            }
        }
        let submission = self.opened.queue.submit([encoder.finish()]);
        let (noted, mapped) = mpsc::channel();
        let both = [(bytes > 0).then_some((&parts.sent, wgpu::MapMode::Write))];
        let both = both.into_iter().chain([Some((&parts.returned, wgpu::MapMode::Read))]);
        let mut n_mapped = 0;
        for (buffer, mode) in both.flatten() {
            let noted = noted.clone();
            n_mapped += 1;
            // The receiver may be gone.
            buffer.map_async(mode, .., move |result| drop(noted.send(result)));
        }
        let is_timed = !launches.is_empty() && parts.clock.is_some();
        let words = n_returned as usize;
        self.queued.begun.push_back(Begun { parts, submission, words, is_timed, mapped, n_mapped });
        Ok(())
    }

    /// See [`crate::grid::Grid::finish`].
    pub(super) fn finish_queued(&mut self) -> Result<Option<Returned>, BackendError> {
        let Some(begun) = self.queued.begun.pop_front() else { return Ok(None) };
        let Begun { parts, submission, words, is_timed, mapped, n_mapped } = begun;
        self.wait_for(submission)?;
        for _ in 0..n_mapped {
            self.mapped(&mapped)?;
        }
        let lost = |error: wgpu::MapRangeError| BackendError::DeviceLost { why: error.to_string() };
        let bytes = TIMES_BYTES + words as u64 * 4;
        let view = parts.returned.get_mapped_range(..bytes).map_err(lost)?;
        let all: &[u32] = bytemuck::cast_slice(&view);
        let (times, words) = all.split_at(TIMES_WORDS);
        let clock = parts.clock.as_ref().filter(|_| is_timed);
        let nanoseconds = clock.map(|clock| clock.nanoseconds(times));
        let returned = Returned { words: words.to_vec(), nanoseconds };
        self.moved.reads += 1;
        self.moved.back += bytes;
        drop(view);
        parts.returned.unmap();
        self.queued.idle.push(parts);
        Ok(Some(returned))
    }
}
