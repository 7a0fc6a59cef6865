//! Layouts of record types: the columns of each field, as sums of products of the parameters.

use std::collections::BTreeMap;

pub(crate) use star_base::record::FieldKind;
use star_base::{Code, Diagnostic, Span, did_you_mean};
use star_syntax::ast::{self, BinaryOp, ExprKind};

use super::constant::{Constants, Value};
use crate::scope::{TypeDecl, declared_twice};

/// A number of columns: the factor of each product of parameters, which are given by their numbers.
pub(crate) type Terms = BTreeMap<Vec<usize>, i64>;

/// A field of a record type.
#[derive(Debug)]
pub(crate) struct FieldLayout {
    pub(crate) name: String,
    /// The name in files.
    pub(crate) in_files: String,
    pub(crate) span: Span,
    pub(crate) kind: FieldKind,
    /// The number of columns before the field.
    pub(crate) base: Terms,
    /// The number of columns of the field, or of each of its elements.
    pub(crate) width: Terms,
    /// The number of elements of an array.
    pub(crate) count: Option<Terms>,
}

/// The layout of a record type.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<FieldLayout>,
    pub(crate) width: Terms,
    /// Has an error been reported about it?
    pub(crate) is_wrong: bool,
}

impl Layout {
    /// Returns the number of the field with this name.
    pub(crate) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// Help for a kind that does not exist.
const KINDS: &str =
    "a field is a `uint(k)`, `int(k)`, `bits(k)`, `bit`, or `array[1..n] of` one of these";

impl Constants<'_> {
    /// Returns the layout of a type, and reports its errors.
    pub(super) fn lay_out(&self, decl: &TypeDecl<'_>, diagnostics: &mut Vec<Diagnostic>) -> Layout {
        let n_before = diagnostics.len();
        let mut reader = Reader { constants: self, decl, diagnostics };
        let mut layout = reader.layout();
        layout.is_wrong = diagnostics.len() > n_before;
        layout
    }
}

