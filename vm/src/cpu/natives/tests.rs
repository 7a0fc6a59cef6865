//! What `docs/natives.md` says of sparse tables.

use star_base::natives::{Kind, Native, ParamMode, Signature};

use super::{SparseGround, TABLE};

/// What becomes of a sparse table that is parameter `idx`.
fn becomes(native: Native, idx: usize) -> &'static str {
    let twin = TABLE.iter().find(|twin| twin.native == native);
    match twin.map(|twin| twin.ground(idx)) {
        Some(Some(SparseGround::Zeros)) => "is read as it lies, on zeros",
        Some(Some(SparseGround::Any)) => "is read as it lies",
        Some(None) => "becomes dense first",
        None => "no native on this backend",
    }
}

/// The tables that natives are given, a line for each.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for native in Native::ALL {
        let Signature { module, routines, params, .. } = native.signature();
        for (idx, param) in params.iter().enumerate() {
            if param.kind == Kind::Table && param.mode != ParamMode::Made {
                let routines = routines.join("`, `");
                let becomes = becomes(*native, idx);
                lines.push(format!(
                    "| `{native}` | `star:{module}` | `{routines}` | `{}` | {becomes} |",
                    param.name
                ));
            }
        }
    }
    lines
}

#[test]
fn the_guide_says_what_becomes_of_sparse_tables() {
    let guide = include_str!("../../../../docs/natives.md");
    let head = "| native | module | routines | table | a sparse one |\n|---|---|---|---|---|\n";
    let (_, behind) = guide.split_once(head).expect("the list of tables");
    let found: Vec<&str> = behind.lines().take_while(|line| line.starts_with('|')).collect();
    let wanted = lines();
    assert_eq!(found, wanted, "the list should be:\n{head}{}", wanted.join("\n"));
}
