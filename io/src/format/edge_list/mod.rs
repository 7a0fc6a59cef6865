//! Edge lists: a line for each edge, its fields separated by blanks, tabs, commas or semicolons,
//! perhaps after a line of names; lines of comment from `#` or `%` (SNAP, KONECT, networkx and
//! similar lists), and comments from `#` after numbers, or after fields that blanks separate.
//!
//! Vertices are numbers below 2^64 or texts. Exactly 1..n are used directly; other numbers are
//! numbered in ascending order, texts in the order of their first appearance, and kept as names. If
//! the first line is that of KONECT, its edges have no direction after `sym`, separate numbers for
//! their ends after `bip`, and times after the weights. Our own writer's comment before the first
//! edge fixes the number of vertices and is exact; the counts in a SNAP comment are often wrong and
//! only cause a warning. A file without an edge and without our comment is rejected.

mod ids;
mod plan;
mod remarks;

use std::io::{self, Write};

use star_base::Code;

use self::ids::{Numbered, RawArc};
use self::plan::{Plan, Separator};
use self::remarks::{Announced, Konect, Remarks};
use super::weights::{self, WeightRule};
use super::{ARC_BYTES, GraphRef, MIN_ENTRY_BYTES, ReadResult, ReaderNotes};
use crate::data::OutputRef;
use crate::decimal::Decimal;
use crate::error::Fault;
use crate::graph::{Arc, ArcsElsewhere, Graph};
use crate::graph_part::{ArcFacts, Sharing};
use crate::growing::Growing;
use crate::meaning::{Meaning, Texts};
use crate::names::{VertexName, VertexNames};
use crate::options::Direction;
use crate::scaling::ScalingUses;
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;

/// Memory of an edge: as read, renumbered, its two ends among the labels, and its key when
/// duplicates are counted.
const RAW_BYTES: u64 = size_of::<RawArc>() as u64 + 2 * 8 + ARC_BYTES;

/// The number of bytes that contain the first lines.
const HEAD_BYTES: usize = 1 << 16;

/// Reads a graph.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let mut lines = Lines::new(&scanner);
    if lines.next_edge(&mut scanner)?.is_none() {
        return match lines.remarks.exact {
            Some(_) => lines.finish(None, scanner),
            None => Err(scanner.here(Code::Truncated, "the file holds no edge")),
        };
    }
    let peeked = scanner.peek_lines(2)?;
    let (first, second) = (peeked.first(), peeked.get(1));
    let first = first.map_or(&[][..], Vec::as_slice);
    let plan = Plan::new(first, second.map(Vec::as_slice), scanner.source(), scanner.line())?;
    if plan.has_header {
        scanner.skip_line()?;
        lines.columns = Some((plan.separator, plan.n_columns)).filter(|_| plan.n_columns > 1);
    }
    match plan.is_simple() && scanner.source().field_rules().empty.is_none() {
        true => lines.read_numbers(&mut scanner, &plan)?,
        false => lines.read_cells(&mut scanner, &plan)?,
    }
    lines.finish(Some(plan), scanner)
}

/// Returns the scale that the user gave for the column of the weights, as in `scale=km:100`.
pub(crate) fn weight_scale(source: &mut Source) -> Result<Option<Decimal>, Fault> {
    let scales = source.field_rules().scales;
    if scales.is_empty() {
        return Ok(None);
    }
    let mut head = vec![0; HEAD_BYTES];
    let n_bytes = source.fill(&mut head)?;
    head.truncate(n_bytes);
    source.push_back(&head);
    let lines = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).split(|&byte| byte == b'\n');
    let mut edges =
        lines.map(<[u8]>::trim_ascii).filter(|line| !matches!(line, [] | [b'#' | b'%', ..]));
    let Some(first) = edges.next() else { return Ok(None) };
    // The reader reports what is wrong with these lines.
    let Ok(plan) = Plan::new(first, edges.next(), source, 1) else { return Ok(None) };
    let columns = plan.columns();
    let is_weight = |name: &str| columns.weight.is_some() && columns.find(name) == columns.weight;
    Ok(scales.iter().find(|(name, _)| is_weight(name)).map(|(_, scale)| *scale))
}

