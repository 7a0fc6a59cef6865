//! Graphs of which each of several readers reads a range of lines; see Note [Cuts] in `part.rs`.
//!
//! A reader of lines that are independent of each other reads its range after the first lines, and
//! drops the contents of these. Before it numbers the vertices, it calls `Source::gather` with
//! what the others must know of its arcs. If one of them cannot go on, for instance since a line is
//! wrong, none does: the reader of the whole file has the message.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Cursor, Read};

use crc32fast::Hasher;
use star_base::Code;

use crate::data::LoadedFile;
use crate::error::FileError;
use crate::graph::ArcsElsewhere;
use crate::options::ReadOptions;
use crate::part::{
    JoinedPart, RangeReader, ReadAt, Reader, put, put_option, put_text, put_uses, range_of,
};
use crate::registry::{Format, read_shared};
use crate::scaling::ScalingUses;

/// The number of bytes that contain the first lines.
const START_BYTES: u64 = 1 << 18;

/// The other processes that run the same command, each of which holds some rows of large tables.
pub trait Peers: fmt::Debug {
    /// Returns the number of this process, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of processes.
    fn n_ranks(&self) -> usize;

    /// Returns the bytes that each process gives, in their order; all of them call this.
    ///
    /// # Errors
    /// The reason if another process has ended.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, String>;

    /// Gives numbers to each process, and returns those that the processes give to this one, in
    /// their order; all of them call this.
    ///
    /// # Errors
    /// The reason if another process has ended.
    fn trade(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>, String>;
}

/// What the readers of other ranges must know of the arcs of a range.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ArcFacts {
    /// The form of the lines, which is the same in all ranges.
    pub(crate) form: String,
    pub(crate) n_arcs: u64,
    /// The least and the greatest weight.
    pub(crate) weights: Option<(i64, i64)>,
    /// Counts of lines, for remarks.
    pub(crate) counts: [u64; 3],
    /// The numbers of vertices and arcs that a comment announces.
    pub(crate) claimed: Option<(u64, u64)>,
    /// The distinct numbers of vertices, if they determine the vertices, in a coding of the format.
    pub(crate) vertices: Vec<u64>,
    /// Statistics of the scale.
    pub(crate) uses: ScalingUses,
}

impl ArcFacts {
    /// Creates the facts about arcs with these weights.
    pub(crate) fn of(weights: impl ExactSizeIterator<Item = i64>) -> Self {
        let n_arcs = weights.len() as u64;
        ArcFacts { n_arcs, weights: range_of_weights(weights), ..ArcFacts::default() }
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let ArcFacts { form, n_arcs, weights, counts, claimed, vertices, uses } = self;
        put_text(bytes, form);
        put(bytes, *n_arcs);
        let (least, greatest) = weights.unzip();
        put_option(bytes, least);
        put_option(bytes, greatest);
        counts.iter().for_each(|count| put(bytes, *count));
        let (n_vertices, n_arcs) = claimed.unzip();
        put_option(bytes, n_vertices);
        put_option(bytes, n_arcs);
        put(bytes, vertices.len() as u64);
        vertices.iter().for_each(|number| put(bytes, *number));
        put_uses(bytes, *uses);
    }

    fn read(mut from: Reader<'_>) -> Option<Self> {
        let (form, n_arcs) = (from.text()?, from.number()?);
        let weights = from.parsed()?.zip(from.parsed()?);
        let counts = [from.number()?, from.number()?, from.number()?];
        let claimed = from.parsed()?.zip(from.parsed()?);
        let n_numbers = from.number()?;
        let vertices: Option<Vec<u64>> = (0..n_numbers).map(|_| from.number()).collect();
        let uses = from.uses()?;
        Some(ArcFacts { form, n_arcs, weights, counts, claimed, vertices: vertices?, uses })
    }
}

/// Returns the least and the greatest of these weights.
pub(crate) fn range_of_weights(weights: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
    weights.fold(None, |range, weight| {
        let (least, greatest) = range.unwrap_or((weight, weight));
        Some((weight.min(least), weight.max(greatest)))
    })
}

