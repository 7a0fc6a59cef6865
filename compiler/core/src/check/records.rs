//! Tables of records: their types with arguments, and the parameters that headers bind.

use std::collections::BTreeMap;

use star_base::{Code, Diagnostic, Span};
use star_ir::IntOp;
use star_syntax::ast::{self, ExprKind, TypeKind};

use super::constant::Value;
use super::header::{names_in, sizes};
use super::layout::{self, Terms};
use super::{Checker, ExpectedName};
use crate::hir::{
    Arg, ChainOp, Expr, ExprKind as Kind, LocalId, Record, RecordArg, Role, RoutineId, Site, Size,
    Ty, TyKind, VarUse,
};
use crate::session::{FieldKind, RecordField, RecordType};

/// Maximum number of elements of an array that a session shows.
const MAX_ELEMENTS: usize = 1000;

/// The type of a variable, and its record type if it is a table of records.
pub(super) struct Declared {
    pub(super) ty: Ty,
    pub(super) record: Option<Box<Record>>,
}

impl From<Ty> for Declared {
    fn from(ty: Ty) -> Self {
        Declared { ty, record: None }
    }
}

impl Checker<'_> {
    /// Returns the type parameters that a header binds and nothing else in it determines: callers
    /// pass them together with the tables.
    pub(super) fn implicit_names(&self, tree: &ast::Routine, unit: usize) -> Vec<ast::Ident> {
        let mut measured: Vec<(ast::Ident, bool)> = Vec::new();
        for group in &tree.params {
            sizes(&group.ty).for_each(|size| names_in(size, true, &mut measured));
        }
        let is_measured =
            |name: &str| measured.iter().any(|(one, alone)| *alone && one.name == name);
        let is_param = |name: &str| {
            tree.params.iter().flat_map(|group| &group.names).any(|one| one.name == name)
        };
        let mut found: Vec<ast::Ident> = Vec::new();
        for group in &tree.params {
            let TypeKind::Records(table) = &group.ty.kind else { continue };
            for name in table.args.iter().filter_map(ast::Expr::plain_name) {
                let is_other = is_param(&name.name)
                    || is_measured(&name.name)
                    || self.world.constant(unit, &name.name).is_some()
                    || found.iter().any(|one| one.name == name.name);
                if !is_other {
                    found.push(name);
                }
            }
        }
        found
    }

    /// Checks the type of a table of records.
    pub(super) fn record_table(&mut self, table: &ast::RecordTable, span: Span) -> Declared {
        let failed = |rows: Size| Declared::from(Ty::Table(rows, None));
        if let Some(columns) = &table.columns {
            let message = format!("`{}` determines the number of columns", table.name.name);
            let diagnostic = Diagnostic::at(Code::RecordArguments, columns.span, message);
            self.report(diagnostic.help(format!("write `table(m) of {}`", table.name.name)));
        }
        let rows = match &table.rows {
            Some(rows) => self.size(Some(rows), TyKind::Slice),
            None => {
                let message = "a table of records needs its number of rows";
                let diagnostic = Diagnostic::at(Code::RecordArguments, span, message);
                self.report(diagnostic.help(format!("write `table(m) of {}`", table.name.name)));
                None
            }
        };
        let Some(id) = self.world.record(self.unit, &table.name.name) else {
            self.unknown(&table.name, ExpectedName::Type);
            return failed(rows);
        };
        let decl = &self.world.types[id];
        let n_params = decl.tree.params.len();
        let declared = decl.tree.name.span;
        if table.args.len() != n_params {
            let (expected, s) = crate::scope::counted(n_params, "argument");
            let (name, n_args) = (&table.name.name, table.args.len());
            let were = crate::scope::were(n_args);
            let message = format!("`{name}` takes {expected}{s}, but {n_args} {were} given");
            self.report(
                Diagnostic::at(Code::RecordArguments, table.name.span, message)
                    .label(declared, "declared here"),
            );
            return failed(rows);
        }
        let args: Vec<Option<RecordArg>> =
            table.args.iter().map(|arg| self.record_arg(arg)).collect();
        let args: Option<Vec<RecordArg>> = args.into_iter().collect();
        let layout = self.constants.layout(id);
        let (Some(args), false, true) = (args, layout.is_wrong, rows.is_some()) else {
            return failed(rows);
        };
        let width = self.columns(&layout.width, &args, span);
        let record = Record { id, name: table.name.name.to_string(), args };
        Declared { ty: Ty::Table(rows, Some(Box::new(width))), record: Some(Box::new(record)) }
    }

    /// Checks an argument of a record type: it must not change while the routine runs.
    fn record_arg(&mut self, tree: &ast::Expr) -> Option<RecordArg> {
        let refuse = |checker: &mut Self| {
            let message = "an argument of a record type is a name or a number";
            let help = match checker.declaring {
                Some(_) => "write a number or the name of a constant",
                None => "use a constant, a value parameter, or a name that the header binds",
            };
            checker.report(Diagnostic::at(Code::RecordArguments, tree.span, message).help(help));
        };
        if let ExprKind::Int(number) = tree.kind {
            let number = i64::try_from(number).ok().map(RecordArg::Number);
            if number.is_none() {
                refuse(self);
            }
            return number;
        }
        let Some(name) = tree.plain_name() else {
            if !tree.is_error() {
                refuse(self);
            }
            return None;
        };
        if let Some(local) = self.variable(&name.name) {
            let is_fixed =
                matches!(self.local(local).role, Role::Value | Role::Binding | Role::Implicit);
            if self.kind(local) != TyKind::Int || !is_fixed {
                refuse(self);
                return None;
            }
            self.record(local, name.span, crate::uses::Access::Reads);
            return Some(RecordArg::Var(local));
        }
        match self.constant(&name).map(|idx| self.constants.value(idx)) {
            Some(Value::Int(number)) if number >= 0 => Some(RecordArg::Number(number)),
            Some(Value::Error) => None,
            Some(_) => {
                refuse(self);
                None
            }
            None => {
                self.unknown(&name, ExpectedName::Name);
                None
            }
        }
    }

    /// Returns a number of columns with the arguments for the parameters.
    pub(super) fn columns(&mut self, terms: &Terms, args: &[RecordArg], span: Span) -> Expr {
        let mut sum: BTreeMap<Vec<LocalId>, i64> = BTreeMap::new();
        let mut overflows = false;
        for (params, factor) in terms {
            let (mut factor, mut vars) = (Some(*factor), Vec::new());
            for &param in params {
                match args.get(param) {
                    Some(RecordArg::Number(number)) => {
                        factor = factor.and_then(|factor| factor.checked_mul(*number));
                    }
                    Some(RecordArg::Var(local)) => vars.push(*local),
                    None => {}
                }
            }
            vars.sort_unstable();
            let entry = sum.entry(vars).or_insert(0);
            match factor.and_then(|factor| entry.checked_add(factor)) {
                Some(factor) => *entry = factor,
                None => overflows = true,
            }
        }
        if overflows {
            self.report(Diagnostic::at(
                Code::NumberTooLarge,
                span,
                "the type has too many columns",
            ));
        }
        sum.retain(|_, factor| *factor != 0);
        // The number alone comes last.
        let number = sum.remove(&Vec::new()).unwrap_or(0);
        let mut total: Option<Expr> = None;
        for (vars, factor) in sum {
            let mut product = (factor != 1).then(|| int(factor, span));
            for local in vars {
                let var = self.size_use(local, span);
                product = Some(match product {
                    Some(product) => joined(IntOp::Mul, product, var),
                    None => var,
                });
            }
            let product = product.unwrap_or_else(|| int(factor, span));
            total = Some(match total {
                Some(total) => joined(IntOp::Add, total, product),
                None => product,
            });
        }
        match total {
            Some(total) => joined(IntOp::Add, total, int(number, span)),
            None => int(number, span),
        }
    }

    /// Returns a record type whose arguments are numbers, for a variable of a session.
    pub(super) fn record_type(&self, record: &Record) -> Option<RecordType> {
        let args: Option<Vec<i64>> = record
            .args
            .iter()
            .map(|arg| match arg {
                RecordArg::Number(number) => Some(*number),
                RecordArg::Var(_) => None,
            })
            .collect();
        let args = args?;
        let layout = self.constants.layout(record.id);
        let number = |terms: &Terms| {
            let product = |(params, factor): (&Vec<usize>, &i64)| {
                params.iter().try_fold(*factor, |product, param| product.checked_mul(args[*param]))
            };
            let sum = terms.iter().map(product).try_fold(0_i64, |sum, one| sum.checked_add(one?));
            sum.and_then(|sum| usize::try_from(sum).ok())
        };
        let mut fields = Vec::new();
        for field in &layout.fields {
            let (base, width) = (number(&field.base)?, number(&field.width)?);
            let kind = match field.kind {
                layout::FieldKind::Uint | layout::FieldKind::Bit => FieldKind::Unsigned,
                layout::FieldKind::Int => FieldKind::Signed,
                layout::FieldKind::Bits => FieldKind::Bits,
            };
            let count = field.count.as_ref().map(number);
            for element in 0..count.unwrap_or(Some(1))?.min(MAX_ELEMENTS) {
                let name = match count {
                    None => field.name.clone(),
                    Some(_) => format!("{}[{}]", field.name, element + 1),
                };
                let start = base + element * width;
                fields.push(RecordField { name, columns: start..start + width, kind });
            }
        }
        Some(RecordType { name: record.name.clone(), args, fields })
    }

    /// Returns the record type of a variable of a session, unless another type now has its name.
    pub(super) fn same_record(&self, of: &RecordType) -> Option<Record> {
        let id = self.world.record(self.unit, &of.name)?;
        if self.world.types[id].tree.params.len() != of.args.len() {
            return None;
        }
        let args = of.args.iter().map(|number| RecordArg::Number(*number)).collect();
        let record = Record { id, name: of.name.clone(), args };
        (self.record_type(&record)? == *of).then_some(record)
    }

    /// Adds a mention of an integer that the text does not contain.
    fn size_use(&mut self, local: LocalId, span: Span) -> Expr {
        let kind = Kind::Var(self.fresh_use(local, span));
        Expr { kind, ty: TyKind::Int, span, effects: false }
    }

    /// Returns a number of columns once more, as different mentions.
    pub(super) fn again(&mut self, size: &Expr) -> Expr {
        let kind = match &size.kind {
            Kind::Var(place) => Kind::Var(self.fresh_use(place.local, place.span)),
            Kind::Chain(first, links) => {
                let first = Box::new(self.again(first));
                let links = links.iter().map(|(op, operand)| (*op, self.again(operand)));
                Kind::Chain(first, links.collect())
            }
            Kind::Int(number) => Kind::Int(*number),
            // A size has no other parts.
            _ => Kind::Error,
        };
        Expr { kind, ty: size.ty, span: size.span, effects: size.effects }
    }

    /// Adds a mention of a variable that the text does not contain.
    pub(super) fn fresh_use(&mut self, local: LocalId, span: Span) -> VarUse {
        let site = Site(self.n_sites);
        self.n_sites += 1;
        VarUse { local, site, span }
    }

    /// Reports the assignment of a whole table of records to one of another layout.
    pub(super) fn records_must_match(&mut self, to: LocalId, from: LocalId, at: Span) {
        let records = [to, from].map(|local| self.local(local).record.as_deref());
        let [Some(to_record), Some(from_record)] = records else { return };
        let diagnostic = if to_record.id != from_record.id {
            let message = format!(
                "expected a table of `{}`, found one of `{}`",
                to_record.name, from_record.name
            );
            Diagnostic::at(Code::TypeMismatch, at, message)
        } else if to_record.args != from_record.args {
            let message = format!("the arguments of `{}` may differ", to_record.name);
            Diagnostic::at(Code::RecordArguments, at, message)
        } else {
            return;
        };
        let declared = [to, from].map(|local| self.local(local));
        let mut diagnostic = diagnostic;
        for local in declared {
            diagnostic = diagnostic.label(local.span, format!("`{}` is declared here", local.name));
        }
        let diagnostic = diagnostic.help("assign the fields one by one");
        self.report(diagnostic);
    }

    /// Returns the arguments for the type parameters that the header of a callee binds, and checks
    /// the record types of the arguments.
    pub(super) fn implicit_arguments(
        &mut self,
        id: RoutineId,
        args: &[Arg],
        span: Span,
    ) -> Vec<Arg> {
        let signature = self.world.signature(id);
        let (tree, unit) = (signature.tree, signature.unit);
        let params = tree.params.iter().flat_map(|group| group.names.iter().map(|_| &group.ty));
        let mut given: BTreeMap<String, RecordArg> = BTreeMap::new();
        let mut is_wrong = false;
        for (idx, (ty, arg)) in params.zip(args).enumerate() {
            let TypeKind::Records(wanted) = &ty.kind else { continue };
            let (place, here) = match arg {
                Arg::Ref(place) => (Some(*place), place.span),
                Arg::Value(value) => (value.as_var(), value.span),
                Arg::Field(field, _) => (None, field.span),
            };
            is_wrong |= matches!(arg, Arg::Value(Expr { ty: TyKind::Error, .. }));
            let Some(place) = place else { continue };
            is_wrong |= self.broken_records.contains(&place.local);
            let Some(record) = &self.local(place.local).record else { continue };
            let (args, found) = (record.args.clone(), record.name.clone());
            if self.world.record(unit, &wanted.name.name) != Some(record.id) {
                let param = signature.params[idx].span;
                let message =
                    format!("expected a table of `{}`, found one of `{found}`", wanted.name.name);
                self.report(
                    Diagnostic::at(Code::TypeMismatch, here, message)
                        .label(param, "for this parameter"),
                );
                is_wrong = true;
                continue;
            }
            for (name, arg) in wanted.args.iter().zip(args) {
                if let Some(name) = name.plain_name() {
                    given.entry(name.name.to_string()).or_insert(arg);
                }
            }
        }
        let (mut implicit, mut missing) = (Vec::new(), Vec::new());
        for name in self.implicit_names(tree, unit) {
            let value = match given.get(name.name.as_str()) {
                Some(RecordArg::Number(number)) => int(*number, span),
                Some(RecordArg::Var(local)) => self.size_use(*local, span),
                None => {
                    missing.push(name);
                    self.error(span)
                }
            };
            implicit.push(Arg::Value(value));
        }
        if let Some(first) = missing.first().filter(|_| !is_wrong) {
            let names: Vec<String> =
                missing.iter().map(|name| format!("`{}`", name.name)).collect();
            let message = format!("no argument determines {}", names.join(" and "));
            self.report(
                Diagnostic::at(Code::RecordArguments, span, message)
                    .label(first.span, "a parameter of a record type")
                    .help("pass a table that is declared with this record type"),
            );
        }
        implicit
    }
}

