//! `star bench --peer`: other programs that read the inputs of a case and print a time.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use star::pipeline::Argument;
use star_base::{Code, Diagnostic, SourceMap};
use star_bind::encoding;
use star_harness::Case;
use star_io::FileError;
use star_os::flags::Flags;
use star_os::output::Output;
use star_report::measure::{Budget, Median, Sampler};
use star_report::record::{Row, RowError, Source, Time};
use tempfile::TempDir;

use super::contender::{Failed, error_of};
use crate::headers::test_file::Routine;
use crate::output_target::Outlet;
use crate::text;

/// Maximum number of bytes read of what a peer prints.
const MAX_PRINTED: u64 = 1 << 20;

/// Interval between two checks whether a peer has ended.
const POLL: Duration = Duration::from_micros(200);

/// Units of printed times, in seconds.
const UNITS: [(&str, f64); 18] = [
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("millisecond", 1e-3),
    ("milliseconds", 1e-3),
    // The micro sign and the Greek letter.
    ("\u{b5}s", 1e-6),
    ("\u{3bc}s", 1e-6),
    ("us", 1e-6),
    ("microseconds", 1e-6),
    ("ns", 1e-9),
    ("nanoseconds", 1e-9),
    // `min` may be a minimum.
    ("minute", 60.0),
    ("minutes", 60.0),
    ("hours", 3600.0),
];

/// A command of `--peer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PeerCommand {
    /// Its name in rows.
    name: String,
    /// The text of the command.
    text: String,
    words: Vec<Vec<Piece>>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// `{NAME}`: a value as text. `{NAME.EXTENSION}`: a file with the value.
    Value {
        name: String,
        extension: Option<String>,
    },
}

/// Parses `NAME: COMMAND` or `COMMAND`.
pub(super) fn parse(text: &str) -> Result<PeerCommand, String> {
    let words = words(text)?;
    let Some(first) = words.first() else { return Err("expected a command".to_owned()) };
    // A name may have blanks, but no braces: those belong to a command.
    let end = words.iter().take_while(|word| !word.contains(['{', '}']));
    let (name, words) = match end.map(|word| word.strip_suffix(':')).position(|it| it.is_some()) {
        Some(end) if words[..=end].concat() != ":" => {
            let name = words[..=end].join(" ");
            (name.trim_end_matches(':').to_owned(), &words[end + 1..])
        }
        Some(_) | None => {
            let file = first.rsplit(['/', '\\']).next().unwrap_or(first);
            (file.to_owned(), &words[..])
        }
    };
    if words.is_empty() {
        return Err(format!("expected a command after `{name}:`"));
    }
    let words = words.iter().map(|word| pieces(word)).collect::<Result<_, _>>()?;
    Ok(PeerCommand { name, text: text.to_owned(), words })
}

/// Splits a command at blanks outside quotation marks.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (c, quote) {
            (_, Some(end)) if c == end => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            (_, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => Err(format!("a {quote} without the closing one")),
        None => Ok(words),
    }
}

fn pieces(word: &str) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), word);
    while let Some(at) = rest.find(['{', '}']) {
        plain += &rest[..at];
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            plain += brace;
            rest = after;
            continue;
        }
        let (name, after) = match rest.split_once('}') {
            Some(parts) if brace == "{" => parts,
            Some(_) | None => return Err(format!("a `{brace}` without the other brace")),
        };
        rest = after;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        let (name, extension) = match name.split_once('.') {
            Some((name, extension)) => (name, Some(extension.to_owned())),
            None => (name, None),
        };
        if name.is_empty() {
            return Err("expected a parameter between `{` and `}`".to_owned());
        }
        pieces.push(Piece::Value { name: name.to_owned(), extension });
    }
    plain += rest;
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// The values of a case.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    /// The routine.
    pub(super) routine: &'a Routine,
    /// The names of the header.
    pub(super) case: &'a Case,
    /// The values of the parameters.
    pub(super) arguments: &'a [Argument],
}

/// A command with the inputs of a case.
pub(super) struct Peer {
    name: String,
    conditions: String,
    words: Vec<String>,
    sampler: Sampler,
    /// Contains the files of the inputs and of what it prints.
    folder: TempDir,
    error: Option<RowError>,
}

impl PeerCommand {
    /// Returns a row like one of its measurements.
    pub(super) fn expected(&self, row: &Row) -> Row {
        let name = Some(self.name.clone());
        Row { source: Source::Peer, name, routine: None, ..row.clone() }
    }

