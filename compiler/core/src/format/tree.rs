//! The structure of a file's tokens that the layout needs: items, statements, and possible breaks
//! in expressions.

use std::collections::BTreeMap;

/// A possible line break before a token.
#[derive(Clone, Copy)]
pub(super) struct Break {
    /// The first token of the broken construct; the following lines are aligned with it.
    pub(super) first: usize,
    /// Its nesting depth; lower levels are broken first.
    pub(super) level: usize,
}

/// A construct that can be broken: its first token and its level.
pub(super) type Broken = (usize, usize);

/// The first possible break of a construct, and its last token.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) place: usize,
    pub(super) last: usize,
}

/// A part of a file.
pub(super) struct Tree {
    pub(super) items: Vec<Item>,
    /// For every token, the possible break before it.
    pub(super) breaks: Vec<Option<Break>>,
    /// The constructs within expressions that can be broken; enclosing ones precede their contents.
    pub(super) spans: BTreeMap<Broken, Span>,
}

/// An item of a file: tokens `first` to `last`.
pub(super) struct Item {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) kind: ItemKind,
}

/// The kind of an item.
pub(super) enum ItemKind {
    /// Semicolons before everything else.
    Stray,
    Import,
    Const,
    Type,
    Routine {
        /// The semicolon after the header.
        header_end: usize,
        /// The sections, each from `var` to its last semicolon.
        vars: Vec<(usize, usize)>,
        body: Body,
    },
    /// The rest, in this part, of a routine that began in the preceding part.
    Rest(Body),
}

/// The statements of a routine.
pub(super) enum Body {
    /// All of them, as a block.
    Whole(Node),
    /// Those in this part, with `begin` and `end` if they are in it.
    Part { begin: Option<usize>, stmts: Seq, end: Option<usize> },
}

/// Statements with the semicolons between them.
pub(super) struct Seq {
    /// `None` for an empty statement.
    pub(super) stmts: Vec<Option<Node>>,
    pub(super) semicolons: Vec<usize>,
}

/// A statement: tokens `first` to `last`.
pub(super) struct Node {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) kind: NodeKind,
    /// May it be on one line?
    pub(super) short: bool,
}

/// The optional statement after a keyword.
pub(super) type Branch = Option<Box<Node>>;

/// The kind of a statement.
pub(super) enum NodeKind {
    /// An assignment, call or jump.
    Simple,
    Block(Seq),
    Repeat {
        body: Seq,
        until: usize,
    },
    /// `while`, `for`, `foreach`, `forall`.
    Loop {
        head_end: usize,
        body: Branch,
    },
    If {
        arms: Vec<Arm>,
        otherwise: Option<(usize, Branch)>,
    },
    /// `where` to `end`.
    Where(Vec<WhereArm>),
    Labelled {
        colon: usize,
        body: Branch,
    },
}

/// `where` or `elsewhere` to `do`, and the statements after it. Without a condition both are the
/// same token.
pub(super) struct WhereArm {
    pub(super) start: usize,
    pub(super) head_end: usize,
    pub(super) body: Seq,
    /// The last token.
    pub(super) last: usize,
}

/// `if` to `then`, and the branch after it.
pub(super) struct Arm {
    pub(super) start: usize,
    pub(super) then: usize,
    pub(super) body: Branch,
}
