//! The library on sparse graphs, in every layout that supports them.

use std::sync::atomic::AtomicBool;

use star::pipeline::{LoadedRoutine, Printed};
use star_base::Random;
use star_harness::machines::MachineSpec;
use star_io::{Arc, Graph, Layout, LayoutOptions, LayoutValue, Widths, lay_out, lay_out_sparse};
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, Value};
use star_vm::{Control, Counters, Limits, Stats};

const TEXT: &str = "import \"star:closure\"; import \"star:paths\";
procedure condensed(n,i,j: integer; G: table(n,n); var X: slice(n); var there: boolean);
var H: handle;
begin CONDENSE(n,G,H); REACHABLE(H,i,X); there:=REACHES(H,j,i) end;
procedure closed(n: integer; G: table(n,n); var P: table);
begin P:=G; WARSHALL(n,P) end;
procedure nearest(s,h: integer; inf: word(h); G: table(n,n); Cost: table(n,n*h); code: table;
                  var Dist,Pred: table);
begin DIJKSTRA(s,h,inf,G,Cost,code,Dist,Pred) end;
procedure signed(s,n,h: integer; inf,zero: word(h); G: table(n,n); Cost: table(n,n*h);
                 code: table; var Dist,Pred: table; var neg: boolean);
begin BELLMAN_FORD(s,n,h,inf,zero,G,Cost,code,Dist,Pred,neg) end;
procedure ends(E,T,H: table(m,n); k: integer; var A: table(m); var c: integer);
var w: word; X: slice(m); i: integer;
begin
  X:=COL(k,E); COL(1,A):=X; X:=COL(k,T); COL(2,A):=X; c:=NUMB(X);
  for i:=1 to size(E) do begin X:=COL(i,E); c:=c+2*NUMB(X) end;
  foreach i in X do begin w:=ROW(i,H); c:=c+3*FND(w)+E(i,k) end
end;";

/// Builds a simplified road map: vertices on a line, arcs between neighbours, some duplicates, some
/// loops.
fn roads(n: usize) -> Graph {
    let mut random = Random::new(11);
    let mut arcs = Vec::new();
    for tail in 0..n {
        for head in [tail + 1, tail + n - 1, tail + 4 * n + random.below(9) - 4] {
            let (tail, head) = (tail as u32, (head % n) as u32);
            arcs.push(Arc { tail, head, weight: 1 + random.below(50) as i64 });
        }
    }
    Graph { n_vertices: n, arcs, weighted: true, ..Graph::default() }
}

/// Builds the program, with or without intrinsics.
fn program(intrinsics: bool) -> Program {
    let mut program = Program::new(TEXT);
    for routine in program.lowered.program.routines_mut() {
        routine.intrinsic = routine.intrinsic.filter(|_| intrinsics);
    }
    program
}

/// Builds the forms of a layout: dense, and sparse by rows or by columns.
fn forms(layout: Layout, graph: &Graph, widths: Widths) -> [Argument; 3] {
    let LayoutValue::Table(dense) = lay_out(layout, graph, widths, 1 << 30, "f").expect("it fits")
    else {
        panic!("a slice")
    };
    let sparse = |by_rows| sparse_form(layout, graph, widths, by_rows);
    [Argument::of(&Value::from(dense)), sparse(false), sparse(true)]
}

fn sparse_form(layout: Layout, graph: &Graph, widths: Widths, by_rows: bool) -> Argument {
    let mut options = LayoutOptions { by_rows, ..LayoutOptions::new("f", 1 << 30) };
    let made = lay_out_sparse(layout, graph, widths, &mut options).expect("it fits");
    Argument::new(made.expect("a matrix").into(), true)
}

/// The backends whose results are compared.
const MACHINES: [&str; 3] = ["cpu-tiny", "cpu", "cpu-sparse"];

