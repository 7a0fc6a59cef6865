//! Published spellings: which names mean a built-in or a routine of the library, and would still mean it
//! if they were spelled as published.
//!
//! The rules are those of `scope.rs`. What a program declares keeps its spelling, and so does every name
//! that might be declared in a file that cannot be read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use star_base::Builtin;
use star_syntax::ast::{
    Assign, AssignKind, Expr, ExprKind, File, Ident, Item, Ref, Routine, Stmt, StmtKind, Type,
    TypeKind,
};
use star_syntax::lexemes;
use star_syntax::token::Token;

use super::tokens::Changes;

/// The names that a file declares.
#[derive(Default)]
pub(super) struct Declared {
    /// By their names in lower case: exact name, and number of parameters.
    routines: BTreeMap<String, Vec<(String, usize)>>,
    constants: BTreeSet<String>,
}

/// The files whose names a file sees beside its own, the nearest first.
pub(super) struct Outside<'a> {
    pub(super) files: Vec<(&'a Declared, Origin)>,
    /// Could all of them be read?
    pub(super) complete: bool,
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    User,
    Library,
}

impl Declared {
    pub(super) fn of(tree: &File) -> Self {
        let mut declared = Declared::default();
        for item in &tree.items {
            match item {
                Item::Import { .. } => {}
                Item::Const { name, value: _ } => {
                    declared.constants.insert(name.name.to_string());
                }
                Item::Routine(routine) => {
                    let n_params = routine.params.iter().map(|group| group.names.len()).sum();
                    let name = routine.name.name.to_string();
                    let alike = declared.routines.entry(name.to_lowercase()).or_default();
                    // Of two with one name, which is an error, the first one counts.
                    if alike.iter().all(|(other, _)| *other != name) {
                        alike.push((name, n_params));
                    }
                }
            }
        }
        declared
    }

    /// The routines of this name in any letter case with so many parameters.
    fn alike(&self, name: &str, n_args: usize) -> impl Iterator<Item = &str> {
        let alike = self.routines.get(&name.to_lowercase()).into_iter().flatten();
        alike.filter(move |(_, n_params)| *n_params == n_args).map(|(name, _)| name.as_str())
    }

    fn has(&self, name: &str, n_args: usize) -> bool {
        self.alike(name, n_args).any(|known| known == name)
            || n_args == 0 && self.constants.contains(name)
    }
}

/// What is to be spelled otherwise than it stands in the file: names, and signs of assignments.
/// `text` is that of the file; `outside` is asked for only if a name needs it.
pub(super) fn changes<'a>(
    text: &str,
    tree: &File,
    outside: &mut dyn FnMut() -> Outside<'a>,
) -> Changes {
    let mut speller = Speller {
        text,
        own: &Declared::of(tree),
        outside,
        seen: None,
        known: HashMap::new(),
        locals: BTreeSet::new(),
        changes: Changes::new(),
    };
    for item in &tree.items {
        speller.locals.clear();
        match item {
            Item::Import { .. } => {}
            Item::Const { name: _, value } => speller.expr(value),
            Item::Routine(routine) => speller.routine(routine),
        }
    }
    speller.changes
}

struct Speller<'t, 'a, 'f> {
    text: &'t str,
    own: &'t Declared,
    outside: &'f mut dyn FnMut() -> Outside<'a>,
    seen: Option<Outside<'a>>,
    /// How names with so many arguments are spelled that no routine declares for itself.
    known: HashMap<(&'t str, usize), Option<Cow<'static, str>>>,
    /// What the routine declares.
    locals: BTreeSet<&'t str>,
    changes: Changes,
}

impl<'t> Speller<'t, '_, '_> {
    fn routine(&mut self, routine: &'t Routine) {
        let Routine { kind: _, name: _, params, result, vars, body, header: _, span: _ } = routine;
        for group in params {
            self.locals.extend(group.names.iter().map(|name| name.name.as_str()));
            // A name in a size of a header is a parameter, a constant, or declared by standing there.
            for size in sizes(&group.ty) {
                self.size_names(size);
            }
        }
        for group in vars {
            self.locals.extend(group.names.iter().map(|name| name.name.as_str()));
        }
        let types = params.iter().map(|group| &group.ty).chain(vars.iter().map(|group| &group.ty));
        for size in types.chain(result).flat_map(sizes) {
            self.expr(size);
        }
        self.stmts(body);
    }

