//! The operations on slices and words.

use star_tests::case::Random;
use star_value::Value;

use super::{BOTH, Machine, Of, SEED, SIZES, boolean, count, first, int, samples};

const TEXT: &str = "
procedure do_set(var Y: bits); begin SET(Y) end;
procedure do_clr(var Y: bits); begin CLR(Y) end;
procedure do_fnd(Y: bits; var i: integer); begin i:=FND(Y) end;
procedure do_step(var i: integer; var Y: bits); begin i:=STEP(Y) end;
procedure drop_step(var Y: bits); begin STEP(Y) end;
procedure do_numb(Y: bits; var i: integer); begin i:=NUMB(Y) end;
procedure do_frst(Y: bits; var Z: bits); begin Z:=FRST(Y) end;
procedure frst_here(var Y: bits); begin FRST(Y) end;
procedure do_some(Y: bits; var b: boolean); begin b:=SOME(Y) end;
procedure theta(Y: bits; var b: boolean); begin b:=Y ≠ Θ end;
procedure no_theta(Y: bits; var b: boolean); begin b:=∅ = Y end;
procedure do_one(Y: bits; var b: boolean); begin b:=ONE(Y) end;
procedure do_zero(Y: bits; var b: boolean); begin b:=ZERO(Y) end;
procedure do_and(Y,Z: bits; var R: bits); begin R:=Y and Z end;
procedure do_or(Y,Z: bits; var R: bits); begin R:=Y or Z end;
procedure do_xor(Y,Z: bits; var R: bits); begin R:=Y xor Z end;
procedure do_not(Y: bits; var R: bits); begin R:=not Y end;
procedure chain(Y,Z: bits; var R: bits); begin R:=Y and not Z or (Y xor Z) and Z end;
procedure same(Y,Z: bits; var b: boolean); begin b:=Y = Z end;
procedure differ(Y,Z: bits; var b: boolean); begin b:=Y <> Z end;
procedure do_mask(Y: bits; i,j: integer; var R: bits); begin R:=MASK(Y,i,j) end;
procedure up(Y: bits; k: integer; var R: bits); begin R:=SHIFT(Y,up,k) end;
procedure down(Y: bits; k: integer; var R: bits); begin R:=SHIFT(Y,Down,k) end;
procedure do_rotate(Y: bits; k: integer; var R: bits); begin R:=ROTATE(Y,k) end;
procedure do_mirror(Y: bits; var R: bits); begin R:=MIRROR(Y) end;
procedure do_shuffle(Y: bits; var R: bits); begin R:=SHUFFLE(Y) end;
procedure len(Y: bits; var i: integer); begin i:=length(Y) end;
procedure get(Y: bits; i: integer; var c: integer); begin c:=Y(i) end;
procedure put(i,c: integer; var Y: bits); begin Y(i):=c end;
procedure raise(i: integer; var Y: bits); begin Y(i):='1' end;
procedure move(i,j: integer; var Y: bits); begin Y(i):=Y(j) end;
";

const CONVERT: &str = "
procedure to_word(Y: slice; var R: word); begin R:=CONVERT(Y) end;
procedure to_slice(Y: word; var R: slice); begin R:=CONVERT(Y) end;
";

/// Calls `check` with each kind, a machine for it and samples of each size.
fn for_all(mut check: impl FnMut(Of, &Machine, &mut Random, &[bool])) {
    for of in BOTH {
        let machine = Machine::new(&of.text(TEXT));
        let mut random = Random::new(SEED);
        for size in SIZES {
            for bits in samples(&mut random, size) {
                check(of, &machine, &mut random, &bits);
            }
        }
    }
}

#[test]
fn set_and_clr_fill_exactly_the_size() {
    for_all(|of, machine, _, bits| {
        let ones = of.value(&vec![true; bits.len()]);
        let zeros = of.value(&vec![false; bits.len()]);
        assert_eq!(machine.last("do_set", &[of.value(bits)], 1), ones);
        assert_eq!(machine.last("do_clr", &[of.value(bits)], 1), zeros);
    });
}

#[test]
fn fnd_numb_and_length_count_bits() {
    for_all(|of, machine, _, bits| {
        let args = [of.value(bits), Value::Unset];
        assert_eq!(machine.last("do_fnd", &args, 1), int(first(bits)));
        assert_eq!(machine.last("do_numb", &args, 1), int(count(bits)));
        assert_eq!(machine.last("len", &args, 0), int(bits.len()));
    });
}

