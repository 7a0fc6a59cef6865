//! Routines and whole texts.

use star_compiler::LowerOptions;
use star_opt::Options;
use star_value::Value;

use super::calls::{Callable, Mode, Param};
use super::scope::{Known, Scope, Var};
use super::sizes::Sizes;
use super::source::{Expr, ExprType, Part, Routine, Source, Stmt, stmt};
use super::{BUDGET, Current, Gen, Generated, Jumps, values};
use crate::case::Random;

/// The greatest number of loops over columns in the expressions of a program: each is lowered to
/// dozens of statements.
const MAX_COLUMN_LOOPS: usize = 24;

/// Generates the text of a seed.
pub(super) fn program(mut random: Random) -> Generated {
    let sizes = Sizes::new(&mut random);
    let near_misses = if random.chance(22) { 1 } else { 0 };
    let columns_left = random.below(MAX_COLUMN_LOOPS + 1);
    let mut this = Gen {
        random,
        counts: super::report::Counts::default(),
        sizes,
        consts: Vec::new(),
        callables: Vec::new(),
        shapes: Vec::new(),
        helpers: Vec::new(),
        n_names: 0,
        near_misses,
        columns_left,
        options: LowerOptions::default(),
        routine: Current::new(0.0),
    };
    this.options.machine_ops = this.random.chance(80);
    let mut routines = Vec::new();
    for _ in 0..this.random.below(4) {
        let routine = this.routine();
        routines.push(routine);
    }
    let (entry, name, args) = this.entry();
    routines.append(&mut this.helpers);
    routines.push(entry);
    let source = Source { consts: this.consts, routines };
    let (options, counts, passes) = (this.options, this.counts, vec![Options::default()]);
    Generated { source, entry: name, args, options, counts, passes }
}

impl Current {
    fn new(budget: f64) -> Self {
        Current {
            scope: Scope::default(),
            vars: Vec::new(),
            records: Vec::new(),
            depth: 0,
            iterations: 1.0,
            spent: 0.0,
            budget,
            jumps: Jumps::None,
            may_exit: true,
        }
    }
}

/// A parameter with its name and the text of its type.
struct NamedParam {
    param: Param,
    name: String,
    ty: String,
}

/// A name that a header binds to a size.
struct Bound {
    size: usize,
    name: String,
    /// Number of occurrences in the header.
    n_uses: usize,
    /// Number of occurrences for parameters that are set when the routine begins.
    n_given: usize,
    /// Whether it is an argument of a record type. If it is nothing else, callers pass its value.
    of_type: bool,
}

impl Bound {
    /// Returns whether the header binds the name. A name that occurs once is unknown, and only a
    /// parameter that is set can give it a value.
    fn binds(&self) -> bool {
        self.n_uses > 1 && self.n_given > 0
    }
}

