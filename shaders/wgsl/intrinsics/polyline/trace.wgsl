// The best polyline of a request, backwards over some guides: first the point of the last guide,
// then for each guide the smallest point from which the value is reached. A workgroup has a
// request.

var<workgroup> values: array<i32, THREADS>;
var<workgroup> points: array<u32, THREADS>;
// The best value and its point.
var<workgroup> best: vec2<u32>;

// Returns the greatest value of all threads, and the smallest point with it.
fn best_of(id: u32, value: i32, point: u32) -> vec2<u32> {
  values[id] = value; points[id] = point;
  workgroupBarrier();
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    if (id < half) {
      let other = id + half;
      if (values[other] > values[id] || (values[other] == values[id] && points[other] < points[id])) {
        values[id] = values[other]; points[id] = points[other];
      }
    }
    workgroupBarrier();
  }
  if (id == 0u) { best = vec2<u32>(bitcast<u32>(values[0]), points[0]); }
  return workgroupUniformLoad(&best);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let ends = given[2].x; let blocks = given[2].y; let layers = given[2].z; let words = given[2].w;
  let scores = given[3].x; let path = given[3].y; let states = given[3].z;
  // The guides: the node after the first one, and how many.
  let from_node = given[4].x; let n = given[4].y;
  let d = n_points(); let n_rows = n_differences(); let n_blocks = (n_rows + BLOCK - 1u) / BLOCK;
  let none = bitcast<i32>(NO_LINK);
  let request = number_of(group);
  let record = record_of(request);
  let last_node = n_nodes() - 1u;
  // The point of the node after the next guide, and the difference of the link from there.
  var point = 0u; var next = 0u; var is_found = true;
  if (from_node == last_node) {
    var value = none; var at = d;
    for (var i = id; i < d; i += THREADS) {
      var most = none;
      if (n_nodes() > 3u) {
        for (var block = 0u; block < n_blocks; block++) {
          most = max(most, bitcast<i32>(load(blocks + (request * n_blocks + block) * d + i)));
        }
      } else if (is_in(i, pair(load(record + ALONE)))) {
        most = bitcast<i32>(load(ends + 2u * d * request + i));
      }
      most += bitcast<i32>(load(ends + (2u * request + 1u) * d + i));
      if (most > value) { value = most; at = i; }
    }
    let found = best_of(id, value, at);
    is_found = bitcast<i32>(found.x) >= 0;
    point = found.y;
    if (id == 0u) {
      store(scores + request, select(0xffffffffu, found.x, is_found));
      if (is_found) {
        let a = vec2<u32>(middle_of(record, 0u)) + 1u; let b = vec2<u32>(middle_of(record, last_node)) + 1u;
        let place = vec2<u32>(pixel_of(record, last_node - 1u, point)) + 1u;
        store(path + request * n_nodes(), (a.x << 16u) | a.y);
        store(path + request * n_nodes() + last_node, (b.x << 16u) | b.y);
        store(path + request * n_nodes() + last_node - 1u, (place.x << 16u) | place.y);
      }
    }
  } else {
    is_found = load(scores + request) != 0xffffffffu;
    point = load(states + 2u * request); next = load(states + 2u * request + 1u);
  }
  for (var i = 0u; i < n; i++) {
    // The links from this node to the one after it.
    let node = from_node - 2u - i;
    let layer = layers + (node - 1u) * words + request * n_rows * d;
    let is_last = node + 2u == last_node;
    let window = links_before(record, next);
    var value = none; var at = d;
    if (is_found) {
      for (var start = id; start < d; start += THREADS) {
        let row = point + d - 1u - start;
        // Links of the last layer have a value only if the one to b may follow.
        if (is_last || is_in(row, window)) {
          let other = bitcast<i32>(load(layer + row * d + point));
          if (other > value) { value = other; at = start; }
        }
      }
    }
    let found = best_of(id, value, at);
    if (is_found) {
      next = point + d - 1u - found.y;
      point = found.y;
      if (id == 0u) {
        let place = vec2<u32>(pixel_of(record, node, point)) + 1u;
        store(path + request * n_nodes() + node, (place.x << 16u) | place.y);
      }
    }
  }
  if (id == 0u) { store(states + 2u * request, point); store(states + 2u * request + 1u, next); }
}
