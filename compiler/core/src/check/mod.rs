//! Translation of the syntax tree to HIR: resolves names, checks types and reports errors.
//!
//! A routine with errors still becomes HIR. Its error nodes are of kind `Error`, which agrees with
//! every kind, so that one error produces one message. A program with errors is not lowered.

mod advice;
mod args;
mod builtin;
mod circular;
mod columns;
mod compare;
mod constant;
mod expr;
mod header;
mod layout;
mod line;
mod lines;
mod lints;
mod masks;
mod parallel;
mod parts;
mod path;
mod records;
mod reduce;
mod relations;
mod stmt;

use std::borrow::Borrow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use star_base::{Builtin, Code, Diagnostic, Intrinsic, SourceMap, Span, did_you_mean};
use star_syntax::ast::{self, RoutineKind};

use self::layout::FieldLayout;
use self::masks::Mask;
use crate::hir::{
    Local, LocalId, MachineOp, Program, Role, Routine, RoutineId, Site, TextCode, Ty, TyKind,
    TypeField, VarUse,
};
use crate::loader::modules_with;
use crate::scope::{Callee, NoCallee, Signature, World};
use crate::uses::{Access, Meaning, Recorder, Use};

use constant::Constants;
use line::Declaring;

pub(crate) use constant::Constants as Values;
pub(crate) use line::{CheckedLine, Effect, VarDecl, Wants, is_value, line};
pub(crate) use reduce::Reduction;

/// Maximum number of messages. More are not useful, and a hostile file could produce millions.
pub(crate) const MAX_DIAGNOSTICS: usize = 1_000;

/// Maximum number of unknown names of a file for which similar names are sought; each is compared
/// with all known names.
const MAX_SUGGESTIONS: usize = 100;

/// The statements of routines, by the positions of these.
pub(crate) type Bodies = BTreeMap<Span, Vec<ast::Stmt>>;

/// Checks all routines of `world`, whose statements are in `bodies`. The statements of each are
/// dropped once checked. Adds the names in files of the user to `uses`.
pub(crate) fn check(
    world: &World<'_>,
    mut bodies: Bodies,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
    mut uses: Option<&mut Vec<Use>>,
) -> Program {
    let mut constants = Constants::new(world);
    constants.evaluate_all(diagnostics);
    if let Some(uses) = &mut uses {
        uses.extend(constants.take_uses());
    }
    let mut reports = Reports { diagnostics, n_unknown: vec![0; world.units.len()], uses };
    let routines = (0..world.signatures.len() as u32)
        .map(|idx| {
            let id = RoutineId(idx);
            let body = bodies.remove(&world.signature(id).tree.span).unwrap_or_default();
            Checker::routine(world, sources, &constants, id, given_up(body), &mut reports)
        })
        .collect();
    Program { routines, types: types(world, &constants) }
}

/// Returns the fields of all record types.
fn types(world: &World<'_>, constants: &Constants<'_>) -> Vec<Vec<TypeField>> {
    let field = |field: &FieldLayout| TypeField {
        name: field.in_files.clone(),
        kind: field.kind,
        width: field.width.clone(),
        is_array: field.count.is_some(),
    };
    let of_type = |id| constants.layout(id).fields.iter().map(field).collect();
    (0..world.types.len()).map(of_type).collect()
}

/// Returns the statements in order. Their list shrinks meanwhile, because the list of a long
/// routine is a large part of its memory.
fn given_up(mut stmts: Vec<ast::Stmt>) -> impl Iterator<Item = ast::Stmt> {
    stmts.reverse();
    std::iter::from_fn(move || {
        if stmts.len() < stmts.capacity() / 2 {
            stmts.shrink_to_fit();
        }
        stmts.pop()
    })
}

/// The result of [`recheck`].
pub(crate) struct Rechecked {
    /// All routines.
    pub(crate) program: Program,
    /// Errors in constants.
    pub(crate) constants: Vec<Diagnostic>,
    /// The messages of each routine that was checked.
    pub(crate) routines: Vec<(RoutineId, Vec<Diagnostic>)>,
}

/// Checks the routines that follow `checked`, the already checked ones that have not changed.
pub(crate) fn recheck(world: &World<'_>, sources: &SourceMap, checked: Vec<Routine>) -> Rechecked {
    let mut constants = Constants::new(world);
    let mut of_constants = Vec::new();
    constants.evaluate_all(&mut of_constants);
    let mut n_unknown = vec![0; world.units.len()];
    let mut program = Program { routines: checked, types: types(world, &constants) };
    let mut found = Vec::new();
    for idx in program.routines.len()..world.signatures.len() {
        let id = RoutineId(idx as u32);
        let mut diagnostics = Vec::new();
        let mut reports = Reports { diagnostics: &mut diagnostics, n_unknown, uses: None };
        let body = &world.signature(id).tree.body;
        let routine = Checker::routine(world, sources, &constants, id, body, &mut reports);
        n_unknown = reports.n_unknown;
        program.routines.push(routine);
        found.push((id, diagnostics));
    }
    Rechecked { program, constants: of_constants, routines: found }
}

