//! Loops with independent iterations, `forall i in X where c do s`.
//!
//! Note [Independence]. An iteration may write its own part of a table, slice or word: the row,
//! column, element or component with the index of the loop. Every other access to such a variable
//! is to the same part, to a field that no iteration writes, or to a line that does not change in
//! the loop, which is read before it. All other assigned variables belong to an iteration, and have
//! no value at its start and after the loop. So the iterations give the same result in any order.
//! Nothing of this form remains after checking: a `forall` is a `for` or `foreach` whose body
//! begins with [`StmtKind::Forget`].

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Code, Diagnostic, Span};
use star_syntax::ast;

use super::Checker;
use super::lines::Lines;
use crate::flow::summary::called;
use crate::hir::{
    Arg, Expr, ExprKind, Field, LocalId, Role, Stmt, StmtKind, Target, TyKind, VarUse,
};
use crate::visit;

/// The part of a variable that belongs to an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The row with the index, or bits of it.
    Row,
    /// The column with the index, or bits of it.
    Column,
    /// The bit in the row and the column with the index.
    Diagonal,
    /// The element of an array field with the index.
    Element,
    /// The component with the index.
    Component,
}

impl Part {
    /// Returns the part that contains both.
    fn joined(self, other: Part) -> Option<Part> {
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Part::Diagonal, line @ (Part::Row | Part::Column))
            | (line @ (Part::Row | Part::Column), Part::Diagonal) => Some(line),
            (_, _) => None,
        }
    }
}

/// What the iterations write to a variable.
#[derive(Default)]
struct Writes {
    /// The own part of an iteration, and where it is written first.
    own: Option<(Part, Span)>,
    /// A write to another part than that.
    mixed: Option<Span>,
    /// A write to a part that is not known to belong to the iteration.
    elsewhere: Option<Span>,
    /// An assignment of the whole variable.
    whole: Option<Span>,
    /// The fields that are written, by their numbers; `None` if other parts are, too.
    fields: Option<BTreeSet<usize>>,
}

/// A variable of which each iteration writes its own part.
pub(super) struct Shared {
    pub(super) part: Part,
    /// Where it is written first.
    pub(super) span: Span,
    /// The only fields that are written, by their numbers.
    pub(super) fields: Option<BTreeSet<usize>>,
}

