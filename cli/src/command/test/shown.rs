//! Values in messages: their syntax in a header or command line, and their differences.

use star_value::{BitVector, Table, Value, display};

use crate::text;

/// Maximum number of bits shown of a value.
const MAX_BITS: usize = 2048;
/// Maximum number of differing rows shown.
const MAX_ROWS: usize = 8;
/// Maximum number of columns shown of a row.
const MAX_COLUMNS: usize = 64;

/// Returns the value in the syntax of a header; `None` if it is too large or has no literal form.
pub(super) fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Unset => None,
        Value::Int(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Str(text) => Some(text.clone()),
        Value::Slice(bits) | Value::Word(bits) if bits.is_empty() => Some("''".to_owned()),
        Value::Slice(bits) | Value::Word(bits) => {
            (bits.len() <= MAX_BITS).then(|| bits.to_string())
        }
        Value::Table(table) => {
            let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
            match n_rows.checked_mul(n_cols) {
                Some(0) => Some(format!("gen table --rows {n_rows} --widths {n_cols}")),
                Some(bits) if bits <= MAX_BITS => {
                    let rows: Vec<String> =
                        (0..n_rows).map(|row| table.row(row).to_string()).collect();
                    Some(rows.join(" "))
                }
                Some(_) | None => None,
            }
        }
    }
}

/// Describes the difference between the expected value and the one found.
pub(super) fn difference(expected: &Value, found: &Value) -> String {
    match (expected, found) {
        (Value::Table(expected), Value::Table(found))
            if (expected.n_rows(), expected.n_cols()) == (found.n_rows(), found.n_cols()) =>
        {
            rows(expected, found)
        }
        (Value::Slice(expected), Value::Slice(found))
        | (Value::Word(expected), Value::Word(found))
            if expected.len() == found.len() =>
        {
            pair(expected, found, "").join("\n")
        }
        (expected, found) => {
            let shown = |value: &Value| {
                let text = display::long(display::Shown::from(value));
                match text.contains('\n') {
                    true => format!("\n{text}"),
                    false => text::one_line(&text),
                }
            };
            format!("expected {}\nfound {}", shown(expected), shown(found))
        }
    }
}

/// Returns the rows that differ.
fn rows(expected: &Table, found: &Table) -> String {
    let n_rows = expected.n_rows();
    let differing: Vec<usize> =
        (0..n_rows).filter(|&row| expected.row(row) != found.row(row)).collect();
    let mut lines = Vec::new();
    for &row in differing.iter().take(MAX_ROWS) {
        let title = format!("row {}: ", row + 1);
        lines.extend(pair(&expected.row(row), &found.row(row), &title));
    }
    let (n, sizes) = (differing.len(), format!("{} × {}", n_rows, expected.n_cols()));
    if n > MAX_ROWS {
        lines.push(format!("… and {} of {sizes}", text::count(n - MAX_ROWS, "further row")));
    } else if n_rows > n {
        lines.push(format!("the other rows of {sizes} agree"));
    }
    lines.join("\n")
}

/// Shows two rows of bits with marks under the differences; long rows are shown around the first
/// difference.
fn pair(expected: &BitVector, found: &BitVector, title: &str) -> Vec<String> {
    let n = expected.len();
    let first = (0..n).find(|&idx| expected.get(idx) != found.get(idx)).unwrap_or(0);
    let from = if n <= MAX_COLUMNS { 0 } else { first.saturating_sub(MAX_COLUMNS / 4) };
    let to = (from + MAX_COLUMNS).min(n);
    let (before, behind) = (if from > 0 { "…" } else { "" }, if to < n { "…" } else { "" });
    let bits = |bits: &BitVector| -> String {
        (from..to).map(|idx| if bits.get(idx) { '1' } else { '0' }).collect()
    };
    let mark = |idx: usize| if expected.get(idx) == found.get(idx) { ' ' } else { '^' };
    let marks: String = (from..to).map(mark).collect();
    let blank = " ".repeat(title.chars().count());
    let shift = " ".repeat(before.chars().count());
    let place = if from > 0 { format!(" column {}", first + 1) } else { String::new() };
    vec![
        format!("{title}expected {before}{}{behind}", bits(expected)),
        format!("{blank}found    {before}{}{behind}", bits(found)),
        format!("{blank}         {shift}{}{place}", marks.trim_end()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&str]) -> Value {
        Value::from(Table::parse(rows).unwrap())
    }

    fn word(text: &str) -> Value {
        Value::Word(BitVector::parse(text).unwrap())
    }

    #[test]
    fn differing_rows_are_marked() {
        let shown = difference(&table(&["011", "000", "110"]), &table(&["011", "001", "100"]));
        let expected = "\
row 2: expected 000
       found    001
                  ^
row 3: expected 110
       found    100
                 ^
the other rows of 3 × 3 agree";
        assert_eq!(shown, expected);
    }

    #[test]
    fn long_rows_are_truncated_around_the_difference() {
        let mut other = vec![false; 500];
        other[299] = true;
        let other = Value::Word(BitVector::from_bools(&other));
        let shown = difference(&word(&"0".repeat(500)), &other);
        assert!(shown.lines().all(|line| line.chars().count() < 100), "{shown}");
        assert!(shown.ends_with("^ column 300"), "{shown}");
    }

    #[test]
    fn values_of_different_sizes_are_shown_completely() {
        assert_eq!(difference(&word("01"), &word("011")), "expected 01\nfound 011");
        let shown = difference(&table(&["01"]), &table(&["01", "10"]));
        assert_eq!(shown, "expected 01\nfound \n01\n10");
    }

    #[test]
    fn literals_are_valid_in_headers() {
        assert_eq!(literal(&table(&["01", "10"])).as_deref(), Some("01 10"));
        assert_eq!(literal(&word("")).as_deref(), Some("''"));
        let empty = Value::from(Table::zeros(0, 3).unwrap());
        assert_eq!(literal(&empty).as_deref(), Some("gen table --rows 0 --widths 3"));
        assert_eq!(literal(&Value::from(Table::zeros(100, 100).unwrap())), None);
    }
}
