//! What several unit tests need.

use star_base::{FileId, Span};
use star_compiler::hir::{Kind, RoutineId};
use star_compiler::{Entry, EntryParam};
use star_syntax::ast::RoutineKind;

/// A procedure.
pub(crate) fn entry(name: &str, params: Vec<EntryParam>) -> Entry {
    Entry {
        id: RoutineId(0),
        name: name.to_owned(),
        kind: RoutineKind::Procedure,
        span: Span::file_start(FileId(0)),
        params,
    }
}

/// A value parameter.
pub(crate) fn value(name: &str, kind: Kind) -> EntryParam {
    EntryParam { name: name.to_owned(), by_ref: false, takes_value: true, kind }
}

/// A `var` parameter.
pub(crate) fn var(name: &str, kind: Kind) -> EntryParam {
    EntryParam { by_ref: true, ..value(name, kind) }
}
