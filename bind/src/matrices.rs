//! Two-dimensional arrays as graphs.

use star_base::{Code, text};
use star_io::{
    Arc, Data, Direction, Field, FileError, Graph, Layout, Numbers, Shape, VertexNames, Weights,
};

use crate::bytes::bytes_in;
use crate::data::LoadRequest;
use crate::source::Reading;

/// Converts a two-dimensional array to the data that a parameter with this layout expects: an array
/// of zeros and ones to bits, and a square one of weights to a graph, in which number j of row i is
/// the weight of the arc from i to j, and a missing number no arc. Other data are unchanged.
///
/// # Errors
/// E0507 for an array that has no such meaning.
pub(crate) fn of_param(
    mut numbers: Numbers,
    wanted: Layout,
    request: LoadRequest<'_>,
) -> Result<Data, FileError> {
    let Shape::Grid { height, width } = numbers.shape else { return Ok(Data::Numbers(numbers)) };
    let refused = |message: String| {
        let layout = wanted.name();
        let error = FileError::new(Code::NoSuchLayout, request.file, message);
        error.note(format!("the parameter expects `{layout}`: {}", wanted.description()))
    };
    let [field] = &mut numbers.fields[..] else {
        return Err(refused("an array of records for a parameter of a graph".to_owned())
            .help("`records:FILE` gives a row for each record"));
    };
    let is_bits = field.values.iter().all(|number| matches!(number, 0 | 1));
    let holds_weights = wanted.weights() != Weights::None && wanted != Layout::Weight;
    if is_bits && wanted.weights() == Weights::None && wanted.codes() == 0 {
        field.bits = Some(1);
        return Ok(Data::Numbers(numbers));
    }
    if width == 1 && !holds_weights {
        return Ok(Data::Numbers(numbers)); // a row for each number
    }
    if !holds_weights || wanted == Layout::Arcs || height != width {
        let message = format!("an array of {height} × {width} numbers is not `{}`", wanted.name());
        return Err(refused(message).help(
            "`grid:FILE` gives a row for each row of the array, `records:FILE` one for each number",
        ));
    }
    weights(field, height)
        .map(Data::Graph)
        .map_err(|message| refused(message).help("`nodata=0` says that zeros are missing arcs"))
}

/// The reason why a matrix is no graph.
pub(crate) const SQUARE: &str = "the matrix of a graph has equal numbers of rows and columns";

/// Converts a square array to the graph of its entries: number j of row i is the weight of the arc
/// from i to j, counted from 0, or in an array of zeros and ones the arc. Zeros are no arcs, or
/// with `nodata=` the missing numbers. Other data are unchanged.
///
/// # Errors
/// E0511 if the graph does not fit; L0103 or L0106 if the observer stops it.
pub(crate) fn as_graph(
    reading: Reading<'_>,
    data: Data,
    direction: Direction,
    file: &str,
    max_bytes: u64,
) -> Result<Data, FileError> {
    let Data::Numbers(numbers) = &data else { return Ok(data) };
    let (Shape::Grid { height, width }, [field]) = (numbers.shape, &numbers.fields[..]) else {
        return Ok(data);
    };
    if height != width {
        let message = format!("an array of {height} × {width} numbers is no graph");
        let error = FileError::new(Code::NoSuchLayout, file, message);
        return Err(error.note(SQUARE));
    }
    let is_bits = field.values.iter().all(|number| matches!(number, 0 | 1));
    let missing = field.nodata.filter(|_| !is_bits).unwrap_or(0);
    let n_arcs = field.values.iter().filter(|&&number| number != missing).count();
    let needed = bytes_in(numbers).saturating_add(n_arcs as u64 * size_of::<Arc>() as u64);
    if needed > max_bytes {
        let message = format!("the graph of {n_arcs} arcs does not fit");
        return Err(FileError::new(Code::DoesNotFit, file, message));
    }
    let too_many = |_| FileError::new(Code::DoesNotFit, file, "the array has more than 2^32 rows");
    let n = u32::try_from(height).map_err(too_many)?;
    let cells = (0..n).flat_map(|tail| (0..n).map(move |head| (tail, head)));
    let arcs = cells.zip(&field.values).filter(|&(_, &weight)| weight != missing);
    let arcs = arcs.map(|((tail, head), &weight)| Arc { tail, head, weight }).collect();
    let names = Some(VertexNames::Numbers((0..u64::from(n)).collect()));
    let mut graph =
        Graph { n_vertices: height, arcs, weighted: !is_bits, names, ..Graph::default() };
    let mut go_on = || match reading.observer.stop() {
        Some(code) => Err(FileError::new(code, file, "interrupted while reading")),
        None => Ok(()),
    };
    let oriented = graph.orient(direction, &mut go_on)?;
    oriented.ok_or_else(|| FileError::new(Code::DoesNotFit, file, "no memory for the arcs"))?;
    let shown = text::one_line(file);
    let what = if is_bits { "an adjacency matrix" } else { "a matrix of weights" };
    let direction = match graph.symmetric {
        true => String::new(),
        false => format!("; `undirected:{shown}` reads edges"),
    };
    let none = match missing {
        // No other number stands for it.
        i64::MIN => "NaN".to_owned(),
        _ => missing.to_string(),
    };
    reading.observer.note(&format!(
        "{file}: {what} from row to column, {none} is no arc, vertices from 0{direction}"
    ));
    Ok(Data::Graph(graph))
}

