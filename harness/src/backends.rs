//! The backends by their names, one line each: `--backend`, `star doctor` and the tests know them from here.

use std::fmt;
use std::rc::Rc;

use star_vm::{Backend, Cpu, DynBackend, Reference, erase};

/// A backend that there is, or will be.
#[derive(Clone, Copy, Debug)]
pub struct BackendSpec {
    /// The name for `--backend`.
    pub name: &'static str,
    /// Is it part of this build, whether or not its device is there?
    pub in_build: bool,
    open: fn(&DeviceOptions<'_>) -> Availability,
}

/// Which device, and how programs run on it. Backends without a choice of either have nothing to look for.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions<'a> {
    /// Part of the adapter's name.
    pub adapter: Option<&'a str>,
    /// How programs run.
    pub mode: GpuMode,
}

/// How programs run on a graphics card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuMode {
    /// As kernels over the whole card where they can, otherwise on its control unit.
    #[default]
    Auto,
    /// On the control unit.
    Resident,
    /// As kernels, at least in part; a program that cannot is refused.
    Lifted,
}

impl GpuMode {
    /// All modes.
    pub const ALL: [GpuMode; 3] = [GpuMode::Auto, GpuMode::Resident, GpuMode::Lifted];

    /// Its name for `--gpu-mode`.
    pub fn name(self) -> &'static str {
        match self {
            GpuMode::Auto => "auto",
            GpuMode::Resident => "resident",
            GpuMode::Lifted => "lifted",
        }
    }

    /// The mode of this name.
    pub fn find(name: &str) -> Option<GpuMode> {
        GpuMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// Is a backend there?
#[derive(Clone)]
pub enum Availability {
    /// Yes.
    Ready(Rc<dyn DynBackend>),
    /// No.
    Unavailable {
        /// Why not.
        reason: String,
    },
}

/// All backends.
pub const BACKENDS: &[BackendSpec] = &[
    BackendSpec { name: "cpu", in_build: true, open: |_| ready(Cpu::new()) },
    BackendSpec { name: "reference", in_build: true, open: |_| ready(Reference::new()) },
    #[cfg(feature = "gpu")]
    BackendSpec { name: "gpu", in_build: true, open: open_gpu },
    #[cfg(not(feature = "gpu"))]
    BackendSpec {
        name: "gpu",
        in_build: false,
        open: |_| unavailable("not in this build".to_owned()),
    },
];

impl BackendSpec {
    /// The backend of this name.
    pub fn find(name: &str) -> Option<&'static BackendSpec> {
        BACKENDS.iter().find(|entry| entry.name == name)
    }

    /// Opens it on its best device.
    pub fn open(&self) -> Availability {
        (self.open)(&DeviceOptions::default())
    }

    /// Opens it on the device that is wanted.
    pub fn open_on(&self, wanted: &DeviceOptions<'_>) -> Availability {
        (self.open)(wanted)
    }
}

impl Availability {
    /// The backend, if it is there.
    pub fn ready(self) -> Option<Rc<dyn DynBackend>> {
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

/// The register code that the GPU backend makes of a program; `None` if it is not in this build.
#[cfg(feature = "gpu")]
pub fn register_code(program: star_ir::Program) -> Option<String> {
    Some(star_gpu::listing(program))
}

/// Likewise.
#[cfg(not(feature = "gpu"))]
pub fn register_code(_program: star_ir::Program) -> Option<String> {
    None
}

/// A backend that is there.
pub(crate) fn ready<B: Backend + 'static>(backend: B) -> Availability {
    Availability::Ready(erase(backend).into())
}

/// The GPU backend on an adapter.
#[cfg(feature = "gpu")]
fn open_gpu(wanted: &DeviceOptions<'_>) -> Availability {
    let adapter = wanted.adapter.map(str::to_owned);
    let mode = match wanted.mode {
        GpuMode::Auto => star_gpu::Mode::Auto,
        GpuMode::Resident => star_gpu::Mode::Resident,
        GpuMode::Lifted => star_gpu::Mode::Lifted,
    };
    let settings = star_gpu::DeviceSettings { adapter, mode, ..Default::default() };
    match star_gpu::Gpu::open(&settings) {
        Ok(gpu) => ready(gpu),
        Err(reason) => unavailable(reason),
    }
}

fn unavailable(reason: String) -> Availability {
    Availability::Unavailable { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_called_as_it_calls_itself_or_says_why_it_is_not_there() {
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