/// The lines read so far.
struct Lines<'a> {
    remarks: Remarks,
    raw: Growing<RawArc>,
    weights: WeightRule<'a>,
    /// The names of the vertices, if they are texts; an end of an arc is then a row from 0.
    texts: Texts,
    text_bytes: u64,
    n_times: u64,
    comment: Vec<u8>,
    /// The separator and the number of columns, if a header names them.
    columns: Option<(Separator, usize)>,
    /// Comments with as many fields as there are columns.
    n_similar_comments: u64,
    /// Number of edges in the lines so far, and of those without direction by Gephi's column.
    n_lines: u64,
    n_undirected: u64,
    /// Whether the number of a vertex was written with a leading zero.
    has_leading_zero: bool,
    /// The number of bytes of first lines before the range of this reader, until it begins.
    n_start: Option<u64>,
    /// Whether there were edges before the range of this reader.
    has_start: bool,
}

impl<'a> Lines<'a> {
    fn new(scanner: &Scanner<'a, '_>) -> Self {
        let source = scanner.source();
        let n_start = source.sharing().map(Sharing::n_start).filter(|n_bytes| *n_bytes > 0);
        Lines {
            remarks: Remarks::default(),
            raw: Growing::new(source.budget(), RAW_BYTES),
            weights: WeightRule::new(source),
            texts: Texts::default(),
            text_bytes: 0,
            n_times: 0,
            comment: Vec::new(),
            columns: None,
            n_similar_comments: 0,
            n_lines: 0,
            n_undirected: 0,
            has_leading_zero: false,
            n_start,
            has_start: false,
        }
    }

    /// Skips comments to the next edge; `None` at the end of the file.
    #[inline]
    fn next_edge(&mut self, scanner: &mut Scanner) -> Result<Option<u8>, Fault> {
        loop {
            let first = scanner.next_entry()?;
            if let Some(n_bytes) = self.n_start
                && (first.is_none() || scanner.offset() >= n_bytes)
            {
                self.drop_start(scanner);
            }
            match first {
                Some(b'#' | b'%') => self.take_comment(scanner)?,
                Some(first) => {
                    if let Some(Announced { n_arcs, .. }) = self.remarks.exact
                        && self.raw.len() as u64 == n_arcs
                    {
                        return Err(super::too_many(scanner, n_arcs));
                    }
                    return Ok(Some(first));
                }
                None => return Ok(None),
            }
        }
    }

    /// Drops the contents of the first lines, which belong to the range of another reader.
    #[cold]
    fn drop_start(&mut self, scanner: &Scanner) {
        (self.n_start, self.has_start) = (None, true);
        self.raw.clear();
        (self.n_times, self.n_similar_comments, self.n_lines) = (0, 0, 0);
        self.has_leading_zero = false;
        if let Some(scaling) = scanner.source().scaling() {
            scaling.set_uses(ScalingUses::default());
        }
    }

    #[cold]
    fn take_comment(&mut self, scanner: &mut Scanner) -> Result<(), Fault> {
        scanner.take_line(&mut self.comment, remarks::MAX_BYTES)?;
        if let Some((separator, n_columns)) = self.columns
            && separator.split(&self.comment).len() == n_columns
        {
            self.n_similar_comments += 1;
        }
        let before_edges = self.raw.len() == 0 && !self.has_start;
        if let Some(announced) = self.remarks.note(&self.comment, before_edges) {
            self.raw.reserve(announced, scanner.source().size_hint(), MIN_ENTRY_BYTES);
        }
        Ok(())
    }

    /// Reads lines of two numbers, or three.
    fn read_numbers(&mut self, scanner: &mut Scanner, plan: &Plan) -> Result<(), Fault> {
        let (mut weighted, mut no_weights) = (None, None);
        while self.next_edge(scanner)?.is_some() {
            let weights = (&mut weighted, &mut no_weights);
            let arc = self.read_edge(scanner, plan, weights)?;
            self.raw.push(arc).map_err(|e| scanner.out_of_memory(&e))?;
        }
        self.weights.read_elsewhere(weighted.unwrap_or(false), no_weights);
        Ok(())
    }

