//! Natives: library routines that this backend does in its own way, one file each.
//!
//! The code of a routine with a native begins with one instruction, [`Inst::Native`](super::code::Inst),
//! which runs when the routine was entered, by a call or as the entry, and its arguments are in its
//! registers. If natives are on, every argument is set and the preconditions of the catalogue hold, the
//! native sets the `var` parameters and the routine returns; otherwise its body runs. So a native has no
//! trap, and what it needs it looks at before it changes anything: it asks for its memory first, and if there is
//! not enough the body runs too. Only when the user or the clock ends the run does a `var` parameter hold
//! something in between.

mod closure;
mod components;
mod reach;

use star_base::natives::{Native, ParamMode, SizeExpr};
use star_ir::{LogicOp, Mode};

use super::code::{Number, Reg, RegRef, Size};
use super::interpreter::Interpreter;
use super::parallelism::Parallelism;
use super::registers::CowTable;
use crate::stop::{Run, broken};

pub(super) use reach::Reach;

/// Is a bit of a set one?
#[inline]
fn has(set: &[u64], idx: usize) -> bool {
    set[idx / 64] >> (idx % 64) & 1 == 1
}

/// Sets a bit of a set.
#[inline]
fn put(set: &mut [u64], idx: usize) {
    set[idx / 64] |= 1 << (idx % 64);
}

/// Looks at the flags each time that so much was done as may lie between two looks.
struct InterruptPoller<'a> {
    parallelism: &'a Parallelism<'a>,
    /// Limbs until the next look.
    left: usize,
}

impl<'a> InterruptPoller<'a> {
    fn new(parallelism: &'a Parallelism<'a>) -> Self {
        InterruptPoller { parallelism, left: parallelism.settings.poll_limbs }
    }

    /// So many limbs are about to be worked on.
    #[inline]
    fn spend(&mut self, n_limbs: usize) -> Run<()> {
        match self.left.checked_sub(n_limbs) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = self.parallelism.settings.poll_limbs;
                self.parallelism.poll()
            }
        }
    }

    /// `to = to or line`, which may be longer.
    fn or(&mut self, to: &mut [u64], line: &[u64]) -> Run<()> {
        self.spend(to.len())?;
        self.parallelism.fill(to, 1, |start, part| {
            let line = &line[start..start + part.len()];
            self.parallelism.kernels.logic_assign(LogicOp::Or, part, line);
        })
    }
}

