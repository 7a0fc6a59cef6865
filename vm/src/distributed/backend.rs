//! A backend on one of several ranks.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_base::Code as DiagnosticCode;
use star_ir::{Extent, LimitKind, Mode, Program, ReductionOp, RoutineId, Ty};
use star_value::{BitTable, BitVector, BitsRef, Value as HostValue};

use super::trap_names::TrapNames;
use super::{DistributedProgram, Extra, distribute};
use crate::backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Host, HostError,
    Outcome, Part, TypeInfo,
};
use crate::columns::{by_columns, load_by_ranges, no_table, refused, store_by_ranges};
use crate::counters::Counters;
use crate::exchange::{
    Exchange, Lost, Partition, PartitionSettings, Place, Reduce, gather_lines, gather_slice,
    own_components, own_rows,
};
use crate::explain::{Explanation, Subject};
use crate::kernels::Kernels;

/// A backend that runs programs together with other processes, each on its rows (Note [Distributed
/// programs] in the module). All ranks take the same steps with the same programs and values, in
/// the same order.
#[derive(Debug)]
pub struct OnRank<B> {
    backend: Rc<B>,
    exchange: Rc<dyn Exchange>,
    partition: Partition,
    kernels: Kernels,
}

/// A value, or the part of it that this rank owns.
#[derive(Debug)]
pub struct Value<V> {
    /// `None` while a run has it.
    own: Option<V>,
    /// The number of components or rows on all ranks, −1 if it is unknown.
    all: i64,
}

