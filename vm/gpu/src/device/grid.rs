//! Kernels over a grid on a device: compiled once for each text, recorded by the thousand.

use std::sync::{Arc, Mutex, PoisonError};

use star_vm::BackendError;

use super::window::bytes_of;
use super::{Device, Opened, answer};
use crate::grid::{Given, Grid, Kernel, LEAST_BITS, Launch};
use crate::program::internal;

/// Kernels that an adapter has compiled, by their texts.
#[derive(Clone, Default)]
pub(super) struct Kernels {
    all: Arc<Mutex<Vec<(String, wgpu::ComputePipeline)>>>,
}

/// What a device has for kernels over a grid.
pub(super) struct GridParts {
    layout: wgpu::BindGroupLayout,
    pipelines: wgpu::PipelineLayout,
    /// What launches are given, each at a multiple of [`GridParts::step`].
    given: wgpu::Buffer,
    step: u32,
    times: Option<Times>,
}

/// The clock of a device.
struct Times {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
}

/// Launches of the first submission, and of the others.
const SOON: usize = 64;
const LAUNCHES: usize = 512;
const GIVEN: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST);
/// Bytes of what a launch is given.
const GIVEN_BYTES: u64 = size_of::<Given>() as u64;
/// Limbs in some ten milliseconds, on an adapter that is a processor and on others.
const PROCESSOR_LIMBS: u64 = 1 << 22;
const LIMBS: u64 = 1 << 33;

impl GridParts {
    fn new(opened: &Opened) -> Result<GridParts, BackendError> {
        let device = &opened.device;
        let entry = |binding: u32, ty, has_dynamic_offset, bytes| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset,
                min_binding_size: std::num::NonZeroU64::new(bytes),
            },
            count: None,
        };
        let stored = wgpu::BufferBindingType::Storage { read_only: false };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("grid"),
            entries: &[
                entry(0, stored, false, 0),
                entry(1, wgpu::BufferBindingType::Uniform, true, GIVEN_BYTES),
            ],
        });
        let pipelines = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("grid"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let step = device.limits().min_uniform_buffer_offset_alignment.max(GIVEN_BYTES as u32);
        let given = opened.buffer(u64::from(step) * LAUNCHES as u64, GIVEN)?;
        let times = match device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            false => None,
            true => Some(Times {
                queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: None,
                    ty: wgpu::QueryType::Timestamp,
                    count: 2,
                }),
                resolved: opened.buffer(
                    16,
                    wgpu::BufferUsages::QUERY_RESOLVE.union(wgpu::BufferUsages::COPY_SRC),
                )?,
                period: f64::from(opened.queue.get_timestamp_period()),
            }),
        };
        Ok(GridParts { layout, pipelines, given, step, times })
    }
}

impl Device {
    fn grid_parts(&mut self) -> Result<&GridParts, BackendError> {
        if self.grid.is_none() {
            self.grid = Some(GridParts::new(&self.opened)?);
        }
        self.grid.as_ref().ok_or_else(|| internal("a device without parts"))
    }

