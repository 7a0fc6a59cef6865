//! What instructions do to objects: liveness of slices, words and tables, and stores that nobody
//! sees.

use std::collections::BTreeSet;

use star_ir::{Routine, VarId};
use star_shaders::{Generator, Op};

use super::Site;
use super::facts::keep;
use super::registers::basic_blocks;
use crate::code::{Inst, Object};

/// A set of objects, of each its sizes or its limbs.
pub(super) type Objects = BTreeSet<(Object, Part)>;

/// What of an object is live: its sizes alone, or its limbs and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Sizes,
    Limbs,
}

/// What somebody outside of the routine looks at.
pub(super) struct Outside<'a> {
    /// At any time: parameters, which are somebody else's.
    params: BTreeSet<Object>,
    /// When it returns: its result.
    result: BTreeSet<Object>,
    sites: &'a [Site],
}

impl<'a> Outside<'a> {
    pub(super) fn new(
        routine: &Routine,
        objects: impl Fn(VarId) -> Vec<Object>,
        sites: &'a [Site],
    ) -> Self {
        Outside {
            params: routine.params.iter().flat_map(|param| objects(param.var)).collect(),
            result: routine.result.into_iter().flat_map(objects).collect(),
            sites,
        }
    }

    pub(super) fn is_param(&self, object: Object) -> bool {
        self.params.contains(&object)
    }

    /// What the instruction reads. To store into an object takes its sizes.
    fn reads(&self, inst: &Inst) -> impl Iterator<Item = (Object, Part)> {
        let operands = match inst.op {
            // The other object of a call is one of another routine.
            Op::Shape | Op::Unset | Op::Take => [None; 5],
            Op::ShapeLike | Op::Lend | Op::Give => [inst.y, None, None, None, None],
            _ => [inst.x, inst.y, inst.z, inst.w, inst.v],
        };
        let seen = inst.site.map_or(&[][..], |site| &self.sites[site as usize].objects_seen);
        let named = operands.into_iter().flatten().chain(seen.iter().copied());
        let stored = stored(inst);
        named.map(move |object| {
            let others = [inst.y, inst.z].contains(&Some(object));
            let is_sizes = stored == Some(object) && !others || inst.op == Op::Size;
            (object, if is_sizes { Part::Sizes } else { Part::Limbs })
        })
    }

    /// What is live before the instruction, of what is live behind it.
    fn backwards(&self, inst: &Inst, live: &mut Objects) {
        if inst.op == Op::Return {
            *live = self.result.iter().map(|object| (*object, Part::Limbs)).collect();
        }
        match inst.op {
            Op::Unset => {
                if let Some(x) = inst.x {
                    live.remove(&(x, Part::Sizes));
                    live.remove(&(x, Part::Limbs));
                }
            }
            // It keeps its limbs if it has the sizes already: it may be an operand of what comes
            // next.
            Op::Shape | Op::ShapeLike => {
                if let Some(x) = inst.x {
                    live.remove(&(x, Part::Sizes));
                }
            }
            _ => {
                if let Some(x) = stored(inst) {
                    live.remove(&(x, Part::Limbs));
                }
            }
        }
        live.extend(self.reads(inst));
    }

    /// What is live where each block begins, and where it ends.
    pub(super) fn liveness(&self, insts: &[Inst], labels: &[usize]) -> Vec<Live> {
        let blocks = basic_blocks(insts, labels, 0);
        let mut lives: Vec<Live> = blocks
            .iter()
            .map(|block| Live {
                start: block.start,
                end: block.end,
                before: Objects::new(),
                behind: Objects::new(),
            })
            .collect();
        loop {
            let mut changed = false;
            for idx in (0..blocks.len()).rev() {
                let mut live = Objects::new();
                for &next in &blocks[idx].successors {
                    live.extend(&lives[next].before);
                }
                lives[idx].behind.clone_from(&live);
                for inst in insts[blocks[idx].start..blocks[idx].end].iter().rev() {
                    self.backwards(inst, &mut live);
                }
                changed |= live != lives[idx].before;
                lives[idx].before = live;
            }
            if !changed {
                return lives;
            }
        }
    }

    /// Dead-store elimination: leaves out what changes an object that nobody looks at before it
    /// changes again.
    pub(super) fn eliminate_dead_stores(&self, insts: &mut Vec<Inst>, labels: &mut [usize]) {
        loop {
            let lives = self.liveness(insts, labels);
            let n = insts.len();
            let mut kept: Vec<Option<Inst>> = std::mem::take(insts).into_iter().map(Some).collect();
            for block in lives {
                let mut live = block.behind;
                for place in kept[block.start..block.end].iter_mut().rev() {
                    if let Some(inst) = place {
                        if let Some(x) = overwritten(inst)
                            && !live.contains(&(x, Part::Limbs))
                            && (inst.op == Op::Line || !live.contains(&(x, Part::Sizes)))
                            && !self.is_param(x)
                        {
                            *place = without_store(inst);
                        }
                        place.iter().for_each(|inst| self.backwards(inst, &mut live));
                    }
                }
            }
            *insts = keep(kept, labels);
            if insts.len() == n {
                return;
            }
        }
    }
}

/// A block, and what is live around it.
pub(super) struct Live {
    pub(super) start: usize,
    end: usize,
    before: Objects,
    behind: Objects,
}

impl Live {
    /// Is anything of the object live where the block begins?
    pub(super) fn has(&self, object: Object) -> bool {
        [Part::Sizes, Part::Limbs].iter().any(|part| self.before.contains(&(object, *part)))
    }
}

/// The slice or word of which every limb is another one behind the instruction.
fn stored(inst: &Inst) -> Option<Object> {
    let line = inst.line.filter(|line| line.stores && line.generator != Generator::Replace)?;
    inst.x.filter(|_| inst.op == Op::Line && inst.a.is_none() && !line.clears)
}

/// The object that the instruction does nothing but change.
fn overwritten(inst: &Inst) -> Option<Object> {
    match inst.op {
        Op::Shape | Op::ShapeLike | Op::Unset => inst.x,
        Op::Line => inst.x.filter(|_| inst.line.is_some_and(|line| line.stores && !line.clears)),
        _ => None,
    }
}

/// What is left if its store is not needed: what it finds out, perhaps.
fn without_store(inst: &Inst) -> Option<Inst> {
    let mut found = inst.clone();
    found.d?;
    // What is no function of a line asks the object that it goes to for the number of components.
    if let Some(line) = &mut found.line
        && line.generator == Generator::Logic
        && inst.y.is_some()
    {
        line.stores = false;
        (found.x, found.a) = (None, None);
    }
    Some(found)
}

/// The objects whose sizes or flags the instruction changes, as far as it names them.
pub(super) fn reshaped(inst: &Inst) -> [Option<Object>; 2] {
    match inst.op {
        Op::Shape | Op::ShapeLike | Op::Columns | Op::Unset | Op::Fix | Op::Take => [inst.x, None],
        Op::Give => [inst.y, None],
        Op::Lend if inst.imm != 0 => [inst.y, None],
        _ => [None, None],
    }
}
