//! Reading of edge lists, and adjacency tables that hardly fit.

use std::fs;
use std::io::{BufReader, Cursor, Read, Write};
use std::time::{Duration, Instant};

use star_io::{
    Data, FileError, Format, Graph, Layout, LayoutOptions, LayoutValue, ReadOptions, Widths,
    lay_out_with, read,
};
use star_value::{BitTable, Table};

use crate::say::say;

/// Random arcs as the lines of a SNAP list, made as they are read: xorshift64*, seed 1.
struct Lines {
    n_vertices: u64,
    rest: u64,
    state: u64,
    pending: Cursor<Vec<u8>>,
}

impl Lines {
    fn new(n_vertices: u64, n_arcs: u64) -> Self {
        let header = format!("# Directed graph\n# Nodes: {n_vertices} Edges: {n_arcs}\n");
        Lines { n_vertices, rest: n_arcs, state: 1, pending: Cursor::new(header.into_bytes()) }
    }

    fn vertex(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (bits * self.n_vertices) >> 32
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_bytes = self.pending.read(buffer)?;
        if n_bytes > 0 || self.rest == 0 {
            return Ok(n_bytes);
        }
        let mut lines = std::mem::take(self.pending.get_mut());
        lines.clear();
        for _ in 0..self.rest.min(4096) {
            let (tail, head) = (self.vertex(), self.vertex());
            writeln!(lines, "{tail}\t{head}")?;
            self.rest -= 1;
        }
        self.pending = Cursor::new(lines);
        self.pending.read(buffer)
    }
}

/// Reads a list of so many megabytes five times.
pub(crate) fn edge_list(megabytes: u64) -> Result<(), Box<FileError>> {
    // A line of two numbers below 10^6 has 13 to 14 bytes.
    let n_arcs = megabytes * 1_000_000 / 14;
    let mut text = Vec::new();
    Lines::new(1_000_000, n_arcs).read_to_end(&mut text).expect("memory does not fail");
    for _ in 0..5 {
        let begun = Instant::now();
        let graph = graph(&mut text.as_slice(), Some(text.len() as u64))?;
        let seconds = begun.elapsed().as_secs_f64();
        let megabytes = text.len() as f64 / 1e6;
        say!(
            "{megabytes:.0} MB, {} arcs: {seconds:.3} s, {:.0} MB/s",
            graph.arcs.len(),
            megabytes / seconds
        );
    }
    Ok(())
}

/// Reads a list and lays it out.
pub(crate) fn adjacency(n_vertices: u64, n_arcs: u64) -> Result<(), Box<FileError>> {
    let begun = Instant::now();
    let graph = graph(&mut Lines::new(n_vertices, n_arcs), None)?;
    say!("read {n_arcs} arcs: {:.3} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let (mut last, mut longest) = (begun, Duration::ZERO);
    let mut go_on = || {
        let now = Instant::now();
        longest = longest.max(now - last);
        last = now;
        true
    };
    let mut options =
        LayoutOptions { go_on: Some(&mut go_on), ..LayoutOptions::new("bench", u64::MAX) };
    let value = lay_out_with(Layout::Adjacency, &graph, Widths { h: 0, b: 0 }, &mut options)?;
    say!("laid out: {:.3} s", begun.elapsed().as_secs_f64());
    say!("longest time without a question: {:.1} ms", longest.as_secs_f64() * 1e3);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
    if let LayoutValue::Table(table) = &value {
        say!("table: {} kB", table.n_bytes() / 1024);
    }
    say!("{peak}");
    Ok(())
}

/// The adjacency table of an edge list.
pub(crate) fn adjacency_of(path: &str) -> Result<BitTable, String> {
    let file = fs::File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let graph = graph(&mut BufReader::new(file), None).map_err(|error| error.to_string())?;
    let mut options = LayoutOptions::new(path, u64::MAX);
    match lay_out_with(Layout::Adjacency, &graph, Widths { h: 0, b: 0 }, &mut options) {
        Ok(LayoutValue::Table(Table::Columns(table))) => Ok(table),
        Ok(_) => Err(format!("{path}: no table")),
        Err(error) => Err(error.to_string()),
    }
}

fn graph(input: &mut dyn Read, size_hint: Option<u64>) -> Result<Graph, Box<FileError>> {
    let mut options = ReadOptions::new("bench", u64::MAX);
    options.size_hint = size_hint;
    match read(Format::EdgeList, input, &mut options)?.data {
        Data::Graph(graph) => Ok(graph),
        other => panic!("an edge list holds a graph, not {other:?}"),
    }
}
