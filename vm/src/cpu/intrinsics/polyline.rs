//! POLYLINES.

use star_intrinsics::polyline::{GreyImage, Pixel, Polyline, Request, trace};
use star_intrinsics::{Ended, InterruptPoller, LineOrder, read_numbers, write_numbers};

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// Bits of a coordinate, and of a score.
const COORDINATE_BITS: usize = 16;
const SCORE_BITS: usize = 32;

/// `POLYLINES(w,t,Grey,Q,p,d,width,g,Score,Path,Out)`
pub(super) fn polylines(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (width, n_blurs) = (call.size(0)?, call.size(1)?);
    let [n_pixels, _] = call.table_size(2)?;
    if !n_pixels.is_multiple_of(width) {
        return Err(NotTaken::declined());
    }
    let height = n_pixels / width;
    let requests = requests(call)?;
    for request in &requests {
        request.check(width, height).map_err(|_| NotTaken::declined())?;
    }
    // Path has fewer rows than the requests have pixels, so its size fits.
    let (n_nodes, n_points) = (call.size(4)?, call.size(5)?);
    let n_guides = n_nodes - 2;
    let [path_rows, out_rows] = [n_nodes, n_guides].map(|n| requests.len().checked_mul(n));
    let (Some(path_rows), Some(out_rows)) = (path_rows, out_rows) else {
        return Err(NotTaken::declined());
    };
    let mut score = call.reserve_table(8, requests.len(), SCORE_BITS, LineOrder::Columns)?;
    let mut path = call.reserve_table(9, path_rows, 2 * COORDINATE_BITS, LineOrder::Columns)?;
    let mut out = call.reserve_table(10, out_rows, COORDINATE_BITS, LineOrder::Columns)?;
    call.transpose(2, LineOrder::Columns)?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let threads = star_intrinsics::Environment::threads(&environment);
    let work = requests.iter().map(|request| request.n_bytes(width, height, threads)).max();
    let answers = requests.iter().map(Request::n_answer_bytes).fold(0, u64::saturating_add);
    let numbers = [requests.len(), path_rows, out_rows].map(|n| (n as u64).saturating_mul(4));
    call.reserve(GreyImage::n_bytes(n_pixels))?;
    call.reserve(work.unwrap_or(0))?;
    call.reserve(numbers.into_iter().fold(answers, u64::saturating_add))?;
    let image = GreyImage::from_planes(width, call.lines(2, LineOrder::Columns)?, &mut poller)?;
    let answers = trace(&image, n_blurs, &requests, &environment)?;
    let (mut scores, mut nodes) = (reserved(requests.len())?, reserved(path_rows)?);
    let mut n_outside = reserved(out_rows)?;
    for Polyline { found, inside } in &answers {
        scores.push(found.as_ref().map_or(u32::MAX, |found| found.score));
        match found {
            Some(found) => nodes.extend(found.nodes.iter().map(place)),
            None => nodes.extend(std::iter::repeat_n(0, n_nodes)),
        }
        n_outside.extend(inside.iter().map(|inside| (n_points - inside.len()) as u32));
    }
    write_numbers(&mut score, 0, SCORE_BITS, &scores, &mut poller)?;
    write_numbers(&mut path, 0, 2 * COORDINATE_BITS, &nodes, &mut poller)?;
    write_numbers(&mut out, 0, COORDINATE_BITS, &n_outside, &mut poller)?;
    call.put_table(8, score, LineOrder::Columns)?;
    call.put_table(9, path, LineOrder::Columns)?;
    call.put_table(10, out, LineOrder::Columns)
}

/// Returns the requests, valid or not.
fn requests(call: &mut IntrinsicCall) -> IntrinsicResult<Vec<Request>> {
    let [n_requests, _] = call.table_size(3)?;
    let (n_nodes, n_points) = (call.size(4)?, call.size(5)?);
    let (width, max_turn) = (call.size(6)?, call.size(7)?);
    call.transpose(3, LineOrder::Columns)?;
    let of_request = size_of::<Request>() + 4 * size_of::<u32>();
    call.reserve((n_requests as u64).saturating_mul(of_request as u64))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let lines = call.lines(3, LineOrder::Columns)?;
    let mut column =
        |number: usize| read_numbers(lines, number * COORDINATE_BITS, COORDINATE_BITS, &mut poller);
    let (ax, ay, bx, by) = (column(0)?, column(1)?, column(2)?, column(3)?);
    let mut requests = reserved(n_requests)?;
    for ((ax, ay), (bx, by)) in ax.into_iter().zip(ay).zip(bx.into_iter().zip(by)) {
        // Coordinates count from 1.
        let pixel = |x: u32, y: u32| Pixel { x: i64::from(x) - 1, y: i64::from(y) - 1 };
        requests.push(Request {
            a: pixel(ax, ay),
            b: pixel(bx, by),
            n_nodes,
            n_points,
            width,
            max_turn,
        });
    }
    Ok(requests)
}

/// Encodes a node for Path, counted from 1, with x before y. An image has at most 65,535 rows and
/// columns.
fn place(&Pixel { x, y }: &Pixel) -> u32 {
    ((x + 1) as u32) << COORDINATE_BITS | (y + 1) as u32
}

/// Returns an empty list with room for `len` numbers.
fn reserved<T>(len: usize) -> IntrinsicResult<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|_| Ended::OutOfMemory)?;
    Ok(list)
}
