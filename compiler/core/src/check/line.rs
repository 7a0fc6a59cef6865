//! Lines of a session: the variables they can see, and those they declare.
//!
//! A line becomes a routine whose `var` parameters are the session variables that it mentions. A
//! statement that assigns to an unknown name declares it, with the type of the assigned value.

use std::collections::BTreeSet;

use star_base::{Builtin, Diagnostic, SourceMap, Span};
use star_syntax::ast;

use super::header::unsized_type;
use super::records::Declared;
use super::{Checker, Constants, Reduction, Reports};
use crate::hir::{
    self, Expr, ExprKind, LocalId, Role, Routine, RoutineId, Size, Stmt, StmtKind, Target, Ty,
    TyKind,
};
use crate::scope::{Callee, World, kind_of};
use crate::session::{Environment, RecordType, Variable};

/// What a line can see and declare.
pub(super) struct Declaring<'a> {
    environment: &'a Environment,
    earlier: &'a Environment,
    /// The variables it declares, in order.
    declared: Vec<LocalId>,
}

impl<'a> Declaring<'a> {
    /// Returns the names of all variables.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.environment.iter().chain(self.earlier.iter()).map(|(name, _)| name)
    }
}

/// The purpose of a line.
#[derive(Clone, Copy)]
pub(crate) enum Wants<'a> {
    /// Run these statements, which are the body of the tree.
    Statements,
    /// Evaluate an expression.
    Value(&'a ast::Expr),
    /// Declare variables.
    Variables(&'a [ast::Vars]),
}

/// The effect of a line on the session, apart from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// It stores the value of an expression in its last parameter.
    Value(TyKind),
    /// It declares variables, and stores their sizes in its last parameters.
    Declares(Vec<VarDecl>),
}

/// A variable declared in a `var` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarDecl {
    /// The name.
    pub(crate) name: String,
    /// The type.
    pub(crate) kind: TyKind,
    /// The parameters of the line that receive its sizes.
    pub(crate) sizes: [Option<usize>; 2],
    /// The sizes given as numbers in the text. Later declarations in the same text can use them
    /// before anything has run.
    pub(crate) known: [Option<u64>; 2],
    /// The record type of its rows.
    pub(crate) record: Option<Box<RecordType>>,
    /// The position of the name.
    pub(crate) span: Span,
}

/// A line in the form of a routine.
pub(crate) struct CheckedLine {
    /// The routine; all its parameters are `var` parameters.
    pub(crate) routine: Routine,
    /// The names of the variables passed for the parameters; names of results begin with `‹`.
    pub(crate) slots: Vec<String>,
    /// The variables that its statements declare.
    pub(crate) declares: Vec<(String, Variable)>,
    /// Its other effect.
    pub(crate) effect: Effect,
}

