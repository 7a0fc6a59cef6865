//! Star table files that several processes write together, each its rows.
//!
//! The first process creates a temporary file next to the destination, and the others open it by
//! its name. Where one of them does not see that file, because it is on another host without a
//! shared file system, nothing is written, and the caller gathers the table. The file moves to its
//! destination after all processes have written and stored their rows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::process;
use std::time::SystemTime;

use star_base::{Code, text};
use star_bind::Peers;
use star_io::{FileError, RowsWriter};
use star_value::BitTable;

use crate::destination::Destination;
use crate::flags::Flags;
use crate::temporary::Temporary;

/// A table whose rows are distributed over several processes.
pub struct DistributedTable<'a> {
    /// The processes.
    pub peers: &'a dyn Peers,
    /// The numbers of rows and columns.
    pub shape: (usize, usize),
    /// The rows of this process, as [`RowsWriter::new`] needs them.
    pub rows: Range<usize>,
    /// Ranges of columns, in order, that cover the table.
    pub parts: Vec<Range<usize>>,
    /// Returns these rows of a range of columns; all processes call it for the same ranges.
    pub columns: &'a mut dyn FnMut(Range<usize>) -> Result<BitTable, FileError>,
}

/// The file of a table that all processes have written.
#[derive(Debug)]
pub struct SharedFile {
    /// The file, in the first process.
    pub(crate) temporary: Option<Temporary>,
    /// The bytes that this process wrote.
    pub n_bytes: u64,
}

/// Writes a table, called `name` in messages, to a temporary file in the folder of `place`, which
/// only the first process uses. Returns `None` in all processes if they share no such file.
///
/// # Errors
/// In all processes if one of them fails, the system refuses, or a flag is set.
pub fn write(
    place: &Destination,
    name: &str,
    table: DistributedTable<'_>,
    flags: &Flags,
) -> Result<Option<SharedFile>, FileError> {
    write_by(place, name, table, flags, &|path| {
        OpenOptions::new().read(true).write(true).open(path)
    })
}

fn write_by(
    place: &Destination,
    name: &str,
    DistributedTable { peers, shape, rows, parts, columns }: DistributedTable<'_>,
    flags: &Flags,
    open: &dyn Fn(&Path) -> io::Result<File>,
) -> Result<Option<SharedFile>, FileError> {
    let is_first = peers.rank() == 0;
    let lost =
        |why: String| FileError::new(Code::CannotWrite, name, format!("cannot write: {why}"));
    let mark = if is_first { mark() } else { Vec::new() };
    let mut temporary = if is_first { marked(place, &mark) } else { None };
    let path = temporary.as_ref().and_then(|file| file.path()?.to_str().map(str::to_owned));
    let given = path.map_or(Vec::new(), |path| [&mark[..], path.as_bytes()].concat());
    let gathered = peers.gather(&given).map_err(lost)?;
    let said = gathered.first().map_or(&[][..], |said| said);
    let file = match said.split_at_checked(MARK_BYTES) {
        Some((mark, path)) => opened(mark, path, open),
        None => None,
    };
    let sees = peers.gather(&[u8::from(file.is_some())]).map_err(lost)?;
    let file = file.filter(|_| sees.iter().all(|sees| sees[..] == [1]));
    let Some(file) = file else { return Ok(None) };
    let written = write_rows((&file, name), (shape, rows, is_first), parts, columns, flags);
    drop(file);
    let given = match &written {
        Ok((share, _)) => [&[0][..], &share.to_le_bytes()].concat(),
        Err(error) => [&[1][..], error.message.as_bytes()].concat(),
    };
    let gathered = peers.gather(&given).map_err(lost)?;
    let (_, n_bytes) = written?;
    let mut checksum = 0;
    for (other, given) in gathered.iter().enumerate() {
        match given.split_first() {
            Some((0, share)) => {
                let share = share.first_chunk().map_or(0, |share| u32::from_le_bytes(*share));
                checksum ^= share;
            }
            _ => {
                let why = String::from_utf8_lossy(given.get(1..).unwrap_or_default());
                let message = format!("rank {other}: {why}");
                return Err(FileError::new(Code::CannotWrite, name, message));
            }
        }
    }
    let put = temporary.as_mut().map_or(Ok(()), |temporary| {
        let offset = RowsWriter::offset_of_checksum(shape);
        write_at(temporary.as_file_mut(), &checksum.to_le_bytes(), offset)
    });
    let complete = peers.gather(&[u8::from(put.is_ok())]).map_err(lost)?;
    put.map_err(|error| place.cannot(&error))?;
    match complete.iter().all(|complete| complete[..] == [1]) {
        true => Ok(Some(SharedFile { temporary, n_bytes })),
        false => Err(lost("rank 0 cannot complete the file".to_owned())),
    }
}

