//! HIR: names resolved, every expression typed. Sizes are still as declared.
//!
//! Note [Sites]. Every mention of a variable is a [`VarUse`] with a number of its own, its site, unique
//! in the routine. What an analysis finds out about a mention (which web it belongs to, whether the
//! variable may be unset there) is kept in a vector over sites, not in the tree.

use star_base::{BitVector, Builtin, Intrinsic, Span};
use star_ir::{Direction, HandlePart, IntOp, LogicOp, Relation};
use star_syntax::ast::RoutineKind;

/// Number of a routine in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineId(pub u32);

/// Number of a variable in its [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// Number of a mention of a variable; see Note [Sites].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub u32);

/// All routines of a compilation.
#[derive(Debug, Default)]
pub struct Program {
    /// Routines; a [`RoutineId`] is an index. Those of the library stand first.
    pub routines: Vec<Routine>,
}

impl Program {
    /// The routine with number `id`. Panics if it is not of this program, as indexing does.
    pub fn routine(&self, id: RoutineId) -> &Routine {
        &self.routines[id.0 as usize]
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

/// A procedure, function or program.
#[derive(Debug, PartialEq)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Which of the three.
    pub kind: RoutineKind,
    /// The parameters, in order.
    pub params: Vec<LocalId>,
    /// All variables: parameters, bound sizes, locals, a function's result.
    pub locals: Vec<Local>,
    /// The variable with the name of a function.
    pub result: Option<LocalId>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The place of the name.
    pub name_span: Span,
    /// The place of the header.
    pub header: Span,
    /// Is it of the standard library?
    pub library: bool,
    /// The operation that a call is lowered to.
    pub machine_op: Option<MachineOp>,
    /// The intrinsic that a backend may run instead of the body.
    pub intrinsic: Option<Intrinsic>,
    /// Number of sites.
    pub n_sites: u32,
}

impl Routine {
    /// The variable with number `id`. Panics if it is not of this routine, as indexing does.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

/// A variable.
#[derive(Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its type with its sizes as declared.
    pub ty: Ty,
    /// What it is.
    pub role: Role,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A value parameter.
    Value,
    /// A `var` parameter.
    Ref,
    /// A size bound by the header; read-only.
    Binding,
    /// A local variable.
    Local,
    /// What a function returns.
    Result,
}

/// A declared size: an integer expression, or nothing.
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
    /// The type without sizes.
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

    /// Is no size declared? Scalars have none to declare and are not unsized.
    pub fn is_unsized(&self) -> bool {
        match self {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => false,
            Ty::Slice(size) | Ty::Word(size) => size.is_none(),
            Ty::Table(rows, _) => rows.is_none(),
        }
    }
}

impl TyKind {
    /// What it is, unless it is that of an error.
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

    /// The keyword.
    pub fn name(self) -> &'static str {
        self.known().map_or("value", star_base::Kind::name)
    }

    /// With an article: `an integer`.
    pub fn with_article(self) -> String {
        self.known().map_or_else(|| "a value".to_owned(), star_base::Kind::with_article)
    }

    /// Is it a slice or a word?
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
    /// Where it stands.
    pub span: Span,
}

/// An expression.
#[derive(Debug, PartialEq)]
pub struct Expr {
    /// Which one.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TyKind,
    /// Its place.
    pub span: Span,
    /// May evaluating it change a variable?
    pub effects: bool,
}

impl Expr {
    /// The variable that it is.
    pub fn as_var(&self) -> Option<VarUse> {
        if let ExprKind::Var(place) = self.kind { Some(place) } else { None }
    }

    /// The size that it names.
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
            | ExprKind::Step(_)
            | ExprKind::Shift(..)
            | ExprKind::Col(..)
            | ExprKind::Row(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..) => SizeTerm::Computed,
        }
    }

    /// Is it made of `Θ` alone, so that its size comes from the context?
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

/// An integer expression as a size: of a declaration, or of a header.
#[derive(Clone, Copy)]
pub(crate) enum SizeTerm {
    /// A number.
    Number(i64),
    /// The value of a variable.
    Int(VarUse),
    /// Rows of a table.
    Rows(VarUse),
    /// Columns of a table.
    Columns(VarUse),
    /// Components of a slice or word.
    Length(VarUse),
    /// Anything else.
    Computed,
}

/// An expression; the types of operands are as the variant needs them.
#[derive(Debug, PartialEq)]
pub enum ExprKind {
    /// Unreadable or ill-typed; a message says so, and nothing is lowered.
    Error,
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(String),
    /// A bit constant, slice or word.
    Bits(Box<BitVector>),
    /// `Θ`: zeros, as many as the context has.
    Theta,
    /// A variable.
    Var(VarUse),
    /// Operands of one type with operators of one level between them, from left to right. A list, since
    /// a chain may be very long.
    Chain(Box<Expr>, Vec<(ChainOp, Expr)>),
    /// `- a`
    Neg(Box<Expr>),
    /// Comparison of integers.
    Compare(Relation, Box<Expr>, Box<Expr>),
    /// Are two booleans different? (`=` is its negation.)
    BoolDiffers(Box<Expr>, Box<Expr>),
    /// Negation of a boolean.
    Not(Box<Expr>),
    /// Negation of a slice or word.
    BitsNot(Box<Expr>),
    /// Are two slices or words equal?
    BitsEqual(Box<Expr>, Box<Expr>),
    /// `Y(i)`
    Component(VarUse, Box<Expr>),
    /// `T(i,j)`
    Bit(VarUse, Box<Expr>, Box<Expr>),
    /// `H.part`, a table
    Part(VarUse, Box<HandlePart>),
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
    /// A function.
    Call(RoutineId, Vec<Arg>),
}

/// An operator inside a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOp {
    /// On integers.
    Int(IntOp),
    /// On booleans; `and` and `or` evaluate the right side only if it matters.
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
}

/// The left side of an assignment.
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
}

/// A statement.
#[derive(Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// What a statement does.
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
        /// First component.
        from: Box<Expr>,
        /// Last component.
        to: Box<Expr>,
        /// The new ones.
        value: Box<Expr>,
        /// The word that changes.
        word: VarUse,
    },
    /// A procedure.
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
    /// Conditions with their statements, and the last `else`.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `while c do s`
    While(Expr, Vec<Stmt>),
    /// `repeat s until c`
    Repeat(Vec<Stmt>, Expr),
    /// `for i := a to b do s`
    For {
        /// The variable.
        var: VarUse,
        /// First value.
        from: Box<Expr>,
        /// Last value.
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
    /// `exit`
    Exit,
    /// `break`
    Break,
    /// `continue`
    Continue,
}
