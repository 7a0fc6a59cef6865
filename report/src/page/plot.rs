//! A log-log plot of times over sizes, as SVG or PDF.
//!
//! The axes are drawn here and not by the library's chart: ticks are at the measured sizes, and
//! colours are those that a dark page can replace ([`super::palette`]).

use maud::html;
use plotters::coord::Shift;
use plotters::element::{
    Circle, Cross, EmptyElement, PathElement, Polygon, Rectangle, TriangleMarker,
};
use plotters::prelude::{
    DrawingArea, DrawingBackend, IntoDrawingArea, IntoFont, RGBColor, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, ShapeStyle};
use star_base::text::{self, one_line};

use super::axis::Axis;
use super::figures;
use super::palette::{self, Colour, FAINT, GRID, GROUND, INK, LineMark};
use super::pdf::{PdfBackend, PdfError};
use super::series::{Benchmark, Series};
use crate::record::Source;

/// Width and height of the picture.
const SIZE: (i32, i32) = (900, 400);
/// The field of the data: left, top, right, bottom.
const FIELD: (i32, i32, i32, i32) = (78, 34, 588, 340);
/// Label of the vertical axis.
const TIME: &str = "time of a run";
/// Position of the legend.
const LEGEND: (i32, i32) = (612, 30);
/// Distance between two lines of the legend.
const LEGEND_STEP: i32 = 40;
/// Maximum number of lines in the legend.
const LEGEND_LINES: usize = 9;
/// Maximum number of characters in a line of the legend.
const LEGEND_WIDTH: usize = 38;
/// Height of a title.
const TITLE: i32 = 26;
/// Height of a second axis.
const SECOND: i32 = 34;
/// Font of texts.
const FONT: &str = "system-ui, sans-serif";
/// Font size; the library divides it by 1.24.
const TEXT: f64 = 12.5 * 1.24;

/// Returns the plot of a benchmark as SVG, with this title if there is one; `None` if there is
/// nothing to plot.
pub(crate) fn svg(benchmark: &Benchmark<'_>, title: Option<&str>) -> Option<String> {
    let frame = Frame::new(benchmark, title)?;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, frame.size()).into_drawing_area();
        // Writing to a string does not fail.
        Plot { area: &area, frame: &frame }.draw(benchmark).ok()?;
        area.present().ok()?;
    }
    let label = format!("{}: time over {}", title.unwrap_or(benchmark.title), frame.name);
    let label = html! { (one_line(&shortened(&label, 200))) }.into_string();
    let open = format!("<svg class=\"plot\" role=\"img\" aria-label=\"{label}\" ");
    Some(text.replacen("<svg ", &open, 1))
}

/// Returns the plot of a benchmark as PDF; `None` if there is nothing to plot.
///
/// # Errors
/// If a text has a character that the fonts of PDF readers lack.
pub(crate) fn pdf(
    benchmark: &Benchmark<'_>,
    title: Option<&str>,
) -> Option<Result<Vec<u8>, PdfError>> {
    let frame = Frame::new(benchmark, title)?;
    let mut backend = PdfBackend::new(frame.size());
    {
        let area = (&mut backend).into_drawing_area();
        // The backend keeps its first error.
        Plot { area: &area, frame: &frame }.draw(benchmark).ok()?;
    }
    Some(backend.finish(title.unwrap_or(benchmark.title)))
}

/// Returns the plot as a separate file, which includes the rules for dark pages.
pub(crate) fn file(svg: &str) -> String {
    let rules = palette::dark_rules("svg.plot");
    let style = format!("<style>@media (prefers-color-scheme: dark) {{\n{rules}}}</style>\n");
    match svg.find(">\n") {
        Some(end) => format!("{}{style}{}", &svg[..end + 2], &svg[end + 2..]),
        None => svg.to_owned(),
    }
}

/// The axes of a plot and what surrounds them.
struct Frame<'a> {
    x: Axis,
    y: Axis,
    /// The name of the horizontal axis.
    name: &'a str,
    title: Option<&'a str>,
    /// The distance by which a title and a second axis move the rest down.
    down: i32,
}

impl<'a> Frame<'a> {
    /// Creates the frame of a benchmark; `None` if there is nothing to plot.
    fn new(benchmark: &Benchmark<'a>, title: Option<&'a str>) -> Option<Self> {
        let points = || benchmark.series.iter().flat_map(|series| &series.points);
        let x = match benchmark.names {
            Some(names) => Axis::numbers(names.len()),
            None => Axis::over(points().map(|point| point.x), 4.0, 1.12)?,
        };
        let ends = |point: &super::series::Point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        };
        let y = Axis::over(points().flat_map(ends), 10.0, 1.6)?;
        let title_height = title.map_or(0, |_| TITLE);
        let down = title_height + benchmark.second.as_ref().map_or(0, |_| SECOND);
        Some(Frame { x, y, name: benchmark.size?, title, down })
    }

    /// Returns the width and height of the picture.
    fn size(&self) -> (u32, u32) {
        (SIZE.0 as u32, (SIZE.1 + self.down) as u32)
    }

    /// Returns the field of the data: left, top, right, bottom.
    fn field(&self) -> (i32, i32, i32, i32) {
        let (left, top, right, bottom) = FIELD;
        (left, top + self.down, right, bottom + self.down)
    }
}

