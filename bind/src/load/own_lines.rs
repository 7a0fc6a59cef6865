//! Files of lines of which each of several processes reads its part.

use std::collections::BTreeMap;

use star_base::{Code, text};
use star_io::{FileError, JoinedPart, NumberLayout};
use star_value::{Table, Value};

use super::{FileValue, Loader};
use crate::arg_value::ArgValue;
use crate::binding::{Leave, Origin};
use crate::bytes::bytes_of_share;
use crate::data::{FileContents, OpenData, contents_of};
use crate::layouts::AnyLayout;
use crate::left_table::{LeftTable, Peers, RecordPlace, RecordRows};
use crate::param::{Kind, Signature};

/// The result of sharing a file.
pub(super) enum Shared {
    /// The records of this process.
    Part(FileContents, RecordPlace),
    /// Every process reads the whole file, for this reason if the file is large.
    Whole(Option<String>),
}

/// Why a file of another format is read whole.
const NOT_DIVIDED: &str = "only dense tables and CSV files without a packing are divided";

/// Returns the files that every process reads whole because of their parameters, with the reasons.
pub(super) fn not_shared(
    signature: &Signature,
    origins: &[Origin],
) -> BTreeMap<String, &'static str> {
    let params = signature.params.iter().zip(origins);
    let refused = params.filter_map(|(param, origin)| {
        let Origin::Argument(ArgValue::File { layout, path }) = origin else { return None };
        let why = match (param.kind, layout) {
            (_, Some(AnyLayout::Numbers(NumberLayout::Codes { .. }))) => "codes come from it",
            (Kind::Table, None | Some(AnyLayout::Numbers(_)))
            | (Kind::Word, Some(AnyLayout::Numbers(NumberLayout::Code { .. }))) => return None,
            (Kind::Slice, _) => "a slice comes from it",
            _ => "a parameter that is no table comes from it",
        };
        Some((path.clone(), why))
    });
    refused.collect()
}

impl Loader<'_> {
    /// Reads the records of this process from a large list, if all processes can read theirs. The
    /// remarks of the file are those of the whole.
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
        if !opened.is_list_of_lines() {
            return Ok(Shared::Whole(Some(NOT_DIVIDED.to_owned())));
        }
        let why = match self.not_shared.get(file) {
            Some(why) => Some(*why),
            None if self.keeps_rows => Some("a result refers to its records"),
            None if self.reading.settings.nodata.is_some() => Some("`nodata=` is a number"),
            None => None,
        };
        match why {
            Some(why) => Ok(Shared::Whole(Some(why.to_owned()))),
            None => self.own_part(leave, peers, opened),
        }
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
                let why = format!("rank {rank} cannot read its lines alone: {why}");
                return Ok(Shared::Whole(Some(why)));
            }
        };
        let summaries: Vec<Vec<u8>> = gathered.into_iter().map(|it| it[1..].to_vec()).collect();
        let Some(joined) = part.join(rank, &summaries)? else {
            return Ok(Shared::Whole(Some("the ranks do not see the same file".to_owned())));
        };
        let JoinedPart { loaded, starts, n_bytes, checksum } = joined;
        let place = RecordPlace { starts, n_bytes, checksum };
        if leave.holders_of(place.n_records()) < 2 {
            let records = text::count(place.n_records(), "record");
            return Ok(Shared::Whole(Some(format!("it has {records} only"))));
        }
        Ok(Shared::Part(contents_of(self.reading, opened.name(), loaded), place))
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
        self.not_shared.insert(file.to_owned(), "its values do not fit the parameter");
        true
    }

    /// Notes that every process has read the graph of a large file whole.
    pub(super) fn note_whole_graph(&mut self, file: &str) {
        let Some(Leave { least_bytes, peers: Some(_), .. }) = self.leave else { return };
        let opened = self.reading.files.open(file).ok();
        if opened.and_then(|opened| opened.n_bytes).is_some_and(|n_bytes| n_bytes > least_bytes) {
            self.note_whole(file, Some("graphs are not divided".to_owned()));
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

/// Returns the value of a table of records as one of which this process has read some rows.
pub(super) fn with_place(value: FileValue, kind: Kind, place: &RecordPlace) -> FileValue {
    match value.value {
        Value::Table(Table::Columns(table)) if kind == Kind::Table => {
            let place = place.clone();
            let left = Some(LeftTable::Records(RecordRows { table, place }));
            FileValue { value: Value::Unset, left, ..value }
        }
        other => FileValue { value: other, ..value },
    }
}
