//! Results of a run: `--out NAME=FILE`, and the summary on standard output.

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::{Code, Diagnostic, text};
use star_bind::encoding::WriteStyle;
use star_bind::marked::marked;
use star_bind::result_table::{self, Column};
use star_bind::results::{ResultFile, is_number, result_file, summary};
use star_bind::rows::GRAPH;
use star_bind::{
    Kind, Param, RecordList, ResultForm, Rows, Settings, Signature, WeightCoding, encoding,
};
use star_io::{Data, Decimal, FileError, Format, Graph, OutputRef};
use star_os::file_roles::Writer;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;
use star_value::Value;

use crate::output_target::Outlet;
use crate::placed_results::PlacedResults;
use crate::view::Places;

/// The contents of an `--out` option.
#[derive(Debug, PartialEq, Eq)]
enum Contents {
    /// A result as bits, counted from 0 among the `var` parameters.
    Bits(usize),
    /// Results in forms: one table.
    Columns(Vec<Column>),
}

/// An `--out` option: results and their destination.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Out {
    contents: Contents,
    outlet: Outlet,
}

impl Out {
    /// Returns the index of its only result among the `var` parameters, from 0.
    pub(crate) fn only_result(&self) -> Option<usize> {
        match &self.contents {
            Contents::Bits(result) => Some(*result),
            Contents::Columns(columns) => match &columns[..] {
                [column] => Some(column.idx),
                _ => None,
            },
        }
    }

    fn columns(&self) -> &[Column] {
        match &self.contents {
            Contents::Bits(_) => &[],
            Contents::Columns(columns) => columns,
        }
    }

    /// The same option in this style.
    pub(crate) fn with(self, style: WriteStyle) -> Self {
        Out { outlet: self.outlet.with(style), ..self }
    }

    /// Returns its destination.
    pub(crate) fn outlet(&self) -> &Outlet {
        &self.outlet
    }

    /// Tests before the run whether the file can hold records or arcs of a parameter.
    ///
    /// # Errors
    /// E0507 if the parameter has none, or the format cannot hold their fields.
    pub(crate) fn check(&self, origins: &Origins) -> Result<(), FileError> {
        let [Column { form, .. }] = self.columns() else { return Ok(()) };
        let name = self.outlet.name();
        let Some(data) = form.example(origins.rows_of(form), name)? else { return Ok(()) };
        let written = star_io::write(self.outlet.format(), data.as_output(), &mut std::io::sink());
        match written.map_err(|error| error.in_file(name)) {
            Err(error) if error.code == Code::NoSuchLayout => Err(error),
            // Another error depends on the values.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Tests whether a result is written only as bits. A sparse table can then stay sparse.
pub(crate) fn are_bits(outs: &[Out], result: usize) -> bool {
    outs.iter().all(|out| out.columns().iter().all(|column| column.idx != result))
}

/// Tests whether a result is written only to files that take a table by ranges of columns.
pub(crate) fn take_columns(outs: &[Out], result: usize) -> bool {
    let mut written = outs.iter().filter(|out| out.contents == Contents::Bits(result));
    written.all(|out| out.outlet.takes_columns())
}

/// The `--names` option.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// All results, in their usual forms.
    All,
    /// Only these, as one table.
    Columns(Vec<Column>),
}

impl Names {
    /// Parses the value of the option.
    ///
    /// # Errors
    /// Those of [`Column::parse`].
    pub(crate) fn parse(entry: &Signature, columns: &str) -> Result<Self, Diagnostic> {
        if columns.is_empty() {
            return Ok(Names::All);
        }
        Column::parse(entry, columns, "--names").map(Names::Columns)
    }

    /// Returns the parameters whose rows the option refers to.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = String> {
        let (columns, graph) = match self {
            Names::All => (&[][..], Some(GRAPH.to_owned())),
            Names::Columns(columns) => (&columns[..], None),
        };
        let named = columns.iter().filter_map(|column| Some(column.form.parameter()?.to_owned()));
        named.chain(graph)
    }

    /// Tests whether the option shows a result in a form.
    pub(crate) fn shows(&self, result: usize) -> bool {
        match self {
            Names::All => true,
            Names::Columns(columns) => columns.iter().any(|column| column.idx == result),
        }
    }
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
    /// The coding of its weights and distances.
    pub(crate) coding: WeightCoding,
    /// Coordinates of its vertices, if it is drawn.
    pub(crate) places: Option<Places>,
}

impl Origins {
    /// Returns the rows of the parameter that a form refers to.
    pub(crate) fn rows_of(&self, form: &ResultForm) -> Option<&Rows> {
        form.parameter().and_then(|name| self.rows.get(name))
    }

