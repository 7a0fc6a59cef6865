//! In which form data go to a file: as they are if the format holds such, or else as a table.

use std::io;

use star_base::BitTable;
use star_io::{
    Arc, Data, Field, FileError, Format, Graph, Layout, LayoutOptions, LayoutValue, NumberLayout,
    Numbers, OutputRef, Shape, Widths,
};

use crate::flags::Flags;
use crate::report::Reporter;
use crate::save::Target;

/// The form of data in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Same,
    /// A graph as its adjacency table; a grid as a table with a row for each cell.
    Table,
    /// A table as a grid of gray: 0 and 255.
    Gray,
}

impl Form {
    /// The form that the format of a file holds, found out with a small example of the data before
    /// the true ones are made.
    ///
    /// # Errors
    /// E0507 if it holds no form of them.
    pub(super) fn of(target: &Target, example: &Data) -> Result<Form, FileError> {
        Form::find(target.format(), example).map_err(|mut refusal| {
            refusal.file.clone_from(&target.name);
            refusal
        })
    }

    /// Likewise for a format; the refusal names no file.
    ///
    /// # Errors
    /// E0507 if it holds no form of them.
    pub(super) fn find(format: Format, example: &Data) -> Result<Form, FileError> {
        let Err(refusal) = try_write(format, example) else { return Ok(Form::Same) };
        let (form, other) = match example {
            Data::Graph(_) => (Form::Table, table_example(true)),
            Data::Numbers(_) => (Form::Table, table_example(false)),
            Data::Table(table) => (Form::Gray, gray(table)),
            Data::Slice(_) | Data::Word(_) => return Err(refusal),
        };
        if try_write(format, &other).is_ok() { Ok(form) } else { Err(refusal) }
    }

    /// Brings data into this form.
    ///
    /// # Errors
    /// E0511 if that takes more than `max_bytes`, L0106 if a flag is set.
    pub(super) fn shape(
        self,
        data: Data,
        file: &str,
        max_bytes: u64,
        told: (&Flags, &Reporter),
    ) -> Result<Data, FileError> {
        let (flags, reporter) = told;
        let mut goes_on = || flags.stop().is_none();
        let mut options = LayoutOptions::new(file, max_bytes);
        options.go_on = Some(&mut goes_on);
        match (self, data) {
            (Form::Table, Data::Graph(graph)) => {
                if graph.weighted {
                    reporter.warning(&format!("{file}: a table of bits holds no weights"));
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
            (Form::Gray, Data::Table(table)) => Ok(gray(&table)),
            (Form::Same | Form::Table | Form::Gray, data) => Ok(data),
        }
    }
}

/// The data as a writer takes them.
pub(super) fn as_output(data: &Data) -> OutputRef<'_> {
    match data {
        Data::Graph(graph) => OutputRef::Graph(graph),
        Data::Table(table) => OutputRef::Table(table),
        Data::Slice(slice) => OutputRef::Slice(slice),
        Data::Word(word) => OutputRef::Word(word),
        Data::Numbers(numbers) => OutputRef::Numbers(numbers),
    }
}

/// A graph of one arc.
pub(super) fn graph_example(weighted: bool, symmetric: bool) -> Data {
    let arcs = vec![Arc { tail: 1, head: 0, weight: 1 }];
    Data::Graph(Graph { n_vertices: 2, arcs, weighted, symmetric, labels: None })
}

/// A grid of one number.
pub(super) fn grid_example(name: &str, bits: usize) -> Data {
    let field = Field { name: name.to_owned(), bits: Some(bits), values: vec![0] };
    let shape = Shape::Grid { height: 1, width: 1 };
    Data::Numbers(Numbers { shape, fields: vec![field] })
}

/// A stream of one line.
pub(super) fn updates_example() -> Data {
    let field = |name: &str| Field { name: name.to_owned(), bits: None, values: vec![0] };
    let fields = star_io::updates::FIELDS.map(field).into();
    Data::Numbers(Numbers { shape: Shape::List(1), fields })
}

/// A small table, square or not: a square one is a graph, too.
pub(super) fn table_example(square: bool) -> Data {
    Data::Table(BitTable::zeros(1, if square { 1 } else { 2 }).unwrap_or_default())
}

/// A mask; it is no graph.
pub(super) fn mask_example() -> Data {
    table_example(false)
}

fn try_write(format: Format, example: &Data) -> Result<(), FileError> {
    star_io::write(format, as_output(example), &mut io::sink())
}

/// The bits of a table as pixels.
fn gray(table: &BitTable) -> Data {
    let (height, width) = (table.n_rows(), table.n_cols());
    let pixels = (0..height).flat_map(|row| (0..width).map(move |col| (row, col)));
    let values = pixels.map(|(row, col)| if table.get(row, col) { 255 } else { 0 }).collect();
    let field = Field { name: "gray".to_owned(), bits: Some(8), values };
    let shape = Shape::Grid { height, width };
    Data::Numbers(Numbers { shape, fields: vec![field] })
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
}
