//! Registry of backends by name, one line each, for `--backend`, `star doctor` and the tests.

use std::fmt;
use std::rc::Rc;
use std::sync::OnceLock;

use star_base::text;
#[cfg(feature = "gpu")]
pub use star_gpu::{Movers, MoversError};
use star_vm::cpu::Settings;
#[cfg(feature = "gpu")]
use star_vm::distributed::OnRank;
use star_vm::exchange::{Exchange, PartitionSettings};
use star_vm::kernels::Kernels;
use star_vm::{Backend, Cpu, DynBackend, Reference, erase};

/// A backend, present or planned.
#[derive(Clone, Copy, Debug)]
pub struct BackendSpec {
    /// The name for `--backend`.
    pub name: &'static str,
    /// Is it part of this build, whether or not a device is available?
    pub in_build: bool,
    open: fn(&DeviceOptions<'_>) -> Availability,
}

/// The requested device and mode. Backends without these choices ignore it.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions<'a> {
    /// Part of the adapter's name.
    pub adapter: Option<&'a str>,
    /// The mode of execution.
    pub mode: GpuMode,
}

/// Mode of execution on a graphics card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuMode {
    /// As kernels over the whole card where possible, otherwise on its control unit.
    #[default]
    Auto,
    /// On the control unit.
    Resident,
    /// As kernels, at least in part; a program for which that is impossible is rejected.
    Lifted,
}

impl GpuMode {
    /// All modes.
    pub const ALL: [GpuMode; 3] = [GpuMode::Auto, GpuMode::Resident, GpuMode::Lifted];

    /// Returns its name for `--gpu-mode`.
    pub fn name(self) -> &'static str {
        match self {
            GpuMode::Auto => "auto",
            GpuMode::Resident => "resident",
            GpuMode::Lifted => "lifted",
        }
    }

    /// Returns the mode with this name.
    pub fn find(name: &str) -> Option<GpuMode> {
        GpuMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// Availability of a backend.
#[derive(Clone)]
pub enum Availability {
    /// Available.
    Ready(Rc<DynBackend>),
    /// Not available.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

/// All backends.
pub const BACKENDS: &[BackendSpec] = &[
    BackendSpec { name: "cpu", in_build: true, open: |_| ready(cpu()) },
    BackendSpec { name: "reference", in_build: true, open: |_| ready(Reference::new()) },
    #[cfg(feature = "gpu")]
    BackendSpec { name: "gpu", in_build: true, open: open_gpu },
    #[cfg(not(feature = "gpu"))]
    BackendSpec {
        name: "gpu",
        in_build: false,
        open: |_| unavailable("not in this build".to_owned()),
    },
    BackendSpec { name: "ranks", in_build: false, open: |_| open_ranks() },
];

impl BackendSpec {
    /// Returns the backend with this name.
    pub fn find(name: &str) -> Option<&'static BackendSpec> {
        BACKENDS.iter().find(|entry| entry.name == name)
    }

    /// Opens it on its best device.
    pub fn open(&self) -> Availability {
        (self.open)(&DeviceOptions::default())
    }

    /// Opens it on the requested device.
    pub fn open_on(&self, wanted: &DeviceOptions<'_>) -> Availability {
        (self.open)(wanted)
    }
}

impl Availability {
    /// Returns the backend, if it is available.
    pub fn ready(self) -> Option<Rc<DynBackend>> {
        match self {
            Availability::Ready(backend) => Some(backend),
            Availability::Unavailable { .. } => None,
        }
    }
}

impl fmt::Debug for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Availability::Ready(backend) => f.debug_tuple("Ready").field(&backend.caps()).finish(),
            Availability::Unavailable { reason } => {
                f.debug_struct("Unavailable").field("reason", reason).finish()
            }
        }
    }
}

/// Returns the register code of a program for the GPU backend; `None` if it is not in this build.
#[cfg(feature = "gpu")]
pub fn register_code(program: star_ir::Program) -> Option<String> {
    Some(star_gpu::listing(program))
}

/// Returns the register code of a program for the GPU backend; `None` if it is not in this build.
#[cfg(not(feature = "gpu"))]
pub fn register_code(_program: star_ir::Program) -> Option<String> {
    None
}

