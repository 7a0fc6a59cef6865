//! The text form of SIR, as used in golden files. [`crate::parse()`] parses it back exactly, for
//! every program; ambiguous names and invalid numbers are printed as numbers (`#7`).

mod data;
mod kernel;
mod stmt;

use std::fmt::{self, Write};
use std::sync::Arc;

use star_base::Span;

use crate::check::Check;
use crate::mnemonic::{Mnemonic, is_bare};
use crate::program::{
    Extent, InlinedCall, LocId, Location, Program, Routine, RoutineId, Ty, Var, VarId,
};
use crate::stmt::Stmt;

/// Returns the program as text, one statement per line.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    for (idx, routine) in program.routines.iter().enumerate() {
        printer.routine(idx, routine);
    }
    printer.locations();
    printer.out
}

/// Returns the first line of a statement, without its location.
pub fn print_statement(program: &Program, routine: RoutineId, stmt: &Stmt) -> String {
    let mut printer = Printer::new(program);
    printer.enter(program.routines.get(routine.0 as usize).map(Arc::as_ref));
    printer.head(&stmt.kind);
    printer.out
}

/// Returns the text of a guard without the word `check`.
pub fn print_check(program: &Program, routine: RoutineId, check: &Check) -> String {
    let mut printer = Printer::new(program);
    printer.enter(program.routines.get(routine.0 as usize).map(Arc::as_ref));
    printer.check(check);
    printer.out
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// Writes text with the names of the current routine.
struct Printer<'a> {
    program: &'a Program,
    out: String,
    /// For each variable, whether its name is unique.
    unique: Vec<bool>,
    vars: &'a [Var],
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        Printer { program, out: String::new(), unique: Vec::new(), vars: &[], indent: 0 }
    }

    fn enter(&mut self, routine: Option<&'a Routine>) {
        self.vars = routine.map_or(&[], |routine| &routine.vars);
        let mut count = std::collections::HashMap::new();
        for var in self.vars {
            *count.entry(var.name.as_str()).or_insert(0_u32) += 1;
        }
        self.unique =
            self.vars.iter().map(|var| count.get(var.name.as_str()) == Some(&1)).collect();
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn fmt(&mut self, args: fmt::Arguments<'_>) {
        // Writing into a `String` cannot fail.
        let _ = self.out.write_fmt(args);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Calls `each` for the items with `, ` between them.
    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (idx, item) in items.iter().enumerate() {
            if idx > 0 {
                self.put(", ");
            }
            each(self, item);
        }
    }

    fn loc(&mut self, loc: LocId) {
        self.fmt(format_args!(" {loc}"));
    }

    fn string(&mut self, text: &str) {
        self.put("\"");
        for c in text.chars() {
            match c {
                '"' => self.put("\\\""),
                '\\' => self.put("\\\\"),
                '\n' => self.put("\\n"),
                '\t' => self.put("\\t"),
                c if c.is_control() => self.fmt(format_args!("\\u{{{:x}}}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.put("\"");
    }

    fn name(&mut self, name: &str) {
        self.put("%");
        if is_bare(name) {
            self.put(name);
        } else {
            self.string(name);
        }
    }

    fn var(&mut self, id: VarId) {
        let idx = id.0 as usize;
        match self.vars.get(idx) {
            Some(var) if self.unique[idx] => self.name(&var.name),
            Some(_) | None => self.fmt(format_args!("#{}", id.0)),
        }
    }

    fn extent(&mut self, extent: Extent) {
        match extent {
            Extent::Const(n) => self.fmt(format_args!("{n}")),
            Extent::Var(v) => self.var(v),
            Extent::Dynamic => self.put("?"),
        }
    }

    fn ty(&mut self, ty: Ty) {
        match ty {
            Ty::Int => self.put("int"),
            Ty::Bool => self.put("bool"),
            Ty::Str => self.put("string"),
            Ty::Handle => self.put("handle"),
            Ty::Slice(n) | Ty::Word(n) => {
                self.put(if matches!(ty, Ty::Slice(_)) { "slice[" } else { "word[" });
                self.extent(n);
                self.put("]");
            }
            Ty::Table(rows, columns) => {
                self.put("table[");
                self.extent(rows);
                self.put(", ");
                self.extent(columns);
                self.put("]");
            }
        }
    }

    fn declaration(&mut self, var: &Var) {
        let Var { name, ty, source, sized } = var;
        self.name(name);
        self.put(": ");
        self.ty(*ty);
        if *sized {
            self.put(" sized");
        }
        if let Some(source) = source {
            self.put(" as ");
            self.string(source);
        }
    }

    fn routine(&mut self, idx: usize, routine: &'a Routine) {
        let Routine { name, params, result, vars, body, loc, intrinsic } = routine;
        self.enter(Some(routine));
        self.fmt(format_args!("routine {idx} "));
        self.string(name);
        if let Some(intrinsic) = intrinsic {
            self.fmt(format_args!(" intrinsic {intrinsic}"));
        }
        self.put(" (");
        // The leading parameters that are the first variables are declared in place.
        let n_declared = (0_u32..)
            .zip(params.iter().zip(vars))
            .take_while(|(at, (param, _))| param.var == VarId(*at))
            .count();
        let mut at = 0;
        self.list(params, |printer, param| {
            printer.put(param.mode.text());
            if param.set_at_end {
                printer.put(" set");
            }
            printer.put(" ");
            if at < n_declared {
                printer.declaration(&vars[at]);
            } else {
                printer.var(param.var);
            }
            at += 1;
        });
        self.put(")");
        if let Some(result) = result {
            self.put(" -> ");
            self.var(*result);
        }
        self.loc(*loc);
        self.put(" {");
        self.indent = 1;
        for var in &vars[n_declared..] {
            self.line();
            self.put("var ");
            self.declaration(var);
        }
        self.statements(body);
        self.indent = 0;
        self.line();
        self.put("}\n");
    }

    fn span(&mut self, span: Span) {
        let Span { file, start, end } = span;
        self.fmt(format_args!("{}:{start}..{end}", file.0));
    }

    fn locations(&mut self) {
        if self.program.locations.is_empty() {
            return;
        }
        self.put("locations {\n");
        for (idx, location) in self.program.locations.iter().enumerate() {
            let Location { span, inlined, operands, at_call } = location;
            self.fmt(format_args!("  !{idx} = "));
            self.span(*span);
            if *at_call {
                self.put(" at_call");
            }
            if !inlined.is_empty() {
                self.put(" inlined [");
                self.list(inlined, |printer, &InlinedCall { routine, call }| {
                    printer.fmt(format_args!("{} at {call}", routine.0));
                });
                self.put("]");
            }
            if !operands.is_empty() {
                self.put(" names [");
                self.list(operands, |printer, named| {
                    printer.fmt(format_args!("#{} ", named.var.0));
                    printer.string(&named.name);
                });
                self.put("]");
            }
            self.put("\n");
        }
        self.put("}\n");
    }
}
