//! Plots as pictures of the LaTeX package pgfplots, which the fonts and sizes of a paper apply to.

use std::fmt::Write as _;

use super::series::{Benchmark, Series};
use crate::record::Source;

/// Returns the picture of a benchmark, to be included by `\input`.
pub(super) fn picture(benchmark: &Benchmark<'_>, title: Option<&str>, size: &str) -> String {
    let mut text = "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.16}\n\
                    \\begin{tikzpicture}\n"
        .to_owned();
    // Writing to a string does not fail.
    let _ = write_axis(&mut text, benchmark, title, size);
    text += "\\end{tikzpicture}\n";
    text
}

fn write_axis(
    text: &mut String,
    benchmark: &Benchmark<'_>,
    title: Option<&str>,
    size: &str,
) -> std::fmt::Result {
    let kind = if benchmark.names.is_some() { "semilogyaxis" } else { "loglogaxis" };
    writeln!(text, "\\begin{{{kind}}}[")?;
    if let Some(title) = title {
        let style = if benchmark.second.is_some() { ", title style={yshift=3em}" } else { "" };
        writeln!(text, "  title={{{}}}{style},", escaped(title))?;
    }
    writeln!(text, "  xlabel={{{}}}, ylabel={{time in s}},", escaped(size))?;
    let mut sizes: Vec<f64> =
        benchmark.series.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let joined = |texts: &mut dyn Iterator<Item = String>| texts.collect::<Vec<_>>().join(",");
    let ticks = joined(&mut sizes.iter().map(f64::to_string));
    if let Some(names) = benchmark.names {
        let all = joined(&mut (1..=names.len()).map(|number| number.to_string()));
        let names = joined(&mut names.iter().map(|name| format!("{{{}}}", escaped(name))));
        writeln!(text, "  xtick={{{all}}}, xticklabels={{{names}}},")?;
    } else {
        writeln!(text, "  xtick={{{ticks}}}, xticklabels={{{ticks}}},")?;
    }
    // Below the picture, since the text of a paper leaves no room next to it.
    writeln!(text, "  legend columns=2, legend cell align=left,")?;
    writeln!(text, "  legend style={{at={{(0.5,-0.25)}}, anchor=north, font=\\footnotesize}}]")?;
    for line in &benchmark.series {
        write_line(text, line)?;
        let fit =
            line.growth.map_or_else(String::new, |fit| format!(" % {}", one_line(&fit.text(size))));
        writeln!(text, "\\addlegendentry{{{}}}{fit}", escaped(&line.label))?;
    }
    writeln!(text, "\\end{{{kind}}}")?;
    let Some((name, values)) = &benchmark.second else { return Ok(()) };
    let (Some(low), Some(high)) = (sizes.first(), sizes.last()) else { return Ok(()) };
    // The same sizes as those of the first axis, with the values of another parameter.
    let labels = sizes.iter().map(|size| {
        let value = values.iter().find(|(at, _)| at == size);
        format!("{{{}}}", value.map_or_else(String::new, |(_, value)| value.to_string()))
    });
    let labels = joined(&mut { labels });
    writeln!(text, "\\begin{{loglogaxis}}[axis x line*=top, axis y line=none,")?;
    writeln!(text, "  xlabel={{{}}}, xtick={{{ticks}}}, xticklabels={{{labels}}}]", escaped(name))?;
    writeln!(text, "\\addplot[draw=none] coordinates {{({low},1) ({high},1)}};")?;
    writeln!(text, "\\end{{loglogaxis}}")
}

/// Writes the points of a line with their intervals.
fn write_line(text: &mut String, line: &Series) -> std::fmt::Result {
    let style = match line.source {
        Source::Star => "",
        Source::Peer => "dashed, ",
        Source::Published => "dotted, ",
    };
    // Keys after `.cd` are those of error bars.
    writeln!(text, "\\addplot+[{style}error bars/.cd, y dir=both, y explicit]")?;
    writeln!(text, "  table[x=n, y=t, y error plus=plus, y error minus=minus] {{")?;
    writeln!(text, "    n t plus minus")?;
    for point in &line.points {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        let (plus, minus) = (high - point.y, point.y - low);
        writeln!(text, "    {} {:.6e} {plus:.6e} {minus:.6e}", point.x, point.y)?;
    }
    writeln!(text, "  }};")
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// Escapes the characters that LaTeX would interpret.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        match c {
            '\\' => escaped += "\\textbackslash{}",
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => escaped.extend(['\\', c]),
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Axes;
    use crate::page::series::benchmarks;
    use crate::page::testing::{record, row};
    use crate::record::Parameter;

    #[test]
    fn pictures_have_a_line_for_each_series_and_a_second_axis() {
        let with = |n: i64| {
            let mut row = row("closure", n, n as f64 * 1e-6);
            row.routine = Some("BY_ROWS".to_owned());
            row.parameters.insert("m".to_owned(), Parameter::Int(3 * n));
            row
        };
        let mut peer = row("closure", 100, 0.5);
        (peer.source, peer.name) = (Source::Peer, Some("a&b".to_owned()));
        let records = [record(vec![with(100), with(1000), peer])];
        let axes = Axes { second: Some("m".to_owned()), ..Axes::default() };
        let found = benchmarks(&records, &[], &axes);
        let text = picture(&found[0], Some("50 % of {n}"), "n");
        let parts = [
            "title={50 \\% of \\{n\\}}, title style={yshift=3em},\n",
            "\\addlegendentry{BY\\_ROWS, cpu}",
            "\\addlegendentry{a\\&b}",
            "\\addplot+[dashed, error bars/.cd, y dir=both, y explicit]",
            "    100 1.000000e-4 1.000000e-5 1.000000e-5\n",
            "xlabel={m}, xtick={100,1000}, xticklabels={{300},{3000}}]",
        ];
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.matches("\\begin").count(), text.matches("\\end").count());
        assert_eq!(text.matches("\\addplot").count(), 3);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            escaped("\\input{x}\n#1_^~"),
            "\\textbackslash{}input\\{x\\} \\#1\\_\\textasciicircum{}\\textasciitilde{}"
        );
    }
}
