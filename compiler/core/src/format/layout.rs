//! Lines and indentation of items and statements.
//!
//! Note [Lines of the author]. Between statements, after `then`, `do` and `else`, and between the
//! groups of a header or a `var` section, the author's line breaks are kept, and a short statement
//! without one stays on its line. Within expressions only the width matters. A broken construct has
//! a line break in the next run, so that formatting is idempotent.

use super::fill::FilledLines;
use super::gaps::{AT_END, AT_START, Blanks, INSIDE, OUTSIDE};
use super::tokens::{Tok, Tokens};
use super::tree::{Body, Branch, Item, ItemKind, Node, NodeKind, Seq, Tree, WhereArm};
use super::writer::Writer;

/// Indentation of one level, in columns.
const STEP: usize = 2;

/// The printer of the tokens of a part of a file.
pub(super) struct Layout<'a, 's> {
    pub(super) tokens: &'a Tokens<'s>,
    pub(super) tree: &'a Tree,
    pub(super) writer: &'a mut Writer<'s>,
    /// Does the preceding item end a routine? `None` if there is none.
    after_routine: Option<bool>,
    /// The columns at which the printed tokens begin.
    pub(super) columns: Vec<usize>,
    constants: Constants,
}

/// Adjacent constants whose signs are aligned.
#[derive(Default)]
struct Constants {
    /// The index after the last one.
    end: usize,
    /// The length of the longest name in columns.
    widest: usize,
}

/// The shape of a statement: on one line or on several.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    OneLine,
    FilledLines,
}

/// Writes a part of a file. The argument and the result say whether the preceding and the last item
/// are routines, if there are any.
pub(super) fn print<'s>(
    tokens: &Tokens<'s>,
    tree: &Tree,
    writer: &mut Writer<'s>,
    after_routine: Option<bool>,
) -> Option<bool> {
    let columns = Vec::with_capacity(tokens.toks.len());
    let constants = Constants::default();
    let mut layout = Layout { tokens, tree, writer, after_routine, columns, constants };
    for idx in 0..tree.items.len() {
        layout.item(idx);
    }
    if let Some(end) = &tokens.end {
        layout.comments_on_lines(end, 0, OUTSIDE);
    }
    tree.items.last().map(is_routine).or(after_routine)
}

fn is_routine(item: &Item) -> bool {
    match item.kind {
        ItemKind::Routine { .. } | ItemKind::Rest(_) => true,
        ItemKind::Stray | ItemKind::Import | ItemKind::Const | ItemKind::Type => false,
    }
}

impl Layout<'_, '_> {
    fn item(&mut self, idx: usize) {
        let Item { first, last, kind } = &self.tree.items[idx];
        if let ItemKind::Rest(body) = kind {
            return self.body(body, *last);
        }
        self.blank_line_before(idx);
        self.line_of(*first, 0, 0, OUTSIDE);
        match kind {
            ItemKind::Rest(_) => {}
            ItemKind::Stray | ItemKind::Import => {
                self.token(*first);
                self.tokens_behind(*last, 2 * STEP);
            }
            ItemKind::Const => {
                self.token(*first);
                self.token_behind(first + 1, 2 * STEP);
                let padding = self.padding(idx);
                self.writer.pad(padding);
                self.token_behind(first + 2, 2 * STEP);
                self.rest(first + 2, *last, *last, 0, FilledLines::Joined);
            }
            ItemKind::Type => {
                self.token(*first);
                self.rest(*first, *last, *last, 0, FilledLines::Kept);
            }
            ItemKind::Routine { header_end, vars, body } => {
                self.token(*first);
                self.rest(*first, *header_end, *header_end, 0, FilledLines::Kept);
                for (var, end) in vars {
                    self.line_of(*var, 0, 0, AT_START);
                    self.token(*var);
                    self.rest(*var, *end, *end, 0, FilledLines::Kept);
                }
                self.body(body, *last);
            }
        }
    }

    /// Prints the statements of a routine and its end, up to token `last`.
    fn body(&mut self, body: &Body, last: usize) {
        match body {
            Body::Whole(block) => {
                self.line_of(block.first, 0, 0, AT_START);
                self.statement(block, last, 0);
                self.tokens_behind(last, 0);
            }
            Body::Part { begin, stmts, end } => {
                if let Some(begin) = *begin {
                    self.line_of(begin, 0, 0, AT_START);
                    self.token(begin);
                }
                let blanks = if begin.is_some() { AT_START } else { INSIDE };
                self.statements(stmts, STEP, false, blanks);
                if let Some(end) = *end {
                    self.line_of(end, 0, STEP, AT_END);
                    self.token(end);
                    self.tokens_behind(last, 0);
                }
            }
        }
    }

