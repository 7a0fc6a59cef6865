// The field whose leaves are all nodes of a level. A thread writes a word.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let to = given[1].x; let width = given[1].y;
  let at = THREADS * number_of(group) + id;
  if (at >= n_words()) { return; }
  var bits = select(0u, 1u, ((32u * at) & (width - 1u)) == 0u);
  for (var w = width; w < in_word(); w *= 2u) { bits |= bits << w; }
  store(to + at, bits);
}
