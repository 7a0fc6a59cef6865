//! HIR: names resolved, every expression typed. Sizes are still as declared.
//!
//! Note [Sites]. Every mention of a variable is a [`VarUse`] with a number that is unique in the
//! routine, its site. Facts about a mention that an analysis finds (its web, whether the variable
//! may be unset there) are kept in a vector indexed by site, not in the tree.

use std::collections::BTreeMap;

use star_base::record::{FieldKind, RecordField, Width};
use star_base::{Builtin, Intrinsic, Span};
use star_ir::{Direction, HandlePart, IntOp, LogicOp, Relation};
use star_syntax::ast::RoutineKind;
use star_value::BitVector;

/// The number of a routine in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineId(pub u32);

/// The number of a variable in its [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// The number of a mention of a variable; see Note [Sites].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub u32);

/// All routines of a compilation.
#[derive(Debug, Default)]
pub struct Program {
    /// The routines, indexed by [`RoutineId`]. Those of the library come first.
    pub routines: Vec<Routine>,
    /// The fields of the record types, indexed by [`Record::id`].
    pub(crate) types: Vec<Vec<TypeField>>,
}

impl Program {
    /// Returns the routine with number `id`. Panics if it is not of this program, like indexing.
    pub fn routine(&self, id: RoutineId) -> &Routine {
        &self.routines[id.0 as usize]
    }

    /// Returns the fields of a table of records in files; none if it has no record type.
    pub(crate) fn record_fields(&self, routine: &Routine, table: &Local) -> Vec<RecordField> {
        let Some(record) = &table.record else { return Vec::new() };
        let Some(fields) = self.types.get(record.id) else { return Vec::new() };
        let product = |(params, factor): (&Vec<usize>, &i64)| {
            let (mut factor, mut names) = (*factor, Vec::new());
            for param in params {
                match record.args.get(*param) {
                    Some(RecordArg::Number(number)) => factor = factor.saturating_mul(*number),
                    Some(RecordArg::Var(local)) => names.push(routine.local(*local).name.clone()),
                    None => {}
                }
            }
            (factor, names)
        };
        let field = |field: &TypeField| RecordField {
            name: field.name.clone(),
            kind: field.kind,
            width: Width(field.width.iter().map(product).collect()),
            is_array: field.is_array,
        };
        fields.iter().map(field).collect()
    }
}

/// A library procedure that is one machine operation; its Star body is the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineOp {
    /// `MIN(T,X,Z)`
    Min,
    /// `MAX(T,X,Z)`
    Max,
    /// `TCOPY1(T,j,h,F)`
    LoadField,
    /// `TCOPY2(T,j,h,F)`
    StoreField,
}

/// A field of a record type, for files.
#[derive(Debug)]
pub(crate) struct TypeField {
    /// The name in files.
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    /// The factor of each product of parameters of the type.
    pub(crate) width: BTreeMap<Vec<usize>, i64>,
    pub(crate) is_array: bool,
}

/// A procedure, function or program.
#[derive(Debug, PartialEq)]
pub struct Routine {
    /// The name.
    pub name: String,
    /// The kind: procedure, function or program.
    pub kind: RoutineKind,
    /// The parameters, in order.
    pub params: Vec<LocalId>,
    /// The codes of the texts with which it compares fields: further parameters, which no call can
    /// give.
    pub(crate) texts: Vec<TextCode>,
    /// All variables: parameters, bound sizes, locals, a function's result.
    pub locals: Vec<Local>,
    /// The result variable of a function, which has its name.
    pub result: Option<LocalId>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The position of the name.
    pub name_span: Span,
    /// The position of the header.
    pub header: Span,
    /// Is it part of the standard library?
    pub library: bool,
    /// The operation to which a call is lowered.
    pub machine_op: Option<MachineOp>,
    /// The intrinsic that a backend may run instead of the body.
    pub intrinsic: Option<Intrinsic>,
    /// The number of sites.
    pub n_sites: u32,
}

