//! Sequences of slice operations as kernels over a grid: the library's procedures and straight-line
//! code, compared with the reference, around the limits of limbs and workgroups; and that they were
//! kernels.

use star_tests::case::Random;
use star_tests::differ;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

/// Each procedure receives two tables, a slice and a word, and returns a slice, a table and
/// numbers.
const PROGRAM: &str = "
procedure searches(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
var G,E,L: slice(n);
begin
  MATCH(T,X,v,Z); a:=NUMB(Z);
  LESS(T,X,v,G); E:=Z or G; b:=FND(E);
  GREAT(T,X,v,L); Z:=E xor L; c:=NUMB(Z);
  GEL(T,Z,v,G,E,L);
  Z:=(G and (not E)) or L;
end;
procedure comparisons(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
var G,L: slice(n);
begin
  HIT(T,F,X,Z); a:=FND(Z);
  SETMIN(T,F,X,L); SETMAX(T,F,X,G);
  b:=NUMB(L); c:=NUMB(G);
  Z:=(Z or L) xor (not G);
end;
procedure sums(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
begin
  ADDV(T,F,X,R); ADDC(R,X,v,R); SUBTV(R,T,X,R); SUBTC(R,X,v,R);
  WMERGE(v,Z,R); TMERGE(F,X,R);
  Z:=COL(1,R); a:=NUMB(Z); b:=0; c:=FND(X);
end;
procedure straight(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
var A,B: slice(n); i,j: integer;
begin
  SET(A); B:=A and (not X);
  for i:=1 to size(T) do
    for j:=i downto 1 do
      if (v(i)=v(j)) and (i-j<3) then
      begin
        A:=COL(i,T) xor COL(j,F);
        COL(i,R):=A or B;
        if j mod 2=1 then B:=not A;
      end
      else CLR(Z);
  a:=0; b:=0; c:=0;
  Z:=Z or A;
  if SOME(B) then a:=1;
  if ZERO(A) then b:=1;
  if ONE(A) then c:=1;
  if A=B then c:=c+2;
end;
procedure copies(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
var A: table;
begin
  R:=T; COL(1,R):=X;
  TCOPY1(T,1,size(T),A);
  Z:=COL(1,A) and (not X);
  A:=F; COL(1,A):=Z;
  TCOPY2(A,1,size(T),R);
  COL(1,R):=COL(1,R) or X;
  a:=NUMB(Z); b:=0; c:=0;
end;
procedure numbers(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
var i: integer;
begin
  i:=size(T)+100000; b:=0; c:=0;
  Z:=X or COL(1,T); a:=i*i; Z:=Z and (not COL(1,F));
end;
procedure sum(T,F: table(n,k); X: slice(n); v: word(k); var Z: slice(n); var R: table(n,k); var a,b,c: integer);
begin
  ADDV(T,F,X,R);
  a:=0; b:=0; c:=0;
end;
";

/// Their names; the sum alone is one sequence, which begins with a slice that was never set. Of the
/// numbers, one has more bits than a kernel can use, and it is not used.
const PROCEDURES: [&str; 7] =
    ["searches", "comparisons", "sums", "straight", "copies", "numbers", "sum"];

fn bits(random: &mut Random, n: usize, percent: usize) -> BitVector {
    let mut bits = BitVector::zeros(n);
    (0..n).for_each(|idx| bits.put(idx, random.below(100) < percent));
    bits
}

fn table(random: &mut Random, rows: usize, columns: usize) -> BitTable {
    let mut table = BitTable::zeros(rows, columns).expect("small");
    for column in 0..columns {
        (0..rows).for_each(|row| table.put(row, column, random.below(2) == 1));
    }
    table
}

#[test]
fn operation_sequences_agree_at_every_size_limit() {
    let Ok(machines) = super::machines(&["gpu-tiny", "gpu-banks"]) else {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "there is no adapter");
        return;
    };
    let program = Program::new(PROGRAM);
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &star_opt::Options::default()).expect("it verifies");
    let compiled = differ::compile(&optimised, &machines);
    let limits = Limits { steps: None, ..LIMITS };
    let mut random = Random::new(23);
    for rows in [1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 513, 16_500, 33_000] {
        for columns in [1, 4, 33] {
            if rows > 600 && columns > 4 {
                continue;
            }
            let percent = [0, 50, 100][random.below(3)];
            let args = [
                Value::from(table(&mut random, rows, columns)),
                Value::from(table(&mut random, rows, columns)),
                Value::Slice(bits(&mut random, rows, percent)),
                Value::Word(bits(&mut random, columns, 50)),
                Value::Slice(bits(&mut random, rows, 50)),
                Value::from(table(&mut random, rows, columns)),
                Value::Unset,
                Value::Unset,
                Value::Unset,
            ];
            for name in PROCEDURES {
                let context = format!("{name} of {rows}×{columns}, {percent} %");
                let entry = program.entry(name);
                let expected = compiled[0].run(entry, &args, limits);
                for (compiled, machine) in compiled.iter().zip(&machines).skip(1) {
                    let context = format!("{context} on {}", machine.name);
                    let found = compiled.run(entry, &args, limits);
                    assert_eq!(found.outcome, Outcome::Done, "{context}");
                    assert_eq!(found.values, expected.values, "{context}");
                    assert_eq!(found.stats.operations, expected.stats.operations, "{context}");
                    let paths = found.stats.counters;
                    assert!(paths.grid_runs > 0, "{context}: {paths:?}");
                    for reason in Declined::ALL {
                        assert_eq!(paths.declined(reason), 0, "{context}: {reason:?}");
                    }
                    // R is assigned to T, and A to F.
                    let copies = if name == "copies" { 2 } else { 0 };
                    assert!(paths.grid_copies >= copies, "{context}: {paths:?}");
                    let least = if machine.name == "gpu-banks" { 3 } else { 0 };
                    assert!(paths.grid_banks >= least, "{context}: {paths:?}");
                }
            }
        }
    }
}