    /// Writes the inputs of a case to files, and runs the command once without measuring it.
    ///
    /// # Errors
    /// If the user interrupts it. Other failures are those of its row.
    pub(super) fn start(
        &self,
        values: Values<'_>,
        budget: Budget,
        (flags, max_time): (&Flags, Option<Duration>),
    ) -> Result<Peer, Failed> {
        let folder = TempDir::with_prefix("star-peer-").map_err(|error| {
            let message = format!("no folder for the inputs: {}", text::reason(&error));
            Failed::Error(peer_error(message))
        })?;
        let mut peer = Peer {
            name: self.name.clone(),
            conditions: self.text.clone(),
            words: Vec::new(),
            sampler: Sampler::new(budget),
            folder,
            error: None,
        };
        let mut ready = || {
            for word in &self.words {
                let pieces = word.iter().map(|piece| peer.text_of(piece, values, flags));
                let word: Vec<String> = pieces.collect::<Result<_, _>>()?;
                peer.words.push(word.concat());
            }
            Ok(())
        };
        match ready().and_then(|()| peer.run(flags, max_time)) {
            Err(Failed::Interrupted) => return Err(Failed::Interrupted),
            Err(Failed::Error(error)) => peer.error = Some(error),
            Ok(_) => {}
        }
        Ok(peer)
    }
}

impl Peer {
    /// Returns the text of a piece of a word; writes the file that it names.
    fn text_of(&self, piece: &Piece, values: Values<'_>, flags: &Flags) -> Result<String, Failed> {
        let (name, extension) = match piece {
            Piece::Text(text) => return Ok(text.clone()),
            Piece::Value { name, extension } => (name, extension.as_deref()),
        };
        let params = values.routine.entry.params.iter().zip(values.arguments);
        let data: Vec<_> = params.filter(|(_, it)| it.value.bits().is_some()).collect();
        let found = match name.as_str() {
            "input" if data.len() == 1 => data.first(),
            _ => data.iter().find(|(param, _)| param.name == *name),
        };
        let Some((param, argument)) = found else {
            let given = values.case.given.iter().find(|given| given.name == *name);
            let given = given.filter(|_| extension.is_none());
            return given.map(|given| given.text.clone()).ok_or_else(|| {
                if name == "input" && data.len() > 1 {
                    let names = text::quoted_list(data.iter().map(|(param, _)| &param.name));
                    let why = format!("`{{input}}` is ambiguous: the inputs are {names}");
                    return Failed::Error(peer_error(why));
                }
                let names = data.iter().map(|(param, _)| param.name.as_str());
                let names = names.chain(values.case.given.iter().map(|it| it.name.as_str()));
                let mut names: Vec<&str> = names.collect();
                names.sort_unstable();
                names.dedup();
                let names = text::quoted_list(names);
                let why = format!("`{{{name}}}` names no value of the case, which has {names}");
                Failed::Error(peer_error(why))
            });
        };
        let failed = |error: FileError| match flags.stop() {
            Some(_) => Failed::Interrupted,
            None => Failed::Error(error_of(&error.to_diagnostic(), &SourceMap::new())),
        };
        let path =
            self.folder.path().join(format!("{}.{}", param.name, extension.unwrap_or("mtx")));
        let path = path.display().to_string();
        let kind = param.kind.known();
        let holds = |format| kind.map_or(Ok(()), |kind| encoding::holds(kind, format));
        let outlet = Outlet::new(&path, &holds).map_err(failed)?;
        let data = encoding::writable(&argument.value, &path).map_err(failed)?;
        let (written, _) = outlet.write(data, flags, &mut Output::kept()).map_err(failed)?;
        written.map_or(Ok(()), |file| file.commit()).map_err(failed)?;
        Ok(path)
    }

    /// Tests whether there are enough samples.
    pub(super) fn is_done(&self) -> bool {
        self.error.is_some() || self.sampler.stop().is_some()
    }

    /// Takes a sample; a failure ends its measurement.
    ///
    /// # Errors
    /// If the user interrupts it.
    pub(super) fn sample(
        &mut self,
        flags: &Flags,
        max_time: Option<Duration>,
    ) -> Result<(), Failed> {
        let begun = Instant::now();
        match self.run(flags, max_time) {
            Ok(seconds) => self.sampler.add(seconds, begun.elapsed()),
            Err(Failed::Interrupted) => return Err(Failed::Interrupted),
            Err(Failed::Error(error)) => self.error = Some(error),
        }
        Ok(())
    }

    /// Returns its row.
    pub(super) fn row(&self, blank: &Row) -> Row {
        let samples = self.sampler.samples();
        let time = Median::of(samples).filter(|_| self.error.is_none());
        let none = || peer_error("interrupted before the first sample".to_owned());
        Row {
            source: Source::Peer,
            name: Some(self.name.clone()),
            routine: None,
            variant: None,
            input_s: None,
            conditions: Some(self.conditions.clone()),
            time: time.map(|median| Time::of(median, 1, self.sampler.is_narrow(), samples)),
            error: self.error.clone().or_else(|| time.is_none().then(none)),
            ..blank.clone()
        }
    }

