// A batch of updates of a stream (Note [Phases] in star-shaders): three words for each, an object
// with two marks, and both coordinates. Their parameters after those of the index: how many there
// are, the first one, two unused words; the word with the first phase that is not due, the stamps
// of objects and their distance, the phase.

// Returns the index of the object of an update.
fn moved(update: u32) -> u32 { return load(given[5].y + 3u * update) & (FIRST_REMOVAL - 1u); }
fn is_gone(update: u32) -> bool { return (load(given[5].y + 3u * update) & GONE) != 0u; }
// Returns whether no earlier update of the batch concerns the object that this one removes.
fn is_first_removal(update: u32) -> bool {
  return (load(given[5].y + 3u * update) & FIRST_REMOVAL) != 0u;
}
fn target_of(update: u32) -> vec2<i32> {
  let at = given[5].y + 3u * update;
  return vec2<i32>(vec2<u32>(load(at + 1u), load(at + 2u)));
}

fn is_due() -> bool {
  let first = load(given[6].x);
  return first == 0u || given[6].w < first;
}
fn stop_later_phases() { join_max(given[6].x, given[6].w + 1u); }
