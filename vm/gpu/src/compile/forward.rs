//! Forward substitution: what reads a line takes what the line was made of instead.
//!
//! A column that is loaded, a copy, a complement are no instructions of their own where they are
//! only combined: an operand may be a column, and a complement is another truth table. What is made
//! and then copied is made where it goes. Behind that, many lines are read by nobody (`objects`).
//!
//! A forward analysis that holds on all paths (available expressions). Lines are functions of limbs
//! at the same place, so that whoever reads them there reads the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_shaders::{Generator, Op, Reduce};

use super::builder::{Line, table};
use super::dataflow::on_all_paths;
use super::facts::keep;
use super::objects::{Outside, reshaped};
use super::registers::basic_blocks;
use crate::code::{Inst, LineKind, Object, Reg};

/// A function of one or two lines by its truth table.
#[derive(Clone, Copy, PartialEq)]
struct Function {
    table: u32,
    y: Line,
    z: Option<Line>,
}

/// Where sizes come from.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Registers(Option<Reg>, Option<Reg>),
    Like(Object),
}

/// What is known of objects: what they were made of, and what gave them their sizes.
#[derive(Clone, Default, PartialEq)]
struct Known {
    lines: BTreeMap<Object, Function>,
    shapes: BTreeMap<Object, Shape>,
}

/// Substitutes in the whole routine.
pub(super) fn substitute(outside: &Outside<'_>, insts: &mut Vec<Inst>, labels: &mut [usize]) {
    let blocks = basic_blocks(insts, labels, 0);
    let transfer = |range: Range<usize>, known: &mut Known| {
        insts[range].iter().for_each(|inst| {
            known.step(outside, inst);
        });
    };
    let before = on_all_paths(&blocks, Known::default(), transfer, Known::meet);
    let mut kept: Vec<Option<Inst>> = insts.iter().cloned().map(Some).collect();
    for (block, known) in blocks.iter().zip(before) {
        let Some(mut known) = known else { continue };
        for at in block.start..block.end {
            if at > block.start
                && let [Some(made), Some(asked)] = &kept[at - 1..=at]
                && let Some(both) = found_at_once(made, asked)
            {
                (kept[at - 1], kept[at]) = (Some(both), None);
                known.pass(outside, &insts[at]);
            } else {
                kept[at] = known.step(outside, &insts[at]);
            }
        }
    }
    *insts = keep(kept, labels);
}

impl Known {
    /// Keeps what holds there, too; was that less?
    fn meet(&mut self, other: &Known) -> bool {
        let n = self.lines.len() + self.shapes.len();
        self.lines.retain(|object, function| other.lines.get(object) == Some(function));
        self.shapes.retain(|object, shape| other.shapes.get(object) == Some(shape));
        self.lines.len() + self.shapes.len() < n
    }

    /// The instruction with what is known in it, `None` if nothing is left to do; then what is
    /// known behind it.
    fn step(&mut self, outside: &Outside<'_>, inst: &Inst) -> Option<Inst> {
        let inst = self.substituted(inst.clone());
        if let Some(inst) = &inst {
            self.pass(outside, inst);
        }
        inst
    }

    fn substituted(&self, mut inst: Inst) -> Option<Inst> {
        match inst.op {
            Op::Line => self.in_line(&mut inst),
            Op::Shape | Op::ShapeLike => {
                let shape = self.shape_of(&inst)?;
                if self.shapes.get(&inst.x?) == Some(&shape) {
                    return None;
                }
                if let Shape::Registers(a, b) = shape {
                    inst.op = Op::Shape;
                    (inst.y, inst.a, inst.b) = (None, a, b);
                } else if let Shape::Like(y) = shape {
                    inst.y = Some(y);
                }
            }
            _ => {}
        }
        Some(inst)
    }

    /// What the instruction takes sizes from.
    fn shape_of(&self, inst: &Inst) -> Option<Shape> {
        if inst.op == Op::Shape {
            return Some(Shape::Registers(inst.a, inst.b));
        }
        let y = inst.y?;
        Some(self.shapes.get(&y).copied().unwrap_or(Shape::Like(y)))
    }

