//! Steps of a board, and the way back: groups of rows in loops that compile to vectors on every
//! processor. With 512-bit vectors, [`lanes`] computes the steps.

use multiversion::multiversion;
use multiversion::target::match_target;

use super::board::{Board, Border, GROUP, SIDE, part, part_mut};
#[cfg(target_arch = "x86_64")]
use super::lanes;

/// Advances a board with four neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn run(board: &mut Board, from: u32, until: u32) -> [u64; 4] {
    match_target! {
        "x86_64+avx512dq" => match board.coming_groups {
            0 => lanes::run::<false>(board, from, until),
            _ => straight(board, from, until),
        },
        _ => straight(board, from, until),
    }
}

/// Advances a board with eight neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn run_diagonally(board: &mut Board, from: u32, until: u32) -> [u64; 4] {
    match_target! {
        "x86_64+avx512dq" => match board.coming_groups {
            0 => lanes::run::<true>(board, from, until),
            _ => diagonal(board, from, until),
        },
        _ => diagonal(board, from, until),
    }
}

/// The version without intrinsics.
#[inline(always)]
fn straight(board: &mut Board, from: u32, until: u32) -> [u64; 4] {
    go(board, from, until, |_, _, _| 0)
}

/// The version without intrinsics, with eight neighbours.
#[inline(always)]
fn diagonal(board: &mut Board, from: u32, until: u32) -> [u64; 4] {
    go(
        board,
        from,
        until,
        #[inline(always)]
        |front, squares, i| {
            let (above, below) = (front[i], front[i + 2]);
            (above & squares[i]) << 1
                | above >> 1 & squares[i]
                | (below & squares[i + 1]) << 1
                | below >> 1 & squares[i + 1]
        },
    )
}

/// Computes all steps from a time on.
#[inline(always)]
fn go(
    board: &mut Board,
    from: u32,
    until: u32,
    diagonal: impl Fn(&[u64; GROUP + 2], &[u64; GROUP + 1], usize) -> u64,
) -> [u64; 4] {
    let mut moved = [0; 4];
    let mut seen = board.seen[(from - board.begin) as usize];
    for time in from..=until {
        let idx = (time - board.begin) as usize;
        if board.expected >> idx & 1 == 1 {
            board.unpack(board.inbox[idx]);
        }
        if board.groups | board.coming_groups != 0 {
            let (left, right) = step(board, time, &diagonal);
            let [top, bottom] = [!board.fresh[0], !board.fresh[SIDE - 1]];
            moved[0] |= u64::from(top != seen.top) << idx;
            moved[1] |= u64::from(bottom != seen.bottom) << idx;
            moved[2] |= u64::from(left != 0) << idx;
            moved[3] |= u64::from(right != 0) << idx;
            seen = Border { top, bottom, left: seen.left | left, right: seen.right | right };
        }
        board.seen[idx + 1] = seen;
    }
    board.done = until;
    moved
}

/// Computes a step. `diagonal` returns the arrivals over corners into row i of a group, whose
/// front, like its squares, begins a row above. Returns the cells reached in the first and the last
/// column.
#[inline(always)]
fn step(
    board: &mut Board,
    time: u32,
    diagonal: &impl Fn(&[u64; GROUP + 2], &[u64; GROUP + 1], usize) -> u64,
) -> (u64, u64) {
    let step = time.wrapping_sub(board.base) as u8;
    let code = step ^ step >> 1;
    let Board { front, fresh, coming, coming_groups, open, planes, codes, groups, .. } = board;
    let coming_groups = std::mem::take(coming_groups);
    let mut touched = *groups | *groups << 1 | *groups >> 1 | coming_groups;
    let (mut left, mut right_column) = (0, 0);
    let mut reached_groups = 0u8;
    // The last row of the previous group as it was before this step, and the number of that group.
    let (mut above, mut next) = (0, 0);
    while touched != 0 {
        let group = touched.trailing_zeros() as usize % (SIDE / GROUP);
        touched &= touched - 1;
        let first = group * GROUP;
        let mut old: [u64; GROUP + 2] = *part(front, GROUP + first - 1);
        old[0] = if group == next { above } else { 0 };
        above = old[GROUP];
        next = group + 1;
        let right: &[u64; GROUP] = part(&open.right, first);
        let down: &[u64; GROUP + 1] = part(&open.down, first);
        let squares: &[u64; GROUP + 1] = part(&open.squares, first);
        let unreached: &mut [u64; GROUP] = part_mut(fresh, first);
        let mut spread = [0u64; GROUP];
        if coming_groups >> group & 1 == 1 {
            spread = std::mem::take(part_mut(coming, first));
        }
        let mut reached = [0u64; GROUP];
        for i in 0..GROUP {
            let here = old[i + 1];
            spread[i] |= (here & right[i]) << 1
                | here >> 1 & right[i]
                | old[i] & down[i]
                | old[i + 2] & down[i + 1]
                | diagonal(&old, squares, i);
            reached[i] = spread[i] & unreached[i];
        }
        *part_mut::<GROUP>(front, GROUP + first) = reached;
        let all = reached.iter().fold(0, |all, row| all | row);
        if all == 0 {
            continue;
        }
        let kept = &mut codes[group];
        let mut changing = *kept ^ code;
        *kept = code;
        while changing != 0 {
            let plane = &mut planes[changing.trailing_zeros() as usize % 8];
            let plane: &mut [u64; GROUP] = part_mut(plane, first);
            changing &= changing - 1;
            for i in 0..GROUP {
                plane[i] ^= unreached[i];
            }
        }
        for i in 0..GROUP {
            unreached[i] &= !reached[i];
        }
        reached_groups |= 1 << group;
        if all & 1 != 0 {
            left |= column(&reached, 0) << first;
        }
        if all >> (SIDE - 1) != 0 {
            right_column |= column(&reached, SIDE - 1) << first;
        }
    }
    *groups = reached_groups;
    board.is_written |= reached_groups != 0;
    (left, right_column)
}

