// The sum of the hashes of records, modulo 2^64: those of splitmix64 of the number of the query in
// the upper word and the id in the lower one. A thread has some records.

var<workgroup> sums: array<vec2<u32>, THREADS>;

fn times(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = product(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
// Returns a xor (a >> by); `by` is below 32.
fn folded(a: vec2<u32>, by: u32) -> vec2<u32> {
  return a ^ vec2<u32>((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
fn mixed(number: u32, id: u32) -> vec2<u32> {
  let first = times(folded(vec2<u32>(id, number), 30u), vec2<u32>(0x1ce4e5b9u, 0xbf58476du));
  return folded(times(folded(first, 27u), vec2<u32>(0x133111ebu, 0x94d049bbu)), 31u);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let records = given[1].x; let n = given[1].y; let numbers = given[1].z; let to = given[1].w;
  let share = given[2].x;
  var own = vec2<u32>(0u);
  for (var i = 0u; i < share; i++) {
    let at = (number_of(group) * share + i) * THREADS + id;
    if (at < n) {
      let number = load(numbers + load(records + 4u * at) - 1u);
      own = sum(own, mixed(number, load(records + 4u * at + 3u) - 1u));
    }
  }
  sums[id] = own;
  workgroupBarrier();
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    if (id < half) { sums[id] = sum(sums[id], sums[id + half]); }
    workgroupBarrier();
  }
  if (id == 0u) {
    let all = sums[0];
    let before = fetch_add(to, all.x);
    join_add(to + 1u, all.y + select(0u, 1u, before + all.x < before));
  }
}