/// Checks a line of the file `unit`. `earlier` holds the variables declared by preceding lines,
/// provided they run.
#[allow(clippy::too_many_arguments, reason = "the only caller owns all of them")]
pub(crate) fn line(
    world: &World<'_>,
    sources: &SourceMap,
    constants: &Constants<'_>,
    (environment, earlier): (&Environment, &Environment),
    unit: usize,
    tree: &ast::Routine,
    wants: Wants<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> CheckedLine {
    let mut reports = Reports { diagnostics, n_unknown: vec![0; world.units.len()], uses: None };
    let mut checker = Checker::new(world, sources, constants, unit, tree, &mut reports);
    checker.declaring = Some(Declaring { environment, earlier, declared: Vec::new() });
    let mut params = checker.variables_of(environment, earlier);
    let mut body = checker.stmts(&tree.body);
    let mut results = Vec::new();
    let effect = match wants {
        Wants::Statements => Effect::None,
        Wants::Value(tree) => {
            let value = checker.expr(tree, None);
            let kind = value.ty;
            let value = checker.of_type(value, kind);
            let kind = value.ty;
            results.push(checker.result("‹value›".to_owned(), value, &mut body));
            Effect::Value(kind)
        }
        Wants::Variables(groups) => {
            Effect::Declares(checker.section(groups, &mut results, &mut body))
        }
    };
    let declared = checker.declaring.take().map(|declaring| declaring.declared);
    let declared = declared.unwrap_or_default();
    params.extend(&declared);
    let related = params.iter().map(|&param| checker.local(param));
    let related = related.filter(|local| local.ty.kind() == TyKind::Table);
    let related = related.map(|local| local.name.clone()).next();
    let declares = declared.iter().map(|&id| {
        let local = checker.local(id);
        let related =
            related.clone().filter(|name| *name != local.name && local.ty.kind().is_bits());
        let kind = local.ty.kind();
        let (sizes, span) = ([None; 2], local.span);
        let variable = Variable { kind, sizes, span, related, record: None };
        (local.name.clone(), variable)
    });
    let declares = declares.collect();
    let n_variables = params.len();
    params.extend(results);
    let slots = params.iter().map(|&param| checker.local(param).name.clone()).collect();
    let effect = match effect {
        Effect::Declares(mut wanted) => {
            let places = wanted.iter_mut().flat_map(|one| &mut one.sizes).flatten();
            places.for_each(|place| *place += n_variables);
            Effect::Declares(wanted)
        }
        effect @ (Effect::None | Effect::Value(_)) => effect,
    };
    let routine = Routine {
        name: tree.name.name.to_string(),
        kind: tree.kind,
        params,
        locals: checker.locals,
        result: None,
        body,
        name_span: tree.name.span,
        header: tree.header,
        library: false,
        machine_op: None,
        intrinsic: None,
        texts: Vec::new(),
        n_sites: checker.n_sites,
    };
    CheckedLine { routine, slots, declares, effect }
}

impl Checker<'_> {
    /// Declares the variables that the text mentions.
    fn variables_of(&mut self, environment: &Environment, earlier: &Environment) -> Vec<LocalId> {
        let mentions = star_syntax::mentions(self.sources, self.tree.span);
        let mut params = Vec::new();
        for name in mentions.keys() {
            let Some(variable) = earlier.get(name).or_else(|| environment.get(name)) else {
                continue;
            };
            let ident = ast::Ident { name: ast::Name::from(*name), span: variable.span };
            let param = self.declare(&ident, type_of(variable), Role::Ref);
            let record = variable.record.as_deref().and_then(|record| self.same_record(record));
            self.locals[param.0 as usize].record = record.map(Box::new);
            params.push(param);
        }
        params
    }

    /// Adds a parameter for a result, and the statement that assigns its value.
    fn result(&mut self, name: String, value: Expr, body: &mut Vec<Stmt>) -> LocalId {
        let span = value.span;
        let id = LocalId(self.locals.len() as u32);
        // Not registered as a name, so the text cannot mention it.
        let ty = unsized_type(value.ty);
        self.locals.push(hir::Local { name, span, ty, role: Role::Ref, record: None });
        let place = self.mention(id, span);
        body.push(Stmt { kind: StmtKind::Assign(Target::Var(place), value), span });
        id
    }

    /// Checks the variables of a `var` section; their sizes become results.
    fn section(
        &mut self,
        groups: &[ast::Vars],
        results: &mut Vec<LocalId>,
        body: &mut Vec<Stmt>,
    ) -> Vec<VarDecl> {
        let mut found = Vec::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for group in groups {
            let kind = kind_of(&group.ty);
            let mut number = |checker: &mut Self, size: Size| {
                size.map(|size| {
                    let name = format!("‹size {}›", results.len() + 1);
                    results.push(checker.result(name, *size, body));
                    results.len() - 1
                })
            };
            let Declared { ty, record } = self.ty(&group.ty);
            let record = record.and_then(|record| self.record_type(&record)).map(Box::new);
            let sizes = match ty {
                Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [None, None],
                Ty::Slice(size) | Ty::Word(size) => [size, None],
                Ty::Table(rows, columns) => [rows, columns],
            };
            let known = sizes.each_ref().map(|size| {
                let Some(Expr { kind: ExprKind::Int(size), .. }) = size.as_deref() else {
                    return None;
                };
                u64::try_from(*size).ok()
            });
            let sizes = sizes.map(|size| number(self, size));
            for name in &group.names {
                if !seen.insert(&name.name) {
                    let first = groups.iter().flat_map(|group| &group.names);
                    let mut first = first.filter(|other| other.name == name.name);
                    let first = first.next().map_or(name.span, |first| first.span);
                    self.report(crate::scope::declared_twice(&name.name, name.span, first));
                }
                let (name, span) = (name.name.to_string(), name.span);
                let record = record.clone();
                found.push(VarDecl { name, kind, sizes, known, record, span });
            }
        }
        found
    }

    /// Returns whether an assignment may declare this name here.
    pub(super) fn is_new(&self, name: &ast::Ident) -> bool {
        let exact = |name: &str| Builtin::find(name).is_some_and(|it| it.name() == name);
        self.declaring.is_some()
            && self.variable(&name.name).is_none()
            && !self.world.declares(self.unit, &name.name)
            && !exact(&name.name)
            && !self.unknown_names.contains(name.name.as_str())
    }

    /// Declares the variable if its name is unknown and this is a line of a session.
    pub(super) fn declare_if_new(&mut self, name: &ast::Ident, kind: TyKind) {
        if self.is_new(name) {
            self.declare_here(name, kind);
        }
    }

    fn declare_here(&mut self, name: &ast::Ident, kind: TyKind) -> LocalId {
        let id = self.declare(name, unsized_type(kind), Role::Ref);
        if let Some(declaring) = &mut self.declaring {
            declaring.declared.push(id);
        }
        id
    }

    /// Checks `name := value` where the name is unknown so far.
    pub(super) fn first_assignment(
        &mut self,
        name: &ast::Ident,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Stmt> {
        let value = self.expr(value, None);
        let kind = value.ty;
        let value = self.of_type(value, kind);
        if value.ty == TyKind::Error {
            // Its type is unknown; that was reported.
            self.unknown_names.insert(name.name.to_string());
            return None;
        }
        let local = self.declare_here(name, value.ty);
        let place = self.mention(local, name.span);
        Some(Stmt { kind: StmtKind::Assign(Target::Var(place), value), span })
    }

    /// Adds to the message about a name that it is defined in the session, which routines cannot
    /// see.
    pub(super) fn not_seen(&self, name: &ast::Ident, diagnostic: Diagnostic) -> Diagnostic {
        let of_session = self.world.session.filter(|_| !self.world.units[self.unit].library);
        match of_session.and_then(|environment| environment.get(&name.name)) {
            Some(variable) if self.declaring.is_none() => {
                let spelled = &name.name;
                let ty = match &variable.record {
                    Some(record) => format!("table(m) of {record}"),
                    None => variable.kind.name().to_owned(),
                };
                diagnostic
                    .label(variable.span, "a variable of the session")
                    .note("a routine sees its parameters, its own variables and constants, not the variables of the session")
                    .help(format!("pass it as an argument: `var {spelled}: {ty}` among the parameters"))
            }
            Some(_) | None => diagnostic,
        }
    }
}

/// Returns the type of a parameter for this variable.
fn type_of(variable: &Variable) -> Ty {
    let Variable { kind, sizes, span, related: _, record: _ } = variable;
    let size = |size: Option<u64>| -> Size {
        let number = i64::try_from(size?).unwrap_or(i64::MAX);
        let kind = ExprKind::Int(number);
        Some(Box::new(Expr { kind, ty: TyKind::Int, span: *span, effects: false }))
    };
    match kind {
        TyKind::Slice => Ty::Slice(size(sizes[0])),
        TyKind::Word => Ty::Word(size(sizes[0])),
        TyKind::Table => Ty::Table(size(sizes[0]), size(sizes[1])),
        TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {
            unsized_type(*kind)
        }
    }
}

/// Returns whether a call denotes a value, so that a session shows it.
pub(crate) fn is_value(world: &World<'_>, unit: usize, call: &ast::Ref, is_variable: bool) -> bool {
    let n_args = call.args.as_ref().map_or(0, |args| args.len());
    if is_variable || call.args.is_none() && world.constant(unit, &call.name.name).is_some() {
        return true;
    }
    match world.callee(unit, &call.name, n_args) {
        Ok(Callee::Routine(RoutineId(id))) => world.signatures[id as usize].result.is_some(),
        Ok(Callee::Builtin(builtin)) => builtin.is_value() && builtin != Builtin::Frst,
        // A name alone is looked up like a variable.
        Err(_) => call.args.is_none() || Reduction::find(&call.name.name, n_args).is_some(),
    }
}
