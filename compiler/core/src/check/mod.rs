//! From syntax tree to HIR: resolves names, checks types, reports what is wrong.
//!
//! A routine with errors still becomes HIR, with error nodes of kind `Error`, which agree with
//! everything, so that one fault makes one message. Nothing with errors is lowered.

mod args;
mod builtin;
mod circular;
mod compare;
mod constant;
mod expr;
mod header;
mod line;
mod lints;
mod parts;
mod stmt;

use std::borrow::Borrow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use star_base::{Builtin, Code, Diagnostic, Intrinsic, SourceMap, Span, did_you_mean};
use star_syntax::ast::{self, RoutineKind};

use crate::hir::{
    Local, LocalId, MachineOp, Program, Role, Routine, RoutineId, Site, Ty, TyKind, VarUse,
};
use crate::scope::World;

use constant::Constants;
use line::Declaring;

pub(crate) use constant::Constants as Values;
pub(crate) use line::{CheckedLine, Effect, VarDecl, Wants, is_value, line};

/// Nobody reads more messages than this, and a hostile file could make millions.
const MAX_DIAGNOSTICS: usize = 1_000;

/// Only the first unknown names of a file are compared with all known ones, which takes its time.
const MAX_SUGGESTIONS: usize = 100;

/// The statements of routines, by the places of these.
pub(crate) type Bodies = BTreeMap<Span, Vec<ast::Stmt>>;

/// Checks all routines of `world`, whose `bodies` stand beside it: what was checked of them is given up.
pub(crate) fn check(
    world: &World<'_>,
    mut bodies: Bodies,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Program {
    let mut constants = Constants::new(world);
    constants.evaluate_all(diagnostics);
    let mut reports = Reports { diagnostics, n_unknown: vec![0; world.units.len()] };
    let routines = (0..world.signatures.len() as u32)
        .map(|idx| {
            let id = RoutineId(idx);
            let body = bodies.remove(&world.signature(id).tree.span).unwrap_or_default();
            Checker::routine(world, sources, &constants, id, given_up(body), &mut reports)
        })
        .collect();
    Program { routines }
}

/// The statements in order. Their list shrinks meanwhile, since that of a long routine is a part of what it takes.
fn given_up(mut stmts: Vec<ast::Stmt>) -> impl Iterator<Item = ast::Stmt> {
    stmts.reverse();
    std::iter::from_fn(move || {
        if stmts.len() < stmts.capacity() / 2 {
            stmts.shrink_to_fit();
        }
        stmts.pop()
    })
}

/// What [`recheck`] finds.
pub(crate) struct Rechecked {
    /// All routines.
    pub(crate) program: Program,
    /// What is wrong with constants.
    pub(crate) constants: Vec<Diagnostic>,
    /// Of each routine that was checked, what was found.
    pub(crate) routines: Vec<(RoutineId, Vec<Diagnostic>)>,
}

/// Checks the routines behind those that were checked before and have not changed since.
pub(crate) fn recheck(world: &World<'_>, sources: &SourceMap, checked: Vec<Routine>) -> Rechecked {
    let mut constants = Constants::new(world);
    let mut of_constants = Vec::new();
    constants.evaluate_all(&mut of_constants);
    let mut n_unknown = vec![0; world.units.len()];
    let mut program = Program { routines: checked };
    let mut found = Vec::new();
    for idx in program.routines.len()..world.signatures.len() {
        let id = RoutineId(idx as u32);
        let mut diagnostics = Vec::new();
        let mut reports = Reports { diagnostics: &mut diagnostics, n_unknown };
        let body = &world.signature(id).tree.body;
        let routine = Checker::routine(world, sources, &constants, id, body, &mut reports);
        n_unknown = reports.n_unknown;
        program.routines.push(routine);
        found.push((id, diagnostics));
    }
    Rechecked { program, constants: of_constants, routines: found }
}

/// What was reported so far.
struct Reports<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Unknown names of each file.
    n_unknown: Vec<usize>,
}

