//! Distributed programs on several ranks that are threads of one process.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use star_base::random::mix64;
use star_ir::{Program, RoutineId, Ty};
use star_value::{BitTable, Value as HostValue};
use star_vm::distributed::{self, OnRank};
use star_vm::exchange::{PartitionSettings, Threads};
use star_vm::team::NoHost;
use star_vm::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Explanation, Outcome,
    Part, TypeInfo,
};

type Value<B> = distributed::Value<<B as Backend>::Value>;
type Code<B> = distributed::Code<<B as Backend>::Code>;
type Plan<B> = distributed::Plan<<B as Backend>::Plan>;

/// A backend on each of several ranks: the first in the thread of the caller, and each other in its
/// own, which keeps its values.
pub(crate) struct CardTeam<B: Backend> {
    first: Rc<B>,
    others: Vec<Sender<Job<B>>>,
    next_id: Cell<u64>,
}

type Job<B> = Box<dyn FnOnce(&mut Rank<B>) + Send>;

/// What the thread of a rank keeps, by numbers.
struct Rank<B: Backend> {
    backend: Rc<B>,
    values: HashMap<u64, Value<B>>,
    codes: HashMap<u64, Code<B>>,
    plans: HashMap<u64, Plan<B>>,
}

/// What the first rank has, and the number of what the others have.
pub(crate) struct Shared<T> {
    first: T,
    id: u64,
}

impl<B: Backend + 'static> CardTeam<B> {
    /// Starts this number of ranks.
    pub(crate) fn new(n_ranks: usize, make: fn() -> B) -> Self {
        let start = |_| {
            let (jobs, waiting): (Sender<Job<B>>, Receiver<Job<B>>) = channel();
            std::thread::spawn(move || {
                let mut rank = Rank {
                    backend: Rc::new(make()),
                    values: HashMap::new(),
                    codes: HashMap::new(),
                    plans: HashMap::new(),
                };
                waiting.into_iter().for_each(|job| job(&mut rank));
            });
            jobs
        };
        let others = (1..n_ranks).map(start).collect();
        CardTeam { first: Rc::new(make()), others, next_id: Cell::new(0) }
    }

    fn id(&self) -> u64 {
        self.next_id.replace(self.next_id.get() + 1)
    }

    /// Calls `other` on all ranks but the first, and `first` in this thread, each with its backend;
    /// returns the result of `first`, and the others if it is one of them.
    fn on_ranks<F, T: Send + 'static>(
        &self,
        first: impl FnOnce(OnRank<B>) -> F,
        other: impl Fn(&mut Rank<B>, &OnRank<B>) -> T + Clone + Send + 'static,
    ) -> Result<(F, Vec<T>), BackendError> {
        let n_ranks = self.others.len() + 1;
        let mut exchanges = Threads::new(n_ranks, mix64(n_ranks as u64)).into_iter();
        let own = exchanges.next().ok_or_else(ended)?;
        let mut results = Vec::new();
        for (jobs, exchange) in self.others.iter().zip(exchanges) {
            let (send, receive) = channel();
            let other = other.clone();
            let job: Job<B> = Box::new(move |rank| {
                let backend = Rc::clone(&rank.backend);
                let on = OnRank::new(backend, Rc::new(exchange), PartitionSettings::tiny());
                // The caller may have ended.
                let _ = send.send(other(rank, &on));
            });
            jobs.send(job).map_err(|_| ended())?;
            results.push(receive);
        }
        let on = OnRank::new(Rc::clone(&self.first), Rc::new(own), PartitionSettings::tiny());
        let first = first(on);
        let others = results.into_iter().map(|result| result.recv().map_err(|_| ended()));
        Ok((first, others.collect::<Result<_, _>>()?))
    }
}

fn ended() -> BackendError {
    BackendError::Internal("a rank panicked".to_owned())
}

fn lost() -> BackendError {
    BackendError::Internal("a rank without this value".to_owned())
}

