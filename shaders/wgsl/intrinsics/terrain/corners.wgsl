// The samples at the corners of the triangles inside the grid, three words for each, in the order
// of the leaves. A thread has a word of the field.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let inside = given[1].y; let directory = given[1].z; let list = given[1].w;
  let at = THREADS * number_of(group) + id;
  if (at >= n_words()) { return; }
  let found = load(inside + at);
  if (found == 0u) { return; }
  var row = rank_of(directory, at / 16u);
  for (var i = at & ~15u; i < at; i++) { row += countOneBits(load(inside + i)); }
  let width = i32(given[2].x);
  var rest = load(field + at);
  while (rest != 0u) {
    let start = firstTrailingBit(rest);
    rest &= rest - 1u;
    if (((found >> start) & 1u) == 0u) { continue; }
    let t = triangle_of(leaf_at(field, at, start, rest));
    store(list + 3u * row, u32(t.a.y * width + t.a.x + 1));
    store(list + 3u * row + 1u, u32(t.b.y * width + t.b.x + 1));
    store(list + 3u * row + 2u, u32(t.c.y * width + t.c.x + 1));
    row++;
  }
}
