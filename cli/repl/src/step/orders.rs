//! Commands at a stop of `:step`.

/// A command at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Continue to the next statement, entering calls.
    Into,
    /// Continue to the next statement of this routine.
    Over,
    /// Continue to the caller.
    Out,
    /// Continue to the end.
    ToEnd,
    /// Continue to the next statement on this line.
    ToLine(usize),
    /// Show a variable, without continuing.
    Show(String),
    /// End the run.
    Quit,
    /// List the commands, without continuing.
    Help,
}

/// The list of commands.
pub(super) const HELP: &str = "\
s or Enter  run this statement and stop at the next one, entering calls
n           run this statement without stopping in calls
o           run to the end of this routine
c           run to the end; `c 12`: to line 12
NAME        show a variable of this routine; `v NAME` for names such as `s`
q           stop here; the variables keep the changes of the run
";

/// Parses a command; an empty line is a step. Returns `None` for an unknown command.
pub(super) fn order(line: &str) -> Option<Order> {
    let mut words = line.split_whitespace();
    let (word, argument) = (words.next().unwrap_or("s"), words.next());
    if words.next().is_some() {
        return None;
    }
    // Commands of a session begin with a colon.
    if let Some(word @ ("quit" | "q" | "help" | "h")) = word.strip_prefix(':') {
        return order(&line.replacen(&format!(":{word}"), word, 1));
    }
    match (word, argument) {
        ("s" | "step", None) => Some(Order::Into),
        ("n" | "next", None) => Some(Order::Over),
        ("o" | "out", None) => Some(Order::Out),
        ("c" | "continue", None) => Some(Order::ToEnd),
        ("c" | "continue", Some(line)) => line.parse().ok().map(Order::ToLine),
        ("v" | "value", Some(name)) => Some(Order::Show(name.to_owned())),
        ("q" | "quit", None) => Some(Order::Quit),
        ("h" | "help" | "?", None) => Some(Order::Help),
        (name, None) if is_name(name) => Some(Order::Show(name.to_owned())),
        _ => None,
    }
}

/// Tests whether a word can be the name of a variable.
fn is_name(word: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'');
    word.starts_with(char::is_alphabetic) && word.chars().all(inner) && !is_command(word)
}

/// Tests whether a word is a command that needs an argument.
fn is_command(word: &str) -> bool {
    matches!(word, "v" | "value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_is_a_step_and_unknown_text_is_rejected() {
        for (line, expected) in [
            ("", Some(Order::Into)),
            (" s ", Some(Order::Into)),
            ("n", Some(Order::Over)),
            ("out", Some(Order::Out)),
            ("c", Some(Order::ToEnd)),
            ("c 12", Some(Order::ToLine(12))),
            ("c twelve", None),
            ("v X", Some(Order::Show("X".to_owned()))),
            ("v", None),
            ("X", Some(Order::Show("X".to_owned()))),
            ("R-NEXT", Some(Order::Show("R-NEXT".to_owned()))),
            ("q", Some(Order::Quit)),
            (":quit", Some(Order::Quit)),
            ("?", Some(Order::Help)),
            (":help", Some(Order::Help)),
            (":load x", None),
            ("X := 1", None),
            ("s s", None),
        ] {
            assert_eq!(order(line), expected, "{line}");
        }
    }
}
