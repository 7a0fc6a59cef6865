//! What is compared with what, on which inputs.

use super::input::Source;
use super::job::Job;

/// A group of peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Crates, and loops by hand.
    Rust,
    /// Packages of Python.
    Python,
    /// Libraries of C and C++.
    C,
}

impl Family {
    pub(super) const ALL: [Family; 3] = [Family::Rust, Family::Python, Family::C];

    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Rust => "rust",
            Family::Python => "python",
            Family::C => "c",
        }
    }
}

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contestant {
    /// The library's routine.
    Ours {
        /// With intrinsics, where there are some?
        intrinsics: bool,
    },
    /// A peer.
    Peer(Family, &'static str),
}

/// A job on an input, and who does it; ours first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) job: Job,
    pub(super) source: Source,
    pub(super) contestants: Vec<Contestant>,
}

/// Which inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// A few minutes for everything.
    Quick,
    /// Those of the goals.
    Full,
    /// These vertices, sides or rows.
    PeerArgs(Vec<u64>),
}

/// The greatest n for networkx, which is there as the baseline of many papers.
const BASELINE: u64 = 1000;

/// The greatest n for petgraph's Floyd, whose table of all pairs is a hash map.
const MAP_OF_PAIRS: u64 = 1000;

/// The greatest n for what has an intrinsic as it is written, unless everything is wanted.
const AS_WRITTEN: u64 = 2000;

/// The greatest n for which spanning trees are tried as they are written: each edge of the tree
/// takes some hundred operations on all edges.
const TREES: u64 = 20_000;

/// The peers for a job.
pub(super) fn peers(job: Job, family: Family) -> &'static [&'static str] {
    match (family, job) {
        (Family::Rust, Job::Closure) => &["bit-matrix", "by hand"],
        (Family::Rust, Job::Floyd | Job::Kruskal | Job::Prim) => &["petgraph"],
        (Family::Rust, Job::Paths | Job::Levels | Job::ArcPaths | Job::ArcLevels) => {
            &["petgraph", "rustworkx-core"]
        }
        (Family::Rust, Job::Components) => &["petgraph"],
        // `star-benches results wave` has the Rust peers of the wave.
        (Family::Rust, Job::Branching | Job::Wave) => &[],
        (
            Family::Rust,
            Job::Match | Job::Less | Job::Least | Job::Add | Job::Sum | Job::Three | Job::Select,
        ) => &["packed numbers"],
        (
            Family::Rust,
            Job::Rank | Job::Median | Job::Hist | Job::Groups | Job::Join | Job::Among,
        ) => &["packed numbers"],
        (Family::Python, Job::Closure) => &["numpy", "networkx"],
        (Family::Python, Job::Floyd | Job::Paths | Job::ArcPaths | Job::Kruskal) => {
            &["scipy", "rustworkx", "networkx"]
        }
        (Family::Python, Job::Levels | Job::ArcLevels) => {
            &["scipy", "rustworkx", "graphblas", "networkx"]
        }
        (Family::Python, Job::Components) => &["scipy"],
        (Family::Python, Job::Branching) => &["networkx"],
        (Family::Python, Job::Wave) => &["scikit-image"],
        (
            Family::Python,
            Job::Match
            | Job::Less
            | Job::Least
            | Job::Add
            | Job::Sum
            | Job::Three
            | Job::Select
            | Job::Rank
            | Job::Median
            | Job::Hist
            | Job::Groups
            | Job::Join
            | Job::Among,
        ) => &["numpy", "polars", "pyarrow", "duckdb"],
        (
            Family::C,
            Job::Paths | Job::Levels | Job::ArcPaths | Job::ArcLevels | Job::Components,
        ) => &["gapbs", "lemon"],
        (Family::C, Job::Kruskal | Job::Branching) => &["lemon"],
        // A tree is a tree: KRUSKAL meets these peers.
        (Family::Python | Family::C, Job::Prim) => &[],
        (
            Family::C,
            Job::Closure
            | Job::Floyd
            | Job::Match
            | Job::Less
            | Job::Least
            | Job::Add
            | Job::Sum
            | Job::Three
            | Job::Select
            | Job::Rank
            | Job::Median
            | Job::Hist
            | Job::Groups
            | Job::Join
            | Job::Among
            | Job::Wave,
        ) => &[],
    }
}

