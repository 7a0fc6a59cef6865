//! Refusal of fields of different parameters whose values could be compared by a program although
//! equal values have different bits: codes of texts and of vertices, and numbers with an offset.
//! Fields of different kinds, such as texts and numbers, have no equal values: they are refused if
//! they have one name, or are the only fields of their parameters.

use std::ops::Range;
use std::rc::Rc;

use star_base::{Code, text};
use star_io::{Coding, FileError, Graph, Layout, Numbers};

use crate::param::Kind;

/// The fields in the value of a parameter.
pub(crate) struct ParamFields {
    param: String,
    kind: Kind,
    file: String,
    fields: Vec<CodedField>,
}

struct CodedField {
    name: String,
    width: usize,
    coding: Coding,
    /// Whether there is a column for each value, as in a matrix of a graph, and not its code.
    is_matrix: bool,
}

impl ParamFields {
    /// Creates the fields in this range, with their widths.
    pub(crate) fn new(
        param: &str,
        kind: Kind,
        file: &str,
        numbers: &Numbers,
        range: Range<usize>,
        widths: &[usize],
    ) -> Self {
        let fields = numbers.fields.get(range).unwrap_or_default().iter().zip(widths);
        let fields = fields.map(|(field, &width)| CodedField {
            name: field.name.clone(),
            width,
            coding: Coding::of(field),
            is_matrix: false,
        });
        let (param, file) = (param.to_owned(), file.to_owned());
        ParamFields { param, kind, file, fields: fields.collect() }
    }

    /// Gives the fields of these names the codes of the vertices of a graph.
    pub(crate) fn with_vertices(mut self, graph: &Rc<Graph>, names: &[&str]) -> Self {
        for field in self.fields.iter_mut().filter(|field| names.contains(&field.name.as_str())) {
            field.coding = Coding::Vertices(Rc::clone(graph));
        }
        self
    }

    /// Creates the codes of vertices, of `b` bits, in this layout of a graph, or its columns.
    pub(crate) fn of_graph(
        param: &str,
        kind: Kind,
        file: &str,
        graph: &Rc<Graph>,
        layout: Layout,
        b: usize,
    ) -> Self {
        let field = |name: &str, width, is_matrix| CodedField {
            name: name.to_owned(),
            width,
            coding: Coding::Vertices(Rc::clone(graph)),
            is_matrix,
        };
        let fields = match layout {
            _ if !matches!(kind, Kind::Table | Kind::Word) => Vec::new(),
            Layout::Left | Layout::Right | Layout::Code | Layout::CodeDouble => {
                vec![field(layout.name(), b, false)]
            }
            Layout::Arcs => vec![field("left", b, false), field("right", b, false)],
            Layout::Adjacency
            | Layout::WeightsOut
            | Layout::SignedOut
            | Layout::WeightsIn
            | Layout::Distances
            | Layout::Incidence
            | Layout::Tails
            | Layout::Heads => vec![field("vertices", graph.n_vertices, true)],
            Layout::Weight | Layout::Edges => Vec::new(),
        };
        let (param, file) = (param.to_owned(), file.to_owned());
        ParamFields { param, kind, file, fields }
    }

    /// Returns whether a field has the same name and no other coding here.
    fn has(&self, field: &CodedField) -> bool {
        let is_same = |own: &CodedField| {
            own.name == field.name
                && own.coding.is_of_kind(&field.coding)
                && !own.coding.differs(&field.coding)
        };
        self.fields.iter().any(is_same)
    }
}

