//! Choice of the backend for `--backend auto`, by the compiled form of a program and the sizes of
//! its tables. No adapter is opened for this, since opening one takes longer than most programs.

use star_base::Intrinsic;
use star_ir::{Program, RoutineId};
use star_value::Argument;
#[cfg(feature = "gpu")]
use star_value::Value;
use star_vm::CompileOptions;

/// A backend, and the reason for its choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub backend: &'static str,
    /// The reason, as text.
    pub why: String,
}

/// The input of the choice.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceInput<'a> {
    /// The program after the passes.
    pub program: &'a Program,
    /// Its entry routine.
    pub entry: RoutineId,
    /// The arguments.
    pub arguments: &'a [Argument],
    /// The compile options.
    pub options: CompileOptions,
    /// The intrinsics of the CPU backend.
    pub cpu_intrinsics: &'a [Intrinsic],
}

fn cpu(why: impl Into<String>) -> Choice {
    Choice { backend: "cpu", why: why.into() }
}

/// Returns the best backend: the CPU backend unless the graphics card is known to be faster,
/// including the time for opening it.
#[cfg(not(feature = "gpu"))]
pub fn choose(_: &ChoiceInput<'_>) -> Choice {
    cpu("this build has no GPU backend")
}

/// Returns the best backend: the CPU backend unless the graphics card is known to be faster,
/// including the time for opening it.
#[cfg(feature = "gpu")]
pub fn choose(asked: &ChoiceInput<'_>) -> Choice {
    use star_base::intrinsics::catalogue::paths::MIN_PLUS;

    /// Minimum bits of a table for which kernels of loops over its lines are faster on the card,
    /// including a fifth of a second for opening an adapter: the closure of 16,384 vertices. With
    /// at least a quarter of ones, the CPU has more to do, and 4600 vertices are enough.
    const LOOP_BITS: u64 = 1 << 28;
    const DENSE_BITS: u64 = 4600 * 4600;
    /// Minimum vertices for which distances between all pairs are faster on the card: if the CPU
    /// backend has an intrinsic, too, and if it has none.
    const VERTICES: u64 = 3072;
    const VERTICES_ALONE: u64 = 300;

    let ChoiceInput { program, entry, arguments, options, cpu_intrinsics } = *asked;
    if !options.optimise || options.profile {
        return cpu("steps are counted or lines timed individually, which excludes kernels");
    }
    let forecast = match star_gpu::forecast(program.clone(), entry) {
        Ok(forecast) => forecast,
        Err(error) => return cpu(format!("the gpu backend cannot compile it: {error}")),
    };
    let tables = arguments.iter().filter_map(|argument| match &argument.value {
        Value::Table(table) if !table.is_sparse() => Some(table),
        Value::Table(_)
        | Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => None,
    });
    let (mut bits, mut lines, mut is_dense) = (0, 0, false);
    for table in tables {
        let (n_rows, n_cols) = (table.n_rows() as u64, table.n_cols() as u64);
        let of_table = n_rows.saturating_mul(n_cols);
        is_dense |=
            (DENSE_BITS..LOOP_BITS).contains(&of_table) && table.count_ones() >= of_table / 4;
        // A table may have either layout.
        bits = bits.max(of_table);
        lines = lines.max(n_rows.min(n_cols));
    }
    if options.intrinsics && forecast.intrinsics.contains(&MIN_PLUS) {
        let is_alone = !cpu_intrinsics.contains(&MIN_PLUS);
        let least = if is_alone { VERTICES_ALONE } else { VERTICES };
        let has = if is_alone { "without a counterpart on the cpu, " } else { "" };
        if lines >= least {
            let why = format!("`{MIN_PLUS}` is an intrinsic there, {has}from {least} vertices on");
            return Choice { backend: "gpu", why };
        }
        return cpu(format!(
            "`{MIN_PLUS}` is faster on a card from {least} vertices on; here there are {lines}"
        ));
    }
    match forecast.loops {
        0 if forecast.intrinsics.is_empty() => {
            cpu("no part of the program would run as kernels on a card")
        }
        0 => cpu("the intrinsics of the cpu are as fast, and need no adapter"),
        _ if bits < LOOP_BITS && !is_dense => cpu(format!(
            "its largest table has {bits} bits; loops over lines are faster on a card from \
                {LOOP_BITS} on, or {DENSE_BITS} if a quarter are ones"
        )),
        loops => Choice {
            backend: "gpu",
            why: format!(
                "{loops} loop{} over lines would run as kernels, and a table of {bits} bits is \
                    large enough",
                if loops == 1 { "" } else { "s" }
            ),
        },
    }
}