impl Routine {
    /// Returns the variable with number `id`. Panics if it is not of this routine, like indexing.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

/// The code of a text in the file of a table of records.
#[derive(Debug, PartialEq)]
pub(crate) struct TextCode {
    /// The hidden parameter with the code.
    pub(crate) local: LocalId,
    /// The parameter that is the table.
    pub(crate) table: LocalId,
    /// The name of the field in files.
    pub(crate) field: String,
    pub(crate) text: String,
}

/// A variable.
#[derive(Debug, PartialEq)]
pub struct Local {
    /// The name.
    pub name: String,
    /// The position of the declaration.
    pub span: Span,
    /// The type, with its sizes as declared.
    pub ty: Ty,
    /// The role.
    pub role: Role,
    /// The record type of the rows, if it is a table of records.
    pub record: Option<Box<Record>>,
}

impl Local {
    /// Returns whether the compiler introduced the variable, so that no text can mention it.
    pub fn is_hidden(&self) -> bool {
        self.name.starts_with('‹')
    }
}

/// A record type with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the type.
    pub id: usize,
    /// Its name.
    pub name: String,
    /// The arguments for its parameters.
    pub args: Vec<RecordArg>,
}

/// An argument of a record type, constant while the routine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordArg {
    /// A number.
    Number(i64),
    /// An integer that is never assigned.
    Var(LocalId),
}

/// The role of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A value parameter.
    Value,
    /// A `var` parameter.
    Ref,
    /// A size bound by the header; read-only.
    Binding,
    /// A parameter of a record type, bound by the header; read-only. The caller passes it without
    /// writing it, after the other arguments.
    Implicit,
    /// A local variable.
    Local,
    /// A function's result.
    Result,
}

/// A declared size: an optional integer expression.
pub type Size = Option<Box<Expr>>;

/// A type with declared sizes.
#[derive(Debug, PartialEq)]
pub enum Ty {
    /// `integer`
    Int,
    /// `boolean`
    Bool,
    /// `string`
    Str,
    /// `slice`: number of components.
    Slice(Size),
    /// `word`: number of components.
    Word(Size),
    /// `table`: rows, columns.
    Table(Size, Size),
    /// `handle`
    Handle,
}

/// A type without sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// `integer`
    Int,
    /// `boolean`
    Bool,
    /// `string`
    Str,
    /// `slice`
    Slice,
    /// `word`
    Word,
    /// `table`
    Table,
    /// `handle`
    Handle,
    /// Unknown after an error: agrees with everything.
    Error,
}

impl Ty {
    /// Returns the type without sizes.
    pub fn kind(&self) -> TyKind {
        match self {
            Ty::Int => TyKind::Int,
            Ty::Bool => TyKind::Bool,
            Ty::Str => TyKind::Str,
            Ty::Slice(_) => TyKind::Slice,
            Ty::Word(_) => TyKind::Word,
            Ty::Table(..) => TyKind::Table,
            Ty::Handle => TyKind::Handle,
        }
    }

    /// Returns the declared sizes.
    pub(crate) fn declared_sizes(&self) -> impl Iterator<Item = &Expr> {
        let sizes = match self {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [None, None],
            Ty::Slice(size) | Ty::Word(size) => [size.as_deref(), None],
            Ty::Table(rows, columns) => [rows.as_deref(), columns.as_deref()],
        };
        sizes.into_iter().flatten()
    }

    /// Returns whether no size is declared, as for all scalars.
    pub(crate) fn has_no_declared_size(&self) -> bool {
        match self {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => true,
            Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) => self.is_unsized(),
        }
    }

    /// Returns whether no size is declared. Scalars have no sizes and are not unsized.
    pub fn is_unsized(&self) -> bool {
        match self {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => false,
            Ty::Slice(size) | Ty::Word(size) => size.is_none(),
            Ty::Table(rows, _) => rows.is_none(),
        }
    }
}

impl TyKind {
    /// Returns the same kind.
    pub fn of(kind: star_base::Kind) -> Self {
        match kind {
            star_base::Kind::Int => TyKind::Int,
            star_base::Kind::Bool => TyKind::Bool,
            star_base::Kind::Str => TyKind::Str,
            star_base::Kind::Slice => TyKind::Slice,
            star_base::Kind::Word => TyKind::Word,
            star_base::Kind::Table => TyKind::Table,
            star_base::Kind::Handle => TyKind::Handle,
        }
    }

