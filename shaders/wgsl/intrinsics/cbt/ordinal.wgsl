// The leaf with an ordinal, from 0: its heap index and level; nothing if there is none, or the
// field encodes no tree. One thread.

@compute @workgroup_size(1)
fn main() {
  let field = given[1].x; let directory = given[1].y; let ordinal = given[1].z;
  let notes = given[1].w;
  let tiles = directory + n_blocks();
  if (ordinal >= load(tiles + n_tiles()) || load(tiles + n_tiles() + 1u) != 0u) { return; }
  // The last block with at most this number of leaves before it.
  var low = 0u; var high = n_blocks();
  while (low + 1u < high) {
    let middle = (low + high) / 2u;
    if (rank_of(directory, middle) <= ordinal) { low = middle; } else { high = middle; }
  }
  var left = ordinal - rank_of(directory, low);
  var at = 16u * low;
  var bits = load(field + at);
  while (left >= countOneBits(bits)) {
    left -= countOneBits(bits);
    at++;
    bits = load(field + at);
  }
  for (var i = 0u; i < left; i++) { bits &= bits - 1u; }
  let x = 32u * at + firstTrailingBit(bits);
  let log_width = firstTrailingBit(width_from(field, x, 1u));
  store(notes, 1u);
  store(notes + 1u, (n_bits() + x) >> log_width);
  store(notes + 2u, given[0].x - log_width);
}
