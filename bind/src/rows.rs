//! The meaning of the rows of a parameter in their file, records of a list or arcs of a graph, and
//! results written in these terms.

use std::ops::Range;
use std::rc::Rc;

use star_base::{Code, Diagnostic, did_you_mean, text};
use star_io::{Data, Decimal, Field, FileError, Format, Graph, Meaning, Numbers, Shape};
use star_value::{BitTable, BitVector, BitsRef, TableRef};

use crate::encoding::cannot_hold;
use crate::fields::{Fields, split_form, unknown_form};
use crate::param::{Kind, Signature};
use crate::records::RecordList;
use crate::results::is_number;
use crate::vertices;

/// The name of the graph of `--graph`, unless a parameter has this name.
pub const GRAPH: &str = "graph";

/// The maximum width of a field that is a number.
pub(crate) const MAX_BITS: usize = 63;

/// The meaning of the rows of a parameter.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Row i represents record i of a list.
    Records {
        /// The records.
        numbers: Numbers,
        /// The range of their fields that are adjacent in a row.
        fields: Range<usize>,
        /// The widths of these in bits.
        widths: Vec<usize>,
    },
    /// Row i represents arc i of a graph, whose weights were multiplied by this scale.
    Arcs(Rc<Graph>, Option<Decimal>),
    /// The rows have the fields of a record type.
    Typed {
        /// The fields.
        list: RecordList,
        /// The rows of the file that the table was read from.
        of_file: Option<Box<Rows>>,
    },
}

/// The coding of the weights and distances of a graph in the values of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightCoding {
    /// The scale that the weights were multiplied by.
    pub scale: Option<Decimal>,
    /// The width h of signed weights: a distance in h bits is stored with the offset 2^(h − 1).
    pub signed: Option<usize>,
    /// The width h of weights; 1 for the bits of adjacency.
    pub h: Option<usize>,
}

impl WeightCoding {
    /// Returns the width of the numbers in the rows of a result if it has a row, and in it a number
    /// for each vertex of a graph.
    pub fn matrix_width(&self, (n_rows, n_cols): (usize, usize), graph: &Graph) -> Option<usize> {
        let n = graph.n_vertices;
        let h = self.h?;
        // The code of one of two vertices has two bits.
        let is_square = n_rows == n && n > 2 && n_cols == n.saturating_mul(h);
        is_square.then_some(h)
    }
}

/// The output form of a result other than its bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultForm {
    /// Numbers with these fields.
    Fields(Fields),
    /// `rows of NAME`: a slice as the records or arcs of a parameter at its ones.
    RowsOf(String),
    /// `like NAME`: a table as records with the fields of a parameter.
    Like(String),
    /// `vertices`: a slice as the vertices at its ones, a table as the vertices with the numbers in
    /// their rows.
    Vertices,
    /// `codes`: a table as the vertices with the names of the vertices whose codes are in their
    /// rows.
    Codes,
    /// `distances`: like `vertices`, without the rows that are infinity, all ones.
    Distances,
    /// `adjacency`: a table as the graph with an arc for each of its ones.
    Adjacency,
    /// `number`: an integer or Boolean as a field of the only record.
    Number,
}

impl ResultForm {
    /// Returns the text before the file in `FORM:FILE`, and the file.
    pub fn prefix(text: &str) -> Option<(&str, &str)> {
        split_form(text)
    }

    /// Splits `[FORM:]FILE`.
    ///
    /// # Errors
    /// E0507 if the form is unknown or invalid.
    pub fn split(text: &str) -> Result<(Option<Self>, &str), FileError> {
        let Some((prefix, file)) = split_form(text) else { return Ok((None, text)) };
        Ok((Some(ResultForm::parse(prefix, file)?), file))
    }

