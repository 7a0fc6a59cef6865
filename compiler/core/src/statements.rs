//! The statements of a program by position: the steps of a run.

use std::collections::BTreeMap;

use star_base::{FileId, Span};

use crate::hir;

/// The statements of a program. Statements inside a loop or choice are separate.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// In the order of their positions, without overlaps.
    heads: Vec<Head>,
    /// For each condition with statements inside, the first of them and the value of the condition
    /// with which it runs: true for `if` and `while`, false for `until`.
    inside: BTreeMap<(FileId, u32), (Span, bool)>,
}

/// A statement without the statements inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The position.
    pub span: Span,
    /// The kind of statement.
    pub kind: HeadKind,
}

/// The kind of statement to which a head belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    /// One without statements inside.
    Plain,
    /// `if c`, or the condition after `else if`.
    If,
    /// `while c`
    While,
    /// The condition after `until`.
    Repeat,
    /// `for i := a to b`
    For,
    /// `foreach i in X`, `forall i in X`
    Foreach,
}

impl Statements {
    /// Collects the statements of all routines of `program`.
    pub fn new(program: &hir::Program) -> Self {
        let mut found = Statements::default();
        for routine in &program.routines {
            found.add(&routine.body);
        }
        found.heads.sort_by_key(|head| head.span);
        found
    }

    /// Tests whether this is the head of an `if`, `while` or `until` with statements inside.
    pub fn is_condition(&self, head: Span) -> bool {
        self.inside.contains_key(&(head.file, head.start))
    }

    /// Returns the value of the condition with this head if the head `next` follows it, or the end
    /// of the routine; `None` for other statements.
    pub fn outcome(&self, condition: Span, next: Option<Span>) -> Option<bool> {
        let (inside, value) = self.inside.get(&(condition.file, condition.start))?;
        Some((next == Some(*inside)) == *value)
    }

    /// Adds a condition whose statements inside run if it has this value.
    fn decide(&mut self, condition: Span, value: bool, body: &[hir::Stmt]) {
        let key = (condition.file, condition.start);
        self.inside.extend(first(body).map(|first| (key, (first, value))));
    }

    /// Returns the statement that contains a position; `None` outside statements, such as in the
    /// header of a routine.
    pub fn at(&self, place: Span) -> Option<Head> {
        let key = |span: Span| (span.file, span.start);
        let next = self.heads.partition_point(|head| key(head.span) <= key(place));
        let head = self.heads.get(next.checked_sub(1)?)?;
        (head.span.file == place.file && place.end <= head.span.end).then_some(*head)
    }

    /// Returns the statements of a file.
    pub fn of_file(&self, file: FileId) -> impl Iterator<Item = Head> {
        self.heads.iter().copied().filter(move |head| head.span.file == file)
    }

    fn add(&mut self, body: &[hir::Stmt]) {
        for stmt in body {
            match &stmt.kind {
                hir::StmtKind::Block(body) => {
                    self.add(body);
                    continue;
                }
                hir::StmtKind::Forget(_) => continue,
                hir::StmtKind::While(_, body) => {
                    self.decide(head(stmt).span, true, body);
                    self.add(body);
                }
                hir::StmtKind::Repeat(body, _) => {
                    self.decide(head(stmt).span, false, body);
                    self.add(body);
                }
                hir::StmtKind::For { body, .. } | hir::StmtKind::Foreach { body, .. } => {
                    self.add(body);
                }
                hir::StmtKind::If(arms, otherwise) => {
                    for (idx, (test, then)) in arms.iter().enumerate() {
                        let condition = match idx {
                            0 => head(stmt),
                            _ => Head { span: test.span, kind: HeadKind::If },
                        };
                        if idx > 0 {
                            self.heads.push(condition);
                        }
                        self.decide(condition.span, true, then);
                        self.add(then);
                    }
                    self.add(otherwise);
                }
                hir::StmtKind::Assign(..)
                | hir::StmtKind::Fill(..)
                | hir::StmtKind::KeepFirst(_)
                | hir::StmtKind::Step(_)
                | hir::StmtKind::Replace { .. }
                | hir::StmtKind::Call(..)
                | hir::StmtKind::Print(_)
                | hir::StmtKind::Read(..)
                | hir::StmtKind::Write(..)
                | hir::StmtKind::Assert(..)
                | hir::StmtKind::Exit
                | hir::StmtKind::Break
                | hir::StmtKind::Continue => {}
            }
            self.heads.push(head(stmt));
        }
    }
}

