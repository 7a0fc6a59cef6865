//! Relations of numbers of rows, which are slices. Those of plain fields stand for calls of the
//! library.

use star_base::{Code, Diagnostic, Span, text};
use star_ir::Relation;
use star_syntax::ast::{self, CompareOp};

use super::Checker;
use super::columns::{Side, Terms, is_arithmetic};
use super::compare::relation_of;
use super::layout::FieldKind;
use crate::hir::{Arg, Expr, ExprKind, Local, LocalId, Role, TextCode, Ty, TyKind};

impl Checker<'_> {
    /// Checks a comparison of which one side is a number for each row: a slice.
    pub(super) fn relation(
        &mut self,
        op: CompareOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Expr {
        let relation = relation_of(op);
        if let Some(diagnostic) = self.without_parentheses(left, right, span) {
            self.report(diagnostic);
            return self.error(span);
        }
        let is_equality = matches!(relation, Relation::Eq | Relation::Ne);
        for side in [left, right] {
            if self.field_kind(side) == Some(FieldKind::Bits) && !is_equality {
                self.report(
                    Diagnostic::at(Code::NoSuchOrder, side.span, "`bits` have no order")
                        .help("declare the field as `uint(k)`, or compare with `=` and `<>`"),
                );
                return self.error(span);
            }
        }
        if !is_equality && let Some(text) = [left, right].into_iter().find(|side| is_text(side)) {
            self.report(
                Diagnostic::at(
                    Code::NoSuchOrder,
                    text.span,
                    "texts are compared with `=` and `<>`",
                )
                .help(
                    "with `order=sorted`, codes have the order of their texts: compare with a \
                            word parameter, `w=code:FIELD=TEXT:FILE`",
                ),
            );
            return self.error(span);
        }
        let (one, other) = (self.side(left, right), self.side(right, left));
        let (Some(one), Some(other)) = (one, other) else { return self.error(span) };
        match (one.into_side(), other.into_side()) {
            (Ok(Side::Field(one)), Ok(Side::Field(other))) => {
                self.of_columns(relation, one, other, span)
            }
            (Ok(Side::Field(column)), Ok(scalar)) => {
                self.with_scalar(relation, column, scalar, span)
            }
            (Ok(scalar), Ok(Side::Field(column))) => {
                let turned = match relation {
                    Relation::Eq | Relation::Ne => relation,
                    Relation::Lt => Relation::Gt,
                    Relation::Le => Relation::Ge,
                    Relation::Gt => Relation::Lt,
                    Relation::Ge => Relation::Le,
                };
                self.with_scalar(turned, column, scalar, span)
            }
            (one, other) => {
                let terms = [one, other].map(|side| side.map_or_else(|terms| terms, Terms::from));
                let column = self.finish(terms.into(), None, false);
                let effects = column.operands().any(|operand| operand.effects);
                let kind = ExprKind::Relation(relation, Box::new(column));
                Expr { kind, ty: TyKind::Slice, span, effects }
            }
        }
    }

    /// Checks a side of a relation. A text stands for its code in the field on the other side.
    fn side(&mut self, tree: &ast::Expr, other: &ast::Expr) -> Option<Terms> {
        match &tree.kind {
            ast::ExprKind::Str(text) => self.code_of_text(text, tree.span, other),
            _ => self.column(tree),
        }
    }

    /// Returns the code of a text in a field, which the file of the table determines.
    fn code_of_text(&mut self, text: &str, span: Span, field: &ast::Expr) -> Option<Terms> {
        let (table, name) = match &field.kind {
            ast::ExprKind::Path(path) => match path.steps.as_slice() {
                [ast::Step::Field(name)] => (self.variable(&path.name.name), &name.name),
                _ => (None, &path.name.name),
            },
            _ => {
                let message = "a text is compared with a field, not with numbers of rows";
                self.report(Diagnostic::at(Code::TypeMismatch, span, message));
                return None;
            }
        };
        let has_file = |table: &LocalId| {
            let role = self.local(*table).role;
            self.declaring.is_none() && matches!(role, Role::Value | Role::Ref)
        };
        let Some(table) = table.filter(has_file) else {
            let message =
                "a text is compared with a field of a parameter, whose file has the texts";
            self.report(
                Diagnostic::at(Code::TypeMismatch, span, message)
                    .help("`w=code:FIELD=TEXT:FILE` gives the code of a text to a word parameter"),
            );
            return None;
        };
        let record = self.local(table).record.as_deref()?;
        let layout = self.constants.layout(record.id);
        let field = layout.fields[layout.field(name)?].in_files.clone();
        let is_same =
            |one: &&TextCode| one.table == table && one.field == field && one.text == text;
        let local = match self.texts.iter().find(is_same) {
            Some(known) => known.local,
            None => {
                let local = LocalId(self.locals.len() as u32);
                // No text can mention it.
                let name = format!("‹{}.{name} = \"{text}\"›", self.local(table).name);
                self.locals.push(Local {
                    name,
                    span,
                    ty: Ty::Int,
                    role: Role::Value,
                    record: None,
                });
                self.texts.push(TextCode { local, table, field, text: text.to_owned() });
                local
            }
        };
        let kind = ExprKind::Var(self.fresh_use(local, span));
        let code = Expr { kind, ty: TyKind::Int, span, effects: false };
        Some(Side::Number(code).into())
    }

    /// Returns whether a side joins a slice with the number column that was meant as a side.
    pub(super) fn joins_relation(&self, left: &ast::Expr, right: &ast::Expr) -> bool {
        let joins = |tree: &ast::Expr, is_left: bool| match &tree.kind {
            ast::ExprKind::Chain(chain) if !tree.parenthesised => {
                let is_logic = chain.links.iter().all(|link| !is_arithmetic(link.op));
                let next = match (is_left, chain.links.last()) {
                    (true, Some(last)) => &last.operand,
                    _ => &chain.first,
                };
                is_logic && self.is_column(next)
            }
            _ => false,
        };
        joins(left, true) || joins(right, false)
    }

    /// Returns the message about a relation next to `and`, `or` or `xor`, which bind more tightly.
    fn without_parentheses(
        &self,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<Diagnostic> {
        let logic = |tree: &ast::Expr| match &tree.kind {
            ast::ExprKind::Chain(chain) if !tree.parenthesised => {
                let is_logic = chain.links.iter().all(|link| !is_arithmetic(link.op));
                is_logic.then(|| (chain.first.span, chain.links.last().map(|one| one.operand.span)))
            }
            _ => None,
        };
        let whole = match (logic(left), logic(right)) {
            (None, Some((first, _))) => {
                let relation = Span::new(span.file, span.start, first.end);
                let rest = Span::new(span.file, first.end, span.end);
                format!("({}){}", self.sources.slice(relation), self.sources.slice(rest))
            }
            (Some((_, Some(last))), None) => {
                let before = Span::new(span.file, span.start, last.start);
                let relation = Span::new(span.file, last.start, span.end);
                format!("{}({})", self.sources.slice(before), self.sources.slice(relation))
            }
            _ => return None,
        };
        let message = "`and`, `or` and `xor` bind more tightly than relations";
        Some(
            Diagnostic::at(Code::TypeMismatch, span, message)
                .help(format!("put the relation in parentheses: `{whole}`")),
        )
    }

    /// Compares two fields row by row.
    fn of_columns(&mut self, relation: Relation, left: Expr, right: Expr, span: Span) -> Expr {
        let (procedure, swapped, negated) = match relation {
            Relation::Eq => ("EQUALSROWS", false, false),
            Relation::Ne => ("EQUALSROWS", false, true),
            Relation::Lt => ("BELOWROWS", false, false),
            Relation::Ge => ("BELOWROWS", false, true),
            Relation::Gt => ("BELOWROWS", true, false),
            Relation::Le => ("BELOWROWS", true, true),
        };
        let args = if swapped { [right, left] } else { [left, right] };
        self.marked(procedure, args.map(Arg::Value).into(), negated, span)
    }

    /// Compares the rows of a field with one number.
    fn with_scalar(&mut self, relation: Relation, column: Expr, scalar: Side, span: Span) -> Expr {
        let (scalar, is_word) = match scalar {
            Side::Word(word) => (word, true),
            Side::Number(number) | Side::Field(number) => (number, false),
        };
        self.lint_same_for_all(relation, &column, &scalar, span);
        let (of_number, of_word, negated) = match relation {
            Relation::Eq => ("EQUALS", "EQUALSWORD", false),
            Relation::Ne => ("EQUALS", "EQUALSWORD", true),
            Relation::Lt => ("BELOW", "BELOWWORD", false),
            Relation::Ge => ("BELOW", "BELOWWORD", true),
            Relation::Gt => ("ABOVE", "ABOVEWORD", false),
            Relation::Le => ("ABOVE", "ABOVEWORD", true),
        };
        let procedure = if is_word { of_word } else { of_number };
        self.marked(procedure, vec![Arg::Value(column), Arg::Value(scalar)], negated, span)
    }

    /// Lints the comparison of a field with a constant that it cannot hold, or that bounds it.
    fn lint_same_for_all(&mut self, relation: Relation, column: &Expr, number: &Expr, span: Span) {
        let ExprKind::Field(field) = &column.kind else { return };
        let (Some(bits), Some(number)) = (constant(&field.width), constant(number)) else { return };
        if !(0..i64::from(i64::BITS) - 1).contains(&bits) {
            return;
        }
        let most = (1_i64 << bits) - 1;
        let [of_least, of_most] = [0, most].map(|value| match relation {
            Relation::Eq => value == number,
            Relation::Ne => value != number,
            Relation::Lt => value < number,
            Relation::Le => value <= number,
            Relation::Gt => value > number,
            Relation::Ge => value >= number,
        });
        // A number between them is equal to some value only.
        let is_equality = matches!(relation, Relation::Eq | Relation::Ne);
        if of_least != of_most || is_equality && (0..=most).contains(&number) {
            return;
        }
        let text = text::one_line(self.sources.slice(span));
        let rows = if of_least { "every row" } else { "no row" };
        let message = format!("`{text}` holds for {rows}");
        let bits = text::count(bits as usize, "bit");
        let note = format!("the field has {bits}, so that its numbers are 0 to {most}");
        self.report(Diagnostic::at(Code::SameForAll, span, message).note(note));
    }

    /// Returns the rows that a library procedure marks, or the others.
    fn marked(&mut self, procedure: &str, args: Vec<Arg>, negated: bool, span: Span) -> Expr {
        let rows = self.result_of_procedure(procedure, args, TyKind::Slice, span);
        if !negated || rows.ty == TyKind::Error {
            return rows;
        }
        let effects = rows.effects;
        Expr { kind: ExprKind::BitsNot(Box::new(rows)), ty: TyKind::Slice, span, effects }
    }
}

/// The value of an integer constant.
fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Neg(of) => constant(of)?.checked_neg(),
        _ => None,
    }
}

fn is_text(tree: &ast::Expr) -> bool {
    matches!(tree.kind, ast::ExprKind::Str(_))
}