struct Plot<'a, 'b, B: DrawingBackend> {
    area: &'a DrawingArea<B, Shift>,
    frame: &'a Frame<'b>,
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn rgb(colour: Colour) -> RGBColor {
    let (red, green, blue) = colour.light;
    RGBColor(red, green, blue)
}

fn stroke(colour: Colour, width: u32) -> ShapeStyle {
    ShapeStyle { color: rgb(colour).to_rgba(), filled: false, stroke_width: width }
}

impl<B: DrawingBackend> Plot<'_, '_, B> {
    fn draw(&self, benchmark: &Benchmark<'_>) -> Drawn {
        self.area.fill(&rgb(GROUND)).map_err(|error| error.to_string())?;
        if let Some(title) = self.frame.title {
            let middle = (i32::midpoint(FIELD.0, FIELD.2), 6);
            self.text(&shortened(title, 80), middle, INK, (HPos::Center, VPos::Top))?;
        }
        self.axes(benchmark)?;
        for series in benchmark.series.iter().rev() {
            self.series(series)?;
        }
        self.legend(&benchmark.series)
    }

    /// Returns the position of a data point.
    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let (left, top, right, bottom) = self.frame.field();
        let along =
            |low: i32, high: i32, share: f64| low + (f64::from(high - low) * share).round() as i32;
        (along(left, right, self.frame.x.place(x)), along(bottom, top, self.frame.y.place(y)))
    }

    fn axes(&self, benchmark: &Benchmark<'_>) -> Drawn {
        let Frame { x, y, name, .. } = self.frame;
        let (left, top, right, bottom) = self.frame.field();
        let apart = 1.4 * TEXT / f64::from(bottom - top);
        for tick in y.labelled(&y.ticks(), apart) {
            let (_, at) = self.at(x.low, tick);
            self.line(&[(left, at), (right, at)], stroke(GRID, 1))?;
            let label = figures::time(tick).replace(".00", "").replace(".0", "");
            self.text(&label, (left - 8, at), FAINT, (HPos::Right, VPos::Center))?;
        }
        let points = benchmark.series.iter().flat_map(|series| &series.points);
        let sizes: Vec<f64> = points.map(|point| point.x).collect();
        let label = |size: f64| match benchmark.names {
            Some(names) => {
                let name = names.get((size as usize).saturating_sub(1));
                shortened(name.map_or("", String::as_str), 16)
            }
            None => figures::whole(size as u64),
        };
        let longest = |labels: &mut dyn Iterator<Item = String>| {
            0.03 + 0.016 * labels.map(|label| label.chars().count()).max().unwrap_or(0) as f64
        };
        let apart = longest(&mut sizes.iter().map(|size| label(*size)));
        for tick in x.labelled(&sizes, apart) {
            let (at, _) = self.at(tick, y.low);
            self.line(&[(at, top), (at, bottom)], stroke(GRID, 1))?;
            self.text(&label(tick), (at, bottom + 8), FAINT, (HPos::Center, VPos::Top))?;
        }
        if let Some((name, values)) = &benchmark.second {
            let value = |size: f64| values.iter().find(|(at, _)| *at == size).map(|(_, it)| *it);
            let label = |size: f64| value(size).map_or_else(String::new, |it| it.to_string());
            let apart = longest(&mut sizes.iter().map(|size| label(*size)));
            for tick in x.labelled(&sizes, apart) {
                let (at, _) = self.at(tick, y.low);
                self.line(&[(at, top - 4), (at, top)], stroke(INK, 1))?;
                self.text(&label(tick), (at, top - 8), FAINT, (HPos::Center, VPos::Bottom))?;
            }
            self.line(&[(left, top), (right, top)], stroke(INK, 1))?;
            let middle = (i32::midpoint(left, right), top - 26);
            self.text(&shortened(name, 40), middle, INK, (HPos::Center, VPos::Bottom))?;
        }
        self.line(&[(left, top), (left, bottom), (right, bottom)], stroke(INK, 1))?;
        // Above the numbers of a second axis.
        let up = if benchmark.second.is_some() { 20 } else { 0 };
        self.text(TIME, (8, top - FIELD.1 + 6 - up), INK, (HPos::Left, VPos::Top))?;
        let middle = (i32::midpoint(left, right), bottom + 32);
        self.text(&shortened(name, 40), middle, INK, (HPos::Center, VPos::Top))
    }

