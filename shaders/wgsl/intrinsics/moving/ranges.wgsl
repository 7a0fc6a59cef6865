// The objects in rectangles: a record for each. A workgroup has a part of a rectangle.

var<private> question: u32;

fn meet(idx: u32, at: vec2<i32>) {
  add_record(vec4<u32>(question + 1u, 0u, 0u, idx + 1u));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[6].x; let n_parts = given[6].y;
  let corners = given[7];
  question = number_of(group) / n_parts;
  if (question >= n) { return; }
  let low = vec2<i32>(vec2<u32>(load(corners.x + question), load(corners.y + question)));
  let high = vec2<i32>(vec2<u32>(load(corners.z + question), load(corners.w + question)));
  // The interval from a number to a smaller one is empty.
  if (any(low > high)) { return; }
  walk(low, high, id, number_of(group) % n_parts, n_parts);
}
