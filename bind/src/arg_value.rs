//! `NAME=VALUE` arguments of the command line: the meaning of a value for a parameter of a given
//! kind.

use star_base::{Code, Diagnostic};
use star_io::Format;

use crate::data::MAX_WIDTH;
use crate::layouts::{AnyLayout, no_layout};
use crate::param::Kind;
use crate::part;
use star_base::text;
use star_value::{BitTable, BitVector, Value};

/// The meaning of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgValue {
    /// A value.
    Value(Value),
    /// The row of a vertex, by its name in the graph that is read.
    Vertex(String),
    /// The contents of a file.
    File {
        /// The layout of a graph or of numbers.
        layout: Option<AnyLayout>,
        /// The file name as given.
        path: String,
    },
}

/// Splits `NAME=VALUE`.
///
/// # Errors
/// E0608 if there is no `=` with a name before it.
pub fn split(argument: &str) -> Result<(&str, &str), Diagnostic> {
    match argument.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name, value)),
        _ => {
            let message = format!("`{argument}` is not an argument for a parameter");
            let help = "write arguments as `NAME=VALUE`, for example `n=5` or `G=road.gr`";
            Err(Diagnostic::new(Code::Usage, message).help(help))
        }
    }
}

/// Parses a width: 0 to [`MAX_WIDTH`] bits.
pub fn width(text: &str) -> Option<usize> {
    let bits: i64 = text.parse().ok()?;
    usize::try_from(bits).ok().filter(|_| bits <= MAX_WIDTH)
}

/// Returns the meaning of `text` for the parameter `name` of this kind.
///
/// # Errors
/// E0605 if it is not a value of that kind, E0507 if it begins with an unknown layout.
pub fn parse(name: &str, kind: Kind, text: &str) -> Result<ArgValue, Diagnostic> {
    let bad = |help: String| {
        let article = kind.with_article();
        let message = match text {
            "" => format!("no value after `{name}=`, which is {article}"),
            _ => format!("`{text}` is not a valid value for `{name}`, which is {article}"),
        };
        Diagnostic::new(Code::BadArgument, message).help(help)
    };
    let value = match kind {
        Kind::Int => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => return Err(bad(format!("write `{name}=5`: a signed 64-bit integer"))),
        },
        Kind::Bool if is_one_of(text, ["true", "yes"]) => Value::Bool(true),
        Kind::Bool if is_one_of(text, ["false", "no"]) => Value::Bool(false),
        Kind::Bool => return Err(bad(format!("write `{name}=true` or `{name}=false`"))),
        Kind::Str => Value::Str(text.to_owned()),
        Kind::Slice | Kind::Word => match bits(text) {
            Some(Some(bits)) if kind == Kind::Slice => Value::Slice(bits),
            Some(Some(bits)) => Value::Word(bits),
            Some(None) => return Err(bad("bits must be `0` or `1`".to_owned())),
            None if text.is_empty() => return Err(bad(what_to_write(name, kind))),
            None => match listed_bits(text) {
                Some(rows) => return Err(bad(bits_help(name, &rows.concat(), text))),
                None => return file(name, text),
            },
        },
        Kind::Table if text.is_empty() => return Err(bad(what_to_write(name, kind))),
        Kind::Table => match rows(text) {
            Some(Ok(table)) => table.into(),
            Some(Err(help)) => return Err(bad(help.to_owned())),
            None => match listed_bits(text) {
                Some(rows) => {
                    return Err(bad(bits_help(name, &format!("'{}'", rows.join(" ")), text)));
                }
                None => return file(name, text),
            },
        },
        Kind::Handle => return Err(bad(what_to_write(name, kind))),
    };
    Ok(ArgValue::Value(value))
}

fn is_one_of(text: &str, words: [&str; 2]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns an example of an argument for a parameter.
pub fn what_to_write(name: &str, kind: Kind) -> String {
    match kind {
        Kind::Int => format!("write `{name}=NUMBER`"),
        Kind::Bool => format!("write `{name}=true` or `{name}=false`"),
        Kind::Str => format!("write `{name}=TEXT`"),
        Kind::Slice => format!("write `{name}=0101`, or `{name}=FILE` for a slice from a file"),
        Kind::Word => format!("write `{name}=0101`, or `{name}=FILE` for a word from a file"),
        Kind::Table => format!(
            "write `{name}=FILE`, `{name}=LAYOUT:FILE` for a graph in a layout other than \
                `adjacency`, or its rows: `{name}='010 001'`"
        ),
        Kind::Handle => format!("`{name}` can only be created inside a program"),
    }
}

/// `'0101'` or `0101`. `None`: not bits; `Some(None)`: quoted, but not bits.
fn bits(text: &str) -> Option<Option<BitVector>> {
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'').and_then(BitVector::parse));
    }
    if text.is_empty() {
        return None;
    }
    BitVector::parse(text).map(Some)
}

