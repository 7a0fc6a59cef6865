//! What differs between two texts, line by line, in the unified form.

use std::fmt::Write;

/// Lines shown around what differs.
const AROUND: usize = 3;

/// Differing lines beyond which a part of the texts counts as replaced as a whole.
const MOST: isize = 1000;

/// What is done with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Keep,
    Delete,
    Insert,
}

/// The difference as `diff -u` shows it; empty if there is none.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let edits = edits(&old, &new);
    let mut out = String::new();
    let (mut at, mut old_line, mut new_line) = (0, 0, 0);
    while let Some(changed) = edits[at..].iter().position(|edit| *edit != Edit::Keep) {
        if out.is_empty() {
            out = format!("--- {name}\n+++ {name} (formatted)\n");
        }
        // The part that is shown: up to lines that are the same twice as long as what is shown of them.
        let head = changed.min(AROUND);
        let from = at + changed - head;
        let skipped = from - at;
        (old_line, new_line) = (old_line + skipped, new_line + skipped);
        let mut to = at + changed;
        let mut same = 0;
        while to < edits.len() && same <= 2 * AROUND {
            same = if edits[to] == Edit::Keep { same + 1 } else { 0 };
            to += 1;
        }
        to -= same.saturating_sub(AROUND);
        let part = &edits[from..to];
        let n = |without: Edit| part.iter().filter(|edit| **edit != without).count();
        let (n_old, n_new) = (n(Edit::Insert), n(Edit::Delete));
        // Writing to a string does not fail.
        let place = |line: usize, n: usize| line + usize::from(n > 0);
        let (first_old, first_new) = (place(old_line, n_old), place(new_line, n_new));
        let _ = writeln!(out, "@@ -{first_old},{n_old} +{first_new},{n_new} @@");
        for edit in part {
            let (sign, line) = match edit {
                Edit::Keep => (' ', old[old_line]),
                Edit::Delete => ('-', old[old_line]),
                Edit::Insert => ('+', new[new_line]),
            };
            old_line += usize::from(*edit != Edit::Insert);
            new_line += usize::from(*edit != Edit::Delete);
            let _ = write!(out, "{sign}{line}");
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
        at = to;
    }
    out
}

/// The lines with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// How one row of lines becomes the other with few edits (Myers 1986).
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut edits = vec![Edit::Keep; head];
    edits.extend(middle(old, new));
    edits.extend(std::iter::repeat_n(Edit::Keep, tail));
    edits
}

fn middle(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let (n_old, n_new) = (old.len() as isize, new.len() as isize);
    let most = (n_old + n_new).min(MOST);
    // How many old lines the paths of d edits have behind them, by diagonal: old minus new lines.
    let mut reach = Reach { most, lines: vec![0; 2 * most as usize + 3] };
    let mut steps = Vec::new();
    for d in 0..=most {
        steps.push(reach.clone());
        for diagonal in (-d..=d).step_by(2) {
            let (from, inserts) = reach.way_to(diagonal, d);
            let mut x = if inserts { from } else { from + 1 };
            while x < n_old
                && x - diagonal < n_new
                && old[x as usize] == new[(x - diagonal) as usize]
            {
                x += 1;
            }
            *reach.at(diagonal) = x;
            if x >= n_old && x - diagonal >= n_new {
                return path(&mut steps, n_old, n_new);
            }
        }
    }
    let mut edits = vec![Edit::Delete; old.len()];
    edits.extend(std::iter::repeat_n(Edit::Insert, new.len()));
    edits
}

/// Old lines that paths have behind them.
#[derive(Clone)]
struct Reach {
    most: isize,
    lines: Vec<isize>,
}

impl Reach {
    fn at(&mut self, diagonal: isize) -> &mut isize {
        &mut self.lines[(diagonal + self.most + 1) as usize]
    }

    /// Where the path of d edits to a diagonal comes from, and whether its last edit inserts a line.
    fn way_to(&mut self, diagonal: isize, d: isize) -> (isize, bool) {
        let (below, above) = (*self.at(diagonal - 1), *self.at(diagonal + 1));
        let inserts = diagonal == -d || diagonal != d && below < above;
        (if inserts { above } else { below }, inserts)
    }
}

/// The edits of the path that ends behind all lines.
fn path(steps: &mut [Reach], n_old: isize, n_new: isize) -> Vec<Edit> {
    let (mut x, mut y, mut edits) = (n_old, n_new, Vec::new());
    for (d, reach) in steps.iter_mut().enumerate().rev() {
        let (from, inserts) = reach.way_to(x - y, d as isize);
        // The first line of the first step has nothing before it.
        let start = if inserts || d == 0 { from } else { from + 1 };
        edits.extend(std::iter::repeat_n(Edit::Keep, (x - start) as usize));
        y -= x - start;
        x = start;
        if d > 0 && inserts {
            edits.push(Edit::Insert);
            y -= 1;
        } else if d > 0 {
            edits.push(Edit::Delete);
            x -= 1;
        }
    }
    edits.reverse();
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_has_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
        let new = old.replace("2\n", "two\n").replace("15\n", "15");
        let shown = unified("a", old, &new);
        let expected = "\
--- a
+++ a (formatted)
@@ -1,5 +1,5 @@
 1
-2
+two
 3
 4
 5
@@ -9,7 +9,7 @@
 9
 10
 11
-12
+1two
 13
 14
-15
+15
\\ No newline at end of file
";
        assert_eq!(shown, expected);
        assert_eq!(unified("a", old, old), "");
    }

    #[test]
    fn edits_make_one_text_of_the_other() {
        let texts = ["", "a\n", "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "x\ny\n"];
        for (old, new) in texts.iter().flat_map(|old| texts.map(|new| (lines(old), lines(new)))) {
            let (mut x, mut y, mut n_edits) = (0, 0, 0);
            for edit in edits(&old, &new) {
                n_edits += usize::from(edit != Edit::Keep);
                match edit {
                    Edit::Keep => {
                        assert_eq!(old[x], new[y]);
                        (x, y) = (x + 1, y + 1);
                    }
                    Edit::Delete => x += 1,
                    Edit::Insert => y += 1,
                }
            }
            assert_eq!((x, y), (old.len(), new.len()));
            // The example of Myers takes five.
            assert!(old.len() < 7 || new.len() < 6 || old == new || n_edits == 5, "{n_edits}");
        }
    }

    #[test]
    fn texts_that_have_nothing_in_common_are_replaced() {
        let (old, new) = ("a\n".repeat(3000), "b\n".repeat(2000));
        let shown = unified("a", &old, &new);
        assert_eq!(shown.lines().count(), 3 + 5000);
    }
}
