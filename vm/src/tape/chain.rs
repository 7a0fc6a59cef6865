//! Chains: conjunctions of more values than a function of three inputs has.
//!
//! Note [Chains]. A loop that reads several lines from memory at once is faster than one that reads
//! one or two: a strip is short, and each line has a startup cost. So functions that are
//! conjunctions of values and complements of values, each used by the next one alone, become one
//! operation of up to [`LENGTH`] inputs: four new ones and the previous result. Disjunctions are
//! complements of conjunctions.

use super::adder::Addition;
use super::cascade::Pair;
use super::lut::Lut;
use super::record::ValueId;

/// Maximum number of inputs.
pub(crate) const LENGTH: usize = 5;

/// A conjunction of values and complements of values, or the complement of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain<T> {
    inputs: [T; LENGTH],
    n: u8,
    /// The complemented inputs: bit i for input i.
    complements: u8,
    /// Whether the conjunction is complemented.
    is_complemented: bool,
}

/// The function that an operation computes of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function<T> {
    Lut(Lut<T>),
    Chain(Chain<T>),
}

/// An operation that computes one value or several.
#[derive(Clone, Debug)]
pub(super) enum Work {
    One(ValueId, Function<ValueId>),
    Two(Pair),
    Sums(Addition),
}

impl Work {
    /// Returns all values that it reads.
    pub(super) fn inputs(&self) -> Vec<ValueId> {
        match self {
            Work::One(_, function) => function.inputs().to_vec(),
            Work::Two(pair) => pair.inputs().collect(),
            Work::Sums(addition) => addition.inputs().collect(),
        }
    }

    /// Returns all values that it computes.
    pub(super) fn results(&self) -> Vec<ValueId> {
        match self {
            Work::One(value, _) => vec![*value],
            Work::Two(pair) => pair.after.made_since(pair.before).collect(),
            Work::Sums(addition) => addition.adder.sums().chain([addition.after]).collect(),
        }
    }

    /// Returns the last value that it replaces.
    pub(super) fn end(&self) -> Option<ValueId> {
        match self {
            Work::One(value, _) => Some(*value),
            Work::Two(pair) => pair.end(),
            Work::Sums(addition) => addition.end(),
        }
    }
}

impl<T: Copy + Eq + Default> Function<T> {
    pub(crate) fn inputs(&self) -> &[T] {
        match self {
            Function::Lut(lut) => lut.inputs(),
            Function::Chain(chain) => chain.inputs(),
        }
    }

    /// Returns its value where all inputs are zero.
    pub(crate) fn of_zeros(&self) -> bool {
        match self {
            Function::Lut(lut) => lut.value(|_| false),
            Function::Chain(chain) => {
                let all = (1 << chain.n) - 1;
                (chain.complements == all) != chain.is_complemented
            }
        }
    }

    /// Returns the same function of other inputs, which are as distinct as these.
    pub(crate) fn map<U: Copy + Eq + Default>(&self, map: impl Fn(T) -> U) -> Function<U> {
        match self {
            Function::Lut(lut) => Function::Lut(lut.map(map)),
            Function::Chain(chain) => {
                let mut inputs = [U::default(); LENGTH];
                for (to, from) in inputs.iter_mut().zip(chain.inputs()) {
                    *to = map(*from);
                }
                let Chain { inputs: _, n, complements, is_complemented } = *chain;
                Function::Chain(Chain { inputs, n, complements, is_complemented })
            }
        }
    }
}

impl<T: Copy + Eq + Default> Chain<T> {
    pub(crate) fn inputs(&self) -> &[T] {
        &self.inputs[..usize::from(self.n)]
    }

    /// Returns all inputs of the kernel, the last one repeated where there are fewer, and its
    /// flags: bit i for the complement of input i, the next one for that of the conjunction.
    pub(crate) fn operands(&self) -> ([T; LENGTH], u8) {
        let last = usize::from(self.n).saturating_sub(1);
        let mut inputs = self.inputs;
        let mut flags = self.complements;
        for idx in last + 1..LENGTH {
            inputs[idx] = inputs[last];
            flags |= (flags >> last & 1) << idx;
        }
        (inputs, flags | u8::from(self.is_complemented) << LENGTH)
    }

    /// Converts a function of two or three inputs to a chain, if it is one.
    fn of(lut: &Lut<T>) -> Option<Self> {
        let (n, table) = (lut.inputs().len(), lut.table());
        if n < 2 {
            return None;
        }
        let is_complemented = table.count_ones() > 1;
        let table = if is_complemented { !table & full(n) } else { table };
        // The only values for which it is one; the first input is the most significant digit.
        if table.count_ones() != 1 {
            return None;
        }
        let values = table.trailing_zeros();
        let mut chain =
            Chain { inputs: [T::default(); LENGTH], n: n as u8, complements: 0, is_complemented };
        for (idx, input) in lut.inputs().iter().enumerate() {
            chain.inputs[idx] = *input;
            let is_one = values >> (n - 1 - idx) & 1;
            chain.complements |= u8::from(is_one == 0) << idx;
        }
        Some(chain)
    }

