//! The control unit on an adapter, through wgpu: the only module that knows it. `grid`: kernels beside it. `window`: what of the
//! heap the host has.

mod grid;
mod window;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use star_base::limbs::OutOfMemory;
use star_shaders::layout::STATE_WORDS;
use star_vm::BackendError;

use self::window::bytes_of;
use crate::grid::Grid;
use crate::program::internal;
use crate::unit::{State, Unit};

/// Which adapter, and sizes that must not matter; `None` is what suits the adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSettings {
    /// Part of the adapter's name, in any case.
    pub adapter: Option<String>,
    /// Threads of the workgroup.
    pub threads: Option<u32>,
    /// Turns of loops in a dispatch.
    pub budget: Option<u32>,
    /// Words that the heap has at first.
    pub words: Option<u32>,
    /// Bits of a table from which on loops over its lines run as kernels over a grid.
    pub least_bits: Option<u64>,
    /// How programs run.
    pub mode: Mode,
}

/// How programs run on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Natives and loops that can be as kernels over a grid, everything else on the control unit.
    #[default]
    Auto,
    /// Everything on the control unit.
    Resident,
    /// As [`Mode::Auto`]; a program of which nothing can run as kernels over a grid is refused.
    Lifted,
}

impl DeviceSettings {
    /// Everything as small as can be.
    pub fn tiny() -> Self {
        let (threads, budget, words) = (Some(4), Some(200), Some(64));
        let least_bits = Some(1);
        DeviceSettings { threads, budget, words, least_bits, ..DeviceSettings::default() }
    }
}

/// Turns of loops in a dispatch on an adapter that is a processor: llvmpipe ends a shader without a word after 65,535.
const PROCESSOR_TURNS: u32 = 50_000;
/// Beyond that, for an instruction.
const PROCESSOR_SLACK: u32 = 10_000;
/// Likewise on others: some ten milliseconds.
const TURNS: u32 = 400_000;
/// A small budget holds for so many dispatches of a run, and a middle one behind them: a long test would else take minutes.
const SMALL_DISPATCHES: u32 = 300;
const MIDDLE_TURNS: u32 = 5_000;
/// Threads of a workgroup, likewise.
const PROCESSOR_THREADS: u32 = 8;
const THREADS: u32 = 256;
/// How long a dispatch may take. Budgets keep them to some ten milliseconds; a processor may be busy with others.
const PATIENCE: Duration = Duration::from_secs(60);
/// Words that a heap has at first.
const WORDS: u32 = 1 << 18;
/// Words whose zeros are written rather than made on the device.
const SHORT: u32 = 1 << 12;
/// Bytes that are read back at once.
const STAGING_BYTES: u64 = 8 << 20;

/// An adapter that was opened, with the compiled control unit.
#[derive(Clone)]
struct Opened {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    about: String,
    threads: u32,
    turns: u32,
    is_processor: bool,
    max_bytes: u64,
    kernels: grid::Kernels,
    /// Why the device was lost, once it was.
    lost: Arc<Mutex<Option<String>>>,
}

/// The control unit on a device.
pub(crate) struct Device {
    opened: Opened,
    budget: u32,
    heap: wgpu::Buffer,
    words: u32,
    code: Option<wgpu::Buffer>,
    state: wgpu::Buffer,
    staging: wgpu::Buffer,
    bindings: Option<wgpu::BindGroup>,
    window: window::Window,
    grid: Option<grid::GridParts>,
    least_bits: Option<u64>,
}

/// Adapters that were opened in this process, with the settings that they were opened for.
static OPENED: Mutex<Vec<(DeviceSettings, Opened)>> = Mutex::new(Vec::new());

/// The answer of a future that does not wait for anybody.
fn answer<T>(future: impl Future<Output = T>) -> Result<T, String> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Ok(answer),
        Poll::Pending => Err("the driver did not answer".to_owned()),
    }
}

/// The best adapter that there is, or the one of this name.
fn adapter(wanted: Option<&str>) -> Result<wgpu::Adapter, String> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(descriptor);
    let found = answer(instance.enumerate_adapters(wgpu::Backends::PRIMARY))?;
    if found.is_empty() {
        return Err("no adapter: there is no driver for Vulkan, Metal or Direct3D 12".to_owned());
    }
    let names: Vec<String> = found.iter().map(|adapter| adapter.get_info().name).collect();
    let suits = |adapter: &wgpu::Adapter| match wanted {
        None => true,
        Some(part) => adapter.get_info().name.to_lowercase().contains(&part.to_lowercase()),
    };
    let mut suitable: Vec<wgpu::Adapter> = found.into_iter().filter(suits).collect();
    suitable.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu => 3,
        wgpu::DeviceType::Other => 4,
    });
    let none = || {
        let part = wanted.unwrap_or_default();
        format!("no adapter's name has `{part}` in it; there are: {}", names.join(", "))
    };
    suitable.into_iter().next().ok_or_else(none)
}

