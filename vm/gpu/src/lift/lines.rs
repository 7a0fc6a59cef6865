//! Which loops over lines are one instruction of the control unit.
//!
//! Note [Lines]. Tables lie by columns, so that a row is a bit of each of them: an iteration that
//! loads and stores one touches every column, and another one waits for it. But what all iterations
//! of a `forall` do to a column is a function, limb by limb, of the column, of those of two other
//! tables, of a slice, and of *one* bit of a word; rows or columns, one of the two says which
//! iterations there are. So the whole loop is one instruction with a truth table, which looks at
//! those columns and limbs alone that it may change, and threads share the limbs of all of them. A
//! loop that combines lines joins the same limbs in a slice, or the ones of each column in a word.
//!
//! What is made of several slices and words from outside, and of nothing else, is made before. What
//! is combined may be made of the lines of two tables, since the one that changes is none of them.

use std::collections::BTreeSet;

use star_ir::{ForallRange, LogicOp, Routine, Stmt, StmtKind, VarId};

use super::find::{Finder, Kernel};
use super::{Line, Node, Step};

/// A `forall` as one instruction.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// The table whose lines belong to the iterations: it changes, or is combined.
    pub(crate) table: VarId,
    pub(crate) line: Line,
    pub(crate) iteration: VarId,
    /// Other tables whose lines it loads.
    pub(crate) others: [Option<VarId>; 2],
    /// What it takes from outside along the lines.
    pub(crate) outer: Option<Mixed>,
    /// The slice or word that it is combined into.
    pub(crate) combined: Option<(VarId, LogicOp)>,
    /// Bit 16w + 8t + 4p + 2q + s is the value for bits of the table that changes, of two others,
    /// of the slice, of the word.
    pub(crate) function: u32,
    /// What has to hold before.
    pub(crate) steps: Vec<Step>,
    /// Elementary operations of an iteration.
    pub(crate) cost: u64,
}

/// What is made of slices and words from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mixed {
    Bits(VarId),
    Not(Box<Mixed>),
    Logic(LogicOp, Box<Mixed>, Box<Mixed>),
}

/// The loop as one instruction, if it is one.
pub(crate) fn lines(routine: &Routine, stmt: &Stmt) -> Option<Lines> {
    let StmtKind::Forall { range, .. } = &stmt.kind else { return None };
    let mut finder = Finder::new(routine);
    let Kernel { target, line, iteration, made, combined, .. } = finder.alone(stmt)?;
    let (steps, cost) = (std::mem::take(&mut finder.steps), finder.cost);
    let nodes = Nodes(&finder.nodes);
    let mut outside = BTreeSet::new();
    nodes.inputs(made, &mut BTreeSet::new(), &mut outside)?;
    if let Some((into, _)) = combined {
        let is_over = matches!(range, ForallRange::Ones(over) if *over == into);
        (!outside.contains(&into) && !is_over).then_some(())?;
    }
    let Made { function, table, others, outer } = match combined {
        None => nodes.stored(made, target, line)?,
        Some((_, op)) => nodes.joined(made, line, op)?,
    };
    Some(Lines { table, line, iteration, others, outer, combined, function, steps, cost })
}

/// What an instruction makes of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// As in [`Lines`].
    pub(crate) function: u32,
    /// The table that changes, or the first one that joins.
    pub(crate) table: VarId,
    /// Others: two of a table that changes, one that joins.
    pub(crate) others: [Option<VarId>; 2],
    pub(crate) outer: Option<Mixed>,
}

/// The truth table of a function of whether a line belongs to an iteration, of what comes from
/// outside, and of bits of tables: t, p, q.
fn function(line: Line, of: impl Fn(bool, bool, [bool; 3]) -> Option<bool>) -> Option<u32> {
    let mut function = 0;
    for bits in 0..32_u32 {
        let is = |bit: u32| bits >> bit & 1 == 1;
        let (s, q, p, t, w) = (is(0), is(1), is(2), is(3), is(4));
        let (acts, outside) = match line {
            Line::Row => (s, w),
            Line::Column => (w, s),
        };
        function |= u32::from(of(acts, outside, [t, p, q])?) << bits;
    }
    Some(function)
}

/// What an iteration makes.
pub(super) struct Nodes<'n>(pub(super) &'n [Node]);