/// The exchange of a reader of a range with the readers of the others.
pub(crate) struct Sharing<'p> {
    peers: &'p dyn Peers,
    /// The length of the file and the checksum of its first lines: equal in all ranges.
    file: Cell<(u64, u64)>,
    /// The number of bytes of the first lines at the start of the input, whose contents are
    /// dropped.
    n_start: Cell<u64>,
    /// Whether the others know whether this reader can go on.
    is_told: Cell<bool>,
    /// Why the file is read whole.
    refused: RefCell<Option<String>>,
    /// The first arc of each range, and the number of arcs.
    starts: RefCell<Vec<usize>>,
}

impl<'p> Sharing<'p> {
    fn new(peers: &'p dyn Peers) -> Self {
        let (is_told, refused, starts) = (Cell::default(), RefCell::default(), RefCell::default());
        Sharing { peers, file: Cell::default(), n_start: Cell::new(0), is_told, refused, starts }
    }

    /// Returns the number of bytes at the start of the input whose contents are dropped.
    pub(crate) fn n_start(&self) -> u64 {
        self.n_start.get()
    }

    /// Makes all readers, which call this together, leave the file to the reader of the whole.
    pub(crate) fn refuse(&self, why: &str) -> String {
        *self.refused.borrow_mut() = Some(why.to_owned());
        why.to_owned()
    }

    /// Returns the facts about all ranges, in order; see `Source::gather`.
    pub(crate) fn gather(&self, facts: &ArcFacts) -> Result<Vec<ArcFacts>, String> {
        let mut bytes = Vec::new();
        let file = self.file.get();
        put(&mut bytes, file.0);
        put(&mut bytes, file.1);
        facts.put(&mut bytes);
        let all = self.tell(&[&[0], &bytes[..]].concat())?;
        let read = |bytes: &[u8]| {
            let mut from = Reader(bytes.get(1..)?);
            let is_like = (from.number()?, from.number()?) == file;
            ArcFacts::read(from).filter(|of| is_like && of.form == facts.form)
        };
        let all: Option<Vec<ArcFacts>> = all.iter().map(|bytes| read(bytes)).collect();
        let all = all.ok_or_else(|| self.refuse("the ranks do not see the same file"))?;
        let mut starts = vec![0];
        for of in &all {
            starts.push(starts[starts.len() - 1] + of.n_arcs as usize);
        }
        *self.starts.borrow_mut() = starts;
        Ok(all)
    }

    /// Returns what all readers say, the first byte of which is 0 unless one cannot go on.
    fn tell(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        self.is_told.set(true);
        let all = self.peers.gather(bytes).map_err(|why| format!("cannot read: {why}"))?;
        match all.iter().position(|bytes| bytes.first() != Some(&0)) {
            None => Ok(all),
            Some(rank) => {
                let why = String::from_utf8_lossy(all[rank].get(1..).unwrap_or_default());
                let why = format!("rank {rank} cannot read its part alone: {why}");
                Err(self.refuse(&why))
            }
        }
    }

    /// Returns the facts about the other ranges that a graph needs.
    pub(crate) fn elsewhere(&self, all: &[ArcFacts]) -> ArcsElsewhere {
        let others = all.iter().enumerate().filter(|(rank, _)| *rank != self.peers.rank());
        let others = || others.clone().map(|(_, of)| of);
        let n_arcs = others().map(|of| of.n_arcs as usize).sum();
        let ends = others().filter_map(|of| of.weights).flat_map(|(least, most)| [least, most]);
        ArcsElsewhere { n_arcs, weights: range_of_weights(ends) }
    }

    /// Gives equal numbers to the same reader, and returns those of this one.
    pub(crate) fn scatter(&self, numbers: Vec<u64>) -> Result<Vec<u64>, String> {
        let n_ranks = self.peers.n_ranks();
        let mut parts = vec![Vec::new(); n_ranks];
        for number in numbers {
            let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let rank = (u128::from(hash) * n_ranks as u128) >> u64::BITS;
            parts[rank as usize].push(number);
        }
        self.peers.trade(&parts)
    }

