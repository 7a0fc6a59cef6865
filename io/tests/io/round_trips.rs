//! Round trips through every format that can hold the value.

use proptest::prelude::*;
use star_base::Code;
use star_io::{
    Arc, Data, Field, Format, Graph, Layout, LayoutValue, Numbers, OutputRef, ReadOptions, Shape,
    VertexNames, Widths, lay_out, read, write,
};
use star_value::{BitTable, BitVector, BitsRef, SparseLines, SparseTable, Table};

use crate::support::BUDGET;

/// Sizes at limb boundaries are frequent.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..10, 62usize..67, 126usize..131]
}

fn bits(len: usize) -> impl Strategy<Value = BitVector> {
    prop::collection::vec(any::<bool>(), len).prop_map(|bits| BitVector::from_bools(&bits))
}

fn vector() -> impl Strategy<Value = BitVector> {
    size().prop_flat_map(bits)
}

fn table(n_rows: usize, n_cols: usize) -> impl Strategy<Value = BitTable> {
    let columns = prop::collection::vec(bits(n_rows), n_cols);
    columns.prop_map(move |columns| BitTable::from_columns(n_rows, &columns))
}

fn any_table() -> impl Strategy<Value = BitTable> {
    (size(), size()).prop_flat_map(|(n_rows, n_cols)| table(n_rows, n_cols))
}

fn square_table() -> impl Strategy<Value = BitTable> {
    size().prop_flat_map(|n| table(n, n))
}

fn graph(symmetric: bool) -> impl Strategy<Value = Graph> {
    (1usize..20, any::<bool>()).prop_flat_map(move |(n_vertices, weighted)| {
        let end = 0..n_vertices as u32;
        let weight = if weighted { any::<i64>().boxed() } else { Just(1).boxed() };
        let arcs = prop::collection::vec((end.clone(), end, weight), 1..30);
        arcs.prop_map(move |arcs| {
            let arcs = arcs.into_iter().map(|(tail, head, weight)| match symmetric {
                true => Arc { tail: tail.max(head), head: tail.min(head), weight },
                false => Arc { tail, head, weight },
            });
            Graph { n_vertices, arcs: arcs.collect(), weighted, symmetric, ..Graph::default() }
        })
    })
}

fn numbers_in(
    values: std::ops::RangeInclusive<i64>,
    n_fields: std::ops::Range<usize>,
) -> impl Strategy<Value = Numbers> {
    (0usize..20, n_fields).prop_flat_map(move |(len, n_fields)| {
        let values = prop::collection::vec(values.clone(), len);
        let bits = prop::option::of(64usize..100);
        let field = ("[a-z0-9:,\" ]{0,3}[a-z0-9]", bits, values)
            .prop_map(|(name, bits, values)| Field::new(name.trim(), bits, values));
        prop::collection::vec(field, n_fields)
            .prop_map(move |fields| Numbers { shape: Shape::List(len), fields })
    })
}

/// The graph that remains in a directed or always weighted format.
fn directed(graph: &Graph, weighted: bool) -> Graph {
    let arcs = graph.directed_arcs().collect();
    Graph { arcs, symmetric: false, weighted, ..graph.clone() }
}

