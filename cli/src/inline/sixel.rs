//! Sixels: pictures as characters, each of which shows six pixels of a column in one colour (DEC
//! STD 070, chapter 9).

use std::collections::BTreeMap;
use std::fmt::Write;

use star_report::view::{Picture, Rgb};

/// Maximum number of colours, which is that of most terminals.
const MAX_COLOURS: usize = 256;

/// Rows of a band of pixels.
const BAND: usize = 6;

/// Runs of this number of equal characters and more are shorter with their count.
const LEAST_RUN: usize = 4;

/// Returns a picture as sixels. A terminal has 101 levels of red, green and blue; up to 256 colours
/// of these levels are exact, and more are joined with similar ones.
pub(super) fn text(picture: &Picture) -> String {
    let Picture { width, height, pixels } = picture;
    let (colours, of_pixels) = reduced(pixels);
    // 1: pixels without a colour keep the background. Then the shape of a pixel and the size.
    let mut text = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (number, [red, green, blue]) in colours.iter().enumerate() {
        let _ = write!(text, "#{number};2;{red};{green};{blue}");
    }
    for band in of_pixels.chunks(BAND * width) {
        let mut columns: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for (row, line) in band.chunks(*width).enumerate() {
            for (column, colour) in line.iter().enumerate() {
                columns.entry(*colour).or_insert_with(|| vec![0; *width])[column] |= 1 << row;
            }
        }
        for (idx, (colour, bits)) in columns.iter().enumerate() {
            let back = if idx == 0 { "" } else { "$" };
            let _ = write!(text, "{back}#{colour}");
            let used = bits.iter().rposition(|six| *six != 0).map_or(0, |last| last + 1);
            for run in bits[..used].chunk_by(|one, next| one == next) {
                let character = char::from(b'?' + run[0]);
                match run.len() {
                    n @ LEAST_RUN.. => {
                        let _ = write!(text, "!{n}{character}");
                    }
                    n => text.extend(std::iter::repeat_n(character, n)),
                }
            }
        }
        text.push('-');
    }
    text + "\x1b\\"
}

/// Returns at most 256 colours in percent, and the number of that of each pixel. Levels are joined
/// to groups of the least size that suffices, whose colour is the mean of its pixels.
fn reduced(pixels: &[Rgb]) -> (Vec<Rgb>, Vec<u8>) {
    let percent = |level: u8| ((u16::from(level) * 100 + 127) / 255) as u8;
    let group = |pixel: &Rgb, size: u8| pixel.map(|level| percent(level) / size);
    let mut size = 1;
    loop {
        let mut groups: BTreeMap<Rgb, ([u64; 3], u64)> = BTreeMap::new();
        for pixel in pixels {
            let (sums, n) = groups.entry(group(pixel, size)).or_default();
            for (sum, level) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(percent(*level));
            }
            *n += 1;
            if groups.len() > MAX_COLOURS {
                break;
            }
        }
        if groups.len() <= MAX_COLOURS {
            let mean = |(sums, n): &([u64; 3], u64)| sums.map(|sum| ((sum + n / 2) / n) as u8);
            let colours = groups.values().map(mean).collect();
            let numbers: BTreeMap<Rgb, u8> = groups.keys().copied().zip(0..=u8::MAX).collect();
            return (colours, pixels.iter().map(|pixel| numbers[&group(pixel, size)]).collect());
        }
        size += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes the numbers at the beginning.
    fn numbers(rest: &mut &str) -> Vec<usize> {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len());
        let (list, after) = rest.split_at(end);
        *rest = after;
        list.split(';').map(|number| number.parse().unwrap()).collect()
    }

    /// Decodes sixels into colours in percent.
    fn decoded(text: &str) -> (usize, usize, Vec<Rgb>) {
        let body = text.strip_prefix("\x1bP0;1;0q\"").unwrap().strip_suffix("\x1b\\").unwrap();
        let mut rest = body;
        let size = numbers(&mut rest);
        let (width, height) = (size[2], size[3]);
        assert_eq!(size[..2], [1, 1]);
        let mut pixels = vec![[255; 3]; width * height];
        let mut colours: BTreeMap<usize, Rgb> = BTreeMap::new();
        let (mut colour, mut column, mut band) = (0, 0, 0);
        while let Some(first) = rest.chars().next() {
            rest = &rest[1..];
            let mut n = 1;
            let character = match first {
                '#' => {
                    let given = numbers(&mut rest);
                    colour = given[0];
                    if let [number, 2, red, green, blue] = given[..] {
                        colours.insert(number, [red, green, blue].map(|level| level as u8));
                    }
                    continue;
                }
                '$' => {
                    column = 0;
                    continue;
                }
                '-' => {
                    (column, band) = (0, band + BAND);
                    continue;
                }
                '!' => {
                    n = numbers(&mut rest)[0];
                    let character = rest.chars().next().unwrap();
                    rest = &rest[1..];
                    character
                }
                character => character,
            };
            let six = character as u8 - b'?';
            for at in column..column + n {
                for row in (0..BAND).filter(|row| six >> row & 1 == 1) {
                    pixels[(band + row) * width + at] = colours[&colour];
                }
            }
            column += n;
        }
        (width, height, pixels)
    }

    #[test]
    fn few_colours_are_exact() {
        let (width, height) = (16, 13);
        let level = |at: usize| [0, 51, 102, 153, 204, 255][at % 6];
        let pixels: Vec<Rgb> =
            (0..width * height).map(|at| [level(at / 9), level(at / 5), level(at / 36)]).collect();
        let picture = Picture { width, height, pixels };
        let percent = |pixel: &Rgb| pixel.map(|level| (u32::from(level) * 100 / 255) as u8);
        let expected = picture.pixels.iter().map(percent).collect();
        assert_eq!(decoded(&text(&picture)), (width, height, expected));
    }

    #[test]
    fn many_colours_are_joined() {
        let level = |at: usize| (at % 256) as u8;
        let pixels = (0..4096).map(|at| [level(at), level(at / 16), level(at / 7)]).collect();
        let picture = Picture { width: 64, height: 64, pixels };
        let (_, _, found) = decoded(&text(&picture));
        let mut colours = found.clone();
        colours.sort_unstable();
        colours.dedup();
        assert!((100..=MAX_COLOURS).contains(&colours.len()), "{}", colours.len());
        for (pixel, found) in picture.pixels.iter().zip(found) {
            for (level, found) in pixel.iter().zip(found) {
                assert!((f64::from(*level) / 2.55 - f64::from(found)).abs() < 20.0);
            }
        }
    }
}
