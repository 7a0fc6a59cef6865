//! Programs, routines, variables, types, locations.

use std::sync::Arc;

use star_base::{Intrinsic, Kind, Span};
use std::fmt;

use crate::locations::Locations;
use crate::stmt::Block;

/// Number of a routine in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineId(pub u32);

/// Number of a variable in its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Number of a block or loop in its routine, for `break` and `continue`; spelled `@3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// Number of a location in its program; spelled `!3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

impl fmt::Display for LabelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl fmt::Display for LocId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "!{}", self.0)
    }
}

/// A whole program: every routine that can be called, and the locations of their statements.
///
/// Note [Shared routines]. A copy of a program shares its routines until one of them is changed. A program that goes on
/// from another one, such as the next line of a session, shares a routine with it only if it shares all that this routine
/// calls, directly or not, under the same numbers, and the locations that these name. So whoever made something of a
/// routine (an optimised routine, code) knows by its address that this still holds ([`Program::shares`]), whatever it has
/// looked at in the routines that are called.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// Routines; a [`RoutineId`] is an index.
    pub routines: Vec<Arc<Routine>>,
    /// Locations; a [`LocId`] is an index.
    pub locations: Locations,
}

impl Program {
    /// A program of these routines and locations.
    pub fn new(routines: Vec<Routine>, locations: Vec<Location>) -> Self {
        let routines = routines.into_iter().map(Arc::new).collect();
        Program { routines, locations: locations.into() }
    }

    /// The routine with number `id`. Panics if it is not of this program, as indexing does.
    pub fn routine(&self, id: RoutineId) -> &Routine {
        &self.routines[id.0 as usize]
    }

    /// The location with number `id`. Panics if it is not of this program, as indexing does.
    pub fn location(&self, id: LocId) -> &Location {
        &self.locations[id]
    }

    /// Adds a routine behind the others.
    pub fn push(&mut self, routine: Routine) {
        self.routines.push(Arc::new(routine));
    }

    /// The routine with number `id`, to be changed: from then on it is not shared. Panics if it is not of this program.
    pub fn routine_mut(&mut self, id: RoutineId) -> &mut Routine {
        Arc::make_mut(&mut self.routines[id.0 as usize])
    }

    /// All routines, to be changed.
    pub fn routines_mut(&mut self) -> impl Iterator<Item = &mut Routine> {
        self.routines.iter_mut().map(Arc::make_mut)
    }

    /// Is the routine with number `id` one that it shares with `earlier`? See Note [Shared routines].
    pub fn shares(&self, earlier: &Program, id: RoutineId) -> bool {
        let routine = |program: &Program| program.routines.get(id.0 as usize).map(Arc::as_ptr);
        routine(self).is_some() && routine(self) == routine(earlier)
    }

    /// The first routine of this name.
    pub fn find(&self, name: &str) -> Option<RoutineId> {
        self.routines
            .iter()
            .position(|routine| routine.name == name)
            .map(|idx| RoutineId(idx as u32))
    }
}

/// A procedure, function or program body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Its name in the source.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// The variable that holds a function's value when it ends.
    pub result: Option<VarId>,
    /// All variables, parameters and result included; a [`VarId`] is an index. Names are unique.
    pub vars: Vec<Var>,
    /// The statements.
    pub body: Block,
    /// The location of its header.
    pub loc: LocId,
    /// What a backend may do instead of the body, with the same result, where the preconditions of the
    /// catalogue hold ([`star_base::intrinsics`]).
    pub intrinsic: Option<Intrinsic>,
}

impl Routine {
    /// The variable with number `id`. Panics if it is not of this routine, as indexing does.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// What the source calls a variable; `None` for what the compiler made, and for a number of nothing.
    pub fn source_name(&self, id: VarId) -> Option<&str> {
        self.vars.get(id.0 as usize)?.source.as_deref()
    }
}

