//! Fields and rows of tables of records: `E.w`, `C.w[k]`, `E[i]`, `E[i].w`, and bits of fields.
//!
//! A field is a range of columns. Where one column or one bit is meant, the tree has the nodes of
//! `COL(j,E)` and `E(i,j)` with a computed index; only whole fields and the fields of a row have
//! separate nodes.

use star_base::{Code, Diagnostic, Span, did_you_mean};
use star_ir::{HandlePart, IntOp};
use star_syntax::ast::{self, Step};

use super::layout::FieldKind;
use super::records::{int, joined};
use super::reduce::Reduction;
use super::{Checker, ExpectedName};
use crate::hir::{Arg, Expr, ExprKind, Field, LocalId, Record, StmtKind, Target, TyKind, VarUse};

/// What a path denotes.
pub(super) enum Place {
    /// The named table of a handle.
    Handle(VarUse, Box<HandlePart>),
    /// A field, `E.w`.
    Field(Box<Field>, FieldKind),
    /// A row, `E[i]`.
    Row(VarUse, Expr),
    /// The field of a row, `E[i].w`.
    Cell(Expr, Box<Field>, FieldKind),
    /// A bit, `E.w(i,j)`: its row and its column.
    Bit(VarUse, Expr, Expr),
}

/// The identity of a field that is passed by reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldKey {
    field: usize,
    element: Element,
}

/// The element of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    /// The field is no array.
    Only,
    /// One with a constant index.
    Number(i64),
    /// One with another index.
    Any,
}

impl FieldKey {
    /// Returns whether two fields of one table may have a column in common.
    pub(super) fn overlaps(self, other: FieldKey) -> bool {
        let differ = matches!(
            (self.element, other.element), (Element::Number(a), Element::Number(b)) if a != b
        );
        self.field == other.field && !differ
    }

    /// Returns whether it is certainly the same field.
    pub(super) fn is(self, other: FieldKey) -> bool {
        self == other && self.element != Element::Any
    }
}

