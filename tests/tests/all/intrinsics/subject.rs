//! A routine with an intrinsic, as a program that calls it: after the routines that create its
//! handles, and before all tables that the handles represent are read.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use star_base::Library;
use star_base::intrinsics::{Intrinsic, Kind, Param, ParamMode, Signature};
use star_compiler::LowerOptions;
use star_ir::{RoutineId, Simple, StmtKind, visit};
use star_tests::backends::{Compiled, Mode};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_tests::{LIBRARY, compile_with};
use star_value::{BitTable, Value};
use star_vm::{Limits, Outcome};

use super::{Arguments, Sizes};

/// A call: the intrinsic, and the name of the routine.
pub(super) type Called = (Intrinsic, &'static str);

/// See the head of the file.
pub(super) struct Subject {
    /// The calls; the last one is under test.
    pub(super) calls: Vec<Called>,
    pub(super) program: Program,
    /// The tables that its handles represent.
    parts: Vec<String>,
}

impl Subject {
    pub(super) fn new(intrinsic: Intrinsic, routine: &'static str) -> Self {
        let mut calls = makers(intrinsic);
        calls.push((intrinsic, routine));
        let module = intrinsic.signature().module;
        // All tables that the routines keep in handles, according to their bodies.
        let plain = Program::new(&text_of(&calls, &[]));
        let mut parts = BTreeSet::new();
        for routine in &plain.lowered.program.routines {
            visit::walk(&routine.body, &mut |stmt| {
                if let StmtKind::Simple(Simple::PutHandlePart { part, .. }) = &stmt.kind {
                    parts.insert(part.name.to_string());
                }
            });
        }
        let parts: Vec<String> = parts.into_iter().collect();
        let library = with_probes(module, &parts);
        let text = text_of(&calls, &parts);
        let (compilation, lowered) =
            compile_with(&[("test.star", &text)], &LowerOptions::default(), &library);
        Subject { calls, program: Program::of(compilation, lowered), parts }
    }

    /// Returns the call under test.
    pub(super) fn last(&self) -> Called {
        *self.calls.last().expect("a call")
    }

    /// Returns the program that makes the calls, and the routine itself, if it can be an entry.
    pub(super) fn entries(&self) -> Vec<RoutineId> {
        let (intrinsic, routine) = self.last();
        let Signature { params, result, .. } = intrinsic.signature();
        let mut entries = vec![self.program.entry("TRY")];
        if result.is_none() && params.iter().all(|param| param.kind != Kind::Handle) {
            entries.push(self.program.lowered.program.find(routine).expect("it is called"));
        }
        entries
    }

    /// Returns the arguments of an entry: the given arguments of the calls, and its results.
    pub(super) fn args(&self, entry: RoutineId, given: &[Arguments]) -> Vec<Value> {
        let mut args: Vec<Value> = given.iter().flat_map(Arguments::values).collect();
        let n_params = self.program.lowered.program.routine(entry).params.len();
        args.resize(n_params, Value::Unset);
        args
    }

    /// Returns the sizes of the tables that the handles represent after the preceding calls with
    /// the given arguments.
    pub(super) fn sizes(
        &self,
        compiled: &Compiled,
        given: &[Arguments],
        signature: &Signature,
    ) -> Sizes {
        let mut sizes = Sizes::default();
        let handles = signature.params.iter().enumerate().filter(|(_, param)| takes_handle(param));
        for (handle, (idx, _)) in handles.enumerate() {
            for (part, name) in self.parts.iter().enumerate() {
                let entry = self.program.entry(&format!("SIZE{handle}X{part}"));
                let run = compiled.run(entry, &self.args(entry, given), LIMITS);
                if let (Outcome::Done, Some(Value::Table(table))) = (run.outcome, run.values.last())
                {
                    sizes.0.insert((idx, name.clone()), [table.n_rows(), table.n_cols()]);
                }
            }
        }
        sizes
    }
}

/// Returns whether a parameter expects an initialised handle.
fn takes_handle(param: &Param) -> bool {
    match (param.kind, param.mode) {
        (Kind::Handle, ParamMode::Value | ParamMode::Changed) => true,
        (Kind::Handle, ParamMode::Made) => false,
        (
            Kind::Int | Kind::Bool | Kind::Str | Kind::Slice | Kind::Word | Kind::Table,
            ParamMode::Value | ParamMode::Changed | ParamMode::Made,
        ) => false,
    }
}

/// Returns a routine that creates a handle, for each that an intrinsic expects: of those of its
/// module that expect none themselves, the first whose parameter has the same name, or the first.
fn makers(intrinsic: Intrinsic) -> Vec<Called> {
    let Signature { module, params, .. } = intrinsic.signature();
    let makes = |maker: &&Intrinsic, name: Option<&str>| {
        let Signature { module: of, params, .. } = maker.signature();
        let is_made = |param: &Param| param.kind == Kind::Handle && param.mode == ParamMode::Made;
        let has_name = |param: &Param| name.is_none_or(|name| param.name == name);
        of == module
            && !params.iter().any(takes_handle)
            && params.iter().any(|param| is_made(param) && has_name(param))
    };
    let wanted = params.iter().filter(|param| takes_handle(param));
    let maker = |param: &Param| {
        let named = Intrinsic::ALL.iter().find(|maker| makes(maker, Some(param.name)));
        let maker = named.or_else(|| Intrinsic::ALL.iter().find(|maker| makes(maker, None)));
        let maker = *maker.expect("something makes the handle");
        (maker, maker.signature().routines[0])
    };
    wanted.map(maker).collect()
}

/// Returns the library with procedures in a module that return the tables of its handles.
pub(super) fn with_probes(module: &str, parts: &[String]) -> Library {
    let modules = LIBRARY.modules.iter().map(|&(name, text)| {
        let mut text = text.to_owned();
        if name == module {
            for (idx, part) in parts.iter().enumerate() {
                // Writing to a String does not fail.
                let _ = write!(
                    text,
                    "\nprocedure PROBE{idx}(H: handle; var T: table); begin T:=H.{part}; end;"
                );
            }
        }
        let text: &'static str = Box::leak(text.into_boxed_str());
        (name, text)
    });
    let modules: Vec<(&'static str, &'static str)> = modules.collect();
    Library { basic: LIBRARY.basic, modules: Box::leak(modules.into_boxed_slice()) }
}

/// Writes the procedure `TRY`, which makes the calls and returns the tables of the handles, and
/// `SIZEhXp`, which returns table p of the h-th handle before the last call.
fn text_of(calls: &[Called], parts: &[String]) -> String {
    let ((intrinsic, _), makers) = calls.split_last().expect("a call");
    let Signature { module, params, .. } = intrinsic.signature();
    let n_handles = params.iter().filter(|param| param.kind == Kind::Handle).count();
    let is_module = LIBRARY.modules.iter().any(|(name, _)| name == module);
    let mut text = if is_module { format!("import \"star:{module}\";\n") } else { String::new() };
    for handle in 0..makers.len() {
        for part in 0..parts.len() {
            let (mut header, body) = head_and_body(makers);
            header.push("var V: table".to_owned());
            let probe = format!("PROBE{part}(H{handle},V);");
            text +=
                &procedure(&format!("SIZE{handle}X{part}"), &header, n_handles, &(body + &probe));
        }
    }
    let (mut header, mut body) = head_and_body(calls);
    for handle in 0..n_handles {
        for part in 0..parts.len() {
            header.push(format!("var V{handle}X{part}: table"));
            // Writing to a String does not fail.
            let _ = write!(body, "PROBE{part}(H{handle},V{handle}X{part}); ");
        }
    }
    text + &procedure("TRY", &header, n_handles, &body)
}

fn procedure(name: &str, header: &[String], n_handles: usize, body: &str) -> String {
    let handles: Vec<String> = (0..n_handles).map(|idx| format!("H{idx}")).collect();
    let vars = match handles.is_empty() {
        true => String::new(),
        false => format!("var {}: handle; ", handles.join(",")),
    };
    format!("procedure {name}({}); {vars}begin {body}end;\n", header.join("; "))
}

/// Writes the calls with a separate argument for each parameter: `A0X1` is that of parameter 1 of
/// the first one, `R0` its value. The makers fill the first handles, the last call uses them in
/// order.
fn head_and_body(calls: &[Called]) -> (Vec<String>, String) {
    let (mut header, mut body) = (Vec::new(), String::new());
    for (call, (intrinsic, routine)) in calls.iter().enumerate() {
        let Signature { params, result, .. } = intrinsic.signature();
        let mut names = Vec::new();
        let mut handle = if params.iter().any(takes_handle) { 0 } else { call };
        for (idx, Param { kind, mode, .. }) in params.iter().enumerate() {
            if *kind == Kind::Handle {
                names.push(format!("H{handle}"));
                handle += 1;
                continue;
            }
            let var = if mode.is_by_ref() { "var " } else { "" };
            header.push(format!("{var}A{call}X{idx}: {}", kind.name()));
            names.push(format!("A{call}X{idx}"));
        }
        let call_text = format!("{routine}({})", names.join(","));
        match result {
            Some(kind) => {
                header.push(format!("var R{call}: {}", kind.name()));
                let _ = write!(body, "R{call}:={call_text}; "); // writing to a String does not fail
            }
            None => body += &format!("{call_text}; "),
        }
    }
    (header, body)
}

/// Writes a program that only calls a routine without handles.
pub(super) fn caller(intrinsic: Intrinsic, routine: &'static str) -> String {
    text_of(&[(intrinsic, routine)], &[])
}

/// Builds a table of these bits.
pub(super) fn table_of(
    n_rows: usize,
    n_cols: usize,
    bit: impl Fn(usize, usize) -> bool,
) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_cols).expect("small");
    for row in 0..n_rows {
        (0..n_cols).filter(|col| bit(row, *col)).for_each(|col| table.put(row, col, true));
    }
    table
}

/// Asserts that all machines agree, with the routine called and as the entry, and returns how many
/// intrinsics were taken by those that have it.
pub(super) fn same_everywhere(
    (program, machines): (&Program, &[Compiled]),
    (intrinsic, routine): Called,
    args: &[Value],
    context: &str,
) -> u64 {
    let limits = Limits { steps: None, ..LIMITS };
    let called = program.lowered.program.find(routine).expect("called");
    let mut intrinsics = None;
    for entry in [program.entry("TRY"), called] {
        let expected = machines[0].run(entry, args, limits);
        for machine in &machines[1..] {
            let found = machine.run(entry, args, limits);
            let difference = difference(program, &expected, &found, Mode::AsLowered);
            assert_eq!(difference, None, "{context} on `{}`", machine.name);
            match machine.takes(intrinsic) {
                true => {
                    let intrinsics = intrinsics.get_or_insert(found.stats.intrinsics);
                    assert_eq!(
                        found.stats.intrinsics, *intrinsics,
                        "{context} on `{}`",
                        machine.name
                    );
                }
                false => assert_eq!(found.stats.intrinsics, 0, "{context} on `{}`", machine.name),
            }
        }
    }
    intrinsics.unwrap_or(0)
}
