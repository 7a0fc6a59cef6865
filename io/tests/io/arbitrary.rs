//! No bytes make a reader panic, and every error follows the conventions for messages.

use proptest::prelude::*;
use star_io::{
    Data, Decimal, Format, Layout, LoadedFile, OutputRef, ReadOptions, Widths, lay_out, read, write,
};
use star_value::{BitTable, BitsRef};

use crate::support::{BUDGET, check_wording, load};

const VALID: &[(Format, &str)] = &[
    (Format::Dimacs, "c road\np sp 5 4\na 1 2 10\na 2 3 -7\r\na 5 5 0\na 1 2 3\n"),
    (Format::EdgeList, "# Nodes: 4 Edges: 3\n10\t20\t5\n20\t30\t-6\n18446744073709551615,10,1\n"),
    (Format::EdgeList, "# vertices 5, arcs 3, numbered from 1\n1 2\n5 5\n1 2\n"),
    (
        Format::MatrixMarket,
        "%%MatrixMarket matrix coordinate integer symmetric\n% c\n4 4 3\n2 1 5\n3 3 6\n1 4 -7\n",
    ),
    (
        Format::MatrixMarket,
        "%%MatrixMarket matrix coordinate real general\n4 5 3\n2 1 5e-3\n3 3 -.5\n1 4 0.0\n",
    ),
    (Format::MatrixMarket, "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n0\n-3\n"),
    (Format::Metis, "% c\n4 2 11 1\n5 2 7\n5 1 7 3 -9\r\n6 2 -9\n0\n"),
    (Format::Coordinates, "c c\np aux sp co 2\nv 2 -5 6\r\nv 1 0 +7\n"),
    (Format::Csv, "speed:8,\"a,b\"\n1,2\r\n\"255\", 9223372036854775807\n"),
    (Format::Map, "type octile\nheight 2\nwidth 3\nmap\n.G@\r\nTWS\n"),
    (Format::Updates, "%%StarUpdates 9\n+ 1 2 5\r\n- 2 1 # c\n= 1 2 6\n\n+ 9\n? 4 4\n?\n"),
    (Format::Scenarios, "version 1.0\n0 a.map 3 2 0 0 2 1 2.41421356\n1 a 3 2 0 0 0 0 1e-2\n"),
];

/// Reads the bytes and lays out the result where possible.
fn try_everything(format: Format, bytes: &[u8]) {
    match load(format, bytes) {
        Err(error) => check_wording(&error),
        Ok(LoadedFile { data: Data::Graph(graph), .. }) => {
            for &layout in Layout::ALL {
                let widths = layout.least_widths(&graph).unwrap_or(Widths { h: 5, b: 5 });
                if let Err(error) = lay_out(layout, &graph, widths, 1 << 20, "f") {
                    check_wording(&error);
                }
            }
        }
        Ok(_) => {}
    }
    for scale in ["10", "1e-3"] {
        let mut options = ReadOptions::new("f", BUDGET);
        options.scale = Decimal::parse_positive(scale);
        if let Err(error) = read(format, &mut &bytes[..], &mut options) {
            check_wording(&error);
        }
    }
}

/// Text that resembles a file more often than random bytes do.
fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "%%MatrixMarket matrix ",
        "coordinate ",
        "array ",
        "pattern ",
        "integer ",
        "real ",
        "general\n",
        "symmetric\n",
        "p sp ",
        "a ",
        "c ",
        "# ",
        "% ",
        "Nodes: ",
        "Edges: ",
        "# vertices 3, arcs 2, numbered from 1\n",
        "0 ",
        "1 ",
        "2 ",
        "3 ",
        "-1 ",
        "1.5 ",
        "p aux sp co ",
        "v ",
        "type octile\n",
        "height ",
        "width ",
        "map\n",
        "...\n",
        "version ",
        "a:8,b\n",
        "\"",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\t",
        ",",
        "18446744073709551615 ",
        "99999999999999999999 ",
        "\0",
        "é",
    ];
    let piece = prop::sample::select(pieces.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Format::detect(&bytes);
        for &format in Format::ALL {
            try_everything(format, &bytes);
        }
    }

    #[test]
    fn text_resembling_a_file_never_panics(bytes in near_text()) {
        for &format in Format::ALL {
            try_everything(format, &bytes);
        }
    }

    #[test]
    fn edited_files_never_panic(
        which in 0..VALID.len() + 1,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 1..4),
    ) {
        let (format, mut bytes) = match VALID.get(which) {
            Some((format, text)) => (*format, text.as_bytes().to_vec()),
            None => {
                let table = BitTable::parse(&["101", "010"]).expect("bits");
                let mut bytes = Vec::new();
                write(Format::Stb, OutputRef::Bits(BitsRef::from(&table)), &mut bytes).expect("memory");
                (Format::Stb, bytes)
            }
        };
        for (place, byte, kind) in edits {
            let place = place.index(bytes.len().max(1));
            match kind {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => drop(bytes.remove(place)),
                2 => bytes.insert(place, b"0123456789 \n-,%#acp"[usize::from(byte) % 19]),
                _ => bytes.truncate(place),
            }
        }
        try_everything(format, &bytes);
    }

    #[test]
    fn long_texts_read_the_same_in_chunks(
        arcs in prop::collection::vec((1u32..60_000, 1u32..60_000, any::<i64>()), 0..300),
    ) {
        let lines: Vec<String> =
            arcs.iter().map(|(tail, head, weight)| format!("a {tail} {head} {weight}\n")).collect();
        let text = format!("p sp 60000 {}\n{}", arcs.len(), lines.concat());
        let Data::Graph(graph) = load(Format::Dimacs, text.as_bytes())?.data else {
            panic!("no graph")
        };
        let found: Vec<_> = graph.arcs.iter().map(|a| (a.tail + 1, a.head + 1, a.weight)).collect();
        prop_assert_eq!(found, arcs);
    }
}

#[test]
fn valid_files_load_and_prefixes_never_panic() {
    for (format, text) in VALID {
        assert!(load(*format, text.as_bytes()).is_ok(), "{text}");
        for end in 0..text.len() {
            try_everything(*format, &text.as_bytes()[..end]);
        }
    }
}
