//! Evaluation of a sequence by the host, with numbers and sizes but without slices: its checks, its
//! counters, and the final sizes of its slices.

use std::collections::{BTreeSet, HashMap};

use star_ir::{
    Check, ForallRange, HandlePart, IntOp, LocId, Names, Op, Operand, Program, Routine, RoutineId,
    Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId,
};
use star_vm::Declined;
use star_vm::checks::{self, GuardContext};
use star_vm::interrupt::{Exec, internal_error};

use crate::fuse::Fused;

/// A slice, word or table.
#[derive(Clone, Debug)]
pub(in crate::run) struct ObjectState {
    /// Its descriptor.
    pub(in crate::run) pointer: u32,
    pub(in crate::run) at: u32,
    pub(in crate::run) capacity: u32,
    pub(in crate::run) stride: u32,
    pub(in crate::run) rows: u32,
    pub(in crate::run) columns: u32,
    pub(in crate::run) is_set: bool,
    /// Whether its size is known, although it is unset.
    pub(in crate::run) is_sized: bool,
    pub(in crate::run) is_fixed: bool,
    /// Whether the sequence has set it.
    pub(in crate::run) is_written: bool,
    /// Whether the sequence has changed its size or whether it is set.
    pub(in crate::run) is_changed: bool,
}

/// The known state of a sequence so far.
pub(super) struct Walk<'p> {
    program: &'p Program,
    routine: RoutineId,
    loc: LocId,
    /// The numbers that the kernel needs: they have at most 32 bits.
    needed: BTreeSet<VarId>,
    numbers: HashMap<VarId, i64>,
    /// The initial numbers.
    first_numbers: HashMap<VarId, i64>,
    first_objects: HashMap<VarId, ObjectState>,
    pub(super) objects: HashMap<VarId, ObjectState>,
    /// The limbs of words.
    words: HashMap<VarId, Vec<u32>>,
    /// Components of all slices.
    pub(super) rows: Option<u32>,
    /// Numbers that were set to a size.
    pub(super) sizes: HashMap<(VarId, SizeOperand), i64>,
    pub(super) operations: u64,
    pub(super) iterations: u64,
    /// Number of operations on slices.
    pub(super) work: u64,
    /// Number of statements that it may still evaluate.
    left: u64,
}

/// Why the walk ends.
pub(super) type WalkResult = Result<(), Declined>;

/// Maximum number of statements of a sequence with its iterations: beyond, the walk itself takes
/// too long.
const MOST: u64 = 1 << 18;

