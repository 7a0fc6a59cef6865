// The greatest of the notes that the reading workgroups left, for the host, followed by the limb of
// a word.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

var<workgroup> seen: array<vec2<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32) {
  let notes = given[0].x; let n = given[0].y; let word = given[0].z; let into = given[0].w;
  var own = vec2<u32>(0u);
  for (var i = id; i < n; i += THREADS) {
    own = max(own, vec2<u32>(load(notes + 2u * i), load(notes + 2u * i + 1u)));
  }
  seen[id] = own;
  workgroupBarrier();
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    if (id < half) { seen[id] = max(seen[id], seen[id + half]); }
    workgroupBarrier();
  }
  if (id == 0u) {
    let both = seen[0];
    store(into, both.x); store(into + 1u, both.y); store(into + 2u, load(word));
  }
}