/// Runs a routine with all matrices in each form on these backends. The results must be equal
/// everywhere, and the run must take the given number of intrinsics where they exist, or run as
/// written. Returns the fast paths of the default backend with sparse matrices by columns.
fn same_in_every_form(
    (machines, intrinsics): (&[&str], Option<u64>),
    routine: &str,
    before: &[Value],
    matrices: &[[Argument; 3]],
    after: &[Value],
) -> Counters {
    let program = program(intrinsics.is_some());
    let (mut expected, mut usual) = (None, None);
    for form in 0..3 {
        for &name in machines {
            let machine = MachineSpec::find(name).and_then(|it| it.machine().ok());
            let machine = machine.expect("a machine");
            let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
            let arguments = before.iter().map(Argument::of);
            let arguments = arguments.chain(matrices.iter().map(|forms| forms[form].clone()));
            let arguments = arguments.chain(after.iter().map(Argument::of)).collect();
            let limits = Limits { steps: None, ..LIMITS };
            let run = compiled.run_with(program.entry(routine), arguments, limits);
            assert_eq!(run.outcome, star_vm::Outcome::Done, "{routine}, {name}, form {form}");
            // The matrices themselves are returned in their forms.
            let left = run.values[before.len() + matrices.len()..].to_vec();
            let expected = expected.get_or_insert_with(|| left.clone());
            assert!(left == *expected, "{routine} on {name}, form {form}");
            let wanted = intrinsics.filter(|_| name != "cpu-sparse").unwrap_or(0);
            assert_eq!(run.stats.intrinsics, wanted, "{routine} on {name}, form {form}");
            let paths = run.stats.counters;
            assert!(form == 0 || paths.sparse_lines > 0, "{name}: {paths:?}");
            if (form, name) == (1, "cpu") {
                usual = Some(paths);
            }
        }
    }
    usual.expect("it ran")
}

fn int(number: usize) -> Value {
    Value::Int(number as i64)
}

fn word(len: usize, bit: impl Fn(usize) -> bool) -> Value {
    Value::Word(star_value::BitVector::from_bools(&(0..len).map(bit).collect::<Vec<bool>>()))
}

/// Returns the codes of the vertices.
fn codes(graph: &Graph) -> Value {
    let widths = Layout::Code.least_widths(graph).expect("few vertices");
    match lay_out(Layout::Code, graph, widths, 1 << 30, "f") {
        Ok(LayoutValue::Table(table)) => Value::from(table),
        other => panic!("{other:?}"),
    }
}

#[test]
fn shortest_paths_agree_on_sparse_weights() {
    for n in [1, 65, 300, 1500] {
        // Strips of one limb on three threads are slow because of thread switches: a few hundred
        // vertices suffice for them.
        let machines = if n < 1000 { &MACHINES[..] } else { &MACHINES[1..] };
        let graph = roads(n);
        let none = Widths { h: 0, b: 0 };
        let adjacency = forms(Layout::Adjacency, &graph, none);
        let widths = Layout::WeightsOut.least_widths(&graph).expect("small weights");
        let h = widths.h;
        let weights = forms(Layout::WeightsOut, &graph, widths);
        let before = [int(1 + n / 2), int(h), word(h, |_| true)];
        let after = [codes(&graph), Value::Unset, Value::Unset];
        let matrices = [adjacency.clone(), weights];
        // As written, and with the library's intrinsic.
        for intrinsics in [None, Some(1)] {
            let machines = (machines, intrinsics);
            let paths = same_in_every_form(machines, "nearest", &before, &matrices, &after);
            assert_eq!(paths.tables_made_dense, 0, "{n}: {paths:?}");
        }
        let widths = Layout::SignedOut.least_widths(&graph).expect("small weights");
        let h = widths.h;
        let before = [int(1 + n / 2), int(n), int(h), word(h, |_| true), word(h, |at| at == 0)];
        let matrices = [adjacency, forms(Layout::SignedOut, &graph, widths)];
        let after = [codes(&graph), Value::Unset, Value::Unset, Value::Unset];
        for intrinsics in [None, Some(1)] {
            let machines = (machines, intrinsics);
            let paths = same_in_every_form(machines, "signed", &before, &matrices, &after);
            assert_eq!(paths.tables_made_dense, 0, "{n}: {paths:?}");
        }
    }
}

/// Computes distances independently.
fn distances(graph: &Graph, from: usize) -> Vec<Option<u64>> {
    let mut roads = petgraph::graph::DiGraph::<(), u64>::new();
    let nodes: Vec<_> = (0..graph.n_vertices).map(|_| roads.add_node(())).collect();
    for arc in &graph.arcs {
        roads.add_edge(nodes[arc.tail as usize], nodes[arc.head as usize], arc.weight as u64);
    }
    let found = petgraph::algo::dijkstra(&roads, nodes[from], None, |edge| *edge.weight());
    nodes.iter().map(|node| found.get(node).copied()).collect()
}