impl Gen {
    /// Generates a procedure or function, ready to be called by the following routines.
    fn routine(&mut self) -> Routine {
        self.routine = Current::new(BUDGET / 8.0);
        let result = match self.random.below(10) {
            0..=2 => Some((ExprType::Int, (0, [1, 10, 1000][self.random.below(3)]))),
            3 => Some((ExprType::Bool, (0, 0))),
            _ => None,
        };
        let prefix = if result.is_some() { "f" } else { "Proc" };
        let mut name = self.name(prefix);
        if result.is_none() && self.random.chance(20) {
            name.push_str("-WITH");
        }
        let recursive = self.random.chance(25);
        let mut params = Vec::new();
        if recursive {
            params.push(self.parameter(Mode::Value, ExprType::Int, Known::Scalar, (0, 3), None));
        }
        for _ in 0..1 + self.random.below(5) {
            let named = self.random_parameter(result.is_some());
            params.push(named);
        }
        self.spell_sizes(&mut params);
        let mut body = Vec::new();
        self.routine.may_exit = false;
        self.set_results(&params, &mut body);
        if let Some(result) = result {
            body.push(self.result(&name, result));
        }
        self.routine.may_exit = true;
        let n = 2 + self.random.below(6);
        body.extend(self.statements(n));
        if recursive {
            let own: Vec<Param> = params.iter().map(|named| named.param.clone()).collect();
            self.recur(&name, &own, &params[0].name, result.is_some(), &mut body);
        }
        if let (Some(result), true) = (result, self.random.chance(50)) {
            let assign = self.result(&name, result);
            // A recursive call has already produced a value, and may keep it.
            body.push(match self.random.below(2) {
                0 => assign,
                _ => {
                    let condition = self.boolean(1);
                    stmt!("if ", condition, " then ", Part::Body(vec![assign]))
                }
            });
        }
        let ty = result.map(|(kind, _)| format!(": {}", kind.keyword())).unwrap_or_default();
        let keyword = match (result.is_some(), self.random.chance(50)) {
            (true, _) => "function",
            (false, true) => "procedure",
            (false, false) => "proc",
        };
        let header = format!("{keyword} {name}{}{ty};", list(&params));
        let iterations = if recursive { 4.0 } else { 1.0 };
        let cost = self.routine.spent * iterations + 1.0;
        let params = params.into_iter().map(|named| named.param).collect();
        // A name with a hyphen can only be called as a statement, so it is a procedure.
        self.callables.push(Callable { name, params, result, cost });
        let vars = std::mem::take(&mut self.routine.vars);
        Routine { header, vars, body, end: ';' }
    }

    /// `if d > 0 then f(d - 1, …)`
    fn recur(
        &mut self,
        name: &str,
        params: &[Param],
        depth: &str,
        function: bool,
        body: &mut Vec<Stmt>,
    ) {
        self.count("recursion");
        let before = self.routine.scope.clone();
        let mut inner = Vec::new();
        let call = self.iterated(1, |this| this.call_of_routine(name, params, &mut inner));
        self.routine.scope.leave(&before);
        let Stmt { mut parts } = call;
        // The first argument counts down.
        if let Some(first) = parts.get_mut(1) {
            *first = Part::Text(format!("{depth}-1"));
        }
        if function {
            parts.insert(0, format!("{name}:=").into());
        }
        inner.push(Stmt { parts });
        body.push(stmt!(format!("if {depth}>0 then "), Part::Body(inner)));
    }

    fn result(&mut self, name: &str, (kind, (lo, hi)): (ExprType, (i64, i64))) -> Stmt {
        self.count("assign variable");
        let value = if kind == ExprType::Int { self.int_in(lo, hi, 2) } else { self.boolean(2) };
        stmt!(name, ":=", value)
    }

    fn random_parameter(&mut self, of_function: bool) -> NamedParam {
        let mode = match self.random.below(10) {
            0..=4 => Mode::Value,
            5..=7 => Mode::InOut,
            _ => Mode::Out,
        };
        let kind = [
            ExprType::Int,
            ExprType::Bool,
            ExprType::Slice,
            ExprType::Slice,
            ExprType::Word,
            ExprType::Table,
            ExprType::Table,
            ExprType::Str,
        ][self.random.below(8)];
        let mode = match (mode, kind, of_function) {
            (_, ExprType::Str, _) => Mode::Value,
            // Functions occasionally change something.
            (Mode::Out, _, true) => Mode::Value,
            (mode, _, true) if self.random.chance(50) => match mode {
                Mode::InOut | Mode::Value | Mode::Out => Mode::Value,
            },
            (mode, _, _) => mode,
        };
        let (rows, columns) =
            (self.sizes.row(&mut self.random), self.sizes.column(&mut self.random));
        let known = match kind {
            ExprType::Int | ExprType::Bool | ExprType::Str => Known::Scalar,
            ExprType::Slice => Known::Bits(rows),
            ExprType::Word => Known::Bits(columns),
            ExprType::Table => Known::Table(rows, columns),
        };
        let domain = match (kind, self.random.below(4)) {
            // A size.
            (ExprType::Int, 0) => (rows as i64, rows as i64),
            (ExprType::Int, 1) => (0, 3),
            (ExprType::Int, 2) => (-100, 100),
            (ExprType::Int, _) => (1, rows.max(1) as i64),
            (
                ExprType::Bool | ExprType::Str | ExprType::Slice | ExprType::Word | ExprType::Table,
                _,
            ) => (0, 0),
        };
        let mode = if domain.0 == domain.1 && kind == ExprType::Int { Mode::Value } else { mode };
        if kind == ExprType::Table && self.random.chance(40) {
            return self.record_parameter(mode, rows);
        }
        self.parameter(mode, kind, known, domain, None)
    }

