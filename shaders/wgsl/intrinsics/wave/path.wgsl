// The path as a table, and its cells in a slice; it checks the label of each cell. A thread has a
// cell, then a column of 32 cells.

var<workgroup> cells: array<u32, PATH_THREADS>;

@compute @workgroup_size(PATH_THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x;
  let labels = given[1].x; let stride = given[1].y; let columns = given[1].z; let notes = given[1].w;
  let list = given[2].x; let n_rows = given[2].y; let start = given[2].z; let on = given[2].w;
  let path = given[3].x; let path_stride = given[3].y;
  let first = PATH_THREADS * number_of(group);
  let row = first + id;
  cells[id] = 0u;
  if (row < n_rows) {
    var place = ((start % width) << 16u) | (start / width);
    if (row > 0u) { place = load(list + row); }
    let cell = (place & 0xffffu) * width + (place >> 16u);
    var label = 0u;
    for (var column = 0u; column < columns; column++) {
      label = (label << 1u) | ((load(labels + column * stride + (cell >> 5u)) >> (cell & 31u)) & 1u);
    }
    if (label != n_rows - 1u - row) { store(notes + WRONG, 1u); }
    join_add(on + (cell >> 5u), 1u << (cell & 31u));
    cells[id] = place + 0x10001u;
  }
  workgroupBarrier();
  let begin = id & ~31u; let column = id & 31u;
  if (first + begin >= n_rows) { return; }
  var bits = 0u;
  for (var i = 0u; i < 32u; i++) { bits |= ((cells[begin + i] >> (31u - column)) & 1u) << i; }
  store(path + column * path_stride + (first + begin) / 32u, bits);
}
