//! Programs made of the examples in documentation comments.
//!
//! An example is optional `const` and `var` sections, then statements. One that begins with `program`
//! (or another item of a file) is a program already. Lines and columns stay those of the documented
//! file, so that a message about the program shows the place in the comment.

use logos::Logos;
use star_base::SourceFile;

use super::Section;
use super::comment::CommentLine;
use crate::state::begins_item;
use crate::token::Token;

/// The program that runs an example of the file `source`, with an import of `module` if there is one to
/// import.
pub fn program(example: &Section, source: &SourceFile, module: Option<&str>) -> String {
    let import = module.map_or_else(String::new, |name| format!("import \"{name}\"; "));
    let text = placed(&example.lines, source);
    let Parts { statements, is_whole, consts_end, vars_end } = parts(&text);
    if is_whole {
        return format!("{import}{text}");
    }
    let (consts, vars) = (&text[..consts_end], &text[consts_end..vars_end]);
    // What is put in stands behind what is there, so that nothing moves.
    let program = "program EXAMPLE;";
    let begin = if vars.is_empty() { "begin " } else { " begin" };
    let head = if consts.is_empty() {
        format!("{program} {vars}{begin}")
    } else {
        format!("{consts} {program}{vars}{begin}")
    };
    // In a line of its own, for there may be a comment at the end.
    format!("{import}{head}{statements}\nend.")
}

/// The lines of an output as they are compared with what stands behind `Prints`: without blanks at their
/// ends, up to the last one that is not blank.
pub fn lines(output: &str) -> Vec<&str> {
    output.trim_end().lines().map(str::trim_end).collect()
}

/// Is the example a whole program?
pub(super) fn is_whole(example: &Section) -> bool {
    parts(&example.text()).is_whole
}

/// The lines in their places, with blanks and line breaks for all that is not theirs.
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
    /// Byte behind the `const` sections.
    consts_end: usize,
    /// Byte behind the `var` sections.
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

/// Skips everything up to and with a semicolon as long as `begins` likes what comes; the byte behind
/// the last one, 0 if there is none.
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

/// Do these tokens begin with `a, b:`?
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
