//! Tile kernels as text: the CPU backend records them and runs them strip by strip, with the same
//! results.

use star_ir::parse;

use super::*;
use crate::counters::Declined;

/// Builds a kernel over `%n` rows with tables T and F, slices X, Y, Z and a private slice P.
fn kernel(body: &str) -> Program {
    kernel_asking("%X", body)
}

/// Builds the same kernel, followed by a count of the slice `asked`.
fn kernel_asking(asked: &str, body: &str) -> Program {
    let text = kernel_text(asked, body);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn kernel_text(asked: &str, body: &str) -> String {
    let mut placed = String::new();
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        placed += &match line.strip_suffix('{') {
            Some(head) => format!("      {head}!0 {{\n"),
            None if line == "}" => "      }\n".to_owned(),
            None => format!("      {line} !0\n"),
        };
    }
    format!(
        "routine 0 \"F\" (value %n: int, value %i: int, value %j: int, ref %T: table[?, ?], value %F: table[?, ?],
    ref %X: slice[?], ref %Y: slice[?], ref %Z: slice[?], ref %k: int) !0 {{
  var %P: slice[?]
  tile %n privates [%P] reductions [%k = count {asked}] !0 {{
{placed}  }}
}}
locations {{
  !0 = 0:0..0
}}
"
    )
}

/// Runs a kernel on every backend, and asserts whether the CPU backend recorded it completely.
fn run_recorded(program: &Program, values: Vec<HostValue>, is_recorded: bool) -> Vec<HostValue> {
    let mut trial = Trial::new();
    let (outcome, _) = trial.run_on(&Cpu::new(), program, values.clone(), &mut TestHost::default());
    let paths = trial.stats.counters;
    let taken = (paths.tile_kernels, paths.declined(Declined::Body));
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(taken, if is_recorded { (1, 0) } else { (0, 1) });
    run(program, values)
}

fn arguments(n_rows: usize, i: i64, j: i64) -> Vec<HostValue> {
    let bits = |seed| BitVector::from_bools(&noise(n_rows, seed));
    let columns: Vec<BitVector> = (0..4).map(|idx| bits(idx + 9)).collect();
    let table = |columns: &[BitVector]| HostValue::Table(BitTable::from_columns(n_rows, columns));
    vec![
        HostValue::Int(n_rows as i64),
        HostValue::Int(i),
        HostValue::Int(j),
        table(&columns),
        table(&columns[1..]),
        HostValue::Slice(bits(1)),
        HostValue::Slice(bits(2)),
        HostValue::Unset,
        HostValue::Unset,
    ]
}

/// One step of an addition: sum and carry; the new carry in Z.
const ADDER: &str = "
    check set %T
    check index %i, columns %T
    %P = column %T, %i
    %Z = column %F, 1
    %Z = bits_xor %Z, %P
    %Z = bits_xor %Z, %X
    put_column %T, %i, %Z
    %Z = bits_or %P, %X
    %Y = bits_not %Y
    %Z = bits_and %Z, %Y
    cost 7";

#[test]
fn straight_kernels_run_over_blocks_of_rows() {
    let bodies = [
        ADDER,
        // X and Y are exchanged.
        "%P = copy %X\n%X = copy %Y\n%Y = copy %P",
        // A loaded value is stored, and slices that were never set are created.
        "%P = fill %n, true\n%Z = copy %P\nput_column %T, %i, %P\nput_column %T, %j, %X",
        "%X = column %T, %i\n%Z = column %T, %j\n%P = bits_xor %X, %Z\nput_column %T, %i, %P",
        "%X = bits_and %X, %X\n%X = bits_not %X",
    ];
    for body in bodies {
        let program = kernel(body);
        for n_rows in EDGES {
            for (i, j) in [(1, 2), (4, 1), (3, 3)] {
                let _ = run_recorded(&program, arguments(n_rows, i, j), true);
            }
        }
        let _ = run_recorded(&program, arguments(9001, 1, 3), true);
    }
}

#[test]
fn private_slices_are_counted_after_the_kernel_not_stored() {
    let program = kernel_asking("%P", "%P = bits_not %X\n%X = copy %P");
    for n_rows in EDGES {
        let _ = run_recorded(&program, arguments(n_rows, 1, 2), true);
    }
}

#[test]
fn kernels_without_recorded_operations_are_counted() {
    let program = kernel("%k = add %n, 1");
    for n_rows in EDGES {
        let _ = run_recorded(&program, arguments(n_rows, 1, 2), true);
    }
}

#[test]
fn aliased_columns_are_written_in_order() {
    // With i = j the second column is loaded after it was stored, and stored twice.
    let program = kernel(
        "%P = bits_not %X
         put_column %T, %i, %P
         %Z = column %T, %j
         %Z = bits_xor %Z, %Y
         put_column %T, %j, %Z",
    );
    for (i, j) in [(1, 2), (2, 2)] {
        let _ = run_recorded(&program, arguments(130, i, j), true);
    }
}

