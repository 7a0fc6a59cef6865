//! Expressions over columns: numbers of each row, which are stored to fields, compared and reduced,
//! and numbers that are stored to all rows.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::{Direction, LogicOp};
use star_syntax::ast::{self, BinaryOp, Step};
use star_value::BitVector;

use super::Checker;
use super::layout::FieldKind;
use super::masks::joined_slices;
use super::path::{FieldKey, Place, only_column};
use super::records::int;
use crate::hir::{
    Arg, Column, ColumnOp, ColumnStep, Expr, ExprKind, Field, LocalId, NumberField, StmtKind,
    Target, TyKind, VarUse,
};

/// Maximum number of operations in a column expression that need a pass over the columns before
/// the first one: they cost the square of their number.
const MAX_PASSES: usize = 32;

/// An operand of a column expression.
enum Operand {
    /// A field of several columns.
    Field(Expr, FieldKind, Option<FieldKey>),
    /// A slice of zeros and ones.
    Slice(Expr),
    /// The same integer for all rows.
    Number(Expr),
    /// The same word for all rows.
    Word(Expr),
}

/// A step of a column expression, in postfix order.
enum Term {
    Operand(Operand),
    Apply(ColumnOp),
}

/// A column expression that is being checked.
#[derive(Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    n_passes: usize,
}

