//! Jobs on columns by plain loops over packed numbers: what a program in Rust without bit slices
//! would do.

use super::super::digest::Digest;
use super::super::failure::Failure;
use super::super::job::Job;
use super::super::peer_args::PeerArgs;
use super::super::read::numbers_of;
use super::super::side::Work;
use super::{Opened, nothing_for, steps};

/// Numbers of 16 bits if that is enough, else of 32.
pub(super) fn packed_numbers(job: Job, given: &PeerArgs) -> Result<Opened, Failure> {
    let bits: u32 = given.number("bits")?;
    match bits {
        ..=16 => Ok(Opened { version: "", conditions: "u16", work: work::<u16>(job, given)? }),
        _ => Ok(Opened { version: "", conditions: "u32", work: work::<u32>(job, given)? }),
    }
}

/// A packed number.
trait Packed: Copy + Ord + Into<u64> + 'static {
    fn plus(self, other: Self) -> Self;
    fn of(number: i64) -> Option<Self>;
}

macro_rules! packed {
    ($($of:ty)*) => {$(
        impl Packed for $of {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn of(number: i64) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    )*};
}

packed!(u16 u32);

fn work<T: Packed>(job: Job, given: &PeerArgs) -> Result<Box<dyn Work>, Failure> {
    let too_wide = |key: &str| Failure::peer(format!("a number of `{key}` is too wide"));
    let column = |key: &str| -> Result<Vec<T>, Failure> {
        let numbers = numbers_of(given, key)?.into_iter().map(T::of);
        numbers.collect::<Option<_>>().ok_or_else(|| too_wide(key))
    };
    let number = |key: &str| T::of(given.number(key)?).ok_or_else(|| too_wide(key));
    let a = column("a")?;
    let bits: u32 = given.number("bits")?;
    let of_limbs = |limbs: &Vec<u64>| Digest::of(limbs.iter().copied());
    let of_number = |number: &u64| Digest::of([*number]);
    Ok(match job {
        Job::Match => {
            let value = number("value")?;
            steps(move || mask(&a, |x| x == value), of_limbs)
        }
        Job::Less => {
            let below = number("below")?;
            steps(move || mask(&a, |x| x < below), of_limbs)
        }
        Job::Least => steps(
            move || match a.iter().copied().min() {
                Some(least) => mask(&a, |x| x == least),
                None => Vec::new(),
            },
            of_limbs,
        ),
        Job::Add => {
            let b = column("b")?;
            steps(
                move || a.iter().zip(&b).map(|(x, y)| x.plus(*y)).collect(),
                |sums: &Vec<T>| Digest::of(sums.iter().map(|&sum| sum.into())),
            )
        }
        Job::Sum => steps(move || a.iter().map(|&x| x.into()).sum::<u64>(), of_number),
        Job::Three => {
            let b = column("b")?;
            let (below, least) = (number("below")?, number("least")?);
            steps(
                move || {
                    let holds =
                        |(x, y): (&T, &T)| u64::from((*x < below) & (*x > least) & (*y < below));
                    a.iter().zip(&b).map(holds).sum::<u64>()
                },
                of_number,
            )
        }
        Job::Select => {
            let b = column("b")?;
            let (value, least) = (number("value")?, number("least")?);
            steps(move || mask_of_pairs(&a, &b, |x, y| (x == value) & (y > least)), of_limbs)
        }
        Job::Rank => steps(
            move || {
                let mut order: Vec<u32> = (0..a.len() as u32).collect();
                order.sort_by_key(|row| a[*row as usize]);
                let mut positions = vec![0; a.len()];
                for (row, position) in order.into_iter().zip(1..) {
                    positions[row as usize] = position;
                }
                positions
            },
            |positions: &Vec<u32>| Digest::of(positions.iter().map(|at| u64::from(*at))),
        ),
        Job::Median => steps(
            move || {
                let mut copy = a.clone();
                let half = copy.len().saturating_sub(1) / 2;
                match copy.is_empty() {
                    true => Vec::new(),
                    false => {
                        let median = *copy.select_nth_unstable(half).1;
                        mask(&a, |x| x == median)
                    }
                }
            },
            of_limbs,
        ),
        Job::Hist => steps(
            move || {
                let mut counts = vec![0; 1 << (bits - 1)];
                a.iter().for_each(|&x| counts[x.into() as usize] += 1);
                counts
            },
            of_limbs,
        ),
        Job::Groups => {
            let b = column("b")?;
            steps(
                move || {
                    let mut sums = vec![0; 64];
                    a.iter()
                        .zip(&b)
                        .for_each(|(&x, &y)| sums[(x.into() % 64) as usize] += y.into());
                    sums
                },
                of_limbs,
            )
        }
        Job::Join => {
            let found: Vec<T> = column("b")?.into_iter().take(1 << (bits - 1)).collect();
            steps(
                move || a.iter().map(|&x| found[x.into() as usize]).collect(),
                |rows: &Vec<T>| Digest::of(rows.iter().map(|&row| row.into())),
            )
        }
        Job::Among => {
            let chosen: Vec<T> =
                a.iter().take(32).chain(column("b")?.iter().take(32)).copied().collect();
            steps(move || mask(&a, |x| chosen.contains(&x)), of_limbs)
        }
        Job::Closure
        | Job::Floyd
        | Job::Paths
        | Job::Levels
        | Job::ArcPaths
        | Job::ArcLevels
        | Job::Components
        | Job::Kruskal
        | Job::Prim
        | Job::Branching
        | Job::Wave => return Err(nothing_for(given)),
    })
}

/// A bit for every number, 64 in a limb.
fn mask<T: Copy>(numbers: &[T], holds: impl Fn(T) -> bool) -> Vec<u64> {
    let limb = |chunk: &[T]| {
        let bits = chunk.iter().enumerate();
        bits.fold(0, |limb, (place, &number)| limb | u64::from(holds(number)) << place)
    };
    numbers.chunks(64).map(limb).collect()
}

/// Returns a bit for each pair of numbers: whether the condition holds.
fn mask_of_pairs<T: Copy>(left: &[T], right: &[T], holds: impl Fn(T, T) -> bool) -> Vec<u64> {
    let limb = |(left, right): (&[T], &[T])| {
        let pairs = left.iter().zip(right).enumerate();
        pairs.fold(0, |limb, (place, (&x, &y))| limb | u64::from(holds(x, y)) << place)
    };
    left.chunks(64).zip(right.chunks(64)).map(limb).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_a_bit_for_every_number() {
        let numbers: Vec<u32> = (0..130).collect();
        let found = mask(&numbers, |x| x % 64 == 1);
        assert_eq!(found, [2, 2, 2]);
        assert_eq!(mask::<u32>(&[], |_| true), [0_u64; 0]);
    }
}
