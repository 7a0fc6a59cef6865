//! Codes and offsets that fields share, so that equal values have equal bits in all of them.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::graph::Graph;
use crate::meaning::{Meaning, Texts};
use crate::names::VertexNames;
use crate::numbers::{Field, Numbers};

/// Gives all texts of these lists one set of codes, sorted by their characters if `sorted`, and all
/// numbers of one kind one offset and one width. Unless they are
/// sorted, the texts that are names of `vertices` have the codes of these.
pub fn share_codes(lists: &mut [&mut Numbers], vertices: Option<&Graph>, sorted: bool) {
    let mut all = Texts::default();
    let fields = || lists.iter().flat_map(|list| &list.fields);
    let has_texts = fields().any(|field| matches!(field.meaning, Meaning::Texts(_)));
    if let Some(graph) = vertices.filter(|_| has_texts) {
        (0..graph.n_vertices).for_each(|at| _ = all.add(&graph.name(at).to_string()));
    }
    for field in fields() {
        if let Meaning::Texts(texts) = &field.meaning {
            texts.as_slice().iter().for_each(|text| {
                all.add(text);
            });
        }
    }
    if sorted {
        all.sort();
    }
    // Ranges of the numbers of a kind, and the number of a missing one if there are any.
    let mut ranges: Vec<(Meaning, (i64, i64), Option<i64>)> = Vec::new();
    for field in fields().filter(|field| !matches!(field.meaning, Meaning::Texts(_))) {
        let (Some(least), Some(greatest)) = (field.present().min(), field.present().max()) else {
            continue;
        };
        let missing = field.nodata.filter(|_| field.n_missing() > 0);
        match ranges.iter_mut().find(|(meaning, ..)| *meaning == field.meaning) {
            Some((_, range, any_missing)) => {
                *range = (range.0.min(least), range.1.max(greatest));
                *any_missing = any_missing.or(missing);
            }
            None => ranges.push((field.meaning.clone(), (least, greatest), missing)),
        }
    }
    for field in lists.iter_mut().flat_map(|list| &mut list.fields) {
        if let Meaning::Texts(texts) = &mut field.meaning {
            for code in &mut field.values {
                *code = texts.text(*code).and_then(|text| all.code(text)).unwrap_or(*code);
            }
            texts.clone_from(&all);
        } else {
            let range = ranges.iter().find(|(meaning, ..)| *meaning == field.meaning);
            // All ones remains unused where numbers are missing.
            field.shared = range.map(|&(_, (least, greatest), missing)| {
                (least, greatest.saturating_add(i64::from(missing.is_some())))
            });
            field.nodata = field.nodata.or(range.and_then(|(.., missing)| *missing));
        }
    }
}

/// Gives these graphs one set of vertices: all numbers in ascending order, or all texts in the
/// order of their first appearance, or sorted.
pub fn share_vertices(graphs: &mut [&mut Graph], sorted: bool) {
    let all_numbers =
        graphs.iter().all(|graph| !matches!(graph.names, Some(VertexNames::Texts(_))));
    let names = |graph: &Graph| -> Vec<String> {
        (0..graph.n_vertices).map(|vertex| graph.name(vertex).to_string()).collect()
    };
    let mut shared = Texts::default();
    if all_numbers {
        let numbers = graphs.iter().flat_map(|graph| -> Box<dyn Iterator<Item = u64>> {
            match &graph.names {
                Some(VertexNames::Numbers(numbers)) => Box::new(numbers.iter().copied()),
                Some(VertexNames::Texts(_)) | None => Box::new(1..=graph.n_vertices as u64),
            }
        });
        let numbers: BTreeSet<u64> = numbers.collect();
        numbers.iter().for_each(|number| _ = shared.add(&number.to_string()));
    } else {
        for graph in graphs.iter() {
            names(graph).iter().for_each(|name| _ = shared.add(name));
        }
        if sorted {
            shared.sort();
        }
    }
    for graph in graphs.iter_mut() {
        let rows = names(graph).into_iter().map(|name| shared.code(&name).unwrap_or(1) as u32 - 1);
        let rows: Vec<u32> = rows.collect();
        for arc in &mut graph.arcs {
            (arc.tail, arc.head) = (rows[arc.tail as usize], rows[arc.head as usize]);
        }
        graph.n_vertices = shared.as_slice().len();
        graph.names = VertexNames::of_texts(shared.clone());
    }
}

