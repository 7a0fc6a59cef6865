//! Kernels over a grid on a device: compiled once for each text, recorded by the thousand.

use star_shaders::Shader;
use star_vm::BackendError;

use super::clock::{Clock, TIMES_BYTES, TIMES_WORDS};
use super::pipelines::entry;
use super::{Device, Opened, whole};
use crate::device_trait::ControlUnit;
use crate::grid::{
    Given, Grid, Kernel, LEAST_BITS, Launch, LeastBits, MAX_GROUPS, Returned, Words,
};
use crate::program::internal;

/// The parts of a device for kernels over a grid.
pub(super) struct GridParts {
    /// The parameters of launches, each at a multiple of [`GridParts::step`].
    given: wgpu::Buffer,
    step: u32,
}

/// Launches of the first submission, and of the others.
const SOON: usize = 64;
const LAUNCHES: usize = 512;
const GIVEN: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST);
/// Bytes of the parameters of a launch.
const GIVEN_BYTES: u64 = size_of::<Given>() as u64;
/// Limbs processed in some ten milliseconds, on an adapter that is a processor and on others.
const PROCESSOR_LIMBS: u64 = 1 << 22;
const LIMBS: u64 = 1 << 33;
/// Iterations of a thread after which a processor as adapter ends a shader.
const PROCESSOR_ITERATIONS: u32 = 65_000;

/// Returns the bindings of kernels besides memory.
pub(super) fn beside() -> [wgpu::BindGroupLayoutEntry; 1] {
    let ty = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: std::num::NonZeroU64::new(GIVEN_BYTES),
    };
    [wgpu::BindGroupLayoutEntry { ty, ..entry(1, wgpu::BufferBindingType::Uniform) }]
}

impl GridParts {
    fn new(opened: &Opened) -> Result<GridParts, BackendError> {
        let device = &opened.device;
        let step = device.limits().min_uniform_buffer_offset_alignment.max(GIVEN_BYTES as u32);
        let given = opened.buffer(u64::from(step) * LAUNCHES as u64, GIVEN)?;
        Ok(GridParts { given, step })
    }
}

impl Device {
    fn grid_parts(&mut self) -> Result<&GridParts, BackendError> {
        if self.grid.is_none() {
            self.grid = Some(GridParts::new(&self.opened)?);
        }
        self.grid.as_ref().ok_or_else(|| internal("a device without grid parts"))
    }

    /// Writes the parameters of the launches, and binds them.
    pub(super) fn give(&mut self, launches: &[Launch]) -> Result<wgpu::BindGroup, BackendError> {
        self.grid_parts()?;
        let Some(parts) = &mut self.grid else {
            return Err(internal("a device without grid parts"));
        };
        let step = parts.step as usize;
        let mut given = Vec::with_capacity(launches.len() * step);
        for launch in launches {
            given.extend_from_slice(bytemuck::cast_slice(&launch.given));
            given.resize(given.len().next_multiple_of(step), 0);
        }
        if given.len() as u64 > parts.given.size() {
            parts.given = self.opened.buffer(given.len() as u64, GIVEN)?;
            self.grid_bindings = None;
        }
        self.opened.queue.write_buffer(&parts.given, 0, &given);
        self.moved.sent += given.len() as u64;
        if let Some(bindings) = &self.grid_bindings {
            return Ok(bindings.clone());
        }
        let size = std::num::NonZeroU64::new(GIVEN_BYTES);
        let one = wgpu::BufferBinding { size, ..whole(&parts.given) };
        let banks = self.memory.bound().map(|(binding, bank)| (binding, whole(bank)));
        let all = banks.chain([(1, one)]);
        let bindings = self.opened.grids.bind(&self.opened.device, self.memory.seen(), all)?;
        self.grid_bindings = Some(bindings.clone());
        Ok(bindings)
    }

