//! Results as one table with names: columns about the vertices of a graph, or the arcs that a slice
//! marks; and the text of such a table.

use std::borrow::Cow;

use star_base::{Code, Diagnostic, text};
use star_io::{Data, Decimal, Field, FileError, Format, Graph, Meaning, Numbers, Shape};
use star_value::{BitsRef, Value};

use crate::param::Signature;
use crate::results::result_named;
use crate::rows::{ResultForm, Rows};
use crate::vertices;

/// The forms of results with the names that the library and the examples give them.
const USUAL_FORMS: [(&str, ResultForm); 7] = [
    ("Dist", ResultForm::Distances),
    ("Pred", ResultForm::Codes),
    ("Next", ResultForm::Codes),
    ("Label", ResultForm::Codes),
    ("distance", ResultForm::Distances),
    ("before", ResultForm::Codes),
    ("component", ResultForm::Codes),
];

/// A result in a form: a column of a table, or a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The index of the result, counted from 0 among the `var` parameters.
    pub idx: usize,
    /// Its name.
    pub name: String,
    /// Its form.
    pub form: ResultForm,
}

impl Column {
    /// Parses `NAME=FORM, NAME=FORM`, given to this option.
    ///
    /// # Errors
    /// E0507, E0603, E0606 or E0608.
    pub fn parse(signature: &Signature, list: &str, option: &str) -> Result<Vec<Self>, Diagnostic> {
        list.split(',').map(|one| Column::parse_one(signature, one, option)).collect()
    }

    fn parse_one(signature: &Signature, text: &str, option: &str) -> Result<Self, Diagnostic> {
        let Some((name, form)) = text.split_once('=') else {
            let message = format!("invalid column of `{option}`: `{}`", text::one_line(text));
            let help = "write `NAME=FORM`, for example `Dist=distances`";
            return Err(Diagnostic::new(Code::Usage, message).help(help));
        };
        let (idx, param) = result_named(signature, name.trim(), option)?;
        let form = ResultForm::parse(form.trim(), "").map_err(|error| error.to_diagnostic())?;
        form.check(signature)?;
        form.check_kind(&param.name, param.kind)?;
        Ok(Column { idx, name: param.name.clone(), form })
    }

    /// Returns the usual form of a result with this name, for a table with a row for each vertex.
    pub fn usual_form(name: &str) -> ResultForm {
        let known = USUAL_FORMS.into_iter().find(|(known, _)| *known == name);
        known.map_or(ResultForm::Vertices, |(_, form)| form)
    }
}

/// Refuses a format that cannot represent the table of these columns.
///
/// # Errors
/// E0507.
pub fn held_by(columns: &[Column], format: Format) -> Result<(), FileError> {
    columns.iter().try_for_each(|column| column.form.held_by(format))
}

/// Returns integers and Booleans as one record with a field for each; `None` unless all of these
/// columns are numbers. Results without a value have no field.
///
/// # Errors
/// E0509 if none has a value.
pub fn record(columns: &[(&Column, &Value)], file: &str) -> Option<Result<Data, FileError>> {
    if columns.iter().any(|(column, _)| column.form != ResultForm::Number) {
        return None;
    }
    let fields = columns.iter().filter_map(|(column, value)| {
        let number = match value {
            Value::Int(number) => *number,
            Value::Bool(truth) => i64::from(*truth),
            _ => return None,
        };
        Some(Field::new(column.name.as_str(), None, vec![number]))
    });
    let fields: Vec<Field> = fields.collect();
    if fields.is_empty() {
        return Some(Err(FileError::new(Code::CannotWrite, file, "no result has a value")));
    }
    Some(Ok(Data::Numbers(Numbers { shape: Shape::List(1), fields })))
}

