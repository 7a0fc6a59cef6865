//! The backends by their names, with other settings of them that must not matter.

use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::LazyLock;

use star_vm::kernels::{Kernels, Level};
use star_vm::reference::{ForallOrder, Settings, TileHeight};
use star_vm::{Backend, CompileOptions, Cpu, DynBackend, Reference, erase};

use crate::backends::Entry;
use crate::machine::Machine;

/// A backend with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Its name.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Does it take natives, if it has some?
    pub natives: bool,
    /// The backend that bounds the memory: one that `star run --backend` knows.
    pub backend: &'static str,
    make: fn() -> Option<Rc<dyn DynBackend>>,
}

/// All configurations. The first is the one whose word counts: the others are compared with it. A new
/// backend, or a setting of one that must not matter, is one entry here.
pub const MACHINES: &[Configuration] = &[
    Configuration {
        name: "reference",
        about: "the specification",
        natives: false,
        backend: "reference",
        make: || Entry::find("reference")?.open().ready(),
    },
    Configuration {
        name: "reference-backward",
        about: "the reference, each `forall` backward, tiles of 3 rows",
        natives: false,
        backend: "reference",
        make: || object(backward()),
    },
    Configuration {
        name: "cpu",
        about: "the packed backend",
        natives: true,
        backend: "cpu",
        make: || Entry::find("cpu")?.open().ready(),
    },
    Configuration {
        name: "cpu-tiny",
        about: "the packed backend, every size of its own as small as can be",
        natives: true,
        backend: "cpu",
        make: || object(tiny()?),
    },
    Configuration {
        name: "cpu-baseline",
        about: "the packed backend with the kernels of every machine, one thread, no natives, all in batches",
        natives: false,
        backend: "cpu",
        make: || object(baseline()?),
    },
];

impl Configuration {
    /// The configuration of this name.
    pub fn find(name: &str) -> Option<&'static Configuration> {
        MACHINES.iter().find(|configuration| configuration.name == name)
    }

    /// The backend with these settings; `None` if the system refuses its threads.
    pub fn machine(&self) -> Option<Machine> {
        let options = CompileOptions { natives: self.natives, ..CompileOptions::default() };
        Some(Machine { name: self.name, backend: (self.make)()?, options })
    }
}

fn object<B: Backend + 'static>(backend: B) -> Option<Rc<dyn DynBackend>> {
    Some(erase(backend).into())
}

/// The reference with other choices that must not matter.
fn backward() -> Reference {
    let tile = NonZeroUsize::new(3).map_or(TileHeight::Whole, TileHeight::Rows);
    Reference { settings: Settings { order: ForallOrder::Backward, tile } }
}

/// The CPU backend with every size as small as it can be, so that the short data of tests cross every
/// border; its threads are started once.
fn tiny() -> Option<Cpu> {
    static TINY: LazyLock<Option<Cpu>> = LazyLock::new(|| {
        let settings = star_vm::cpu::Settings::tiny();
        Cpu::with(settings, Kernels::detect()).ok()
    });
    TINY.clone()
}

/// The CPU backend with the kernels that every machine can run, and with operations on slices of a limb and more
/// in batches.
fn baseline() -> Option<Cpu> {
    let kernels = Kernels::at(Level::Baseline)?;
    let settings =
        star_vm::cpu::Settings { threads: Some(1), batch_limbs: 1, ..Default::default() };
    Cpu::with(settings, kernels).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_configuration_is_found_by_its_name() {
        for configuration in MACHINES {
            let found = Configuration::find(configuration.name).and_then(Configuration::machine);
            assert_eq!(found.map(|machine| machine.name), Some(configuration.name));
        }
        assert!(Configuration::find("gpu").is_none());
    }
}
