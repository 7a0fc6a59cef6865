// The first half of a round: lengths from and to 64 pivots by way of these alone, beside the matrix. Every workgroup finds the
// lengths among the pivots, which all need, and those of 64 other vertices: the even ones to the pivots, the
// odd ones from them, a line for each pivot either way.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// Lengths among the pivots, [to][from] for even workgroups and [from][to] for odd ones; lengths of the others, [pivot][other].
var<workgroup> among: array<u32, 4096>;
var<workgroup> others: array<u32, 4096>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let matrix = given[0].x; let side = given[0].y; let first = 64u * given[0].z;
  let down = given[1].x; let across = given[1].y;
  let is_odd = (group.x & 1u) == 1u; let start = 64u * (group.x >> 1u);
  for (var i = id; i < 4096u; i += THREADS) {
    let high = i >> 6u; let low = i & 63u;
    let length = load(matrix + (first + high) * side + first + low);
    if (is_odd) {
      among[64u * low + high] = length;
      others[64u * low + high] = load(matrix + (start + high) * side + first + low);
    } else {
      among[i] = length;
      others[i] = load(matrix + (first + high) * side + start + low);
    }
  }
  workgroupBarrier();
  // A thread has every 16th of both.
  let a = id >> 4u; let b = id & 15u;
  for (var k = 0u; k < 64u; k++) {
    let to = vec4<u32>(among[64u * k + b], among[64u * k + b + 16u], among[64u * k + b + 32u], among[64u * k + b + 48u]);
    let s = vec4<u32>(among[64u * a + k], among[64u * (a + 16u) + k], among[64u * (a + 32u) + k], among[64u * (a + 48u) + k]);
    workgroupBarrier();
    for (var i = 0u; i < 4u; i++) {
      let at = 64u * (a + 16u * i) + b; let sum = to + vec4<u32>(s[i]);
      among[at] = min(among[at], sum.x); among[at + 16u] = min(among[at + 16u], sum.y);
      among[at + 32u] = min(among[at + 32u], sum.z); among[at + 48u] = min(among[at + 48u], sum.w);
    }
    workgroupBarrier();
  }
  var p = vec4<u32>(NONE); var q = p; var r = p; var s = p;
  for (var k = 0u; k < 64u; k++) {
    let to = vec4<u32>(others[64u * k + b], others[64u * k + b + 16u], others[64u * k + b + 32u], others[64u * k + b + 48u]);
    p = min(p, to + vec4<u32>(among[64u * a + k]));
    q = min(q, to + vec4<u32>(among[64u * (a + 16u) + k]));
    r = min(r, to + vec4<u32>(among[64u * (a + 32u) + k]));
    s = min(s, to + vec4<u32>(among[64u * (a + 48u) + k]));
  }
  let into = select(across, down, is_odd) + start + b;
  for (var i = 0u; i < 4u; i++) {
    let line = a + 16u * i; let at = 64u * line + b;
    var found = p;
    if (i == 1u) { found = q; } else if (i == 2u) { found = r; } else if (i == 3u) { found = s; }
    store(into + line * side, min(others[at], found.x));
    store(into + line * side + 16u, min(others[at + 16u], found.y));
    store(into + line * side + 32u, min(others[at + 32u], found.z));
    store(into + line * side + 48u, min(others[at + 48u], found.w));
  }
}
