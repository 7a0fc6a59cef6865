//! A drawing as pixels with smooth edges. All texts have one font, so that a picture is the same on
//! every machine.

use tiny_skia::{
    Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

use super::{Anchor, Drawing, Mark, Picture, Place, Rgb};

/// Minimum width of a picture in pixels.
const LEAST_WIDTH: f64 = 800.0;
/// Height up to which a narrow picture is enlarged.
const MOST_HEIGHT: f64 = 4096.0;

/// Returns the width and the height of the pixels of a drawing. Each of its units becomes a whole
/// number of pixels, so that cells of equal size keep equal sizes.
#[must_use]
pub fn raster_size(drawing: &Drawing) -> (usize, usize) {
    let factor = factor(drawing);
    let scaled = |length: f64| (length * factor).ceil().max(1.0) as usize;
    (scaled(drawing.width), scaled(drawing.height))
}

fn factor(drawing: &Drawing) -> f64 {
    let most = (MOST_HEIGHT / drawing.height.max(1.0)).floor();
    (LEAST_WIDTH / drawing.width.max(1.0)).ceil().min(most).max(1.0)
}

/// Returns the pixels of a drawing; `None` if there is no memory for them.
#[must_use]
pub fn raster(drawing: &Drawing) -> Option<Picture> {
    let (width, height) = raster_size(drawing);
    let pixmap = Pixmap::new(u32::try_from(width).ok()?, u32::try_from(height).ok()?)?;
    let font = Face::parse(dejavu::sans::regular(), 0).ok()?;
    let mut canvas = Canvas { pixmap, to_pixels: scale(factor(drawing)), font };
    canvas.pixmap.fill(colour_of(drawing.paper));
    for mark in &drawing.marks {
        match mark {
            Mark::Line { from, to, width, colour } => canvas.line(*from, *to, *width, *colour),
            Mark::Disk { at, radius, colour } => {
                canvas.fill(circle(*at, *radius), *colour);
            }
            Mark::Triangle { corners, colour } => canvas.fill(triangle(*corners), *colour),
            Mark::Number { at, anchor, size, text, colour } => {
                canvas.fill(canvas.outline(*at, *anchor, *size, text), *colour);
            }
            Mark::Picture { at, cell, picture } => canvas.picture(*at, *cell, picture),
        }
    }
    let pixels = canvas.pixmap.pixels().iter();
    let pixels = pixels.map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    Some(Picture { width, height, pixels })
}

fn scale(factor: f64) -> Transform {
    Transform::from_scale(factor as f32, factor as f32)
}

fn colour_of([red, green, blue]: Rgb) -> Color {
    Color::from_rgba8(red, green, blue, u8::MAX)
}

fn paint(colour: Rgb, anti_alias: bool) -> Paint<'static> {
    let mut paint = Paint { anti_alias, ..Paint::default() };
    paint.set_color(colour_of(colour));
    paint
}

fn circle((x, y): Place, radius: f64) -> Option<Path> {
    PathBuilder::from_circle(x as f32, y as f32, radius as f32)
}

fn triangle([first, second, third]: [Place; 3]) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(first.0 as f32, first.1 as f32);
    path.line_to(second.0 as f32, second.1 as f32);
    path.line_to(third.0 as f32, third.1 as f32);
    path.close();
    path.finish()
}

struct Canvas<'f> {
    pixmap: Pixmap,
    /// From the units of the drawing.
    to_pixels: Transform,
    font: Face<'f>,
}

impl Canvas<'_> {
    fn fill(&mut self, path: Option<Path>, colour: Rgb) {
        if let Some(path) = path {
            let paint = paint(colour, true);
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, self.to_pixels, None);
        }
    }

    fn line(&mut self, from: Place, to: Place, width: f64, colour: Rgb) {
        let mut path = PathBuilder::new();
        path.move_to(from.0 as f32, from.1 as f32);
        path.line_to(to.0 as f32, to.1 as f32);
        let stroke = Stroke { width: width as f32, line_cap: LineCap::Round, ..Stroke::default() };
        if let Some(path) = path.finish() {
            let paint = paint(colour, true);
            self.pixmap.stroke_path(&path, &paint, &stroke, self.to_pixels, None);
        }
    }

    /// Fills the cells of a picture, with sharp edges.
    fn picture(&mut self, (left, top): Place, (width, height): Place, picture: &Picture) {
        for (idx, pixel) in picture.pixels.iter().enumerate() {
            let (row, column) = (idx / picture.width, idx % picture.width);
            let (x, y) = (left + column as f64 * width, top + row as f64 * height);
            let (x, y, width, height) = (x as f32, y as f32, width as f32, height as f32);
            if let Some(cell) = Rect::from_xywh(x, y, width, height) {
                self.pixmap.fill_rect(cell, &paint(*pixel, false), self.to_pixels, None);
            }
        }
    }

    /// Returns the outlines of a text whose height is `size`; `None` if nothing of it is visible.
    fn outline(&self, (x, y): Place, anchor: Anchor, size: f64, text: &str) -> Option<Path> {
        let units = size as f32 / f32::from(self.font.units_per_em());
        let glyphs = text.chars().map(|character| {
            let glyph = self.font.glyph_index(character).unwrap_or_default();
            (glyph, f32::from(self.font.glyph_hor_advance(glyph).unwrap_or(0)) * units)
        });
        let width = glyphs.clone().map(|(_, advance)| advance).sum::<f32>();
        let start = x as f32
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
        // Capitals and digits are centred.
        let capital = self.font.glyph_index('H').and_then(|it| self.font.glyph_bounding_box(it));
        let height = capital.map_or(0.0, |bounds| f32::from(bounds.y_max)) * units;
        let base = y as f32 + height / 2.0;
        let mut outline = Outline { path: PathBuilder::new(), x: start, y: base, units };
        for (glyph, advance) in glyphs {
            self.font.outline_glyph(glyph, &mut outline);
            outline.x += advance;
        }
        outline.path.finish()
    }
}

