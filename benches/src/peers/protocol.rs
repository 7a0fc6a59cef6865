//! The lines that a contestant in a separate process reads and writes:
//! `docs/src/internals/testing.md`, "Peers".

use serde_json::{Value, json};

use super::digest::Digest;
use super::failure::Failure;

/// What is wanted of a contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// To do the job so many times.
    Run(u32),
    /// The digest of the last result.
    Digest,
}

impl Request {
    /// Its line.
    pub(super) fn line(self) -> String {
        match self {
            Request::Run(runs) => format!("run {runs}\n"),
            Request::Digest => "digest\n".to_owned(),
        }
    }

    /// Reads a line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        match line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
            ["run", runs] => runs.parse().ok().filter(|&runs| runs > 0).map(Request::Run),
            ["digest"] => Some(Request::Digest),
            _ => None,
        }
    }
}

/// Who a contestant is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hello {
    /// The peer's name.
    pub(super) peer: String,
    /// Its version.
    pub(super) version: String,
    /// What it is written for: `Rust`, `Python 3.11.7`, `C++`, `Star`.
    pub(super) language: String,
    /// Threads that it may use.
    pub(super) threads: u64,
    /// Seconds for reading the input and building what the job is done on.
    pub(super) load_s: f64,
    /// How it does the job; may be empty.
    pub(super) conditions: String,
}

/// What a contestant answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// It is ready.
    Hello(Hello),
    /// It did the job so many times, in so many seconds together.
    Ran {
        /// Times.
        runs: u32,
        /// Seconds.
        seconds: f64,
    },
    /// The digest of the last result.
    Digest(String),
    /// It is not installed, or has no such job.
    Missing(String),
    /// Something went wrong.
    Failed(Failure),
}

impl Answer {
    /// Its line.
    pub(super) fn line(&self) -> String {
        let value = match self {
            Answer::Hello(hello) => {
                let Hello { peer, version, language, threads, load_s, conditions } = hello;
                json!({"hello": {
                    "peer": peer, "version": version, "language": language, "threads": threads,
                    "load_s": load_s, "conditions": conditions, "check": Digest::check().text(),
                }})
            }
            Answer::Ran { runs, seconds } => json!({"ran": {"runs": runs, "seconds": seconds}}),
            Answer::Digest(digest) => json!({"digest": digest}),
            Answer::Missing(message) => json!({"missing": message}),
            Answer::Failed(Failure { code, message }) => {
                json!({"failed": {"code": code, "message": message}})
            }
        };
        format!("{value}\n")
    }

    /// Reads a line.
    ///
    /// # Errors
    /// If it is none of them, or says what cannot be.
    pub(super) fn parse(line: &str) -> Result<Self, Failure> {
        read(line).ok_or_else(|| {
            let start: String = line.trim_end().chars().take(60).collect();
            let more = if start.len() < line.trim_end().len() { " …" } else { "" };
            let shown = start.escape_debug();
            Failure::peer(format!("the answer `{shown}{more}` is not of the protocol"))
        })
    }
}

fn read(line: &str) -> Option<Answer> {
    let value: Value = serde_json::from_str(line).ok()?;
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let (kind, what) = object.iter().next()?;
    let seconds = |key: &str| what[key].as_f64().filter(|s| s.is_finite() && *s >= 0.0);
    let text = |key: &str| what[key].as_str().map(str::to_owned);
    let said = || what.as_str().map(str::to_owned);
    match kind.as_str() {
        "hello" => {
            // An adapter that forms digests in another way would differ from everything.
            what["check"].as_str().filter(|check| *check == Digest::check().text())?;
            Some(Answer::Hello(Hello {
                peer: text("peer")?,
                version: text("version")?,
                language: text("language")?,
                threads: what["threads"].as_u64()?,
                load_s: seconds("load_s")?,
                conditions: text("conditions")?,
            }))
        }
        "ran" => Some(Answer::Ran {
            runs: u32::try_from(what["runs"].as_u64()?).ok()?,
            seconds: seconds("seconds")?,
        }),
        "digest" => {
            let is_digit = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
            said().filter(|text| text.len() == 16 && text.chars().all(is_digit)).map(Answer::Digest)
        }
        "missing" => said().map(Answer::Missing),
        // Adapters of peers give a text alone.
        "failed" => match said() {
            Some(message) => Some(Answer::Failed(Failure::peer(message))),
            None => {
                Some(Answer::Failed(Failure { code: text("code")?, message: text("message")? }))
            }
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello {
            peer: "scipy".to_owned(),
            version: "1.17".to_owned(),
            language: "Python".to_owned(),
            threads: 1,
            load_s: 0.25,
            conditions: String::new(),
        }
    }

    #[test]
    fn answers_read_back() {
        let answers = [
            Answer::Hello(hello()),
            Answer::Ran { runs: 3, seconds: 1.5e-7 },
            Answer::Digest("0123456789abcdef".to_owned()),
            Answer::Missing("no module \"x\"".to_owned()),
            Answer::Failed(Failure::peer("a\nb")),
            Answer::Failed(Failure::differs("a and b")),
        ];
        for answer in answers {
            assert_eq!(Answer::parse(&answer.line()), Ok(answer));
        }
    }

    #[test]
    fn a_text_alone_is_a_failure_of_the_peer() {
        let answer = Answer::parse(r#"{"failed": "MemoryError: "}"#);
        assert_eq!(answer, Ok(Answer::Failed(Failure::peer("MemoryError: "))));
    }

    #[test]
    fn requests_read_back() {
        for request in [Request::Run(7), Request::Digest] {
            assert_eq!(Request::parse(&request.line()), Some(request));
        }
        for wrong in ["", "run", "run 0", "run -1", "run 1 2", "digest 1", "stop"] {
            assert_eq!(Request::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let wrong_check = Answer::Hello(hello()).line().replace("0a1d", "0a1e");
        let lines = [
            "",
            "Traceback (most recent call last):",
            "[]",
            "{}",
            r#"{"ran": {"runs": 1}}"#,
            r#"{"ran": {"runs": 1, "seconds": -1}}"#,
            r#"{"ran": {"runs": 1, "seconds": "1"}}"#,
            r#"{"digest": "12"}"#,
            r#"{"digest": "0123456789ABCDEF"}"#,
            r#"{"failed": "x", "missing": "y"}"#,
            &wrong_check,
        ];
        for line in lines {
            let failure = Answer::parse(line).unwrap_err();
            assert_eq!(failure.code, "peer");
            assert!(failure.message.ends_with("is not of the protocol"), "{}", failure.message);
        }
    }

    #[test]
    fn a_long_answer_is_shown_short() {
        let failure = Answer::parse(&"x\u{1}".repeat(10_000)).unwrap_err();
        assert!(failure.message.len() < 400, "{}", failure.message.len());
    }
}
