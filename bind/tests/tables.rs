//! Tables that are left in their files, for a caller that reads them by ranges of columns.

#![allow(
    clippy::result_large_err,
    reason = "an error is created at most once per file, and its fields are public"
)]

use std::cell::Cell;
use std::io::{Cursor, Read};

use star_base::Code;
use star_base::record::{FieldKind, RecordField, Width};
use star_bind::{
    Files, Kind, Leave, LeftTable, LoadedArguments, Observer, OpenFile, Param, ReadAt, Reading,
    Settings, Signature, TableFile, UnknownNames, bind, load,
};
use star_io::{FileError, Format, OutputRef, write};
use star_value::{BitTable, BitVector, BitsRef, SparseLines, SparseTable, Value};

/// A file in memory, under every name, and the length that it had when it was opened.
struct One {
    bytes: Vec<u8>,
    n_bytes: Option<u64>,
    n_opened: Cell<u32>,
}

impl One {
    fn new(bytes: &[u8]) -> Self {
        let n_bytes = Some(bytes.len() as u64);
        One { bytes: bytes.to_vec(), n_bytes, n_opened: Cell::new(0) }
    }
}

impl Files for One {
    fn exists(&self, file: &str) -> bool {
        !file.contains('#')
    }

    fn open(&self, _: &str) -> Result<OpenFile, FileError> {
        self.n_opened.set(self.n_opened.get() + 1);
        let (bytes, input) = (self.bytes.clone(), Box::new(Cursor::new(self.bytes.clone())));
        let at =
            move |offset: u64, to: &mut [u8]| Cursor::new(&bytes[offset as usize..]).read_exact(to);
        let (at, progress) = (Some(Box::new(at) as Box<ReadAt>), Box::new(|_| {}));
        Ok(OpenFile { input, n_bytes: self.n_bytes, at, progress })
    }
}

/// Stops on request.
#[derive(Default)]
struct Stopper(Cell<Option<Code>>);

impl Observer for Stopper {
    fn stop(&self) -> Option<Code> {
        self.0.get()
    }

    fn note(&self, message: &str) {
        panic!("{message}")
    }

    fn warning(&self, message: &str) {
        panic!("{message}")
    }
}

/// 130 × 9, in a file of 252 bytes.
fn table() -> BitTable {
    let mut table = BitTable::zeros(130, 9).expect("memory");
    (0..130 * 9).filter(|at| at % 7 < 3).for_each(|at| table.put(at / 9, at % 9, true));
    table
}

const N_BYTES: u64 = 130_u64.div_ceil(64) * 8 * 9;

fn file_of(bits: BitsRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Format::Stb, OutputRef::Bits(bits), &mut bytes).expect("memory");
    bytes
}

fn param(name: &str, kind: Kind, fields: Vec<RecordField>) -> Param {
    let name = name.to_owned();
    Param { name, by_ref: false, takes_value: true, kind, fields, text: None }
}

/// Loads `T` from a file, or leaves it there if it has more bytes than `leave`.
fn loaded(
    files: &One,
    table: Param,
    argument: &str,
    leave: Option<u64>,
    max_bytes: u64,
) -> Result<LoadedArguments, FileError> {
    let params = vec![param("n", Kind::Int, Vec::new()), table];
    let signature = Signature { name: "P".to_owned(), params };
    let arguments = ["n=3".to_owned(), argument.to_owned()];
    let mut binding =
        bind(&signature, &arguments, false, UnknownNames::Refused).expect("they suit");
    binding.leave = leave.map(Leave::above);
    let (observer, settings) = (Stopper::default(), Settings::default());
    let reading = Reading { files, observer: &observer, settings: &settings };
    load(&signature, binding, None, reading, max_bytes)
}

fn table_param() -> Param {
    param("T", Kind::Table, Vec::new())
}

fn left(files: &One) -> TableFile {
    left_for(table_param(), files)
}

fn left_for(table: Param, files: &One) -> TableFile {
    let mut loaded = loaded(files, table, "T=t.stb", Some(0), 1 << 20).expect("a file");
    assert_eq!(loaded.arguments[0].value, Value::Int(3));
    assert_eq!((&loaded.arguments[1].value, loaded.arguments[1].fixed), (&Value::Unset, true));
    assert_eq!((loaded.tables.len(), loaded.peak_bytes), (1, N_BYTES));
    match loaded.tables.remove(&1).expect("the second argument") {
        LeftTable::File(table) => table,
        LeftTable::Records(rows) => panic!("{rows:?}"),
    }
}