    fn series(&self, series: &Series) -> Drawn {
        let colour = palette::line(series.look);
        let places: Vec<(i32, i32)> =
            series.points.iter().map(|point| self.at(point.x, point.y)).collect();
        match series.source {
            Source::Star => self.line(&places, stroke(colour, 2))?,
            Source::Peer => self.dashed(&places, 7.0, stroke(colour, 2))?,
            Source::Published => self.dashed(&places, 2.0, stroke(colour, 1))?,
        }
        for (point, place) in series.points.iter().zip(&places) {
            if let Some((low, high)) = point.interval {
                let (x, from) = self.at(point.x, low.max(self.frame.y.low));
                let (_, to) = self.at(point.x, high);
                self.line(&[(x, from), (x, to)], stroke(colour, 1))?;
                for end in [from, to] {
                    self.line(&[(x - 3, end), (x + 4, end)], stroke(colour, 1))?;
                }
            }
            self.marker(*place, series)?;
        }
        Ok(())
    }

    fn marker(&self, place: (i32, i32), series: &Series) -> Drawn {
        let colour = palette::line(series.look);
        let filled = ShapeStyle { filled: true, ..stroke(colour, 1) };
        let square = |style| Rectangle::new([(-4, -4), (4, 4)], style);
        let path = |points: &[(i32, i32)]| PathElement::new(points.to_vec(), stroke(colour, 2));
        let at = || EmptyElement::at(place);
        let drawn = match (series.source, palette::mark(series.look)) {
            (Source::Published, _) => self.area.draw(&Cross::new(place, 5, stroke(colour, 2))),
            (_, LineMark::Disk) => self.area.draw(&Circle::new(place, 4, filled)),
            (_, LineMark::Square) => self.area.draw(&(at() + square(filled))),
            (_, LineMark::Triangle) => self.area.draw(&TriangleMarker::new(place, 5, filled)),
            (_, LineMark::Ring) => self.area.draw(&Circle::new(place, 5, stroke(colour, 2))),
            (_, LineMark::Plus) => {
                self.area.draw(&(at() + path(&[(-5, 0), (5, 0)]) + path(&[(0, -5), (0, 5)])))
            }
            (_, LineMark::Diamond) => {
                let corners = vec![(0, -6), (6, 0), (0, 6), (-6, 0)];
                self.area.draw(&(at() + Polygon::new(corners, filled)))
            }
            (_, LineMark::Frame) => self.area.draw(&(at() + square(stroke(colour, 2)))),
        };
        drawn.map_err(|error| error.to_string().into())
    }

    fn legend(&self, all: &[Series]) -> Drawn {
        let (x, mut y) = (LEGEND.0, LEGEND.1 + self.frame.down);
        let size = shortened(self.frame.name, 10);
        for series in all.iter().take(LEGEND_LINES) {
            let colour = palette::line(series.look);
            let places = [(x, y), (x + 26, y)];
            match series.source {
                Source::Star => self.line(&places, stroke(colour, 2))?,
                Source::Peer => self.dashed(&places, 7.0, stroke(colour, 2))?,
                Source::Published => self.dashed(&places, 2.0, stroke(colour, 1))?,
            }
            self.marker((x + 13, y), series)?;
            let (label, rest) = in_two(&series.label, LEGEND_WIDTH);
            self.text(&label, (x + 34, y), INK, (HPos::Left, VPos::Center))?;
            let below = match (rest.as_str(), series.growth) {
                ("", Some(growth)) => growth.text(&size),
                ("", None) => text::count(series.points.len(), "size"),
                (rest, _) => rest.to_owned(),
            };
            self.text(&below, (x + 34, y + 15), FAINT, (HPos::Left, VPos::Center))?;
            y += LEGEND_STEP;
        }
        if all.len() > LEGEND_LINES {
            let rest = format!("and {} more, see the table", all.len() - LEGEND_LINES);
            self.text(&rest, (x, y), FAINT, (HPos::Left, VPos::Center))?;
        }
        Ok(())
    }

    fn line(&self, places: &[(i32, i32)], style: ShapeStyle) -> Drawn {
        let path = PathElement::new(places.to_vec(), style);
        self.area.draw(&path).map_err(|error| error.to_string().into())
    }