/// Returns the head of the statement that runs first.
fn first(body: &[hir::Stmt]) -> Option<Span> {
    body.iter().find_map(|stmt| match &stmt.kind {
        hir::StmtKind::Block(body) | hir::StmtKind::Repeat(body, _) => first(body),
        hir::StmtKind::Forget(_) => None,
        _ => Some(head(stmt).span),
    })
}

/// Returns the part of a statement to which a message points: without the statements inside it.
pub(crate) fn head(stmt: &hir::Stmt) -> Head {
    let span = stmt.span;
    let until = |end: Span| Span::new(span.file, span.start, end.end.max(span.start));
    let (span, kind) = match &stmt.kind {
        hir::StmtKind::While(test, _) => (until(test.span), HeadKind::While),
        hir::StmtKind::For { to, .. } => (until(to.span), HeadKind::For),
        hir::StmtKind::Foreach { over, .. } => (until(over.span), HeadKind::Foreach),
        hir::StmtKind::If(arms, _) => {
            (arms.first().map_or(span, |(test, _)| until(test.span)), HeadKind::If)
        }
        hir::StmtKind::Repeat(_, test) => (test.span, HeadKind::Repeat),
        hir::StmtKind::Assign(..)
        | hir::StmtKind::Fill(..)
        | hir::StmtKind::KeepFirst(_)
        | hir::StmtKind::Step(_)
        | hir::StmtKind::Replace { .. }
        | hir::StmtKind::Call(..)
        | hir::StmtKind::Print(_)
        | hir::StmtKind::Read(..)
        | hir::StmtKind::Write(..)
        | hir::StmtKind::Assert(..)
        | hir::StmtKind::Block(_)
        | hir::StmtKind::Forget(_)
        | hir::StmtKind::Exit
        | hir::StmtKind::Break
        | hir::StmtKind::Continue => (span, HeadKind::Plain),
    };
    Head { span, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadError, Source, SourceLoader, check};

    struct One(&'static str);

    impl SourceLoader for One {
        fn load(&mut self, _path: &str, _importer: Option<&str>) -> Result<Source, LoadError> {
            Ok(Source { name: "a.star".to_owned(), bytes: self.0.as_bytes().to_vec() })
        }
    }

    #[test]
    fn heads_exclude_the_statements_inside() {
        let text = "procedure A(n: integer; var X: slice(n)); var i: integer;
begin
  for i:=1 to n do if X(i)=1 then begin X(i):=0; FRST(X) end else if i>2 then exit;
  repeat i:=STEP(X) until i=0; while SOME(X) do CLR(X); foreach i in X do SET(X)
end;";
        let library = star_base::Library { basic: &[], modules: &[] };
        let compilation = check("a.star", &mut One(text), &library);
        assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
        let statements = Statements::new(&compilation.hir);
        let file = compilation.hir.routines[0].header.file;
        let heads: Vec<&str> =
            statements.of_file(file).map(|head| compilation.sources.slice(head.span)).collect();
        let expected = [
            "for i:=1 to n",
            "if X(i)=1",
            "X(i):=0",
            "FRST(X)",
            "i>2",
            "exit",
            "i:=STEP(X)",
            "i=0",
            "while SOME(X)",
            "CLR(X)",
            "foreach i in X",
            "SET(X)",
        ];
        assert_eq!(heads, expected);
        let at = |word: &str, len: usize| {
            let start = text.find(word).unwrap() as u32;
            let head = statements.at(Span::new(file, start, start + len as u32));
            head.map(|head| (compilation.sources.slice(head.span), head.kind))
        };
        assert_eq!(at("X(i)=1", 4), Some(("if X(i)=1", HeadKind::If)));
        assert_eq!(at("STEP", 7), Some(("i:=STEP(X)", HeadKind::Plain)));
        assert_eq!(at("i=0", 3), Some(("i=0", HeadKind::Repeat)));
        assert_eq!(at("procedure", 9), None);
        assert_eq!(at("else", 4), None);
    }
}