impl Checker<'_> {
    /// Checks a path as a value.
    pub(super) fn path(&mut self, path: &ast::Path) -> Expr {
        let span = path.span;
        let Some((place, _)) = self.place_of(path) else { return self.error(span) };
        let node = |kind, ty, effects| Expr { kind, ty, span, effects };
        match place {
            Place::Handle(handle, part) => node(ExprKind::Part(handle, part), TyKind::Table, false),
            Place::Field(field, FieldKind::Bit) => {
                let (table, column) = only_column(*field);
                let effects = column.effects;
                node(ExprKind::Col(Box::new(column), table), TyKind::Slice, effects)
            }
            Place::Field(field, _) => {
                let effects = field.base.effects;
                node(ExprKind::Field(field), TyKind::Table, effects)
            }
            Place::Row(table, index) => {
                let effects = index.effects;
                node(ExprKind::Row(Box::new(index), table), TyKind::Word, effects)
            }
            Place::Cell(index, field, FieldKind::Bit) => {
                let (table, column) = only_column(*field);
                let effects = index.effects || column.effects;
                let kind = ExprKind::Bit(table, Box::new(index), Box::new(column));
                node(kind, TyKind::Int, effects)
            }
            Place::Cell(index, field, kind) => {
                let effects = index.effects || field.base.effects;
                let word = node(ExprKind::Cell(Box::new(index), field), TyKind::Word, effects);
                match kind {
                    FieldKind::Bits => word,
                    FieldKind::Bit | FieldKind::Uint | FieldKind::Int => {
                        self.number_of(word, kind, span)
                    }
                }
            }
            Place::Bit(table, row, column) => {
                let effects = row.effects || column.effects;
                let kind = ExprKind::Bit(table, Box::new(row), Box::new(column));
                node(kind, TyKind::Int, effects)
            }
        }
    }

    /// Checks a path on the left of an assignment and the assigned value.
    pub(super) fn path_assignment(
        &mut self,
        path: &ast::Path,
        value: &ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        let place = self.place_of(path).and_then(|(place, key)| {
            let table = match &place {
                Place::Handle(table, _) | Place::Row(table, _) | Place::Bit(table, ..) => table,
                Place::Field(field, _) | Place::Cell(_, field, _) => &field.table,
            };
            let is_handle = matches!(place, Place::Handle(..));
            (is_handle || self.writable(table.local, path.name.span)).then_some((place, key))
        });
        let place = match place {
            Some((Place::Field(field, kind), key)) => {
                return self.assign_field((field, kind, key), value, span);
            }
            Some((place, _)) => place,
            None => {
                // The field is unknown, not the numbers.
                match self.is_column(value) {
                    true => drop(self.column(value)),
                    false => drop(self.expr(value, None)),
                }
                return None;
            }
        };
        let want = match &place {
            Place::Handle(..) | Place::Field(..) => TyKind::Table,
            Place::Row(..) | Place::Cell(_, _, FieldKind::Bits) => TyKind::Word,
            Place::Cell(_, _, FieldKind::Uint | FieldKind::Int | FieldKind::Bit)
            | Place::Bit(..) => TyKind::Int,
        };
        let mut value = self.typed(value, want);
        if let Place::Cell(_, field, FieldKind::Int) = &place {
            let width = self.again(&field.width);
            let (args, at) = (vec![Arg::Value(value), Arg::Value(width)], span);
            value = self.result_of_procedure("SIGNEDWORD", args, TyKind::Word, at);
        }
        let target = match place {
            Place::Handle(handle, part) => Target::Part(handle, part),
            Place::Field(field, _) => Target::Field(field),
            Place::Row(table, index) => Target::Row(Box::new(index), table),
            Place::Bit(table, row, column) => Target::Bit(table, Box::new(row), Box::new(column)),
            Place::Cell(index, field, _) => Target::Cell(Box::new(index), field),
        };
        Some(StmtKind::Assign(target, value))
    }

    /// Returns whether a value is `high(F)` or `low(F)` of this very field.
    pub(super) fn extreme_in(
        &mut self,
        value: &ast::Expr,
        of: LocalId,
        key: Option<FieldKey>,
    ) -> Option<bool> {
        let ast::ExprKind::Ref(call) = &value.kind else { return None };
        let args = call.args.as_deref()?;
        let is_high = match self.reduction(&call.name, args.len())? {
            Reduction::High => true,
            Reduction::Low => false,
            _ => return None,
        };
        let ast::ExprKind::Path(path) = &args.first()?.kind else { return None };
        let (Place::Field(field, kind), other) = self.place_of(path)? else { return None };
        let is_it = kind != FieldKind::Bit && field.table.local == of && other == key;
        is_it.then_some(is_high)
    }

    /// Checks a path that is passed for a `var` parameter.
    pub(super) fn path_argument(&mut self, path: &ast::Path) -> Option<(Arg, FieldKey)> {
        let (place, key) = self.place_of(path)?;
        let (field, kind) = match place {
            Place::Field(field, FieldKind::Bit) => (field, TyKind::Slice),
            Place::Field(field, _) => (field, TyKind::Table),
            Place::Handle(..) | Place::Row(..) | Place::Cell(..) | Place::Bit(..) => {
                let message = "only a whole field can be passed to a `var` parameter";
                let diagnostic = Diagnostic::at(Code::VarNeedsVariable, path.span, message);
                self.report(diagnostic.help("assign the value to a variable and pass that"));
                return None;
            }
        };
        if !self.writable(field.table.local, path.name.span) {
            return None;
        }
        Some((Arg::Field(field, kind), key?))
    }

    /// Resolves a path; a field also has an identity.
    pub(super) fn place_of(&mut self, path: &ast::Path) -> Option<(Place, Option<FieldKey>)> {
        let ast::Path { name, steps, span } = path;
        let Some(local) = self.variable(&name.name) else {
            self.unknown(name, ExpectedName::Name);
            return None;
        };
        match (self.kind(local), steps.as_slice()) {
            (TyKind::Handle, [Step::Field(part)]) => {
                let (handle, part) = self.handle_part(local, name, part, *span)?;
                Some((Place::Handle(handle, part), None))
            }
            (TyKind::Handle, _) => {
                self.opaque_handle(local, *span);
                None
            }
            (TyKind::Table, _) if self.local(local).record.is_some() => {
                self.record_place(local, path)
            }
            (kind, _) => {
                self.no_path(local, kind, path);
                None
            }
        }
    }

    /// Reports a field or row of a variable that is not a table of records.
    fn no_path(&mut self, local: LocalId, kind: TyKind, path: &ast::Path) {
        let ast::Path { name, steps, span } = path;
        if self.broken_records.contains(&local) {
            return;
        }
        let declared = self.local(local).span;
        let spelled = &name.name;
        let index = match steps.first() {
            Some(Step::Index(index)) => Some(self.sources.slice(index.span)),
            Some(Step::Args(_) | Step::Field(_)) | None => None,
        };
        let what = kind.with_article();
        let diagnostic = match (kind, index) {
            (TyKind::Table, Some(index)) if steps.len() == 1 => {
                let fixed = format!("ROW({index},{spelled})");
                let message = format!("`{spelled}` is not a table of records");
                Diagnostic::at(Code::NoSuchField, *span, message).fix(
                    format!("write `{fixed}`"),
                    *span,
                    fixed,
                )
            }
            (TyKind::Slice | TyKind::Word, Some(index)) if steps.len() == 1 => {
                let fixed = format!("{spelled}({index})");
                let message = "components are written in parentheses";
                Diagnostic::at(Code::NoSuchField, *span, message).fix(
                    format!("write `{fixed}`"),
                    *span,
                    fixed,
                )
            }
            (TyKind::Error, _) => return,
            (TyKind::Table, _) => {
                let message = format!("`{spelled}` is not a table of records");
                Diagnostic::at(Code::NoSuchField, *span, message)
                    .help("declare its type: `table(m) of R`")
            }
            _ => {
                let message = format!("`{spelled}` is {what}, which has no fields");
                Diagnostic::at(Code::NoSuchField, *span, message)
            }
        };
        self.report(diagnostic.label(declared, "declared here"));
    }

    /// Resolves a path that begins with a table of records.
    fn record_place(
        &mut self,
        local: LocalId,
        path: &ast::Path,
    ) -> Option<(Place, Option<FieldKey>)> {
        let record = self.local(local).record.as_deref()?.clone();
        let name = &path.name;
        let (row, steps) = match path.steps.as_slice() {
            [Step::Index(index), steps @ ..] => (Some(self.typed(index, TyKind::Int)), steps),
            steps => (None, steps),
        };
        let table = self.mention(local, name.span);
        let [Step::Field(field), steps @ ..] = steps else {
            return match (row, steps) {
                (Some(row), []) => Some((Place::Row(table, row), None)),
                (_, _) => {
                    self.wrong_step(path, "this is neither a field nor a row");
                    None
                }
            };
        };
        let (field, kind, key, steps) = self.field(table, &record, field, steps, path)?;
        let is_column = kind == FieldKind::Bit;
        Some(match (row, steps) {
            (None, []) => (Place::Field(field, kind), Some(key)),
            (Some(row), []) => (Place::Cell(row, field, kind), None),
            (None, [Step::Args(args)]) => {
                let wanted = if is_column { 1 } else { 2 };
                if args.len() != wanted {
                    let example = if is_column { "(i)" } else { "(i,j)" };
                    let message = format!("a bit of this field is written with `{example}`");
                    self.report(Diagnostic::at(Code::ArgumentCount, path.span, message));
                    return None;
                }
                let row = self.typed(&args[0], TyKind::Int);
                let column = match args.get(1) {
                    Some(index) => {
                        let index = self.typed(index, TyKind::Int);
                        let Field { base, width, .. } = *field;
                        joined(IntOp::Add, base, inside(index, width))
                    }
                    None => only_column(*field).1,
                };
                (Place::Bit(table, row, column), None)
            }
            (Some(_), [Step::Args(_)]) => {
                let message = "the field of a row has no components";
                self.report(
                    Diagnostic::at(Code::NoSuchField, path.span, message)
                        .help("a bit is `E.w(i,j)`, or `E.alive(i)` in a field of one column"),
                );
                return None;
            }
            (_, _) => {
                self.wrong_step(path, "a field has no parts but its bits");
                return None;
            }
        })
    }

    fn wrong_step(&mut self, path: &ast::Path, message: &str) {
        if let [Step::Field(field), Step::Index(index)] = &path.steps[..] {
            let (table, index) = (&path.name.name, self.sources.slice(index.span));
            let fixed = format!("{table}[{index}].{}", field.name);
            let diagnostic = Diagnostic::at(Code::NoSuchField, path.span, message);
            let title = format!("write `{fixed}` for a number of one row");
            self.report(diagnostic.fix(title, path.span, fixed));
            return;
        }
        self.report(
            Diagnostic::at(Code::NoSuchField, path.span, message)
                .note("`E.w` is a field, `C.w[k]` an element of an array, `E[i]` a row, `E[i].w` the field of a row"),
        );
    }

    /// Resolves a field, with the index of its element if it is an array. Returns the remaining
    /// steps, too.
    fn field<'s>(
        &mut self,
        table: VarUse,
        record: &Record,
        name: &ast::Ident,
        steps: &'s [Step],
        path: &ast::Path,
    ) -> Option<(Box<Field>, FieldKind, FieldKey, &'s [Step])> {
        let span = path.span;
        let layout = self.constants.layout(record.id);
        let Some(idx) = layout.field(&name.name) else {
            let message = format!("`{}` has no field `{}`", record.name, name.name);
            let declared = self.world.types[record.id].tree.name.span;
            let mut diagnostic = Diagnostic::at(Code::NoSuchField, name.span, message)
                .label(declared, "declared here");
            let names = layout.fields.iter().map(|field| field.name.as_str());
            if let Some(meant) = did_you_mean(&name.name, names) {
                let title = format!("did you mean `{meant}`?");
                diagnostic = diagnostic.suggestion(title, name.span, meant);
            }
            self.report(diagnostic);
            return None;
        };
        let field = &layout.fields[idx];
        let kind = field.kind;
        let base = self.columns(&field.base, &record.args, span);
        let width = self.columns(&field.width, &record.args, span);
        let mut key = FieldKey { field: idx, element: Element::Only };
        let Some(count) = &field.count else {
            let field = Box::new(Field { table, base, width, number: idx, span });
            return Some((field, kind, key, steps));
        };
        let [Step::Index(index), steps @ ..] = steps else {
            let message = format!("`{}` is an array", name.name);
            self.report(
                Diagnostic::at(Code::NoSuchField, name.span, message)
                    .label(field.span, "declared here")
                    .help(format!("an element is `{}[k]`", name.name)),
            );
            return None;
        };
        let index = self.typed(index, TyKind::Int);
        if index.effects {
            let message = "the index of an element cannot change a variable";
            let diagnostic = Diagnostic::at(Code::NoSuchField, index.span, message);
            self.report(diagnostic.help("assign the index to a variable first"));
            return None;
        }
        key.element = match index.kind {
            ExprKind::Int(number) => Element::Number(number),
            _ => Element::Any,
        };
        let count = self.columns(count, &record.args, span);
        let before = joined(IntOp::Sub, inside(index, count), int(1, span));
        let step = self.columns(&field.width, &record.args, span);
        let base = joined(IntOp::Add, base, joined(IntOp::Mul, before, step));
        Some((Box::new(Field { table, base, width, number: idx, span }), kind, key, steps))
    }

    /// Returns the field that a path denotes, for a built-in that needs a table.
    pub(super) fn field_of(&mut self, path: &ast::Path) -> Option<Box<Field>> {
        let found = match self.place_of(path)? {
            (Place::Field(_, FieldKind::Bit), _) => Some(TyKind::Slice),
            (Place::Field(field, _), _) => return Some(field),
            (Place::Handle(..), _) => None,
            (Place::Row(..) | Place::Cell(_, _, FieldKind::Bits), _) => Some(TyKind::Word),
            (Place::Cell(..) | Place::Bit(..), _) => Some(TyKind::Int),
        };
        match found {
            Some(found) => self.type_mismatch(path.span, TyKind::Table, found, None),
            None => {
                let message = "this needs a variable or a field";
                let diagnostic = Diagnostic::at(Code::VarNeedsVariable, path.span, message);
                self.report(diagnostic.help("assign the table to a variable first"));
            }
        }
        None
    }

    /// Returns the column that a path denotes, for a built-in that changes a slice.
    pub(super) fn column_of(&mut self, path: &ast::Path) -> Option<(VarUse, Expr)> {
        match self.place_of(path)? {
            (Place::Field(field, FieldKind::Bit), _) => {
                let (table, column) = only_column(*field);
                self.writable(table.local, path.name.span).then_some((table, column))
            }
            _ => {
                let message = "this needs a slice or word";
                self.report(Diagnostic::at(Code::VarNeedsVariable, path.span, message));
                None
            }
        }
    }
}

/// Returns the table and the column of a field of one column.
pub(super) fn only_column(field: Field) -> (VarUse, Expr) {
    let Field { table, base, width: _, number: _, span } = field;
    (table, joined(IntOp::Add, base, int(1, span)))
}

/// Returns an index that is checked to be in `1..limit`.
pub(super) fn inside(index: Expr, limit: Expr) -> Expr {
    let (span, effects) = (index.span, index.effects);
    if let (ExprKind::Int(index), ExprKind::Int(limit)) = (&index.kind, &limit.kind)
        && (1..=*limit).contains(index)
    {
        return int(*index, span);
    }
    let kind = ExprKind::Inside(Box::new(index), Box::new(limit));
    Expr { kind, ty: TyKind::Int, span, effects }
}
