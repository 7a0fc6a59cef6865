//! The same program, badly formatted: blanks, line breaks and comments anywhere, keywords in any
//! letter case, other assignment symbols.

use star_base::Builtin;
use star_syntax::lexemes;
use star_syntax::token::Token;
use star_tests::case::Random;

/// Separators allowed between two tokens.
const BLANKS: &[&str] =
    &[" ", " ", " ", " ", "  ", "\t", "\n", "\n", "\n    ", "\n\n", " \n\n\n ", "\u{a0}", "\n\t\t"];

const COMMENTS: &[&str] = &[
    "/* c */",
    "{ c }",
    "(* c *)",
    "// c\n",
    "//c  \n   ",
    "/* c\n   d */",
    "/* c\nd\n\n\te */",
    "{ a // b }",
    "/**/",
    "\n/* c */\n",
    "\n\n      // c\n      // d\n",
    "        /* c */\n        /* d */\n",
];

/// Formats a text badly. A text with errors may get different ones.
pub(super) fn mangle(text: &str, random: &mut Random) -> String {
    let comments = [0, 3, 10][random.below(3)];
    let breaks = [0, 20, 100][random.below(3)];
    let mut out = String::new();
    let (mut at, mut is_first) = (0, false);
    let all: Vec<(Token, std::ops::Range<usize>)> = lexemes(text).collect();
    for (idx, (token, range)) in all.iter().enumerate() {
        let between = &text[at..range.start];
        at = range.end;
        // A field whose name is a keyword follows its dot, and the dot its table.
        let is_name = *token == Token::Name && idx > 0 && all[idx - 1].0 == Token::Dot;
        if between.is_empty() && (is_name || *token == Token::Dot) {
            out.push_str(&text[range.clone()]);
            continue;
        }
        // Only `:=` assigns after a plain `elsewhere`.
        match token {
            Token::Elsewhere => is_first = true,
            Token::Do | Token::Semicolon | Token::Begin => is_first = false,
            _ => {}
        }
        if random.chance(breaks) || between.contains('\n') && random.chance(50) {
            // Inside `: =` blanks mean nothing; elsewhere at least one separates names.
            out.push_str(BLANKS[random.below(BLANKS.len())]);
        } else {
            out.push_str(between);
        }
        // A line comment ends with its line.
        let behind_line = idx > 0
            && matches!(all[idx - 1].0, Token::Comment)
            && text[all[idx - 1].1.clone()].starts_with("//");
        if behind_line {
            out.push('\n');
        }
        if random.chance(comments) {
            out.push(' ');
            out.push_str(COMMENTS[random.below(COMMENTS.len())]);
            out.push(' ');
        }
        let written = &text[range.clone()];
        match token {
            Token::Assign if is_first => out.push_str(":="),
            Token::Assign => out.push_str([":=", "=", ": =", ":\t="][random.below(4)]),
            Token::Comment | Token::Bits | Token::Str | Token::Number | Token::Theta => {
                out.push_str(written)
            }
            Token::Name => match called(written, all.get(idx + 1)) {
                true => out.push_str(&any_case(written, random)),
                false => out.push_str(written),
            },
            _ => out.push_str(&any_case(written, random)),
        }
    }
    out.push_str(BLANKS[random.below(BLANKS.len())]);
    out
}

/// Returns whether the name is a built-in with arguments, whose letter case does not matter.
fn called(name: &str, next: Option<&(Token, std::ops::Range<usize>)>) -> bool {
    let lines = matches!(Builtin::find(name), Some(Builtin::Col | Builtin::Row | Builtin::Step));
    lines && matches!(next, Some((Token::Open, _)))
}

fn any_case(word: &str, random: &mut Random) -> String {
    match random.below(3) {
        0 => word.to_ascii_uppercase(),
        1 => word.to_ascii_lowercase(),
        _ => {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars).collect()
        }
    }
}
