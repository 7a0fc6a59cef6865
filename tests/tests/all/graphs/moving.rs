//! `moving`: every query against a list of the objects.

use star_value::{BitVector, Value};

use super::module::Module;
use super::random::{Rng, each_seed};
use super::values::{bits_at, code_width, int, numbers, ones, vertex, word};

/// Objects: coordinates and whether they are present.
struct Objects {
    k: usize,
    x: Vec<u64>,
    y: Vec<u64>,
    there: Vec<bool>,
}

impl Objects {
    fn random(rng: &mut Rng) -> Objects {
        let (n, k) = (1 + rng.below(70), 1 + rng.below(8));
        let coordinates = |rng: &mut Rng| (0..n).map(|_| rng.below(1 << k) as u64).collect();
        let (x, y) = (coordinates(rng), coordinates(rng));
        Objects { k, x, y, there: (0..n).map(|_| !rng.once_in(4)).collect() }
    }

    fn n(&self) -> usize {
        self.there.len()
    }

    /// Returns X, Y and P.
    fn values(&self) -> [Value; 3] {
        let table = |coordinates: &[u64]| Value::from(numbers(coordinates, self.k));
        let there = Value::Slice(BitVector::from_bools(&self.there));
        [table(&self.x), table(&self.y), there]
    }

    fn marked(&self, test: impl Fn(usize) -> bool) -> BitVector {
        bits_at(self.n(), (0..self.n()).filter(|&idx| self.there[idx] && test(idx)))
    }

    fn within(&self, [x1, y1, x2, y2]: [u64; 4]) -> BitVector {
        self.marked(|idx| (x1..=x2).contains(&self.x[idx]) && (y1..=y2).contains(&self.y[idx]))
    }

    fn coordinate(&self, rng: &mut Rng) -> u64 {
        rng.below(1 << self.k) as u64
    }
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let mut objects = Objects::random(rng);
    let (n, k) = (objects.n(), objects.k);
    let with = |objects: &Objects, more: Vec<Value>| {
        objects.values().into_iter().chain(more).collect::<Vec<Value>>()
    };

    // Queries.
    let mut corners: Vec<[u64; 4]> = Vec::new();
    for _ in 0..1 + rng.below(4) {
        corners.push([(); 4].map(|()| objects.coordinate(rng)));
        let corner = corners[corners.len() - 1];
        let mut args = with(&objects, corner.iter().map(|&c| word(c, k)).collect());
        args.push(Value::Unset);
        let found = module.call("WITHIN", args).slice(7);
        assert_eq!(found, objects.within(corner), "{corner:?}");
    }
    let fields = [0, 1, 2, 3].map(|idx| {
        let column: Vec<u64> = corners.iter().map(|corner| corner[idx]).collect();
        Value::from(numbers(&column, k))
    });
    let mut args = with(&objects, fields.to_vec());
    args.push(Value::Unset);
    let answers = module.call("RANGES", args).table(7);
    for (idx, &corner) in corners.iter().enumerate() {
        let expected = ones(&objects.within(corner));
        let found: Vec<usize> = (0..n).filter(|&row| answers.get(row, idx)).collect();
        assert_eq!(found, expected, "{corner:?}");
    }
    let [x, y, there] = objects.values();
    let (low, high) = (objects.coordinate(rng), objects.coordinate(rng));
    let args = vec![x.clone(), there.clone(), word(low, k), word(high, k), Value::Unset];
    let found = module.call("BETWEEN", args).slice(4);
    assert_eq!(found, objects.marked(|idx| (low..=high).contains(&objects.x[idx])));

    // Distances.
    let (v, w) = (objects.coordinate(rng), objects.coordinate(rng));
    let apart = module.call("APART", vec![y, there, word(w, k), Value::Unset]).table(3);
    let mut args = with(&objects, vec![word(v, k), word(w, k)]);
    args.push(Value::Unset);
    let distances = module.call("DISTANCES", args).table(5);
    let square = |idx: usize| objects.x[idx].abs_diff(v).pow(2) + objects.y[idx].abs_diff(w).pow(2);
    let of = |idx: usize, value: u64| if objects.there[idx] { value } else { 0 };
    let expected: Vec<u64> = (0..n).map(|idx| of(idx, objects.y[idx].abs_diff(w))).collect();
    assert!(apart == numbers(&expected, k), "{expected:?}");
    let expected: Vec<u64> = (0..n).map(|idx| of(idx, square(idx))).collect();
    assert!(distances == numbers(&expected, 2 * k + 1), "{expected:?}");
    let mut nearest: Vec<usize> = (0..n).filter(|&idx| objects.there[idx]).collect();
    nearest.sort_by_key(|&idx| (square(idx), idx));
    for m in [0, 1, 1 + rng.below(n), n + 3] {
        let mut args = with(&objects, vec![word(v, k), word(w, k), int(m)]);
        args.push(Value::Unset);
        let found = module.call("KNEAREST", args).slice(6);
        let expected = bits_at(n, nearest.iter().copied().take(m));
        assert_eq!(found, expected, "{m} of ({v},{w})");
    }

    // Moves, one by one and in a batch.
    let b = code_width(n);
    let moves: Vec<(usize, u64, u64, bool)> = (0..1 + rng.below(20))
        .map(|_| (rng.below(n), objects.coordinate(rng), objects.coordinate(rng), rng.once_in(4)))
        .collect();
    let column = |pick: fn(&(usize, u64, u64, bool)) -> u64, bits: usize| {
        Value::from(numbers(&moves.iter().map(pick).collect::<Vec<u64>>(), bits))
    };
    let gone: Vec<bool> = moves.iter().map(|one| one.3).collect();
    let mut args = vec![
        column(|one| one.0 as u64 + 1, b),
        column(|one| one.1, k),
        column(|one| one.2, k),
        Value::Slice(BitVector::from_bools(&gone)),
    ];
    args.extend(objects.values());
    let batch = module.call("MOVES", args);
    for &(idx, x, y, is_gone) in &moves {
        let [old_x, old_y, old_there] = objects.values();
        let results = match is_gone {
            true => {
                objects.there[idx] = false;
                let results = module.call("DROP_OBJECT", vec![vertex(idx), old_there]);
                assert_eq!(results.operations, 1);
                results.values[1].clone()
            }
            false => {
                (objects.x[idx], objects.y[idx], objects.there[idx]) = (x, y, true);
                let args = vec![vertex(idx), word(x, k), word(y, k), old_x, old_y, old_there];
                let results = module.call("PUT_OBJECT", args);
                assert_eq!(results.operations, 3);
                assert_eq!(results.values[3..], objects.values(), "object {idx}");
                results.values[5].clone()
            }
        };
        assert_eq!(results, objects.values()[2], "object {idx}");
    }
    assert_eq!(batch.values[4..], objects.values(), "{moves:?}");
}

#[test]
fn queries_and_moves_agree_with_a_list_of_objects() {
    let module = Module::new("moving");
    each_seed(60, |rng| play(&module, rng));
}
