//! Kernels of SIR on the device.
//!
//! * `find`: kernels, and loops around one, that run over a grid of workgroups; `text`: their WGSL.
//!   The host decides in `run::lifted`.
//! * `lines`: kernels that are one instruction of the control unit; `planes`: kernels with queries,
//!   which are a few instructions.
//!
//! Note [Lifted loops]. A kernel that stores lines is one dispatch: a thread computes a limb of a
//! column, for rows and for columns. A `for` whose iterations load the lines of their index, the
//! pivots, and end with such a kernel is a dispatch for every few pivots. The dispatch before them
//! writes the pivots of the table that changes next to the table: the thread that computes a limb
//! stores it, so no thread waits for another one (Note [Several pivots in a dispatch]).
//!
//! All checks of all iterations are made before the first dispatch. If one would fail, the loop
//! runs as written, and traps where that traps. Apart from the table, no variable that the loop
//! assigns is live afterwards, except for lengths that it latches and sums of iterations, whose
//! values the host returns.

mod find;
mod lines;
mod planes;
mod text;

pub(crate) use lines::{Lines, Made, Mixed, lines};
pub(crate) use planes::{Act, Addend, Truth, acts};
pub(crate) use text::{ACROSS, DOWN, FIRST_PORT, PIVOTS_AT_ONCE, SHARE};

use std::collections::HashMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::kernel::Line;
use star_ir::{Check, LogicOp, Op, Operand, Program, RoutineId, SizeOperand, Stmt, VarId, visit};
use star_shaders::Shader;

/// A kernel over a grid, or a loop around one.
#[derive(Clone, Debug)]
pub(crate) struct Lifted {
    /// The loop around the kernel; without one there is one dispatch.
    pub(crate) pivots: Option<Pivots>,
    /// The table that changes.
    pub(crate) target: VarId,
    /// The lines that belong to the iterations.
    pub(crate) line: Line,
    pub(crate) over: Over,
    /// The variable of the iterations.
    pub(crate) iteration: VarId,
    /// Slices, words and tables from outside.
    pub(crate) objects: Vec<VarId>,
    /// Checks and computations before the first dispatch, in order.
    pub(crate) steps: Vec<Step>,
    /// Its kernel.
    pub(crate) shader: Shader,
    /// Its ports, after the words that every kernel gets.
    pub(crate) ports: Vec<Port>,
    /// Elementary operations of a pivot, and of an iteration.
    pub(crate) pivot_cost: u64,
    pub(crate) cost: u64,
    /// Lengths that it latches, which statements after it may read.
    pub(crate) latched: Vec<VarId>,
    /// If other processes have rows of the table, too: the number of rows that precede its own
    /// (Note [Pivots of other processes] in `run::lifted`).
    pub(crate) before: Option<Operand>,
    /// Integers that grow with each iteration.
    pub(crate) sums: Vec<Sum>,
}

/// An integer to which the iterations of the kernel add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) var: VarId,
    /// What each one adds.
    pub(crate) factor: i64,
}

/// `for var:=from to to`.
#[derive(Clone, Debug)]
pub(crate) struct Pivots {
    pub(crate) var: VarId,
    pub(crate) from: Operand,
    pub(crate) to: Operand,
    pub(crate) down: bool,
}

/// The source of the iterations.
#[derive(Clone, Debug)]
pub(crate) enum Over {
    Range(Operand, Operand),
    /// The ones of something with this length.
    Ones(SizeOperand),
}

/// A step of the host before the first dispatch.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A check that must hold for every pivot.
    Check(Check),
    /// A slice or word of the loop gets this length.
    Bits(VarId, SizeOperand),
    /// A number of the loop.
    Number(VarId, Op),
    /// If the number was never set, it is this.
    Latch(VarId, SizeOperand),
    /// A condition that must hold.
    Holds(Operand),
    /// The first steps if the condition holds, else the others.
    Choice(Operand, Vec<Step>, Vec<Step>),
}

/// An input of a kernel other than the table that it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// A slice or word from outside, along these lines of the target: as long as they are.
    Bits(VarId, Line),
    /// A table: two words, its address and its stride. Its sizes are those of the target.
    Table(VarId),
}

/// A value of a kernel: a limb of it in the thread of a limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// The line of the iteration.
    Own(VarId),
    /// The line of the pivot.
    Pivot(Line, VarId),
    /// A slice or word from outside.
    Outer(VarId),
    /// The same everywhere.
    Constant(bool),
    Not(usize),
    Logic(LogicOp, usize, usize),
}

/// The kernels of a routine, and the loops around one, that run over a grid, by the addresses of
/// their statements.
pub(crate) fn find(program: &Program, id: RoutineId) -> HashMap<*const Stmt, Lifted> {
    let routine = program.routine(id);
    let mut found = HashMap::new();
    let mut liveness = None;
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        if find::may_be(stmt) {
            let liveness = liveness.get_or_insert_with(|| Liveness::of(program, id));
            let lives = |var: VarId| liveness.is_live_after(at, var);
            if let Some(lifted) = find::Finder::new(routine).lifted(stmt, &lives) {
                found.insert(std::ptr::from_ref(stmt), lifted);
            }
        }
        at += 1;
    });
    found
}

#[cfg(test)]
mod tests {
    use star_ir::parse;

    use super::*;

    /// Returns how many loops around a kernel run over a grid in a routine whose iterations begin
    /// with these statements.
    fn n_lifted(statements: &[&str]) -> usize {
        let statements: String = statements.iter().map(|line| format!("    {line} !0\n")).collect();
        let text = format!(
            "routine 0 \"F\" (ref %P: table[?, ?], value %X: slice[?], value %v: word[?]) !0 {{\n  \
             var %k: int\n  var %i: int\n  var %w: word[?]\n  var %t: word[?]\n  \
             for @0 %k = 1 to 9 !0 {{\n{statements}    \
             kernel rows %P !0 {{\n      0 = line %P\n      1 = whole %v\n      2 = xor 0 1\n      \
             store %P 2\n    }} fallback {{\n      \
             forall @1 %i in %X writes [row %P] privates [%t] !0 {{\n        \
             %t = row %P, %i !0\n        %t = bits_xor %t, %v !0\n        \
             put_row %P, %i, %t !0\n      }}\n    }}\n  }}\n}}\nlocations {{\n  !0 = 0:0..0\n}}\n"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = find(&program, RoutineId(0));
        found.values().filter(|lifted| lifted.pivots.is_some()).count()
    }

    #[test]
    fn loops_that_carry_a_line_to_the_next_iteration_are_not_lifted() {
        let pivot = "%w = row %P, %k";
        assert_eq!(n_lifted(&[pivot]), 1);
        assert_eq!(n_lifted(&[pivot, "%v = copy %w"]), 1);
        // The second iteration sees the lines of both.
        assert_eq!(n_lifted(&[pivot, "%v = bits_or %v, %w"]), 0);
        assert_eq!(n_lifted(&[pivot, "%w = bits_xor %v, %w", "%v = copy %w"]), 0);
    }
}
