//! The examples that follow update streams, against answers recomputed for every query.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use petgraph::algo::dijkstra;
use petgraph::graph::NodeIndex;
use star_io::generate::{GenerateOptions, Shares, UpdateStream};
use star_io::{
    Arc, Graph, Layout, LayoutOptions, LayoutValue, NumberLayout, Numbers, Update, Widths, lay_out,
    lay_out_numbers,
};
use star_tests::run::Program;
use star_value::{BitTable, Value};
use star_vm::Outcome;

use super::random::{Rng, each_seed, graph};
use super::reference::{
    Components, Edge, forest_weight, kruskal, petgraph_of, reached, tree_paths,
};
use super::values::{code_width, infinity, int, ones, vertex};

const N_OPERATIONS: u64 = 250;

/// All kinds of operations.
const SHARES: Shares = Shares { insert: 4, delete: 3, change: 1, vertices: 1, ask: 4 };

/// A graph, and a stream that starts from it.
struct Instance {
    start: Graph,
    numbers: Numbers,
    h: usize,
}

impl Instance {
    fn new(rng: &mut Rng, undirected: bool, shares: Shares, most: i64) -> Self {
        let n = 2 + rng.below(9);
        let m = rng.below(3 * n);
        let start = rng.graph_of(n, m, 1, most);
        let stream = UpdateStream {
            start: &start,
            undirected,
            n_operations: N_OPERATIONS,
            shares,
            max_weight: Some(most),
        };
        let numbers =
            stream.generate(&mut GenerateOptions::new(rng.below(1 << 20) as u64, 1 << 24));
        let longest = 2 * (n as u64) * most as u64;
        let h = (u64::BITS - (longest + 1).leading_zeros()) as usize;
        Instance { numbers: numbers.expect("it fits"), start, h }
    }

    fn n(&self) -> usize {
        self.start.n_vertices
    }

    fn b(&self) -> usize {
        code_width(self.n())
    }

    fn laid_out(&self, layout: Layout) -> Value {
        let widths = Widths { h: self.h, b: self.b() };
        match lay_out(layout, &self.start, widths, 1 << 24, "start").expect("it fits") {
            LayoutValue::Table(table) => Value::from(table),
            LayoutValue::Slice(bits) => Value::Slice(bits),
        }
    }

    fn updates(&self) -> Value {
        let (b, records) = (self.b(), NumberLayout::Records);
        let widths = [4, b, b, self.h];
        let mut options = LayoutOptions::new("stream", 1 << 24);
        let laid_out = lay_out_numbers(&records, &self.numbers, Some(&widths), &mut options);
        Value::from(laid_out.expect("it fits").table)
    }

    fn stream(&self) -> Vec<Update> {
        let fields = &self.numbers.fields;
        let record = |row: usize| std::array::from_fn(|idx| fields[idx].values[row]);
        let updates = (0..fields[0].values.len()).map(|row| Update::of_record(record(row)));
        updates.map(|update| update.expect("an operation")).collect()
    }

    /// Returns the output of the program.
    fn answers(&self, program: &Program, name: &str, args: Vec<Value>) -> String {
        let run = program.run(name, args);
        assert_eq!(run.outcome, Outcome::Done, "{:?}\n{}", self.stream(), run.printed);
        run.printed
    }
}

/// The arcs, or edges, of a changing graph; vertices from 0.
struct World {
    undirected: bool,
    arcs: Vec<(usize, usize, u64)>,
    gone: BTreeSet<usize>,
}

impl World {
    fn new(start: &Graph, undirected: bool) -> Self {
        let arcs =
            start.arcs.iter().map(|arc| (arc.tail as usize, arc.head as usize, arc.weight as u64));
        World { undirected, arcs: arcs.collect(), gone: BTreeSet::new() }
    }

