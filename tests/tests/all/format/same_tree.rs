//! Comparison of two syntax trees except for locations and assignment symbols. Every node is
//! destructured, so that a new field does not compile until it is compared.
//!
//! Names are equal regardless of letter case: the meaning of names is compared through the
//! compiler's messages for both texts, and by the tests of [`star_compiler::Formatter`].

use star_syntax::ast::{
    ArrayBounds, Assign, Expr, ExprKind, FieldName, Fields, File, Filtered, Forall, Ident, Item,
    Link, Params, Path, RecordTable, RecordType, Ref, Routine, Step, Stmt, StmtKind, Type,
    TypeKind, Vars,
};

pub(super) fn same_file(one: &File, two: &File) -> bool {
    let (File { items: a }, File { items: b }) = (one, two);
    all(a, b, same_item)
}

fn all<T>(one: &[T], two: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(a, b)| same(a, b))
}

fn optional<T>(one: Option<&T>, two: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (one, two) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn same_item(one: &Item, two: &Item) -> bool {
    match (one, two) {
        (Item::Import { path: a, span: _ }, Item::Import { path: b, span: _ }) => a == b,
        (Item::Const { name: n, value: a }, Item::Const { name: m, value: b }) => {
            same_declared(n, m) && same_expr(a, b)
        }
        (Item::Type(a), Item::Type(b)) => same_record(a, b),
        (Item::Routine(a), Item::Routine(b)) => same_routine(a, b),
        (Item::Import { .. } | Item::Const { .. } | Item::Type(_) | Item::Routine(_), _) => false,
    }
}

fn same_record(one: &RecordType, two: &RecordType) -> bool {
    let RecordType { name, params, fields, span: _ } = one;
    let same_fields = |one: &Fields, two: &Fields| {
        let Fields { names, array, kind, width } = one;
        let same_field = |one: &FieldName, two: &FieldName| {
            let FieldName { name, in_files } = one;
            same_declared(name, &two.name) && *in_files == two.in_files
        };
        let same_bounds = |one: &ArrayBounds, two: &ArrayBounds| {
            let ArrayBounds { first, last, span: _ } = one;
            same_expr(first, &two.first) && same_expr(last, &two.last)
        };
        all(names, &two.names, same_field)
            && optional(array.as_ref(), two.array.as_ref(), same_bounds)
            && same_declared(kind, &two.kind)
            && optional(width.as_ref(), two.width.as_ref(), same_expr)
    };
    same_declared(name, &two.name)
        && all(params, &two.params, same_declared)
        && all(fields, &two.fields, same_fields)
}

fn same_routine(one: &Routine, two: &Routine) -> bool {
    let Routine { kind, name, params, result, vars, body, header: _, span: _ } = one;
    *kind == two.kind
        && same_declared(name, &two.name)
        && all(params, &two.params, same_params)
        && optional(result.as_ref(), two.result.as_ref(), same_type)
        && all(vars, &two.vars, same_vars)
        && all(body, &two.body, same_stmt)
}

fn same_params(one: &Params, two: &Params) -> bool {
    let Params { by_ref, names, ty } = one;
    *by_ref == two.by_ref && all(names, &two.names, same_declared) && same_type(ty, &two.ty)
}

fn same_vars(one: &Vars, two: &Vars) -> bool {
    let Vars { names, ty } = one;
    all(names, &two.names, same_declared) && same_type(ty, &two.ty)
}

/// Returns whether two declared names are equal: such a name never changes.
fn same_declared(one: &Ident, two: &Ident) -> bool {
    let Ident { name, span: _ } = one;
    *name == two.name
}

fn same_name(one: &Ident, two: &Ident) -> bool {
    let Ident { name, span: _ } = one;
    name.to_lowercase() == two.name.to_lowercase()
}

fn same_type(one: &Type, two: &Type) -> bool {
    let Type { kind, span: _ } = one;
    let size = |a: &Option<Expr>, b: &Option<Expr>| optional(a.as_ref(), b.as_ref(), same_expr);
    match (kind, &two.kind) {
        (TypeKind::Integer, TypeKind::Integer)
        | (TypeKind::Boolean, TypeKind::Boolean)
        | (TypeKind::Str, TypeKind::Str)
        | (TypeKind::Handle, TypeKind::Handle) => true,
        (TypeKind::Slice(a), TypeKind::Slice(b)) | (TypeKind::Word(a), TypeKind::Word(b)) => {
            size(a, b)
        }
        (TypeKind::Table(a, c), TypeKind::Table(b, d)) => size(a, b) && size(c, d),
        (TypeKind::Records(a), TypeKind::Records(b)) => {
            let RecordTable { rows, columns, name, args } = &**a;
            size(rows, &b.rows)
                && size(columns, &b.columns)
                && same_declared(name, &b.name)
                && all(args, &b.args, same_expr)
        }
        (
            TypeKind::Integer
            | TypeKind::Boolean
            | TypeKind::Str
            | TypeKind::Slice(_)
            | TypeKind::Word(_)
            | TypeKind::Table(..)
            | TypeKind::Records(_)
            | TypeKind::Handle,
            _,
        ) => false,
    }
}

fn same_stmt(one: &Stmt, two: &Stmt) -> bool {
    let Stmt { kind, span: _, depth } = one;
    *depth == two.depth && same_stmt_kind(kind, &two.kind)
}

fn same_stmt_kind(one: &StmtKind, two: &StmtKind) -> bool {
    match (one, two) {
        (StmtKind::Empty, StmtKind::Empty) => true,
        // A text with errors is not formatted.
        (StmtKind::Error, StmtKind::Error) => false,
        (StmtKind::Block(a), StmtKind::Block(b)) => all(a, b, same_stmt),
        (StmtKind::If { arms: a, otherwise: c }, StmtKind::If { arms: b, otherwise: d }) => {
            let same_arm = |((t, s), (u, r)): (&(Expr, Stmt), &(Expr, Stmt))| {
                same_expr(t, u) && same_stmt(s, r)
            };
            a.len() == b.len()
                && a.iter().zip(b).all(same_arm)
                && optional(c.as_deref(), d.as_deref(), same_stmt)
        }
        (StmtKind::While { test: a, body: s }, StmtKind::While { test: b, body: r }) => {
            same_expr(a, b) && same_stmt(s, r)
        }
        (StmtKind::Repeat { body: s, until: a }, StmtKind::Repeat { body: r, until: b }) => {
            all(s, r, same_stmt) && same_expr(a, b)
        }
        (StmtKind::Where(a), StmtKind::Where(b)) => {
            let same_arm = |(t, s): &(Expr, Vec<Stmt>), (u, r): &(Expr, Vec<Stmt>)| {
                same_expr(t, u) && all(s, r, same_stmt)
            };
            a.arms.len() == b.arms.len()
                && a.arms.iter().zip(&b.arms).all(|(one, other)| same_arm(one, other))
                && match (&a.otherwise, &b.otherwise) {
                    (Some(s), Some(r)) => all(s, r, same_stmt),
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                }
        }
        (
            StmtKind::For { var: v, assign: p, from: a, to: c, down: e, body: s },
            StmtKind::For { var: w, assign: q, from: b, to: d, down: f, body: r },
        ) => {
            same_declared(v, w)
                && same_sign(*p, *q)
                && same_expr(a, b)
                && same_expr(c, d)
                && e == f
                && same_stmt(s, r)
        }
        (
            StmtKind::Foreach { var: v, over: a, body: s },
            StmtKind::Foreach { var: w, over: b, body: r },
        ) => same_declared(v, w) && same_expr(a, b) && same_stmt(s, r),
        (StmtKind::Forall(one), StmtKind::Forall(other)) => {
            let Forall { var: v, over: a, last: c, filter: e, body: s } = &**one;
            let Forall { var: w, over: b, last: d, filter: f, body: r } = &**other;
            same_declared(v, w)
                && same_expr(a, b)
                && optional(c.as_ref(), d.as_ref(), same_expr)
                && optional(e.as_ref(), f.as_ref(), same_expr)
                && same_stmt(s, r)
        }
        (
            StmtKind::Assign { target: a, assign: p, value: c },
            StmtKind::Assign { target: b, assign: q, value: d },
        ) => same_ref(a, b) && same_sign(*p, *q) && same_expr(c, d),
        (
            StmtKind::AssignPath { target: a, assign: p, value: c },
            StmtKind::AssignPath { target: b, assign: q, value: d },
        ) => same_path(a, b) && same_sign(*p, *q) && same_expr(c, d),
        (StmtKind::Call(a), StmtKind::Call(b)) => same_ref(a, b),
        (StmtKind::Goto(a), StmtKind::Goto(b)) => same_declared(a, b),
        (StmtKind::Labelled { label: a, body: s }, StmtKind::Labelled { label: b, body: r }) => {
            same_declared(a, b) && same_stmt(s, r)
        }
        (
            StmtKind::Empty
            | StmtKind::Error
            | StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Where(_)
            | StmtKind::For { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall(_)
            | StmtKind::Assign { .. }
            | StmtKind::AssignPath { .. }
            | StmtKind::Call(_)
            | StmtKind::Goto(_)
            | StmtKind::Labelled { .. },
            _,
        ) => false,
    }
}

/// Assignment symbols all mean the same.
fn same_sign(one: Assign, _: Assign) -> bool {
    let Assign { kind: _, span: _ } = one;
    true
}

fn same_path(one: &Path, two: &Path) -> bool {
    let Path { name, steps, span: _ } = one;
    let same_step = |one: &Step, two: &Step| match (one, two) {
        (Step::Args(a), Step::Args(b)) => all(a, b, same_expr),
        (Step::Field(a), Step::Field(b)) => same_declared(a, b),
        (Step::Index(a), Step::Index(b)) => same_expr(a, b),
        (Step::Args(_) | Step::Field(_) | Step::Index(_), _) => false,
    };
    same_name(name, &two.name) && all(steps, &two.steps, same_step)
}

fn same_ref(one: &Ref, two: &Ref) -> bool {
    let Ref { name, args, span: _ } = one;
    same_name(name, &two.name)
        && optional(args.as_ref(), two.args.as_ref(), |a, b| all(a, b, same_expr))
}

fn same_expr(one: &Expr, two: &Expr) -> bool {
    let Expr { kind, span: _, depth, parenthesised } = one;
    *depth == two.depth && *parenthesised == two.parenthesised && same_expr_kind(kind, &two.kind)
}

fn same_expr_kind(one: &ExprKind, two: &ExprKind) -> bool {
    match (one, two) {
        (ExprKind::Error, ExprKind::Error) => false,
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Bits(a), ExprKind::Bits(b)) | (ExprKind::Str(a), ExprKind::Str(b)) => a == b,
        (ExprKind::Theta, ExprKind::Theta) => true,
        (ExprKind::Path(a), ExprKind::Path(b)) => same_path(a, b),
        (ExprKind::Filtered(a), ExprKind::Filtered(b)) => {
            let Filtered { value, filter, otherwise } = &**a;
            same_expr(value, &b.value)
                && same_expr(filter, &b.filter)
                && optional(otherwise.as_ref(), b.otherwise.as_ref(), same_expr)
        }
        (ExprKind::Name(a, _), ExprKind::Name(b, _)) => a.to_lowercase() == b.to_lowercase(),
        (ExprKind::Ref(a), ExprKind::Ref(b)) => same_ref(a, b),
        (ExprKind::Not(a), ExprKind::Not(b)) | (ExprKind::Neg(a), ExprKind::Neg(b)) => {
            same_expr(a, b)
        }
        (ExprKind::Chain(a), ExprKind::Chain(b)) => {
            let same_link = |one: &Link, two: &Link| {
                let Link { op, op_span: _, operand } = one;
                *op == two.op && same_expr(operand, &two.operand)
            };
            same_expr(&a.first, &b.first) && all(&a.links, &b.links, same_link)
        }
        (ExprKind::Compare(o, a), ExprKind::Compare(p, b)) => {
            o == p && all(&a[..], &b[..], same_expr)
        }
        (
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Path(_)
            | ExprKind::Filtered(_)
            | ExprKind::Name(..)
            | ExprKind::Ref(_)
            | ExprKind::Not(_)
            | ExprKind::Neg(_)
            | ExprKind::Chain(..)
            | ExprKind::Compare(..),
            _,
        ) => false,
    }
}