    /// Reads one line; the first one determines whether there are weights.
    #[inline]
    fn read_edge(
        &mut self,
        scanner: &mut Scanner,
        plan: &Plan,
        (weighted, no_weights): (&mut Option<bool>, &mut Option<Fault>),
    ) -> Result<RawArc, Fault> {
        let advised = |fault: Fault| match fault.message.ends_with("is not a whole number") {
            true => Box::new(plan::not_a_vertex(*fault, plan)),
            false => fault,
        };
        let tail = self.read_end(scanner, "the first vertex").map_err(advised)?;
        skip_separator(scanner)?;
        let head = self.read_end(scanner, "the second vertex").map_err(advised)?;
        let more = skip_separator(scanner)? || !at_edge_end(scanner)?;
        match *weighted {
            None => *weighted = Some(more),
            Some(before) if before == more => {}
            Some(before) => {
                let (before, now) = if before { (3, 2) } else { (2, 3) };
                let message = format!(
                    "{now} fields in a line, expected {before} as in the lines \
                    before"
                );
                return Err(scanner.here(Code::BadFormat, message));
            }
        }
        let weight = match more {
            true => scanner.weight("the weight", no_weights)?,
            false => 1,
        };
        if more && (skip_separator(scanner)? || !at_edge_end(scanner)?) {
            if scanner.source().skips_times() || self.remarks.konect.is_some() {
                scanner.take_word(&mut Vec::new())?;
                self.n_times += 1;
            } else {
                return Err(fourth_field(scanner));
            }
        }
        match scanner.skip_blanks()? {
            Some(b'#') => scanner.skip_line()?,
            Some(_) | None => scanner.end_line()?,
        }
        Ok(RawArc { tail, head, weight })
    }

    /// Reads a vertex; counts from 0 if the file gives the number of vertices.
    #[inline]
    fn read_end(&mut self, scanner: &mut Scanner, what: &str) -> Result<u64, Fault> {
        match self.remarks.exact {
            None => {
                let begins_with_0 = scanner.peek()? == Some(b'0');
                let number = scanner.unsigned(what)?;
                self.has_leading_zero |= begins_with_0 && number > 0;
                Ok(number)
            }
            Some(Announced { n_vertices, .. }) => {
                Ok(u64::from(scanner.index(what, n_vertices, "vertices")?))
            }
        }
    }

    /// Reads lines with the columns of `plan`.
    fn read_cells(&mut self, scanner: &mut Scanner, plan: &Plan) -> Result<(), Fault> {
        let separator = match plan.separator {
            Separator::Blanks => None,
            Separator::Byte(byte) => Some(byte),
        };
        let mut cell = Vec::new();
        while self.next_edge(scanner)?.is_some() {
            let (mut tail, mut head, mut weight) = (None, None, None);
            let mut is_directed = true;
            let mut n_cells = 0;
            loop {
                let more = scanner.take_cell(separator, &mut cell)?;
                let end = match n_cells {
                    _ if n_cells == plan.from => Some(&mut tail),
                    _ if n_cells == plan.to => Some(&mut head),
                    _ => None,
                };
                if let Some(end) = end {
                    *end = Some(self.vertex(scanner, plan, &cell)?);
                } else if Some(n_cells) == plan.weight {
                    weight = Some(self.weight(scanner, plan, &cell)?);
                } else if Some(n_cells) == plan.kind {
                    is_directed = kind(scanner, &cell)?;
                }
                n_cells += 1;
                if !more {
                    break;
                }
                if plan.separator.ends_before_comment(n_cells) && scanner.peek()? == Some(b'#') {
                    scanner.skip_line()?;
                    break;
                }
                if n_cells == plan.n_columns {
                    let message = format!("expected the end of the line after {n_cells} fields");
                    return Err(scanner.here(Code::BadFormat, message));
                }
            }
            let (Some(tail), Some(head)) = (tail, head) else {
                let fields = text::counted(n_cells as u64, "fields");
                let message = format!("expected two vertices, found {fields} in the line");
                return Err(Box::new(scanner.here(Code::BadFormat, message).note(plan::LINES)));
            };
            let weight = match (weight, plan.weight) {
                (Some(weight), _) => weight,
                (None, Some(_)) => {
                    let at = |code, message: String| scanner.here(code, message);
                    self.weights.add(None, &at)?
                }
                (None, None) => 1,
            };
            self.raw.push(RawArc { tail, head, weight }).map_err(|e| scanner.out_of_memory(&e))?;
            self.n_lines += 1;
            if !is_directed {
                self.n_undirected += 1;
                let back = (tail != head).then_some(RawArc { tail: head, head: tail, weight });
                let pushed = back.map_or(Ok(()), |back| self.raw.push(back));
                pushed.map_err(|e| scanner.out_of_memory(&e))?;
            }
            let n_bytes = self.text_bytes as u128 + self.raw.len() as u128 * u128::from(RAW_BYTES);
            if self.text_bytes > 0 && n_bytes > u128::from(scanner.source().max_bytes()) {
                return Err(scanner.source().out_of_memory(n_bytes));
            }
        }
        Ok(())
    }