    /// Records launches; `first` is the number of the first one. The clock is read before it, and
    /// after them if they are the last.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        clock: Option<&Clock>,
        launches: &[Launch],
        first: usize,
        is_last: bool,
        bindings: &wgpu::BindGroup,
    ) -> Result<(), BackendError> {
        let Some(parts) = &self.grid else { return Err(internal("a device without grid parts")) };
        let timestamp_writes = clock.and_then(|clock| clock.around(first == 0, is_last));
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        let (device, seen) = (&self.opened.device, self.memory.seen());
        let mut set = None;
        for (idx, launch) in launches.iter().enumerate() {
            if set != Some(launch.kernel) {
                pass.set_pipeline(&self.opened.grids.get(device, launch.kernel.0, seen)?);
                set = Some(launch.kernel);
            }
            pass.set_bind_group(0, bindings, &[(first + idx) as u32 * parts.step]);
            pass.dispatch_workgroups(launch.groups[0], launch.groups[1], 1);
        }
        Ok(())
    }
}

impl Grid for Device {
    fn shared_bytes(&self) -> u32 {
        let has = self.opened.device.limits().max_compute_workgroup_storage_size;
        self.shared_bytes.map_or(has, |most| most.min(has))
    }

    fn max_groups(&self) -> u32 {
        self.max_groups.map_or(MAX_GROUPS, |most| most.clamp(1, MAX_GROUPS))
    }

    fn has_small_groups(&self) -> bool {
        self.small_groups
    }

    fn limbs_at_once(&self) -> u64 {
        if self.opened.is_processor { PROCESSOR_LIMBS } else { LIMBS }
    }

    fn most_iterations(&self) -> u32 {
        if self.opened.is_processor { PROCESSOR_ITERATIONS } else { u32::MAX }
    }

    fn least_bits(&self) -> LeastBits {
        self.least_bits.map_or(LEAST_BITS, LeastBits::all)
    }

    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, BackendError> {
        let grids = &self.opened.grids;
        let number = grids.number(shader);
        grids.get(&self.opened.device, number, self.memory.seen())?;
        Ok(Kernel(number))
    }

    fn banks(&self) -> usize {
        self.memory.banks.len()
    }

    fn begin(
        &mut self,
        sent: (u32, u32),
        write: &mut dyn FnMut(&mut Words<'_>),
        launches: &[Launch],
        returned: &[(u32, u32)],
    ) -> Result<(), BackendError> {
        self.begin_queued(sent, write, launches, returned)
    }

    fn finish(&mut self) -> Result<Option<Returned>, BackendError> {
        self.finish_queued()
    }

    fn launch(
        &mut self,
        launches: &[Launch],
        (at, n): (u32, u32),
    ) -> Result<Returned, BackendError> {
        if launches.is_empty() {
            let mut words = vec![0; n as usize];
            self.read(at, &mut words)?;
            return Ok(Returned { words, nanoseconds: Some(0) });
        }
        self.flush();
        self.window.forget();
        let bindings = self.give(launches)?;
        // The device begins while the rest is being recorded.
        let mut first = 0;
        loop {
            let end = launches.len().min(if first == 0 { SOON } else { first + LAUNCHES });
            let is_last = end == launches.len();
            let (mut encoder, clock) = (self.opened.encoder(), self.clock.as_ref());
            let some = &launches[first..end];
            self.record(&mut encoder, clock, some, first, is_last, &bindings)?;
            if !is_last {
                self.opened.queue.submit([encoder.finish()]);
                first = end;
                continue;
            }
            // The window for the host is returned as well.
            let seen = self.window.len() as u64 * 4;
            if seen > 0 {
                let first = &self.memory.banks[0];
                encoder.copy_buffer_to_buffer(first, 0, &self.staging, TIMES_BYTES, seen);
            }
            if let Some(clock) = &self.clock {
                clock.read(&mut encoder, &self.staging);
            }
            let mut to = TIMES_BYTES + seen;
            for span in self.memory.division.spans(at, n, u32::MAX) {
                let (bank, bytes) = (&self.memory.banks[span.bank], u64::from(span.words) * 4);
                encoder.copy_buffer_to_buffer(bank, span.start, &self.staging, to, bytes);
                to += bytes;
            }
            let mut words = vec![0; TIMES_WORDS + self.window.len() + n as usize];
            self.submit(encoder, &mut words)?;
            let (times, rest) = words.split_at(TIMES_WORDS);
            let (seen, returned) = rest.split_at(self.window.len());
            self.window.refresh(seen);
            let nanoseconds = self.clock.as_ref().map(|clock| clock.nanoseconds(times));
            return Ok(Returned { words: returned.to_vec(), nanoseconds });
        }
    }
}
