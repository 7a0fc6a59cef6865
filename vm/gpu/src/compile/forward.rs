//! Forward substitution: an instruction that reads a line takes the operands of that line instead.
//!
//! Loading a column, copying and complementing need no separate instructions where their result is
//! only combined: an operand may be a column, and a complement is another truth table. A line that
//! is made and then copied is made at its destination. After that, many lines are never read, and
//! `objects` removes their stores.
//!
//! A forward analysis that holds on all paths (available expressions). A line is a function of
//! limbs at the same place, so that an instruction that reads them there reads the same.

use std::ops::Range;

use star_shaders::{Generator, Op, Reduce};

use super::bits::Bits;
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

/// The source of sizes.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Registers(Option<Reg>, Option<Reg>),
    Like(Object),
}

/// A fact about an object.
#[derive(Clone, Copy, PartialEq)]
enum Fact {
    /// Its limbs are this function.
    Made(Function),
    /// Its sizes come from there.
    Sized(Shape),
}

/// A change that ends facts.
#[derive(Clone, Copy)]
enum Change {
    Limbs(Object),
    Sizes(Object),
    Register(Reg),
}

/// All facts that the analysis found, by their numbers. What is known at a position is a set of
/// these numbers, with at most one fact of each kind about an object.
struct Facts<'a> {
    outside: &'a Outside<'a>,
    n_facts: usize,
    /// By object: the facts about it.
    about: Vec<Vec<(usize, Fact)>>,
    /// By object: the facts that a change of its limbs ends.
    limbs: Vec<Bits>,
    /// By object: the facts that a change of its sizes ends.
    sizes: Vec<Bits>,
    /// By register: the facts that a change of it ends.
    registers: Vec<Bits>,
}

/// Substitutes in the whole routine.
pub(super) fn substitute(outside: &Outside<'_>, insts: &mut Vec<Inst>, labels: &mut [usize]) {
    let blocks = basic_blocks(insts, labels, 0);
    let mut facts = Facts {
        outside,
        n_facts: 0,
        about: Vec::new(),
        limbs: Vec::new(),
        sizes: Vec::new(),
        registers: Vec::new(),
    };
    let transfer = |range: Range<usize>, known: &mut Bits| {
        insts[range].iter().for_each(|inst| {
            facts.step(known, inst);
        });
    };
    let before = on_all_paths(&blocks, Bits::default(), transfer, Bits::intersect);
    let mut kept: Vec<Option<Inst>> = insts.iter().cloned().map(Some).collect();
    for (block, known) in blocks.iter().zip(before) {
        let Some(mut known) = known else { continue };
        for at in block.start..block.end {
            if at > block.start
                && let [Some(made), Some(asked)] = &kept[at - 1..=at]
                && let Some(both) = found_at_once(made, asked)
            {
                (kept[at - 1], kept[at]) = (Some(both), None);
                facts.pass(&mut known, &insts[at]);
            } else {
                kept[at] = facts.step(&mut known, &insts[at]);
            }
        }
    }
    *insts = keep(kept, labels);
}