/// The rows of a table, separated by blanks: `010 001`, optionally in quotes. `None`: not bits.
fn rows(text: &str) -> Option<Result<BitTable, &'static str>> {
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let is_quoted = text.starts_with('\'');
    let rows: Vec<&str> = inner.unwrap_or(text).split_whitespace().collect();
    let is_bits = |row: &&str| row.bytes().all(|byte| matches!(byte, b'0' | b'1'));
    match rows.iter().all(is_bits) && !rows.is_empty() && (inner.is_some() || !is_quoted) {
        true => Some(BitTable::parse(&rows).ok_or("all rows of a table must have the same length")),
        false if is_quoted => Some(Err("write rows of bits as `'010 001'`")),
        false => None,
    }
}

/// The rows of bits in a list as other languages write it: `01,10`, `[0,1]` or `[[0,1],[1,1]]`.
/// `None` without a separator or with anything else.
fn listed_bits(text: &str) -> Option<Vec<String>> {
    const ENDS: [char; 4] = [';', ']', ')', '}'];
    const INNER: [char; 5] = [',', '[', '(', '{', ' '];
    let is_separator = |c| ENDS.contains(&c) || INNER.contains(&c) && c != ' ';
    let is_bit = |c| matches!(c, '0' | '1');
    if !text.contains(is_separator)
        || !text.contains(is_bit)
        || !text.chars().all(|c| is_bit(c) || is_separator(c) || c == ' ')
    {
        return None;
    }
    let pieces = |text: &str| -> Vec<String> {
        text.split(INNER).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> =
        text.split(ENDS).map(pieces).filter(|row| !row.is_empty()).collect();
    Some(match &rows[..] {
        [row] if row.iter().any(|piece| piece.len() > 1) => row.clone(),
        _ => rows.iter().map(|row| row.concat()).collect(),
    })
}

fn bits_help(name: &str, bits: &str, text: &str) -> String {
    format!("write `{name}={bits}`, or `{name}=./{text}` for a file of this name")
}

/// `[LAYOUT:]FILE`.
fn file(name: &str, text: &str) -> Result<ArgValue, Diagnostic> {
    let Some((prefix, _)) = text.split_once(':') else {
        return Ok(ArgValue::File { layout: None, path: text.to_owned() });
    };
    if let Some((layout, path)) = AnyLayout::split(text) {
        return match path {
            "" => Err(Diagnostic::new(
                Code::BadArgument,
                format!("no file after the layout of `{name}`"),
            )
            .help(format!("write `{name}={layout}:FILE`"))),
            _ => Ok(ArgValue::File { layout: Some(layout), path: path.to_owned() }),
        };
    }
    if Format::of_stream(text).is_some_and(|_| Format::of_path(text).is_some())
        || part::split_direction(text).0.is_some()
    {
        return Ok(ArgValue::File { layout: None, path: text.to_owned() });
    }
    // A single letter is a drive.
    let is_word = prefix.len() > 1 && prefix.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    if is_word {
        let fault = match prefix {
            "field" => Diagnostic::new(Code::BadArgument, "no field name before the file")
                .help(format!("write `{name}=field:NAME:FILE`")),
            "code" => {
                Diagnostic::new(Code::BadArgument, "no field value before the file").help(format!(
                    "write `{name}=code:FIELD=VALUE:FILE`, or `{name}=code:FILE` for the codes of \
                     the vertices of a graph"
                ))
            }
            _ => no_layout(prefix),
        };
        return Err(fault.help(format!(
            "write a file name that contains a colon as `{name}=./{}`",
            text::one_line(text)
        )));
    }
    Ok(ArgValue::File { layout: None, path: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use star_io::Layout;

    use super::*;

    fn path(text: &str) -> Option<(Option<AnyLayout>, String)> {
        match parse("T", Kind::Table, text) {
            Ok(ArgValue::File { layout, path }) => Some((layout, path)),
            Ok(ArgValue::Value(_) | ArgValue::Vertex(_)) | Err(_) => None,
        }
    }

    #[test]
    fn scalars_and_bits_are_values() {
        let value = |kind, text| match parse("x", kind, text) {
            Ok(ArgValue::Value(value)) => Some(value),
            Ok(ArgValue::File { .. } | ArgValue::Vertex(_)) | Err(_) => None,
        };
        assert_eq!(value(Kind::Int, "-5"), Some(Value::Int(-5)));
        assert_eq!(value(Kind::Int, "9223372036854775808"), None);
        assert_eq!(value(Kind::Int, ""), None);
        assert_eq!(value(Kind::Bool, "True"), Some(Value::Bool(true)));
        assert_eq!(value(Kind::Bool, "1"), None);
        assert_eq!(value(Kind::Str, "a=b"), Some(Value::Str("a=b".to_owned())));
        let bits = BitVector::parse("0101").unwrap();
        assert_eq!(value(Kind::Slice, "0101"), Some(Value::Slice(bits.clone())));
        assert_eq!(value(Kind::Word, "'0101'"), Some(Value::Word(bits)));
        assert_eq!(value(Kind::Word, "''"), Some(Value::Word(BitVector::zeros(0))));
        assert_eq!(value(Kind::Word, "'012'"), None);
        assert_eq!(value(Kind::Word, "'01"), None);
    }

    #[test]
    fn rows_of_bits_are_a_table() {
        let table = |text| parse("T", Kind::Table, text);
        let rows = BitTable::parse(&["010", "001"]).unwrap();
        let expected = Ok(ArgValue::Value(Value::from(rows)));
        for text in ["010 001", "'010 001'", " 010\n001 "] {
            assert_eq!(table(text), expected);
        }
        let one = BitTable::parse(&["10"]).unwrap();
        assert_eq!(table("10"), Ok(ArgValue::Value(Value::from(one))));
        let rows = "write rows of bits";
        for (wrong, help) in [("01 1", "same length"), ("'01 2'", rows), ("'01", rows)] {
            let fault = table(wrong).unwrap_err();
            assert_eq!(fault.code, Code::BadArgument);
            assert!(fault.help[0].contains(help), "{wrong}: {fault:?}");
        }
        assert_eq!(path("./010"), Some((None, "./010".to_owned())));
        assert_eq!(path("10.mtx 01"), Some((None, "10.mtx 01".to_owned())));
    }

    #[test]
    fn lists_of_bits_are_refused_with_advice() {
        let help = |kind, text| parse("T", kind, text).unwrap_err().help[0].clone();
        for (text, rows) in
            [("01,10", "'01 10'"), ("[[0, 1], [1, 1]]", "'01 11'"), ("[0 1; 1 1]", "'01 11'")]
        {
            let expected = format!("write `T={rows}`, or `T=./{text}` for a file of this name");
            assert_eq!(help(Kind::Table, text), expected);
        }
        assert!(help(Kind::Slice, "[0,1,1]").starts_with("write `T=011`,"));
        assert!(help(Kind::Word, "0;1").starts_with("write `T=01`,"));
        for text in ["1,2", ",", "0,1.csv", "./0,1"] {
            assert_eq!(path(text), Some((None, text.to_owned())));
        }
    }

    #[test]
    fn a_layout_precedes_a_file() {
        let plain = |path: &str| Some((None, path.to_owned()));
        assert_eq!(path("road.gr"), plain("road.gr"));
        let laid_out = Some((Some(AnyLayout::Graph(Layout::WeightsOut)), "a:b.gr".to_owned()));
        assert_eq!(path("weights-out:a:b.gr"), laid_out);
        assert_eq!(path("./a:b"), plain("./a:b"));
        assert_eq!(path(r"C:\road.gr"), plain(r"C:\road.gr"));
        assert_eq!(path("2:a"), plain("2:a"));
        for text in ["csv:-", "undirected:roads.csv"] {
            assert_eq!(path(text), plain(text));
        }
        assert_eq!(path("arcs:"), None);
        let unknown = parse("T", Kind::Table, "adjacensy:road.gr").unwrap_err();
        assert_eq!(unknown.code, Code::NoSuchLayout);
        assert_eq!(unknown.help[0], "did you mean `adjacency`?");
        assert!(unknown.help[1].contains("./adjacensy:road.gr"));
    }

    #[test]
    fn names_end_at_the_first_equals_sign() {
        assert_eq!(split("a=b=c").ok(), Some(("a", "b=c")));
        assert_eq!(split("a=").ok(), Some(("a", "")));
        assert_eq!(split("=b").unwrap_err().code, Code::Usage);
        assert_eq!(split("ab").unwrap_err().code, Code::Usage);
    }
}