    /// Parses a form; `file` is the name after it, for messages.
    ///
    /// # Errors
    /// E0507 if the form is unknown or invalid.
    pub fn parse(form: &str, file: &str) -> Result<Self, FileError> {
        let words: Vec<&str> = form.split_whitespace().collect();
        Ok(match words[..] {
            ["rows", "of", name] => ResultForm::RowsOf(name.to_owned()),
            ["like", name] => ResultForm::Like(name.to_owned()),
            ["vertices"] => ResultForm::Vertices,
            ["codes"] => ResultForm::Codes,
            ["distances"] => ResultForm::Distances,
            ["adjacency"] => ResultForm::Adjacency,
            ["number"] => ResultForm::Number,
            _ => match Fields::of_form(form, file)? {
                Some(fields) => ResultForm::Fields(fields),
                None => {
                    let mut forms = vec!["rows of NAME", "like NAME"];
                    forms.extend(["vertices", "codes", "distances", "adjacency", "number"]);
                    forms.extend(Fields::form_names());
                    return Err(unknown_form(form, file, &forms));
                }
            },
        })
    }

    /// Returns the parameter whose rows it refers to.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            ResultForm::Fields(_)
            | ResultForm::Vertices
            | ResultForm::Codes
            | ResultForm::Distances
            | ResultForm::Adjacency
            | ResultForm::Number => None,
            ResultForm::RowsOf(name) | ResultForm::Like(name) => Some(name),
        }
    }

    /// Returns whether it refers to the vertices of the graph that the values come from.
    pub fn names_vertices(&self) -> bool {
        match self {
            ResultForm::Vertices
            | ResultForm::Codes
            | ResultForm::Distances
            | ResultForm::Adjacency => true,
            ResultForm::Fields(_)
            | ResultForm::RowsOf(_)
            | ResultForm::Like(_)
            | ResultForm::Number => false,
        }
    }

    /// Refuses a result of another kind: only integers and Booleans are numbers.
    ///
    /// # Errors
    /// E0507.
    pub fn check_kind(&self, name: &str, kind: Kind) -> Result<(), Diagnostic> {
        if is_number(kind) == (*self == ResultForm::Number) {
            return Ok(());
        }
        let message = format!("`{name}` is {}", kind.with_article());
        let fault = Diagnostic::new(Code::NoSuchLayout, message);
        Err(match is_number(kind) {
            true => fault.help(format!("its only form is `number`, as in `{name}=number:FILE`")),
            false => fault.note("the form `number` is for integers and Booleans"),
        })
    }

    /// Refuses an unknown parameter.
    ///
    /// # Errors
    /// E0603 with a suggestion.
    pub fn check(&self, signature: &Signature) -> Result<(), Diagnostic> {
        let names = || signature.params.iter().map(|param| param.name.as_str());
        let Some(name) = self.parameter().filter(|name| names().all(|other| other != *name)) else {
            return Ok(());
        };
        if name == GRAPH && matches!(self, ResultForm::RowsOf(_)) {
            return Ok(());
        }
        let message = format!("`{}` has no parameter `{name}`", signature.name);
        let fault = Diagnostic::new(Code::NoSuchParameter, message)
            .note(format!("its parameters are {}", text::quoted_list(names())));
        Err(match did_you_mean(name, names()) {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault,
        })
    }

    /// Refuses a format that cannot represent this form.
    ///
    /// # Errors
    /// E0507.
    pub fn held_by(&self, format: Format) -> Result<(), FileError> {
        let field = |name: &str| Field::new(name, None, vec![1]);
        let list = |fields| Data::Numbers(Numbers { shape: Shape::List(1), fields });
        // Some formats hold only lists of places; [`ResultForm::example`] has the fields.
        let (list, places) = (list(vec![field("x")]), list(vec![field("x"), field("y")]));
        let graph = Data::Graph(Graph { n_vertices: 1, symmetric: true, ..Graph::default() });
        let (examples, what) = match self {
            ResultForm::Fields(fields) => return fields.held_by(format),
            ResultForm::RowsOf(name) if name == GRAPH => (vec![graph], "arcs of a graph"),
            ResultForm::RowsOf(_) => (vec![list, places, graph], "records or arcs"),
            ResultForm::Adjacency => (vec![graph], "a graph"),
            ResultForm::Like(_) => (vec![list, places], "a list of records"),
            ResultForm::Number => (vec![list], "a record of numbers"),
            ResultForm::Vertices | ResultForm::Codes | ResultForm::Distances => {
                (vec![list], "a list of vertices")
            }
        };
        let holds =
            |data: &Data| star_io::write(format, data.as_output(), &mut std::io::sink()).is_ok();
        if examples.iter().any(holds) { Ok(()) } else { Err(cannot_hold(what, format)) }
    }

    /// Returns data in this form with at most one row, to test before a run whether a file can hold
    /// it; `None` for the forms that do not refer to a parameter. `rows` are the rows of the
    /// parameter.
    ///
    /// # Errors
    /// E0507 if the parameter does not match the form.
    pub fn example(&self, rows: Option<&Rows>, file: &str) -> Result<Option<Data>, FileError> {
        let data = |bits: BitsRef<'_>| self.data(bits, rows, None, file).map(Some);
        match (self, rows) {
            (ResultForm::RowsOf(_), rows) => match rows.and_then(Rows::of_file) {
                Some(Rows::Arcs(graph, _)) => {
                    let Graph { weighted, symmetric, .. } = **graph;
                    let graph = Graph { n_vertices: 1, weighted, symmetric, ..Graph::default() };
                    Ok(Some(Data::Graph(graph)))
                }
                Some(Rows::Records { numbers, .. }) => {
                    let mut first = BitVector::zeros(numbers.shape.n_records());
                    if !first.is_empty() {
                        first.put(0, true);
                    }
                    data(BitsRef::Slice(&first))
                }
                Some(Rows::Typed { .. }) | None => data(BitsRef::Slice(&BitVector::zeros(0))),
            },
            (ResultForm::Like(_), rows) => {
                let n_columns = rows.map_or(0, Rows::n_columns);
                let table = BitTable::zeros(1, n_columns).unwrap_or_default();
                data((&table).into())
            }
            (
                ResultForm::Fields(_)
                | ResultForm::Vertices
                | ResultForm::Codes
                | ResultForm::Distances
                | ResultForm::Adjacency
                | ResultForm::Number,
                _,
            ) => Ok(None),
        }
    }

    /// Returns the scale that the weights or distances in this form were multiplied by.
    pub fn scale(&self, rows: Option<&Rows>, coding: WeightCoding) -> Option<Decimal> {
        match (self, rows.and_then(Rows::of_file)) {
            (ResultForm::Distances, _) => coding.scale,
            (ResultForm::RowsOf(_), Some(Rows::Arcs(graph, scale))) => {
                scale.filter(|_| graph.weighted)
            }
            (ResultForm::RowsOf(_), Some(Rows::Records { .. } | Rows::Typed { .. }) | None)
            | (
                ResultForm::Fields(_)
                | ResultForm::Like(_)
                | ResultForm::Vertices
                | ResultForm::Codes
                | ResultForm::Adjacency
                | ResultForm::Number,
                _,
            ) => None,
        }
    }

    /// Restores the distances of a field of this form, from a result of `n_columns`: removes the
    /// offset of signed ones, and gives them the meaning of scaled ones.
    pub fn restore(&self, field: &mut Field, n_columns: usize, coding: WeightCoding) {
        if *self != ResultForm::Distances {
            return;
        }
        if coding.signed == Some(n_columns)
            && let Some(n_bits @ ..MAX_BITS) = n_columns.checked_sub(1)
        {
            field.values.iter_mut().for_each(|number| *number -= 1 << n_bits);
        }
        if let Some(scale) = coding.scale {
            field.meaning = Meaning::Scaled(scale);
        }
    }

    /// Refuses a matrix of distances, or of bits, as the number of each vertex.
    ///
    /// # Errors
    /// E0507 with a form that suits it.
    pub fn check_numbers(
        &self,
        name: &str,
        value: BitsRef<'_>,
        graph: Option<&Graph>,
        coding: WeightCoding,
        file: &str,
    ) -> Result<(), FileError> {
        let Some(graph) = graph.filter(|_| *self == ResultForm::Distances) else { return Ok(()) };
        let Some(h) = coding.matrix_width(value.shape(), graph) else { return Ok(()) };
        let message = format!("`{name}` has a number for each pair of vertices");
        let error = FileError::new(Code::NoSuchLayout, file, message);
        let n = graph.n_vertices;
        if h == 1 {
            return Err(error.help(format!("`{name}=adjacency:FILE` writes an arc for each one")));
        }
        let names: Vec<String> = (0..n.min(3)).map(|at| graph.name(at).to_string()).collect();
        let is_plain =
            |name: &String| !name.contains(|c: char| c.is_whitespace() || "=:,".contains(c));
        let field = |(at, name): (usize, &String)| match names.iter().all(is_plain) {
            true => format!("{name}={h}"),
            false => format!("v{}={h}", at + 1),
        };
        let fields: Vec<String> = names.iter().enumerate().map(field).collect();
        let more = if n > names.len() { " …" } else { "" };
        let help = format!(
            "`{name}=records {}{more}:FILE` writes a field for each vertex; {} is infinity",
            text::one_line(&fields.join(" ")),
            (1u128 << h.min(63)) - 1,
        );
        Err(error.note(format!("a row has {n} numbers of {h} bits")).help(help))
    }

    /// Converts a result to this form. `rows` are those of the parameter that the form names,
    /// `graph` is the one that the values come from, `file` is the file name in messages.
    ///
    /// # Errors
    /// E0507 if the result or the parameter does not match the form; E0511 if the system refuses
    /// the memory.
    pub fn data(
        &self,
        value: BitsRef<'_>,
        rows: Option<&Rows>,
        graph: Option<&Graph>,
        file: &str,
    ) -> Result<Data, FileError> {
        let refused = |message: String| FileError::new(Code::NoSuchLayout, file, message);
        let name = match self {
            ResultForm::Fields(fields) => return fields.numbers(value, file).map(Data::Numbers),
            ResultForm::Vertices => return vertices::all(value, graph, file).map(Data::Numbers),
            ResultForm::Codes => return vertices::codes(value, graph, file).map(Data::Numbers),
            ResultForm::Distances => return vertices::near(value, graph, file).map(Data::Numbers),
            ResultForm::Adjacency => return vertices::pairs(value, graph, file).map(Data::Graph),
            ResultForm::Number => return Err(refused("`number` requires an integer".to_owned())),
            ResultForm::RowsOf(name) | ResultForm::Like(name) => name,
        };
        let rows = match self {
            ResultForm::RowsOf(_) => rows.and_then(Rows::of_file),
            _ => rows,
        };
        let Some(rows) = rows else {
            let message = format!("the rows of `{name}` are neither records of a list nor arcs");
            return Err(refused(message).help(
                "pass a list of numbers (for example CSV) or the arcs of a graph in a layout",
            ));
        };
        match (self, value, rows) {
            (ResultForm::RowsOf(_), BitsRef::Slice(slice), rows) => {
                rows.chosen(slice).map_err(|n_rows| {
                    let n_bits = slice.len();
                    refused(format!(
                        "a slice of {n_bits} does not match the {n_rows} rows of \
                        `{name}`"
                    ))
                })
            }
            (ResultForm::RowsOf(_), BitsRef::Table(_), _) => {
                Err(refused(format!("`rows of {name}` requires a slice")))
            }
            (ResultForm::RowsOf(_), BitsRef::Word(_), _) => {
                Err(refused(format!("`rows of {name}` requires a slice"))
                    .help("`CONVERT(w)` is the word `w` as a slice"))
            }
            (
                ResultForm::Like(_),
                BitsRef::Table(TableRef::Columns(table)),
                Rows::Records { numbers, fields, widths },
            ) => like(table, &numbers.fields[fields.clone()], widths, file).map(Data::Numbers),
            (
                ResultForm::Like(_),
                BitsRef::Table(TableRef::Columns(table)),
                Rows::Typed { list, .. },
            ) => list.numbers(table, file).map(Data::Numbers),
            (ResultForm::Like(_), BitsRef::Table(TableRef::Columns(_)), Rows::Arcs(..)) => {
                Err(refused(format!("the rows of `{name}` are arcs, not records of a list")))
            }
            (
                ResultForm::Like(_)
                | ResultForm::Fields(_)
                | ResultForm::Vertices
                | ResultForm::Codes
                | ResultForm::Distances
                | ResultForm::Adjacency
                | ResultForm::Number,
                _,
                _,
            ) => Err(refused(format!("`like {name}` requires a table"))),
        }
    }
}

