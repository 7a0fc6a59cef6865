//! The syntax tree: the source as written, with positions. Nothing is resolved here.
//!
//! Note [Depth]. Trees are walked and dropped recursively, so their depth is bounded where nodes
//! are created: see [`crate::state::State`]. Chains of one operator level and `else if` chains are
//! flat lists and count once, whatever their length.

use std::borrow::Borrow;
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use star_base::Span;

/// A name as written, or the text between quotes. Mentions in a file share their text through one
/// pointer, because most nodes of a tree are mentions of names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<Box<str>>);

impl Name {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name(Arc::new(text.into()))
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashSet<Name>,
}

impl Names {
    /// Returns the name with this text.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let name = Name::from(text);
        self.known.insert(name.clone());
        name
    }
}

/// A file: its items in order.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct File {
    /// Imports, constants, types and routines.
    pub items: Vec<Item>,
}

/// An import, a constant, a record type or a routine.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// `import "path.star";`
    Import {
        /// The path as written, without the quotes.
        path: String,
        /// The position of the path.
        span: Span,
    },
    /// `const name = value;`
    Const {
        /// The name.
        name: Ident,
        /// The value.
        value: Expr,
    },
    /// `type name(parameters) = record … end;`
    Type(Box<RecordType>),
    /// A procedure, function or program.
    Routine(Box<Routine>),
}

/// A name and its position. Hyphenated names are joined without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// The position.
    pub span: Span,
}

/// A record type: the layout of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordType {
    /// The name.
    pub name: Ident,
    /// The parameters, which are integers.
    pub params: Vec<Ident>,
    /// The fields, in groups that share a kind.
    pub fields: Vec<Fields>,
    /// The whole type.
    pub span: Span,
}

/// Fields that share a kind: `tail, head: uint(b)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    /// The names.
    pub names: Vec<FieldName>,
    /// The number of elements, if each field is an array.
    pub array: Option<ArrayBounds>,
    /// The kind of a field or element: `uint`, `bits`.
    pub kind: Ident,
    /// The width after the kind.
    pub width: Option<Expr>,
}

/// The name of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldName {
    /// The name in programs.
    pub name: Ident,
    /// The name in files, if it is another one.
    pub in_files: Option<Name>,
}

/// `array[first..last] of`
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayBounds {
    /// The index of the first element.
    pub first: Expr,
    /// The index of the last element.
    pub last: Expr,
    /// From `array` to `of`.
    pub span: Span,
}

/// The kind of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutineKind {
    /// `proc` or `procedure`.
    Procedure,
    /// `function`.
    Function,
    /// `program`.
    Program,
}

/// A procedure, function or program.
#[derive(Debug, Clone, PartialEq)]
pub struct Routine {
    /// The kind.
    pub kind: RoutineKind,
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<Params>,
    /// The type after the colon of the header.
    pub result: Option<Type>,
    /// The local variables.
    pub vars: Vec<Vars>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// From the keyword to the end of the header.
    pub header: Span,
    /// The whole routine.
    pub span: Span,
}

/// Parameters that share a type: `var A, B: table`.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Are they passed by reference (`var`)?
    pub by_ref: bool,
    /// The names.
    pub names: Vec<Ident>,
    /// The type.
    pub ty: Type,
}

/// Local variables that share a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Vars {
    /// The names.
    pub names: Vec<Ident>,
    /// The type.
    pub ty: Type,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// The kind.
    pub kind: TypeKind,
    /// The position.
    pub span: Span,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// `integer`
    Integer,
    /// `boolean`
    Boolean,
    /// `string`
    Str,
    /// `slice`, `slice(size)`
    Slice(Option<Expr>),
    /// `word`, `word(size)`
    Word(Option<Expr>),
    /// `table`, `table(rows)`, `table(rows, columns)`
    Table(Option<Expr>, Option<Expr>),
    /// `table(rows) of R(arguments)`
    Records(Box<RecordTable>),
    /// `handle`
    Handle,
}

/// A table whose rows have a record type.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordTable {
    /// The number of rows.
    pub rows: Option<Expr>,
    /// The number of columns, which the type determines; written by mistake.
    pub columns: Option<Expr>,
    /// The name of the type.
    pub name: Ident,
    /// The arguments for the parameters of the type.
    pub args: Box<[Expr]>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// The position.
    pub span: Span,
    /// The nesting depth of its contents.
    pub depth: u16,
}

/// The spelling of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignKind {
    /// `:=`
    ColonEquals,
    /// `: =`, as in digitised texts.
    Spaced,
    /// `=`, as in published texts.
    Equals,
}

