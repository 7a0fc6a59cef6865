//! Changes made by a statement, as text: old and new values, and the rows of a table that differ.

use star_base::text;
use star_value::{BitVector, Table, Value, display};

use crate::show::{self, Change, Grid, Picture, Rows, Screen, draw};

/// Maximum number of rows shown of a table, and of positions listed of a long slice or word.
const MAX_SHOWN: usize = 8;
/// Columns shown around changed ones.
const AROUND: usize = 3;

/// Returns the lines for a variable whose value changed from `old` to `new`; none if they are
/// equal.
pub(super) fn lines(name: &str, old: &Value, new: &Value, screen: Screen) -> Vec<String> {
    if old == new {
        return Vec::new();
    }
    match (old, new) {
        (Value::Slice(before), Value::Slice(after)) | (Value::Word(before), Value::Word(after))
            if before.len() == after.len() && after.len() > display::MAX_BITS =>
        {
            vec![format!("{name}: {}", places(before, after))]
        }
        (Value::Table(before), Value::Table(after)) => table(name, before, after, screen),
        (_, Value::Table(after)) => {
            let mut lines = vec![format!("{name}: {} → {}", short(old), show::sizes(after))];
            let picture = Picture { table: Some(after), ..Picture::default() };
            lines.extend(draw(&picture, Screen { rows: MAX_SHOWN, ..screen }));
            lines
        }
        (
            _,
            Value::Unset
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Slice(_)
            | Value::Word(_),
        ) => vec![format!("{name}: {} → {}", short(old), short(new))],
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::Table(table) => show::sizes(table),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => display::short(value.into()),
    }
}

/// Returns the positions at which two long vectors of one length differ.
fn places(before: &BitVector, after: &BitVector) -> String {
    let differ = |idx: &usize| before.get(*idx) != after.get(*idx);
    let changed: Vec<usize> = (0..after.len()).filter(differ).collect();
    let shown: Vec<String> =
        changed.iter().take(MAX_SHOWN).map(|idx| (idx + 1).to_string()).collect();
    let rest = if changed.len() > MAX_SHOWN { ", …" } else { "" };
    format!(
        "{} → {} of {}, changed at {}{rest}",
        before.count_ones(),
        text::count(usize::try_from(after.count_ones()).unwrap_or(usize::MAX), "one"),
        text::count(after.len(), "bit"),
        shown.join(", ")
    )
}

