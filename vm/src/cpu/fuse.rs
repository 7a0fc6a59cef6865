//! Two instructions as one: a logic operation whose result only the next one looks at need not be
//! written to memory.
//!
//! Note [Truth tables]. A function of two bits is a number of four: its value for a and b is bit
//! `a << 1 | b`.

use star_ir::LogicOp;

use super::ask::Ask;
use super::code::{Reg, Size, Test};
use super::inst::{BitsInst, Inst, Writes};
use crate::scalars;

/// The instruction that does what `inst` and one before it do, and the number of that one in `run`, a
/// straight run of instructions. `temporary` says that `inst` is the only one to look at a register.
pub(super) fn fuse(
    run: &[Inst],
    inst: Inst,
    temporary: impl Fn(Reg) -> bool,
) -> Option<(usize, Inst)> {
    if let Inst::Ask { ask, dst, of } = inst {
        let (at, made) = maker(run, of, temporary)?;
        let Made::Logic { op, left, right } = made else { return None };
        let fused = match ask {
            Ask::Search(search) => BitsInst::SearchLogic { search, op, dst, left, right },
            Ask::Count => BitsInst::CountLogic { op, dst, left, right },
            Ask::All => return None,
        };
        return Some((at, Inst::Bits(fused)));
    }
    if let Inst::Bits(BitsInst::Not { dst, src }) = inst {
        let (at, made) = maker(run, src, temporary)?;
        let Made::Logic { op, left, right } = made else { return None };
        let table = table(|a, b| !scalars::logic(op, a, b));
        return Some((at, Inst::Bits(BitsInst::Logic2 { table, dst, left, right })));
    }
    if let Inst::LogicBits { op: outer, dst, left, right } = inst
        && left != right
    {
        let (at, made, other) = match maker(run, left, &temporary) {
            Some((at, made)) => (at, made, right),
            None => {
                let (at, made) = maker(run, right, &temporary)?;
                (at, made, left)
            }
        };
        let fused = match made {
            Made::Logic { op: inner, left: a, right: b } => {
                BitsInst::LogicLogic { inner, outer, dst, a, b, c: other }
            }
            Made::Not { src } => {
                let table = table(|a, b| scalars::logic(outer, !a, b));
                BitsInst::Logic2 { table, dst, left: src, right: other }
            }
        };
        return Some((at, Inst::Bits(fused)));
    }
    None
}

/// Has the straight run tested this already, and nothing since that it depends on changed? Only about
/// indices and tables, and only behind instructions that work on lines.
pub(super) fn is_known(run: &[Inst], test: Test) -> bool {
    if !matches!(test, Test::Index(_, Size::Rows(_) | Size::Columns(_)) | Test::TableSet(_)) {
        return false;
    }
    for inst in run.iter().rev() {
        if let Inst::Guard { test: known, .. } = inst
            && *known == test
        {
            return true;
        }
        let leaves_it = matches!(
            inst,
            Inst::Guard { .. }
                | Inst::Cost { .. }
                | Inst::CostTimes { .. }
                | Inst::LogicBits { .. }
                | Inst::Column { .. }
                | Inst::Row { .. }
                | Inst::PutColumn { .. }
                | Inst::PutRow { .. }
                | Inst::Bits(
                    BitsInst::Copy { .. }
                        | BitsInst::Not { .. }
                        | BitsInst::LogicLogic { .. }
                        | BitsInst::Logic2 { .. }
                )
        );
        if !leaves_it {
            return false;
        }
    }
    false
}

/// How a temporary was made.
enum Made {
    Logic { op: LogicOp, left: Reg, right: Reg },
    Not { src: Reg },
}

