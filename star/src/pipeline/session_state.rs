//! The definitions, variables and values of a session, and the steps of a line.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{Code, Diagnostic};
use star_compiler::hir::TyKind;
use star_compiler::session::{Declared, Environment, Session, Variable};
use star_ir::{Extent, Program, Ty};
use star_opt::{Optimised, Options};
use star_stdlib::LIBRARY;
use star_syntax::ast::Item;
use star_syntax::{Piece, PieceKind};
use star_value::{TableLayout, Value};
use star_vm::BackendError;

use super::build::reoptimise;
use super::machine::Machine;
use super::outcome::refused_by_backend;
use super::values::Values;

/// The slot for the value of an expression; not a valid variable name.
pub const RESULT: &str = "‹value›";

/// Definitions, variables and their values.
pub struct SessionState {
    /// The definitions and texts.
    pub definitions: Session,
    /// The names and types of the variables.
    pub environment: Environment,
    /// The values of the variables.
    pub values: Values,
    /// The last optimised program.
    optimised: Option<Optimised>,
    n_optimised: usize,
}

/// Numbers of routines processed so far, including those of lines. A routine is processed again
/// only if it or one of its callees changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Lowered from HIR to SIR.
    pub lowered: usize,
    /// Optimised by passes.
    pub optimised: usize,
    /// Compiled from SIR to code.
    pub compiled: usize,
}

/// Consecutive pieces of a text that are processed together.
pub enum Group {
    /// Definitions.
    Items(Vec<Item>),
    /// Statements, expressions and `var` sections.
    Lines(Vec<Piece>),
}

/// Divides a text into groups, in order.
pub fn groups(pieces: Vec<Piece>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for piece in pieces {
        match (piece.kind, groups.last_mut()) {
            (PieceKind::Item(item), Some(Group::Items(items))) => items.push(item),
            (PieceKind::Item(item), _) => groups.push(Group::Items(vec![item])),
            (kind, last) => {
                let piece = Piece { kind, span: piece.span };
                match last {
                    Some(Group::Lines(lines)) => lines.push(piece),
                    Some(Group::Items(_)) | None => groups.push(Group::Lines(vec![piece])),
                }
            }
        }
    }
    groups
}

impl SessionState {
    /// Creates a session without definitions, whose values are on the backend of `machine`.
    pub fn new(machine: &Machine) -> Self {
        SessionState {
            definitions: Session::new(LIBRARY),
            environment: Environment::default(),
            values: Values::new(Rc::clone(&machine.backend)),
            optimised: None,
            n_optimised: 0,
        }
    }

    /// Returns the work done so far to run lines.
    pub fn work(&self) -> Work {
        Work {
            lowered: self.definitions.n_lowered(),
            optimised: self.n_optimised,
            compiled: self.values.n_compiled(),
        }
    }

    /// Optimises the program of a line.
    ///
    /// # Errors
    /// An internal error of a pass.
    pub fn optimise(&mut self, program: Program) -> Result<Program, Diagnostic> {
        let n_routines = program.routines.len();
        let optimised = reoptimise(program, &Options::default(), self.optimised.as_ref())?;
        let program = optimised.program().clone();
        self.n_optimised += n_routines - optimised.n_kept();
        self.optimised = Some(optimised);
        Ok(program)
    }

    /// Declares the variables that a line has set. Those that are still unset are not declared.
    pub fn declare_set(&mut self, declares: Vec<(String, Variable)>) {
        for (name, variable) in declares {
            match self.values.ty(&name) {
                Some(_) => self.environment.declare(&name, variable),
                None => self.values.forget(&name),
            }
        }
    }

