//! Lists of arcs on the device: distances, levels, components and spanning forests of road-like
//! grids and of R-MAT graphs with about as many vertices.

use star_io::generate::{GenerateOptions, Labels, Parts, Repeats, Rmat, Road};
use star_io::{FileError, Graph, Layout, LayoutValue, Widths, lay_out};
use star_value::Value;

use super::{Bench, SEED, int};
use crate::instance::ones;
use crate::results::Figure;

const TEXT: &str = "import \"star:arcs\";
procedure PATHS(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
  S: slice(m); var Dist: table);
begin SSSP(s,n,h,both,left,right,weight,S,Dist) end;
procedure TREE(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
  S: slice(m); var Dist,Pred: table; var T: slice(m));
begin SSSP_TREE(s,n,h,both,left,right,weight,S,Dist,Pred,T) end;
procedure LEVELS(s,n: integer; both: boolean; left,right: table(m,b); S: slice(m); var Dist: table);
begin BFS(s,n,both,left,right,S,Dist) end;
procedure LABELS(n: integer; left,right: table(m,b); S: slice(m); var Label: table);
begin COMPONENTS(n,left,right,S,Label) end;
procedure FOREST(left,right: table(m,b); weight: table(m); S: slice(m); var T: slice(m));
begin MST(left,right,weight,S,T) end;";

/// Weights are 1 to this, as those of the peers' inputs.
const MAX_WEIGHT: i64 = 1000;
/// The memory for a graph.
const MAX_BYTES: u64 = 1 << 36;
/// The binary logarithm of the greatest number of vertices of an R-MAT graph.
const MOST_SCALE: u32 = 22;

impl Bench {
    /// Runs all routines on a road-like grid of n × n crossings and on an R-MAT graph.
    pub(super) fn arcs(&self, n: usize) -> Result<Vec<Figure>, String> {
        let side = n as u64;
        if side < 2 {
            return Err("a road-like grid has two crossings on a side".to_owned());
        }
        let scale = (side * side).next_power_of_two().ilog2().min(MOST_SCALE);
        let road = Road {
            height: side,
            width: side,
            missing: 0.1,
            diagonals: 0.1,
            parts: Parts::Largest,
            max_weight: Some(MAX_WEIGHT),
        };
        let rmat = Rmat {
            n_vertices: 1 << scale,
            n_arcs: 16 << scale,
            corners: [0.57, 0.19, 0.19],
            repeats: Repeats::Dropped,
            labels: Labels::Shuffled,
            max_weight: Some(MAX_WEIGHT),
        };
        let options = || GenerateOptions::new(SEED, MAX_BYTES);
        let failed = |error: FileError| error.to_string();
        let road = road.generate(&mut options()).map_err(failed)?.graph;
        let mut figures = self.on_graph("road-like grid", n, &road)?;
        drop(road);
        let rmat = rmat.generate(&mut options()).map_err(failed)?;
        figures.extend(self.on_graph("R-MAT, 16n arcs", n, &rmat)?);
        Ok(figures)
    }

    fn on_graph(&self, name: &str, side: usize, graph: &Graph) -> Result<Vec<Figure>, String> {
        let failed = |error: FileError| error.to_string();
        let widths = Widths { h: graph.weight_width().map_err(failed)?, b: graph.code_width() };
        let table = |layout| match lay_out(layout, graph, widths, MAX_BYTES, "the list") {
            Ok(LayoutValue::Table(table)) => Ok(Value::Table(table)),
            Ok(LayoutValue::Slice(_)) => Err("a list is a table".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let ends = [table(Layout::Left)?, table(Layout::Right)?];
        let weight = table(Layout::Weight)?;
        let all = ones(graph.n_edges());
        // The first vertex of R-MAT need not have an arc.
        let start = int(graph.arcs.first().map_or(1, |arc| arc.tail as usize + 1));
        let (n, both) = (int(graph.n_vertices), Value::Bool(graph.symmetric));
        let h = int(graph.path_width().map_err(failed)?);
        let weighted = [&ends[..], &[weight.clone(), all.clone()]].concat();
        let plain = [&ends[..], &[all]].concat();
        let with = |numbers: &[&Value], tables: &[Value], n_results: usize| -> Vec<Value> {
            let numbers = numbers.iter().map(|number| (*number).clone());
            let results = std::iter::repeat_n(Value::Unset, n_results);
            numbers.chain(tables.iter().cloned()).chain(results).collect()
        };
        let searches = [&start, &n, &h, &both];
        let jobs = [
            ("distances", "PATHS", with(&searches, &weighted, 1)),
            ("tree of distances", "TREE", with(&searches, &weighted, 3)),
            ("levels", "LEVELS", with(&[&start, &n, &both], &plain, 1)),
            ("components", "LABELS", with(&[&n], &plain, 1)),
            ("spanning forest", "FOREST", with(&[], &weighted, 1)),
        ];
        let mut figures = Vec::new();
        for (job, routine, args) in jobs {
            let input = format!("{job}, {name}");
            let sample = self.line(&input, (TEXT, routine, &[]), &args)?;
            if sample.stats.intrinsics != 1 {
                return Err(format!("{input}: the intrinsic did not run"));
            }
            figures.push(sample.against_cpu(&input, ("side", side)));
        }
        Ok(figures)
    }
}