impl<B: Backend + 'static> Backend for CardTeam<B> {
    type Value = Shared<Value<B>>;
    type Code = Shared<Code<B>>;
    type Plan = Shared<Plan<B>>;

    fn caps(&self) -> Capabilities {
        Capabilities { part_bytes: Some(1), has_sparse: false, ..self.first.caps() }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Self::Value, BackendError> {
        let (id, copy) = (self.id(), value.clone());
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let loaded = on.load(copy.clone(), fixed)?;
            rank.values.insert(id, loaded);
            Ok(())
        };
        let (first, others) = self.on_ranks(|on| on.load(value, fixed), other)?;
        others.into_iter().collect::<Result<(), BackendError>>()?;
        Ok(Shared { first: first?, id })
    }

    fn load_columns(
        &self,
        value: &mut Self::Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let (id, copy) = (value.id, columns.clone());
        let first = |on: OnRank<B>| on.load_columns(&mut value.first, n_cols, start, columns);
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let value = rank.values.get_mut(&id).ok_or_else(lost)?;
            on.load_columns(value, n_cols, start, &copy)
        };
        let (first, others) = self.on_ranks(first, other)?;
        others.into_iter().chain([first]).collect()
    }

    fn ty(&self, value: &Self::Value) -> Option<TypeInfo> {
        self.on_ranks(|on| on.ty(&value.first), |_, _| ()).ok()?.0
    }

    fn store(
        &self,
        value: &Self::Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let (id, wanted) = (value.id, part.clone());
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let value = rank.values.get(&id).ok_or_else(lost)?;
            on.store(value, wanted.clone(), &AtomicBool::new(false))
        };
        let first = |on: OnRank<B>| on.store(&value.first, part, interrupt);
        let (first, others) = self.on_ranks(first, other)?;
        let first = first?;
        match others.into_iter().all(|other| other.as_ref() == Ok(&first)) {
            true => Ok(first),
            false => Err(BackendError::Internal("ranks with different values".to_owned())),
        }
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        _earlier: Option<&Self::Code>,
    ) -> Result<Compiled<Self::Code>, BackendError> {
        let (id, copy, options) = (self.id(), program.clone(), *options);
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let compiled = on.compile(copy.clone(), &options, None)?;
            rank.codes.insert(id, compiled.code);
            Ok(())
        };
        let first = |on: OnRank<B>| on.compile(program, &options, None);
        let (first, others) = self.on_ranks(first, other)?;
        others.into_iter().collect::<Result<(), BackendError>>()?;
        Ok(Compiled::new(Shared { first: first?.code, id }))
    }

    fn plan(
        &self,
        code: &Self::Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<Self::Plan, BackendError> {
        let (id, code_id, types) = (self.id(), code.id, args.to_vec());
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let code = rank.codes.get(&code_id).ok_or_else(lost)?;
            let plan = on.plan(code, entry, &types)?;
            rank.plans.insert(id, plan);
            Ok(())
        };
        let first = |on: OnRank<B>| on.plan(&code.first, entry, args);
        let (first, others) = self.on_ranks(first, other)?;
        others.into_iter().collect::<Result<(), BackendError>>()?;
        Ok(Shared { first: first?, id })
    }

    fn explain(&self, plan: &Self::Plan) -> Explanation {
        let explained = self.on_ranks(|on| on.explain(&plan.first), |_, _| ());
        explained.map_or_else(|_| Explanation::default(), |(explained, _)| explained)
    }

    fn run(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
    ) -> Outcome {
        let (plan_id, limits) = (plan.id, control.limits);
        let ids: Vec<u64> = values.iter().map(|value| value.id).collect();
        let flag = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let flags = (flag(control.interrupt), flag(control.deadline));
        let other = move |rank: &mut Rank<B>, on: &OnRank<B>| {
            let Some(plan) = rank.plans.get(&plan_id) else {
                return Outcome::Internal(lost().to_string());
            };
            let mut own: Vec<Value<B>> =
                ids.iter().filter_map(|id| rank.values.remove(id)).collect();
            let (interrupt, deadline) = (AtomicBool::new(flags.0), AtomicBool::new(flags.1));
            let (interrupt, deadline, host) = (&interrupt, &deadline, &mut NoHost);
            let (profile, stats) = (None, Default::default());
            let mut control = Control { interrupt, deadline, limits, host, profile, stats };
            let outcome = on.run(plan, &mut own, &mut control);
            rank.values.extend(ids.iter().copied().zip(own));
            outcome
        };
        let mut own: Vec<Value<B>> = Vec::new();
        let first = |on: OnRank<B>| {
            let mut firsts: Vec<Value<B>> =
                values.iter_mut().map(|value| std::mem::take(&mut value.first)).collect();
            let outcome = on.run(&plan.first, &mut firsts, control);
            own = firsts;
            outcome
        };
        let ran = self.on_ranks(first, other);
        for (value, own) in values.iter_mut().zip(own) {
            value.first = own;
        }
        match ran {
            Ok((first, others)) => {
                // A rank that ended because another one did knows less.
                let is_lost = |outcome: &Outcome| matches!(outcome, Outcome::DeviceLost { .. });
                let mut all: Vec<Outcome> = std::iter::once(first).chain(others).collect();
                let known = all.iter().position(|outcome| !is_lost(outcome));
                all.swap_remove(known.unwrap_or(0))
            }
            Err(error) => Outcome::Internal(error.to_string()),
        }
    }
}
