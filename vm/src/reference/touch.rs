//! Accesses of a statement: the parts of variables that it reads and writes itself (for a
//! construct, those of its header). The race detector of a `forall` uses them.

use std::fmt;

use star_ir::visit::{self, Access};
use star_ir::{
    Arg, Check, ForallRange, Op, Operand, PrintItem, Simple, SizeOp, SizeOperand, StmtKind, VarId,
};

use super::bits::size;
use super::frame::Frame;
use super::races::Area;
use super::stores;
use super::value::Data;
use crate::interrupt::Exec;

/// A part of a variable that is read or written.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) var: VarId,
    pub(super) region: Region,
    pub(super) writes: bool,
}

/// A part of a variable, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    /// The whole variable, including its sizes.
    Whole,
    /// Its sizes only.
    Sizes,
    Column(i64),
    Row(i64),
    /// Columns after `base`.
    Columns {
        base: i64,
        width: i64,
    },
    /// Components after `base`.
    Components {
        base: i64,
        width: i64,
    },
    /// Row and column.
    Bit(i64, i64),
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Whole => write!(f, "all"),
            Region::Sizes => write!(f, "the size"),
            Region::Column(index) => write!(f, "column {index}"),
            Region::Row(index) => write!(f, "row {index}"),
            Region::Columns { base, width } => {
                write!(f, "{width} columns after {base}")
            }
            Region::Components { base, width: 1 } => {
                write!(f, "component {}", base.saturating_add(1))
            }
            Region::Components { base, width } => {
                write!(f, "{width} components after {base}")
            }
            Region::Bit(row, column) => write!(f, "bit ({row}, {column})"),
        }
    }
}

impl Touch {
    /// Creates a read of the whole variable.
    pub(super) fn read(var: VarId) -> Self {
        let region = Region::Whole;
        Touch { var, region, writes: false }
    }

    /// Creates a write of the whole variable.
    pub(super) fn write(var: VarId) -> Self {
        let region = Region::Whole;
        Touch { var, region, writes: true }
    }

    /// Returns the accessed bits, and whether the sizes are accessed. Parts outside of the variable
    /// are omitted.
    pub(super) fn area(&self, frame: &Frame<'_>) -> Exec<(Area, bool)> {
        let slot = frame.slot(self.var)?;
        let (n_rows, n_cols) = match &slot.data {
            Some(Data::Slice(bits) | Data::Word(bits)) => (bits.len(), 1),
            Some(Data::Table(table)) => (table.rows, table.columns.len()),
            Some(Data::Int(_) | Data::Bool(_) | Data::Str(_) | Data::Handle(_)) | None => (1, 1),
        };
        let clip = |base: i64, width: i64, limit: usize| {
            let end = base.saturating_add(width);
            let region = |at: i64| usize::try_from(at.max(0)).unwrap_or(limit).min(limit);
            region(base)..region(end).max(region(base))
        };
        let one = |index: i64, limit| clip(index.saturating_sub(1), 1, limit);
        let (rows, columns) = match self.region {
            Region::Whole => (0..n_rows, 0..n_cols),
            Region::Sizes => (0..0, 0..0),
            Region::Column(index) => (0..n_rows, one(index, n_cols)),
            Region::Row(index) => (one(index, n_rows), 0..n_cols),
            Region::Columns { base, width } => (0..n_rows, clip(base, width, n_cols)),
            Region::Components { base, width } => (clip(base, width, n_rows), 0..n_cols),
            Region::Bit(row, column) => (one(row, n_rows), one(column, n_cols)),
        };
        let sizes = matches!(self.region, Region::Whole | Region::Sizes);
        Ok((Area { rows, columns }, sizes))
    }
}

/// Returns all accesses of the statement itself.
pub(super) fn touches(frame: &Frame<'_>, kind: &StmtKind) -> Exec<Vec<Touch>> {
    let mut list = List { frame, touches: Vec::new() };
    list.statement(kind)?;
    Ok(list.touches)
}

struct List<'f, 'p> {
    frame: &'f Frame<'p>,
    touches: Vec<Touch>,
}

impl List<'_, '_> {
    fn read(&mut self, var: VarId) {
        self.touches.push(Touch::read(var));
    }

