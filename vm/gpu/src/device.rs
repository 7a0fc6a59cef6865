//! The control unit on an adapter, through wgpu: the only module that uses it. `dispatch`:
//! execution. `grid`: kernels over a grid. `window`: the host's copy of the beginning of the heap.
//! `settings`: options. `banks`: memory. `pipelines`: compiled shaders. `clock`: timestamps.
//! `adapter`: selection of the adapter. `stderr`: messages of drivers. `queued`: submissions that
//! run while others are prepared.

mod adapter;
mod banks;
mod clock;
mod dispatch;
mod grid;
mod pipelines;
mod queued;
mod settings;
mod stderr;
mod window;

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use star_shaders::layout::{ALL_STATE_WORDS, JOURNAL_WORDS};
use star_shaders::{Banks, Variant};
use star_value::OutOfMemory;
use star_vm::BackendError;

use self::adapter::{adapter, answer};
use self::banks::{Division, Memory};
use self::clock::Clock;
use self::pipelines::{Pipelines, entry};
use crate::device_trait::{AHEAD_WORDS, ControlUnit, Moved, State, Wide};
use crate::grid::Grid;
use crate::program::internal;

pub use self::settings::{DeviceSettings, Mode};

/// Loop iterations per dispatch on an adapter that is a processor: llvmpipe silently ends a shader
/// after 65,535.
const PROCESSOR_ITERATIONS: u32 = 50_000;
/// Additional iterations for one instruction.
const PROCESSOR_SLACK: u32 = 10_000;
/// Loop iterations per dispatch on other adapters: some ten milliseconds.
const ITERATIONS: u32 = 400_000;
/// Number of dispatches of a run to which a small budget applies, and then a middle one: a long
/// test would otherwise run for minutes.
const SMALL_DISPATCHES: u32 = 300;
const MIDDLE_ITERATIONS: u32 = 5_000;
/// Threads of a workgroup on an adapter that is a processor.
const PROCESSOR_THREADS: u32 = 8;
const THREADS: u32 = 256;
/// Time limit of a dispatch. Budgets keep dispatches to some ten milliseconds; a processor may be
/// busy with other work.
const PATIENCE: Duration = Duration::from_secs(60);
/// Initial number of words of a heap.
const WORDS: u32 = 1 << 18;
/// Maximum number of words whose zeros are written rather than generated on the device.
const SHORT: u32 = 1 << 12;
/// Bytes that are written before they are submitted.
const UNSENT_BYTES: u64 = 64 << 20;
/// Words that are copied at once.
const BETWEEN_WORDS: u32 = 1 << 24;
/// Bytes that are read back at once.
const STAGING_BYTES: u64 = 8 << 20;

/// An open adapter, with the compiled control unit.
#[derive(Clone)]
struct Opened {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Control units, and the kernel of wide lines.
    units: Pipelines,
    wide: usize,
    grids: Pipelines,
    division: Division,
    about: String,
    threads: u32,
    iterations: u32,
    is_processor: bool,
    /// The reason of a device loss.
    lost: Arc<Mutex<Option<String>>>,
}

/// The control unit on a device.
pub(crate) struct Device {
    opened: Opened,
    budget: u32,
    wide: Wide,
    ahead_words: u32,
    journal_words: u32,
    /// The journal of the last dispatch.
    journal: Vec<u32>,
    memory: Memory,
    /// Number of bytes written but not submitted.
    unsent: u64,
    /// The last submission of such bytes.
    sent: Option<wgpu::SubmissionIndex>,
    moved: Moved,
    code: Option<wgpu::Buffer>,
    /// The required variant of the control unit, and the numbers of the requested variants.
    variant: Variant,
    units: [Option<usize>; Variant::COUNT],
    state: wgpu::Buffer,
    staging: wgpu::Buffer,
    clock: Option<Clock>,
    bindings: Option<wgpu::BindGroup>,
    grid_bindings: Option<wgpu::BindGroup>,
    window: window::Window,
    grid: Option<grid::GridParts>,
    queued: queued::Queued,
    least_bits: Option<u64>,
    shared_bytes: Option<u32>,
    max_groups: Option<u32>,
    small_groups: bool,
}

