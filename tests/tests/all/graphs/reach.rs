//! `reach`: REACH_INIT, INSERT_REACH, CHECK_MST and BFS.

use star_io::Layout;
use star_value::{BitTable, BitVector, Value};

use super::dynmst::State;
use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{
    Components, Edge, ends_of, forest_weight, levels, reached, tree_paths, weight_of,
};
use super::values::{bits_at, code_width, codes, field, laid_out, ones, vertex, zeros};

pub(super) fn play(module: &Module, rng: &mut Rng) {
    check_insert_reach(module, rng);
    check_reach_init(module, rng);
    check_check_mst(module, rng);
    check_bfs(module, rng);
}

fn check_insert_reach(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(1, 9);
    let b = code_width(n);
    let s = rng.below(n);
    let mut g = Value::from(zeros(n, n));
    let mut pred = Value::from(zeros(n, b));
    let mut set = Value::Slice(bits_at(n, [s]));
    let mut arcs = Vec::new();
    for _ in 0..2 * n {
        let (u, v) = (rng.below(n), rng.below(n));
        arcs.push((u, v));
        let args = vec![vertex(u), vertex(v), Value::from(codes(n, b)), g.clone(), pred, set];
        let results = module.call("INSERT_REACH", args);
        let (table, tree, found) = (results.table(3), results.table(4), results.slice(5));
        assert_eq!(found, reached(n, &arcs, s), "from {s}, {arcs:?}");
        for x in 0..n {
            for y in 0..n {
                assert_eq!(table.get(x, y), arcs.contains(&(x, y)), "{arcs:?}");
            }
        }
        leads_back(&tree, b, s, &found, &arcs);
        g = Value::from(table);
        pred = Value::from(tree);
        set = Value::Slice(found);
    }
}

/// Asserts that `tree` leads back to `s` from every vertex reachable from it, along arcs.
fn leads_back(tree: &BitTable, b: usize, s: usize, found: &BitVector, arcs: &[(usize, usize)]) {
    let n = found.len();
    for x in 0..n {
        let mut y = x;
        for _ in 0..n {
            let Some(before) = field(tree, y, 0, b).checked_sub(1) else { break };
            assert!(arcs.contains(&(before as usize, y)), "{before} to {y}, {arcs:?}");
            y = before as usize;
        }
        assert_eq!(y, if found.get(x) { s } else { x }, "back from {x}, {arcs:?}");
    }
}

fn check_reach_init(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(1, 12);
    let (graph, s, b) = (rng.graph(n, 1), rng.below(n), code_width(n));
    let arcs = ends_of(&graph);
    let (code, g) = (Value::from(codes(n, b)), laid_out(Layout::Adjacency, &graph));
    let g = Value::from(g);
    let args = vec![vertex(s), code.clone(), g.clone(), Value::Unset, Value::Unset];
    let results = module.call("REACH_INIT", args);
    let (tree, found) = (results.table(3), results.slice(4));
    assert_eq!(found, reached(n, &arcs, s), "from {s}, {graph:?}");
    leads_back(&tree, b, s, &found, &arcs);
    // The same from the source on, with nothing known.
    let alone = Value::Slice(bits_at(n, [s]));
    let args = vec![alone.clone(), code, g, Value::from(zeros(n, b)), alone];
    let spread = module.call("REACH_SPREAD", args);
    assert_eq!((spread.table(3), spread.slice(4)), (tree, found), "from {s}, {graph:?}");
}