/// Returns an integer.
pub(super) fn int(number: i64, span: Span) -> Expr {
    Expr { kind: Kind::Int(number), ty: TyKind::Int, span, effects: false }
}

/// Joins two integers; numbers that change nothing are omitted.
pub(super) fn joined(op: IntOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    match (op, &left.kind, &right.kind) {
        (_, Kind::Int(a), Kind::Int(b)) if op.apply(*a, *b).is_some() => {
            return int(op.apply(*a, *b).unwrap_or_default(), span);
        }
        (IntOp::Add | IntOp::Sub, _, Kind::Int(0)) | (IntOp::Mul, _, Kind::Int(1)) => return left,
        (IntOp::Add, Kind::Int(0), _) | (IntOp::Mul, Kind::Int(1), _) => return right,
        _ => {}
    }
    let effects = left.effects || right.effects;
    let kind = match left.kind {
        // A sum of several terms is one list.
        Kind::Chain(first, mut links)
            if op == IntOp::Add && links.iter().all(|(op, _)| *op == ChainOp::Int(IntOp::Add)) =>
        {
            links.push((ChainOp::Int(op), right));
            Kind::Chain(first, links)
        }
        _ => Kind::Chain(Box::new(left), vec![(ChainOp::Int(op), right)]),
    };
    Expr { kind, ty: TyKind::Int, span, effects }
}
