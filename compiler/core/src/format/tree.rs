//! How the tokens of a file hang together, as far as its layout needs to know: items, statements, and
//! where an expression may be broken.

use std::collections::BTreeMap;

/// A place in front of a token where a line may be broken.
#[derive(Clone, Copy)]
pub(super) struct Break {
    /// The first token of what is broken: the lines that follow are aligned with it.
    pub(super) first: usize,
    /// How deeply it is nested; places of smaller levels are broken first.
    pub(super) level: usize,
}

/// What may be broken at some places: its first token and its level.
pub(super) type Broken = (usize, usize);

/// Where it may be broken first, and its last token.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) place: usize,
    pub(super) last: usize,
}

/// A part of a file.
pub(super) struct Tree {
    pub(super) items: Vec<Item>,
    /// For every token: may the line be broken in front of it?
    pub(super) breaks: Vec<Option<Break>>,
    /// What may be broken within expressions; what encloses something comes before it.
    pub(super) spans: BTreeMap<Broken, Span>,
}

/// An item of a file: tokens `first` to `last`.
pub(super) struct Item {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) kind: ItemKind,
}

/// What an item is.
pub(super) enum ItemKind {
    /// Semicolons in front of everything.
    Stray,
    Import,
    Const,
    Routine {
        /// The semicolon behind the header.
        header_end: usize,
        /// From `var` to the last semicolon.
        vars: Option<(usize, usize)>,
        body: Body,
    },
    /// What stands here of a routine that began in the part before.
    Rest(Body),
}

/// The statements of a routine.
pub(super) enum Body {
    /// All of them: a block.
    Whole(Node),
    /// Those of a part, with `begin` and `end` if they are in it.
    Part { begin: Option<usize>, stmts: Seq, end: Option<usize> },
}

/// Statements with the semicolons between them.
pub(super) struct Seq {
    /// `None` where nothing stands.
    pub(super) stmts: Vec<Option<Node>>,
    pub(super) semicolons: Vec<usize>,
}

/// A statement: tokens `first` to `last`.
pub(super) struct Node {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) kind: NodeKind,
    /// May it stand on one line?
    pub(super) short: bool,
}

/// What is behind a keyword: nothing or a statement.
pub(super) type Branch = Option<Box<Node>>;

/// What a statement is.
pub(super) enum NodeKind {
    /// An assignment, a call, a jump.
    Simple,
    Block(Seq),
    Repeat {
        body: Seq,
        until: usize,
    },
    /// `while`, `for`, `foreach`.
    Loop {
        head_end: usize,
        body: Branch,
    },
    If {
        arms: Vec<Arm>,
        otherwise: Option<(usize, Branch)>,
    },
    Labelled {
        colon: usize,
        body: Branch,
    },
}

/// `if` to `then`, and what comes behind.
pub(super) struct Arm {
    pub(super) start: usize,
    pub(super) then: usize,
    pub(super) body: Branch,
}
