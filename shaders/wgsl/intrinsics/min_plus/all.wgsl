// The second half of a round: every length, or the one through 64 pivots if that is less. A
// workgroup has 128 lines and 128 entries of the matrix, a thread 8 and 8 of these: entries are
// counted in fours. The code for LOAD, STEPS and STORE is repeated for each of them.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// Lengths from and to 16 pivots: [pivot][four others].
var<workgroup> down: array<vec4<u32>, 512>;
var<workgroup> across: array<vec4<u32>, 512>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let side = given[0].y;
  // A thread prefetches two entries of the lines of 16 pivots, in both directions, while the
  // previous lines are used.
  let place = (id >> 5u) * side + (id & 31u);
  let down_at = given[1].x + 32u * group.y + place; let across_at = given[1].y + 32u * group.x + place;
  let panel = vec4<u32>(down_at, down_at + 8u * side, across_at, across_at + 8u * side);
  var next = load_four(panel);
  let x = id & 15u; let y = id >> 4u;
  let own = given[0].x + (128u * group.y + 4u * y) * side + 32u * group.x + x;
  let far = own + 64u * side;
LOAD
  for (var first = 0u; first < 64u; first += 16u) {
    down[id] = next.a; down[id + THREADS] = next.b; across[id] = next.c; across[id + THREADS] = next.d;
    workgroupBarrier();
    next = load_four(panel + vec4<u32>(min(first + 16u, 48u) * side));
    for (var k = 0u; k < 512u; k += 128u) {
      var p: vec4<u32>; var q: vec4<u32>; var a: vec4<u32>; var b: vec4<u32>;
STEPS
    }
    workgroupBarrier();
  }
STORE
}