/// Returns the table of columns: the form of the only one, or one list of all about vertices.
/// Results without a value have no column.
///
/// # Errors
/// E0507 if a result does not match its form; E0509 if none has a value.
pub fn data(
    columns: &[(&Column, Option<BitsRef<'_>>)],
    rows: Option<&Rows>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Data, FileError> {
    let set = columns.iter().filter_map(|&(column, value)| Some((column, value?)));
    let set: Vec<(&Column, BitsRef<'_>)> = set.collect();
    match (columns, &set[..]) {
        _ if columns.iter().any(|(column, _)| column.form == ResultForm::Number) => {
            let message = "numbers cannot be columns of another table: all forms must be `number`";
            Err(FileError::new(Code::NoSuchLayout, file, message))
        }
        (_, []) => Err(FileError::new(Code::CannotWrite, file, "no result has a value")),
        ([_], [(column, value)]) => column.form.data(*value, rows, graph, file),
        (_, set) => {
            let about = set.iter().map(|&(column, value)| (&*column.name, &column.form, value));
            vertices::joined(&about.collect::<Vec<_>>(), graph, file).map(Data::Numbers)
        }
    }
}

/// Writes a list or the arcs of a graph as text with aligned columns, line by line, until `put`
/// returns `false`; divides the weights of arcs by `scale`. Other data has no such text.
pub fn write_text(data: &Data, scale: Option<Decimal>, put: &mut dyn FnMut(&str) -> bool) {
    match data {
        Data::Numbers(numbers) => of_numbers(numbers, put),
        Data::Graph(graph) => of_graph(graph, scale, put),
        Data::Table(_) | Data::Slice(_) | Data::Word(_) => {}
    }
}

fn of_numbers(Numbers { shape, fields }: &Numbers, put: &mut dyn FnMut(&str) -> bool) {
    let titles: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let cell = |row: usize, column: usize| {
        let field = &fields[column];
        field.text(field.values[row])
    };
    aligned(&titles, shape.n_records(), &cell, put);
}

fn of_graph(graph: &Graph, scale: Option<Decimal>, put: &mut dyn FnMut(&str) -> bool) {
    let titles = ["from", "to", "weight"];
    let cell = |row: usize, column: usize| {
        let arc = graph.arcs[row];
        Cow::Owned(match column {
            0 => graph.name(arc.tail as usize).to_string(),
            1 => graph.name(arc.head as usize).to_string(),
            _ => scale.map_or(Meaning::Number, Meaning::Scaled).text(arc.weight).into_owned(),
        })
    };
    aligned(&titles[..2 + usize::from(graph.weighted)], graph.arcs.len(), &cell, put);
}

/// Writes columns: numbers to the right, texts to the left, two blanks between them.
fn aligned<'a>(
    titles: &[&str],
    n_rows: usize,
    cell: &dyn Fn(usize, usize) -> Cow<'a, str>,
    put: &mut dyn FnMut(&str) -> bool,
) {
    let width = |column: usize| {
        let cells = (0..n_rows).map(|row| text::one_line(&cell(row, column)));
        let widths = cells.map(|cell| cell.chars().count());
        widths.chain([titles[column].chars().count()]).max().unwrap_or(0)
    };
    let is_number = |column: usize| {
        let mut cells = (0..n_rows).map(|row| cell(row, column));
        column > 0 && cells.all(|cell| Decimal::parse(&cell).is_some())
    };
    let columns = 0..titles.len();
    let shape: Vec<_> = columns.map(|column| (width(column), is_number(column))).collect();
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let mut line = String::new();
        for (cell, &(width, is_number)) in cells.zip(&shape) {
            let gap = if line.is_empty() { "" } else { "  " };
            let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) =
                if is_number { (blanks, String::new()) } else { (String::new(), blanks) };
            line = line + gap + &before + &cell + &after;
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    };
    if !put(&line(&mut titles.iter().map(|title| (*title).to_owned()))) {
        return;
    }
    for row in 0..n_rows {
        let mut cells = (0..titles.len()).map(|column| text::one_line(&cell(row, column)));
        if !put(&line(&mut cells)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use star_value::{BitTable, BitVector};

    use super::*;
    use crate::param::Kind;
    use crate::param::examples::{signature, value, var};

    fn routine() -> Signature {
        let params = vec![
            value("n", Kind::Int),
            var("Dist", Kind::Table),
            var("k", Kind::Int),
            var("T", Kind::Slice),
        ];
        signature("P", params)
    }

    fn lines(data: &Data) -> String {
        let mut text = String::new();
        write_text(data, None, &mut |line| {
            text += line;
            true
        });
        text
    }

    #[test]
    fn columns_name_results_and_forms() {
        let columns = Column::parse(&routine(), "Dist=distances, T=rows of n", "--names").unwrap();
        let found: Vec<(usize, &str)> =
            columns.iter().map(|it| (it.idx, it.name.as_str())).collect();
        assert_eq!(found, [(0, "Dist"), (2, "T")]);
        assert_eq!(columns[1].form, ResultForm::RowsOf("n".to_owned()));
        let code = |list: &str| Column::parse(&routine(), list, "--names").unwrap_err().code;
        assert_eq!(code("Dist"), Code::Usage);
        assert_eq!(code("D=codes"), Code::NotAResult);
        assert_eq!(code("k=codes"), Code::NoSuchLayout);
        assert_eq!(
            Column::parse(&routine(), "k=number", "--names").unwrap()[0].form,
            ResultForm::Number
        );
        assert_eq!(code("Dist=colours"), Code::NoSuchLayout);
        assert_eq!(code("T=rows of x"), Code::NoSuchParameter);
    }

    #[test]
    fn columns_are_aligned() {
        let table = BitTable::parse(&["0011", "1010", "1111"]).unwrap();
        let marked = BitVector::parse("010").unwrap();
        let column = |name: &str, form| Column { idx: 0, name: name.to_owned(), form };
        let (first, second) =
            (column("length", ResultForm::Distances), column("x", ResultForm::Vertices));
        let set = |value| [(&first, Some(BitsRef::from(&table))), (&second, value)];
        let both = data(&set(Some(BitsRef::Slice(&marked))), None, None, "f").unwrap();
        assert_eq!(lines(&both), "vertex  length  x\n1            3  0\n2           10  1\n");
        let one = data(&set(None), None, None, "f").unwrap();
        assert_eq!(lines(&one), "vertex  length\n1            3\n2           10\n");
        let none = [(&first, None), (&second, None)];
        assert_eq!(data(&none, None, None, "f").unwrap_err().code, Code::CannotWrite);
    }
}