#[test]
fn shortest_paths_on_a_large_map_process_few_limbs() {
    // Below and above the length at which recording of slices begins.
    for n in [20_000, (1 << 20) + 100] {
        let mut graph = roads(n);
        let isolated = n - n / 8;
        let n_used = if n < 100_000 { n } else { 6_553 };
        graph.arcs.retain(|arc| (arc.tail.max(arc.head) as usize) < n_used);
        graph.arcs.retain(|arc| arc.head as usize != isolated);
        let none = Widths { h: 0, b: 0 };
        let widths = Layout::WeightsOut.least_widths(&graph).expect("small weights");
        let h = widths.h;
        let by_rows = sparse_form(Layout::Adjacency, &graph, none, true);
        let weights = sparse_form(Layout::WeightsOut, &graph, widths, false);
        let machine = MachineSpec::find("cpu").and_then(|it| it.machine().ok());
        let machine = machine.expect("a machine");
        let program = program(false);
        let mut stated = program.lowered.program.clone();
        star_opt::apply(&mut stated, &["kernels"]).expect("it verifies");
        let compiled = machine.compile(stated).expect("it compiles");
        let before = [int(8), int(h), word(h, |_| true)];
        let after = [codes(&graph), Value::Unset, Value::Unset];
        let arguments = before.iter().map(Argument::of).chain([by_rows, weights]);
        let arguments = arguments.chain(after.iter().map(Argument::of)).collect();
        // The weights themselves are too large for a host.
        let mut loaded = compiled.load(program.entry("nearest"), arguments).expect("memory");
        let (never, mut host) = (AtomicBool::new(false), Printed::default());
        let mut control = Control {
            interrupt: &never,
            deadline: &never,
            limits: Limits { steps: None, ..LIMITS },
            host: &mut host,
            profile: None,
            stats: Stats::default(),
        };
        let outcome = loaded.run(&mut control);
        let paths = control.stats.counters;
        assert_eq!(outcome, star_vm::Outcome::Done);
        let results = loaded.into_results(&never).expect("memory");
        let Value::Table(found) = &results[0] else { panic!("no distances") };
        for (vertex, wanted) in distances(&graph, 7).into_iter().enumerate() {
            let row = found.row(vertex);
            let number = (0..h).fold(0, |number, at| number * 2 + u64::from(row.get(at)));
            let wanted = wanted.unwrap_or((1 << h) - 1);
            assert_eq!(number, wanted, "vertex {vertex} of {n}");
        }
        let n_reached = if n < 100_000 { n / 2 } else { n_used * 4 / 5 } as u64;
        // Two loops over fields for each vertex, and one or two where a distance decreased.
        assert!(paths.masked_iterations > n_reached * 2 * h as u64, "{n}: {paths:?}");
        assert_eq!(paths.tables_made_dense, 0, "{n}: {paths:?}");
        // MIN examines only what has changed since the previous vertex.
        assert!(paths.extremes_kept > n_reached * 9 / 10, "{n}: {paths:?}");
        // The slices of a call reuse the memory of the previous call, and only their changed blocks
        // are written.
        assert!(n < 100_000 || paths.slices_kept > n_reached, "{n}: {paths:?}");
    }
}

#[test]
fn ends_of_arcs_agree_in_sparse_tables() {
    for n in [5, 64, 200] {
        let (graph, none) = (roads(n), Widths { h: 0, b: 0 });
        let layouts = [Layout::Incidence, Layout::Tails, Layout::Heads];
        let matrices = layouts.map(|layout| forms(layout, &graph, none));
        let after = [int(1 + n / 3), Value::Unset, Value::Unset];
        same_in_every_form((&MACHINES, Some(0)), "ends", &[], &matrices, &after);
    }
}

#[test]
fn reachability_agrees_on_a_sparse_graph() {
    for (n, m) in [(1, 0), (64, 50), (300, 330)] {
        let mut random = Random::new(n as u64);
        let mut end = || random.below(n) as u32;
        let arcs = (0..m).map(|_| Arc { tail: end(), head: end(), weight: 1 }).collect();
        let graph = Graph { n_vertices: n, arcs, ..Graph::default() };
        let adjacency = forms(Layout::Adjacency, &graph, Widths { h: 0, b: 0 });
        for (i, j) in [(1, n), (n / 2 + 1, 1 + n / 3)] {
            let after = [Value::Unset, Value::Unset];
            let before = [int(n), int(i), int(j)];
            let matrices = std::slice::from_ref(&adjacency);
            let paths =
                same_in_every_form((&MACHINES, Some(3)), "condensed", &before, matrices, &after);
            assert_eq!(paths.tables_made_dense, 0, "{n}: {paths:?}");
        }
    }
}

