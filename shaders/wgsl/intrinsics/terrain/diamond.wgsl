// The radii of the diamonds of a level, from those of both triangles. A thread has a node.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let alone = given[1].x; let radii = given[1].y; let first = given[1].z;
  let node = first + THREADS * number_of(group) + id;
  if (node >= 2u * first) { return; }
  let across = triangle_of(node).across;
  var radius = load(alone + node);
  if (across != 0u) { radius = max(radius, load(alone + across)); }
  store(radii + node, radius);
  // The square is always split.
  if (node == 2u) { store(radii + 1u, ALWAYS); }
}
