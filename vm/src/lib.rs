//! The STAR-machine: backends that compile SIR to an executable form and run it.
//!
//! * [`backend`]: the interface of every backend, and its inputs: limits, flags, a host.
//!   [`explain`]: a description of the compiled program, as data. [`dyn_backend`]: any backend as
//!   an object.
//! * [`checkpoint`]: storage of the state of long runs.
//! * [`distributed`]: programs on several ranks with a graphics card each.
//! * [`exchange`]: communication between ranks that run the CPU backend on parts of the rows.
//! * [`kernels`]: serial kernels over packed limbs, for several instruction sets.
//! * [`profile`]: the lines and routines in which a run spends its time.
//! * [`mod@reference`]: the backend that is the specification. [`cpu`]: the default backend, with
//!   its [`kernels`].
//! * [`team`]: the CPU backend on several ranks that are threads, for tests.
//!
//! A backend never sees source text, files, the environment, standard output or the clock: it
//! accesses these through [`backend::Control`].

pub mod backend;
mod budget;
pub mod checkpoint;
pub mod checks;
pub mod columns;
mod counters;
pub mod cpu;
pub mod distributed;
pub mod dyn_backend;
pub mod exchange;
pub mod explain;
pub mod interrupt;
pub mod kernels;
pub mod profile;
pub mod reference;
mod scalars;
mod tape;
pub mod team;

pub use backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Host, HostError,
    Limits, Outcome, Part, Stats, TypeInfo, Wanted,
};
pub use checkpoint::{Checkpoints, RunIdentity};
pub use counters::{Counters, Declined};
pub use cpu::Cpu;
pub use dyn_backend::{DynBackend, DynCode, DynPlan, DynValue, erase};
pub use explain::Explanation;
pub use profile::Profile;
pub use reference::Reference;
