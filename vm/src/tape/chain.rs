//! Chains: conjunctions of more values than a function of three inputs has.
//!
//! Note [Chains]. A loop that reads several lines from memory at once is faster than one that reads
//! one or two: a strip is short, and each line has a startup cost. So functions that are
//! conjunctions of values and complements of values, each used by the next one alone, become one
//! operation of up to [`LENGTH`] inputs: four new ones and the previous result. Disjunctions are
//! complements of conjunctions.
//!
//! The conjunction of two long chains, as of `(R.a = s) and (R.b = t)`, is one chain: the inputs of
//! the second one follow the result of the first, so that they are not read where that has no ones.

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
            Work::Two(pair) => Some(pair.end),
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

impl Chain<ValueId> {
    const EMPTY: Self =
        Chain { inputs: [ValueId(0); LENGTH], n: 0, complements: 0, is_complemented: false };

    /// Appends an input; there is room.
    fn push(&mut self, input: ValueId, is_complemented: bool) {
        self.inputs[usize::from(self.n)] = input;
        self.complements |= u8::from(is_complemented) << self.n;
        self.n += 1;
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
    let mut n_uses = vec![0_u32; n_values];
    for root in roots {
        n_uses[root.0 as usize] += 1;
    }
    for input in several.iter().flat_map(Work::inputs) {
        n_uses[input.0 as usize] += 1;
    }
    for input in luts.iter().flat_map(|(_, lut)| lut.inputs()) {
        n_uses[input.0 as usize] += 1;
    }
    let works = Vec::with_capacity(luts.len() + several.len());
    let mut builder = Builder { works, n_uses, places: vec![None; n_values] };
    let mut several = several.into_iter().peekable();
    for (value, lut) in luts {
        while let Some(work) = several.next_if(|work| work.end() < Some(value)) {
            builder.works.push(Some(work));
        }
        if !builder.one_after_the_other(value, &lut) {
            let function = builder.joined(&lut);
            builder.push(value, function.map_or(Function::Lut(lut), Function::Chain));
        }
    }
    builder.works.into_iter().flatten().chain(several).collect()
}

/// The operations so far.
struct Builder {
    works: Vec<Option<Work>>,
    /// The number of uses of each value.
    n_uses: Vec<u32>,
    /// The position of the function that computes each value.
    places: Vec<Option<usize>>,
}

impl Builder {
    fn push(&mut self, value: ValueId, function: Function<ValueId>) {
        self.places[value.0 as usize] = Some(self.works.len());
        self.works.push(Some(Work::One(value, function)));
    }

    /// Returns the chain that computes a value with a single use, and its position.
    fn single_use(&self, value: ValueId) -> Option<(usize, Chain<ValueId>)> {
        let at = self.places[value.0 as usize]?;
        (self.n_uses[value.0 as usize] == 1).then_some(())?;
        let chain = match self.works[at].as_ref()? {
            Work::One(_, Function::Lut(lut)) => Chain::of(lut)?,
            Work::One(_, Function::Chain(chain)) => *chain,
            Work::Two(_) | Work::Sums(_) => return None,
        };
        Some((at, chain))
    }

    /// Joins a function with a chain that computes one of its inputs, if the result is a chain.
    fn joined(&mut self, lut: &Lut<ValueId>) -> Option<Chain<ValueId>> {
        let chain = Chain::of(lut)?;
        chain.inputs().iter().find_map(|input| {
            let (at, by) = self.single_use(*input)?;
            let joined = chain.with(*input, &by)?;
            self.works[at] = None;
            Some(joined)
        })
    }

    /// Adds a conjunction of two conjunctions as the inputs of the later one after the earlier one;
    /// returns false if it is not one, or the later one needs a single operation.
    fn one_after_the_other(&mut self, value: ValueId, lut: &Lut<ValueId>) -> bool {
        let Some(all) = Chain::of(lut).filter(|all| !all.is_complemented) else { return false };
        let inputs = all.inputs().iter().enumerate();
        let inputs = inputs.map(|(idx, input)| (*input, all.complements >> idx & 1 == 1));
        let place = |(input, is_complemented): (ValueId, bool)| {
            let (at, chain) = self.single_use(input)?;
            (!is_complemented && !chain.is_complemented).then_some((at, input))
        };
        let found = inputs.clone().filter_map(place);
        let (Some((_, first)), Some((_, second))) = (found.clone().min(), found.max()) else {
            return false;
        };
        if first == second {
            return false;
        }
        // From the last operation of the second one to the first.
        let mut leaves: Vec<(ValueId, bool)> =
            inputs.filter(|(input, _)| *input != first && *input != second).collect();
        let (mut results, mut next) = (Vec::new(), Some(second));
        while let Some((result, (at, chain))) =
            next.take().and_then(|result| Some((result, self.single_use(result)?)))
        {
            results.push((result, at));
            for (idx, input) in chain.inputs().iter().enumerate().rev() {
                let is_complemented = chain.complements >> idx & 1 == 1;
                let goes_on = !is_complemented && next.is_none();
                let before = self.single_use(*input).filter(|_| goes_on);
                match before.filter(|(_, chain)| !chain.is_complemented) {
                    Some(_) => next = Some(*input),
                    None => leaves.push((*input, is_complemented)),
                }
            }
        }
        if leaves.len() < LENGTH {
            return false;
        }
        let mut chain = Chain::EMPTY;
        chain.push(first, false);
        for (leaf, is_complemented) in leaves.into_iter().rev() {
            if usize::from(chain.n) == LENGTH
                && let Some((result, at)) = results.pop()
            {
                self.works[at] = None;
                self.push(result, Function::Chain(chain));
                chain = Chain::EMPTY;
                chain.push(result, false);
            }
            chain.push(leaf, is_complemented);
        }
        results.iter().for_each(|(_, at)| self.works[*at] = None);
        self.push(value, Function::Chain(chain));
        true
    }
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
