//! The fields of tables of records, for files that have columns of the same names.

/// A field of the rows of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Its name in files.
    pub name: String,
    /// Its numbers.
    pub kind: FieldKind,
    /// Its number of columns.
    pub width: Width,
    /// Is it an array, so that `width` is that of an element?
    pub is_array: bool,
}

/// A text with which a routine compares a field of one of its tables of records: an integer
/// parameter, whose value is the code of the text in the file of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldText {
    /// The parameter that is the table.
    pub table: String,
    /// The name of the field in files.
    pub field: String,
    /// The text.
    pub text: String,
}

/// The kind of a field of a record type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `uint(k)`: a number that is not negative.
    Uint,
    /// `int(k)`: a number in two's complement.
    Int,
    /// `bits(k)`: not a number.
    Bits,
    /// `bit`: one column.
    Bit,
}

/// A number of columns: a sum of products of a number and parameters of a routine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Width(pub Vec<(i64, Vec<String>)>);

impl Width {
    /// Returns the parameter that is the whole width.
    pub fn parameter(&self) -> Option<&str> {
        match self.0.as_slice() {
            [(1, names)] => match names.as_slice() {
                [name] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the number of columns if the parameters have these values; `None` if one has none,
    /// or the number is negative or too large.
    pub fn value(&self, of: impl Fn(&str) -> Option<i64>) -> Option<usize> {
        let mut sum = 0_i64;
        for (factor, names) in &self.0 {
            let product = names.iter().try_fold(*factor, |product, name| {
                of(name).and_then(|value| product.checked_mul(value))
            })?;
            sum = sum.checked_add(product)?;
        }
        usize::try_from(sum).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_sums_of_products() {
        let of = |name: &str| (name == "k").then_some(5);
        let width = |terms: &[(i64, &[&str])]| {
            let term = |(factor, names): &(i64, &[&str])| {
                (*factor, names.iter().map(|name| (*name).to_owned()).collect())
            };
            Width(terms.iter().map(term).collect())
        };
        assert_eq!(width(&[(1, &["k"])]).parameter(), Some("k"));
        assert_eq!(width(&[(2, &["k"])]).parameter(), None);
        assert_eq!(width(&[(2, &["k", "k"]), (3, &[])]).value(of), Some(53));
        assert_eq!(width(&[(1, &["n"])]).value(of), None);
        assert_eq!(width(&[(-1, &["k"])]).value(of), None);
        assert_eq!(Width::default().value(of), Some(0));
    }
}
