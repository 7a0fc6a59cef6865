//! The lines of a table, dense or sparse.

use star_value::{BitTable, SparseLines};

/// The lines of a table in its layout: its rows or its columns.
#[derive(Clone, Copy, Debug)]
pub enum Matrix<'t> {
    /// The lines are the columns of a bit table.
    Dense(&'t BitTable),
    /// Only limbs that differ from the ground of their line are stored.
    Sparse(&'t SparseLines),
}

impl Matrix<'_> {
    /// Reads `width` bits of a line, 1 to 63 of them, from bit `first` on, as a number whose most
    /// significant bit is the first one. Panics outside the lines, as indexing does.
    #[inline]
    pub fn number(self, line: usize, first: usize, width: usize) -> u64 {
        let (place, shift) = (first / 64, first % 64);
        let mut bits = self.limb(line, place) >> shift;
        if shift + width > 64 {
            bits |= self.limb(line, place + 1) << (64 - shift);
        }
        bits.reverse_bits() >> (64 - width)
    }

    /// Appends bit `at` of a line to the number of each of `places`, which ascend: `number = 2 ·
    /// number + bit`. Panics outside the lines, as indexing does.
    pub fn append_bits(self, line: usize, places: &[u32], numbers: &mut [u64]) {
        let each = places.iter().map(|at| (at / 64, at % 64)).zip(numbers);
        match self {
            Matrix::Dense(table) => {
                let limbs = table.column_limbs(line);
                each.for_each(|((place, at), number)| {
                    *number = *number << 1 | limbs[place as usize] >> at & 1;
                });
            }
            Matrix::Sparse(lines) => {
                let line = lines.line(line);
                let mut listed = line.each().peekable();
                each.for_each(|((place, at), number)| {
                    while listed.next_if(|(other, _)| *other < place).is_some() {}
                    let bit = match listed.peek() {
                        Some((other, limb)) if *other == place => limb >> at & 1,
                        _ => u64::from(line.ground),
                    };
                    *number = *number << 1 | bit;
                });
            }
        }
    }

    /// Calls `each` with the positions of the ones of a line, ascending. Panics outside the lines,
    /// as indexing does.
    pub fn ones(self, line: usize, each: impl FnMut(usize)) {
        match self {
            Matrix::Dense(table) => crate::ones(table.column_limbs(line)).for_each(each),
            Matrix::Sparse(lines) => lines.ones(line, each),
        }
    }

    #[inline]
    fn limb(self, line: usize, place: usize) -> u64 {
        match self {
            Matrix::Dense(table) => table.column_limbs(line)[place],
            Matrix::Sparse(lines) => lines.limb(line, place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_the_same_ones_and_numbers() {
        let mut random = star_base::Random::new(3);
        for one_in in [1, 2, 40] {
            let mut table = BitTable::zeros(150, 9).unwrap();
            (0..150 * 9)
                .filter(|_| random.below(one_in) == 0)
                .for_each(|at| table.put(at % 150, at / 150, true));
            let sparse = SparseLines::of_columns(&table).unwrap();
            let forms = [Matrix::Dense(&table), Matrix::Sparse(&sparse)];
            for line in 0..9 {
                let places: Vec<u32> = (0..150).filter(|_| random.below(4) == 0).collect();
                for form in forms {
                    let mut ones = Vec::new();
                    form.ones(line, |at| ones.push(at));
                    let expected: Vec<usize> = (0..150).filter(|at| table.get(*at, line)).collect();
                    assert_eq!(ones, expected);
                    let mut numbers = vec![1; places.len()];
                    form.append_bits(line, &places, &mut numbers);
                    for (at, number) in places.iter().zip(numbers) {
                        assert_eq!(number, 2 + u64::from(table.get(*at as usize, line)));
                    }
                    for (first, width) in [(0, 1), (3, 63), (60, 8), (64, 20), (149, 1), (87, 63)] {
                        let bit = |at: usize| u64::from(table.get(at, line));
                        let number =
                            (first..first + width).fold(0, |number, at| number * 2 + bit(at));
                        assert_eq!(form.number(line, first, width), number, "{first}, {width}");
                    }
                }
            }
        }
    }
}
