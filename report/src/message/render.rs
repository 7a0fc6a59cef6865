//! Messages as text; only this module depends on codespan.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use codespan_reporting::diagnostic::{
    Diagnostic as Drawn, Label as DrawnLabel, LabelStyle, Severity as DrawnSeverity,
};
use codespan_reporting::files::{Error, Files, Location};
use codespan_reporting::term::{self, Config, WriteStyle};
use star_base::text;
use star_base::{DataPlace, Diagnostic, FileId, Fix, LineColumn, Severity, SourceMap};

use super::excerpt::{Excerpt, Label as ExcerptLabel, excerpt};

/// Use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No colours.
    Plain,
    /// ANSI colours.
    Coloured,
}

/// A remark without a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Optional information for the user.
    Note,
    /// Important information for the user.
    Warning,
}

/// Formats the message with the relevant source lines.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    // The location in a data file is also part of the message.
    let Diagnostic { code, message, labels, place, notes, help, fixes } = diagnostic;
    let severity = match diagnostic.severity() {
        Severity::Error => DrawnSeverity::Error,
        Severity::Warning => DrawnSeverity::Warning,
        Severity::Note => DrawnSeverity::Note,
    };
    let mut shown = Shown::new(sources, diagnostic);
    let mut next: BTreeMap<FileId, usize> = BTreeMap::new();
    let data = place.as_ref().filter(|_| labels.is_empty()).and_then(data_excerpt);
    let data_label = data.as_ref().and_then(|(_, excerpt)| {
        let range = excerpt.labels.first()?.range.clone();
        Some(DrawnLabel::new(LabelStyle::Primary, DATA, range))
    });
    let drawn_labels = labels.iter().enumerate().filter_map(|(idx, label)| {
        let (_, excerpt) = shown.files.get(&label.span.file)?;
        let place = next.entry(label.span.file).or_default();
        let range = excerpt.labels.get(*place)?.range.clone();
        *place += 1;
        let style = match idx {
            0 => LabelStyle::Primary,
            _ => LabelStyle::Secondary,
        };
        let text = text::one_line(&label.text);
        Some(DrawnLabel::new(style, label.span.file, range).with_message(text))
    });
    let notes = notes.iter().map(|note| bullet("note", note));
    let help = help.iter().map(|help| bullet("help", help));
    // A fix may have several edits of one kind, and a help text may repeat it.
    let mut orders: Vec<String> = fixes.iter().map(fix_text).collect();
    orders.dedup();
    let fixes = orders.iter().map(|order| bullet("help", order));
    let drawn = Drawn::new(severity)
        .with_code(code.as_str())
        .with_message(text::one_line(message))
        .with_labels(drawn_labels.chain(data_label).collect())
        .with_notes(notes.chain(help).chain(fixes).collect());
    shown.files.extend(data.map(|data| (DATA, data)));
    draw(&shown, &drawn, style)
}

/// The file of a data place; no source has this number.
const DATA: FileId = FileId(u32::MAX);

/// Returns the line of a data file with its name.
fn data_excerpt(place: &DataPlace) -> Option<(String, Excerpt)> {
    let (line, (text, column)) = (place.line?, place.excerpt.as_ref()?);
    let start = text.floor_char_boundary((column - 1).min(text.len()));
    // Escapes keep the columns: one character for one.
    let visible = |text: &str| -> String {
        text.chars().map(|c| if c == '\t' { c } else { text::visible(c) }).collect()
    };
    let (before, after) = (visible(&text[..start]), visible(&text[start..]));
    let start = before.len();
    let end = start + after.chars().next().map_or(0, char::len_utf8);
    let text = format!("{before}{after}\n");
    let (line, column) = (usize::try_from(line).ok()?, usize::try_from(place.column?).ok()?);
    let at = Some(LineColumn { line, column });
    let labels = vec![ExcerptLabel { range: start..end, at }];
    let lines = BTreeMap::from([(line.saturating_sub(1), 0..text.len())]);
    Some((star_base::text::one_line(&place.file), Excerpt { text, lines, labels }))
}

