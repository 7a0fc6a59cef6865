//! WAVE, by [`Wave`].

use star_natives::wave::{Cell, Grid, GridError, Labels, Neighbourhood, Wave, WaveError};
use star_natives::{Ended, InterruptPoller, Lines};

use super::{NativeCall, NativeResult, NotTaken};
use crate::stop::broken;

/// `WAVE(w,moore,stop,Right,Down,Goals,Label)`
pub(super) fn wave(call: &mut NativeCall) -> NativeResult {
    let (width, stop) = (call.size(0)?, call.size(2)?);
    let neighbourhood = match call.truth(1)? {
        true => Neighbourhood::Moore,
        false => Neighbourhood::VonNeumann,
    };
    let n_cells = call.bits(3)?.len();
    let n_goals = call.bits(5)?.count_ones();
    if width == 0 || n_cells % width != 0 {
        return Err(NotTaken::declined());
    }
    let cell = |idx: usize| Cell { x: idx % width, y: idx / width };
    let height = n_cells / width;
    let of_goals = n_goals.saturating_mul(size_of::<Cell>() as u64);
    let of_grid = Grid::n_bytes(width, height);
    call.reserve(of_goals.saturating_add(of_grid).saturating_add(Wave::n_bytes(width, height)))?;
    let grid = Grid::of_bits(width, n_cells, call.bits(3)?.limbs(), call.bits(4)?.limbs());
    let grid = grid.map_err(|error| match error {
        GridError::OutOfMemory => NotTaken::from(Ended::OutOfMemory),
        GridError::TooLarge => NotTaken::declined(),
        // Preconditions and the lines above saw to it.
        GridError::WrongLength => NotTaken::from(broken(format!("a wave: {error}"))),
    })?;
    let grid = grid.ok_or_else(NotTaken::declined)?;
    let mut goals = Vec::new();
    goals.try_reserve_exact(n_goals as usize).map_err(|_| Ended::OutOfMemory)?;
    let marked = call.bits(5)?.iter().enumerate().filter(|(_, is_goal)| *is_goal);
    goals.extend(marked.map(|(idx, _)| cell(idx)));
    let stop_at = stop.checked_sub(1).map(cell);
    let environment = call.environment();
    let wave = Wave::spread(&grid, neighbourhood, &goals, stop_at, &environment);
    let wave = wave.map_err(|error| match error {
        WaveError::Ended(ended) => ended.into(),
        WaveError::Outside(_)
        | WaveError::WrongLength
        | WaveError::NoWeight(_)
        | WaveError::OtherGrid => NotTaken::from(broken(format!("a wave: {error}"))),
    })?;
    let n_bits = Labels::n_bits(n_cells);
    let mut table = call.reserve_table(6, n_cells, n_bits, Lines::Columns)?;
    wave.labels().write(&mut table, &mut InterruptPoller::new(&environment))?;
    call.put_table(6, table, Lines::Columns)
}
