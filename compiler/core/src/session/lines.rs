//! Translation of statements, expressions and declarations of variables to routines that can be
//! run.

use star_base::{Code, Diagnostic, Span};
use star_ir::Program;
use star_syntax::{Piece, PieceKind, ast};

use super::{Environment, Session, Variable, lowered_with};
use crate::check::{self, Effect, Values, VarDecl, Wants};
use crate::flow::summary::callees_of;
use crate::hir::{RoutineId, TyKind};
use crate::lower::LowerOptions;
use crate::scope::World;
use crate::statements::Statements;

/// The checked lines of a text, in order.
#[derive(Debug, Default)]
pub struct SessionLines {
    /// The lines, in order.
    pub lines: Vec<SessionLine>,
    /// Errors, in which case there are no lines, and lints.
    pub diagnostics: Vec<Diagnostic>,
}

/// A part of a text that is run or shown.
#[derive(Debug)]
pub struct SessionLine {
    /// The position.
    pub span: Span,
    /// The positions of its statements.
    pub statements: Vec<Span>,
    /// The action.
    pub does: Does,
    /// The variables that it declares by assigning them a value. One that is still unset after the
    /// run is not declared.
    pub declares: Vec<(String, Variable)>,
    /// All statements that it may run, if it was lowered for stepping
    /// ([`LowerOptions::by_statement`]).
    pub steps: Option<Statements>,
}

/// The action of a line.
#[derive(Debug)]
pub enum Does {
    /// Shows a variable.
    Show(String),
    /// Runs a routine, whose parameters are all `var` parameters.
    Run {
        /// The verified program.
        program: Program,
        /// The routine.
        entry: star_ir::RoutineId,
        /// Its arguments, in order: names of variables, then results, whose names begin with `‹`.
        slots: Vec<String>,
        /// The type of the last result, if the line is an expression.
        value: Option<TyKind>,
        /// The variables of a `var` section.
        variables: Vec<Declared>,
    },
}

/// A variable of a `var` section.
#[derive(Debug)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// The variable, without its sizes.
    pub variable: Variable,
    /// The slots that hold its sizes after the run.
    pub sizes: [Option<String>; 2],
}

impl Session {
    /// Checks and lowers statements, expressions and `var` sections; items are not allowed.
    pub fn lines(
        &mut self,
        environment: &Environment,
        pieces: Vec<Piece>,
        options: &LowerOptions,
    ) -> SessionLines {
        let mut found = Vec::new();
        let (checked, errors) = self.check_pieces(environment, pieces, &mut found);
        if errors {
            return SessionLines { lines: Vec::new(), diagnostics: found };
        }
        match self.lower(checked, options, &mut found) {
            Some(lines) => SessionLines { lines, diagnostics: found },
            None => SessionLines { lines: Vec::new(), diagnostics: found },
        }
    }

