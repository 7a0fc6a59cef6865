//! Binding of names, files and layouts to the values of a routine, and output of results; for the
//! command line, tests, and callers from other languages.
//!
//! * [`param`]: the signature of a routine for binding.
//! * [`binding`]: the origin of every parameter, by [`arg_value`] or by an [`offer`](mod@offer) of
//!   a graph.
//! * [`mod@load`]: reads the files of a binding; [`request`]: reads files for a running program.
//! * [`source`]: the interface to the caller: opens files, receives notes, stops long operations.
//! * [`data`]: one file and its value; [`layouts`], [`widths`], [`settings`]: its layout.
//! * [`encoding`]: output of values; [`form`]: conversion of data for formats that cannot represent
//!   them; [`results`]: results by their names, and their text; [`rows`]: results as records and
//!   arcs of the input; [`result_table`]: several results as one table; [`records`]: tables with
//!   field names.
//! * [`generated`]: generated data in the place of a file.
//!
//! This crate does not depend on a terminal, a file system or the clock, nor on a backend or the
//! origin of a routine.

#![allow(
    clippy::result_large_err,
    reason = "an error is created at most once per file, and its fields are public"
)]

pub mod arg_value;
pub mod binding;
pub mod bytes;
mod comparable;
pub mod data;
pub mod encoding;
pub mod error;
pub mod fields;
pub mod form;
pub mod generated;
pub mod layouts;
mod left_table;
pub mod load;
pub mod marked;
mod matrices;
pub mod offer;
pub mod param;
pub mod part;
pub mod records;
pub mod request;
pub mod result_table;
pub mod results;
pub mod rows;
pub mod settings;
pub mod source;
mod table_file;
mod vertices;
pub mod widths;

pub use arg_value::ArgValue;
pub use binding::{Binding, Leave, Origin, UnknownNames, bind};
pub use encoding::Encoding;
pub use fields::Fields;
pub use layouts::AnyLayout;
pub use left_table::{LeftTable, RecordPlace, RecordRows};
pub use load::{LoadedArguments, load};
pub use param::{Kind, Param, Signature};
pub use records::RecordList;
pub use rows::{ResultForm, Rows, WeightCoding};
pub use settings::Settings;
pub use source::{Files, Observer, OpenFile, ReadAt, Reading, Waiting};
pub use star_io::Peers;
pub use table_file::TableFile;
