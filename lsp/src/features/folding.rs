//! Folding ranges and selection ranges.

use crate::features::tree;
use crate::protocol::types::{
    FoldingRange, FoldingRangeKind, FoldingRangeParams, SelectionRange, SelectionRangeParams,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Token, lexemes};

/// Answers a request for ranges that can be folded. They come from the tokens, so an error in the
/// text does not change those around it.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn folds(
    context: &Context<'_>,
    params: FoldingRangeParams,
) -> Result<Vec<FoldingRange>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let text = analysis.text();
    let line = |offset: usize| analysis.document().line_index(offset) as u32;
    let mut folds = Vec::new();
    let mut add = |start: usize, end: usize, kind: Option<FoldingRangeKind>| {
        let (start_line, end_line) = (line(start), line(end));
        if start_line < end_line {
            folds.push(FoldingRange { start_line, end_line, kind, ..Default::default() });
        }
    };
    let mut open: Vec<usize> = Vec::new();
    let mut header: Option<usize> = None;
    let mut imports: Option<(usize, usize)> = None;
    for (token, range) in lexemes(text) {
        match token {
            Token::Comment => add(range.start, range.end, Some(FoldingRangeKind::Comment)),
            Token::Begin | Token::Repeat | Token::WhereBlock => open.push(range.start),
            Token::End | Token::Until => {
                if let Some(start) = open.pop() {
                    add(start, range.start, None);
                }
                if let Some(start) = header.filter(|_| open.is_empty()) {
                    add(start, range.start, Some(FoldingRangeKind::Region));
                    header = None;
                }
            }
            Token::Proc | Token::Procedure | Token::Function | Token::Program => {
                // Routines do not nest: an unclosed block ends here.
                open.clear();
                header = Some(range.start);
            }
            Token::Import => {
                imports = Some((imports.map_or(range.start, |(start, _)| start), range.end));
            }
            _ => {}
        }
    }
    if let Some((start, end)) = imports {
        add(start, end, Some(FoldingRangeKind::Imports));
    }
    Ok(folds)
}

/// Answers a request for the nodes around positions, from inside to outside.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn selections(
    context: &Context<'_>,
    params: SelectionRangeParams,
) -> Result<Vec<SelectionRange>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let text = analysis.text();
    let at = |position| {
        let offset = analysis.offset(position);
        let whole = 0..text.len();
        let mut ranges = vec![whole];
        let touches = |range: &std::ops::Range<usize>| range.start <= offset && offset <= range.end;
        tree::walk(&analysis.parsed.file, &mut |node| {
            let range = node.span().range();
            if touches(&range) && ranges.last() != Some(&range) {
                ranges.push(range);
            }
        });
        ranges.extend(lexemes(text).map(|(_, range)| range).find(touches));
        // Each range must lie in the one before it.
        let mut selection: Option<Box<SelectionRange>> = None;
        let mut last = 0..text.len();
        for range in ranges {
            if last.start <= range.start && range.end <= last.end {
                last = range.clone();
                let parent = selection.take();
                let range = analysis.range_of(range);
                selection = Some(Box::new(SelectionRange { range, parent }));
            }
        }
        selection.map_or_else(SelectionRange::default, |selection| *selection)
    };
    Ok(params.positions.into_iter().map(at).collect())
}
