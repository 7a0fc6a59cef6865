//! Results of a run: `--out NAME=FILE`, and the summary on standard output.

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::{BitsRef, Code, Diagnostic, SparseTable};
use star_bind::encoding::Formulas;
use star_bind::marked::marked;
use star_bind::results::{ResultFile, result_file, summary, summary_of_sparse};
use star_bind::{Kind, RecordList, ResultForm, Rows, Signature, encoding};
use star_io::{FileError, Format, Graph, OutputRef};
use star_os::file_roles::Writer;
use star_os::flags::Flags;
use star_os::output::Output;
use star_vm::HostValue;

use crate::output_target::Outlet;
use crate::view::Places;

/// An `--out` option: a result, counted from 0 among the `var` parameters, and its destination.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Out {
    result: usize,
    /// Its form, if it is not written as bits.
    form: Option<ResultForm>,
    outlet: Outlet,
}

impl Out {
    /// Returns the index of the result among the `var` parameters, from 0.
    pub(crate) fn result(&self) -> usize {
        self.result
    }

    /// The same option with this treatment of formulas in CSV files.
    pub(crate) fn with(self, formulas: Formulas) -> Self {
        Out { outlet: self.outlet.with(formulas), ..self }
    }

    /// Returns its destination.
    pub(crate) fn outlet(&self) -> &Outlet {
        &self.outlet
    }
}

/// A result: unset if it is a table that stays sparse.
pub(crate) type Taken = (HostValue, Option<SparseTable>);

/// Tests whether a result is written only as bits. A sparse table can then stay sparse.
pub(crate) fn are_bits(outs: &[Out], result: usize) -> bool {
    outs.iter().all(|out| out.result != result || out.form.is_none())
}

/// The origins of the values of a run, for results written in terms of them.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// The meaning of the rows of parameters, by parameter name.
    pub(crate) rows: BTreeMap<String, Rows>,
    /// The lists whose records are in the rows of parameters.
    pub(crate) lists: Vec<RecordList>,
    /// The graph and its file.
    pub(crate) graph: Option<(String, Rc<Graph>)>,
    /// Coordinates of its vertices, if it is drawn.
    pub(crate) places: Option<Places>,
}

/// Parses the `--out NAME=FILE` options. A slice in a file format for graphs but not slices is
/// written as the graph of the arcs in `arcs` that it marks. `updates` tests whether a parameter
/// was read from a file, which its result may replace.
///
/// # Errors
/// All of E0606, E0608, E0506, E0507 and E0509 that can be detected before the run.
pub(crate) fn outs(
    entry: &Signature,
    options: &[String],
    arcs: Option<&str>,
    updates: &dyn Fn(&str, &str) -> bool,
) -> Result<Vec<Out>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut outs: Vec<Out> = Vec::new();
    for option in options {
        match out(entry, option, arcs, updates) {
            Err(fault) => faults.push(fault),
            Ok(new) if new.outlet.is_stdout() && use_stdout(&outs) => {
                let message = "two results must not share standard output";
                faults.push(Diagnostic::new(Code::NotAResult, message));
            }
            Ok(new) => outs.push(new),
        }
    }
    if faults.is_empty() { Ok(outs) } else { Err(faults) }
}

fn out(
    entry: &Signature,
    option: &str,
    arcs: Option<&str>,
    updates: &dyn Fn(&str, &str) -> bool,
) -> Result<Out, Diagnostic> {
    let ResultFile { idx, kind, file } = result_file(entry, option)?;
    let (form, file) = ResultForm::split(file).map_err(|error| error.to_diagnostic())?;
    let edges = arcs.filter(|_| form.is_none() && kind == Kind::Slice);
    let edges = edges.map(|name| ResultForm::RowsOf(name.to_owned()));
    let form = form.or(edges.filter(|edges| {
        let format = Format::of_path(file);
        format.is_some_and(|format| {
            encoding::holds(kind, format).is_err() && edges.held_by(format).is_ok()
        })
    }));
    if let Some(form) = &form {
        form.check(entry)?;
    }
    let holds = |format| match &form {
        Some(form) => form.held_by(format),
        None => encoding::holds(kind, format),
    };
    let name = entry.results().nth(idx).map_or("", |param| param.name.as_str());
    let writer = if updates(name, file) { Writer::Update } else { Writer::Command };
    let outlet = Outlet::by(writer, file, &holds).map_err(|error| error.to_diagnostic())?;
    Ok(Out { result: idx, form, outlet })
}

/// Returns the parameters whose rows the options refer to.
pub(crate) fn parameters(outs: &[Out]) -> Vec<String> {
    outs.iter().filter_map(|out| Some(out.form.as_ref()?.parameter()?.to_owned())).collect()
}

