//! Files of typed columns: Parquet and Arrow, read with the feature `arrow`. What they hold becomes what the same cells of a
//! CSV file would: texts get codes, dates and times are numbers with a unit.

pub(crate) mod arrow;
pub(crate) mod parquet;

#[cfg(feature = "arrow")]
mod cells;
#[cfg(feature = "arrow")]
mod gather;
#[cfg(feature = "arrow")]
mod pages;

use super::cannot_hold;
use crate::data::OutputRef;
use crate::error::Fault;

/// The fault that a format is read only.
fn refuse_to_write(value: OutputRef<'_>, format: &str) -> Fault {
    let fault = cannot_hold(value, format, "columns that others write; it is read only");
    Box::new(fault.help("write it to a `.csv` file"))
}

/// The fault that the reader was left out of this build.
#[cfg(not(feature = "arrow"))]
fn left_out(source: &crate::source::Source, format: &str) -> Fault {
    let message = format!("{format} files are not read by this build of `star`");
    let fault = source.fault(star_base::Code::UnknownFormat, message);
    let build = "build it with the feature `arrow`: `cargo install --path cli --features arrow`";
    Box::new(fault.help(build).help("or save the columns as `.csv`"))
}