/// All cases for these families; `shared`: are there real graphs?
pub(super) fn cases(families: &[Family], sizes: &Sizes, shared: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for job in Job::ALL {
        for source in sources(job, sizes, shared) {
            let contestants = contestants(job, source, families, sizes);
            if contestants.iter().any(|one| matches!(one, Contestant::Peer(..))) {
                cases.push(Case { job, source, contestants });
            }
        }
    }
    cases
}

/// Why ours is not even tried as it is written; `None` if it is.
pub(super) fn too_large_as_written(job: Job, source: Source) -> Option<String> {
    let is_list =
        matches!(job, Job::Kruskal | Job::Prim | Job::ArcPaths | Job::ArcLevels | Job::Components);
    // Of a file the number of vertices is unknown.
    (is_list && (source.n() > TREES || source.size().is_none())).then(|| {
        let routine = job.routine();
        format!("{routine} as it is written would take hours: n steps, each over all edges")
    })
}

pub(super) fn contestants(
    job: Job,
    source: Source,
    families: &[Family],
    sizes: &Sizes,
) -> Vec<Contestant> {
    let mut found = vec![Contestant::Ours { intrinsics: true }];
    // Of a file it is not known, and those that there are are larger.
    let n = if source.size().is_some() { source.n() } else { u64::MAX };
    if job.has_intrinsic() && (n <= AS_WRITTEN || *sizes == Sizes::Full) {
        found.push(Contestant::Ours { intrinsics: false });
    }
    for &family in families {
        for &name in peers(job, family) {
            let most = match (name, job) {
                ("networkx", _) => BASELINE,
                ("petgraph", Job::Floyd) => MAP_OF_PAIRS,
                _ => u64::MAX,
            };
            if n <= most {
                found.push(Contestant::Peer(family, name));
            }
        }
    }
    found
}

