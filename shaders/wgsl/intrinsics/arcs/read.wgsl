// The numbers of a list of arcs from the columns of its tables, and the number of arcs that leave
// each vertex. A thread has a row. Loops are left out.

var<workgroup> heaviest: atomic<u32>;
var<workgroup> bits: atomic<u32>;
var<workgroup> counted: atomic<u32>;

// Returns the number in a row of a table, and ones if it has more than 32 bits.
fn number_in(table: u32, stride: u32, columns: u32, row: u32) -> vec2<u32> {
  var number = 0u; var rest = 0u;
  for (var column = 0u; column < columns; column++) {
    rest |= number >> 31u;
    let plane = load(table + column * stride + (row >> 5u));
    number = (number << 1u) | ((plane >> (row & 31u)) & 1u);
  }
  return vec2<u32>(number, rest);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[0].x; let m = given[0].w;
  let arcs = given[1].x; let notes = given[1].y; let both = given[1].z; let places = given[2].x;
  let columns = given[4].x; let among = given[4].y; let first_code = given[4].z;
  // The number of bits of all weights.
  let most_bits = given[4].w;
  let row = THREADS * number_of(group) + id;
  if (row < m) {
    var tail = NONE;
    if (((load(among + (row >> 5u)) >> (row & 31u)) & 1u) == 1u) {
      tail = number_in(given[3].x, given[3].y, columns, row).x - first_code;
      let head = number_in(given[3].z, given[3].w, columns, row).x - first_code;
      let weight = number_in(given[5].x, given[5].y, given[5].z, row);
      let is_heavy = weight.y != 0u || (most_bits < 32u && (weight.x >> (most_bits & 31u)) != 0u);
      if (tail >= n || head >= n || is_heavy) {
        join_max(notes + WRONG, 1u);
        tail = NONE;
      } else if (tail == head) {
        tail = NONE;
      } else {
        store(arcs + m + row, head);
        if (END_WORDS == 2u) { store(arcs + 2u * m + row, weight.x); }
        if (places != 0u) {
          join_add(places + 2u * tail + 1u, 1u);
          if (both != 0u) { join_add(places + 2u * head + 1u, 1u); }
        }
        atomicMax(&heaviest, weight.x);
        atomicAdd(&bits, firstLeadingBit(weight.x) + 1u);
        atomicAdd(&counted, 1u);
      }
    }
    store(arcs + row, tail);
  }
  workgroupBarrier();
  if (id == 0u) {
    let n_arcs = atomicLoad(&counted);
    if (n_arcs != 0u) {
      join_max(notes + HEAVIEST, atomicLoad(&heaviest));
      join_add(notes + BITS, atomicLoad(&bits) / n_arcs);
      join_add(notes + PARTS, 1u);
    }
  }
}
