//! Semantic tokens: what each word is, from the compiler's tokens and the meanings of names.

use crate::analysis::Analysis;
use crate::protocol::types::{
    SemanticToken, SemanticTokens, SemanticTokensLegend, SemanticTokensParams,
    SemanticTokensRangeParams,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Access, Meaning, Token, Use, hir, lexemes};

/// The kinds, in the order of their numbers.
const KINDS: &[&str] = &[
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "type",
    "function",
    "variable",
    "parameter",
    "macro",
];
/// The modifiers, in the order of their bits.
const MODIFIERS: &[&str] = &["declaration", "readonly", "modification", "defaultLibrary"];

const KEYWORD: u32 = 0;
const COMMENT: u32 = 1;
const STRING: u32 = 2;
const NUMBER: u32 = 3;
const OPERATOR: u32 = 4;
const TYPE: u32 = 5;
const FUNCTION: u32 = 6;
const VARIABLE: u32 = 7;
const PARAMETER: u32 = 8;
const MACRO: u32 = 9;

const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const MODIFICATION: u32 = 4;
const LIBRARY: u32 = 8;

/// Returns the names of kinds and modifiers.
pub(crate) fn legend() -> SemanticTokensLegend {
    let strings = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
    SemanticTokensLegend { token_types: strings(KINDS), token_modifiers: strings(MODIFIERS) }
}

/// Answers a request for all tokens of a document.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn full(
    context: &Context<'_>,
    params: SemanticTokensParams,
) -> Result<SemanticTokens, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    Ok(tokens(&analysis, 0..analysis.text().len()))
}

/// Answers a request for the tokens of a range.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn range(
    context: &Context<'_>,
    params: SemanticTokensRangeParams,
) -> Result<SemanticTokens, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let within = analysis.offset(params.range.start)..analysis.offset(params.range.end);
    Ok(tokens(&analysis, within))
}

fn tokens(analysis: &Analysis, within: std::ops::Range<usize>) -> SemanticTokens {
    let text = analysis.text();
    let mut data = Vec::new();
    let (mut last_line, mut last_start) = (0, 0);
    for (token, range) in lexemes(text) {
        if range.end < within.start || within.end < range.start {
            continue;
        }
        let Some((kind, modifiers)) = class(analysis, token, range.start) else { continue };
        // A token of the protocol does not cross lines.
        let mut start = range.start;
        for line in text[range].split_inclusive('\n') {
            let shown = line.trim_end_matches(['\n', '\r']);
            if !shown.is_empty() {
                let position = analysis.position(start);
                let delta_line = position.line - last_line;
                let from = if delta_line == 0 { last_start } else { 0 };
                data.push(SemanticToken {
                    delta_line,
                    delta_start: position.character - from,
                    length: analysis.width(shown),
                    token_type: kind,
                    token_modifiers_bitset: modifiers,
                });
                (last_line, last_start) = (position.line, position.character);
            }
            start += line.len();
        }
    }
    SemanticTokens { result_id: None, data }
}

/// Returns the kind and the modifiers of a token; `None` for punctuation.
fn class(analysis: &Analysis, token: Token, start: usize) -> Option<(u32, u32)> {
    let plain = |kind| Some((kind, 0));
    match token {
        Token::Comment => plain(COMMENT),
        Token::Str | Token::Bits => plain(STRING),
        Token::Number => plain(NUMBER),
        Token::Theta => Some((NUMBER, LIBRARY)),
        Token::Name => use_around(analysis, start).and_then(|one| name(analysis, one)),
        // A hyphen in the name of a procedure.
        Token::Minus => match use_around(analysis, start) {
            Some(one) => name(analysis, one),
            None => plain(OPERATOR),
        },
        Token::Colon
        | Token::Semicolon
        | Token::Comma
        | Token::Dot
        | Token::Dots
        | Token::Open
        | Token::Close
        | Token::OpenBracket
        | Token::CloseBracket
        | Token::Begins(_)
        | Token::Reserved => None,
        _ if token.is_sign() => plain(OPERATOR),
        _ if token.is_type() => plain(TYPE),
        _ => plain(KEYWORD),
    }
}

/// Returns the name that contains a byte.
fn use_around(analysis: &Analysis, at: usize) -> Option<&Use> {
    let found = analysis.index.at(analysis.root(), at as u32)?;
    found.span.range().contains(&at).then_some(found)
}

fn name(analysis: &Analysis, one: &Use) -> Option<(u32, u32)> {
    let access = match one.access {
        Access::Reads => 0,
        Access::Writes => MODIFICATION,
        Access::Declares => DECLARATION,
    };
    Some(match one.meaning {
        Meaning::Local(routine, local) => {
            let local = analysis.routine(routine)?.locals.get(local.0 as usize)?;
            match local.role {
                hir::Role::Value | hir::Role::Ref => (PARAMETER, access),
                hir::Role::Binding | hir::Role::Implicit => (PARAMETER, access | READONLY),
                hir::Role::Local | hir::Role::Result => (VARIABLE, access),
            }
        }
        Meaning::Routine(id) => {
            let shipped = analysis.is_shipped(analysis.routine(id)?.header.file);
            (FUNCTION, access & DECLARATION | if shipped { LIBRARY } else { 0 })
        }
        Meaning::Constant(_) => (VARIABLE, access | READONLY),
        Meaning::Builtin(_) => (MACRO, LIBRARY),
    })
}
