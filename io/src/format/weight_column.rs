//! The scale of the weights of an edge list, given for their column: `scale=km:100`.

use super::weights;
use crate::decimal::Decimal;
use crate::error::Fault;
use crate::source::Source;

/// The number of bytes that contain the first line.
const HEAD_BYTES: usize = 1 << 16;

/// Returns the scale for the column of the weights, if the user gave one.
pub(crate) fn scale(source: &mut Source) -> Result<Option<Decimal>, Fault> {
    if source.field_rules().scales.is_empty() || source.edge_fields().weight == Some("none") {
        return Ok(None);
    }
    let mut head = vec![0; HEAD_BYTES];
    let n_bytes = source.fill(&mut head)?;
    head.truncate(n_bytes);
    source.push_back(&head);
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.trim_start_matches('\u{feff}').lines().map(str::trim);
    let is_edge = |line: &&str| !line.is_empty() && !line.starts_with(['#', '%']);
    let cells = lines.find(is_edge).map(cells).unwrap_or_default();
    let (edges, scales) = (source.edge_fields(), source.field_rules().scales);
    let is_weight = |name: &str| is_weight(name, &cells, edges.weight, [edges.from, edges.to]);
    let scale = scales.iter().find(|(name, _)| is_weight(name));
    Ok(scale.map(|(_, scale)| *scale))
}

/// Returns whether a column with this name, or with this number from 1, is that of the weights.
fn is_weight(name: &str, cells: &[String], weight: Option<&str>, ends: [Option<&str>; 2]) -> bool {
    let number = |name: &str| name.parse::<usize>().ok()?.checked_sub(1);
    let position = |name: &str| cells.iter().position(|cell| cell == name);
    let find = |name: &str| position(name).or(number(name).filter(|&idx| idx < cells.len()));
    let Some(idx) = find(name) else { return false };
    if let Some(weight) = weight {
        return find(weight) == Some(idx);
    }
    let ends = ends.map(|end| end.and_then(find));
    let mut usual = weights::NAMES.iter().filter_map(|usual| {
        let known = cells.iter().position(|cell| cell.eq_ignore_ascii_case(usual));
        known.filter(|&idx| !ends.contains(&Some(idx)))
    });
    // Without a header, whose names would be the names of columns, it is the third column.
    let third = position(name).is_none().then_some(2);
    usual.next().or(third) == Some(idx)
}

/// Splits a line at its separator: a semicolon, comma or tab outside of quotes, or blanks.
fn cells(line: &str) -> Vec<String> {
    let plain: String = line.split('"').step_by(2).collect();
    let is_separator = |c: char| match [';', ',', '\t'].into_iter().find(|&c| plain.contains(c)) {
        Some(separator) => c == separator,
        None => c.is_whitespace(),
    };
    let mut is_quoted = false;
    let cells = line.split(|c: char| {
        is_quoted ^= c == '"';
        !is_quoted && is_separator(c)
    });
    let cells = cells.map(|cell| {
        let cell = cell.trim().trim_matches('"').trim();
        // The width of a field is not part of its name.
        let is_width = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        match cell.rsplit_once(':') {
            Some((name, digits)) if !name.is_empty() && is_width(digits) => name.to_owned(),
            Some(_) | None => cell.to_owned(),
        }
    });
    match plain.contains([';', ',', '\t']) {
        true => cells.collect(),
        false => cells.filter(|cell| !cell.is_empty()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(line: &str, name: &str) -> bool {
        is_weight(name, &cells(line), None, [None, None])
    }

    #[test]
    fn the_column_of_weights_is_found() {
        for (line, name) in [
            ("from,to,km", "km"),
            ("from;to;km", "km"),
            ("from\tto\tLength", "Length"),
            ("from,to,km:8", "km"),
            ("from to km", "km"),
            ("dist,from,to", "dist"),
            ("from,to,colour,km", "km"),
            ("1,2,1.5", "3"),
        ] {
            assert!(weight(line, name), "{line}");
        }
        for (line, name) in [
            ("from,to,km", "to"),
            ("from,to,km,cost", "km"),
            ("from,to,km", "price"),
            ("from,to,toll", "toll"),
            ("1,2", "3"),
        ] {
            assert!(!weight(line, name), "{line}");
        }
        let quoted = cells("a,b,\"toll, paid\"");
        assert!(is_weight("toll, paid", &quoted, Some("3"), [None, None]));
        let columns = cells("a,b,c,d");
        assert!(is_weight("b", &columns, Some("b"), [None, None]));
        assert!(is_weight("b", &columns, Some("2"), [None, None]));
        assert!(!is_weight("c", &columns, Some("b"), [None, None]));
        assert!(is_weight("w", &cells("km,w,to"), None, [Some("km"), Some("to")]));
    }
}
