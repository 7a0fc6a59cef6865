//! Refusal of fields of different parameters whose values could be compared by a program although
//! equal values have different bits: codes of texts, and numbers with an offset. Fields of
//! different kinds, such as texts and numbers, have no equal values: they are refused if they have
//! one name, or are the only fields of their parameters.

use std::ops::Range;

use star_base::{Code, text};
use star_io::{Coding, FileError, Numbers};

use crate::param::Kind;

/// The fields in the value of a parameter.
pub(crate) struct ParamFields {
    param: String,
    kind: Kind,
    file: String,
    fields: Vec<CodedField>,
}

struct CodedField {
    name: String,
    width: usize,
    coding: Coding,
}

impl ParamFields {
    /// Creates the fields in this range, with their widths.
    pub(crate) fn new(
        param: &str,
        kind: Kind,
        file: &str,
        numbers: &Numbers,
        range: Range<usize>,
        widths: &[usize],
    ) -> Self {
        let fields = numbers.fields.get(range).unwrap_or_default().iter().zip(widths);
        let fields = fields.map(|(field, &width)| CodedField {
            name: field.name.clone(),
            width,
            coding: Coding::of(field),
        });
        let (param, file) = (param.to_owned(), file.to_owned());
        ParamFields { param, kind, file, fields: fields.collect() }
    }

    /// Returns whether a field has the same name and no other coding here.
    fn has(&self, field: &CodedField) -> bool {
        let is_same = |own: &CodedField| {
            own.name == field.name
                && own.coding.is_of_kind(&field.coding)
                && !own.coding.differs(&field.coding)
        };
        self.fields.iter().any(is_same)
    }
}

/// Refuses fields of two parameters that have one width and different codings, unless one of them
/// is also a field of the other parameter. The code of a value must be that of a field of a table.
/// With codes that are `shared`, only fields of different kinds are refused.
///
/// # Errors
/// E0507 with the settings that say what is meant.
pub(crate) fn check(params: &[ParamFields], shared: bool) -> Result<(), FileError> {
    let tables = || params.iter().filter(|param| param.kind == Kind::Table);
    for (idx, second) in params.iter().enumerate() {
        for first in &params[..idx] {
            let is_word = |param: &ParamFields| param.kind != Kind::Table;
            if is_word(first) && is_word(second) {
                continue;
            }
            let are_single = first.fields.len() == 1 && second.fields.len() == 1;
            for field in &second.fields {
                let other = first.fields.iter().find(|other| {
                    let is_refused = match field.coding.is_of_kind(&other.coding) {
                        true => !shared && field.coding.differs(&other.coding),
                        false => are_single || field.name == other.name,
                    };
                    other.width == field.width
                        && is_refused
                        && !first.has(field)
                        && !second.has(other)
                        && !(is_word(first) && tables().any(|table| table.has(other)))
                        && !(is_word(second) && tables().any(|table| table.has(field)))
                });
                if let Some(other) = other {
                    return Err(refusal((first, other), (second, field)));
                }
            }
        }
    }
    Ok(())
}

fn refusal(
    (first, other): (&ParamFields, &CodedField),
    (second, field): (&ParamFields, &CodedField),
) -> FileError {
    let name = |field: &CodedField| text::one_line(&field.name).to_string();
    if !field.coding.is_of_kind(&other.coding) {
        let message = format!(
            "field `{}` for `{}` holds {}, and field `{}` for `{}` {}",
            name(other),
            first.param,
            other.coding.describe(),
            name(field),
            second.param,
            field.coding.describe(),
        );
        return FileError::new(Code::NoSuchLayout, &second.file, message)
            .note("a comparison of their bits has no meaning")
            .help("`texts=FIELD` reads numbers as texts, `scale=NUMBER` scales all fields alike")
            .help("`codes=own` is for programs that do not compare these fields");
    }
    let what = match field.coding {
        Coding::Texts(_) => "codes of texts",
        Coding::Numbers(..) => "offsets",
    };
    let message = format!(
        "field `{}` for `{}` and field `{}` for `{}` have different {what}",
        name(other),
        first.param,
        name(field),
        second.param
    );
    FileError::new(Code::NoSuchLayout, &second.file, message)
        .note(
            "equal values have different bits in fields of one width: a comparison would be wrong",
        )
        .help("`codes=shared` gives equal values the same bits in all fields")
        .help("`codes=own` keeps different ones, for programs that do not compare these fields")
}

#[cfg(test)]
mod tests {
    use star_io::{Field, Meaning, Shape};

    use super::*;

    fn numbers(param: &str, kind: Kind, fields: &[(&str, i64, usize)]) -> ParamFields {
        let field = |&(name, least, _): &(&str, i64, usize)| Field::new(name, None, vec![least, 9]);
        let widths: Vec<usize> = fields.iter().map(|(_, _, width)| *width).collect();
        let fields = fields.iter().map(field).collect();
        let numbers = Numbers { shape: Shape::List(2), fields };
        ParamFields::new(param, kind, "f.csv", &numbers, 0..widths.len(), &widths)
    }

    #[test]
    fn different_offsets_of_one_width_are_refused() {
        let table = |param, fields: &[_]| numbers(param, Kind::Table, fields);
        let low = || table("A", &[("low", -10, 8)]);
        let refused = |params: &[ParamFields]| check(params, false).is_err();
        assert!(refused(&[low(), table("B", &[("high", -4, 8)])]));
        assert!(refused(&[low(), table("B", &[("high", 4, 8)])]));
        assert!(!refused(&[low(), table("B", &[("high", -10, 8)])]));
        assert!(!refused(&[low(), table("B", &[("high", -4, 9)])]));
        // Fields of one table are not compared with each other here.
        assert!(!refused(&[table("T", &[("low", -10, 8), ("high", -4, 8)])]));
        assert!(!refused(&[low(), table("T", &[("low", -10, 8), ("high", -4, 8)])]));
        let word = |name, least| numbers("v", Kind::Word, &[(name, least, 8)]);
        assert!(!refused(&[table("T", &[("low", -10, 8), ("high", -4, 8)]), word("high", -4)]));
        assert!(refused(&[low(), word("high", -4)]));
    }

    #[test]
    fn fields_of_different_kinds_are_refused_if_a_program_must_compare_them() {
        let of = |param, name: &str, meaning: Meaning| {
            let field = |name: &str, meaning| Field { meaning, ..Field::new(name, None, vec![1]) };
            let fields = vec![field(name, meaning), field("other", Meaning::Number)];
            let numbers = Numbers { shape: Shape::List(1), fields };
            move |n: usize| ParamFields::new(param, Kind::Table, "f.csv", &numbers, 0..n, &[5, 6])
        };
        let texts = of("A", "zip", Meaning::Texts(star_io::Texts::of(["x".to_owned()])));
        let numbers = of("B", "zip", Meaning::Number);
        let others = of("B", "age", Meaning::Number);
        let scaled = of("B", "age", Meaning::Scaled(star_io::Decimal::whole(10)));
        for shared in [false, true] {
            let refused = |params: [ParamFields; 2]| check(&params, shared).is_err();
            assert!(refused([texts(1), numbers(1)]) && refused([texts(2), numbers(2)]));
            assert!(refused([texts(1), others(1)]) && !refused([texts(2), others(2)]));
            assert!(refused([others(1), scaled(1)]) && !refused([scaled(1), scaled(1)]));
        }
    }
}