/// Refuses fields of two parameters that have one width and different codings, unless one of them
/// is also a field of the other parameter. The code of a value must be that of a field of a table.
/// With codes that are `shared`, equal values of one kind have equal bits; but sorted texts may not
/// have the codes of vertices.
///
/// # Errors
/// E0507 with the settings that say what is meant.
pub(crate) fn check(params: &[ParamFields], shared: bool) -> Result<(), FileError> {
    let tables = || params.iter().filter(|param| param.kind == Kind::Table);
    for (idx, second) in params.iter().enumerate() {
        for first in &params[..idx] {
            let is_word = |param: &ParamFields| param.kind != Kind::Table;
            if is_word(first) && is_word(second) {
                continue;
            }
            let are_single = first.fields.len() == 1 && second.fields.len() == 1;
            for field in &second.fields {
                let other = first.fields.iter().find(|other| {
                    let is_refused = match field.coding.is_of_kind(&other.coding) {
                        true => field.coding.differs(&other.coding),
                        false => are_single || field.name == other.name,
                    };
                    other.width == field.width
                        && other.is_matrix == field.is_matrix
                        && is_refused
                        && !first.has(field)
                        && !second.has(other)
                        && !(is_word(first) && tables().any(|table| table.has(other)))
                        && !(is_word(second) && tables().any(|table| table.has(field)))
                });
                if let Some(other) = other {
                    return Err(refusal((first, other), (second, field), shared));
                }
            }
        }
    }
    Ok(())
}

fn refusal(
    (first, other): (&ParamFields, &CodedField),
    (second, field): (&ParamFields, &CodedField),
    shared: bool,
) -> FileError {
    let name = |of: &ParamFields, field: &CodedField| match field.coding {
        Coding::Vertices(_) => format!("the vertices for `{}`", of.param),
        Coding::Texts(_) | Coding::Numbers(..) => {
            format!("field `{}` for `{}`", text::one_line(&field.name), of.param)
        }
    };
    let (other_name, field_name) = (name(first, other), name(second, field));
    if !field.coding.is_of_kind(&other.coding) {
        let values = |field: &CodedField| match field.coding {
            Coding::Vertices(_) => format!("have {}", field.coding.describe()),
            Coding::Texts(_) | Coding::Numbers(..) => format!("holds {}", field.coding.describe()),
        };
        let message = format!("{other_name} {}, and {field_name} {}", values(other), values(field));
        return FileError::new(Code::NoSuchLayout, &second.file, message)
            .note("a comparison of their bits has no meaning")
            .help("`texts=FIELD` reads numbers as texts, `scale=NUMBER` scales all fields alike")
            .help("`codes=own` is for programs that do not compare these fields");
    }
    let what = match (&field.coding, &other.coding) {
        (Coding::Numbers(..), _) | (_, Coding::Numbers(..)) => "offsets",
        (Coding::Vertices(_), Coding::Vertices(_)) if field.is_matrix => "orders",
        (Coding::Vertices(_), _) | (_, Coding::Vertices(_)) => "codes",
        (Coding::Texts(_), Coding::Texts(_)) => "codes of texts",
    };
    let message = format!("{other_name} and {field_name} have different {what}");
    let error = FileError::new(Code::NoSuchLayout, &second.file, message).note(
        "equal values have different bits in fields of one width: a comparison would be wrong",
    );
    let help = match shared {
        true => "`order=first` gives texts the codes of the vertices with these names",
        false => "`codes=shared` gives equal values the same bits in all fields",
    };
    error
        .help(help)
        .help("`codes=own` keeps different ones, for programs that do not compare these fields")
}

#[cfg(test)]
mod tests {
    use star_io::{Field, Meaning, Shape};

    use super::*;

    fn numbers(param: &str, kind: Kind, fields: &[(&str, i64, usize)]) -> ParamFields {
        let field = |&(name, least, _): &(&str, i64, usize)| Field::new(name, None, vec![least, 9]);
        let widths: Vec<usize> = fields.iter().map(|(_, _, width)| *width).collect();
        let fields = fields.iter().map(field).collect();
        let numbers = Numbers { shape: Shape::List(2), fields };
        ParamFields::new(param, kind, "f.csv", &numbers, 0..widths.len(), &widths)
    }