/// Makes the cells reached after a time fresh again, and those reached at it the front.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn rewind(board: &mut Board, time: u32) {
    let limit = time.wrapping_sub(board.base) as u8;
    let Board { front, fresh, planes, codes, groups, .. } = board;
    *groups = 0;
    for (group, &code) in codes.iter().enumerate() {
        let first = group * GROUP;
        let unreached: &mut [u64; GROUP] = part_mut(fresh, first);
        let mut binary = [0u64; GROUP];
        let (mut later, mut same) = ([0u64; GROUP], unreached.map(|row| !row));
        // From the highest digit down.
        for place in (0..8).rev() {
            let plane: &[u64; GROUP] = part(&planes[place], first);
            let digit = 0u64.wrapping_sub(u64::from(limit >> place & 1));
            for i in 0..GROUP {
                binary[i] ^= plane[i];
                later[i] |= same[i] & binary[i] & !digit;
                same[i] &= !(binary[i] ^ digit);
            }
        }
        *part_mut::<GROUP>(front, GROUP + first) = same;
        if same != [0; GROUP] {
            *groups |= 1 << group;
        }
        if later == [0; GROUP] {
            continue;
        }
        for i in 0..GROUP {
            unreached[i] |= later[i];
        }
        for (place, plane) in planes.iter_mut().enumerate() {
            let digit = 0u64.wrapping_sub(u64::from(code >> place & 1));
            let plane: &mut [u64; GROUP] = part_mut(plane, first);
            for i in 0..GROUP {
                plane[i] = plane[i] & !later[i] | digit & later[i];
            }
        }
    }
}

/// The bits of a column in the rows of a group.
#[inline(always)]
fn column(rows: &[u64; GROUP], x: usize) -> u64 {
    rows.iter().enumerate().fold(0, |bits, (y, row)| bits | (row >> x & 1) << y)
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::super::board::{Side, Tile};
    use super::*;

    /// A board with random open transitions and random arrivals at each side of the border.
    fn random_board(seed: u64, begin: u32) -> Board {
        let mut random = Random::new(seed);
        let mut board = Board::new();
        board.take(Tile { x: 1, y: 1, width: 61, height: 50 }, begin);
        let open = &mut board.open;
        let rows = open.right.iter_mut().chain(&mut open.down).chain(&mut open.squares);
        rows.for_each(|row| *row = random.next_u64() | random.next_u64());
        for idx in 0..12 {
            let side = Side::ALL[random.below(4)];
            board.arrive(begin + idx, side, random.next_u64() & random.next_u64());
        }
        board
    }

    #[test]
    fn boards_advance_equally_with_and_without_intrinsics() {
        for seed in 0..200 {
            let begin = 3 + seed as u32;
            let mut board = random_board(seed, begin);
            let mut other = board.clone();
            let until = begin + 20;
            let (one, two) = match seed % 2 {
                0 => (run(&mut board, begin, until), straight(&mut other, begin, until)),
                _ => (run_diagonally(&mut board, begin, until), diagonal(&mut other, begin, until)),
            };
            assert_eq!(one, two);
            assert!((board.front, board.fresh) == (other.front, other.fresh), "{seed}");
            assert_eq!((board.seen, board.groups), (other.seen, other.groups));
            let cells = |board: &Board, x: usize, y: usize| {
                board.has_reached(x, y).then(|| board.when(x, y))
            };
            let mut n_reached = 0;
            for (x, y) in (0..50 * 61).map(|cell| (cell % 61, cell / 61)) {
                assert_eq!(cells(&board, x, y), cells(&other, x, y));
                n_reached += usize::from(board.has_reached(x, y));
            }
            assert!(n_reached > 100, "{n_reached}");
            // Going back to a time and advancing again has no effect.
            board.rewind(begin + seed as u32 % 20);
            let from = board.done + 1;
            run_again(&mut board, seed, from, until);
            assert!((board.front, board.fresh) == (other.front, other.fresh), "{seed}");
            assert!(board.seen == other.seen);
        }
    }

    fn run_again(board: &mut Board, seed: u64, from: u32, until: u32) {
        match seed % 2 {
            0 => run(board, from, until),
            _ => run_diagonally(board, from, until),
        };
    }
}