impl Rows {
    /// Returns the width of a row of the parameter in bits; 0 for arcs.
    fn n_columns(&self) -> usize {
        match self {
            Rows::Records { widths, .. } => widths.iter().sum(),
            Rows::Typed { list, .. } => list.n_columns(),
            Rows::Arcs(..) => 0,
        }
    }

    /// Returns the records or arcs of the file that the rows come from.
    fn of_file(&self) -> Option<&Rows> {
        match self {
            Rows::Records { .. } | Rows::Arcs(..) => Some(self),
            Rows::Typed { of_file, .. } => of_file.as_deref(),
        }
    }

    /// Returns the rows at the ones of the slice, or the number of rows if it differs from that of
    /// the slice.
    fn chosen(&self, slice: &BitVector) -> Result<Data, usize> {
        let rows = || (0..slice.len()).filter(|&row| slice.get(row));
        match self {
            Rows::Records { numbers, .. } => {
                let n_records = numbers.shape.n_records();
                if slice.len() != n_records {
                    return Err(n_records);
                }
                let fields = numbers.fields.iter().map(|field| Field {
                    values: rows().map(|row| field.values[row]).collect(),
                    ..field.without_values()
                });
                let fields: Vec<Field> = fields.collect();
                Ok(Data::Numbers(Numbers { shape: Shape::List(rows().count()), fields }))
            }
            Rows::Arcs(graph, _) => {
                if slice.len() != graph.arcs.len() {
                    return Err(graph.arcs.len());
                }
                let arcs = rows().map(|row| graph.arcs[row]).collect();
                let Graph {
                    n_vertices,
                    weighted,
                    symmetric,
                    ref names,
                    arcs: _,
                    ref no_weights,
                    elsewhere: _,
                } = **graph;
                let (names, no_weights) = (names.clone(), no_weights.clone());
                Ok(Data::Graph(Graph {
                    n_vertices,
                    arcs,
                    weighted,
                    symmetric,
                    names,
                    no_weights,
                    ..Graph::default()
                }))
            }
            Rows::Typed { of_file, list: _ } => {
                of_file.as_ref().map_or(Err(0), |rows| rows.chosen(slice))
            }
        }
    }
}

