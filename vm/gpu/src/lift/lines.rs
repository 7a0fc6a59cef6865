//! Which loops over lines are one instruction of the control unit.
//!
//! Note [Lines]. Tables lie by columns, so that a row is a bit of each of them: an iteration that loads and stores one touches every column,
//! and another one waits for it. But what all iterations of a `forall` do to a column is a function, limb by limb, of the column,
//! of a slice, and of *one* bit of a word; rows or columns, one of the two says which iterations there are. So the whole loop is one
//! instruction with a truth table, which looks at those columns and limbs alone that it may change, and threads share the limbs of all
//! of them. A loop that combines lines joins the same limbs in a slice, or the ones of each column in a word.
//!
//! What is made of several slices and words from outside, and of nothing else, is made before.

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
    /// Another table whose lines it loads.
    pub(crate) other: Option<VarId>,
    /// What it takes from outside along the lines.
    pub(crate) outer: Option<Mixed>,
    /// The slice or word that it is combined into.
    pub(crate) combined: Option<(VarId, LogicOp)>,
    /// Bit 8w + 4p + 2q + s is the value for bits of the table that changes, of the other one or the combined one, of the slice, of the word.
    pub(crate) function: u16,
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
    let (mut own, mut outer) = (BTreeSet::new(), BTreeSet::new());
    nodes.inputs(made, &mut own, &mut outer)?;
    let is_store = combined.is_none();
    own.remove(&target);
    (own.len() <= usize::from(is_store)).then_some(())?;
    if let Some((into, _)) = combined {
        let is_over = matches!(range, ForallRange::Ones(over) if *over == into);
        (!outer.contains(&into) && !is_over).then_some(())?;
    }
    // Which node stands for what comes from outside.
    let leaf = match outer.len() {
        0 => None,
        1 => Some(
            nodes.0.iter().position(|node| outer.iter().any(|var| *node == Node::Outer(*var)))?,
        ),
        _ => {
            let mut leaves = BTreeSet::new();
            nodes.leaves(made, &mut leaves);
            (leaves.len() == 1).then(|| leaves.pop_first())?
        }
    };
    let outer = match leaf {
        None => None,
        Some(leaf) => Some(nodes.mixed(leaf)?),
    };
    let mut function = 0;
    for bits in 0..16_u16 {
        let is = |bit: u16| bits >> bit & 1 == 1;
        let (s, q, p, w) = (is(0), is(1), is(2), is(3));
        let (acts, outside) = match line {
            Line::Row => (s, w),
            Line::Column => (w, s),
        };
        let own = |table: VarId| if is_store && table == target { p } else { q };
        let made = nodes.value(made, leaf.map(|leaf| (leaf, outside)), &own)?;
        let value = match combined {
            None => {
                if acts {
                    made
                } else {
                    p
                }
            }
            Some((_, LogicOp::Or | LogicOp::Xor)) => acts && made,
            // Where it has a zero the slice or word gets one.
            Some((_, LogicOp::And)) => acts && !made,
        };
        function |= u16::from(value) << bits;
    }
    let other = own.pop_first();
    Some(Lines { table: target, line, iteration, other, outer, combined, function, steps, cost })
}

/// What an iteration makes.
struct Nodes<'n>(&'n [Node]);

impl Nodes<'_> {
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
