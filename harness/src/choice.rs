//! `--backend auto`: which backend suits a program and its arguments, by what it would become and how large tables are. No
//! adapter is opened for that, since opening one takes longer than most programs.

use star_base::Intrinsic;
use star_ir::{Program, RoutineId};
#[cfg(feature = "gpu")]
use star_vm::HostValue;
use star_vm::{Argument, CompileOptions};

/// A backend, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub backend: &'static str,
    /// Why, in words.
    pub why: String,
}

/// What an entry is run with.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceInput<'a> {
    /// The program after the passes.
    pub program: &'a Program,
    /// Its entry.
    pub entry: RoutineId,
    /// The arguments.
    pub arguments: &'a [Argument],
    /// How it is compiled.
    pub options: CompileOptions,
    /// The intrinsics of the CPU backend.
    pub cpu_intrinsics: &'a [Intrinsic],
}

fn cpu(why: impl Into<String>) -> Choice {
    Choice { backend: "cpu", why: why.into() }
}

/// The backend that suits: the CPU's unless the graphics card is known to win, opening it included.
#[cfg(not(feature = "gpu"))]
pub fn choose(_: &ChoiceInput<'_>) -> Choice {
    cpu("this build has no backend for graphics cards")
}

/// The backend that suits: the CPU's unless the graphics card is known to win, opening it included.
#[cfg(feature = "gpu")]
pub fn choose(asked: &ChoiceInput<'_>) -> Choice {
    use star_base::intrinsics::catalogue::paths::MIN_PLUS;

    /// Bits of a table from which on loops over its lines win that are kernels, the fifth of a second for opening an adapter included: the
    /// closure of 16,384 vertices; and where a quarter of the bits or more are ones, so that the CPU has more to do, that of 4600.
    const LOOP_BITS: u64 = 1 << 28;
    const DENSE_BITS: u64 = 4600 * 4600;
    /// Vertices from which on distances between all pairs win: where the CPU backend has an intrinsic, too, and where it has none.
    const VERTICES: u64 = 3072;
    const VERTICES_ALONE: u64 = 300;

    let ChoiceInput { program, entry, arguments, options, cpu_intrinsics } = *asked;
    if !options.optimise || options.profile {
        return cpu(
            "steps are counted one by one, or lines timed, and nothing runs as kernels then",
        );
    }
    let forecast = match star_gpu::forecast(program.clone(), entry) {
        Ok(forecast) => forecast,
        Err(error) => return cpu(format!("the gpu backend has no code for it: {error}")),
    };
    let tables = arguments.iter().filter_map(|argument| match &argument.value {
        HostValue::Table(table) => Some(table),
        HostValue::Unset
        | HostValue::Int(_)
        | HostValue::Bool(_)
        | HostValue::Str(_)
        | HostValue::Slice(_)
        | HostValue::Word(_) => None,
    });
    let (mut bits, mut lines, mut is_dense) = (0, 0, false);
    for table in tables {
        let (n_rows, n_cols) = (table.n_rows() as u64, table.n_cols() as u64);
        let of_table = n_rows.saturating_mul(n_cols);
        is_dense |=
            (DENSE_BITS..LOOP_BITS).contains(&of_table) && table.count_ones() >= of_table / 4;
        // A table may lie either way.
        bits = bits.max(of_table);
        lines = lines.max(n_rows.min(n_cols));
    }
    if options.intrinsics && forecast.intrinsics.contains(&MIN_PLUS) {
        let is_alone = !cpu_intrinsics.contains(&MIN_PLUS);
        let least = if is_alone { VERTICES_ALONE } else { VERTICES };
        let has = if is_alone { "which the cpu has not, " } else { "" };
        if lines >= least {
            let why = format!("`{MIN_PLUS}` is an intrinsic there, {has}from {least} vertices on");
            return Choice { backend: "gpu", why };
        }
        return cpu(format!(
            "`{MIN_PLUS}` pays on a card from {least} vertices on, here are {lines}"
        ));
    }
    match forecast.loops {
        0 if forecast.intrinsics.is_empty() => {
            cpu("nothing of the program would run as kernels over a card")
        }
        0 => cpu("the intrinsics of the cpu are as fast, and no adapter has to be opened"),
        _ if bits < LOOP_BITS && !is_dense => cpu(format!(
            "its largest table has {bits} bits; loops over lines pay on a card from {LOOP_BITS} on, or {DENSE_BITS} if a quarter are ones"
        )),
        loops => Choice {
            backend: "gpu",
            why: format!(
                "{loops} loop{} over lines would run as kernels, a table of {bits} bits is large enough",
                if loops == 1 { "" } else { "s" }
            ),
        },
    }
}
