//! Budgets, interruption, failing inputs and outputs, and the choice of a format.

use std::io::{self, Read, Write};

use star_base::Code;
use star_io::{
    Arc, Data, Field, Format, Graph, Numbers, OutputRef, Packing, ReadOptions, Shape, read, write,
    write_packed,
};
use star_value::{BitTable, BitVector, BitsRef};

use crate::support::{BUDGET, check_wording};

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn headers_allocate_no_memory() {
    for (format, text) in [
        (Format::Dimacs, "p sp 4294967295 18446744073709551615\na 1 1 1\n"),
        (Format::EdgeList, "# Nodes: 4294967295 Edges: 18446744073709551615\n1\n"),
        (Format::EdgeList, "# vertices 4294967295, arcs 18446744073709551615, numbered from 1\n"),
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 18446744073709551615\n",
        ),
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix array real symmetric\n4294967295 4294967295\n1\n",
        ),
    ] {
        let mut options = ReadOptions::new("f", u64::MAX);
        options.size_hint = Some(text.len() as u64);
        assert!(read(format, &mut text.as_bytes(), &mut options).is_err());
    }
}

#[test]
fn vertices_without_arcs_need_memory() {
    for (format, text) in [
        (Format::Dimacs, "p sp 1000000 1\na 1 2 3\n"),
        (Format::EdgeList, "# vertices 1000000, arcs 1, numbered from 1\n1 2\n"),
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix coordinate pattern general\n1000000 1000000 1\n1 2\n",
        ),
    ] {
        let read = |max_bytes| {
            let mut options = ReadOptions::new("f", max_bytes);
            options.as_graph = true;
            read(format, &mut text.as_bytes(), &mut options)
        };
        let error = read(7_000_000).unwrap_err();
        assert_eq!(error.code, Code::DoesNotFit);
        assert!(error.message.starts_with("1000000 vertices: "), "{error}");
        check_wording(&error);
        let loaded = read(9_000_000).unwrap();
        assert!(loaded.n_bytes >= 8_000_000, "{format:?}");
    }
}

#[test]
fn over_budget_error_uses_readable_units() {
    let banner = "%%MatrixMarket matrix coordinate pattern general\n";
    let table = format!("{banner}4294967295 4294967294 0\n");
    let arcs = format!("p sp 9 500\n{}", "a 1 2 3\n".repeat(500));
    let edges = "1 2\n".repeat(500);
    for (format, text, part) in [
        (Format::MatrixMarket, &table, "2.0 EiB of memory are needed, but the budget is 4.0 KiB"),
        // Rounded, both would be 4.0 KiB.
        (Format::Dimacs, &arcs, "4104 bytes of memory are needed, but the budget is 4096"),
        (Format::EdgeList, &edges, "4.1 KiB of memory are needed, but the budget is 4.0 KiB"),
    ] {
        let error = read(format, &mut text.as_bytes(), &mut ReadOptions::new("f", 4096));
        let error = error.unwrap_err();
        assert_eq!(error.code, Code::DoesNotFit);
        assert!(error.message.contains(part), "{error}");
        check_wording(&error);
    }
}

/// An injective map of the numbers below 2^`n_bits`.
fn scattered(number: u64, n_bits: u32) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << n_bits)
}