impl Checker<'_> {
    /// Checks a `forall`.
    pub(super) fn forall(&mut self, tree: &ast::Forall, span: Span) -> Option<StmtKind> {
        self.lint_empty_body(&tree.body);
        let n_before = self.diagnostics.len();
        if self.values_of(&tree.over).is_some() {
            let message = "a `forall` has no iterations over numbers";
            self.report(
                Diagnostic::at(Code::NotParallel, tree.over.span, message)
                    .help("`foreach v in values(F where X) do` visits them in order"),
            );
            return None;
        }
        let range = match &tree.last {
            Some(last) => {
                let from = self.typed(&tree.over, TyKind::Int);
                vec![from, self.typed(last, TyKind::Int)]
            }
            None => vec![self.bits(&tree.over)],
        };
        let (var, (filter, mut body)) = self.counted_loop(&tree.var, TyKind::Int, span, |this| {
            let filter = tree.filter.as_ref().map(|tree| this.typed(tree, TyKind::Bool));
            (filter, this.loop_body(&tree.body))
        });
        let var = var?;
        if let Some(changing) = range.iter().find(|one| one.effects) {
            let message = "the range of a `forall` cannot change a variable";
            self.report(
                Diagnostic::at(Code::NotParallel, changing.span, message)
                    .help("assign it to a variable first"),
            );
        }
        if self.diagnostics[n_before..].iter().any(Diagnostic::is_error) {
            return None;
        }
        let last = tree.last.as_ref().unwrap_or(&tree.over);
        let head = Span::new(span.file, span.start, last.span.end);
        let mut filter: Vec<Expr> = filter.into_iter().collect();
        let (mut stmts, own) = self.independent(var.local, head, &mut filter, &mut body)?;
        if let Some(test) = filter.pop() {
            let span = test.span.to(tree.body.span);
            body = vec![Stmt { kind: StmtKind::If(vec![(test, body)], Vec::new()), span }];
        }
        body.insert(0, Stmt { kind: StmtKind::Forget(own.clone()), span: head });
        let mut range = range.into_iter().map(Box::new);
        let kind = match (range.next()?, range.next()) {
            (from, Some(to)) => StmtKind::For { var, from, to, down: false, body },
            (over, None) => StmtKind::Foreach { var, over, body },
        };
        stmts.push(Stmt { kind, span });
        // Variables of a session outlive the entry.
        let mut gone = own;
        gone.push(var.local);
        gone.retain(|local| self.local(*local).role != Role::Ref);
        stmts.push(Stmt { kind: StmtKind::Forget(gone), span: head });
        Some(StmtKind::Block(stmts))
    }

    /// Reports iterations that are not independent. Otherwise returns statements before the loop
    /// that read lines, and the variables that belong to an iteration.
    fn independent(
        &mut self,
        index: LocalId,
        head: Span,
        filter: &mut [Expr],
        body: &mut [Stmt],
    ) -> Option<(Vec<Stmt>, Vec<LocalId>)> {
        let writes = Writing::of(index, filter, body);
        let written: BTreeSet<LocalId> = writes.keys().copied().collect();
        let (mut shared, mut own) = (BTreeMap::new(), Vec::new());
        let mut is_wrong = false;
        for (local, writes) in writes {
            if self.local(local).is_hidden() {
                continue;
            }
            match self.belongs(local, index, writes) {
                Ok(Some(part)) => {
                    shared.insert(local, part);
                }
                Ok(None) => own.push(local),
                Err(diagnostic) => {
                    self.report(*diagnostic);
                    is_wrong = true;
                }
            }
        }
        let mut lines = Lines::new(self, index, head, &written, &shared);
        filter.iter_mut().for_each(|test| lines.expr(test));
        lines.stmts(body);
        let before = lines.before?;
        (!is_wrong).then_some((before, own))
    }

    /// Returns the part of a variable that belongs to an iteration; `None` if the whole variable
    /// does.
    fn belongs(
        &self,
        local: LocalId,
        index: LocalId,
        writes: Writes,
    ) -> Result<Option<Shared>, Box<Diagnostic>> {
        let Writes { own, mixed, elsewhere, whole, fields } = writes;
        let declared = self.local(local);
        let (name, var) = (&declared.name, &self.local(index).name);
        let at = |span, message| {
            Diagnostic::at(Code::NotParallel, span, message).label(declared.span, "declared here")
        };
        if let Some(span) = whole {
            let is_own = match declared.role {
                Role::Local | Role::Value => true,
                Role::Ref => self.declaring.is_some(),
                Role::Binding | Role::Implicit | Role::Result => false,
            };
            if is_own {
                return Ok(None);
            }
            let message = format!("several iterations assign `{name}` as a whole");
            return Err(Box::new(
                at(span, message)
                    .note(
                        "an iteration assigns variables of its routine as a whole, and only those",
                    )
                    .help("declare a local variable"),
            ));
        }
        match (own, elsewhere, mixed) {
            (Some((part, span)), None, None) => Ok(Some(Shared { part, span, fields })),
            (Some((_, first)), None, Some(span)) => {
                let message = format!("the body writes rows and columns of `{name}`");
                let diagnostic = at(span, message).label(first, "another part of it");
                Err(Box::new(diagnostic.note("the parts of two iterations may overlap")))
            }
            (_, span, _) => {
                let message = format!("several iterations may write the same part of `{name}`");
                let diagnostic = at(span.unwrap_or(declared.span), message);
                Err(Box::new(diagnostic.help(match declared.ty.kind() {
                    TyKind::Table => format!(
                        "write the row, column or field with the index `{var}`: `ROW({var},{name})`"
                    ),
                    TyKind::Slice | TyKind::Word => {
                        format!("write the component with the index `{var}`: `{name}({var})`")
                    }
                    _ => format!("assign `{name}` in the iteration first"),
                })))
            }
        }
    }
}

/// Collects what the iterations write.
struct Writing {
    index: LocalId,
    writes: BTreeMap<LocalId, Writes>,
}

