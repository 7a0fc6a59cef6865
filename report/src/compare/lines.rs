//! Output of a comparison as lines for people, or as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use star_base::text;

use super::history::{Past, history_json};
use super::pairs::{Difference, Pair};
use crate::json;
use crate::measure::Comparison;
use crate::page::figures;

/// Returns lines under the name of each benchmark, followed by a summary.
pub fn text(pairs: &[Pair<'_>], machines: &[String]) -> String {
    let mut text = String::new();
    for difference in machines {
        let _ = writeln!(text, "conditions differ: {}", text::one_line(difference));
    }
    let mut heading = None;
    for pair in pairs {
        let of_pair = pair.row.heading();
        if heading.as_ref() != Some(&of_pair) {
            let _ = writeln!(text, "{}", text::one_line(&of_pair));
            heading = Some(of_pair);
        }
        let what = format!("{} {}", pair.row.parameters_text(), pair.row.runner());
        let time = |seconds: Option<f64>| seconds.map_or_else(|| "–".to_owned(), figures::time);
        let (old, new) = (time(pair.seconds.0), time(pair.seconds.1));
        let what = text::one_line(what.trim());
        let line = format!("  {what:<36} {old:>8} → {new:>8}  {}", words(&pair.difference));
        let _ = writeln!(text, "{}", line.trim_end());
        if pair.other_results {
            let _ = writeln!(text, "  {:<36} its results differ", "");
        }
    }
    let _ = writeln!(text, "{}", summary(pairs));
    text
}

fn words(difference: &Difference) -> String {
    let tested = |comparison: &Comparison, what: &str| {
        let Comparison { ratio, low, high, p, least_p: _ } = comparison;
        let (ratio, low, high) =
            (figures::digits(*ratio), figures::digits(*low), figures::digits(*high));
        let p = if *p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") };
        format!("× {ratio} ({low} to {high}), {p}: {what}")
    };
    match difference {
        Difference::Faster(comparison) => tested(comparison, "faster"),
        Difference::Slower(comparison) => tested(comparison, "slower"),
        Difference::Same(comparison) => tested(comparison, "no change"),
        Difference::TooFew(comparison) => tested(comparison, "too few samples to decide"),
        Difference::Untested(ratio) => format!("× {}: no samples to test", figures::digits(*ratio)),
        Difference::FailedBoth => "still fails".to_owned(),
        Difference::FailsNow(why) => format!("fails now: {}", text::one_line(why)),
        Difference::WorksNow => "no longer fails".to_owned(),
        Difference::OnlyOld => "not in the new file".to_owned(),
        Difference::OnlyNew => "not in the old file".to_owned(),
    }
}

/// The name of a difference in JSON and in the summary, in the order of the summary.
const KINDS: [(&str, &str); 10] = [
    ("slower", "slower"),
    ("fails_now", "failing now"),
    ("faster", "faster"),
    ("works_now", "no longer failing"),
    ("same", "unchanged"),
    ("too_few", "with too few samples"),
    ("untested", "without samples"),
    ("failed_both", "still failing"),
    ("only_old", "not in the new file"),
    ("only_new", "not in the old file"),
];

fn kind(difference: &Difference) -> &'static str {
    match difference {
        Difference::Slower(_) => "slower",
        Difference::FailsNow(_) => "fails_now",
        Difference::Faster(_) => "faster",
        Difference::WorksNow => "works_now",
        Difference::Same(_) => "same",
        Difference::TooFew(_) => "too_few",
        Difference::Untested(_) => "untested",
        Difference::FailedBoth => "failed_both",
        Difference::OnlyOld => "only_old",
        Difference::OnlyNew => "only_new",
    }
}

fn counts(pairs: &[Pair<'_>]) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
    KINDS.into_iter().map(|(name, words)| {
        let n = pairs.iter().filter(|pair| kind(&pair.difference) == name).count();
        (name, words, n)
    })
}

fn summary(pairs: &[Pair<'_>]) -> String {
    let parts = counts(pairs).filter(|(_, _, n)| *n > 0);
    let parts: Vec<String> = parts.map(|(_, words, n)| format!("{n} {words}")).collect();
    let rows = text::count(pairs.len(), "row");
    if parts.is_empty() { rows } else { format!("{rows}: {}", parts.join(", ")) }
}

/// Returns one object on one line; `pasts` are the rows of more than two files.
pub fn json(pairs: &[Pair<'_>], machines: &[String], pasts: &[Past<'_>], failed: bool) -> String {
    let rows: Vec<Value> = pairs.iter().map(object).collect();
    let counts = counts(pairs).map(|(name, _, n)| (name.to_owned(), json!(n)));
    let counts: serde_json::Map<String, Value> = counts.collect();
    json::line(&json!({
        "conditions_differ": machines,
        "rows": rows,
        "history": history_json(pasts),
        "summary": counts,
        "failed": failed,
    }))
}

fn object(pair: &Pair<'_>) -> Value {
    let Pair { row, seconds, difference, other_results } = pair;
    let mut object = json!({
        "file": row.file,
        "title": row.title,
        "routine": row.routine,
        "parameters": row.parameters,
        "by": row.runner(),
        "old_s": seconds.0,
        "new_s": seconds.1,
        "change": kind(difference),
        "other_results": other_results,
    });
    match difference {
        Difference::Faster(c)
        | Difference::Slower(c)
        | Difference::Same(c)
        | Difference::TooFew(c) => {
            let Comparison { ratio, low, high, p, least_p: _ } = c;
            object["ratio"] = json!(ratio);
            object["low"] = json!(low);
            object["high"] = json!(high);
            object["p"] = json!(p);
        }
        Difference::Untested(ratio) => object["ratio"] = json!(ratio),
        Difference::FailsNow(why) => object["error"] = json!(why),
        Difference::FailedBoth
        | Difference::WorksNow
        | Difference::OnlyOld
        | Difference::OnlyNew => {}
    }
    object
}
