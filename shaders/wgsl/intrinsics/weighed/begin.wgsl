// The cells of a weighted wave from the slices of a grid and its weights, and their first costs. A
// thread has a cell. Tiles near goals are due at the first bucket.

var<workgroup> bits: atomic<u32>;
var<workgroup> counted: atomic<u32>;

fn is_open(slice: u32, x: u32, y: u32) -> bool {
  let width = given[0].x;
  // Coordinates before the first cell wrap.
  if (x >= width || y >= given[0].w) { return false; }
  let cell = y * width + x;
  return ((load(slice + (cell >> 5u)) >> (cell & 31u)) & 1u) == 1u;
}

// Returns whether the step from a cell to its lower right is open.
fn falls(x: u32, y: u32) -> bool {
  let right = given[1].x; let down = given[1].y; let diagonals = given[3].w;
  if (diagonals == ANY) { return is_open(given[1].z, x, y); }
  if (diagonals == NONE) { return false; }
  return is_open(right, x, y) && is_open(right, x, y + 1u) && is_open(down, x, y)
    && is_open(down, x + 1u, y);
}

// Returns whether the step between the right neighbour of a cell and the cell below it is open.
fn rises(x: u32, y: u32) -> bool {
  if (given[3].w == ANY) { return is_open(given[1].w, x, y); }
  return falls(x, y);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let height = given[0].w;
  let right = given[1].x; let down = given[1].y;
  let goals = given[2].x; let planes = given[2].y; let stride = given[2].z; let columns = given[2].w;
  let costs = given[3].x; let cells = given[3].y; let notes = given[3].z; let diagonals = given[3].w;
  let dues = given[4].x; let across = given[4].y;
  let cell = THREADS * number_of(group) + id;
  if (cell < width * height) {
    let x = cell % width; let y = cell / width;
    let has_below = y + 1u < height;
    var weight = 0u;
    for (var column = 0u; column < columns; column++) {
      let plane = load(planes + column * stride + (cell >> 5u));
      weight = (weight << 1u) | ((plane >> (cell & 31u)) & 1u);
    }
    // The text reports weights of 0; and a transition over the right border leads to the next row,
    // which tiles do not support.
    let leaves = has_below && diagonals == ANY && (falls(x, y) || rises(x, y));
    let is_over = x + 1u == width && (is_open(right, x, y) || leaves);
    if (weight == 0u || is_over) { join_max(notes + WRONG, 1u); }
    var steps = 0u;
    if (is_open(right, x - 1u, y)) { steps |= 1u; }
    if (is_open(down, x, y - 1u)) { steps |= 2u; }
    if (is_open(right, x, y)) { steps |= 4u; }
    if (has_below && is_open(down, x, y)) { steps |= 8u; }
    if (falls(x - 1u, y - 1u)) { steps |= 16u; }
    if (rises(x, y - 1u)) { steps |= 32u; }
    if (has_below && falls(x, y)) { steps |= 64u; }
    if (has_below && rises(x - 1u, y)) { steps |= 128u; }
    join_max(notes + HEAVIEST, weight);
    if (steps != 0u) {
      atomicAdd(&bits, firstLeadingBit(weight) + 1u);
      atomicAdd(&counted, 1u);
    }
    store(cells + cell, (weight << 8u) | steps);
    let is_goal = is_open(goals, x, y);
    store(costs + cell, select(UNREACHED, FIRST, is_goal));
    if (is_goal) {
      // The tiles of the neighbours are those of the diagonal ones.
      for (var i = 0u; i < 4u; i++) {
        let x1 = min(max(x + 2u * (i & 1u), 1u) - 1u, width - 1u);
        let y1 = min(max(y + (i & 2u), 1u) - 1u, height - 1u);
        join_max(dues + (y1 / SIDE) * across + x1 / SIDE, DUE_FIRST);
      }
      join_max(notes + LEAST, DUE_FIRST);
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    let n = atomicLoad(&counted);
    if (n != 0u) { join_add(notes + BITS, atomicLoad(&bits) / n); join_add(notes + PARTS, 1u); }
  }
}
