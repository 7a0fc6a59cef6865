//! HIR as text, for people who work on the compiler.

use std::fmt::Write;

use crate::hir::{Program, Routine};

/// One routine: its variables with their types, then its statements as a tree.
pub(crate) fn routine(_program: &Program, routine: &Routine) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{:?} `{}`", routine.kind, routine.name);
    for (idx, local) in routine.locals.iter().enumerate() {
        let _ = writeln!(
            text,
            "  local {idx} `{}`: {:?} {}",
            local.name,
            local.role,
            local.ty.kind().name()
        );
    }
    for stmt in &routine.body {
        let _ = writeln!(text, "{:#?}", stmt.kind);
    }
    text
}
