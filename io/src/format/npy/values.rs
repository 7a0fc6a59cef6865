//! The numbers of an array, one list for each column of its items.

use star_base::Code;

use super::header::{Column, ElementKind, Header};
use super::input::Input;
use crate::error::Fault;
use crate::scaling::Scaling;
use crate::source::CHUNK;
use crate::text;
use crate::whole::{self, NO_NUMBER, NotWhole};

/// Bytes of a number in memory.
const VALUE_BYTES: u128 = size_of::<i64>() as u128;

/// Reads all numbers, to the end of the input. `transposed` is the height and width of a grid
/// stored column by column; it is returned row by row.
pub(super) fn read(
    input: &mut Input<'_>,
    header: &Header,
    transposed: Option<(usize, usize)>,
) -> Result<Vec<Vec<i64>>, Fault> {
    let item = &header.item;
    let lens = header.shape.iter();
    // A length of 0 takes precedence over an overflow of the others.
    let n_items = lens.fold(1u128, |product, &len| product.saturating_mul(u128::from(len)));
    let n_items = if header.shape.contains(&0) { 0 } else { n_items };
    let n_file_bytes = n_items.saturating_mul(item.n_bytes as u128);
    let n_copies = 1 + u128::from(transposed.is_some());
    let n_bytes = n_items.saturating_mul(item.columns.len() as u128 * VALUE_BYTES);
    let n_bytes = n_bytes.saturating_mul(n_copies).saturating_add(CHUNK as u128);
    // Checked first, because more memory would not help with a file that is too short.
    if let Some(n_left) = input.n_left.map(u128::from)
        && n_left != n_file_bytes
    {
        let code = if n_left < n_file_bytes { Code::Truncated } else { Code::HeaderLies };
        let bytes = text::count(n_file_bytes, "byte");
        let message = format!("the header announces {bytes} of numbers, but there are {n_left}");
        return Err(Box::new(input.fault(code, message)));
    }
    // Even the smallest array needs the buffer, so it is not counted.
    if n_items > 0 && !input.budget.allows(n_bytes - CHUNK as u128) {
        return Err(input.out_of_memory(n_bytes));
    }
    let n_items = usize::try_from(n_items).map_err(|_| input.out_of_memory(n_bytes))?;
    let mut columns: Vec<Vec<i64>> = item.columns.iter().map(|_| Vec::new()).collect();
    if input.n_left.is_some() {
        for column in &mut columns {
            column.try_reserve_exact(n_items).map_err(|_| input.out_of_memory(n_bytes))?;
        }
    }
    let n_buffer_items = (CHUNK / item.n_bytes).max(1).min(n_items);
    let mut buffer = vec![0; n_buffer_items * item.n_bytes];
    let mut n_read = 0;
    while n_read < n_items {
        let n_now = n_buffer_items.min(n_items - n_read);
        let bytes = &mut buffer[..n_now * item.n_bytes];
        let n_bytes_now = input.fill(bytes)?;
        if n_bytes_now < bytes.len() {
            let n_whole = n_read + n_bytes_now / item.n_bytes;
            let message = format!("the file ends after {n_whole} of {n_items} numbers");
            return Err(Box::new(input.fault(Code::Truncated, message)));
        }
        for (values, column) in columns.iter_mut().zip(&item.columns) {
            values.try_reserve(n_now).map_err(|_| input.out_of_memory(n_bytes))?;
            let float = |number: f64| match number.is_nan() && input.nan_is_missing {
                true => Ok(NO_NUMBER),
                false => whole::of_float(number, input.scaling),
            };
            let appended = append(values, bytes, item.n_bytes, column, input.scaling, float);
            appended.map_err(|error| {
                let place = place(header, values.len());
                error.fault(&input.file, &place)
            })?;
        }
        n_read += n_now;
    }
    if input.fill(&mut [0])? > 0 {
        return Err(Box::new(input.fault(Code::HeaderLies, "bytes after the last number")));
    }
    if let Some((height, width)) = transposed {
        for values in &mut columns {
            let mut by_rows = Vec::new();
            by_rows.try_reserve_exact(n_items).map_err(|_| input.out_of_memory(n_bytes))?;
            by_rows.resize(n_items, 0);
            transpose(values, &mut by_rows, height, width);
            *values = by_rows;
        }
    }
    Ok(columns)
}

