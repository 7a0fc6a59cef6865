//! Allocation of lines in the pool; Note [Lines of limbs] describes the layout.

use super::{LEAST_ROOM, Span, SparseLines, reserve};
use crate::limbs::OutOfMemory;

/// The location of sufficient capacity for a line.
pub(super) enum Room {
    /// In place.
    Here,
    /// At the end of the pool.
    End,
    /// In a new pool with capacity for this number of limbs.
    NewPool(usize),
}

/// Returns the capacity of a line that grows limb by limb, if it has `n_limbs`: a line that is set
/// as a whole gets exactly what it needs.
pub(super) fn room_to_grow(n_limbs: usize) -> usize {
    match n_limbs {
        1 => 1,
        _ => (n_limbs + n_limbs / 2).max(LEAST_ROOM),
    }
}

impl SparseLines {
    /// Returns the bytes that [`SparseLines::make_spare`] temporarily needs.
    pub fn bytes_to_spare(&self, n_limbs: usize) -> u64 {
        match self.has_spare(n_limbs) {
            true => 0,
            false => SparseLines::bytes_for(0, self.n_used.saturating_add(n_limbs)),
        }
    }

    /// Reserves capacity for `n_limbs` more limbs, of lines that are set as a whole: these need no
    /// allocation then.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn make_spare(&mut self, n_limbs: usize) -> Result<(), OutOfMemory> {
        match self.has_spare(n_limbs) {
            true => Ok(()),
            false => self.move_all(self.n_used.saturating_add(n_limbs)),
        }
    }

    fn has_spare(&self, n_limbs: usize) -> bool {
        let end = self.places.len().saturating_add(n_limbs);
        end <= self.places.capacity().min(self.limbs.capacity())
    }

    /// Determines the location of capacity for `n_limbs` limbs of a line; it gets `room` if it must
    /// move.
    pub(super) fn room_for(&self, idx: usize, n_limbs: usize, room: usize) -> Room {
        if n_limbs <= self.spans[idx].room() {
            Room::Here
        } else if self.has_spare(room) {
            Room::End
        } else {
            let wanted = self.n_used + room;
            Room::NewPool(wanted + wanted / 2)
        }
    }

    /// Provides capacity for `n_limbs` limbs of a line, which keeps its limbs.
    pub(super) fn make_room(
        &mut self,
        idx: usize,
        n_limbs: usize,
        room: usize,
    ) -> Result<(), OutOfMemory> {
        match self.room_for(idx, n_limbs, room) {
            Room::Here => {}
            Room::End => self.move_to_end(idx, room),
            Room::NewPool(n_pool) => {
                self.move_all(n_pool)?;
                self.move_to_end(idx, room);
            }
        }
        Ok(())
    }

    /// Moves a line to the end of the pool, which has the capacity for it.
    fn move_to_end(&mut self, idx: usize, room: usize) {
        let span = self.spans[idx];
        let Span { start, len, .. } = span;
        let (from, to) = (start..start + len as usize, self.places.len());
        self.places.resize(to + room, 0);
        self.limbs.resize(to + room, 0);
        self.places.copy_within(from.clone(), to);
        self.limbs.copy_within(from, to);
        self.spans[idx] = Span::new(to, len, room, span.ground());
    }

    /// Moves all lines to a new pool with capacity for `n_limbs` limbs.
    fn move_all(&mut self, n_limbs: usize) -> Result<(), OutOfMemory> {
        let (mut places, mut limbs) = (Vec::new(), Vec::new());
        reserve(&mut places, n_limbs)?;
        reserve(&mut limbs, n_limbs)?;
        for span in &mut self.spans {
            let from = span.start..span.start + span.len as usize;
            *span = Span::new(places.len(), span.len, span.len as usize, span.ground());
            places.extend_from_slice(&self.places[from.clone()]);
            limbs.extend_from_slice(&self.limbs[from]);
        }
        (self.places, self.limbs) = (places, limbs);
        Ok(())
    }
}
