//! The lines of an update stream: a sequence of changes and queries of a graph.
//!
//! A stream is a list of numbers with the fields [`FIELDS`], one record for every line of the file;
//! [`Update`] is the meaning of a record.

use crate::graph::bit_length;
use crate::numbers::{Field, Numbers, Shape};

/// The fields of a stream, from left to right.
pub const FIELDS: [&str; 4] = ["operation", "first", "second", "weight"];

/// Bits of the code of an operation.
pub const OPERATION_BITS: usize = 4;

/// The meaning of a line. Vertices count from 1; an arc is an edge if the graph is undirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// A blank line, or a comment.
    Nothing,
    /// `+ TAIL HEAD WEIGHT`: inserts an arc.
    InsertArc {
        /// The vertex it leaves.
        tail: u32,
        /// The vertex it enters.
        head: u32,
        /// Its weight, not negative; 1 in a stream without weights.
        weight: i64,
    },
    /// `- TAIL HEAD`: deletes an arc.
    DeleteArc {
        /// The vertex it leaves.
        tail: u32,
        /// The vertex it enters.
        head: u32,
    },
    /// `= TAIL HEAD WEIGHT`: changes the weight of an arc.
    SetWeight {
        /// The vertex it leaves.
        tail: u32,
        /// The vertex it enters.
        head: u32,
        /// Its new weight, not negative.
        weight: i64,
    },
    /// `+ VERTEX`: reinserts a vertex, without arcs.
    InsertVertex(u32),
    /// `- VERTEX`: deletes a vertex with all its arcs.
    DeleteVertex(u32),
    /// `? FIRST SECOND`: a query about two vertices.
    AskPair(u32, u32),
    /// `? VERTEX`: a query about one vertex.
    AskVertex(u32),
    /// `?`: a query about the whole graph.
    AskAll,
}

impl Update {
    /// The numbers in the fields; unused ones are 0.
    pub fn record(self) -> [i64; FIELDS.len()] {
        match self {
            Update::Nothing => [0; 4],
            Update::InsertArc { tail, head, weight } => [1, tail.into(), head.into(), weight],
            Update::DeleteArc { tail, head } => [2, tail.into(), head.into(), 0],
            Update::SetWeight { tail, head, weight } => [3, tail.into(), head.into(), weight],
            Update::InsertVertex(vertex) => [4, vertex.into(), 0, 0],
            Update::DeleteVertex(vertex) => [5, vertex.into(), 0, 0],
            Update::AskPair(first, second) => [6, first.into(), second.into(), 0],
            Update::AskVertex(vertex) => [7, vertex.into(), 0, 0],
            Update::AskAll => [8, 0, 0, 0],
        }
    }

    /// Decodes the numbers in the fields; `None` if they are invalid.
    pub fn of_record(record: [i64; FIELDS.len()]) -> Option<Update> {
        let [code, first, second, weight] = record;
        let vertex = |number: i64| u32::try_from(number).ok().filter(|&vertex| vertex > 0);
        let update = match code {
            0 => Update::Nothing,
            1 => Update::InsertArc { tail: vertex(first)?, head: vertex(second)?, weight },
            2 => Update::DeleteArc { tail: vertex(first)?, head: vertex(second)? },
            3 => Update::SetWeight { tail: vertex(first)?, head: vertex(second)?, weight },
            4 => Update::InsertVertex(vertex(first)?),
            5 => Update::DeleteVertex(vertex(first)?),
            6 => Update::AskPair(vertex(first)?, vertex(second)?),
            7 => Update::AskVertex(vertex(first)?),
            8 => Update::AskAll,
            _ => return None,
        };
        (weight >= 0 && update.record() == record).then_some(update)
    }
}

/// Converts a stream to numbers. `b` are the bits of a vertex, `h` those of a weight; by default
/// the smallest sufficient widths, with all ones reserved for infinity in a weight.
pub(crate) fn to_numbers(
    records: &[[i64; FIELDS.len()]],
    b: Option<usize>,
    h: Option<usize>,
) -> Numbers {
    let greatest = |idx: usize| records.iter().map(|record| record[idx]).max().unwrap_or(0);
    let bits = |number: i64| bit_length(u128::from(number.unsigned_abs())).max(1);
    let b = b.unwrap_or_else(|| bits(greatest(1).max(greatest(2))));
    let h = h.unwrap_or_else(|| bit_length(u128::from(greatest(3).unsigned_abs()) + 1));
    let widths = [OPERATION_BITS, b, b, h];
    let fields = FIELDS.iter().zip(widths).enumerate().map(|(idx, (name, bits))| {
        Field::new(*name, Some(bits), records.iter().map(|record| record[idx]).collect())
    });
    Numbers { shape: Shape::List(records.len()), fields: fields.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip() {
        let updates = [
            Update::Nothing,
            Update::InsertArc { tail: 1, head: u32::MAX, weight: i64::MAX },
            Update::DeleteArc { tail: 2, head: 1 },
            Update::SetWeight { tail: 2, head: 1, weight: 0 },
            Update::InsertVertex(7),
            Update::DeleteVertex(7),
            Update::AskPair(3, 3),
            Update::AskVertex(3),
            Update::AskAll,
        ];
        for (code, update) in updates.into_iter().enumerate() {
            let record = update.record();
            assert_eq!(record[0], code as i64);
            assert_eq!(Update::of_record(record), Some(update));
        }
        for wrong in [[9, 0, 0, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 2, -1], [2, 1, 0, 0]] {
            assert_eq!(Update::of_record(wrong), None, "{wrong:?}");
        }
        assert_eq!(Update::of_record([4, 1 << 32, 0, 0]), None);
    }

    #[test]
    fn default_widths_are_minimal() {
        let records = [Update::InsertArc { tail: 8, head: 3, weight: 7 }.record()];
        let widths = |b, h| to_numbers(&records, b, h).fields.into_iter().map(|field| field.bits);
        assert!(widths(None, None).eq([4, 4, 4, 4].map(Some))); // 7 is infinity in three bits
        assert!(widths(Some(6), Some(9)).eq([4, 6, 6, 9].map(Some)));
        let nothing = to_numbers(&[[0; 4]], None, None);
        assert!(nothing.fields.into_iter().map(|field| field.bits).eq([4, 1, 1, 1].map(Some)));
    }
}
