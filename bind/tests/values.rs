//! Tests of binding and reading by a caller without a file system: files in memory, notes in a
//! list.

#![allow(
    clippy::result_large_err,
    reason = "an error is created at most once per file, and its fields are public"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;

use star_base::Code;
use star_bind::request::read_value;
use star_bind::{
    Files, Kind, LoadedArguments, Observer, OpenFile, Param, Reading, Settings, Signature,
    UnknownNames, bind, load,
};
use star_io::FileError;
use star_value::{BitTable, BitVector, SparseWish, Table, TableForm, TableWish, Value};
use star_vm::{Cpu, Part, Reference, Wanted, erase};

/// Three vertices, two arcs; the width of their paths is 10 bits.
const ROAD: &str = "p sp 3 2\na 1 2 70\na 2 3 200\n";

/// Files in memory.
struct Shelf(BTreeMap<&'static str, &'static str>);

impl Files for Shelf {
    fn exists(&self, file: &str) -> bool {
        self.0.contains_key(file)
    }

    fn open(&self, file: &str) -> Result<OpenFile, FileError> {
        let text = self.0.get(file);
        let text = text.ok_or_else(|| FileError::new(Code::CannotOpen, file, "no such file"))?;
        Ok(OpenFile {
            input: Box::new(Cursor::new(text.as_bytes())),
            n_bytes: Some(text.len() as u64),
            at: None,
            progress: Box::new(|_| {}),
        })
    }
}

/// Records the notes that it receives.
#[derive(Default)]
struct Ears {
    heard: RefCell<Vec<String>>,
    stop: Cell<Option<Code>>,
}

impl Observer for Ears {
    fn stop(&self) -> Option<Code> {
        self.stop.get()
    }

    fn note(&self, message: &str) {
        self.heard.borrow_mut().push(message.to_owned());
    }

    fn warning(&self, message: &str) {
        self.heard.borrow_mut().push(format!("warning: {message}"));
    }
}

fn shelf() -> Shelf {
    Shelf(BTreeMap::from([("road.gr", ROAD), ("cars.csv", "speed,weight\n3,9\n1,4\n")]))
}

/// Binds and reads the arguments of a routine with these parameters.
fn values(
    params: Vec<Param>,
    arguments: &[&str],
    graph: Option<&str>,
    ears: &Ears,
) -> Result<LoadedArguments, FileError> {
    let signature = Signature { name: "P".to_owned(), params };
    let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    let binding = bind(&signature, &arguments, graph.is_some(), UnknownNames::Refused)
        .expect("the arguments suit the parameters");
    let (files, settings) = (shelf(), binding.settings.clone());
    let reading = Reading { files: &files, observer: ears, settings: &settings };
    load(&signature, binding, graph, reading, 1 << 20)
}

#[test]
fn a_graph_provides_sizes_tables_and_widths() {
    let ears = Ears::default();
    let params = vec![
        Param::value("n", Kind::Int),
        Param::value("h", Kind::Int),
        Param::value("G", Kind::Table),
        Param::value("inf", Kind::Word),
    ];
    let loaded = values(params, &[], Some("road.gr"), &ears).unwrap();
    let expected = [
        Value::Int(3),
        Value::Int(10),
        Value::from(BitTable::parse(&["010", "001", "000"]).unwrap()),
        Value::Word(BitVector::parse("1111111111").unwrap()),
    ];
    let found: Vec<Value> = loaded.arguments.into_iter().map(|it| it.value).collect();
    assert_eq!(found, expected);
    assert_eq!(*ears.heard.borrow(), ["road.gr: h = 10"]);
    assert!(loaded.peak_bytes > 0);
}

#[test]
fn numbers_are_laid_out_with_their_widths() {
    let ears = Ears::default();
    let arguments = ["Z=field:speed:cars.csv", "widths=4"];
    let loaded = values(vec![Param::value("Z", Kind::Table)], &arguments, None, &ears).unwrap();
    let rows = BitTable::parse(&["0011", "0001"]).unwrap();
    assert_eq!(loaded.arguments[0].value, Value::from(rows));
    assert_eq!(*ears.heard.borrow(), ["cars.csv: `speed` in columns 1 to 4"]);
}