/// A fingerprint of the codes or of the offset of a field.
#[derive(Clone, Debug)]
pub enum Coding {
    /// The hash of each text, by its code.
    Texts(Vec<u64>),
    /// Numbers of this kind, less the offset.
    Numbers(Meaning, i64),
    /// The codes of the vertices of a graph: the row of a vertex is the code of its name.
    Vertices(Rc<Graph>),
}

impl Coding {
    /// Returns the coding of a field.
    pub fn of(field: &Field) -> Self {
        match &field.meaning {
            Meaning::Texts(texts) => Coding::Texts(texts.as_slice().iter().map(hash).collect()),
            meaning => Coding::Numbers(meaning.clone(), field.offset()),
        }
    }

    /// Returns whether both fields hold values of one kind: texts, numbers of one scale, dates …
    /// Names of vertices are texts; vertices without names are also numbers.
    pub fn is_of_kind(&self, other: &Coding) -> bool {
        match (self, other) {
            (Coding::Texts(_) | Coding::Vertices(_), Coding::Texts(_) | Coding::Vertices(_)) => {
                true
            }
            (Coding::Numbers(meaning, _), Coding::Numbers(other, _)) => meaning == other,
            (Coding::Vertices(graph), Coding::Numbers(meaning, _))
            | (Coding::Numbers(meaning, _), Coding::Vertices(graph)) => {
                graph.names.is_none() && *meaning == Meaning::Number
            }
            (Coding::Texts(_), Coding::Numbers(..)) | (Coding::Numbers(..), Coding::Texts(_)) => {
                false
            }
        }
    }

    /// Returns whether both fields hold values of one kind, and equal values may have different
    /// bits. The codes of texts agree if one list of texts begins with the other.
    pub fn differs(&self, other: &Coding) -> bool {
        match (self, other) {
            (Coding::Texts(texts), Coding::Texts(others)) => {
                texts.iter().zip(others).any(|(text, other)| text != other)
            }
            (Coding::Numbers(_, offset), Coding::Numbers(_, of_other)) => {
                self.is_of_kind(other) && offset != of_other
            }
            (Coding::Vertices(graph), Coding::Vertices(other)) => {
                let n = graph.n_vertices.min(other.n_vertices);
                let is_named = graph.names.is_some() || other.names.is_some();
                let name_differs = |at: usize| match (&graph.names, &other.names) {
                    (Some(VertexNames::Texts(names)), Some(VertexNames::Texts(others))) => {
                        names.as_slice().get(at) != others.as_slice().get(at)
                    }
                    (Some(VertexNames::Numbers(names)), Some(VertexNames::Numbers(others))) => {
                        names.get(at) != others.get(at)
                    }
                    _ => graph.name(at).to_string() != other.name(at).to_string(),
                };
                !Rc::ptr_eq(graph, other) && is_named && (0..n).any(name_differs)
            }
            (Coding::Vertices(graph), Coding::Texts(texts))
            | (Coding::Texts(texts), Coding::Vertices(graph)) => {
                let mut names = (0..graph.n_vertices).zip(texts);
                names.any(|(at, text)| hash(graph.name(at)) != *text)
            }
            (Coding::Vertices(_), Coding::Numbers(_, offset))
            | (Coding::Numbers(_, offset), Coding::Vertices(_)) => {
                self.is_of_kind(other) && *offset != 0
            }
            (Coding::Texts(_), Coding::Numbers(..)) | (Coding::Numbers(..), Coding::Texts(_)) => {
                false
            }
        }
    }

    /// A description of the values.
    pub fn describe(&self) -> String {
        match self {
            Coding::Texts(_) => "codes of texts".to_owned(),
            Coding::Vertices(_) => "codes of vertices".to_owned(),
            Coding::Numbers(meaning, _) => match meaning {
                Meaning::Scaled(scale) => format!("numbers with `scale={scale}`"),
                Meaning::Date => "dates".to_owned(),
                Meaning::Clock => "times".to_owned(),
                Meaning::DateTime => "dates with times".to_owned(),
                Meaning::Number | Meaning::Texts(_) => "numbers".to_owned(),
            },
        }
    }
}

