// The rows of a picture, from its cells. A thread has 32 rows of a column: adjacent threads have
// adjacent columns, whose cells are in the same words.

@compute @workgroup_size(MAP_THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let height = given[0].w;
  let cells = given[1].x; let stride = given[1].y; let columns = given[1].z;
  let picture = given[2].x; let picture_stride = given[2].y;
  let at = MAP_THREADS * number_of(group) + id;
  let column = at % columns; let y = 32u * (at / columns);
  if (y >= height) { return; }
  let plane = cells + (column / width) * stride; let x = column % width;
  var bits = 0u;
  for (var i = 0u; i < min(height - y, 32u); i++) {
    let cell = (y + i) * width + x;
    bits |= ((load(plane + (cell >> 5u)) >> (cell & 31u)) & 1u) << i;
  }
  store(picture + column * picture_stride + y / 32u, bits);
}
