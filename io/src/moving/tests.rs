//! Round trips of streams, and places of faults.

use star_base::Code;

use super::{MovingForm, MovingReader, MovingWriter, NumberLimit, Position, Record, Window};
use crate::error::FileError;
use crate::options::ReadOptions;

type Batches<R> = Vec<(i64, Vec<R>)>;

/// All batches before the first fault, and the fault.
fn read<R: Record>(bytes: &[u8], greatest: u32) -> (Batches<R>, Option<FileError>) {
    let mut options = ReadOptions::new("m", 1 << 30);
    let mut input = bytes;
    let mut batches = Vec::new();
    let mut reader =
        match MovingReader::open(&mut input, &mut options, NumberLimit::Declared(greatest)) {
            Ok(reader) => reader,
            Err(error) => return (batches, Some(error)),
        };
    loop {
        match reader.time() {
            Ok(None) => return (batches, None),
            Ok(Some(time)) => batches.push((time, Vec::new())),
            Err(error) => return (batches, Some(error)),
        }
        let batch = &mut batches.last_mut().unwrap().1;
        let mut take = |record| {
            batch.push(record);
            Ok(())
        };
        if let Err(error) = reader.batch(&mut take) {
            let n_read: usize = batches.iter().map(|(_, records)| records.len()).sum();
            assert_eq!(reader.n_read(), n_read as u64);
            assert_eq!(reader.last_time(), batches.last().map(|(time, _)| *time));
            assert_eq!(reader.time().unwrap(), None, "the stream is at its end");
            return (batches, Some(error));
        }
    }
}

fn at(id: u32, x: i32, y: i32) -> Position {
    Position { id, at: Some([x, y]) }
}

fn written<R: Record>(form: MovingForm, batches: &Batches<R>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = MovingWriter::new(&mut bytes, form).unwrap();
    for (time, records) in batches {
        writer.batch(*time, records).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), bytes.len() as u64);
    bytes
}

#[test]
fn streams_round_trip() {
    let far = (1 << 30) - 1;
    let many = (0..150_000).map(|id| at(id, -1, 1)).collect();
    let updates = vec![
        (-5, vec![at(0, 0, 0), at(u32::MAX, -far, far), Position { id: 3, at: None }]),
        (0, vec![at(1, 2, 3)]),
        (i64::MAX, many),
    ];
    let window = |number| Window { number, low: [-far, 2], high: [3, far] };
    let queries = vec![(1, vec![window(0), window(u32::MAX)]), (2, vec![window(7)])];
    for form in [MovingForm::Text, MovingForm::Binary] {
        assert_eq!(read(&written(form, &updates), u32::MAX), (updates.clone(), None));
        assert_eq!(read(&written(form, &queries), u32::MAX), (queries.clone(), None));
    }
    assert_eq!(read::<Position>(b"", 9), (vec![], None));
    let spaced = b" t , id,x ,y\r\n\n 1, 2 ,3,-4 \r\n1,3,,\n";
    let expected = vec![(1, vec![at(2, 3, -4), Position { id: 3, at: None }])];
    assert_eq!(read(spaced, 9), (expected, None));
}

