//! The catalogue of natives: library routines that a backend may do in its own way.
//!
//! A native is the twin of a library routine. The routine's Star body says what is computed and is
//! what runs wherever a backend has no such native, natives are off, or a precondition does not hold; so
//! a native never traps. Signature and preconditions stand here once: lowering, the verifier, the
//! backends and the test that compares every native with its Star body all read them.

use std::fmt;

/// The natives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Native {
    /// The transitive closure of an adjacency table, in place.
    Closure,
    /// An index of what can be reached in a graph, kept in a handle.
    Condense,
    /// Is there a path from one vertex to another?
    Reaches,
    /// All vertices that can be reached from one.
    Reachable,
}

/// What a native takes and needs.
#[derive(Debug)]
pub struct Signature {
    /// Its name, in lists and in the text form of SIR.
    pub name: &'static str,
    /// The library module of its routines.
    pub module: &'static str,
    /// The routines that it is the twin of, by their names in that module.
    pub routines: &'static [&'static str],
    /// Their parameters, in order.
    pub params: &'static [Param],
    /// What a function returns.
    pub result: Option<Kind>,
    /// What must hold when it begins. A handle that it reads must also have been made by a native.
    pub preconditions: &'static [Precondition],
    /// What it does, in one line.
    pub summary: &'static str,
}

/// A parameter of a native.
#[derive(Debug)]
pub struct Param {
    /// Its name, in preconditions.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// What happens to the argument.
    pub mode: ParamMode,
}

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Int,
    /// A truth value; only of results.
    Bool,
    /// A slice.
    Slice,
    /// A table.
    Table,
    /// A handle. Its rows and columns are those of the table that a Star body would keep in it.
    Handle,
}

/// How a native treats an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    /// A value parameter.
    Value,
    /// A `var` parameter that is read and changed: it has to be set.
    Changed,
    /// A `var` parameter that takes a new value, whatever it held.
    Made,
}

/// A precondition: the left side is at most the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precondition(pub SizeExpr, pub SizeExpr);

/// A side of a precondition. Parameters count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeExpr {
    /// A number.
    Number(i64),
    /// The value of an integer parameter.
    Value(usize),
    /// The rows of a table or handle.
    Rows(usize),
    /// The columns of a table or handle.
    Columns(usize),
}

static CLOSURE: Signature = Signature {
    name: "closure",
    module: "closure",
    routines: &["WARSHALL", "WARSHALL-C", "WARSHALL-adapt"],
    params: &[
        Param { name: "n", kind: Kind::Int, mode: ParamMode::Value },
        Param { name: "P", kind: Kind::Table, mode: ParamMode::Changed },
    ],
    result: None,
    preconditions: &[
        Precondition(SizeExpr::Number(0), SizeExpr::Value(0)),
        Precondition(SizeExpr::Value(0), SizeExpr::Rows(1)),
        Precondition(SizeExpr::Value(0), SizeExpr::Columns(1)),
    ],
    summary: "strong components, then or-ing along the order of the components",
};

static CONDENSE: Signature = Signature {
    name: "condense",
    module: "closure",
    routines: &["CONDENSE"],
    params: &[
        Param { name: "n", kind: Kind::Int, mode: ParamMode::Value },
        Param { name: "G", kind: Kind::Table, mode: ParamMode::Value },
        Param { name: "H", kind: Kind::Handle, mode: ParamMode::Made },
    ],
    result: None,
    preconditions: &[
        Precondition(SizeExpr::Value(0), SizeExpr::Rows(1)),
        Precondition(SizeExpr::Rows(1), SizeExpr::Value(0)),
        Precondition(SizeExpr::Value(0), SizeExpr::Columns(1)),
        Precondition(SizeExpr::Columns(1), SizeExpr::Value(0)),
    ],
    summary: "keeps the strong components and the closure of the graph of components",
};

static REACHES: Signature = Signature {
    name: "reaches",
    module: "closure",
    routines: &["REACHES"],
    params: &[
        Param { name: "H", kind: Kind::Handle, mode: ParamMode::Value },
        Param { name: "i", kind: Kind::Int, mode: ParamMode::Value },
        Param { name: "j", kind: Kind::Int, mode: ParamMode::Value },
    ],
    result: Some(Kind::Bool),
    preconditions: &[
        Precondition(SizeExpr::Number(1), SizeExpr::Value(1)),
        Precondition(SizeExpr::Value(1), SizeExpr::Rows(0)),
        Precondition(SizeExpr::Number(1), SizeExpr::Value(2)),
        Precondition(SizeExpr::Value(2), SizeExpr::Columns(0)),
    ],
    summary: "looks at one bit of the closure of the components",
};

