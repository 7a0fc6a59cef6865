// Twice the radii of the circles with too few objects. A workgroup has a point.

var<private> question: u32;
var<workgroup> n_near: atomic<u32>;

fn meet(idx: u32, at: vec2<i32>) {
  if (is_near(question, at)) { atomicAdd(&n_near, 1u); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let idx = number_of(group);
  question = idx;
  if (id == 0u) { atomicStore(&n_near, 0u); }
  workgroupBarrier();
  let is_open = idx < given[7].x && load(given[6].w + idx) == 0u;
  if (is_open) { walk_around(idx, id); }
  workgroupBarrier();
  if (is_open && id == 0u) {
    if (atomicLoad(&n_near) >= given[7].y || is_all(idx)) {
      store(given[6].w + idx, 1u);
    } else {
      let radius = radius_of(idx);
      store(given[6].z + idx, select(2u * radius, 0xffffffffu, radius >= 0x80000000u));
      join_max(notes() + WRONG, 1u);
    }
  }
}