#[test]
fn a_graph_is_laid_out_by_rows_if_preferred() {
    let graph = "gen gnm -n 600 -m 900 --seed 3";
    let signature = Signature {
        name: "P".to_owned(),
        params: ["G", "H", "L"].map(|name| Param::value(name, Kind::Table)).to_vec(),
    };
    let arguments = ["G", "H"].map(|name| format!("{name}=adjacency:{graph}"));
    let arguments = [&arguments[..], &[format!("L=left:{graph}")]].concat();
    let mut binding = bind(&signature, &arguments, false, UnknownNames::Refused).unwrap();
    let wish = |form| TableWish { form, sparse: SparseWish::Never };
    binding.wishes = [TableForm::Rows, TableForm::Columns, TableForm::Rows].map(wish).to_vec();
    let (files, settings, ears) = (shelf(), binding.settings.clone(), Ears::default());
    let reading = Reading { files: &files, observer: &ears, settings: &settings };
    let loaded = load(&signature, binding, None, reading, 1 << 20).unwrap().arguments;
    let [Value::Table(rows), Value::Table(columns), Value::Table(list)] =
        [&loaded[0].value, &loaded[1].value, &loaded[2].value]
    else {
        panic!("{loaded:?}")
    };
    // A list of codes is narrow and always stored by columns.
    assert!(matches!(rows, Table::Rows(_)) && columns.columns().is_some());
    assert!(list.columns().is_some());
    assert!(
        rows != columns && rows.clone().into_columns().as_ref() == Ok(columns.columns().unwrap())
    );
    // A backend treats both as the same table.
    let never = AtomicBool::new(false);
    for backend in [erase(Cpu::new()), erase(Reference::new())] {
        let value = backend.load(rows.clone().into(), true).unwrap();
        let stored = backend.store(&value, Part::Whole, &never);
        assert_eq!(stored, Ok(Value::Table(columns.clone())));
    }
}

#[test]
fn a_graph_is_laid_out_sparse_if_requested() {
    let small = "gen gnm -n 600 -m 900 --seed 3";
    let large = "gen gnm -n 30000 -m 9 --seed 3";
    let form = |wish: SparseWish, graph: &str, max_bytes: u64| {
        let params = vec![Param::value("G", Kind::Table)];
        let signature = Signature { name: "P".to_owned(), params };
        let arguments = [format!("G={graph}")];
        let mut binding = bind(&signature, &arguments, false, UnknownNames::Refused).unwrap();
        binding.wishes = vec![TableWish { form: TableForm::Rows, sparse: wish }];
        let (files, settings, ears) = (shelf(), binding.settings.clone(), Ears::default());
        let reading = Reading { files: &files, observer: &ears, settings: &settings };
        let loaded = load(&signature, binding, None, reading, max_bytes);
        let heard = ears.heard.borrow().join("");
        let table = |mut loaded: LoadedArguments| match loaded.arguments.swap_remove(0).value {
            Value::Table(table) => (table, heard),
            other => panic!("{other:?}"),
        };
        loaded.map(table).map_err(|it| it.code)
    };
    let is_sparse = |wish, graph, max_bytes| {
        let (table, heard) = form(wish, graph, max_bytes).unwrap();
        assert_eq!(heard.contains("`adjacency` is sparse by rows"), table.is_sparse());
        table.is_sparse()
    };
    let much = 1 << 28;
    assert!(is_sparse(SparseWish::Always, small, much));
    assert!(!is_sparse(SparseWish::WhereSmaller, small, much), "it is small");
    assert!(is_sparse(SparseWish::WhereSmaller, large, much));
    assert!(!is_sparse(SparseWish::WhereNeeded, large, much), "it fits");
    assert!(is_sparse(SparseWish::WhereNeeded, large, 1 << 23));
    assert_eq!(form(SparseWish::Never, large, 1 << 23).unwrap_err(), Code::DoesNotFit);
    assert!(!is_sparse(SparseWish::WhereAsked, large, much), "it fits");
    let refused = form(SparseWish::WhereAsked, large, 1 << 23);
    assert_eq!(refused.unwrap_err(), Code::DoesNotFit, "only the sparse table fits");

    // Weights, and in two's complement by columns regardless of the request.
    for (layout, lies) in [("weights-in", "rows"), ("signed-out", "columns"), ("tails", "rows")] {
        let weighed = format!("{layout}:gen gnm -n 300 -m 900 --max-weight 9 --seed 3");
        let (table, heard) = form(SparseWish::Always, &weighed, much).unwrap();
        assert!(heard.contains(&format!("`{layout}` is sparse by {lies}")), "{heard}");
        let Table::Sparse(table) = table else { panic!("{layout}") };
        assert_eq!(table.by_rows, lies == "rows", "{layout}");
    }
    // Every backend accepts it as the same table.
    let never = AtomicBool::new(false);
    let (sparse, _) = form(SparseWish::Always, small, much).unwrap();
    let (dense, _) = form(SparseWish::Never, small, much).unwrap();
    let dense = Ok(Value::from(dense.into_columns().unwrap()));
    for backend in [erase(Cpu::new()), erase(Reference::new())] {
        let value = backend.load(sparse.clone().into(), true).unwrap();
        assert_eq!(backend.store(&value, Part::Whole, &never), dense);
        let wanted = Wanted::Sparse { from_bytes: 0 };
        let back = backend.unload(value, wanted, &never).unwrap();
        let has_sparse = backend.caps().has_sparse;
        assert_eq!(back == Value::Table(sparse.clone()), has_sparse);
    }
}

