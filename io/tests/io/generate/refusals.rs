//! Rejected parameters, budgets, and interruption.

use star_base::Code;
use star_io::generate::{
    Blocks, Country, Density, GenerateOptions, GraphKind, Labels, NoisyCurve, Parts, RandomTable,
    Repeats, Rmat, Road, Shares, Terrain, UniformGraph, UpdateStream,
};
use star_io::{FileError, Graph};

use super::updates::SHARES;
use super::{CURVE, uniform};
use crate::support::check_wording;

type Make<'a> = &'a dyn Fn(&mut GenerateOptions<'_>) -> Result<(), FileError>;

const ROAD: Road = Road {
    height: 300,
    width: 300,
    missing: 0.1,
    diagonals: 0.1,
    parts: Parts::Largest,
    max_weight: Some(9),
};
const RMAT: Rmat = Rmat {
    n_vertices: 1000,
    n_arcs: 50_000,
    corners: [0.5, 0.2, 0.2],
    repeats: Repeats::Dropped,
    labels: Labels::Shuffled,
    max_weight: Some(9),
};
const NO_SHARES: Shares = Shares { insert: 0, delete: 0, change: 0, vertices: 0, ask: 0 };
const BLOCKS: Blocks = Blocks { height: 200, width: 300, impassable: 0.4 };
const COUNTRY: Country =
    Country { height: 200, width: 300, impassable: 0.4, roughness: 0.7, bits: 16 };
const TERRAIN: Terrain = Terrain { size_log2: 8, roughness: 0.5, bits: 8 };

#[test]
fn out_of_range_parameter_is_named() {
    let graph = |graph: UniformGraph| graph.generate(&mut super::options(0)).map(|_| ());
    let arcs = |n_vertices, n_arcs, kind| graph(uniform(n_vertices, Density::Arcs(n_arcs), kind));
    let probability = |p| graph(uniform(5, Density::Probability(p), GraphKind::Directed));
    let rmat = |rmat: Rmat| rmat.generate(&mut super::options(0)).map(|_| ());
    let road = |road: Road| road.generate(&mut super::options(0)).map(|_| ());
    let table = |n_rows, widths, density| {
        let table = RandomTable { n_rows, widths, density };
        table.generate(&mut super::options(0)).map(|_| ())
    };
    let terrain = |terrain: Terrain| terrain.generate(&mut super::options(0)).map(|_| ());
    let blocks = |blocks: Blocks| blocks.generate(&mut super::options(0)).map(|_| ());
    let country = |country: Country| country.generate(&mut super::options(0)).map(|_| ());
    let curve = |curve: NoisyCurve| curve.generate(&mut super::options(0)).map(|_| ());
    let updates = |n_vertices, shares, max_weight| {
        let start = &Graph { n_vertices, ..Graph::default() };
        let (undirected, n_operations) = (false, 9);
        let stream = UpdateStream { start, undirected, n_operations, shares, max_weight };
        stream.generate(&mut super::options(0)).map(|_| ())
    };
    let light =
        UniformGraph { max_weight: Some(0), ..uniform(5, Density::Arcs(2), GraphKind::Directed) };
    let cases = [
        (arcs(0, 1, GraphKind::Directed), "`arcs` is 1, but must be at most 0"),
        (arcs(1 << 32, 0, GraphKind::Directed), "`vertices` is 4294967296"),
        (arcs(5, 21, GraphKind::Directed), "`arcs` is 21, but must be at most 20"),
        (arcs(5, 11, GraphKind::Undirected), "`arcs` is 11, but must be at most 10"),
        (probability(-0.1), "`probability` is -0.1, but must be from 0 to 1"),
        (probability(1.5), "`probability` is 1.5"),
        (probability(f64::NAN), "`probability` is NaN"),
        (graph(light), "`max-weight` is 0, but must be 1 or more"),
        (rmat(Rmat { n_vertices: 0, ..RMAT }), "`arcs` is 50000, but must be 0"),
        (rmat(Rmat { corners: [0.5, -0.1, 0.0], ..RMAT }), "`b` is -0.1"),
        (rmat(Rmat { corners: [0.5, 0.5, 0.5], ..RMAT }), "`a + b + c` is 1.5"),
        (rmat(Rmat { max_weight: Some(-1), ..RMAT }), "`max-weight` is -1"),
        (road(Road { height: 0, ..ROAD }), "`rows` is 0"),
        (road(Road { width: 1 << 40, ..ROAD }), "`columns` is 1099511627776"),
        (road(Road { height: 1 << 20, width: 1 << 20, ..ROAD }), "`rows × columns` is"),
        (road(Road { missing: 2.0, ..ROAD }), "`missing` is 2"),
        (road(Road { diagonals: -1.0, ..ROAD }), "`diagonals` is -1"),
        (road(Road { max_weight: Some(1 << 33), ..ROAD }), "`max-weight` is 8589934592"),
        (table(5, vec![], None), "`widths` is an empty list"),
        (table(5, vec![3, 0], None), "`widths` is 0"),
        (table(5, vec![3], Some(1.01)), "`density` is 1.01"),
        (table(1 << 40, vec![3], None), "`rows` is 1099511627776"),
        (table(0, vec![u64::from(u32::MAX); 3], None), "`widths` is 12884901885"),
        (terrain(Terrain { size_log2: 32, ..TERRAIN }), "`size` is 32"),
        (terrain(Terrain { roughness: 1.1, ..TERRAIN }), "`roughness` is 1.1"),
        (terrain(Terrain { bits: 0, ..TERRAIN }), "`bits` is 0"),
        (terrain(Terrain { bits: 33, ..TERRAIN }), "`bits` is 33"),
        (blocks(Blocks { height: 0, ..BLOCKS }), "`rows` is 0"),
        (blocks(Blocks { width: 1 << 21, ..BLOCKS }), "`columns` is 2097152"),
        (blocks(Blocks { impassable: f64::NAN, ..BLOCKS }), "`impassable` is NaN"),
        (country(Country { width: 0, ..COUNTRY }), "`columns` is 0"),
        (country(Country { impassable: 1.5, ..COUNTRY }), "`impassable` is 1.5"),
        (country(Country { bits: 33, ..COUNTRY }), "`bits` is 33"),
        (curve(NoisyCurve { height: 0, ..CURVE }), "`rows` is 0"),
        (curve(NoisyCurve { width: 1 << 21, ..CURVE }), "`columns` is 2097152"),
        (curve(NoisyCurve { thickness: 91, ..CURVE }), "`thickness` is 91"),
        (curve(NoisyCurve { bends: 0, ..CURVE }), "`bends` is 0"),
        (curve(NoisyCurve { line: 90, ..CURVE }), "`line` is 90"),
        (updates(0, SHARES, None), "`vertices` is 0"),
        (updates(5, SHARES, Some(0)), "`max-weight` is 0"),
        (updates(5, NO_SHARES, None), "`shares` is 0, but must be above 0 for at least one kind"),
    ];
    for (made, start) in cases {
        let error = made.expect_err(start);
        assert_eq!(error.code, Code::BadArgument, "{error}");
        assert!(error.to_string().starts_with(start), "{error}");
        check_wording(&error);
    }
}

/// Runs each generator once, in all its branches, with data of a few hundred kilobytes.
fn each(check: impl Fn(&str, Make<'_>)) {
    let dense = uniform(300, Density::Arcs(20_000), GraphKind::Directed);
    let sparse = uniform(100_000, Density::Arcs(20_000), GraphKind::Undirected);
    let full = uniform(200, Density::Arcs(39_000), GraphKind::Directed);
    let by_chance = uniform(10_000, Density::Probability(0.0004), GraphKind::Acyclic);
    let shuffled = UniformGraph { labels: Labels::Shuffled, max_weight: Some(7), ..sparse };
    for (name, graph) in [
        ("dense", dense),
        ("sparse", sparse),
        ("full", full),
        ("by chance", by_chance),
        ("shuffled", shuffled),
    ] {
        check(name, &|options| graph.generate(options).map(|_| ()));
    }
    check("rmat", &|options| RMAT.generate(options).map(|_| ()));
    let kept = Rmat { repeats: Repeats::Kept, ..RMAT };
    check("rmat, kept", &|options| kept.generate(options).map(|_| ()));
    check("road", &|options| ROAD.generate(options).map(|_| ()));
    let table = RandomTable { n_rows: 1_000_000, widths: vec![4; 2], density: Some(0.1) };
    check("table", &|options| table.generate(options).map(|_| ()));
    check("terrain", &|options| TERRAIN.generate(options).map(|_| ()));
    check("blocks", &|options| BLOCKS.generate(options).map(|_| ()));
    check("country", &|options| COUNTRY.generate(options).map(|_| ()));
    let image = NoisyCurve { height: 300, width: 300, ..CURVE };
    check("curve", &|options| image.generate(options).map(|_| ()));
    let start = &Graph { n_vertices: 500, ..Graph::default() };
    let (shares, max_weight) = (SHARES, Some(9));
    let stream = UpdateStream { start, undirected: true, n_operations: 50_000, shares, max_weight };
    check("updates", &|options| stream.generate(options).map(|_| ()));
}

#[test]
fn oversized_data_are_rejected_before_generation() {
    each(|name, make| {
        let mut n_asked = 0;
        let mut progress = |_| {
            n_asked += 1;
            true
        };
        let mut options = GenerateOptions::new(1, 100_000);
        options.progress = Some(&mut progress);
        let error = make(&mut options).expect_err(name);
        assert_eq!(error.code, Code::DoesNotFit, "{name}: {error}");
        assert!(error.message.contains("the budget is 97.7 KiB"), "{name}: {error}");
        assert_eq!(n_asked, 0, "{name} began");
        make(&mut GenerateOptions::new(1, 100 << 20)).expect(name);
    });
    // Sizes whose products exceed 64 bits.
    let n_vertices = u64::from(u32::MAX);
    for density in [Density::Probability(1.0), Density::Arcs(1 << 62)] {
        let graph = uniform(n_vertices, density, GraphKind::Directed);
        let error = graph.generate(&mut GenerateOptions::new(1, u64::MAX)).unwrap_err();
        assert_eq!(error.code, Code::DoesNotFit);
    }
    let rmat = Rmat { n_arcs: u64::MAX, ..RMAT };
    let error = rmat.generate(&mut GenerateOptions::new(1, u64::MAX)).unwrap_err();
    assert_eq!(error.code, Code::DoesNotFit);
}

#[test]
fn every_generator_can_be_interrupted_anywhere() {
    each(|name, make| {
        let mut n_iterations = 0;
        let mut count = |_| {
            n_iterations += 1;
            true
        };
        let mut options = GenerateOptions::new(1, crate::support::BUDGET);
        options.progress = Some(&mut count);
        make(&mut options).expect(name);
        assert!(n_iterations > 0, "{name} is never asked");
        for last in 0..n_iterations {
            let mut n_left = last;
            let mut progress = |_| {
                n_left -= 1;
                n_left >= 0
            };
            let mut options = GenerateOptions::new(1, crate::support::BUDGET);
            options.progress = Some(&mut progress);
            let error = make(&mut options).expect_err(name);
            assert_eq!(error.code, Code::Interrupted, "{name}");
            assert_eq!(n_left, -1, "{name} goes on when it was stopped");
        }
    });
}