/// The messages reported so far.
struct Reports<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The number of unknown names in each file.
    n_unknown: Vec<usize>,
    /// The meanings of names, if they are wanted.
    uses: Option<&'a mut Vec<Use>>,
}

/// The expected meaning of an unknown name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedName {
    /// A variable, a constant, or a routine without arguments.
    Name,
    /// The variable of a loop: an integer.
    LoopVariable,
    /// A variable, `COL` or `ROW`, before indices on the left side of an assignment.
    Part,
    /// A variable or a function, before indices or arguments.
    Value,
    /// A procedure.
    Procedure,
    /// A record type.
    Type,
}

impl ExpectedName {
    /// Returns whether an item of a file was expected, not a variable or constant.
    fn is_item(self) -> bool {
        match self {
            ExpectedName::Value | ExpectedName::Procedure | ExpectedName::Type => true,
            ExpectedName::Name | ExpectedName::LoopVariable | ExpectedName::Part => false,
        }
    }

    /// Returns whether this item could be the intended one.
    fn suits(self, item: &ast::Item) -> bool {
        match (self, item) {
            (ExpectedName::Name, ast::Item::Const { .. })
            | (ExpectedName::Type, ast::Item::Type(_)) => true,
            (ExpectedName::Value, ast::Item::Routine(one)) => one.kind == RoutineKind::Function,
            (ExpectedName::Procedure, ast::Item::Routine(one)) => {
                one.kind == RoutineKind::Procedure
            }
            (
                ExpectedName::Name
                | ExpectedName::LoopVariable
                | ExpectedName::Part
                | ExpectedName::Value
                | ExpectedName::Procedure
                | ExpectedName::Type,
                ast::Item::Import { .. }
                | ast::Item::Const { .. }
                | ast::Item::Type(_)
                | ast::Item::Routine(_),
            ) => false,
        }
    }
}

