// A layer of the program of source 003: for each link all links before it that the limit admits. A
// thread has a link.
//
// Words: for each difference of indices, plus d - 1, the range of links before it that are admitted,
// as differences plus d - 1, and the range of points if they come from a; the scores of the links
// from a; the scores of all layers, by the points at which they begin; for each point the values of
// the links that end there, twice.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

const NONE = -0x7fffffff - 1;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let base = given[0].x; let d = given[0].y; let layer = given[0].z; let across = given[0].w;
  let firsts = base + given[1].x; let scores = base + given[1].y;
  let values = base + given[1].z; let results = base + given[1].w;
  let at = (group.y * across + group.x) * THREADS + lane;
  if (at >= d * d) { return; }
  let start = at / d; let end = at % d;
  let difference = end + d - 1u - start;
  var best = NONE;
  if (layer == 0u) {
    let low = load(base + 4u * difference + 2u); let high = load(base + 4u * difference + 3u);
    if (start >= low && start < high) { best = bitcast<i32>(load(firsts + start)); }
  } else {
    // The difference of a link before is this point less the one where it begins.
    let low = i32(load(base + 4u * difference)); let high = i32(load(base + 4u * difference + 1u));
    let most = i32(start + d - 1u);
    for (var i = max(most - high + 1, 0); i < min(most - low + 1, i32(d)); i++) {
      best = max(best, bitcast<i32>(load(values + start * d + u32(i))));
    }
  }
  store(results + end * d + start, u32(best) + load(scores + (layer * d + start) * d + end));
}
