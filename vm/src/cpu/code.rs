//! The register code: what SIR becomes on this backend.
//!
//! A routine is a list of instructions with jumps. Its variables live in three files of registers, by
//! kind: numbers (integers and truth values, 0 and 1), bits (slices and words), tables; texts and handles have
//! two more. Loops keep their own state in numbers that no variable has.

use std::collections::HashSet;
use std::sync::Arc;

use star_base::BitVector;
use star_ir::{Check, HandlePart, LocId, Operand, Program, ReductionOp, RoutineId, Ty, VarId};

use super::inst::Inst;
use super::lines::Kernel;
use super::loop_kernels::LoopKernel;
use super::operand::{Number, Passing, Pc, Range, Reg, RegRef};
use super::recording::Tile;
use crate::backend::CompileOptions;
use crate::explain::Item;

/// A compiled program.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) program: Program,
    pub(super) routines: Vec<Arc<RoutineCode>>,
    pub(super) options: CompileOptions,
    /// Routines whose code is that of an earlier program.
    pub(super) n_kept: usize,
}

/// A compiled routine.
#[derive(Debug)]
pub(super) struct RoutineCode {
    pub(super) id: RoutineId,
    pub(super) insts: Vec<Inst>,
    /// The place of every instruction.
    pub(super) locs: Vec<LocId>,
    /// Places of statements that have no instruction of their own, and the one that stands for each, in the
    /// order of these.
    pub(super) covered: Vec<(Pc, LocId)>,
    /// Where each variable lives.
    pub(super) places: Vec<RegRef>,
    /// How many registers of each kind it has.
    pub(super) size: FrameSize,
    /// Bits registers of variables that keep their size; tables that do not grow.
    pub(super) sized: Vec<RegRef>,
    pub(super) params: Vec<(RegRef, Passing)>,
    /// What does all that it does, if intrinsics are on: its place among those of the backend.
    pub(super) intrinsic: Option<usize>,
    pub(super) result: Option<RegRef>,
    /// The checks of SIR that its guards stand for: the words of a trap are found with them.
    pub(super) checks: Vec<Check>,
    /// Registers of constants, and what they hold.
    pub(super) constants: Vec<(Reg, i64)>,
    pub(super) calls: Vec<Call>,
    pub(super) literals: Vec<BitVector>,
    pub(super) prints: Vec<Vec<Operand>>,
    pub(super) files: Vec<FileUse>,
    /// Names of tables in handles.
    pub(super) parts: Vec<HandlePart>,
    pub(super) foralls: Vec<Forall>,
    pub(super) tiles: Vec<Tile>,
    pub(super) loops: Vec<LoopKernel>,
    /// What was counted, for `explain`.
    pub(super) summary: Summary,
    /// What became of statements, for `explain`.
    pub(super) decisions: Vec<Item>,
    /// The parameters by value that it only looks at.
    pub(super) unchanged: Arc<HashSet<VarId>>,
}

/// How many registers of each kind a routine has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameSize {
    pub(super) numbers: u32,
    pub(super) bits: u32,
    pub(super) tables: u32,
    pub(super) texts: u32,
    pub(super) handles: u32,
}

/// What a routine consists of, for `explain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) loops: usize,
    /// Operations that became part of others.
    pub(super) fused: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: RoutineId,
    /// Argument and parameter.
    pub(super) args: Vec<(CallArg, RegRef)>,
    /// How many of them are lent: passed by value, and moved all the same.
    pub(super) n_lent: u64,
    pub(super) dst: Option<RegRef>,
    /// Variables passed by reference whose extents say a size: looked at afterwards.
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
    /// The body as a kernel over lines, if it is one.
    pub(super) kernel: Option<Box<Kernel>>,
}
