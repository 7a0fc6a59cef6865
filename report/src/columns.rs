//! Plain tables for terminals: aligned columns without rules.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Alignment of a cell in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left: texts.
    Left,
    /// Right: numbers.
    Right,
}

/// Formats the rows as lines, with two blanks between columns. Each cell should be one line.
pub fn lines<const N: usize>(
    aligns: [Align; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.add_rows(rows);
    if table.is_empty() {
        return String::new();
    }
    for (column, align) in table.column_iter_mut().zip(aligns) {
        column.set_padding((0, 2));
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned_in_columns() {
        let rows = [["a", "1", "x"], ["bcd", "234", ""], ["", "", ""], ["日本", "5", "long y"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        let text = lines([Align::Left, Align::Right, Align::Left], rows);
        assert_eq!(text, "a       1  x\nbcd   234\n\n日本    5  long y\n");
        assert_eq!(lines::<2>([Align::Left; 2], []), "");
    }
}
