//! Fusion of several instructions into one: a function of slices whose result only the next
//! instruction uses need not be written to memory if together they have at most three operands. A
//! guard that was already tested is not tested again.

use star_ir::Query;

use super::super::class::{Bitwise, Class};
use super::super::inst::{BitsInst, Inst};
use super::super::operand::{Reg, Size, Test};
use crate::tape::Lut;

/// Returns an instruction that replaces `inst` and one before it, with the number of the latter in
/// `run`, a straight run of instructions. `temporary` tells whether `inst` is the only use of a
/// register.
pub(super) fn fuse(
    run: &[Inst],
    inst: Inst,
    temporary: impl Fn(Reg) -> bool,
) -> Option<(usize, Inst)> {
    match inst.class() {
        Class::Bitwise(op) => {
            let lut = op.lut();
            let (at, fused) = with_maker(run, &lut, temporary)?;
            Some((at, Bitwise::inst(op.dst, &fused)?))
        }
        // All components are ones only if those past the end are not looked at.
        Class::Query { query: Query::All, .. } => None,
        Class::Query { dst, query, of } => {
            let (at, fused) = with_maker(run, &of.lut(), temporary)?;
            let [left, right] = *fused.inputs() else { return None };
            // The bits past the end are zeros and must not count.
            let table = Some(fused.table()).filter(|table| table & 1 == 0)?;
            Some((at, Inst::Bits(BitsInst::QueryLut { query, table, dst, left, right })))
        }
        _ => None,
    }
}

/// Has the straight run already tested this, without a later change of anything that the test
/// depends on? Applies only to indices and tables, and only after instructions that work on lines.
pub(super) fn is_known(run: &[Inst], test: Test) -> bool {
    if !matches!(test, Test::Index(_, Size::Rows(_) | Size::Columns(_)) | Test::TableSet(_)) {
        return false;
    }
    for inst in run.iter().rev() {
        match inst.class() {
            Class::Guard(known) if known == test => return true,
            Class::Guard(_)
            | Class::Cost
            | Class::Bitwise(_)
            | Class::Load { .. }
            | Class::Store { .. } => {}
            Class::Fill { .. }
            | Class::Query { .. }
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => return false,
        }
    }
    false
}

/// Inlines the function that produced one of the inputs, if it could be computed at this point with
/// the same result.
fn with_maker(
    run: &[Inst],
    lut: &Lut<Reg>,
    temporary: impl Fn(Reg) -> bool,
) -> Option<(usize, Lut<Reg>)> {
    lut.inputs().iter().filter(|reg| temporary(**reg)).find_map(|reg| {
        let (at, made) = maker(run, *reg)?;
        Some((at, lut.with(*reg, &made)?))
    })
}

/// Returns the function assigned to a register in the run, if its operands are unchanged.
fn maker(run: &[Inst], reg: Reg) -> Option<(usize, Lut<Reg>)> {
    let at = run.iter().rposition(|inst| inst.class().writes() == Some(reg))?;
    let made = match run[at].class() {
        Class::Bitwise(op) => op.lut(),
        _ => return None,
    };
    let changes = |inst: &Inst| match inst.class() {
        Class::Control => true,
        class => class.writes().is_some_and(|reg| made.inputs().contains(&reg)),
    };
    (!run[at + 1..].iter().any(changes)).then_some((at, made))
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::super::inst::SizeInst;
    use super::super::super::operand::Number;
    use crate::tape::table2;

    fn lut2(table: u8, dst: Reg, left: Reg, right: Reg) -> Inst {
        Inst::Lut2 { table, dst, left, right }
    }

    const AND: u8 = 0b1000;
    const OR: u8 = 0b1110;
    const MADE: Inst = Inst::Lut2 { table: AND, dst: 9, left: 0, right: 1 };

    #[test]
    fn temporaries_fuse_into_their_use() {
        let count = Inst::Query { query: Query::Count, dst: 3, of: 9 };
        let fused = fuse(&[MADE], count, |reg| reg == 9);
        let Some((0, Inst::Bits(BitsInst::QueryLut { query, table: AND, left: 0, right: 1, .. }))) =
            fused
        else {
            panic!("{fused:?}")
        };
        assert_eq!(query, Query::Count);
        let any = Inst::Query { query: Query::Any, dst: 3, of: 9 };
        let fused = fuse(&[MADE], any, |reg| reg == 9);
        let Some((0, Inst::Bits(BitsInst::QueryLut { query: Query::Any, .. }))) = fused else {
            panic!("{fused:?}")
        };
        let all = Inst::Query { query: Query::All, dst: 3, of: 9 };
        assert!(fuse(&[MADE], all, |reg| reg == 9).is_none());
        let fused = fuse(&[MADE], lut2(OR, 2, 9, 3), |reg| reg == 9);
        let Some((0, Inst::Lut3 { table, dst: 2, of })) = fused else { panic!("{fused:?}") };
        let lut = Lut::new(table, &of);
        for bits in 0..16 {
            let bit = |reg: Reg| bits >> reg & 1 == 1;
            assert_eq!(lut.value(bit), (bit(0) && bit(1)) || bit(3));
        }
        let not = Inst::Bits(BitsInst::Not { dst: 2, src: 9 });
        let fused = fuse(&[MADE], not, |reg| reg == 9);
        let Some((0, Inst::Lut2 { table, .. })) = fused else { panic!("{fused:?}") };
        assert_eq!(table, table2(|a, b| !(a && b)));
    }

    #[test]
    fn functions_that_map_zeros_to_one_stay_out_of_reductions() {
        let nor = lut2(0b0001, 9, 0, 1);
        let count = Inst::Query { query: Query::Count, dst: 3, of: 9 };
        assert!(fuse(&[nor], count, |reg| reg == 9).is_none());
    }

    #[test]
    fn constants_and_more_than_three_operands_are_not_fused() {
        let three = Inst::Lut3 { table: 0b1001_0110, dst: 9, of: [0, 1, 2] };
        assert!(fuse(&[three], lut2(AND, 4, 9, 3), |reg| reg == 9).is_none());
        assert!(fuse(&[three], lut2(AND, 4, 9, 2), |reg| reg == 9).is_some());
        // x xor x is a constant, which has no length.
        let same = lut2(0b0110, 9, 0, 0);
        assert!(fuse(&[same], Inst::Bits(BitsInst::Not { dst: 4, src: 9 }), |_| true).is_none());
    }

    #[test]
    fn guards_are_tested_once_until_an_operand_changes() {
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
    fn visible_or_changed_operands_are_not_fused() {
        let count = Inst::Query { query: Query::Count, dst: 3, of: 9 };
        assert!(fuse(&[MADE], count, |_| false).is_none());
        let change = Inst::Bits(BitsInst::Not { dst: 1, src: 1 });
        assert!(fuse(&[MADE, change], count, |reg| reg == 9).is_none());
        let call = Inst::Call(0);
        assert!(fuse(&[MADE, call], count, |reg| reg == 9).is_none());
    }
}
