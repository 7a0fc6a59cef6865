//! The sizes of generated programs.

use crate::case::Random;

/// Sizes at the limits of limbs, tiles and workgroups, and their weights: small ones are more
/// frequent, to keep tests fast.
const SIZES: [(usize, usize); 19] = [
    (0, 3),
    (1, 6),
    (2, 10),
    (3, 10),
    (5, 12),
    (8, 12),
    (13, 8),
    (31, 4),
    (32, 4),
    (33, 4),
    (63, 5),
    (64, 5),
    (65, 5),
    (127, 2),
    (128, 2),
    (129, 2),
    (511, 1),
    (512, 1),
    (513, 1),
];

/// Chooses a size of at most `most`.
pub(super) fn size(random: &mut Random, most: usize) -> usize {
    let fitting = SIZES.iter().filter(|(size, _)| *size <= most);
    let total: usize = fitting.clone().map(|(_, weight)| weight).sum();
    let mut left = random.below(total);
    for (size, weight) in fitting {
        match left.checked_sub(*weight) {
            Some(rest) => left = rest,
            None => return *size,
        }
    }
    1
}

/// The sizes that the variables of one program have: slices and rows of tables, words and columns
/// of tables.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Rows; the first one is the usual one.
    pub(super) rows: Vec<usize>,
    /// Columns; the first one is the usual one.
    pub(super) columns: Vec<usize>,
}

impl Sizes {
    pub(super) fn new(random: &mut Random) -> Self {
        let main = size(random, 513);
        // Few programs have large tables.
        let most = if main > 129 && random.chance(80) { 8 } else { 129 };
        let mut columns = vec![size(random, most), size(random, 33)];
        if random.chance(30) && main <= most {
            columns[0] = main;
        }
        let mut rows = vec![main, size(random, 129)];
        if random.chance(30) {
            rows.push(columns[0]);
        }
        Sizes { rows, columns }
    }

    /// Chooses one of the row counts, mostly the first.
    pub(super) fn row(&self, random: &mut Random) -> usize {
        pick(&self.rows, random)
    }

    /// Chooses one of the column counts, mostly the first.
    pub(super) fn column(&self, random: &mut Random) -> usize {
        pick(&self.columns, random)
    }
}

fn pick(sizes: &[usize], random: &mut Random) -> usize {
    if random.chance(60) { sizes[0] } else { sizes[random.below(sizes.len())] }
}
