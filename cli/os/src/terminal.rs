//! The attributes of the terminal.

#[cfg(unix)]
pub use unix::attributes;

/// Returns the attributes of the terminal, which are unknown on this system.
#[cfg(not(unix))]
pub fn attributes() -> Option<Vec<u16>> {
    None
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr,
    };

    /// The time in which a terminal answers, also over a network.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The question for the primary attributes, DA1.
    const QUESTION: &[u8] = b"\x1b[c";

    /// Asks the terminal of standard input and output for its attributes. `None` if there is none,
    /// it does not answer, or the answer could not be told from keys that were pressed before.
    pub fn attributes() -> Option<Vec<u16>> {
        let (input, output) = (io::stdin(), io::stdout());
        // A process in the background must not change the terminal.
        let is_ours = input.is_terminal()
            && output.is_terminal()
            && tcgetpgrp(&input).is_ok_and(|group| group == getpgrp());
        if !is_ours {
            return None;
        }
        let before = tcgetattr(&input).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        silent.special_codes[SpecialCodeIndex::VMIN] = 0;
        silent.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&input, OptionalActions::Now, &silent).ok()?;
        let answer = answer(&input, &output);
        let restored = tcsetattr(&input, OptionalActions::Now, &before);
        restored.ok().and(parsed(&answer?))
    }

    /// Writes the question and reads until the end of the answer.
    fn answer(input: &io::Stdin, output: &io::Stdout) -> Option<Vec<u8>> {
        let has_input = |wait: Duration| {
            let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
            let mut waited = [PollFd::new(input, PollFlags::IN)];
            poll(&mut waited, Some(&wait)).is_ok_and(|n| n > 0)
        };
        if has_input(Duration::ZERO) {
            return None;
        }
        rustix::io::write(output, QUESTION).ok().filter(|n| *n == QUESTION.len())?;
        let end = Instant::now() + PATIENCE;
        let mut answer = Vec::new();
        while answer.last() != Some(&b'c') {
            if !has_input(end.saturating_duration_since(Instant::now())) {
                return None;
            }
            let mut byte = [0];
            rustix::io::read(input, &mut byte).ok().filter(|n| *n == 1)?;
            answer.extend(byte);
        }
        Some(answer)
    }

    /// Parses `ESC [ ? 62 ; 4 ; 22 c`.
    fn parsed(answer: &[u8]) -> Option<Vec<u16>> {
        let text = std::str::from_utf8(answer).ok()?;
        let list = text.strip_prefix("\x1b[?")?.strip_suffix('c')?;
        list.split(';').map(|number| number.parse().ok()).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn answers_are_lists_of_numbers() {
            assert_eq!(parsed(b"\x1b[?62;4;22c"), Some(vec![62, 4, 22]));
            assert_eq!(parsed(b"\x1b[?6c"), Some(vec![6]));
            for other in [&b"c"[..], b"abc", b"\x1b[?62;xc", b"\x1b[?c"] {
                assert_eq!(parsed(other), None);
            }
        }
    }
}
