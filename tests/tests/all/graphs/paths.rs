//! `paths`: FLOYD, DIJKSTRA, BELLMAN_FORD, and the procedures that follow their tables.

use petgraph::algo::{bellman_ford, dijkstra, floyd_warshall};
use petgraph::graph::NodeIndex;
use star_io::{Graph, Layout};
use star_tests::run::Program;
use star_value::{BitTable, Value};

use super::module::{Module, Results};
use super::random::{Rng, each_seed, graph};
use super::reference::{ends_of, least_weights, levels, petgraph_of};
use super::steps;
use super::values::{
    bits_at, code_width, codes, field, infinite, infinity, int, laid_out, numbers, ones,
    path_width, put_field, vertex, word, zeros,
};

pub(super) fn play(module: &Module, rng: &mut Rng) {
    steps::check(module, rng);
    let n = rng.n_vertices(0, 10);
    let graph = rng.graph(n, 0);
    check_floyd(module, &graph);
    if n > 0 {
        check_dijkstra(module, &graph, rng.below(n));
        let s = rng.below(n);
        let signed = signed_graph(rng, n);
        check_bellman_ford(module, &signed, s);
        check_bellman_ford(module, &graph, s);
    }
}

fn check_floyd(module: &Module, graph: &Graph) {
    let (n, h) = (graph.n_vertices, path_width(graph));
    let d = Value::from(laid_out(Layout::Distances, graph));
    let d = module.call("FLOYD", vec![int(n), int(h), infinity(h), d]).table(3);
    let expected = floyd_warshall(&petgraph_of(graph), |arc| *arc.weight())
        .expect("no negative cycle without negative weights");
    for i in 0..n {
        for j in 0..n {
            let expected = match expected.get(&(NodeIndex::new(i), NodeIndex::new(j))) {
                None | Some(&i64::MAX) => infinite(h),
                Some(&length) => length as u64,
            };
            assert_eq!(field(&d, i, j, h), expected, "from {i} to {j}, {graph:?}");
        }
    }
    check_floyd_paths(module, graph, &d);
}

/// Checks that FLOYD_PATHS gives the distances of FLOYD, and that every path formed by its steps
/// has that length.
fn check_floyd_paths(module: &Module, graph: &Graph, distances: &BitTable) {
    let (n, h, b) = (graph.n_vertices, path_width(graph), code_width(graph.n_vertices));
    let d = Value::from(laid_out(Layout::Distances, graph));
    let code = Value::from(codes(n, b));
    let args = vec![int(n), int(h), infinity(h), code, d, Value::Unset];
    let results = module.call("FLOYD_PATHS", args);
    assert_eq!(&results.table(4), distances, "{graph:?}");
    let (next, weights) = (results.table(5), least_weights(graph));
    for i in 0..n {
        for j in 0..n {
            let (mut x, mut walked) = (i, 0);
            for _ in 0..n {
                let Some(after) = field(&next, x, j, b).checked_sub(1) else { break };
                walked += weights[&(x, after as usize)] as u64;
                x = after as usize;
            }
            match field(distances, i, j, h) {
                length if length == infinite(h) => {
                    assert_eq!((x, walked), (i, 0), "no path from {i} to {j}, {graph:?}");
                }
                length => assert_eq!((x, walked), (j, length), "from {i} to {j}, {graph:?}"),
            }
        }
    }
}

/// Checks that PATH gives the path in Pred, forwards.
fn check_path(module: &Module, graph: &Graph, pred: &BitTable, t: usize) {
    let (n, b) = (graph.n_vertices, code_width(graph.n_vertices));
    let mut expected = zeros(n, b);
    let (mut x, mut on_path) = (t, vec![t]);
    while let Some(before) = field(pred, x, 0, b).checked_sub(1) {
        let before = before as usize;
        put_field(&mut expected, before, 0, b, x as u64 + 1);
        on_path.push(before);
        x = before;
    }
    let args = vec![
        vertex(t),
        Value::from(codes(n, b)),
        Value::from(pred.clone()),
        Value::Unset,
        Value::Unset,
    ];
    let results = module.call("PATH", args);
    assert_eq!(results.slice(3), bits_at(n, on_path), "to {t}, {graph:?}");
    assert_eq!(results.table(4), expected, "to {t}, {graph:?}");
}

