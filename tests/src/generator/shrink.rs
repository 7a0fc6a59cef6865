//! Reduction of texts to smaller ones with the same behaviour: parts are removed one after another,
//! while the behaviour is preserved.

use super::source::{Expr, ExprType, Part, Source, Stmt};

/// Returns a text that no single step can shrink and for which `keeps` holds, as it does for
/// `source`. At most `most` texts are tried.
pub fn shrink(source: &Source, most: usize, mut keeps: impl FnMut(&Source) -> bool) -> Source {
    let mut smallest = source.clone();
    let mut left = most;
    loop {
        let mut changed = false;
        let mut place = 0;
        while let Some(smaller) = with_edit(&smallest, place) {
            if left == 0 {
                return smallest;
            }
            left -= 1;
            if keeps(&smaller) {
                smallest = smaller;
                changed = true;
            } else {
                place += 1;
            }
        }
        if !changed {
            return smallest;
        }
    }
}

/// Returns the text with edit number `place`; `None` if there are fewer edits.
fn with_edit(source: &Source, place: usize) -> Option<Source> {
    let mut smaller = source.clone();
    let mut editor = Editor { left: place };
    editor.source(&mut smaller).then_some(smaller)
}

/// Walks a text and makes one edit.
struct Editor {
    /// Number of edits to skip first.
    left: usize,
}

impl Editor {
    /// Returns whether this is the edit to make.
    fn here(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => true,
        }
    }

    fn source(&mut self, source: &mut Source) -> bool {
        let Source { consts, routines } = source;
        for idx in 0..routines.len().saturating_sub(1) {
            if self.here() {
                routines.remove(idx);
                return true;
            }
        }
        // From the end, so that uses are removed before what they use.
        for routine in routines.iter_mut().rev() {
            if self.body(&mut routine.body) {
                return true;
            }
        }
        for routine in routines.iter_mut() {
            if self.item(&mut routine.vars) {
                return true;
            }
        }
        self.item(consts)
    }

    fn item(&mut self, items: &mut Vec<String>) -> bool {
        for idx in 0..items.len() {
            if self.here() {
                items.remove(idx);
                return true;
            }
        }
        false
    }

    fn body(&mut self, body: &mut Vec<Stmt>) -> bool {
        if body.len() > 3 {
            let half = body.len() / 2;
            if self.here() {
                body.truncate(half);
                return true;
            }
            if self.here() {
                body.drain(..half);
                return true;
            }
        }
        for idx in (0..body.len()).rev() {
            if self.here() {
                body.remove(idx);
                return true;
            }
            let inner = body[idx].parts.iter().find_map(|part| match part {
                Part::Body(inner) | Part::Bare(inner) => Some(inner.clone()),
                Part::Text(_) | Part::Expr(_) => None,
            });
            if let Some(inner) = inner
                && self.here()
            {
                body.splice(idx..=idx, inner);
                return true;
            }
            if self.parts(&mut body[idx].parts) {
                return true;
            }
        }
        false
    }

    fn parts(&mut self, parts: &mut [Part]) -> bool {
        parts.iter_mut().any(|part| match part {
            Part::Text(_) => false,
            Part::Expr(expr) => self.expr(expr),
            Part::Body(body) | Part::Bare(body) => self.body(body),
        })
    }

    fn expr(&mut self, expr: &mut Expr) -> bool {
        let simplest = match expr.kind {
            ExprType::Int => "1",
            ExprType::Bool => "true",
            ExprType::Str | ExprType::Slice | ExprType::Word | ExprType::Table => "",
        };
        if !simplest.is_empty() && expr.parts.len() > 1 && self.here() {
            *expr = Expr::leaf(expr.kind, simplest);
            return true;
        }
        for idx in 0..expr.parts.len() {
            let Part::Expr(inner) = &expr.parts[idx] else { continue };
            if inner.kind == expr.kind && self.here() {
                *expr = inner.clone();
                return true;
            }
        }
        self.parts(&mut expr.parts)
    }
}
