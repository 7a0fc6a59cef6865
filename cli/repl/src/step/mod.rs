//! `:step`: execution statement by statement, with the changes of each statement in the matrix
//! memory.
//!
//! * [`Stepper`] observes a run on the reference backend; [`frames`] tracks the running source
//!   statement.
//! * [`changes`]: old and new values as text.
//! * [`orders`]: commands at a stop.
//!
//! The program is lowered with [`star_compiler::LowerOptions::by_statement`], so that every
//! statement has a separate cost. Only [`line`] depends on a session; nothing depends on a
//! terminal.

mod changes;
mod frames;
mod line;
mod orders;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::ControlFlow;

use star_base::text;
use star_base::{FileId, SourceMap, did_you_mean};
use star_compiler::{Head, HeadKind, Statements};
use star_ir::Program;
use star_value::Value;
use star_vm::reference::{Moment, Observer, Scene};

use super::show::{self, Grid, Screen};
use frames::{Active, Current};
pub(crate) use line::{Steps, run};
use orders::Order;

/// Maximum output of `:step all` in bytes; the run then continues silently.
const MAX_SHOWN: usize = 1 << 20;
/// Maximum indentation of statements in nested calls.
const MAX_INDENT: usize = 20;
/// Column of the cost after the changes of a statement.
const COST_COLUMN: usize = 48;
/// Maximum length of a statement; longer ones are truncated.
const MAX_STATEMENT: usize = 100;

/// The user interface of a stepped run.
pub(crate) trait Guide {
    /// Shows text, line breaks included; returns `false` if the output is closed.
    fn say(&mut self, text: &str) -> bool;
    /// Reads a command; `None` at the end of the input.
    fn ask(&mut self) -> Option<String>;
}

/// The next stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// At the next statement.
    Next,
    /// The next statement with at most this many active routines.
    Depth(usize),
    /// A line of a file.
    Line(FileId, usize),
    /// No further stop.
    End,
    /// No further stop, but everything is shown.
    EndShown,
}

/// Whether a run stops at every statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    /// Stop at every statement.
    Every,
    /// Show everything without stopping.
    None,
}

/// Observer that shows a run.
pub(crate) struct Stepper<'a> {
    program: Program,
    statements: Statements,
    sources: &'a SourceMap,
    guide: &'a mut dyn Guide,
    screen: Screen,
    until: Until,
    active: Vec<Active>,
    /// Number of active routines at the last output.
    shown_at: usize,
    /// The routine of the last output.
    shown_of: String,
    n_shown: usize,
    ended: Option<Ended>,
}

/// The reason why the observer ended its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The user quit.
    Quit,
    /// The output is closed.
    Unheard,
}

impl<'a> Stepper<'a> {
    /// Creates an observer for a run of `program`, with its `sources` and `statements`.
    pub(crate) fn new(
        program: Program,
        statements: Statements,
        sources: &'a SourceMap,
        guide: &'a mut dyn Guide,
        screen: Screen,
        stops: Stops,
    ) -> Self {
        Stepper {
            program,
            statements,
            sources,
            guide,
            screen,
            until: match stops {
                Stops::Every => Until::Next,
                Stops::None => Until::EndShown,
            },
            active: Vec::new(),
            shown_at: 1,
            shown_of: String::new(),
            n_shown: 0,
            ended: None,
        }
    }