fn run_dijkstra(module: &Module, graph: &Graph, s: usize) -> Results {
    let (n, h) = (graph.n_vertices, path_width(graph));
    let args = vec![
        vertex(s),
        int(h),
        infinity(h),
        Value::from(laid_out(Layout::Adjacency, graph)),
        Value::from(laid_out(Layout::WeightsOut, graph)),
        Value::from(codes(n, code_width(n))),
        Value::Unset,
        Value::Unset,
    ];
    module.call("DIJKSTRA", args)
}

fn check_dijkstra(module: &Module, graph: &Graph, s: usize) {
    let (n, h, b) = (graph.n_vertices, path_width(graph), code_width(graph.n_vertices));
    let results = run_dijkstra(module, graph, s);
    let (dist, pred) = (results.table(6), results.table(7));
    let expected = dijkstra(&petgraph_of(graph), NodeIndex::new(s), None, |arc| *arc.weight());
    let weights = least_weights(graph);
    for x in 0..n {
        let length = expected.get(&NodeIndex::new(x)).map_or(infinite(h), |&length| length as u64);
        assert_eq!(field(&dist, x, 0, h), length, "from {s} to {x}, {graph:?}");
        // The path in Pred leads back to s and has this length.
        let (mut y, mut walked) = (x, 0);
        for _ in 0..n {
            let Some(before) = field(&pred, y, 0, b).checked_sub(1) else { break };
            let weight = weights[&(before as usize, y)] as u64;
            let so_far = field(&dist, before as usize, 0, h);
            assert_eq!(so_far + weight, field(&dist, y, 0, h), "{graph:?}");
            walked += weight;
            y = before as usize;
        }
        match length == infinite(h) {
            true => assert_eq!((y, walked), (x, 0), "nothing stands before {x}, {graph:?}"),
            false => assert_eq!((y, walked), (s, length), "the path to {x}, {graph:?}"),
        }
    }
    assert_eq!(field(&pred, s, 0, b), 0, "{graph:?}");
    for t in 0..n {
        check_path(module, graph, &pred, t);
    }
    // Once more, with the tables of the first time.
    let mut args: Vec<Value> = results.values.clone();
    args[0] = vertex(s);
    assert_eq!(module.call("DIJKSTRA", args), results);
}

/// Returns a graph with negative arcs, often with a cycle of negative length.
fn signed_graph(rng: &mut Rng, n: usize) -> Graph {
    let mut signed = rng.graph(n, 0);
    match rng.below(3) {
        // Arcs made longer or shorter by a potential, which causes no negative cycle.
        0 => {
            let heights: Vec<i64> = (0..n).map(|_| rng.between(0, 20)).collect();
            for arc in &mut signed.arcs {
                arc.weight += heights[arc.head as usize] - heights[arc.tail as usize];
            }
        }
        1 => {
            for arc in &mut signed.arcs {
                if rng.once_in(8) {
                    arc.weight = -arc.weight;
                }
            }
        }
        // An inserted cycle: a loop, or longer.
        _ => {
            let length = 1 + rng.below(n.min(4));
            let start = rng.below(n);
            for step in 0..length {
                let tail = ((start + step) % n) as u32;
                let head = ((start + (step + 1) % length) % n) as u32;
                let weight = if step == 0 { -1 } else { 0 };
                signed.arcs.push(star_io::Arc { tail, head, weight });
            }
        }
    }
    signed
}

