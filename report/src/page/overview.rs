//! Comparison with peers in one picture: a bar for each benchmark, at the largest case that both
//! were measured at in one file.

use maud::{Markup, html};
use star_base::text::one_line;

use super::figures;
use super::series::Benchmark;
use crate::record::{Row, Source};

/// Our time relative to a peer in one benchmark.
#[derive(Debug)]
pub(super) struct Standing<'a> {
    /// The number of its section.
    number: usize,
    title: &'a str,
    /// The parameters of the case.
    case: String,
    peer: &'a str,
    /// Our time divided by theirs; less than 1 is ahead.
    ratio: f64,
}

/// Returns the comparison of each benchmark that has a case with both, the best first. The fastest
/// rows of either side count; rows of different files are not compared, since the speed of a
/// machine varies.
pub(super) fn standings<'a>(benchmarks: &'a [Benchmark<'a>]) -> Vec<Standing<'a>> {
    let mut found: Vec<Standing<'a>> =
        benchmarks.iter().enumerate().filter_map(|(number, one)| standing(number, one)).collect();
    found.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    found
}

fn standing<'a>(number: usize, benchmark: &'a Benchmark<'a>) -> Option<Standing<'a>> {
    let cases = benchmark.rows.chunk_by(|(_, a), (_, b)| a.parameters == b.parameters);
    // Rows are sorted by size: the last case is the largest one.
    cases.rev().find_map(|rows| {
        let fastest = |file: usize, source: Source| {
            let of = rows.iter().filter(|(of, row)| *of == file && row.source == source);
            let timed = of.filter_map(|(_, row)| Some((*row, seconds(row)?)));
            timed.min_by(|(_, a), (_, b)| a.total_cmp(b))
        };
        rows.iter().find_map(|(file, row)| {
            let (_, ours) = fastest(*file, Source::Star)?;
            let (peer, theirs) = fastest(*file, Source::Peer)?;
            let (title, case) = (benchmark.title, row.parameters_text());
            let peer = peer.name.as_deref().unwrap_or("a peer");
            Some(Standing { number, title, case, peer, ratio: ours / theirs })
        })
    })
}

fn seconds(row: &Row) -> Option<f64> {
    row.time.as_ref().map(|time| time.median_s).filter(|seconds| *seconds > 0.0)
}

/// Maximum number of marks on the scale, in addition to the middle.
const MAX_MARKS: usize = 6;

/// Returns the overview; empty if nothing can be compared.
pub(super) fn overview(benchmarks: &[Benchmark<'_>]) -> Markup {
    let standings = standings(benchmarks);
    if standings.is_empty() {
        return html! {};
    }
    let n_ahead = standings.iter().filter(|one| one.ratio < 1.0).count();
    let n_behind = standings.len() - n_ahead;
    // Both sides have the same scale.
    let farthest = standings.iter().map(|one| one.ratio.log10().abs()).fold(1.0, f64::max).ceil();
    // Per cent of the width, from the left.
    let place = |ratio: f64| 50.0 - ratio.log10() / farthest * 50.0;
    let percent = |share: f64| format!("{share:.2}%");
    let reach = farthest as i32;
    let stride = (2 * reach as usize).div_ceil(MAX_MARKS).max(1);
    let marks =
        (-reach..=reach).filter(|power| (power.unsigned_abs() as usize).is_multiple_of(stride));
    let marks: Vec<(f64, String)> = marks
        .map(|power| {
            let times = figures::whole(10_u64.pow(power.unsigned_abs().min(18)));
            let label = match power {
                0 => "equal".to_owned(),
                1.. => format!("{times}×"),
                _ => format!("1/{times}"),
            };
            (place(10_f64.powi(-power)), label)
        })
        .collect();
    html! {
        section.overview {
            "\n" h2 #overview { "Overview" }
            "\n" p {
                "Ahead of the fastest peer in " b { (n_ahead) } " of " (standings.len()) " benchmarks, slower in " b { (n_behind) }
                ", each at the largest case that both were measured at in one file. Bars show the \
                    speedup, to the right where "
                "ours is faster; the peer is named after each bar."
            }
            "\n" div.standings {
                "\n" div.standing {
                    span.bar.scale {
                        @for (at, label) in &marks { span style={ "left:" (percent(*at)) } { (label) } }
                    }
                }
                @for one in &standings {
                    @let end = place(one.ratio);
                    @let (from, width) = (end.min(50.0), (end - 50.0).abs().max(0.3));
                    @let side = if one.ratio < 1.0 { "ahead" } else { "behind" };
                    "\n" div.standing {
                        a href={ "#b" (one.number) } title=(one_line(&one.case)) { (one_line(one.title)) }
                        span.bar { span class=(side) style={ "left:" (percent(from)) ";width:" (percent(width)) } {} }
                        span.faint { b { (figures::digits(1.0 / one.ratio)) "×" } " " (one_line(one.peer)) }
                    }
                }
                "\n"
            }
            "\n"
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::testing::{benchmarks, record, row, well_formed};

    fn peer(title: &str, n: i64, seconds: f64) -> Row {
        let mut peer = row(title, n, seconds);
        (peer.source, peer.name) = (Source::Peer, Some("<other>".to_owned()));
        peer
    }

    #[test]
    fn the_largest_common_case_counts() {
        let rows = vec![
            row("a", 5, 1.0),
            peer("a", 5, 9.0),
            row("a", 50, 2.0),
            peer("a", 50, 8.0),
            peer("a", 50, 4.0),
            row("a", 500, 2.0),
            row("b", 5, 3.0),
            peer("b", 5, 1.0),
            row("c", 5, 1.0),
        ];
        let records = [record(rows)];
        let benchmarks = benchmarks(&records);
        let found = standings(&benchmarks);
        let seen: Vec<(&str, f64, &str)> =
            found.iter().map(|one| (one.title, one.ratio, one.case.as_str())).collect();
        assert_eq!(seen, [("a", 0.5, "n=50"), ("b", 3.0, "n=5")]);
        let text = overview(&benchmarks).into_string();
        well_formed(&text);
        assert!(text.contains("<b>1</b> of 2 benchmarks, slower in <b>1</b>"), "{text}");
        assert!(text.contains("<b>2.00×</b> &lt;other&gt;") && text.contains("<b>0.333×</b>"));
        // Faster to the right of the middle, slower to the left.
        assert!(text.contains("class=\"ahead\" style=\"left:50.00%;width:15.05%\""), "{text}");
        assert!(text.contains("class=\"behind\" style=\"left:26.14%;width:23.86%\""), "{text}");
        assert!(text.contains("href=\"#b0\"") && text.contains("class=\"behind\""));
    }

    #[test]
    fn rows_of_different_files_are_not_compared() {
        let records = [record(vec![row("a", 5, 1.0)]), record(vec![peer("a", 5, 2.0)])];
        let benchmarks = benchmarks(&records);
        assert!(standings(&benchmarks).is_empty());
        assert_eq!(overview(&benchmarks).into_string(), "");
    }
}
