// The packed heap: the counts of all nodes, level by level, and the field. A thread computes a word
// and stores it, or compares it with the word of another heap and notes a difference.

// Returns the part of element 0 that is in a word: the given marker of the depth.
fn marker(word: u32) -> u32 {
  if (word == 0u) { return given[2].z; }
  return select(0u, given[2].w, word == 1u);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let depth = given[0].x;
  let live = given[1].x; let field = given[1].y; let directory = given[1].z; let to = given[1].w;
  let other = given[2].x; let notes = given[2].y;
  let word = THREADS * number_of(group) + id;
  let n = n_bits();
  if (word >= (4u * n + 31u) / 32u) { return; }
  var bits = marker(word);
  let begin = 32u * word; let end = min(begin + 32u, 4u * n);
  // Level d begins at bit (D - d + 3) << d.
  var level = 0u;
  while (level < depth && ((depth + 2u - level) << (level + 1u)) <= begin) { level++; }
  var at = max(begin, depth + 3u);
  while (at < end) {
    while (level < depth && ((depth + 2u - level) << (level + 1u)) <= at) { level++; }
    if (level == depth) {
      // The field, from bit 3 << D.
      let x = at - 3u * n;
      bits |= (load(live + (x >> 5u)) >> (x & 31u)) << (at - begin);
      break;
    }
    let size = depth - level + 1u;
    let inside = at - ((depth + 3u - level) << level);
    let width = n >> level;
    let count = ones_in(field, directory, (inside / size) * width, width);
    bits |= (count >> (inside % size)) << (at - begin);
    at += size - inside % size;
  }
  if (other == 0u) { store(to + word, bits); }
  else if (load(other + word) != bits) { join_max(notes, 1u); }
}