/// Texts whose readers sort, with their warnings and notes.
fn texts_that_are_sorted() -> Vec<(Format, String, Vec<String>)> {
    let parallel =
        "199998 parallel arcs: a table of weights keeps the smallest weight, a list keeps all";
    let lines = |n: u64, line: &dyn Fn(u64) -> String| (0..n).map(line).collect::<String>();
    let far = |number| scattered(number, 63);
    let near = |number| 2 * scattered(number, 18);
    let names = |n| {
        format!(
            "the vertices are not numbered 0..n−1 or 1..n: the {n} distinct numbers are used in ascending order"
        )
    };
    let n = 1 << 17;
    let star = lines(n, &|k| format!("{} ", scattered(k, 17) + 2));
    vec![
        (
            Format::Dimacs,
            format!("p sp 9 200000\n{}", "a 1 2 3\na 3 1 4\n".repeat(100_000)),
            vec![parallel.to_owned()],
        ),
        (
            // Every vertex is a neighbour of the first one, in random order.
            Format::Metis,
            format!("{} {n}\n{star}\n{}", n + 1, "1\n".repeat(n as usize)),
            vec![],
        ),
        (
            Format::EdgeList,
            lines(n, &|k| format!("{} {}\n", far(k), far(k + 1))),
            vec![names(n + 1)],
        ),
        (
            Format::EdgeList,
            lines(n, &|k| format!("{} {}\n", near(k), near(k + 1))),
            vec![names(n + 1)],
        ),
        (
            Format::MatrixMarket,
            format!(
                "%%MatrixMarket matrix coordinate pattern symmetric\n{n} {n} {}\n{}",
                2 * n - 2,
                lines(n - 1, &|k| format!(
                    "{} {}\n{} {n}\n",
                    scattered(k, 17) + 1,
                    scattered(k, 17) + 1,
                    k + 1
                ))
            ),
            vec![format!("{} loops are kept", n - 1)],
        ),
        (
            Format::Coordinates,
            format!(
                "p aux sp co {n}\n{}",
                lines(n, &|k| format!("v {} {k} {}\n", scattered(k, 17) + 1, n - k))
            ),
            vec![],
        ),
    ]
}

#[test]
fn sorting_after_reading_can_be_interrupted() {
    for (format, text, expected) in texts_that_are_sorted() {
        let read_until = |n_last: usize| {
            let mut n_at_end = 0;
            let mut note = |n_bytes| {
                n_at_end += usize::from(n_bytes == text.len() as u64);
                n_at_end < n_last
            };
            let mut options = ReadOptions::new("f", BUDGET);
            options.progress = Some(&mut note);
            let read = read(format, &mut text.as_bytes(), &mut options);
            let read = read.map(|loaded| [loaded.warnings, loaded.notes].concat());
            (read.map_err(|error| error.code), n_at_end)
        };
        let (notes, n_asked) = read_until(usize::MAX);
        assert_eq!(notes, Ok(expected), "{format:?}");
        assert!(n_asked > 10, "{format:?}: {n_asked}");
        for n_last in (1..n_asked).step_by(n_asked / 10).chain([n_asked]) {
            assert_eq!(read_until(n_last), (Err(Code::Interrupted), n_last), "{format:?}");
        }
    }
}

#[test]
fn decoding_of_pictures_can_be_interrupted() {
    let (height, width) = (2048, 1536);
    let values = (0..height * width).map(|idx| (idx as i64 * 7919) % 200).collect();
    let fields = vec![Field::new("gray", Some(8), values)];
    let numbers = Numbers { shape: Shape::Grid { height, width }, fields };
    for (format, least) in [(Format::Png, 100), (Format::Pgm, 6)] {
        let mut bytes = Vec::new();
        write(format, OutputRef::Numbers(&numbers), &mut bytes).unwrap();
        let read_until = |n_last: usize| {
            let mut n_at_end = 0;
            let mut note = |n_bytes| {
                n_at_end += usize::from(n_bytes == bytes.len() as u64);
                n_at_end < n_last
            };
            let mut options = ReadOptions::new("f", 1 << 30);
            options.progress = Some(&mut note);
            let found = read(format, &mut &bytes[..], &mut options);
            (found.map(|loaded| loaded.data).map_err(|error| error.code), n_at_end)
        };
        let (data, n_asked) = read_until(usize::MAX);
        assert!(data == Ok(Data::Numbers(numbers.clone())), "{format:?}");
        assert!(n_asked >= least, "{format:?}: {n_asked}");
        for n_last in (1..n_asked).step_by(n_asked / 5).chain([n_asked]) {
            let (stopped, n_asked) = read_until(n_last);
            assert!(stopped == Err(Code::Interrupted) && n_asked == n_last, "{format:?}");
        }
    }
}