    /// Generates a parameter that is a table of records, and its fields.
    fn record_parameter(&mut self, mode: Mode, rows: usize) -> NamedParam {
        let mode = if mode == Mode::Out { Mode::InOut } else { mode };
        let shape = self.shape();
        let known = Known::Table(rows, self.shapes[shape].n_columns);
        self.construct("record parameter");
        let named = self.parameter(mode, ExprType::Table, known, (0, 0), Some(shape));
        self.add_records(self.routine.scope.vars.len() - 1, rows, shape);
        named
    }

    /// Generates a parameter and its variable.
    fn parameter(
        &mut self,
        mode: Mode,
        kind: ExprType,
        known: Known,
        domain: (i64, i64),
        shape: Option<usize>,
    ) -> NamedParam {
        let name = self.name("p");
        let held = if mode == Mode::Out { Known::Unset } else { known };
        let fixed = match (kind, mode) {
            (ExprType::Int | ExprType::Bool | ExprType::Str, _) => None,
            (ExprType::Slice | ExprType::Word, Mode::Value) => None,
            (ExprType::Table, Mode::Value) | (_, Mode::InOut | Mode::Out) => Some(known),
        };
        // A parameter that counts recursion down or is a size never changes.
        let counts = kind == ExprType::Int && (domain.0 == domain.1 || domain == (0, 3));
        let constant = counts && mode == Mode::Value;
        self.routine.scope.vars.push(Var {
            name: name.clone(),
            kind,
            known: held,
            fixed,
            domain,
            constant,
            locked: constant,
            hidden: false,
            is_records: false,
        });
        let ty = kind.keyword().to_owned();
        NamedParam { param: Param { mode, kind, known, domain, shape }, name, ty }
    }

    /// Writes the sizes in the header: as names that it binds, as names of other parameters, as
    /// numbers, or not at all. Returns the numbers that callers pass for arguments of record types.
    fn spell_sizes(&mut self, params: &mut [NamedParam]) -> Vec<Value> {
        let mut bound: Vec<Bound> = Vec::new();
        let mut spelt: Vec<Option<Vec<String>>> = Vec::new();
        for named in params.iter() {
            let sizes = match named.param.known {
                Known::Bits(size) => vec![size],
                Known::Table(rows, columns) => vec![rows, columns],
                Known::Unset | Known::Scalar => Vec::new(),
            };
            if let (Some(shape), [rows, _]) = (named.param.shape, sizes.as_slice()) {
                spelt.push(Some(self.record_sizes(shape, *rows, params, &mut bound)));
                continue;
            }
            if sizes.is_empty() || self.random.chance(35) {
                spelt.push(None);
                continue;
            }
            let given = named.param.mode != Mode::Out;
            let texts = sizes.iter().map(|&size| self.header_size(size, given, params, &mut bound));
            spelt.push(Some(texts.collect()));
        }
        for (named, texts) in params.iter_mut().zip(spelt) {
            let Some(texts) = texts else { continue };
            let texts: Vec<String> = texts
                .into_iter()
                .map(|text| match bound.iter().find(|bound| bound.name == text) {
                    Some(bound) if !bound.binds() => bound.size.to_string(),
                    Some(_) | None => text,
                })
                .collect();
            named.ty = self.type_text(named, &texts);
            if named.param.mode == Mode::Value {
                let var = self.routine.scope.vars.iter_mut().find(|var| var.name == named.name);
                if let Some(var) = var {
                    var.fixed = Some(named.param.known);
                }
            }
        }
        let implicit = bound.iter().filter(|bound| bound.of_type && bound.n_uses == 2);
        let implicit = implicit.map(|bound| Value::Int(bound.size as i64)).collect();
        for bound in bound {
            if bound.binds() {
                let Bound { size, name, .. } = bound;
                self.routine.scope.vars.push(Var {
                    name,
                    kind: ExprType::Int,
                    known: Known::Scalar,
                    fixed: Some(Known::Scalar),
                    domain: (size as i64, size as i64),
                    constant: true,
                    locked: true,
                    hidden: false,
                    is_records: false,
                });
            }
        }
        implicit
    }

