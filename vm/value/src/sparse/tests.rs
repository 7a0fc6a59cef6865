//! Comparison of lines with lists of booleans.

use super::*;
use star_base::Random;

/// Compares lines with their model: a list of booleans for each.
fn assert_same(lines: &SparseLines, model: &[Vec<bool>]) {
    assert_eq!(lines.n_lines(), model.len());
    for (idx, line) in model.iter().enumerate() {
        let mut ones = Vec::new();
        lines.ones(idx, |at| ones.push(at));
        let wanted: Vec<usize> = (0..line.len()).filter(|at| line[*at]).collect();
        assert_eq!(ones, wanted, "line {idx}");
        assert!((0..line.len()).all(|at| lines.get(idx, at) == line[at]));
        let SparseLine { ground, places, limbs } = lines.line(idx);
        let mut listed = places.iter().zip(limbs);
        assert!(listed.all(|(at, limb)| *limb != lines.ground_limb(ground, *at as usize)));
    }
    let n_limbs: usize = (0..model.len()).map(|idx| lines.line(idx).places.len()).sum();
    assert_eq!(lines.n_limbs(), n_limbs);
    let n_ones: usize = model.iter().flatten().filter(|bit| **bit).count();
    assert_eq!(lines.count_ones(), n_ones as u64);
    let n_on_ones = (0..model.len()).filter(|idx| lines.line(*idx).ground).count();
    assert_eq!(lines.n_on_ones, n_on_ones);
}

#[test]
fn updates_match_the_model() {
    let mut random = Random::new(1);
    for len in [1, 63, 64, 65, 200, 1000] {
        let mut model = vec![vec![false; len]; 7];
        let mut lines = SparseLines::zeros(len, 7, 0).unwrap();
        for round in 0..600 {
            let (idx, n) = (random.below(model.len()), model[0].len());
            match random.below(12) {
                0 => {
                    let ground = random.below(2) == 0;
                    let bits: Vec<bool> =
                        (0..n).map(|_| (random.below(9) == 0) != ground).collect();
                    let limb = |place: usize| {
                        let bits = bits[place * 64..].iter().take(64).zip(0..);
                        bits.fold(0, |limb, (bit, at)| limb | u64::from(*bit) << at)
                    };
                    let limbs = (0..n.div_ceil(64)).map(|place| (place as u32, limb(place)));
                    lines.set(idx, ground, limbs).unwrap();
                    model[idx] = bits;
                }
                1 if round % 50 == 0 => {
                    lines.add_lines(2).unwrap();
                    model.resize(model.len() + 2, vec![false; n]);
                }
                2 if round % 50 == 0 => {
                    lines.lengthen(n + 3).unwrap();
                    model.iter_mut().for_each(|line| line.resize(n + 3, false));
                }
                _ => {
                    let (at, bit) = (random.below(n), random.below(3) > 0);
                    lines.put(idx, at, bit).unwrap();
                    model[idx][at] = bit;
                }
            }
        }
        assert_same(&lines, &model);
        assert_eq!(lines.try_clone().unwrap(), lines);
        let mut part = lines.try_clone().unwrap();
        part.copy_from(&lines, 2..5).unwrap();
        assert_same(&part, &model[2..5]);
        // One ground for all, and a random choice of the lines that differ from it.
        let ground = random.below(2) == 0;
        for idx in 0..lines.n_lines() {
            let limbs: Vec<(u32, u64)> =
                (0..lines.len().div_ceil(64)).map(|at| (at as u32, lines.limb(idx, at))).collect();
            lines.set(idx, ground, limbs.into_iter()).unwrap();
        }
        assert_same(&lines, &model);
        assert_eq!((lines.common_ground(), &part.try_clone().unwrap()), (Some(ground), &part));
        let transposed = lines.transposed(|| true).unwrap().unwrap();
        let columns = |at: usize| model.iter().map(|line| line[at]).collect::<Vec<bool>>();
        let by_columns: Vec<Vec<bool>> = (0..model[0].len()).map(columns).collect();
        assert_same(&transposed, &by_columns);
        assert_eq!(transposed.transposed(|| true).unwrap().unwrap(), lines);
        assert!(lines.transposed(|| false).unwrap().is_none());
    }
}

#[test]
fn columns_of_a_table_become_lines() {
    let table = BitTable::parse(&["010", "000", "011"]).unwrap();
    let lines = SparseLines::of_columns(&table).unwrap();
    assert_eq!((lines.len(), lines.n_lines(), lines.n_limbs()), (3, 3, 2));
    let line = SparseLine { ground: false, places: &[0], limbs: &[0b101] };
    assert_eq!((lines.line(1), lines.count_ones()), (line, 3));
    let table = BitTable::parse(&["011", "111", "110"]).unwrap();
    let lines = SparseLines::of_columns(&table).unwrap();
    assert_eq!((lines.n_limbs(), lines.common_ground(), lines.count_ones()), (2, None, 7));
    assert!(lines.transposed(|| true).unwrap().is_none(), "its lines differ in their ground");
}

#[test]
fn memory_grows_only_with_the_contents() {
    let mut lines = SparseLines::zeros(1 << 20, 1000, 0).unwrap();
    for idx in 0..1000 {
        let wanted = lines.bytes_to_put(idx);
        let before = lines.n_bytes();
        lines.put(idx, idx * 1000, true).unwrap();
        assert!(lines.n_bytes() <= before + wanted, "it says before what it takes");
    }
    assert!(lines.n_bytes() < 50_000, "{}", lines.n_bytes());
    assert_eq!(lines.dense_bytes(), 1000 << 17);
    assert!(SparseLines::zeros(usize::MAX, 1, 0).is_err());
}