/// The checker of one routine.
struct Checker<'a> {
    world: &'a World<'a>,
    sources: &'a SourceMap,
    constants: &'a Constants<'a>,
    /// The file of the routine.
    unit: usize,
    tree: &'a ast::Routine,
    /// The number of the routine; it has none in a session.
    id: RoutineId,
    /// Set for a line of a session: what can be declared there.
    declaring: Option<Declaring<'a>>,
    locals: Vec<Local>,
    names: BTreeMap<String, LocalId>,
    result: Option<LocalId>,
    texts: Vec<TextCode>,
    n_sites: u32,
    /// Tables of records whose type is wrong, which was reported.
    broken_records: BTreeSet<LocalId>,
    /// The number of loops around the current statement.
    n_loops: usize,
    /// The variables of the `for`, `foreach` and `forall` loops around it.
    loop_vars: Vec<(LocalId, Span)>,
    /// The rows of the `where` around it.
    mask: Option<Mask>,
    /// The names in the text of the routine, computed on demand.
    mentions: OnceCell<BTreeMap<&'a str, Vec<Span>>>,
    diagnostics: &'a mut Vec<Diagnostic>,
    n_unknown: &'a mut usize,
    /// Unknown names already reported in this routine; each is reported once.
    unknown_names: BTreeSet<String>,
    /// Receives the meanings of names, if they are wanted.
    recorder: Option<Recorder<'a>>,
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
        let recorder = reports.uses.as_deref_mut().filter(|_| !world.units[unit].library);
        let recorder = recorder.map(Recorder::new);
        Checker {
            world,
            sources,
            constants,
            unit,
            tree,
            id: RoutineId(0),
            declaring: None,
            locals: Vec::new(),
            names: BTreeMap::new(),
            result: None,
            texts: Vec::new(),
            n_sites: 0,
            broken_records: BTreeSet::new(),
            n_loops: 0,
            loop_vars: Vec::new(),
            mask: None,
            mentions: OnceCell::new(),
            diagnostics: reports.diagnostics,
            n_unknown: &mut reports.n_unknown[unit],
            unknown_names: BTreeSet::new(),
            recorder,
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
        checker.id = id;
        let params = checker.header(tree);
        checker.locals_of(tree);
        checker.refuse_circular_sizes();
        checker.case_variants();
        let body = checker.stmts_of(body);
        Routine {
            name: tree.name.name.to_string(),
            kind: tree.kind,
            params,
            texts: checker.texts,
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
        let (name_text, record) = (name.name.to_string(), None);
        self.locals.push(Local { name: name_text, span: name.span, ty, role, record });
        if let Some(&first) = self.names.get(name.name.as_str()) {
            let first_span = self.local(first).span;
            self.report(crate::scope::declared_twice(&name.name, name.span, first_span));
        } else {
            self.names.insert(name.name.to_string(), id);
        }
        self.record(id, name.span, Access::Declares);
        id
    }

    fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    fn kind(&self, id: LocalId) -> TyKind {
        self.local(id).ty.kind()
    }

    /// Adds a mention of a variable.
    fn mention(&mut self, local: LocalId, span: Span) -> VarUse {
        let site = Site(self.n_sites);
        self.n_sites += 1;
        self.record(local, span, Access::Reads);
        VarUse { local, site, span }
    }

    /// Records the use of a variable.
    fn record(&mut self, local: LocalId, span: Span, access: Access) {
        let is_result = self.local(local).role == Role::Result;
        if let Some(recorder) = &mut self.recorder {
            // The result of a function has its name.
            let meaning = match is_result {
                true => Meaning::Routine(self.id),
                false => Meaning::Local(self.id, local),
            };
            recorder.add(span, meaning, access);
        }
    }

    /// Resolves a name before arguments; see [`World::callee`].
    fn callee(&mut self, name: &ast::Ident, n_args: usize) -> Result<Callee, NoCallee> {
        let found = self.world.callee(self.unit, name, n_args);
        if let (Some(recorder), Ok(callee)) = (&mut self.recorder, &found) {
            let meaning = match callee {
                Callee::Routine(id) => Meaning::Routine(*id),
                Callee::Builtin(builtin) => Meaning::Builtin(*builtin),
            };
            recorder.add(name.span, meaning, Access::Reads);
        }
        found
    }

    /// Returns the constant that a name denotes.
    fn constant(&mut self, name: &ast::Ident) -> Option<usize> {
        let found = self.world.constant(self.unit, &name.name);
        if let (Some(recorder), Some(idx)) = (&mut self.recorder, found) {
            recorder.add(name.span, Meaning::Constant(idx as u32), Access::Reads);
        }
        found
    }

    /// Returns the variable with this name.
    fn variable(&self, name: &str) -> Option<LocalId> {
        self.names.get(name).copied()
    }

    /// Returns the positions where the text of the routine mentions `name`.
    fn mentions(&self, name: &str) -> &[Span] {
        let within = self.tree.span;
        let all = self.mentions.get_or_init(|| star_syntax::mentions(self.sources, within));
        all.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reports an unknown name, unless an earlier message already covers it.
    fn unknown(&mut self, name: &ast::Ident, wanted: ExpectedName) {
        if self.diagnostics.len() >= MAX_DIAGNOSTICS
            || self.world.units[self.unit].import_failed
            || self.world.units[self.unit].is_incomplete && wanted.is_item()
            || star_syntax::is_reserved(&name.name)
            || !self.unknown_names.insert(name.name.to_string())
        {
            return;
        }
        *self.n_unknown += 1;
        let spelled = &name.name;
        let (code, message) = match wanted {
            ExpectedName::Name | ExpectedName::LoopVariable | ExpectedName::Part => {
                (Code::UnknownName, format!("`{spelled}` is not declared"))
            }
            ExpectedName::Type => {
                (Code::UnknownName, format!("the type `{spelled}` is not declared"))
            }
            ExpectedName::Value | ExpectedName::Procedure => {
                (Code::UnknownRoutine, format!("routine `{spelled}` is not declared"))
            }
        };
        let mut diagnostic = Diagnostic::at(code, name.span, message);
        let modules = modules_with(&self.world.library, spelled, |item| wanted.suits(item));
        if !modules.is_empty() {
            let imports = modules.iter().map(|module| format!("`import \"star:{module}\";`"));
            let imports = imports.collect::<Vec<_>>().join(" or ");
            diagnostic = diagnostic.help(format!("write {imports} above the routines"));
        } else if let Some(help) = habit(spelled)
            .filter(|_| !matches!(wanted, ExpectedName::LoopVariable | ExpectedName::Type))
        {
            diagnostic = diagnostic.help(help);
        } else if let Some(meant) = self.meant(spelled, wanted) {
            if wanted != ExpectedName::Procedure
                && let Some(&local) = self.names.get(meant)
            {
                diagnostic = diagnostic.label(self.local(local).span, "a similar name");
            }
            if meant.eq_ignore_ascii_case(spelled) {
                diagnostic = diagnostic.note("names are case-sensitive");
            }
            diagnostic =
                diagnostic.suggestion(format!("did you mean `{meant}`?"), name.span, meant);
        }
        if wanted == ExpectedName::LoopVariable && diagnostic.fixes.is_empty() {
            diagnostic = diagnostic.help(format!("declare `{spelled}: integer` in `var`"));
        }
        if !matches!(wanted, ExpectedName::Procedure | ExpectedName::Type) {
            diagnostic = self.not_seen(name, diagnostic);
        }
        self.report(diagnostic);
    }

    /// Returns the name that was probably meant.
    fn meant(&self, name: &str, wanted: ExpectedName) -> Option<&str> {
        if *self.n_unknown > MAX_SUGGESTIONS {
            return None;
        }
        if wanted == ExpectedName::Type {
            return did_you_mean(name, self.world.type_names(self.unit));
        }
        let variables = wanted != ExpectedName::Procedure;
        let of_session = self.declaring.iter().flat_map(Declaring::names);
        let variables =
            self.names.keys().map(String::as_str).chain(of_session).filter(|_| variables);
        let suits = move |builtin: &Builtin| match wanted {
            ExpectedName::Name | ExpectedName::LoopVariable | ExpectedName::Type => false,
            ExpectedName::Part => stmt::is_line(*builtin),
            ExpectedName::Value => builtin.is_value(),
            ExpectedName::Procedure => builtin.is_statement(),
        };
        let builtins = Builtin::ALL.iter().copied().filter(suits).map(|builtin| builtin.name());
        // The name of a program is rarely meant, and a procedure has no value.
        let is_callable = move |routine: &Signature<'_>| match wanted {
            ExpectedName::Name | ExpectedName::LoopVariable => routine.result.is_some(),
            ExpectedName::Part | ExpectedName::Type => false,
            ExpectedName::Value | ExpectedName::Procedure => {
                routine.tree.kind != ast::RoutineKind::Program
            }
        };
        let declared = self.world.visible_names(self.unit, is_callable);
        did_you_mean(name, variables.chain(declared).chain(builtins))
    }

    fn type_mismatch(
        &mut self,
        span: Span,
        wanted: TyKind,
        found: TyKind,
        instead: Option<String>,
    ) {
        if wanted == TyKind::Error || found == TyKind::Error {
            return;
        }
        let mut diagnostic = Diagnostic::at(
            Code::TypeMismatch,
            span,
            format!("expected {}, found {}", wanted.with_article(), found.with_article()),
        );
        diagnostic.help.extend(instead);
        if wanted.is_bits() && found.is_bits() {
            diagnostic = diagnostic
                .note("a slice is a column of bits, a word is a row")
                .help("`CONVERT` converts between them");
        } else if wanted == TyKind::Int && found == TyKind::Word {
            diagnostic = diagnostic.help("`INT(w)` is the word as an integer");
        } else if wanted == TyKind::Word && found == TyKind::Int {
            diagnostic = diagnostic.help("`WORD(i, h)` is the integer as a word of `h` components");
        }
        self.report(diagnostic);
    }
}