    /// Returns the kind, or `None` for that of an error.
    pub fn known(self) -> Option<star_base::Kind> {
        match self {
            TyKind::Int => Some(star_base::Kind::Int),
            TyKind::Bool => Some(star_base::Kind::Bool),
            TyKind::Str => Some(star_base::Kind::Str),
            TyKind::Slice => Some(star_base::Kind::Slice),
            TyKind::Word => Some(star_base::Kind::Word),
            TyKind::Table => Some(star_base::Kind::Table),
            TyKind::Handle => Some(star_base::Kind::Handle),
            TyKind::Error => None,
        }
    }

    /// Returns the keyword.
    pub fn name(self) -> &'static str {
        self.known().map_or("value", star_base::Kind::name)
    }

    /// Returns the name with an article: `an integer`.
    pub fn with_article(self) -> String {
        self.known().map_or_else(|| "a value".to_owned(), star_base::Kind::with_article)
    }

    /// Returns whether it is a slice or a word.
    pub fn is_bits(self) -> bool {
        matches!(self, TyKind::Slice | TyKind::Word)
    }
}

/// A mention of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarUse {
    /// The variable.
    pub local: LocalId,
    /// The number of the mention.
    pub site: Site,
    /// The position.
    pub span: Span,
}

/// An expression.
#[derive(Debug, PartialEq)]
pub struct Expr {
    /// The variant.
    pub kind: ExprKind,
    /// The type.
    pub ty: TyKind,
    /// The position.
    pub span: Span,
    /// Can its evaluation change a variable?
    pub effects: bool,
}

impl Expr {
    /// Returns the variable, if the expression is one.
    pub fn as_var(&self) -> Option<VarUse> {
        if let ExprKind::Var(place) = self.kind { Some(place) } else { None }
    }

    /// Returns the size denoted by the expression.
    pub(crate) fn as_size(&self) -> SizeTerm {
        match &self.kind {
            ExprKind::Int(value) => SizeTerm::Number(*value),
            ExprKind::Var(place) => SizeTerm::Int(*place),
            ExprKind::NRows(place) => SizeTerm::Rows(*place),
            ExprKind::NCols(place) => SizeTerm::Columns(*place),
            ExprKind::Builtin(Builtin::Length, args) => {
                args.first().and_then(Expr::as_var).map_or(SizeTerm::Computed, SizeTerm::Length)
            }
            ExprKind::Error
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::Chain(..)
            | ExprKind::Neg(_)
            | ExprKind::Compare(..)
            | ExprKind::BoolDiffers(..)
            | ExprKind::Not(_)
            | ExprKind::BitsNot(_)
            | ExprKind::BitsEqual(..)
            | ExprKind::Component(..)
            | ExprKind::Bit(..)
            | ExprKind::Part(..)
            | ExprKind::Field(_)
            | ExprKind::Cell(..)
            | ExprKind::Inside(..)
            | ExprKind::Ones(_)
            | ExprKind::Numbers(_)
            | ExprKind::Relation(..)
            | ExprKind::Result(_)
            | ExprKind::Step(_)
            | ExprKind::Shift(..)
            | ExprKind::Col(..)
            | ExprKind::Row(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..) => SizeTerm::Computed,
        }
    }

    /// Returns whether it consists only of `Θ`, so that the context determines its size.
    pub fn is_sizeless(&self) -> bool {
        match &self.kind {
            ExprKind::Theta => true,
            ExprKind::BitsNot(operand) => operand.is_sizeless(),
            ExprKind::Chain(first, links) => {
                first.is_sizeless() && links.iter().all(|(_, operand)| operand.is_sizeless())
            }
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Var(_)
            | ExprKind::Neg(_)
            | ExprKind::Compare(..)
            | ExprKind::BoolDiffers(..)
            | ExprKind::Not(_)
            | ExprKind::BitsEqual(..)
            | ExprKind::Component(..)
            | ExprKind::Bit(..)
            | ExprKind::Part(..)
            | ExprKind::Field(_)
            | ExprKind::Cell(..)
            | ExprKind::Inside(..)
            | ExprKind::Ones(_)
            | ExprKind::Numbers(_)
            | ExprKind::Relation(..)
            | ExprKind::Result(_)
            | ExprKind::Step(_)
            | ExprKind::Shift(..)
            | ExprKind::Col(..)
            | ExprKind::Row(..)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..) => false,
        }
    }
}

