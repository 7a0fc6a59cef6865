//! The form of data in a file: unchanged if the format can represent them, otherwise as a table or
//! as the numbers of a table.

use std::io;

use star_base::Code;
use star_io::generate::GraphKind;
use star_io::generate::spec::Generator;
use star_io::{
    Arc, Data, Field, FileError, Format, Graph, Layout, LayoutOptions, LayoutValue, NumberLayout,
    Numbers, Shape, Widths,
};
use star_value::{BitTable, Table};

use crate::encoding;
use crate::source::Observer;

/// The maximum width of a field that is one number.
const MAX_FIELD_BITS: u64 = 63;

/// The data to be generated.
pub struct Subject {
    /// Its name in messages: `a table of 10 × 33`.
    pub name: String,
    /// Small data of the same kind.
    pub example: Data,
    /// The widths of the fields, if it is a table of fields.
    pub widths: Vec<u64>,
}

/// The form of data in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Unchanged.
    Same,
    /// A graph as its adjacency table; a grid as a table with a row for each cell.
    Table,
    /// A table as a grid of gray: 0 and 255.
    Gray,
    /// A table as a list of numbers with fields of these widths.
    Fields(Vec<u64>),
}

impl Subject {
    /// Describes the output of a generator, with small data of the same kind.
    pub fn of(generator: &Generator) -> Self {
        let graph = |max_weight: Option<i64>, undirected| {
            let name = if undirected { "an undirected graph" } else { "a directed graph" };
            (name.to_owned(), graph_example(max_weight.is_some(), undirected), Vec::new())
        };
        let (name, example, widths) = match generator {
            Generator::Uniform(uniform) => {
                graph(uniform.max_weight, uniform.kind == GraphKind::Undirected)
            }
            Generator::Rmat(rmat) => graph(rmat.max_weight, false),
            Generator::Road(road) => graph(road.max_weight, true),
            Generator::Table(table) => {
                let n_cols = table.widths.iter().fold(0, |sum: u64, &w| sum.saturating_add(w));
                let name = format!("a table of {} × {n_cols}", table.n_rows);
                (name, table_example(table.n_rows == n_cols), table.widths.clone())
            }
            Generator::Terrain(terrain) => {
                let example = grid_example("height", terrain.bits as usize);
                ("a grid of heights".to_owned(), example, Vec::new())
            }
            Generator::Blocks(_) => {
                ("a grid of transitions".to_owned(), transitions_example(), Vec::new())
            }
            Generator::Country(country) => {
                let example = grid_example("height", country.bits as usize);
                ("a grid of heights".to_owned(), example, Vec::new())
            }
            Generator::Curve(_) => ("a gray image".to_owned(), grid_example("gray", 8), Vec::new()),
            Generator::Updates(_) => ("an update stream".to_owned(), updates_example(), Vec::new()),
        };
        Subject { name, example, widths }
    }

    /// Describes the true curve of an image; it is not a graph.
    pub fn mask() -> Self {
        Subject { name: "a mask".to_owned(), example: table_example(false), widths: Vec::new() }
    }
}

impl Form {
    /// Finds a form that a format can represent, tested with the example before the actual data are
    /// generated. The error names no file.
    ///
    /// # Errors
    /// E0507 if the format can represent no form of them.
    pub fn find(format: Format, subject: &Subject) -> Result<Form, FileError> {
        let Subject { name, example, widths } = subject;
        if format.keeps_widths() && !widths.is_empty() {
            return match widths.iter().find(|&&width| width > MAX_FIELD_BITS) {
                None => Ok(Form::Fields(widths.clone())),
                Some(width) => {
                    let refusal =
                        encoding::cannot_hold(&format!("a field of {width} bits"), format);
                    let most =
                        format!("the numbers of its fields have at most {MAX_FIELD_BITS} bits");
                    Err(refusal.note(most))
                }
            };
        }
        let Err(refusal) = try_write(format, example) else { return Ok(Form::Same) };
        // The notes mention the size of the example, which is not the user's.
        let refused = FileError { notes: refusal.notes, ..encoding::cannot_hold(name, format) };
        let (form, other) = match example {
            // A graph format that cannot represent this kind of graph accepts no table of it
            // either.
            Data::Graph(_) if try_write(format, &graph_example(false, true)).is_ok() => {
                return Err(refused);
            }
            Data::Graph(_) => (Form::Table, table_example(true)),
            // In pictures and maps, rows and columns are those of a picture, and in matrices the
            // numbers of vertices.
            Data::Numbers(_) if format != Format::Stb => return Err(refused),
            Data::Numbers(_) => (Form::Table, table_example(false)),
            Data::Table(Table::Columns(table)) => (Form::Gray, gray(table)),
            Data::Table(_) | Data::Slice(_) | Data::Word(_) => return Err(refused),
        };
        if try_write(format, &other).is_ok() { Ok(form) } else { Err(refused) }
    }

