//! The operations on words only.

use std::cmp::Ordering;

use star_compiler::LowerOptions;
use star_tests::case::Random;
use star_value::Value;

use super::{Machine, SEED, SIZES, boolean, int, samples, word};

const TEXT: &str = "
procedure trim(i,j: integer; w: word; var R: word); begin R:=TRIM(i,j,w) end;
procedure replace(i,j: integer; v: word; var w: word); begin REP(i,j,v,w) end;
procedure eq(v,w: word; var b: boolean); begin b:=EQ(v,w) end;
procedure noteq(v,w: word; var b: boolean); begin b:=NOTEQ(v,w) end;
procedure less(v,w: word; var b: boolean); begin b:=LESS(v,w) end;
procedure lesseq(v,w: word; var b: boolean); begin b:=LESSEQ(v,w) end;
procedure great(v,w: word; var b: boolean); begin b:=GREAT(v,w) end;
procedure greateq(v,w: word; var b: boolean); begin b:=GREATEQ(v,w) end;
procedure add(v,w: word; var R: word); begin R:=ADD(v,w) end;
procedure subt(v,w: word; var R: word); begin R:=SUBT(v,w) end;
procedure to_int(w: word; var i: integer); begin i:=INT(w) end;
procedure to_word(i,h: integer; var w: word); begin w:=WORD(i,h) end;
";

/// Returns the sum (or difference, with `w` complemented and a carry in) and whether a bit was
/// carried out; the last component is the least significant one.
fn sum(v: &[bool], w: &[bool], mut carry: bool) -> (Vec<bool>, bool) {
    let mut result = vec![false; v.len()];
    for idx in (0..v.len()).rev() {
        let ones = u8::from(v[idx]) + u8::from(w[idx]) + u8::from(carry);
        result[idx] = ones % 2 == 1;
        carry = ones >= 2;
    }
    (result, carry)
}

fn difference(v: &[bool], w: &[bool]) -> (Vec<bool>, bool) {
    let complement: Vec<bool> = w.iter().map(|bit| !bit).collect();
    let (result, carry) = sum(v, &complement, true);
    (result, !carry)
}

/// Returns pairs of words of each size, some of them nearly equal.
fn pairs() -> Vec<(Vec<bool>, Vec<bool>)> {
    let mut random = Random::new(SEED);
    let mut pairs = Vec::new();
    for size in SIZES {
        let of_size = samples(&mut random, size);
        for v in &of_size {
            pairs.push((v.clone(), v.clone()));
            let mut near = v.clone();
            if size > 0 {
                let at = random.below(size);
                near[at] = !near[at];
                pairs.push((v.clone(), near));
                pairs.push((v.clone(), of_size[random.below(of_size.len())].clone()));
                pairs.push((v.clone(), random.bits(size, 50)));
            }
        }
    }
    pairs
}

#[test]
fn comparisons_are_unsigned() {
    let machine = Machine::new(TEXT);
    for (v, w) in pairs() {
        // Column 1 is the most significant one, so the order is lexicographic.
        let order = v.cmp(&w);
        for (routine, holds) in [
            ("eq", order == Ordering::Equal),
            ("noteq", order != Ordering::Equal),
            ("less", order == Ordering::Less),
            ("lesseq", order != Ordering::Greater),
            ("great", order == Ordering::Greater),
            ("greateq", order != Ordering::Less),
        ] {
            let args = [word(&v), word(&w), Value::Unset];
            assert_eq!(machine.last(routine, &args, 1), boolean(holds), "{routine} {v:?} {w:?}");
        }
    }
}

#[test]
fn add_and_subt_are_modulo_two_to_the_size() {
    let machine = Machine::new(TEXT);
    for (v, w) in pairs() {
        let args = [word(&v), word(&w), Value::Unset];
        assert_eq!(machine.last("add", &args, 1), word(&sum(&v, &w, false).0));
        assert_eq!(machine.last("subt", &args, 1), word(&difference(&v, &w).0));
    }
}

#[test]
fn checked_add_and_subt_trap_on_overflow() {
    let checked = LowerOptions { checked: true, ..LowerOptions::default() };
    let machine = Machine::with(TEXT, &checked);
    let mut n_overflows = 0;
    for (v, w) in pairs() {
        let args = [word(&v), word(&w), Value::Unset];
        let results = [("add", sum(&v, &w, false)), ("subt", difference(&v, &w))];
        for (routine, (result, overflows)) in results {
            if overflows {
                n_overflows += 1;
                let (code, values) = machine.trap(routine, &args);
                assert_eq!((code.as_str(), &values[2]), ("T0110", &Value::Unset));
            } else {
                assert_eq!(machine.last(routine, &args, 1), word(&result));
            }
        }
    }
    assert!(n_overflows > 50, "{n_overflows}");
}

