//! Update streams.

use proptest::prelude::*;
use star_base::Code::{BadFormat, NoSuchLayout, OutOfRange, Truncated, WidthTooSmall};
use star_io::Format::Updates;
use star_io::updates::FIELDS;
use star_io::{
    Data, Field, FileError, Format, GraphSizes, LoadedFile, Numbers, OutputRef, Packing,
    ReadOptions, Shape, Update, read, write, write_packed,
};

use crate::support::{BUDGET, check_wording, fields, load, numbers, refuses};

/// Every kind of line.
const ALL: &str = "%%StarUpdates 9\n\n# c\n+ 1 2 5\n  - 2 1 # c\n= 1 2 6\n+ 9\n- 3\n? 4 4\n?\t4\n?";

/// The records of a valid stream.
fn records(text: &str) -> Vec<[i64; 4]> {
    let (found, notes) = numbers(Updates, text);
    assert_eq!(notes, [""; 0]);
    records_of(&found)
}

fn records_of(numbers: &Numbers) -> Vec<[i64; 4]> {
    let record = |row: usize| std::array::from_fn(|idx| numbers.fields[idx].values[row]);
    (0..numbers.shape.n_records()).map(record).collect()
}

#[test]
fn every_line_is_a_record() {
    let expected = [
        [0; 4],
        [0; 4],
        [0; 4],
        [1, 1, 2, 5],
        [2, 2, 1, 0],
        [3, 1, 2, 6],
        [4, 9, 0, 0],
        [5, 3, 0, 0],
        [6, 4, 4, 0],
        [7, 4, 0, 0],
        [8, 0, 0, 0],
    ];
    assert_eq!(records(ALL), expected);
    assert_eq!(records(&ALL.replace('\n', "\r\n")), expected);
    assert_eq!(records(&format!("\u{feff}{ALL}\n")), expected);
    assert_eq!(records("+ 1 2\n"), [[1, 1, 2, 1]]);
    assert_eq!(records("%%starupdates % c\n"), [[0; 4]]);
    assert_eq!(records("% c\n? % c\n  "), [[0; 4], [8, 0, 0, 0], [0; 4]]);
}

#[test]
fn widths_come_from_the_stream_or_the_graph() {
    let widths = |text: &str, graph: GraphSizes| {
        let mut options = ReadOptions::new("f", BUDGET);
        options.graph = graph;
        match read(Updates, &mut text.as_bytes(), &mut options).expect("in order").data {
            Data::Numbers(numbers) => {
                let found: Vec<Option<usize>> = fields(&numbers).iter().map(|f| f.1).collect();
                assert!(fields(&numbers).iter().map(|f| f.0).eq(FIELDS));
                found.into_iter().flatten().collect::<Vec<usize>>()
            }
            other => panic!("{other:?} instead of numbers"),
        }
    };
    let none = GraphSizes::default();
    assert_eq!(widths(ALL, none), [4, 4, 4, 3]);
    assert_eq!(widths("%%StarUpdates 1000\n+ 1 2 7\n", none), [4, 10, 10, 4]);
    assert_eq!(widths("? 3\n", none), [4, 2, 2, 1]);
    let graph = GraphSizes { n_vertices: Some(12), b: Some(4), h: Some(9) };
    assert_eq!(widths(ALL, graph), [4, 4, 4, 9]);
}

#[test]
fn bad_lines_are_rejected_at_their_place() {
    refuses(
        Updates,
        &[
            (b"", Truncated, 1, 1, "no operation"),
            (b"# c\n\n", Truncated, 3, 1, "no operation"),
            (b"+ 1 2\n* 1 2\n", BadFormat, 2, 1, "unknown operation `*`"),
            (b"+1 2\n", BadFormat, 1, 1, "unknown operation `+1`"),
            (b"p sp 3 2\n", BadFormat, 1, 1, "unknown operation `p`"),
            (b"+\n", BadFormat, 1, 2, "expected the vertex, found the end of the line"),
            (b"= 1\n", BadFormat, 1, 4, "expected the second vertex, found the end of the line"),
            (b"= 1 2", Truncated, 1, 6, "expected the weight, found the end of the file"),
            (b"+ 1 2 3 4\n", BadFormat, 1, 9, "expected the end of the line, found `4`"),
            (b"- 1 2 3\n", BadFormat, 1, 7, "expected the end of the line, found `3`"),
            (b"? 1 2 3\n", BadFormat, 1, 7, "expected the end of the line, found `3`"),
            (b"? 1\n? 0 2\n", OutOfRange, 2, 3, "the vertex is 0"),
            (b"- -1\n", OutOfRange, 1, 3, "negative"),
            (b"- 4294967296\n", OutOfRange, 1, 3, "exceeds 32 bits"),
            (b"- x\n", BadFormat, 1, 3, "`x` is not a whole number"),
            (b"+ 1 2 3\n+ 2 3\n", BadFormat, 2, 6, "no weight, but the lines before have one"),
            (b"+ 1 2\n+ 2 3 4\n", BadFormat, 2, 7, "a weight, but the lines before have none"),
            (b"+ 1 2\n= 2 3 4\n", BadFormat, 2, 7, "a weight, but the lines before have none"),
            (b"+ 1 2 -3\n", OutOfRange, 1, 7, "negative"),
            (b"+ 1 2 9223372036854775808\n", OutOfRange, 1, 7, "exceeds 63 bits"),
            (b"+ 1 2 2.5\n", BadFormat, 1, 7, "`2.5` is not a whole number"),
            (
                b"%%StarUpdates 5\n? 1\n? 2 6\n",
                OutOfRange,
                3,
                5,
                "exceeds the 5 vertices of the first",
            ),
            (b"%%StarUpdates 4294967296\n", OutOfRange, 1, 15, "exceeds 32 bits"),
            (b"%%StarUpdates 5 6\n", BadFormat, 1, 17, "expected the end of the line, found `6`"),
        ],
    );
}

