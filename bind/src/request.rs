//! File input of a running program: a value of a given type from a file, optionally with a layout.

use star_base::{Code, Diagnostic, text};
use star_io::{Data, FileError, GraphSizes};
use star_ir::Ty;
use star_vm::{HostValue, TableForm};

use crate::arg_value;
use crate::data::{self, Expected, FileContents, LoadRequest, SparseWish, WidthOverrides};
use crate::error::without_file;
use crate::layouts::AnyLayout;
use crate::param::Kind;
use crate::part::locate;
use crate::records::RecordList;
use crate::source::Reading;

/// The result of reading.
pub struct Read {
    /// The value.
    pub value: HostValue,
    /// The list whose records are in the rows of a table.
    pub list: Option<RecordList>,
}

/// Reads a value of this type; it uses at most `max_bytes`. The text `layout` may end with
/// settings, as in `records scale=100`, which replace those of `reading`.
///
/// # Errors
/// If the layout is unknown, or the file cannot be read or contains no such value.
pub fn read_value(
    reading: Reading<'_>,
    file: &str,
    layout: Option<&str>,
    ty: Ty,
    max_bytes: u64,
) -> Result<Read, FileError> {
    let mut settings = reading.settings.clone();
    let layout = match layout {
        Some(text) => settings.take_after_layout(text).map_err(without_file)?,
        None => None,
    };
    let reading = Reading { settings: &settings, ..reading };
    let (layout, widths) = match layout {
        Some(text) => {
            let (layout, widths) = layout_of(text).map_err(without_file)?;
            (Some(layout), widths)
        }
        None => (None, WidthOverrides::default()),
    };
    let kind = match ty {
        Ty::Slice(_) => Kind::Slice,
        Ty::Word(_) => Kind::Word,
        Ty::Table(..) => Kind::Table,
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => {
            let message = "only tables, slices and words can be read from files";
            return Err(FileError::new(Code::NoSuchLayout, file, message));
        }
    };
    let format = layout.as_ref().and_then(AnyLayout::format);
    let graph = GraphSizes { n_vertices: None, b: widths.b, h: widths.h };
    let as_graph = matches!(layout, Some(AnyLayout::Graph(_)));
    let expected = Expected { format, graph, as_graph };
    let located = locate(file, reading.files);
    let FileContents { data, .. } = data::read_file(reading, &located, max_bytes, expected)?;
    let (form, sparse) = (TableForm::Columns, SparseWish::Never);
    let layout = layout.as_ref();
    let knows_offset = false;
    let request = LoadRequest { kind, layout, file, max_bytes, widths, form, sparse, knows_offset };
    if let Data::Numbers(numbers) = &data {
        let (value, _, chosen) = data::from_numbers(reading, numbers, request)?;
        let list = RecordList::of(file, numbers, &value, &chosen);
        return Ok(Read { value, list });
    }
    Ok(Read { value: data::to_value(reading, data, request)?, list: None })
}

/// Parses a layout and the widths that follow the layout of a graph or of an update stream:
/// `weights-out h=20`, `left b=6`.
fn layout_of(text: &str) -> Result<(AnyLayout, WidthOverrides), Diagnostic> {
    let mut words = text.split_whitespace();
    let layout = match words.next().map(AnyLayout::parse) {
        Some(Ok(layout @ (AnyLayout::Graph(_) | AnyLayout::Updates))) => layout,
        // The name of a field may contain blanks.
        Some(Ok(AnyLayout::Numbers(_)) | Err(_)) | None => {
            return Ok((AnyLayout::parse(text)?, WidthOverrides::default()));
        }
    };
    let mut widths = WidthOverrides::default();
    for word in words {
        let number = |name| arg_value::width(word.strip_prefix(name)?);
        if let Some(h) = number("h=") {
            widths.h = Some(h);
        } else if let Some(b) = number("b=") {
            widths.b = Some(b);
        } else {
            let message = format!("`{}` is not a width of `{layout}`", text::one_line(word));
            return Err(Diagnostic::new(Code::NoSuchLayout, message).help(format!(
                "write `{layout} h=20 b=6`, the widths of weights and of codes in \
                    bits"
            )));
        }
    }
    Ok((layout, widths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use star_io::Layout;

    #[test]
    fn widths_follow_the_layout_of_a_graph() {
        let widths = |h, b| WidthOverrides { h, b };
        let graph = |layout, widths| Some((AnyLayout::Graph(layout), widths));
        assert_eq!(layout_of("left").ok(), graph(Layout::Left, widths(None, None)));
        assert_eq!(layout_of(" left  b=6").ok(), graph(Layout::Left, widths(None, Some(6))));
        let updates = Some((AnyLayout::Updates, widths(Some(9), None)));
        assert_eq!(layout_of("updates h=9").ok(), updates);
        assert_eq!(layout_of("arcs h=9 b=6").ok(), graph(Layout::Arcs, widths(Some(9), Some(6))));
        for wrong in ["left 6", "left b=", "left b=-1", "left b=5000", "left h=9,b=6", ""] {
            assert_eq!(layout_of(wrong).unwrap_err().code, Code::NoSuchLayout, "{wrong}");
        }
        let (field, found) = layout_of("field:x b=6").unwrap();
        assert_eq!((field.to_string().as_str(), found), ("field:x b=6", widths(None, None)));
    }
}
