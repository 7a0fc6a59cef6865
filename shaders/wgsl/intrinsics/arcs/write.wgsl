// Numbers of vertices as columns of a table; UNREACHED is all ones. A thread has 32 vertices of a
// column: adjacent threads have adjacent columns, which need the same numbers.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[0].x; let notes = given[1].y;
  let numbers = given[3].x; let table = given[3].y; let stride = given[3].z; let columns = given[3].w;
  // What is added to each number.
  let more = given[4].x;
  let at = THREADS * number_of(group) + id;
  let column = at % columns; let word = at / columns;
  if (32u * word >= n) { return; }
  let bit = columns - 1u - column;
  var bits = 0u; var greatest = 0u;
  for (var i = 0u; i < min(n - 32u * word, 32u); i++) {
    let number = load(numbers + 32u * word + i);
    if (number == UNREACHED) {
      bits |= 1u << i;
    } else {
      greatest = max(greatest, number);
      if (bit < 32u) { bits |= (((number + more) >> bit) & 1u) << i; }
    }
  }
  store(table + column * stride + word, bits);
  if (column == 0u && load(notes + GREATEST) < greatest) { join_max(notes + GREATEST, greatest); }
}
