//! Straight kernels, strip by strip.
//!
//! Note [Straight kernels]. A body that only loads columns, combines slices and stores them runs strip by
//! strip (Note [Strips]). Its guards are tested before: where one would fail, or a table does not lie by
//! columns, the kernel runs as it is written.

use std::collections::{BTreeMap, HashMap};

use star_ir::{Block, Check, Op, Operand, SizeOperand, StmtKind, VarId, visit};

use super::super::block::Names;
use super::super::code::{Number, Reg, RegRef, Size, Test};
use super::super::strip::{Plan, Source, StripOp, plan};

/// A straight body.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct TileBlock {
    /// Rows of the kernel.
    pub(super) rows: Number,
    pub(super) ports: Vec<Port>,
    pub(super) plan: Plan,
    /// Port, and the buffer that it takes.
    pub(super) stores: Vec<(usize, usize)>,
    /// Ports of columns that must not be the same one: the first is stored before the other one is
    /// loaded or stored.
    pub(super) apart: Vec<(usize, usize)>,
    pub(super) tests: Vec<Test>,
    /// Sizes that have to be the number of rows.
    pub(super) sizes: Vec<Size>,
    /// Elementary operations.
    pub(super) cost: u64,
}

/// What a body loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    Slice(Reg),
    /// Of a table, the column of this index.
    Column(Reg, Number),
}

/// Compiles a body, if it is straight and stores something.
pub(in crate::cpu) fn compile(
    names: &mut impl Names,
    rows: &Operand,
    privates: &[VarId],
    body: &Block,
) -> Option<TileBlock> {
    let code = TileBlock {
        rows: names.number(rows),
        ports: Vec::new(),
        plan: Plan::default(),
        stores: Vec::new(),
        apart: Vec::new(),
        tests: Vec::new(),
        sizes: Vec::new(),
        cost: 0,
    };
    let mut maker = Maker {
        names,
        privates,
        code,
        ops: Vec::new(),
        values: HashMap::new(),
        slices: BTreeMap::new(),
    };
    for stmt in body {
        maker.stmt(&stmt.kind)?;
    }
    for (var, port) in std::mem::take(&mut maker.slices) {
        let buffer = maker.buffer_of(var)?;
        maker.code.stores.push((port, buffer));
    }
    let Maker { mut code, ops, .. } = maker;
    let mut buffers: Vec<usize> = code.stores.iter().map(|(_, buffer)| *buffer).collect();
    code.plan = plan(&ops, &mut buffers);
    for ((_, store), buffer) in code.stores.iter_mut().zip(buffers) {
        *store = buffer;
    }
    (!code.stores.is_empty()).then_some(code)
}

struct Maker<'a, N> {
    names: &'a mut N,
    privates: &'a [VarId],
    code: TileBlock,
    /// Each writes the buffer of its number.
    ops: Vec<StripOp>,
    /// What each slice that was assigned holds.
    values: HashMap<VarId, Source>,
    /// The ports of those that are not private.
    slices: BTreeMap<VarId, usize>,
}

impl<N: Names> Maker<'_, N> {
    fn stmt(&mut self, kind: &StmtKind) -> Option<()> {
        if let StmtKind::Cost { units, times: None } = kind {
            self.code.cost = self.code.cost.checked_add(*units)?;
            Some(())
        } else if let StmtKind::Check(check) = kind {
            self.check(check)
        } else if let StmtKind::Assign(dst, op) = kind {
            self.assign(*dst, op)
        } else if let StmtKind::PutColumn { table, index, value } = kind {
            let buffer = self.buffer_of(*value)?;
            let port = self.column(*table, index)?;
            self.code.stores.push((port, buffer));
            Some(())
        } else {
            None
        }
    }

    fn check(&mut self, check: &Check) -> Option<()> {
        let mut is_about_values = false;
        visit::check_accesses(check, &mut |var, _| {
            is_about_values |= self.values.contains_key(&var) || self.privates.contains(&var);
        });
        if !is_about_values {
            let test = self.names.test(check);
            self.code.tests.push(test);
            return Some(());
        }
        if let Check::Set(var) | Check::Sized(var) = check {
            self.values.contains_key(var).then_some(())
        } else if let Check::Size(left, right) = check {
            for measure in [left, right] {
                match measure {
                    SizeOperand::Length(var) if self.values.contains_key(var) => {}
                    SizeOperand::Length(var) if self.privates.contains(var) => return None,
                    SizeOperand::Length(_)
                    | SizeOperand::Rows(_)
                    | SizeOperand::Columns(_)
                    | SizeOperand::Value(_) => {
                        let size = self.names.size(measure);
                        self.code.sizes.push(size);
                    }
                }
            }
            Some(())
        } else {
            None
        }
    }

    fn assign(&mut self, dst: VarId, op: &Op) -> Option<()> {
        let RegRef::Slice(reg) = self.names.place(dst) else { return None };
        let value = if let Op::Fill(len, bit) = op {
            let len = self.names.number(len);
            self.code.sizes.push(Size::Value(len));
            self.make(|to| StripOp::Fill { to, bit: *bit })
        } else if let Op::Copy(Operand::Var(from)) = op {
            self.source(*from)?
        } else if let Op::BitsNot(from) = op {
            let from = self.source(*from)?;
            self.make(|to| StripOp::Not { to, from })
        } else if let Op::BitsLogic(op, left, right) = op {
            let (left, right) = (self.source(*left)?, self.source(*right)?);
            self.make(|to| StripOp::Logic { op: *op, to, left, right })
        } else if let Op::Column(table, index) = op {
            Source::Port(self.column(*table, index)?)
        } else {
            return None;
        };
        self.values.insert(dst, value);
        if !self.privates.contains(&dst) {
            let port = self.port(Port::Slice(reg));
            self.slices.insert(dst, port);
        }
        Some(())
    }

    /// A buffer that an operation writes.
    fn make(&mut self, op: impl FnOnce(usize) -> StripOp) -> Source {
        let to = self.ops.len();
        self.ops.push(op(to));
        Source::Buffer(to)
    }

    fn source(&mut self, var: VarId) -> Option<Source> {
        if let Some(value) = self.values.get(&var) {
            return Some(*value);
        }
        match self.names.place(var) {
            RegRef::Slice(reg) if !self.privates.contains(&var) => {
                Some(Source::Port(self.port(Port::Slice(reg))))
            }
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => None,
        }
    }

    /// A buffer that holds a slice.
    fn buffer_of(&mut self, var: VarId) -> Option<usize> {
        match self.source(var)? {
            Source::Buffer(buffer) => Some(buffer),
            from @ Source::Port(_) => {
                self.make(|to| StripOp::Copy { to, from });
                Some(self.ops.len() - 1)
            }
        }
    }

    /// The column of a table, after whatever was stored in that table.
    fn column(&mut self, table: VarId, index: &Operand) -> Option<usize> {
        if self.privates.contains(&table) {
            return None;
        }
        let reg = self.names.place(table).table()?;
        let index = self.names.number(index);
        let port = self.port(Port::Column(reg, index));
        for (before, _) in &self.code.stores {
            if matches!(self.code.ports[*before], Port::Column(other, _) if other == reg) {
                self.code.apart.push((*before, port));
            }
        }
        Some(port)
    }

    fn port(&mut self, port: Port) -> usize {
        let ports = &mut self.code.ports;
        ports.iter().position(|known| *known == port).unwrap_or_else(|| {
            ports.push(port);
            ports.len() - 1
        })
    }
}