    fn remove(&mut self, tail: u32, head: u32) {
        let (tail, head) = (tail as usize - 1, head as usize - 1);
        let undirected = self.undirected;
        self.arcs
            .retain(|&(t, h, _)| (t, h) != (tail, head) && (!undirected || (h, t) != (tail, head)));
    }

    /// Applies a change; false if it is a query.
    fn change(&mut self, update: Update) -> bool {
        match update {
            Update::Nothing => {}
            Update::InsertArc { tail, head, weight } => {
                self.arcs.push((tail as usize - 1, head as usize - 1, weight as u64));
            }
            Update::DeleteArc { tail, head } => self.remove(tail, head),
            Update::SetWeight { tail, head, weight } => {
                self.remove(tail, head);
                self.arcs.push((tail as usize - 1, head as usize - 1, weight as u64));
            }
            Update::InsertVertex(z) => {
                self.gone.remove(&(z as usize - 1));
            }
            Update::DeleteVertex(z) => {
                let z = z as usize - 1;
                self.gone.insert(z);
                self.arcs.retain(|&(tail, head, _)| tail != z && head != z);
            }
            Update::AskPair(..) | Update::AskVertex(_) | Update::AskAll => return false,
        }
        true
    }

    fn ends(&self) -> Vec<(usize, usize)> {
        self.arcs.iter().map(|&(tail, head, _)| (tail, head)).collect()
    }
}

/// Returns the answers to all queries, one line each.
fn expected(
    instance: &Instance,
    undirected: bool,
    mut answer: impl FnMut(&World, Update) -> String,
) -> String {
    let mut world = World::new(&instance.start, undirected);
    let mut lines = String::new();
    for update in instance.stream() {
        if !world.change(update) {
            writeln!(lines, "{}", answer(&world, update)).expect("a String takes any text");
        }
    }
    lines
}

/// Unpacks an update that is a query.
fn asked(update: Update) -> (usize, usize) {
    match update {
        Update::AskPair(x, y) => (x as usize, y as usize),
        Update::AskVertex(x) => (x as usize, 0),
        Update::AskAll => (0, 0),
        Update::Nothing
        | Update::InsertArc { .. }
        | Update::DeleteArc { .. }
        | Update::SetWeight { .. }
        | Update::InsertVertex(_)
        | Update::DeleteVertex(_) => panic!("{update:?} is no question"),
    }
}

#[test]
fn forests_agree_with_kruskal() {
    let program = Program::new(include_str!("../../../../examples/dynamic_mst.star"));
    each_seed(6, |rng| {
        // Weights from a large range: the minimum forest is unique.
        let instance = Instance::new(rng, true, SHARES, 1_000_000);
        let (n, m) = (instance.n(), instance.start.n_edges());
        let mut args = vec![int(n), int(m), int(instance.b()), int(instance.h)];
        let layouts = [Layout::Left, Layout::Right, Layout::Weight, Layout::Code];
        args.extend(layouts.map(|layout| instance.laid_out(layout)));
        args.push(instance.updates());
        let found = instance.answers(&program, "DYNAMIC_MST", args);
        let expected = expected(&instance, true, |world, update| forest_answer(n, world, update));
        assert_eq!(found, expected, "{:?}\n{:?}", instance.start, instance.stream());
    });
}

