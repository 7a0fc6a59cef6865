// A round of the transitive closure of a small table, in one dispatch: lines that reach one of 128
// pivots, directly or through others of them, reach all successors of these pivots.
//
// The lines of the table are its columns, and pivot k is line k and bit k of every line. A round
// needs two parts of the table in their state after the previous round: the bits of the pivots in
// every line, and the lines of the pivots. The previous round has copied them outside the table, so
// that no thread reads what another one writes, and a round is one dispatch.
//
// Every workgroup computes the closure of the pivots itself, and ORs of pivots in groups of four,
// 16 of each group, for its limbs. That takes longer than its lines do. So a workgroup has many
// threads and many lines, and there are no more workgroups than a device runs at once. Each of the
// lines uses one OR of each group, four limbs a thread. Addresses are counted in pairs of limbs:
// lines begin at even ones. The preceding constants are generated from the tables of star-shaders.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// For each pivot the pivots whose ones it receives, itself included.
var<workgroup> arcs: array<vec4<u32>, 128>;
// OR of the pivots in number `entry` of group `part`: first of their bits in `arcs`, [part][entry],
// then of four limbs of their lines, [part][entry][lane].
var<workgroup> sums: array<vec4<u32>, 512u * LANES>;
// For each line the pivots whose ones it receives.
var<workgroup> reached: array<vec4<u32>, MOST_LINES>;
// The steps of the closure of `arcs` that changed it, and whether the last one did.
var<workgroup> changes: atomic<u32>;
var<workgroup> has_changed: u32;

const NO_PIVOT = vec4<u32>(0u);

// Returns the OR of these pivots of eight groups, which begin at `first`, with `by` lanes.
fn of_eight(w: u32, first: u32, by: u32) -> vec4<u32> {
  return sums[first + by * (w & 15u)] | sums[first + by * (16u + ((w >> 4u) & 15u))] |
    sums[first + by * (32u + ((w >> 8u) & 15u))] | sums[first + by * (48u + ((w >> 12u) & 15u))] |
    sums[first + by * (64u + ((w >> 16u) & 15u))] | sums[first + by * (80u + ((w >> 20u) & 15u))] |
    sums[first + by * (96u + ((w >> 24u) & 15u))] | sums[first + by * (112u + (w >> 28u))];
}
// Returns the OR of these pivots, in a lane.
fn joined(w: vec4<u32>, lane: u32, by: u32) -> vec4<u32> {
  return of_eight(w.x, lane, by) | of_eight(w.y, 128u * by + lane, by) |
    of_eight(w.z, 256u * by + lane, by) | of_eight(w.w, 384u * by + lane, by);
}

// Returns the pivots below `n`.
fn valid(round: u32, n: u32) -> vec4<u32> {
  let start = vec4<u32>(128u * round) + vec4<u32>(0u, 32u, 64u, 96u);
  let has = clamp(max(vec4<u32>(n), start) - start, vec4<u32>(0u), vec4<u32>(32u));
  let some = (vec4<u32>(1u) << (has & vec4<u32>(31u))) - vec4<u32>(1u);
  return select(some, vec4<u32>(0xffffffffu), has == vec4<u32>(32u));
}

// Computes the closure of `arcs`, and its ORs; `changes` is zero.
fn close(id: u32) {
  // Paths of up to 2, 4, 8 … 128 arcs; the last step finds no longer ones.
  let first = 4u * ((id >> 4u) & 31u);
  for (var i = 0u; i < 8u; i++) {
    if (id < 512u) {
      var sum = NO_PIVOT;
      if ((id & 1u) != 0u) { sum |= arcs[first]; }
      if ((id & 2u) != 0u) { sum |= arcs[first + 1u]; }
      if ((id & 4u) != 0u) { sum |= arcs[first + 2u]; }
      if ((id & 8u) != 0u) { sum |= arcs[first + 3u]; }
      sums[id] = sum;
    }
    workgroupBarrier();
    if (id < 128u) {
      let before = arcs[id]; let after = joined(before, 0u, 1u);
      if (any(after != before)) { arcs[id] = after; atomicOr(&changes, 1u << i); }
    }
    workgroupBarrier();
    if (id == 0u) { has_changed = (atomicLoad(&changes) >> i) & 1u; }
    if (workgroupUniformLoad(&has_changed) == 0u) { break; }
  }
}

