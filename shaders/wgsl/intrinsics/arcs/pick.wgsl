// The second half of a round of Borůvka's algorithm: the chosen arc of each set enters the forest
// and joins two sets. A thread has a vertex. An arc whose sets cannot be joined yet stays chosen.

var<workgroup> n_joined: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let notes = given[1].y; let weights = given[2].w; let rows = given[3].x; let marked = given[3].y;
  let vertex = THREADS * number_of(group) + id;
  if (vertex < given[0].x) {
    let key = load(rows + vertex);
    if (key != 0u) {
      let row = ~key;
      let arc = arc_of(row);
      join_or(marked + (row >> 5u), 1u << (row & 31u));
      if (join_sets(arc.x, arc.y)) {
        store(rows + vertex, 0u);
        store(weights + vertex, 0u);
        atomicAdd(&n_joined, 1u);
      } else {
        store(notes + UNFINISHED, 1u);
      }
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    let n = atomicLoad(&n_joined);
    if (n != 0u) { join_add(notes + TAKEN, n); }
  }
}
