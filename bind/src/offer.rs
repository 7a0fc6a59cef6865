//! Offers: values that a graph, or the file of another parameter, provides for missing parameters,
//! by their names and kinds.

use star_io::{FileError, Graph, Layout, Weights};
use star_value::{BitVector, Value};

use crate::data::{self, LoadRequest};
use crate::layouts::AnyLayout;
use crate::param::{Kind, Param, Signature};
use crate::source::Reading;

/// A value that a graph provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Number of vertices.
    Vertices,
    /// Number of rows of the lists of edges.
    Edges,
    /// Width of weights and distances.
    PathWidth,
    /// Width of the codes of vertices.
    CodeWidth,
    /// The word of `h` ones.
    Infinity,
    /// The word of a one and `h` − 1 zeros.
    BiasedZero,
    /// Whether every row of the lists of edges leads in both directions.
    Both,
    /// The number that another parameter, a table, stores as 0: see [`table_of_offset`].
    Offset,
    /// A table or slice.
    Layout(Layout),
}

/// The help text about offers.
pub const OFFER_HELP: &str = "\
Offers of --graph, to parameters that are not given, by name and type:
  n, m          integer  vertices; rows of the lists of edges
  h, b          integer  width of weights and distances; width of codes
  inf, zero     word     infinity: h ones; the zero of biased distances: 10..0
  both          boolean  whether the arcs are edges without direction
  G P adjacency table    adjacency      Cost    table  weights-out
  Weight        table    weights-in     Signed  table  signed-out
  left right    table    left, right    D       table  distances
  code          table    code           weight  table  weight
  code2         table    code-double    Inc     table  incidence
  Tail Head     table    tails, heads   S E     slice  edges
A `var` parameter that the routine sets, or starts to store columns to, before it
reads it is a result: it gets no value.
h and b are the smallest sufficient widths: no sum of the library procedures
reaches infinity. Give them as settings for larger ones.
`NAME_offset`, an integer, is the number that the table `NAME` of a graph or a
file stores as 0: its minimum if that is negative, otherwise 0.";

/// All offers, with the kind and the names of the parameters.
const OFFERS: [(Kind, &[&str], Offer); 21] = [
    (Kind::Int, &["n"], Offer::Vertices),
    (Kind::Int, &["m"], Offer::Edges),
    (Kind::Int, &["h"], Offer::PathWidth),
    (Kind::Int, &["b"], Offer::CodeWidth),
    (Kind::Word, &["inf"], Offer::Infinity),
    (Kind::Word, &["zero"], Offer::BiasedZero),
    (Kind::Bool, &["both"], Offer::Both),
    (Kind::Table, &["G", "P", "adjacency"], Offer::Layout(Layout::Adjacency)),
    (Kind::Table, &["Cost"], Offer::Layout(Layout::WeightsOut)),
    (Kind::Table, &["Signed"], Offer::Layout(Layout::SignedOut)),
    (Kind::Table, &["Weight"], Offer::Layout(Layout::WeightsIn)),
    (Kind::Table, &["D"], Offer::Layout(Layout::Distances)),
    (Kind::Table, &["left"], Offer::Layout(Layout::Left)),
    (Kind::Table, &["right"], Offer::Layout(Layout::Right)),
    (Kind::Table, &["weight"], Offer::Layout(Layout::Weight)),
    (Kind::Table, &["code"], Offer::Layout(Layout::Code)),
    (Kind::Table, &["code2"], Offer::Layout(Layout::CodeDouble)),
    (Kind::Table, &["Inc"], Offer::Layout(Layout::Incidence)),
    (Kind::Table, &["Tail"], Offer::Layout(Layout::Tails)),
    (Kind::Table, &["Head"], Offer::Layout(Layout::Heads)),
    (Kind::Slice, &["S", "E"], Offer::Layout(Layout::Edges)),
];

/// Returns the offer of a graph for a parameter of this name and kind.
pub fn offer(name: &str, kind: Kind) -> Option<Offer> {
    let mut offers = OFFERS.iter();
    let found = offers.find(|(of_kind, names, _)| *of_kind == kind && names.contains(&name));
    found.map(|&(_, _, offer)| offer)
}

/// The end of the name of a parameter that gets an offset.
const OFFSET: &str = "_offset";

