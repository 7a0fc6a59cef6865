// A window of a weighted wave (Note [Tiles and buckets] in star-shaders): all tiles that are due at
// the least bucket. A workgroup relaxes the cells of a tile until nothing changes.

// A tile with the cells around it.
const FRAMED = SIDE + 2u;
const N_FRAMED = FRAMED * FRAMED;
const N_CELLS = SIDE * SIDE;
// The tile itself among its neighbours.
const OWN = 4u;

var<workgroup> costs: array<atomic<u32>, N_FRAMED>;
var<workgroup> cells: array<u32, N_FRAMED>;
// The tiles of this workgroup that are due.
var<workgroup> list: array<u32, THREADS>;
var<workgroup> listed: atomic<u32>;
var<workgroup> changes: atomic<u32>;
// When the tile and its neighbours are due in the next window, and the least bucket of all.
var<workgroup> marks: array<atomic<u32>, 9>;
var<workgroup> least: atomic<u32>;
var<workgroup> kept: u32;

// Returns the cost over a neighbour, from which the wave continues if its cost is less than `end`.
// Costs of earlier parts have become 0: their sums are not less than the costs that they gave
// before.
fn through(at: u32, is_open: u32, step: u32, end: u32) -> u32 {
  let cost = atomicLoad(&costs[at]);
  if (is_open == 0u || cost >= end) { return UNREACHED; }
  return cost + step * (cells[at] >> 8u);
}

// Notes that a cell at the edge of the tile has a cost in this bucket.
fn mark_neighbours(x: u32, y: u32, due: u32) {
  let first = select(vec2<u32>(1u), vec2<u32>(0u), vec2<u32>(x, y) == vec2<u32>(0u));
  let last = select(vec2<u32>(1u), vec2<u32>(2u), vec2<u32>(x, y) == vec2<u32>(SIDE - 1u));
  for (var i = first.y; i <= last.y; i++) {
    for (var j = first.x; j <= last.x; j++) {
      if (3u * i + j != OWN) { atomicMax(&marks[3u * i + j], due); }
    }
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let window = given[0].y; let groups = given[0].z; let height = given[0].w;
  let all_costs = given[1].x; let all_cells = given[1].y; let notes = given[1].z;
  let dues = given[2].x; let next_dues = given[2].y; let across = given[2].z; let n_tiles = given[2].w;
  let straight = given[3].x; let diagonal = given[3].y; let shift = given[3].z; let buckets = given[3].w;
  let down = n_tiles / across;
  if (id == 0u) {
    kept = ~load(notes + LEAST + window % 3u);
    atomicStore(&least, 0u);
    // That word was read by the window before.
    if (group.x == 0u) { store(notes + LEAST + (window + 2u) % 3u, 0u); }
  }
  let bucket = workgroupUniformLoad(&kept);
  let is_over = bucket >= buckets;
  let end = (bucket + 1u) << shift;
  for (var first = 0u; first < n_tiles; first += groups * THREADS) {
    if (id == 0u) { atomicStore(&listed, 0u); }
    workgroupBarrier();
    let candidate = first + id * groups + group.x;
    if (candidate < n_tiles) {
      let due = load(dues + candidate);
      if (due != 0u) {
        store(dues + candidate, 0u);
        if (~due <= bucket && !is_over) {
          list[atomicAdd(&listed, 1u)] = candidate;
        } else {
          join_max(next_dues + candidate, due);
          atomicMax(&least, due);
        }
      }
    }
    workgroupBarrier();
    if (id == 0u) {
      kept = atomicLoad(&listed);
      if (kept != 0u) { join_add(notes + PROCESSED, kept); }
    }
    let n = workgroupUniformLoad(&kept);
    for (var i = 0u; i < n; i++) {
      let tile = list[i];
      let tile_x = tile % across; let tile_y = tile / across;
      for (var at = id; at < N_FRAMED; at += THREADS) {
        // Coordinates before the first cell wrap.
        let x = SIDE * tile_x + at % FRAMED - 1u; let y = SIDE * tile_y + at / FRAMED - 1u;
        var cost = UNREACHED; var cell = 0u;
        if (x < width && y < height) {
          cost = load(all_costs + y * width + x); cell = load(all_cells + y * width + x);
        }
        atomicStore(&costs[at], cost);
        cells[at] = cell;
      }
      for (var at = id; at < 9u; at += THREADS) { atomicStore(&marks[at], 0u); }
      var changed = 1u;
      for (var round = 0u; round < ROUNDS; round++) {
        if (id == 0u) { atomicStore(&changes, 0u); }
        workgroupBarrier();
        var is_changed = false;
        for (var own = id; own < N_CELLS; own += THREADS) {
          let at = (own / SIDE + 1u) * FRAMED + own % SIDE + 1u;
          let steps = cells[at];
          let before = atomicLoad(&costs[at]);
          var cost = min(before, through(at - 1u, steps & 1u, straight, end));
          cost = min(cost, through(at - FRAMED, steps & 2u, straight, end));
          cost = min(cost, through(at + 1u, steps & 4u, straight, end));
          cost = min(cost, through(at + FRAMED, steps & 8u, straight, end));
#ifdef DIAGONAL
          cost = min(cost, through(at - FRAMED - 1u, steps & 16u, diagonal, end));
          cost = min(cost, through(at - FRAMED + 1u, steps & 32u, diagonal, end));
          cost = min(cost, through(at + FRAMED + 1u, steps & 64u, diagonal, end));
          cost = min(cost, through(at + FRAMED - 1u, steps & 128u, diagonal, end));
#endif
          if (cost < before) { atomicStore(&costs[at], cost); is_changed = true; }
        }
        if (is_changed) { atomicStore(&changes, 1u); }
        workgroupBarrier();
        if (id == 0u) { kept = atomicLoad(&changes); }
        changed = workgroupUniformLoad(&kept);
        if (changed == 0u) { break; }
      }
      if (id == 0u && changed != 0u) { atomicMax(&marks[OWN], ~bucket); }
      for (var at = id; at < N_FRAMED; at += THREADS) {
        let cost = atomicLoad(&costs[at]);
        // The wave has not continued from that cell yet.
        if (cost >= end && cost != UNREACHED) { atomicMax(&marks[OWN], ~(cost >> shift)); }
        let x = at % FRAMED - 1u; let y = at / FRAMED - 1u;
        let cell_x = SIDE * tile_x + x; let cell_y = SIDE * tile_y + y;
        if (x < SIDE && y < SIDE && cell_x < width && cell_y < height) {
          let to = all_costs + cell_y * width + cell_x;
          if (cost != load(to)) {
            store(to, cost);
            mark_neighbours(x, y, ~(cost >> shift));
          }
        }
      }
      workgroupBarrier();
      for (var at = id; at < 9u; at += THREADS) {
        let due = atomicLoad(&marks[at]);
        let x = tile_x + at % 3u - 1u; let y = tile_y + at / 3u - 1u;
        if (due != 0u && x < across && y < down) {
          join_max(next_dues + y * across + x, due);
          atomicMax(&least, due);
        }
      }
      workgroupBarrier();
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    let due = atomicLoad(&least);
    if (due != 0u) { join_max(notes + LEAST + (window + 1u) % 3u, due); }
  }
}
