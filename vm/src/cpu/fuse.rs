//! Two instructions as one: a logic operation whose result only the next one looks at need not be
//! written to memory.
//!
//! Note [Truth tables]. A function of two bits is a number of four: its value for a and b is bit
//! `a << 1 | b`.

use super::code::{Ask, Inst, Reg, Size, Test, Writes};
use crate::scalars;

/// The instruction that does what `inst` and one before it do, and the number of that one in `run`, a
/// straight run of instructions. `temporary` says that `inst` is the only one to look at a register.
pub(super) fn fuse(
    run: &[Inst],
    inst: Inst,
    temporary: impl Fn(Reg) -> bool,
) -> Option<(usize, Inst)> {
    match inst {
        Inst::Ask { ask: ask @ (Ask::Some | Ask::None | Ask::First | Ask::Count), dst, of } => {
            let (at, made) = maker(run, of, temporary)?;
            match made {
                Inst::LogicBits { op, left, right, .. } => {
                    Some((at, Inst::AskLogic { ask, op, dst, left, right }))
                }
                _ => None,
            }
        }
        Inst::NotBits { dst, src } => {
            let (at, made) = maker(run, src, temporary)?;
            match made {
                Inst::LogicBits { op, left, right, .. } => {
                    let table = table(|a, b| !scalars::logic(op, a, b));
                    Some((at, Inst::Logic2 { table, dst, left, right }))
                }
                _ => None,
            }
        }
        Inst::LogicBits { op: outer, dst, left, right } if left != right => {
            let (at, made, other) = match maker(run, left, &temporary) {
                Some((at, made)) => (at, made, right),
                None => {
                    let (at, made) = maker(run, right, &temporary)?;
                    (at, made, left)
                }
            };
            match made {
                Inst::LogicBits { op: inner, left: a, right: b, .. } => {
                    Some((at, Inst::LogicLogic { inner, outer, dst, a, b, c: other }))
                }
                Inst::NotBits { src, .. } => {
                    let table = table(|a, b| scalars::logic(outer, !a, b));
                    Some((at, Inst::Logic2 { table, dst, left: src, right: other }))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Has the straight run tested this already, and nothing since that it depends on changed? Only about
/// indices and tables, and only behind instructions that work on lines.
pub(super) fn is_known(run: &[Inst], test: Test) -> bool {
    if !matches!(test, Test::Index(_, Size::Rows(_) | Size::Columns(_)) | Test::TableSet(_)) {
        return false;
    }
    for inst in run.iter().rev() {
        match inst {
            Inst::Guard { test: known, .. } if *known == test => return true,
            Inst::Guard { .. }
            | Inst::Cost { .. }
            | Inst::CostTimes { .. }
            | Inst::CopyBits { .. }
            | Inst::NotBits { .. }
            | Inst::LogicBits { .. }
            | Inst::LogicLogic { .. }
            | Inst::Logic2 { .. }
            | Inst::Column { .. }
            | Inst::Row { .. }
            | Inst::PutColumn { .. }
            | Inst::PutRow { .. } => {}
            _ => return false,
        }
    }
    false
}

/// The instruction that made a temporary, if it could as well be done now.
fn maker(run: &[Inst], reg: Reg, temporary: impl Fn(Reg) -> bool) -> Option<(usize, Inst)> {
    if !temporary(reg) {
        return None;
    }
    let at = run.iter().rposition(|inst| inst.writes() == Writes::Bits(reg))?;
    let made = run[at];
    let operands = match made {
        Inst::LogicBits { left, right, .. } => [left, right],
        Inst::NotBits { src, .. } => [src, src],
        _ => return None,
    };
    let changed = run[at + 1..].iter().any(|inst| match inst.writes() {
        Writes::Nothing => false,
        Writes::Bits(reg) => operands.contains(&reg),
        Writes::Anything => true,
    });
    (!changed).then_some((at, made))
}

fn table(function: impl Fn(bool, bool) -> bool) -> u8 {
    (0..4).fold(0, |table, idx| {
        let value = function(idx & 2 != 0, idx & 1 != 0);
        table | u8::from(value) << idx
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::code::Number;
    use star_ir::LogicOp;

    const MADE: Inst = Inst::LogicBits { op: LogicOp::And, dst: 9, left: 0, right: 1 };

    #[test]
    fn a_temporary_is_fused_into_what_looks_at_it() {
        let count = Inst::Ask { ask: Ask::Count, dst: 3, of: 9 };
        let fused = fuse(&[MADE], count, |reg| reg == 9);
        let Some((0, Inst::AskLogic { ask: Ask::Count, op: LogicOp::And, .. })) = fused else {
            panic!("{fused:?}")
        };
        let or = Inst::LogicBits { op: LogicOp::Or, dst: 2, left: 9, right: 3 };
        let fused = fuse(&[MADE], or, |reg| reg == 9);
        let Some((0, Inst::LogicLogic { inner, outer, a: 0, b: 1, c: 3, dst: 2 })) = fused else {
            panic!("{fused:?}")
        };
        assert_eq!((inner, outer), (LogicOp::And, LogicOp::Or), "(a and b) or c");
        let not = Inst::NotBits { dst: 2, src: 9 };
        let fused = fuse(&[MADE], not, |reg| reg == 9);
        let Some((0, Inst::Logic2 { table, .. })) = fused else { panic!("{fused:?}") };
        assert_eq!(table, 0b0111, "not (a and b)");
    }

    #[test]
    fn a_guard_is_tested_once_until_something_changes() {
        let test = Test::Index(Number(3), Size::Rows(0));
        let guard = Inst::Guard { test, check: 0 };
        let row = Inst::Row { dst: 1, table: 0, index: Number(3) };
        assert!(is_known(&[guard, row], test));
        assert!(!is_known(&[row], test));
        assert!(!is_known(&[guard, row], Test::Index(Number(4), Size::Rows(0))));
        for change in [
            Inst::Set { dst: 3, value: Number(4) },
            Inst::EnsureColumns { table: 0, columns: Size::Value(Number(1)) },
            Inst::Call(0),
        ] {
            assert!(!is_known(&[guard, change], test), "{change:?}");
        }
    }

    #[test]
    fn what_others_see_or_what_changed_is_not_fused() {
        let count = Inst::Ask { ask: Ask::Count, dst: 3, of: 9 };
        assert!(fuse(&[MADE], count, |_| false).is_none());
        let change = Inst::NotBits { dst: 1, src: 1 };
        assert!(fuse(&[MADE, change], count, |reg| reg == 9).is_none());
        let call = Inst::Call(0);
        assert!(fuse(&[MADE, call], count, |reg| reg == 9).is_none());
    }
}