/// The graph of a matrix of weights.
fn weights(field: &Field, n_vertices: usize) -> Result<Graph, String> {
    let mut arcs = Vec::new();
    for (idx, &weight) in field.values.iter().enumerate() {
        let (tail, head) = (idx / n_vertices.max(1), idx % n_vertices.max(1));
        if Some(weight) == field.nodata || tail == head && weight == 0 {
            continue;
        }
        if weight == 0 {
            let place = format!("row {}, column {}", tail + 1, head + 1);
            return Err(format!("0 in {place} may be a weight or a missing arc"));
        }
        let (Ok(tail), Ok(head)) = (u32::try_from(tail), u32::try_from(head)) else {
            return Err("the array has more than 2^32 rows".to_owned());
        };
        arcs.push(Arc { tail, head, weight });
    }
    Ok(Graph { n_vertices, arcs, weighted: true, ..Graph::default() })
}

#[cfg(test)]
mod tests {
    use star_value::TableWish;

    use super::*;
    use crate::data::WidthOverrides;
    use crate::param::Kind;

    fn converted(values: &[i64], nodata: Option<i64>, wanted: Layout) -> Result<Data, FileError> {
        let field = Field { nodata, ..Field::new("value", None, values.to_vec()) };
        let shape = Shape::Grid { height: 2, width: values.len() / 2 };
        let request = LoadRequest {
            kind: Kind::Table,
            layout: None,
            file: "a.npy",
            max_bytes: 1 << 20,
            widths: WidthOverrides::default(),
            wish: TableWish::default(),
            knows_offset: false,
        };
        of_param(Numbers { shape, fields: vec![field] }, wanted, request)
    }

    #[test]
    fn square_arrays_of_weights_become_graphs() {
        let Ok(Data::Graph(graph)) = converted(&[0, 7, 5, 0], None, Layout::WeightsOut) else {
            panic!("a graph")
        };
        let found: Vec<_> = graph.arcs.iter().map(|arc| (arc.tail, arc.head, arc.weight)).collect();
        assert_eq!((found, graph.weighted), (vec![(0, 1, 7), (1, 0, 5)], true));
        let ambiguous = converted(&[1, 0, 5, 1], None, Layout::Distances).unwrap_err();
        assert_eq!(ambiguous.message, "0 in row 1, column 2 may be a weight or a missing arc");
        let Ok(Data::Graph(graph)) = converted(&[1, 0, 5, 1], Some(0), Layout::WeightsIn) else {
            panic!("a graph")
        };
        assert_eq!(graph.arcs.len(), 3);
    }

    #[test]
    fn other_arrays_are_bits_or_refused() {
        let Ok(Data::Numbers(bits)) = converted(&[0, 1, 1, 0], None, Layout::Adjacency) else {
            panic!("bits")
        };
        assert_eq!(bits.fields[0].bits, Some(1));
        assert!(converted(&[0, 7, 5, 0], None, Layout::Adjacency).is_err());
        assert!(converted(&[1, 2, 3, 4, 5, 6], None, Layout::WeightsOut).is_err());
        assert!(matches!(converted(&[3, 4], None, Layout::Left), Ok(Data::Numbers(_))));
    }
}
