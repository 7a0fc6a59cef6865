//! What is compared.

/// A job that ours and peers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// The transitive closure.
    Closure,
    /// Distances between all pairs.
    Floyd,
    /// Distances from one vertex.
    Paths,
    /// Numbers of arcs from one vertex.
    Levels,
    /// Distances from one vertex, on a list of arcs.
    ArcPaths,
    /// Numbers of arcs from one vertex, on a list of arcs.
    ArcLevels,
    /// The first vertex of the component of every vertex, on a list of arcs.
    Components,
    /// The weight of a minimum spanning tree, by Kruskal's algorithm.
    Kruskal,
    /// Likewise by Prim's.
    Prim,
    /// The weight of a greatest branching.
    Branching,
    /// Which rows of a column are equal to a number.
    Match,
    /// Which rows are below a number.
    Less,
    /// Which rows hold the least number.
    Least,
    /// The sum of two columns, row by row.
    Add,
    /// The sum of a column.
    Sum,
    /// How many rows three predicates hold for.
    Three,
    /// Which rows have a number in one column and more than another number in a second.
    Select,
    /// The position of every row in ascending order.
    Rank,
    /// Which rows hold the median.
    Median,
    /// How many rows hold each number.
    Hist,
    /// The sum of a second column over the rows with each of 64 keys.
    Groups,
    /// For each row, the row of a second column with the number in the first one.
    Join,
    /// Which rows are equal to one of 64 numbers.
    Among,
    /// The distances of all cells of a grid from one cell, by Lee's wave.
    Wave,
}

impl Job {
    /// In the order in which they are measured.
    pub(super) const ALL: [Job; 24] = [
        Job::Closure,
        Job::Floyd,
        Job::Paths,
        Job::Levels,
        Job::ArcPaths,
        Job::ArcLevels,
        Job::Components,
        Job::Kruskal,
        Job::Prim,
        Job::Branching,
        Job::Match,
        Job::Less,
        Job::Least,
        Job::Add,
        Job::Sum,
        Job::Three,
        Job::Select,
        Job::Rank,
        Job::Median,
        Job::Hist,
        Job::Groups,
        Job::Join,
        Job::Among,
        Job::Wave,
    ];

    /// Its name on command lines, the routine of the library, and the benchmark that rows of it
    /// belong to: the file in `benches/suite`, and how its title begins.
    fn facts(self) -> (&'static str, &'static str, (&'static str, &'static str)) {
        match self {
            Job::Closure => ("closure", "WARSHALL", ("closure.star", "closure by rows")),
            Job::Floyd => ("floyd", "FLOYD", ("paths.star", "distances between all pairs: Floyd")),
            Job::Paths => {
                ("paths", "DIJKSTRA", ("paths.star", "distances from one vertex: Dijkstra"))
            }
            Job::Levels => {
                ("levels", "BFS", ("paths.star", "levels from one vertex: breadth first"))
            }
            Job::ArcPaths => {
                ("arc-paths", "SSSP", ("paths.star", "distances from one vertex: arcs"))
            }
            Job::ArcLevels => ("arc-levels", "BFS", ("paths.star", "levels from one vertex: arcs")),
            Job::Components => ("components", "COMPONENTS", ("paths.star", "components: arcs")),
            Job::Kruskal => {
                ("kruskal", "KRUSKAL", ("trees.star", "minimum spanning forest: Kruskal"))
            }
            Job::Prim => {
                ("prim", "PRIM", ("trees.star", "minimum spanning tree: Prim and Dijkstra"))
            }
            Job::Branching => {
                ("branching", "EDMONDS", ("trees.star", "branching of greatest weight: Edmonds"))
            }
            Job::Match => ("match", "MATCH", ("basic.star", "MATCH")),
            Job::Less => ("less", "LESS", ("basic.star", "LESS")),
            Job::Least => ("least", "MIN", ("basic.star", "MIN")),
            Job::Add => ("add", "ADDV", ("basic.star", "ADDV")),
            Job::Sum => ("sum", "SUMROWS", ("basic.star", "SUMROWS")),
            Job::Three => {
                ("three", "LESS, GREAT, LESS, NUMB", ("basic.star", "three predicates and NUMB"))
            }
            Job::Select => {
                ("select", "where two fields", ("basic.star", "records with two conditions"))
            }
            Job::Rank => ("rank", "RANK", ("basic.star", "positions in ascending order")),
            Job::Median => ("median", "KTHMIN", ("basic.star", "rows with the median")),
            Job::Hist => ("hist", "HIST", ("basic.star", "numbers of equal rows")),
            Job::Groups => ("groups", "SUMGROUPS", ("basic.star", "sums of 64 groups")),
            Job::Join => ("join", "GATHER", ("basic.star", "rows by numbers")),
            Job::Among => ("among", "AMONG", ("basic.star", "rows equal to one of 64")),
            Job::Wave => ("wave", "WAVE", ("wave.star", "labels of a grid: Lee's wave")),
        }
    }

    /// Its name on command lines.
    pub(super) fn name(self) -> &'static str {
        self.facts().0
    }

    /// What adapters in other languages call it: a tree is a tree to them, and a graph a graph.
    pub(super) fn foreign_name(self) -> &'static str {
        match self {
            Job::Kruskal | Job::Prim => "tree",
            Job::ArcPaths => "paths",
            Job::ArcLevels => "levels",
            Job::Closure
            | Job::Floyd
            | Job::Paths
            | Job::Levels
            | Job::Components
            | Job::Branching
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
            | Job::Wave => self.name(),
        }
    }

    /// The routine of the library.
    pub(super) fn routine(self) -> &'static str {
        self.facts().1
    }

    /// The file of the benchmark in `benches/suite`, and how its title begins.
    pub(super) fn benchmark(self) -> (&'static str, &'static str) {
        self.facts().2
    }

    /// Does it begin at a vertex? The suite calls that one `s`.
    pub(super) fn has_source(self) -> bool {
        matches!(self, Job::Paths | Job::Levels | Job::ArcPaths | Job::ArcLevels | Job::Prim)
    }

    /// Does the backend have an intrinsic for the routine?
    pub(super) fn has_intrinsic(self) -> bool {
        matches!(
            self,
            Job::Closure
                | Job::Floyd
                | Job::Paths
                | Job::ArcPaths
                | Job::ArcLevels
                | Job::Components
                | Job::Kruskal
                | Job::Prim
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_has_a_name_of_its_own() {
        for job in Job::ALL {
            assert_eq!(Job::ALL.iter().filter(|other| other.name() == job.name()).count(), 1);
        }
    }
}
