//! Data that intrinsics keep in handles in addition to the tables that the Star texts store.
//!
//! A handle is one table for each part. Data derived from a part is one more table, which is
//! copied, returned and freed with the handle. Register code that stores the part unsets it.

use star_base::intrinsics::catalogue::cbt;
use star_ir::HandlePart;

/// A table that an intrinsic computes from a part of a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerivedPart {
    module: &'static str,
    from: &'static str,
    /// Its name, which is no identifier of the language.
    pub(crate) name: &'static str,
}

/// The rank directory of the field of the last reduction (Note \[Rank directory\] in star-shaders).
pub(crate) const DIRECTORY: DerivedPart =
    DerivedPart { module: "cbt", from: cbt::PARTS[1], name: "directory of reduced" };

/// All derived parts.
pub(crate) const ALL: &[DerivedPart] = &[DIRECTORY];

impl DerivedPart {
    /// Returns the part of a handle.
    pub(crate) fn part(&self) -> HandlePart {
        HandlePart { module: self.module.into(), name: self.name.into() }
    }

    /// Returns whether it is computed from this part.
    pub(crate) fn is_from(&self, part: &HandlePart) -> bool {
        (&*part.module, &*part.name) == (self.module, self.from)
    }
}

/// Returns whether the first part is computed from the second one.
pub(crate) fn is_derived(part: &HandlePart, from: &HandlePart) -> bool {
    ALL.iter().any(|derived| derived.is_from(from) && derived.part() == *part)
}
