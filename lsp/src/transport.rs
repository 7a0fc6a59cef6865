//! Messages over standard input and output. Headers and messages have a maximum length, so that no
//! input uses memory without bound.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::protocol::wire::{Connection, Message};

/// Maximum length of a line of a header in bytes.
const MAX_HEADER_BYTES: u64 = 4 << 10;

/// Maximum length of a message in bytes. The largest ones are the texts of documents.
const MAX_MESSAGE_BYTES: u64 = 128 << 20;

/// The threads of a connection.
pub(crate) struct Transport {
    writer: JoinHandle<io::Result<()>>,
    /// The reason why the reading thread ended, apart from the end of the input.
    fault: Arc<OnceLock<String>>,
}

/// Opens the connection over standard input and output.
///
/// # Errors
/// If the system starts no thread.
pub(crate) fn stdio() -> Result<(Connection, Transport), String> {
    let failed = |error: io::Error| format!("cannot start a thread: {error}");
    let (sender, outgoing): (Sender<Message>, Receiver<Message>) = bounded(0);
    let (incoming, receiver) = bounded(0);
    let writer = thread::Builder::new().spawn(move || {
        let mut output = io::stdout().lock();
        outgoing.into_iter().try_for_each(|message| message.write(&mut output))
    });
    let fault = Arc::new(OnceLock::new());
    let found = fault.clone();
    let reader = thread::Builder::new().spawn(move || {
        if let Err(why) = read_all(&mut io::stdin().lock(), &incoming) {
            // Only this thread sets it.
            let _ = found.set(why);
        }
        // The server ends when nothing is sent to it any more.
        drop(incoming);
    });
    reader.map_err(failed)?;
    Ok((Connection { sender, receiver }, Transport { writer: writer.map_err(failed)?, fault }))
}

impl Transport {
    /// Waits until everything is written. The end of the input is not awaited: a client that
    /// violated the protocol may keep it open.
    ///
    /// # Errors
    /// If a message was malformed or standard output cannot be written.
    pub(crate) fn end(self) -> Result<(), String> {
        let written = self.writer.join();
        if let Some(why) = self.fault.get() {
            return Err(why.clone());
        }
        let written = written.map_err(|_| "a thread of the connection ended unexpectedly")?;
        written.map_err(|error| error.to_string())
    }
}

/// Sends all messages up to the last one of a client.
fn read_all(input: &mut impl BufRead, incoming: &Sender<Message>) -> Result<(), String> {
    while let Some(message) = read(input)? {
        let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
        if incoming.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Reads a message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> Result<Option<Message>, String> {
    let mut n_bytes = None;
    loop {
        let mut line = Vec::new();
        let n = input.take(MAX_HEADER_BYTES).read_until(b'\n', &mut line);
        if n.map_err(|error| error.to_string())? == 0 {
            return Ok(None);
        }
        let line = line.strip_suffix(b"\r\n").and_then(|line| str::from_utf8(line).ok());
        let line = line.ok_or("a line of a header is too long, or does not end with CR and LF")?;
        if line.is_empty() {
            break;
        }
        let field = line.split_once(": ");
        let (name, value) = field.ok_or_else(|| format!("malformed header: {line:?}"))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            let number = value.parse::<u64>().ok().filter(|number| *number <= MAX_MESSAGE_BYTES);
            let most = MAX_MESSAGE_BYTES;
            n_bytes = Some(number.ok_or_else(|| {
                format!("invalid Content-Length {value:?}: expected at most {most} bytes")
            })?);
        }
    }
    let n_bytes = n_bytes.ok_or("a header without Content-Length")?;
    let mut text = Vec::new();
    let n_read = input.take(n_bytes).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if n_read as u64 != n_bytes {
        return Err(format!("the input ends after {n_read} of {n_bytes} bytes of a message"));
    }
    let message = serde_json::from_slice(&text);
    message.map(Some).map_err(|error| format!("malformed message: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn reads_one_message_after_another() {
        let text = message(r#"{"jsonrpc":"2.0","method":"a","params":null}"#).repeat(2);
        let mut input = text.as_bytes();
        for _ in 0..2 {
            assert!(matches!(read(&mut input), Ok(Some(Message::Notification(_)))));
        }
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn bounds_headers_and_messages() {
        let long = "x".repeat(MAX_HEADER_BYTES as usize + 1);
        for (text, why) in [
            ("Content-Length: 99999999999\r\n\r\n", "invalid Content-Length"),
            ("Content-Length: 18446744073709551616\r\n\r\n", "invalid Content-Length"),
            ("Content-Length: -1\r\n\r\n", "invalid Content-Length"),
            ("Content-Length: 10\r\n\r\n{}", "the input ends after 2 of 10 bytes"),
            ("Accept: x\r\n\r\n", "without Content-Length"),
            ("Content-Length: 2\n\n{}", "CR and LF"),
            (&long, "too long"),
            (&message("{}"), "malformed message"),
        ] {
            let error = read(&mut text.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{text:.40}: {error}");
        }
    }
}
