// The leaves whose triangles are inside the grid, as bits. A thread has a word of the field.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let to = given[1].y;
  let at = THREADS * number_of(group) + id;
  if (at >= n_words()) { return; }
  var rest = load(field + at); var found = 0u;
  while (rest != 0u) {
    let start = firstTrailingBit(rest);
    rest &= rest - 1u;
    let node = leaf_at(field, at, start, rest);
    if (node >= 2u && !is_outside(triangle_of(node), given[2].xy)) { found |= 1u << start; }
  }
  store(to + at, found);
}
