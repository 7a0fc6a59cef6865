//! Loops whose iterations end with one over lines, as kernels of several iterations each, compared
//! with the reference.

use star_tests::backends::Machine;
use star_tests::sir::{self, Sir, guards};
use star_value::Value;

use super::lines::{BY_ROWS, agree};
use crate::cpu_fast_paths::{slice, table, word};

/// The loads of an iteration, the set whose ones are the inner iterations, and the new values of
/// the lines of P; written for rows. Lines across are called `x` and `y`.
const BODIES: [(&str, &str, &str); 8] = [
    // The closure, and other uses of the row and the column of an iteration.
    ("%x = column %P, %k\n%w = row %P, %k", "in %x", "%v = row %P, %i\n%v = bits_or %v, %w"),
    ("%x = column %P, %k\n%w = row %P, %k", "in %x", "%v = row %P, %i\n%v = bits_xor %v, %w"),
    (
        "%x = column %P, %k\n%x = bits_not %x\n%w = row %P, %k\n%w = bits_xor %w, %u",
        "in %x",
        "%v = row %P, %i\n%v = bits_and %v, %w\n%v = bits_not %v",
    ),
    // One of the two.
    ("%x = column %P, %k\n%x = bits_xor %x, %X", "in %x", "%v = row %P, %i\n%v = bits_xor %v, %u"),
    ("%w = row %P, %k", "in %X", "%v = row %P, %i\n%v = bits_not %v\n%v = bits_xor %v, %w"),
    ("%w = row %P, %k", "= %b to %e", "%v = row %P, %i\n%v = bits_xor %v, %w"),
    // Neither; and both with lines of another table.
    ("%w = row %Q, %k", "in %X", "%v = row %P, %i\n%v = bits_xor %v, %w"),
    (
        "%x = column %P, %k\n%y = column %Q, %k\n%x = bits_or %x, %y\n%w = row %P, %k",
        "in %x",
        "%v = row %P, %i\n%t = row %Q, %i\n%t = bits_and %t, %w\n%v = bits_xor %v, %t",
    ),
];

fn program(
    is_row: bool,
    iterations: &str,
    (loads, range, body): (&str, &str, &str),
    machines: &[Machine],
) -> Sir {
    let text = format!(
        "routine 0 \"F\" (ref %P: table[?, ?], value %Q: table[?, ?], value %X: slice[?], value %u: word[?], value %b: int, value %e: int) {{
         var %k: int
         var %i: int
         var %x: slice[?]
         var %y: slice[?]
         var %w: word[?]
         var %v: word[?]
         var %t: word[?]
         for @0 %k = {iterations} {{
         cost 5
         {loads}
         forall @1 %i {range} writes [row %P] privates [%v, %t] {{
         {body}
         cost 2
         put_row %P, %i, %v
         }}
         }}
         }}"
    );
    let text = match is_row {
        true => text,
        false => [("row", "!"), ("column", "row"), ("!", "column")]
            .into_iter()
            .chain([("word[", "!"), ("slice[", "word["), ("!", "slice[")])
            .fold(text, |text, (from, to)| text.replace(from, to)),
    };
    let mut program = sir::read(&text);
    guards::guard(&mut program);
    Sir::new(&program, machines)
}

/// Builds tables with this number of lines of this length, and iterations from `b` to `e`.
fn arguments(is_row: bool, (n, len): (usize, usize), (b, e): (i64, i64)) -> Vec<Value> {
    let (rows, columns) = if is_row { (n, len) } else { (len, n) };
    let seed = n as u64 + 7;
    let (across, along) = match is_row {
        true => (slice(n, seed + 2), word(len, seed + 3)),
        false => (word(n, seed + 2), slice(len, seed + 3)),
    };
    let [first, last] = [b, e].map(Value::Int);
    let (changed, other) = (table(rows, columns, seed), table(rows, columns, seed + 1));
    vec![changed, other, across, along, first, last]
}

#[test]
fn several_iterations_per_kernel_agree_with_single_ones() {
    let Ok(machines) = super::machines(&["gpu"]) else {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "there is no adapter");
        return;
    };
    for is_row in BY_ROWS {
        for (idx, body) in BODIES.into_iter().enumerate() {
            // Upward for even ones, downward for odd ones; both for the first.
            let heads = ["%b to %e", "%e downto %b"];
            for head in if idx == 0 { &heads[..] } else { &heads[idx % 2..=idx % 2] } {
                let sir = program(is_row, head, body, &machines);
                // Numbers of iterations that are a multiple of those of a kernel and not, a single
                // one, and lines in one limb and in two.
                let cases = [
                    ((40, 70), (1, 40)),
                    ((70, 40), (27, 37)),
                    ((12, 90), (3, 3)),
                    ((300, 4), (1, 3)),
                ];
                for (sizes, iterations) in cases {
                    let agreement = agree(&sir, &arguments(is_row, sizes, iterations));
                    let paths = agreement.optimised("gpu");
                    let what = format!("{body:?} {head} {sizes:?} {iterations:?}: {paths:?}");
                    let kernels = 1 + ((iterations.1 - iterations.0 + 1) as u64).div_ceil(8);
                    assert_eq!((paths.grid_loops, paths.grid_kernels), (1, kernels), "{what}");
                }
            }
        }
    }
}

/// Loads of an iteration that change `u`, which the next iteration reads.
const CARRIED: [&str; 3] = [
    "%w = row %P, %k\n%u = bits_or %u, %w",
    "%w = row %P, %k\n%w = bits_xor %u, %w\n%u = copy %w",
    "%w = row %Q, %k\n%u = bits_xor %w, %u",
];

#[test]
fn iterations_see_the_lines_that_earlier_ones_carry_to_them() {
    let mut machines = super::lines::emulators();
    let adapter = super::machines(&["gpu"]);
    let has_adapter = adapter.is_ok();
    assert!(has_adapter || std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "no adapter");
    machines.extend(adapter.into_iter().flatten().skip(1));
    for is_row in BY_ROWS {
        for loads in CARRIED {
            for (range, head) in [("in %X", "%b to %e"), ("= %b to %e", "%e downto %b")] {
                let body = "%v = row %P, %i\n%v = bits_xor %v, %u";
                let sir = program(is_row, head, (loads, range, body), &machines);
                for (sizes, iterations) in
                    [((40, 70), (1, 40)), ((70, 40), (27, 37)), ((12, 9), (3, 4))]
                {
                    let agreement = agree(&sir, &arguments(is_row, sizes, iterations));
                    let n_iterations = (iterations.1 - iterations.0 + 1) as u64;
                    for name in super::lines::EMULATORS {
                        assert_eq!(
                            agreement.optimised(name).unit_lines,
                            n_iterations,
                            "{loads} {name}"
                        );
                    }
                    if has_adapter {
                        // No kernel does several iterations.
                        let paths = agreement.optimised("gpu");
                        assert_eq!(paths.grid_loops, 0, "{loads}: {paths:?}");
                    }
                }
            }
        }
    }
}