/// Reads it by parts.
fn joined(file: TableFile, at_once: usize) -> Result<BitTable, FileError> {
    let (n_rows, mut columns) = (file.shape().0, Vec::<BitVector>::new());
    file.read(&Stopper::default(), at_once, &mut |start, part| {
        assert_eq!(start, columns.len());
        columns.extend((0..part.n_cols()).map(|col| part.column(col)));
        true
    })?;
    Ok(BitTable::from_columns(n_rows, &columns))
}

#[test]
fn a_table_left_in_its_file_is_read_by_parts() {
    let files = One::new(&file_of(BitsRef::from(&table())));
    for at_once in [1, 2, 9, 100] {
        let file = left(&files);
        assert_eq!((file.shape(), file.n_bytes()), ((130, 9), N_BYTES));
        assert!(joined(file, at_once).unwrap() == table());
    }
    assert_eq!(files.n_opened.get(), 4);
    // A table of records need not come from a list.
    let (name, width) = ("a".to_owned(), Width(vec![(9, Vec::new())]));
    let field = RecordField { name, kind: FieldKind::Uint, width, is_array: false };
    let file = left_for(param("T", Kind::Table, vec![field]), &files);
    assert!(joined(file, 4).unwrap() == table());
    assert_eq!(files.n_opened.get(), 5);
}

#[test]
fn only_large_dense_tables_of_known_length_are_left() {
    let bytes = file_of(BitsRef::from(&table()));
    let good = One::new(&bytes);
    let n_left = |files: &One, argument: &str, leave| {
        let loaded = loaded(files, table_param(), argument, leave, 1 << 20).unwrap();
        assert!(loaded.tables.len() == 1 || loaded.arguments[1].value == table().into());
        loaded.tables.len()
    };
    assert_eq!(n_left(&good, "T=t.stb", Some(N_BYTES - 1)), 1);
    // It is recognised by its contents, too.
    assert_eq!(n_left(&good, "T=t.dat", Some(0)), 1);
    assert_eq!(n_left(&good, "T=t.stb", Some(N_BYTES)), 0);
    assert_eq!(n_left(&good, "T=t.stb", None), 0);
    assert_eq!(n_left(&One { n_bytes: None, ..One::new(&bytes) }, "T=t.stb", Some(0)), 0);

    let bits = BitVector::zeros(130);
    let slice = One::new(&file_of(BitsRef::Slice(&bits)));
    let value = loaded(&slice, param("T", Kind::Slice, Vec::new()), "T=t.stb", Some(0), 1 << 20)
        .unwrap()
        .arguments;
    assert_eq!(value[1].value, Value::Slice(bits));
    let lines = SparseLines::of_columns(&table()).unwrap();
    let sparse = SparseTable { lines, by_rows: false };
    let sparse = One::new(&file_of(BitsRef::from(&sparse)));
    assert_eq!(n_left(&sparse, "T=t.stb", Some(0)), 0);
    // Tables without bits.
    for (n_rows, n_cols) in [(0, 0), (0, 5), (5, 0)] {
        let empty = BitTable::zeros(n_rows, n_cols).unwrap();
        let files = One::new(&file_of(BitsRef::from(&empty)));
        let loaded = loaded(&files, table_param(), "T=t.stb", Some(0), 1 << 20).unwrap();
        assert_eq!(loaded.arguments[1].value, empty.into());
    }
}