/// Formats a remark without a location.
pub fn remark(kind: Remark, message: &str, style: Style) -> String {
    let severity = match kind {
        Remark::Note => DrawnSeverity::Note,
        Remark::Warning => DrawnSeverity::Warning,
    };
    let drawn = Drawn::new(severity).with_message(text::one_line(message));
    let none = Shown { files: BTreeMap::new() };
    draw(&none, &drawn, style).trim_end().to_owned() + "\n"
}

fn draw(shown: &Shown, drawn: &Drawn<FileId>, style: Style) -> String {
    let config = Config::default();
    let mut bytes = Vec::new();
    let done = match style {
        Style::Plain => term::emit_to_io_write(&mut bytes, &config, shown, drawn),
        Style::Coloured => term::emit_to_write_style(&mut Ansi(&mut bytes), &config, shown, drawn),
    };
    if done.is_err() {
        // If rendering fails, the message is still shown.
        bytes.extend_from_slice(format!("{}\n\n", drawn.message).as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn bullet(kind: &str, text: &str) -> String {
    format!("{kind}: {}", text::printable(text))
}

/// Describes a fix, with the text to write unless the title contains it.
fn fix_text(fix: &Fix) -> String {
    const MAX_CHARS: usize = 200;
    let Fix { title, span: _, replacement, certain: _ } = fix;
    let replacement = replacement.trim();
    if replacement.is_empty() || title.contains(replacement) {
        return title.clone();
    }
    let mut shown: String = replacement.chars().take(MAX_CHARS).collect();
    if shown.len() < replacement.len() {
        shown.push('…');
    }
    format!("{title}: `{shown}`")
}

/// The excerpts of the files of a message, with their names.
struct Shown {
    files: BTreeMap<FileId, (String, Excerpt)>,
}

impl Shown {
    fn new(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let mut places: BTreeMap<FileId, Vec<Range<usize>>> = BTreeMap::new();
        for label in &diagnostic.labels {
            let of_file = places.entry(label.span.file).or_default();
            of_file.push(label.span.range());
        }
        let files = places.into_iter().filter_map(|(id, places)| {
            let file = sources.get(id)?;
            let name = text::one_line(file.name());
            Some((id, (name, excerpt(file, &places))))
        });
        Shown { files: files.collect() }
    }

    fn excerpt(&self, id: FileId) -> Result<&Excerpt, Error> {
        let (_, excerpt) = self.files.get(&id).ok_or(Error::FileMissing)?;
        Ok(excerpt)
    }
}

/// A line has its index in the whole file, and its range in the excerpt.
impl<'a> Files<'a> for Shown {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        let (name, _) = self.files.get(&id).ok_or(Error::FileMissing)?;
        Ok(name)
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(&self.excerpt(id)?.text)
    }

    fn line_index(&'a self, id: FileId, byte_index: usize) -> Result<usize, Error> {
        let excerpt = self.excerpt(id)?;
        let line = excerpt.lines.iter().find(|(_, range)| range.contains(&byte_index));
        line.map(|(&line_idx, _)| line_idx)
            .ok_or(Error::IndexTooLarge { given: byte_index, max: excerpt.text.len() })
    }

    fn line_range(&'a self, id: FileId, line_index: usize) -> Result<Range<usize>, Error> {
        let excerpt = self.excerpt(id)?;
        let range = excerpt.lines.get(&line_index).cloned();
        range.ok_or(Error::LineTooLarge { given: line_index, max: excerpt.lines.len() })
    }

    /// Called for starts of labels only.
    fn location(&'a self, id: FileId, byte_index: usize) -> Result<Location, Error> {
        let mut labels = self.excerpt(id)?.labels.iter();
        let place = labels.find(|label| label.range.start == byte_index);
        match place.and_then(|label| label.at) {
            Some(at) => Ok(Location { line_number: at.line, column_number: at.column }),
            None => Err(Error::InvalidCharBoundary { given: byte_index }),
        }
    }
}

/// ANSI colours; all output is collected in memory.
struct Ansi<'a>(&'a mut Vec<u8>);

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const BLUE: &str = "34";
const CYAN: &str = "36";

impl Ansi<'_> {
    fn set(&mut self, codes: &[&str]) -> io::Result<()> {
        write!(self.0, "\u{1b}[0;{}m", codes.join(";"))
    }

    fn colour(severity: DrawnSeverity) -> &'static str {
        match severity {
            DrawnSeverity::Bug | DrawnSeverity::Error => RED,
            DrawnSeverity::Warning => YELLOW,
            DrawnSeverity::Note => GREEN,
            DrawnSeverity::Help => CYAN,
        }
    }
}

