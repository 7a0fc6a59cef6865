// All leaves of a tree as columns of two tables: heap indices and levels. The preceding text of the
// transpose is generated.
//
// A thread has a word of the field. The workgroup puts the heap indices of its leaves into shared
// memory, in groups of 32 rows; then a thread transposes a group. Rows of a group may belong to
// several workgroups, which add their bits to zeros.

const GROUP = 37u;   // 32 indices, which become columns; then five columns of levels

var<workgroup> rows: array<u32, GROUP * (THREADS + 1u)>;
var<workgroup> counts: array<u32, THREADS>;

// Returns where the index of a row is in shared memory.
fn place(row: u32) -> u32 { return GROUP * (row >> 5u) + (row & 31u); }

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let depth = given[0].x;
  let field = given[1].x; let directory = given[1].y;
  let indices = given[2].xy; let levels = given[2].zw;
  let part = number_of(group);
  let first = THREADS * part;
  if (first >= n_words()) { return; }
  let at = first + id;
  var bits = 0u;
  if (at < n_words()) { bits = load(field + at); }
  let own = countOneBits(bits);
  counts[id] = own;
  workgroupBarrier();
  for (var gap = 1u; gap < THREADS; gap *= 2u) {
    var more = 0u;
    if (id >= gap) { more = counts[id - gap]; }
    workgroupBarrier();
    counts[id] += more;
    workgroupBarrier();
  }
  let total = workgroupUniformLoad(&counts[THREADS - 1u]);
  if (total == 0u) { return; }
  let rank = rank_of(directory, first / 16u);
  // Rows of the first group before, and of the last group after these leaves are zeros.
  let skip = rank & 31u; let end = skip + total;
  for (var i = id; i < skip; i += THREADS) { rows[place(i)] = 0u; }
  for (var i = end + id; i < ((end + 31u) & ~31u); i += THREADS) { rows[place(i)] = 0u; }
  var rest = bits; var row = skip + counts[id] - own;
  while (rest != 0u) {
    let start = firstTrailingBit(rest);
    rest &= rest - 1u;
    var width = in_word() - start;
    if (rest != 0u) { width = firstTrailingBit(rest) - start; }
    else if (start == 0u) { width = width_from(field, 32u * at, width); }
    rows[place(row)] = (n_bits() + 32u * at + start) >> firstTrailingBit(width);
    row++;
  }
  workgroupBarrier();
  let groups = (end + 31u) >> 5u;
  for (var g = id; g < groups; g += THREADS) { transpose(GROUP * g); }
  workgroupBarrier();
  for (var column = 0u; column < depth + 6u; column++) {
    // The first column has the highest bits.
    var slot = depth - column; var to = indices.x + column * indices.y;
    if (column > depth) {
      slot = 37u + depth - column; to = levels.x + (column - depth - 1u) * levels.y;
    }
    for (var g = id; g < groups; g += THREADS) {
      let is_shared = (g == 0u && skip != 0u) || (g == groups - 1u && (end & 31u) != 0u);
      let word = rows[GROUP * g + slot]; let at = to + (rank >> 5u) + g;
      if (is_shared) { join_add(at, word); } else { store(at, word); }
    }
  }
}
