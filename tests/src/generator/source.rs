//! The text of a generated program as a tree, so that parts of it can be removed.

use std::fmt::{self, Display, Formatter};

/// The type of an expression or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExprType {
    /// `integer`
    Int,
    /// `boolean`
    Bool,
    /// `string`
    Str,
    /// `slice`
    Slice,
    /// `word`
    Word,
    /// `table`
    Table,
}

/// A piece of a statement or expression.
#[derive(Clone, Debug)]
pub enum Part {
    /// Keywords, names, brackets.
    Text(String),
    /// An expression.
    Expr(Expr),
    /// Statements between `begin` and `end`.
    Body(Vec<Stmt>),
    /// Statements without `begin` and `end`, as in `repeat`.
    Bare(Vec<Stmt>),
}

/// An expression: texts and expressions alternately.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub kind: ExprType,
    /// Its pieces.
    pub parts: Vec<Part>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its pieces.
    pub parts: Vec<Part>,
}

/// A routine.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Everything up to the declarations of variables.
    pub header: String,
    /// Declarations, one each.
    pub vars: Vec<String>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The character after the last `end`.
    pub end: char,
}

/// A whole text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Constants, one item each.
    pub consts: Vec<String>,
    /// The routines; the last one is the one to run.
    pub routines: Vec<Routine>,
}

impl ExprType {
    /// Returns the keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            ExprType::Int => "integer",
            ExprType::Bool => "boolean",
            ExprType::Str => "string",
            ExprType::Slice => "slice",
            ExprType::Word => "word",
            ExprType::Table => "table",
        }
    }
}

impl Expr {
    /// Creates an expression without subexpressions.
    pub fn leaf(kind: ExprType, text: impl Display) -> Self {
        Expr { kind, parts: vec![Part::Text(text.to_string())] }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Text(text)
    }
}

impl From<&String> for Part {
    fn from(text: &String) -> Part {
        Part::Text(text.clone())
    }
}

impl From<Expr> for Part {
    fn from(expr: Expr) -> Part {
        Part::Expr(expr)
    }
}

/// Builds an expression of the kind from texts and expressions.
macro_rules! expr {
    ($kind:expr; $($part:expr),* $(,)?) => {
        $crate::generator::source::Expr {
            kind: $kind,
            parts: vec![$($crate::generator::source::Part::from($part)),*],
        }
    };
}

/// Builds a statement from texts, expressions and bodies.
macro_rules! stmt {
    ($($part:expr),* $(,)?) => {
        $crate::generator::source::Stmt {
            parts: vec![$($crate::generator::source::Part::from($part)),*],
        }
    };
}

pub(super) use {expr, stmt};

fn write_parts(parts: &[Part], indent: usize, f: &mut Formatter<'_>) -> fmt::Result {
    for part in parts {
        match part {
            Part::Text(text) => f.write_str(text)?,
            Part::Expr(expr) => write_parts(&expr.parts, indent, f)?,
            Part::Body(body) => {
                f.write_str("begin")?;
                write_body(body, indent + 2, f)?;
                write!(f, "\n{:indent$}end", "")?;
            }
            Part::Bare(body) => {
                write_body(body, indent + 2, f)?;
                write!(f, "\n{:indent$}", "")?;
            }
        }
    }
    Ok(())
}

fn write_body(body: &[Stmt], indent: usize, f: &mut Formatter<'_>) -> fmt::Result {
    for (idx, stmt) in body.iter().enumerate() {
        let separator = if idx == 0 { "" } else { ";" };
        write!(f, "{separator}\n{:indent$}", "")?;
        write_parts(&stmt.parts, indent, f)?;
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_parts(&self.parts, 0, f)
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.consts {
            writeln!(f, "{item}")?;
        }
        for Routine { header, vars, body, end } in &self.routines {
            writeln!(f, "{header}")?;
            if !vars.is_empty() {
                writeln!(f, "var {}", vars.join(" "))?;
            }
            f.write_str("begin")?;
            write_body(body, 2, f)?;
            writeln!(f, "\nend{end}")?;
        }
        Ok(())
    }
}
