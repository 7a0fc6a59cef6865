//! Loop-invariant code motion of sizes: instructions that read or set a size move before the loop
//! if the size is the same in every iteration.
//!
//! A loop is the code from a label to the last jump back to it, entered only from above. An object
//! whose size is set there is not live at the start of an iteration, so an earlier size has no
//! effect. The size is that of another object: a computed number need not be a size, and a guard
//! in the loop must report that first.

use std::collections::BTreeSet;

use star_shaders::Op;

use super::facts::is_jump;
use super::objects::{Live, Outside, reshaped};
use super::peephole::Temporaries;
use crate::code::{Inst, Reg};

/// A loop: its instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Loop {
    /// From where to where, the last one included; inner loops come first.
    len: usize,
    start: usize,
}

/// What is known in the whole routine.
struct Context<'a> {
    outside: &'a Outside<'a>,
    temporaries: &'a Temporaries,
    /// The temporaries that hold sizes.
    sizes: BTreeSet<Reg>,
}

/// Moves what is invariant out of all loops, inner ones first.
pub(super) fn hoist(
    outside: &Outside<'_>,
    insts: &mut Vec<Inst>,
    labels: &mut [usize],
    temporaries: &Temporaries,
) {
    // Variables that are live at the start of an iteration stay live when code leaves inner loops.
    let lives = outside.liveness(insts, labels);
    let block_at = |at: &usize| lives.binary_search_by_key(at, |block| block.start).ok();
    let headers: Vec<Option<&Live>> =
        labels.iter().map(|label| block_at(label).map(|block| &lives[block])).collect();
    let sizes = insts.iter().filter(|inst| inst.op == Op::Size);
    let sizes = sizes.filter_map(|inst| inst.d.filter(|d| temporaries.has(*d))).collect();
    let context = Context { outside, temporaries, sizes };
    let mut found = loops(insts, labels);
    for idx in 0..found.len() {
        // Those before have only changed where this one lies.
        if let Some(one) = found.get(idx)
            && let Some(label) = labels.iter().position(|label| *label == one.start)
            && let Some(header) = headers[label]
            && hoist_from(*one, &context, header, insts, labels)
        {
            found = loops(insts, labels);
        }
    }
}

fn loops(insts: &[Inst], labels: &[usize]) -> Vec<Loop> {
    let jumps = insts.iter().enumerate().filter(|(_, inst)| is_jump(inst));
    let mut jumps: Vec<(usize, usize)> =
        jumps.map(|(at, inst)| (labels[inst.target as usize], at)).collect();
    jumps.sort_unstable();
    let mut ends = std::collections::BTreeMap::new();
    for &(to, at) in jumps.iter().filter(|(to, at)| to <= at) {
        let end = ends.entry(to).or_insert(at);
        *end = at.max(*end);
    }
    let entered = |start: usize, end: usize| {
        let inside = jumps.iter().skip(jumps.partition_point(|(to, _)| *to < start));
        inside.take_while(|(to, _)| *to <= end).any(|(_, at)| !(start..=end).contains(at))
    };
    ends.retain(|start, end| {
        *start > 0 && insts[start - 1].falls_through() && !entered(*start, *end)
    });
    let mut loops: Vec<Loop> =
        ends.into_iter().map(|(start, end)| Loop { len: end - start + 1, start }).collect();
    loops.sort_unstable();
    loops
}

/// Moves what is invariant out of a loop; returns whether that is anything.
fn hoist_from(
    found: Loop,
    context: &Context<'_>,
    header: &Live,
    insts: &mut Vec<Inst>,
    labels: &mut [usize],
) -> bool {
    let Context { outside, temporaries, sizes } = context;
    let range = found.start..found.start + found.len;
    let body = &insts[range.clone()];
    // Routines that are called, and the host, may change the sizes of whatever they know of.
    if body.iter().any(|inst| matches!(inst.op, Op::Host | Op::Call)) {
        return false;
    }
    let is_size = |inst: &Inst| {
        inst.op == Op::ShapeLike || inst.b.is_none() && inst.a.is_some_and(|a| sizes.contains(&a))
    };
    let mut written: BTreeSet<Reg> = body.iter().filter_map(|inst| inst.d).collect();
    let reshapes: Vec<_> = body
        .iter()
        .flat_map(|inst| reshaped(inst).into_iter().flatten().map(move |it| (it, inst)))
        .collect();
    let mut reshaped: BTreeSet<_> = reshapes.iter().map(|(object, _)| *object).collect();
    let mut hoisted: Vec<Inst> = Vec::new();
    loop {
        let n = hoisted.len();
        for inst in body {
            let of_registers =
                [inst.a, inst.b].into_iter().flatten().all(|reg| !written.contains(&reg));
            if !of_registers
                || inst.y.is_some_and(|y| reshaped.contains(&y))
                || hoisted.iter().any(|other| is_same(inst, other))
            {
                continue;
            }
            match (inst.op, inst.d, inst.x) {
                (Op::Size, Some(d), _) if temporaries.has(d) => {
                    written.remove(&d);
                }
                (Op::Shape | Op::ShapeLike, _, Some(x))
                    if is_size(inst)
                        && !outside.is_param(x)
                        && !header.has(x)
                        && reshapes
                            .iter()
                            .all(|(object, other)| *object != x || is_same(inst, other)) =>
                {
                    reshaped.remove(&x);
                }
                _ => continue,
            }
            hoisted.push(inst.clone());
        }
        if hoisted.len() == n {
            break;
        }
    }
    if hoisted.is_empty() {
        return false;
    }
    let stays = |inst: &Inst| !hoisted.iter().any(|other| is_same(inst, other));
    let rest: Vec<Inst> = body.iter().filter(|inst| stays(inst)).cloned().collect();
    let moved: Vec<usize> = body
        .iter()
        .scan(found.start + hoisted.len(), |at, inst| {
            let place = *at;
            *at += usize::from(stays(inst));
            Some(place)
        })
        .collect();
    let end = range.end;
    let shrunk = found.len - rest.len();
    for label in labels.iter_mut().filter(|label| **label != usize::MAX) {
        if range.contains(label) {
            *label = moved[*label - found.start];
        } else if *label >= end {
            *label = *label + hoisted.len() - shrunk;
        }
    }
    insts.splice(range, hoisted.into_iter().chain(rest));
    true
}

/// Do both do the same, wherever they stand?
fn is_same(inst: &Inst, other: &Inst) -> bool {
    let of = |inst: &Inst| (inst.op, inst.d, inst.a, inst.b, inst.x, inst.y, inst.imm);
    of(inst) == of(other)
}
