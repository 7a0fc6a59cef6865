// The first half of a round: lengths from and to 64 pivots through these alone, stored outside the
// matrix. Every workgroup computes the lengths among the pivots, which all need, and those of 64
// other vertices: the even ones to the pivots, the odd ones from them, a line for each pivot in
// either direction. Addresses are counted in fours. The code for ITERATIONS is repeated for each of
// a thread's four lines and entries.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// Lengths among the pivots, [to][from] for even workgroups and [from][to] for odd ones, transposed
// at the end; lengths of the others, [pivot][other], and before that a line and a column of pivots,
// twice.
var<workgroup> among: array<vec4<u32>, 1024>;
var<workgroup> others: array<vec4<u32>, 1024>;

fn put_among(line: u32, place: u32, is_transposed: bool, v: vec4<u32>) {
  if (is_transposed) {
    let at = 64u * place + (line >> 2u); let part = line & 3u;
    among[at][part] = v.x; among[at + 16u][part] = v.y; among[at + 32u][part] = v.z; among[at + 48u][part] = v.w;
  } else {
    among[16u * line + place] = v;
  }
}
fn put_others(line: u32, place: u32, is_transposed: bool, v: vec4<u32>) {
  if (is_transposed) {
    let at = 64u * place + (line >> 2u); let part = line & 3u;
    others[at][part] = v.x; others[at + 16u][part] = v.y; others[at + 32u][part] = v.z; others[at + 48u][part] = v.w;
  } else {
    others[16u * line + place] = v;
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let matrix = given[0].x; let side = given[0].y; let round = given[0].z;
  let down = given[1].x; let across = given[1].y;
  let is_odd = (group.x & 1u) == 1u; let start = group.x >> 1u;
  // A thread has four lines and four entries of both.
  let a = id >> 4u; let b = id & 15u;
  let every = vec4<u32>(0u, 16u, 32u, 48u) * side;
  let line = matrix + (64u * select(round, start, is_odd) + a) * side + 16u * select(start, round, is_odd) + b;
  let near = load_four(vec4<u32>(matrix + (64u * round + a) * side + 16u * round + b) + every);
  let far = load_four(vec4<u32>(line) + every);
  put_among(a, b, is_odd, near.a); put_among(a + 16u, b, is_odd, near.b);
  put_among(a + 32u, b, is_odd, near.c); put_among(a + 48u, b, is_odd, near.d);
  workgroupBarrier();
  var p = among[64u * a + b]; var q = among[64u * a + 16u + b]; var r = among[64u * a + 32u + b]; var s = among[64u * a + 48u + b];
  for (var k = 0u; k < 16u; k++) {
ITERATIONS
  }
  workgroupBarrier();
  among[64u * b + a] = vec4<u32>(p.x, q.x, r.x, s.x); among[64u * b + 16u + a] = vec4<u32>(p.y, q.y, r.y, s.y);
  among[64u * b + 32u + a] = vec4<u32>(p.z, q.z, r.z, s.z); among[64u * b + 48u + a] = vec4<u32>(p.w, q.w, r.w, s.w);
  put_others(a, b, is_odd, far.a); put_others(a + 16u, b, is_odd, far.b);
  put_others(a + 32u, b, is_odd, far.c); put_others(a + 48u, b, is_odd, far.d);
  workgroupBarrier();
  p = others[64u * a + b]; q = others[64u * a + 16u + b]; r = others[64u * a + 32u + b]; s = others[64u * a + 48u + b];
  for (var k = 0u; k < 1024u; k += 16u) {
    let to = others[k + b]; let by = among[k + a];
    p = min(p, to + vec4<u32>(by.x)); q = min(q, to + vec4<u32>(by.y));
    r = min(r, to + vec4<u32>(by.z)); s = min(s, to + vec4<u32>(by.w));
  }
  let into = select(across, down, is_odd) + 4u * a * side + 16u * start + b;
  store(into, p); store(into + side, q); store(into + 2u * side, r); store(into + 3u * side, s);
}