/// Returns the table whose offset this parameter gets if it is not given: `NAME_offset` is the
/// number of a file that the table `NAME` stores as 0. Numbers and lists of weights are stored less
/// their minimum if that is negative.
pub fn table_of_offset<'s>(signature: &'s Signature, param: &Param) -> Option<&'s Param> {
    let Param { name, by_ref, takes_value: _, kind, fields: _, text: _ } = param;
    let of = name.strip_suffix(OFFSET).filter(|_| *kind == Kind::Int && !by_ref)?;
    let mut params = signature.params.iter();
    params.find(|table| table.name == of && table.kind == Kind::Table && table.takes_value)
}

/// Returns whether a parameter of the signature gets the offset of this table.
pub fn knows_offset(signature: &Signature, table: &Param) -> bool {
    let mut params = signature.params.iter();
    params.any(|param| table_of_offset(signature, param).is_some_and(|of| of == table))
}

/// Returns the names of parameters of this kind for which a graph has an offer.
pub fn offered_names(kind: Kind) -> impl Iterator<Item = &'static str> {
    let offers = OFFERS.iter().filter(move |(of_kind, _, _)| *of_kind == kind);
    offers.flat_map(|(_, names, _)| names.iter().copied())
}

impl Offer {
    /// Returns whether it depends on the width of weights.
    pub fn needs_h(self) -> bool {
        match self {
            Offer::PathWidth | Offer::Infinity | Offer::BiasedZero => true,
            Offer::Vertices | Offer::Edges | Offer::CodeWidth | Offer::Both | Offer::Offset => {
                false
            }
            Offer::Layout(layout) => layout.weights() != Weights::None,
        }
    }

    /// Returns the layout if it is one.
    pub fn layout(self) -> Option<Layout> {
        match self {
            Offer::Layout(layout) => Some(layout),
            Offer::Vertices | Offer::Edges | Offer::PathWidth | Offer::CodeWidth => None,
            Offer::Infinity | Offer::BiasedZero | Offer::Both | Offer::Offset => None,
        }
    }

    /// Returns the value for a parameter; unset for [`Offer::Offset`]. The widths that the offer
    /// needs are in `request`.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn value(
        self,
        reading: Reading<'_>,
        graph: &Graph,
        request: LoadRequest<'_>,
    ) -> Result<Value, FileError> {
        let int = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let h = request.widths.h.unwrap_or(0);
        Ok(match self {
            Offer::Vertices => int(graph.n_vertices),
            Offer::Edges => int(graph.n_edges()),
            Offer::PathWidth => int(h),
            Offer::CodeWidth => int(request.widths.b.unwrap_or(0)),
            Offer::Both => Value::Bool(graph.symmetric),
            Offer::Offset => Value::Unset,
            Offer::Infinity => Value::Word(BitVector::from_bools(&vec![true; h])),
            Offer::BiasedZero => {
                let bits: Vec<bool> = (0..h).map(|idx| idx == 0).collect();
                Value::Word(BitVector::from_bools(&bits))
            }
            Offer::Layout(layout) => {
                let layout = AnyLayout::Graph(layout);
                let request = LoadRequest { layout: Some(&layout), ..request };
                return data::from_graph(reading, graph, request);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::examples::{signature, value, var};

    #[test]
    fn names_match_only_with_their_kind() {
        assert_eq!(offer("n", Kind::Int), Some(Offer::Vertices));
        assert_eq!(offer("n", Kind::Word), None);
        assert_eq!(offer("zero", Kind::Word), Some(Offer::BiasedZero));
        assert_eq!(offer("zero", Kind::Int), None);
        assert_eq!(offer("Weight", Kind::Table), Some(Offer::Layout(Layout::WeightsIn)));
        assert_eq!(offer("weight", Kind::Table), Some(Offer::Layout(Layout::Weight)));
        assert_eq!(offer("S", Kind::Slice), Some(Offer::Layout(Layout::Edges)));
        assert_eq!(offer("S", Kind::Table), None);
    }

    #[test]
    fn offsets_belong_to_tables_with_a_value() {
        let table = |name: &str| Param { takes_value: false, ..var(name, Kind::Table) };
        let params = vec![
            value("Z", Kind::Table),
            value("Z_offset", Kind::Int),
            value("X_offset", Kind::Int),
            value("X", Kind::Slice),
            value("R_offset", Kind::Int),
            table("R"),
            value("Y", Kind::Table),
            value("Y_offset", Kind::Word),
        ];
        let signature = signature("P", params);
        let of = |idx: usize| table_of_offset(&signature, &signature.params[idx]);
        assert_eq!(of(1), Some(&signature.params[0]));
        assert_eq!([of(0), of(2), of(4), of(7)], [None; 4]);
        assert!(knows_offset(&signature, &signature.params[0]));
        assert!(!knows_offset(&signature, &signature.params[6]));
    }
}
