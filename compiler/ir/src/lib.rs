//! SIR: structured control flow over integers, booleans, words, slices and tables.
//!
//! * [`program`]: programs, routines, variables, types.
//! * [`stmt`]: statements and control flow; [`op`]: operations that yield a value; [`check`]: the
//!   guards that may trap.
//! * [`mod@kernel`]: loops as data flow.
//! * [`trap`]: messages of failed guards.
//! * [`visit`]: variables that a statement reads, writes and observes.
//! * [`analysis`]: dataflow analyses; [`rewrite`]: tools of passes.
//! * [`print()`] and [`parse()`]: the text form; [`verify()`]: the rules that every program
//!   satisfies.
//!
//! Note [Guards]. An operation never traps by itself: its requirements (an index inside its range,
//! equal sizes, a variable that was set) are stated by a preceding check, so that a pass can prove,
//! move or join checks without touching the operation. Where SIR leaves an operation undefined (its
//! guard does not hold), a program that passes the verifier never reaches it.
//!
//! This crate does not depend on source text: a location is a [`program::Location`], created by the
//! compiler and read by the code that formats messages.

pub mod analysis;
pub mod check;
pub mod kernel;
mod kind;
mod locations;
mod mnemonic;
pub mod op;
pub mod parse;
pub mod print;
pub mod program;
pub mod rewrite;
pub mod stmt;
mod table;
pub mod trap;
pub mod verify;
pub mod visit;

pub use check::{Check, SizeOperand};
pub use kernel::Kernel;
pub use locations::Locations;
pub use op::{Direction, IntOp, LogicOp, Op, Operand, Query, Relation, Sense};
pub use parse::{MAX_DEPTH, ParseError, parse};
pub use print::print;
pub use program::{
    Extent, HandlePart, InlinedCall, LabelId, LocId, Location, Mode, NamedVar, Param, Program,
    Routine, RoutineId, Ty, Var, VarId,
};
pub use stmt::{
    Arg, Block, ForallRange, Part, PartKind, PrintItem, Reduction, ReductionOp, Simple, SizeOp,
    Stmt, StmtKind,
};
pub use trap::{Frame, LimitKind, NamedSize, Names, Trap, TrapKind};
pub use verify::{VerifyError, verify, verify_guards, verify_routines};
pub use visit::{Access, Observation, prints_integers, prints_names, reads_files, writes_files};
