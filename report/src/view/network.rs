//! A graph as disks and lines. Marked elements have a colour and cover the rest, for example a tree
//! on its map.

use std::collections::BTreeMap;

use star_base::text;

use super::labels::{Label, Labels};
use super::layout::{Places, fitted, sprung};
use super::loops::{Loop, along, free_direction, ring};
use super::{Anchor, Drawing, Mark, NUMBER, Palette, Place, Rgb, WANTED};

/// Maximum number of vertices drawn without coordinates.
pub const MAX_VERTICES: usize = 400;
/// Maximum number of arcs drawn.
pub const MAX_ARCS: usize = 200_000;
/// Maximum number of vertices drawn with their numbers.
const MAX_NAMED: usize = 60;

/// Maximum number of arcs drawn with their weights.
const MAX_WEIGHED: usize = 80;

/// Maximum characters of a name.
const MAX_NAME: usize = 16;

/// The graph to draw.
#[derive(Clone, Copy)]
pub struct Network<'a> {
    /// Number of vertices.
    pub n_vertices: usize,
    /// The arcs, from and to, zero-based.
    pub arcs: &'a [(usize, usize)],
    /// Are the arcs undirected?
    pub symmetric: bool,
    /// The names of the vertices, if they are not 1, 2, …
    pub names: Option<&'a dyn Fn(usize) -> String>,
    /// The weight of each arc, if they are drawn.
    pub weights: Option<&'a [i64]>,
    /// Coordinates of the vertices, if any: x to the right, y upwards.
    pub places: Option<[&'a [i64]; 2]>,
    /// For each arc, whether it is marked; may be empty.
    pub marked_arcs: &'a [bool],
    /// For each vertex, whether it is marked; may be empty.
    pub marked_vertices: &'a [bool],
    /// The colours.
    pub palette: &'a Palette,
}