fn check_bellman_ford(module: &Module, graph: &Graph, s: usize) {
    let (n, b) = (graph.n_vertices, code_width(graph.n_vertices));
    let h = graph.signed_width().expect("small weights");
    let zero = 1 << (h - 1);
    let weights = least_weights(graph);
    let args = vec![
        vertex(s),
        int(n),
        int(h),
        infinity(h),
        word(zero, h),
        Value::from(laid_out(Layout::Adjacency, graph)),
        Value::from(laid_out(Layout::SignedOut, graph)),
        Value::from(codes(n, b)),
        Value::Unset,
        Value::Unset,
        Value::Unset,
    ];
    let results = module.call("BELLMAN_FORD", args);
    let expected = petgraph_of(graph).map(|_, ()| (), |_, &weight| weight as f64);
    let expected = bellman_ford(&expected, NodeIndex::new(s));
    let (dist, pred) = (results.table(8), results.table(9));
    check_negative_cycle(module, graph, s, &pred, expected.is_err());
    let Ok(expected) = expected else {
        assert!(results.bool(10), "a negative cycle was missed, from {s}, {graph:?}");
        return;
    };
    assert!(!results.bool(10), "there is no negative cycle, from {s}, {graph:?}");
    for x in 0..n {
        let found = field(&dist, x, 0, h);
        let length = expected.distances[x];
        if length.is_infinite() {
            assert_eq!(found, infinite(h), "from {s} to {x}, {graph:?}");
            continue;
        }
        let found = found as i64 - zero as i64;
        assert_eq!(found as f64, length, "from {s} to {x}, {graph:?}");
        match field(&pred, x, 0, b).checked_sub(1) {
            None => assert_eq!(x, s, "nothing stands before {x}, {graph:?}"),
            Some(before) => {
                let so_far = field(&dist, before as usize, 0, h) as i64 - zero as i64;
                assert_eq!(so_far + weights[&(before as usize, x)], found, "{graph:?}");
            }
        }
    }
    if graph.arcs.iter().all(|arc| arc.weight >= 0) {
        let lengths = run_dijkstra(module, graph, s).table(6);
        let h_of_dijkstra = path_width(graph);
        for x in 0..n {
            let (found, length) = (field(&dist, x, 0, h), field(&lengths, x, 0, h_of_dijkstra));
            let same = match length == infinite(h_of_dijkstra) {
                true => found == infinite(h),
                false => found - zero == length,
            };
            assert!(same, "BELLMAN_FORD and DIJKSTRA differ from {s} to {x}, {graph:?}");
        }
    }
}

/// Checks that NEGATIVE_CYCLE finds a cycle iff there is one: arcs of the graph, once through all
/// its vertices, of negative length, and reachable from `s`.
fn check_negative_cycle(module: &Module, graph: &Graph, s: usize, pred: &BitTable, neg: bool) {
    let (n, b) = (graph.n_vertices, code_width(graph.n_vertices));
    let args =
        vec![Value::from(codes(n, b)), Value::from(pred.clone()), Value::Unset, Value::Unset];
    let results = module.call("NEGATIVE_CYCLE", args);
    let (cycle, next) = (results.slice(2), results.table(3));
    let members = ones(&cycle);
    let Some(&first) = members.first() else {
        assert!(!neg, "no cycle was found, from {s}, {graph:?}");
        return;
    };
    assert!(neg, "from {s}, {graph:?}");
    let weights = least_weights(graph);
    let (mut x, mut length, mut met) = (first, 0, Vec::new());
    loop {
        let after = field(&next, x, 0, b) as usize - 1;
        length += weights[&(x, after)];
        met.push(x);
        x = after;
        if x == first || met.len() > n {
            break;
        }
    }
    met.sort_unstable();
    assert_eq!(met, members, "from {s}, {graph:?}");
    assert!(length < 0, "a cycle of length {length}, from {s}, {graph:?}");
    assert!(levels(n, &ends_of(graph), s)[first].is_some(), "from {s}, {graph:?}");
    for x in (0..n).filter(|x| !members.contains(x)) {
        assert_eq!(field(&next, x, 0, b), 0, "from {s}, {graph:?}");
    }
}

#[test]
fn distances_agree_with_petgraph() {
    let module = Module::new("paths");
    each_seed(120, |rng| play(&module, rng));
}

