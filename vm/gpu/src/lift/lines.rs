//! Kernels that are one instruction of the control unit.
//!
//! Note [Lines]. Tables are stored by columns, so a row is a bit of each of them: iterations that
//! load and store rows touch every column and wait for each other. But the new limb of a column is
//! a function of its old one, of those of two other tables, of a slice, and of *one* bit of a word.
//! Either the slice or the word marks the iterations: the slice for rows, the word for columns. So
//! the kernel is one instruction with a truth table, which reads only the columns and limbs that it
//! may change, and threads share the limbs of all columns. A kernel that combines lines joins these
//! limbs in a slice, or the ones of each column in a word.
//!
//! Values that depend only on slices and words from outside are computed before. A combined value
//! may depend on two tables, neither of which changes.

use std::collections::BTreeSet;

use star_ir::kernel::{Effect, Line, Value, ValueId};
use star_ir::{ForallRange, Kernel, LogicOp, VarId};

/// A kernel as one instruction.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) made: Made,
    /// The slice or word that it is combined into; otherwise the table changes.
    pub(crate) combined: Option<(VarId, LogicOp)>,
}

/// A function of lines that one instruction computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// Bit 16w + 8t + 4p + 2q + s is the value for bits of the table that changes, of two others,
    /// of the slice, of the word.
    pub(crate) function: u32,
    /// The table that changes, or the first one that joins.
    pub(crate) table: VarId,
    /// Others: two of a table that changes, one that joins.
    pub(crate) others: [Option<VarId>; 2],
    /// Its operand from outside, along the lines.
    pub(crate) outer: Option<Mixed>,
}

/// A function of slices and words from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mixed {
    Bits(VarId),
    Not(Box<Mixed>),
    Logic(LogicOp, Box<Mixed>, Box<Mixed>),
}

/// Returns the kernel as one instruction, if it is one.
pub(crate) fn lines(kernel: &Kernel) -> Option<Lines> {
    let range = kernel.iterations()?.range;
    match kernel.effects[..] {
        [Effect::Store { table, index: None, value }] => {
            Some(Lines { made: stored(kernel, value, table)?, combined: None })
        }
        [Effect::Reduce { into, op, value, when: None }] => {
            let op = op.logic()?;
            (!matches!(range, ForallRange::Ones(over) if *over == into)).then_some(())?;
            let made = joined(kernel, value, op, |bit| bit)?;
            Some(Lines { made, combined: Some((into, op)) })
        }
        _ => None,
    }
}

/// The new lines of a table.
fn stored(kernel: &Kernel, value: ValueId, table: VarId) -> Option<Made> {
    let (mut own, outer) = inputs(kernel, value)?;
    own.remove(&table);
    (own.len() <= 2).then_some(())?;
    let others = [own.pop_first(), own.pop_first()];
    let function = function(kernel.line, |acts, outside, [t, p, q]| match acts {
        true => {
            let of = |it: VarId| match Some(it) {
                it if it == others[0] => q,
                it if it == others[1] => p,
                _ => t,
            };
            bit(kernel, value, outer.map(|outer| (outer, outside)), &of)
        }
        false => Some(t),
    })?;
    Some(Made { function, table, others, outer: outer.and_then(|id| mixed(kernel, id)) })
}

/// The function that joins lines of one or two tables by an operation, into a slice or word.
pub(super) fn joined(
    kernel: &Kernel,
    value: ValueId,
    op: LogicOp,
    of_bit: impl Fn(bool) -> bool,
) -> Option<Made> {
    let (mut own, outer) = inputs(kernel, value)?;
    let table = own.pop_first()?;
    (own.len() <= 1).then_some(())?;
    let function = function(kernel.line, |acts, outside, [_, p, q]| {
        let of = |it: VarId| if it == table { q } else { p };
        let made = of_bit(bit(kernel, value, outer.map(|outer| (outer, outside)), &of)?);
        Some(match op {
            LogicOp::Or | LogicOp::Xor => acts && made,
            // A zero of a line makes a zero of the slice or word.
            LogicOp::And => acts && !made,
        })
    })?;
    let others = [own.pop_first(), None];
    Some(Made { function, table, others, outer: outer.and_then(|id| mixed(kernel, id)) })
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

/// The tables of which a value is computed, and the value that stands for all that comes from
/// outside: the slice or word, or the largest part that is computed of nothing else. `None` if
/// there are several such parts, or the value is not computed of lines bit by bit.
fn inputs(kernel: &Kernel, value: ValueId) -> Option<(BTreeSet<VarId>, Option<ValueId>)> {
    let [mut wholes, mut parts] = [BTreeSet::new(), BTreeSet::new()];
    let mut own = BTreeSet::new();
    leaves(kernel, value, &mut |id, leaf| match leaf {
        Value::Line(table, _) => {
            own.insert(*table);
        }
        _ => {
            wholes.insert(id);
        }
    })?;
    let outer = match wholes.len() {
        0 | 1 => wholes.pop_first(),
        _ => {
            largest(kernel, value, &mut parts);
            (parts.len() == 1).then(|| parts.pop_first())?
        }
    };
    Some((own, outer))
}

/// Calls `f` for the lines and the slices and words of which a value is computed.
fn leaves(kernel: &Kernel, id: ValueId, f: &mut impl FnMut(ValueId, &Value)) -> Option<()> {
    let value = &kernel.values[id.0 as usize];
    match value {
        Value::Line(..) | Value::Whole(_) => f(id, value),
        Value::Fill(_) | Value::Not(_) | Value::Logic(..) => {
            for operand in value.operands() {
                leaves(kernel, operand, f)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// The value, if it is computed of slices and words from outside, and of nothing else.
fn mixed(kernel: &Kernel, id: ValueId) -> Option<Mixed> {
    let of = |id: ValueId| mixed(kernel, id).map(Box::new);
    match kernel.values[id.0 as usize] {
        Value::Whole(var) => Some(Mixed::Bits(var)),
        Value::Not(id) => Some(Mixed::Not(of(id)?)),
        Value::Logic(op, left, right) => Some(Mixed::Logic(op, of(left)?, of(right)?)),
        _ => None,
    }
}

/// The largest parts that are.
fn largest(kernel: &Kernel, id: ValueId, parts: &mut BTreeSet<ValueId>) {
    if mixed(kernel, id).is_some() {
        parts.insert(id);
        return;
    }
    for operand in kernel.values[id.0 as usize].operands() {
        largest(kernel, operand, parts);
    }
}

/// The bit of a value where that from outside is this, and those of the tables are these.
fn bit(
    kernel: &Kernel,
    id: ValueId,
    outside: Option<(ValueId, bool)>,
    own: &dyn Fn(VarId) -> bool,
) -> Option<bool> {
    if let Some((outer, bit)) = outside
        && outer == id
    {
        return Some(bit);
    }
    let of = |id: ValueId| bit(kernel, id, outside, own);
    match &kernel.values[id.0 as usize] {
        Value::Line(table, _) => Some(own(*table)),
        Value::Fill(bit) => Some(*bit),
        Value::Not(id) => Some(!of(*id)?),
        Value::Logic(op, left, right) => Some(op.apply(of(*left)?, of(*right)?)),
        _ => None,
    }
}