    /// Runs the command and returns the time that it prints, in seconds.
    fn run(&self, flags: &Flags, max_time: Option<Duration>) -> Result<f64, Failed> {
        let io = |error: std::io::Error| {
            let program = text::one_line(self.words.first().map_or("", String::as_str));
            let why = format!("cannot run `{program}`: {}", text::reason(&error));
            Failed::Error(peer_error(why))
        };
        let file = |name: &str| {
            let path = self.folder.path().join(name);
            File::options().create(true).truncate(true).read(true).write(true).open(path)
        };
        let (mut printed, mut messages) =
            (file("printed").map_err(io)?, file("messages").map_err(io)?);
        let [program, arguments @ ..] = &self.words[..] else {
            return Err(Failed::Error(peer_error("no command".to_owned())));
        };
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(printed.try_clone().map_err(io)?)
            .stderr(messages.try_clone().map_err(io)?)
            .spawn()
            .map_err(io)?;
        let status = self.wait(child, flags, max_time)?;
        let read = |file: &mut File| -> Result<String, Failed> {
            let mut bytes = Vec::new();
            file.rewind().map_err(io)?;
            file.take(MAX_PRINTED).read_to_end(&mut bytes).map_err(io)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        if !status.success() {
            let messages = read(&mut messages)?;
            let first = messages.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let colon = if first.is_empty() { "" } else { ": " };
            let first = text::one_line(first);
            let why = format!("{} ended with {status}{colon}{first}", self.shown());
            return Err(Failed::Error(peer_error(why)));
        }
        let printed = read(&mut printed)?;
        seconds(&printed)
            .map_err(|why| Failed::Error(peer_error(format!("{} printed {why}", self.shown()))))
    }

    /// Waits for the end of the command, which a flag or the time limit ends.
    fn wait(
        &self,
        mut child: Child,
        flags: &Flags,
        max_time: Option<Duration>,
    ) -> Result<ExitStatus, Failed> {
        let begun = Instant::now();
        loop {
            let ended = match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if flags.stop().is_some() => Failed::Interrupted,
                Ok(None) if max_time.is_some_and(|most| begun.elapsed() >= most) => {
                    let message = format!("{} took longer than `--max-time`", self.shown());
                    Failed::Error(RowError { code: Code::TimeLimit.as_str().to_owned(), message })
                }
                Ok(None) => {
                    thread::sleep(POLL);
                    continue;
                }
                Err(error) => {
                    let why = format!("cannot wait for {}: {}", self.shown(), text::reason(&error));
                    Failed::Error(peer_error(why))
                }
            };
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(ended);
        }
    }

    fn shown(&self) -> String {
        format!("`{}`", text::one_line(&self.name))
    }
}

fn peer_error(message: String) -> RowError {
    RowError { code: Code::PeerFails.as_str().to_owned(), message }
}

/// Returns the time in the output of a program: the last number with a unit, or else the last one
/// with a decimal point or a negative exponent, in seconds. Others may be results or sizes.
///
/// # Errors
/// What is printed instead.
fn seconds(printed: &str) -> Result<f64, String> {
    let tokens = printed.split(|c: char| c.is_whitespace() || "=:;()[]".contains(c));
    // A comma between digits may belong to a number; a point at the end is that of a sentence.
    let tokens = tokens.flat_map(|token| match has_decimal_comma(token) {
        true => vec![token],
        false => token.split(',').collect(),
    });
    let tokens = tokens.map(|token| token.trim_end_matches('.')).filter(|token| !token.is_empty());
    let tokens: Vec<&str> = tokens.collect();
    let (mut with_unit, mut plain, mut whole) = (None, None, None);
    let number = |text: &str| match text.parse::<f64>() {
        Ok(number) => Some(number).filter(|it| it.is_finite()),
        // Refused below, unless another number is the time.
        Err(_) => has_decimal_comma(text).then_some(f64::NAN),
    };
    for (idx, token) in tokens.iter().enumerate() {
        let of_unit = |(unit, seconds): &(&str, f64)| {
            let value = match token.strip_suffix(unit).and_then(number) {
                None if tokens.get(idx + 1) == Some(unit) => number(token),
                value => value,
            };
            Some((value? * seconds, *token))
        };
        with_unit = UNITS.iter().find_map(of_unit).or(with_unit);
        match number(token).map(|number| (number, *token)) {
            Some(found) if is_fraction(token) => plain = Some(found),
            Some((_, found)) => whole = Some(found),
            None => {}
        }
    }
    let no_time = || match whole {
        Some(whole) => {
            let whole = text::one_line(whole);
            format!("`{whole}` without a unit; write a time as `0.5` or `500 ms`")
        }
        None => "no time".to_owned(),
    };
    let (seconds, token) = with_unit.or(plain).ok_or_else(no_time)?;
    let token = text::one_line(token);
    match seconds {
        _ if seconds.is_nan() => Err(format!("`{token}`; a time has a decimal point, as in `0.5`")),
        _ if star_report::record::is_time(seconds) => Ok(seconds),
        _ => Err(format!("`{token}`, which is not a positive time; print more digits")),
    }
}

