//! MovingAI maps and scenarios.

use star_base::Code::{BadFormat, HeaderLies, NoSuchLayout, OutOfRange, Truncated};
use star_io::Format::{Map, Scenarios};
use star_io::{Data, Decimal, OutputRef, ReadOptions, Shape, read, write};
use star_value::{BitTable, BitsRef};

use crate::support::{fields, numbers, refuses};

#[test]
fn ground_and_swamp_are_passable() {
    let plain = numbers(Map, "type octile\nheight 2\nwidth 4\nmap\n.GS@\nOTW.\n");
    let (found, warnings) = &plain;
    assert_eq!(found.shape, Shape::Grid { height: 2, width: 4 });
    assert_eq!(fields(found), [("passable", Some(1), &[1, 1, 1, 0, 0, 0, 0, 1][..])]);
    assert_eq!(warnings, &["1 water cell is not passable"]);
    for text in [
        "type octile\r\nheight 2\r\nwidth 4\r\nmap\r\n.GS@\r\nOTW.",
        "type tile\nwidth 4\nheight 2\nmap\n.GS@ \nOTW.\n\n",
    ] {
        assert_eq!(numbers(Map, text), plain, "{text:?}");
    }
}

#[test]
fn bad_maps_are_rejected_at_their_place() {
    let head = "type octile\nheight 2\nwidth 2\nmap\n";
    let with = |rows: &str| format!("{head}{rows}").into_bytes();
    refuses(
        Map,
        &[
            (b"", Truncated, 1, 1, "empty"),
            (b"height 2\n", BadFormat, 1, 1, "expected `type`, found `height`"),
            (b"type octile\nheight 2\nmap\n", BadFormat, 3, 1, "`map` in the header"),
            (b"type octile\nheight 2\nheight 2\n", BadFormat, 3, 1, "`height` in the header"),
            (b"type octile\nheight 2\n", Truncated, 3, 1, "found the end of the file"),
            (b"type octile\nheight -2\n", OutOfRange, 2, 8, "negative"),
            (&with(""), Truncated, 5, 1, "0 of the 2 rows"),
            (&with("..\n"), Truncated, 6, 1, "1 of the 2 rows"),
            (&with("..\n."), Truncated, 6, 2, "middle of a row"),
            (&with(".\n..\n"), BadFormat, 5, 2, "shorter than the width of 2"),
            (&with("...\n..\n"), BadFormat, 5, 3, "end of the line, found `.`"),
            (&with("..\n.x\n"), BadFormat, 6, 2, "unknown terrain `x`"),
            (&with("..\n..\n..\n"), HeaderLies, 7, 1, "after the 2 rows"),
            (
                b"type octile\nheight 4294967295\nwidth 4294967295\nmap\n.\n",
                BadFormat,
                5,
                2,
                "shorter",
            ),
            (b"type octile\nheight 4294967295\nwidth 0\nmap\n", Truncated, 5, 1, "0 of the"),
        ],
    );
}

#[test]
fn tables_are_written_as_maps() {
    let table = BitTable::parse(&["011", "100"]).unwrap();
    let mut bytes = Vec::new();
    write(Map, OutputRef::Bits(BitsRef::from(&table)), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text, "type octile\nheight 2\nwidth 3\nmap\n@..\n.@@\n");
    let (found, _) = numbers(Map, &text);
    let mut bytes = Vec::new();
    write(Map, OutputRef::Numbers(&found), &mut bytes).unwrap();
    assert_eq!(bytes, text.as_bytes());
    let mut two = found.clone();
    two.fields[0].values[0] = 2;
    let error = write(Map, OutputRef::Numbers(&two), &mut Vec::new()).unwrap_err();
    assert_eq!(error.code, NoSuchLayout);
}

const PROBLEMS: &str = "version 1\n\
    3\tmaps/a.map\t5\t4\t4\t3\t0\t1\t6.41421356\n\
    0 b.map 5 4 0 0 0 0 0\n";

#[test]
fn problems_are_read_as_records() {
    let plain = numbers(Scenarios, PROBLEMS);
    let (found, warnings) = &plain;
    assert_eq!(found.shape, Shape::List(2));
    let columns: [&[i64]; 6] = [&[3, 0], &[4, 0], &[3, 0], &[0, 0], &[1, 0], &[6414, 0]];
    let names = ["bucket", "start-x", "start-y", "goal-x", "goal-y", "length"];
    let expected: Vec<_> = names.into_iter().zip(columns).map(|(n, v)| (n, None, v)).collect();
    assert_eq!(fields(found), expected);
    assert_eq!(warnings, &["the lengths are in thousandths, as with `scale=1000`"]);
    let crlf = PROBLEMS.replace('\n', "\r\n").replace("version 1\r", "version 1.0\r");
    assert_eq!(numbers(Scenarios, crlf.trim_end()), plain);
    let blanks = PROBLEMS.replace("maps/a.map", "old maps/8 rooms.map").replace("b.map", "my b 2");
    assert_eq!(numbers(Scenarios, &blanks.replace("2 5 4", "map 5 4")), plain);
    let mut options = ReadOptions::new("f", 1000);
    options.scale = Decimal::parse_positive("10");
    let loaded = read(Scenarios, &mut PROBLEMS.as_bytes(), &mut options).unwrap();
    let Data::Numbers(scaled) = loaded.data else { panic!("no numbers") };
    assert_eq!(scaled.fields[5].values, [64, 0]);
    assert!(loaded.warnings.is_empty() && loaded.notes.is_empty());
}

#[test]
fn bad_scenarios_are_rejected_at_their_place() {
    refuses(
        Scenarios,
        &[
            (b"", Truncated, 1, 1, "empty"),
            (b"1 a.map 5 5\n", BadFormat, 1, 1, "expected `version`, found `1`"),
            (b"version 2\n", BadFormat, 1, 9, "only supported version is 1"),
            (b"version 1\n0 a 5 4 5 0 0 0 1\n", OutOfRange, 2, 9, "outside the map"),
            (b"version 1\n0 a 5 4 0 4 0 0 1\n", OutOfRange, 2, 11, "outside the map"),
            (b"version 1\n0 a 5 4 0 0 0 0\n", BadFormat, 2, 16, "the length"),
            (b"version 1\n0 a 5 4 0 0 0", Truncated, 2, 14, "y of the goal"),
            (b"version 1\n0 a 5 4 0 0 0 0 x\n", BadFormat, 2, 17, "`x`"),
            (b"version 1\n0 a 5 4 0 0 0 0 1e30\n", OutOfRange, 2, 17, "exceeds 63 bits"),
            (b"version 1\n4294967296 a\n", OutOfRange, 2, 1, "exceeds 32 bits"),
            (b"version 1\n0 my a 5 4 0 0 0 0\n", BadFormat, 2, 6, "`a` is not a whole number"),
            (b"version 1\n0 my a 5 4 9 0 0 0 1\n", OutOfRange, 2, 12, "outside the map"),
            (b"version 1\n0 a 5 4 0 0 0 0 1 1\n", BadFormat, 2, 19, "end of the line, found `1`"),
        ],
    );
}
