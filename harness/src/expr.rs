//! Integer expressions in headers: parsed with the grammar of Star, evaluated with the integers of
//! the machine.

use star_base::{Code, Diagnostic, FileId, Span};
use star_syntax::ast::{BinaryOp, Expr, ExprKind, Item};

/// An integer expression, with its location in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct IntExpr {
    tree: Expr,
    /// Start of the text, relative to which the locations in the tree are counted.
    file: FileId,
    start: u32,
    span: Span,
}

/// Prefix that makes an expression an item.
const PREFIX: &str = "const x = ";

impl IntExpr {
    /// Parses the expression `text` at `span`.
    ///
    /// # Errors
    /// E0703 if it is not an expression.
    pub fn parse(text: &str, span: Span) -> Result<Self, Diagnostic> {
        let bad = |why: Option<&str>| {
            let message = format!("`{}` is not an integer expression", text.trim());
            let diagnostic = Diagnostic::at(Code::BadHeader, span, message);
            match why {
                Some(why) => diagnostic.note(why),
                None => diagnostic.help("write numbers and names with `+ - * div mod`"),
            }
        };
        let parsed = star_syntax::parse(span.file, &format!("{PREFIX}{text};"));
        if let Some(first) = parsed.diagnostics.first() {
            return Err(bad(Some(&first.message)));
        }
        let mut items = parsed.file.items.into_iter();
        let parts = (items.next(), items.next(), parsed.comments.is_empty());
        let (Some(Item::Const { value, .. }), None, true) = parts else { return Err(bad(None)) };
        Ok(IntExpr { tree: value, file: span.file, start: span.start, span })
    }

    /// Returns its location.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the names in it, with their locations.
    pub fn names(&self) -> Vec<(&str, Span)> {
        let (mut names, mut rest) = (Vec::new(), vec![&self.tree]);
        while let Some(expr) = rest.pop() {
            match &expr.kind {
                ExprKind::Name(name, _) => names.push((name.as_str(), self.place(expr.span))),
                ExprKind::Neg(operand) => rest.push(operand),
                ExprKind::Chain(chain) => {
                    rest.push(&chain.first);
                    rest.extend(chain.links.iter().map(|link| &link.operand));
                }
                // Not in integer expressions.
                ExprKind::Int(_)
                | ExprKind::Ref(_)
                | ExprKind::Error
                | ExprKind::Bool(_)
                | ExprKind::Bits(_)
                | ExprKind::Str(_)
                | ExprKind::Path(_)
                | ExprKind::Filtered(_)
                | ExprKind::Theta
                | ExprKind::Not(_)
                | ExprKind::Compare(..) => {}
            }
        }
        names
    }

    /// Evaluates the expression, where `value_of` returns the values of names.
    ///
    /// # Errors
    /// E0703 if it overflows, divides by zero, uses a name without an integer value, or is not an
    /// integer expression.
    pub fn value(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<i64, Diagnostic> {
        self.of(&self.tree, value_of)
    }

    fn of(&self, expr: &Expr, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<i64, Diagnostic> {
        let bad =
            |span: Span, message: &str| Diagnostic::at(Code::BadHeader, self.place(span), message);
        let in_range = |span: Span, value: Option<i64>| {
            value.ok_or_else(|| bad(span, "this overflows 64 bits or divides by zero"))
        };
        match &expr.kind {
            ExprKind::Int(number) => in_range(expr.span, i64::try_from(*number).ok()),
            ExprKind::Neg(operand) => {
                // −2⁶³ is an integer although 2⁶³ is not.
                if let ExprKind::Int(number) = operand.kind {
                    return Ok((number as i64).wrapping_neg());
                }
                in_range(expr.span, self.of(operand, value_of)?.checked_neg())
            }
            ExprKind::Name(name, _) => value_of(name).ok_or_else(|| {
                bad(expr.span, &format!("`{name}` has no integer value here"))
                    .note("an expression can use the names defined above it in the header")
            }),
            ExprKind::Ref(_) => {
                Err(bad(expr.span, "calls are not allowed in the expressions of a header"))
            }
            ExprKind::Chain(chain) => {
                let mut value = self.of(&chain.first, value_of)?;
                for link in &chain.links {
                    let right = self.of(&link.operand, value_of)?;
                    let result = match link.op {
                        BinaryOp::Add => value.checked_add(right),
                        BinaryOp::Sub => value.checked_sub(right),
                        BinaryOp::Mul => value.checked_mul(right),
                        BinaryOp::Div => value.checked_div(right),
                        // −2⁶³ mod −1 is 0, though the quotient overflows.
                        BinaryOp::Mod if right == -1 => Some(0),
                        BinaryOp::Mod => value.checked_rem(right),
                        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Saturate => {
                            return Err(bad(
                                link.op_span,
                                "this operation does not apply to \
                                integers",
                            ));
                        }
                    };
                    value = in_range(link.op_span, result)?;
                }
                Ok(value)
            }
            ExprKind::Error
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Path(_)
            | ExprKind::Filtered(_)
            | ExprKind::Theta
            | ExprKind::Not(_)
            | ExprKind::Compare(..) => Err(bad(expr.span, "this is not an integer")),
        }
    }

    /// Maps a location in the parsed text to a location in the file.
    fn place(&self, span: Span) -> Span {
        let at =
            |byte: u32| (byte.saturating_sub(PREFIX.len() as u32) + self.start).min(self.span.end);
        Span::new(self.file, at(span.start), at(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64, (String, u32, u32)> {
        let span = Span::new(FileId(0), 100, 100 + text.len() as u32);
        let of = |name: &str| (name == "n").then_some(7);
        IntExpr::parse(text, span).and_then(|expr| expr.value(&of)).map_err(|fault| {
            let span = fault.span().unwrap();
            (fault.message, span.start, span.end)
        })
    }

    #[test]
    fn expressions_use_the_integers_of_star() {
        assert_eq!(value("3*n div 2 + 1"), Ok(11));
        assert_eq!(value("(n + 1) * (n - 1)"), Ok(48));
        assert_eq!(value("-7 div 2"), Ok(-3));
        assert_eq!(value("n-1"), Ok(6));
        assert_eq!(value("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(value("(-9223372036854775808) mod (-1)"), Ok(0));
    }

    #[test]
    fn errors_have_locations_in_the_file() {
        let at = |text| value(text).map_err(|(_, start, end)| (start - 100, end - 100));
        assert_eq!(at("1 + x"), Err((4, 5)));
        assert_eq!(at("n div 0"), Err((2, 5)));
        assert_eq!(at("9223372036854775807 + n"), Err((20, 21)));
        assert_eq!(at("n and 1"), Err((2, 5)));
        assert_eq!(at("f(n)"), Err((0, 4)));
        assert_eq!(at("n = 7"), Err((0, 5)));
        assert_eq!(at("n +"), Err((0, 3)));
        assert_eq!(at("1; const y = 2"), Err((0, 14)));
        assert_eq!(at(""), Err((0, 0)));
    }
}