/// Returns the CPU backend, with one thread for each core if threads are enabled.
pub(super) fn cpu() -> Cpu {
    let threads = if cfg!(feature = "threads") { None } else { Some(1) };
    Cpu::with(Settings { threads, ..Settings::default() }, Kernels::detect())
}

/// The connection of this process to the other ranks, and the partition of rows.
#[derive(Clone, Copy, Debug)]
pub struct RankSpec {
    /// Returns the connection.
    pub connect: fn() -> Rc<dyn Exchange>,
    /// The partition, the same on all ranks.
    pub partition: PartitionSettings,
    /// Number of threads of each rank; `None` for one for each core.
    pub threads: Option<usize>,
    /// The number of this rank among those of its host, from 0, which selects its graphics card.
    pub on_host: usize,
}

/// Set in a process that is a rank.
static RANK: OnceLock<RankSpec> = OnceLock::new();

/// Makes this process one of several ranks that run the same command: the backends `ranks` and
/// `gpu` share rows with the others. The first call counts.
pub fn join_ranks(rank: RankSpec) {
    let _ = RANK.set(rank);
}

/// Opens the CPU backend on this rank.
fn open_ranks() -> Availability {
    match RANK.get() {
        Some(RankSpec { connect, partition, threads, on_host: _ }) => {
            let settings = Settings { threads: *threads, ..Settings::default() };
            let cpu = Cpu::with(settings, Kernels::detect());
            ready(cpu.on_rank(connect(), *partition))
        }
        None => unavailable(
            "this process is alone; build `star-ranks` with `cargo build --release -p \
            star-ranks`, which needs Open MPI and libclang, and start `mpirun -n 4 star-ranks run \
            FILE`"
                .to_owned(),
        ),
    }
}

/// Returns the names of the backends in this build. Whether the device of a backend exists is known
/// only when it is opened.
pub fn names() -> impl Iterator<Item = &'static str> {
    BACKENDS.iter().filter(|entry| entry.in_build).map(|entry| entry.name)
}

/// Returns a note with the names of the backends in this build.
pub(super) fn available() -> String {
    format!("available backends: {}", text::quoted_list(names()))
}

/// Wraps an available backend.
pub fn ready<B: Backend + 'static>(backend: B) -> Availability {
    Availability::Ready(erase(backend).into())
}

/// Returns the settings for the requested device.
#[cfg(feature = "gpu")]
pub fn device_settings(wanted: &DeviceOptions<'_>) -> star_gpu::DeviceSettings {
    let adapter = wanted.adapter.map(str::to_owned);
    let mode = match wanted.mode {
        GpuMode::Auto => star_gpu::Mode::Auto,
        GpuMode::Resident => star_gpu::Mode::Resident,
        GpuMode::Lifted => star_gpu::Mode::Lifted,
    };
    star_gpu::DeviceSettings { adapter, mode, ..Default::default() }
}

/// Opens the GPU backend on an adapter: on a rank, on one of those of its host.
#[cfg(feature = "gpu")]
fn open_gpu(wanted: &DeviceOptions<'_>) -> Availability {
    let rank = RANK.get();
    let number = rank.map_or(0, |rank| rank.on_host);
    let settings = star_gpu::DeviceSettings { number, ..device_settings(wanted) };
    let gpu = match star_gpu::Gpu::open(&settings) {
        Ok(gpu) => gpu,
        Err(reason) => return unavailable(reason),
    };
    // A single rank has all rows: programs need no translation.
    let others = rank.map(|rank| ((rank.connect)(), rank.partition));
    match others.filter(|(exchange, _)| exchange.n_ranks() > 1) {
        None => ready(gpu),
        Some((exchange, partition)) => ready(OnRank::new(Rc::new(gpu), exchange, partition)),
    }
}

fn unavailable(reason: String) -> Availability {
    Availability::Unavailable { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_match_their_names_or_say_why_they_are_missing() {
        for entry in BACKENDS {
            assert!(BackendSpec::find(entry.name).is_some_and(|found| found.name == entry.name));
            match entry.open() {
                Availability::Ready(backend) => assert_eq!(backend.caps().name, entry.name),
                Availability::Unavailable { reason } => assert!(!reason.is_empty()),
            }
        }
        assert!(BackendSpec::find("abacus").is_none());
    }
}