    /// Separates a routine from other items by a blank line.
    fn blank_line_before(&mut self, idx: usize) {
        let before = idx.checked_sub(1).map(|before| is_routine(&self.tree.items[before]));
        let Some(after_routine) = before.or(self.after_routine) else { return };
        let item = &self.tree.items[idx];
        let gap = &self.tokens.toks[item.first].gap;
        let breaks = gap.comments.clone().map(|comment| self.tokens.comments[comment].breaks);
        let has_one = breaks.chain([gap.breaks]).any(|breaks| breaks > 1);
        if (after_routine || is_routine(item)) && !has_one {
            self.writer.want_blank();
        }
    }

    /// Returns the spaces after the name of a constant that keep aligned signs aligned.
    fn padding(&mut self, idx: usize) -> usize {
        let items = &self.tree.items;
        let tok = |idx: usize, nth: usize| &self.tokens.toks[items[idx].first + nth];
        let commented = |tok: &Tok<'_>| !tok.gap.comments.is_empty();
        // Columns are meaningless where comments precede the sign.
        let plain = |idx: usize| {
            let first = tok(idx, 0);
            let begins = first.gap.breaks > 0 || !commented(first);
            begins && !commented(tok(idx, 1)) && !commented(tok(idx, 2))
        };
        let joined = |idx: &usize| {
            let gap = &tok(*idx, 0).gap;
            let mut comments = self.tokens.comments[gap.comments.clone()].iter();
            gap.breaks == 1
                && comments.all(|comment| comment.breaks == 0)
                && matches!(items[*idx].kind, ItemKind::Const)
                && plain(*idx)
                && plain(idx - 1)
                && [0, 2].iter().all(|&nth| tok(*idx, nth).column == tok(idx - 1, nth).column)
        };
        let width = |idx: usize| tok(idx, 1).text.chars().count();
        if idx >= self.constants.end {
            let more = (idx + 1..items.len()).take_while(joined).count();
            let end = idx + 1 + more;
            let widest = (idx..end).map(width).max().unwrap_or(0);
            self.constants = Constants { end, widest };
        }
        self.constants.widest - width(idx)
    }

    /// Prints the statements of a block or loop, after the given blank lines. `apart` puts them on
    /// separate lines, for a block that was written on one line and no longer fits there.
    fn statements(&mut self, seq: &Seq, indent: usize, apart: bool, blanks: Blanks) {
        let mut before: Option<(usize, Shape)> = None;
        for (nth, stmt) in seq.stmts.iter().enumerate() {
            let semicolon = seq.semicolons.get(nth).copied();
            if let Some(node) = stmt {
                let tail = semicolon.unwrap_or(node.last);
                let simple = matches!(node.kind, NodeKind::Simple);
                let stays = before.is_some_and(|(first, shape)| {
                    !apart
                        && shape == Shape::OneLine
                        && simple
                        && self.tokens.on_one_line(first, tail)
                });
                let shape =
                    if stays && self.fits(node.first, tail, self.tokens.gap_width(node.first)) {
                        self.tokens_behind(node.last, indent);
                        Shape::OneLine
                    } else {
                        let blanks = if nth == 0 { blanks } else { INSIDE };
                        self.line_of(node.first, indent, indent, blanks);
                        self.statement(node, tail, indent)
                    };
                let shape = if simple { shape } else { Shape::FilledLines };
                before = Some((node.first, shape));
            }
            if let Some(semicolon) = semicolon {
                self.token_behind(semicolon, indent);
            }
        }
    }

    /// Prints a statement from its first token. `tail` is the last token that must be on its last
    /// line.
    fn statement(&mut self, node: &Node, tail: usize, indent: usize) -> Shape {
        let Node { first, last, kind, short } = node;
        let one_line = *short && self.tokens.on_one_line(*first, *last);
        if one_line && self.fits(*first, tail, 0) {
            self.token(*first);
            self.tokens_behind(*last, indent);
            return Shape::OneLine;
        }
        self.lines_of(node, kind, tail, indent);
        Shape::FilledLines
    }

