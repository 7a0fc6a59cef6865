//! The file of a parameter: its contents, or only its header.

use std::rc::Rc;

use star_io::{Data, FileError, Graph, Layout, Numbers};
use star_value::{TableWish, Value};

use super::own_part::{Shared, with_place};
use super::{FileValue, Loader, find_graph, graph_of};
use crate::bytes::{bytes_in, bytes_of_graph, laid_out_bytes};
use crate::data::{self, Expected, FileContents, LoadRequest, OpenData, open_file};
use crate::generated;
use crate::layouts::AnyLayout;
use crate::left_table::LeftTable;
use crate::matrices;
use crate::param::Kind;
use crate::part::locate;
use crate::table_file::TableFile;

/// The contents of a file, or a table that is still in it.
pub(super) enum Contents {
    Read(FileContents),
    Left(TableFile),
}

impl Loader<'_> {
    /// Reads a file for the parameter `name`; `wanted` is the layout of a graph that parameters of
    /// this name have. Keeps the records of a list if requested.
    pub(super) fn file(
        &mut self,
        request: LoadRequest<'_>,
        wanted: Option<Layout>,
        name: &str,
        is_kept: bool,
    ) -> Result<FileValue, FileError> {
        match self.value_of_file(request, wanted, name, is_kept) {
            Err(error) if self.needs_whole(request.file, &error) => {
                self.value_of_file(request, wanted, name, is_kept)
            }
            value => value,
        }
    }

    fn value_of_file(
        &mut self,
        request: LoadRequest<'_>,
        wanted: Option<Layout>,
        name: &str,
        is_kept: bool,
    ) -> Result<FileValue, FileError> {
        let request = LoadRequest { max_bytes: self.free, ..request };
        if let Some((_, numbers)) = self.lists.iter().find(|(known, _)| known == request.file) {
            let numbers = Rc::clone(numbers);
            return self.placed(numbers, request, name, is_kept);
        }
        if let Some(graph) = self.known_graph(request.file) {
            return self.lay_out(graph, request, name);
        }
        let format = request.layout.and_then(AnyLayout::format);
        let as_graph = matches!(request.layout, Some(AnyLayout::Graph(_)));
        let expected = Expected { format, graph: self.changed, as_graph };
        let is_bits = request.kind == Kind::Table && request.layout.is_none();
        let waiting = self.waiting.iter().position(|(known, _)| known == request.file);
        let contents = match waiting.map(|at| self.waiting.swap_remove(at).1) {
            Some(Contents::Read(contents)) => {
                self.free = self.free.saturating_add(contents.n_bytes);
                Contents::Read(contents)
            }
            Some(Contents::Left(table)) if is_bits => Contents::Left(table),
            Some(Contents::Left(_)) | None => self.contents(request.file, expected, is_bits)?,
        };
        let contents = match contents {
            Contents::Read(contents) => contents,
            Contents::Left(table) => {
                self.reading.settings.note_table();
                self.note(table.held_bytes());
                let left = Some(LeftTable::File(table));
                return Ok(FileValue { left, ..FileValue::new(Value::Unset, None, 0) });
            }
        };
        let FileContents { data, is_stream, is_array, n_bytes, scale } = contents;
        self.note_scale(request.file, scale);
        self.saw_stream |= is_stream;
        self.note(n_bytes);
        let data = match (data, wanted.filter(|_| is_array)) {
            (Data::Numbers(numbers), Some(wanted)) => matrices::of_param(numbers, wanted, request)?,
            (data, _) => data,
        };
        match data {
            Data::Graph(graph) => {
                if let Some(wanted) = wanted.filter(|_| is_array) {
                    // Another parameter may use the same array in another way.
                    let max_bytes = request.max_bytes.saturating_sub(bytes_of_graph(&graph));
                    let layout = AnyLayout::Graph(wanted);
                    let request = LoadRequest { max_bytes, layout: Some(&layout), ..request };
                    return self.lay_out(Rc::new(graph), request, name);
                }
                let graph = self.keep(request.file, graph);
                let request = LoadRequest { max_bytes: self.free, ..request };
                self.lay_out(graph, request, name)
            }
            Data::Numbers(numbers) => {
                let max_bytes = request.max_bytes.saturating_sub(bytes_in(&numbers));
                let request = LoadRequest { max_bytes, ..request };
                self.placed(Rc::new(numbers), request, name, is_kept)
            }
            bits @ (Data::Table(_) | Data::Slice(_) | Data::Word(_)) => {
                let value = data::to_value(self.reading, bits, request)?;
                self.note(laid_out_bytes(&value));
                Ok(FileValue::new(value, None, 0))
            }
        }
    }

    /// Reads a file; if it `may_leave` a large dense table there, only its header.
    pub(super) fn contents(
        &mut self,
        file: &str,
        expected: Expected,
        may_leave: bool,
    ) -> Result<Contents, FileError> {
        if let Some(options) = generated::options(file) {
            let made = generated::make(self.reading, file, options, self.free, expected);
            return made.map(Contents::Read);
        }
        let opened = open_file(self.reading, locate(file, self.reading.files), expected)?;
        let left = match self.leave.as_ref().filter(|_| may_leave) {
            Some(leave) => opened.leave(leave, self.free),
            None => Err(opened),
        };
        match left {
            Ok(table) => Ok(Contents::Left(table)),
            Err(opened) => self.part_or_whole(file, opened, expected).map(Contents::Read),
        }
    }

    /// Reads the records or arcs of this process, or the whole file.
    fn part_or_whole(
        &mut self,
        file: &str,
        mut opened: OpenData<'_>,
        expected: Expected,
    ) -> Result<FileContents, FileError> {
        match self.share(file, &mut opened)? {
            Shared::Part(contents, place) => {
                self.places.insert(file.to_owned(), place);
                Ok(*contents)
            }
            Shared::Whole(why) => {
                self.note_whole(file, why);
                opened.read(self.reading, self.free, expected)
            }
        }
    }

    /// Returns the graph of a file, or the part of this process, and keeps it.
    pub(super) fn graph(&mut self, file: &str) -> Result<Rc<Graph>, FileError> {
        if let Some(graph) = self.known_graph(file) {
            return Ok(graph);
        }
        let (graph, n_bytes, scale) = match generated::options(file) {
            Some(_) => find_graph(self.reading, file, self.free)?,
            None => {
                let expected = Expected { as_graph: true, ..Expected::default() };
                let opened = open_file(self.reading, locate(file, self.reading.files), expected)?;
                graph_of(file, self.part_or_whole(file, opened, expected)?)?
            }
        };
        self.note(n_bytes);
        self.note_scale(file, scale);
        Ok(self.keep(file, graph))
    }

    /// Lays out a list; of one that processes share, the records of this process.
    fn placed(
        &mut self,
        numbers: Rc<Numbers>,
        request: LoadRequest<'_>,
        name: &str,
        is_kept: bool,
    ) -> Result<FileValue, FileError> {
        let Some(place) = self.places.get(request.file).cloned() else {
            return self.numbers(numbers, request, name, is_kept);
        };
        // Parts of tables are dense, by columns.
        let request = LoadRequest { wish: TableWish::default(), ..request };
        let value = self.numbers(numbers, request, name, is_kept)?;
        Ok(with_place(value, request.kind, &place))
    }
}
