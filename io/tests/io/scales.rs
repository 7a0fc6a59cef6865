//! The user's scale: every format multiplies its values by it in the same way.

use star_base::Code;
use star_io::{Data, Decimal, FileError, Format, LoadedFile, ReadOptions, read};

use crate::support::{BUDGET, arcs, check_wording, load};

fn scaled(format: Format, text: &str, scale: &str) -> Result<LoadedFile, FileError> {
    let mut options = ReadOptions::new("f", BUDGET);
    options.scale = Decimal::parse_positive(scale);
    read(format, &mut text.as_bytes(), &mut options)
}

/// The weights of a graph, or the values of all fields.
fn values(loaded: &LoadedFile) -> Vec<i64> {
    match &loaded.data {
        Data::Graph(graph) => arcs(graph).into_iter().map(|(_, _, weight)| weight).collect(),
        Data::Numbers(numbers) => {
            numbers.fields.iter().flat_map(|field| field.values.iter().copied()).collect()
        }
        other => panic!("{other:?} has no values"),
    }
}

#[test]
fn values_of_all_text_formats_are_scaled_and_rounded() {
    let banner = "%%MatrixMarket matrix coordinate";
    let (real, integer) = (
        format!("{banner} real general\n2 2 2\n1 2 0.25\n2 1 3\n"),
        format!("{banner} integer general\n2 2 2\n1 2 -1\n2 1 3\n"),
    );
    let array = "%%MatrixMarket matrix array integer general\n2 2\n0\n5\n-7\n0\n";
    for (format, text, expected) in [
        (Format::EdgeList, "1 2 0.25\n2 1 3\n", &[3, 30][..]),
        (Format::EdgeList, "1,2,-0.25\r\n2,1,+3e0\r\n", &[-3, 30]),
        (Format::Dimacs, "p sp 2 2\na 1 2 0.25\na 2 1 3\n", &[3, 30]),
        (Format::Metis, "2 1 1\n2 .75\n1 .75\n", &[8]),
        (Format::MatrixMarket, &real, &[3, 30]),
        (Format::MatrixMarket, &integer, &[-10, 30]),
        (Format::MatrixMarket, array, &[50, -70]),
        (Format::Csv, "0.25,3\n1.04,\"0.15\"\n", &[3, 10, 30, 2]),
        (Format::Csv, "speed:9\n25.5\n", &[255]),
        (Format::Coordinates, "p aux sp co 2\nv 1 -0.25 3\nv 2 1 0.5\n", &[-3, 10, 30, 5]),
        (Format::Updates, "+ 1 2 0.25\n+ 2 1 3\n", &[1, 1, 1, 2, 2, 1, 3, 30]),
    ] {
        let loaded = scaled(format, text, "10").expect(text);
        assert_eq!(values(&loaded), expected, "{text:?}");
        assert_eq!((loaded.warnings, loaded.notes), (vec![], vec![]), "{text:?}");
    }
}