    /// Returns a vertex: its number, or the row of its text.
    fn vertex(&mut self, scanner: &Scanner, plan: &Plan, cell: &[u8]) -> Result<u64, Fault> {
        let wrong = |message: String| scanner.at_token(Code::BadFormat, message);
        let name = text::utf8(cell).map_err(|problem| {
            let fault = wrong(format!("the name of a vertex {problem}"));
            Box::new(fault.help("save the file as UTF-8"))
        })?;
        if name.is_empty() {
            return Err(wrong("expected a vertex, found an empty field".to_owned()));
        }
        if name.contains(char::is_control) {
            return Err(wrong("the name of a vertex contains a control character".to_owned()));
        }
        if !plan.texts {
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            let number = name.parse().ok().filter(|_| is_number).ok_or_else(|| {
                let found = text::quote(cell);
                let fault = wrong(format!("expected the number of a vertex, found {found}"));
                Box::new(plan::not_a_vertex(*fault, plan))
            })?;
            self.has_leading_zero |= name.len() > 1 && name.starts_with('0');
            return match self.remarks.exact {
                None => Ok(number),
                Some(Announced { n_vertices, .. }) if (1..=n_vertices).contains(&number) => {
                    Ok(number - 1)
                }
                Some(Announced { n_vertices, .. }) => {
                    Err(wrong(format!("the vertex {number} is none of 1 to {n_vertices}")))
                }
            };
        }
        let n_before = self.texts.as_slice().len();
        let code = self.texts.add(name);
        if self.texts.as_slice().len() > n_before {
            self.text_bytes = self.text_bytes.saturating_add(Meaning::bytes_of_text(name));
        }
        Ok((code - 1).cast_unsigned())
    }

    /// Returns the weight in a cell: a number, or the data of a networkx edge.
    fn weight(&mut self, scanner: &Scanner, plan: &Plan, cell: &[u8]) -> Result<i64, Fault> {
        let at = |code, message: String| scanner.at_token(code, message);
        let mut cell = String::from_utf8_lossy(cell);
        if plan.has_commas && cell.contains(',') && !cell.contains(['.', '{']) {
            cell = cell.replace(',', ".").into();
        }
        let text = match cell.starts_with('{') {
            true => attribute(&cell, scanner.source().edge_fields().weight),
            false => Some(cell.as_ref()),
        };
        self.weights.add(text, &at)
    }

    /// Gathers the facts about the lines of all readers; the counts become those of all lines.
    fn share(
        &mut self,
        sharing: &Sharing<'_>,
        plan: &Plan,
        source: &mut Source,
    ) -> Result<Vec<ArcFacts>, Fault> {
        let why = match self.remarks.konect {
            _ if plan.texts => Some("its vertices are texts"),
            _ if plan.kind.is_some() => Some("a column says which edges have a direction"),
            Some(Konect::Bipartite) => Some("a comment separates two sides"),
            Some(Konect::Symmetric | Konect::Directed) | None if self.remarks.is_undirected => {
                Some("a comment says that the edges have no direction")
            }
            Some(Konect::Symmetric | Konect::Directed) | None => None,
        };
        if let Some(why) = why {
            return Err(source.fault(Code::BadFormat, why));
        }
        super::check_weights_of_part(self.weights.needs_whole(), source)?;
        let raw = self.raw.as_slice();
        let vertices = match self.remarks.exact {
            Some(_) => Vec::new(),
            None => ids::packed(&ids::distinct(raw, source)?),
        };
        let facts = ArcFacts {
            form: format!("{plan:?}, {:?}", self.remarks.exact),
            counts: [self.n_similar_comments, self.n_times, u64::from(self.has_leading_zero)],
            claimed: self.remarks.claimed.map(|it| (it.n_vertices, it.n_arcs)),
            vertices,
            ..ArcFacts::of(raw.iter().map(|arc| arc.weight))
        };
        let all = source.gather(sharing, facts)?;
        if let Some(Announced { n_arcs, .. }) = self.remarks.exact {
            super::check_arcs_of_parts(sharing, &all, n_arcs, source)?;
        }
        let count = |idx: usize| all.iter().map(|of| of.counts[idx]).sum();
        (self.n_similar_comments, self.n_times) = (count(0), count(1));
        self.has_leading_zero = count(2) > 0;
        let claimed = all.iter().find_map(|of| of.claimed);
        self.remarks.claimed = claimed.map(|(n_vertices, n_arcs)| Announced { n_vertices, n_arcs });
        Ok(all)
    }