    /// Writes the number of rows of a table of records and the arguments of its type. A header also
    /// binds a name that occurs there only.
    fn record_sizes(
        &mut self,
        shape: usize,
        rows: usize,
        params: &[NamedParam],
        bound: &mut Vec<Bound>,
    ) -> Vec<String> {
        let mut texts = vec![self.header_size(rows, true, params, bound)];
        for arg in self.shapes[shape].args.clone() {
            if self.random.chance(40) {
                texts.push(self.size_number(arg));
                continue;
            }
            let name = self.name("n");
            let n_uses = 2;
            bound.push(Bound { size: arg, name: name.clone(), n_uses, n_given: 1, of_type: true });
            texts.push(name);
        }
        texts
    }

    /// Writes a type with sizes.
    fn type_text(&self, named: &NamedParam, texts: &[String]) -> String {
        let keyword = named.param.kind.keyword();
        let (Some(shape), [rows, args @ ..]) = (named.param.shape, texts) else {
            return format!("{keyword}({})", texts.join(","));
        };
        let of = &self.shapes[shape].name;
        match args {
            [] => format!("{keyword}({rows}) of {of}"),
            args => format!("{keyword}({rows}) of {of}({})", args.join(",")),
        }
    }

    fn header_size(
        &mut self,
        size: usize,
        given: bool,
        params: &[NamedParam],
        bound: &mut Vec<Bound>,
    ) -> String {
        let value = size as i64;
        let is_size = |named: &&NamedParam| {
            let Param { mode, kind, known: _, domain, shape: _ } = &named.param;
            *mode == Mode::Value && *kind == ExprType::Int && *domain == (value, value)
        };
        let named = params.iter().find(is_size);
        match (self.random.below(10), named) {
            (0, _) => self.size_number(size),
            (1..=3, Some(named)) => named.name.clone(),
            _ => {
                let suits = |bound: &Bound| bound.size == size && (given || !bound.of_type);
                let idx = bound.iter().position(suits);
                let idx = idx.unwrap_or_else(|| {
                    let (name, of_type) = (self.name("n"), false);
                    bound.push(Bound { size, name, n_uses: 0, n_given: 0, of_type });
                    bound.len() - 1
                });
                let bound = &mut bound[idx];
                bound.n_uses += 1;
                bound.n_given += usize::from(given);
                bound.name.clone()
            }
        }
    }

    /// Sets the results of the routine at its beginning.
    fn set_results(&mut self, params: &[NamedParam], body: &mut Vec<Stmt>) {
        for named in params.iter().filter(|named| named.param.mode == Mode::Out) {
            let Param { kind, known, domain, .. } = named.param;
            let value = match (kind, known) {
                (ExprType::Int, _) => self.int_in(domain.0, domain.1, 1),
                (ExprType::Bool, _) => self.boolean(1),
                (ExprType::Slice | ExprType::Word, Known::Bits(size)) => {
                    self.typed_operand(kind, size, 2)
                }
                (ExprType::Table, Known::Table(rows, columns)) => {
                    let idx = self.table_like(rows, columns);
                    self.read(idx)
                }
                (ExprType::Str | ExprType::Slice | ExprType::Word | ExprType::Table, _) => continue,
            };
            body.push(stmt!(&named.name, ":=", value));
            let vars = &mut self.routine.scope.vars;
            if let Some(var) = vars.iter_mut().find(|var| var.name == named.name) {
                var.known = known;
            }
        }
    }

