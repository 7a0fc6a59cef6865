//! The backends by their names, with other settings of them that must not matter.

use std::num::NonZeroUsize;

#[cfg(feature = "gpu")]
use star_gpu::{DeviceSettings, EmulatorSettings, Gpu};
use star_vm::kernels::Kernels;
use star_vm::reference::{ForallOrder, Settings, TileHeight};
use star_vm::{CompileOptions, Cpu, Reference};

use crate::backends::{Availability, ready};
use crate::machine::Machine;

/// A backend with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Its name.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Does it take intrinsics, if it has some?
    pub intrinsics: bool,
    /// The backend that bounds the memory: one that `star run --backend` knows.
    pub backend: &'static str,
    make: fn() -> Availability,
}

/// All configurations. The first is the one whose word counts: the others are compared with it. A new
/// backend, or a setting of one that must not matter, is one entry here.
pub const MACHINES: &[Configuration] = &[
    Configuration {
        name: "reference",
        about: "the specification",
        intrinsics: false,
        backend: "reference",
        make: || ready(Reference::new()),
    },
    Configuration {
        name: "reference-backward",
        about: "the reference, each `forall` backward, tiles of 3 rows",
        intrinsics: false,
        backend: "reference",
        make: || ready(backward()),
    },
    Configuration {
        name: "cpu",
        about: "the packed backend",
        intrinsics: true,
        backend: "cpu",
        make: || ready(Cpu::new()),
    },
    Configuration {
        name: "cpu-tiny",
        about: "the packed backend, every size of its own as small as can be",
        intrinsics: true,
        backend: "cpu",
        make: || ready(tiny()),
    },
    Configuration {
        name: "cpu-baseline",
        about: "the packed backend with the kernels of every machine, one thread, no intrinsics, all recorded",
        intrinsics: false,
        backend: "cpu",
        make: || ready(baseline()),
    },
    Configuration {
        name: "cpu-sparse",
        about: "the packed backend, every table sparse and every slice with a summary of its blocks",
        intrinsics: false,
        backend: "cpu",
        make: || ready(Cpu::with(star_vm::cpu::Settings::sparse(), Kernels::detect())),
    },
    Configuration {
        name: "cpu-forms",
        about: "the packed backend, whose tables change their forms by chance between instructions",
        intrinsics: false,
        backend: "cpu",
        make: || ready(Cpu::with(star_vm::cpu::Settings::random_forms(), Kernels::detect())),
    },
];

/// Configurations that need a device, or stand for one; they run where they are named.
#[cfg(feature = "gpu")]
pub const DEVICES: &[Configuration] = &[
    Configuration {
        name: "gpu",
        about: "the GPU backend on the best adapter",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::default()),
    },
    Configuration {
        name: "gpu-tiny",
        about: "the same, every size as small as can be",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::tiny()),
    },
    Configuration {
        name: "gpu-banks",
        about: "the same, with memory in many small buffers",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::tiny_banks()),
    },
    Configuration {
        name: "gpu-emulator",
        about: "the control unit of the GPU backend in Rust, which checks what its threads share",
        intrinsics: false,
        backend: "reference",
        make: || ready(Gpu::emulator(EmulatorSettings::USUAL)),
    },
    Configuration {
        name: "gpu-emulator-tiny",
        about: "the same, every size as small as can be",
        intrinsics: false,
        backend: "reference",
        make: || ready(Gpu::emulator(EmulatorSettings::TINY)),
    },
];

/// Without the backend for graphics cards there is none.
#[cfg(not(feature = "gpu"))]
pub const DEVICES: &[Configuration] = &[];

impl Configuration {
    /// The configuration of this name.
    pub fn find(name: &str) -> Option<&'static Configuration> {
        MACHINES.iter().chain(DEVICES).find(|configuration| configuration.name == name)
    }

    /// The backend with these settings.
    ///
    /// # Errors
    /// Why it is not there.
    pub fn machine(&self) -> Result<Machine, String> {
        let options = CompileOptions { intrinsics: self.intrinsics, ..CompileOptions::default() };
        match (self.make)() {
            Availability::Ready(backend) => Ok(Machine { name: self.name, backend, options }),
            Availability::Unavailable { reason } => Err(reason),
        }
    }
}

/// The GPU backend on an adapter.
#[cfg(feature = "gpu")]
fn device(settings: &DeviceSettings) -> Availability {
    match Gpu::open(settings) {
        Ok(gpu) => ready(gpu),
        Err(reason) => Availability::Unavailable { reason },
    }
}

/// The reference with other choices that must not matter.
fn backward() -> Reference {
    let tile = NonZeroUsize::new(3).map_or(TileHeight::Whole, TileHeight::Rows);
    Reference { settings: Settings { order: ForallOrder::Backward, tile } }
}

/// The CPU backend with every size as small as it can be, so that the short data of tests cross every
/// border.
fn tiny() -> Cpu {
    Cpu::with(star_vm::cpu::Settings::tiny(), Kernels::detect())
}

/// The CPU backend with the kernels that every processor can run, with operations on slices of a limb and more
/// recorded, and with tables of one form, which changes when that pays.
fn baseline() -> Cpu {
    let settings = star_vm::cpu::Settings {
        threads: Some(1),
        record_limbs: 1,
        copy_bytes: 0,
        copy_share: u64::MAX,
        ..Default::default()
    };
    Cpu::with(settings, Kernels::baseline())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_configuration_is_found_by_its_name() {
        for configuration in MACHINES {
            let found = Configuration::find(configuration.name).map(Configuration::machine);
            let name = found.and_then(Result::ok).map(|machine| machine.name);
            assert_eq!(name, Some(configuration.name));
        }
        assert!(Configuration::find("abacus").is_none());
    }
}
