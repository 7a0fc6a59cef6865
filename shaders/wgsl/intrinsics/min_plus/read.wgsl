// Conversion of numbers in the columns of a table to integers, a line of them for each field;
// missing paths become NONE. The preceding constants are generated from the tables of star-shaders.
//
// A workgroup has 256 rows and a share of the fields. It stores its greatest number, and whether a
// vertex has no length to itself.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

var<workgroup> seen: array<vec2<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let n = given[0].z; let width = given[0].w;
  let matrix = given[1].x; let side = given[1].y; let notes = given[1].z; let share = given[1].w;
  let across = given[2].x;
  let row = THREADS * group.x + id;
  let all_ones = 0xffffffffu >> (32u - width);
  var own = vec2<u32>(0u);
  if (row < side) {
    for (var field = group.y * share; field < min((group.y + 1u) * share, side); field++) {
      var number = NONE;
      if (row < n && field < n) {
        var bits = 0u;
        var at = table + field * width * stride + (row >> 5u);
        for (var i = 0u; i < width; i++) {
          bits = (bits << 1u) | ((load(at) >> (row & 31u)) & 1u);
          at += stride;
        }
        if (bits != all_ones) {
          own.x = max(own.x, bits);
          number = min(bits, NONE);
        } else if (row == field) {
          own.y = 1u;
        }
      }
      store(matrix + field * side + row, number);
    }
  }
  seen[id] = own;
  workgroupBarrier();
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    if (id < half) { seen[id] = max(seen[id], seen[id + half]); }
    workgroupBarrier();
  }
  if (id < 2u) {
    let both = seen[0];
    store(notes + 2u * (group.y * across + group.x) + id, select(both.y, both.x, id == 0u));
  }
}
