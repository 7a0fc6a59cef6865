//! Programs built from the examples in documentation comments.
//!
//! An example has optional `const` and `var` sections, then statements. One that begins with
//! `program` (or another item of a file) is a complete program. Lines and columns remain those of
//! the documented file, so that messages about the program show the position in the comment.

use logos::Logos;
use star_base::SourceFile;

use super::Section;
use super::comment::CommentLine;
use crate::state::begins_item;
use crate::token::Token;

/// Returns the program that runs an example of the file `source`, importing `module` if there is
/// one.
pub fn program(example: &Section, source: &SourceFile, module: Option<&str>) -> String {
    let import = module.map_or_else(String::new, |name| format!("import \"{name}\"; "));
    let text = placed(&example.lines, source);
    let Parts { statements, is_whole, consts_end, vars_end } = parts(&text);
    if is_whole {
        return format!("{import}{text}");
    }
    let (consts, vars) = (&text[..consts_end], &text[consts_end..vars_end]);
    // Insertions follow existing text, so that nothing moves.
    let program = "program EXAMPLE;";
    let begin = if vars.is_empty() { "begin " } else { " begin" };
    let head = if consts.is_empty() {
        format!("{program} {vars}{begin}")
    } else {
        format!("{consts} {program}{vars}{begin}")
    };
    // On a separate line, because a comment may end the last line.
    format!("{import}{head}{statements}\nend.")
}

/// Returns the lines of an output for comparison with the text after `Prints`: without trailing
/// spaces and trailing blank lines.
pub fn lines(output: &str) -> Vec<&str> {
    output.trim_end().lines().map(str::trim_end).collect()
}

/// Returns whether the example is a complete program.
pub(super) fn is_whole(example: &Section) -> bool {
    parts(&example.text()).is_whole
}

/// Returns the lines at their positions, with spaces and line breaks for all other text.
fn placed(lines: &[CommentLine], source: &SourceFile) -> String {
    let mut text = String::new();
    let mut n_before = 1;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        let at = source.line_column(line.at as usize);
        text.push_str(&"\n".repeat(at.line.saturating_sub(n_before)));
        text.push_str(&" ".repeat(at.column - 1));
        text.push_str(&line.text);
        n_before = at.line;
    }
    text
}

struct Parts<'t> {
    statements: &'t str,
    is_whole: bool,
    /// The byte after the `const` sections.
    consts_end: usize,
    /// The byte after the `var` sections.
    vars_end: usize,
}

fn parts(text: &str) -> Parts<'_> {
    let tokens = Token::lexer(text).spanned().filter_map(|(token, range)| {
        let token = token.ok().filter(|token| *token != Token::Comment)?;
        Some((token, range.end))
    });
    let tokens: Vec<(Token, usize)> = tokens.collect();
    let mut rest = &tokens[..];
    let consts_end = skip(&mut rest, |rest| matches!(rest, [(Token::Const, _), ..]));
    let is_whole = matches!(rest, [(first, _), ..] if begins_item(first));
    let mut vars_end = consts_end;
    while let [(Token::Var, _), declarations @ ..] = rest {
        rest = declarations;
        vars_end = skip(&mut rest, declares).max(vars_end);
    }
    Parts { statements: &text[vars_end..], is_whole, consts_end, vars_end }
}

/// Skips to the byte after a semicolon, repeatedly while `begins` accepts the next tokens; returns
/// that byte, or 0 if nothing was skipped.
fn skip<'r>(
    rest: &mut &'r [(Token, usize)],
    begins: impl Fn(&'r [(Token, usize)]) -> bool,
) -> usize {
    let mut end = 0;
    while begins(rest) {
        let Some(at) = rest.iter().position(|(token, _)| *token == Token::Semicolon) else { break };
        end = rest[at].1;
        *rest = &rest[at + 1..];
    }
    end
}

/// Returns whether these tokens begin with `a, b:`.
fn declares(tokens: &[(Token, usize)]) -> bool {
    let mut tokens = tokens.iter().map(|(token, _)| token);
    loop {
        match (tokens.next(), tokens.next()) {
            (Some(Token::Name), Some(Token::Comma)) => {}
            (Some(Token::Name), Some(Token::Colon)) => return true,
            _ => return false,
        }
    }
}