/// The open adapters of this process, with their settings.
static OPENED: Mutex<Vec<(DeviceSettings, Opened)>> = Mutex::new(Vec::new());

impl Opened {
    fn new(settings: &DeviceSettings) -> Result<Opened, String> {
        let mut all = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = |known: &DeviceSettings| {
            (&known.adapter, known.threads, known.bank_words)
                == (&settings.adapter, settings.threads, settings.bank_words)
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
        let adapter = adapter(settings.adapter.as_deref(), settings.number)?;
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
        let division = Division::new(&limits, settings.bank_words);
        let read_only = wgpu::BufferBindingType::Storage { read_only: true };
        let beside = [entry(1, read_only), entry(2, pipelines::STORED)];
        let units = Pipelines::new(&device, division.most, &beside);
        let wide = units.number(&star_shaders::wide(threads));
        // The control unit itself is compiled for the requirements of a program.
        let empty = units.number(&star_shaders::empty(threads));
        let refused = |error| format!("{} rejects the control unit: {error}", info.name);
        let first = Banks { count: 1, log_words: division.log_words };
        units.get(&device, empty, first).map_err(refused)?;
        let kind = format!("{:?}", info.backend);
        let driver = format!("{} {}", info.driver, info.driver_info);
        Ok(Opened {
            about: format!("{}, {kind}, {}, {threads} threads", info.name, driver.trim()),
            threads,
            iterations: if is_processor { PROCESSOR_ITERATIONS } else { ITERATIONS },
            is_processor,
            grids: Pipelines::new(&device, division.most, &grid::beside()),
            division,
            units,
            wide,
            device,
            queue,
            lost,
        })
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    fn why_lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn buffer(&self, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, BackendError> {
        self.created(bytes, usage, false)
    }

    /// Creates a buffer that is mapped for writing.
    fn mapped_buffer(
        &self,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, BackendError> {
        self.created(bytes, usage, true)
    }

    fn created(
        &self,
        bytes: u64,
        usage: wgpu::BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer, BackendError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation,
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
    /// The reason why it cannot be used, as text.
    pub(crate) fn open(settings: &DeviceSettings) -> Result<Device, String> {
        let opened = Opened::new(settings)?;
        let words = settings.words.unwrap_or(WORDS);
        let buffer = |bytes: u64, usage| {
            opened.buffer(bytes, usage).map_err(|error| format!("{}: {error}", opened.about))
        };
        let read_back = wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);
        Ok(Device {
            budget: settings.budget.unwrap_or(opened.iterations),
            wide: settings.wide.unwrap_or(match opened.is_processor {
                true => Wide::PROCESSOR,
                false => Wide::CARD,
            }),
            ahead_words: settings.ahead_words.unwrap_or(AHEAD_WORDS),
            journal_words: settings.journal_words.unwrap_or(JOURNAL_WORDS).min(JOURNAL_WORDS),
            journal: Vec::new(),
            memory: Memory::new(&opened, words)
                .map_err(|error| format!("{}: {error}", opened.about))?,
            unsent: 0,
            sent: None,
            moved: Moved::default(),
            code: None,
            variant: Variant::default(),
            units: [None; Variant::COUNT],
            state: buffer(u64::from(ALL_STATE_WORDS) * 4, STORED)?,
            staging: buffer(STAGING_BYTES, read_back)?,
            clock: Clock::new(&opened).map_err(|error| format!("{}: {error}", opened.about))?,
            bindings: None,
            grid_bindings: None,
            window: window::Window::new(words.min(opened.division.words())),
            grid: None,
            queued: queued::Queued::default(),
            least_bits: settings.least_bits,
            shared_bytes: settings.shared_bytes,
            max_groups: settings.max_groups,
            small_groups: settings.small_groups,
            opened,
        })
    }

    /// Submits the recorded commands and returns these words of the staging buffer.
    fn submit(
        &mut self,
        encoder: wgpu::CommandEncoder,
        into: &mut [u32],
    ) -> Result<(), BackendError> {
        let lost = |why: String| BackendError::DeviceLost { why };
        if let Some(why) = self.opened.why_lost() {
            return Err(lost(why));
        }
        let submission = self.opened.queue.submit([encoder.finish()]);
        let slice = self.staging.slice(..into.len() as u64 * 4);
        let (noted, mapped) = mpsc::channel();
        // The receiver may have timed out.
        slice.map_async(wgpu::MapMode::Read, move |result| drop(noted.send(result)));
        self.wait_for(submission)?;
        self.mapped(&mapped)?;
        let view = slice.get_mapped_range().map_err(|error| lost(error.to_string()))?;
        bytemuck::cast_slice_mut(into).copy_from_slice(&view);
        self.moved.reads += 1;
        self.moved.back += into.len() as u64 * 4;
        drop(view);
        self.staging.unmap();
        Ok(())
    }

    /// Waits for a submission; those of other runs in the meantime are not waited for.
    fn wait_for(&self, submission: wgpu::SubmissionIndex) -> Result<(), BackendError> {
        let lost = |why: String| BackendError::DeviceLost { why };
        let submission_index = Some(submission);
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(PATIENCE) };
        let polled = self.opened.device.poll(wait);
        if polled.is_err() {
            // Whatever it does, it is not waited for any more, and not opened again.
            let mut lost = self.opened.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| format!("no answer in {} s", PATIENCE.as_secs()));
        }
        if let Some(why) = self.opened.why_lost() {
            return Err(lost(why));
        }
        polled.map(drop).map_err(|error| lost(error.to_string()))
    }

    /// Receives the result of mapping a buffer; another thread that waits for the device may report
    /// it.
    fn mapped(
        &self,
        result: &mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    ) -> Result<(), BackendError> {
        let lost = |why: String| BackendError::DeviceLost { why };
        match result.recv_timeout(PATIENCE) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(lost(error.to_string())),
            Err(_) => Err(lost("the device returned no data".to_owned())),
        }
    }
}

/// Returns the binding of a whole buffer.
fn whole(buffer: &wgpu::Buffer) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset: 0, size: None }
}

