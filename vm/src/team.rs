//! The CPU backend on several ranks that are threads of one process, for tests.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{Code as DiagnosticCode, random::mix64};
use star_ir::{RoutineId, Ty};
use star_value::{BitTable, BitsRef, TableWish, Value as HostValue};

use crate::backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Host, HostError,
    Outcome, Part, TypeInfo,
};
use crate::cpu::{Code, Cpu, Plan, Settings, Value};
use crate::exchange::{Exchange, PartitionSettings, Threads};
use crate::explain::Explanation;
use crate::kernels::Kernels;

/// The CPU backend on several threads, each of which is a rank. Delays are pseudo-random.
#[derive(Clone, Copy, Debug)]
pub struct Team {
    /// Number of ranks.
    pub n_ranks: usize,
    /// Settings of every rank.
    pub settings: Settings,
    /// The partition of rows.
    pub partition: PartitionSettings,
}

/// A value: the part of every rank.
#[derive(Clone, Debug)]
pub struct Parts(Vec<Value>);

/// The host of ranks other than the first: rank 0 prints, reads and writes for all of them.
#[derive(Clone, Copy, Debug)]
pub struct NoHost;

impl Team {
    fn cpu(&self) -> Cpu {
        Cpu::with(self.settings, Kernels::detect())
    }

    /// Calls `first` on rank 0, in this thread, and `other` on the other ranks, each with its
    /// backend and its item, and returns the results by rank.
    fn on_ranks<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        first: impl FnOnce(Cpu, I) -> T,
        other: impl Fn(Cpu, I) -> T + Sync,
    ) -> Result<Vec<T>, BackendError> {
        let ended = |()| BackendError::Internal("a rank panicked".to_owned());
        let exchanges = Threads::new(self.n_ranks, mix64(self.n_ranks as u64));
        let mut ranks = exchanges.into_iter().zip(items);
        let on = |exchange: Threads| {
            let exchange: Rc<dyn Exchange> = Rc::new(exchange);
            self.cpu().on_rank(exchange, self.partition)
        };
        let Some((exchange, item)) = ranks.next() else { return Err(ended(())) };
        let (on, other) = (&on, &other);
        std::thread::scope(|scope| {
            let running: Vec<_> = ranks
                .map(|(exchange, item)| scope.spawn(move || other(on(exchange), item)))
                .collect();
            let first = first(on(exchange), item);
            let others = running.into_iter().map(|rank| rank.join().map_err(|_| ended(())));
            std::iter::once(Ok(first)).chain(others).collect()
        })
    }
}

impl Backend for Team {
    type Value = Parts;
    type Code = Code;
    type Plan = Plan;

    fn caps(&self) -> Capabilities {
        Capabilities { name: "ranks", ..self.cpu().caps() }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Parts, BackendError> {
        let load = |cpu: Cpu, value| cpu.load(value, fixed);
        let values = vec![value; self.n_ranks];
        self.on_ranks(values, load, load)?.into_iter().collect::<Result<_, _>>().map(Parts)
    }

    fn load_columns(
        &self,
        value: &mut Parts,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let load = |cpu: Cpu, value: &mut Value| cpu.load_columns(value, n_cols, start, columns);
        let values = value.0.iter_mut().collect();
        self.on_ranks(values, load, load)?.into_iter().collect()
    }

    fn ty(&self, value: &Parts) -> Option<TypeInfo> {
        value.0.first().and_then(|value| self.cpu().ty(value))
    }

    fn store(
        &self,
        value: &Parts,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let store = |cpu: Cpu, value: &Value| cpu.store(value, part.clone(), interrupt);
        let stored = self.on_ranks(value.0.iter().collect(), store, store)?;
        let stored = stored.into_iter().collect::<Result<Vec<HostValue>, _>>()?;
        match stored.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => Ok(first.clone()),
            Some(_) | None => Err(BackendError::Internal("ranks with different values".to_owned())),
        }
    }

    fn compile(
        &self,
        program: star_ir::Program,
        options: &CompileOptions,
        earlier: Option<&Code>,
    ) -> Result<Compiled<Code>, BackendError> {
        self.cpu().compile(program, options, earlier)
    }

    fn plan(
        &self,
        code: &Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<Plan, BackendError> {
        // A rank knows their number, and plans without the others.
        let rank = Threads::new(self.n_ranks, 0).swap_remove(0);
        self.cpu().on_rank(Rc::new(rank), self.partition).plan(code, entry, args)
    }

    fn preferences(&self, code: &Code, entry: RoutineId) -> Vec<TableWish> {
        self.cpu().preferences(code, entry)
    }

    fn explain(&self, plan: &Plan) -> Explanation {
        self.cpu().explain(plan)
    }

    fn run(&self, plan: &Plan, values: &mut [Parts], control: &mut Control<'_>) -> Outcome {
        if control.profile.is_some() {
            return Outcome::Unsupported { what: "profiles on several ranks".to_owned() };
        }
        let (interrupt, deadline, limits) = (control.interrupt, control.deadline, control.limits);
        let of_rank = |rank: usize| -> Vec<Value> {
            values.iter_mut().map(|value| std::mem::take(&mut value.0[rank])).collect()
        };
        let items: Vec<Vec<Value>> = (0..self.n_ranks).map(of_rank).collect();
        let first = |cpu: Cpu, mut values: Vec<Value>| {
            let outcome = cpu.run(plan, &mut values, control);
            (outcome, values)
        };
        let other = |cpu: Cpu, mut values: Vec<Value>| {
            let host = &mut NoHost;
            let (profile, stats) = (None, Default::default());
            let mut control = Control { interrupt, deadline, limits, host, profile, stats };
            let outcome = cpu.run(plan, &mut values, &mut control);
            (outcome, values)
        };
        let ended = match self.on_ranks(items, first, other) {
            Ok(ended) => ended,
            Err(error) => return Outcome::Internal(error.to_string()),
        };
        let mut outcomes = Vec::with_capacity(ended.len());
        for (rank, (outcome, of_rank)) in ended.into_iter().enumerate() {
            for (value, part) in values.iter_mut().zip(of_rank) {
                value.0[rank] = part;
            }
            outcomes.push(outcome);
        }
        // A rank that ended because another one did knows less.
        let is_lost = |outcome: &Outcome| matches!(outcome, Outcome::DeviceLost { .. });
        let known = outcomes.iter().position(|outcome| !is_lost(outcome));
        outcomes.swap_remove(known.unwrap_or(0))
    }
}

impl Host for NoHost {
    fn print(&mut self, _line: &str) -> Result<(), HostError> {
        Err(no_host())
    }

    fn read(
        &mut self,
        _file: &str,
        _layout: Option<&str>,
        _ty: Ty,
        _max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError> {
        Err(no_host())
    }

    fn write(&mut self, _file: &str, _value: BitsRef<'_>) -> Result<(), HostError> {
        Err(no_host())
    }
}

fn no_host() -> HostError {
    HostError { code: DiagnosticCode::ALL[0], message: "this rank has no host".to_owned() }
}
