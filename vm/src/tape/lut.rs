//! Functions of up to three bits, by their truth tables.
//!
//! Note [Truth tables]. A function of n inputs is a number of 2ⁿ bits: its value is the bit whose
//! number the inputs spell, the first one the most significant digit. AVX-512 (`vpternlog`) and
//! GPUs (LOP3) have one instruction for any function of three inputs, so all bitwise work is one
//! kind of operation: copy, not, and, or, xor, select, the sum and the carry of a full adder.

/// A function of up to three different inputs, each of which it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lut<T> {
    table: u8,
    arity: u8,
    /// Inputs beyond the arity have the default value, so that equal functions are equal values.
    inputs: [T; 3],
}

impl<T: Copy + Eq + Default> Lut<T> {
    /// Creates the function of up to three inputs with this `table`, without those that it does not
    /// depend on, and without duplicate inputs.
    pub(crate) fn new(table: u8, inputs: &[T]) -> Self {
        let mut distinct = Inputs::default();
        for input in inputs {
            distinct.insert(*input);
        }
        Lut::tabulate(distinct, |bits| {
            let idx = inputs.iter().fold(0, |idx, input| idx << 1 | usize::from(bits.of(*input)));
            table >> idx & 1 == 1
        })
    }

    /// Creates a constant.
    pub(crate) fn constant(bit: bool) -> Self {
        Lut { table: u8::from(bit), arity: 0, inputs: [T::default(); 3] }
    }

    /// Creates the identity of an input.
    pub(crate) fn copy(of: T) -> Self {
        Lut { table: 0b10, arity: 1, inputs: [of, T::default(), T::default()] }
    }

    pub(crate) fn inputs(&self) -> &[T] {
        &self.inputs[..usize::from(self.arity)]
    }

    /// Returns the truth table, with one bit for each combination of the inputs.
    pub(crate) fn table(&self) -> u8 {
        self.table
    }

    /// Returns the input of which it is the identity.
    pub(crate) fn as_copy(&self) -> Option<T> {
        (self.arity == 1 && self.table == 0b10).then_some(self.inputs[0])
    }

    /// Substitutes another function for an input; `None` if the result had more than three inputs.
    pub(crate) fn with(&self, input: T, by: &Lut<T>) -> Option<Self> {
        let mut all = Inputs::default();
        let others = self.inputs().iter().filter(|other| **other != input);
        for input in others.chain(by.inputs()) {
            all.insert(*input).then_some(())?;
        }
        Some(Lut::tabulate(all, |bits| {
            self.value(|of| if of == input { by.value(|of| bits.of(of)) } else { bits.of(of) })
        }))
    }

    /// Returns the same function of other inputs, which are as distinct as these.
    pub(crate) fn map<U: Copy + Eq + Default>(&self, map: impl Fn(T) -> U) -> Lut<U> {
        let mut inputs = [U::default(); 3];
        for (to, from) in inputs.iter_mut().zip(self.inputs()) {
            *to = map(*from);
        }
        Lut { table: self.table, arity: self.arity, inputs }
    }

    /// Returns the same function with its inputs in order.
    pub(crate) fn sorted(&self) -> Self
    where
        T: Ord,
    {
        if self.inputs().is_sorted() {
            return *self;
        }
        let mut sorted = Inputs { inputs: self.inputs, n: usize::from(self.arity) };
        sorted.inputs[..sorted.n].sort_unstable();
        Lut::tabulate(sorted, |bits| self.value(|input| bits.of(input)))
    }

    /// Returns its value for these values of the inputs.
    pub(crate) fn value(&self, bit: impl Fn(T) -> bool) -> bool {
        let idx = self.inputs().iter().fold(0, |idx, input| idx << 1 | usize::from(bit(*input)));
        self.table >> idx & 1 == 1
    }

    /// Creates the function of the inputs whose values `value` returns.
    fn tabulate(inputs: Inputs<T>, value: impl Fn(&Bits<'_, T>) -> bool) -> Self {
        let mut inputs = inputs;
        let mut table = (0..1 << inputs.n)
            .fold(0, |table, idx| table | u8::from(value(&Bits { inputs: &inputs, idx })) << idx);
        // From the last to the first: an ignored input is removed by keeping the values for zero.
        for at in (0..inputs.n).rev() {
            let digit = inputs.n - 1 - at;
            let [zero, one] = [0, 1].map(|bit| restricted(table, inputs.n, digit, bit));
            if zero == one {
                table = zero;
                inputs.remove(at);
            }
        }
        Lut { table, arity: inputs.n as u8, inputs: inputs.inputs }
    }
}

/// Returns the table of a function of n inputs where the digit with this weight is `bit`.
fn restricted(table: u8, n: usize, digit: usize, bit: usize) -> u8 {
    (0..1 << (n - 1)).fold(0, |rest, idx: usize| {
        let low = idx & ((1 << digit) - 1);
        let whole = (idx >> digit) << (digit + 1) | bit << digit | low;
        rest | (table >> whole & 1) << idx
    })
}

/// Up to three different inputs.
#[derive(Clone, Copy, Default)]
struct Inputs<T> {
    inputs: [T; 3],
    n: usize,
}

impl<T: Copy + Eq + Default> Inputs<T> {
    /// Inserts an input; returns false if there would be too many.
    fn insert(&mut self, input: T) -> bool {
        if self.inputs[..self.n].contains(&input) {
            return true;
        }
        if self.n == 3 {
            return false;
        }
        self.inputs[self.n] = input;
        self.n += 1;
        true
    }