#[test]
fn step_clears_the_first_one_and_keeps_an_empty_operand() {
    for_all(|of, machine, _, bits| {
        let mut rest = bits.to_vec();
        if first(bits) > 0 {
            rest[first(bits) - 1] = false;
        }
        let (values, cost) = machine.call("do_step", &[Value::Unset, of.value(bits)]);
        assert_eq!((values, cost), (vec![int(first(bits)), of.value(&rest)], 1));
        assert_eq!(machine.last("drop_step", &[of.value(bits)], 1), of.value(&rest));
    });
}

#[test]
fn frst_keeps_only_the_first_one_as_function_and_statement() {
    for_all(|of, machine, _, bits| {
        let kept: Vec<bool> = (1..=bits.len()).map(|i| i == first(bits)).collect();
        let args = [of.value(bits), Value::Unset];
        let (values, cost) = machine.call("do_frst", &args);
        assert_eq!((values, cost), (vec![of.value(bits), of.value(&kept)], 1));
        assert_eq!(machine.last("frst_here", &[of.value(bits)], 1), of.value(&kept));
    });
}

#[test]
fn some_one_and_zero_query_bits() {
    for_all(|of, machine, _, bits| {
        let args = [of.value(bits), Value::Unset];
        let some = count(bits) > 0;
        assert_eq!(machine.last("do_some", &args, 1), boolean(some));
        assert_eq!(machine.last("theta", &args, 1), boolean(some));
        assert_eq!(machine.last("no_theta", &args, 1), boolean(!some));
        assert_eq!(machine.last("do_one", &args, 1), boolean(count(bits) == bits.len()));
        assert_eq!(machine.last("do_zero", &args, 1), boolean(!some));
    });
}

#[test]
fn logic_is_bitwise() {
    for_all(|of, machine, random, y| {
        let z = random.bits(y.len(), 50);
        let args = [of.value(y), of.value(&z), Value::Unset];
        let both = |f: &dyn Fn(bool, bool) -> bool| -> Value {
            of.value(&y.iter().zip(&z).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>())
        };
        assert_eq!(machine.last("do_and", &args, 1), both(&|a, b| a && b));
        assert_eq!(machine.last("do_or", &args, 1), both(&|a, b| a || b));
        assert_eq!(machine.last("do_xor", &args, 1), both(&|a, b| a != b));
        let chained = both(&|a, b| (a && !b) || ((a != b) && b));
        assert_eq!(machine.last("chain", &args, 5), chained);
        let not = machine.last("do_not", &[of.value(y), Value::Unset], 1);
        assert_eq!(not, both(&|a, _| !a));
        assert_eq!(machine.last("same", &args, 1), boolean(y == z));
        assert_eq!(machine.last("differ", &args, 1), boolean(y != z));
        let itself = [of.value(y), of.value(y), Value::Unset];
        assert_eq!(machine.last("same", &itself, 1), boolean(true));
    });
}

#[test]
fn operands_of_different_sizes_trap() {
    for of in BOTH {
        let machine = Machine::new(&of.text(TEXT));
        for (n, m) in [(0, 1), (63, 64), (64, 65), (513, 512)] {
            let args = [of.value(&vec![true; n]), of.value(&vec![true; m]), Value::Unset];
            for routine in ["do_and", "do_or", "do_xor", "chain", "same", "differ"] {
                assert_eq!(machine.trap(routine, &args).0, "T0102", "{routine} {n} {m}");
            }
        }
    }
}

#[test]
fn mask_has_ones_exactly_in_the_range() {
    for_all(|of, machine, random, bits| {
        let n = bits.len();
        for _ in 0..if n == 0 { 0 } else { 3 } {
            let i = 1 + random.below(n);
            let j = i + random.below(n - i + 1);
            let mask: Vec<bool> = (1..=n).map(|at| i <= at && at <= j).collect();
            let args = [of.value(bits), int(i), int(j), Value::Unset];
            assert_eq!(machine.last("do_mask", &args, 1), of.value(&mask));
        }
        let outside = [(0, 0), (0, n as i64), (1, n as i64 + 1), (n as i64 + 1, n as i64 + 1)];
        for (i, j) in outside {
            let args = [of.value(bits), Value::Int(i), Value::Int(j), Value::Unset];
            assert_eq!(machine.trap("do_mask", &args).0, "T0106", "{i}..{j} of {n}");
        }
    });
}