/// Checks that every edge of a forest that spans the graph, minimum or not, is judged correctly.
fn check_check_mst(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(0, 8);
    let m = if n < 2 { 0 } else { rng.below(3 * n) };
    let most = rng.pick(&[1, 4, 60]);
    let list: Vec<Edge> = (0..m)
        .map(|row| {
            let p = rng.below(n);
            let q = (p + 1 + rng.below(n - 1)) % n;
            Edge { row, p, q, weight: rng.between(0, most) as u64 }
        })
        .collect();
    let e = rng.bits(m);
    let mut state = State::new(n, list, e);
    let edges = state.edges(&state.e);
    // The first edges that form a forest; sorted by weight once in three times.
    let mut sorted = edges.clone();
    if rng.once_in(3) {
        sorted.sort_by_key(|edge| edge.weight);
    }
    let mut components = Components::new(n);
    let tree: Vec<Edge> =
        sorted.into_iter().filter(|edge| components.join(edge.p, edge.q)).collect();
    state.t = bits_at(m, tree.iter().map(|edge| edge.row));
    for x in 0..n {
        let root = components.find(x);
        let path = tree_paths(n, m, &tree, root)[x].clone().expect("the same tree");
        for row in ones(&path) {
            state.paths.put(row, x, true);
        }
    }
    let [inc, weight] = state.lists().try_into().expect("two tables");
    let args = vec![
        weight,
        Value::Slice(state.e.clone()),
        Value::Slice(state.t.clone()),
        inc,
        Value::from(state.paths.clone()),
        Value::Unset,
    ];
    let found = module.call("CHECK_MST", args).slice(5);
    let lighter = edges.iter().filter(|edge| {
        let paths = tree_paths(n, m, &tree, edge.p);
        let path = paths[edge.q].clone().expect("the forest spans the graph");
        state.edges(&path).iter().any(|other| other.weight > edge.weight)
    });
    let expected = bits_at(m, lighter.map(|edge| edge.row).filter(|&row| !state.t.get(row)));
    assert_eq!(found, expected, "{state:?}");
    let minimum = weight_of(&tree) == forest_weight(n, &edges);
    assert_eq!(ones(&found).is_empty(), minimum, "{state:?}");
}

fn check_bfs(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(1, 12);
    let graph = rng.graph(n, 1);
    let s = rng.below(n);
    let g = Value::from(laid_out(Layout::Adjacency, &graph));
    let found = module.call("BFS", vec![vertex(s), g, Value::Unset]).table(2);
    let levels = levels(n, &ends_of(&graph), s);
    let farthest = levels.iter().flatten().max().copied().unwrap_or(0);
    assert_eq!(found.n_cols(), farthest + 1, "from {s}, {graph:?}");
    for d in 0..=farthest {
        let level = bits_at(n, (0..n).filter(|&x| levels[x] == Some(d)));
        assert_eq!(found.column(d), level, "at {d} from {s}, {graph:?}");
    }
}

#[test]
fn reach_levels_and_checks_agree_with_direct_search() {
    let module = Module::new("reach");
    each_seed(120, |rng| play(&module, rng));
}

#[test]
fn a_forest_built_by_msf_is_confirmed_as_minimum() {
    let program = star_tests::run::Program::new(
        r#"
import "star:dynmst";
import "star:reach";

procedure Check(Inc: table(m,n); weight: table(m); code: table(n); E: slice(m);
                var T,Z: slice(m));
var M,Lab: table;
begin
  MSF(Inc,weight,code,E,T,M,Lab);
  CHECK_MST(weight,E,T,Inc,M,Z);
end;
"#,
    );
    each_seed(10, |rng| {
        let n = 2 + rng.below(6);
        let list = (0..2 * n).map(|row| {
            let p = rng.below(n);
            let q = (p + 1 + rng.below(n - 1)) % n;
            Edge { row, p, q, weight: rng.between(0, 5) as u64 }
        });
        let list: Vec<Edge> = list.collect();
        let all = bits_at(2 * n, 0..2 * n);
        let state = State::new(n, list, all.clone());
        let mut args = state.lists();
        args.extend([state.code(), Value::Slice(all), Value::Unset, Value::Unset]);
        let values = star_tests::run::done(program.run("Check", args));
        assert_eq!(values[5], Value::Slice(bits_at(2 * n, [])), "{state:?}");
        let Value::Slice(tree) = &values[4] else { panic!("T is {:?}", values[4]) };
        let edges = &state.list;
        assert_eq!(weight_of(&state.edges(tree)), forest_weight(n, edges), "{state:?}");
    });
}

#[test]
fn a_loop_is_never_lighter() {
    let module = Module::new("reach");
    let list = vec![Edge { row: 0, p: 0, q: 1, weight: 9 }, Edge { row: 1, p: 1, q: 1, weight: 0 }];
    let mut state = State::new(2, list, bits_at(2, [0, 1]));
    state.t = bits_at(2, [0]);
    state.paths.put(0, 1, true);
    let [inc, weight] = state.lists().try_into().expect("two tables");
    let mut args = vec![weight];
    args.extend([state.e.clone(), state.t.clone()].map(Value::Slice));
    args.extend([inc, Value::from(state.paths.clone()), Value::Unset]);
    assert_eq!(module.call("CHECK_MST", args).slice(5), bits_at(2, []));
}