/// Draws a graph; `None` if it is too large.
#[must_use]
pub fn network(network: &Network<'_>) -> Option<Drawing> {
    let Network { n_vertices, arcs, symmetric, names, places, .. } = *network;
    let Network { weights, marked_arcs, marked_vertices, palette, .. } = *network;
    let Palette { ink, paper, faint, marked } = *palette;
    if arcs.len() > MAX_ARCS || places.is_none() && n_vertices > MAX_VERTICES {
        return None;
    }
    let Places { at, width, height } = match places {
        Some([x, y]) => fitted(x, y, WANTED as f64 * 1.25),
        None => sprung(n_vertices, arcs, WANTED as f64),
    };
    let radius = match n_vertices {
        0..=MAX_NAMED => NUMBER * 0.75,
        n if n <= 600 => 3.0,
        _ => 1.2,
    };
    let any = |marks: &[bool]| marks.iter().any(|&mark| mark);
    let rest = if any(marked_arcs) { faint } else { ink };
    let is_marked = |marks: &[bool], idx: usize| marks.get(idx).copied().unwrap_or(false);
    let mut marks = Vec::new();
    let lanes = lanes(network, 1.6 * radius);
    let ends = |idx: usize| {
        let (tail, head) = arcs[idx];
        moved_left(at[tail], at[head], lanes[idx].distance)
    };
    let rings = rings(arcs, &at, radius);
    for wanted in [false, true] {
        let (colour, width) = if wanted { (marked, 2.5) } else { (rest, 1.0) };
        for (idx, lane) in lanes.iter().enumerate() {
            if is_marked(marked_arcs, idx) != wanted {
                continue;
            }
            if let Some(Loop { places, .. }) = rings.get(&idx) {
                let steps = places.windows(2);
                let line = |step: &[Place]| (step[0], step[1]);
                marks.extend(steps.clone().map(line).map(|(from, to)| Mark::Line {
                    from,
                    to,
                    width,
                    colour,
                }));
                let last = steps.map(line).next_back().filter(|_| !symmetric);
                let corners = last.map(|(from, to)| arrowhead(from, to, 5.0 + width).0);
                marks.extend(corners.map(|corners| Mark::Triangle { corners, colour }));
                continue;
            }
            let (from, to) = ends(idx);
            // An edge stored in both directions has no arrow.
            let arrow = match symmetric || lane.is_edge {
                true => None,
                false => arrow(from, to, radius, width),
            };
            let to = arrow.map_or(to, |(_, base)| base);
            marks.push(Mark::Line { from, to, width, colour });
            marks.extend(arrow.map(|(corners, _)| Mark::Triangle { corners, colour }));
        }
    }
    if let Some(weights) = weights.filter(|_| n_vertices <= MAX_NAMED && arcs.len() <= MAX_WEIGHED)
    {
        for (idx, (&(tail, head), weight)) in arcs.iter().zip(weights).enumerate() {
            let colour = if is_marked(marked_arcs, idx) { marked } else { ink };
            let Lane { is_edge, place, .. } = lanes[idx];
            // An edge that is stored in both directions has one weight.
            if is_edge && tail > head {
                continue;
            }
            let text = weight.to_string();
            if let Some(Loop { top, towards, .. }) = rings.get(&idx) {
                let (at, size) = (along(*top, *towards, NUMBER * 0.6), NUMBER * 0.75);
                marks.push(Mark::Number { at, anchor: Anchor::Middle, size, text, colour });
                continue;
            }
            let (from, to) = ends(idx);
            match place {
                None => marks.push(label(from, to, 0.5, text, colour)),
                // Next to other lines, it stands on its line.
                Some(share) => marks.extend(label_on(from, to, share, text, (colour, paper))),
            }
        }
    }
    let is_named = n_vertices <= MAX_NAMED;
    let lines = (0..arcs.len()).filter(|_| is_named).map(ends);
    let loops = rings.values().filter(|_| is_named).flat_map(|ring| ring.places.windows(2));
    let lines = lines.chain(loops.map(|step| (step[0], step[1]))).collect();
    let mut labels = Labels::new(lines, width, height);
    for &at in at.iter().filter(|_| is_named) {
        labels.add_disk(at, radius);
    }
    for mark in &marks {
        if let Mark::Number { at, size, .. } = mark {
            labels.add_disk(*at, size * 0.8);
        }
    }
    let mut names_below = Vec::new();
    for (vertex, &at) in at.iter().enumerate() {
        let is_marked = is_marked(marked_vertices, vertex);
        let colour = if is_marked { marked } else { ink };
        // A marked vertex must not be hidden by many others.
        let radius = if is_marked { radius.max(3.0) } else { radius };
        marks.push(Mark::Disk { at, radius, colour });
        if !is_named {
            continue;
        }
        let text = names.map_or_else(|| (vertex + 1).to_string(), |name| name(vertex));
        let text = shortened(text);
        let n_chars = text.chars().count();
        let size = NUMBER * if n_chars > 3 { 0.5 } else { 0.75 };
        if n_chars <= 4 {
            let (anchor, colour) = (Anchor::Middle, paper);
            marks.push(Mark::Number { at, anchor, size, text, colour });
            continue;
        }
        // A name does not fit into its disk: it stands next to it.
        let size = NUMBER * 0.65;
        let (at, anchor) = labels.place(&Label { at, radius, text: &text, size });
        names_below.push(Mark::Number { at, anchor, size, text, colour: ink });
    }
    // No disk covers a name.
    marks.append(&mut names_below);
    let n_marked = |marks: &[bool]| marks.iter().filter(|&&mark| mark).count();
    let lines = |n| text::count(n, if symmetric { "edge" } else { "arc" });
    let mut about =
        format!("a graph of {} and {}", text::count(n_vertices, "vertex"), lines(arcs.len()));
    if !marked_arcs.is_empty() {
        about += &format!(", {} marked", lines(n_marked(marked_arcs)));
    }
    if !marked_vertices.is_empty() {
        about += &format!(", {} marked", text::count(n_marked(marked_vertices), "vertex"));
    }
    Some(Drawing { width, height, marks, paper, about })
}

/// The name of a vertex, cut to a length that leaves room for others.
fn shortened(name: String) -> String {
    match name.chars().count() {
        0..=MAX_NAME => name,
        _ => name.chars().take(MAX_NAME - 1).chain(['…']).collect(),
    }
}

