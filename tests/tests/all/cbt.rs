//! Module `cbt`: its Star texts and its intrinsics agree after any operations, and invalid calls
//! are rejected.

use star_tests::backends::{Mode, backends, have_intrinsics};
use star_tests::case::{Random, ending, traps};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program, RunResult};
use star_value::{BitTable, BitVector, Value};
use star_vm::Outcome;

/// Executes the operations in the rows of W, 3 bits of operation and 9 of node, and queries
/// everything.
pub(crate) const SCRIPT: &str = "import \"star:cbt\";
procedure TRY(D,d: integer; W: table(m,12); S,M: slice; var sum: integer; var B,P: slice; var K,V: table);
var H,G: handle; v: word; i,k,l,op,n,a,b: integer; done: boolean;
begin
  CBT_INIT(D,d,H);
  n:=WIDTH_AT(0,D);
  sum:=0;
  for i:=1 to m do
  begin
    v:=ROW(i,W);
    op:=INT(TRIM(1,3,v));
    k:=1+INT(TRIM(4,12,v)) mod (2*n-1);
    done:=false;
    if op<=2 then CBT_SPLIT(k,H,done)
    else if op=3 then CBT_MERGE(k,H,done)
    else if op=4 then CBT_REDUCE(H)
    else if op=5 then
    begin
      CBT_CHANGE(S,M,H,a,b);
      sum:=sum+7*a+11*b;
    end
    else if op=6 then sum:=sum+CBT_COUNT(H,k)
    else
    begin
      CBT_LEAF(H,1+k mod CBT_COUNT(H,1),a,b);
      sum:=(sum+3*a+5*b) mod 1000003;
    end;
    if done then sum:=sum+13*i;
  end;
  CBT_HEAP(H,P);
  CBT_REDUCE(H);
  CBT_LEAVES(H,K,V);
  CBT_HEAP(H,P);
  CBT_OF_HEAP(P,G);
  CBT_FIELD(G,B);
  CBT_OF(B,G);
  for i:=1 to rows(K) do
  begin
    assert(INT(ROW(i,K))>=n div WIDTH_AT(INT(ROW(i,V)),D),\"levels and nodes agree\");
    CBT_SPLIT_RAW(INT(ROW(i,K)),G);
    CBT_MERGE_RAW(INT(ROW(i,K)),G);
  end;
  CBT_FIELD(G,P);
  assert(P=B,\"a raw split and a raw merge undo each other\");
  CBT_HEAP(H,P);
end;";

/// Arguments of [`SCRIPT`] for a tree of this depth: 30 random operations, random marks.
pub(crate) fn arguments(random: &mut Random, depth: usize, level: usize) -> [Value; 10] {
    let (n, n_steps) = (1 << depth, 30);
    let columns: Vec<BitVector> =
        (0..12).map(|_| BitVector::from_bools(&random.bits(n_steps, 50))).collect();
    let mut marks = |percent| Value::Slice(BitVector::from_bools(&random.bits(n, percent)));
    let [splits, merges] = [marks(30), marks(80)];
    let given = [
        Value::Int(depth as i64),
        Value::Int((level % (depth + 1)) as i64),
        Value::from(BitTable::from_columns(n_steps, &columns)),
        splits,
        merges,
    ];
    let mut given = given.into_iter();
    std::array::from_fn(|_| given.next().unwrap_or(Value::Unset))
}

/// Runs `TRY` on every backend, returns the result, and counts the intrinsics taken.
pub(crate) fn same_everywhere(program: &Program, args: &[Value], n_taken: &mut u64) -> RunResult {
    let entry = program.entry("TRY");
    let compiled = program.compile_on(&backends());
    let (first, others) = compiled.split_first().expect("a backend");
    let expected = first.run(entry, args, LIMITS);
    assert_eq!(expected.outcome, Outcome::Done, "{}", ending(program, &expected));
    for other in others {
        let found = other.run(entry, args, LIMITS);
        if let Some(difference) = difference(program, &expected, &found, Mode::AsLowered) {
            panic!("`{}`: {difference}", other.name);
        }
        let routines = program.lowered.program.routines.iter();
        let mut intrinsics = routines.filter_map(|routine| routine.intrinsic);
        let takes_any = intrinsics.any(|intrinsic| other.takes(intrinsic));
        assert_eq!(found.stats.intrinsics > 0, takes_any, "{}", other.name);
        *n_taken += found.stats.intrinsics;
    }
    expected
}

#[test]
fn star_texts_and_intrinsics_agree() {
    let program = Program::new(SCRIPT);
    let mut random = Random::new(13);
    let (mut n_taken, mut most_leaves) = (0, 0);
    for round in 0..40 {
        let args = arguments(&mut random, 1 + round % 8, round / 8);
        let run = same_everywhere(&program, &args, &mut n_taken);
        if let Value::Table(leaves) = &run.values[8] {
            most_leaves = most_leaves.max(leaves.n_rows());
        }
    }
    assert!(n_taken > 40 * 30 || !have_intrinsics(), "{n_taken} intrinsics");
    assert!(most_leaves > 20, "{most_leaves} leaves");
}

#[test]
fn batches_are_judged_on_the_tree_before_them() {
    let program = Program::new(
        "import \"star:cbt\";
         procedure TRY(F,S,M: slice; var B: slice; var splits,merges: integer);
         var H: handle;
         begin
           CBT_OF(F,H);
           CBT_CHANGE(S,M,H,splits,merges);
           CBT_FIELD(H,B);
         end;",
    );
    for (field, split, merge, after, n_splits, n_merges) in [
        // All leaves are on the last level, where none splits: marked pairs merge.
        ("11111111", "11111111", "11111111", "10101010", 0, 4),
        ("11111111", "10000000", "11110000", "10101111", 0, 2),
        // Above it, a leaf that splits keeps its pair.
        ("10101010", "10000000", "11111111", "11101000", 1, 1),
        ("10101111", "00101000", "10101111", "10111010", 1, 2),
        // Both leaves of a pair must be marked.
        ("11111111", "00000000", "10110110", "11101111", 0, 1),
    ] {
        let bits = |text: &str| Value::Slice(BitVector::parse(text).unwrap());
        let unset = Value::Unset;
        let args =
            [bits(field), bits(split), bits(merge), unset.clone(), unset.clone(), unset.clone()];
        let run = same_everywhere(&program, &args, &mut 0);
        let found = [bits(after), Value::Int(n_splits), Value::Int(n_merges)];
        assert_eq!(run.values[3..], found, "{field} {split} {merge}");
    }
}

#[test]
fn invalid_trees_trap_at_the_offending_call() {
    for (calls, message) in [
        ("CBT_INIT(0,0,H)", "a depth is from 1 to 30"),
        ("CBT_INIT(31,0,H)", "a depth is from 1 to 30"),
        ("CBT_INIT(-1,0,H)", "a depth is from 1 to 30"),
        ("CBT_INIT(9223372036854775807,0,H)", "a depth is from 1 to 30"),
        ("CBT_INIT(4,5,H)", "a level is from 0 to the depth"),
        ("CBT_OF('1',H)", "a field has 2^D bits"),
        ("CBT_OF('100',H)", "a field has 2^D bits"),
        ("CBT_OF('0100',H)", "the field codes no tree"),
        ("CBT_OF('1101',H)", "the field codes no tree"),
        ("CBT_OF('11010000',H)", "the field codes no tree"),
        ("CBT_OF_HEAP('01000101',H)", "the field codes no tree"),
        ("CBT_OF_HEAP('01001111',H)", "a count in the heap is wrong"),
        ("CBT_OF_HEAP('00000111',H)", "the heap does not say its depth"),
        ("CBT_OF_HEAP('0100011',H)", "a heap has 2^(D+2) bits"),
        ("CBT_INIT(4,2,H); CBT_SPLIT(0,H,done)", "no node of a tree of this depth"),
        ("CBT_INIT(4,2,H); CBT_SPLIT(32,H,done)", "no node of a tree of this depth"),
        ("CBT_INIT(4,2,H); CBT_MERGE(32,H,done)", "no node of a tree of this depth"),
        ("CBT_INIT(4,2,H); CBT_SPLIT_RAW(32,H)", "no node of a tree of this depth"),
        ("CBT_INIT(4,2,H); print(CBT_COUNT(H,0))", "no node of a tree of this depth"),
        ("CBT_INIT(4,2,H); CBT_LEAF(H,0,k,d)", "no leaf has this ordinal"),
        ("CBT_INIT(4,2,H); CBT_LEAF(H,5,k,d)", "no leaf has this ordinal"),
        ("CBT_INIT(4,2,H); CBT_CHANGE('1','0',H,k,d)", "marks are as many bits"),
        // A raw split below a leaf does not code a tree, and querying all leaves reports that.
        ("CBT_INIT(4,1,H); CBT_SPLIT_RAW(9,H); CBT_REDUCE(H); CBT_LEAVES(H,K,V)", "codes no tree"),
    ] {
        let text = format!(
            "import \"star:cbt\"; program P;
            var H: handle; done: boolean; k,d: integer; K,V: table;
            begin {calls}; end."
        );
        let trap = traps(&text);
        assert!(trap.starts_with("T0111"), "{calls}: {trap}");
        assert!(trap.contains(message), "{calls}: {trap}");
        // The location in the program is included.
        assert!(trap.contains(" 3:"), "{calls}: {trap}");
    }
}
