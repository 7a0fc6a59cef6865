//! The variable `ans`, which holds the value of the last expression.

use star_base::Span;
use star_compiler::hir::TyKind;
use star_compiler::session::{Declared, Variable};

use super::session::Session;
use super::view::RESULT;

/// The variable that the session sets to the value of each expression, unless the user declared it.
pub(super) const ANSWER: &str = "ans";

/// The slot for the next answer; not a valid variable name.
const NEXT: &str = "‹answer›";

/// An answer before the end of its entry, whose lines were checked with the answer before it.
pub(super) struct NextAnswer {
    kind: TyKind,
    span: Span,
    /// The line in the log.
    line_idx: Option<usize>,
}

impl Session {
    /// Makes the result of an expression the next answer.
    pub(super) fn answer(&mut self, kind: TyKind, span: Span) {
        if self.answers(kind) {
            self.state.values.rename(RESULT, NEXT);
            self.next_answer = Some(NextAnswer { kind, span, line_idx: None });
        }
    }

    /// Makes the value of a shown variable the next answer.
    pub(super) fn answer_with_variable(&mut self, name: &str, span: Span) {
        let Some(kind) = self.state.environment.get(name).map(|variable| variable.kind) else {
            return;
        };
        if !self.answers(kind) {
            return;
        }
        // Without memory for a copy, `ans` stays as it is.
        let copied = self.state.values.store(name, &self.flags.interrupt);
        let loaded = copied.and_then(|value| self.state.values.load(NEXT, value, false));
        if loaded.is_ok() {
            self.next_answer = Some(NextAnswer { kind, span, line_idx: None });
        }
    }

    /// Records the line in the log that computed the next answer.
    pub(super) fn note_answering_line(&mut self, line_idx: usize) {
        if let Some(next) = &mut self.next_answer {
            next.line_idx.get_or_insert(line_idx);
        }
    }

    /// Sets `ans` after the lines of an entry.
    pub(super) fn set_answer(&mut self) {
        let Some(NextAnswer { kind, span, line_idx }) = self.next_answer.take() else { return };
        if !self.answers(kind) {
            self.state.values.forget(NEXT);
            return;
        }
        self.keep_copy(ANSWER);
        let sizes = [None; 2];
        let variable = Variable { kind, sizes, span, related: None, record: None };
        if let Some(line_idx) = line_idx {
            let before = self.state.environment.get(ANSWER).cloned();
            self.log.answer(line_idx, ANSWER, before);
        }
        self.state.values.rename(NEXT, ANSWER);
        self.state.environment.declare(ANSWER, variable);
        self.owns_answer = true;
    }

    /// Records that the user declares variables: the session no longer sets one named `ans`.
    pub(super) fn note_own_answer(&mut self, set: &[(String, Variable)], declared: &[Declared]) {
        let names = set.iter().map(|(name, _)| name).chain(declared.iter().map(|one| &one.name));
        if names.into_iter().any(|name| name == ANSWER) {
            self.owns_answer = false;
        }
    }

    /// Tests whether a value of this type becomes the answer. Tables may be large.
    fn answers(&self, kind: TyKind) -> bool {
        let has_value = match kind {
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Slice | TyKind::Word => true,
            TyKind::Table | TyKind::Handle | TyKind::Error => false,
        };
        let is_users = self.state.environment.get(ANSWER).is_some() && !self.owns_answer;
        has_value && !is_users && !self.state.definitions.visible_names().any(|name| name == ANSWER)
    }
}
