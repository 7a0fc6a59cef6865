//! WAVE, by [`Wave`], WEIGHED_WAVE, by [`Weighed`], and PLANES.

use star_intrinsics::wave::{
    Cell, Costs, Grid, GridError, Labels, Neighbourhood, Wave, WaveError, Weighed,
    planes as write_planes,
};
use star_intrinsics::{Ended, InterruptPoller, LineOrder, read_numbers};

use super::{IntrinsicCall, IntrinsicResult, NotTaken};
use crate::interrupt::internal_error;

/// `WAVE(w,moore,stop,Right,Down,Goals,Label)`
pub(super) fn wave(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (width, n_cells) = (call.size(0)?, call.bits(3)?.len());
    let neighbourhood = neighbourhood(call, 1)?;
    let stop = call.size(2)?;
    if width == 0 || n_cells % width != 0 {
        return Err(NotTaken::declined());
    }
    let of_wave = Wave::n_bytes(width, n_cells / width);
    let (grid, goals) = grid_and_goals(call, width, [3, 4, 5], of_wave)?;
    let stop_at = stop.checked_sub(1).map(|idx| cell(width, idx));
    let environment = call.environment();
    let wave = Wave::spread(&grid, neighbourhood, &goals, stop_at, &environment);
    let wave = wave.map_err(not_taken)?;
    let n_bits = Labels::n_bits(n_cells);
    let mut table = call.reserve_table(6, n_cells, n_bits, LineOrder::Columns)?;
    wave.labels().write(&mut table, &mut InterruptPoller::new(&environment))?;
    call.put_table(6, table, LineOrder::Columns)
}

/// `PLANES(w,C,Picture)`
pub(super) fn planes(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (width, [n_cells, n_planes]) = (call.size(0)?, call.table_size(1)?);
    if width == 0 {
        return Err(NotTaken::declined());
    }
    let n_bits = width.checked_mul(n_planes).ok_or_else(NotTaken::declined)?;
    call.transpose(1, LineOrder::Columns)?;
    let environment = call.environment();
    let mut rows = call.reserve_table(2, n_cells / width, n_bits, LineOrder::Rows)?;
    let cells = call.lines(1, LineOrder::Columns)?;
    write_planes(width, cells, &mut rows, &mut InterruptPoller::new(&environment))?;
    call.put_table(2, rows, LineOrder::Rows)
}

/// `WEIGHED_WAVE(w,moore,straight,diagonal,Right,Down,Goals,Weight,Price)`
pub(super) fn weighed_wave(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (width, n_cells) = (call.size(0)?, call.bits(4)?.len());
    let neighbourhood = neighbourhood(call, 1)?;
    let price = |idx: usize| u32::try_from(call.size(idx)?).map_err(|_| NotTaken::declined());
    let (straight, diagonal) = (price(2)?, price(3)?);
    let [_, weight_bits] = call.table_size(7)?;
    let n_bits = Weighed::n_bits(n_cells, weight_bits, straight, diagonal);
    if width == 0 || n_cells % width != 0 || n_bits >= u64::BITS as usize {
        return Err(NotTaken::declined());
    }
    call.transpose(7, LineOrder::Columns)?;
    let of_weights = (n_cells as u64).saturating_mul(size_of::<u32>() as u64);
    let of_wave = of_weights.saturating_add(Weighed::n_bytes(n_cells as u64));
    let (grid, goals) = grid_and_goals(call, width, [4, 5, 6], of_wave)?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let weights = read_numbers(call.lines(7, LineOrder::Columns)?, 0, weight_bits, &mut poller)?;
    let costs = Costs { straight, diagonal, weights: Some(&weights) };
    let weighed = Weighed::spread(&grid, neighbourhood, &goals, costs, &environment);
    let weighed = weighed.map_err(not_taken)?;
    let mut table = call.reserve_table(8, n_cells, n_bits, LineOrder::Columns)?;
    weighed.write(&mut table, &mut poller)?;
    call.put_table(8, table, LineOrder::Columns)
}

/// Returns the neighbourhood that a boolean parameter selects.
fn neighbourhood(call: &IntrinsicCall, idx: usize) -> IntrinsicResult<Neighbourhood> {
    Ok(match call.truth(idx)? {
        true => Neighbourhood::Moore,
        false => Neighbourhood::VonNeumann,
    })
}

fn cell(width: usize, idx: usize) -> Cell {
    Cell { x: idx % width, y: idx / width }
}

/// Returns the grid of the parameters `right` and `down`, stored by rows, and the marked cells of
/// `marks`; `beside` further bytes are reserved.
fn grid_and_goals(
    call: &mut IntrinsicCall,
    width: usize,
    [right, down, marks]: [usize; 3],
    beside: u64,
) -> IntrinsicResult<(Grid, Vec<Cell>)> {
    let n_cells = call.bits(right)?.len();
    let n_goals = call.bits(marks)?.count_ones();
    let of_goals = n_goals.saturating_mul(size_of::<Cell>() as u64);
    let of_grid = Grid::n_bytes(width, n_cells / width);
    call.reserve(of_goals.saturating_add(of_grid).saturating_add(beside))?;
    let (right, down) = (call.bits(right)?.limbs(), call.bits(down)?.limbs());
    let grid = Grid::of_bits(width, n_cells, right, down).map_err(|error| match error {
        GridError::OutOfMemory => NotTaken::from(Ended::OutOfMemory),
        GridError::TooLarge => NotTaken::declined(),
        // The preconditions and the callers ensure this.
        GridError::WrongLength => NotTaken::from(internal_error(format!("a wave: {error}"))),
    })?;
    let grid = grid.ok_or_else(NotTaken::declined)?;
    let mut goals = Vec::new();
    goals.try_reserve_exact(n_goals as usize).map_err(|_| Ended::OutOfMemory)?;
    let marked = call.bits(marks)?.iter().enumerate().filter(|(_, is_goal)| *is_goal);
    goals.extend(marked.map(|(idx, _)| cell(width, idx)));
    Ok((grid, goals))
}

/// Converts an error: a weight of 0 is left to the Star body, which reports it.
fn not_taken(error: WaveError) -> NotTaken {
    match error {
        WaveError::Ended(ended) => ended.into(),
        WaveError::NoWeight(_) => NotTaken::declined(),
        WaveError::Outside(_) | WaveError::WrongLength | WaveError::OtherGrid => {
            NotTaken::from(internal_error(format!("a wave: {error}")))
        }
    }
}
