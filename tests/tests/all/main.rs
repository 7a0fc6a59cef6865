//! All tests of the whole toolchain, as one binary.
//!
//! * `published`: the source's listings and figures, verbatim.
//! * `operations`: every elementary operation against its definition, at the edge sizes.
//! * `decisions`: the rules of the language reference, §3 to §5 and §7.
//! * `documentation`: the form of documentation comments, and their examples.
//! * `golden`: messages and SIR as files.
//! * `format`: the formatter over all available texts, unchanged and badly formatted.
//! * `gpu`: generated programs on the emulator of the control unit, and on an adapter.
//! * `graphs`: the graph procedures against independent references.
//! * `lowering`: the interaction of control flow, sizes and effects.
//! * `intrinsics`: every intrinsic against its Star body.
//! * `cards`: programs distributed over ranks with a card each, against the reference.
//! * `cbt`: concurrent binary trees, intrinsics against Star texts.
//! * `checkpoints`: runs that are interrupted and continued.
//! * `moving`: objects in a handle, intrinsics against Star texts.
//! * `terrain`: meshes, intrinsics against Star texts.
//! * `passes`: each fires in generated programs, and keeps their cost.
//! * `profile`: the costs charged to lines and routines.
//! * `programs`: generated programs, the same on every backend.
//! * `fast_paths`: programs that take the fast paths of a backend, with assertions about which.
//! * `sir_programs`: generated programs of SIR, the same on every backend.
//! * `house`: prohibitions of the architecture, checked on the sources and the dependencies.
//! * `faults`: failed allocations, one by one.
//! * `bad_input`: hostile programs, up to the SIR and the machine.
//!
//! The tests of star-io cover hostile files; those of star-cli cover the command line and the
//! examples of the codes.

mod architecture;
mod bad_input;
mod cards;
mod cbt;
mod checkpoints;
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
mod parts;
mod passes;
mod plans;
mod polyline;
mod profile;
mod programs;
mod published;
mod ranks;
mod sir_programs;
mod terrain;
mod wave;
mod weighed;
mod wording;
