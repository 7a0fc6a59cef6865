// Counts of the leaves that begin in blocks of 512 bits, the first half of the rank directory, and
// the check that the field encodes a tree. On the way, the field is copied.
//
// A workgroup has a tile of blocks, one for each thread. It stores the number of leaves of its
// tile, with the upper bit set if some leaf is no node.

const WORDS = 16u * TILE_BLOCKS;

// The words of the tile; the padding spreads the words of a block over memory banks.
var<workgroup> words: array<u32, 17u * TILE_BLOCKS>;
var<workgroup> sums: array<u32, TILE_BLOCKS>;
var<workgroup> has_wrong: atomic<u32>;

@compute @workgroup_size(TILE_BLOCKS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let shift = given[1].y; let copies = given[1].zw;
  let directory = given[2].x;
  let tile = number_of(group);
  if (tile >= n_tiles()) { return; }
  let mask = 0xffffffffu >> (32u - in_word());
  // A load does not wait for another one as long as nothing is stored.
  for (var i = id; i < WORDS; i += TILE_BLOCKS) {
    let at = WORDS * tile + i;
    var bits = 0u;
    if (at < n_words()) { bits = (load(field + at) >> shift) & mask; }
    words[i + (i >> 4u)] = bits;
  }
  workgroupBarrier();
  var is_wrong = false;
  for (var i = id; i < WORDS; i += TILE_BLOCKS) {
    let at = WORDS * tile + i;
    if (at < n_words() && !is_of_tree(field, at, words[i + (i >> 4u)])) { is_wrong = true; }
  }
  if (is_wrong) { atomicOr(&has_wrong, 1u); }
  for (var i = id; i < WORDS; i += TILE_BLOCKS) {
    let at = WORDS * tile + i;
    if (at < n_words()) {
      if (copies.x != 0u) { store(copies.x + at, words[i + (i >> 4u)]); }
      if (copies.y != 0u) { store(copies.y + at, words[i + (i >> 4u)]); }
    }
  }
  var own = 0u;
  for (var i = 0u; i < 16u; i++) { own += countOneBits(words[17u * id + i]); }
  sums[id] = own;
  workgroupBarrier();
  for (var gap = 1u; gap < TILE_BLOCKS; gap *= 2u) {
    var more = 0u;
    if (id >= gap) { more = sums[id - gap]; }
    workgroupBarrier();
    sums[id] += more;
    workgroupBarrier();
  }
  let block = TILE_BLOCKS * tile + id;
  if (block < n_blocks()) { store(directory + block, sums[id] - own); }
  if (id == TILE_BLOCKS - 1u) {
    store(directory + n_blocks() + tile, sums[id] | (atomicLoad(&has_wrong) << 31u));
  }
}