/// The sign of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assign {
    /// The spelling.
    pub kind: AssignKind,
    /// The position.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// An empty statement.
    Empty,
    /// An unreadable statement, which was reported.
    Error,
    /// `begin … end`
    Block(Vec<Stmt>),
    /// `if c then s { else if c then s } [ else s ]`
    If {
        /// Conditions with their statements, in order (a deque, because a parser reads the last one
        /// first).
        arms: VecDeque<(Expr, Stmt)>,
        /// The final `else`.
        otherwise: Option<Box<Stmt>>,
    },
    /// `while c do s`
    While {
        /// The condition.
        test: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `repeat s until c`
    Repeat {
        /// The body.
        body: Vec<Stmt>,
        /// The condition that ends it.
        until: Expr,
    },
    /// `for i := a to b do s`
    For {
        /// The variable.
        var: Box<Ident>,
        /// The sign between variable and first value.
        assign: Assign,
        /// The first value.
        from: Box<Expr>,
        /// The last value.
        to: Box<Expr>,
        /// `downto`.
        down: bool,
        /// The body.
        body: Box<Stmt>,
    },
    /// `foreach i in X do s`
    Foreach {
        /// The variable.
        var: Ident,
        /// The slice or word.
        over: Box<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `forall i in X where c do s`, `forall i in a..b where c do s`
    Forall(Box<Forall>),
    /// `where c do … elsewhere … end`
    Where(Box<Where>),
    /// `place := value`
    Assign {
        /// The left-hand side.
        target: Box<Ref>,
        /// The sign.
        assign: Assign,
        /// The right-hand side.
        value: Expr,
    },
    /// `E.w := value`, `E[i].w := value`, `H.part := value`
    AssignPath {
        /// The left-hand side.
        target: Box<Path>,
        /// The sign.
        assign: Assign,
        /// The right-hand side.
        value: Expr,
    },
    /// A call, or a name alone.
    Call(Box<Ref>),
    /// `goto label`
    Goto(Ident),
    /// `label: s`
    Labelled {
        /// The label.
        label: Ident,
        /// The statement.
        body: Box<Stmt>,
    },
}

/// A loop with independent iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Forall {
    /// The variable.
    pub var: Ident,
    /// The slice or word, or the first value of a range.
    pub over: Expr,
    /// The last value of a range.
    pub last: Option<Expr>,
    /// The condition of an iteration.
    pub filter: Option<Expr>,
    /// The body.
    pub body: Stmt,
}

/// A block of assignments in the rows for which a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Where {
    /// The conditions with their statements, in order.
    pub arms: Vec<(Expr, Vec<Stmt>)>,
    /// The statements for all other rows.
    pub otherwise: Option<Vec<Stmt>>,
}

/// A name, possibly with arguments: a variable, component, call, `COL(i, T)` …
#[derive(Debug, Clone, PartialEq)]
pub struct Ref {
    /// The name.
    pub name: Ident,
    /// The arguments in parentheses after it; `None` without parentheses.
    pub args: Option<Box<[Expr]>>,
    /// The position of name and arguments.
    pub span: Span,
}

/// A field or row of a record table, a table stored in a handle, and parts of these: `E.w(i,j)`,
/// `E[i].w`, `H.part`.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The first name.
    pub name: Ident,
    /// What follows it: at least one field or index.
    pub steps: Vec<Step>,
    /// The whole position.
    pub span: Span,
}

/// A step from a value to a part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `(i, j)`
    Args(Box<[Expr]>),
    /// `.name`
    Field(Ident),
    /// `[i]`
    Index(Expr),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The variant.
    pub kind: ExprKind,
    /// The position, including parentheses around it.
    pub span: Span,
    /// The nesting depth of its contents.
    pub depth: u16,
    /// Is it in parentheses?
    pub parenthesised: bool,
}

impl Expr {
    /// Returns the name with its position, if it is a name without arguments.
    pub fn plain_name(&self) -> Option<Ident> {
        match &self.kind {
            ExprKind::Name(name, start) => {
                let span = Span::new(self.span.file, *start, *start + name.len() as u32);
                Some(Ident { name: name.clone(), span })
            }
            ExprKind::Ref(_)
            | ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Path(_)
            | ExprKind::Filtered(_)
            | ExprKind::Not(_)
            | ExprKind::Neg(_)
            | ExprKind::Chain(..)
            | ExprKind::Compare(..) => None,
        }
    }

    /// Returns whether it could not be read.
    pub fn is_error(&self) -> bool {
        matches!(self.kind, ExprKind::Error)
    }
}

/// An operator between two operands, comparisons excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `+|`, on columns
    Saturate,
    /// `-`
    Sub,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `*`
    Mul,
    /// `div`
    Div,
    /// `mod`
    Mod,
    /// `and`
    And,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>` or `≠`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// An unreadable expression, which was reported.
    Error,
    /// A number up to 2⁶³, which is valid only after a minus sign.
    Int(u64),
    /// `true`, `false`
    Bool(bool),
    /// `'0110'`, without the quotes.
    Bits(Name),
    /// `"text"`, without the quotes.
    Str(Name),
    /// `Θ` or `∅`
    Theta,
    /// `E.w`, `E[i].w`, `H.part`
    Path(Box<Path>),
    /// A name without arguments, a variable or a call, and the byte at which it begins; see
    /// [`Expr::plain_name`].
    Name(Name, u32),
    /// A name with arguments: a component or a call.
    Ref(Box<Ref>),
    /// `F where X`, an argument
    Filtered(Box<Filtered>),
    /// `not e`
    Not(Box<Expr>),
    /// `- e`
    Neg(Box<Expr>),
    /// Operands joined from left to right by operators of one precedence level.
    Chain(Box<Chain>),
    /// A comparison of the left-hand side with the right-hand side.
    Compare(CompareOp, Box<[Expr; 2]>),
}

/// An argument with a filter: `F where X else v`.
#[derive(Debug, Clone, PartialEq)]
pub struct Filtered {
    /// The argument.
    pub value: Expr,
    /// The filter.
    pub filter: Expr,
    /// The value if no row passes the filter.
    pub otherwise: Option<Expr>,
}

/// Operands with operators between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// The first operand.
    pub first: Expr,
    /// The operators with the operands to their right, at least one.
    pub links: Box<[Link]>,
}

/// An operator and its right operand.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// The position of the operator.
    pub op_span: Span,
    /// The operand to its right.
    pub operand: Expr,
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::*;

    /// A program is parsed completely before it is checked, so these nodes dominate the memory of
    /// compilation.
    #[test]
    fn nodes_are_small() {
        assert!(size_of::<Name>() <= 8);
        assert!(size_of::<Expr>() <= 32);
        assert!(size_of::<Link>() <= 48);
        assert!(size_of::<Ref>() <= 56);
        assert!(size_of::<Stmt>() <= 80);
    }
}