/// An integer expression as a size in a declaration or header.
#[derive(Clone, Copy)]
pub(crate) enum SizeTerm {
    /// A number.
    Number(i64),
    /// The value of a variable.
    Int(VarUse),
    /// The rows of a table.
    Rows(VarUse),
    /// The columns of a table.
    Columns(VarUse),
    /// The components of a slice or word.
    Length(VarUse),
    /// Anything else.
    Computed,
}

/// An expression; operands have the types that the variant requires.
#[derive(Debug, PartialEq)]
pub enum ExprKind {
    /// An invalid expression that was reported; it is not lowered.
    Error,
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A string.
    Str(String),
    /// A bit constant, slice or word.
    Bits(Box<BitVector>),
    /// `Θ`: zeros, in the number given by the context.
    Theta,
    /// A variable.
    Var(VarUse),
    /// Operands of one type, joined from left to right by operators of one precedence level. A
    /// list, because a chain may be very long.
    Chain(Box<Expr>, Vec<(ChainOp, Expr)>),
    /// `- a`
    Neg(Box<Expr>),
    /// Comparison of integers.
    Compare(Relation, Box<Expr>, Box<Expr>),
    /// Inequality of two booleans. (`=` is its negation.)
    BoolDiffers(Box<Expr>, Box<Expr>),
    /// Negation of a boolean.
    Not(Box<Expr>),
    /// Negation of a slice or word.
    BitsNot(Box<Expr>),
    /// Equality of two slices or words.
    BitsEqual(Box<Expr>, Box<Expr>),
    /// `Y(i)`
    Component(VarUse, Box<Expr>),
    /// `T(i,j)`
    Bit(VarUse, Box<Expr>, Box<Expr>),
    /// `H.part`, a table
    Part(VarUse, Box<HandlePart>),
    /// `E.w`, a table
    Field(Box<Field>),
    /// `E[i].w`, a word: the row and the field
    Cell(Box<Expr>, Box<Field>),
    /// An index, after a check that it is at least 1 and at most the limit
    Inside(Box<Expr>, Box<Expr>),
    /// `STEP(Y)`
    Step(VarUse),
    /// `SHIFT(Y,up,k)`
    Shift(Box<Expr>, Direction, Box<Expr>),
    /// `COL(i,T)`
    Col(Box<Expr>, VarUse),
    /// `ROW(i,T)`
    Row(Box<Expr>, VarUse),
    /// `size(T)`
    NCols(VarUse),
    /// `rows(T)`
    NRows(VarUse),
    /// Any other built-in with value arguments.
    Builtin(Builtin, Vec<Expr>),
    /// Ones, in this number
    Ones(Box<Expr>),
    /// A table of numbers, those of a column expression
    Numbers(Box<Column>),
    /// The rows in which the two numbers that the steps leave have this relation, a slice
    Relation(Relation, Box<Column>),
    /// The result of a procedure call.
    Result(Box<ResultOf>),
    /// A function call.
    Call(RoutineId, Vec<Arg>),
}

/// The result of a procedure call, a slice or word.
#[derive(Debug, PartialEq)]
pub struct ResultOf {
    /// The procedure.
    pub callee: RoutineId,
    /// The arguments. The last one is a variable of the compiler.
    pub args: Vec<Arg>,
    /// The same variable after the call.
    pub value: VarUse,
}

/// An operator inside a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOp {
    /// On integers.
    Int(IntOp),
    /// On booleans; `and` and `or` evaluate the right-hand side only if it matters.
    Bool(LogicOp),
    /// On slices or words, component by component.
    Bits(LogicOp),
}

/// An argument of a call.
#[derive(Debug, PartialEq)]
pub enum Arg {
    /// For a value parameter.
    Value(Expr),
    /// For a `var` parameter.
    Ref(VarUse),
    /// A field for a `var` parameter that is a table, or a slice.
    Field(Box<Field>, TyKind),
}

/// A field of a table: the columns base + 1 to base + width.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// The table.
    pub table: VarUse,
    /// The number of columns before the field.
    pub base: Expr,
    /// The number of columns of the field.
    pub width: Expr,
    /// The number of the field in its record type.
    pub number: usize,
    /// The position.
    pub span: Span,
}

/// A column expression: an integer for each row, exact. Steps in postfix order, because an
/// expression may be very long.
#[derive(Debug, PartialEq)]
pub struct Column {
    /// The steps.
    pub steps: Vec<ColumnStep>,
    /// In a table: the sign is inverted, so that the rows have the order of unsigned numbers.
    pub offset: bool,
}

