//! Module `polyline`: its Star texts and its intrinsic find the same polylines, and reject the same
//! requests.

use star_intrinsics::Workers;
use star_intrinsics::polyline::{Gradient, GreyImage, LinkScores, Pixel};
use star_tests::backends::have_intrinsics;
use star_tests::case::{Random, call_traps, ends};
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Table, Value};

use crate::cbt::same_everywhere;

pub(crate) const SCRIPT: &str = "import \"star:polyline\";
procedure TRY(w,t: integer; Grey,Q: table; p,d,width,g: integer; var S,P,O: table);
begin
  POLYLINES(w,t,Grey,Q,p,d,width,g,S,P,O);
end;";

/// Builds a table whose rows are numbers of the given width.
fn numbers(bits: usize, numbers: &[u64]) -> Value {
    let columns: Vec<BitVector> = (0..bits)
        .map(|column| {
            let bit = |number: &u64| number >> (bits - 1 - column) & 1 == 1;
            BitVector::from_bools(&numbers.iter().map(bit).collect::<Vec<bool>>())
        })
        .collect();
    Value::from(BitTable::from_columns(numbers.len(), &columns))
}

/// Builds the arguments of `TRY`: an image with this number of columns, one request from a to b,
/// and p, d, width and g.
pub(crate) fn arguments(
    width: usize,
    pixels: &[u64],
    ends: &[[u64; 4]],
    numbers_of: [i64; 5],
) -> Vec<Value> {
    let [t, p, d, across, g] = numbers_of.map(Value::Int);
    let pack = |ends: &[u64; 4]| ends.iter().fold(0, |all, end| all << 16 | end);
    let requests: Vec<u64> = ends.iter().map(pack).collect();
    let mut args = vec![Value::Int(width as i64), t];
    args.extend([numbers(8, pixels), numbers(64, &requests), p, d, across, g]);
    args.extend([Value::Unset, Value::Unset, Value::Unset]);
    args
}

#[test]
fn star_texts_and_the_intrinsic_find_the_same_polylines() {
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
    assert!(n_taken >= 16 || !have_intrinsics(), "{n_taken} intrinsics");
}

/// Returns the number in these columns of a row, counted from 0.
fn number(table: &Table, row: usize, columns: std::ops::Range<usize>) -> u64 {
    columns.fold(0, |number, column| number << 1 | u64::from(table.get(row, column)))
}

#[test]
fn gradients_and_link_scores_agree_with_the_star_texts() {
    const PARTS: &str = "import \"star:gradient\"; import \"star:polyline\";
procedure PARTS(w,t: integer; Grey: table; Q: table(r,64); var U,V,S: table);
var N: table(r,32); u,v: table; i: integer;
begin
  GRADIENT(w,t,Grey,u,v);
  for i:=1 to r do
    ROW(i,N):=WORD(LINK(w,u,v,INT(TRIM(1,16,ROW(i,Q))),INT(TRIM(17,32,ROW(i,Q))),
                        INT(TRIM(33,48,ROW(i,Q))),INT(TRIM(49,64,ROW(i,Q)))),32);
  U:=u; V:=v; S:=N;
end;";
    let workers = Workers::new(Some(2), Workers::NEVER).unwrap();
    let mut random = Random::new(17);
    for n_blurs in 0..3 {
        let (width, height) = (3 + random.below(20), 3 + random.below(20));
        let pixels: Vec<u8> = (0..width * height).map(|_| random.below(256) as u8).collect();
        let mut place = || Pixel { x: random.below(width) as i64, y: random.below(height) as i64 };
        let links: Vec<[Pixel; 2]> = (0..40).map(|_| [place(), place()]).collect();
        let packed = links.iter().flatten().map(|at| (at.x as u64 + 1) << 16 | (at.y as u64 + 1));
        let packed: Vec<u64> = packed.collect();
        let requests: Vec<u64> = packed.chunks(2).map(|two| two[0] << 32 | two[1]).collect();
        let greys: Vec<u64> = pixels.iter().map(|&pixel| u64::from(pixel)).collect();
        let mut args = vec![Value::Int(width as i64), Value::Int(n_blurs as i64)];
        args.extend([numbers(8, &greys), numbers(64, &requests)]);
        args.extend([Value::Unset, Value::Unset, Value::Unset]);
        let ended = ends(PARTS, "PARTS", args);
        let [Value::Table(u), Value::Table(v), Value::Table(scores)] = &ended[4..] else {
            panic!("{ended:?}")
        };
        let image = GreyImage::new(width, height, pixels).unwrap();
        let gradient = Gradient::new(&image, n_blurs, &workers).unwrap();
        for row in 0..width * height {
            let at = Pixel { x: (row % width) as i64, y: (row / width) as i64 };
            let expected = [u, v].map(|table| number(table, row, 0..16) as u16 as i16);
            assert_eq!(gradient.at(at), expected, "{at:?}, smoothed {n_blurs} times");
        }
        for (row, &[from, to]) in links.iter().enumerate() {
            let score = u64::from(LinkScores::new(&gradient).score(from, to));
            assert_eq!(score, number(scores, row, 0..32), "{from:?} to {to:?}");
        }
    }
}

#[test]
fn invalid_requests_end_the_program() {
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