/// Tests whether an option names vertices.
pub(crate) fn name_vertices(outs: &[Out]) -> bool {
    outs.iter().any(|out| out.form.as_ref().is_some_and(ResultForm::names_vertices))
}

/// Tests whether an option uses standard output.
pub(crate) fn use_stdout(outs: &[Out]) -> bool {
    outs.iter().any(|out| out.outlet.is_stdout())
}

/// Writes all files that can be written, or none if a flag is set meanwhile.
///
/// # Errors
/// An error for every file that cannot be written, or only an error for the flag.
pub(crate) fn save(
    outs: Vec<Out>,
    results: &[Taken],
    origins: &Origins,
    flags: &Flags,
    output: &mut Output,
) -> Result<(), Vec<FileError>> {
    let (mut written, mut faults) = (Vec::new(), Vec::new());
    for Out { result, form, outlet } in outs {
        let data = match results.get(result) {
            Some((_, Some(table))) => Ok(OutputRef::Bits(BitsRef::Sparse(table))),
            Some((value, None)) => encoding::writable(value, outlet.name()),
            None => encoding::writable(&HostValue::Unset, outlet.name()),
        };
        let file = data.and_then(|data| match (form, data) {
            (Some(form), OutputRef::Bits(bits)) => {
                let Origins { rows, graph, .. } = origins;
                let rows = form.parameter().and_then(|name| rows.get(name));
                let graph = graph.as_ref().map(|(_, graph)| &**graph);
                let shaped = form.data(bits, rows, graph, outlet.name())?;
                outlet.write(shaped.as_output(), flags, output)
            }
            (Some(_) | None, data) => outlet.write(data, flags, output),
        });
        match file {
            Ok((file, _)) => written.extend(file),
            Err(fault) if flags.stop().is_some() => return Err(vec![fault]),
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(written.into_iter().filter_map(|file| file.commit().err()));
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Prints the results as `NAME = …`.
pub(crate) fn print(
    output: &mut Output,
    names: &[Option<&str>],
    results: &[Taken],
    origins: &Origins,
) {
    let graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
    let named = names.iter().zip(results).filter_map(|(name, value)| Some(((*name)?, value)));
    for (name, (value, sparse)) in named {
        if let Some(table) = sparse {
            if !output.write(&summary_of_sparse(name, table)) {
                return;
            }
            continue;
        }
        let marked = match (value, graph) {
            (HostValue::Slice(slice), Some(graph)) => marked(slice, graph).unwrap_or_default(),
            _ => String::new(),
        };
        if !output.write(&(summary(name, value, &origins.lists) + &marked)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use star_bind::Param;

    use super::*;

    fn codes(options: &[&str]) -> Vec<Code> {
        let param = |name: &str, kind| Param {
            name: name.to_owned(),
            by_ref: true,
            takes_value: true,
            kind,
        };
        let params = vec![param("D", Kind::Table), param("X", Kind::Slice)];
        let floyd = Signature { name: "FLOYD".to_owned(), params };
        let options: Vec<String> = options.iter().map(|text| (*text).to_owned()).collect();
        match outs(&floyd, &options, None, &|_, _| false) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(|fault| fault.code).collect(),
        }
    }

    #[test]
    fn outs_name_result_tables_slices_and_words() {
        assert_eq!(codes(&["D=d.mtx", "X=x.stb"]), []);
        let wrong = ["d=b.mtx", "D", "X=x.xyz", "X=no/x.stb"];
        let expected = [Code::NotAResult, Code::Usage, Code::UnknownFormat, Code::CannotWrite];
        assert_eq!(codes(&wrong), expected);
    }

    #[test]
    fn rejects_unsuitable_formats_before_the_run() {
        assert_eq!(codes(&["D=d.jpg", "X=x.gr"]), [Code::NoSuchLayout; 2]);
        assert_eq!(codes(&["D=jpg:-", "X=gr:-"]), [Code::NoSuchLayout; 2]);
        assert_eq!(codes(&["D=gr:-", "X=x.stb"]), []);
        assert_eq!(codes(&["D=gr:-", "X=stb:-"]), [Code::NotAResult]);
    }

    #[test]
    fn rows_of_results_may_be_fields() {
        assert_eq!(codes(&["D=records x=16 y=16:d.csv", "X=x.stb"]), []);
        assert_eq!(codes(&["D=rgb:d.png"]), []);
        assert_eq!(codes(&["D=records x=16:csv:-"]), []);
        assert_eq!(codes(&["D=rgb:d.csv.xyz"]), [Code::UnknownFormat]);
        assert_eq!(codes(&["D=records x:d.csv", "D=rgb:d.gr"]), [Code::NoSuchLayout; 2]);
    }
}
