// A batch of splits and merges, judged on the tree before it. A thread writes a word of the new
// field.
//
// Every bit is the middle of at most one node, whose width its number says: bit y, with the lowest
// one h, is the middle of the node of width 2h at y - h. It becomes one if that is a leaf to split,
// and zero if its children are leaves to merge.

var<workgroup> counts: array<atomic<u32>, 3>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let splits = given[1].y; let merges = given[1].z; let to = given[1].w;
  let notes = given[2].x;
  let at = THREADS * number_of(group) + id;
  if (at < n_words()) {
    let bits = load(field + at);
    let s = load(splits + at); let m = load(merges + at);
    let word = word_of(field, at, bits);
    var on = 0u; var off = 0u;
    for (var h = 1u; h < 32u; h *= 2u) {
      let node = right_children(h) & before(bits, h) & after(word, h);
      on |= node & ~bits & before(s, h);
      var pair = node & bits & m & before(m, h);
      // On level D no leaf splits. Above, the children must be leaves that do not.
      if (h > 1u) { pair &= ~(before(bits, h / 2u) | after(word, h / 2u) | s | before(s, h)); }
      off |= pair;
    }
    let y = 32u * at; let h = y & (~y + 1u);
    if (at > 0u && (bit_of(field, y - h) & bit_of(field, y + h)) == 1u) {
      if ((bits & 1u) == 0u) {
        on |= bit_of(splits, y - h);
      } else {
        let is_inner = bit_of(field, y - h / 2u) | bit_of(field, y + h / 2u);
        let splits_one = bit_of(splits, y - h) | (s & 1u);
        off |= bit_of(merges, y - h) & m & 1u & ~(is_inner | splits_one);
      }
    }
    store(to + at, (bits | on) & ~off);
    if (on != 0u) { atomicAdd(&counts[0], countOneBits(on)); }
    if (off != 0u) { atomicAdd(&counts[1], countOneBits(off)); }
    if (!is_of_tree(field, at, bits)) { atomicOr(&counts[2], 1u); }
  }
  workgroupBarrier();
  if (id < 3u) { join_add(notes + id, atomicLoad(&counts[id])); }
}