#[test]
fn binary_form_matches_its_documentation() {
    let bytes = written(MovingForm::Binary, &vec![(3, vec![at(7, 258, -1)])]);
    let mut expected = b"STARMOVU".to_vec();
    expected.extend([3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    expected.extend([7, 0, 0, 0, 2, 1, 0, 0, 255, 255, 255, 255]);
    assert_eq!(bytes, expected);
}

#[test]
fn faults_quote_one_field() {
    for (line, message) in [
        ("1,-1,1,1\n", "id `-1` is negative"),
        ("1,2x,1,1\n", "`2x` is not a whole number"),
        ("1,2,1.5,1\n", "`1.5` is not a whole number"),
        ("1,99999999999999999999,1,1\n", "id `99999999999999999999` exceeds 64 bits"),
        ("1,4,7,8,9\n", "expected the end of the line, found `,9`"),
    ] {
        let (_, error) = read::<Position>(line.as_bytes(), 9);
        assert_eq!(error.unwrap().message, message);
    }
}

#[test]
fn faults_have_places_and_keep_earlier_records() {
    let first = "t,id,x,y\n1,2,3,4\n1,3,5,6\n";
    let cases = [
        ("1,4,NaN,0\n", Code::BadFormat, 5),
        ("1,4,0.5,0\n", Code::BadFormat, 5),
        ("1,4,0,inf\n", Code::BadFormat, 7),
        ("1,4,,7\n", Code::BadFormat, 6),
        ("1,4,7,\n", Code::BadFormat, 7),
        ("1,4,7\n", Code::BadFormat, 6),
        ("1,4,7", Code::Truncated, 6),
        ("1,4", Code::Truncated, 4),
        ("1", Code::Truncated, 2),
        ("1,4,7,8,9\n", Code::BadFormat, 8),
        ("1;4;7;8\n", Code::BadFormat, 1),
        ("1,10,7,8\n", Code::OutOfRange, 3),
        ("1,-1,7,8\n", Code::OutOfRange, 3),
        ("1,99999999999999999999,7,8\n", Code::OutOfRange, 3),
        ("1,4,1073741824,8\n", Code::OutOfRange, 5),
        ("0,4,7,8\n", Code::OutOfRange, 1),
    ];
    for (line, code, column) in cases {
        let (batches, error) = read::<Position>(format!("{first}{line}").as_bytes(), 9);
        let error = error.unwrap();
        assert_eq!((error.code, error.line), (code, Some(4)), "{line}: {error}");
        assert_eq!(error.column, Some(column), "{line}: {error}");
        assert_eq!(batches, [(1, vec![at(2, 3, 4), at(3, 5, 6)])], "{line}");
    }
    let (_, error) = read::<Window>(b"t,id,x,y\n", 9);
    assert_eq!(error.unwrap().to_string(), "m:1:1: expected `t,qid,x1,y1,x2,y2`, found `t,id,x,y`");
    let (_, error) = read::<Position>(b"3,1,0,0\n2,1,0,0\n", 9);
    assert_eq!(error.unwrap().to_string(), "m:2:1: timestamps must not decrease: 2 follows 3");
}

#[test]
fn truncated_binary_streams_keep_complete_records() {
    let updates = vec![(1, vec![at(1, 1, 1), at(2, 2, 2)]), (2, vec![at(3, 3, 3), at(4, 4, 4)])];
    let bytes = written(MovingForm::Binary, &updates);
    // The magic, and a batch with a header and two records.
    for len in 0..bytes.len() {
        let (batches, error) = read::<Position>(&bytes[..len], 9);
        let n_read: usize = batches.iter().map(|(_, records)| records.len()).sum();
        let in_batches = len.saturating_sub(8);
        let n_whole = in_batches / 36 * 2 + (in_batches % 36).saturating_sub(12) / 12;
        assert_eq!(n_read, n_whole, "{len} bytes");
        // Less than the magic counts as text.
        let whole = len == 0 || len == 8 || len == 44;
        assert_eq!(error.is_none(), whole, "{len} bytes");
        if len > 8 && !whole {
            let error = error.unwrap();
            assert_eq!(error.code, Code::Truncated, "{len} bytes");
            assert!(error.message.contains("(byte "), "{error}");
        }
    }
    let (_, error) = read::<Position>(&bytes, 3);
    let message = "m: id 4 exceeds 3, the declared number of objects (byte 69)";
    assert_eq!(error.unwrap().to_string(), message);
    let (_, error) = read::<Window>(&bytes, 9);
    assert_eq!(error.unwrap().to_string(), "m: this stream does not contain queries");
    let mut back = bytes.clone();
    back[44] = 0;
    let (batches, error) = read::<Position>(&back, 9);
    assert_eq!((batches.len(), error.unwrap().code), (1, Code::OutOfRange));
    let mut far = bytes;
    far[35] = 0x7f;
    assert_eq!(read::<Position>(&far, 9).1.unwrap().code, Code::OutOfRange);
}

#[test]
fn number_beyond_the_limit_is_reported_with_its_reason() {
    let refused = |limit: NumberLimit| {
        let mut options = ReadOptions::new("m", 1 << 30);
        let mut input: &[u8] = b"1,4294967296,7,8\n";
        let mut reader = MovingReader::<Position>::open(&mut input, &mut options, limit).unwrap();
        reader.time().unwrap_err()
    };
    let error = refused(NumberLimit::None);
    let message = "m:1:3: id 4294967296 exceeds 4294967295, the maximum";
    assert_eq!((error.to_string().as_str(), error.help.len()), (message, 0));
    let error = refused(NumberLimit::Undeclared(7));
    let message = "m:1:3: id 4294967296 exceeds 7, the maximum without a declaration";
    assert_eq!((error.to_string().as_str(), error.help.len()), (message, 1));
}
