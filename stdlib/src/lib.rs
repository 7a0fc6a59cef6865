//! The standard library of Star, as source text.
//!
//! The library is written in Star. The compiler is handed these texts like any other source, and
//! messages show their places by the names given here. A routine's comment in front of its header
//! is its documentation: shapes, cost in elementary operations, source, example.
//!
//! Nothing here knows of the compiler.

use star_base::Library;

/// The standard library.
pub const LIBRARY: Library = Library { basic: BASIC, modules: MODULES };

/// The basic procedures, which every program sees without an import: file name as shown in
/// messages, and text.
///
/// The compiler lowers `MIN`, `MAX`, `TCOPY1` and `TCOPY2` to one operation of the machine each;
/// their text here stays what they mean and what they cost.
pub static BASIC: &[(&str, &str)] = &[
    ("library/search.star", include_str!("../basic/search.star")),
    ("library/signed.star", include_str!("../basic/signed.star")),
    ("library/copy.star", include_str!("../basic/copy.star")),
    ("library/arithmetic.star", include_str!("../basic/arithmetic.star")),
    ("library/overflow.star", include_str!("../basic/overflow.star")),
    ("library/order.star", include_str!("../basic/order.star")),
    ("library/reduce.star", include_str!("../basic/reduce.star")),
    ("library/relate.star", include_str!("../basic/relate.star")),
];

/// The modules of graph algorithms, which a program imports: name as in `import "star:closure";`,
/// and text. A module imports only modules listed before it.
pub static MODULES: &[(&str, &str)] = &[
    ("closure", include_str!("../modules/closure.star")),
    ("paths", include_str!("../modules/paths.star")),
    ("mst", include_str!("../modules/mst.star")),
    ("dynmst", include_str!("../modules/dynmst.star")),
    ("gabow", include_str!("../modules/gabow.star")),
    ("edmonds", include_str!("../modules/edmonds.star")),
    ("italiano", include_str!("../modules/italiano.star")),
    ("ramalingam", include_str!("../modules/ramalingam.star")),
    ("adjacency", include_str!("../modules/adjacency.star")),
    ("arcs", include_str!("../modules/arcs.star")),
    ("reach", include_str!("../modules/reach.star")),
    ("updates", include_str!("../modules/updates.star")),
    ("cbt", include_str!("../modules/cbt.star")),
    ("terrain", include_str!("../modules/terrain.star")),
    ("wave", include_str!("../modules/wave.star")),
    ("weighed", include_str!("../modules/weighed.star")),
    ("moving", include_str!("../modules/moving.star")),
    ("gradient", include_str!("../modules/gradient.star")),
    ("polyline", include_str!("../modules/polyline.star")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let all = BASIC.iter().chain(MODULES);
        let names: BTreeSet<&str> = all.clone().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), all.count());
    }

    #[test]
    fn modules_import_only_modules_listed_before_them() {
        for (idx, (name, text)) in MODULES.iter().enumerate() {
            let imports = text.lines().filter_map(|line| line.strip_prefix("import \"star:"));
            for import in imports {
                let imported = import.trim_end_matches("\";");
                let known = MODULES[..idx].iter().any(|(earlier, _)| *earlier == imported);
                assert!(known, "`{name}` imports `{imported}`");
            }
        }
    }

    #[test]
    fn every_routine_has_a_comment_in_front_of_its_header() {
        for (name, text) in BASIC.iter().chain(MODULES) {
            let lines: Vec<&str> = text.lines().collect();
            for (idx, line) in lines.iter().enumerate() {
                if line.starts_with("procedure") || line.starts_with("function") {
                    let before = idx.checked_sub(1).map_or("", |before| lines[before]);
                    assert!(before.ends_with("*/"), "{name}: no comment before `{line}`");
                }
            }
        }
    }
}