impl Opened {
    fn new(settings: &DeviceSettings) -> Result<Opened, String> {
        let mut all = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = |known: &DeviceSettings| {
            (&known.adapter, known.threads) == (&settings.adapter, settings.threads)
        };
        let usable = |opened: &Opened| opened.why_lost().is_none();
        if let Some((_, opened)) = all.iter().find(|(known, it)| alike(known) && usable(it)) {
            return Ok(opened.clone());
        }
        let opened = Opened::anew(settings)?;
        all.retain(|(known, _)| !alike(known));
        all.push((settings.clone(), opened.clone()));
        Ok(opened)
    }

    fn anew(settings: &DeviceSettings) -> Result<Opened, String> {
        let adapter = adapter(settings.adapter.as_deref())?;
        let info = adapter.get_info();
        let is_processor = info.device_type == wgpu::DeviceType::Cpu;
        let limits = adapter.limits();
        let threads = settings.threads.unwrap_or(match is_processor {
            true => PROCESSOR_THREADS,
            false => THREADS.min(limits.max_compute_invocations_per_workgroup),
        });
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("star"),
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let opened = answer(adapter.request_device(&descriptor))?;
        let (device, queue) = opened.map_err(|error| format!("{}: {error}", info.name))?;
        let lost = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&lost);
        device.set_device_lost_callback(move |_, why| {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        });
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("control unit"),
            source: wgpu::ShaderSource::Wgsl(star_shaders::control_unit(threads).into()),
        });
        let entry = |binding: u32, read_only: bool| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("control unit"),
            entries: &[entry(0, false), entry(1, true), entry(2, false)],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("control unit"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("control unit"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let refused = [answer(scope.pop())?, answer(internal.pop())?];
        if let Some(error) = refused.into_iter().flatten().next() {
            return Err(format!("{} refuses the control unit: {error}", info.name));
        }
        let kind = format!("{:?}", info.backend);
        let driver = format!("{} {}", info.driver, info.driver_info);
        Ok(Opened {
            device,
            queue,
            pipeline,
            layout,
            about: format!("{}, {kind}, {}, {threads} threads", info.name, driver.trim()),
            threads,
            turns: if is_processor { PROCESSOR_TURNS } else { TURNS },
            is_processor,
            // Places are words of 32 bits, and one buffer holds them all.
            max_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            kernels: grid::Kernels::default(),
            lost,
        })
    }

    fn why_lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn buffer(&self, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, BackendError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        });
        match answer(scope.pop()) {
            Ok(None) => Ok(buffer),
            Ok(Some(_)) => Err(OutOfMemory { n_bytes: u128::from(bytes) }.into()),
            Err(why) => Err(internal(why)),
        }
    }
}

const STORED: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

impl Device {
    /// Opens an adapter.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn open(settings: &DeviceSettings) -> Result<Device, String> {
        let opened = Opened::new(settings)?;
        let words = settings.words.unwrap_or(WORDS);
        let buffer = |bytes: u64, usage| {
            opened.buffer(bytes, usage).map_err(|error| format!("{}: {error}", opened.about))
        };
        let read_back = wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);
        Ok(Device {
            budget: settings.budget.unwrap_or(opened.turns),
            heap: buffer(u64::from(words) * 4, STORED)?,
            words,
            code: None,
            state: buffer(u64::from(STATE_WORDS) * 4, STORED)?,
            staging: buffer(STAGING_BYTES, read_back)?,
            bindings: None,
            window: window::Window::new(words),
            grid: None,
            least_bits: settings.least_bits,
            opened,
        })
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.opened.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    /// Sends what was recorded; `bytes` of the staging buffer come back.
    fn submit(
        &mut self,
        encoder: wgpu::CommandEncoder,
        bytes: u64,
    ) -> Result<Vec<u32>, BackendError> {
        let lost = |why: String| BackendError::DeviceLost { why };
        if let Some(why) = self.opened.why_lost() {
            return Err(lost(why));
        }
        let submission = self.opened.queue.submit([encoder.finish()]);
        let slice = self.staging.slice(..bytes);
        let (noted, mapped) = mpsc::channel();
        slice.map_async(wgpu::MapMode::Read, move |result| {
            // Whoever asked may have given up.
            let _ = noted.send(result);
        });
        // What other runs have sent meanwhile is theirs to wait for.
        let submission_index = Some(submission);
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(PATIENCE) };
        let polled = self.opened.device.poll(wait);
        if polled.is_err() {
            // Whatever it does, nobody waits for it any more, and nobody opens it again.
            let mut lost = self.opened.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| format!("no answer in {} s", PATIENCE.as_secs()));
        }
        if let Some(why) = self.opened.why_lost() {
            return Err(lost(why));
        }
        polled.map_err(|error| lost(error.to_string()))?;
        // Another thread that waits for the device may be the one that says so.
        match mapped.recv_timeout(PATIENCE) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(lost(error.to_string())),
            Err(_) => return Err(lost("nothing came back".to_owned())),
        }
        let view = slice.get_mapped_range().map_err(|error| lost(error.to_string()))?;
        let words = view.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]));
        let words = words.collect();
        drop(view);
        self.staging.unmap();
        Ok(words)
    }
}