impl Facts<'_> {
    /// Returns the instruction with what is known substituted, `None` if nothing remains to do;
    /// updates what is known.
    fn step(&mut self, known: &mut Bits, inst: &Inst) -> Option<Inst> {
        let inst = self.substituted(known, inst.clone());
        if let Some(inst) = &inst {
            self.pass(known, inst);
        }
        inst
    }

    /// Returns the known facts about an object.
    fn about(&self, known: &Bits, object: Object) -> impl Iterator<Item = Fact> {
        let facts = self.about.get(object.0 as usize).into_iter().flatten();
        facts.filter(|(number, _)| known.contains(*number)).map(|(_, fact)| *fact)
    }

    /// Returns what the limbs of an object are a function of.
    fn made(&self, known: &Bits, object: Object) -> Option<Function> {
        self.about(known, object).find_map(|fact| match fact {
            Fact::Made(made) => Some(made),
            Fact::Sized(_) => None,
        })
    }

    /// Returns where the sizes of an object come from.
    fn sized(&self, known: &Bits, object: Object) -> Option<Shape> {
        self.about(known, object).find_map(|fact| match fact {
            Fact::Sized(shape) => Some(shape),
            Fact::Made(_) => None,
        })
    }

    fn substituted(&self, known: &Bits, mut inst: Inst) -> Option<Inst> {
        match inst.op {
            Op::Line => self.in_line(known, &mut inst),
            Op::Shape | Op::ShapeLike => {
                let shape = self.shape_of(known, &inst)?;
                if self.sized(known, inst.x?) == Some(shape) {
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

    /// Returns where the instruction takes sizes from.
    fn shape_of(&self, known: &Bits, inst: &Inst) -> Option<Shape> {
        if inst.op == Op::Shape {
            return Some(Shape::Registers(inst.a, inst.b));
        }
        let y = inst.y?;
        Some(self.sized(known, y).unwrap_or(Shape::Like(y)))
    }

    fn in_line(&self, known: &Bits, inst: &mut Inst) {
        let Some(mut line) = inst.line else { return };
        if line.generator != Generator::Logic || line.clears {
            return;
        }
        // A copy or complement of a line becomes the operation that made the line.
        if let (Some(y), None) = (inst.y, inst.b)
            && let Some(made) = self.made(known, y)
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
            && let Some((of, is_not)) = self.one(known, y)
        {
            (inst.y, inst.b) = (Some(of.object), of.column);
            if is_not {
                line.table = (line.table & 3) << 2 | line.table >> 2;
            }
        }
        if let (Some(z), None) = (inst.z, inst.c)
            && let Some((of, is_not)) = self.one(known, z)
        {
            (inst.z, inst.c) = (Some(of.object), of.column);
            if is_not {
                line.table = (line.table & 5) << 1 | line.table >> 1 & 5;
            }
        }
        inst.line = Some(line);
    }

    /// Returns the line that the object is a copy or the complement of.
    fn one(&self, known: &Bits, object: Object) -> Option<(Line, bool)> {
        let made = self.made(known, object)?;
        of_one(made.table, made.z.is_some()).map(|is_not| (made.y, is_not))
    }

    /// Updates what is known by an instruction in its final form.
    fn pass(&mut self, known: &mut Bits, inst: &Inst) {
        match inst.op {
            // Others may change whatever they know of.
            Op::Host | Op::Call => *known = Bits::default(),
            _ => {}
        }
        if let Some(d) = inst.d {
            self.end(known, Change::Register(d));
        }
        let sizes = matches!(inst.op, Op::Shape | Op::ShapeLike);
        let shape = self.shape_of(known, inst).filter(|_| sizes);
        for object in reshaped(inst).into_iter().flatten() {
            self.end(known, Change::Limbs(object));
            self.end(known, Change::Sizes(object));
        }
        if let (Some(x), Some(shape)) = (inst.x, shape) {
            self.add(known, x, Fact::Sized(shape));
        }
        let changed = match inst.op {
            Op::Line => {
                let line = inst.line.as_ref();
                let x = inst.x.filter(|_| line.is_some_and(|line| line.stores));
                [x, inst.y.filter(|_| line.is_some_and(|line| line.clears))]
            }
            Op::BitPut | Op::RowPut | Op::WordAdd | Op::WordSub | Op::Lines => [inst.x, None],
            _ => return,
        };
        for object in changed.into_iter().flatten() {
            self.end(known, Change::Limbs(object));
        }
        if let (Op::Line, Some(x), None, Some(line), Some(y)) =
            (inst.op, inst.x, inst.a, inst.line, inst.y)
            && line.generator == Generator::Logic
            && line.stores
            && !line.clears
            && !self.outside.is_param(x)
        {
            let z = inst.z.map(|object| Line { object, column: inst.c });
            let made = Function { table: line.table, y: Line { object: y, column: inst.b }, z };
            if made.lines().all(|line| line.object != x) {
                self.add(known, x, Fact::Made(made));
            }
        }
    }

    /// Removes the facts that a change ends.
    fn end(&self, known: &mut Bits, change: Change) {
        let ended = match change {
            Change::Limbs(object) => self.limbs.get(object.0 as usize),
            Change::Sizes(object) => self.sizes.get(object.0 as usize),
            Change::Register(reg) => self.registers.get(reg.0 as usize),
        };
        ended.into_iter().for_each(|ended| known.subtract(ended));
    }

    /// Adds a fact about an object. An earlier fact of its kind has ended.
    fn add(&mut self, known: &mut Bits, object: Object, fact: Fact) {
        let about = entry(&mut self.about, object.0);
        if let Some((number, _)) = about.iter().find(|(_, found)| *found == fact) {
            known.insert(*number);
            return;
        }
        let number = self.n_facts;
        self.n_facts += 1;
        about.push((number, fact));
        known.insert(number);
        let mut ended_by = |change| match change {
            Change::Limbs(object) => entry(&mut self.limbs, object.0).insert(number),
            Change::Sizes(object) => entry(&mut self.sizes, object.0).insert(number),
            Change::Register(reg) => entry(&mut self.registers, reg.0).insert(number),
        };
        match fact {
            Fact::Made(made) => {
                ended_by(Change::Limbs(object));
                for Line { object, column } in made.lines() {
                    ended_by(Change::Limbs(object));
                    column.into_iter().for_each(|column| ended_by(Change::Register(column)));
                }
            }
            Fact::Sized(shape) => {
                ended_by(Change::Sizes(object));
                match shape {
                    Shape::Registers(a, b) => {
                        [a, b]
                            .into_iter()
                            .flatten()
                            .for_each(|reg| ended_by(Change::Register(reg)));
                    }
                    Shape::Like(other) => ended_by(Change::Sizes(other)),
                }
            }
        }
    }
}

/// Returns the element with an index, which is added if it is missing.
fn entry<T: Default>(all: &mut Vec<T>, idx: u32) -> &mut T {
    let idx = idx as usize;
    if idx >= all.len() {
        all.resize_with(idx + 1, T::default);
    }
    &mut all[idx]
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
