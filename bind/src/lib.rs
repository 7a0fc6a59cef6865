//! From names, files and layouts to the values of a routine, and back; for the command line, tests, and callers
//! from other languages.
//!
//! * [`param`]: a routine as values are bound to it.
//! * [`binding`]: what every parameter is given, by [`arg_value`] or by an [`offer`](mod@offer) of a graph.
//! * [`mod@load`]: reads all that a binding names; [`request`]: what a running program reads.
//! * [`source`]: what the caller does: open files, hear notes, end long work.
//! * [`data`]: one file, and the value that it gives; [`layouts`], [`widths`], [`settings`]: how it is laid out.
//! * [`encoding`]: how values are written; [`form`]: what data become in a format that holds no such data;
//!   [`results`]: results by their names, and their text; [`rows`]: results as records and arcs of the input; [`records`]: tables
//!   under the names of fields.
//! * [`generated`]: data made where a file may stand.
//!
//! Nothing here knows a terminal, a file system or the clock, and nothing knows where a routine comes from.

#![allow(
    clippy::result_large_err,
    reason = "an error is made once for each file, and its fields are public and plain"
)]

pub mod arg_value;
pub mod binding;
pub mod bytes;
pub mod data;
pub mod encoding;
pub mod error;
pub mod fields;
pub mod form;
pub mod generated;
pub mod layouts;
pub mod load;
pub mod marked;
pub mod offer;
pub mod param;
pub mod part;
pub mod records;
pub mod request;
pub mod results;
pub mod rows;
pub mod settings;
pub mod source;
mod vertices;
pub mod widths;

pub use arg_value::ArgValue;
pub use binding::{Binding, Origin, UnknownNames, bind};
pub use encoding::Encoding;
pub use fields::Fields;
pub use layouts::AnyLayout;
pub use load::{LoadedArguments, load};
pub use param::{Kind, Param, Signature};
pub use records::RecordList;
pub use rows::{ResultForm, Rows};
pub use settings::Settings;
pub use source::{Files, Observer, OpenFile, Reading, Waiting};
