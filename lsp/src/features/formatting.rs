//! Formatting of a document, of a range, and of the line that is being typed.

use crate::analysis::Analysis;
use crate::protocol::types::{
    DocumentFormattingParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams,
    TextEdit,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{FileLoader, Formatter, LIBRARY, SourceFile, Token, lexemes};

/// Answers a request to format a document. A text with syntax errors stays as it is.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn whole(
    context: &Context<'_>,
    params: DocumentFormattingParams,
) -> Result<Vec<TextEdit>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    Ok(edits(context, &analysis, 0..analysis.text().len()))
}

/// Answers a request to format a range.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn range(
    context: &Context<'_>,
    params: DocumentRangeFormattingParams,
) -> Result<Vec<TextEdit>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let within = analysis.offset(params.range.start)..analysis.offset(params.range.end);
    Ok(edits(context, &analysis, within))
}

/// Answers a request to format after a character was typed: the line of a `;`, the indentation of a
/// new line.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn typed(
    context: &Context<'_>,
    params: DocumentOnTypeFormattingParams,
) -> Result<Vec<TextEdit>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let offset = analysis.offset(params.position);
    let line = analysis.document().line_index(offset);
    let range = analysis.document().line_range(line).unwrap_or(offset..offset);
    if params.ch != "\n" {
        let line_end = range.start + analysis.text()[range.clone()].trim_end().len();
        return Ok(edits(context, &analysis, range.start..line_end.max(range.start)));
    }
    let text = &analysis.text()[range.clone()];
    let blanks = text.len() - text.trim_start_matches([' ', '\t']).len();
    let wanted = " ".repeat(indentation(analysis.text(), range.start));
    if text[..blanks] == wanted {
        return Ok(Vec::new());
    }
    let range = analysis.range_of(range.start..range.start + blanks);
    Ok(vec![TextEdit { range, new_text: wanted }])
}

/// Returns the edits that format a range of a document: one for each gap or token that changes.
fn edits(
    context: &Context<'_>,
    analysis: &Analysis,
    within: std::ops::Range<usize>,
) -> Vec<TextEdit> {
    let source = SourceFile::new(analysis.document().name(), analysis.text().to_owned());
    let snapshot = context.snapshot;
    let mut loader = FileLoader::new(snapshot.overlay(), &snapshot.settings.allow_read);
    let Ok(formatted) = Formatter::new(LIBRARY).format(&source, &mut loader) else {
        return Vec::new();
    };
    let edits = differences(source.text(), &formatted).into_iter();
    let touches =
        |range: &std::ops::Range<usize>| within.start <= range.end && range.start <= within.end;
    edits
        .filter(|(range, _)| touches(range))
        .map(|(range, text)| TextEdit { range: analysis.range_of(range), new_text: text })
        .collect()
}

/// Returns the changes between two texts with the same tokens: gaps and spellings.
fn differences(old: &str, new: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut edits = Vec::new();
    let (mut at, mut new_at) = (0, 0);
    let mut add = |range: std::ops::Range<usize>, text: &str| {
        if old[range.clone()] != *text {
            edits.push((range, text.to_owned()));
        }
    };
    let mut new_tokens = lexemes(new);
    for (_, range) in lexemes(old) {
        let Some((_, in_new)) = new_tokens.next() else { break };
        add(at..range.start, &new[new_at..in_new.start]);
        add(range.clone(), &new[in_new.clone()]);
        (at, new_at) = (range.end, in_new.end);
    }
    add(at..old.len(), &new[new_at..]);
    edits
}

/// Returns the number of columns by which the line that begins at a byte is indented.
fn indentation(text: &str, line_start: usize) -> usize {
    let column_of = |offset: usize| {
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    };
    let mut open: Vec<usize> = Vec::new();
    let mut last = None;
    let mut next = None;
    for (token, range) in lexemes(text) {
        if range.start >= line_start {
            let is_on_line = !text[line_start..range.start].contains('\n');
            next = is_on_line.then_some(token);
            break;
        }
        match token {
            Token::Comment => continue,
            Token::Begin | Token::Repeat | Token::WhereBlock => open.push(column_of(range.start)),
            Token::End | Token::Until => drop(open.pop()),
            Token::Proc | Token::Procedure | Token::Function | Token::Program => open.clear(),
            _ => {}
        }
        last = Some((token, range.start));
    }
    let closes = matches!(next, Some(Token::End | Token::Until | Token::Elsewhere));
    let begins = matches!(next, Some(Token::Begin));
    let base = open.last().map_or(0, |column| column + 2);
    match last {
        _ if closes => base.saturating_sub(2),
        Some((Token::Do | Token::Then | Token::Else, at)) if !begins => column_of(at) + 2,
        Some((Token::Do | Token::Then | Token::Else, at)) => column_of(at),
        _ => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_single_gaps_and_spellings() {
        let found = differences("begin X = 1 ;END", "begin\n  X := 1;\nend");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["\n  ", ":=", "", "\n", "end"]);
    }

    #[test]
    fn new_lines_are_indented_like_the_formatter_does() {
        let column = |text: &str| {
            let at = text.find('|').unwrap();
            indentation(&text.replace('|', ""), at)
        };
        assert_eq!(column("procedure P;\n|"), 0);
        assert_eq!(column("procedure P;\nbegin\n|"), 2);
        assert_eq!(column("procedure P;\nbegin\n  while a do\n|"), 4);
        assert_eq!(column("procedure P;\nbegin\n  while a do\n|begin"), 2);
        assert_eq!(column("procedure P;\nbegin\n  while a do\n    b;\n|"), 2);
        assert_eq!(column("procedure P;\nbegin\n  repeat\n    b;\n|until"), 2);
        assert_eq!(column("procedure P;\nbegin\n  b\nend;\n|"), 0);
    }
}