impl Terms {
    /// Returns the table of the first field.
    pub(super) fn table(&self) -> Option<LocalId> {
        self.terms.iter().find_map(|term| match term {
            Term::Operand(Operand::Field(value, ..)) => match &value.kind {
                ExprKind::Field(field) => Some(field.table.local),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns it as a side of a relation that the library has, if it is one.
    pub(super) fn into_side(mut self) -> Result<Side, Terms> {
        match (self.terms.pop(), self.terms.is_empty()) {
            (
                Some(Term::Operand(Operand::Field(value, FieldKind::Uint | FieldKind::Bits, _))),
                true,
            ) => Ok(Side::Field(value)),
            (Some(Term::Operand(Operand::Number(value))), true) => Ok(Side::Number(value)),
            (Some(Term::Operand(Operand::Word(value))), true) => Ok(Side::Word(value)),
            (last, _) => {
                self.terms.extend(last);
                Err(self)
            }
        }
    }

    /// Returns the field, if it is one that has no sign.
    pub(super) fn into_plain_field(self) -> Result<Expr, Terms> {
        match self.into_side() {
            Ok(Side::Field(value)) => Ok(value),
            Ok(side) => Err(side.into()),
            Err(terms) => Err(terms),
        }
    }

    /// Returns whether a number may be negative.
    pub(super) fn may_be_negative(&self) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for term in &self.terms {
            let negative = match term {
                Term::Operand(Operand::Field(_, kind, _)) => *kind == FieldKind::Int,
                Term::Operand(Operand::Number(number)) => {
                    !matches!(number.kind, ExprKind::Int(0..))
                }
                Term::Operand(Operand::Slice(_) | Operand::Word(_)) => false,
                Term::Apply(op) => {
                    let (right, left) = (stack.pop(), stack.pop());
                    let (left, right) = (left == Some(true), right == Some(true));
                    match op {
                        ColumnOp::Add | ColumnOp::Saturate { .. } | ColumnOp::Min => left || right,
                        ColumnOp::Max => left && right,
                        ColumnOp::Sub => true,
                        ColumnOp::AbsDiff => false,
                    }
                }
            };
            stack.push(negative);
        }
        stack.contains(&true)
    }

    /// Returns the kind of the fields after the term with this number, for `+|`; `None` if there is
    /// none, and an error if they are of both kinds.
    fn kind_from(&self, first: usize) -> Result<Option<FieldKind>, ()> {
        let mut found = None;
        for term in &self.terms[first..] {
            let Term::Operand(Operand::Field(_, kind, _)) = term else { continue };
            match found {
                None => found = Some(*kind),
                Some(other) if other == *kind => {}
                Some(_) => return Err(()),
            }
        }
        Ok(found)
    }

    fn bits(&self) -> Option<Span> {
        self.terms.iter().find_map(|term| match term {
            Term::Operand(Operand::Field(value, FieldKind::Bits, _)) => Some(value.span),
            _ => None,
        })
    }
}

/// A side of a relation of plain fields.
pub(super) enum Side {
    /// A field of numbers without a sign, or of bits.
    Field(Expr),
    /// The same integer for all rows.
    Number(Expr),
    /// The same word for all rows.
    Word(Expr),
}

impl From<Side> for Terms {
    fn from(side: Side) -> Self {
        let operand = match side {
            Side::Field(value) => Operand::Field(value, FieldKind::Uint, None),
            Side::Number(value) => Operand::Number(value),
            Side::Word(value) => Operand::Word(value),
        };
        Terms { terms: vec![Term::Operand(operand)], n_passes: 0 }
    }
}

impl Checker<'_> {
    // ---- recognition ----

    /// Returns the kind of the field that an expression is.
    fn any_field_kind(&self, tree: &ast::Expr) -> Option<FieldKind> {
        let ast::ExprKind::Path(path) = &tree.kind else { return None };
        let local = self.variable(&path.name.name)?;
        let record = self.local(local).record.as_deref()?;
        let layout = self.constants.layout(record.id);
        let field = match path.steps.as_slice() {
            [Step::Field(name)] | [Step::Field(name), Step::Index(_)] => {
                layout.field(&name.name)?
            }
            _ => return None,
        };
        Some(layout.fields[field].kind)
    }

    /// Returns the kind of the field of several columns that an expression is.
    pub(super) fn field_kind(&self, tree: &ast::Expr) -> Option<FieldKind> {
        self.any_field_kind(tree).filter(|kind| *kind != FieldKind::Bit)
    }

    /// Returns whether an expression is a number for each row: a field of several columns, or
    /// arithmetic with a field.
    pub(super) fn is_column(&self, tree: &ast::Expr) -> bool {
        self.field_kind(tree).is_some() || self.is_column_arithmetic(tree)
    }

    /// Returns whether an expression is arithmetic with a field in it.
    pub(super) fn is_column_arithmetic(&self, tree: &ast::Expr) -> bool {
        let has_field = |tree: &ast::Expr| {
            self.any_field_kind(tree).is_some() || self.is_column_arithmetic(tree)
        };
        match &tree.kind {
            ast::ExprKind::Chain(chain) => {
                chain.links.iter().any(|link| is_arithmetic(link.op))
                    && (has_field(&chain.first)
                        || chain.links.iter().any(|link| has_field(&link.operand)))
            }
            ast::ExprKind::Neg(operand) => has_field(operand),
            ast::ExprKind::Ref(call) => {
                self.column_function(call).is_some_and(|(_, args)| args.iter().any(has_field))
            }
            ast::ExprKind::Error
            | ast::ExprKind::Int(_)
            | ast::ExprKind::Bool(_)
            | ast::ExprKind::Bits(_)
            | ast::ExprKind::Str(_)
            | ast::ExprKind::Theta
            | ast::ExprKind::Path(_)
            | ast::ExprKind::Name(..)
            | ast::ExprKind::Filtered(_)
            | ast::ExprKind::Not(_)
            | ast::ExprKind::Compare(..) => false,
        }
    }

    /// Returns the operation and the arguments of `min(a,b)`, `max(a,b)` or `absdiff(a,b)`, unless
    /// the program declares such a routine.
    fn column_function<'t>(&self, call: &'t ast::Ref) -> Option<(ColumnOp, &'t [ast::Expr])> {
        let args = call.args.as_deref()?;
        let is = |name: &str| name.eq_ignore_ascii_case(&call.name.name);
        let op = match () {
            () if is("min") => ColumnOp::Min,
            () if is("max") => ColumnOp::Max,
            () if is("absdiff") => ColumnOp::AbsDiff,
            () => return None,
        };
        let is_free = || self.variable(&call.name.name).is_none();
        (args.len() == 2 && is_free() && !self.world.hides(self.unit, &call.name.name))
            .then_some((op, args))
    }

    /// Returns whether arithmetic in a column expression has one value for each row.
    fn has_rows(&self, tree: &ast::Expr) -> bool {
        match &tree.kind {
            ast::ExprKind::Chain(chain) => {
                self.has_rows(&chain.first)
                    || chain.links.iter().any(|link| self.has_rows(&link.operand))
            }
            ast::ExprKind::Name(name, _) => {
                self.variable(name).is_some_and(|local| self.kind(local) == TyKind::Slice)
            }
            ast::ExprKind::Neg(operand) | ast::ExprKind::Not(operand) => self.has_rows(operand),
            ast::ExprKind::Compare(_, sides) => sides.iter().any(|side| self.is_column(side)),
            _ => self.any_field_kind(tree).is_some() || self.is_column_arithmetic(tree),
        }
    }

    // ---- column expressions ----

    /// Checks an expression in which an operand is a number for each row.
    pub(super) fn column(&mut self, tree: &ast::Expr) -> Option<Terms> {
        let mut terms = Terms::default();
        self.column_terms(tree, &mut terms)?;
        if terms.n_passes > MAX_PASSES {
            let message = format!(
                "more than {MAX_PASSES} `min`, `max`, `absdiff` and `+|` in one expression"
            );
            let diagnostic = Diagnostic::at(Code::NestedTooDeeply, tree.span, message);
            self.report(diagnostic.help("assign a part of it to a field first"));
            return None;
        }
        if let (Some(bits), true) = (terms.bits(), terms.terms.len() > 1) {
            self.report(
                Diagnostic::at(Code::TypeMismatch, bits, "`bits` are not a number")
                    .help("declare the field as `uint(k)`"),
            );
            return None;
        }
        Some(terms)
    }

    fn column_terms(&mut self, tree: &ast::Expr, terms: &mut Terms) -> Option<()> {
        match &tree.kind {
            ast::ExprKind::Chain(chain) if self.is_row_arithmetic(tree) => {
                let first = terms.terms.len();
                let mut is_right = self.column_terms(&chain.first, terms);
                for link in &chain.links {
                    let op = self.column_op(link);
                    let operand = self.column_terms(&link.operand, terms);
                    is_right = is_right.and(operand);
                    match op {
                        Some(op) => {
                            is_right = is_right.and(self.apply(op, first, link.op_span, terms))
                        }
                        None => is_right = None,
                    }
                }
                is_right
            }
            ast::ExprKind::Neg(operand) if self.has_rows(operand) => {
                let message = "a column has no unary minus";
                let meant = format!("0 - {}", self.sources.slice(operand.span));
                let title = format!("write `{meant}`");
                self.report(
                    Diagnostic::at(Code::TypeMismatch, tree.span, message)
                        .fix(title, tree.span, meant),
                );
                None
            }
            ast::ExprKind::Ref(call) if self.has_rows(tree) => {
                let (op, args) = self.column_function(call)?;
                let first = terms.terms.len();
                let left = self.column_terms(&args[0], terms);
                let right = self.column_terms(&args[1], terms);
                left.and(right)?;
                self.apply(op, first, tree.span, terms)
            }
            _ => {
                let operand = self.column_operand(tree)?;
                terms.terms.push(Term::Operand(operand));
                Some(())
            }
        }
    }

    /// Returns whether it is a chain of arithmetic of which an operand has a value for each row.
    fn is_row_arithmetic(&self, tree: &ast::Expr) -> bool {
        let ast::ExprKind::Chain(chain) = &tree.kind else { return false };
        chain.links.iter().any(|link| is_arithmetic(link.op)) && self.has_rows(tree)
    }

    /// Adds an operation on the terms from number `first` on.
    fn apply(&mut self, op: ColumnOp, first: usize, span: Span, terms: &mut Terms) -> Option<()> {
        let op = match op {
            ColumnOp::Saturate { .. } => match terms.kind_from(first) {
                Ok(Some(kind)) => ColumnOp::Saturate { is_signed: kind == FieldKind::Int },
                Ok(None) => {
                    let message = "`+|` needs a field";
                    self.report(
                        Diagnostic::at(Code::TypeMismatch, span, message)
                            .note("it is at most the greatest number of its widest field"),
                    );
                    return None;
                }
                Err(()) => {
                    let message = "the fields of `+|` must all be `uint` or all be `int`";
                    self.report(Diagnostic::at(Code::TypeMismatch, span, message));
                    return None;
                }
            },
            op => op,
        };
        terms.n_passes += usize::from(!matches!(op, ColumnOp::Add | ColumnOp::Sub));
        terms.terms.push(Term::Apply(op));
        Some(())
    }

    /// Returns the operation of an operator, or reports it.
    fn column_op(&mut self, link: &ast::Link) -> Option<ColumnOp> {
        let (sign, routines) = match link.op {
            BinaryOp::Add => return Some(ColumnOp::Add),
            BinaryOp::Sub => return Some(ColumnOp::Sub),
            BinaryOp::Saturate => return Some(ColumnOp::Saturate { is_signed: false }),
            BinaryOp::Mul => (
                "*",
                "`MULTC(F,X,w,T)` multiplies a field with a word, `MULTV(F,G,X,T)` with a field",
            ),
            BinaryOp::Div => {
                ("div", "`DIVC(F,X,w,Q,R)` divides a field by a word, `DIVV(F,G,X,Q,R)` by a field")
            }
            BinaryOp::Mod => (
                "mod",
                "`DIVC(F,X,w,Q,R)` stores the remainders to R, and so does `DIVV(F,G,X,Q,R)`",
            ),
            BinaryOp::And => ("and", "relations are joined in parentheses: `(a = b) and (c > d)`"),
            BinaryOp::Or => ("or", "relations are joined in parentheses: `(a = b) or (c > d)`"),
            BinaryOp::Xor => ("xor", "relations are joined in parentheses: `(a = b) xor (c > d)`"),
        };
        let message = format!("`{sign}` cannot be applied to numbers of rows");
        self.report(Diagnostic::at(Code::TypeMismatch, link.op_span, message).help(routines));
        None
    }

    fn column_operand(&mut self, tree: &ast::Expr) -> Option<Operand> {
        if let (Some(kind), ast::ExprKind::Path(path)) = (self.any_field_kind(tree), &tree.kind) {
            let (field, key) = match self.place_of(path)? {
                (Place::Field(field, _), key) => (field, key),
                _ => return None,
            };
            let effects = field.base.effects;
            let (node, ty) = (ExprKind::Field(field), TyKind::Table);
            let value = Expr { kind: node, ty, span: tree.span, effects };
            let kind = if kind == FieldKind::Bit { FieldKind::Uint } else { kind };
            return Some(Operand::Field(value, kind, key));
        }
        let value = self.expr(tree, Some(TyKind::Int));
        match value.ty {
            TyKind::Int => Some(Operand::Number(value)),
            TyKind::Word => Some(Operand::Word(value)),
            TyKind::Slice => Some(Operand::Slice(value)),
            TyKind::Error => None,
            TyKind::Bool | TyKind::Str | TyKind::Table | TyKind::Handle => {
                let what = value.ty.with_article();
                let message = format!("a field cannot be compared or joined with {what}");
                let mut diagnostic = Diagnostic::at(Code::TypeMismatch, value.span, message)
                    .note("its partners are fields, slices, integers and words");
                if value.ty == TyKind::Table {
                    diagnostic =
                        diagnostic.help("declare the table with a record type to name its fields");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Returns the expression of these terms. `own` is the field that is assigned.
    pub(super) fn finish(
        &mut self,
        terms: Vec<Terms>,
        own: Option<(LocalId, FieldKey)>,
        offset: bool,
    ) -> Column {
        let terms = terms.into_iter().flat_map(|terms| terms.terms);
        let steps = terms.map(|term| {
            let (value, is_signed, is_target) = match term {
                Term::Apply(op) => return ColumnStep::Apply(op),
                Term::Operand(Operand::Field(value, kind, key)) => {
                    let is_target = match &value.kind {
                        ExprKind::Field(field) => own.is_some_and(|(local, own)| {
                            local == field.table.local && key.is_some_and(|key| key.is(own))
                        }),
                        _ => false,
                    };
                    (value, kind == FieldKind::Int, is_target)
                }
                Term::Operand(Operand::Slice(value) | Operand::Word(value)) => {
                    (value, false, false)
                }
                Term::Operand(Operand::Number(number)) => (self.as_word(number), true, false),
            };
            ColumnStep::Operand { value, is_signed, is_target }
        });
        let steps: Vec<ColumnStep> = steps.collect();
        Column { steps, offset }
    }

    /// Returns an integer as a word in two's complement.
    fn as_word(&mut self, number: Expr) -> Expr {
        let (span, effects) = (number.span, number.effects);
        let ExprKind::Int(value) = number.kind else {
            return self.result_of_procedure("TWOS", vec![Arg::Value(number)], TyKind::Word, span);
        };
        let width = 65 - (value ^ (value >> 63)).leading_zeros();
        let bits: Vec<bool> = (0..width).rev().map(|at| value >> at & 1 == 1).collect();
        let bits = BitVector::from_bools(&bits);
        Expr { kind: ExprKind::Bits(Box::new(bits)), ty: TyKind::Word, span, effects }
    }

    /// Returns the table of the numbers of a column expression.
    pub(super) fn table_of_numbers(&mut self, terms: Terms, offset: bool, span: Span) -> Expr {
        let column = self.finish(vec![terms], None, offset);
        let effects = column.operands().any(|operand| operand.effects);
        let kind = ExprKind::Numbers(Box::new(column));
        Expr { kind, ty: TyKind::Table, span, effects }
    }

    /// Reports a column expression where a single value is expected.
    pub(super) fn stray_column(&mut self, tree: &ast::Expr) -> Expr {
        let span = tree.span;
        if self.column(tree).is_none() {
            return self.error(span);
        }
        let message = "arithmetic with a field has a number for each row";
        self.report(
            Diagnostic::at(Code::TypeMismatch, span, message)
                .note("it can be assigned to a field, compared, or reduced")
                .help("`E[i].w` is the number of row i, and `sum(…)` the sum of all"),
        );
        self.error(span)
    }

    // ---- assignments ----

    /// Checks the value of a field, or of a column that is one, and returns the assignment.
    pub(super) fn assign_field(
        &mut self,
        (field, kind, key): (Box<Field>, FieldKind, Option<FieldKey>),
        tree: &ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        if let Some(is_high) = self.extreme_in(tree, field.table.local, key) {
            let width = self.again(&field.width);
            // A word has no limit of 63 bits.
            let word = self.extreme(width, is_high, kind, tree.span);
            return self.broadcast(field, word, span);
        }
        let is_masked = self.mask.is_some();
        let is_plain = kind == FieldKind::Bits && self.field_kind(tree).is_some();
        if self.is_column(tree) && !is_plain {
            let terms = self.column(tree)?;
            return self.store_numbers((field, kind, key), terms, span);
        }
        let want = match kind {
            FieldKind::Uint | FieldKind::Int => TyKind::Int,
            FieldKind::Bits => TyKind::Table,
            FieldKind::Bit => TyKind::Slice,
        };
        let value = self.expr(tree, Some(want));
        let operand = match (kind, value.ty) {
            (FieldKind::Bit, TyKind::Slice) if !is_masked => {
                let (table, column) = only_column(*field);
                return Some(StmtKind::Assign(Target::Col(Box::new(column), table), value));
            }
            (FieldKind::Bits, TyKind::Word) => return self.broadcast(field, value, span),
            (FieldKind::Uint | FieldKind::Int | FieldKind::Bits, TyKind::Table) => {
                return match self.mask_for(field.table.local, span) {
                    Some(mask) => self.merged("TMERGE", value, mask, field, span),
                    None => Some(StmtKind::Assign(Target::Field(field), value)),
                };
            }
            (FieldKind::Uint | FieldKind::Int | FieldKind::Bit, TyKind::Int) => {
                Operand::Number(value)
            }
            (FieldKind::Uint | FieldKind::Int, TyKind::Word) => Operand::Word(value),
            (FieldKind::Uint | FieldKind::Int | FieldKind::Bit, TyKind::Slice) => {
                let value = match value.is_sizeless() {
                    true => {
                        let all = self.all_rows(field.table.local, span);
                        joined_slices(all, LogicOp::And, value, span)
                    }
                    false => value,
                };
                Operand::Slice(value)
            }
            (FieldKind::Bits, TyKind::Int) => {
                let message = "a field of `bits` is not a number";
                self.report(
                    Diagnostic::at(Code::TypeMismatch, value.span, message)
                        .note("it gets words of its width: `WORD(5,4)`, `'0101'`")
                        .help("declare the field as `uint(k)`"),
                );
                return None;
            }
            (_, TyKind::Error) => return None,
            _ => {
                self.of_type(value, want);
                return None;
            }
        };
        let terms = Terms { terms: vec![Term::Operand(operand)], n_passes: 0 };
        self.store_numbers((field, kind, key), terms, span)
    }

    /// Returns the assignment of numbers to a field.
    fn store_numbers(
        &mut self,
        (field, kind, key): (Box<Field>, FieldKind, Option<FieldKey>),
        terms: Terms,
        span: Span,
    ) -> Option<StmtKind> {
        let bits = if kind == FieldKind::Bits { Some(span) } else { terms.bits() };
        if let Some(at) = bits {
            let diagnostic = Diagnostic::at(Code::TypeMismatch, at, "`bits` are not a number");
            self.report(diagnostic.help("declare the field as `uint(k)`"));
            return None;
        }
        let own = key.map(|key| (field.table.local, key));
        let column = self.finish(vec![terms], own, false);
        let effects = column.operands().any(|operand| operand.effects);
        let value =
            Expr { kind: ExprKind::Numbers(Box::new(column)), ty: TyKind::Table, span, effects };
        let is_signed = kind == FieldKind::Int;
        let mask = self.mask_for(field.table.local, span);
        let target = NumberField { field: *field, is_signed, mask };
        Some(StmtKind::Assign(Target::Numbers(Box::new(target)), value))
    }

    /// Returns the statement that gives all rows of a field the same word.
    fn broadcast(&mut self, field: Box<Field>, word: Expr, span: Span) -> Option<StmtKind> {
        if let Some(mask) = self.mask_for(field.table.local, span) {
            return self.merged("WMERGE", word, mask, field, span);
        }
        let copy = self.world.library_routine("WCOPY")?;
        let all = self.all_rows(field.table.local, span);
        let args = vec![Arg::Value(word), Arg::Value(all), Arg::Field(field, TyKind::Table)];
        Some(StmtKind::Call(copy, args))
    }

    /// Returns the call of a library procedure that changes the rows of a mask.
    fn merged(
        &mut self,
        procedure: &str,
        value: Expr,
        mask: VarUse,
        field: Box<Field>,
        span: Span,
    ) -> Option<StmtKind> {
        let merge = self.world.library_routine(procedure)?;
        let mask = Expr { kind: ExprKind::Var(mask), ty: TyKind::Slice, span, effects: false };
        let args = [value, mask].map(Arg::Value).into_iter();
        let args = args.chain([Arg::Field(field, TyKind::Table)]).collect();
        Some(StmtKind::Call(merge, args))
    }

    /// Returns a slice with all rows of a table.
    pub(super) fn all_rows(&mut self, table: LocalId, span: Span) -> Expr {
        let kind = ExprKind::NRows(self.fresh_use(table, span));
        let rows = Expr { kind, ty: TyKind::Int, span, effects: false };
        let kind = ExprKind::Ones(Box::new(rows));
        Expr { kind, ty: TyKind::Slice, span, effects: false }
    }

    // ---- extremes ----

    /// Checks `high(F)` or `low(F)`.
    pub(super) fn extreme_of(&mut self, tree: &ast::Expr, is_high: bool, span: Span) -> Expr {
        let (width, kind) = match &tree.kind {
            ast::ExprKind::Path(path) => match self.place_of(path) {
                Some((Place::Field(field, kind @ (FieldKind::Uint | FieldKind::Int)), _)) => {
                    (field.width, kind)
                }
                Some((Place::Field(_, FieldKind::Bit), _)) => (int(1, span), FieldKind::Bit),
                Some(_) => return self.not_a_number_column(tree),
                None => return self.error(span),
            },
            _ => return self.not_a_number_column(tree),
        };
        let word = self.extreme(width, is_high, kind, span);
        self.number_of(word, kind, span)
    }

    /// Returns the number that a word of a field is.
    pub(super) fn number_of(&mut self, word: Expr, kind: FieldKind, span: Span) -> Expr {
        let effects = word.effects;
        let kind = match (kind, self.world.library_routine("SIGNEDINT")) {
            (FieldKind::Int, Some(signed)) => ExprKind::Call(signed, vec![Arg::Value(word)]),
            _ => ExprKind::Builtin(Builtin::Int, vec![word]),
        };
        Expr { kind, ty: TyKind::Int, span, effects }
    }

    fn not_a_number_column(&mut self, tree: &ast::Expr) -> Expr {
        let message = "this is not a field of numbers";
        self.report(Diagnostic::at(Code::TypeMismatch, tree.span, message));
        self.error(tree.span)
    }

    /// Returns the greatest or least number of this width as a word.
    fn extreme(&mut self, width: Expr, is_high: bool, kind: FieldKind, span: Span) -> Expr {
        let word = |kind| Expr { kind, ty: TyKind::Word, span, effects: false };
        let mut high = word(ExprKind::Ones(Box::new(width)));
        if kind == FieldKind::Int {
            let one = Box::new(int(1, span));
            high = word(ExprKind::Shift(Box::new(high), Direction::Down, one));
        }
        if is_high {
            return high;
        }
        word(ExprKind::BitsNot(Box::new(high)))
    }
}

/// Returns whether the operator joins numbers.
pub(super) fn is_arithmetic(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Saturate
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod => true,
        BinaryOp::Or | BinaryOp::Xor | BinaryOp::And => false,
    }
}