static REACHABLE: Signature = Signature {
    name: "reachable",
    module: "closure",
    routines: &["REACHABLE"],
    params: &[
        Param { name: "H", kind: Kind::Handle, mode: ParamMode::Value },
        Param { name: "i", kind: Kind::Int, mode: ParamMode::Value },
        Param { name: "X", kind: Kind::Slice, mode: ParamMode::Made },
    ],
    result: None,
    preconditions: &[
        Precondition(SizeExpr::Number(1), SizeExpr::Value(1)),
        Precondition(SizeExpr::Value(1), SizeExpr::Rows(0)),
    ],
    summary: "marks the members of the components that are reached",
};

impl Native {
    /// All natives.
    pub const ALL: &'static [Native] =
        &[Native::Closure, Native::Condense, Native::Reaches, Native::Reachable];

    /// What it takes and needs.
    pub fn signature(self) -> &'static Signature {
        match self {
            Native::Closure => &CLOSURE,
            Native::Condense => &CONDENSE,
            Native::Reaches => &REACHES,
            Native::Reachable => &REACHABLE,
        }
    }

    /// The native of this name.
    pub fn find(name: &str) -> Option<Native> {
        Native::ALL.iter().copied().find(|native| native.signature().name == name)
    }

    /// The native that a routine of a library module has as its twin.
    pub fn twin_of(module: &str, routine: &str) -> Option<Native> {
        let is_twin = |native: &Native| {
            let Signature { module: of, routines, .. } = native.signature();
            *of == module && routines.contains(&routine)
        };
        Native::ALL.iter().copied().find(is_twin)
    }
}

impl Signature {
    /// Do all preconditions hold? `value` knows the terms; `None` is a term without a value, such as
    /// the rows of a table that was never set.
    pub fn holds(&self, value: impl Fn(SizeExpr) -> Option<i64>) -> bool {
        self.preconditions.iter().all(|need| need.holds(&value))
    }

    /// A precondition with the names of the parameters: `n <= rows(P)`.
    pub fn word(&self, need: Precondition) -> String {
        let Precondition(left, right) = need;
        format!("{} <= {}", self.term(left), self.term(right))
    }

    fn term(&self, term: SizeExpr) -> String {
        let name = |idx: usize| self.params.get(idx).map_or("?", |param| param.name);
        match term {
            SizeExpr::Number(number) => number.to_string(),
            SizeExpr::Value(idx) => name(idx).to_owned(),
            SizeExpr::Rows(idx) => format!("rows({})", name(idx)),
            SizeExpr::Columns(idx) => format!("size({})", name(idx)),
        }
    }
}

impl Precondition {
    /// Does it hold? See [`Signature::holds`].
    pub fn holds(self, value: impl Fn(SizeExpr) -> Option<i64>) -> bool {
        let Precondition(left, right) = self;
        matches!((value(left), value(right)), (Some(left), Some(right)) if left <= right)
    }
}

impl ParamMode {
    /// Is it a `var` parameter?
    pub fn is_by_ref(self) -> bool {
        match self {
            ParamMode::Value => false,
            ParamMode::Changed | ParamMode::Made => true,
        }
    }
}

impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.signature().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_routines_belong_to_one_native() {
        for &native in Native::ALL {
            let Signature { name, module, routines, .. } = native.signature();
            assert_eq!(Native::find(name), Some(native));
            for routine in *routines {
                assert_eq!(Native::twin_of(module, routine), Some(native));
            }
        }
        assert_eq!(Native::twin_of("paths", "WARSHALL"), None);
    }

    #[test]
    fn terms_are_about_parameters_of_their_kind() {
        for &native in Native::ALL {
            let signature = native.signature();
            let kind = |idx: usize| signature.params.get(idx).map(|param| param.kind);
            for Precondition(left, right) in signature.preconditions {
                for term in [left, right] {
                    let fits = match *term {
                        SizeExpr::Number(_) => true,
                        SizeExpr::Value(idx) => kind(idx) == Some(Kind::Int),
                        SizeExpr::Rows(idx) | SizeExpr::Columns(idx) => {
                            matches!(kind(idx), Some(Kind::Table | Kind::Handle))
                        }
                    };
                    assert!(fits, "{native}: {term:?}");
                }
            }
        }
    }

    #[test]
    fn a_term_without_a_value_fails() {
        let signature = Native::Closure.signature();
        let value = |rows: Option<i64>| {
            move |term| match term {
                SizeExpr::Number(number) => Some(number),
                SizeExpr::Value(_) => Some(3),
                SizeExpr::Rows(_) => rows,
                SizeExpr::Columns(_) => Some(7),
            }
        };
        assert!(signature.holds(value(Some(3))));
        assert!(!signature.holds(value(Some(2))));
        assert!(!signature.holds(value(None)));
        assert_eq!(signature.word(signature.preconditions[1]), "n <= rows(P)");
    }
}
