// The scores of the links from a to the first guide, and from the last one to b: 2 * d words for
// each request. A thread has a link.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let to = given[2].x;
  let d = n_points();
  let at = THREADS * number_of(group) + id;
  let request = at / (2u * d); let point = at % d;
  if (request >= given[0].x) { return; }
  let record = record_of(request);
  var score = NO_LINK;
  if (at % (2u * d) < d) {
    if (is_inside(record, 1u, point)) {
      score = score_of(record, middle_of(record, 0u), pixel_of(record, 1u, point));
    }
  } else {
    let last = n_nodes() - 1u;
    // No polyline comes from a point outside.
    score = 0u;
    if (is_inside(record, last - 1u, point)) {
      score = score_of(record, pixel_of(record, last - 1u, point), middle_of(record, last));
    }
  }
  store(to + at, score);
}
