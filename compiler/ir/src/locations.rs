//! The locations of a program, in groups that programs share.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use crate::program::{LocId, Location};

/// The locations of a program; a [`LocId`] is an index. They are stored in groups, for example
/// those of one routine. A copy shares the groups, so a program that extends another one copies
/// none of its locations.
#[derive(Clone, Default)]
pub struct Locations {
    groups: Vec<Group>,
}

#[derive(Clone)]
struct Group {
    /// The number of its first location.
    first: usize,
    locations: Arc<[Location]>,
}

impl Locations {
    /// Returns the number of locations.
    pub fn len(&self) -> usize {
        self.groups.last().map_or(0, |group| group.first + group.locations.len())
    }

    /// Returns whether there are no locations.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the location with this number.
    pub fn get(&self, id: LocId) -> Option<&Location> {
        let idx = id.0 as usize;
        let group = self.groups.get(self.group_of(idx)?)?;
        group.locations.get(idx - group.first)
    }

    /// Returns a mutable reference to the location with this number.
    pub fn get_mut(&mut self, id: LocId) -> Option<&mut Location> {
        let idx = id.0 as usize;
        let at = self.group_of(idx)?;
        let group = self.groups.get_mut(at)?;
        Arc::make_mut(&mut group.locations).get_mut(idx - group.first)
    }

    /// Iterates over all locations in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Location> {
        self.groups.iter().flat_map(|group| group.locations.iter())
    }

    /// Appends a group.
    pub fn append(&mut self, locations: Vec<Location>) {
        if !locations.is_empty() {
            self.groups.push(Group { first: self.len(), locations: locations.into() });
        }
    }

    /// Drops the groups that begin at number `len` or later.
    pub fn truncate(&mut self, len: usize) {
        self.groups.retain(|group| group.first < len);
    }

    /// Returns the group that contains this number.
    fn group_of(&self, idx: usize) -> Option<usize> {
        self.groups.partition_point(|group| group.first <= idx).checked_sub(1)
    }
}

impl Index<LocId> for Locations {
    type Output = Location;

    fn index(&self, id: LocId) -> &Location {
        let idx = id.0 as usize;
        let group = &self.groups[self.group_of(idx).unwrap_or(0)];
        &group.locations[idx - group.first]
    }
}

impl From<Vec<Location>> for Locations {
    fn from(locations: Vec<Location>) -> Self {
        let mut all = Locations::default();
        all.append(locations);
        all
    }
}

/// Equality ignores the grouping.
impl PartialEq for Locations {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Locations {}

impl fmt::Debug for Locations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use star_base::{FileId, Span};

    fn location(start: u32) -> Location {
        let span = Span { file: FileId(0), start, end: start };
        Location { span, inlined: Vec::new(), operands: Vec::new(), at_call: false }
    }

    #[test]
    fn groups_form_one_sequence() {
        let mut grouped = Locations::from(vec![location(0), location(1)]);
        grouped.append(Vec::new());
        grouped.append(vec![location(2)]);
        assert_eq!(grouped, Locations::from(vec![location(0), location(1), location(2)]));
        assert_eq!(grouped.len(), 3);
        for number in 0..3 {
            assert_eq!(grouped.get(LocId(number)), Some(&location(number)));
        }
        assert_eq!((grouped.get(LocId(3)), Locations::default().get(LocId(0))), (None, None));
    }

    #[test]
    fn copy_is_unaffected_by_changes_to_the_original() {
        let mut grouped = Locations::from(vec![location(0), location(1)]);
        grouped.append(vec![location(2)]);
        let copy = grouped.clone();
        grouped.truncate(2);
        grouped.get_mut(LocId(1)).unwrap().at_call = true;
        assert_eq!((grouped.len(), copy.len()), (2, 3));
        assert_eq!((grouped.get(LocId(2)), copy.get(LocId(2))), (None, Some(&location(2))));
        assert!(grouped.get(LocId(1)).unwrap().at_call && !copy.get(LocId(1)).unwrap().at_call);
    }
}