    /// Returns the type of an expression.
    ///
    /// # Errors
    /// The errors in the expression.
    pub fn type_of(
        &mut self,
        environment: &Environment,
        pieces: Vec<Piece>,
    ) -> Result<Option<TyKind>, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let (checked, errors) = self.check_pieces(environment, pieces, &mut found);
        if errors {
            return Err(found);
        }
        Ok(match checked.as_slice() {
            [Checked { what: What::Show(name), .. }] => {
                environment.get(name).map(|variable| variable.kind)
            }
            [Checked { what: What::Run(line), .. }] => match line.effect {
                Effect::Value(kind) => Some(kind),
                Effect::None | Effect::Declares(_) => None,
            },
            [] | [_, _, ..] => None,
        })
    }

    fn check_pieces(
        &mut self,
        environment: &Environment,
        pieces: Vec<Piece>,
        found: &mut Vec<Diagnostic>,
    ) -> (Vec<Checked>, bool) {
        self.check_steady();
        let home = self.home();
        let mut world = World::of_units(&self.files.units, &mut Vec::new());
        world.library = self.library;
        world.session = Some(environment);
        let mut constants = Values::new(&world);
        constants.evaluate_all(&mut Vec::new());
        let mut earlier = Environment::default();
        let mut done: Vec<Checked> = Vec::new();
        let mut pieces = pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            let mut span = piece.span;
            let mut statements = Vec::new();
            let is_variable = |name: &str, earlier: &Environment| {
                earlier.get(name).is_some() || environment.get(name).is_some()
            };
            let value_of = |piece: &PieceKind, earlier: &Environment| match piece {
                PieceKind::Statements(stmts) => match stmts.as_slice() {
                    [ast::Stmt { kind: ast::StmtKind::Call(call), .. }]
                        if !call.name.name.contains('-') =>
                    {
                        let is_variable = is_variable(&call.name.name, earlier);
                        let is_value = check::is_value(&world, home, call, is_variable);
                        is_value.then(|| call_as_value(call))
                    }
                    _ => None,
                },
                PieceKind::Value(value) => Some(value.clone()),
                PieceKind::Item(_) | PieceKind::Variables(_) => None,
            };
            let value = value_of(&piece.kind, &earlier);
            if let Some(name) = value.as_ref().and_then(ast::Expr::plain_name)
                && is_variable(&name.name, &earlier)
            {
                let what = What::Show(name.name.to_string());
                done.push(Checked { span, statements, what, declares: Vec::new() });
                continue;
            }
            let mut body = Vec::new();
            let mut groups = Vec::new();
            match (&value, piece.kind) {
                (Some(_), _) => {}
                (None, PieceKind::Variables(found)) => groups = found,
                (None, PieceKind::Statements(first)) => {
                    body = first;
                    // Consecutive statements form one routine.
                    while let Some(next) = pieces.peek()
                        && matches!(next.kind, PieceKind::Statements(_))
                        && value_of(&next.kind, &earlier).is_none()
                    {
                        span = span.to(next.span);
                        if let Some(Piece { kind: PieceKind::Statements(stmts), .. }) =
                            pieces.next()
                        {
                            body.extend(stmts);
                        }
                    }
                    statements.extend(body.iter().map(|stmt| stmt.span));
                }
                (None, PieceKind::Value(_) | PieceKind::Item(_)) => continue,
            }
            let tree = routine_of(span, body);
            let wants = match (&value, groups.is_empty()) {
                (Some(value), _) => Wants::Value(value),
                (None, false) => Wants::Variables(&groups),
                (None, true) => Wants::Statements,
            };
            let line = check::line(
                &world,
                &self.files.sources,
                &constants,
                (environment, &earlier),
                home,
                &tree,
                wants,
                found,
            );
            for (name, variable) in &line.declares {
                earlier.declare(name, variable.clone());
            }
            if let Effect::Declares(wanted) = &line.effect {
                for one in wanted {
                    earlier.declare(&one.name, variable_of(one, &line.slots));
                }
            }
            let declares = line.declares.clone();
            done.push(Checked { span, statements, what: What::Run(Box::new(line)), declares });
        }
        let errors = found.iter().any(Diagnostic::is_error);
        if errors {
            // The statement that changes the condition may be one with an error.
            found.retain(|diagnostic| diagnostic.code != Code::LoopNeverSteps);
        }
        (done, errors)
    }

    /// Lowers checked lines; returns `None` if one of them cannot run.
    fn lower(
        &mut self,
        checked: Vec<Checked>,
        options: &LowerOptions,
        found: &mut Vec<Diagnostic>,
    ) -> Option<Vec<SessionLine>> {
        // Their routines follow all others until this is done.
        let n_items = self.hir.routines.len();
        let mut lines = Vec::new();
        for Checked { span, statements, what, declares } in checked {
            let does = match what {
                What::Show(name) => Does::Show(name),
                What::Run(line) => {
                    let check::CheckedLine { routine, slots, declares: _, effect } = *line;
                    let entry = star_ir::RoutineId(self.hir.routines.len() as u32);
                    self.hir.routines.push(routine);
                    run_of(entry, slots, effect)
                }
            };
            lines.push(SessionLine { span, statements, does, declares, steps: None });
        }
        let well = self.lower_routines(n_items, &mut lines, options, found);
        self.hir.routines.truncate(n_items);
        well.then_some(lines)
    }

    /// Lowers the routines of lines, which have the numbers from `n_items` on. Returns whether all
    /// succeeded.
    fn lower_routines(
        &mut self,
        n_items: usize,
        lines: &mut [SessionLine],
        options: &LowerOptions,
        found: &mut Vec<Diagnostic>,
    ) -> bool {
        let ids = (n_items..self.hir.routines.len()).map(|idx| RoutineId(idx as u32));
        let broken = ids.clone().find_map(|id| Some((id, self.reaches_broken(id)?)));
        let roots: Vec<RoutineId> =
            ids.take_while(|id| broken.as_ref().is_none_or(|(broken, _)| id != broken)).collect();
        let cache = lowered_with(&mut self.lowered, options);
        let fault = cache.lower(&self.hir, n_items, &roots).err();
        // Messages about the callees were reported when they were defined.
        let callees = cache.faulty().iter().filter(|id| !roots.contains(id));
        let said = callees.flat_map(|&id| cache.said(id)).filter(|said| said.is_error());
        let n_before = found.len();
        found.extend(said.cloned());
        for &root in &roots {
            found.extend(cache.said(root).iter().cloned());
            if cache.said(root).iter().any(Diagnostic::is_error) {
                return false;
            }
        }
        found.extend(fault.map(|fault| *fault));
        if found[n_before..].iter().any(Diagnostic::is_error) {
            return false;
        }
        let lowered = cache.program().clone();
        if let Some((id, name)) = broken {
            found.extend(self.cannot_call(&name, self.hir.routine(id).header));
            return false;
        }
        for line in lines {
            match &mut line.does {
                Does::Show(_) => {}
                Does::Run { program, .. } => {
                    *program = lowered.clone();
                    line.steps = options.by_statement.then(|| Statements::new(&self.hir));
                }
            }
        }
        true
    }

    /// Returns an invalid routine that `id` calls, directly or not.
    pub(super) fn reaches_broken(&self, id: RoutineId) -> Option<String> {
        if self.broken.is_empty() {
            return None;
        }
        let mut seen = vec![false; self.hir.routines.len()];
        let mut work = vec![id.0 as usize];
        while let Some(idx) = work.pop() {
            if std::mem::replace(&mut seen[idx], true) {
                continue;
            }
            let routine = &self.hir.routines[idx];
            if self.broken.contains_key(&routine.name) && !routine.library {
                return Some(routine.name.clone());
            }
            work.extend(callees_of(routine));
        }
        None
    }

    /// Explains why an invalid routine cannot be called.
    fn cannot_call(&self, name: &str, span: Span) -> Vec<Diagnostic> {
        let mut found = self.broken.get(name).cloned().unwrap_or_default();
        if let Some(first) = found.first_mut() {
            first.labels.push(star_base::Label { span, text: format!("needs `{name}`") });
            first.help.push(format!("redefine `{name}` so that it is valid again"));
        }
        found
    }
}

