// The first radii: the sides of the cells of the points. A thread has a point.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let idx = THREADS * number_of(group) + id;
  if (idx >= given[7].x) { return; }
  let at = point_of(idx);
  let tile = tile_of((along(at.y, 1u) >> 16u) * given[3].z + (along(at.x, 0u) >> 16u));
  store(given[6].z + idx, max(given[4].w / load(tile), 1u));
}
