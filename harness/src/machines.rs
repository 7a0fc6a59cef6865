//! Registry of backends with settings that must not affect results.

use std::num::NonZeroUsize;

use crate::card_team::CardTeam;
use star::pipeline::Machine;
use star::pipeline::backends::{Availability, ready};
#[cfg(feature = "gpu")]
use star_gpu::{DeviceSettings, EmulatorSettings, Gpu};
use star_vm::exchange::PartitionSettings;
use star_vm::kernels::Kernels;
use star_vm::reference::{ForallOrder, Settings};
use star_vm::team::Team;
use star_vm::{CompileOptions, Cpu, Reference};

/// A machine that can be created: a backend with its settings.
#[derive(Clone, Copy, Debug)]
pub struct MachineSpec {
    /// Its name.
    pub name: &'static str,
    /// A description for people.
    pub about: &'static str,
    /// Does it use its intrinsics, if any?
    pub intrinsics: bool,
    /// The backend that limits the memory: one that `star run --backend` accepts.
    pub backend: &'static str,
    make: fn() -> Availability,
}

/// All machines. The first is authoritative: the others are compared with it. A new backend, or a
/// setting that must not affect results, is one entry here.
pub const MACHINES: &[MachineSpec] = &[
    MachineSpec {
        name: "reference",
        about: "the specification",
        intrinsics: false,
        backend: "reference",
        make: || ready(Reference::new()),
    },
    MachineSpec {
        name: "reference-backward",
        about: "the reference, each `forall` backward",
        intrinsics: false,
        backend: "reference",
        make: || ready(backward()),
    },
    MachineSpec {
        name: "cpu",
        about: "the packed backend",
        intrinsics: true,
        backend: "cpu",
        make: || ready(Cpu::new()),
    },
    MachineSpec {
        name: "cpu-tiny",
        about: "the packed backend, with all its sizes minimal",
        intrinsics: true,
        backend: "cpu",
        make: || ready(tiny()),
    },
    MachineSpec {
        name: "cpu-baseline",
        about: "the packed backend with the portable kernels, one thread, no intrinsics, \
            everything recorded",
        intrinsics: false,
        backend: "cpu",
        make: || ready(baseline()),
    },
    MachineSpec {
        name: "cpu-sparse",
        about: "the packed backend, every table sparse and every slice with a summary of its blocks",
        intrinsics: false,
        backend: "cpu",
        make: || ready(Cpu::with(star_vm::cpu::Settings::sparse(), Kernels::detect())),
    },
    MachineSpec {
        name: "cpu-forms",
        about: "the packed backend, with random changes of the forms of tables between \
            instructions",
        intrinsics: false,
        backend: "cpu",
        make: || ready(Cpu::with(star_vm::cpu::Settings::random_forms(), Kernels::detect())),
    },
];

/// The packed backend on ranks that share the rows of every slice and table; they run only on
/// request.
pub const TEAMS: &[MachineSpec] = &[
    team("ranks-1", || ready(ranks(1))),
    team("ranks-2", || ready(ranks(2))),
    team("ranks-3", || ready(ranks(3))),
    team("ranks-7", || ready(ranks(7))),
    team("ranks-sparse", || ready(Team { settings: star_vm::cpu::Settings::sparse(), ..ranks(3) })),
];

/// Programs distributed over ranks, whose backends know no ranks; they run only on request.
pub const CARDS: &[MachineSpec] = &[
    cards("cards-reference-2", || ready(CardTeam::new(2, Reference::new))),
    cards("cards-reference-3", || ready(CardTeam::new(3, Reference::new))),
    #[cfg(feature = "gpu")]
    cards("cards-emulator-2", || {
        ready(CardTeam::new(2, || Gpu::emulator(EmulatorSettings::USUAL)))
    }),
    #[cfg(feature = "gpu")]
    cards("cards-gpu-2", || ready(CardTeam::new(2, open_tiny))),
];

/// Returns an entry of [`CARDS`].
const fn cards(name: &'static str, make: fn() -> Availability) -> MachineSpec {
    let about = "distributed programs on ranks that are threads";
    MachineSpec { name, about, intrinsics: false, backend: "reference", make }
}

