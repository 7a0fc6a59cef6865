// The last updates of a batch in the index. The slots of a bucket are taken and freed by changes of
// its mask, so objects enter and leave cells in any order. A thread has an update.

// Returns the place that an object takes in a cell; NO_PLACE if there are no more buckets.
fn taken(cell: u32) -> u32 {
  var bucket = cell; var spare = 0u;
  loop {
    var used = load(head_of(bucket));
    while (used != 0xffffffffu) {
      let slot = firstTrailingBit(~used);
      let before = fetch_or(head_of(bucket), 1u << slot);
      if (((before >> slot) & 1u) == 0u) { return bucket * SLOTS + slot; }
      used = before | (1u << slot);
    }
    var next = load(head_of(bucket) + 1u);
    if (next == 0u) {
      // Another thread may append one meanwhile; this one is then kept for the next time.
      if (spare == 0u) {
        // The counter stays near the number of buckets.
        if (load(given[4].x) >= given[4].y) { return NO_PLACE; }
        spare = fetch_add(given[4].x, 1u);
        if (spare >= given[4].y) { return NO_PLACE; }
      }
      let found = exchange_zero(head_of(bucket) + 1u, spare);
      next = found;
      if (found == 0u) { next = spare; spare = 0u; }
    }
    bucket = next;
  }
  return NO_PLACE;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let update = THREADS * number_of(group) + id;
  if (update >= given[5].x || !is_last(update)) { return; }
  let idx = moved(update); let object = object_of(idx);
  store(object + STAMP, 0u);
  let before = load(object);
  let to = target_of(update);
  let cell = cell_of(to);
  if (!is_gone(update)) {
    let from_cell = cell_of(position_of(object));
    store(object + X, bitcast<u32>(to.x)); store(object + X + 1u, bitcast<u32>(to.y));
    if (before != 0u && from_cell == cell) { return; }
  }
  if (before != 0u) {
    let place = before - 1u;
    fetch_and(head_of(place / SLOTS), ~(1u << (place % SLOTS)));
  }
  var after = 0u;
  if (!is_gone(update)) {
    let place = taken(cell);
    after = place + 1u;
    if (place == NO_PLACE) {
      after = WAITS;
      join_max(notes() + FULL, 1u);
    } else {
      store(slot_of(place), idx);
    }
  }
  store(object, after);
}
