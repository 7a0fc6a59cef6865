//! Writer of streams of moving objects, batch by batch.

use std::io::{self, Write};
use std::marker::PhantomData;

use super::Record;

/// The form in which a stream is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingForm {
    /// `.csv`
    Text,
    /// `.moving`
    Binary,
}

impl MovingForm {
    /// Returns the form for the extension of a file name.
    pub fn of_name(name: &str) -> Option<MovingForm> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "csv" => Some(MovingForm::Text),
            "moving" => Some(MovingForm::Binary),
            _ => None,
        }
    }
}

/// A stream during writing.
pub struct MovingWriter<W, R> {
    out: W,
    form: MovingForm,
    n_bytes: u64,
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<W: Write, R: Record> MovingWriter<W, R> {
    /// Begins a stream.
    ///
    /// # Errors
    /// Those of the output.
    pub fn new(out: W, form: MovingForm) -> io::Result<Self> {
        let bytes = match form {
            MovingForm::Text => format!("{}\n", R::HEADER).into_bytes(),
            MovingForm::Binary => R::MAGIC.to_vec(),
        };
        let mut writer = MovingWriter { out, form, n_bytes: 0, bytes, record: PhantomData };
        writer.bring_out()?;
        Ok(writer)
    }

    /// Writes the records of a time, which must not decrease. There may be several calls for one
    /// time.
    ///
    /// # Errors
    /// Those of the output.
    pub fn batch(&mut self, time: i64, records: &[R]) -> io::Result<()> {
        // A binary batch has at most 2³² − 1 records, and blocks limit the memory.
        for records in records.chunks(1 << 16) {
            match self.form {
                MovingForm::Text => {
                    records.iter().try_for_each(|record| record.print(time, &mut self.bytes))?;
                }
                MovingForm::Binary => {
                    self.bytes.extend_from_slice(&time.to_le_bytes());
                    self.bytes.extend_from_slice(&(records.len() as u32).to_le_bytes());
                    records.iter().for_each(|record| record.encode(&mut self.bytes));
                }
            }
            self.bring_out()?;
        }
        Ok(())
    }

    /// Ends the stream and returns its length in bytes.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<u64> {
        self.out.flush()?;
        Ok(self.n_bytes)
    }

    fn bring_out(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.n_bytes += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}