    /// Converts data to this form.
    ///
    /// # Errors
    /// E0511 if that needs more than `max_bytes`, L0106 if the observer stops it.
    pub fn shape(
        &self,
        data: Data,
        file: &str,
        max_bytes: u64,
        observer: &dyn Observer,
    ) -> Result<Data, FileError> {
        let mut goes_on = || observer.stop().is_none();
        let mut options = LayoutOptions::new(file, max_bytes);
        options.go_on = Some(&mut goes_on);
        match (self, data) {
            (Form::Table, Data::Graph(graph)) => {
                if graph.weighted {
                    observer.warning(&format!("{file}: a bit table cannot represent weights"));
                }
                let no_widths = Widths { h: 0, b: 0 };
                match star_io::lay_out_with(Layout::Adjacency, &graph, no_widths, &mut options)? {
                    LayoutValue::Table(table) => Ok(Data::Table(table)),
                    LayoutValue::Slice(slice) => Ok(Data::Slice(slice)),
                }
            }
            (Form::Table, Data::Numbers(numbers)) => {
                let records = NumberLayout::Records;
                let laid_out = star_io::lay_out_numbers(&records, &numbers, None, &mut options)?;
                Ok(Data::Table(laid_out.table))
            }
            (Form::Gray, Data::Table(Table::Columns(table))) => Ok(gray(&table)),
            (Form::Fields(widths), Data::Table(Table::Columns(table))) => {
                let n_numbers = (table.n_rows() as u64).saturating_mul(widths.len() as u64);
                if n_numbers.saturating_mul(size_of::<i64>() as u64) > max_bytes {
                    let message = format!(
                        "not enough memory for the {n_numbers} numbers of the \
                        table"
                    );
                    return Err(FileError::new(Code::DoesNotFit, file, message));
                }
                fields(&table, widths, &mut goes_on)
                    .ok_or_else(|| FileError::new(Code::Interrupted, file, "interrupted"))
            }
            (Form::Same | Form::Table | Form::Gray | Form::Fields(_), data) => Ok(data),
        }
    }
}

/// Returns a graph of one arc.
fn graph_example(weighted: bool, symmetric: bool) -> Data {
    let arcs = vec![Arc { tail: 1, head: 0, weight: 1 }];
    Data::Graph(Graph { n_vertices: 2, arcs, weighted, symmetric, ..Graph::default() })
}

/// Returns a grid of one number, the greatest of the given width, so that an unsuitable format is
/// detected in advance.
fn grid_example(name: &str, bits: usize) -> Data {
    let greatest = (1i64 << bits.min(62)) - 1;
    let field = Field::new(name, Some(bits), vec![greatest]);
    let shape = Shape::Grid { height: 1, width: 1 };
    Data::Numbers(Numbers { shape, fields: vec![field] })
}

/// Returns a cell with transitions to two sides.
fn transitions_example() -> Data {
    let field = |name: &str| Field::new(name, Some(1), vec![1]);
    let fields = vec![field("right"), field("down")];
    Data::Numbers(Numbers { shape: Shape::Grid { height: 1, width: 1 }, fields })
}

/// Returns a stream of one line.
fn updates_example() -> Data {
    let field = |name: &str| Field::new(name, None, vec![0]);
    let fields = star_io::updates::FIELDS.map(field).into();
    Data::Numbers(Numbers { shape: Shape::List(1), fields })
}

/// Returns a small table, square or not: a square one is also a graph.
fn table_example(square: bool) -> Data {
    Data::Table(BitTable::zeros(1, if square { 1 } else { 2 }).unwrap_or_default().into())
}

fn try_write(format: Format, example: &Data) -> Result<(), FileError> {
    star_io::write(format, example.as_output(), &mut io::sink())
}

/// Converts the bits of a table to pixels.
fn gray(table: &BitTable) -> Data {
    let (height, width) = (table.n_rows(), table.n_cols());
    let pixels = (0..height).flat_map(|row| (0..width).map(move |col| (row, col)));
    let values = pixels.map(|(row, col)| if table.get(row, col) { 255 } else { 0 }).collect();
    let field = Field::new("gray", Some(8), values);
    let shape = Shape::Grid { height, width };
    Data::Numbers(Numbers { shape, fields: vec![field] })
}

/// Returns the numbers of a table whose columns are fields of these widths, named `f1`, `f2` and so
/// on. `None` if `goes_on` returns false.
fn fields(table: &BitTable, widths: &[u64], goes_on: &mut dyn FnMut() -> bool) -> Option<Data> {
    let (n_rows, mut columns) = (table.n_rows(), 0..table.n_cols());
    let mut fields = Vec::new();
    for (number, &width) in (1..).zip(widths) {
        let mut values = vec![0i64; n_rows];
        for col in columns.by_ref().take(width as usize) {
            for (row, value) in values.iter_mut().enumerate() {
                *value = *value << 1 | i64::from(table.get(row, col));
            }
            if !goes_on() {
                return None;
            }
        }
        fields.push(Field::new(format!("f{number}"), Some(width as usize), values));
    }
    Some(Data::Numbers(Numbers { shape: Shape::List(n_rows), fields }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_become_black_and_white() {
        let Data::Numbers(numbers) = gray(&BitTable::parse(&["01", "10"]).unwrap()) else {
            panic!("a grid")
        };
        assert_eq!(numbers.fields[0].values, [0, 255, 255, 0]);
    }

    #[test]
    fn columns_become_the_numbers_of_their_fields() {
        let table = BitTable::parse(&["1011", "0110"]).unwrap();
        let Some(Data::Numbers(numbers)) = fields(&table, &[3, 1], &mut || true) else {
            panic!("numbers")
        };
        let found: Vec<(&str, Option<usize>, &[i64])> =
            numbers.fields.iter().map(|f| (f.name.as_str(), f.bits, &f.values[..])).collect();
        assert_eq!(found, [("f1", Some(3), &[5, 3][..]), ("f2", Some(1), &[1, 0][..])]);
        assert!(fields(&table, &[3, 1], &mut || false).is_none());
    }
}