#[test]
fn data_can_be_generated_in_place_of_a_file() {
    let make =
        |text: &str| values(vec![Param::value("P", Kind::Table)], &[text], None, &Ears::default());
    let made = |text| make(text).unwrap().arguments.swap_remove(0).value;
    let graph = made("P=gen gnm -n 9 -m 7 --seed 3");
    let Value::Table(table) = &graph else { panic!("{graph:?}") };
    assert_eq!((table.n_rows(), table.n_cols(), table.count_ones()), (9, 9, 7));
    assert_eq!(made("P=adjacency:gen gnm -n 9 -m 7 --seed 3"), graph);
    let error = make("P=gen gnm -n 9").map(|_| ()).unwrap_err();
    assert_eq!((error.code, error.file.as_str()), (Code::BadArgument, "gen gnm -n 9"));
    let error = make("P=gen curve --rows 3 --columns 3 --mask m.stb").map(|_| ()).unwrap_err();
    assert!(error.message.contains("`--mask`"), "{error}");
}

#[test]
fn the_observer_can_stop_reading() {
    let ears = Ears::default();
    for (code, message) in [
        (Code::Interrupted, "interrupted while reading"),
        (Code::TimeLimit, "time limit reached while reading"),
    ] {
        ears.stop.set(Some(code));
        let loaded = values(vec![Param::value("G", Kind::Table)], &["G=road.gr"], None, &ears);
        let error = loaded.map(|_| ()).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (code, message));
    }
}

#[test]
fn a_program_reads_values_from_files() {
    let (files, ears, settings) = (shelf(), Ears::default(), Settings::default());
    let reading = Reading { files: &files, observer: &ears, settings: &settings };
    let read = |file, layout, kind| {
        read_value(reading, file, layout, kind, 1 << 20).map(|read| read.value)
    };
    let table = Kind::Table;
    let weights = read("road.gr", Some("weights-out h=10"), table).unwrap();
    let Value::Table(weights) = weights else { panic!("a table") };
    assert_eq!((weights.n_rows(), weights.n_cols()), (3, 30));
    assert_eq!(read("none.gr", None, table).unwrap_err().code, Code::CannotOpen);
    assert_eq!(read("road.gr", Some("left b=x"), table).unwrap_err().code, Code::NoSuchLayout);
    assert_eq!(read("road.gr", None, Kind::Int).unwrap_err().code, Code::NoSuchLayout);
}