    fn write(&mut self, var: VarId) {
        self.touches.push(Touch::write(var));
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Var(var) => self.read(*var),
            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => {}
        }
    }

    fn operands<'o>(&mut self, operands: impl IntoIterator<Item = &'o Operand>) {
        for operand in operands {
            self.operand(operand);
        }
    }

    fn measure(&mut self, measure: &SizeOperand) {
        match measure {
            SizeOperand::Length(var) | SizeOperand::Rows(var) | SizeOperand::Columns(var) => {
                self.part(*var, Region::Sizes, false);
            }
            SizeOperand::Value(operand) => self.operand(operand),
        }
    }

    fn part(&mut self, var: VarId, region: Region, writes: bool) {
        self.touches.push(Touch { var, region, writes });
    }

    /// Records that the index of a part is read too.
    fn index(&mut self, operand: &Operand) -> Exec<i64> {
        self.operand(operand);
        self.frame.int(operand)
    }

    fn component(&mut self, var: VarId, index: &Operand, writes: bool) -> Exec<()> {
        let base = self.index(index)?.saturating_sub(1);
        self.part(var, Region::Components { base, width: 1 }, writes);
        Ok(())
    }

    fn statement(&mut self, kind: &StmtKind) -> Exec<()> {
        match kind {
            StmtKind::Simple(simple) => self.simple(simple)?,
            StmtKind::For { label: _, var, from, to, down: _, body: _ } => {
                self.operands([from, to]);
                self.write(*var);
            }
            // The test is read at every iteration.
            StmtKind::While { .. } => {}
            StmtKind::Foreach { label: _, var, over, body: _ } => {
                self.read(*over);
                self.write(*var);
            }
            StmtKind::Forall { label: _, var, range, writes: _, privates, reductions, body: _ } => {
                match range {
                    ForallRange::Range(from, to) => self.operands([from, to]),
                    ForallRange::Ones(over) => self.read(*over),
                }
                self.write(*var);
                privates.iter().for_each(|private| self.write(*private));
                (reductions.iter()).for_each(|reduction| self.write(reduction.var));
            }
            StmtKind::If { test, then: _, otherwise: _ } => self.operand(test),
            StmtKind::Kernel(_)
            | StmtKind::Block { label: _, body: _ }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => {}
        }
        Ok(())
    }

    fn simple(&mut self, simple: &Simple) -> Exec<()> {
        match simple {
            Simple::Assign(dst, op) => {
                self.operation(op)?;
                self.write(*dst);
            }
            Simple::Step { dst, bits } => {
                self.read(*bits);
                self.write(*bits);
                self.write(*dst);
            }
            Simple::Put { bits, index, bit } => {
                self.operand(bit);
                self.component(*bits, index, true)?;
            }
            Simple::Replace { word, base, value } => {
                let base = self.index(base)?;
                self.read(*value);
                let width = self.frame.bits(*value)?.len() as i64;
                self.part(*word, Region::Components { base, width }, true);
            }
            Simple::PutColumn { table, index, value } => {
                self.read(*value);
                let region = Region::Column(self.index(index)?);
                self.part(*table, region, true);
            }
            Simple::PutRow { table, index, value } => {
                self.read(*value);
                let region = Region::Row(self.index(index)?);
                self.part(*table, region, true);
            }
            Simple::PutBit { table, row, column, bit } => {
                self.operand(bit);
                let region = Region::Bit(self.index(row)?, self.index(column)?);
                self.part(*table, region, true);
            }
            Simple::PutField { table, base, value } => {
                let base = self.index(base)?;
                self.read(*value);
                let width = self.frame.table(*value)?.columns.len() as i64;
                self.part(*table, Region::Columns { base, width }, true);
            }
            Simple::PutHandlePart { handle, part: _, value } => {
                self.read(*value);
                self.read(*handle);
                self.write(*handle);
            }
            Simple::Size(op) => self.resize(op)?,
            Simple::Check(check) => self.check(check),
            Simple::Cost { units: _, times } => {
                if let Some(times) = times {
                    self.measure(times);
                }
            }
            Simple::Call { callee: _, args, dst: _ } => self.arguments(args),
            Simple::Print(items) => self.operands(items.iter().map(PrintItem::operand)),
            Simple::Read { dst, file, layout } => {
                self.operands(std::iter::once(file).chain(layout));
                self.write(*dst);
            }
            Simple::Write { src, file } => {
                self.read(*src);
                self.operand(file);
            }
            Simple::Exchange { word, op: _ } => {
                self.read(*word);
                self.write(*word);
            }
            Simple::ExchangeRow { word, table, index, before } => {
                self.read(*table);
                self.operands([index, before]);
                self.write(*word);
            }
        }
        Ok(())
    }

    /// Omits arguments passed by reference: the callee accesses them itself.
    fn arguments(&mut self, args: &[Arg]) {
        for arg in args {
            match arg {
                Arg::Value(operand) => self.operand(operand),
                Arg::Move(var) => self.write(*var),
                Arg::Ref(_) => {}
            }
        }
    }

    /// Records the parts that an operation reads; whole variables unless it takes a part of one.
    fn operation(&mut self, op: &Op) -> Exec<()> {
        match op {
            Op::Component(x, index) => self.component(*x, index, false)?,
            Op::Rows(x) => self.part(*x, Region::Sizes, false),
            Op::Trim { word, base, width } => {
                let (base, width) = (self.index(base)?, self.index(width)?);
                self.part(*word, Region::Components { base, width }, false);
            }
            Op::Column(table, index) => {
                let region = Region::Column(self.index(index)?);
                self.part(*table, region, false);
            }
            Op::Row(table, index) => {
                let region = Region::Row(self.index(index)?);
                self.part(*table, region, false);
            }
            Op::Bit(table, row, column) => {
                let region = Region::Bit(self.index(row)?, self.index(column)?);
                self.part(*table, region, false);
            }
            Op::Field { table, base, width } => {
                let (base, width) = (self.index(base)?, self.index(width)?);
                self.part(*table, Region::Columns { base, width }, false);
            }
            _ => visit::op_accesses(op, &mut |var, access| match access {
                Access::ReadSize => self.part(var, Region::Sizes, false),
                _ => self.read(var),
            }),
        }
        Ok(())
    }

    /// Records a write for a change of size only if it will change something.
    fn resize(&mut self, op: &SizeOp) -> Exec<()> {
        let (var, changes) = match op {
            SizeOp::Latch { dst, size } => {
                self.measure(size);
                (*dst, self.frame.slot(*dst)?.data.is_none())
            }
            SizeOp::SetRows { table, rows } => {
                self.measure(rows);
                (*table, self.frame.slot(*table)?.data.is_none())
            }
            SizeOp::EnsureColumns { table, columns } => {
                self.measure(columns);
                let before = self.frame.measure(&SizeOperand::Columns(*table))?.unwrap_or(0);
                let grows = stores::columns_wanted(self.frame, columns)? as u64 > before;
                (*table, grows && !self.frame.slot(*table)?.fixed)
            }
            SizeOp::Init { table, rows, columns } => {
                self.operands([rows, columns]);
                (*table, self.frame.slot(*table)?.data.is_none())
            }
            SizeOp::Adapt { bits, size: wanted } => {
                self.operand(wanted);
                let wanted = self.frame.int(wanted)?;
                let length = self.frame.measure(&SizeOperand::Length(*bits))?;
                let differs = length.is_some_and(|length| u64::try_from(wanted) != Ok(length));
                (*bits, differs && !self.frame.slot(*bits)?.fixed)
            }
            SizeOp::Fix { bits, size: wanted } => {
                self.operand(wanted);
                let wanted = Some(size(self.frame.int(wanted)?)?);
                let is_new = self.frame.slot(*bits)?.size != wanted;
                (*bits, is_new && stores::fixes(self.frame, *bits)?)
            }
            SizeOp::Unset(var) => (*var, true),
        };
        let region = if changes { Region::Whole } else { Region::Sizes };
        self.part(var, region, changes);
        Ok(())
    }

    fn check(&mut self, check: &Check) {
        match check {
            Check::Set(var) | Check::Sized(var) | Check::Result(var) | Check::Even(var) => {
                self.part(*var, Region::Sizes, false);
            }
            Check::HandlePart(handle, _) => self.read(*handle),
            Check::Index(index, limit) => {
                self.operand(index);
                self.measure(limit);
            }
            Check::NewColumn(table, index) => {
                self.operand(index);
                self.part(*table, Region::Sizes, false);
            }
            Check::Size(left, right) => {
                self.measure(left);
                self.measure(right);
            }
            Check::Range { base, width, limit } => {
                self.operands([base, width]);
                self.measure(limit);
            }
            Check::Int(_, left, right)
            | Check::Fits { value: left, width: right }
            | Check::FitsRow { row: left, width: right }
            | Check::Assert(left, right) => self.operands([left, right]),
            Check::Bit(number) | Check::NotNegative(number) => self.operand(number),
            Check::FitsInt(word) => self.read(*word),
            Check::NoCarry(_, left, right) => {
                self.read(*left);
                self.read(*right);
            }
        }
    }
}