fn table(name: &str, before: &Table, after: &Table, screen: Screen) -> Vec<String> {
    let grown = (before.n_rows(), before.n_cols()) != (after.n_rows(), after.n_cols());
    if before.n_rows() != after.n_rows() || before.n_cols() > after.n_cols() {
        return vec![format!("{name}: {} → {}", show::sizes(before), show::sizes(after))];
    }
    // Bits of new columns were zero.
    let old = |row_idx, col_idx| col_idx < before.n_cols() && before.get(row_idx, col_idx);
    let mut rows = vec![0_u64; after.n_rows().div_ceil(64)];
    let (mut first, mut last, mut n_bits) = (usize::MAX, 0, 0_u64);
    for col_idx in 0..after.n_cols() {
        let was = (col_idx < before.n_cols()).then(|| before.column_limbs(col_idx));
        for (idx, &limb) in after.column_limbs(col_idx).iter().enumerate() {
            let differs = limb ^ was.as_ref().map_or(0, |limbs| limbs[idx]);
            if differs != 0 {
                rows[idx] |= differs;
                n_bits += u64::from(differs.count_ones());
                (first, last) = (first.min(col_idx), last.max(col_idx));
            }
        }
    }
    let is_changed = |row_idx: &usize| rows[row_idx / 64] >> (row_idx % 64) & 1 == 1;
    let rows: Vec<usize> = (0..after.n_rows()).filter(is_changed).collect();
    let sizes = match grown {
        true => format!("{} → {}, ", show::sizes(before), show::sizes(after)),
        false => String::new(),
    };
    let n_changed = usize::try_from(n_bits).unwrap_or(usize::MAX);
    let what = text::count(n_changed, "bit");
    let mut lines = vec![match rows.as_slice() {
        [] => format!("{name}: {sizes}no bit changed"),
        [row_idx] => format!("{name}: {sizes}{what} changed in row {}", row_idx + 1),
        several => {
            format!("{name}: {sizes}{what} changed in {}", text::count(several.len(), "row"))
        }
    }];
    if rows.is_empty() {
        return lines;
    }
    let fits = screen.width.saturating_sub(12);
    let columns = match after.n_cols() <= fits {
        true => 0..after.n_cols(),
        false => first.saturating_sub(AROUND)..(last + 1 + AROUND).min(after.n_cols()),
    };
    let change = |row_idx, col_idx| match old(row_idx, col_idx) == after.get(row_idx, col_idx) {
        true => Change::Same,
        false => Change::Flipped,
    };
    let picture = Picture {
        table: Some(after as &dyn Grid),
        rows: Rows::These(&rows),
        columns: Some(columns),
        change: Some(&change),
        ..Picture::default()
    };
    lines.extend(draw(&picture, Screen { rows: MAX_SHOWN, ..screen }));
    if rows.len() > MAX_SHOWN {
        lines.push(format!(" … and {}", text::count(rows.len() - MAX_SHOWN, "row")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use star_value::BitTable;

    use super::*;

    fn of(old: &Value, new: &Value) -> String {
        lines("X", old, new, Screen::default()).join("\n")
    }

    fn slice(text: &str) -> Value {
        Value::Slice(BitVector::parse(text).unwrap())
    }

    #[test]
    fn small_values_are_shown_before_and_after() {
        assert_eq!(of(&Value::Int(1), &Value::Int(1)), "");
        assert_eq!(of(&Value::Unset, &Value::Int(1)), "X: unset → 1");
        assert_eq!(of(&slice("01"), &slice("11")), "X: 01 → 11");
        assert_eq!(of(&slice("01"), &slice("011")), "X: 01 → 011");
    }

    #[test]
    fn changes_in_long_vectors_list_positions() {
        let mut before = BitVector::zeros(500);
        before.put(3, true);
        let mut after = before.clone();
        after.put(3, false);
        after.put(499, true);
        let text = of(&Value::Slice(before.clone()), &Value::Slice(after));
        assert_eq!(text, "X: 1 → 1 one of 500 bits, changed at 4, 500");
        let all = BitVector::from_bools(&[true; 500]);
        let text = of(&Value::Slice(before), &Value::Slice(all));
        assert!(text.ends_with("changed at 1, 2, 3, 5, 6, 7, 8, 9, …"), "{text}");
    }

    #[test]
    fn changes_in_tables_show_the_changed_rows() {
        let before = BitTable::parse(&["010", "001", "000"]).unwrap();
        let mut after = before.clone();
        after.put(0, 1, false);
        after.put(0, 2, true);
        let text = of(&Value::from(before.clone()), &Value::from(after.clone()));
        assert_eq!(text, "X: 2 bits changed in row 1\n    1 3\n 1  0-+");
        after.put(2, 0, true);
        let text = of(&Value::from(before.clone()), &Value::from(after));
        assert_eq!(text, "X: 3 bits changed in 2 rows\n    1 3\n 1  0-+\n …\n 3  +00");
        let mut grown = before.clone();
        grown.resize_columns(5).unwrap();
        grown.put(1, 4, true);
        let text = of(&Value::from(before.clone()), &Value::from(grown));
        let expected = "X: table(3, 3) → table(3, 5), 1 bit changed in row 2\n    1   5\n 2  0010+";
        assert_eq!(text, expected);
        let text = of(&Value::Unset, &Value::from(before));
        assert_eq!(text, "X: unset → table(3, 3)\n    1 3\n 1  010\n 2  001\n 3  000");
    }

    #[test]
    fn the_excerpt_of_a_wide_table_contains_the_change() {
        let before = BitTable::zeros(100, 1000).unwrap();
        let mut after = before.clone();
        after.put(70, 700, true);
        let text = of(&Value::from(before), &Value::from(after));
        assert_eq!(text, "X: 1 bit changed in row 71\n     698 704\n 71  000+000");
    }
}
