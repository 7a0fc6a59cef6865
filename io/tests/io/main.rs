//! The tests of the readers, writers and layouts, in one binary.

// The errors are large, but a test creates few of them.
#![allow(clippy::result_large_err)]

mod arbitrary;
mod binary;
mod columnar;
mod columns;
mod coordinates;
mod csv;
mod damaged;
mod dimacs;
mod edge_list;
mod generate;
mod gzip;
mod layout_limits;
mod layouts;
mod limits;
mod matrix_market;
mod matrix_market_refusals;
mod metis;
mod missing;
mod moving_ai;
mod networks;
mod number_layouts;
mod numpy;
mod pictures;
mod round_trips;
mod scales;
mod shared_graphs;
mod shared_grids;
mod shared_rasters;
mod stb;
mod support;
mod svg;
mod updates;
mod written_pictures;