    /// Generates the routine to run, its name and arguments.
    fn entry(&mut self) -> (Routine, String, Vec<Value>) {
        self.routine = Current::new(BUDGET);
        let mut params = Vec::new();
        for kind in [ExprType::Slice, ExprType::Table, ExprType::Word] {
            let (rows, columns) = (self.sizes.rows[0], self.sizes.columns[0]);
            let known = match kind {
                ExprType::Slice => Known::Bits(rows),
                ExprType::Word => Known::Bits(columns),
                ExprType::Table | ExprType::Int | ExprType::Bool | ExprType::Str => {
                    Known::Table(rows, columns)
                }
            };
            let mode = [Mode::Value, Mode::InOut][self.random.below(2)];
            params.push(self.parameter(mode, kind, known, (0, 0), None));
        }
        if self.random.chance(70) {
            let mode = [Mode::Value, Mode::InOut][self.random.below(2)];
            params.push(self.record_parameter(mode, self.sizes.rows[0]));
        }
        for _ in 0..3 + self.random.below(5) {
            params.push(self.random_parameter(false));
        }
        let implicit = self.spell_sizes(&mut params);
        let mut body = Vec::new();
        self.routine.may_exit = false;
        self.set_results(&params, &mut body);
        self.build_table(&mut body);
        self.routine.may_exit = true;
        let n = 6 + self.random.below(14);
        body.extend(self.statements(n));
        while self.near_misses > 0 {
            self.near_misses -= 1;
            self.near_miss(&mut body);
        }
        self.bring_out(&mut params, &mut body);
        let (name, keyword) = match self.random.below(2) {
            0 => (self.name("main"), "program"),
            _ => (self.name("Main"), "procedure"),
        };
        let mut args = Vec::new();
        for named in &params {
            args.push(values::argument(&mut self.random, &named.param));
        }
        args.extend(implicit);
        let header = format!("{keyword} {name}{};", list(&params));
        let vars = std::mem::take(&mut self.routine.vars);
        let end = if keyword == "program" { '.' } else { ';' };
        (Routine { header, vars, body, end }, name, args)
    }

    /// Copies the values of the local variables to `var` parameters, so that they are compared too.
    fn bring_out(&mut self, params: &mut Vec<NamedParam>, body: &mut Vec<Stmt>) {
        let own: Vec<String> = params.iter().map(|named| named.name.clone()).collect();
        let locals: Vec<Var> = self.routine.scope.vars.clone();
        let is_local = |var: &&Var| {
            var.known != Known::Unset
                && !own.contains(&var.name)
                && !var.name.starts_with('n')
                && !var.is_field()
        };
        for var in locals.iter().filter(is_local) {
            let Var { name, kind, known, domain, .. } = var;
            let (kind, known, domain) = (*kind, *known, *domain);
            let out = self.name("o");
            let value = Expr::leaf(kind, name);
            body.push(stmt!(&out, ":=", value));
            let param = Param { mode: Mode::Out, kind, known, domain, shape: None };
            params.push(NamedParam { param, name: out, ty: kind.keyword().to_owned() });
        }
    }
}

/// Writes the parameters in brackets, occasionally grouping those of one type.
fn list(params: &[NamedParam]) -> String {
    if params.is_empty() {
        return String::new();
    }
    let mut text = String::from("(");
    for (idx, named) in params.iter().enumerate() {
        let NamedParam { param, name, ty } = named;
        let by_ref = param.mode != Mode::Value;
        let next_is_like = params
            .get(idx + 1)
            .is_some_and(|next| next.ty == *ty && (next.param.mode != Mode::Value) == by_ref);
        let begins = idx == 0 || text.ends_with("; ");
        if begins && by_ref {
            text.push_str("var ");
        }
        text.push_str(name);
        if next_is_like {
            text.push(',');
        } else {
            let separator = if idx + 1 == params.len() { "" } else { "; " };
            text.push_str(&format!(": {ty}{separator}"));
        }
    }
    text.push(')');
    text
}