#[test]
fn spare_capacity_suffices_for_lines_set_as_a_whole() {
    let mut lines = SparseLines::zeros(1000, 40, 0).unwrap();
    let limbs = |n: u32| (0..n).map(|place| (place, 7));
    for n in [1, 2, 3, 9] {
        lines.make_spare(40 * n as usize).unwrap();
        let before = lines.n_bytes();
        for idx in 0..40 {
            assert_eq!(lines.bytes_to_set(idx, n as usize), 0);
            lines.set(idx, false, limbs(n)).unwrap();
        }
        assert_eq!((lines.n_bytes(), lines.n_limbs()), (before, 40 * n as usize));
    }
}

/// Returns lines on both grounds, some of them empty.
#[cfg(feature = "fault-injection")]
fn mixed() -> SparseLines {
    let mut lines = SparseLines::zeros(300, 5, 0).unwrap();
    lines.put(1, 7, true).unwrap();
    lines.set(2, true, [(0, 5), (4, 1)].into_iter()).unwrap();
    lines.set(4, true, std::iter::empty()).unwrap();
    lines
}

#[test]
#[cfg(feature = "fault-injection")]
fn refused_allocations_change_nothing() {
    use crate::limbs::fault::refuse_after;
    type Change = fn(&mut SparseLines) -> Result<(), OutOfMemory>;
    let changes: [(&str, Change); 7] = [
        ("put", |lines| {
            let mut bits = (0..5).flat_map(|idx| (66..300).step_by(64).map(move |at| (idx, at)));
            bits.try_for_each(|(idx, at)| lines.put(idx, at, idx % 2 == 1))
        }),
        ("set", |lines| lines.set(1, false, (0..5).map(|place| (place, 9)))),
        ("add_lines", |lines| lines.add_lines(70)),
        ("lengthen", |lines| lines.lengthen(301)),
        ("make_spare", |lines| lines.make_spare(1000)),
        ("copies", |lines| lines.try_clone().map(drop)),
        ("transposed", |lines| {
            let mut part = SparseLines::default();
            part.copy_from(lines, 0..2)?;
            part.transposed(|| true).map(drop)
        }),
    ];
    for (name, change) in changes {
        let mut n_refused = 0;
        for n in 0..40 {
            let mut lines = mixed();
            refuse_after(Some(n));
            let done = change(&mut lines);
            refuse_after(None);
            if done.is_ok() {
                break;
            }
            n_refused += 1;
            let before = mixed();
            // If several bits are written, those before the refused one are kept.
            let is_kept = |at: &usize| name != "put" || at % 64 != 2;
            let kept = (0..5).all(|idx| {
                let mut bits = (0..300).filter(is_kept);
                bits.all(|at| lines.get(idx, at) == before.get(idx, at))
            });
            assert!(kept && lines.len() == 300 && lines.n_lines() == 5, "{name}, {n}");
            change(&mut lines).unwrap();
            let mut all = mixed();
            change(&mut all).unwrap();
            assert!(lines == all, "{name} works when there is memory again");
        }
        assert!(n_refused > 0, "{name} reserves nothing");
    }
}

#[test]
fn lines_are_cut_and_joined_at_every_bit() {
    let mut random = Random::new(7);
    for len in [2, 64, 65, 200, 640] {
        let mut lines = SparseLines::zeros(len, 6, 0).unwrap();
        let mut model = vec![vec![false; len]; 6];
        for (idx, model) in model.iter_mut().enumerate() {
            let ground = idx % 2 == 1;
            if ground {
                lines.set(idx, true, std::iter::empty()).unwrap();
                model.fill(true);
            }
            for _ in 0..idx * 3 {
                let at = random.below(len);
                lines.put(idx, at, !ground).unwrap();
                model[at] = !ground;
            }
        }
        for n_parts in [1, 2, 3, 7] {
            let bounds: Vec<usize> = (0..=n_parts).map(|part| len * part / n_parts).collect();
            let ranges = bounds.windows(2).map(|ends| ends[0]..ends[1]);
            let mut parts: Vec<SparseLines> =
                ranges.clone().map(|range| lines.cut(range).unwrap()).collect();
            for (part, range) in parts.iter().zip(ranges) {
                let cut: Vec<Vec<bool>> =
                    model.iter().map(|line| line[range.clone()].to_vec()).collect();
                assert_same(part, &cut);
            }
            assert_same(&SparseLines::join(&parts).unwrap(), &model);
            // A line may have other grounds in other parts.
            let n_first = parts[0].len();
            (0..n_first).for_each(|at| parts[0].put(1, at, false).unwrap());
            model[1][..n_first].fill(false);
            let on_zeros = SparseLines::zeros(parts[0].len(), 1, 0).unwrap();
            parts[0].set(1, false, on_zeros.line(0).each()).unwrap();
            let joined = SparseLines::join(&parts).unwrap();
            assert_same(&joined, &model);
            let again: Vec<SparseLines> =
                bounds.windows(2).map(|ends| joined.cut(ends[0]..ends[1]).unwrap()).collect();
            assert!(again == parts);
            (0..parts[0].len()).for_each(|at| model[1][at] = lines.get(1, at));
        }
        let twice = SparseLines::append_all(&[lines.clone(), lines.clone()]).unwrap();
        assert_same(&twice, &[model.clone(), model].concat());
    }
}