impl Nodes<'_> {
    /// What becomes of the lines of a table.
    fn stored(&self, made: usize, table: VarId, line: Line) -> Option<Made> {
        let (mut own, leaf) = self.taken(made)?;
        own.remove(&table);
        (own.len() <= 2).then_some(())?;
        let others = [own.pop_first(), own.pop_first()];
        let function = function(line, |acts, outside, [t, p, q]| match acts {
            true => {
                let of = |it: VarId| match Some(it) {
                    it if it == others[0] => q,
                    it if it == others[1] => p,
                    _ => t,
                };
                self.value(made, leaf.map(|leaf| (leaf, outside)), &of)
            }
            false => Some(t),
        })?;
        let outer = self.outside(leaf)?;
        Some(Made { function, table, others, outer })
    }

    /// What lines of a table, or of two, join by an operation: into what is none of them.
    pub(super) fn joined(&self, made: usize, line: Line, op: LogicOp) -> Option<Made> {
        let (mut own, leaf) = self.taken(made)?;
        let table = own.pop_first()?;
        (own.len() <= 1).then_some(())?;
        let function = function(line, |acts, outside, [_, p, q]| {
            let of = |it: VarId| if it == table { q } else { p };
            let made = self.value(made, leaf.map(|leaf| (leaf, outside)), &of)?;
            Some(match op {
                LogicOp::Or | LogicOp::Xor => acts && made,
                // Where it has a zero the slice or word gets one.
                LogicOp::And => acts && !made,
            })
        })?;
        let outer = self.outside(leaf)?;
        Some(Made { function, table, others: [own.pop_first(), None], outer })
    }

    /// The tables that it is made of, and which node stands for all that comes from outside.
    fn taken(&self, made: usize) -> Option<(BTreeSet<VarId>, Option<usize>)> {
        let (mut own, mut outer) = (BTreeSet::new(), BTreeSet::new());
        self.inputs(made, &mut own, &mut outer)?;
        let leaf = match outer.len() {
            0 => None,
            1 => {
                let is_outer = |node: &Node| outer.iter().any(|var| *node == Node::Outer(*var));
                Some(self.0.iter().position(is_outer)?)
            }
            _ => {
                let mut leaves = BTreeSet::new();
                self.leaves(made, &mut leaves);
                (leaves.len() == 1).then(|| leaves.pop_first())?
            }
        };
        Some((own, leaf))
    }

    fn outside(&self, leaf: Option<usize>) -> Option<Option<Mixed>> {
        match leaf {
            None => Some(None),
            Some(leaf) => self.mixed(leaf).map(Some),
        }
    }

    /// The tables and the slices and words from outside that a value is made of.
    fn inputs(
        &self,
        node: usize,
        own: &mut BTreeSet<VarId>,
        outer: &mut BTreeSet<VarId>,
    ) -> Option<()> {
        match self.0[node] {
            Node::Own(table) => {
                own.insert(table);
            }
            Node::Outer(var) => {
                outer.insert(var);
            }
            Node::Pivot(..) => return None,
            Node::Constant(_) => {}
            Node::Not(of) => self.inputs(of, own, outer)?,
            Node::Logic(_, left, right) => {
                self.inputs(left, own, outer)?;
                self.inputs(right, own, outer)?;
            }
        }
        Some(())
    }

    /// Is it made of what comes from outside, and of nothing else?
    fn is_outer(&self, node: usize) -> bool {
        match self.0[node] {
            Node::Outer(_) => true,
            Node::Own(_) | Node::Pivot(..) | Node::Constant(_) => false,
            Node::Not(of) => self.is_outer(of),
            Node::Logic(_, left, right) => self.is_outer(left) && self.is_outer(right),
        }
    }

    /// The largest parts that are.
    fn leaves(&self, node: usize, leaves: &mut BTreeSet<usize>) {
        if self.is_outer(node) {
            leaves.insert(node);
            return;
        }
        match self.0[node] {
            Node::Own(_) | Node::Outer(_) | Node::Pivot(..) | Node::Constant(_) => {}
            Node::Not(of) => self.leaves(of, leaves),
            Node::Logic(_, left, right) => {
                self.leaves(left, leaves);
                self.leaves(right, leaves);
            }
        }
    }

    fn mixed(&self, node: usize) -> Option<Mixed> {
        Some(match self.0[node] {
            Node::Outer(var) => Mixed::Bits(var),
            Node::Not(of) => Mixed::Not(Box::new(self.mixed(of)?)),
            Node::Logic(op, left, right) => {
                Mixed::Logic(op, Box::new(self.mixed(left)?), Box::new(self.mixed(right)?))
            }
            Node::Own(_) | Node::Pivot(..) | Node::Constant(_) => return None,
        })
    }

    /// The bit of a node where that from outside is this, and those of the tables are these.
    fn value(
        &self,
        node: usize,
        outside: Option<(usize, bool)>,
        own: &dyn Fn(VarId) -> bool,
    ) -> Option<bool> {
        if let Some((leaf, bit)) = outside
            && leaf == node
        {
            return Some(bit);
        }
        Some(match self.0[node] {
            Node::Own(table) => own(table),
            Node::Constant(bit) => bit,
            Node::Not(of) => !self.value(of, outside, own)?,
            Node::Logic(op, left, right) => {
                let (left, right) =
                    (self.value(left, outside, own)?, self.value(right, outside, own)?);
                match op {
                    LogicOp::And => left && right,
                    LogicOp::Or => left || right,
                    LogicOp::Xor => left != right,
                }
            }
            Node::Outer(_) | Node::Pivot(..) => return None,
        })
    }
}