/// Writes and reads; warnings may only concern loops and parallel arcs.
fn through(format: Format, value: OutputRef<'_>) -> Data {
    let mut bytes = Vec::new();
    write(format, value, &mut bytes).expect("the format holds such values");
    let mut options = ReadOptions::new("f", BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    let loaded = read(format, &mut &bytes[..], &mut options).expect("what we wrote is in order");
    let harmless = |text: &String| text.contains("loop") || text.contains("parallel");
    assert!(loaded.warnings.iter().all(harmless), "{:?}", loaded.warnings);
    loaded.data
}

/// Tables stay tables, graphs give their adjacency tables.
fn as_table(data: Data) -> BitTable {
    match data {
        Data::Table(Table::Columns(table)) => table,
        Data::Graph(graph) => adjacency(&graph),
        other => panic!("{other:?} instead of a table"),
    }
}

fn adjacency(graph: &Graph) -> BitTable {
    let widths = Widths { h: 0, b: 0 };
    match lay_out(Layout::Adjacency, graph, widths, BUDGET, "f") {
        Ok(LayoutValue::Table(Table::Columns(table))) => table,
        other => panic!("{other:?} instead of a table"),
    }
}

proptest! {
    #[test]
    fn star_tables_round_trip_exactly(table in any_table(), bits in vector()) {
        prop_assert_eq!(through(Format::Stb, OutputRef::Bits(BitsRef::Slice(&bits))), Data::Slice(bits.clone()));
        prop_assert_eq!(through(Format::Stb, OutputRef::Bits(BitsRef::Word(&bits))), Data::Word(bits.clone()));
        prop_assert_eq!(through(Format::Stb, OutputRef::Bits(BitsRef::from(&table))), Data::Table(table.into()));
    }

    #[test]
    fn matrix_market_round_trips_any_table(table in any_table()) {
        prop_assert_eq!(as_table(through(Format::MatrixMarket, OutputRef::Bits(BitsRef::from(&table)))), table);
    }

    #[test]
    fn matrix_market_holds_slices_as_columns_and_words_as_rows(bits in vector()) {
        let column = as_table(through(Format::MatrixMarket, OutputRef::Bits(BitsRef::Slice(&bits))));
        prop_assert_eq!((column.n_cols(), column.column(0)), (1, bits.clone()));
        let row = as_table(through(Format::MatrixMarket, OutputRef::Bits(BitsRef::Word(&bits))));
        prop_assert_eq!((row.n_rows(), row.row(0)), (1, bits));
    }

    #[test]
    fn graph_formats_hold_square_tables(table in square_table()) {
        for format in [Format::EdgeList, Format::Dimacs, Format::MatrixMarket] {
            prop_assert_eq!(as_table(through(format, OutputRef::Bits(BitsRef::from(&table)))), table.clone());
        }
    }

    #[test]
    fn graph_formats_hold_graphs(graph in prop_oneof![graph(false), graph(true)]) {
        let value = OutputRef::Graph(&graph);
        prop_assert_eq!(through(Format::MatrixMarket, value), Data::Graph(graph.clone()));
        let list = directed(&graph, graph.weighted);
        prop_assert_eq!(through(Format::EdgeList, value), Data::Graph(list));
        prop_assert_eq!(through(Format::Dimacs, value), Data::Graph(directed(&graph, true)));
    }
}

proptest! {
    #[test]
    fn metis_holds_undirected_graphs(graph in graph(true)) {
        let mut graph = graph;
        graph.arcs.retain(|arc| arc.tail != arc.head);
        let Data::Graph(mut found) = through(Format::Metis, OutputRef::Graph(&graph)) else {
            panic!("no graph")
        };
        let key = |arc: &Arc| (arc.tail, arc.head, arc.weight);
        found.arcs.sort_unstable_by_key(key);
        graph.arcs.sort_unstable_by_key(key);
        prop_assert_eq!(found, graph);
    }

    #[test]
    fn csv_holds_unsigned_integers(numbers in numbers_in(0..=i64::MAX, 1..4)) {
        let found = through(Format::Csv, OutputRef::Numbers(&numbers));
        prop_assert_eq!(found, Data::Numbers(numbers));
    }

    #[test]
    fn coordinates_hold_two_fields(numbers in numbers_in(i64::MIN..=i64::MAX, 2..3)) {
        let mut numbers = numbers;
        for (field, name) in numbers.fields.iter_mut().zip(["x", "y"]) {
            field.name = name.to_owned();
            field.bits = None;
        }
        let found = through(Format::Coordinates, OutputRef::Numbers(&numbers));
        prop_assert_eq!(found, Data::Numbers(numbers));
    }

    #[test]
    fn maps_hold_tables(table in any_table()) {
        let Data::Numbers(found) = through(Format::Map, OutputRef::Bits(BitsRef::from(&table))) else {
            panic!("no numbers")
        };
        let (height, width) = (table.n_rows(), table.n_cols());
        prop_assert_eq!(found.shape, Shape::Grid { height, width });
        let bits = |cell: usize| i64::from(table.get(cell / width, cell % width));
        let expected: Vec<i64> = (0..height * width).map(bits).collect();
        prop_assert_eq!(&found.fields[0].values, &expected);
    }
}

#[test]
fn vertex_labels_survive_in_edge_lists() {
    let arcs = vec![Arc { tail: 1, head: 0, weight: 5 }, Arc { tail: 1, head: 2, weight: 6 }];
    let names = Some(VertexNames::Numbers(vec![10, 20, 1 << 40]));
    let graph = Graph { n_vertices: 3, arcs, weighted: true, names, ..Graph::default() };
    let mut bytes = Vec::new();
    write(Format::EdgeList, OutputRef::Graph(&graph), &mut bytes).unwrap();
    let found = read(Format::EdgeList, &mut &bytes[..], &mut ReadOptions::new("f", BUDGET));
    assert_eq!(found.unwrap().data, Data::Graph(graph.clone()));
    // A vertex without an arc does not occur in a list: the labels of the others have priority.
    let names = Some(VertexNames::Numbers(vec![10, 20, 30, 40]));
    let loose = Graph { n_vertices: 4, names, ..graph };
    let mut bytes = Vec::new();
    write(Format::EdgeList, OutputRef::Graph(&loose), &mut bytes).unwrap();
    assert_eq!(bytes, b"# Nodes: 4 Edges: 2\n20 10 5\n20 30 6\n");
}

#[test]
fn unsupported_values_are_rejected() {
    let stray = Arc { tail: 0, head: 7, weight: 1 };
    let graph = Graph { n_vertices: 1, arcs: vec![stray], ..Graph::default() };
    let field = Field::new("x", None, vec![1, 2]);
    let numbers = Numbers { shape: Shape::List(2), fields: vec![field] };
    for format in [Format::MatrixMarket, Format::EdgeList, Format::Dimacs, Format::Stb] {
        let code = |value| write(format, value, &mut Vec::new()).unwrap_err().code;
        assert_eq!(code(OutputRef::Numbers(&numbers)), Code::NoSuchLayout, "{format:?}");
        let expected = if format == Format::Stb { Code::NoSuchLayout } else { Code::OutOfRange };
        assert_eq!(code(OutputRef::Graph(&graph)), expected, "{format:?}");
    }
}

/// A symmetric table without ones on the diagonal, which graph formats can hold.
fn mirrored_table() -> impl Strategy<Value = BitTable> {
    size().prop_flat_map(|n| table(n, n)).prop_map(|mut table| {
        for row in 0..table.n_rows() {
            table.put(row, row, false);
            (0..row).for_each(|col| table.put(row, col, table.get(col, row)));
        }
        table
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn forms_of_a_table_are_written_alike(columns in prop_oneof![mirrored_table(), any_table()]) {
        let rows: Vec<BitVector> = (0..columns.n_rows()).map(|row| columns.row(row)).collect();
        let rows = BitTable::from_columns(columns.n_cols(), &rows);
        let sparse = |lines: &BitTable, by_rows| {
            Table::from(SparseTable { lines: SparseLines::of_columns(lines).unwrap(), by_rows })
        };
        let sparse = [sparse(&columns, false), sparse(&rows, true)];
        let dense = [Table::from(columns), Table::of_lines(rows, true)];
        let mut n_written = 0;
        for &format in Format::ALL {
            let written = |table: &Table| {
                let mut bytes = Vec::new();
                let value = OutputRef::Bits(BitsRef::Table(table.view()));
                write(format, value, &mut bytes).ok().map(|()| bytes)
            };
            let expected = written(&dense[0]);
            prop_assert_eq!(&written(&dense[1]), &expected, "{:?}", format);
            // A Star table stores whether it is sparse, and by what.
            for table in sparse.iter().filter(|_| format != Format::Stb) {
                prop_assert_eq!(&written(table), &expected, "{:?}", format);
            }
            n_written += usize::from(expected.is_some());
        }
        prop_assert!(n_written > 4);
    }
}