impl<'p> Walk<'p> {
    pub(super) fn new(
        (program, routine): (&'p Program, RoutineId),
        needed: &BTreeSet<VarId>,
        numbers: HashMap<VarId, i64>,
        objects: HashMap<VarId, ObjectState>,
        words: HashMap<VarId, Vec<u32>>,
    ) -> Self {
        Walk {
            program,
            routine,
            loc: LocId(0),
            needed: needed.clone(),
            first_numbers: numbers.clone(),
            first_objects: objects.clone(),
            numbers,
            objects,
            words,
            rows: None,
            sizes: HashMap::new(),
            operations: 0,
            iterations: 0,
            work: 0,
            left: MOST,
        }
    }

    /// Evaluates the whole sequence.
    pub(super) fn run(&mut self, fused: &Fused) -> WalkResult {
        self.block(&fused.body)?;
        match self.rows {
            Some(0) => Err(Declined::Empty),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the value of a number, if it is set.
    pub(super) fn known(&self, var: VarId) -> Option<i64> {
        self.numbers.get(&var).copied()
    }

    /// Returns the initial value of a number.
    pub(super) fn began_with(&self, var: VarId) -> Option<i64> {
        self.first_numbers.get(&var).copied()
    }

    /// Returns the initial state of a slice.
    pub(super) fn begins(&self, var: VarId) -> Option<&ObjectState> {
        self.first_objects.get(&var)
    }

    fn routine(&self) -> &'p Routine {
        self.program.routine(self.routine)
    }

    fn held(&self, var: VarId) -> Result<&ObjectState, Declined> {
        self.objects.get(&var).ok_or(Declined::Body)
    }

    fn set(&self, var: VarId) -> Result<&ObjectState, Declined> {
        self.held(var).and_then(|held| if held.is_set { Ok(held) } else { Err(Declined::Guard) })
    }

    fn changed(&mut self, var: VarId) -> Result<&mut ObjectState, Declined> {
        let held = self.objects.get_mut(&var).ok_or(Declined::Body)?;
        held.is_changed = true;
        Ok(held)
    }

    fn number(&self, operand: &Operand) -> Result<i64, Declined> {
        match operand {
            Operand::Int(number) => Ok(*number),
            Operand::Bool(truth) => Ok(i64::from(*truth)),
            Operand::Var(var) => self.known(*var).ok_or(Declined::Guard),
            Operand::Str(_) => Err(Declined::Body),
        }
    }

    fn assign(&mut self, var: VarId, number: i64) -> WalkResult {
        if self.needed.contains(&var) {
            i32::try_from(number).map_err(|_| Declined::Range)?;
        }
        self.numbers.insert(var, number);
        Ok(())
    }

    /// Checks that all lines of the kernel have one length.
    fn is_tall(&mut self, rows: u32) -> WalkResult {
        match self.rows.get_or_insert(rows) {
            all if *all == rows => Ok(()),
            _ => Err(Declined::Form),
        }
    }

    /// Returns a known size.
    fn size(&self, size: &SizeOperand) -> Result<Option<i64>, Declined> {
        Ok(match size {
            SizeOperand::Value(operand) => Some(self.number(operand)?),
            SizeOperand::Length(var) => {
                let held = self.held(*var)?;
                (held.is_set || held.is_sized).then_some(i64::from(held.rows))
            }
            SizeOperand::Rows(var) => {
                let held = self.held(*var)?;
                held.is_set.then_some(i64::from(held.rows))
            }
            SizeOperand::Columns(var) => {
                let held = self.held(*var)?;
                held.is_set.then_some(i64::from(held.columns))
            }
        })
    }

    /// Sets the number to a size; the kernel has one parameter for it.
    fn takes_size(&mut self, dst: VarId, size: SizeOperand, number: i64) -> WalkResult {
        self.assign(dst, number)?;
        match *self.sizes.entry((dst, size)).or_insert(number) {
            before if before == number => Ok(()),
            _ => Err(Declined::Body),
        }
    }

    fn block(&mut self, block: &[Stmt]) -> WalkResult {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> WalkResult {
        self.left = self.left.checked_sub(1).ok_or(Declined::Body)?;
        self.loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => match self.routine().var(*dst).ty {
                Ty::Slice(_) => self.slice(*dst, op),
                Ty::Int | Ty::Bool => self.scalar(*dst, op),
                Ty::Str | Ty::Word(_) | Ty::Table(..) | Ty::Handle => Err(Declined::Body),
            },
            StmtKind::Simple(Simple::PutColumn { table, index, value }) => {
                let rows = self.set(*value)?.rows;
                let table = self.column(*table, index)?;
                self.work += 1;
                if table == rows { self.is_tall(rows) } else { Err(Declined::Guard) }
            }
            StmtKind::Simple(Simple::Size(op)) => self.resize(op),
            StmtKind::Simple(Simple::Check(check)) => self.check(check),
            StmtKind::Simple(Simple::Cost { units, times }) => {
                let times = match times {
                    None => 1,
                    Some(size) => self.size(size)?.unwrap_or(0),
                };
                let times = u64::try_from(times).unwrap_or(0);
                self.operations = self.operations.saturating_add(units.saturating_mul(times));
                Ok(())
            }
            StmtKind::For { label: _, var, from, to, down, body } => {
                self.iterations(*var, (from, to), *down, |this| this.block(body))
            }
            StmtKind::Forall {
                var, range: ForallRange::Range(from, to), privates, body, ..
            } => {
                self.iterations(*var, (from, to), false, |this| {
                    this.unset(privates)?;
                    this.block(body)
                })?;
                self.unset(privates)?;
                self.unset(&[*var])
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback),
            StmtKind::If { test, then, otherwise } => {
                let holds = self.number(test)? != 0;
                self.block(if holds { then } else { otherwise })
            }
            _ => Err(Declined::Body),
        }
    }

    fn iterations(
        &mut self,
        var: VarId,
        (from, to): (&Operand, &Operand),
        down: bool,
        mut body: impl FnMut(&mut Self) -> WalkResult,
    ) -> WalkResult {
        let (from, to) = (self.number(from)?, self.number(to)?);
        // The kernel counts one further.
        let most = i64::from(i32::MAX) - 1;
        if from.max(to) > most || from.min(to) < -most {
            return Err(Declined::Range);
        }
        let mut iteration = from;
        while (down && iteration >= to) || (!down && iteration <= to) {
            self.iterations += 1;
            self.left = self.left.checked_sub(1).ok_or(Declined::Body)?;
            self.numbers.insert(var, iteration);
            body(self)?;
            iteration += if down { -1 } else { 1 };
        }
        Ok(())
    }

    fn unset(&mut self, vars: &[VarId]) -> WalkResult {
        for &var in vars {
            if crate::compile::is_number(self.routine().var(var).ty) {
                self.numbers.remove(&var);
                continue;
            }
            let held = self.changed(var)?;
            (held.is_set, held.is_sized, held.is_written) = (false, false, false);
        }
        Ok(())
    }

    /// Returns the rows of a table with this column.
    fn column(&self, table: VarId, index: &Operand) -> Result<u32, Declined> {
        let (table, index) = (self.set(table)?, self.number(index)?);
        let is_there = (1..=i64::from(table.columns)).contains(&index);
        if is_there { Ok(table.rows) } else { Err(Declined::Guard) }
    }

    fn slice(&mut self, dst: VarId, op: &Op) -> WalkResult {
        let rows = match op {
            Op::Copy(Operand::Var(of)) | Op::BitsNot(of) => self.set(*of)?.rows,
            Op::BitsLogic(_, left, right) => {
                let (left, right) = (self.set(*left)?.rows, self.set(*right)?.rows);
                if left != right {
                    return Err(Declined::Guard);
                }
                left
            }
            Op::Fill(rows, _) => u32::try_from(self.number(rows)?).map_err(|_| Declined::Guard)?,
            Op::Column(table, index) => self.column(*table, index)?,
            _ => return Err(Declined::Body),
        };
        self.is_tall(rows)?;
        self.work += 1;
        let held = self.changed(dst)?;
        (held.is_set, held.is_sized, held.is_written) = (true, false, true);
        (held.rows, held.columns) = (rows, 1);
        Ok(())
    }

    fn scalar(&mut self, dst: VarId, op: &Op) -> WalkResult {
        let number = match op {
            Op::Copy(of) => self.number(of)?,
            Op::Int(op, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                op.apply(left, right).ok_or(Declined::Guard)?
            }
            Op::Compare(relation, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                i64::from(relation.holds(left.cmp(&right)))
            }
            Op::Not(of) => 1 - self.number(of)?,
            Op::Logic(op, left, right) => {
                let (left, right) = (self.number(left)? != 0, self.number(right)? != 0);
                i64::from(op.apply(left, right))
            }
            Op::Component(word, index) => {
                let (length, index) = (self.set(*word)?.rows, self.number(index)?);
                if !(1..=i64::from(length)).contains(&index) {
                    return Err(Declined::Guard);
                }
                let (place, limbs) = (index as usize - 1, self.words.get(word));
                let limb = limbs.and_then(|limbs| limbs.get(place / 32));
                i64::from(limb.ok_or(Declined::Body)? >> (place % 32) & 1)
            }
            Op::Length(var) => return self.measured(dst, SizeOperand::Length(*var)),
            Op::Rows(var) => return self.measured(dst, SizeOperand::Rows(*var)),
            Op::Columns(var) => return self.measured(dst, SizeOperand::Columns(*var)),
            // The kernel computes the result; the sequence does not use it.
            Op::Query(_, of) => return self.queried(&[*of]),
            Op::BitsEqual(left, right) => return self.queried(&[*left, *right]),
            _ => return Err(Declined::Body),
        };
        self.assign(dst, number)
    }

    fn measured(&mut self, dst: VarId, size: SizeOperand) -> WalkResult {
        // A table without rows has no columns.
        let number = self.size(&size)?.unwrap_or(0);
        self.takes_size(dst, size, number)
    }

    fn queried(&mut self, slices: &[VarId]) -> WalkResult {
        self.work += 1;
        for slice in slices {
            let rows = self.set(*slice)?.rows;
            self.is_tall(rows)?;
        }
        Ok(())
    }

    fn resize(&mut self, op: &SizeOp) -> WalkResult {
        match op {
            SizeOp::Latch { dst, size } => {
                let number = match self.known(*dst) {
                    Some(number) => Some(number),
                    None => self.size(size)?,
                };
                // An unset number is not read.
                number.map_or(Ok(()), |number| self.takes_size(*dst, size.clone(), number))
            }
            SizeOp::Adapt { bits, size } => {
                let (held, size) = (self.held(*bits)?, self.number(size)?);
                let is_known = held.is_set || held.is_sized;
                if is_known && i64::from(held.rows) != size && !held.is_fixed {
                    self.unset(&[*bits])?;
                }
                Ok(())
            }
            SizeOp::Fix { bits, size } => {
                let (held, size) = (self.held(*bits)?, self.number(size)?);
                if held.is_set || (held.is_fixed && held.is_sized) {
                    return Ok(());
                }
                let rows = u32::try_from(size).map_err(|_| Declined::Range)?;
                let held = self.changed(*bits)?;
                (held.is_sized, held.rows, held.columns) = (true, rows, 1);
                Ok(())
            }
            SizeOp::Unset(var) => self.unset(&[*var]),
            SizeOp::SetRows { .. } | SizeOp::EnsureColumns { .. } | SizeOp::Init { .. } => {
                Err(Declined::Body)
            }
        }
    }

    fn check(&mut self, check: &Check) -> WalkResult {
        match checks::check(&*self, check) {
            Ok(None) => Ok(()),
            Ok(Some(_)) | Err(_) => Err(Declined::Guard),
        }
    }
}

impl GuardContext for Walk<'_> {
    fn names(&self) -> Exec<Names<'_>> {
        Ok(Names { routine: self.routine(), place: self.program.locations.get(self.loc) })
    }

