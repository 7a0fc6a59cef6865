// A batch of updates in lists. Their parameters after those of the index: how many there are, their
// objects from 1, both coordinates; a set of those that remove their object, the stamps of objects
// and their distance.

// Returns the index of the object of an update.
fn moved(update: u32) -> u32 { return load(given[5].y + update) - 1u; }
fn is_gone(update: u32) -> bool { return ((load(given[6].x + (update >> 5u)) >> (update & 31u)) & 1u) == 1u; }
fn is_first_removal(update: u32) -> bool { return false; }
fn target_of(update: u32) -> vec2<i32> {
  return vec2<i32>(vec2<u32>(load(given[5].z + update), load(given[5].w + update)));
}

// Batches are applied one at a time.
fn is_due() -> bool { return true; }
fn stop_later_phases() {}