/// Reads for a graph with five vertices and weights of four bits; returns the error.
fn refused(text: &str) -> FileError {
    let mut options = ReadOptions::new("f", BUDGET);
    options.graph = GraphSizes { n_vertices: Some(5), b: Some(3), h: Some(4) };
    let error = read(Updates, &mut text.as_bytes(), &mut options).expect_err(text);
    check_wording(&error);
    error
}

#[test]
fn elements_outside_the_graph_are_rejected_at_their_place() {
    let error = refused("+ 1 5 14\n- 2 6\n");
    assert_eq!((error.code, error.line, error.column), (OutOfRange, Some(2), Some(5)));
    assert_eq!(error.message, "the second vertex 6 exceeds the 5 vertices of the graph");
    // The first line applies if its number is smaller.
    assert!(
        refused("%%StarUpdates 4\n? 5\n").message.ends_with("the 4 vertices of the first line")
    );
    assert!(refused("%%StarUpdates 9\n? 6\n").message.ends_with("the 5 vertices of the graph"));
    // The greatest weight determines the required width.
    let error = refused("+ 1 5 15\n+ 1 2 70\n= 1 2 20\n");
    assert_eq!((error.code, error.line, error.column), (WidthTooSmall, Some(2), Some(7)));
    assert_eq!(error.message, "the weight 70 must be below infinity, and `h = 4` is too small");
    assert_eq!(error.help, ["use `h = 7` or more"]);
}

#[test]
fn streams_are_detected_by_content() {
    for text in [ALL, "+ 1 2\n", "# c\n\n? \n", "?", "%%STARUPDATES", "- 7\n", "=\t1 2 3"] {
        assert_eq!(Format::detect(text.as_bytes()), Some(Updates), "{text:?}");
        for name in ["s.txt", "s", "s.gr", "s.updates"] {
            assert_eq!(Format::of_file(name, text.as_bytes()), Ok(Updates), "{name}, {text:?}");
        }
    }
    for text in ["1 2\n+ 1 2\n", "-1 2\n", "+x\n", "?,a\n", "% StarUpdates\n1 2\n", "- a\n", ""] {
        assert_ne!(Format::detect(text.as_bytes()), Some(Updates), "{text:?}");
    }
    assert_eq!(Format::of_path("s.updates.gz"), Some(Updates));
}

#[test]
fn only_streams_are_written_as_streams() {
    let (found, _) = numbers(Updates, ALL);
    let written = |numbers: &Numbers| {
        let mut bytes = Vec::new();
        write(Updates, OutputRef::Numbers(numbers), &mut bytes).map(|()| bytes)
    };
    let text = "%%StarUpdates\n\n\n+ 1 2 5\n- 2 1\n= 1 2 6\n+ 9\n- 3\n? 4 4\n? 4\n?\n";
    assert_eq!(String::from_utf8(written(&found).unwrap()).unwrap(), text);
    let mut other = found.clone();
    other.fields[3].name = "height".to_owned();
    assert_eq!(written(&other).unwrap_err().code, NoSuchLayout);
    let mut wrong = found.clone();
    wrong.fields[1].values[9] = 0;
    let error = written(&wrong).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (OutOfRange, "record 10 is not an operation of a stream")
    );
    let grid = Numbers { shape: Shape::Grid { height: 11, width: 1 }, ..found };
    check_wording(&written(&grid).unwrap_err());
}

/// Any line, with or without weights.
fn update(weighted: bool) -> impl Strategy<Value = Update> {
    let vertex = || prop_oneof![1u32..20, Just(u32::MAX)];
    let weight = if weighted { (0..=i64::MAX).boxed() } else { Just(1).boxed() };
    prop_oneof![
        Just(Update::Nothing),
        (vertex(), vertex(), weight.clone()).prop_map(|(tail, head, weight)| Update::InsertArc {
            tail,
            head,
            weight
        }),
        (vertex(), vertex(), weight).prop_map(move |(tail, head, weight)| match weighted {
            true => Update::SetWeight { tail, head, weight },
            false => Update::DeleteArc { tail, head },
        }),
        (vertex(), vertex()).prop_map(|(tail, head)| Update::DeleteArc { tail, head }),
        vertex().prop_map(Update::InsertVertex),
        vertex().prop_map(Update::DeleteVertex),
        (vertex(), vertex()).prop_map(|(first, second)| Update::AskPair(first, second)),
        vertex().prop_map(Update::AskVertex),
        Just(Update::AskAll),
    ]
}

proptest! {
    #[test]
    fn streams_round_trip(
        updates in any::<bool>().prop_flat_map(|w| prop::collection::vec(update(w), 1..30)),
        packed in any::<bool>(),
    ) {
        let records: Vec<[i64; 4]> = updates.iter().map(|update| update.record()).collect();
        let fields = FIELDS.iter().enumerate().map(|(idx, name)| Field::new(*name, None, records.iter().map(|record| record[idx]).collect()));
        let numbers = Numbers { shape: Shape::List(records.len()), fields: fields.collect() };
        let packing = if packed { Packing::Gzip } else { Packing::Plain };
        let mut bytes = Vec::new();
        write_packed(Updates, packing, OutputRef::Numbers(&numbers), &mut bytes, &mut || true)
            .unwrap();
        prop_assert_eq!(Format::of_file("f.txt", &bytes), Ok(Updates));
        match load(Updates, &bytes).map(|LoadedFile { data, .. }| data) {
            Ok(Data::Numbers(found)) => prop_assert_eq!(records_of(&found), records),
            other => panic!("{other:?} instead of numbers"),
        }
    }
}
