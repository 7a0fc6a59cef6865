//! Results about the vertices of a graph as lists with their numbers: the original numbers of its
//! file, if it has them.

use star_base::{BitTable, BitVector, BitsRef, Code, text};
use star_io::{Field, FileError, Graph, Numbers, Shape};

use crate::fields::Fields;

/// The maximum width of a row that is a number.
const MAX_BITS: usize = 63;

/// Returns a slice or word as the vertices at its ones, and a table as all vertices, each with the
/// number in its row.
///
/// # Errors
/// E0507 if the number of rows is not that of the vertices, or rows are not numbers.
pub(crate) fn all(
    value: BitsRef<'_>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    match value {
        BitsRef::Slice(bits) | BitsRef::Word(bits) => chosen(bits, graph, file),
        BitsRef::Table(table) => numbers(table, "value", |_| true, graph, file),
        BitsRef::Sparse(_) => Err(not_dense(file)),
    }
}

/// Returns a table as the vertices whose rows are not infinity, all ones, each with the number in
/// its row.
///
/// # Errors
/// As for [`all`].
pub(crate) fn near(
    value: BitsRef<'_>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    match value {
        BitsRef::Slice(_) | BitsRef::Word(_) => {
            let message = "`distances` requires a table";
            Err(FileError::new(Code::NoSuchLayout, file, message))
        }
        BitsRef::Sparse(_) => Err(not_dense(file)),
        BitsRef::Table(table) => {
            let infinity = (1_i64 << table.n_cols().min(MAX_BITS - 1)) - 1;
            let infinity = if table.n_cols() == MAX_BITS { i64::MAX } else { infinity };
            numbers(table, "distance", |number| number != infinity, graph, file)
        }
    }
}

/// Returns the error that an output form requires a dense result.
fn not_dense(file: &str) -> FileError {
    FileError::new(Code::NoSuchLayout, file, "a sparse table can only be written as a table")
}

fn chosen(bits: &BitVector, graph: Option<&Graph>, file: &str) -> Result<Numbers, FileError> {
    let label = labels(bits.len(), graph, file)?;
    let vertices = (0..bits.len()).filter(|&vertex| bits.get(vertex)).map(label).collect();
    let field = Field::new("vertex", None, vertices);
    Ok(Numbers { shape: Shape::List(field.values.len()), fields: vec![field] })
}

fn numbers(
    table: &BitTable,
    name: &str,
    wanted: impl Fn(i64) -> bool,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    let (n_rows, width) = (table.n_rows(), table.n_cols());
    let label = labels(n_rows, graph, file)?;
    if width == 0 || width > MAX_BITS {
        let error = FileError::new(Code::NoSuchLayout, file, format!("rows of {width} bits"));
        return Err(error.note(format!("a number must have 1 to {MAX_BITS} bits")));
    }
    let records = Fields::records(vec![(name.to_owned(), width)]);
    let all = records.numbers(BitsRef::Table(table), file)?;
    let all = all.fields.into_iter().flat_map(|field| field.values).enumerate();
    let (vertices, values): (Vec<i64>, Vec<i64>) = all
        .filter(|&(_, number)| wanted(number))
        .map(|(vertex, number)| (label(vertex), number))
        .unzip();
    let shape = Shape::List(vertices.len());
    let fields = vec![Field::new("vertex", None, vertices), Field::new(name, None, values)];
    Ok(Numbers { shape, fields })
}

/// Returns the numbers of `n` vertices: those of the file, or 1, 2, …
fn labels<'g>(
    n: usize,
    graph: Option<&'g Graph>,
    file: &str,
) -> Result<impl Fn(usize) -> i64 + 'g, FileError> {
    if let Some(graph) = graph.filter(|graph| graph.n_vertices != n) {
        let rows = text::count(n, "row");
        let message = format!("{rows} for {}", text::count(graph.n_vertices, "vertex"));
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    }
    let labels = graph.and_then(|graph| graph.labels.as_deref());
    Ok(move |vertex: usize| {
        let label = labels.and_then(|labels| labels.get(vertex).copied());
        i64::try_from(label.unwrap_or(vertex as u64 + 1)).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(labels: Option<Vec<u64>>) -> Graph {
        Graph { n_vertices: 3, labels, ..Graph::default() }
    }

    fn columns(numbers: Numbers) -> Vec<(String, Vec<i64>)> {
        numbers.fields.into_iter().map(|field| (field.name, field.values)).collect()
    }

    #[test]
    fn ones_become_vertices_with_the_numbers_of_the_file() {
        let bits = BitVector::parse("101").unwrap();
        let of = |graph: Option<&Graph>| {
            columns(all(BitsRef::Slice(&bits), graph, "f").unwrap()).remove(0)
        };
        assert_eq!(of(None), ("vertex".to_owned(), vec![1, 3]));
        assert_eq!(of(Some(&graph(None))).1, [1, 3]);
        assert_eq!(of(Some(&graph(Some(vec![10, 20, 30])))).1, [10, 30]);
        let other = BitVector::parse("10").unwrap();
        let error = all(BitsRef::Slice(&other), Some(&graph(None)), "f").unwrap_err();
        assert_eq!(error.message, "2 rows for 3 vertices");
    }

    #[test]
    fn distances_omit_infinity() {
        let table = BitTable::parse(&["011", "111", "000"]).unwrap();
        let value = BitsRef::Table(&table);
        let with = columns(all(value, None, "f").unwrap());
        assert_eq!(with[1], ("value".to_owned(), vec![3, 7, 0]));
        let without = columns(near(value, None, "f").unwrap());
        let expected = [("vertex", vec![1, 3]), ("distance", vec![3, 0])];
        assert_eq!(without, expected.map(|(name, values)| (name.to_owned(), values)));
        let bits = BitVector::parse("101").unwrap();
        assert!(near(BitsRef::Slice(&bits), None, "f").is_err());
    }

    #[test]
    fn the_widest_numbers_keep_their_infinity() {
        let ones = "1".repeat(63);
        let table = BitTable::parse(&[&ones, &format!("0{}", "1".repeat(62))]).unwrap();
        let near = columns(near(BitsRef::Table(&table), None, "f").unwrap());
        assert_eq!(near[1].1, [i64::MAX >> 1]);
        let table = BitTable::zeros(1, 64).unwrap();
        assert!(all(BitsRef::Table(&table), None, "f").is_err());
    }
}
