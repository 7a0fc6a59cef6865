//! Note [Structures]. An intrinsic may keep what it has built from tables, such as the arcs of a
//! list grouped by their tails, for its next call on the same tables. The first of them holds the
//! structure. Each table has an identity, which every change takes away; the structure is valid
//! while its tables have the identities that they had when it was built. Arguments that are not
//! tables are compared by the intrinsic. A structure counts in the same way as a second form.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::Table;

/// The identity of the contents of a table.
pub(in crate::cpu) type Identity = Arc<()>;

/// The structure that a table holds, if any, and the identity of its contents.
#[derive(Debug, Default)]
pub(super) struct Structure {
    identity: OnceLock<Identity>,
    kept: Option<Box<Kept>>,
}

#[derive(Debug)]
struct Kept {
    tables: Vec<Identity>,
    value: Arc<dyn Any + Send + Sync>,
    n_bytes: u64,
}

impl Structure {
    /// Does the table hold one?
    #[inline]
    pub(super) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the bytes that it uses.
    #[inline]
    pub(super) fn n_bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.n_bytes)
    }

    /// The contents of the table change.
    #[inline]
    pub(super) fn drop(&mut self) {
        self.identity.take();
        self.kept = None;
    }
}

impl Table {
    /// Returns the identity of its contents, which lasts until they change.
    pub(in crate::cpu) fn identity(&self) -> Identity {
        self.structure.identity.get_or_init(Identity::default).clone()
    }

    /// Returns the structure that was built from tables with these identities.
    pub(in crate::cpu) fn structure(
        &self,
        tables: &[Identity],
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let kept = self.structure.kept.as_ref()?;
        let is_same = kept.tables.len() == tables.len()
            && kept.tables.iter().zip(tables).all(|(kept, table)| Arc::ptr_eq(kept, table));
        is_same.then(|| kept.value.clone())
    }

    /// Drops the structure that it holds, if any.
    pub(in crate::cpu) fn drop_structure(&mut self) {
        self.structure.kept = None;
    }

    /// Holds a structure that was built from tables with these identities, instead of another one.
    pub(in crate::cpu) fn keep_structure(
        &mut self,
        tables: Vec<Identity>,
        value: Arc<dyn Any + Send + Sync>,
        n_bytes: u64,
    ) {
        self.structure.kept = Some(Box::new(Kept { tables, value, n_bytes }));
    }
}
