//! Module `polyline`: its Star texts and its native find the same polylines, and refuse the same.

use star_base::{BitTable, BitVector};
use star_tests::case::{Random, call_traps};
use star_tests::run::Program;
use star_vm::HostValue;

use crate::cbt::same_everywhere;

const SCRIPT: &str = "import \"star:polyline\";
procedure TRY(w,t: integer; Grey,Q: table; p,d,width,g: integer; var S,P,O: table);
begin
  POLYLINES(w,t,Grey,Q,p,d,width,g,S,P,O);
end;";

/// A table whose rows are numbers of so many bits.
fn numbers(bits: usize, numbers: &[u64]) -> HostValue {
    let columns: Vec<BitVector> = (0..bits)
        .map(|column| {
            let bit = |number: &u64| number >> (bits - 1 - column) & 1 == 1;
            BitVector::from_bools(&numbers.iter().map(bit).collect::<Vec<bool>>())
        })
        .collect();
    HostValue::Table(BitTable::from_columns(numbers.len(), &columns))
}

/// The arguments of `TRY`: an image of so many columns, one request from a to b, and p, d, width and g.
fn arguments(
    width: usize,
    pixels: &[u64],
    ends: &[[u64; 4]],
    numbers_of: [i64; 5],
) -> Vec<HostValue> {
    let [t, p, d, across, g] = numbers_of.map(HostValue::Int);
    let pack = |ends: &[u64; 4]| ends.iter().fold(0, |all, end| all << 16 | end);
    let requests: Vec<u64> = ends.iter().map(pack).collect();
    let mut args = vec![HostValue::Int(width as i64), t];
    args.extend([numbers(8, pixels), numbers(64, &requests), p, d, across, g]);
    args.extend([HostValue::Unset, HostValue::Unset, HostValue::Unset]);
    args
}

#[test]
fn star_texts_and_the_native_find_the_same() {
    let program = Program::new(SCRIPT);
    let mut random = Random::new(16);
    let mut n_taken = 0;
    for round in 0..16 {
        let (width, height) = (2 + random.below(12), 2 + random.below(12));
        let pixels: Vec<u64> = (0..width * height).map(|_| random.below(256) as u64).collect();
        let mut end = || [1 + random.below(width) as u64, 1 + random.below(height) as u64];
        let mut ends = Vec::new();
        while ends.len() < 1 + round % 3 {
            let ([ax, ay], [bx, by]) = (end(), end());
            if (ax, ay) != (bx, by) {
                ends.push([ax, ay, bx, by]);
            }
        }
        let limit = [0, 20, 45, 90, 130, 180][random.below(6)];
        let sizes = [3 + random.below(3) as i64, 2 + random.below(4) as i64];
        let across = 1 + random.below(9) as i64;
        let numbers_of = [round as i64 % 3, sizes[0], sizes[1], across, limit];
        same_everywhere(&program, &arguments(width, &pixels, &ends, numbers_of), &mut n_taken);
    }
    assert!(n_taken >= 16, "{n_taken} natives");
}

#[test]
fn requests_without_a_meaning_end_the_program() {
    let good = [0, 4, 3, 4, 180];
    let inside = [1, 1, 5, 4];
    let cases: &[([u64; 4], [i64; 5], &str)] = &[
        ([2, 2, 2, 2], good, "a and b are the same pixel"),
        ([0, 1, 5, 4], good, "a lies outside the image"),
        ([1, 1, 6, 4], good, "b lies outside the image"),
        (inside, [0, 2, 3, 4, 180], "a polyline has 3 nodes or more"),
        (inside, [0, 4, 1, 4, 180], "a guide has 2 points or more"),
        (inside, [0, 4, 3, 0, 180], "a guide has a width of 1 pixel or more"),
        (inside, [0, 4, 3, 4, 181], "the greatest angle is between 0 and 180 degrees"),
        (inside, [0, 4, 3, 4, -1], "the greatest angle is between 0 and 180 degrees"),
    ];
    for (ends, numbers_of, message) in cases {
        let said = call_traps(SCRIPT, "TRY", arguments(5, &[7; 20], &[*ends], *numbers_of));
        assert!(said.contains(message), "{message}: {said}");
    }
    let one_pixel = arguments(1, &[7], &[[1, 1, 1, 1]], good);
    assert!(call_traps(SCRIPT, "TRY", one_pixel).contains("a and b are the same pixel"));
}