#[test]
fn private_slices_are_counted_once() {
    let program = kernel("%P = column %T, %i\n%P = bits_not %P\n%X = bits_xor %X, %P");
    let mut trial = Trial::new();
    let values = arguments(6400, 1, 2);
    let (outcome, _) = trial.run_on(&Cpu::new(), &program, values, &mut TestHost::default());
    assert_eq!(outcome, Outcome::Done);
    // Tables of four and three columns, X and Y, the private one, and X once more while it is
    // created.
    assert_eq!(trial.stats.peak_bytes, 800 * (4 + 3 + 2 + 1 + 1));
}

#[test]
fn a_straight_kernel_without_memory_changes_nothing() {
    let bodies = [
        // Y and Z are set to another length, one after the other.
        "%P = column %T, %i\n%Y = bits_not %P\n%Z = bits_xor %P, %X",
        "%X = bits_not %X\n%Y = copy %X\n%Z = fill %n, true\nput_column %T, %j, %Y",
    ];
    let others = [HostValue::Unset, slice(""), slice("101"), slice(&"01".repeat(100))];
    let tiny = Cpu::with(cpu::Settings::tiny(), Kernels::detect());
    for (body, cpu) in bodies.iter().flat_map(|body| [(body, Cpu::new()), (body, tiny.clone())]) {
        let program = kernel(body);
        for (y, z) in others.iter().flat_map(|y| others.iter().map(move |z| (y, z))) {
            let mut before = arguments(130, 1, 2);
            before[6..8].clone_from_slice(&[y.clone(), z.clone()]);
            let mut trial = Trial::new();
            let mut n_refused = 0;
            // Byte by byte, until there is enough memory.
            loop {
                trial.limits.memory = Some(n_refused);
                let host = &mut TestHost::default();
                let (outcome, after) = trial.run_on(&cpu, &program, before.clone(), host);
                if outcome == Outcome::Done {
                    assert_eq!(trial.stats.peak_bytes, n_refused);
                    break;
                }
                let Outcome::Limit { kind: LimitKind::Memory { limit, wanted }, .. } = outcome
                else {
                    panic!("{outcome:?}")
                };
                assert!(limit == n_refused && wanted > limit, "{limit} {wanted}");
                assert_eq!(after, before, "{body}: {n_refused} bytes");
                n_refused += 1;
            }
            assert!(n_refused > 130 / 8, "{n_refused}");
        }
    }
}

#[test]
fn a_failing_guard_of_a_straight_kernel_traps_as_written() {
    let program = kernel(
        "%X = bits_not %X
         check index %j, columns %T
         %P = column %T, %j
         check size length %P, length %Y
         put_column %T, %i, %P",
    );
    for (n_rows, j) in [(70, 4), (70, 5), (0, 1), (0, 0)] {
        let before = arguments(n_rows, 1, j);
        let (outcome, after) = Trial::new().run(&program, before.clone());
        let traps = !(1..=4).contains(&j);
        assert_eq!(matches!(outcome, Outcome::Trap(_)), traps, "{outcome:?}");
        assert_eq!(after == before, traps);
    }
}

#[test]
fn a_shared_table_is_copied_before_a_kernel_writes_it() {
    let text = "routine 0 \"F\" (ref %T: table[?, ?], ref %U: table[?, ?], value %X: slice[?]) !0 {
  %U = copy %T !0
  tile 3 !0 {
    put_column %T, 1, %X !0
  }
}
locations {
  !0 = 0:0..0
}
";
    let program = parse(text).unwrap();
    let old = table(&["01", "00", "10"]);
    let values = vec![old.clone(), HostValue::Unset, slice("110")];
    let after = run_recorded(&program, values, true);
    assert_eq!(after[..2], [table(&["11", "10", "00"]), old]);
}

#[test]
fn kernels_with_control_and_scalars_are_recorded() {
    for body in [
        "%k = add %n, 1\n%X = bits_not %X",
        "%P = copy %X\ncost 1 times length %P\n%X = bits_not %P",
        "for @0 %k = 1 to 3 {\n%P = column %T, %k\n%X = bits_xor %X, %P\nput_column %T, %k, %X\n}",
    ] {
        let _ = run_recorded(&kernel(body), arguments(70, 1, 2), true);
    }
}

#[test]
fn unsupported_kernels_run_as_written_and_undo_their_writes() {
    // A field is not a column.
    let body = "%X = bits_not %X
         put_column %T, %j, %X
         %G = field %T, 0, 2
         %X = column %G, 2
         check index %i, columns %T
         %Y = column %T, %i";
    let text = kernel_text("%X", body)
        .replace("var %P: slice[?]", "var %P: slice[?]\n  var %G: table[?, ?]");
    let program = parse(&text.replace("privates [%P]", "privates [%P, %G]")).unwrap();
    for n_rows in [1, 64, 130] {
        let _ = run_recorded(&program, arguments(n_rows, 1, 2), false);
        let before = arguments(n_rows, 5, 2);
        let (outcome, after) = Trial::new().run(&program, before.clone());
        assert!(matches!(outcome, Outcome::Trap(_)), "{outcome:?}");
        assert_eq!(after, before);
    }
}