impl Interpreter<'_, '_, '_> {
    /// Does what the routine that was just entered does; false if its body has to.
    pub(super) fn native(&mut self, native: Native) -> Run<bool> {
        if !self.parallelism.settings.natives || !self.native_may(native)? {
            return Ok(false);
        }
        self.budget.poll()?;
        let done = match native {
            Native::Closure => self.native_closure()?,
            Native::Condense => self.native_condense()?,
            Native::Reaches => self.native_reaches()?,
            Native::Reachable => self.native_reachable()?,
        };
        if done {
            self.count_native();
        }
        Ok(done)
    }

    /// Are the arguments set, and do the preconditions hold?
    fn native_may(&self, native: Native) -> Run<bool> {
        let params = &self.routine()?.params;
        let signature = native.signature();
        let is_set = |((place, _), mode): (&(RegRef, Mode), ParamMode)| match (place, mode) {
            // Value arguments are set.
            (_, ParamMode::Value | ParamMode::Made) => true,
            (place, ParamMode::Changed) => self.holds_value(*place),
        };
        let value = |term: SizeExpr| {
            let size = |idx: usize, size: fn(Reg) -> Size| match params.get(idx) {
                Some((RegRef::Table(reg), _)) => self.size(size(*reg)),
                Some((RegRef::Handle(reg), _)) => match &self.table_slot(*reg).table {
                    CowTable::Reach(reach) => Some(reach.n_vertices() as u64),
                    CowTable::None | CowTable::Own(_) | CowTable::Shared(_) => None,
                },
                Some(_) | None => None,
            };
            match term {
                SizeExpr::Number(number) => Some(number),
                SizeExpr::Value(idx) => self.int_param(idx).ok(),
                SizeExpr::Rows(idx) => size(idx, Size::Rows).and_then(|n| i64::try_from(n).ok()),
                SizeExpr::Columns(idx) => {
                    size(idx, Size::Columns).and_then(|n| i64::try_from(n).ok())
                }
            }
        };
        let ways = signature.params.iter().map(|param| param.mode);
        Ok(params.iter().zip(ways).all(is_set) && signature.holds(value))
    }

    /// The integer that is parameter `idx`, from 0.
    fn int_param(&self, idx: usize) -> Run<i64> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Int(reg), _)) => Ok(self.number(Number(*reg))),
            Some(_) | None => Err(broken("a native without that integer")),
        }
    }

    /// The register of the handle that is parameter `idx`, from 0.
    fn handle_param(&self, idx: usize) -> Run<Reg> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Handle(reg), _)) => Ok(*reg),
            Some(_) | None => Err(broken("a native without that handle")),
        }
    }

    /// The register of the table that is parameter `idx`, from 0.
    fn table_param(&self, idx: usize) -> Run<Reg> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Table(reg), _)) => Ok(*reg),
            Some(_) | None => Err(broken("a native without that table")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use star_base::BitTable;
    use star_ir::LimitKind;

    use super::closure::Closing;
    use super::{InterruptPoller, Reach};
    use crate::budget::MemoryBudget;
    use crate::cpu::parallelism::{Parallelism, Settings};
    use crate::kernels::Kernels;
    use crate::stop::Stop;

    /// A cycle through all vertices: work for every part of a native.
    fn cycle(n: usize) -> BitTable {
        let mut graph = BitTable::zeros(n, n).unwrap();
        (0..n).for_each(|vertex| graph.put(vertex, (vertex + 1) % n, true));
        graph
    }

    /// A graph in which vertex i of `n` is called `name(i)`, and has arcs to all that come behind it.
    fn triangle(n: usize, name: impl Fn(usize) -> usize) -> BitTable {
        let mut graph = BitTable::zeros(n, n).unwrap();
        for to in 0..n {
            (0..to).for_each(|from| graph.put(name(from), name(to), true));
        }
        graph
    }

    /// The closure by Warshall's algorithm.
    fn warshall(mut graph: BitTable) -> BitTable {
        let n = graph.n_rows();
        for via in 0..n {
            for from in (0..n).filter(|&from| graph.get(from, via)).collect::<Vec<usize>>() {
                for to in (0..n).filter(|&to| graph.get(via, to)).collect::<Vec<usize>>() {
                    graph.put(from, to, true);
                }
            }
        }
        graph
    }

    #[test]
    fn the_order_of_the_vertices_does_not_matter() {
        let (flag, never) = (AtomicBool::new(false), AtomicBool::new(false));
        let budget = MemoryBudget::new(&flag, &never, u64::MAX);
        let parallelism =
            Parallelism::new(Kernels::detect(), Settings::tiny(), budget.flags(), None);
        for n in [1, 2, 63, 64, 65, 130] {
            let orders: [&dyn Fn(usize) -> usize; 5] = [
                &|vertex| vertex,
                &|vertex| n - 1 - vertex,
                // One half along the arcs, the other against them.
                &|vertex| if vertex < n / 2 { vertex } else { n - 1 - (vertex - n / 2) },
                // In turn from both ends.
                &|vertex| if vertex % 2 == 0 { vertex / 2 } else { n - 1 - vertex / 2 },
                // 37 divides none of the sizes.
                &|vertex| vertex * 37 % n,
            ];
            for order in orders {
                for back in [None, Some((n / 3, 0)), Some((n - 1, n / 2)), Some((n - 1, 0))] {
                    let mut graph = triangle(n, order);
                    // Arcs that are not there, so that not all is reached at one step.
                    (0..n).for_each(|vertex| graph.put(order(vertex), order(vertex / 2), false));
                    (1..n).step_by(5).for_each(|to| graph.put(order(to - 1), order(to), false));
                    if let Some((from, to)) = back {
                        graph.put(order(from), order(to), true);
                    }
                    let expected = warshall(graph.clone());
                    let mut poller = InterruptPoller::new(&parallelism);
                    let reach = Reach::new(&graph, n, false, &parallelism).unwrap().unwrap();
                    let mut filled = BitTable::zeros(n, n).unwrap();
                    reach.fill(&mut filled, &parallelism).unwrap();
                    // The lines of the table are its columns.
                    assert!(filled == expected, "CONDENSE, {n} vertices, {back:?}: {graph:?}");
                    let mut closing = Closing::find(&graph, n, &mut poller).unwrap().unwrap();
                    closing.close(&mut graph, &mut poller).unwrap();
                    assert!(graph == expected, "WARSHALL, {n} vertices, {back:?}");
                }
            }
        }
    }

    #[test]
    fn the_user_and_the_clock_end_a_native() {
        let (flag, never) = (AtomicBool::new(false), AtomicBool::new(false));
        let budget = MemoryBudget::new(&flag, &never, u64::MAX);
        let parallelism =
            Parallelism::new(Kernels::detect(), Settings::tiny(), budget.flags(), None);
        let mut graph = cycle(100);
        let reach = Reach::new(&graph, 100, false, &parallelism).unwrap().unwrap();
        let mut closure = BitTable::zeros(100, 100).unwrap();
        reach.fill(&mut closure, &parallelism).unwrap();
        assert_eq!(closure.count_ones(), 100 * 100);

        let mut closing =
            Closing::find(&graph, 100, &mut InterruptPoller::new(&parallelism)).unwrap().unwrap();
        flag.store(true, Ordering::Relaxed);
        let stop = Stop::Limit(LimitKind::Interrupted);
        let mut poller = InterruptPoller::new(&parallelism);
        assert_eq!(Closing::find(&graph, 100, &mut poller).map(|_| ()), Err(stop.clone()));
        assert_eq!(closing.close(&mut graph, &mut poller), Err(stop.clone()));
        assert_eq!(Reach::new(&graph, 100, false, &parallelism).map(|_| ()), Err(stop.clone()));
        assert_eq!(reach.fill(&mut closure, &parallelism), Err(stop));
    }
}
