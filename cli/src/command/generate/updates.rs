//! Update streams: their options, and how they are made.

use clap::{ArgGroup, Args};
use star_io::generate::{GenerateOptions, Shares, UpdateStream};
use star_io::{Data, FileError, Graph};

use super::{Common, Made, values};
use crate::sizes::parse_count;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("start").required(true)))]
pub(super) struct UpdatesArgs {
    /// Number of vertices of a graph without arcs, which is where the changes begin
    #[arg(short = 'n', long, value_name = "N", group = "start")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    vertices: Option<u64>,

    /// The graph with which the changes begin
    #[arg(long, value_name = "FILE", group = "start")]
    pub(super) graph: Option<String>,

    /// Number of operations
    #[arg(short = 'k', long, value_name = "K")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    operations: u64,

    /// Edges in place of arcs
    #[arg(long)]
    undirected: bool,

    /// Weights from 1 to W; without it up to the greatest of the graph, and none if it has none
    #[arg(long, value_name = "W")]
    #[arg(value_parser = values::integer, allow_negative_numbers = true)]
    max_weight: Option<i64>,

    /// Share of insertions among the operations
    #[arg(long, value_name = "SHARE", default_value = "3")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    insert: u32,

    /// Share of deletions; where nothing can be deleted or inserted, a question stands instead
    #[arg(long, value_name = "SHARE", default_value = "2")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    delete: u32,

    /// Share of new weights, if there are weights
    #[arg(long, value_name = "SHARE", default_value = "1")]
    #[arg(value_parser = values::short)]
    change: u32,

    /// Share of deletions and insertions of vertices
    #[arg(long, value_name = "SHARE", default_value = "0")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    whole_vertices: u32,

    /// Share of questions
    #[arg(long, value_name = "SHARE", default_value = "2")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    ask: u32,

    #[command(flatten)]
    pub(super) common: Common,
}

impl UpdatesArgs {
    /// Makes the stream for a graph; without one for that of `--vertices`, which has no arcs.
    ///
    /// # Errors
    /// As the generator of star-io says.
    pub(super) fn make(
        &self,
        start: Option<&Graph>,
        options: &mut GenerateOptions<'_>,
    ) -> Result<Made, FileError> {
        let n_vertices = usize::try_from(self.vertices.unwrap_or(0)).unwrap_or(usize::MAX);
        let bare = Graph { n_vertices, ..Graph::default() };
        let start = start.unwrap_or(&bare);
        let heaviest = start.weighted.then(|| start.max_weight().max(1));
        let max_weight = self.max_weight.or(heaviest);
        let shares = Shares {
            insert: self.insert,
            delete: self.delete,
            change: if max_weight.is_some() { self.change } else { 0 },
            vertices: self.whole_vertices,
            ask: self.ask,
        };
        let (undirected, n_operations) = (self.undirected, self.operations);
        let stream = UpdateStream { start, undirected, n_operations, shares, max_weight };
        let numbers = stream.generate(options)?;
        let sizes = vec![("vertices", start.n_vertices as u64), ("operations", n_operations)];
        Ok(Made { data: Data::Numbers(numbers), second: None, sizes })
    }
}
