// Adjacent buckets for the objects of a cell that the first one has no slots for. A thread has a
// cell.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let counts = given[5].x;
  let cell = THREADS * number_of(group) + id;
  if (cell >= n_cells()) { return; }
  let n = load(counts + cell);
  if (n > SLOTS) { store(head_of(cell) + 1u, fetch_add(given[4].x, (n - 1u) / SLOTS)); }
}