// Returns the bits of the pivots in a line.
fn load_bits(at: u32, line: u32) -> vec4<u32> {
  return vec4<u32>(load(at + 2u * line), load(at + 2u * line + 1u));
}
// Returns pairs `x` and `x` + 1 of a line that has `pairs`.
fn load_two(at: u32, x: u32, pairs: u32) -> vec4<u32> {
  var u = vec4<u32>(0u);
  if (x < pairs) { let pair = load(at + x); u.x = pair.x; u.y = pair.y; }
  if (x + 1u < pairs) { let pair = load(at + x + 1u); u.z = pair.x; u.w = pair.y; }
  return u;
}
fn store_two(at: u32, x: u32, pairs: u32, u: vec4<u32>) {
  if (x < pairs) { store(at + x, u.xy); }
  if (x + 1u < pairs) { store(at + x + 1u, u.zw); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let lines = given[0].z;
  let n = given[1].x; let round = given[1].y; let next = given[1].z; let share = given[1].w;
  // Bits of the pivots in every line, and lines of the pivots: of this round, and of the next one.
  let bits = given[2].x; let bits_next = given[2].y; let pivots = given[2].z; let pivots_next = given[2].w;
  let is_pivot = valid(round, n);
  let start = group.y * share; let n_lines = min(share, lines - start);
  // A thread computes four entries of a group: those with the same upper two pivots. Its loads
  // proceed while the closure of the pivots is computed.
  let makes = id < 128u * LANES;
  let part = (id / (4u * LANES)) & 31u; let quarter = id & 3u; let of_lane = (id >> 2u) & (LANES - 1u);
  let column = 2u * (LANES * group.x + of_lane); let first = 128u * round + 4u * part;
  let has = select(0u, max(n, first) - first, makes);
  var p = vec4<u32>(0u); var q = vec4<u32>(0u); var upper = vec4<u32>(0u);
  let at = pivots + 4u * part * stride;
  if (has > 0u) { p = load_two(at, column, stride); }
  if (has > 1u) { q = load_two(at + stride, column, stride); }
  if (has > 2u && (quarter & 1u) != 0u) { upper = load_two(at + 2u * stride, column, stride); }
  if (has > 3u && (quarter & 2u) != 0u) { upper |= load_two(at + 3u * stride, column, stride); }
  if (id < 128u) {
    var own = NO_PIVOT;
    let line = 128u * round + id;
    if (line < n) {
      let itself = vec4<u32>(id >> 5u) == vec4<u32>(0u, 1u, 2u, 3u);
      own = (load_bits(bits, line) & is_pivot) | select(NO_PIVOT, vec4<u32>(1u << (id & 31u)), itself);
    }
    arcs[id] = own;
  }
  if (id == 0u) { atomicStore(&changes, 0u); }
  var of_line = NO_PIVOT;
  if (id < n_lines) { of_line = load_bits(bits, start + id) & is_pivot; }
  workgroupBarrier();
  close(id);
  if (id < n_lines) { reached[id] = joined(of_line, 0u, 1u); }
  workgroupBarrier();
  if (makes) {
    let entry = LANES * (16u * part + 4u * quarter) + of_lane;
    sums[entry] = upper; sums[entry + LANES] = upper | p;
    sums[entry + 2u * LANES] = upper | q; sums[entry + 3u * LANES] = upper | p | q;
  }
  workgroupBarrier();
  let lane = id & (LANES - 1u); let x = 2u * (LANES * group.x + lane);
  // Whether this thread has the bits of the pivots of the next round.
  let has_bits = x == 2u * next;
  for (var i = id / LANES; i < n_lines; i += THREADS / LANES) {
    let line = start + i; let w = reached[i];
    let is_next = line >> 7u == next;
    if (any(w != NO_PIVOT) || has_bits || is_next) {
      let before = load_two(table + line * stride, x, stride);
      var sum = before;
      if (any(w != NO_PIVOT) && any(before != vec4<u32>(0xffffffffu))) {
        sum |= joined(w, lane, LANES);
        if (any(sum != before)) { store_two(table + line * stride, x, stride, sum); }
      }
      if (has_bits) { store(bits_next + 2u * line, sum.xy); store(bits_next + 2u * line + 1u, sum.zw); }
      if (is_next) { store_two(pivots_next + (line & 127u) * stride, x, stride, sum); }
    }
  }
}