/// What a name without a meaning should have been.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedName {
    /// A variable, a constant, or a routine without arguments.
    Name,
    /// The variable of a loop: an integer.
    LoopVariable,
    /// A variable or a function, in front of indices or arguments.
    Value,
    /// A procedure.
    Procedure,
}

impl ExpectedName {
    /// Can this item be what was meant?
    fn suits(self, item: &ast::Item) -> bool {
        match (self, item) {
            (ExpectedName::Name, ast::Item::Const { .. }) => true,
            (ExpectedName::Value, ast::Item::Routine(one)) => one.kind == RoutineKind::Function,
            (ExpectedName::Procedure, ast::Item::Routine(one)) => {
                one.kind == RoutineKind::Procedure
            }
            (
                ExpectedName::Name
                | ExpectedName::LoopVariable
                | ExpectedName::Value
                | ExpectedName::Procedure,
                ast::Item::Import { .. } | ast::Item::Const { .. } | ast::Item::Routine(_),
            ) => false,
        }
    }
}

/// Checks one routine.
struct Checker<'a> {
    world: &'a World<'a>,
    sources: &'a SourceMap,
    constants: &'a Constants<'a>,
    /// The file of the routine.
    unit: usize,
    tree: &'a ast::Routine,
    /// Set in a line of a session: what may be declared there.
    declaring: Option<Declaring<'a>>,
    locals: Vec<Local>,
    names: BTreeMap<String, LocalId>,
    result: Option<LocalId>,
    n_sites: u32,
    /// Loops around the statement at hand.
    n_loops: usize,
    /// Variables of the `for` and `foreach` loops around it.
    loop_vars: Vec<(LocalId, Span)>,
    /// The names in the text of the routine, once they are asked for.
    mentions: OnceCell<BTreeMap<&'a str, Vec<Span>>>,
    diagnostics: &'a mut Vec<Diagnostic>,
    n_unknown: &'a mut usize,
    /// Unknown names that were reported in this routine: once is enough.
    unknown_names: BTreeSet<String>,
}

impl<'a> Checker<'a> {
    fn new(
        world: &'a World<'a>,
        sources: &'a SourceMap,
        constants: &'a Constants<'a>,
        unit: usize,
        tree: &'a ast::Routine,
        reports: &'a mut Reports<'_>,
    ) -> Self {
        Checker {
            world,
            sources,
            constants,
            unit,
            tree,
            declaring: None,
            locals: Vec::new(),
            names: BTreeMap::new(),
            result: None,
            n_sites: 0,
            n_loops: 0,
            loop_vars: Vec::new(),
            mentions: OnceCell::new(),
            diagnostics: reports.diagnostics,
            n_unknown: &mut reports.n_unknown[unit],
            unknown_names: BTreeSet::new(),
        }
    }

