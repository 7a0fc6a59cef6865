//! Module `moving` with objects in a handle: its Star texts and its intrinsics agree with each
//! other and with a list of the objects, after any moves and queries; and invalid calls are
//! rejected.

use std::collections::BTreeMap;

use star_tests::backends::have_intrinsics;
use star_tests::case::{Random, traps};
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Table, Value};

use crate::cbt::same_everywhere;

/// Two batches, a single object in between, and queries throughout.
pub(crate) const SCRIPT: &str = "import \"star:moving\";
procedure TRY(n,k,i,m0: integer; I: table(m); U,V: table(m,k); G: slice(m); A,B,C,D: table(q,k);
              var Q,J,Q2,J2,Q3,J3,Q4,J4,X,Y: table; var P: slice);
var H: handle;
begin
  MOVING_INIT(n,k,H);
  MOVING_RANGES(A,B,C,D,H,Q,J);
  MOVING_MOVES(I,U,V,G,H);
  MOVING_RANGES(A,B,C,D,H,Q,J);
  MOVING_NEAREST(A,B,m0,H,Q2,J2);
  MOVING_DROP(i,H);
  if q>0 then MOVING_PUT(1+i mod n,ROW(1,A),ROW(1,D),H);
  MOVING_MOVES(I,V,U,not G,H);
  MOVING_RANGES(C,B,A,D,H,Q3,J3);
  MOVING_NEAREST(C,D,2,H,Q4,J4);
  MOVING_TABLES(H,X,Y,P);
end;";

/// Builds a table with a number of the given width in each row.
pub(crate) fn numbers(values: &[u32], bits: usize) -> BitTable {
    let column = |idx: usize| {
        let bits: Vec<bool> =
            values.iter().map(|value| value >> (bits - 1 - idx) & 1 == 1).collect();
        BitVector::from_bools(&bits)
    };
    BitTable::from_columns(values.len(), &(0..bits).map(column).collect::<Vec<BitVector>>())
}

/// Returns the numbers in the rows of two tables.
fn pairs(values: &[Value]) -> Vec<(u32, u32)> {
    let [Value::Table(first), Value::Table(second)] = values else {
        panic!("no tables: {values:?}")
    };
    let number = |table: &Table, row: usize| {
        (0..table.n_cols()).fold(0, |number, col| 2 * number + u32::from(table.get(row, col)))
    };
    assert_eq!(first.n_rows(), second.n_rows());
    (0..first.n_rows()).map(|row| (number(first, row), number(second, row))).collect()
}

/// The positions of the objects.
type Objects = BTreeMap<u32, [u32; 2]>;

/// Returns, for each rectangle, the objects in it.
fn within(objects: &Objects, corners: &[[u32; 4]]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (number, [x1, y1, x2, y2]) in (1..).zip(corners) {
        let inside = |[x, y]: &[u32; 2]| x1 <= x && x <= x2 && y1 <= y && y <= y2;
        found.extend(objects.iter().filter(|(_, at)| inside(at)).map(|(&id, _)| (number, id)));
    }
    found
}

/// Returns, for each point, the `m` nearest objects.
fn nearest(objects: &Objects, points: &[[u32; 2]], m: usize) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (number, &[v, w]) in (1..).zip(points) {
        let far =
            |[x, y]: [u32; 2]| u64::from(x.abs_diff(v)).pow(2) + u64::from(y.abs_diff(w)).pow(2);
        let mut all: Vec<(u64, u32)> = objects.iter().map(|(&id, &at)| (far(at), id)).collect();
        all.sort_unstable();
        found.extend(all.into_iter().take(m).map(|(_, id)| (number, id)));
    }
    found
}

