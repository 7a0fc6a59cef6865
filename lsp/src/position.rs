//! Positions: conversion between bytes of a text and lines with characters, which clients count in
//! UTF-8, UTF-16 or UTF-32 units.

use crate::protocol::types::{Position, PositionEncodingKind, Range};
use crate::toolchain::SourceFile;

/// The unit in which a client counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, as every client can.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Selects the best encoding that a client offers.
    pub(crate) fn select(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF32) {
            Encoding::Utf32
        } else {
            Encoding::Utf16
        }
    }

    /// Returns its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the number of units of a text.
    pub(crate) fn width(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
            Encoding::Utf32 => text.chars().count(),
        }
    }

    /// Returns the position of a byte.
    pub(crate) fn position(self, source: &SourceFile, offset: usize) -> Position {
        let text = source.text();
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = source.line_index(offset);
        let start = source.line_range(line).map_or(0, |range| range.start);
        let character = self.width(&text[start..offset]);
        Position { line: line as u32, character: character as u32 }
    }

    /// Returns the positions of a range of bytes.
    pub(crate) fn range(self, source: &SourceFile, range: std::ops::Range<usize>) -> Range {
        let start = self.position(source, range.start);
        Range { start, end: self.position(source, range.end) }
    }

    /// Returns the byte at a position. A position after the end of its line or text is that end.
    pub(crate) fn offset(self, source: &SourceFile, position: Position) -> usize {
        let text = source.text();
        let Some(range) = source.line_range(position.line as usize) else { return text.len() };
        let line = text[range.clone()].trim_end_matches(['\n', '\r']);
        let mut left = position.character as usize;
        for (at, character) in line.char_indices() {
            let width = match self {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
                Encoding::Utf32 => 1,
            };
            if left < width {
                return range.start + at;
            }
            left -= width;
        }
        range.start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_of_the_client() {
        let source = SourceFile::new("a.star", "x\n\t/*Яж*/ 😀y\r\nz".into());
        let at = source.text().find('y').unwrap();
        for (encoding, character) in
            [(Encoding::Utf8, 14), (Encoding::Utf16, 10), (Encoding::Utf32, 9)]
        {
            let position = encoding.position(&source, at);
            assert_eq!((position.line, position.character), (1, character), "{encoding:?}");
            assert_eq!(encoding.offset(&source, position), at);
        }
    }

    #[test]
    fn positions_outside_the_text_are_clamped() {
        let source = SourceFile::new("a.star", "ab\r\nc".into());
        let offset =
            |line, character| Encoding::Utf16.offset(&source, Position { line, character });
        assert_eq!((offset(0, 9), offset(7, 0), offset(1, 1)), (2, 5, 5));
    }

    #[test]
    fn a_position_inside_a_character_is_its_beginning() {
        let source = SourceFile::new("a.star", "😀".into());
        assert_eq!(Encoding::Utf16.offset(&source, Position { line: 0, character: 1 }), 0);
    }
}