/// The reason why a text gives no numbers: the fault of the reader, or of a graph without its
/// weights.
fn refusal(format: Format, text: &str) -> FileError {
    match load(format, text.as_bytes()) {
        Err(error) => error,
        Ok(LoadedFile { data: Data::Graph(graph), .. }) => *graph.no_weights.expect(text),
        Ok(other) => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn fraction_without_a_scale_is_rejected_with_advice() {
    for (format, text, line, column) in [
        (Format::EdgeList, "1 2 0.05\n", 1, 5),
        (Format::Dimacs, "p sp 2 1\na 1 2 0.05\n", 2, 7),
        (Format::Metis, "2 1 1\n2 0.05\n1 0.05\n", 2, 3),
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.05\n",
            3,
            5,
        ),
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix array real general\n2 2\n0\n1\n0.05\n0\n",
            5,
            1,
        ),
        (Format::Csv, "a\n0.05\n", 2, 1),
        (Format::Coordinates, "p aux sp co 1\nv 1 5e-2 3\n", 2, 5),
        (Format::Updates, "+ 1 2 0.05\n", 1, 7),
    ] {
        let error = refusal(format, text);
        let found = (error.code, error.line, error.column);
        assert_eq!(found, (Code::BadFormat, Some(line), Some(column)), "{text:?}: {error}");
        assert!(error.help[0].starts_with("`scale=1000` multiplies"), "{text:?}: {error:?}");
        check_wording(&error);
    }
    // A weight of an edge list may be written like a fraction.
    let whole = load(Format::EdgeList, b"1 2 3.0\n").unwrap();
    assert_eq!(values(&whole), values(&load(Format::EdgeList, b"1 2 3\n").unwrap()));
    assert_eq!(values(&scaled(Format::EdgeList, "1 2 3.0\n", "1").unwrap()), [3]);
    for text in ["1 2 x\n", "1 2 99999999999999999999\n", "1 2 3\n1 3\n"] {
        let error = load(Format::EdgeList, text.as_bytes()).unwrap_err();
        assert_eq!(error.help, Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn unscalable_values_are_rejected_at_their_place() {
    for (format, text, code, line, column) in [
        (Format::EdgeList, "1 2 1e18\n", Code::OutOfRange, 1, 5),
        (Format::EdgeList, "1 2 0.5x\n", Code::BadFormat, 1, 5),
        (Format::Csv, "1,1e18\n", Code::OutOfRange, 1, 3),
        (Format::Csv, "1,-1e18\n", Code::OutOfRange, 1, 3),
        (Format::Csv, "a\n1\n.\n", Code::BadFormat, 3, 1),
        (Format::Updates, "+ 1 2 -0.5\n", Code::OutOfRange, 1, 7),
    ] {
        let error = scaled(format, text, "10").expect_err(text);
        let found = (error.code, error.line, error.column);
        assert_eq!(found, (code, Some(line), Some(column)), "{text:?}: {error}");
        check_wording(&error);
    }
}

#[test]
fn values_that_become_0_are_counted() {
    let text = "%%MatrixMarket matrix coordinate real general\n\
                3 3 4\n1 2 0.001\n2 1 1e-20\n1 3 0.0\n3 1 2.5\n";
    let loaded = scaled(Format::MatrixMarket, text, "10").unwrap();
    assert_eq!(values(&loaded), [0, 0, 0, 25]);
    let expected = "2 of 4 values became 0 with `scale=10`; \
                    the first of them is 0.001, which `scale=10000` preserves";
    assert_eq!(loaded.warnings, [expected]);
    let loaded = scaled(Format::Csv, "0.000833\n", "100").unwrap();
    let expected = "1 of 1 value became 0 with `scale=100`; \
                    the first of them is 0.000833, which `scale=100000` preserves";
    assert_eq!(loaded.warnings, [expected]);
    let loaded = scaled(Format::Csv, "0.000833\n", "100000").unwrap();
    assert_eq!((values(&loaded), loaded.warnings), (vec![83], vec![]));
    let loaded = scaled(Format::Pgm, "P2 2 1 9 4 5", "0.1").unwrap();
    assert_eq!(values(&loaded), [0, 1]);
    assert!(loaded.warnings[0].starts_with("1 of 2 values became 0 with `scale=0.1`"));
}

#[test]
fn file_without_values_reports_that_the_scale_has_no_effect() {
    let map = "type octile\nheight 1\nwidth 2\nmap\n.@\n";
    let table = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 0.5\n";
    for (format, text) in
        [(Format::EdgeList, "1 2\n"), (Format::Map, map), (Format::MatrixMarket, table)]
    {
        let loaded = scaled(format, text, "10").unwrap();
        assert_eq!(
            loaded.notes,
            ["`scale=10` has no effect: the file has no such values"],
            "{text:?}"
        );
    }
}

#[test]
fn advised_matrix_scale_preserves_the_first_fraction() {
    let text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 4\n2 1 0.001\n";
    let loaded = load(Format::MatrixMarket, text.as_bytes()).unwrap();
    assert!(loaded.warnings[0].ends_with("with `scale=10000` they would be weights"));
}

/// Fields whose values were multiplied are divided again when they are written as CSV.
#[test]
fn multiplied_fields_are_written_as_in_their_file() {
    let scenario = "version 1\n0 m.map 9 9 1 1 2 2 2.414\n";
    let names = "bucket,start-x,start-y,goal-x,goal-y,length";
    for (format, text, scale, expected) in [
        (Format::Coordinates, "p aux sp co 1\nv 1 -0.5 2\n", Some("10"), "x,y\n-0.5,2\n"),
        (
            Format::Updates,
            "+ 1 2 1.5\n",
            Some("10"),
            "operation:4,first:2,second:2,weight:5\n1,1,2,1.5\n",
        ),
        (Format::Scenarios, scenario, None, &format!("{names}\n0,1,1,2,2,2.414\n")),
        (Format::Scenarios, scenario, Some("10"), &format!("{names}\n0,1,1,2,2,2.4\n")),
        (Format::Pgm, "P2 2 1 9 3 7\n", Some("0.5"), "gray\n4\n8\n"),
    ] {
        let mut options = ReadOptions::new("f", BUDGET);
        options.scale = scale.and_then(Decimal::parse_positive);
        let loaded = read(format, &mut text.as_bytes(), &mut options).expect(text);
        let mut csv = Vec::new();
        star_io::write(Format::Csv, loaded.data.as_output(), &mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn weight_none_reads_no_weights() {
    let banner = "%%MatrixMarket matrix coordinate";
    for (format, text) in [
        (Format::EdgeList, "1 2 1.5\n2 1 3\n"),
        (Format::Dimacs, "p sp 2 2\na 1 2 1.5\na 2 1 3\n"),
        (Format::Dimacs, "p sp 2 2\na 1 2 5\na 2 1 3\n"),
        (Format::Metis, "2 1 1\n2 1.5\n1 1.5\n"),
        (Format::Metis, "2 1 1\n2 7\n1 7\n"),
        (Format::MatrixMarket, &format!("{banner} integer general\n2 2 1\n1 2 7\n")),
        (Format::MatrixMarket, &format!("{banner} real general\n2 2 1\n1 2 1.5\n")),
        (Format::Pajek, "*Vertices 2\n*Arcs\n1 2 1.5\n"),
        (Format::Gml, "graph [ directed 1 edge [ source 1 target 2 weight 1.5 ] ]"),
    ] {
        let mut options = ReadOptions::new("f", BUDGET);
        options.edges.weight = Some("none");
        let loaded = read(format, &mut text.as_bytes(), &mut options).expect(text);
        let Data::Graph(graph) = loaded.data else { panic!("{text:?} is a graph") };
        assert!(!graph.weighted && graph.no_weights.is_none(), "{text:?}");
        assert!(graph.arcs.iter().all(|arc| arc.weight == 1), "{text:?}");
        let remarks = [loaded.warnings, loaded.notes].concat();
        assert!(!remarks.iter().any(|remark| remark.contains("weights c")), "{remarks:?}");
    }
}