    /// Makes the graph.
    fn finish(mut self, plan: Option<Plan>, mut scanner: Scanner) -> Result<ReadResult, Fault> {
        let shared = match (scanner.source().sharing(), &plan) {
            (Some(sharing), Some(plan)) => {
                let all = self.share(sharing, plan, scanner.source_mut())?;
                Some((sharing.elsewhere(&all), all))
            }
            _ => None,
        };
        let Lines { remarks, raw, weights, mut texts, text_bytes, n_times, .. } = self;
        let mut notes = ReaderNotes::default();
        if self.n_similar_comments > 0 {
            let lines = text::count(self.n_similar_comments, "line");
            notes.warnings.push(format!(
                "{lines} beginning with `#` or `%` may be edges, but are read as comments: write \
                    the first field in quotes"
            ));
        }
        let mut raw = raw.into_vec();
        scanner
            .source()
            .budget()
            .allows(text_bytes as u128 + raw.len() as u128 * u128::from(RAW_BYTES));
        let has_texts = plan.as_ref().is_some_and(|plan| plan.texts);
        let is_bipartite = remarks.konect == Some(Konect::Bipartite);
        if is_bipartite && has_texts {
            refuse_vertex_on_both_sides(&raw, texts.as_slice(), &scanner)?;
        } else if is_bipartite {
            for arc in &mut raw {
                arc.head |= RIGHT;
            }
        }
        let exact = remarks.exact.filter(|_| !has_texts);
        let mut numbered = match exact {
            Some(Announced { n_arcs, .. }) if shared.is_none() && (raw.len() as u64) < n_arcs => {
                return Err(super::too_few(&scanner, raw.len() as u64, n_arcs));
            }
            Some(Announced { n_vertices, .. }) => {
                ids::take_from_1(&raw, n_vertices, scanner.source_mut())?
            }
            None if shared.is_none() && raw.is_empty() => {
                return Err(scanner.here(Code::Truncated, "the file holds no edge"));
            }
            None if has_texts => {
                if scanner.source().field_rules().sorted {
                    let renamed = texts.sort();
                    let row = |row: u64| (renamed[row as usize + 1] - 1).cast_unsigned();
                    for arc in &mut raw {
                        (arc.tail, arc.head) = (row(arc.tail), row(arc.head));
                    }
                }
                let n_vertices = texts.as_slice().len() as u64;
                let numbered = ids::take_from_1(&raw, n_vertices, scanner.source_mut())?;
                ids::Numbered { names: Some(VertexNames::Texts(texts)), ..numbered }
            }
            None => {
                let ids = match &shared {
                    Some((_, all)) => ids::union(all.iter().map(|of| &of.vertices[..])),
                    None => ids::distinct(&raw, scanner.source_mut())?,
                };
                ids::compact(&raw, ids, scanner.source_mut())?
            }
        };
        drop(raw);
        if let (true, Some(VertexNames::Numbers(numbers))) = (is_bipartite, &numbered.names) {
            let mut sides = Texts::default();
            for number in numbers {
                let side = if number & RIGHT == 0 { 'L' } else { 'R' };
                sides.add(&format!("{side}{}", number & !RIGHT));
            }
            numbered.names = Some(VertexNames::Texts(sides));
            notes.notes.push(
                "the comment `% bip` says that both ends are numbered separately: the vertices \
                    are `L1`, `L2`, … on the left and `R1`, `R2`, … on the right"
                    .to_owned(),
            );
        }
        if let Some(plan) = &plan {
            notes.columns = Some(plan.columns());
            notes.notes.extend(plan.note.clone());
        }
        let from_0 = |labels: &[u64]| {
            labels.first() == Some(&0) && labels.last() == Some(&(labels.len() as u64 - 1))
        };
        if let Some(VertexNames::Numbers(numbers)) = &numbered.names
            && !from_0(numbers)
        {
            notes.notes.push(format!(
                "the vertices are not numbered 0..n−1 or 1..n: the {} distinct numbers are used in \
                    ascending order",
                numbers.len()
            ));
        }
        if self.has_leading_zero {
            let [from, to] = plan.as_ref().map(Plan::ends).unwrap_or_default();
            notes.notes.push(format!(
                "the vertices are numbers without their leading zeros; `texts={from},{to}` keeps \
                    these"
            ));
        }
        let symmetric = remarks.konect == Some(Konect::Symmetric);
        if symmetric {
            notes
                .notes
                .push("the comment `% sym` says that the edges have no direction".to_owned());
        }
        if n_times > 0 {
            notes.notes.push("the times after the weights are skipped".to_owned());
        }
        notes.assumes_arcs = exact.is_none() && remarks.konect.is_none();
        let Numbered { n_vertices, mut arcs, names } = numbered;
        let elsewhere = shared.map_or(ArcsElsewhere::default(), |(elsewhere, _)| elsewhere);
        let n_arcs = arcs.len() + elsewhere.n_arcs;
        notes.warnings.extend(remarks.disagreement(n_vertices, n_arcs));
        let (weighted, mut no_weights) = weights.finish()?;
        super::settle_weights(&mut arcs, true, &mut no_weights, &mut notes.warnings);
        let symmetric = symmetric || is_bipartite;
        let mut graph =
            Graph { n_vertices, arcs, weighted, symmetric, names, no_weights, elsewhere };
        let by_column = self.n_lines > 0 && self.n_undirected == self.n_lines;
        let why = match (remarks.is_undirected, by_column) {
            _ if symmetric => None,
            (true, _) => Some("the comment `# Undirected graph` says"),
            (false, true) => Some("the column `Type` says"),
            (false, false) => None,
        };
        if let Some(why) = why {
            let source = scanner.source_mut();
            let direction = Direction { undirected: true, reverse: false };
            let n_bytes = graph.arcs.len() as u128 * u128::from(ARC_BYTES);
            let joined = graph.orient(direction, &mut || source.go_on())?;
            joined.ok_or_else(|| source.out_of_memory(n_bytes))?;
            notes.notes.push(format!("{why} that the edges have no direction"));
        } else if self.n_undirected > 0 {
            let edges = text::count(self.n_undirected, "edge");
            notes.notes.push(format!("{edges} without direction became two arcs each"));
        }
        notes.assumes_arcs &= plan.is_none_or(|plan| plan.kind.is_none());
        super::finish(graph, notes, scanner.source_mut())
    }
}