/// Returns a text next to a line, at this share of its length.
fn label(from: Place, to: Place, share: f64, text: String, colour: Rgb) -> Mark {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let size = NUMBER * 0.75;
    // Half of the text, across the line.
    let n_chars = text.chars().count() as f64;
    let half = size * (0.4 * n_chars * (dy / length).abs() + 0.5 * (dx / length).abs());
    let distance = half + 2.0;
    let at = (
        from.0 + dx * share - dy / length * distance,
        from.1 + dy * share + dx / length * distance,
    );
    Mark::Number { at, anchor: Anchor::Middle, size, text, colour }
}

/// Returns the corners of an arrowhead that ends at the edge of the target disk, and the end of its
/// line; `None` if it does not fit.
fn arrow(from: Place, to: Place, radius: f64, width: f64) -> Option<([Place; 3], Place)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    let size = (radius + 4.0).min(10.0) + width;
    if length < radius * 2.0 + size {
        return None;
    }
    let tip = along(to, (-dx / length, -dy / length), radius + 1.0);
    Some(arrowhead(from, tip, size))
}

/// Returns the corners of an arrowhead with this tip and length, and its middle at the line.
fn arrowhead(from: Place, tip: Place, size: f64) -> ([Place; 3], Place) {
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1e-6);
    let (dx, dy) = (dx / length, dy / length);
    let base = along(tip, (dx, dy), -size);
    let half = size * 0.4;
    let side = |sign: f64| (base.0 - dy * half * sign, base.1 + dx * half * sign);
    ([tip, side(1.0), side(-1.0)], base)
}

/// Returns the loops, by their indices.
fn rings(arcs: &[(usize, usize)], at: &[Place], radius: f64) -> BTreeMap<usize, Loop> {
    let mut loops: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (idx, &(tail, head)) in arcs.iter().enumerate() {
        if tail == head {
            loops.entry(tail).or_default().push(idx);
        }
    }
    let mut neighbours: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    for &(tail, head) in arcs.iter().filter(|(tail, head)| tail != head) {
        for (one, other) in [(tail, head), (head, tail)] {
            if loops.contains_key(&one) {
                neighbours.entry(one).or_default().push(at[other]);
            }
        }
    }
    let mut rings = BTreeMap::new();
    for (vertex, loops) in loops {
        let others = neighbours.get(&vertex).map_or(&[][..], Vec::as_slice);
        let towards = free_direction(at[vertex], others);
        let each = loops.into_iter().enumerate();
        rings.extend(each.map(|(nth, idx)| (idx, ring(at[vertex], radius, towards, nth))));
    }
    rings
}

/// Maximum distance between parallel lines.
const LANE: f64 = 9.0;

/// The position of a line among those of its two vertices.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The distance from the straight line between the vertices, to its left.
    distance: f64,
    /// Whether it and the opposite arc are one edge.
    is_edge: bool,
    /// The share of its length at which its weight stands, if other lines are next to it.
    place: Option<f64>,
}

/// Returns the positions of the lines. Parallel arcs are apart, at most by `width` together, and so
/// are opposite ones, unless they are one edge: two arcs of the same weight, and no others.
fn lanes(network: &Network<'_>, width: f64) -> Vec<Lane> {
    let Network { arcs, weights, marked_arcs, .. } = *network;
    let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (idx, &(tail, head)) in arcs.iter().enumerate() {
        between.entry((tail.min(head), tail.max(head))).or_default().push(idx);
    }
    let mut lanes = vec![Lane::default(); arcs.len()];
    for lines in between.values().filter(|lines| lines.len() > 1) {
        if let &[one, other] = &lines[..] {
            let same = |marks: &[bool]| marks.is_empty() || marks[one] == marks[other];
            let is_edge = arcs[one] != arcs[other]
                && weights.is_none_or(|weights| weights[one] == weights[other])
                && same(marked_arcs);
            if is_edge {
                lanes[one].is_edge = true;
                lanes[other].is_edge = true;
                continue;
            }
        }
        let last = (lines.len() - 1) as f64;
        let step = LANE.min(width / last);
        for (nth, &idx) in lines.iter().enumerate() {
            let (tail, head) = arcs[idx];
            let (nth, sign) = (nth as f64, if tail < head { 1.0 } else { -1.0 });
            // From the smaller vertex, so that weights of opposite arcs do not meet.
            let share = 0.3 + 0.4 * nth / last;
            lanes[idx] = Lane {
                distance: sign * step * (nth - last / 2.0),
                is_edge: false,
                place: Some(if tail < head { share } else { 1.0 - share }),
            };
        }
    }
    lanes
}