fn sources(job: Job, sizes: &Sizes, shared: bool) -> Vec<Source> {
    let pick = |quick: &[u64], more: &[u64]| match sizes {
        Sizes::Quick => quick.to_vec(),
        Sizes::Full => [quick, more].concat(),
        Sizes::PeerArgs(sizes) => sizes.clone(),
    };
    let is_full = *sizes == Sizes::Full;
    let real = |source| (shared && !matches!(sizes, Sizes::PeerArgs(_))).then_some(source);
    let arcs = |n: Vec<u64>| n.into_iter().map(|n| Source::Arcs { n, m: 5 * n });
    let roads = || pick(&[20, 70], &[700]).into_iter().map(|side| Source::Road { side });
    match job {
        Job::Closure => {
            let n = pick(&[500, 1000, 2000, 5000], &[]);
            let sparse = n.iter().map(|&n| Source::Sparse { n });
            let dense = n.iter().map(|&n| Source::Dense { n });
            let acyclic = n.iter().map(|&n| Source::Acyclic { n });
            sparse.chain(dense).chain(acyclic).chain(real(Source::WikiVote)).collect()
        }
        Job::Floyd => arcs(pick(&[100, 200, 400], &[1000, 2000])).collect(),
        Job::Paths | Job::Levels => arcs(pick(&[1000, 2000, 5000], &[]))
            .chain(roads().filter(|_| !matches!(sizes, Sizes::PeerArgs(_))))
            .chain((is_full && job == Job::Paths).then_some(Source::Road { side: 4900 }))
            .chain(is_full.then_some(Source::Rmat { n: 1 << 20 }))
            .chain(["rome99", "DE"].into_iter().filter_map(|name| real(Source::Roads { name })))
            .collect(),
        Job::ArcPaths | Job::ArcLevels | Job::Components => roads()
            .filter(|_| !matches!(sizes, Sizes::PeerArgs(_)))
            .chain((is_full && job == Job::ArcPaths).then_some(Source::Road { side: 4900 }))
            .chain(is_full.then_some(Source::Rmat { n: 1 << 20 }))
            .chain(["rome99", "DE"].into_iter().filter_map(|name| real(Source::Roads { name })))
            .collect(),
        Job::Kruskal | Job::Prim => {
            let n = pick(&[1000, 2000, 5000], &[]);
            let large = [
                Source::Edges { n: 10_000, m: 100_000 },
                Source::Edges { n: 100_000, m: 1_000_000 },
            ];
            n.into_iter()
                .map(|n| Source::Edges { n, m: 5 * n })
                .chain(roads().filter(|_| !matches!(sizes, Sizes::PeerArgs(_))))
                .chain(large.into_iter().filter(|_| is_full))
                .collect()
        }
        Job::Branching => arcs(pick(&[1000, 2000, 5000], &[]))
            .chain(is_full.then_some(Source::Arcs { n: 10_000, m: 100_000 }))
            .chain(is_full.then_some(Source::Arcs { n: 100_000, m: 1_000_000 }))
            .collect(),
        Job::Match
        | Job::Less
        | Job::Least
        | Job::Add
        | Job::Sum
        | Job::Three
        | Job::Select
        | Job::Rank
        | Job::Median
        | Job::Hist
        | Job::Groups
        | Job::Join
        | Job::Among => {
            let rows = pick(&[1 << 16, 1 << 22], &[1 << 24, 1 << 26]);
            let of = |bits| rows.iter().map(move |&rows| Source::Columns { rows, bits });
            // Lists of all numbers and keys of few bits.
            let is_wide = !matches!(job, Job::Hist | Job::Groups | Job::Join);
            of(32).filter(|_| is_wide).chain(of(12)).collect()
        }
        Job::Wave => {
            pick(&[300, 1000], &[3000]).into_iter().map(|side| Source::Cells { side }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_ours_first_and_a_peer() {
        for sizes in [Sizes::Quick, Sizes::Full, Sizes::PeerArgs(vec![64])] {
            let cases = cases(&Family::ALL, &sizes, true);
            assert!(cases.len() > 20);
            for case in cases {
                assert_eq!(case.contestants[0], Contestant::Ours { intrinsics: true });
                assert!(matches!(case.contestants.last(), Some(Contestant::Peer(..))));
            }
        }
    }

    #[test]
    fn every_family_has_cases_and_branching_has_no_rust_peer() {
        for family in Family::ALL {
            let cases = cases(&[family], &Sizes::Quick, false);
            assert!(!cases.is_empty());
            let branching = cases.iter().any(|case| case.job == Job::Branching);
            assert_eq!(branching, family != Family::Rust);
        }
    }

    /// So that rows of peers lie on the plots of the suite.
    #[test]
    fn the_suite_has_the_same_benchmarks() {
        let suite = [
            ("basic.star", include_str!("../../suite/basic.star")),
            ("closure.star", include_str!("../../suite/closure.star")),
            ("paths.star", include_str!("../../suite/paths.star")),
            ("trees.star", include_str!("../../suite/trees.star")),
        ];
        let in_suite = [Job::Match, Job::Less, Job::Least, Job::Add, Job::Sum, Job::Among];
        for case in cases(&[Family::Rust, Family::C], &Sizes::Quick, false) {
            let (file, title) = case.job.benchmark();
            let is_own = match case.source {
                Source::Dense { .. }
                | Source::Road { .. }
                | Source::Cells { .. }
                | Source::Rmat { .. }
                | Source::Roads { .. }
                | Source::WikiVote => true,
                Source::Columns { bits, .. } => bits == 12 || !in_suite.contains(&case.job),
                Source::Sparse { .. }
                | Source::Acyclic { .. }
                | Source::Arcs { .. }
                | Source::Edges { .. } => false,
            };
            let (_, text) = suite.iter().find(|(name, _)| *name == file).unwrap();
            let line = format!("/* @bench {title}, {}\n", case.source.family());
            assert_eq!(text.contains(&line), !is_own, "{line}");
        }
    }

    #[test]
    fn given_sizes_are_the_only_ones() {
        let cases = cases(&[Family::Python], &Sizes::PeerArgs(vec![100]), true);
        let of_side = |case: &Case| case.job == Job::Wave && case.source.n() == 100 * 100;
        assert!(cases.iter().all(|case| case.source.n() == 100 || of_side(case)));
    }
}
