//! Editing of statements by their numbers.

use std::collections::BTreeMap;

use crate::stmt::{Block, Stmt, StmtKind};
use crate::visit;

/// An edit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Remove it with everything inside it.
    Remove,
    /// Replace its action; its location stays.
    Replace(StmtKind),
    /// Replace it by these statements.
    Splice(Block),
    /// Replace it by its first block: the `then` of an `if`, the head of a `while`.
    First,
    /// Replace it by its second block: the `else` of an `if`.
    Second,
}

/// Edits by the numbers of statements, as [`crate::analysis::n_statements`] numbers them.
pub type Edits = BTreeMap<usize, Edit>;

/// Edits statements. The numbers are those before any edit; inner statements are edited before the
/// enclosing statement.
pub fn edit(block: &mut Block, edits: &Edits) {
    if !edits.is_empty() {
        edit_from(block, edits, &mut 0);
    }
}

/// Calls `f` for every statement with its number, each before the blocks inside it.
pub fn for_each(block: &mut Block, f: &mut impl FnMut(usize, &mut Stmt)) {
    for_each_from(block, &mut 0, f);
}

fn for_each_from(block: &mut Block, next: &mut usize, f: &mut impl FnMut(usize, &mut Stmt)) {
    for stmt in block {
        let at = *next;
        *next += 1;
        f(at, stmt);
        for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
            for_each_from(inner, next, f);
        }
    }
}

fn edit_from(block: &mut Block, edits: &Edits, next: &mut usize) {
    let mut edited = Vec::with_capacity(block.len());
    for mut stmt in block.drain(..) {
        let at = *next;
        *next += 1;
        for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
            edit_from(inner, edits, next);
        }
        match edits.get(&at) {
            None => edited.push(stmt),
            Some(Edit::Remove) => {}
            Some(Edit::Replace(kind)) => edited.push(Stmt { kind: kind.clone(), loc: stmt.loc }),
            Some(Edit::Splice(stmts)) => edited.extend(stmts.iter().cloned()),
            Some(Edit::First) => edited.extend(nth_block(&mut stmt, 0)),
            Some(Edit::Second) => edited.extend(nth_block(&mut stmt, 1)),
        }
    }
    *block = edited;
}

fn nth_block(stmt: &mut Stmt, nth: usize) -> Block {
    let [first, second] = visit::blocks_mut(&mut stmt.kind);
    [first, second].into_iter().nth(nth).flatten().map(std::mem::take).unwrap_or_default()
}
