// The objects in rectangles: a record for each. A workgroup has a part of a rectangle.

var<private> question: u32;

fn meet(idx: u32, at: vec2<i32>) {
  add_record(vec4<u32>(question + 1u, 0u, 0u, idx + 1u));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[6].x; let n_parts = given[6].y;
  let corners = given[7];
  let part = number_of(group) % n_parts;
  question = number_of(group) / n_parts;
  // The interval from a number to a smaller one is empty.
  var low = vec2<i32>(0); var high = vec2<i32>(-1);
  if (question < n) {
    low = vec2<i32>(vec2<u32>(load(corners.x + question), load(corners.y + question)));
    high = vec2<i32>(vec2<u32>(load(corners.z + question), load(corners.w + question)));
  }
  let is_open = all(low <= high);
  begin_records(id);
  if (is_open) { walk(low, high, id, part, n_parts); }
  reserve_records(id);
  if (is_open && is_reserved) { walk(low, high, id, part, n_parts); }
}