    fn pipelines(&self) -> std::sync::MutexGuard<'_, Vec<(String, wgpu::ComputePipeline)>> {
        self.opened.kernels.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what the launches are given, and binds it.
    fn give(&mut self, launches: &[Launch]) -> Result<wgpu::BindGroup, BackendError> {
        self.grid_parts()?;
        let Some(parts) = &mut self.grid else { return Err(internal("a device without parts")) };
        let step = parts.step as usize;
        let mut given = Vec::with_capacity(launches.len() * step);
        for launch in launches {
            given.extend(bytes_of(&launch.given));
            given.resize(given.len().next_multiple_of(step), 0);
        }
        if given.len() as u64 > parts.given.size() {
            parts.given = self.opened.buffer(given.len() as u64, GIVEN)?;
        }
        self.opened.queue.write_buffer(&parts.given, 0, &given);
        let whole = |buffer| wgpu::BufferBinding { buffer, offset: 0, size: None };
        let size = std::num::NonZeroU64::new(GIVEN_BYTES);
        let one = wgpu::BufferBinding { size, ..whole(&parts.given) };
        Ok(self.opened.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &parts.layout,
            entries: &[bound(0, whole(&self.heap)), bound(1, one)],
        }))
    }

    /// Records launches; `first` is the number of the first one. The clock is read before it, and behind them if they are
    /// the last.
    fn recorded(
        &self,
        launches: &[Launch],
        first: usize,
        is_last: bool,
        bindings: &wgpu::BindGroup,
    ) -> Result<wgpu::CommandEncoder, BackendError> {
        let Some(parts) = &self.grid else { return Err(internal("a device without parts")) };
        let mut encoder = self.encoder();
        let writes = parts.times.as_ref().filter(|_| first == 0 || is_last);
        let timestamp_writes = writes.map(|times| wgpu::ComputePassTimestampWrites {
            query_set: &times.queries,
            beginning_of_pass_write_index: (first == 0).then_some(0),
            end_of_pass_write_index: is_last.then_some(1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        let pipelines = self.pipelines();
        let mut set = None;
        for (idx, launch) in launches.iter().enumerate() {
            if set != Some(launch.kernel) {
                let found = pipelines.get(launch.kernel.0);
                let (_, pipeline) = found.ok_or_else(|| internal("a kernel that is not there"))?;
                pass.set_pipeline(pipeline);
                set = Some(launch.kernel);
            }
            pass.set_bind_group(0, bindings, &[(first + idx) as u32 * parts.step]);
            pass.dispatch_workgroups(launch.groups[0], launch.groups[1], 1);
        }
        drop(pass);
        Ok(encoder)
    }
}

fn bound(binding: u32, buffer: wgpu::BufferBinding<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(buffer) }
}

impl Grid for Device {
    fn shared_bytes(&self) -> u32 {
        self.opened.device.limits().max_compute_workgroup_storage_size
    }

    fn limbs_at_once(&self) -> u64 {
        if self.opened.is_processor { PROCESSOR_LIMBS } else { LIMBS }
    }

    fn least_bits(&self) -> [u64; 2] {
        self.least_bits.map_or(LEAST_BITS, |least| [least; 2])
    }

    fn kernel(&mut self, text: &str) -> Result<Kernel, BackendError> {
        if let Some(known) = self.pipelines().iter().position(|(known, _)| known == text) {
            return Ok(Kernel(known));
        }
        let pipelines = self.grid_parts()?.pipelines.clone();
        let device = &self.opened.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipelines),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        match answer(scope.pop()) {
            Ok(None) => {}
            Ok(Some(error)) => {
                return Err(BackendError::Unsupported { what: format!("this kernel: {error}") });
            }
            Err(why) => return Err(internal(why)),
        }
        let mut all = self.pipelines();
        all.push((text.to_owned(), pipeline));
        Ok(Kernel(all.len() - 1))
    }

    fn launch(&mut self, launches: &[Launch]) -> Result<Option<u64>, BackendError> {
        if launches.is_empty() {
            return Ok(Some(0));
        }
        self.flush();
        self.window.forget();
        let bindings = self.give(launches)?;
        // The device begins while the rest is being recorded.
        let mut first = 0;
        loop {
            let end = launches.len().min(if first == 0 { SOON } else { first + LAUNCHES });
            let is_last = end == launches.len();
            let mut encoder = self.recorded(&launches[first..end], first, is_last, &bindings)?;
            if !is_last {
                self.opened.queue.submit([encoder.finish()]);
                first = end;
                continue;
            }
            let Some(times) = self.grid.as_ref().and_then(|parts| parts.times.as_ref()) else {
                encoder.copy_buffer_to_buffer(&self.heap, 0, &self.staging, 0, 4);
                self.submit(encoder, 4)?;
                return Ok(None);
            };
            encoder.resolve_query_set(&times.queries, 0..2, &times.resolved, 0);
            encoder.copy_buffer_to_buffer(&times.resolved, 0, &self.staging, 0, 16);
            let period = times.period;
            let words = self.submit(encoder, 16)?;
            let ticks = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
            return Ok(Some((ticks(2).saturating_sub(ticks(0)) as f64 * period) as u64));
        }
    }
}
