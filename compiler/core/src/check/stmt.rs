//! Statements.

use std::borrow::Borrow;

use star_base::builtins::{Form, Special, Statement};
use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::IntOp;
use star_syntax::ast::{self, AssignKind};

use super::expr::NAMES_ARE_PRINTED;
use super::path::inside;
use super::records::joined;
use super::{Checker, ExpectedName};
use crate::hir::{Expr, ExprKind, Field, LocalId, Stmt, StmtKind, Target, TyKind, VarUse};
use crate::scope::{Callee, NoCallee};
use crate::uses::{Access, Meaning};

impl Checker<'_> {
    pub(super) fn stmts(&mut self, trees: &[ast::Stmt]) -> Vec<Stmt> {
        self.stmts_of(trees)
    }

    /// Checks statements that may be dropped, each as soon as it has been checked.
    pub(super) fn stmts_of(
        &mut self,
        trees: impl IntoIterator<Item = impl Borrow<ast::Stmt>>,
    ) -> Vec<Stmt> {
        let stmts = trees.into_iter().filter_map(|tree| self.stmt(tree.borrow()));
        let mut stmts: Vec<Stmt> = stmts.collect();
        stmts.shrink_to_fit();
        stmts
    }

    /// Returns a statement as a list, without a block around it.
    fn body(&mut self, tree: &ast::Stmt) -> Vec<Stmt> {
        match &tree.kind {
            ast::StmtKind::Block(body) => self.stmts(body),
            ast::StmtKind::Empty
            | ast::StmtKind::Error
            | ast::StmtKind::If { .. }
            | ast::StmtKind::While { .. }
            | ast::StmtKind::Repeat { .. }
            | ast::StmtKind::For { .. }
            | ast::StmtKind::Foreach { .. }
            | ast::StmtKind::Forall(_)
            | ast::StmtKind::Where(_)
            | ast::StmtKind::Assign { .. }
            | ast::StmtKind::AssignPath { .. }
            | ast::StmtKind::Call(_)
            | ast::StmtKind::Goto(_)
            | ast::StmtKind::Labelled { .. } => self.stmt(tree).into_iter().collect(),
        }
    }

    pub(super) fn loop_body(&mut self, tree: &ast::Stmt) -> Vec<Stmt> {
        self.n_loops += 1;
        let body = self.body(tree);
        self.n_loops -= 1;
        body
    }

    fn stmt(&mut self, tree: &ast::Stmt) -> Option<Stmt> {
        let span = tree.span;
        if !self.is_maskable(tree) {
            return None;
        }
        let kind = match &tree.kind {
            ast::StmtKind::Empty | ast::StmtKind::Error => return None,
            ast::StmtKind::Block(body) => StmtKind::Block(self.stmts(body)),
            ast::StmtKind::If { arms, otherwise } => {
                let arms = arms
                    .iter()
                    .map(|(test, then)| {
                        self.lint_empty_body(then);
                        (self.typed(test, TyKind::Bool), self.body(then))
                    })
                    .collect();
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |stmt| {
                    self.lint_empty_body(stmt);
                    self.body(stmt)
                });
                StmtKind::If(arms, otherwise)
            }
            ast::StmtKind::While { test, body } => {
                let test = self.typed(test, TyKind::Bool);
                self.lint_empty_while(&test, body);
                let body = self.loop_body(body);
                self.lint_endless(&test, &body);
                StmtKind::While(test, body)
            }
            ast::StmtKind::Repeat { body, until } => {
                self.n_loops += 1;
                let body = self.stmts(body);
                self.n_loops -= 1;
                let until = self.typed(until, TyKind::Bool);
                self.lint_endless(&until, &body);
                StmtKind::Repeat(body, until)
            }
            ast::StmtKind::For { var, assign, from, to, down, body } => {
                self.lint_assign(*assign);
                let from = self.typed(from, TyKind::Int);
                let to = self.typed(to, TyKind::Int);
                self.lint_empty_body(body);
                let (var, body) =
                    self.counted_loop(var, TyKind::Int, span, |this| this.loop_body(body));
                let (from, to) = (Box::new(from), Box::new(to));
                StmtKind::For { var: var?, from, to, down: *down, body }
            }
            ast::StmtKind::Where(block) => self.where_block(block),
            ast::StmtKind::Foreach { var, over, body } => {
                self.lint_empty_body(body);
                if let Some(of) = self.values_of(over) {
                    let kind = self.foreach_value(var, of, body, span)?;
                    return Some(Stmt { kind, span });
                }
                let over = match self.foreach_numbers(var, over) {
                    true => self.error(over.span),
                    false => self.bits(over),
                };
                let (var, body) =
                    self.counted_loop(var, TyKind::Int, span, |this| this.loop_body(body));
                StmtKind::Foreach { var: var?, over: Box::new(over), body }
            }
            ast::StmtKind::Forall(tree) => self.forall(tree, span)?,
            ast::StmtKind::Assign { target, assign, value } => {
                self.lint_assign(*assign);
                return self.assignment(target, value, span);
            }
            ast::StmtKind::AssignPath { target, assign, value } => {
                self.lint_assign(*assign);
                self.path_assignment(target, value, span)?
            }
            ast::StmtKind::Call(call) => return self.call(call, span),
            ast::StmtKind::Goto(label) => {
                self.goto(label.span, &label.name);
                return None;
            }
            ast::StmtKind::Labelled { label, body } => {
                self.goto(label.span, &label.name);
                return self.stmt(body);
            }
        };
        Some(Stmt { kind, span })
    }

    fn goto(&mut self, span: Span, label: &str) {
        self.report(
            Diagnostic::at(
                Code::GotoUnsupported,
                span,
                format!("the label `{label}` is not supported"),
            )
            .note("there is no `goto` in this implementation of Star")
            .help("a jump back is a loop: `while c do begin … end` or `repeat … until c`")
            .help("a jump out of a loop is `break`, a jump to the end of the routine is `exit`"),
        );
    }

    /// Checks the variable and, with `inside`, the body of a `for`, `foreach` or `forall`.
    pub(super) fn counted_loop<R>(
        &mut self,
        var: &ast::Ident,
        kind: TyKind,
        span: Span,
        inside: impl FnOnce(&mut Self) -> R,
    ) -> (Option<VarUse>, R) {
        self.declare_if_new(var, kind);
        let place = match self.variable(&var.name) {
            Some(local) if self.kind(local) == kind => {
                self.writable(local, var.span).then(|| self.mention(local, var.span))
            }
            Some(local) => {
                let found = self.kind(local);
                self.type_mismatch(var.span, kind, found, None);
                None
            }
            None => {
                self.unknown(var, ExpectedName::LoopVariable);
                None
            }
        };
        let head = Span::new(span.file, span.start, var.span.end);
        if let Some(place) = place {
            self.loop_vars.push((place.local, head));
        }
        let body = inside(self);
        if place.is_some() {
            self.loop_vars.pop();
        }
        (place, body)
    }

    fn lint_assign(&mut self, assign: ast::Assign) {
        if self.world.units[self.unit].library {
            return;
        }
        let message = match assign.kind {
            AssignKind::ColonEquals => return,
            AssignKind::Spaced => "`: =` with a space inside as an assignment",
            AssignKind::Equals => "`=` as an assignment",
        };
        let mut diagnostic = Diagnostic::at(Code::EqualsAssigns, assign.span, message);
        if self.declaring.is_some() && assign.kind == AssignKind::Equals {
            diagnostic = diagnostic.note("in parentheses it is a comparison: `(x = 5)`");
        }
        self.report(diagnostic.fix("write `:=`", assign.span, ":="));
    }

    fn assignment(&mut self, target: &ast::Ref, value: &ast::Expr, span: Span) -> Option<Stmt> {
        if target.args.is_none() && self.is_new(&target.name) {
            return self.first_assignment(&target.name, value, span);
        }
        let checked = self.target(target);
        let want = match &checked {
            Some(Target::Var(place)) => self.kind(place.local),
            Some(Target::Component(..) | Target::Bit(..)) => TyKind::Int,
            Some(Target::Col(..)) => TyKind::Slice,
            Some(Target::Row(..)) => TyKind::Word,
            Some(Target::Part(..) | Target::Field(_) | Target::Numbers(_)) => TyKind::Table,
            Some(Target::Cell(..)) => TyKind::Word,
            None => TyKind::Error,
        };
        if let (TyKind::Handle, Some(Target::Var(place))) = (want, &checked) {
            self.opaque_handle(place.local, target.span);
            return None;
        }
        let n_before = self.diagnostics.len();
        let value = self.expr(value, Some(want));
        let found = value.ty;
        let value = self.of_type(value, want);
        if self.diagnostics.len() > n_before
            && let Some(Target::Var(place)) = &checked
        {
            let declared = self.local(place.local).span;
            let name = self.local(place.local).name.clone();
            let value_span = value.span;
            if let Some(last) = self.diagnostics.last_mut()
                && last.code == Code::TypeMismatch
                && last.span() == Some(value_span)
                && last.labels.len() == 1
            {
                last.labels.push(star_base::Label {
                    span: declared,
                    text: format!("`{name}` is declared as {}", want.with_article()),
                });
                if want.is_bits() && last.message.ends_with("an integer") {
                    last.help.push(format!(
                        "`SET({name})` sets all components to one, `CLR({name})` to zero"
                    ));
                }
                if self.declaring.is_some() {
                    let found = found.name();
                    last.help.push(format!("`var {name}: {found}` declares it anew"));
                }
            }
        }
        let value = match &checked {
            Some(Target::Var(place)) if want == TyKind::Slice && self.mask.is_some() => {
                self.masked(place.local, value, span)
            }
            _ => value,
        };
        if let (Some(Target::Var(place)), Some(from)) = (&checked, value.as_var()) {
            self.records_must_match(place.local, from.local, value.span);
        }
        Some(Stmt { kind: StmtKind::Assign(checked?, value), span })
    }

    fn target(&mut self, target: &ast::Ref) -> Option<Target> {
        let name = &target.name;
        match &target.args {
            None => {
                let local = match self.variable(&name.name) {
                    Some(local) => local,
                    None => match self.result_named(&name.name) {
                        Some(result) => result,
                        None => return self.no_target(target),
                    },
                };
                self.writable(local, name.span).then(|| Target::Var(self.mention(local, name.span)))
            }
            Some(args) => match self.variable(&name.name) {
                Some(local) => {
                    let (place, mut indices) = self.part_indices(local, name, args, target.span)?;
                    if !self.writable(local, name.span) {
                        return None;
                    }
                    let last = indices.pop()?;
                    Some(match indices.pop() {
                        Some(row) => Target::Bit(place, Box::new(row), Box::new(last)),
                        None => Target::Component(place, Box::new(last)),
                    })
                }
                None => match Builtin::find(&name.name).filter(|builtin| is_line(*builtin)) {
                    Some(builtin) => {
                        if let Some(recorder) = &mut self.recorder {
                            let meaning = Meaning::Builtin(builtin);
                            recorder.add(name.span, meaning, Access::Writes);
                        }
                        if !self.count_is_right(builtin, name, args.len()) {
                            return None;
                        }
                        let index = self.typed(&args[0], TyKind::Int);
                        if let ast::ExprKind::Path(path) = &args[1].kind {
                            let field = self.field_of(path)?;
                            if !self.writable(field.table.local, path.name.span) {
                                return None;
                            }
                            return Some(match builtin {
                                Builtin::Col => {
                                    let Field { table, base, width, .. } = *field;
                                    let column = joined(IntOp::Add, base, inside(index, width));
                                    Target::Col(Box::new(column), table)
                                }
                                _ => Target::Cell(Box::new(index), field),
                            });
                        }
                        if let (Builtin::Col, Some(table)) = (builtin, args[1].plain_name()) {
                            self.declare_if_new(&table, TyKind::Table);
                        }
                        let table = self.table(&args[1], name)?;
                        if !self.writable(table.local, table.span) {
                            return None;
                        }
                        Some(if builtin == Builtin::Col {
                            Target::Col(Box::new(index), table)
                        } else {
                            Target::Row(Box::new(index), table)
                        })
                    }
                    None => self.no_target(target),
                },
            },
        }
    }

    /// Returns the result variable, if `name` is the name of this function.
    fn result_named(&self, name: &str) -> Option<LocalId> {
        let own = &self.tree.name.name;
        self.result.filter(|_| **own == *name || own.eq_ignore_ascii_case(name))
    }

    fn no_target(&mut self, target: &ast::Ref) -> Option<Target> {
        let name = &target.name;
        let n_args = target.args.as_ref().map_or(0, |args| args.len());
        let own = self.tree;
        if own.kind == ast::RoutineKind::Function
            && self.result.is_none()
            && own.name.name.eq_ignore_ascii_case(&name.name)
        {
            // The header has no valid result type, which was reported.
            return None;
        }
        let is_routine = match self.callee(name, n_args) {
            Ok(_) | Err(NoCallee::Unsuitable(_)) => true,
            Err(NoCallee::Unknown) => false,
        };
        if self.constant(name).is_some() {
            self.report(Diagnostic::at(
                Code::ReadOnly,
                name.span,
                format!("`{}` is a constant", name.name),
            ));
        } else if is_routine {
            let mut diagnostic = Diagnostic::at(
                Code::NotAssignable,
                target.span,
                format!("cannot assign to `{}`", name.name),
            );
            if let Some(builtin) = Builtin::find(&name.name) {
                diagnostic = diagnostic.note(
                    "a variable, `Y(i)`, `T(i,j)`, `COL(i,T)` and `ROW(i,T)` can be assigned to",
                );
                if builtin == Builtin::Trim {
                    diagnostic = diagnostic.help(format!(
                        "`{}`: {}",
                        Builtin::Rep.usage(),
                        Builtin::Rep.summary()
                    ));
                }
            }
            self.report(diagnostic);
        } else {
            let is_part = target.args.is_some();
            self.unknown(name, if is_part { ExpectedName::Part } else { ExpectedName::Name });
        }
        None
    }

    /// Checks a call as a statement.
    fn call(&mut self, call: &ast::Ref, span: Span) -> Option<Stmt> {
        let name = &call.name;
        let args = call.args.as_deref().unwrap_or(&[]);
        if let Some(local) = self.variable(&name.name) {
            let declared = self.local(local).span;
            self.report(
                Diagnostic::at(
                    Code::NotAVariable,
                    call.span,
                    format!("`{}` is a variable: this statement does nothing", name.name),
                )
                .label(declared, "declared here")
                .help("to store a value, write `:=` after it"),
            );
            return None;
        }
        match self.callee(name, args.len()) {
            Ok(Callee::Routine(id)) => {
                if self.world.signature(id).result.is_some() {
                    let header = self.world.signature(id).tree.header;
                    self.report(
                        Diagnostic::at(
                            Code::ProcedureAsValue,
                            call.span,
                            format!("the value of `{}` is not used", name.name),
                        )
                        .label(header, "a function")
                        .help("assign it to a variable"),
                    );
                    return None;
                }
                let args = self.arguments(id, args, span);
                Some(Stmt { kind: StmtKind::Call(id, args), span })
            }
            Ok(Callee::Builtin(builtin)) => {
                let kind = self.builtin_stmt(builtin, name, args, call.span)?;
                Some(Stmt { kind, span })
            }
            Err(_) if self.reduction(name, args.len()).is_some() => {
                let message = format!("the value of `{}` is not used", name.name);
                let diagnostic = Diagnostic::at(Code::ProcedureAsValue, call.span, message);
                self.report(diagnostic.help("assign it to a variable"));
                None
            }
            Err(NoCallee::Unknown) => {
                self.unknown(name, ExpectedName::Procedure);
                None
            }
            Err(NoCallee::Unsuitable(diagnostic)) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    /// Returns the assignment that `SET`, `CLR` or `FRST` of a field of one column stands for.
    fn change_column(
        &mut self,
        builtin: Builtin,
        path: &ast::Path,
        span: Span,
    ) -> Option<StmtKind> {
        let (table, column) = self.column_of(path)?;
        let node = |kind| Expr { kind, ty: TyKind::Slice, span, effects: false };
        let zeros = node(ExprKind::Theta);
        let value = match builtin {
            Builtin::Clr => zeros,
            Builtin::Set => node(ExprKind::BitsNot(Box::new(zeros))),
            _ => node(ExprKind::Builtin(builtin, vec![self.path(path)])),
        };
        Some(StmtKind::Assign(Target::Col(Box::new(column), table), value))
    }

    fn builtin_stmt(
        &mut self,
        builtin: Builtin,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<StmtKind> {
        if !self.count_is_right(builtin, name, args.len()) {
            return None;
        }
        if let Some(ast::ExprKind::Path(path)) = args.first().map(|arg| &arg.kind)
            && matches!(builtin, Builtin::Set | Builtin::Clr | Builtin::Frst)
        {
            return self.change_column(builtin, path, span);
        }
        let statement = match builtin.form() {
            Form::Statement(statement, ..) => statement,
            // Values that are also statements.
            Form::Value(..) if builtin == Builtin::Frst => {
                return Some(StmtKind::KeepFirst(self.bits_variable(&args[0], name)?));
            }
            Form::Special(Special::Step, _) => {
                return Some(StmtKind::Step(self.bits_variable(&args[0], name)?));
            }
            Form::Value(..) | Form::Special(..) => {
                let help = match builtin {
                    Builtin::Name => NAMES_ARE_PRINTED,
                    _ => "assign it to a variable",
                };
                let message = format!("the value of `{}` is not used", builtin.name());
                let diagnostic = Diagnostic::at(Code::ProcedureAsValue, span, message);
                self.report(diagnostic.help(help));
                return None;
            }
        };
        match statement {
            Statement::Set => Some(StmtKind::Fill(self.bits_variable(&args[0], name)?, true)),
            Statement::Clr => Some(StmtKind::Fill(self.bits_variable(&args[0], name)?, false)),
            Statement::Rep => {
                let (from, to) =
                    (self.typed(&args[0], TyKind::Int), self.typed(&args[1], TyKind::Int));
                let value = self.typed(&args[2], TyKind::Word);
                let word = self.place(&args[3], name, "a word", |kind| kind == TyKind::Word)?;
                self.writable(word.local, word.span).then_some(StmtKind::Replace {
                    from: Box::new(from),
                    to: Box::new(to),
                    value: Box::new(value),
                    word,
                })
            }
            Statement::Print => {
                Some(StmtKind::Print(args.iter().map(|arg| self.expr(arg, None)).collect()))
            }
            Statement::Read => {
                if let Some(name) = args[0].plain_name() {
                    self.declare_if_new(&name, TyKind::Table);
                }
                let place = self.place(&args[0], name, "a table, slice or word", |kind| {
                    kind == TyKind::Table || kind.is_bits()
                })?;
                let file = self.typed(&args[1], TyKind::Str);
                let layout = args.get(2).map(|layout| self.typed(layout, TyKind::Str));
                self.writable(place.local, place.span).then_some(StmtKind::Read(
                    place,
                    Box::new(file),
                    layout.map(Box::new),
                ))
            }
            Statement::Write => {
                let place = self.place(&args[0], name, "a table, slice or word", |kind| {
                    kind == TyKind::Table || kind.is_bits()
                })?;
                Some(StmtKind::Write(place, self.typed(&args[1], TyKind::Str)))
            }
            Statement::Assert => {
                let test = self.typed(&args[0], TyKind::Bool);
                let message = args.get(1).map(|message| self.typed(message, TyKind::Str));
                Some(StmtKind::Assert(test, message.map(Box::new)))
            }
            Statement::Exit => Some(StmtKind::Exit),
            Statement::Break | Statement::Continue => {
                if self.n_loops == 0 {
                    self.report(
                        Diagnostic::at(
                            Code::OutsideLoop,
                            span,
                            format!("`{}` outside a loop", builtin.name()),
                        )
                        .help("`exit` leaves the routine"),
                    );
                    return None;
                }
                Some(if statement == Statement::Break {
                    StmtKind::Break
                } else {
                    StmtKind::Continue
                })
            }
        }
    }
}

/// Returns whether it is `COL` or `ROW`, which can be assigned to.
pub(super) fn is_line(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Col | Builtin::Row)
}
