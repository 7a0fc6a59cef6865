//! What is written is read back the same, in every format that can hold it.

use proptest::prelude::*;
use star_base::{BitTable, BitVector};
use star_io::{
    Data, Format, Graph, Layout, LayoutValue, OutputRef, ReadOptions, Widths, lay_out, read, write,
};

use crate::support::BUDGET;

/// Sizes at the borders of limbs come up often.
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

/// Writes and reads; the warnings only ever tell of loops.
fn through(format: Format, value: OutputRef<'_>) -> Data {
    let mut bytes = Vec::new();
    write(format, value, &mut bytes).expect("the format holds such values");
    let mut options = ReadOptions::new("f", BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    let loaded = read(format, &mut &bytes[..], &mut options).expect("what we wrote is in order");
    assert!(loaded.warnings.iter().all(|text| text.contains("loop")), "{:?}", loaded.warnings);
    loaded.data
}

/// Tables come back as they are, graphs as their adjacency tables.
fn as_table(data: Data) -> BitTable {
    match data {
        Data::Table(table) => table,
        Data::Graph(graph) => adjacency(&graph),
        other => panic!("{other:?} instead of a table"),
    }
}

fn adjacency(graph: &Graph) -> BitTable {
    let widths = Widths { h: 0, b: 0 };
    match lay_out(Layout::Adjacency, graph, widths, BUDGET, "f") {
        Ok(LayoutValue::Table(table)) => table,
        other => panic!("{other:?} instead of a table"),
    }
}

proptest! {
    #[test]
    fn star_tables_are_exact(table in any_table(), bits in vector()) {
        prop_assert_eq!(through(Format::Stb, OutputRef::Slice(&bits)), Data::Slice(bits.clone()));
        prop_assert_eq!(through(Format::Stb, OutputRef::Word(&bits)), Data::Word(bits.clone()));
        prop_assert_eq!(through(Format::Stb, OutputRef::Table(&table)), Data::Table(table));
    }

    #[test]
    fn matrix_market_holds_any_table(table in any_table()) {
        prop_assert_eq!(as_table(through(Format::MatrixMarket, OutputRef::Table(&table))), table);
    }

    #[test]
    fn matrix_market_holds_slices_as_a_column_and_words_as_a_row(bits in vector()) {
        let column = as_table(through(Format::MatrixMarket, OutputRef::Slice(&bits)));
        prop_assert_eq!((column.n_cols(), column.column(0)), (1, bits.clone()));
        let row = as_table(through(Format::MatrixMarket, OutputRef::Word(&bits)));
        prop_assert_eq!((row.n_rows(), row.row(0)), (1, bits));
    }

    #[test]
    fn graph_formats_hold_square_tables(table in square_table()) {
        for format in [Format::EdgeList, Format::Dimacs, Format::MatrixMarket] {
            prop_assert_eq!(as_table(through(format, OutputRef::Table(&table))), table.clone());
        }
    }
}