    fn int(&self, operand: &Operand) -> Exec<i64> {
        self.number(operand).map_err(|_| internal_error("not an integer"))
    }

    fn boolean(&self, operand: &Operand) -> Exec<bool> {
        self.int(operand).map(|truth| truth != 0)
    }

    fn text(&self, _: &Operand) -> Exec<std::sync::Arc<str>> {
        Err(internal_error("not a text"))
    }

    fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>> {
        let size = self.size(measure).map_err(|_| internal_error("an operand without a size"))?;
        size.map(|size| u64::try_from(size).map_err(|_| internal_error("a negative size")))
            .transpose()
    }

    fn is_table(&self, var: VarId) -> Exec<bool> {
        Ok(matches!(self.routine().var(var).ty, Ty::Table(..)))
    }

    fn is_set(&self, var: VarId) -> Exec<bool> {
        let held = self.objects.get(&var);
        Ok(held.map_or_else(|| self.numbers.contains_key(&var), |held| held.is_set))
    }

    fn is_sized(&self, var: VarId) -> Exec<bool> {
        let held =
            self.objects.get(&var).ok_or_else(|| internal_error("an operand without a size"))?;
        Ok(held.is_set || held.is_sized)
    }

    fn is_fixed(&self, var: VarId) -> Exec<bool> {
        self.objects
            .get(&var)
            .map(|held| held.is_fixed)
            .ok_or_else(|| internal_error("an operand without a size"))
    }

    fn length(&self, bits: VarId) -> Exec<u64> {
        let length = self.measure(&SizeOperand::Length(bits))?;
        length.ok_or_else(|| internal_error("an unset operand"))
    }

    fn fits_int(&self, _: VarId) -> Exec<bool> {
        Err(internal_error("bits that were not examined"))
    }

    fn has_part(&self, _: VarId, _: &HandlePart) -> Exec<bool> {
        Err(internal_error("a handle that was not examined"))
    }

    fn carries(&self, _: IntOp, _: VarId, _: VarId) -> Exec<bool> {
        Err(internal_error("bits that were not examined"))
    }
}
