//! What a program does with the tables that it is given, which decides how they lie.

use star_ir::RoutineId;
use star_ir::analysis::line_accesses::{
    IntrinsicUse, LineAccesses, TURNS, TableUse, line_accesses,
};

use super::code::Code;
use super::intrinsics::CpuIntrinsic;

/// What an entry does with its tables, intrinsics with theirs.
pub(super) fn accesses_of(
    intrinsics: &[CpuIntrinsic],
    code: &Code,
    entry: RoutineId,
) -> Vec<LineAccesses> {
    line_accesses(&code.program, entry, &|routine, place| {
        let mut intrinsics = intrinsics.iter().filter(|_| code.options.intrinsics);
        match intrinsics.find(|candidate| routine.intrinsic == Some(candidate.intrinsic)) {
            Some(candidate) if candidate.ground(place).is_some() => IntrinsicUse::Lines,
            Some(_) => IntrinsicUse::Any,
            None => IntrinsicUse::None,
        }
    })
}

/// Had a table better lie by rows?
pub(super) fn wants_rows(accesses: LineAccesses) -> bool {
    accesses.rows > accesses.columns
}

/// Do loops touch its rows, and nothing its columns?
pub(super) fn wants_rows_alone(accesses: LineAccesses) -> bool {
    accesses.rows >= TURNS && accesses.columns == 0
}

/// What is done with a table at most. Where no line is touched nothing is gained by a sparse one.
pub(super) fn use_of(accesses: LineAccesses) -> TableUse {
    match accesses.rows.max(accesses.columns) {
        0 => accesses.used.max(TableUse::Changes),
        _ => accesses.used,
    }
}
