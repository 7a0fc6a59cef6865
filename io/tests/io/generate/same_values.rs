//! The same seed gives the same data in every version: these checksums must never change.

use star_io::generate::{
    Blocks, Country, Density, GraphKind, Labels, NoisyCurve, Parts, RandomTable, Repeats, Rmat,
    Road, Terrain, UniformGraph, UpdateStream,
};
use star_io::{Graph, Numbers};
use star_value::BitTable;

use super::updates::{SHARES, start};
use super::{CURVE, options, uniform};

fn of_graph(graph: &Graph) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&(graph.n_vertices as u64).to_le_bytes());
    for arc in &graph.arcs {
        hasher.update(&arc.tail.to_le_bytes());
        hasher.update(&arc.head.to_le_bytes());
        hasher.update(&arc.weight.to_le_bytes());
    }
    hasher.finalize()
}

fn of_table(table: &BitTable) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for col_idx in 0..table.n_cols() {
        table.column_limbs(col_idx).iter().for_each(|limb| hasher.update(&limb.to_le_bytes()));
    }
    hasher.finalize()
}

fn of_numbers(numbers: &Numbers) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let values = numbers.fields.iter().flat_map(|field| &field.values);
    values.for_each(|value| hasher.update(&value.to_le_bytes()));
    hasher.finalize()
}

/// Checksums of data of all kinds.
fn sums(seed: u64) -> Vec<(&'static str, u32)> {
    let graph =
        |graph: UniformGraph| of_graph(&graph.generate(&mut options(seed)).expect("small enough"));
    let weighted = |density, kind| UniformGraph {
        labels: Labels::Shuffled,
        max_weight: Some(1000),
        ..uniform(500, density, kind)
    };
    let rmat = Rmat {
        n_vertices: 1000,
        n_arcs: 4000,
        corners: [0.57, 0.19, 0.19],
        repeats: Repeats::Dropped,
        labels: Labels::InOrder,
        max_weight: None,
    };
    let kept = Rmat { repeats: Repeats::Kept, n_vertices: 1024, ..rmat };
    let road = Road {
        height: 30,
        width: 40,
        missing: 0.1,
        diagonals: 0.1,
        parts: Parts::Largest,
        max_weight: Some(500),
    };
    let table = |density| {
        let table = RandomTable { n_rows: 1000, widths: vec![5, 3], density };
        of_table(&table.generate(&mut options(seed)).expect("small enough"))
    };
    let blocks = Blocks { height: 20, width: 30, impassable: 0.3 };
    let blocks = blocks.generate(&mut options(seed)).expect("small enough");
    let country = Country { height: 20, width: 30, impassable: 0.3, roughness: 0.7, bits: 16 };
    let country = country.generate(&mut options(seed)).expect("small enough");
    let terrain = Terrain { size_log2: 5, roughness: 0.4, bits: 16 };
    let curve =
        NoisyCurve { height: 40, ..CURVE }.generate(&mut options(seed)).expect("small enough");
    let (directed, edges) = (start(GraphKind::Directed), start(GraphKind::Undirected));
    let updates = |start, undirected| {
        let (shares, max_weight) = (SHARES, Some(50));
        let stream = UpdateStream { start, undirected, n_operations: 2000, shares, max_weight };
        of_numbers(&stream.generate(&mut options(seed)).expect("small enough"))
    };
    vec![
        ("gnp", graph(uniform(500, Density::Probability(0.01), GraphKind::Directed))),
        ("gnm, by bits", graph(weighted(Density::Arcs(9000), GraphKind::Undirected))),
        ("gnm, by blocks", graph(uniform(5000, Density::Arcs(9000), GraphKind::Directed))),
        ("dag", graph(weighted(Density::Probability(0.02), GraphKind::Acyclic))),
        ("rmat", of_graph(&rmat.generate(&mut options(seed)).expect("small enough"))),
        ("rmat, kept", of_graph(&kept.generate(&mut options(seed)).expect("small enough"))),
        ("road", of_graph(&road.generate(&mut options(seed)).expect("small enough").graph)),
        ("table", table(None)),
        ("table, thin", table(Some(0.1))),
        ("terrain", of_numbers(&terrain.generate(&mut options(seed)).expect("small enough"))),
        ("blocks", of_numbers(&blocks.open)),
        ("country", of_numbers(&country.heights)),
        ("curve", of_numbers(&curve.image)),
        ("curve, mask", of_table(&curve.mask)),
        ("updates", updates(&directed, false)),
        ("updates, edges", updates(&edges, true)),
    ]
}

#[test]
fn seed_gives_the_same_data_in_every_version() {
    let expected = [
        ("gnp", 2267367020),
        ("gnm, by bits", 4253832582),
        ("gnm, by blocks", 1250078865),
        ("dag", 3386515243),
        ("rmat", 158685919),
        ("rmat, kept", 2228216164),
        ("road", 1773921406),
        ("table", 4251931705),
        ("table, thin", 1528263390),
        ("terrain", 4071999959),
        ("blocks", 2855578668),
        ("country", 840986487),
        ("curve", 695591645),
        ("curve, mask", 1312996180),
        ("updates", 1478060248),
        ("updates, edges", 3435105790),
    ];
    assert_eq!(sums(1), expected);
}

#[test]
fn different_seeds_give_different_data() {
    let (one, other) = (sums(1), sums(2));
    assert_eq!(one, sums(1));
    for (a, b) in one.iter().zip(&other) {
        assert_ne!(a, b);
    }
    // The highest byte of a seed also matters.
    assert!(sums(1 | 1 << 63).iter().zip(&one).all(|(a, b)| a != b));
}
