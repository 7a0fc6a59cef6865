//! Memory use of data.

use star_base::BitVector;
use star_io::{Graph, Numbers, VertexNames};
use star_vm::HostValue;

/// Returns the bytes of a graph, without the values derived from it.
pub fn bytes_of_graph(graph: &Graph) -> u64 {
    let arcs = (graph.arcs.len() as u64).saturating_mul(size_of::<star_io::Arc>() as u64);
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

/// Returns the bytes of the table that was laid out for a value; a word is a row of one.
pub fn laid_out_bytes(value: &HostValue) -> u64 {
    match value {
        HostValue::Word(bits) => (bits.len() as u64).saturating_mul(8),
        HostValue::Slice(_)
        | HostValue::Table(_)
        | HostValue::Unset
        | HostValue::Int(_)
        | HostValue::Bool(_)
        | HostValue::Str(_) => bytes_of(value),
    }
}

/// Returns the bytes of a packed value.
pub fn bytes_of(value: &HostValue) -> u64 {
    let of_vector = |bits: &BitVector| bits.limbs().len() as u64 * 8;
    match value {
        HostValue::Slice(bits) | HostValue::Word(bits) => of_vector(bits),
        HostValue::Table(table) => table.n_bytes(),
        HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => 0,
    }
}
