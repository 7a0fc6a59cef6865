//! Calls of intrinsics on arcs that change between some of the calls.

use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};

/// Each round searches twice; before some searches a row, a bit, a column, all rows of a slice, the
/// slice or another argument has changed.
const TEXT: &str = "import \"star:arcs\";
procedure search(n,h: integer; left,right: table(m,b); weight: table(m,w); S: slice(m);
                 repeats: integer; var k: integer; var Dist,Pred: table; var T: slice(m));
var L,R: table(m,b); W: table(m,w); Label: table; X: slice(m); l,i,s: integer; both: boolean;
begin
  L:=left; R:=right; W:=weight; X:=S; k:=0; both:=false;
  L(1,1):=0;                       /* L is no longer shared */
  for l:=1 to repeats do
  begin
    i:=(l*37) mod length(X)+1;
    s:=(l*5) mod n+1;
    if l mod 9=1 then ROW(i,W):=ROW(1,weight);
    if l mod 9=2 then L(i,1):=0;
    if l mod 9=3 then COL(1,R):=COL(1,left);
    if l mod 9=4 then X(i):=0;
    if l mod 9=5 then both:=not both;
    if l mod 9=6 then WMERGE(ROW(2,right),X,L);
    if l mod 9=7 then begin TMERGE(left,S,L); TMERGE(weight,S,W); X:=S end;
    SSSP_TREE(s,n,h,both,L,R,W,X,Dist,Pred,T);
    k:=(k*31+17*NUMB(COL(h,Dist))+NUMB(T)) mod 1000000007;
    SSSP(n+1-s,n,h,both,L,R,W,X,Dist);
    k:=(k*31+NUMB(COL(h-1,Dist))) mod 1000000007;
    if l mod 9=8 then
    begin
      BFS(s,n,both,L,R,X,Dist); k:=(k*31+NUMB(COL(1,Dist))) mod 1000000007;
      BFS(n,n,both,L,R,X,Dist); k:=(k*31+NUMB(COL(1,Dist))) mod 1000000007;
      COMPONENTS(n,L,R,X,Label); k:=(k*31+NUMB(COL(b,Label))) mod 1000000007
    end
  end
end;";

#[test]
fn searches_of_unchanged_arcs_reuse_the_grouped_arcs() {
    let program = Program::new(TEXT);
    let mut random = Random::new(46);
    let (n, m, b, w) = (7, 90, 4, 5);
    let mut tables = [b, b, w].map(|width| BitTable::zeros(m, width).unwrap());
    for row in 0..m {
        let numbers = [1 + random.below(n), 1 + random.below(n), random.below(20)];
        for (table, number) in tables.iter_mut().zip(numbers) {
            let width = table.n_cols();
            (0..width).for_each(|bit| table.put(row, width - 1 - bit, number >> bit & 1 == 1));
        }
    }
    let [left, right, weight] = tables.map(Value::from);
    let repeats = 36;
    let int = |number: usize| Value::Int(number as i64);
    let mut args = vec![int(n), int(12), left, right, weight];
    args.push(Value::Slice(BitVector::from_bools(&vec![true; m])));
    args.extend([int(repeats), Value::Unset, Value::Unset, Value::Unset]);
    args.push(Value::Unset);
    let agreement = program.agree("search", args, LIMITS);
    // The second search of each round; in one round of nine also the first one, the second BFS, and
    // COMPONENTS.
    let expected = repeats + repeats / 9 * 3;
    for machine in ["cpu", "cpu-tiny"] {
        let n_kept = agreement.optimised(machine).structures_kept;
        assert_eq!(n_kept, expected as u64, "{machine}");
    }
}

/// Each round searches twice in a sparse matrix; before some rounds an arc or its length changes.
const MATRIX: &str = "import \"star:paths\";
procedure search(h: integer; inf: word(h); graph: table(n,n); lengths: table(n,m);
                 code: table(n,b); repeats: integer; var k: integer; var Dist,Pred: table);
var G: table(n,n); Cost: table(n,m); l,i: integer;
begin
  G:=graph; Cost:=lengths; k:=0;
  for l:=1 to repeats do
  begin
    i:=(l*37) mod n+1;
    if l mod 3=1 then G(i,1):=0;
    if l mod 3=2 then Cost(i,h):=0;
    DIJKSTRA(i,h,inf,G,Cost,code,Dist,Pred);
    k:=(k*31+NUMB(COL(h,Dist))+NUMB(COL(b,Pred))) mod 1000000007;
    DIJKSTRA(n+1-i,h,inf,G,Cost,code,Dist,Pred);
    k:=(k*31+NUMB(COL(h-1,Dist))+NUMB(COL(1,Pred))) mod 1000000007
  end
end;";

#[test]
fn searches_of_unchanged_sparse_matrices_reuse_the_grouped_arcs() {
    let program = Program::new(MATRIX);
    let mut random = Random::new(47);
    let (n, h, b) = (70, 12, 7);
    let mut graph = BitTable::zeros(n, n).unwrap();
    let mut lengths = BitTable::zeros(n, n * h).unwrap();
    let mut code = BitTable::zeros(n, b).unwrap();
    for row in 0..n {
        (0..b).for_each(|bit| code.put(row, b - 1 - bit, (row + 1) >> bit & 1 == 1));
        (0..n * h).for_each(|bit| lengths.put(row, bit, true));
    }
    for arc in 0..200 {
        let (tail, head) = (arc % n, random.below(n));
        let length = 1 + random.below(20);
        graph.put(tail, head, true);
        (0..h).for_each(|bit| lengths.put(head, tail * h + h - 1 - bit, length >> bit & 1 == 1));
    }
    let repeats = 24;
    let int = |number: usize| Value::Int(number as i64);
    let mut args = vec![int(h), Value::Word(BitVector::from_bools(&[true; 12]))];
    args.extend([graph, lengths, code].map(Value::from));
    args.extend([int(repeats), Value::Unset, Value::Unset, Value::Unset]);
    let agreement = program.agree("search", args, LIMITS);
    for machine in ["cpu", "cpu-tiny"] {
        // The second search of each round; in one round of three also the first one.
        let n_kept = agreement.optimised(machine).structures_kept;
        assert_eq!(n_kept, (repeats + repeats / 3) as u64, "{machine}");
    }
}
