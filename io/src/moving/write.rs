//! Writes streams of moving objects, batch by batch.

use std::io::{self, Write};
use std::marker::PhantomData;

use super::Record;

/// How a stream is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingForm {
    /// `.csv`
    Text,
    /// `.moving`
    Binary,
}

impl MovingForm {
    /// What the extension of a file says.
    pub fn of_name(name: &str) -> Option<MovingForm> {
        match name.rsplit_once('.')?.1 {
            "csv" => Some(MovingForm::Text),
            "moving" => Some(MovingForm::Binary),
            _ => None,
        }
    }
}

/// A stream that is being written.
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

    /// Writes the records of a time, which is not before the last one. There may be several such calls for a time.
    ///
    /// # Errors
    /// Those of the output.
    pub fn batch(&mut self, time: i64, records: &[R]) -> io::Result<()> {
        // A batch of the binary form has at most 2³² − 1 records, and a block of either is not too large for memory.
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

    /// Ends the stream; how many bytes it has.
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
