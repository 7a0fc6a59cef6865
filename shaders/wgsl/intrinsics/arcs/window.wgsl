// A window of a search (Note [Windows and buckets] in star-shaders): the queued vertices, or, if
// there are none, the vertices of the next bucket. Teams of threads have parts of the arcs of a
// vertex.

const TEAMS = THREADS / TEAM;

// The vertices that this workgroup appends, each with the number of parts before its own.
var<workgroup> found: array<vec2<u32>, TEAMS * CHUNK>;
var<workgroup> n_found: atomic<u32>;
var<workgroup> n_parts: atomic<u32>;
// The complement of the least cost after the bucket.
var<workgroup> least: atomic<u32>;
var<workgroup> kept: u32;

// Returns the value of the first thread.
fn of_first(id: u32, value: u32) -> u32 {
  if (id == 0u) { kept = value; }
  return workgroupUniformLoad(&kept);
}

// Appends a vertex to the queue of the next window, once. The order in the queue does not affect
// results.
fn find(vertex: u32) {
  let next = given[0].y + 1u;
  if (exchange(given[3].x + vertex, next) == next) { return; }
  let n = (load(given[2].x + 2u * vertex + 1u) + CHUNK - 1u) / CHUNK;
  if (n != 0u) { found[atomicAdd(&n_found, 1u)] = vec2<u32>(vertex, atomicAdd(&n_parts, n)); }
}

// Stores the found vertices.
fn append(id: u32) {
  workgroupBarrier();
  let n = of_first(id, atomicLoad(&n_found));
  if (n == 0u) { return; }
  if (id == 0u) {
    kept = fetch_add(given[1].y + LENGTH + (given[0].y + 1u) % 3u, atomicLoad(&n_parts));
    atomicStore(&n_found, 0u);
    atomicStore(&n_parts, 0u);
  }
  let first = workgroupUniformLoad(&kept);
  for (var i = id; i < n; i += THREADS) {
    let vertex = found[i].x; let at = given[3].z + 2u * (first + found[i].y);
    let count = load(given[2].x + 2u * vertex + 1u);
    for (var part = 0u; part * CHUNK < count; part++) {
      store(at + 2u * part, vertex);
      store(at + 2u * part + 1u, part);
    }
  }
  workgroupBarrier();
}

// Follows the arcs of a part of a vertex; every thread of the team has some.
fn relax(vertex: u32, part: u32, member: u32, last: u32) {
  let costs = given[1].w; let places = given[2].x; let ends = given[2].y;
  let cost = load(costs + vertex);
  // A sum would overflow; the host finds the cost.
  if (cost > given[4].x) { return; }
  let count = load(places + 2u * vertex + 1u);
  let first = load(places + 2u * vertex) - count;
  for (var i = CHUNK * part + member; i < min(CHUNK * (part + 1u), count); i += TEAM) {
    let end = ends + END_WORDS * (first + i);
    let head = load(end);
    var weight = 1u;
    if (END_WORDS == 2u) { weight = load(end + 1u); }
    let sum = cost + weight;
    // Most sums are not less, and a load is faster.
    if (sum < load(costs + head) && sum < fetch_min(costs + head, sum)) {
      if (sum <= last) { find(head); } else { atomicMax(&least, ~sum); }
    }
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[0].x; let window = given[0].y; let groups = given[0].z;
  let notes = given[1].y; let costs = given[1].w; let list = given[3].y;
  let now = window % 3u; let next = (window + 1u) % 3u; let before = (window + 2u) % 3u;
  let length = of_first(id, load(notes + LENGTH + now));
  let due = of_first(id, load(notes + LEAST + now));
  let last_before = of_first(id, load(notes + LAST + now));
  let scans = length == 0u && due != 0u;
  var last = last_before;
  if (scans) { last = ~due | ((1u << given[3].w) - 1u); }
  if (id == 0u && group.x == 0u) {
    store(notes + LAST + next, last);
    if (!scans) { join_max(notes + LEAST + next, due); }
    // These words were read by the window before.
    store(notes + LENGTH + before, 0u);
    store(notes + LEAST + before, 0u);
    join_add(notes + PROCESSED, length);
  }
  for (var first = TEAMS * group.x; first < length; first += TEAMS * groups) {
    let at = first + id / TEAM;
    if (at < length) { relax(load(list + 2u * at), load(list + 2u * at + 1u), id % TEAM, last); }
    append(id);
  }
  if (scans) {
    for (var first = THREADS * group.x; first < n; first += THREADS * groups) {
      if (first + id < n) {
        let cost = load(costs + first + id);
        if (cost > last_before && cost != UNREACHED) {
          if (cost <= last) { find(first + id); } else { atomicMax(&least, ~cost); }
        }
      }
      append(id);
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    let found_least = atomicLoad(&least);
    if (found_least != 0u) { join_max(notes + LEAST + next, found_least); }
  }
}