/// The place of the item with this index, from 0.
fn place(header: &Header, idx: usize) -> String {
    match header.shape[..] {
        [height, width] if height > 0 && width > 0 => {
            let (idx, height, width) = (idx as u64, height, width);
            let (row, col) = match header.is_by_columns {
                true => (idx % height, idx / height),
                false => (idx / width, idx % width),
            };
            format!(" in row {}, column {}", row + 1, col + 1)
        }
        _ => format!(" at index {}", idx + 1),
    }
}

/// Appends the numbers of one column of the items in `bytes`, up to the first that is not an
/// integer; `float` converts floating-point numbers.
fn append(
    values: &mut Vec<i64>,
    bytes: &[u8],
    n_item_bytes: usize,
    column: &Column,
    scaling: Option<&Scaling>,
    float: impl Fn(f64) -> Result<i64, NotWhole>,
) -> Result<(), NotWhole> {
    let Column { name: _, kind, n_bytes, is_big, at } = *column;
    let first = values.len();
    // Dispatches once for each chunk, not for each number.
    macro_rules! numbers {
        ($number:ty, $whole:expr) => {
            extend(values, bytes, n_item_bytes, at, |bytes: [u8; size_of::<$number>()]| {
                $whole(match is_big {
                    true => <$number>::from_be_bytes(bytes),
                    false => <$number>::from_le_bytes(bytes),
                })
            })
        };
    }
    match (kind, n_bytes) {
        (ElementKind::Bool, _) => numbers!(u8, |number| Ok(i64::from(number != 0))),
        (ElementKind::Unsigned, 1) => numbers!(u8, |number| Ok(i64::from(number))),
        (ElementKind::Unsigned, 2) => numbers!(u16, |number| Ok(i64::from(number))),
        (ElementKind::Unsigned, 4) => numbers!(u32, |number| Ok(i64::from(number))),
        (ElementKind::Unsigned, _) => numbers!(u64, whole::of_unsigned),
        (ElementKind::Signed, 1) => numbers!(i8, |number| Ok(i64::from(number))),
        (ElementKind::Signed, 2) => numbers!(i16, |number| Ok(i64::from(number))),
        (ElementKind::Signed, 4) => numbers!(i32, |number| Ok(i64::from(number))),
        (ElementKind::Signed, _) => numbers!(i64, Ok),
        (ElementKind::Float, 2) => numbers!(u16, |bits| float(half(bits))),
        (ElementKind::Float, 4) => numbers!(f32, |number| float(f64::from(number))),
        (ElementKind::Float, _) => numbers!(f64, float),
    }?;
    match (kind, scaling) {
        (ElementKind::Float, _) | (_, None) => Ok(()),
        (ElementKind::Bool | ElementKind::Unsigned | ElementKind::Signed, Some(_)) => {
            for value_idx in first..values.len() {
                match whole::of_whole(values[value_idx], scaling) {
                    Ok(value) => values[value_idx] = value,
                    Err(error) => {
                        values.truncate(value_idx);
                        return Err(error);
                    }
                }
            }
            Ok(())
        }
    }
}

fn extend<const N: usize>(
    values: &mut Vec<i64>,
    bytes: &[u8],
    n_item_bytes: usize,
    at: usize,
    whole: impl Fn([u8; N]) -> Result<i64, NotWhole>,
) -> Result<(), NotWhole> {
    if n_item_bytes == N {
        let (items, _) = bytes.as_chunks::<N>(); // there is no remainder
        for item in items {
            values.push(whole(*item)?);
        }
        return Ok(());
    }
    for item in bytes.chunks_exact(n_item_bytes) {
        if let Some(number) = item[at..].first_chunk::<N>() {
            values.push(whole(*number)?);
        }
    }
    Ok(())
}

/// Converts a 16-bit floating-point number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if bits & 1023 == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// Transposes a grid in blocks that fit in the cache.
fn transpose(by_columns: &[i64], by_rows: &mut [i64], height: usize, width: usize) {
    const SIDE: usize = 32;
    for top in (0..height).step_by(SIDE) {
        for left in (0..width).step_by(SIDE) {
            for row in top..height.min(top + SIDE) {
                for col in left..width.min(left + SIDE) {
                    by_rows[row * width + col] = by_columns[col * height + row];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_numbers_are_converted() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x0400, 2f64.powi(-14)),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn transposition_crosses_blocks() {
        let (height, width) = (70, 33);
        let by_columns: Vec<i64> = (0..height * width).map(|idx| idx as i64).collect();
        let mut by_rows = vec![0; by_columns.len()];
        transpose(&by_columns, &mut by_rows, height, width);
        for row in 0..height {
            for col in 0..width {
                assert_eq!(by_rows[row * width + col], (col * height + row) as i64);
            }
        }
    }
}