    /// Returns the sums of these counts over all readers.
    pub(crate) fn sums<const N: usize>(&self, counts: [usize; N]) -> Result<[usize; N], String> {
        let bytes: Vec<u8> =
            counts.iter().flat_map(|count| (*count as u64).to_le_bytes()).collect();
        let mut sums = [0; N];
        for bytes in self.peers.gather(&bytes)? {
            let mut from = Reader(&bytes);
            sums.iter_mut().for_each(|sum| *sum += from.number().unwrap_or(0) as usize);
        }
        Ok(sums)
    }
}

/// Reads the arcs in the lines of this process from a graph of `n_bytes` bytes. All processes call
/// this, and all get their arcs or the reason for which the file must be read whole: its format
/// has no independent lines, a line is not correct, or a property of the whole is needed.
///
/// # Errors
/// If another process has ended, the memory is exhausted, or `options` stop the reading.
pub fn read_graph_part(
    format: Format,
    at: ReadAt<'_>,
    n_bytes: u64,
    peers: &dyn Peers,
    options: &mut ReadOptions<'_>,
) -> Result<Result<JoinedPart, String>, FileError> {
    if options.direction.undirected {
        return Ok(Err("its arcs are joined to edges".to_owned()));
    }
    let (file, sharing) = (options.file, Sharing::new(peers));
    let lost = |why: String| FileError::new(Code::CannotOpen, file, format!("cannot read: {why}"));
    let read = own_arcs(format, at, n_bytes, &sharing, options);
    if !sharing.is_told.get() {
        let why = read.as_ref().map_or_else(|error| error.message.as_str(), |_| "it has no lines");
        let told = sharing.tell(&[&[1], why.as_bytes()].concat());
        if let Err(why) = told
            && sharing.refused.borrow().is_none()
        {
            return Err(FileError::new(Code::CannotOpen, file, why));
        }
    }
    match (read, sharing.refused.take()) {
        (Err(error), _) if error.code == Code::Interrupted => Err(error),
        (_, Some(why)) => Ok(Err(why)),
        (Err(error), None) => Err(error),
        (Ok((loaded, range)), None) => {
            let own = [range.0, range.1].map(u64::to_le_bytes).concat();
            let mut checksum = Hasher::new();
            peers.gather(&own).map_err(lost)?.iter().for_each(|range| checksum.update(range));
            let checksum = u64::from(checksum.finalize());
            Ok(Ok(JoinedPart { loaded, starts: sharing.starts.take(), n_bytes: range.0, checksum }))
        }
    }
}

/// Reads the range of this process; also returns its number of bytes, and their checksum.
fn own_arcs(
    format: Format,
    at: ReadAt<'_>,
    n_bytes: u64,
    sharing: &Sharing<'_>,
    options: &mut ReadOptions<'_>,
) -> Result<(LoadedFile, (u64, u64)), FileError> {
    let file = options.file;
    let cannot_read = |error: io::Error| {
        let message = format!("cannot read: {}", star_base::text::reason(&error));
        FileError::new(Code::CannotOpen, file, message)
    };
    let (rank, n_ranks) = (sharing.peers.rank(), sharing.peers.n_ranks());
    let (first_cut, range) = range_of(at, n_bytes, (rank, n_ranks)).map_err(cannot_read)?;
    let mut start = vec![0; n_bytes.min(START_BYTES) as usize];
    at(0, &mut start).map_err(cannot_read)?;
    let end = end_of_start(format, &start).filter(|end| *end as u64 <= first_cut);
    let end = end.ok_or_else(|| {
        let message = "the first lines do not determine the form of the others";
        FileError::new(Code::BadFormat, file, message)
    })?;
    start.truncate(end);
    sharing.file.set((n_bytes, u64::from(crc32fast::hash(&start))));
    if rank == 0 {
        start.clear();
    }
    let n_range = range.end - range.start;
    sharing.n_start.set(start.len() as u64);
    options.size_hint = Some(start.len() as u64 + n_range);
    let mut own = RangeReader::new(at, &range);
    let mut input = Cursor::new(start).chain(&mut own);
    let loaded = read_shared(format, &mut input, options, Some(sharing))?;
    Ok((loaded, (n_range, own.checksum())))
}