    /// The names without arguments in a size.
    fn size_names(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Part(_) => {}
            ExprKind::Ref(reference) => match &reference.args {
                None => {
                    self.locals.insert(&reference.name.name);
                }
                Some(args) => args.iter().for_each(|arg| self.size_names(arg)),
            },
            ExprKind::Not(operand) | ExprKind::Neg(operand) => self.size_names(operand),
            ExprKind::Chain(first, links) => {
                self.size_names(first);
                links.iter().for_each(|link| self.size_names(&link.operand));
            }
            ExprKind::Compare(_, left, right) => {
                self.size_names(left);
                self.size_names(right);
            }
        }
    }

    fn stmts(&mut self, stmts: &'t [Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'t Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Error | StmtKind::Goto(_) => {}
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If { arms, otherwise } => {
                for (test, then) in arms {
                    self.expr(test);
                    self.stmt(then);
                }
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While { test, body } => {
                self.expr(test);
                self.stmt(body);
            }
            StmtKind::Repeat { body, until } => {
                self.stmts(body);
                self.expr(until);
            }
            StmtKind::For { var: _, assign, from, to, down: _, body } => {
                self.assign(*assign);
                self.expr(from);
                self.expr(to);
                self.stmt(body);
            }
            StmtKind::Foreach { var: _, over, body } => {
                self.expr(over);
                self.stmt(body);
            }
            StmtKind::Assign { target, assign, value } => {
                self.target(target);
                self.assign(*assign);
                self.expr(value);
            }
            StmtKind::PutPart { target: _, assign, value } => {
                self.assign(*assign);
                self.expr(value);
            }
            StmtKind::Call(call) => self.reference(call),
            StmtKind::Labelled { label: _, body } => self.stmt(body),
        }
    }

    fn assign(&mut self, assign: Assign) {
        match assign.kind {
            AssignKind::ColonEquals => {}
            AssignKind::Spaced | AssignKind::Equals => {
                self.changes.insert(assign.span.start as usize, Cow::Borrowed(":="));
            }
        }
    }

    fn expr(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Part(_) => {}
            ExprKind::Ref(reference) => self.reference(reference),
            ExprKind::Not(operand) | ExprKind::Neg(operand) => self.expr(operand),
            ExprKind::Chain(first, links) => {
                self.expr(first);
                links.iter().for_each(|link| self.expr(&link.operand));
            }
            ExprKind::Compare(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
        }
    }

    /// The left side of an assignment: routines do not count, and of built-ins COL and ROW.
    fn target(&mut self, target: &'t Ref) {
        let Ref { name, args, span: _ } = target;
        let Some(args) = args else { return };
        args.iter().for_each(|arg| self.expr(arg));
        if let Some(line @ (Builtin::Col | Builtin::Row)) = Builtin::find(&name.name) {
            self.respell(name, Cow::Borrowed(line.name()));
        }
    }

    /// A variable, a part of one, a constant, or a call.
    fn reference(&mut self, reference: &'t Ref) {
        let Ref { name, args, span: _ } = reference;
        args.iter().flatten().for_each(|arg| self.expr(arg));
        if self.locals.contains(name.name.as_str()) {
            return;
        }
        let n_args = args.as_ref().map_or(0, |args| args.len());
        let key = (name.name.as_str(), n_args);
        let spelled = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = self.spelling(&name.name, n_args);
                self.known.insert(key, found.clone());
                found
            }
        };
        if let Some(spelled) = spelled {
            self.respell(name, spelled);
        }
    }

    /// Spells the name so, unless that or the name itself is declared by the routine.
    fn respell(&mut self, name: &'t Ident, spelled: Cow<'static, str>) {
        let free = |name: &str| !self.locals.contains(name);
        if spelled == *name.name || !free(&name.name) || !free(&spelled) {
            return;
        }
        if !spelled.contains('-') {
            self.changes.insert(name.span.start as usize, spelled);
            return;
        }
        // A name with hyphens is several tokens.
        let tokens = lexemes(&self.text[name.span.range()]);
        let names = tokens.filter(|(token, _)| matches!(token, Token::Name));
        for ((_, range), part) in names.zip(spelled.split('-')) {
            let at = name.span.start as usize + range.start;
            self.changes.insert(at, Cow::Owned(part.to_owned()));
        }
    }

    /// How a name that no local has is to be spelled; `None` if as it stands.
    fn spelling(&mut self, name: &str, n_args: usize) -> Option<Cow<'static, str>> {
        let builtin = Builtin::find(name).filter(|builtin| {
            let (least, most) = builtin.arity();
            (least..=most).contains(&n_args)
        });
        let exact = builtin.is_some_and(|builtin| builtin.name() == name);
        if exact || self.own.has(name, n_args) {
            return None;
        }
        let outside = self.seen.get_or_insert_with(&mut *self.outside);
        let files =
            || std::iter::once((self.own, Origin::User)).chain(outside.files.iter().copied());
        let declared = |name: &str| files().any(|(file, _)| file.has(name, n_args));
        if !outside.complete || declared(name) {
            return None;
        }
        if let Some(builtin) = builtin {
            return (!declared(builtin.name())).then_some(Cow::Borrowed(builtin.name()));
        }
        let mut alike = files()
            .flat_map(|(file, origin)| file.alike(name, n_args).map(move |one| (one, origin)));
        let (first, origin) = alike.next()?;
        let agreed = origin == Origin::Library && alike.all(|(other, _)| other == first);
        agreed.then(|| Cow::Owned(first.to_owned()))
    }
}

fn sizes(ty: &Type) -> impl Iterator<Item = &Expr> {
    let (first, second) = match &ty.kind {
        TypeKind::Integer | TypeKind::Boolean | TypeKind::Str | TypeKind::Handle => (None, None),
        TypeKind::Slice(size) | TypeKind::Word(size) => (size.as_ref(), None),
        TypeKind::Table(rows, columns) => (rows.as_ref(), columns.as_ref()),
    };
    first.into_iter().chain(second)
}
