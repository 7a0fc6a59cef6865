// The objects in the cells that a rectangle touches, included by the kernels of queries, which call
// `walk` and say in `meet` what to do with an object. LANES threads have the slots of a bucket, and
// others those of the next cells.

// Returns the first and the last column or row of a tile in a range.
fn span_of(tile: u32, places: vec2<u32>, side: u32) -> vec2<u32> {
  var span = vec2<u32>(0u, side - 1u);
  if (tile == places.x >> 16u) { span.x = cell_in(places.x, side); }
  if (tile == places.y >> 16u) { span.y = cell_in(places.y, side); }
  return span;
}

// Meets the objects of every `n_parts`-th row of cells.
fn walk(low: vec2<i32>, high: vec2<i32>, id: u32, part: u32, n_parts: u32) {
  let xs = vec2<u32>(along(low.x, 0u), along(high.x, 0u));
  let ys = vec2<u32>(along(low.y, 1u), along(high.y, 1u));
  let team = id / LANES;
  var row = 0u; var visited = 0u;
  for (var y = ys.x >> 16u; y <= ys.y >> 16u; y++) {
    for (var x = xs.x >> 16u; x <= xs.y >> 16u; x++) {
      let tile = tile_of(y * given[3].z + x);
      let side = load(tile); let first = load(tile + 1u);
      let across = span_of(x, xs, side); let down = span_of(y, ys, side);
      for (var at = down.x; at <= down.y; at++) {
        if (row % n_parts == part) {
          for (var cell = first + at * side + across.x; cell <= first + at * side + across.y; cell++) {
            if (visited % (THREADS / LANES) == team) { meet_all(cell, low, high, id % LANES); }
            visited++;
          }
        }
        row++;
      }
    }
  }
}

fn meet_all(cell: u32, low: vec2<i32>, high: vec2<i32>, id: u32) {
  var bucket = cell;
  loop {
    let used = load(head_of(bucket));
    for (var slot = id; slot < SLOTS; slot += LANES) {
      if (((used >> slot) & 1u) == 1u) {
        let idx = load(slot_of(bucket * SLOTS + slot));
        let at = position_of(object_of(idx));
        if (all(at >= low) && all(at <= high)) { meet(idx, at); }
      }
    }
    bucket = load(head_of(bucket) + 1u);
    if (bucket == 0u) { break; }
  }
}