    /// Returns the reason why the observer ended the run, if it did.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    fn head(&self, scene: &Scene<'_>) -> Option<Head> {
        let location = self.program.locations.get(scene.loc())?;
        self.statements.at(location.span)
    }

    fn line(&self, head: Head) -> usize {
        let file = self.sources.get(head.span.file);
        file.map_or(0, |file| file.line_column(head.span.start as usize).line)
    }

    /// Shows a statement that begins; if the run stops at it, reads commands.
    fn begin(&mut self, head: Head, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        let mut current = Current::new(head, scene.operations());
        let stops = match self.until {
            Until::Next => true,
            Until::Depth(most) => depth <= most,
            Until::Line(file, line) => head.span.file == file && self.line(head) == line,
            Until::End | Until::EndShown => false,
        };
        // Do not stop at the entered line, and always show its total effect.
        let typed = depth == 1 && self.shown_of.is_empty() && self.n_shown == 0;
        let mut watched = stops || typed || self.until == Until::EndShown;
        if watched {
            self.show_statement(head, "", scene)?;
        }
        if stops && !typed {
            self.ask(head, scene)?;
            watched = match self.until {
                Until::Next | Until::EndShown => true,
                Until::Depth(most) => depth <= most,
                Until::Line(..) | Until::End => false,
            };
        }
        if !watched {
            current.before = None;
        }
        if let Some(active) = self.active.last_mut() {
            active.current = Some(current);
        }
        ControlFlow::Continue(())
    }

    /// Shows the changes of the statement that ended.
    fn finish(&mut self, scene: &Scene<'_>) -> ControlFlow<()> {
        let Some(active) = self.active.last_mut() else { return ControlFlow::Continue(()) };
        let Some(current) = active.current.take() else { return ControlFlow::Continue(()) };
        let Some(before) = current.before else { return ControlFlow::Continue(()) };
        let cost = scene.operations() - current.operations;
        let mut lines = Vec::new();
        for (name, old) in before {
            let new = active.value(&name, scene).unwrap_or(Value::Unset);
            lines.extend(changes::lines(&name, &old, &new, self.screen));
        }
        if current.interrupted {
            self.show_statement(current.head, " is done", scene)?;
        }
        let indent = indent(scene.depth());
        let cost = match usize::try_from(cost) {
            Ok(0) => String::new(),
            Ok(cost) => text::count(cost, "operation"),
            Err(_) => format!("{cost} operations"),
        };
        let mut lines = lines.into_iter();
        let first = lines.next();
        if first.is_none() && cost.is_empty() {
            return ControlFlow::Continue(());
        }
        let first = first.unwrap_or_default();
        let padded = format!("{indent}      {first:<COST_COLUMN$}  {cost}");
        let mut said = format!("{}\n", padded.trim_end());
        for line in lines {
            said += &format!("{indent}      {line}\n");
        }
        self.say(&said)
    }

    /// Shows the line of a statement, after the name of its routine if the routine changed.
    fn show_statement(&mut self, head: Head, rest: &str, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        let indent = indent(depth);
        let name = scene.routine().name.clone();
        let mut said = String::new();
        if depth > 1 && (self.shown_at, &self.shown_of) != (depth, &name) {
            let file = self.sources.get(head.span.file).map_or("?", |file| file.name());
            said += &format!("{indent}{name} ({}):\n", text::one_line(file));
        }
        // Every routine that waits for this one was interrupted.
        let waiting = self.active.len().saturating_sub(1);
        for active in &mut self.active[..waiting] {
            if let Some(current) = &mut active.current {
                current.interrupted = true;
            }
        }
        (self.shown_at, self.shown_of) = (depth, name);
        let statement = self.statement_text(head);
        said += &format!("{indent}{:>4}  {statement}{rest}\n", self.line(head));
        self.say(&said)
    }

    /// Returns the source of the statement on one line.
    fn statement_text(&self, head: Head) -> String {
        let words = self.sources.slice(head.span).split_whitespace();
        let statement = words.collect::<Vec<_>>().join(" ");
        let statement = text::one_line(&statement);
        let statement = match statement.chars().nth(MAX_STATEMENT) {
            None => statement,
            Some(_) => statement.chars().take(MAX_STATEMENT).chain(['…']).collect(),
        };
        match head.kind {
            HeadKind::Plain => statement,
            HeadKind::If if statement.starts_with("if") => format!("{statement} then"),
            HeadKind::If => format!("else if {statement} then"),
            HeadKind::While | HeadKind::For | HeadKind::Foreach => format!("{statement} do"),
            HeadKind::Repeat => format!("until {statement}"),
        }
    }

    /// Reads commands until one continues the run.
    fn ask(&mut self, head: Head, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        loop {
            let Some(line) = self.guide.ask() else { return self.end(Ended::Quit) };
            self.until = match orders::order(&line) {
                Some(Order::Into) => Until::Next,
                Some(Order::Over) => Until::Depth(depth),
                Some(Order::Out) => Until::Depth(depth - 1),
                Some(Order::ToEnd) => Until::End,
                Some(Order::ToLine(line)) => Until::Line(head.span.file, line),
                Some(Order::Quit) => return self.end(Ended::Quit),
                Some(Order::Help) => {
                    self.say(orders::HELP)?;
                    continue;
                }
                Some(Order::Show(name)) => {
                    let shown = self.variable(&name, scene);
                    self.say(&format!("{shown}\n"))?;
                    continue;
                }
                None => {
                    let line = text::one_line(line.trim());
                    self.say(&format!("unknown command `{line}`; available commands:\n"))?;
                    self.say(orders::HELP)?;
                    continue;
                }
            };
            return ControlFlow::Continue(());
        }
    }

    /// Formats a variable of the routine; a slice is shown next to the first table with as many
    /// rows.
    fn variable(&self, name: &str, scene: &Scene<'_>) -> String {
        let names = || frames::names(scene.routine()).into_iter();
        let Some(active) = self.active.last() else { return "unset".to_owned() };
        let Some(value) = active.value(name, scene) else {
            let routine = &scene.routine().name;
            let mut said = format!("`{routine}` has no variable `{}`", text::one_line(name));
            if let Some(meant) = did_you_mean(name, names()) {
                said += &format!("; did you mean `{meant}`?");
            }
            return said;
        };
        let table_of = |name| match active.value(name, scene) {
            Some(Value::Table(table)) => Some(table),
            Some(
                Value::Unset
                | Value::Int(_)
                | Value::Bool(_)
                | Value::Str(_)
                | Value::Slice(_)
                | Value::Word(_),
            )
            | None => None,
        };
        match &value {
            Value::Slice(bits) => {
                let fits = |name| Some((name, table_of(name)?));
                let mut tables = names().filter_map(fits);
                let related = tables.find(|(_, table)| table.n_rows() == bits.len());
                let related = related.as_ref().map(|(name, table)| (*name, table as &dyn Grid));
                show::value(Some(name), &value, related, self.screen)
            }
            Value::Table(_) => show::value(Some(name), &value, None, self.screen),
            Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Word(_) => {
                format!("{name}: {}", show::value(None, &value, None, self.screen))
            }
        }
    }

    fn say(&mut self, said: &str) -> ControlFlow<()> {
        self.n_shown += said.len();
        if !self.guide.say(said) {
            return self.end(Ended::Unheard);
        }
        if self.until == Until::EndShown && self.n_shown > MAX_SHOWN {
            self.until = Until::End;
            let said = "… output limit reached: the run continues to its end without being shown\n";
            if !self.guide.say(said) {
                return self.end(Ended::Unheard);
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, why: Ended) -> ControlFlow<()> {
        self.ended = Some(why);
        ControlFlow::Break(())
    }
}

impl Observer for Stepper<'_> {
    fn at(&mut self, moment: Moment<'_>, scene: &Scene<'_>) -> ControlFlow<()> {
        if self.active.len() < scene.depth() {
            self.active.resize_with(scene.depth(), Active::default);
        }
        let head = self.head(scene);
        match moment {
            Moment::Statement(stmt) => {
                let active = self.active.last();
                if let Some(head) = head
                    && active.is_some_and(|active| active.begins(head, &stmt.kind))
                {
                    self.finish(scene)?;
                    self.begin(head, scene)?;
                }
                if let Some(active) = self.active.last_mut() {
                    active.note(stmt, scene);
                }
            }
            Moment::Iteration => {
                let active = self.active.last_mut();
                if let Some(head) = head
                    && active.is_some_and(|active| active.begins_iteration(head))
                {
                    self.finish(scene)?;
                    self.begin(head, scene)?;
                    if let Some(active) = self.active.last_mut() {
                        active.iteration(scene);
                    }
                }
            }
            Moment::End => {
                self.finish(scene)?;
                self.active.pop();
            }
        }
        ControlFlow::Continue(())
    }
}

fn indent(depth: usize) -> String {
    " ".repeat((2 * (depth - 1)).min(MAX_INDENT))
}
