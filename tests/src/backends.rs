//! The backends that every test program runs on. A new backend, or a setting of one that must not
//! matter, is one line in [`backends`].

use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use star_ir::{Program, RoutineId};
use star_vm::kernels::{Kernels, Level};
use star_vm::reference::{ForallOrder, Settings, TileHeight};
use star_vm::{Backend, Control, Cpu, HostValue, Limits, Reference, Stats};

use crate::run::{Printed, Run};

/// The backends among [`backends`] that do library routines in ways of their own.
pub const WITH_NATIVES: [&str; 2] = ["cpu", "cpu, sizes as small as can be"];

/// All backends. The first is the one whose word counts: the others are compared with it.
pub fn backends() -> Vec<Box<dyn Machine>> {
    vec![
        on("reference", Reference::new()),
        on("reference, backward, tiles of 3", backward()),
        on("cpu", Cpu::new()),
        on("cpu, sizes as small as can be", tiny()),
        on("cpu, baseline kernels, no natives", baseline()),
    ]
}

/// The reference with other choices that must not matter.
fn backward() -> Reference {
    let tile = NonZeroUsize::new(3).map_or(TileHeight::Whole, TileHeight::Rows);
    Reference { settings: Settings { order: ForallOrder::Backward, tile } }
}

/// The CPU backend with every size as small as it can be, so that the short data of tests cross every
/// border; its threads are started once.
fn tiny() -> Cpu {
    static TINY: LazyLock<Cpu> = LazyLock::new(|| {
        let settings = star_vm::cpu::Settings::tiny();
        Cpu::with(settings, Kernels::detect()).expect("three threads")
    });
    TINY.clone()
}

/// The CPU backend with the kernels that every machine can run, and without natives.
fn baseline() -> Cpu {
    let kernels = Kernels::at(Level::Baseline).expect("every machine runs them");
    let settings =
        star_vm::cpu::Settings { threads: Some(1), natives: false, ..Default::default() };
    Cpu::with(settings, kernels).expect("no further thread")
}

/// A backend, whatever its types of values, code and plans.
pub trait Machine {
    /// What messages call it.
    fn name(&self) -> &'static str;

    /// Compiles a verified program.
    fn compile(&self, program: &Program) -> Box<dyn Compiled>;
}

/// A program that a backend has compiled.
pub trait Compiled {
    /// What messages call the backend.
    fn name(&self) -> &'static str;

    /// Runs a routine. Arguments that are set are given as fixed ones: they keep their sizes.
    fn run(&self, entry: RoutineId, args: &[HostValue], limits: Limits) -> Run;
}

/// A backend as a [`Machine`].
pub fn on<B: Backend + 'static>(name: &'static str, backend: B) -> Box<dyn Machine> {
    Box::new(On { name, backend: Rc::new(backend) })
}

struct On<B> {
    name: &'static str,
    backend: Rc<B>,
}

struct Loaded<B: Backend> {
    name: &'static str,
    backend: Rc<B>,
    code: B::Code,
}

impl<B: Backend + 'static> Machine for On<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compile(&self, program: &Program) -> Box<dyn Compiled> {
        let code = self.backend.compile(program.clone());
        Box::new(Loaded { name: self.name, backend: self.backend.clone(), code })
    }
}

impl<B: Backend> Compiled for Loaded<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, entry: RoutineId, args: &[HostValue], limits: Limits) -> Run {
        let backend = &self.backend;
        let load = |value: &HostValue| backend.load(value.clone(), *value != HostValue::Unset);
        let mut values: Vec<_> = args.iter().map(load).collect();
        let types: Vec<_> = values.iter().map(|value| backend.ty(value)).collect();
        let plan = backend.plan(&self.code, entry, &types);
        let mut host = Printed::default();
        let flag = AtomicBool::new(false);
        let mut control = Control {
            interrupt: &flag,
            deadline: &flag,
            limits,
            host: &mut host,
            stats: Stats::default(),
        };
        let outcome = backend.run(&plan, &mut values, &mut control);
        let stats = control.stats;
        let Printed { text: printed, files } = host;
        let values = values.iter();
        let values = values.map(|value| backend.store(value, &flag).expect("memory")).collect();
        Run { outcome, values, printed, files, stats }
    }
}
