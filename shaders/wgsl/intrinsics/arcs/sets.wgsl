// Disjoint sets of vertices (Note [Sets] in star-shaders), included by the kernels that join them.

// Joins the sets of two vertices; returns false if that takes more than STEPS steps.
fn join_sets(one: u32, other: u32) -> bool {
  let parents = given[2].z;
  var last = one; var first = other;
  for (var i = 0u; i < STEPS && last != first; i++) {
    if (last < first) { let step = last; last = first; first = step; }
    let parent = load(parents + last);
    if (parent == last) {
      if (replace(parents + last, last, first)) { return true; }
    } else {
      let above = load(parents + parent);
      if (above != parent) { store(parents + last, above); }
      last = above;
    }
  }
  return last == first;
}
