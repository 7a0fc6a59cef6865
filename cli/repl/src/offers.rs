//! `--graph` of a session: an undefined name for which a graph has a value, as for a parameter of
//! `star run`, becomes a variable at its first use.

use star_base::Span;
use star_bind::data::{LoadRequest, WidthOverrides};
use star_bind::load::read_graph;
use star_bind::marked::marked;
use star_bind::offer::{Offer, offer};
use star_bind::{Kind, Reading, Settings, widths};
use star_compiler::hir;
use star_compiler::session::Variable;
use star_io::{FileError, Graph, Layout};
use star_ir::Ty;
use star_os::failure::refused_by_backend;
use star_os::files::{Console, Disk};
use star_syntax::Piece;
use star_value::{SparseWish, TableForm, TableWish, Value};

use super::event::{Event, Sink};
use super::session::Session;

/// The values offered by a graph.
pub(crate) struct Offers {
    file: String,
    /// Loaded at first use.
    graph: Option<Ready>,
}

struct Ready {
    graph: Graph,
    widths: WidthOverrides,
}

impl Offers {
    /// Creates the offers of the graph in this file, without reading it.
    pub(crate) fn new(file: &str) -> Self {
        Offers { file: file.to_owned(), graph: None }
    }

    fn value(
        &mut self,
        offered: Offer,
        kind: Kind,
        reading: Reading<'_>,
        max_bytes: u64,
        sparse: SparseWish,
    ) -> Result<Value, FileError> {
        let Offers { file, graph } = self;
        let Ready { graph, widths } = match graph {
            Some(ready) => ready,
            None => {
                let read = read_graph(reading, file, max_bytes)?;
                let widths = widths_of(&read, file);
                graph.insert(Ready { graph: read, widths })
            }
        };
        // The use is not yet known: the library reads rows of an adjacency table, and fields of all
        // other tables.
        let is_adjacency = offered == Offer::Layout(Layout::Adjacency);
        let may_lie_by_rows = is_adjacency && sparse != SparseWish::Never;
        let form = if may_lie_by_rows { TableForm::Rows } else { TableForm::Columns };
        let widths = *widths;
        let (layout, knows_offset) = (None, false);
        let wish = TableWish { form, sparse };
        let wanted = LoadRequest { kind, layout, file, max_bytes, widths, wish, knows_offset };
        offered.value(reading, graph, wanted)
    }
}

/// Returns widths that suit everything a session may request; negative weights suit `Signed` only.
fn widths_of(graph: &Graph, file: &str) -> WidthOverrides {
    let unsigned = [Layout::Distances, Layout::WeightsOut, Layout::WeightsIn, Layout::Weight];
    let h = widths::chosen_h(graph, &unsigned, file);
    let h = h.or_else(|_| widths::chosen_h(graph, &[Layout::SignedOut], file));
    let b = widths::chosen_b(graph, &[Layout::Left, Layout::Right, Layout::Code], file);
    WidthOverrides { h: h.ok(), b: b.ok() }
}

/// Returns the meaning of a name for which a graph has a value.
fn offered(name: &str) -> Option<(hir::TyKind, Kind, Offer)> {
    let kinds = [hir::TyKind::Int, hir::TyKind::Word, hir::TyKind::Table, hir::TyKind::Slice];
    kinds.into_iter().find_map(|of_variable| {
        let kind = of_variable.known()?;
        Some((of_variable, kind, offer(name, kind)?))
    })
}

impl Session {
    /// Shows the vertices or edges that a slice marks in the graph of `--graph`, if it was read.
    pub(super) fn show_marked(&self, slot: &str, sink: &mut dyn Sink) {
        let ready = self.offers.as_ref().and_then(|offers| offers.graph.as_ref());
        let (Some(Ready { graph, .. }), Some(Ty::Slice(_))) = (ready, self.state.values.ty(slot))
        else {
            return;
        };
        if let Ok(Value::Slice(slice)) = self.state.values.store(slot, &self.flags.interrupt)
            && let Some(line) = marked(&slice, graph)
        {
            sink.show(Event::Answer(&line));
        }
    }

    /// Declares the undefined names in these pieces for which the graph has values; returns `false`
    /// if one cannot be read.
    pub(super) fn take_offers(&mut self, pieces: &[Piece], sink: &mut dyn Sink) -> bool {
        let Some(mut offers) = self.offers.take() else { return true };
        let mut well = true;
        for (name, span) in self.mentioned(pieces) {
            let Some((of_variable, kind, offered)) = offered(&name) else { continue };
            let settings = Settings::default();
            let max_bytes = self.settings.limits.max_memory.unwrap_or(self.settings.memory);
            let console = Console { flags: &self.flags, reporter: &self.reporter };
            let reading = Reading { files: &Disk, observer: &console, settings: &settings };
            // A later line may use the whole table: use the sparse form if the dense form does not
            // fit.
            let sparse = match self.state.values.takes_sparse() {
                true => SparseWish::WhereNeeded,
                false => SparseWish::Never,
            };
            let clock = match self.clock() {
                Ok(clock) => clock,
                Err(diagnostic) => {
                    self.refuse(&diagnostic, sink);
                    well = false;
                    break;
                }
            };
            let value = offers.value(offered, kind, reading, max_bytes, sparse);
            drop(clock);
            match value {
                Ok(value) => {
                    if let Err(error) = self.state.values.load(&name, value, true) {
                        let what = format!("cannot load `{name}`");
                        self.refuse(&refused_by_backend(&what, &error), sink);
                        well = false;
                        break;
                    }
                    let (kind, sizes) = (of_variable, [None; 2]);
                    let variable = Variable { kind, sizes, span, related: None, record: None };
                    self.keep_value(&name);
                    self.entry_has_effect();
                    self.state.environment.declare(&name, variable);
                    self.log.offer(&name);
                    sink.show(Event::Note(&format!("`{name}` comes from {}", offers.file)));
                }
                Err(error) => {
                    self.flags.clear();
                    self.refuse(&error.to_diagnostic(), sink);
                    well = false;
                    break;
                }
            }
        }
        self.offers = Some(offers);
        well
    }

    /// Returns the undefined names that pieces mention, except those that they assign or declare.
    fn mentioned(&self, pieces: &[Piece]) -> Vec<(String, Span)> {
        let sources = self.state.definitions.sources();
        let mut found: Vec<(String, Span)> = Vec::new();
        for piece in pieces {
            for (name, spans) in star_syntax::mentions(sources, piece.span) {
                let Some(&span) = spans.first() else { continue };
                let behind = Span::new(span.file, span.end, piece.span.end);
                let assigned = sources.slice(behind).trim_start().starts_with(":=");
                let known = self.state.environment.get(name).is_some()
                    || self.state.definitions.item(name).is_some()
                    || found.iter().any(|(other, _)| other == name);
                let before = Span::new(span.file, piece.span.start, span.start);
                if !assigned && !known && !is_declared(sources.slice(before)) {
                    found.push((name.to_owned(), span));
                }
            }
        }
        found
    }
}

/// Tests whether a piece that begins like this declares the next name. `var a,b: table(n,m); c`
/// does.
fn is_declared(before: &str) -> bool {
    let first = before.split_whitespace().next().unwrap_or_default();
    let group = before.rsplit(';').next().unwrap_or_default();
    first.eq_ignore_ascii_case("var") && !group.contains(':')
}
