// The labels of cells without a path become all ones, and so do those beyond the label at which the
// wave stops. A thread has a word of all columns.

@compute @workgroup_size(MAP_THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n_cells = given[0].x * given[0].w;
  let stride = given[1].y; let columns = given[1].z;
  // The columns before the last `bits` ones are zeros.
  let bits = given[1].w;
  let goals = given[2].x; let is_limited = given[2].y == 1u; let limit = given[2].z;
  let word = MAP_THREADS * number_of(group) + id;
  if (word > (n_cells - 1u) / 32u) { return; }
  let first = given[1].x + word;
  let labels = first + (columns - bits) * stride;
  var reached = load(goals + word); var is_equal = 0xffffffffu; var is_beyond = 0u;
  for (var column = 0u; column < bits; column++) {
    let plane = load(labels + column * stride);
    reached |= plane;
    if (((limit >> (bits - 1u - column)) & 1u) == 1u) { is_equal &= plane; }
    else { is_beyond |= is_equal & plane; is_equal &= ~plane; }
  }
  if (is_limited) { reached &= ~is_beyond; }
  let n = min(n_cells - 32u * word, 32u);
  let rest = ~reached & (0xffffffffu >> (32u - n));
  if (rest == 0u) { return; }
  for (var column = 0u; column < columns; column++) {
    let at = first + column * stride;
    if (column < columns - bits) { store(at, rest); } else { store(at, load(at) | rest); }
  }
}