impl Writing {
    fn of(index: LocalId, filter: &[Expr], body: &[Stmt]) -> BTreeMap<LocalId, Writes> {
        let mut this = Writing { index, writes: BTreeMap::new() };
        for test in filter {
            visit::any_expr(test, &mut |expr| {
                this.in_expr(expr);
                false
            });
        }
        visit::any_stmt(body, &mut |stmt| {
            this.stmt(stmt);
            visit::any_expr_of(stmt, &mut |expr| {
                this.in_expr(expr);
                false
            })
        });
        this.writes
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(target, _) => self.target(target, span),
            StmtKind::Fill(place, _) | StmtKind::Read(place, ..) => self.whole(place),
            StmtKind::For { var, .. } | StmtKind::Foreach { var, .. } => self.whole(var),
            StmtKind::KeepFirst(place)
            | StmtKind::Step(place)
            | StmtKind::Replace { word: place, .. } => self.elsewhere(place, span),
            StmtKind::Call(_, args) => self.args(args),
            StmtKind::Print(_)
            | StmtKind::Write(..)
            | StmtKind::Assert(..)
            | StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Repeat(..)
            | StmtKind::Forget(_)
            | StmtKind::Exit
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    fn in_expr(&mut self, expr: &Expr) {
        if let ExprKind::Step(place) = &expr.kind {
            self.elsewhere(place, expr.span);
        }
        if let Some((_, args)) = called(expr) {
            self.args(args);
        }
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args {
            match arg {
                Arg::Ref(place) => self.whole(place),
                Arg::Field(field, _) => self.field(field, field.span),
                Arg::Value(_) => {}
            }
        }
    }

    fn target(&mut self, target: &Target, span: Span) {
        match target {
            Target::Var(place) => self.whole(place),
            Target::Component(place, index) => {
                let part = is_var(index, self.index).then_some(Part::Component);
                self.part(place, part, None, span);
            }
            Target::Bit(place, row, column) => {
                self.part(place, bit_part(row, column, self.index), None, span);
            }
            Target::Col(index, place) => {
                let part = is_var(index, self.index).then_some(Part::Column);
                self.part(place, part, None, span);
            }
            Target::Row(index, place) => {
                let part = is_var(index, self.index).then_some(Part::Row);
                self.part(place, part, None, span);
            }
            Target::Part(place, _) => self.elsewhere(place, span),
            Target::Field(field) => self.field(field, span),
            Target::Numbers(target) => self.field(&target.field, span),
            Target::Cell(row, field) => {
                let part = is_var(row, self.index).then_some(Part::Row);
                self.part(&field.table, part, Some(field.number), span);
            }
        }
    }

    fn field(&mut self, field: &Field, span: Span) {
        let part = is_element(field, self.index).then_some(Part::Element);
        self.part(&field.table, part, Some(field.number), span);
    }

    fn whole(&mut self, place: &VarUse) {
        self.writes.entry(place.local).or_default().whole.get_or_insert(place.span);
    }

    fn elsewhere(&mut self, place: &VarUse, span: Span) {
        self.part(place, None, None, span);
    }

    fn part(&mut self, place: &VarUse, part: Option<Part>, field: Option<usize>, span: Span) {
        let writes = self.writes.entry(place.local).or_default();
        let is_first = writes.own.is_none() && writes.elsewhere.is_none();
        writes.fields = match (field, writes.fields.take()) {
            (Some(field), known) if is_first || known.is_some() => {
                Some(known.into_iter().flatten().chain([field]).collect())
            }
            (_, _) => None,
        };
        match (part, writes.own) {
            (None, _) => {
                writes.elsewhere.get_or_insert(span);
            }
            (Some(part), None) => writes.own = Some((part, span)),
            (Some(part), Some((own, first))) => match own.joined(part) {
                Some(joined) => writes.own = Some((joined, first)),
                None => {
                    writes.mixed.get_or_insert(span);
                }
            },
        }
    }
}

/// Returns whether an expression is this variable.
pub(super) fn is_var(expr: &Expr, local: LocalId) -> bool {
    expr.as_var().is_some_and(|place| place.local == local)
}

/// Returns the part of the iteration that contains a bit.
pub(super) fn bit_part(row: &Expr, column: &Expr, index: LocalId) -> Option<Part> {
    match (is_var(row, index), is_var(column, index)) {
        (true, true) => Some(Part::Diagonal),
        (true, false) => Some(Part::Row),
        (false, true) => Some(Part::Column),
        (false, false) => None,
    }
}

/// Returns whether a field is the element of an array with the index.
pub(super) fn is_element(field: &Field, index: LocalId) -> bool {
    let is_own = |expr: &Expr| match &expr.kind {
        ExprKind::Inside(inner, _) => is_var(inner, index),
        _ => false,
    };
    visit::any_expr(&field.base, &mut |expr| is_own(expr))
}

/// Returns the text of a number of columns; `None` if it is not a sum of products.
pub(super) fn size_key(size: &Expr) -> Option<String> {
    Some(match &size.kind {
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Var(place) => format!("v{}", place.local.0),
        ExprKind::NCols(place) => format!("c{}", place.local.0),
        ExprKind::NRows(place) => format!("r{}", place.local.0),
        ExprKind::Chain(first, links) => {
            let mut text = format!("({}", size_key(first)?);
            for (op, operand) in links {
                text += &format!(" {op:?} {}", size_key(operand)?);
            }
            text + ")"
        }
        _ => return None,
    })
}
