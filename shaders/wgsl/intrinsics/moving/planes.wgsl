// The last updates of a batch in tables of coordinates; those of removed objects are zero. A thread
// has an update.

fn put(at: u32, row: u32, bit: u32) {
  if (bit == 1u) { fetch_or(at + (row >> 5u), 1u << (row & 31u)); }
  else { fetch_and(at + (row >> 5u), ~(1u << (row & 31u))); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let xs = given[7].x; let ys = given[7].y; let stride = given[7].z; let columns = given[7].w;
  let there = given[6].w;
  let update = THREADS * number_of(group) + id;
  if (update >= given[5].x || !is_last(update)) { return; }
  let row = moved(update); let is_there = !is_gone(update);
  let at = select(vec2<u32>(0u), vec2<u32>(target_of(update)), is_there);
  for (var column = 0u; column < columns; column++) {
    let bits = (at >> vec2<u32>(columns - 1u - column)) & vec2<u32>(1u);
    put(xs + column * stride, row, bits.x);
    put(ys + column * stride, row, bits.y);
  }
  put(there, row, select(0u, 1u, is_there));
}
