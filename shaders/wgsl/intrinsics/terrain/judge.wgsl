// The leaves of a mesh to split and to merge for a viewpoint. A thread has a word of the field.

// Returns whether a diamond must be split.
fn is_coarse(node: u32, t: Triangle) -> bool {
  let radii = given[2].x; let stride = given[2].y;
  // Nothing is below level D.
  if (node >= n_bits()) { return false; }
  var radius = 0u;
  for (var column = 0u; column < 32u; column++) {
    let plane = load(radii + column * stride + (node >> 5u));
    radius = (radius << 1u) | ((plane >> (node & 31u)) & 1u);
  }
  if (radius == 0u || radius == ALWAYS) { return radius == ALWAYS; }
  let away = vec2<u32>(abs((t.a + t.b) / 2 - bitcast<vec2<i32>>(given[2].zw)));
  let square = sum(product(away.x, away.x), product(away.y, away.y));
  return is_less(square, product(radius, radius));
}

fn are_leaves(field: u32, parent: u32) -> bool {
  return parent == 0u || (is_leaf_node(field, 2u * parent) && is_leaf_node(field, 2u * parent + 1u));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let splits = given[1].y; let merges = given[1].z;
  let at = THREADS * number_of(group) + id;
  if (at >= n_words()) { return; }
  var rest = load(field + at); var to_split = 0u; var to_merge = 0u;
  while (rest != 0u) {
    let start = firstTrailingBit(rest);
    rest &= rest - 1u;
    let node = leaf_at(field, at, start, rest);
    // The square is never a leaf.
    if (node < 2u) { continue; }
    let t = triangle_of(node);
    if (is_coarse(node, t)) {
      // Otherwise the neighbour is coarser and must be split first.
      if (t.across == 0u || is_leaf_node(field, t.across)) { to_split |= 1u << start; }
    } else if (node > 3u) {
      let parent = triangle_of(node / 2u);
      if (!is_coarse(node / 2u, parent) && are_leaves(field, node / 2u)
        && are_leaves(field, parent.across)) { to_merge |= 1u << start; }
    }
  }
  store(splits + at, to_split);
  store(merges + at, to_merge);
}
