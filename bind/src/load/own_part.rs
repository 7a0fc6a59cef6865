//! Files of records or arcs of which each of several processes reads its part.

use std::collections::BTreeMap;

use star_base::{Code, text};
use star_io::{FileError, JoinedPart, Layout, NumberLayout, Peers};
use star_value::{Table, Value};

use super::{FileValue, Loader};
use crate::arg_value::ArgValue;
use crate::binding::{Leave, Origin};
use crate::bytes::{bytes_of_arcs, bytes_of_share};
use crate::data::{FileContents, Items, OpenData, contents_of};
use crate::layouts::AnyLayout;
use crate::left_table::{LeftTable, RecordPlace, RecordRows};
use crate::param::{Kind, Signature};
use crate::part::locate;

/// The result of sharing a file.
pub(super) enum Shared {
    /// The records or arcs of this process.
    Part(Box<FileContents>, RecordPlace),
    /// Every process reads the whole file, for this reason if the file is large.
    Whole(Option<String>),
}

/// Why a file of another format is read whole.
const NOT_DIVIDED: &str = "only dense tables, Parquet files, and lists and graphs of independent \
    lines without a packing, are divided";

/// The files that every process reads whole because of their parameters, with the reasons: as lists
/// and as graphs.
pub(super) type NotShared = BTreeMap<(String, Items), &'static str>;

/// Returns these files; `graph` is the file of `--graph`.
pub(super) fn not_shared(
    signature: &Signature,
    origins: &[Origin],
    graph: Option<&str>,
) -> NotShared {
    let mut refused = NotShared::new();
    for (param, origin) in signature.params.iter().zip(origins) {
        let (file, whole) = match (origin, graph) {
            (Origin::Argument(ArgValue::File { layout, path }), _) => {
                let layout = layout.as_ref();
                let of_list = needs_whole_list(param.kind, layout);
                (path.as_str(), [(Items::Records, of_list), (Items::Arcs, needs_all_arcs(layout))])
            }
            (Origin::Offer(offer), Some(file)) => {
                let layout = offer.layout().map(AnyLayout::Graph);
                let why = layout.and_then(|layout| needs_all_arcs(Some(&layout)));
                (file, [(Items::Records, None), (Items::Arcs, why)])
            }
            (Origin::Argument(_) | Origin::Offer(_) | Origin::Unset, _) => continue,
        };
        let whole = whole.into_iter().filter_map(|(items, why)| Some((items, why?)));
        refused.extend(whole.map(|(items, why)| ((file.to_owned(), items), why)));
    }
    refused
}

/// Returns why a parameter needs all records of a list.
fn needs_whole_list(kind: Kind, layout: Option<&AnyLayout>) -> Option<&'static str> {
    match (kind, layout) {
        (_, Some(AnyLayout::Numbers(NumberLayout::Codes { .. }))) => Some("codes come from it"),
        (Kind::Table, None | Some(AnyLayout::Numbers(_)))
        | (Kind::Word, Some(AnyLayout::Numbers(NumberLayout::Code { .. }))) => None,
        (Kind::Slice, _) => Some("a slice comes from it"),
        _ => Some("a parameter that is no table comes from it"),
    }
}

/// Returns why a parameter needs all arcs of a graph: only lists have a row for each arc.
fn needs_all_arcs(layout: Option<&AnyLayout>) -> Option<&'static str> {
    match layout {
        Some(AnyLayout::Graph(layout)) => layout.is_matrix().then_some("a matrix comes from it"),
        Some(AnyLayout::Numbers(_) | AnyLayout::Updates) | None => {
            Some("a parameter that is no list of arcs comes from it")
        }
    }
}

