//! Results about the vertices of a graph as lists with their names: those of its file, if it has
//! them.

use star_base::{BitTable, BitVector, BitsRef, Code, text};
use star_io::{Field, FileError, Graph, Meaning, Numbers, Shape, Texts, VertexNames};

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
    check_rows(bits.len(), graph, file)?;
    let vertices = (0..bits.len()).filter(|&vertex| bits.get(vertex)).collect();
    let field = named("vertex", vertices, graph);
    Ok(Numbers { shape: Shape::List(field.values.len()), fields: vec![field] })
}

fn numbers(
    table: &BitTable,
    name: &str,
    wanted: impl Fn(i64) -> bool,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    let (vertices, values) = rows(table, wanted, graph, file)?;
    let shape = Shape::List(vertices.len());
    let fields = vec![named("vertex", vertices, graph), Field::new(name, None, values)];
    Ok(Numbers { shape, fields })
}

/// Returns a table whose rows are codes of vertices as all vertices, each with the name of the
/// vertex in its row; the code 0 has an empty name.
///
/// # Errors
/// As for [`all`]; E0507 if a row is no code of a vertex.
pub(crate) fn codes(
    value: BitsRef<'_>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    let BitsRef::Table(table) = value else {
        let message = "`codes` requires a table";
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    };
    let (vertices, values) = rows(table, |_| true, graph, file)?;
    let n = table.n_rows();
    let in_row = values.iter().map(|&code| usize::try_from(code).ok().filter(|&code| code <= n));
    let Some(codes) = in_row.collect::<Option<Vec<usize>>>() else {
        let message = format!("a row is no code of a vertex: codes are 0 to {n}");
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    };
    let meaning = Meaning::Texts(Texts::of((0..n).map(|vertex| name_of(vertex, graph))));
    let code = |code: usize| match (&meaning, code.checked_sub(1)) {
        (Meaning::Texts(texts), Some(vertex)) => {
            texts.code(&name_of(vertex, graph)).unwrap_or_default()
        }
        _ => 0,
    };
    let values = codes.into_iter().map(code).collect();
    let field = Field { meaning, ..Field::new("code", None, values) };
    let shape = Shape::List(vertices.len());
    Ok(Numbers { shape, fields: vec![named("vertex", vertices, graph), field] })
}

/// Returns the vertices, from 0, whose rows are wanted, and the numbers in these rows.
fn rows(
    table: &BitTable,
    wanted: impl Fn(i64) -> bool,
    graph: Option<&Graph>,
    file: &str,
) -> Result<(Vec<usize>, Vec<i64>), FileError> {
    let (n_rows, width) = (table.n_rows(), table.n_cols());
    check_rows(n_rows, graph, file)?;
    if width == 0 || width > MAX_BITS {
        let error = FileError::new(Code::NoSuchLayout, file, format!("rows of {width} bits"));
        return Err(error.note(format!("a number must have 1 to {MAX_BITS} bits")));
    }
    let records = Fields::records(vec![(String::new(), width)]);
    let all = records.numbers(BitsRef::Table(table), file)?;
    let all = all.fields.into_iter().flat_map(|field| field.values).enumerate();
    Ok(all.filter(|&(_, number)| wanted(number)).unzip())
}

fn check_rows(n: usize, graph: Option<&Graph>, file: &str) -> Result<(), FileError> {
    match graph.filter(|graph| graph.n_vertices != n) {
        Some(graph) => {
            let rows = text::count(n, "row");
            let message = format!("{rows} for {}", text::count(graph.n_vertices, "vertex"));
            Err(FileError::new(Code::NoSuchLayout, file, message))
        }
        None => Ok(()),
    }
}

fn name_of(vertex: usize, graph: Option<&Graph>) -> String {
    graph.map_or_else(|| (vertex + 1).to_string(), |graph| graph.name(vertex).to_string())
}

/// Returns a field of vertices with their names: those of the file, or 1, 2, …
fn named(name: &str, vertices: Vec<usize>, graph: Option<&Graph>) -> Field {
    let names = graph.and_then(|graph| graph.names.as_ref());
    let value = |vertex: usize| match names {
        Some(VertexNames::Numbers(numbers)) => numbers
            .get(vertex)
            .map_or(i64::MAX, |&number| i64::try_from(number).unwrap_or(i64::MAX)),
        Some(VertexNames::Texts(_)) | None => vertex as i64 + 1,
    };
    let meaning = match names {
        Some(VertexNames::Texts(texts)) => Meaning::Texts(texts.clone()),
        Some(VertexNames::Numbers(_)) | None => Meaning::Number,
    };
    Field { meaning, ..Field::new(name, None, vertices.into_iter().map(value).collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(numbers: Option<Vec<u64>>) -> Graph {
        let names = numbers.map(VertexNames::Numbers);
        Graph { n_vertices: 3, names, ..Graph::default() }
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
    fn vertices_and_codes_have_the_names_of_the_file() {
        let names = VertexNames::Texts(Texts::of(["Oslo", "Rome", "Bonn"].map(str::to_owned)));
        let graph = Graph { n_vertices: 3, names: Some(names), ..Graph::default() };
        let shown = |numbers: Numbers| -> Vec<Vec<String>> {
            let show = |field: &Field| {
                field.values.iter().map(|&value| field.meaning.text(value).into_owned()).collect()
            };
            numbers.fields.iter().map(show).collect()
        };
        let bits = BitVector::parse("011").unwrap();
        let marked = all(BitsRef::Slice(&bits), Some(&graph), "f").unwrap();
        assert_eq!(shown(marked), [["Rome", "Bonn"]]);
        let table = BitTable::parse(&["10", "00", "11"]).unwrap();
        let parents = codes(BitsRef::Table(&table), Some(&graph), "f").unwrap();
        assert_eq!(shown(parents), [["Oslo", "Rome", "Bonn"], ["Rome", "", "Bonn"]]);
        let parents = codes(BitsRef::Table(&table), None, "f").unwrap();
        assert_eq!(shown(parents), [["1", "2", "3"], ["2", "", "3"]]);
        let wide = BitTable::parse(&["100", "000", "001"]).unwrap();
        assert!(codes(BitsRef::Table(&wide), None, "f").is_err());
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