/// The instruction that made a temporary, if it could as well be done now.
fn maker(run: &[Inst], reg: Reg, temporary: impl Fn(Reg) -> bool) -> Option<(usize, Made)> {
    if !temporary(reg) {
        return None;
    }
    let at = run.iter().rposition(|inst| inst.writes() == Writes::Bits(reg))?;
    let (made, operands) = if let Inst::LogicBits { op, left, right, .. } = run[at] {
        (Made::Logic { op, left, right }, [left, right])
    } else if let Inst::Bits(BitsInst::Not { src, .. }) = run[at] {
        (Made::Not { src }, [src, src])
    } else {
        return None;
    };
    let changed = run[at + 1..].iter().any(|inst| match inst.writes() {
        Writes::Nothing => false,
        Writes::Bits(reg) => operands.contains(&reg),
        Writes::Anything => true,
    });
    (!changed).then_some((at, made))
}

pub(super) fn table(function: impl Fn(bool, bool) -> bool) -> u8 {
    (0..4).fold(0, |table, idx| {
        let value = function(idx & 2 != 0, idx & 1 != 0);
        table | u8::from(value) << idx
    })
}

/// The truth table of the function with its operands exchanged.
pub(super) fn swapped(of: u8) -> u8 {
    table(|a, b| of >> (u8::from(b) << 1 | u8::from(a)) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::ask::Search;
    use super::super::code::Number;
    use super::super::inst::SizeInst;

    const MADE: Inst = Inst::LogicBits { op: LogicOp::And, dst: 9, left: 0, right: 1 };

    #[test]
    fn a_temporary_is_fused_into_what_looks_at_it() {
        let count = Inst::Ask { ask: Ask::Count, dst: 3, of: 9 };
        let fused = fuse(&[MADE], count, |reg| reg == 9);
        let Some((0, Inst::Bits(BitsInst::CountLogic { op: LogicOp::And, .. }))) = fused else {
            panic!("{fused:?}")
        };
        let some = Inst::Ask { ask: Ask::Search(Search::Some), dst: 3, of: 9 };
        let fused = fuse(&[MADE], some, |reg| reg == 9);
        let Some((0, Inst::Bits(BitsInst::SearchLogic { search: Search::Some, .. }))) = fused
        else {
            panic!("{fused:?}")
        };
        let all = Inst::Ask { ask: Ask::All, dst: 3, of: 9 };
        assert!(fuse(&[MADE], all, |reg| reg == 9).is_none());
        let or = Inst::LogicBits { op: LogicOp::Or, dst: 2, left: 9, right: 3 };
        let fused = fuse(&[MADE], or, |reg| reg == 9);
        let Some((0, Inst::Bits(made))) = fused else { panic!("{fused:?}") };
        let BitsInst::LogicLogic { inner, outer, a: 0, b: 1, c: 3, dst: 2 } = made else {
            panic!("{fused:?}")
        };
        assert_eq!((inner, outer), (LogicOp::And, LogicOp::Or), "(a and b) or c");
        let not = Inst::Bits(BitsInst::Not { dst: 2, src: 9 });
        let fused = fuse(&[MADE], not, |reg| reg == 9);
        let Some((0, Inst::Bits(BitsInst::Logic2 { table, .. }))) = fused else {
            panic!("{fused:?}")
        };
        assert_eq!(table, 0b0111, "not (a and b)");
    }

    #[test]
    fn operands_of_a_truth_table_change_places() {
        let and_not = table(|a, b| a && !b);
        assert_eq!(swapped(and_not), table(|a, b| !a && b));
        assert!((0..16).all(|table| swapped(swapped(table)) == table));
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
            Inst::Size(SizeInst::EnsureColumns { table: 0, columns: Size::Value(Number(1)) }),
            Inst::Call(0),
        ] {
            assert!(!is_known(&[guard, change], test), "{change:?}");
        }
    }

    #[test]
    fn what_others_see_or_what_changed_is_not_fused() {
        let count = Inst::Ask { ask: Ask::Count, dst: 3, of: 9 };
        assert!(fuse(&[MADE], count, |_| false).is_none());
        let change = Inst::Bits(BitsInst::Not { dst: 1, src: 1 });
        assert!(fuse(&[MADE, change], count, |reg| reg == 9).is_none());
        let call = Inst::Call(0);
        assert!(fuse(&[MADE, call], count, |reg| reg == 9).is_none());
    }
}
