//! Memory use of data.

use star_io::{Graph, Numbers, VertexNames};
use star_value::{BitVector, Value};

/// Returns the bytes of a graph, without the values derived from it.
pub fn bytes_of_graph(graph: &Graph) -> u64 {
    let arcs = (graph.arcs.len() as u64).saturating_mul(size_of::<star_io::Arc>() as u64);
    arcs.saturating_add(graph.names.as_ref().map_or(0, VertexNames::n_bytes))
}

/// Returns the bytes of a graph of which each of this number of processes holds some arcs, the same
/// on all of them.
pub fn bytes_of_arcs(graph: &Graph, n_holders: usize) -> u64 {
    let n_arcs = graph.n_edges().div_ceil(n_holders.max(1)) as u64;
    let arcs = n_arcs.saturating_mul(size_of::<star_io::Arc>() as u64);
    arcs.saturating_add(graph.names.as_ref().map_or(0, VertexNames::n_bytes))
}

/// Returns the bytes of numbers and of the strings that they represent.
pub fn bytes_in(numbers: &Numbers) -> u64 {
    let bytes = numbers.fields.iter().map(|field| {
        let of_numbers = (field.values.len() as u64).saturating_mul(size_of::<i64>() as u64);
        of_numbers.saturating_add(field.meaning.n_bytes())
    });
    bytes.fold(0, u64::saturating_add)
}

/// Returns the bytes of a list of which each of this number of processes holds a part, the same on
/// all of them.
pub fn bytes_of_share(numbers: &Numbers, n_holders: usize) -> u64 {
    let bytes = numbers.fields.iter().map(|field| {
        let n_values = field.n_values().div_ceil(n_holders.max(1)) as u64;
        let of_numbers = n_values.saturating_mul(size_of::<i64>() as u64);
        of_numbers.saturating_add(field.meaning.n_bytes())
    });
    bytes.fold(0, u64::saturating_add)
}

/// Returns the bytes of the table that was laid out for a value; a word is a row of one.
pub fn laid_out_bytes(value: &Value) -> u64 {
    match value {
        Value::Word(bits) => (bits.len() as u64).saturating_mul(8),
        Value::Slice(_)
        | Value::Table(_)
        | Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_) => bytes_of(value),
    }
}

/// Returns the bytes of a packed value.
pub fn bytes_of(value: &Value) -> u64 {
    let of_vector = |bits: &BitVector| bits.limbs().len() as u64 * 8;
    match value {
        Value::Slice(bits) | Value::Word(bits) => of_vector(bits),
        Value::Table(table) => table.n_bytes(),
        Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => 0,
    }
}
