//! Results about the vertices of a graph as lists with their names: those of its file, if it has
//! them.

use star_base::{Code, text};
use star_io::{Arc, Field, FileError, Graph, Meaning, Numbers, Shape, Texts, VertexNames};
use star_value::{BitTable, BitVector, BitsRef, TableRef};

use crate::fields::Fields;
use crate::rows::ResultForm;

/// The maximum width of a number.
const MAX_BITS: usize = 63;

/// The meaning of a row of ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ones {
    Number,
    Infinity,
}

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
        BitsRef::Table(table) => numbers(dense(table, file)?, "value", Ones::Number, graph, file),
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
        BitsRef::Table(table) => {
            numbers(dense(table, file)?, "distance", Ones::Infinity, graph, file)
        }
    }
}

/// Returns a table by columns, as the forms of output require it.
fn dense<'t>(table: TableRef<'t>, file: &str) -> Result<&'t BitTable, FileError> {
    let message = "a sparse table can only be written as a table";
    table.columns().ok_or_else(|| FileError::new(Code::NoSuchLayout, file, message))
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
    ones: Ones,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    let numbers = rows(table, ones, graph, file)?.into_iter().enumerate();
    let (vertices, values): (Vec<usize>, Vec<i64>) =
        numbers.filter_map(|(vertex, number)| Some((vertex, number?))).unzip();
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
    let field = code_field("code", value, graph, file)?;
    let n = field.values.len();
    Ok(Numbers { shape: Shape::List(n), fields: vec![named("vertex", all_of(n), graph), field] })
}

/// Returns the names of the vertices whose codes are in the rows of a table, as a field.
fn code_field(
    name: &str,
    value: BitsRef<'_>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Field, FileError> {
    let Some(table) = value.columns() else {
        let message = "`codes` requires a table";
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    };
    let values: Vec<i64> = rows(table, Ones::Number, graph, file)?.into_iter().flatten().collect();
    let n = table.n_rows();
    let in_row = values.iter().map(|&code| usize::try_from(code).ok().filter(|&code| code <= n));
    let Some(codes) = in_row.collect::<Option<Vec<usize>>>() else {
        let message = format!("a row is no code of a vertex: codes are 0 to {n}");
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    };
    // A field of numbers has no empty value.
    let all_named: Option<Vec<usize>> = codes.iter().map(|code| code.checked_sub(1)).collect();
    if let Some(vertices) = all_named {
        return Ok(named(name, vertices, graph));
    }
    // The code of a vertex is that of its name; 0 has an empty one.
    let texts = match graph.and_then(|graph| graph.names.as_ref()) {
        Some(VertexNames::Texts(texts)) => texts.clone(),
        Some(VertexNames::Numbers(_)) | None => {
            Texts::of((0..n).map(|vertex| name_of(vertex, graph)))
        }
    };
    let meaning = Meaning::Texts(texts);
    Ok(Field { meaning, ..Field::new(name, None, values) })
}

