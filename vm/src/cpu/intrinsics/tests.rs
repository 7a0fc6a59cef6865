//! Check of the statements about sparse tables in `docs/src/internals/cpu.md`.

use star_base::intrinsics::{Intrinsic, Kind, Param, ParamMode, Signature};

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

/// Returns a line for the table parameters of an intrinsic that are used in the same way.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for intrinsic in Intrinsic::ALL {
        let Signature { module, routines, params, .. } = intrinsic.signature();
        let is_read = |param: &&Param| param.kind == Kind::Table && param.mode != ParamMode::Made;
        let place = |name: &str| params.iter().position(|param| param.name == name).unwrap();
        let names: Vec<&str> = params.iter().filter(is_read).map(|param| param.name).collect();
        let becomes = |name: &&str| becomes(*intrinsic, place(name));
        for names in names.chunk_by(|one, other| becomes(one) == becomes(other)) {
            let module = match *module {
                "order" | "search" => "basic".to_owned(),
                module => format!("`star:{module}`"),
            };
            lines.push(format!(
                "| `{intrinsic}` | {module} | `{}` | `{}` | {} |",
                routines.join("`, `"),
                names.join("`, `"),
                becomes(&names[0])
            ));
        }
    }
    lines
}

#[test]
fn documentation_lists_the_use_of_sparse_tables() {
    let guide = include_str!("../../../../docs/src/internals/cpu.md");
    let head = "| intrinsic | module | routines | tables | a sparse one |\n|---|---|---|---|---|\n";
    let (_, behind) = guide.split_once(head).expect("the list of tables");
    let found: Vec<&str> = behind.lines().take_while(|line| line.starts_with('|')).collect();
    let wanted = lines();
    assert_eq!(found, wanted, "the list should be:\n{head}{}", wanted.join("\n"));
}
