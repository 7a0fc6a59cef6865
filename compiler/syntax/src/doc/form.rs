//! Parsing of a comment's lines into paragraphs, with checks of their form.

use star_base::{Code, Diagnostic, FileId, Span, did_you_mean};

use super::comment::{CommentLine, remove_indent};
use super::example::is_whole;
use super::{About, Doc, Label, Section};

/// Reads the lines of a comment.
pub(super) fn read(
    file: FileId,
    lines: &[CommentLine],
    about: About<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Doc {
    let mut reader = Reader { file, about, diagnostics, doc: Doc::default(), open: None };
    let mut after_blank = false;
    for line in lines {
        reader.line(line, after_blank);
        after_blank = line.is_blank();
    }
    let Reader { mut doc, .. } = reader;
    trim(&mut doc.text);
    for section in &mut doc.sections {
        // The text after the colon is not indented, whatever follows.
        let n_flush = section.lines.first().map_or(0, |first| usize::from(first.indent == 0));
        remove_indent(&mut section.lines, n_flush);
        trim(&mut section.lines);
    }
    check(&doc, about, diagnostics);
    doc
}

fn trim(lines: &mut Vec<CommentLine>) {
    while lines.last().is_some_and(CommentLine::is_blank) {
        lines.pop();
    }
    let n_blank = lines.iter().take_while(|line| line.is_blank()).count();
    lines.drain(..n_blank);
}

struct Reader<'a, 'd> {
    file: FileId,
    about: About<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
    doc: Doc,
    /// The label of the current paragraph.
    open: Option<Label>,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: &CommentLine, after_blank: bool) {
        if line.indent == 0 && !line.is_blank() {
            if let Some(section) = self.begin(line) {
                self.open = Some(section.label);
                self.doc.sections.push(section);
                return;
            }
            self.unlabelled(line, after_blank);
        }
        match (self.open, self.doc.sections.last_mut()) {
            (Some(_), Some(section)) => section.lines.push(line.clone()),
            _ => self.doc.text.push(line.clone()),
        }
    }

    /// Returns the section that begins with the line.
    fn begin(&self, line: &CommentLine) -> Option<Section> {
        let (label, behind) = Label::ALL.iter().find_map(|&label| {
            let behind = line.text.strip_prefix(label.as_str())?;
            behind.starts_with([':', ',']).then_some((label, behind))
        })?;
        let (arguments, first) = match behind.strip_prefix(':') {
            Some(first) => ("", first),
            // Arguments contain colons: the last one ends the label.
            None => (behind.strip_prefix(',')?.strip_suffix(':')?.trim(), ""),
        };
        let trimmed = first.trim_start();
        let skipped = line.text.len() - trimmed.len();
        let mut lines = Vec::new();
        if !trimmed.is_empty() {
            lines.push(CommentLine {
                indent: 0,
                text: trimmed.to_owned(),
                at: line.at + skipped as u32,
            });
        }
        let end = line.at + (line.text.len() - first.len()) as u32;
        let span = Span::new(self.file, line.at, end);
        Some(Section { label, arguments: arguments.to_owned(), span, lines })
    }

    /// Handles a line that is not indented and begins no section.
    fn unlabelled(&mut self, line: &CommentLine, after_blank: bool) {
        match self.about {
            About::File => {
                if after_blank && self.open.take().is_some() {
                    // A separate paragraph.
                    self.doc.text.push(CommentLine { indent: 0, text: String::new(), at: line.at });
                }
            }
            About::Routine(params) => {
                let word = line.text.split(':').next().unwrap_or_default();
                let is_label = word.len() < line.text.len()
                    && word.starts_with(char::is_uppercase)
                    && !params.contains(&word);
                let labels = Label::ALL.iter().map(|label| label.as_str());
                let meant = did_you_mean(word, labels).filter(|_| is_label);
                let span = self.place(line, word.len());
                if let Some(meant) = meant {
                    let message = format!("unknown label `{word}` in a documentation comment");
                    let diagnostic = Diagnostic::at(Code::BadDocComment, span, message);
                    let help = format!("did you mean `{meant}`?");
                    self.diagnostics.push(diagnostic.help(help));
                } else if let Some(label) = self.open
                    && (after_blank || label.is_verbatim())
                {
                    let message = "this text has no label";
                    let span = self.place(line, line.text.len());
                    let diagnostic = Diagnostic::at(Code::BadDocComment, span, message);
                    self.diagnostics.push(diagnostic.help(format!(
                        "indent it if it belongs to `{label}`, or put it before the first label"
                    )));
                }
            }
        }
    }

    fn place(&self, line: &CommentLine, len: usize) -> Span {
        Span::new(self.file, line.at, line.at + len as u32)
    }
}

/// Checks the sections as a whole.
fn check(doc: &Doc, about: About<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let bad = |section: &Section, message: String| {
        Diagnostic::at(Code::BadDocComment, section.span, message)
    };
    for (idx, section) in doc.sections.iter().enumerate() {
        let label = section.label;
        let before = &doc.sections[..idx];
        if let Some(first) = before.iter().find(|other| other.label == label) {
            let message = format!("`{label}` occurs twice in a comment");
            diagnostics.push(bad(section, message).label(first.span, "first used here"));
        } else if let Some(late) = before.iter().find(|other| other.label > label)
            && matches!(about, About::Routine(_))
        {
            let message = format!("`{label}` follows `{}`", late.label);
            let labels: Vec<&str> = Label::ALL.iter().map(|label| label.as_str()).collect();
            let note = format!("the order of the labels is {}", labels.join(", "));
            diagnostics
                .push(bad(section, message).label(late.span, "it must precede this").note(note));
        }
        if section.lines.is_empty() {
            diagnostics.push(bad(section, format!("the section `{label}` is empty")));
        }
        if label == Label::Prints && doc.section(Label::Example).is_none() {
            let help = "write the program that prints it after `Example:`";
            let message = "`Prints` without `Example`".to_owned();
            diagnostics.push(bad(section, message).help(help));
        }
        if !section.arguments.is_empty() && (label != Label::Example || !is_whole(section)) {
            let message = "only an example that begins with `program` accepts arguments".to_owned();
            let help = "declare variables after `Example:`, as in `var T: table(3,4);`";
            diagnostics.push(bad(section, message).help(help));
        }
    }
}