impl Loader<'_> {
    /// Reads the records or arcs of this process from a large file, if all processes can read
    /// theirs. The remarks of the file are those of the whole.
    ///
    /// # Errors
    /// If another process has ended, or the observer stops the reading.
    pub(super) fn share(&self, file: &str, opened: &mut OpenData<'_>) -> Result<Shared, FileError> {
        let Some((leave, peers)) =
            self.leave.as_ref().and_then(|leave| Some((leave, leave.peers.as_deref()?)))
        else {
            return Ok(Shared::Whole(None));
        };
        if !opened.is_larger_than(leave.least_bytes) {
            return Ok(Shared::Whole(None));
        }
        let Some(items) = opened.items() else {
            return Ok(Shared::Whole(Some(NOT_DIVIDED.to_owned())));
        };
        let has_nodata = self.reading.settings.nodata.is_some();
        let why = match (self.not_shared.get(&(file.to_owned(), items)), items) {
            (Some(why), _) => Some(*why),
            (None, Items::Records) if self.keeps_rows => Some("a result refers to its records"),
            (None, Items::Records) if has_nodata => Some("`nodata=` is a number"),
            (None, Items::Arcs) if self.keeps_rows => Some("a result refers to its arcs"),
            (None, Items::Arcs) if self.keeps_arcs == Some(usize::MAX) => {
                Some("a result names its vertices")
            }
            (None, Items::Records | Items::Arcs) => None,
        };
        match (why, items) {
            (Some(why), _) => Ok(Shared::Whole(Some(why.to_owned()))),
            (None, Items::Records) => self.own_part(leave, peers, opened),
            (None, Items::Arcs) => self.own_arcs(leave, peers, opened),
        }
    }

    fn own_arcs(
        &self,
        leave: &Leave,
        peers: &dyn Peers,
        opened: &mut OpenData<'_>,
    ) -> Result<Shared, FileError> {
        let (contents, place) = match opened.read_arcs(self.reading, self.free, peers)? {
            Ok(part) => part,
            Err(why) => return Ok(Shared::Whole(Some(why))),
        };
        let n_arcs = place.n_records();
        let arcs = text::count(n_arcs, "arc");
        Ok(match self.keeps_arcs {
            _ if leave.holders_of(n_arcs) < 2 => Shared::Whole(Some(format!("it has {arcs} only"))),
            Some(most) if n_arcs <= most => {
                Shared::Whole(Some(format!("results are shown with its {arcs}")))
            }
            Some(_) | None => Shared::Part(Box::new(contents), place),
        })
    }

    fn own_part(
        &self,
        leave: &Leave,
        peers: &dyn Peers,
        opened: &mut OpenData<'_>,
    ) -> Result<Shared, FileError> {
        let rank = peers.rank();
        let part = opened.read_part(self.reading, self.free, (rank, peers.n_ranks()));
        // A number that says whether there is a summary comes first.
        let given = match &part {
            Ok(part) => [vec![0], part.summary()].concat(),
            Err(error) => [&[1][..], error.message.as_bytes()].concat(),
        };
        let gathered = peers.gather(&given);
        let gathered = gathered.map_err(|why| {
            FileError::new(Code::CannotOpen, opened.name(), format!("cannot read: {why}"))
        })?;
        let failed = gathered.iter().position(|given| given.first() != Some(&0));
        let part = match (part, failed) {
            (Ok(part), None) => part,
            (Err(error), _) if matches!(error.code, Code::Interrupted | Code::TimeLimit) => {
                return Err(error);
            }
            (_, failed) => {
                let rank = failed.unwrap_or(rank);
                let why = gathered.get(rank).and_then(|given| given.get(1..)).unwrap_or_default();
                let why = String::from_utf8_lossy(why);
                let why = format!("rank {rank} cannot read its part alone: {why}");
                return Ok(Shared::Whole(Some(why)));
            }
        };
        let summaries: Vec<Vec<u8>> = gathered.into_iter().map(|it| it[1..].to_vec()).collect();
        let Some(joined) = part.join(rank, &summaries)? else {
            let why = "the ranks see different files, or different kinds of values in a field";
            return Ok(Shared::Whole(Some(why.to_owned())));
        };
        let JoinedPart { loaded, starts, n_bytes, checksum } = joined;
        let place = RecordPlace { starts, n_bytes, checksum };
        if leave.holders_of(place.n_records()) < 2 {
            let records = text::count(place.n_records(), "record");
            return Ok(Shared::Whole(Some(format!("it has {records} only"))));
        }
        let contents = contents_of(self.reading, opened.name(), loaded);
        Ok(Shared::Part(Box::new(contents), place))
    }

    /// Returns the place of the rows in a layout of a graph of which this process has a part;
    /// `None` if it has all of them.
    pub(super) fn place_of_arcs(&self, file: &str, layout: Option<Layout>) -> Option<RecordPlace> {
        let place = self.places.get(file)?;
        layout.is_some_and(Layout::rows_are_arcs).then(|| place.clone())
    }

    /// Tests whether the error needs the records of the others: it names one of them. If so,
    /// forgets those of this process, so that all processes read the whole file.
    pub(super) fn needs_whole(&mut self, file: &str, error: &FileError) -> bool {
        let names_record = matches!(error.code, Code::WidthTooSmall | Code::OutOfRange);
        let Some(place) = self.places.remove(file).filter(|_| names_record) else { return false };
        if let Some(at) = self.lists.iter().position(|(known, _)| known == file) {
            let (_, numbers) = self.lists.swap_remove(at);
            self.free = self.free.saturating_add(bytes_of_share(&numbers, place.n_holders()));
        }
        if let Some(at) = self.graphs.iter().position(|(known, _)| known == file) {
            let (_, graph) = self.graphs.swap_remove(at);
            self.free = self.free.saturating_add(bytes_of_arcs(&graph, place.n_holders()));
        }
        for items in [Items::Records, Items::Arcs] {
            self.not_shared.insert((file.to_owned(), items), "its values do not fit the parameter");
        }
        true
    }

    /// Notes that every process has read a file whole if it is large.
    pub(super) fn note_if_large(&mut self, file: &str, why: &str) {
        let Some(Leave { least_bytes, peers: Some(_), .. }) = self.leave else { return };
        let opened = self.reading.files.open(locate(file, self.reading.files).file).ok();
        if opened.and_then(|opened| opened.n_bytes).is_some_and(|n_bytes| n_bytes > least_bytes) {
            self.note_whole(file, Some(why.to_owned()));
        }
    }

    /// Notes that every process reads a large file whole.
    pub(super) fn note_whole(&mut self, file: &str, why: Option<String>) {
        let Some(why) = why else { return };
        let shown = text::one_line(file);
        let note = format!("{shown} is read whole by every rank: {why}");
        if !self.whole.contains(&note) {
            self.whole.push(note);
        }
    }
}

/// Returns the value of a table of records or arcs as one of which this process has read some rows.
pub(super) fn with_place(value: FileValue, kind: Kind, place: &RecordPlace) -> FileValue {
    let (placed, left) = placed(value.value, kind, Some(place));
    FileValue { value: placed, left, ..value }
}

/// Returns a value unless it is a table of which this process has read some rows, which comes then.
pub(super) fn placed(
    value: Value,
    kind: Kind,
    place: Option<&RecordPlace>,
) -> (Value, Option<LeftTable>) {
    match (value, place) {
        (Value::Table(Table::Columns(table)), Some(place)) if kind == Kind::Table => {
            let place = place.clone();
            (Value::Unset, Some(LeftTable::Records(RecordRows { table, place })))
        }
        (other, _) => (other, None),
    }
}
