// The maps of a wave from the slices of a grid: open transitions, and the goals as visited cells. A
// thread has a word of each map. Tiles near goals form the first queue.

@compute @workgroup_size(MAP_THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let height = given[0].w;
  let gap = given[1].x; let words = given[1].y;
  let right = given[2].x; let down = given[2].y;
  let goals = given[3].x; let maps = given[3].y; let seen = given[3].z; let notes = given[3].w;
  let diagonals = given[4].z;
  let at = MAP_THREADS * number_of(group) + id;
  let x = 32u * (at / gap) - 32u; let y = at % gap - WAVES;
  // Both wrap in the margin.
  if (x >= width || y >= height) { return; }
  let is_last_row = y + 1u == height;
  let r = row_bits(right, x, y);
  var d = 0u; var f = 0u; var s = 0u;
  if (!is_last_row) {
    d = row_bits(down, x, y);
    if (diagonals == SQUARES) { f = r & row_bits(right, x, y + 1u) & d & row_bits(down, x + 1u, y); }
    if (diagonals == ANY) { f = row_bits(given[2].z, x, y); s = row_bits(given[2].w, x, y); }
  }
  // A transition over the right border leads to the next row, which tiles do not support.
  if (width - x <= 32u && (((r | f | s) >> (width - x - 1u)) & 1u) == 1u) { store(notes + WRONG, 1u); }
  store(maps + at, r);
  store(maps + words + at, d);
  if (diagonals != NONE) { store(maps + 2u * words + at, f); }
  if (diagonals == ANY) { store(maps + 3u * words + at, s); }
  let found = row_bits(goals, x, y);
  if (found == 0u) { return; }
  store(seen + at, found);
  store(seen + words + at, found);
  let queue = Queue(given[4].y, given[4].x, notes, FIRST);
  for (var i = 0u; i < 9u; i++) { append_neighbour(queue, x / COLUMNS, y / ROWS, i); }
}