    /// Returns the scale that the weights of the graph, or the numbers of lists were multiplied by.
    pub(crate) fn scale(&self, settings: &Settings) -> Option<Decimal> {
        self.coding.scale.or(settings.scale.filter(|_| !self.lists.is_empty()))
    }
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
                faults.push(Diagnostic::new(Code::CannotWrite, message));
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
    let param = entry.results().nth(idx);
    let name = param.map_or("", |param| param.name.as_str());
    let is_typed = param.is_some_and(Param::has_columns);
    let by_comma = ResultForm::prefix(file).filter(|(forms, _)| forms.contains(','));
    let (columns, file) = match by_comma {
        Some((forms, file)) => {
            let columns = Column::parse(entry, &format!("{name}={forms}"), "--out")?;
            (columns, file)
        }
        None => {
            let (form, file) = ResultForm::split(file).map_err(|error| error.to_diagnostic())?;
            let edges = arcs.filter(|_| form.is_none() && kind == Kind::Slice);
            let edges = edges.map(|name| ResultForm::RowsOf(name.to_owned()));
            let typed = is_typed.then(|| ResultForm::Like(name.to_owned())).filter(|_| {
                let format = Format::of_path(file);
                format.is_some_and(|format| star_bind::load::list_formats().contains(&format))
            });
            let form = form.or(typed).or(edges.filter(|form| {
                let format = Format::of_path(file);
                format.is_some_and(|format| {
                    encoding::holds(kind, format).is_err() && form.held_by(format).is_ok()
                })
            }));
            let form = form.or(is_number(kind).then_some(ResultForm::Number));
            if let Some(form) = &form {
                form.check(entry)?;
                form.check_kind(name, kind)?;
            }
            let column = form.map(|form| Column { idx, name: name.to_owned(), form });
            (column.into_iter().collect(), file)
        }
    };
    let holds = |format| match &columns[..] {
        [] => encoding::holds(kind, format),
        columns => result_table::held_by(columns, format),
    };
    let writer = if updates(name, file) { Writer::Update } else { Writer::Command };
    let outlet = Outlet::by(writer, file, &holds).map_err(|error| error.to_diagnostic())?;
    let contents =
        if columns.is_empty() { Contents::Bits(idx) } else { Contents::Columns(columns) };
    Ok(Out { contents, outlet })
}

/// Returns the parameters whose rows the options refer to.
pub(crate) fn parameters(outs: &[Out]) -> Vec<String> {
    let columns = outs.iter().flat_map(Out::columns);
    columns.filter_map(|column| Some(column.form.parameter()?.to_owned())).collect()
}

/// Tests whether an option names vertices.
pub(crate) fn name_vertices(outs: &[Out]) -> bool {
    outs.iter().flat_map(Out::columns).any(|column| column.form.names_vertices())
}

/// Tests whether an option uses standard output.
pub(crate) fn use_stdout(outs: &[Out]) -> bool {
    outs.iter().any(|out| out.outlet.is_stdout())
}

/// The files of the results.
#[derive(Default)]
pub(crate) struct Saved {
    /// The names of those that are written.
    pub(crate) written: Vec<String>,
    /// The errors of the others.
    pub(crate) faults: Vec<FileError>,
}

impl Saved {
    /// Returns the errors, the first of which names the files that are written.
    ///
    /// # Errors
    /// If there are any.
    pub(crate) fn finish(self) -> Result<(), Vec<FileError>> {
        let Saved { written, mut faults } = self;
        let Some(first) = faults.first_mut() else { return Ok(()) };
        if !written.is_empty() {
            first.notes.push(format!("written: {}", text::quoted_list(&written)));
        }
        Err(faults)
    }
}

/// Writes all files that can be written, or none if a flag is set meanwhile. There is an error for
/// every file that cannot be written, or only an error for the flag.
pub(crate) fn save(
    outs: Vec<Out>,
    (results, placed): (&[Value], &mut PlacedResults<'_>),
    origins: &Origins,
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
) -> Saved {
    let (mut written, mut faults) = (Vec::new(), Vec::new());
    for Out { contents, outlet } in outs {
        let name = text::one_line(outlet.name());
        let file = match contents {
            Contents::Bits(result) if placed.has(result) => {
                placed.write(result, outlet, flags, output)
            }
            Contents::Bits(result) => {
                let value = results.get(result).unwrap_or(&Value::Unset);
                let data = encoding::writable(value, outlet.name());
                data.and_then(|data| outlet.write(data, flags, output))
            }
            Contents::Columns(columns) => table_of(&columns, results, origins, outlet.name())
                .and_then(|(data, scale)| {
                    let (what, scale) = match &data {
                        Data::Numbers(numbers) => ("numbers", numbers.scale()),
                        Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_) => {
                            ("weights", scale)
                        }
                    };
                    let keeps = match outlet.format() {
                        Format::Csv => true,
                        Format::Npy | Format::Npz | Format::Parquet | Format::Arrow => {
                            what == "numbers"
                        }
                        _ => false,
                    };
                    if let Some(scale) = scale.filter(|_| !keeps) {
                        let name = text::one_line(outlet.name());
                        reporter.note(&format!("{name}: {what} are multiplied by `scale={scale}`"));
                    }
                    note_not_kept(&outlet, data.as_output(), reporter);
                    outlet.scaled(scale).write(data.as_output(), flags, output)
                }),
        };
        match file {
            Ok((file, _)) => written.extend(file.map(|file| (name, file))),
            Err(fault) if flags.stop().is_some() => {
                return Saved { written: Vec::new(), faults: vec![fault] };
            }
            Err(fault) => faults.push(fault),
        }
    }
    let mut saved = Saved { written: Vec::new(), faults };
    for (name, file) in written {
        match file.commit() {
            Ok(()) => saved.written.push(name),
            Err(fault) => saved.faults.push(fault),
        }
    }
    saved
}

/// Prints a note about what the format does not hold of the data.
pub(crate) fn note_not_kept(outlet: &Outlet, data: OutputRef<'_>, reporter: &Reporter) {
    if let Some(note) = star_io::not_kept(outlet.format(), data) {
        reporter.note(&format!("{}: {note}", text::one_line(outlet.name())));
    }
}

/// Returns the table of columns, called `file` in messages, and the scale of its weights.
///
/// # Errors
/// E0507 if a result does not match its form; E0509 if none has a value.
pub(crate) fn table_of(
    columns: &[Column],
    results: &[Value],
    origins: &Origins,
    file: &str,
) -> Result<(Data, Option<Decimal>), FileError> {
    let of = |column: &Column| results.get(column.idx).unwrap_or(&Value::Unset);
    let all: Vec<(&Column, &Value)> = columns.iter().map(|column| (column, of(column))).collect();
    if let Some(record) = result_table::record(&all, file) {
        return record.map(|record| (record, None));
    }
    let value = |column: &Column| of(column).bits();
    if let [column] = columns
        && value(column).is_none()
    {
        let unset = results.get(column.idx).unwrap_or(&Value::Unset);
        encoding::writable(unset, file)?;
    }
    let graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
    let rows = columns.first().and_then(|column| origins.rows_of(&column.form));
    let set: Vec<_> = columns.iter().map(|column| (column, value(column))).collect();
    for (column, value) in set.iter().filter_map(|&(column, value)| Some((column, value?))) {
        column.form.check_numbers(&column.name, value, graph, origins.coding, file)?;
    }
    let mut data = result_table::data(&set, rows, graph, file)?;
    if let Data::Numbers(numbers) = &mut data {
        let set = set.iter().filter_map(|&(column, value)| Some((column, value?)));
        for ((column, value), field) in set.zip(numbers.fields.iter_mut().skip(1)) {
            column.form.restore(field, value.shape().1, origins.coding);
        }
    }
    let scale = columns.iter().find_map(|column| column.form.scale(rows, origins.coding));
    Ok((data, scale))
}

/// Prints results with the names of vertices: a table of columns, or all results.
///
/// # Errors
/// E0507 if a result does not match its form.
pub(crate) fn print_with_names(
    output: &mut Output,
    wanted: &Names,
    names: &[Option<&str>],
    results: &[Value],
    origins: &Origins,
) -> Result<(), FileError> {
    let Named { columns, arcs, others } = named(wanted, names, results, origins);
    for idx in others {
        print(output, &names[idx..=idx], &results[idx..=idx], origins);
    }
    for column in arcs {
        let (table, scale) = table_of(std::slice::from_ref(&column), results, origins, "")?;
        output.write(&format!("{}:\n", column.name));
        result_table::write_text(&table, scale, &mut |line| output.write(line));
    }
    if !columns.is_empty() {
        let (table, scale) = table_of(&columns, results, origins, "")?;
        result_table::write_text(&table, scale, &mut |line| output.write(line));
    }
    Ok(())
}

/// The results of `--names`.
pub(crate) struct Named {
    /// The columns of the only table.
    pub(crate) columns: Vec<Column>,
    /// Those over the arcs of the graph, each of which is a table.
    pub(crate) arcs: Vec<Column>,
    /// The indices of the others.
    others: Vec<usize>,
}

/// Returns the results of `--names`: without columns, those with a row for each vertex are columns.
pub(crate) fn named(
    wanted: &Names,
    names: &[Option<&str>],
    results: &[Value],
    origins: &Origins,
) -> Named {
    let mut named = Named { columns: Vec::new(), arcs: Vec::new(), others: Vec::new() };
    if let Names::Columns(columns) = wanted {
        named.columns.clone_from(columns);
        return named;
    }
    let graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
    for (idx, (name, result)) in names.iter().zip(results).enumerate() {
        let Some(name) = name else { continue };
        let is_column = match (graph, result) {
            (Some(graph), Value::Table(table)) => {
                let shape = (table.n_rows(), table.n_cols());
                shape.0 == graph.n_vertices
                    && (1..64).contains(&shape.1)
                    && origins.coding.matrix_width(shape, graph).is_none()
            }
            (Some(graph), Value::Slice(slice)) => {
                slice.len() == graph.n_vertices && slice.len() != graph.arcs.len()
            }
            _ => false,
        };
        let are_arcs = match (graph, result) {
            (Some(graph), Value::Slice(slice)) => {
                slice.len() == graph.arcs.len() && slice.len() != graph.n_vertices
            }
            _ => false,
        };
        let column = |form| Column { idx, name: (*name).to_owned(), form };
        if is_column {
            named.columns.push(column(Column::usual_form(name)));
        } else if are_arcs && origins.rows.contains_key(GRAPH) {
            named.arcs.push(column(ResultForm::RowsOf(GRAPH.to_owned())));
        } else {
            named.others.push(idx);
        }
    }
    named
}

/// Prints the results as `NAME = …`.
pub(crate) fn print(
    output: &mut Output,
    names: &[Option<&str>],
    results: &[Value],
    origins: &Origins,
) {
    let named = names.iter().zip(results).filter_map(|(name, value)| Some(((*name)?, value)));
    for (name, value) in named {
        if !print_one(output, name, value, origins) {
            return;
        }
    }
}

/// Prints the results as `NAME = …`, also those that are still on a backend.
pub(crate) fn print_all(
    output: &mut Output,
    names: &[Option<&str>],
    (results, placed): (&[Value], &PlacedResults<'_>),
    origins: &Origins,
) {
    for (idx, (name, value)) in names.iter().zip(results).enumerate() {
        let Some(name) = name else { continue };
        let goes_on = match placed.summary(idx, name) {
            Some(text) => output.write(&text),
            // The error is known.
            None if placed.has(idx) => true,
            None => print_one(output, name, value, origins),
        };
        if !goes_on {
            return;
        }
    }
}

/// Prints a result; returns `false` if the reader closed the output.
fn print_one(output: &mut Output, name: &str, value: &Value, origins: &Origins) -> bool {
    let graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
    let marked = match (value, graph) {
        (Value::Slice(slice), Some(graph)) => marked(slice, graph).unwrap_or_default(),
        _ => String::new(),
    };
    output.write(&(summary(name, value, &origins.lists) + &marked))
}

#[cfg(test)]
mod tests {
    use star_bind::Param;

    use super::*;

    fn codes(options: &[&str]) -> Vec<Code> {
        let param = |name: &str, kind| Param { by_ref: true, ..Param::value(name, kind) };
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
        assert_eq!(codes(&["D=gr:-", "X=stb:-"]), [Code::CannotWrite]);
    }

    #[test]
    fn rows_of_results_may_be_fields() {
        assert_eq!(codes(&["D=records x=16 y=16:d.csv", "X=x.stb"]), []);
        assert_eq!(codes(&["D=rgb:d.png"]), []);
        assert_eq!(codes(&["D=records x=16:csv:-"]), []);
        assert_eq!(codes(&["D=distances, X=vertices:d.csv"]), []);
        assert_eq!(codes(&["D=distances, Y=vertices:d.csv"]), [Code::NotAResult]);
        assert_eq!(codes(&["D=distances, X=vertices:d.gr"]), [Code::NoSuchLayout]);
        assert_eq!(codes(&["D=rgb:d.csv.xyz"]), [Code::UnknownFormat]);
        assert_eq!(codes(&["D=records x:d.csv", "D=rgb:d.gr"]), [Code::NoSuchLayout; 2]);
    }
}
