//! Choice of the backend for `--backend auto`, by the compiled form of a program and the sizes of
//! its tables. No adapter is opened for this, since opening one takes longer than most programs.

use star_base::Intrinsic;
use star_ir::{Program, RoutineId};
use star_value::Argument;
#[cfg(feature = "gpu")]
use star_value::{Table, Value};
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
    /// The rows and columns of large dense tables that are still in files.
    pub tables: &'a [(usize, usize)],
    /// The compile options.
    pub options: CompileOptions,
    /// The intrinsics of the CPU backend.
    pub cpu_intrinsics: &'a [Intrinsic],
}

/// The sizes of arguments from which an intrinsic is faster on a graphics card, including a fifth
/// of a second for opening an adapter.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug)]
pub struct SizeRule {
    /// The intrinsics.
    pub intrinsics: &'static [Intrinsic],
    /// What is counted.
    pub unit: SizeUnit,
    /// The least size if the CPU backend has the intrinsic, too; `None` if no size is known.
    pub least: Option<u64>,
    /// The least size if it has none.
    pub least_alone: Option<u64>,
    /// The jobs of `benches/results` whose figures are the reason.
    pub jobs: &'static [&'static str],
}

/// The size of the arguments of a program.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// Rows or columns of the largest table, whichever are fewer.
    Vertices,
    /// Rows of the longest table or slice.
    Cells,
    /// The same, of lists of arcs.
    Arcs,
}