/// Builds a ring of vertices, with a path leading out of it along the others.
fn ring_with_a_tail(n: usize, n_tail: usize) -> Graph {
    let ring = (n - n_tail) as u32;
    let arc = |tail: u32| Arc { tail, head: tail + 1, weight: 1 };
    let mut arcs: Vec<Arc> = (0..n as u32 - 1).map(arc).collect();
    arcs.push(Arc { tail: ring - 1, head: 0, weight: 1 });
    Graph { n_vertices: n, arcs, ..Graph::default() }
}

#[test]
fn reachability_does_not_need_memory_for_the_full_closure() {
    let n = 30_000;
    let (program, none) = (Program::new(TEXT), Widths { h: 0, b: 0 });
    let machine = MachineSpec::find("cpu").and_then(|it| it.machine().ok());
    let compiled = machine.expect("a machine").compile(program.lowered.program.clone());
    let compiled = compiled.expect("it compiles");
    let run = |graph: &Graph, i: usize, j: usize, by_rows: bool, memory: Option<u64>| {
        let adjacency = sparse_form(Layout::Adjacency, graph, none, by_rows);
        let before = [int(n), int(i), int(j)];
        let arguments = before.iter().map(Argument::of).chain([adjacency]);
        let after = [Value::Unset, Value::Unset];
        let arguments = arguments.chain(after.iter().map(Argument::of)).collect();
        let limits = Limits { steps: None, memory, ..LIMITS };
        let loaded = compiled.load(program.entry("condensed"), arguments).expect("memory");
        ended(loaded, limits)
    };
    // The closure would need 112 MB, and so would the table.
    let little = Some(20 << 20);
    // With a short tail there are few components; with a long one their closure would need as much,
    // and their arcs are kept instead.
    for (n_tail, by_rows) in [(100, false), (100, true), (n - 1, false), (n - 1, true)] {
        let graph = ring_with_a_tail(n, n_tail);
        let (outcome, stats, results) = run(&graph, n - n_tail + 5, 1, by_rows, little);
        assert_eq!(outcome, star_vm::Outcome::Done);
        assert_eq!(
            (stats.intrinsics, stats.counters.tables_made_dense),
            (3, 0),
            "{:?}",
            stats.counters
        );
        let [.., Value::Slice(reached), Value::Bool(there)] = &results[..] else {
            panic!("{results:?}")
        };
        let reached: Vec<usize> = (0..n).filter(|at| reached.get(*at)).collect();
        assert_eq!(reached, (n - n_tail + 5..n).collect::<Vec<_>>());
        assert!(*there, "the ring reaches its tail");
    }
    // Beyond the vertices there is a trap, as with an explicit closure.
    let graph = ring_with_a_tail(n, 100);
    for (i, j) in [(1, n + 1), (1, 0), (n + 1, 1), (0, 1)] {
        let (outcome, stats, _) = run(&graph, i, j, true, little);
        let (wanted, ..) = run(&graph, i, j, true, None);
        assert!(matches!(&outcome, star_vm::Outcome::Trap(_)), "{i}, {j}: {outcome:?}");
        assert_eq!(outcome, wanted, "{i}, {j}");
        assert_eq!(stats.intrinsics, if (1..=n).contains(&i) { 2 } else { 1 }, "{i}, {j}");
    }
}

