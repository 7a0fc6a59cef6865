// Which pivots of a round get to which by others of them, for every kernel that asks.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// For each pivot those that it takes its ones from, itself included, and ORs of these in groups of four: [part][entry].
var<workgroup> arcs: array<vec2<u32>, 64>;
var<workgroup> steps: array<vec2<u32>, 16u * 16u>;
// Which steps of the closure of `arcs` changed it, and whether the last one did.
var<workgroup> changes: atomic<u32>;
var<workgroup> has_changed: u32;

const NO_PIVOT = vec2<u32>(0u);

// Those of the pivots that lie below `n`.
fn valid(round: u32, n: u32) -> vec2<u32> {
  let start = 64u * round;
  let has = clamp(max(n, start) - start, 0u, 64u);
  var mask = NO_PIVOT;
  if (has >= 32u) { mask.x = 0xffffffffu; } else { mask.x = (1u << has) - 1u; }
  if (has >= 64u) { mask.y = 0xffffffffu; } else if (has > 32u) { mask.y = (1u << (has - 32u)) - 1u; }
  return mask;
}

// OR of what these pivots have in `arcs`.
fn stepped(w: vec2<u32>) -> vec2<u32> {
  return steps[0u + (w.x & 15u)] | steps[16u + ((w.x >> 4u) & 15u)] |
    steps[32u + ((w.x >> 8u) & 15u)] | steps[48u + ((w.x >> 12u) & 15u)] |
    steps[64u + ((w.x >> 16u) & 15u)] | steps[80u + ((w.x >> 20u) & 15u)] |
    steps[96u + ((w.x >> 24u) & 15u)] | steps[112u + ((w.x >> 28u) & 15u)] |
    steps[128u + (w.y & 15u)] | steps[144u + ((w.y >> 4u) & 15u)] |
    steps[160u + ((w.y >> 8u) & 15u)] | steps[176u + ((w.y >> 12u) & 15u)] |
    steps[192u + ((w.y >> 16u) & 15u)] | steps[208u + ((w.y >> 20u) & 15u)] |
    steps[224u + ((w.y >> 24u) & 15u)] | steps[240u + ((w.y >> 28u) & 15u)];
}

// The closure of `arcs`, and its ORs; `changes` is zero. All threads of a workgroup of 256 are here.
fn close(id: u32) {
  // Ways of up to 2, 4, 8 … 64 arcs; the last step finds none that is longer.
  let part = id >> 4u;
  for (var i = 0u; i < 7u; i++) {
    var sum = NO_PIVOT;
    if ((id & 1u) != 0u) { sum |= arcs[4u * part]; }
    if ((id & 2u) != 0u) { sum |= arcs[4u * part + 1u]; }
    if ((id & 4u) != 0u) { sum |= arcs[4u * part + 2u]; }
    if ((id & 8u) != 0u) { sum |= arcs[4u * part + 3u]; }
    steps[id] = sum;
    workgroupBarrier();
    if (id < 64u) {
      let before = arcs[id]; let after = stepped(before);
      if (any(after != before)) { arcs[id] = after; atomicOr(&changes, 1u << i); }
    }
    workgroupBarrier();
    if (id == 0u) { has_changed = (atomicLoad(&changes) >> i) & 1u; }
    if (workgroupUniformLoad(&has_changed) == 0u) { break; }
  }
}
