//! Expressions, headers and `var` sections: on one line if they fit, else broken where the least depends
//! on it, the lines that follow aligned with what they go on with.

use std::collections::BTreeMap;

use super::gaps::INSIDE;
use super::layout::Layout;
use super::tree::Break;
use super::writer::WIDTH;

/// Columns by which a line goes in that cannot be aligned.
const HANGING: usize = 4;

/// What to do with line breaks of the author.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// They do not matter.
    Joined,
    /// Those between groups stay.
    Kept,
}

/// How wide things are that cannot be broken, or only later.
struct Widths {
    /// From a place where a line may be broken to the next one that is not nested deeper.
    parts: BTreeMap<usize, usize>,
    /// The greatest of them of what is broken, by its first token and level.
    greatest: BTreeMap<(usize, usize), usize>,
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
        lines: Lines,
    ) {
        let fits = self.columns[first] + self.tokens.width(first, tail) <= WIDTH;
        if fits && lines == Lines::Joined && !self.tokens.has_line_comment(first, last) {
            return self.tokens_behind(last, indent + HANGING);
        }
        let widths = self.widths(first, tail);
        for idx in first + 1..=last {
            let Some(place) = self.tree.breaks[idx] else {
                self.token_behind(idx, indent + HANGING);
                continue;
            };
            let aligned = self.aligned(place, indent, &widths);
            let part = widths.parts.get(&idx).copied().unwrap_or(0);
            let kept = lines == Lines::Kept && place.level == 0 && self.tokens.begins_line(idx);
            let end = self.writer.column() + self.tokens.gap_width(idx) + part;
            if kept || end > WIDTH && self.writer.column() > aligned {
                self.line_of(idx, aligned, aligned, INSIDE);
                self.token(idx);
            } else {
                self.token_behind(idx, aligned);
            }
        }
    }

    /// Where a line begins that is broken here.
    fn aligned(&self, place: Break, indent: usize, widths: &Widths) -> usize {
        let column = self.columns[place.first];
        let greatest = widths.greatest.get(&(place.first, place.level)).copied().unwrap_or(0);
        if column + greatest > WIDTH { indent + HANGING } else { column }
    }

    fn widths(&self, first: usize, tail: usize) -> Widths {
        let (mut parts, mut greatest) = (BTreeMap::new(), BTreeMap::new());
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
            let most = greatest.entry((first, level)).or_insert(0);
            *most = width.max(*most);
            open.push((level, idx));
        }
        Widths { parts, greatest }
    }
}