/// Outlines of a text: in the font, y is upwards.
struct Outline {
    path: PathBuilder,
    /// The position of the current glyph.
    x: f32,
    y: f32,
    /// The length of a unit of the font.
    units: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.units, self.y - y * self.units)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Palette;
    use super::*;

    const INK: Rgb = Palette::LIGHT.ink;
    const PAPER: Rgb = Palette::LIGHT.paper;
    const MARKED: Rgb = Palette::LIGHT.marked;

    fn sheet(width: f64, height: f64, marks: Vec<Mark>) -> Drawing {
        Drawing { width, height, marks, paper: PAPER, about: String::new() }
    }

    fn drawn(marks: Vec<Mark>) -> Picture {
        raster(&sheet(800.0, 10.0, marks)).unwrap()
    }

    fn count(picture: &Picture, colour: Rgb) -> usize {
        picture.pixels.iter().filter(|pixel| **pixel == colour).count()
    }

    fn number(text: &str, anchor: Anchor) -> Mark {
        Mark::Number { at: (50.0, 5.0), anchor, size: 9.0, text: text.to_owned(), colour: INK }
    }

    #[test]
    fn marks_are_drawn_at_their_positions() {
        let line = Mark::Line { from: (2.0, 5.0), to: (18.0, 5.0), width: 2.0, colour: INK };
        let disk = Mark::Disk { at: (10.0, 5.0), radius: 3.0, colour: MARKED };
        let picture = drawn(vec![line, disk]);
        assert_eq!((picture.width, picture.height, picture.pixels.len()), (800, 10, 8000));
        let at = |x: usize, y: usize| picture.pixels[y * 800 + x];
        assert_eq!((at(4, 5), at(10, 5), at(10, 3)), (INK, MARKED, MARKED));
        assert_eq!((at(0, 0), at(10, 9), at(21, 5)), (PAPER, PAPER, PAPER));
    }

    #[test]
    fn small_drawings_are_enlarged_by_whole_factors() {
        let picture = Picture { width: 2, height: 1, pixels: vec![INK, MARKED] };
        let marks = vec![Mark::Picture { at: (1.0, 1.0), cell: (4.0, 4.0), picture }];
        let drawing = sheet(30.0, 10.0, marks);
        assert_eq!(raster_size(&drawing), (810, 270));
        let cells = raster(&drawing).unwrap();
        assert_eq!((count(&cells, INK), count(&cells, MARKED)), (108 * 108, 108 * 108));
        assert_eq!(count(&cells, PAPER), 810 * 270 - 2 * 108 * 108);
        // A narrow picture does not become very high.
        assert_eq!(raster_size(&sheet(95.0, 1104.0, Vec::new())), (285, 3312));
        assert_eq!(raster_size(&sheet(95.0, 9000.0, Vec::new())), (95, 9000));
    }

    #[test]
    fn marks_are_clipped_to_the_sheet() {
        let line = Mark::Line { from: (-50.0, -50.0), to: (50.0, 50.0), width: 3.0, colour: INK };
        let disk = Mark::Disk { at: (900.0, 30.0), radius: 25.0, colour: INK };
        let text = Mark::Number {
            at: (0.0, 0.0),
            anchor: Anchor::End,
            size: 9.0,
            text: "12".to_owned(),
            colour: INK,
        };
        assert!(count(&drawn(vec![line, disk, text]), INK) > 0);
    }

    #[test]
    fn texts_have_smooth_edges_and_lie_at_their_anchors() {
        let columns = |picture: &Picture| -> (usize, usize) {
            let dark = (0..picture.pixels.len()).filter(|&at| picture.pixels[at] != PAPER);
            let columns = dark.map(|at| at % picture.width);
            columns.fold((usize::MAX, 0), |(least, most), at| (least.min(at), most.max(at)))
        };
        let picture = drawn(vec![number("88", Anchor::Start)]);
        let (above, below) = picture.pixels.split_at(4000);
        let n_dark = |half: &[Rgb]| half.iter().filter(|pixel| **pixel != PAPER).count();
        assert!(n_dark(above).abs_diff(n_dark(below)) <= 4, "centred vertically");
        let mixed = picture.pixels.iter().filter(|pixel| ![INK, PAPER].contains(pixel)).count();
        assert!(mixed > 10, "{mixed} pixels between the colours");
        let (start, middle, end) = (
            columns(&picture),
            columns(&drawn(vec![number("88", Anchor::Middle)])),
            columns(&drawn(vec![number("88", Anchor::End)])),
        );
        assert!(start.0 >= 50 && start.1 > 58 && end.1 <= 50, "{start:?} {end:?}");
        assert!(middle.0 < 50 && middle.1 > 50, "{middle:?}");
        // A letter with two contours has a hole.
        let letters = drawn(vec![number("Ü…ß", Anchor::Start)]);
        assert!(columns(&letters).1 > 60);
        assert_eq!(count(&drawn(vec![number("", Anchor::Start)]), PAPER), 8000);
    }
}
