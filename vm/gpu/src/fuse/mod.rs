//! Runs of operations on slices that become one kernel over a grid of workgroups.
//!
//! * `find`: selection of statements; `needed`: those that the kernel executes; `text`: the kernel;
//!   `extreme`: MIN and MAX. The host walks through the run in `run::fused` before it starts the
//!   kernel.
//!
//! Note [Fused runs]. A run is a sequence of statements of one block that work on slices and
//! columns component by component: MATCH, LESS, ADDV with their loops over columns are whole runs.
//! Its control flow is the same for all rows, so that a thread executes the whole run for its
//! limbs: slices are variables of the thread, columns are read where they are loaded and written
//! where they are stored, loops and branches are those of the text, and a bit of a word is read by
//! its index. So one kernel serves every word and every number of columns. Slices that are needed
//! after the run are written at its end.
//!
//! Before the kernel starts, the host walks through the run with the actual numbers and sizes but
//! without slices, makes every check, and counts operations. If a check fails, a number has more
//! than 32 bits or lines have different lengths, the run is executed as written, and traps where
//! that traps. Sizes that the run reads are determined on this walk.
//!
//! A query of a slice (SOME, ONE, ZERO, FND, NUMB, equality) is evaluated at the end, if no
//! statement of the run needs the result: each workgroup stores its partial result, and a separate
//! workgroup combines these.

mod extreme;
mod find;
mod needed;
mod text;

pub(crate) use extreme::kernels;
pub(crate) use find::find;
use text::Texts;
pub(crate) use text::{FIRST_GIVEN, IN_GIVEN, THREADS};

use std::collections::BTreeSet;

use star_ir::{Query, Simple, SizeOperand, Stmt, StmtKind, VarId, visit};
use star_shaders::Shader;

/// A run of statements that becomes a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Fused {
    pub(crate) body: Vec<Stmt>,
    /// The numbers, and the slices, words and tables, that it names.
    pub(crate) numbers: Vec<VarId>,
    pub(crate) objects: Vec<VarId>,
    /// A slice or table that is read first: its rows decide whether the run is worth an
    /// interruption of the control unit.
    pub(crate) row_space: VarId,
    /// The approximate number of operations on slices.
    pub(crate) weight: u64,
    texts: Texts,
    /// The numbers that the kernel needs.
    pub(crate) needed: BTreeSet<VarId>,
    /// The parameters of the kernel, in order.
    pub(crate) given: Vec<Given>,
    /// Slices that it assigns and that are needed after it.
    pub(crate) slices: Vec<VarId>,
    /// Numbers that it assigns and that are needed after it.
    pub(crate) results: Vec<VarId>,
    /// The queries of slices, in order.
    pub(crate) queries: Vec<FusedQuery>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The first limb of a slice at the start of the run; 0 if it is unset.
    In(VarId),
    /// The first limb of the result of a slice; 0 if it is not needed.
    Out(VarId),
    /// The first limb of a table.
    Table(VarId),
    /// The number of limbs from one column to the next.
    Stride(VarId),
    /// The first word of a word.
    Word(VarId),
    /// A number at the start of the run.
    Number(VarId),
    /// The value of this number where it is assigned this size.
    Size(VarId, SizeOperand),
}

/// A query of a slice.
///
/// That all components are ones, or equal to others, is the query whether there is none among their
/// complements or differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FusedQuery {
    pub(crate) dst: VarId,
    pub(crate) query: Query,
}

impl Fused {
    /// Returns the number of operations on slices of its statements.
    pub(crate) fn n_operations(&self) -> usize {
        let mut n = 0;
        visit::walk(&self.body, &mut |stmt| match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, _)) => {
                let is_slice = self.objects.contains(dst);
                let is_asked = self.queries.iter().any(|query| query.dst == *dst);
                n += usize::from(is_slice || is_asked);
            }
            StmtKind::Simple(Simple::PutColumn { .. }) => n += 1,
            _ => {}
        });
        n
    }

    /// Returns the text for limbs of two words, or of four.
    pub(crate) fn text(&self, is_wide: bool) -> &Shader {
        if is_wide { &self.texts.wide } else { &self.texts.narrow }
    }

    /// Returns the kernel that combines the results of queries, if there are any.
    pub(crate) fn gather(&self) -> Option<&Shader> {
        self.texts.gather.as_ref()
    }
}

impl FusedQuery {
    /// Returns the answer to the query, from the word that all workgroups combined.
    pub(crate) fn answer(self, found: u32) -> i64 {
        match self.query {
            Query::Any => i64::from(found != 0),
            Query::None | Query::All => i64::from(found == 0),
            Query::First if found == 0 => 0,
            Query::First => i64::from(u32::MAX - found) + 1,
            Query::Count => i64::from(found),
        }
    }
}
