// The greatest distances of samples from the planes of all triangles of a level that are inside the
// grid (Note [Errors] in star-shaders). Some threads have a strip of the rows of a triangle.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let errors = given[1].x; let samples = given[1].y; let first = given[1].z;
  let size = vec2<i32>(given[2].xy);
  let lanes = given[3].x; let strips = given[3].y; let rows = given[3].z;
  let at = THREADS * number_of(group) + id;
  let lane = at % lanes; let strip = (at / lanes) % strips; let node = first + at / lanes / strips;
  if (node >= 2u * first) { return; }
  let t = triangle_of(node);
  let begin = min(min(t.a, t.b), t.c); let end = max(max(t.a, t.b), t.c);
  if (any(end >= size)) { return; }
  let unit = unit_of(t);
  let from_b = (t.c - t.b) / unit; let from_c = (t.a - t.c) / unit; let along = (t.b - t.a) / unit;
  let area = along.x * (t.c.y - t.a.y) - along.y * (t.c.x - t.a.x);
  let heights = vec3<i32>(height(samples, size, t.a), height(samples, size, t.b), height(samples, size, t.c));
  let columns = u32(end.x - begin.x + 1);
  let top = strip * rows; let n_rows = u32(end.y - begin.y + 1);
  if (top >= n_rows) { return; }
  var worst = 0u;
  for (var i = lane; i < min(rows, n_rows - top) * columns; i += lanes) {
    let p = begin + vec2<i32>(i32(i % columns), i32(top + i / columns));
    let u = from_b.x * (p.y - t.b.y) - from_b.y * (p.x - t.b.x);
    let v = from_c.x * (p.y - t.c.y) - from_c.y * (p.x - t.c.x);
    let w = area - u - v;
    if (u >= 0 && v >= 0 && w >= 0) {
      let plane = u * heights.x + v * heights.y + w * heights.z;
      worst = max(worst, u32(abs(plane - area * height(samples, size, p))));
    }
  }
  if (worst != 0u) { join_max(errors + node, (worst + u32(area) - 1u) / u32(area)); }
}

fn height(samples: u32, size: vec2<i32>, at: vec2<i32>) -> i32 {
  return i32(load(samples + u32(at.y * size.x + at.x)));
}