impl Unit for Device {
    fn device(&self) -> String {
        self.opened.about.clone()
    }

    fn threads(&self) -> u32 {
        self.opened.threads
    }

    fn budget(&self, dispatch: u32) -> u32 {
        if dispatch < SMALL_DISPATCHES { self.budget } else { self.budget.max(MIDDLE_TURNS) }
    }

    fn max_turns(&self) -> u32 {
        match self.opened.is_processor {
            true => PROCESSOR_TURNS + PROCESSOR_SLACK,
            false => u32::MAX,
        }
    }

    fn max_words(&self) -> u64 {
        self.opened.max_bytes / 4
    }

    fn words(&self) -> u32 {
        self.words
    }

    fn grow(&mut self, words: u32) -> Result<(), BackendError> {
        self.flush();
        let larger = self.opened.buffer(u64::from(words) * 4, STORED)?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(&self.heap, 0, &larger, 0, u64::from(self.words) * 4);
        self.opened.queue.submit([encoder.finish()]);
        (self.heap, self.words, self.bindings) = (larger, words, None);
        Ok(())
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError> {
        if self.read_window(at, into)? {
            return Ok(());
        }
        self.flush();
        for (idx, piece) in into.chunks_mut(STAGING_BYTES as usize / 4).enumerate() {
            let start = u64::from(at) * 4 + idx as u64 * STAGING_BYTES;
            let bytes = piece.len() as u64 * 4;
            let mut encoder = self.encoder();
            encoder.copy_buffer_to_buffer(&self.heap, start, &self.staging, 0, bytes);
            piece.copy_from_slice(&self.submit(encoder, bytes)?);
        }
        Ok(())
    }

    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError> {
        let n = self.write_window(at, from);
        let (at, from) = (at + n as u32, &from[n..]);
        if !from.is_empty() {
            self.opened.queue.write_buffer(&self.heap, u64::from(at) * 4, &bytes_of(from));
        }
        Ok(())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError> {
        if self.window.copy(from, to, words) {
            return Ok(());
        }
        self.flush();
        self.window.forget();
        // A buffer cannot be copied to itself.
        let bytes = u64::from(words) * 4;
        let between = self.opened.buffer(bytes, STORED)?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(&self.heap, u64::from(from) * 4, &between, 0, bytes);
        encoder.copy_buffer_to_buffer(&between, 0, &self.heap, u64::from(to) * 4, bytes);
        self.opened.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError> {
        // What is short goes with other writes.
        if words <= SHORT {
            return self.write(at, &vec![0; words as usize]);
        }
        self.flush();
        self.window.cover(at, words as usize);
        self.window.forget();
        let mut encoder = self.encoder();
        encoder.clear_buffer(&self.heap, u64::from(at) * 4, Some(u64::from(words) * 4));
        self.opened.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError> {
        let buffer = self.opened.buffer(code.len() as u64 * 4, STORED)?;
        self.opened.queue.write_buffer(&buffer, 0, &bytes_of(code));
        (self.code, self.bindings) = (Some(buffer), None);
        Ok(())
    }

    fn grid(&mut self) -> Option<&mut dyn Grid> {
        Some(self)
    }

    fn dispatch(&mut self, state: &mut State) -> Result<(), BackendError> {
        let code = self.code.as_ref().ok_or_else(|| internal("a dispatch without code"))?;
        let bindings = self.bindings.get_or_insert_with(|| {
            let entry = |binding: u32, buffer: &wgpu::Buffer| (binding, buffer.clone());
            let buffers = [entry(0, &self.heap), entry(1, code), entry(2, &self.state)];
            let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
                .iter()
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding: *binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            self.opened.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &self.opened.layout,
                entries: &entries,
            })
        });
        let bindings = bindings.clone();
        self.flush();
        self.opened.queue.write_buffer(&self.state, 0, &bytes_of(state));
        let mut encoder = self.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: None,
            });
            pass.set_pipeline(&self.opened.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        let bytes = u64::from(STATE_WORDS) * 4;
        encoder.copy_buffer_to_buffer(&self.state, 0, &self.staging, 0, bytes);
        let seen = self.window.len() as u64 * 4;
        if seen > 0 {
            encoder.copy_buffer_to_buffer(&self.heap, 0, &self.staging, bytes, seen);
        }
        let words = self.submit(encoder, bytes + seen)?;
        let (ended, seen) = words.split_at(state.len());
        state.copy_from_slice(ended);
        self.window.refresh(seen);
        Ok(())
    }
}