/// Writes the rows of this process, until a flag is set; returns their share in the checksum, and
/// the number of bytes. Calls `columns` for all parts, also after an error.
fn write_rows(
    (file, name): (&File, &str),
    (shape, rows, is_first): ((usize, usize), Range<usize>, bool),
    parts: Vec<Range<usize>>,
    columns: &mut dyn FnMut(Range<usize>) -> Result<BitTable, FileError>,
    flags: &Flags,
) -> Result<(u32, u64), FileError> {
    let cannot = |error: io::Error| {
        let message = format!("cannot write: {}", text::reason(&error));
        FileError::new(Code::CannotWrite, name, message)
    };
    let mut writer = RowsWriter::new(shape, rows, is_first);
    let (mut n_bytes, mut bytes) = (0, Vec::new());
    let mut done = Ok(());
    if is_first {
        let header = RowsWriter::header(shape);
        n_bytes += header.len() as u64;
        done = write_at(file, &header, 0).map_err(cannot);
    }
    for part in parts {
        let part = match columns(part) {
            Ok(part) => part,
            Err(error) => {
                done = done.and(Err(error));
                continue;
            }
        };
        if done.is_ok()
            && let Some(code) = flags.stop()
        {
            done = Err(FileError::new(code, name, stopped(code)));
        }
        for col_idx in 0..part.n_cols() {
            let offset = writer.column(part.column_limbs(col_idx), &mut bytes);
            if done.is_ok() {
                done = write_at(file, &bytes, offset).map_err(cannot);
                n_bytes += bytes.len() as u64;
            }
        }
    }
    done?;
    // A network file system reports a full disk at the latest here.
    file.sync_data().map_err(cannot)?;
    Ok((writer.share(), n_bytes))
}

fn stopped(code: Code) -> &'static str {
    match code {
        Code::TimeLimit => "time limit reached while writing",
        _ => "interrupted while writing",
    }
}

/// Number of bytes of a mark.
const MARK_BYTES: usize = 16;

/// Returns bytes that no other file begins with.
fn mark() -> Vec<u8> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos() as u64);
    [nanoseconds.to_le_bytes(), u64::from(process::id()).to_le_bytes()].concat()
}

/// Creates a temporary file with a mark; `None` if the destination is not regular, or the system
/// refuses: the writer of a whole file has the message.
fn marked(place: &Destination, mark: &[u8]) -> Option<Temporary> {
    let mut temporary = place.is_regular().then(|| place.named_temporary().ok())??;
    let file = temporary.as_file_mut();
    write_at(file, mark, 0).and_then(|()| file.sync_data()).ok().map(|()| temporary)
}