#[test]
fn shifts_insert_zeros_even_beyond_the_size() {
    for_all(|of, machine, random, bits| {
        let n = bits.len();
        let far = random.below(n + 1);
        for k in [0, 1, 63, 64, 65, far, n, n + 1, usize::MAX >> 1] {
            // Up is towards the first component.
            let at = |idx: usize| idx < n && bits[idx];
            let up: Vec<bool> = (0..n).map(|idx| at(idx.saturating_add(k))).collect();
            let down: Vec<bool> = (0..n).map(|idx| idx >= k && at(idx - k)).collect();
            let args = [of.value(bits), int(k), Value::Unset];
            assert_eq!(machine.last("up", &args, 1), of.value(&up), "up {k}");
            assert_eq!(machine.last("down", &args, 1), of.value(&down), "down {k}");
        }
        let args = [of.value(bits), Value::Int(-1), Value::Unset];
        assert_eq!(machine.trap("up", &args).0, "T0113");
        assert_eq!(machine.trap("down", &args).0, "T0113");
    });
}

#[test]
fn rotation_is_cyclic_down_for_positive_numbers() {
    for_all(|of, machine, _, bits| {
        let n = bits.len() as i128;
        for k in [0, 1, -1, 5, -64, 65, 1000, -1000, i64::MAX, i64::MIN] {
            // Component i moves to i + k.
            let rotated: Vec<bool> =
                (0..n).map(|idx| bits[(idx - i128::from(k)).rem_euclid(n) as usize]).collect();
            let args = [of.value(bits), Value::Int(k), Value::Unset];
            assert_eq!(machine.last("do_rotate", &args, 1), of.value(&rotated), "by {k}");
        }
    });
}

#[test]
fn mirror_reverses() {
    for_all(|of, machine, _, bits| {
        let reversed: Vec<bool> = bits.iter().rev().copied().collect();
        let args = [of.value(bits), Value::Unset];
        assert_eq!(machine.last("do_mirror", &args, 1), of.value(&reversed));
    });
}

#[test]
fn shuffle_interleaves_the_halves_of_even_sizes() {
    for_all(|of, machine, _, bits| {
        let args = [of.value(bits), Value::Unset];
        if bits.len() % 2 == 1 {
            assert_eq!(machine.trap("do_shuffle", &args).0, "T0109");
            return;
        }
        let (one, other) = bits.split_at(bits.len() / 2);
        let shuffled: Vec<bool> = one.iter().zip(other).flat_map(|(&a, &b)| [a, b]).collect();
        assert_eq!(machine.last("do_shuffle", &args, 1), of.value(&shuffled));
    });
}

#[test]
fn components_are_accessed_only_within_the_size() {
    for_all(|of, machine, random, bits| {
        let n = bits.len();
        let places: Vec<usize> =
            if n == 0 { vec![] } else { vec![1, n, 1 + random.below(n), 1 + random.below(n)] };
        for &i in &places {
            let args = [of.value(bits), int(i), Value::Unset];
            assert_eq!(machine.last("get", &args, 1), int(usize::from(bits[i - 1])));
            for bit in [false, true] {
                let mut changed = bits.to_vec();
                changed[i - 1] = bit;
                let args = [int(i), int(usize::from(bit)), of.value(bits)];
                assert_eq!(machine.last("put", &args, 1), of.value(&changed));
            }
            let mut raised = bits.to_vec();
            raised[i - 1] = true;
            assert_eq!(machine.last("raise", &[int(i), of.value(bits)], 1), of.value(&raised));
            let mut moved = bits.to_vec();
            moved[i - 1] = bits[n - 1];
            let args = [int(i), int(n), of.value(bits)];
            assert_eq!(machine.last("move", &args, 2), of.value(&moved));
        }
        for i in [0, -1, n as i64 + 1, i64::MIN, i64::MAX] {
            let i = Value::Int(i);
            let read = [of.value(bits), i.clone(), Value::Unset];
            assert_eq!(machine.trap("get", &read).0, "T0101");
            let (code, values) = machine.trap("put", &[i, int(1), of.value(bits)]);
            assert_eq!((code.as_str(), &values[2]), ("T0101", &of.value(bits)));
        }
        if n > 0 {
            for c in [2, -1, i64::MAX] {
                let args = [int(1), Value::Int(c), of.value(bits)];
                assert_eq!(machine.trap("put", &args).0, "T0107");
            }
        }
    });
}

#[test]
fn convert_keeps_the_bits_both_ways() {
    let machine = Machine::new(CONVERT);
    let mut random = Random::new(SEED);
    for size in SIZES {
        for bits in samples(&mut random, size) {
            let to_word = machine.last("to_word", &[super::slice(&bits), Value::Unset], 1);
            assert_eq!(to_word, super::word(&bits));
            let to_slice = machine.last("to_slice", &[super::word(&bits), Value::Unset], 1);
            assert_eq!(to_slice, super::slice(&bits));
        }
    }
}