impl Column {
    /// Returns the operands, in the order of evaluation.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        self.steps.iter().filter_map(|step| match step {
            ColumnStep::Operand { value, .. } => Some(value),
            ColumnStep::Apply(_) => None,
        })
    }
}

/// A step of a column expression.
#[derive(Debug, PartialEq)]
pub enum ColumnStep {
    /// A field, a slice of zeros and ones, or a word that is the same number in all rows.
    Operand {
        /// The operand.
        value: Expr,
        /// Is it in two's complement?
        is_signed: bool,
        /// Is it the field that is assigned?
        is_target: bool,
    },
    /// An operation on the last two numbers.
    Apply(ColumnOp),
}

/// An operation on two numbers of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The sum, at most the greatest number of the widest field in it; of signed fields also at
    /// least the least one.
    Saturate {
        /// Are the fields signed?
        is_signed: bool,
    },
    /// The lesser one.
    Min,
    /// The greater one.
    Max,
    /// The difference without its sign.
    AbsDiff,
}

/// A field that numbers are stored to.
#[derive(Debug, PartialEq)]
pub struct NumberField {
    /// The field.
    pub field: Field,
    /// Is it in two's complement?
    pub is_signed: bool,
    /// The assigned rows; all without a mask.
    pub mask: Option<VarUse>,
}

/// The left-hand side of an assignment.
#[derive(Debug, PartialEq)]
pub enum Target {
    /// A whole variable.
    Var(VarUse),
    /// `Y(i)`
    Component(VarUse, Box<Expr>),
    /// `T(i,j)`
    Bit(VarUse, Box<Expr>, Box<Expr>),
    /// `COL(i,T)`
    Col(Box<Expr>, VarUse),
    /// `ROW(i,T)`
    Row(Box<Expr>, VarUse),
    /// `H.part`
    Part(VarUse, Box<HandlePart>),
    /// `E.w`
    Field(Box<Field>),
    /// A field that gets the numbers of a column expression.
    Numbers(Box<NumberField>),
    /// `E[i].w`: the row and the field. The value is a word, or a number that becomes one.
    Cell(Box<Expr>, Box<Field>),
}

/// A statement.
#[derive(Debug, PartialEq)]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// The position.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug, PartialEq)]
pub enum StmtKind {
    /// `place := value`
    Assign(Target, Expr),
    /// `SET(Y)`, `CLR(Y)`
    Fill(VarUse, bool),
    /// `FRST(Y)`
    KeepFirst(VarUse),
    /// `STEP(Y)`, its value not used.
    Step(VarUse),
    /// `REP(i,j,v,w)`
    Replace {
        /// The first component.
        from: Box<Expr>,
        /// The last component.
        to: Box<Expr>,
        /// The new components.
        value: Box<Expr>,
        /// The word that changes.
        word: VarUse,
    },
    /// A procedure call.
    Call(RoutineId, Vec<Arg>),
    /// `print(…)`
    Print(Vec<Expr>),
    /// `read(T, "file", "layout")`
    Read(VarUse, Box<Expr>, Option<Box<Expr>>),
    /// `write(T, "file")`
    Write(VarUse, Expr),
    /// `assert(b, "message")`
    Assert(Expr, Option<Box<Expr>>),
    /// `begin … end`
    Block(Vec<Stmt>),
    /// Conditions with their statements, and the final `else`.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `while c do s`
    While(Expr, Vec<Stmt>),
    /// `repeat s until c`
    Repeat(Vec<Stmt>, Expr),
    /// `for i := a to b do s`
    For {
        /// The variable.
        var: VarUse,
        /// The first value.
        from: Box<Expr>,
        /// The last value.
        to: Box<Expr>,
        /// `downto`.
        down: bool,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `foreach i in X do s`
    Foreach {
        /// The variable.
        var: VarUse,
        /// The slice or word.
        over: Box<Expr>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// The variables have no value from here on. The body of a loop that begins with this is that
    /// of a `forall`: its iterations are independent of each other.
    Forget(Vec<LocalId>),
    /// `exit`
    Exit,
    /// `break`
    Break,
    /// `continue`
    Continue,
}