fn forest_answer(n: usize, world: &World, update: Update) -> String {
    let edges = world.arcs.iter().enumerate().filter(|(_, (tail, head, _))| tail != head);
    let edges: Vec<Edge> = edges.map(|(row, &(p, q, weight))| Edge { row, p, q, weight }).collect();
    let weights: BTreeSet<u64> = edges.iter().map(|edge| edge.weight).collect();
    assert_eq!(weights.len(), edges.len(), "equal weights: take another seed");
    let (tree, components) = (kruskal(n, &edges), Components::of(n, &edges));
    let (x, y) = asked(update);
    if x == 0 {
        let n_trees = components.count() - world.gone.len();
        let weight = forest_weight(n, &edges);
        return format!("weight {weight}, edges {}, trees {n_trees}", tree.len());
    }
    if y == 0 {
        let inside = (0..n).filter(|&v| components.same(v, x - 1)).count();
        let degree = tree.iter().filter(|edge| edge.p == x - 1 || edge.q == x - 1).count();
        return format!("{x}: in a tree of {inside} with {degree} edges at it");
    }
    match &tree_paths(n, world.arcs.len(), &tree, x - 1)[y - 1] {
        None => format!("{x} - {y}: not connected"),
        Some(_) if x == y => format!("{x} - {y}: the same"),
        Some(path) => {
            let weights = ones(path).into_iter().map(|row| world.arcs[row].2);
            let greatest = weights.max().expect("a path has an edge");
            let len = path.count_ones();
            format!("{x} - {y}: connected, {len} edges of at most {greatest}")
        }
    }
}

#[test]
fn closures_agree_with_a_search() {
    let program = Program::new(include_str!("../../../../examples/dynamic_closure.star"));
    each_seed(6, |rng| {
        let shares = Shares { change: 0, ..SHARES };
        let instance = Instance::new(rng, false, shares, 5);
        let n = instance.n();
        let args = vec![
            int(n),
            int(instance.b()),
            instance.laid_out(Layout::Adjacency),
            instance.updates(),
        ];
        let found = instance.answers(&program, "DYNAMIC_CLOSURE", args);
        let expected = expected(&instance, false, |world, update| {
            let ends = world.ends();
            let others = |x: usize| reached(n, &ends, x).count_ones() - 1;
            match asked(update) {
                (0, _) => format!("pairs: {}", (0..n).map(others).sum::<u64>()),
                (x, 0) => format!("{x}: reaches {} others", others(x - 1)),
                (x, y) => {
                    let yes = reached(n, &ends, x - 1).get(y - 1);
                    format!("{x} -> {y}: {}", if yes { "yes" } else { "no" })
                }
            }
        });
        assert_eq!(found, expected, "{:?}\n{:?}", instance.start, instance.stream());
    });
}

#[test]
fn distances_agree_with_dijkstra() {
    let program = Program::new(include_str!("../../../../examples/dynamic_paths.star"));
    each_seed(6, |rng| {
        let instance = Instance::new(rng, false, SHARES, 9);
        let (n, h) = (instance.n(), instance.h);
        let sink = rng.below(n);
        let mut args = vec![vertex(sink), int(n), int(instance.b()), int(h), infinity(h)];
        let layouts = [Layout::Adjacency, Layout::WeightsIn, Layout::WeightsOut];
        args.extend(layouts.map(|layout| instance.laid_out(layout)));
        args.push(instance.updates());
        let found = instance.answers(&program, "DYNAMIC_PATHS", args);
        let expected =
            expected(&instance, false, |world, update| path_answer(n, sink, world, update));
        assert_eq!(found, expected, "{sink}, {:?}\n{:?}", instance.start, instance.stream());
    });
}

fn path_answer(n: usize, sink: usize, world: &World, update: Update) -> String {
    let transposed = world.arcs.iter().map(|&(tail, head, weight)| Arc {
        tail: head as u32,
        head: tail as u32,
        weight: weight as i64,
    });
    let transposed = petgraph_of(&graph(n, transposed.collect()));
    let found = dijkstra(&transposed, NodeIndex::new(sink), None, |arc| *arc.weight());
    let distance = |x: usize| found.get(&NodeIndex::new(x)).map_or(u64::MAX, |&d| d as u64);
    let mut least: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for &(tail, head, weight) in &world.arcs {
        let known = least.entry((tail, head)).or_insert(weight);
        *known = weight.min(*known);
    }
    let shortest = |x: usize, y: usize| {
        let weight = least.get(&(x, y)).copied();
        let reaches = distance(y) < u64::MAX;
        weight.is_some_and(|weight| reaches && weight + distance(y) == distance(x))
    };
    let t = sink + 1;
    match asked(update) {
        (0, _) => {
            let alive = (0..n).filter(|x| !world.gone.contains(x));
            let (n_alive, reaching) =
                (alive.clone().count(), alive.filter(|&x| distance(x) < u64::MAX).count());
            format!("reach {t}: {reaching} of {n_alive}")
        }
        (x, 0) => match (distance(x - 1), (0..n).find(|&y| shortest(x - 1, y))) {
            (u64::MAX, _) => format!("{x} -> {t}: no path"),
            (d, None) => format!("{x} -> {t}: {d}"),
            (d, Some(y)) => format!("{x} -> {t}: {d}, the first step to {}", y + 1),
        },
        (x, y) => {
            let on = if shortest(x - 1, y - 1) { "on" } else { "not on" };
            format!("{x} -> {y}: {on} a shortest path")
        }
    }
}