    /// Substitutes another chain for an input, if the result is a chain.
    fn with(&self, input: T, by: &Chain<T>) -> Option<Self> {
        let at = self.inputs().iter().position(|known| *known == input)?;
        // The substituted value must be a conjunction, not the complement of one.
        if (self.complements >> at & 1 == 1) != by.is_complemented {
            return None;
        }
        let mut all = Chain { is_complemented: self.is_complemented, ..*by };
        for (idx, other) in self.inputs().iter().enumerate().filter(|(idx, _)| *idx != at) {
            let n = usize::from(all.n);
            if n == LENGTH || all.inputs().contains(other) {
                return None;
            }
            all.inputs[n] = *other;
            all.complements |= (self.complements >> idx & 1) << n;
            all.n += 1;
        }
        Some(all)
    }
}

/// Returns the table that is one everywhere.
fn full(n: usize) -> u8 {
    match n {
        3.. => u8::MAX,
        n => (1 << (1 << n)) - 1,
    }
}

/// Returns all operations in topological order: the functions `luts`, joined into as few chains as
/// possible, and `several`, those with several results. Both are in topological order. `roots` are
/// needed themselves.
pub(super) fn chains(
    luts: Vec<(ValueId, Lut<ValueId>)>,
    several: Vec<Work>,
    roots: impl Iterator<Item = ValueId>,
    n_values: usize,
) -> Vec<Work> {
    // The number of uses of each value, and the position of the function that computes it.
    let mut n_uses = vec![0_u32; n_values];
    let mut places = vec![None; n_values];
    for root in roots {
        n_uses[root.0 as usize] += 1;
    }
    for input in several.iter().flat_map(Work::inputs) {
        n_uses[input.0 as usize] += 1;
    }
    for input in luts.iter().flat_map(|(_, lut)| lut.inputs()) {
        n_uses[input.0 as usize] += 1;
    }
    let mut works: Vec<Option<Work>> = Vec::with_capacity(luts.len() + several.len());
    let mut several = several.into_iter().peekable();
    for (value, lut) in luts {
        while let Some(work) = several.next_if(|work| work.end() < Some(value)) {
            works.push(Some(work));
        }
        let function = Chain::of(&lut).and_then(|chain| {
            lut.inputs().iter().find_map(|input| {
                let at: usize = places[input.0 as usize]?;
                (n_uses[input.0 as usize] == 1).then_some(())?;
                let by = match works[at].as_ref()? {
                    Work::One(_, Function::Lut(lut)) => Chain::of(lut)?,
                    Work::One(_, Function::Chain(chain)) => *chain,
                    Work::Two(_) | Work::Sums(_) => return None,
                };
                let joined = chain.with(*input, &by)?;
                works[at] = None;
                Some(joined)
            })
        });
        places[value.0 as usize] = Some(works.len());
        works.push(Some(Work::One(value, function.map_or(Function::Lut(lut), Function::Chain))));
    }
    works.into_iter().flatten().chain(several).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(chain: &Chain<u32>, values: usize) -> bool {
        let Chain { complements, is_complemented, .. } = *chain;
        let mut inputs = chain.inputs().iter().enumerate();
        inputs.all(|(idx, input)| (values >> input & 1 == 1) != (complements >> idx & 1 == 1))
            != is_complemented
    }

    #[test]
    fn a_chain_agrees_with_its_combined_functions() {
        let mut n_joined = 0;
        for inner in 0..=255 {
            for outer in 0..=255 {
                let (inner, outer) = (Lut::new(inner, &[0, 1, 2]), Lut::new(outer, &[3, 9, 4]));
                let (Some(by), Some(chain)) = (Chain::of(&inner), Chain::of(&outer)) else {
                    continue;
                };
                for values in 0..32_usize {
                    let bit = |input: u32| values >> input & 1 == 1;
                    assert_eq!(value(&by, values), inner.value(bit));
                    let bit = |input: u32| if input == 9 { inner.value(bit) } else { bit(input) };
                    let Some(joined) = chain.with(9, &by) else { continue };
                    assert_eq!(value(&joined, values), outer.value(bit), "{joined:?}");
                    let (operands, flags) = joined.operands();
                    let whole = operands.iter().enumerate();
                    let mut ones =
                        whole.map(|(idx, of)| (values >> of & 1 == 1) != (flags >> idx & 1 == 1));
                    assert_eq!(ones.all(|one| one) != (flags >> LENGTH == 1), outer.value(bit));
                    n_joined += 1;
                }
            }
        }
        assert!(n_joined > 1000, "{n_joined}");
    }
}