/// The rules for intrinsics. The other ones have no measurement of both backends.
#[cfg(feature = "gpu")]
pub const SIZE_RULES: &[SizeRule] = {
    use star_base::intrinsics::catalogue::closure::CLOSURE;
    use star_base::intrinsics::catalogue::paths::MIN_PLUS;
    use star_base::intrinsics::catalogue::{arcs, moving, mst, polyline, terrain, wave};
    &[
        SizeRule {
            intrinsics: &[MIN_PLUS],
            unit: SizeUnit::Vertices,
            least: Some(3072),
            least_alone: Some(300),
            jobs: &["Floyd", "Floyd on a graphics card"],
        },
        // 20,000 vertices take 0.03 s on two cores, less than opening an adapter.
        SizeRule {
            intrinsics: &[CLOSURE],
            unit: SizeUnit::Vertices,
            least: None,
            least_alone: None,
            jobs: &["closure on all cores, intrinsic", "closure on a graphics card"],
        },
        // The labels of 10^8 cells take 0.25 s from the card, and an adapter 0.2 s to open.
        SizeRule {
            intrinsics: &[wave::WAVE],
            unit: SizeUnit::Cells,
            least: None,
            least_alone: None,
            jobs: &["labels of generated maps", "labels on a graphics card"],
        },
        // Faster from the smallest size that was measured on; the CPU has no intrinsic for
        // WEIGHED_WAVE8, whose text is slower than that of the other one.
        SizeRule {
            intrinsics: &[wave::WEIGHED_WAVE, wave::WEIGHED_WAVE8],
            unit: SizeUnit::Cells,
            least: Some(1_000_000),
            least_alone: Some(1_000_000),
            jobs: &["prices of cells with weights on a graphics card"],
        },
        // From this size on, each of them saves more than an adapter takes to open.
        SizeRule {
            intrinsics: &[arcs::BFS, arcs::SSSP, arcs::SSSP_TREE, arcs::COMPONENTS, mst::KRUSKAL],
            unit: SizeUnit::Arcs,
            least: Some(16_000_000),
            least_alone: Some(16_000_000),
            jobs: &["lists of arcs on a graphics card"],
        },
        // Each frame is faster on the card at all measured sizes. With the opening, so is the first
        // mesh at the greater ones.
        SizeRule {
            intrinsics: &[terrain::INIT, terrain::STEP, terrain::MESH],
            unit: SizeUnit::Cells,
            least: Some(4_000_000),
            least_alone: None,
            jobs: &["meshes of a terrain on a graphics card"],
        },
        // At all measured sizes the card saves less than an adapter takes to open.
        SizeRule {
            intrinsics: &[moving::MOVES, moving::RANGES, moving::NEAREST],
            unit: SizeUnit::Cells,
            least: None,
            least_alone: None,
            jobs: &["moving objects on a graphics card"],
        },
        // The same.
        SizeRule {
            intrinsics: &[polyline::POLYLINES],
            unit: SizeUnit::Cells,
            least: None,
            least_alone: None,
            jobs: &["from pixels, p = 8", "search on a graphics card"],
        },
    ]
};

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
    /// Minimum bits of a table for which kernels of loops over its lines are faster on the card,
    /// including a fifth of a second for opening an adapter: the closure of 16,384 vertices. With
    /// at least a quarter of ones, the CPU has more to do, and 4600 vertices are enough.
    const LOOP_BITS: u64 = 1 << 28;
    const DENSE_BITS: u64 = 4600 * 4600;

    let ChoiceInput { program, entry, arguments, tables: in_files, options, cpu_intrinsics } =
        *asked;
    if !options.optimise || options.profile {
        return cpu("steps are counted or lines timed individually, which excludes kernels");
    }
    let forecast = match star_gpu::forecast(program.clone(), entry) {
        Ok(forecast) => forecast,
        Err(error) => return cpu(format!("the gpu backend cannot compile it: {error}")),
    };
    let tables = arguments.iter().filter_map(|argument| match &argument.value {
        Value::Table(table) => Some(table),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => None,
    });
    if tables.clone().any(Table::is_sparse) {
        return cpu("sparse tables stay on the host");
    }
    let cells = arguments.iter().map(|argument| match &argument.value {
        Value::Table(table) => table.n_rows() as u64,
        Value::Slice(slice) => slice.len() as u64,
        Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Word(_) => 0,
    });
    let sizes = in_files.iter().map(|&(n_rows, n_cols)| (n_rows as u64, n_cols as u64));
    let cells = cells.chain(sizes.clone().map(|(n_rows, _)| n_rows)).max().unwrap_or(0);
    let (mut bits, mut lines, mut is_dense) = (0, 0, false);
    let sizes = sizes.map(|(n_rows, n_cols)| (n_rows, n_cols, None));
    let tables = tables.map(|table| (table.n_rows() as u64, table.n_cols() as u64, Some(table)));
    for (n_rows, n_cols, table) in tables.chain(sizes) {
        let of_table = n_rows.saturating_mul(n_cols);
        // A table in a file has more bits than these.
        let n_ones = table.filter(|_| (DENSE_BITS..LOOP_BITS).contains(&of_table));
        is_dense |= n_ones.is_some_and(|table| table.count_ones() >= of_table / 4);
        // A table may have either layout.
        bits = bits.max(of_table);
        lines = lines.max(n_rows.min(n_cols));
    }
    let rules = forecast.intrinsics.iter().filter(|_| options.intrinsics).filter_map(|intrinsic| {
        let rule = SIZE_RULES.iter().find(|rule| rule.intrinsics.contains(intrinsic))?;
        let is_alone = !cpu_intrinsics.contains(intrinsic);
        let least = if is_alone { rule.least_alone } else { rule.least }?;
        let (size, unit) = match rule.unit {
            SizeUnit::Vertices => (lines, "vertices"),
            SizeUnit::Cells => (cells, "cells"),
            SizeUnit::Arcs => (cells, "arcs"),
        };
        Some((intrinsic, is_alone, least, size, unit))
    });
    let mut too_small = None;
    for (intrinsic, is_alone, least, size, unit) in rules {
        if size >= least {
            let has = if is_alone { "without a counterpart on the cpu, " } else { "" };
            let why = format!("`{intrinsic}` is an intrinsic there, {has}from {least} {unit} on");
            return Choice { backend: "gpu", why };
        }
        too_small.get_or_insert_with(|| {
            format!(
                "`{intrinsic}` is faster on a card from {least} {unit} on; here there are {size}"
            )
        });
    }
    if let Some(why) = too_small {
        return cpu(why);
    }
    match forecast.loops {
        0 if forecast.intrinsics.is_empty() => {
            cpu("no part of the program would run as kernels on a card")
        }
        0 => {
            cpu("no size is known from which its intrinsics are faster on a card, opening included")
        }
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
