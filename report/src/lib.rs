//! Reports of tests, benchmarks and profiles: records of measurements, their statistics, and their
//! presentation.
//!
//! * [`measure`]: number of runs, statistics of samples, and comparison of two sets of samples.
//! * [`record`]: the result of a benchmark run, and its file; [`live`] prints its rows as they are
//!   measured, [`page`] shows all of them as HTML with plots.
//! * [`message`]: diagnostics, as text or as JSON.
//! * [`compare`]: comparison of two records.
//! * [`coverage`]: lines that tests run.
//! * [`profile`]: time spent in each part of a run.
//! * [`view`]: pictures of data.
//! * [`html`]: the frame of pages; [`columns`]: tables in a terminal; [`json`]: objects on lines.
//!
//! This crate opens no files, runs no programs, and does not depend on a terminal or a command
//! line.

pub mod columns;
pub mod compare;
pub mod coverage;
pub mod html;
pub mod json;
pub mod live;
pub mod measure;
pub mod message;
pub mod page;
pub mod profile;
pub mod record;
pub mod view;