/// A parameter: the variable that holds it inside the routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The variable.
    pub var: VarId,
    /// How the argument gets there.
    pub mode: Mode,
    /// Whenever the routine ends, the variable is set: what callers may rely on. Only of `ref`
    /// parameters.
    pub set_at_end: bool,
}

/// How an argument reaches its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The routine has a value of its own.
    Value,
    /// The routine works on the caller's variable (`var`); two of them are never the same one.
    Ref,
}

/// A variable of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name in SIR, unique in the routine: `w`, `w.2`, `1` (a temporary).
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The source variable of which it is a web; `None` for what the compiler made.
    pub source: Option<String>,
    /// Declared with a size, which it keeps: a sized table does not grow, a sized slice or word
    /// takes no other size. A `ref` parameter has this property from the variable passed to it
    /// instead.
    pub sized: bool,
}

/// The type of a variable. Sizes are symbolic.
///
/// Note [Extents]. If a variable has extent `Const(n)` or `Var(v)`, then whenever it is set, its size is
/// `n`, or the value of `v`; a variable used as an extent is an `int` that is assigned at most
/// once. `Dynamic` says nothing. A table extent of a growable table is `Dynamic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// 64-bit signed integer.
    Int,
    /// Truth value.
    Bool,
    /// Text.
    Str,
    /// A column of bits: number of components.
    Slice(Extent),
    /// A row of bits: number of components.
    Word(Extent),
    /// Rows and columns.
    Table(Extent, Extent),
    /// What the library keeps for a program, opaque to it: tables with names, or another form of the same
    /// that an intrinsic of the backend has made.
    Handle,
}

impl Ty {
    /// The type without sizes.
    pub fn kind(self) -> Kind {
        match self {
            Ty::Int => Kind::Int,
            Ty::Bool => Kind::Bool,
            Ty::Str => Kind::Str,
            Ty::Slice(_) => Kind::Slice,
            Ty::Word(_) => Kind::Word,
            Ty::Table(..) => Kind::Table,
            Ty::Handle => Kind::Handle,
        }
    }

    /// Is it a slice or a word?
    pub fn is_bits(self) -> bool {
        matches!(self, Ty::Slice(_) | Ty::Word(_))
    }

    /// The sizes that it names: components, or rows and columns.
    pub fn extents(self) -> [Extent; 2] {
        match self {
            Ty::Slice(n) | Ty::Word(n) => [n, Extent::Dynamic],
            Ty::Table(rows, columns) => [rows, columns],
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [Extent::Dynamic; 2],
        }
    }

    /// Are the types alike but for their sizes?
    pub fn same_kind(self, other: Ty) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The name of a table in a handle.
///
/// Note [Handles]. A handle holds the parts of one module: who stores a part of another one gives these up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandlePart {
    /// The library module that the part belongs to.
    pub module: Arc<str>,
    /// Its name there.
    pub name: Arc<str>,
}

/// A symbolic size; see Note [Extents].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Known when compiling.
    Const(u64),
    /// The value of an integer variable that is assigned once.
    Var(VarId),
    /// Not known.
    Dynamic,
}

/// A location in the source program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The source text that the statement stands for.
    pub span: Span,
    /// The calls it was inlined through, the outermost first.
    pub inlined: Vec<InlinedCall>,
    /// The source variables that the text at `span` names, in order, each once: what a trap shows. A
    /// location with operands belongs to one routine, whose variables they are; a statement there that can
    /// trap observes them ([`crate::visit::Observation`]).
    pub operands: Vec<NamedVar>,
    /// A check of the header: a failure is the caller's fault and is shown at the call.
    pub at_call: bool,
}

/// A call whose callee was inlined: the frame that a trap shows for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlinedCall {
    /// The callee.
    pub routine: RoutineId,
    /// The location of the call in its caller. It is one of the source: nothing was inlined into it.
    pub call: LocId,
}

/// A variable under the name that the source gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVar {
    /// The variable.
    pub var: VarId,
    /// Its name in the source text there.
    pub name: String,
}
