//! Codes that the lists and graphs of a run share: those of texts, and those of vertices.

use std::rc::Rc;

use star_base::text;
use star_io::{Data, FileError, Graph, Meaning};

use super::{Loader, find_graph, graph_format, layout_of, list_format, read};
use crate::arg_value::ArgValue;
use crate::binding::Origin;
use crate::bytes::{bytes_in, bytes_of_graph};
use crate::data::Expected;
use crate::layouts::AnyLayout;
use crate::{part, widths};

impl Loader<'_> {
    /// Reads the lists among the files of the parameters, and gives their fields shared codes.
    pub(super) fn share_codes(&mut self, origins: &[Origin]) -> Result<(), FileError> {
        for origin in origins {
            let Origin::Argument(ArgValue::File { layout, path }) = origin else { continue };
            let may_be_list = match layout {
                Some(AnyLayout::Numbers(_)) => true,
                None => list_format(path),
                Some(AnyLayout::Graph(_) | AnyLayout::Updates) => false,
            };
            let is_known = self.lists.iter().any(|(name, _)| name == path);
            if !may_be_list || is_known || self.known_graph(path).is_some() {
                continue;
            }
            let contents = read(self.reading, path, self.free, Expected::default())?;
            self.note(contents.n_bytes);
            self.note_scale(path, contents.scale);
            match contents.data {
                Data::Numbers(numbers) => {
                    self.free = self.free.saturating_sub(bytes_in(&numbers));
                    self.lists.push((path.clone(), Rc::new(numbers)));
                }
                Data::Graph(graph) => {
                    self.keep(path, graph);
                }
                Data::Table(_) | Data::Slice(_) | Data::Word(_) => {}
            }
        }
        let n_before: u64 = self.lists.iter().map(|(_, numbers)| bytes_in(numbers)).sum();
        let mut lists = Vec::new();
        for (_, numbers) in &mut self.lists {
            lists.extend(Rc::get_mut(numbers)); // they are not shared yet
        }
        // All graphs share their vertices.
        let vertices = self.graphs.first().map(|(_, graph)| &**graph);
        star_io::share_codes(&mut lists, vertices, self.reading.settings.sorted);
        let n_after: u64 = self.lists.iter().map(|(_, numbers)| bytes_in(numbers)).sum();
        let n_more = n_after.saturating_sub(n_before);
        self.note(n_more);
        self.free = self.free.saturating_sub(n_more);
        Ok(())
    }

    /// Returns the width of the codes of vertices that are also those of texts of lists; `None` if
    /// there are no such texts.
    pub(super) fn shared_b(
        &self,
        offered: Option<&str>,
        origins: &[Origin],
    ) -> Result<Option<usize>, FileError> {
        let Some((file, graph)) = self.graphs.first() else { return Ok(None) };
        let mut fields = self.lists.iter().flat_map(|(_, numbers)| &numbers.fields);
        let texts = fields.find_map(|field| match &field.meaning {
            Meaning::Texts(texts) => Some(texts),
            _ => None,
        });
        let Some(texts) = texts else { return Ok(None) };
        // All graphs have the same vertices.
        let files = || self.graphs.iter().map(|(file, _)| file.as_str()).chain(offered);
        let layouts =
            origins.iter().filter_map(|origin| files().find_map(|file| layout_of(origin, file)));
        let needed = widths::chosen_b(graph, &layouts.collect::<Vec<_>>(), file)?;
        Ok(Some(needed.max(texts.width())))
    }

    /// Reads the graphs among the files of the parameters, and gives them shared vertices.
    pub(super) fn share_vertices(
        &mut self,
        offered: Option<&str>,
        origins: &[Origin],
    ) -> Result<(), FileError> {
        let given = origins.iter().filter_map(|origin| match origin {
            Origin::Argument(ArgValue::File { layout: Some(AnyLayout::Graph(_)), path }) => {
                Some(path.as_str())
            }
            Origin::Argument(ArgValue::File { layout: None, path })
                if part::locate(path, self.reading.files).direction.is_some()
                    || graph_format(path) =>
            {
                Some(path.as_str())
            }
            Origin::Argument(_) | Origin::Offer(_) | Origin::Unset => None,
        });
        for path in offered.into_iter().chain(given) {
            if self.known_graph(path).is_none() {
                let (graph, n_bytes, scale) = find_graph(self.reading, path, self.free)?;
                self.note(n_bytes);
                self.note_scale(path, scale);
                self.note_if_large(path, "its vertices may share codes");
                self.keep(path, graph);
            }
        }
        if self.graphs.len() > 1 {
            let before: u64 = self.graphs.iter().map(|(_, graph)| bytes_of_graph(graph)).sum();
            let mut graphs: Vec<&mut Graph> =
                self.graphs.iter_mut().map(|(_, graph)| Rc::make_mut(graph)).collect();
            star_io::share_vertices(&mut graphs, self.reading.settings.sorted);
            let after: u64 = self.graphs.iter().map(|(_, graph)| bytes_of_graph(graph)).sum();
            self.note(after.saturating_sub(before));
            self.free = self.free.saturating_sub(after.saturating_sub(before));
            let (n, files) = (self.graphs[0].1.n_vertices, self.graphs.len());
            let note = format!("{files} graphs share {}", text::count(n, "vertex"));
            self.reading.observer.note(&note);
        }
        Ok(())
    }
}
