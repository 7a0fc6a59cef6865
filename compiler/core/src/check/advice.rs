//! Advice about numbers of rows: what to write where an expression has another kind than expected,
//! and where a reduction has other arguments.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_syntax::ast;

use super::Checker;
use super::reduce::Reduction;
use crate::hir::{Expr, ExprKind, TyKind};

impl Checker<'_> {
    /// Returns what to write instead of an expression of another kind than the wanted one.
    pub(super) fn instead(&self, expr: &Expr, wanted: TyKind) -> Option<String> {
        let text = self.sources.slice(expr.span);
        match (wanted, expr.ty) {
            (TyKind::Int, TyKind::Table) if matches!(expr.kind, ExprKind::Field(_)) => {
                let (table, field) = text.split_once('.')?;
                Some(format!(
                    "`{table}[i].{field}` is the number of row `i`; `sum({text})`, `min({text})` and \
                     `max({text})` join all rows"
                ))
            }
            (TyKind::Slice, TyKind::Table) if matches!(expr.kind, ExprKind::Field(_)) => {
                Some(format!("a relation is a slice: `{text} > 0`"))
            }
            (TyKind::Slice, TyKind::Bool) => self.rows_instead(expr),
            (TyKind::Int, TyKind::Slice) => Some(format!("`count({text})` is the number of ones")),
            (TyKind::Bool, TyKind::Slice | TyKind::Word) => {
                Some(format!("`SOME({text})` tests whether there is a one"))
            }
            (TyKind::Slice | TyKind::Word, TyKind::Str) => {
                Some("bits are between single quotes, as in `'0110'`".to_owned())
            }
            _ => None,
        }
    }

    /// Returns the slice that was meant by a truth value.
    fn rows_instead(&self, expr: &Expr) -> Option<String> {
        let operand = |side: &Expr| match side.kind {
            ExprKind::Chain(..) if !is_enclosed(self.sources.slice(side.span)) => {
                format!("({})", self.sources.slice(side.span))
            }
            _ => self.sources.slice(side.span).to_owned(),
        };
        // `X = Y` is the negation of a difference, or the other way round.
        let (inner, is_negated) = match &expr.kind {
            ExprKind::Not(inner) => (&**inner, true),
            _ => (expr, false),
        };
        match &inner.kind {
            ExprKind::BitsEqual(left, right) => {
                let differ = format!("{} xor {}", operand(left), operand(right));
                let rows = if is_negated { differ } else { format!("not ({differ})") };
                Some(format!("`{rows}` compares row by row"))
            }
            ExprKind::Builtin(Builtin::Some, args) if !is_negated => {
                let rows = self.sources.slice(args.first()?.span);
                Some(format!("`{rows}` is the slice itself"))
            }
            _ => None,
        }
    }

    /// Checks the condition of a `where`.
    pub(super) fn condition(&mut self, tree: &ast::Expr) -> Expr {
        let expr = self.expr(tree, Some(TyKind::Slice));
        if expr.ty == TyKind::Bool && self.instead(&expr, TyKind::Slice).is_none() {
            let test = self.sources.slice(expr.span);
            let message = "a condition of `where` has a bit for each row, found a boolean";
            self.report(
                Diagnostic::at(Code::TypeMismatch, expr.span, message)
                    .help(format!("`if {test} then …` decides about all rows at once")),
            );
            return self.error(expr.span);
        }
        self.of_type(expr, TyKind::Slice)
    }

    /// Reports numbers of rows where a `foreach` needs a slice or word; returns whether they are.
    pub(super) fn foreach_numbers(&mut self, var: &ast::Ident, over: &ast::Expr) -> bool {
        if !self.is_column(over) {
            return false;
        }
        if self.column(over).is_some() {
            let (var, text) = (&var.name, self.sources.slice(over.span));
            let message = "expected a slice or a word, found numbers of rows";
            let diagnostic = Diagnostic::at(Code::TypeMismatch, over.span, message);
            let values =
                format!("`foreach {var} in values({text}) do` visits the distinct numbers");
            let rows = format!("`foreach {var} in {text} > 0 do` visits the rows of a relation");
            self.report(diagnostic.help(values).help(rows));
        }
        true
    }

    /// Reports a call of a predeclared function with other arguments than it takes; returns whether
    /// it is one.
    pub(super) fn is_misused(&mut self, name: &ast::Ident, args: &[ast::Expr], span: Span) -> bool {
        let found = self.misused(name, args, span);
        let is_misused = found.is_some();
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
        is_misused
    }

    /// Returns the message for a call of a predeclared function with other arguments than it takes,
    /// if the program declares no such routine.
    fn misused(&self, name: &ast::Ident, args: &[ast::Expr], span: Span) -> Option<Diagnostic> {
        let text = |tree: &ast::Expr| self.sources.slice(tree.span);
        let is = |other: &str| name.name.eq_ignore_ascii_case(other);
        let is_filtered = |tree: &ast::Expr| matches!(tree.kind, ast::ExprKind::Filtered(_));
        if let Some(routine) = self.world.hiding(self.unit, &name.name) {
            Reduction::named(&name.name).filter(|_| args.iter().any(is_filtered))?;
            let declared = self.world.signature(routine).tree.name.span;
            let message = format!("`{}` is a routine here, not the reduction", name.name);
            return Some(
                Diagnostic::at(Code::BadFilter, name.span, message)
                    .label(declared, "this routine hides the reduction")
                    .help("rename the routine"),
            );
        }
        let is_table = |tree: &ast::Expr| {
            let var = tree.plain_name().and_then(|name| self.variable(&name.name));
            var.is_some_and(|var| self.kind(var) == TyKind::Table)
        };
        let of_table = args.first().is_some_and(is_table);
        if of_table && self.world.callee(self.unit, name, args.len()).is_ok() {
            return None;
        }
        let is_broken = |tree: &ast::Expr| match &tree.kind {
            ast::ExprKind::Path(path) => {
                let var = self.variable(&path.name.name);
                var.is_none_or(|var| self.broken_records.contains(&var))
            }
            _ => false,
        };
        if args.iter().any(is_broken) {
            return None;
        }
        let has_columns = args.iter().any(|arg| self.is_column(arg));
        if is("abs") && args.len() == 1 && has_columns {
            let meant = match &args[0].kind {
                ast::ExprKind::Chain(chain) => match &chain.links[..] {
                    [link] if link.op == ast::BinaryOp::Sub => {
                        format!("absdiff({},{})", text(&chain.first), text(&link.operand))
                    }
                    _ => format!("absdiff({},0)", text(&args[0])),
                },
                _ => format!("absdiff({},0)", text(&args[0])),
            };
            let diagnostic = Diagnostic::at(Code::UnknownRoutine, span, "columns have no `abs`");
            return Some(diagnostic.fix(format!("write `{meant}`"), span, meant));
        }
        let is_distance = is("absdiff");
        let reduction = Reduction::named(&name.name);
        if reduction.is_none() && !is_distance {
            return None;
        }
        let joins_pairs = is_distance || matches!(reduction, Some(Reduction::Min | Reduction::Max));
        let n_args = reduction.map_or(2, Reduction::n_args);
        if args.len() == n_args && !is_distance || args.len() == 2 && joins_pairs && has_columns {
            return None;
        }
        let message = |what: &str| Diagnostic::at(Code::ArgumentCount, span, what);
        let spelled = name.name.to_lowercase();
        if joins_pairs && !args.iter().any(is_filtered) && args.len() >= 2 && !of_table {
            if !has_columns {
                let what = format!("`{spelled}` joins numbers of rows, not integers");
                let sign = if spelled == "max" { ">" } else { "<" };
                let (one, other) = (text(&args[0]), text(&args[1]));
                let help = match is_distance {
                    true => format!(
                        "write `if {one} > {other} then d:={one} - {other} else d:={other} - {one}`"
                    ),
                    false => {
                        format!("write `if {one} {sign} {other} then m:={one} else m:={other}`")
                    }
                };
                return Some(message(&what).help(help));
            }
            if !is_distance {
                let mut nested = text(&args[0]).to_owned();
                for arg in &args[1..] {
                    nested = format!("{spelled}({nested},{})", text(arg));
                }
                let what = format!("`{spelled}` joins two numbers of rows");
                return Some(message(&what).fix(format!("write `{nested}`"), span, nested));
            }
        }
        if let ([first @ .., filter], false) = (args, is_distance)
            && first.len() == n_args
            && !args.iter().any(is_filtered)
        {
            let first: Vec<&str> = first.iter().map(text).collect();
            let meant = format!("{spelled}({} where {})", first.join(","), text(filter));
            let what = format!("the rows of `{spelled}` are selected by `where`");
            return Some(message(&what).fix(format!("write `{meant}`"), span, meant));
        }
        let form = match reduction {
            Some(Reduction::KMin | Reduction::KMax) => {
                let field = args.first().map_or("F", text);
                format!("{spelled}(k,{field})")
            }
            Some(Reduction::Count) => "count(X)".to_owned(),
            Some(Reduction::High | Reduction::Low) => format!("{spelled}(F)"),
            Some(_) => format!("{spelled}(F where X)"),
            None => "absdiff(a,b)".to_owned(),
        };
        let what = format!("wrong number of arguments for `{spelled}`");
        Some(message(&what).help(format!("write `{form}`")))
    }

    /// Returns the message for arithmetic with a plain table.
    pub(super) fn plain_table(&self, table: Span) -> Diagnostic {
        let name = self.sources.slice(table);
        let message = "a plain table has no numbers to calculate with";
        Diagnostic::at(Code::TypeMismatch, table, message).help(format!(
            "with `type R(h) = record w: uint(h) end;` and `{name}: table(m) of R(h)`, `{name}.w + 1` \
             has a number for each row"
        ))
    }
}

/// Returns whether one pair of parentheses encloses the whole text.
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|&(_, c)| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    });
    text.starts_with('(') && end.is_some_and(|(at, _)| at + 1 == text.len())
}
