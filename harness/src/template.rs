//! Texts with integer expressions in braces: `gen gnp -n {n} --seed {3*n+1}`. A literal brace is
//! doubled, `{{`.

use star_base::{Code, Diagnostic, Span};

use crate::expr::IntExpr;

/// A text from one or several lines of a comment, joined with blanks, with the locations of its
/// parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    text: String,
    /// For each line: its start in the text and in the file.
    lines: Vec<(usize, u32)>,
    file: star_base::FileId,
}

impl Joined {
    /// Joins the lines, each given with its first byte in the file. Blank lines are omitted.
    pub fn new<'t>(
        file: star_base::FileId,
        lines: impl IntoIterator<Item = (&'t str, u32)>,
    ) -> Self {
        let mut joined = Joined { text: String::new(), lines: Vec::new(), file };
        for (line, at) in lines {
            let trimmed = line.trim_start();
            let at = at + (line.len() - trimmed.len()) as u32;
            let trimmed = trimmed.trim_end();
            if trimmed.is_empty() && !joined.lines.is_empty() {
                continue;
            }
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            joined.lines.push((joined.text.len(), at));
            joined.text.push_str(trimmed);
        }
        joined
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the location of a range of the text.
    pub fn span(&self, from: usize, to: usize) -> Span {
        let start = self.at(from);
        Span::new(self.file, start, self.at(to).max(start))
    }

    /// Returns the location of a piece, which must be a slice of the text.
    pub fn span_of(&self, piece: &str) -> Span {
        let from = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let from = from.min(self.text.len());
        self.span(from, (from + piece.len()).min(self.text.len()))
    }

    fn at(&self, byte: usize) -> u32 {
        let line = self.lines.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
        match self.lines.get(line) {
            Some((start, at)) => at + (byte - start) as u32,
            None => 0,
        }
    }
}

/// A text with expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Its location.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Expr(IntExpr),
}

impl Template {
    /// Creates a text without expressions.
    pub fn plain(text: String, span: Span) -> Self {
        Template { pieces: vec![Piece::Text(text)], span }
    }

    /// Parses a piece of a text.
    ///
    /// # Errors
    /// E0703 if a brace is not closed or does not contain an expression.
    pub fn parse(joined: &Joined, piece: &str) -> Result<Self, Diagnostic> {
        let span = joined.span_of(piece);
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = piece;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let from = &rest[at..];
            if from.starts_with("{{") || from.starts_with("}}") {
                text.push_str(&from[..1]);
                rest = &from[2..];
                continue;
            }
            if from.starts_with('}') {
                let message = "a `}` without a `{` before it";
                return Err(Diagnostic::at(Code::BadHeader, joined.span_of(&from[..1]), message)
                    .help("write `}}` for a literal brace"));
            }
            let Some(len) = from.find('}') else {
                let message = "a `{` without a matching `}`";
                return Err(Diagnostic::at(Code::BadHeader, joined.span_of(&from[..1]), message)
                    .help(
                        "write the expression between `{` and `}` on one line, or `{{` for a \
                            literal brace",
                    ));
            };
            let inner = &from[1..len];
            let expr = IntExpr::parse(inner, joined.span_of(inner))?;
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(Piece::Expr(expr));
            rest = &from[len + 1..];
        }
        text.push_str(rest);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Template { pieces, span })
    }

    /// Returns the names in its expressions, with their locations.
    pub fn names(&self) -> impl Iterator<Item = (&str, Span)> {
        self.pieces.iter().flat_map(|piece| match piece {
            Piece::Text(_) => Vec::new(),
            Piece::Expr(expr) => expr.names(),
        })
    }

    /// Returns the text with the expressions replaced by their values.
    ///
    /// # Errors
    /// That of an expression, see [`IntExpr::value`].
    pub fn text(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<String, Diagnostic> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Expr(expr) => text.push_str(&expr.value(value_of)?.to_string()),
            }
        }
        Ok(text)
    }
}
