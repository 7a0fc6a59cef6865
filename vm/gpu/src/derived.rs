//! Data that intrinsics keep in handles in addition to the tables that the Star texts store.
//!
//! A handle is one table for each part. Data derived from a part is one more table, which is
//! copied, returned and freed with the handle. Register code that stores the part unsets it.

use star_base::intrinsics::catalogue::{cbt, moving};
use star_ir::HandlePart;

/// A table that an intrinsic computes from parts of a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerivedPart {
    module: &'static str,
    from: &'static [&'static str],
    /// Its name, which is no identifier of the language.
    pub(crate) name: &'static str,
}

/// The rank directory of the field of the last reduction (Note \[Rank directory\] in star-shaders).
pub(crate) const DIRECTORY: DerivedPart =
    DerivedPart { module: "cbt", from: &[cbt::PARTS[1]], name: "directory of reduced" };

/// The index of objects (Note \[Objects and buckets\] in star-shaders).
pub(crate) const INDEX: DerivedPart =
    DerivedPart { module: "moving", from: &moving::PARTS, name: "index of objects" };

/// All derived parts.
pub(crate) const ALL: &[DerivedPart] = &[DIRECTORY, INDEX];

impl DerivedPart {
    /// Returns the part of a handle.
    pub(crate) fn part(&self) -> HandlePart {
        HandlePart { module: self.module.into(), name: self.name.into() }
    }

    /// Returns whether it is computed from this part.
    pub(crate) fn is_from(&self, part: &HandlePart) -> bool {
        *part.module == *self.module && self.from.contains(&&*part.name)
    }
}

/// Returns whether the first part is computed from the second one.
pub(crate) fn is_derived(part: &HandlePart, from: &HandlePart) -> bool {
    ALL.iter().any(|derived| derived.is_from(from) && derived.part() == *part)
}