    fn remove(&mut self, at: usize) {
        self.inputs[at..self.n].rotate_left(1);
        self.n -= 1;
        self.inputs[self.n] = T::default();
    }
}

/// Values of inputs: the digits of a number.
struct Bits<'a, T> {
    inputs: &'a Inputs<T>,
    idx: usize,
}

impl<T: Copy + Eq> Bits<'_, T> {
    fn of(&self, input: T) -> bool {
        let at = self.inputs.inputs[..self.inputs.n].iter().position(|known| *known == input);
        at.is_some_and(|at| self.idx >> (self.inputs.n - 1 - at) & 1 == 1)
    }
}

/// Returns the truth table of a function of two bits.
pub(crate) fn table2(function: impl Fn(bool, bool) -> bool) -> u8 {
    (0..4).fold(0, |table, idx| table | u8::from(function(idx & 2 != 0, idx & 1 != 0)) << idx)
}

/// Returns the truth table of a function of two bits with its inputs exchanged.
pub(crate) fn swapped(table: u8) -> u8 {
    table & 0b1001 | table << 1 & 0b0100 | table >> 1 & 0b0010
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_a_truth_table_are_exchanged() {
        for table in 0..16 {
            let exchanged = table2(|a, b| table >> (u8::from(b) << 1 | u8::from(a)) & 1 == 1);
            assert_eq!(swapped(table), exchanged, "{table:04b}");
        }
    }

    #[test]
    fn ignored_inputs_are_removed() {
        let and_or = Lut::new(0b1110_1010, &[1, 2, 3]); // (a and b) or c
        assert_eq!((and_or.table(), and_or.inputs()), (0b1110_1010, &[1, 2, 3][..]));
        assert_eq!(Lut::new(0b1100, &[1, 2]), Lut::copy(1));
        assert_eq!(Lut::new(0b1010, &[1, 2]).as_copy(), Some(2));
        assert_eq!(Lut::new(0b0110, &[1, 1]), Lut::constant(false));
        assert_eq!(Lut::new(0b1000, &[1, 1]), Lut::copy(1));
        assert_eq!(Lut::<u32>::new(1, &[]), Lut::constant(true));
        assert_eq!(Lut::new(0b1001_0110, &[4, 5, 4]), Lut::copy(5), "a xor b xor a");
    }

    #[test]
    fn transformations_preserve_the_values_of_functions() {
        for table in 0..=255 {
            for inputs in [[7, 8, 9], [9, 8, 7], [8, 8, 7], [7, 7, 7]] {
                let lut = Lut::new(table, &inputs);
                for values in 0..8_usize {
                    let bit = |input: u32| values >> (input - 7) & 1 == 1;
                    let idx = inputs.iter().fold(0, |idx, input| idx << 1 | u8::from(bit(*input)));
                    let wanted = table >> idx & 1 == 1;
                    assert_eq!(lut.value(bit), wanted, "{table:08b} {inputs:?}");
                    assert_eq!(lut.sorted().value(bit), wanted, "{table:08b} {inputs:?}");
                }
                for input in lut.inputs() {
                    let [zero, one] =
                        [false, true].map(|bit| lut.with(*input, &Lut::constant(bit)));
                    assert_ne!(zero, one, "it depends on every input");
                }
            }
        }
    }

    #[test]
    fn functions_are_substituted_into_functions() {
        let and = |a, b| Lut::new(0b1000, &[a, b]);
        let xor = |a, b| Lut::new(0b0110, &[a, b]);
        // The sum of a full adder: c xor (a xor b).
        let sum = xor(3, 4).with(4, &xor(1, 2));
        assert_eq!(sum.map(|lut| (lut.table(), lut.inputs().len())), Some((0b1001_0110, 3)));
        let four = sum.and_then(|sum| sum.with(3, &and(5, 6)));
        assert_eq!(four, None, "four inputs");
        let same = sum.and_then(|sum| sum.with(3, &and(1, 2)));
        assert_eq!(same, Some(Lut::new(0b1110, &[1, 2])), "a xor b xor (a and b)");
    }
}