#[test]
fn sorting_before_writing_can_be_interrupted() {
    let n = 1 << 17;
    let arcs =
        (1..=n as u32).rev().map(|head| Arc { tail: 0, head, weight: i64::from(head) % 7 - 3 });
    let arcs = arcs.collect();
    let graph = Graph {
        n_vertices: n + 1,
        arcs,
        weighted: true,
        symmetric: true,
        names: None,
        no_weights: None,
        elsewhere: Default::default(),
    };
    let write_until = |n_last: usize| {
        let (mut bytes, mut n_asked) = (Vec::new(), 0);
        let mut go_on = || {
            n_asked += 1;
            n_asked < n_last
        };
        let value = OutputRef::Graph(&graph);
        let written = write_packed(Format::Metis, Packing::Plain, value, &mut bytes, &mut go_on);
        (written.map_err(|error| error.code), n_asked, bytes)
    };
    let (written, n_asked, bytes) = write_until(usize::MAX);
    assert_eq!(written, Ok(()));
    assert!(n_asked > 10, "{n_asked}");
    let mut options = ReadOptions::new("f", BUDGET);
    let again = read(Format::Metis, &mut &bytes[..], &mut options).unwrap();
    let Data::Graph(Graph { mut arcs, .. }) = again.data else { panic!("no graph") };
    arcs.iter_mut().for_each(|arc| std::mem::swap(&mut arc.tail, &mut arc.head));
    arcs.reverse();
    assert!(arcs == graph.arcs);
    for n_last in (1..n_asked).step_by(n_asked / 10).chain([n_asked]) {
        assert_eq!(write_until(n_last), (Err(Code::CannotWrite), n_last, Vec::new()));
    }
}

#[test]
fn progress_counts_bytes_and_can_stop_reading() {
    let text = format!("p sp 9 200000\n{}", "a 1 2 3\n".repeat(200_000));
    let mut last = 0;
    let mut note = |n_bytes| {
        last = n_bytes;
        true
    };
    let mut options = ReadOptions::new("f", BUDGET);
    options.progress = Some(&mut note);
    read(Format::Dimacs, &mut text.as_bytes(), &mut options).unwrap();
    assert_eq!(last, text.len() as u64);

    let mut stop = |n_bytes| n_bytes < 300_000;
    let mut options = ReadOptions::new("f", BUDGET);
    options.progress = Some(&mut stop);
    let error = read(Format::Dimacs, &mut text.as_bytes(), &mut options).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Interrupted, "interrupted"));
}

#[test]
fn failing_inputs_and_outputs_are_reported() {
    let bits = BitTable::zeros(3, 3).unwrap();
    for &format in Format::ALL {
        let error = read(format, &mut Broken, &mut ReadOptions::new("f", BUDGET)).unwrap_err();
        assert_eq!((error.code, error.file.as_str()), (Code::CannotOpen, "f"));
        assert!(error.message.ends_with("the disk is gone"));
        if write(format, OutputRef::Bits(BitsRef::from(&bits)), &mut Vec::new()).is_err() {
            continue; // the file contains no tables
        }
        let error = write(format, OutputRef::Bits(BitsRef::from(&bits)), &mut Broken).unwrap_err();
        assert_eq!(error.code, Code::CannotWrite);
        assert_eq!(error.to_string(), "cannot write: the disk is full");
    }
}

#[test]
fn failure_in_the_middle_gives_the_line() {
    let mut input = b"p sp 2 2\na 1 2 3\na 1".chain(Broken);
    let error = read(Format::Dimacs, &mut input, &mut ReadOptions::new("f", BUDGET));
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "f:3:4: cannot read: the disk is gone");
}

#[test]
fn endless_number_is_rejected_without_allocation() {
    for (format, head) in [
        (Format::Dimacs, &b"p sp 2 1\na 1 "[..]),
        (Format::EdgeList, b"1 2\n1 "),
        (Format::MatrixMarket, b"%%MatrixMarket matrix coordinate real general\n1 "),
        (Format::Metis, b"1 1\n"),
        (Format::Coordinates, b"p aux sp co 2\nv 1 -"),
        (Format::Map, b"type octile\nheight "),
        (Format::Scenarios, b"version 1\n1 a.map "),
    ] {
        let mut input = head.chain(io::repeat(b'9'));
        let error = read(format, &mut input, &mut ReadOptions::new("f", BUDGET)).unwrap_err();
        assert_eq!((error.code, error.line), (Code::OutOfRange, Some(2)), "{error}");
    }
}

