// A batch of updates, included by the kernels that apply one. Their parameters after those of the
// index: how many there are, their objects from 1, both coordinates; a set of those that remove
// their object, the stamps of objects and their distance.

// Returns the index of the object of an update.
fn moved(update: u32) -> u32 { return load(given[5].y + update) - 1u; }
fn is_gone(update: u32) -> bool { return ((load(given[6].x + (update >> 5u)) >> (update & 31u)) & 1u) == 1u; }
fn target_of(update: u32) -> vec2<i32> {
  return vec2<i32>(vec2<u32>(load(given[5].z + update), load(given[5].w + update)));
}
fn stamp_of(idx: u32) -> u32 { return given[6].y + given[6].z * idx; }

// Returns whether it is the last update of its object in the batch.
fn is_last(update: u32) -> bool { return load(stamp_of(moved(update))) == update + 1u; }
