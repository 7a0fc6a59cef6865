//! Expressions, headers and `var` sections: on one line if they fit, otherwise broken at the
//! outermost level, with the following lines aligned with the construct they continue.
//!
//! Note [Order of nesting]. In a broken expression, a line is indented more than every break of the
//! enclosing expressions, so that the indentation shows the nesting. It is aligned with the
//! construct it continues if that column is deeper and leaves room, and otherwise indented from the
//! enclosing break.

use std::collections::BTreeMap;

use super::gaps::INSIDE;
use super::layout::Layout;
use super::tree::{Break, Broken, Span};
use super::writer::WIDTH;

/// Indentation in columns of a line that cannot be aligned.
const HANGING: usize = 4;

/// Treatment of the author's line breaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FilledLines {
    /// They are ignored.
    Joined,
    /// Those between groups are kept.
    Kept,
}

/// The widths of parts that cannot be broken, or are broken only later.
struct Widths {
    /// From a possible break to the next one that is not nested deeper.
    parts: BTreeMap<usize, usize>,
    /// The broken constructs.
    levels: BTreeMap<Broken, Level>,
}

/// The layout of a broken construct.
#[derive(Default)]
struct Level {
    /// The greatest width of its parts.
    greatest: usize,
    head: Option<Head>,
    enclosing: Option<Broken>,
    /// The column at which its lines begin, once known.
    column: Option<usize>,
}

/// The part before the first possible break, where that can be broken, too.
struct Head {
    /// Its width on one line.
    whole: usize,
    /// Its width if broken and fully indented.
    broken: usize,
}

impl Layout<'_, '_> {
    /// Prints the tokens after `first`, which has been printed, up to `last`. `tail` is the last
    /// token that must be on the last line; `indent` is that of the statement.
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

    /// Returns the column at which the lines of a broken construct begin. See Note [Order of
    /// nesting].
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
        // Possible breaks to the right, the nearest last, none nested deeper than those before it.
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

    /// Determines the nesting of the constructs.
    fn nest(&self, levels: &mut BTreeMap<Broken, Level>, first: usize, tail: usize) {
        // The constructs being read, the outermost first.
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