#[test]
fn star_texts_intrinsics_and_a_list_of_objects_agree() {
    let program = Program::new(SCRIPT);
    let mut random = Random::new(4);
    let (mut n_taken, mut n_found) = (0, 0);
    for round in 0..40 {
        let n = [1, 5, 40, 70, 130][round % 5];
        let k = [1, 4, 9, 30][round / 5 % 4];
        let n_moves = [0, 30, 90][round % 3];
        let n_questions = [5, 0, 9, 2][round / 3 % 4];
        let mut coordinate = || random.below(1 << k) as u32;
        let to: Vec<[u32; 2]> = (0..n_moves).map(|_| [coordinate(), coordinate()]).collect();
        let corners: Vec<[u32; 4]> = (0..n_questions)
            .map(|_| [coordinate() / 2, coordinate() / 2, coordinate(), coordinate()])
            .collect();
        let ids: Vec<u32> = (0..n_moves).map(|_| 1 + random.below(n) as u32).collect();
        let gone = random.bits(n_moves, 20);
        let (i, m0) = (1 + random.below(n) as u32, random.below(6));
        let field = |values: Vec<u32>| Value::from(numbers(&values, k));
        let corner = |idx: usize| field(corners.iter().map(|corner| corner[idx]).collect());
        let mut args = vec![
            Value::Int(n as i64),
            Value::Int(k as i64),
            Value::Int(i.into()),
            Value::Int(m0 as i64),
            Value::from(numbers(&ids, 8)),
            field(to.iter().map(|to| to[0]).collect()),
            field(to.iter().map(|to| to[1]).collect()),
            Value::Slice(BitVector::from_bools(&gone)),
            corner(0),
            corner(1),
            corner(2),
            corner(3),
        ];
        args.resize(23, Value::Unset);
        let run = same_everywhere(&program, &args, &mut n_taken);

        let mut objects = Objects::new();
        let take = |objects: &mut Objects, turned: bool| {
            for ((&id, &[x, y]), &gone) in ids.iter().zip(&to).zip(&gone) {
                match gone != turned {
                    true => objects.remove(&id),
                    false => objects.insert(id, if turned { [y, x] } else { [x, y] }),
                };
            }
        };
        take(&mut objects, false);
        let found = pairs(&run.values[12..14]);
        n_found += found.len();
        assert_eq!(found, within(&objects, &corners), "round {round}");
        let points: Vec<[u32; 2]> = corners.iter().map(|&[x, y, _, _]| [x, y]).collect();
        assert_eq!(pairs(&run.values[14..16]), nearest(&objects, &points, m0), "round {round}");
        objects.remove(&i);
        if let Some(&[x, _, _, y]) = corners.first() {
            objects.insert(1 + i % n as u32, [x, y]);
        }
        take(&mut objects, true);
        let other: Vec<[u32; 4]> = corners.iter().map(|&[a, b, c, d]| [c, b, a, d]).collect();
        assert_eq!(pairs(&run.values[16..18]), within(&objects, &other), "round {round}");
        let points: Vec<[u32; 2]> = corners.iter().map(|&[_, _, x, y]| [x, y]).collect();
        assert_eq!(pairs(&run.values[18..20]), nearest(&objects, &points, 2), "round {round}");
        let expected = |axis: usize| {
            let at = |id: u32| objects.get(&id).map_or(0, |at| at[axis]);
            Value::from(numbers(&(1..=n as u32).map(at).collect::<Vec<u32>>(), k))
        };
        assert_eq!(run.values[20..22], [expected(0), expected(1)], "round {round}");
        let there: Vec<bool> = (1..=n as u32).map(|id| objects.contains_key(&id)).collect();
        assert_eq!(run.values[22], Value::Slice(BitVector::from_bools(&there)));
    }
    assert!(n_taken > 40 * 9 || !have_intrinsics(), "{n_taken} intrinsics");
    assert!(n_found > 100, "{n_found} answers");
}

#[test]
fn invalid_objects_trap_at_the_offending_call() {
    for (calls, code, message) in [
        ("MOVING_INIT(0,4,H)", "T0111", "there are from 1 to 2^28 objects"),
        ("MOVING_INIT(268435457,4,H)", "T0111", "there are from 1 to 2^28 objects"),
        ("MOVING_INIT(4,0,H)", "T0111", "coordinates have from 1 to 30 bits"),
        ("MOVING_INIT(4,31,H)", "T0111", "coordinates have from 1 to 30 bits"),
        ("MOVING_INIT(4,2,H); MOVING_PUT(0,'00','00',H)", "T0101", "0"),
        ("MOVING_INIT(4,2,H); MOVING_PUT(5,'00','00',H)", "T0101", "5"),
        ("MOVING_INIT(4,2,H); MOVING_PUT(1,'000','00',H)", "T0102", "3"),
        ("MOVING_INIT(4,2,H); MOVING_PUT(1,'00','0',H)", "T0102", "1"),
        ("MOVING_INIT(4,2,H); MOVING_DROP(5,H)", "T0101", "5"),
        ("MOVING_INIT(4,2,H); MOVING_MOVES(I,U,U,'0',H)", "T0101", "0"),
        ("MOVING_INIT(4,2,H); ROW(1,I):='111'; MOVING_MOVES(I,U,U,'1',H)", "T0101", "7"),
        ("MOVING_INIT(4,3,H); ROW(1,I):='001'; MOVING_MOVES(I,U,U,'0',H)", "T0111", "as many bits"),
        ("MOVING_INIT(4,3,H); MOVING_RANGES(U,U,U,U,H,Q,J)", "T0111", "as many bits"),
        ("MOVING_INIT(4,3,H); MOVING_NEAREST(U,U,1,H,Q,J)", "T0111", "as many bits"),
        ("MOVING_INIT(4,2,H); MOVING_NEAREST(U,U,-1,H,Q,J)", "T0111", "must not be negative"),
    ] {
        let text = format!(
            "import \"star:moving\"; program P;
            var H: handle; I: table(1,3); U: table(1,2); Q,J: table;
            begin CLEAR(3,I); CLEAR(2,U); {calls}; end."
        );
        let trap = traps(&text);
        assert!(trap.starts_with(code), "{calls}: {trap}");
        assert!(trap.contains(message), "{calls}: {trap}");
    }
}
