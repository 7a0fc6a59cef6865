//! File input of a running program: a value of a given type from a file, optionally with a layout.

use star_base::{Code, Diagnostic, text};
use star_io::{Data, FileError, GraphSizes};
use star_value::{TableWish, Value};

use crate::arg_value;
use crate::data::{self, Expected, FileContents, LoadRequest, WidthOverrides};
use crate::error::without_file;
use crate::layouts::AnyLayout;
use crate::param::Kind;
use crate::part::locate;
use crate::records::RecordList;
use crate::settings::{Codes, SETTINGS};
use crate::source::Reading;

/// The result of reading.
pub struct Read {
    /// The value.
    pub value: Value,
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
    kind: Kind,
    max_bytes: u64,
) -> Result<Read, FileError> {
    // The codes of a file are shared with those of other parameters only.
    let mut settings = reading.settings.clone();
    settings.codes = Codes::Unsaid;
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
    if !kind.is_data() {
        let message = "only tables, slices and words can be read from files";
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    }
    let format = layout.as_ref().and_then(AnyLayout::format);
    let graph = GraphSizes { n_vertices: None, b: widths.b, h: widths.h };
    let as_graph = matches!(layout, Some(AnyLayout::Graph(_)));
    let expected = Expected { format, graph, as_graph };
    let located = locate(file, reading.files);
    let FileContents { data, .. } = data::read_file(reading, located, max_bytes, expected)?;
    let layout = layout.as_ref();
    let knows_offset = false;
    let wish = TableWish::default();
    let request = LoadRequest { kind, layout, file, max_bytes, widths, wish, knows_offset };
    if let Data::Numbers(numbers) = &data {
        let (value, chosen) = data::from_numbers(reading, numbers, request)?;
        let list = RecordList::of(file, numbers, &value, &chosen);
        return Ok(Read { value, list });
    }
    Ok(Read { value: data::to_value(reading, data, request)?, list: None })
}

/// Parses a layout and the widths that follow the layout of a graph or of an update stream:
/// `weights-out h=20`, `left b=6`.
fn layout_of(text: &str) -> Result<(AnyLayout, WidthOverrides), Diagnostic> {
    // The name of a field may contain blanks, but hardly these words.
    let mut words = text.split_whitespace();
    if let Some(word) = words.clone().find(|word| ["codes=shared", "codes=own"].contains(word)) {
        return Err(no_shared_codes(word));
    }
    let layout = match words.next().map(AnyLayout::parse) {
        Some(Ok(layout @ (AnyLayout::Graph(_) | AnyLayout::Updates))) => layout,
        // The name of a field may contain blanks.
        Some(Ok(AnyLayout::Numbers(_)) | Err(_)) | None => {
            let parsed = AnyLayout::parse(text).map_err(|error| {
                let mut words = text.split_whitespace();
                words.find_map(|word| not_a_setting(word, None)).unwrap_or(error)
            });
            return Ok((parsed?, WidthOverrides::default()));
        }
    };
    let mut widths = WidthOverrides::default();
    for word in words {
        let number = |name| arg_value::width(word.strip_prefix(name)?);
        if let Some(h) = number("h=") {
            widths.h = Some(h);
        } else if let Some(b) = number("b=") {
            widths.b = Some(b);
        } else if let Some(error) = not_a_setting(word, Some(&layout)) {
            return Err(error);
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

/// Returns the error for the setting `codes`.
fn no_shared_codes(word: &str) -> Diagnostic {
    let message = format!("`{}` is not a setting of `read`", text::one_line(word));
    Diagnostic::new(Code::NoSuchLayout, message)
        .note("a file that a program reads shares no codes with other files")
        .help(
            "make the tables parameters, and write `codes=shared` after their files on the command \
                line: `star run FILE T=a.csv V=b.csv codes=shared`",
        )
}

/// Returns the error for a word `NAME=VALUE` that is no setting after this layout of a graph or of
/// an update stream, or after another layout or none. `None` if the word has another form.
fn not_a_setting(word: &str, layout: Option<&AnyLayout>) -> Option<Diagnostic> {
    let (name, _) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_width = ["h", "b"].contains(&name);
    if !is_name || is_width && layout.is_some() {
        return None;
    }
    let error = |message: String| Diagnostic::new(Code::NoSuchLayout, message);
    if name == "codes" {
        return Some(no_shared_codes(word));
    }
    if is_width {
        let message = format!("`{word}` needs the layout of a graph or of an update stream");
        return Some(error(message).help(format!("write the layout first: `weights-out {word}`")));
    }
    let settings = || SETTINGS.into_iter().filter(|name| !["codes", "transform"].contains(name));
    Some(match (layout, settings().any(|known| known == name)) {
        (Some(layout), true) => error(format!("`{word}` precedes a width"))
            .help(format!("write settings after the widths: `{layout} h=20 b=6 {word}`")),
        (_, true) => error(format!("`{word}` precedes the layout"))
            .help(format!("write settings after the layout: `records {word}`")),
        (_, false) => {
            let error = error(format!("unknown setting `{}`", text::one_line(name)))
                .note(format!("available settings: {}", text::quoted_list(settings())));
            match star_base::did_you_mean(name, settings()) {
                Some(meant) => error.help(format!("did you mean `{meant}=…`?")),
                None => error,
            }
        }
    })
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
