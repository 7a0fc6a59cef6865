// Checks for a path: no transition leads over the right border, or over the lower one. A thread has
// the end of a row and a word of the last row.

@compute @workgroup_size(MAP_THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let height = given[0].w; let notes = given[1].w;
  let right = given[2].x; let down = given[2].y; let fall = given[2].z; let rise = given[2].w;
  let is_any = given[3].z == ANY;
  let at = MAP_THREADS * number_of(group) + id;
  var open = row_bits(right, width - 1u, at);
  if (is_any) { open |= row_bits(fall, width - 1u, at) | row_bits(rise, width - 1u, at); }
  if (at <= width / 32u) {
    open |= row_bits(down, 32u * at, height - 1u);
    if (is_any) {
      open |= row_bits(fall, 32u * at, height - 1u) | row_bits(rise, 32u * at, height - 1u);
    }
  }
  if (open != 0u) { store(notes + WRONG, 1u); }
}