#[test]
fn distances_in_unit_weights_are_levels() {
    let module = Module::new("paths");
    each_seed(20, |rng| {
        let n = 1 + rng.below(10);
        let graph = rng.graph_of(n, 2 * n, 1, 1);
        let h = path_width(&graph);
        let d = Value::from(laid_out(Layout::Distances, &graph));
        let d = module.call("FLOYD", vec![int(n), int(h), infinity(h), d]).table(3);
        for i in 0..n {
            for (j, level) in levels(n, &ends_of(&graph), i).into_iter().enumerate() {
                let level = level.map_or(infinite(h), |level| level as u64);
                assert_eq!(field(&d, i, j, h), level, "from {i} to {j}, {graph:?}");
            }
        }
    });
}

#[test]
fn a_program_reads_the_path_backwards() {
    let program = Program::new(
        r#"
import "star:paths";

program Path(s,t,h: integer; G: table(n,n); Cost: table(n,n*h); code: table(n));
var Dist,Pred: table; U,Z: slice(code); inf,w: word;
begin
  inf:=WORD(0,h); SET(inf);
  DIJKSTRA(s,h,inf,G,Cost,code,Dist,Pred);
  SET(U);
  print(INT(ROW(t,Dist)));
  while t<>s do
  begin
    w:=ROW(t,Pred);
    MATCH(code,U,w,Z);
    t:=FND(Z);
    print(t);
  end;
end.
"#,
    );
    let arc = |tail, head, weight| star_io::Arc { tail, head, weight };
    let graph =
        graph(5, vec![arc(0, 1, 7), arc(0, 2, 1), arc(2, 3, 2), arc(3, 1, 3), arc(1, 4, 1)]);
    let args = vec![
        vertex(0),
        vertex(4),
        int(path_width(&graph)),
        Value::from(laid_out(Layout::Adjacency, &graph)),
        Value::from(laid_out(Layout::WeightsOut, &graph)),
        Value::from(laid_out(Layout::Code, &graph)),
    ];
    let run = program.run("Path", args);
    assert_eq!(run.printed, "7\n2\n4\n3\n1\n", "{:?}", run.outcome);
}

#[test]
fn a_cycle_is_not_a_path() {
    let module = Module::new("paths");
    // 1 follows 2, and 2 follows 1.
    let pred = Value::from(numbers(&[2, 1, 0], 2));
    let args = |t| {
        let code = Value::from(codes(3, 2));
        vec![vertex(t), code, pred.clone(), Value::Unset, Value::Unset]
    };
    let error = module.try_call("PATH", args(0)).expect_err("a cycle");
    assert!(error.contains("round a cycle"), "{error}");
    assert_eq!(module.call("PATH", args(2)).slice(3), bits_at(3, [2]));
}

#[test]
fn codes_of_zero_are_an_error() {
    let module = Module::new("paths");
    let graph = graph(2, vec![star_io::Arc { tail: 0, head: 1, weight: 3 }]);
    let table = |layout| Value::from(laid_out(layout, &graph));
    let unset = || Value::Unset;
    let (h, wide) = (path_width(&graph), graph.signed_width().expect("small weights"));
    let calls = |codes: [u64; 2]| {
        let code = || Value::from(numbers(&codes, 2));
        let g = || table(Layout::Adjacency);
        let floyd = vec![int(2), int(h), infinity(h), code(), table(Layout::Distances), unset()];
        let cost = table(Layout::WeightsOut);
        let dijkstra = vec![vertex(0), int(h), infinity(h), g(), cost, code(), unset(), unset()];
        let mut bellman_ford = vec![vertex(0), int(2), int(wide), infinity(wide)];
        bellman_ford.extend([word(1 << (wide - 1), wide), g(), table(Layout::SignedOut), code()]);
        bellman_ford.extend([unset(), unset(), unset()]);
        [("FLOYD_PATHS", floyd), ("DIJKSTRA", dijkstra), ("BELLMAN_FORD", bellman_ford)]
    };
    for (routine, args) in calls([1, 2]) {
        module.call(routine, args);
    }
    for (routine, args) in calls([1, 0]) {
        let error = module.try_call(routine, args).expect_err("a code of zero");
        assert!(error.contains("is zero"), "{routine}: {error}");
    }
}
