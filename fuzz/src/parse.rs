//! The target `parse`: lexer, parser and documentation comments over any text.

use star_base::{Diagnostic, FileId, Span};

/// Parses the bytes as text. No text makes the parser panic; messages and comments are inside the
/// text, at character boundaries; parsing twice gives the same result.
pub fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let file = FileId(0);
    let parsed = star_syntax::parse(file, &text);
    for diagnostic in &parsed.diagnostics {
        check_spans(diagnostic, |span| (span.file == file).then_some(&*text));
    }
    for comment in &parsed.comments {
        assert!(text.get(comment.range()).is_some(), "a comment at {comment:?}");
    }
    let ordered = parsed.comments.windows(2).all(|pair| pair[0].end <= pair[1].start);
    assert!(ordered, "comments {:?}", parsed.comments);
    let (doc, faults) = star_syntax::doc::documentation(file, &text, &parsed);
    for fault in &faults {
        check_spans(fault, |span| (span.file == file).then_some(&*text));
    }
    assert!(doc.routines.len() <= parsed.file.items.len());
    let again = star_syntax::parse(file, &text);
    assert_eq!(parsed.diagnostics, again.diagnostics);
    assert_eq!(format!("{:?}", parsed.file), format!("{:?}", again.file));
}

/// Checks that every location of a message is in the text of its file, at character boundaries.
pub(crate) fn check_spans<'a>(diagnostic: &Diagnostic, text: impl Fn(Span) -> Option<&'a str>) {
    let labels = diagnostic.labels.iter().map(|label| label.span);
    for span in labels.chain(diagnostic.fixes.iter().map(|fix| fix.span)) {
        let part = text(span).and_then(|text| text.get(span.range()));
        assert!(part.is_some(), "{span:?} of {diagnostic:?}");
    }
}
