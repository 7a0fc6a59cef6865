//! Display of the edges or vertices of a graph that a slice marks.

use star_io::{Arc, Graph};
use star_value::BitVector;

/// The maximum number of edges or vertices shown for a slice.
const MAX_MARKED: usize = 12;

/// Returns a line with the first edges or vertices that a slice marks in a graph, according to its
/// length; `None` if the length is ambiguous or matches neither, or if it has no ones.
pub fn marked(slice: &BitVector, graph: &Graph) -> Option<String> {
    let sign = if graph.symmetric { "–" } else { "→" };
    let (is_arcs, is_vertices) = (slice.len() == graph.arcs.len(), slice.len() == graph.n_vertices);
    let shown = |row: usize| match is_arcs {
        true => {
            let Arc { tail, head, .. } = graph.arcs[row];
            format!("{}{sign}{}", graph.name(tail as usize), graph.name(head as usize))
        }
        false => graph.name(row).to_string(),
    };
    let noun = match (is_arcs, is_vertices, graph.symmetric) {
        (true, false, true) => "edges",
        (true, false, false) => "arcs",
        (false, true, _) => "vertices",
        (true, true, _) | (false, false, _) => return None,
    };
    let ones = || (0..slice.len()).filter(|&row| slice.get(row));
    let n_ones = ones().count();
    let first: Vec<String> = ones().take(MAX_MARKED).map(shown).collect();
    let more = if n_ones > first.len() { format!(", … {n_ones} in all") } else { String::new() };
    (n_ones > 0).then(|| format!("    {noun} {}{more}\n", first.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(n_vertices: usize, symmetric: bool) -> Graph {
        let arc = |tail: u32| Arc { tail, head: tail + 1, weight: 1 };
        let arcs = (0..n_vertices as u32 - 1).map(arc).collect();
        Graph { n_vertices, arcs, symmetric, ..Graph::default() }
    }

    fn ones(len: usize) -> BitVector {
        BitVector::from_bools(&vec![true; len])
    }

    #[test]
    fn the_length_of_a_slice_determines_what_it_marks() {
        let slice = BitVector::parse("101").unwrap();
        let said = |graph: &Graph| marked(&slice, graph);
        assert_eq!(said(&path(4, false)).unwrap(), "    arcs 1→2, 3→4\n");
        assert_eq!(said(&path(4, true)).unwrap(), "    edges 1–2, 3–4\n");
        let names = Some(star_io::VertexNames::Numbers(vec![10, 20, 30]));
        let named = Graph { names, ..path(3, true) };
        assert_eq!(said(&named).unwrap(), "    vertices 10, 30\n");
        assert_eq!(said(&path(7, true)), None);
        assert_eq!(marked(&BitVector::zeros(3), &path(4, true)), None);
    }

    #[test]
    fn long_lists_are_truncated() {
        let said = marked(&ones(40), &path(41, true)).unwrap();
        assert!(said.starts_with("    edges 1–2, 2–3,"), "{said}");
        assert!(said.ends_with(", 12–13, … 40 in all\n"), "{said}");
    }
}
