//! All tests over the whole toolchain, as one binary.
//!
//! * `published`: the source's listings and figures as they stand.
//! * `operations`: every elementary operation against its definition, at the edge sizes.
//! * `decisions`: each decision of the language reference, §3 to §5 and §7.
//! * `documentation`: the form of documentation comments, and their examples.
//! * `golden`: messages and SIR as files.
//! * `format`: the formatter over all texts there are, as they stand and set badly.
//! * `gpu`: generated programs on the emulator of the control unit, and on an adapter.
//! * `graphs`: the graph procedures against independent references.
//! * `lowering`: where control flow, sizes and effects meet.
//! * `intrinsics`: every intrinsic against the Star body that it is the emulator of.
//! * `cbt`: concurrent binary trees, intrinsics against Star texts.
//! * `moving`: objects in a handle, likewise.
//! * `terrain`: meshes, likewise.
//! * `passes`: each fires in generated programs, and keeps their cost.
//! * `profile`: what lines and routines are charged with.
//! * `programs`: generated programs, the same on every backend.
//! * `fast_paths`: programs that take the fast paths of a backend, and are asked which.
//! * `sir_programs`: generated programs of SIR, likewise.
//! * `house`: what must not be, over the sources and the dependencies.
//! * `faults`: memory that the system refuses, allocation by allocation.
//! * `bad_input`: hostile programs, up to the SIR and the machine.
//!
//! Hostile files are the business of star-io's tests, the command line and the examples of the
//! codes that of star-cli's.

mod architecture;
mod bad_input;
mod cbt;
mod cpu_fast_paths;
mod documentation;
mod editors;
mod faults;
mod format;
mod golden;
#[cfg(feature = "gpu")]
mod gpu;
mod graphs;
mod idioms;
mod intrinsics;
mod language_rules;
mod lowering;
mod moving;
mod operations;
mod passes;
mod plans;
mod polyline;
mod profile;
mod programs;
mod published;
mod sir_programs;
mod terrain;
mod wave;
mod weighed;