#[test]
fn files_that_cannot_be_left_have_the_errors_of_whole_ones() {
    let good = file_of(BitsRef::from(&table()));
    let mut more = good.clone();
    more[24] += 1;
    let mut huge = good.clone();
    huge[16..32].fill(0xff);
    let cases = [
        (&good[..0], "T=t.stb", 1 << 20, Code::Truncated),
        (&good[..20], "T=t.stb", 1 << 20, Code::Truncated),
        (&good[..200], "T=t.stb", 1 << 20, Code::Truncated),
        (&more, "T=t.stb", 1 << 20, Code::Truncated),
        (&huge, "T=t.stb", 1 << 20, Code::Truncated),
        (&[&good[..], b"x"].concat(), "T=t.stb", 1 << 20, Code::HeaderLies),
        (&good, "T=t.stb", N_BYTES - 1, Code::DoesNotFit),
        (&good, "T=arcs:t.stb", 1 << 20, Code::NoSuchLayout),
        (&good, "T=t.stb#x", 1 << 20, Code::CannotOpen),
    ];
    for (bytes, argument, max_bytes, code) in cases {
        let read = |leave| loaded(&One::new(bytes), table_param(), argument, leave, max_bytes);
        let error = read(Some(0)).err().expect(argument);
        assert_eq!(Some(&error), read(None).err().as_ref());
        assert_eq!(error.code, code, "{error}");
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_rejected() {
    let good = file_of(BitsRef::from(&table()));
    let n_bytes = Some(good.len() as u64);
    let mut changed = good.clone();
    changed[40] ^= 1;
    let cases = [
        (&good[..good.len() - 1], Code::Truncated, "in its checksum"),
        (&good[..good.len() - 30], Code::Truncated, "after 23 of 27 limbs"),
        (&[&good[..], b"x"].concat(), Code::HeaderLies, "after the checksum"),
        (&changed, Code::BadFormat, "the checksum does not match"),
    ];
    for (bytes, code, part) in cases {
        for at_once in [1, 4, 9] {
            let files = One { n_bytes, ..One::new(bytes) };
            let error = joined(left(&files), at_once).expect_err(part);
            assert_eq!((error.code, error.file.as_str()), (code, "t.stb"));
            assert!(error.message.contains(part), "{error}");
        }
    }
}

#[test]
fn reading_by_parts_ends_on_request() {
    let files = One::new(&file_of(BitsRef::from(&table())));
    for (code, message) in [
        (Code::Interrupted, "interrupted while reading"),
        (Code::TimeLimit, "time limit reached while reading"),
    ] {
        let stopper = Stopper(Cell::new(Some(code)));
        let error = left(&files).read(&stopper, 1, &mut |_, _| panic!("a part")).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (code, message));
    }
    let mut n_parts = 0;
    let ended = left(&files).read(&Stopper::default(), 2, &mut |_, _| {
        n_parts += 1;
        n_parts < 3
    });
    assert_eq!((ended.unwrap_err().code, n_parts), (Code::Interrupted, 3));
}

#[test]
fn rows_are_read_without_the_others() {
    let good = file_of(BitsRef::from(&table()));
    for cuts in [&[0, 130][..], &[0, 64, 130], &[0, 1, 63, 65, 100, 128, 130], &[0, 129, 130]] {
        let read = |bytes: &[u8]| -> Result<u32, FileError> {
            let files = One { n_bytes: Some(good.len() as u64), ..One::new(bytes) };
            let mut sum = 0;
            for rows in cuts.windows(2).map(|cut| cut[0]..cut[1]) {
                let mut file = left(&files);
                assert!(file.has_rows());
                let read = file.read_rows(&Stopper::default(), rows.clone())?;
                sum ^= read.share;
                let n_limbs = rows.end.div_ceil(64) - rows.start / 64;
                let n_around = if rows.start == 0 { 36 } else { 0 };
                assert_eq!(read.n_bytes, n_limbs as u64 * 8 * 9 + n_around);
                if bytes == good {
                    let bits = |table: &BitTable, row: usize| table.row(row);
                    let is_same =
                        |row: usize| bits(&read.table, row - rows.start) == bits(&table(), row);
                    assert!(rows.clone().all(is_same), "{rows:?}");
                    let limbs = read.table.column_limbs(0);
                    let n_used = rows.len() % 64;
                    assert!(n_used == 0 || limbs[limbs.len() - 1] >> n_used == 0);
                }
            }
            Ok(sum)
        };
        assert_eq!(read(&good).unwrap(), 0);
        for at in 32..good.len() {
            let mut changed = good.clone();
            changed[at] ^= 1 << (at % 8);
            // A one beyond the last row is an error at once.
            assert!(read(&changed) != Ok(0), "byte {at}");
        }
    }
    let ended = left(&One::new(&good)).read_rows(&Stopper(Cell::new(Some(Code::TimeLimit))), 0..9);
    assert_eq!(ended.unwrap_err().message, "time limit reached while reading");
}
