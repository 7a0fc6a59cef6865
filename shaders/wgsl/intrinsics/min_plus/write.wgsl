// Conversion of integers to numbers in the columns of a table. A workgroup has 1024 rows of a
// field.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// The numbers of 32 limbs; each limb begins in a different bank.
var<workgroup> numbers: array<u32, 32u * 33u>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let n = given[0].z; let width = given[0].w;
  let matrix = given[1].x; let side = given[1].y;
  let field = group.y; let start = 1024u * group.x;
  for (var i = id; i < 1024u; i += THREADS) {
    var number = 0u;
    if (start + i < n) {
      number = load(matrix + field * side + start + i);
      if (number == NONE) { number = 0xffffffffu; }
    }
    numbers[33u * (i >> 5u) + (i & 31u)] = number;
  }
  workgroupBarrier();
  for (var i = id; i < 32u * width; i += THREADS) {
    let limb = i & 31u; let place = i >> 5u;
    if (start + 32u * limb < n) {
      var bits = 0u;
      for (var row = 0u; row < 32u; row++) {
        bits |= ((numbers[33u * limb + row] >> (width - 1u - place)) & 1u) << row;
      }
      store(table + (field * width + place) * stride + start / 32u + limb, bits);
    }
  }
}
