//! Check of the statements about sparse tables in `docs/src/internals/cpu.md`.

use star_base::intrinsics::{Intrinsic, Kind, ParamMode, Signature};

use super::{SparseGround, TABLE};

/// Returns how a sparse table as parameter `idx` is used.
fn becomes(intrinsic: Intrinsic, idx: usize) -> &'static str {
    let candidate = TABLE.iter().find(|candidate| candidate.intrinsic == intrinsic);
    match candidate.map(|candidate| candidate.ground(idx)) {
        Some(Some(SparseGround::Zeros)) => "is read sparse, on zeros",
        Some(Some(SparseGround::Any)) => "is read sparse",
        Some(None) => "becomes dense first",
        None => "no intrinsic on this backend",
    }
}

/// Returns a line for each table parameter of an intrinsic.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for intrinsic in Intrinsic::ALL {
        let Signature { module, routines, params, .. } = intrinsic.signature();
        for (idx, param) in params.iter().enumerate() {
            if param.kind == Kind::Table && param.mode != ParamMode::Made {
                let routines = routines.join("`, `");
                let becomes = becomes(*intrinsic, idx);
                lines.push(format!(
                    "| `{intrinsic}` | `star:{module}` | `{routines}` | `{}` | {becomes} |",
                    param.name
                ));
            }
        }
    }
    lines
}

#[test]
fn documentation_lists_the_use_of_sparse_tables() {
    let guide = include_str!("../../../../docs/src/internals/cpu.md");
    let head = "| intrinsic | module | routines | table | a sparse one |\n|---|---|---|---|---|\n";
    let (_, behind) = guide.split_once(head).expect("the list of tables");
    let found: Vec<&str> = behind.lines().take_while(|line| line.starts_with('|')).collect();
    let wanted = lines();
    assert_eq!(found, wanted, "the list should be:\n{head}{}", wanted.join("\n"));
}
