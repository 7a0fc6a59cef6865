// The second half of the rank directory: the counts of tiles become sums of all tiles before. One
// workgroup; a thread has adjacent tiles.

var<workgroup> sums: array<u32, THREADS>;
var<workgroup> has_wrong: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32) {
  let tiles = given[2].x + n_blocks();
  let share = (n_tiles() + THREADS - 1u) / THREADS;
  let first = min(id * share, n_tiles()); let end = min(first + share, n_tiles());
  var own = 0u; var wrong = 0u;
  for (var i = first; i < end; i++) {
    let count = load(tiles + i);
    own += count & 0x7fffffffu;
    wrong |= count >> 31u;
  }
  if (wrong != 0u) { atomicOr(&has_wrong, 1u); }
  sums[id] = own;
  workgroupBarrier();
  for (var gap = 1u; gap < THREADS; gap *= 2u) {
    var more = 0u;
    if (id >= gap) { more = sums[id - gap]; }
    workgroupBarrier();
    sums[id] += more;
    workgroupBarrier();
  }
  var rank = sums[id] - own;
  for (var i = first; i < end; i++) {
    let count = load(tiles + i) & 0x7fffffffu;
    store(tiles + i, rank);
    rank += count;
  }
  if (id == THREADS - 1u) {
    store(tiles + n_tiles(), sums[id]);
    store(tiles + n_tiles() + 1u, atomicLoad(&has_wrong));
  }
}