fn hash(text: impl Display) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Shape;

    fn texts(name: &str, cells: &[&str]) -> Field {
        let mut texts = Texts::default();
        let values = cells.iter().map(|cell| texts.add(cell)).collect();
        Field { meaning: Meaning::Texts(texts), ..Field::new(name, None, values) }
    }

    fn list(fields: Vec<Field>) -> Numbers {
        Numbers { shape: Shape::List(3), fields }
    }

    #[test]
    fn shared_codes_are_equal_for_equal_texts() {
        let mut from = list(vec![texts("from", &["B", "A", "B"])]);
        let mut to = list(vec![texts("to", &["A", "A", "C"]), texts("via", &["", "", "C"])]);
        let coding = |list: &Numbers| Coding::of(&list.fields[0]);
        assert!(coding(&from).differs(&coding(&to)));
        share_codes(&mut [&mut from, &mut to], None, false);
        assert!(!coding(&from).differs(&coding(&to)));
        let values = [&from.fields[0], &to.fields[0], &to.fields[1]].map(|it| it.values.clone());
        assert_eq!(values, [[1, 2, 1], [2, 2, 3], [0, 0, 3]]);
        share_codes(&mut [&mut from, &mut to], None, true);
        assert_eq!(
            (&from.fields[0].values[..], &to.fields[0].values[..]),
            (&[2, 1, 2][..], &[1, 1, 3][..])
        );
    }

    #[test]
    fn signed_fields_share_their_offset() {
        let numbers = |values: &[i64]| list(vec![Field::new("x", None, values.to_vec())]);
        let (mut low, mut high) = (numbers(&[-10, 5, -3]), numbers(&[4, 6, -4]));
        let coding = |list: &Numbers| Coding::of(&list.fields[0]);
        assert!(coding(&low).differs(&coding(&high)));
        share_codes(&mut [&mut low, &mut high], None, false);
        assert!(!coding(&low).differs(&coding(&high)));
        let sizes = |list: &Numbers| (list.fields[0].offset(), list.fields[0].least_bits());
        assert_eq!((sizes(&low), sizes(&high)), ((-10, 5), (-10, 5)));
        let (mut a, mut b) = (numbers(&[1, 2, 3]), numbers(&[1, 2, 90]));
        share_codes(&mut [&mut a, &mut b], None, false);
        assert_eq!((sizes(&a), sizes(&b)), ((0, 7), (0, 7)));
    }

    #[test]
    fn missing_numbers_keep_one_code_free_in_all_fields() {
        let mut numbers = list(vec![
            Field { nodata: Some(-1), ..Field::new("a", None, vec![1, -1, 2]) },
            Field::new("b", None, vec![7, 0, 1]),
        ]);
        share_codes(&mut [&mut numbers], None, false);
        let widths = [&numbers.fields[0], &numbers.fields[1]].map(Field::least_bits);
        assert_eq!(widths, [4, 4]);
        // The code of a missing number is that of no number in any of them.
        assert_eq!(numbers.fields[1].nodata, Some(-1));
    }

    #[test]
    fn texts_of_lists_have_the_codes_of_vertices() {
        let graph = |names: &[&str]| {
            let names = VertexNames::of_texts(Texts::of(names.iter().map(|&it| it.to_owned())));
            Rc::new(Graph { n_vertices: 3, names, ..Graph::default() })
        };
        let named = graph(&["b", "a", "c"]);
        let mut cells = list(vec![texts("u", &["a", "d", "b"])]);
        let vertices = Coding::Vertices(Rc::clone(&named));
        let of_list = |list: &Numbers| Coding::of(&list.fields[0]);
        assert!(vertices.differs(&of_list(&cells)) && vertices.is_of_kind(&of_list(&cells)));
        share_codes(&mut [&mut cells], Some(&named), false);
        assert_eq!(cells.fields[0].values, [2, 4, 1]);
        assert!(!vertices.differs(&of_list(&cells)));
        share_codes(&mut [&mut cells], Some(&named), true);
        assert_eq!(cells.fields[0].values, [1, 4, 2]);
        assert!(vertices.differs(&of_list(&cells)));
        let [rows, other] = [graph(&["1", "2", "3"]), graph(&["a", "b", "c"])];
        let [named, rows, other] = [named, rows, other].map(Coding::Vertices);
        let numbers = |least| Coding::of(&Field::new("n", None, vec![least, 3]));
        assert!(named.differs(&other) && named.differs(&rows) && !named.differs(&named.clone()));
        assert!(!named.is_of_kind(&numbers(1)) && rows.is_of_kind(&numbers(1)));
        assert!(!rows.differs(&numbers(1)) && rows.differs(&numbers(-1)));
    }
}