#[test]
fn reachability_from_one_vertex_agrees_with_a_search() {
    let program = Program::new(include_str!("../../../../examples/dynamic_reach.star"));
    each_seed(6, |rng| {
        let growth = Shares { insert: 1, delete: 0, change: 0, vertices: 0, ask: 9 };
        let mut instance = Instance::new(rng, false, growth, 1);
        instance.start.arcs.truncate(2);
        let (n, s) = (instance.n(), rng.below(instance.n()));
        let mut args = vec![vertex(s), int(n), int(instance.b())];
        args.extend([Layout::Adjacency, Layout::Code].map(|layout| instance.laid_out(layout)));
        args.push(instance.updates());
        let found = instance.answers(&program, "DYNAMIC_REACH", args);
        let mut answers = found.lines();
        let source = s + 1;
        expected(&instance, false, |world, update| {
            let set = reached(n, &world.ends(), s);
            let answer = answers.next().expect("an answer for every question");
            let is_arc = |x: usize, y: usize| world.ends().contains(&(x - 1, y - 1));
            match asked(update) {
                (0, _) => {
                    assert_eq!(answer, format!("{source}: reaches {} of {n}", set.count_ones()));
                }
                (x, 0) => {
                    // Any arc from a reached vertex may be the last step.
                    let step =
                        answer.strip_prefix(&format!("{source} -> {x}: yes, the last step from "));
                    let from = step.map(|from| from.parse::<usize>().expect("a vertex"));
                    match from {
                        Some(from) => {
                            assert!(is_arc(from, x) && set.get(from - 1) && set.get(x - 1))
                        }
                        None if x == source => assert_eq!(answer, format!("{source} -> {x}: yes")),
                        None => {
                            assert_eq!(answer, format!("{source} -> {x}: no"));
                            assert!(!set.get(x - 1), "{answer}");
                        }
                    }
                }
                (x, y) => match answer.strip_prefix(&format!("{x} -> {y}: ")) {
                    Some("in the tree") => assert!(is_arc(x, y) && set.get(x - 1), "{answer}"),
                    Some("not in the tree") => {}
                    other => panic!("{other:?} of {answer}"),
                },
            }
            String::new()
        });
        assert_eq!(answers.next(), None);
    });
}

/// Runs an example on an unsuitable stream, and returns its output.
fn refused(name: &str, text: &str, stream: &[Update], first: Vec<Value>) -> String {
    let program = Program::new(text);
    let mut table = BitTable::zeros(stream.len(), 4 + 2 * 2 + 4).expect("small");
    for (row, update) in stream.iter().enumerate() {
        let mut place = 0;
        for (number, width) in update.record().into_iter().zip([4, 2, 2, 4]) {
            for exponent in (0..width).rev() {
                table.put(row, place, number >> exponent & 1 == 1);
                place += 1;
            }
        }
    }
    let run = program.run(name, [first, vec![Value::from(table)]].concat());
    match run.outcome {
        Outcome::Trap(trap) => assert_eq!(trap.kind.code().as_str(), "T0111"),
        other => panic!("{stream:?}: {other:?}"),
    }
    run.printed
}

