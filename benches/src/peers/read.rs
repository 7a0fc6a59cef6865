//! Reading of input files, for ours and for the Rust peers.

use std::fs::File;
use std::path::Path;

use star_io::{
    Data, Format, Graph, LayoutOptions, LoadedFile, NumberLayout, Numbers, ReadOptions,
    lay_out_numbers, read,
};
use star_value::BitTable;

use super::failure::Failure;
use super::ours::MAX_BYTES;
use super::peer_args::PeerArgs;

/// The graph of `graph=`, a Matrix Market file.
pub(super) fn network_of(given: &PeerArgs) -> Result<Graph, Failure> {
    let path = given.path("graph")?;
    match load(Format::MatrixMarket, &path)?.data {
        Data::Graph(graph) => Ok(graph),
        Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            Err(Failure::peer(format!("{} holds no graph", path.display())))
        }
    }
}

/// The adjacency table of `matrix=`, a NumPy file of truth values.
pub(super) fn matrix_of(given: &PeerArgs) -> Result<BitTable, Failure> {
    let path = given.path("matrix")?;
    table(&numbers(&path)?, &NumberLayout::Grid, 1, &path)
}

/// The column of `KEY=`, a NumPy file, as a table of so many bits.
pub(super) fn column_of(given: &PeerArgs, key: &str, bits: usize) -> Result<BitTable, Failure> {
    let path = given.path(key)?;
    table(&numbers(&path)?, &NumberLayout::Records, bits, &path)
}

/// The numbers of `KEY=`, a NumPy file of one field.
pub(super) fn numbers_of(given: &PeerArgs, key: &str) -> Result<Vec<i64>, Failure> {
    let path = given.path(key)?;
    let field = numbers(&path)?.fields.into_iter().next();
    let field = field.ok_or_else(|| Failure::peer(format!("{} is empty", path.display())))?;
    Ok(field.values)
}

/// What a file holds.
pub(super) fn load(format: Format, path: &Path) -> Result<LoadedFile, Failure> {
    let shown = path.display().to_string();
    let opened = File::open(path).map_err(|error| Failure::peer(format!("{shown}: {error}")));
    let mut file = opened?;
    let mut options = ReadOptions::new(&shown, MAX_BYTES);
    options.size_hint = file.metadata().ok().map(|metadata| metadata.len());
    Ok(read(format, &mut file, &mut options)?)
}

fn numbers(path: &Path) -> Result<Numbers, Failure> {
    match load(Format::Npy, path)?.data {
        Data::Numbers(numbers) => Ok(numbers),
        Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_) => {
            Err(Failure::peer(format!("{} holds no numbers", path.display())))
        }
    }
}

fn table(
    numbers: &Numbers,
    layout: &NumberLayout,
    bits: usize,
    path: &Path,
) -> Result<BitTable, Failure> {
    let shown = path.display().to_string();
    let mut options = LayoutOptions::new(&shown, MAX_BYTES);
    let table = lay_out_numbers(layout, numbers, Some(&[bits]), &mut options)?.table;
    table.into_columns().map_err(|error| Failure::peer(error.to_string()))
}
