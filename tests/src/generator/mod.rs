//! The generator of well-typed programs.
//!
//! [`generate`] makes a whole text from a seed: constants, procedures and functions that call each
//! other, and a routine to run, with arguments for it. The generator knows the size of every
//! variable and a domain for every integer (Note [Known] in `scope`), so that a program ends well
//! unless a near-miss was inserted (`near_miss`): something that is deliberately wrong, or nearly
//! so.
//!
//! * `source`: texts as trees; `shrink`: smaller texts with the same behaviour.
//! * `sizes`, `scope`: what is known; `values`: arguments.
//! * `ints`, `bools`, `bits`, `columns`: expressions; `statements`, `loops`, `patterns`, `calls`,
//!   `library`, `records`, `independent`: statements; `routines`: routines and texts.
//! * `report`: statistics of many programs.

mod bits;
mod bools;
mod calls;
mod columns;
mod independent;
mod ints;
mod library;
mod loops;
mod near_miss;
mod patterns;
mod records;
pub mod report;
mod routines;
mod scope;
pub mod shrink;
mod sizes;
pub mod source;
mod statements;
pub mod trial;
mod values;

use star_base::Builtin;
use star_compiler::LowerOptions;
use star_opt::{Options, PASSES};
use star_value::Value;

use crate::case::Random;
use calls::Callable;
use records::{Records, Shape};
use report::Counts;
use scope::{Known, Scope, Var, VarIdx};
use sizes::Sizes;
use source::{Expr, ExprType, Part, Routine, Source, Stmt};

pub use library::PROCEDURES;
pub use near_miss::KINDS as NEAR_MISSES;
pub use records::CONSTRUCTS;
pub use statements::KINDS as STATEMENTS;

/// A generated program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The text.
    pub source: Source,
    /// The routine to run.
    pub entry: String,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The options for compiling it.
    pub options: LowerOptions,
    /// The counts of what it contains.
    pub counts: Counts,
    /// The selections of passes that optimise it: all of them, and a subset chosen by the seed.
    pub passes: Vec<Options>,
}

impl Generated {
    /// Returns whether no near-miss was inserted, so that the program must end well.
    pub fn ends_well(&self) -> bool {
        self.counts.near_misses.is_empty()
    }
}

/// Generates the program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut generated = routines::program(Random::new(seed));
    generated.passes.push(some_passes(&mut Random::new(!seed)));
    generated
}

/// Selects each pass with even chances.
fn some_passes(random: &mut Random) -> Options {
    let disabled = PASSES.iter().filter(|_| random.chance(50));
    let disabled = disabled.map(|pass| pass.name.to_owned()).collect();
    Options { disabled, ..Options::default() }
}

/// The estimated number of elementary operations that a program may execute.
const BUDGET: f64 = 6000.0;

/// A program under construction.
struct Gen {
    random: Random,
    counts: Counts,
    sizes: Sizes,
    consts: Vec<String>,
    /// Finished routines that can be called.
    callables: Vec<Callable>,
    /// Record types with arguments.
    shapes: Vec<Shape>,
    /// Routines required by near-misses.
    helpers: Vec<Routine>,
    options: LowerOptions,
    /// Number of names given so far.
    n_names: usize,
    /// Number of near-misses still to be inserted.
    near_misses: usize,
    /// Number of loops over columns that expressions may still contain.
    columns_left: usize,
    routine: Current,
}

/// The routine under construction.
struct Current {
    scope: Scope,
    vars: Vec<String>,
    /// The tables of records in the scope.
    records: Vec<Records>,
    /// Number of loops and branches around the statement.
    depth: usize,
    /// The maximum number of executions of the statement.
    iterations: f64,
    /// Estimated elementary operations so far.
    spent: f64,
    budget: f64,
    /// What `break` and `continue` may do here.
    jumps: Jumps,
    /// Whether `exit` is allowed here.
    may_exit: bool,
}

/// The jumps that the innermost loop permits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Jumps {
    /// There is no loop.
    None,
    /// Only `break`: `continue` would skip the statement that ends the loop.
    Break,
    /// Both.
    All,
}

impl Gen {
    /// Generates a built-in as a call: its name from the catalogue, and its arguments.
    fn builtin(&mut self, builtin: Builtin, kind: ExprType, args: Vec<Expr>) -> Expr {
        Expr { kind, parts: self.call_of(builtin, args) }
    }

    /// Generates a built-in call as a statement.
    fn builtin_stmt(&mut self, builtin: Builtin, args: Vec<Expr>) -> Stmt {
        Stmt { parts: self.call_of(builtin, args) }
    }

    fn call_of(&mut self, builtin: Builtin, args: Vec<Expr>) -> Vec<Part> {
        *self.counts.builtins.entry(builtin).or_default() += 1;
        if builtin.cost() > 0 {
            self.charge(1);
        }
        if args.is_empty() {
            return vec![builtin.name().into()];
        }
        call(builtin.name(), args)
    }

    /// Records the cost of the statement: `units` elementary operations.
    fn charge(&mut self, units: usize) {
        self.routine.spent += self.routine.iterations * units as f64;
    }

