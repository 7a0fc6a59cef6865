//! Runs of operations on slices that become one kernel over a grid of workgroups.
//!
//! * `find`: which statements; `text`: the kernel; `extreme`: MIN and MAX. The host walks through
//!   the run in `run::fused` before it starts the kernel.
//!
//! Note [Fused runs]. A run is statements of one block, one behind another, that work on slices and
//! columns component by component: MATCH, LESS, ADDV with their loops over columns are whole runs.
//! Control in it is the same for all rows, so that a thread does all of the run for its limbs:
//! slices are variables of the thread, a column is read where it is loaded and written where it is
//! stored, loops and branches are those of the text, and a bit of a word is read by its index. So
//! one kernel serves every word and every number of columns. Slices that are needed behind the run
//! are written at its end.
//!
//! Before that the host walks through the run with the numbers and sizes that there are and without
//! any slice, makes every check, and counts operations. Where a check does not hold, a number has
//! more than 32 bits or lines have different lengths, the run is done as it is written, and traps
//! where that traps. A size that the run asks for is found on this walk.
//!
//! A question about a slice (SOME, ONE, ZERO, FND, NUMB, equality) is answered at the end, if
//! nothing in the run needs the answer: a workgroup leaves what it found, and a workgroup of its
//! own puts that together.

mod extreme;
mod find;
mod text;

pub(crate) use extreme::kernels;
pub(crate) use find::find;
use text::Texts;
pub(crate) use text::{FIRST_GIVEN, IN_GIVEN, THREADS};

use star_ir::{SizeOperand, Stmt, StmtKind, VarId, visit};
use star_shaders::Shader;

/// A run of statements that becomes a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Fused {
    pub(crate) body: Vec<Stmt>,
    /// Numbers, and slices, words and tables, that it names.
    pub(crate) numbers: Vec<VarId>,
    pub(crate) objects: Vec<VarId>,
    /// A slice or table that it begins with: its rows say whether the run is worth a stop.
    pub(crate) tall: VarId,
    /// About how many operations on slices it takes.
    pub(crate) weight: u64,
    texts: Texts,
    /// What the kernel is given, in order.
    pub(crate) given: Vec<Given>,
    /// Slices that it assigns and that are needed behind it.
    pub(crate) slices: Vec<VarId>,
    /// Numbers that it assigns and that are needed behind it.
    pub(crate) results: Vec<VarId>,
    /// The questions about slices, in order.
    pub(crate) asks: Vec<Asked>,
}

/// A word that a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The first limb of a slice as the run finds it; 0 if it is unset.
    In(VarId),
    /// Where the limbs of a slice go; 0 if they are not needed.
    Out(VarId),
    /// The first limb of a table.
    Table(VarId),
    /// Limbs from one column to the next.
    Stride(VarId),
    /// The first word of a word.
    Word(VarId),
    /// A number as the run finds it.
    Number(VarId),
    /// What this number becomes where it takes this size.
    Size(VarId, SizeOperand),
}

/// A question about a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) dst: VarId,
    pub(crate) ask: Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    Some,
    /// All components are one: no component of the complement is.
    None,
    First,
    Count,
}

impl Fused {
    /// How many operations on slices its statements are.
    pub(crate) fn n_operations(&self) -> usize {
        let mut n = 0;
        visit::walk(&self.body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign(dst, _) => {
                let is_slice = self.objects.contains(dst);
                let is_asked = self.asks.iter().any(|asked| asked.dst == *dst);
                n += usize::from(is_slice || is_asked);
            }
            StmtKind::PutColumn { .. } => n += 1,
            _ => {}
        });
        n
    }

    /// The text for limbs of two words, or of four.
    pub(crate) fn text(&self, is_wide: bool) -> &Shader {
        if is_wide { &self.texts.wide } else { &self.texts.narrow }
    }

    /// The kernel that puts the answers to questions together, if there are any.
    pub(crate) fn gather(&self) -> Option<&Shader> {
        self.texts.gather.as_ref()
    }
}

impl Ask {
    /// The answer, of the word that all workgroups found together.
    pub(crate) fn answer(self, found: u32) -> i64 {
        match self {
            Ask::Some => i64::from(found != 0),
            Ask::None => i64::from(found == 0),
            Ask::First if found == 0 => 0,
            Ask::First => i64::from(u32::MAX - found) + 1,
            Ask::Count => i64::from(found),
        }
    }
}