/// Returns results about the vertices as one list: a field for the vertices and one for each
/// result, with its name. A row is omitted if one of the distances is infinity.
///
/// # Errors
/// As for [`all`]; E0507 if a form is not about vertices.
pub(crate) fn joined(
    columns: &[(&str, &ResultForm, BitsRef<'_>)],
    graph: Option<&Graph>,
    file: &str,
) -> Result<Numbers, FileError> {
    let mut is_kept: Option<Vec<bool>> = None;
    let mut fields = Vec::with_capacity(columns.len());
    for &(name, form, value) in columns {
        let field = match (form, value) {
            (ResultForm::Codes, _) => code_field(name, value, graph, file)?,
            (ResultForm::Vertices, BitsRef::Slice(bits)) => {
                check_rows(bits.len(), graph, file)?;
                Field::new(name, None, bits.iter().map(i64::from).collect())
            }
            (ResultForm::Vertices | ResultForm::Distances, BitsRef::Table(table)) => {
                let table = dense(table, file)?;
                let ones = match form {
                    ResultForm::Distances => Ones::Infinity,
                    _ => Ones::Number,
                };
                let values = rows(table, ones, graph, file)?;
                if ones == Ones::Infinity {
                    let kept = is_kept.get_or_insert_with(|| vec![true; values.len()]);
                    kept.iter_mut().zip(&values).for_each(|(kept, it)| *kept &= it.is_some());
                }
                // The rows of infinity are removed below.
                let values = values.into_iter().map(Option::unwrap_or_default).collect();
                Field::new(name, None, values)
            }
            _ => {
                let message = format!("`{name}` is not about the vertices");
                let error = FileError::new(Code::NoSuchLayout, file, message);
                return Err(error.note(
                    "a column has the form `vertices`, `codes` or `distances`, and a table with a \
                     row for each vertex",
                ));
            }
        };
        fields.push(field);
    }
    let n = fields.first().map_or(0, |field| field.values.len());
    if let Some(field) = fields.iter().find(|field| field.values.len() != n) {
        let message = format!("{} for {}", text::count(field.values.len(), "row"), n);
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    }
    fields.insert(0, named("vertex", all_of(n), graph));
    if let Some(is_kept) = is_kept {
        for field in &mut fields {
            let mut kept = is_kept.iter();
            field.values.retain(|_| kept.next().copied().unwrap_or(true));
        }
    }
    let shape = Shape::List(fields.first().map_or(0, |field| field.values.len()));
    Ok(Numbers { shape, fields })
}

/// Returns a square table as the graph with an arc from i to j for each one in row i, column j.
///
/// # Errors
/// E0507 if its size is not that of the vertices; E0511 if there is no memory for the arcs.
pub(crate) fn pairs(
    value: BitsRef<'_>,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Graph, FileError> {
    let (n_rows, n_cols) = value.shape();
    if matches!(value, BitsRef::Slice(_) | BitsRef::Word(_)) || n_rows != n_cols {
        let message = "`adjacency` requires a table with a row and a column for each vertex";
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    }
    check_rows(n_rows, graph, file)?;
    let mut arcs = Vec::new();
    let n_arcs = usize::try_from(value.count_ones()).unwrap_or(usize::MAX);
    if arcs.try_reserve_exact(n_arcs).is_err() {
        return Err(FileError::new(Code::MemoryLimit, file, "no memory for the arcs"));
    }
    // Nothing stops the visit.
    let _ = value.try_for_ones(|row, col| {
        arcs.push(Arc { tail: row as u32, head: col as u32, weight: 1 });
        Ok::<(), std::convert::Infallible>(())
    });
    // A dense table is visited column by column.
    arcs.sort_unstable_by_key(|arc| (arc.tail, arc.head));
    let names = graph.and_then(|graph| graph.names.clone());
    Ok(Graph { n_vertices: n_rows, arcs, names, ..Graph::default() })
}

fn all_of(n: usize) -> Vec<usize> {
    (0..n).collect()
}

/// Returns the numbers in the rows, `None` for infinity.
fn rows(
    table: &BitTable,
    ones: Ones,
    graph: Option<&Graph>,
    file: &str,
) -> Result<Vec<Option<i64>>, FileError> {
    let (n_rows, width) = (table.n_rows(), table.n_cols());
    check_rows(n_rows, graph, file)?;
    if n_rows == 0 {
        return Ok(Vec::new());
    }
    if width == 0 {
        return Err(FileError::new(Code::NoSuchLayout, file, "rows of 0 bits"));
    }
    // The parts of a row: only the last one may have ones, except in infinity.
    let first = Some(width % MAX_BITS).filter(|&bits| bits > 0);
    let widths = first.into_iter().chain(std::iter::repeat_n(MAX_BITS, width / MAX_BITS));
    let widths: Vec<usize> = widths.collect();
    let parts = Fields::records(widths.iter().map(|&bits| (String::new(), bits)).collect());
    let mut parts = parts.numbers(table.into(), file)?.fields;
    let Some(Field { values, .. }) = parts.pop() else { return Ok(Vec::new()) };
    let is_infinity = |row: usize| {
        let parts = parts.iter().map(|part| part.values[row]).chain([values[row]]);
        let is_ones = |(part, &bits): (i64, &usize)| part == i64::MAX >> (MAX_BITS - bits);
        ones == Ones::Infinity && parts.zip(&widths).all(is_ones)
    };
    let number = |(row, &value): (usize, &i64)| match is_infinity(row) {
        true => Ok(None),
        false if parts.iter().all(|part| part.values[row] == 0) => Ok(Some(value)),
        false => {
            let name = text::one_line(&name_of(row, graph));
            let message = format!("the row of the vertex `{name}` exceeds {MAX_BITS} bits");
            let error = FileError::new(Code::NoSuchLayout, file, message);
            Err(error.help("`scale=0.001` reads the weights of the graph in thousands"))
        }
    };
    values.iter().enumerate().map(number).collect()
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

/// Returns a field of vertices with their names: those of the file, or 1, 2, … Numbers become texts
/// if one of them exceeds the numbers of a field.
fn named(name: &str, vertices: Vec<usize>, graph: Option<&Graph>) -> Field {
    let names = graph.and_then(|graph| graph.names.as_ref());
    let (meaning, numbers) = match names {
        Some(VertexNames::Texts(texts)) => (Meaning::Texts(texts.clone()), None),
        Some(VertexNames::Numbers(numbers)) => {
            match numbers.iter().map(|&number| i64::try_from(number)).collect::<Result<Vec<_>, _>>()
            {
                Ok(numbers) => (Meaning::Number, Some(numbers)),
                Err(_) => (Meaning::Texts(Texts::of(numbers.iter().map(u64::to_string))), None),
            }
        }
        None => (Meaning::Number, None),
    };
    let value = |vertex: usize| match &numbers {
        Some(numbers) => numbers.get(vertex).copied().unwrap_or(i64::MAX),
        None => vertex as i64 + 1,
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
        let large = graph(Some(vec![10, 20, 1 << 63]));
        let found = all(BitsRef::Slice(&bits), Some(&large), "f").unwrap().fields.remove(0);
        assert_eq!(found.values, [1, 3]);
        let texts = found.values.iter().map(|value| found.meaning.text(*value).to_string());
        assert_eq!(texts.collect::<Vec<_>>(), ["10", "9223372036854775808"]);
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
        let parents = codes(BitsRef::from(&table), Some(&graph), "f").unwrap();
        assert_eq!(shown(parents), [["Oslo", "Rome", "Bonn"], ["Rome", "", "Bonn"]]);
        let parents = codes(BitsRef::from(&table), None, "f").unwrap();
        assert_eq!(shown(parents), [["1", "2", "3"], ["2", "", "3"]]);
        let wide = BitTable::parse(&["100", "000", "001"]).unwrap();
        assert!(codes(BitsRef::from(&wide), None, "f").is_err());
    }

    #[test]
    fn columns_are_joined_without_the_rows_of_infinity() {
        let names = VertexNames::Texts(Texts::of(["Oslo", "Rome", "Bonn"].map(str::to_owned)));
        let graph = Graph { n_vertices: 3, names: Some(names), ..Graph::default() };
        let (dist, pred) = (["00", "11", "10"], ["00", "00", "01"]);
        let (dist, pred) = (BitTable::parse(&dist).unwrap(), BitTable::parse(&pred).unwrap());
        let marked = BitVector::parse("011").unwrap();
        let columns = [
            ("km", &ResultForm::Distances, BitsRef::from(&dist)),
            ("before", &ResultForm::Codes, BitsRef::from(&pred)),
            ("far", &ResultForm::Vertices, BitsRef::Slice(&marked)),
        ];
        let numbers = joined(&columns, Some(&graph), "f").unwrap();
        let shown: Vec<(String, Vec<String>)> = numbers
            .fields
            .iter()
            .map(|field| {
                let text = |&value: &i64| field.meaning.text(value).into_owned();
                (field.name.clone(), field.values.iter().map(text).collect())
            })
            .collect();
        let expected = [
            ("vertex", ["Oslo", "Bonn"]),
            ("km", ["0", "2"]),
            ("before", ["", "Oslo"]),
            ("far", ["0", "1"]),
        ];
        let expected = expected.map(|(name, texts)| (name.to_owned(), texts.map(str::to_owned)));
        assert_eq!(shown, expected.map(|(name, texts)| (name, texts.to_vec())));
        let other = [("T", &ResultForm::Like("R".to_owned()), BitsRef::from(&dist))];
        assert!(joined(&other, Some(&graph), "f").is_err());
        let short = BitVector::parse("01").unwrap();
        let uneven = [columns[0], ("far", &ResultForm::Vertices, BitsRef::Slice(&short))];
        assert!(joined(&uneven, None, "f").is_err());
    }

    #[test]
    fn ones_of_a_table_become_arcs() {
        let table = BitTable::parse(&["010", "001", "100"]).unwrap();
        let found = pairs(BitsRef::from(&table), Some(&graph(Some(vec![7, 8, 9]))), "f").unwrap();
        let arcs: Vec<String> = found
            .arcs
            .iter()
            .map(|arc| {
                let [tail, head] = [arc.tail, arc.head].map(|it| found.name(it as usize));
                format!("{tail}-{head}")
            })
            .collect();
        assert_eq!(arcs, ["7-8", "8-9", "9-7"]);
        let wide = BitTable::zeros(2, 3).unwrap();
        assert!(pairs(BitsRef::from(&wide), None, "f").is_err());
    }

    #[test]
    fn distances_omit_infinity() {
        let table = BitTable::parse(&["011", "111", "000"]).unwrap();
        let value = BitsRef::from(&table);
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
        let near = columns(near(BitsRef::from(&table), None, "f").unwrap());
        assert_eq!(near[1].1, [i64::MAX >> 1]);
    }

    #[test]
    fn wide_rows_are_numbers_if_these_fit() {
        let zeros = "0".repeat(66);
        let rows = [format!("{zeros}101"), "1".repeat(69), format!("{zeros}111")];
        let table = BitTable::parse(&rows.each_ref().map(String::as_str)).unwrap();
        let found = columns(near(BitsRef::from(&table), None, "f").unwrap());
        assert_eq!(found[1].1, [5, 7]);
        let error = all(BitsRef::from(&table), None, "f").unwrap_err();
        assert_eq!(error.message, "the row of the vertex `2` exceeds 63 bits");
        let marked = ("d", &ResultForm::Distances, BitsRef::from(&table));
        let found = columns(joined(&[marked], None, "f").unwrap());
        assert_eq!((&*found[0].1, &*found[1].1), (&[1, 3][..], &[5, 7][..]));
        let greatest = BitTable::parse(&[&format!("0{}", "1".repeat(63))]).unwrap();
        let found = columns(all(BitsRef::from(&greatest), None, "f").unwrap());
        assert_eq!(found[1].1, [i64::MAX]);
        let found = columns(near(BitsRef::from(&greatest), None, "f").unwrap());
        assert_eq!(found[1].1, [i64::MAX]);
        let marked = ("d", &ResultForm::Distances, BitsRef::from(&greatest));
        let found = columns(joined(&[marked], None, "f").unwrap());
        assert_eq!((&*found[0].1, &*found[1].1), (&[1][..], &[i64::MAX][..]));
    }
}