/// Tests whether the lines of a format are independent of each other after the first ones.
pub fn has_lines_of_arcs(format: Format) -> bool {
    matches!(format, Format::Dimacs | Format::EdgeList | Format::Csv)
}

/// Returns the end of the first lines of a graph, which determine the form of the others: the line
/// `p` of DIMACS, or two lines of an edge list.
fn end_of_start(format: Format, bytes: &[u8]) -> Option<usize> {
    let (mut end, mut n_lines) = (0, 0);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        end += line.len();
        let line = line.strip_suffix(b"\n")?.trim_ascii();
        match line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) {
            [] => {}
            [b'p', ..] if format == Format::Dimacs => return Some(end),
            [b'#' | b'%', ..] => {}
            _ if format == Format::Dimacs => {}
            _ => n_lines += 1,
        }
        if n_lines == 2 {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, Mutex};

    use star_base::Random;

    use super::*;
    use crate::data::Data;
    use crate::graph::Graph;
    use crate::options::{Direction, EdgeFields};
    use crate::registry::read;

    /// A process that is a thread.
    #[derive(Debug)]
    struct Thread<'a> {
        rank: usize,
        given: &'a Mutex<Vec<Vec<u8>>>,
        barrier: &'a Barrier,
    }

    impl Peers for Thread<'_> {
        fn rank(&self) -> usize {
            self.rank
        }

        fn n_ranks(&self) -> usize {
            self.given.lock().unwrap().len()
        }

        fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
            self.given.lock().unwrap()[self.rank] = bytes.to_vec();
            self.barrier.wait();
            let all = self.given.lock().unwrap().clone();
            self.barrier.wait();
            Ok(all)
        }

        fn trade(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>, String> {
            let mut bytes = Vec::new();
            for part in parts {
                put(&mut bytes, part.len() as u64);
                part.iter().for_each(|number| put(&mut bytes, *number));
            }
            let mut taken = Vec::new();
            for bytes in self.gather(&bytes)? {
                let mut from = Reader(&bytes);
                for to in 0..parts.len() {
                    let n_numbers = from.number().unwrap();
                    let part = (0..n_numbers).map(|_| from.number().unwrap());
                    let part: Vec<u64> = part.collect();
                    taken.extend(part.into_iter().filter(|_| to == self.rank));
                }
            }
            Ok(taken)
        }
    }

    /// The settings of a case.
    #[derive(Clone, Copy, Default)]
    struct Rules<'a> {
        scale: Option<&'a str>,
        edges: EdgeFields<'a>,
        reverse: bool,
        skip_times: bool,
    }

    impl<'a> Rules<'a> {
        fn options(self) -> ReadOptions<'a> {
            let mut options = ReadOptions::new("graph", u64::MAX);
            options.scale = self.scale.and_then(crate::Decimal::parse);
            options.edges = self.edges;
            options.direction = Direction { reverse: self.reverse, undirected: false };
            options.skip_times = self.skip_times;
            options.as_graph = true;
            options
        }
    }

    type Parts = Vec<Result<JoinedPart, String>>;

    fn parts_of(format: Format, text: &str, n_parts: usize, rules: Rules<'_>) -> Parts {
        let given = Mutex::new(vec![Vec::new(); n_parts]);
        let barrier = Barrier::new(n_parts);
        let part = |rank: usize| {
            let at = |offset: u64, bytes: &mut [u8]| {
                let from = text.as_bytes().get(offset as usize..).unwrap_or_default();
                (&from[..]).read_exact(bytes)
            };
            let peers = Thread { rank, given: &given, barrier: &barrier };
            let n_bytes = text.len() as u64;
            read_graph_part(format, &at, n_bytes, &peers, &mut rules.options()).expect("no error")
        };
        std::thread::scope(|scope| {
            let ranks: Vec<_> = (0..n_parts).map(|rank| scope.spawn(move || part(rank))).collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    fn graph(data: &Data) -> &Graph {
        match data {
            Data::Graph(graph) => graph,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that the parts together are the whole file, with its remarks.
    fn check(format: Format, text: &str, rules: Rules<'_>) -> LoadedFile {
        let whole = read(format, &mut text.as_bytes(), &mut rules.options()).expect("a graph");
        let expected = graph(&whole.data);
        for n_parts in [1, 2, 3, 7] {
            let parts = parts_of(format, text, n_parts, rules).into_iter();
            let parts: Vec<JoinedPart> =
                parts.map(|part| part.unwrap_or_else(|why| panic!("{why}: {text}"))).collect();
            let (mut arcs, mut n_bytes) = (Vec::new(), 0);
            for part in &parts {
                let (loaded, own) = (&part.loaded, graph(&part.loaded.data));
                assert_eq!((&loaded.warnings, &loaded.notes), (&whole.warnings, &whole.notes));
                assert_eq!((loaded.scale, loaded.format), (whole.scale, whole.format));
                assert_eq!(loaded.columns, whole.columns);
                assert_eq!(loaded.assumes_arcs, whole.assumes_arcs);
                assert_eq!(own.n_vertices, expected.n_vertices);
                assert_eq!((own.weighted, own.symmetric), (expected.weighted, expected.symmetric));
                assert_eq!(own.names, expected.names);
                assert_eq!(own.n_edges(), expected.n_edges());
                assert_eq!(own.max_weight(), expected.max_weight());
                assert_eq!(own.weight_offset(), expected.weight_offset());
                assert_eq!(own.signed_width().ok(), expected.signed_width().ok());
                assert_eq!(own.path_width().ok(), expected.path_width().ok());
                assert_eq!(part.starts[part.starts.len() - 1], expected.n_edges());
                assert_eq!((&part.starts, part.checksum), (&parts[0].starts, parts[0].checksum));
                arcs.extend(own.arcs.iter().copied());
                n_bytes += part.n_bytes;
            }
            assert!(arcs == expected.arcs, "{n_parts} parts of {text}");
            assert_eq!(n_bytes, text.len() as u64);
        }
        whole
    }

    /// Returns lines of random arcs, some of them loops or parallel.
    fn lines(n_arcs: usize, seed: u64, line: impl Fn(usize, usize, i64) -> String) -> String {
        let mut random = Random::new(seed);
        let arc = |_| {
            let (tail, head) = (random.below(40), random.below(40));
            line(tail, head, random.below(9) as i64 - 2)
        };
        (0..n_arcs).map(arc).collect()
    }

    fn dimacs(n_arcs: usize, end: &str) -> String {
        let arcs = lines(n_arcs, 7, |tail, head, weight| {
            format!("a {} {} {weight}{end}", tail + 1, head + 1)
        });
        format!("c a comment{end}p sp 44 {n_arcs}{end}{arcs}")
    }

    #[test]
    fn parts_are_the_whole_graph() {
        for end in ["\n", "\r\n"] {
            let text = dimacs(300, end);
            let whole = check(Format::Dimacs, &text, Rules::default());
            assert!(whole.warnings[0].contains("parallel arcs"), "{:?}", whole.warnings);
            assert!(whole.warnings[1].contains("loops"), "{:?}", whole.warnings);
            check(Format::Dimacs, text.trim_end(), Rules::default());
            check(Format::Dimacs, &text.replace("a 7 ", "\n\nc x\n a 7 "), Rules::default());
            check(Format::Dimacs, &text, Rules { reverse: true, ..Rules::default() });
            let edges = EdgeFields { weight: Some("none"), ..EdgeFields::default() };
            check(Format::Dimacs, &text, Rules { edges, ..Rules::default() });
        }
    }

    #[test]
    fn vertices_are_numbered_as_in_the_whole_list() {
        for (least, step) in [(1, 1), (0, 1), (5, 1), (3, 7), (1, 1 << 33)] {
            for between in [" ", "\t", ",", " , "] {
                let number = |vertex: usize| least + step * vertex;
                let list = lines(250, 3, |tail, head, _| {
                    format!("{}{between}{}\n", number(tail), number(head))
                });
                check(Format::EdgeList, &list, Rules::default());
                // Vertices at the ends of the file only.
                let end = |vertex| format!("{}{between}9\n", number(vertex));
                let list = format!("{}{list}{}", end(41), end(50));
                check(Format::EdgeList, &list, Rules::default());
                check(Format::EdgeList, &format!("\u{feff}{list}"), Rules::default());
            }
        }
    }

    #[test]
    fn settings_and_remarks_of_lists_are_those_of_the_whole() {
        let weighted = |tail: usize, head: usize, weight: i64| format!("{tail} {head} {weight}\n");
        let list = lines(300, 5, weighted);
        check(Format::EdgeList, &list, Rules::default());
        let whole =
            check(Format::EdgeList, &format!("# Nodes: 7 Edges: 12\n{list}"), Rules::default());
        assert!(whole.warnings[0].contains("a comment announces"), "{:?}", whole.warnings);
        // A comment after edges.
        check(Format::EdgeList, &format!("{list}# Nodes: 7 Edges: 12\n1 2 3\n"), Rules::default());
        check(Format::EdgeList, &format!("{list}{list}# the end\n# x\n"), Rules::default());
        let exact = list.replace("0 ", "40 ");
        check(
            Format::EdgeList,
            &format!("# vertices 450, arcs 300, numbered from 1\n{exact}"),
            Rules::default(),
        );
        check(Format::EdgeList, &format!("% sym positive\n{list}"), Rules::default());
        let times = list.replace('\n', " 77\n");
        check(Format::EdgeList, &times, Rules { skip_times: true, ..Rules::default() });
        // Leading zeros in the last part only, a header, and similar comments.
        check(Format::EdgeList, &format!("from to w\n{list}007 8 1\n"), Rules::default());
        let table = list.replace(' ', ",");
        check(Format::Csv, &format!("from,to,km\n{table}#1,2,3\n{table}"), Rules::default());
        check(
            Format::EdgeList,
            &format!("to;from;km\n{}", list.replace(' ', ";")),
            Rules::default(),
        );
        let fractions = lines(300, 8, |tail, head, weight| {
            format!("{tail} {head} {}.{:03}\n", weight + 2, tail % 2)
        });
        let rules = Rules { scale: Some("10"), ..Rules::default() };
        let whole = check(Format::EdgeList, &fractions, rules);
        assert!(whole.scale.is_some());
        let lost = |warning: &String| warning.contains("became 0");
        assert!(whole.warnings.iter().any(lost), "{:?}", whole.warnings);
    }

    #[test]
    fn graphs_that_need_the_whole_are_refused_by_all_parts() {
        let list = lines(200, 4, |tail, head, _| format!("{tail} {head} 3\n"));
        let lacking = dimacs(200, "\n").replacen("sp 44 200", "sp 44 201", 1);
        let cases = [
            (Format::EdgeList, format!("a b 3\n{list}"), "texts"),
            (Format::EdgeList, format!("{list}5 6\n"), "2 fields in a line"),
            (Format::EdgeList, format!("{list}x 6 7\n"), "is not a whole number"),
            (Format::EdgeList, format!("{list}8 6 7.5\n{list}"), "not a whole number"),
            (Format::EdgeList, format!("# Undirected graph: x\n{list}"), "no direction"),
            (Format::EdgeList, format!("% bip\n{list}"), "two sides"),
            (Format::EdgeList, "1 2\n".to_owned(), "the first lines"),
            (Format::EdgeList, format!("# vertices 50, arcs 9, numbered from 1\n{list}"), ""),
            (Format::Dimacs, lacking, "200 of the 201 arcs"),
            (Format::Dimacs, dimacs(200, "\n") + "a 1 2 3\n", "201 of the 200 arcs"),
            (Format::Dimacs, dimacs(200, "\n") + "a 1 45 3\n", "45"),
            (Format::Dimacs, dimacs(200, "\n") + "p sp 4 4\n", "second line `p`"),
            (Format::Dimacs, dimacs(200, "\n").replace("p sp", "c sp"), "the first lines"),
        ];
        for (format, text, why) in cases {
            let parts = parts_of(format, &text, 3, Rules::default());
            for part in &parts {
                let found = part.as_ref().expect_err("no part");
                assert!(found.contains(why), "{found}, not {why}");
                assert_eq!(Some(found), parts[0].as_ref().err());
            }
        }
    }
}
