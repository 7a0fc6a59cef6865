//! Places in source text: files, byte ranges, lines and columns.
//!
//! Reading files is not part of this module: text arrives as a `String`.

use std::fmt;
use std::ops::Range;

/// The number of a source file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of one source file, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Span { file, start, end }
    }

    /// Returns the empty range at the start of `file`, for messages about a whole file.
    pub fn file_start(file: FileId) -> Self {
        Span::new(file, 0, 0)
    }

    /// Returns the smallest range that contains both `self` and `other`, which are in one file.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.file, self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the empty range immediately after `self`.
    pub fn after(self) -> Span {
        Span::new(self.file, self.end, self.end)
    }

    /// Returns the bytes as a `usize` range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A source file: its name for display and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Creates a file; `text` is at most 4 GiB long (the loader refuses longer ones).
    pub fn new(name: impl Into<String>, text: String) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        SourceFile { name: name.into(), text, line_starts }
    }

    /// Returns the name for display.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines, at least 1.
    pub fn n_lines(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns the line (from 0) that contains byte `offset`.
    pub fn line_index(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start as usize <= offset) - 1
    }

    /// Returns the byte range of line `line_idx` (from 0), including its line break.
    pub fn line_range(&self, line_idx: usize) -> Option<Range<usize>> {
        let start = *self.line_starts.get(line_idx)? as usize;
        let end = self.line_starts.get(line_idx + 1).map_or(self.text.len(), |&end| end as usize);
        Some(start..end)
    }

    /// Returns the line and column of byte `offset`.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        let line = self.line_index(offset);
        let start = self.line_starts[line] as usize;
        let column = self.text.as_bytes()[start..offset]
            .iter()
            .filter(|&&byte| byte & 0xC0 != 0x80) // count characters, not continuation bytes
            .count();
        LineColumn { line: line + 1, column: column + 1 }
    }
}

/// All source files of one compilation; a [`FileId`] is an index into it.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its number.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(file);
        id
    }

    /// Returns the file with number `id`, if the number is from this map.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the text that `span` covers; empty if the span is not of this map.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).and_then(|file| file.text.get(span.range())).unwrap_or("")
    }

    /// Iterates over all files in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(idx, file)| (FileId(idx as u32), file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let file = SourceFile::new("a.star", "ab\n/*Я*/x".into());
        let at = file.text().find('x').unwrap();
        assert_eq!(file.line_column(at), LineColumn { line: 2, column: 6 });
        assert_eq!(file.line_range(1), Some(3..file.text().len()));
        assert_eq!(file.line_range(2), None);
    }
}
