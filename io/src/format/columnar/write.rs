//! Values as one batch of typed columns: texts, dates, times and whole numbers, with nulls for
//! missing numbers that have no number in files.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    Time32MillisecondArray, TimestampMillisecondArray,
};
use star_value::BitsRef;

use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::edge_list::names_of_ends;
use crate::format::{GraphRef, cannot_hold};
use crate::graph::Arc as Edge;
use crate::meaning::Meaning;
use crate::names::VertexNames;
use crate::numbers::{Field, Numbers};

/// Returns the columns of a value: the fields of numbers, the cells of a grid row by row, the arcs
/// of a graph, or each row of bits as one number.
pub(super) fn batch(value: OutputRef<'_>, format: &str) -> Result<RecordBatch, Fault> {
    let columns = match value {
        OutputRef::Numbers(numbers) => of_numbers(value, numbers, format)?,
        OutputRef::Bits(bits) => vec![("bits".to_owned(), of_bits(value, bits, format)?)],
        OutputRef::Graph(_) => of_graph(value, format)?,
    };
    let refused = |error| cannot_hold(value, format, "columns").note(format!("{error}"));
    Ok(RecordBatch::try_from_iter(columns).map_err(refused)?)
}

fn of_numbers(
    value: OutputRef<'_>,
    numbers: &Numbers,
    format: &str,
) -> Result<Vec<(String, ArrayRef)>, Fault> {
    numbers.check("")?;
    if numbers.fields.is_empty() {
        let fault = cannot_hold(value, format, "columns");
        return Err(Box::new(fault.note("the value has no fields")));
    }
    let column = |field: &Field| {
        let array = of_field(field).ok_or_else(|| {
            let name = crate::text::quote(field.name.as_bytes());
            let what = field.meaning.describe();
            let fault = cannot_hold(value, format, "dates and times of its types");
            fault.note(format!("field {name} has numbers that are not {what}"))
        })?;
        Ok((field.name.clone(), array))
    };
    numbers.fields.iter().map(column).collect()
}

/// Returns the column of a field; `None` if a date or time exceeds its type.
fn of_field(field: &Field) -> Option<ArrayRef> {
    let values = || field.values.iter().map(|&value| (!field.lacks(value)).then_some(value));
    // `None` is a missing number, `Some(None)` one that exceeds the type.
    let all = |number: fn(i64) -> Option<i64>| -> Option<Vec<Option<i64>>> {
        values().map(|value| value.map_or(Some(None), |value| number(value).map(Some))).collect()
    };
    let narrow = |number: Option<i64>| number.map(|number| number as i32); // it fits
    Some(match &field.meaning {
        Meaning::Number => Arc::new(Int64Array::from_iter(values())),
        Meaning::Scaled(_) => {
            let floats = field.values.iter().map(|&value| field.float(value));
            Arc::new(Float64Array::from_iter(floats))
        }
        Meaning::Texts(_) => {
            let texts = field.values.iter().map(|&code| Some(field.text(code)));
            Arc::new(StringArray::from_iter(texts))
        }
        Meaning::Date => {
            let days = all(|days| i32::try_from(days).ok().map(i64::from))?;
            Arc::new(Date32Array::from_iter(days.into_iter().map(narrow)))
        }
        Meaning::Clock => {
            let seconds = all(|seconds| (0..86_400).contains(&seconds).then(|| seconds * 1000))?;
            Arc::new(Time32MillisecondArray::from_iter(seconds.into_iter().map(narrow)))
        }
        Meaning::DateTime => {
            let moments = all(|seconds| seconds.checked_mul(1000))?;
            Arc::new(TimestampMillisecondArray::from_iter(moments))
        }
    })
}

fn of_bits(value: OutputRef<'_>, bits: BitsRef<'_>, format: &str) -> Result<ArrayRef, Fault> {
    let (n_rows, n_cols) = bits.shape();
    if n_cols >= 64 {
        let holds = "numbers of at most 63 bits, one per row";
        return Err(Box::new(cannot_hold(value, format, holds)));
    }
    if n_cols == 1 {
        let rows = (0..n_rows).map(|row| Some(bits.get(row, 0)));
        return Ok(Arc::new(BooleanArray::from_iter(rows)));
    }
    let number =
        |row: usize| (0..n_cols).fold(0i64, |n, col| n << 1 | i64::from(bits.get(row, col)));
    Ok(Arc::new(Int64Array::from_iter_values((0..n_rows).map(number))))
}

fn of_graph(value: OutputRef<'_>, format: &str) -> Result<Vec<(String, ArrayRef)>, Fault> {
    let OutputRef::Graph(owner) = value else {
        return Err(Box::new(cannot_hold(value, format, "graphs")));
    };
    let graph = GraphRef::new(value, format)?;
    let (mut ends, mut weights) = ([Vec::new(), Vec::new()], Vec::new());
    let collected = graph.try_for_edges(|Edge { tail, head, weight }| {
        ends[0].push(tail);
        ends[1].push(head);
        weights.push(weight);
        Ok(())
    });
    collected.map_err(|error| crate::format::cannot_write(&error))?;
    let column = |vertices: Vec<_>| -> ArrayRef {
        let names = || vertices.iter().map(|&vertex| graph.name(vertex).to_string());
        match &owner.names {
            Some(VertexNames::Texts(_)) => Arc::new(StringArray::from_iter_values(names())),
            Some(VertexNames::Numbers(_)) | None => {
                // All are integers.
                Arc::new(Int64Array::from_iter(names().map(|name| name.parse::<i64>().ok())))
            }
        }
    };
    let names = names_of_ends(graph).map(str::to_owned);
    let mut columns: Vec<(String, ArrayRef)> = names.into_iter().zip(ends.map(column)).collect();
    if graph.is_weighted() {
        columns.push(("weight".to_owned(), Arc::new(Int64Array::from(weights))));
    }
    Ok(columns)
}
