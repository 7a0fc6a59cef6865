//! From syntax tree to HIR: resolves names, checks types, reports what is wrong.
//!
//! A routine with errors still becomes HIR, with error nodes of kind `Error`, which agree with
//! everything, so that one fault makes one message. Nothing with errors is lowered.

mod args;
mod builtin;
mod constant;
mod expr;
mod header;
mod lints;
mod stmt;

use std::collections::BTreeMap;

use star_base::{Code, Diagnostic, SourceMap, Span, did_you_mean};
use star_syntax::ast;

use crate::hir::{
    Kind, Local, LocalId, MachineOp, Place, Program, Role, Routine, RoutineId, Site, Ty,
};
use crate::scope::World;

use constant::Constants;

/// Nobody reads more messages than this, and a hostile file could make millions.
const MAX_DIAGNOSTICS: usize = 10_000;

/// Checks all routines of `world`.
pub(crate) fn check(
    world: &World<'_>,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Program {
    let mut constants = Constants::new(world);
    constants.evaluate_all(diagnostics);
    let routines = (0..world.signatures.len() as u32)
        .map(|idx| Checker::routine(world, sources, &constants, RoutineId(idx), diagnostics))
        .collect();
    Program { routines }
}

/// Checks one routine.
struct Checker<'a> {
    world: &'a World<'a>,
    constants: &'a Constants<'a>,
    /// The file of the routine.
    unit: usize,
    id: RoutineId,
    locals: Vec<Local>,
    names: BTreeMap<String, LocalId>,
    result: Option<LocalId>,
    n_sites: u32,
    /// Loops around the statement at hand.
    n_loops: usize,
    /// Variables of the `for` and `foreach` loops around it.
    loop_vars: Vec<(LocalId, Span)>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn routine(
        world: &'a World<'a>,
        sources: &SourceMap,
        constants: &'a Constants<'a>,
        id: RoutineId,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Routine {
        let signature = world.signature(id);
        let tree = signature.tree;
        let unit = signature.unit;
        let mut checker = Checker {
            world,
            constants,
            unit,
            id,
            locals: Vec::new(),
            names: BTreeMap::new(),
            result: None,
            n_sites: 0,
            n_loops: 0,
            loop_vars: Vec::new(),
            diagnostics,
        };
        let params = checker.header(tree, sources);
        checker.locals_of(tree);
        checker.case_twins(tree, sources);
        let body = checker.stmts(&tree.body);
        Routine {
            name: tree.name.name.clone(),
            kind: tree.kind,
            params,
            locals: checker.locals,
            result: checker.result,
            body,
            name_span: tree.name.span,
            header: tree.header,
            library: world.units[unit].library,
            machine_op: if world.units[unit].basic {
                machine_op(&tree.name.name, signature.params.len())
            } else {
                None
            },
            n_sites: checker.n_sites,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn declare(&mut self, name: &ast::Ident, ty: Ty, role: Role) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: name.name.clone(), span: name.span, ty, role });
        if let Some(&first) = self.names.get(&name.name) {
            let first_span = self.local(first).span;
            self.report(crate::scope::declared_twice(&name.name, name.span, first_span));
        } else {
            self.names.insert(name.name.clone(), id);
        }
        id
    }

    fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    fn kind(&self, id: LocalId) -> Kind {
        self.local(id).ty.kind()
    }

    /// A new mention of a variable.
    fn mention(&mut self, local: LocalId, span: Span) -> Place {
        let site = Site(self.n_sites);
        self.n_sites += 1;
        Place { local, site, span }
    }

    /// The variable of this name.
    fn variable(&self, name: &str) -> Option<LocalId> {
        self.names.get(name).copied()
    }

    fn unknown_name(&mut self, name: &ast::Ident) {
        let mut diagnostic = Diagnostic::at(
            Code::UnknownName,
            name.span,
            format!("`{}` is not declared", name.name),
        );
        let known =
            self.names.keys().map(String::as_str).chain(self.world.visible_names(self.unit));
        if let Some(meant) = did_you_mean(&name.name, known) {
            if let Some(&local) = self.names.get(meant) {
                diagnostic = diagnostic.label(self.local(local).span, "a similar name");
            }
            if meant.eq_ignore_ascii_case(&name.name) {
                diagnostic = diagnostic.note("names differ if their letter case differs");
            }
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?")).fix(
                format!("write `{meant}`"),
                name.span,
                meant,
            );
        }
        self.report(diagnostic);
    }

    fn type_mismatch(&mut self, span: Span, wanted: Kind, found: Kind) {
        if wanted == Kind::Error || found == Kind::Error {
            return;
        }
        let mut diagnostic = Diagnostic::at(
            Code::TypeMismatch,
            span,
            format!("expected {}, found {}", wanted.with_article(), found.with_article()),
        );
        if wanted.is_bits() && found.is_bits() {
            diagnostic = diagnostic
                .note("a slice is a column of bits, a word is a row")
                .help("`CONVERT` turns one into the other");
        } else if wanted == Kind::Int && found == Kind::Word {
            diagnostic = diagnostic.help("`INT(w)` is the word as an integer");
        } else if wanted == Kind::Word && found == Kind::Int {
            diagnostic = diagnostic.help("`WORD(i, h)` is the integer as a word of `h` components");
        } else if wanted == Kind::Bool && found.is_bits() {
            diagnostic = diagnostic.help("`SOME(X)` asks whether there is a one");
        }
        self.report(diagnostic);
    }
}

/// Calls of these library procedures are lowered to one operation.
fn machine_op(name: &str, n_params: usize) -> Option<MachineOp> {
    match (name, n_params) {
        ("MIN", 3) => Some(MachineOp::Min),
        ("MAX", 3) => Some(MachineOp::Max),
        ("TCOPY1", 4) => Some(MachineOp::LoadField),
        ("TCOPY2", 4) => Some(MachineOp::StoreField),
        _ => None,
    }
}