/// Returns a text on a line, at this share of its length, which covers it and its neighbours.
fn label_on(
    from: Place,
    to: Place,
    share: f64,
    text: String,
    (colour, paper): (Rgb, Rgb),
) -> [Mark; 2] {
    let at = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
    let size = NUMBER * 0.75;
    let radius = size * 0.35 * (text.chars().count() as f64 + 0.6);
    [
        Mark::Disk { at, radius, colour: paper },
        Mark::Number { at, anchor: Anchor::Middle, size, text, colour },
    ]
}

/// Returns the ends of a line, moved to its left by this distance.
fn moved_left(from: Place, to: Place, distance: f64) -> (Place, Place) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let moved = |at: Place| (at.0 + dy / length * distance, at.1 - dx / length * distance);
    (moved(from), moved(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Network<'_> = Network {
        n_vertices: 3,
        arcs: &[(0, 1), (1, 2)],
        symmetric: true,
        names: None,
        weights: None,
        places: None,
        marked_arcs: &[],
        marked_vertices: &[],
        palette: &Palette::LIGHT,
    };
    const INK: Rgb = Palette::LIGHT.ink;
    const FAINT: Rgb = Palette::LIGHT.faint;
    const MARKED: Rgb = Palette::LIGHT.marked;

    fn lines(drawing: &Drawing, wanted: Rgb) -> usize {
        let is = |mark: &&Mark| matches!(mark, Mark::Line { colour, .. } if *colour == wanted);
        drawing.marks.iter().filter(is).count()
    }

    #[test]
    fn marked_elements_stand_out() {
        let plain = network(&PATH).unwrap();
        assert_eq!((lines(&plain, INK), lines(&plain, MARKED)), (2, 0));
        assert_eq!(plain.about, "a graph of 3 vertices and 2 edges");
        let tree = network(&Network { marked_arcs: &[false, true], ..PATH }).unwrap();
        assert_eq!((lines(&tree, FAINT), lines(&tree, MARKED)), (1, 1));
        assert!(tree.about.ends_with("2 edges, 1 edge marked"), "{}", tree.about);
        let alone = Network {
            n_vertices: 1,
            arcs: &[(0, 0)],
            symmetric: false,
            names: None,
            places: None,
            marked_vertices: &[true],
            ..PATH
        };
        let about = network(&alone).unwrap().about;
        assert_eq!(about, "a graph of 1 vertex and 1 arc, 1 vertex marked");
        let way = network(&Network { marked_vertices: &[true, false, true], ..PATH }).unwrap();
        let marked = |mark: &&Mark| matches!(mark, Mark::Disk { colour, .. } if *colour == MARKED);
        assert_eq!(way.marks.iter().filter(marked).count(), 2);
    }

    #[test]
    fn arcs_have_arrowheads_unless_symmetric() {
        let arcs = [(0, 1), (1, 0), (1, 2), (2, 2)];
        let drawing = network(&Network { arcs: &arcs, symmetric: false, ..PATH }).unwrap();
        // One line and the loop have an arrowhead each.
        assert_eq!(arrowheads(&drawing), 2);
        // It ends at the edge of the disk.
        let disk = drawing.marks.iter().filter_map(|mark| match mark {
            Mark::Disk { at, radius, .. } => Some((*at, *radius)),
            _ => None,
        });
        let disks: Vec<(Place, f64)> = disk.collect();
        for mark in &drawing.marks {
            let Mark::Triangle { corners, .. } = mark else { continue };
            for (corner, (at, radius)) in
                corners.iter().flat_map(|corner| disks.iter().map(move |disk| (corner, disk)))
            {
                let (dx, dy) = (corner.0 - at.0, corner.1 - at.1);
                assert!((dx * dx + dy * dy).sqrt() > *radius, "{corner:?} is inside {at:?}");
            }
        }
    }

    #[test]
    fn parallel_arcs_are_apart() {
        let drawn = |arcs: &[(usize, usize)], weights: Option<&[i64]>| {
            let one = Network { arcs, weights, symmetric: false, ..PATH };
            let drawing = network(&one).unwrap();
            let lines = drawing.marks.iter().filter_map(|mark| match mark {
                Mark::Line { from, to, .. } => {
                    Some([*from, *to].map(|at| (at.0 as i64, at.1 as i64)))
                }
                _ => None,
            });
            let mut lines: Vec<[(i64, i64); 2]> = lines.collect();
            lines.iter_mut().for_each(|ends| ends.sort_unstable());
            lines.sort_unstable();
            lines.dedup();
            (lines.len(), arrowheads(&drawing))
        };
        // An edge is one line without arrowheads, opposite arcs of other weights are two.
        assert_eq!(drawn(&[(0, 1), (1, 0)], None), (1, 0));
        assert_eq!(drawn(&[(0, 1), (1, 0)], Some(&[4, 4])), (1, 0));
        assert_eq!(drawn(&[(0, 1), (1, 0)], Some(&[4, 5])), (2, 2));
        assert_eq!(drawn(&[(0, 1), (0, 1), (0, 1)], None), (3, 3));
        // The middle one of three lines is no edge.
        assert_eq!(drawn(&[(0, 1), (1, 0), (0, 1)], Some(&[5, 9, 7])), (3, 3));
    }

    fn arrowheads(drawing: &Drawing) -> usize {
        drawing.marks.iter().filter(|mark| matches!(mark, Mark::Triangle { .. })).count()
    }

    #[test]
    fn vertices_have_the_names_of_the_file() {
        let names = |vertex: usize| ["10", "Aix", "Rotterdam"][vertex].to_owned();
        let drawing = network(&Network { names: Some(&names), ..PATH }).unwrap();
        let text = drawing.marks.iter().filter_map(|mark| match mark {
            Mark::Number { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(text.collect::<Vec<_>>(), ["10", "Aix", "Rotterdam"]);
    }

    #[test]
    fn loops_are_drawn_with_their_weights_and_marks() {
        let loops = Network {
            arcs: &[(0, 0), (0, 1), (0, 0)],
            weights: Some(&[5, 6, 7]),
            marked_arcs: &[true, false, false],
            ..PATH
        };
        let drawing = network(&loops).unwrap();
        assert!(lines(&drawing, MARKED) > 12 && lines(&drawing, FAINT) > 13);
        assert_eq!(arrowheads(&drawing), 0);
        let has = |wanted: &str| {
            let is = |mark: &Mark| matches!(mark, Mark::Number { text, .. } if text == wanted);
            drawing.marks.iter().any(is)
        };
        assert!(has("5") && has("6") && has("7"));
        let directed = network(&Network { symmetric: false, ..loops }).unwrap();
        assert_eq!(arrowheads(&directed), 3);
    }

    #[test]
    fn arcs_of_small_graphs_have_their_weights() {
        let texts = |network: &Network<'_>| -> Vec<String> {
            let drawing = super::network(network).unwrap();
            let texts = drawing.marks.into_iter().filter_map(|mark| match mark {
                Mark::Number { text, .. } => Some(text),
                _ => None,
            });
            texts.collect()
        };
        let weighed = Network { weights: Some(&[17, -4]), ..PATH };
        assert_eq!(texts(&weighed), ["17", "-4", "1", "2", "3"]);
        let (arcs, weights) = (vec![(0, 1); MAX_WEIGHED + 1], vec![5; MAX_WEIGHED + 1]);
        let many = Network { arcs: &arcs, weights: Some(&weights), ..PATH };
        assert_eq!(texts(&many), ["1", "2", "3"]);
    }

    #[test]
    fn large_graphs_need_coordinates() {
        let large = Network { n_vertices: MAX_VERTICES + 1, arcs: &[], ..PATH };
        assert_eq!(network(&large), None);
        let places = vec![1; MAX_VERTICES + 1];
        let drawn = network(&Network { places: Some([&places, &places]), ..large });
        assert!(drawn.is_some_and(|drawing| drawing.marks.len() == MAX_VERTICES + 1));
    }
}
