//! Pictures in a terminal, by the protocols of kitty and of iTerm2 or as sixels.

mod sixel;

use std::sync::OnceLock;

use clap::ValueEnum;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::terminal;
use star_report::view::{Picture, base64};

use crate::view::png;

/// Characters of a part of a picture; the protocol of kitty limits them.
const PART: usize = 4096;

/// The attribute of terminals that show sixels, in the answer to DA1.
const SIXELS: u16 = 4;

/// The choice of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inline {
    /// The protocol that the environment or the terminal announces, if any
    Auto,
    /// The graphics protocol of kitty
    Kitty,
    /// The inline images of iTerm2
    #[value(name = "iterm2")]
    ITerm2,
    /// Sixels
    Sixel,
    /// No pictures in the terminal
    None,
}

/// How a terminal receives pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Kitty,
    ITerm2,
    Sixel,
}

impl Inline {
    /// Shows a picture if the output is a terminal that can, and returns whether it did.
    pub(crate) fn show(self, output: &mut Output, picture: &dyn Fn() -> Option<Picture>) -> bool {
        if !output.is_terminal() {
            return false;
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let protocol = match self {
            Inline::Auto => Protocol::of(&variable, &shows_sixels),
            Inline::Kitty => Some(Protocol::Kitty),
            Inline::ITerm2 => Some(Protocol::ITerm2),
            Inline::Sixel => Some(Protocol::Sixel),
            Inline::None => None,
        };
        let text = protocol.and_then(|protocol| protocol.text(&picture()?));
        text.is_some_and(|text| output.write_styled(&text))
    }

    /// Warns about a protocol if the output is no terminal, which receives no picture.
    pub(crate) fn warn_if_unused(self, output: &Output, reporter: &Reporter) {
        match self {
            Inline::Kitty | Inline::ITerm2 | Inline::Sixel if !output.is_terminal() => {
                reporter.warning("`--inline` is unused: the output is no terminal");
            }
            Inline::Auto | Inline::None | Inline::Kitty | Inline::ITerm2 | Inline::Sixel => {}
        }
    }
}

/// Asks the terminal once whether it shows sixels.
fn shows_sixels() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| terminal::attributes().is_some_and(|them| them.contains(&SIXELS)))
}

impl Protocol {
    /// Returns the protocol that the variables of the environment promise, else sixels if the
    /// terminal shows them.
    fn of(
        variable: &dyn Fn(&str) -> Option<String>,
        shows_sixels: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let is = |name: &str, values: &[&str]| {
            variable(name).is_some_and(|value| values.contains(&value.as_str()))
        };
        if is("TERM", &["dumb"]) {
            return None;
        }
        let is_kitty = || {
            is("TERM", &["xterm-kitty", "xterm-ghostty"]) || variable("KITTY_WINDOW_ID").is_some()
        };
        let is_iterm =
            || is("TERM_PROGRAM", &["iTerm.app", "WezTerm"]) || is("LC_TERMINAL", &["iTerm2"]);
        // A multiplexer passes only sixels on, and answers for itself.
        match variable("TMUX").or_else(|| variable("STY")) {
            None if is_kitty() => Some(Protocol::Kitty),
            None if is_iterm() => Some(Protocol::ITerm2),
            None | Some(_) => shows_sixels().then_some(Protocol::Sixel),
        }
    }

    /// Returns the text that shows a picture; `None` if it cannot be encoded.
    fn text(self, picture: &Picture) -> Option<String> {
        Some(match self {
            Protocol::Kitty => kitty(&png(picture).ok()?),
            Protocol::ITerm2 => iterm2(&png(picture).ok()?),
            Protocol::Sixel => sixel::text(picture) + "\n",
        })
    }
}

/// Returns the text that shows a PNG file by the protocol of kitty.
fn kitty(png: &[u8]) -> String {
    let letters = base64(png);
    let n_parts = letters.len().div_ceil(PART);
    let parts = letters.as_bytes().chunks(PART).enumerate().map(|(idx, part)| {
        let first = if idx == 0 { "a=T,f=100," } else { "" };
        let more = u8::from(idx + 1 < n_parts);
        let part = String::from_utf8_lossy(part);
        format!("\x1b_G{first}m={more};{part}\x1b\\")
    });
    parts.collect::<String>() + "\n"
}

/// Returns the text that shows a PNG file by the protocol of iTerm2.
fn iterm2(png: &[u8]) -> String {
    let (n_bytes, letters) = (png.len(), base64(png));
    format!("\x1b]1337;File=inline=1;size={n_bytes}:{letters}\x07\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_attributes_select_the_protocol() {
        let of = |given: &[(&str, &str)], sixels: bool| {
            let found = |name: &str| given.iter().find(|(known, _)| *known == name);
            Protocol::of(&|name| found(name).map(|(_, value)| (*value).to_owned()), &|| sixels)
        };
        let kitty = Some(Protocol::Kitty);
        assert_eq!(of(&[("TERM", "xterm-kitty")], true), kitty);
        assert_eq!(of(&[("TERM", "xterm"), ("KITTY_WINDOW_ID", "1")], false), kitty);
        assert_eq!(of(&[("TERM_PROGRAM", "WezTerm")], true), Some(Protocol::ITerm2));
        assert_eq!(of(&[("LC_TERMINAL", "iTerm2")], false), Some(Protocol::ITerm2));
        let plain = [("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")];
        assert_eq!(of(&plain, false), None);
        assert_eq!(of(&plain, true), Some(Protocol::Sixel));
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "1")], false), None);
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "1")], true), Some(Protocol::Sixel));
        assert_eq!(of(&[("TERM", "dumb")], true), None);
    }

    #[test]
    fn pictures_are_sent_in_parts() {
        let png = vec![7; 4000];
        let text = kitty(&png);
        let parts: Vec<&str> = text.trim_end().split_terminator("\x1b\\").collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\x1b_Ga=T,f=100,m=1;") && parts[1].starts_with("\x1b_Gm=0;"));
        let letters: String = parts.iter().map(|part| part.split_once(';').unwrap().1).collect();
        assert_eq!(letters, base64(&png));
        assert_eq!(iterm2(b"foo"), "\x1b]1337;File=inline=1;size=3:Zm9v\x07\n");
    }
}
