//! Typed columns: Parquet and Arrow, read and written with the feature `arrow`. The contents are
//! treated like cells of a CSV file: texts get codes, dates and times are numbers with a unit.

pub(crate) mod arrow;
pub(crate) mod parquet;

#[cfg(feature = "arrow")]
mod cells;
#[cfg(feature = "arrow")]
mod gather;
#[cfg(feature = "arrow")]
pub(crate) mod groups;
#[cfg(feature = "arrow")]
mod pages;
#[cfg(feature = "arrow")]
mod write;

#[cfg(not(feature = "arrow"))]
use super::cannot_hold;
#[cfg(not(feature = "arrow"))]
use crate::data::OutputRef;
#[cfg(not(feature = "arrow"))]
use crate::error::Fault;

/// The error for a writer that is not part of this build.
#[cfg(not(feature = "arrow"))]
fn refuse_to_write(value: OutputRef<'_>, format: &str) -> Fault {
    let fault = cannot_hold(value, format, "columns");
    let fault = fault.note("this build of `star` lacks the feature `arrow`");
    Box::new(fault.help("write it to a `.csv` file"))
}

/// The error for a reader that is not part of this build.
#[cfg(not(feature = "arrow"))]
fn left_out(source: &crate::source::Source, format: &str) -> Fault {
    let message = format!("this build of `star` cannot read {format} files");
    let fault = source.fault(star_base::Code::UnknownFormat, message);
    let build = "build it with the feature `arrow`: `cargo install --path cli --features arrow`";
    Box::new(fault.help(build).help("or save the columns as `.csv`"))
}