/// Tests whether a number is written with a point, a comma, or a negative exponent.
fn is_fraction(number: &str) -> bool {
    number.contains(['.', ',']) || number.contains("e-") || number.contains("E-")
}

/// Tests whether a word begins with two numbers and a comma between them: `0,5` or `0,5s`.
fn has_decimal_comma(word: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    match number.split_once(',') {
        Some((whole, rest)) => is_digits(whole) && is_digits(&rest.replace(['.', ','], "")),
        None => false,
    }
}

/// Checks that the peers have different names.
pub(super) fn check_names(peers: &[PeerCommand]) -> Result<(), Diagnostic> {
    for (idx, peer) in peers.iter().enumerate() {
        if peers[..idx].iter().any(|other| other.name == peer.name) {
            let name = text::one_line(&peer.name);
            let message = format!("two `--peer` commands are called `{name}`");
            return Err(Diagnostic::new(Code::Usage, message)
                .help("write a name before a command, as in `--peer 'NAME: COMMAND'`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_names_words_and_values() {
        let peer = parse("fast: ./bin/peer --in '{P.gr}' -n{n} {{}}").unwrap();
        assert_eq!((peer.name.as_str(), peer.words.len()), ("fast", 5));
        let value = |name: &str, extension: Option<&str>| Piece::Value {
            name: name.to_owned(),
            extension: extension.map(str::to_owned),
        };
        assert_eq!(peer.words[2], [value("P", Some("gr"))]);
        assert_eq!(peer.words[3], [Piece::Text("-n".to_owned()), value("n", None)]);
        assert_eq!(peer.words[4], [Piece::Text("{}".to_owned())]);
        assert_eq!(parse("/usr/bin/peer {n}").unwrap().name, "peer");
        for text in ["ours in C: ./closure {input} {n}", "'ours in C': ./closure {input} {n}"] {
            let peer = parse(text).unwrap();
            assert_eq!((peer.name.as_str(), peer.words.len()), ("ours in C", 3), "{text}");
        }
        assert_eq!(parse("./peer {n} as: x").unwrap().name, "peer");
        for wrong in ["", "  ", "a:", "a 'b", "a {n", "a n}", "a {}", "a {.gr}"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let twice = [parse("a {n}").unwrap(), parse("b/a {m}").unwrap()];
        assert!(check_names(&twice).is_err() && check_names(&twice[..1]).is_ok());
    }

    #[test]
    fn times_have_units_or_are_seconds() {
        let known = [
            ("0.25", 0.25),
            ("time: 12.5 ms (10 runs)", 0.0125),
            ("n=500\n3.0\n", 3.0),
            ("0.25\nresult 77", 0.25),
            ("took=1e-3s", 1e-3),
            ("250us", 250e-6),
            ("2 minutes", 120.0),
            ("12.5 msec", 0.0125),
            ("3 \u{3bc}s", 3e-6),
            ("mean=0.5 max=0.9 min=0.25", 0.25),
            ("0.25\n1e2 nodes", 0.25),
            ("1 s\nwarm 2 s\nresult 77", 2.0),
            ("It took 0.5s.", 0.5),
            ("n=1,time=0.25 s, 3 runs", 0.25),
            ("sizes 3,4\n0.5", 0.5),
        ];
        for (text, expected) in known {
            let found = seconds(text).unwrap();
            assert!((found - expected).abs() < 1e-12, "{text}: {found}");
        }
        for (text, expected) in [
            ("done", "no time"),
            ("x5 y", "no time"),
            ("n=500\n77\n", "`77` without a unit; write a time as `0.5` or `500 ms`"),
            ("0,5 s", "`0,5`; a time has a decimal point, as in `0.5`"),
            ("12,5ms", "`12,5ms`; a time has a decimal point, as in `0.5`"),
            ("1,234.5 ms", "`1,234.5`; a time has a decimal point, as in `0.5`"),
            ("0.0", "`0.0`, which is not a positive time; print more digits"),
            ("-1 s", "`-1`, which is not a positive time; print more digits"),
        ] {
            assert_eq!(seconds(text), Err(expected.to_owned()), "{text}");
        }
    }
}