#[test]
fn rejects_unsuitable_streams_with_their_line() {
    // The arcs 1 -> 2 and 2 -> 3.
    let arcs = vec![Arc { tail: 0, head: 1, weight: 3 }, Arc { tail: 1, head: 2, weight: 2 }];
    let start = graph(3, arcs);
    let table = |layout| match lay_out(layout, &start, Widths { h: 4, b: 2 }, 1 << 20, "f") {
        Ok(LayoutValue::Table(table)) => Value::from(table),
        other => panic!("{other:?}"),
    };
    let tables = |layouts: &[Layout]| layouts.iter().copied().map(table).collect::<Vec<_>>();
    let mst = [
        vec![int(3), int(2), int(2), int(4)],
        tables(&[Layout::Left, Layout::Right, Layout::Weight, Layout::Code]),
    ]
    .concat();
    let closure = [vec![int(3), int(2)], tables(&[Layout::Adjacency])].concat();
    let paths = [
        vec![int(3), int(3), int(2), int(4), infinity(4)],
        tables(&[Layout::Adjacency, Layout::WeightsIn, Layout::WeightsOut]),
    ]
    .concat();
    let reach = [vec![int(1), int(3), int(2)], tables(&[Layout::Adjacency, Layout::Code])].concat();
    let all = [
        ("DYNAMIC_MST", include_str!("../../../../examples/dynamic_mst.star"), mst),
        ("DYNAMIC_CLOSURE", include_str!("../../../../examples/dynamic_closure.star"), closure),
        ("DYNAMIC_PATHS", include_str!("../../../../examples/dynamic_paths.star"), paths),
        ("DYNAMIC_REACH", include_str!("../../../../examples/dynamic_reach.star"), reach),
    ];
    let insert = |tail, head, weight| Update::InsertArc { tail, head, weight };
    let delete = |tail, head| Update::DeleteArc { tail, head };
    let gone = Update::DeleteVertex(2);
    let cases: [(usize, &[Update], &str); 14] = [
        (0, &[delete(1, 3)], "line 1 of the updates: there is no such edge"),
        (0, &[Update::Nothing, insert(2, 2, 1)], "line 2 of the updates: a loop is no edge"),
        (0, &[gone, insert(1, 2, 1)], "line 2 of the updates: the second vertex was deleted"),
        (0, &[gone, gone], "line 2 of the updates: the first vertex was deleted"),
        (0, &[Update::InsertVertex(2)], "line 1 of the updates: the vertex is there already"),
        (1, &[delete(2, 1)], "line 1 of the updates: there is no such arc"),
        (1, &[delete(1, 2), delete(1, 2)], "line 2 of the updates: there is no such arc"),
        (1, &[gone, Update::AskVertex(2)], "line 2 of the updates: the first vertex was deleted"),
        (
            1,
            // A weight of an existing arc changes nothing.
            &[1, 3].map(|tail| Update::SetWeight { tail, head: 2, weight: 1 }),
            "line 2 of the updates: there is no such arc",
        ),
        (2, &[insert(1, 2, 1)], "line 1 of the updates: there is such an arc already"),
        (2, &[insert(1, 3, 0)], "line 1 of the updates: the weight is zero"),
        (
            2,
            &[Update::SetWeight { tail: 3, head: 1, weight: 1 }],
            "line 1 of the updates: there is no such arc",
        ),
        // Below infinity, but the sum of it and a distance is not.
        (2, &[insert(3, 1, 14)], ""),
        (3, &[insert(1, 3, 1), delete(1, 2)], "line 2 of the updates: here arcs come"),
    ];
    for (idx, stream, part) in cases {
        let (name, text, args) = &all[idx];
        let printed = refused(name, text, stream, args.clone());
        assert!(printed.starts_with(part), "{name} {stream:?}: {printed}");
    }
}
