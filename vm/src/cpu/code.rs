//! The register code: the form of SIR that this backend executes.
//!
//! A routine is a list of instructions with jumps. Its variables are stored in three register
//! files, by kind: numbers (integers and truth values, 0 and 1), bits (slices and words), and
//! tables; texts and handles have two more. Loops keep internal state in extra number registers.

use std::sync::Arc;

use star_ir::{
    Check, HandlePart, LocId, Operand, PrintItem, Program, ReductionOp, RoutineId, Ty, VarId,
};
use star_value::BitVector;

use super::compile::ParamUse;
use super::counts::ColumnCount;
use super::inst::Inst;
use super::lines::Kernel;
use super::loop_kernels::LoopKernel;
use super::operand::{Number, Passing, Pc, Range, Reg, RegRef};
use crate::backend::CompileOptions;
use crate::explain::Item;

/// A compiled program.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) program: Program,
    pub(super) routines: Vec<Arc<RoutineCode>>,
    pub(super) options: CompileOptions,
    /// Number of routines whose code is reused from an earlier program.
    pub(super) n_kept: usize,
}

/// A compiled routine.
#[derive(Debug)]
pub(super) struct RoutineCode {
    pub(super) id: RoutineId,
    pub(super) insts: Vec<Inst>,
    /// The location of every instruction.
    pub(super) locs: Vec<LocId>,
    /// Locations of statements without an instruction, each with the instruction that represents
    /// it, in the order of the instructions.
    pub(super) covered: Vec<(Pc, LocId)>,
    /// The register of each variable.
    pub(super) places: Vec<RegRef>,
    /// Of each bits register, whether it is a slice.
    pub(super) slices: Vec<bool>,
    /// Number of registers of each kind.
    pub(super) size: FrameSize,
    /// Bits registers of variables with a fixed size; tables that do not grow.
    pub(super) sized: Vec<RegRef>,
    pub(super) params: Vec<(RegRef, Passing)>,
    /// The intrinsic that replaces the whole routine, if intrinsics are on, as an index into those
    /// of the backend.
    pub(super) intrinsic: Option<usize>,
    pub(super) result: Option<RegRef>,
    /// The SIR checks that its guards implement; the text of a trap is found with them.
    pub(super) checks: Vec<Check>,
    /// Registers of constants, with their values.
    pub(super) constants: Vec<(Reg, i64)>,
    pub(super) calls: Vec<Call>,
    pub(super) literals: Vec<BitVector>,
    pub(super) prints: Vec<Vec<PrintItem>>,
    pub(super) files: Vec<FileUse>,
    /// Names of tables in handles.
    pub(super) parts: Vec<HandlePart>,
    pub(super) foralls: Vec<Forall>,
    pub(super) counts: Vec<ColumnCount>,
    pub(super) loops: Vec<LoopKernel>,
    /// Counts, for `explain`.
    pub(super) summary: Summary,
    /// Decisions about statements, for `explain`.
    pub(super) decisions: Vec<Item>,
    /// The parameters by value that are only read.
    pub(super) param_use: ParamUse,
}

/// Number of registers of each kind in a routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameSize {
    pub(super) numbers: u32,
    pub(super) bits: u32,
    pub(super) tables: u32,
    pub(super) texts: u32,
    pub(super) handles: u32,
}

/// Contents of a routine, for `explain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) loops: usize,
    /// Operations that were fused into others.
    pub(super) fused: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: RoutineId,
    /// Arguments with their parameters.
    pub(super) args: Vec<(CallArg, RegRef)>,
    /// Number of lent arguments: passed by value, but moved.
    pub(super) n_lent: u64,
    /// Is it in a loop of the caller?
    pub(super) in_loop: bool,
    pub(super) dst: Option<RegRef>,
    /// Variables passed by reference whose extents declare a size; checked after the call.
    pub(super) extents: Vec<(VarId, RegRef, Ty)>,
}

/// An argument.
#[derive(Clone, Debug)]
pub(super) enum CallArg {
    Number(Number),
    Text(Arc<str>),
    Copy(RegRef),
    Move(RegRef),
    Ref(RegRef),
}

/// A file that is read or written.
#[derive(Clone, Debug)]
pub(super) struct FileUse {
    pub(super) var: RegRef,
    pub(super) ty: Ty,
    pub(super) file: Operand,
    pub(super) layout: Option<Operand>,
}

/// A `forall`.
#[derive(Clone, Debug)]
pub(super) struct Forall {
    pub(super) var: Reg,
    pub(super) range: Range,
    pub(super) privates: Vec<RegRef>,
    pub(super) reductions: Vec<(RegRef, ReductionOp)>,
    /// The body as a kernel over lines, if possible.
    pub(super) kernel: Option<Box<Kernel>>,
}