#[test]
fn two_words_of_different_sizes_trap() {
    let machine = Machine::new(TEXT);
    let args = [word(&[true; 64]), word(&[true; 65]), Value::Unset];
    for routine in ["eq", "noteq", "less", "lesseq", "great", "greateq", "add", "subt"] {
        assert_eq!(machine.trap(routine, &args).0, "T0102", "{routine}");
    }
}

#[test]
fn trim_and_rep_access_parts() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for size in SIZES.into_iter().filter(|&size| size > 0) {
        for w in samples(&mut random, size) {
            let (i, j) = (1 + random.below(size), 1 + random.below(size));
            let (i, j) = (i.min(j), i.max(j));
            for (i, j) in [(1, size), (1, 1), (size, size), (i, j)] {
                let args = [int(i), int(j), word(&w), Value::Unset];
                assert_eq!(machine.last("trim", &args, 1), word(&w[i - 1..j]));
                let v = random.bits(j - i + 1, 50);
                let mut replaced = w.clone();
                replaced[i - 1..j].copy_from_slice(&v);
                let args = [int(i), int(j), word(&v), word(&w)];
                assert_eq!(machine.last("replace", &args, 1), word(&replaced));
                let longer = [int(i), int(j), word(&[&v[..], &[true]].concat()), word(&w)];
                assert_eq!(machine.trap("replace", &longer).0, "T0102");
            }
        }
    }
}

#[test]
fn parts_outside_a_word_or_backwards_trap() {
    let machine = Machine::new(TEXT);
    for size in [0, 1, 5, 64, 65] {
        let n = size as i64;
        let w = vec![true; size];
        let mut parts = vec![(0, 1), (-1, n), (1, n + 1), (n + 1, n + 1), (1, i64::MAX)];
        parts.extend([(3, 2), (2, 1), (5, 1), (n, 1)].iter().filter(|(i, j)| i > j && *i <= n));
        parts.extend([(i64::MAX, i64::MAX), (0, 0)]);
        for (i, j) in parts {
            // i must be in 1..j, and i..j inside the word.
            let (i, j) = (Value::Int(i), Value::Int(j));
            let trim = [i.clone(), j.clone(), word(&w), Value::Unset];
            assert_eq!(machine.trap("trim", &trim).0, "T0106", "{i:?} {j:?} of {n}");
            let (code, values) = machine.trap("replace", &[i, j, word(&[]), word(&w)]);
            assert_eq!((code.as_str(), &values[3]), ("T0106", &word(&w)));
        }
    }
}

#[test]
fn int_accepts_unsigned_numbers_below_two_to_63() {
    let machine = Machine::new(TEXT);
    let mut random = Random::new(SEED);
    for size in SIZES {
        for w in samples(&mut random, size) {
            let significant = &w[size.saturating_sub(63)..];
            let args = [word(&w), Value::Unset];
            if w[..size.saturating_sub(63)].contains(&true) {
                assert_eq!(machine.trap("to_int", &args).0, "T0108");
            } else {
                let number = significant.iter().fold(0, |sum, &bit| 2 * sum + i64::from(bit));
                assert_eq!(machine.last("to_int", &args, 0), Value::Int(number));
            }
        }
    }
    // 2⁶³ − 1 and numbers with leading zeros fit.
    let mut w = vec![true; 63];
    assert_eq!(machine.last("to_int", &[word(&w), Value::Unset], 0), Value::Int(i64::MAX));
    w.splice(0..0, vec![false; 450]);
    assert_eq!(machine.last("to_int", &[word(&w), Value::Unset], 0), Value::Int(i64::MAX));
}

#[test]
fn word_converts_numbers_that_fit() {
    let machine = Machine::new(TEXT);
    for width in SIZES {
        for number in [0, 1, 2, 5, 255, 256, i64::MAX - 1, i64::MAX] {
            let args = [Value::Int(number), int(width), Value::Unset];
            let n_bits = 64 - number.leading_zeros() as usize;
            if n_bits > width {
                assert_eq!(machine.trap("to_word", &args).0, "T0108", "{number} in {width}");
            } else {
                let bits: Vec<bool> =
                    (0..width).rev().map(|place| place < 63 && number >> place & 1 == 1).collect();
                assert_eq!(machine.last("to_word", &args, 0), word(&bits));
            }
        }
        let negative = [Value::Int(-1), int(width), Value::Unset];
        assert_eq!(machine.trap("to_word", &negative).0, "T0108");
    }
    let args = [int(0), Value::Int(-1), Value::Unset];
    assert_eq!(machine.trap("to_word", &args).0, "T0113");
}
