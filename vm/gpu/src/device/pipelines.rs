//! The compiled shaders of an adapter, for every number of banks used so far.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use star_shaders::memory::MOST_BANKS;
use star_shaders::{Banks, Shader};
use star_vm::BackendError;

use super::answer;
use crate::program::internal;

/// Number of bank counts for which there are shader texts.
const COUNTS: usize = MOST_BANKS.ilog2() as usize + 1;

/// Shaders with the same bindings besides memory.
#[derive(Clone)]
pub(super) struct Pipelines {
    layouts: Arc<[Layout]>,
    all: Arc<Mutex<Known>>,
}

/// The layout for a number of banks.
struct Layout {
    bindings: wgpu::BindGroupLayout,
    pipelines: wgpu::PipelineLayout,
}

#[derive(Default)]
struct Known {
    numbers: HashMap<Shader, usize>,
    shaders: Vec<(Shader, [Option<wgpu::ComputePipeline>; COUNTS])>,
}

/// Returns the layout entry of a buffer that a shader binds, of any size.
pub(super) fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

pub(super) const STORED: wgpu::BufferBindingType =
    wgpu::BufferBindingType::Storage { read_only: false };

impl Pipelines {
    /// Creates pipelines for memory of at most this number of banks, and these additional buffers.
    pub(super) fn new(
        device: &wgpu::Device,
        most_banks: u32,
        beside: &[wgpu::BindGroupLayoutEntry],
    ) -> Self {
        let layout = |log: u32| {
            let banks = (0..1 << log).map(|bank| entry(Banks::binding(bank), STORED));
            let mut entries: Vec<wgpu::BindGroupLayoutEntry> = banks.collect();
            entries.extend(beside);
            let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            });
            let pipelines = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&bindings)],
                immediate_size: 0,
            });
            Layout { bindings, pipelines }
        };
        Pipelines { layouts: (0..=most_banks.ilog2()).map(layout).collect(), all: Arc::default() }
    }

    fn layout(&self, banks: Banks) -> Result<&Layout, BackendError> {
        let layout = self.layouts.get(banks.count.ilog2() as usize);
        layout.ok_or_else(|| internal(format!("{} banks", banks.count)))
    }

    /// Binds memory and the additional buffers.
    pub(super) fn bind<'b>(
        &self,
        device: &wgpu::Device,
        banks: Banks,
        buffers: impl Iterator<Item = (u32, wgpu::BufferBinding<'b>)>,
    ) -> Result<wgpu::BindGroup, BackendError> {
        let entry = |(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(buffer),
        };
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers.map(entry).collect();
        Ok(device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout(banks)?.bindings,
            entries: &entries,
        }))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a shader.
    pub(super) fn number(&self, shader: &Shader) -> usize {
        let mut known = self.known();
        if let Some(number) = known.numbers.get(shader) {
            return *number;
        }
        let number = known.shaders.len();
        known.numbers.insert(shader.clone(), number);
        known.shaders.push((shader.clone(), Default::default()));
        number
    }

    /// Returns the shader with this number, compiled for this number of banks.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the driver rejects it.
    pub(super) fn get(
        &self,
        device: &wgpu::Device,
        number: usize,
        banks: Banks,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let of_banks = banks.count.ilog2() as usize;
        let shader = match self.known().shaders.get(number) {
            None => return Err(internal("unknown kernel")),
            Some((shader, made)) => match made.get(of_banks) {
                Some(Some(pipeline)) => return Ok(pipeline.clone()),
                Some(None) | None => shader.clone(),
            },
        };
        let internal_scope = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(shader.text(banks).into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&self.layout(banks)?.pipelines),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let refused = [answer(scope.pop()), answer(internal_scope.pop())];
        for refused in refused {
            match refused {
                Ok(None) => {}
                Ok(Some(error)) => {
                    return Err(BackendError::Unsupported {
                        what: format!("this kernel: {error}"),
                    });
                }
                Err(why) => return Err(internal(why)),
            }
        }
        if let Some((_, made)) = self.known().shaders.get_mut(number)
            && let Some(made) = made.get_mut(of_banks)
        {
            *made = Some(pipeline.clone());
        }
        Ok(pipeline)
    }
}