    /// Declares the variables of a `var` section, whose sizes are known, within `memory` bytes.
    ///
    /// # Errors
    /// The first variable that cannot be created; those before it are declared.
    pub fn declare(
        &mut self,
        variables: Vec<Declared>,
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), Diagnostic> {
        for Declared { name, mut variable, sizes } in variables {
            for (found, slot) in variable.sizes.iter_mut().zip(sizes) {
                let Some(slot) = slot else { continue };
                let size = match self.values.store(&slot, interrupt) {
                    Ok(Value::Int(size)) => size,
                    Ok(_) | Err(_) => continue,
                };
                *found = Some(u64::try_from(size).map_err(|_| {
                    let message = format!("the size of `{name}` must not be negative: {size}");
                    Diagnostic::at(Code::NegativeTrap, variable.span, message)
                })?);
            }
            self.create(&name, &variable, memory)?;
            self.environment.declare(&name, variable);
        }
        Ok(())
    }

    /// Creates the unset variable; a table with sizes is filled with zeros.
    fn create(
        &mut self,
        name: &str,
        variable: &Variable,
        memory: Option<u64>,
    ) -> Result<(), Diagnostic> {
        let Variable { kind, sizes, span, .. } = variable;
        let fixed = variable.is_fixed();
        let (TyKind::Table, [Some(rows), Some(columns)]) = (kind, sizes) else {
            let made = self.values.load(name, Value::Unset, fixed);
            return made.map_err(|error| refused_by_backend("no memory for a variable", &error));
        };
        let ty = Ty::Table(Extent::Const(*rows), Extent::Const(*columns));
        let free = memory.map(|memory| memory.saturating_sub(self.bytes_besides(&[name])));
        let too_large = || {
            let message = format!("not enough memory for {rows} × {columns} bits");
            Diagnostic::at(Code::MemoryLimit, *span, message)
        };
        if bytes_of(ty) > free.unwrap_or(u64::MAX) {
            return Err(too_large());
        }
        let size = |n: &u64| usize::try_from(*n).map_err(|_| too_large());
        let sizes = (size(rows)?, size(columns)?);
        self.values.new_table(name, sizes, fixed).map_err(|error| match error {
            BackendError::OutOfMemory(_) => too_large(),
            error @ (BackendError::Unsupported { .. }
            | BackendError::NotDistributed { .. }
            | BackendError::DeviceLost { .. }
            | BackendError::Interrupted
            | BackendError::Internal(_)) => {
                refused_by_backend(&format!("cannot create `{name}`"), &error)
            }
        })
    }

    /// Returns the memory of the variables that are not in `slots`, in bytes.
    pub fn bytes_besides<S: AsRef<str>>(&self, slots: &[S]) -> u64 {
        let others = self.environment.iter().map(|(name, _)| name);
        let others = others.filter(|name| !slots.iter().any(|slot| slot.as_ref() == *name));
        others.map(|name| self.bytes(name)).sum()
    }

    /// Returns the memory of the value in a slot, in bytes.
    pub fn bytes(&self, slot: &str) -> u64 {
        // The counted size of a dense table is the same on every backend.
        match self.values.table_layout(slot) {
            Some(TableLayout { n_bytes, dense_bytes: Some(_), .. }) => n_bytes,
            Some(_) | None => self.values.ty(slot).map_or(0, bytes_of),
        }
    }

    /// Drops the results of a line that are not variables.
    pub fn forget_results(&mut self, slots: &[String]) {
        for slot in slots.iter().filter(|slot| slot.starts_with('‹')) {
            self.values.forget(slot);
        }
    }

    /// Removes a variable with its value.
    pub fn forget(&mut self, name: &str) {
        self.environment.forget(name);
        self.values.forget(name);
    }
}

/// Returns the packed size of a value in bytes.
fn bytes_of(ty: Ty) -> u64 {
    let known = |extent: Extent| match extent {
        Extent::Const(n) => n,
        Extent::Var(_) | Extent::Dynamic => 0,
    };
    match ty {
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => 0,
        Ty::Slice(n) | Ty::Word(n) => known(n).div_ceil(8),
        Ty::Table(rows, columns) => known(rows).div_ceil(8).saturating_mul(known(columns)),
    }
}
