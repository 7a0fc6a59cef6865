//! Specifications in text: `gnp -n 100 -p 0.1`. The messages match those of the command line.

use star_base::Code;

use super::options::{KINDS, KindSpec, OptionSpec, Presence};
use super::value::ValueKind;
use super::{OptionValues, Specification};
use crate::error::FileError;

/// Parses a specification: a kind and its options, separated by blanks.
///
/// # Errors
/// E0605 for an unknown kind or option, an invalid value, or a missing option. The error has no
/// file name.
pub fn parse(text: &str) -> Result<Specification, FileError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wants_help = words.iter().any(|word| matches!(*word, "-h" | "--help"));
    let (&kind, options) = match words.split_first() {
        Some(split) if !wants_help => split,
        Some(_) | None => {
            return Err(bad("expected a kind; help is not available here".to_owned())
                .help("`star gen --help` lists the kinds"));
        }
    };
    let Some(kind) = KINDS.iter().find(|known| known.name == kind) else {
        return Err(bad(match kind.starts_with('-') {
            true => format!("unexpected argument `{kind}` found"),
            false => format!("unrecognized subcommand `{kind}`"),
        }));
    };
    let mut values = OptionValues::default();
    let mut words = options.iter().copied().peekable();
    while let Some(word) = words.next() {
        let Some((option, behind)) = find(kind, word) else {
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            return Err(bad(format!("unexpected argument `{name}` found")));
        };
        let is_value = |next: &&str| !next.starts_with('-') || is_negative(option.value, next);
        let text = match (option.value == ValueKind::Flag, behind) {
            (true, None) => "",
            (true, Some(text)) => {
                let message = "found; no more were expected";
                let shown = shown(option);
                return Err(bad(format!("unexpected value `{text}` for `{shown}` {message}")));
            }
            (false, Some(text)) => text,
            (false, None) => words.next_if(is_value).ok_or_else(|| {
                let shown = shown(option);
                bad(format!("a value is required for `{shown}` but none was supplied"))
            })?,
        };
        let is_list = option.value == ValueKind::Counts;
        if !is_list && values.has(option.long) {
            let shown = shown(option);
            return Err(bad(format!("the argument `{shown}` cannot be used multiple times")));
        }
        // Only lists have more than one piece.
        for piece in text.splitn(if is_list { usize::MAX } else { 1 }, ',') {
            let value = option.value.parse(piece).map_err(|why| {
                bad(format!("invalid value `{piece}` for `{}`: {why}", shown(option)))
            })?;
            values.push(option.long, value);
        }
    }
    complete(kind, &values)?;
    values.add_defaults(kind);
    Specification::new(kind.kind, &values)
}

/// Rejects conflicting and missing options.
fn complete(kind: &KindSpec, values: &OptionValues) -> Result<(), FileError> {
    let group: Vec<&OptionSpec> =
        kind.options().filter(|option| option.presence == Presence::OneOf).collect();
    let mut given = group.iter().filter(|option| values.has(option.long));
    let (first, second) = (given.next(), given.next());
    if let (Some(first), Some(second)) = (first, second) {
        let (first, second) = (shown(first), shown(second));
        return Err(bad(format!("the argument `{first}` cannot be used with `{second}`")));
    }
    let mut missing: Vec<String> = kind
        .options()
        .filter(|option| option.presence == Presence::Required && !values.has(option.long))
        .map(shown)
        .collect();
    if !group.is_empty() && first.is_none() {
        let names: Vec<String> = group.into_iter().map(shown).collect();
        missing.push(format!("<{}>", names.join("|")));
    }
    match missing.is_empty() {
        true => Ok(()),
        false => {
            let missing = missing.join(" ");
            Err(bad(format!("the following required arguments were not provided: {missing}")))
        }
    }
}

/// Returns the option that a word names, and the value in the same word.
fn find<'w>(kind: &KindSpec, word: &'w str) -> Option<(&'static OptionSpec, Option<&'w str>)> {
    if let Some(name) = word.strip_prefix("--") {
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        return Some((kind.options().find(|option| option.long == name)?, value));
    }
    let mut letters = word.strip_prefix('-')?.chars();
    let letter = letters.next()?;
    let option = kind.options().find(|option| option.short == Some(letter))?;
    let rest = letters.as_str();
    let value = rest.strip_prefix('=').unwrap_or(rest);
    Some((option, (!rest.is_empty()).then_some(value)))
}

fn is_negative(kind: ValueKind, word: &str) -> bool {
    kind.is_number() && word.parse::<f64>().is_ok()
}

/// The notation of an option in messages: `--vertices <N>`.
fn shown(option: &OptionSpec) -> String {
    match option.value == ValueKind::Flag {
        true => format!("--{}", option.long),
        false => format!("--{} <{}>", option.long, option.value_name),
    }
}

fn bad(message: String) -> FileError {
    FileError::new(Code::BadArgument, "", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::spec::Generator;
    use crate::generate::{Density, GraphKind, Labels, Repeats, Rmat, UniformGraph};

    #[test]
    fn options_have_several_notations() {
        for text in
            ["gnm -n 9 -m 7 --seed 3", "gnm --vertices=9 -m7 --seed=3", "gnm -n=9 -m 7 --seed 3"]
        {
            let spec = parse(text).unwrap();
            let expected = UniformGraph {
                n_vertices: 9,
                density: Density::Arcs(7),
                kind: GraphKind::Directed,
                labels: Labels::InOrder,
                max_weight: None,
            };
            assert_eq!((spec.seed, spec.generator), (3, Generator::Uniform(expected)), "{text}");
        }
        let spec = parse("rmat --scale 4 --keep-repeats --max-memory 2M -q").unwrap();
        assert_eq!((spec.seed, spec.max_bytes), (1, Some(2 << 20)));
        let Generator::Rmat(Rmat { n_vertices, n_arcs, corners, repeats, .. }) = spec.generator
        else {
            panic!("an R-MAT graph")
        };
        assert_eq!((n_vertices, n_arcs, repeats), (16, 256, Repeats::Kept));
        assert_eq!(corners, [0.57, 0.19, 0.19]);
    }

    #[test]
    fn messages_match_the_command_line() {
        let message = |text| parse(text).unwrap_err().message;
        for (text, expected) in [
            ("", "expected a kind; help is not available here"),
            ("gnm -n 5 --help", "expected a kind; help is not available here"),
            ("gnx -n 5", "unrecognized subcommand `gnx`"),
            ("gnm -n", "a value is required for `--vertices <N>` but none was supplied"),
            ("gnm -n 5 -x", "unexpected argument `-x` found"),
            ("gnm -n 5 x", "unexpected argument `x` found"),
            ("gnm -n -1 -m 2", "invalid value `-1` for `--vertices <N>`: it must not be negative"),
            (
                "gnm",
                "the following required arguments were not provided: --vertices <N> --arcs <M>",
            ),
            (
                "dag -n 5",
                "the following required arguments were not provided: <--probability <P>|--arcs <M>>",
            ),
            (
                "rmat -n 5 --scale 3",
                "the argument `--vertices <N>` cannot be used with `--scale <S>`",
            ),
            ("gnm -n 5 -n 6", "the argument `--vertices <N>` cannot be used multiple times"),
            (
                "gnm --undirected=x",
                "unexpected value `x` for `--undirected` found; no more were expected",
            ),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }
}
