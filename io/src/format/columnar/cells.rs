//! Cells of typed columns, as the text that a CSV file would contain.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowNativeTypeOp};
use arrow_schema::{DataType, TimeUnit};

use crate::meaning::Meaning;
use crate::moment;

/// The text of a cell; empty for a null.
type Cells<'a> = Box<dyn Fn(usize) -> Cow<'a, str> + 'a>;

/// Returns whether columns of this type hold texts.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Returns whether columns of this type hold floating-point numbers.
pub(super) fn is_float(kind: &DataType) -> bool {
    match kind {
        DataType::Float32 | DataType::Float64 => true,
        DataType::Dictionary(_, values) => is_float(values),
        _ => false,
    }
}

/// Returns the meaning of the numbers in columns of this type; `None` if they hold none.
pub(super) fn meaning(kind: &DataType) -> Option<Meaning> {
    match kind {
        DataType::Boolean => Some(Meaning::Number),
        _ if kind.is_integer() || is_float(kind) => Some(Meaning::Number),
        DataType::Date32 => Some(Meaning::Date),
        DataType::Time32(_) | DataType::Time64(_) => Some(Meaning::Clock),
        DataType::Timestamp(..) => Some(Meaning::DateTime),
        DataType::Dictionary(_, values) => meaning(values),
        _ => None,
    }
}

/// The cells of a column; `None` unless its type is a number, text, date or time.
pub(super) fn cells(array: &dyn Array) -> Option<Cells<'_>> {
    let found: Cells<'_> = match array.data_type() {
        DataType::Null => Box::new(|_| "".into()),
        DataType::Boolean => {
            let array = array.as_boolean();
            Box::new(|row| if array.value(row) { "1" } else { "0" }.into())
        }
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        DataType::UInt64 => whole::<UInt64Type>(array),
        DataType::Float32 => whole::<Float32Type>(array),
        DataType::Float64 => whole::<Float64Type>(array),
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            Box::new(|row| array.value(row).into())
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            Box::new(|row| array.value(row).into())
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            Box::new(|row| array.value(row).into())
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            Box::new(|row| moment::date_text(days.value(row).into()).into())
        }
        DataType::Time32(TimeUnit::Second) => clock::<Time32SecondType>(array, 1),
        DataType::Time32(TimeUnit::Millisecond) => clock::<Time32MillisecondType>(array, 1000),
        DataType::Time64(TimeUnit::Microsecond) => clock::<Time64MicrosecondType>(array, 1_000_000),
        DataType::Time64(TimeUnit::Nanosecond) => {
            clock::<Time64NanosecondType>(array, 1_000_000_000)
        }
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => date_time::<TimestampSecondType>(array, 1),
            TimeUnit::Millisecond => date_time::<TimestampMillisecondType>(array, 1000),
            TimeUnit::Microsecond => date_time::<TimestampMicrosecondType>(array, 1_000_000),
            TimeUnit::Nanosecond => date_time::<TimestampNanosecondType>(array, 1_000_000_000),
        },
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary_opt()?;
            if array.values().is_empty() {
                // The dictionary is empty, so every row is null.
                return Some(Box::new(|_| "".into()));
            }
            let keys = array.normalized_keys();
            let values = cells(array.values().as_ref())?;
            Box::new(move |row| values(keys[row]))
        }
        // Binary data, lists, structures and future types cannot be cells of a list of numbers.
        _ => return None,
    };
    let nulls = array.logical_nulls();
    Some(match nulls {
        None => found,
        Some(nulls) => Box::new(move |row| if nulls.is_null(row) { "".into() } else { found(row) }),
    })
}

/// Numbers, including their fractions.
fn whole<T: ArrowPrimitiveType>(array: &dyn Array) -> Cells<'_>
where
    T::Native: std::fmt::Display,
{
    let array = array.as_primitive::<T>();
    Box::new(|row| array.value(row).to_string().into())
}

/// Times of day with `parts` units per second.
fn clock<T: ArrowPrimitiveType>(array: &dyn Array, parts: i64) -> Cells<'_>
where
    T::Native: ArrowNativeTypeOp + Into<i64>,
{
    moments::<T>(array, parts, moment::clock_text)
}

/// Dates with times, with `parts` units per second.
fn date_time<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array, parts: i64) -> Cells<'_> {
    moments::<T>(array, parts, moment::date_time_text)
}

/// CSV times have no fractions of a second: a remainder is appended and so rejected by the parser.
fn moments<T: ArrowPrimitiveType>(
    array: &dyn Array,
    parts: i64,
    text: fn(i64) -> String,
) -> Cells<'_>
where
    T::Native: Into<i64>,
{
    let array = array.as_primitive::<T>();
    Box::new(move |row| {
        let value: i64 = array.value(row).into();
        let seconds = text(value.div_euclid(parts));
        match value.rem_euclid(parts) {
            0 => seconds.into(),
            rest => format!("{seconds} and {rest}/{parts}").into(),
        }
    })
}
