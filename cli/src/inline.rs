//! Pictures in a terminal, by the protocols of kitty and of iTerm2.

use star_os::output::Output;
use star_report::view::base64;

/// Characters of a part of a picture; the protocol of kitty limits them.
const PART: usize = 4096;

/// How a terminal receives pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Kitty,
    ITerm2,
}

impl Protocol {
    /// Returns the protocol that the variables of the environment promise.
    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let is = |name: &str, values: &[&str]| {
            variable(name).is_some_and(|value| values.contains(&value.as_str()))
        };
        // A multiplexer passes no pictures on.
        if variable("TMUX").is_some() || variable("STY").is_some() || is("TERM", &["dumb"]) {
            return None;
        }
        if is("TERM", &["xterm-kitty", "xterm-ghostty"]) || variable("KITTY_WINDOW_ID").is_some() {
            return Some(Protocol::Kitty);
        }
        let is_iterm =
            is("TERM_PROGRAM", &["iTerm.app", "WezTerm"]) || is("LC_TERMINAL", &["iTerm2"]);
        is_iterm.then_some(Protocol::ITerm2)
    }

    /// Returns the text that shows a PNG file.
    fn text(self, png: &[u8]) -> String {
        let letters = base64(png);
        match self {
            Protocol::Kitty => {
                let n_parts = letters.len().div_ceil(PART);
                let parts = letters.as_bytes().chunks(PART).enumerate().map(|(idx, part)| {
                    let first = if idx == 0 { "a=T,f=100," } else { "" };
                    let more = u8::from(idx + 1 < n_parts);
                    let part = String::from_utf8_lossy(part);
                    format!("\x1b_G{first}m={more};{part}\x1b\\")
                });
                parts.collect::<String>() + "\n"
            }
            Protocol::ITerm2 => {
                let n_bytes = png.len();
                format!("\x1b]1337;File=inline=1;size={n_bytes}:{letters}\x07\n")
            }
        }
    }
}

/// Shows a picture if the output is a terminal that can, and returns whether it did; `png` makes
/// its file.
pub(crate) fn show(output: &mut Output, png: &dyn Fn() -> Option<Vec<u8>>) -> bool {
    if !output.is_terminal() {
        return false;
    }
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let text = Protocol::of(&variable).and_then(|protocol| Some(protocol.text(&png()?)));
    text.is_some_and(|text| output.write_styled(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_select_the_protocol() {
        let of = |given: &[(&str, &str)]| {
            let found = |name: &str| given.iter().find(|(known, _)| *known == name);
            Protocol::of(&|name| found(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm"), ("KITTY_WINDOW_ID", "1")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM_PROGRAM", "WezTerm")]), Some(Protocol::ITerm2));
        assert_eq!(of(&[("LC_TERMINAL", "iTerm2")]), Some(Protocol::ITerm2));
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")]), None);
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "1")]), None);
    }

    #[test]
    fn pictures_are_sent_in_parts() {
        let png = vec![7; 4000];
        let text = Protocol::Kitty.text(&png);
        let parts: Vec<&str> = text.trim_end().split_terminator("\x1b\\").collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\x1b_Ga=T,f=100,m=1;") && parts[1].starts_with("\x1b_Gm=0;"));
        let letters: String = parts.iter().map(|part| part.split_once(';').unwrap().1).collect();
        assert_eq!(letters, base64(&png));
        let text = Protocol::ITerm2.text(b"foo");
        assert_eq!(text, "\x1b]1337;File=inline=1;size=3:Zm9v\x07\n");
    }
}