    #[test]
    fn different_offsets_of_one_width_are_refused() {
        let table = |param, fields: &[_]| numbers(param, Kind::Table, fields);
        let low = || table("A", &[("low", -10, 8)]);
        let refused = |params: &[ParamFields]| check(params, false).is_err();
        assert!(refused(&[low(), table("B", &[("high", -4, 8)])]));
        assert!(refused(&[low(), table("B", &[("high", 4, 8)])]));
        assert!(!refused(&[low(), table("B", &[("high", -10, 8)])]));
        assert!(!refused(&[low(), table("B", &[("high", -4, 9)])]));
        // Fields of one table are not compared with each other here.
        assert!(!refused(&[table("T", &[("low", -10, 8), ("high", -4, 8)])]));
        assert!(!refused(&[low(), table("T", &[("low", -10, 8), ("high", -4, 8)])]));
        let word = |name, least| numbers("v", Kind::Word, &[(name, least, 8)]);
        assert!(!refused(&[table("T", &[("low", -10, 8), ("high", -4, 8)]), word("high", -4)]));
        assert!(refused(&[low(), word("high", -4)]));
    }

    #[test]
    fn fields_of_different_kinds_are_refused_if_a_program_must_compare_them() {
        let of = |param, name: &str, meaning: Meaning| {
            let field = |name: &str, meaning| Field { meaning, ..Field::new(name, None, vec![1]) };
            let fields = vec![field(name, meaning), field("other", Meaning::Number)];
            let numbers = Numbers { shape: Shape::List(1), fields };
            move |n: usize| ParamFields::new(param, Kind::Table, "f.csv", &numbers, 0..n, &[5, 6])
        };
        let texts = of("A", "zip", Meaning::Texts(star_io::Texts::of(["x".to_owned()])));
        let numbers = of("B", "zip", Meaning::Number);
        let others = of("B", "age", Meaning::Number);
        let scaled = of("B", "age", Meaning::Scaled(star_io::Decimal::whole(10)));
        for shared in [false, true] {
            let refused = |params: [ParamFields; 2]| check(&params, shared).is_err();
            assert!(refused([texts(1), numbers(1)]) && refused([texts(2), numbers(2)]));
            assert!(refused([texts(1), others(1)]) && !refused([texts(2), others(2)]));
            assert!(refused([others(1), scaled(1)]) && !refused([scaled(1), scaled(1)]));
        }
    }

    #[test]
    fn codes_of_vertices_are_compared_with_those_of_texts() {
        let texts = |names: [&str; 2]| star_io::Texts::of(names.map(str::to_owned));
        let graph = |names| {
            let names = Some(star_io::VertexNames::Texts(texts(names)));
            Rc::new(Graph { n_vertices: 2, names, ..Graph::default() })
        };
        let of = |param, layout, names, b| {
            ParamFields::of_graph(param, Kind::Table, "g.csv", &graph(names), layout, b)
        };
        let list = |names| {
            let meaning = Meaning::Texts(texts(names));
            let field = Field { meaning, ..Field::new("u", None, vec![1]) };
            let numbers = Numbers { shape: Shape::List(1), fields: vec![field] };
            ParamFields::new("B", Kind::Table, "f.csv", &numbers, 0..1, &[2])
        };
        let (ab, ba) = (["a", "b"], ["b", "a"]);
        let left = |names| of("A", Layout::Left, names, 2);
        let refused = |params: &[ParamFields]| check(params, false).is_err();
        assert!(refused(&[left(ab), of("B", Layout::Right, ba, 2)]));
        assert!(!refused(&[left(ab), of("B", Layout::Right, ab, 2)]));
        assert!(!refused(&[left(ab), of("B", Layout::Right, ba, 3)]));
        assert!(refused(&[left(ab), of("B", Layout::Arcs, ba, 2)]));
        assert!(refused(&[left(ab), list(ba)]) && !refused(&[left(ab), list(ab)]));
        // The columns of a matrix are no codes.
        let matrix = |names| of("A", Layout::Adjacency, names, 2);
        assert!(refused(&[matrix(ab), of("B", Layout::WeightsIn, ba, 2)]));
        assert!(!refused(&[matrix(ab), of("B", Layout::Right, ba, 2), list(ba)]));
        assert!(!refused(&[of("A", Layout::Weight, ab, 2), list(ba)]));
        let error = check(&[left(ab), list(ba)], true).unwrap_err();
        assert!(error.help[0].contains("`order=first`"), "{error:?}");
    }
}
