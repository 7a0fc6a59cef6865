//! Check that barriers are in uniform control flow of a workgroup. naga accepts others, too, but
//! browsers do not.
//!
//! A forward analysis over naga's IR, to a fixed point: divergent values are a thread's number, all
//! loads from writable memory, results of atomics, and all values that depend on them or are stored
//! under a condition that does. Unknown values count as divergent, so the analysis may reject a
//! valid shader, but never accepts an invalid one.

use std::collections::HashSet;

use naga::{
    AddressSpace, Binding, Block, BuiltIn, Expression, Function, Handle, LocalVariable, Module,
    Statement, StorageAccess,
};

/// Checks that every barrier is in uniform control flow.
///
/// # Errors
/// The functions with one that is not.
pub(crate) fn check(module: &Module) -> Result<(), String> {
    let mut faults = Vec::new();
    for entry in &module.entry_points {
        let mut analysis = Analysis::new(module, &entry.function);
        analysis.arguments = entry
            .function
            .arguments
            .iter()
            .map(|argument| match argument.binding {
                Some(Binding::BuiltIn(BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups)) => {
                    Uniform::Yes
                }
                Some(_) | None => Uniform::No,
            })
            .collect();
        if analysis.run() == Uniform::No {
            faults.push(entry.name.clone());
        }
    }
    // A function may be called by entries with any arguments: with barriers inside it must be valid
    // for all.
    for (_, function) in module.functions.iter() {
        let mut analysis = Analysis::new(module, function);
        analysis.arguments = vec![Uniform::No; function.arguments.len()];
        if analysis.run() == Uniform::No {
            faults.push(function.name.clone().unwrap_or_default());
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!("a barrier where threads may differ, in {}", faults.join(", ")))
}

/// Whether a value is the same in all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uniform {
    Yes,
    No,
}

impl Uniform {
    fn and(self, other: Uniform) -> Uniform {
        match self {
            Uniform::Yes => other,
            Uniform::No => Uniform::No,
        }
    }
}

/// How a thread may leave a block early while others remain.
#[derive(Clone, Copy, Debug, Default)]
struct Leaves {
    /// To the end of the enclosing loop or switch.
    breaks: bool,
    /// To the next iteration.
    continues: bool,
    /// Out of the function.
    returns: bool,
}

impl Leaves {
    fn join(&mut self, other: Leaves) {
        self.breaks |= other.breaks;
        self.continues |= other.continues;
        self.returns |= other.returns;
    }

    fn any(self) -> bool {
        self.breaks || self.continues || self.returns
    }
}

struct Analysis<'m> {
    module: &'m Module,
    function: &'m Function,
    arguments: Vec<Uniform>,
    /// Variables whose values may diverge.
    different: HashSet<Handle<LocalVariable>>,
    /// Results of calls that may diverge.
    results: HashSet<Handle<Expression>>,
    barriers: Uniform,
}

impl<'m> Analysis<'m> {
    fn new(module: &'m Module, function: &'m Function) -> Self {
        let (different, results) = (HashSet::new(), HashSet::new());
        let arguments = Vec::new();
        Analysis { module, function, arguments, different, results, barriers: Uniform::Yes }
    }

    /// Returns whether all barriers are in uniform control flow.
    fn run(&mut self) -> Uniform {
        loop {
            let before = (self.different.len(), self.results.len());
            self.block(&self.function.body, Uniform::Yes);
            if (self.different.len(), self.results.len()) == before {
                return self.barriers;
            }
        }
    }

    fn all(&self, expressions: impl IntoIterator<Item = Handle<Expression>>) -> Uniform {
        let mut expressions = expressions.into_iter();
        match expressions.all(|expression| self.value(expression) == Uniform::Yes) {
            true => Uniform::Yes,
            false => Uniform::No,
        }
    }

    /// Returns the uniformity of a value; for a pointer, that of the address.
    fn value(&self, expression: Handle<Expression>) -> Uniform {
        match &self.function.expressions[expression] {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::WorkGroupUniformLoadResult { .. } => Uniform::Yes,
            Expression::Compose { components, .. } => self.all(components.iter().copied()),
            Expression::Access { base, index } => self.all([*base, *index]),
            Expression::AccessIndex { base: inner, .. }
            | Expression::Splat { value: inner, .. }
            | Expression::Swizzle { vector: inner, .. }
            | Expression::Unary { expr: inner, .. }
            | Expression::As { expr: inner, .. }
            | Expression::Relational { argument: inner, .. }
            | Expression::ArrayLength(inner) => self.value(*inner),
            Expression::Binary { left, right, .. } => self.all([*left, *right]),
            Expression::Select { condition, accept, reject } => {
                self.all([*condition, *accept, *reject])
            }
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                self.all([Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten())
            }
            Expression::FunctionArgument(index) => {
                self.arguments.get(*index as usize).copied().unwrap_or(Uniform::No)
            }
            Expression::Load { pointer } => self.value(*pointer).and(self.memory(*pointer)),
            Expression::CallResult(_) if !self.results.contains(&expression) => Uniform::Yes,
            _ => Uniform::No,
        }
    }

