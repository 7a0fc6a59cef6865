//! Expressions, headers and `var` sections: on one line if they fit, else broken where the least depends
//! on it, the lines that follow aligned with what they go on with.
//!
//! Note [Order of nesting]. Where an expression is broken, a line stands deeper than every break of what
//! encloses it, so that the indentation says what belongs together. It is aligned with what it goes on
//! with if that is deeper and has room for it, and goes in from the break that encloses it otherwise.

use std::collections::BTreeMap;

use super::gaps::INSIDE;
use super::layout::Layout;
use super::tree::{Break, Broken, Span};
use super::writer::WIDTH;

/// Columns by which a line goes in that cannot be aligned.
const HANGING: usize = 4;

/// What to do with line breaks of the author.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FilledLines {
    /// They do not matter.
    Joined,
    /// Those between groups stay.
    Kept,
}

/// How wide things are that cannot be broken, or only later.
struct Widths {
    /// From a place where a line may be broken to the next one that is not nested deeper.
    parts: BTreeMap<usize, usize>,
    /// What is broken.
    levels: BTreeMap<Broken, Level>,
}

/// How something is broken.
#[derive(Default)]
struct Level {
    /// The greatest width of its parts.
    greatest: usize,
    head: Option<Head>,
    enclosing: Option<Broken>,
    /// Where its lines begin, once that is known.
    column: Option<usize>,
}

/// What stands in front of the first place, where that can be broken, too.
struct Head {
    /// On one line.
    whole: usize,
    /// Broken, everything going in.
    broken: usize,
}

impl Layout<'_, '_> {
    /// The tokens behind `first`, which was printed, up to `last`. `tail` is the last token that has to
    /// stand on the last line; `indent` is that of the statement.
    pub(super) fn rest(
        &mut self,
        first: usize,
        last: usize,
        tail: usize,
        indent: usize,
        lines: FilledLines,
    ) {
        let fits = self.columns[first] + self.tokens.width(first, tail) <= WIDTH;
        if fits && lines == FilledLines::Joined && !self.tokens.has_line_comment(first, last) {
            return self.tokens_behind(last, indent + HANGING);
        }
        let mut widths = self.widths(first, tail, lines);
        for idx in first + 1..=last {
            let Some(place) = self.tree.breaks[idx] else {
                self.token_behind(idx, indent + HANGING);
                continue;
            };
            let aligned = self.aligned((place.first, place.level), indent, &mut widths);
            let part = widths.parts.get(&idx).copied().unwrap_or(0);
            let kept =
                lines == FilledLines::Kept && place.level == 0 && self.tokens.begins_line(idx);
            let end = self.writer.column() + self.tokens.gap_width(idx) + part;
            if kept || end > WIDTH && self.writer.column() > aligned {
                self.line_of(idx, aligned, aligned, INSIDE);
                self.token(idx);
            } else {
                self.token_behind(idx, aligned);
            }
        }
    }

    /// Where the lines of something begin that is broken. See Note [Order of nesting].
    fn aligned(&self, broken: Broken, indent: usize, widths: &mut Widths) -> usize {
        let Some(level) = widths.levels.get(&broken) else { return indent + HANGING };
        if let Some(column) = level.column {
            return column;
        }
        let (column, greatest) = (self.columns[broken.0], level.greatest);
        let head_fits = level.head.as_ref().is_none_or(|head| {
            column + head.whole <= WIDTH || column + HANGING + head.broken <= WIDTH
        });
        let fits = column + greatest <= WIDTH && head_fits;
        let chosen = match level.enclosing {
            None if fits => column,
            None => indent + HANGING,
            Some(enclosing) => {
                let enclosing = self.aligned(enclosing, indent, widths);
                let hanging = enclosing + HANGING;
                if column > enclosing && (fits || column <= hanging) { column } else { hanging }
            }
        };
        if let Some(level) = widths.levels.get_mut(&broken) {
            level.column = Some(chosen);
        }
        chosen
    }

    fn widths(&self, first: usize, tail: usize, lines: FilledLines) -> Widths {
        let mut parts = BTreeMap::new();
        let mut levels: BTreeMap<Broken, Level> = BTreeMap::new();
        // Places to the right, the nearest last, none nested deeper than those before it.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for idx in (first + 1..=tail).rev() {
            let Some(Break { first, level }) = self.tree.breaks[idx] else { continue };
            while open.last().is_some_and(|&(deeper, _)| deeper > level) {
                open.pop();
            }
            let end = open.last().map_or(tail, |&(_, next)| next - 1);
            let width = self.tokens.width(idx, end);
            parts.insert(idx, width);
            let most = &mut levels.entry((first, level)).or_default().greatest;
            *most = width.max(*most);
            open.push((level, idx));
        }
        match lines {
            FilledLines::Joined => self.nest(&mut levels, first, tail),
            FilledLines::Kept => {}
        }
        Widths { parts, levels }
    }

    /// Finds out what encloses what.
    fn nest(&self, levels: &mut BTreeMap<Broken, Level>, first: usize, tail: usize) {
        // What is read last, the outermost first.
        let mut open: Vec<(Broken, Span)> = Vec::new();
        let mut nested = Vec::new();
        for (&broken, &span) in self.tree.spans.range((first, 0)..=(tail, usize::MAX)) {
            while open.last().is_some_and(|(_, outer)| outer.last < broken.0) {
                open.pop();
            }
            if let Some(&(enclosing, outer)) = open.last() {
                nested.push((broken, enclosing, outer.place));
            }
            open.push((broken, span));
        }
        for &(broken, enclosing, place) in nested.iter().rev() {
            let Some(level) = levels.get_mut(&broken) else { continue };
            level.enclosing = Some(enclosing);
            let deeper = level.head.as_ref().map_or(0, |head| HANGING + head.broken);
            let needs = level.greatest.max(deeper);
            if let Some(outer) = levels.get_mut(&enclosing).filter(|_| broken.0 < place) {
                let whole = self.tokens.width(enclosing.0, place - 1);
                let head = outer.head.get_or_insert(Head { whole, broken: 0 });
                head.broken = needs.max(head.broken);
            }
        }
    }
}
