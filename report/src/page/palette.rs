//! Colours of plots: written into the SVG for light pages, replaced by a style sheet for dark ones.

use std::fmt::Write as _;

/// A colour for light and for dark pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    /// Red, green, blue on a light background; unique in the palette.
    pub(crate) light: (u8, u8, u8),
    /// Red, green, blue on a dark background.
    dark: (u8, u8, u8),
}

/// The background.
pub(crate) const GROUND: Colour = Colour { light: (0xfe, 0xfe, 0xfd), dark: (0x14, 0x18, 0x1d) };
/// Texts and axes.
pub(crate) const INK: Colour = Colour { light: (0x1f, 0x23, 0x28), dark: (0xe2, 0xe7, 0xec) };
/// Less important texts.
pub(crate) const FAINT: Colour = Colour { light: (0x5b, 0x65, 0x70), dark: (0x9a, 0xa5, 0xb1) };
/// Lines of the grid.
pub(crate) const GRID: Colour = Colour { light: (0xdf, 0xe3, 0xe8), dark: (0x2b, 0x32, 0x3a) };

/// Number of colours of lines.
pub(crate) const COLOURS: usize = 8;
/// Number of marks of lines: one less than colours, so that both together repeat only after all
/// pairs.
pub(crate) const MARKS: usize = 7;

/// Colours of the lines of data: distinguishable with red-green colour blindness, too (after Okabe
/// and Ito 2008), and by their marks.
const LINES: [Colour; COLOURS] = [
    Colour { light: (0x00, 0x5f, 0xa3), dark: (0x5a, 0xb0, 0xf5) },
    Colour { light: (0xc2, 0x4e, 0x00), dark: (0xff, 0x9a, 0x4d) },
    Colour { light: (0x00, 0x7d, 0x5a), dark: (0x35, 0xc9, 0x9b) },
    Colour { light: (0xa8, 0x3a, 0x7d), dark: (0xe8, 0x8c, 0xc2) },
    Colour { light: (0x8a, 0x6d, 0x00), dark: (0xe3, 0xc0, 0x3c) },
    Colour { light: (0x3b, 0x8e, 0xb5), dark: (0x8f, 0xd3, 0xf0) },
    Colour { light: (0x6a, 0x4f, 0xb3), dark: (0xb3, 0x9d, 0xf2) },
    Colour { light: (0x6b, 0x6b, 0x6b), dark: (0xb8, 0xb8, 0xb8) },
];

/// Returns the colour of a line by its number.
pub(crate) fn line(number: usize) -> Colour {
    LINES[number % COLOURS]
}

/// Returns the mark of a line by its number.
pub(crate) fn mark(number: usize) -> LineMark {
    LineMark::ALL[number % MARKS]
}

/// Mark at the points of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum LineMark {
    Disk,
    Square,
    Triangle,
    Ring,
    Plus,
    Diamond,
    Frame,
}

impl LineMark {
    const ALL: [LineMark; MARKS] = [
        LineMark::Disk,
        LineMark::Square,
        LineMark::Triangle,
        LineMark::Ring,
        LineMark::Plus,
        LineMark::Diamond,
        LineMark::Frame,
    ];
}

/// Returns rules for a dark page: each light colour of an SVG is replaced by the dark one. `scope`
/// is their prefix.
pub(crate) fn dark_rules(scope: &str) -> String {
    let mut rules = String::new();
    let colours = [GROUND, INK, FAINT, GRID];
    for Colour { light, dark } in colours.into_iter().chain(LINES) {
        let (light, dark) = (hex(light), hex(dark));
        for property in ["fill", "stroke"] {
            let _ = writeln!(rules, "{scope} [{property}=\"{light}\"] {{ {property}: {dark} }}");
        }
    }
    rules
}

/// Formats a colour in the same way as the SVG backend.
fn hex((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance, WCAG 2.
    fn luminance((red, green, blue): (u8, u8, u8)) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn texts_and_lines_contrast_with_both_backgrounds() {
        for (colours, least) in [(&[INK, FAINT][..], 4.5), (&LINES[..], 3.0)] {
            for colour in colours {
                assert!(contrast(colour.light, GROUND.light) >= least, "{colour:?}");
                assert!(contrast(colour.dark, GROUND.dark) >= least, "{colour:?}");
            }
        }
    }

    #[test]
    fn many_lines_have_distinct_pairs_of_colour_and_mark() {
        let looks: std::collections::BTreeSet<_> =
            (0..56).map(|number| (line(number).light, mark(number))).collect();
        assert_eq!(looks.len(), 56);
    }

    #[test]
    fn light_colours_are_distinct() {
        let mut all: Vec<_> = LINES.iter().chain([&GROUND, &INK, &FAINT, &GRID]).collect();
        all.sort_by_key(|colour| colour.light);
        assert!(all.windows(2).all(|pair| pair[0].light != pair[1].light));
    }
}