impl Write for Ansi<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteStyle for Ansi<'_> {
    fn set_header(&mut self, severity: DrawnSeverity) -> io::Result<()> {
        self.set(&[BOLD, Ansi::colour(severity)])
    }

    fn set_header_message(&mut self) -> io::Result<()> {
        self.set(&[BOLD])
    }

    fn set_line_number(&mut self) -> io::Result<()> {
        self.set(&[BLUE])
    }

    fn set_note_bullet(&mut self) -> io::Result<()> {
        self.set(&[BLUE])
    }

    fn set_source_border(&mut self) -> io::Result<()> {
        self.set(&[BLUE])
    }

    fn set_label(&mut self, severity: DrawnSeverity, style: LabelStyle) -> io::Result<()> {
        match style {
            LabelStyle::Primary => self.set(&[Ansi::colour(severity)]),
            LabelStyle::Secondary => self.set(&[BLUE]),
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        write!(self.0, "\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use star_base::{Code, SourceFile, Span};

    use super::*;

    fn sample() -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a.star", "x = 1;\n\n\ny := 2;\n".to_owned()));
        let diagnostic = Diagnostic::at(Code::EqualsAssigns, Span::new(file, 2, 3), "`=` assigns")
            .here("here")
            .label(Span::new(file, 12, 14), "there")
            .note("a note")
            .help("some help")
            .fix("write `:=`", Span::new(file, 2, 3), ":=");
        (sources, diagnostic)
    }

    #[test]
    fn every_part_of_a_message_is_rendered() {
        let (sources, diagnostic) = sample();
        let text = render(&sources, &diagnostic, Style::Plain);
        assert!(text.starts_with("warning[W0101]: `=` assigns\n"), "{text}");
        for part in [
            "─ a.star:1:3\n",
            "1 │ x = 1;\n",
            "^ here\n",
            "4 │ y := 2;\n",
            "-- there\n",
            "= note: a note\n",
            "= help: some help\n",
            "= help: write `:=`\n",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        let coloured = render(&sources, &diagnostic, Style::Coloured);
        assert!(coloured.contains("\u{1b}[0;1;33mwarning[W0101]"), "{coloured:?}");
    }

    #[test]
    fn lines_of_data_files_are_safe_for_a_terminal() {
        let line = "a\u{202e}b\u{9b}2J\u{1b}[m\tc".to_owned();
        let mut diagnostic = Diagnostic::new(Code::BadFormat, "g.json:1:3: wrong");
        let (file, line) = ("g.json".to_owned(), (line, 5));
        diagnostic.place =
            Some(DataPlace { file, line: Some(1), column: Some(5), excerpt: Some(line) });
        let text = render(&SourceMap::new(), &diagnostic, Style::Plain);
        assert!(text.contains("1 │ a\u{fffd}b\u{fffd}2J␛[m"), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{text:?}");
    }

    #[test]
    fn messages_without_a_location_and_remarks_are_short() {
        let diagnostic = Diagnostic::new(Code::MissingArgument, "no value\u{7}").note("a\nb");
        let text = render(&SourceMap::new(), &diagnostic, Style::Plain);
        assert!(text.starts_with("error[E0604]: no value␇\n"), "{text}");
        assert_eq!(remark(Remark::Note, "h = 9", Style::Plain), "note: h = 9\n");
    }

    #[test]
    fn fixes_show_the_replacement_once() {
        let (_, diagnostic) = sample();
        let mut fix = diagnostic.fixes[0].clone();
        assert_eq!(fix_text(&fix), "write `:=`");
        fix.title = "mend it".to_owned();
        assert_eq!(fix_text(&fix), "mend it: `:=`");
    }
}
