//! The intrinsics of the library: a file for each module with intrinsics.

pub mod adjacency;
pub mod arcs;
pub mod cbt;
pub mod closure;
pub mod moving;
pub mod mst;
pub mod order;
pub mod paths;
pub mod polyline;
pub mod search;
pub mod terrain;
pub mod wave;

use super::Intrinsic;

/// All intrinsics, in the order of lists.
pub const ALL: &[Intrinsic] = &[
    closure::CLOSURE,
    closure::CONDENSE,
    closure::REACHES,
    closure::REACHABLE,
    cbt::INIT,
    cbt::OF,
    cbt::FIELD,
    cbt::SPLIT,
    cbt::MERGE,
    cbt::SPLIT_RAW,
    cbt::MERGE_RAW,
    cbt::CHANGE,
    cbt::REDUCE,
    cbt::COUNT,
    cbt::LEAF,
    cbt::LEAVES,
    cbt::HEAP,
    cbt::OF_HEAP,
    terrain::INIT,
    terrain::STEP,
    terrain::MESH,
    terrain::PICTURE,
    wave::WAVE,
    wave::WAVE8,
    wave::TRACE,
    wave::TRACE8,
    wave::PLANES,
    wave::WEIGHED_WAVE,
    wave::WEIGHED_WAVE8,
    polyline::POLYLINES,
    moving::INIT,
    moving::PUT,
    moving::DROP,
    moving::MOVES,
    moving::RANGES,
    moving::NEAREST,
    moving::TABLES,
    paths::MIN_PLUS,
    paths::DIJKSTRA,
    paths::BELLMAN_FORD,
    mst::KRUSKAL,
    mst::PRIM,
    arcs::BFS,
    arcs::SSSP,
    arcs::SSSP_TREE,
    arcs::COMPONENTS,
    arcs::STRONG,
    arcs::TOPOLOGICAL,
    arcs::COUNT_CODES,
    arcs::GATHER,
    adjacency::TRANSPOSE,
    adjacency::SYMMETRISE,
    order::RANK,
    order::ORDER,
    order::HIST,
    order::SUM_GROUPS,
    search::AMONG,
];
