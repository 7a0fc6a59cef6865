// The values of the links from a guide to the next one: a row for each difference of indices, a
// column for each point of the second guide. The greatest values of links before are there already,
// except those of links from a. A link without one before it, or of the last layer without one to b
// after it, has no value, and its pixels are not read. A thread has a link.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let ends = given[2].x; let is_last = given[2].y == 1u; let values = given[2].z; let node = given[2].w;
  let d = n_points(); let n_rows = n_differences();
  let at = THREADS * number_of(group) + id;
  let point = at % d; let row = (at / d) % n_rows; let request = at / d / n_rows;
  if (request >= given[0].x) { return; }
  let record = record_of(request);
  // The index of the point at which the link begins.
  let start = point + d - 1u - row;
  var value = NO_LINK;
  if (start < d && is_inside(record, node, start) && is_inside(record, node + 1u, point)) {
    var best = NO_LINK;
    if (node > 1u) { best = load(values + at); }
    else if (is_in(start, points_before(record, row))) { best = load(ends + 2u * d * request + start); }
    if (best < NO_LINK && (!is_last || is_followed(record, row, point))) {
      value = best + score_of(record, pixel_of(record, node, start), pixel_of(record, node + 1u, point));
    }
  }
  store(values + at, value);
}