#[test]
fn tokens_across_chunks_keep_their_place_and_text() {
    let n_comment = (1 << 18) - 20;
    for shift in 0..24 {
        let comment = format!("c{}\n", "x".repeat(n_comment + shift - 2));
        let good = format!("{comment}p sp 99999 1\na 12345 67890 -13579\n");
        let mut options = ReadOptions::new("f", BUDGET);
        let loaded = read(Format::Dimacs, &mut good.as_bytes(), &mut options).unwrap();
        let Data::Graph(graph) = loaded.data else { panic!("no graph") };
        assert_eq!(crate::support::arcs(&graph), [(12344, 67889, -13579)]);
        let bad = good.replace("67890", "67x90");
        let error = read(Format::Dimacs, &mut bad.as_bytes(), &mut options).unwrap_err();
        assert_eq!(error.to_string(), "f:3:9: `67x90` is not a whole number");
    }
}

#[test]
fn unsupported_values_are_rejected_by_formats() {
    let bits = BitVector::zeros(3);
    let wide = BitTable::zeros(2, 3).unwrap();
    for format in [Format::Dimacs, Format::EdgeList] {
        for value in [
            OutputRef::Bits(BitsRef::from(&wide)),
            OutputRef::Bits(BitsRef::Slice(&bits)),
            OutputRef::Bits(BitsRef::Word(&bits)),
        ] {
            let mut bytes = Vec::new();
            let error = write(format, value, &mut bytes).unwrap_err();
            assert_eq!((error.code, bytes.len()), (Code::NoSuchLayout, 0));
            check_wording(&error);
        }
    }
}

#[test]
fn formats_are_detected_by_extension_and_first_bytes() {
    for (path, format) in [
        ("a/b.mtx", Some(Format::MatrixMarket)),
        ("ROAD.GR", Some(Format::Dimacs)),
        ("x.y.Snap", Some(Format::EdgeList)),
        ("road.gr.GZ", Some(Format::Dimacs)),
        ("a.map.scen", Some(Format::Scenarios)),
        ("a.gz/x", None),
        (".gz", None),
        ("t.stb", Some(Format::Stb)),
        ("dir.gr/file", None),
        ("file.PNG", Some(Format::Png)),
        ("dem.npz", Some(Format::Npz)),
        ("file.xyz", None),
        ("", None),
    ] {
        assert_eq!(Format::of_path(path), format, "{path}");
    }
    for (bytes, format) in [
        (&b"%%matrixmarket matrix"[..], Some(Format::MatrixMarket)),
        (b"\n# SNAP\n", Some(Format::EdgeList)),
        (b"12\t7\n", Some(Format::EdgeList)),
        (b"c\nc x\n", Some(Format::Dimacs)),
        (b"p sp 3 4", Some(Format::Dimacs)),
        (b"STARTBL\0...", Some(Format::Stb)),
        (b"\x89PNG\r\n\x1a\n", Some(Format::Png)),
        (b"\xff\xd8\xff\xe0", Some(Format::Jpeg)),
        (b"II*\0\x08", Some(Format::Tiff)),
        (b"MM\0+", Some(Format::Tiff)),
        (b"P4\n3", Some(Format::Pbm)),
        (b"P2#", Some(Format::Pgm)),
        (b"P6 ", Some(Format::Ppm)),
        (b"P7\n", None),
        (b"P5", None),
        (b"\x93NUMPY\x01\0", Some(Format::Npy)),
        (b"PK\x03\x04", Some(Format::Npz)),
        (b"c places\nc\n\np aux sp co 3\n", Some(Format::Coordinates)),
        (b"type octile\n", Some(Format::Map)),
        (b"version 1.0\r\n", Some(Format::Scenarios)),
        (b"speed:8,weight\n", Some(Format::Csv)),
        (b"cat", None),
        (b"\x1f\x8b", None),
        (b"", None),
    ] {
        assert_eq!(Format::detect(bytes), format, "{bytes:?}");
    }
    assert_eq!(Format::of_file("x.gr", b"# SNAP").unwrap(), Format::Dimacs);
    assert_eq!(Format::of_file("x", b"# SNAP").unwrap(), Format::EdgeList);
    let error = Format::of_file("x.xyz", b"\x89PNG").unwrap_err();
    assert_eq!(error.code, Code::UnknownFormat);
    check_wording(&error);
}