/// A checked piece.
struct Checked {
    span: Span,
    statements: Vec<Span>,
    what: What,
    declares: Vec<(String, Variable)>,
}

enum What {
    Show(String),
    Run(Box<check::CheckedLine>),
}

/// Returns the action of a line with this routine; its program is still empty.
fn run_of(entry: star_ir::RoutineId, slots: Vec<String>, effect: Effect) -> Does {
    let value = match effect {
        Effect::Value(kind) => Some(kind),
        Effect::None | Effect::Declares(_) => None,
    };
    let variables = match effect {
        Effect::None | Effect::Value(_) => Vec::new(),
        Effect::Declares(wanted) => wanted
            .into_iter()
            .map(|one| Declared {
                variable: variable_of(&one, &slots),
                sizes: one.sizes.map(|size| slots.get(size?).cloned()),
                name: one.name,
            })
            .collect(),
    };
    Does::Run { program: Program::default(), entry, slots, value, variables }
}

fn variable_of(declared: &VarDecl, slots: &[String]) -> Variable {
    let VarDecl { kind, known, span, .. } = *declared;
    // A table mentioned in the sizes is among the slots; the caller knows its type.
    let related = slots.iter().find(|slot| !slot.starts_with('‹')).cloned();
    let related = related.filter(|_| kind.is_bits());
    Variable { kind, sizes: known, span, related, record: declared.record.clone() }
}

fn call_as_value(call: &ast::Ref) -> ast::Expr {
    ast::Expr { kind: call.clone().into_expr(), span: call.span, depth: 1, parenthesised: false }
}

/// Returns the routine for a line.
fn routine_of(span: Span, body: Vec<ast::Stmt>) -> ast::Routine {
    ast::Routine {
        kind: ast::RoutineKind::Procedure,
        name: ast::Ident { name: ast::Name::from("‹line›"), span },
        params: Vec::new(),
        result: None,
        vars: Vec::new(),
        body,
        header: span,
        span,
    }
}