    /// Returns the uniformity of the memory at a pointer.
    fn memory(&self, pointer: Handle<Expression>) -> Uniform {
        match &self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.memory(*base)
            }
            Expression::LocalVariable(variable) if !self.different.contains(variable) => {
                Uniform::Yes
            }
            Expression::GlobalVariable(global) => match self.module.global_variables[*global].space
            {
                AddressSpace::Uniform | AddressSpace::Immediate => Uniform::Yes,
                AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE) => {
                    Uniform::Yes
                }
                _ => Uniform::No,
            },
            _ => Uniform::No,
        }
    }

    /// Analyses a block under this control flow and returns how threads may leave it while others
    /// remain.
    fn block(&mut self, block: &Block, outer: Uniform) -> Leaves {
        let mut control = outer;
        let mut leaves = Leaves::default();
        for statement in block {
            let left = self.statement(statement, control);
            leaves.join(left);
            if left.any() {
                control = Uniform::No;
            }
        }
        leaves
    }

    fn statement(&mut self, statement: &Statement, control: Uniform) -> Leaves {
        let mut leaves = Leaves::default();
        let differs = control == Uniform::No;
        match statement {
            Statement::Emit(_) | Statement::Atomic { .. } => {}
            Statement::Block(block) => leaves = self.block(block, control),
            Statement::If { condition, accept, reject } => {
                let inner = control.and(self.value(*condition));
                leaves = self.block(accept, inner);
                leaves.join(self.block(reject, inner));
            }
            Statement::Switch { selector, cases } => {
                let inner = control.and(self.value(*selector));
                for case in cases {
                    leaves.join(self.block(&case.body, inner));
                }
                // After the switch, the threads that broke out of it have reconverged.
                leaves.breaks = false;
            }
            Statement::Loop { body, continuing, break_if } => {
                let mut inner = control;
                loop {
                    let mut left = self.block(body, inner);
                    let behind = if left.breaks || left.returns { Uniform::No } else { inner };
                    left.join(self.block(continuing, behind));
                    left.breaks |=
                        break_if.is_some_and(|condition| self.value(condition) == Uniform::No);
                    leaves.returns |= left.returns;
                    if !(left.breaks || left.returns) || inner == Uniform::No {
                        break;
                    }
                    // Threads run different numbers of iterations.
                    inner = Uniform::No;
                }
            }
            Statement::Break => leaves.breaks = differs,
            Statement::Continue => leaves.continues = differs,
            Statement::Return { .. } | Statement::Kill => leaves.returns = differs,
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                self.barriers = self.barriers.and(control);
            }
            Statement::Store { pointer, value } => {
                let stored = control.and(self.all([*pointer, *value]));
                if stored == Uniform::No {
                    self.store(*pointer);
                }
            }
            Statement::Call { function, arguments, result } => {
                let called = &self.module.functions[*function];
                if has_barrier(self.module, &called.body) {
                    self.barriers = self.barriers.and(control);
                }
                let mut inner = Analysis::new(self.module, called);
                inner.arguments = arguments.iter().map(|argument| self.value(*argument)).collect();
                if let Some(result) = result
                    && (inner.returned() == Uniform::No || differs)
                {
                    self.results.insert(*result);
                }
                // Memory passed by pointer may diverge afterwards.
                for argument in arguments {
                    self.store(*argument);
                }
            }
            // Our shaders contain none of this.
            _ => self.barriers = Uniform::No,
        }
        leaves
    }

    /// Records a store of a divergent value at a pointer.
    fn store(&mut self, pointer: Handle<Expression>) {
        match &self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.store(*base);
            }
            Expression::LocalVariable(variable) => {
                self.different.insert(*variable);
            }
            _ => {}
        }
    }

    /// Returns whether the return value of the function is the same in all threads.
    fn returned(&mut self) -> Uniform {
        self.run();
        let mut all = Uniform::Yes;
        self.returns(&self.function.body, Uniform::Yes, &mut all);
        all
    }

    fn returns(&self, block: &Block, control: Uniform, all: &mut Uniform) {
        let mut here = control;
        for statement in block {
            match statement {
                Statement::Return { value: Some(value) } => {
                    *all = all.and(here).and(self.value(*value));
                }
                Statement::Block(block) => self.returns(block, here, all),
                Statement::If { condition, accept, reject } => {
                    let inner = here.and(self.value(*condition));
                    self.returns(accept, inner, all);
                    self.returns(reject, inner, all);
                    // Some threads may have returned already.
                    if inner == Uniform::No && may_return(accept).or(may_return(reject)).is_some() {
                        here = Uniform::No;
                    }
                }
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.returns(&case.body, Uniform::No, all));
                }
                Statement::Loop { body, continuing, .. } => {
                    self.returns(body, Uniform::No, all);
                    self.returns(continuing, Uniform::No, all);
                }
                _ => {}
            }
        }
    }
}

fn may_return(block: &Block) -> Option<()> {
    block.iter().find_map(|statement| match statement {
        Statement::Return { .. } => Some(()),
        Statement::Block(block) => may_return(block),
        Statement::If { accept, reject, .. } => may_return(accept).or_else(|| may_return(reject)),
        Statement::Switch { cases, .. } => cases.iter().find_map(|case| may_return(&case.body)),
        Statement::Loop { body, continuing, .. } => {
            may_return(body).or_else(|| may_return(continuing))
        }
        _ => None,
    })
}

fn has_barrier(module: &Module, block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => true,
        Statement::Block(block) => has_barrier(module, block),
        Statement::If { accept, reject, .. } => {
            has_barrier(module, accept) || has_barrier(module, reject)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|case| has_barrier(module, &case.body)),
        Statement::Loop { body, continuing, .. } => {
            has_barrier(module, body) || has_barrier(module, continuing)
        }
        Statement::Call { function, .. } => has_barrier(module, &module.functions[*function].body),
        _ => false,
    })
}
