// The last updates of a batch in the index, or in objects without cells. The slots of a bucket are
// taken and freed by changes of its mask, so objects enter and leave cells in any order. A thread
// has an update.

var<workgroup> counted: array<atomic<u32>, OUTCOMES>;

fn has_cells() -> bool { return given[1].y != 0u; }

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
      // The exchange may also fail where the word is 0.
      while (next == 0u && !replace(head_of(bucket) + 1u, 0u, spare)) {
        next = load(head_of(bucket) + 1u);
      }
      if (next == 0u) { next = spare; spare = 0u; }
    }
    bucket = next;
  }
  return NO_PLACE;
}

fn leave(before: u32) {
  if (before == 0u || !has_cells()) { return; }
  let place = before - 1u;
  fetch_and(head_of(place / SLOTS), ~(1u << (place % SLOTS)));
}

// Applies an update and returns its outcome.
fn applied(update: u32) -> u32 {
  let idx = moved(update); let object = object_of(idx);
  let before = load(object); let from_place = position_of(object);
  store(object + STAMP, 0u);
  if (is_gone(update)) {
    leave(before);
    store(object, 0u);
    return select(REMOVED, UNKNOWN, before == 0u);
  }
  let to = target_of(update);
  store(object + X, bitcast<u32>(to.x)); store(object + X + 1u, bitcast<u32>(to.y));
  let outcome = select(SPLIT, INSERTED, before == 0u);
  if (!has_cells()) {
    store(object, WAITS);
    return outcome;
  }
  let cell = cell_of(to);
  if (before != 0u && cell_of(from_place) == cell) { return IN_PLACE; }
  leave(before);
  let place = taken(cell);
  if (place == NO_PLACE) {
    store(object, WAITS);
    join_max(notes() + FULL, 1u);
    stop_later_phases();
  } else {
    store(object, place + 1u);
    store(slot_of(place), idx);
  }
  return outcome;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let update = THREADS * number_of(group) + id;
  for (var i = id; i < OUTCOMES; i += THREADS) { atomicStore(&counted[i], 0u); }
  workgroupBarrier();
  if (update < given[5].x && is_due() && is_last(update)) { atomicAdd(&counted[applied(update)], 1u); }
  workgroupBarrier();
  for (var i = id; i < OUTCOMES; i += THREADS) {
    let n = atomicLoad(&counted[i]);
    if (n != 0u) { join_add(notes() + OUTCOME + i, n); }
  }
}
