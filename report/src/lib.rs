//! What tests, benchmarks and profiles report: records of measurements, what they say, and how that is shown.
//!
//! * [`measure`]: how often to run, what the samples say, and whether two sets of them differ.
//! * [`record`]: what a run of benchmarks leaves, and the file of that; [`live`] shows its rows in lines as
//!   they come, [`page`] all of them as HTML with plots.
//! * [`message`]: diagnostics, as text or as JSON.
//! * [`compare`]: two records beside each other.
//! * [`profile`]: where a run spent its time.
//! * [`view`]: pictures of data.
//! * [`html`]: the frame of pages; [`columns`]: tables in a terminal; [`json`]: objects on lines.
//!
//! Nothing here opens a file, runs a program or knows a terminal or a command line.

pub mod columns;
pub mod compare;
pub mod html;
pub mod json;
pub mod live;
pub mod measure;
pub mod message;
pub mod page;
pub mod profile;
pub mod record;
pub mod view;