    fn in_line(&self, inst: &mut Inst) {
        let Some(mut line) = inst.line else { return };
        if line.generator != Generator::Logic || line.clears {
            return;
        }
        // What only copies or complements a line is what made that line.
        if let (Some(y), None) = (inst.y, inst.b)
            && let Some(made) = self.lines.get(&y)
            && let Some(is_not) = of_one(line.table, inst.z.is_some())
            && (made.z.is_none() || inst.c.is_none() || inst.z.is_some())
        {
            line.table = if is_not { !made.table & 15 } else { made.table };
            (inst.y, inst.b) = (Some(made.y.object), made.y.column);
            let behind = inst.c.filter(|_| inst.z.is_none());
            inst.z = made.z.map(|z| z.object);
            inst.c = made.z.map_or(behind, |z| z.column);
        }
        if let (Some(y), None) = (inst.y, inst.b)
            && let Some((of, is_not)) = self.one(y)
        {
            (inst.y, inst.b) = (Some(of.object), of.column);
            if is_not {
                line.table = (line.table & 3) << 2 | line.table >> 2;
            }
        }
        if let (Some(z), None) = (inst.z, inst.c)
            && let Some((of, is_not)) = self.one(z)
        {
            (inst.z, inst.c) = (Some(of.object), of.column);
            if is_not {
                line.table = (line.table & 5) << 1 | line.table >> 1 & 5;
            }
        }
        inst.line = Some(line);
    }

    /// The line that the object is a copy or the complement of.
    fn one(&self, object: Object) -> Option<(Line, bool)> {
        let made = self.lines.get(&object)?;
        of_one(made.table, made.z.is_some()).map(|is_not| (made.y, is_not))
    }

    /// What the instruction, which is as it will be, does to what is known.
    fn pass(&mut self, outside: &Outside<'_>, inst: &Inst) {
        match inst.op {
            // Others may change whatever they know of.
            Op::Host | Op::Call => *self = Known::default(),
            _ => {}
        }
        if let Some(d) = inst.d {
            self.lines.retain(|_, made| made.lines().all(|line| line.column != Some(d)));
            self.shapes.retain(|_, shape| match shape {
                Shape::Registers(a, b) => ![*a, *b].contains(&Some(d)),
                Shape::Like(_) => true,
            });
        }
        let shape = self.shape_of(inst).filter(|_| matches!(inst.op, Op::Shape | Op::ShapeLike));
        for object in reshaped(inst).into_iter().flatten() {
            self.forget(object);
            self.shapes.remove(&object);
            self.shapes.retain(|_, shape| *shape != Shape::Like(object));
        }
        if let (Some(x), Some(shape)) = (inst.x, shape) {
            self.shapes.insert(x, shape);
        }
        let changed: BTreeSet<Object> = match inst.op {
            Op::Line => {
                let line = inst.line.as_ref();
                let x = inst.x.filter(|_| line.is_some_and(|line| line.stores));
                let y = inst.y.filter(|_| line.is_some_and(|line| line.clears));
                x.into_iter().chain(y).collect()
            }
            Op::BitPut | Op::RowPut | Op::WordAdd | Op::WordSub | Op::Lines => {
                inst.x.into_iter().collect()
            }
            _ => return,
        };
        changed.iter().for_each(|object| self.forget(*object));
        if let (Op::Line, Some(x), None, Some(line), Some(y)) =
            (inst.op, inst.x, inst.a, inst.line, inst.y)
            && line.generator == Generator::Logic
            && line.stores
            && !line.clears
            && !outside.is_param(x)
        {
            let z = inst.z.map(|object| Line { object, column: inst.c });
            let made = Function { table: line.table, y: Line { object: y, column: inst.b }, z };
            if made.lines().all(|line| line.object != x) {
                self.lines.insert(x, made);
            }
        }
    }

    /// The limbs of the object are others.
    fn forget(&mut self, object: Object) {
        self.lines.remove(&object);
        self.lines.retain(|_, made| made.lines().all(|line| line.object != object));
    }
}

impl Function {
    fn lines(&self) -> impl Iterator<Item = Line> {
        [Some(self.y), self.z].into_iter().flatten()
    }
}

/// Is it a function of its first line alone, and then the complement? Without a second one its bits
/// for that are no matter.
fn of_one(table: u32, has_z: bool) -> Option<bool> {
    let table = if has_z { table } else { (table & 5) * 3 };
    match table {
        table::FIRST => Some(false),
        table::NOT => Some(true),
        _ => None,
    }
}

/// A line that is made and a question about it, as one instruction.
fn found_at_once(made: &Inst, asked: &Inst) -> Option<Inst> {
    let (of, about) = (made.line?, asked.line?);
    let is_made = of.stores && !of.clears && of.reduce == Reduce::Nothing && made.a.is_none();
    let is_asked = !about.stores && !about.clears && about.generator == Generator::Logic;
    let same = made.x == asked.y && asked.b.is_none() && asked.c.is_none() && asked.z.is_none();
    // Where something else is in the register of a second line, a first component would be one
    // behind that.
    let is_free = about.reduce != Reduce::First || made.c.is_none() || made.z.is_some();
    if !(is_made && is_asked && same && is_free && of_one(about.table, false) == Some(false)) {
        return None;
    }
    let mut both = made.clone();
    both.d = asked.d;
    both.line = Some(LineKind { reduce: about.reduce, ..of });
    Some(both)
}
