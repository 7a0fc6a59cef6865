//! POLYLINES.

use star_base::BitTable;
use star_natives::polyline::{GreyImage, Pixel, Polyline, Request, trace};
use star_natives::{Ended, Lines};

use super::{NativeCall, NativeResult, NotTaken};

/// `POLYLINES(w,t,Grey,Q,p,d,width,g,Score,Path,Out)`
pub(super) fn polylines(call: &mut NativeCall) -> NativeResult {
    let (width, n_blurs) = (call.size(0)?, call.size(1)?);
    let [n_pixels, _] = call.table_size(2)?;
    if !n_pixels.is_multiple_of(width) {
        return Err(NotTaken::declined());
    }
    let height = n_pixels / width;
    let [n_requests, _] = call.table_size(3)?;
    let (n_nodes, n_points) = (call.size(4)?, call.size(5)?);
    call.turn(3, Lines::Columns)?;
    call.reserve((n_requests as u64).saturating_mul(size_of::<Request>() as u64))?;
    let mut requests = Vec::new();
    requests.try_reserve_exact(n_requests).map_err(|_| Ended::OutOfMemory)?;
    for row in 0..n_requests {
        let ends = call.lines(3, Lines::Columns)?;
        // Coordinates count from 1.
        let pixel = |first: usize| Pixel {
            x: number(ends, row, first) - 1,
            y: number(ends, row, first + 16) - 1,
        };
        let request = Request {
            a: pixel(0),
            b: pixel(32),
            n_nodes,
            n_points,
            width: call.size(6)?,
            max_turn: call.size(7)?,
        };
        request.check(width, height).map_err(|_| NotTaken::declined())?;
        requests.push(request);
    }
    // Path has fewer rows than requests have pixels, so its size fits.
    let n_guides = n_nodes - 2;
    let [path_rows, out_rows] = [n_nodes, n_guides].map(|n| n_requests.checked_mul(n));
    let (Some(path_rows), Some(out_rows)) = (path_rows, out_rows) else {
        return Err(NotTaken::declined());
    };
    let mut score = call.reserve_table(8, n_requests, 32, Lines::Columns)?;
    let mut path = call.reserve_table(9, path_rows, 32, Lines::Columns)?;
    let mut out = call.reserve_table(10, out_rows, 16, Lines::Columns)?;
    call.turn(2, Lines::Columns)?;
    let environment = call.environment();
    let threads = star_natives::Environment::threads(&environment);
    let most = requests.iter().map(|request| request.n_bytes(width, height, threads)).max();
    call.reserve(most.unwrap_or(0).saturating_add(n_pixels as u64))?;
    let answers = {
        let planes = call.lines(2, Lines::Columns)?;
        let image = GreyImage::from_planes(width, planes)?;
        trace(&image, n_blurs, &requests, &environment)?
    };
    for (row, Polyline { found, inside }) in answers.iter().enumerate() {
        put(&mut score, row, 32, found.as_ref().map_or(u32::MAX, |found| found.score));
        let nodes = found.iter().flat_map(|found| &found.nodes).enumerate();
        for (idx, Pixel { x, y }) in nodes {
            let place = (x + 1) as u32 * 65_536 + (y + 1) as u32;
            put(&mut path, row * n_nodes + idx, 32, place);
        }
        for (idx, inside) in inside.iter().enumerate() {
            put(&mut out, row * n_guides + idx, 16, (n_points - inside.len()) as u32);
        }
    }
    call.put_table(8, score, Lines::Columns)?;
    call.put_table(9, path, Lines::Columns)?;
    call.put_table(10, out, Lines::Columns)
}

/// The 16 bits of a row from a column on, the first one most significant.
fn number(table: &BitTable, row: usize, first: usize) -> i64 {
    (first..first + 16).fold(0, |number, column| 2 * number + i64::from(table.get(row, column)))
}

/// A row of zeros becomes a number of so many bits.
fn put(table: &mut BitTable, row: usize, bits: usize, number: u32) {
    for column in (0..bits).filter(|column| number >> (bits - 1 - column) & 1 == 1) {
        table.put(row, column, true);
    }
}