/// Returns whether the column `Type` says that an edge has a direction.
fn kind(scanner: &Scanner, cell: &[u8]) -> Result<bool, Fault> {
    let shown = String::from_utf8_lossy(cell);
    let known = if cell.is_empty() { Some(true) } else { plan::kind(&shown) };
    known.ok_or_else(|| {
        let found = text::quote(cell);
        let message = format!("expected `Directed` or `Undirected` in this column, found {found}");
        scanner.at_token(Code::BadFormat, message)
    })
}

/// Refuses a text at both sides of a bipartite graph, where it stands for two vertices.
fn refuse_vertex_on_both_sides(
    raw: &[RawArc],
    texts: &[String],
    scanner: &Scanner,
) -> Result<(), Fault> {
    let mut is_left = vec![false; texts.len()];
    raw.iter().for_each(|arc| is_left[arc.tail as usize] = true);
    let Some(arc) = raw.iter().find(|arc| is_left[arc.head as usize]) else { return Ok(()) };
    let name = text::quote(texts[arc.head as usize].as_bytes());
    let message =
        format!("the comment `% bip` separates two sides, but {name} occurs on both of them");
    let fault = scanner.source().fault(Code::BadFormat, message);
    Err(Box::new(fault.help("remove the comment if equal names stand for the same vertex")))
}

