// The greatest of some numbers, and the complement of the least one. A thread has a few.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let numbers = given[1].x; let n = given[1].y; let share = given[1].z; let notes = given[1].w;
  let first = share * (THREADS * number_of(group) + id);
  var greatest = 0u; var complement = 0u;
  for (var i = first; i < min(first + share, n); i++) {
    let number = load(numbers + i);
    greatest = max(greatest, number);
    complement = max(complement, ~number);
  }
  if (first < n) { join_max(notes, greatest); join_max(notes + 1u, complement); }
}
