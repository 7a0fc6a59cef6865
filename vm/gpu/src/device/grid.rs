//! Kernels over a grid on a device: compiled once for each text, recorded by the thousand.

use std::sync::{Arc, Mutex, PoisonError};

use star_vm::BackendError;

use super::{Device, Opened, answer, bytes_of};
use crate::grid::{Given, Grid, Kernel, Launch};
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
    /// What the launches of a submission are given, each at a multiple of [`GridParts::step`].
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

/// Launches of a submission.
const LAUNCHES: usize = 1024;
/// Bytes of what a launch is given.
const GIVEN_BYTES: u64 = size_of::<Given>() as u64;
/// Limbs in some ten milliseconds, on an adapter that is a processor and on others.
const PROCESSOR_LIMBS: u64 = 1 << 22;
const LIMBS: u64 = 1 << 33;
/// Bits of a table whose loops are worth a stop: a few turns of the control unit take as long.
const LEAST_BITS: [u64; 2] = [1 << 10, 1 << 20];

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
        let usage = wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST);
        let given = opened.buffer(u64::from(step) * LAUNCHES as u64, usage)?;
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

    /// Runs as many launches as a submission holds.
    fn submission(&mut self, launches: &[Launch]) -> Result<Option<u64>, BackendError> {
        self.grid_parts()?;
        let Some(parts) = &self.grid else { return Err(internal("a device without parts")) };
        let mut given = Vec::with_capacity(launches.len() * parts.step as usize);
        for launch in launches {
            given.extend(bytes_of(&launch.given));
            given.resize(given.len().next_multiple_of(parts.step as usize), 0);
        }
        self.opened.queue.write_buffer(&parts.given, 0, &given);
        let whole = |buffer| wgpu::BufferBinding { buffer, offset: 0, size: None };
        let one = wgpu::BufferBinding {
            size: std::num::NonZeroU64::new(GIVEN_BYTES),
            ..whole(&parts.given)
        };
        let bindings = self.opened.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &parts.layout,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(whole(&self.heap)),
                },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Buffer(one) },
            ],
        });
        let mut encoder = self.encoder();
        {
            let pipelines = self.pipelines();
            let writes = parts.times.as_ref().map(|times| wgpu::ComputePassTimestampWrites {
                query_set: &times.queries,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: writes,
            });
            for (idx, launch) in launches.iter().enumerate() {
                let (_, pipeline) = pipelines
                    .get(launch.kernel.0)
                    .ok_or_else(|| internal("a kernel that is not there"))?;
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &bindings, &[idx as u32 * parts.step]);
                pass.dispatch_workgroups(launch.groups[0], launch.groups[1], 1);
            }
        }
        let Some(times) = &parts.times else {
            encoder.copy_buffer_to_buffer(&self.heap, 0, &self.staging, 0, 4);
            self.submit(encoder, 4)?;
            return Ok(None);
        };
        encoder.resolve_query_set(&times.queries, 0..2, &times.resolved, 0);
        encoder.copy_buffer_to_buffer(&times.resolved, 0, &self.staging, 0, 16);
        let period = times.period;
        let words = self.submit(encoder, 16)?;
        let ticks = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        Ok(Some((ticks(2).saturating_sub(ticks(0)) as f64 * period) as u64))
    }
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
        let mut sum = Some(0);
        for some in launches.chunks(LAUNCHES) {
            let took = self.submission(some)?;
            sum = sum.zip(took).map(|(sum, took)| sum + took);
        }
        Ok(sum)
    }
}