    /// Prints a statement on several lines.
    fn lines_of(&mut self, node: &Node, kind: &NodeKind, tail: usize, indent: usize) {
        let Node { first, last, .. } = *node;
        match kind {
            NodeKind::Simple => self.expression(first, last, tail, indent),
            NodeKind::Block(body) => {
                self.token(first);
                let apart = self.tokens.on_one_line(first, last);
                self.statements(body, indent + STEP, apart, AT_START);
                self.line_of(last, indent, indent + STEP, AT_END);
                self.token(last);
            }
            NodeKind::Repeat { body, until } => {
                self.token(first);
                let apart = self.tokens.on_one_line(first, last);
                self.statements(body, indent + STEP, apart, AT_START);
                self.line_of(*until, indent, indent + STEP, AT_END);
                self.expression(*until, last, tail, indent);
            }
            NodeKind::Loop { head_end, body } => {
                self.expression(first, *head_end, *head_end, indent);
                self.branch(body, tail, indent);
            }
            NodeKind::If { arms, otherwise } => {
                for (nth, arm) in arms.iter().enumerate() {
                    if nth > 0 {
                        self.line_of(arm.start - 1, indent, indent, AT_END);
                        self.token(arm.start - 1);
                    }
                    match nth {
                        0 => self.token(arm.start),
                        _ => self.token_behind(arm.start, indent),
                    }
                    self.rest(arm.start, arm.then, arm.then, indent, FilledLines::Joined);
                    let is_last = nth + 1 == arms.len() && otherwise.is_none();
                    let end = arm.body.as_ref().map_or(arm.then, |body| body.last);
                    self.branch(&arm.body, if is_last { tail } else { end }, indent);
                }
                if let Some((else_, body)) = otherwise {
                    self.line_of(*else_, indent, indent, AT_END);
                    self.token(*else_);
                    self.branch(body, tail, indent);
                }
            }
            NodeKind::Where(arms) => {
                for (nth, arm) in arms.iter().enumerate() {
                    if nth > 0 {
                        self.line_of(arm.start, indent, indent + STEP, AT_END);
                    }
                    self.token(arm.start);
                    if arm.head_end > arm.start {
                        self.rest(
                            arm.start,
                            arm.head_end,
                            arm.head_end,
                            indent,
                            FilledLines::Joined,
                        );
                    }
                    self.masked(arm, indent);
                }
                self.line_of(last, indent, indent + STEP, AT_END);
                self.token(last);
            }
            NodeKind::Labelled { colon, body } => {
                self.token(first);
                self.tokens_behind(*colon, indent);
                self.branch(body, tail, indent);
            }
        }
    }

    /// Prints the statements of a part of a `where`: after `do` if they are there and short.
    fn masked(&mut self, arm: &WhereArm, indent: usize) {
        let WhereArm { head_end, body, last, .. } = arm;
        if last == head_end {
            return;
        }
        let first = head_end + 1;
        let stays = !self.tokens.begins_line(first) && self.tokens.on_one_line(first, *last);
        if stays && body.is_short() && self.fits(first, *last, self.tokens.gap_width(first)) {
            self.tokens_behind(*last, indent + STEP);
        } else {
            self.statements(body, indent + STEP, stays, AT_START);
        }
    }

    /// Prints an expression with its keyword, or a simple statement, at the beginning of a line.
    /// `tail` is the last token that must be on its last line.
    fn expression(&mut self, first: usize, last: usize, tail: usize, indent: usize) {
        self.token(first);
        self.rest(first, last, tail, indent, FilledLines::Joined);
    }

    /// Prints the branch after `then`, `do` or `else`.
    fn branch(&mut self, branch: &Branch, tail: usize, indent: usize) {
        let Some(node) = branch else { return };
        let Node { first, last, kind, short } = &**node;
        let stays = !self.tokens.begins_line(*first);
        let one_line = stays && *short && self.tokens.on_one_line(*first, *last);
        if one_line && self.fits(*first, tail, self.tokens.gap_width(*first)) {
            self.tokens_behind(*last, indent + STEP);
        } else if let NodeKind::Block(_) = kind {
            self.line_of(*first, indent, indent, AT_START);
            if stays {
                self.lines_of(node, kind, tail, indent);
            } else {
                self.statement(node, tail, indent);
            }
        } else {
            self.line_of(*first, indent + STEP, indent + STEP, AT_START);
            self.statement(node, tail, indent + STEP);
        }
    }
}