/// Returns the rows of a table as records with these fields.
pub(crate) fn like(
    table: &BitTable,
    fields: &[Field],
    widths: &[usize],
    file: &str,
) -> Result<Numbers, FileError> {
    if let Some(width) = widths.iter().find(|&&width| width > MAX_BITS) {
        let message = format!("a field of {width} bits");
        let error = FileError::new(Code::NoSuchLayout, file, message);
        let error = error.note(format!("a number has at most {MAX_BITS}"));
        return Err(error.help("`widths=` chooses narrower fields for a file"));
    }
    let named = fields.iter().zip(widths).map(|(field, &width)| (field.name.clone(), width));
    let records = Fields::records(named.collect());
    let mut numbers = records.numbers(table.into(), file)?;
    for ((found, field), width) in numbers.fields.iter_mut().zip(fields).zip(widths) {
        let offset = field.offset();
        let ones = i64::MAX >> (MAX_BITS - width);
        found.values.iter_mut().for_each(|number| {
            *number = match field.nodata {
                Some(nodata) if *number == ones => nodata,
                Some(_) | None => number.saturating_add(offset),
            };
        });
        found.nodata = field.nodata;
        found.bits = field.bits.map(|_| *width);
        found.meaning = field.meaning.clone();
    }
    Ok(numbers)
}
