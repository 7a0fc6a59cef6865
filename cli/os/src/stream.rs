//! A buffered stream with bounded delay: a full buffer is written immediately, a partial one soon,
//! even if the program then computes for an hour without writing.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum time that data stays in the buffer, unless the reader blocks.
const SOON: Duration = Duration::from_millis(100);

/// Size of a full buffer in bytes.
const FULL: usize = 1 << 16;

/// The stream.
pub struct Stream<W> {
    shared: Arc<Shared<W>>,
    /// Whether a thread flushes the buffer.
    watched: bool,
}

struct Shared<W> {
    waiting: Mutex<Waiting>,
    /// Signals that the buffer is not empty or that the stream has ended.
    changed: Condvar,
    /// Locked before `waiting`, to preserve the order of the output.
    out: Mutex<Out<W>>,
}

struct Out<W> {
    inner: W,
    /// Memory of the buffer that was written last.
    spare: Vec<u8>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// A write failure of the thread that is not yet reported.
    failure: Option<io::Error>,
    over: bool,
}

impl<W: Write + Send + 'static> Stream<W> {
    /// Creates a stream into `out`.
    pub fn new(out: W) -> Self {
        let waiting = Mutex::new(Waiting::default());
        let shared = Shared {
            waiting,
            changed: Condvar::new(),
            out: Mutex::new(Out { inner: out, spare: Vec::new() }),
        };
        Stream { shared: Arc::new(shared), watched: false }
    }

    /// Starts the thread. Without it, the buffer is written when it is full or flushed.
    fn watch(&mut self) {
        self.watched = true;
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name("output".to_owned());
        // On a system without threads, output still works.
        let _ = thread.spawn(move || shared.bring_out_in_time());
    }
}

impl<W: Write + Send + 'static> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.watched {
            self.watch();
        }
        let mut waiting = lock(&self.shared.waiting);
        if let Some(failure) = waiting.failure.take() {
            return Err(failure);
        }
        if waiting.bytes.is_empty() {
            self.shared.changed.notify_one();
        }
        waiting.bytes.extend_from_slice(bytes);
        let is_full = waiting.bytes.len() >= FULL;
        drop(waiting);
        if is_full {
            self.shared.bring_out()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let failure = lock(&self.shared.waiting).failure.take();
        failure.map_or_else(|| self.shared.bring_out(), Err)
    }
}

impl<W> Drop for Stream<W> {
    fn drop(&mut self) {
        lock(&self.shared.waiting).over = true;
        self.shared.changed.notify_one();
    }
}

impl<W: Write> Shared<W> {
    /// Writes the waiting data. More may arrive meanwhile.
    fn bring_out(&self) -> io::Result<()> {
        let mut out = lock(&self.out);
        let Out { inner, spare } = &mut *out;
        spare.clear();
        std::mem::swap(&mut lock(&self.waiting).bytes, spare);
        inner.write_all(spare)?;
        inner.flush()
    }

    /// Runs the thread until the stream is dropped.
    fn bring_out_in_time(&self) {
        loop {
            let mut waiting = lock(&self.waiting);
            while waiting.bytes.is_empty() && !waiting.over {
                let woken = self.changed.wait(waiting);
                waiting = woken.unwrap_or_else(PoisonError::into_inner);
            }
            if waiting.over {
                return;
            }
            drop(waiting);
            thread::sleep(SOON);
            if let Err(error) = self.bring_out() {
                lock(&self.waiting).failure = Some(error);
                return;
            }
        }
    }
}

/// Locks a mutex, ignoring poison: no code here leaves its data inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Sender};

    /// Sends the written data.
    struct Sent(Sender<Vec<u8>>);

    impl Write for Sent {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
            self.0.send(bytes.to_vec()).map_err(gone)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn output_appears_without_a_flush() {
        let (sender, receiver) = mpsc::channel();
        let mut stream = Stream::new(Sent(sender));
        for text in ["a", "b"] {
            stream.write_all(text.as_bytes()).unwrap();
            let came = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(came, text.as_bytes());
        }
    }

    #[test]
    fn output_appears_once_and_in_order() {
        let (sender, receiver) = mpsc::channel();
        let mut stream = Stream::new(Sent(sender));
        let line = |i: usize| format!("{i} {}\n", "x".repeat(i % 90));
        (0..20_000).for_each(|i| stream.write_all(line(i).as_bytes()).unwrap());
        stream.flush().unwrap();
        let came: Vec<Vec<u8>> = receiver.try_iter().collect();
        assert!(came.len() < 100, "{} writes", came.len());
        assert_eq!(came.concat(), (0..20_000).map(line).collect::<String>().into_bytes());
    }

    #[test]
    fn the_next_write_reports_a_failure_of_the_thread() {
        let (sender, receiver) = mpsc::channel();
        drop(receiver);
        let mut stream = Stream::new(Sent(sender));
        stream.write_all(b"a").unwrap();
        while lock(&stream.shared.waiting).failure.is_none() {
            thread::yield_now();
        }
        assert_eq!(stream.write_all(b"b").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