impl ControlUnit for Device {
    fn device(&self) -> String {
        self.opened.about.clone()
    }

    fn threads(&self) -> u32 {
        self.opened.threads
    }

    fn budget(&self, dispatch: u32) -> u32 {
        if dispatch < SMALL_DISPATCHES { self.budget } else { self.budget.max(MIDDLE_ITERATIONS) }
    }

    fn wide(&self) -> Wide {
        self.wide
    }

    fn ahead_words(&self) -> u32 {
        self.ahead_words
    }

    fn journal_words(&self) -> u32 {
        self.journal_words
    }

    fn journal(&self) -> &[u32] {
        &self.journal
    }

    fn max_iterations(&self) -> u32 {
        match self.opened.is_processor {
            true => PROCESSOR_ITERATIONS + PROCESSOR_SLACK,
            false => u32::MAX,
        }
    }

    fn max_words(&self) -> u64 {
        self.opened.division.most_words()
    }

    fn bank_words(&self) -> u32 {
        self.opened.division.words()
    }

    fn words(&self) -> u32 {
        self.memory.words
    }

    fn moved(&self) -> Moved {
        self.moved
    }

    fn grow(&mut self, words: u32) -> Result<(), BackendError> {
        self.flush();
        (self.bindings, self.grid_bindings) = (None, None);
        self.memory.grow(&self.opened, words)
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError> {
        if self.read_window(at, into)? {
            return Ok(());
        }
        self.flush();
        let mut rest = into;
        let all = self.memory.division.spans(at, rest.len() as u32, (STAGING_BYTES / 4) as u32);
        for span in all {
            let (piece, behind) = rest.split_at_mut(span.words as usize);
            let bytes = u64::from(span.words) * 4;
            let mut encoder = self.opened.encoder();
            let from = &self.memory.banks[span.bank];
            encoder.copy_buffer_to_buffer(from, span.start, &self.staging, 0, bytes);
            self.submit(encoder, piece)?;
            rest = behind;
        }
        Ok(())
    }

    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError> {
        let n = self.write_window(at, from);
        let (at, mut rest) = (at + n as u32, &from[n..]);
        for span in self.memory.division.spans(at, rest.len() as u32, u32::MAX) {
            let (piece, behind) = rest.split_at(span.words as usize);
            let into = &self.memory.banks[span.bank];
            self.opened.queue.write_buffer(into, span.start, bytemuck::cast_slice(piece));
            self.unsent += u64::from(span.words) * 4;
            self.moved.sent += u64::from(span.words) * 4;
            rest = behind;
        }
        // Data not yet copied occupies memory of the host a second time: while the device copies
        // some of it, the host prepares no more than the same amount.
        if self.unsent >= UNSENT_BYTES {
            self.unsent = 0;
            let now = self.opened.queue.submit([]);
            if let Some(before) = self.sent.replace(now) {
                self.wait_for(before)?;
            }
        }
        Ok(())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError> {
        if words == 0 || self.window.copy(from, to, words) {
            return Ok(());
        }
        if self.window.reaches(from) || self.window.reaches(to) {
            self.flush();
            self.window.forget();
        }
        // A buffer cannot be copied to itself.
        let most = words.min(BETWEEN_WORDS);
        let between = self.opened.buffer(u64::from(most) * 4, STORED)?;
        let mut done = 0;
        while done < words {
            let piece = most.min(words - done);
            let mut encoder = self.opened.encoder();
            let mut at = 0;
            for span in self.memory.division.spans(from + done, piece, most) {
                let (bank, bytes) = (&self.memory.banks[span.bank], u64::from(span.words) * 4);
                encoder.copy_buffer_to_buffer(bank, span.start, &between, at, bytes);
                at += bytes;
            }
            at = 0;
            for span in self.memory.division.spans(to + done, piece, most) {
                let (bank, bytes) = (&self.memory.banks[span.bank], u64::from(span.words) * 4);
                encoder.copy_buffer_to_buffer(&between, at, bank, span.start, bytes);
                at += bytes;
            }
            self.opened.queue.submit([encoder.finish()]);
            done += piece;
        }
        Ok(())
    }

    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError> {
        // Short data is combined with other writes.
        if words <= SHORT {
            return self.write(at, &vec![0; words as usize]);
        }
        if self.window.reaches(at) {
            self.flush();
            self.window.cover(at, words as usize);
            self.window.forget();
        }
        let mut encoder = self.opened.encoder();
        for span in self.memory.division.spans(at, words, u32::MAX) {
            let bytes = Some(u64::from(span.words) * 4);
            encoder.clear_buffer(&self.memory.banks[span.bank], span.start, bytes);
        }
        self.opened.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError> {
        let buffer = self.opened.buffer(code.len() as u64 * 4, STORED)?;
        self.opened.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(code));
        self.moved.sent += code.len() as u64 * 4;
        (self.code, self.bindings) = (Some(buffer), None);
        self.variant = Variant::of(code);
        Ok(())
    }

    fn grid(&mut self) -> Option<&mut dyn Grid> {
        Some(self)
    }

    fn dispatch(&mut self, state: &mut State, n_wide: u32) -> Result<Option<u64>, BackendError> {
        self.run_unit(state, n_wide)
    }
}
