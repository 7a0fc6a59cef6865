// How many objects are in rectangles, and the sum of the hashes of the answers modulo 2^64: those
// of splitmix64 of the number of the query in the upper word and the id in the lower one. The
// parameters after those of the index: the sums, four words each; how many sums there are, the
// numbers of the queries. A workgroup has a part of a rectangle, and adds to one of the sums.

var<private> number: u32;
var<private> own: vec2<u32>;
var<private> n_own: u32;
var<workgroup> hashes: array<vec2<u32>, THREADS>;
var<workgroup> n_found: atomic<u32>;

fn times(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = product(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
// Returns a xor (a >> by); `by` is below 32.
fn folded(a: vec2<u32>, by: u32) -> vec2<u32> {
  return a ^ vec2<u32>((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
fn mixed(id: u32) -> vec2<u32> {
  let first = times(folded(vec2<u32>(id, number), 30u), vec2<u32>(0x1ce4e5b9u, 0xbf58476du));
  return folded(times(folded(first, 27u), vec2<u32>(0x133111ebu, 0x94d049bbu)), 31u);
}
// Adds a number of 64 bits to the one at an address.
fn add_wide(at: u32, all: vec2<u32>) {
  let before = fetch_add(at, all.x);
  join_add(at + 1u, all.y + select(0u, 1u, before + all.x < before));
}

fn meet(idx: u32, at: vec2<i32>) {
  own = sum(own, mixed(idx));
  n_own++;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let part = number_of(group) % given[6].y;
  question = number_of(group) / given[6].y;
  if (question < given[6].x) { number = load(given[5].z + question); }
  if (id == 0u) { atomicStore(&n_found, 0u); }
  workgroupBarrier();
  walk_rectangle(part, id);
  hashes[id] = own;
  if (n_own != 0u) { atomicAdd(&n_found, n_own); }
  workgroupBarrier();
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    if (id < half) { hashes[id] = sum(hashes[id], hashes[id + half]); }
    workgroupBarrier();
  }
  let n = atomicLoad(&n_found);
  if (id == 0u && n != 0u) {
    let to = given[5].x + 4u * (number_of(group) % given[5].y);
    add_wide(to, hashes[0]);
    add_wide(to + 2u, vec2<u32>(n, 0u));
  }
}
