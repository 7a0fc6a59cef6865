//! A drawing as SVG.

use std::fmt::Write;

use super::{Anchor, Drawing, Mark, Picture, Rgb};

/// Formats a drawing. `png` encodes its pictures as PNG files.
///
/// # Errors
/// Those of `png`.
pub fn svg<E>(
    drawing: &Drawing,
    png: &dyn Fn(&Picture) -> Result<Vec<u8>, E>,
) -> Result<String, E> {
    let Drawing { width, height, marks, paper, about } = drawing;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans, sans-serif\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(about),
        hex(*paper)
    );
    for mark in marks {
        let line = match mark {
            Mark::Line { from, to, width, colour } => format!(
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{}\" \
                 stroke-width=\"{width}\" stroke-linecap=\"round\"/>",
                from.0,
                from.1,
                to.0,
                to.1,
                hex(*colour)
            ),
            Mark::Disk { at, radius, colour } => format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                at.0,
                at.1,
                hex(*colour)
            ),
            Mark::Triangle { corners: [a, b, c], colour } => format!(
                "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"{}\"/>",
                a.0,
                a.1,
                b.0,
                b.1,
                c.0,
                c.1,
                hex(*colour)
            ),
            Mark::Number { at, anchor, size, text, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                format!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     dominant-baseline=\"central\" fill=\"{}\">{}</text>",
                    at.0,
                    at.1,
                    hex(*colour),
                    escaped(text)
                )
            }
            Mark::Picture { at, cell, picture } => {
                let bytes = png(picture)?;
                let width = picture.width as f64 * cell.0;
                let height = picture.height as f64 * cell.1;
                format!(
                    "<image x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
                     preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
                     href=\"data:image/png;base64,{}\"/>",
                    at.0,
                    at.1,
                    base64(&bytes)
                )
            }
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text += "</svg>\n";
    Ok(text)
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    let text = star_base::text::printable(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Encodes bytes in base64 (RFC 4648, section 4).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for idx in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * idx) & 63) as usize];
            text.push(if idx <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Palette, Picture};
    use super::*;

    const INK: Rgb = Palette::LIGHT.ink;

    #[test]
    fn encodes_base64() {
        // The examples of RFC 4648, section 10.
        for (bytes, letters) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), letters);
        }
    }

    #[test]
    fn every_mark_is_an_element_and_names_are_escaped() {
        let picture = Picture { width: 1, height: 1, pixels: vec![INK] };
        let marks = vec![
            Mark::Line { from: (1.0, 2.0), to: (3.0, 4.0), width: 1.0, colour: INK },
            Mark::Disk { at: (1.0, 2.0), radius: 3.0, colour: INK },
            Mark::Triangle { corners: [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], colour: INK },
            Mark::Number {
                at: (1.0, 2.0),
                anchor: Anchor::End,
                size: 9.0,
                text: "-7".to_owned(),
                colour: INK,
            },
            Mark::Picture { at: (0.0, 0.0), cell: (8.0, 8.0), picture },
        ];
        let about = "`<z>` & \u{1b}".to_owned();
        let drawing =
            Drawing { width: 9.6, height: 5.0, marks, paper: Palette::LIGHT.paper, about };
        let text = svg(&drawing, &|_| Ok::<_, ()>(vec![1, 2, 3])).unwrap();
        for part in [
            "width=\"10\" height=\"5\"",
            "<title>`&lt;z&gt;` &amp; ␛</title>",
            "<line x1=\"1.0\"",
            "stroke=\"#1d2126\"",
            "<circle cx=\"1.0\" cy=\"2.0\" r=\"3\"",
            "points=\"1.0,2.0 3.0,4.0 5.0,6.0\"",
            "text-anchor=\"end\"",
            ">-7</text>",
            "base64,AQID\"",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(svg(&drawing, &|_| Err("no")), Err("no"));
    }
}
