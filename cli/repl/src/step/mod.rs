//! `:step`: a run statement by statement, with what each changed in the matrix memory.
//!
//! * [`Stepper`] is the observer of a run on the reference backend; [`frames`] tells it which statement of the
//!   source is running. * [`changes`]: old and new values as text. * [`orders`]: what is typed at a stop.
//!
//! The program is lowered with [`star_compiler::LowerOptions::by_statement`], so that every statement has its
//! own cost. Nothing here but [`line`] knows of a session, and nothing of a terminal.

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
use star_vm::HostValue;
use star_vm::reference::{Moment, Observer, Scene};

use super::show::{self, Grid, Screen};
use frames::{Active, Current};
pub(crate) use line::{Steps, run};
use orders::Order;

/// Text that `:step all` shows before it goes on silently, in bytes.
const MAX_SHOWN: usize = 1 << 20;
/// Statements of deeper calls stand no farther to the right.
const MAX_INDENT: usize = 20;
/// Where the cost of a statement stands behind what it changed.
const COST_COLUMN: usize = 48;
/// Longer statements are cut.
const MAX_STATEMENT: usize = 100;

/// Who is shown the run, and says how it goes on.
pub(crate) trait Guide {
    /// Shows text, line breaks included; `false` if nobody looks any more.
    fn say(&mut self, text: &str) -> bool;
    /// A line of orders; `None` if there will be none any more.
    fn ask(&mut self) -> Option<String>;
}

/// Where to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// At the next statement.
    Next,
    /// At the next statement of this many active routines or fewer.
    Depth(usize),
    /// At a line of a file.
    Line(FileId, usize),
    /// Nowhere.
    End,
    /// Nowhere, but everything is shown.
    EndShown,
}

/// Whether a run stops at every statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    /// It asks at every statement.
    Every,
    /// It shows everything and asks nothing.
    None,
}

/// Shows a run.
pub(crate) struct Stepper<'a> {
    program: Program,
    statements: Statements,
    sources: &'a SourceMap,
    guide: &'a mut dyn Guide,
    screen: Screen,
    until: Until,
    active: Vec<Active>,
    /// Active routines where something was shown last.
    shown_at: usize,
    /// The routine of which something was shown last.
    shown_of: String,
    n_shown: usize,
    ended: Option<Ended>,
}

/// Why a stepper ended its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The user wanted it.
    Quit,
    /// Nobody listens any more.
    Unheard,
}

impl<'a> Stepper<'a> {
    /// For a run of `program`, whose places are in `sources` and whose statements are `statements`.
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

    /// Why it ended the run, if it did.
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

    /// A statement begins: it is shown, and if the run stops at it, the user is asked.
    fn begin(&mut self, head: Head, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        let mut current = Current::new(head, scene.operations());
        let stops = match self.until {
            Until::Next => true,
            Until::Depth(most) => depth <= most,
            Until::Line(file, line) => head.span.file == file && self.line(head) == line,
            Until::End | Until::EndShown => false,
        };
        // What was typed is not asked about, and what it did in all is shown in any case.
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

    /// The statement that was running is done: what it changed is shown.
    fn finish(&mut self, scene: &Scene<'_>) -> ControlFlow<()> {
        let Some(active) = self.active.last_mut() else { return ControlFlow::Continue(()) };
        let Some(current) = active.current.take() else { return ControlFlow::Continue(()) };
        let Some(before) = current.before else { return ControlFlow::Continue(()) };
        let cost = scene.operations() - current.operations;
        let mut lines = Vec::new();
        for (name, old) in before {
            let new = active.value(&name, scene).unwrap_or(HostValue::Unset);
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

    /// The line of a statement, behind the name of its routine if that is another one than before.
    fn show_statement(&mut self, head: Head, rest: &str, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        let indent = indent(depth);
        let name = scene.routine().name.clone();
        let mut said = String::new();
        if depth > 1 && (self.shown_at, &self.shown_of) != (depth, &name) {
            let file = self.sources.get(head.span.file).map_or("?", |file| file.name());
            said += &format!("{indent}{name} ({}):\n", text::one_line(file));
        }
        // Every routine that waits for this one has been interrupted.
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

    /// The statement as it stands in the source, on one line.
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

    /// Asks until the answer says how the run goes on.
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
                    self.say(&format!("`{line}` is no order here; what can be typed:\n"))?;
                    self.say(orders::HELP)?;
                    continue;
                }
            };
            return ControlFlow::Continue(());
        }
    }

    /// A variable of the routine; a slice stands beside the first table that has as many rows.
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
            Some(HostValue::Table(table)) => Some(table),
            Some(
                HostValue::Unset
                | HostValue::Int(_)
                | HostValue::Bool(_)
                | HostValue::Str(_)
                | HostValue::Slice(_)
                | HostValue::Word(_),
            )
            | None => None,
        };
        match &value {
            HostValue::Slice(bits) => {
                let fits = |name| Some((name, table_of(name)?));
                let mut tables = names().filter_map(fits);
                let beside = tables.find(|(_, table)| table.n_rows() == bits.len());
                let beside = beside.as_ref().map(|(name, table)| (*name, table as &dyn Grid));
                show::value(Some(name), &value, beside, self.screen)
            }
            HostValue::Table(_) => show::value(Some(name), &value, None, self.screen),
            HostValue::Unset
            | HostValue::Int(_)
            | HostValue::Bool(_)
            | HostValue::Str(_)
            | HostValue::Word(_) => {
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
            let said = "… this is enough to look at: the run goes on to its end and is not shown\n";
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
            Moment::Turn => {
                let active = self.active.last_mut();
                if let Some(head) = head
                    && active.is_some_and(|active| active.begins_turn(head))
                {
                    self.finish(scene)?;
                    self.begin(head, scene)?;
                    if let Some(active) = self.active.last_mut() {
                        active.turn(scene);
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