/// Opens the file if it has this mark.
fn opened(mark: &[u8], path: &[u8], open: &dyn Fn(&Path) -> io::Result<File>) -> Option<File> {
    let path = Path::new(std::str::from_utf8(path).ok()?);
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    let mut file = is_file.then(|| open(path).ok())??;
    let mut found = [0; MARK_BYTES];
    file.read_exact(&mut found).ok()?;
    (found == mark).then_some(file)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, Mutex};
    use std::thread;

    use star_io::{Format, OutputRef};
    use star_value::BitsRef;

    use super::*;

    /// A process that is a thread.
    #[derive(Debug)]
    struct Thread<'a> {
        rank: usize,
        given: &'a Mutex<Vec<Vec<u8>>>,
        barrier: &'a Barrier,
    }

    impl Peers for Thread<'_> {
        fn rank(&self) -> usize {
            self.rank
        }

        fn n_ranks(&self) -> usize {
            self.given.lock().unwrap().len()
        }

        fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
            self.given.lock().unwrap()[self.rank] = bytes.to_vec();
            self.barrier.wait();
            let all = self.given.lock().unwrap().clone();
            self.barrier.wait();
            Ok(all)
        }

        fn trade(&self, _: &[Vec<u64>]) -> Result<Vec<u64>, String> {
            Err("writers of files do not trade".to_owned())
        }
    }

    fn table(n_rows: usize, n_cols: usize) -> BitTable {
        let mut table = BitTable::zeros(n_rows, n_cols).unwrap();
        let ones = (0..n_rows * n_cols).filter(|at| at % 7 < 3);
        ones.for_each(|at| table.put(at % n_rows, at / n_rows, true));
        table
    }

    /// What goes wrong.
    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        Nothing,
        /// This rank does not see the file.
        Blind(usize),
        /// This rank has no columns.
        Fails(usize),
    }

    /// Writes a table on several threads, and returns the results by rank.
    fn written(
        table: &BitTable,
        n_ranks: usize,
        path: &Path,
        fault: Fault,
    ) -> Vec<Result<Option<u64>, String>> {
        let given = Mutex::new(vec![Vec::new(); n_ranks]);
        let place = Destination::new(path, "x.stb").unwrap();
        let barrier = Barrier::new(n_ranks);
        let run = |rank: usize| {
            let peers = Thread { rank, given: &given, barrier: &barrier };
            let n_rows = table.n_rows();
            let start = |rank: usize| match rank < n_ranks {
                true => n_rows * rank / n_ranks / 64 * 64,
                false => n_rows,
            };
            let rows = start(rank)..start(rank + 1);
            let mut columns = |columns: Range<usize>| {
                if fault == Fault::Fails(rank) && columns.start > 0 {
                    return Err(FileError::new(Code::DoesNotFit, "x.stb", "no memory"));
                }
                let mut part = BitTable::zeros(rows.len(), columns.len()).unwrap();
                for (idx, column) in columns.enumerate() {
                    let here = rows.clone().enumerate();
                    here.for_each(|(at, row)| part.put(at, idx, table.get(row, column)));
                }
                Ok(part)
            };
            let n_cols = table.n_cols();
            let parts = (0..n_cols).step_by(2).map(|at| at..n_cols.min(at + 2)).collect();
            let shape = (n_rows, n_cols);
            let whole = DistributedTable {
                peers: &peers,
                shape,
                rows: rows.clone(),
                parts,
                columns: &mut columns,
            };
            let file = write_by(&place, "x.stb", whole, &Flags::default(), &|path| match fault
                == Fault::Blind(rank)
            {
                true => Err(io::ErrorKind::NotFound.into()),
                false => OpenOptions::new().read(true).write(true).open(path),
            });
            let file = file.map_err(|error| error.message)?;
            Ok(file.map(|SharedFile { temporary, n_bytes }| {
                temporary.into_iter().for_each(|file| place.put(file).unwrap());
                n_bytes
            }))
        };
        thread::scope(|scope| {
            let run = &run;
            let running: Vec<_> = (0..n_ranks).map(|rank| scope.spawn(move || run(rank))).collect();
            running.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn files_are_those_of_one_process() {
        let folder = tempfile::tempdir().unwrap();
        for n_ranks in [1, 2, 3, 7] {
            for (n_rows, n_cols) in [(1, 1), (64, 3), (200, 5), (1000, 4), (449, 1)] {
                let name = format!("{n_ranks}-{n_rows}-{n_cols}.stb");
                let (table, path) = (table(n_rows, n_cols), folder.path().join(name));
                let mut expected = Vec::new();
                let bits = OutputRef::Bits(BitsRef::from(&table));
                star_io::write(Format::Stb, bits, &mut expected).unwrap();
                let results = written(&table, n_ranks, &path, Fault::Nothing);
                assert!(fs::read(&path).unwrap() == expected, "{n_rows} × {n_cols}, {n_ranks}");
                let n_bytes = results.into_iter().map(|n| n.unwrap().unwrap());
                // Each process writes its rows only, and the first one the checksum.
                assert_eq!(n_bytes.sum::<u64>() + 4, expected.len() as u64);
                fs::remove_file(&path).unwrap();
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            }
        }
    }

    #[test]
    fn a_file_that_one_process_does_not_see_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        for rank in [0, 2] {
            let path = folder.path().join(format!("{rank}.stb"));
            let results = written(&table(300, 4), 3, &path, Fault::Blind(rank));
            assert_eq!(results, [Ok(None), Ok(None), Ok(None)]);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_failure_of_one_process_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.stb");
        fs::write(&path, "old").unwrap();
        let results = written(&table(300, 5), 3, &path, Fault::Fails(1));
        let others = Err("rank 1: no memory".to_owned());
        assert_eq!(results, [others.clone(), Err("no memory".to_owned()), others]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