struct Reader<'c, 'a, 'd> {
    constants: &'c Constants<'a>,
    decl: &'c TypeDecl<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_, '_, '_> {
    fn layout(&mut self) -> Layout {
        let tree = self.decl.tree;
        for (idx, param) in tree.params.iter().enumerate() {
            if let Some(first) = tree.params[..idx].iter().find(|one| one.name == param.name) {
                self.diagnostics.push(declared_twice(&param.name, param.span, first.span));
            }
        }
        let mut layout = Layout::default();
        for group in &tree.fields {
            let (kind, width) = self.kind(group);
            let count = group.array.as_ref().map(|bounds| self.count(bounds));
            let whole = match &count {
                Some(count) => multiply(count, &width),
                None => Some(width.clone()),
            };
            for ast::FieldName { name, in_files } in &group.names {
                if let Some(first) = layout.field(&name.name) {
                    let first = layout.fields[first].span;
                    self.diagnostics.push(declared_twice(&name.name, name.span, first));
                    continue;
                }
                layout.fields.push(FieldLayout {
                    name: name.name.to_string(),
                    in_files: in_files.as_ref().unwrap_or(&name.name).to_string(),
                    span: name.span,
                    kind,
                    base: layout.width.clone(),
                    width: width.clone(),
                    count: count.clone(),
                });
                match whole.as_ref().and_then(|whole| add(&layout.width, whole)) {
                    Some(width) => layout.width = width,
                    None => self.refuse(name.span, "the type has too many columns"),
                }
            }
        }
        layout
    }

    fn refuse(&mut self, span: Span, message: &str) {
        self.diagnostics.push(Diagnostic::at(Code::BadRecordType, span, message));
    }

    /// Returns the kind and the width of a field.
    fn kind(&mut self, group: &ast::Fields) -> (FieldKind, Terms) {
        let name = &group.kind;
        let is = |kind: &str| name.name.eq_ignore_ascii_case(kind);
        let kind = if is("uint") {
            FieldKind::Uint
        } else if is("bits") {
            FieldKind::Bits
        } else if is("bit") {
            FieldKind::Bit
        } else if is("int") {
            FieldKind::Int
        } else {
            let message = format!("`{}` is not a kind of field", name.name);
            let mut diagnostic = Diagnostic::at(Code::BadRecordType, name.span, message);
            diagnostic = match did_you_mean(&name.name, ["uint", "int", "bits", "bit"]) {
                Some(meant) => diagnostic.suggestion(
                    format!("did you mean `{meant}`?"),
                    name.span,
                    meant.to_owned(),
                ),
                None => diagnostic.help(KINDS),
            };
            self.diagnostics.push(diagnostic);
            return (FieldKind::Bits, Terms::new());
        };
        let width = match (kind, &group.width) {
            (FieldKind::Bit, None) => constant(1),
            (FieldKind::Bit, Some(width)) => {
                let message = "a `bit` is one column and has no width";
                self.diagnostics.push(
                    Diagnostic::at(Code::BadRecordType, width.span, message)
                        .help("write `bits(k)` for several columns"),
                );
                constant(1)
            }
            (FieldKind::Uint | FieldKind::Int | FieldKind::Bits, Some(width)) => self.width(width),
            (FieldKind::Uint | FieldKind::Int | FieldKind::Bits, None) => {
                let message = format!("`{}` needs a number of columns", name.name);
                self.diagnostics.push(
                    Diagnostic::at(Code::BadRecordType, name.span, message)
                        .help(format!("write `{}(k)`", name.name)),
                );
                Terms::new()
            }
        };
        (kind, width)
    }

    /// Returns the number of elements of an array.
    fn count(&mut self, bounds: &ast::ArrayBounds) -> Terms {
        if !matches!(bounds.first.kind, ExprKind::Int(1)) {
            let first = bounds.first.span;
            let diagnostic =
                Diagnostic::at(Code::BadRecordType, first, "the first element of an array is 1");
            self.diagnostics.push(diagnostic.fix("write `1`", first, "1"));
        }
        self.width(&bounds.last)
    }

    fn width(&mut self, tree: &ast::Expr) -> Terms {
        self.terms(tree).unwrap_or_default()
    }

    /// Returns a width, or reports it.
    fn terms(&mut self, tree: &ast::Expr) -> Option<Terms> {
        let found = match &tree.kind {
            ExprKind::Error => return None,
            ExprKind::Int(number) => i64::try_from(*number).ok().map(constant),
            ExprKind::Name(name, _) => {
                let params = &self.decl.tree.params;
                if let Some(param) = params.iter().position(|param| param.name == *name) {
                    Some(BTreeMap::from([(vec![param], 1)]))
                } else {
                    match self.constants.named(self.decl.unit, tree) {
                        Some(Value::Int(number)) if number >= 0 => Some(constant(number)),
                        Some(Value::Error) => return None,
                        Some(Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Bits(_)) => {
                            None
                        }
                        None => {
                            let message = format!("`{name}` is not a parameter of the type");
                            let mut diagnostic =
                                Diagnostic::at(Code::UnknownName, tree.span, message);
                            let names = params.iter().map(|param| param.name.as_str());
                            if let Some(meant) = did_you_mean(name, names) {
                                let title = format!("did you mean `{meant}`?");
                                diagnostic = diagnostic.suggestion(title, tree.span, meant);
                            }
                            self.diagnostics.push(diagnostic);
                            return None;
                        }
                    }
                }
            }
            ExprKind::Chain(chain) => {
                let mut sum = self.terms(&chain.first)?;
                for link in &chain.links {
                    let operand = self.terms(&link.operand)?;
                    let joined = match link.op {
                        BinaryOp::Add => add(&sum, &operand),
                        BinaryOp::Mul => multiply(&sum, &operand),
                        BinaryOp::Sub
                        | BinaryOp::Saturate
                        | BinaryOp::Div
                        | BinaryOp::Mod
                        | BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor => None,
                    };
                    match joined {
                        Some(joined) => sum = joined,
                        None => return self.bad_width(link.op_span),
                    }
                }
                Some(sum)
            }
            ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Path(_)
            | ExprKind::Filtered(_)
            | ExprKind::Ref(_)
            | ExprKind::Not(_)
            | ExprKind::Neg(_)
            | ExprKind::Compare(..) => None,
        };
        if found.is_none() { self.bad_width(tree.span) } else { found }
    }

    fn bad_width(&mut self, span: Span) -> Option<Terms> {
        let message = "this is not a number of columns";
        self.diagnostics.push(Diagnostic::at(Code::BadRecordType, span, message).note(
            "a width consists of numbers, constants and parameters of the type, with `+` and `*`",
        ));
        None
    }
}

/// Maximum number of products in a sum.
const MAX_TERMS: usize = 64;

fn constant(number: i64) -> Terms {
    if number == 0 { Terms::new() } else { Terms::from([(Vec::new(), number)]) }
}

/// Returns the sum, unless it is too large.
fn add(left: &Terms, right: &Terms) -> Option<Terms> {
    let mut sum = left.clone();
    for (product, factor) in right {
        let entry = sum.entry(product.clone()).or_insert(0);
        *entry = entry.checked_add(*factor)?;
    }
    (sum.len() <= MAX_TERMS).then_some(sum)
}

/// Returns the product, unless it is too large.
fn multiply(left: &Terms, right: &Terms) -> Option<Terms> {
    let mut product = Terms::new();
    for (a, x) in left {
        for (b, y) in right {
            let mut params: Vec<usize> = a.iter().chain(b).copied().collect();
            params.sort_unstable();
            let term = Terms::from([(params, x.checked_mul(*y)?)]);
            product = add(&product, &term)?;
        }
    }
    Some(product)
}
