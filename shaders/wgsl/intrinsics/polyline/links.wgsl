// The scores of the links from a guide to the next one: a row for each difference of indices, a
// column for each point of the second guide. Where there is no link, the value of the link is
// stored, too. A thread has a link. With scores of the links from a, which are given for the first
// guide, it stores the values of links instead.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let ends = given[2].x; let scores = given[2].y; let values = given[2].z; let node = given[2].w;
  let d = n_points(); let n_rows = n_differences();
  let at = THREADS * number_of(group) + id;
  let point = at % d; let row = (at / d) % n_rows; let request = at / d / n_rows;
  if (request >= given[0].x) { return; }
  let record = record_of(request);
  // The index of the point at which the link begins.
  let start = point + d - 1u - row;
  if (start >= d || !is_inside(record, node, start) || !is_inside(record, node + 1u, point)) {
    store(values + at, NO_LINK);
    if (scores != 0u) { store(scores + at, NO_LINK); }
    return;
  }
  let score = score_of(record, pixel_of(record, node, start), pixel_of(record, node + 1u, point));
  if (scores != 0u) {
    store(scores + at, score);
    return;
  }
  var value = NO_LINK;
  if (is_in(start, points_before(record, row))) { value = score + load(ends + 2u * d * request + start); }
  store(values + at, value);
}
