//! In which form data go to a file: as they are if the format holds such, or else as a table.

use std::io;

use star_base::{BitTable, Code};
use star_io::{
    Arc, Data, Field, FileError, Format, Graph, Layout, LayoutValue, Numbers, OutputRef, Shape,
    Widths,
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
    pub(super) fn of(target: &Target, example: Data) -> Result<Form, FileError> {
        let format = target.format();
        let Err(mut refusal) = try_write(format, &example) else { return Ok(Form::Same) };
        let (form, other) = match example {
            Data::Graph(_) => (Form::Table, table_example(true)),
            Data::Numbers(_) => (Form::Table, table_example(false)),
            Data::Table(table) => (Form::Gray, gray(&table)),
            Data::Slice(_) | Data::Word(_) => return Err(refusal),
        };
        if try_write(format, &other).is_ok() {
            return Ok(form);
        }
        refusal.file.clone_from(&target.name);
        Err(refusal)
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
        match (self, data) {
            (Form::Table, Data::Graph(graph)) => {
                if graph.weighted {
                    reporter.warning(&format!("{file}: a table of bits holds no weights"));
                }
                let no_widths = Widths { h: 0, b: 0 };
                match star_io::lay_out(Layout::Adjacency, &graph, no_widths, max_bytes, file)? {
                    LayoutValue::Table(table) => Ok(Data::Table(table)),
                    LayoutValue::Slice(slice) => Ok(Data::Slice(slice)),
                }
            }
            (Form::Table, Data::Numbers(numbers)) => {
                Ok(Data::Table(records(&numbers, file, max_bytes, flags)?))
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

/// The numbers of each record side by side, each with the highest bit on the left.
fn records(
    numbers: &Numbers,
    file: &str,
    max_bytes: u64,
    flags: &Flags,
) -> Result<BitTable, FileError> {
    let width = |field: &Field| {
        let most = field.values.iter().copied().max().unwrap_or(0);
        field.bits.unwrap_or((i64::BITS - most.leading_zeros()) as usize)
    };
    let n_records = numbers.shape.n_records();
    let n_cols: usize = numbers.fields.iter().map(width).sum();
    let no_room = || {
        let message = format!("a table of {n_records} × {n_cols} does not fit");
        FileError::new(Code::DoesNotFit, file, message)
    };
    if (n_records as u128 * n_cols as u128).div_ceil(8) > u128::from(max_bytes) {
        return Err(no_room());
    }
    let mut table = BitTable::zeros(n_records, n_cols).map_err(|_| no_room())?;
    let mut first = 0;
    for field in &numbers.fields {
        let width = width(field);
        for place in 0..width {
            let column = table.column_limbs_mut(first + place);
            for (limb_idx, (limb, values)) in
                column.iter_mut().zip(field.values.chunks(64)).enumerate()
            {
                if limb_idx % 4096 == 0
                    && let Some(code) = flags.stop()
                {
                    return Err(FileError::new(code, file, "interrupted"));
                }
                let bits = values.iter().enumerate();
                *limb = bits.fold(0, |limb, (idx, value)| {
                    let bit = value.checked_shr((width - 1 - place) as u32).unwrap_or(0) & 1;
                    limb | (bit as u64) << idx
                });
            }
        }
        first += width;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_numbers_side_by_side() {
        let field =
            |bits, values: &[i64]| Field { name: String::new(), bits, values: values.to_vec() };
        let fields = vec![field(Some(3), &[1, 6]), field(None, &[2, 0])];
        let numbers = Numbers { shape: Shape::List(2), fields };
        let table = records(&numbers, "f", 1000, &Flags::default()).unwrap();
        assert_eq!(table, BitTable::parse(&["00110", "11000"]).unwrap());
        assert_eq!(
            records(&numbers, "f", 1, &Flags::default()).unwrap_err().code,
            Code::DoesNotFit
        );
    }

    #[test]
    fn masks_become_black_and_white() {
        let Data::Numbers(numbers) = gray(&BitTable::parse(&["01", "10"]).unwrap()) else {
            panic!("a grid")
        };
        assert_eq!(numbers.fields[0].values, [0, 255, 255, 0]);
    }
}