    fn routine(
        world: &'a World<'a>,
        sources: &'a SourceMap,
        constants: &'a Constants<'a>,
        id: RoutineId,
        body: impl IntoIterator<Item = impl Borrow<ast::Stmt>>,
        reports: &'a mut Reports<'_>,
    ) -> Routine {
        let signature = world.signature(id);
        let tree = signature.tree;
        let unit = signature.unit;
        let mut checker = Checker::new(world, sources, constants, unit, tree, reports);
        let params = checker.header(tree);
        checker.locals_of(tree);
        checker.refuse_circular_sizes();
        checker.case_variants();
        let body = checker.stmts_of(body);
        Routine {
            name: tree.name.name.to_string(),
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
            intrinsic: world.units[unit]
                .module(sources)
                .and_then(|module| Intrinsic::of_routine(module, &tree.name.name)),
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
        self.locals.push(Local { name: name.name.to_string(), span: name.span, ty, role });
        if let Some(&first) = self.names.get(name.name.as_str()) {
            let first_span = self.local(first).span;
            self.report(crate::scope::declared_twice(&name.name, name.span, first_span));
        } else {
            self.names.insert(name.name.to_string(), id);
        }
        id
    }

    fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    fn kind(&self, id: LocalId) -> TyKind {
        self.local(id).ty.kind()
    }

    /// A new mention of a variable.
    fn mention(&mut self, local: LocalId, span: Span) -> VarUse {
        let site = Site(self.n_sites);
        self.n_sites += 1;
        VarUse { local, site, span }
    }

    /// The variable of this name.
    fn variable(&self, name: &str) -> Option<LocalId> {
        self.names.get(name).copied()
    }

    /// Where the text of the routine mentions `name`.
    fn mentions(&self, name: &str) -> &[Span] {
        let within = self.tree.span;
        let all = self.mentions.get_or_init(|| star_syntax::mentions(self.sources, within));
        all.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reports a name that means nothing, unless that would be the echo of an earlier message.
    fn unknown(&mut self, name: &ast::Ident, wanted: ExpectedName) {
        if self.diagnostics.len() >= MAX_DIAGNOSTICS
            || self.world.units[self.unit].import_failed
            || star_syntax::is_reserved(&name.name)
            || !self.unknown_names.insert(name.name.to_string())
        {
            return;
        }
        *self.n_unknown += 1;
        let spelled = &name.name;
        let (code, message) = match wanted {
            ExpectedName::Name | ExpectedName::LoopVariable => {
                (Code::UnknownName, format!("`{spelled}` is not declared"))
            }
            ExpectedName::Value | ExpectedName::Procedure => {
                (Code::UnknownRoutine, format!("there is no routine `{spelled}`"))
            }
        };
        let mut diagnostic = Diagnostic::at(code, name.span, message);
        let modules = self.world.library.modules_with(spelled, |item| wanted.suits(item));
        if !modules.is_empty() {
            let imports = modules.iter().map(|module| format!("`import \"star:{module}\";`"));
            let imports = imports.collect::<Vec<_>>().join(" or ");
            diagnostic = diagnostic.help(format!("write {imports} above the routines"));
        } else if let Some(meant) = self.meant(spelled, wanted) {
            if wanted != ExpectedName::Procedure
                && let Some(&local) = self.names.get(meant)
            {
                diagnostic = diagnostic.label(self.local(local).span, "a similar name");
            }
            if meant.eq_ignore_ascii_case(spelled) {
                diagnostic = diagnostic.note("names differ if their letter case differs");
            }
            diagnostic = diagnostic.fix(format!("did you mean `{meant}`?"), name.span, meant);
        }
        if wanted == ExpectedName::LoopVariable && diagnostic.fixes.is_empty() {
            diagnostic = diagnostic.help(format!("declare `{spelled}: integer` in `var`"));
        }
        if wanted != ExpectedName::Procedure {
            diagnostic = self.not_seen(name, diagnostic);
        }
        self.report(diagnostic);
    }

    /// The name that was probably meant.
    fn meant(&self, name: &str, wanted: ExpectedName) -> Option<&str> {
        if *self.n_unknown > MAX_SUGGESTIONS {
            return None;
        }
        let variables = wanted != ExpectedName::Procedure;
        let of_session = self.declaring.iter().flat_map(Declaring::names);
        let variables =
            self.names.keys().map(String::as_str).chain(of_session).filter(|_| variables);
        let suits = move |builtin: &Builtin| match wanted {
            ExpectedName::Name | ExpectedName::LoopVariable => false,
            ExpectedName::Value => builtin.is_value(),
            ExpectedName::Procedure => builtin.is_statement(),
        };
        let builtins = Builtin::ALL.iter().copied().filter(suits).map(|builtin| builtin.name());
        let declared = self.world.visible_names(self.unit);
        did_you_mean(name, variables.chain(declared).chain(builtins))
    }

    fn type_mismatch(&mut self, span: Span, wanted: TyKind, found: TyKind) {
        if wanted == TyKind::Error || found == TyKind::Error {
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
        } else if wanted == TyKind::Int && found == TyKind::Word {
            diagnostic = diagnostic.help("`INT(w)` is the word as an integer");
        } else if wanted == TyKind::Word && found == TyKind::Int {
            diagnostic = diagnostic.help("`WORD(i, h)` is the integer as a word of `h` components");
        } else if wanted == TyKind::Bool && found.is_bits() {
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