/// The bit of numbers on the right side of a bipartite graph.
const RIGHT: u64 = 1 << 63;

/// The value of an attribute in the data of a networkx edge, `{'weight': 3, 'name': 'A1'}`: the
/// one with this name, or a usual one.
fn attribute<'t>(data: &'t str, wanted: Option<&str>) -> Option<&'t str> {
    let inner = data.trim().strip_prefix('{')?.strip_suffix('}')?;
    inner.split(',').find_map(|pair| {
        let (key, value) = pair.split_once(':')?;
        let key = key.trim().trim_matches(['\'', '"']);
        let is_wanted = match wanted {
            Some(wanted) => key == wanted,
            None => weights::is_usual(key),
        };
        is_wanted.then(|| value.trim())
    })
}

/// Writes a graph with the labels of its vertices, or the graph of an adjacency table.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "an edge list")?;
    write_edges(graph, out).map_err(|e| super::cannot_write(&e))
}

fn write_edges(graph: GraphRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    let announced = Announced { n_vertices: graph.n_vertices() as u64, n_arcs: graph.n_arcs() };
    // Names are not numbers from 1, and the comment that fixes the sizes would declare them so.
    let comment = match graph.names() {
        None => remarks::exact_comment(&announced),
        Some(_) => remarks::claim(&announced),
    };
    writeln!(out, "{comment}")?;
    let weighted = graph.is_weighted();
    if let Some(VertexNames::Texts(_)) = graph.names() {
        // Without a header the first names could be taken for one.
        let [from, to] = names_of_ends(graph);
        writeln!(out, "{from} {to}{}", if weighted { " weight" } else { "" })?;
    }
    graph.try_for_arcs(|Arc { tail, head, weight }| {
        let (tail, head) = (graph.name(tail), graph.name(head));
        match weighted {
            true => writeln!(out, "{} {} {weight}", quoted(tail), quoted(head)),
            false => writeln!(out, "{} {}", quoted(tail), quoted(head)),
        }
    })
}

/// Returns the names of the columns of both ends, with a declaration if the vertices are texts that
/// a reader would take for numbers: it decides by the first edge.
pub(in crate::format) fn names_of_ends(graph: GraphRef<'_>) -> [&'static str; 2] {
    let mut is_text = matches!(graph.names(), Some(VertexNames::Texts(_)));
    let first = graph.try_for_edges(Err);
    is_text &= first.is_err_and(|Arc { tail, head, .. }| {
        [tail, head].iter().all(|&end| plan::is_number(&graph.name(end).to_string()))
    });
    if is_text { ["from:text", "to:text"] } else { ["from", "to"] }
}

/// The name of a vertex, in quotes if it would not be one field.
fn quoted(name: VertexName<'_>) -> String {
    let name = name.to_string();
    let is_plain = !name.contains([' ', '\t', '"', ',', ';', '\r', '\n']);
    match is_plain && !name.starts_with(['#', '%', '{']) {
        true => name,
        false => format!("\"{}\"", name.replace('"', "\"\"").replace(['\r', '\n'], " ")),
    }
}

/// Returns whether the fields of a line end here, at its end or before a comment.
#[inline]
fn at_edge_end(scanner: &mut Scanner) -> Result<bool, Fault> {
    Ok(matches!(scanner.skip_blanks()?, None | Some(b'\n' | b'\r' | b'#')))
}

/// The error for a field after the weight.
#[cold]
fn fourth_field(scanner: &mut Scanner) -> Fault {
    match scanner.end_line() {
        Ok(()) => scanner.here(Code::BadFormat, "expected the end of the line, found `,`"),
        Err(fault) => Box::new(
            fault
                .note("a fourth field stands where the line should end")
                .help("if it is a time, `times=skip` reads the graph without times"),
        ),
    }
}

/// Skips blanks with at most one comma among them; returns whether there was one.
#[inline]
fn skip_separator(scanner: &mut Scanner) -> Result<bool, Fault> {
    let comma = scanner.skip_blanks()? == Some(b',');
    if comma {
        scanner.bump();
    }
    Ok(comma)
}
