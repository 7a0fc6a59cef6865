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
/// Note [Shared routines]. A copy of a program shares its routines until one of them is changed. A
/// program that extends another one, such as the next line of a session, shares a routine with it
/// only if it also shares all routines that this routine calls, directly or indirectly, under the
/// same numbers, and the locations that these name. Therefore results derived from a routine (an
/// optimised routine, code) remain valid while its address is the same ([`Program::shares`]), even
/// if they depend on the called routines.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// Routines; a [`RoutineId`] is an index.
    pub routines: Vec<Arc<Routine>>,
    /// Locations; a [`LocId`] is an index.
    pub locations: Locations,
}

impl Program {
    /// Creates a program from these routines and locations.
    pub fn new(routines: Vec<Routine>, locations: Vec<Location>) -> Self {
        let routines = routines.into_iter().map(Arc::new).collect();
        Program { routines, locations: locations.into() }
    }

    /// Returns the routine with number `id`. Panics if the program has no such routine, as indexing
    /// does.
    pub fn routine(&self, id: RoutineId) -> &Routine {
        &self.routines[id.0 as usize]
    }

    /// Returns the location with number `id`. Panics if the program has no such location, as
    /// indexing does.
    pub fn location(&self, id: LocId) -> &Location {
        &self.locations[id]
    }

    /// Appends a routine.
    pub fn push(&mut self, routine: Routine) {
        self.routines.push(Arc::new(routine));
    }

    /// Returns a mutable reference to the routine with number `id`, which is no longer shared
    /// afterwards. Panics if the program has no such routine.
    pub fn routine_mut(&mut self, id: RoutineId) -> &mut Routine {
        Arc::make_mut(&mut self.routines[id.0 as usize])
    }

    /// Iterates over mutable references to all routines.
    pub fn routines_mut(&mut self) -> impl Iterator<Item = &mut Routine> {
        self.routines.iter_mut().map(Arc::make_mut)
    }

    /// Returns whether the routine with number `id` is shared with `earlier`. See Note [Shared
    /// routines].
    pub fn shares(&self, earlier: &Program, id: RoutineId) -> bool {
        let routine = |program: &Program| program.routines.get(id.0 as usize).map(Arc::as_ptr);
        routine(self).is_some() && routine(self) == routine(earlier)
    }

    /// Returns the first routine with this name.
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
    /// The intrinsic that a backend may execute instead of the body, with the same result, where
    /// the preconditions of the catalogue hold ([`star_base::intrinsics`]).
    pub intrinsic: Option<Intrinsic>,
}

impl Routine {
    /// Returns the variable with number `id`. Panics if the routine has no such variable, as
    /// indexing does.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// Returns the source name of a variable; `None` for variables that the compiler introduced and
    /// for invalid numbers.
    pub fn source_name(&self, id: VarId) -> Option<&str> {
        self.vars.get(id.0 as usize)?.source.as_deref()
    }
}

/// A parameter: the variable that holds it inside the routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The variable.
    pub var: VarId,
    /// The passing mode of the argument.
    pub mode: Mode,
    /// Whether the variable is guaranteed to be set whenever the routine ends; callers may rely on
    /// it. Only for `ref` parameters.
    pub set_at_end: bool,
}

/// The passing mode of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The routine gets a separate value.
    Value,
    /// The routine works on the caller's variable (`var`); two of them are never the same variable.
    Ref,
}

/// A variable of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name in SIR, unique in the routine: `w`, `w.2`, `1` (a temporary).
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The source variable of which it is a web; `None` for variables that the compiler introduced.
    pub source: Option<String>,
    /// Declared with a fixed size: a sized table does not grow, a sized slice or word accepts no
    /// other size. A `ref` parameter inherits this property from the variable passed to it instead.
    pub sized: bool,
}

/// The type of a variable. Sizes are symbolic.
///
/// Note [Extents]. If a variable has extent `Const(n)` or `Var(v)`, then whenever it is set, its
/// size is `n`, or the value of `v`; a variable used as an extent is an `int` that is assigned at
/// most once. `Dynamic` says nothing. A table extent of a growable table is `Dynamic`.
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
    /// A library value that is opaque to the program: tables with names, or an equivalent form
    /// built by an intrinsic of the backend.
    Handle,
}

impl Ty {
    /// Returns the type without sizes.
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

    /// Returns whether it is a slice or a word.
    pub fn is_bits(self) -> bool {
        matches!(self, Ty::Slice(_) | Ty::Word(_))
    }

    /// Returns the extents of the type: components, or rows and columns.
    pub fn extents(self) -> [Extent; 2] {
        match self {
            Ty::Slice(n) | Ty::Word(n) => [n, Extent::Dynamic],
            Ty::Table(rows, columns) => [rows, columns],
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [Extent::Dynamic; 2],
        }
    }

    /// Returns whether the types are equal except for their sizes.
    pub fn same_kind(self, other: Ty) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The name of a table in a handle.
///
/// Note [Handles]. A handle contains the parts of one module: storing a part of another module
/// discards them.
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
    /// Known at compile time.
    Const(u64),
    /// The value of an integer variable that is assigned once.
    Var(VarId),
    /// Unknown.
    Dynamic,
}

/// A location in the source program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The source text of the statement.
    pub span: Span,
    /// The calls it was inlined through, outermost first.
    pub inlined: Vec<InlinedCall>,
    /// The source variables that the text at `span` names, in order, each once: a trap shows their
    /// values. A location with operands belongs to one routine, whose variables they are; a
    /// statement there that can trap observes them ([`crate::visit::Observation`]).
    pub operands: Vec<NamedVar>,
    /// A check of the header: a failure is the caller's fault and is reported at the call.
    pub at_call: bool,
}

/// A call whose callee was inlined: the frame that a trap shows for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlinedCall {
    /// The callee.
    pub routine: RoutineId,
    /// The location of the call in its caller. It is a source location: nothing was inlined into
    /// it.
    pub call: LocId,
}

/// A variable with its name in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVar {
    /// The variable.
    pub var: VarId,
    /// Its name in the source text at that location.
    pub name: String,
}