    /// Draws a dashed line; dashes and gaps have this length.
    fn dashed(&self, places: &[(i32, i32)], dash: f64, style: ShapeStyle) -> Drawn {
        for ends in places.windows(2) {
            let [(x, y), (to_x, to_y)] =
                [ends[0], ends[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
            let length = (to_x - x).hypot(to_y - y).max(1.0);
            let n = (length / (2.0 * dash)).ceil() as usize;
            let point = |along: f64| {
                let share = (along / length).min(1.0);
                ((x + (to_x - x) * share).round() as i32, (y + (to_y - y) * share).round() as i32)
            };
            for i in 0..n {
                let begin = i as f64 * 2.0 * dash;
                self.line(&[point(begin), point(begin + dash)], style)?;
            }
        }
        Ok(())
    }

    fn text(&self, text: &str, place: (i32, i32), colour: Colour, (h, v): (HPos, VPos)) -> Drawn {
        let style = (FONT, TEXT).into_font().color(&rgb(colour)).pos(Pos::new(h, v));
        let text = Text::new(text.to_owned(), place, style);
        self.area.draw(&text).map_err(|error| error.to_string().into())
    }
}

/// Splits a text that is too long for one line in two, at a blank if possible.
fn in_two(text: &str, most: usize) -> (String, String) {
    let text = shortened(text, 2 * most);
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, String::new()) };
    let end = match text[end..].starts_with(' ') {
        true => end,
        false => text[..end].rfind(' ').filter(|blank| *blank > 0).unwrap_or(end),
    };
    (text[..end].to_owned(), shortened(text[end..].trim_start(), most))
}

/// Shortens a text to at most `most` characters, without control characters, which XML does not
/// allow.
fn shortened(text: &str, most: usize) -> String {
    let plain = |c: char| {
        if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) { '\u{fffd}' } else { c }
    };
    let mut short: String = text.chars().take(most).map(plain).collect();
    if text.chars().count() > most {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::testing::{benchmarks, record, row, well_formed};

    fn plot(title: &str, sizes: &[i64]) -> Option<String> {
        let rows = sizes.iter().map(|n| row(title, *n, *n as f64 * 1e-6)).collect();
        svg(&benchmarks(&[record(rows)])[0], None)
    }

    #[test]
    fn plots_are_well_formed_for_any_title() {
        for title in ["closure", "</svg><script>alert(1)</script> & \"x\" 'y' \u{1b}\u{0}"] {
            let plot = plot(title, &[10, 100]).unwrap();
            well_formed(&plot);
            well_formed(&file(&plot));
            assert!(!plot.contains("<script"));
        }
    }

    #[test]
    fn sizes_are_ticks_and_medians_are_marks() {
        let plot = plot("closure", &[500, 1000, 2000]).unwrap();
        for label in ["500", "1,000", "2,000", "F, cpu", "n^1.00 (1.00 to 1.00), near n"] {
            assert!(plot.contains(&format!("\n{label}\n")), "{label}");
        }
        // One for each point, and one in the legend.
        assert_eq!(plot.matches("<circle").count(), 4);
    }

    #[test]
    fn titles_and_second_axes_move_the_field_down() {
        use crate::page::{Axes, series};
        let with = |n: i64| {
            let mut row = row("closure", n, n as f64 * 1e-6);
            let m = crate::record::Parameter::Int(3 * n);
            row.parameters.insert("m".to_owned(), m);
            row
        };
        let records = [record(vec![with(500), with(1000)])];
        let axes = Axes { second: Some("m".to_owned()), ..Axes::default() };
        let found = series::benchmarks(&records, &[], &axes);
        let plot = svg(&found[0], Some("Figure 2")).unwrap();
        well_formed(&plot);
        assert!(plot.contains("height=\"460\""), "{plot:.200}");
        for label in ["Figure 2", "m", "1500", "3000", "500", "1,000"] {
            assert!(plot.contains(&format!("\n{label}\n")), "{label}");
        }
    }

    #[test]
    fn long_labels_use_two_lines() {
        let two = |text| in_two(text, 10);
        assert_eq!(two("0123456789"), ("0123456789".to_owned(), String::new()));
        assert_eq!(two("0123 56789 x"), ("0123 56789".to_owned(), "x".to_owned()));
        assert_eq!(two("ééééééééééàà"), ("éééééééééé".to_owned(), "àà".to_owned()));
        assert_eq!(two("a 3456789 b23456789 c"), ("a 3456789".to_owned(), "b23456789…".to_owned()));
    }

    #[test]
    fn empty_data_has_no_plot() {
        assert_eq!(plot("closure", &[0]), None);
        let mut row = row("closure", 5, 1.0);
        row.size = None;
        assert_eq!(svg(&benchmarks(&[record(vec![row])])[0], None), None);
    }

    #[test]
    fn files_include_their_dark_colours() {
        let file = file(&plot("closure", &[5]).unwrap());
        assert!(file.starts_with("<svg ") && file.contains("prefers-color-scheme: dark"));
    }
}