/// Runs to the end within the limits and returns the outcome, the statistics and the values.
fn ended(mut loaded: LoadedRoutine, limits: Limits) -> (star_vm::Outcome, Stats, Vec<Value>) {
    let (never, mut host) = (AtomicBool::new(false), Printed::default());
    let mut control = Control {
        interrupt: &never,
        deadline: &never,
        limits,
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    let outcome = loaded.run(&mut control);
    (outcome, control.stats, loaded.into_results(&never).expect("memory"))
}

#[test]
fn a_sparse_closure_stays_sparse_and_a_full_one_does_not() {
    // 112 MB dense: more than the size up to which a sparse table becomes dense by default.
    let n = 30_000;
    let (program, none) = (Program::new(TEXT), Widths { h: 0, b: 0 });
    let machine = MachineSpec::find("cpu").and_then(|it| it.machine().ok());
    let compiled = machine.expect("a machine").compile(program.lowered.program.clone());
    let compiled = compiled.expect("it compiles");
    let run = |graph: &Graph, by_rows: bool, memory: u64| {
        let adjacency = sparse_form(Layout::Adjacency, graph, none, by_rows);
        let arguments = vec![Argument::of(&int(n)), adjacency, Argument::of(&Value::Unset)];
        let limits = Limits { steps: None, memory: Some(memory), ..LIMITS };
        let loaded = compiled.load(program.entry("closed"), arguments).expect("memory");
        let (outcome, stats, results) = ended(loaded, limits);
        (outcome, stats, results.into_iter().next())
    };
    // Rings of five, in chains of a hundred.
    let ring =
        |tail: u32| [(tail, if tail % 5 == 4 { tail - 4 } else { tail + 1 }), (tail, tail + 5)];
    let arcs = (0..n as u32).flat_map(ring);
    let arcs = arcs.filter(|(tail, head)| (*head as usize) < n && tail / 500 == head / 500);
    let arcs = arcs.map(|(tail, head)| Arc { tail, head, weight: 1 }).collect();
    let chains = Graph { n_vertices: n, arcs, ..Graph::default() };
    for by_rows in [false, true] {
        let (outcome, stats, result) = run(&chains, by_rows, 60 << 20);
        assert_eq!(outcome, star_vm::Outcome::Done);
        assert_eq!(
            (stats.intrinsics, stats.counters.tables_made_dense),
            (1, 0),
            "{:?}",
            stats.counters
        );
        let Some(Value::Table(closed)) = result else { panic!("no closure") };
        for (i, j) in [(0, 0), (0, 499), (7, 5), (7, 4), (499, 495), (499, 494), (500, 499)] {
            assert_eq!(closed.get(i, j), i / 500 == j / 500 && j / 5 >= i / 5, "{i}, {j}");
        }
        let ones = (1..=100).map(|n| 25 * n).sum::<u64>() * 60;
        assert_eq!(closed.count_ones(), ones);
    }
    // The same without rings: the closure of as many components is computed.
    let arc = |tail: u32| Arc { tail, head: tail + 1, weight: 1 };
    let arcs = (0..n as u32 - 1).filter(|tail| tail % 500 != 499).map(arc).collect();
    let (outcome, stats, result) =
        run(&Graph { n_vertices: n, arcs, ..Graph::default() }, true, 60 << 20);
    assert_eq!((outcome, stats.intrinsics), (star_vm::Outcome::Done, 1));
    assert_eq!(stats.counters.tables_made_dense, 0, "{:?}", stats.counters);
    let Some(Value::Table(closed)) = result else { panic!("no closure") };
    assert_eq!(closed.count_ones(), 60 * 500 * 499 / 2);
    // One chain of all vertices does not fit in any form.
    let (outcome, stats, _) = run(&ring_with_a_tail(n, n - 1), true, 60 << 20);
    assert!(matches!(outcome, star_vm::Outcome::Limit { .. }), "{outcome:?}");
    assert!(stats.operations < 100, "{stats:?}");
    let ring = ring_with_a_tail(n, 100);
    let (outcome, stats, result) = run(&ring, true, 1 << 30);
    assert_eq!((outcome, stats.intrinsics), (star_vm::Outcome::Done, 1));
    assert_eq!(stats.counters.tables_made_dense, 1, "{:?}", stats.counters);
    let Some(Value::Table(closed)) = result else { panic!("no closure") };
    let ring_ones = (n as u64 - 100) * n as u64;
    assert_eq!(closed.count_ones(), ring_ones + 99 * 100 / 2);
    let (outcome, stats, _) = run(&ring, true, 60 << 20);
    let star_vm::Outcome::Limit { kind: star_ir::LimitKind::Memory { limit, wanted }, .. } =
        outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(limit, 60 << 20);
    assert!(wanted > 112_000_000, "{wanted}");
    assert!(stats.operations < 100, "{stats:?}");
}