    /// Returns whether the budget permits a loop with this number of iterations or operations.
    fn affords(&self, units: f64) -> bool {
        self.routine.spent + self.routine.iterations * units <= self.routine.budget
    }

    /// Returns whether the program may contain this number of further loops over columns, to which
    /// expressions over columns are lowered; if so, records them.
    fn allows(&mut self, loops: usize) -> bool {
        let left = self.columns_left.checked_sub(loops);
        self.columns_left = left.unwrap_or(self.columns_left);
        left.is_some()
    }

    /// Returns an unused name.
    fn name(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    fn var(&self, idx: VarIdx) -> &Var {
        &self.routine.scope.vars[idx]
    }

    fn var_mut(&mut self, idx: VarIdx) -> &mut Var {
        &mut self.routine.scope.vars[idx]
    }

    /// Returns the variable as an expression.
    fn read(&self, idx: VarIdx) -> Expr {
        let var = self.var(idx);
        Expr::leaf(var.kind, &var.name)
    }

    /// Chooses one of some variables.
    fn choose(&mut self, of: &[VarIdx]) -> Option<VarIdx> {
        if of.is_empty() { None } else { Some(of[self.random.below(of.len())]) }
    }

    /// Declares a local variable, which is not set.
    fn declare(&mut self, kind: ExprType, fixed: Option<Known>, domain: (i64, i64)) -> VarIdx {
        let prefix = match kind {
            ExprType::Int => "i",
            ExprType::Bool => "b",
            ExprType::Str => "name",
            ExprType::Slice => "X",
            ExprType::Word => "w",
            ExprType::Table => "T",
        };
        let name = self.name(prefix);
        let ty = match fixed {
            Some(known) => self.sized_type(kind, known),
            None => kind.keyword().to_owned(),
        };
        self.routine.vars.push(format!("{name}: {ty};"));
        // A table with declared sizes is initialised with zeros.
        let known = match fixed {
            Some(known @ Known::Table(..)) => known,
            Some(_) | None => Known::Unset,
        };
        let (constant, locked, hidden, is_records) = (false, false, false, false);
        let var = Var { name, kind, known, fixed, domain, constant, locked, hidden, is_records };
        self.routine.scope.vars.push(var);
        self.routine.scope.vars.len() - 1
    }

    /// Generates a type with these sizes, spelt in one of several ways.
    fn sized_type(&mut self, kind: ExprType, known: Known) -> String {
        let keyword = kind.keyword();
        match known {
            Known::Unset | Known::Scalar => keyword.to_owned(),
            Known::Bits(size) => format!("{keyword}({})", self.size_text(kind, size)),
            Known::Table(rows, columns) => {
                let same = self.sources_of_sizes(|var| var.table() == Some((rows, columns)));
                if let (Some(idx), true) = (self.choose(&same), self.random.chance(30)) {
                    return format!("{keyword}({})", self.var(idx).name);
                }
                let rows = self.size_text(ExprType::Slice, rows);
                format!("{keyword}({rows},{})", self.size_text(ExprType::Word, columns))
            }
        }
    }

    /// Writes a size as a number, a name of that value or a variable of that size.
    fn size_text(&mut self, kind: ExprType, size: usize) -> String {
        let value = size as i64;
        let named = self.sources_of_sizes(|var| match kind {
            ExprType::Slice => var.table().is_some_and(|(rows, _)| rows == size),
            ExprType::Word => var.table().is_some_and(|(_, columns)| columns == size),
            ExprType::Int | ExprType::Bool | ExprType::Str | ExprType::Table => false,
        });
        let numbers =
            self.sources_of_sizes(|var| var.kind == ExprType::Int && var.domain == (value, value));
        let names: Vec<VarIdx> = named.into_iter().chain(numbers).collect();
        match self.choose(&names) {
            Some(idx) if self.random.chance(60) => self.var(idx).name.clone(),
            Some(_) | None => self.size_number(size),
        }
    }

    /// Writes a size as a number or constant.
    fn size_number(&mut self, size: usize) -> String {
        let name = format!("c_{size}");
        if !self.random.chance(30) {
            return size.to_string();
        }
        let item = format!("const {name} = {size};");
        if !self.consts.contains(&item) {
            self.consts.push(item);
        }
        name
    }

    /// Returns the parameters whose sizes or values a declaration may name: those that never
    /// change.
    fn sources_of_sizes(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        self.routine.scope.readable(|var| {
            let stays = var.constant || matches!(var.fixed, Some(Known::Table(..)));
            let header = var.name.starts_with("p") || var.name.starts_with("n");
            header && stays && !var.is_field() && suits(var)
        })
    }
}

/// `name(args)`
fn call(name: &str, args: Vec<Expr>) -> Vec<Part> {
    let mut parts = vec![Part::Text(format!("{name}("))];
    for (idx, arg) in args.into_iter().enumerate() {
        if idx > 0 {
            parts.push(",".into());
        }
        parts.push(arg.into());
    }
    parts.push(")".into());
    parts
}
