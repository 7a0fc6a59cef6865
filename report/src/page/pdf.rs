//! A drawing area whose result is a PDF file of one page.
//!
//! Texts use Helvetica, which every PDF reader has, so that no font is embedded; its encoding has
//! the characters of Western European languages only.

use std::error::Error;
use std::fmt;

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Name, Pdf, Rect, Ref, Str, TextStr};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

/// Points of a pixel.
const SCALE: f32 = 0.75;
/// Distance of the control points of a Bézier curve that approximates a quarter of a circle of
/// radius 1 from its ends.
const QUARTER: f32 = 0.552_285;
/// Name of the font in the page.
const FONT: Name<'static> = Name(b"F");
/// Height of capitals of the font, as a share of its size.
const CAPITALS: f64 = 0.718;

/// Widths of the characters from blank to `~` in Helvetica, in thousandths of its size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// A character that the font lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PdfError(pub(crate) char);

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fonts of PDF readers have no `{}`", self.0)
    }
}

impl Error for PdfError {}

/// The page.
pub(crate) struct PdfBackend {
    size: (u32, u32),
    content: Content,
    error: Option<PdfError>,
}

type Drawn = Result<(), DrawingErrorKind<PdfError>>;

impl PdfBackend {
    /// Creates a page of this size in pixels.
    pub(crate) fn new(size: (u32, u32)) -> Self {
        let mut content = Content::new();
        // Coordinates count pixels from the top.
        content.transform([SCALE, 0.0, 0.0, -SCALE, 0.0, size.1 as f32 * SCALE]);
        content.set_line_cap(LineCapStyle::ButtCap).set_line_join(LineJoinStyle::RoundJoin);
        PdfBackend { size, content, error: None }
    }

    /// Returns the file with this title.
    ///
    /// # Errors
    /// If the font lacks a character of a text.
    pub(crate) fn finish(self, title: &str) -> Result<Vec<u8>, PdfError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let [catalog, pages, page, content, font, info] = [1, 2, 3, 4, 5, 6].map(Ref::new);
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        {
            let (width, height) = (self.size.0 as f32 * SCALE, self.size.1 as f32 * SCALE);
            let mut page = pdf.page(page);
            page.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
            page.resources().fonts().pair(FONT, font);
        }
        pdf.type1_font(font)
            .base_font(Name(b"Helvetica"))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
        pdf.document_info(info).title(TextStr(title)).creator(TextStr("star"));
        pdf.stream(content, &self.content.finish());
        Ok(pdf.finish())
    }

    fn colour(&mut self, BackendColor { rgb: (red, green, blue), .. }: BackendColor) {
        let share = |channel: u8| f32::from(channel) / 255.0;
        let (red, green, blue) = (share(red), share(green), share(blue));
        self.content.set_fill_rgb(red, green, blue).set_stroke_rgb(red, green, blue);
    }

    fn path(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        for (idx, (x, y)) in points.into_iter().enumerate() {
            let (x, y) = (x as f32, y as f32);
            if idx == 0 {
                self.content.move_to(x, y)
            } else {
                self.content.line_to(x, y)
            };
        }
    }

    /// Ends a path.
    fn end(&mut self, style: &impl BackendStyle, fill: bool) -> Drawn {
        match fill {
            true => self.content.fill_nonzero(),
            false => {
                self.content.set_line_width(style.stroke_width() as f32);
                self.content.stroke()
            }
        };
        Ok(())
    }
}

impl DrawingBackend for &mut PdfBackend {
    type ErrorType = PdfError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.colour(color);
        self.content.rect(x as f32, y as f32, 1.0, 1.0).fill_nonzero();
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.colour(style.color());
        let (width, height) = ((right - left) as f32, (bottom - top) as f32);
        self.content.rect(left as f32, top as f32, width, height);
        self.end(style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.colour(style.color());
        self.path(path);
        self.end(style, false)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.colour(style.color());
        let (x, y, r) = (x as f32, y as f32, radius as f32);
        let k = r * QUARTER;
        self.content
            .move_to(x + r, y)
            .cubic_to(x + r, y + k, x + k, y + r, x, y + r)
            .cubic_to(x - k, y + r, x - r, y + k, x - r, y)
            .cubic_to(x - r, y - k, x - k, y - r, x, y - r)
            .cubic_to(x + k, y - r, x + r, y - k, x + r, y)
            .close_path();
        self.end(style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.colour(style.color());
        self.path(corners);
        self.content.close_path();
        self.end(style, true)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let bytes = match encoded(text) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.error = self.error.or(Some(error));
                return Ok(());
            }
        };
        // As in the SVG backend of the library.
        let size = style.size() / 1.24;
        let width = |byte: &u8| {
            let place = usize::from(*byte).wrapping_sub(32);
            f64::from(WIDTHS.get(place).copied().unwrap_or(556)) * size / 1000.0
        };
        let width: f64 = bytes.iter().map(width).sum();
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => width / 2.0,
            HPos::Right => width,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => CAPITALS * size,
            VPos::Center => CAPITALS * size / 2.0,
            VPos::Bottom => 0.0,
        };
        let at = ((f64::from(x) - left) as f32, (f64::from(y) + down) as f32);
        self.colour(style.color());
        self.content
            .begin_text()
            .set_font(FONT, size as f32)
            .set_text_matrix([1.0, 0.0, 0.0, -1.0, at.0, at.1])
            .show(Str(&bytes))
            .end_text();
        Ok(())
    }
}

/// Encodes a text for the font.
fn encoded(text: &str) -> Result<Vec<u8>, PdfError> {
    let byte = |c: char| match c {
        ' '..='~' => Ok(c as u8),
        '\u{a0}'..='\u{ff}' => Ok(c as u32 as u8),
        '€' => Ok(0x80),
        '…' => Ok(0x85),
        '‘' => Ok(0x91),
        '’' => Ok(0x92),
        '“' => Ok(0x93),
        '”' => Ok(0x94),
        '•' => Ok(0x95),
        '–' => Ok(0x96),
        '—' => Ok(0x97),
        _ => Err(PdfError(c)),
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use crate::page::plot;
    use crate::page::testing::{benchmarks, record, row};

    use super::*;

    fn plot_of(title: &str) -> Result<Vec<u8>, PdfError> {
        let rows = [500, 1000, 2000].map(|n| row("closure", n, n as f64 * 1e-6)).to_vec();
        plot::pdf(&benchmarks(&[record(rows)])[0], Some(title)).unwrap()
    }

    #[test]
    fn plots_are_pages_with_texts() {
        let file = plot_of("Figure (2) – µs").unwrap();
        assert!(file.starts_with(b"%PDF-1.") && file.trim_ascii_end().ends_with(b"%%EOF"));
        let holds = |part: &[u8]| file.windows(part.len()).any(|window| window == part);
        for part in [&b"(500) Tj"[..], b"(1,000) Tj", b"(F, cpu) Tj", b"/MediaBox [0 0 675 319.5]"]
        {
            assert!(holds(part), "{}", String::from_utf8_lossy(part));
        }
    }

    #[test]
    fn characters_outside_the_font_are_refused() {
        assert_eq!(plot_of("Рисунок 2"), Err(PdfError('Р')));
        assert_eq!(encoded("a–ü").unwrap(), [b'a', 0x96, 0xfc]);
        assert_eq!(encoded("n²").unwrap(), [b'n', 0xb2]);
    }
}
