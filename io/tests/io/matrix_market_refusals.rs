//! Rejected Matrix Market files.

use star_base::Code::{BadFormat, HeaderLies, OutOfRange, Truncated};
use star_io::Format::MatrixMarket;

use crate::matrix_market::with_banner;
use crate::support::{load, refuses};

#[test]
fn bad_banners_are_rejected_at_their_word() {
    refuses(
        MatrixMarket,
        &[
            (b"", Truncated, 1, 1, "empty"),
            (b"% only a comment\n", BadFormat, 1, 1, "`%%MatrixMarket`"),
            (b"\n%%MatrixMarket", BadFormat, 1, 1, "`%%MatrixMarket`"),
            (b"%%MatrixMarket", Truncated, 1, 15, "the object"),
            (b"%%MatrixMarket matrix\n", BadFormat, 1, 22, "the format"),
            (b"%%MatrixMarket vector coordinate", BadFormat, 1, 16, "`vector`"),
            (b"%%MatrixMarket matrix sparse", BadFormat, 1, 23, "`sparse`"),
            (b"%%MatrixMarket matrix coordinate complex general", BadFormat, 1, 34, "`complex`"),
            (b"%%MatrixMarket matrix array pattern general", BadFormat, 1, 29, "`pattern`"),
            (b"%%MatrixMarket matrix array real hermitian", BadFormat, 1, 34, "`hermitian`"),
            (b"%%MatrixMarket matrix array real skew-symmetric", BadFormat, 1, 34, "`skew-sym"),
            (
                b"%%MatrixMarket matrix array real general x",
                BadFormat,
                1,
                42,
                "end of the line, found `x`",
            ),
        ],
    );
}

#[test]
fn supported_kinds_are_named() {
    let error = load(MatrixMarket, b"%%MatrixMarket matrix array complex general").unwrap_err();
    assert_eq!(error.notes, ["the field is `integer` or `real`"]);
}

#[test]
fn bad_entries_are_rejected_at_their_place() {
    let pattern = |rest: &str| with_banner("coordinate pattern general", rest).into_bytes();
    let symmetric = |rest: &str| with_banner("coordinate pattern symmetric", rest).into_bytes();
    let integer = |rest: &str| with_banner("coordinate integer general", rest).into_bytes();
    let real = |rest: &str| with_banner("coordinate real general", rest).into_bytes();
    let array = |rest: &str| with_banner("array integer general", rest).into_bytes();
    let long = [pattern("3 3 1\n1 "), vec![b'7'; 1000]].concat();
    refuses(
        MatrixMarket,
        &[
            (&pattern("% only\n"), Truncated, 3, 1, "before the size line"),
            (&pattern("3"), Truncated, 2, 2, "the number of columns"),
            (&pattern("3 3\n"), BadFormat, 2, 4, "the number of entries"),
            (&pattern("3 3 1 1\n"), BadFormat, 2, 7, "end of the line, found `1`"),
            (&pattern("-3 3 1\n"), OutOfRange, 2, 1, "`-3` is negative"),
            (&pattern("3 4294967296 1\n"), OutOfRange, 2, 3, "exceeds 32 bits"),
            (&symmetric("2 3 0\n"), BadFormat, 2, 3, "a symmetric matrix of 2 × 3"),
            (&integer("2 3 0\n"), BadFormat, 2, 3, "integer values in a matrix of 2 × 3"),
            (&pattern("3 3 1\n0 1\n"), OutOfRange, 3, 1, "the row is 0"),
            (&pattern("3 3 1\n1 0\n"), OutOfRange, 3, 3, "the column is 0"),
            (&pattern("3 3 1\n4 1\n"), OutOfRange, 3, 1, "`4` exceeds the 3 rows"),
            (&pattern("3 3 1\n1 -1\n"), OutOfRange, 3, 3, "`-1` is negative"),
            (&pattern("3 3 1\n1 1 9\n"), BadFormat, 3, 5, "end of the line, found `9`"),
            (&pattern("3 3 1\n1"), Truncated, 3, 2, "the column"),
            (&pattern("3 3 1\n1\n"), BadFormat, 3, 2, "the column"),
            (&pattern("3 3 2\n1 1\n"), Truncated, 4, 1, "after 1 of the 2"),
            (&pattern("3 3 1\n1 1\n\n2 2\n"), HeaderLies, 5, 1, "an entry after the 1"),
            (&pattern("3 3 1\n1 \0\n"), BadFormat, 3, 3, "contains a zero byte"),
            (&symmetric("3 3 3\n2 1\n\n3 3\n1 2\n"), BadFormat, 6, 1, "(1, 2) and its mirror"),
            (&integer("3 3 1\n1 1 1.5\n"), BadFormat, 3, 5, "`1.5` is not a whole"),
            (&integer("3 3 1\n1 1 9223372036854775808\n"), OutOfRange, 3, 5, "63 bits"),
            (&real("3 3 1\n1 1\n"), BadFormat, 3, 4, "the value"),
            (&real("3 3 1\n1 1 nan\n"), BadFormat, 3, 5, "`nan` is not a number"),
            (&real("3 3 1\n1 1 1e\n"), BadFormat, 3, 5, "`1e` is not a number"),
            (&real("3 3 1\n1 1 .\n"), BadFormat, 3, 5, "`.` is not a number"),
            (&real("3 3 1\n1 1 1.2.3\n"), BadFormat, 3, 5, "`1.2.3` is not a number"),
            (&array("2 2\n1\n2\n3\n"), Truncated, 6, 1, "after 3 of the 4"),
            (&array("1 1\n1\n2\n"), HeaderLies, 4, 1, "an entry after the 1"),
            (&array("1 1\n1 2\n"), BadFormat, 3, 3, "end of the line, found `2`"),
            (&array("1 1 1\n1\n"), BadFormat, 2, 5, "end of the line, found `1`"),
            (&long, OutOfRange, 3, 3, "7777777…`"),
        ],
    );
}