impl<V> Default for Value<V> {
    fn default() -> Self {
        Value { own: None, all: -1 }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Code<C> {
    code: C,
    distributed: DistributedProgram,
}

/// A compiled program and its entry.
#[derive(Clone, Debug)]
pub struct Plan<P> {
    plan: P,
    extras: Vec<Extra>,
    trap_names: Arc<TrapNames>,
}

/// An exchange outside of runs.
const PLACE: Place = Place { loc: 0, what: "a value" };

impl<B: Backend> OnRank<B> {
    /// Lets a backend work on the rows of one rank.
    pub fn new(backend: Rc<B>, exchange: Rc<dyn Exchange>, settings: PartitionSettings) -> Self {
        let partition = Partition::new(settings, exchange.rank(), exchange.n_ranks());
        OnRank { backend, exchange, partition, kernels: Kernels::detect() }
    }

    /// Returns the rows of this rank.
    fn own(&self, n_rows: usize) -> Range<usize> {
        self.partition.range(n_rows, self.partition.rank())
    }

    /// Returns the types of the parts of arguments.
    fn own_type(&self, ty: Ty) -> Ty {
        let own = |extent| match extent {
            Extent::Const(n) => Extent::Const(self.own(n as usize).len() as u64),
            Extent::Var(_) | Extent::Dynamic => extent,
        };
        match ty {
            Ty::Slice(n) => Ty::Slice(own(n)),
            Ty::Table(rows, columns) => Ty::Table(own(rows), columns),
            other => other,
        }
    }

    /// Completes the counts of a run that ended alike on all ranks; otherwise ends the others.
    fn end(&self, outcome: Outcome, own_operations: i64, control: &mut Control<'_>) -> Outcome {
        let is_common = match &outcome {
            Outcome::Done | Outcome::Trap(_) => true,
            Outcome::Limit { kind, .. } => match kind {
                LimitKind::Steps { .. } | LimitKind::Output { .. } | LimitKind::Depth { .. } => {
                    true
                }
                LimitKind::Memory { .. } | LimitKind::Time | LimitKind::Interrupted => false,
            },
            Outcome::Unsupported { .. } | Outcome::DeviceLost { .. } | Outcome::Internal(_) => {
                false
            }
        };
        if !is_common {
            self.exchange.abandon();
            return outcome;
        }
        let mut counts = [own_operations];
        let place = Place { loc: 0, what: "end of the run" };
        match self.exchange.reduce(place, Reduce::Sum, &mut counts) {
            Ok(()) => {
                let own = counts[0].unsigned_abs();
                control.stats.operations = control.stats.operations.saturating_add(own);
                control.stats.steps = control.stats.steps.saturating_add(own);
                outcome
            }
            Err(Lost { why }) => Outcome::DeviceLost { why },
        }
    }
}

impl<B: Backend> Backend for OnRank<B> {
    type Value = Value<B::Value>;
    type Code = Code<B::Code>;
    type Plan = Plan<B::Plan>;

    fn caps(&self) -> Capabilities {
        let part_bytes = Some(self.partition.part_bytes());
        Capabilities {
            part_bytes,
            intrinsics: Vec::new(),
            has_sparse: false,
            ..self.backend.caps()
        }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Self::Value, BackendError> {
        let (own, all) = match &value {
            HostValue::Slice(bits) => {
                let own = own_components(&self.partition, bits, self.kernels)?;
                (HostValue::Slice(own), bits.len() as i64)
            }
            HostValue::Table(table) => {
                let columns = by_columns(table.view())?;
                let own = own_rows(&self.partition, &columns, self.kernels)?;
                (own.into(), table.n_rows() as i64)
            }
            _ => (value, -1),
        };
        Ok(Value { own: Some(self.backend.load(own, fixed)?), all })
    }

    fn load_columns(
        &self,
        value: &mut Self::Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let part = own_rows(&self.partition, columns, self.kernels)?;
        value.all = columns.n_rows() as i64;
        let own = value.own.as_mut().ok_or_else(in_use)?;
        self.backend.load_columns(own, n_cols, start, &part)
    }

    fn ranks(&self) -> Option<(Rc<dyn Exchange>, Partition)> {
        Some((Rc::clone(&self.exchange), self.partition))
    }

    fn load_rows(&self, n_rows: usize, own: BitTable) -> Result<Self::Value, BackendError> {
        if own.n_rows() != self.own(n_rows).len() {
            let why = format!("{} of {n_rows} rows, not those of this rank", own.n_rows());
            return Err(BackendError::Internal(why));
        }
        let own = load_by_ranges(&*self.backend, &own, true)?;
        Ok(Value { own: Some(own), all: n_rows as i64 })
    }

    fn store_rows(
        &self,
        value: &Self::Value,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let own = value.own.as_ref().ok_or_else(in_use)?;
        let part = self.backend.store(own, Part::Columns(columns), interrupt)?;
        part.into_columns().ok_or_else(no_table)
    }

    fn ty(&self, value: &Self::Value) -> Option<TypeInfo> {
        let TypeInfo { ty, layout } = self.backend.ty(value.own.as_ref()?)?;
        let all = Extent::Const(value.all.unsigned_abs());
        let ty = match ty {
            Ty::Slice(_) => Ty::Slice(all),
            Ty::Table(_, columns) => Ty::Table(all, columns),
            other => other,
        };
        Some(TypeInfo { ty, layout })
    }

    fn store(
        &self,
        value: &Self::Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let own = value.own.as_ref().ok_or_else(in_use)?;
        let n = usize::try_from(value.all).unwrap_or(0);
        let ty = self.backend.ty(own).map(|info| info.ty);
        match (ty, part) {
            (Some(Ty::Table(_, Extent::Const(n_cols))), Part::Whole) => {
                Ok(store_by_ranges(self, value, (n, n_cols as usize), interrupt)?.into())
            }
            (Some(Ty::Table(..)), Part::Columns(columns)) => {
                let part = self.store_rows(value, columns.clone(), interrupt)?;
                let whole = BitTable::zeros(n, columns.len());
                let mut whole = whole.map_err(|_| refused(n, columns.len()))?;
                let n_limbs = part.n_rows().div_ceil(64);
                let given = (0..columns.len()).flat_map(|idx| &part.column_limbs(idx)[..n_limbs]);
                let given: Vec<u64> = given.copied().collect();
                let with = (&*self.exchange, &self.partition);
                gather_lines(with, PLACE, &given, (n, columns.len()), |idx, range, part| {
                    let to = whole.column_limbs_mut(idx);
                    self.kernels.copy_bits(to, range.start, part, 0, range.len());
                })
                .map_err(lost)?;
                Ok(whole.into())
            }
            (_, part) => match self.backend.store(own, part, interrupt)? {
                HostValue::Slice(bits) => {
                    let mut whole = BitVector::try_zeros(n)?;
                    let with = (&*self.exchange, &self.partition);
                    gather_slice(with, PLACE, bits.limbs(), &mut whole, self.kernels)
                        .map_err(lost)?;
                    Ok(HostValue::Slice(whole))
                }
                other => Ok(other),
            },
        }
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        _earlier: Option<&Self::Code>,
    ) -> Result<Compiled<Self::Code>, BackendError> {
        let distributed = distribute(&program, &self.partition);
        // An intrinsic would work on the rows of one rank.
        let options = CompileOptions { intrinsics: false, checkpoints: false, ..*options };
        let compiled = self.backend.compile(distributed.program.clone(), &options, None)?;
        Ok(Compiled::new(Code { code: compiled.code, distributed }))
    }

    fn plan(
        &self,
        code: &Self::Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<Self::Plan, BackendError> {
        if let Some(refused) = code.distributed.refused(entry) {
            return Err(refused.clone());
        }
        let extras = code.distributed.routines.get(entry.0 as usize).cloned();
        let Some(Ok(extras)) = extras else {
            return Err(BackendError::Internal(format!("the program has no routine {}", entry.0)));
        };
        let own = args.iter().map(|ty| ty.map(|ty| self.own_type(ty)));
        let args: Vec<_> = own.chain(extras.iter().map(|_| Some(Ty::Int))).collect();
        let trap_names = Arc::clone(&code.distributed.trap_names);
        Ok(Plan { plan: self.backend.plan(&code.code, entry, &args)?, extras, trap_names })
    }

    fn explain(&self, plan: &Self::Plan) -> Explanation {
        let mut all = self.backend.explain(&plan.plan);
        let n_ranks = self.partition.n_ranks();
        all.whole(
            Subject::Program,
            format!("distributed over {n_ranks} ranks, with one card each"),
        );
        all
    }

    fn run(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
    ) -> Outcome {
        if control.profile.is_some() {
            return Outcome::Unsupported { what: "profiles on several ranks".to_owned() };
        }
        let mut own = Vec::with_capacity(values.len() + plan.extras.len());
        own.extend(values.iter_mut().filter_map(|value| value.own.take()));
        if own.len() != values.len() {
            return Outcome::Internal(in_use().to_string());
        }
        for extra in &plan.extras {
            let number = match extra {
                Extra::Size { param, .. } => values[*param].all,
                Extra::Result => -1,
                Extra::Own => 0,
            };
            match self.backend.load(HostValue::Int(number), false) {
                Ok(number) => own.push(number),
                Err(error) => return Outcome::Internal(error.to_string()),
            }
        }
        let (mut outcome, counters) = {
            let (interrupt, deadline, limits) =
                (control.interrupt, control.deadline, control.limits);
            let mut host = RankHost::new(&mut *control.host, &*self.exchange);
            let (profile, stats) = (None, control.stats);
            let mut inner =
                Control { interrupt, deadline, limits, host: &mut host, profile, stats };
            let outcome = self.backend.run(&plan.plan, &mut own, &mut inner);
            control.stats = inner.stats;
            (outcome, host.counters)
        };
        if let Outcome::Trap(trap) = &mut outcome {
            plan.trap_names.name(trap.loc, &mut trap.kind);
        }
        control.stats.counters.exchanges += counters.exchanges;
        control.stats.counters.exchanged_bytes += counters.exchanged_bytes;
        let numbers = own.split_off(values.len());
        for (value, own) in values.iter_mut().zip(own) {
            value.own = Some(own);
        }
        let mut own_operations = 0;
        for (extra, number) in plan.extras.iter().zip(&numbers) {
            let number = match self.backend.store(number, Part::Whole, control.interrupt) {
                Ok(HostValue::Int(number)) => number,
                Ok(_) => -1,
                Err(_) => continue,
            };
            match extra {
                Extra::Size { param, mode: Mode::Ref } => values[*param].all = number,
                Extra::Size { .. } | Extra::Result => {}
                Extra::Own => own_operations = number.max(0),
            }
        }
        self.end(outcome, own_operations, control)
    }
}

/// The host of a rank: it exchanges, and rank 0 prints for all.
struct RankHost<'h> {
    host: &'h mut dyn Host,
    exchange: &'h dyn Exchange,
    counters: Counters,
}

impl<'h> RankHost<'h> {
    fn new(host: &'h mut dyn Host, exchange: &'h dyn Exchange) -> Self {
        RankHost { host, exchange, counters: Counters::default() }
    }

    /// Counts an exchange of this number of limbs, and returns its place.
    fn exchange_of(&mut self, what: &'static str, n_limbs: usize) -> Place {
        self.counters.exchanges += 1;
        self.counters.exchanged_bytes += 8 * n_limbs as u64;
        Place { loc: 0, what }
    }
}

impl Host for RankHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        let mut printed = Ok(());
        let mut end = [0];
        if self.exchange.rank() == 0 {
            printed = self.host.print(line);
            if let Err(error) = &printed {
                let code = DiagnosticCode::ALL.iter().position(|code| *code == error.code);
                end = [1 + code.unwrap_or(0) as u64];
            }
        }
        let place = self.exchange_of("print", 1);
        let told = self.exchange.broadcast(place, 0, &mut end);
        let code = |idx: u64| DiagnosticCode::ALL.get(idx as usize).copied();
        match (printed, told, end[0].checked_sub(1).and_then(code)) {
            (Err(error), _, _) => Err(error),
            (Ok(()), Ok(()), None) => Ok(()),
            // Only rank 0 shows the message.
            (Ok(()), Ok(()), Some(code)) => Err(HostError { code, message: String::new() }),
            // The exchange at the end of the run finds that, too.
            (Ok(()), Err(Lost { .. }), _) => Ok(()),
        }
    }

    fn name(&self, row: i64) -> Option<String> {
        self.host.name(row)
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError> {
        self.host.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.host.write(file, value)
    }

    fn exchange(&mut self, op: ReductionOp, word: &BitVector) -> Result<BitVector, Lost> {
        let mut combined = word.clone();
        let limbs = combined.limbs_mut();
        let place = self.exchange_of("a word", limbs.len());
        // The first component is the most significant.
        let numeric = |limb: &mut u64| *limb = limb.reverse_bits();
        let reduce = |op: Reduce, limbs: &mut [u64]| {
            let mut numbers: Vec<i64> = limbs.iter().map(|limb| limb.cast_signed()).collect();
            self.exchange.reduce(place, op, &mut numbers)?;
            for (limb, number) in limbs.iter_mut().zip(numbers) {
                *limb = number.cast_unsigned();
            }
            Ok::<(), Lost>(())
        };
        match op {
            ReductionOp::Or => reduce(Reduce::Or, limbs)?,
            ReductionOp::And => reduce(Reduce::And, limbs)?,
            ReductionOp::Add if limbs.len() == 1 => {
                limbs.iter_mut().for_each(numeric);
                reduce(Reduce::Sum, limbs)?;
                limbs.iter_mut().for_each(numeric);
            }
            ReductionOp::Min | ReductionOp::Max => {
                limbs.iter_mut().for_each(numeric);
                let lens = vec![limbs.len(); self.exchange.n_ranks()];
                let all = self.exchange.gather(place, limbs, &lens)?;
                let words = all.chunks_exact(limbs.len().max(1));
                let best = match op {
                    ReductionOp::Min => words.min(),
                    _ => words.max(),
                };
                limbs.copy_from_slice(best.unwrap_or_default());
                limbs.iter_mut().for_each(numeric);
            }
            ReductionOp::Add | ReductionOp::Xor => {
                return Err(Lost { why: format!("an exchange by {op:?}") });
            }
        }
        Ok(combined)
    }
}

fn lost(lost: Lost) -> BackendError {
    BackendError::DeviceLost { why: lost.why }
}

fn in_use() -> BackendError {
    BackendError::Internal("a value that a run has".to_owned())
}