/// Routines of other languages, and what to write instead.
const HABITS: &[(&[&str], &str)] = &[
    (
        &["writeln", "write", "println", "printf", "printline", "puts", "echo", "output"],
        "use `print`: `print(a, \" \", b)` prints values and a line break",
    ),
    (
        &["read", "readln", "readline", "input", "scanf", "gets"],
        "values come from parameters, as in `program P(n: integer);` and `star run FILE n=5`; \
         `read(T, \"file.gr\")` reads a table",
    ),
    (&["inc", "dec", "succ", "pred"], "write `i := i + 1` or `i := i - 1`"),
    (&["halt"], "`exit` leaves the routine"),
    (
        &["return"],
        "`exit` leaves the routine; a function returns what is assigned to its name, as in \
         `F := n * 2`",
    ),
    (&["result"], "a function returns what is assigned to its name, as in `F := n * 2`"),
    (
        &["len", "size", "sizeof"],
        "`length(X)` is the size of a slice or word; a table has `rows(T)` rows and `size(T)` columns",
    ),
    (
        &["sort", "sorted", "sortby", "orderby"],
        "`ORDER(T, T, X, R)` makes `R` the rows of `T` that `X` marks, in ascending order; `RANK` \
         gives their positions",
    ),
    (&["popcount"], "`count(X)` is the number of ones of a slice or word"),
    (&["any"], "`SOME(X)` tests whether a slice or word has a one"),
];

/// Returns what to write instead of a routine of other languages.
pub(super) fn habit(name: &str) -> Option<&'static str> {
    let is = |names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
    HABITS.iter().find(|(names, _)| is(names)).map(|&(_, instead)| instead)
}

/// Calls of these library procedures are lowered to a single operation.
fn machine_op(name: &str, n_params: usize) -> Option<MachineOp> {
    match (name, n_params) {
        ("MIN", 3) => Some(MachineOp::Min),
        ("MAX", 3) => Some(MachineOp::Max),
        ("TCOPY1", 4) => Some(MachineOp::LoadField),
        ("TCOPY2", 4) => Some(MachineOp::StoreField),
        _ => None,
    }
}
