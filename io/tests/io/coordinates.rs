//! DIMACS coordinates.

use star_base::Code::{BadFormat, HeaderLies, OutOfRange, Truncated};
use star_io::Format::Coordinates;
use star_io::Shape;

use crate::support::{fields, numbers, refuses};

#[test]
fn places_are_in_vertex_order() {
    let plain = numbers(Coordinates, "c\np aux sp co 3\nv 1 -5 9\nv 2 0 -1\nv 3 7 7\n");
    let (found, warnings) = &plain;
    assert_eq!(found.shape, Shape::List(3));
    assert_eq!(fields(found), [("x", None, &[-5, 0, 7][..]), ("y", None, &[9, -1, 7][..])]);
    assert!(warnings.is_empty());
    for text in [
        "p aux sp co 3\r\nv 1 -5 9\r\nv 2 0 -1\r\nv 3 7 7",
        "p aux sp co 3\nv 3 7 7\nc x\nv 1 -5 9\n\nv 2 +0 -1\n",
    ] {
        assert_eq!(numbers(Coordinates, text), plain, "{text:?}");
    }
    assert_eq!(numbers(Coordinates, "p aux sp co 0\n").0.shape, Shape::List(0));
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    refuses(
        Coordinates,
        &[
            (b"", Truncated, 1, 1, "before the line `p aux sp co`"),
            (b"v 1 2 3\n", BadFormat, 1, 1, "before the line"),
            (b"p sp 3 2\n", BadFormat, 1, 3, "expected `aux`, found `sp`"),
            (b"p aux sp", Truncated, 1, 9, "in the middle of the line `p`"),
            (b"p aux sp co 1\np aux sp co 1\n", BadFormat, 2, 1, "a second line"),
            (b"p aux sp co 1\na 1 2 3\n", BadFormat, 2, 1, "`a`"),
            (b"p aux sp co 2\nv 1 2 3\n", Truncated, 3, 1, "1 of the 2"),
            (b"p aux sp co 4294967295\nv 1 2 3\n", Truncated, 3, 1, "1 of the 4294967295"),
            (b"p aux sp co 1\nv 1 2 3\nv 1 2 3\n", HeaderLies, 3, 1, "an entry after the 1"),
            (b"p aux sp co 2\nv 1 2 3\nv 1 2 4\n", BadFormat, 3, 1, "already"),
            (b"p aux sp co 2\nv 3 2 3\n", OutOfRange, 2, 3, "exceeds the 2"),
            (b"p aux sp co 2\nv 1 2\n", BadFormat, 2, 6, "expected y, found"),
            (b"p aux sp co 2\nv 1 2.5 3\n", BadFormat, 2, 5, "`2.5`"),
            (b"p aux sp co 1\nv 1 2 9223372036854775808\n", OutOfRange, 2, 7, "63 bits"),
        ],
    );
}
