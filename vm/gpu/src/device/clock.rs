//! The clock of a device: timestamps at the beginning and the end of a pass.

use star_vm::BackendError;

use super::Opened;

/// Two timestamps, and the buffer from which they are read.
pub(super) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
}

/// Bytes of both timestamps.
pub(super) const TIMES_BYTES: u64 = 16;
/// Words of them.
pub(super) const TIMES_WORDS: usize = TIMES_BYTES as usize / 4;

impl Clock {
    /// Creates the clock, if the device has one.
    pub(super) fn new(opened: &Opened) -> Result<Option<Clock>, BackendError> {
        if !opened.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        let usage = wgpu::BufferUsages::QUERY_RESOLVE.union(wgpu::BufferUsages::COPY_SRC);
        Ok(Some(Clock {
            queries: opened.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: opened.buffer(TIMES_BYTES, usage)?,
            period: f64::from(opened.queue.get_timestamp_period()),
        }))
    }

    /// Returns the timestamp writes of a pass that is the first of several, the last, or both.
    pub(super) fn around(
        &self,
        is_first: bool,
        is_last: bool,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        (is_first || is_last).then(|| wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: is_first.then_some(0),
            end_of_pass_write_index: is_last.then_some(1),
        })
    }

    /// Records the copy of both to the beginning of `staging`.
    pub(super) fn read(&self, encoder: &mut wgpu::CommandEncoder, staging: &wgpu::Buffer) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, staging, 0, TIMES_BYTES);
    }

    /// Returns the nanoseconds between these timestamps.
    pub(super) fn nanoseconds(&self, words: &[u32]) -> u64 {
        let tick = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        (tick(2).saturating_sub(tick(0)) as f64 * self.period) as u64
    }
}