/// Opens the GPU backend with minimal sizes for a rank.
#[cfg(feature = "gpu")]
#[expect(clippy::expect_used, reason = "the test that asks for it needs an adapter")]
fn open_tiny() -> Gpu {
    Gpu::open(&DeviceSettings::tiny()).expect("an adapter")
}

/// Returns an entry of [`TEAMS`].
const fn team(name: &'static str, make: fn() -> Availability) -> MachineSpec {
    let about = "the packed backend on ranks that are threads";
    MachineSpec { name, about, intrinsics: true, backend: "cpu", make }
}

/// Configurations that need a device or emulate one; they run only on request.
#[cfg(feature = "gpu")]
pub const DEVICES: &[MachineSpec] = &[
    MachineSpec {
        name: "gpu",
        about: "the GPU backend on the best adapter",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::default()),
    },
    MachineSpec {
        name: "gpu-tiny",
        about: "the same, with all sizes minimal",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::tiny()),
    },
    MachineSpec {
        name: "gpu-banks",
        about: "the same, with memory in many small buffers",
        intrinsics: true,
        backend: "gpu",
        make: || device(&DeviceSettings::tiny_banks()),
    },
    MachineSpec {
        name: "gpu-emulator",
        about: "the emulator of the GPU backend's control unit, which checks for races between \
            its threads",
        intrinsics: false,
        backend: "reference",
        make: || ready(Gpu::emulator(EmulatorSettings::USUAL)),
    },
    MachineSpec {
        name: "gpu-emulator-tiny",
        about: "the same, with all sizes minimal",
        intrinsics: false,
        backend: "reference",
        make: || ready(Gpu::emulator(EmulatorSettings::TINY)),
    },
];

/// There are no devices without the GPU backend.
#[cfg(not(feature = "gpu"))]
pub const DEVICES: &[MachineSpec] = &[];

impl MachineSpec {
    /// Returns the machine with this name, to be created.
    pub fn find(name: &str) -> Option<&'static MachineSpec> {
        MACHINES.iter().chain(TEAMS).chain(CARDS).chain(DEVICES).find(|spec| spec.name == name)
    }

    /// Creates the backend with these settings.
    ///
    /// # Errors
    /// Why it is not available.
    pub fn machine(&self) -> Result<Machine, String> {
        let options = CompileOptions { intrinsics: self.intrinsics, ..CompileOptions::default() };
        match (self.make)() {
            Availability::Ready(backend) => Ok(Machine { name: self.name, backend, options }),
            Availability::Unavailable { reason } => Err(reason),
        }
    }
}

/// Opens the GPU backend on an adapter.
#[cfg(feature = "gpu")]
fn device(settings: &DeviceSettings) -> Availability {
    match Gpu::open(settings) {
        Ok(gpu) => ready(gpu),
        Err(reason) => Availability::Unavailable { reason },
    }
}

/// Returns the reference with other settings that must not affect results.
fn backward() -> Reference {
    let (order, part, part_bytes) = (ForallOrder::Backward, NonZeroUsize::new(3), Some(1));
    Reference { settings: Settings { order, part, part_bytes } }
}

/// Returns the CPU backend with minimal sizes, so that the short data of tests crosses every
/// boundary.
fn tiny() -> Cpu {
    Cpu::with(star_vm::cpu::Settings::tiny(), Kernels::detect())
}

/// Returns the CPU backend with the kernels that every processor can run, with recording of
/// operations on slices of at least one limb, and with tables of one form, which changes when that
/// pays.
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

/// Returns the CPU backend on ranks that share the rows of slices and tables of every size. Two of
/// the teams record operations on slices of a limb and more.
fn ranks(n_ranks: usize) -> Team {
    let mut settings = star_vm::cpu::Settings { threads: Some(1), ..Default::default() };
    if matches!(n_ranks, 2 | 7) {
        settings.record_limbs = 1;
    }
    Team { n_ranks, settings, partition: PartitionSettings::tiny() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_configuration_is_found_by_name() {
        for spec in MACHINES {
            let found = MachineSpec::find(spec.name).map(MachineSpec::machine);
            let name = found.and_then(Result::ok).map(|machine| machine.name);
            assert_eq!(name, Some(spec.name));
        }
        assert!(MachineSpec::find("abacus").is_none());
    }
}
